//! A cost profile of one's own: where multiplication is cheap and bindings are dear, less is shared.
//!
//! `cargo run --example custom_cost`

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use satir::cost::Profile;
use satir::cse::{self, Options};

const PROGRAM: &str = r#"
@T.prim_func
def main(A: T.Buffer((64,), "int32"), x: T.int32, y: T.int32):
    A[0] = x * y
    A[1] = x * y + 1
"#;

/// Runs the example.
pub fn main() -> anyhow::Result<()> {
    let module = satir::parse(PROGRAM)?;
    let bindings = |profile: Profile| -> anyhow::Result<usize> {
        let (optimized, report) = cse::run(&module, &Options { profile, ..Options::default() })?;
        println!("{optimized}");
        Ok(report.functions[0].bindings.len())
    };
    // With the default weights the product is shared.
    assert_eq!(bindings(Profile::default())?, 1);

    // Weights that a file leaves out have their defaults; `satir cse --cost FILE` reads the same format.
    let registers_are_dear = Profile::from_json(r#"{ "weights": { "mul": 1, "bind": 5 } }"#)?;
    assert_eq!(bindings(registers_are_dear)?, 0);
    Ok(())
}
