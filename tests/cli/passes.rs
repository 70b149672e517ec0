//! `satir opt` and `satir simplify`.

use std::fs;

use super::{GOOD, kernels, path, satir, satir_on};

#[test]
fn no_passes_print_the_program_as_tvm_does() {
    let ran = satir_on(&["opt", "--passes", ""], GOOD).code(0);
    let body = |text: &str| -> String {
        // TVM repeats the types of symbolic dimensions, which its parser does not need.
        let kept =
            |l: &&str| !l.is_empty() && !l.trim_start().starts_with('#') && !l.contains(" = T.int32()");
        text.lines().filter(kept).map(|l| format!("{l}\n")).collect()
    };
    assert_eq!(body(&ran.out), GOOD);
    for entry in fs::read_dir(kernels()).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_some_and(|e| e == "py") {
            let ran = satir(&["opt", "--passes", "", path(&file)]).code(0);
            let text = fs::read_to_string(&file).unwrap();
            assert_eq!(body(&ran.out), body(&text), "{}", file.display());
        }
    }
}

#[test]
fn simplification_makes_no_bindings() {
    let file = kernels().join("softmax_dynamic_checks.py");
    let ran = satir(&["simplify", path(&file)]).code(0);
    assert_eq!(ran.out.matches("if T.likely").count(), 1, "{}", ran.out);
    assert!(!ran.out.contains("T.let"), "{}", ran.out);
}

/// Multiplies and divides by 4 again, and computes a square twice.
const SQUARES: &str = "@T.prim_func\ndef main(A: T.Buffer((64,), \"int32\"), x: T.int32):\n    \
    for i in range(64):\n        A[i] = i * (x * x) + x * 4 // 4 + T.max(x * x, 3)\n";

#[test]
fn the_full_pipeline_is_the_default() {
    let full = satir_on(&["opt"], SQUARES).code(0);
    assert_eq!(full.out, satir_on(&["opt", "-O2"], SQUARES).code(0).out);
    assert!(full.out.contains("= x * x\n") && !full.out.contains("// 4"), "{}", full.out);
    let unchanged = satir_on(&["opt", "-O0"], SQUARES).code(0);
    assert!(unchanged.out.contains("// 4"), "{}", unchanged.out);
    let listed = satir(&["opt", "--list"]).code(0).out;
    for line in ["semantic-cse ", "-O0", "-O2"] {
        assert!(listed.contains(line), "{listed}");
    }
    let of_level_1 = listed.lines().find_map(|line| line.strip_prefix("-O1")).map(str::trim);
    assert_eq!(of_level_1, Some("simplify,syntactic-cse"), "{listed}");
    let ran = satir_on(&["opt", "-O3"], SQUARES).code(2);
    assert!(ran.err.contains("0..=2"), "{}", ran.err);
    satir_on(&["opt", "-O1", "--passes", "verify"], SQUARES).code(2);
}

#[test]
fn programs_are_printed_after_passes_and_a_run_ends_after_one() {
    let after = |args: &[&str]| {
        satir_on(&[&["opt", "--passes", "fixpoint(simplify),syntactic-cse"], args].concat(), SQUARES)
    };
    let printed = after(&["--print-after", "simplify"]).code(0).err;
    assert_eq!(printed.matches(" after simplify\n").count(), 1, "{printed}");
    assert_eq!(printed.matches(" after simplify: unchanged\n").count(), 1, "{printed}");
    assert!(!printed.contains("after syntactic-cse"), "{printed}");
    assert!(after(&["--print-after", "all"]).code(0).err.contains(" after syntactic-cse\n"));
    let ended = after(&["--stop-after", "simplify"]).code(0);
    assert!(!ended.out.contains("cse_v1") && !ended.out.contains("// 4"), "{}", ended.out);
    for option in ["--print-after", "--stop-after"] {
        let ran = after(&[option, "semantic-cse"]).code(2);
        assert!(ran.err.contains("no pass `semantic-cse` runs"), "{}", ran.err);
    }
    for (text, what) in
        [("fixpoint(verify", "`)` is missing"), ("twice(verify)", "there is no group `twice`")]
    {
        let ran = satir_on(&["opt", "--passes", text], SQUARES).code(2);
        assert!(ran.err.contains(what), "{}", ran.err);
    }
}
