//! Several steps of loops at once.
//!
//! A reduction loads and stores its accumulator in each step. Where several steps of a loop are taken at once, one after the other
//! inside of the loops that stand in it, an element of the accumulator is loaded and stored once for all of them, and so is what
//! these have in common. Each reduction folds in its own order still.

use super::items::Item;
use super::nest::{Content, Member, Nest, World, folds_at};
use super::term::{Term, Terms};
use super::tile::{Steps, Tile};

/// How many steps may be taken at once, the best first: an accumulator costs little beside them, and registers hold what they share.
const COUNTS: [u32; 5] = [4, 5, 3, 7, 2];

/// The most steps of a loop that are all taken at once.
const MAX_WHOLE: i64 = 32;

/// The same for a second loop.
const SECOND_COUNTS: [u32; 2] = [2, 3];

/// The most operations of an innermost loop that takes several steps at once.
const MAX_OPERATIONS: usize = 64;

impl Tile {
    /// Whether a member folds all that it folds in the copies of one element: its accumulator is never kept.
    pub(crate) fn folds_all(&self, nest: &Nest, item: &Item, member: &Member) -> bool {
        let folded = &member.loops[item.kept..];
        let at_once = |&at: &u32| {
            self.at(at as usize).is_some_and(|steps| steps.rest(&nest.loops[at as usize]).is_none())
        };
        !self.steps.is_empty() && folded.iter().all(at_once)
    }
}

impl World<'_> {
    /// The steps of a nest that may be taken at once: of a loop over which something folds, and of another one around the innermost.
    pub(super) fn tiles(&self, nest: &Nest) -> Vec<Tile> {
        let depth = nest.loops.len();
        let item = |member: usize| &self.items.list[nest.members[member].item];
        let folds = |member: usize, at: usize| folds_at(item(member), &nest.members[member], at);
        // What folds over a loop, and over one inside of it, folds step by step.
        let in_order = |at: usize| {
            (0..nest.members.len()).all(|m| !folds(m, at) || !(at + 1..depth).any(|inner| folds(m, inner)))
        };
        let steps = |at: usize, counts: &[u32]| {
            let extent = nest.loops[at].extent.as_int().filter(|extent| *extent > 0)?;
            let count = counts.iter().copied().find(|&count| extent % i64::from(count) == 0)?;
            in_order(at).then_some(Steps { at, count })
        };
        let folded = (0..depth).filter(|&at| (0..nest.members.len()).any(|member| folds(member, at)));
        let mut tiles = Vec::new();
        let whole =
            |at: usize| nest.loops[at].extent.as_int().filter(|extent| (2..=MAX_WHOLE).contains(extent));
        for at in folded {
            let all = whole(at).and_then(|extent| steps(at, &[extent as u32]));
            tiles.extend(all.map(|all| Tile { steps: vec![all] }));
            let Some(first) = steps(at, &COUNTS) else { continue };
            tiles.push(Tile { steps: vec![first] });
            // Copies along another loop share operands: that pays where accumulators are in memory.
            let others = (0..depth.saturating_sub(1)).filter(|&other| other != at);
            for second in others.filter_map(|other| steps(other, &SECOND_COUNTS)) {
                let mut steps = vec![first, second];
                steps.sort_unstable_by_key(|steps| steps.at);
                tiles.push(Tile { steps });
            }
        }
        tiles
    }
}

impl Content {
    /// Whether what the innermost loop would do if steps were taken at once is so short that registers hold what it takes: what varies
    /// with a loop is there for each of its steps. That is found without looking at the copies, of which there may be many.
    pub(super) fn stays_short(&self, nest: &Nest, tile: &Tile, terms: &Terms) -> bool {
        let depth = nest.loops.len();
        let copies = |term: &Term| -> usize {
            let varies = |at: usize| terms.axes(*term).contains(&(at as u32));
            tile.steps.iter().filter(|steps| varies(steps.at)).map(|steps| steps.count as usize).product()
        };
        let inner = self.order.iter().filter(|term| self.level[*term] == depth);
        inner.map(copies).sum::<usize>() <= MAX_OPERATIONS
    }
}
