//! Why two expressions are equal, step by step; or why they were not found equal.
//!
//! `cargo run --example explain`

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use satir::arith::Interval;
use satir::cost::Profile;
use satir::explain::{Context, Missed};
use satir::ir::DType;
use satir::ir::build::FuncBuilder;
use satir::rules::RuleSet;
use satir::script::parse_expr;

/// Runs the example.
pub fn main() -> anyhow::Result<()> {
    // Three variables, the first of them between 0 and 15.
    let mut builder = FuncBuilder::new("main");
    for name in ["i", "x", "y"] {
        builder.param(name, DType::I32);
    }
    let mut func = builder.finish();
    let mut ranges = vec![Interval::ALL; func.vars.len()];
    ranges[0] = Interval::new(0, 15).ok_or_else(|| anyhow::anyhow!("an empty range"))?;

    let mut parse = |text: &str| parse_expr(text, &mut func);
    let equal = (parse("(x * 16 + i) // 16 + T.min(y, T.max(y, i))")?, parse("y + x")?);
    let unequal = (parse("x // 2 * 2")?, parse("x")?);

    let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
    let context = Context {
        func: &func,
        profile: &profile,
        rules: &rules,
        fast_math: false,
        ranges: &ranges,
        conds: &[],
    };
    let explanation = context.equal(&equal.0, &equal.1).ok_or_else(|| anyhow::anyhow!("not found equal"))?;
    println!("{explanation}\n");
    assert!(!explanation.left_steps.is_empty());

    // Here there is no explanation, but values for which the two differ.
    let missed = context.missed(&unequal.0, &unequal.1, &rules);
    println!("{missed}");
    assert!(matches!(missed, Missed::Differ { .. }));
    Ok(())
}
