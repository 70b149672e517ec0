//! A compiler of one's own, described by what it makes of expressions: one for a processor without floor division, whose
//! loads add a constant for nothing and do no other arithmetic.
//!
//! `cargo run --example own_target`

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use satir::cse::{self, Options};
use satir::target::{Model, Reason, Target};

const PROGRAM: &str = r#"
@T.prim_func
def main(A: T.Buffer((64,), "int32"), B: T.Buffer(("m",), "int32")):
    m = T.int32()
    for i in range(64):
        A[i] = T.max(i // m, 3)
"#;

/// Runs the example.
pub fn main() -> anyhow::Result<()> {
    let module = satir::parse(PROGRAM)?;
    let optimized = |target| {
        let options = Options { target: Some(target), ..Options::default() };
        cse::run(&module, &options).map(|(result, _)| result.to_string())
    };
    // Of the reasons that there are, this is the one that counts for our processor.
    let ours = Model::NEUTRAL.with(&[Reason::TruncatedDivision]);
    let result = optimized(Target::Own(ours))?;
    println!("{result}");
    assert!(result.contains("T.Div(i, m)"), "both are not negative, so the quotient is the same");
    assert!(
        optimized(Target::Neutral)?.contains("i // m"),
        "by its weight alone the division stays as it is"
    );
    Ok(())
}
