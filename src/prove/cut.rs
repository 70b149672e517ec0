//! A loop of the first program that is several statements of the second one, one behind the other: its iterations are cut into
//! pieces, each of which is a loop, or one iteration with what it does written out. Iterations keep their order, so all that is
//! owed is that the pieces are the whole, and that each does the same.

use super::shape::is_plain;
use super::steps::{Glimpse, Piece};
use super::term::{Term, Terms};
use super::value::Side;
use super::walk::{Cursor, Done, Walk};
use crate::ir::{Block, For, Stmt, StmtKind};

impl Terms {
    /// How leaves are the pieces of a loop whose body does so much work: pieces end where iterations do. `None` if they do not,
    /// or are not the whole.
    pub(super) fn pieces(&mut self, a: &Glimpse, leaves: &[Glimpse]) -> Option<Vec<Piece>> {
        let body = a.body_work?;
        let zero = self.int(0);
        let (mut found, mut begun, mut total) = (Vec::new(), (0, zero), zero);
        for leaf in leaves {
            let work = leaf.work?;
            total = self.add(total, work);
            if begun.0 == 0 && leaf.body_work == Some(body) {
                found.push(Piece::Loop);
                continue;
            }
            begun = (begun.0 + 1, self.add(begun.1, work));
            if begun.1 == body {
                found.push(Piece::Once(begun.0));
                begun = (0, zero);
            }
        }
        (begun.0 == 0 && a.work == Some(total)).then_some(found)
    }

    /// As [`Terms::pieces`], of a loop of which some iterations do less than others: by the number of iterations, where all
    /// leaves between loops are one of them.
    pub(super) fn partial_pieces(&mut self, a: &Glimpse, leaves: &[Glimpse]) -> Option<Vec<Piece>> {
        let (body, mut length) = (a.body_work?, self.int(0));
        let mut found = Vec::new();
        for leaf in leaves {
            if leaf.body_work == Some(body) {
                length = self.add(length, leaf.length?);
                found.push(Piece::Loop);
            } else if let Some(Piece::Once(leaves)) = found.last_mut() {
                *leaves += 1;
            } else {
                let one = self.int(1);
                length = self.add(length, one);
                found.push(Piece::Once(1));
            }
        }
        (found.len() > 1 && a.length == Some(length)).then_some(found)
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
