//! Conditions that TVM does not compile.
//!
//! For what holds under an `if` or in an arm of `T.if_then_else`, TVM's simplifier takes comparisons apart and brings what
//! is compared to one side. With variables of an unsigned type, their sums and products, that is a negative constant of
//! that type, at which TVM stops, and so it does where the constant on that side has no place in the type, as in
//! `m + n >= -2147483648`. Conversions and all other operations it leaves alone. A function gets no such condition that it
//! did not have: `m < 4` is then written as `T.Cast("int32", m) < 4`, or `m < n` as `m | 0 < n`. Where a conversion has
//! become a variable, also what TVM may simplify to a sum counts.

use hashbrown::HashSet;

use super::mask::mask;
use crate::ir::{BinOp, Block, DType, Expr, ExprKind, Kind, PrimFunc, StmtKind};

/// Writes the conditions of `after` at which TVM would stop, and that `before` does not have, in another way. A variable of
/// `before` is the same in `after`.
pub(crate) fn keep(before: &PrimFunc, after: &mut PrimFunc) {
    let mut conditions = Conditions { first_new: before.vars.len(), had: HashSet::new() };
    let found = conditions.exposed(after);
    // Most functions have none.
    if found.is_empty() {
        return;
    }
    let had = conditions.exposed(before);
    if found.is_subset(&had) {
        return;
    }
    drop(found);
    conditions.had = had.into_iter().cloned().collect();
    conditions.hide_in_block(&mut after.body);
}

/// What is known of the conditions of a function.
struct Conditions {
    /// The first variable that the input does not have.
    first_new: usize,
    /// The comparisons that the input has.
    had: HashSet<Expr>,
}

impl Conditions {
    /// The comparisons in conditions of a function at which TVM would stop.
    fn exposed<'f>(&self, func: &'f PrimFunc) -> HashSet<&'f Expr> {
        let mut found = HashSet::new();
        for stmt in &func.body {
            stmt.walk(&mut |stmt| {
                if let StmtKind::If { cond, .. } = &stmt.kind {
                    self.exposed_in(cond, &mut found);
                }
                stmt.for_each_expr(|root| {
                    root.walk(&mut |e| {
                        if let Some(cond) = condition(e) {
                            self.exposed_in(cond, &mut found);
                        }
                    });
                });
            });
        }
        found
    }

    /// Those of the comparisons that a condition consists of.
    fn exposed_in<'f>(&self, cond: &'f Expr, found: &mut HashSet<&'f Expr>) {
        match &cond.kind {
            ExprKind::Binary(op, a, b) if op.is_logic() => {
                self.exposed_in(a, found);
                self.exposed_in(b, found);
            }
            ExprKind::Not(of) => self.exposed_in(of, found),
            _ if self.is_exposed(cond) => _ = found.insert(cond),
            _ => {
                if let Some(("likely", [of])) = cond.as_intrin() {
                    self.exposed_in(of, found);
                }
            }
        }
    }

    fn is_exposed(&self, e: &Expr) -> bool {
        let ExprKind::Binary(op, a, b) = &e.kind else { return false };
        let unsigned = a.dtype.kind == Kind::UInt;
        let are_sums = || is_sum(a) && is_sum(b) && (a.as_int().is_none() || b.as_int().is_none());
        op.is_compare()
            && ((unsigned || has_large_constant(a, b)) && are_sums()
                || unsigned
                    && e.mentions(|var| var.index() >= self.first_new)
                    && may_become_sum(a)
                    && may_become_sum(b))
    }

    fn hide_in_block(&self, block: &mut Block) {
        for stmt in block {
            if let StmtKind::If { cond, .. } = &mut stmt.kind {
                self.hide(cond);
            }
            stmt.for_each_expr_mut(|e| self.hide_in_choices(e));
            stmt.for_each_block_mut(|block| self.hide_in_block(block));
        }
    }

    fn hide_in_choices(&self, e: &mut Expr) {
        if condition(e).is_some() {
            let mut first = true;
            e.for_each_child_mut(|part| {
                if std::mem::take(&mut first) {
                    self.hide(part);
                }
            });
        }
        e.for_each_child_mut(|part| self.hide_in_choices(part));
    }

    /// Writes the comparisons that a condition consists of so that TVM leaves them alone.
    fn hide(&self, cond: &mut Expr) {
        if self.is_exposed(cond) && !self.had.contains(cond) {
            let ExprKind::Binary(_, a, b) = &mut cond.kind else { return };
            return match (a.as_int(), b.as_int()) {
                (_, Some(c)) if a.dtype.bits <= 32 => widen(a, b, c),
                (Some(c), _) if a.dtype.bits <= 32 => widen(b, a, c),
                (Some(_), _) => mask(b),
                _ => mask(a),
            };
        }
        let is_condition = match &cond.kind {
            ExprKind::Binary(op, ..) => op.is_logic(),
            ExprKind::Not(_) => true,
            _ => matches!(cond.as_intrin(), Some(("likely", _))),
        };
        if is_condition {
            cond.for_each_child_mut(|part| self.hide(part));
        }
    }
}

/// The condition of `T.if_then_else`.
fn condition(e: &Expr) -> Option<&Expr> {
    match e.as_intrin() {
        Some(("if_then_else", [cond, ..])) => Some(cond),
        _ => None,
    }
}

/// Whether the constants of a comparison of `int32` or narrower integers may have no place in their type on one side of it.
fn has_large_constant(a: &Expr, b: &Expr) -> bool {
    let Some((_, most)) = a.dtype.int_range() else { return false };
    let mut sum = 1;
    for side in [a, b] {
        side.walk(&mut |e| sum += e.as_int().map_or(0, |c| i128::from(c).abs()));
    }
    a.dtype.bits <= 32 && sum > most
}

/// Whether the expression is made of variables and constants by what TVM makes sums of.
fn is_sum(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Var(_) | ExprKind::Int(_) => true,
        ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, a, b) => is_sum(a) && is_sum(b),
        // TVM writes one of them for it.
        ExprKind::Binary(BinOp::Min | BinOp::Max, a, b) => a == b && is_sum(a),
        _ => false,
    }
}

/// Whether TVM may make a sum of the expression, once it knows more of its parts.
fn may_become_sum(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Var(_) | ExprKind::Int(_) => true,
        ExprKind::Binary(op, _, by) if op.is_division() => by.as_int() == Some(1),
        ExprKind::Binary(_, a, b) => may_become_sum(a) && may_become_sum(b),
        ExprKind::Let(_, value, body) => may_become_sum(value) && may_become_sum(body),
        ExprKind::Select(select) => may_become_sum(&select.then) && may_become_sum(&select.otherwise),
        _ => false,
    }
}

/// Compares in a type with a sign that holds all values of the one without.
fn widen(e: &mut Expr, constant: &mut Expr, value: i64) {
    let wide = if e.dtype.bits < 32 { DType::I32 } else { DType::I64 };
    let narrow = std::mem::replace(e, Expr::bool(false));
    *e = Expr::cast(wide, narrow);
    *constant = Expr::int(value, wide);
}
