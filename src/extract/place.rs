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
//! input is certain to evaluate it ([`speculation`]); a choice of nodes for which that is not so everywhere
//! has no legal plan.

use std::collections::BTreeMap;
use std::ops::Add;

use egg::Id;
use hashbrown::{HashMap, HashSet};
use indexmap::IndexSet;
use smallvec::{SmallVec, smallvec};

use super::plan::{Binding, Plan};
use super::selection::{Chosen, Index, Selection};
use super::speculation::{self, SpeculationSafety, with};
use super::traps;
use crate::cost::{Cost, Frequency, Weight};
use crate::egraph::{Node, Op};
use crate::encode::{Guard, Lowered, Place, ScopeId, Scopes};
use crate::ir::Kind;
use crate::target::Objective;

/// One place where a class is used.
#[derive(Clone, Copy, Debug)]
struct Use {
    place: Place,
    /// How often the value is needed: the scope's frequency, less in lazy arms.
    frequency: Frequency,
    /// The conditions within the statement under which it is needed.
    guards: Guards,
    count: usize,
    /// How deep in the term of a statement or a binding it stands.
    depth: usize,
}

/// The places where a class is used.
type Uses = SmallVec<[Use; 1]>;

/// A set of conditions: index into [`Placer::guards`].
type Guards = usize;

/// No condition.
const ALWAYS: Guards = 0;

/// The most operations of a term that are looked at for a binding, and of all terms together: so many for each class.
const MAX_VISITS: usize = 10_000;
const MAX_VISITS_OF_CLASS: usize = 50;

/// The most sets of conditions that are told apart for a class in one place. Arms in arms have exponentially many.
const MAX_CONDITIONS: usize = 16;

/// The deepest terms; what lies deeper is bound where it can be. A program may nest [`MAX_DEPTH`](crate::ir::MAX_DEPTH) deep,
/// with its statements.
const MAX_TERM_DEPTH: usize = 800;

/// How often the text of a class may be repeated.
const MAX_COPIES: usize = 100_000;

/// Decides the bindings for a selection. If something would be evaluated where its variables are not in scope, or might trap
/// where the input does not evaluate it, the error is its class.
pub(crate) fn place(
    lowered: &Lowered,
    evaluated: &SpeculationSafety<'_>,
    selection: &Selection,
    objective: Objective<'_>,
) -> Result<Plan, Id> {
    let mut placer = Placer {
        lowered,
        evaluated,
        allowed: HashMap::new(),
        refused: HashSet::new(),
        guards: IndexSet::from_iter([Vec::new()]),
        illegal: None,
        visits: MAX_VISITS + MAX_VISITS_OF_CLASS * selection.chosen.len(),
        knows_operands: false,
        scopes: &lowered.scopes,
        selection,
        let_weight: objective.binding(),
        branch: objective.branch(),
        inline_weight: Vec::new(),
        uses: vec![SmallVec::new(); selection.chosen.len()],
        cost: Cost::ZERO,
        rank: Cost::ZERO,
    };
    placer.inline_weights();
    for (site, &index) in lowered.sites.iter().zip(&selection.sites) {
        let frequency = lowered.scopes.get(site.place.scope).frequency;
        placer.add_use(index, Use { place: site.place, frequency, guards: ALWAYS, count: 1, depth: 0 });
    }
    let mut bindings = Vec::new();
    for index in (0..selection.chosen.len()).rev() {
        placer.visit(index, &mut bindings);
    }
    bindings.reverse();
    match placer.illegal {
        Some(class) => Err(class),
        None => Ok(Plan { bindings, cost: placer.cost, rank: placer.rank }),
    }
}

struct Placer<'a> {
    lowered: &'a Lowered,
    evaluated: &'a SpeculationSafety<'a>,
    /// Where the term of a class, under conditions, may be evaluated, and where a class may not be bound, as far as that
    /// was asked.
    allowed: HashMap<(Index, Guards), SmallVec<[Place; 1]>>,
    refused: HashSet<(Index, Place)>,
    guards: IndexSet<Vec<Guard>>,
    /// A class that may not be evaluated where it is.
    illegal: Option<Id>,
    /// How many operations may still be looked at.
    visits: usize,
    /// Whether it was asked of all classes, operands first, if they may be evaluated as early as their variables are known.
    knows_operands: bool,
    scopes: &'a Scopes,
    selection: &'a Selection,
    let_weight: Weight,
    branch: Frequency,
    /// The weight of computing a class once more where operands that are worth it are bound.
    inline_weight: Vec<Weight>,
    uses: Vec<Uses>,
    cost: Cost,
    rank: Cost,
}

impl Placer<'_> {
    fn inline_weights(&mut self) {
        for chosen in &self.selection.chosen {
            let mut children = chosen.children.clone();
            children.sort_unstable();
            children.dedup();
            let operands = children.iter().map(|&k| self.inline_weight[k].min(self.let_weight));
            self.inline_weight.push(operands.fold(chosen.price.rank, Add::add));
        }
    }

    fn add_use(&mut self, index: Index, u: Use) {
        self.uses[index].push(u);
    }

    /// The uses of a class, by place and conditions.
    fn take_uses(&mut self, index: Index) -> Uses {
        let mut uses = std::mem::take(&mut self.uses[index]);
        let key = |u: &Use| (u.place, u.guards);
        uses.sort_by_key(key);
        uses.dedup_by(|u, last| {
            let same = key(u) == key(last);
            if same {
                last.frequency += u.frequency;
                last.count = last.count.saturating_add(u.count);
                last.depth = last.depth.max(u.depth);
            }
            same
        });
        if uses.len() > MAX_CONDITIONS {
            uses = uses
                .chunk_by(|a, b| a.place == b.place)
                .flat_map(|uses| self.fewer_conditions(uses))
                .collect();
        }
        uses
    }

    /// Uses in one place; if they are many, as one under the conditions that all have.
    fn fewer_conditions(&mut self, uses: &[Use]) -> Uses {
        if uses.len() <= MAX_CONDITIONS {
            return uses.into();
        }
        let guards = self.common(uses.iter().map(|u| u.guards));
        let sum = |sum: Use, u: &Use| Use {
            frequency: sum.frequency + u.frequency,
            count: sum.count.saturating_add(u.count),
            depth: sum.depth.max(u.depth),
            ..sum
        };
        let first = Use { guards, ..uses[0] };
        SmallVec::from_elem(uses[1..].iter().fold(first, sum), 1)
    }

    /// The conditions that several sets have in common.
    fn common(&mut self, mut sets: impl Iterator<Item = Guards>) -> Guards {
        let mut common = sets.next().map(|set| self.guards[set].clone()).unwrap_or_default();
        for set in sets {
            common.retain(|guard| self.guards[set].contains(guard));
        }
        self.guards.insert_full(common).0
    }

    fn visit(&mut self, index: Index, bindings: &mut Vec<Binding>) {
        let uses = self.take_uses(index);
        let chosen = &self.selection.chosen[index];
        if uses.iter().any(|u| u.count > MAX_COPIES) {
            self.illegal = Some(chosen.class);
            return;
        }
        // Equal classes may name variables of different loops: all that is used must be in scope where it is.
        let in_scope = |u: &Use| self.scopes.lift(u.place, chosen.needs.scope).is_some();
        if !uses.iter().all(in_scope) {
            self.illegal = Some(chosen.class);
            return;
        }
        if chosen.children.is_empty() {
            if !uses.iter().all(|&u| self.own_traps_allowed(index, u)) {
                self.illegal = Some(chosen.class);
            }
            return;
        }
        let mut inline = Uses::new();
        let top = chosen.needs.scope;
        // A binding for a single use pays only further out.
        let stays =
            matches!(uses[..], [u] if u.place.scope == top && u.frequency <= self.scopes.get(top).frequency);
        if bindable(&chosen.node) && !stays && self.lanes_allow(chosen) {
            let mut plan = Outcome::default();
            self.solve(index, top, &uses, &mut plan);
            for (place, count) in plan.bound {
                self.bind(index, place, count, bindings);
            }
            inline.extend(plan.inline);
        } else {
            inline = uses;
        }
        for u in inline {
            if u.depth >= MAX_TERM_DEPTH && self.bound_for_depth(index, u, bindings) {
                continue;
            }
            if !self.own_traps_allowed(index, u) {
                self.illegal = Some(chosen.class);
                return;
            }
            self.cost += chosen.price.weight * u.frequency;
            self.rank += chosen.price.rank * u.frequency + chosen.rewriting;
            self.pass_on(index, u);
        }
    }

    /// Whether TVM takes a binding of the class in the vectorized loops in which it varies.
    fn lanes_allow(&self, chosen: &Chosen) -> bool {
        let lanes = self.scopes.get(chosen.needs.scope).lanes;
        let of_truth = || chosen.children.iter().any(|&c| self.selection.chosen[c].node.dtype.is_bool());
        lanes.allow(chosen.node.dtype.is_bool() || chosen.node.op == Op::Cast && of_truth())
    }

    /// Binds a class right before its use, if it may be; whether it was.
    fn bound_for_depth(&mut self, index: Index, u: Use, bindings: &mut Vec<Binding>) -> bool {
        let scope = u.place.scope;
        let chosen = &self.selection.chosen[index];
        if !bindable(&chosen.node) || !self.lanes_allow(chosen) {
            return false;
        }
        let Some(place) = self.binding_place(index, scope, &[u]).filter(|&place| self.may_bind(index, place))
        else {
            return false;
        };
        self.bind(index, place, u.count, bindings);
        true
    }

    fn bind(&mut self, index: Index, place: Place, uses: usize, bindings: &mut Vec<Binding>) {
        let chosen = &self.selection.chosen[index];
        bindings.push(Binding { index, place, uses });
        let frequency = self.scopes.get(place.scope).frequency;
        self.cost += (chosen.price.weight + self.let_weight) * frequency;
        self.rank += (chosen.price.rank + self.let_weight) * frequency + chosen.rewriting;
        self.pass_on(index, Use { place, frequency, guards: ALWAYS, count: 1, depth: 0 });
    }

    /// The operands of a class computed at `u` are used there.
    fn pass_on(&mut self, index: Index, u: Use) {
        let u = Use { depth: u.depth + 1, ..u };
        let chosen = &self.selection.chosen[index];
        for (i, &child) in chosen.children.iter().enumerate() {
            let guards = self.guards_of_operand(u.guards, chosen, i);
            let lazy = traps::condition(&chosen.node, i).is_some();
            let frequency = if lazy { u.frequency * self.branch } else { u.frequency };
            self.add_use(child, Use { frequency, guards, ..u });
        }
    }

    /// The conditions of operand `i` of what is evaluated under `guards`.
    fn guards_of_operand(&mut self, guards: Guards, chosen: &Chosen, i: usize) -> Guards {
        let more = speculation::chosen_guards(self.lowered, self.selection, chosen, i);
        if more.is_empty() { guards } else { self.guards.insert_full(with(&self.guards[guards], more)).0 }
    }

    /// Whether the operation of a class may be evaluated inline at `u`.
    fn own_traps_allowed(&self, index: Index, u: Use) -> bool {
        let chosen = &self.selection.chosen[index];
        if chosen.total {
            return true;
        }
        let own = traps::traps(self.lowered, chosen.class, &chosen.node);
        own.iter().all(|trap| self.evaluated.allows(trap, u.place, &self.guards[u.guards]))
    }

    /// Whether the whole term of a class may be evaluated at `place`.
    fn may_bind(&mut self, index: Index, place: Place) -> bool {
        if self.selection.chosen[index].total {
            return true;
        }
        if self.refused.contains(&(index, place)) {
            return false;
        }
        self.know_operands();
        // Users before their operands, so that all conditions are known under which a class is evaluated.
        let mut pending: BTreeMap<Index, SmallVec<[Guards; 1]>> =
            BTreeMap::from([(index, smallvec![ALWAYS])]);
        let mut seen: Vec<(Index, Guards)> = Vec::new();
        while let Some((at, mut conditions)) = pending.pop_last() {
            conditions.sort_unstable();
            conditions.dedup();
            if conditions.len() > MAX_CONDITIONS {
                conditions = smallvec![self.common(conditions.into_iter())];
            }
            for guards in conditions {
                if self.is_allowed(at, guards, place) {
                    continue;
                }
                let u = Use { place, frequency: Frequency::ONE, guards, count: 1, depth: 0 };
                if seen.len() >= MAX_VISITS || self.visits == 0 || !self.own_traps_allowed(at, u) {
                    self.refused.insert((index, place));
                    return false;
                }
                self.visits -= 1;
                seen.push((at, guards));
                let chosen = &self.selection.chosen[at];
                for (i, &child) in chosen.children.iter().enumerate() {
                    if self.selection.chosen[child].total {
                        continue;
                    }
                    let guards = self.guards_of_operand(guards, chosen, i);
                    pending.entry(child).or_default().push(guards);
                }
            }
        }
        for key in seen {
            self.allowed.entry(key).or_default().push(place);
        }
        true
    }

    /// When half of the visits are spent: asks for all classes, operands first, whether they may be evaluated as early as
    /// their variables are known. Then terms need not be looked through below them, which in a chain of bindings would
    /// happen for each link.
    fn know_operands(&mut self) {
        let classes = self.selection.chosen.len();
        if self.knows_operands || self.visits * 2 > MAX_VISITS + MAX_VISITS_OF_CLASS * classes {
            return;
        }
        self.knows_operands = true;
        for index in 0..classes {
            let place = self.selection.chosen[index].needs;
            self.may_bind(index, place);
        }
    }

    /// Whether the term of a class is known to be allowed, under the conditions, at a place that is passed before `place`
    /// is reached: then it is there as well.
    fn is_allowed(&self, index: Index, guards: Guards, place: Place) -> bool {
        let places = self.allowed.get(&(index, guards)).map_or(&[][..], SmallVec::as_slice);
        places.iter().any(|known| {
            self.scopes.lift(place, known.scope).is_some_and(|lifted| lifted.position >= known.position)
        })
    }

    /// The cheapest way to serve `uses`, all inside of `scope`.
    fn solve(&mut self, index: Index, scope: ScopeId, uses: &[Use], out: &mut Outcome) -> Cost {
        let weight = self.inline_weight[index];
        // One binding here for all.
        let bound_cost = self
            .binding_place(index, scope, uses)
            .map(|place| (place, (weight + self.let_weight) * self.scopes.get(scope).frequency));
        // Or each inner scope on its own.
        let mut direct = Cost::ZERO;
        let mut inner: SmallVec<[(ScopeId, Use); 4]> = SmallVec::new();
        let mut rest = Outcome::default();
        for &u in uses {
            if u.place.scope == scope {
                direct += weight * u.frequency;
                rest.inline.push(u);
            } else {
                inner.push((self.child_towards(scope, u.place.scope), u));
            }
        }
        let mut apart = direct;
        inner.sort_by_key(|&(child, _)| child);
        for uses in inner.chunk_by(|(a, _), (b, _)| a == b) {
            let child = uses[0].0;
            let uses: SmallVec<[Use; 4]> = uses.iter().map(|&(_, u)| u).collect();
            apart += self.solve(index, child, &uses, &mut rest);
        }
        match bound_cost {
            Some((place, cost)) if cost < apart && self.may_bind(index, place) => {
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

    /// The place in `scope` where one binding would serve all uses; `None` if there is none.
    fn binding_place(&self, index: Index, scope: ScopeId, uses: &[Use]) -> Option<Place> {
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
        Some(place)
    }
}

#[derive(Default)]
struct Outcome {
    bound: SmallVec<[(Place, usize); 2]>,
    inline: Uses,
}

/// Whether a Let of such a node is ever wanted: not for what addressing modes absorb, annotations, and values
/// that are no plain data.
fn bindable(node: &Node) -> bool {
    !matches!(
        node.op,
        Op::Int(_) | Op::Float(_) | Op::Var(_) | Op::Ramp | Op::Broadcast | Op::Likely | Op::Template(_)
    ) && !matches!(node.dtype.kind, Kind::Handle | Kind::Void)
}
