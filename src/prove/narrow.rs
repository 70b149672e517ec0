//! A loop whose body does something only while its variable is below some value ends there: `for x in range(16): if x < n: S` is
//! `for x in range(min(16, n)): S`.

use super::range::Range;
use super::side::Side;
use super::steps::is_plain;
use super::syntax::{conjuncts, inlined, is_total, is_total_let};
use super::term::Term;
use super::value::Machine;
use crate::ir::{BinOp, Expr, ExprKind, For, Stmt, StmtKind, VarId};

/// Whether the loop was made to end where its condition says.
pub(super) fn narrowed(machine: &mut Machine<'_>, l: &mut For) -> bool {
    if !is_plain(l) || !is_total(&l.min) || !is_total(&l.extent) {
        return false;
    }
    let Some((last, lets)) = l.body.split_last() else { return false };
    let StmtKind::If { cond, then, otherwise } = &last.kind else { return false };
    if !otherwise.is_empty() || !is_total(cond) || !lets.iter().all(is_total_let) {
        return false;
    }
    let (mut parts, mut end, mut rest) = (Vec::new(), None, Vec::new());
    conjuncts(cond, &mut parts);
    for part in parts {
        match end_of(machine, l, lets, part).filter(|_| end.is_none()) {
            Some(found) => end = Some(found),
            None => rest.push(part.clone()),
        }
    }
    let Some(end) = end else { return false };
    let mut inside = lets.to_vec();
    match rest.into_iter().reduce(|a, b| Expr::binary(BinOp::And, a, b)) {
        Some(cond) => inside.push(Stmt { span: last.span, ..Stmt::guarded(cond, then.clone()) }),
        None => inside.extend(then.iter().cloned()),
    }
    l.body = inside;
    l.extent = Expr::binary(BinOp::Min, l.extent.clone(), end);
    true
}

/// How many iterations of a loop there are, from its first one on, in which a condition holds that says this.
fn end_of(machine: &mut Machine<'_>, l: &For, lets: &[Stmt], cond: &Expr) -> Option<Expr> {
    let ExprKind::Binary(op @ (BinOp::Lt | BinOp::Le), value, end) = &cond.kind else { return None };
    let (value, end) = (inlined(value, lets)?, inlined(end, lets)?);
    let dtype = l.extent.dtype;
    if [&value, &end, &l.min].iter().any(|e| e.dtype != dtype) || end.mentions(|var| var == l.var) {
        return None;
    }
    let var = machine.terms.new_atom("iteration", dtype, Range::ALL);
    machine.programs[0].vars.insert(l.var, var);
    let (value, min) = (term(machine, &value)?, term(machine, &l.min)?);
    let since = machine.terms.sub(value, var);
    let ahead = machine.terms.add(since, min);
    // The value is the variable and so much more, which is what it is ahead of the number of the iteration.
    let ahead = machine.terms.as_int(ahead)?;
    let least = i64::try_from(if *op == BinOp::Lt { ahead } else { ahead.checked_sub(1)? }).ok()?;
    Some(match least {
        0 => end,
        _ => Expr::binary(BinOp::Sub, end, Expr::int(least, dtype)),
    })
}

/// A term of an expression, in which variables that are unknown have any values.
fn term(machine: &mut Machine<'_>, e: &Expr) -> Option<Term> {
    let mut unknown: Vec<(VarId, crate::ir::DType)> = Vec::new();
    e.walk(&mut |e| {
        if let ExprKind::Var(var) = e.kind {
            unknown.push((var, e.dtype));
        }
    });
    for (var, dtype) in unknown {
        if !machine.programs[0].vars.contains_key(&var) {
            let value = machine.terms.new_atom("unknown", dtype, Range::ALL);
            machine.programs[0].vars.insert(var, value);
        }
    }
    machine.described(Side::First, e).ok()
}
