//! Loops whose end has no place in the type of their variable.
//!
//! TVMScript spells a loop by its start and its end. Where a condition says that `d` is 2147483647, `range(d, d + 1)` would
//! become a loop from there to 2147483648, which is no `int32`. Such a loop starts at 0, and its variable stands for less.

use crate::ir::{Block, Buffer, Expr, For, PrimFunc, StmtKind, VarId};

/// Lets the loops start at 0 whose constant end does not fit.
pub(crate) fn keep(func: &mut PrimFunc) {
    keep_in_block(&mut func.body, &func.buffers);
}

fn keep_in_block(block: &mut Block, buffers: &[Buffer]) {
    for stmt in block {
        if let StmtKind::For(f) = &mut stmt.kind
            && ends_outside(f)
            && !buffers.iter().flat_map(|buffer| &buffer.shape).any(|e| e.mentions(|var| var == f.var))
        {
            let start = std::mem::replace(&mut f.min, Expr::int(0, f.extent.dtype));
            let value = Expr::var(f.var, start.dtype) + start;
            put(&mut f.body, f.var, &value);
        }
        stmt.for_each_block_mut(|block| keep_in_block(block, buffers));
    }
}

fn ends_outside(f: &For) -> bool {
    let (Some(min), Some(extent)) = (f.min.as_int(), f.extent.as_int()) else { return false };
    let fits = |end: i64| f.min.dtype.int_range().is_some_and(|(_, most)| i128::from(end) <= most);
    f.step.is_none() && extent > 0 && !min.checked_add(extent).is_some_and(fits)
}

/// Puts a value in place of a variable.
fn put(block: &mut Block, var: VarId, value: &Expr) {
    for stmt in block {
        stmt.for_each_expr_mut(|e| e.substitute(&|v| (v == var).then_some(value)));
        stmt.for_each_block_mut(|block| put(block, var, value));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_loop_at_the_limit_of_its_type_starts_at_zero() {
        let text = "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), m: T.int32):\n    if m + 4 == 2147483647:\n        \
                    for i in range(m + 4, m + 5):\n            A[0] = i - m\n    for j in range(2147483640, 2147483647):\n        \
                    A[1] = j\n";
        let module = crate::parse(text).unwrap();
        let (result, _) = crate::cse::run(&module, &crate::cse::Options::default()).unwrap();
        let printed = result.to_string();
        crate::parse(&printed).unwrap();
        assert!(printed.contains("range(1)"), "{printed}");
        assert!(printed.contains("range(2147483640, 2147483647)"), "{printed}");
    }
}
