//! Which leaves of two blocks belong together, before anything is run: what can be seen of each, how loops of the first block may
//! be pieces of the second one, and what numbers seem to be. These are guesses, and nothing rests on them: what they lead to is
//! owed.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::discharge;
use super::place::conditions;
use super::range::Range;
use super::sample::Sample;
use super::steps::{self, Glimpse, Guess, Pair, Piece, Placed, Step, is_plain, leaves_of};
use super::term::{Term, Terms};
use super::trace::{Trace, Traced};
use super::value::Side;
use super::walk::{Cursor, Unaligned, Walk};
use crate::ir::{Block, Expr, For, Stmt, StmtKind, VarId};

/// For how many values it is tried whether something seems to be 0.
const SAMPLES: u64 = 6;

/// Leaves of a block, and what is known of them.
type Leaves<'w, 'a> = (&'w Cursor<'a>, &'w [&'a Stmt], &'w [Glimpse]);

/// Pieces that a loop was seen to have for some values.
struct Found {
    pieces: Vec<Piece>,
    /// How many leaves they are, and in how many of them nothing is seen to happen.
    rank: (usize, Reverse<usize>),
    /// How many of the leaves are no loops that could be one iteration as well, for all values together.
    clear: usize,
}

/// Those are best that say most of the leaves, in which most of them do something, and which are seen most clearly.
fn best(all: &[Found]) -> Option<&Found> {
    all.iter().rev().max_by_key(|found| (found.rank, found.clear))
}

/// Whether these are loops in one another, and no more.
fn is_nest(pieces: &[Piece]) -> bool {
    match pieces {
        [Piece::Nest(inner)] => is_nest(inner) || matches!(inner[..], [Piece::Loop]),
        _ => false,
    }
}

impl<'a> Walk<'a> {
    /// Which leaves of two blocks belong together.
    pub(super) fn pairs(
        &mut self,
        first: &Cursor<'a>,
        left: &[&'a Stmt],
        second: &Cursor<'a>,
        right: &[&'a Stmt],
    ) -> Result<steps::Pairs, Unaligned> {
        let alike = steps::alike(&self.machine.buffers, left, right);
        if alike && !left.iter().any(|stmt| matches!(stmt.kind, StmtKind::For(_))) {
            return Ok(vec![Pair::Both; left.len()]);
        }
        let (p, q) = (self.glimpses(Side::First, first), self.glimpses(Side::Second, second));
        let (p, q) = (&p[..left.len()], &q[..right.len()]);
        if alike && p.iter().zip(q).all(|(p, q)| p.length == q.length) {
            return Ok(vec![Pair::Both; left.len()]);
        }
        let guess = self.guess((first, left, p), (second, right, q));
        let pairs = steps::align(&self.machine.buffers, &guess, (left, p), (right, q));
        pairs.ok_or_else(|| self.unaligned("blocks with too many statements in another order"))
    }

    /// Opens the loops of a block that have one iteration, whatever their lengths are written like.
    pub(super) fn open_single(&mut self, side: Side, cursor: &mut Cursor<'a>) {
        let single = |placed: &Placed<'a>| match placed.step {
            Step::Leaf(Stmt { kind: StmtKind::For(l), .. }) if steps::may_be_single(l) => Some(&**l),
            _ => None,
        };
        if !cursor.steps.iter().any(|placed| single(placed).is_some_and(|l| l.extent.as_int().is_none())) {
            return;
        }
        let mut left = std::mem::take(&mut cursor.steps);
        left.reverse();
        self.looking_ahead(side, |walk| {
            while let Some(mut placed) = left.pop() {
                if let Step::Bind(var, value) = placed.step {
                    walk.glimpse(side, var, value);
                } else if let Some(l) = single(&placed)
                    && let Ok(extent) = walk.machine.value(side, &l.extent)
                    && walk.machine.terms.as_int(extent) == Some(1)
                {
                    walk.glimpse(side, l.var, &l.min);
                    placed.step = Step::Single(l);
                    let mut inner = Vec::new();
                    steps::flatten(&l.body, &mut inner);
                    left.extend(inner.into_iter().rev());
                }
                cursor.steps.push(placed);
            }
        });
    }

    /// A variable gets a value, if that is known.
    fn glimpse(&mut self, side: Side, var: VarId, value: &Expr) {
        if let Ok(value) = self.machine.value(side, value) {
            self.machine.program(side).vars.insert(var, value);
        }
    }

    /// What is known of the leaves of a block before they are run. Memory may have changed until then, so that it is only a
    /// guess.
    fn glimpses(&mut self, side: Side, cursor: &Cursor<'a>) -> Vec<Glimpse> {
        let known = conditions(&self.machine.book.here, true);
        let mut guards: Vec<Option<Term>> = cursor.guards.iter().map(|&guard| Some(guard)).collect();
        let mut found = Vec::new();
        self.looking_ahead(side, |walk| {
            for placed in &cursor.steps {
                match placed.step {
                    Step::Bind(var, value) => walk.glimpse(side, var, value),
                    Step::Single(l) => walk.glimpse(side, l.var, &l.min),
                    Step::If(cond) => guards.push(walk.machine.value(side, cond).ok()),
                    Step::Else => {
                        let cond = guards.pop().flatten();
                        guards.push(cond.map(|cond| walk.machine.terms.not(cond)));
                    }
                    Step::End => drop(guards.pop()),
                    Step::Eval(_) | Step::Alloc(_) | Step::Assume(_) => {}
                    Step::Leaf(stmt) => {
                        let all: Option<Vec<Term>> = guards.iter().copied().collect();
                        let guard = all.map(|all| walk.machine.terms.and(&all));
                        found.push(walk.glimpse_of(side, stmt, guard, &known));
                    }
                }
            }
        });
        found
    }

    /// What is known of a leaf that runs under a condition, if that is known.
    fn glimpse_of(&mut self, side: Side, stmt: &'a Stmt, guard: Option<Term>, known: &[Term]) -> Glimpse {
        let never = guard.is_some_and(|guard| {
            let not = self.machine.terms.not(guard);
            discharge::implied(&mut self.machine.terms, known, not)
        });
        let mut glimpse = Glimpse { guard, never, ..Glimpse::default() };
        if let StmtKind::Store { buffer, indices, value } = &stmt.kind {
            let place = self.machine.index(side, *buffer, indices).ok();
            glimpse.idle = self.stores_what_is_there(side, stmt);
            glimpse.value = self.machine.value(side, value).ok();
            glimpse.index = place.map(|(_, index)| index);
        }
        if let StmtKind::For(l) = &stmt.kind
            && is_plain(l)
        {
            glimpse.length = self.machine.described(side, &l.extent).ok();
            glimpse.body_work = self.work_of_block(side, &l.body);
            glimpse.depth = steps::depth(stmt);
            if side == Side::First {
                glimpse.idle = self.stores_what_is_there(side, stmt);
                glimpse.acts = self.acts(side, l);
            }
        }
        glimpse.work = self.work(side, stmt);
        glimpse
    }

    /// How the loops of a block may be pieces of another one, and what its leaves do. It is a guess, first by what both programs
    /// store for some values of the variables.
    fn guess(&mut self, first: Leaves<'_, 'a>, second: Leaves<'_, 'a>) -> Guess {
        /// Most pairs of leaves where loops in pieces are looked for, and most leaves that are pieces of one.
        const MAX_CUT: usize = 10_000;
        const MAX_PIECES: usize = 32;
        let (n, m) = (first.1.len(), second.1.len());
        let mut guess = Guess::default();
        if n * m > MAX_CUT {
            return guess;
        }
        guess.exclusive = [self.exclusive(first.2), self.exclusive(second.2)];
        self.guess_by_traces(first, second, &mut guess);
        let traced: BTreeSet<usize> = guess.cuts.keys().map(|&(i, _)| i).collect();
        let known = conditions(&self.machine.book.here, true);
        for i in (0..n).filter(|i| first.2[*i].body_work.is_some() && !traced.contains(i)) {
            for j in 0..m {
                let leaves = &second.2[j..m.min(j + MAX_PIECES)];
                if let Some(pieces) = self.machine.terms.pieces(&first.2[i], leaves, &known) {
                    guess.cuts.insert((i, j), pieces);
                }
            }
        }
        guess
    }

    /// How many leaves, from each of them on, run under conditions of which no two hold, as far as that is seen at once.
    fn exclusive(&mut self, leaves: &[Glimpse]) -> Vec<usize> {
        let mut found = Vec::new();
        for at in 0..leaves.len() {
            let mut guards: Vec<Term> = Vec::new();
            for leaf in &leaves[at..] {
                let Some(guard) = leaf.guard else { break };
                let mut never = |&before: &Term| {
                    let both = self.machine.terms.and(&[before, guard]);
                    self.machine.terms.as_truth(both) == Some(false)
                };
                if !guards.iter().all(&mut never) {
                    break;
                }
                guards.push(guard);
            }
            found.push(guards.len());
        }
        found
    }

    fn guess_by_traces(&self, first: Leaves<'_, 'a>, second: Leaves<'_, 'a>, guess: &mut Guess) {
        /// How many values are tried. For some of them there are iterations everywhere.
        const TRIED: u64 = 12;
        const ENOUGH: u64 = 8;
        // The loops that may be in pieces, each with the memories that it changes.
        let loops = first.1.iter().enumerate().filter_map(|(i, stmt)| {
            let StmtKind::For(l) = &stmt.kind else { return None };
            let mut written = BTreeSet::new();
            let is_known =
                is_plain(l) && !steps::written(&self.machine.buffers, Side::First, &l.body, &mut written);
            is_known.then_some((i, &**l, written))
        });
        let loops: Vec<(usize, &'a For, BTreeSet<usize>)> = loops.collect();
        let mut found: HashMap<(usize, usize), Vec<Found>> = HashMap::new();
        let mut left: BTreeSet<(usize, usize)> = BTreeSet::new();
        guess.seen = [vec![Vec::new(); first.1.len()], vec![Vec::new(); second.1.len()]];
        for number in 0..TRIED {
            if number >= ENOUGH && found.values().all(|all| best(all).is_none_or(|best| best.rank.1.0 == 0)) {
                break;
            }
            let here = &self.machine.book.here;
            let Some(sample) = Sample::of(&self.machine.terms, here, number) else { continue };
            let mut trace = Trace::new(&self.machine, sample);
            let reached =
                [trace.leaves(Side::First, &first.0.steps), trace.leaves(Side::Second, &second.0.steps)];
            for side in [Side::First, Side::Second] {
                for (seen, &leaf) in guess.seen[side as usize].iter_mut().zip(&reached[side as usize]) {
                    seen.push(trace.seen(side, leaf));
                }
            }
            let leaves = &reached[1][..second.1.len()];
            for (i, l, written) in &loops {
                for j in 0..leaves.len() {
                    let Some(Traced { pieces, empty, vague }) = trace.pieces(l, &leaves[j..], written) else {
                        continue;
                    };
                    let (at, rank) = ((*i, j), (leaves_of(&pieces), Reverse(empty)));
                    if pieces.last() == Some(&Piece::Rest) {
                        left.insert(at);
                    }
                    let clear = leaves_of(&pieces).saturating_sub(vague);
                    let all = found.entry(at).or_default();
                    match all.iter_mut().find(|known| known.pieces == pieces) {
                        Some(known) => {
                            known.rank = known.rank.max(rank);
                            known.clear += clear;
                        }
                        None => all.push(Found { pieces, rank, clear }),
                    }
                }
            }
        }
        for (at, all) in found {
            // A nest of loops is laid beside a loop without a guess.
            if let Some(best) = best(&all).filter(|best| !is_nest(&best.pieces)) {
                guess.cuts.insert(at, best.pieces.clone());
            }
        }
        // Where iterations were seen to be left for some values, there are such.
        for at in left {
            if let Some(pieces) = guess.cuts.get_mut(&at)
                && pieces.last() != Some(&Piece::Rest)
            {
                pieces.push(Piece::Rest);
            }
        }
    }

    /// How many stores and calls a statement executes. It is a guess, by which pieces are found.
    fn work(&mut self, side: Side, stmt: &'a Stmt) -> Option<Term> {
        Some(match &stmt.kind {
            StmtKind::For(l) => {
                let body = self.work_of_block(side, &l.body)?;
                let extent = self.machine.described(side, &l.extent).ok()?;
                self.machine.terms.mul(body, extent)
            }
            StmtKind::If { then, otherwise, .. } => {
                let (then, otherwise) =
                    (self.work_of_block(side, then)?, self.work_of_block(side, otherwise)?);
                self.machine.terms.add(then, otherwise)
            }
            StmtKind::Store { .. } | StmtKind::Evaluate(_) => self.machine.terms.int(1),
            StmtKind::Bind { var, value } => {
                if let Ok(value) = self.machine.described(side, value) {
                    self.machine.program(side).vars.insert(*var, value);
                }
                self.machine.terms.int(0)
            }
            _ => return None,
        })
    }

    fn work_of_block(&mut self, side: Side, block: &'a Block) -> Option<Term> {
        let mut sum = self.machine.terms.int(0);
        for stmt in block {
            let work = self.work(side, stmt)?;
            sum = self.machine.terms.add(sum, work);
        }
        Some(sum)
    }

    /// A variable in place of a loop's, its first value, and the condition under which an iteration does something, if it may be
    /// one under which not all do.
    fn acts(&mut self, side: Side, l: &'a For) -> Option<(Term, Term, Term)> {
        let min = self.machine.described(side, &l.min).ok()?;
        let var = self.machine.terms.new_atom("iteration", l.min.dtype, Range::ALL);
        self.machine.program(side).vars.insert(l.var, var);
        let acts = self.block_acts(side, &l.body)?;
        self.machine.terms.mentions(acts, &|part| part == var).then_some((var, min, acts))
    }

    fn block_acts(&mut self, side: Side, block: &'a Block) -> Option<Term> {
        let mut ways = Vec::new();
        for stmt in block {
            match &stmt.kind {
                StmtKind::Bind { var, value } => {
                    let value = self.machine.described(side, value).ok()?;
                    self.machine.program(side).vars.insert(*var, value);
                }
                StmtKind::If { cond, then, otherwise } => {
                    let cond = self.machine.described(side, cond).ok()?;
                    let not = self.machine.terms.not(cond);
                    for (cond, block) in [(cond, then), (not, otherwise)] {
                        let acts = self.block_acts(side, block)?;
                        ways.push(self.machine.terms.and(&[cond, acts]));
                    }
                }
                StmtKind::For(l) => {
                    let var = self.machine.terms.new_atom("iteration", l.min.dtype, Range::ALL);
                    self.machine.program(side).vars.insert(l.var, var);
                    let acts = self.block_acts(side, &l.body)?;
                    if self.machine.terms.mentions(acts, &|part| part == var) {
                        return None;
                    }
                    ways.push(acts);
                }
                StmtKind::Store { .. } => return Some(self.machine.terms.truth(true)),
                _ => return None,
            }
        }
        Some(self.machine.terms.or(&ways))
    }

    /// Whether a statement seems to store nothing but what is there already.
    fn stores_what_is_there(&mut self, side: Side, stmt: &'a Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Store { buffer, indices, value } => {
                let Ok((root, index)) = self.machine.index(side, *buffer, indices) else { return false };
                let memory = self.machine.memory(root);
                let there = self.machine.terms.load(memory, value.dtype, &index);
                let value = self.machine.value(side, value);
                !self.machine.volatile.contains(&root) && value.is_ok_and(|value| value == there)
            }
            StmtKind::Bind { var, value } => {
                let value = self.machine.described(side, value);
                value.map(|value| self.machine.program(side).vars.insert(*var, value)).is_ok()
            }
            StmtKind::If { then, otherwise, .. } => {
                then.iter().chain(otherwise).all(|stmt| self.stores_what_is_there(side, stmt))
            }
            StmtKind::For(l) => {
                let var = self.machine.terms.new_atom("iteration", l.min.dtype, Range::ALL);
                self.machine.program(side).vars.insert(l.var, var);
                l.body.iter().all(|stmt| self.stores_what_is_there(side, stmt))
            }
            _ => false,
        }
    }

    /// A number without minima and maxima, if it seems to be such a one where a condition holds, and what has to be equal for
    /// that.
    pub(super) fn plainer(&mut self, number: Term, holds: Term) -> (Term, Vec<(Term, Term)>) {
        let terms = &self.machine.terms;
        if !terms.has_extremum(number) {
            return (number, Vec::new());
        }
        let samples: Vec<Sample> = (0..SAMPLES)
            .filter_map(|number| Sample::of(terms, &self.machine.book.here, number))
            .filter(|sample| sample.value(terms, holds) == Some(1))
            .collect();
        let zero = |terms: &Terms, term: Term| {
            !samples.is_empty() && samples.iter().all(|sample| sample.value(terms, term) == Some(0))
        };
        self.machine.terms.plainer(number, &zero)
    }

    /// Whether a term is 0 for some values.
    pub(super) fn seems_zero(&self, term: Term) -> bool {
        let terms = &self.machine.terms;
        let mut values = (0..SAMPLES)
            .filter_map(|number| Sample::of(terms, &self.machine.book.here, number)?.value(terms, term))
            .peekable();
        values.peek().is_some() && values.all(|value| value == 0)
    }
}

impl Terms {
    /// How the first of these leaves are the pieces of a loop, if they look like that. It is a guess.
    fn pieces(&mut self, a: &Glimpse, leaves: &[Glimpse], known: &[Term]) -> Option<Vec<Piece>> {
        let body = a.body_work?;
        if let Some(pieces) = self.pieces_of_work(a, body, leaves) {
            return Some(pieces);
        }
        let usual = usize::MAX;
        if let Some(pieces) = self.pieces_of_iterations(a, leaves, usual, |leaf| leaf.body_work == Some(body))
        {
            return Some(pieces);
        }
        // Iterations may do less in some pieces than in others, and pieces may be cut further.
        let mut depths: Vec<usize> =
            leaves.iter().map(|leaf| leaf.depth).filter(|&depth| depth > 0).collect();
        depths.sort_unstable();
        depths.dedup();
        // Some of those that are written out may stand one behind the other.
        for &depth in [usual].iter().chain(depths.iter().rev()) {
            for last in [usual, a.depth - 1] {
                if let Some(pieces) = self.pieces_of_iterations(a, leaves, last, |leaf| leaf.depth >= depth) {
                    return Some(pieces);
                }
            }
        }
        self.pieces_and_rest(a, body, leaves, known)
    }

    /// By the work that they do, which is that of the loop: pieces end where iterations do.
    fn pieces_of_work(&mut self, a: &Glimpse, body: Term, leaves: &[Glimpse]) -> Option<Vec<Piece>> {
        let zero = self.int(0);
        let (mut found, mut begun, mut total) = (Vec::new(), (0, zero), zero);
        for (at, leaf) in leaves.iter().enumerate() {
            let work = leaf.work?;
            total = self.add(total, work);
            if begun.0 == 0 && leaf.body_work == Some(body) {
                found.push(Piece::Loop);
            } else {
                begun = (begun.0 + 1, self.add(begun.1, work));
                if begun.1 == body {
                    found.push(Piece::Once(begun.0));
                    begun = (0, zero);
                }
            }
            if at > 0 && begun.0 == 0 && a.work == Some(total) {
                return Some(found);
            }
        }
        None
    }

    /// By the number of iterations, where all leaves between loops are one of them, or each of them ends with a nest of so many
    /// loops.
    fn pieces_of_iterations(
        &mut self,
        a: &Glimpse,
        leaves: &[Glimpse],
        last: usize,
        is_loop: impl Fn(&Glimpse) -> bool,
    ) -> Option<Vec<Piece>> {
        let (mut found, mut length, mut best) = (Vec::new(), self.int(0), None);
        let mut ended = false;
        for leaf in leaves {
            let goes_on = !std::mem::replace(&mut ended, last > 0 && leaf.depth == last);
            if is_loop(leaf)
                && let Some(iterations) = leaf.length
            {
                length = self.add(length, iterations);
                found.push(Piece::Loop);
            } else if let (true, Some(Piece::Once(leaves))) = (goes_on, found.last_mut()) {
                *leaves += 1;
            } else {
                let one = self.int(1);
                length = self.add(length, one);
                found.push(Piece::Once(1));
            }
            if found.len() > 1 && a.length == Some(length) {
                best = Some(found.clone());
            }
        }
        best
    }

    /// By the work that they do, where the loop does nothing after them.
    fn pieces_and_rest(
        &mut self,
        a: &Glimpse,
        body: Term,
        leaves: &[Glimpse],
        known: &[Term],
    ) -> Option<Vec<Piece>> {
        let (var, min, acts) = a.acts?;
        let zero = self.int(0);
        let (mut found, mut begun, mut length) = (Vec::new(), (0, zero), zero);
        for leaf in leaves {
            let iterations = if begun.0 == 0 && leaf.body_work == Some(body) {
                found.push(Piece::Loop);
                leaf.length?
            } else {
                begun = (begun.0 + 1, self.add(begun.1, leaf.work?));
                if begun.1 != body {
                    continue;
                }
                found.push(Piece::Once(begun.0));
                begun = (0, zero);
                self.int(1)
            };
            length = self.add(length, iterations);
            let next = self.add(min, length);
            let acts = self.replace(acts, var, next);
            let never = self.not(acts);
            if a.length != Some(length) && discharge::implied(self, known, never) {
                found.push(Piece::Rest);
                return Some(found);
            }
        }
        None
    }
}
