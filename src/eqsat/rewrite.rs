//! Rewrite rules on the e-graph: where they are tried, conditions, and building of right sides.
//!
//! Rules come from files ([`rules`](crate::rules)). What the theory decides needs no rule, so a pattern is matched
//! modulo what the theory has put into the classes, and operands of `+`, `*`, `==`, `!=` and integer `min`/`max` are
//! tried in both orders. A condition holds only if it is proven from constants, ranges and normal forms (what takes a
//! search is the theory's task). Rules that grow terms without bound (`expensive`) are stopped by the limits on nodes;
//! whether what a rule makes may trap (`may-trap`) is asked where it is placed, as of every node.

use std::time::Instant;

use egg::Id;

use super::TheoryLevel;
use super::classes::Classes;
use super::facts::{Graph, Knowing, in_theory, is_full, known_range, poly_of};
use super::lang::{Node, Op};
use super::lower::Callees;
use super::matching::{Match, Subst};
use super::poly::Poly;
use super::rebuild::rebuild_if_changed;
use super::rule_index::IndexedRule;
pub use super::rule_index::Rewrites;
use super::theory::{basic::has_constant, bound, logic, unite};
use crate::arith::Interval;
use crate::ir::{BinOp, DType};
use crate::rules::{Cond, Head, Heads, Pat, Rule, RuleOp, TypeRef};

/// The most matches of one rule that are applied in one round.
const MATCH_LIMIT: usize = 20_000;

/// Applies every rule once wherever it matches. Returns the number of classes united.
pub(crate) fn apply(
    graph: &mut Graph,
    callees: &mut Callees,
    rewrites: &Rewrites,
    node_limit: usize,
) -> usize {
    let classes: Vec<Id> = graph.classes().map(|c| c.id).collect();
    apply_to(&classes, Heads::ALL, graph, callees, rewrites, node_limit)
}

/// As [`apply`], to some classes and all that they need only, those rules that match one of the given operators.
pub(crate) fn apply_to(
    classes: &[Id],
    one_of: Heads,
    graph: &mut Graph,
    callees: &mut Callees,
    rewrites: &Rewrites,
    node_limit: usize,
) -> usize {
    let level = graph.analysis.level;
    let mut found: Vec<(Id, &IndexedRule, Built)> = Vec::new();
    {
        let matcher = Matcher::new(graph, callees);
        let mut heads = Heads::EMPTY;
        classes.iter().for_each(|&class| heads.insert_all(matcher.summary(class).heads));
        let applicable = rewrites.applicable(heads, one_of);
        let mut counts = vec![0; rewrites.rules()];
        let mut classes = classes.to_vec();
        classes.sort_unstable();
        let mut matches = Vec::new();
        for class in classes {
            if graph.analysis.is_late() {
                break;
            }
            // A constant has no better form.
            let class = &matcher.graph[class];
            let is_constant = match level {
                TheoryLevel::Full => matcher.graph.facts(class.id).interval.as_point().is_some(),
                TheoryLevel::None | TheoryLevel::Linear => has_constant(class),
            };
            if is_constant {
                continue;
            }
            for node in &class.nodes {
                let Some(head) = matcher.head(node) else { continue };
                for &prepared in &applicable[head.index()] {
                    let count = &mut counts[prepared.number];
                    if *count < MATCH_LIMIT {
                        let start = rewrites.observer().map(|_| Instant::now());
                        let new = matcher.apply(prepared, class.id, node, &mut matches);
                        *count += new;
                        if let (Some(observer), Some(start)) = (rewrites.observer(), start) {
                            observer.matched(prepared.index, matches.len(), start.elapsed());
                        }
                        if new > 0 {
                            found.extend(matches.drain(..).map(|(class, built)| (class, prepared, built)));
                        }
                    }
                }
            }
        }
    }
    let mut united = 0;
    for (class, prepared, built) in found {
        if is_full(graph, node_limit) {
            break;
        }
        let id = add(graph, callees, &built);
        if unite(graph, class, id) {
            united += 1;
            if let Some(observer) = rewrites.observer() {
                observer.united(prepared.index);
            }
        }
    }
    rebuild_if_changed(graph);
    united
}

/// Whether the operands may be matched in either order.
fn commutes(op: RuleOp, dtype: DType) -> bool {
    match op {
        RuleOp::Bin(BinOp::Add | BinOp::Mul | BinOp::Eq | BinOp::Ne) => true,
        RuleOp::Bin(BinOp::Min | BinOp::Max) => !dtype.is_float(),
        _ => false,
    }
}

/// Whether the left operand decides if the right one is evaluated.
fn guards(op: RuleOp) -> bool {
    matches!(op, RuleOp::Bin(BinOp::And | BinOp::Or))
}

/// A right side with its holes filled, not yet in the graph.
enum Built {
    Class(Id),
    Node(BuiltOp, DType, Vec<Built>),
}

enum BuiltOp {
    Op(Op),
    Call(&'static str),
}

/// What most patterns fail by.
#[derive(Clone)]
struct Summary {
    /// What the nodes of the class have at their roots.
    heads: Heads,
    /// The value of a constant class; none for what `i64` cannot hold, the upper half of `uint64`, whose constants are
    /// kept as two's complement bits.
    constant: Option<i64>,
}

pub(super) struct Matcher<'a> {
    pub(super) graph: Classes<'a>,
    callees: &'a Callees,
    /// Whether rules have to say what commutes, and every way in which they match counts.
    pub(super) plain: bool,
    /// Of each class, by its id.
    summaries: Vec<Summary>,
}

impl<'a> Matcher<'a> {
    fn new(graph: &'a Graph, callees: &'a Callees) -> Matcher<'a> {
        let size = graph.classes().map(|c| usize::from(c.id) + 1).max().unwrap_or(0);
        let none = Summary { heads: Heads::EMPTY, constant: None };
        let mut matcher = Matcher {
            graph: Classes::new(graph),
            callees,
            plain: graph.analysis.level == TheoryLevel::None,
            summaries: vec![none; size],
        };
        for class in graph.classes() {
            let mut heads = Heads::EMPTY;
            class.nodes.iter().filter_map(|n| matcher.head(n)).for_each(|head| heads.insert(head));
            let constant = class.nodes.iter().find_map(|n| match n.op {
                Op::Int(v) if v.get() >= 0 || !n.dtype.is_uint() => Some(v.get()),
                _ => None,
            });
            matcher.summaries[usize::from(class.id)] = Summary { heads, constant };
        }
        matcher
    }

    fn summary(&self, class: Id) -> &Summary {
        &self.summaries[usize::from(self.graph.find(class))]
    }

    /// What a pattern that matches this node has at its root.
    fn head(&self, node: &Node) -> Option<Head> {
        if node.op == Op::Cast { Some(Head::CAST) } else { self.rule_op(node).map(Head::of) }
    }

    pub(super) fn rule_op(&self, node: &Node) -> Option<RuleOp> {
        Some(match &node.op {
            Op::Bin(op) => RuleOp::Bin(*op),
            Op::Not => RuleOp::Not,
            Op::Select => RuleOp::Select,
            Op::IfThenElse => RuleOp::IfThenElse,
            Op::Likely => RuleOp::Likely,
            Op::Ramp => RuleOp::Ramp,
            Op::Broadcast => RuleOp::Broadcast,
            Op::Call(callee) => call_op(self.callees.name(*callee)?)?,
            Op::Int(_)
            | Op::Float(_)
            | Op::Var(_)
            | Op::Cast
            | Op::Load(..)
            | Op::Lanes
            | Op::Lane(_)
            | Op::LaneOf
            | Op::Template(_) => return None,
        })
    }

    /// Tries one rule at one node; returns how many matches went into `found`.
    fn apply(&self, prepared: &IndexedRule, class: Id, node: &Node, found: &mut Vec<(Id, Built)>) -> usize {
        let lanes = node.dtype.lanes;
        let rule = &prepared.rule;
        if lanes != 1 && prepared.constants && !rule.vector {
            return 0;
        }
        if !Match::is_possible(self, rule, prepared.from(), node) {
            return 0;
        }
        let mut count = 0;
        for subst in Match::all(self, rule, prepared.from(), node) {
            if rule.conds.iter().all(|c| self.proven(c, &subst))
                && let Some(built) = self.fill(prepared.to(), &subst, lanes)
                && !matches!(built, Built::Class(id) if self.graph.find(id) == self.graph.find(class))
            {
                found.push((class, built));
                count += 1;
            }
        }
        count
    }

    /// Whether the operands may be taken in either order; of `and` and `or` if neither can trap, since the left one
    /// may guard the right one.
    pub(super) fn commutes(&self, op: RuleOp, node: &Node) -> bool {
        match op {
            _ if self.plain => false,
            op if guards(op) => node.children.iter().all(|&c| logic::can_be_total(&self.graph, c)),
            op => commutes(op, node.dtype),
        }
    }

    /// Whether a class may match as far as operators at the root and constants tell.
    pub(super) fn may_match(&self, rule: &Rule, pat: &Pat, class: Id) -> bool {
        match pat {
            Pat::Hole(hole) => !rule.holes[*hole].constant || self.constant(class).is_some(),
            Pat::Int(value, _) => self.constant(class) == Some(*value),
            Pat::Bool(value) => self.constant(class) == Some(i64::from(*value)),
            Pat::Op(..) | Pat::Cast(..) => {
                Head::of_pattern(pat).is_some_and(|head| self.summary(class).heads.contains(head))
            }
            Pat::Float(..) => true,
            Pat::Fold(..) | Pat::Lanes => false,
        }
    }

    /// The value of a constant class; see [`Summary::constant`].
    pub(super) fn constant(&self, class: Id) -> Option<i64> {
        self.summary(class).constant
    }

    /// Whether a condition is proven.
    fn proven(&self, cond: &Cond, subst: &Subst) -> bool {
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
    fn term(&self, pat: &Pat, subst: &Subst) -> Option<Term> {
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
                    _ => Some(Term(Poly::constant(fold(*op, a.constant()?, b.constant()?)?))),
                }
            }
            Pat::Op(RuleOp::ShiftLeft, args) => {
                let [a, places] = &args[..] else { return None };
                let places = u32::try_from(self.term(places, subst)?.constant()?).ok()?;
                let factor = 1i64.checked_shl(places).filter(|&f| f > 0)?;
                self.term(a, subst)?.0.scale(factor).map(Term)
            }
            Pat::Lanes => Some(Term(Poly::constant(i64::from(subst.lanes)))),
            Pat::Op(..) | Pat::Float(..) | Pat::Cast(..) | Pat::Fold(..) => None,
        }
    }

    /// A right side with its holes filled, for this number of lanes; `None` if a constant cannot be computed.
    fn fill(&self, pat: &Pat, subst: &Subst, lanes: u16) -> Option<Built> {
        // In a vector a constant is repeated in all lanes.
        let repeated = |op: Op, dtype: DType| {
            let scalar = Built::Node(BuiltOp::Op(op), dtype, Vec::new());
            match lanes {
                1 => scalar,
                _ => Built::Node(BuiltOp::Op(Op::Broadcast), dtype.with_lanes(lanes), vec![scalar]),
            }
        };
        let constant = |v: i64, dtype: DType| {
            let fits = dtype.int_range().is_some_and(|(lo, hi)| lo <= i128::from(v) && i128::from(v) <= hi);
            fits.then(|| repeated(Op::int(v), dtype))
        };
        match pat {
            Pat::Hole(hole) => subst.holes[*hole].map(Built::Class),
            Pat::Int(v, ty) => constant(*v, resolve(*ty, subst)?),
            Pat::Bool(v) => constant(i64::from(*v), DType::BOOL),
            Pat::Float(bits, ty) => Some(repeated(Op::float(*bits), resolve(*ty, subst)?)),
            Pat::Fold(term, ty) => {
                let dtype = resolve(*ty, subst)?;
                constant(self.term(term, subst)?.constant()?, dtype)
            }
            Pat::Cast(ty, arg) => {
                let arg = self.fill(arg, subst, lanes)?;
                let dtype = resolve(*ty, subst)?.with_lanes(lanes);
                Some(Built::Node(BuiltOp::Op(Op::Cast), dtype, vec![arg]))
            }
            Pat::Op(op, args) => {
                let inner = if matches!(op, RuleOp::Ramp | RuleOp::Broadcast) { 1 } else { lanes };
                let args: Vec<Built> =
                    args.iter().map(|a| self.fill(a, subst, inner)).collect::<Option<_>>()?;
                let operand = |i: usize| args.get(i).map(|b| self.built_type(b));
                let (op, dtype) = match op {
                    RuleOp::Bin(op) => {
                        let dtype = operand(0)?;
                        (BuiltOp::Op(Op::Bin(*op)), if op.is_compare() { dtype.to_bool() } else { dtype })
                    }
                    RuleOp::Not => (BuiltOp::Op(Op::Not), operand(0)?),
                    RuleOp::Likely => (BuiltOp::Op(Op::Likely), operand(0)?),
                    RuleOp::Select => (BuiltOp::Op(Op::Select), operand(1)?),
                    // It takes one arm for all lanes.
                    RuleOp::IfThenElse if operand(0)?.is_scalar() => {
                        (BuiltOp::Op(Op::IfThenElse), operand(1)?)
                    }
                    RuleOp::IfThenElse => return None,
                    RuleOp::Ramp => (BuiltOp::Op(Op::Ramp), operand(0)?.with_lanes(lanes)),
                    RuleOp::Broadcast => (BuiltOp::Op(Op::Broadcast), operand(0)?.with_lanes(lanes)),
                    call => (BuiltOp::Call(call.name()), operand(0)?),
                };
                Some(Built::Node(op, dtype, args))
            }
            Pat::Lanes => None,
        }
    }

    fn built_type(&self, built: &Built) -> DType {
        match built {
            Built::Class(id) => self.graph.facts(*id).dtype,
            Built::Node(_, dtype, _) => *dtype,
        }
    }
}

fn resolve(ty: TypeRef, subst: &Subst) -> Option<DType> {
    match ty {
        TypeRef::Bool => Some(DType::BOOL),
        TypeRef::Is(dtype) => Some(dtype),
        TypeRef::Var(var) => subst.types[var],
    }
}

/// What the call of an intrinsic computes in each lane, if it is a bit operation or a shift: between conditions these
/// are `and` and `or`.
pub(super) fn in_lanes(callees: &Callees, callee: u32, dtype: DType) -> Option<Op> {
    match call_op(callees.name(callee)?)? {
        RuleOp::BitAnd if dtype.is_bool() => Some(Op::Bin(BinOp::And)),
        RuleOp::BitOr if dtype.is_bool() => Some(Op::Bin(BinOp::Or)),
        _ => Some(Op::Call(callee)),
    }
}

/// The rule operator that a call of an intrinsic is.
fn call_op(name: &str) -> Option<RuleOp> {
    match RuleOp::by_name(name) {
        Some(
            op @ (RuleOp::ShiftLeft
            | RuleOp::ShiftRight
            | RuleOp::BitAnd
            | RuleOp::BitOr
            | RuleOp::BitXor
            | RuleOp::BitNot),
        ) => Some(op),
        _ => None,
    }
}

/// An operation on constants over integers without bounds; `None` if it is undefined or leaves 64 bits.
fn fold(op: BinOp, a: i64, b: i64) -> Option<i64> {
    let floordiv = |a: i64, b: i64| {
        let q = a.checked_div(b)?;
        Some(if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q })
    };
    match op {
        BinOp::Add => a.checked_add(b),
        BinOp::Sub => a.checked_sub(b),
        BinOp::Mul => a.checked_mul(b),
        BinOp::Div => a.checked_div(b),
        BinOp::Mod => a.checked_rem(b),
        BinOp::FloorDiv => floordiv(a, b),
        BinOp::FloorMod => a.checked_sub(floordiv(a, b)?.checked_mul(b)?),
        BinOp::Min => Some(a.min(b)),
        BinOp::Max => Some(a.max(b)),
        BinOp::Eq => Some(i64::from(a == b)),
        BinOp::Ne => Some(i64::from(a != b)),
        BinOp::Lt => Some(i64::from(a < b)),
        BinOp::Le => Some(i64::from(a <= b)),
        BinOp::Gt => Some(i64::from(a > b)),
        BinOp::Ge => Some(i64::from(a >= b)),
        BinOp::And => Some(a & b),
        BinOp::Or => Some(a | b),
    }
}

/// The value of a condition's term.
struct Term(Poly);

impl Term {
    fn constant(&self) -> Option<i64> {
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

/// Puts a filled right side into the graph.
fn add(graph: &mut Graph, callees: &mut Callees, built: &Built) -> Id {
    match built {
        Built::Class(id) => graph.find(*id),
        Built::Node(op, dtype, args) => {
            let children: Vec<Id> = args.iter().map(|a| add(graph, callees, a)).collect();
            let op = match op {
                BuiltOp::Op(op) => op.clone(),
                BuiltOp::Call(name) => callees.intrinsic(graph, name),
            };
            graph.add(Node::new(op, *dtype, children))
        }
    }
}
