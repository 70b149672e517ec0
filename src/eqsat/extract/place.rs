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
//! use lies behind a write, by the meaning of versions). A class that may trap is bound only where it is certain to
//! be evaluated: by the statement behind the binding or a later one of the block with nothing before it that may
//! not complete; there directly, not in a lazy arm, or inside of blocks that run whenever their statement does.

use std::collections::BTreeMap;

use super::super::lang::{Node, Op};
use super::super::lower::Lowered;
use super::super::scopes::{Place, ScopeId, Scopes};
use super::select::{Index, Selection};
use crate::cost::Profile;
use crate::ir::opclass::OpClass;
use crate::ir::{BinOp, Kind};

/// A class bound at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Binding {
    /// The class.
    pub index: Index,
    /// Just before which statement.
    pub place: Place,
    /// How many expressions it serves.
    pub uses: usize,
}

/// All bindings; at one place, operands come before their users.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The bindings in the order in which they are made.
    pub bindings: Vec<Binding>,
    /// The cost of the whole: that of all bindings and of what is computed inline.
    pub cost: f64,
}

/// One place where a class is used.
#[derive(Clone, Copy, Debug)]
struct Use {
    place: Place,
    /// How often the value is needed: the scope's frequency, less in lazy arms.
    frequency: f64,
    /// Whether it may stay unevaluated when the statement runs.
    lazy: bool,
    count: usize,
}

/// Uses by place and laziness.
type Uses = BTreeMap<(Place, bool), Use>;

/// Decides the bindings for a selection.
pub fn place(lowered: &Lowered, selection: &Selection, profile: &Profile) -> Plan {
    let mut placer = Placer {
        scopes: &lowered.scopes,
        selection,
        let_weight: profile.weight(OpClass::Bind).to_f64(),
        branch: profile.branch().to_f64(),
        inline_weight: Vec::new(),
        uses: vec![Uses::new(); selection.chosen.len()],
        cost: 0.0,
    };
    placer.inline_weights();
    for (site, &index) in lowered.sites.iter().zip(&selection.sites) {
        let frequency = lowered.scopes.get(site.place.scope).frequency;
        placer.add_use(index, Use { place: site.place, frequency, lazy: false, count: 1 });
    }
    let mut bindings = Vec::new();
    for index in (0..selection.chosen.len()).rev() {
        placer.visit(index, &mut bindings);
    }
    bindings.reverse();
    Plan { bindings, cost: placer.cost }
}

struct Placer<'a> {
    scopes: &'a Scopes,
    selection: &'a Selection,
    let_weight: f64,
    branch: f64,
    /// The weight of computing a class once more where operands that are worth it are bound.
    inline_weight: Vec<f64>,
    uses: Vec<Uses>,
    cost: f64,
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

    fn add_use(&mut self, index: Index, u: Use) {
        self.uses[index]
            .entry((u.place, u.lazy))
            .and_modify(|e| {
                e.frequency += u.frequency;
                e.count += u.count;
            })
            .or_insert(u);
    }

    fn visit(&mut self, index: Index, bindings: &mut Vec<Binding>) {
        let uses: Vec<Use> = std::mem::take(&mut self.uses[index]).into_values().collect();
        let chosen = &self.selection.chosen[index];
        if chosen.children.is_empty() {
            return;
        }
        let mut inline = Vec::new();
        if bindable(&chosen.node) {
            let top = chosen.needs.scope;
            let all: Vec<&Use> = uses.iter().collect();
            let mut plan = Outcome::default();
            if all.iter().all(|u| self.scopes.lift(u.place, top).is_some()) {
                self.solve(index, top, &all, &mut plan);
            } else {
                plan.inline.extend(uses.iter().copied());
            }
            for (place, count) in plan.bound {
                bindings.push(Binding { index, place, uses: count });
                let frequency = self.scopes.get(place.scope).frequency;
                self.cost += (chosen.weight + self.let_weight) * frequency;
                self.pass_on(index, Use { place, frequency, lazy: false, count: 1 });
            }
            inline = plan.inline;
        } else {
            inline.extend(uses);
        }
        for u in inline {
            self.cost += chosen.weight * u.frequency;
            self.pass_on(index, u);
        }
    }

    /// The operands of a class computed at `u` are used there.
    fn pass_on(&mut self, index: Index, u: Use) {
        let chosen = &self.selection.chosen[index];
        for (i, &child) in chosen.children.iter().enumerate() {
            let lazy = is_lazy(&chosen.node, i);
            let frequency = if lazy { u.frequency * self.branch } else { u.frequency };
            self.add_use(child, Use { frequency, lazy: u.lazy || lazy, ..u });
        }
    }

    /// The cheapest way to serve `uses`, all inside of `scope`.
    fn solve(&self, index: Index, scope: ScopeId, uses: &[&Use], out: &mut Outcome) -> f64 {
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
    fn binding_place(&self, index: Index, scope: ScopeId, uses: &[&Use]) -> Option<Place> {
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
        if chosen.total {
            return Some(place);
        }
        // It may trap, so it must be certain to be evaluated once `place` is reached: by that statement or by a
        // later one of the block, if everything up to there completes.
        let certain = uses
            .iter()
            .filter(|u| !u.lazy)
            .filter_map(|u| self.certain(u.place, scope))
            .min()
            .filter(|&at| at == place.position || at <= self.scopes.get(scope).barrier);
        certain.map(|_| place)
    }

    /// The statement of `scope` that always evaluates what stands, not lazily, at `at` inside of it; `None` if
    /// there may be runs in which it does not.
    fn certain(&self, at: Place, scope: ScopeId) -> Option<u32> {
        let mut at = at;
        while at.scope != scope {
            let inner = self.scopes.get(at.scope);
            if !inner.certain || at.position > inner.barrier {
                return None;
            }
            at = inner.parent?;
        }
        Some(at.position)
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

/// Whether operand `i` of the node may stay unevaluated.
fn is_lazy(node: &Node, i: usize) -> bool {
    match node.op {
        Op::IfThenElse => i > 0,
        Op::Bin(BinOp::And | BinOp::Or) => i == 1,
        _ => false,
    }
}
