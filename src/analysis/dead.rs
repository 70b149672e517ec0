//! Whether what a store leaves is never seen: on every way from it the element is overwritten, or made anything, before it is
//! read.
//!
//! The end of the function reads all elements of parameters, and none of what the function allocates. For each load that may
//! follow, it is refuted that it meets the element while no store in between did.

use std::cell::LazyCell;
use std::rc::Rc;

use super::accesses::{Access, Accesses, Fact, Kind};
use super::instances::{Asker, Instance, Pin, Shared, common};
use super::samples;
pub(crate) use super::trace::Reader;
use crate::ir::{BinOp, BufferId, Expr};

/// The most stores that are looked at for one load: first the nearest, which mostly do, and then all.
const COVERS: [usize; 2] = [2, 12];

/// Whether no load sees what the store `store` leaves in its element where `facts` hold; else who may. `sees` says which
/// accesses count as loads. Stores that a change adds do not count as overwriting.
pub(crate) fn is_dead(
    asker: &Asker<'_>,
    store: usize,
    facts: &[Fact],
    sees: impl Fn(&Access) -> bool,
) -> Result<(), Reader> {
    let accesses = asker.accesses;
    let own = &accesses.list[store];
    let at = asker.itself(own);
    if !own.exact {
        return Err(Reader::Caller);
    }
    if let Some(reader) = asker.trace().and_then(|trace| trace.reader(accesses, store, facts, &sees)) {
        return Err(reader);
    }
    let covers = LazyCell::new(|| covers(accesses, own.buffer, &at));
    let is_covered = |reader: Option<&Instance>, facts: &[Fact]| {
        let mut before = 0;
        COVERS.into_iter().any(|most| {
            let nearest = covers.iter().take(most).copied();
            let uncovered = uncovered(asker, own, &at, reader, nearest);
            let more = uncovered.len() > before;
            before = uncovered.len();
            more && asker.refutes(&[facts, &uncovered].concat())
        })
    };
    if !accesses.is_allocated(own.buffer)
        && (samples::is_apart(accesses, store, &covers, facts) || !is_covered(None, facts))
    {
        return Err(Reader::Caller);
    }
    let from = accesses.around(at.order, &at.loops).start;
    for position in accesses.loads_within(own.buffer, from..u32::MAX) {
        let load = &accesses.list[position];
        let reads = load.kind == Kind::Load && sees(load);
        if !reads || at.follows_all(load) || asker.apart((&own.indices, own.buffer), load) {
            continue;
        }
        if !asker.looks() {
            return Err(Reader::Load(position));
        }
        let reader = asker.some(load);
        let after = asker.before(&at, &reader, false);
        if after.as_int() == Some(0) {
            continue;
        }
        let mut all = asker.meets((&own.indices, own.buffer), &reader, load);
        all.push((after, true));
        all.extend(reader.conditions.iter().cloned());
        all.extend(facts.iter().cloned());
        if !asker.refutes(&all) && !is_covered(Some(&reader), &all) {
            return Err(Reader::Load(position));
        }
    }
    Ok(())
}

/// That no store writes the element between an instance and a reader, or the end of the function: for each of the stores
/// `covers` that can be named, that it does not happen.
fn uncovered(
    asker: &Asker<'_>,
    own: &Access,
    at: &Instance,
    reader: Option<&Instance>,
    covers: impl Iterator<Item = usize>,
) -> Vec<Fact> {
    let accesses = asker.accesses;
    let mut found: Vec<Expr> = Vec::new();
    for position in covers {
        let store = &accesses.list[position];
        if asker.apart((&own.indices, own.buffer), store) {
            continue;
        }
        let by_reader = reader.filter(|reader| {
            common(&store.loops, &reader.loops) > 0
                && reader.values.iter().any(|(v, e)| e.as_var() != Some(*v))
        });
        let name = |by: &Instance, shared| asker.named(position, &own.indices, by, shared, Pin::First);
        let mut named: Vec<Rc<Instance>> = Vec::new();
        let ways = asker.ways(position, at).iter().map(|&shared| (at, shared));
        for (by, shared) in ways.chain(by_reader.map(|reader| (reader, Shared::Same))) {
            named.extend(name(by, shared).filter(|new| named.iter().all(|old| old.values != new.values)));
        }
        for cover in named {
            let mut parts: Vec<Expr> = vec![asker.before(at, &cover, true)];
            parts.extend(reader.map(|reader| asker.before(&cover, reader, true)));
            if parts.iter().any(|part| part.as_int() == Some(0)) {
                continue;
            }
            let facts = cover.conditions.iter().cloned().chain(asker.equal(&cover.indices, &own.indices));
            parts.extend(facts.map(|(fact, truth)| if truth { fact } else { Expr::not(fact) }));
            let parts = parts.into_iter().filter(|part| part.as_int().is_none_or(|v| v == 0));
            let cover = parts.reduce(|a, b| Expr::binary(BinOp::And, a, b));
            found.push(cover.unwrap_or_else(|| Expr::bool(true)));
        }
    }
    found.into_iter().map(|cover| (cover, false)).collect()
}

/// The stores to a buffer that may overwrite what an instance leaves: those that stand close behind do so more often than
/// others.
fn covers(accesses: &Accesses, buffer: BufferId, at: &Instance) -> Vec<usize> {
    let stores = accesses.next_definitions(buffer, at.order).filter(|&i| {
        let store = &accesses.list[i];
        matches!(store.kind, Kind::Store(_) | Kind::Undefined)
            && store.exact
            && !store.ghost
            && !at.follows_all(store)
    });
    stores.take(COVERS[1]).collect()
}
