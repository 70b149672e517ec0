//! A loop of the first program that is several statements of the second one, one behind the other: its iterations are cut into
//! pieces, each of which is a loop, or one iteration with what it does written out. Iterations keep their order, so all that is
//! owed is that the pieces are the whole, and that each does the same.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::discharge;
use super::place::conditions;
use super::range::Range;
use super::sample::Sample;
use super::steps::{self, Glimpse, Guess, Piece, Step, is_plain, leaves_of};
use super::term::{Term, Terms};
use super::trace::Trace;
use super::value::Side;
use super::walk::{Cursor, Done, Unaligned, Walk};
use crate::ir::{Block, For, Stmt, StmtKind};

/// For how many values it is tried whether something seems to be 0.
const SAMPLES: u64 = 6;

impl Terms {
    /// How the first of these leaves are the pieces of a loop, if they look like that. It is a guess.
    pub(super) fn pieces(&mut self, a: &Glimpse, leaves: &[Glimpse], known: &[Term]) -> Option<Vec<Piece>> {
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

/// What pieces are of a loop.
struct Covered {
    /// How many iterations they are so far.
    done: Term,
    /// Lengths of which none may be negative.
    sizes: Vec<Term>,
    /// Lengths of loops that have no iteration if all of these are 0 or less.
    empty: Vec<Term>,
    /// Numbers of iterations, each in two ways.
    stated: Vec<(Term, Term)>,
}

/// Where loops began that may go on.
struct Line {
    /// How many iterations had been.
    done: Term,
    /// Their first value.
    from: Term,
    /// How many iterations each of theirs is.
    each: Term,
}

impl Covered {
    fn from(done: Term) -> Covered {
        Covered { done, sizes: Vec::new(), empty: Vec::new(), stated: Vec::new() }
    }

    fn add(&mut self, terms: &mut Terms, length: Term, size: Term) {
        self.done = terms.add(self.done, length);
        self.sizes.push(size);
        self.empty.push(size);
    }

    /// Whether what was stated holds, and no length is negative.
    fn holds(&self, terms: &mut Terms) -> Term {
        let zero = terms.int(0);
        let mut all: Vec<Term> = self.sizes.iter().map(|&size| terms.at_most(zero, size)).collect();
        all.extend(self.stated.iter().map(|&(done, begin)| terms.equal(done, begin)));
        terms.and(&all)
    }

    /// Whether they have no iteration.
    fn is_empty(&self, terms: &mut Terms) -> Term {
        let zero = terms.int(0);
        let all: Vec<Term> = self.empty.iter().map(|&size| terms.at_most(size, zero)).collect();
        terms.and(&all)
    }
}

/// Leaves of a block, and what is known of them.
type Leaves<'w, 'a> = (&'w Cursor<'a>, &'w [&'a Stmt], &'w [Glimpse]);

impl<'a> Walk<'a> {
    /// How the loops of a block may be pieces of another one, and what its leaves do. It is a guess, first by what both programs
    /// store for some values of the variables.
    pub(super) fn guess(&mut self, first: Leaves<'_, 'a>, second: Leaves<'_, 'a>) -> Guess {
        /// Most pairs of leaves where loops in pieces are looked for, and most leaves that are pieces of one.
        const MAX_CUT: usize = 10_000;
        const MAX_PIECES: usize = 32;
        let (n, m) = (first.1.len(), second.1.len());
        let mut guess = Guess::default();
        if n * m > MAX_CUT {
            return guess;
        }
        guess.exclusive = self.exclusive(second.2);
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
        let mut ranks: HashMap<(usize, usize), (usize, Reverse<usize>, bool)> = HashMap::new();
        guess.seen = [vec![Vec::new(); first.1.len()], vec![Vec::new(); second.1.len()]];
        for number in 0..TRIED {
            if number >= ENOUGH && ranks.values().all(|(_, empty, _)| empty.0 == 0) {
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
                    let Some((pieces, empty)) = trace.pieces(l, &leaves[j..], written) else { continue };
                    // Those are best that say most of the leaves, and in which most of them do something. Where iterations were
                    // seen to be left, there are such.
                    let is_left = pieces.last() == Some(&Piece::Rest);
                    let (at, rank) = ((*i, j), (leaves_of(&pieces), Reverse(empty), is_left));
                    if ranks.get(&at).is_none_or(|known| *known < rank) {
                        ranks.insert(at, rank);
                        guess.cuts.insert(at, pieces);
                    }
                }
            }
        }
    }

    /// How many stores and calls a statement executes. It is a guess, by which pieces are found.
    pub(super) fn work(&mut self, side: Side, stmt: &'a Stmt) -> Option<Term> {
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

    pub(super) fn work_of_block(&mut self, side: Side, block: &'a Block) -> Option<Term> {
        let mut sum = self.machine.terms.int(0);
        for stmt in block {
            let work = self.work(side, stmt)?;
            sum = self.machine.terms.add(sum, work);
        }
        Some(sum)
    }

    /// A variable in place of a loop's, its first value, and the condition under which an iteration does something, if it may be
    /// one under which not all do.
    pub(super) fn acts(&mut self, side: Side, l: &'a For) -> Option<(Term, Term, Term)> {
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
    pub(super) fn stores_what_is_there(&mut self, side: Side, stmt: &'a Stmt) -> bool {
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

    /// A loop of the first program, and the leaves of the second one that are its pieces.
    pub(super) fn cut(
        &mut self,
        a: &'a For,
        guards: &[Term],
        second: &mut Cursor<'a>,
        pieces: &[Piece],
    ) -> Done {
        if !is_plain(a) {
            return Err(self.unaligned("a loop in pieces that may be left"));
        }
        let (min, whole) = (self.value(Side::First, &a.min)?, self.value(Side::First, &a.extent)?);
        // That the pieces are the whole must not follow from what they show: there are such iterations only if it holds.
        let mark = self.machine.book.mark();
        let none_yet = self.machine.terms.int(0);
        let mut covered = Covered::from(none_yet);
        let pieces_of = match pieces {
            [before @ .., Piece::Rest] => before,
            all => all,
        };
        self.cover(a, min, guards, second, pieces_of, &mut covered)?;
        if pieces_of.len() < pieces.len() {
            let first = self.machine.terms.add(min, covered.done);
            let rest = self.machine.terms.sub(whole, covered.done);
            self.nothing_in_loop("an iteration that is left out does nothing", a, guards, (first, rest))?;
            covered.add(&mut self.machine.terms, rest, rest);
        }
        // They are the whole, or nothing.
        self.reach(&mut covered, whole);
        let terms = &mut self.machine.terms;
        let (all, none, zero) = (covered.holds(terms), covered.is_empty(terms), terms.int(0));
        let empty = terms.at_most(whole, zero);
        let none = terms.and(&[empty, none]);
        let same = terms.or(&[all, none]);
        let guard = terms.and(guards);
        let owed = terms.implies(guard, same);
        self.machine.book.rest_on(mark, "a loop has as many iterations", owed);
        Ok(())
    }

    /// Iterations of a loop of the first program, and the leaves of the second one that are its pieces, one behind the other.
    /// Adds how many iterations they are.
    fn cover(
        &mut self,
        a: &'a For,
        min: Term,
        guards: &[Term],
        second: &mut Cursor<'a>,
        pieces: &[Piece],
        covered: &mut Covered,
    ) -> Done {
        let mut line = None;
        for piece in pieces {
            let done = covered.done;
            match piece {
                Piece::Loop => {
                    let mut begin = done;
                    let length = self.piece(a, guards, second, |walk, b, from| {
                        let one = walk.machine.terms.int(1);
                        begin = walk.stated(&mut line, from, one, done);
                        let first = walk.machine.terms.add(min, begin);
                        walk.shift((a, b), from, first)?;
                        walk.blocks(&a.body, &b.body)
                    })?;
                    self.reach(covered, begin);
                    covered.add(&mut self.machine.terms, length, length);
                }
                Piece::Nest(inner) => {
                    let (mut each, mut begin) = (done, done);
                    let loops = self.piece(a, guards, second, |walk, b, from| {
                        each = walk.length_of(b, inner)?;
                        begin = walk.stated(&mut line, from, each, done);
                        let var = walk.variable_of(Side::Second, b)?;
                        let terms = &mut walk.machine.terms;
                        let since = terms.sub(var, from);
                        let before = terms.mul(since, each);
                        let begin = terms.add(begin, before);
                        walk.group(a, min, begin, each, b, inner)
                    })?;
                    self.reach(covered, begin);
                    covered.sizes.push(each);
                    let length = self.machine.terms.mul(loops, each);
                    covered.add(&mut self.machine.terms, length, loops);
                }
                Piece::Once(leaves) => {
                    let first = self.machine.terms.add(min, done);
                    self.machine.programs[0].vars.insert(a.var, first);
                    self.once(&a.body, guards, second, *leaves)?;
                    let one = self.machine.terms.int(1);
                    covered.add(&mut self.machine.terms, one, one);
                }
                Piece::Rest => return Err(self.unaligned("a loop in pieces that are none")),
            }
        }
        Ok(())
    }

    /// What comes next begins behind so many iterations.
    fn reach(&mut self, covered: &mut Covered, begin: Term) {
        let difference = self.machine.terms.sub(begin, covered.done);
        let always = self.machine.terms.truth(true);
        let (difference, owed) = self.plainer(difference, always);
        covered.stated.extend(owed);
        if self.machine.terms.as_int(difference) != Some(0) {
            let zero = self.machine.terms.int(0);
            covered.stated.push((difference, zero));
        }
        covered.done = begin;
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

    /// How many iterations have been before a loop of the second program that begins at a value and has `each` of them in one
    /// of its own: `done`, or what its own variable says, if it goes on where the first one of its kind began and that seems to
    /// be the same. That it is, is owed.
    fn stated(&mut self, line: &mut Option<Line>, from: Term, each: Term, done: Term) -> Term {
        let Some(line) = line.as_ref().filter(|line| line.each == each) else {
            *line = Some(Line { done, from, each });
            return done;
        };
        let terms = &mut self.machine.terms;
        let since = terms.sub(from, line.from);
        let since = terms.mul(since, each);
        let stated = terms.add(line.done, since);
        let difference = terms.sub(stated, done);
        if self.seems_zero(difference) { stated } else { done }
    }

    /// Whether a term is 0 for some values.
    fn seems_zero(&self, term: Term) -> bool {
        let terms = &self.machine.terms;
        let mut values = (0..SAMPLES)
            .filter_map(|number| Sample::of(terms, &self.machine.book.here, number)?.value(terms, term))
            .peekable();
        values.peek().is_some() && values.all(|value| value == 0)
    }

    /// One iteration of a loop of the second program that is `each` iterations of a loop of the first one, from one number on.
    fn group(
        &mut self,
        a: &'a For,
        min: Term,
        begin: Term,
        each: Term,
        b: &'a For,
        pieces: &[Piece],
    ) -> Done {
        let mark = self.machine.book.mark();
        let mut second = Cursor::new(&b.body, Vec::new());
        let mut covered = Covered::from(begin);
        self.cover(a, min, &[], &mut second, pieces, &mut covered)?;
        if self.advance(Side::Second, &mut second)?.is_some() {
            return Err(self.unaligned("a loop in pieces that are none"));
        }
        let terms = &mut self.machine.terms;
        let end = terms.add(begin, each);
        self.reach(&mut covered, end);
        let all = covered.holds(&mut self.machine.terms);
        self.machine.book.rest_on(mark, "a loop has as many iterations", all);
        Ok(())
    }

    /// How many iterations the pieces in the first iteration of a loop of the second program are.
    fn length_of(&mut self, b: &'a For, pieces: &[Piece]) -> Result<Term, Unaligned> {
        let vars = self.machine.programs[1].vars.clone();
        let length = self.sum_of_lengths(b, pieces);
        self.machine.programs[1].vars = vars;
        let length = length.ok_or_else(|| self.unaligned("a nest of loops whose lengths are unknown"))?;
        let always = self.machine.terms.truth(true);
        Ok(self.plainer(length, always).0)
    }

    fn sum_of_lengths(&mut self, b: &'a For, pieces: &[Piece]) -> Option<Term> {
        let min = self.machine.described(Side::Second, &b.min).ok()?;
        self.machine.programs[1].vars.insert(b.var, min);
        let mut all = Vec::new();
        steps::flatten(&b.body, &mut all);
        let (mut sum, mut pieces, mut skipped, mut line) =
            (self.machine.terms.int(0), pieces.iter(), 0, None);
        for placed in all {
            match placed.step {
                Step::Bind(var, value) => {
                    let value = self.machine.described(Side::Second, value).ok();
                    let vars = &mut self.machine.programs[1].vars;
                    match value {
                        Some(value) => vars.insert(var, value),
                        None => vars.remove(&var),
                    };
                }
                Step::Leaf(_) if skipped > 0 => skipped -= 1,
                Step::Leaf(stmt) => {
                    let (each, l) = match (pieces.next()?, &stmt.kind) {
                        (Piece::Loop, StmtKind::For(l)) => (self.machine.terms.int(1), l),
                        (Piece::Nest(inner), StmtKind::For(l)) => (self.sum_of_lengths(l, inner)?, l),
                        (Piece::Once(leaves), _) => {
                            skipped = leaves - 1;
                            let one = self.machine.terms.int(1);
                            sum = self.machine.terms.add(sum, one);
                            continue;
                        }
                        _ => return None,
                    };
                    let from = self.machine.described(Side::Second, &l.min).ok()?;
                    let extent = self.machine.described(Side::Second, &l.extent).ok()?;
                    let begin = self.stated(&mut line, from, each, sum);
                    let length = self.machine.terms.mul(extent, each);
                    sum = self.machine.terms.add(begin, length);
                }
                _ => {}
            }
        }
        Some(sum)
    }

    /// A loop of the second program whose iterations are some of a loop of the first one; how many it has. `body` gets where it
    /// begins.
    fn piece(
        &mut self,
        a: &'a For,
        guards: &[Term],
        second: &mut Cursor<'a>,
        body: impl FnOnce(&mut Self, &'a For, Term) -> Done,
    ) -> Result<Term, Unaligned> {
        let Some(Stmt { kind: StmtKind::For(b), span }) = self.advance(Side::Second, second)? else {
            return Err(self.unaligned("a loop in pieces that are none"));
        };
        self.machine.book.spans.1 = *span;
        if !is_plain(b) {
            return Err(self.unaligned("a loop in pieces that may be left"));
        }
        let (guard, other) = (self.machine.terms.and(guards), self.machine.terms.and(&second.guards));
        self.owe_equal("a statement runs under the same condition", guard, other);
        self.under(guards, |walk| {
            let (min, extent) = (walk.value(Side::Second, &b.min)?, walk.value(Side::Second, &b.extent)?);
            let func = walk.machine.programs[1].func;
            let (dtype, name) = (func.var(b.var).ty.dtype(), func.var(b.var).name.clone());
            let range = walk.machine.last_below(min, extent);
            walk.over(&name, dtype, range, (a.var, b.var), min, extent, true, &a.body, &b.body, |walk| {
                body(walk, b, min)
            })?;
            Ok(extent)
        })
    }

    /// One iteration of a loop of the first program that is some leaves of the second one.
    fn once(&mut self, body: &'a Block, guards: &[Term], second: &mut Cursor<'a>, leaves: usize) -> Done {
        let mut first = Cursor::new(body, guards.to_vec());
        let all = second.rest();
        let (left, right) = (first.leaves(), all.leaves()[..leaves].to_vec());
        let pairs = self.pairs(&first, &left, &all, &right)?;
        self.run(&mut first, second, pairs)?;
        self.advance(Side::First, &mut first).map(drop)
    }
}
