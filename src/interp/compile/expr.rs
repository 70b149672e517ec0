//! Expressions to instructions.

use super::super::modes::Logic;
use super::super::program::{Access, Inst, Slot};
use super::{Compiler, Unsupported, of_type, opclass};
use crate::ir::value::{Value, float};
use crate::ir::{BinOp, BufferId, DType, Expr, ExprKind, Kind, Select};

impl<'a> Compiler<'a> {
    /// Code that computes `e`; the slot of the result, which must not be written.
    pub(super) fn expr(&mut self, e: &'a Expr) -> Result<Slot, Unsupported> {
        match &e.kind {
            ExprKind::Int(v) => Ok(self.slots.constant(Value::Int(*v))),
            ExprKind::Float(bits) => {
                if let Kind::Narrow(_) = e.dtype.kind {
                    return self.unsupported(format!("a constant of type `{}`", e.dtype));
                }
                let v = float::round(e.dtype, f64::from_bits(*bits));
                Ok(self.slots.constant(Value::Float(v)))
            }
            ExprKind::Var(var) => Ok(self.var(*var)),
            ExprKind::Binary(op, a, b) => self.binary(e, *op, a, b),
            ExprKind::Not(a) => {
                let a = self.expr(a)?;
                self.result(e, |dst| Inst::Not { lanes: e.dtype.lanes, dst, a })
            }
            ExprKind::Cast(a) => self.cast(e, a),
            ExprKind::Select(select) => {
                let Select { cond, then, otherwise } = &**select;
                let per_lane = !cond.dtype.is_scalar();
                let (cond, a, b) = (self.expr(cond)?, self.expr(then)?, self.expr(otherwise)?);
                let lanes = e.dtype.lanes;
                self.result(e, |dst| Inst::Select { lanes, per_lane, dst, cond, a, b })
            }
            ExprKind::Load { buffer, indices } => {
                let access = self.access(*buffer, indices)?;
                self.result(e, |dst| Inst::Load { access, dst })
            }
            ExprKind::Ramp(base, stride) => {
                let dtype = e.dtype;
                let (base, stride) = (self.expr(base)?, self.expr(stride)?);
                self.result(e, |dst| Inst::Ramp { dtype, dst, base, stride })
            }
            ExprKind::Broadcast(a) => {
                let a = self.expr(a)?;
                self.result(e, |dst| Inst::Splat { lanes: e.dtype.lanes, dst, a })
            }
            ExprKind::Shuffle(shuffle) => self.shuffle(e, &shuffle.vectors, &shuffle.indices),
            ExprKind::Let(var, value, body) => {
                let lanes = value.dtype.lanes;
                let a = self.expr(value)?;
                self.count_expr(e);
                let dst = self.var(*var);
                self.emit(Inst::Copy { lanes, dst, a });
                self.expr(body)
            }
            ExprKind::Call(call) => self.call(e, call),
            ExprKind::BufferData(buffer) => self.result(e, |dst| Inst::DataPointer { buffer: buffer.0, dst }),
            ExprKind::Str(_) | ExprKind::BufferRef(_) | ExprKind::Region(..) | ExprKind::Tuple(_) => {
                self.unsupported("a string, buffer or tuple outside of a call's arguments")
            }
        }
    }

    /// Emits the instruction that computes `e` and counts it.
    pub(super) fn result(&mut self, e: &Expr, inst: impl FnOnce(Slot) -> Inst) -> Result<Slot, Unsupported> {
        self.count_expr(e);
        let dst = self.slots.temp(e.dtype.lanes);
        self.emit(inst(dst));
        Ok(dst)
    }

    fn binary(&mut self, e: &'a Expr, op: BinOp, a: &'a Expr, b: &'a Expr) -> Result<Slot, Unsupported> {
        if op.is_logic() && e.dtype.is_scalar() && self.logic == Logic::Lazy {
            return self.lazy_logic(e, op, a, b);
        }
        let dtype = a.dtype;
        if let Kind::Narrow(_) | Kind::Void = dtype.kind {
            return self.unsupported(of_type(dtype));
        }
        // `A[i] == T.undef()` in an assumption says nothing of the value, only that it may be read.
        if self.assuming && op == BinOp::Eq && (a.is_undef() || b.is_undef()) {
            for operand in [a, b].into_iter().filter(|operand| !operand.is_undef()) {
                self.expr(operand)?;
            }
            let a = self.slots.constant(Value::bool(true));
            return self.result(e, |dst| Inst::Splat { lanes: e.dtype.lanes, dst, a });
        }
        let (a, b) = (self.expr(a)?, self.expr(b)?);
        self.result(e, |dst| match dtype.kind {
            Kind::Int if dtype.is_index() && dtype.is_scalar() => {
                Inst::Index { op, bits: dtype.bits, dst, a, b }
            }
            Kind::Float | Kind::BFloat if op.is_compare() => {
                Inst::FloatCompare { op, lanes: dtype.lanes, dst, a, b }
            }
            Kind::Float | Kind::BFloat => Inst::Float { op, dtype, dst, a, b },
            Kind::Int | Kind::UInt | Kind::Bool | Kind::Handle | Kind::Narrow(_) | Kind::Void => {
                Inst::Int { op, dtype, dst, a, b }
            }
        })
    }

    /// `a and b`, `a or b` on scalars: `b` only if `a` does not decide.
    fn lazy_logic(&mut self, e: &'a Expr, op: BinOp, a: &'a Expr, b: &'a Expr) -> Result<Slot, Unsupported> {
        let a = self.expr(a)?;
        self.count_expr(e);
        let dst = self.slots.temp(1);
        self.emit(Inst::Copy { lanes: 1, dst, a });
        let jump = self.here();
        self.emit(Inst::Jump { to: 0 });
        self.start_piece();
        let b = self.expr(b)?;
        self.emit(Inst::Copy { lanes: 1, dst, a: b });
        let to = self.here();
        self.program.code[jump as usize] = match op {
            BinOp::And => Inst::JumpIfZero { cond: dst, to },
            _ => Inst::JumpIfNotZero { cond: dst, to },
        };
        self.start_piece();
        Ok(dst)
    }

    /// `T.if_then_else(cond, a, b)`: only the arm that is taken.
    pub(super) fn lazy_select(
        &mut self,
        e: &'a Expr,
        cond: &'a Expr,
        a: &'a Expr,
        b: &'a Expr,
    ) -> Result<Slot, Unsupported> {
        if !cond.dtype.is_scalar() {
            return self.unsupported("`T.if_then_else` with a vector as condition");
        }
        let cond = self.expr(cond)?;
        self.count_expr(e);
        self.count_branch();
        let lanes = e.dtype.lanes;
        let dst = self.slots.temp(lanes);
        let branch = self.here();
        self.emit(Inst::JumpIfZero { cond, to: 0 });
        self.start_piece();
        let a = self.expr(a)?;
        self.emit(Inst::Copy { lanes, dst, a });
        let jump = self.here();
        self.emit(Inst::Jump { to: 0 });
        self.program.code[branch as usize] = Inst::JumpIfZero { cond, to: self.here() };
        self.start_piece();
        let b = self.expr(b)?;
        self.emit(Inst::Copy { lanes, dst, a: b });
        self.program.code[jump as usize] = Inst::Jump { to: self.here() };
        self.start_piece();
        Ok(dst)
    }

    fn cast(&mut self, e: &'a Expr, a: &'a Expr) -> Result<Slot, Unsupported> {
        let (from, to) = (a.dtype, e.dtype);
        for dtype in [from, to] {
            if let Kind::Narrow(_) | Kind::Void = dtype.kind
                && from != to
            {
                return self.unsupported(format!("a cast from `{from}` to `{to}`"));
            }
        }
        let a = self.expr(a)?;
        if from == to {
            return Ok(a);
        }
        self.result(e, |dst| Inst::Cast { from, to, dst, a })
    }

    fn shuffle(
        &mut self,
        e: &'a Expr,
        vectors: &'a [Expr],
        indices: &'a [Expr],
    ) -> Result<Slot, Unsupported> {
        let mut lanes = Vec::new();
        for vector in vectors {
            let slot = self.expr(vector)?;
            lanes.extend((0..u32::from(vector.dtype.lanes)).map(|lane| slot + lane));
        }
        let dst = self.slots.temp(e.dtype.lanes);
        for (k, index) in indices.iter().enumerate() {
            let lane = index.as_int().and_then(|i| usize::try_from(i).ok()).and_then(|i| lanes.get(i));
            match lane {
                Some(&a) => self.emit(Inst::Copy { lanes: 1, dst: dst + k as u32, a }),
                None => return self.unsupported("`T.Shuffle` with an index that is not a lane's number"),
            }
        }
        Ok(dst)
    }

    /// An access to `buffer` at indices that the code emitted here computes.
    pub(super) fn access(&mut self, buffer: BufferId, indices: &'a [Expr]) -> Result<u32, Unsupported> {
        let lanes = indices.last().map_or(1, |last| last.dtype.lanes);
        if indices.iter().rev().skip(1).any(|index| !index.dtype.is_scalar()) {
            return self.unsupported("a vector as another index than the last");
        }
        let entry = self.func.buffer(buffer);
        if indices.len() != entry.shape.len() {
            let (got, dims) = (indices.len(), entry.shape.len());
            return self.unsupported(format!("{got} indices for `{}` of {dims} dimensions", entry.name));
        }
        let indices = self.keep_all(indices)?;
        self.program.accesses.push(Access { buffer: buffer.0, indices, lanes });
        Ok(self.program.accesses.len() as u32 - 1)
    }

    /// Counts the store of a value of type `dtype`.
    pub(super) fn count_store(&mut self, dtype: DType) {
        self.count(opclass::OpClass::Store, opclass::units(dtype));
    }
}
