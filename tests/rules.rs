//! The check of rules as a user sees it: wrong rules are refuted with their counterexample.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use satir::rules::check::{self, Verdict};
use satir::rules::{Rule, RuleSet};

fn wrong() -> RuleSet {
    RuleSet::load(&[concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rules/wrong.rules")]).unwrap()
}

#[test]
fn every_wrong_rule_is_refuted() {
    let rules = wrong();
    let all: Vec<&Rule> = rules.all_rules().collect();
    let report = check::run(&all, check::QUICK);
    for rule in &report.rules {
        let refuted = rule.instances.iter().any(check::InstanceReport::is_refuted);
        assert_eq!(refuted, rule.rule != "wrong-never", "{}\n{report}", rule.rule);
    }
    assert!(!report.is_ok());
    assert_eq!(report.summary().idle, 1);
}

#[test]
fn a_counterexample_is_printed() {
    let rules = wrong();
    let show = |name: &str| {
        let rule: Vec<&Rule> = rules.all_rules().filter(|rule| &*rule.name == name).collect();
        let report = check::run(&rule, check::QUICK);
        let found = report.rules[0].instances.iter().find_map(|instance| match &instance.verdict {
            Verdict::Refuted(counterexample) => Some(counterexample.to_string()),
            Verdict::Passed | Verdict::NotApplicable => None,
        });
        let found = found.unwrap();
        let (head, rest) = found.split_once('\n').unwrap();
        assert!(
            head.starts_with(&format!("rule `{name}` (")) && head.contains("tests/rules/wrong.rules:"),
            "{head}"
        );
        rest.to_owned()
    };
    assert_eq!(show("wrong-zero-divisor"), "  ?x = 0\n  (floordiv ?x ?x) = 0\n  1 = 1");
    for name in ["wrong-guard", "wrong-select", "wrong-new-divisor"] {
        assert!(show(name).ends_with("undefined (it traps or overflows)"), "{}", show(name));
    }
    assert!(show("wrong-guard").contains("?y = (traps)"), "{}", show("wrong-guard"));
    assert!(show("wrong-lane").contains("(lane "), "{}", show("wrong-lane"));
}
