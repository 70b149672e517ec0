//! The state of one thread: registers, and where its buffers are.

use std::rc::Rc;

use super::outcome::Return;
use super::program::Slot;
use crate::ir::DType;
use crate::ir::value::Value;

/// The state of one thread.
#[derive(Clone)]
pub(super) struct Thread {
    pub regs: Vec<u64>,
    /// Which registers hold values that may be anything; empty where no value may.
    pub undef: Vec<bool>,
    pub buffers: Vec<View>,
    /// Which thread of its block this is: tag, variable, and index, of each launch.
    pub coords: Vec<(u32, Slot, u64)>,
    /// Memories that end with the thread.
    pub owned: Vec<u32>,
}

/// A buffer at run time.
#[derive(Clone)]
pub(super) struct View {
    /// Index of the memory, [`View::NONE`] before the buffer is declared.
    pub memory: u32,
    /// Whether the declaration allocated the memory, on this thread.
    pub allocated: bool,
    /// First byte of the data.
    pub data: i64,
    /// Element of the data that index 0 is.
    pub offset: i64,
    pub dims: Rc<[Dim]>,
}

#[derive(Clone, Copy)]
/// A dimension at run time.
pub(super) struct Dim {
    pub extent: i64,
    pub stride: i64,
}

impl View {
    pub(super) const NONE: u32 = u32::MAX;

    pub(super) fn is_declared(&self) -> bool {
        self.memory != View::NONE
    }
}

impl Thread {
    /// Whether the value in a register may be anything.
    #[inline]
    pub(super) fn is_undef(&self, slot: Slot) -> bool {
        self.undef.get(slot as usize).is_some_and(|&undef| undef)
    }

    /// Says of registers in a row whether what they will hold may be anything.
    pub(super) fn mark(&mut self, slot: Slot, lanes: u16, undef: bool) {
        let from = slot as usize;
        if let Some(marks) = self.undef.get_mut(from..from + usize::from(lanes)) {
            marks.fill(undef);
        }
    }

    /// A thread with a frame, on which none of so many buffers is declared.
    pub(super) fn new(regs: Vec<u64>, undef: bool, buffers: usize) -> Thread {
        let none: Rc<[Dim]> = Rc::from([]);
        let undeclared = View { memory: View::NONE, allocated: false, data: 0, offset: 0, dims: none };
        let undef = if undef { vec![false; regs.len()] } else { Vec::new() };
        Thread { regs, undef, buffers: vec![undeclared; buffers], coords: Vec::new(), owned: Vec::new() }
    }

    /// A buffer, if it is declared.
    #[inline]
    pub(super) fn view(&self, buffer: u32) -> Option<&View> {
        let view = &self.buffers[buffer as usize];
        view.is_declared().then_some(view)
    }

    /// The integer in a slot.
    #[inline]
    pub(super) fn int(&self, slot: Slot) -> i64 {
        self.regs[slot as usize] as i64
    }

    #[inline]
    pub(super) fn float(&self, slot: Slot) -> f64 {
        f64::from_bits(self.regs[slot as usize])
    }

    /// The value of type `dtype` in a slot.
    #[inline]
    pub(super) fn value(&self, slot: Slot, dtype: DType) -> Value {
        if dtype.is_float() { Value::Float(self.float(slot)) } else { Value::Int(self.int(slot)) }
    }

    #[inline]
    pub(super) fn set(&mut self, slot: Slot, value: Value) {
        self.regs[slot as usize] = match value {
            Value::Int(v) => v as u64,
            Value::Float(v) => v.to_bits(),
        };
    }

    /// What a function returns whose result is in a slot.
    pub(super) fn returned(&self, slot: Slot, dtype: DType) -> Return {
        if dtype == DType::VOID { Return::Void } else { Return::Value(self.value(slot, dtype)) }
    }
}
