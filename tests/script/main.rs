//! TVMScript: what parses, how it prints, what errors say, and that nothing panics.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

mod errors;
mod limits;
mod mistakes;
mod mutations;
mod print;
mod programs;

/// Parses and prints.
fn reprint(text: &str) -> String {
    match satir::script::parse("test.py", text) {
        Ok(module) => module.to_string(),
        Err(e) => panic!("{e}\n\nin\n{text}"),
    }
}

/// A function of these statements, with parameters for them to use.
fn function(body: &str) -> String {
    let mut text = String::from(
        "@T.prim_func(s_tir=True)\ndef main(A: T.Buffer((16, 16), \"float32\"), B: T.Buffer((64,), \"int32\"), \
         n: T.int32, m: T.int32, q: T.int64, x: T.float32, b: T.bool, p: T.handle):\n",
    );
    for line in body.trim_matches('\n').lines() {
        text.push_str("    ");
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// What the printed body of such a function is.
fn body(statements: &str) -> String {
    let printed = reprint(&function(statements));
    let lines: Vec<&str> = printed.lines().collect();
    let start = lines.iter().position(|l| l.trim_start().starts_with("def ")).unwrap() + 1;
    lines[start..].iter().map(|l| l.strip_prefix("        ").unwrap_or(l)).collect::<Vec<_>>().join("\n")
}
