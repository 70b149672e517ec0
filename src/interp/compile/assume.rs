//! Assumptions: the condition, and how elements of inputs could be set so that it holds.

use super::super::program::{Inst, Slot};
use super::{Compiler, Unsupported};
use crate::ir::value::Value;
use crate::ir::{BinOp, DType, Expr, ExprKind};

impl<'a> Compiler<'a> {
    /// `T.assume(cond)`. What only repairs inputs is not counted.
    pub(super) fn assume(&mut self, cond: &'a Expr) -> Result<Slot, Unsupported> {
        let assuming = std::mem::replace(&mut self.assuming, true);
        let first = self.expr(cond)?;
        let counting = std::mem::replace(&mut self.counting, false);
        if repairable(cond) {
            let jump = self.jump_if(BinOp::Or, first);
            self.emit(Inst::Unsatisfied);
            self.repair(cond)?;
            let again = self.expr(cond)?;
            self.emit(Inst::Assume { cond: again });
            self.land(jump);
        } else {
            self.emit(Inst::Assume { cond: first });
        }
        self.assuming = assuming;
        self.counting = counting;
        Ok(first)
    }

    /// Sets elements so that `e` holds, as far as it is known how.
    fn repair(&mut self, e: &'a Expr) -> Result<(), Unsupported> {
        match &e.kind {
            ExprKind::Binary(BinOp::And, a, b) => {
                self.repair(a)?;
                self.repair(b)
            }
            ExprKind::Binary(BinOp::Or, a, b) => {
                // What no element decides is asked first.
                let (a, b) = if repairable(b) { (a, b) } else { (b, a) };
                let holds = self.expr(a)?;
                let jump = self.jump_if(BinOp::Or, holds);
                self.repair(b)?;
                self.land(jump);
                Ok(())
            }
            ExprKind::Binary(op, a, b) if op.is_compare() => match atom(*op, a, b) {
                Some((op, load, value)) if !value.is_undef() => self.repair_element(op, load, value),
                _ => Ok(()),
            },
            ExprKind::Load { .. } if e.dtype == DType::BOOL => {
                let value = self.slots.constant(Value::bool(true));
                self.set_element(e, value)
            }
            _ => match e.as_intrin() {
                Some(("likely", [a])) => self.repair(a),
                _ => Ok(()),
            },
        }
    }

    fn repair_element(&mut self, op: BinOp, load: &'a Expr, value: &'a Expr) -> Result<(), Unsupported> {
        let by = match op {
            BinOp::Gt | BinOp::Ne => 1,
            BinOp::Lt => -1,
            _ => 0,
        };
        let mut slot = self.expr(value)?;
        if by != 0 {
            let (a, b) = (slot, self.slots.constant(Value::Int(by)));
            slot = self.slots.temp(1);
            self.emit(Inst::Int { op: BinOp::Add, dtype: value.dtype, dst: slot, a, b });
        }
        self.set_element(load, slot)
    }

    fn set_element(&mut self, load: &'a Expr, value: Slot) -> Result<(), Unsupported> {
        if let ExprKind::Load { buffer, indices } = &load.kind {
            let access = self.access(*buffer, indices)?;
            self.emit(Inst::Repair { access, value });
        }
        Ok(())
    }

    /// A jump over what follows, to where [`Self::land`] says, if `cond` decides an `and` or an `or`; its place.
    pub(super) fn jump_if(&mut self, op: BinOp, cond: Slot) -> u32 {
        let jump = self.here();
        let to = 0;
        let inst = match op {
            BinOp::And => Inst::JumpIfZero { cond, to },
            _ => Inst::JumpIfNotZero { cond, to },
        };
        self.emit(inst);
        self.start_piece();
        jump
    }

    /// Lets the jump at this place lead here.
    pub(super) fn land(&mut self, jump: u32) {
        let here = self.here();
        if let Inst::JumpIfZero { to, .. } | Inst::JumpIfNotZero { to, .. } =
            &mut self.program.code[jump as usize]
        {
            *to = here;
        }
        self.start_piece();
    }
}

/// Whether a condition has a part that an element of a buffer decides.
fn repairable(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary(BinOp::And | BinOp::Or, a, b) => repairable(a) || repairable(b),
        ExprKind::Binary(op, a, b) if op.is_compare() => {
            atom(*op, a, b).is_some_and(|(_, _, value)| !value.is_undef())
        }
        ExprKind::Load { .. } => e.dtype == DType::BOOL,
        _ => matches!(e.as_intrin(), Some(("likely", [a])) if repairable(a)),
    }
}

/// A comparison as one of a loaded scalar with a value that can be next to it.
fn atom<'a>(op: BinOp, a: &'a Expr, b: &'a Expr) -> Option<(BinOp, &'a Expr, &'a Expr)> {
    let (op, load, value) = match (&a.kind, &b.kind) {
        (ExprKind::Load { .. }, _) => (op, a, b),
        (_, ExprKind::Load { .. }) => (op.mirrored(), b, a),
        _ => return None,
    };
    let strict = matches!(op, BinOp::Lt | BinOp::Gt | BinOp::Ne);
    let next_to_it = load.dtype.is_integral() || !strict;
    (next_to_it && load.dtype.is_scalar()).then_some((op, load, value))
}
