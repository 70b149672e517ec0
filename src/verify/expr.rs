//! Types and scopes of expressions.

use super::{Checker, Scope};
use crate::ir::intrin::{self, ResultType};
use crate::ir::{BinOp, BufferId, Call, Callee, DType, Expr, ExprKind, Kind};

impl Checker<'_> {
    /// Checks an expression that is computed, and returns its type.
    pub(super) fn expr(&mut self, e: &Expr) -> DType {
        if self.enter() {
            self.node(e);
        }
        self.leave();
        e.dtype
    }

    /// Checks an argument of a call, which may also be a string, a tuple, a region or a buffer.
    fn argument(&mut self, e: &Expr) {
        if self.enter() {
            match &e.kind {
                ExprKind::Str(_) => {}
                ExprKind::Tuple(items) => items.iter().for_each(|i| self.argument(i)),
                ExprKind::BufferRef(buffer) => {
                    self.use_buffer(*buffer);
                }
                ExprKind::Region(buffer, ranges) => self.region(*buffer, ranges),
                _ => self.node(e),
            }
        }
        self.leave();
    }

    /// Checks a scalar integer.
    pub(super) fn integer(&mut self, e: &Expr, what: &str) -> DType {
        let dtype = self.expr(e);
        if !dtype.is_integral() || !dtype.is_scalar() {
            self.report(format!("{what} is a scalar integer, found `{dtype}`"));
        }
        dtype
    }

    /// Checks a scalar condition.
    pub(super) fn condition(&mut self, e: &Expr, what: &str) {
        let dtype = self.expr(e);
        if dtype != DType::BOOL {
            self.report(format!("{what} is a `bool`, found `{dtype}`"));
        }
    }

    /// Checks ranges of a buffer: per dimension a point or a first index and a length.
    pub(super) fn region(&mut self, buffer: BufferId, ranges: &[(Expr, Option<Expr>)]) {
        let entry = self.use_buffer(buffer);
        for (min, extent) in ranges {
            for e in [Some(min), extent.as_ref()].into_iter().flatten() {
                let dtype = self.expr(e);
                if !dtype.is_integral() {
                    self.report(format!("a bound of a region is an integer, found `{dtype}`"));
                }
            }
        }
        if let Some(entry) = entry
            && entry.shape.len() != ranges.len()
        {
            self.report(format!(
                "buffer `{}` has {} dimensions, found a region of {}",
                entry.name,
                entry.shape.len(),
                ranges.len()
            ));
        }
    }

    /// Checks an access, and returns the type of the element or elements.
    pub(super) fn access(&mut self, buffer: BufferId, indices: &[Expr]) -> Option<DType> {
        let entry = self.use_buffer(buffer);
        let mut lanes = 1;
        for (i, index) in indices.iter().enumerate() {
            let dtype = self.expr(index);
            if !dtype.is_integral() {
                self.report(format!("an index is an integer, found `{dtype}`"));
            }
            if i + 1 == indices.len() {
                lanes = dtype.lanes;
            } else if !dtype.is_scalar() {
                self.report(format!("only the last index may be a vector, found `{dtype}` before it"));
            }
        }
        let entry = entry?;
        if entry.shape.len() != indices.len() {
            self.report(format!(
                "buffer `{}` has {} dimensions, found {} indices",
                entry.name,
                entry.shape.len(),
                indices.len()
            ));
        }
        Some(entry.dtype.with_lanes(entry.dtype.lanes.saturating_mul(lanes)))
    }

    fn expect_type(&mut self, what: &str, expected: DType, found: DType) {
        if expected != found {
            self.report(format!("{what} has type `{expected}`, found `{found}`"));
        }
    }

    fn node(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Int(value) => self.int_constant(*value, e.dtype),
            ExprKind::Float(_) => {
                if !e.dtype.is_float() || !e.dtype.is_scalar() {
                    self.report(format!("a float constant has a scalar float type, found `{}`", e.dtype));
                }
            }
            ExprKind::Str(_) => self.report("a string is only an argument"),
            ExprKind::BufferRef(_) => self.report("a buffer by itself is only an argument"),
            ExprKind::Region(..) => self.report("a region is only an argument"),
            ExprKind::Tuple(_) => self.report("a tuple is only an argument"),
            ExprKind::Var(var) => {
                self.use_var(*var);
                if let Some(dtype) = self.var_dtype(*var)
                    && dtype != e.dtype
                {
                    let name = self.var_name(*var);
                    self.report(format!("variable `{name}` has type `{dtype}`, found `{}`", e.dtype));
                }
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, e.dtype),
            ExprKind::Not(a) => {
                let dtype = self.expr(a);
                if !dtype.is_bool() {
                    self.report(format!("the operand of `not` is a `bool`, found `{dtype}`"));
                }
                self.expect_type("`not`", dtype, e.dtype);
            }
            ExprKind::Cast(a) => {
                let from = self.expr(a);
                if from.lanes != e.dtype.lanes || matches!(from.kind, Kind::Void) {
                    self.report(format!("no cast from `{from}` to `{}`", e.dtype));
                }
            }
            ExprKind::Select(select) => {
                let cond = self.expr(&select.cond);
                if !cond.is_bool() || !(cond.is_scalar() || cond.lanes == e.dtype.lanes) {
                    self.report(format!(
                        "the condition of a `Select` of `{}` is a `bool`, found `{cond}`",
                        e.dtype
                    ));
                }
                self.arms(&select.then, &select.otherwise, e.dtype);
            }
            ExprKind::Load { buffer, indices } => {
                if let Some(dtype) = self.access(*buffer, indices) {
                    self.expect_type("the load", dtype, e.dtype);
                }
            }
            ExprKind::Ramp(base, stride) => {
                let (base, stride) = (self.expr(base), self.expr(stride));
                if !base.is_scalar() || base != stride {
                    self.report(format!(
                        "base and stride of a ramp are scalars of one type, found `{base}` and `{stride}`"
                    ));
                }
                self.expect_type("the ramp", base.with_lanes(e.dtype.lanes), e.dtype);
            }
            ExprKind::Broadcast(a) => {
                let value = self.expr(a);
                if !value.is_scalar() {
                    self.report(format!("a broadcast is of a scalar, found `{value}`"));
                }
                self.expect_type("the broadcast", value.with_lanes(e.dtype.lanes), e.dtype);
            }
            ExprKind::Shuffle(shuffle) => self.shuffle(&shuffle.vectors, &shuffle.indices, e.dtype),
            ExprKind::Let(var, value, body) => {
                let value = self.expr(value);
                if let Some(dtype) = self.var_dtype(*var)
                    && dtype != value
                {
                    let name = self.var_name(*var);
                    self.report(format!("variable `{name}` has type `{dtype}`, found a value of `{value}`"));
                }
                let mut scope = Scope::default();
                self.define_var(*var, &mut scope);
                let body = self.expr(body);
                self.expect_type("the `Let`", body, e.dtype);
                self.end(scope);
            }
            ExprKind::Call(call) => self.call(call, e.dtype),
            ExprKind::BufferData(buffer) => {
                self.use_buffer(*buffer);
                self.expect_type("a pointer", DType::HANDLE, e.dtype);
            }
        }
    }

    fn int_constant(&mut self, value: i64, dtype: DType) {
        let bits =
            if dtype.is_uint() && dtype.bits == 64 { i128::from(value as u64) } else { i128::from(value) };
        match dtype.int_range() {
            Some((min, max)) if dtype.is_scalar() => {
                if !(min..=max).contains(&bits) {
                    self.report(format!("the constant {value} does not fit `{dtype}`"));
                }
            }
            Some(_) | None => {
                self.report(format!("an integer constant has a scalar integer type, found `{dtype}`"));
            }
        }
    }

    fn binary(&mut self, op: BinOp, a: &Expr, b: &Expr, dtype: DType) {
        let (a, b) = (self.expr(a), self.expr(b));
        let name = op.tvm_name();
        if a != b {
            self.report(format!("the operands of `{name}` have one type, found `{a}` and `{b}`"));
        }
        let fits = match a.kind {
            Kind::Bool => true,
            Kind::Int | Kind::UInt | Kind::Float | Kind::BFloat | Kind::Narrow(_) => !op.is_logic(),
            Kind::Handle => op.is_compare(),
            Kind::Void => false,
        };
        if !fits {
            self.report(format!("`{name}` does not apply to `{a}`"));
        }
        let result = if op.is_compare() { a.to_bool() } else { a };
        self.expect_type(&format!("`{name}`"), result, dtype);
    }

    fn arms(&mut self, a: &Expr, b: &Expr, dtype: DType) {
        let (a, b) = (self.expr(a), self.expr(b));
        if a != b || a != dtype {
            self.report(format!("both arms have the type `{dtype}`, found `{a}` and `{b}`"));
        }
    }

    fn shuffle(&mut self, vectors: &[Expr], indices: &[Expr], dtype: DType) {
        let mut lanes = 0u32;
        for v in vectors {
            let vector = self.expr(v);
            lanes += u32::from(vector.lanes);
            if vector.scalar() != dtype.scalar() {
                self.report(format!("a shuffle to `{dtype}` has parts of its type, found `{vector}`"));
            }
        }
        for index in indices {
            self.expr(index);
            match index.as_int() {
                Some(i) if i >= 0 && i < i64::from(lanes) => {}
                Some(i) => self.report(format!("a shuffle of {lanes} lanes has no lane {i}")),
                None => self.report("the indices of a shuffle are constants"),
            }
        }
        if indices.len() != usize::from(dtype.lanes) {
            self.report(format!("a shuffle to `{dtype}` has {} indices", indices.len()));
        }
    }

    fn call(&mut self, call: &Call, dtype: DType) {
        let name = match &call.callee {
            Callee::Intrin(name) => name,
            Callee::Global(name) => {
                if self.functions.is_some_and(|f| !f.contains(&**name)) {
                    self.report(format!("the module has no function `{name}`"));
                }
                return call.args.iter().for_each(|a| self.argument(a));
            }
        };
        if let ("if_then_else", [cond, a, b]) = (&**name, call.args.as_slice()) {
            self.condition(cond, "the condition of `T.if_then_else`");
            return self.arms(a, b, dtype);
        }
        call.args.iter().for_each(|a| self.argument(a));
        let Some(row) = intrin::lookup(name) else { return };
        let expected = match row.result {
            ResultType::SameAs(i) => call.args.get(i).map(|a| a.dtype),
            ResultType::Bool => call.args.first().map(|a| a.dtype.to_bool()),
            ResultType::Fixed(dtype) => Some(dtype),
            ResultType::SpelledFirst | ResultType::SpelledLast => Some(dtype),
        };
        match expected {
            Some(expected) => self.expect_type(&format!("`T.{name}`"), expected, dtype),
            None => self.report(format!("`T.{name}` has too few arguments")),
        }
    }
}
