//! Equality saturation over the expressions of a function: from statements to one typed e-graph and back.
//!
//! ```text
//! PrimFunc --lower--> e-graph, scopes, sites --theory, rules--> saturated --candidates::offer--> with alternatives
//!          --extract::select--> a node per class --extract::place--> bindings --raise--> PrimFunc
//! ```
//!
//! Each stage is a module; data flows one way. The reasons why the equalities are sound are in `eqsat::facts` and
//! `eqsat::theory`, those for placement in `eqsat::extract::place`.

pub(crate) mod candidates;
mod classes;
pub(crate) mod extract;
pub(crate) mod facts;
mod fits;
mod ids;
mod input_nodes;
pub(crate) mod lang;
pub(crate) mod lets;
mod level;
pub(crate) mod loop_facts;
pub(crate) mod lower;
mod matching;
pub(crate) mod monomial;
pub(crate) mod observe;
mod poly;
pub(crate) mod raise;
mod rebuild;
pub mod rewrite;
mod rule_index;
pub(crate) mod samples;
pub(crate) mod scopes;
mod shapes;
pub mod show;
mod sign;
#[cfg(test)]
mod tests;
pub(crate) mod theory;

pub use extract::Effort;
pub use level::TheoryLevel;
pub use observe::RuleUse;

use std::time::{Duration, Instant};

use egg::Id;

use crate::analysis::volatile;
use crate::cost::{Bindings, Profile};
use crate::ir::{PrimFunc, VarId};
use crate::rules::Heads;
use classes::ClassSet;
use extract::Plan;
use facts::Graph;
use lang::Node;
use lower::Lowered;

/// Limits and inputs of one run.
///
/// ```
/// use satir::cse::Options;
/// use satir::eqsat::{Config, optimize};
///
/// # let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n")?;
/// let options = Options::default();
/// let config = Config { node_limit: 10, ..options.search() };
/// assert!(optimize(&module.funcs[0], &config)?.stats.nodes < 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Config<'a> {
    /// The cost that is minimized.
    pub profile: &'a Profile,
    /// Values of symbolic dimensions, for frequencies only.
    pub bindings: &'a Bindings,
    /// The most e-nodes; at the limit the best so far is extracted.
    pub node_limit: usize,
    /// How much is done to find the cheapest choice of nodes.
    pub effort: extract::Effort,
    /// Whether the `Bind` statements of the input stay.
    pub keep_lets: bool,
    /// When the search ends; the best so far is extracted. A backstop: results that depend on it differ between runs.
    pub deadline: Option<Instant>,
    /// The rewrite rules.
    pub rewrites: &'a rewrite::Rewrites,
}

/// The outcome of a run.
///
/// ```
/// # let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n")?;
/// let optimized = satir::eqsat::optimize(&module.funcs[0], &satir::cse::Options::default().search())?;
/// assert_eq!(optimized.bindings.len(), 1);
/// let name = &optimized.func.var(optimized.bindings[0].var).name;
/// assert!(satir::script::print_func(&optimized.func).contains(&format!("A[{name}] = A[{name} + 1]")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Optimized {
    /// The rewritten function.
    pub func: PrimFunc,
    /// What was bound, in program order of their places.
    pub bindings: Vec<Bound>,
    /// Sizes and times.
    pub stats: Stats,
}

/// One binding of the result.
///
/// ```
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    for i in range(9):\n        A[i + x * x] = A[i]\n")?;
/// let optimized = satir::eqsat::optimize(&module.funcs[0], &satir::cse::Options::default().search())?;
/// let bound = &optimized.bindings[0];
/// assert_eq!((bound.uses, bound.frequency), (1, 1.0), "computed once, before the loop");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Bound {
    /// The new variable.
    pub var: VarId,
    /// How many uses it serves.
    pub uses: usize,
    /// How often it is evaluated.
    pub frequency: f64,
}

/// What a run did.
///
/// ```
/// # let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n")?;
/// let stats = satir::eqsat::optimize(&module.funcs[0], &satir::cse::Options::default().search())?.stats;
/// assert!(stats.nodes >= stats.classes && !stats.node_limit_hit && !stats.time_limit_hit);
/// assert!(stats.stages.iter().any(|(stage, _)| *stage == "extract"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Stats {
    /// E-nodes of the input.
    pub input_nodes: usize,
    /// E-nodes after saturation.
    pub nodes: usize,
    /// E-classes after saturation.
    pub classes: usize,
    /// Rounds of the theory.
    pub rounds: usize,
    /// Whether the node limit was hit.
    pub node_limit_hit: bool,
    /// The cost of the result, and whether no choice of nodes is cheaper (with the same way to place them).
    pub cost: f64,
    /// See [`Stats::cost`].
    pub optimal: bool,
    /// Whether the deadline passed before the search was done.
    pub time_limit_hit: bool,
    /// Time in each stage.
    pub stages: Vec<(&'static str, Duration)>,
}

impl Stats {
    /// This and what a run on another part of a function did.
    pub(crate) fn and(mut self, other: Stats) -> Stats {
        self.input_nodes += other.input_nodes;
        self.nodes += other.nodes;
        self.classes += other.classes;
        self.rounds = self.rounds.max(other.rounds);
        self.node_limit_hit |= other.node_limit_hit;
        self.cost += other.cost;
        self.optimal &= other.optimal;
        self.time_limit_hit |= other.time_limit_hit;
        for (lap, (_, time)) in self.stages.iter_mut().zip(other.stages) {
            lap.1 += time;
        }
        self
    }
}

/// Why a function was left alone.
///
/// ```
/// use satir::cse::Options;
/// use satir::eqsat::{Failure, optimize};
/// use satir::ir::{DType, Expr, StmtKind, build::FuncBuilder};
///
/// let mut b = FuncBuilder::new("main");
/// let x = b.bind("x", Expr::int(1, DType::I32));
/// b.push(StmtKind::Bind { var: x, value: Expr::int(2, DType::I32) });
/// assert_eq!(optimize(&b.finish(), &Options::default().search()).unwrap_err(), Failure::Redefinition);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// Two definitions of one variable.
    #[error("a variable is defined twice")]
    Redefinition,
    /// The e-graph proved two different constants equal: a rule is wrong.
    #[error("the rules proved a contradiction")]
    Contradiction,
    /// Every choice of nodes that was found would evaluate something that the input does not, and that may trap, or use
    /// a variable out of its scope.
    #[error("extraction found no term that may be evaluated in its place")]
    MayTrap,
    /// No acyclic choice of nodes was found.
    #[error("extraction found no term")]
    NoTerm,
}

/// Optimizes one function.
///
/// # Errors
/// The function cannot be optimized; nothing is known to be wrong with it.
///
/// ```
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((99,)), x: T.int32):\n    A[x * 7] = A[(x + 1) * 7 - 7]\n")?;
/// let optimized = satir::eqsat::optimize(&module.funcs[0], &satir::cse::Options::default().search())?;
/// assert_eq!(optimized.bindings.len(), 1, "both indices are `x * 7`");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn optimize(func: &PrimFunc, config: &Config<'_>) -> Result<Optimized, Failure> {
    optimize_and_tell(func, config, &mut |_| {})
}

/// What a run has made so far.
#[derive(Clone, Copy)]
enum Snapshot<'a> {
    Lowered(&'a Lowered),
    Saturated(&'a Lowered),
    Extracted(&'a Lowered, &'a extract::Selection, &'a Plan),
}

/// Runs as [`optimize`] does, and shows `look` the graph with the choice of nodes.
pub(crate) fn with_choice<R>(
    func: &PrimFunc,
    config: &Config<'_>,
    look: impl Fn(&Lowered, &extract::Selection) -> R,
) -> Result<R, Failure> {
    let mut seen = None;
    optimize_and_tell(func, config, &mut |snapshot| {
        if let Snapshot::Extracted(lowered, selection, _) = snapshot {
            seen = Some(look(lowered, selection));
        }
    })?;
    seen.ok_or(Failure::NoTerm)
}

/// As [`optimize`]; shows `listener` the stages as they are done.
fn optimize_and_tell(
    func: &PrimFunc,
    config: &Config<'_>,
    listener: &mut dyn FnMut(Snapshot<'_>),
) -> Result<Optimized, Failure> {
    let Some(shielded) = volatile::shielded(func) else { return optimize_all(func, config, listener) };
    let mut done = optimize_all(&shielded, config, listener)?;
    volatile::unshield(&mut done.func);
    Ok(done)
}

fn optimize_all(
    func: &PrimFunc,
    config: &Config<'_>,
    listener: &mut dyn FnMut(Snapshot<'_>),
) -> Result<Optimized, Failure> {
    let mut clock = Clock::new();
    let theory = config.rewrites.theory();
    let mut lowered = lower::lower(func, config.profile, config.bindings, config.keep_lets, theory);
    lowered.graph.analysis.deadline = config.deadline;
    if lowered.redefined {
        return Err(Failure::Redefinition);
    }
    let input_nodes = lowered.graph.total_number_of_nodes();
    clock.lap("lower");
    listener(Snapshot::Lowered(&lowered));
    let node_limit = limit(&mut lowered, config.node_limit);
    let rounds = saturate_within(&mut lowered, config.rewrites, node_limit, ROUNDS_OF_FUNCTION, GROWTH);
    clock.lap("saturate");
    listener(Snapshot::Saturated(&lowered));
    let node_limit = config.node_limit.min(CANDIDATES.of(input_nodes));
    lowered.graph.analysis.work_limit = Some((WORK.of(input_nodes) * 2) as u64);
    candidates::offer_all(&mut lowered.graph, node_limit);
    candidates::written::offer(&mut lowered.graph, lowered.input_nodes, node_limit);
    if lowered.graph.analysis.contradictions > 0 {
        return Err(Failure::Contradiction);
    }
    clock.lap("candidates");
    let time_limit_hit = lowered.graph.analysis.is_late();
    let node_limit_hit = lowered.graph.total_number_of_nodes() > config.node_limit;
    let extract::Extracted { selection, plan, optimal } = extract::extract(&mut lowered, config)?;
    clock.lap("extract");
    listener(Snapshot::Extracted(&lowered, &selection, &plan));
    let (result, vars) = raise::raise(func, &lowered, &selection, &plan);
    clock.lap("raise");
    let stats = Stats {
        input_nodes,
        nodes: lowered.graph.total_number_of_nodes(),
        classes: lowered.graph.number_of_classes(),
        rounds,
        time_limit_hit,
        node_limit_hit,
        cost: plan.cost,
        optimal,
        stages: clock.laps,
    };
    Ok(Optimized { func: result, bindings: bound(&lowered, &plan, &vars), stats })
}

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
    lowered.graph.analysis.work_limit = Some(WORK.of(input_nodes) as u64);
    most.min(SATURATION.of(input_nodes))
}

/// The most rounds of rewriting of the graph of a whole function. A second one was seen to make as many results dearer
/// as cheaper, for a fifth of the time.
const ROUNDS_OF_FUNCTION: usize = 1;

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

/// The classes that some node of the roots needs, in an order that depends on nothing but the graph.
pub(crate) fn needed(graph: &Graph, roots: &[Id]) -> Vec<Id> {
    let mut needed: Vec<Id> = Vec::new();
    let mut seen = ClassSet::new(graph);
    let mut open = roots.to_vec();
    while let Some(id) = open.pop() {
        let id = graph.find(id);
        if seen.insert(id) {
            needed.push(id);
            open.extend(graph[id].nodes.iter().flat_map(|node| &node.children));
        }
    }
    needed
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
    theory::vector::look_into_calls(&mut lowered.graph, |callee, dtype| {
        rewrite::in_lanes(callees, callee, dtype)
    });
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
        if done || facts::is_full(&lowered.graph, node_limit) {
            break;
        }
    }
    rounds
}

/// The node with canonical operands.
pub(crate) fn canonical(lowered: &Lowered, mut node: Node) -> Node {
    for child in &mut node.children {
        *child = lowered.graph.find(*child);
    }
    node
}

fn bound(lowered: &Lowered, plan: &Plan, vars: &[VarId]) -> Vec<Bound> {
    plan.bindings
        .iter()
        .zip(vars)
        .map(|(binding, &var)| Bound {
            var,
            uses: binding.uses,
            frequency: lowered.scopes.get(binding.place.scope).frequency,
        })
        .collect()
}

struct Clock {
    last: Instant,
    laps: Vec<(&'static str, Duration)>,
}

impl Clock {
    fn new() -> Clock {
        Clock { last: Instant::now(), laps: Vec::new() }
    }

    fn lap(&mut self, name: &'static str) {
        let now = Instant::now();
        self.laps.push((name, now - self.last));
        self.last = now;
    }
}
