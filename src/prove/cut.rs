//! A loop of the first program that is several statements of the second one, one behind the other: its iterations are cut into
//! pieces, each of which is a loop, or one iteration with what it does written out. Iterations keep their order, so all that is
//! owed is that the pieces are the whole, and that each does the same.

use super::discharge;
use super::range::Range;
use super::shape::is_plain;
use super::steps::{Glimpse, Piece};
use super::term::{Term, Terms};
use super::value::Side;
use super::walk::{Cursor, Done, Walk};
use crate::ir::{Block, For, Stmt, StmtKind};

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

impl<'a> Walk<'a> {
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
        let mut offset = self.machine.terms.int(0);
        let mut lengths = Vec::new();
        // That the pieces are the whole must not follow from what they show: there are such iterations only if it holds.
        let mark = self.machine.book.mark();
        for piece in pieces {
            let first = self.machine.terms.add(min, offset);
            let length = match piece {
                Piece::Loop => self.piece(a, first, guards, second)?,
                Piece::Once(leaves) => {
                    self.machine.programs[0].vars.insert(a.var, first);
                    self.once(&a.body, guards, second, *leaves)?;
                    self.machine.terms.int(1)
                }
                Piece::Rest => {
                    let rest = self.machine.terms.sub(whole, offset);
                    let what = "an iteration that is left out does nothing";
                    self.nothing_in_loop(what, a, guards, (first, rest))?;
                    rest
                }
            };
            lengths.push(length);
            offset = self.machine.terms.add(offset, length);
        }
        // They are the whole, or nothing.
        let zero = self.machine.terms.int(0);
        let terms = &mut self.machine.terms;
        let mut all: Vec<Term> = lengths.iter().map(|&length| terms.at_most(zero, length)).collect();
        all.push(terms.equal(offset, whole));
        let mut none: Vec<Term> = lengths.iter().map(|&length| terms.at_most(length, zero)).collect();
        none.push(terms.at_most(whole, zero));
        let (all, none) = (terms.and(&all), terms.and(&none));
        let same = terms.or(&[all, none]);
        let guard = terms.and(guards);
        let owed = terms.implies(guard, same);
        self.machine.book.rest_on(mark, "a loop has as many iterations", owed);
        Ok(())
    }

    /// Iterations of a loop of the first program, from one of them on, that are a loop of the second one; how many they are.
    fn piece(
        &mut self,
        a: &'a For,
        first: Term,
        guards: &[Term],
        second: &mut Cursor<'a>,
    ) -> Result<Term, super::walk::Unaligned> {
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
                walk.shift((a, b), min, first)?;
                walk.blocks(&a.body, &b.body)
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
