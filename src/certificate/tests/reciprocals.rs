//! Divisions that are multiplications.

use super::{certified, refused};
use crate::ir::reciprocal::tests::{DIVIDED, DIVIDED_WIDE, OTHERS, OTHERS_WIDE, multiplied, multiplied_wide};

#[test]
fn multiplications_by_reciprocals_are_quotients() {
    certified(DIVIDED, &multiplied("", ""));
    certified(&multiplied("", ""), DIVIDED);
    certified(DIVIDED_WIDE, &multiplied_wide("", ""));
    certified(DIVIDED_WIDE, &multiplied_wide("n + k * k", "k * k + n"));
}

#[test]
fn other_multiplications_are_not() {
    let of = |divided: &str, from: &str, to: &str| match from.contains("i * 5") {
        true => divided.replace(from, to),
        false => divided.to_owned(),
    };
    for &(from, to) in OTHERS {
        refused(DIVIDED, &multiplied(from, to));
    }
    refused(&DIVIDED.replace("i * 5", "(i * 5 - 5)"), &multiplied("i * 5", "i * 5 - 5"));
    for &(from, to) in OTHERS_WIDE {
        refused(&of(DIVIDED_WIDE, from, to), &multiplied_wide(from, to));
    }
}

#[test]
fn shifts_and_leading_zeros_trap_only_where_they_may() {
    certified("A[0] = 1", "x: T.let[T.int32] = T.shift_left(k, T.max(T.min(n, 31), 0))\nA[0] = 1");
    certified("A[0] = 1", "x: T.let[T.int32] = T.clz(T.max(k, 1))\nA[0] = 1");
    for trap in [
        "T.shift_left(k, T.max(T.min(n, 32), 0))",
        "T.shift_right(k, n)",
        "T.clz(k)",
        "T.clz(n)",
        "T.clz(k * 2 - 2)",
    ] {
        refused("A[0] = 1", &format!("x: T.let[T.int32] = {trap}\nA[0] = 1"));
    }
    // What is counted of 2**31 - 1 has one leading zero, and of anything else that is positive no fewer.
    certified(
        "if T.clz(T.max(k, 1)) >= 0:\n    A[0] = 1",
        "x: T.let[T.int32] = T.clz(T.max(k, 1))\nA[0] = 1",
    );
    refused("if T.clz(T.max(k, 1)) >= 2:\n    A[0] = 1", "x: T.let[T.int32] = T.clz(T.max(k, 1))\nA[0] = 1");
}
