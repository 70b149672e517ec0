//! Loop nests chosen by what they take: quotients and remainders become loop variables, conditions become bounds.
//!
//! - `join` makes one loop of two whose variables are used as one; `split` makes a nest of one by what its variable is
//!   divided by. Together they undo how loops were fused and split before, and leave addresses that grow by the same amount
//!   with each iteration.
//! - `narrow` makes bounds of the condition around a body, `partition` cuts a loop where conditions change, `init` takes what
//!   only the first iteration does in front of the nest, `decompose` the same where it stands among other statements, `unswitch` takes conditions that do not vary out of loops.
//! - `search` chooses between them, statement by statement, by an estimate of instructions
//!   ([`target::nests`](crate::target::nests)).
//!
//! All but `decompose` keep the order in which iterations run, so that no dependence between iterations matters, and all run the
//! same iterations for all values of sizes, 0 included. What they evaluate in front of a loop can be evaluated there in any case
//! (`place`). `poly` divides sizes by sizes, `bounds` solves comparisons, `copy` copies statements.

mod affine;
mod align;
mod bounds;
mod copy;
mod decompose;
mod folded;
mod hoist;
mod init;
mod join;
mod local;
mod narrow;
mod normal;
mod partition;
mod place;
mod points;
mod reduce;
mod search;
mod split;
mod unswitch;

use std::rc::Rc;

pub(crate) use self::place::Place;
pub(crate) use self::search::{INEXACT, Taken};
use crate::analysis::{length, recall, volatile};
use crate::cse::Options;
use crate::ir::{Block, PrimFunc, Stmt, StmtKind};
use crate::target::Target;
use crate::target::nests::Decided;

/// A statement that was written in another way, as a function of its own.
#[derive(Clone, Debug)]
pub(crate) struct Rewritten {
    pub(crate) before: PrimFunc,
    pub(crate) after: PrimFunc,
    /// The steps from the one to the other.
    pub(crate) steps: Vec<Taken>,
    /// Which of the function's own statements with loops it was, and what it was in between, first to last.
    place: usize,
    between: Vec<Rc<PrimFunc>>,
}

/// Writes the loops of a function in ways that take less, with the statements that changed; `None` if nothing changes.
///
/// The estimate is one for CPUs, so functions for a GPU stay. There the order in which one thread runs is not all that counts
/// either: threads wait for each other.
pub(crate) fn run(func: &PrimFunc, options: &Options) -> Option<(PrimFunc, Vec<Rewritten>)> {
    better(func, options, Decided::Inside)
}

/// The same for a caller that judges the result by an estimate of his own.
pub(crate) fn proposed(func: &PrimFunc, options: &Options) -> Option<PrimFunc> {
    better(func, options, Decided::Counted).map(|(made, _)| made)
}

fn better(func: &PrimFunc, options: &Options, decided: Decided) -> Option<(PrimFunc, Vec<Rewritten>)> {
    if options.target_of(func) == Target::Gpu {
        return None;
    }
    let reorders = !volatile::is_any(func);
    let (mut rewritten, mut places) = (Vec::new(), 0..);
    // One statement is often like another.
    let made = recall::keeping(|| {
        in_place(func, |alone| {
            let place = places.next().unwrap_or_default();
            let Some(better) = search::better(alone, options, (reorders, decided)) else { return false };
            let search::Better { func: after, steps, between } = better;
            let before = std::mem::replace(alone, after);
            rewritten.push(Rewritten { before, after: alone.clone(), steps, place, between });
            true
        })
    })?;
    for nest in &mut rewritten {
        volatile::unshield(&mut nest.before);
        volatile::unshield(&mut nest.after);
    }
    Some((made, rewritten))
}

/// What a function was while [`run`] wrote it in other ways, first to last, without the function and what became of it: each
/// of these does what the one before it does. None where memory is volatile, or where they would be too much text.
pub(crate) fn stages(func: &PrimFunc, rewritten: &[Rewritten]) -> Vec<PrimFunc> {
    /// Most parts of expressions of all of them.
    const MAX_LENGTH: usize = 1_000_000;
    let count: usize = rewritten.iter().map(|nest| nest.between.len() + 1).sum();
    if volatile::is_any(func) || length::of(func).saturating_mul(count) > MAX_LENGTH {
        return Vec::new();
    }
    let (mut whole, mut stages) = (func.clone(), Vec::new());
    let mut blocks: Vec<Block> = func.body.iter().map(|stmt| vec![stmt.clone()]).collect();
    let with_loops: Vec<usize> = (0..blocks.len()).filter(|&at| has_loop(&func.body[at])).collect();
    for nest in rewritten {
        let Some(&at) = with_loops.get(nest.place) else { continue };
        let excerpt = func.excerpt(vec![func.body[at].clone()]);
        for state in nest.between.iter().map(|state| &**state).chain([&nest.after]) {
            let mut stage = whole.clone();
            blocks[at] = excerpt.clone().with(state.clone()).put_back(&mut stage);
            stage.body = blocks.concat();
            stages.push(stage);
        }
        whole.clone_from(stages.last().unwrap_or(func));
    }
    stages.pop();
    stages
}

/// Makes the condition around the body of each loop its bounds; `None` if nothing changes.
pub(crate) fn reduce_extents(func: &PrimFunc, options: &Options) -> Option<PrimFunc> {
    in_place(func, |func| reduce::reduce(func, options))
}

/// Takes conditions that do not vary out of loops; `None` if nothing changes.
pub(crate) fn hoist(func: &PrimFunc, options: &Options) -> Option<PrimFunc> {
    in_place(func, |func| hoist::hoist(func, options))
}

fn in_place(func: &PrimFunc, change: impl FnMut(&mut PrimFunc) -> bool) -> Option<PrimFunc> {
    let shielded = volatile::shielded(func);
    let is_shielded = shielded.is_some();
    let mut made = shielded.unwrap_or_else(|| func.clone());
    let changed = each_nest(&mut made, change);
    if is_shielded {
        volatile::unshield(&mut made);
    }
    changed.then_some(made)
}

/// Lets `change` work on each of the function's own statements that has loops, as a function of its own. Whether it changed any.
pub(crate) fn each_nest(func: &mut PrimFunc, mut change: impl FnMut(&mut PrimFunc) -> bool) -> bool {
    let body = std::mem::take(&mut func.body);
    let (mut result, mut changed) = (Block::with_capacity(body.len()), false);
    for stmt in body {
        if !has_loop(&stmt) {
            result.push(stmt);
            continue;
        }
        let mut excerpt = func.excerpt(vec![stmt]);
        changed |= change(&mut excerpt.func);
        result.append(&mut excerpt.put_back(func));
    }
    func.body = result;
    changed
}

/// Whether a statement is a loop, or has one in it.
fn has_loop(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.walk(&mut |stmt| found |= matches!(stmt.kind, StmtKind::For(_)));
    found
}

/// The module with each step that is possible taken alone, paying or not, and simplified: at most so many, spread over all.
#[cfg(any(test, feature = "lab"))]
pub(crate) fn every_way(
    module: &crate::ir::Module,
    options: &Options,
    most: usize,
) -> Vec<crate::ir::Module> {
    let mut ways = Vec::new();
    for (at, func) in module.funcs.iter().enumerate() {
        if options.target_of(func) == Target::Gpu {
            continue;
        }
        let shielded = volatile::shielded(func);
        for mut way in search::all(shielded.as_ref().unwrap_or(func), options, !volatile::is_any(func)) {
            if shielded.is_some() {
                volatile::unshield(&mut way);
            }
            let mut made = module.clone();
            made.funcs[at] = way;
            ways.push(made);
        }
    }
    let every = ways.len().div_ceil(most.max(1)).max(1);
    ways.into_iter().step_by(every).collect()
}
