//! What is proven, and what must not be.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

mod arithmetic;
mod bounded;
mod coarse;
mod complements;
mod decided;
mod few;
mod fill;
mod floats;
#[cfg(unix)]
mod inquiry;
mod least;
mod lemmas;
mod order;
mod pieces;
mod pinned;
mod reciprocals;
mod statements;

use super::{Integers, Proof, Solver, SolverError, prove};
use crate::script::parse;

/// A function with these statements over `A`, `B` of `n` elements.
fn function(body: &str) -> crate::ir::Module {
    let mut text = String::from(
        "@T.prim_func\ndef main(A: T.Buffer((\"n\",), \"int32\"), B: T.Buffer((\"n\",), \"int32\"), k: T.int32):\n    \
         n = T.int32()\n    T.func_attr({\"tirx.noalias\": True})\n",
    );
    for line in body.lines() {
        text += &format!("    {line}\n");
    }
    parse("<test>", &text).unwrap()
}

fn proof(a: &str, b: &str) -> Proof {
    prove(&function(a), &function(b), Integers::Unbounded, None).unwrap().remove(0)
}

/// A program that is this script. Another process writes the file: a process that another test starts has what this one has
/// open until it is another program, and a file that is open for writing is not executed.
#[cfg(unix)]
fn executable(path: &std::path::Path, script: &str) {
    let text = path.with_extension("text");
    std::fs::write(&text, script).unwrap();
    let copy = ["-c", "cp \"$0\" \"$1\" && chmod +x \"$1\""];
    let done = std::process::Command::new("sh").args(copy).args([&*text, path]).status().unwrap();
    assert!(done.success());
}

#[track_caller]
fn proven(a: &str, b: &str) {
    let proof = proof(a, b);
    assert!(proof.is_proven(), "{proof:?}");
}

#[track_caller]
fn not_proven(a: &str, b: &str) {
    assert!(!proof(a, b).is_proven());
}

#[test]
fn the_same_values_are_proven() {
    let loop_of = |value: &str| format!("for i in range(n):\n    A[i] = {value}");
    for (a, b) in [
        ("(i + 1) * (i + 1) - i * i", "i * 2 + 1"),
        ("(i * 12 + k) // 4", "i * 3 + k // 4"),
        ("(k // 4 + i) // 3", "(k + i * 4) // 12"),
        ("(i * 4 + 3) // 4", "i"),
        ("k % 8 + k // 8 * 8", "k"),
        ("T.max(i, -1)", "i"),
        ("T.min(k, 7) + T.max(k, 7)", "k + 7"),
        ("T.min(k, 7) * i * 3 + T.max(k, 7) * i * 2", "(k + 7) * i * 2 + T.min(k, 7) * i"),
        ("B[i] * 2", "B[i] + B[i]"),
    ] {
        proven(&loop_of(a), &loop_of(b));
        not_proven(&loop_of(a), &loop_of(&format!("{b} + 1")));
    }
    not_proven(&loop_of("T.min(k, 7) + T.max(k, 8)"), &loop_of("k + 7"));
    not_proven(&loop_of("T.min(k, 7) - T.max(k, 7)"), &loop_of("k - 7"));
}

#[test]
fn conditions_may_go_where_they_are_implied() {
    let a = "for i in range(n):\n    if i < n:\n        A[i] = k";
    proven(a, "for i in range(n):\n    A[i] = k");
    not_proven("for i in range(n):\n    if i < k:\n        A[i] = k", "for i in range(n):\n    A[i] = k");
    proven("for i in range(n):\n    if i < 0:\n        A[i] = k", "for i in range(n):\n    T.evaluate(0)");
}

#[test]
fn nothing_traps_that_did_not() {
    let a = "for i in range(n):\n    A[i] = 7 // k";
    not_proven(a, "q: T.let[T.int32] = 7 // k\nfor i in range(n):\n    A[i] = q");
    proven(a, "for i in range(n):\n    q: T.let[T.int32] = 7 // k\n    A[i] = q");
    let a = "for i in range(4):\n    A[i] = 7 // k";
    proven(a, "q: T.let[T.int32] = 7 // k\nfor i in range(4):\n    A[i] = q");
    // A loop that never runs evaluates its bounds.
    let never = "T.min(T.max(7 // k, 0), 0)";
    for range in [never.to_owned(), format!("7 // k, {never}"), "0, 0, 7 // k".to_owned()] {
        not_proven("A[0] = k", &format!("A[0] = k\nfor i in range({range}):\n    A[1] = k"));
    }
    proven("A[0] = k", "A[0] = k\nfor i in range(T.min(k, 0)):\n    A[1] = k");
    // A load of another element than the input reads.
    not_proven("A[0] = k", "q: T.let[T.int32] = B[k]\nA[0] = k + q - q");
}

#[test]
fn views_have_bounds_of_their_own() {
    let of = |shape: &str, rest: &str| format!("W = T.decl_buffer({shape}, \"int32\", data=B.data)\n{rest}");
    for access in ["W[k] = 1", "A[0] = W[k]"] {
        let a = of("(n,)", access);
        proven(&a, &a);
        not_proven(&a, &of("(1,)", access));
        not_proven(&a, &of("(n - 1,)", access));
        proven(&a, &of("(n + 1,)", access));
        // Another index of another view of the same element.
        proven(&a, &of("(n, 1)", &access.replace("[k]", "[k, 0]")));
        not_proven(&a, &of("(1, n)", &access.replace("[k]", "[k, 0]")));
    }
    // The element is there, but not in this row.
    let rows = of("(n, 4)", "A[0] = W[k, 1]");
    proven(&rows, &rows);
    not_proven(&rows, &of("(n, 4)", "A[0] = W[k - 1, 5]"));
}

#[test]
fn bits_and_zeros_have_laws() {
    let bits = |op: &str, x: &str, y: &str| format!("A[0] = T.bitwise_{op}({x}, {y})");
    for (op, y, same) in
        [("and", "k", "k"), ("or", "k", "k"), ("xor", "k", "0"), ("or", "0", "k"), ("xor", "0", "k")]
    {
        proven(&format!("A[0] = {same}"), &bits(op, "k", y));
        proven(&bits(op, "k", y), &bits(op, y, "k"));
    }
    proven("A[0] = k", &bits("and", "k", "-1"));
    not_proven("A[0] = k", &bits("or", "k", "-1"));
    not_proven("A[0] = k", &bits("and", "k", "n"));
    proven(&bits("or", "n", "k"), &bits("or", "k", "n"));
    let float = |value: &str| format!("A[0] = T.reinterpret(\"int32\", {value})");
    let x = "T.reinterpret(\"float32\", k)";
    // The reader computes `x + 0.0` itself, as TVM's does.
    for (op, zero, same) in
        [("Add", "-0.0", true), ("Sub", "0.0", true), ("Add", "0.0", false), ("Sub", "-0.0", false)]
    {
        let other = float(&format!("T.{op}({x}, T.float32({zero}))"));
        assert_eq!(proof(&float(x), &other).is_proven(), same, "{other}");
    }
}

#[test]
fn stores_come_between_loads() {
    proven("A[0] = k\nB[0] = A[0]", "A[0] = k\nB[0] = k");
    proven("A[0] = k\nB[0] = A[1]", "q: T.let[T.int32] = A[1]\nA[0] = k\nB[0] = q");
    not_proven("A[0] = k\nB[0] = A[k]", "q: T.let[T.int32] = A[k]\nA[0] = k\nB[0] = q");
    let a = "for i in range(n):\n    A[i] = A[0] + 1";
    not_proven(a, "for i in range(n):\n    q: T.let[T.int32] = A[0]\n    A[i] = q + 2");
    not_proven(a, "q: T.let[T.int32] = A[k]\nfor i in range(n):\n    A[i] = q + 1");
}

#[test]
fn order_and_structure_count() {
    not_proven("A[0] = k\nA[k] = 1", "A[k] = 1\nA[0] = k");
    not_proven("A[0] = k", "A[0] = k\nA[0] = k + 1");
    not_proven("for i in range(n):\n    A[i] = i", "for i in range(n - 1):\n    A[i] = i");
    // The loop is no partner of the store: each would have to do nothing.
    not_proven("A[0] = k", "while k < 0:\n    A[0] = k");
}

#[test]
fn other_signatures_are_refused() {
    let (a, b) = (
        parse("<a>", "@T.prim_func\ndef main(A: T.Buffer((4,), \"int32\")):\n    A[0] = 1\n").unwrap(),
        parse("<b>", "@T.prim_func\ndef main(A: T.Buffer((5,), \"int32\")):\n    A[0] = 1\n").unwrap(),
    );
    let proof = prove(&a, &b, Integers::Unbounded, None).unwrap().remove(0);
    assert!(proof.unaligned.unwrap().what.contains("signatures"));
}

#[cfg(unix)]
#[test]
fn a_bad_solver_proves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // What operations on bits are is left to the solver.
    let (a, b) = (function("A[0] = T.bitwise_and(n, k)"), function("A[0] = T.bitwise_or(n, k)"));
    let missing = Solver::new(folder.path().join("none"));
    assert!(matches!(prove(&a, &b, Integers::Unbounded, Some(&missing)), Err(SolverError::Run { .. })));
    for (name, script) in
        [("dies", "exit 3"), ("lies", "cat > /dev/null; echo unsat"), ("talks", "cat; echo the end")]
    {
        let path = folder.path().join(name);
        executable(&path, &format!("#!/bin/sh\n{script}\n"));
        let answer = prove(&a, &b, Integers::Unbounded, Some(&Solver::new(path)));
        assert!(matches!(answer, Err(SolverError::Nonsense { .. })), "{name}: {answer:?}");
    }
}

#[test]
fn elements_of_buffers_may_be_vectors() {
    let function = |body: &str| {
        let text = format!(
            "@T.prim_func\ndef main(A: T.Buffer((8,), \"float32x4\"), B: T.Buffer((32,), \"float32\"), k: T.int32):\n    \
             T.func_attr({{\"tirx.noalias\": True}})\n    C = T.alloc_buffer((8,), \"float32x4\")\n    {body}\n"
        );
        parse("<test>", &text).unwrap()
    };
    let proof =
        |a: &str, b: &str| prove(&function(a), &function(b), Integers::Unbounded, None).unwrap().remove(0);
    for (a, b) in [
        ("C[k + 1] = A[k]\n    A[0] = C[1 + k] * C[k + 1]", "C[k + 1] = A[k]\n    A[0] = A[k] * A[k]"),
        (
            "C[k] = B[k * 4:k * 4 + 4]\n    A[k] = C[k]",
            "C[k] = B[k * 4:k * 4 + 4]\n    A[k] = B[k * 4:k * 4 + 4]",
        ),
        (
            "C[0] = A[k]\n    C[1] = A[k + 1]\n    A[2] = C[0]",
            "C[0] = A[k]\n    C[1] = A[k + 1]\n    A[2] = A[k]",
        ),
    ] {
        let found = proof(a, b);
        assert!(found.is_proven(), "{found:?}");
        let found = proof(a, &b.replace("[k]", "[k + 2]"));
        assert!(!found.is_proven(), "{a} is not {b} two elements later");
    }
    let found = proof("C[0] = A[k]\n    A[2] = C[0]", "C[0] = A[k]\n    A[2] = T.Broadcast(B[k], 4)");
    assert!(!found.is_proven());
}

#[test]
fn dividing_by_a_power_of_two_is_multiplying() {
    let function = |dtype: &str, value: &str| {
        let text = format!("@T.prim_func\ndef main(A: T.Buffer((8,), \"{dtype}\")):\n    A[0] = {value}\n");
        parse("<test>", &text).unwrap()
    };
    for (dtype, a, b, same) in [
        ("float32", "A[1] / T.float32(2)", "A[1] * T.float32(0.5)", true),
        ("float32", "A[1] / T.float32(-0.125)", "A[1] * T.float32(-8)", true),
        ("float32", "A[1] / T.float32(2)", "A[1] * T.float32(-0.5)", false),
        ("float32", "A[1] / T.float32(10)", "A[1] * T.float32(0.1)", false),
        ("float32", "A[1] / A[2]", "A[1] * A[2]", false),
        ("float16", "A[1] / T.float16(16384)", "A[1] * T.float16(0.00006103515625)", true),
        ("float16", "A[1] / T.float16(32768)", "A[1] * T.float16(0.000030517578125)", false),
    ] {
        let found =
            prove(&function(dtype, a), &function(dtype, b), Integers::Unbounded, None).unwrap().remove(0);
        assert_eq!(found.is_proven(), same, "{a}, {b}: {found:?}");
    }
}

#[test]
fn loops_may_be_split_joined_and_peeled() {
    let nest = "for i, j in T.grid(8, 6):\n    A[i * 6 + j] = k";
    proven(nest, "for x in range(48):\n    A[x] = k");
    proven(nest, "for i, j in T.grid(12, 4):\n    A[i * 4 + j] = k");
    let lets =
        "for i in range(12):\n    q: T.let[T.int32] = i * 4\n    for j in range(4):\n        A[q + j] = k";
    proven(nest, lets);
    proven(lets, nest);
    not_proven(nest, "for i, j in T.grid(12, 4):\n    A[i * 4 + j + 1] = k");
    not_proven(nest, "for i, j in T.grid(6, 8):\n    A[j * 6 + i] = k");
    not_proven(nest, "for x in range(47):\n    A[x] = k");
    not_proven("for x in range(47):\n    A[x] = k", nest);
    let first = "for i, j in T.grid(n, 4):\n    if i == 0 and j == 0:\n        A[0] = k\n    B[i] = j";
    let after = "for i, j in T.grid(n, 4):\n    B[i] = j";
    proven(first, &format!("if 0 < n:\n    A[0] = k\n{after}"));
    not_proven(first, &format!("A[0] = k\n{after}"));
    not_proven(first, &format!("{after}\nif 0 < n:\n    A[0] = k"));
    // Each iteration may read what the one before it stored.
    let inside = "for i, j in T.grid(4, 4):\n    q: T.let[T.int32] = A[0]\n    A[j] = q + 1";
    let outside =
        "for i in range(4):\n    q: T.let[T.int32] = A[0]\n    for j in range(4):\n        A[j] = q + 1";
    not_proven(inside, outside);
    not_proven(outside, inside);
    // What a loop that never runs would divide by may be 0.
    let never = "for i, j in T.grid(n, k):\n    A[i] = j";
    not_proven(
        never,
        "for i in range(n):\n    q: T.let[T.int32] = 7 // k\n    for j in range(k):\n        A[i] = j",
    );
}

#[test]
fn a_loop_may_be_as_long_as_the_least_of_some_lengths() {
    let guarded = "for f in range(n * 4):\n    if f // n * 2 + f % n < 7:\n        A[f] = f % n";
    let nest =
        |length: &str| format!("for i in range(4):\n    for j in range({length}):\n        A[i * n + j] = j");
    proven(guarded, &nest("T.min(n, 7 - i * 2)"));
    proven(&nest("T.min(7 - i * 2, n)"), guarded);
    not_proven(guarded, &nest("T.min(n, 6 - i * 2)"));
    not_proven(guarded, &nest("T.min(n, 8 - i * 2)"));
    not_proven(guarded, &nest("7 - i * 2"));
    // The most that it may be is another length.
    not_proven(guarded, &nest("T.min(n + 1, 7 - i * 2)"));
}

#[test]
fn all_duties_are_looked_at_where_many_fail() {
    let lines = |more: usize| -> String {
        (0..20)
            .map(|i| format!("for x in range(n - {i}):\n    A[x] = x * {}\n", i + more))
            .chain(["B[0] = (k + k) * 2".to_owned()])
            .collect()
    };
    let proof = proof(&lines(2), &lines(3));
    assert_eq!(proof.open.len(), 20, "{proof:?}");
    assert_eq!(proof.by_normal_form, proof.duties - 20, "{proof:?}");
}

#[test]
fn loads_after_stores_at_equal_places_are_what_was_stored() {
    let Ok(solver) = Solver::find(&std::env::var_os("PATH").unwrap_or_default()) else { return };
    let proof = |a: &str, b: &str| {
        prove(&function(a), &function(b), Integers::Unbounded, Some(&solver)).unwrap().remove(0)
    };
    for (a, b, same) in [
        ("A[k * k] = 1\nB[0] = A[n] + 1", "A[k * k] = 1\nB[0] = T.Select(k * k == n, 2, A[n] + 1)", true),
        ("if k == 0:\n    A[k] = 5\n    B[0] = A[0]", "if k == 0:\n    A[0] = 5\n    B[0] = 5", true),
        ("if k < 1:\n    A[k] = 5\n    B[0] = A[0]", "if k < 1:\n    A[k] = 5\n    B[0] = 5", false),
        ("A[k * k] = 1\nB[0] = A[n]", "A[k * k] = 1\nB[0] = 1", false),
    ] {
        let found = proof(a, b);
        assert_eq!(found.is_proven(), same, "{a} and {b}: {found:?}");
    }
}

#[test]
fn calls_with_an_effect_are_the_same_ones() {
    let call = |name: &str, at: &str| format!("T.call_extern(\"int32\", \"{name}\", {at})");
    // Whatever is made of their results: a product with 0 says nothing about the call.
    let nothing = |call: &str| format!("T.Mul({call}, 0)");
    let store = |value: &str| format!("A[0] = A[0] + {value}\nB[1] = k");
    let plain = nothing(&call("f", "k"));
    proven(&store(&plain), &store(&plain));
    proven(&store(&plain), &store(&nothing(&call("f", "1 + k - 1"))));
    for other in [
        store("0"),
        "B[1] = k".to_owned(),
        store(&nothing(&call("g", "k"))),
        store(&nothing(&call("f", "k + 1"))),
        store(&format!("{plain} + {plain}")),
        format!("if 0 < k:\n    A[0] = A[0] + {plain}\nB[1] = k"),
        store(&format!("T.if_then_else(0 < k, {plain}, 0)")),
    ] {
        not_proven(&store(&plain), &other);
        not_proven(&other, &store(&plain));
    }
    // A loop that never runs evaluates where it begins and ends, and its step.
    for range in [
        format!("range({plain})"),
        format!("T.serial({plain}, 0)"),
        format!("T.serial(0, 0, step={})", call("f", "k")),
    ] {
        let never = format!("for i in {range}:\n    A[0] = 3\nB[1] = k");
        proven(&never, &never);
        not_proven(&never, "B[1] = k");
        not_proven("B[1] = k", &never);
    }
    let choice = |bound: &str| store(&format!("T.if_then_else(k < {bound}, {plain}, 0)"));
    proven(&choice("3"), &choice("3"));
    not_proven(&choice("3"), &choice("4"));
}

#[test]
fn volatile_memory_is_read_and_written_as_often_and_in_order() {
    let volatile = |body: &str| {
        let lines: String = body.lines().map(|line| format!("    {line}\n")).collect();
        format!("with T.attr(A.data, \"volatile_scope\", 1):\n{lines}")
    };
    let proven = |a: &str, b: &str| proven(&volatile(a), &volatile(b));
    let not_proven = |a: &str, b: &str| {
        not_proven(&volatile(a), &volatile(b));
        not_proven(&volatile(b), &volatile(a));
    };
    proven("B[0] = A[0] + (k + 1) * 2", "B[0] = A[0] + (k * 2 + 2)");
    proven(
        "for i in range(n):\n    B[i] = A[i] + B[0] * k",
        "for i in range(n):\n    x: T.let[T.int32] = k * B[0]\n    B[i] = A[i] + x",
    );
    // Another load may give another value, and happens.
    not_proven("B[0] = A[0]\nB[1] = A[0]", "x: T.let[T.int32] = A[0]\nB[0] = x\nB[1] = x");
    not_proven("B[0] = A[0] * 2", "B[0] = A[0] + A[0]");
    not_proven("B[0] = T.Mul(A[0], 0)", "B[0] = 0");
    not_proven("B[0] = T.Mul(A[0], 0)", "B[0] = T.Mul(A[1], 0)");
    not_proven("A[0] = 5\nA[1] = 5\nB[0] = A[0]", "A[0] = 5\nA[1] = 5\nB[0] = A[1]");
    not_proven("B[0] = A[0] - A[1]", "B[0] = T.int32(0) - A[1] + A[0]");
    // What was stored may not be there any more, and each store is seen.
    not_proven("A[0] = k\nB[0] = A[0]", "A[0] = k\nB[0] = k");
    not_proven("A[0] = k\nA[0] = k", "A[0] = k");
    not_proven("A[0] = A[0]", "T.evaluate(0)");
    not_proven("A[0] = 1\nA[0] = 2", "A[0] = 2");
    not_proven("if k < 3:\n    A[0] = 1", "if k < 4:\n    A[0] = 1");
    let plain = "B[0] = B[1]\nB[2] = B[1]";
    proven(plain, "x: T.let[T.int32] = B[1]\nB[0] = x\nB[2] = x");
    // Memory is volatile in both or in none.
    super::tests::not_proven(&volatile(plain), plain);
    super::tests::not_proven("B[0] = A[0]", &volatile("B[0] = A[0]"));
}

#[test]
fn truncated_remainders_are_small() {
    let x = "T.truncmod(k, 4096)";
    proven(&format!("A[0] = T.truncmod({x}, 5000)"), &format!("A[0] = {x}"));
    proven(
        &format!("A[0] = T.truncmod({x} + T.truncmod(n * k, 7), 4102)"),
        &format!("A[0] = {x} + T.truncmod(n * k, 7)"),
    );
    not_proven(
        &format!("A[0] = T.truncmod({x} + T.truncmod(n * k, 7), 4101)"),
        &format!("A[0] = {x} + T.truncmod(n * k, 7)"),
    );
    proven(&format!("A[0] = T.truncdiv({x}, 4096)"), "A[0] = 0");
    proven(&format!("A[0] = T.truncdiv({x}, -4096)"), "A[0] = 0");
    not_proven(&format!("A[0] = T.truncdiv({x}, 4095)"), "A[0] = 0");
    // As an integer of 64 bits that is one of 32.
    let wide = "T.Cast(\"int32\", T.truncmod(T.Cast(\"int64\", k) * T.int64(3), T.int64(7)))";
    proven(&format!("A[0] = {wide}"), "A[0] = T.truncmod(k * 3, 7)");
    // A chain of them, and one that is too long, which must not take forever.
    let chain = |first: &str, length: usize| {
        let mut text = format!("a0: T.let[T.int32] = {first}\nb0: T.let[T.int32] = T.truncmod(n * k, 7)");
        for i in 0..length {
            text += &format!(
                "\na{next}: T.let[T.int32] = T.truncmod(a{i} + b{i}, 4096)\nb{next}: T.let[T.int32] = T.truncmod(T.max(a{i} % 2, b{i} - a{i}), 4096)",
                next = i + 1
            );
        }
        text + &format!("\nA[0] = a{length}")
    };
    let twice = "T.truncmod(T.truncmod(k, 4096), 5000)";
    proven(&chain(twice, 4), &chain("T.truncmod(k, 4096)", 4));
    proven(&chain(twice, 16), &chain("T.truncmod(k, 4096)", 16));
}
