//! Conditions on few values.

use super::super::range::Range;
use super::super::term::{Term, Terms};
use super::{not_proven, proven};
use crate::ir::DType;

struct Small {
    terms: Terms,
    x: Term,
    i: Term,
    n: Term,
}

impl Small {
    fn new() -> Small {
        let mut terms = Terms::default();
        let mut value = |name, last| terms.new_atom(name, DType::int(32), Range::new(Some(0), last));
        let (x, i, n) = (value("x", Some(7)), value("i", Some(2)), value("n", None));
        Small { terms, x, i, n }
    }

    /// `x % 2 - 2 * ((2*x + 5*(x // 2) + times*i) // 9) >= 0`
    fn by_quotient(&mut self, times: i128) -> Term {
        let (two, nine, zero) = (self.terms.int(2), self.terms.int(9), self.terms.int(0));
        let half = self.terms.quotient(self.x, two);
        let sum = self.terms.add_scaled(self.x, self.x, 1);
        let sum = self.terms.add_scaled(sum, half, 5);
        let sum = self.terms.add_scaled(sum, self.i, times);
        let ninth = self.terms.quotient(sum, nine);
        let least = self.terms.add_scaled(zero, ninth, 2);
        self.terms.at_most(least, self.x)
    }

    /// `last - x % 2 - 2*i >= 0`
    fn by_sum(&mut self, last: i128) -> Term {
        let (two, last) = (self.terms.int(2), self.terms.int(last));
        let remainder = self.terms.remainder(self.x, two);
        let sum = self.terms.add_scaled(remainder, self.i, 2);
        self.terms.at_most(sum, last)
    }
}

#[test]
fn what_holds_for_the_same_values_is_one_condition() {
    for (times, last, expected) in [(4, 4, true), (4, 3, false), (4, 5, false), (3, 4, false), (5, 4, false)]
    {
        let mut s = Small::new();
        let (a, b) = (s.by_quotient(times), s.by_sum(last));
        assert_eq!(a == b, expected, "{times} {last}");
        let (not_a, not_b) = (s.terms.not(a), s.terms.not(b));
        assert_eq!(not_a == not_b, expected, "{times} {last}");
        let same = s.terms.equal(a, b);
        assert_eq!(s.terms.as_truth(same) == Some(true), expected);
    }
}

#[test]
fn values_on_which_a_condition_does_not_depend_are_not_in_it() {
    let mut s = Small::new();
    let (three, one) = (s.terms.int(3), s.terms.int(1));
    // 3*i + x // 4 < 4 is i < 1, but for i = 1 and x < 4; with x // 8 it would be i < 2.
    let plain = s.terms.less(s.i, one);
    for (by, more, expected) in [(4, 2, true), (4, 3, false), (2, 2, false)] {
        let (by, end) = (s.terms.int(by), s.terms.int(more + 1));
        let part = s.terms.quotient(s.x, by);
        let thrice = s.terms.mul(three, s.i);
        let sum = s.terms.add(thrice, part);
        assert_eq!(s.terms.less(sum, end) == plain, expected, "{more}");
    }
}

#[test]
fn sizes_are_not_few_values() {
    let mut s = Small::new();
    let two = s.terms.int(2);
    let half = s.terms.quotient(s.n, two);
    let twice = s.terms.add(half, half);
    let (a, b) = (s.terms.at_most(s.n, twice), s.terms.at_most(twice, s.x));
    assert!(a != b && s.terms.as_truth(a).is_none() && s.terms.as_truth(b).is_none());
}

#[test]
fn programs_may_write_them_in_either_way() {
    let program =
        |condition: &str| format!("for x, i in T.grid(8, 3):\n    if {condition}:\n        A[x * 3 + i] = k");
    let first = program("0 <= x % 2 - (x * 2 + x // 2 * 5 + i * 4) // 9 * 2 + x // 2 * 2");
    proven(&first, &program("x % 2 + i * 2 <= 4"));
    not_proven(&first, &program("x % 2 + i * 2 <= 3"));
    not_proven(&first, &program("x % 2 + i * 2 <= 5"));
    not_proven(&first, &program("x % 2 + i * 3 <= 4"));
}

#[track_caller]
fn check(a: &str, b: &str, expected: bool) {
    if expected {
        proven(a, b);
    } else {
        not_proven(a, b);
    }
}

#[test]
fn quotients_by_sizes_are_compared_as_products() {
    let program =
        |condition: &str| format!("for i in range(n * 7):\n    if {condition}:\n        A[i // 7] = k");
    for (a, b, expected) in [
        ("i // n <= k - 1", "i < k * n", true),
        ("i // n <= k - 1", "i <= k * n", false),
        ("i // n >= k", "i >= k * n", true),
        ("i // n >= k", "i > k * n", false),
        ("i // n > k", "i >= k * n", false),
    ] {
        check(&program(a), &program(b), expected);
    }
    // Several times a quotient, and less than so many.
    let program = |condition: &str| {
        format!("for i, j in T.grid(n * 7, 9):\n    if {condition}:\n        A[i // 7] = j")
    };
    for (a, b, expected) in [
        ("1 <= i // n + j // 3", "n <= i + j // 3 * n", true),
        ("i // n * 3 + j >= 3", "n <= i + j // 3 * n", true),
        ("i // n * 3 + j >= 2", "n <= i + j // 3 * n", false),
        ("i // n * 3 + j >= 4", "n <= i + j // 3 * n", false),
        ("i // n + j // 3 <= k", "i + j // 3 * n < (k + 1) * n", true),
        ("i // n * 3 + j <= k * 3 + 2", "i + j // 3 * n < (k + 1) * n", true),
        ("i // n * 3 + j <= k * 3 + 1", "i + j // 3 * n < (k + 1) * n", false),
        ("i // n * 3 + j <= k * 3 + 3", "i + j // 3 * n < (k + 1) * n", false),
    ] {
        check(&program(a), &program(b), expected);
    }
    // Less than a step does not matter, as long as it is less.
    let steps = |length: usize, condition: &str| {
        format!("for i, j in T.grid(n * 7, {length}):\n    if {condition}:\n        A[i // 7] = j")
    };
    for (length, expected) in [(8, true), (9, false)] {
        check(&steps(length, "n * 8 <= i * 8 + j"), &steps(length, "n <= i"), expected);
    }
    // Nothing is known of the sign of `k`.
    let program = |condition: &str| {
        format!("for i in range(n):\n    if k != 0:\n        if {condition}:\n            A[i] = 1")
    };
    not_proven(&program("i // k >= n"), &program("i >= k * n"));
}

#[test]
fn remainders_are_below_what_divides() {
    let program =
        |condition: &str| format!("for i in range(n * 7):\n    if {condition}:\n        A[0] = i // n");
    proven(&program("n > i % n"), &program("n > 0"));
    proven(&program("n - 1 - i // n + i // n // n * n >= 0"), &program("n * i // n >= 0"));
    not_proven(&program("n - 2 >= i % n"), &program("n > 0"));
    not_proven(&program("n + 1 > i % n * 2"), &program("n > 0"));
}
