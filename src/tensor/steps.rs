//! Several steps of loops at once.
//!
//! A reduction loads and stores its accumulator in each step. Where several steps of a loop are taken at once, one after the other
//! inside of the loops that stand in it, an element of the accumulator is loaded and stored once for all of them, and so is what
//! these have in common. Each reduction folds in its own order still.

use super::items::Item;
use super::nest::{Content, Member, Nest, World, folds_at};
use super::stored::Size;
use crate::ir::Expr;

/// Steps of a loop that are taken at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Steps {
    /// The loop.
    pub at: usize,
    /// How many.
    pub count: u32,
}

impl Steps {
    /// The size of the loop that takes them; `None` if that has one step.
    pub(crate) fn rest(self, size: &Size) -> Option<Size> {
        let count = i64::from(self.count);
        let extent = size.extent.as_int().map_or(1, |extent| extent / count);
        (extent != 1).then(|| Size { extent: Expr::int(extent, size.extent.dtype), ..size.clone() })
    }
}

/// Steps of several loops, the outermost first: what the nest does is there once for each combination of them, its copies. Behind
/// the loops of the nest the frame has an axis for each step of each loop, which is the loop's variable there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tile {
    pub steps: Vec<Steps>,
}

impl Tile {
    /// How many copies there are.
    pub(crate) fn copies(&self) -> u32 {
        self.steps.iter().map(|steps| steps.count).product()
    }

    /// The steps of a loop, if several are taken at once.
    pub(crate) fn at(&self, at: usize) -> Option<Steps> {
        self.steps.iter().copied().find(|steps| steps.at == at)
    }

    /// Which step of each loop a copy is, in the order of [`Tile::steps`]: those of the last loop follow each other.
    pub(crate) fn places(&self, copy: u32) -> Vec<u32> {
        let mut left = copy;
        let mut places: Vec<u32> = self
            .steps
            .iter()
            .rev()
            .map(|steps| {
                let place = left % steps.count;
                left /= steps.count;
                place
            })
            .collect();
        places.reverse();
        places
    }

    /// The axis of the frame that stands for a loop in a copy.
    pub(crate) fn axis(&self, nest: &Nest, at: u32, copy: u32) -> u32 {
        let mut first = nest.loops.len() as u32;
        for (steps, place) in self.steps.iter().zip(self.places(copy)) {
            if steps.at == at as usize {
                return first + place;
            }
            first += steps.count;
        }
        at
    }

    /// Whether a member folds all that it folds in the copies of one element: its accumulator is never kept.
    pub(crate) fn folds_all(&self, nest: &Nest, item: &Item, member: &Member) -> bool {
        let folded = &member.loops[item.kept..];
        let at_once = |&at: &u32| {
            self.at(at as usize).is_some_and(|steps| steps.rest(&nest.loops[at as usize]).is_none())
        };
        !self.steps.is_empty() && folded.iter().all(at_once)
    }

    /// The loop that an axis of the frame runs with.
    pub(crate) fn loop_of(&self, nest: &Nest, axis: u32) -> u32 {
        let mut first = nest.loops.len() as u32;
        for steps in &self.steps {
            if (first..first + steps.count).contains(&axis) {
                return steps.at as u32;
            }
            first += steps.count;
        }
        axis
    }

    /// The sizes of all axes of the frame.
    pub(crate) fn frame(&self, nest: &Nest) -> Vec<Size> {
        let copies = |steps: &Steps| std::iter::repeat_n(&nest.loops[steps.at], steps.count as usize);
        nest.loops.iter().chain(self.steps.iter().flat_map(copies)).cloned().collect()
    }
}

/// How many steps may be taken at once, the best first: an accumulator costs little beside them, and registers hold what they share.
const COUNTS: [u32; 5] = [4, 5, 3, 7, 2];

/// The most steps of a loop that are all taken at once.
const MAX_WHOLE: i64 = 32;

/// The same for a second loop.
const SECOND_COUNTS: [u32; 2] = [2, 3];

/// The most operations of an innermost loop that takes several steps at once.
const MAX_OPERATIONS: usize = 64;

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
    /// Whether what the innermost loop does is so short that registers hold what it takes.
    pub(super) fn is_short(&self, nest: &Nest) -> bool {
        let depth = nest.loops.len();
        self.order.iter().filter(|term| self.level[*term] == depth).count() <= MAX_OPERATIONS
    }
}
