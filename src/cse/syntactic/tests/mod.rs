//! Programs as text, and what syntactic sharing makes of them.

mod random;

use std::fmt::Write;

use expect_test::{Expect, expect};

use super::{SyntacticOptions, run, run_with};
use crate::cost::{Bindings, Profile, cost_of_func};
use crate::interp::{EquivOptions, equiv};
use crate::ir::{Module, PrimFunc};

fn equiv_options() -> EquivOptions {
    EquivOptions {
        bindings: Bindings::new(),
        fixed: false,
        constraints: Default::default(),
        runs: 20,
        seed: 7,
        tolerance: None,
        max_steps: 100_000,
        lenient_loads: false,
        no_new_loads: true,
        accessed_only: true,
        layouts: Vec::new(),
        limits_everywhere: false,
    }
}

fn parse(params: &str, body: &str) -> Module {
    let mut text = format!("@T.prim_func\ndef main({params}):\n");
    for line in body.trim_end().lines() {
        if !line.trim().is_empty() {
            // Bodies stand in the tests with one level of indentation.
            writeln!(text, "    {}", line.strip_prefix("        ").unwrap_or(line)).unwrap();
        }
    }
    match crate::script::parse("<test>", &text) {
        Ok(module) => module,
        Err(e) => panic!("{e}"),
    }
}

fn body(func: &PrimFunc) -> String {
    let text = crate::script::print_func(func);
    let lines = text.lines().skip_while(|l| !l.trim_start().starts_with("def ")).skip(1);
    lines.map(|l| format!("{}\n", l.strip_prefix("    ").unwrap_or(l))).collect()
}

/// Runs with the options, compares the body, and checks on seeded inputs that the program still does the same, at
/// no more cost.
#[track_caller]
fn check_with(options: &SyntacticOptions, params: &str, input: &str, expected: &Expect) {
    let before = parse(params, input);
    let mut after = before.clone();
    run_with(&mut after.funcs[0], options);
    expected.assert_eq(&body(&after.funcs[0]));
    let cost = |m: &Module| cost_of_func(&m.funcs[0], &Profile::default(), &Bindings::new()).total;
    assert!(cost(&after) <= cost(&before));
    let same = equiv(&before, &after, &equiv_options()).unwrap();
    assert!(same.difference.is_none(), "{:?}", same.difference);
    let mut again = after.clone();
    run_with(&mut again.funcs[0], options);
    assert_eq!(body(&again.funcs[0]), body(&after.funcs[0]), "a second run changes nothing");
}

#[track_caller]
fn check(params: &str, input: &str, expected: Expect) {
    check_with(&SyntacticOptions::default(), params, input, &expected);
}

const AB: &str = "A: T.Buffer((4096,), \"int32\"), B: T.Buffer((4096,), \"int32\")";

#[test]
fn unrolled_copy_shares_the_base() {
    let input = "
        for i, j in T.grid(3, 4):
            A[i * 256 + j * 16] = B[i * 256 + j * 16 + 1024]
            A[i * 256 + j * 16 + 1] = B[i * 256 + j * 16 + 1025]
            A[i * 256 + j * 16 + 2] = B[i * 256 + j * 16 + 1026]
    ";
    check(
        AB,
        input,
        expect![[r#"
        for i, j in T.grid(3, 4):
            cse_v1: T.let[T.int32] = i * 256 + j * 16
            A[cse_v1] = B[cse_v1 + 1024]
            A[cse_v1 + 1] = B[cse_v1 + 1025]
            A[cse_v1 + 2] = B[cse_v1 + 1026]
    "#]],
    );
}

#[test]
fn bindings_of_the_input_are_not_folded() {
    let input = "
        z1: T.let[T.int32] = 1
        z2: T.let[T.int32] = 2
        A[i1] = z1 + z2
        x: T.let[T.int32] = 1
        y: T.let[T.int32] = 1
        a: T.let[T.int32] = x + y + (z1 + z2)
        b: T.let[T.int32] = x + y + z3
        A[i2] = a + b
    ";
    let params = "A: T.Buffer((50,), \"int32\"), i1: T.int32, i2: T.int32, z3: T.int32";
    check(
        params,
        input,
        expect![[r#"
        z1: T.let[T.int32] = 1
        z2: T.let[T.int32] = 2
        cse_v1: T.let[T.int32] = z1 + z2
        A[i1] = cse_v1
        x: T.let[T.int32] = 1
        y: T.let[T.int32] = 1
        cse_v2: T.let[T.int32] = x + y
        a: T.let[T.int32] = cse_v2 + cse_v1
        b: T.let[T.int32] = cse_v2 + z3
        A[i2] = a + b
    "#]],
    );
}

#[test]
fn larger_terms_use_smaller_ones() {
    let input = "
        if b > 0:
            A[0] = x + y + z
            A[1] = x + y + z
        A[2] = x + y
    ";
    let params = "A: T.Buffer((8,), \"int32\"), b: T.int32, x: T.int32, y: T.int32, z: T.int32";
    check(
        params,
        input,
        expect![[r#"
        cse_v1: T.let[T.int32] = x + y
        if b > 0:
            cse_v2: T.let[T.int32] = cse_v1 + z
            A[0] = cse_v2
            A[1] = cse_v2
        A[2] = cse_v1
    "#]],
    );
}

#[test]
fn loads_and_calls_stay() {
    let input = "
        A[i] = B[i] + 42
        B[i] = i
        A[i + 1] = B[i] + 42
        A[i + 2] = T.if_then_else(B[i] + 42 > 0, T.popcount(i), T.popcount(i))
    ";
    check(
        &format!("{AB}, i: T.int32"),
        input,
        expect![[r#"
        A[i] = B[i] + 42
        B[i] = i
        A[i + 1] = B[i] + 42
        A[i + 2] = T.if_then_else(B[i] + 42 > 0, T.popcount(i), T.popcount(i))
    "#]],
    );
}

#[test]
fn pure_calls_and_truth_values_on_request() {
    let input = "
        A[0] = T.popcount(i) + 1
        if i * 3 < j and j < 7:
            A[1] = T.popcount(i) + 1
        if i * 3 < j and j < 7:
            A[2] = T.popcount(i)
    ";
    let params = format!("{AB}, i: T.int32, j: T.int32");
    check(
        &params,
        input,
        expect![[r#"
        A[0] = T.popcount(i) + 1
        cse_v1: T.let[T.int32] = i * 3
        if cse_v1 < j and j < 7:
            A[1] = T.popcount(i) + 1
        if cse_v1 < j and j < 7:
            A[2] = T.popcount(i)
    "#]],
    );
    let options = SyntacticOptions { bools: true, pure_calls: true, ..SyntacticOptions::default() };
    check_with(
        &options,
        &params,
        input,
        &expect![[r#"
        cse_v1: T.let[T.int32] = T.popcount(i)
        cse_v2: T.let[T.int32] = cse_v1 + 1
        A[0] = cse_v2
        cse_v3: T.let[T.bool] = i * 3 < j and j < 7
        if cse_v3:
            A[1] = cse_v2
        if cse_v3:
            A[2] = cse_v1
    "#]],
    );
}

#[test]
fn loads_on_request() {
    let input = "
        A[i] = B[i] + 42
        A[i + 1] = B[i] + 42
        B[i] = i
        A[i + 2] = B[i] + 42
        for k in range(4):
            A[k + 8] = B[k] + B[i]
            A[k + 9] = B[k] + B[i] + A[i]
        A[0] = T.if_then_else(i < 3, B[i], B[i])
    ";
    let options = SyntacticOptions { loads: true, ..SyntacticOptions::default() };
    check_with(
        &options,
        &format!("{AB}, i: T.int32"),
        input,
        &expect![[r#"
        A[i] = B[i] + 42
        A[i + 1] = B[i] + 42
        B[i] = i
        A[i + 2] = B[i] + 42
        for k in range(4):
            A[k + 8] = B[k] + B[i]
            A[k + 9] = B[k] + B[i] + A[i]
        A[0] = T.if_then_else(i < 3, B[i], B[i])
    "#]],
    );
    let input = format!("\n        T.func_attr({{\"tirx.noalias\": True}}){input}");
    check_with(
        &options,
        &format!("{AB}, i: T.int32"),
        &input,
        &expect![[r#"
        T.func_attr({"tirx.noalias": True})
        cse_v1: T.let[T.int32] = B[i] + 42
        A[i] = cse_v1
        A[i + 1] = cse_v1
        B[i] = i
        cse_v2: T.let[T.int32] = B[i]
        A[i + 2] = cse_v2 + 42
        for k in range(4):
            cse_v3: T.let[T.int32] = B[k] + cse_v2
            A[k + 8] = cse_v3
            A[k + 9] = cse_v3 + A[i]
        A[0] = T.if_then_else(i < 3, cse_v2, cse_v2)
    "#]],
    );
}

#[test]
fn a_division_stays_under_its_guard() {
    let input = "
        if n != 0:
            A[0] = i // n
            A[1] = i // n + 1
        for k in range(n):
            A[k] = i // n
            A[k + 1] = i // n
        for k in range(m):
            A[k] = i // n
            A[k + 1] = i // n
    ";
    check(
        &format!("{AB}, i: T.int32, n: T.int32, m: T.int32"),
        input,
        expect![[r#"
        if n != 0:
            cse_v1: T.let[T.int32] = i // n
            A[0] = cse_v1
            A[1] = cse_v1 + 1
        for k in range(n):
            cse_v2: T.let[T.int32] = i // n
            A[k] = cse_v2
            A[k + 1] = cse_v2
        for k in range(m):
            cse_v3: T.let[T.int32] = i // n
            A[k] = cse_v3
            A[k + 1] = cse_v3
    "#]],
    );
}

#[test]
fn only_a_certain_division_goes_above_the_if() {
    let input = "
        if i < 3:
            A[0] = i // n
            A[1] = i // n
        else:
            A[2] = i // n
            A[3] = i // n
        if i < 5:
            A[4] = i % m
            A[5] = i % m
        A[6] = i % m
    ";
    check(
        &format!("{AB}, i: T.int32, n: T.int32, m: T.int32"),
        input,
        expect![[r#"
        if i < 3:
            cse_v1: T.let[T.int32] = i // n
            A[0] = cse_v1
            A[1] = cse_v1
        else:
            cse_v2: T.let[T.int32] = i // n
            A[2] = cse_v2
            A[3] = cse_v2
        cse_v3: T.let[T.int32] = i % m
        if i < 5:
            A[4] = cse_v3
            A[5] = cse_v3
        A[6] = cse_v3
    "#]],
    );
}

#[test]
fn an_assertion_guards_what_follows() {
    let input = "
        n = T.int32()
        A[0] = j
        assert n > 0, \"positive\"
        A[1] = j % n
        A[2] = j % n
        if j < 5:
            A[3] = j // n
        if j < 6:
            A[4] = j // n
        if j < 7:
            A[5] = j // n
    ";
    check(
        &format!("{AB}, C: T.Buffer((\"n\",), \"int32\"), j: T.int32"),
        input,
        expect![[r#"
            n = T.int32()
            A[0] = j
            assert n > 0, ("RuntimeError", ["positive"])
            cse_v1: T.let[T.int32] = j % n
            A[1] = cse_v1
            A[2] = cse_v1
            cse_v2: T.let[T.int32] = j // n
            if j < 5:
                A[3] = cse_v2
            if j < 6:
                A[4] = cse_v2
            if j < 7:
                A[5] = cse_v2
        "#]],
    );
}

#[test]
fn operands_behind_a_condition_are_not_certain() {
    let input = "
        if n != 0 and j // n > 1:
            A[0] = j // n
        A[1] = T.if_then_else(m != 0, j // m, 0)
        A[2] = T.if_then_else(m != 0, j // m, 0)
        A[3] = T.Select(j > 0, j * j * 3, j * j * 5)
    ";
    check(
        &format!("{AB}, j: T.int32, n: T.int32, m: T.int32"),
        input,
        expect![[r#"
        if n != 0 and j // n > 1:
            A[0] = j // n
        A[1] = T.if_then_else(m != 0, j // m, 0)
        A[2] = T.if_then_else(m != 0, j // m, 0)
        cse_v1: T.let[T.int32] = j * j
        A[3] = T.Select(j > 0, cse_v1 * 3, cse_v1 * 5)
    "#]],
    );
}

#[test]
fn a_call_that_may_not_return_guards_what_follows() {
    let input = "
        T.evaluate(T.call_packed(\"check\", n))
        A[0] = j % n
        A[1] = j % n
    ";
    let before = parse(&format!("{AB}, j: T.int32, n: T.int32"), input);
    let mut after = before;
    run(&mut after.funcs[0]);
    expect![[r#"
        T.call_packed("check", n)
        cse_v1: T.let[T.int32] = j % n
        A[0] = cse_v1
        A[1] = cse_v1
    "#]]
    .assert_eq(&body(&after.funcs[0]));
}

#[test]
fn vectors_are_shared_but_not_as_a_bare_index() {
    let input = "
        for i in range(4):
            A[T.Ramp(i * 64, 1, 64)] = T.Ramp(0, 1, 64) // T.Broadcast(2, 64) + T.Broadcast(i, 64)
            B[T.Ramp(i * 64, 1, 64)] = T.Ramp(0, 1, 64) // T.Broadcast(2, 64)
    ";
    check(
        AB,
        input,
        expect![[r#"
        for i in range(4):
            cse_v1: T.let[T.int32] = i * 64
            cse_v2: T.let[T.int32x64] = T.Ramp(0, 1, 64) // T.Broadcast(2, 64)
            A[cse_v1:cse_v1 + 64] = cse_v2 + T.Broadcast(i, 64)
            B[cse_v1:cse_v1 + 64] = cse_v2
    "#]],
    );
}

#[test]
fn a_binding_must_pay() {
    // One of the two arms runs: a binding above them saves nothing.
    let input = "
        if i < 1:
            A[0] = i * 5
        else:
            A[1] = i * 5
        if j < 1:
            A[2] = j * 5
            A[3] = j * 5
        else:
            A[4] = 0
    ";
    check(
        &format!("{AB}, i: T.int32, j: T.int32"),
        input,
        expect![[r#"
        if i < 1:
            A[0] = i * 5
        else:
            A[1] = i * 5
        if j < 1:
            cse_v1: T.let[T.int32] = j * 5
            A[2] = cse_v1
            A[3] = cse_v1
        else:
            A[4] = 0
    "#]],
    );
}

#[test]
fn variables_of_expressions_stay_inside() {
    let input = "
        v = T.int32()
        w = T.int32()
        A[0] = T.Let(v * v * 3 + i * i, where={v: i + 1})
        A[1] = T.Let(w * w * 3 + i * i, where={w: i + 1})
    ";
    check(
        &format!("{AB}, i: T.int32"),
        input,
        expect![[r#"
        cse_v1: T.let[T.int32] = i + 1
        cse_v2: T.let[T.int32] = i * i
        v = T.int32()
        A[0] = T.Let(v * v * 3 + cse_v2, where={v: cse_v1})
        w = T.int32()
        A[1] = T.Let(w * w * 3 + cse_v2, where={w: cse_v1})
    "#]],
    );
}

#[test]
fn a_while_condition_is_computed_every_time() {
    let input = "
        while A[0] < n * n + 3:
            A[0] = A[0] + 1 + m * m
    ";
    check(
        &format!("{AB}, n: T.int32, m: T.int32"),
        input,
        expect![[r#"
        cse_v1: T.let[T.int32] = n * n + 3
        while A[0] < cse_v1:
            A[0] = A[0] + 1 + m * m
    "#]],
    );
}

#[test]
fn shapes_count_as_places_and_are_left_alone() {
    let input = "
        C = T.alloc_buffer((n * m + 1,), \"int32\")
        for i in range(3):
            C[0] = n * m + 1
            A[i] = C[0]
    ";
    check(
        &format!("{AB}, n: T.int32, m: T.int32"),
        input,
        expect![[r#"
        cse_v1: T.let[T.int32] = n * m + 1
        C = T.alloc_buffer((n * m + 1,), "int32")
        for i in range(3):
            C[0] = cse_v1
            A[i] = C[0]
    "#]],
    );
}

#[test]
fn blocks_have_their_own_scopes() {
    let input = "
        for i, j in T.grid(8, 4):
            with T.sblock(\"sum\"):
                vi = T.axis.spatial(8, i)
                vj = T.axis.reduce(4, j)
                T.reads(B[vi * 4 + vj])
                T.writes(A[vi * 4])
                with T.init():
                    A[vi * 4 + 1] = vi * 4
                A[vi * 4 + 1] = A[vi * 4 + 1] + B[vi * 4 + vj]
    ";
    check(
        AB,
        input,
        expect![[r#"
        for i, j in T.grid(8, 4):
            with T.sblock("sum"):
                vi, vj = T.axis.remap("SR", [i, j])
                T.reads(B[vi * 4 + vj])
                T.writes(A[vi * 4])
                with T.init():
                    cse_v1: T.let[T.int32] = vi * 4
                    A[cse_v1 + 1] = cse_v1
                cse_v2: T.let[T.int32] = vi * 4
                cse_v3: T.let[T.int32] = cse_v2 + 1
                A[cse_v3] = A[cse_v3] + B[cse_v2 + vj]
    "#]],
    );
}

#[test]
fn names_are_new() {
    let input = "
        cse_v1: T.let[T.int32] = i + 2
        A[i * 3] = cse_v1
        A[i * 3 + 1] = i * 3
    ";
    check(
        &format!("{AB}, i: T.int32"),
        input,
        expect![[r#"
        cse_v1: T.let[T.int32] = i + 2
        cse_v2: T.let[T.int32] = i * 3
        A[cse_v2] = cse_v1
        A[cse_v2 + 1] = cse_v2
    "#]],
    );
}

#[test]
fn ten_thousand_statements() {
    let n = 10_000;
    let lines: String =
        (0..n).map(|k| format!("    A[i * 256 + j * 16 + {k}] = B[i * 256 + j * 16 + {k}]\n")).collect();
    let text = format!("@T.prim_func\ndef main({AB}, i: T.int32, j: T.int32):\n{lines}");
    let mut module = crate::script::parse("<test>", &text).unwrap();
    // The base, and its sum with each constant but zero.
    assert_eq!(run(&mut module.funcs[0]).bindings.len(), n);
    let last = module.funcs[0].body.len() - 1;
    assert_eq!(last + 1, 2 * n);
}

#[test]
fn deep_nesting_fits_a_small_stack() {
    let mut b = crate::ir::build::FuncBuilder::new("main");
    let i32 = crate::ir::DType::I32;
    let a = b.buffer_param("A", i32, vec![crate::ir::Expr::int(1, i32)]);
    let x = b.param("x", i32);
    let mut e = b.var(x);
    for k in 0..900 {
        e = e + k;
    }
    let store = |b: &mut crate::ir::build::FuncBuilder| {
        b.store(a, vec![crate::ir::Expr::int(0, i32)], e.clone());
        b.store(a, vec![crate::ir::Expr::int(0, i32)], e.clone());
    };
    let mut block = b.block(store);
    for _ in 0..90 {
        let cond = crate::ir::Expr::bool(true);
        let kind = crate::ir::StmtKind::If { cond, then: block, otherwise: Vec::new() };
        block = vec![crate::ir::Stmt::new(kind)];
    }
    let mut func = b.finish();
    func.body = block;
    let report = run(&mut func);
    assert_eq!(report.bindings.len(), 1);
}
