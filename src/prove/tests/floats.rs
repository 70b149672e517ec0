//! Laws of floats that change no bit, and their neighbours that do.

use super::{Integers, prove};
use crate::script::parse;

/// Whether two values of these types, of `A`, `B` and integers, are proven to be the same.
#[track_caller]
fn check(dtype: &str, a: &str, b: &str, same: bool) {
    let function = |value: &str| {
        let text = format!(
            "@T.prim_func\ndef main(A: T.Buffer((8,), \"{dtype}\"), B: T.Buffer((8,), \"{dtype}\"), C: T.Buffer((8,), \"{dtype}\"), k: T.int32):\n    \
             T.func_attr({{\"tirx.noalias\": True}})\n    C[0] = {value}\n"
        );
        parse("<test>", &text).unwrap()
    };
    let found = prove(&function(a), &function(b), Integers::Unbounded, None).unwrap().remove(0);
    assert_eq!(found.is_proven(), same, "{a}, {b}: {found:?}");
}

#[test]
fn comparisons_of_nan_are_false_or_depend_on_the_target() {
    let chosen = |cond: &str| format!("T.Select({cond}, A[1], B[1])");
    for (a, b, same) in [
        ("A[2] < A[2]", "T.bool(False)", true),
        ("A[2] > A[2]", "T.bool(False)", true),
        ("A[2] != A[2]", "T.bool(False)", false),
        ("A[2] != T.float32(\"nan\")", "T.float32(\"nan\") != A[2]", true),
        ("T.float32(\"nan\") != T.float32(\"nan\")", "T.bool(False)", false),
        ("T.float32(1) != T.float32(2)", "T.bool(True)", true),
        ("A[2] == A[2]", "T.bool(True)", false),
        ("A[2] <= A[2]", "T.bool(True)", false),
        ("A[2] != B[2]", "B[2] != A[2]", true),
        ("A[2] != B[2]", "A[2] < B[2] or A[2] > B[2]", false),
        ("A[2] != B[2]", "not (A[2] == B[2])", false),
        ("A[2] < B[2]", "not (A[2] >= B[2])", false),
    ] {
        check("float32", &chosen(a), &chosen(b), same);
    }
}

#[test]
fn integers_have_no_zero_with_a_sign() {
    let sum = |value: &str, zero: &str| format!("T.Add({value}, T.float32({zero}))");
    for (value, same) in [
        ("T.Cast(\"float32\", k)", true),
        ("T.if_then_else(k < 2, T.Cast(\"float32\", k), T.float32(3))", true),
        ("T.if_then_else(k < 2, T.Cast(\"float32\", k), T.float32(-0.0))", false),
        ("T.Cast(\"float32\", k) * T.float32(-1)", false),
        ("A[1]", false),
    ] {
        check("float32", &sum(value, "0.0"), value, same);
        check("float32", &sum(value, "-0.0"), value, true);
        check("float32", &sum(value, "1.0"), value, false);
    }
}

#[test]
fn signs_come_out_of_products() {
    let minus = |x: &str| format!("({x} * T.float32(-1))");
    let (a, b) = (minus("A[1]"), minus("B[1]"));
    check("float32", &format!("{a} * {b}"), "A[1] * B[1]", true);
    check("float32", &format!("{a} * B[1]"), &minus("A[1] * B[1]"), true);
    check("float32", &format!("{a} * B[1]"), &format!("A[1] * {b}"), true);
    check("float32", &format!("{a} * B[1]"), "A[1] * B[1]", false);
    check("float32", &format!("{a} + {b}"), &minus("A[1] + B[1]"), false);
}

#[test]
fn constants_are_converted_and_computed_with_in_choices() {
    let chosen = |a: &str, b: &str| format!("T.if_then_else(k < 3, {a}, {b})");
    let cast = |of: &str| format!("T.Cast(\"float16\", {of})");
    let wide = cast(&chosen("T.float32(3)", "T.float32(\"inf\")"));
    check("float16", &wide, &chosen("T.float16(3)", "T.float16(\"inf\")"), true);
    check("float16", &wide, &chosen("T.float16(\"inf\")", "T.float16(3)"), false);
    let with_load = cast(&chosen("T.Cast(\"float32\", A[1])", "T.float32(3)"));
    check("float16", &with_load, &chosen(&cast("T.Cast(\"float32\", A[1])"), "T.float16(3)"), true);
    let one = chosen("T.float32(2)", "T.float32(5)");
    check("float32", &format!("{one} - {one}"), "T.float32(0)", true);
    check("float32", &format!("{one} * {one}"), &chosen("T.float32(4)", "T.float32(25)"), true);
    check("float32", &format!("{one} * {one}"), &chosen("T.float32(25)", "T.float32(4)"), false);
    let other = "T.if_then_else(k < 4, T.float32(2), T.float32(5))";
    check("float32", &format!("{one} - {other}"), "T.float32(0)", false);
}

#[test]
fn what_is_decided_of_a_choice_is_decided_of_a_sum_with_it() {
    let function = |dtype: &str| format!("T.if_then_else(k < 4, A[1] - B[1] + {dtype}, A[2])");
    let added = |zero: &str| function(&format!("T.if_then_else(k > 17, T.float32(3), T.float32({zero}))"));
    check("float32", &added("-0.0"), "T.if_then_else(k < 4, A[1] - B[1], A[2])", true);
    check("float32", &added("0.0"), "T.if_then_else(k < 4, A[1] - B[1], A[2])", false);
}

#[test]
fn a_fence_is_what_is_in_it() {
    let call = |name: &str| format!("T.call_llvm_pure_intrin(\"float32\", \"{name}\", A[2] + B[1])");
    check("float32", &call("llvm.arithmetic.fence"), "A[2] + B[1]", true);
    check("float32", "B[1] + A[2]", &call("llvm.arithmetic.fence.f32"), true);
    check("float32", &call("llvm.arithmetic.fences"), "A[2] + B[1]", false);
    check("float32", &call("llvm.fabs"), "A[2] + B[1]", false);
}
