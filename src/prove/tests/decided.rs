//! What conditions decide of a question before anybody is asked.

use super::super::follows::{all_hold, parts_of};
use super::super::range::Range;
use super::super::term::{Term, Terms};
use super::{Integers, not_proven, prove, proven};
use crate::ir::DType;
use crate::script::parse;

/// A value for each of `n` elements.
fn each(value: &str) -> String {
    format!("for i in range(n):\n    A[i] = {value}")
}

#[test]
fn choices_are_decided_by_what_is_known() {
    // That the second choice is made is seen where `k` is not 0, by which the first program divides.
    let divided = each("B[i] // k + T.if_then_else(k == 0, 3, i)");
    proven(&divided, &each("B[i] // k + i"));
    not_proven(&divided, &each("B[i] // k + 3"));
    let divided = each("B[i] // (k * n) + T.if_then_else(k == 0, 3, i)");
    proven(&divided, &each("B[i] // (k * n) + i"));
    not_proven(&divided, &each("B[i] // (k * n) + 3"));
    not_proven(&each("B[i] + T.if_then_else(k == 0, 3, i)"), &each("B[i] + i"));
    // An operand that is known to be the greater one.
    let bounded = "for i in range(n):\n    if k > 4:\n        A[i] = T.max(k, 5) * i";
    proven(bounded, &bounded.replace("T.max(k, 5)", "k"));
    not_proven(bounded, &bounded.replace("T.max(k, 5)", "5"));
    not_proven(&bounded.replace("k > 4", "k > 3"), "for i in range(n):\n    if k > 3:\n        A[i] = k * i");
}

#[test]
fn parts_of_a_conjunction_are_decided_by_the_others() {
    // The right operand is only evaluated, and only counts, where `k` is positive.
    let guarded = |cond: &str| format!("for i in range(n):\n    if {cond}:\n        A[i] = 7");
    let a = guarded("k > 0 and T.if_then_else(k == 0, 9, i // T.max(k, 1)) < 5");
    proven(&a, &guarded("k > 0 and i // T.max(k, 1) < 5"));
    not_proven(&a, &guarded("k >= 0 and i // T.max(k, 1) < 5"));
    not_proven(&a, &guarded("i // T.max(k, 1) < 5"));
}

#[test]
fn conditions_that_hold_in_any_case_go() {
    // Of four conditions loops decide all but the last one.
    let value = |conds: &str| {
        format!("for i in range(2, n - 1):\n    A[i] = T.if_then_else({conds}, B[i - 1] * 3, 0)")
    };
    proven(&value("1 <= i and i <= n and 2 <= i * 2 and i <= k"), &value("i <= k"));
    not_proven(&value("3 <= i and i <= n and 2 <= i * 2 and i <= k"), &value("i <= k"));
    not_proven(&value("1 <= i and i < n - 2 and i <= k"), &value("i <= k"));
}

#[test]
fn what_is_said_at_once_needs_no_proof() {
    let mut terms = Terms::default();
    let mut integer = |name| terms.new_atom(name, DType::int(32), Range::ALL);
    let (x, y) = (integer("x"), integer("y"));
    let [a, b] = [x, y].map(|of| terms.not_negative(of));
    let (both, not_a) = (terms.and(&[a, b]), terms.not(a));
    let not_both = terms.not(both);
    let mut says = |facts: &[Term], conditions: &[Term]| {
        let facts = parts_of(&terms, facts);
        all_hold(&mut terms, &facts, conditions)
    };
    assert!(says(&[both], &[b, a]));
    assert!(says(&[not_a], &[not_both]), "one part that does not hold is enough");
    assert!(!says(&[a], &[b]));
    assert!(!says(&[not_both], &[not_a]));
    assert!(!says(&[a, b], &[not_both]));
}

#[test]
fn integers_that_become_floats_are_decided() {
    let program = |value: &str| {
        let text = "@T.prim_func\ndef main(A: T.Buffer((\"n\",)), k: T.int32):\n    n = T.int32()\n    for x in range(n):\n        \
                    if x < k:\n            A[x] = {value}\n";
        parse("<test>", &text.replace("{value}", value)).unwrap()
    };
    let same = |a: &str, b: &str| {
        prove(&program(a), &program(b), Integers::Unbounded, None).unwrap().remove(0).is_proven()
    };
    let divided = "A[x] / T.Cast(\"float32\", T.min(1, k - x) * 2 + 2)";
    assert!(same(divided, "A[x] * T.float32(0.25)"));
    assert!(!same(divided, "A[x] * T.float32(0.5)"));
    let unknown = "A[x] / T.Cast(\"float32\", T.min(2, k - x) * 2 + 2)";
    assert!(!same(unknown, "A[x] * T.float32(0.25)"));
}
