//! Statements and expressions of a program by number, in the order of the text, parents first.

use crate::ir::{Block, Expr, Module, Stmt};

/// Calls `f` on each expression that a statement evaluates.
pub(super) fn for_each_root(block: &Block, f: &mut dyn FnMut(&Expr)) {
    block.iter().for_each(|stmt| stmt.walk(&mut |s| s.for_each_expr(&mut *f)));
}

/// The same, to change them.
pub(super) fn for_each_root_mut(block: &mut Block, f: &mut dyn FnMut(&mut Expr)) {
    for stmt in block {
        stmt.for_each_expr_mut(&mut *f);
        stmt.for_each_block_mut(|inner| for_each_root_mut(inner, f));
    }
}

/// All expressions of a module.
pub(super) fn expressions(module: &Module) -> Vec<Expr> {
    let mut all = Vec::new();
    for func in &module.funcs {
        for_each_root(&func.body, &mut |root| root.walk(&mut |e| all.push(e.clone())));
    }
    all
}

/// Expression number `at` of a module.
pub(super) fn expression(module: &Module, at: usize) -> Option<Expr> {
    let mut left = at;
    let mut found = None;
    for func in &module.funcs {
        for_each_root(&func.body, &mut |root| {
            root.walk(&mut |e| {
                if left == 0 && found.is_none() {
                    found = Some(e.clone());
                }
                left = left.saturating_sub(1);
            });
        });
    }
    found
}

/// Puts `new` in the place of expression number `at`.
pub(super) fn replace_expression(module: &mut Module, at: usize, new: &Expr) {
    fn walk(e: &mut Expr, left: &mut Option<usize>, new: &Expr) {
        match left {
            None => return,
            Some(0) => {
                *e = new.clone();
                *left = None;
                return;
            }
            Some(n) => *n -= 1,
        }
        e.for_each_child_mut(|c| walk(c, left, new));
    }
    let mut left = Some(at);
    for func in &mut module.funcs {
        for_each_root_mut(&mut func.body, &mut |root| walk(root, &mut left, new));
    }
}

/// All statements of a module.
pub(super) fn statements(module: &Module) -> Vec<Stmt> {
    let mut out = Vec::new();
    let mut collect = |stmt: &Stmt| out.push(stmt.clone());
    module.funcs.iter().flat_map(|func| &func.body).for_each(|stmt| stmt.walk(&mut collect));
    out
}

/// The number of statements of a module.
pub(super) fn count_statements(module: &Module) -> usize {
    let mut n = 0;
    module.funcs.iter().flat_map(|func| &func.body).for_each(|stmt| stmt.walk(&mut |_| n += 1));
    n
}

/// Applies `change` to the block that holds statement number `at`, and its index there.
pub(super) fn edit_statement(module: &mut Module, at: usize, change: &mut dyn FnMut(&mut Block, usize)) {
    fn walk(block: &mut Block, left: &mut Option<usize>, change: &mut dyn FnMut(&mut Block, usize)) {
        for k in 0..block.len() {
            match left {
                None => return,
                Some(0) => {
                    *left = None;
                    return change(block, k);
                }
                Some(n) => *n -= 1,
            }
            block[k].for_each_block_mut(|inner| walk(inner, left, change));
        }
    }
    let mut left = Some(at);
    for func in &mut module.funcs {
        walk(&mut func.body, &mut left, change);
    }
}
