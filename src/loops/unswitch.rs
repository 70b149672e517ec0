//! Conditions that no iteration of a loop changes, taken out of it: one loop for each answer.

use super::bounds::{Choice, conjuncts, for_each_choice};
use super::copy::{copy, defined, mentions_any};
use super::place::{Place, is_plain};
use super::split::looped;
use crate::ir::{Block, Expr, For, PrimFunc, Stmt, StmtKind};

/// The most conditions of one loop that are tried.
const MAX_CONDITIONS: usize = 2;

/// The conditions of the body of a loop that can be decided in front of it.
pub(super) fn conditions(place: &Place<'_>, l: &For) -> Vec<Expr> {
    if !is_plain(place.func, l) {
        return Vec::new();
    }
    let mut defined = defined(&l.body);
    defined.insert(l.var);
    let mut found: Vec<Expr> = Vec::new();
    let mut look = |cond: &Expr| {
        for part in conjuncts(cond) {
            let varies = mentions_any(&part, &defined);
            let is_known = part.as_int().is_some() || found.contains(&part);
            if !varies && !is_known && place.is_free(&part) && found.len() < MAX_CONDITIONS {
                found.push(part);
            }
        }
    };
    for_each_choice(&l.body, &mut |choice| {
        if let Choice::Condition(cond) = choice {
            look(cond);
        }
    });
    found
}

/// The loop under the condition, and a copy of it under its negation.
pub(super) fn unswitch(func: &mut PrimFunc, l: &For, cond: Expr) -> Stmt {
    let then = copy(func, &vec![Stmt::new(StmtKind::For(Box::new(l.clone())))], &[]);
    let otherwise: Block = vec![looped(func, l, &l.min, l.extent.clone())];
    Stmt::new(StmtKind::If { cond, then, otherwise })
}
