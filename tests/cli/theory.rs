//! `--theory`: what is decided without rules.

use std::fs;

use super::{path, satir, satir_on, with_body};

/// What `satir expr` makes of an expression.
fn simplified(text: &str, flags: &[&str]) -> String {
    satir(&[&["expr", text], flags].concat()).code(0).out.trim().to_owned()
}

#[test]
fn a_plain_graph_knows_what_rules_say() {
    let none = ["--theory", "none"];
    assert_eq!(simplified("3 + 4 * 2", &none), "11", "constants are folded");
    // The rules that are on leave to the theory in which order operands stand and how sums are grouped.
    for text in ["y * x - x * y", "T.max(x, T.min(x, 3))"] {
        assert_eq!(simplified(text, &none), text);
        assert_ne!(simplified(text, &[]), text);
    }
    for theory in ["none", "linear"] {
        let bounded = ["--theory", theory, "--off", "range,compare", "--var", "x:0..3"];
        assert_eq!(simplified("x * 2 < 7", &bounded), "x * 2 < 7");
    }
    assert_eq!(simplified("x * 2 < 7", &["--off", "range,compare", "--var", "x:0..3"]), "true");
    // With rules it does, and with theory step by step.
    let sets = "commutativity,associativity,distributivity";
    for (text, result) in [("y * x - x * y", "0"), ("T.max(x, T.min(x, 3))", "x")] {
        assert_eq!(simplified(text, &["--theory", "none", "--on", sets]), result);
    }
    assert_eq!(simplified("y * x - x * y", &["--theory", "linear"]), "0");
    // A condition of a rule asks for a range.
    let dir = tempfile::tempdir().unwrap();
    let rules = dir.path().join("small.rules");
    fs::write(&rules, "(rule small \"it is below\" (types index) (=> (lt ?x #c) true) (if (lt ?x #c)))")
        .unwrap();
    let mine = ["--theory", "none", "--off", "range", "--rules", path(&rules), "--var", "x:0..3"];
    assert_eq!(simplified("x < 7", &mine), "true");
}

#[test]
fn rules_show_what_they_bring_without_the_theory() {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("p.py");
    fs::write(&program, with_body("A[x * 8 // 8] = T.max(T.min(3, x), x) + x * 4 // 2")).unwrap();
    let needed = |flags: &[&str]| {
        let args = [&["rules", "ablate", "--json", path(&program)], flags].concat();
        let json: serde_json::Value = serde_json::from_str(&satir(&args).code(0).out).unwrap();
        json["units"].as_array().unwrap().iter().filter(|u| u["cost_without"].as_f64() > Some(1.0)).count()
    };
    assert_eq!(needed(&[]), 0, "the theory does it all");
    assert!(needed(&["--theory", "none"]) >= 2, "two sets at least are needed");
    let ran = satir(&["rules", "compare", "none,theory=none", "default,theory=none", path(&program)]).code(0);
    assert!(ran.out.contains("B is cheaper in 1"), "{}", ran.out);
    let ran = satir(&["rules", "compare", "default", "default", path(&program)]).code(0);
    assert!(ran.out.contains("same rules in the same engine"), "{}", ran.out);
    satir(&["rules", "compare", "default", "default,theory=some", path(&program)])
        .code(2)
        .says(&["theory=some"]);
}

#[test]
fn results_of_a_plain_graph_do_the_same() {
    let sets = "vector,guards,commutativity,associativity,distributivity";
    for kernel in ["sums_in_any_order", "zero_and_negative_bounds"] {
        for theory in ["none", "linear"] {
            let kernel = format!("examples/kernels/{kernel}.py");
            let args =
                ["cse", &kernel, "--theory", theory, "--on", sets, "--node-limit", "3000", "--validate"];
            let ran = satir(&args).code(0);
            assert!(!ran.err.contains("not validated"), "{}", ran.err);
        }
    }
    satir_on(&["cse", "--theory", "none", "--explain"], with_body("A[0] = x")).code(2).says(&["--theory"]);
}
