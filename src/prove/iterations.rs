//! Two loops, and two launches of threads, side by side: how many iterations they have, where they begin and end, and what holds in
//! each of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::counter;
use super::discharge;
use super::place::{Frame, conditions};
use super::question::Question;
use super::range::Range;
use super::steps::{self, is_plain};
use super::term::Term;
use super::value::Side;
use super::walk::{Done, Walk};
use crate::ir::{Block, DType, For, ForKind, VarId, threads};

impl<'a> Walk<'a> {
    /// Two loops, iteration by iteration.
    pub(super) fn looped(
        &mut self,
        var: Option<Term>,
        first: Term,
        runs: Term,
        holds: Term,
        bodies: &[(&'a Block, &'a Block)],
        body: impl FnOnce(&mut Self) -> Done,
    ) -> Done {
        let (mut roots, mut all) = (BTreeSet::new(), false);
        for (a, b) in bodies {
            all |= steps::written(&self.machine.buffers, Side::First, a, &mut roots);
            all |= steps::written(&self.machine.buffers, Side::Second, b, &mut roots);
        }
        let before = self.machine.memories.clone();
        self.forget(&roots, all);
        self.loops += 1;
        let frame = Frame { number: self.loops, var, first, runs, holds };
        self.machine.book.here.loops.push(frame);
        let stores = std::mem::take(&mut self.store_guards);
        let guards = self.machine.book.here.guards.len();
        let done = body(self);
        self.machine.book.here.guards.truncate(guards);
        self.store_guards = stores;
        self.machine.book.here.loops.pop();
        self.change(&before, &roots, all);
        done
    }

    pub(super) fn fors(&mut self, a: &'a For, b: &'a For) -> Done {
        let (min, other_min) = (self.value(Side::First, &a.min)?, self.value(Side::Second, &b.min)?);
        self.after_calls(&[&a.min, &b.min])?;
        let (extent, other) = (self.value(Side::First, &a.extent)?, self.value(Side::Second, &b.extent)?);
        self.after_calls(&[&a.extent, &b.extent])?;
        if extent != other && is_plain(a) && is_plain(b) {
            if let Some((nest, exact)) = self.nest_of(Side::Second, b, extent) {
                return self.split(Side::Second, (&nest, exact), a, (min, extent));
            }
            if let Some((nest, exact)) = self.nest_of(Side::First, a, other) {
                return self.split(Side::First, (&nest, exact), b, (other_min, other));
            }
        }
        let zero = self.machine.terms.int(0);
        let equal = self.machine.terms.equal(extent, other);
        if self.stretched
            && self.machine.terms.as_truth(equal) != Some(true)
            && a.step.is_none()
            && b.step.is_none()
        {
            self.owe_equal("a loop begins at the same value", min, other_min);
            return self.stretched_fors(a, b, min, (extent, other));
        }
        let none = [extent, other].map(|e| self.machine.terms.at_most(e, zero));
        let none = self.machine.terms.and(&none);
        let same = self.machine.terms.or(&[equal, none]);
        self.machine.book.owe_that("a loop has as many iterations", same);
        // Loops of one step may begin at other values, threads may not.
        let may_shift = |l: &For| l.step.is_none() && !matches!(l.kind, ForKind::ThreadBinding(_));
        let shifted = min != other_min && may_shift(a) && may_shift(b);
        if !shifted {
            self.owe_equal("a loop begins at the same value", min, other_min);
        }
        let step = match (&a.step, &b.step) {
            (None, None) => self.machine.terms.int(1),
            (Some(x), Some(y)) => self.pair("a loop has the same step", x, y)?.0,
            _ => return Err(self.unaligned("a loop with another step")),
        };
        let tag = match (&a.kind, &b.kind) {
            (ForKind::ThreadBinding(tag), ForKind::ThreadBinding(other)) if tag == other => Some(tag),
            _ => None,
        };
        let thread = matches!(a.kind, ForKind::ThreadBinding(_));
        let dtype = self.machine.programs[0].func.var(a.var).ty.dtype();
        let name = self.machine.programs[0].func.var(a.var).name.clone();
        self.ends_fit((a, b), min, (extent, other));
        let (first, min) = (min, if shifted { other_min } else { min });
        let mut range = self.machine.last_below(min, extent);
        if let (Some(tag), Some(0)) = (tag, self.machine.terms.as_int(min)) {
            range = range.within(numbers(tag));
        }
        let upwards = self.machine.terms.range(step).positive();
        let body = |walk: &mut Self| {
            if shifted {
                walk.shift((a, b), other_min, first)?;
            }
            walk.threads += usize::from(thread);
            let done = walk.blocks(&a.body, &b.body);
            walk.threads -= usize::from(thread);
            done
        };
        let before = self.machine.memories.clone();
        self.over(&name, dtype, range, (a.var, b.var), min, extent, upwards, &a.body, &b.body, body)?;
        self.filled((a, b), (first, extent), &before);
        Ok(())
    }

    /// The first program's variable is as far from where it begins as the second one's.
    pub(super) fn shift(&mut self, (a, b): (&For, &For), from: Term, to: Term) -> Done {
        let var = self.variable_of(Side::Second, b)?;
        let since = self.machine.terms.sub(var, from);
        let there = self.machine.terms.add(to, since);
        self.machine.programs[0].vars.insert(a.var, there);
        Ok(())
    }

    /// Where loops end is an integer of the type of their variables.
    fn ends_fit(&mut self, (a, b): (&For, &For), min: Term, extents: (Term, Term)) {
        for (side, l, extent) in [(Side::First, a, extents.0), (Side::Second, b, extents.1)] {
            let end = self.machine.terms.add(min, extent);
            let dtype = self.machine.program(side).func.var(l.var).ty.dtype();
            self.machine.fits(side, dtype, end);
        }
    }

    /// Two loops of other lengths that begin at the same value: each is one without end whose iterations do something only
    /// below an end of its own.
    fn stretched_fors(&mut self, a: &'a For, b: &'a For, min: Term, extents: (Term, Term)) -> Done {
        if matches!(a.kind, ForKind::ThreadBinding(_)) {
            return Err(self.unaligned("another number of threads"));
        }
        let func = self.machine.programs[0].func;
        let (dtype, name) = (func.var(a.var).ty.dtype(), func.var(a.var).name.clone());
        let range = Range::new(self.machine.terms.range(min).lo, None);
        let var = self.machine.terms.new_atom(&name, dtype, range);
        self.bind(a.var, b.var, var);
        let terms = &mut self.machine.terms;
        let (holds, always) = (terms.at_most(min, var), terms.truth(true));
        let mut below = |extent: Term| {
            let end = terms.add(min, extent);
            vec![terms.less(var, end)]
        };
        let guards = (below(extents.0), below(extents.1));
        self.looped(Some(var), min, always, holds, &[(&a.body, &b.body)], |walk| {
            walk.guarded_blocks((&a.body, guards.0), (&b.body, guards.1))
        })
    }

    /// A variable that runs over a range, in both programs the same; upwards, unless that is not known.
    #[expect(clippy::too_many_arguments, reason = "a loop has many parts")]
    pub(super) fn over(
        &mut self,
        name: &Arc<str>,
        dtype: DType,
        range: Range,
        vars: (VarId, VarId),
        min: Term,
        extent: Term,
        upwards: bool,
        a: &'a Block,
        b: &'a Block,
        body: impl FnOnce(&mut Self) -> Done,
    ) -> Done {
        let var = self.machine.terms.new_atom(name, dtype, if upwards { range } else { Range::ALL });
        self.bind(vars.0, vars.1, var);
        let terms = &mut self.machine.terms;
        let (zero, end) = (terms.int(0), terms.add(min, extent));
        let runs = terms.less(zero, extent);
        // Where it ends may be a plainer number than is written, where it runs.
        let plain = self.plainer_end(end, runs);
        let terms = &mut self.machine.terms;
        let high = [terms.less(var, end), terms.less(var, plain)];
        let (low, high) = (terms.at_most(min, var), terms.and(&high));
        let holds = if upwards { terms.and(&[low, high]) } else { high };
        self.looped(Some(var), min, runs, holds, &[(a, b)], body)
    }

    /// Where a loop ends as a plainer number, perhaps, which is owed where it runs.
    fn plainer_end(&mut self, end: Term, runs: Term) -> Term {
        let (plain, owed) = self.plainer(end, runs);
        let terms = &mut self.machine.terms;
        let known: Vec<Term> = conditions(&self.machine.book.here, true).into_iter().chain([runs]).collect();
        let mut duties = Vec::new();
        for (number, plain) in owed {
            let equal = terms.equal(number, plain);
            // What fails for some values is not owed, nor that a minimum is its constant, unless that is seen at once: it holds for
            // most values also where it is wrong.
            let question = Question::new(known.clone(), equal);
            let is_constant = terms.as_int(plain).is_some();
            if counter::example(terms, &question).is_some()
                || is_constant && !discharge::implied(terms, &known, equal)
            {
                return end;
            }
            duties.push(terms.implies(runs, equal));
        }
        for duty in duties {
            self.machine.book.owe_that("a loop ends where it seems to", duty);
        }
        plain
    }

    pub(super) fn launched(
        &mut self,
        tag: &str,
        vars: (VarId, VarId),
        extent: Term,
        a: &'a Block,
        b: &'a Block,
    ) -> Done {
        let func = self.machine.programs[0].func;
        let (name, dtype) = (func.var(vars.0).name.clone(), func.var(vars.0).ty.dtype());
        let min = self.machine.terms.int(0);
        let range = self.machine.last_below(min, extent).within(numbers(tag));
        self.over(&name, dtype, range, vars, min, extent, true, a, b, |walk| {
            walk.threads += 1;
            let done = walk.blocks(a, b);
            walk.threads -= 1;
            done
        })
    }
}

/// The numbers that threads of a tag have.
fn numbers(tag: &str) -> Range {
    threads::most(tag).map_or(Range::ALL, |most| Range::new(Some(0), Some(i128::from(most) - 1)))
}
