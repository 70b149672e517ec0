//! How many steps of which loops of a nest are taken at once.

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
    pub(crate) fn axis(&self, loops: &[Size], at: u32, copy: u32) -> u32 {
        let mut first = loops.len() as u32;
        for (steps, place) in self.steps.iter().zip(self.places(copy)) {
            if steps.at == at as usize {
                return first + place;
            }
            first += steps.count;
        }
        at
    }

    /// The loop that an axis of the frame runs with.
    pub(crate) fn loop_of(&self, loops: &[Size], axis: u32) -> u32 {
        let mut first = loops.len() as u32;
        for steps in &self.steps {
            if (first..first + steps.count).contains(&axis) {
                return steps.at as u32;
            }
            first += steps.count;
        }
        axis
    }

    /// The sizes of all axes of the frame.
    pub(crate) fn frame(&self, loops: &[Size]) -> Vec<Size> {
        let copies = |steps: &Steps| std::iter::repeat_n(&loops[steps.at], steps.count as usize);
        loops.iter().chain(self.steps.iter().flat_map(copies)).cloned().collect()
    }
}
