//! One pass over a function: the best of syntactic sharing and equality saturation, if it is better than the function.

use std::borrow::Cow;
use std::time::Instant;

use super::seen::Seen;
use super::windows::Windows;
use super::{Chosen, FunctionReport, Limit, Mode, Options, SearchReport, summary, syntactic};
use crate::cost::{Cost, CostBreakdown};
use crate::eqsat;
use crate::ir::PrimFunc;
use crate::simplify::{self, Reach};
use crate::target::{Model, compare_programs, tvm};
use crate::verify::verify_func;

/// How a pass is done.
pub(super) struct Pass<'a> {
    pub options: &'a Options,
    pub model: Model,
    pub deadline: Option<Instant>,
    pub seen: &'a mut Seen,
    pub report: &'a mut FunctionReport,
}

/// The best function so far.
struct Best<'a> {
    model: Model,
    /// What the pass began with.
    func: &'a PrimFunc,
    /// What the best one costs.
    cost: Cost,
    /// The best one, if it is not the first.
    found: Option<Found>,
}

/// What a pass made.
pub(super) struct Found {
    pub func: PrimFunc,
    pub cost: CostBreakdown,
    /// What it comes from.
    pub by: Chosen,
}

impl Found {
    /// What was made of the function `before`, or of what was made of that.
    fn new(before: &PrimFunc, mut func: PrimFunc, by: Chosen, options: &Options) -> Found {
        tvm::keep(before, &mut func);
        let cost = summary::cost(&func, options);
        Found { func, cost, by }
    }
}

impl Best<'_> {
    /// Takes a function if it is better; whether it is.
    fn offer(&mut self, found: Found) -> bool {
        let best = self.found.as_ref().map_or(self.func, |found| &found.func);
        let order = compare_programs((&found.func, found.cost.total), (best, self.cost), self.model);
        if order.is_lt() {
            self.take(found);
        }
        order.is_lt()
    }

    fn take(&mut self, found: Found) {
        self.cost = found.cost.total;
        self.found = Some(found);
    }
}

impl Pass<'_> {
    /// What is better than the function, which costs `cost`.
    pub(super) fn run(mut self, func: &PrimFunc, cost: Cost) -> Option<Found> {
        let mut best = Best { model: self.model, func, cost, found: None };
        let start = Instant::now();
        let shared = Found::new(func, self.syntactic(func), Chosen::Syntactic, self.options);
        self.report.syntactic.get_or_insert_with(|| summary::measure(&shared.cost));
        best.offer(shared);
        self.report.spent("syntactic", start.elapsed());
        if self.options.mode == Mode::Semantic {
            self.semantic(func, &mut best);
        }
        best.found
    }

    /// The function with what is written alike shared.
    fn syntactic(&self, func: &PrimFunc) -> PrimFunc {
        let how = syntactic::SyntacticOptions {
            profile: self.options.profile.clone(),
            bindings: self.options.bindings.clone(),
            ..syntactic::SyntacticOptions::default()
        };
        let mut shared = func.clone();
        syntactic::run_with(&mut shared, &how);
        shared
    }

    /// What sharing by syntax alone comes to, pass after pass.
    fn least_by_syntax(&self, best: &Best<'_>) -> Cost {
        let mut least = best.cost;
        let mut func = Cow::Borrowed(best.found.as_ref().map_or(best.func, |found| &found.func));
        loop {
            let shared = Found::new(best.func, self.syntactic(&func), Chosen::Syntactic, self.options);
            if shared.cost.total >= least {
                return least;
            }
            least = shared.cost.total;
            func = Cow::Owned(shared.func);
        }
    }

    /// Offers what contextual simplification and saturation make of the function. If conditions, branches or loops go, the
    /// simplified function takes the input's place: what is gone is work that is never needed, though an estimate that
    /// takes each `if` for a halving of what is under it may see that otherwise.
    fn semantic(&mut self, func: &PrimFunc, best: &mut Best<'_>) {
        let mut func = Cow::Borrowed(func);
        let inlined = simplify::inlined(&func);
        let has_lets = inlined.is_some();
        if let Some(inlined) = inlined {
            func = Cow::Owned(inlined);
        }
        if self.seen.is_settled_as(&func) {
            return;
        }
        let mut settled = true;
        if self.options.simplify {
            let start = Instant::now();
            let mut simplified = func.clone().into_owned();
            let settings = self.options.simplification(Reach::Context);
            let simplify = if has_lets { simplify::run } else { simplify::run_without_lets };
            let done = simplify(&mut simplified, &settings);
            self.report.spent("simplify", start.elapsed());
            log::debug!(
                "function `{}`: simplification under facts replaced {} expressions and dropped {} conditions, branches or loops",
                func.name,
                done.expressions,
                done.conditions
            );
            if done.conditions > 0 {
                let found = Found::new(best.func, simplified.clone(), Chosen::Semantic, self.options);
                self.report.decide(done.conditions, self.least_by_syntax(best), found.cost.total);
                best.take(found);
            }
            if done.any() {
                let shared = self.syntactic(&simplified);
                best.offer(Found::new(best.func, shared, Chosen::Semantic, self.options));
                func = Cow::Owned(simplified);
                settled = false;
            }
        }
        let now = Seen::of(&func, settled);
        if !self.seen.is(&now) {
            let found = self.saturate(&func, best);
            *self.seen = if found { now } else { Seen::default() };
        }
    }

    /// Offers what saturation makes of the function; whether that is the best.
    fn saturate(&mut self, func: &PrimFunc, best: &mut Best<'_>) -> bool {
        let (options, report) = (self.options, &mut *self.report);
        if self.deadline.is_some_and(|end| Instant::now() >= end) {
            report.hit(Limit::Time);
            return false;
        }
        let config = eqsat::Config { deadline: self.deadline, model: self.model, ..options.search() };
        let optimize = |func: &PrimFunc| eqsat::optimize(func, &config).map(|done| (done.func, done.stats));
        let windows = (!options.keep_lets).then(|| Windows::new(func, options.budgets.window)).flatten();
        let optimized = match windows {
            Some(windows) => windows.optimize(optimize),
            None => optimize(func),
        };
        match optimized {
            Ok((made, stats)) => {
                log::debug!(
                    "function `{}`: e-graph of {} nodes in {} classes after {} rounds{}",
                    func.name,
                    stats.nodes,
                    stats.classes,
                    stats.rounds,
                    if stats.node_limit_hit || stats.time_limit_hit { ", ended by a limit" } else { "" }
                );
                for (stage, time) in &stats.stages {
                    report.spent(stage, *time);
                }
                if stats.time_limit_hit {
                    report.hit(Limit::Time);
                }
                if stats.node_limit_hit {
                    report.hit(Limit::Nodes);
                }
                if let Err(violations) = verify_func(&made) {
                    // A bug in satir, which costs the improvement but not the program.
                    let first = violations.first().map(ToString::to_string).unwrap_or_default();
                    log::error!("an invalid result was dropped: {first}");
                    log::debug!("{}", crate::script::print_func(&made));
                    report.gave_up = Some(format!("an invalid result was dropped: {first}"));
                    return false;
                }
                let found = Found::new(best.func, made, Chosen::Semantic, options);
                if report.semantic.is_none() || found.cost.total < best.cost {
                    report.search = Some(SearchReport::new(&stats));
                    report.semantic = Some(summary::measure(&found.cost));
                }
                best.offer(found)
            }
            Err(failure) => {
                log::warn!("function `{}`: equality saturation gave up: {failure}", func.name);
                report.gave_up = Some(failure.to_string());
                false
            }
        }
    }
}
