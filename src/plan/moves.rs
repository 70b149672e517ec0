//! The moves from a state: what may be done to a function, each with its proof.

use super::ended::Ended;
use super::nests::{self, Work};
use crate::cse::Options;
use crate::ir::PrimFunc;
use crate::loops;
use crate::noop::{self, Change, Site, SiteKind};
use crate::simplify::{self, Reach};
use crate::target::Target;

/// The most places of each kind that are tried in a state, and the most conditions for which facts are made true.
const MAX_CONDITIONS: usize = 24;
const MAX_MERGES: usize = 8;
const MAX_BRANCHES: usize = 8;
const MAX_FILLED: usize = 6;
const MAX_INTERCHANGES: usize = 8;

/// How many places passes over the whole function count as.
pub(super) const WHOLE: usize = 4;

/// The pass that writes loops otherwise, and what it does.
pub(super) const LOOPS: &str = "loops";
pub(super) const OTHER_LOOPS: &str = "loops are written otherwise: the same iterations in the same order";

/// A change that stands for all that a pass does: each step of it is right by itself.
pub(super) fn plain(what: &str) -> Change {
    Change { what: what.to_owned(), reasons: Vec::new() }
}

/// Takes a pass over the whole function off what may be tried; whether that much was left.
fn tries_whole(tries: &mut usize) -> bool {
    let left = tries.checked_sub(WHOLE);
    *tries = left.unwrap_or(*tries);
    left.is_some()
}

/// A move: the pass, what it makes, what it changed.
pub(super) type Found = (&'static str, PrimFunc, Vec<Change>);

/// A pass over the whole function.
#[derive(Clone, Copy, Debug)]
pub(super) enum Whole {
    RemoveNoOp,
    Overcompute,
    MergeLoops,
    RemoveCopies,
    ReduceExtents,
    Hoist,
    Loops,
}

impl Whole {
    /// What the pass makes of a function, if it changes anything.
    pub(super) fn on(self, func: &PrimFunc, options: &Options, ended: &mut Ended) -> Option<Found> {
        let noop = |name, pass: &mut dyn FnMut(&mut PrimFunc) -> Vec<Change>| {
            let mut made = func.clone();
            let changes = pass(&mut made);
            (!changes.is_empty()).then_some((name, made, changes))
        };
        let loops = |name, work, what, change: &dyn Fn(&PrimFunc) -> Option<PrimFunc>| {
            let made = nests::changed(func, (work, options), change)?;
            Some((name, made, vec![plain(what)]))
        };
        match self {
            Whole::RemoveNoOp => noop("remove-no-op", &mut noop::remove_no_op),
            Whole::Overcompute => noop("overcompute", &mut |func| {
                let made = noop::overcompute_within(func, told(options));
                ended.tries("overcompute", made.limit);
                made.changes
            }),
            Whole::MergeLoops => noop("merge-loops", &mut noop::merge_loops),
            Whole::RemoveCopies => noop("remove-copies", &mut noop::remove_copies),
            Whole::ReduceExtents => {
                let what = "conditions around the bodies of loops become their bounds";
                loops("reduce-extents", Work::ReduceExtents, what, &|f| loops::reduce_extents(f, options))
            }
            Whole::Hoist => {
                let what = "conditions that no iteration changes leave their loops";
                loops("hoist", Work::Hoist, what, &|f| loops::hoist(f, options))
            }
            Whole::Loops => loops(LOOPS, Work::Loops, OTHER_LOOPS, &|f| loops::proposed(f, options)),
        }
    }
}

fn told(options: &Options) -> noop::Settings {
    noop::Settings { readable_parameters: options.readable_parameters, finite: options.finite }
}

/// All moves, in a fixed order. What is tried is taken off `tries`; when that is used up there are no more.
pub(super) fn moves(func: &PrimFunc, options: &Options, tries: &mut usize, ended: &mut Ended) -> Vec<Found> {
    let settings = told(options);
    let mut found: Vec<Found> = Vec::new();
    if !tries_whole(tries) {
        return found;
    }
    found.extend(Whole::RemoveNoOp.on(func, options, ended));
    let sites = noop::sites(func);
    let mut filled = 0;
    for (kind, most) in [
        (SiteKind::Overcompute, MAX_CONDITIONS),
        (SiteKind::MergeLoops, MAX_MERGES),
        (SiteKind::Branching, MAX_BRANCHES),
    ] {
        let before = found.len();
        ended.places(kind.name(), most, sites.iter().filter(|site| site.kind == kind).count());
        let places: Vec<Site> = sites.iter().filter(|site| site.kind == kind).take(most).cloned().collect();
        let tried = &places[..places.len().min(*tries)];
        noop::apply_each(func, tried, settings, |site, result| match result {
            Ok((made, change)) => found.push((kind.name(), made, vec![change])),
            Err(_) if kind == SiteKind::Overcompute => {
                filled += 1;
                if filled <= MAX_FILLED {
                    let ways = noop::apply_after_filling(func, site, settings).into_iter();
                    found.extend(ways.map(|(made, changes)| ("fill, overcompute", made, changes.into())));
                }
            }
            Err(_) => {}
        });
        *tries -= tried.len();
        if tried.len() < places.len() {
            return found;
        }
        ended.places("choose-padding", MAX_FILLED, filled);
        // All of them at once, which may be further than the search looks.
        if found.len() > before + 1 {
            let all = match kind {
                SiteKind::Overcompute => Whole::Overcompute.on(func, options, ended),
                SiteKind::MergeLoops => Whole::MergeLoops.on(func, options, ended),
                _ => None,
            };
            found.extend(all);
        }
    }
    if options.target_of(func) != Target::Gpu {
        if tries_whole(tries) {
            let made = noop::interchanged(func, MAX_INTERCHANGES).into_iter();
            found.extend(made.map(|(made, change)| ("interchange", made, vec![change])));
        }
        if tries_whole(tries) {
            found.extend(without_copies(func, options, ended));
        }
    }
    found.extend(
        [Whole::ReduceExtents, Whole::Hoist, Whole::Loops]
            .into_iter()
            .filter_map(|pass| pass.on(func, options, ended)),
    );
    found
}

/// Without each of the buffers that only hold copies, without all of them, and the last of these with loops that fit where the
/// elements come from: until then indices are quotients, and seem to cost more than a copy.
fn without_copies(func: &PrimFunc, options: &Options, ended: &mut Ended) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let each = noop::without_each_copy(func).into_iter();
    found.extend(each.map(|(made, change)| ("remove-copies", made, vec![change])));
    if found.len() > 1 {
        found.extend(Whole::RemoveCopies.on(func, options, ended));
    }
    if let Some((_, made, changes)) = found.last() {
        let (mut made, mut changes) = (made.clone(), changes.clone());
        simplify::run(&mut made, &options.simplification(Reach::Everything));
        if let Some((_, made, more)) = Whole::Loops.on(&made, options, ended) {
            changes.extend(more);
            found.push(("remove-copies, loops", made, changes));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_are_not_tried_are_told() {
        let function = |conditions: usize| {
            let head = "@T.prim_func\ndef main(A: T.Buffer((64,), \"int32\"), B: T.Buffer((64,), \"int32\"), n: T.int32):\n";
            let body = (0..conditions).map(|k| format!("    if n < {k}:\n        A[{k}] = B[{k}]\n"));
            let text = head.to_owned() + &body.collect::<String>();
            crate::parse(&text).expect("a program").funcs.remove(0)
        };
        let (mut tries, mut ended) = (1_000, Ended::default());
        moves(&function(MAX_FILLED), &Options::default(), &mut tries, &mut ended);
        assert!(ended.in_words().is_empty(), "{ended:?}");
        moves(&function(MAX_CONDITIONS + 1), &Options::default(), &mut tries, &mut ended);
        let told = ended.in_words().join("\n");
        assert!(told.contains("of up to 25 places for `overcompute` 24 were tried in each state"), "{told}");
        assert!(told.contains("`choose-padding` 6 were tried"), "{told}");
    }
}
