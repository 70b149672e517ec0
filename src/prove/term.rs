//! Terms: what an expression is worth in one execution, as a graph without copies. Equal terms are one term.
//!
//! Integers are those of mathematics: types that wrap have [`Node::Wrap`] around what wraps. A vector is the value of its
//! lane number [`Node::Lane`]. A quotient stands for floor division by what is not zero: that the divisor is not zero is an
//! obligation of its own where the second program divides, and a premise where the first one does.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::range::Range;
use crate::ir::DType;

/// A term, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Term(pub(super) u32);

/// A product of terms that are no sums, in order; none for the constant 1.
pub(super) type Monomial = Vec<Term>;

/// A free value with its least and its greatest one.
pub(super) type Variable = (Term, i128, i128);

/// Conditions by the values on which they depend, and for which of these they hold.
type Tables = HashMap<(Vec<Variable>, Vec<bool>), Term>;

/// What operations on terms made of their operands. Proofs ask for the same sums, quotients and comparisons many times, and each
/// takes a normal form to make. What was made stays right when more is known of a value; as it may be made simpler then, all is
/// made anew.
#[derive(Default)]
pub(super) struct Made {
    /// `a + factor * b`
    pub(super) sums: HashMap<(Term, Term, i128), Term>,
    /// `a // b`
    pub(super) quotients: HashMap<(Term, Term), Term>,
    /// `a >= 0`
    pub(super) comparisons: HashMap<Term, Term>,
    /// Conditions with comparisons of products in place of those of quotients by sizes.
    pub(super) multiplied: HashMap<Term, Term>,
}

impl Made {
    /// Forgets all: more is known.
    pub(super) fn clear(&mut self) {
        self.sums.clear();
        self.quotients.clear();
        self.comparisons.clear();
        self.multiplied.clear();
    }
}

/// What a term is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// An integer.
    Int(i128),
    /// A truth value.
    Truth(bool),
    /// A value of which only its type and range are known; the number finds its [`Atom`].
    Atom(u32),
    /// The number of a lane, below the number of lanes. The flag tells two lanes of one vector apart.
    Lane(u16, bool),
    /// A sum of products with factors that are not 0, in order of the products. Neither a constant nor one single term.
    Sum(Vec<(Monomial, i128)>),
    /// Floor division.
    Quotient(Term, Term),
    /// Truncating division.
    Truncated(Term, Term),
    /// The least or the greatest of some integers.
    Extremum { greatest: bool, of: Vec<Term> },
    /// The value modulo 2^bits that a type of so many bits has.
    Wrap { bits: u8, signed: bool, of: Term },
    /// The second where the first holds, else the third.
    Choice(Term, Term, Term),
    /// Whether an integer is not negative.
    NotNegative(Term),
    /// Whether an integer is 0.
    IsZero(Term),
    /// Negation.
    Not(Term),
    /// Conjunction, in order.
    And(Vec<Term>),
    /// A function of which nothing is known but that it is one.
    Apply(Arc<str>, DType, Vec<Term>),
    /// As [`Node::Apply`], of whole vectors: only the same operands are known to give the same.
    Whole(Arc<str>, DType, Vec<Term>),
    /// An element of a memory.
    Load { memory: Term, dtype: DType, index: Vec<Term> },
    /// The contents of a memory at some time, of which nothing is known.
    Memory(u32),
    /// A memory after a store, if the guard holds.
    Store { memory: Term, guard: Term, index: Vec<Term>, value: Term, dtype: DType },
}

/// A free value.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    /// Its name in the program.
    pub(super) name: Arc<str>,
    /// Its type.
    pub(super) dtype: DType,
}

/// What kind of value a term has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sort {
    /// An integer.
    Int,
    /// A truth value.
    Truth,
    /// Anything else: floats, pointers, memories.
    Other,
}

impl Sort {
    /// That of values of a type.
    pub(super) fn of(dtype: DType) -> Sort {
        match dtype {
            _ if dtype.is_bool() => Sort::Truth,
            _ if dtype.is_integral() => Sort::Int,
            _ => Sort::Other,
        }
    }
}

/// How the names of operations begin that are too large to compute with; they have values of no type.
pub(super) const LARGE: &str = "large ";

/// All terms of a proof.
#[derive(Default)]
pub(super) struct Terms {
    nodes: Vec<Node>,
    ranges: Vec<Range>,
    sorts: Vec<Sort>,
    by_node: HashMap<Node, Term>,
    atoms: Vec<(Atom, Range)>,
    memories: u32,
    /// How many divisions are being made inside of others.
    pub(super) depth: u32,
    /// Sums whose ranges were looked at again, by what remainders are in them.
    pub(super) refined: HashSet<Term>,
    /// Whether a sum is not negative where some others are not, as far as that was asked.
    pub(super) signs: HashMap<(Vec<Term>, Term), bool>,
    /// What sums, quotients and comparisons were made.
    pub(super) made: Made,
    /// Conditions on few values, by what they say.
    pub(super) tables: Tables,
    /// The maximum of two integers whose minimum a term is, or the other way round, and the sum of the integers.
    pub(super) pairs: HashMap<Term, (Term, Term)>,
    /// How many there may be before nothing is looked for any more that takes many.
    pub(super) limit: Option<usize>,
    /// Variables that stand for quotients.
    pub(super) quotients: HashMap<Term, Term>,
}

impl Terms {
    /// What the term is made of.
    pub(super) fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    /// Bounds of the value, from those of atoms.
    pub(super) fn range(&self, term: Term) -> Range {
        self.ranges[term.0 as usize]
    }

    /// What is known besides of the value: it is known everywhere.
    pub(super) fn restrict(&mut self, term: Term, range: Range) {
        let before = self.range(term);
        self.narrow(term, range);
        if self.range(term) != before {
            self.signs.clear();
            self.made.clear();
        }
    }

    /// What follows of the value from what is known already.
    pub(super) fn narrow(&mut self, term: Term, range: Range) {
        let known = &mut self.ranges[term.0 as usize];
        *known = known.within(range);
    }

    /// What kind of value it is.
    pub(super) fn sort(&self, term: Term) -> Sort {
        self.sorts[term.0 as usize]
    }

    /// The atom with a number.
    pub(super) fn atom(&self, number: u32) -> &Atom {
        &self.atoms[number as usize].0
    }

    /// The term of a node as it is.
    pub(super) fn intern(&mut self, node: Node) -> Term {
        if let Some(&term) = self.by_node.get(&node) {
            return term;
        }
        let term = Term(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let sort = self.sort_of(&node);
        let range = if sort == Sort::Int { self.range_of(&node) } else { Range::ALL };
        self.nodes.push(node.clone());
        self.ranges.push(range);
        self.sorts.push(sort);
        self.by_node.insert(node, term);
        term
    }

    /// How many terms there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are as many as there may be.
    pub(super) fn is_full(&self) -> bool {
        self.limit.is_some_and(|limit| self.len() >= limit)
    }

    /// The term of a node, if there is one.
    pub(super) fn known(&self, node: &Node) -> Option<Term> {
        self.by_node.get(node).copied()
    }

    /// A new free value. It may be any of its type within the range.
    pub(super) fn new_atom(&mut self, name: &str, dtype: DType, range: Range) -> Term {
        self.push_atom(name, dtype.scalar(), range.within(Range::of_type(dtype)))
    }

    /// A new integer, which no type bounds.
    pub(super) fn new_integer(&mut self, name: &str, range: Range) -> Term {
        self.push_atom(name, DType::I64, range)
    }

    fn push_atom(&mut self, name: &str, dtype: DType, range: Range) -> Term {
        let number = u32::try_from(self.atoms.len()).unwrap_or(u32::MAX);
        self.atoms.push((Atom { name: name.into(), dtype }, range));
        self.intern(Node::Atom(number))
    }

    /// A memory with unknown contents.
    pub(super) fn new_memory(&mut self) -> Term {
        self.memories += 1;
        self.intern(Node::Memory(self.memories))
    }

    /// An integer.
    pub(super) fn int(&mut self, value: i128) -> Term {
        self.intern(Node::Int(value))
    }

    /// A truth value.
    pub(super) fn truth(&mut self, value: bool) -> Term {
        self.intern(Node::Truth(value))
    }

    /// The integer that the term is.
    pub(super) fn as_int(&self, term: Term) -> Option<i128> {
        match self.node(term) {
            Node::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The truth value that the term is.
    pub(super) fn as_truth(&self, term: Term) -> Option<bool> {
        match self.node(term) {
            Node::Truth(value) => Some(*value),
            _ => None,
        }
    }

    /// A function of which nothing is known.
    pub(super) fn apply(&mut self, name: &str, dtype: DType, operands: Vec<Term>) -> Term {
        self.intern(Node::Apply(name.into(), dtype.scalar(), operands))
    }

    fn sort_of(&self, node: &Node) -> Sort {
        match node {
            Node::Int(_)
            | Node::Lane(..)
            | Node::Sum(_)
            | Node::Quotient(..)
            | Node::Truncated(..)
            | Node::Extremum { .. }
            | Node::Wrap { .. } => Sort::Int,
            Node::Truth(_) | Node::NotNegative(_) | Node::IsZero(_) | Node::Not(_) | Node::And(_) => {
                Sort::Truth
            }
            Node::Atom(number) => Sort::of(self.atom(*number).dtype),
            Node::Choice(_, then, _) => self.sort(*then),
            Node::Apply(_, dtype, _) | Node::Whole(_, dtype, _) | Node::Load { dtype, .. } => {
                Sort::of(*dtype)
            }
            Node::Memory(_) | Node::Store { .. } => Sort::Other,
        }
    }

    fn range_of(&self, node: &Node) -> Range {
        match node {
            Node::Int(value) => Range::point(*value),
            Node::Atom(number) => self.atoms[*number as usize].1,
            Node::Lane(lanes, _) => Range::new(Some(0), Some(i128::from(*lanes) - 1)),
            Node::Sum(terms) => terms.iter().fold(Range::point(0), |sum, (monomial, factor)| {
                sum.plus(self.range_of_product(monomial).times(Range::point(*factor)))
            }),
            Node::Quotient(a, b) => self.range(*a).floor_div(self.range(*b).without_zero()),
            Node::Truncated(a, b) => self.range(*a).trunc_div(self.range(*b).without_zero()),
            Node::Extremum { greatest, of } => {
                let ranges = of.iter().map(|&term| self.range(term));
                ranges.reduce(|a, b| a.extremum(b, *greatest)).unwrap_or(Range::ALL)
            }
            Node::Wrap { bits, signed, .. } => {
                let dtype = if *signed { DType::int(*bits) } else { DType::uint(*bits) };
                Range::of_type(dtype)
            }
            Node::Choice(_, a, b) => self.range(*a).or(self.range(*b)),
            Node::Apply(name, ..) if name.starts_with(LARGE) => Range::ALL,
            Node::Apply(_, dtype, _) | Node::Whole(_, dtype, _) | Node::Load { dtype, .. } => {
                Range::of_type(*dtype)
            }
            Node::Truth(_)
            | Node::NotNegative(_)
            | Node::IsZero(_)
            | Node::Not(_)
            | Node::And(_)
            | Node::Memory(_)
            | Node::Store { .. } => Range::ALL,
        }
    }

    pub(super) fn range_of_product(&self, monomial: &[Term]) -> Range {
        // A square is not negative, whatever the sign of its root.
        match monomial {
            [a, b] if a == b => self.range(*a).squared(),
            _ => monomial.iter().fold(Range::point(1), |product, &term| product.times(self.range(term))),
        }
    }

    /// Calls `f` on the terms that the term is made of.
    pub(super) fn for_each_part(&self, term: Term, mut f: impl FnMut(Term)) {
        match self.node(term) {
            Node::Int(_) | Node::Truth(_) | Node::Atom(_) | Node::Lane(..) | Node::Memory(_) => {}
            Node::Sum(terms) => {
                terms.iter().for_each(|(monomial, _)| monomial.iter().copied().for_each(&mut f))
            }
            Node::Quotient(a, b) | Node::Truncated(a, b) => [*a, *b].into_iter().for_each(f),
            Node::Extremum { of, .. } | Node::And(of) => of.iter().copied().for_each(f),
            Node::Wrap { of, .. } | Node::NotNegative(of) | Node::IsZero(of) | Node::Not(of) => f(*of),
            Node::Choice(a, b, c) => [*a, *b, *c].into_iter().for_each(f),
            Node::Apply(_, _, operands) | Node::Whole(_, _, operands) => operands.iter().copied().for_each(f),
            Node::Load { memory, index, .. } => {
                f(*memory);
                index.iter().copied().for_each(f);
            }
            Node::Store { memory, guard, index, value, .. } => {
                [*memory, *guard, *value].into_iter().for_each(&mut f);
                index.iter().copied().for_each(f);
            }
        }
    }

    /// Whether one of these terms is a part of the term.
    pub(super) fn mentions(&self, term: Term, any: &dyn Fn(Term) -> bool) -> bool {
        let mut seen = hashbrown::HashSet::new();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if any(term) {
                return true;
            }
            if seen.insert(term) {
                self.for_each_part(term, |part| open.push(part));
            }
        }
        false
    }
}
