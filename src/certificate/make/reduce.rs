//! Steps that make one term simpler.

use super::super::check::bounds::gcd;
use super::super::check::proof::linear;
use super::super::check::sexp::Sexp;
use super::super::check::term::{Monomial, Node, Term, Terms};
use super::farkas::reason;
use super::written::{Writer, list, word};

type Products = Vec<(Monomial, i128)>;

/// Which of several ways to write terms is taken: each shows what others do not.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Manner {
    /// Whether sums and their opposites are written alike, and bounds of quotients taken first.
    pub(super) bold: bool,
    /// Whether a quotient by a product is one of another quotient, so that what is left is a remainder of that one.
    pub(super) nested: bool,
}

/// A step that replaces this term by a simpler one.
pub(super) fn step(
    terms: &mut Terms,
    writer: &Writer,
    facts: &[Term],
    term: Term,
    quotients: &[Term],
    manner: Manner,
) -> Option<Sexp> {
    let mut at = At { terms, writer, facts, quotients, manner };
    match at.terms.node(term).clone() {
        Node::Quotient(a, b) => at.quotient(a, b),
        Node::Truncated(a, b) => at.truncated(a, b),
        Node::Least(parts) => at.extremum(&parts, false),
        Node::Greatest(parts) => at.extremum(&parts, true),
        Node::NotNegative(a) => at.condition(a),
        Node::IsZero(a) => at.equation(term, a),
        Node::Wrap(_, _, a) => at.wrap(term, a),
        Node::Apply(..) | Node::Load { .. } | Node::Atom(_) => at.known(term).or_else(|| at.pinned(term)),
        _ => None,
    }
}

/// Where a term is.
pub(super) struct At<'a> {
    pub(super) terms: &'a mut Terms,
    writer: &'a Writer,
    facts: &'a [Term],
    /// Quotients of the goal.
    quotients: &'a [Term],
    manner: Manner,
}

impl At<'_> {
    fn int(&mut self, value: i128) -> Term {
        self.terms.int(value)
    }

    /// Why a condition of a rule holds that says of a term that it is not negative. A condition is about the term without its
    /// common factor, so the reason is one of that.
    fn not_negative(&mut self, a: Term) -> Option<Sexp> {
        let condition = self.terms.not_negative(a);
        match (self.terms.as_truth(condition), linear(self.terms, condition)) {
            (Some(true), _) => Some(known_constant()),
            (_, Some((a, _))) => self.bounded(a),
            _ => None,
        }
    }

    /// Why a term is not negative, as it is.
    fn bounded(&mut self, a: Term) -> Option<Sexp> {
        reason(self.terms, self.writer, self.facts, a)
    }

    /// Why `a < b`.
    fn less(&mut self, a: Term, b: Term) -> Option<Sexp> {
        let one = self.int(1);
        let difference = self.terms.sub(b, a);
        let difference = self.terms.sub(difference, one);
        self.not_negative(difference)
    }

    fn positive(&mut self, a: Term) -> Option<Sexp> {
        let zero = self.int(0);
        self.less(zero, a)
    }

    fn nonzero(&mut self, a: Term) -> Option<Sexp> {
        let zero = self.int(0);
        let is_zero = self.terms.is_zero(a);
        let not_zero = self.terms.not(is_zero);
        if self.facts.contains(&not_zero) {
            return Some(word("known"));
        }
        match self.positive(a) {
            Some(reason) => Some(reason),
            None => self.less(a, zero),
        }
    }

    pub(super) fn rewrite(
        &self,
        rule: &str,
        letters: &[(&str, Term)],
        reasons: impl IntoIterator<Item = Sexp>,
    ) -> Option<Sexp> {
        let mut pairs = Vec::new();
        for (letter, term) in letters {
            pairs.push(list([word(*letter), self.writer.write(self.terms, *term)?]));
        }
        Some(list([word("rewrite"), word(rule), Sexp::List(pairs)].into_iter().chain(reasons)))
    }

    /// What the equation of a rule says of an atom.
    pub(super) fn solve(
        &self,
        atom: Term,
        rule: &str,
        letters: &[(&str, Term)],
        reasons: impl IntoIterator<Item = Sexp>,
    ) -> Option<Sexp> {
        let Sexp::List(mut parts) = self.rewrite(rule, letters, reasons)? else { return None };
        parts[0] = word("solve");
        parts.insert(1, self.writer.write(self.terms, atom)?);
        Some(Sexp::List(parts))
    }

    fn sum(&mut self, products: Products) -> Option<Term> {
        self.terms.sum(products)
    }

    fn quotient(&mut self, a: Term, b: Term) -> Option<Sexp> {
        if let Some(step) = self.quotient_of_parts(a, b) {
            return Some(step);
        }
        for &other in self.quotients {
            if let Some(step) = self.quotient_by_other(a, b, other) {
                return Some(step);
            }
        }
        if self.manner.nested {
            if let Some(step) = self.quotient_of_quotient(a, b) {
                return Some(step);
            }
        } else if let Node::Quotient(n, d) = *self.terms.node(a) {
            if let Some(positive) = self.positive(b) {
                return self.rewrite("quotient-nested", &[("?n", n), ("?d", d), ("?c", b)], [positive]);
            }
            // By zero both are zero.
            if let Some(low) = self.not_negative(b) {
                return self.rewrite("floordiv-nested", &[("?x", n), ("?a", d), ("?b", b)], [low]);
            }
        }
        let Some(c) = self.terms.as_int(b) else { return self.common_factor(a, b) };
        if c < 0 {
            let opposite = self.int(-c);
            return self.rewrite("quotient-negative-divisor", &[("?x", a), ("?c", opposite)], []);
        }
        // A quotient in a sum, over its divisor.
        for (monomial, factor) in self.terms.products(a) {
            let [inner] = monomial[..] else { continue };
            if let (1, Node::Quotient(x, d)) = (factor, self.terms.node(inner).clone())
                && self.terms.as_int(d).is_some_and(|d| d > 0)
            {
                let rest = self.terms.sub(a, inner);
                let (nonzero, positive) = (self.nonzero(d)?, self.not_negative(b)?);
                let reasons = [nonzero, positive, known_constant(), known_constant()];
                return self.rewrite(
                    "floordiv-nested-add",
                    &[("?x", x), ("?a", d), ("?y", rest), ("?b", b)],
                    reasons,
                );
            }
        }
        None
    }

    /// Of the quotients of the same dividend, one by a factor of the divisor: this one is a quotient of it.
    fn quotient_of_quotient(&mut self, a: Term, b: Term) -> Option<Sexp> {
        for &other in self.quotients {
            let Node::Quotient(x, d) = *self.terms.node(other) else { continue };
            if x != a || d == b {
                continue;
            }
            let (factor, rest) = divided(self.terms, b, d);
            if !rest.is_empty() {
                continue;
            }
            let c = self.sum(factor)?;
            if let Some(positive) = self.positive(c) {
                let quotient = self.terms.quotient(a, b);
                return self.solve(
                    quotient,
                    "quotient-nested",
                    &[("?n", a), ("?d", d), ("?c", c)],
                    [positive],
                );
            }
        }
        None
    }

    /// By a product of a number: what is a multiple of the number is divided by it first.
    fn common_factor(&mut self, a: Term, b: Term) -> Option<Sexp> {
        let divisor = self.terms.products(b);
        let g = divisor.iter().fold(0, |g, (_, factor)| gcd(g, *factor));
        let (mut x, mut r): (Products, Products) = (Vec::new(), Vec::new());
        for (monomial, factor) in self.terms.products(a) {
            if factor % g.max(1) == 0 {
                x.push((monomial, factor / g.max(1)));
            } else {
                r.push((monomial, factor));
            }
        }
        if g <= 1 || x.is_empty() {
            return None;
        }
        let rest = divisor.into_iter().map(|(m, f)| (m, f / g)).collect();
        let (x, r, c) = (self.sum(x)?, self.sum(r)?, self.sum(rest)?);
        let g = self.int(g);
        let reasons = [self.positive(g)?, self.positive(c)?];
        self.rewrite("quotient-common-factor", &[("?g", g), ("?x", x), ("?r", r), ("?c", c)], reasons)
    }

    /// A quotient by one of a dividend that is less by a constant: it is the same, or one more.
    fn quotient_by_other(&mut self, a: Term, b: Term, other: Term) -> Option<Sexp> {
        ahead(self.terms, a, b, other)?;
        for more in [0, 1] {
            let more = self.int(more);
            let m = self.terms.add(other, more);
            let multiple = self.terms.mul(b, m);
            let r = self.terms.sub(a, multiple);
            if let (Some(low), Some(high)) = (self.not_negative(r), self.less(r, b)) {
                return self.rewrite("quotient-in-range", &[("?m", m), ("?c", b), ("?r", r)], [low, high]);
            }
        }
        None
    }

    /// What is a multiple of the divisor, and what is less than it, or than a common factor, comes out.
    fn quotient_of_parts(&mut self, a: Term, b: Term) -> Option<Sexp> {
        let (whole, rest) = match self.terms.as_int(b) {
            Some(c) if c > 0 => {
                let products = self.terms.products(a);
                let mut whole: Products = Vec::new();
                let mut rest: Products = Vec::new();
                for (monomial, factor) in products {
                    if monomial.is_empty() {
                        whole.push((Vec::new(), factor.div_euclid(c)));
                        rest.push((Vec::new(), factor.rem_euclid(c)));
                    } else if factor % c == 0 {
                        whole.push((monomial, factor / c));
                    } else {
                        rest.push((monomial, factor));
                    }
                }
                (whole, rest)
            }
            Some(_) => return None,
            None => divided(self.terms, a, b),
        };
        let (whole, rest) = (self.sum(whole)?, self.sum(rest)?);
        // The quotient of the rest may be one constant.
        for k in self.guesses(rest, b) {
            let constant = self.int(k);
            let multiple = self.terms.mul(b, constant);
            let (m, r) = (self.terms.add(whole, constant), self.terms.sub(rest, multiple));
            if let (Some(low), Some(high)) = (self.not_negative(r), self.less(r, b)) {
                return self.rewrite("quotient-in-range", &[("?m", m), ("?c", b), ("?r", r)], [low, high]);
            }
        }
        if self.terms.as_int(whole) != Some(0) {
            let nonzero = self.nonzero(b)?;
            return self.rewrite("quotient-split", &[("?c", b), ("?q", whole), ("?r", rest)], [nonzero]);
        }
        let c = self.terms.as_int(b)?;
        let products = self.terms.products(rest);
        if let Some(step) = self.small_part(&products, c) {
            return Some(step);
        }
        // Of a sum and its opposite, the one that begins with the lesser factor.
        let first =
            products.iter().find(|(m, _)| !m.is_empty()).map_or(0, |(_, factor)| factor.rem_euclid(c));
        // Where they begin alike, the one with the lesser constant.
        let constant = constant_of(&products);
        let is_turned = (first, constant) > (c - first, c - 1 - constant);
        if self.manner.bold && first > 0 && is_turned {
            let (zero, positive) = (self.int(0), self.positive(b)?);
            let opposite = self.terms.sub(zero, a);
            return self.rewrite("quotient-negated", &[("?n", opposite), ("?c", b)], [positive]);
        }
        // Factors below the divisor.
        let of = |part: fn(i128, i128) -> i128| -> Products {
            products.iter().map(|(m, f)| (m.clone(), part(*f, c))).collect()
        };
        let (whole, rest) = (self.sum(of(i128::div_euclid))?, self.sum(of(i128::rem_euclid))?);
        if self.terms.as_int(whole) != Some(0) {
            let nonzero = self.nonzero(b)?;
            return self.rewrite("quotient-split", &[("?c", b), ("?q", whole), ("?r", rest)], [nonzero]);
        }
        None
    }

    /// What has a common factor with the divisor, and a rest that is less.
    fn small_part(&mut self, products: &Products, c: i128) -> Option<Sexp> {
        let mut factors: Vec<i128> =
            products.iter().map(|(_, factor)| gcd(*factor, c)).filter(|&g| g > 1 && g < c).collect();
        factors.sort_unstable();
        factors.dedup();
        for g in factors.into_iter().rev() {
            let of = |divides: bool| -> Products {
                products.iter().filter(|(m, f)| !m.is_empty() && (f % g == 0) == divides).cloned().collect()
            };
            let constant = constant_of(products);
            let mut x: Products = of(true).into_iter().map(|(m, f)| (m, f / g)).collect();
            let mut r = of(false);
            r.push((Vec::new(), constant.rem_euclid(g)));
            x.push((Vec::new(), constant.div_euclid(g)));
            let (x, r) = (self.sum(x)?, self.sum(r)?);
            let (divisor, rest_divisor) = (self.int(g), self.int(c / g));
            if let (Some(low), Some(high)) = (self.not_negative(r), self.less(r, divisor)) {
                let positive = self.positive(rest_divisor)?;
                let letters = [("?g", divisor), ("?x", x), ("?r", r), ("?c", rest_divisor)];
                return self.rewrite("quotient-small-part", &letters, [low, high, positive]);
            }
        }
        None
    }

    /// What the quotient of a term may be, if that is a constant.
    fn guesses(&mut self, rest: Term, b: Term) -> Vec<i128> {
        match (self.terms.as_int(b), self.terms.bounds(rest).lo) {
            (Some(c), Some(lo)) => {
                let mut all = vec![lo.div_euclid(c), 0];
                all.dedup();
                all
            }
            _ => vec![0, -1],
        }
    }

    fn truncated(&mut self, a: Term, b: Term) -> Option<Sexp> {
        if let (Some(p), Some(q)) = (self.not_negative(a), self.not_negative(b)) {
            return self.rewrite("truncation-is-floor", &[("?p", a), ("?q", b)], [p, q]);
        }
        let zero = self.int(0);
        let opposite = self.terms.sub(zero, a);
        // Of a sum and its opposite, where the sign is not known, the one that begins with a positive factor.
        let begins = self.terms.products(a).into_iter().find(|(m, _)| !m.is_empty());
        let turned = begins.is_some_and(|(_, factor)| factor < 0);
        if self.not_negative(opposite).is_some() || (turned && self.not_negative(a).is_none()) {
            return self.rewrite("truncation-is-odd", &[("?p", opposite), ("?q", b)], []);
        }
        None
    }

    /// Of a set one part that is never the least, or the greatest, goes.
    fn extremum(&mut self, parts: &[Term], greatest: bool) -> Option<Sexp> {
        for (i, &part) in parts.iter().enumerate() {
            for (j, &other) in parts.iter().enumerate() {
                // `other` decides: `part` goes.
                let difference = match greatest {
                    true => self.terms.sub(other, part),
                    false => self.terms.sub(part, other),
                };
                if i == j || self.not_negative(difference).is_none() {
                    continue;
                }
                let rest: Vec<Term> = parts.iter().copied().filter(|&p| p != part).collect();
                let rest = rest[1..].iter().fold(rest[0], |a, &b| self.terms.extremum(greatest, a, b));
                let difference = match greatest {
                    true => self.terms.sub(rest, part),
                    false => self.terms.sub(part, rest),
                };
                let reason = self.not_negative(difference)?;
                let rule = if greatest { "extremum-bounded-max" } else { "extremum-bounded" };
                return self.rewrite(rule, &[("?a", rest), ("?b", part)], [reason]);
            }
        }
        if self.manner.bold { self.extremum_form(parts, greatest) } else { None }
    }

    /// `a >= 0`, if it always or never holds, or holds if something simpler does.
    fn condition(&mut self, a: Term) -> Option<Sexp> {
        let minus_one = self.int(-1);
        if let Some(reason) = self.not_negative(a) {
            return self.rewrite("comparison-by-range", &[("?a", minus_one), ("?b", a)], [reason]);
        }
        let opposite = self.terms.combine(1, minus_one, -1, a);
        if let Some(reason) = self.not_negative(opposite) {
            return self.rewrite("comparison-by-range-not", &[("?a", minus_one), ("?b", a)], [reason]);
        }
        if let Some(step) = self.quotient_bound(a) {
            return Some(step);
        }
        // Of steps of `c` what is less than one does not matter.
        let products = self.terms.products(a);
        let mut factors: Vec<i128> =
            products.iter().filter(|(m, _)| !m.is_empty()).map(|(_, f)| f.abs()).filter(|&f| f > 1).collect();
        factors.sort_unstable();
        factors.dedup();
        for c in factors.into_iter().rev() {
            let (mut x, mut r): (Products, Products) = (Vec::new(), Vec::new());
            for (monomial, factor) in &products {
                if !monomial.is_empty() && factor % c == 0 {
                    x.push((monomial.clone(), factor / c));
                } else {
                    r.push((monomial.clone(), *factor));
                }
            }
            let (x, r) = (self.sum(x)?, self.sum(r)?);
            let Some(low) = self.terms.bounds(r).lo else { continue };
            // a = c * (x + k) + r with 0 <= r < c, and a >= 0 if x + k >= 0: c * -1 + (c - 1 - r) < c * (x + k).
            let k = self.int(low.div_euclid(c));
            let divisor = self.int(c);
            let multiple = self.terms.mul(divisor, k);
            let (x, r) = (self.terms.add(x, k), self.terms.sub(r, multiple));
            let last = self.int(c - 1);
            let rest = self.terms.sub(last, r);
            if let (Some(low), Some(high)) = (self.not_negative(rest), self.less(rest, divisor)) {
                let letters = [("?c", divisor), ("?a", minus_one), ("?r", rest), ("?b", x)];
                return self.rewrite("comparison-normal-form-part", &letters, [low, high]);
            }
        }
        None
    }

    /// A bound of a quotient is one of its dividend.
    fn quotient_bound(&mut self, a: Term) -> Option<Sexp> {
        let (mut found, mut all, mut is_simple) = (None, 0, false);
        for (monomial, factor) in self.terms.products(a) {
            let [atom] = monomial[..] else { continue };
            let Node::Quotient(x, c) = *self.terms.node(atom) else { continue };
            let rest = match factor {
                1 => self.terms.sub(a, atom),
                -1 => self.terms.add(a, atom),
                _ => continue,
            };
            // The outermost one first: other quotients are parts of its dividend.
            let inner: Vec<Term> = self.terms.products(x).into_iter().flat_map(|(m, _)| m).collect();
            let simple = |(m, _): &(Monomial, i128)| {
                m.iter()
                    .all(|atom| !matches!(self.terms.node(*atom), Node::Quotient(..)) || inner.contains(atom))
            };
            all += 1;
            if self.terms.products(rest).iter().all(simple) {
                (found, all, is_simple) = (Some((x, c, rest, factor)), 1, true);
                break;
            }
            found = Some((x, c, rest, factor));
        }
        // Where there is a choice both sides of a goal might make another one.
        let (x, c, rest, factor) = found.filter(|_| all == 1 && (is_simple || self.manner.bold))?;
        let positive = self.positive(c)?;
        // a = q + rest >= 0 is -rest <= q; a = rest - q >= 0 is q <= rest.
        let (rule, y) = if factor == 1 {
            let zero = self.int(0);
            ("le-to-quotient", self.terms.sub(zero, rest))
        } else {
            ("le-quotient", rest)
        };
        self.rewrite(rule, &[("?x", x), ("?c", c), ("?y", y)], [positive])
    }

    /// `a == 0`, if it never holds, or is known.
    fn equation(&mut self, term: Term, a: Term) -> Option<Sexp> {
        self.known(term).or_else(|| {
            let zero = self.int(0);
            // Less or greater: not equal.
            if let Some(reason) = self.positive(a) {
                return self.rewrite("eq-known-not", &[("?x", a), ("?y", zero)], [reason]);
            }
            let reason = self.less(a, zero)?;
            self.rewrite("eq-known-not", &[("?x", a), ("?y", zero)], [reason])
        })
    }

    /// A fact of the place, or what one says of it.
    fn known(&mut self, term: Term) -> Option<Sexp> {
        for (number, &fact) in self.facts.iter().enumerate() {
            let inner = match *self.terms.node(fact) {
                Node::Not(inner) => inner,
                _ => fact,
            };
            if inner == term {
                return Some(list([word("fact"), word(number.to_string())]));
            }
            // An equation with this atom as what is defined last.
            if let Node::IsZero(a) = *self.terms.node(fact) {
                let products = self.terms.products(a);
                let of = |m: &Monomial| m[..] == [term];
                let alone = products.iter().filter(|(m, _)| m.contains(&term)).count() == 1;
                let unit = products.iter().any(|(m, f)| of(m) && f.abs() == 1);
                let last = products.iter().flat_map(|(m, _)| m).all(|&atom| atom <= term);
                if alone && unit && last {
                    let zero = self.int(0);
                    return self.solve(term, "equation-holds", &[("?a", a), ("?b", zero)], [word("known")]);
                }
            }
        }
        None
    }

    /// The one value that facts leave to a term.
    fn pinned(&mut self, term: Term) -> Option<Sexp> {
        let bounds = self.terms.bounds(term);
        let (mut low, mut high) =
            (bounds.lo.into_iter().collect::<Vec<_>>(), bounds.hi.into_iter().collect::<Vec<_>>());
        // Ends that facts about nothing else say, which others may make the only one.
        let mut ends = Vec::new();
        for &fact in self.facts {
            let Some((a, _)) = linear(self.terms, fact) else { continue };
            let products = self.terms.products(a);
            let Some(&(_, factor)) = products.iter().find(|(m, _)| m[..] == [term]) else { continue };
            // factor * term + rest >= 0
            let scaled = self.sum(vec![(vec![term], factor)])?;
            let rest = self.terms.sub(a, scaled);
            let Some(most) = self.terms.bounds(rest).hi else { continue };
            let (end, side) = match factor > 0 {
                true => (-most.div_euclid(factor), &mut low),
                false => (most.div_euclid(-factor), &mut high),
            };
            side.push(end);
            if self.terms.as_int(rest).is_some() {
                ends.push(end);
            }
        }
        if !ends.is_empty() {
            ends.extend(bounds.lo.into_iter().chain(bounds.hi));
        }
        ends.extend(low.into_iter().filter(|end| high.contains(end)));
        ends.sort_unstable();
        ends.dedup();
        for value in ends {
            let value = self.int(value);
            let (above, below) = (self.terms.sub(term, value), self.terms.sub(value, term));
            if let (Some(low), Some(high)) = (self.bounded(above), self.bounded(below)) {
                let both = list([word("both"), low, high]);
                return self.solve(term, "equation-holds", &[("?a", term), ("?b", value)], [both]);
            }
        }
        None
    }

    /// What fits its type.
    fn wrap(&mut self, term: Term, a: Term) -> Option<Sexp> {
        let bounds = self.terms.bounds(term);
        let (low, high) = (self.int(bounds.lo?), self.int(bounds.hi?));
        let (above, below) = (self.terms.sub(a, low), self.terms.sub(high, a));
        let (low, high) = (self.bounded(above)?, self.bounded(below)?);
        Some(list([word("fits"), self.writer.write(self.terms, term)?, low, high]))
    }
}

/// The constant of a sum.
fn constant_of(products: &[(Monomial, i128)]) -> i128 {
    products.iter().find(|(m, _)| m.is_empty()).map_or(0, |(_, factor)| *factor)
}

/// The reason of a condition that a constant fulfils.
pub(super) fn known_constant() -> Sexp {
    list([word("sum"), word("1")])
}

/// A polynomial as a multiple of another one and a rest, by its leading product.
pub(super) fn divided(terms: &mut Terms, a: Term, b: Term) -> (Products, Products) {
    const MAX_ROUNDS: usize = 24;
    let divisor = terms.products(b);
    let (mut whole, mut rest) = (Vec::new(), terms.products(a));
    let Some((lead, scale)) = divisor.iter().max_by_key(|(m, _)| (m.len(), m.clone())).cloned() else {
        return (whole, rest);
    };
    for _ in 0..MAX_ROUNDS {
        let found = rest.iter().find_map(|(monomial, factor)| {
            let mut left = monomial.clone();
            for atom in &lead {
                let at = left.iter().position(|other| other == atom)?;
                left.remove(at);
            }
            (factor % scale == 0).then(|| (left, factor / scale))
        });
        let Some((monomial, factor)) = found else { break };
        let Some(part) = terms.sum(vec![(monomial.clone(), factor)]) else { break };
        let taken = terms.mul(part, b);
        let Some(before) = terms.sum(rest.clone()) else { break };
        let after = terms.sub(before, taken);
        rest = terms.products(after);
        whole.push((monomial, factor));
    }
    (whole, rest)
}

/// By how much a dividend is ahead of that of another quotient by the same constant, if by less than that.
pub(super) fn ahead(terms: &mut Terms, a: Term, b: Term, other: Term) -> Option<i128> {
    let Node::Quotient(x, c) = *terms.node(other) else { return None };
    let divisor = terms.as_int(b)?;
    if c != b || x == a {
        return None;
    }
    let difference = terms.sub(a, x);
    terms.as_int(difference).filter(|&k| 0 < k && k < divisor)
}
