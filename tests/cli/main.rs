//! The command line as a user sees it: streams, files, exit codes, messages. Each test runs the built program.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

mod batch;
mod certificate;
mod checked;
mod cse;
mod expr;
mod mistakes;
mod passes;
mod report;
mod rules;
mod run;
mod streams;
mod theory;

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

/// A function of one buffer and two scalars with this body.
fn with_body(body: &str) -> String {
    let head = "@T.prim_func\ndef main(A: T.Buffer((64,), \"int32\"), x: T.int32, f: T.float32):\n";
    body.lines().fold(head.to_owned(), |text, line| format!("{text}    {line}\n"))
}
