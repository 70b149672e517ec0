//! Stores that change places: what reductions begin with, in a nest and in front of it.

use super::{Integers, Proof, Solver, prove};
use crate::script::parse;

/// A reduction over `B` in blocks of two rows of four, whose initialization is in the nest, or in front of the part that is left.
fn nest(init: &str, update: &str) -> String {
    format!(
        "for i in range(n):\n    for k in range(n):\n        for j in range(4):\n            if k == 0:\n                {init}\n            {update}"
    )
}

fn apart(init: &str, update: &str) -> String {
    format!(
        "for i in range(n):\n    if 0 < n:\n        for j in range(4):\n            {init}\n    for k in range(n):\n        for j in range(4):\n            {update}"
    )
}

/// Functions over a matrix `A` of `n` rows, a vector `B`, and `C`, which has as many rows as `A`.
fn proof(a: &str, b: &str, no_alias: bool) -> Proof {
    asked(a, b, no_alias, None)
}

fn asked(a: &str, b: &str, no_alias: bool, solver: Option<&Solver>) -> Proof {
    let function = |body: &str| {
        let attribute = if no_alias { "    T.func_attr({\"tirx.noalias\": True})\n" } else { "" };
        let mut text = format!(
            "@T.prim_func\ndef main(A: T.Buffer((\"n\", 8), \"int32\"), B: T.Buffer((\"n\",), \"int32\"), C: T.Buffer((\"n\", 8), \"int32\"), m: T.int32):\n    n = T.int32()\n{attribute}"
        );
        for line in body.lines() {
            text += &format!("    {line}\n");
        }
        parse("<test>", &text).unwrap()
    };
    prove(&function(a), &function(b), Integers::Unbounded, solver).unwrap().remove(0)
}

#[track_caller]
fn proven(a: &str, b: &str) {
    let proof = proof(a, b, true);
    assert!(proof.is_proven(), "{proof:?}");
}

#[track_caller]
fn not_proven(a: &str, b: &str) {
    assert!(!proof(a, b, true).is_proven());
}

#[test]
fn initializations_go_in_front_of_a_nest() {
    let (init, update) = ("A[i, j] = 7", "A[i, j] = A[i, j] + B[k]");
    proven(&nest(init, update), &apart(init, update));
    proven(&apart(init, update), &nest(init, update));
    not_proven(&nest(init, update), &apart("A[i, j] = 8", update));
    not_proven(&nest(init, update), &apart("A[i, j + 1] = 7", update));
    // The length says when there is a first iteration.
    not_proven(&nest(init, update), &apart(init, update).replace("    if 0 < n:", "    if 0 <= m:"));
}

#[test]
fn initializations_stay_behind_what_meets_their_elements() {
    for (init, update) in [
        // Another iteration of the loop that is taken apart writes the element, or reads it.
        ("A[i, j] = 7", "A[i, j + 1] = A[i, j] + B[k]"),
        ("A[i, j] = 7", "C[i, j] = A[i, j + 1] + B[k]"),
        // Only at one element.
        ("A[i, j] = 7", "A[i, T.max(j, 1)] = B[k]"),
        ("A[i, j] = 7", "A[i, j * 2] = A[i, j] + B[k]"),
        // For some sizes only.
        ("A[i, j] = 7", "A[m, j + 1] = A[i, j] + B[k]"),
        ("A[i, j] = 7", "A[i, T.if_then_else(m == 5, 3, j)] = B[k]"),
        // An element that memory names.
        ("A[i, j] = 7", "A[i, B[k]] = A[i, j] + 1"),
        // The value depends on memory.
        ("A[i, j] = C[i, j]", "C[i, j + 1] = A[i, j]"),
        ("A[i, j] = C[i, j]", "C[i, j] = A[i, j] + B[k]"),
    ] {
        not_proven(&nest(init, update), &apart(init, update));
        not_proven(&apart(init, update), &nest(init, update));
    }
    // An earlier iteration may read what is stored in a later one, if it is not moved past it.
    let (init, update) = ("A[i, j] = 7", "A[i, j] = A[i, j] + B[k]");
    let reads = "C[i, j] = A[i, 3]";
    not_proven(
        &nest(init, &format!("{update}\n            {reads}")),
        &apart(init, &format!("{update}\n            {reads}")),
    );
    let reads = "C[i, j] = A[i, 0]";
    proven(
        &nest(init, &format!("{update}\n            {reads}")),
        &apart(init, &format!("{update}\n            {reads}")),
    );
}

#[test]
fn buffers_that_may_share_memory_keep_the_order_of_stores() {
    let (init, update) = ("A[i, j] = 7", "C[i, j] = C[i, j] + B[k]");
    assert!(proof(&nest(init, update), &apart(init, update), true).is_proven());
    assert!(!proof(&nest(init, update), &apart(init, update), false).is_proven());
    // One buffer with the elements of another.
    let view = |body: String| format!("W = T.decl_buffer((n * 8,), \"int32\", data=A.data)\n{body}");
    let update = "W[i * 8 + j] = W[i * 8 + j] + B[k]";
    proven(&view(nest(init, update)), &view(apart(init, update)));
    let update = "W[i * 8 + j + 1] = A[i, j] + B[k]";
    not_proven(&view(nest(init, update)), &view(apart(init, update)));
}

#[test]
fn nothing_goes_past_what_has_an_effect() {
    let (init, update) = ("A[i, j] = 7", "A[i, j] = A[i, j] + B[k]");
    for effect in [
        "T.call_extern(\"int32\", \"observe\", j)",
        "T.evaluate(T.call_extern(\"int32\", \"observe\", A.data))",
        "assert j < 4, \"no\"",
    ] {
        let update = format!("{update}\n            {effect}");
        not_proven(&nest(init, &update), &apart(init, &update));
    }
    let volatile = |body: String| {
        let inner = body.replace('\n', "\n    ");
        format!("with T.attr(A.data, \"volatile_scope\", 1):\n    {inner}")
    };
    not_proven(&volatile(nest(init, update)), &volatile(apart(init, update)));
    // A loop that is left does not do all of its iterations.
    let update = format!("{update}\n            if B[k] == m:\n                T.break_loop()");
    not_proven(&nest(init, &update), &apart(init, &update));
}

#[test]
fn several_initializations_of_an_unrolled_nest_go_in_front() {
    let unrolled = |offset: usize| {
        format!(
            "if k == 0:\n            A[i, j * 2 + {offset}] = 0\n        A[i, j * 2 + {offset}] = A[i, j * 2 + {offset}] + B[k]"
        )
    };
    let a = |second: usize| {
        format!(
            "for i, j in T.grid(n, 4):\n    for k in range(16):\n        {}\n        {}",
            unrolled(0),
            unrolled(second)
        )
    };
    let b = |second: usize| {
        let update = |at: usize| format!("A[i, j * 2 + {at}] = A[i, j * 2 + {at}] + B[k]");
        format!(
            "for i, j in T.grid(n, 4):\n    A[i, j * 2] = 0\n    A[i, j * 2 + {second}] = 0\n    for k in range(16):\n        {}\n        {}",
            update(0),
            update(second)
        )
    };
    proven(&a(1), &b(1));
    not_proven(&a(1), &b(2));
    // The second initialization meets what was added before it.
    not_proven(&a(0), &b(0));
}

#[test]
fn initializations_of_two_sums_stay_in_one_loop() {
    let nest = "for i in range(n):\n    for k in range(n):\n        for j in range(4):\n            if j < 3:\n                if k == 0:\n                    A[i, j] = 7\n                    C[i, j] = 8\n                q: T.let[T.int32] = A[i, j] + B[k]\n                C[i, j] = C[i, j] + q\n                A[i, j] = q";
    let apart = |first: &str, second: &str| {
        format!(
            "for i in range(n):\n    if 0 < n:\n        for j in range(3):\n            {first}\n            {second}\n    for k in range(n):\n        for j in range(3):\n            C[i, j] = C[i, j] + (A[i, j] + B[k])\n            A[i, j] = A[i, j] + B[k]"
        )
    };
    let (first, second) = ("A[i, j] = 7", "C[i, j] = 8");
    proven(nest, &apart(first, second));
    for (first, second) in [("A[i, j] = 8", second), (first, "C[i, j] = 7"), (first, "C[i, j + 1] = 8")] {
        not_proven(nest, &apart(first, second));
    }
    // The second one stores where the first sum is.
    let met = nest.replace("C[i, j] = 8", "A[i, j + 1] = 8");
    not_proven(&met, &apart(first, "A[i, j + 1] = 8"));
}

#[test]
fn loops_may_be_shorter_where_iterations_do_nothing() {
    let a = |bound: usize| {
        format!(
            "for i in range(n):\n    for j in range(8):\n        if j < {bound}:\n            A[i, j] = m"
        )
    };
    let b = |bound: usize| format!("for i in range(n):\n    for j in range({bound}):\n        A[i, j] = m");
    proven(&a(5), &b(5));
    not_proven(&a(5), &b(4));
    not_proven(&a(4), &b(5));
    proven(&a(1), "for i in range(n):\n    A[i, 0] = m");
    not_proven(&a(2), "for i in range(n):\n    A[i, 0] = m");
    // A nest that has more iterations than a loop.
    let nest = |bound: usize, stride: usize| {
        format!(
            "for i in range(n):\n    for p in range(3):\n        for q in range(3):\n            if p * 3 + q < {bound}:\n                A[i, p * {stride} + q] = m"
        )
    };
    proven(&nest(8, 3), &b(8));
    not_proven(&nest(8, 3), &b(7));
    not_proven(&nest(7, 3), &b(8));
    not_proven(&nest(8, 2), &b(8));
    // What iterations do that the loop has not.
    let last =
        "for i in range(n):\n    for p, q in T.grid(3, 3):\n        A[i, T.min(p * 3 + q, 7)] = p * 3 + q";
    not_proven(last, "for i in range(n):\n    for j in range(8):\n        A[i, j] = j");
    proven(&b(8), &nest(8, 3));
    not_proven(&b(8), &nest(7, 3));
}

#[test]
fn iterations_that_are_written_out_may_stand_one_behind_the_other() {
    // The last two of six iterations, of which the last one does less, behind a loop.
    let a = "for i in range(6):\n    A[i, 0] = 0\n    if i < 5:\n        A[i, 1] = 0\n    for k in range(n):\n        A[i, 2] = A[i, 2] + B[k]";
    let update = |i: usize| format!("for k in range(n):\n    A[{i}, 2] = A[{i}, 2] + B[k]\n");
    let b = |ends: [usize; 2], last: usize| {
        format!(
            "for i in range({}, {}):\n    A[i, 0] = 0\n    A[i, 1] = 0\n    for k in range(n):\n        A[i, 2] = A[i, 2] + B[k]\nA[4, 0] = 0\nA[4, 1] = 0\n{}A[{last}, 0] = 0\n{}",
            ends[0],
            ends[1],
            update(4),
            update(last)
        )
    };
    proven(a, &b([0, 4], 5));
    not_proven(a, &b([0, 3], 5));
    not_proven(a, &b([1, 4], 5));
    not_proven(a, &b([0, 4], 4));
}

#[test]
fn what_a_loop_of_one_iteration_begins_with_goes_in_front() {
    // The initialization of the first nest is apart, that of the second one in its first iteration, which is cut off.
    let (init, update) = ("A[i, j] = 0", "A[i, j] = A[i, j] + B[k]");
    let rows = "for i, k in T.grid(n, n):\n    if k == 0:\n        C[i, 0] = 0\n    C[i, 0] = C[i, 0] + B[k]";
    let whole = format!("{}\n{rows}", nest(init, update));
    let cut = |length: &str, first: &str, others: &str| {
        format!(
            "{}\nfor i in range(n):\n    for k in range({length}):\n        {first}\n    for k in range({length}, n):\n        {others}",
            apart(init, update)
        )
    };
    let (one, add) = ("T.min(1, n)", "C[i, 0] = C[i, 0] + B[k]");
    // That `0 < min(1, n)` says as much as `0 < n` is left to a solver.
    let Ok(solver) = Solver::find(&std::env::var_os("PATH").unwrap_or_default()) else { return };
    let is_proven = |b: &str| asked(&whole, b, true, Some(&solver)).is_proven();
    let begin = format!("C[i, 0] = 0\n        {add}");
    assert!(is_proven(&cut(one, &begin, add)));
    for wrong in [
        cut("T.min(2, n)", &begin, add),
        cut(one, &begin.replace("= 0", "= 1"), add),
        cut(one, &format!("{add}\n        C[i, 0] = 0"), add),
        cut(one, &format!("{begin}\n        C[i, 0] = 0"), add),
        cut(one, add, add),
    ] {
        assert!(!is_proven(&wrong), "{wrong}");
    }
}
