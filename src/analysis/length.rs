//! How long a function is.

use crate::ir::{Block, Expr, PrimFunc};

/// The statements of a function and the parts of their expressions.
pub(crate) fn of(func: &PrimFunc) -> usize {
    up_to(func, usize::MAX)
}

/// The same of the statements of a block.
pub(crate) fn of_block(block: &Block) -> usize {
    let mut length = 0;
    for stmt in block {
        stmt.walk(&mut |stmt| {
            length += 1;
            stmt.for_each_expr(|e| e.walk(&mut |_| length += 1));
        });
    }
    length
}

/// The same, or `most` if it is more: then the rest is not looked at.
pub(crate) fn up_to(func: &PrimFunc, most: usize) -> usize {
    fn expr(e: &Expr, length: &mut usize, most: usize) {
        if *length < most {
            *length += 1;
            e.for_each_child(|c| expr(c, length, most));
        }
    }
    fn block(statements: &Block, length: &mut usize, most: usize) {
        for stmt in statements {
            if *length >= most {
                return;
            }
            *length += 1;
            stmt.for_each_expr(|e| expr(e, length, most));
            stmt.for_each_block(|inner| block(inner, length, most));
        }
    }
    let mut length = 0;
    block(&func.body, &mut length, most);
    length
}
