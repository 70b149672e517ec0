//! What a loop takes as a whole, once that its body has been looked at.

use super::neighbours;
use super::size::{Conditions, WrittenOut};
use super::{Decided, Estimate, Frame, Slowed};
use crate::ir::{For, ForKind};
use crate::target::llvm::nests::lanes;

/// Instructions of a loop around its body, for each iteration and each time that it starts.
const PER_ITERATION: f64 = 2.0;
const PER_LOOP: f64 = 4.0;

/// What setting up one of the addresses that grow with a loop takes, each time that the loop starts.
const PER_ADDRESS: f64 = 2.0;

/// What it takes each time that a loop starts whose length is no constant: the tests of whether it runs and how it is run; and
/// if other loops change its length, what these compute of that.
const PER_UNKNOWN: f64 = 4.0;
const PER_VARYING: f64 = 8.0;

/// What the choice between a loop on vectors and one on scalars, and the rest of the iterations, takes each time.
const PER_VECTOR_LOOP: f64 = 14.0;

/// What it takes there to load an element that is the same in all iterations, to make a vector of it, and to keep that in memory.
const PER_INVARIANT_ELEMENT: f64 = 3.0;

/// The instructions of a loop that count its iterations, and the branch to what stands behind it.
const OF_A_LOOP: f64 = 3.0;
const JOIN: f64 = 1.0;

/// A call of the C library that copies or fills a row (LLVM's LoopIdiomRecognize), counted as `getMemcpyCost` does.
const OF_A_CALL: f64 = 4.0;

/// The most instructions of a loop of constant length once that it is written out (LLVM's `-unroll-threshold` at -O3). LLVM writes
/// loops out from the inside out, before it looks for vectors, and before outer loops keep values in registers.
const WRITTEN_OUT: f64 = 300.0;

/// The most instructions of a loop of which LLVM makes one for each outcome of a condition that the loop does not change
/// (`-unswitch-threshold`).
const UNSWITCHED: f64 = 50.0;

/// The most iterations of a loop that LLVM goes through to find what would be left of it, and by how much it raises the limit
/// at most where little is left.
const SIMULATED: f64 = 10.0;
const MOST_RAISED: f64 = 4.0;

/// The C library copies and fills more bytes than this with an instruction for strings, which works byte by byte.
const STRING: f64 = 2_048.0;

/// How many vectors an iteration of a loop on vectors works on: more than one hide how long operations take.
const INTERLEAVED: f64 = 2.0;

/// The loop vectorizer takes no shorter loops than this if vectors leave some iterations (`TinyTripCountVectorThreshold`).
const TINY: f64 = 16.0;

/// How many iterations LLVM makes one of if a loop has no branches in it and does not run on vectors.
const UNROLLED: f64 = 8.0;

/// How long a loop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    Constant,
    /// The same each time that it starts.
    Unknown,
    /// Loops around it change it.
    Varying,
}

/// A loop whose body has been looked at.
struct Closed<'f> {
    frame: &'f Frame,
    length: Length,
    /// How often it starts.
    starts: f64,
    /// Instructions of one iteration.
    per_iteration: f64,
    is_written_out: bool,
    is_written_out_late: bool,
}

impl Estimate<'_> {
    pub(super) fn for_loop(&mut self, l: &For, share: f64) {
        let here = self.frames.len() - 1;
        self.expr(&l.min, share);
        let extent = self.expr(&l.extent, share);
        let length = match (l.extent.as_int(), extent.depth) {
            (Some(_), _) => Length::Constant,
            (None, 0) => Length::Unknown,
            (None, _) => Length::Varying,
        };
        self.frame().inner = true;
        let trips = self.iterations.enter(l);
        let around = std::mem::replace(&mut self.conditions, Conditions::NONE);
        self.depths.insert(l.var, here + 1);
        let starts = self.frames[here].runs * share;
        let var = Some(l.var);
        let first = self.looks_for_first_ones().then(|| l.min.clone());
        let is_all = l.body.len() == 1;
        let mut frame =
            Frame { var, first, runs: starts * trips, trips, passing: 1.0, is_all, ..Frame::default() };
        frame.is_constant = length == Length::Constant;
        frame.scalar = !matches!(l.kind, ForKind::Serial | ForKind::Parallel);
        frame.whole.is_prevented = frame.scalar;
        self.frames.push(frame);
        self.block(&l.body, 1.0);
        let mut frame = self.frames.pop().expect("pushed above");
        frame.whole.is_prevented |= frame.branches;
        self.conditions = around;
        let per_iteration = if frame.runs > 0.0 { frame.cost / frame.runs } else { 0.0 };
        let size = frame.size.written_out(here + 1);
        let is_short = is_short(&frame, &size, self.decided);
        let is_written_out = match &self.known {
            Some(known) => known.written_out.contains(&l.var),
            None => is_short && length == Length::Constant,
        };
        if is_short && length == Length::Varying && self.known.is_none() {
            self.short.push((l.var, l.extent.clone()));
        }
        let is_constant = length == Length::Constant;
        let length = if is_written_out { Length::Constant } else { length };
        let is_written_out_late =
            self.known.as_ref().is_some_and(|known| known.written_out_late.contains(&l.var));
        let closed =
            Closed { frame: &frame, length, starts, per_iteration, is_written_out, is_written_out_late };
        let scalar_cost = closed.scalar_cost();
        let mut cost = closed.cost(l.kind == ForKind::Vectorized) + closed.folds_of_inner_loops();
        if is_written_out && self.decided == Decided::Free && !frame.looped && !frame.branches {
            let share = neighbours::share_of_operations(self.func, l, &|var| self.iterations.of(var));
            cost = share.map_or(cost, |share| frame.whole.cost * share);
        }
        if self.knows_all() && !is_written_out && !frame.looped && (frame.inner || frame.computes) {
            cost = match closed.as_a_whole() {
                Some(vectors) => {
                    let slowed = Slowed {
                        on_scalars: scalar_cost < vectors,
                        with_rows: frame.inner && cost < scalar_cost.min(vectors),
                    };
                    if slowed.on_scalars || slowed.with_rows {
                        self.slowed.insert(l.var, slowed);
                    }
                    if self.keeps_scalar && slowed.on_scalars && !slowed.with_rows {
                        scalar_cost
                    } else {
                        vectors
                    }
                }
                // The SLP vectorizer comes behind the loop vectorizer.
                None if !frame.inner && frame.stores > 1 => {
                    let value = |var| self.iterations.of(var);
                    let share =
                        neighbours::share_of_iteration(self.func, l, &value, &|cond| self.is_decided(cond));
                    share.map_or(cost, |share| cost.min(frame.cost * share + closed.around()))
                }
                None => cost,
            };
        }
        self.loops.insert(l.var, cost);
        let outer = &mut self.frames[here];
        outer.cost += cost;
        outer.scalar_cost += scalar_cost;
        outer.whole.add(&frame.whole);
        // Calls of the C library are made of loops that copy or fill rows, before loops are written out.
        outer.whole.is_prevented |= closed.is_call();
        outer.looped |= !is_written_out || frame.looped;
        // A loop for each outcome of a condition that it does not change.
        let loops = if frame.unswitched && frame.size.all() < UNSWITCHED { 2.0 } else { 1.0 };
        if is_written_out {
            self.known_after.written_out.insert(l.var);
        }
        if closed.is_call() {
            outer.size.add(frame.stores as f64 * OF_A_CALL, around, share);
        } else if is_written_out {
            outer.size.add_copies(&size.size, (trips, loops), around, share);
            outer.size.add(JOIN, around, share);
            self.decides |= size.decides;
        } else {
            if !frame.looped {
                let room = (WRITTEN_OUT / (frame.size.all() + OF_A_LOOP)).floor() - 1.0;
                let (first, gone) = frame.first_ones.written_out(room as i64);
                self.known_after.peeled.extend(gone);
                if first > 0 && is_constant && fits(size.size.all(), trips - first as f64) {
                    self.known_after.written_out_late.insert(l.var);
                }
            }
            outer.size.add(loops * (frame.size.all() + OF_A_LOOP + JOIN), around, share);
        }
    }
}

/// Whether LLVM writes out a loop of constant length: as the functions `shouldFullUnroll` and `analyzeLoopUnrollCost` of its
/// LoopUnrollPass decide that.
fn is_short(frame: &Frame, size: &WrittenOut, decided: Decided) -> bool {
    if frame.looped && decided == Decided::Inside {
        return false;
    }
    if fits(frame.size.all(), frame.trips) {
        return true;
    }
    if frame.looped || frame.trips > SIMULATED || decided == Decided::Counted {
        return false;
    }
    // It goes through the iterations: what is saved raises the limit.
    let (before, after) = ((size.reached + OF_A_LOOP) * frame.trips, size.left * frame.trips);
    after < WRITTEN_OUT * (before / after).min(MOST_RAISED)
}

/// Whether a body of this size may be written out so often. The branch and its condition are dropped.
fn fits(size: f64, times: f64) -> bool {
    (size + OF_A_LOOP - 2.0) * times + 2.0 < WRITTEN_OUT
}

impl Closed<'_> {
    fn cost(&self, is_vector: bool) -> f64 {
        let frame = self.frame;
        if is_vector {
            return frame.cost / lanes(frame.bits);
        }
        let scalar = frame.cost - frame.folded + self.around();
        let vectors = if frame.inner { None } else { self.on_vectors() };
        match vectors {
            Some(cost) if self.packs() => cost,
            Some(cost) => cost.min(scalar),
            None => scalar,
        }
    }

    /// Whether it is written out, and what it folds into is kept in vectors.
    fn packs(&self) -> bool {
        self.is_written_out && self.frame.packs
    }

    /// The same if nothing ran on vectors.
    fn scalar_cost(&self) -> f64 {
        self.frame.scalar_cost - self.frame.folded + self.around()
    }

    /// What a loop takes beside its body.
    fn around(&self) -> f64 {
        if self.is_written_out || self.is_written_out_late {
            return 0.0;
        }
        let per_start = PER_LOOP + PER_ADDRESS * self.frame.grown.len() as f64;
        self.turns() * PER_ITERATION + self.starts * (per_start + self.per_start_of_its_length())
    }

    /// What it takes to fold what loops in it that are written out leave in vectors.
    fn folds_of_inner_loops(&self) -> f64 {
        let frame = self.frame;
        if frame.inner { self.starts * frame.folded_behind } else { 0.0 }
    }

    /// How often it tests whether it is at its end.
    fn turns(&self) -> f64 {
        let frame = self.frame;
        if frame.inner || frame.branches || frame.trips < UNROLLED {
            return frame.runs;
        }
        let rest = self.rest(UNROLLED);
        self.starts * (rest + (frame.trips - rest).max(0.0) / UNROLLED)
    }

    /// How many iterations are left each time if it goes through so many at a time.
    fn rest(&self, at_once: f64) -> f64 {
        match self.length {
            Length::Varying => (at_once - 1.0) / 2.0,
            Length::Constant | Length::Unknown => self.frame.trips % at_once,
        }
    }

    fn per_start_of_its_length(&self) -> f64 {
        match self.length {
            Length::Constant => 0.0,
            Length::Unknown => PER_UNKNOWN,
            Length::Varying => PER_UNKNOWN + PER_VARYING,
        }
    }

    /// Whether it only copies or fills elements that are neighbours.
    fn copies(&self) -> bool {
        let frame = self.frame;
        !frame.inner && frame.stores > 0 && !frame.computes && frame.moved == 0.0 && !frame.scalar
    }

    /// Whether LLVM makes a call of the C library of it before it writes loops out.
    fn is_call(&self) -> bool {
        self.copies() && !self.frame.guards
    }

    /// How many elements a loop on vectors works on at a time: as many as it takes, where that is known.
    fn at_once(&self, lanes: f64) -> f64 {
        if self.length == Length::Constant { lanes } else { INTERLEAVED * lanes }
    }

    /// What it takes on vectors, if the loop vectorizer takes it.
    fn as_a_whole(&self) -> Option<f64> {
        let (frame, whole, starts) = (self.frame, &self.frame.whole, self.starts);
        let lanes = lanes(whole.bits);
        let at_once = self.at_once(lanes);
        let is_tiny = self.length == Length::Constant && frame.trips < TINY && frame.trips % lanes > 0.0;
        if is_tiny || frame.trips < at_once || frame.runs <= 0.0 || !whole.is_taken(frame.runs, lanes) {
            return None;
        }
        let rest = self.rest(at_once);
        let on_vectors = (frame.runs - starts * rest).max(0.0);
        let for_each_element = whole.moved() + whole.for_each_element / frame.runs;
        // What is the same in all iterations is an operand.
        let for_each_vector = whole.cost / frame.runs - whole.invariant + PER_ITERATION / 2.0;
        let vectors = on_vectors * (for_each_vector / lanes + for_each_element);
        let of_rest = frame.scalar_cost / frame.runs
            + if self.length == Length::Constant { 0.0 } else { PER_ITERATION };
        let per_start =
            PER_VECTOR_LOOP + self.per_start_of_its_length() + whole.invariant * PER_INVARIANT_ELEMENT;
        Some(vectors + starts * (rest * of_rest + per_start))
    }

    /// What an innermost loop takes on vectors, if it can run on them.
    fn on_vectors(&self) -> Option<f64> {
        let (frame, starts) = (self.frame, self.starts);
        let lanes = lanes(frame.bits);
        let copies = self.copies();
        // Where writing it out decides conditions, only some iterations are left.
        let left =
            if self.is_written_out && frame.stored > 0.0 { frame.stored / frame.stores as f64 } else { 1.0 };
        let (trips, per_iteration) = (frame.trips * left, self.per_iteration / left);
        let folds = starts * frame.folded_behind;
        let at_once = match copies {
            true => lanes,
            // A single vector is folded no faster than its elements.
            false if self.is_written_out && folds > 0.0 => INTERLEAVED * lanes,
            false => self.at_once(lanes),
        };
        if frame.scalar || frame.stores == 0 || trips < at_once {
            return None;
        }
        if self.is_written_out {
            // Elements that are no neighbours are not put into vectors then, unless vectors are kept of what they are folded
            // into. A rest takes shorter vectors there and of a copy; what else computes does so one by one.
            let lanes_at_once = if folds > 0.0 { at_once } else { lanes };
            if self.is_call() {
                // The last vector of a row overlaps the one before it.
                return Some(starts * (trips / lanes).ceil() * per_iteration);
            }
            let rest = starts * (trips % lanes_at_once) * per_iteration;
            let one_by_one = match copies {
                true => 0.5,
                false if self.packs() => 2.0 / 3.0,
                false => 1.0,
            };
            let share = one_by_one - 1.0 / lanes;
            let moved = if self.packs() {
                frame.gathered * (1.0 - trips % lanes_at_once / trips)
            } else {
                frame.moved
            };
            let vectors = frame.cost / lanes + frame.runs * moved;
            // The rest takes a copy of the number itself.
            let has_rest = trips % lanes_at_once > 0.0;
            let repeated = starts * frame.repeated * if has_rest { 2.0 } else { 1.0 };
            let rest = rest * share.max(0.0);
            return (!frame.strided || self.packs()).then_some(vectors + repeated + rest + folds);
        }
        let bytes = trips * f64::from(frame.bits) / 8.0;
        let speed = if copies && bytes < STRING { 4.0 * lanes } else { lanes };
        // The C library copies all of it.
        let rest = if copies { 0.0 } else { self.rest(at_once) };
        let on_vectors = (frame.runs - starts * rest).max(0.0);
        let vectors = on_vectors * (per_iteration + PER_ITERATION / 2.0) / speed + on_vectors * frame.moved;
        // A rest of constant length is written out.
        let of_rest = per_iteration + if self.length == Length::Constant { 0.0 } else { PER_ITERATION };
        let per_start = PER_VECTOR_LOOP + self.per_start_of_its_length();
        Some(vectors + starts * (rest * of_rest + per_start) + folds)
    }
}
