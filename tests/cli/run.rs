//! `satir run`, `satir count` and `satir equiv`.

use std::fs;

use std::path::Path;

use super::{kernels, path, satir, satir_on, with_body};

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
fn the_exit_code_of_a_comparison_is_that_of_cmp() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let file = dir.path().join(name);
        fs::write(&file, text).unwrap();
        file
    };
    let one = file("one.py", &with_body("A[0] = x"));
    let same = file("same.py", &with_body("A[0] = x + 0"));
    let other = file("other.py", &with_body("A[0] = x + 1"));
    let bad = file("bad.py", "no program");
    let stops = file("stops.py", &with_body("A[64] = x"));
    let equiv = |a: &Path, b: &Path| satir(&["equiv", "--bind", "x=1,f=0", path(a), path(b)]);
    equiv(&one, &same).code(0);
    equiv(&one, &other).code(1).says(&["error: the programs differ"]);
    equiv(&one, &bad).code(2).says(&["bad.py:1:"]);
    equiv(&one, &dir.path().join("missing.py")).code(2).says(&["cannot read"]);
    equiv(&stops, &stops).code(2).says(&["nothing was compared"]);
    satir(&["equiv", "--json", "--bind", "x=1,f=0", path(&one), path(&other)]).code(1);
}

#[test]
fn constraints_are_on_buffers_that_exist() {
    let text = "@T.prim_func\ndef main(A: T.Buffer((4,), \"int32\"), B: T.Buffer((4,), \"int32\")):\n    A[0] = B[0]\n";
    let constraint =
        |name: &str, more: &str| format!(r#"{{"{name}": {{"kind": "randint", "lo": 0, "hi": 9{more}}}}}"#);
    for command in ["run", "count"] {
        let run = |json: &str| satir_on(&[command, "--constraints", json], text);
        run(&constraint("B", "")).code(0);
        run(&constraint("C", "")).code(2).says(&["--constraints: no function has a buffer `C`"]);
        run(&constraint("B", ", \"step\": 2")).code(2).says(&["unknown field `step`"]);
        let twice = constraint("B", "").replacen('{', r#"{"B": {"kind": "values", "values": [1]}, "#, 1);
        run(&twice).code(2).says(&["`B` is given twice"]);
    }
}
