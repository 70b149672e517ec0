//! `satir cse`: reports, stages, explanations.

use std::fs;

use super::{GOOD, kernels, path, satir, satir_on, with_body};

#[test]
fn the_report_has_costs_and_bindings() {
    let dir = tempfile::tempdir().unwrap();
    let report = dir.path().join("report.json");
    satir_on(&["cse", "--mode", "syntactic", "--report", path(&report)], GOOD).code(0);
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(&report).unwrap()).unwrap();
    let function = &json["functions"][0];
    assert_eq!(json["mode"], "syntactic");
    assert_eq!(function["name"], "main");
    // Twice a product (3) and a sum (1), then once with a binding (0.25).
    assert_eq!(function["before"]["integer_cost"], 8.0);
    assert_eq!(function["syntactic"]["cost"], 4.25);
    assert_eq!(function["chosen"], "syntactic");
    assert_eq!(function["bindings"].as_array().unwrap().len(), 1);
    assert_eq!(function["bindings"][0]["replaced"][0]["line"], 6);
    assert_eq!(function["bindings"][0]["replaced"][0]["uses"], 2);
    assert_eq!(function["bindings"][0]["replaced"][0]["source"], "A[x * 3 + y] = x * 3 + y");
    assert_eq!(function["bindings"][0]["saved"], 8.0 - 4.25);
}

#[test]
fn a_cost_profile_is_checked() {
    let dir = tempfile::tempdir().unwrap();
    let profile = dir.path().join("cost.json");
    fs::write(&profile, r#"{"weights": {"no_such_class": 1}}"#).unwrap();
    satir_on(&["cse", "--cost", path(&profile)], GOOD).fails_cleanly().says(&["cost.json", "no_such_class"]);
    fs::write(&profile, r#"{"weights": {"mul": 7}}"#).unwrap();
    let text = satir_on(&["cse", "--cost", path(&profile), "--emit", "report", "--mode", "syntactic"], GOOD);
    let json: serde_json::Value = serde_json::from_str(&text.code(0).out).unwrap();
    assert_eq!(json["functions"][0]["before"]["integer_cost"], 16.0);
}

#[test]
fn stages_have_a_text_form() {
    let emit = |stage| satir_on(&["cse", "--emit", stage], GOOD).code(0).out;
    let graph = emit("egraph");
    assert!(graph.starts_with("function main\n") && graph.contains(" int32 [3, 3] depth 0 = 3\n"), "{graph}");
    assert!(graph.contains("= x\n") && graph.contains("mul(c"), "{graph}");
    assert!(emit("saturated").lines().count() >= 5);
    let plan = emit("plan");
    // The sum is used twice, its operands once.
    let bound: Vec<&str> = plan.lines().filter(|line| line.contains(": bound before statement 0")).collect();
    assert!(matches!(bound[..], [sum] if sum.contains("= add(e") && sum.ends_with("2 uses")), "{plan}");
    assert!(plan.starts_with("function main\ncost "), "{plan}");
}

#[test]
fn a_report_can_be_a_page() {
    let dir = tempfile::tempdir().unwrap();
    let page = dir.path().join("report.html");
    let file = kernels().join("unrolled_copy.py");
    let plain = satir(&["cse", path(&file)]).code(0).out;
    assert_eq!(satir(&["cse", path(&file), "--report", path(&page)]).code(0).out, plain);
    let text = fs::read_to_string(&page).unwrap();
    assert!(text.starts_with("<!DOCTYPE html>") && text.contains("cse_v1") && text.ends_with("</html>\n"));
    satir(&["opt", "--passes", "simplify", path(&file), "--report", path(&page)]).code(0);
    assert!(fs::read_to_string(&page).unwrap().contains("<h3>Before</h3>"));
}

#[test]
fn what_the_model_of_the_compiler_decided_is_explained() {
    let text = "@T.prim_func\ndef main(A: T.Buffer((64,), \"int32\"), B: T.Buffer((\"m\",), \"int32\")):\n    m = T.int32()\n    \
                for i in range(64):\n        A[i] = T.max(i // m, 3)\n";
    let ran = satir_on(&["cse", "--explain"], text).code(0);
    assert!(ran.err.contains("truncated-division: "), "{}", ran.err);
    assert!(ran.err.contains("-            A[i] = T.max(i // m, 3)\n"), "{}", ran.err);
    assert!(ran.err.contains("+            A[i] = T.max(T.Div(i, m), 3)\n"), "{}", ran.err);
    let ran = satir_on(&["cse", "--explain", "--ignore-reason", "truncated-division"], text).code(0);
    assert!(!ran.err.contains("truncated-division: "), "{}", ran.err);
    let ran = satir_on(&["cse", "--explain", "--target", "neutral"], text).code(0);
    assert!(!ran.err.contains("without this reason"), "{}", ran.err);
}

#[test]
fn equalities_are_explained() {
    let text = with_body("A[0] = (x * 4 + 3) // 4 + T.min(x, T.max(x, 7))");
    let ran = satir_on(&["cse", "--explain"], &text).code(0);
    assert!(
        ran.err.contains("<stdin>:") && ran.err.contains(" became ") && ran.err.contains("\n= "),
        "{}",
        ran.err
    );
    assert!(ran.out.contains("@T.prim_func"), "{}", ran.out);
    let asked = |a: &str, b: &str| satir_on(&["cse", "--explain-missed", a, b], &text).code(0).out;
    assert!(asked("(x * 8 + 5) // 8", "x").starts_with("They are equal:\n  (x * 8 + 5) // 8\n= x "));
    assert!(asked("x // 2 * 2", "x").starts_with("They are not equal: for x = "));
    satir_on(&["cse", "--explain-missed", "x +", "x"], &text).fails_cleanly().says(&["<expression>:1:"]);
    satir_on(&["cse", "--explain-missed", "x", "x", "--function", "no"], &text)
        .code(2)
        .says(&["there are main"]);
}

#[test]
fn the_graph_of_an_expression_is_shown() {
    let text = with_body("A[0] = x");
    let emitted =
        |stage: &str| satir_on(&["cse", "--emit", stage, "--of", "(x * 4 + 3) // 4"], &text).code(0).out;
    assert!(emitted("egraph-dot").starts_with("digraph egraph {"));
    assert!(emitted("egraph-svg").starts_with("<svg "));
    let json: serde_json::Value = serde_json::from_str(&emitted("egraph-json")).unwrap();
    assert_eq!(json["root_eclasses"], serde_json::json!(["c0"]));
    assert!(json["nodes"]["n0"]["op"].is_string());
    satir_on(&["cse", "--of", "x"], &text).code(2).says(&["goes with"]);
    // Without an expression it is that of the function.
    let whole = |stage: &str| {
        satir_on(&["cse", "--emit", stage], with_body("A[x] = x * 3\nA[1] = x * 3 + 7")).code(0).out
    };
    let svg = whole("egraph-svg");
    assert!(svg.contains(">mul<") && svg.contains(">7<") && svg.contains("marker-end"), "{svg}");
    assert!(svg.contains("<title>operand 2 of 2 of add</title>"), "{svg}");
    let json: serde_json::Value = serde_json::from_str(&whole("egraph-json")).unwrap();
    assert!(json["root_eclasses"].as_array().unwrap().len() >= 3, "{json}");
    assert!(whole("egraph-dot").contains("fillcolor"), "nodes are chosen");
}

#[test]
fn options_without_effect_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let report = dir.path().join("report.json");
    for stage in [&["--emit", "parsed"][..], &["--emit", "plan"], &["--emit", "egraph-dot", "--of", "x"]] {
        for option in
            [&["--report", path(&report)][..], &["--validate"], &["--explain"], &["--diff"], &["--check"]]
        {
            let words = format!("`{}` and `{}", option[0], stage[0]);
            satir_on(&[&["cse"], stage, option].concat(), GOOD).code(2).says(&[&words, "do not go together"]);
        }
    }
    for option in [&["--report", path(&report)][..], &["--emit", "plan"], &["--validate"]] {
        satir_on(&[&["cse", "--explain-missed", "x", "y"], option].concat(), GOOD).code(2);
    }
    assert!(!report.exists());
    // These make a result, so they have a report.
    for stage in ["result", "syntactic", "report"] {
        satir_on(&["cse", "--emit", stage, "--report", path(&report)], GOOD).code(0);
        fs::remove_file(&report).unwrap();
    }
}

#[test]
fn a_function_that_does_not_exist_is_refused() {
    for args in [
        &["cse", "--function", "x"][..],
        &["cse", "--function", "x", "--explain-missed", "x", "y"],
        &["cse", "--function", "x", "--emit", "plan"],
        &["cse", "--function", "x", "--emit", "egraph-dot", "--of", "x"],
        &["run", "--function", "x", "--bind", "x=1,y=1"],
    ] {
        satir_on(args, GOOD).code(2).says(&["error: "]);
    }
    let plan = satir_on(&["cse", "--function", "main", "--emit", "plan"], GOOD).code(0).out;
    assert_eq!(plan, satir_on(&["cse", "--emit", "plan"], GOOD).code(0).out);
}

#[test]
fn rules_are_switched_where_the_work_is() {
    let text = with_body("A[0] = T.bitwise_and(x * 7, x * 7) // 3");
    let out = |args: &[&str]| satir_on(args, &text).code(0).out;
    for command in [&["cse"][..], &["simplify"], &["opt", "--passes", "semantic-cse"]] {
        let all = out(command);
        let list = satir(&["rules", "list", "--sets", "--json"]).code(0).out;
        let json: serde_json::Value = serde_json::from_str(&list).unwrap();
        let sets: Vec<&str> =
            json["sets"].as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
        let none = out(&[command, &["--off", &sets.join(",")]].concat());
        assert!(!all.contains("&") && none.contains("&"), "{command:?}:\n{all}\n{none}");
        satir_on(&[command, &["--off", "no-such-set"]].concat(), &text).code(1).says(&["`no-such-set`"]);
        satir_on(&[command, &["--on", "minmax", "--off", "minmax,shift"]].concat(), &text).code(2);
    }
}
