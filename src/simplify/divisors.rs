//! Divisors that facts make zero: they stay as they were. Where one is evaluated the program means nothing, but TVM does not
//! compile a division by the constant.

use hashbrown::HashSet;

use crate::analysis::effects::lane_constant;
use crate::ir::{Block, Expr, ExprKind, StmtKind, VarId};

/// An expression before it was simplified, if that may make a divisor zero.
pub(super) struct Before {
    expr: Expr,
    /// Whether it is what a divisor depends on.
    is_divisor: bool,
}

impl Before {
    /// The expression, which is the value of the variable `bound` if that is one.
    pub(super) fn of(e: &Expr, bound: Option<VarId>, in_divisors: &HashSet<VarId>) -> Option<Before> {
        let is_divisor = bound.is_some_and(|var| in_divisors.contains(&var));
        (is_divisor || divides(e)).then(|| Before { expr: e.clone(), is_divisor })
    }

    /// Puts the expression back if a divisor has become zero; returns whether one has.
    pub(super) fn restore(self, e: &mut Expr) -> bool {
        let zeros = |e: &Expr| by_zero(e) + usize::from(self.is_divisor && lane_constant(e) == Some(0));
        let worse = zeros(e) > zeros(&self.expr);
        if worse {
            *e = self.expr;
        }
        worse
    }
}

/// How many integer divisions by the constant zero an expression has.
fn by_zero(e: &Expr) -> usize {
    let mut found = 0;
    for_each_divisor(e, &mut |divisor| found += usize::from(lane_constant(divisor) == Some(0)));
    e.walk(&mut |e| {
        if let ExprKind::Let(var, value, body) = &e.kind
            && lane_constant(value) == Some(0)
        {
            for_each_divisor(body, &mut |divisor| found += usize::from(divisor.as_var() == Some(*var)));
        }
    });
    found
}

/// Whether an expression has an integer division by what is no constant.
fn divides(e: &Expr) -> bool {
    let mut found = false;
    for_each_divisor(e, &mut |divisor| found |= lane_constant(divisor).is_none());
    found
}

/// The variables of bindings on whose values divisors depend.
pub(super) fn in_divisors(body: &Block) -> HashSet<VarId> {
    let mut found = HashSet::new();
    let mut binds: Vec<(VarId, &Expr)> = Vec::new();
    for stmt in body {
        stmt.walk(&mut |stmt| {
            stmt.for_each_expr(|e| for_each_divisor(e, &mut |divisor| add_vars(divisor, &mut found)));
            if let StmtKind::Bind { var, value } = &stmt.kind {
                binds.push((*var, value));
            }
        });
    }
    // A value stands before its uses.
    for (var, value) in binds.into_iter().rev() {
        if found.contains(&var) {
            add_vars(value, &mut found);
        }
    }
    found
}

fn for_each_divisor<'e>(e: &'e Expr, f: &mut impl FnMut(&'e Expr)) {
    e.walk(&mut |e| {
        if let ExprKind::Binary(op, _, divisor) = &e.kind
            && op.is_division()
            && divisor.dtype.is_integral()
        {
            f(divisor);
        }
    });
}

fn add_vars(e: &Expr, found: &mut HashSet<VarId>) {
    e.walk(&mut |e| found.extend(e.as_var()));
}
