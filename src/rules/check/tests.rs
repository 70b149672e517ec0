//! Every embedded rule is tested; wrong rules must be caught.

use super::*;
use crate::rules::RuleSet;

#[test]
fn embedded_rules_hold() {
    let rules = RuleSet::embedded().unwrap();
    let all: Vec<&Rule> = rules.all_rules().collect();
    let report = run(&all, QUICK);
    println!("{}", report.summary());
    assert!(report.is_ok(), "{report}");
}
