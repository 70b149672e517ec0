//! Polynomials whose monomials are unknown numbers: the linear reading of a question with products.
//!
//! Solvers multiply badly and add well. Here every product of unknowns becomes an unknown of its own, sums of products
//! are brought to normal form, and the facts about products that a proof by hand would use are stated as lemmas, each
//! true of all integers. What is left is linear. If it has no solution neither has the question; a solution means
//! nothing, because a product may have any value in it.

use std::collections::{BTreeMap, BTreeSet};

use super::terms::integer;

/// A sum of constants times products of atoms; an atom is a number, the index of its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Poly(BTreeMap<Vec<usize>, i128>);

impl Poly {
    fn constant(value: i128) -> Poly {
        Poly(BTreeMap::from([(Vec::new(), value)])).cleaned()
    }

    fn atom(atom: usize) -> Poly {
        Poly(BTreeMap::from([(vec![atom], 1)]))
    }

    fn cleaned(mut self) -> Poly {
        self.0.retain(|_, c| *c != 0);
        self
    }

    fn plus(&self, other: &Poly, factor: i128) -> Option<Poly> {
        let mut out = self.clone();
        for (monomial, c) in &other.0 {
            let entry = out.0.entry(monomial.clone()).or_insert(0);
            *entry = entry.checked_add(c.checked_mul(factor)?)?;
        }
        Some(out.cleaned())
    }

    fn times(&self, other: &Poly) -> Option<Poly> {
        let mut out = Poly::default();
        for (m, c) in &self.0 {
            for (n, d) in &other.0 {
                let mut product: Vec<usize> = m.iter().chain(n).copied().collect();
                product.sort_unstable();
                let entry = out.0.entry(product).or_insert(0);
                *entry = entry.checked_add(c.checked_mul(*d)?)?;
            }
        }
        Some(out.cleaned())
    }

    /// The quotient by a single monomial with coefficient 1, if it divides every term.
    fn divided(&self, by: &Poly) -> Option<Poly> {
        let mut terms = by.0.iter();
        let (Some((divisor, 1)), None) = (terms.next(), terms.next()) else { return None };
        let mut out = Poly::default();
        for (monomial, c) in &self.0 {
            let mut rest = monomial.clone();
            for atom in divisor {
                rest.remove(rest.iter().position(|a| a == atom)?);
            }
            out.0.insert(rest, *c);
        }
        Some(out)
    }
}

/// A division: dividend, divisor, quotient, rest.
#[derive(Clone, Debug)]
struct Division {
    dividend: Poly,
    divisor: Poly,
    quotient: Poly,
    rest: Poly,
}

/// The integers of one question.
#[derive(Debug, Default)]
pub(super) struct Linear {
    /// Names of the atoms.
    atoms: Vec<String>,
    /// What each text stands for.
    known: BTreeMap<String, Poly>,
    /// Products that have a name.
    products: BTreeSet<Vec<usize>>,
    divisions: BTreeMap<(bool, String, String), Division>,
    /// Texts of what conditions say is not zero.
    nonzero: BTreeSet<String>,
    /// Terms that quotients are compared with.
    interesting: Vec<Poly>,
    declared: Vec<String>,
    asserted: Vec<String>,
}

impl Linear {
    /// Declarations and assertions since the last call.
    pub(super) fn take(&mut self) -> (Vec<String>, Vec<String>) {
        (std::mem::take(&mut self.declared), std::mem::take(&mut self.asserted))
    }

    /// Makes a declared name a term that quotients are compared with.
    pub(super) fn add_operand(&mut self, name: &str) {
        let poly = self.poly(name);
        self.interesting.push(poly);
    }

    /// A condition says that the name has the value of the text: from now on it stands for it.
    pub(super) fn substitute(&mut self, name: &str, text: &str) {
        let poly = self.poly(text);
        self.asserted.push(format!("(= {name} {text})"));
        self.known.insert(name.to_owned(), poly);
    }

    /// Whether the name stands for nothing but itself.
    pub(super) fn is_free(&self, name: &str) -> bool {
        self.known.get(name).is_none_or(|poly| poly.0.keys().all(|m| m.len() == 1) && poly.0.len() == 1)
    }

    /// A condition says that this is not zero.
    pub(super) fn set_nonzero(&mut self, text: &str) {
        let canonical = self.canonical(text);
        self.nonzero.insert(canonical);
    }

    /// `a + b`, `a - b` or `a * b`; `None` if coefficients get too large.
    pub(super) fn sum(&mut self, a: &str, b: &str, factor: i128) -> Option<String> {
        let poly = self.poly(a).plus(&self.poly(b), factor)?;
        Some(self.text(&poly))
    }

    /// The product.
    pub(super) fn product(&mut self, a: &str, b: &str) -> Option<String> {
        let poly = self.poly(a).times(&self.poly(b))?;
        Some(self.text(&poly))
    }

    /// Quotient and rest; rounding down or toward zero.
    pub(super) fn divide(&mut self, a: &str, b: &str, floor: bool) -> Option<(String, String)> {
        let (dividend, divisor) = (self.poly(a), self.poly(b));
        let (a, b) = (self.text(&dividend), self.text(&divisor));
        if self.nonzero.contains(&b)
            && let Some(quotient) = dividend.divided(&divisor)
        {
            return Some((self.text(&quotient), "0".to_owned()));
        }
        let key = (floor, a.clone(), b.clone());
        if let Some(known) = self.divisions.get(&key).cloned() {
            return Some((self.text(&known.quotient), self.text(&known.rest)));
        }
        let n = self.divisions.len();
        let (q, r) = (format!("quotient{n}"), format!("rest{n}"));
        self.declared.push(format!("(declare-const {q} Int)\n(declare-const {r} Int)\n"));
        let (quotient, rest) = (self.poly(&q), self.poly(&r));
        let whole = divisor.times(&quotient)?.plus(&rest, 1)?;
        let whole = self.text(&whole);
        self.asserted.push(format!("(=> (= {b} 0) (and (= {q} 0) (= {r} {a})))"));
        self.asserted.push(format!("(=> (distinct {b} 0) (= {a} {whole}))"));
        if floor {
            self.asserted.push(format!("(=> (> {b} 0) (and (<= 0 {r}) (< {r} {b})))"));
            self.asserted.push(format!("(=> (< {b} 0) (and (>= 0 {r}) (> {r} {b})))"));
        } else {
            let sign = format!("(and (=> (>= {a} 0) (>= {r} 0)) (=> (<= {a} 0) (<= {r} 0)))");
            self.asserted.push(format!("(=> (> {b} 0) (and {sign} (< {r} {b}) (< (- {r}) {b})))"));
            self.asserted.push(format!("(=> (< {b} 0) (and {sign} (< {r} (- {b})) (< (- {r}) (- {b}))))"));
        }
        self.divisions.insert(key, Division { dividend, divisor, quotient, rest });
        Some((q, r))
    }

    /// The text in normal form.
    pub(super) fn canonical(&mut self, text: &str) -> String {
        let poly = self.poly(text);
        self.text(&poly)
    }

    fn poly(&mut self, text: &str) -> Poly {
        if let Some(known) = self.known.get(text) {
            return known.clone();
        }
        let number = text.strip_prefix("(- ").and_then(|t| t.strip_suffix(')'));
        let value = match number {
            Some(digits) => digits.parse().ok().map(|v: i128| -v),
            None => text.parse().ok(),
        };
        let poly = match value {
            Some(value) => Poly::constant(value),
            None => {
                let atom = self.atoms.len();
                if text.starts_with('(') {
                    let name = format!("part{atom}");
                    self.declared.push(format!("(declare-const {name} Int)\n"));
                    self.asserted.push(format!("(= {name} {text})"));
                    self.atoms.push(name);
                } else {
                    self.atoms.push(text.to_owned());
                }
                Poly::atom(atom)
            }
        };
        self.known.insert(text.to_owned(), poly.clone());
        poly
    }

    fn text(&mut self, poly: &Poly) -> String {
        let terms: Vec<String> = poly
            .0
            .iter()
            .map(|(monomial, c)| match (monomial.as_slice(), *c) {
                ([], c) => integer(c),
                (_, 1) => self.monomial(monomial),
                (_, c) => format!("(* {} {})", integer(c), self.monomial(monomial)),
            })
            .collect();
        let text = match terms.as_slice() {
            [] => "0".to_owned(),
            [only] => only.clone(),
            _ => format!("(+ {})", terms.join(" ")),
        };
        self.known.entry(text.clone()).or_insert_with(|| poly.clone());
        text
    }

    fn monomial(&mut self, atoms: &[usize]) -> String {
        if let [atom] = atoms {
            return self.atoms[*atom].clone();
        }
        let names: Vec<String> = atoms.iter().map(ToString::to_string).collect();
        let name = format!("product_{}", names.join("_"));
        if self.products.insert(atoms.to_vec()) {
            self.declared.push(format!("(declare-const {name} Int)\n"));
            self.known.insert(name.clone(), Poly(BTreeMap::from([(atoms.to_vec(), 1)])));
        }
        name
    }

    /// States the facts about products.
    pub(super) fn add_lemmas(&mut self, sides: &[String]) {
        for side in sides {
            let poly = self.poly(side);
            self.interesting.push(poly);
        }
        let divisions: Vec<Division> = self.divisions.values().cloned().collect();
        let mut divisors: Vec<Poly> = Vec::new();
        for division in &divisions {
            if !divisors.contains(&division.divisor) {
                divisors.push(division.divisor.clone());
            }
        }
        let operands = self.interesting.clone();
        let quotients: Vec<Poly> = divisions.iter().map(|d| d.quotient.clone()).collect();
        self.multiply_equations(&divisions, &operands);
        for division in &divisions {
            for divisor in &divisors {
                self.bound_product(divisor, &division.rest, &division.divisor);
            }
            for candidate in candidates(&operands, &quotients) {
                self.compare_multiples(&division.divisor, &division.quotient, &candidate);
            }
        }
        if let [.., left, right] = operands.as_slice()
            && sides.len() == 2
        {
            for divisor in &divisors {
                self.compare_multiples(divisor, left, right);
            }
        }
        // The lemmas themselves have new products; one round of signs for all.
        for product in self.products.clone() {
            self.signs(&product);
        }
    }

    /// An equation holds when multiplied.
    fn multiply_equations(&mut self, divisions: &[Division], factors: &[Poly]) {
        for d in divisions {
            for factor in factors {
                let left = d.dividend.times(factor);
                let right = d.divisor.times(&d.quotient).and_then(|p| p.plus(&d.rest, 1)?.times(factor));
                if let (Some(left), Some(right)) = (left, right) {
                    let (b, left, right) = (self.text(&d.divisor), self.text(&left), self.text(&right));
                    self.asserted.push(format!("(=> (distinct {b} 0) (= {left} {right}))"));
                }
            }
        }
    }

    /// Different integers have multiples that differ by the factor at least, in the order of the factor's sign.
    fn compare_multiples(&mut self, factor: &Poly, s: &Poly, t: &Poly) {
        let (Some(gap), true) = (s.plus(t, -1), s != t) else { return };
        let Some(product) = factor.times(&gap) else { return };
        let (b, gap, product) = (self.text(factor), self.text(&gap), self.text(&product));
        self.asserted.push(format!("(=> (= {gap} 0) (= {product} 0))"));
        self.asserted.push(format!("(=> (and (> {b} 0) (> {gap} 0)) (>= {product} {b}))"));
        self.asserted.push(format!("(=> (and (> {b} 0) (< {gap} 0)) (<= {product} (- {b})))"));
        self.asserted.push(format!("(=> (and (< {b} 0) (> {gap} 0)) (<= {product} {b}))"));
        self.asserted.push(format!("(=> (and (< {b} 0) (< {gap} 0)) (>= {product} (- {b})))"));
    }

    /// `0 <= rest < divisor` and its mirror image, multiplied.
    fn bound_product(&mut self, factor: &Poly, rest: &Poly, divisor: &Poly) {
        let Some(room) = divisor.plus(rest, -1) else { return };
        let (Some(low), Some(high)) = (factor.times(rest), factor.times(&room)) else { return };
        let (b, r, room) = (self.text(factor), self.text(rest), self.text(&room));
        let (low, high) = (self.text(&low), self.text(&high));
        for (number, product) in [(&r, &low), (&room, &high)] {
            self.asserted.push(format!("(=> (and (> {b} 0) (>= {number} 0)) (>= {product} 0))"));
            self.asserted.push(format!("(=> (and (> {b} 0) (<= {number} 0)) (<= {product} 0))"));
            self.asserted.push(format!("(=> (and (< {b} 0) (>= {number} 0)) (<= {product} 0))"));
            self.asserted.push(format!("(=> (and (< {b} 0) (<= {number} 0)) (>= {product} 0))"));
            self.asserted.push(format!("(=> (and (> {b} 0) (> {number} 0)) (>= {product} {b}))"));
            self.asserted.push(format!("(=> (and (< {b} 0) (< {number} 0)) (>= {product} (- {b})))"));
        }
    }

    /// The sign of a product follows from the signs of its factors, and it is at least as large as each.
    fn signs(&mut self, product: &[usize]) {
        let name = self.monomial(product);
        for (i, atom) in product.iter().enumerate() {
            let mut others = product.to_vec();
            others.remove(i);
            let (a, b) = (self.atoms[*atom].clone(), self.monomial(&others));
            self.asserted.push(format!("(= (= {name} 0) (or (= {a} 0) (= {b} 0)))"));
            self.asserted
                .push(format!("(=> (and (> {a} 0) (> {b} 0)) (and (>= {name} {a}) (>= {name} {b})))"));
            self.asserted
                .push(format!("(=> (and (> {a} 0) (< {b} 0)) (and (<= {name} (- {a})) (<= {name} {b})))"));
            self.asserted
                .push(format!("(=> (and (< {a} 0) (> {b} 0)) (and (<= {name} {a}) (<= {name} (- {b}))))"));
            self.asserted.push(format!(
                "(=> (and (< {a} 0) (< {b} 0)) (and (>= {name} (- {a})) (>= {name} (- {b}))))"
            ));
        }
    }
}

/// What a quotient could be: an operand, another quotient, a product of two of these, and the sums of such with a
/// quotient.
fn candidates(operands: &[Poly], quotients: &[Poly]) -> Vec<Poly> {
    let all: Vec<&Poly> = operands.iter().chain(quotients).collect();
    let mut singles: Vec<Poly> = vec![Poly::default()];
    for (i, m) in all.iter().enumerate() {
        singles.push((*m).clone());
        for n in &all[i..] {
            singles.extend(m.times(n));
        }
    }
    let mut out = singles.clone();
    for quotient in quotients {
        for single in &singles {
            out.extend(single.plus(quotient, 1));
            out.extend(single.plus(quotient, -1));
        }
    }
    let mut seen = Vec::new();
    out.retain(|p| {
        let new = !seen.contains(&p.0);
        seen.push(p.0.clone());
        new
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_normal_forms() {
        let mut linear = Linear::default();
        let ab = linear.product("a", "b").unwrap();
        assert_eq!(linear.product("b", "a").unwrap(), ab);
        let sum = linear.sum(&ab, "a", -1).unwrap();
        let b_minus_one = linear.sum("b", "1", -1).unwrap();
        assert_eq!(linear.product("a", &b_minus_one).unwrap(), sum);
        assert_eq!(linear.sum(&sum, &sum, -1).unwrap(), "0");
        assert_eq!(linear.sum("(- 3)", "5", 1).unwrap(), "2");
    }

    #[test]
    fn a_known_multiple_divides_without_rest() {
        let mut linear = Linear::default();
        let ak = linear.product("a", "k").unwrap();
        let (q, _) = linear.divide(&ak, "a", true).unwrap();
        assert_eq!(q, "quotient0");
        linear.set_nonzero("a");
        assert_eq!(linear.divide(&ak, "a", true).unwrap(), ("k".to_owned(), "0".to_owned()));
    }

    /// Every lemma is true of all integers: with each product read as a product, none is refuted by small values.
    #[test]
    fn lemmas_hold() {
        let mut linear = Linear::default();
        for name in ["x", "c"] {
            linear.add_operand(name);
        }
        let xc = linear.product("x", "c").unwrap();
        linear.divide(&xc, "c", true).unwrap();
        linear.divide("x", "c", true).unwrap();
        linear.take();
        linear.add_lemmas(&[]);
        let lemmas = linear.take().1;
        assert!(lemmas.len() > 50);
        for (x, c) in (-4..=4).flat_map(|x| (-4..=4).map(move |c| (x, c))).filter(|(_, c)| *c != 0) {
            let value = |atom: &str| -> i128 {
                match atom {
                    "x" => x,
                    "c" => c,
                    "quotient0" => x,
                    "rest0" => 0,
                    "quotient1" => x.div_euclid(c) - i128::from(c < 0 && x.rem_euclid(c) != 0),
                    "rest1" => x - c * (x.div_euclid(c) - i128::from(c < 0 && x.rem_euclid(c) != 0)),
                    other => panic!("{other}"),
                }
            };
            for lemma in &lemmas {
                let mut tokens = lemma.replace('(', " ( ").replace(')', " ) ");
                for (monomial, name) in linear.products.iter().map(|m| {
                    let ids: Vec<String> = m.iter().map(ToString::to_string).collect();
                    (m, format!("product_{}", ids.join("_")))
                }) {
                    let product: i128 = monomial.iter().map(|a| value(&linear.atoms[*a])).product();
                    tokens = tokens.replace(&format!(" {name} "), &format!(" {product} "));
                }
                let words: Vec<String> = tokens.split_whitespace().map(str::to_owned).collect();
                assert_ne!(
                    run(&mut words.iter().map(String::as_str).peekable(), &value),
                    0,
                    "{x} {c} {lemma}"
                );
            }
        }
    }

    /// A tiny evaluator of SMT-LIB terms.
    fn run<'a>(
        words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
        value: &impl Fn(&str) -> i128,
    ) -> i128 {
        let word = words.next().unwrap();
        if word != "(" {
            return word.parse().unwrap_or_else(|_| value(word));
        }
        let op = words.next().unwrap();
        let mut args = Vec::new();
        while words.peek() != Some(&")") {
            args.push(run(words, value));
        }
        words.next();
        let truth = |yes: bool| i128::from(yes);
        match (op, args.as_slice()) {
            ("+", args) => args.iter().sum(),
            ("*", args) => args.iter().product(),
            ("-", [a]) => -a,
            ("-", [a, b]) => a - b,
            ("=", [a, b]) => truth(a == b),
            ("distinct", [a, b]) => truth(a != b),
            ("<", [a, b]) => truth(a < b),
            (">", [a, b]) => truth(a > b),
            ("<=", [a, b]) => truth(a <= b),
            (">=", [a, b]) => truth(a >= b),
            ("=>", [a, b]) => truth(*a == 0 || *b != 0),
            ("and", args) => truth(args.iter().all(|a| *a != 0)),
            ("or", args) => truth(args.iter().any(|a| *a != 0)),
            _ => panic!("{op} {args:?}"),
        }
    }
}
