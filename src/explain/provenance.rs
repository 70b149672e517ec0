//! Why two expressions are equal, read off the log of a graph in which they were found to be.

use indexmap::IndexSet;

use super::derive::{Deriver, fewest};
use super::{Law, NODES, Reason, RuleName};
use crate::analysis::known::Known;
use crate::arith::Interval;
use crate::egraph::{Area, Axiom, Proofs, Settings, TheoryLevel};
use crate::encode::lower_at;
use crate::eqsat;
use crate::ir::Expr;
use crate::rewrite::Rewrites;
use crate::rules::Rule;

/// The most steps of a proof that are read.
const MAX_PROOF: usize = 10_000;

/// The most laws that are named.
const MAX_LAWS: usize = 3;

impl Deriver<'_> {
    /// The rules and laws by which one graph of the two expressions unites them; `None` if it does not.
    pub(super) fn reason(&self, a: &Expr, b: &Expr) -> Option<Reason> {
        let rewrites = self.rewrites();
        let facts = self.conds.iter().map(|cond| (cond.clone(), true)).collect();
        let known = Known { ranges: self.ranges.to_vec().into(), facts, ..Known::default() };
        let settings = Settings { logged: true, ..rewrites.settings() };
        let mut lowered = lower_at(self.func, self.profile, &known, &[a, b], settings);
        eqsat::saturate(&mut lowered, rewrites, NODES);
        if lowered.graph.analysis.contradictions > 0 {
            return None;
        }
        let proofs = Proofs::new(&lowered.graph)?;
        let [.., first, second] = proofs.roots()[..] else { return None };
        let proof = proofs.reasons(first, second, MAX_PROOF)?;
        let laws: IndexSet<Axiom> = proof.axioms().collect();
        if laws.iter().all(|law| law.area() == Area::Sums) && self.in_one_ring(a, b) {
            return Some(Reason::Ring);
        }
        // A normal form holds what earlier unions made of its terms, so a proof that uses one may take any rule before it.
        let numbers: IndexSet<u32> = match proof.by_normal_form {
            Some(time) => proof.rules().chain(proofs.rules_before(time)).collect(),
            None => proof.rules().collect(),
        };
        let mut names: Vec<String> = numbers.into_iter().map(|number| rewrites.rule_name(number)).collect();
        names.dedup();
        let kept: Vec<&Rule> = self.used().filter(|r| names.iter().any(|name| **name == *r.name)).collect();
        let certain = proof.by_normal_form.is_none() && kept.len() <= 1;
        let kept = if certain {
            kept
        } else {
            fewest(kept, |rules| {
                let rewrites = Rewrites::of_rules(rules.iter().copied());
                self.are_equal(a, b, rewrites.with_fast_math(self.fast_math))
            })
        };
        if kept.is_empty() {
            return Some(Reason::Theory(laws_of(&laws)));
        }
        let name = |rule: &Rule| RuleName { name: rule.name.to_string(), why: rule.why.to_string() };
        Some(Reason::Rules(kept.into_iter().map(name).collect()))
    }

    /// Whether the two have one normal form before anything is applied.
    fn in_one_ring(&self, a: &Expr, b: &Expr) -> bool {
        if a.dtype.is_bool() {
            return false;
        }
        let known = Known { ranges: vec![Interval::ALL; self.func.vars.len()].into(), ..Known::default() };
        let lowered = lower_at(self.func, self.profile, &known, &[a, b], TheoryLevel::Full);
        let [a, b] = &lowered.sites[..] else { return false };
        lowered.graph.find(a.class) == lowered.graph.find(b.class)
    }
}

/// The laws that say the most: those of sums go without saying where there are others.
fn laws_of(laws: &IndexSet<Axiom>) -> Vec<Law> {
    let law = |axiom: &Axiom| Law { about: axiom.area().name(), name: axiom.name() };
    let telling = laws.iter().filter(|law| law.area() != Area::Sums).take(MAX_LAWS);
    let telling: Vec<Law> = telling.map(law).collect();
    if telling.is_empty() { laws.iter().take(MAX_LAWS).map(law).collect() } else { telling }
}
