//! Loops that LLVM makes calls of: a nest that only copies consecutive elements, or sets them to 0, becomes one call of `memcpy`
//! or `memset`, whatever the number of its loops. Where such a nest stands in another loop, each iteration of that one calls
//! anew, which an estimate by elements does not see: so two loops of which one is such a nest should not become one.

use crate::arith::addends::addends;
use crate::ir::{BinOp, Block, Expr, ExprKind, For, ForKind, PrimFunc, StmtKind, VarId};

/// What a call takes beside its elements: arguments, registers that are saved, and how the function begins and ends.
const CALL: f64 = 20.0;

/// Fewer bytes are copied or set without a call.
const LEAST_BYTES: i64 = 129;

/// What calls take in a function whose buffers are flat, as far as lengths of loops are known.
pub(super) fn of(func: &PrimFunc) -> f64 {
    in_block(func, &func.body, 1.0)
}

fn in_block(func: &PrimFunc, block: &Block, runs: f64) -> f64 {
    let mut total = 0.0;
    for stmt in block {
        let mut runs = runs;
        if let StmtKind::For(l) = &stmt.kind {
            if is_call(func, l) {
                total += runs * CALL;
                continue;
            }
            let Some(extent) = l.extent.as_int() else { continue };
            runs *= extent as f64;
        }
        stmt.for_each_block(|inner| total += in_block(func, inner, runs));
    }
    total
}

/// Whether a loop with those in it is such a nest, and long enough.
fn is_call(func: &PrimFunc, outermost: &For) -> bool {
    let mut loops = vec![outermost];
    let mut body = &outermost.body;
    while let [stmt] = &body[..]
        && let StmtKind::For(l) = &stmt.kind
    {
        loops.push(l);
        body = &l.body;
    }
    let [stmt] = &body[..] else { return false };
    let StmtKind::Store { buffer, indices, value } = &stmt.kind else { return false };
    let from = match &value.kind {
        ExprKind::Load { indices, .. } => Some(indices),
        ExprKind::Int(0) => None,
        ExprKind::Float(0) => None,
        _ => return false,
    };
    let size = i64::from(func.buffer(*buffer).dtype.bits).div_euclid(8);
    let mut nest: Vec<(VarId, i64)> = Vec::new();
    for l in &loops {
        let plain = l.kind == ForKind::Serial && l.step.is_none();
        match l.extent.as_int() {
            Some(extent) if plain => nest.push((l.var, extent)),
            _ => return false,
        }
    }
    let elements = nest.iter().try_fold(1_i64, |all, (_, extent)| all.checked_mul(*extent));
    value.dtype.is_scalar()
        && elements.and_then(|n| n.checked_mul(size)).is_some_and(|bytes| bytes >= LEAST_BYTES)
        && are_consecutive(indices, &nest)
        && from.is_none_or(|from| are_consecutive(from, &nest))
}

/// Whether the iterations of a nest access one element after the other.
fn are_consecutive(indices: &[Expr], nest: &[(VarId, i64)]) -> bool {
    let [index] = indices else { return false };
    let mut terms = Vec::new();
    addends(index, None, false, &mut terms);
    let mut factor = 1_i64;
    for (var, extent) in nest.iter().rev() {
        let mut own = terms.iter().filter(|(term, _)| term.mentions(|of| of == *var));
        let (Some((term, false)), None) = (own.next(), own.next()) else { return false };
        let by = match &term.kind {
            ExprKind::Var(_) => Some(1),
            ExprKind::Binary(BinOp::Mul, a, b) if a.as_var() == Some(*var) => b.as_int(),
            _ => None,
        };
        if by != Some(factor) {
            return false;
        }
        factor = factor.saturating_mul(*extent);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(body: &str) -> f64 {
        let head = "@T.prim_func\ndef main(A: T.Buffer((4096,)), B: T.Buffer((4096,)), n: T.int32):\n";
        let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
        of(&crate::parse(&(head.to_owned() + &body)).expect("a program").funcs[0])
    }

    #[test]
    fn a_nest_of_consecutive_elements_is_one_call() {
        let copy = "for i, j, k in T.grid(4, 8, 8):\n    A[i * 64 + j * 8 + k] = B[i * 64 + j * 8 + k + n]";
        assert_eq!(calls(copy), CALL);
        assert_eq!(calls("for i, j in T.grid(8, 32):\n    A[i * 64 + j] = T.float32(0)"), 0.0, "short rows");
        assert_eq!(calls("for i, j in T.grid(8, 64):\n    A[i * 128 + j] = T.float32(0)"), 8.0 * CALL);
        assert_eq!(calls("for i, j in T.grid(8, 64):\n    A[i * 64 + j] = T.float32(1)"), 0.0, "no byte");
        assert_eq!(calls("for i in range(64):\n    A[i] = B[i * 2]"), 0.0);
        // Beside something else there is a call for each iteration around it.
        let beside = "for i in range(4):\n    for j in range(64):\n        A[i * 64 + j] = B[i * 64 + j]\n    B[i] = A[i]";
        assert_eq!(calls(beside), 4.0 * CALL);
    }
}
