//! The check of rules as a user sees it: wrong rules are refuted with their counterexample.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use satir::rules::check::{self, Proof, Verdict};
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

/// The rules that experiments compare with ours.
#[test]
fn sets_of_experiments_are_sound() {
    let rules = RuleSet::load(&[concat!(env!("CARGO_MANIFEST_DIR"), "/benches/rules/sets")]).unwrap();
    let all: Vec<&Rule> = rules.all_rules().collect();
    assert!(rules.sets().len() >= 4 && all.len() > 150);
    let report = check::run(&all, check::QUICK);
    assert!(report.is_ok(), "{report}");
}

#[test]
fn a_counterexample_is_printed() {
    let rules = wrong();
    let show = |name: &str| {
        let rule: Vec<&Rule> = rules.all_rules().filter(|rule| &*rule.name == name).collect();
        let report = check::run(&rule, check::QUICK);
        let found = report.rules[0].instances.iter().find_map(|instance| match &instance.verdict {
            Verdict::Refuted(counterexample) => Some(counterexample.to_string()),
            Verdict::Passed | Verdict::Exhausted | Verdict::NotApplicable => None,
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

/// Both judges find what is wrong. The solver must be on the path, as it is where the whole check runs (`.ci/run`).
#[test]
fn the_solver_refutes_wrong_rules_and_proves_right_ones() {
    let Ok(solver) = check::Solver::find(&std::env::var_os("PATH").unwrap_or_default()) else {
        println!("skipped: there is no z3 on the path");
        return;
    };
    let rules = wrong();
    let all: Vec<&Rule> = rules.all_rules().collect();
    let mut report = check::run(&all, check::QUICK);
    check::prove(&all, &mut report, &solver).unwrap();
    for rule in report.rules.iter().filter(|rule| rule.rule != "wrong-never") {
        for instance in &rule.instances {
            // Where all values were tried there is nothing to ask.
            let exhausted = instance.verdict == Verdict::Exhausted;
            assert!(exhausted || instance.proof.is_some(), "{} {}", rule.rule, instance.types);
            if let Verdict::Refuted(found) = &instance.verdict {
                let agrees = matches!(&instance.proof, Some(Proof::Refuted(_) | Proof::Undecided(_)));
                assert!(agrees, "{found}\n{:?}", instance.proof);
            }
        }
        let refuted = |i: &check::InstanceReport| matches!(&i.proof, Some(Proof::Refuted(_)));
        assert!(rule.instances.iter().any(refuted), "{}: not refuted by the solver\n{report}", rule.rule);
    }
    let text = report.to_string();
    assert!(text.contains("rule `wrong-bound` is wrong for index: ?x = "), "{text}");

    let rules = RuleSet::embedded().unwrap();
    let some: Vec<&Rule> = rules.all_rules().filter(|rule| &*rule.set == "identity").collect();
    let mut report = check::run(&some, check::QUICK);
    check::prove(&some, &mut report, &solver).unwrap();
    let summary = report.summary();
    assert_eq!(summary.refuted, 0, "{report}");
    assert!(summary.proven * 10 > summary.instances * 8, "{report}");
}
