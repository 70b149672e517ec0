//! The variables of loops as functions of the elements that an access reaches.

use std::collections::BTreeMap;

use super::depend::{Pair, domain_of};
use super::found::Found;
use crate::arith::Interval;
use crate::arith::invert::{Domain, Inverse, Map, invert, mentions};
use crate::arith::linear::Prover;
use crate::ir::{BinOp, BufferId, Expr, ForKind, PrimFunc, Type, VarId};

/// The most variables of loops that indices may have.
const MAX_VARS: usize = 6;

/// The fuel of one proof.
const FUEL: u64 = 200_000;

/// Variables of loops, solved for.
#[derive(Debug)]
pub(super) struct Solved {
    /// Variables for the dimensions of the buffer.
    pub axes: Vec<VarId>,
    pub inverse: Inverse,
    /// The ranges of the axes, and of the loops around.
    pub ranges: Vec<Interval>,
}

/// A loop that loops over axes replace, without a change of order.
pub(super) struct Group {
    pub var: VarId,
    /// The dimensions that it is replaced by.
    pub axes: Vec<usize>,
    /// Where the elements are reached.
    pub condition: Option<Expr>,
}

impl Solved {
    pub(super) fn value(&self, var: VarId) -> Option<&Expr> {
        self.inverse.values.iter().find(|(v, _)| *v == var).map(|(_, value)| value)
    }

    /// The axes that an expression mentions.
    fn axes_in(&self, e: &Expr) -> Vec<usize> {
        (0..self.axes.len()).filter(|&k| mentions(e, &[self.axes[k]])).collect()
    }

    /// For each variable the axes that take its place, if they can stand where its loop stands: they are those of no other
    /// variable, in the order of the loops, and each variable grows with them.
    pub(super) fn groups(&self, func: &PrimFunc, found: &Found) -> Option<Vec<Group>> {
        let mut groups: Vec<Group> = Vec::new();
        let mut next = 0;
        for for_ in &found.loops {
            let Some(value) = self.value(for_.var) else { continue };
            let axes = self.axes_in(value);
            let contiguous = axes.first() == Some(&next) && axes.windows(2).all(|w| w[1] == w[0] + 1);
            let inner: Vec<VarId> =
                found.loops.iter().skip_while(|other| other.var != for_.var).map(|other| other.var).collect();
            if !contiguous || mentions(value, &inner) || !self.grows(func, value, &axes) {
                return None;
            }
            next += axes.len();
            groups.push(Group { var: for_.var, axes, condition: None });
        }
        if next != self.axes.len() || groups.is_empty() {
            return None;
        }
        // Each condition stands where all that it mentions is known.
        for condition in &self.inverse.image {
            let of = self.axes_in(condition);
            let at = groups.iter().rposition(|group| of.iter().any(|k| group.axes.contains(k)))?;
            let inner: Vec<VarId> = found
                .loops
                .iter()
                .skip_while(|for_| for_.var != groups[at].var)
                .map(|for_| for_.var)
                .collect();
            if mentions(condition, &inner) {
                return None;
            }
            let both = |a: Expr| Expr::binary(BinOp::And, a, condition.clone());
            let condition = groups[at].condition.take().map_or_else(|| condition.clone(), both);
            groups[at].condition = Some(condition);
        }
        Some(groups)
    }

    /// Whether a value grows from element to element, in the order of the axes.
    fn grows(&self, func: &PrimFunc, value: &Expr, axes: &[usize]) -> bool {
        let mut pair = Pair::new(func);
        let domains: Vec<Domain> = axes
            .iter()
            .map(|&k| {
                let range = self.ranges[self.axes[k].index()];
                let dtype = value.dtype;
                let extent = range.hi().map_or(i64::from(i32::MAX), |hi| hi.saturating_add(1));
                Domain { var: self.axes[k], min: Expr::int(0, dtype), extent: Expr::int(extent, dtype) }
            })
            .collect();
        let vars: Vec<Expr> = axes.iter().map(|&k| Expr::var(self.axes[k], value.dtype)).collect();
        let others: Vec<Expr> = vars.iter().map(|var| pair.other(var, &domains)).collect();
        let later = pair.other(value, &domains);
        let falls = Expr::binary(BinOp::Ge, value.clone(), later);
        let order = super::depend::before(&vars, &others);
        pair.is_false(&Expr::binary(BinOp::And, order, falls), &domains, &domains)
    }

    /// Whether every iteration reaches an element within the buffer's shape: where this does not hold, iterations would be
    /// lost. `facts` hold in the iterations that do anything.
    pub(super) fn reaches_the_buffer(
        &self,
        func: &PrimFunc,
        found: &Found,
        id: BufferId,
        facts: &[Expr],
    ) -> bool {
        let none = hashbrown::HashMap::new();
        let mut prover = Prover::with_values(&self.ranges, &none);
        for for_ in &found.loops {
            let domain = domain_of(for_, &found.values);
            let var = Expr::var(domain.var, domain.min.dtype);
            domain.contains(&var).iter().for_each(|bound| prover.assume(bound, true));
        }
        facts.iter().for_each(|fact| prover.assume(fact, true));
        found.indices.iter().zip(&func.buffer(id).shape).all(|(index, extent)| {
            if index.dtype != extent.dtype {
                return false;
            }
            let low = Expr::binary(BinOp::Ge, index.clone(), Expr::int(0, index.dtype));
            let high = Expr::binary(BinOp::Lt, index.clone(), extent.clone());
            prover.decide(&low, FUEL) == Some(true) && prover.decide(&high, FUEL) == Some(true)
        })
    }
}

/// Solves an access for as many variables of the loops around it as can be, the outermost first.
pub(super) fn solve(func: &mut PrimFunc, found: &Found, id: BufferId) -> Option<Solved> {
    let vars: Vec<&crate::ir::For> =
        found.loops.iter().filter(|for_| found.indices.iter().any(|e| mentions(e, &[for_.var]))).collect();
    if vars.is_empty() || vars.len() > MAX_VARS {
        return None;
    }
    let solvable = |for_: &crate::ir::For| {
        for_.step.is_none() && matches!(for_.kind, ForKind::Serial | ForKind::Parallel | ForKind::Unrolled)
    };
    let names = axis_names(func, &vars, found.indices.len());
    let axes: Vec<VarId> = names
        .iter()
        .zip(&found.indices)
        .map(|(name, index)| func.new_var(name.as_str(), Type::Prim(index.dtype)))
        .collect();
    let shape = func.buffer(id).shape.clone();
    let mut ranges = vec![Interval::ALL; func.vars.len()];
    for for_ in &found.loops {
        ranges[for_.var.index()] = domain_of(for_, &found.values).range();
    }
    for (axis, extent) in axes.iter().zip(&shape) {
        let most = extent.as_int().map_or(i64::MAX, |n| n - 1);
        ranges[axis.index()] = Interval::new(0, most).unwrap_or(Interval::ALL);
    }
    let pairs: Vec<(VarId, Expr)> = axes.iter().copied().zip(found.indices.iter().cloned()).collect();
    // Subsets by size, and those with outer variables first.
    let mut subsets: Vec<u32> = (1..1_u32 << vars.len()).collect();
    subsets.sort_by_key(|subset| (std::cmp::Reverse(subset.count_ones()), *subset));
    for subset in subsets {
        let chosen: Vec<&&crate::ir::For> =
            vars.iter().enumerate().filter(|(k, _)| subset >> k & 1 == 1).map(|(_, for_)| for_).collect();
        if !chosen.iter().all(|for_| solvable(for_)) {
            continue;
        }
        let domains: Vec<Domain> = chosen.iter().map(|for_| domain_of(for_, &found.values)).collect();
        let map = Map { axes: &pairs, domains: &domains, ranges: &ranges, facts: &[] };
        if let Some(inverse) = invert(&map) {
            return Some(Solved { axes, inverse, ranges });
        }
    }
    None
}

/// Names for axes: of one variable `i` that becomes two, `io` and `ii`.
fn axis_names(func: &PrimFunc, vars: &[&crate::ir::For], rank: usize) -> Vec<String> {
    let name = |for_: &crate::ir::For| func.var(for_.var).name.to_string();
    match (vars, rank) {
        ([one, ..], 2) => vec![format!("{}o", name(one)), format!("{}i", name(one))],
        ([one, other], 4) => [name(one), name(other)]
            .iter()
            .flat_map(|name| [format!("{name}o"), format!("{name}i")])
            .collect(),
        _ => (0..rank).map(|k| format!("i{k}")).collect(),
    }
}

/// The domains of loops.
pub(super) fn domains_of(found: &Found) -> Vec<Domain> {
    found.loops.iter().map(|for_| domain_of(for_, &BTreeMap::new())).collect()
}
