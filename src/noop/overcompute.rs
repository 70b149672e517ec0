//! Conditions go whose statements may as well run where they do not hold.
//!
//! Two forms are tried for each `if`: the statements as they are, then with the indices that would be out of bounds taken
//! modulo the extent. A choice in a value goes too, if one arm is the value of the other where that one is taken.

use super::clause::Clause;
use super::obstacle::Obstacle;
use super::reason::{Change, Described, Reason};
use super::same::same_value;
use super::settings::Settings;
use super::statements::{find, replace};
use super::tries::{Made, Tries};
use super::under::{ghosts, noop_under};
use super::{arms, permit, total};
use crate::analysis::accesses::{Access, Accesses, Condition, Kind, is_plain};
use crate::analysis::instances::Asker;
use crate::ir::{BinOp, Block, BufferId, Expr, ExprKind, PrimFunc, Stmt, StmtKind};

/// The most conditions that are tried in one function.
const MAX_SITES: usize = 512;

/// Removes conditions until none can be.
pub(super) fn run(func: &mut PrimFunc, settings: Settings) -> Made {
    let mut changes = Vec::new();
    let mut tries = Tries::new(MAX_SITES);
    loop {
        let before = changes.len();
        round(func, settings, &mut changes, &mut tries);
        if changes.len() == before || tries.is_over() {
            return tries.made(changes);
        }
    }
}

/// Tries each condition once, in the order of the text; all facts are found anew after each change. The accesses are too,
/// unless all that a change did was to take a guard from some of them.
fn round(func: &mut PrimFunc, settings: Settings, changes: &mut Vec<Change>, tries: &mut Tries) {
    let mut from = 0;
    let Some(mut accesses) = Accesses::new(func) else { return };
    'changed: loop {
        for site in sites(&func.body).into_iter().filter(|&site| site >= from) {
            if !tries.take() {
                return;
            }
            if let Ok((change, freed)) = made_at(func, &mut accesses, site, settings) {
                changes.push(change);
                // What took its place has its number.
                from = site;
                if !freed.is_some_and(|inside| accesses.unguard(site, inside)) {
                    let Some(anew) = Accesses::new(func) else { return };
                    accesses = anew;
                }
                continue 'changed;
            }
        }
        return;
    }
}

/// The numbers of statements with a condition that may go: an `if`, or a store of a choice.
pub(super) fn sites(body: &Block) -> Vec<usize> {
    let mut found = Vec::new();
    let mut number = 0;
    let mut inside: Vec<usize> = Vec::new();
    fn walk(stmt: &Stmt, number: &mut usize, found: &mut Vec<usize>) {
        let own = *number;
        *number += 1;
        // Blocks with axes declare what they read and write.
        let before = found.len();
        stmt.for_each_block(|block| block.iter().for_each(|stmt| walk(stmt, number, found)));
        match &stmt.kind {
            StmtKind::SBlock(_) => found.truncate(before),
            StmtKind::If { .. } => found.insert(before, own),
            StmtKind::Store { value, .. } if has_choice(value) => found.push(own),
            _ => {}
        }
    }
    body.iter().for_each(|stmt| walk(stmt, &mut number, &mut inside));
    found.append(&mut inside);
    found
}

fn has_choice(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= matches!(&e.kind, ExprKind::Call(call) if call.is_lazy_select()));
    found
}

/// Tries the condition of a statement.
pub(super) fn at(
    func: &mut PrimFunc,
    accesses: &mut Accesses,
    site: usize,
    settings: Settings,
) -> Result<Change, Obstacle> {
    made_at(func, accesses, site, settings).map(|(change, _)| change)
}

/// The same; with the number of statements that a guard was taken from, if that is all that was done.
fn made_at(
    func: &mut PrimFunc,
    accesses: &mut Accesses,
    site: usize,
    settings: Settings,
) -> Result<(Change, Option<usize>), Obstacle> {
    let stmt = find(&func.body, site).ok_or(Obstacle::Nothing)?.clone();
    let condition = accesses.conditions.get(&site).cloned();
    match &stmt.kind {
        StmtKind::If { then, otherwise, .. } if !otherwise.is_empty() => {
            if !is_plain(&condition.ok_or(Obstacle::Nothing)?.cond) {
                return Err(Obstacle::Statement);
            }
            let asker = Asker::new(accesses, Asker::budget(accesses));
            let kept = [(then, otherwise, true), (otherwise, then, false)]
                .into_iter()
                .find(|&(kept, gone, truth)| arms::stands_for(&asker, site, (kept, gone), truth))
                .map(|(kept, ..)| kept.clone())
                .ok_or(Obstacle::Value)?;
            replace(&mut func.body, site, kept);
            Ok((Change { what: "a condition goes".to_owned(), reasons: vec![Reason::SameValue] }, None))
        }
        StmtKind::If { then, .. } => {
            let condition = condition.ok_or(Obstacle::Nothing)?;
            if !is_plain(&condition.cond) {
                return Err(Obstacle::Statement);
            }
            if Clause::Total.counts() {
                total::block(then)?;
            }
            let mut block = then.clone();
            let mut reasons = Vec::new();
            let mut freed = Some(length(then));
            let proof = match guarded(func, accesses, site, &condition, &[], settings) {
                Ok(proof) => proof,
                // What is out of bounds is not known to be defined either. A remainder in an address costs more than a guard
                // around straight code, which a compiler splits.
                Err(obstacle @ (Obstacle::Bounds(_) | Obstacle::Store(_)))
                    if !binds(&block) && loops(&block) =>
                {
                    let wraps = wraps(accesses, site, &condition);
                    if wraps.is_empty() {
                        return Err(obstacle);
                    }
                    let proof = guarded(func, accesses, site, &condition, &wraps, settings)?;
                    wrap_block(&mut block, &wraps);
                    freed = None;
                    for wrap in &wraps {
                        let reason = Reason::Wrapped { buffer: func.name_of(wrap.buffer) };
                        if !reasons.contains(&reason) {
                            reasons.push(reason);
                        }
                    }
                    proof
                }
                Err(other) => return Err(other),
            };
            reasons.extend(proof);
            replace(&mut func.body, site, block);
            Ok((Change { what: "a condition goes".to_owned(), reasons }, freed))
        }
        StmtKind::Store { buffer, indices, value } => {
            let (value, reasons) =
                without_choice(func, accesses, site, value, settings).ok_or(Obstacle::Value)?;
            let store = StmtKind::Store { buffer: *buffer, indices: indices.clone(), value };
            replace(&mut func.body, site, vec![Stmt { kind: store, ..stmt.clone() }]);
            Ok((Change { what: "a choice goes".to_owned(), reasons }, None))
        }
        _ => Err(Obstacle::Nothing),
    }
}

/// How many statements there are, those within others included.
fn length(block: &Block) -> usize {
    let mut count = 0;
    block.iter().for_each(|stmt| stmt.walk(&mut |_| count += 1));
    count
}

/// An index that is taken modulo the extent of its dimension.
#[derive(Clone, Debug, PartialEq)]
struct Wrap {
    buffer: BufferId,
    dim: usize,
    index: Expr,
    extent: Expr,
}

impl Wrap {
    fn wrapped(&self) -> Expr {
        Expr::binary(BinOp::FloorMod, self.index.clone(), self.extent.clone())
    }
}

/// Whether the statements of a condition may run where it does not hold.
fn guarded(
    func: &PrimFunc,
    accesses: &mut Accesses,
    site: usize,
    condition: &Condition,
    wraps: &[Wrap],
    settings: Settings,
) -> Result<Vec<Reason>, Obstacle> {
    let len = accesses.list.len();
    let mut added = guarded_ghosts(accesses, site, condition);
    for access in &mut added {
        for wrap in wraps.iter().filter(|wrap| wrap.buffer == access.buffer) {
            if access.indices.get(wrap.dim) == Some(&wrap.index) {
                access.indices[wrap.dim] = wrap.wrapped();
            }
        }
        if let Kind::Store(value) = &mut access.kind {
            wrap_expr(value, wraps);
        }
    }
    accesses.add(added);
    let asker = Asker::new(accesses, Asker::budget(accesses));
    let proof = noop_under(&asker, func, len, settings);
    accesses.truncate(len);
    proof
}

/// The accesses that a condition guards, for where it does not hold.
fn guarded_ghosts(accesses: &Accesses, site: usize, condition: &Condition) -> Vec<Access> {
    let (first, last) = accesses.spans[site];
    // What the condition itself loads is loaded in any case; a plain one loads nothing.
    ghosts(accesses, (first, last), condition)
}

/// The indices of the statements of a condition that may be out of bounds where it does not hold, as far as their dimensions
/// are constants.
fn wraps(accesses: &mut Accesses, site: usize, condition: &Condition) -> Vec<Wrap> {
    let added = guarded_ghosts(accesses, site, condition);
    let asker = Asker::new(accesses, Asker::budget(accesses));
    let mut wraps = Vec::new();
    for access in &added {
        let facts = asker.itself(access).conditions;
        let Some(out) = permit::out_of_bounds(&asker, access, &facts) else { return Vec::new() };
        for dim in out {
            let Some(extent) = asker.accesses.shape(access.buffer).and_then(|shape| shape.get(dim)) else {
                return Vec::new();
            };
            if extent.as_int().is_none_or(|v| v < 1) {
                return Vec::new();
            }
            let index = access.indices[dim].clone();
            let wrap = Wrap { buffer: access.buffer, dim, index, extent: extent.clone() };
            if !wraps.contains(&wrap) {
                wraps.push(wrap);
            }
        }
    }
    wraps
}

fn binds(block: &Block) -> bool {
    let mut found = false;
    for stmt in block {
        stmt.walk(&mut |stmt| found |= matches!(stmt.kind, StmtKind::Bind { .. }));
    }
    found
}

fn loops(block: &Block) -> bool {
    let mut found = false;
    for stmt in block {
        stmt.walk(&mut |stmt| found |= matches!(stmt.kind, StmtKind::For(_)));
    }
    found
}

fn wrap_block(block: &mut Block, wraps: &[Wrap]) {
    for stmt in block {
        stmt.for_each_expr_mut(|e| wrap_expr(e, wraps));
        if let StmtKind::Store { buffer, indices, .. } = &mut stmt.kind {
            wrap_indices(*buffer, indices, wraps);
        }
        stmt.for_each_block_mut(|inner| wrap_block(inner, wraps));
    }
}

fn wrap_expr(e: &mut Expr, wraps: &[Wrap]) {
    e.for_each_child_mut(|child| wrap_expr(child, wraps));
    if let ExprKind::Load { buffer, indices } = &mut e.kind {
        wrap_indices(*buffer, indices, wraps);
    }
}

fn wrap_indices(buffer: BufferId, indices: &mut [Expr], wraps: &[Wrap]) {
    for (dim, index) in indices.iter_mut().enumerate() {
        let own = wraps.iter().find(|wrap| wrap.buffer == buffer && wrap.dim == dim && wrap.index == *index);
        if let Some(wrap) = own {
            *index = wrap.wrapped();
        }
    }
}

/// A stored value with one of its choices gone.
fn without_choice(
    func: &PrimFunc,
    accesses: &mut Accesses,
    site: usize,
    value: &Expr,
    settings: Settings,
) -> Option<(Expr, Vec<Reason>)> {
    let ExprKind::Call(call) = &value.kind else { return None };
    if !call.is_lazy_select() {
        return None;
    }
    let [cond, then, otherwise] = &call.args[..] else { return None };
    let (first, last) = accesses.spans[site];
    let store =
        accesses.list[first..last].iter().find(|access| matches!(access.kind, Kind::Store(_)))?.clone();
    let Kind::Store(inlined) = &store.kind else { return None };
    let ExprKind::Call(inlined) = &inlined.kind else { return None };
    let [plain, own_then, own_otherwise] = &inlined.args[..] else { return None };
    if !is_plain(plain)
        || !total::expression(then)
        || !total::expression(otherwise)
        || !total::expression(cond)
    {
        return None;
    }
    for (kept, own, gone, truth) in
        [(then, own_then, own_otherwise, false), (otherwise, own_otherwise, own_then, true)]
    {
        // Where the other arm is taken now.
        let mut guards = store.guards.to_vec();
        guards.push((plain.clone(), truth));
        let loads = loads_of(own, &store, &guards);
        let Some(loads) = loads else { continue };
        let len = accesses.list.len();
        accesses.add(loads);
        let asker = Asker::new(accesses, Asker::budget(accesses));
        let mut at = asker.itself(&store);
        at.conditions.push((plain.clone(), truth));
        let facts = at.conditions.clone();
        let mut reasons = Vec::new();
        if (!Clause::Value.counts() || same_value(&asker, &at, &facts, (own, gone), settings))
            && let Ok(more) = noop_under(&asker, func, len, settings)
        {
            reasons.push(Reason::SameValue);
            reasons.extend(more);
        }
        accesses.truncate(len);
        if !reasons.is_empty() {
            return Some((kept.clone(), reasons));
        }
    }
    None
}

/// The loads of an arm as accesses that happen under some guards; `None` if it has choices of its own.
fn loads_of(arm: &Expr, store: &Access, guards: &[crate::analysis::accesses::Fact]) -> Option<Vec<Access>> {
    let mut loads = Vec::new();
    let mut simple = true;
    arm.walk(&mut |e| match &e.kind {
        ExprKind::Load { buffer, indices } => {
            simple &= indices.iter().all(is_plain);
            loads.push(Access {
                buffer: *buffer,
                indices: indices.to_vec(),
                kind: Kind::Load,
                guards: guards.into(),
                ghost: true,
                // All loads of a statement happen before its store.
                order: store.order.saturating_sub(1),
                ..store.clone()
            });
        }
        ExprKind::Call(call) if call.is_lazy_select() => simple = false,
        ExprKind::Let(..) => simple = false,
        _ => {}
    });
    simple.then_some(loads)
}
