//! Quotients that say nothing: an index may be written with quotients of a loop's variable and grow by the same amount with each
//! iteration all the same, and a condition may be one that changes once.

use std::ops::Range;

use hashbrown::HashMap;

use super::copy::mentions;
use super::points::integers;
use crate::ir::value::{LANES, Lanes, evaluate_lanes};
use crate::ir::{Expr, ExprKind, For, PrimFunc, StmtKind, VarId};

/// The values that sizes have in them, in turn.
const SIZES: [i64; 4] = [5, 12, 3, 7];

/// How many times [`LANES`] of the first iterations there are.
const WINDOWS: i64 = 16;

/// Whether an index in the body of a loop that has quotients of the loop's variable seems to grow by the same amount with each
/// iteration, or such a condition to change once. Only some iterations are looked at; where it is otherwise, no equality takes all
/// quotients away.
pub(super) fn hides_affine(func: &PrimFunc, l: &For) -> bool {
    let Some(mut sampled) = Sampled::new(func, l) else { return true };
    let mut found = false;
    for stmt in &l.body {
        stmt.walk(&mut |stmt| {
            if let StmtKind::For(inner) = &stmt.kind {
                sampled.enter(inner);
            }
            let mut look = |index: &Expr| found = found || divides(index, l.var) && sampled.is_affine(index);
            if let StmtKind::Store { indices, .. } = &stmt.kind {
                indices.iter().for_each(&mut look);
            }
            stmt.for_each_expr(|e| {
                e.walk(&mut |e| {
                    if let ExprKind::Load { indices, .. } = &e.kind {
                        indices.iter().for_each(&mut look);
                    }
                });
            });
            if let StmtKind::If { cond, .. } = &stmt.kind {
                found = found || divides(cond, l.var) && sampled.changes_once(cond);
            }
        });
    }
    found
}

/// Iterations of a loop at which indices and conditions are evaluated.
struct Sampled {
    var: VarId,
    /// The numbers of iterations, and the values that the loop's variable has there.
    windows: Vec<([i64; LANES], Lanes)>,
    /// What the other variables are: the first iterations of the loops inside.
    others: HashMap<VarId, Lanes>,
}

impl Sampled {
    /// `None` if it is not known which iterations a loop has.
    fn new(func: &PrimFunc, l: &For) -> Option<Sampled> {
        let others = integers(func).map(|var| (var, Lanes::all(SIZES[var.index() % SIZES.len()])));
        let mut sampled = Sampled { var: l.var, windows: Vec::new(), others: others.collect() };
        let [min, extent] =
            [&l.min, &l.extent].map(|e| evaluate_lanes(e, &|var| sampled.others.get(&var).copied()).get(0));
        let (min, last, lanes) = (min?, (extent? - 1).max(0), LANES as i64);
        // Those that lie apart show most, then come the first ones in order.
        let apart = std::array::from_fn(|at| last.saturating_mul(at as i64) / (lanes - 1));
        let next =
            (0..WINDOWS).map(|window| std::array::from_fn(|at| (window * lanes + at as i64).min(last)));
        sampled.windows = std::iter::once(apart)
            .chain(next)
            .map(|iterations: [i64; LANES]| (iterations, Lanes::new(|at| min.checked_add(iterations[at]))))
            .collect();
        Some(sampled)
    }

    fn enter(&mut self, l: &For) {
        let first = self.value(&l.min, 0);
        self.others.insert(l.var, first);
    }

    fn value(&self, e: &Expr, window: usize) -> Lanes {
        let loop_var = &self.windows[window].1;
        evaluate_lanes(e, &|var| {
            if var == self.var { Some(*loop_var) } else { self.others.get(&var).copied() }
        })
    }

    /// Whether values grow by the same amount with each iteration.
    fn is_affine(&self, e: &Expr) -> bool {
        let start = self.value(e, 1);
        let (Some(first), Some(second)) = (start.get(0), start.get(1)) else { return false };
        let at = |iteration: i64| second.checked_sub(first)?.checked_mul(iteration)?.checked_add(first);
        (0..self.windows.len()).all(|window| {
            let value = self.value(e, window);
            let iterations = self.windows[window].0.iter().enumerate();
            let mut expected = iterations.map(|(number, it)| (value.get(number), at(*it)));
            expected.all(|(value, expected)| value.is_some() && value == expected)
        })
    }

    /// Whether truth values are one up to some iteration and the other one from there.
    fn changes_once(&self, cond: &Expr) -> bool {
        let is_once = |windows: Range<usize>| {
            let (mut changes, mut before) = (0, None);
            windows.map(|window| self.value(cond, window)).all(|value| {
                for now in (0..LANES).map(|at| value.get(at).map(|value| value != 0)) {
                    changes += usize::from(before.is_some() && before != now);
                    before = now;
                }
                changes <= 1
            })
        };
        // Those that lie apart are no part of the row of the others.
        is_once(0..1) && is_once(1..self.windows.len())
    }
}

/// Whether there is a quotient or remainder of a variable in an expression.
fn divides(e: &Expr, var: VarId) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        found =
            found || matches!(&e.kind, ExprKind::Binary(op, a, _) if op.is_division() && mentions(a, var));
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    /// What is said of the first loop of a function with this body.
    fn hides(body: &str) -> bool {
        let text = format!(
            "@T.prim_func\ndef main(A: T.Buffer((\"n\",)), B: T.Buffer((n,))):\n    n = T.int32()\n{body}"
        );
        let func = parse(&text).expect("it is a function").funcs.remove(0);
        match &func.body[..] {
            [.., stmt] => match &stmt.kind {
                StmtKind::For(l) => hides_affine(&func, l),
                _ => panic!("it ends in a loop"),
            },
            [] => panic!("it ends in a loop"),
        }
    }

    #[test]
    fn an_index_that_grows_steadily_is_found_behind_its_quotients() {
        assert!(hides(
            "    for f in range(360):\n        A[f] = B[f // 60 * 60 + f // 5 % 12 * 5 + f % 5]\n"
        ));
        assert!(hides("    for f in range(n * 6):\n        A[f // n * n + f % n] = B[0]\n"));
        // A transposition, and what is no quotient at all.
        assert!(!hides("    for f in range(360):\n        A[f] = B[f % 60 * 6 + f // 60]\n"));
        assert!(!hides("    for f in range(360):\n        A[f] = B[f * 3]\n"));
        let guarded = |cond: &str| {
            hides(&format!("    for f in range(16):\n        if {cond}:\n            A[f] = B[f]\n"))
        };
        assert!(guarded("f // 4 == 3 and f % 4 >= 2") && !guarded("f % 4 >= 2"));
        // It grows by other amounts only at the end.
        assert!(!hides("    for f in range(360):\n        A[f] = B[f // 200 * 7 + f]\n"));
    }
}
