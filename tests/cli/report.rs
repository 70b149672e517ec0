//! Reports as data and as pages, remarks, and what `RUST_LOG` shows.

use std::fs;

use serde::Deserialize;
use serde_json::Value;

use super::{GOOD, command, kernels, path, ran, satir, satir_on};

/// A loop with a test that always holds and another that is not decided, and sums to share.
const KERNEL: &str = "@T.prim_func
def main(A: T.Buffer((4096,), \"int32\"), B: T.Buffer((64,), \"int32\"), n: T.int32):
    for i in range(16):
        if i < 16:
            A[i * n + n] = n * (i + 1) + (i + 32) // 16
        if i < n:
            B[(i + 32) // 16] = A[0]
";

/// That a report is as the schema says.
#[track_caller]
fn valid(report: &Value) {
    let schema: Value = serde_json::from_str(satir::report::SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(report).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{}\n{report:#}", errors.join("\n"));
}

#[test]
fn reports_have_one_shape_and_are_as_the_schema_says() {
    let dir = tempfile::tempdir().unwrap();
    let (program, report) = (dir.path().join("a.py"), dir.path().join("report.json"));
    fs::write(&program, KERNEL).unwrap();
    let read = || serde_json::from_str::<Value>(&fs::read_to_string(&report).unwrap()).unwrap();
    let mut keys: Vec<Vec<String>> = Vec::new();
    for command in [
        &["cse"][..],
        &["cse", "--mode", "syntactic"],
        &["cse", "--node-limit", "1"],
        &["simplify"],
        &["opt", "--passes", "simplify,semantic-cse,verify"],
        &["opt", "--passes", ""],
    ] {
        let args = [command, &["--report", path(&report), path(&program), "-o", "/dev/null"]].concat();
        satir(&args).code(0);
        let json = read();
        valid(&json);
        assert_eq!((&json["version"], &json["file"]), (&1.into(), &path(&program).into()));
        let of = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        keys.push([of(&json), of(&json["functions"][0])].concat());
        let passes: Vec<&str> =
            json["passes"].as_array().unwrap().iter().map(|pass| pass["pass"].as_str().unwrap()).collect();
        if command[0] == "opt" && !command[2].is_empty() {
            assert_eq!(passes, ["simplify", "semantic-cse", "verify"]);
            assert!(!json["functions"][0]["bindings"].as_array().unwrap().is_empty());
            assert_eq!(json["functions"][0]["chosen"], "passes");
        }
        assert_eq!(json["cost_after"], json["functions"][0]["after"]["cost"]);
    }
    assert!(keys.iter().all(|other| *other == keys[0]), "{keys:?}");
    // The same on standard output, of many programs, and of one that is bad.
    valid(&serde_json::from_str(&satir_on(&["cse", "--emit", "report"], KERNEL).code(0).out).unwrap());
    fs::write(dir.path().join("bad.py"), "def").unwrap();
    satir(&["simplify", path(dir.path()), "--report", path(&report), "-q"]).code(1);
    let json = read();
    valid(&json);
    assert_eq!(json["programs"].as_array().unwrap().len(), 2);
    assert!(json["programs"][1]["error"].as_str().unwrap().contains("bad.py:1"));
}

#[test]
fn the_schema_refuses_what_is_not_a_report() {
    let schema: Value = serde_json::from_str(satir::report::SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let good: Value =
        serde_json::from_str(&satir_on(&["cse", "--emit", "report"], KERNEL).code(0).out).unwrap();
    let spoilt = |change: &dyn Fn(&mut Value)| {
        let mut json = good.clone();
        change(&mut json);
        assert!(!validator.is_valid(&json), "{json:#}");
    };
    spoilt(&|json| json["version"] = 2.into());
    spoilt(&|json| json["more"] = 2.into());
    spoilt(&|json| json["functions"][0]["before"]["cost"] = "7".into());
    spoilt(&|json| {
        json["functions"][0]["bindings"][0].as_object_mut().unwrap().remove("saved");
    });
}

#[test]
fn rules_that_fired_are_counted_and_change_nothing() {
    let text = GOOD.replace("= x * 3 + y", "= T.bitwise_and(x, x) + T.max(x, T.min(x, y))");
    let json: Value =
        serde_json::from_str(&satir_on(&["cse", "--emit", "report"], &text).code(0).out).unwrap();
    let rules = json["rules"].as_array().unwrap();
    assert!(!rules.is_empty() && rules.iter().any(|rule| rule["unions"].as_u64() > Some(0)), "{json:#}");
    let dir = tempfile::tempdir().unwrap();
    let report = dir.path().join("report.json");
    for kernel in ["image_gradient_unrolled.py", "sums_in_any_order.py", "while_loop.py"] {
        let kernel = kernels().join(kernel);
        let plain = satir(&["cse", path(&kernel)]).code(0).out;
        let counted = satir(&["cse", path(&kernel), "--report", path(&report)]).code(0).out;
        assert_eq!(plain, counted, "{}", kernel.display());
    }
}

#[test]
fn a_folder_gets_a_page_of_contents() {
    let dir = tempfile::tempdir().unwrap();
    let (inputs, index) = (dir.path().join("in"), dir.path().join("index.html"));
    fs::create_dir_all(inputs.join("deep #1")).unwrap();
    fs::write(inputs.join("a.py"), KERNEL).unwrap();
    fs::write(inputs.join("deep #1/b.py"), GOOD).unwrap();
    fs::write(inputs.join("c.py"), "def <").unwrap();
    for command in ["cse", "simplify"] {
        satir(&[command, path(&inputs), "--report", path(&index), "-q"]).code(1);
        let html = fs::read_to_string(&index).unwrap();
        assert!(html.contains("href=\"index-pages/a.py.html\""), "{html}");
        assert!(html.contains("href=\"index-pages/deep%20%231/b.py.html\""), "{html}");
        assert!(html.contains("c.py:1:") && !html.contains("c.py.html"), "{html}");
        let page = fs::read_to_string(dir.path().join("index-pages/deep #1/b.py.html")).unwrap();
        assert!(page.contains("<h3>Before</h3>") && page.ends_with("</html>\n"));
        assert!(!dir.path().join("index-pages/c.py.html").exists());
    }
}

/// A document of LLVM's optimization records, as `opt-viewer` reads it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct Record {
    pass: String,
    name: String,
    debug_loc: Place,
    function: String,
    args: Vec<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct Place {
    file: String,
    line: u32,
    column: u32,
}

#[test]
fn remarks_are_llvm_s_records() {
    let dir = tempfile::tempdir().unwrap();
    let (program, remarks) = (dir.path().join("a.py"), dir.path().join("a.opt.yaml"));
    fs::write(&program, KERNEL).unwrap();
    for (command, wanted) in [
        (
            &["cse"][..],
            &["!Passed Removed 4", "!Passed Bound 5", "!Missed Undecided 6", "!Missed Clobbered 7"][..],
        ),
        (
            &["simplify"],
            &["!Passed Removed 4", "!Passed Simplified 7", "!Missed Undecided 6", "!Analysis Cost 2"],
        ),
        (&["opt", "--passes", "simplify,syntactic-cse"], &["!Passed Removed 4", "!Missed Undecided 6"]),
    ] {
        satir(&[command, &["--remarks", path(&remarks), path(&program), "-o", "/dev/null"]].concat()).code(0);
        let text = fs::read_to_string(&remarks).unwrap();
        let mut found = Vec::new();
        for document in serde_norway::Deserializer::from_str(&text) {
            let serde_norway::Value::Tagged(tagged) = serde_norway::Value::deserialize(document).unwrap()
            else {
                panic!("a document without a tag\n{text}");
            };
            let record: Record = serde_norway::from_value(tagged.value).unwrap();
            assert_eq!((&*record.debug_loc.file, &*record.function), (path(&program), "main"));
            assert!(record.debug_loc.column > 0 && !record.args.is_empty() && !record.pass.is_empty());
            found.push(format!("{} {} {}", tagged.tag, record.name, record.debug_loc.line));
        }
        for wanted in wanted {
            assert!(found.iter().any(|found| found == wanted), "{wanted} is none of {found:?}\n{text}");
        }
    }
    // Those on several programs are in one file.
    fs::write(dir.path().join("b.py"), GOOD).unwrap();
    satir(&["cse", path(dir.path()), "--remarks", path(&remarks), "-q"]).code(0);
    let text = fs::read_to_string(&remarks).unwrap();
    assert!(text.contains("a.py\", Line: 5") && text.contains("b.py\", Line: 6"), "{text}");
    satir(&["cse", path(&program), "--remarks", path(&remarks), "--emit", "parsed"]).code(2);
}

#[test]
fn remarks_are_sarif() {
    let dir = tempfile::tempdir().unwrap();
    let remarks = dir.path().join("a.sarif");
    satir_on(&["cse", "--remarks", path(&remarks)], KERNEL).code(0);
    let log: Value = serde_json::from_str(&fs::read_to_string(&remarks).unwrap()).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let (run, rules) = (&log["runs"][0], &log["runs"][0]["tool"]["driver"]["rules"]);
    let results = run["results"].as_array().unwrap();
    assert!(results.len() > 4, "{log:#}");
    for result in results {
        let rule = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(result["ruleId"], rules[rule]["id"]);
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        // The specification has a level other than none only with the kind `fail`.
        assert_eq!(result["kind"] == "fail", result["level"] != "none", "{result}");
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "%3Cstdin%3E");
        assert!(place["region"]["startLine"].as_u64() > Some(0));
    }
    assert!(results.iter().any(|result| result["level"] == "note" && result["ruleId"] == "Clobbered"));
}

#[test]
fn explanations_name_facts_and_parts_and_what_was_removed() {
    for command in [&["cse", "--explain"][..], &["simplify", "--explain"]] {
        let ran = satir_on(command, KERNEL).code(0);
        let removed = "<stdin>:4: removed the test `if i < 16:`: its condition always holds\n  facts used: 0 <= i <= 15";
        ran.says(&[removed, "facts used: 0 <= i <= 15 (line 3)"]);
    }
    let text = "@T.prim_func
def main(A: T.Buffer((64,), \"int32\"), x: T.int32, y: T.int32):
    assert x > 3, \"small\"
    if x < 9 and y < 100 and x < 20:
        A[T.max(x, y)] = T.bitwise_xor(y, (x * 16 + 5) // 16 + T.max(x, 2))
";
    satir_on(&["simplify", "--explain"], text).code(0).says(&[
        "removed, as the rest implies it: x < 20",
        "smallest part that differs: `(x * 16 + 5) // 16` became `x`",
        "smallest part that differs: `T.max(x, 2)` became `x`",
        "facts used: x > 3 (line 3)",
        "removed: 1 add, 1 div_pow2, 1 mul_pow2, 1 min_max",
    ]);
    let out = satir(&["expr", "--explain", "x // 8 + y", "--var", "x:0..7"]).code(0).out;
    assert!(
        out.contains("smallest part that differs: `x // 8 + y` became `y`")
            || out.contains("facts used: 0 <= x <= 7"),
        "{out}"
    );
    assert!(out.contains("removed: 1 add, 1 div_pow2"), "{out}");
}

#[test]
fn decisions_are_shown_when_they_are_asked_for() {
    let logged = |args: &[&str], level: &str| {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("a.py");
        fs::write(&program, KERNEL).unwrap();
        let mut command = command(&[args, &[path(&program)]].concat());
        ran(command.env("RUST_LOG", level).output().unwrap()).code(0).err
    };
    for command in [&["cse"][..], &["simplify"], &["opt", "--passes", "semantic-cse"]] {
        let err = logged(command, "satir=debug");
        for decision in ["a.py:4:9: passed: the test is gone", "a.py:6:9: missed: the test `i < n` stays"] {
            assert!(err.contains(decision), "{decision}\n{err}");
        }
        assert!(err.lines().all(|line| line.starts_with("debug: ") || line.starts_with("info: ")), "{err}");
        assert_eq!(logged(command, "warn"), "");
    }
    let err = logged(&["cse"], "satir=debug");
    for decision in
        ["debug: function `main`: the semantic result is taken", "is bound to `cse_v1`", "e-graph of "]
    {
        assert!(err.contains(decision), "{decision}\n{err}");
    }
}

/// Each way to fail has one prefix: `error: `, after the place if there is one.
#[test]
fn errors_have_one_prefix() {
    let dir = tempfile::tempdir().unwrap();
    let bad = dir.path().join("bad.py");
    fs::write(&bad, "@T.prim_func\ndef main(x: T.int32):\n    T.evaluate(y)\n    T.evaluate(z)\n").unwrap();
    let bad_rules = dir.path().join("bad.rules");
    fs::write(&bad_rules, "(rule").unwrap();
    let missing = dir.path().join("missing.py");
    for args in [
        &["cse", path(&bad)][..],
        &["cse", path(&missing)],
        &["cse", path(&bad), "--rules", path(&bad_rules)],
        &["cse", "--cost", path(&bad), path(&bad)],
        &["cse", "--no-such-option"],
        &["opt", "--passes", "no", path(&bad)],
        &["simplify", path(&bad), "--on", "no-such-set"],
        &["expr", "x +", "1 < 2 < 3"],
        &["equiv", path(&bad), path(&missing)],
        &["run", path(&bad)],
        &["count", path(&missing)],
        &["rules", "check", path(&bad_rules)],
        &["rules", "stats", path(&missing)],
        &["fuzz", "parser", path(&missing)],
    ] {
        let err = satir(args).err;
        let first = err.lines().next().unwrap_or_default();
        let place = first.split("error: ").next().unwrap();
        assert!(first.contains("error: "), "{args:?}: {err}");
        assert!(place.is_empty() || place.ends_with(": "), "{args:?}: {err}");
        assert!(!err.contains("error: error:") && !err.contains("Error"), "{args:?}: {err}");
    }
}
