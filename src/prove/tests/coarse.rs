//! Quotients of what moves in large steps, and what was made before more was known.

use super::super::range::Range;
use super::super::term::{Term, Terms};
use super::{not_proven, proven};
use crate::ir::DType;

fn sum(terms: &mut Terms, of: &[(Term, i128)]) -> Term {
    let zero = terms.int(0);
    of.iter().fold(zero, |sum, &(term, factor)| terms.add_scaled(sum, term, factor))
}

/// Whether `(step*x + i) // (step*c*s)` is `(x + whole) // (c*s)` for any `x`, `i` between two values, and `s` that is positive
/// or, without `s`, 1.
fn is_coarse(step: i128, c: i128, range: (i128, i128), whole: i128, with_size: bool) -> bool {
    let mut terms = Terms::default();
    let mut any = |name, range| terms.new_atom(name, DType::int(32), range);
    let x = any("x", Range::ALL);
    let i = any("i", Range::new(Some(range.0), Some(range.1)));
    let size = any("s", Range::new(Some(1), None));
    let size = if with_size { size } else { terms.int(1) };
    let fine = sum(&mut terms, &[(x, step), (i, 1)]);
    let one = terms.int(1);
    let coarse = sum(&mut terms, &[(x, 1), (one, whole)]);
    let zero = terms.int(0);
    let by = terms.add_scaled(zero, size, step * c);
    let fine = terms.quotient(fine, by);
    let by = terms.add_scaled(zero, size, c);
    fine == terms.quotient(coarse, by)
}

#[test]
fn less_than_a_step_does_not_matter() {
    for with_size in [false, true] {
        for (step, c) in [(2, 3), (4, 4), (5, 3)] {
            for whole in [0, 1, -1] {
                let lo = whole * step;
                assert!(is_coarse(step, c, (lo, lo + step - 1), whole, with_size), "{step} {c} {whole}");
                assert!(is_coarse(step, c, (lo + 1, lo + 1), whole, with_size), "{step} {c} {whole}");
                assert!(!is_coarse(step, c, (lo, lo + step), whole, with_size), "{step} {c} {whole}");
                assert!(!is_coarse(step, c, (lo - 1, lo + step - 1), whole, with_size), "{step} {c} {whole}");
            }
        }
    }
}

#[test]
fn halves_of_sums_with_quotients_by_sizes_have_complements() {
    let mut terms = Terms::default();
    let mut any = |name, range| terms.new_atom(name, DType::int(32), range);
    let (x, y, s) = (any("x", Range::ALL), any("y", Range::ALL), any("s", Range::new(Some(1), None)));
    let (one, two, three) = (terms.int(1), terms.int(2), terms.int(3));
    let quotient = terms.quotient(x, s);
    let whole = terms.add(quotient, y);
    let next = terms.add(whole, one);
    let (half, other) = (terms.quotient(whole, two), terms.quotient(next, two));
    assert_eq!(terms.add(half, other), whole);
    let (third, other) = (terms.quotient(whole, three), terms.quotient(next, three));
    assert_ne!(terms.add(third, other), whole);
}

#[test]
fn steps_do_not_matter_in_programs() {
    let row = |index: &str| format!("for i, j in T.grid(n, 4):\n    if {index} < n:\n        A[{index}] = k");
    proven(&row("(i * 4 + j) // 16"), &row("i // 4"));
    not_proven(&row("(i * 4 + j) // 16"), &row("(i + 1) // 4"));
    not_proven(&row("(i * 4 + j * 2) // 16"), &row("i // 4"));
}

#[test]
fn what_was_made_is_made_anew_when_more_is_known() {
    let mut terms = Terms::default();
    let x = terms.new_atom("x", DType::int(32), Range::ALL);
    let four = terms.int(4);
    let (quotient, condition) = (terms.quotient(x, four), terms.not_negative(x));
    assert_eq!(terms.as_int(quotient), None);
    assert_eq!(terms.as_truth(condition), None);
    terms.restrict(x, Range::new(Some(0), Some(3)));
    let (quotient, condition) = (terms.quotient(x, four), terms.not_negative(x));
    assert_eq!(terms.as_int(quotient), Some(0));
    assert_eq!(terms.as_truth(condition), Some(true));
}
