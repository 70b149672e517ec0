//! Loops whose end TVM does not take.
//!
//! TVMScript spells a loop by its start and its end. Where a condition says that `d` is 2147483647, `range(d, d + 1)` would
//! become a loop from there to 2147483648, which is no `int32`. Such a loop starts at 0, and its variable stands for less.
//!
//! TVM's code generator simplifies the end of a loop that does not start at 0, which writes out what its bounds are bound to. If
//! there is a quotient in it that rounds down by what TVM does not know to be positive, it was lowered to bindings of its own,
//! and their values would not be the same in both places: it stops ("Let cannot bind the same var to two different values").
//! Such a loop starts at 0 too, if its start is the same in each iteration: the value of its variable is computed in all of them.

use hashbrown::HashSet;

use crate::analysis::side_effects::reads_or_has_side_effects;
use crate::ir::{BinOp, Block, Expr, ExprKind, For, PrimFunc, Stmt, StmtKind, Type, VarId};

/// Lets the loops start at 0 whose end TVM does not take.
pub(crate) fn keep(func: &mut PrimFunc) {
    let mut body = std::mem::take(&mut func.body);
    let mut in_shapes = HashSet::new();
    for e in func.buffers.iter().flat_map(|buffer| &buffer.shape) {
        e.walk(&mut |e| in_shapes.extend(e.as_var()));
    }
    Ends { func, in_shapes, lowered: HashSet::new() }.block(&mut body);
    func.body = body;
}

struct Ends<'a> {
    func: &'a mut PrimFunc,
    /// The variables that shapes mention.
    in_shapes: HashSet<VarId>,
    /// The variables whose value has a quotient in it that TVM lowers to bindings.
    lowered: HashSet<VarId>,
}

impl Ends<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in block {
            match &mut stmt.kind {
                StmtKind::Bind { var, value } if self.is_lowered(value) => drop(self.lowered.insert(*var)),
                StmtKind::For(f) => self.for_loop(f),
                _ => {}
            }
            stmt.for_each_block_mut(|block| self.block(block));
        }
    }

    fn for_loop(&mut self, f: &mut For) {
        if ends_outside(f) && !self.in_shapes.contains(&f.var) {
            let start = std::mem::replace(&mut f.min, Expr::int(0, f.extent.dtype));
            let value = Expr::var(f.var, start.dtype) + start;
            put(&mut f.body, f.var, &value);
        } else if f.min.as_int() != Some(0)
            && f.step.is_none()
            && (self.is_lowered(&f.min) || self.is_lowered(&f.extent))
            && !reads_or_has_side_effects(&f.min)
        {
            let start = std::mem::replace(&mut f.min, Expr::int(0, f.extent.dtype));
            let var = self.func.new_var(self.func.var(f.var).name.clone(), Type::Prim(start.dtype));
            let value = self.func.var_expr(var) + start;
            let old = std::mem::replace(&mut f.var, var);
            f.body.insert(0, Stmt::new(StmtKind::Bind { var: old, value }));
        }
    }

    /// Whether TVM lowers a part of an integer to bindings.
    fn is_lowered(&self, e: &Expr) -> bool {
        let mut found = false;
        e.walk(&mut |e| {
            found |= match &e.kind {
                ExprKind::Var(var) => self.lowered.contains(var),
                ExprKind::Binary(BinOp::FloorDiv | BinOp::FloorMod, _, divisor) => {
                    e.dtype.is_integral() && divisor.as_int().is_none_or(|by| by <= 0)
                }
                _ => false,
            };
        });
        found
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
    use crate::cse::{Options, run};

    #[test]
    fn a_loop_at_the_limit_of_its_type_starts_at_zero() {
        let text = "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), m: T.int32):\n    if m + 4 == 2147483647:\n        \
                    for i in range(m + 4, m + 5):\n            A[0] = i - m\n    for j in range(2147483640, 2147483647):\n        \
                    A[1] = j\n";
        let module = crate::parse(text).unwrap();
        let (result, _) = run(&module, &Options::default()).unwrap();
        let printed = result.to_string();
        crate::parse(&printed).unwrap();
        assert!(printed.contains("range(1)"), "{printed}");
        assert!(printed.contains("range(2147483640, 2147483647)"), "{printed}");
    }

    #[test]
    fn a_loop_that_starts_at_a_quotient_starts_at_zero() {
        let loops = |start: &str| {
            let text = format!(
                "@T.prim_func\ndef main(A: T.Buffer((\"n\",), \"int32\"), m: T.int32):\n    n = T.int32()\n    for i in range({start}, {start} + 3):\n        A[i] = {start}\n"
            );
            run(&crate::parse(&text).unwrap(), &Options::default()).unwrap().0.to_string()
        };
        let made = loops("m // n");
        assert!(
            made.contains("= m // n") && made.contains("range(3)") && made.contains("A[cse_v1 + i] ="),
            "{made}"
        );
        // The loop may store to what its start reads.
        let made = loops("A[m // n]");
        assert!(made.contains("range(A[cse_v1], A[cse_v1] + 3)"), "{made}");
        // This one is no binding when it is lowered.
        let made = loops("m // 3");
        assert!(made.contains("= m // 3") && !made.contains("range(3)"), "{made}");
    }
}
