//! Placement: where each chosen class is bound by a Let, and where it is computed inline.
//!
//! Classes are visited users first, so that when a class is reached all places that use it are known: sites, the
//! bindings of its users, and the places where its users are computed inline. For each class the best set of
//! binding places is found exactly, by dynamic programming over the tree of scopes below the place where its
//! variables are defined: in each scope either one binding serves all uses inside of it, or each inner scope is
//! served on its own and direct uses compute the class inline. Hoisting, sharing, sinking into a branch and
//! rematerialization are all outcomes of the same choice.
//!
//! # What may be bound where
//!
//! A binding is legal where the class's variables are defined and the memory version of its loads has begun (no
//! use lies behind a write, by the meaning of versions). What may trap is bound, or computed inline, only where the
//! input is certain to evaluate it ([`traps`]); a choice of nodes for which that is not so everywhere
//! has no legal plan.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use indexmap::IndexSet;

use super::super::lang::{Node, Op};
use super::super::lower::{Guard, Lowered, Trap};
use super::super::scopes::{Place, ScopeId, Scopes};
use super::select::{Index, Selection};
use super::traps::{self, Evaluated, with};
use crate::cost::Profile;
use crate::ir::Kind;
use crate::ir::opclass::OpClass;

/// A class bound at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Binding {
    /// The class.
    pub index: Index,
    /// Just before which statement.
    pub place: Place,
    /// How many expressions it serves.
    pub uses: usize,
}

/// All bindings; at one place, operands come before their users.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// The bindings in the order in which they are made.
    pub bindings: Vec<Binding>,
    /// The cost of the whole: that of all bindings and of what is computed inline.
    pub cost: f64,
    /// What the chosen forms cost beyond that (`extract/handicap.rs`, `extract/rewritten.rs`).
    pub handicap: f64,
}

impl Plan {
    /// By what plans are compared.
    pub(crate) fn rank(&self) -> f64 {
        self.cost + self.handicap
    }
}

/// One place where a class is used.
#[derive(Clone, Copy, Debug)]
struct Use {
    place: Place,
    /// How often the value is needed: the scope's frequency, less in lazy arms.
    frequency: f64,
    /// The conditions within the statement under which it is needed.
    guards: Guards,
    count: usize,
}

/// A set of conditions: index into [`Placer::guards`].
type Guards = usize;

/// No condition.
const ALWAYS: Guards = 0;

/// Uses by place and conditions.
type Uses = BTreeMap<(Place, Guards), Use>;

/// What evaluating a term may trap on, each with the conditions under which it is evaluated; `None` if that is too much to
/// keep.
type TermTraps = Option<Vec<(Trap, Vec<Guard>)>>;

/// The most that a term which is bound may trap on.
const MAX_TRAPS: usize = 24;

/// Decides the bindings for a selection; `None` if something would be evaluated where its variables are not in scope, or
/// might trap where the input does not evaluate it.
pub(crate) fn place(
    lowered: &Lowered,
    evaluated: &Evaluated<'_>,
    selection: &Selection,
    profile: &Profile,
) -> Option<Plan> {
    let mut placer = Placer {
        lowered,
        evaluated,
        allowed: HashMap::new(),
        guards: IndexSet::from_iter([Vec::new()]),
        traps: Vec::new(),
        legal: true,
        scopes: &lowered.scopes,
        selection,
        let_weight: profile.weight(OpClass::Bind).to_f64(),
        branch: profile.branch().to_f64(),
        inline_weight: Vec::new(),
        uses: vec![Uses::new(); selection.chosen.len()],
        cost: 0.0,
        handicap: 0.0,
    };
    placer.inline_weights();
    placer.term_traps();
    for (site, &index) in lowered.sites.iter().zip(&selection.sites) {
        let frequency = lowered.scopes.get(site.place.scope).frequency;
        placer.add_use(index, Use { place: site.place, frequency, guards: ALWAYS, count: 1 });
    }
    let mut bindings = Vec::new();
    for index in (0..selection.chosen.len()).rev() {
        placer.visit(index, &mut bindings);
    }
    bindings.reverse();
    placer.legal.then_some(Plan { bindings, cost: placer.cost, handicap: placer.handicap })
}

struct Placer<'a> {
    lowered: &'a Lowered,
    evaluated: &'a Evaluated<'a>,
    /// What was found of [`Evaluated::allows`] for bindings.
    allowed: HashMap<(Index, Place), bool>,
    guards: IndexSet<Vec<Guard>>,
    /// What the term of each class may trap on.
    traps: Vec<TermTraps>,
    legal: bool,
    scopes: &'a Scopes,
    selection: &'a Selection,
    let_weight: f64,
    branch: f64,
    /// The weight of computing a class once more where operands that are worth it are bound.
    inline_weight: Vec<f64>,
    uses: Vec<Uses>,
    cost: f64,
    handicap: f64,
}

impl Placer<'_> {
    fn inline_weights(&mut self) {
        for chosen in &self.selection.chosen {
            let mut children = chosen.children.clone();
            children.sort_unstable();
            children.dedup();
            let operands: f64 = children.iter().map(|&k| self.inline_weight[k].min(self.let_weight)).sum();
            self.inline_weight.push(chosen.weight + operands);
        }
    }

    fn term_traps(&mut self) {
        for chosen in &self.selection.chosen {
            let own = traps::traps(self.lowered, &chosen.node);
            let mut all: TermTraps = Some(own.into_iter().map(|t| (t, Vec::new())).collect());
            for (i, &child) in chosen.children.iter().enumerate() {
                let guard = traps::chosen_guard(self.selection, chosen, i);
                let (Some(sum), Some(operand)) = (&mut all, &self.traps[child]) else {
                    all = None;
                    break;
                };
                sum.extend(operand.iter().map(|(trap, guards)| (trap.clone(), with(guards, guard))));
            }
            if let Some(sum) = &mut all {
                sum.sort_unstable();
                sum.dedup();
            }
            self.traps.push(all.filter(|sum| sum.len() <= MAX_TRAPS));
        }
    }

    fn add_use(&mut self, index: Index, u: Use) {
        self.uses[index]
            .entry((u.place, u.guards))
            .and_modify(|e| {
                e.frequency += u.frequency;
                e.count += u.count;
            })
            .or_insert(u);
    }

    fn visit(&mut self, index: Index, bindings: &mut Vec<Binding>) {
        let uses: Vec<Use> = std::mem::take(&mut self.uses[index]).into_values().collect();
        let chosen = &self.selection.chosen[index];
        // Equal classes may name variables of different loops: all that is used must be in scope where it is.
        let in_scope = |u: &Use| self.scopes.lift(u.place, chosen.needs.scope).is_some();
        if !uses.iter().all(in_scope) {
            self.legal = false;
            return;
        }
        if chosen.children.is_empty() {
            self.legal &= uses.iter().all(|&u| self.own_traps_allowed(index, u));
            return;
        }
        let mut inline = Vec::new();
        if bindable(&chosen.node) {
            let top = chosen.needs.scope;
            let all: Vec<&Use> = uses.iter().collect();
            let mut plan = Outcome::default();
            self.solve(index, top, &all, &mut plan);
            for (place, count) in plan.bound {
                bindings.push(Binding { index, place, uses: count });
                let frequency = self.scopes.get(place.scope).frequency;
                self.cost += (chosen.weight + self.let_weight) * frequency;
                self.handicap += chosen.handicap * frequency + chosen.rewriting;
                self.pass_on(index, Use { place, frequency, guards: ALWAYS, count: 1 });
            }
            inline = plan.inline;
        } else {
            inline.extend(uses);
        }
        for u in inline {
            if !self.own_traps_allowed(index, u) {
                self.legal = false;
                return;
            }
            self.cost += chosen.weight * u.frequency;
            self.handicap += chosen.handicap * u.frequency + chosen.rewriting;
            self.pass_on(index, u);
        }
    }

    /// The operands of a class computed at `u` are used there.
    fn pass_on(&mut self, index: Index, u: Use) {
        let chosen = &self.selection.chosen[index];
        for (i, &child) in chosen.children.iter().enumerate() {
            match traps::chosen_guard(self.selection, chosen, i) {
                Some(guard) => {
                    let guards = with(&self.guards[u.guards], Some(guard));
                    let guards = self.guards.insert_full(guards).0;
                    self.add_use(child, Use { frequency: u.frequency * self.branch, guards, ..u });
                }
                None => self.add_use(child, u),
            }
        }
    }

    /// Whether the operation of a class may be evaluated inline at `u`.
    fn own_traps_allowed(&self, index: Index, u: Use) -> bool {
        let own = traps::traps(self.lowered, &self.selection.chosen[index].node);
        own.iter().all(|trap| self.evaluated.allows(trap, u.place, &self.guards[u.guards]))
    }

    /// Whether the whole term of a class may be evaluated at `place`.
    fn may_bind(&mut self, index: Index, place: Place) -> bool {
        if let Some(&known) = self.allowed.get(&(index, place)) {
            return known;
        }
        let allowed = self.traps[index]
            .as_ref()
            .is_some_and(|all| all.iter().all(|(trap, guards)| self.evaluated.allows(trap, place, guards)));
        self.allowed.insert((index, place), allowed);
        allowed
    }

    /// The cheapest way to serve `uses`, all inside of `scope`.
    fn solve(&mut self, index: Index, scope: ScopeId, uses: &[&Use], out: &mut Outcome) -> f64 {
        let weight = self.inline_weight[index];
        // One binding here for all.
        let bound_cost = self
            .binding_place(index, scope, uses)
            .map(|place| (place, (weight + self.let_weight) * self.scopes.get(scope).frequency));
        // Or each inner scope on its own.
        let mut direct = 0.0;
        let mut inner: BTreeMap<ScopeId, Vec<&Use>> = BTreeMap::new();
        let mut rest = Outcome::default();
        for &u in uses {
            if u.place.scope == scope {
                direct += weight * u.frequency;
                rest.inline.push(*u);
            } else {
                inner.entry(self.child_towards(scope, u.place.scope)).or_default().push(u);
            }
        }
        let mut apart = direct;
        for (child, uses) in inner {
            apart += self.solve(index, child, &uses, &mut rest);
        }
        match bound_cost {
            Some((place, cost)) if cost < apart => {
                out.bound.push((place, uses.iter().map(|u| u.count).sum()));
                cost
            }
            _ => {
                out.bound.append(&mut rest.bound);
                out.inline.append(&mut rest.inline);
                apart
            }
        }
    }

    /// The child of `scope` in which `below` lies.
    fn child_towards(&self, scope: ScopeId, below: ScopeId) -> ScopeId {
        let mut at = below;
        while let Some(parent) = self.scopes.get(at).parent {
            if parent.scope == scope {
                break;
            }
            at = parent.scope;
        }
        at
    }

    /// The place in `scope` where one binding can serve all uses; `None` if there is none.
    fn binding_place(&mut self, index: Index, scope: ScopeId, uses: &[&Use]) -> Option<Place> {
        if !self.scopes.get(scope).insertable {
            return None;
        }
        let chosen = &self.selection.chosen[index];
        let mut first: Option<Place> = None;
        for u in uses {
            let at = self.scopes.lift(u.place, scope)?;
            first = Some(first.map_or(at, |f| f.min(at)));
        }
        let place = first?;
        if chosen.needs.scope == scope && place.position < chosen.needs.position {
            return None;
        }
        (chosen.total || self.may_bind(index, place)).then_some(place)
    }
}

#[derive(Default)]
struct Outcome {
    bound: Vec<(Place, usize)>,
    inline: Vec<Use>,
}

/// Whether a Let of such a node is ever wanted: not for what addressing modes absorb, annotations, and values
/// that are no plain data.
fn bindable(node: &Node) -> bool {
    !matches!(
        node.op,
        Op::Int(_) | Op::Float(_) | Op::Var(_) | Op::Ramp | Op::Broadcast | Op::Likely | Op::Template(_)
    ) && !matches!(node.dtype.kind, Kind::Handle | Kind::Void)
}
