//! What forms cost the compiler of the result beyond their own operations: the weights of the cost model count
//! operations, this module what LLVM makes of them.
//!
//! Penalties take part where nodes are chosen and where choices are compared, scaled as weights are; they are not part
//! of the cost that is reported.

use std::cell::OnceCell;

use egg::Id;
use hashbrown::{HashMap, HashSet};

use super::narrowed::Narrowed;
use super::signs::{Signs, VISIBLE, divides_slowly};
use super::unrolled::{Unrolled, is_constant};
use crate::egraph::{ClassMap, ClassSet, Classes, Knowing, Monomial, Node, Op, Poly, poly_of};
use crate::encode::{Lowered, Site};
use crate::ir::BinOp;

/// Taken off the cost of a remainder by a constant, per execution. Where the quotient is there, `x - (x // d) * d` costs
/// one unit less than `x % d`; but LLVM knows the range of a remainder, and proves with it that indices do not wrap and
/// that conditions hold, which is worth more: without it, some kernels execute a third more instructions.
const REMAINDER: f64 = 2.25;

/// The same of a remainder by a power of two, which is a mask: a multiple of the quotient less in the same sum costs as much.
const MASK: f64 = 1.0;

/// Added to the cost of a quotient or remainder by a constant where the dividend may be negative for all that the
/// compiler sees, per execution: the truncating division of the hardware has to be corrected.
const CORRECTION: f64 = 3.0;

/// Added to the cost of a difference, or of a sum with a part that may be negative, as a part of an address, per execution,
/// where the value is never negative: LLVM sees the sign of a sum by the signs of its parts, extends what may be negative by
/// the sign, and takes no constants out of that. The same of `x - unrolled + 3`, with the variable of an unrolled loop: nothing
/// tells that `x - unrolled` is not negative, where `x + 3 - unrolled` is a sum with one constant in each copy.
const HIDDEN_SIGN: f64 = 1.0;

/// Added to the cost of an address that is `outer + (inner + more)`, per execution, where `outer + more` could be
/// computed further out. Addressing modes and the analyses of strides want `base + inner`: only then are constant
/// differences between the addresses of unrolled iterations seen.
const BROKEN_ADDRESS: f64 = 0.5;

/// Added to the cost of `(outer + inner) * c` as a part of an address, per execution, where `outer * c` could be computed
/// further out: when the inner loop is unrolled, `inner` becomes a constant, which folds into an address only as a term.
const LATE_SCALE: f64 = 0.5;

/// The same where `c` is no power of two: of `outer * c + inner * c` each term is advanced by additions, but
/// `(outer + inner) * c` has to be multiplied where `outer` or `inner` has other uses.
const LATE_PRODUCT: f64 = 3.0;

/// Taken off the cost of a constant that is the last term of an address, per execution: addressing modes add it.
const OFFSET: f64 = 0.3;

/// Added to the cost of `(rolled + outer) + stride * unrolled` as a part of an address, where `unrolled` is the variable of a
/// loop that is [unrolled](super::unrolled) and `rolled` that of one around it which is not, per execution. In what is left,
/// all but `rolled` is invariant; LLVM adds that up outside of the loop, and knows no longer that the sum does not overflow:
/// each of its copies is extended to 64 bits in each iteration.
const ROLLED_FIRST: f64 = 1.0;

/// Added to the cost of a comparison that does not stand in the input, in whose place the input compares a quotient of the
/// variable of an unrolled loop, per execution. `x + i // 2 < n` is one comparison for two iterations, `2*x + i < 2*n` is
/// two that LLVM does not know to be alike.
pub(crate) const DIVIDED_CONDITION: f64 = 4.0;

/// Taken off that where the same value is compared with another constant beside it: both together are one comparison.
const ONE_RANGE: f64 = 1.5;

/// The same of a quotient: `(2*x + i // 3) // 3` is one division for three iterations, `(6*x + i) // 9` is three.
const DIVIDED_QUOTIENT: f64 = 2.5;

/// Added to the cost of a quotient or remainder by a constant of what varies in more than unrolled loops, where another way to
/// write the class divides what varies in these only, per execution: that is a constant in what is left of the loops.
const ROLLED_DIVIDEND: f64 = 5.0;

/// Taken off the cost of a quotient or remainder by a constant of what is constant in each iteration of unrolled loops, per
/// execution: so is the quotient then. One of more than that is computed each time.
const UNROLLED_QUOTIENT: f64 = 3.0;

/// Added to the cost of a comparison of what is not constant that does not stand in the input, in whose place the input compares
/// a value with one of two constants, per execution. `1 <= x + y and x + y < 14` is one unsigned comparison; with `-x < y` and
/// `y <= 13 - x` it is two.
const SPLIT_RANGE: f64 = 1.0;

/// Added to the cost of a comparison that does not stand in the input, for each quotient that it makes the compiler compute
/// by a product that has to be [corrected](super::narrowed) and else has not, per execution.
const NARROWED: f64 = 3.0;

/// Added to the cost of a sum of a variable and its quotient by a constant that does not stand in the input, as a part of an
/// address which varies further in and [has neighbours](Penalties::has_neighbours), per execution. LLVM adds to the variable in 64
/// bits then and to the quotient in 32, and does not see any longer that the elements lie side by side. Of a quotient and a
/// remainder it does.
const WIDENED: f64 = 8.0;

/// Added to the cost of `inner + outer` as a part of an address, per execution: breaks the tie with `outer + inner`, the
/// order into which LLVM brings sums. One that it has to rewrite may overflow for all that it knows afterwards.
const BACKWARDS: f64 = 1.0 / 1024.0;

/// Added to the cost of a sum or product that does not stand in the input, as a part of an address that is made of loops'
/// variables and sizes alone and to which the innermost loop adds a symbolic stride, per execution. LLVM hoists and reduces
/// the parts of such an address as well itself, by what each operation of the input says: that it does not overflow. Of new
/// products it takes common factors out, of which it knows nothing; then it no longer finds the stride, and the address is
/// computed in full in each iteration.
const NEW_STRIDE: f64 = 8.0;

/// Added to the cost of `(x // a) // b`, with variables `a` and `b`, in a function with blocks, per execution: where TVM
/// infers the used part of a buffer from such an index, its lowering of the bound fails (it binds one variable to two
/// values). `x // (a * b)` costs no more in a loop.
const NESTED_QUOTIENT: f64 = 1.0;

/// The penalties of the nodes of a function.
pub(super) struct Penalties<'a> {
    graph: &'a Classes<'a>,
    has_blocks: bool,
    /// Classes that are addresses of elements, but for a constant offset, with the most that one is executed.
    addresses: ClassMap<f64>,
    /// Classes that addresses are computed from without loads, with the most that one of these addresses is executed.
    parts: ClassMap<f64>,
    /// Of these, the ones that only addresses with a [symbolic stride](has_symbolic_stride) are computed from, if there are
    /// such addresses.
    strided: Option<ClassSet>,
    unrolled: Unrolled<'a>,
    /// The comparisons for which the input compares a value with one of several constants.
    ranges: ClassSet,
    /// The comparisons beside which the same value is compared with another constant.
    paired: ClassSet,
    /// The parts of addresses that lie beside others, each with the greatest level of these; once they were asked for.
    beside: OnceCell<ClassMap<f64>>,
    narrowed: Narrowed,
    signs: Signs<'a>,
}

impl<'a> Penalties<'a> {
    pub(super) fn new(lowered: &Lowered, graph: &'a Classes<'a>) -> Penalties<'a> {
        let addresses = spread(graph, elements(lowered, graph), |id, next| {
            for node in &graph[id].nodes {
                match (&node.op, &node.children[..]) {
                    (Op::Ramp, &[base, _]) => next.push(graph.find(base)),
                    (Op::Bin(BinOp::Add | BinOp::Sub), &[base, offset]) if is_constant(graph, offset) => {
                        next.push(graph.find(base));
                    }
                    _ => {}
                }
            }
        });
        let all: Vec<(Id, f64)> = addresses.iter().collect();
        let (strided, others): (Vec<_>, Vec<_>) =
            all.iter().copied().partition(|&(id, _)| has_symbolic_stride(graph, id));
        let parts = parts_of(graph, all);
        let strided = (!strided.is_empty()).then(|| {
            let others = parts_of(graph, others);
            let mut only = ClassSet::new(graph);
            only.extend(parts_of(graph, strided).iter().map(|(id, _)| id).filter(|&id| !others.contains(id)));
            only
        });
        Penalties {
            graph,
            has_blocks: lowered.has_blocks,
            addresses,
            parts,
            strided,
            unrolled: Unrolled::new(lowered, graph),
            ranges: ranges(lowered, graph),
            paired: paired(lowered, graph),
            beside: OnceCell::new(),
            narrowed: Narrowed::new(lowered, graph),
            signs: Signs::new(graph),
        }
    }

    /// The penalty of a node of `class`.
    pub(super) fn of(&self, class: Id, node: &Node) -> f64 {
        self.of_operation(class, node) + if self.divides_rolled(class, node) { ROLLED_DIVIDEND } else { 0.0 }
    }

    fn of_operation(&self, class: Id, node: &Node) -> f64 {
        match (&node.op, &node.children[..]) {
            (Op::Bin(op @ (BinOp::FloorMod | BinOp::FloorDiv)), &[dividend, divisor])
                if node.dtype.is_index() && divides_slowly(self.graph, divisor) =>
            {
                match op {
                    _ if self.unrolled.folds(dividend) => -UNROLLED_QUOTIENT,
                    _ if !self.signs.are_seen(dividend) => CORRECTION,
                    BinOp::FloorMod => -REMAINDER,
                    _ => 0.0,
                }
            }
            (Op::Bin(BinOp::FloorMod), &[dividend, divisor])
                if node.dtype.is_index() && masks(self.graph, divisor) && self.signs.are_seen(dividend) =>
            {
                -MASK
            }
            (Op::Bin(op @ (BinOp::Add | BinOp::Sub)), &[a, b]) if self.parts.contains(class) => {
                let address = self.addresses.contains(class);
                let is_offset = is_constant(self.graph, b);
                let broken = address && (self.breaks(a, b) || self.breaks(b, a));
                let rolled_first = self.is_rolled_first(a, b) || self.is_rolled_first(b, a);
                let backwards = *op == BinOp::Add && self.level(a) > self.level(b) && !is_offset;
                let by_range = !self.unrolled.is_inmost(class);
                let hidden = self.signs.hide_sum(class, *op, a, b, by_range);
                let detached = address && is_offset && *op == BinOp::Add && self.lowers_unrolled(a);
                let costs = [
                    (hidden, HIDDEN_SIGN),
                    (broken, BROKEN_ADDRESS),
                    (rolled_first, ROLLED_FIRST),
                    (backwards, BACKWARDS),
                    (address && is_offset, -OFFSET),
                    (detached, HIDDEN_SIGN),
                ];
                costs.iter().filter(|(holds, _)| *holds).map(|(_, cost)| cost).sum()
            }
            (Op::Bin(BinOp::Mul), &[a, b])
                if self.parts.contains(class) && (self.scales_late(a, b) || self.scales_late(b, a)) =>
            {
                let is_shift = ![a, b].into_iter().any(|id| divides_slowly(self.graph, id));
                if is_shift { LATE_SCALE } else { LATE_PRODUCT }
            }
            _ if self.has_blocks
                && dividend_by_variable(self.graph, node).is_some_and(|d| {
                    self.graph[d].nodes.iter().any(|n| dividend_by_variable(self.graph, n).is_some())
                }) =>
            {
                NESTED_QUOTIENT
            }
            _ => 0.0,
        }
    }

    /// Whether the node divides what varies in more than unrolled loops by a constant, and the class can be written with
    /// a quotient of what varies in these only.
    fn divides_rolled(&self, class: Id, node: &Node) -> bool {
        let Some((BinOp::FloorMod | BinOp::FloorDiv, dividend, divisor)) = node.as_bin() else {
            return false;
        };
        is_constant(self.graph, divisor) && !self.unrolled.has_all(dividend) && self.unrolled.divides(class)
    }

    /// Whether the division is better written as one that truncates.
    pub(super) fn truncates(&self, class: Id, node: &Node) -> bool {
        // Before blocks are lowered, TVM infers ranges from indices, for which it knows less of truncating division.
        let divides = matches!(node.op, Op::Bin(BinOp::FloorDiv | BinOp::FloorMod));
        divides && !self.has_blocks && self.level(class) > 0 && self.signs.hide_floor(node)
    }

    /// What is added to the penalty of a node of `class` that does not stand in the input.
    pub(super) fn of_new(&self, class: Id, node: &Node) -> f64 {
        match node.op {
            Op::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul) if self.is_strided(class) => NEW_STRIDE,
            Op::Bin(BinOp::Add)
                if self.parts.contains(class) && self.is_widened(node) && self.has_neighbours(class) =>
            {
                WIDENED
            }
            Op::Bin(op) if op.is_compare() && self.unrolled.is_divided(class) => {
                DIVIDED_CONDITION - if self.paired.contains(class) { ONE_RANGE } else { 0.0 }
            }
            Op::Not if self.unrolled.is_divided(class) => DIVIDED_CONDITION,
            Op::Bin(BinOp::FloorDiv)
                if self.unrolled.is_divided(class) && !self.unrolled.divides(node.children[0]) =>
            {
                DIVIDED_QUOTIENT
            }
            Op::Bin(op) if op.is_compare() && self.ranges.contains(class) => {
                let bounds = node.children.iter().any(|&c| is_constant(self.graph, c));
                if bounds { 0.0 } else { SPLIT_RANGE }
            }
            Op::Bin(op) if op.is_compare() || op == BinOp::FloorDiv => {
                self.narrowed.corrections(class) * NARROWED
            }
            Op::Not => self.narrowed.corrections(class) * NARROWED,
            _ => 0.0,
        }
    }

    /// The most that an address is executed that is computed from the class; 0 if there is none.
    pub(super) fn executed(&self, class: Id) -> f64 {
        self.parts.get(class).unwrap_or(0.0)
    }

    fn is_strided(&self, class: Id) -> bool {
        self.strided.as_ref().is_some_and(|strided| strided.contains(class))
    }

    fn level(&self, id: Id) -> u32 {
        self.graph.facts(id).level
    }

    /// Whether a term of the class is the variable of an unrolled loop, subtracted.
    fn lowers_unrolled(&self, id: Id) -> bool {
        let is_unrolled = |m: &Monomial| !m.is_empty() && m.iter().all(|&atom| self.unrolled.contains(atom));
        poly_of(self.graph, id).terms().iter().any(|(m, c)| *c < 0 && is_unrolled(m))
    }

    /// Whether the node adds a multiple of a variable's quotient to the variable.
    fn is_widened(&self, node: &Node) -> bool {
        let atom = |id: Id| match poly_of(self.graph, id).as_term() {
            Some((m, _)) if m.len() == 1 => Some(self.graph.find(m[0])),
            _ => None,
        };
        let (Some(a), Some(b)) = (atom(node.children[0]), atom(node.children[1])) else { return false };
        let divides = |x: Id, quotient: Id| {
            self.graph[quotient].nodes.iter().any(|n| match n.as_bin() {
                Some((BinOp::FloorDiv, n, d)) => self.graph.find(n) == x && divides_slowly(self.graph, d),
                _ => false,
            })
        };
        divides(a, b) || divides(b, a)
    }

    /// Whether an address that varies further in is computed from the class, beside which lie others: written out, or in an
    /// unrolled loop.
    fn has_neighbours(&self, class: Id) -> bool {
        let levels = self.beside.get_or_init(|| {
            let is_step = |(m, c): &(Monomial, i64)| *c == 1 && m.len() == 1 && self.unrolled.contains(m[0]);
            let lies_beside = |&id: &Id| {
                let poly = poly_of(self.graph, id);
                poly.const_term() != 0 || poly.terms().iter().any(is_step)
            };
            let addresses = self.addresses.iter().map(|(id, _)| id).filter(lies_beside);
            parts_of(self.graph, addresses.map(|id| (id, f64::from(self.level(id)))).collect())
        });
        levels.get(class).is_some_and(|level| level > f64::from(self.level(class)))
    }

    /// Whether `outer` can be computed further out than `inner`, and part of `inner`, too.
    fn breaks(&self, outer: Id, inner: Id) -> bool {
        self.level(outer) < self.level(inner) && !is_constant(self.graph, outer) && self.is_mixed_sum(inner)
    }

    /// Whether `outer` is a symbolic stride times the variable of an unrolled loop, and `inner` holds that of one which is not,
    /// with more that does not vary in it.
    fn is_rolled_first(&self, inner: Id, outer: Id) -> bool {
        if !self.unrolled.has_stride(outer) {
            return false;
        }
        let is_unrolled = |&atom: &Id| self.unrolled.contains(atom);
        let level = |atom: Id| if is_unrolled(&atom) { 0 } else { self.level(atom) };
        let terms = poly_of(self.graph, outer);
        let sum = poly_of(self.graph, inner);
        let rolled = factors(&sum).map(level).max().unwrap_or(0);
        factors(&terms).all(|atom| level(atom) < rolled)
            && sum
                .terms()
                .iter()
                .any(|(m, _)| !m.iter().all(is_unrolled) && m.iter().all(|&atom| level(atom) < rolled))
    }

    /// Whether `sum` has parts that can be computed further out, and `factor` is a constant that would better be applied
    /// to them there.
    fn scales_late(&self, sum: Id, factor: Id) -> bool {
        let Some(factor) = poly_of(self.graph, factor).as_const() else { return false };
        if !self.is_mixed_sum(sum) {
            return false;
        }
        let level = self.level(sum);
        let poly = poly_of(self.graph, sum);
        let inmost = poly.atoms().into_iter().filter(|&atom| self.level(atom) == level);
        let bounded = |atom: Id| self.graph.facts(atom).interval.at_most(VISIBLE);
        factor.unsigned_abs().is_power_of_two() || inmost.into_iter().all(bounded)
    }

    /// Whether the class is computed as a sum of which a part can be computed further out.
    fn is_mixed_sum(&self, id: Id) -> bool {
        let class = &self.graph[id];
        let sums = |n: &Node| matches!(n.op, Op::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul));
        let level = self.level(id);
        class.nodes.iter().all(sums)
            && poly_of(self.graph, id)
                .terms()
                .iter()
                .any(|(m, _)| !m.is_empty() && m.iter().all(|&atom| self.level(atom) < level))
    }
}

/// The atoms of the polynomial, each as often as it stands there.
fn factors(poly: &Poly) -> impl Iterator<Item = Id> {
    poly.terms().iter().flat_map(|(monomial, _)| monomial.iter().copied())
}

/// The classes of the input's comparisons of a value with one of several constants.
fn ranges(lowered: &Lowered, graph: &Classes<'_>) -> ClassSet {
    let mut compared_with: HashMap<Id, Vec<Id>> = HashMap::new();
    for id in (0..lowered.input_nodes).map(Id::from) {
        if let Some(value) = compared(graph, lowered.graph.id_to_node(id)) {
            compared_with.entry(value).or_default().push(graph.find(id));
        }
    }
    let mut found = ClassSet::new(graph);
    add_groups(&mut found, compared_with);
    found
}

/// The classes of the input's comparisons that hold together with another comparison of the same value with a constant.
fn paired(lowered: &Lowered, graph: &Classes<'_>) -> ClassSet {
    let both = |id: Id| match lowered.graph.id_to_node(id).as_bin() {
        Some((BinOp::And, a, b)) => Some([a, b]),
        _ => None,
    };
    let inputs = || (0..lowered.input_nodes).map(Id::from);
    let within: HashSet<Id> = inputs().filter_map(both).flatten().collect();
    let mut found = ClassSet::new(graph);
    for whole in inputs().filter(|id| !within.contains(id)) {
        let Some(parts) = both(whole) else { continue };
        let mut compared_with: HashMap<Id, Vec<Id>> = HashMap::new();
        let mut open = parts.to_vec();
        while let Some(id) = open.pop() {
            if let Some(parts) = both(id) {
                open.extend(parts);
                continue;
            }
            let class = graph.find(id);
            for value in graph[class].nodes.iter().filter_map(|node| compared(graph, node)) {
                compared_with.entry(value).or_default().push(class);
            }
        }
        add_groups(&mut found, compared_with);
    }
    found
}

/// The class that the node compares with a constant.
fn compared(graph: &Classes<'_>, node: &Node) -> Option<Id> {
    let (_, a, b) = node.as_bin().filter(|(op, ..)| op.is_compare())?;
    if !graph.facts(a).dtype.is_index() {
        return None;
    }
    match (is_constant(graph, a), is_constant(graph, b)) {
        (true, false) => Some(graph.find(b)),
        (false, true) => Some(graph.find(a)),
        _ => None,
    }
}

/// Adds the classes of all groups of several.
fn add_groups(found: &mut ClassSet, groups: HashMap<Id, Vec<Id>>) {
    for mut classes in groups.into_values() {
        classes.dedup();
        if classes.len() > 1 {
            found.extend(classes);
        }
    }
}

/// Whether the class is a polynomial of loops' variables and of what varies in no loop, in which a variable of the innermost
/// loop has a factor that is not constant.
fn has_symbolic_stride(graph: &Classes<'_>, id: Id) -> bool {
    let is_variable = |id: Id| graph[id].nodes.iter().any(|n| matches!(n.op, Op::Var(_)));
    let poly = poly_of(graph, id);
    let level = graph.facts(id).level;
    let is_inmost = |&atom: &Id| graph.facts(atom).level == level;
    level > 0
        && poly.terms().iter().any(|(m, _)| m.len() > 1 && m.iter().any(is_inmost))
        && poly.atoms().into_iter().all(|atom| graph.facts(atom).level == 0 || is_variable(atom))
}

/// The classes that are indices of loads and stores, each with how often a statement runs that executes it.
fn elements(lowered: &Lowered, graph: &Classes<'_>) -> Vec<(Id, f64)> {
    let frequency = |site: &Site| lowered.scopes.get(site.place.scope).frequency;
    let mut sites: Vec<&Site> = lowered.sites.iter().collect();
    sites.sort_by(|a, b| frequency(b).total_cmp(&frequency(a)));
    let mut found = Vec::new();
    // The first site that reaches a load runs the most.
    let mut reached = ClassSet::new(graph);
    for site in sites {
        if site.address {
            found.push((graph.find(site.class), frequency(site)));
        }
        let mut waiting = vec![graph.find(site.class)];
        while let Some(id) = waiting.pop() {
            if !reached.insert(id) {
                continue;
            }
            for node in &graph[id].nodes {
                let operands = node.children.iter().map(|&c| graph.find(c));
                if matches!(node.op, Op::Load(..)) {
                    found.extend(operands.clone().map(|c| (c, frequency(site))));
                }
                waiting.extend(operands);
            }
        }
    }
    found
}

/// The classes that addresses are computed from without loads, each with the greatest number of one of these.
fn parts_of(graph: &Classes<'_>, addresses: Vec<(Id, f64)>) -> ClassMap<f64> {
    spread(graph, addresses, |id, next| {
        let computes = |n: &&Node| matches!(n.op, Op::Bin(_) | Op::Select | Op::IfThenElse | Op::Cast);
        for node in graph[id].nodes.iter().filter(computes).filter(|n| n.dtype.is_index()) {
            next.extend(node.children.iter().map(|&c| graph.find(c)));
        }
    })
}

/// The classes that can be reached from some, each with the greatest number of one from which it can.
fn spread(
    graph: &Classes<'_>,
    mut from: Vec<(Id, f64)>,
    operands: impl Fn(Id, &mut Vec<Id>),
) -> ClassMap<f64> {
    from.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut reached = ClassMap::new(graph);
    let mut waiting = Vec::new();
    while let Some((id, number)) = from.pop() {
        waiting.push(id);
        while let Some(id) = waiting.pop() {
            if !reached.contains(id) {
                reached.insert(id, number);
                operands(id, &mut waiting);
            }
        }
    }
    reached
}

/// Whether the class is a power of two above 1: a remainder by it is a mask.
fn masks(graph: &Classes<'_>, id: Id) -> bool {
    graph.facts(id).interval.as_point().is_some_and(|v| v > 1 && v.unsigned_abs().is_power_of_two())
}

/// The dividend, if the node is a quotient by something that is not constant.
fn dividend_by_variable(graph: &Classes<'_>, node: &Node) -> Option<Id> {
    match node.as_bin() {
        Some((BinOp::FloorDiv, a, b)) if graph.facts(b).interval.as_point().is_none() => Some(a),
        _ => None,
    }
}
