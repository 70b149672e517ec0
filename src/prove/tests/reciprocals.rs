//! Divisions that are multiplications.

use super::{Integers, Solver, function, not_proven, proof, prove, proven};
use crate::ir::reciprocal::tests::{DIVIDED, DIVIDED_WIDE, OTHERS, OTHERS_WIDE, multiplied, multiplied_wide};

#[test]
fn multiplications_by_reciprocals_are_quotients() {
    proven(DIVIDED, &multiplied("", ""));
    proven(&multiplied("", ""), DIVIDED);
    // What is written otherwise has the same value.
    proven(DIVIDED, &multiplied("T.max(n // 2 + 1, 1)", "T.max(1 + n // 2, 1)"));
}

#[test]
fn other_multiplications_are_not() {
    for &(from, to) in OTHERS {
        not_proven(DIVIDED, &multiplied(from, to));
    }
    not_proven(
        "for i in range(n):\n    A[i] = (i * 5 - 5) // (n // 2 + 1) + k",
        &multiplied("i * 5", "i * 5 - 5"),
    );
}

#[test]
fn divisors_of_64_bits_are_not_known_to_fit() {
    let wide = "(T.Cast(\"int64\", n) * T.int64(9) + T.int64(1))";
    let divided =
        format!("for i in range(n):\n    A[i] = T.Cast(\"int32\", T.Cast(\"int64\", i % 8) // {wide}) + k");
    let multiplied = multiplied("i * 5", "i % 8")
        .replace("T.Cast(\"int64\", T.max(n // 2 + 1, 1))", wide)
        .replace("T.max(n // 2 + 1, 1)", wide);
    let proof = proof(&divided, &multiplied);
    assert!(proof.open.iter().any(|open| open.what == "the same value is stored"), "{proof:?}");
}

#[test]
fn products_of_sizes_fit_where_they_are_computed() {
    let by_product = |length: &str| {
        multiplied("", "").replace("n // 2 + 1", "n * n").replace("i * 5", "i").replace("range(n)", length)
    };
    let divided = |length: &str| format!("for i in {length}:\n    A[i] = i // n // n + k");
    let Ok(solver) = Solver::find(&std::env::var_os("PATH").unwrap_or_default()) else { return };
    let is_proven = |length: &str| {
        let (a, b) = (function(&divided(length)), function(&by_product(length)));
        prove(&a, &b, Integers::Unbounded, Some(&solver)).unwrap().remove(0).is_proven()
    };
    assert!(is_proven("range(n * n)"));
    assert!(!is_proven("range(n)"), "the first program computes no such product");
}

#[test]
fn multiplications_in_halves_are_quotients() {
    proven(DIVIDED_WIDE, &multiplied_wide("", ""));
    proven(DIVIDED_WIDE, &multiplied_wide("n + k * k", "k * k + n"));
}

#[test]
fn other_multiplications_in_halves_are_not() {
    for &(from, to) in OTHERS_WIDE {
        let divided = match from.contains("i * 5") {
            true => DIVIDED_WIDE.replace(from, to),
            false => DIVIDED_WIDE.to_owned(),
        };
        not_proven(&divided, &multiplied_wide(from, to));
    }
}
