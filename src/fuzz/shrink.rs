//! The smallest program that still has a property: delta debugging over functions, statements and expressions.

use super::tree::{count_statements, edit_statement, expression, replace_expression};
use crate::ir::{Block, DType, Expr, ExprKind, Module, Param, Stmt, StmtKind};
use crate::verify::verify;

/// Makes `module` smaller as long as `fails` holds of it, with at most `tries` calls of `fails`.
///
/// ```
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = x + 1\n    A[1] = x // 7\n    A[2] = x + 2\n")?;
/// let small = satir::fuzz::shrink(&module, 1000, |m| m.to_string().contains("//"));
/// assert_eq!(small.funcs[0].body.len(), 1, "the division by itself: {small}");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn shrink(module: &Module, tries: usize, fails: impl Fn(&Module) -> bool) -> Module {
    let mut shrinker = Shrinker { best: module.clone(), tries, fails };
    loop {
        let before = shrinker.tries;
        let changed =
            shrinker.functions() | shrinker.statements() | shrinker.expressions() | shrinker.tables();
        if !changed || shrinker.tries == 0 || shrinker.tries == before {
            return shrinker.best;
        }
    }
}

struct Shrinker<F> {
    best: Module,
    tries: usize,
    fails: F,
}

impl<F: Fn(&Module) -> bool> Shrinker<F> {
    /// Takes the candidate if it is a program that still fails.
    fn offer(&mut self, candidate: Module) -> bool {
        if self.tries == 0 || candidate == self.best || verify(&candidate).is_err() {
            return false;
        }
        self.tries -= 1;
        let fails = (self.fails)(&candidate);
        if fails {
            self.best = candidate;
        }
        fails
    }

    fn functions(&mut self) -> bool {
        let mut changed = false;
        let mut k = 0;
        while self.best.funcs.len() > 1 && k < self.best.funcs.len() {
            let mut candidate = self.best.clone();
            candidate.funcs.remove(k);
            if self.offer(candidate) {
                changed = true;
            } else {
                k += 1;
            }
        }
        changed
    }

    /// Removes runs of statements, long ones first, and replaces statements by what is in them.
    fn statements(&mut self) -> bool {
        let mut changed = false;
        for length in [16, 8, 4, 2, 1] {
            let mut at = 0;
            while at < count_statements(&self.best) {
                let mut candidate = self.best.clone();
                edit_statement(&mut candidate, at, &mut |block, k| {
                    let end = (k + length).min(block.len());
                    block.drain(k..end);
                });
                if self.offer(candidate) {
                    changed = true;
                } else {
                    at += 1;
                }
            }
        }
        let mut at = 0;
        while at < count_statements(&self.best) {
            let mut again = false;
            for choice in 0..4 {
                let mut candidate = self.best.clone();
                edit_statement(&mut candidate, at, &mut |block, k| unwrap(block, k, choice));
                if self.offer(candidate) {
                    (changed, again) = (true, true);
                    break;
                }
            }
            if !again {
                at += 1;
            }
        }
        changed
    }

    /// Replaces expressions by parts of them and by constants.
    fn expressions(&mut self) -> bool {
        let mut changed = false;
        let mut at = 0;
        loop {
            let Some(e) = expression(&self.best, at) else { return changed };
            let mut again = false;
            for simpler in simpler(&e) {
                let mut candidate = self.best.clone();
                replace_expression(&mut candidate, at, &simpler);
                if self.offer(candidate) {
                    (changed, again) = (true, true);
                    break;
                }
            }
            if !again {
                at += 1;
            }
            if self.tries == 0 {
                return changed;
            }
        }
    }

    /// Removes parameters and attributes, and what of the tables nothing names.
    fn tables(&mut self) -> bool {
        let mut changed = false;
        for f in 0..self.best.funcs.len() {
            let mut k = 0;
            while k < self.best.funcs[f].params.len() {
                let mut candidate = self.best.clone();
                let func = &mut candidate.funcs[f];
                let removed = func.params.remove(k);
                if let Param::Var(var) = removed {
                    func.matches.retain(|(handle, _)| *handle != var);
                }
                if self.offer(candidate) {
                    changed = true;
                } else {
                    k += 1;
                }
            }
            let mut candidate = self.best.clone();
            candidate.funcs[f].attrs.clear();
            changed |= self.offer(candidate);
        }
        changed
    }
}

/// Replaces a statement by a part of it.
fn unwrap(block: &mut Block, k: usize, choice: usize) {
    let span = block[k].span;
    let inner: Option<Vec<Stmt>> = match (&mut block[k].kind, choice) {
        (StmtKind::If { then, .. }, 0) => Some(std::mem::take(then)),
        (StmtKind::If { otherwise, .. }, 1) => Some(std::mem::take(otherwise)),
        (StmtKind::If { otherwise, .. }, 2) => {
            otherwise.clear();
            None
        }
        (StmtKind::For(f), 0) => {
            // One iteration.
            let bind = StmtKind::Bind { var: f.var, value: f.min.clone() };
            let mut body = vec![Stmt { span, kind: bind }];
            body.append(&mut f.body);
            Some(body)
        }
        (StmtKind::For(f), 1) => {
            f.step = None;
            f.kind = crate::ir::ForKind::Serial;
            f.annotations.clear();
            None
        }
        (StmtKind::For(f), 2) => {
            f.extent = Expr::int(1, f.extent.dtype);
            None
        }
        (StmtKind::For(f), 3) => {
            f.extent = Expr::int(0, f.extent.dtype);
            None
        }
        (StmtKind::LaunchThread { var, extent, body, .. }, 0) => {
            let bind = StmtKind::Bind { var: *var, value: Expr::int(0, extent.dtype) };
            let mut inner = vec![Stmt { span, kind: bind }];
            inner.append(body);
            Some(inner)
        }
        (StmtKind::While { body, .. } | StmtKind::Attr { body, .. }, 0) => Some(std::mem::take(body)),
        (StmtKind::SBlock(sblock), 0) => Some(std::mem::take(&mut sblock.body)),
        _ => None,
    };
    if let Some(inner) = inner {
        block.splice(k..=k, inner);
    }
}

/// Expressions of the same type that are simpler, simplest first.
fn simpler(e: &Expr) -> Vec<Expr> {
    let mut out = Vec::new();
    let constant = |v: i64| match e.dtype {
        d if !d.is_scalar() => None,
        d if d.is_bool() || d.is_integral() => Some(Expr::int(v, d)),
        d if d.is_float() => Some(Expr::float(v as f64, d)),
        _ => None,
    };
    match &e.kind {
        ExprKind::Int(0) | ExprKind::Float(0) => {}
        ExprKind::Int(1) => out.extend(constant(0)),
        ExprKind::Int(v) => {
            out.extend([0, 1, 2].into_iter().filter_map(constant));
            out.extend(constant(v / 2));
        }
        ExprKind::Float(bits) => {
            let values = [0.0f64, 1.0].into_iter().filter(|x| x.to_bits() != *bits);
            out.extend(values.map(|x| Expr::float(x, e.dtype)));
        }
        _ => {
            out.extend([0, 1].into_iter().filter_map(constant));
            let mut parts: Vec<Expr> = Vec::new();
            e.for_each_child(|c| parts.push(c.clone()));
            out.extend(parts.into_iter().filter(|c| c.dtype == e.dtype && value_like(c)));
            if let ExprKind::Binary(op, a, b) = &e.kind
                && op.is_compare()
            {
                out.extend([Expr::bool(true), Expr::bool(false)].into_iter().filter(|_| a.dtype == b.dtype));
            }
        }
    }
    out
}

/// Whether the expression can stand where a value is wanted.
fn value_like(e: &Expr) -> bool {
    e.dtype != DType::VOID && e.dtype != DType::HANDLE
}
