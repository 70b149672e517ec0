//! Which loops of one program are something else in the other one: found by how many iterations they have.

use hashbrown::{HashMap, HashSet};

use super::super::check::bounds::Bounds;
use super::super::check::eval::Machine;
use super::super::check::pairs::Shape;
use super::super::check::side::Side;
use super::super::check::steps::{Placed, Step, flatten};
use super::super::check::term::{Sort, Term, Terms};
use crate::diag::Span;
use crate::ir::{Block, Stmt, StmtKind};

/// Loops of two blocks that are not one in each.
#[derive(Default)]
pub(super) struct Covers {
    /// From which leaves of both on a loop of one is something in the other one, which is of that program.
    pub(super) found: HashMap<(usize, usize), (Side, Shape)>,
    /// Loops with another number of iterations.
    pub(super) differ: HashSet<(usize, usize)>,
    /// Loops over the same range of which an iteration does not do as much.
    pub(super) unlike: HashSet<(usize, usize)>,
    /// From which leaves of both on a loop of the first program is so many leaves, which belong to its first iteration, and a loop.
    pub(super) peeled: HashMap<(usize, usize), usize>,
    /// From which leaves of both on so many are those of the other program, which has some of them, by number, in front.
    pub(super) front: Option<(usize, usize, Vec<usize>)>,
    /// Loops of the first program of which so many leaves are a loop of their own in the second one.
    pub(super) fission: HashMap<(usize, usize), usize>,
    /// Leaves of both that never run.
    pub(super) never: [Vec<usize>; 2],
    /// The conditions around the leaves of both.
    pub(super) guards: [Vec<Term>; 2],
    /// Whether anything was evaluated to find out.
    pub(super) looked: bool,
}

impl Covers {
    pub(super) fn is_empty(&self) -> bool {
        let none_early = self.front.is_none() && self.fission.is_empty();
        none_early && self.found.is_empty() && self.peeled.is_empty() && self.never.iter().all(Vec::is_empty)
    }
}

/// What is known of a leaf: how many stores and calls it executes, as far as that is known, and of a loop the same of an iteration.
struct Leaf {
    work: Option<Term>,
    /// Whether the conditions around it never hold, or nothing in it ever runs.
    never: bool,
    /// The conditions around it in its block.
    guard: Term,
    of: Option<Loop>,
    /// The element that a store names, its buffer's number first.
    stores: Option<(usize, Vec<Term>)>,
}

struct Loop {
    var: Term,
    min: Option<Term>,
    extent: Term,
    body_work: Option<Term>,
    inner: Vec<Leaf>,
}

/// The leaves among steps.
pub(super) fn leaves<'a>(steps: &[Placed<'a>]) -> Vec<&'a Stmt> {
    let leaf = |placed: &Placed<'a>| match placed.step {
        Step::Leaf(stmt) => Some(stmt),
        _ => None,
    };
    steps.iter().filter_map(leaf).collect()
}

/// A shape as a certificate has it.
pub(super) fn written(shape: &Shape) -> String {
    match shape {
        Shape::Loop => "loop".to_owned(),
        Shape::Rest => "rest".to_owned(),
        Shape::Once(leaves) => format!("(once {leaves})"),
        Shape::Nest(inner) => format!("(nest {})", written(inner)),
        Shape::Within(inner) => format!("(within {})", written(inner)),
        Shape::Cut(length, pieces) => {
            let length = length.map_or("_".to_owned(), |length| length.to_string());
            let pieces: Vec<String> = pieces.iter().map(written).collect();
            format!("(cut {length} {})", pieces.join(" "))
        }
    }
}

/// Looks for loops of two blocks that are something else in the other one. Of some it is known that one of them is longer.
/// `one_by_one`: loops over the same range belong together.
pub(super) fn covers(
    machine: &mut Machine<'_>,
    first: &[Placed<'_>],
    second: &[Placed<'_>],
    longer: &[(Span, Span)],
    one_by_one: bool,
) -> Covers {
    /// Most leaves of a block in which they are looked for.
    const MAX_LEAVES: usize = 100;
    let mut covers = Covers::default();
    let [left, right] = [leaves(first), leaves(second)];
    let has_loop = |all: &[&Stmt]| all.iter().any(|s| matches!(s.kind, StmtKind::For(_)));
    let early = [&left, &right].map(|all| all.iter().map(|stmt| is_early(stmt)).collect::<Vec<_>>());
    let plain = !has_loop(&left) && !has_loop(&right) && early[0] == early[1];
    if plain || left.len().max(right.len()) > MAX_LEAVES {
        return covers;
    }
    covers.looked = true;
    let spans = [&left, &right].map(|all| all.iter().map(|stmt| stmt.span).collect::<Vec<_>>());
    let mut counters = Vec::new();
    let [left, right] = [(Side::First, first), (Side::Second, second)].map(|(side, steps)| {
        let vars = machine.program(side).vars.clone();
        let found = known(machine, side, steps, (MAX_DEPTH, &mut counters));
        machine.program(side).vars = vars;
        found
    });
    covers.never = [&left, &right].map(|all| (0..all.len()).filter(|&i| all[i].never).collect());
    covers.front = front([&left, &right], &early);
    covers.guards = [&left, &right].map(|all| all.iter().map(|leaf| leaf.guard).collect());
    let terms = &mut machine.terms;
    for (i, a) in left.iter().enumerate() {
        for (j, b) in right.iter().enumerate() {
            if let (Some(p), Some(q)) = (&a.of, &b.of) {
                if (p.extent, p.min) != (q.extent, q.min) {
                    covers.differ.insert((i, j));
                } else if one_by_one || p.body_work == q.body_work {
                    continue;
                } else {
                    covers.unlike.insert((i, j));
                }
            }
            if let Some(p) = &a.of
                && let Some(before) = peeled(p, &right[j..])
            {
                covers.peeled.insert((i, j), before);
            }
            if let (Some(whole), [now, then, ..]) = (&a.of, &right[j..])
                && let (Some(now), Some(then)) = (&now.of, &then.of)
                && early[1][j]
                && is_fission(terms, whole, [now, then])
            {
                covers.fission.insert((i, j), now.inner.len());
            }
            // How much iterations do says more than how loops are nested, of either program.
            let shapes: &[ShapeFinder] = match covers.peeled.contains_key(&(i, j)) {
                true => &[same_work, only_first],
                false => &[same_work, same_nesting, only_first],
            };
            let sides = [(a, &right[j..], Side::Second), (b, &left[i..], Side::First)];
            let mut ways = shapes.iter().flat_map(|shape| sides.map(|side| (shape, side)));
            let found = ways
                .find_map(|(shape, (one, tree, side))| Some((side, shape(terms, one.of.as_ref()?, tree)?)));
            covers.found.extend(found.map(|found| ((i, j), found)));
            // Loops that are written as one have one place.
            if longer.contains(&(spans[0][i], spans[1][j]))
                && covers.differ.contains(&(i, j))
                && let (Some(p), Some(q)) = (&a.of, &b.of)
            {
                covers.found.entry((i, j)).or_insert_with(|| within(terms, p, q));
            }
        }
    }
    covers
}

/// Whether a statement only stores, and what does not depend on memory.
fn is_early(stmt: &Stmt) -> bool {
    let mut early = true;
    stmt.walk(&mut |stmt| {
        early &= matches!(stmt.kind, StmtKind::Store { .. } | StmtKind::For(_) | StmtKind::If { .. });
        stmt.for_each_expr(|e| early &= !e.reads_memory());
    });
    early
}

/// How many leaves from the first of these on may belong to the first iteration of a loop that follows them: all up to the next
/// loop, or some loops among them.
fn peeled(l: &Loop, tree: &[Leaf]) -> Option<usize> {
    let rest = |before: usize| tree.get(before).and_then(|leaf| leaf.of.as_ref());
    let before = tree.iter().take_while(|leaf| leaf.of.is_none()).count();
    if (1..=MAX_PEELED).contains(&before) && rest(before).is_some_and(|rest| rest.extent == l.extent) {
        return Some(before);
    }
    (1..=MAX_PEELED).find(|&before| {
        rest(before).is_some_and(|rest| {
            (rest.min, rest.extent) == (l.min, l.extent) && l.inner.len() == before + rest.inner.len()
        })
    })
}

/// A loop of which only the first iteration does anything, and that as statements without a loop.
fn only_first(terms: &mut Terms, l: &Loop, tree: &[Leaf]) -> Option<Shape> {
    let (min, extent) = (terms.as_int(l.min?)?, terms.as_int(l.extent)?);
    let leaves = l.inner.len();
    let alike =
        tree.len() >= leaves && l.inner.iter().zip(tree).all(|(a, b)| a.of.is_some() == b.of.is_some());
    if extent < 2 || leaves == 0 || !alike {
        return None;
    }
    for at in [min.checked_add(1)?, min.checked_add(extent - 1)?] {
        let (at, mut done) = (terms.int(at), HashMap::new());
        for leaf in &l.inner {
            let runs = terms.replace(leaf.guard, l.var, at, &mut done);
            if terms.as_truth(runs) != Some(false) {
                return None;
            }
        }
    }
    Some(Shape::Cut(None, vec![Shape::Once(leaves), Shape::Rest]))
}

/// Whether a loop may be two, of which each iteration does the first part in the one and the rest in the other one.
fn is_fission(terms: &mut Terms, whole: &Loop, parts: [&Loop; 2]) -> bool {
    let [now, then] = parts;
    let all = now.body_work.zip(then.body_work).map(|(now, then)| terms.add(now, then));
    whole.inner.len() == now.inner.len() + then.inner.len()
        && whole.body_work == all
        && parts.iter().all(|part| (part.min, part.extent) == (whole.min, whole.extent))
}

/// From which leaves of both programs on how many of the second one are those of the first one in another order: some of them,
/// by number, and then the others.
fn front([left, right]: [&[Leaf]; 2], early: &[Vec<bool>; 2]) -> Option<(usize, usize, Vec<usize>)> {
    let is_same = |i: usize, j: usize| {
        let (a, b) = (&left[i], &right[j]);
        let of = |l: &Leaf| l.of.as_ref().map(|l| (l.min, l.extent, l.body_work));
        early[0][i] == early[1][j] && (a.work, &a.stores, of(a)) == (b.work, &b.stores, of(b))
    };
    let count = left.len();
    if right.len() != count {
        return None;
    }
    let from = (0..count).find(|&i| !is_same(i, i))?;
    let mut order: Vec<usize> = Vec::new();
    for j in from..count {
        order.push((from..count).find(|i| !order.contains(i) && is_same(*i, j))?);
    }
    let front = order.windows(2).take_while(|pair| pair[0] < pair[1]).count() + 1;
    let (front, rest) = order.split_at(front);
    rest.is_sorted().then(|| (from, count - from, front.iter().map(|i| i - from).collect()))
}

/// The deepest nest that is looked into, and most statements that are a part of a first iteration.
const MAX_DEPTH: usize = 10;
const MAX_PEELED: usize = 8;

/// What is known of the leaves of a block. `counters`: what stands for the variable of a loop with so many loops in it, so that
/// the same loops of both programs look alike.
fn known(
    machine: &mut Machine<'_>,
    side: Side,
    steps: &[Placed<'_>],
    (depth, counters): (usize, &mut Vec<Term>),
) -> Vec<Leaf> {
    let (mut found, mut guards) = (Vec::new(), Vec::new());
    for placed in steps {
        let guard = machine.terms.and(&guards);
        let never = machine.terms.as_truth(guard) == Some(false);
        match placed.step {
            Step::Bind(var, value) => {
                if let Ok(value) = machine.described(side, value) {
                    machine.program(side).vars.insert(var, value);
                }
            }
            Step::First(l) => {
                if let Ok(value) = machine.described(side, &l.min) {
                    machine.program(side).vars.insert(l.var, value);
                }
                let extent = machine.described(side, &l.extent);
                guards.push(match extent {
                    Ok(extent) => machine.terms.positive(extent),
                    Err(_) => machine.terms.atom(Sort::Truth, Bounds::NONE),
                });
            }
            Step::If(cond) => {
                let cond = machine.described(side, cond);
                guards.push(cond.unwrap_or_else(|_| machine.terms.atom(Sort::Truth, Bounds::NONE)));
            }
            Step::Else => {
                if let Some(cond) = guards.pop() {
                    guards.push(machine.terms.not(cond));
                }
            }
            Step::End => drop(guards.pop()),
            Step::Leaf(Stmt { kind: StmtKind::For(l), .. }) => {
                let min = machine.described(side, &l.min).ok();
                let of = machine.described(side, &l.extent).ok().map(|extent| {
                    let inside = loops_in(&l.body);
                    while counters.len() <= inside {
                        counters.push(machine.terms.atom(Sort::Int, Bounds::NONE));
                    }
                    let var = counters[inside];
                    machine.program(side).vars.insert(l.var, var);
                    let inner = match depth {
                        0 => Vec::new(),
                        _ => known_in(machine, side, &l.body, (depth - 1, counters)),
                    };
                    let body_work = if depth == 0 { None } else { work(&mut machine.terms, &inner) };
                    Loop { var, min, extent, body_work, inner }
                });
                let body = of.as_ref().and_then(|l| Some((l.extent, l.body_work?)));
                let work = body.map(|(extent, work)| machine.terms.mul(extent, work));
                let is_idle = |l: &Loop| {
                    let none = machine.terms.bounds(l.extent).hi.is_some_and(|hi| hi <= 0);
                    none || !l.inner.is_empty() && l.inner.iter().all(|leaf| leaf.never)
                };
                let never = never || of.as_ref().is_some_and(is_idle);
                found.push(Leaf { work, never, guard, of, stores: None });
            }
            Step::Leaf(stmt) => {
                let (one, stores) = (machine.terms.int(1), stores(machine, side, stmt));
                found.push(Leaf { work: Some(one), never, guard, of: None, stores });
            }
            Step::Eval(_) | Step::Buffer(_) | Step::Assume(_) => {}
        }
    }
    found
}

/// The element that a store names.
fn stores(machine: &mut Machine<'_>, side: Side, stmt: &Stmt) -> Option<(usize, Vec<Term>)> {
    let StmtKind::Store { buffer, indices, .. } = &stmt.kind else { return None };
    let index = indices.iter().map(|e| machine.described(side, e).ok()).collect::<Option<_>>()?;
    Some((machine.memories.number(side, *buffer).ok()?, index))
}

/// How many loops a block has, the ones within the others.
fn loops_in(block: &Block) -> usize {
    let of = |stmt: &Stmt| {
        let (mut most, own) = (0, usize::from(matches!(stmt.kind, StmtKind::For(_))));
        stmt.for_each_block(|inner| most = most.max(loops_in(inner)));
        own + most
    };
    block.iter().map(of).max().unwrap_or(0)
}

fn known_in(
    machine: &mut Machine<'_>,
    side: Side,
    block: &Block,
    (depth, counters): (usize, &mut Vec<Term>),
) -> Vec<Leaf> {
    let mut steps = Vec::new();
    flatten(block, &mut steps);
    known(machine, side, &steps, (depth, counters))
}

fn work(terms: &mut Terms, leaves: &[Leaf]) -> Option<Term> {
    let zero = terms.int(0);
    leaves.iter().try_fold(zero, |sum, leaf| Some(terms.add(sum, leaf.work?)))
}

/// Most leaves that are one loop.
const MAX_PIECES: usize = 64;

/// Finds what a loop is of the first of these leaves, but for a loop that looks the same.
type ShapeFinder = fn(&mut Terms, &Loop, &[Leaf]) -> Option<Shape>;

/// Iterations do as much as those of the loop.
fn same_work(terms: &mut Terms, one: &Loop, tree: &[Leaf]) -> Option<Shape> {
    let counts = 1..=tree.len().min(MAX_PIECES);
    let mut found = counts.filter_map(|count| by_work(terms, &tree[..count], one.body_work?));
    found.find_map(|found| unlike(one, tree, found))
}

/// Loops are as many iterations by how they are nested. First all of them count iterations, last only the deepest: what iterations
/// do may have loops of its own.
fn same_nesting(terms: &mut Terms, one: &Loop, tree: &[Leaf]) -> Option<Shape> {
    let counts = 1..=tree.len().min(MAX_PIECES);
    let mut ways =
        (0..=MAX_DEPTH).map(|depth| (true, depth)).chain((2..=MAX_DEPTH).map(|depth| (false, depth)));
    ways.find_map(|(all_count, depth)| {
        let by = if all_count { by_depth } else { by_deepest };
        counts.clone().find_map(|count| unlike(one, tree, by(terms, &tree[..count], one.inner.len(), depth)?))
    })
}

/// A shape that is as long as a loop, unless it is a loop over the same range.
fn unlike(one: &Loop, tree: &[Leaf], found: (Term, Vec<Shape>)) -> Option<Shape> {
    let same = tree.first().and_then(|leaf| leaf.of.as_ref()).is_some_and(|l| l.min == one.min);
    as_long(one, found).filter(|shape| !(same && matches!(shape, Shape::Loop)))
}

/// Two loops of which one has more iterations, that of the first program if both may, perhaps together with loops in it.
fn within(terms: &mut Terms, first: &Loop, second: &Loop) -> (Side, Shape) {
    // Only the first iteration of the first program's does anything, and stands alone.
    if let [Leaf { of: Some(inner), .. }] = &first.inner[..]
        && inner.extent == second.extent
        && inner.body_work == second.body_work
    {
        return (Side::Second, Shape::Cut(None, vec![Shape::Once(1), Shape::Rest]));
    }
    let found = [(Side::First, first, second), (Side::Second, second, first)].into_iter().find_map(
        |(side, outer, one)| {
            let (length, shape) = nest_for(terms, outer, one)?;
            let more = terms.less(length, one.extent);
            (terms.as_truth(more) != Some(true)).then_some((side, shape))
        },
    );
    let less = terms.less(first.extent, second.extent);
    let side = if terms.as_truth(less) == Some(true) { Side::Second } else { Side::First };
    let (side, shape) = found.unwrap_or((side, Shape::Loop));
    (side, Shape::Within(Box::new(shape)))
}

/// The nest of loops, in a loop or that one alone, of which each iteration does as much as one of another loop, and how many
/// these are.
fn nest_for(terms: &mut Terms, outer: &Loop, one: &Loop) -> Option<(Term, Shape)> {
    let (work, mut shape, mut of, mut length) = (one.body_work?, Shape::Loop, outer, outer.extent);
    while of.body_work != Some(work) {
        let [Leaf { of: Some(inner), .. }] = &of.inner[..] else { return None };
        (shape, of, length) = (Shape::Nest(Box::new(shape)), inner, terms.mul(length, inner.extent));
    }
    Some((length, shape))
}

/// Pieces that are all of a loop, as one.
fn as_long(one: &Loop, (length, mut pieces): (Term, Vec<Shape>)) -> Option<Shape> {
    (length == one.extent)
        .then(|| if pieces.len() == 1 { pieces.remove(0) } else { Shape::Cut(None, pieces) })
}

/// A nest of what its iterations are.
fn nest(terms: &Terms, (length, mut pieces): (Term, Vec<Shape>)) -> Option<(Term, Shape)> {
    let inner =
        if pieces.len() == 1 { pieces.remove(0) } else { Shape::Cut(Some(terms.as_int(length)?), pieces) };
    Some((length, Shape::Nest(Box::new(inner))))
}

/// Leaves as iterations that do so much each.
fn by_work(terms: &mut Terms, tree: &[Leaf], body: Term) -> Option<(Term, Vec<Shape>)> {
    let (zero, one) = (terms.int(0), terms.int(1));
    let (mut sum, mut found, mut begun) = (zero, Vec::new(), (0, zero));
    for leaf in tree {
        if let (0, Some(l)) = (begun.0, &leaf.of) {
            if l.body_work == Some(body) {
                found.push(Shape::Loop);
                sum = terms.add(sum, l.extent);
                continue;
            }
            if let Some((length, shape)) = by_work(terms, &l.inner, body).and_then(|inner| nest(terms, inner))
            {
                found.push(shape);
                let length = terms.mul(l.extent, length);
                sum = terms.add(sum, length);
                continue;
            }
        }
        begun = (begun.0 + 1, terms.add(begun.1, leaf.work?));
        if begun.1 == body {
            found.push(Shape::Once(begun.0));
            sum = terms.add(sum, one);
            begun = (0, zero);
        }
    }
    (begun.0 == 0 && !found.is_empty()).then_some((sum, found))
}

/// Leaves as iterations of so many statements, where loops count them with so many loops within.
fn by_depth(terms: &mut Terms, tree: &[Leaf], body: usize, depth: usize) -> Option<(Term, Vec<Shape>)> {
    in_turn(
        terms,
        tree,
        body,
        |leaf| leaf.of.is_some(),
        |terms, l| {
            if depth == 0 {
                return Some((l.extent, Shape::Loop));
            }
            let inner = by_depth(terms, &l.inner, body, depth - 1)?;
            let (length, shape) = nest(terms, inner)?;
            Some((terms.mul(l.extent, length), shape))
        },
    )
}

/// Leaves as iterations of so many statements, where only loops with so many loops in one another count them.
fn by_deepest(terms: &mut Terms, tree: &[Leaf], body: usize, depth: usize) -> Option<(Term, Vec<Shape>)> {
    in_turn(terms, tree, body, |leaf| depth_of(leaf) >= depth, |_, l| Some((l.extent, Shape::Loop)))
}

/// Leaves one after the other, where so many that are no such loops are an iteration, and a loop is as many as `counted` says.
fn in_turn(
    terms: &mut Terms,
    tree: &[Leaf],
    body: usize,
    is_loop: impl Fn(&Leaf) -> bool,
    counted: impl Fn(&mut Terms, &Loop) -> Option<(Term, Shape)>,
) -> Option<(Term, Vec<Shape>)> {
    let (mut sum, mut found, mut rest) = (terms.int(0), Vec::new(), tree);
    while let Some((leaf, others)) = rest.split_first() {
        let (length, shape, others) = match &leaf.of {
            Some(l) if is_loop(leaf) => {
                let (length, shape) = counted(terms, l)?;
                (length, shape, others)
            }
            _ => {
                let once = rest.get(..body).filter(|_| body > 0)?;
                if once.iter().any(&is_loop) {
                    return None;
                }
                (terms.int(1), Shape::Once(body), &rest[body..])
            }
        };
        sum = terms.add(sum, length);
        found.push(shape);
        rest = others;
    }
    (!found.is_empty()).then_some((sum, found))
}

/// How many loops are in one another.
fn depth_of(leaf: &Leaf) -> usize {
    leaf.of.as_ref().map_or(0, |l| 1 + l.inner.iter().map(depth_of).max().unwrap_or(0))
}
