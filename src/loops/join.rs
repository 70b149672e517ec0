//! Nests of loops that become one: `a` in `A` and `b` in `B` used as `a * B + b`.

use hashbrown::HashSet;

use super::copy::{copy, mentions};
use super::place::{Place, folded, is_plain, plus};
use crate::arith::poly::{Atoms, Poly};
use crate::ir::{BinOp, Expr, ExprKind, For, PrimFunc, Stmt, StmtKind, Type};

/// The one loop that is directly in the body of another.
pub(super) fn inner(outer: &For) -> Option<&For> {
    match &outer.body[..] {
        [Stmt { kind: StmtKind::For(inner), .. }] => Some(inner),
        _ => None,
    }
}

/// Two loops that can be one, with the extent of that.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    extent: Expr,
}

/// Whether a loop and the one in its body can be one loop that runs the same iterations in the same order, and something
/// is written as a function of the one variable.
pub(super) fn joint(place: &Place<'_>, outer: &For) -> Option<Joint> {
    let inner = inner(outer)?;
    if !is_plain(place.func, outer) || !is_plain(place.func, inner) || outer.min.dtype != inner.min.dtype {
        return None;
    }
    let invariant = |e: &Expr| !mentions(e, outer.var) && place.is_free(e);
    if ![&inner.min, &inner.extent].into_iter().all(invariant)
        || !place.is_free(&outer.min)
        || !place.at_least(&inner.extent, 0)
    {
        return None;
    }
    let extent = folded(BinOp::Mul, outer.extent.clone(), inner.extent.clone());
    (place.is_free(&extent) && is_used_as_one(outer, inner)).then_some(Joint { extent })
}

/// Whether an expression depends on the variables as on `outer * extent + inner`, and there is something to gain: one of
/// them is divided or compared, or the loops do nothing but the iterations of the inner one.
fn is_used_as_one<'l>(outer: &For, inner: &'l For) -> bool {
    let (mut found, mut gains) = (false, false);
    let mut look = |e: &Expr| {
        if let ExprKind::Binary(op, a, b) = &e.kind
            && (op.is_division() || op.is_compare())
        {
            gains |= [a, b].into_iter().any(|e| mentions(e, outer.var) || mentions(e, inner.var));
        }
    };
    for stmt in &inner.body {
        stmt.walk(&mut |stmt| stmt.for_each_expr(|e| e.walk(&mut look)));
    }
    let has_loops = inner.body.iter().any(|stmt| matches!(stmt.kind, StmtKind::For(_)));
    if !gains && has_loops {
        return false;
    }
    let mut atoms = Atoms::default();
    let Some(extent) = atoms.poly(&inner.extent) else { return false };
    let mut seen: HashSet<&Expr> = HashSet::new();
    let mut look = |e: &'l Expr| {
        let is_sum = matches!(e.kind, ExprKind::Binary(BinOp::Add | BinOp::Sub, ..));
        let is_of_both = || [outer.var, inner.var].into_iter().all(|var| mentions(e, var));
        if found || !is_sum || !is_of_both() || !seen.insert(e) {
            return;
        }
        let slopes = atoms.poly(e).and_then(|poly| {
            let by_outer = atoms.linear(&poly, outer.var)?.slope;
            let by_inner = atoms.linear(&poly, inner.var)?.slope;
            Some((by_outer, by_inner))
        });
        let is_one =
            |(by_outer, by_inner): (Poly, Poly)| !by_inner.is_zero() && by_inner.times(&extent) == by_outer;
        found |= slopes.is_some_and(is_one);
    };
    for stmt in &inner.body {
        stmt.walk(&mut |stmt| stmt.for_each_expr(|e| e.walk(&mut look)));
    }
    found
}

/// The two loops as one.
pub(super) fn join(func: &mut PrimFunc, outer: &For, joint: &Joint) -> Option<For> {
    let inner = inner(outer)?;
    let dtype = outer.min.dtype;
    let name = common_name(&func.var(outer.var).name, &func.var(inner.var).name);
    let var = func.new_var(name, Type::Prim(dtype));
    let part = |op, min: &Expr| plus(min.clone(), folded(op, func.var_expr(var), inner.extent.clone()));
    let values =
        [(outer.var, part(BinOp::FloorDiv, &outer.min)), (inner.var, part(BinOp::FloorMod, &inner.min))];
    let body = copy(func, &inner.body, &values);
    let zero = Expr::int(0, dtype);
    Some(For { var, min: zero, extent: joint.extent.clone(), step: None, ..outer.around(body) })
}

/// What the names of two variables start with, if that is a name; else the name of the first.
fn common_name(a: &str, b: &str) -> String {
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c);
    let common: String = same.collect();
    let common = common.trim_end_matches('_');
    if common.is_empty() { a.to_owned() } else { common.to_owned() }
}
