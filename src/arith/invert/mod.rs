//! Index maps backwards: the variables of an index map as functions of the axes that it maps to, and which values of the
//! axes it reaches.
//!
//! Given `a_k = f_k(x)` for variables `x` of known domains, [`invert`] looks for `x = inv(a)`. A candidate comes from
//! elimination on normal forms ([`solve`]); it counts only if the decision procedure shows `inv(f(x)) = x` on the whole
//! domain. Then the image is exact: `a` is reached if and only if `inv(a)` lies in the domain and `f(inv(a)) = a`.
//! [`explore`] finds elements that collide and indices that are negative, for messages.

mod domain;
mod explore;
mod solve;
mod sum;

use hashbrown::HashMap;

pub(crate) use self::domain::Domain;
#[allow(unused_imports, reason = "passes that move data use parts of it")]
pub(crate) use self::explore::{Trouble, trouble};
#[allow(unused_imports, reason = "passes that move data use parts of it")]
pub(crate) use self::solve::{candidates, mentions, range, range_by, residue};
use super::Interval;
use super::linear::Prover;
use crate::ir::{BinOp, Expr, VarId};

/// What an index map is asked: `axes[k].0` is the variable of new axis `k`, `axes[k].1` the index there, an expression of
/// the variables of `domains` and others.
#[derive(Clone, Debug)]
pub(crate) struct Map<'a> {
    /// New axes: variable and index.
    pub axes: &'a [(VarId, Expr)],
    /// The variables to solve for.
    pub domains: &'a [Domain],
    /// Ranges of all variables ([`VarId`] is the index).
    pub ranges: &'a [Interval],
    /// What else holds, besides that the variables lie in their domains. It reads no memory.
    pub facts: &'a [(Expr, bool)],
}

/// An index map backwards.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Inverse {
    /// The variables in the order of the domains, each with its value as an expression of the new axes and other variables.
    pub values: Vec<(VarId, Expr)>,
    /// Together: that an element of the new axes is reached. Those that hold within `shape` are left out.
    pub image: Vec<Expr>,
}

impl Inverse {
    /// The image as one condition.
    pub(crate) fn condition(&self) -> Expr {
        let all = self.image.iter().cloned().reduce(|a, b| Expr::binary(BinOp::And, a, b));
        all.unwrap_or_else(|| Expr::bool(true))
    }
}

/// The fuel of one proof.
const FUEL: u64 = 100_000;

/// The inverse of an index map; `None` if none was found and proven, which does not say that there is none.
///
/// The image leaves out what the range of an axis variable already implies.
pub(crate) fn invert(map: &Map<'_>) -> Option<Inverse> {
    let mut ranges = map.ranges.to_vec();
    for domain in map.domains {
        let at = domain.var.index();
        if ranges.len() <= at {
            ranges.resize(at + 1, Interval::ALL);
        }
        ranges[at] = ranges[at].meet(domain.range()).unwrap_or(ranges[at]);
    }
    let unknowns: Vec<VarId> = map.domains.iter().map(|domain| domain.var).collect();
    let equations: Vec<(Expr, Expr)> =
        map.axes.iter().map(|(axis, value)| (Expr::var(*axis, value.dtype), value.clone())).collect();
    let found = candidates(&equations, &unknowns, &ranges);
    let mut values = Vec::with_capacity(unknowns.len());
    for &var in &unknowns {
        values.push(found.iter().find(|(v, _)| *v == var)?.clone());
    }
    is_left_inverse(map, &ranges, &values).then(|| Inverse { image: image(map, &values), values })
}

/// Whether `inv(f(x)) = x` on the whole domain.
fn is_left_inverse(map: &Map<'_>, ranges: &[Interval], values: &[(VarId, Expr)]) -> bool {
    let no_values = HashMap::new();
    let mut prover = Prover::with_values(ranges, &no_values);
    for (fact, truth) in map.facts {
        prover.assume(fact, *truth);
    }
    for domain in map.domains {
        for bound in domain.contains(&Expr::var(domain.var, domain.min.dtype)) {
            prover.assume(&bound, true);
        }
    }
    values.iter().all(|(var, value)| {
        let mut back = value.clone();
        back.substitute(&|v| map.axes.iter().find(|(axis, _)| *axis == v).map(|(_, index)| index));
        let same = Expr::binary(BinOp::Eq, back.clone(), Expr::var(*var, back.dtype));
        prover.decide(&same, FUEL) == Some(true)
    })
}

/// That `inv(a)` lies in the domain and is mapped to `a`, without what follows from the ranges of the axes.
fn image(map: &Map<'_>, values: &[(VarId, Expr)]) -> Vec<Expr> {
    let value_of = |var: VarId| values.iter().find(|(v, _)| *v == var).map(|(_, value)| value);
    let mut conditions: Vec<Expr> = Vec::new();
    for domain in map.domains {
        conditions.extend(value_of(domain.var).into_iter().flat_map(|value| domain.contains(value)));
    }
    for (axis, index) in map.axes {
        let mut reached = index.clone();
        reached.substitute(&value_of);
        conditions.push(Expr::binary(BinOp::Eq, reached, Expr::var(*axis, index.dtype)));
    }
    // The facts may speak of the variables that are solved for.
    let unknowns: Vec<VarId> = values.iter().map(|(var, _)| *var).collect();
    let no_values = HashMap::new();
    let implied = |conditions: &[Expr], at: usize| {
        let mut prover = Prover::with_values(map.ranges, &no_values);
        for (fact, truth) in map.facts.iter().filter(|(fact, _)| !mentions(fact, &unknowns)) {
            prover.assume(fact, *truth);
        }
        for (other, condition) in conditions.iter().enumerate() {
            if other != at {
                prover.assume(condition, true);
            }
        }
        prover.decide(&conditions[at], FUEL) == Some(true)
    };
    // Those that stand last are dropped first: what is mapped back follows from the domain more often than the reverse.
    for at in (0..conditions.len()).rev() {
        if implied(&conditions, at) {
            conditions.remove(at);
        }
    }
    conditions
}

#[cfg(test)]
mod tests;
