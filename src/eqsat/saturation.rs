//! Theory and rules in turn, and how large they may make a graph.

use egg::Id;

use crate::egraph::{self, Graph, TheoryLevel, needed};
use crate::encode::Lowered;
use crate::rewrite;
use crate::rules::Heads;
use crate::theory::{self, vector};

/// What a stage may use for the graph of a whole function: so much for each e-node of the input, and some for small ones.
/// So time and memory grow with the length of a program, whatever it holds.
struct Budget {
    for_each: usize,
    floor: usize,
}

impl Budget {
    fn of(&self, input_nodes: usize) -> usize {
        input_nodes.saturating_mul(self.for_each).saturating_add(self.floor)
    }
}

/// The e-nodes that theory and rules may make. Programs of TVM were seen to need up to 4.8 for each of the input.
const SATURATION: Budget = Budget { for_each: 8, floor: 2_000 };

/// The e-nodes with the candidates for extraction; TVM's were seen to need up to 13.4.
const CANDIDATES: Budget = Budget { for_each: 20, floor: 4_000 };

/// The terms of normal forms that the theory may handle, and again as many that candidates may. Programs of TVM were seen to
/// need two fifths of it.
const WORK: Budget = Budget { for_each: 600, floor: 60_000 };

/// What a new graph may grow to by theory and rules, `most` at most; limits the work on it too.
pub(crate) fn limit(lowered: &mut Lowered, most: usize) -> usize {
    let input_nodes = lowered.graph.total_number_of_nodes();
    lowered.graph.analysis_mut().work_limit = Some(WORK.of(input_nodes) as u64);
    most.min(SATURATION.of(input_nodes))
}

/// What a graph may grow to by candidates, `most` at most; limits the work on it, with what was done before, too.
pub(super) fn limit_candidates(lowered: &mut Lowered, input_nodes: usize, most: usize) -> usize {
    lowered.graph.analysis_mut().work_limit = Some((WORK.of(input_nodes) * 2) as u64);
    most.min(CANDIDATES.of(input_nodes))
}

/// The most rounds of rewriting of the graph of a whole function. A second one was seen to make as many results dearer
/// as cheaper, for a fifth of the time.
pub(super) const ROUNDS_OF_FUNCTION: usize = 1;

/// The same for the graph of a few expressions.
pub(crate) const ROUNDS_OF_EXPRESSIONS: usize = 2;

/// How many times as large rules may make a graph, and what any graph may grow to.
pub(crate) const GROWTH: usize = 3;
const GROWTH_FLOOR: usize = 400;

/// Saturates a graph of a few expressions; see [`saturate_within`].
pub(crate) fn saturate(lowered: &mut Lowered, rewrites: &rewrite::Rewrites, node_limit: usize) -> usize {
    saturate_within(lowered, rewrites, node_limit, ROUNDS_OF_EXPRESSIONS, GROWTH)
}

/// As [`saturate`], but rules are applied once, only those that match a division, and only to what the sites need: a second
/// time was seen to change hardly anything for half of the time, and what is known of a place is for the theory.
pub(crate) fn saturate_sites(
    lowered: &mut Lowered,
    rewrites: &rewrite::Rewrites,
    node_limit: usize,
) -> usize {
    let rounds = theory::run(&mut lowered.graph, node_limit);
    let node_limit = grown(&lowered.graph, node_limit, GROWTH);
    let sites: Vec<Id> = lowered.sites.iter().map(|site| site.class).collect();
    let needed = needed(&lowered.graph, &sites);
    let Lowered { graph, callees, .. } = lowered;
    match rewrite::apply_to(&needed, Heads::divisions(), graph, callees, rewrites, node_limit) {
        0 => rounds,
        _ => rounds + theory::run(&mut lowered.graph, node_limit),
    }
}

/// What a graph may grow to by rules.
fn grown(graph: &Graph, node_limit: usize, growth: usize) -> usize {
    node_limit.min(graph.total_size().saturating_mul(growth).saturating_add(GROWTH_FLOOR))
}

/// Theory and rules in turn, until nothing changes or a limit is reached: so many rounds of rules, and about `growth`
/// times the nodes that there are before. Returns the rounds of the theory.
pub(crate) fn saturate_within(
    lowered: &mut Lowered,
    rewrites: &rewrite::Rewrites,
    node_limit: usize,
    rewrite_rounds: usize,
    growth: usize,
) -> usize {
    if lowered.graph.analysis.level < TheoryLevel::Full {
        return saturate_plainly(lowered, rewrites, node_limit);
    }
    let callees = &lowered.callees;
    vector::look_into_calls(&mut lowered.graph, |callee, dtype| rewrite::in_lanes(callees, callee, dtype));
    let mut rounds = theory::run(&mut lowered.graph, node_limit);
    let node_limit = grown(&lowered.graph, node_limit, growth);
    for _ in 0..rewrite_rounds {
        if rewrite::apply(&mut lowered.graph, &mut lowered.callees, rewrites, node_limit) == 0 {
            break;
        }
        rounds += theory::run(&mut lowered.graph, node_limit);
    }
    rounds
}

/// The most rounds of rules, and the nodes that they may always make, where the theory does not do their work: what egg takes
/// when nothing else is said.
const PLAIN_ROUNDS: usize = 30;
const PLAIN_NODES: usize = 10_000;

/// As [`saturate_within`], below the full theory.
fn saturate_plainly(lowered: &mut Lowered, rewrites: &rewrite::Rewrites, node_limit: usize) -> usize {
    let mut rounds = theory::run(&mut lowered.graph, node_limit);
    let node_limit = node_limit.min(lowered.graph.total_size().saturating_mul(GROWTH).max(PLAIN_NODES));
    for _ in 0..PLAIN_ROUNDS {
        let done = rewrite::apply(&mut lowered.graph, &mut lowered.callees, rewrites, node_limit) == 0;
        rounds += theory::run(&mut lowered.graph, node_limit);
        if done || egraph::is_full(&lowered.graph, node_limit) {
            break;
        }
    }
    rounds
}
