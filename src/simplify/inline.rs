//! Bindings within expressions (`T.Let`): their values stand in place of their variables, where all else looks for facts
//! and equalities. Sharing what is equal makes bindings again where they pay.

use crate::ir::{Block, Expr, ExprKind, PrimFunc};

/// The most nodes of an expression after a value was put in place of its variable.
const MAX_NODES: usize = 200;

/// Puts the values of bindings within expressions in place of their variables, but for those that would make an
/// expression large. What may trap is evaluated no more than before: the value of a binding is evaluated in any case.
/// Returns how many bindings went.
pub(crate) fn inline(func: &mut PrimFunc) -> usize {
    let mut gone = 0;
    in_block(&mut func.body, &mut gone);
    gone
}

/// The function after [`inline`], if anything in it binds.
pub(crate) fn inlined(func: &PrimFunc) -> Option<PrimFunc> {
    binds(func).then(|| {
        let mut func = func.clone();
        inline(&mut func);
        func
    })
}

fn binds(func: &PrimFunc) -> bool {
    let mut found = false;
    let mut look = |e: &Expr| found |= matches!(e.kind, ExprKind::Let(..));
    func.body.iter().for_each(|stmt| stmt.walk(&mut |s| s.for_each_expr(|e| e.walk(&mut look))));
    found
}

fn in_block(block: &mut Block, gone: &mut usize) {
    for stmt in block {
        stmt.for_each_expr_mut(|e| in_expr(e, gone));
        stmt.for_each_block_mut(|inner| in_block(inner, gone));
    }
}

fn in_expr(e: &mut Expr, gone: &mut usize) {
    e.for_each_child_mut(|c| in_expr(c, gone));
    let ExprKind::Let(var, value, body) = &mut e.kind else { return };
    let uses = count(body, |e| e.as_var() == Some(*var));
    let bindings = count(value, |e| matches!(e.kind, ExprKind::Let(..)));
    let size = count(body, |_| true) + uses * count(value, |_| true);
    // What reads memory is read anew at each use: nothing may write in between.
    if value.has_effect() || body.has_effect() || size > MAX_NODES || uses > 1 && bindings > 0 {
        return;
    }
    body.substitute(&|v| (v == *var).then_some(&**value));
    let body = std::mem::replace(&mut **body, Expr::bool(false));
    *e = body;
    *gone += 1;
}

/// How many parts of an expression, itself included, are such.
fn count(e: &Expr, such: impl Fn(&Expr) -> bool) -> usize {
    let mut found = 0;
    e.walk(&mut |e| found += usize::from(such(e)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: &str, bindings: usize, expected: &str) {
        let text = format!(
            "@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    y = T.int32()\n    A[0] = {value}\n"
        );
        let mut module = crate::script::parse("inline", &text).unwrap();
        assert_eq!(inline(&mut module.funcs[0]), bindings);
        assert!(module.to_string().contains(&format!("A[0] = {expected}\n")), "{module}");
    }

    #[test]
    fn values_stand_in_place_of_their_variables() {
        check("T.Let(y * y, where={y: x + 1})", 1, "(x + 1) * (x + 1)");
        check("T.Let(7, where={y: A[x]})", 1, "7");
    }

    #[test]
    fn what_acts_stays_where_it_is() {
        let call = "T.Let(y * y, where={y: T.call_extern(\"int32\", \"f\", x)})";
        check(call, 0, call);
    }
}
