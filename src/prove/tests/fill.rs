//! What memory holds behind loops that store one element in each iteration, and behind stores of vectors.

use super::{not_proven, proven};

/// A loop that fills `A`, and a store of an element of it.
fn filled(index: &str, value: &str, read: &str) -> String {
    format!("for i in range(16):\n    A[{index}] = {value}\nB[0] = {read}")
}

#[test]
fn what_a_loop_stored_is_there() {
    let a = |read: &str| filled("i", "i * 3 + k", read);
    proven(&a("A[5]"), &a("15 + k"));
    proven(&a("A[k % 16]"), &a("k % 16 * 3 + k"));
    proven(&a("A[k % 17 - 1]"), &a("A[k % 17 - 1]"));
    not_proven(&a("A[k % 17]"), &a("k % 17 * 3 + k"));
    not_proven(&a("A[5]"), &a("15"));
    not_proven(&a("A[16]"), &a("48 + k"));
    // From another element on, and downwards.
    proven(&filled("i + 2", "i", "A[5]"), &filled("i + 2", "i", "3"));
    not_proven(&filled("i + 2", "i", "A[5]"), &filled("i + 2", "i", "5"));
    not_proven(&filled("i + 2", "i", "A[1]"), &filled("i + 2", "i", "-1"));
    not_proven(&filled("15 - i", "i", "A[5]"), &filled("15 - i", "i", "5"));
    // An element between two that are stored.
    not_proven(&filled("i * 2", "k", "A[5]"), &filled("i * 2", "k", "k"));
    // Only the last of several stores of one element is there.
    not_proven(&filled("i // 2", "i", "A[0]"), &filled("i // 2", "i", "0"));
    not_proven(&filled("i % 2", "i", "A[k % 2]"), &filled("i % 2", "i", "k % 2"));
    not_proven(&filled("k % 16", "i", "A[k % 16]"), &filled("k % 16", "i", "0"));
}

#[test]
fn what_a_loop_stored_may_come_of_other_memory_only() {
    let of = |value: &str, read: &str| format!("for i in range(16):\n    A[i] = {value}\nB[0] = {read}");
    // The first iteration says that the element is there.
    proven(&of("B[i + 3]", "A[0]"), &of("B[i + 3]", "B[3]"));
    not_proven(&of("B[i + 3]", "A[0]"), &of("B[i + 3]", "B[0]"));
    not_proven(&of("B[i + 3]", "A[2]"), &of("B[i + 3]", "B[3]"));
    // Each iteration reads what the one before it stored.
    let own = "q: T.let[T.int32] = A[0]\nfor i in range(16):\n    A[i] = A[0] + 1\nB[0] = ";
    not_proven(&format!("{own}A[3]"), &format!("{own}q + 1"));
    let bound = "q: T.let[T.int32] = A[0]\nfor i in range(16):\n    r: T.let[T.int32] = A[0] + 1\n    A[i] = r\nB[0] = ";
    not_proven(&format!("{bound}A[3]"), &format!("{bound}q + 1"));
}

#[test]
fn a_loop_fills_memory_where_it_is_reached() {
    let of = |cond: &str, read: &str| {
        format!("if {cond}:\n    for i in range(16):\n        A[i] = k\n    B[1] = {read}\nB[0] = A[3]")
    };
    proven(&of("k < 4", "A[7]"), &of("k < 4", "k"));
    let behind = |read: &str| format!("{}\nB[2] = {read}", of("k < 4", "3"));
    not_proven(&behind("A[2]"), &behind("k"));
    proven(&behind("T.if_then_else(k < 4, A[2], 7)"), &behind("T.if_then_else(k < 4, k, 7)"));
    // A store in between.
    let twice = |read: &str| format!("{}\nB[0] = {read}", filled("i", "k", "A[2]\nA[k] = 8"));
    not_proven(&twice("A[2]"), &twice("k"));
    // Every second element only.
    let stepped = |read: &str| format!("for i in T.serial(0, 16, step=2):\n    A[i] = i\nB[0] = {read}");
    not_proven(&stepped("A[3]"), &stepped("3"));
    // Another loop, which is left in the middle.
    let left = |read: &str| {
        format!("for i in range(16):\n    if i == k:\n        T.break_loop()\n    A[i] = 1\nB[0] = {read}")
    };
    not_proven(&left("A[2]"), &left("1"));
}

#[test]
fn lanes_that_store_the_same_element_are_not_told_apart() {
    let of = |value: &str| {
        let index = "T.Ramp(0, 1, 8) // T.Broadcast(2, 8)";
        format!("A[{index}] = T.Ramp(k, 1, 8)\nB[0:8] = {value}")
    };
    let loaded = of("A[T.Ramp(0, 1, 8) // T.Broadcast(2, 8)]");
    proven(&loaded, &loaded);
    not_proven(&loaded, &of("T.Ramp(k, 1, 8)"));
    let apart = |value: &str| format!("A[k:k + 8] = T.Ramp(k, 1, 8)\nB[0:8] = {value}");
    proven(&apart("A[k:k + 8]"), &apart("T.Ramp(k, 1, 8)"));
    proven(&apart("T.Broadcast(A[k + 3], 8)"), &apart("T.Broadcast(k + 3, 8)"));
    not_proven(&apart("T.Broadcast(A[k + 3], 8)"), &apart("T.Broadcast(k + 4, 8)"));
    not_proven(&apart("T.Broadcast(A[k + 8], 8)"), &apart("T.Broadcast(k + 8, 8)"));
}
