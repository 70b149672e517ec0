//! Conditions of rules: proven from constants, ranges and normal forms.

use super::matcher::Matcher;
use super::matching::Subst;
use crate::arith::Interval;
use crate::egraph::{Graph, Knowing, Op, Poly, in_theory, known_range, poly_of};
use crate::ir::value::{MathFn, int};
use crate::ir::{BinOp, DType};
use crate::rules::{Cond, Pat, RuleOp, TypeRef};
use crate::theory::bound;

impl Matcher<'_> {
    /// Whether a condition is proven.
    pub(super) fn proven(&self, cond: &Cond, subst: &Subst) -> bool {
        let at_least =
            |p: Option<Term>, k: i64| p.and_then(|t| t.minus(k)).is_some_and(|t| t.not_negative(&self.graph));
        let term = |p: &Pat| self.term(p, subst);
        let difference = |a: &Pat, b: &Pat| term(b)?.sub(&term(a)?);
        match cond {
            Cond::Nonzero(a) => term(a).is_some_and(|t| t.nonzero(&self.graph)),
            Cond::Positive(a) => at_least(term(a), 1),
            Cond::Nonnegative(a) => at_least(term(a), 0),
            Cond::Negative(a) => at_least(term(a).and_then(|t| t.neg()), 1),
            Cond::Nonpositive(a) => at_least(term(a).and_then(|t| t.neg()), 0),
            Cond::Lt(a, b) => at_least(difference(a, b), 1),
            Cond::Le(a, b) => at_least(difference(a, b), 0),
            Cond::Eq(a, b) => difference(a, b).is_some_and(|t| t.constant() == Some(0)),
            Cond::Ne(a, b) => difference(a, b).is_some_and(|t| t.nonzero(&self.graph)),
            Cond::Divides(d, a) => match (term(d).and_then(|t| t.constant()), term(a)) {
                (Some(d), Some(a)) if d != 0 => a.divisible_by(d),
                _ => false,
            },
            Cond::Pow2(a) => term(a).and_then(|t| t.constant()).is_some_and(|v| v > 0 && v.count_ones() == 1),
            Cond::Fits(a, ty) => {
                let range = resolve(*ty, subst).and_then(DType::int_range);
                match (range, term(a)) {
                    (Some((lo, hi)), Some(t)) => t.range(&self.graph).is_some_and(|r| {
                        r.lo().is_some_and(|v| i128::from(v) >= lo)
                            && r.hi().is_some_and(|v| i128::from(v) <= hi)
                    }),
                    _ => false,
                }
            }
            Cond::NoWider(a, b) => match (resolve(*a, subst), resolve(*b, subst)) {
                (Some(a), Some(b)) => a.bits <= b.bits,
                _ => false,
            },
            Cond::Const(hole) => subst.holes[*hole].is_some_and(|c| self.constant(c).is_some()),
            Cond::Total(hole) => subst.holes[*hole].is_some_and(|class| {
                self.graph[class].nodes.iter().any(|n| matches!(n.op, Op::Int(_) | Op::Float(_) | Op::Var(_)))
            }),
        }
    }

    /// The value of a condition's term, as a polynomial over classes.
    pub(super) fn term(&self, pat: &Pat, subst: &Subst) -> Option<Term> {
        match pat {
            Pat::Hole(hole) => {
                let class = self.graph.find(subst.holes[*hole]?);
                let dtype = self.graph.facts(class).dtype;
                if !dtype.is_scalar() {
                    return None;
                }
                match self.constant(class) {
                    Some(v) => Some(Term(Poly::constant(v))),
                    None if in_theory(dtype) => Some(Term(Poly::clone(&poly_of(&self.graph, class)))),
                    // Of the value, whatever the operations wrap.
                    None if known_range(dtype) => Some(Term(Poly::atom(class))),
                    None => None,
                }
            }
            Pat::Int(v, _) => Some(Term(Poly::constant(*v))),
            Pat::Bool(v) => Some(Term(Poly::constant(i64::from(*v)))),
            Pat::Op(RuleOp::Bin(op), args) => {
                let [a, b] = &args[..] else { return None };
                let (a, b) = (self.term(a, subst)?, self.term(b, subst)?);
                match op {
                    BinOp::Add => a.0.add(&b.0).map(Term),
                    BinOp::Sub => a.0.sub(&b.0).map(Term),
                    BinOp::Mul => a.0.mul(&b.0).map(Term),
                    _ => {
                        let value = int::index(*op, 64, a.constant()?, b.constant()?).ok()?;
                        Some(Term(Poly::constant(value)))
                    }
                }
            }
            Pat::Op(RuleOp::Math(MathFn::ShiftLeft), args) => {
                let [a, places] = &args[..] else { return None };
                let places = u32::try_from(self.term(places, subst)?.constant()?).ok()?;
                let factor = 1i64.checked_shl(places).filter(|&f| f > 0)?;
                self.term(a, subst)?.0.scale(factor).map(Term)
            }
            Pat::Lanes => Some(Term(Poly::constant(i64::from(subst.lanes)))),
            Pat::Op(..) | Pat::Float(..) | Pat::Cast(..) | Pat::Fold(..) => None,
        }
    }
}

pub(super) fn resolve(ty: TypeRef, subst: &Subst) -> Option<DType> {
    match ty {
        TypeRef::Bool => Some(DType::BOOL),
        TypeRef::Is(dtype) => Some(dtype),
        TypeRef::Var(var) => subst.types[var],
    }
}

/// The value of a condition's term.
pub(super) struct Term(Poly);

impl Term {
    pub(super) fn constant(&self) -> Option<i64> {
        self.0.as_const()
    }

    fn sub(&self, other: &Term) -> Option<Term> {
        self.0.sub(&other.0).map(Term)
    }

    fn neg(&self) -> Option<Term> {
        self.0.scale(-1).map(Term)
    }

    fn minus(&self, k: i64) -> Option<Term> {
        self.0.add(&Poly::constant(k.checked_neg()?)).map(Term)
    }

    fn not_negative(&self, graph: &Graph) -> bool {
        bound(graph, &self.0, 0).at_least(0)
    }

    fn nonzero(&self, graph: &Graph) -> bool {
        !bound(graph, &self.0, 0).contains(0)
    }

    fn divisible_by(&self, d: i64) -> bool {
        self.0.terms().iter().all(|(_, c)| c.checked_rem(d) == Some(0))
    }

    fn range(&self, graph: &Graph) -> Option<Interval> {
        Some(bound(graph, &self.0, 0))
    }
}
