//! Loops in which no loop is left once that inner ones are written out: LLVM's loop vectorizer, which comes after that, takes
//! several of their iterations at once, also where elements that are no neighbours have to be put into vectors one by one. When it
//! does that, and what it takes then, was found by small nests with all kinds of accesses that TVM 0.27 compiled for SSE2.

use hashbrown::{HashMap, HashSet};

use crate::target::llvm::nests::{Stride, lanes};

/// All that is in a loop, loops that are written out included.
#[derive(Clone, Debug, Default)]
pub(super) struct Whole {
    /// What it takes if nothing runs on vectors, each load for itself.
    pub(super) cost: f64,
    /// What it takes in each iteration, on top of that, to put elements into vectors that are no neighbours.
    gathered: f64,
    /// The elements that are stored in each iteration and are equally far apart from one to the next, by how far, and by their
    /// address without its constant: how many, and how many of these one vector has.
    scattered: HashMap<(u64, i64), (f64, f64)>,
    /// What operations take on vectors for each element, on top of their share of a vector, in all.
    pub(super) for_each_element: f64,
    /// The bits of the widest element that is accessed.
    pub(super) bits: u32,
    stores: usize,
    /// Whether something prevents vectors.
    pub(super) is_prevented: bool,
    /// What LLVM takes for the cost of the accesses of an iteration, and of as many iterations as a vector has elements; and of
    /// operations, in all.
    scalar: f64,
    vector: f64,
    operations: f64,
    /// How many elements loops in it load that are the same in all iterations: in front of the loop.
    pub(super) invariant: f64,
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

/// What it takes to put an element into a vector that is no neighbour of the others: a load and a move for each one. Where every
/// second is needed, or all in reverse order, whole vectors are loaded and shuffled.
pub(super) const MOVED: f64 = 1.5;
pub(super) const SHUFFLED: f64 = 0.5;
const REVERSED: f64 = 0.25;

/// The same for the elements of a load.
pub(super) fn moved(along: Stride) -> f64 {
    match along {
        Stride::Constant(-1) => REVERSED,
        Stride::Constant(2 | -2) => SHUFFLED,
        _ => MOVED,
    }
}

/// What an access takes on vectors.
struct OnVectors {
    /// What LLVM takes for its cost, for as many elements as a vector has.
    cost: f64,
    /// On top of its share of a vector, for each element.
    moved: f64,
}

/// The same for elements that are so far from each other in different iterations; `copies`: how many of them an iteration
/// accesses in a row.
fn on_vectors(along: &[Stride], copies: f64, lanes: f64, is_store: bool) -> OnVectors {
    let Some((&last, others)) = along.split_last() else {
        return OnVectors { cost: 1.0, moved: 0.0 };
    };
    let is_row = others.iter().all(|along| *along == Stride::None);
    let apart = if is_store {
        OnVectors { cost: 2.0 * lanes, moved: MOVED_APART }
    } else {
        OnVectors { cost: 2.0 * lanes - 1.0, moved: MOVED }
    };
    match last {
        _ if !is_row => apart,
        Stride::None | Stride::Constant(1) => OnVectors { cost: 1.0, moved: 0.0 },
        Stride::Constant(2 | -2 | -1) if !is_store => OnVectors { cost: 3.0, moved: moved(last) },
        Stride::Constant(by) if is_store && by as f64 == copies && copies <= MOST_INTERLEAVED => {
            OnVectors { cost: INTERLEAVED_STORE, moved: MOVED_TO_NEIGHBOURS }
        }
        _ => apart,
    }
}

/// An access as its instruction is executed in different iterations of a loop.
pub(super) struct Access<'a> {
    /// A hash of it, and one of its address without its constant.
    pub(super) hash: u64,
    pub(super) base: u64,
    pub(super) is_store: bool,
    /// Whether it is in front of the loop as it is.
    pub(super) is_outside: bool,
    pub(super) bits: u32,
    /// By how much each index grows from one iteration to the next.
    pub(super) along: &'a [Stride],
    /// How many elements each iteration accesses, in loops that are written out.
    pub(super) copies: f64,
}

impl Whole {
    /// Adds an access.
    pub(super) fn access(&mut self, access: &Access<'_>) {
        let &Access { hash, base, is_store, is_outside, bits, along, copies } = access;
        self.bits = self.bits.max(bits);
        self.stores += usize::from(is_store);
        self.is_prevented |= along.contains(&Stride::Varying)
            || along.contains(&Stride::Invariant)
            || is_store && along.iter().all(|along| *along == Stride::None);
        if !self.seen.insert(hash) {
            return;
        }
        if !is_store && along.iter().all(|along| *along == Stride::None) {
            self.invariant += if is_outside { 0.0 } else { copies };
        } else {
            self.scalar += copies;
            if is_store
                && let [others @ .., Stride::Constant(by)] = along
                && others.iter().all(|along| *along == Stride::None)
            {
                // Neighbours may be stored by other instructions.
                let (known, _) = self.scattered.entry((base, *by)).or_insert((0.0, lanes(bits)));
                *known += copies;
            } else {
                let taken = on_vectors(along, copies, lanes(bits), is_store);
                self.gathered += copies * taken.moved;
                self.vector += copies * taken.cost;
            }
        }
    }

    /// What all that is stored takes on vectors.
    fn stored(&self) -> impl Iterator<Item = (f64, OnVectors)> + '_ {
        self.scattered.iter().map(|(&(_, by), &(copies, lanes))| {
            (copies, on_vectors(&[Stride::Constant(by)], copies, lanes, true))
        })
    }

    /// What it takes in each iteration, on top of its share of vectors, to put elements into vectors and to take them out that are
    /// no neighbours.
    pub(super) fn moved(&self) -> f64 {
        self.gathered + self.stored().map(|(copies, taken)| copies * taken.moved).sum::<f64>()
    }

    /// Adds an operation that is executed so often; `for_each_element` as [`Operation`](crate::target::llvm::nests::Operation) has it.
    pub(super) fn operation(&mut self, is_float: bool, for_each_element: f64, times: f64) {
        self.for_each_element += for_each_element * times;
        self.operations += times * if is_float { FLOAT_OPERATION } else { 1.0 };
    }

    /// Adds what is in a loop that is written out.
    pub(super) fn add(&mut self, inner: &Whole) {
        self.cost += inner.cost;
        self.for_each_element += inner.for_each_element;
        self.operations += inner.operations;
        self.is_prevented |= inner.is_prevented;
    }

    /// Whether LLVM takes vectors for cheaper, in a loop of so many iterations in all.
    pub(super) fn is_taken(&self, runs: f64, lanes: f64) -> bool {
        let operations = self.operations / runs;
        let vector = self.vector + self.stored().map(|(copies, taken)| copies * taken.cost).sum::<f64>();
        !self.is_prevented && self.stores > 0 && vector + operations <= lanes * (self.scalar + operations)
    }
}
