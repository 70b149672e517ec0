//! Quotients that are made of their complements.

use super::super::range::Range;
use super::super::term::{Term, Terms};
use super::{not_proven, proven};
use crate::ir::DType;

/// `(a*x + b*y + c) // d` for any integers `x` and `y`.
fn quotient(terms: &mut Terms, of: [(Term, i128); 2], c: i128, d: i128) -> Term {
    let mut sum = terms.int(c);
    for (term, factor) in of {
        sum = terms.add_scaled(sum, term, factor);
    }
    let d = terms.int(d);
    terms.quotient(sum, d)
}

#[test]
fn one_of_two_complements_is_made_of_the_other_one() {
    for d in 2..6 {
        for (a, b, c) in (0..d).flat_map(|a| (0..d).flat_map(move |b| (0..d).map(move |c| (a, b, c)))) {
            let mut terms = Terms::default();
            let mut any = |name| terms.new_atom(name, DType::int(32), Range::ALL);
            let (x, y) = (any("x"), any("y"));
            let first = quotient(&mut terms, [(x, a), (y, b)], c, d);
            let other = quotient(&mut terms, [(x, d - a), (y, d - b)], d - 1 - c, d);
            let sum = terms.add(first, other);
            let both = terms.add(x, y);
            assert_eq!(sum, both, "{a} {b} {c} {d}");
            // The next one is another one, unless it is never more.
            let next = quotient(&mut terms, [(x, d - a), (y, d - b)], d - c, d);
            let value = |c: i128, x: i128, y: i128| ((d - a) * x + (d - b) * y + c).div_euclid(d);
            let same = (0..d).all(|x| (0..d).all(|y| value(d - c, x, y) == value(d - 1 - c, x, y)));
            assert_eq!(next == other, same, "{a} {b} {c} {d}");
        }
    }
}

#[test]
fn halves_are_one_whole_in_programs() {
    let pieces = |first: &str, second: &str| {
        format!(
            "for i in range({first}):\n    A[i] = k\nfor i in range({second}):\n    A[(n + 1) // 2 + i] = k"
        )
    };
    let whole = pieces("(n + 1) // 2", "n // 2");
    proven(&whole, &pieces("n - n // 2", "n - (n + 1) // 2"));
    not_proven(&whole, &pieces("n // 2", "n // 2"));
    not_proven(&whole, &pieces("(n + 1) // 2", "(n + 1) // 2"));
    not_proven(&whole, &pieces("n - (n - 1) // 2", "n // 2"));
}
