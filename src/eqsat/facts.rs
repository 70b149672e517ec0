//! The class analysis: what is known of the value of every e-class.
//!
//! # Why these facts may be shared by a whole function
//!
//! The e-graph holds equalities between *total* functions of the variables: division by zero is taken to give
//! zero and a remainder by zero its dividend (so that `x % y = x - x // y * y` always), a load any fixed value.
//! A fact about a variable is only used here when, for every value of all other variables, some value of it
//! satisfies the fact: `0 <= i < 16` for a loop of constant extent, `n >= 0` for a dimension. Then an equality
//! between two terms that do not mention `i` holds for all values of their own variables, whatever led to it, and
//! congruence and transitivity are sound without any scope. A fact like `i < n` does not qualify (there is no
//! such `i` when `n` is 0: "n >= 1" would leak out of the loop); such facts belong to the contextual simplifier,
//! which keeps its results to their place. Whether an operation may trap is a question of placement, not of
//! equality, and is decided there.

mod calls;
mod polys;
mod table;

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Instant;

use egg::{Analysis, DidMerge, EClass, EGraph, Id};
use hashbrown::HashSet;
use smallvec::SmallVec;

use super::TheoryLevel;
use super::lang::{Node, Op};
use super::poly::Poly;
use super::samples::SampleValues;
use crate::arith::{Interval, Residue};
use crate::ir::{BinOp, DType};
pub(crate) use calls::{Function, Functions};
pub(crate) use polys::PolyTable;
use table::{FactsTable, Held};

/// The e-graph of a function.
pub(crate) type Graph = EGraph<Node, FactAnalysis>;

/// A class of such a graph.
pub(crate) type Class = EClass<Node, Held>;

/// What is known of a class.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// The type of the value; a union across types is a bug.
    pub dtype: DType,
    /// Where the value lies, for integer and `bool` scalars ([`Interval::ALL`] for others).
    pub interval: Interval,
    /// What the value is modulo something, for integer scalars ([`Residue::ALL`] for others).
    pub residue: Residue,
    /// The normal form, for index scalars.
    pub poly: Option<Arc<Poly>>,
    /// Whether the class holds a variable, a load or a template: its normal form is the class itself.
    pub leaf: bool,
    /// Whether a node of the class is a quotient.
    pub quotient: bool,
    /// Depth of the innermost scope that defines a variable of the cheapest-scoped node.
    pub level: u32,
    /// The value at sample points.
    pub samples: SampleValues,
    /// How often merging has made range or normal form better; see [`MAX_UPDATES`].
    updates: u8,
}

/// What is known of the operands of a node.
pub(super) type Operands<'a> = SmallVec<[&'a Facts; 3]>;

impl Facts {
    /// What is known of the value of a node of the class `id`.
    fn of(graph: &Graph, node: &Node, id: Id) -> Facts {
        let theory = &graph.analysis;
        let dtype = node.dtype;
        let operands: Operands<'_> = node.children.iter().map(|&c| graph.facts(c)).collect();
        let poly = in_theory(dtype)
            .then(|| Arc::new(node_poly(theory, node, &operands).unwrap_or_else(|| Poly::atom(id))));
        Facts {
            dtype,
            interval: node_interval(theory, node, &operands),
            residue: node_residue(node, &operands),
            poly,
            leaf: matches!(node.op, Op::Var(_) | Op::Load(..) | Op::Template(_) | Op::Lane(_) | Op::LaneOf),
            quotient: matches!(node.op, Op::Bin(BinOp::FloorDiv | BinOp::Div)),
            level: node_level(theory, node, &operands),
            samples: SampleValues::of(theory, node, &operands),
            updates: 0,
        }
    }
}

/// A graph with what is known of its classes.
pub(crate) trait Knowing {
    /// What is known of a class.
    fn facts(&self, id: Id) -> &Facts;

    /// Sets what is known of a class, and has it spread.
    fn set_facts(&mut self, id: Id, facts: Facts);
}

impl Knowing for Graph {
    fn facts(&self, id: Id) -> &Facts {
        &self.analysis.facts[self.find(id)]
    }

    fn set_facts(&mut self, id: Id, facts: Facts) {
        let id = self.find(id);
        *self.analysis.facts.get_mut(id) = facts;
        self.set_analysis_data(id, Held::of(id));
    }
}

/// How often the facts of a class may get better by merging. Around a cycle of classes ranges can tighten by one
/// for ever; any of them is right, so the last one is kept.
const MAX_UPDATES: u8 = 24;

/// The state of the analysis: facts about variables, and tables that find classes by their meaning.
#[derive(Default)]
pub(crate) struct FactAnalysis {
    /// How much of it is used.
    pub level: TheoryLevel,
    /// What is known of each class.
    facts: FactsTable,
    /// Range of each variable ([`VarId`](crate::ir::VarId) is the index).
    pub var_ranges: Vec<Interval>,
    /// Depth of the scope that defines each variable.
    pub var_levels: Vec<u32>,
    /// Depth of the scope from which on each memory version is valid.
    pub version_levels: Vec<u32>,
    /// What intrinsics compute.
    pub functions: Functions,
    /// The class of each normal form.
    by_poly: PolyTable,
    /// What the theory has visited: hashes of nodes, with what their steps depend on.
    pub visited: HashSet<u64>,
    /// The normal forms whose bounds their classes have: hashes, with what bounds are made from.
    pub bounded: HashSet<u64>,
    /// Differences that were not proven not to be negative, since the facts got better last.
    pub unproven: RefCell<HashSet<Poly>>,
    /// Polynomials that are not negative, in the place that a graph is about. Always empty in the graph of a whole
    /// function: such facts hold in a scope only.
    pub assumptions: Vec<Poly>,
    /// Polynomials that are not zero, in the place that a graph is about; as the assumptions.
    pub nonzero: Vec<Poly>,
    /// Whether what some class leaves modulo a constant is known at the place; as the assumptions.
    pub knows_rests: bool,
    /// Whether to look for assumptions among what is known to be true.
    pub contextual: bool,
    /// The sample points at which something does not hold that is known: a bit each.
    pub broken_points: u8,
    /// How many terms of normal forms were handled, and the most that may be; unlike time this is the same in every run.
    work: Cell<u64>,
    pub work_limit: Option<u64>,
    /// When growing the graph ends, whatever is left to do.
    pub deadline: Option<Instant>,
    /// Contradictions met (two values of one class): a rule is unsound, or the facts of a place exclude each other. The
    /// result is not used. From the first one on no facts spread: if 0 is 1, every sum has ever more values.
    pub contradictions: usize,
}

impl FactAnalysis {
    /// The class of a normal form, if one is known.
    pub(crate) fn class_of(&self, dtype: DType, poly: &Poly) -> Option<Id> {
        self.by_poly.get(dtype, poly)
    }

    /// Takes note that a normal form of so many terms is looked at: each term is compared with some of the others.
    pub(crate) fn spend(&self, terms: usize) {
        self.spend_on_terms(1 + terms + terms * terms / 4);
    }

    /// Takes note that so many terms are handled.
    pub(crate) fn spend_on_terms(&self, terms: usize) {
        self.work.set(self.work.get().saturating_add(terms as u64));
    }

    /// Whether as many terms were handled as may be.
    pub(crate) fn is_spent(&self) -> bool {
        self.work_limit.is_some_and(|limit| self.work.get() > limit)
    }

    /// Whether the deadline has passed.
    pub(crate) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|end| Instant::now() >= end)
    }

    /// Whether two different values were found equal.
    pub(crate) fn contradicts(&self) -> bool {
        self.contradictions > 0
    }

    /// Sets the classes of normal forms.
    pub(crate) fn set_table(&mut self, table: PolyTable) {
        self.by_poly = table;
    }
}

/// Whether the graph may not grow any more: it has more than `node_limit` nodes, its work or time is spent, or it contradicts
/// itself, so that nothing will be made of it.
pub(crate) fn is_full(graph: &Graph, node_limit: usize) -> bool {
    graph.total_size() > node_limit
        || graph.analysis.is_spent()
        || graph.analysis.is_late()
        || graph.analysis.contradicts()
}

/// The normal form of a class of index type: what is stored, or the class as an atom.
pub(crate) fn poly_of(graph: &Graph, id: Id) -> Arc<Poly> {
    let id = graph.find(id);
    graph.analysis.facts[id].poly.clone().unwrap_or_else(|| Arc::new(Poly::atom(id)))
}

/// Whether the theory of integers applies to the type: a scalar of a type that is taken not to overflow.
pub(crate) fn in_theory(dtype: DType) -> bool {
    dtype.is_index() && dtype.is_scalar()
}

impl Analysis<Node> for FactAnalysis {
    type Data = Held;

    fn make(graph: &mut Graph, node: &Node, id: Id) -> Held {
        let facts = Facts::of(graph, node, id);
        graph.analysis.facts.push(id, facts)
    }

    fn remake(graph: &mut Graph, node: &Node, id: Id) -> Held {
        let facts = Facts::of(graph, node, id);
        graph.analysis.facts.remake(facts)
    }

    fn merge(&mut self, a: &mut Held, b: Held) -> DidMerge {
        let b = self.facts.take(b);
        let contradicts = self.contradicts();
        let a = self.facts.held(*a);
        a.quotient |= b.quotient;
        if contradicts {
            return DidMerge(false, false);
        }
        debug_assert_eq!(a.dtype, b.dtype, "a union across types");
        let mut did = DidMerge(false, false);
        a.updates = a.updates.max(b.updates);
        let settled = a.updates >= MAX_UPDATES;
        match a.interval.meet(b.interval) {
            None => self.contradictions += 1,
            Some(_) if settled => {}
            Some(both) => {
                let better = both != a.interval;
                did.0 |= better;
                did.1 |= both != b.interval;
                a.updates += u8::from(better);
                a.interval = both;
            }
        }
        match a.residue.meet(b.residue) {
            None => self.contradictions += 1,
            Some(_) if settled => {}
            Some(both) => {
                did.0 |= both != a.residue;
                did.1 |= both != b.residue;
                a.updates += u8::from(both != a.residue);
                a.residue = both;
            }
        }
        let leaf = a.leaf || b.leaf;
        if let (Some(p), Some(q)) = (&a.poly, &b.poly) {
            self.contradictions += usize::from(p.as_const().zip(q.as_const()).is_some_and(|(x, y)| x != y));
            if p == q || settled && p.as_const().is_none() && q.as_const().is_none() {
            } else if prefer(q, b.leaf, p, a.leaf) {
                a.poly = b.poly;
                a.updates = a.updates.saturating_add(1);
                did.0 = true;
            } else {
                did.1 = true;
            }
        }
        did.0 |= leaf != a.leaf;
        did.1 |= leaf != b.leaf;
        a.leaf = leaf;
        self.broken_points |= a.samples.merge(b.samples);
        let level = a.level.min(b.level);
        did.0 |= level != a.level;
        did.1 |= level != b.level;
        a.level = level;
        did
    }

    fn modify(graph: &mut Graph, id: Id) {
        if graph.analysis.contradicts() {
            return;
        }
        let id = graph.find(id);
        let data = graph.facts(id);
        let dtype = data.dtype;
        let constant = match &data.poly {
            Some(poly) => poly.as_const(),
            None => None,
        };
        let by_range =
            || data.interval.as_point().or((data.residue.modulus() == 0).then(|| data.residue.rest()));
        let concludes = graph.analysis.level == TheoryLevel::Full;
        let value = constant.or_else(|| by_range().filter(|_| concludes && known_range(dtype)));
        if let Some(value) = value {
            let constant = graph.add(Node::int(value, dtype));
            if graph.find(constant) != id {
                graph.union(id, constant);
            }
        }
        let id = graph.find(id);
        let FactAnalysis { facts, by_poly, .. } = &mut graph.analysis;
        let first = facts[id].poly.as_ref().map(|poly| by_poly.get_or_insert(dtype, poly, id));
        if let Some(other) = first.filter(|&other| other != id) {
            graph.union(id, other);
        }
    }
}

/// Whether `p` is the better normal form: constants first, then the atom of a leaf, then proper sums over plain
/// atoms (they are expressed in smaller atoms), then the smaller one.
fn prefer(p: &Poly, p_leaf: bool, q: &Poly, q_leaf: bool) -> bool {
    let rank = |poly: &Poly, leaf: bool| {
        if poly.as_const().is_some() {
            0
        } else if leaf && poly.as_atom().is_some() {
            1
        } else if poly.as_atom().is_none() {
            2
        } else {
            3
        }
    };
    let key = |poly: &Poly, leaf: bool| (rank(poly, leaf), poly.complexity());
    match key(p, p_leaf).cmp(&key(q, q_leaf)) {
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Greater => false,
        std::cmp::Ordering::Equal => p.terms() < q.terms(),
    }
}

/// Whether ranges of the type's values are tracked: those of scalars of integer types and `bool`. An interval without an
/// upper end holds the values of `uint64` beyond 63 bits as well.
pub(super) fn known_range(dtype: DType) -> bool {
    dtype.is_scalar() && (dtype.is_bool() || dtype.is_int() || dtype.is_uint())
}

/// Every value of a type with a known range; of an index type, whose operations do not wrap, all integers.
fn values_of(dtype: DType) -> Interval {
    if dtype.is_index() { Interval::ALL } else { values_of_type(dtype) }
}

/// Every value that a variable of a type with a known range can have.
fn values_of_type(dtype: DType) -> Interval {
    dtype.int_range().and_then(|(lo, hi)| Interval::between(Some(lo), Some(hi))).unwrap_or(Interval::ALL)
}

fn node_level(theory: &FactAnalysis, node: &Node, operands: &[&Facts]) -> u32 {
    let own = match node.op {
        Op::Var(v) => theory.var_levels.get(v.index()).copied().unwrap_or(0),
        Op::Load(_, version) => theory.version_levels.get(version as usize).copied().unwrap_or(0),
        _ => 0,
    };
    operands.iter().map(|operand| operand.level).fold(own, u32::max)
}

fn node_poly(theory: &FactAnalysis, node: &Node, operands: &[&Facts]) -> Option<Poly> {
    match node.op {
        Op::Int(v) if v.get() == i64::MIN => None,
        Op::Int(v) => Some(Poly::constant(v.get())),
        Op::Bin(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul)) if theory.level >= TheoryLevel::Linear => {
            let (a, b) = (operands[0].poly.as_ref()?, operands[1].poly.as_ref()?);
            match op {
                BinOp::Add => a.add(b),
                BinOp::Sub => a.sub(b),
                _ => a.mul(b),
            }
        }
        _ => None,
    }
}

fn node_interval(theory: &FactAnalysis, node: &Node, operands: &Operands<'_>) -> Interval {
    if !known_range(node.dtype) {
        return Interval::ALL;
    }
    let unknown = if node.dtype.is_bool() { Interval::BOOL } else { values_of(node.dtype) };
    let of = |i: usize| operands[i].interval;
    let operand = operands.first().map(|operand| operand.dtype);
    match node.op {
        Op::Int(v) => int_interval(v.get(), node.dtype),
        Op::Var(v) => {
            let values = values_of_type(node.dtype);
            theory.var_ranges.get(v.index()).and_then(|r| r.meet(values)).unwrap_or(values)
        }
        Op::Bin(op) if operand.is_some_and(known_range) => {
            // A result that leaves a type that wraps can be anything.
            let result = binary_interval(op, of(0), of(1)).unwrap_or(unknown);
            let may_wrap = matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul) && !node.dtype.is_index();
            let ends = !may_wrap || result.lo().is_some() && result.hi().is_some();
            if ends && result.meet(unknown) == Some(result) { result } else { unknown }
        }
        Op::Lane(lanes) => {
            Interval::new(0, i64::from(lanes.max(1)) - 1).and_then(|r| r.meet(unknown)).unwrap_or(unknown)
        }
        Op::Not => Interval::point(1).sub(of(0)),
        Op::Likely => of(0),
        Op::Select | Op::IfThenElse => match of(0).as_point() {
            Some(0) => of(2),
            Some(_) => of(1),
            None => of(1).join(of(2)),
        },
        Op::Cast => cast_interval(operand, of(0), node.dtype).unwrap_or(unknown),
        Op::Call(callee) => {
            let function = theory.functions.get(callee);
            function.and_then(|f| f.interval(node.dtype, operands)).unwrap_or(unknown)
        }
        _ => unknown,
    }
}

/// The range of a constant; those of the upper half of `uint64` are kept as the negative numbers of the same bits.
fn int_interval(v: i64, dtype: DType) -> Interval {
    let wide = if v < 0 && dtype.is_uint() { i128::from(v.cast_unsigned()) } else { i128::from(v) };
    Interval::between(Some(wide), Some(wide)).unwrap_or(Interval::ALL)
}

fn node_residue(node: &Node, operands: &[&Facts]) -> Residue {
    if !known_range(node.dtype) || node.dtype.is_bool() {
        return Residue::ALL;
    }
    let of = |i: usize| operands[i].residue;
    let divisor = || operands[1].interval.as_point().filter(|&c| c > 0);
    let wrapped = |r: Residue| if node.dtype.is_index() { r } else { r.wrap(u32::from(node.dtype.bits)) };
    match node.op {
        Op::Int(v) if v.get() < 0 && node.dtype.is_uint() => Residue::point(v.get()).wrap(64),
        Op::Int(v) => Residue::point(v.get()),
        Op::Bin(BinOp::Add) => wrapped(of(0).add(of(1))),
        Op::Bin(BinOp::Sub) => wrapped(of(0).sub(of(1))),
        Op::Bin(BinOp::Mul) => wrapped(of(0).mul(of(1))),
        Op::Bin(BinOp::FloorDiv) => divisor().map_or(Residue::ALL, |c| of(0).floordiv_const(c)),
        Op::Bin(BinOp::FloorMod) => divisor().map_or(Residue::ALL, |c| of(0).floormod_const(c)),
        Op::Bin(BinOp::Min | BinOp::Max) => of(0).join(of(1)),
        Op::Select | Op::IfThenElse => of(1).join(of(2)),
        Op::Likely => of(0),
        Op::Cast if operands[0].dtype.is_integral() => of(0).wrap(u32::from(node.dtype.bits)),
        _ => Residue::ALL,
    }
}

/// The range of a conversion: kept when every value fits.
fn cast_interval(from: Option<DType>, range: Interval, to: DType) -> Option<Interval> {
    let from = from.filter(|d| known_range(*d))?;
    let _ = from;
    let (lo, hi) = to.int_range()?;
    let fits = |v: Option<i64>| v.is_some_and(|v| lo <= i128::from(v) && i128::from(v) <= hi);
    (fits(range.lo()) && fits(range.hi())).then_some(range)
}

/// The range of a binary operation on two ranges; `None` if nothing is known.
fn binary_interval(op: BinOp, a: Interval, b: Interval) -> Option<Interval> {
    let truth = |yes: bool, no: bool| match (yes, no) {
        (true, _) => Interval::point(1),
        (_, true) => Interval::point(0),
        _ => Interval::BOOL,
    };
    let below = |a: Interval, b: Interval| a.hi().zip(b.lo()).is_some_and(|(x, y)| x < y);
    let not_above = |a: Interval, b: Interval| a.hi().zip(b.lo()).is_some_and(|(x, y)| x <= y);
    let apart = below(a, b) || below(b, a);
    let same = a.as_point().is_some() && a.as_point() == b.as_point();
    Some(match op {
        BinOp::Add => a.add(b),
        BinOp::Sub => a.sub(b),
        BinOp::Mul => a.mul(b),
        BinOp::FloorDiv => return a.floordiv(b),
        BinOp::FloorMod => return a.floormod(b),
        BinOp::Div => return a.truncdiv(b),
        BinOp::Mod => return a.truncmod(b),
        BinOp::Min => a.min(b),
        BinOp::Max => a.max(b),
        BinOp::Eq => truth(same, apart),
        BinOp::Ne => truth(apart, same),
        BinOp::Lt => truth(below(a, b), not_above(b, a)),
        BinOp::Le => truth(not_above(a, b), below(b, a)),
        BinOp::Gt => truth(below(b, a), not_above(a, b)),
        BinOp::Ge => truth(not_above(b, a), below(a, b)),
        BinOp::And => truth(a.at_least(1) && b.at_least(1), a.at_most(0) || b.at_most(0)),
        BinOp::Or => truth(a.at_least(1) || b.at_least(1), a.at_most(0) && b.at_most(0)),
    })
}

/// Unites the class of a commutative operation with the one on swapped operands, if there is one.
pub(crate) fn unite_commuted(graph: &mut Graph, op: BinOp, dtype: DType, a: Id, b: Id, id: Id) -> bool {
    match graph.lookup(Node::bin(op, dtype, b, a)) {
        Some(other) if graph.find(other) != graph.find(id) => graph.union(id, other),
        _ => false,
    }
}

/// The variable's level and range are set for the ids up to `vars`. `level`: how much of the theory is used.
pub(crate) fn theory_for(vars: usize, level: TheoryLevel) -> FactAnalysis {
    FactAnalysis {
        level,
        var_ranges: vec![Interval::ALL; vars],
        var_levels: vec![0; vars],
        ..FactAnalysis::default()
    }
}
