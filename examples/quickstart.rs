//! Semantic CSE by one call: parse, optimize, print.
//!
//! `cargo run --example quickstart`

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use satir::cse::{self, Options};

const PROGRAM: &str = r#"
@T.prim_func
def main(A: T.Buffer((4096,), "float32"), B: T.Buffer((4096,), "float32"), n: T.int32):
    T.func_attr({"tirx.noalias": True})
    for i, j in T.grid(16, 16):
        A[i * n + j] = B[j + n * i] + T.float32(1)
        A[(i * n + j) * 2] = B[(2 * i) * n + 2 * j]
"#;

/// Runs the example.
pub fn main() -> anyhow::Result<()> {
    // A mistake in the text is an error with its line and column.
    let module = satir::parse(PROGRAM)?;

    // `i * n + j` and `j + n * i` are equal though they are written otherwise: both are found.
    let (optimized, report) = cse::run(&module, &Options::default())?;
    println!("{optimized}");

    // The report says what was bound, what that replaced, and what it saves.
    println!("estimated cost {} -> {}", report.cost_before(), report.cost_after());
    for binding in &report.functions[0].bindings {
        println!("{} = {}: saves {}", binding.name, binding.value, binding.saved);
    }
    assert!(report.cost_after() < report.cost_before());
    assert!(!report.functions[0].bindings.is_empty());
    Ok(())
}
