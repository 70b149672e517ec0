//! Statements that change nothing go.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::clause::Clause;
use super::named;
use super::obstacle::Obstacle;
use super::reason::{Change, Described, Reason};
use super::same::stores_what_is_there;
use super::settings::Settings;
use crate::analysis::accesses::{Access, Accesses, Fact, Kind};
use crate::analysis::dead::is_dead;
use crate::analysis::instances::Asker;
use crate::ir::{BinOp, Block, BufferId, Expr, For, ForKind, Origin, PrimFunc, Stmt, StmtKind, VarId};
use crate::simplify::tidy;

/// How often each step is taken at most; each may let the next see more.
const MAX_ROUNDS: usize = 16;

/// How many times the questions that one proof may take all steps take together.
const ROUNDS_IN_FULL: usize = 3;

/// An asker for a part of what may still be asked.
fn asker<'a>(accesses: &'a Accesses, left: &usize) -> Asker<'a> {
    Asker::new(accesses, Asker::budget(accesses).min(*left))
}

/// Takes off what was asked.
fn settle(asker: &Asker<'_>, accesses: &Accesses, left: &mut usize) {
    let had = Asker::budget(accesses).min(*left);
    *left -= had - asker.left().min(had);
}

/// What goes from a function, by the numbers of statements.
#[derive(Default)]
struct Edits {
    /// Statements that go.
    gone: HashSet<usize>,
    /// Loops that get other bounds: the first iteration, and how many.
    bounds: HashMap<usize, (i64, i64)>,
    /// All of it in words.
    changes: Vec<Change>,
}

impl Edits {
    fn apply(self, func: &mut PrimFunc) -> Vec<Change> {
        edit(&mut func.body, &mut 0, &self);
        self.changes
    }
}

fn edit(block: &mut Block, number: &mut usize, edits: &Edits) {
    block.retain_mut(|stmt| {
        let own = *number;
        if let StmtKind::For(l) = &mut stmt.kind
            && let Some(&(min, extent)) = edits.bounds.get(&own)
        {
            l.min = Expr::int(min, l.min.dtype);
            l.extent = Expr::int(extent, l.extent.dtype);
        }
        *number += 1;
        stmt.for_each_block_mut(|inner| edit(inner, number, edits));
        !edits.gone.contains(&own)
    });
}

/// What can go, each asked of the function as the one before left it.
const STEPS: [fn(&PrimFunc, &Asker<'_>) -> Edits; 3] =
    [dead, unchanged, |func, asker| shortened(func, asker, |_| true)];

/// Removes what changes nothing.
pub(super) fn run(func: &mut PrimFunc) -> Vec<Change> {
    let mut changes = Vec::new();
    // Of all steps together, so that the time grows with the function only.
    let mut left = Accesses::new(func).map_or(0, |accesses| ROUNDS_IN_FULL * Asker::budget(&accesses));
    // How many steps found nothing in the function as it is.
    let mut idle = 0;
    let mut steps = STEPS.into_iter().cycle().take(MAX_ROUNDS * STEPS.len());
    while idle < STEPS.len() {
        let Some(accesses) = Accesses::new(func) else { break };
        let asker = asker(&accesses, &left);
        let edits = steps.by_ref().map(|step| step(func, &asker)).find(|edits| {
            idle += 1;
            !edits.changes.is_empty() || idle == STEPS.len()
        });
        settle(&asker, &accesses, &mut left);
        let Some(edits) = edits else { break };
        if !edits.changes.is_empty() {
            idle = 0;
            changes.extend(edits.apply(func));
            tidy(func);
        }
    }
    changes.extend(unused(func));
    changes
}

/// The stores that may go: those that are no only statement of a block that must have one.
fn stores(func: &PrimFunc, accesses: &Accesses) -> Vec<usize> {
    let kept = in_sblocks(&func.body);
    let of = accesses.list.iter().enumerate();
    of.filter(|(_, a)| matches!(a.kind, Kind::Store(_) | Kind::Undefined) && !kept.contains(&a.stmt))
        .map(|(at, _)| at)
        .collect()
}

/// The numbers of the statements within blocks with axes: those declare what they write.
fn in_sblocks(block: &Block) -> HashSet<usize> {
    fn walk(block: &Block, number: &mut usize, inside: bool, found: &mut HashSet<usize>) {
        for stmt in block {
            if inside {
                found.insert(*number);
            }
            *number += 1;
            let inside = inside || matches!(stmt.kind, StmtKind::SBlock(_));
            stmt.for_each_block(|inner| walk(inner, number, inside, found));
        }
    }
    let mut found = HashSet::new();
    walk(block, &mut 0, false, &mut found);
    found
}

/// All stores that are dead. They may go together: of those that go, the last one before a load is overwritten by one that
/// stays.
fn dead(func: &PrimFunc, asker: &Asker<'_>) -> Edits {
    stores_that_go(func, asker, |at, _, facts| {
        let dead = is_dead(asker, at, facts, |_| Clause::Reads.counts()).is_ok();
        dead.then_some(|buffer| Reason::Overwritten { buffer })
    })
}

/// All stores of what is there. They may go together, also if one is known to store what is there by another one: without
/// either, memory is at each time what it was.
fn unchanged(func: &PrimFunc, asker: &Asker<'_>) -> Edits {
    stores_that_go(func, asker, |_, access, facts| {
        let Kind::Store(value) = &access.kind else { return None };
        let unchanged = stores_what_is_there(asker, access, value, facts, Settings::default());
        unchanged.then_some(|buffer| Reason::Unchanged { buffer })
    })
}

/// The stores for which there is a reason to go.
fn stores_that_go<R: FnOnce(Arc<str>) -> Reason>(
    func: &PrimFunc,
    asker: &Asker<'_>,
    why: impl Fn(usize, &Access, &[Fact]) -> Option<R>,
) -> Edits {
    let mut edits = Edits::default();
    for at in stores(func, asker.accesses) {
        let access = &asker.accesses.list[at];
        if let Some(reason) = why(at, access, &asker.itself(access).conditions) {
            let buffer = func.name_of(access.buffer);
            edits.gone.insert(access.stmt);
            edits
                .changes
                .push(Change { what: format!("a store to `{buffer}` goes"), reasons: vec![reason(buffer)] });
        }
    }
    edits
}

/// Removes the store with a number, if it is dead or stores what is there.
pub(super) fn store_at(func: &mut PrimFunc, asker: &Asker<'_>, number: usize) -> Result<Change, Obstacle> {
    let accesses = asker.accesses;
    asker.renew(Asker::budget(accesses));
    let of = |&at: &usize| accesses.list[at].stmt == number;
    let at = stores(func, accesses).into_iter().find(of).ok_or(Obstacle::Nothing)?;
    let access = &accesses.list[at];
    let facts = asker.itself(access).conditions;
    let buffer = func.name_of(access.buffer);
    let unchanged = match &access.kind {
        Kind::Store(value) => stores_what_is_there(asker, access, value, &facts, Settings::default()),
        _ => false,
    };
    let reason = if is_dead(asker, at, &facts, |_| Clause::Reads.counts()).is_ok() {
        Reason::Overwritten { buffer: buffer.clone() }
    } else if unchanged {
        Reason::Unchanged { buffer: buffer.clone() }
    } else {
        return Err(Obstacle::Store(access.buffer));
    };
    let change = Change { what: format!("a store to `{buffer}` goes"), reasons: vec![reason] };
    let edits = Edits { gone: HashSet::from_iter([number]), ..Edits::default() };
    edits.apply(func);
    tidy(func);
    Ok(change)
}

/// Takes iterations from the ends of the loop with a number, if they change nothing.
pub(super) fn loop_at(func: &mut PrimFunc, asker: &Asker<'_>, number: usize) -> Result<Change, Obstacle> {
    asker.renew(Asker::budget(asker.accesses));
    let edits = shortened(func, asker, |other| other == number);
    edits.apply(func).pop().ok_or(Obstacle::Nothing)
}

/// Iterations at the ends of loops, of those with the numbers that are wanted, whose stores are dead in them. They may go
/// together, as dead stores may.
fn shortened(func: &PrimFunc, asker: &Asker<'_>, wanted: impl Fn(usize) -> bool) -> Edits {
    let accesses = asker.accesses;
    let kept = in_sblocks(&func.body);
    let mut loops = Vec::new();
    let mut number = 0;
    for stmt in &func.body {
        stmt.walk(&mut |stmt| {
            if let StmtKind::For(l) = &stmt.kind
                && wanted(number)
                && !kept.contains(&number)
                && let Some(bounds) = shortenable(l)
            {
                loops.push((number, l.var, bounds));
            }
            number += 1;
        });
    }
    let mut edits = Edits::default();
    // How many iterations went in front and at the end of the loop before: neighbours are often alike.
    let mut usual = (0, 0);
    for (number, var, (min, end)) in loops {
        let span = accesses.spans[number];
        let idle = |from: i64, to: i64| -> Option<Vec<Reason>> {
            let mut reasons = Vec::new();
            for at in span.0..span.1 {
                let access = &accesses.list[at];
                if access.kind == Kind::Load {
                    continue;
                }
                let mut facts: Vec<Fact> = asker.itself(access).conditions;
                let x = Expr::var(var, func.var(var).ty.dtype());
                facts.push((Expr::binary(BinOp::Le, Expr::int(from, x.dtype), x.clone()), true));
                facts.push((Expr::binary(BinOp::Lt, x.clone(), Expr::int(to, x.dtype)), true));
                // It does not happen there at all.
                if asker.refutes(&facts) {
                    continue;
                }
                is_dead(asker, at, &facts, |_| Clause::Reads.counts()).ok()?;
                let reason = Reason::Overwritten { buffer: func.name_of(access.buffer) };
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
            }
            Some(reasons)
        };
        let (last, mut reasons) = least(min, end, end - usual.1, |h| idle(h, end));
        let mut first = min;
        // Where all but one go, that one is known to stay.
        if last > min + 1 {
            let (below, mut more) = least(min, last, last - usual.0, |l| idle(min, min + last - l));
            first = min + last - below;
            more.retain(|reason| !reasons.contains(reason));
            reasons.append(&mut more);
        }
        if asker.is_exhausted() {
            break;
        }
        usual = (first - min, end - last);
        if usual != (0, 0) {
            let name = func.var(var).name.clone();
            let left = end - min - (last - first);
            let what = format!("{left} iterations of the loop over `{name}` go");
            edits.bounds.insert(number, (first, last - first));
            edits.changes.push(Change { what, reasons });
        }
    }
    edits
}

/// The least value from `low` that there are reasons for, with them, or `high`, which needs none: what is above a value with
/// reasons has some, too. `guess` is tried first.
fn least(low: i64, high: i64, guess: i64, why: impl Fn(i64) -> Option<Vec<Reason>>) -> (i64, Vec<Reason>) {
    let (mut low, mut high, mut reasons) = (low, high, Vec::new());
    let mut guesses = [guess, guess - 1].into_iter();
    while low < high {
        let guessed = guesses.find(|at| (low..high).contains(at));
        let at = guessed.unwrap_or(low + (high - low) / 2);
        match why(at) {
            Some(found) => (high, reasons) = (at, found),
            None => low = at + 1,
        }
    }
    (low, reasons)
}

/// The bounds of a loop from which iterations may be taken: it is serial, they are constant, and its body does nothing but
/// store.
fn shortenable(l: &For) -> Option<(i64, i64)> {
    let (min, extent) = (l.min.as_int()?, l.extent.as_int()?);
    let end = min.checked_add(extent)?;
    let mut plain = true;
    for stmt in &l.body {
        stmt.walk(&mut |stmt| {
            plain &= match &stmt.kind {
                StmtKind::Store { .. } | StmtKind::If { .. } => true,
                StmtKind::For(inner) => inner.kind == ForKind::Serial,
                _ => false,
            };
        });
    }
    (plain && l.is_plain() && extent > 1).then_some((min, end))
}

/// What a function names.
struct Used {
    vars: HashSet<VarId>,
    buffers: HashSet<BufferId>,
    /// Buffers of the function's own that are named by nothing but stores to them.
    stored: HashSet<BufferId>,
}

impl Used {
    fn of(func: &PrimFunc) -> Used {
        let mut names: HashMap<BufferId, usize> = HashMap::new();
        named::each_buffer(func, &mut |buffer, _| *names.entry(buffer).or_default() += 1);
        let buffers = names.keys().copied().collect();
        let mut stored = HashSet::new();
        let (kept, mut number) = (in_sblocks(&func.body), 0);
        for stmt in &func.body {
            stmt.walk(&mut |stmt| {
                let own = number;
                number += 1;
                if let StmtKind::Store { buffer, .. } = stmt.kind
                    && !kept.contains(&own)
                    && let Some(left) = names.get_mut(&buffer)
                {
                    *left -= 1;
                    if *left == 0 && matches!(func.buffer(buffer).origin, Origin::Alloc) {
                        stored.insert(buffer);
                    }
                }
            });
        }
        Used { vars: named::variables(func), buffers, stored }
    }
}

/// Removes bindings whose variables nothing names, allocations of buffers that nothing names, and stores to buffers that nothing
/// else names, whatever calls there are. A value that acts is still evaluated.
fn unused(func: &mut PrimFunc) -> Vec<Change> {
    let mut changes = Vec::new();
    loop {
        let used = Used::of(func);
        let before = changes.len();
        let names = (func.vars.clone(), func.buffers.clone());
        drop_unused(
            &mut func.body,
            &used,
            &mut |what: String| {
                changes.push(Change { what, reasons: Vec::new() });
            },
            &names,
        );
        if changes.len() == before {
            return changes;
        }
        tidy(func);
    }
}

/// Leaves of a statement that binds or stores a value what that does besides; whether there is anything.
fn keeps_acting(stmt: &mut Stmt) -> bool {
    let (StmtKind::Bind { value, .. } | StmtKind::Store { value, .. }) = &stmt.kind else { return true };
    let acts = value.has_effect();
    if acts {
        stmt.kind = StmtKind::Evaluate(value.clone());
    }
    acts
}

type Names = (Vec<crate::ir::Var>, Vec<crate::ir::Buffer>);

fn drop_unused(block: &mut Block, used: &Used, note: &mut dyn FnMut(String), names: &Names) {
    block.retain_mut(|stmt| {
        stmt.for_each_block_mut(|inner| drop_unused(inner, used, note, names));
        match &stmt.kind {
            StmtKind::Bind { var, value } if !used.vars.contains(var) => {
                note(format!("the binding of `{}` goes: nothing names it", names.0[var.index()].name));
                keeps_acting(stmt)
            }
            StmtKind::Store { buffer, indices, .. }
                if used.stored.contains(buffer) && !indices.iter().any(Expr::has_effect) =>
            {
                note(format!("a store to `{}` goes: nothing reads it", names.1[buffer.index()].name));
                keeps_acting(stmt)
            }
            StmtKind::Alloc { buffer, annotations }
                if annotations.is_empty() && !used.buffers.contains(buffer) =>
            {
                note(format!("the allocation of `{}` goes: nothing names it", names.1[buffer.index()].name));
                false
            }
            _ => true,
        }
    });
}
