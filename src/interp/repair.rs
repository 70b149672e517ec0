//! Elements of inputs that a run sets so that assumptions hold.

use super::machine::Machine;
use super::marks::Repair;
use super::outcome::TrapKind;
use super::program::{Access, Slot};
use super::thread::Thread;

impl Machine<'_> {
    /// Sets an element to the value that an assumption asks for, if the run repairs its inputs and the element is one.
    pub(super) fn repair(&mut self, t: &Thread, access: &Access, value: Slot) -> Result<(), TrapKind> {
        let info = &self.program.buffers[access.buffer as usize];
        let (memory, byte) = self.address(t, access, 0)?;
        let given = self.given;
        let Some(repairs) = &mut self.repairs else { return Err(TrapKind::FalseAssumption) };
        if memory < given && info.lanes == 1 && !repairs.written.contains(&(memory, byte)) {
            let repair = Repair { memory, byte, repr: info.repr, value: t.regs[value as usize] };
            if info.repr.store(&mut self.memories[memory as usize].bytes, byte, repair.value).is_some() {
                repairs.made.push(repair);
            }
        }
        Ok(())
    }
}
