//! Streams, files, exit codes: what is the same for all commands.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use super::{GOOD, command, kernels, path, ran, satir, satir_on};

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
        &["opt", "-O3"],
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
fn messages_begin_alike() {
    let missing = "no/such/file.py";
    for args in [
        &["cse", missing][..],
        &["expr", "--cost", missing],
        &["equiv", missing, missing],
        &["rules", "list", "--only", "nothing"],
        &["rules", "list", "--rules", missing],
        &["opt", "--passes", "no-such-pass"],
        &["cse", "--no-such-flag"],
        &["cse", "--of", "x"],
        &["run", missing],
        &["fuzz", "mutate", missing],
    ] {
        let ran = satir(args);
        assert_ne!(ran.code, 0, "{args:?}");
        assert!(ran.err.starts_with("error: "), "{args:?}: {}", ran.err);
    }
}

#[test]
fn how_much_is_said_is_chosen() {
    let quiet = satir_on(&["-q", "opt", "--passes", "simplify"], GOOD).code(0);
    let usual = satir_on(&["opt", "--passes", "simplify"], GOOD).code(0);
    let verbose = satir_on(&["opt", "--passes", "simplify", "-v"], GOOD).code(0).says(&["info: simplify: "]);
    assert_eq!((quiet.err.as_str(), usual.err.as_str()), ("", ""));
    assert!(quiet.out == usual.out && usual.out == verbose.out);
    satir_on(&["-q", "cse"], "no program").fails_cleanly();
    satir(&["-q", "-v", "cse"]).code(2);
}

#[test]
fn colors_are_chosen() {
    let plain = satir_on(&["cse"], "no program").code(1).err;
    assert!(!plain.contains('\x1b'), "{plain}");
    for args in [&["--color", "always", "cse"][..], &["cse", "--color=always"]] {
        let colored = satir_on(args, "no program").code(1).err;
        assert!(colored.contains("\x1b[1m\x1b[31merror:\x1b[0m"), "{colored:?}");
    }
    let usage = satir(&["--color=always", "cse", "--no-such-flag"]).code(2).err;
    assert!(usage.contains("\x1b["), "{usage:?}");
    let difference = satir_on(&["cse", "--diff", "--color=always"], GOOD).code(0).out;
    assert!(difference.contains("\x1b[32m+") && difference.contains("\x1b[31m-"), "{difference:?}");
    assert!(!satir_on(&["cse", "--diff"], GOOD).code(0).out.contains('\x1b'));
    satir(&["cse", "--color", "sometimes"]).code(2);
}

#[test]
fn values_of_names_that_do_not_exist_are_refused() {
    let file = kernels().join("strided_copy_3d.py");
    for command in [&["cse"][..], &["simplify"], &["opt", "--passes", ""], &["run"], &["count"]] {
        for (bind, words) in [
            ("ni=1,nj=1,nk=1,zzz=1", "`zzz`; there are `ni`, `nj`, `nk`"),
            ("ni=1,ni=1,nj=1,nk=1", "`ni` is given twice"),
        ] {
            let ran = satir(&[command, &[path(&file), "--bind", bind]].concat()).code(2).says(&[words]);
            assert_eq!(ran.out, "");
        }
    }
    let twice = ["cse", path(&file), "--bind", "ni=1", "--bind", "ni=2"];
    satir(&twice).code(2).says(&["`ni` is given twice"]);
    satir(&["equiv", path(&file), path(&file), "--bind", "zzz=1"]).code(2).says(&["`zzz`"]);
    let table = ["rules", "compare", "none", "none", path(&file), "--bind", "zzz=1"];
    satir(&table).code(2).says(&["`zzz`"]);
    // A loop's variable has no value that could be given.
    satir_on(&["cse", "--bind", "i=1"], GOOD).code(2).says(&["`i`; there are `x`, `y`"]);
}
