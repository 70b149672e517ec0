//! What contextual simplification makes of small programs, and where it must hold back.
//!
//! Each case is a body and the body expected; that both do the same is checked by running them, dimensions of size 0 and 1
//! among the inputs.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeMap;

use satir::cse::Options;
use satir::interp::{Constraints, EquivOptions, equiv};
use satir::ir::Module;
use satir::passes;

/// The parameters of every case: buffers that may share memory, and values.
const HEAD: &str = r#"@T.prim_func
def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), D: T.Buffer(("s", "m"), "int32"), n: T.int32, x: T.int32):
    s, m = T.int32(), T.int32()
"#;

fn program(body: &str) -> Module {
    let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
    satir::parse(&format!("{HEAD}{body}")).unwrap_or_else(|e| panic!("{e}\n{body}"))
}

fn simplified(module: &Module, options: &Options) -> Module {
    passes::run(module, &passes::select("simplify").unwrap(), options).unwrap()
}

#[track_caller]
fn check_with(options: &Options, constraints: &str, before: &str, after: &str) {
    let input = program(before);
    let result = simplified(&input, options);
    assert_eq!(result.to_string(), program(after).to_string());
    let constraints: Constraints = serde_json::from_str(constraints).unwrap();
    let options = EquivOptions {
        bindings: BTreeMap::new(),
        fixed: false,
        constraints,
        runs: 12,
        seed: 3,
        tolerance: None,
        max_steps: 1_000_000,
        lenient_loads: false,
        no_new_loads: false,
        accessed_only: false,
        layouts: Vec::new(),
        limits_everywhere: false,
    };
    let found = equiv(&input, &result, &options).unwrap();
    assert!(found.difference.is_none(), "{:?}", found.difference);
}

#[track_caller]
fn check(before: &str, after: &str) {
    check_with(&Options::default(), "{}", before, after);
}

/// Thousands of expressions that differ in a number: those of which nothing becomes are looked at a few hundred times, which ends
/// for none that something becomes of.
#[test]
fn expressions_that_become_simpler_are_found_in_long_functions() {
    let body = |condition: &dyn Fn(i32) -> String| -> String {
        (0..700).map(|k| format!("if {}:\n    A[{}] = 1\n", condition(k), k % 16)).collect()
    };
    let (stays, goes) = (|k| format!("x < {}", 3 * k + 7), |k| format!("4 * n < {}", 4 * k + 12));
    let result = simplified(&program(&(body(&stays) + &body(&goes))), &Options::default()).to_string();
    let lines = |part: &str| result.lines().filter(|line| line.contains(part)).count();
    assert_eq!((lines("if x < "), lines("if n <"), lines("4 * n")), (700, 700, 0));
}

/// The program is left as it is.
#[track_caller]
fn check_same(body: &str) {
    check(body, body);
}

#[test]
fn neighbours_with_equal_or_opposite_conditions_merge() {
    check(
        "if n < 8:\n    A[0] = 1\nif not 8 <= n:\n    A[1] = 2\nif n >= 8:\n    A[2] = 3",
        "if n < 8:\n    A[0] = 1\n    A[1] = 2\nelse:\n    A[2] = 3",
    );
    // Crosswise, and again inside of what was merged.
    check(
        "if n < x:\n    if n < 3:\n        A[0] = 1\nelse:\n    A[1] = 2\nif x <= n:\n    A[2] = 3\nelse:\n    if n < 3:\n        A[3] = 4",
        "if n < x:\n    if n < 3:\n        A[0] = 1\n        A[3] = 4\nelse:\n    A[1] = 2\n    A[2] = 3",
    );
    // What the first condition reads may change in its body, which says nothing of the conditions there.
    check(
        "if n < 3:\n    if B[0] == 0:\n        B[0] = 1\nif n < 3:\n    if B[0] == 0:\n        B[1] = 2",
        "if n < 3:\n    if B[0] == 0:\n        B[0] = 1\n    if B[0] == 0:\n        B[1] = 2",
    );
}

#[test]
fn a_body_that_may_change_the_next_condition_keeps_it() {
    check_same("if B[0] == 0:\n    B[0] = 1\nif B[0] == 0:\n    B[1] = 2");
    // A and B may be one buffer.
    check_same("if B[0] == 0:\n    A[0] = 1\nif B[0] == 0:\n    A[1] = 2");
    check_same("if n < 8:\n    A[0] = 1\nif n < 9:\n    A[1] = 2");
}

#[test]
fn equal_arms_need_no_condition() {
    check(
        "if n < x:\n    for i in range(4):\n        A[i] = i * 2 + n\nelse:\n    for j in range(4):\n        A[j] = n + j + j",
        "for i in range(4):\n    A[i] = i * 2 + n",
    );
    // Equal where the second runs.
    check("if n != 3:\n    A[0] = n\nelse:\n    A[0] = 3", "A[0] = n");
    check_same("if n < x:\n    A[0] = n\nelse:\n    A[0] = x");
    // Where the second runs B[0] was 0, but no longer is when it is read.
    check_same("if B[0] != 0:\n    B[0] = 1\n    A[0] = B[0]\nelse:\n    B[0] = 1\n    A[0] = 0");
}

#[test]
fn parts_that_others_imply_go() {
    check("if n < s + 9 and n < s + 5:\n    A[0] = 1", "if n < s + 5:\n    A[0] = 1");
    // Where the first sum fits its type, so does the second one.
    check("if n < x + 9 and n < x + 5:\n    A[0] = 1", "if n < x + 5:\n    A[0] = 1");
    check("if x - 9 < n and x - 5 < n:\n    A[0] = 1", "if x - 5 < n:\n    A[0] = 1");
    // The second sum may overflow where it is not evaluated.
    check_same("if n < x - 3 and n < x - 5:\n    A[0] = 1");
    check_same("if n < x + 3 or n < x + 5:\n    A[0] = 1");
    check("if n < 5 or n < x or n < 8:\n    A[0] = 1", "if n < x or n < 8:\n    A[0] = 1");
    check(
        "if n != 5:\n    if n == 5:\n        A[0] = 1\n    else:\n        A[0] = 2",
        "if n != 5:\n    A[0] = 2",
    );
    // The first part is a guard of the second, though the third implies it.
    check_same("if 0 < x and n // x == 2 and 1 < x:\n    A[0] = 1");
}

#[test]
fn facts_on_buffers_hold_until_something_may_write_there() {
    let zero = r#"{"B": {"kind": "values", "values": [0]}}"#;
    let check = |before: &str, after: &str| check_with(&Options::default(), zero, before, after);
    check(
        "T.assume(B[0] == 0)\nA[1] = B[0] + 5\nA[2] = B[0]",
        // A may be B.
        "T.assume(B[0] == 0)\nA[1] = 5\nA[2] = B[0]",
    );
    // The back edge of a loop.
    let loops = "T.assume(B[0] == 0)\nfor i in range(4):\n    A[i] = B[0]\n    B[0] = B[0] + 1";
    check(loops, loops);
    // Bounds of loops are evaluated once, before what the body writes.
    let bounds = "for i in range(B[5]):\n    A[0] = T.Select(1 <= B[5], 1, 0)\n    B[5] = i";
    check(bounds, bounds);
    // The condition of a loop is evaluated again after its body.
    let whiles = "T.assume(B[0] < 3)\nwhile B[0] < 3:\n    B[0] = B[0] + 1";
    check(whiles, whiles);
    check("if B[0] == 0:\n    B[1] = B[0]", "if B[0] == 0:\n    B[1] = 0");
    // A write in one arm ends the fact behind both.
    let arms = "T.assume(B[0] == 0)\nif n < 3:\n    B[0] = 2\nB[1] = B[0]";
    check(arms, arms);
}

#[test]
fn vectors_that_are_stored_tell_what_each_element_holds() {
    check(
        "A[2:6] = T.Ramp(n, 3, 4)\nif A[4] == n + 6:\n    A[7] = 42\nif A[6] == 0:\n    A[8] = 1",
        "A[2:6] = T.Ramp(n, 3, 4)\nA[7] = 42\nif A[6] == 0:\n    A[8] = 1",
    );
    check(
        "A[n:n + 16:4] = T.Broadcast(7, 4)\nA[n + 1] = A[n + 8]",
        "A[n:n + 16:4] = T.Broadcast(7, 4)\nA[n + 1] = 7",
    );
    // A lane is written again, or may be.
    check_same("A[0:4] = T.Broadcast(7, 4)\nA[n] = 8\nA[6] = A[3]");
}

#[test]
fn a_store_of_what_is_there_goes() {
    check("A[n - n] = A[0]\nA[1] = 2", "A[1] = 2");
    check_same("A[0] = B[0]");
}

#[test]
fn a_store_of_what_may_be_anything_goes() {
    check("A[0] = T.undef() - T.undef()\nA[1] = 2", "A[1] = 2");
    check_same("A[0] = T.undef() * 0");
    check_same("A[0] = T.undef()");
    let called = "A[0] = T.undef() + T.call_extern(\"int32\", \"g\", B.data)";
    check_text(called, called);
}

#[test]
fn what_a_loop_shows_stays_in_it() {
    check(
        "for i in range(n):\n    if n >= 1:\n        A[0] = 1\nif n >= 1:\n    A[1] = 2",
        "for i in range(n):\n    A[0] = 1\nif n >= 1:\n    A[1] = 2",
    );
    check(
        "for i in range(-3, 2):\n    if i < 2:\n        A[i + 3] = i // 8\n    if i < 0:\n        A[i + 3] = i",
        "for i in range(-3, 2):\n    A[i + 3] = i // 8\n    if i < 0:\n        A[i + 3] = i",
    );
    check(
        "while n < 3:\n    if n < 4:\n        A[0] = 1\n    break",
        "while n < 3:\n    A[0] = 1\n    break",
    );
}

#[test]
fn loops_that_may_be_empty_show_what_they_need_inside_only() {
    // A range that starts anywhere.
    check(
        "for i in range(x, x + n):\n    if x <= i and i < x + n:\n        A[0] = i",
        "for i in range(x, x + n):\n    A[0] = i",
    );
    // Neither size is zero where their product is not.
    check(
        "for i in range(s * m):\n    if 1 <= s:\n        A[0] = i // m\nif 1 <= s:\n    A[1] = m",
        "for i in range(s * m):\n    A[0] = i // m\nif 1 <= s:\n    A[1] = m",
    );
    // The guard of a division goes where the loop is one.
    check(
        "for i in range(s):\n    if s != 0:\n        A[0] = m // s\nif s != 0:\n    A[1] = m // s",
        "for i in range(s):\n    A[0] = m // s\nif s != 0:\n    A[1] = m // s",
    );
    check(
        "for i in range(n):\n    for j in range(i):\n        if i >= 1 and n >= 2:\n            A[0] = j\n    if n >= 2:\n        A[1] = 3",
        "for i in range(n):\n    for j in range(i):\n        A[0] = j\n    if n >= 2:\n        A[1] = 3",
    );
}

#[test]
fn loops_that_never_run_go() {
    check(
        "if x < -17:\n    for i in range(T.min(x & x, 17)):\n        A[i] = 1\n    A[1] = 2",
        "if x < -17:\n    A[1] = 2",
    );
    check(
        "if n + x < 3:\n    A[1] = 2\n    for i in T.parallel(n + x - 2):\n        A[i] = 1",
        "if n + x < 3:\n    A[1] = 2",
    );
    check_same("if x < 4:\n    A[1] = 2\n    for i in range(x - 2):\n        A[i] = 1");
}

#[test]
fn sizes_of_one_leave_one_index() {
    check("for i in range(1):\n    if i == 0:\n        A[0] = i + x", "for i in range(1):\n    A[0] = x");
    check(
        "if T.likely(s == 1):\n    for i in range(s):\n        A[i] = i * x",
        "if T.likely(s == 1):\n    for i in range(s):\n        A[i] = 0",
    );
}

#[test]
fn a_check_that_divides_by_a_size_keeps_its_division_unless_the_size_is_positive() {
    let checks = "if x // s < m:\n    A[0] = 1";
    check_same(checks);
    let positive = Options { positive_dims: true, ..Options::default() };
    check_with(&positive, "{}", checks, "if x < s * m:\n    A[0] = 1");
    // In the loop the size is positive.
    check(
        "for i in range(s):\n    if x // s < m:\n        A[0] = 1",
        "for i in range(s):\n    if x < s * m:\n        A[0] = 1",
    );
}

#[test]
fn sizes_of_parameters_say_something_of_their_variables() {
    let module = satir::parse(
        r#"@T.prim_func
def main(A: T.Buffer(("n * 4 - 1",), "int32"), n: T.int32):
    A[0] = T.min(1, n)
"#,
    )
    .unwrap();
    let result = simplified(&module, &Options::default()).to_string();
    assert!(result.contains("A[0] = 1\n"), "{result}");
}

#[test]
fn shapes_of_allocated_buffers_are_simplified() {
    let module = program(
        "C = T.alloc_buffer((T.min(s, T.max(s + -1 // m + 1, s)),), \"int32\")\nC[0] = 1\nA[0] = C[0]",
    );
    let result = simplified(&module, &Options::default()).to_string();
    assert!(result.contains("T.alloc_buffer((s,)"), "{result}");
}

/// As [`check`], for programs that call what the interpreter does not know.
#[track_caller]
fn check_text(before: &str, after: &str) {
    let result = simplified(&program(before), &Options::default());
    assert_eq!(result.to_string(), program(after).to_string());
}

#[test]
fn a_condition_with_an_effect_may_write_what_facts_read() {
    check_text(
        "T.assume(B[0] == 0)\nif T.call_extern(\"int32\", \"g\", B.data) == 1:\n    A[0] = B[0]\nelse:\n    A[1] = B[0]",
        "T.assume(B[0] == 0)\nif T.call_extern(\"int32\", \"g\", B.data) == 1:\n    A[0] = B[0]\nelse:\n    A[1] = B[0]",
    );
    let same = [
        "if B[0] == 7:\n    while T.call_extern(\"int32\", \"g\", B.data) == 1:\n        A[2] = B[0]",
        "if B[0] == 2 and T.call_extern(\"int32\", \"g\", B.data) == 1:\n    if B[0] == 2:\n        A[0] = 1",
        "if T.call_extern(\"int32\", \"g\", B.data) == 1 and B[0] == 2 and T.call_extern(\"int32\", \"g\", B.data) == 1 and B[0] == 2:\n    A[0] = 1",
        "if B[0] == 2:\n    A[0] = T.call_extern(\"int32\", \"g\", B.data) + T.if_then_else(x < 3, B[0], 0)",
        "A[0] = T.if_then_else(B[0] == 2, T.call_extern(\"int32\", \"g\", B.data) + T.if_then_else(x < 3, B[0], 0), 0)",
    ];
    for body in same {
        check_text(body, body);
    }
    // What speaks of values only holds whatever is written.
    check_text(
        "if x < 3 and T.call_extern(\"int32\", \"g\", B.data) == 1:\n    if x < 4:\n        A[0] = B[0]",
        "if x < 3 and T.call_extern(\"int32\", \"g\", B.data) == 1:\n    A[0] = B[0]",
    );
}

#[test]
fn arms_that_become_equal_need_no_condition() {
    check(
        "for i in range(16):\n    if i < n:\n        A[i] = T.min(i, n)\n    else:\n        if n <= i:\n            A[i] = T.max(i, n)\n        else:\n            A[i] = 9",
        "for i in range(16):\n    A[i] = i",
    );
    check(
        "for i in range(16):\n    if i < 4:\n        A[i] = i // 4 + 4\n    else:\n        A[i] = T.min(4, i)",
        "for i in range(16):\n    A[i] = 4",
    );
    // The condition is evaluated as often as before if that may have an effect.
    check_text(
        "if T.call_extern(\"int32\", \"g\", B.data) == 1:\n    A[0] = 2\nelse:\n    A[0] = 2",
        "T.evaluate(T.call_extern(\"int32\", \"g\", B.data) == 1)\nA[0] = 2",
    );
}

#[test]
fn a_buffer_of_which_an_element_is_accessed_has_one() {
    check("A[0] = D[0, 0]\nif s > 0 and 1 <= m:\n    A[1] = T.max(s, 1) - s", "A[0] = D[0, 0]\nA[1] = 0");
    // What is guarded need not be accessed, and before the access nothing is known.
    check_same("A[0] = T.if_then_else(s > 3, D[0, 0], 0)\nif s > 0:\n    A[1] = 1");
    check_same("if s > 0:\n    A[1] = 1\nA[0] = D[0, 0]");
    check_same("for i in range(s):\n    A[0] = D[0, 0]\nif m > 0:\n    A[1] = 1");
}

#[test]
fn a_product_of_sizes_that_is_positive_has_positive_factors() {
    let product = "C = T.alloc_buffer((s * 2 * m,), \"int32\")\n";
    let product_check =
        |before: &str, after: &str| check(&format!("{product}{before}"), &format!("{product}{after}"));
    product_check("C[0] = 1\nif s > 0 and 1 <= m:\n    A[0] = T.max(s, 1) - s", "C[0] = 1\nA[0] = 0");
    let same = [
        "A[0] = T.if_then_else(s > 3, C[0], 0)\nif s > 0:\n    A[1] = 1",
        "if m > 0:\n    A[1] = 1\nC[0] = 1",
        "for i in range(x):\n    C[0] = 1\nif m > 0:\n    A[1] = 1",
        "C[0] = 1\nif s > 1:\n    A[0] = 1",
    ];
    for body in same {
        product_check(body, body);
    }
    // Two negative factors make a positive product too.
    check(
        "C = T.alloc_buffer((n * x,), \"int32\")\nC[0] = 1\nif n > 0:\n    A[0] = 1\nif n * x > 0:\n    A[1] = 1",
        "C = T.alloc_buffer((n * x,), \"int32\")\nC[0] = 1\nif n > 0:\n    A[0] = 1\nA[1] = 1",
    );
    check(
        "for i in range(s * m):\n    if s > 0 and m >= 1:\n        A[0] = i",
        "for i in range(s * m):\n    A[0] = i",
    );
}

#[test]
fn quotients_without_a_remainder_are_multiplied_out() {
    let within = |before: &str, after: &str| {
        for scope in ["if n % 4 == 0:\n", "if n % 8 == 4:\n"] {
            let [before, after] =
                [before, after].map(|body| format!("{scope}    {}", body.replace('\n', "\n    ")));
            check(&before, &after);
        }
        for statement in ["assert n % 4 == 0, \"\"\n", "T.assume(n % 4 == 0)\n"] {
            check(&format!("{statement}{before}"), &format!("{statement}{after}"));
        }
    };
    within("A[0] = n // 4 * 4", "A[0] = n");
    within("A[0] = n // 4 * 16 + x", "A[0] = n * 4 + x");
    within("A[0] = (n + 3) // 4\nA[1] = (n + 7) // 4 * 4", "A[0] = n // 4\nA[1] = n + 4");
    within("if x < n // 4 * 4:\n    A[0] = T.min(x, n - 1)", "if x < n:\n    A[0] = x");
    within(
        "for i in range(n // 4 * 4):\n    if i < n:\n        A[7] = 1",
        "for i in range(n):\n    A[7] = 1",
    );
    // The remainder need not be zero.
    check("if n % 4 == 3:\n    A[0] = n // 4 * 4 + 3", "if n % 4 == 3:\n    A[0] = n");
    // It must be known, of the very dividend, and at the place.
    check_same("if n % 2 == 0:\n    A[0] = n // 4 * 4");
    check_same("if n % 4 != 0:\n    A[0] = n // 4 * 4");
    check_same("if n % 4 == 0:\n    A[0] = x // 4 * 4");
    check_same("if n % 4 == 0:\n    A[0] = 1\nelse:\n    A[0] = n // 4 * 4");
    check_same("if n % 4 == 0:\n    A[0] = 1\nA[0] = n // 4 * 4");
    check_same("if n % 4 == 0 or x < 3:\n    A[0] = n // 4 * 4");
    check_same("A[0] = n // 4 * 4\nassert n % 4 == 0, \"\"");
}

#[test]
fn known_rests_decide_others() {
    check(
        "if x % 4 == 0:\n    A[0] = x % 2 + (x + 5) % 4\n    A[1] = (x + 3) // 4 - x // 4",
        "if x % 4 == 0:\n    A[0] = 1\n    A[1] = 0",
    );
    check_same("if x % 4 == 0:\n    A[0] = x % 8\nA[1] = x % 2");
    check("if x % 2 == 0:\n    A[0] = (x + 1) // 2", "if x % 2 == 0:\n    A[0] = x // 2");
    check_same("if x % 2 == 1:\n    A[0] = (x + 1) // 2\nA[1] = (x + 1) // 2");
}

#[test]
fn extrema_that_differ_by_constants_have_a_bounded_difference() {
    check("A[0] = T.min(s * 4 + 63, m) - T.min(s * 4, m - 3)", "A[0] = T.min(63, T.max(3, m - s * 4))");
    check("A[0] = T.max(s * 4, m - 3) - T.max(m, s * 4 + 63)", "A[0] = T.min(63, T.max(3, m - s * 4)) + -66");
    // What is not bounded may overflow in the difference.
    check_same("A[0] = T.min(x * 4 + 63, n) - T.min(x * 4, n - 3)");
}

#[test]
fn bit_operations_work_lane_by_lane() {
    let select =
        |condition: &str| format!("A[0:4] = T.Select({condition}, T.Broadcast(1, 4), T.Broadcast(2, 4))");
    let (near, far) = ("T.Ramp(x, 1, 4) < T.Broadcast(n, 4)", "T.Ramp(x, 1, 4) < T.Broadcast(n + 1, 4)");
    check(&select(&format!("({near}) & ({far})")), &select(near));
    check(&select(&format!("({near}) | ({far})")), &select("T.Ramp(x, 1, 4) <= T.Broadcast(n, 4)"));
    check(&select("T.Broadcast(x < 3, 4) | T.Broadcast(3 <= x, 4)"), "A[0:4] = T.Broadcast(1, 4)");
    check(
        &select(&format!("({near}) & (T.Ramp(n, 1, 4) < T.Broadcast(x, 4))")),
        "A[0:4] = T.Broadcast(2, 4)",
    );
    check_same(&select(&format!("({near}) & (T.Ramp(n, -2, 4) < T.Broadcast(x, 4))")));
}
