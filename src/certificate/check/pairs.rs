//! Which statements of two blocks belong together, as a certificate says it.

use super::sexp::Sexp;
use super::side::Side;

/// What iterations of a loop are in the other program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A loop, iteration by iteration.
    Loop,
    /// One iteration, which is so many statements.
    Once(usize),
    /// A loop, of which each iteration is such iterations.
    Nest(Box<Shape>),
    /// One behind the other; within a nest with how many iterations all of them are.
    Cut(Option<i128>, Vec<Shape>),
    /// No statement: the iterations that are left do nothing.
    Rest,
    /// As many iterations or more: those that the loop does not have do nothing. Not within another shape.
    Within(Box<Shape>),
}

impl Shape {
    /// `loop`, `(once N)`, `(nest SHAPE)`, `(cut _ SHAPE...)`, `(cut N SHAPE...)`, `rest`, `(within SHAPE)`
    pub(crate) fn read(e: &Sexp) -> Option<Shape> {
        match e.word() {
            Some("loop") => return Some(Shape::Loop),
            Some("rest") => return Some(Shape::Rest),
            _ => {}
        }
        Some(match e.call()? {
            ("once", [leaves]) => Shape::Once(leaves.number()?),
            ("nest", [inner]) => Shape::Nest(Box::new(Shape::read(inner)?)),
            ("within", [inner]) => Shape::Within(Box::new(Shape::read(inner)?)),
            ("cut", [length, pieces @ ..]) => {
                let length = match length.word()? {
                    "_" => None,
                    _ => Some(length.number().and_then(|n| i128::try_from(n).ok())?),
                };
                Shape::Cut(length, pieces.iter().map(Shape::read).collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }

    /// How many statements it is.
    pub(crate) fn leaves(&self) -> usize {
        match self {
            Shape::Loop | Shape::Nest(_) => 1,
            Shape::Once(leaves) => *leaves,
            Shape::Rest => 0,
            Shape::Cut(_, pieces) => pieces.iter().map(Shape::leaves).fold(0, usize::saturating_add),
            Shape::Within(inner) => inner.leaves(),
        }
    }
}

/// Leaves of two blocks by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pair {
    /// One of each, or one without partner.
    Leaves(Option<usize>, Option<usize>),
    /// One of each, which belong together where both run; where only one of them does, it does nothing.
    Overlap(usize, usize),
    /// A loop of one program, and what it is in the other one, from this leaf on, which is the second program or the first one.
    Cover(usize, usize, Side, Shape),
    /// A loop of the first program; so many leaves of the second one, and its loop, of which they belong to the first iteration.
    Peel(usize, usize, usize),
    /// So many leaves of both programs from these on, of which the second program has those with these numbers in front.
    Front(usize, usize, usize, Vec<usize>),
    /// A loop of the first program, and two of the second one, of which the first one is so many leaves of each iteration.
    Fission(usize, usize, usize),
}

/// All leaves of two blocks.
pub(crate) type Pairs = Vec<Pair>;

impl Pair {
    /// Numbers of two leaves, or `_` for none; `(overlap I J)` for two that need not run under the same condition; `(cover I J PROGRAM SHAPE)` for a loop and what it is in that program,
    /// `(peel I J N)` for a loop of which N statements of the second program are a part of the first iteration, `(front I J N
    /// K...)` for N statements of which the second program has those of these numbers in front of the others, `(fission I J N)`
    /// for a loop of which N statements are a loop of their own in the second program, and the others one behind it.
    pub(super) fn read(e: &Sexp) -> Option<Pair> {
        if let Some(("cover", [i, j, tree, shape])) = e.call() {
            let tree = match tree.word()? {
                "first" => Side::First,
                "second" => Side::Second,
                _ => return None,
            };
            return Some(Pair::Cover(i.number()?, j.number()?, tree, Shape::read(shape)?));
        }
        if let Some(("peel", [i, j, leaves])) = e.call() {
            return Some(Pair::Peel(i.number()?, j.number()?, leaves.number()?));
        }
        if let Some(("front", [i, j, leaves, front @ ..])) = e.call() {
            let front = front.iter().map(Sexp::number).collect::<Option<_>>()?;
            return Some(Pair::Front(i.number()?, j.number()?, leaves.number()?, front));
        }
        if let Some(("overlap", [i, j])) = e.call() {
            return Some(Pair::Overlap(i.number()?, j.number()?));
        }
        if let Some(("fission", [i, j, leaves])) = e.call() {
            return Some(Pair::Fission(i.number()?, j.number()?, leaves.number()?));
        }
        let [a, b] = e.list()? else { return None };
        let of = |e: &Sexp| match e.word() {
            Some("_") => Some(None),
            _ => e.number().map(Some),
        };
        Some(Pair::Leaves(of(a)?, of(b)?))
    }
}
