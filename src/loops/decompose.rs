//! Initializations of reductions that stand among other statements: what loops do in the first iterations of a reduction only
//! goes in front of them, with the loops around it that are no reduction. TVM's schedules do so with `decompose_reduction`,
//! before loops are split and unrolled.
//!
//! This changes the order of stores, so it is refuted that anything which ran before a store meets the element that it writes
//! ([`instances`](crate::analysis::instances)). What goes in front reads no memory.

use hashbrown::HashSet;

use super::bounds::{conjunction, conjuncts};
use super::copy::{copy, defined, hollow, mentions};
use super::init::at_first;
use super::place::{Path, Place, is_plain, replace, take_loop};
use crate::analysis::accesses::{Accesses, Kind};
use crate::analysis::instances::Asker;
use crate::analysis::side_effects::reads_or_has_side_effects;
use crate::ir::{Block, BufferId, Expr, For, PrimFunc, Stmt, StmtKind, VarId};

/// The most initializations of a loop, and the most accesses that they are compared with.
const MAX_INITS: usize = 32;
const MAX_ACCESSES: usize = 256;

/// An `if` in a loop that holds in the first iterations of a reduction only.
#[derive(Clone, Debug)]
struct Init {
    /// The number of the statement among those in the loop, in the order of [`Stmt::walk`].
    number: usize,
    /// The same statements with the loops around them, those of the reduction left out.
    alone: Block,
    /// The variables of the reduction with their first values.
    first: Vec<(VarId, Expr)>,
}

/// What goes in front of a loop.
#[derive(Clone, Debug)]
pub(super) struct Inits(Vec<Init>);

impl Inits {
    pub(super) fn are_several(&self) -> bool {
        self.0.len() > 1
    }
}

/// What the loop does in the first iterations of a reduction of which it is the outermost loop, and may do before all else.
pub(super) fn inits(place: &Place<'_>, outermost: &For) -> Option<Inits> {
    let mut finder = Finder { place: place.clone(), around: Vec::new(), number: 0, found: Vec::new() };
    finder.for_loop(outermost);
    let mut inits = finder.found;
    // What the loop binds or declares does not exist in front of it.
    let (bound, declared) = (defined(&outermost.body), declared(&outermost.body));
    inits.retain(|init| {
        let has_value =
            |var: VarId| !bound.contains(&var) || init.first.iter().any(|(known, _)| *known == var);
        let own = defined(&init.alone);
        let mut closed = true;
        let mut look = |stmt: &Stmt| {
            stmt.for_each_expr(|e| closed &= !e.mentions(|var| !has_value(var) && !own.contains(&var)));
            closed &= !matches!(&stmt.kind, StmtKind::Store { buffer, .. } if declared.contains(buffer));
        };
        init.alone.iter().for_each(|stmt| stmt.walk(&mut look));
        closed
    });
    if inits.is_empty() || inits.len() > MAX_INITS {
        return None;
    }
    let number = number_of(&place.func.body, outermost.var)?;
    let accesses = Accesses::new(place.func)?;
    let asker = Asker::new(&accesses, Asker::budget(&accesses));
    let span = accesses.spans[number];
    if span.1 - span.0 > MAX_ACCESSES {
        return None;
    }
    inits.retain(|init| {
        let own = accesses.spans[number + init.number];
        (own.0..own.1).all(|store| goes_first(&asker, store, span, own, outermost.var))
    });
    (!inits.is_empty()).then_some(Inits(inits))
}

/// The loop behind what goes in front of it.
pub(super) fn split_off(func: &mut PrimFunc, outermost: For, inits: Inits) -> Block {
    let mut made = Block::new();
    let numbers: Vec<usize> = inits.0.iter().map(|init| init.number).collect();
    for Init { alone, first, .. } in inits.0 {
        made.append(&mut copy(func, &alone, &first));
    }
    let mut rest = vec![Stmt::new(StmtKind::For(Box::new(outermost)))];
    remove(&mut rest, &mut 0, &numbers);
    made.append(&mut rest);
    made
}

/// What a function is on the way from what it was to what [`split_off`] makes of it, first to last: initializations are taken to the
/// front of their blocks, and from there out of the loops around them, the innermost first. Each of these does what the one before
/// it does, and that is plainer than for all of the way.
pub(super) fn on_the_way(func: &PrimFunc, path: &Path, inits: &Inits) -> Vec<PrimFunc> {
    let of_init = |init: &Init| (init.number, init.first.iter().map(|(var, _)| *var).collect());
    let known = inits.0.iter().map(of_init).collect();
    let mut raiser = Raiser { inits: known, from: usize::MAX, most: 0, depths: Vec::new() };
    let mut raised = |from, most| {
        (raiser.from, raiser.most) = (from, most);
        let mut made = func.clone();
        let mut l = take_loop(&mut made.body, path)?;
        raiser.for_loop(&mut made, &mut l, &mut 0, 0);
        replace(&mut made.body, path, vec![Stmt::new(StmtKind::For(Box::new(l)))]);
        Some((made, raiser.depths.clone()))
    };
    // Out of all loops, to see what these are.
    let Some((_, depths)) = raised(0, usize::MAX) else { return Vec::new() };
    let mut wanted = vec![(usize::MAX, 0)];
    for depth in (1..depths.len()).rev() {
        if depths[depth] == Depth::Kept {
            // One after the other, since each has loops of its own.
            wanted.extend((1..=inits.0.len()).map(|most| (depth, most)));
        } else if depths[depth - 1] == Depth::Kept {
            wanted.push((depth, usize::MAX));
        }
    }
    wanted.into_iter().filter_map(|(from, most)| Some(raised(from, most)?.0)).collect()
}

/// What the loops at some depth are for the initializations in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depth {
    /// Of their reductions, all of them.
    First,
    /// Some have them around themselves in front, too.
    Kept,
}

/// Takes initializations to the front of their blocks, and out of loops of some depth.
struct Raiser {
    /// The numbers of their statements, and the variables of their reductions.
    inits: Vec<(usize, HashSet<VarId>)>,
    /// The least depth of loops that they leave; of the loops of this depth only so many leave them.
    from: usize,
    most: usize,
    /// What loops of each depth are.
    depths: Vec<Depth>,
}

impl Raiser {
    /// Those of a loop at some depth, which are taken out of it with their places among all of them, or to the front of its body.
    fn for_loop(
        &mut self,
        func: &mut PrimFunc,
        l: &mut For,
        number: &mut usize,
        depth: usize,
    ) -> Vec<(usize, Stmt)> {
        *number += 1;
        let inside = self.block(func, &mut l.body, number, depth + 1);
        if inside.is_empty() {
            return inside;
        }
        if self.depths.len() <= depth {
            self.depths.resize(depth + 1, Depth::First);
        }
        let (mut out, mut stay) = (Vec::new(), Vec::new());
        for (init, stmt) in inside {
            let is_first = self.inits[init].1.contains(&l.var);
            if !is_first {
                self.depths[depth] = Depth::Kept;
            }
            if depth < self.from || depth == self.from && init >= self.most {
                stay.push(stmt);
            } else if is_first {
                let first = copy(func, &vec![stmt], &[(l.var, l.min.clone())]);
                let runs = Expr::int(0, l.extent.dtype).lt(l.extent.clone());
                out.push((init, Stmt::guarded(runs, first)));
            } else {
                let alone = For { body: vec![stmt], ..hollow(l) };
                let made = copy(func, &vec![Stmt::new(StmtKind::For(Box::new(alone)))], &[]);
                out.extend(made.into_iter().map(|stmt| (init, stmt)));
            }
        }
        l.body.splice(0..0, stay);
        out
    }

    fn block(
        &mut self,
        func: &mut PrimFunc,
        block: &mut Block,
        number: &mut usize,
        depth: usize,
    ) -> Vec<(usize, Stmt)> {
        let mut out = Vec::new();
        for mut stmt in std::mem::take(block) {
            if let Some(init) = self.inits.iter().position(|(own, _)| own == number) {
                stmt.walk(&mut |_| *number += 1);
                out.push((init, stmt));
                continue;
            }
            match &mut stmt.kind {
                StmtKind::For(l) => out.extend(self.for_loop(func, l, number, depth)),
                StmtKind::If { cond, then, otherwise } if otherwise.is_empty() => {
                    *number += 1;
                    let inside = self.block(func, then, number, depth);
                    out.extend(
                        inside
                            .into_iter()
                            .map(|(init, stmt)| (init, Stmt::guarded(cond.clone(), vec![stmt]))),
                    );
                }
                _ => stmt.walk(&mut |_| *number += 1),
            }
            block.push(stmt);
        }
        out
    }
}

/// Removes the statements with some numbers.
fn remove(block: &mut Block, number: &mut usize, which: &[usize]) {
    block.retain_mut(|stmt| {
        let own = *number;
        *number += 1;
        stmt.for_each_block_mut(|inner| remove(inner, number, which));
        !which.contains(&own)
    });
}

/// The buffers that a block declares.
fn declared(block: &Block) -> HashSet<BufferId> {
    let mut found = HashSet::new();
    for stmt in block {
        stmt.walk(&mut |stmt| {
            if let StmtKind::Alloc { buffer, .. } | StmtKind::Decl { buffer } = stmt.kind {
                found.insert(buffer);
            }
        });
    }
    found
}

/// The number of the loop of a variable.
fn number_of(block: &Block, var: VarId) -> Option<usize> {
    let (mut number, mut found) = (0, None);
    for stmt in block {
        stmt.walk(&mut |stmt| {
            if matches!(&stmt.kind, StmtKind::For(l) if l.var == var) {
                found = Some(number);
            }
            number += 1;
        });
    }
    found
}

/// Whether an access is a store that no access in the loop of a variable which happens before it meets, in one iteration of
/// the loops around that. `span` are the accesses of the loop, `own` those of the initialization, whose order stays.
fn goes_first(
    asker: &Asker<'_>,
    store: usize,
    span: (usize, usize),
    own: (usize, usize),
    var: VarId,
) -> bool {
    let accesses = asker.accesses;
    let a = &accesses.list[store];
    if !matches!(a.kind, Kind::Store(_)) {
        return false;
    }
    let Some(depth) = a.loops.iter().position(|&l| accesses.loops[l].domain.var == var) else {
        return false;
    };
    let stored = asker.itself(a);
    (span.0..span.1).filter(|at| !(own.0..own.1).contains(at)).all(|at| {
        let b = &accesses.list[at];
        if !accesses.may_share(a.buffer, b.buffer) || asker.apart((&a.indices, a.buffer), b) {
            return true;
        }
        let other = asker.some(b);
        let mut all = asker.meets((&a.indices, a.buffer), &other, b);
        all.extend(asker.same_iteration(&stored, &other, depth));
        all.push((asker.before(&other, &stored, false), true));
        all.extend(stored.conditions.iter().cloned());
        all.extend(other.conditions);
        asker.refutes(&all)
    })
}

/// A statement around the one that is looked at.
#[derive(Clone)]
enum Around {
    Loop {
        l: For,
        /// Whether it is shown to run.
        runs: bool,
    },
    If(Expr),
}

struct Finder<'a> {
    place: Place<'a>,
    around: Vec<Around>,
    number: usize,
    found: Vec<Init>,
}

impl Finder<'_> {
    fn for_loop(&mut self, l: &For) {
        if !is_plain(self.place.func, l) || l.min.reads_memory() || l.extent.reads_memory() {
            self.skip(&l.body);
            return;
        }
        let runs = self.place.at_least(&l.extent, 1);
        self.around.push(Around::Loop { l: hollow(l), runs });
        let facts = self.place.known.facts.len();
        self.place.iterate(l.var, &l.min, &l.extent);
        self.number += 1;
        self.block(&l.body);
        self.place.known.facts.truncate(facts);
        self.around.pop();
    }

    /// Passes a statement with all that is in it.
    fn skip(&mut self, block: &Block) {
        self.number += 1;
        block.iter().for_each(|stmt| stmt.walk(&mut |_| self.number += 1));
    }

    fn block(&mut self, block: &Block) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::For(l) => self.for_loop(l),
                StmtKind::If { cond, then, otherwise }
                    if otherwise.is_empty() && !reads_or_has_side_effects(cond) =>
                {
                    if let Some(init) = self.init(cond, then) {
                        self.found.push(init);
                        self.skip(then);
                        continue;
                    }
                    self.number += 1;
                    self.around.push(Around::If(cond.clone()));
                    let facts = self.place.known.facts.len();
                    self.place.assume(cond, true);
                    self.block(then);
                    self.place.known.facts.truncate(facts);
                    self.around.pop();
                }
                _ => {
                    stmt.walk(&mut |_| self.number += 1);
                }
            }
        }
    }

    /// What an `if` guards, if its condition holds only in the first iterations of loops of which one is the outermost.
    fn init(&self, cond: &Expr, then: &Block) -> Option<Init> {
        let mut first: Vec<(VarId, Expr)> = Vec::new();
        let mut left = Vec::new();
        for part in conjuncts(cond) {
            let loops = self.around.iter().filter_map(|around| match around {
                Around::Loop { l, .. } => Some(l),
                Around::If(_) => None,
            });
            let said = at_first(&part, loops.clone().map(|l| (l.var, &l.min)));
            if said.is_empty() {
                left.push(part);
            }
            let is_new = |l: &&For| said.contains(&l.var) && first.iter().all(|(var, _)| *var != l.var);
            let new: Vec<_> = loops.filter(is_new).map(|l| (l.var, l.min.clone())).collect();
            first.extend(new);
        }
        let is_first = |var: VarId| first.iter().any(|(known, _)| *known == var);
        let Some(Around::Loop { l: outermost, .. }) = self.around.first() else { return None };
        if !is_first(outermost.var) || !is_pure(then) {
            return None;
        }
        // A first value in terms of the loops around it would have to be worked out.
        let varies = |e: &Expr| {
            self.around.iter().any(|around| matches!(around, Around::Loop { l, .. } if mentions(e, l.var)))
        };
        if first.iter().any(|(_, min)| varies(min)) {
            return None;
        }
        let mut inside = then.clone();
        if let Some(cond) = conjunction(left) {
            inside = vec![Stmt::guarded(cond, inside)];
        }
        for around in self.around.iter().rev() {
            inside = vec![match around {
                Around::Loop { l, runs } if is_first(l.var) => {
                    if *runs {
                        continue;
                    }
                    Stmt::guarded(Expr::int(0, l.extent.dtype).lt(l.extent.clone()), inside)
                }
                Around::Loop { l, .. } => {
                    let mut l = l.clone();
                    l.body = inside;
                    Stmt::new(StmtKind::For(Box::new(l)))
                }
                Around::If(cond) => Stmt::guarded(cond.clone(), inside),
            }];
        }
        Some(Init { number: self.number, alone: inside, first })
    }
}

/// Whether statements do nothing but store what they compute without memory.
fn is_pure(block: &Block) -> bool {
    block.iter().all(|stmt| {
        let mut pure = matches!(stmt.kind, StmtKind::Store { .. } | StmtKind::For(_) | StmtKind::If { .. });
        stmt.for_each_expr(|e| pure &= !reads_or_has_side_effects(e));
        stmt.for_each_block(|inner| pure = pure && is_pure(inner));
        pure
    })
}
