//! Rules of one's own: written, checked, and used together with the built-in ones.
//!
//! `cargo run --example own_rules`

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::sync::Arc;

use satir::cse::{self, Options};
use satir::eqsat::Rewrites;
use satir::rules::{Rule, RuleSet, check};

/// Two identities of bits.
const RULES: &str = r#"
(set "identities of bits that our kernels need")
(rule bits-or-turned "every bit is set in one of the two"
  (types int) (=> (bitwise_or ?x (bitwise_not ?x)) -1))
(rule masked-or "bits outside of the mask come from x, those inside from x as well"
  (types anyint) (=> (bitwise_or (bitwise_and ?x ?m) (bitwise_and ?x (bitwise_not ?m))) ?x))
"#;

/// A rule that looks right and is not.
const WRONG: &str = r#"
(rule round-trip "wrong: the rest is lost"
  (types index) (=> (mul (floordiv ?x ?c) ?c) ?x) (if (nonzero ?c)))
"#;

const PROGRAM: &str = r#"
@T.prim_func
def main(A: T.Buffer((64,), "int32"), x: T.int32, m: T.int32):
    A[0] = T.bitwise_or(T.bitwise_and(x, m), T.bitwise_and(x, T.bitwise_not(m))) * 3
"#;

/// Runs the example.
pub fn main() -> anyhow::Result<()> {
    // The check evaluates both sides for many values and finds the mistake.
    let mut wrong = RuleSet::empty();
    wrong.extend_with_text("wrong.rules", WRONG)?;
    let rules: Vec<&Rule> = wrong.all_rules().collect();
    let report = check::run(&rules, check::QUICK);
    println!("{report}\n");
    assert!(!report.is_ok());

    // Ours pass.
    let mut ours = RuleSet::empty();
    ours.extend_with_text("bits.rules", RULES)?;
    let rules: Vec<&Rule> = ours.all_rules().collect();
    let report = check::run(&rules, check::QUICK);
    println!("{report}\n");
    assert!(report.is_ok());

    // A set joins the built-in ones; `satir cse --rules bits.rules` does the same.
    let mut all = RuleSet::embedded()?;
    all.extend_with_text("bits.rules", RULES)?;
    let options = Options { rewrites: Arc::new(Rewrites::new(&all)), ..Options::default() };
    let module = satir::parse(PROGRAM)?;
    let (optimized, _) = cse::run(&module, &options)?;
    println!("{optimized}");
    assert!(optimized.to_string().contains("A[0] = x * 3"));
    Ok(())
}
