//! Loops in which no loop is left once that inner ones are written out: LLVM's loop vectorizer, which comes after that, takes
//! several of their iterations at once, also where elements that are no neighbours have to be put into vectors one by one.

use hashbrown::HashSet;

use super::Estimate;
use super::accesses::{MOVED, moved};
use super::hash::mix;
use super::registers::Element;
use crate::ir::{BufferId, Expr};
use crate::target::llvm::nests::{Stride, lanes, stride};

/// All that is in a loop, loops that are written out included.
#[derive(Clone, Debug, Default)]
pub(super) struct Whole {
    /// What it takes if nothing runs on vectors, each load for itself.
    pub(super) cost: f64,
    /// What it takes in each iteration, on top of that, to put elements into vectors and to take them out that are no neighbours.
    pub(super) moved: f64,
    pub(super) bits: u32,
    pub(super) stores: usize,
    /// Whether something prevents vectors.
    pub(super) is_prevented: bool,
    /// What LLVM takes for the cost of the accesses of an iteration, and of as many iterations as a vector has elements; and of
    /// operations, in all.
    scalar: f64,
    vector: f64,
    operations: f64,
    /// How many elements each iteration stores one by one.
    scattered: f64,
    /// The hashes of its accesses.
    seen: HashSet<u64>,
}

/// The most neighbours that different instructions access of which vectors are shuffled (`getMaxInterleaveFactor`), and what LLVM
/// takes for the cost of a store of such a vector.
const MOST_INTERLEAVED: f64 = 8.0;
const INTERLEAVED_STORE: f64 = 5.0;

/// What it takes to store such an element, and one to which none is next.
const MOVED_TO_NEIGHBOURS: f64 = 0.5;
const MOVED_APART: f64 = 1.75;

/// What LLVM takes for the cost of an operation on floats.
const FLOAT_OPERATION: f64 = 2.0;

/// Tells stores from loads.
const STORE: u64 = 37;

/// What an access takes on vectors.
struct OnVectors {
    /// What LLVM takes for its cost, for as many elements as a vector has.
    cost: f64,
    /// On top of its share of a vector, for each element.
    moved: f64,
    /// Whether elements are stored one by one.
    is_scattered: bool,
}

/// The same for elements that are so far from each other in different iterations; `copies`: how many of them an iteration
/// accesses by the same instruction.
fn on_vectors(along: &[Stride], copies: f64, lanes: f64, is_store: bool) -> OnVectors {
    let Some((&last, others)) = along.split_last() else {
        return OnVectors { cost: 1.0, moved: 0.0, is_scattered: false };
    };
    let is_row = others.iter().all(|along| *along == Stride::None);
    let apart = if is_store {
        OnVectors { cost: 2.0 * lanes, moved: MOVED_APART, is_scattered: true }
    } else {
        OnVectors { cost: 2.0 * lanes - 1.0, moved: MOVED, is_scattered: false }
    };
    match last {
        _ if !is_row => apart,
        Stride::None | Stride::Constant(1) => OnVectors { cost: 1.0, moved: 0.0, is_scattered: false },
        Stride::Constant(2 | -2 | -1) if !is_store => {
            OnVectors { cost: 3.0, moved: moved(last), is_scattered: false }
        }
        Stride::Constant(by) if is_store && by as f64 == copies && copies <= MOST_INTERLEAVED => {
            OnVectors { cost: INTERLEAVED_STORE, moved: MOVED_TO_NEIGHBOURS, is_scattered: false }
        }
        _ => apart,
    }
}

impl Whole {
    /// Adds an operation that is executed so often.
    pub(super) fn operation(&mut self, is_float: bool, times: f64) {
        self.operations += times * if is_float { FLOAT_OPERATION } else { 1.0 };
    }

    /// Adds what is in a loop that is written out.
    pub(super) fn add(&mut self, inner: &Whole) {
        self.cost += inner.cost;
        self.operations += inner.operations;
        self.is_prevented |= inner.is_prevented;
    }

    /// Whether LLVM takes vectors for cheaper, in a loop of so many iterations in all.
    pub(super) fn is_taken(&self, runs: f64, lanes: f64) -> bool {
        let operations = self.operations / runs;
        // It does not take loops with stores to several such elements.
        !self.is_prevented
            && self.stores > 0
            && self.scattered <= 1.0
            && self.vector + operations <= lanes * (self.scalar + operations)
    }
}

impl Estimate<'_> {
    /// Looks at an access from all the loops around it that are innermost ones when those in them are written out. `address`: a hash
    /// of it.
    pub(super) fn from_whole_loops(
        &mut self,
        buffer: BufferId,
        indices: &[Expr],
        address: u64,
        is_store: bool,
    ) {
        let hash = if is_store { mix(address, STORE) } else { address };
        let bits = u32::from(self.func.buffer(buffer).dtype.bits);
        let mut copies = 1.0;
        for at in (1..self.frames.len()).rev() {
            let Some(var) = self.frames[at].var else { break };
            if self.is_written_out(Some(var)) {
                let varies = indices.iter().any(|index| index.mentions(|own| own == var));
                copies *= if varies { self.frames[at].trips } else { 1.0 };
                continue;
            }
            let is_accumulated = !is_store && self.registers.writes(Some(var), buffer);
            let element = Element::of(indices);
            let is_apart = is_accumulated && !self.registers.stores_to(Some(var), buffer, element);
            let of_binding =
                |own| !self.iterations.is_of_loop(own) && self.depths.get(&own).is_some_and(|&d| d >= at);
            let is_unknown = indices.iter().any(|index| index.mentions(of_binding));
            let along: Vec<Stride> = indices.iter().map(|index| stride(index, var)).collect();
            let whole = &mut self.frames[at].whole;
            whole.bits = whole.bits.max(bits);
            whole.stores += usize::from(is_store);
            whole.is_prevented |= is_apart
                || is_unknown
                || along.contains(&Stride::Varying)
                || is_store && along.iter().all(|along| *along == Stride::None);
            if !is_accumulated && whole.seen.insert(hash) {
                let taken = on_vectors(&along, copies, lanes(bits), is_store);
                whole.moved += copies * taken.moved;
                whole.vector += copies * taken.cost;
                whole.scalar += copies;
                whole.scattered += if taken.is_scattered { copies } else { 0.0 };
            }
            break;
        }
    }
}
