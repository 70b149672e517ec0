//! What may trap, and where that is known not to happen.
//!
//! An operation that may trap (a division by something not proven non-zero, a load, a shift by a variable amount, arithmetic
//! on `int32` or `int64` whose value is not shown to fit) may be evaluated at a place only if the input is certain to
//! evaluate the same there: then either the input traps too, or nothing does. Evidence of that
//! ([`ExecutedTrap`](crate::eqsat::lower::ExecutedTrap)) comes from every expression of the input.
//!
//! Evidence at `q` serves a place `p` if, by the tree of scopes,
//! - `q` is evaluated before `p` whenever `p` is reached (an earlier statement of a block around `p`, blocks that
//!   are certain to run included; or the head of a statement around `p`), or
//! - `q` is evaluated after `p` whenever `p` is reached, with nothing in between that may not complete,
//!
//! and if the conditions of `p` within its statement imply those of `q`, or of one of several such `q`. That must hold
//! under both readings of `and` and `or`: that they skip the right operand where the left one decides, and that they evaluate
//! both, as TVM's code generators have it. A place and an
//! evidence name the same value: the class they are about depends on variables in scope at both, and between the
//! two no variable changes, because evidence from an inner iteration only serves what lies around it.

use egg::Id;
use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;

use super::super::facts::{Graph, Knowing, in_theory, poly_of};
use super::super::fits::may_overflow;
use super::super::lang::{Node, Op};
use super::super::lower::{Guard, Lowered, Site, Trap};
use super::super::scopes::{Place, Scopes};
use super::computed::{ComputedSums, sorted};
use super::guards::Logic;
use super::select::{Chosen, Index, Selection};
use crate::ir::{BinOp, intrin};

/// The most pieces of evidence that are looked at together.
const MAX_CASES: usize = 16;

/// What the operation of a node may trap on; empty if it cannot.
pub(crate) type Traps = SmallVec<[Trap; 1]>;

/// What is known to be evaluated, by what it may trap on.
pub(crate) struct SpeculationSafety<'a> {
    lowered: &'a Lowered,
    scopes: &'a Scopes,
    logic: Logic,
    sums: ComputedSums,
    evidence: HashMap<Trap, Vec<(Place, Vec<Guard>)>>,
}

impl<'a> SpeculationSafety<'a> {
    /// All evidence of the input.
    pub(crate) fn new(lowered: &'a Lowered) -> SpeculationSafety<'a> {
        let graph = &lowered.graph;
        let mut evidence: HashMap<Trap, Vec<(Place, Vec<Guard>)>> = HashMap::new();
        for e in &lowered.evidence {
            let guards = sorted(graph, &e.guards);
            let traps = match &e.trap {
                Trap::Zero(divisor) => zero_divisors(graph, *divisor),
                Trap::Node(node) => {
                    Traps::from_iter([Trap::Node(super::super::canonical(lowered, node.clone()))])
                }
                Trap::Overflow(_) => continue,
            };
            for trap in traps {
                let places = evidence.entry(trap).or_default();
                if places.last() != Some(&(e.place, guards.clone())) {
                    places.push((e.place, guards.clone()));
                }
            }
        }
        SpeculationSafety {
            lowered,
            scopes: &lowered.scopes,
            logic: Logic::new(graph),
            sums: ComputedSums::new(lowered),
            evidence,
        }
    }

    /// Whether the operation does not trap at `place`, under `guards` (sorted), unless the input does.
    pub(crate) fn allows(&self, trap: &Trap, place: Place, guards: &[Guard]) -> bool {
        if let Trap::Overflow(class) = trap {
            return self.shown(self.sums.of(self.lowered, *class), place, guards);
        }
        let evidence = self.evidence.get(trap).map_or(&[][..], Vec::as_slice);
        self.shown(evidence.iter().map(|(at, under)| (*at, &under[..])), place, guards)
    }

    /// Whether some of what is evaluated at places, each under its conditions, is certain to be at `place` under `guards`.
    fn shown<'g>(
        &self,
        evidence: impl Iterator<Item = (Place, &'g [Guard])>,
        place: Place,
        guards: &[Guard],
    ) -> bool {
        let mut cases: Vec<&[Guard]> = Vec::new();
        for (_, under) in evidence.filter(|(at, _)| self.serves(*at, place)) {
            if under.iter().all(|g| guards.binary_search(g).is_ok()) {
                return true;
            }
            if cases.len() < MAX_CASES {
                cases.push(under);
            }
        }
        if cases.is_empty() || guards.is_empty() {
            return false;
        }
        let firm = |guards: &[Guard]| -> Vec<Guard> { guards.iter().copied().filter(|g| g.firm).collect() };
        let firm_cases: Vec<Vec<Guard>> = cases.iter().map(|case| firm(case)).collect();
        let firm_cases: Vec<&[Guard]> = firm_cases.iter().map(Vec::as_slice).collect();
        self.logic.covers(guards, &cases) && self.logic.covers(&firm(guards), &firm_cases)
    }

    /// Whether what is evaluated at `q` is evaluated whenever `p` is reached.
    fn serves(&self, q: Place, p: Place) -> bool {
        let mut at = q;
        loop {
            let scope = self.scopes.get(at.scope);
            if let Some(around) = self.scopes.lift(p, at.scope) {
                return if at.position == around.position {
                    at == q || p.scope == at.scope
                } else {
                    at.position < around.position || self.completes(p, at)
                };
            }
            if !scope.certain || at.position > scope.barrier {
                return false;
            }
            match scope.parent {
                Some(parent) => at = parent,
                None => return false,
            }
        }
    }

    /// Whether control that is at `p` is certain to reach `to`, a later statement of a scope around it.
    fn completes(&self, p: Place, to: Place) -> bool {
        let mut at = p;
        while at.scope != to.scope {
            let scope = self.scopes.get(at.scope);
            match scope.parent {
                Some(parent) if scope.barrier == u32::MAX => at = parent,
                _ => return false,
            }
        }
        to.position <= self.scopes.get(to.scope).barrier
    }
}

/// The most operations of one site that are looked at by [`safe_sites`], each under each of its conditions.
const MAX_VISITS: usize = 10_000;

/// For each site, whether its chosen expression, computed there and without bindings, evaluates nothing that may trap and
/// that the input's expression does not.
pub(crate) fn safe_sites(lowered: &Lowered, selection: &Selection) -> Vec<bool> {
    let mut evaluated = None;
    let mut safe = |site: &Site, root: Index| {
        if selection.chosen[root].total {
            return true;
        }
        let evaluated: &SpeculationSafety<'_> =
            evaluated.get_or_insert_with(|| SpeculationSafety::new(lowered));
        let mut seen: HashSet<(Index, Vec<Guard>)> = HashSet::new();
        let mut open = vec![(root, Vec::new())];
        while let Some((index, guards)) = open.pop() {
            let chosen = &selection.chosen[index];
            if chosen.total || seen.contains(&(index, guards.clone())) {
                continue;
            }
            if seen.len() >= MAX_VISITS
                || !traps(lowered, chosen.class, &chosen.node)
                    .iter()
                    .all(|t| evaluated.allows(t, site.place, &guards))
            {
                return false;
            }
            for (i, &child) in chosen.children.iter().enumerate() {
                open.push((child, with(&guards, chosen_guards(lowered, selection, chosen, i))));
            }
            seen.insert((index, guards));
        }
        true
    };
    lowered.sites.iter().zip(&selection.sites).map(|(site, &root)| safe(site, root)).collect()
}

/// The conditions under which operand `i` of a chosen node is evaluated.
pub(crate) fn chosen_guards(
    lowered: &Lowered,
    selection: &Selection,
    chosen: &Chosen,
    i: usize,
) -> SmallVec<[Guard; 1]> {
    let class_of = |operand: usize| selection.chosen[chosen.children[operand]].class;
    if let Op::Template(template) = chosen.node.op {
        let conditions = &lowered.templates[template as usize].conditions[i];
        return conditions
            .iter()
            .map(|c| Guard { class: class_of(c.hole), truth: c.truth, firm: c.firm })
            .collect();
    }
    let firm = chosen.node.op == Op::IfThenElse;
    condition(&chosen.node, i).map(|truth| Guard { class: class_of(0), truth, firm }).into_iter().collect()
}

/// A sorted set of conditions with more.
pub(crate) fn with(guards: &[Guard], more: impl IntoIterator<Item = Guard>) -> Vec<Guard> {
    let mut all = guards.to_vec();
    for guard in more {
        if let Err(at) = all.binary_search(&guard) {
            all.insert(at, guard);
        }
    }
    all
}

/// What the operation of a node of a class may trap on, given defined operands.
pub(crate) fn traps(lowered: &Lowered, class: Id, node: &Node) -> Traps {
    let graph = &lowered.graph;
    match (&node.op, &node.children[..]) {
        (Op::Bin(op), &[_, divisor]) if op.is_division() && !node.dtype.is_float() => {
            let mut traps = zero_divisors(graph, divisor);
            if overflows(lowered, class, node) {
                traps.push(Trap::Overflow(graph.find(class)));
            }
            traps
        }
        (Op::Bin(_) | Op::Ramp, _) if overflows(lowered, class, node) => {
            Traps::from_iter([Trap::Overflow(graph.find(class))])
        }
        (Op::Load(..) | Op::Template(_), _) => Traps::from_iter([Trap::Node(node.clone())]),
        (Op::Call(callee), operands) => {
            let name = lowered.callees.name(*callee).unwrap_or_default();
            let may_trap = intrin::lookup(name).is_none_or(|row| row.may_trap);
            let amount = operands.get(1).map(|&c| graph.facts(c).interval);
            let bits = i64::from(node.dtype.bits);
            let total = matches!(name, "shift_left" | "shift_right")
                && amount.is_some_and(|a| a.at_least(0) && a.at_most(bits - 1));
            if may_trap && !total { Traps::from_iter([Trap::Node(node.clone())]) } else { Traps::new() }
        }
        _ => Traps::new(),
    }
}

/// Whether the operation of a node of a class may trap, given defined operands.
pub(crate) fn may_trap(lowered: &Lowered, class: Id, node: &Node) -> bool {
    match node.op {
        Op::Load(..) | Op::Template(_) => true,
        Op::Bin(op) if !op.is_division() => overflows(lowered, class, node),
        Op::Ramp => overflows(lowered, class, node),
        Op::Bin(_) | Op::Call(_) => !traps(lowered, class, node).is_empty(),
        _ => false,
    }
}

/// Whether the operation of a node of a class may overflow, for all that is known of the class.
pub(super) fn overflows(lowered: &Lowered, class: Id, node: &Node) -> bool {
    let makes_larger = match node.op {
        Op::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul) | Op::Ramp => true,
        // Only the least value divided by -1 is none of the type.
        Op::Bin(BinOp::FloorDiv | BinOp::Div) => {
            lowered.graph.facts(scalar_of(&lowered.graph, node.children[1])).interval.contains(-1)
        }
        _ => false,
    };
    makes_larger && may_overflow(node.dtype) && !lowered.fits(class)
}

/// The value in every lane of a class, if it is a vector of equal ones; else the class.
fn scalar_of(graph: &Graph, class: Id) -> Id {
    let class = graph.find(class);
    let scalar = graph[class].nodes.iter().find_map(|n| match (&n.op, &n.children[..]) {
        (Op::Broadcast, &[x]) => Some(graph.find(x)),
        _ => None,
    });
    scalar.unwrap_or(class)
}

/// The classes of which one is zero if the divisor is: its factors that are not proven non-zero.
fn zero_divisors(graph: &Graph, divisor: Id) -> Traps {
    let divisor = scalar_of(graph, divisor);
    if nonzero(graph, divisor) {
        return Traps::new();
    }
    if in_theory(graph.facts(divisor).dtype)
        && let Some((monomial, _)) = poly_of(graph, divisor).as_term()
        && !monomial.is_empty()
    {
        let mut factors: Vec<Id> = monomial.iter().map(|&id| graph.find(id)).collect();
        factors.sort_unstable();
        factors.dedup();
        return factors.into_iter().filter(|&f| !nonzero(graph, f)).map(Trap::Zero).collect();
    }
    Traps::from_iter([Trap::Zero(divisor)])
}

fn nonzero(graph: &Graph, id: Id) -> bool {
    let data = graph.facts(id);
    graph[id].nodes.iter().any(|n| matches!(n.op, Op::Int(v) if v.get() != 0))
        || (data.dtype.is_index() && data.dtype.is_scalar() && !data.interval.contains(0))
}

/// The value of the first operand of a node for which operand `i` is evaluated; `None` if it always is. The operands of
/// templates have conditions of their own, see [`chosen_guards`].
pub(crate) fn condition(node: &Node, i: usize) -> Option<bool> {
    match (&node.op, i) {
        (Op::IfThenElse, 1) | (Op::Bin(BinOp::And), 1) => Some(true),
        (Op::IfThenElse, 2) | (Op::Bin(BinOp::Or), 1) => Some(false),
        _ => None,
    }
}
