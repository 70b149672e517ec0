//! Changes to programs that others wrote: constants, operators, operands, statements. What comes out is well-formed,
//! but need not be defined on any input.

use super::dice::Dice;
use super::tree;
use crate::ir::{BinOp, Block, Callee, DType, Expr, ExprKind, Module, PrimFunc, Stmt, StmtKind};
use crate::verify::verify;

/// A changed version of one function of `module`, with loops of few iterations, so that it runs in no time; `None` if no
/// change leaves it well-formed.
///
/// ```
/// use satir::fuzz::mutate;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = x * 3 + x // 5\n")?;
/// let changed = (0..10).filter_map(|seed| mutate(&module, seed)).any(|m| m.to_string() != module.to_string());
/// assert!(changed);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn mutate(module: &Module, seed: u64) -> Option<Module> {
    const ATTEMPTS: usize = 20;
    let mut dice = Dice::new(seed);
    let only = (0..module.funcs.len()).filter(|&k| !calls_others(&module.funcs[k])).collect::<Vec<_>>();
    if only.is_empty() {
        return None;
    }
    let chosen = dice.pick(&only);
    let mut result = Module { funcs: vec![module.funcs[chosen].clone()], ..module.clone() };
    shorten(&mut result.funcs[0].body, &mut dice);
    let wanted = dice.int(1, 4);
    let mut done = 0;
    for _ in 0..ATTEMPTS {
        if done == wanted {
            break;
        }
        let mut candidate = result.clone();
        change(&mut candidate, &mut dice);
        if candidate != result && verify(&candidate).is_ok() {
            result = candidate;
            done += 1;
        }
    }
    (done > 0 && verify(&result).is_ok()).then_some(result)
}

fn calls_others(func: &PrimFunc) -> bool {
    let mut found = false;
    tree::for_each_root(&func.body, &mut |root| {
        root.walk(&mut |e| {
            if let ExprKind::Call(call) = &e.kind {
                found |= matches!(call.callee, Callee::Global(_));
            }
        });
    });
    found
}

/// Loops with many iterations get few.
fn shorten(block: &mut Block, dice: &mut Dice) {
    const MAX_ITERATIONS: i64 = 8;
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::For(f) if f.extent.as_int().is_some_and(|n| n > MAX_ITERATIONS) => {
                f.extent = Expr::int(dice.int(1, 4), f.extent.dtype);
            }
            StmtKind::LaunchThread { extent, .. } if extent.as_int().is_some_and(|n| n > MAX_ITERATIONS) => {
                *extent = Expr::int(dice.int(1, 4), extent.dtype);
            }
            _ => {}
        }
        stmt.for_each_block_mut(|b| shorten(b, dice));
    }
}

fn change(module: &mut Module, dice: &mut Dice) {
    let all = tree::expressions(module);
    if dice.chance(35) || all.is_empty() {
        let statements = tree::statements(module);
        if statements.is_empty() {
            return;
        }
        let at = dice.below(statements.len());
        let donor = dice.pick(&statements);
        let conds: Vec<Expr> = all.into_iter().filter(|e| e.dtype == DType::BOOL).collect();
        let cond = if conds.is_empty() { Expr::bool(true) } else { dice.pick(&conds) };
        tree::edit_statement(module, at, &mut |block, k| change_statement(block, k, dice, &donor, &cond));
    } else {
        let at = dice.below(all.len());
        let new = changed(&all[at], &all, dice);
        tree::replace_expression(module, at, &new);
    }
}

fn change_statement(block: &mut Block, k: usize, dice: &mut Dice, donor: &Stmt, cond: &Expr) {
    match dice.below(5) {
        0 => {
            block.remove(k);
        }
        1 if k + 1 < block.len() => block.swap(k, k + 1),
        2 => {
            let inner = block[k].clone();
            let otherwise = Vec::new();
            block[k].kind = StmtKind::If { cond: cond.clone(), then: vec![inner], otherwise };
        }
        3 => {
            let again = block[k].clone();
            block.insert(k, again);
        }
        _ => block.push(donor.clone()),
    }
}

/// An expression of the same type that is a little different.
fn changed(e: &Expr, all: &[Expr], dice: &mut Dice) -> Expr {
    let alike: Vec<&Expr> = all.iter().filter(|x| x.dtype == e.dtype && *x != e).collect();
    let other = |dice: &mut Dice| match alike.len() {
        0 => e.clone(),
        n => alike[dice.below(n)].clone(),
    };
    match (&e.kind, dice.below(4)) {
        (ExprKind::Int(v), 0..=2) if !e.dtype.is_bool() => {
            let near = [v.wrapping_add(1), v.wrapping_sub(1), 0, 1, v.wrapping_mul(2), v / 2, -v];
            Expr::int(dice.pick(&near), e.dtype)
        }
        (ExprKind::Int(v), 0..=2) => Expr::bool(*v == 0),
        (ExprKind::Binary(op, a, b), 0) => {
            let group: &[BinOp] = match op {
                BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                    &[BinOp::Eq, BinOp::Ne, BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge]
                }
                BinOp::And | BinOp::Or => &[BinOp::And, BinOp::Or],
                BinOp::FloorDiv | BinOp::FloorMod => &[BinOp::FloorDiv, BinOp::FloorMod],
                _ => &[BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Min, BinOp::Max],
            };
            Expr { dtype: e.dtype, kind: ExprKind::Binary(dice.pick(group), a.clone(), b.clone()) }
        }
        (ExprKind::Binary(op, a, b), 1) if a.dtype == b.dtype => {
            Expr { dtype: e.dtype, kind: ExprKind::Binary(*op, b.clone(), a.clone()) }
        }
        (_, 2) if e.dtype.is_index() && e.dtype.is_scalar() => {
            let v = dice.int(-2, 3);
            e.clone() + v
        }
        _ => other(dice),
    }
}
