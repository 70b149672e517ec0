//! Application of rules to a graph: all matches first, then what they build.

use std::time::Instant;

use egg::Id;

use super::build::{Built, add};
use super::matcher::Matcher;
use super::matching::Match;
use super::rule_index::{IndexedRule, Rewrites};
use crate::egraph::{
    Callees, Graph, Knowing, Node, Reason, TheoryLevel, canonical, is_full, rebuild_if_changed,
};
use crate::rules::Heads;
use crate::theory::has_constant;

/// The most matches of one rule that are applied in one round.
const MATCH_LIMIT: usize = 20_000;

/// Applies every rule once wherever it matches. Returns the number of classes united.
pub(crate) fn apply(
    graph: &mut Graph,
    callees: &mut Callees,
    rewrites: &Rewrites,
    node_limit: usize,
) -> usize {
    let classes: Vec<Id> = graph.classes().map(|c| c.id).collect();
    apply_to(&classes, Heads::ALL, graph, callees, rewrites, node_limit)
}

/// As [`apply`], to some classes and all that they need only, those rules that match one of the given operators.
pub(crate) fn apply_to(
    classes: &[Id],
    one_of: Heads,
    graph: &mut Graph,
    callees: &mut Callees,
    rewrites: &Rewrites,
    node_limit: usize,
) -> usize {
    let (level, graph_is_logged) = (graph.analysis.level, graph.is_logged());
    let mut found: Vec<Found<'_>> = Vec::new();
    {
        let matcher = Matcher::new(graph, callees);
        let mut heads = Heads::EMPTY;
        classes.iter().for_each(|&class| heads.insert_all(matcher.summary(class).heads));
        let applicable = rewrites.applicable(heads, one_of);
        let mut counts = vec![0; rewrites.rules()];
        let mut classes = classes.to_vec();
        classes.sort_unstable();
        let mut matches = Vec::new();
        for class in classes {
            if graph.analysis.is_late() {
                break;
            }
            // A constant has no better form.
            let class = &matcher.graph[class];
            let is_constant = match level {
                TheoryLevel::Full => matcher.graph.facts(class.id).interval.as_point().is_some(),
                TheoryLevel::None | TheoryLevel::Linear => has_constant(class),
            };
            if is_constant {
                continue;
            }
            for node in &class.nodes {
                let Some(head) = matcher.head(node) else { continue };
                for &prepared in &applicable[head.index()] {
                    let count = &mut counts[prepared.number];
                    if *count < MATCH_LIMIT {
                        let start = rewrites.observer().map(|_| Instant::now());
                        let new = matcher.apply(prepared, class.id, node, &mut matches);
                        *count += new;
                        if let (Some(observer), Some(start)) = (rewrites.observer(), start) {
                            observer.matched(prepared.index, matches.len(), start.elapsed());
                        }
                        if new > 0 {
                            let node = || graph_is_logged.then(|| Box::new(node.clone()));
                            found.extend(matches.drain(..).map(|(class, built)| Found {
                                class,
                                node: node(),
                                rule: prepared,
                                built,
                            }));
                        }
                    }
                }
            }
        }
    }
    let mut united = 0;
    for Found { class, node, rule: prepared, built } in found {
        let reason = Reason::Rule(u32::try_from(prepared.number).unwrap_or(u32::MAX));
        if is_full(graph, node_limit) {
            break;
        }
        let id = add(graph, callees, &built);
        if let Some(node) = node {
            graph.about(class, &canonical(graph, *node));
        }
        united += usize::from(graph.unite(class, id, reason));
    }
    rebuild_if_changed(graph);
    united
}

/// A match of a rule, with what it builds.
struct Found<'r> {
    class: Id,
    /// The node that matched, if the log is to know.
    node: Option<Box<Node>>,
    rule: &'r IndexedRule,
    built: Built,
}

impl Matcher<'_> {
    /// Tries one rule at one node; returns how many matches went into `found`.
    fn apply(&self, prepared: &IndexedRule, class: Id, node: &Node, found: &mut Vec<(Id, Built)>) -> usize {
        let lanes = node.dtype.lanes;
        let rule = &prepared.rule;
        if lanes != 1 && prepared.constants && !rule.vector {
            return 0;
        }
        if !Match::is_possible(self, rule, prepared.from(), node) {
            return 0;
        }
        let mut count = 0;
        for subst in Match::all(self, rule, prepared.from(), node) {
            if rule.conds.iter().all(|c| self.proven(c, &subst))
                && let Some(built) = self.fill(prepared.to(), &subst, lanes)
                && !matches!(built, Built::Class(id) if self.graph.find(id) == self.graph.find(class))
            {
                found.push((class, built));
                count += 1;
            }
        }
        count
    }
}
