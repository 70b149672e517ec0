//! Results of satir that are certified.

use std::fs;
use std::path::Path;

use super::{certified, checked, made, refused};

/// Results that satir makes and that are not certified: stores that are merged or moved, values that were stored before, cases
/// that only several facts together exclude.
const OPEN: &[&str] = &[
    "assumption_on_buffer.semantic",
    "assumption_on_buffer.simplify",
    "complementary_conditions.semantic",
    "complementary_conditions.simplify",
    "equal_branches.semantic",
    "equal_branches.simplify",
    "implied_by_cases.semantic",
    "implied_by_cases.simplify",
];

#[test]
fn results_for_the_example_kernels_are_certified() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut open, mut programs, mut by_steps) = (Vec::new(), 0, 0);
    let mut files: Vec<_> =
        fs::read_dir(root.join("examples/kernels")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "py")) {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let before = fs::read_to_string(file).unwrap();
        for method in ["semantic", "syntactic", "simplify"] {
            let expected = root.join(format!("tests/kernels/{name}.{method}.expected.py"));
            let Ok(after) = fs::read_to_string(&expected) else { continue };
            programs += 1;
            let certificate = made(&before, &after);
            if !certificate.is_complete() {
                assert!(checked(&before, &after, &certificate.text).is_err(), "{name}.{method}");
                open.push(format!("{name}.{method}"));
                continue;
            }
            let found = checked(&before, &after, &certificate.text).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!((found.obligations, found.by_steps), (certificate.obligations, certificate.by_steps));
            by_steps += found.by_steps;
        }
    }
    assert_eq!(open, OPEN);
    assert!(programs > 100 && by_steps > 20, "{programs} programs, {by_steps} obligations by steps");
}

#[test]
fn steps_show_what_normal_forms_do_not() {
    let loop_of = |value: &str| format!("for i in range(n):\n    A[i] = {value}");
    for (a, b) in [
        ("(i * 12 + k) // 4", "i * 3 + k // 4"),
        ("(k // 4 + i) // 3", "(k + i * 4) // 12"),
        ("(i * 4 + 3) // 4", "i"),
        ("k % 8 + k // 8 * 8", "k"),
        ("T.max(i, -1)", "i"),
        ("T.if_then_else(i < n, k, 0)", "k"),
        ("(k + 2) % 5", "T.if_then_else(k % 5 >= 3, k % 5 - 3, k % 5 + 2)"),
        ("T.max(0, T.min(8, k - 2))", "T.min(10, T.max(2, k)) - 2"),
        ("T.truncdiv(k - n, 3)", "0 - T.truncdiv(n - k, 3)"),
        ("(k * 7 + i % 7) // (n * 7)", "k // n"),
        ("(k // 7 + i * 4) // n", "(k + i * 28) // (n * 7)"),
    ] {
        let found = certified(&loop_of(a), &loop_of(b));
        assert!(found.obligations > found.by_steps);
    }
}

#[test]
fn conditions_are_shown_without_their_common_factor() {
    // `5 <= 103 - 2 * i` is kept as `i <= 49`, and its reason is one of that.
    let of = |value: &str| format!("for i in range(51):\n    A[i] = {value}");
    let length = of("T.max(T.min(i + 1, 50) * 2 + 3 - T.max(1 - i, 0) * 2 - i * 2, 1)");
    certified(&length, &of("T.min(5, 103 - i * 2) - T.max(1 - i, 0) * 2"));
    refused(&length, &of("T.min(5, 102 - i * 2) - T.max(1 - i, 0) * 2"));
    certified(&of("T.min(k * 6, n * 4) + 1"), &of("T.min(k * 3, n * 2) * 2 + 1"));
    refused(&of("T.min(k * 6, n * 4) + 1"), &of("T.min(k * 3, n) * 2 + 1"));
}

#[test]
fn clamps_have_one_form() {
    // More of them than cases could be looked at.
    let sum = |clamp: fn(i32) -> String| {
        let all: Vec<String> = (0..6).map(clamp).collect();
        format!("A[0] = {}", all.join(" + "))
    };
    let inside = |j: i32| format!("T.max(0, T.min(8, B[{j}] - {j} - 1))");
    certified(&sum(inside), &sum(|j| format!("T.min({}, T.max({}, B[{j}])) - {}", j + 9, j + 1, j + 1)));
    refused(&sum(inside), &sum(|j| format!("T.min({}, T.max({}, B[{j}])) - {}", j + 8, j + 1, j + 1)));
    certified(
        &sum(|j| format!("T.min(B[{j}] * 6, B[7] * 4)")),
        &sum(|j| format!("T.min(B[{j}] * 3, B[7] * 2) * 2")),
    );
    // With bounds in the other order it matters which is the last one.
    refused("A[0] = T.max(8, T.min(B[0], 0))", "A[0] = T.min(T.max(B[0], 8), 0)");
}

#[test]
fn facts_that_contradict_each_other_show_anything() {
    let of = |bound: i32, value: &str| {
        format!(
            "for i, j in T.grid(n, n):\n    if i * 3 < j and j < k and k < i * 2 + {bound}:\n        A[i] = {value}"
        )
    };
    certified(&of(2, "k"), &of(2, "7"));
    refused(&of(3, "k"), &of(3, "7"));
}

#[test]
fn quotients_by_products_are_quotients_of_quotients() {
    // What is left of a quotient is below its divisor, also where both quotients have the same dividend.
    let of = |value: &str| {
        format!(
            "for i in range(16 * k * n):\n    if k > 0 and i < 16 * k * n:\n        C[0] = T.Cast(\"uint8\", A[{value}])"
        )
    };
    certified(&of("T.max(0, i % (k * n) // n)"), &of("i % (k * n) // n"));
    certified(&of("T.max(0, i // n - i // (n * k) * k)"), &of("i // n % k"));
    refused(&of("T.max(0, i // n - i // (n * k) * n)"), &of("i // n - i // (n * k) * n"));
    refused(&of("T.max(1, i % (k * n) // n)"), &of("i % (k * n) // n"));
}

#[test]
fn divisions_by_powers_of_two_are_products() {
    certified("F[0] = F[1] / T.float32(4)", "F[0] = F[1] * T.float32(0.25)");
    certified("F[0] = F[1] / T.float32(-0.5)", "F[0] = T.float32(-2) * F[1]");
    certified(
        "F[0:4] = F[4:8] / T.Broadcast(T.float32(2), 4)",
        "F[0:4] = F[4:8] * T.Broadcast(T.float32(0.5), 4)",
    );
    refused("F[0] = F[1] / T.float32(4)", "F[0] = F[1] * T.float32(0.5)");
    refused("F[0] = F[1] / T.float32(4)", "F[0] = F[1] * T.float32(-0.25)");
    refused("F[0] = F[1] / T.float32(3)", "F[0] = F[1] * T.float32(0.3333333432674408)");
    refused("F[0] = T.float32(4) / F[1]", "F[0] = F[1] * T.float32(0.25)");
    // The reciprocal of 2 ** 127 is no normal number.
    refused(
        "F[0] = F[1] / T.float32(170141183460469231731687303715884105728.0)",
        "F[0] = F[1] * T.float32(5.877471754111438e-39)",
    );
}

#[test]
fn statements_and_conditions_that_never_matter_may_go() {
    certified("for i in range(n):\n    if i < n:\n        A[i] = k", "for i in range(n):\n    A[i] = k");
    certified("for i in range(n):\n    if i < 0:\n        A[i] = k", "for i in range(n):\n    T.evaluate(0)");
    certified(
        "for i in range(n):\n    for j in range(1):\n        A[i + j] = k",
        "for i in range(n):\n    A[i] = k",
    );
}

#[test]
fn what_the_program_evaluates_may_be_evaluated_before() {
    certified(
        "for i in range(16):\n    C[i] = T.Cast(\"uint8\", A[k] // B[0])",
        "x: T.let[T.uint8] = T.Cast(\"uint8\", A[k] // B[0])\nfor i in range(16):\n    C[i] = x",
    );
}

#[test]
fn divisors_are_not_zero_where_loops_say_so() {
    // With `n` zero there are no iterations.
    let of = |length: &str, body: &str| format!("for i in range({length}):\n    {body}");
    let inside = "if i * 7 < k * n:\n        A[0] = i // n";
    let before = "q: T.let[T.int32] = i // n\n    if i * 7 < k * n:\n        A[0] = q";
    certified(&of("(k * n + 6) // 7", inside), &of("(k * n + 6) // 7", before));
    refused(&of("(k * n + 7) // 7", inside), &of("(k * n + 7) // 7", before));
}

#[test]
fn what_is_there_may_stay_there() {
    // Stores of what is there, through a view of the same memory too.
    let copy = "for i in range(n):\n    A[i] = A[i]\nB[0] = k";
    certified(copy, "B[0] = k");
    let viewed = "V = F.view(64)\nfor i in range(64):\n    if i < k:\n        V[i] = F[i]\nB[0] = k";
    certified(viewed, "V = F.view(64)\nB[0] = k");
    certified("A[k] = A[k]\nB[0] = k", "B[0] = k");
}

#[test]
fn conditions_and_loops_may_leave_one_value() {
    certified(
        "for i in range(8):\n    if i < 1:\n        A[i * 4] = i + k",
        "for i in range(8):\n    if i < 1:\n        A[0] = k",
    );
    certified(
        "for i in range(8):\n    if i >= 7:\n        A[i * 4] = i + k",
        "for i in range(8):\n    if i >= 7:\n        A[28] = 7 + k",
    );
    certified(
        "for i in T.thread_binding(1, thread=\"threadIdx.x\"):\n    A[i * 4] = i + k",
        "for i in T.thread_binding(1, thread=\"threadIdx.x\"):\n    A[0] = k",
    );
    certified("A[0] = T.truncdiv(k, -1)", "A[0] = 0 - k");
    certified("A[0] = k // -1", "A[0] = 0 - k");
    certified("F[0] = T.Select(F[2] < F[1], F[1], F[2])", "F[0] = T.max(F[1], F[2])");
    certified("F[0] = F[1] / T.sqrt(T.float32(4))", "F[0] = F[1] / T.float32(2)");
}

#[test]
fn a_fence_is_what_is_in_it() {
    let call = |name: &str| format!("F[k] = T.call_llvm_pure_intrin(\"float32\", \"{name}\", F[1] * F[k])");
    certified("F[k] = F[1] * F[k]", &call("llvm.arithmetic.fence"));
    certified(&call("llvm.arithmetic.fence.f32"), "F[k] = F[1] * F[k]");
    refused("F[k] = F[1] * F[k]", &call("llvm.canonicalize"));
}
