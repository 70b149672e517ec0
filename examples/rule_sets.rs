//! Switching rules and sets on and off, and measuring what each brings.
//!
//! `cargo run --example rule_sets`

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use satir::cse::Options;
use satir::lab::{self, Program, Unit};
use satir::rules::RuleSet;

const CLAMPED: &str = r#"
@T.prim_func
def main(A: T.Buffer((64,), "int32"), x: T.int32, y: T.int32):
    A[0] = T.bitwise_and(x * y, y * x) // 3 + T.min(x * x, T.max(x * x, y))
"#;

const PLAIN: &str = r#"
@T.prim_func
def main(A: T.Buffer((64,), "int32"), x: T.int32, y: T.int32):
    A[x + y] = (y + x) * 2
"#;

/// Runs the example.
pub fn main() -> anyhow::Result<()> {
    let program =
        |name: &str, text| -> anyhow::Result<Program> { Ok(Program::new(name, satir::parse(text)?)) };
    let programs = [program("clamped", CLAMPED)?, program("plain", PLAIN)?];
    let options = Options::default();

    // Two sets of rules over the same programs.
    let all = RuleSet::embedded()?;
    let mut fewer = all.clone();
    fewer.disable("shift")?; // a set: the rules of rules/shift.rules
    fewer.disable("minmax")?;
    let comparison = lab::compare(&programs, &all, &fewer, &options)?;
    for p in &comparison.programs {
        println!(
            "{:<8} before {:>6}, all rules {:>6}, without two sets {:>6}",
            p.program, p.before, p.cost_a, p.cost_b
        );
    }
    assert_eq!(comparison.cheaper, 0);

    // What gets lost without each set, and which few rules are enough.
    let ablation = lab::ablate(&programs, &all, &options, Unit::Set)?;
    for set in ablation.units.iter().filter(|set| set.used_in > 0) {
        println!("without {:<12} {:+.1} % cost", set.name, (set.cost_without - 1.0) * 100.0);
    }
    let smallest = lab::smallest(&programs, &all, &options)?;
    println!("these rules are enough: {}", smallest.join(", "));
    assert!(smallest.len() < all.rules().count() / 10);
    Ok(())
}
