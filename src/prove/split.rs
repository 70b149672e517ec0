//! A loop of one program that is a nest of the other one: its iterations are counted by several variables. They keep their order,
//! so all that is owed is that the product of the lengths is the length. Or the nest has more iterations than the loop: then those
//! that the loop does not have owe to do nothing.

use super::discharge;
use super::place::conditions;
use super::steps::{self, Step, is_plain};
use super::term::Term;
use super::value::Side;
use super::walk::{Cursor, Done, Unaligned, Walk};
use crate::ir::{Block, For, Stmt, StmtKind};

/// The loop that a body is nothing but, with bindings.
fn only_loop(body: &Block) -> Option<&For> {
    let mut all = Vec::new();
    steps::flatten(body, &mut all);
    let (last, before) = all.split_last()?;
    if !before.iter().all(|placed| matches!(placed.step, Step::Bind(..))) {
        return None;
    }
    match last.step {
        Step::Leaf(Stmt { kind: StmtKind::For(l), .. }) if is_plain(l) => Some(l),
        _ => None,
    }
}

impl<'a> Walk<'a> {
    /// The loops of a nest whose lengths have this product, at least two of them, or else one that is no less; whether it is this.
    pub(super) fn nest_of(&mut self, side: Side, l: &'a For, product: Term) -> Option<(Vec<&'a For>, bool)> {
        let vars = self.machine.program(side).vars.clone();
        let known = conditions(&self.machine.book.here, true);
        let (mut nest, mut enough, mut exact) = (Vec::new(), None, false);
        let (mut next, mut length) = (Some(l), self.machine.terms.int(1));
        while let Some(l) = next {
            let Ok(extent) = self.machine.described(side, &l.extent) else { break };
            nest.push(l);
            length = self.machine.terms.mul(length, extent);
            exact = nest.len() > 1 && length == product;
            if exact {
                break;
            }
            if nest.len() > 1 && enough.is_none() {
                let covers = self.machine.terms.at_most(product, length);
                if discharge::implied(&mut self.machine.terms, &known, covers) {
                    enough = Some(nest.len());
                }
            }
            // What depends on the variable is another value each time.
            self.machine.program(side).vars.remove(&l.var);
            for stmt in &l.body {
                if let StmtKind::Bind { var, value } = &stmt.kind {
                    let value = self.machine.described(side, value).ok();
                    let vars = &mut self.machine.program(side).vars;
                    match value {
                        Some(value) => vars.insert(*var, value),
                        None => vars.remove(var),
                    };
                }
            }
            next = only_loop(&l.body);
        }
        self.machine.program(side).vars = vars;
        if !exact {
            nest.truncate(enough?);
        }
        nest.iter().all(|l| is_plain(l)).then_some((nest, exact))
    }

    /// A nest of one program that is one loop of the other one, which begins there and is so long, or shorter if the nest is not
    /// `exact`ly as long.
    pub(super) fn split(
        &mut self,
        side: Side,
        (nest, exact): (&[&'a For], bool),
        one: &'a For,
        (min, whole): (Term, Term),
    ) -> Done {
        if !is_plain(one) {
            return Err(self.unaligned("a nest of a loop that may be left"));
        }
        // That it is as long must not follow from what iterations show: there are such iterations only if it is.
        let mark = self.machine.book.mark();
        let (mut vars, mut lengths) = (Vec::new(), Vec::new());
        let none_yet = self.machine.terms.int(0);
        let end = (!exact).then_some(whole);
        self.nested(side, nest, one, (min, end), none_yet, (&mut vars, &mut lengths))?;
        let terms = &mut self.machine.terms;
        if lengths.iter().any(|&length| terms.mentions(length, &|part| vars.contains(&part))) {
            return Err(self.unaligned("a nest of loops whose lengths vary"));
        }
        let (zero, one) = (terms.int(0), terms.int(1));
        let product = lengths.iter().fold(one, |product, &length| terms.mul(product, length));
        let mut all: Vec<Term> = lengths.iter().map(|&length| terms.at_most(zero, length)).collect();
        all.push(if exact { terms.equal(product, whole) } else { terms.at_most(whole, product) });
        let none: Vec<Term> = lengths.iter().map(|&length| terms.at_most(length, zero)).collect();
        let (all, empty, none) = (terms.and(&all), terms.at_most(whole, zero), terms.or(&none));
        let none = terms.and(&[empty, none]);
        let same = terms.or(&[all, none]);
        self.machine.book.rest_on(mark, "a loop has as many iterations", same);
        Ok(())
    }

    /// The loops of a nest, one in the other; `number` says how many iterations of the innermost one have been, counted by those
    /// around. The loop has one where the number is below an end, if there is one. Adds their variables and lengths.
    fn nested(
        &mut self,
        side: Side,
        nest: &[&'a For],
        one: &'a For,
        (first, end): (Term, Option<Term>),
        number: Term,
        found: (&mut Vec<Term>, &mut Vec<Term>),
    ) -> Done {
        let (&l, inner) = nest.split_first().ok_or_else(|| self.unaligned("a nest without loops"))?;
        let (min, extent) = (self.value(side, &l.min)?, self.value(side, &l.extent)?);
        found.1.push(extent);
        let func = self.machine.program(side).func;
        let (dtype, name) = (func.var(l.var).ty.dtype(), func.var(l.var).name.clone());
        let range = self.machine.last_below(min, extent);
        let (a, b) = if side == Side::First { (l, one) } else { (one, l) };
        self.over(&name, dtype, range, (a.var, b.var), min, extent, true, &a.body, &b.body, |walk| {
            let var = walk.variable_of(side, l)?;
            found.0.push(var);
            let terms = &mut walk.machine.terms;
            let (scaled, since) = (terms.mul(number, extent), terms.sub(var, min));
            let number = terms.add(scaled, since);
            if inner.is_empty() {
                let there = terms.add(first, number);
                let other = if side == Side::First { Side::Second } else { Side::First };
                walk.machine.program(other).vars.insert(one.var, there);
                let below = end.map(|end| walk.machine.terms.less(number, end)).into_iter().collect();
                let guards = if side == Side::First { (Vec::new(), below) } else { (below, Vec::new()) };
                return walk.guarded_blocks((&a.body, guards.0), (&b.body, guards.1));
            }
            let mut cursor = Cursor::new(&l.body, Vec::new());
            walk.advance(side, &mut cursor)?;
            walk.nested(side, inner, one, (first, end), number, found)?;
            walk.advance(side, &mut cursor).map(drop)
        })
    }

    /// What the variable of a loop is.
    pub(super) fn variable_of(&mut self, side: Side, l: &For) -> Result<Term, Unaligned> {
        let var = self.machine.program(side).vars.get(&l.var).copied();
        var.ok_or_else(|| self.unaligned("a loop without a variable"))
    }
}
