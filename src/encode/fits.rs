//! Which classes have values that fit their type wherever they can be computed.
//!
//! The classes of index arithmetic stand for integers without bounds. What the input computes is taken to fit its type; what
//! a result computes anew must be shown to: by its range, by a leaf of the class (a variable always holds a value of its
//! type), or by the sizes that bound it ([`Magnitudes`]). For all others extraction asks for evidence that the input
//! computes the same value ([`Trap::Overflow`](super::lowered::Trap)).

use std::cell::OnceCell;

use egg::Id;
use hashbrown::HashMap;

use crate::analysis::magnitude::{Magnitude, Magnitudes, of_type};
use crate::arith::Interval;
use crate::egraph::{Class, Facts, Graph, Knowing, Node, Op, Poly, in_theory, poly_of};
use crate::ir::{BinOp, DType};
use crate::theory::quotient_of;

/// Passes over the classes without a range; each lets bounds flow over one more chain of late classes.
const MAX_PASSES: usize = 4;

/// How many quotients inside of a divisor are looked into.
const MAX_DEPTH: u32 = 4;

/// Which classes fit, found when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct Fits(OnceCell<Vec<bool>>);

impl Fits {
    /// Whether the values of a class fit its type.
    pub(crate) fn contains(&self, graph: &Graph, magnitudes: &Magnitudes, id: Id) -> bool {
        if magnitudes.is_unbounded() {
            return true;
        }
        let fits = self.0.get_or_init(|| find(graph, magnitudes));
        // Classes that came later have not been looked at.
        fits.get(usize::from(graph.find(id))).copied().unwrap_or(false)
    }
}

/// Whether arithmetic of the type is taken not to overflow.
pub(crate) fn may_overflow(dtype: DType) -> bool {
    dtype.is_index()
}

/// Whether the range shows that all values are of the type.
pub(crate) fn in_type(range: Interval, dtype: DType) -> bool {
    let Some((least, most)) = dtype.int_range() else { return false };
    let inside = |v: Option<i64>| v.is_some_and(|v| (least..=most).contains(&i128::from(v)));
    inside(range.lo()) && inside(range.hi())
}

/// Whether the range of a class says more of it than sizes could.
fn is_narrow(facts: &Facts) -> bool {
    let most = 1_i64 << (u32::from(facts.dtype.bits).clamp(16, 64) - 12);
    facts.interval.at_least(-most) && facts.interval.at_most(most)
}

fn find(graph: &Graph, magnitudes: &Magnitudes) -> Vec<bool> {
    let mut fits = vec![false; graph.nodes().len()];
    // Classes of which the range says little, in a fixed order.
    let mut open: Vec<&Class> = Vec::new();
    let mut any_left = false;
    for class in graph.classes() {
        let facts = graph.facts(class.id);
        if !may_overflow(facts.dtype) {
            continue;
        }
        let fit =
            in_type(facts.interval, facts.dtype) || class.nodes.iter().any(|n| matches!(n.op, Op::Var(_)));
        fits[usize::from(class.id)] = fit;
        any_left |= !fit;
        if !is_narrow(facts) {
            open.push(class);
        }
    }
    if !any_left {
        return fits;
    }
    open.sort_unstable_by_key(|class| class.id);
    let mut bounds = Bounds { graph, magnitudes, found: HashMap::with_capacity(open.len()) };
    let mut looked_at = vec![0; open.len()];
    let mut step = 0;
    for _ in 0..MAX_PASSES {
        let mut changed = false;
        for (class, looked_at) in open.iter().zip(&mut looked_at) {
            let fit = &mut fits[usize::from(class.id)];
            if *fit && bounds.found.contains_key(&class.id) {
                continue;
            }
            let before = *looked_at;
            step += 1;
            *looked_at = step;
            let dtype = graph.facts(class.id).dtype;
            for node in &class.nodes {
                if before > 0 && !bounds.any_since(before, node) {
                    continue;
                }
                let Some(bound) = bounds.of_node(node) else { continue };
                let better = magnitudes.fits(&bound, dtype);
                if better || !bounds.found.contains_key(&class.id) {
                    changed = true;
                    bounds.found.insert(class.id, (bound, step));
                }
                if better {
                    *fit = true;
                    break;
                }
            }
        }
        if !changed {
            break;
        }
    }
    fits
}

/// The bounds of classes, as far as they are known.
struct Bounds<'a> {
    graph: &'a Graph,
    magnitudes: &'a Magnitudes,
    /// With the step in which each was found.
    found: HashMap<Id, (Magnitude, u32)>,
}

impl Bounds<'_> {
    /// Whether a bound of an operand was found in the step or later: else the node has the bound that it had then.
    fn any_since(&self, step: u32, node: &Node) -> bool {
        let found_at = |&id: &Id| self.found.get(&self.graph.find(id)).map(|&(_, at)| at);
        node.children.iter().filter_map(found_at).any(|at| at >= step)
    }

    fn of(&self, id: Id) -> Option<Magnitude> {
        let id = self.graph.find(id);
        if let Some((bound, _)) = self.found.get(&id) {
            return Some(bound.clone());
        }
        let facts = self.graph.facts(id);
        match (facts.interval.lo(), facts.interval.hi()) {
            (Some(lo), Some(hi)) if facts.dtype.is_integral() && facts.dtype.is_scalar() => {
                Some(Magnitude::constant((lo as f64).abs().max((hi as f64).abs())))
            }
            // A sum or product of other classes is of its type only where it is computed.
            _ if self.graph[id].nodes.iter().any(|node| self.is_of_its_type(node)) => of_type(facts.dtype),
            _ => None,
        }
    }

    /// Whether what the node gives is a value of its type wherever the class stands for an integer.
    fn is_of_its_type(&self, node: &Node) -> bool {
        match node.op {
            Op::Var(_) | Op::Load(..) | Op::Call(_) | Op::Template(_) => true,
            Op::Cast => !self.graph.facts(node.children[0]).dtype.is_integral(),
            _ => false,
        }
    }

    fn is_zero(&self, id: Id) -> bool {
        self.graph.facts(id).interval.as_point() == Some(0)
    }

    /// One term of sizes that the absolute value of a class is not less than, where it is not 0.
    fn at_least(&self, id: Id, depth: u32) -> Option<Magnitude> {
        if !in_theory(self.graph.facts(id).dtype) {
            return None;
        }
        self.sum_at_least(&poly_of(self.graph, id), depth)
    }

    fn sum_at_least(&self, sum: &Poly, depth: u32) -> Option<Magnitude> {
        let deeper = depth.checked_sub(1)?;
        let variable = sum.without_const();
        if variable.terms().is_empty() {
            let value = (sum.const_term() as f64).abs();
            return (value > 0.0).then(|| Magnitude::constant(value));
        }
        let ((monomial, factor), offset) = (variable.as_term()?, sum.const_term());
        if let (&[atom], 1) = (&monomial[..], factor)
            && let Some((numerator, divisor)) = quotient_of(self.graph, atom)
        {
            // x // d + k is at least (x - d + 1 + k * d) / d.
            let above = offset.checked_sub(1)?.checked_mul(divisor)?.checked_add(1)?;
            let rest = numerator.const_term().checked_add(above)?;
            let least = self.sum_at_least(&numerator.without_const(), deeper)?;
            return if rest >= 0 { least.times(1.0 / divisor as f64) } else { None };
        }
        // c * x - k is at least (c - k) * x, for what is at least 1.
        let factor = factor.checked_add(offset.min(0)).filter(|&factor| factor > 0)?;
        let atom = |&atom: &Id| {
            let mut nodes = self.graph[self.graph.find(atom)].nodes.iter();
            let var = nodes.find_map(|n| if let Op::Var(v) = n.op { Some(v) } else { None });
            match var {
                Some(var) => self.magnitudes.size(var),
                None => self.at_least(atom, deeper),
            }
        };
        monomial.iter().map(atom).try_fold(Magnitude::constant(factor as f64), |all, of| all.mul(&of?))
    }

    fn of_node(&self, node: &Node) -> Option<Magnitude> {
        let operand = |i: usize| self.of(node.children[i]);
        match node.op {
            Op::Int(v) => Some(Magnitude::constant((v.get() as f64).abs())),
            Op::Var(v) => self.magnitudes.of_var(v).cloned(),
            Op::Bin(op) => match op {
                BinOp::Add | BinOp::Sub => operand(0)?.add(&operand(1)?),
                BinOp::Mul => operand(0)?.mul(&operand(1)?),
                BinOp::FloorDiv | BinOp::Div => match self.at_least(node.children[1], MAX_DEPTH) {
                    Some(divisor) => {
                        let negative = !self.graph.facts(node.children[0]).interval.at_least(0);
                        operand(0)?.div(&divisor, negative && op == BinOp::FloorDiv)
                    }
                    None => operand(0),
                },
                // By 0 the dividend is left, in the reading in which classes are equal. Where it is not known that the
                // divisor is 0, whatever is equal to the remainder divides too, and is not evaluated for 0.
                BinOp::FloorMod | BinOp::Mod if self.is_zero(node.children[1]) => operand(0),
                BinOp::FloorMod | BinOp::Mod => operand(1),
                BinOp::Min | BinOp::Max => operand(0)?.either(&operand(1)?),
                _ => None,
            },
            Op::Select | Op::IfThenElse => operand(1)?.either(&operand(2)?),
            Op::Cast if self.graph.facts(node.children[0]).dtype.is_integral() => operand(0),
            Op::Broadcast | Op::Likely => operand(0),
            Op::Ramp => {
                let steps = Magnitude::constant(f64::from(node.dtype.lanes));
                operand(0)?.add(&operand(1)?.mul(&steps)?)
            }
            _ => None,
        }
    }
}
