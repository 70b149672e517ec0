//! What elements of buffers hold at a place: the store or assumption that is the last to say so, on every way there.
//!
//! A definition counts if an instance of it can be named that is certain to have happened, and if it is refuted that any
//! store in between meets the element. A value that reads memory counts if that has not changed since, or if what it reads is
//! known in turn.

use std::ops::Range;

use super::accesses::{Access, Accesses, Fact, Kind, is_plain};
use super::instances::{Asker, Instance, Pin};
use crate::ir::{BufferId, Expr, ExprKind};

/// The most definitions that are looked at for one element.
const MAX_DEFINITIONS: usize = 12;

/// How deep values are looked into.
const MAX_DEPTH: usize = 3;

/// What an element holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Content {
    /// The value, in variables of the place.
    pub value: Expr,
    /// The access that says so, by its position.
    pub from: usize,
    /// Whether it was stored, and so was what is known of elements that the stored value reads, rather than assumed: then a
    /// float has these very bits.
    pub stored: bool,
}

/// What an element of `buffer` holds before the instance `at` happens, where `facts` hold; `None` if that is not known.
pub(crate) fn value(
    asker: &Asker<'_>,
    at: &Instance,
    facts: &[Fact],
    buffer: BufferId,
    element: &[Expr],
) -> Option<Content> {
    value_within(asker, at, facts, (buffer, element), MAX_DEPTH, &|_| true)
}

/// The same if it is a constant.
pub(crate) fn constant(
    asker: &Asker<'_>,
    at: &Instance,
    facts: &[Fact],
    buffer: BufferId,
    element: &[Expr],
) -> Option<Content> {
    // Nothing is asked of values that are none.
    let may_be = |stated: &Expr| match &stated.kind {
        ExprKind::Load { buffer, .. } => asker.may_hold_numbers(*buffer),
        _ => stated.is_number(),
    };
    let found = value_within(asker, at, facts, (buffer, element), MAX_DEPTH, &may_be);
    found.filter(|content| content.value.is_number())
}

/// `may_be`: whether a value that is stored, or assumed, is one that is looked for.
fn value_within(
    asker: &Asker<'_>,
    at: &Instance,
    facts: &[Fact],
    (buffer, element): (BufferId, &[Expr]),
    depth: usize,
    may_be: &dyn Fn(&Expr) -> bool,
) -> Option<Content> {
    if !element.iter().all(is_plain) {
        return None;
    }
    let defines = |access: &Access| {
        access.buffer == buffer && matches!(access.kind, Kind::Store(_) | Kind::Assumed(Some(_)))
    };
    let accesses = asker.accesses;
    let itself = depth == MAX_DEPTH && at.values.is_empty();
    let run = if itself { asker.trace() } else { None };
    let possible = run.and_then(|run| run.definers(accesses, at.order as usize, facts, (buffer, element)));
    for from in nearest(accesses, at, buffer, defines) {
        if possible.as_ref().is_some_and(|possible| !possible.contains(&from)) {
            continue;
        }
        let access = &accesses.list[from];
        let (Kind::Store(stated) | Kind::Assumed(Some(stated))) = &access.kind else { continue };
        if !may_be(stated) {
            continue;
        }
        for &shared in asker.ways(from, at) {
            let Some(instance) = asker.named(from, element, at, shared, Pin::First) else { continue };
            if !happened(asker, at, facts, &instance, element)
                || !lasts(asker, at, facts, &instance, (buffer, element))
            {
                continue;
            }
            if let Some((value, by_stores)) = resolved(asker, at, facts, &instance, stated, depth) {
                let stored = by_stores && matches!(access.kind, Kind::Store(_));
                return Some(Content { value, from, stored });
            }
        }
    }
    None
}

/// The access of a kind that `says` so which met an element before the instance `at` on every way there, if there is one: a
/// store, or an assumption. The element may have been written again since.
pub(crate) fn defined(
    asker: &Asker<'_>,
    at: &Instance,
    facts: &[Fact],
    (buffer, element): (BufferId, &[Expr]),
    says: impl Fn(&Kind) -> bool,
) -> Option<usize> {
    if !element.iter().all(is_plain) {
        return None;
    }
    let says = |access: &Access| access.buffer == buffer && says(&access.kind);
    let accesses = asker.accesses;
    nearest(accesses, at, buffer, says).into_iter().find(|&from| {
        asker.ways(from, at).iter().any(|&shared| {
            let named = asker.named(from, element, at, shared, Pin::First);
            named.is_some_and(|instance| {
                happened(asker, at, facts, &instance, element)
                    && renewals(accesses, buffer, &instance, at).all(|fresh| {
                        let own = asker.some(&accesses.list[fresh]);
                        refuted_between(asker, facts, &instance, &own, at, Vec::new())
                    })
            })
        })
    })
}

/// Whether an element may be anything when the instance `at` happens: it was made so, or is assumed to be, and has not been
/// written since.
pub(crate) fn is_undefined(
    asker: &Asker<'_>,
    at: &Instance,
    facts: &[Fact],
    (buffer, element): (BufferId, &[Expr]),
) -> bool {
    let says = |access: &Access| {
        access.buffer == buffer && matches!(access.kind, Kind::Undefined | Kind::Assumed(None))
    };
    element.iter().all(is_plain)
        && nearest(asker.accesses, at, buffer, says).into_iter().any(|from| {
            asker.ways(from, at).iter().any(|&shared| {
                let named = asker.named(from, element, at, shared, Pin::First);
                named.is_some_and(|instance| {
                    happened(asker, at, facts, &instance, element)
                        && lasts(asker, at, facts, &instance, (buffer, element))
                })
            })
        })
}

/// The allocations of a buffer between two instances.
fn renewals(
    accesses: &Accesses,
    buffer: BufferId,
    since: &Instance,
    at: &Instance,
) -> impl Iterator<Item = usize> {
    let between = between(accesses, since, at);
    accesses.sharing_within(buffer, between).filter(|&at| accesses.list[at].kind == Kind::Fresh)
}

/// The places in the order of the text outside of which nothing happens between two instances.
fn between(accesses: &Accesses, since: &Instance, at: &Instance) -> Range<u32> {
    accesses.around(since.order, &since.loops).start..accesses.around(at.order, &at.loops).end
}

/// Definitions of a buffer, those that stand before a place first, the nearest ones before others; a few.
fn nearest(
    accesses: &Accesses,
    at: &Instance,
    buffer: BufferId,
    wanted: impl Fn(&Access) -> bool,
) -> Vec<usize> {
    let definitions = accesses.definitions(buffer, at.order);
    definitions.filter(|&i| wanted(&accesses.list[i])).take(MAX_DEFINITIONS).collect()
}

/// Whether a named instance is certain to have happened before `at`, and to have met the element.
fn happened(asker: &Asker<'_>, at: &Instance, facts: &[Fact], instance: &Instance, element: &[Expr]) -> bool {
    let before = asker.before(instance, at, true);
    before.as_int() != Some(0)
        && asker.happens(facts, instance, element)
        && asker.proves(facts, &before, true)
}

/// Whether nothing that happens between an instance and `at` may write to the element.
fn lasts(
    asker: &Asker<'_>,
    at: &Instance,
    facts: &[Fact],
    since: &Instance,
    (buffer, element): (BufferId, &[Expr]),
) -> bool {
    let accesses = asker.accesses;
    let between = between(accesses, since, at);
    accesses.sharing_within(buffer, between).filter(|&i| accesses.list[i].writes()).all(|i| {
        let access = &accesses.list[i];
        let elsewhere = || access.kind != Kind::Fresh && asker.apart((element, buffer), access);
        if since.follows_all(access) || at.precedes_all(access) || elsewhere() {
            return true;
        }
        if !asker.looks() {
            return false;
        }
        let own = asker.some(access);
        let meets = if access.kind == Kind::Fresh {
            Vec::new()
        } else {
            asker.meets((element, buffer), &own, access)
        };
        refuted_between(asker, facts, since, &own, at, meets)
    })
}

/// Whether it is refuted that `own` happens between two instances, where facts and `more` hold.
fn refuted_between(
    asker: &Asker<'_>,
    facts: &[Fact],
    since: &Instance,
    own: &Instance,
    at: &Instance,
    more: Vec<Fact>,
) -> bool {
    let after = asker.before(since, own, false);
    let before = asker.before(own, at, false);
    if after.as_int() == Some(0) || before.as_int() == Some(0) {
        return true;
    }
    let mut all = more;
    all.extend([(after, true), (before, true)]);
    all.extend(own.conditions.iter().cloned());
    all.extend(facts.iter().cloned());
    asker.refutes(&all)
}

/// A value of an instance as one of the place: what it reads is known there, or has not changed. Whether all that is known of
/// it was stored comes with it.
fn resolved(
    asker: &Asker<'_>,
    at: &Instance,
    facts: &[Fact],
    instance: &Instance,
    stated: &Expr,
    depth: usize,
) -> Option<(Expr, bool)> {
    let value = instance.apply(stated);
    if is_plain(&value) {
        return Some((value, true));
    }
    if value.has_effect() {
        return None;
    }
    resolve(asker, at, facts, instance, &value, depth)
}

fn resolve(
    asker: &Asker<'_>,
    at: &Instance,
    facts: &[Fact],
    instance: &Instance,
    e: &Expr,
    depth: usize,
) -> Option<(Expr, bool)> {
    if let ExprKind::Load { buffer, indices } = &e.kind {
        // The value was read before it was stored: the store itself may be what changes it.
        let read = Instance { order: instance.order.saturating_sub(1), ..instance.clone() };
        if indices.iter().all(is_plain) && lasts(asker, at, facts, &read, (*buffer, indices)) {
            return Some((e.clone(), true));
        }
        let depth = depth.checked_sub(1)?;
        let known = value_within(asker, instance, facts, (*buffer, indices), depth, &|_| true)?;
        // What it may read in turn has to last until the place.
        return is_plain(&known.value).then_some((known.value, known.stored));
    }
    if matches!(e.kind, ExprKind::Let(..)) {
        return None;
    }
    let mut result = e.clone();
    let (mut complete, mut by_stores) = (true, true);
    result.for_each_child_mut(|child| {
        if complete {
            match resolve(asker, at, facts, instance, child, depth) {
                Some((value, stored)) => {
                    *child = value;
                    by_stores &= stored;
                }
                None => complete = false,
            }
        }
    });
    complete.then_some((result, by_stores))
}

#[cfg(test)]
mod tests {
    use super::super::accesses::Accesses;
    use super::*;
    use crate::script::print_expr;

    /// What the last load of the function is known to read.
    fn last_load(body: &str) -> Option<String> {
        let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
        let text = format!(
            "@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\"), B: T.Buffer((4, 4), \"int32\"), n: T.int32):\n    \
             T.func_attr({{\"tirx.noalias\": True}})\n{body}"
        );
        let func = crate::parse(&text).unwrap().funcs.remove(0);
        let accesses = Accesses::new(&func)?;
        let asker = Asker::new(&accesses, Asker::budget(&accesses));
        let load = accesses.list.iter().rfind(|access| access.kind == Kind::Load)?;
        let at = asker.itself(load);
        let mut facts = at.conditions.clone();
        facts.extend(asker.in_bounds(load));
        let known = value(&asker, &at, &facts, load.buffer, &load.indices)?;
        Some(print_expr(&func, &known.value))
    }

    fn knows(body: &str, value: &str) {
        assert_eq!(last_load(body).as_deref(), Some(value), "{body}");
    }

    fn knows_nothing(body: &str) {
        assert_eq!(last_load(body), None, "{body}");
    }

    #[test]
    fn the_last_store_says_it() {
        knows("A[3] = 7\nA[4] = 8\nB[0, 0] = A[3]", "7");
        knows_nothing("A[3] = 7\nA[n] = 8\nB[0, 0] = A[3]");
        knows("A[n] = 7\nA[n + 1] = 8\nB[0, 0] = A[n]", "7");
        knows_nothing("if n > 3:\n    A[3] = 7\nB[0, 0] = A[3]");
        knows("if n > 3:\n    A[3] = 7\n    B[0, 0] = A[3]", "7");
    }

    #[test]
    fn buffers_with_numbers_are_those_that_these_are_copied_to() {
        let text = "@T.prim_func\ndef main(A: T.Buffer((4,)), B: T.Buffer((4,)), C: T.Buffer((4,)), D: T.Buffer((4,)), E: T.Buffer((4,))):\n    \
                    C[0] = B[1]\n    B[1] = A[2]\n    A[2] = T.float32(0)\n    E[0] = D[1]\n    D[1] = E[2] + T.float32(1)\n    D[2] = D[3]\n";
        let func = crate::parse(text).unwrap().funcs.remove(0);
        let mut found: Vec<BufferId> = Accesses::new(&func).unwrap().with_numbers().into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, [BufferId(0), BufferId(1), BufferId(2)]);
    }

    #[test]
    fn loops_of_stores() {
        knows("for i in range(16):\n    A[i] = i * 2\nB[0, 0] = A[n]", "n * 2");
        knows(
            "for i, j in T.grid(4, 4):\n    A[i * 4 + j] = 5\nfor k in range(16):\n    B[k // 4, k % 4] = A[k]",
            "5",
        );
        knows_nothing("for i in range(n):\n    A[i] = 5\nB[0, 0] = A[3]");
        knows_nothing("for i in range(8):\n    A[i * 2] = 5\nB[0, 0] = A[3]");
        knows("for i in range(8):\n    A[i * 2] = 5\nB[0, 0] = A[6]", "5");
    }

    #[test]
    fn what_a_loop_carries() {
        // Written by the iteration before, but for the first.
        knows_nothing("for i in range(15):\n    A[i + 1] = 5\n    B[0, 0] = A[i]");
        knows("for i in range(15):\n    A[i + 1] = 5\n    if i > 0:\n        B[0, 0] = A[i]", "5");
        // The accumulator is written by the iterations before.
        knows_nothing("A[0] = 0\nfor i in range(4):\n    A[0] = A[0] + 1");
        knows_nothing("A[0] = 0\nfor i in range(4):\n    B[0, i] = A[0]\n    A[0] = 2");
        knows("A[0] = 0\nfor i in range(4):\n    A[0] = 2\n    B[0, i] = A[0]", "2");
    }

    #[test]
    fn assumptions_state_it_until_a_write() {
        let all = "for i in range(16):\n    T.assume(i < 14 or A[i] == 3)\n";
        knows(&format!("{all}B[0, 0] = A[15]"), "3");
        knows_nothing(&format!("{all}B[0, 0] = A[13]"));
        knows_nothing(&format!("{all}A[n] = 1\nB[0, 0] = A[15]"));
        knows(&format!("{all}A[14] = 1\nB[0, 0] = A[15]"), "3");
    }

    #[test]
    fn values_that_read_memory() {
        knows("A[3] = B[0, 0]\nB[1, 1] = A[3]", "B[0, 0]");
        knows_nothing("A[3] = B[0, 0]\nB[0, 0] = 2\nB[1, 1] = A[3]");
        knows("A[3] = 100\nA[3] = A[3] + 1\nB[1, 1] = A[3]", "T.Add(100, 1)");
        knows_nothing("A[3] = A[3] + 1\nB[1, 1] = A[3]");
    }

    #[test]
    fn loops_in_any_order_carry_nothing() {
        knows_nothing("A[0] = 5\nfor i in T.parallel(15):\n    A[i + 1] = 5\n    B[0, 0] = A[i]");
        knows("for i in T.parallel(15):\n    A[i + 1] = 5\n    B[0, 0] = A[i + 1]", "5");
        knows("for i in T.parallel(16):\n    A[i] = 5\nB[0, 0] = A[3]", "5");
    }
}
