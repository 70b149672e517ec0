//! Integers that have to fit their types.

use super::super::{Integers, prove};
use super::function;

#[track_caller]
fn fits(a: &str, b: &str, expected: bool) {
    let prove = |integers| prove(&function(a), &function(b), integers, None).unwrap().remove(0);
    assert!(prove(Integers::Unbounded).is_proven(), "the same without bounds: {a}\n{b}");
    let proof = prove(Integers::Bounded);
    assert_eq!(proof.is_proven(), expected, "{a}\n{b}\n{proof:?}");
    assert!(proof.open.iter().all(|open| open.what.contains("fits its type")), "{proof:?}");
}

#[test]
fn what_the_input_computes_fits() {
    fits("A[0] = k * 2 + 7", "x: T.let[T.int32] = k * 2\nA[0] = x + 7", true);
    fits("A[0] = k", "A[0] = k + 7 - 7", false);
    fits("A[0] = k", "A[0] = k * 2 - k", false);
    // Both ends count, and the parts of a product.
    fits("A[0] = k + 7", "A[0] = k + 8 - 1", false);
    fits("A[0] = k - 7", "A[0] = k - 8 + 1", false);
    fits("A[0] = k * 6", "A[0] = k * 2 * 3", true);
    fits("A[0] = k * 6", "A[0] = k * 12 // 2", false);
}

#[test]
fn only_where_the_input_computes_it() {
    let guarded = "if k > 0:\n    A[0] = k + 9";
    fits(guarded, "if k > 0:\n    x: T.let[T.int32] = k + 9\n    A[0] = x", true);
    // Where `k` is not positive it fits in any case.
    fits(guarded, "x: T.let[T.int32] = k + 9\nif k > 0:\n    A[0] = x", true);
    let below = "if k < 9:\n    A[0] = k + 9";
    fits(below, "x: T.let[T.int32] = k + 9\nif k < 9:\n    A[0] = x", false);
    let many = "for i in range(n):\n    A[i] = k + 9";
    fits(many, "x: T.let[T.int32] = k + 9\nfor i in range(n):\n    A[i] = x", false);
    fits(&many.replace("(n)", "(4)"), "x: T.let[T.int32] = k + 9\nfor i in range(4):\n    A[i] = x", true);
    let arm = "A[0] = T.if_then_else(k < 9, k + 9, 0)";
    fits(arm, "x: T.let[T.int32] = k + 9\nA[0] = T.if_then_else(k < 9, x, 0)", false);
}

#[test]
fn bounds_and_sizes_help() {
    let large = "for i in range(1000):\n    A[0] = i";
    fits(large, "for i in range(1000):\n    A[0] = i * 2000000 // 2000000", true);
    fits(large, "for i in range(1000):\n    A[0] = i * 3000000 // 3000000", false);
    // A size is one of its type.
    fits("A[0] = n - 1", "A[0] = n - 3 + 2", true);
    fits("A[0] = n", "A[0] = n + 1 - 1", false);
}

#[test]
fn the_least_integer_has_no_opposite() {
    fits("A[0] = 0 - k", "A[0] = k // -1", true);
    // The first one says that it is not divided.
    fits("A[0] = k // -1", "A[0] = 0 - k", true);
    fits("A[0] = k // -2", "A[0] = (0 - k) // 2", false);
    fits("A[0] = T.max(k, -5)", "A[0] = T.max(k, -5) // -1 // -1", true);
    fits("A[0] = k % 7", "A[0] = k % 7 + k // -1 - k // -1", false);
}

#[test]
fn loops_end_at_integers_of_their_type() {
    let of = |range: &str| format!("for i in range({range}):\n    A[0] = A[0] + k");
    fits(&of("k, k + 4"), &of("k, k + 4"), true);
    fits(&of("k, n"), &of("k, n"), true);
    // So the input shows that its end fits, and nothing of what is behind that.
    fits("for i in range(k, k + 4):\n    A[0] = k", "for i in range(k, k + 4):\n    A[0] = k + 4 - 4", true);
    fits("for i in range(k, k + 4):\n    A[0] = k", "for i in range(k, k + 4):\n    A[0] = k + 5 - 5", false);
}
