//! Questions in SMT-LIB. Integers have no bounds; quotients, remainders of types that wrap, and values of which only the type
//! is known are free values with what defines them; functions and memories are functions of which nothing is known.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::discharge::Question;
use super::term::{Node, Sort, Term, Terms};

/// The text of a question, which asks for values by which the premises hold and the goal does not, and the free values whose
/// names are wanted in the answer.
pub(super) fn text(terms: &Terms, question: &Question) -> (String, Vec<(String, String)>) {
    let cone = terms.cone(question.premises.iter().copied().chain([question.goal]));
    let mut out = String::from("(declare-sort V 0)\n");
    let mut functions: BTreeMap<String, String> = BTreeMap::new();
    let mut wanted = Vec::new();
    // Parts have lower numbers than what is made of them.
    for &term in &cone {
        define(terms, term, &mut out, &mut functions);
        if let Node::Atom(number) = terms.node(term)
            && terms.sort(term) != Sort::Other
        {
            wanted.push((name(term), terms.atom(*number).name.to_string()));
        }
    }
    for &premise in &question.premises {
        let _ = writeln!(out, "(assert {})", name(premise));
    }
    let _ = writeln!(out, "(assert (not {}))", name(question.goal));
    (out, wanted)
}

fn name(term: Term) -> String {
    format!("t{}", term.0)
}

fn sort(sort: Sort) -> &'static str {
    match sort {
        Sort::Int => "Int",
        Sort::Truth => "Bool",
        Sort::Other => "V",
    }
}

fn number(value: i128) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}

/// Adds the definition of a term.
fn define(terms: &Terms, term: Term, out: &mut String, functions: &mut BTreeMap<String, String>) {
    let t = name(term);
    let is = |out: &mut String, value: String| {
        let _ = writeln!(out, "(define-fun {t} () {} {value})", sort(terms.sort(term)));
    };
    let free = |out: &mut String| {
        let _ = writeln!(out, "(declare-const {t} {})", sort(terms.sort(term)));
    };
    let all = |of: &[Term]| of.iter().map(|&t| name(t)).collect::<Vec<_>>().join(" ");
    match terms.node(term) {
        Node::Int(value) => is(out, number(*value)),
        Node::Truth(value) => is(out, value.to_string()),
        Node::Atom(_) | Node::Lane(..) | Node::Whole(..) | Node::Memory(_) | Node::Store { .. } => {
            free(out);
            bounds(terms, term, out);
        }
        Node::Sum(products) => {
            let products: Vec<String> = products
                .iter()
                .map(|(monomial, factor)| match (&monomial[..], factor) {
                    ([], value) => number(*value),
                    ([one], 1) => name(*one),
                    _ => format!("(* {} {})", number(*factor), all(monomial)),
                })
                .collect();
            is(
                out,
                if products.len() == 1 { products[0].clone() } else { format!("(+ {})", products.join(" ")) },
            );
        }
        Node::Quotient(a, b) => {
            free(out);
            let (a, b) = (name(*a), name(*b));
            let _ = writeln!(
                out,
                "(assert (=> (> {b} 0) (and (<= (* {b} {t}) {a}) (< {a} (+ (* {b} {t}) {b})))))\n\
                 (assert (=> (< {b} 0) (and (>= (* {b} {t}) {a}) (> {a} (+ (* {b} {t}) {b})))))"
            );
            bounds(terms, term, out);
        }
        Node::Truncated(a, b) => {
            free(out);
            let (a, b) = (name(*a), name(*b));
            let rest = format!("(- {a} (* {b} {t}))");
            let size = format!("(ite (< {b} 0) (- {b}) {b})");
            let _ = writeln!(
                out,
                "(assert (=> (and (distinct {b} 0) (>= {a} 0)) (and (<= 0 {rest}) (< {rest} {size}))))\n\
                 (assert (=> (and (distinct {b} 0) (< {a} 0)) (and (<= {rest} 0) (< (- {rest}) {size}))))"
            );
        }
        Node::Extremum { greatest, of } => {
            let sign = if *greatest { ">=" } else { "<=" };
            let value = of[1..].iter().fold(name(of[0]), |a, &b| {
                let b = name(b);
                format!("(let ((a {a})) (ite ({sign} a {b}) a {b}))")
            });
            is(out, value);
        }
        Node::Wrap { bits, of, .. } => {
            free(out);
            let _ = writeln!(
                out,
                "(declare-const k{t} Int)\n(assert (= {t} (+ {} (* {} k{t}))))",
                name(*of),
                1i128 << bits
            );
            bounds(terms, term, out);
        }
        Node::Choice(c, a, b) => is(out, format!("(ite {} {} {})", name(*c), name(*a), name(*b))),
        Node::NotNegative(a) => is(out, format!("(>= {} 0)", name(*a))),
        Node::IsZero(a) => is(out, format!("(= {} 0)", name(*a))),
        Node::Not(a) => is(out, format!("(not {})", name(*a))),
        Node::And(of) => is(out, format!("(and {})", all(of))),
        Node::Apply(function, dtype, operands) if &**function == super::logic::EQUAL => {
            debug_assert!(dtype.is_bool());
            is(out, format!("(= {})", all(operands)));
        }
        Node::Apply(function, dtype, operands) => {
            let key = format!("{function} {dtype}");
            applied(terms, term, &key, operands, out, functions);
        }
        Node::Load { memory, dtype, index } => {
            let key = format!("load {} {dtype}", memory.0);
            applied(terms, term, &key, index, out, functions);
        }
    }
}

/// Adds a term that is a function of others.
fn applied(
    terms: &Terms,
    term: Term,
    key: &str,
    operands: &[Term],
    out: &mut String,
    functions: &mut BTreeMap<String, String>,
) {
    let sorts: Vec<&str> = operands.iter().map(|&t| sort(terms.sort(t))).collect();
    let (sorts, result) = (sorts.join(" "), sort(terms.sort(term)));
    let number = functions.len();
    let function = functions.entry(format!("{key} ({sorts})")).or_insert_with(|| {
        let _ = writeln!(out, "(declare-fun f{number} ({sorts}) {result})");
        format!("f{number}")
    });
    let operands: Vec<String> = operands.iter().map(|&t| name(t)).collect();
    let value = match operands.is_empty() {
        true => function.clone(),
        false => format!("({function} {})", operands.join(" ")),
    };
    let _ = writeln!(out, "(define-fun {} () {result} {value})", name(term));
    bounds(terms, term, out);
}

/// Adds the range of a value.
fn bounds(terms: &Terms, term: Term, out: &mut String) {
    if terms.sort(term) != Sort::Int {
        return;
    }
    let range = terms.range(term);
    if let Some(lo) = range.lo {
        let _ = writeln!(out, "(assert (<= {} {}))", number(lo), name(term));
    }
    if let Some(hi) = range.hi {
        let _ = writeln!(out, "(assert (<= {} {}))", name(term), number(hi));
    }
}
