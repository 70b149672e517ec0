//! Truth values, choices, and when two terms are equal.

use super::term::{Node, Sort, Term, Terms};

impl Terms {
    pub(super) fn not(&mut self, a: Term) -> Term {
        match *self.node(a) {
            Node::Truth(value) => self.truth(!value),
            Node::Not(of) => of,
            // Not a >= 0 is -a - 1 >= 0.
            Node::NotNegative(of) => {
                let minus_one = self.int(-1);
                let below = self.sub(minus_one, of);
                self.not_negative(below)
            }
            _ => self.intern(Node::Not(a)),
        }
    }

    /// The conjunction.
    pub(super) fn and(&mut self, all: &[Term]) -> Term {
        let mut parts = Vec::new();
        for &term in all {
            match self.node(term) {
                Node::And(of) => parts.extend(of.iter().copied()),
                Node::Truth(true) => {}
                Node::Truth(false) => return self.truth(false),
                _ => parts.push(term),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        for &part in &parts {
            let negated = self.not(part);
            if parts.binary_search(&negated).is_ok() {
                return self.truth(false);
            }
        }
        match parts[..] {
            [] => self.truth(true),
            [one] => one,
            _ => self.intern(Node::And(parts)),
        }
    }

    /// The disjunction.
    pub(super) fn or(&mut self, all: &[Term]) -> Term {
        let negated: Vec<Term> = all.iter().map(|&t| self.not(t)).collect();
        let none = self.and(&negated);
        self.not(none)
    }

    /// Whether `b` holds if `a` does.
    pub(super) fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_a = self.not(a);
        self.or(&[not_a, b])
    }

    pub(super) fn choice(&mut self, cond: Term, mut then: Term, mut otherwise: Term) -> Term {
        if let Some(value) = self.as_truth(cond) {
            return if value { then } else { otherwise };
        }
        if then == otherwise {
            return then;
        }
        if let Node::Not(of) = *self.node(cond) {
            return self.choice(of, otherwise, then);
        }
        // The same choice has been made in its arms.
        match (self.node(then), self.node(otherwise)) {
            (&Node::Choice(same, value, _), _) if same == cond => return self.choice(cond, value, otherwise),
            (_, &Node::Choice(same, _, value)) if same == cond => return self.choice(cond, then, value),
            _ => {}
        }
        match self.sort(then) {
            Sort::Truth => {
                let not_cond = self.not(cond);
                // In each arm it is known whether the condition holds.
                for (arm, holds) in [(&mut then, true), (&mut otherwise, false)] {
                    if *arm == cond || *arm == not_cond {
                        *arm = self.truth((*arm == cond) == holds);
                    }
                }
                if then == otherwise {
                    return then;
                }
                let yes = self.implies(cond, then);
                let no = self.implies(not_cond, otherwise);
                // A choice with a constant arm is a conjunction or disjunction; others stay choices.
                match (self.as_truth(then), self.as_truth(otherwise)) {
                    (None, None) => self.intern(Node::Choice(cond, then, otherwise)),
                    _ => self.and(&[yes, no]),
                }
            }
            // What both arms have in common comes out, so that an offset does not hide the choice.
            Sort::Int => {
                let difference = self.sub(then, otherwise);
                if self.as_int(difference).is_some() {
                    let zero = self.int(0);
                    let choice = self.intern(Node::Choice(cond, difference, zero));
                    return self.add(otherwise, choice);
                }
                self.intern(Node::Choice(cond, then, otherwise))
            }
            Sort::Other => match self.greater_or_less(cond, then, otherwise) {
                Some(extremum) => extremum,
                None => self.intern(Node::Choice(cond, then, otherwise)),
            },
        }
    }

    /// Whether two values of one sort are equal. What cannot be taken apart is an application of `equal`.
    pub(super) fn equal(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.truth(true);
        }
        match self.sort(a) {
            Sort::Int => {
                let difference = self.sub(a, b);
                self.is_zero(difference)
            }
            Sort::Truth => {
                let not_b = self.not(b);
                self.choice(a, b, not_b)
            }
            Sort::Other => self.same(a, b),
        }
    }

    /// A condition under which two values that are no numbers are equal: equal operands of the same function.
    fn same(&mut self, a: Term, b: Term) -> Term {
        let (left, right) = (self.node(a).clone(), self.node(b).clone());
        let pairs = match (left, right) {
            (Node::Apply(f, t, x), Node::Apply(g, u, y)) if (&f, t, x.len()) == (&g, u, y.len()) => {
                let mut ways = vec![self.all_equal(&x, &y)];
                if x.len() == 2 && is_commutative(&f) {
                    ways.push(self.all_equal(&x, &[y[1], y[0]]));
                }
                let choices = |of: &[Term]| of.iter().filter(|&&operand| self.has_choice(operand)).count();
                if choices(&x) != choices(&y) {
                    // Where the choice is decided, the operation may be another one.
                    ways.push(self.opaque_equal(a, b));
                }
                return self.or(&ways);
            }
            (Node::Load { memory: m, dtype: t, index: x }, Node::Load { memory: n, dtype: u, index: y })
                if (m, t, x.len()) == (n, u, y.len()) =>
            {
                return self.all_equal(&x, &y);
            }
            (Node::Choice(c, x, y), Node::Choice(d, z, w)) => {
                let same_cond = self.equal(c, d);
                let not_c = self.not(c);
                let (yes, no) = (self.equal(x, z), self.equal(y, w));
                let (yes, no) = (self.implies(c, yes), self.implies(not_c, no));
                let alike = self.and(&[same_cond, yes, no]);
                // They may be built of other choices and be equal all the same, which a solver sees.
                let equal = self.opaque_equal(a, b);
                return self.or(&[alike, equal]);
            }
            (Node::Choice(c, x, y), _) => {
                let not_c = self.not(c);
                let (yes, no) = (self.equal(x, b), self.equal(y, b));
                [self.implies(c, yes), self.implies(not_c, no), self.truth(true)]
            }
            (_, Node::Choice(..)) => return self.same(b, a),
            _ => return self.opaque_equal(a, b),
        };
        self.and(&pairs)
    }

    /// Whether a value that is no number is a choice, or an operation on one.
    pub(super) fn has_choice(&self, term: Term) -> bool {
        match self.node(term) {
            Node::Choice(..) => self.sort(term) == Sort::Other,
            Node::Apply(_, _, of) => of.iter().any(|&operand| matches!(self.node(operand), Node::Choice(..))),
            _ => false,
        }
    }

    /// That two values are equal, as a solver takes it.
    pub(super) fn opaque_equal(&mut self, a: Term, b: Term) -> Term {
        let operands = if a <= b { vec![a, b] } else { vec![b, a] };
        self.apply(EQUAL, crate::ir::DType::BOOL, operands)
    }

    /// Whether all of these are equal, one to one.
    pub(super) fn all_equal(&mut self, a: &[Term], b: &[Term]) -> Term {
        let pairs: Vec<Term> = a.iter().zip(b).map(|(&x, &y)| self.equal(x, y)).collect();
        let lengths = self.truth(a.len() == b.len());
        let all = self.and(&pairs);
        self.and(&[lengths, all])
    }
}

/// The name of an equality of which nothing is known.
pub(super) const EQUAL: &str = "equal";

/// Functions whose two operands may change places: their names begin so.
pub(super) const COMMUTATIVE: &str = "commutative ";

pub(super) fn is_commutative(name: &str) -> bool {
    name.starts_with(COMMUTATIVE)
}
