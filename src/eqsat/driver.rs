//! A function through all stages: lowering, saturation, candidates, extraction, raising.

use std::time::{Duration, Instant};

use super::raise;
use super::saturation::{GROWTH, ROUNDS_OF_FUNCTION, limit, limit_candidates, saturate_within};
use crate::analysis::volatile;
use crate::candidates;
use crate::cost::{Bindings, Profile};
use crate::encode::{self, Lowered};
use crate::extract::{self, Plan, Unextracted};
use crate::ir::{PrimFunc, VarId};
use crate::rewrite;
use crate::target::Model;

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
    /// What counts of the compiler that takes the result.
    pub model: Model,
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
    /// Whether the exact search for that ended early: one that begins with the result, which has choices in another order, may
    /// find more.
    pub(crate) ended_early: bool,
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
        self.ended_early |= other.ended_early;
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

impl From<Unextracted> for Failure {
    fn from(reason: Unextracted) -> Failure {
        match reason {
            Unextracted::MayTrap => Failure::MayTrap,
            Unextracted::NoTerm => Failure::NoTerm,
        }
    }
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
pub(super) enum Snapshot<'a> {
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
pub(super) fn optimize_and_tell(
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
    let settings = config.rewrites.settings();
    let mut lowered = encode::lower(func, config.profile, config.bindings, config.keep_lets, settings);
    lowered.graph.analysis_mut().deadline = config.deadline;
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
    let node_limit = limit_candidates(&mut lowered, input_nodes, config.node_limit);
    candidates::offer_all(&mut lowered.graph, node_limit);
    candidates::written::offer(&mut lowered.graph, lowered.input_nodes, node_limit);
    if lowered.graph.analysis.contradictions > 0 {
        return Err(Failure::Contradiction);
    }
    clock.lap("candidates");
    let time_limit_hit = lowered.graph.analysis.is_late();
    let node_limit_hit = lowered.graph.total_number_of_nodes() > config.node_limit;
    let extract::Extracted { selection, plan, optimal, ended_early } =
        extract::extract(&mut lowered, config.profile, config.model, config.effort)?;
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
        cost: plan.cost.to_f64(),
        optimal,
        ended_early,
        stages: clock.laps,
    };
    Ok(Optimized { func: result, bindings: bound(&lowered, &plan, &vars), stats })
}

fn bound(lowered: &Lowered, plan: &Plan, vars: &[VarId]) -> Vec<Bound> {
    plan.bindings
        .iter()
        .zip(vars)
        .map(|(binding, &var)| Bound {
            var,
            uses: binding.uses,
            frequency: lowered.scopes.get(binding.place.scope).frequency.to_f64(),
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
