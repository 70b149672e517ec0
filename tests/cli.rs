//! The command line as a user sees it: streams, files, exit codes, messages. Each test runs the built program.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const GOOD: &str = r#"@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64,), "int32"), x: T.int32, y: T.int32):
        T.func_attr({"tirx.noalias": True})
        A[x * 3 + y] = x * 3 + y
"#;

/// What a run of the program gave.
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Ran {
    #[track_caller]
    fn code(self, code: i32) -> Ran {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", clip(&self.out), clip(&self.err));
        self
    }

    /// Standard error has all of these texts.
    #[track_caller]
    fn says(self, texts: &[&str]) -> Ran {
        for text in texts {
            assert!(self.err.contains(text), "`{text}` is not in stderr:\n{}", clip(&self.err));
        }
        self
    }

    /// It failed as a bad program should: exit code 1, a message, no output, no panic.
    #[track_caller]
    fn fails_cleanly(self) -> Ran {
        let ran = self.code(1);
        assert_eq!(ran.out, "");
        assert!(ran.err.contains("error: "), "{}", clip(&ran.err));
        assert!(!ran.err.contains("panicked") && !ran.err.contains("internal error"), "{}", clip(&ran.err));
        ran
    }
}

fn clip(text: &str) -> String {
    text.chars().take(2000).collect()
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_satir"));
    command.args(args).env_remove("RUST_LOG").stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code().expect("the program was not killed by a signal"),
        out: String::from_utf8(output.stdout).expect("output is UTF-8"),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn satir(args: &[&str]) -> Ran {
    ran(command(args).stdin(Stdio::null()).output().unwrap())
}

fn satir_on(args: &[&str], input: impl AsRef<[u8]>) -> Ran {
    let mut child = command(args).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.as_ref().to_vec();
    let writer = std::thread::spawn(move || {
        // A program that fails early need not read all of it.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    ran(output)
}

fn path(p: &Path) -> &str {
    p.to_str().unwrap()
}

fn kernels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/kernels")
}

#[test]
fn standard_input_to_standard_output() {
    for args in [&["cse"][..], &["cse", "-"], &["cse", "-", "-o", "-"]] {
        let ran = satir_on(args, GOOD).code(0);
        assert!(
            ran.out.starts_with("# from tvm.script") || ran.out.starts_with("@I.ir_module"),
            "{}",
            ran.out
        );
        assert_eq!(ran.err, "");
    }
}

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
fn an_output_file_is_written_and_standard_output_stays_empty() {
    let dir = tempfile::tempdir().unwrap();
    let (input, output) = (dir.path().join("in.py"), dir.path().join("out.py"));
    fs::write(&input, GOOD).unwrap();
    let ran = satir(&["cse", path(&input), "-o", path(&output)]).code(0);
    assert_eq!(ran.out, "");
    assert_eq!(fs::read_to_string(&output).unwrap(), satir(&["cse", path(&input)]).code(0).out);
}

#[test]
fn a_failed_run_leaves_the_old_output_whole() {
    let dir = tempfile::tempdir().unwrap();
    let output = dir.path().join("out.py");
    fs::write(&output, "old").unwrap();
    satir_on(&["cse", "-", "-o", path(&output)], "@T.prim_func\ndef main(:\n").fails_cleanly();
    assert_eq!(fs::read_to_string(&output).unwrap(), "old");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn an_output_that_cannot_be_written_fails_cleanly() {
    let dir = tempfile::tempdir().unwrap();
    let output = dir.path().join("missing/out.py");
    satir_on(&["cse", "-", "-o", path(&output)], GOOD)
        .fails_cleanly()
        .says(&["missing/out.py", "cannot write"]);
}

#[test]
fn an_input_that_cannot_be_read_fails_cleanly() {
    satir(&["cse", "no/such/file.py"]).fails_cleanly().says(&["no/such/file.py: cannot read"]);
    satir_on(&["cse"], [b'@', 0xff, 0xfe]).fails_cleanly().says(&["<stdin>:1:2: error: ", "UTF-8"]);
}

#[test]
fn wrong_usage_is_exit_code_2() {
    for args in [
        &["cse", "--no-such-flag"][..],
        &["no-such-command"],
        &[],
        &["cse", "--bind", "n=x"],
        &["cse", "--bind", "n"],
        &["cse", "--mode", "magic"],
        &["cse", "--time-limit", "-1"],
        &["cse", "--node-limit", "0"],
        &["cse", "--window", "0"],
        &["cse", "--emit", "nothing"],
        &["opt"],
        &["opt", "--passes", "verify,no-such-pass"],
    ] {
        let ran = satir(args).code(2);
        assert_eq!(ran.out, "", "{args:?}");
        assert_ne!(ran.err, "", "{args:?}");
    }
    satir(&["opt", "--passes", "no-such-pass"]).code(2).says(&["no pass `no-such-pass`", "semantic-cse"]);
}

#[test]
fn help_and_version_are_exit_code_0() {
    for args in [&["--help"][..], &["cse", "--help"], &["--version"], &["opt", "--list"]] {
        assert_ne!(satir(args).code(0).out, "", "{args:?}");
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let file = kernels().join("unrolled_copy.py");
    let first = satir(&["cse", path(&file)]).code(0).out;
    for _ in 0..3 {
        assert_eq!(satir(&["cse", path(&file)]).code(0).out, first);
    }
}

#[test]
fn a_batch_needs_programs_and_a_folder_to_write_to() {
    let dir = tempfile::tempdir().unwrap();
    satir(&["cse", path(dir.path())]).fails_cleanly().says(&["no file in this folder ends in `.py`"]);
    let file = dir.path().join("a.py");
    fs::write(&file, GOOD).unwrap();
    satir(&["cse", path(dir.path()), "-o", path(&file)]).code(2);
    satir_on(&["cse", "-", "-o", path(dir.path())], GOOD).code(2);
    assert_eq!(fs::read_to_string(&file).unwrap(), GOOD);
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = command(&["cse"]).stdin(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(GOOD.as_bytes()).unwrap();
    let ran = ran(child.wait_with_output().unwrap()).code(0);
    assert_eq!(ran.err, "");
}

#[test]
fn a_program_that_ends_anywhere_fails_cleanly_or_a_shorter_program() {
    let text = fs::read_to_string(kernels().join("softmax_dynamic_checks.py")).unwrap();
    let cuts: Vec<usize> = (0..text.len()).filter(|&at| text.is_char_boundary(at)).step_by(37).collect();
    for at in cuts {
        let ran = satir_on(&["opt", "--passes", ""], &text[..at]);
        if ran.code != 0 {
            ran.fails_cleanly().says(&["<stdin>:"]);
        }
    }
}

/// A program with a mistake: where it is found, and words of the message.
#[track_caller]
fn mistake(text: &str, place: &str, words: &[&str]) {
    let ran = satir_on(&["cse"], text).fails_cleanly();
    let first = ran.err.lines().next().unwrap_or("").to_owned();
    assert!(first.starts_with(&format!("<stdin>:{place}: error: ")), "expected {place}: {}", clip(&ran.err));
    ran.says(words);
}

/// A function of one buffer and two scalars with this body.
fn with_body(body: &str) -> String {
    let head = "@T.prim_func\ndef main(A: T.Buffer((64,), \"int32\"), x: T.int32, f: T.float32):\n";
    body.lines().fold(head.to_owned(), |text, line| format!("{text}    {line}\n"))
}

#[test]
fn mistakes_have_a_place_and_a_reason() {
    mistake(&with_body("A[0] = y"), "3:12", &["`y`"]);
    mistake(&with_body("A[0] = x +"), "3:15", &["expected an expression"]);
    mistake(&with_body("A[0, 1] = x"), "3:5", &["dimension"]);
    mistake(&with_body("A[0] = x\n  A[1] = x"), "4:7", &["indent"]);
    mistake(&with_body("for i in range(4):\nA[1] = x"), "4:5", &["indent"]);
    mistake(&with_body("import os"), "3:5", &["import"]);
    mistake(
        &with_body("with T.no_such_frame():\n    A[1] = x"),
        "3:10",
        &["expected a construct with a body"],
    );
    mistake(&with_body("A[0] = \"text"), "3:12", &["string"]);
}

#[test]
fn type_errors_are_errors() {
    for body in ["A[f] = x", "A[0] = T.Select(x, x, x)", "A[0] = x + f // x"] {
        satir_on(&["cse"], with_body(body)).fails_cleanly().says(&["<stdin>:3:"]);
    }
}

#[test]
fn a_megabyte_of_garbage_fails_cleanly() {
    // Bytes of a fixed linear congruential sequence.
    let mut state = 12345u32;
    let mut byte = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let any: Vec<u8> = (0..1_000_000).map(|_| byte()).collect();
    let printable: Vec<u8> = (0..1_000_000).map(|_| b' ' + byte() % 95).collect();
    let of_words: String = {
        let words = [
            "@T.prim_func\n",
            "def f(",
            "    ",
            "\n",
            "A[0]",
            "for i in ",
            "(",
            ")",
            ":",
            "=",
            "T.",
            "+ 1",
            "\"",
        ];
        std::iter::repeat_with(|| words[usize::from(byte()) % words.len()]).take(200_000).collect()
    };
    for garbage in [any, printable, of_words.into_bytes(), vec![b'('; 1_000_000], vec![0; 1_000_000]] {
        let ran = satir_on(&["cse"], garbage).fails_cleanly();
        assert!(ran.err.len() < 2000, "the message is {} bytes long", ran.err.len());
    }
}

#[test]
fn deep_nesting_fails_cleanly_not_an_overflow() {
    const DEEP: usize = 20_000;
    let parentheses = with_body(&format!("A[0] = {}x{}", "(".repeat(DEEP), ")".repeat(DEEP)));
    let minus = with_body(&format!("A[0] = {}x", "-".repeat(DEEP)));
    let nots = with_body(&format!("assert {}x == 1, \"m\"", "not ".repeat(DEEP)));
    let calls = with_body(&format!("A[0] = {}x{}", "T.max(1, ".repeat(DEEP), ")".repeat(DEEP)));
    let loads = with_body(&format!("A[0] = {}0{}", "A[".repeat(DEEP), "]".repeat(DEEP)));
    let sum = with_body(&format!("A[0] = x{}", " + x".repeat(DEEP)));
    let mut loops = with_body("");
    for depth in 0..DEEP.min(3000) {
        loops += &format!("{}for i{depth} in range(2):\n", " ".repeat(depth + 4));
    }
    loops += &format!("{}A[0] = 1\n", " ".repeat(DEEP.min(3000) + 4));
    for text in [parentheses, minus, nots, calls, loads, sum, loops] {
        let ran = satir_on(&["cse"], text).fails_cleanly();
        assert!(ran.err.len() < 2000, "the message is {} bytes long", ran.err.len());
    }
}

#[test]
fn rules_are_listed_with_their_reasons() {
    let ran = satir(&["rules", "list"]).code(0);
    for word in ["floordiv", "commutativity", ", off)", "=>"] {
        assert!(ran.out.contains(word), "`{word}` is not in {}", clip(&ran.out));
    }
    let json: serde_json::Value =
        serde_json::from_str(&satir(&["rules", "list", "--json"]).code(0).out).unwrap();
    assert!(json["rules"].as_array().unwrap().len() > 100);
    assert!(json["rules"][0]["why"].is_string());
}

#[test]
fn a_wrong_rule_is_refuted_and_a_right_one_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let rules = dir.path().join("mine.rules");
    let rule = |rhs: &str| format!("(rule mine \"why\" (types index) (=> (sub (add ?x ?y) ?x) {rhs}))\n");
    fs::write(&rules, rule("?y")).unwrap();
    let ran = satir(&["rules", "check", path(&rules)]).code(0);
    assert!(ran.out.contains("1 rules") && ran.out.contains("0 refuted"), "{}", ran.out);
    fs::write(&rules, rule("?x")).unwrap();
    let ran = satir(&["rules", "check", path(&rules)]).code(1);
    assert!(ran.out.contains("rule `mine`") && ran.out.contains("is wrong"), "{}", ran.out);
    assert!(ran.out.contains("?x = ") && ran.out.contains("?y = "), "{}", ran.out);
}

#[test]
fn a_mistake_in_a_rule_file_has_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let rules = dir.path().join("mine.rules");
    fs::write(&rules, "(rule mine \"why\" (types index)\n  (=> (add ?x 0) x))\n").unwrap();
    for args in [["rules", "check", path(&rules)].as_slice(), &["rules", "list", "--rules", path(&rules)]] {
        satir(args).fails_cleanly().says(&["mine.rules:2:18: error: "]);
    }
}

#[test]
fn rules_are_counted_and_found_by_name() {
    let list = satir(&["rules", "list", "--only", "floordiv-mul-cancel"]).code(0).out;
    assert!(list.contains("(floordiv (mul ?x ?c) ?c) => ?x if (nonzero ?c)"), "{list}");
    assert_eq!(list.lines().count(), 4, "{list}");
    let stats = satir(&["rules", "stats", "--json"]).code(0).out;
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    assert!(stats["rules"].as_u64() > stats["rules_on"].as_u64(), "{stats}");
    satir(&["rules", "list", "--only", "floordiv-mul-cancle"])
        .fails_cleanly()
        .says(&["did you mean `floordiv-mul-cancel`?"]);
    let good = satir(&["rules", "check", "--quick", "--only", "identity"]).code(0).out;
    assert!(good.contains("0 refuted"), "{good}");
}

#[test]
fn all_mistakes_in_a_rule_file_are_reported() {
    let ran = satir(&["rules", "check", "tests/rules/bad.rules"]).fails_cleanly();
    ran.says(&[
        "tests/rules/bad.rules:3:",
        "unknown operator `plus`",
        "bad.rules:5:",
        "`?z` is not on the left",
    ]);
}

#[test]
fn expressions_are_answered_line_by_line() {
    let input = r#"{"id": 1, "vars": {"x": {"dtype": "int32", "min": 0, "max": 7}}, "expr": "(x + 8) // 4", "precond": ["x < 4"]}

{"id": "two", "vars": {"x": {"dtype": "int32", "min": null, "max": null}}, "expr": "(x * 4 + 3) // 4", "precond": []}
not JSON
{"id": 3, "vars": {"x": {"dtype": "int32"}}, "expr": "x +"}
{"id": 4, "vars": {"x": {"dtype": "int32"}, "y": {"dtype": "int32"}}, "expr": "x < y + 1", "precond": ["x < y"]}
{"id": 5, "vars": {"x": {"dtype": "int32", "min": 5, "max": 4}}, "expr": "x"}
{"id": 6, "vars": {"x": {"dtype": "float32"}}, "expr": "x < x", "precond": ["x"]}
{"id": 7}
{"id": 8, "vars": {"x": {"dtype": "int32", "min": 9, "max": 9}}, "expr": "x > 9"}"#;
    let ran = satir_on(&["expr"], input).code(0);
    let lines: Vec<serde_json::Value> = ran.out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let ids: Vec<String> = lines.iter().map(|l| l["id"].to_string()).collect();
    assert_eq!(ids, ["1", "\"two\"", "null", "3", "4", "5", "6", "7", "8"]);
    let results: Vec<Option<&str>> = lines.iter().map(|l| l["result"].as_str()).collect();
    let expected = [Some("2"), Some("x"), None, None, Some("true"), None, None, None, Some("false")];
    assert_eq!(results, expected);
    for line in &lines {
        assert_eq!(line["result"].is_string(), line["time_us"].is_u64(), "{line}");
        assert_ne!(line["result"].is_string(), line["error"].is_string(), "{line}");
    }
    let deep = format!("{{\"id\": 1, \"vars\": {{}}, \"expr\": \"{}1\"}}", "(".repeat(100_000));
    let ran = satir_on(&["expr"], deep).code(0);
    assert!(ran.out.contains("\"error\""), "{}", clip(&ran.out));
}

#[test]
fn simplification_makes_no_bindings() {
    let file = kernels().join("softmax_dynamic_checks.py");
    let ran = satir(&["simplify", path(&file)]).code(0);
    assert_eq!(ran.out.matches("if T.likely").count(), 1, "{}", ran.out);
    assert!(!ran.out.contains("T.let"), "{}", ran.out);
}

#[test]
fn runs_counts_and_comparisons() {
    let file = kernels().join("strided_copy_3d.py");
    let bind = ["--bind", "ni=3,nj=4,nk=5"];
    let optimized = satir(&["cse", path(&file)]).code(0).out;
    let same =
        satir_on(&[&["equiv", path(&file), "-", "--runs", "9"], &bind[..]].concat(), &optimized).code(0);
    assert_eq!(same.out, "no difference in 9 runs\n");
    let wrong = optimized.replacen(" = B[", " = T.float32(1.0) + B[", 1);
    assert_ne!(wrong, optimized);
    satir_on(&[&["equiv", path(&file), "-"], &bind[..]].concat(), &wrong).fails_cleanly().says(&[
        "differ in function `main`",
        "--seed",
        "--bind",
    ]);

    let digest = |text: &str| {
        let out = satir_on(&[&["run", "--seed", "3"], &bind[..]].concat(), text).code(0).out;
        out.lines().find(|l| l.contains(" float32[60] ")).unwrap().to_owned()
    };
    assert_eq!(digest(&optimized), digest(&fs::read_to_string(&file).unwrap()));

    let ran = satir(&[&["count", path(&file), "--json"], &bind[..]].concat()).code(0);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let function = &json["functions"][0];
    // Six products in the text, for each of 60 elements.
    assert_eq!(function["static"]["mul"], 6);
    assert_eq!(function["dynamic"]["mul"], 360);
    assert_eq!(function["cost"]["dynamic_integer"], 60.0 * (6.0 * 3.0 + 4.0));
    satir(&["count", path(&file)]).fails_cleanly().says(&["`ni`", "--bind"]);
    satir(&["count", "--static", path(&file)]).code(0);
}

#[test]
fn a_run_that_stops_names_the_statement() {
    let text = with_body("A[0] = 1\nA[x] = 2");
    let ran = satir_on(&["run", "--bind", "x=64,f=0"], text).code(1);
    ran.says(&["<stdin>:4:5: error: ", "index 64 out of range", "A[x] = 2"]);
}

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
fn the_number_of_jobs_changes_no_byte() {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/kernels");
    let function = |name: &str| {
        let body = GOOD.split_once("    def main").unwrap().1;
        format!("    @T.prim_func(s_tir=True)\n    def {name}{body}")
    };
    let head = GOOD.split_once("    @T.prim_func").unwrap().0;
    let module = format!("{head}{}\n{}\n{}", function("first"), function("second"), function("third"));
    let results = ["1", "2", "7"].map(|jobs| {
        let dir = tempfile::tempdir().unwrap();
        let run = satir(&["cse", path(&kernels), "-o", path(dir.path()), "--jobs", jobs]).code(0);
        let programs: Vec<&str> = run.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
        let written: Vec<(String, String)> = programs
            .iter()
            .filter(|name| name.ends_with(".py"))
            .map(|name| ((*name).to_owned(), fs::read_to_string(dir.path().join(name)).unwrap()))
            .collect();
        assert!(written.len() > 20);
        let functions = satir_on(&["cse", "-j", jobs], &module).code(0).out;
        assert_eq!(functions.matches("cse_v1: T.let").count(), 3, "{functions}");
        (written, functions)
    });
    assert!(results.iter().all(|result| *result == results[0]));
    satir(&["cse", "--jobs", "0"]).code(2);
}

#[test]
fn a_folder_is_a_batch_and_a_bad_file_does_not_stop_it() {
    let dir = tempfile::tempdir().unwrap();
    let (input, output) = (dir.path().join("in"), dir.path().join("out"));
    fs::create_dir(&input).unwrap();
    for name in ["a.py", "c.py"] {
        fs::write(input.join(name), GOOD).unwrap();
    }
    fs::write(input.join("b.py"), "not a program").unwrap();
    fs::write(input.join("notes.txt"), "ignored").unwrap();
    let report = dir.path().join("report.json");
    let args = ["cse", path(&input), "-o", path(&output), "--mode", "syntactic", "--report", path(&report)];
    let ran = satir(&args).code(1).says(&["b.py:1:", "1 of 3 programs failed: b.py"]);
    assert!(ran.out.contains("3 programs, 1 failed"), "{}", ran.out);
    assert!(ran.out.contains("geometric mean"), "{}", ran.out);
    let mut written: Vec<String> = fs::read_dir(&output)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    written.sort();
    assert_eq!(written, ["a.py", "c.py"]);
    let one = satir_on(&["cse", "--mode", "syntactic"], GOOD).code(0).out;
    assert_eq!(fs::read_to_string(output.join("a.py")).unwrap(), one);
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(&report).unwrap()).unwrap();
    assert_eq!(json["programs"].as_array().unwrap().len(), 3);
    assert!(json["programs"][1]["error"].is_string());

    fs::remove_file(input.join("b.py")).unwrap();
    satir(&["cse", path(&input), "-o", path(&output)]).code(0);
}

#[test]
fn all_violations_are_reported_with_their_places() {
    let text = with_body("break\nA[0] = x\nfor i in range(x):\n    A[i] = i\ncontinue");
    for args in [&["cse"][..], &["opt", "--passes", ""], &["simplify"], &["run", "--bind", "x=1,f=0"]] {
        satir_on(args, &text).fails_cleanly().says(&["<stdin>:3:5: error: ", "<stdin>:7:5: error: "]);
    }
}

#[test]
fn what_rules_do_is_measured_over_programs() {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("bits.py");
    fs::write(&program, with_body("A[0] = T.bitwise_and(x * x, x * x) // 3")).unwrap();
    let rules = dir.path().join("mine.rules");
    let text = "(rule same-bits-mine \"x & x = x\" (types anyint) (=> (bitwise_and ?x ?x) ?x))\n";
    fs::write(&rules, text).unwrap();
    let (program, rules) = (path(&program), path(&rules));

    let plot = dir.path().join("plot.svg");
    let ran = satir(&["rules", "stats", program, "--plot", path(&plot)]).code(0);
    assert!(ran.out.contains("1 programs; ") && ran.out.contains("needed"), "{}", ran.out);
    assert!(fs::read_to_string(&plot).unwrap().starts_with("<svg "));
    let json: serde_json::Value =
        serde_json::from_str(&satir(&["rules", "stats", "--json", program]).code(0).out).unwrap();
    assert_eq!(json["programs"][0]["program"], "bits");
    assert!(json["rules"].as_array().unwrap().len() > 100);
    let csv = satir(&["rules", "stats", "--csv", program]).code(0).out;
    assert!(csv.starts_with("rule,set,programs,") && csv.lines().count() > 100);

    let table = satir(&["rules", "ablate", program]).code(0).out;
    assert!(table.contains("1 programs, cost of results"), "{table}");
    let none = format!("none,{rules}");
    let table = satir(&["rules", "compare", "none", &none, program]).code(0).out;
    assert!(table.contains("1 programs: B is cheaper in 1, dearer in 0"), "{table}");
    let table = satir(&["rules", "compare", &none, &format!("{none},-same-bits-mine"), program]).code(0).out;
    assert!(table.contains("B is cheaper in 0, dearer in 1"), "{table}");
    satir(&["rules", "compare", "none", "default,+no-such-set", program]).fails_cleanly();
    satir(&["rules", "ablate"]).code(2);
}

#[test]
fn what_rules_do_is_measured_over_expressions() {
    let dir = tempfile::tempdir().unwrap();
    let table = dir.path().join("table.jsonl");
    let line = r#"{"id": "same", "vars": {"x": {"dtype": "int32"}}, "expr": "T.bitwise_and(x, x) * 5"}"#;
    fs::write(&table, format!("{line}\n\n")).unwrap();
    let ran = satir(&["rules", "compare", "none", "default", path(&table)]).code(0);
    assert!(ran.out.contains("table:same") && ran.out.contains("B is cheaper in 1"), "{}", ran.out);
    // A program beside it counts as one more.
    let program = "examples/kernels/unrolled_copy.py";
    let ran = satir(&["rules", "compare", "none", "default", path(&table), program]).code(0);
    assert!(ran.out.contains("2 programs: B is cheaper in 1"), "{}", ran.out);
    fs::write(&table, format!("{line}\n{{\"expr\": \"x\"}}\n")).unwrap();
    satir(&["rules", "ablate", path(&table)]).fails_cleanly().says(&["table.jsonl:2: error: "]);
}

#[test]
fn suggested_rules_are_a_rule_file_that_passes_the_check() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("new.rules");
    let args = ["rules", "suggest", "--ops", "floordiv,min,max", "--limit", "5", "-o", path(&file)];
    satir(&args).code(0);
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches("(rule suggested-").count(), 5, "{text}");
    let ran = satir(&["rules", "check", "--no-smt", path(&file)]).code(0);
    assert!(ran.out.contains("5 rules") && ran.out.contains("0 refuted"), "{}", ran.out);
    satir(&["rules", "suggest", "--ops", "plus"]).code(2).says(&["no operator `plus`", "floordiv"]);
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
    satir(&["cse", path(&kernels()), "--report", path(&page)])
        .code(2)
        .says(&["the report on a folder is JSON"]);
    satir(&["opt", "--passes", "simplify", path(&file), "--report", path(&page)]).code(2);
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
    satir_on(&["cse", "--emit", "egraph-dot"], &text).code(2).says(&["go together"]);
}

#[test]
fn completions_and_manual_pages_name_every_command() {
    let commands = ["cse", "simplify", "opt", "expr", "count", "run", "equiv", "rules"];
    for shell in ["bash", "zsh", "fish"] {
        let text = satir(&["completions", shell]).code(0).out;
        for command in commands {
            assert!(text.contains(command), "{shell}: {command}");
        }
    }
    let page = satir(&["man"]).code(0).out;
    assert!(page.contains(".TH satir 1"), "{page}");
    let dir = tempfile::tempdir().unwrap();
    satir(&["man", "--folder", path(dir.path())]).code(0);
    for command in commands {
        assert!(dir.path().join(format!("satir-{command}.1")).is_file(), "{command}");
    }
    assert!(dir.path().join("satir-rules-check.1").is_file());
}

#[test]
fn rules_go_to_egg_and_egglog_and_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("back.rules");
    for notation in ["egg", "egglog"] {
        let text = satir(&["rules", "export", notation, "--only", "minmax"]).code(0).out;
        assert!(text.contains("rewrite"), "{text}");
        satir_on(&["rules", "import", notation, "-o", path(&file)], &text).code(0);
        let checked = satir(&["rules", "check", "--quick", "--no-smt", path(&file)]).code(0).out;
        assert!(checked.contains(" 0 refuted"), "{checked}");
    }
    satir_on(&["rules", "import", "egg", "--types", "no-such-class"], "(+ ?a 0) => ?a").fails_cleanly();
}
