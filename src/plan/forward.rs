//! Elements that are stored to again and again in straight code, as short loops have it once that they are written out: LLVM
//! keeps the value in a register and stores the last one only. For loops on vectors this is part of the estimate. What other loops
//! keep in registers is not, whatever their order is.

use crate::ir::{Block, BufferId, Expr, ExprKind, Stmt, StmtKind, VarId};
use crate::target::nests::{Stride, stride};

/// How many statements back an earlier store to an element is looked for.
const BACK: usize = 4;

/// Puts what was stored in place of the load of the element in the next store to it, and drops the earlier store.
pub(super) fn forwarded(block: Block) -> Block {
    let mut made = Block::with_capacity(block.len());
    for mut stmt in block {
        let from = made.len().saturating_sub(BACK);
        if let Some(at) = (from..made.len()).rev().find(|&at| is_merged(&made[at..], &mut stmt)) {
            made.remove(at);
        }
        made.push(stmt);
    }
    made
}

/// Whether all that a block accesses are neighbours in different iterations of the loop over `var`, or the same in all of them.
pub(super) fn is_over_rows(block: &Block, var: VarId) -> bool {
    let mut rows = true;
    let mut look = |indices: &[Expr]| {
        let last = indices.len().saturating_sub(1);
        rows &= indices.iter().enumerate().all(|(at, index)| match stride(index, var) {
            Stride::None => true,
            along => at == last && along == Stride::Constant(1),
        });
    };
    for stmt in block {
        if let StmtKind::Store { indices, .. } = &stmt.kind {
            look(indices);
        }
        stmt.for_each_expr(|e| {
            e.walk(&mut |e| {
                if let ExprKind::Load { indices, .. } = &e.kind {
                    look(indices);
                }
            });
        });
    }
    rows
}

/// Whether the first of some statements stores to an element that `next` stores to as well, and is not needed any more since
/// `next` got its value.
fn is_merged(earlier: &[Stmt], next: &mut Stmt) -> bool {
    let [Stmt { kind: StmtKind::Store { buffer, indices, value: stored }, .. }, between @ ..] = earlier
    else {
        return false;
    };
    let StmtKind::Store { buffer: to, indices: at, value } = &mut next.kind else { return false };
    if to != buffer || at != indices {
        return false;
    }
    let is_apart = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Store { buffer: other, value, .. } => {
            other != buffer && loads(value, *buffer) == 0 && loads(stored, *other) == 0
        }
        _ => false,
    };
    let is_element = |e: &Expr| matches!(&e.kind, ExprKind::Load { buffer: of, indices: at } if of == buffer && **at == **indices);
    // A load at other indices may be one of the element. One that is there twice would be computed twice, as a text.
    let mut elements = 0;
    value.walk(&mut |e| elements += usize::from(is_element(e)));
    let is_merged = elements <= 1 && loads(value, *buffer) == elements && between.iter().all(is_apart);
    if is_merged {
        replace(value, &is_element, stored);
    }
    is_merged
}

/// How often an expression loads from a buffer.
fn loads(e: &Expr, buffer: BufferId) -> usize {
    let mut found = 0;
    e.walk(&mut |e| {
        found += usize::from(matches!(&e.kind, ExprKind::Load { buffer: of, .. } if *of == buffer))
    });
    found
}

fn replace(e: &mut Expr, wanted: &impl Fn(&Expr) -> bool, by: &Expr) {
    if wanted(e) {
        *e = by.clone();
    } else {
        e.for_each_child_mut(|part| replace(part, wanted, by));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str) {
        let head = "@T.prim_func\ndef main(A: T.Buffer((9,)), B: T.Buffer((9,)), C: T.Buffer((9,))):\n    ";
        let parse = |body: &str| {
            crate::parse(&format!("{head}{}\n", body.replace("; ", "\n    "))).expect("a program")
        };
        let mut module = parse(before);
        let body = std::mem::take(&mut module.funcs[0].body);
        module.funcs[0].body = forwarded(body);
        assert_eq!(module.to_string(), parse(after).to_string());
    }

    #[test]
    fn loops_over_neighbours_run_on_vectors() {
        let over_rows = |index: &str| {
            let text = format!(
                "@T.prim_func\ndef main(A: T.Buffer((99,)), B: T.Buffer((9,)), n: T.int32):\n    for i in range(9):\n        B[i] = A[{index}]\n"
            );
            let module = crate::parse(&text).expect("a program");
            let StmtKind::For(l) = &module.funcs[0].body[0].kind else { panic!("a loop") };
            is_over_rows(&l.body, l.var)
        };
        assert!(over_rows("n + i + 3") && over_rows("n * 3"));
        assert!(!over_rows("i * 9 + n") && !over_rows("i * n") && !over_rows("i // 2"));
    }

    #[test]
    fn an_element_is_stored_once() {
        check("A[1] = B[0]; A[1] = A[1] + B[1]; A[1] = A[1] * B[2]", "A[1] = (B[0] + B[1]) * B[2]");
        check("A[1] = B[0]; C[1] = B[1]; A[1] = A[1] + B[1]", "C[1] = B[1]; A[1] = B[0] + B[1]");
    }

    #[test]
    fn what_may_be_needed_stays() {
        for text in [
            "A[1] = B[0]; A[2] = A[2] + B[1]",
            // Another element that may be the same one, also in between.
            "A[1] = B[0]; A[1] = A[1] + A[2]",
            "A[1] = B[0]; A[2] = B[1]; A[1] = A[1] + B[2]",
            "A[1] = B[0]; C[1] = A[1]; A[1] = A[1] + B[2]",
            "A[1] = B[0]; B[0] = C[1]; A[1] = A[1] + C[2]",
            // The sum would be there twice.
            "A[1] = B[0] + B[1]; A[1] = A[1] * A[1]",
            "A[1] = B[0]; A[1] = T.max(A[1], T.float32(0)) + A[1]",
        ] {
            check(text, text);
        }
    }
}
