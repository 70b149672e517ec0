//! The question itself: whether accesses that a change adds leave no trace and may happen.
//!
//! The added accesses are *ghosts*: copies that happen where those of the function do not. That all of them are in bounds,
//! permitted and apart from other threads, that what they compute fits its type, that each store is dead or stores what is there, shows by induction over the run
//! that memory differs from what it was in dead elements only: what the function as it was loads is the same, so what it
//! stores is; what a ghost stores is not loaded before the function as it was overwrites it; and what is there already
//! changes nothing. What ghosts load, and what is assumed, is asked of the function as it becomes.

use super::clause::Clause;
use super::obstacle::Obstacle;
use super::reason::{Described, Reason};
use super::same::{fits, stores_what_is_there};
use super::settings::Settings;
use super::{permit, threads};
use crate::analysis::accesses::{Access, Accesses, Condition, Kind};
use crate::analysis::dead::is_dead;
use crate::analysis::instances::Asker;
use crate::ir::PrimFunc;

/// Copies of the accesses of `span`, which happen under a condition, for where that does not hold.
pub(super) fn ghosts(accesses: &Accesses, span: (usize, usize), condition: &Condition) -> Vec<Access> {
    let (first, last) = condition.guards;
    let copy = |access: &Access| {
        let mut guards = access.guards[..first].to_vec();
        guards.push((condition.cond.clone(), false));
        guards.extend_from_slice(&access.guards[last..]);
        Access { guards: guards.into(), ghost: true, ..access.clone() }
    };
    accesses.list[span.0..span.1].iter().map(copy).collect()
}

/// Whether the stores among the accesses from `first` on, which are added, leave no trace; why, or why not.
pub(super) fn stores_leave_no_trace(
    asker: &Asker<'_>,
    func: &PrimFunc,
    first: usize,
    settings: Settings,
) -> Result<Vec<Reason>, Obstacle> {
    let accesses = asker.accesses;
    let mut reasons: Vec<Reason> = Vec::new();
    let mut note = |reason: Reason| {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    };
    for (at, own) in accesses.list.iter().enumerate().skip(first) {
        let Kind::Store(value) = &own.kind else {
            if own.kind == Kind::Load {
                continue;
            }
            return Err(Obstacle::Statement);
        };
        let facts = asker.itself(own).conditions;
        let buffer = func.name_of(own.buffer);
        if !Clause::Stores.counts() {
            continue;
        }
        if stores_what_is_there(asker, own, value, &facts, settings) {
            note(Reason::Unchanged { buffer });
        } else if is_dead(asker, at, &facts, |load| !load.ghost && Clause::Reads.counts()).is_ok() {
            note(Reason::Overwritten { buffer });
        } else {
            return Err(Obstacle::Store(own.buffer));
        }
    }
    Ok(reasons)
}

/// Whether the accesses from `first` on, which a change adds, leave no trace and may happen; why, or why not.
pub(super) fn noop_under(
    asker: &Asker<'_>,
    func: &PrimFunc,
    first: usize,
    settings: Settings,
) -> Result<Vec<Reason>, Obstacle> {
    let accesses = asker.accesses;
    // Stores decide most often.
    let mut reasons = stores_leave_no_trace(asker, func, first, settings)?;
    let mut note = |reason: Reason| {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    };
    for own in &accesses.list[first..] {
        let facts = asker.itself(own).conditions;
        let within = permit::out_of_bounds(asker, own, &facts).is_some_and(|out| out.is_empty());
        if !within && Clause::Bounds.counts() {
            return Err(Obstacle::Bounds(own.buffer));
        }
        if let Kind::Store(value) = &own.kind
            && Clause::Total.counts()
            && !fits(asker, own, value, &facts, settings)
        {
            return Err(Obstacle::Trap);
        }
        if Clause::Threads.counts() {
            threads::apart(asker, own, &facts)?;
        }
        if own.kind == Kind::Load && Clause::Permission.counts() {
            note(permit::permission(asker, func, own, &facts, settings)?);
        }
    }
    Ok(reasons)
}
