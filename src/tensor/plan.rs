//! Plans: which items are kept in buffers, and which loop nests compute them, in which order.

use std::rc::Rc;

use super::keys::Size;
use super::nest::{Content, Member, Nest, World};
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
    pub kept: Vec<bool>,
}

impl Plan {
    /// Each item that is wanted in a nest of its own.
    pub(crate) fn apart(world: &mut World<'_>, wanted: impl Fn(usize) -> bool) -> Option<Plan> {
        let kept: Vec<bool> =
            (0..world.items.list.len()).map(|at| world.items.list[at].required || wanted(at)).collect();
        let mut slots = Vec::new();
        for at in (0..kept.len()).filter(|&at| kept[at]) {
            let nest = alone(world, at);
            let content = Rc::new(world.content(&nest, &kept)?);
            slots.push(Slot { nest, content });
        }
        Plan { slots, kept }.checked()
    }

    /// What the plan costs.
    pub(crate) fn cost(&self) -> Cost {
        self.slots.iter().map(|slot| slot.content.cost).sum()
    }

    /// The plan with its nests in an order in which each reads only what was computed before, as near to their own as that can
    /// be; `None` if there is none.
    fn checked(mut self) -> Option<Plan> {
        let mut done = vec![false; self.kept.len()];
        let mut slots = Vec::with_capacity(self.slots.len());
        while !self.slots.is_empty() {
            let ready = |slot: &Slot| slot.content.needs.iter().all(|&need| done[need]);
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
        let mut kept = self.kept.clone();
        kept[item] = false;
        let mut slots = Vec::new();
        for slot in &self.slots {
            let own = slot.nest.members.iter().any(|member| member.item == item);
            if !own && !slot.content.needs.contains(&item) {
                slots.push(slot.clone());
                continue;
            }
            let mut nest = slot.nest.clone();
            nest.members.retain(|member| member.item != item);
            if !nest.members.is_empty() {
                let content = Rc::new(world.content(&nest, &kept)?);
                slots.push(Slot { nest, content });
            }
        }
        Plan { slots, kept }.checked()
    }

    /// The plan with a buffer for an item, filled by the first nest that computes it.
    pub(crate) fn with(&self, world: &mut World<'_>, item: usize) -> Option<Plan> {
        let mut kept = self.kept.clone();
        kept[item] = true;
        let mut nests: Vec<Nest> = self.slots.iter().map(|slot| slot.nest.clone()).collect();
        let mut place = None;
        'nests: for (at, slot) in self.slots.iter().enumerate() {
            for &term in &slot.content.order {
                if world.items.find(world.values, term, &slot.nest.loops) == Some(item) {
                    place = Some((at, term));
                    break 'nests;
                }
            }
        }
        let (at, term) = place?;
        let own = world.values.terms.axes(world.items.list[item].term).to_vec();
        let here = world.values.terms.axes(term).to_vec();
        if here.len() == nests[at].loops.len() {
            let mut loops = vec![0; own.len()];
            for (&axis, &l) in own.iter().zip(&here) {
                loops[axis as usize] = l;
            }
            nests[at].members.insert(0, Member { item, loops });
        } else {
            nests.insert(at, alone(world, item));
        }
        let mut slots = Vec::new();
        for nest in nests {
            let content = Rc::new(world.content(&nest, &kept)?);
            slots.push(Slot { nest, content });
        }
        Plan { slots, kept }.checked()
    }

    /// The plans in which some members of one nest run in another one.
    pub(crate) fn moved(&self, world: &mut World<'_>, from: usize, chosen: &[usize], to: usize) -> Vec<Plan> {
        let (source, target) = (&self.slots[from].nest, &self.slots[to].nest);
        let (mut leaving, mut staying) = (Vec::new(), Vec::new());
        for (at, member) in source.members.iter().enumerate() {
            if chosen.contains(&at) { leaving.push(member.clone()) } else { staying.push(member.clone()) }
        }
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
            let Some(content) = world.content(&nest, &self.kept) else { continue };
            let mut slots = self.slots.clone();
            slots[to] = Slot { nest, content: Rc::new(content) };
            if staying.is_empty() {
                slots.remove(from);
            } else {
                let rest = Nest { loops: source.loops.clone(), members: staying.clone() };
                let Some(content) = world.content(&rest, &self.kept) else { continue };
                slots[from] = Slot { nest: rest, content: Rc::new(content) };
            }
            plans.extend(Plan { slots, kept: self.kept.clone() }.checked());
        }
        plans
    }
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
