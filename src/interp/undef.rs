//! Values that may be anything: a bit for each register and each byte of memory says what comes from `T.undef()`.
//!
//! An operation on such a value gives such a value, unless the operands decide it (`0 * T.undef()` is 0). A
//! condition, an index, a bound or an argument of an opaque call that may be anything ends the run. Programs without
//! `T.undef()` pay nothing for this. Where one of two programs that are compared has it, memory that the function allocates
//! may be anything until it is written, so that a store of such a value may go.

use std::ops::Range;

use super::machine::{Machine, Stop};
use super::outcome::TrapKind;
use super::program::{Access, Inst, Loop, Slot};
use super::thread::Thread;
use crate::ir::BinOp;

impl Machine<'_> {
    /// Ends the run if control depends on a value that may be anything.
    pub(super) fn decided(&self, t: &Thread, slot: Slot, at: u32) -> Result<(), Stop> {
        if t.is_undef(slot) { Err(Stop { kind: TrapKind::Undef, at }) } else { Ok(()) }
    }

    /// The same for the bounds of a loop.
    pub(super) fn decided_loop(&self, t: &Thread, for_: &Loop) -> Result<(), Stop> {
        let bounds = [for_.min, for_.extent].into_iter().chain(for_.step);
        bounds.into_iter().try_for_each(|slot| self.decided(t, slot, for_.head.start))
    }

    /// Whether an instruction stores nothing but what may be anything, and such stores leave what is there.
    pub(super) fn stores_nothing(&self, t: &Thread, inst: Inst) -> bool {
        let Inst::Store { access, value } = inst else { return false };
        let access = &self.program.accesses[access as usize];
        let lanes = u32::from(access.lanes) * u32::from(self.program.buffers[access.buffer as usize].lanes);
        self.mode.undef_stays && (value..value + lanes).all(|slot| t.is_undef(slot))
    }

    /// Finds out what of the results of an instruction may be anything, before it runs.
    pub(super) fn spread_undef(&mut self, t: &mut Thread, inst: Inst) -> Result<(), TrapKind> {
        let any = |t: &Thread, slots: &[Slot], lane: u32| slots.iter().any(|&slot| t.is_undef(slot + lane));
        match inst {
            Inst::Count(_) | Inst::DataPointer { .. } | Inst::Unsatisfied | Inst::Repair { .. } => {}
            Inst::Undef { lanes, dst } => t.mark(dst, lanes, true),
            Inst::Index { op, dst, a, b, .. } => {
                let undef = any(t, &[a, b], 0) && !decides(t, op, a, b);
                t.mark(dst, 1, undef);
            }
            Inst::Int { op, dtype, dst, a, b } => {
                for lane in 0..u32::from(dtype.lanes) {
                    let undef = any(t, &[a, b], lane) && !decides(t, op, a + lane, b + lane);
                    t.mark(dst + lane, 1, undef);
                }
            }
            Inst::Float { dtype, dst, a, b, .. } => each(t, dtype.lanes, dst, &[a, b]),
            Inst::FloatCompare { lanes, dst, a, b, .. } => each(t, lanes, dst, &[a, b]),
            Inst::Not { lanes, dst, a } | Inst::Copy { lanes, dst, a } => each(t, lanes, dst, &[a]),
            Inst::Cast { to, dst, a, .. } | Inst::Reinterpret { to, dst, a, .. } => {
                each(t, to.lanes, dst, &[a]);
            }
            Inst::Select { lanes, per_lane, dst, cond, a, b } => {
                for lane in 0..u32::from(lanes) {
                    let cond = if per_lane { cond + lane } else { cond };
                    let arm = if t.regs[cond as usize] != 0 { a } else { b };
                    let undef = t.is_undef(cond) || t.is_undef(arm + lane);
                    t.mark(dst + lane, 1, undef);
                }
            }
            Inst::Splat { lanes, dst, a } => t.mark(dst, lanes, t.is_undef(a)),
            Inst::Ramp { dtype, dst, base, stride } => t.mark(dst, dtype.lanes, any(t, &[base, stride], 0)),
            Inst::Math { f, dtype, dst, args } => each(t, dtype.lanes, dst, &args[..f.arity()]),
            Inst::Load { access, dst } => self.load_undef(t, access, dst)?,
            Inst::Store { access, value } => self.store_undef(t, access, value)?,
            Inst::AddressOf { access, .. } => known_index(t, &self.program.accesses[access as usize])?,
            Inst::Offset { by, .. } => known(t, by)?,
            Inst::Call { call, dst } => {
                let plan = &self.program.calls[call as usize];
                let mut undef = false;
                plan.for_each_value(&mut |slot, lanes| undef |= any_lane(t, slot, lanes));
                if undef && plan.opaque {
                    return Err(TrapKind::Undef);
                }
                t.mark(dst, plan.dtype.lanes, undef);
            }
            Inst::Matrix { op } => self.known_places(t, op)?,
            Inst::Assume { cond } | Inst::Assert { cond, .. } => known(t, cond)?,
            Inst::JumpIfZero { cond, .. } | Inst::JumpIfNotZero { cond, .. } => known(t, cond)?,
            Inst::Jump { .. } => {}
        }
        Ok(())
    }

    fn load_undef(&mut self, t: &mut Thread, access: u32, dst: Slot) -> Result<(), TrapKind> {
        let access = &self.program.accesses[access as usize];
        known_index(t, access)?;
        let info = &self.program.buffers[access.buffer as usize];
        let mut to = dst;
        for lane in 0..u32::from(access.lanes) {
            // Where there is no such element the load traps by itself.
            let address = self.address(t, access, lane).ok();
            for inner in 0..usize::from(info.lanes) {
                let undef = address.is_some_and(|(memory, byte)| {
                    self.undef
                        .as_ref()
                        .is_some_and(|u| u.contains(&(memory, byte + inner * info.repr.size())))
                });
                t.mark(to, 1, undef);
                to += 1;
            }
        }
        Ok(())
    }

    fn store_undef(&mut self, t: &Thread, access: u32, value: Slot) -> Result<(), TrapKind> {
        let access = &self.program.accesses[access as usize];
        known_index(t, access)?;
        let info = &self.program.buffers[access.buffer as usize];
        let (size, mut from) = (info.repr.size(), value);
        for lane in 0..u32::from(access.lanes) {
            let address = self.address(t, access, lane).ok();
            for inner in 0..usize::from(info.lanes) {
                let undef = t.is_undef(from);
                from += 1;
                let Some((memory, byte)) = address else { continue };
                let first = byte + inner * size;
                self.mark_bytes(memory, first..first + size, undef);
            }
        }
        Ok(())
    }

    /// Says of bytes of a memory whether they may be anything.
    pub(super) fn mark_bytes(&mut self, memory: u32, places: Range<usize>, undef: bool) {
        let Some(bytes) = &mut self.undef else { return };
        for byte in places {
            if undef {
                bytes.insert((memory, byte));
            } else {
                bytes.remove(&(memory, byte));
            }
        }
    }

    /// Says that all of a memory's bytes may be anything.
    pub(super) fn make_undef(&mut self, memory: u32, size: usize) {
        self.undef.iter_mut().for_each(|bytes| bytes.extend((0..size).map(|byte| (memory, byte))));
    }

    /// Forgets what is known of a memory whose contents are new.
    pub(super) fn forget_undef(&mut self, memory: u32) {
        if let Some(bytes) = &mut self.undef {
            bytes.retain(|(m, _)| *m != memory);
        }
    }
}

/// Each lane of the result may be anything if that lane of an operand may.
fn each(t: &mut Thread, lanes: u16, dst: Slot, from: &[Slot]) {
    for lane in 0..u32::from(lanes) {
        let undef = from.iter().any(|&slot| t.is_undef(slot + lane));
        t.mark(dst + lane, 1, undef);
    }
}

/// Whether the operands, of which one is known or which are one value, decide an operation on integers.
fn decides(t: &Thread, op: BinOp, a: Slot, b: Slot) -> bool {
    let by = |slot: Slot, value: i64| !t.is_undef(slot) && t.int(slot) == value;
    match op {
        // A value that is bound once is one value.
        BinOp::Sub | BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge if a == b => true,
        BinOp::Mul | BinOp::And => by(a, 0) || by(b, 0),
        BinOp::Or => by(a, 1) || by(b, 1),
        _ => false,
    }
}

fn any_lane(t: &Thread, slot: Slot, lanes: u16) -> bool {
    (0..u32::from(lanes)).any(|lane| t.is_undef(slot + lane))
}

pub(super) fn known(t: &Thread, slot: Slot) -> Result<(), TrapKind> {
    if t.is_undef(slot) { Err(TrapKind::Undef) } else { Ok(()) }
}

fn known_index(t: &Thread, access: &Access) -> Result<(), TrapKind> {
    let last = access.indices.len().saturating_sub(1);
    for (k, &slot) in access.indices.iter().enumerate() {
        let lanes = if k == last { access.lanes } else { 1 };
        if any_lane(t, slot, lanes) {
            return Err(TrapKind::Undef);
        }
    }
    Ok(())
}
