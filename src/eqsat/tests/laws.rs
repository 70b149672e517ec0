//! The laws of the theory as rules (`src/egraph/axioms.rules`): each law is stated, and each statement holds.

use crate::egraph::Axiom;
use crate::rules::check::{self, Proof};
use crate::rules::{Rule, RuleSet};

fn stated() -> RuleSet {
    let mut rules = RuleSet::empty();
    rules.extend_with_text("axioms.rules", include_str!("../../egraph/axioms.rules")).unwrap();
    rules
}

/// The name of a law in that file: `QuotientByOne` is `quotient-by-one`.
fn name_of(law: Axiom) -> String {
    let mut name = String::new();
    for c in format!("{law:?}").chars() {
        if c.is_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.extend(c.to_lowercase());
    }
    name
}

#[test]
fn each_law_is_stated() {
    let rules = stated();
    let laws: Vec<String> = Axiom::ALL.iter().map(|&law| name_of(law)).collect();
    let of = |rule: &Rule| {
        laws.iter().position(|law| *law == *rule.name || rule.name.starts_with(&format!("{law}-")))
    };
    for law in &laws {
        assert!(rules.all_rules().any(|rule| *rule.name == **law), "`{law}` has no statement");
    }
    for rule in rules.all_rules() {
        assert!(of(rule).is_some(), "`{}` states no law", rule.name);
    }
}

/// By trying values, and by z3 where it is on the path, as it is where the whole check runs (`.ci/run`).
#[test]
fn each_statement_holds() {
    let rules = stated();
    let all: Vec<&Rule> = rules.all_rules().collect();
    let mut report = check::run(&all, check::QUICK);
    assert_eq!(report.summary().refuted, 0, "{report}");
    let Ok(solver) = check::Solver::find(&std::env::var_os("PATH").unwrap_or_default()) else { return };
    check::prove(&all, &mut report, &solver).unwrap();
    for rule in &report.rules {
        for instance in &rule.instances {
            let exhausted = instance.verdict == check::Verdict::Exhausted;
            let proven = exhausted || matches!(instance.proof, Some(Proof::Proven));
            assert!(proven, "{} {} is not proven\n{report}", rule.rule, instance.types);
        }
    }
}
