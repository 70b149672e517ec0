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
