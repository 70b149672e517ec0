//! How things print, and what the parser makes of them.

use expect_test::{Expect, expect};
use satir::ir::{DType, PrimFunc, Type};
use satir::script::{parse, parse_expr, print_expr, print_func};

use super::{body, reprint};

#[track_caller]
fn check(statements: &str, expected: Expect) {
    let printed = body(statements);
    expected.assert_eq(&printed);
    assert_eq!(body(&printed), printed, "the printed text prints as another");
}

#[test]
fn a_whole_module() {
    let printed = reprint(
        r#"
from tvm.script import ir as I
k = TypeVar("k")
@I.ir_module
class Mod:
    I.module_attrs({"v": 1})
    @T.prim_func(private=True, s_tir=True)
    def helper(x: T.int32) -> T.int32:
        return x + 1
    @T.prim_func
    def main(A: T.Buffer((k, "n * 2"), "float32"), n: T.int32, h: T.handle("int8", "shared")):
        """A docstring."""
        T.func_attr({"tirx.noalias": True, "target": T.target({"kind": "llvm"})})
        for i, j in T.grid(k, n):  # a comment
            A[i, j] = T.Cast("float32", Mod.helper(j))
"#,
    );
    expect![[r##"
        # from typing import TypeVar
        # from tvm.script import ir as I
        # from tvm.script import tirx as T

        k = TypeVar("k")
        @I.ir_module
        class Mod:
            I.module_attrs({"v": 1})
            @T.prim_func(private=True, s_tir=True)
            def helper(x: T.int32) -> T.int32:
                return x + 1

            @T.prim_func
            def main(A: T.Buffer((k, "n * 2"), "float32"), n: T.int32, h: T.handle("int8", "shared")):
                T.func_attr({"tirx.noalias": True, "target": T.target({"kind": "llvm"})})
                for i, j in T.grid(k, n):
                    A[i, j] = T.Cast("float32", Mod.helper(j))
    "##]]
    .assert_eq(&printed);
    assert_eq!(reprint(&printed), printed);
}

#[test]
fn constants_fold_as_in_tvm() {
    check(
        "T.evaluate(n + 0)\nT.evaluate(2 * 3 + n)\nT.evaluate(T.Add(n, 0))\nT.evaluate(T.Add(1, 2))\n\
         T.evaluate(n * 0 + m)\nT.evaluate(T.max(n, n))\nT.evaluate(T.if_then_else(T.bool(True), n, m))\n\
         T.evaluate(T.int64(1) < T.int64(2))\nT.evaluate(T.truncmod(7, 3))\nT.evaluate(T.FloorDiv(7, 2))",
        expect![[r#"
            T.evaluate(n)
            T.evaluate(6 + n)
            T.evaluate(T.Add(n, 0))
            T.evaluate(T.Add(1, 2))
            T.evaluate(m)
            T.evaluate(n)
            T.evaluate(n)
            T.evaluate(T.bool(True))
            T.evaluate(1)
            T.evaluate(T.FloorDiv(7, 2))"#]],
    );
}

#[test]
fn what_would_fold_when_read_is_printed_by_the_name_of_its_node() {
    check(
        "T.evaluate(T.Min(1, 2))\nT.evaluate(T.Max(T.float32(0.0), T.float32(-0.0)))\nT.evaluate(T.Mod(7, 3))\n\
         T.evaluate(T.Min(n, m))\nT.evaluate(T.Mod(n, m))",
        expect![[r#"
            T.evaluate(T.Min(1, 2))
            T.evaluate(T.Max(T.float32(0.0), T.float32(-0.0)))
            T.evaluate(T.Mod(7, 3))
            T.evaluate(T.min(n, m))
            T.evaluate(T.truncmod(n, m))"#]],
    );
}

#[test]
fn variables_of_lets_have_names_of_their_own_in_a_block() {
    check(
        "k = T.int32()\nT.evaluate(T.Let(k + 1, where={k: n}))\nT.evaluate(T.Let(k + 2, where={k: m}))",
        expect![[r#"
            k = T.int32()
            T.evaluate(T.Let(k + 1, where={k: n}))
            k_1 = T.int32()
            T.evaluate(T.Let(k_1 + 2, where={k_1: m}))"#]],
    );
}

#[test]
fn large_unsigned_constants_fold_as_what_they_are() {
    check(
        "T.evaluate(T.max(T.uint64(0), T.uint64(18446744073709551615)))\n\
         T.evaluate(T.min(T.uint64(9223372036854775808), T.uint64(1)))\n\
         T.evaluate(T.uint64(1) < T.uint64(9223372036854775808))\n\
         T.evaluate(T.uint64(18446744073709551615) // T.uint64(2))\n\
         T.evaluate(T.uint64(18446744073709551615) * T.uint64(18446744073709551615))",
        expect![[r#"
            T.evaluate(T.IntImm("uint64", 18446744073709551615))
            T.evaluate(T.uint64(1))
            T.evaluate(T.bool(True))
            T.evaluate(T.uint64(9223372036854775807))
            T.evaluate(T.uint64(1))"#]],
    );
}

#[test]
fn operands_take_one_type() {
    check(
        "T.evaluate(q + 1)\nT.evaluate(n + q)\nT.evaluate(x * 2)\nT.evaluate(n < q)\nT.evaluate(T.int8(1) + T.int8(2))\n\
         T.evaluate(T.Ramp(n, 1, 4) + 1)\nA[0, 0] = n\nT.evaluate(n + 5000000000)",
        expect![[r#"
            T.evaluate(q + T.int64(1))
            T.evaluate(T.Cast("int64", n) + q)
            T.evaluate(x * T.float32(2.0))
            T.evaluate(T.Cast("int64", n) < q)
            T.evaluate(T.int8(3))
            T.evaluate(T.Ramp(n, 1, 4) + T.Broadcast(1, 4))
            A[0, 0] = T.Cast("float32", n)
            T.evaluate(T.Cast("int64", n) + T.int64(5000000000))"#]],
    );
}

#[test]
fn parentheses_are_minimal() {
    check(
        "T.evaluate(((n + m) + (n * m)) - (n - (m - n)))\nT.evaluate((n // m) % (n % m))\nT.evaluate(-(n + m))\n\
         T.evaluate((n < m) == b)\nT.evaluate((n < m and b) or (b and (not (n == m))))\n\
         T.evaluate((n | m) & ((n ^ 3) << (m + 1)))\nT.evaluate(~(n + m) * 2)\nT.evaluate(not (b or n < m))",
        expect![[r#"
            T.evaluate(n + m + n * m - (n - (m - n)))
            T.evaluate(n // m % (n % m))
            T.evaluate((n + m) * -1)
            T.evaluate((n < m) == b)
            T.evaluate(n < m and b or b and not n == m)
            T.evaluate((n | m) & (n ^ 3) << m + 1)
            T.evaluate(~(n + m) * 2)
            T.evaluate(not (b or n < m))"#]],
    );
}

#[test]
fn slices_are_ramps() {
    check(
        "B[n * 4:n * 4 + 4] = B[0:4]\nB[0:8:2] = B[T.Ramp(n, 2, 4)]\nB[T.Ramp(n, -1, 4)] = B[n:n + 4]\nB[n:n + 1] = 3",
        expect![[r#"
            B[n * 4:n * 4 + 4] = B[T.Ramp(0, 1, 4)]
            B[0:8:2] = B[T.Ramp(n, 2, 4)]
            B[T.Ramp(n, -1, 4)] = B[T.Ramp(n, 1, 4)]
            B[n] = 3"#]],
    );
}

#[test]
fn names_are_unique_and_legal() {
    let mut module = satir::script::parse("t", &super::function("for i in range(4):\n    B[i] = i")).unwrap();
    let func: &mut PrimFunc = &mut module.funcs[0];
    for (i, name) in ["lambda", "A", "T", "3x", "", "a-b"].iter().enumerate() {
        func.vars[i].name = (*name).into();
    }
    func.vars[6].name = "A".into();
    let printed = module.to_string();
    expect![[r#"
        # from tvm.script import ir as I
        # from tvm.script import tirx as T

        @I.ir_module
        class Module:
            @T.prim_func(s_tir=True)
            def main(A_1: T.Buffer((16, 16), "float32"), B: T.Buffer((64,), "int32"), lambda_: T.int32, A: T.int32, T_1: T.int64, v3x: T.float32, v: T.bool, a_b: T.handle):
                for A_2 in range(4):
                    B[A_2] = A_2
    "#]]
    .assert_eq(&printed);
    assert_eq!(reprint(&printed), printed);
}

#[test]
fn parameters_keep_names_that_mean_something_in_python_or_tvm() {
    for name in [
        "range",
        "float",
        "int",
        "len",
        "print",
        "self",
        "cls",
        "I",
        "R",
        "Tx",
        "Axis",
        "tir",
        "tirx",
        "tvm",
        "TypeVar",
        "Module",
        "match",
        "_",
        "__x",
        "__name__",
        "α",
        "größe",
        "число",
        "长",
    ] {
        for (ty, body) in [
            ("T.int32", format!("for i in range(4):\n        B[i] = {name} + i")),
            (
                "T.Buffer((8,), \"int32\")",
                format!(
                    "for i in range(4):\n        {name}[i] = T.call_extern(\"int32\", \"f\", {name}.data)"
                ),
            ),
        ] {
            let text = format!(
                "@T.prim_func(s_tir=True)\ndef main({name}: {ty}, B: T.Buffer((8,), \"int32\")):\n    {body}\n"
            );
            let printed = reprint(&text);
            assert!(printed.contains(&format!("def main({name}: ")), "{printed}");
            assert!(printed.contains("for i in range(4):"), "{printed}");
            assert_eq!(reprint(&printed), printed);
        }
    }
    // Where the text needs such a name, the variable gets another, and so do those that Python or TVM do not take.
    let head = "B: T.Buffer((8,), \"int32\")";
    let needs = format!(
        "@I.ir_module\nclass Mod:\n    @T.prim_func(s_tir=True)\n    def main(Mod: T.int32, float: T.int32, Module: T.int32, \
         {head}):\n        for i in T.serial(4, annotations={{\"x\": float(\"inf\")}}):\n            \
         B[i] = Mod + float + Module\n        cls.other(B.data)\n    @T.prim_func(s_tir=True)\n    \
         def other(float: T.handle):\n        T.evaluate(0)\n"
    );
    let printed = reprint(&needs);
    assert!(printed.contains("def main(Mod_1: T.int32, float_1: T.int32, Module: T.int32"), "{printed}");
    assert!(
        printed.contains("Mod.other(B.data)") && printed.contains("def other(float: T.handle)"),
        "{printed}"
    );
    let text =
        reprint("@T.prim_func\ndef main(__tvm_tmp_value_0: T.int32, ﬁ: T.int32):\n    T.evaluate(ﬁ)\n");
    assert!(text.contains("def main(v__tvm_tmp_value_0: T.int32, _: T.int32)"), "{text}");
}

#[test]
fn siblings_share_names() {
    check(
        "for i in range(4):\n    B[i] = i\nfor i in range(5):\n    for i in range(6):\n        B[i] = i",
        expect![[r#"
            for i in range(4):
                B[i] = i
            for i, i_1 in T.grid(5, 6):
                B[i_1] = i_1"#]],
    );
}

#[test]
fn older_spellings() {
    let printed = reprint(
        r#"
@tir.prim_func
def main(a: T.handle, B: T.Buffer[(16,), "float32"]):
    T.func_attr({"tir.noalias": True})
    n = T.int32()
    A = T.match_buffer(a, (n, 4), "float32")
    with T.block("b"):
        v = T.axis.S(16, 3)
        T.block_attr({"x": 1})
        C = T.block_alloc_buffer((4,))
        C[v] = A[0, 0]
    p = T.allocate([16], "float32", "local")
    D = T.Buffer((16,), "float32", data=p, scope="local")
    D[0] = B[0]
    with T.let_free if False else T.attr(0, "k", 1):
        T.evaluate(T.ramp(0, 1, 4) * T.broadcast(2, 4))
"#
        .replace("T.let_free if False else ", "")
        .as_str(),
    );
    expect![[r##"
        # from tvm.script import ir as I
        # from tvm.script import tirx as T

        @I.ir_module
        class Module:
            @T.prim_func
            def main(A: T.Buffer(("n", 4), "float32"), B: T.Buffer((16,), "float32")):
                n = T.int32()
                T.func_attr({"tir.noalias": True})
                with T.sblock("b"):
                    v = T.axis.spatial(16, 3)
                    T.sblock_attr({"x": 1})
                    C = T.sblock_alloc_buffer((4,))
                    C[v] = A[0, 0]
                p = T.alloc_local((16,))
                D = T.decl_buffer((16,), data=p.data, scope="local")
                D[0] = B[0]
                with T.attr({"k": 1}):
                    T.evaluate(T.Ramp(0, 1, 4) * T.Broadcast(2, 4))
    "##]]
    .assert_eq(&printed);
    assert_eq!(reprint(&printed), printed);
}

#[test]
fn unknown_intrinsics_are_carried_through() {
    check(
        "T.ptx.cp_async.commit(n, A.data, \"text\", [1, 2], mode=3)\nT.evaluate(T.some_op(n, dtype=\"int32\") + 1)",
        expect![[r#"
            T.ptx.cp_async.commit(n, A.data, "text", [1, 2], mode=3)
            T.evaluate(T.some_op(n, dtype="int32") + 1)"#]],
    );
}

#[test]
fn statements_know_their_lines() {
    let text = super::function("T.evaluate(n)\nfor i in range(4):\n    B[i] = i");
    let module = parse("t", &text).unwrap();
    let index = satir::diag::LineIndex::new(&text);
    let lines: Vec<u32> = module.funcs[0].body.iter().map(|s| index.line(s.span.start)).collect();
    assert_eq!(lines, [3, 4]);
}

fn env() -> PrimFunc {
    let mut module = parse("t", &super::function("pass")).expect("an empty function parses");
    let mut func = module.funcs.remove(0);
    func.new_var("y", Type::Prim(DType::I64));
    func
}

#[test]
fn single_expressions() {
    let mut env = env();
    for (text, printed) in [
        ("(n + 8) // 4", "(n + 8) // 4"),
        (" n*m\n + y ", "T.Cast(\"int64\", n * m) + y"),
        ("n < 3 and x > 2.0", "n < 3 and x > T.float32(2.0)"),
        ("3", "3"),
        ("True", "T.bool(True)"),
        ("T.min(n, m)", "T.min(n, m)"),
        ("B[n] + 1", "B[n] + 1"),
    ] {
        let e = parse_expr(text, &mut env).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(print_expr(&env, &e), printed);
    }
    for (text, message) in [
        ("n +", "expected an expression, found the end of the text"),
        ("n + z", "undefined name `z`"),
        ("n m", "expected the end of the expression, found `m`"),
        ("", "expected an expression, found the end of the text"),
        ("n // 0", "division by the constant zero"),
        ("n / m", "expected `//`, `T.truncdiv` or `T.Div` for integers, found `/`"),
    ] {
        assert_eq!(parse_expr(text, &mut env).unwrap_err().message, message, "{text}");
    }
}

#[test]
fn one_function_prints_alone() {
    let module = parse("t", &super::function("T.evaluate(n)")).unwrap();
    assert!(print_func(&module.funcs[0]).starts_with("@T.prim_func(s_tir=True)\ndef main("));
}

#[test]
fn attributes_name_variables_of_loops_inside() {
    // TVM declares such a variable ahead; its own loop then defines another.
    let text = "v = T.int32()\nwith T.attr(v, \"pragma_unroll_explicit\", 1):\n    for v in range(4):\n        B[v] = v";
    check(
        text,
        expect![[r#"
            v = T.int32()
            T.attr(v, "pragma_unroll_explicit", 1)
            for v_1 in range(4):
                B[v_1] = v_1"#]],
    );
    let module = parse("t", &super::function(text)).unwrap();
    assert!(satir::verify::verify(&module).is_ok());
}

#[test]
fn a_range_that_starts_where_it_is_long_binds_twice() {
    for (start, length) in [
        // The end is the start and a length that is a copy of it; only the first of both is the start.
        ("T.Let(t * 2, where={t: n})", "T.Let(t_1 * 2, where={t_1: n})"),
        // The length is a copy of a part of the start.
        ("T.Let(0, where={t: T.Let(t_1, where={t_1: n})})", "T.Let(t_2, where={t_2: n})"),
    ] {
        let text = format!(
            "t, t_1, t_2 = T.int32(), T.int32(), T.int32()\nfor i in range({start}, {start} + {length}):\n    B[i] = 0"
        );
        let module = parse("t", &super::function(&text)).unwrap();
        assert!(satir::verify::verify(&module).is_ok(), "{text}");
        let printed = module.to_string();
        assert_eq!(parse("t", &printed).unwrap().to_string(), printed);
    }
}

#[test]
fn a_length_with_its_start_in_it_binds_variables_of_its_own() {
    // The ends differ, so that the length has the start in it: printed, the end holds a third copy of it.
    let text = "q = T.int32()\n\
                with T.sblock(\"all\"):\n    \
                vi = T.axis.spatial(64, n)\n    \
                T.reads()\n    \
                T.writes(B[T.Let(q * q, where={q: 7}):T.Let(q * q, where={q: n % 7}) + 4])\n    \
                B[vi] = 0";
    let module = parse("t", &super::function(text)).unwrap();
    assert!(satir::verify::verify(&module).is_ok());
    let printed = module.to_string();
    let again = parse("t", &printed).unwrap();
    assert!(satir::verify::verify(&again).is_ok());
    assert_eq!(again.to_string(), printed);
}
