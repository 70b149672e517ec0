//! What nests lose because vectors cannot take them.
//!
//! An element loses three quarters of its work if vectors could take it but for the loop: steps of the loop wait for each other (a
//! sum of floats folds over it), or neighbours in memory are not in its next steps. The loop is the innermost one, or that around it
//! where everything folds over the innermost one and LLVM writes that out: then accumulators are kept in registers. What stands
//! outside of that loop is for one element at a time.

use hashbrown::HashMap;

use super::items::{Item, Storage};
use super::nest::{Content, Member, Nest, World, folds_at};
use super::term::{Node, Term};
use super::tile::Tile;
use crate::cost::{Cost, Frequency};
use crate::ir::ExprKind;
use crate::ir::opclass::OpClass;

impl World<'_> {
    /// The loop whose steps vectors may take: the innermost one, or that around it if steps of the innermost one wait for each other.
    pub(super) fn vectors(&self, nest: &Nest) -> Option<usize> {
        let innermost = nest.loops.len().checked_sub(1)?;
        if self.is_serial_at(nest, innermost) { innermost.checked_sub(1) } else { Some(innermost) }
    }

    /// What a nest loses because vectors cannot take it. LLVM takes the steps of the innermost loop as vectors, or those of the loop
    /// around it if it writes the innermost one out first.
    pub(super) fn lost(&self, nest: &Nest, content: &Content, runs: &[Frequency]) -> Cost {
        let Some(innermost) = nest.loops.len().checked_sub(1) else { return Cost::default() };
        let mut lost = self.lost_at(nest, content, runs, innermost);
        if innermost > 0 && self.is_written_out(nest, content) {
            lost = lost.min(self.lost_at(nest, content, runs, innermost - 1));
        }
        lost
    }

    /// Whether the innermost loop is so short that LLVM writes it out.
    fn is_written_out(&self, nest: &Nest, content: &Content) -> bool {
        let depth = nest.loops.len();
        if !nest.members.iter().all(|member| folds_at(&self.items.list[member.item], member, depth - 1)) {
            return false;
        }
        let inside = content.order.iter().filter(|term| content.level[*term] == depth).count();
        let steps =
            nest.loops.last().and_then(|size| size.extent.as_int()).and_then(|n| usize::try_from(n).ok());
        steps.is_some_and(|steps| steps.saturating_mul(inside + nest.members.len()) <= WRITTEN_OUT)
    }

    /// What a nest loses if the steps of one loop are to be taken as vectors, and everything inside of it stands in one step.
    fn lost_at(&self, nest: &Nest, content: &Content, runs: &[Frequency], at: usize) -> Cost {
        let mut lost = Cost::default();
        let serial = self.is_serial_at(nest, at);
        for &term in &content.order {
            // What stands outside of the loop is computed for one element at a time.
            let scalar = serial || content.level[&term] <= at;
            let weight = match scalar {
                // Functions are called for one element at a time in any case.
                true if !self.is_call(term) => self.weight(term, &content.loads),
                false if self.is_strided(nest, &content.tile, term, &content.loads, at) => {
                    self.profile.weight(OpClass::Load)
                }
                true | false => continue,
            };
            lost += weight * (runs[content.level[&term]] * SCALAR_LOSS);
        }
        for member in &nest.members {
            let item = &self.items.list[member.item];
            // A reduction over a loop inside of this one is kept in a register.
            let folds_inside = (at + 1..nest.loops.len()).any(|inner| folds_at(item, member, inner));
            let stores = runs[if folds_inside { at + 1 } else { nest.loops.len() }];
            if !folds_at(item, member, at) && (serial || last_loop(item, member) != Some(at as u32)) {
                lost += self.beside(nest, member, &content.tile) * (stores * SCALAR_LOSS);
            }
        }
        lost
    }

    /// Whether steps of a loop wait for each other: a sum of floats, whose order counts, is carried from one to the next.
    fn is_serial_at(&self, nest: &Nest, at: usize) -> bool {
        nest.members.iter().any(|member| {
            let item = &self.items.list[member.item];
            let float = item.folding(self.values).is_some_and(|folding| folding.init.dtype.is_float());
            float && folds_at(item, member, at)
        })
    }

    fn is_call(&self, term: Term) -> bool {
        matches!(self.values.terms.node(term), Node::Form(head, _) if matches!(head.kind, ExprKind::Call(_)))
    }

    /// Whether a term reads elements that are no neighbours in two steps of a loop.
    pub(super) fn is_strided(
        &self,
        nest: &Nest,
        tile: &Tile,
        term: Term,
        loads: &HashMap<Term, usize>,
        at: usize,
    ) -> bool {
        let terms = &self.values.terms;
        let inner = at as u32;
        let reads = loads.contains_key(&term)
            || matches!(terms.node(term), Node::Form(head, _) if matches!(head.kind, ExprKind::Load { .. }));
        // Where several steps are taken at once the next one is far away.
        if reads
            && tile.at(at).is_some()
            && terms.axes(term).iter().any(|&axis| tile.loop_of(&nest.loops, axis) == inner)
        {
            return true;
        }
        if !terms.axes(term).contains(&inner) {
            return false;
        }
        let is_inner = |index: &Term| matches!(terms.node(*index), Node::Axis(axis, _) if *axis == inner);
        match (loads.get(&term), terms.node(term)) {
            (Some(&item), Node::Stored(_, _, indices)) => {
                let last = last_axis(&self.items.list[item]);
                last.is_none_or(|axis| !indices.get(axis).is_some_and(is_inner))
            }
            (Some(&item), _) => {
                let item = &self.items.list[item];
                let place = last_axis(item)
                    .and_then(|last| terms.axes(item.term).iter().position(|&axis| axis as usize == last));
                place.and_then(|place| terms.axes(term).get(place)) != Some(&inner)
            }
            (None, Node::Form(head, indices)) if matches!(head.kind, ExprKind::Load { .. }) => {
                // Where an extent is 1 the index is a constant.
                let last = indices
                    .iter()
                    .rev()
                    .find(|index| !terms.children(**index).is_empty() || !terms.axes(**index).is_empty());
                !last.is_some_and(is_inner)
            }
            (None, _) => false,
        }
    }
}

/// The most operations that LLVM writes out for all steps of an innermost loop.
const WRITTEN_OUT: usize = 256;

/// What an element loses that vectors could take if steps of the innermost loop did not wait for each other, or if its neighbours
/// in memory were in the next steps: three quarters of its work, as vectors hold at least four.
const SCALAR_LOSS: Frequency = Frequency::times(3).over(4);

/// The axis of an item whose neighbours are neighbours in its buffer.
fn last_axis(item: &Item) -> Option<usize> {
    match &item.storage {
        Storage::Own(_, dims) => dims.iter().rev().flatten().next().map(|&axis| axis as usize),
        Storage::New => item.kept.checked_sub(1),
    }
}

/// The loop over that axis.
fn last_loop(item: &Item, member: &Member) -> Option<u32> {
    last_axis(item).map(|axis| member.loops[axis])
}
