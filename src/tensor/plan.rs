//! Plans: which items are kept in buffers, and which loop nests compute them, in which order.

use std::cmp::Ordering;
use std::rc::Rc;

use super::items::Role;
use super::nest::{Content, Member, Nest, World};
use super::stored::Size;
use super::term::Term;
use crate::cost::Cost;

/// A nest and what is known of it.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub nest: Nest,
    pub content: Rc<Content>,
}

/// Nests in order, and the items that they keep.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub slots: Vec<Slot>,
    /// The items that nests store.
    pub kept: Vec<bool>,
    /// The items that have to be kept, whether a nest reads them or not.
    pub demanded: Vec<bool>,
    /// The items that are in buffers from the start.
    pub given: Vec<bool>,
}

impl Plan {
    /// Each item that is wanted in a nest of its own. Given are those whose buffers are.
    pub(crate) fn apart(world: &mut World<'_>, wanted: impl Fn(usize) -> bool) -> Option<Plan> {
        let roles: Vec<Role> = world.items.list.iter().map(|item| item.role).collect();
        let given: Vec<bool> = roles.iter().map(|role| *role == Role::Given).collect();
        let demanded: Vec<bool> = roles.iter().map(|role| *role == Role::Output).collect();
        let kept = (0..given.len()).map(|at| demanded[at] || wanted(at) && !given[at]).collect();
        let mut plan = Plan { slots: Vec::new(), kept, demanded, given };
        let readable = plan.readable();
        for at in (0..plan.kept.len()).filter(|&at| plan.kept[at]) {
            let nest = alone(world, at);
            let content = world.content(&nest, &readable)?;
            plan.slots.push(Slot { nest, content });
        }
        plan.settled(world)
    }

    /// What the plan costs.
    pub(crate) fn cost(&self) -> Cost {
        self.slots.iter().map(|slot| slot.content.cost).sum()
    }

    /// The items that nests may read.
    fn readable(&self) -> Vec<bool> {
        self.kept.iter().zip(&self.given).map(|(kept, given)| *kept || *given).collect()
    }

    /// The items that nests read.
    pub(crate) fn needed(&self) -> Vec<bool> {
        let mut needed = vec![false; self.kept.len()];
        for &need in self.slots.iter().flat_map(|slot| &slot.content.needs) {
            needed[need] = true;
        }
        needed
    }

    /// The plan without what nobody needs, with all that is kept in any case if it is needed, in order.
    fn settled(mut self, world: &mut World<'_>) -> Option<Plan> {
        loop {
            let needed = self.needed();
            let items = 0..self.kept.len();
            if let Some(item) = items.clone().find(|&at| self.kept[at] && !needed[at] && !self.demanded[at]) {
                self.kept[item] = false;
                self.refill(world, |slot| slot.nest.members.iter().any(|member| member.item == item))?;
                continue;
            }
            let mut missing = items.filter(|&at| needed[at] && !self.kept[at] && !self.given[at]);
            let Some(item) = missing.next() else { return self.checked() };
            self.kept[item] = true;
            let nest = alone(world, item);
            let content = world.content(&nest, &self.readable())?;
            self.slots.insert(0, Slot { nest, content });
        }
    }

    /// Takes members that are not kept out of the nests that are chosen, and looks at these again.
    fn refill(&mut self, world: &mut World<'_>, chosen: impl Fn(&Slot) -> bool) -> Option<()> {
        let readable = self.readable();
        for mut slot in std::mem::take(&mut self.slots) {
            if chosen(&slot) {
                slot.nest.members.retain(|member| self.kept[member.item]);
                if slot.nest.members.is_empty() {
                    continue;
                }
                slot.content = world.content(&slot.nest, &readable)?;
            }
            self.slots.push(slot);
        }
        Some(())
    }

    /// The plan with its nests in an order in which each reads only what was computed before, as near to their own as that can
    /// be; `None` if there is none.
    fn checked(mut self) -> Option<Plan> {
        let mut done = vec![false; self.kept.len()];
        let mut slots = Vec::with_capacity(self.slots.len());
        while !self.slots.is_empty() {
            let ready = |slot: &Slot| slot.content.needs.iter().all(|&need| done[need] || self.given[need]);
            let next = self.slots.iter().position(ready)?;
            let slot = self.slots.remove(next);
            for member in &slot.nest.members {
                done[member.item] = true;
            }
            slots.push(slot);
        }
        (done == self.kept).then_some(Plan { slots, ..self })
    }

    /// The plan without a buffer for an item: it is computed where it is used.
    pub(crate) fn without(&self, world: &mut World<'_>, item: usize) -> Option<Plan> {
        let mut plan = self.clone();
        plan.kept[item] = false;
        plan.refill(world, |slot| {
            slot.content.needs.contains(&item) || slot.nest.members.iter().any(|member| member.item == item)
        })?;
        plan.settled(world)
    }

    /// The plan with a buffer for an item, filled by the first nest that computes it.
    pub(crate) fn with(&self, world: &mut World<'_>, item: usize) -> Option<Plan> {
        let (at, term) = self.computes(world, item)?;
        let mut plan = self.clone();
        plan.kept[item] = true;
        let own = world.values.terms.axes(world.items.list[item].term).to_vec();
        let Slot { nest, content } = &self.slots[at];
        let mut here: Vec<u32> = Vec::new();
        for &axis in world.values.terms.axes(term) {
            here.push(content.loop_of(nest, axis));
        }
        if here.len() == plan.slots[at].nest.loops.len() {
            let mut loops = vec![0; own.len()];
            for (&axis, &l) in own.iter().zip(&here) {
                loops[axis as usize] = l;
            }
            plan.slots[at].nest.members.insert(0, Member { item, loops });
        } else {
            let nest = alone(world, item);
            let content = world.content(&nest, &plan.readable())?;
            plan.slots.insert(at, Slot { nest, content });
        }
        plan.refill(world, |_| true)?;
        plan.settled(world)
    }

    /// The first nest that computes an item's value, and its term there.
    fn computes(&self, world: &mut World<'_>, item: usize) -> Option<(usize, Term)> {
        for (at, slot) in self.slots.iter().enumerate() {
            let frame = slot.content.frame(&slot.nest);
            for &term in &slot.content.order {
                if world.items.find(world.values, term, &frame) == Some(item) {
                    return Some((at, term));
                }
            }
        }
        None
    }

    /// The plan in which an item is kept in any case, computed in a nest of its own if no nest computes it so far.
    pub(crate) fn demanding(&self, world: &mut World<'_>, item: usize) -> Option<Plan> {
        let mut plan = self.clone();
        plan.demanded[item] = true;
        if plan.kept[item] {
            return Some(plan);
        }
        if world.items.list[item].is_optional()
            && let Some(filled) = plan.with(world, item)
        {
            return Some(filled);
        }
        plan.kept[item] = true;
        let nest = alone(world, item);
        let content = world.content(&nest, &plan.readable())?;
        plan.slots.push(Slot { nest, content });
        plan.refill(world, |_| true)?;
        plan.settled(world)
    }

    /// The plan in which an item is kept only if that pays.
    pub(crate) fn releasing(&self, world: &mut World<'_>, item: usize) -> Option<Plan> {
        let mut plan = self.clone();
        plan.demanded[item] = world.items.list[item].role == Role::Output;
        let plan = plan.settled(world)?;
        if plan.kept[item]
            && world.items.list[item].is_optional()
            && let Some(other) = plan.without(world, item)
            && other.cost() < plan.cost()
        {
            return Some(other);
        }
        Some(plan)
    }

    /// The plan in which an item is in a buffer from the start, or is not.
    pub(crate) fn giving(&self, world: &mut World<'_>, item: usize, given: bool) -> Option<Plan> {
        let mut plan = self.clone();
        plan.given[item] = given;
        plan.kept[item] &= !given;
        plan.refill(world, |_| true)?;
        plan.settled(world)
    }

    /// The plans in which some members of one nest run in another one.
    pub(crate) fn moved(&self, world: &mut World<'_>, from: usize, chosen: &[usize], to: usize) -> Vec<Plan> {
        let (source, target) = (&self.slots[from].nest, &self.slots[to].nest);
        let (mut leaving, mut staying) = (Vec::new(), Vec::new());
        for (at, member) in source.members.iter().enumerate() {
            if chosen.contains(&at) { leaving.push(member.clone()) } else { staying.push(member.clone()) }
        }
        let readable = self.readable();
        let mut plans = Vec::new();
        for (map, keeps) in alignments(&source.loops, &target.loops) {
            // The loops run in the order of the nest that keeps its own.
            let moved = |member: &Member, map: &[u32]| Member {
                item: member.item,
                loops: member.loops.iter().map(|&l| map[l as usize]).collect(),
            };
            let nest = if keeps {
                let new = leaving.iter().map(|member| moved(member, &map));
                let mut members: Vec<Member> = target.members.clone();
                if from < to {
                    members.splice(0..0, new);
                } else {
                    members.extend(new);
                }
                Nest { loops: target.loops.clone(), members }
            } else {
                let mut back = vec![0; map.len()];
                for (l, &image) in map.iter().enumerate() {
                    back[image as usize] = l as u32;
                }
                let old = target.members.iter().map(|member| moved(member, &back));
                let members = if from < to {
                    leaving.iter().cloned().chain(old).collect()
                } else {
                    old.chain(leaving.iter().cloned()).collect()
                };
                Nest { loops: source.loops.clone(), members }
            };
            for nest in orders(world, nest) {
                let Some(content) = world.content(&nest, &readable) else { continue };
                let mut slots = self.slots.clone();
                slots[to] = Slot { nest, content };
                if staying.is_empty() {
                    slots.remove(from);
                } else {
                    let rest = Nest { loops: source.loops.clone(), members: staying.clone() };
                    let Some(content) = world.content(&rest, &readable) else { continue };
                    slots[from] = Slot { nest: rest, content };
                }
                let (kept, demanded, given) = (self.kept.clone(), self.demanded.clone(), self.given.clone());
                plans.extend(Plan { slots, kept, demanded, given }.checked());
            }
        }
        plans
    }

    /// The plan with another nest in the place of one; `None` if that cannot be computed, or reads what is not there yet.
    fn with_nest(&self, world: &mut World<'_>, readable: &[bool], at: usize, nest: Nest) -> Option<Plan> {
        let content = world.content(&nest, readable)?;
        let mut plan = self.clone();
        plan.slots[at] = Slot { nest, content };
        plan.checked()
    }

    /// The plans in which the axes of one or two members of a nest run with other loops.
    pub(crate) fn realigned(&self, world: &mut World<'_>, at: usize) -> Vec<Plan> {
        let readable = self.readable();
        let nest = &self.slots[at].nest;
        let mut plans = Vec::new();
        for (map, _) in
            alignments(&nest.loops, &nest.loops).into_iter().filter(|(map, keeps)| *keeps && !map.is_sorted())
        {
            let count = nest.members.len();
            for (one, other) in (0..count).flat_map(|one| (one..count).map(move |other| (one, other))) {
                let mut nest = nest.clone();
                for (_, member) in
                    nest.members.iter_mut().enumerate().filter(|(k, _)| *k == one || *k == other)
                {
                    member.loops.iter_mut().for_each(|l| *l = map[*l as usize]);
                }
                plans.extend(self.with_nest(world, &readable, at, nest));
            }
        }
        plans
    }

    /// The plans in which another loop of a nest runs innermost.
    pub(crate) fn interchanged(&self, world: &mut World<'_>, at: usize) -> Vec<Plan> {
        let readable = self.readable();
        let others = orders(world, self.slots[at].nest.clone()).into_iter().skip(1);
        others.filter_map(|nest| self.with_nest(world, &readable, at, nest)).collect()
    }
}

/// A nest, and the same with each of its other loops innermost if steps wait for each other, or if it folds.
fn orders(world: &World<'_>, nest: Nest) -> Vec<Nest> {
    let mut found = Vec::new();
    let folds = |member: &Member| world.items.list[member.item].folding(world.values).is_some();
    if nest.members.iter().any(folds) && nest.loops.len() > 1 {
        let last = nest.loops.len() as u32 - 1;
        for inner in (0..last).rev() {
            let place = |l: u32| match l.cmp(&inner) {
                Ordering::Less => l,
                Ordering::Equal => last,
                Ordering::Greater => l - 1,
            };
            let mut loops = nest.loops.clone();
            let size = loops.remove(inner as usize);
            loops.push(size);
            let moved = |member: &Member| Member {
                item: member.item,
                loops: member.loops.iter().map(|&l| place(l)).collect(),
            };
            found.push(Nest { loops, members: nest.members.iter().map(moved).collect() });
        }
    }
    found.push(nest);
    found.reverse();
    found
}

/// The nest of an item alone.
fn alone(world: &World<'_>, item: usize) -> Nest {
    let axes = &world.items.list[item].axes;
    let members = vec![Member { item, loops: (0..axes.len() as u32).collect() }];
    Nest { loops: axes.clone(), members }
}

/// The most ways to let loops of two nests correspond.
const MAX_ALIGNMENTS: usize = 24;

/// How loops of one nest can run as loops of another: for each its place there, and whether the other's order is kept.
fn alignments(from: &[Size], to: &[Size]) -> Vec<(Vec<u32>, bool)> {
    if from.len() != to.len() {
        return Vec::new();
    }
    let mut found: Vec<Vec<u32>> = vec![Vec::new()];
    for size in from {
        let mut next = Vec::new();
        for known in &found {
            for (at, other) in to.iter().enumerate() {
                let at = at as u32;
                if other == size && !known.contains(&at) && next.len() < MAX_ALIGNMENTS {
                    let mut longer = known.clone();
                    longer.push(at);
                    next.push(longer);
                }
            }
        }
        found = next;
    }
    let mut all = Vec::new();
    for map in found {
        let same = map.is_sorted();
        all.push((map.clone(), true));
        if !same {
            all.push((map, false));
        }
    }
    all
}
