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
        let programs: Vec<&str> = run.err.lines().filter_map(|line| line.split_whitespace().next()).collect();
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
    let ran = ran.says(&["3 programs, 1 failed", "geometric mean"]);
    assert_eq!(ran.out, "");
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

/// A folder with programs at several depths, one of which is ignored, and one with a mistake if that is wanted.
fn folder_of_programs(bad: bool) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for folder in [".git", "sub/deep"] {
        fs::create_dir_all(dir.path().join(folder)).unwrap();
    }
    for name in ["a.py", "sub/deep/b.py", "ignored.py"] {
        fs::write(dir.path().join(name), GOOD).unwrap();
    }
    fs::write(dir.path().join(".gitignore"), "ignored.py\n").unwrap();
    if bad {
        fs::write(dir.path().join("bad.py"), "not a program").unwrap();
    }
    dir
}

/// Every file below a folder, by its way from there.
fn files_below(folder: &Path) -> Vec<String> {
    let (mut files, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => files.push(path.strip_prefix(folder).unwrap().display().to_string()),
            }
        }
    }
    files.sort();
    files
}

#[test]
fn folders_are_searched_with_what_is_below_but_for_ignored_files() {
    let (dir, out) = (folder_of_programs(false), tempfile::tempdir().unwrap());
    satir(&["cse", path(dir.path()), "-o", path(out.path())]).code(0).says(&["2 programs, 0 failed"]);
    assert_eq!(files_below(out.path()), ["a.py", "sub/deep/b.py"]);
    // Results within the folder are not read again.
    let within = dir.path().join("results");
    for _ in 0..2 {
        satir(&["cse", path(dir.path()), "-o", path(&within)]).code(0).says(&["2 programs, 0 failed"]);
    }
}

#[test]
fn several_inputs_are_one_batch() {
    let (dir, out) = (folder_of_programs(false), tempfile::tempdir().unwrap());
    let (sub, a) = (dir.path().join("sub"), dir.path().join("a.py"));
    for command in ["cse", "simplify"] {
        satir(&[command, path(&sub), path(&a), "-o", path(out.path())])
            .code(0)
            .says(&["2 programs, 0 failed"]);
        assert_eq!(files_below(out.path()), ["a.py", "deep/b.py"]);
    }
    // Two results of one name would be one.
    let other = dir.path().join("sub/a.py");
    fs::write(&other, GOOD).unwrap();
    satir(&["cse", path(&a), path(&other), "-o", path(out.path())]).code(2).says(&["would be called a.py"]);
    satir(&["cse", path(&a), path(&other)]).code(0).says(&["2 programs, 0 failed"]);
    satir(&["cse", path(&a), "-"]).code(2).says(&["standard input"]);
}

#[test]
fn a_batch_without_a_folder_to_write_to_says_so() {
    let dir = folder_of_programs(false);
    let ran = satir(&["cse", path(dir.path())]).code(0).says(&["were not written", "-o", "geometric mean"]);
    assert_eq!(ran.out, "");
    assert_eq!(satir(&["cse", "-q", path(dir.path())]).code(0).err, "");
}

#[test]
fn files_of_a_batch_end_as_what_they_are() {
    let dir = folder_of_programs(false);
    for (options, expected) in [
        (&["--emit", "parsed"][..], "a.py"),
        (&["--emit", "syntactic"], "a.py"),
        (&["--emit", "report"], "a.json"),
        (&["--emit", "plan"], "a.txt"),
        (&["--emit", "egraph-dot", "--of", "x"], "a.dot"),
        (&["--emit", "egraph-svg", "--of", "x"], "a.svg"),
        (&["--emit", "egraph-json", "--of", "x"], "a.json"),
        (&["--explain-missed", "x", "y"], "a.txt"),
    ] {
        let out = tempfile::tempdir().unwrap();
        satir(&[&["cse", path(dir.path()), "-o", path(out.path())], options].concat()).code(0);
        assert!(files_below(out.path()).contains(&expected.to_owned()), "{options:?}");
    }
}

#[test]
fn check_and_diff_show_what_would_change_and_write_nothing() {
    let dir = folder_of_programs(false);
    let a = dir.path().join("a.py");
    let ran = satir(&["cse", "--diff", path(&a)]).code(0);
    assert!(ran.out.starts_with(&format!("--- {0}\n+++ {0}\n@@ ", path(&a))), "{}", ran.out);
    assert!(ran.out.contains("\n+        cse_v1: T.let[T.int32] = x * 3 + y\n"), "{}", ran.out);
    assert!(ran.out.contains("\n-        A[x * 3 + y] = x * 3 + y\n"), "{}", ran.out);
    let ran = satir(&["cse", "--check", path(&a)]).code(1).says(&["a.py would change"]);
    assert_eq!(ran.out, "");
    let both = satir(&["cse", "--check", "--diff", path(dir.path())]).code(1);
    assert_eq!(both.out.matches("\n+++ ").count(), 2, "{}", both.out);
    assert_eq!(fs::read_to_string(&a).unwrap(), GOOD);

    // What satir made does not change again; comments and layout do not count.
    let done = satir(&["cse", path(&a)]).code(0).out;
    let done = done.replace("= x * 3 + y\n", "=   x*3 + y  # a comment\n");
    for options in
        [&["cse", "--check", "--diff"][..], &["simplify", "--check"], &["opt", "--passes", "", "--diff"]]
    {
        let ran = satir_on(options, &done).code(0);
        assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
    }
    satir(&["cse", "--diff", path(&a), "-o", "out.py"]).code(2);
    satir(&["cse", "--check", "--emit", "plan", path(&a)]).code(2).says(&["`--check` and `--emit plan`"]);
    // A program with a mistake is a failure.
    let bad = folder_of_programs(true);
    satir(&["opt", "--passes", "", "--check", path(bad.path())]).code(1).says(&["bad.py:1:"]);
}

#[test]
fn values_are_for_names_that_some_program_has() {
    let dir = folder_of_programs(true);
    let other = GOOD.replace("x", "width");
    fs::write(dir.path().join("a.py"), other).unwrap();
    satir(&["cse", path(dir.path()), "--bind", "width=3,x=4", "-q"]).code(1).says(&["bad.py:1:"]);
    let ran = satir(&["cse", path(dir.path()), "--bind", "width=3,zzz=1"]).code(2);
    ran.says(&["no function has a size or scalar parameter `zzz`", "`width`, `x`, `y`"]);
}
