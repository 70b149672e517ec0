//! What a solver of linear integers is told of operations that are not linear: of products, of divisions by what is no
//! constant, of bits. Each statement holds for all integers; with them most questions need no nonlinear arithmetic.

use std::collections::BTreeSet;

use super::arith::Sum;
use super::term::{Node, Term, Terms};

/// Constants that quotients are compared with in any case.
const NEAR_ZERO: [i128; 4] = [-1, 0, 1, 2];

/// How a term is called.
pub(super) fn name(term: Term) -> String {
    format!("t{}", term.0)
}

/// An integer as it is written.
pub(super) fn number(value: i128) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}

/// The constants that a quotient is compared with in some terms, and those next to them.
pub(super) fn compared(terms: &Terms, cone: &[Term], quotient: Term) -> BTreeSet<i128> {
    /// Most constants that are taken.
    const MAX_CONSTANTS: usize = 12;
    let mut found: BTreeSet<i128> = NEAR_ZERO.into();
    let mut add = |k: i128| {
        if found.len() < MAX_CONSTANTS {
            found.extend([k, k.saturating_add(1)]);
        }
    };
    for &term in cone {
        match terms.node(term) {
            Node::Sum(products) => match &products[..] {
                [(none, k), (one, factor @ (1 | -1))] if none.is_empty() && one[..] == [quotient] => {
                    add(-k * factor)
                }
                _ => {}
            },
            Node::Extremum { of, .. } if of.contains(&quotient) => {
                of.iter().filter_map(|&operand| terms.as_int(operand)).for_each(&mut add);
            }
            _ => {}
        }
    }
    found
}

/// What is left of `dividend - divisor * quotient`, as a sum.
pub(super) fn rest(terms: &Terms, dividend: Term, divisor: Term, quotient: Term) -> Option<Sum> {
    let mut rest = terms.sum_of(dividend);
    rest.add_all(&terms.sum_of(divisor).times(&terms.sum_of(quotient))?, -1)?;
    rest.0.retain(|_, factor| *factor != 0);
    Some(rest)
}

/// What holds of a floor division by what is no constant. `rest` is the text of what it leaves.
pub(super) fn of_quotient(constants: &BTreeSet<i128>, [p, d, q]: [Term; 3], rest: &str) -> Vec<String> {
    let [p, d, q] = [p, d, q].map(name);
    let mut found = vec![
        format!("(=> (> {d} 0) (and (<= 0 {rest}) (< {rest} {d})))"),
        format!("(=> (< {d} 0) (and (>= 0 {rest}) (> {rest} {d})))"),
        format!("(=> (and (> {d} 0) (>= {p} 0)) (<= {q} {p}))"),
        format!("(=> (and (> {d} 0) (< {p} 0)) (>= {q} {p}))"),
        format!("(=> (and (< {d} 0) (>= {p} 0)) (>= {q} (- {p})))"),
        format!("(=> (and (< {d} 0) (<= {p} 0)) (<= {q} (- {p})))"),
    ];
    for &c in constants {
        let c = number(c);
        found.push(format!("(=> (> {d} 0) (= (>= {q} {c}) (>= {p} (* {c} {d}))))"));
        found.push(format!("(=> (< {d} 0) (= (>= {q} {c}) (<= {p} (* {c} {d}))))"));
    }
    found
}

/// As [`of_quotient`], of a truncating division.
pub(super) fn of_truncated(constants: &BTreeSet<i128>, [a, b, t]: [Term; 3], rest: &str) -> Vec<String> {
    let [a, b, t] = [a, b, t].map(name);
    let size = format!("(ite (< {b} 0) (- {b}) {b})");
    let mut found = vec![
        format!("(=> (and (distinct {b} 0) (>= {a} 0)) (and (<= 0 {rest}) (< {rest} {size})))"),
        format!("(=> (and (distinct {b} 0) (<= {a} 0)) (and (<= {rest} 0) (< (- {rest}) {size})))"),
        format!("(=> (and (> {b} 0) (>= {a} 0)) (and (<= 0 {t}) (<= {t} {a})))"),
        format!("(=> (and (> {b} 0) (<= {a} 0)) (and (>= 0 {t}) (>= {t} {a})))"),
        format!("(=> (and (< {b} 0) (>= {a} 0)) (and (>= 0 {t}) (>= {t} (- {a}))))"),
        format!("(=> (and (< {b} 0) (<= {a} 0)) (and (<= 0 {t}) (<= {t} (- {a}))))"),
    ];
    let sizes: BTreeSet<u128> = constants.iter().map(|c| c.unsigned_abs()).filter(|&c| c > 0).collect();
    for c in sizes {
        found.push(format!("(=> (and (> {b} 0) (>= {a} 0)) (= (>= {t} {c}) (>= {a} (* {c} {b}))))"));
        found.push(format!("(=> (and (> {b} 0) (<= {a} 0)) (= (<= {t} (- {c})) (>= (- {a}) (* {c} {b}))))"));
        found.push(format!("(=> (and (< {b} 0) (>= {a} 0)) (= (<= {t} (- {c})) (>= {a} (* {c} (- {b})))))"));
        found.push(format!("(=> (and (< {b} 0) (<= {a} 0)) (= (>= {t} {c}) (<= {a} (* {c} {b}))))"));
    }
    found
}

/// What holds of the product `m` of two integers.
pub(super) fn of_product(x: &str, y: &str, m: &str) -> Vec<String> {
    let mut found = vec![
        format!("(= (= {m} 0) (or (= {x} 0) (= {y} 0)))"),
        format!("(=> (and (> {x} 0) (> {y} 0)) (and (>= {m} {x}) (>= {m} {y})))"),
        format!("(=> (and (< {x} 0) (< {y} 0)) (and (>= {m} (- {x})) (>= {m} (- {y}))))"),
        format!("(=> (and (> {x} 0) (< {y} 0)) (and (<= {m} (- {x})) (<= {m} {y})))"),
        format!("(=> (and (< {x} 0) (> {y} 0)) (and (<= {m} {x}) (<= {m} (- {y}))))"),
    ];
    for c in NEAR_ZERO.into_iter().filter(|&c| c != 0).map(number) {
        found.push(format!("(=> (= {x} {c}) (= {m} (* {c} {y})))"));
        found.push(format!("(=> (= {y} {c}) (= {m} (* {c} {x})))"));
    }
    found
}

/// What holds of `a & b`, `a | b` and `a ^ b`, by the name of the function, for integers in two's complement with as many bits
/// as it takes.
pub(super) fn of_bits(function: &str, operands: &[Term], value: Term) -> Vec<String> {
    let (&[a, b], Some((operation, _))) = (operands, function.split_once(' ')) else { return Vec::new() };
    let [a, b, r] = [a, b, value].map(name);
    match operation {
        "bitwise_and" => vec![
            format!("(=> (>= {a} 0) (and (<= 0 {r}) (<= {r} {a})))"),
            format!("(=> (>= {b} 0) (and (<= 0 {r}) (<= {r} {b})))"),
            format!("(=> (and (< {a} 0) (< {b} 0)) (and (< {r} 0) (<= {r} {a}) (<= {r} {b})))"),
            format!("(=> (= {a} (- 1)) (= {r} {b}))"),
            format!("(=> (= {b} (- 1)) (= {r} {a}))"),
            format!("(=> (= {a} {b}) (= {r} {a}))"),
        ],
        "bitwise_or" => vec![
            format!("(=> (and (>= {a} 0) (>= {b} 0)) (and (>= {r} {a}) (>= {r} {b}) (<= {r} (+ {a} {b}))))"),
            format!("(=> (< {a} 0) (and (<= {a} {r}) (< {r} 0)))"),
            format!("(=> (< {b} 0) (and (<= {b} {r}) (< {r} 0)))"),
            format!("(=> (= {a} 0) (= {r} {b}))"),
            format!("(=> (= {b} 0) (= {r} {a}))"),
            format!("(=> (= {a} {b}) (= {r} {a}))"),
        ],
        "bitwise_xor" => vec![
            format!("(=> (and (>= {a} 0) (>= {b} 0)) (and (>= {r} 0) (<= {r} (+ {a} {b}))))"),
            format!("(=> (and (< {a} 0) (< {b} 0)) (>= {r} 0))"),
            format!("(=> (distinct (< {a} 0) (< {b} 0)) (< {r} 0))"),
            format!("(=> (= {a} 0) (= {r} {b}))"),
            format!("(=> (= {b} 0) (= {r} {a}))"),
            format!("(= (= {a} {b}) (= {r} 0))"),
        ],
        _ => Vec::new(),
    }
}
