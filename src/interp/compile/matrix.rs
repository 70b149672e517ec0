//! Calls of the intrinsics on matrices.

use super::super::memory::Repr;
use super::super::program::{Inst, MatrixPlan, MatrixSlots, MemoryKind, PlaceSlot};
use super::{Compiler, Unsupported};
use crate::ir::matrix::{Matrix, MatrixOp, Place};
use crate::ir::{Expr, ExprKind};

impl<'a> Compiler<'a> {
    /// Code for a statement that is such a call.
    pub(super) fn matrix_call(&mut self, e: &'a Expr) -> Result<(), Unsupported> {
        let op = match self.matrices.op(e) {
            Some(Ok(op)) => op,
            Some(Err(why)) => return self.unsupported(why),
            None => return self.unsupported("a call that is of no intrinsic on matrices"),
        };
        let plan = match op {
            MatrixOp::Fill { to, value } => {
                let a = self.expr(value)?;
                let (from, dtype) = (value.dtype, to.dtype);
                let to = self.matrix(to)?;
                let value = self.slots.temp(1);
                self.emit(Inst::Cast { from, to: dtype, dst: value, a });
                MatrixPlan::Fill { to, value }
            }
            MatrixOp::Copy { to, from } => {
                MatrixPlan::Copy { to: self.matrix(to)?, from: self.matrix(from)? }
            }
            MatrixOp::MultiplyAdd { d, a, b, c } => {
                let (d, a, b, c) = (self.matrix(d)?, self.matrix(a)?, self.matrix(b)?, self.matrix(c)?);
                MatrixPlan::MultiplyAdd { d, a, b, c }
            }
        };
        self.count_expr(e);
        self.program.matrix_ops.push(plan);
        self.emit(Inst::Matrix { op: self.program.matrix_ops.len() as u32 - 1 });
        Ok(())
    }

    fn matrix(&mut self, matrix: Matrix<'a>) -> Result<MatrixSlots, Unsupported> {
        let Matrix { pointer, place, rows, cols, dtype } = matrix;
        let mut named = None;
        pointer.walk(&mut |e| match e.kind {
            ExprKind::BufferData(buffer) | ExprKind::Load { buffer, .. } => {
                named.get_or_insert(buffer);
            }
            _ => {}
        });
        if let (Place::Fragment { .. }, Some(buffer)) = (place, named) {
            let memory = self.func.memory_of(buffer);
            // Each thread would do the whole of an operation that they do once together.
            if self.program.lockstep && self.program.buffers[memory.index()].memory != MemoryKind::Private {
                let name = &self.func.buffer(memory).name;
                return self.unsupported(format!("fragments in `{name}`, which is not memory of one thread"));
            }
        }
        let name = named.map_or_else(|| "a pointer".into(), |buffer| self.func.buffer(buffer).name.clone());
        let pointer = self.expr(pointer)?;
        let place = match place {
            Place::Fragment { index, are_rows } => PlaceSlot::Fragment { index: self.expr(index)?, are_rows },
            Place::Lines { stride, are_rows } => PlaceSlot::Lines { stride: self.expr(stride)?, are_rows },
        };
        Ok(MatrixSlots { name, pointer, place, rows, cols, repr: Repr::of(dtype) })
    }
}
