//! What is known of sizes, said to the compiler.

use crate::ir::{BinOp, DType, Expr, Origin, PrimFunc, Stmt, StmtKind, VarId};

/// Assumes at the head of the function that its symbolic sizes are not negative: LLVM does not know, and corrects each
/// division by a size, and each of a sum with one, for the other sign. Returns whether anything was added.
pub(crate) fn assume(func: &mut PrimFunc) -> bool {
    let mut sizes: Vec<(VarId, DType)> = Vec::new();
    for buffer in func.buffers.iter().filter(|b| matches!(b.origin, Origin::Param | Origin::Match(_))) {
        for extent in &buffer.shape {
            if let Some(var) = extent.as_var()
                && !sizes.iter().any(|&(known, _)| known == var)
            {
                sizes.push((var, extent.dtype));
            }
        }
    }
    let assumptions = sizes.into_iter().map(|(var, dtype)| {
        let holds = Expr::binary(BinOp::Le, Expr::int(0, dtype), Expr::var(var, dtype));
        Stmt::new(StmtKind::Evaluate(Expr::call(DType::BOOL, "assume", vec![holds])))
    });
    let new: Vec<Stmt> =
        assumptions.filter(|new| !func.body.iter().any(|known| known.kind == new.kind)).collect();
    let any = !new.is_empty();
    func.body.splice(0..0, new);
    any
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_symbolic_size_is_assumed_once() {
        let text = "@T.prim_func\ndef main(A: T.Buffer((\"n\", \"m\")), B: T.Buffer((\"n\",)), k: T.int32):\n    B[0] = A[0, k]\n";
        let mut func = crate::parse(text).unwrap().funcs.remove(0);
        assert!(assume(&mut func));
        let text = crate::script::print_func(&func);
        for line in ["T.assume(0 <= n)", "T.assume(0 <= m)"] {
            assert_eq!(text.matches(line).count(), 1, "{text}");
        }
        assert!(!assume(&mut func), "said already");
    }
}
