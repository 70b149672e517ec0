//! Loops split by what their variable is divided by: quotients and remainders become loop variables.

use super::align::{self, Aligned, aligned};
use super::bounds::{inequality, sums_at_most_zero};
use super::copy::{copy, defined, hollow, mentions, mentions_any};
use super::normal::{Division, division};
use super::place::{Place, folded, is_plain, is_plain_or_parallel, plus};
use crate::arith::gcd;
use crate::arith::poly::{Atoms, Poly};
use crate::ir::{BinOp, Block, DType, Expr, For, ForKind, PrimFunc, Stmt, StmtKind, Type, VarId};

/// The most divisors of one loop, and ways to nest them, that are looked at.
const MAX_DIVISORS: usize = 12;
const MAX_CHAINS: usize = 6;
const MAX_SHIFTED: usize = 2;

/// What a loop variable is divided by.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Divisor {
    by: Poly,
    /// The first iteration of the loop with which a quotient increases, if that is not a multiple of the divisor.
    offset: i64,
}

/// Which quotients make rows of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// All of them.
    OfAll,
    /// All but those that a comparison need not compute to be a bound of the loop's variable: `x // 13 < 2` asks where `x`
    /// ends, not for rows of 13.
    OfOthers,
}

impl Rows {
    /// Each of them, at its number.
    pub(super) const EACH: [Rows; 2] = [Rows::OfAll, Rows::OfOthers];
}

/// A way to split a loop.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Way {
    /// In rows from its first iteration on, or from one with a known number.
    Nest(Nest),
    /// In rows that start where something not known is a multiple.
    Aligned(Aligned),
}

/// A loop as a nest: the extents of its loops, outer ones first, and what is left of the iterations.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Nest {
    /// Iterations in front of the first complete row.
    before: i64,
    /// The extents, and by how much the loop's variable grows with each.
    levels: Vec<(Expr, Expr)>,
    rest: Rest,
}

/// What is done with iterations that do not fill a row.
#[derive(Clone, Debug, PartialEq)]
enum Rest {
    /// There are none.
    None,
    /// They follow in a loop of this extent, which starts at this iteration; its own nest, if there is one.
    Peeled(Expr, Expr, Option<Box<Nest>>),
    /// The inner of the two loops ends with the last iteration, which this is the number of.
    Bounded(Expr),
}

/// The ways in which a loop can be split, each along divisors that divide one another. Of a `parallel` one the loop of
/// quotients is parallel. `spelled`: constant divisors that stood in the body before it was simplified, see [`spelled`].
pub(super) fn nests(
    place: &Place<'_>,
    l: &For,
    parallel: bool,
    (spelled, rows): (&[(i64, i64)], Rows),
) -> Vec<Way> {
    let is_apt = if parallel { is_plain_or_parallel(place.func, l) } else { is_plain(place.func, l) };
    // Both are computed again in each iteration.
    if !is_apt || !place.is_free(&l.extent) || !place.is_free(&l.min) {
        return Vec::new();
    }
    let mut atoms = Atoms::default();
    let Some(extent) = atoms.poly(&l.extent) else { return Vec::new() };
    let (mut found, shifted) = divisors(&mut atoms, l, rows);
    for &(by, offset) in spelled {
        let divisor = Divisor { by: Poly::constant(by), offset };
        if found.len() < MAX_DIVISORS && !found.contains(&divisor) {
            found.push(divisor);
        }
    }
    let mut nests = Vec::new();
    for chain in chains(&found, &extent) {
        // All of the chain, and without each single one.
        let mut shorter: Vec<Vec<&Divisor>> = vec![chain.clone()];
        if chain.len() > 1 {
            shorter.extend((0..chain.len()).map(|gone| {
                chain.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, divisor)| *divisor).collect()
            }));
        }
        for chain in shorter {
            let by: Vec<Poly> = chain.iter().map(|divisor| divisor.by.clone()).collect();
            let offset = chain.first().map_or(0, |divisor| divisor.offset);
            let shapes = shapes(place, &atoms, &extent, l.extent.dtype, &by, offset);
            nests.extend(shapes.into_iter().map(Way::Nest));
        }
    }
    let aligned = shifted.iter().filter_map(|(by, shift)| aligned(place, &atoms, l, by, shift));
    nests.extend(aligned.map(Way::Aligned));
    nests
}

/// The constants that the variable of a loop is divided by in its body, each with its offset. Simplification may hide them:
/// `x % 30 * 100 + x // 30` is `x * 100 % 2999`.
pub(super) fn spelled(l: &For, rows: Rows) -> Vec<(i64, i64)> {
    let (found, _) = divisors(&mut Atoms::of_quotients(), l, rows);
    found.iter().filter_map(|divisor| Some((divisor.by.as_constant()?, divisor.offset))).collect()
}

/// What the variable of a loop is divided by in its body, once each; and with what else together, where rows start elsewhere.
fn divisors(atoms: &mut Atoms, l: &For, rows: Rows) -> (Vec<Divisor>, Vec<(Poly, Poly)>) {
    let inside = defined(&l.body);
    let mut found: Vec<Divisor> = Vec::new();
    let mut shifted: Vec<(Poly, Poly)> = Vec::new();
    let mut look = |e: &Expr| {
        let Some(Division { dividend, divisor, .. }) = division(e) else { return };
        if found.len() >= MAX_DIVISORS || mentions(&divisor, l.var) || mentions_any(&divisor, &inside) {
            return;
        }
        let Some((dividend, by)) = atoms.poly(dividend).zip(atoms.poly(&divisor)) else { return };
        if let Some(divisor) = divisor_of(atoms, l, &dividend, &by)
            && !found.contains(&divisor)
        {
            found.push(divisor);
        }
        if shifted.len() < MAX_SHIFTED
            && let Some(shift) = shift_of(atoms, l, &dividend, &by)
            && atoms.expr(&shift, l.min.dtype).is_some_and(|shift| !mentions_any(&shift, &inside))
            && !shifted.contains(&(by.clone(), shift.clone()))
        {
            shifted.push((by, shift));
        }
    };
    for stmt in &l.body {
        stmt.walk(&mut |stmt| {
            stmt.for_each_expr(|e| match rows {
                Rows::OfAll => e.walk(&mut look),
                Rows::OfOthers => walk_outside_bounds(e, l.var, &mut look),
            });
        });
    }
    (found, shifted)
}

/// Calls `look` on an expression and what is below it, without quotients that comparisons need not compute to be bounds of the
/// variable.
fn walk_outside_bounds(e: &Expr, var: VarId, look: &mut impl FnMut(&Expr)) {
    look(e);
    let mut atoms = Atoms::default();
    let bounds = sums_at_most_zero(&mut atoms, e, true)
        .filter(|sums| sums.iter().all(|sum| inequality(&atoms, sum, var).is_some()));
    match bounds {
        Some(sums) => {
            for sum in &sums {
                atoms.parts(sum).for_each(|part| walk_outside_bounds(part, var, look));
            }
        }
        None => e.for_each_child(|part| walk_outside_bounds(part, var, look)),
    }
}

/// What is added to the loop's variable before it is divided, less multiples of the divisor, if that or the start of the loop is
/// not known.
fn shift_of(atoms: &mut Atoms, l: &For, dividend: &Poly, by: &Poly) -> Option<Poly> {
    let linear = atoms.linear(dividend, l.var)?;
    if linear.slope.as_constant() != Some(1) {
        return None;
    }
    let shift = match by.as_constant() {
        Some(by) if by > 1 => linear.rest.split(by, false).1,
        Some(_) => return None,
        None => linear.rest.divided(by)?.1,
    };
    let start = atoms.poly(&l.min)?.plus(&shift, 1);
    // Rows from the first iteration on, or from one with a known number, need no bounds of their own.
    let starts_row = match by.as_constant() {
        Some(_) => start.as_constant().is_some(),
        None => start.divided(by)?.1.is_zero(),
    };
    (!starts_row).then_some(shift)
}

/// By how much the loop's variable grows from one value of `dividend // by` to the next.
fn divisor_of(atoms: &Atoms, l: &For, dividend: &Poly, by: &Poly) -> Option<Divisor> {
    let Some(linear) = atoms.linear(dividend, l.var) else { return hidden(atoms, l, dividend, by) };
    if linear.slope.is_zero() {
        return None;
    }
    let (Some(slope), Some(constant)) = (linear.slope.as_constant(), by.as_constant()) else {
        return Some(Divisor { by: by.exactly_over(&linear.slope)?, offset: 0 });
    };
    let shared = gcd(slope.checked_abs()?, constant.checked_abs()?);
    let period = constant.checked_abs()?.checked_div(shared)?;
    if period < 2 {
        return None;
    }
    let (known, others) = atoms.without(&linear.rest, |_| true);
    let whole = others.iter().all(|coefficient| coefficient % i128::from(constant) == 0);
    let mut offset = 0;
    if whole
        && slope == shared
        && let (Some(shift), Some(min)) = (known.as_constant(), l.min.as_int())
    {
        // (shared * x + shift) // (shared * period) is (x + shift // shared) // period.
        offset = min.checked_add(shift.div_euclid(shared))?.checked_neg()?.rem_euclid(period);
    }
    Some(Divisor { by: Poly::constant(period), offset })
}

/// The same of a dividend in which remainders of the variable stand beside it, as in `(2 * x + x % 2) // 12`: they go through
/// the same values in each row of 6, so the quotient is one of `x // 6` and what a row adds.
fn hidden(atoms: &Atoms, l: &For, dividend: &Poly, by: &Poly) -> Option<Divisor> {
    let remainder = |e: &Expr| {
        let division = division(e).filter(|division| !division.is_quotient && mentions(e, l.var))?;
        division.divisor.as_int()
    };
    let (plain, gone) = atoms.without(dividend, |e| remainder(e).is_some());
    let repeated =
        atoms.multiples(dividend).into_iter().filter_map(|(e, _)| remainder(&e)).collect::<Vec<_>>();
    let slope = atoms.linear(&plain, l.var)?.slope.as_constant()?.checked_abs()?;
    let by = by.as_constant()?.checked_abs()?;
    let period = by.checked_div(gcd(slope, by))?;
    // What is left of each product with a remainder is not looked at.
    let repeats = repeated.len() == gone.len() && repeated.iter().all(|&of| of != 0 && period % of == 0);
    (slope != 0 && period > 1 && repeats).then(|| Divisor { by: Poly::constant(period), offset: 0 })
}

/// Sequences of divisors, each of which divides the one before it, that cannot be longer.
fn chains<'d>(found: &'d [Divisor], extent: &Poly) -> Vec<Vec<&'d Divisor>> {
    let usable: Vec<&Divisor> = found
        .iter()
        .filter(|divisor| match (divisor.by.as_constant(), extent.as_constant()) {
            (Some(by), Some(extent)) => by > 1 && by < extent,
            (Some(by), None) => by > 1,
            (None, _) => divisor.by != *extent,
        })
        .collect();
    let divides = |small: &Divisor, large: &Divisor| {
        small.by != large.by && small.offset == 0 && large.by.exactly_over(&small.by).is_some()
    };
    let mut chains: Vec<Vec<&Divisor>> = Vec::new();
    // Those that divide no other start chains.
    for &top in usable.iter().filter(|top| !usable.iter().any(|other| divides(top, other))) {
        extend(vec![top], &usable, &divides, &mut chains);
    }
    chains
}

fn extend<'d>(
    chain: Vec<&'d Divisor>,
    usable: &[&'d Divisor],
    divides: &impl Fn(&Divisor, &Divisor) -> bool,
    chains: &mut Vec<Vec<&'d Divisor>>,
) {
    let Some(last) = chain.last() else { return };
    let below: Vec<&Divisor> = usable.iter().copied().filter(|small| divides(small, last)).collect();
    let next = below.iter().filter(|small| !below.iter().any(|between| divides(small, between)));
    let mut longer = false;
    for small in next {
        longer = true;
        extend(chain.iter().copied().chain([*small]).collect(), usable, divides, chains);
    }
    if !longer && chains.len() < MAX_CHAINS {
        chains.push(chain);
    }
}

/// The nests along a chain of divisors, each a multiple of the next.
fn shapes(
    place: &Place<'_>,
    atoms: &Atoms,
    extent: &Poly,
    dtype: DType,
    chain: &[Poly],
    offset: i64,
) -> Vec<Nest> {
    let Some(top) = chain.first() else { return Vec::new() };
    let rows = extent.plus(&Poly::constant(offset), -1);
    if offset > 0 && rows.as_constant().is_none_or(|rows| rows <= 0) {
        return Vec::new();
    }
    let level = |count: &Poly, stride: &Poly| {
        let (count, stride) = (atoms.expr(count, dtype)?, atoms.expr(stride, dtype)?);
        (place.is_free(&count) && place.is_free(&stride) && place.at_least(&count, 0))
            .then_some((count, stride))
    };
    let below = || {
        let mut levels = Vec::new();
        for pair in chain.windows(2) {
            levels.push(level(&pair[0].exactly_over(&pair[1])?, &pair[1])?);
        }
        levels.push(level(chain.last()?, &Poly::constant(1))?);
        Some(levels)
    };
    let Some(below) = below() else { return Vec::new() };
    let nest = |count: Expr, stride: Expr, rest: Rest| {
        let levels = [(count, stride)].into_iter().chain(below.iter().cloned()).collect();
        Nest { before: offset, levels, rest }
    };
    if let Some(count) = rows.exactly_over(top) {
        return level(&count, top)
            .map(|(count, stride)| nest(count, stride, Rest::None))
            .into_iter()
            .collect();
    }
    let mut nests = Vec::new();
    let (Some(all), Some(stride)) = (atoms.expr(&rows, dtype), atoms.expr(top, dtype)) else { return nests };
    if !place.is_free(&all)
        || !place.is_free(&stride)
        || !place.at_least(&stride, 1)
        || !place.at_least(&all, 0)
    {
        return nests;
    }
    let full = folded(BinOp::FloorDiv, all.clone(), stride.clone());
    let left = folded(BinOp::FloorMod, all.clone(), stride.clone());
    let start = folded(BinOp::Mul, full.clone(), stride.clone());
    if place.is_free(&start) && place.is_free(&left) {
        let own = left.as_int().and_then(|left| {
            let fits: Vec<Poly> = chain[1..]
                .iter()
                .filter(|by| by.as_constant().is_some_and(|by| by < left))
                .cloned()
                .collect();
            let shapes = shapes(place, atoms, &Poly::constant(left), dtype, &fits, 0);
            shapes.into_iter().next().map(Box::new)
        });
        nests.push(nest(full, stride.clone(), Rest::Peeled(left, start, own)));
    }
    if chain.len() == 1 {
        let up = plus(all.clone(), folded(BinOp::Sub, stride.clone(), Expr::int(1, dtype)));
        let count = folded(BinOp::FloorDiv, up, stride.clone());
        if place.is_free(&count) {
            nests.push(nest(count, stride, Rest::Bounded(all)));
        }
    }
    nests
}

/// The loop as nests.
pub(super) fn split(func: &mut PrimFunc, l: &For, way: &Way) -> Block {
    let nest = match way {
        Way::Nest(nest) => nest,
        Way::Aligned(aligned) => return align::split(func, l, aligned),
    };
    let dtype = l.min.dtype;
    let mut made = Vec::new();
    if nest.before > 0 {
        made.push(looped(func, l, &l.min, Expr::int(nest.before, dtype)));
    }
    let min = plus(l.min.clone(), Expr::int(nest.before, dtype));
    made.extend(nested(func, l, &min, nest));
    made
}

fn nested(func: &mut PrimFunc, l: &For, min: &Expr, nest: &Nest) -> Block {
    let name = func.var(l.var).name.clone();
    let last = nest.levels.len() - 1;
    let vars: Vec<VarId> =
        (0..=last).map(|at| func.new_var(format!("{name}_{at}"), Type::Prim(l.min.dtype))).collect();
    let terms = vars.iter().zip(&nest.levels);
    let terms = terms.map(|(&var, (_, stride))| folded(BinOp::Mul, func.var_expr(var), stride.clone()));
    let value = terms.reduce(plus).map_or_else(|| min.clone(), |sum| plus(min.clone(), sum));
    let mut body = copy(func, &l.body, &[(l.var, value)]);
    for (at, (&var, (extent, stride))) in vars.iter().zip(&nest.levels).enumerate().rev() {
        let mut extent = extent.clone();
        if let Rest::Bounded(all) = &nest.rest
            && at == last
        {
            let row = folded(BinOp::Mul, func.var_expr(vars[0]), nest.levels[0].1.clone());
            extent = folded(BinOp::Min, extent, folded(BinOp::Sub, all.clone(), row));
        }
        debug_assert!(at < last || stride.as_int() == Some(1));
        let zero = Expr::int(0, l.min.dtype);
        let kind = if at == 0 { l.kind.clone() } else { ForKind::Serial };
        let l = For { var, min: zero, extent, body, step: None, kind, ..hollow(l) };
        body = vec![Stmt::new(StmtKind::For(Box::new(l)))];
    }
    if let Rest::Peeled(extent, start, own) = &nest.rest {
        let min = plus(min.clone(), start.clone());
        match own {
            Some(own) => body.extend(nested(func, l, &min, own)),
            None => body.push(looped(func, l, &min, extent.clone())),
        }
    }
    body
}

/// A copy of the loop that starts elsewhere, or ends.
pub(super) fn looped(func: &mut PrimFunc, l: &For, min: &Expr, extent: Expr) -> Stmt {
    let entry = func.var(l.var).clone();
    let var = func.new_var(entry.name, entry.ty);
    let body = copy(func, &l.body, &[(l.var, func.var_expr(var))]);
    Stmt::new(StmtKind::For(Box::new(For { var, min: min.clone(), extent, body, ..hollow(l) })))
}
