//! Values that variables may have together at some place, by which it is guessed how programs belong together. Nothing that is
//! proven rests on them.

use std::cell::RefCell;

use hashbrown::HashMap;

use super::place::{Place, conditions};
use super::term::{Node, Term, Terms};

impl Terms {
    /// The value of a term, 0 or 1 for a condition, by values for what nothing is known of; `None` where something is divided
    /// by 0, is too large, or has no value. Values that are found are remembered.
    pub(super) fn evaluated(
        &self,
        term: Term,
        free: &dyn Fn(Term) -> Option<i128>,
        known: &mut HashMap<Term, Option<i128>>,
    ) -> Option<i128> {
        if let Some(&value) = known.get(&term) {
            return value;
        }
        let value = self.evaluated_anew(term, free, known);
        known.insert(term, value);
        value
    }

    fn evaluated_anew(
        &self,
        term: Term,
        free: &dyn Fn(Term) -> Option<i128>,
        known: &mut HashMap<Term, Option<i128>>,
    ) -> Option<i128> {
        let mut of = |t: Term| self.evaluated(t, free, known);
        Some(match self.node(term) {
            Node::Int(value) => *value,
            Node::Truth(value) => i128::from(*value),
            Node::Sum(products) => {
                let mut sum = 0i128;
                for (monomial, factor) in products {
                    let product =
                        monomial.iter().try_fold(*factor, |product, &t| product.checked_mul(of(t)?));
                    sum = sum.checked_add(product?)?;
                }
                sum
            }
            Node::Quotient(a, b) => {
                let (a, b) = (of(*a)?, of(*b)?);
                let towards_zero = a.checked_div(b)?;
                let rounded_up = (a % b != 0) && ((a < 0) != (b < 0));
                towards_zero - i128::from(rounded_up)
            }
            Node::Truncated(a, b) => {
                let (a, b) = (of(*a)?, of(*b)?);
                a.checked_div(b)?
            }
            Node::Extremum { greatest, of: operands } => {
                let values = operands.iter().map(|&t| of(t)).collect::<Option<Vec<_>>>()?;
                values.into_iter().reduce(|a, b| if *greatest { a.max(b) } else { a.min(b) })?
            }
            Node::Wrap { bits, signed, of: a } => {
                let modulus = 1i128 << bits;
                let value = of(*a)?.rem_euclid(modulus);
                if *signed && value >= modulus / 2 { value - modulus } else { value }
            }
            Node::Choice(c, a, b) => {
                let arm = if of(*c)? != 0 { *a } else { *b };
                of(arm)?
            }
            Node::NotNegative(a) => i128::from(of(*a)? >= 0),
            Node::IsZero(a) => i128::from(of(*a)? == 0),
            Node::Not(a) => 1 - of(*a)?,
            Node::And(all) => {
                let values = all.iter().map(|&t| of(t)).collect::<Option<Vec<_>>>()?;
                i128::from(values.into_iter().all(|v| v != 0))
            }
            Node::Atom(_)
            | Node::Lane(..)
            | Node::Apply(..)
            | Node::Whole(..)
            | Node::Load { .. }
            | Node::Memory(_)
            | Node::Store { .. } => free(term)?,
        })
    }
}

/// Values of free terms, which fulfil the conditions of a place as far as these are known.
pub(super) struct Sample {
    dice: u64,
    /// The variables of the loops around.
    loops: HashMap<Term, i128>,
    known: RefCell<HashMap<Term, Option<i128>>>,
}

impl Sample {
    /// Some values; others for another number. `None` if no values are found.
    pub(super) fn of(terms: &Terms, place: &Place, number: u64) -> Option<Sample> {
        /// How many values are tried.
        const MAX_TRIED: u64 = 40;
        let conditions = conditions(place, true);
        (0..MAX_TRIED).map(|tried| number * MAX_TRIED + tried).find_map(|dice| {
            let mut sample = Sample { dice, loops: HashMap::new(), known: RefCell::new(HashMap::new()) };
            for frame in &place.loops {
                let Some(var) = frame.var else { continue };
                // Near the first value, or near the last one, mostly these.
                let random = sample.random(var);
                let (from_end, since) = (random & 8 != 0, [0, 0, 0, 0, 1, 1, 2, 3][(random % 8) as usize]);
                let first = sample.value(terms, frame.first)?;
                let value = match terms.range(var).hi {
                    Some(last) if from_end && last < 1 << 20 => last.saturating_sub(since).max(first),
                    Some(last) => first.saturating_add(since).min(last),
                    None => first.saturating_add(since),
                };
                sample.loops.insert(var, value);
            }
            let holds = |&condition: &Term| sample.value(terms, condition) != Some(0);
            conditions.iter().all(holds).then_some(sample)
        })
    }

    /// The value of a term.
    pub(super) fn value(&self, terms: &Terms, term: Term) -> Option<i128> {
        terms.evaluated(term, &|term| self.free(terms, term), &mut self.known.borrow_mut())
    }

    fn free(&self, terms: &Terms, term: Term) -> Option<i128> {
        /// Sizes are below.
        const SIZES: u64 = 24;
        if let Some(&value) = self.loops.get(&term) {
            return Some(value);
        }
        if !matches!(terms.node(term), Node::Atom(_)) {
            return None;
        }
        let range = terms.range(term);
        let lo = range.lo.filter(|lo| lo.abs() < 1 << 20).unwrap_or(0);
        let value = lo.checked_add(i128::from(self.random(term) % SIZES))?;
        Some(range.hi.map_or(value, |hi| value.min(hi)))
    }

    fn random(&self, term: Term) -> u64 {
        mixed(self.dice ^ mixed(u64::from(term.0)))
    }
}

/// Spreads the bits of a number.
pub(super) fn mixed(n: u64) -> u64 {
    let n = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}
