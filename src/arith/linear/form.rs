//! Linear forms with 64-bit coefficients: sums of `coefficient * column` and a constant.
//!
//! Operations answer `None` when a number leaves 64 bits; whoever asked then does without the result.

use std::cmp::Ordering;

use smallvec::SmallVec;

use crate::arith::gcd;

/// A column: an integer unknown of a [`Problem`](super::problem::Problem), by its number.
pub(super) type Column = u32;

/// The variable part of a form.
pub(super) type Terms = SmallVec<[(Column, i64); 6]>;

/// `sum of coefficient * column + constant`.
// Invariant: columns strictly increase and no coefficient is zero.
#[derive(Debug, PartialEq, Eq, Hash, Default)]
pub(super) struct Form {
    terms: Terms,
    constant: i64,
}

impl Clone for Form {
    fn clone(&self) -> Form {
        // At once, where `SmallVec::clone` goes from term to term.
        Form { terms: Terms::from_slice(&self.terms), constant: self.constant }
    }
}

impl Form {
    /// The constant `c`.
    pub(super) fn constant(c: i64) -> Form {
        Form { terms: Terms::new(), constant: c }
    }

    /// A column.
    pub(super) fn column(column: Column) -> Form {
        Form { terms: Terms::from_slice(&[(column, 1)]), constant: 0 }
    }

    /// From terms that are sorted, with no zero among the coefficients.
    pub(super) fn from_sorted(terms: Terms, constant: i64) -> Form {
        debug_assert!(terms.windows(2).all(|w| w[0].0 < w[1].0) && terms.iter().all(|t| t.1 != 0));
        Form { terms, constant }
    }

    /// The terms by column.
    pub(super) fn terms(&self) -> &[(Column, i64)] {
        &self.terms
    }

    /// The terms and the constant.
    pub(super) fn into_parts(self) -> (Terms, i64) {
        (self.terms, self.constant)
    }

    /// The constant term.
    pub(super) fn constant_term(&self) -> i64 {
        self.constant
    }

    /// The value, if there are no terms.
    pub(super) fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The column and the constant, if this is a column plus a constant.
    pub(super) fn as_shifted_column(&self) -> Option<(Column, i64)> {
        match self.terms[..] {
            [(column, 1)] => Some((column, self.constant)),
            _ => None,
        }
    }

    /// The coefficient of a column.
    pub(super) fn coefficient(&self, column: Column) -> i64 {
        self.terms.binary_search_by_key(&column, |t| t.0).map_or(0, |i| self.terms[i].1)
    }

    /// The greatest common divisor of the coefficients; 0 if there are none.
    pub(super) fn content(&self) -> i64 {
        self.terms.iter().fold(0, |g, &(_, c)| gcd(g, c))
    }

    /// `a * self + b * other`.
    pub(super) fn combine(&self, a: i64, other: &Form, b: i64) -> Option<Form> {
        let mut terms = Terms::new();
        let (mut i, mut j) = (0, 0);
        loop {
            let order = match (self.terms.get(i), other.terms.get(j)) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(x), Some(y)) => x.0.cmp(&y.0),
            };
            let (column, coefficient) = match order {
                Ordering::Less => (self.terms[i].0, self.terms[i].1.checked_mul(a)?),
                Ordering::Greater => (other.terms[j].0, other.terms[j].1.checked_mul(b)?),
                Ordering::Equal => {
                    let (x, y) = (self.terms[i].1.checked_mul(a)?, other.terms[j].1.checked_mul(b)?);
                    (self.terms[i].0, x.checked_add(y)?)
                }
            };
            i += usize::from(order.is_le());
            j += usize::from(order.is_ge());
            if coefficient != 0 {
                terms.push((column, coefficient));
            }
        }
        let constant = self.constant.checked_mul(a)?.checked_add(other.constant.checked_mul(b)?)?;
        Some(Form { terms, constant })
    }

    /// Adds `coefficient * column`.
    pub(super) fn add_term(&mut self, column: Column, coefficient: i64) -> Option<()> {
        match self.terms.binary_search_by_key(&column, |t| t.0) {
            Ok(at) => {
                let sum = self.terms[at].1.checked_add(coefficient)?;
                if sum == 0 {
                    self.terms.remove(at);
                } else {
                    self.terms[at].1 = sum;
                }
            }
            Err(at) if coefficient != 0 => self.terms.insert(at, (column, coefficient)),
            Err(_) => {}
        }
        Some(())
    }

    /// Sum.
    pub(super) fn add(&self, other: &Form) -> Option<Form> {
        self.combine(1, other, 1)
    }

    /// Difference.
    pub(super) fn sub(&self, other: &Form) -> Option<Form> {
        self.combine(1, other, -1)
    }

    /// Product with a constant.
    pub(super) fn scale(&self, k: i64) -> Option<Form> {
        if k == 0 {
            return Some(Form::default());
        }
        let mut scaled = self.clone();
        for (_, c) in &mut scaled.terms {
            *c = c.checked_mul(k)?;
        }
        scaled.constant = scaled.constant.checked_mul(k)?;
        Some(scaled)
    }

    /// Sum with a constant.
    pub(super) fn plus(&self, k: i64) -> Option<Form> {
        let constant = self.constant.checked_add(k)?;
        Some(Form { constant, ..self.clone() })
    }

    /// `self = c * quotient + rest` for `c > 0`, with every coefficient of `rest` in `0..c`.
    pub(super) fn split(&self, c: i64) -> (Form, Form) {
        let pick = |f: fn(i64, i64) -> i64| Form {
            terms: self.terms.iter().map(|t| (t.0, f(t.1, c))).filter(|t| t.1 != 0).collect(),
            constant: f(self.constant, c),
        };
        (pick(i64::div_euclid), pick(i64::rem_euclid))
    }

    /// The form with `column` replaced by `value`.
    pub(super) fn substitute(&self, column: Column, value: &Form) -> Option<Form> {
        let k = self.coefficient(column);
        if k == 0 {
            return Some(self.clone());
        }
        let mut rest = self.clone();
        rest.terms.retain(|t| t.0 != column);
        rest.combine(1, value, k)
    }

    /// The value for given columns.
    pub(super) fn evaluate(&self, values: &[i64]) -> Option<i64> {
        let mut sum = self.constant;
        for &(column, c) in &self.terms {
            sum = sum.checked_add(c.checked_mul(values[column as usize])?)?;
        }
        Some(sum)
    }
}
