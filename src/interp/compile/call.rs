//! Calls: those with a meaning of their own, pure functions, and all others.

use std::fmt::Write;
use std::sync::Arc;

use super::super::program::{ArgPlan, CallPlan, Inst, Slot};
use super::{Compiler, Unsupported, spelled};
use crate::ir::intrin::{Effect, FENCE, effect};
use crate::ir::matrix::is_matrix_call;
use crate::ir::value::{MathFn, Value};
use crate::ir::{AttrValue, Call, Callee, DType, Expr, ExprKind, Kind};

impl<'a> Compiler<'a> {
    pub(super) fn call(&mut self, e: &'a Expr, call: &'a Call) -> Result<Slot, Unsupported> {
        let name = match &call.callee {
            Callee::Intrin(name) => name,
            Callee::Global(name) => {
                return self.unknown(e, &Arc::from(format!("@{name}")), call, Effect::Opaque);
            }
        };
        match (&**name, &*call.args) {
            ("if_then_else", [cond, a, b]) => self.lazy_select(e, cond, a, b),
            ("likely" | FENCE, [a]) => self.expr(a),
            ("assume", [cond]) => self.assume(cond),
            ("undef", []) => {
                self.program.has_undef = true;
                self.result(e, |dst| Inst::Undef { lanes: e.dtype.lanes, dst })
            }
            ("reinterpret", [a]) => self.reinterpret(e, a),
            ("address_of", [target]) => match &target.kind {
                ExprKind::Load { buffer, indices } => {
                    let access = self.access(*buffer, indices)?;
                    self.result(e, |dst| Inst::AddressOf { access, dst })
                }
                _ => self.unsupported("`T.address_of` of something that is not a buffer's element"),
            },
            ("tvm_access_ptr", [element, data, offset, ..]) => {
                let bytes = element.dtype.lane_bytes() as u32 * u32::from(element.dtype.lanes);
                self.offset(e, data, offset, bytes)
            }
            ("handle_add_byte_offset" | "ptr_byte_offset", [data, offset, ..]) => {
                self.offset(e, data, offset, 1)
            }
            ("isnullptr", [a]) => {
                let a = self.expr(a)?;
                let b = self.slots.constant(Value::Int(0));
                self.result(e, |dst| Inst::Int { op: crate::ir::BinOp::Eq, dtype: DType::HANDLE, dst, a, b })
            }
            ("large_uint_imm", [low, high]) => match (low.as_int(), high.as_int()) {
                (Some(low), Some(high)) => {
                    let bits = (low as u64 & 0xffff_ffff) | ((high as u64) << 32);
                    Ok(self.slots.constant(Value::Int(bits as i64)))
                }
                _ => self.unsupported("`T.large_uint_imm` of something that is not constant"),
            },
            ("vectorlow", [a]) => self.part(e, a, 0),
            ("vectorhigh", [a]) => self.part(e, a, u32::from(a.dtype.lanes / 2)),
            ("vectorcombine", [a, b]) => {
                let lanes = a.dtype.lanes;
                let (low, high) = (self.expr(a)?, self.expr(b)?);
                let dst = self.slots.temp(e.dtype.lanes);
                self.emit(Inst::Copy { lanes, dst, a: low });
                self.emit(Inst::Copy { lanes: b.dtype.lanes, dst: dst + u32::from(lanes), a: high });
                Ok(dst)
            }
            ("tvm_thread_allreduce" | "break_loop" | "continue_loop" | "ret" | "thread_return", _) => {
                self.unsupported(format!("{} inside of an expression", spelled(name)))
            }
            _ if is_matrix_call(e) => self.unsupported(format!("{} inside of an expression", spelled(name))),
            (other, _)
                if ["tvm_warp_shuffle", "tvm_bmma", "ptx.", "ptx_"]
                    .iter()
                    .any(|prefix| other.starts_with(prefix)) =>
            {
                self.unsupported(format!("{}, which works across the threads of a warp", spelled(name)))
            }
            _ => match MathFn::from_name(name) {
                Some(f) if f.arity() == call.args.len() => self.math(e, f, &call.args),
                _ => self.unknown(e, name, call, effect(name)),
            },
        }
    }

    fn math(&mut self, e: &'a Expr, f: MathFn, args: &'a [Expr]) -> Result<Slot, Unsupported> {
        let dtype = args[0].dtype;
        if let Kind::Narrow(_) | Kind::Void | Kind::Handle = dtype.kind {
            return self.unsupported(super::of_type(dtype));
        }
        if args.iter().any(|arg| arg.dtype.lanes != dtype.lanes) {
            return self.unsupported(format!("`T.{}` of vectors of different lengths", f.name()));
        }
        let mut slots = [0; 3];
        for (slot, arg) in slots.iter_mut().zip(args) {
            *slot = self.expr(arg)?;
        }
        self.result(e, |dst| Inst::Math { f, dtype, dst, args: slots })
    }

    fn reinterpret(&mut self, e: &'a Expr, a: &'a Expr) -> Result<Slot, Unsupported> {
        let (from, to) = (a.dtype, e.dtype);
        if from.lanes != to.lanes || from.lane_bytes() != to.lane_bytes() {
            return self.unsupported(format!("`T.reinterpret` from `{from}` to `{to}`"));
        }
        let a = self.expr(a)?;
        self.result(e, |dst| Inst::Reinterpret { from, to, dst, a })
    }

    fn offset(&mut self, e: &'a Expr, data: &'a Expr, by: &'a Expr, bytes: u32) -> Result<Slot, Unsupported> {
        let (pointer, by) = (self.expr(data)?, self.expr(by)?);
        self.result(e, |dst| Inst::Offset { bytes, dst, pointer, by })
    }

    fn part(&mut self, e: &'a Expr, a: &'a Expr, first: u32) -> Result<Slot, Unsupported> {
        let a = self.expr(a)? + first;
        self.result(e, |dst| Inst::Copy { lanes: e.dtype.lanes, dst, a })
    }

    /// A call that is answered with a made-up value.
    fn unknown(
        &mut self,
        e: &'a Expr,
        name: &Arc<str>,
        call: &'a Call,
        effect: Effect,
    ) -> Result<Slot, Unsupported> {
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            args.push(self.arg(arg)?);
        }
        let mut kwargs = String::new();
        for (key, value) in &call.kwargs {
            // Writing to a string cannot fail.
            let _ = write!(kwargs, ", {key}={}", attr_text(value));
        }
        let (opaque, reads) = match effect {
            Effect::Annotation | Effect::Pure => (false, false),
            Effect::ReadsState => (false, true),
            Effect::UpdatesState | Effect::Opaque | Effect::Control => (true, true),
        };
        self.program.calls.push(CallPlan { name: name.clone(), args, kwargs, dtype: e.dtype, opaque, reads });
        let call = self.program.calls.len() as u32 - 1;
        self.result(e, |dst| Inst::Call { call, dst })
    }

    fn arg(&mut self, arg: &'a Expr) -> Result<ArgPlan, Unsupported> {
        Ok(match &arg.kind {
            ExprKind::Str(text) => ArgPlan::Text(text.clone()),
            ExprKind::BufferRef(buffer) => ArgPlan::Buffer(buffer.0),
            ExprKind::Region(buffer, ranges) => {
                let mut slots = Vec::with_capacity(ranges.len());
                for (min, extent) in ranges {
                    let min = self.expr(min)?;
                    let extent = extent.as_ref().map(|extent| self.expr(extent)).transpose()?;
                    slots.push((min, extent));
                }
                ArgPlan::Region(buffer.0, slots)
            }
            ExprKind::Tuple(items) => {
                let mut plans = Vec::with_capacity(items.len());
                for item in items {
                    plans.push(self.arg(item)?);
                }
                ArgPlan::Tuple(plans)
            }
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Var(_)
            | ExprKind::Binary(..)
            | ExprKind::Not(_)
            | ExprKind::Cast(_)
            | ExprKind::Select(..)
            | ExprKind::Load { .. }
            | ExprKind::Ramp(..)
            | ExprKind::Broadcast(_)
            | ExprKind::Shuffle(..)
            | ExprKind::Let(..)
            | ExprKind::Call(_)
            | ExprKind::BufferData(_) => {
                let slot = self.expr(arg)?;
                ArgPlan::Value(slot, arg.dtype)
            }
        })
    }
}

/// A keyword argument as text that is the same in two functions that number their variables differently.
fn attr_text(value: &AttrValue) -> String {
    match value {
        AttrValue::None => "None".to_owned(),
        AttrValue::Bool(v) => v.to_string(),
        AttrValue::Int(v) => v.to_string(),
        AttrValue::Float(bits) => f64::from_bits(*bits).to_string(),
        AttrValue::Str(v) => format!("{v:?}"),
        AttrValue::List(items) => {
            format!("[{}]", items.iter().map(attr_text).collect::<Vec<_>>().join(", "))
        }
        AttrValue::Dict(items) => {
            let items: Vec<String> =
                items.iter().map(|(key, v)| format!("{key:?}: {}", attr_text(v))).collect();
            format!("{{{}}}", items.join(", "))
        }
        AttrValue::Expr(e) => e.as_int().map_or_else(|| "<expression>".to_owned(), |v| v.to_string()),
        AttrValue::Type(dtype) => format!("T.{dtype}"),
        AttrValue::Call(name, ..) => format!("T.{name}(…)"),
    }
}
