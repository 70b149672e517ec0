//! Abduction: a condition stays for want of a fact, so the fact is made true first.
//!
//! `if c: S` may lose its condition once what `S` loads where `c` does not hold is known. Where the buffer is the function's
//! own, a nest of its own stores a value in these elements: it runs over the loops around the condition, and stores
//! `B[i] = v` where `c` does not hold. Nobody sees that store, by the proof that lets a dead store go, read the other way
//! round. Whether the condition goes then is asked of the program that has the store, as of any other.

use super::fill::{constants, spelled};
use super::reason::{Change, Described, Reason};
use super::settings::Settings;
use super::statements::replace;
use super::total;
use super::{overcompute, permit, threads};
use crate::analysis::accesses::{Accesses, Kind, is_plain};
use crate::analysis::dead::is_dead;
use crate::analysis::instances::Asker;
use crate::arith::invert::mentions;
use crate::ir::{Block, BufferId, Expr, For, ForKind, PrimFunc, Stmt, StmtKind, Type, VarId};

/// The most buffers that are filled for one condition, and the most values that are tried for each.
const MAX_BUFFERS: usize = 3;
const MAX_VALUES: usize = 6;

/// The function with what the condition of a statement needs stored first, and without the condition, for each buffer and
/// value with which that is right.
pub(super) fn filled_for(func: &PrimFunc, site: usize, settings: Settings) -> Vec<(PrimFunc, [Change; 2])> {
    let Some(accesses) = Accesses::new(func) else { return Vec::new() };
    let Some(condition) = accesses.conditions.get(&site) else { return Vec::new() };
    let cond = condition.cond.clone();
    if !is_plain(&cond) || !total::expression(&cond) {
        return Vec::new();
    }
    let (first, last) = accesses.spans[site];
    let mut elements: Vec<(BufferId, Vec<Expr>)> = Vec::new();
    for load in accesses.list[first..last].iter().filter(|access| access.kind == Kind::Load) {
        let element = (load.buffer, load.indices.clone());
        if accesses.is_allocated(load.buffer) && !elements.contains(&element) {
            elements.push(element);
        }
    }
    // A buffer whose elements are met in several ways would have to be filled in all of them.
    let several = |id: BufferId| elements.iter().filter(|(other, _)| *other == id).count() > 1;
    let once: Vec<_> = elements.iter().filter(|(id, _)| !several(*id)).take(MAX_BUFFERS).collect();
    let mut ways = Vec::new();
    for (buffer, indices) in once {
        for value in constants(func, func.buffer(*buffer).dtype).into_iter().take(MAX_VALUES) {
            let Some((mut made, added, place)) = fill(func, site, (*buffer, indices), &cond, &value) else {
                break;
            };
            // Where the store is seen, it is with any value.
            if !is_unseen(&made, place, added) {
                break;
            }
            let Some(mut accesses) = Accesses::new(&made) else { break };
            let Ok(change) = overcompute::at(&mut made, &mut accesses, site + added, settings) else {
                continue;
            };
            let name = func.name_of(*buffer);
            let value = spelled(&value).unwrap_or_default();
            let filled = Change {
                what: format!("`{name}` is filled with {value} where the condition does not hold"),
                reasons: vec![Reason::Overwritten { buffer: name }],
            };
            ways.push((made, [filled, change]));
            break;
        }
    }
    ways
}

/// The function with the loops that store a value where the condition of `site` does not hold, how many statements they are,
/// and the number of the first one.
fn fill(
    func: &PrimFunc,
    site: usize,
    (buffer, indices): (BufferId, &[Expr]),
    cond: &Expr,
    value: &Expr,
) -> Option<(PrimFunc, usize, usize)> {
    let mut path = Vec::new();
    way_to(&func.body, &mut 0, site, &mut path).then_some(())?;
    // In front of the outermost loop from which the buffer is seen.
    let allocated = path.iter().rposition(|step| allocates(step.block, buffer))?;
    let outer =
        path[allocated..].iter().position(|step| matches!(step.stmt.kind, StmtKind::For(_)))? + allocated;
    let mut made = func.clone();
    let mut loops = Vec::new();
    let mut names = Vec::new();
    for step in &path[outer..] {
        let StmtKind::For(l) = &step.stmt.kind else { continue };
        let used = indices.iter().chain([cond]).any(|e| mentions(e, &[l.var]));
        if !used {
            continue;
        }
        // The domain may only depend on what is known in front of the loops.
        let known = [&l.min, &l.extent].into_iter().all(|e| e.as_int().is_some());
        if !known || l.step.is_some() || !matches!(l.kind, ForKind::Serial | ForKind::Parallel) {
            return None;
        }
        let name = func.var(l.var).name.clone();
        let var = made.new_var(name, Type::Prim(l.min.dtype));
        names.push((l.var, Expr::var(var, l.min.dtype)));
        loops.push((var, l.min.clone(), l.extent.clone()));
    }
    let mut inner: Vec<VarId> = Vec::new();
    path[outer..].iter().for_each(|step| add_defined(step, &mut inner));
    // What is loaded in loops under the condition may be more than the loops around it say.
    path.last()?.stmt.walk(&mut |stmt| stmt.for_each_defined(|var| inner.push(var)));
    let renamed = |e: &Expr| {
        let mut e = e.clone();
        e.substitute(&|var| names.iter().find(|(own, _)| *own == var).map(|(_, by)| by));
        (!mentions(&e, &inner)).then_some(e)
    };
    let indices = indices.iter().map(renamed).collect::<Option<Vec<Expr>>>()?;
    let store = Stmt::new(StmtKind::Store { buffer, indices, value: value.clone() });
    let guard = StmtKind::If { cond: Expr::not(renamed(cond)?), then: vec![store], otherwise: Block::new() };
    let mut nest = Stmt::new(guard);
    let added = loops.len() + 2;
    for (var, min, extent) in loops.into_iter().rev() {
        let (step, annotations) = (None, Vec::new());
        let l = For { var, min, extent, step, kind: ForKind::Serial, annotations, body: vec![nest] };
        nest = Stmt::new(StmtKind::For(Box::new(l)));
    }
    let place = path[outer].number;
    replace(&mut made.body, place, vec![nest, path[outer].stmt.clone()]);
    Some((made, added, place))
}

/// Whether nothing sees the store of a fill, and it may happen.
fn is_unseen(func: &PrimFunc, place: usize, added: usize) -> bool {
    let Some(accesses) = Accesses::new(func) else { return false };
    let Some(&(first, last)) = accesses.spans.get(place) else { return false };
    let asker = Asker::new(&accesses, Asker::budget(&accesses));
    let stores: Vec<usize> =
        (first..last).filter(|&at| matches!(accesses.list[at].kind, Kind::Store(_))).collect();
    let [at] = stores[..] else { return false };
    let own = &accesses.list[at];
    let facts = asker.itself(own).conditions;
    own.stmt == place + added - 1
        && permit::out_of_bounds(&asker, own, &facts).is_some_and(|out| out.is_empty())
        && threads::apart(&asker, own, &facts).is_ok()
        && is_dead(&asker, at, &facts, |_| true).is_ok()
}

/// A statement on the way to another one.
struct Step<'f> {
    block: &'f Block,
    stmt: &'f Stmt,
    number: usize,
}

/// The statements around the one with a number, outermost first, and itself.
fn way_to<'f>(block: &'f Block, number: &mut usize, wanted: usize, path: &mut Vec<Step<'f>>) -> bool {
    for stmt in block {
        path.push(Step { block, stmt, number: *number });
        if *number == wanted {
            return true;
        }
        *number += 1;
        let mut found = false;
        stmt.for_each_block(|inner| found = found || way_to(inner, number, wanted, path));
        if found {
            return true;
        }
        path.pop();
    }
    false
}

fn allocates(block: &Block, wanted: BufferId) -> bool {
    block.iter().any(|stmt| matches!(stmt.kind, StmtKind::Alloc { buffer, .. } if buffer == wanted))
}

/// Adds the variables that are defined on the way through a statement, within it or before it in its block.
fn add_defined(step: &Step<'_>, found: &mut Vec<VarId>) {
    for stmt in step.block.iter().take_while(|stmt| !std::ptr::eq(*stmt, step.stmt)) {
        if matches!(stmt.kind, StmtKind::Bind { .. }) {
            stmt.for_each_defined(|var| found.push(var));
        }
    }
    step.stmt.for_each_defined(|var| found.push(var));
}
