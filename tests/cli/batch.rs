//! Folders of programs.

use std::fs;
use std::path::Path;

use super::{GOOD, path, satir, satir_on};

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
