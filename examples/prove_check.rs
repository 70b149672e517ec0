//! Proving a boundary check: where a loop's range implies it, it goes.
//!
//! `cargo run --example prove_check`

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::ops::ControlFlow;

use satir::cse::Options;
use satir::passes;

/// The loop is split into tiles of 16; the guard keeps the last tile inside, or so it seems: `n * 16` elements are
/// always whole tiles. The second guard is needed.
const PROGRAM: &str = r#"
@T.prim_func
def main(A: T.Buffer((4096,), "float32"), n: T.int32, m: T.int32):
    for i in range(n):
        for j in range(16):
            if i * 16 + j < n * 16:
                A[i * 16 + j] = T.float32(0)
            if i * 16 + j < m:
                A[i * 16 + j] = T.float32(1)
"#;

/// Runs the example.
pub fn main() -> anyhow::Result<()> {
    let module = satir::parse(PROGRAM)?;
    // Passes go by name, as in `satir opt --passes simplify`; the program is verified after each.
    let module =
        passes::run_observed(&module, &passes::select("simplify")?, &Options::default(), |step, _| {
            println!("{}: changed the program: {}", step.pass, step.changed);
            ControlFlow::Continue(())
        })?;
    println!("{module}");
    let text = module.to_string();
    assert!(!text.contains("< n * 16"), "the first guard is proven");
    assert!(text.contains("< m"), "the second is not");
    Ok(())
}
