//! Divisions by sizes in kernels for GPUs, as multiplications by a reciprocal that the host computes.
//!
//! A GPU has no instruction that divides integers: a division by what is no constant takes some 20 instructions, one of 64
//! bits three times as many, and index arithmetic of programs with symbolic sizes consists of them. Where the divisor is the
//! same for all threads, the host can compute what it takes to divide by it, once for a launch, and a thread multiplies and
//! shifts (`numbers.rs`).

mod numbers;

use indexmap::IndexMap;

use crate::analysis::parameters::scalar_parameters;
use crate::analysis::side_effects::reads_or_has_side_effects;
use crate::arith::Interval;
use crate::ir::{
    BinOp, Block, DType, Expr, ExprKind, ForKind, FreshNames, PrimFunc, Stmt, StmtKind, VarId, threads,
};
use crate::loops::Place;
use numbers::{MOST_WIDE, Reciprocal};

/// The function with the divisions of `int32` and `int64` in its kernels multiplied out, where the divisor is computed
/// outside of them, neither it nor the dividend is negative, and the dividend is not too large. `positive_dims`: no
/// dimension of a parameter is 0. `None` if nothing changes.
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

/// How far the value of a divisor is followed through bindings, and the most parts that it may have.
const MAX_BINDINGS: usize = 6;
const MAX_PARTS: usize = 40;

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
            let mut blocks = Vec::new();
            stmt.for_each_block_mut(|block| blocks.push(std::mem::take(block)));
            for (number, block) in blocks.iter_mut().enumerate() {
                self.place.enter(stmt, number);
                self.limit(stmt);
                self.block(block, inner);
                self.place.known.facts.truncate(around);
            }
            let mut done = blocks.into_iter();
            stmt.for_each_block_mut(|block| *block = done.next().unwrap_or_default());
            // Values are known as they were.
            self.place.pass(stmt);
            // How many threads there are is for the host.
            if inside && !starts_threads(stmt) {
                stmt.for_each_expr_mut(|e| self.expr(e));
            }
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
            let is_quotient = matches!(op, BinOp::FloorDiv | BinOp::Div);
            // What is written twice must be worth the same twice.
            let is_once = is_quotient && divisor.dtype == DType::I32;
            if (is_once || !reads_or_has_side_effects(x))
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
        let on_host = self.on_host(divisor)?;
        let fits = match divisor.dtype {
            DType::I32 => true,
            DType::I64 => self.place.at_most(x, &Expr::int(MOST_WIDE, DType::I64)),
            _ => false,
        };
        let is_possible = fits && self.place.at_least(divisor, 0) && self.place.at_least(x, 0);
        if !is_possible {
            return None;
        }
        if let Some(known) = self.reciprocals.get(&on_host) {
            return Some(*known);
        }
        let new = Reciprocal::new(self.made, &mut self.names, divisor.dtype);
        self.reciprocals.insert(on_host, new);
        Some(new)
    }

    /// Takes the numbers of threads to be those that a launch can have: with more of them nothing runs.
    fn limit(&mut self, stmt: &Stmt) {
        let (var, tag) = match &stmt.kind {
            StmtKind::LaunchThread { var, tag, .. } => (*var, tag),
            StmtKind::For(l) => match &l.kind {
                ForKind::ThreadBinding(tag) if l.min.as_int() == Some(0) => (l.var, tag),
                _ => return,
            },
            _ => return,
        };
        let Some(most) = threads::most(tag) else { return };
        if let Some(range) = self.place.known.ranges.get_mut(var.index()) {
            let possible = Interval::new(0, most - 1).and_then(|possible| possible.meet(*range));
            *range = possible.unwrap_or(*range);
        }
    }

    /// A divisor as the host can compute it, whatever becomes of the kernel: it has its value, or that of the parameters of
    /// which it consists.
    fn on_host(&self, divisor: &Expr) -> Option<Expr> {
        if divisor.as_var().is_some_and(|var| self.host.contains(&var)) {
            return Some(divisor.clone());
        }
        let bound = &self.place.known.values;
        let mut value = divisor.clone();
        for _ in 0..MAX_BINDINGS {
            value.substitute(&|var| bound.get(&var));
            let mut parts = 0;
            value.walk(&mut |_| parts += 1);
            if parts > MAX_PARTS {
                return None;
            }
        }
        let is_known = value.as_int().is_none()
            && !value.mentions(|var| !self.parameters.contains(&var))
            && self.head.is_free(&value);
        is_known.then_some(value)
    }
}

/// Computes reciprocals of variables that are bound in a block where these are bound, and takes them from the list.
fn bind(block: &mut Block, reciprocals: &mut IndexMap<Expr, Reciprocal>) {
    let mut out = Block::with_capacity(block.len());
    for mut stmt in std::mem::take(block) {
        stmt.for_each_block_mut(|inner| bind(inner, reciprocals));
        let bound = match stmt.kind {
            StmtKind::Bind { var, ref value } => Some(Expr::var(var, value.dtype)),
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
