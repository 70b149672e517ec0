//! Questions in SMT-LIB. Integers have no bounds; quotients, remainders of types that wrap, and values of which only the type
//! is known are free values with what defines them; functions and memories are functions of which nothing is known.
//!
//! A question is asked in linear arithmetic first, where products are free values too, of which [`lemmas`] say what there is to
//! know in most cases: what holds there holds. Such questions are decided fast, others may take any time.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use hashbrown::HashMap;

use super::arith::Sum;
use super::lemmas::{self, name, number};
use super::question::Question;
use super::range::Range;
use super::term::{Monomial, Node, Sort, Term, Terms};

/// How products are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Products {
    /// As free values.
    Free,
    /// As products.
    Exact,
}

/// A text that is being made.
struct Text<'t> {
    terms: &'t Terms,
    cone: Vec<Term>,
    products: Products,
    out: String,
    functions: BTreeMap<String, String>,
    known: BTreeSet<Monomial>,
}

/// The text of a question, which asks for values by which the premises hold and the goal does not, and the free values whose
/// names are wanted in the answer.
pub(super) fn text(
    terms: &Terms,
    question: &Question,
    products: Products,
) -> (String, Vec<(String, String)>) {
    let cone = terms.cone(question.premises.iter().copied().chain([question.goal]));
    let out = String::from(
        "(declare-sort V 0)\n(declare-fun floordiv (Int Int) Int)\n(declare-fun truncdiv (Int Int) Int)\n",
    );
    let mut text = Text { terms, cone, products, out, functions: BTreeMap::new(), known: BTreeSet::new() };
    let mut wanted = Vec::new();
    // Parts have lower numbers than what is made of them.
    for at in 0..text.cone.len() {
        let term = text.cone[at];
        text.define(term);
        if let Node::Atom(number) = terms.node(term)
            && terms.sort(term) != Sort::Other
        {
            wanted.push((name(term), terms.atom(*number).name.to_string()));
        }
    }
    for &premise in &question.premises {
        let _ = writeln!(text.out, "(assert {})", name(premise));
    }
    let _ = writeln!(text.out, "(assert (not {}))", name(question.goal));
    let mut numbers = HashMap::new();
    let out = renumbered(&text.out, &mut numbers);
    let wanted = wanted.into_iter().map(|(term, name)| (renumbered(&term, &mut numbers), name)).collect();
    (out, wanted)
}

/// A text with terms numbered in the order in which they stand in it, so that the same question has the same text wherever its
/// terms were made.
fn renumbered(text: &str, numbers: &mut HashMap<String, usize>) -> String {
    let digits = |rest: &str| rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mut parts = text.split('t');
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let (number, rest) = part.split_at(digits(part));
        out.push('t');
        if !number.is_empty() {
            let new = numbers.len();
            let _ = write!(out, "{}", numbers.entry_ref(number).or_insert(new));
        }
        out.push_str(rest);
    }
    out
}

fn sort(sort: Sort) -> &'static str {
    match sort {
        Sort::Int => "Int",
        Sort::Truth => "Bool",
        Sort::Other => "V",
    }
}

impl Text<'_> {
    /// Adds the definition of a term.
    fn define(&mut self, term: Term) {
        let terms = self.terms;
        let all = |of: &[Term]| of.iter().map(|&t| name(t)).collect::<Vec<_>>().join(" ");
        match terms.node(term) {
            Node::Int(value) => self.is(term, &number(*value)),
            Node::Truth(value) => self.is(term, &value.to_string()),
            Node::Atom(_) | Node::Lane(..) | Node::Whole(..) | Node::Memory(_) | Node::Store { .. } => {
                self.free(term);
                self.bounds(term);
            }
            Node::Sum(_) => {
                let sum = self.sum(&terms.sum_of(term));
                self.is(term, &sum);
            }
            Node::Quotient(a, b) => self.quotient(term, *a, *b),
            Node::Truncated(a, b) => self.truncated(term, *a, *b),
            Node::Extremum { greatest, of } => {
                let sign = if *greatest { ">=" } else { "<=" };
                let value = of[1..].iter().fold(name(of[0]), |a, &b| {
                    let b = name(b);
                    format!("(let ((a {a})) (ite ({sign} a {b}) a {b}))")
                });
                self.is(term, &value);
            }
            Node::Wrap { bits, signed, of } => {
                self.applied(term, &format!("wrap {bits} {signed}"), &[*of]);
                let (t, modulus) = (name(term), 1i128 << bits);
                let _ = writeln!(
                    self.out,
                    "(declare-const k{t} Int)\n(assert (= {t} (+ {} (* {modulus} k{t}))))",
                    name(*of),
                );
            }
            Node::Choice(c, a, b) => self.is(term, &format!("(ite {} {} {})", name(*c), name(*a), name(*b))),
            Node::NotNegative(a) => self.is(term, &format!("(>= {} 0)", name(*a))),
            Node::IsZero(a) => self.is(term, &format!("(= {} 0)", name(*a))),
            Node::Not(a) => self.is(term, &format!("(not {})", name(*a))),
            Node::And(of) => self.is(term, &format!("(and {})", all(of))),
            Node::Apply(function, dtype, operands) if &**function == super::logic::EQUAL => {
                debug_assert!(dtype.is_bool());
                self.is(term, &format!("(= {})", all(operands)));
            }
            Node::Apply(function, dtype, operands) => {
                self.applied(term, &format!("{function} {dtype}"), operands);
                if operands.iter().chain([&term]).all(|&t| terms.sort(t) == Sort::Int) {
                    self.hold(lemmas::of_bits(function, operands, term));
                }
            }
            Node::Load { memory, dtype, index } => {
                self.applied(term, &format!("load {} {dtype}", memory.0), index);
            }
        }
    }

    fn is(&mut self, term: Term, value: &str) {
        let _ = writeln!(self.out, "(define-fun {} () {} {value})", name(term), sort(self.terms.sort(term)));
    }

    fn free(&mut self, term: Term) {
        let _ = writeln!(self.out, "(declare-const {} {})", name(term), sort(self.terms.sort(term)));
    }

    fn hold(&mut self, conditions: impl IntoIterator<Item = String>) {
        for condition in conditions {
            let _ = writeln!(self.out, "(assert {condition})");
        }
    }

    fn quotient(&mut self, term: Term, a: Term, b: Term) {
        let (t, p, d) = (name(term), name(a), name(b));
        self.is(term, &format!("(floordiv {p} {d})"));
        self.bounds(term);
        if self.terms.as_int(b).is_some() {
            return self.hold([
                format!("(=> (> {d} 0) (and (<= (* {d} {t}) {p}) (< {p} (+ (* {d} {t}) {d}))))"),
                format!("(=> (< {d} 0) (and (>= (* {d} {t}) {p}) (> {p} (+ (* {d} {t}) {d}))))"),
            ]);
        }
        let constants = lemmas::compared(self.terms, &self.cone, term);
        let Some(rest) = lemmas::rest(self.terms, a, b, term) else { return };
        let rest = self.sum(&rest);
        self.hold(lemmas::of_quotient(&constants, [a, b, term], &rest));
    }

    fn truncated(&mut self, term: Term, a: Term, b: Term) {
        self.is(term, &format!("(truncdiv {} {})", name(a), name(b)));
        self.bounds(term);
        let constants = lemmas::compared(self.terms, &self.cone, term);
        let Some(rest) = lemmas::rest(self.terms, a, b, term) else { return };
        let rest = self.sum(&rest);
        self.hold(lemmas::of_truncated(&constants, [a, b, term], &rest));
    }

    /// A sum, of which the products are known afterwards.
    fn sum(&mut self, sum: &Sum) -> String {
        let mut parts = Vec::new();
        for (monomial, factor) in &sum.0 {
            parts.push(match (&monomial[..], factor) {
                ([], value) => number(*value),
                (of, 1) => self.product(of),
                (of, factor) => format!("(* {} {})", number(*factor), self.product(of)),
            });
        }
        match &parts[..] {
            [] => "0".to_owned(),
            [one] => one.clone(),
            _ => format!("(+ {})", parts.join(" ")),
        }
    }

    fn product(&mut self, of: &[Term]) -> String {
        let all = |sign: &str| of.iter().map(|&t| name(t)).collect::<Vec<_>>().join(sign);
        match (of, self.products) {
            ([one], _) => name(*one),
            (_, Products::Exact) => format!("(* {})", all(" ")),
            (_, Products::Free) => {
                let product = format!("m{}", all("_"));
                if self.known.insert(of.to_vec()) {
                    let (first, others) = (name(of[0]), self.product(&of[1..]));
                    let _ = writeln!(self.out, "(declare-const {product} Int)");
                    self.hold(lemmas::of_product(&first, &others, &product));
                    let range = self.terms.range_of_product(of);
                    self.within(&product, range);
                }
                product
            }
        }
    }

    /// Adds a term that is a function of others.
    fn applied(&mut self, term: Term, key: &str, operands: &[Term]) {
        let sorts: Vec<&str> = operands.iter().map(|&t| sort(self.terms.sort(t))).collect();
        let (sorts, result) = (sorts.join(" "), sort(self.terms.sort(term)));
        let number = self.functions.len();
        let out = &mut self.out;
        let function = self.functions.entry(format!("{key} ({sorts})")).or_insert_with(|| {
            let _ = writeln!(out, "(declare-fun f{number} ({sorts}) {result})");
            format!("f{number}")
        });
        let function = function.clone();
        let operands: Vec<String> = operands.iter().map(|&t| name(t)).collect();
        let value = match operands.is_empty() {
            true => function.clone(),
            false => format!("({function} {})", operands.join(" ")),
        };
        self.is(term, &value);
        if let (true, [a, b]) = (super::logic::is_commutative(key), &operands[..]) {
            self.hold([format!("(= {} ({function} {b} {a}))", name(term))]);
        }
        self.bounds(term);
    }

    /// Adds the range of a value.
    fn bounds(&mut self, term: Term) {
        if self.terms.sort(term) == Sort::Int {
            self.within(&name(term), self.terms.range(term));
        }
    }

    fn within(&mut self, value: &str, range: Range) {
        let low = range.lo.map(|lo| format!("(<= {} {value})", number(lo)));
        let high = range.hi.map(|hi| format!("(<= {value} {})", number(hi)));
        self.hold(low.into_iter().chain(high));
    }
}
