//! Variables with one value.

use super::super::pinned::Pinned;
use super::super::range::Range;
use super::super::term::Terms;
use super::{not_proven, proven};
use crate::ir::DType;

#[test]
fn loops_of_one_iteration_have_one_value() {
    let looped = "for i in range(T.min(1, n)):\n    for j in range(n):\n        A[j + i * k] = B[j + i * 7]";
    proven(looped, "for i in range(T.min(1, n)):\n    for j in range(n):\n        A[j] = B[j]");
    let two = looped.replace("min(1", "min(2");
    not_proven(&two, "for i in range(T.min(2, n)):\n    for j in range(n):\n        A[j] = B[j]");
    // Where it begins and ends are sums.
    let last = |index: &str| format!("for i in range(n - n // 2, (n + 1) // 2 + 1):\n    A[{index}] = i");
    proven(&last("i * 2 - 4"), &last("(n + 1) // 2 + i - 4"));
    not_proven(&last("i * 2 - 4"), &last("n // 2 + i - 4"));
    not_proven(
        &last("i * 2 - 4").replace("2 + 1)", "2 + 2)"),
        &last("(n + 1) // 2 + i - 4").replace("2 + 1)", "2 + 2)"),
    );
}

#[test]
fn what_is_odd_or_even_is_a_double() {
    let of = |rest: i32, index: &str| {
        format!("if n % 2 == {rest}:\n    for i in range(n):\n        A[i] = B[i] * ({index})")
    };
    // (n + 1) // 2 * k * 2 = n * k + k for an odd n.
    proven(&of(1, "(n + 1) // 2 * k * 2"), &of(1, "n * k + k"));
    not_proven(&of(0, "(n + 1) // 2 * k * 2"), &of(0, "n * k + k"));
    proven(&of(0, "(n + 1) // 2 * k * 2"), &of(0, "n * k"));
    not_proven(&of(1, "(n + 1) // 2 * k * 2"), &of(1, "n * k"));
    proven(&of(1, "n * n // 4"), &of(1, "(n - 1) // 2 * ((n + 1) // 2)"));
    not_proven(&of(1, "n * n // 4"), &of(1, "(n + 1) // 2 * ((n + 1) // 2)"));
}

#[test]
fn what_comes_later_is_about_the_value_too() {
    let mut terms = Terms::default();
    let mut integer = |name, lo| terms.new_atom(name, DType::int(32), Range::new(lo, None));
    let (i, k) = (integer("i", Some(0)), integer("k", None));
    let product = terms.mul(i, k);
    let (zero, one, goal) = (terms.int(0), terms.int(1), terms.is_zero(product));
    let pinned = |terms: &mut Terms, most| {
        let fact = terms.at_most(i, most);
        let pinned = Pinned::of(terms, &[fact], goal);
        // What a store says of an element that is loaded, for one.
        let later = pinned.pin(terms, goal);
        (terms.as_truth(pinned.goal), terms.as_truth(later))
    };
    assert_eq!(pinned(&mut terms, zero), (Some(true), Some(true)));
    assert_eq!(pinned(&mut terms, one), (None, None));
}
