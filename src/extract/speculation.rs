//! Where what may trap may be evaluated.
//!
//! An operation that may trap (a division by something not proven non-zero, a load, a shift by a variable amount, arithmetic
//! on `int32` or `int64` whose value is not shown to fit) may be evaluated at a place only if the input is certain to
//! evaluate the same there: then either the input traps too, or nothing does. Evidence of that
//! ([`ExecutedTrap`](crate::encode::ExecutedTrap)) comes from every expression of the input.
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

use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;

use super::computed::{ComputedSums, sorted};
use super::guards::Logic;
use super::selection::{Chosen, Index, Selection};
use super::traps::{Traps, condition, traps, zero_divisors};
use crate::egraph::{self, Op};
use crate::encode::{Guard, Lowered, Place, Scopes, Site, Trap};

/// The most pieces of evidence that are looked at together.
const MAX_CASES: usize = 16;

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
                    Traps::from_iter([Trap::Node(egraph::canonical(&lowered.graph, node.clone()))])
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
        // Under no condition at all one of two that exclude each other still holds.
        if cases.len() < 2 && (cases.is_empty() || guards.is_empty()) {
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
