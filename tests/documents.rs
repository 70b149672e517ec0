//! Runs every `satir` command that the documents and the help texts show, so that none of them stays when it has stopped
//! working. Each document gets a folder of its own with the files that the commands name.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rayon::prelude::*;

/// A forward function and its backward function.
const BOTH: &str = r#"
@T.prim_func
def f(x: T.Buffer((64,)), y: T.Buffer((64,))):
    T.func_attr({"tirx.noalias": True})
    for i in range(64):
        y[i] = T.tanh(x[i])

@T.prim_func
def g(x: T.Buffer((64,)), dy: T.Buffer((64,)), dx: T.Buffer((64,))):
    T.func_attr({"tirx.noalias": True})
    for i in range(64):
        dx[i] = dy[i] * (T.float32(1) - T.tanh(x[i]) * T.tanh(x[i]))
"#;

/// The program that the texts call `kernel.py`, with the names that their options use.
const KERNEL: &str = r#"
@T.prim_func
def main(A: T.Buffer(("n", 16), "int32"), B: T.Buffer(("n", 16), "int32")):
    T.func_attr({"tirx.noalias": True})
    n = T.int32()
    for i, j in T.grid(n, 16):
        A[i, j] = B[i, j] * (i * 4 + j) + (j + i * 4) // n
"#;

/// An expression for the tables that the texts call `expressions.jsonl`.
const EXPRESSION: &str =
    r#"{"id": 1, "vars": {"x": {"dtype": "int32", "min": 0, "max": 7}}, "expr": "(x + 8) // 4"}"#;

/// Rules for what the texts call `math.egg`.
const EGGLOG: &str = "(rewrite (Add a (Num 0)) a)\n(rewrite (Mul a b) (Mul b a))\n";

/// What the placeholders of the documents stand for here.
const PLACEHOLDERS: &[(&str, &str)] = &[
    ("--passes …", "--passes verify kernel.py"),
    ("…", "kernel.py"),
    ("[INPUT]", "kernel.py"),
    ("[FILE]", "mine.rules"),
    ("[EXPR]", "x"),
    ("[PROGRAMS]", "kernels/"),
    ("PROGRAMS", "kernels/"),
    ("A,B", "simplify,verify"),
    ("compare A B", "compare none default"),
    ("equiv A B", "equiv kernel.py kernels/copy.py"),
    ("FOLDER -o OUT", "kernels/ -o out"),
    ("COMMAND", "cse"),
    ("SHELL", "bash"),
    ("NOTATION FILE", "egglog math.egg"),
    ("NOTATION", "egg"),
    ("DIR", "kernels/"),
];

/// The documents with commands in them.
const DOCUMENTS: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "BENCHMARKS.md",
    "examples/README.md",
    "rules/README.md",
    "rules/ABLATION.md",
    "python/README.md",
];

#[test]
fn commands_of_the_documents_run() {
    let run: usize =
        DOCUMENTS.par_iter().map(|document| run_in_order(document, &commands_of(&read(document)))).sum();
    // That many are found: the texts are searched as they should be.
    assert!(run >= 35, "only {run} commands found");
}

#[test]
fn commands_of_the_help_texts_run() {
    let run: usize = all_commands()
        .par_iter()
        .map(|path| run_in_order(&format!("satir {} --help", path.join(" ")), &examples_of(&help(path))))
        .sum();
    assert!(run >= 40, "only {run} commands found");
}

/// Runs the commands of a text one after the other, in a folder of their own. Returns how many there are.
fn run_in_order(text: &str, commands: &[String]) -> usize {
    let workplace = Workplace::new();
    commands.iter().for_each(|command| workplace.run(text, command));
    commands.len()
}

#[test]
fn every_command_has_an_example_in_its_help() {
    for path in all_commands() {
        let shown = format!("satir {}", path.join(" "));
        let examples = examples_of(&help(&path));
        assert!(examples.iter().any(|e| e.contains(&shown)), "`{shown} --help` shows no example");
    }
}

#[test]
fn options_that_the_documents_name_exist() {
    let known: BTreeSet<String> = all_commands().iter().flat_map(|path| options_in(&help(path))).collect();
    // Of BENCHMARKS.md the options are those of the scripts that make it.
    for document in DOCUMENTS.iter().filter(|document| **document != "BENCHMARKS.md") {
        // Options of other programs are named with these.
        let ours = |span: &&String| {
            !["cargo ", "python", "benches/", "pip ", "maturin "].iter().any(|other| span.contains(other))
        };
        for span in spans(&read(document)).iter().filter(ours) {
            for option in options_in(span) {
                assert!(known.contains(&option), "{document}: no command has the option `{option}`");
            }
        }
    }
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    let readme = read("README.md");
    let shown = readme.split("makes of it").nth(1).unwrap().split("```").nth(1).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_satir"))
        .args(["cse", &root().join("examples/kernels/unrolled_copy.py").to_string_lossy()])
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let mut lines = printed.lines().map(str::trim);
    for line in shown.lines().skip(1).map(str::trim).filter(|line| *line != "...") {
        assert!(lines.any(|printed| printed == line), "`{line}` is not printed there:\n{printed}");
    }
}

/// A program that stands behind a command in the tutorial is a part of what the command prints.
#[test]
fn the_tutorial_shows_what_passes_print() {
    let tutorial = read("examples/README.md");
    let blocks: Vec<&str> = tutorial.split("```").skip(1).step_by(2).collect();
    let mut shown = 0;
    for pair in blocks.windows(2) {
        let (Some(command), Some(program)) =
            (pair[0].strip_prefix("sh\nsatir opt "), pair[1].strip_prefix("python\n"))
        else {
            continue;
        };
        // A report is written by the other test.
        let words = command.split_whitespace().filter(|word| !["--report", "plan.html"].contains(word));
        let output = Command::new(env!("CARGO_BIN_EXE_satir"))
            .arg("opt")
            .args(words)
            .current_dir(root())
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.contains(program.trim_end()), "{command} prints something else:\n{printed}");
        shown += 1;
    }
    assert_eq!(shown, 4);
}

/// A folder in which the commands of the documents find what they name.
struct Workplace {
    folder: tempfile::TempDir,
}

impl Workplace {
    fn new() -> Workplace {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in [
            "bin",
            "benches",
            "kernels",
            "corpus/precse",
            "examples",
            ".local/share/bash-completion/completions",
            ".local/share/man/man1",
            ".zfunc",
            ".config/fish/completions",
        ] {
            fs::create_dir_all(at(name)).unwrap();
        }
        for name in ["kernel.py", "kernels/kernel.py", "kernels/copy.py", "corpus/precse/kernel.py"] {
            fs::write(at(name), KERNEL).unwrap();
        }
        fs::write(at("both.py"), BOTH).unwrap();
        fs::write(at("expressions.jsonl"), EXPRESSION).unwrap();
        fs::write(at("math.egg"), EGGLOG).unwrap();
        // The rule that the tutorial writes.
        let tutorial = read("examples/README.md");
        let rule = tutorial.split("```").find(|block| block.trim_start().starts_with("(rule")).unwrap();
        fs::write(at("mine.rules"), rule).unwrap();
        for name in ["examples/kernels", "examples/padding", "benches/rules", "rules", "tests"] {
            symlink(root().join(name), at(name)).unwrap();
        }
        symlink(env!("CARGO_BIN_EXE_satir"), at("bin/satir")).unwrap();
        // Whether a machine has `man` and z3 is not what is tested.
        for (name, script) in [("man", "#!/bin/sh\nexec cat\n"), ("z3", "#!/bin/sh\nexit 1\n")] {
            fs::write(at("bin").join(name), script).unwrap();
            fs::set_permissions(at("bin").join(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        Workplace { folder }
    }

    /// Runs a command as a shell does and asks that it succeeds.
    fn run(&self, document: &str, command: &str) {
        let line = smaller(&filled(document, command));
        let bin = self.folder.path().join("bin");
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
        let Output { status, stderr, .. } = Command::new("sh")
            .args(["-e", "-c", &line])
            .current_dir(&self.folder)
            .env("PATH", path)
            .env("HOME", self.folder.path())
            .env_remove("RUST_LOG")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .output()
            .unwrap();
        let messages = String::from_utf8_lossy(&stderr);
        // A pipe's status is that of its last command; a failure of an earlier one is seen by its message.
        assert!(
            status.success() && !messages.contains("error: "),
            "{document}: `{command}` failed, run as `{line}`:\n{messages}"
        );
    }
}

/// The command with values for its placeholders.
fn filled(document: &str, command: &str) -> String {
    let mut line = command.to_owned();
    for (placeholder, value) in PLACEHOLDERS {
        line = line.replace(placeholder, value);
    }
    let placeholder = |word: &&str| word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase());
    if let Some(word) = line.split([' ', '[', ']']).find(placeholder) {
        panic!("{document}: `{command}`: PLACEHOLDERS of tests/documents.rs has nothing for `{word}`");
    }
    line
}

/// The same command with less to do, where it would take long: at most 20 random programs, and of the check of all rules
/// only that of one set.
fn smaller(line: &str) -> String {
    let mut words: Vec<&str> = line.split(' ').collect();
    if words.starts_with(&["satir", "fuzz"]) {
        match words.iter().position(|&word| word == "--count") {
            Some(at) if words[at + 1].parse::<u64>().unwrap() > 20 => words[at + 1] = "20",
            Some(_) => {}
            None => words.extend(["--count", "20"]),
        }
    }
    if words.starts_with(&["satir", "rules", "check"]) && words.iter().skip(3).all(|w| w.starts_with("--")) {
        words.extend(["--only", "floordiv"]);
    }
    words.join(" ")
}

/// The commands that a document shows: lines of its shell blocks, and spans of code that begin with `satir`.
fn commands_of(document: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let names: BTreeSet<Vec<String>> = all_commands().into_iter().collect();
    for block in document.split("```sh\n").skip(1) {
        let lines = block.split("```").next().unwrap().lines();
        commands.extend(lines.filter_map(|line| as_satir(line.split('#').next().unwrap().trim())));
    }
    for command in spans(document).iter().filter_map(|span| as_satir(span)) {
        // A bare name is no command to run, but there must be one of that name.
        let words: Vec<String> = command.split(' ').skip(1).map(str::to_owned).collect();
        let is_name = words.iter().all(|w| w.chars().all(|c| c.is_ascii_lowercase()))
            && !words.contains(&"bash".into());
        if is_name {
            assert!(names.contains(&words), "there is no command `{command}`");
        } else {
            commands.push(command);
        }
    }
    commands
}

/// A line of a shell as a call of `satir`, if it is one.
fn as_satir(line: &str) -> Option<String> {
    for cargo in ["cargo run --release -- ", "cargo run -- "] {
        if let Some(rest) = line.strip_prefix(cargo) {
            return Some(format!("satir {rest}"));
        }
    }
    line.starts_with("satir ").then(|| line.to_owned())
}

/// What stands between single backquotes, outside of blocks.
fn spans(document: &str) -> Vec<String> {
    let prose: String = document.split("```").step_by(2).collect();
    prose.lines().flat_map(|line| line.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// The long options that occur in a text.
fn options_in(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_lowercase() || c == '-';
    text.split(|c| !is_part(c))
        .filter(|word| word.starts_with("--") && word.len() > 2)
        .map(str::to_owned)
        .collect()
}

/// The names of all commands, the program itself among them as an empty one.
fn all_commands() -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    let mut at = 0;
    while at < all.len() {
        let path: Vec<String> = all[at].clone();
        let text = help(&path);
        let listed = text.lines().skip_while(|line| *line != "Commands:").skip(1);
        for line in listed.take_while(|line| !line.is_empty()) {
            let name = line.split_whitespace().next().unwrap();
            if name != "help" {
                all.push(path.iter().cloned().chain([name.to_owned()]).collect());
            }
        }
        at += 1;
    }
    all
}

/// What `--help` of a command prints.
fn help(path: &[String]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_satir")).args(path).arg("--help").output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// The commands that a help text shows under its title `Example`.
fn examples_of(help: &str) -> Vec<String> {
    help.lines()
        .skip_while(|line| !line.starts_with("Example"))
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .map(|line| line.trim().to_owned())
        .collect()
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}
