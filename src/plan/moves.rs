//! The moves from a state: what may be done to a function, each with its proof.

use crate::cse::Options;
use crate::ir::PrimFunc;
use crate::loops;
use crate::noop::{self, Change, SiteKind};

/// The most places of each kind that are tried in a state, and the most conditions for which facts are made true.
const MAX_CONDITIONS: usize = 24;
const MAX_MERGES: usize = 8;
const MAX_BRANCHES: usize = 8;
const MAX_FILLED: usize = 6;

/// How many places passes over the whole function count as.
pub(super) const WHOLE: usize = 4;

/// A move: the pass, what it makes, what it changed.
pub(super) type Found = (&'static str, PrimFunc, Vec<Change>);

/// All moves, in a fixed order. What is tried is taken off `tries`; when that is used up there are no more.
pub(super) fn moves(func: &PrimFunc, options: &Options, tries: &mut usize) -> Vec<Found> {
    let settings =
        noop::Settings { readable_parameters: options.readable_parameters, finite: options.finite };
    let mut found: Vec<Found> = Vec::new();
    *tries = match tries.checked_sub(WHOLE) {
        Some(left) => left,
        None => return found,
    };
    whole("remove-no-op", func, noop::remove_no_op, &mut found);
    let sites = noop::sites(func);
    let mut filled = 0;
    for (kind, most) in [
        (SiteKind::Overcompute, MAX_CONDITIONS),
        (SiteKind::MergeLoops, MAX_MERGES),
        (SiteKind::Branching, MAX_BRANCHES),
    ] {
        let before = found.len();
        for site in sites.iter().filter(|site| site.kind == kind).take(most) {
            *tries = match tries.checked_sub(1) {
                Some(left) => left,
                None => return found,
            };
            match noop::apply(func, site, settings) {
                Ok((made, change)) => found.push((kind.name(), made, vec![change])),
                Err(_) if kind == SiteKind::Overcompute && filled < MAX_FILLED => {
                    filled += 1;
                    let ways = noop::apply_after_filling(func, site, settings).into_iter();
                    found.extend(ways.map(|(made, changes)| ("fill, overcompute", made, changes.into())));
                }
                Err(_) => {}
            }
        }
        // All of them at once, which may be further than the search looks.
        if found.len() > before + 1 {
            match kind {
                SiteKind::Overcompute => {
                    whole(kind.name(), func, |func| noop::overcompute(func, settings), &mut found);
                }
                SiteKind::MergeLoops => whole(kind.name(), func, noop::merge_loops, &mut found),
                _ => {}
            }
        }
    }
    for (pass, made, what) in [
        (
            "reduce-extents",
            loops::reduce_extents(func, options),
            "conditions around the bodies of loops become their bounds",
        ),
        ("hoist", loops::hoist(func, options), "conditions that no iteration changes leave their loops"),
        (
            "loops",
            loops::run(func, options).map(|(made, _)| made),
            "loops are written otherwise: the same iterations in the same order",
        ),
    ] {
        if let Some(made) = made {
            found.push((pass, made, vec![Change { what: what.to_owned(), reasons: Vec::new() }]));
        }
    }
    found
}

/// Adds what a pass makes of the function, if it changes anything.
fn whole(
    name: &'static str,
    func: &PrimFunc,
    pass: impl Fn(&mut PrimFunc) -> Vec<Change>,
    found: &mut Vec<Found>,
) {
    let mut made = func.clone();
    let changes = pass(&mut made);
    if !changes.is_empty() {
        found.push((name, made, changes));
    }
}
