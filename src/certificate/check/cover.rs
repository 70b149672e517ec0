//! A loop of one program whose iterations are several statements of the other one: pieces of it one behind the other, nests of
//! loops that count them together, iterations written out. Iterations keep their order, so all that is owed besides what each of
//! them does is that they are as many.

use super::book::Goal;
use super::bounds::Bounds;
use super::eval::{Refused, Side, sort_of};
use super::pairs::Shape;
use super::steps::{self, Placed, Step, is_plain_loop};
use super::term::{Sort, Term};
use super::walk::{Cursor, Done, GUARD, LENGTH, Walk};
use crate::ir::{For, Stmt, StmtKind};

/// What is the same for all iterations of a loop.
#[derive(Clone, Copy)]
struct Whole<'a, 'g> {
    /// The loop, and the program that has something else for it.
    one: &'a For,
    tree: Side,
    /// The conditions under which it runs.
    guards: &'g [Term],
    /// How much of what the first program evaluates does not rest on how many iterations there are.
    since: usize,
    /// Where the loop ends, and whether what the other program has for it may go on: from there on nothing is done.
    end: Term,
    goes_on: bool,
}

fn other(side: Side) -> Side {
    match side {
        Side::First => Side::Second,
        Side::Second => Side::First,
    }
}

impl<'a> Walk<'a, '_> {
    /// A loop of one program, which is of this shape in the other one.
    pub(super) fn covered(
        &mut self,
        tree: Side,
        shape: &Shape,
        first: &mut Cursor<'a>,
        second: &mut Cursor<'a>,
    ) -> Done {
        let (of_one, of_tree) = if tree == Side::Second { (first, second) } else { (second, first) };
        let one = self.plain_loop(other(tree), of_one)?;
        let guards = of_one.guards.clone();
        let side = other(tree);
        let (min, whole) = self.under(&guards, |walk| {
            Ok((walk.machine.value(side, &one.min)?, walk.machine.value(side, &one.extent)?))
        })?;
        let since = self.machine.book.evaluated.len();
        let dtype = self.machine.programs[side as usize].func.var(one.var).ty.dtype();
        if sort_of(dtype) != Sort::Int
            || [min, whole].iter().any(|&of| self.machine.terms.sort(of) != Sort::Int)
        {
            return Err("the variable of a loop of another type".into());
        }
        let (shape, goes_on) = match shape {
            Shape::Within(inner) => (&**inner, true),
            _ => (shape, false),
        };
        let end = self.machine.terms.add(min, whole);
        let whole_of = Whole { one, tree, guards: &guards, since, end, goes_on };
        let none_yet = self.machine.terms.int(0);
        let length = self.cover(whole_of, shape, of_tree, min, none_yet)?;
        if !goes_on {
            return self.owe_length(whole_of, length, whole);
        }
        let terms = &mut self.machine.terms;
        let (enough, always) = (terms.at_most(whole, length), terms.truth(true));
        self.owe_length(whole_of, enough, always)
    }

    /// The condition under which the loop has an iteration at some value of its variable, where that is in question.
    fn is_there(&mut self, of: Whole<'a, '_>, at: Term) -> Vec<Term> {
        if of.goes_on { vec![self.machine.terms.less(at, of.end)] } else { Vec::new() }
    }

    /// That iterations are as many, which must not follow from what they show: there are such iterations only if it holds.
    fn owe_length(&mut self, of: Whole<'a, '_>, length: Term, whole: Term) -> Done {
        self.under(of.guards, |walk| {
            let goal = Goal::Same(length, whole);
            walk.machine.book.owe_since(of.since, LENGTH, goal);
            Ok(())
        })
    }

    /// That a part of the iterations is not less than none, which must not follow from what they show either.
    fn owe_part(&mut self, of: Whole<'a, '_>, length: Term) {
        let terms = &mut self.machine.terms;
        let (zero, always) = (terms.int(0), terms.truth(true));
        let goal = Goal::Same(terms.at_most(zero, length), always);
        self.machine.book.owe_since(of.since, "a loop that is a part of one has a length", goal);
    }

    /// The next leaf, which is such a loop.
    fn plain_loop(&mut self, side: Side, cursor: &mut Cursor<'a>) -> Result<&'a For, Refused> {
        match self.advance(side, cursor, &[])? {
            Some(Stmt { kind: StmtKind::For(l), .. }) if is_plain_loop(l) => Ok(l),
            _ => Err("iterations of what is no plain loop".into()),
        }
    }

    /// Iterations from `first` on, after `number` times as many of them as this is; how many they are.
    fn cover(
        &mut self,
        of: Whole<'a, '_>,
        shape: &Shape,
        cursor: &mut Cursor<'a>,
        first: Term,
        number: Term,
    ) -> Result<Term, Refused> {
        match shape {
            Shape::Loop | Shape::Nest(_) => {
                let l = self.plain_loop(of.tree, cursor)?;
                let guards = [of.guards, &cursor.guards].map(|guards| self.machine.terms.and(guards));
                let [a, b] = if of.tree == Side::Second { guards } else { [guards[1], guards[0]] };
                self.owe_same(GUARD, a, b)?;
                // Those of the first program: what it evaluates in there shows nothing where they do not hold.
                let guards = if of.tree == Side::Second { of.guards.to_vec() } else { cursor.guards.clone() };
                self.under(&guards, |walk| walk.cover_loop(of, shape, l, first, number))
            }
            Shape::Once(leaves) => {
                let at = self.machine.terms.add(first, number);
                self.machine.program(other(of.tree)).vars.insert(of.one.var, at);
                self.once(of, at, cursor, *leaves)?;
                Ok(self.machine.terms.int(1))
            }
            Shape::Rest => {
                let from = self.machine.terms.add(first, number);
                self.rest(of, from)
            }
            Shape::Within(_) => Err("more iterations than a loop has within another shape".into()),
            Shape::Cut(length, pieces) => {
                let zero = self.machine.terms.int(0);
                let before = match length {
                    Some(length) => {
                        let length = self.machine.terms.int(*length);
                        self.machine.terms.mul(number, length)
                    }
                    None if number == zero => zero,
                    None => return Err("pieces of unknown length in a nest".into()),
                };
                let (first, mut sum) = (self.machine.terms.add(first, before), zero);
                for piece in pieces {
                    let from = self.machine.terms.add(first, sum);
                    let part = self.cover(of, piece, cursor, from, zero)?;
                    sum = self.machine.terms.add(sum, part);
                }
                if let Some(length) = length {
                    let length = self.machine.terms.int(*length);
                    self.owe_length(of, sum, length)?;
                }
                Ok(sum)
            }
        }
    }

    /// The iterations from some value on, which do nothing; how many they are.
    fn rest(&mut self, of: Whole<'a, '_>, from: Term) -> Result<Term, Refused> {
        let side = other(of.tree);
        self.under(of.guards, |walk| {
            let left = walk.machine.terms.sub(of.end, from);
            walk.owe_part(of, left);
            walk.idle(side, of.one, from, of.end)?;
            Ok(left)
        })
    }

    /// The iterations of a loop from some value to another one do nothing.
    pub(super) fn idle(&mut self, side: Side, l: &'a For, from: Term, end: Term) -> Done {
        let terms = &mut self.machine.terms;
        let var = terms.atom(Sort::Int, Bounds::NONE);
        let ends = [terms.at_most(from, var), terms.less(var, end)];
        self.machine.program(side).vars.insert(l.var, var);
        self.under(&ends, |walk| {
            let mut cursor = Cursor::new(&l.body, Vec::new());
            while let Some(stmt) = walk.advance(side, &mut cursor, &[])? {
                let guards = cursor.guards.clone();
                walk.nothing("an iteration that is left out does nothing", side, stmt, &guards)?;
            }
            Ok(())
        })
    }

    /// Iterations that a loop counts, alone or together with what is in it.
    fn cover_loop(
        &mut self,
        of: Whole<'a, '_>,
        shape: &Shape,
        l: &'a For,
        first: Term,
        number: Term,
    ) -> Result<Term, Refused> {
        let (min, extent) = (self.machine.value(of.tree, &l.min)?, self.machine.value(of.tree, &l.extent)?);
        self.owe_part(of, extent);
        let (vars, bodies) = match of.tree {
            Side::Second => ((of.one.var, l.var), (&of.one.body, &l.body)),
            Side::First => ((l.var, of.one.var), (&l.body, &of.one.body)),
        };
        let (var, frame, holds) = self.ranged(vars, min, extent, false)?;
        self.machine.program(of.tree).vars.insert(l.var, var);
        let terms = &mut self.machine.terms;
        let (scaled, since) = (terms.mul(number, extent), terms.sub(var, min));
        let number = terms.add(scaled, since);
        let mut length = extent;
        self.looped(frame, Some(holds), bodies, (&[], &[]), |walk| {
            let Shape::Nest(inner) = shape else {
                let at = walk.machine.terms.add(first, number);
                walk.machine.program(other(of.tree)).vars.insert(of.one.var, at);
                let there = walk.is_there(of, at);
                let guards = if of.tree == Side::First { [Vec::new(), there] } else { [there, Vec::new()] };
                return walk.guarded_blocks(bodies, guards);
            };
            let mut cursor = Cursor::new(&l.body, Vec::new());
            let part = walk.cover(Whole { guards: &[], ..of }, inner, &mut cursor, first, number)?;
            if walk.advance(of.tree, &mut cursor, &[])?.is_some() {
                return Err("more in a nest than its loops".into());
            }
            let fixed = walk.machine.terms.replace(part, var, min, &mut hashbrown::HashMap::new());
            if fixed != part {
                return Err("a nest of loops whose lengths vary".into());
            }
            length = walk.machine.terms.mul(extent, part);
            Ok(())
        })?;
        Ok(length)
    }

    /// A loop of both programs, of which some statements before that of the second one belong to the first iteration: that is run
    /// alone, if there is one, and then the others.
    pub(super) fn peeled(&mut self, first: &mut Cursor<'a>, second: &mut Cursor<'a>, leaves: usize) -> Done {
        let a = self.plain_loop(Side::First, first)?;
        let ends = second.steps.iter().enumerate().skip(second.next);
        let at =
            ends.filter(|(_, placed)| matches!(placed.step, Step::Leaf(_))).map(|(at, _)| at).nth(leaves);
        let at = at.ok_or("a loop without the statements of its first iteration")?;
        let placed = second.steps[at];
        let Step::Leaf(Stmt { kind: StmtKind::For(b), .. }) = placed.step else {
            return Err("a first iteration of what is no loop".into());
        };
        if !is_plain_loop(b) {
            return Err("iterations of what is no plain loop".into());
        }
        let guards = first.guards.clone();
        let since = self.machine.book.evaluated.len();
        let owe = |walk: &mut Self, what, x, y| walk.machine.book.owe_since(since, what, Goal::Same(x, y));
        let (min, extent) = self.under(&guards, |walk| {
            Ok((walk.machine.value(Side::First, &a.min)?, walk.machine.value(Side::First, &a.extent)?))
        })?;
        // There is a first iteration only if the loop runs, so what is assumed in it does not show that it does.
        let runs = self.machine.terms.positive(extent);
        let outer = self.machine.book.place();
        self.machine.program(Side::First).vars.insert(a.var, min);
        let mut iteration = Cursor::new(&a.body, guards.iter().copied().chain([runs]).collect());
        let mut steps = second.steps[second.next..at].to_vec();
        steps.push(Placed { step: Step::First(b), ..placed });
        steps::flatten(&b.body, &mut steps);
        steps.push(Placed { step: Step::End, ..placed });
        let guards_so_far = std::mem::take(&mut second.guards);
        let mut unrolled = Cursor { steps, next: 0, guards: guards_so_far, block: second.block };
        self.laid(&mut iteration, &mut unrolled, [usize::MAX; 2])?;
        self.advance(Side::First, &mut iteration, &[])?;
        self.advance(Side::Second, &mut unrolled, &[])?;
        self.after_calls()?;
        self.machine.book.back(&outer);
        (second.next, second.guards) = (at + 1, unrolled.guards);
        let (other_min, other_extent) = *self.entered.get(&b.var).ok_or("a loop that was not entered")?;
        let (guard, other) = (self.machine.terms.and(&guards), self.machine.terms.and(&second.guards));
        self.owe_same(GUARD, guard, other)?;
        self.under(&guards, |walk| {
            owe(walk, "a loop begins at the same value", min, other_min);
            owe(walk, LENGTH, extent, other_extent);
            let one = walk.machine.terms.int(1);
            let (min, extent) = (walk.machine.terms.add(min, one), walk.machine.terms.sub(extent, one));
            walk.over((a.var, b.var), min, extent, false, (&a.body, &b.body))
        })
    }

    /// One iteration of a loop, which is so many statements of the other program.
    fn once(&mut self, of: Whole<'a, '_>, at: Term, cursor: &mut Cursor<'a>, leaves: usize) -> Done {
        if cursor.ahead(leaves).1 != leaves {
            return Err("an iteration of more statements than there are".into());
        }
        // What is assumed in it must not show that there is such an iteration.
        let outer = self.machine.book.place();
        let there = self.is_there(of, at);
        let mut iteration = Cursor::new(&of.one.body, of.guards.iter().copied().chain(there).collect());
        let all = usize::MAX;
        let side = other(of.tree);
        match of.tree {
            Side::Second => self.laid(&mut iteration, cursor, [all, leaves])?,
            Side::First => self.laid(cursor, &mut iteration, [leaves, all])?,
        };
        self.advance(side, &mut iteration, &[])?;
        self.machine.book.back(&outer);
        Ok(())
    }
}
