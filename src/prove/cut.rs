//! A loop of the first program that is several statements of the second one, one behind the other: its iterations are cut into
//! pieces, each of which is a loop, or one iteration with what it does written out. Iterations keep their order, so all that is
//! owed is that the pieces are the whole, and that each does the same.

use super::steps::{self, Piece, Step, is_plain};
use super::term::{Term, Terms};
use super::value::Side;
use super::walk::{Cursor, Done, Unaligned, Walk};
use crate::ir::{Block, For, Stmt, StmtKind};

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

impl<'a> Walk<'a> {
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
