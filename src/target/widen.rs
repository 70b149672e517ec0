//! Index arithmetic in the width of addresses.
//!
//! TVM's index arithmetic has 32 bits and addresses have 64, so that each access extends its index. LLVM takes the extension
//! apart where it knows that a sum does not overflow (`nsw`, which TVM gives to what it lowers itself), and that holds for
//! variables of loops; but sums of bindings lose it, and then an extension stands before each access and nothing is known of
//! how the addresses of one loop follow each other. In 64 bits there is nothing to extend.
//!
//! So indices are computed in `int64`, and with them the bindings that are used for nothing else but comparisons. Variables
//! of loops and parameters stay as they are and are converted where they are used, and so do bindings that something else needs
//! in 32 bits: of what is cut down from 64 bits LLVM knows no sign. A division by what is no constant stays in 32 bits, which takes half the
//! time. That is right since arithmetic of `int32` does not overflow where it is evaluated: the wide result is the same.

mod conversions;

use hashbrown::HashSet;

use crate::ir::{BinOp, Block, DType, Expr, ExprKind, PrimFunc, Select, Stmt, StmtKind, Type, VarId};

/// The function with its indices, and the bindings of which they consist, in 64 bits. `described`: variables that shapes and
/// attributes name, which keep their type. `None` if nothing changes.
pub(crate) fn widen(func: &PrimFunc, described: &HashSet<VarId>) -> Option<PrimFunc> {
    // What stands in indices is known after a first look; comparisons with it are wide, too.
    let first = Needs::of(func, described, HashSet::new());
    if first.blocks {
        return None;
    }
    let needs = Needs::of(func, described, first.wide);
    let mut result = func.clone();
    let widener = Widener { wide: needs.widened };
    for var in &widener.wide {
        result.vars[var.index()].ty = Type::Prim(DType::I64);
    }
    widener.block(&mut result.body);
    conversions::bind(&mut result);
    (result != *func).then_some(result)
}

/// In which widths variables are needed. Statements are looked at from the last to the first, so that all uses of a binding are
/// known where it stands.
#[derive(Default)]
struct Needs {
    /// What comparisons in 64 bits are about.
    compared: HashSet<VarId>,
    /// What indices consist of, and such comparisons.
    wide: HashSet<VarId>,
    /// What is used elsewhere.
    narrow: HashSet<VarId>,
    /// The bindings that are needed in 64 bits only.
    widened: HashSet<VarId>,
    /// Whether there are blocks of the schedule: what becomes of those is far from code.
    blocks: bool,
}

impl Needs {
    fn of(func: &PrimFunc, described: &HashSet<VarId>, compared: HashSet<VarId>) -> Needs {
        let mut needs = Needs { narrow: described.clone(), compared, ..Needs::default() };
        needs.block(&func.body);
        needs
    }

    fn block(&mut self, block: &Block) {
        for stmt in block.iter().rev() {
            stmt.for_each_block(|block| self.block(block));
            match &stmt.kind {
                StmtKind::Bind { var, value }
                    if value.dtype == DType::I32 && self.wide.contains(var) && !self.narrow.contains(var) =>
                {
                    self.widened.insert(*var);
                    self.wide(value);
                }
                StmtKind::Store { indices, value, .. } => {
                    indices.iter().for_each(|index| self.index(index));
                    self.narrow(value);
                }
                kind => {
                    self.blocks |= matches!(kind, StmtKind::SBlock(_));
                    stmt.for_each_expr(|e| self.narrow(e));
                }
            }
        }
    }

    fn index(&mut self, index: &Expr) {
        if becomes_wide(index) { self.wide(index) } else { self.narrow(index) }
    }

    fn wide(&mut self, e: &Expr) {
        match (&e.kind, parts(e)) {
            (ExprKind::Var(var), _) => _ = self.wide.insert(*var),
            (_, [None, None]) => self.narrow(e),
            (kind, parts) => {
                if let ExprKind::Select(select) = kind {
                    self.narrow(&select.cond);
                }
                parts.into_iter().flatten().for_each(|part| self.wide(part));
            }
        }
    }

    fn narrow(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Var(var) => _ = self.narrow.insert(*var),
            ExprKind::Load { indices, .. } => indices.iter().for_each(|index| self.index(index)),
            ExprKind::Binary(op, a, b) if compares(*op, a, b, &self.compared) => {
                self.wide(a);
                self.wide(b);
            }
            _ => e.for_each_child(|child| self.narrow(child)),
        }
    }
}

/// Whether the operation compares a sum of some of the variables.
fn compares(op: BinOp, a: &Expr, b: &Expr, variables: &HashSet<VarId>) -> bool {
    op.is_compare() && a.dtype == DType::I32 && (holds(a, variables) || holds(b, variables))
}

/// Whether one of the variables stands where the expression would be computed in 64 bits.
fn holds(e: &Expr, variables: &HashSet<VarId>) -> bool {
    match &e.kind {
        ExprKind::Var(var) => variables.contains(var),
        _ => parts(e).into_iter().flatten().any(|part| holds(part, variables)),
    }
}

/// Whether an index is computed in 64 bits: not a vector, but one of neighbours, which needs no vector of addresses.
fn becomes_wide(index: &Expr) -> bool {
    index.dtype == DType::I32 || matches!(&index.kind, ExprKind::Ramp(base, _) if base.dtype == DType::I32)
}

/// The operands that are computed in 64 bits where the expression is.
fn parts(e: &Expr) -> [Option<&Expr>; 2] {
    match &e.kind {
        ExprKind::Binary(op, a, b) if is_wide(*op, b) => [Some(a), Some(b)],
        ExprKind::Ramp(a, b) => [Some(a), Some(b)],
        ExprKind::Broadcast(a) => [Some(a), None],
        ExprKind::Select(select) => [Some(&select.then), Some(&select.otherwise)],
        _ => [None, None],
    }
}

/// Whether an operation is done in 64 bits.
fn is_wide(op: BinOp, b: &Expr) -> bool {
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Min | BinOp::Max => true,
        BinOp::FloorDiv | BinOp::FloorMod | BinOp::Div | BinOp::Mod => b.as_int().is_some(),
        _ => false,
    }
}

struct Widener {
    wide: HashSet<VarId>,
}

impl Widener {
    fn block(&self, block: &mut Block) {
        block.iter_mut().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Bind { var, value } if self.wide.contains(var) => *value = self.widened(value),
            StmtKind::Store { indices, value, .. } => {
                indices.iter_mut().for_each(|index| self.index(index));
                *value = self.narrow(value);
            }
            _ => stmt.for_each_expr_mut(|e| *e = self.narrow(e)),
        }
        stmt.for_each_block_mut(|block| self.block(block));
    }

    fn index(&self, index: &mut Expr) {
        *index = if becomes_wide(index) { self.widened(index) } else { self.narrow(index) };
    }

    /// The expression in its own type.
    fn narrow(&self, e: &Expr) -> Expr {
        if let ExprKind::Binary(op, a, b) = &e.kind
            && compares(*op, a, b, &self.wide)
        {
            return Expr::binary(*op, self.widened(a), self.widened(b));
        }
        let mut e = e.clone();
        if let ExprKind::Load { indices, .. } = &mut e.kind {
            indices.iter_mut().for_each(|index| self.index(index));
        } else {
            e.for_each_child_mut(|child| *child = self.narrow(child));
        }
        e
    }

    /// The expression, of `int32`, in 64 bits.
    fn widened(&self, e: &Expr) -> Expr {
        let dtype = DType { lanes: e.dtype.lanes, ..DType::I64 };
        match &e.kind {
            ExprKind::Int(v) => Expr::int(*v, DType::I64),
            ExprKind::Var(var) if self.wide.contains(var) => Expr::var(*var, DType::I64),
            ExprKind::Binary(op, a, b) if is_wide(*op, b) => {
                Expr::binary(*op, self.widened(a), self.widened(b))
            }
            ExprKind::Ramp(base, stride) => {
                Expr::ramp(self.widened(base), self.widened(stride), e.dtype.lanes)
            }
            ExprKind::Broadcast(a) => Expr::broadcast(self.widened(a), e.dtype.lanes),
            ExprKind::Select(select) => {
                let Select { cond, then, otherwise } = &**select;
                Expr::select(self.narrow(cond), self.widened(then), self.widened(otherwise))
            }
            ExprKind::Cast(a) if a.dtype.is_integral() && a.dtype.bits < 32 => {
                Expr::cast(dtype, self.narrow(a))
            }
            _ => Expr::cast(dtype, self.narrow(e)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widened(params: &str, body: &str) -> Option<String> {
        let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
        let module = crate::parse(&format!("@T.prim_func\ndef main({params}):\n{body}")).unwrap();
        let wide = widen(&module.funcs[0], &HashSet::new())?;
        crate::verify::verify_func(&wide).unwrap();
        let text = crate::script::print_func(&wide);
        Some(text.split_once("):\n").unwrap().1.to_owned())
    }

    const PARAMS: &str =
        "A: T.Buffer((64,), \"float32\"), I: T.Buffer((64,), \"int32\"), n: T.int32, d: T.int32";

    #[test]
    fn bindings_of_indices_become_wide_where_nothing_else_needs_them() {
        let body = "v: T.let[T.int32] = n * 3\nfor i in range(v):\n    w: T.let[T.int32] = v + I[v + i]\n    \
                    u: T.let[T.int32] = w + 1\n    \
                    if u < n:\n        A[u + i] = A[v] + T.Cast(\"float32\", w // d)";
        let text = widened(PARAMS, body).unwrap();
        let lines = [
            // The end of a loop.
            "v: T.let[T.int32] = n * 3",
            "for i in range(v)",
            "cse_v2: T.let[T.int64] = T.Cast(\"int64\", i)",
            // A division by what is no constant.
            "w: T.let[T.int32] = v + I[cse_v1 + cse_v2]",
            "u: T.let[T.int64] = T.Cast(\"int64\", w) + T.int64(1)",
            "if u < T.Cast(\"int64\", n):",
            "A[u + cse_v2] = A[cse_v1] + T.Cast(\"float32\", w // d)",
        ];
        for line in lines {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }

    #[test]
    fn what_is_wide_stays() {
        let params = "A: T.Buffer((T.int64(64),), \"float32\"), n: T.int64";
        assert_eq!(widened(params, "for i in range(n):\n    A[i * T.int64(2)] = A[i]"), None);
        assert_eq!(widened("x: T.int32", "T.evaluate(x)"), None);
        let text = widened(PARAMS, "A[n // 2] = A[n // 2]").unwrap();
        assert_eq!(widened(PARAMS, &text.replace("    cse", "cse").replace("    A", "A")), None, "{text}");
    }

    #[test]
    fn rows_of_neighbours_start_at_a_wide_index_and_gathers_stay_narrow() {
        let text =
            widened(PARAMS, "A[T.Ramp(n * 4, 1, 4)] = A[T.Broadcast(n, 4) * T.Ramp(0, 3, 4) % 7]").unwrap();
        assert!(text.contains("A[T.Cast(\"int64\", n) * T.int64(4):"), "{text}");
        assert!(text.contains("A[T.Broadcast(n, 4) * T.Ramp(0, 3, 4) % T.Broadcast(7, 4)]"), "{text}");
    }
}
