//! Loads, stores, and what their addresses take.

use std::cell::OnceCell;

use super::folds::fold_of_vector;
use super::hash::{mix, tag};
use super::products::{Product, products};
use super::registers::Element;
use super::whole::{Access, MOVED, SHUFFLED, moved};
use super::{Decided, Estimate, NO_LOOP, REGISTERS, Seen, of_both};
use crate::ir::{BinOp, BufferId, DType, Expr, ExprKind, VarId};
use crate::target::llvm::nests::{Stride, first_of_row, lanes, registers_of, stride};

/// Tells stores from loads.
const STORE: u64 = 37;

/// Tells the distances between addresses from these.
const DISTANCE: u64 = 41;

/// Tells what is counted as a text from what is executed.
const TEXT: u64 = 31;

/// The loop in which an element is loaded and stored that inner loops keep in a register.
#[derive(Clone, Copy)]
struct Kept {
    /// Its depth.
    at: usize,
    /// How many such elements there are: one for each iteration of the loops that are written out and change the address.
    copies: f64,
    /// The depth before loops are written out.
    at_first: usize,
    /// Whether one of the loops that keep it is not written out.
    is_in_a_loop: bool,
}

/// What is known of an address.
struct Address {
    seen: Seen,
    /// A hash of it without its constant.
    base: u64,
    /// Whether it is a sum that grows with the innermost open loop.
    is_growing_sum: bool,
}

impl Address {
    fn of_vector(seen: Seen) -> Address {
        Address { seen, base: seen.hash, is_growing_sum: false }
    }
}

/// The addends of an address that vary in one loop and not further in.
#[derive(Clone, Copy, Default)]
struct Addends {
    /// Those that do not grow by the same amount with each iteration.
    others: u32,
    /// Those that are subtracted: an addition is part of the access, on top of what inner loops leave alone.
    subtracted: u32,
}

/// The type of all the elements at some indices.
fn elements(of: DType, indices: &[Expr]) -> DType {
    let lanes = indices.iter().fold(of.lanes, |lanes, index| lanes.saturating_mul(index.dtype.lanes));
    of.with_lanes(lanes)
}

/// The instructions that load or store the elements at some indices: neighbours in vectors, others one by one. Each of those is put
/// into a vector or taken out of one, but the first of a vector, and so is its index if that is one.
fn transferred(of: DType, indices: &[Expr]) -> f64 {
    let vectors = registers_of(elements(of, indices));
    let Some(index) = indices.iter().find(|index| !first_of_row(index).dtype.is_scalar()) else {
        return vectors;
    };
    let one = if matches!(index.kind, ExprKind::Ramp(..)) { 2.0 } else { 2.0 + OUT_OF_A_VECTOR };
    f64::from(index.dtype.lanes) * one - vectors
}

/// Whether elements of different iterations of a loop are neighbours.
fn is_row(indices: &[Expr], l: Option<VarId>) -> bool {
    matches!((indices.last(), l), (Some(last), Some(var)) if stride(last, var) == Stride::Constant(1))
}

/// By how much an index grows with a variable when a loop over it runs on vectors of so many elements: a quotient by a multiple of
/// that is the same in all of them.
fn stride_on_vectors(index: &Expr, var: VarId, lanes: f64) -> Stride {
    fn settled(e: &mut Expr, var: VarId, lanes: i64) {
        if let ExprKind::Binary(BinOp::FloorDiv, a, by) = &e.kind
            && a.as_var() == Some(var)
            && by.as_int().is_some_and(|by| by > 0 && by % lanes == 0)
        {
            *e = Expr::int(0, e.dtype);
        } else {
            e.for_each_child_mut(|part| settled(part, var, lanes));
        }
    }
    match stride(index, var) {
        Stride::Varying => {
            let mut index = index.clone();
            settled(&mut index, var, lanes as i64);
            stride(&index, var)
        }
        along => along,
    }
}

/// What it takes to take an index out of a vector.
const OUT_OF_A_VECTOR: f64 = 2.0;

impl Estimate<'_> {
    pub(super) fn load(&mut self, e: &Expr, buffer: BufferId, indices: &[Expr], share: f64) -> Seen {
        let here = self.frames.len() - 1;
        let (seen, _) = self.access(buffer, indices, share, false);
        let written = (1..=here).rev().find(|&at| self.registers.writes(self.frames[at].var, buffer));
        let hash = mix(tag(e), seen.hash);
        // It is loaded in front of a loop, and what is computed of it is computed there, only if it is loaded in any case: the
        // element may not be there where a condition does not hold.
        let depth = seen.depth.max(written.unwrap_or(0)).max(self.guarded_in.min(here));
        self.transfer(buffer, indices, depth, share, Some(hash));
        Seen::unknown(depth, hash)
    }

    /// The load or the store of an element, in the loop at a depth if none keeps it in a register. `hash`: of a load, which takes
    /// nothing where it is repeated.
    pub(super) fn transfer(
        &mut self,
        buffer: BufferId,
        indices: &[Expr],
        at: usize,
        share: f64,
        hash: Option<u64>,
    ) {
        let kept = self.kept(buffer, indices);
        let (kept_at, copies) = kept.map_or((at, 1.0), |kept| (kept.at, kept.copies));
        let instructions = transferred(self.func.buffer(buffer).dtype, indices);
        if hash.is_none_or(|hash| self.frames[kept_at].seen.insert(hash)) {
            self.charge(kept_at, copies * instructions, share);
            self.loads += usize::from(hash.is_some() && kept_at == self.frames.len() - 1);
        }
        // Sums of integers run on vectors along the loop that folds them.
        let is_float = self.func.buffer(buffer).dtype.is_float();
        if hash.is_none()
            && is_float
            && kept.is_some_and(|kept| kept.is_in_a_loop)
            && is_row(indices, self.frame().var)
        {
            self.frame().packs = true;
        }
        let at = kept.map_or(at, |kept| kept.at_first.min(at));
        if hash.is_none_or(|hash| self.frames[at].seen.insert(mix(hash, TEXT))) {
            self.text(at, instructions, share, None);
        }
    }

    /// Whether a loop that is open does not change the element at some indices.
    pub(super) fn leaves_out_a_loop(&self, indices: &[Expr]) -> bool {
        let mut vars = self.frames.iter().filter_map(|frame| frame.var);
        vars.any(|of| !indices.iter().any(|index| index.mentions(|var| var == of)))
    }

    /// Whether inner loops keep an element in a register.
    pub(super) fn is_kept(&self, buffer: BufferId, indices: &[Expr]) -> bool {
        self.kept(buffer, indices).is_some()
    }

    /// Where an element is loaded and stored if inner loops keep it in a register.
    fn kept(&self, buffer: BufferId, indices: &[Expr]) -> Option<Kept> {
        let outermost = self.frames.get(1)?.var;
        if self.decided == Decided::Counted || !self.registers.writes(outermost, buffer) {
            return None;
        }
        let mut varies = vec![false; self.frames.len()];
        for index in indices {
            index.walk(&mut |e| {
                let depth = e.as_var().and_then(|var| self.depths.get(&var));
                if let Some(varies) = depth.and_then(|&depth| varies.get_mut(depth)) {
                    *varies = true;
                }
            });
        }
        let element = OnceCell::new();
        let (mut kept, mut copies, mut at_first) = (None, 1.0, None);
        let dtype = self.func.buffer(buffer).dtype;
        let vector = elements(dtype, indices);
        // Those that are neighbours share vectors.
        let most = |are_neighbours: bool| match vector {
            vector if !vector.is_scalar() => REGISTERS / registers_of(vector),
            _ if are_neighbours => REGISTERS * lanes(u32::from(dtype.bits)),
            _ => REGISTERS,
        };
        let (mut are_neighbours, mut is_in_a_loop) = (false, false);
        let known = self.known.as_ref();
        for at in (1..self.frames.len()).rev() {
            let frame = &self.frames[at];
            if varies[at] {
                if !self.is_written_out(frame.var) {
                    break;
                }
                copies *= frame.trips;
                at_first = at_first.or(Some(at));
                are_neighbours |= is_row(indices, frame.var);
            } else if copies <= most(are_neighbours) {
                let element = *element.get_or_init(|| Element::of(indices));
                if !self.registers.keep((frame.var, at), buffer, element, known) {
                    break;
                }
                is_in_a_loop |= !self.is_written_out(frame.var);
                kept = Some((at - 1, copies));
            } else {
                break;
            }
        }
        kept.map(|(at, copies)| Kept { at, copies, at_first: at_first.unwrap_or(at), is_in_a_loop })
    }

    /// What the address of an element takes, and whether it is computed from a sum that stays.
    pub(super) fn access(
        &mut self,
        buffer: BufferId,
        indices: &[Expr],
        share: f64,
        is_store: bool,
    ) -> (Seen, bool) {
        let here = self.frames.len() - 1;
        let var = self.frames[here].var;
        let bits = u32::from(self.func.buffer(buffer).dtype.bits);
        let (mut depth, mut hash) = (0, mix(7, u64::from(buffer.0)));
        let mut base_hash = hash;
        let is_vector = !elements(self.func.buffer(buffer).dtype, indices).is_scalar();
        let (mut grows_by_a_variable, mut is_at_a_sum) = (false, false);
        for (at, index) in indices.iter().enumerate() {
            let Address { seen, base, is_growing_sum } = self.index(index, share);
            is_at_a_sum |= is_growing_sum && self.stays(seen.hash, buffer, share);
            base_hash = mix(base_hash, base);
            depth = depth.max(seen.depth);
            hash = mix(hash, seen.hash);
            let is_last = at + 1 == indices.len();
            let along = var.map_or(Stride::None, |var| stride(index, var));
            let varies = self.varies_here(index);
            // The elements in between are loaded as well, once that loops are written out.
            let has_others = self.frames[..here].iter().any(|outer| {
                self.is_written_out(outer.var) && is_row(std::slice::from_ref(index), outer.var)
            });
            let frame = &mut self.frames[here];
            frame.bits = frame.bits.max(bits);
            if is_vector {
                // Neither vectorizer takes instructions on vectors.
                frame.scalar |= is_store || varies;
                frame.whole.is_prevented |= is_store || varies;
                continue;
            }
            match along {
                Stride::Constant(1) if is_last => {}
                Stride::None if !varies => {}
                Stride::Constant(_) if !is_store => {
                    let by = if is_last { moved(along) } else { MOVED };
                    frame.moved += by;
                    frame.gathered += if by == SHUFFLED && !has_others { MOVED } else { by };
                    frame.strided |= along != Stride::Constant(-1);
                }
                _ => frame.scalar = true,
            }
            grows_by_a_variable |= along == Stride::Invariant;
        }
        // The distance is added to such an address in each iteration; others are part of the access.
        if grows_by_a_variable && self.frames[here].seen.insert(mix(hash, DISTANCE)) {
            self.charge(here, 1.0, share);
        }
        if self.knows_all() && !is_vector {
            self.in_a_whole_loop(buffer, indices, (hash, base_hash, depth), is_store);
        }
        (Seen::unknown(depth, hash), is_at_a_sum)
    }

    /// Looks at a store to an element that the innermost open loop does not change: that is done on vectors only where integers
    /// are folded into it.
    pub(super) fn store_in_place(&mut self, buffer: BufferId, indices: &[Expr]) {
        let here = self.frames.len() - 1;
        if indices.iter().any(|index| self.varies_here(index)) {
            return;
        }
        let (element, known) = (Element::of(indices), self.known.as_ref());
        if !self.registers.fold((self.frames[here].var, here), buffer, element, known) {
            self.frame().scalar = true;
            return;
        }
        // Where loops around it are written out as well, what is on vectors is folded behind all of them.
        let is_written_out = |at: usize| self.is_written_out(self.frames[at].var);
        let changes = |at: usize| {
            let of = self.frames[at].var;
            indices.iter().any(|index| index.mentions(|var| Some(var) == of))
        };
        let mut at = here;
        while at > 1 && is_written_out(at) && is_written_out(at - 1) && !changes(at - 1) {
            at -= 1;
        }
        let lanes = lanes(u32::from(self.func.buffer(buffer).dtype.bits));
        self.frames[at].folded_behind += fold_of_vector(lanes);
    }

    /// Looks at an access from the innermost loop around it that is not written out. `address`: a hash of it, and `base` of it without
    /// its constant; `depth`: of the innermost loop that changes it.
    fn in_a_whole_loop(
        &mut self,
        buffer: BufferId,
        indices: &[Expr],
        (address, base, depth): (u64, u64, usize),
        is_store: bool,
    ) {
        let mut copies = 1.0;
        for at in (1..self.frames.len()).rev() {
            let Some(var) = self.frames[at].var else { break };
            if self.is_written_out(Some(var)) {
                let varies = indices.iter().any(|index| index.mentions(|own| own == var));
                copies *= if varies { self.frames[at].trips } else { 1.0 };
                continue;
            }
            let is_accumulated = !is_store && self.registers.writes(Some(var), buffer);
            let is_in_a_register = is_accumulated && self.is_kept(buffer, indices);
            // Where it loads what another iteration may have stored, iterations stay in their order.
            let is_apart =
                is_accumulated && !self.registers.stores_to(Some(var), buffer, Element::of(indices));
            let is_bound = |own| {
                !self.iterations.is_of_loop(own) && self.depths.get(&own).is_some_and(|&depth| depth >= at)
            };
            let is_unknown = indices.iter().any(|index| index.mentions(is_bound));
            let bits = u32::from(self.func.buffer(buffer).dtype.bits);
            let along: Vec<Stride> =
                indices.iter().map(|index| stride_on_vectors(index, var, lanes(bits))).collect();
            let hash = if is_store { mix(address, STORE) } else { address };
            let whole = &mut self.frames[at].whole;
            whole.is_prevented |= is_apart || is_unknown;
            if !is_in_a_register {
                let is_outside = depth < at;
                whole.access(&Access { hash, base, is_store, is_outside, bits, along: &along, copies });
            }
            break;
        }
    }

    /// Looks at a sum that grows with the innermost loop and is the index of an element of a buffer. LLVM makes a pointer that no
    /// iteration changes of what does not grow, unless elements of several buffers are at the sum: then it stays.
    /// Whether it is such a one.
    fn stays(&mut self, sum: u64, buffer: BufferId, share: f64) -> bool {
        let (first, stays) = self.frame().sums.entry(sum).or_insert((buffer, false));
        if *first != buffer && !std::mem::replace(stays, true) {
            let here = self.frames.len() - 1;
            self.text(here, 1.0, share, None);
        }
        self.frame().sums[&sum].1
    }

    /// What is computed for an index: of a vector of neighbours, or of elements that are equally far apart, the address of the
    /// first one; of others the vector.
    fn index(&mut self, index: &Expr, share: f64) -> Address {
        let lanes = u64::from(index.dtype.lanes);
        match &index.kind {
            ExprKind::Ramp(base, stride) => {
                let (base, stride) = (self.address(base, share).seen, self.expr(stride, share));
                let hash = mix(mix(base.hash, stride.hash), lanes);
                Address::of_vector(Seen::unknown(base.depth.max(stride.depth), hash))
            }
            _ if lanes > 1 => Address::of_vector(self.expr(index, share)),
            _ => self.address(index, share),
        }
    }

    /// What is computed for an address: the products of which its sum consists when it is multiplied out, of which those of
    /// one loop variable grow with the loop. What does not vary further in is computed once, however it is spelled.
    fn address(&mut self, index: &Expr, share: f64) -> Address {
        let here = self.frames.len() - 1;
        let (mut depth, mut hash, mut grows) = (0, 11_u64, false);
        let mut parts = [Addends::default(); 16];
        let (products, constant) = products(index);
        let is_sum = products.len() > 1;
        for product in products {
            let (seen, is_grown) = self.product(&product, share);
            depth = depth.max(seen.depth);
            hash = hash.wrapping_add(mix(seen.hash, 12));
            if let Some(part) = parts.get_mut(seen.depth) {
                part.others += u32::from(!is_grown);
                part.subtracted += u32::from(product.times < 0);
            }
            grows |= is_grown && seen.depth == here;
        }
        if grows {
            self.frame().grown.insert(hash);
        }
        for (at, part) in parts.iter().enumerate().take(here + 1).skip(1) {
            if (part.others > 0 || part.subtracted > 0) && self.frames[at].seen.insert(mix(hash, at as u64)) {
                // What varies in the innermost loop and does not grow with it is added there.
                self.charge(at, f64::from(part.others), share);
                self.text(at, f64::from(part.others.max(part.subtracted)), share, None);
            }
        }
        let seen = Seen::unknown(depth, mix(hash, constant as u64));
        Address { seen, base: hash, is_growing_sum: is_sum && grows }
    }

    /// A product, and whether it grows by the same amount with each iteration of one loop.
    fn product(&mut self, product: &Product<'_>, share: f64) -> (Seen, bool) {
        let (mut depth, mut hash, mut of_loop, mut beside) = (0, 0_u64, None, 0);
        let mut of_loops = Some(NO_LOOP);
        for &factor in &product.factors {
            let seen = self.expr(factor, share);
            depth = depth.max(seen.depth);
            hash = hash.wrapping_add(mix(seen.hash, 13));
            of_loops = of_both(of_loops, seen.of_loops);
            if factor.as_var().is_some_and(|var| self.iterations.is_of_loop(var))
                && of_loop.is_none_or(|outer| outer < seen.depth)
            {
                beside = beside.max(of_loop.replace(seen.depth).unwrap_or(0));
            } else {
                beside = beside.max(seen.depth);
            }
        }
        hash = mix(hash, product.times as u64);
        let seen = Seen { depth, hash, of_loops };
        let is_grown = of_loop.is_some_and(|depth| beside < depth);
        let multiplied = product.factors.len() + usize::from(product.times != 1);
        if multiplied > 1 && self.frames[depth].seen.insert(hash) {
            let operations = (multiplied - 1) as f64;
            self.charge(depth, if is_grown { 0.0 } else { operations }, share);
            self.text(depth, operations, share, seen.decided_by());
        }
        (seen, is_grown)
    }
}
