//! Divisions by sizes in kernels for GPUs, as multiplications by a reciprocal that the host computes.
//!
//! A GPU has no instruction that divides integers: a division by what is no constant takes some 20 instructions, and index
//! arithmetic of programs with symbolic sizes consists of them. Where the divisor is the same for all threads, the host can
//! compute what it takes to divide by it, once for a launch, and a thread multiplies and shifts (Granlund and Montgomery,
//! *Division by Invariant Integers using Multiplication*, 1994; `FastDivmod` of CUTLASS).
//!
//! For a divisor `0 < d < 2**31` let `l` be the least number with `d <= 2**l`, `s = 31 + l`, and `m` the least integer that
//! is at least `2**s / d`. Then `m < 2**32`, and `x // d = (x * m) >> s` for all `0 <= x < 2**31`: `m * d` is `2**s + e` with
//! `0 <= e < d`, so `x * m / 2**s` is more than `x / d` by `x * e / (d * 2**s)`, which is less than `1 / d` since
//! `x * e < 2**31 * 2**l`. The product has at most 63 bits, so that one multiplication of 32 by 32 bits and one shift do.

use indexmap::IndexMap;

use crate::analysis::parameters::scalar_parameters;
use crate::analysis::side_effects::reads_or_has_side_effects;
use crate::ir::{
    BinOp, Block, DType, Expr, ExprKind, ForKind, FreshNames, Kind, PrimFunc, Stmt, StmtKind, Type, VarId,
};
use crate::loops::Place;

/// Unsigned integers.
const U32: DType = DType::new(Kind::UInt, 32);
const U64: DType = DType::new(Kind::UInt, 64);

/// The function with the divisions of `int32` in its kernels multiplied out, where the divisor is computed outside of them,
/// and neither it nor the dividend is negative. `positive_dims`: no dimension of a parameter is 0. `None` if nothing
/// changes.
///
/// Where a divisor is 0 the program divides by 0 if it comes there at all, so the host may compute anything.
pub(crate) fn multiply(func: &PrimFunc, positive_dims: bool) -> Option<PrimFunc> {
    if is_split(func) || has_blocks(func) {
        return None;
    }
    let mut made = func.clone();
    let mut body = std::mem::take(&mut made.body);
    let (head, host) = (Place::head(func, positive_dims), scalar_parameters(func));
    let mut kernels = Kernels {
        place: head.clone(),
        head,
        parameters: host.clone(),
        host,
        names: FreshNames::new(func),
        made: &mut made,
        reciprocals: IndexMap::new(),
    };
    kernels.block(&mut body, false);
    let mut reciprocals = kernels.reciprocals;
    if reciprocals.is_empty() {
        return None;
    }
    log::debug!(
        "function `{}`: the host computes what it takes to divide by {} divisors",
        func.name,
        reciprocals.len()
    );
    bind(&mut body, &mut reciprocals);
    let at = body.iter().position(has_kernel).unwrap_or(0);
    body.splice(at..at, reciprocals.iter().flat_map(|(divisor, own)| own.bindings(divisor)));
    made.body = body;
    Some(made)
}

/// Whether the function is a kernel that TVM has already taken apart from the host's code.
fn is_split(func: &PrimFunc) -> bool {
    func.attrs.iter().any(|(name, _)| matches!(&**name, "calling_conv" | "tirx.kernel_launch_params"))
}

/// Whether there are blocks of a schedule: what becomes of those is far from code.
fn has_blocks(func: &PrimFunc) -> bool {
    let mut found = false;
    func.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| found |= matches!(stmt.kind, StmtKind::SBlock(_)));
    });
    found
}

/// Whether threads start at a statement.
fn starts_threads(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::LaunchThread { .. } => true,
        StmtKind::For(l) => matches!(l.kind, ForKind::ThreadBinding(_)),
        _ => false,
    }
}

/// Whether a statement has a kernel in it.
fn has_kernel(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.walk(&mut |stmt| found |= starts_threads(stmt));
    found
}

/// What it takes to divide by something.
#[derive(Clone, Copy, Debug)]
struct Reciprocal {
    /// The variable of `m`, an `uint32`.
    multiplier: VarId,
    /// The variable of `s`.
    shift: VarId,
}

impl Reciprocal {
    /// `x // divisor`.
    fn quotient(self, x: Expr) -> Expr {
        let product = Expr::binary(
            BinOp::Mul,
            Expr::cast(U64, Expr::cast(U32, x)),
            Expr::cast(U64, Expr::var(self.multiplier, U32)),
        );
        let shift = Expr::cast(U64, Expr::var(self.shift, DType::I32));
        Expr::cast(DType::I32, Expr::call(U64, "shift_right", vec![product, shift]))
    }

    /// The statements that compute it.
    fn bindings(self, divisor: &Expr) -> [Stmt; 2] {
        let at_least_1 = Expr::binary(BinOp::Max, divisor.clone(), Expr::int(1, DType::I32));
        // The least `l` with `d <= 2**l` is one less than the number of bits of `2 * d - 1`, which is never 0.
        let twice = Expr::cast(U32, at_least_1.clone()) * Expr::int(2, U32) - Expr::int(1, U32);
        let shift = Expr::int(31 + 31, DType::I32) - Expr::call(DType::I32, "clz", vec![twice]);
        let exponent = Expr::cast(DType::I64, Expr::var(self.shift, DType::I32));
        let power = Expr::call(DType::I64, "shift_left", vec![Expr::int(1, DType::I64), exponent]);
        let multiplier = (power - 1).floordiv(Expr::cast(DType::I64, at_least_1)) + 1;
        let binding = |var, value| Stmt::new(StmtKind::Bind { var, value });
        [binding(self.shift, shift), binding(self.multiplier, Expr::cast(U32, multiplier))]
    }
}

/// The walk through a function.
struct Kernels<'a> {
    /// What is known where the walk is, in the function as it was.
    place: Place<'a>,
    /// What is known at the head of the function.
    head: Place<'a>,
    parameters: Vec<VarId>,
    names: FreshNames,
    /// The function that gets the new variables.
    made: &'a mut PrimFunc,
    /// The variables that the host's code defines outside of loops.
    host: Vec<VarId>,
    /// By divisor.
    reciprocals: IndexMap<Expr, Reciprocal>,
}

impl Kernels<'_> {
    /// `inside`: threads run the block.
    fn block(&mut self, block: &mut Block, inside: bool) {
        let facts = self.place.known.facts.len();
        for stmt in block {
            let inner = inside || starts_threads(stmt);
            let around = self.place.known.facts.len();
            let original = stmt.clone();
            let mut number = 0;
            stmt.for_each_block_mut(|block| {
                self.place.enter(&original, number);
                self.block(block, inner);
                self.place.known.facts.truncate(around);
                number += 1;
            });
            // How many threads there are is for the host.
            if inside && !starts_threads(stmt) {
                stmt.for_each_expr_mut(|e| self.expr(e));
            }
            self.place.pass(&original);
            if let StmtKind::Bind { var, .. } = stmt.kind
                && !inside
            {
                self.host.push(var);
            }
        }
        self.place.known.facts.truncate(facts);
    }

    fn expr(&mut self, e: &mut Expr) {
        if let ExprKind::Binary(op, x, divisor) = &e.kind
            && op.is_division()
        {
            let (x, divisor) = (&**x, &**divisor);
            // The dividend of a remainder is written twice.
            let is_quotient = matches!(op, BinOp::FloorDiv | BinOp::Div);
            if (is_quotient || !reads_or_has_side_effects(x))
                && let Some(reciprocal) = self.reciprocal(x, divisor)
            {
                let quotient = reciprocal.quotient(x.clone());
                *e = if is_quotient { quotient } else { x.clone() - divisor.clone() * quotient };
            }
        }
        e.for_each_child_mut(|child| self.expr(child));
    }

    /// What it takes to divide `x` here by something, if it is shown that this can be done.
    fn reciprocal(&mut self, x: &Expr, divisor: &Expr) -> Option<Reciprocal> {
        let is_possible = divisor.dtype == DType::I32
            && self.is_of_host(divisor)
            && self.place.at_least(divisor, 0)
            && self.place.at_least(x, 0);
        if !is_possible {
            return None;
        }
        if let Some(known) = self.reciprocals.get(divisor) {
            return Some(*known);
        }
        let shift = self.made.new_var(self.names.next(), Type::Prim(DType::I32));
        let multiplier = self.made.new_var(self.names.next(), Type::Prim(U32));
        let new = Reciprocal { multiplier, shift };
        self.reciprocals.insert(divisor.clone(), new);
        Some(new)
    }

    /// Whether the host can compute a divisor whatever becomes of the kernel: it has its value, or that of parameters of
    /// which it consists.
    fn is_of_host(&self, divisor: &Expr) -> bool {
        match divisor.as_var() {
            Some(var) => self.host.contains(&var),
            None => {
                divisor.as_int().is_none()
                    && !divisor.mentions(|var| !self.parameters.contains(&var))
                    && self.head.is_free(divisor)
            }
        }
    }
}

/// Computes reciprocals of variables that are bound in a block where these are bound, and takes them from the list.
fn bind(block: &mut Block, reciprocals: &mut IndexMap<Expr, Reciprocal>) {
    let mut out = Block::with_capacity(block.len());
    for mut stmt in std::mem::take(block) {
        stmt.for_each_block_mut(|inner| bind(inner, reciprocals));
        let bound = match stmt.kind {
            StmtKind::Bind { var, .. } => Some(Expr::var(var, DType::I32)),
            _ => None,
        };
        out.push(stmt);
        if let Some(divisor) = bound
            && let Some(own) = reciprocals.shift_remove(&divisor)
        {
            out.extend(own.bindings(&divisor));
        }
    }
    *block = out;
}

#[cfg(test)]
mod tests;
