//! Columns with their definitions.
//!
//! A column is a free integer or defined by others: a product, a floor quotient (by zero it is 0), a minimum, a
//! choice. Definitions are shared: equal ones are one column.

use hashbrown::HashMap;
use smallvec::SmallVec;

use super::bitop::BitOp;
use super::form::{Column, Form};
use super::formula::Formula;
use crate::arith::{Interval, gcd};

/// The highest degree of a product.
const MAX_DEGREE: usize = 6;

/// The most terms of a form that is kept.
const MAX_TERMS: usize = 48;

/// The most arguments of a minimum.
const MAX_ARGUMENTS: usize = 32;

/// The factors of a product, sorted.
pub(super) type Factors = SmallVec<[Column; 4]>;

/// What a column is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Definition {
    /// Any integer of the column's range.
    Free,
    /// The product of columns, at least two of them.
    Product(Factors),
    /// `floor(numerator / divisor)`, 0 if the divisor is 0.
    Quotient(Form, Form),
    /// The least of the forms, at least two.
    Min(Vec<Form>),
    /// The first form if the formula holds, else the second.
    Choice(Box<Formula>, Form, Form),
    /// An operation on the bits of operands that are not negative, in which no bit is lost at the top.
    Bits(BitOp, Form, Form),
    /// `T.vscale()`, one and the same positive number everywhere.
    Vscale,
}

/// Columns and their definitions. A definition mentions only columns before its own.
#[derive(Clone, Debug, Default)]
pub(super) struct Problem {
    definitions: Vec<Definition>,
    ranges: Vec<Interval>,
    index: HashMap<Definition, Column>,
    /// The products of two columns that were asked for.
    monomials: HashMap<(Column, Column), Column>,
}

impl Problem {
    /// How many columns there are.
    pub(super) fn len(&self) -> usize {
        self.definitions.len()
    }

    /// What a column is.
    pub(super) fn definition(&self, column: Column) -> &Definition {
        &self.definitions[column as usize]
    }

    /// A range of the column that holds whatever the free columns are.
    pub(super) fn range(&self, column: Column) -> Interval {
        self.ranges[column as usize]
    }

    /// A new free column.
    pub(super) fn free(&mut self, range: Interval) -> Column {
        self.push(Definition::Free, range)
    }

    /// Whether nothing defines the value of the column.
    pub(super) fn is_free(&self, column: Column) -> bool {
        matches!(self.definition(column), Definition::Free | Definition::Vscale)
    }

    /// The column of `T.vscale()`.
    pub(super) fn vscale(&mut self) -> Form {
        let positive = Interval::between(Some(1), None).unwrap_or(Interval::ALL);
        Form::column(self.defined(Definition::Vscale, positive))
    }

    fn push(&mut self, definition: Definition, range: Interval) -> Column {
        self.definitions.push(definition);
        self.ranges.push(range);
        (self.definitions.len() - 1) as Column
    }

    /// The column with a definition, with a range if there is none yet.
    pub(super) fn defined(&mut self, definition: Definition, range: Interval) -> Column {
        if let Some(&column) = self.index.get(&definition) {
            return column;
        }
        let column = self.push(definition.clone(), range);
        self.index.insert(definition, column);
        column
    }

    /// A range of a form.
    pub(super) fn range_of(&self, form: &Form) -> Interval {
        range_in(form, &self.ranges)
    }

    /// The product of two forms.
    pub(super) fn product(&mut self, a: &Form, b: &Form) -> Option<Form> {
        let mut sum = b.scale(a.constant_term())?;
        for &(x, k) in a.terms() {
            for &(y, l) in b.terms() {
                let column = self.monomial(x, y)?;
                sum.add_term(column, k.checked_mul(l)?)?;
            }
            sum.add_term(x, k.checked_mul(b.constant_term())?)?;
        }
        (sum.terms().len() <= MAX_TERMS).then_some(sum)
    }

    fn monomial(&mut self, x: Column, y: Column) -> Option<Column> {
        if let Some(&column) = self.monomials.get(&(x, y)) {
            return Some(column);
        }
        let mut factors = self.factors(x);
        factors.extend_from_slice(&self.factors(y));
        factors.sort_unstable();
        if factors.len() > MAX_DEGREE {
            return None;
        }
        let range = self.product_range(&factors, &self.ranges);
        let column = self.defined(Definition::Product(factors), range);
        self.monomials.insert((x, y), column);
        Some(column)
    }

    /// The column of a product of columns, at least one, if there is such a column.
    pub(super) fn known_product(&self, factors: Factors) -> Option<Column> {
        match factors[..] {
            [column] => Some(column),
            _ => self.index.get(&Definition::Product(factors)).copied(),
        }
    }

    /// The factors of a column; itself if it is no product.
    pub(super) fn factors(&self, column: Column) -> Factors {
        match self.definition(column) {
            Definition::Product(factors) => Factors::from_slice(factors),
            _ => Factors::from_slice(&[column]),
        }
    }

    /// A range of a product from ranges of its factors; that of an even power is not negative.
    pub(super) fn product_range(&self, factors: &Factors, ranges: &[Interval]) -> Interval {
        let mut range = Interval::point(1);
        let mut rest = &factors[..];
        while let Some((&x, tail)) = rest.split_first() {
            let own = ranges[x as usize];
            if tail.first() == Some(&x) {
                let square = own.mul(own);
                range = range.mul(square.meet(Interval::NON_NEGATIVE).unwrap_or(square));
                rest = &tail[1..];
            } else {
                range = range.mul(own);
                rest = tail;
            }
        }
        range
    }

    /// `floor(n / d)`, 0 for `d = 0`.
    pub(super) fn quotient(&mut self, n: &Form, d: &Form) -> Option<Form> {
        match d.as_constant() {
            Some(0) => Some(Form::constant(0)),
            Some(1) => Some(n.clone()),
            Some(c) if c > 0 => self.quotient_by(n, c),
            Some(c) => self.quotient_by(&n.scale(-1)?, c.checked_neg()?),
            None => {
                let range = self.range_of(n).floordiv(self.range_of(d)).unwrap_or(Interval::ALL);
                let definition = Definition::Quotient(n.clone(), d.clone());
                Some(Form::column(self.defined(definition, range)))
            }
        }
    }

    /// `floor(n / c)` for `c > 1`: multiples split off, common factors taken out, nested quotients merged.
    fn quotient_by(&mut self, n: &Form, c: i64) -> Option<Form> {
        let (whole, mut n) = n.split(c);
        let mut c = c;
        loop {
            let g = gcd(n.content(), c);
            if n.terms().is_empty() || g > 1 {
                // floor((g*m + r) / (g*c)) = floor((m + floor(r / g)) / c)
                let g = if n.terms().is_empty() { c } else { g };
                (n, c) = (n.split(g).0, c / g);
            }
            let inner = n.as_shifted_column().and_then(|(column, shift)| match self.definition(column) {
                Definition::Quotient(m, d) => {
                    let d = d.as_constant()?;
                    Some((m.plus(shift.checked_mul(d)?)?, c.checked_mul(d)?))
                }
                _ => None,
            });
            match inner {
                // floor((floor(m / d) + s) / c) = floor((m + s*d) / (c*d))
                Some((m, product)) if c > 1 => (n, c) = (m, product),
                _ => break,
            }
        }
        if c == 1 {
            return whole.add(&n);
        }
        let (more, n) = n.split(c);
        let whole = whole.add(&more)?;
        let range = self.range_of(&n).floordiv_const(c);
        if let Some(v) = range.as_point() {
            return whole.plus(v);
        }
        let column = self.defined(Definition::Quotient(n, Form::constant(c)), range);
        whole.add(&Form::column(column))
    }

    /// `n - d * floor(n / d)`.
    pub(super) fn remainder(&mut self, n: &Form, d: &Form) -> Option<Form> {
        let quotient = self.quotient(n, d)?;
        let multiple = match d.as_constant() {
            Some(c) => quotient.scale(c)?,
            None => self.product(d, &quotient)?,
        };
        n.sub(&multiple)
    }

    /// The smaller of two forms.
    pub(super) fn min(&mut self, a: &Form, b: &Form) -> Option<Form> {
        let mut args: Vec<Form> = Vec::new();
        for form in [a, b] {
            match form.as_shifted_column().map(|(column, shift)| (self.definition(column), shift)) {
                Some((Definition::Min(inner), shift)) => {
                    for arg in inner {
                        args.push(arg.plus(shift)?);
                    }
                }
                _ => args.push(form.clone()),
            }
        }
        if args.len() > MAX_ARGUMENTS {
            return None;
        }
        // Of forms that differ by a constant the smaller.
        args.sort_unstable_by(|x, y| {
            x.terms().cmp(y.terms()).then(x.constant_term().cmp(&y.constant_term()))
        });
        args.dedup_by(|later, earlier| later.terms() == earlier.terms());
        let shift = args.first()?.constant_term();
        if args.len() == 1 {
            return args.pop();
        }
        let mut least: Option<Interval> = None;
        for arg in &mut args {
            *arg = arg.plus(shift.checked_neg()?)?;
            let range = self.range_of(arg);
            least = Some(least.map_or(range, |l| l.min(range)));
        }
        let range = least.unwrap_or(Interval::ALL);
        Form::column(self.defined(Definition::Min(args), range)).plus(shift)
    }

    /// The larger of two forms.
    pub(super) fn max(&mut self, a: &Form, b: &Form) -> Option<Form> {
        self.min(&a.scale(-1)?, &b.scale(-1)?)?.scale(-1)
    }

    /// `then` if the condition holds, else `otherwise`.
    pub(super) fn choice(&mut self, cond: &Formula, then: &Form, otherwise: &Form) -> Form {
        if then == otherwise || cond.is(true) {
            return then.clone();
        }
        if cond.is(false) {
            return otherwise.clone();
        }
        let range = self.range_of(then).join(self.range_of(otherwise));
        let definition = Definition::Choice(Box::new(cond.clone()), then.clone(), otherwise.clone());
        Form::column(self.defined(definition, range))
    }

    /// What defines a column, as a formula about it; `None` if it is free, a product (whose facts depend on the
    /// ranges of the factors) or too large.
    pub(super) fn defining(&mut self, column: Column) -> Option<Formula> {
        let own = Form::column(column);
        match self.definition(column).clone() {
            Definition::Free | Definition::Vscale | Definition::Product(_) => None,
            Definition::Bits(op, a, b) => op.bounds(&a, &b, &own, self.range_of(&b)),
            Definition::Quotient(n, d) => match d.as_constant() {
                Some(c) => {
                    let rest = n.combine(1, &own, c.checked_neg()?)?;
                    let above = rest.scale(-1)?.plus(c - 1)?;
                    Some(Formula::all([Formula::at_least(rest), Formula::at_least(above)]))
                }
                None => {
                    let rest = n.sub(&self.product(&own, &d)?)?;
                    let positive = [
                        Formula::at_least(d.plus(-1)?),
                        Formula::at_least(rest.clone()),
                        Formula::at_least(d.sub(&rest)?.plus(-1)?),
                    ];
                    let negative = [
                        Formula::at_least(d.scale(-1)?.plus(-1)?),
                        Formula::at_least(rest.scale(-1)?),
                        Formula::at_least(rest.sub(&d)?.plus(-1)?),
                    ];
                    let by_zero = [Formula::zero(d), Formula::zero(own)];
                    Some(Formula::any([
                        Formula::all(positive),
                        Formula::all(by_zero),
                        Formula::all(negative),
                    ]))
                }
            },
            Definition::Min(args) => {
                let mut parts = Vec::with_capacity(args.len() + 1);
                let mut reached = Vec::with_capacity(args.len());
                for arg in args {
                    parts.push(Formula::at_least(arg.sub(&own)?));
                    reached.push(Formula::at_least(own.sub(&arg)?));
                }
                parts.push(Formula::any(reached));
                Some(Formula::all(parts))
            }
            Definition::Choice(cond, then, otherwise) => {
                let not = cond.negate()?;
                let then = Formula::all([*cond, Formula::zero(own.sub(&then)?)]);
                let otherwise = Formula::all([not, Formula::zero(own.sub(&otherwise)?)]);
                Some(Formula::any([then, otherwise]))
            }
        }
    }

    /// Computes the columns for which `given` is false from those before; `None` if a number leaves 64 bits.
    pub(super) fn compute(&self, values: &mut [i64], given: impl Fn(Column) -> bool) -> Option<()> {
        for (at, definition) in self.definitions.iter().enumerate() {
            if given(at as Column) {
                continue;
            }
            values[at] = match definition {
                Definition::Free | Definition::Vscale => continue,
                Definition::Bits(op, a, b) => op.compute(a.evaluate(values)?, b.evaluate(values)?)?,
                Definition::Product(factors) => {
                    factors.iter().try_fold(1_i64, |p, &x| p.checked_mul(values[x as usize]))?
                }
                Definition::Quotient(n, d) => floor_div(n.evaluate(values)?, d.evaluate(values)?)?,
                Definition::Min(args) => {
                    let mut least = i64::MAX;
                    for arg in args {
                        least = least.min(arg.evaluate(values)?);
                    }
                    least
                }
                Definition::Choice(cond, then, otherwise) => {
                    if cond.holds(values)? {
                        then.evaluate(values)?
                    } else {
                        otherwise.evaluate(values)?
                    }
                }
            };
        }
        Some(())
    }

    /// The columns that a formula mentions, and those that their definitions mention, added to `reached`.
    pub(super) fn reach(&self, formula: &Formula, reached: &mut [bool]) {
        let mut open: Vec<Column> = Vec::new();
        formula.for_each_form(&mut |form| open.extend(form.terms().iter().map(|t| t.0)));
        while let Some(column) = open.pop() {
            if std::mem::replace(&mut reached[column as usize], true) {
                continue;
            }
            let mut forms = |form: &Form| open.extend(form.terms().iter().map(|t| t.0));
            match self.definition(column) {
                Definition::Free | Definition::Vscale => {}
                Definition::Product(factors) => open.extend(factors),
                Definition::Quotient(n, d) | Definition::Bits(_, n, d) => [n, d].into_iter().for_each(forms),
                Definition::Min(args) => args.iter().for_each(forms),
                Definition::Choice(cond, then, otherwise) => {
                    cond.for_each_form(&mut forms);
                    [then, otherwise].into_iter().for_each(forms);
                }
            }
        }
    }
}

/// A range of a form from ranges of its columns.
pub(super) fn range_in(form: &Form, ranges: &[Interval]) -> Interval {
    let start = Interval::point(form.constant_term());
    form.terms()
        .iter()
        .fold(start, |sum, &(column, c)| sum.add(ranges[column as usize].mul(Interval::point(c))))
}

fn floor_div(n: i64, d: i64) -> Option<i64> {
    if d == 0 {
        return Some(0);
    }
    let q = n.checked_div(d)?;
    Some(if n % d != 0 && (n < 0) != (d < 0) { q - 1 } else { q })
}
