//! Tests of what may not be done: evaluating what the input does not, reading memory at another time, losing variables
//! that something names.

use crate::cost::{Bindings, Profile};
use crate::eqsat::driver::{Config, Optimized, optimize};
use crate::extract::Effort;
use crate::interp::{EquivOptions, equiv};
use crate::ir::Module;
use crate::rewrite::Rewrites;
use crate::verify::verify;

const HEAD: &str =
    "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n\n@I.ir_module\nclass Module:\n";

/// The one function of a text, optimized, and the module that it came from.
#[track_caller]
fn optimized(text: &str, keep_lets: bool) -> (Module, Optimized) {
    let module = crate::script::parse("test", &format!("{HEAD}    @T.prim_func\n{text}")).unwrap();
    let rewrites = Rewrites::embedded();
    let config = Config {
        profile: &Profile::default(),
        bindings: &Bindings::new(),
        node_limit: 100_000,
        effort: Effort::Auto,
        deadline: None,
        keep_lets,
        rewrites: &rewrites,
        model: crate::target::Model::default(),
    };
    let out = optimize(&module.funcs[0], &config).unwrap();
    (module, out)
}

/// Optimizes the one function of a text, checks the result by running both, and returns it with its body as text.
#[track_caller]
fn check_with(text: &str, keep_lets: bool) -> (Optimized, String) {
    let (module, out) = optimized(text, keep_lets);
    let result = Module { name: module.name.clone(), attrs: Vec::new(), funcs: vec![out.func.clone()] };
    verify(&result).unwrap();
    let options = EquivOptions {
        bindings: Bindings::new(),
        fixed: false,
        constraints: Default::default(),
        runs: 40,
        seed: 1,
        tolerance: None,
        max_steps: 1_000_000,
        lenient_loads: false,
        no_new_loads: true,
        accessed_only: true,
        layouts: Vec::new(),
        limits_everywhere: false,
    };
    let verdict = equiv(&module, &result, &options).unwrap();
    assert!(verdict.difference.is_none(), "{result}\n{verdict:?}");
    let printed = result.to_string();
    let body =
        printed.split_once("def main").and_then(|(_, rest)| rest.split_once(":\n")).unwrap().1.to_owned();
    (out, body)
}

#[track_caller]
fn check(text: &str) -> String {
    check_with(text, false).1
}

/// How often `part` stands in the text.
fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

#[test]
fn a_let_that_reads_is_read_once_before_the_loop_that_may_be_empty() {
    let body = check(
        "    def main(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\"), n: T.int32):
        T.func_attr({\"tirx.noalias\": True})
        x: T.let[T.int32] = A[3]
        for j in range(T.min(n, 8)):
            B[j] = x * x + j
",
    );
    let lines: Vec<&str> = body.lines().map(str::trim).collect();
    assert_eq!(count(&body, "A[3]"), 1, "{body}");
    let at = |part: &str| lines.iter().position(|l| l.contains(part)).unwrap();
    assert!(at("A[3]") < at("for j"), "{body}");
}

#[test]
fn a_load_is_not_moved_above_the_loop_that_may_be_empty() {
    let body = check(
        "    def main(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\"), n: T.int32, i: T.int32):
        T.func_attr({\"tirx.noalias\": True})
        for j in range(T.min(n, 8)):
            B[j] = A[i] * A[i] + j
",
    );
    assert!(body.find("for j").unwrap() < body.find("A[i]").unwrap(), "{body}");
    assert_eq!(count(&body, "A[i]"), 1, "{body}");
}

#[test]
fn a_let_that_reads_what_is_then_written_stays() {
    let body = check(
        "    def main(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\")):
        T.func_attr({\"tirx.noalias\": True})
        x: T.let[T.int32] = A[3]
        y: T.let[T.int32] = x + 1
        A[3] = 7
        B[0] = x + A[3]
        B[1] = y + A[3]
",
    );
    assert!(body.find("= A[3]").unwrap() < body.find("A[3] = 7").unwrap(), "{body}");
    assert!(count(&body, "A[3]") <= 3, "{body}");
}

#[test]
fn variables_that_describe_buffers_stay() {
    let body = check(
        "    def main(out: T.Buffer((16,), \"int32\"), n: T.int32):
        m: T.let[T.int32] = T.min(T.max(n, 0), 16)
        buf = T.alloc_buffer((m,), \"int32\")
        for i in range(m):
            buf[i] = i * 3
        for i in range(T.min(T.max(n, 0), 16)):
            out[i] = buf[i] + T.min(T.max(n, 0), 16)
",
    );
    assert_eq!(count(&body, "T.max"), 1, "{body}");
}

#[test]
fn kept_lets_keep_their_names_and_are_shared() {
    let text = "    def main(out: T.Buffer((16,), \"int32\"), a: T.int32, b: T.int32):
        x: T.let[T.int32] = a * b + 1
        once: T.let[T.int32] = a - b
        out[0] = x
        out[1] = once + b * a
        out[2] = b * a + 1
";
    let (_, inlined) = check_with(text, false);
    let (_, kept) = check_with(text, true);
    assert!(!inlined.contains("once"), "{inlined}");
    assert!(kept.contains("once: T.let") && kept.contains("x: T.let"), "{kept}");
    assert_eq!(count(&kept, " * "), 1, "{kept}");
}

#[test]
fn views_are_read_behind_their_declaration() {
    let body = check(
        "    def main(A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"int32\"), k: T.int32):
        T.func_attr({\"tirx.noalias\": True})
        for i in range(4):
            V = T.decl_buffer((4, 4), \"int32\", data=A.data)
            B[i] = V[1, 2] + V[1, 2]
",
    );
    assert!(body.find("V = ").unwrap() < body.find("V[1, 2]").unwrap(), "{body}");
}

#[test]
fn guarded_divisions_stay_guarded_when_conditions_are_joined() {
    // The selections become one with a joined condition; both arms are still evaluated only where they were.
    check(
        "    def main(out: T.Buffer((4,), \"int32\"), m: T.int32, n: T.int32, k: T.int32):
        out[0] = T.if_then_else(n != 0, T.if_then_else(k < 5, m // n, m % 3), m % 3)
        out[1] = T.if_then_else(n != 0 and k < 5, m // n, m % 3)
        out[2] = T.if_then_else(n != 0, m // n + 1, 0)
",
    );
}

#[test]
fn what_both_arms_divide_is_divided_once() {
    let body = check(
        "    def main(out: T.Buffer((4,), \"int32\"), m: T.int32, n: T.int32, k: T.int32):
        out[0] = T.if_then_else(k < 5, m // n + 1, m // n * 3)
        out[1] = m // n
",
    );
    assert_eq!(count(&body, "//"), 1, "{body}");
}

#[test]
fn an_arm_alone_gives_no_right_to_divide_before_it() {
    let body = check(
        "    def main(out: T.Buffer((4,), \"int32\"), m: T.int32, n: T.int32):
        out[0] = T.if_then_else(n != 0, m // n, 0)
        out[1] = T.if_then_else(n != 0, m // n, 0) + 1
",
    );
    assert!(!body.contains(": T.let[T.int32] = m // n"), "{body}");
}

#[test]
fn divisors_prove_their_factors() {
    // m // a // b is m // (a * b) for b >= 0; whichever is chosen divides by what the input divides by.
    check(
        "    def main(out: T.Buffer((4,), \"int32\"), m: T.int32, a: T.int32, b: T.int32):
        out[0] = m // a // b
        out[1] = m // (a * b) + 1
        if a > 3:
            out[2] = m // a
",
    );
}

#[test]
fn loads_beside_calls_that_may_write_stay_beside_them() {
    let text = "    def main(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\")):
        for i in range(8):
            B[i] = T.call_extern(\"int32\", \"next\") + (A[0] + 1) * (A[0] + 1)
";
    let (_, out) = optimized(text, false);
    let mut lets = 0;
    let mut count =
        |s: &crate::ir::Stmt| lets += usize::from(matches!(s.kind, crate::ir::StmtKind::Bind { .. }));
    out.func.body.iter().for_each(|stmt| stmt.walk(&mut count));
    assert_eq!(lets, 0);
}

#[test]
fn a_loop_that_runs_says_that_the_factors_of_its_extent_are_not_zero() {
    // Under the conditions alone, `w` may be zero; where the loop's body runs, it is not.
    let guarded = |extent: &str| {
        check(&format!(
            r#"    def main(S: T.Buffer(("n", "w"), "int32"), A: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
        n, w = T.int32(), T.int32()
        T.func_attr({{"tirx.noalias": True}})
        for i in range({extent}):
            if i < 8:
                C[i] = T.if_then_else(A[0] < 3, (i + n) // w, 1) + T.if_then_else(A[1] < 3, (i + n) // w + 2, 1) + T.if_then_else(A[2] < 3, (i + n) // w + 3, 1)
"#
        ))
    };
    let runs = guarded("(n * w + 3) // 4");
    assert_eq!(count(&runs, ", w)"), 1, "{runs}");
    let zero_passes = guarded("(n * w + 4) // 4");
    assert_eq!(count(&zero_passes, ", w)"), 3, "{zero_passes}");
}

#[test]
fn operands_of_a_call_under_a_condition_stay_under_it() {
    let body = check(
        "    def main(A: T.Buffer((4,), \"int32\"), d: T.int32):
        A[1] = T.if_then_else(0 < d, T.call_extern(\"int32\", \"f\", 8 // d), 0) + T.if_then_else(0 < d, 8 // d, 0)
",
    );
    assert!(!body.contains("= 8 // d\n"), "{body}");
    // The division that is evaluated in any case is as good as the one in the arm.
    let body = check(
        "    def main(A: T.Buffer((4,), \"int32\"), d: T.int32):
        A[1] = T.if_then_else(0 < d, T.call_extern(\"int32\", \"f\", 8 // d), 0) + 8 // d
",
    );
    assert!(body.contains("= 8 // d\n"), "{body}");
    // Of a condition that is a call itself nothing is known.
    let body = check(
        "    def main(A: T.Buffer((4,), \"int32\"), d: T.int32):
        if T.call_extern(\"int32\", \"f\", d) > 0 and 8 // d + 8 // d * 2 > d:
            A[1] = 8 // d
",
    );
    assert!(!body.contains("= 8 // d\n        if"), "{body}");
}

#[test]
fn a_remainder_by_what_may_be_zero_is_not_taken_to_be_small() {
    let body = check(
        "    def main(A: T.Buffer((4,), \"int32\"), n: T.int32, p: T.int32):
        if p // 134217727 >= n:
            A[1] = 2
        if T.if_then_else(A[0] >= 1, T.FloorMod(n, 0), 0) >= 0:
            A[0] = 4
",
    );
    assert!(!body.contains("n * 134217727"), "{body}");
}

#[test]
fn the_product_in_an_arm_says_nothing_of_what_it_is_a_multiple_of() {
    // `n * 8 // 8` is `n`, but that `n * 8` fits holds in its arm only.
    let body = check(
        "    def main(n: T.int64, A: T.Buffer((T.int64(64),), \"int64\"), B: T.Buffer((T.int64(64),), \"int64\")):
        for i in range(n):
            if n >= B[T.int64(3)]:
                A[T.int64(0)] = n * T.int64(8) % T.int64(8)
            else:
                B[T.int64(1) - n] = T.int64(0)
",
    );
    assert!(body.contains("B[T.int64(1) - n]"), "{body}");
    let body = check(
        "    def main(A: T.Buffer((4,), \"int32\")):
        A[0] = T.max(-2147483648, (A[1] >> 1) - 1) % 2
",
    );
    assert!(!body.contains("2147483647"), "{body}");
}

#[test]
fn comparisons_with_the_least_number_stay() {
    let least = "T.int64(-9223372036854775808)";
    let product = format!("{least} * T.max(p, T.int64(0)) < p");
    for condition in [format!("p != {least}"), format!("{least} == p"), format!("p > {least}"), product] {
        let body = check(&format!(
            "    def main(A: T.Buffer((4,), \"int32\"), p: T.int64):
        if {condition}:
            A[0] = 1
"
        ));
        assert!(body.contains("if "), "{condition} {body}");
    }
}
