//! Index maps: checked for a buffer's shape, with the shape that they lead to and what they reach of it.

use std::collections::{BTreeMap, BTreeSet};

use super::boxes::{Cuboid, MAX_BOXES, MAX_ELEMENTS, complement};
use super::rows::numbering;
use crate::arith::Interval;
use crate::arith::invert::{Domain, Map, Trouble, invert, mentions, range, trouble};
use crate::arith::linear::Prover;
use crate::ir::value::{Value, evaluate};
use crate::ir::{BinOp, BufferId, DType, Expr, ExprKind, Param, PrimFunc, Type, VarId};
use crate::padding::build::folded;
use crate::script::{Lambda, parse_lambda, print_expr};

/// The fuel of one proof.
const FUEL: u64 = 200_000;

/// A map of the indices of a buffer that is injective, and not negative.
#[derive(Debug)]
pub(super) struct IndexMap {
    /// The variables for the old indices.
    pub params: Vec<VarId>,
    /// The new indices.
    pub indices: Vec<Expr>,
    /// The extents of the new dimensions.
    pub shape: Vec<Expr>,
    /// Variables for the new indices.
    pub axes: Vec<VarId>,
    pub padding: Padding,
}

/// The elements that an index map does not reach.
#[derive(Debug)]
pub(super) enum Padding {
    /// There are none.
    None,
    /// They are in these boxes.
    Boxes(Vec<Cuboid>),
    /// An element is padding where this does not hold of [`IndexMap::axes`].
    Unreached(Expr),
}

impl IndexMap {
    /// The map that `text` says for a buffer.
    ///
    /// # Errors
    ///
    /// In words, if it is none.
    pub(super) fn new(func: &mut PrimFunc, buffer: BufferId, text: &str) -> Result<IndexMap, String> {
        let scope = scalars(func);
        let Lambda { params, body, .. } =
            parse_lambda(text, func).map_err(|e| format!("the map `{text}`: {}", e.message))?;
        let entry = func.buffer(buffer);
        let (name, old_shape) = (entry.name.clone(), entry.shape.clone());
        if params.len() != old_shape.len() {
            let (has, needs) = (params.len(), old_shape.len());
            return Err(format!(
                "the map `{text}` has {has} parameters, but `{name}` has {needs} dimensions"
            ));
        }
        for index in &body {
            check_index(func, index, text, &params, &scope)?;
        }
        let (domains, ranges) = domains(func, &params, &old_shape);
        if let Some(index) = body.iter().find(|index| may_overflow(index, &domains, &ranges)) {
            return Err(format!("the map `{text}` was not shown to fit the type `{}`", index.dtype));
        }
        let dtype = body.first().map_or(DType::I32, |e| e.dtype);
        match trouble(&body, &domains) {
            Some(Trouble::Collision { first, second, place }) => {
                return Err(format!(
                    "elements {} and {} of `{name}` would both be at {place:?}",
                    element(&first),
                    element(&second)
                ));
            }
            Some(Trouble::Negative { element: at, place }) => {
                return Err(format!("element {} of `{name}` would be at {place:?}", element(&at)));
            }
            None => {}
        }
        let axes: Vec<VarId> =
            (0..body.len()).map(|k| func.new_var(format!("i{k}"), Type::Prim(dtype))).collect();
        let mut map = IndexMap { params, indices: body, shape: Vec::new(), axes, padding: Padding::None };
        match map.places(&old_shape) {
            Some(places) => {
                let rank = map.indices.len();
                let extent = |k: usize| places.iter().map(|place| place[k] + 1).max().unwrap_or(0);
                let extents: Vec<i64> = (0..rank).map(extent).collect();
                map.shape = extents.iter().map(|&n| Expr::int(n, dtype)).collect();
                let size = extents.iter().try_fold(1_i64, |size, &n| size.checked_mul(n));
                let size = size.filter(|&n| n <= MAX_ELEMENTS);
                let boxes = size.and_then(|_| complement(&places, &extents, MAX_BOXES));
                map.padding = match boxes {
                    Some(boxes) if boxes.is_empty() => Padding::None,
                    Some(boxes) => Padding::Boxes(boxes),
                    None => map.unreached(func, &domains, &ranges, &name)?,
                };
            }
            None => {
                if let [index] = &map.indices[..]
                    && let Some(numbering) = numbering(index, &map.params, &old_shape)
                {
                    map.indices = vec![numbering.index];
                    map.shape = vec![numbering.size];
                    return Ok(map);
                }
                map.prove_not_negative(func, &domains, &ranges, &name)?;
                map.shape = map
                    .indices
                    .iter()
                    .map(|index| largest(index, &map.params, &old_shape, &ranges).map(|most| plus_one(&most)))
                    .collect::<Option<_>>()
                    .ok_or_else(|| format!("no bound was found for the indices of the map `{text}`"))?;
                map.padding = map.unreached(func, &domains, &ranges, &name)?;
            }
        }
        Ok(map)
    }

    /// The places of all elements, row by row, if they can be listed.
    fn places(&self, shape: &[Expr]) -> Option<BTreeSet<Vec<i64>>> {
        let extents: Vec<i64> = shape.iter().map(Expr::as_int).collect::<Option<_>>()?;
        let mut places = BTreeSet::new();
        for element in Cuboid::whole(&extents)?.elements() {
            let at: BTreeMap<VarId, i64> = self.params.iter().copied().zip(element).collect();
            let value_of = |var: VarId| at.get(&var).map(|&v| Value::Int(v));
            let place: Option<Vec<i64>> =
                self.indices.iter().map(|index| evaluate(index, &value_of)?.as_int()).collect();
            places.insert(place?);
        }
        Some(places)
    }

    /// Whether each element has the same number, row by row, in the new shape as in the old one.
    pub(super) fn keeps_places(&self, old: &[Expr]) -> bool {
        let number = |indices: &mut dyn Iterator<Item = Expr>, shape: &[Expr]| {
            indices.zip(shape).fold(None, |sum: Option<Expr>, (index, extent)| {
                Some(match sum {
                    None => index,
                    Some(sum) => {
                        let extent = converted(extent.clone(), index.dtype);
                        folded(BinOp::Add, folded(BinOp::Mul, sum, extent), index)
                    }
                })
            })
        };
        let dtype = self.indices.first().map_or(DType::I32, |e| e.dtype);
        let (Some(before), Some(after)) = (
            number(&mut self.params.iter().map(|&param| Expr::var(param, dtype)), old),
            number(&mut self.indices.iter().cloned(), &self.shape),
        ) else {
            return false;
        };
        let none = hashbrown::HashMap::new();
        let count = self.params.iter().map(|param| param.index() + 1).max().unwrap_or(0);
        let mut ranges = vec![Interval::ALL; count];
        for (param, extent) in self.params.iter().zip(old) {
            let most = extent.as_int().map_or(i64::MAX, |n| n - 1);
            ranges[param.index()] = Interval::new(0, most).unwrap_or(Interval::ALL);
        }
        let same = Expr::binary(BinOp::Eq, before, after);
        Prover::with_values(&ranges, &none).decide(&same, FUEL) == Some(true)
    }

    fn prove_not_negative(
        &self,
        func: &PrimFunc,
        domains: &[Domain],
        ranges: &[Interval],
        name: &str,
    ) -> Result<(), String> {
        let none = hashbrown::HashMap::new();
        let mut prover = Prover::with_values(ranges, &none);
        for domain in domains {
            let var = Expr::var(domain.var, domain.min.dtype);
            domain.contains(&var).iter().for_each(|bound| prover.assume(bound, true));
        }
        for index in &self.indices {
            let proven = Expr::binary(BinOp::Ge, index.clone(), Expr::int(0, index.dtype));
            if prover.decide(&proven, FUEL) != Some(true) {
                let index = print_expr(func, index);
                return Err(format!("the index `{index}` of `{name}` was not shown to be at least 0"));
            }
        }
        Ok(())
    }

    /// The padding as what the map is not shown to reach; an error if it is not shown to be injective.
    fn unreached(
        &self,
        func: &PrimFunc,
        domains: &[Domain],
        ranges: &[Interval],
        name: &str,
    ) -> Result<Padding, String> {
        let axes: Vec<(VarId, Expr)> = self.axes.iter().copied().zip(self.indices.iter().cloned()).collect();
        let mut ranges = ranges.to_vec();
        ranges.resize(func.vars.len(), Interval::ALL);
        for (axis, extent) in self.axes.iter().zip(&self.shape) {
            let most = extent.as_int().map_or(i64::MAX, |n| n - 1);
            ranges[axis.index()] = Interval::new(0, most).unwrap_or(Interval::ALL);
        }
        let inverse = invert(&Map { axes: &axes, domains, ranges: &ranges, facts: &[] });
        let inverse = inverse
            .ok_or_else(|| format!("two elements of `{name}` were not shown to get different places"))?;
        let reached = inverse.condition();
        Ok(if reached.as_int() == Some(1) { Padding::None } else { Padding::Unreached(reached) })
    }

    /// The new indices of an element with these old ones.
    pub(super) fn apply(&self, indices: &[Expr]) -> Vec<Expr> {
        let wide = indices.iter().chain(&self.indices).any(|e| e.dtype == DType::I64);
        let dtype = if wide { DType::I64 } else { DType::I32 };
        let olds: Vec<Expr> = indices.iter().map(|e| converted(e.clone(), dtype)).collect();
        self.indices.iter().map(|index| self.with(index, &olds, dtype)).collect()
    }

    fn with(&self, e: &Expr, olds: &[Expr], dtype: DType) -> Expr {
        match &e.kind {
            ExprKind::Int(v) => Expr::int(*v, dtype),
            ExprKind::Var(var) => match self.params.iter().position(|param| param == var) {
                Some(k) => olds[k].clone(),
                None => converted(e.clone(), dtype),
            },
            ExprKind::Binary(op, a, b) if e.dtype.is_index() => {
                folded(*op, self.with(a, olds, dtype), self.with(b, olds, dtype))
            }
            _ => {
                let mut e = e.clone();
                e.substitute(&|var| {
                    self.params.iter().position(|&param| param == var).and_then(|k| olds.get(k))
                });
                converted(e, dtype)
            }
        }
    }

    /// That an element with indices [`Self::axes`] is padding; `None` if none is.
    pub(super) fn is_padding(&self) -> Option<Expr> {
        match &self.padding {
            Padding::None => None,
            Padding::Boxes(boxes) => boxes
                .iter()
                .map(|cuboid| cuboid.condition(&self.axes, &self.shape))
                .reduce(|a, b| Expr::binary(BinOp::Or, a, b)),
            Padding::Unreached(reached) => Some(crate::analysis::negation::negated(reached.clone())),
        }
    }
}

fn converted(e: Expr, dtype: DType) -> Expr {
    match e.as_int() {
        _ if e.dtype == dtype => e,
        Some(v) => Expr::int(v, dtype),
        None => Expr::cast(dtype, e),
    }
}

fn plus_one(e: &Expr) -> Expr {
    folded(BinOp::Add, e.clone(), Expr::int(1, e.dtype))
}

/// `[3]` or `[1, 2]`, and `3` for one index.
fn element(at: &[i64]) -> String {
    match at {
        [one] => one.to_string(),
        _ => format!("{at:?}"),
    }
}

/// The scalars that are known where a function begins.
pub(super) fn scalars(func: &PrimFunc) -> BTreeSet<VarId> {
    let mut vars: BTreeSet<VarId> = func
        .params
        .iter()
        .filter_map(|param| match param {
            Param::Var(var) => Some(*var),
            Param::Buffer(_) => None,
        })
        .collect();
    for buffer in param_buffers(func) {
        func.buffer(buffer).shape.iter().for_each(|e| e.walk(&mut |e| vars.extend(e.as_var())));
    }
    vars
}

fn check_index(
    func: &PrimFunc,
    index: &Expr,
    text: &str,
    params: &[VarId],
    scope: &BTreeSet<VarId>,
) -> Result<(), String> {
    if !index.dtype.is_index() || !index.dtype.is_scalar() {
        return Err(format!("the map `{text}` gives a `{}` as an index", index.dtype));
    }
    let mut wrong = None;
    index.walk(&mut |e| match &e.kind {
        ExprKind::Var(var) if !params.contains(var) && !scope.contains(var) => {
            let name = &func.var(*var).name;
            wrong = Some(format!("`{name}` is no parameter of the map `{text}`, nor of the function"));
        }
        ExprKind::Load { .. } => wrong = Some(format!("the map `{text}` reads a buffer")),
        ExprKind::Call(_) if e.has_effect() => {
            wrong = Some(format!("the map `{text}` has an effect"));
        }
        _ => {}
    });
    wrong.map_or(Ok(()), Err)
}

fn domains(func: &PrimFunc, params: &[VarId], shape: &[Expr]) -> (Vec<Domain>, Vec<Interval>) {
    let mut ranges = vec![Interval::ALL; func.vars.len()];
    for buffer in param_buffers(func) {
        for var in func.buffer(buffer).shape.iter().filter_map(Expr::as_var) {
            ranges[var.index()] = Interval::new(0, i64::MAX).unwrap_or(Interval::ALL);
        }
    }
    let domain = |(&var, extent): (&VarId, &Expr)| {
        let dtype = func.var(var).ty.dtype();
        Domain { var, min: Expr::int(0, dtype), extent: converted(extent.clone(), dtype) }
    };
    let domains: Vec<Domain> = params.iter().zip(shape).map(domain).collect();
    for domain in &domains {
        ranges[domain.var.index()] = domain.range();
    }
    (domains, ranges)
}

/// Whether an index has a sum, difference or product that was not shown to fit its type, where the extents are constants. Of
/// sizes it is taken for granted that index arithmetic does not overflow.
fn may_overflow(index: &Expr, domains: &[Domain], ranges: &[Interval]) -> bool {
    let params: Vec<VarId> = domains.iter().map(|domain| domain.var).collect();
    let extents: Option<Vec<i64>> = domains.iter().map(|domain| domain.extent.as_int()).collect();
    let Some(extents) = extents else { return false };
    let mut found = false;
    index.walk(&mut |e| {
        let ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) = &e.kind else { return };
        let Some((least, most)) = e.dtype.int_range() else { return };
        let fits = |v: i128| (least..=most).contains(&v);
        let bounds = range(e, ranges);
        let bounded = [bounds.lo(), bounds.hi()].iter().all(|v| v.is_some_and(|v| fits(v.into())));
        if bounded || e.mentions(|var| !params.contains(&var)) {
            return;
        }
        let fits_at = |element: Vec<i64>| {
            let at: BTreeMap<VarId, i64> = params.iter().copied().zip(element).collect();
            let value = |e: &Expr| evaluate(e, &|var| at.get(&var).map(|&v| Value::Int(v)))?.as_int();
            let (Some(a), Some(b)) = (value(a).map(i128::from), value(b).map(i128::from)) else {
                return false;
            };
            fits(match op {
                BinOp::Add => a + b,
                BinOp::Sub => a - b,
                _ => a * b,
            })
        };
        found |= !Cuboid::whole(&extents).is_some_and(|all| all.elements().all(fits_at));
    });
    found
}

/// An upper bound that is reached where the bounds of the parts are, of an expression that grows with its variables.
fn largest(e: &Expr, params: &[VarId], shape: &[Expr], ranges: &[Interval]) -> Option<Expr> {
    let of = |e: &Expr| largest(e, params, shape, ranges);
    let is_size = |e: &Expr| !mentions(e, params) && range(e, ranges).lo().is_some_and(|least| least >= 0);
    match &e.kind {
        ExprKind::Int(_) => Some(e.clone()),
        ExprKind::Var(var) => match params.iter().position(|param| param == var) {
            Some(k) => {
                Some(folded(BinOp::Sub, converted(shape.get(k)?.clone(), e.dtype), Expr::int(1, e.dtype)))
            }
            None => Some(e.clone()),
        },
        ExprKind::Binary(op @ (BinOp::Add | BinOp::Min | BinOp::Max), a, b) => {
            Some(folded(*op, of(a)?, of(b)?))
        }
        ExprKind::Binary(BinOp::Sub, a, b) if b.as_int().is_some() => {
            Some(folded(BinOp::Sub, of(a)?, (**b).clone()))
        }
        ExprKind::Binary(op @ (BinOp::Mul | BinOp::FloorDiv), a, b) if b.as_int().is_some_and(|c| c > 0) => {
            Some(folded(*op, of(a)?, (**b).clone()))
        }
        ExprKind::Binary(BinOp::Mul, a, b) if a.as_int().is_some_and(|c| c >= 0) => {
            Some(folded(BinOp::Mul, (**a).clone(), of(b)?))
        }
        ExprKind::Cast(a) if e.dtype.is_index() && a.dtype.is_index() => Some(converted(of(a)?, e.dtype)),
        ExprKind::Binary(BinOp::Mul, a, b) if is_size(b) => Some(folded(BinOp::Mul, of(a)?, (**b).clone())),
        ExprKind::Binary(BinOp::Mul, a, b) if is_size(a) => Some(folded(BinOp::Mul, (**a).clone(), of(b)?)),
        // A divisor that is a scalar of the function: the program divides by it only if it is not 0.
        ExprKind::Binary(BinOp::FloorDiv, a, b) if !mentions(b, params) => {
            Some(folded(BinOp::FloorDiv, of(a)?, (**b).clone()))
        }
        ExprKind::Binary(BinOp::FloorMod, _, b) if !mentions(b, params) => {
            Some(folded(BinOp::Sub, (**b).clone(), Expr::int(1, e.dtype)))
        }
        _ => None,
    }
}

/// The buffers that the caller provides.
pub(super) fn param_buffers(func: &PrimFunc) -> impl Iterator<Item = BufferId> + '_ {
    let direct = func.params.iter().filter_map(|param| match param {
        Param::Buffer(buffer) => Some(*buffer),
        Param::Var(_) => None,
    });
    direct.chain(func.matches.iter().map(|&(_, buffer)| buffer))
}
