//! Loads from memories that are terms, and terms with other terms in them.

use hashbrown::HashMap;

use super::logic::EQUAL;
use super::term::{Node, Term, Terms};
use crate::ir::DType;

impl Terms {
    /// The element of a memory: what was stored there last, where that is known.
    pub(super) fn load(&mut self, mut memory: Term, dtype: DType, index: &[Term]) -> Term {
        /// Longest way back through stores.
        const MAX_STORES: usize = 300;
        let dtype = dtype.scalar();
        for _ in 0..MAX_STORES {
            let Node::Store { memory: before, guard, index: stored, value, dtype: of } = self.node(memory)
            else {
                break;
            };
            let (before, guard, stored, value, of) = (*before, *guard, stored.clone(), *value, *of);
            if of == dtype && stored == index && self.is_one_by_one(&stored, value) {
                if self.as_truth(guard) == Some(true) {
                    return value;
                }
                let otherwise = self.load(before, dtype, index);
                return self.choice(guard, value, otherwise);
            }
            if of == dtype
                && let Some(lanes) = self.lanes_of(&stored, value)
                && let Some((value, there)) = self.stored_in((&stored, value), lanes, index)
                && self.as_truth(there) == Some(true)
            {
                let otherwise = self.load(before, dtype, index);
                return self.choice(guard, value, otherwise);
            }
            if of != dtype || !self.apart(&stored, index) {
                break;
            }
            memory = before;
        }
        self.intern(Node::Load { memory, dtype, index: index.to_vec() })
    }

    /// How many lanes a store has, if it is one of a vector.
    pub(super) fn lanes_of(&self, stored: &[Term], value: Term) -> Option<u16> {
        stored.iter().chain([&value]).find_map(|&term| self.lane_of(term))
    }

    /// Whether no two lanes of a store store the same element: otherwise the last one counts.
    fn is_one_by_one(&mut self, stored: &[Term], value: Term) -> bool {
        let Some(lanes) = self.lanes_of(stored, value) else { return true };
        let lane = self.lane(lanes);
        stored.iter().any(|&at| {
            let sum = self.sum_of(at);
            let alone = sum.0.get(&vec![lane]).copied().unwrap_or(0);
            let scaled = self.int(alone);
            let product = self.mul(lane, scaled);
            let rest = self.sub(at, product);
            alone != 0 && self.lane_of(rest).is_none()
        })
    }

    /// The one memory where a condition holds, the other one elsewhere.
    pub(super) fn memory_after(&mut self, guard: Term, changed: Term, before: Term) -> Term {
        match self.as_truth(guard) {
            Some(true) => changed,
            Some(false) => before,
            None => self.intern(Node::Choice(guard, changed, before)),
        }
    }

    /// What a memory is where these conditions hold.
    pub(super) fn memory_under(&mut self, mut memory: Term, guards: &[Term]) -> Term {
        while let Node::Choice(guard, changed, before) = *self.node(memory) {
            let mut parts = match self.node(guard) {
                Node::And(parts) => parts.clone(),
                _ => vec![guard],
            };
            if parts.iter().all(|part| guards.contains(part)) {
                memory = changed;
                continue;
            }
            parts.push(guard);
            if !parts.into_iter().any(|part| guards.contains(&self.not(part))) {
                break;
            }
            memory = before;
        }
        memory
    }

    /// Whether two elements, or vectors of elements, are different ones whatever the values.
    pub(super) fn apart(&mut self, a: &[Term], b: &[Term]) -> bool {
        a.len() == b.len()
            && a.iter().zip(b).any(|(&x, &y)| {
                let y = self.other_lane(y);
                let difference = self.sub(x, y);
                self.range(difference).nonzero()
            })
    }

    /// The same for another lane.
    fn other_lane(&mut self, term: Term) -> Term {
        match self.lane_of(term) {
            Some(lanes) => {
                let (this, other) = (self.lane(lanes), self.intern(Node::Lane(lanes, true)));
                self.replace(term, this, other)
            }
            None => term,
        }
    }

    /// The number of a lane of a vector.
    pub(super) fn lane(&mut self, lanes: u16) -> Term {
        self.intern(Node::Lane(lanes, false))
    }

    /// How many lanes the term's value has, if it depends on the lane.
    pub(super) fn lane_of(&self, term: Term) -> Option<u16> {
        let (mut seen, mut open) = (hashbrown::HashSet::new(), vec![term]);
        while let Some(term) = open.pop() {
            match self.node(term) {
                Node::Lane(lanes, false) => return Some(*lanes),
                // What was stored, and what reads all lanes, does not depend on the lane that reads it.
                Node::Store { .. } | Node::Whole(..) => {}
                _ if seen.insert(term) => self.for_each_part(term, |part| open.push(part)),
                _ => {}
            }
        }
        None
    }

    /// The term with another part in place of one.
    pub(super) fn replace(&mut self, term: Term, part: Term, by: Term) -> Term {
        self.replaced(term, part, by, &mut HashMap::new())
    }

    fn replaced(&mut self, term: Term, part: Term, by: Term, done: &mut HashMap<Term, Term>) -> Term {
        if term == part {
            return by;
        }
        // What was made before it is not made of it.
        if term < part {
            return term;
        }
        if let Some(&result) = done.get(&term) {
            return result;
        }
        let mut all = |terms: &mut Self, of: &[Term]| -> Vec<Term> {
            of.iter().map(|&t| terms.replaced(t, part, by, done)).collect()
        };
        let result = match self.node(term).clone() {
            Node::Int(_) | Node::Truth(_) | Node::Atom(_) | Node::Lane(..) | Node::Memory(_) => term,
            Node::Sum(products) => {
                let products: Vec<(Term, i128)> = products
                    .into_iter()
                    .map(|(monomial, factor)| {
                        let one = self.int(1);
                        let factors = all(self, &monomial);
                        (factors.into_iter().fold(one, |product, t| self.mul(product, t)), factor)
                    })
                    .collect();
                self.sum_of_products(&products)
            }
            Node::Quotient(a, b) => {
                let of = all(self, &[a, b]);
                self.quotient(of[0], of[1])
            }
            Node::Truncated(a, b) => {
                let of = all(self, &[a, b]);
                self.truncated(of[0], of[1])
            }
            Node::Extremum { greatest, of } => {
                let of = all(self, &of);
                of[1..].iter().fold(of[0], |a, &b| self.extremum(greatest, a, b))
            }
            Node::Wrap { bits, signed, of } => {
                let of = all(self, &[of]);
                self.wrap(bits, signed, of[0])
            }
            Node::Choice(c, a, b) => {
                let of = all(self, &[c, a, b]);
                self.choice(of[0], of[1], of[2])
            }
            Node::NotNegative(a) => {
                let of = all(self, &[a]);
                self.not_negative(of[0])
            }
            Node::IsZero(a) => {
                let of = all(self, &[a]);
                self.is_zero(of[0])
            }
            Node::Not(a) => {
                let of = all(self, &[a]);
                self.not(of[0])
            }
            Node::And(of) => {
                let of = all(self, &of);
                self.and(&of)
            }
            Node::Apply(name, dtype, operands) => {
                let operands = all(self, &operands);
                match operands[..] {
                    [a, b] if a == b && &*name == EQUAL => self.truth(true),
                    _ => match self.again(&name, &operands) {
                        Some(made) => made,
                        None => self.intern(Node::Apply(name, dtype, operands)),
                    },
                }
            }
            Node::Load { memory, dtype, index } => {
                let index = all(self, &index);
                let memory = all(self, &[memory])[0];
                self.load(memory, dtype, &index)
            }
            Node::Store { .. } | Node::Whole(..) => term,
        };
        done.insert(term, result);
        result
    }
}
