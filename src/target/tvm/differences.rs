//! Differences of floats that TVM takes for differences of real numbers.
//!
//! TVM's simplifier, which may come after satir, makes 0 of `x - x` and `x` of `(x + y) - y`, of floats too, where that is
//! wrong for infinities and brings back what was rounded. It looks through bindings, unless their values read memory. A
//! function gets no such difference that it did not have: `a - b` is then written as `a + b * -1`, which has the same bits,
//! and which TVM keeps.

use std::mem::discriminant;

use hashbrown::HashMap;
use smallvec::SmallVec;

use crate::analysis::effects::node_effect;
use crate::ir::{BinOp, Block, Expr, ExprKind, PrimFunc, StmtKind, VarId};

/// The most parts that are compared to tell whether two expressions are the same.
const MAX_COMPARED: usize = 2_000;

/// Writes the differences of `after` that TVM would simplify, and that `before` does not have, in a way that it keeps.
/// A variable of `before` is the same in `after`. Returns whether there were any.
pub(crate) fn keep(before: &PrimFunc, after: &mut PrimFunc) -> bool {
    let new = new_ones(before, after);
    if !new.is_empty() {
        for_each_root(&mut after.body, &mut |e| rewrite(e, &new));
    }
    !new.is_empty()
}

fn new_ones(before: &PrimFunc, after: &PrimFunc) -> Vec<Expr> {
    let bound = Bound::of(after);
    let found = folded(after, &bound);
    if found.is_empty() {
        return Vec::new();
    }
    let old = Bound::of(before);
    let had = folded(before, &old);
    let is_old = |e: &Expr| {
        had.iter().any(|h| {
            Comparison { values: [&bound.all, &old.all], left: MAX_COMPARED, beyond: false }.same(e, h)
        })
    };
    found.into_iter().filter(|e| !is_old(e)).cloned().collect()
}

/// The values of variables that statements bind.
struct Bound<'f> {
    all: HashMap<VarId, &'f Expr>,
    /// Those that TVM puts in place of their variables.
    plain: HashMap<VarId, &'f Expr>,
}

impl<'f> Bound<'f> {
    fn of(func: &'f PrimFunc) -> Bound<'f> {
        let mut all = HashMap::new();
        for stmt in &func.body {
            stmt.walk(&mut |stmt| {
                if let StmtKind::Bind { var, value } = &stmt.kind {
                    all.insert(*var, value);
                }
            });
        }
        let is_plain = |value: &Expr| {
            let mut plain = true;
            value.walk(&mut |e| plain &= node_effect(e).is_pure());
            plain
        };
        let plain = all.iter().filter(|(_, value)| is_plain(value)).map(|(var, value)| (*var, *value));
        Bound { plain: plain.collect(), all }
    }
}

/// The differences of a function that TVM simplifies.
fn folded<'f>(func: &'f PrimFunc, bound: &Bound<'f>) -> Vec<&'f Expr> {
    let mut found = Vec::new();
    for stmt in &func.body {
        stmt.walk(&mut |stmt| {
            stmt.for_each_expr(|root| {
                root.walk(&mut |e| {
                    let values = [&bound.plain, &bound.plain];
                    if let ExprKind::Binary(BinOp::Sub, a, b) = &e.kind
                        && e.dtype.is_float()
                        && (Comparison { values, left: MAX_COMPARED, beyond: true }).folds(a, b)
                    {
                        found.push(e);
                    }
                });
            });
        });
    }
    found
}

/// A comparison of expressions of two functions, or of one.
struct Comparison<'a, 'f> {
    /// What stands in place of variables on both sides.
    values: [&'a HashMap<VarId, &'f Expr>; 2],
    /// How many parts may still be compared.
    left: usize,
    /// What two expressions count as beyond that.
    beyond: bool,
}

impl Comparison<'_, '_> {
    /// Whether TVM simplifies `a - b`.
    fn folds(&mut self, a: &Expr, b: &Expr) -> bool {
        let (a, b) = (self.value(0, a), self.value(1, b));
        if self.same(a, b) {
            return true;
        }
        let sum = |e: &Expr| matches!(e.kind, ExprKind::Binary(BinOp::Add, ..));
        match (&a.kind, &b.kind) {
            (ExprKind::Binary(_, p, q), _) if sum(a) && (self.same(p, b) || self.same(q, b)) => true,
            (_, ExprKind::Binary(_, p, q)) if sum(b) => self.same(a, p) || self.same(a, q),
            (ExprKind::Select(x), ExprKind::Select(y)) if self.same(&x.cond, &y.cond) => {
                self.folds(&x.then, &y.then) || self.folds(&x.otherwise, &y.otherwise)
            }
            (ExprKind::Select(x), _) => self.folds(&x.then, b) || self.folds(&x.otherwise, b),
            (_, ExprKind::Select(y)) => self.folds(a, &y.then) || self.folds(a, &y.otherwise),
            _ => false,
        }
    }

    /// What stands for an expression: the value of a variable, and one of the lanes that are all the same.
    fn value<'e>(&self, side: usize, mut e: &'e Expr) -> &'e Expr
    where
        Self: 'e,
    {
        loop {
            e = match &e.kind {
                ExprKind::Var(var) => match self.values[side].get(var) {
                    Some(value) => value,
                    None => return e,
                },
                ExprKind::Broadcast(lane) => lane,
                _ => return e,
            };
        }
    }

    fn same(&mut self, a: &Expr, b: &Expr) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return self.beyond };
        self.left = left;
        let (a, b) = (self.value(0, a), self.value(1, b));
        if a.dtype.scalar() != b.dtype.scalar() || discriminant(&a.kind) != discriminant(&b.kind) {
            return false;
        }
        let alike = match (&a.kind, &b.kind) {
            (ExprKind::Binary(x, ..), ExprKind::Binary(y, ..)) => x == y,
            (ExprKind::Load { buffer: x, .. }, ExprKind::Load { buffer: y, .. }) => x == y,
            (ExprKind::Call(x), ExprKind::Call(y)) => x.callee == y.callee && x.kwargs == y.kwargs,
            (
                ExprKind::Not(_)
                | ExprKind::Cast(_)
                | ExprKind::Select(_)
                | ExprKind::Ramp(..)
                | ExprKind::Shuffle(_),
                _,
            ) => true,
            _ => return a == b,
        };
        let parts = |e| {
            let mut parts: SmallVec<[&Expr; 4]> = SmallVec::new();
            Expr::for_each_child(e, |part| parts.push(part));
            parts
        };
        let (x, y) = (parts(a), parts(b));
        alike && x.len() == y.len() && x.into_iter().zip(y).all(|(x, y)| self.same(x, y))
    }
}

fn for_each_root(block: &mut Block, f: &mut impl FnMut(&mut Expr)) {
    for stmt in block {
        stmt.for_each_expr_mut(&mut *f);
        stmt.for_each_block_mut(|inner| for_each_root(inner, f));
    }
}

/// Writes each of the differences within `e` as a sum.
fn rewrite(e: &mut Expr, differences: &[Expr]) {
    if differences.contains(e)
        && let ExprKind::Binary(op, _, b) = &mut e.kind
    {
        let minus_one = Expr::float(-1.0, e.dtype.scalar());
        let factor = if e.dtype.is_scalar() { minus_one } else { Expr::broadcast(minus_one, e.dtype.lanes) };
        let taken = std::mem::replace(&mut **b, Expr::bool(false));
        (*op, **b) = (BinOp::Add, Expr::binary(BinOp::Mul, taken, factor));
    }
    e.for_each_child_mut(|part| rewrite(part, differences));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn func(body: &str) -> PrimFunc {
        let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
        let text = format!(
            "@T.prim_func\ndef main(A: T.Buffer((9,)), B: T.Buffer((9,)), x: T.float32, y: T.float32, c: T.bool):\n{body}"
        );
        crate::parse(&text).unwrap_or_else(|e| panic!("{e}")).funcs.remove(0)
    }

    /// Whether TVM simplifies a difference of the function.
    fn is_folded(body: &str) -> bool {
        let func = func(body);
        !folded(&func, &Bound::of(&func)).is_empty()
    }

    #[test]
    fn what_tvm_simplifies() {
        for difference in [
            "x - x",
            "A[0] - A[0]",
            "(x + y) - x",
            "(x + y) - y",
            "x - (x + y)",
            "T.Select(c, x, y) - y",
            "T.Select(c, x, y) - T.Select(c, x, A[0])",
        ] {
            assert!(is_folded(&format!("B[0] = {difference}")), "{difference}");
        }
        for difference in
            ["x - y", "x - (x - y)", "(x + y + A[0]) - y", "x * y - x", "(x - y) + y", "x * x - x * y"]
        {
            assert!(!is_folded(&format!("B[0] = {difference}")), "{difference}");
        }
        assert!(is_folded("v: T.let[T.float32] = x + y\nB[0] = v - y"));
        assert!(!is_folded("v: T.let[T.float32] = x + A[0]\nB[0] = v - x"));
    }

    #[test]
    fn new_differences_are_written_as_sums() {
        let before = func("B[0] = x + x * T.float32(-1)\nB[1] = (x + y) - y");
        let mut after = func("B[0] = x - x\nv: T.let[T.float32] = x + y\nB[1] = v - y");
        assert!(keep(&before, &mut after));
        let text = crate::script::print_func(&after);
        assert!(text.contains("B[0] = x + x * T.float32(-1.0)") && text.contains("B[1] = v - y"), "{text}");
        let mut same = before.clone();
        assert!(!keep(&before, &mut same) && same == before);
    }
}
