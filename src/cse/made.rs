//! What a pass makes of a function, from which it takes the best: with what is written alike shared, simplified under facts, and
//! by equality saturation. Of a large function the first is made beside the others.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use super::seen::Seen;
use super::windows::Windows;
use super::{Chosen, Options, summary, syntactic};
use crate::cost::CostBreakdown;
use crate::eqsat::{self, Failure, Stats};
use crate::ir::{PrimFunc, with_room};
use crate::simplify::{self, Reach};
use crate::target::{Model, tvm};
use crate::verify::verify_func;

/// What is made of a function.
pub(super) struct Found {
    pub func: PrimFunc,
    pub cost: CostBreakdown,
    /// What it comes from.
    pub by: Chosen,
}

/// How equality saturation went.
pub(super) enum Saturated {
    /// It found a function, or one that is not valid: what is wrong with it.
    Done(Box<Result<Found, String>>, Stats),
    Failed(Failure),
    /// There was no time left for it.
    Late,
}

/// What simplification and saturation made of a function.
#[derive(Default)]
pub(super) struct Semantic {
    /// What simplification under facts took.
    pub time: Duration,
    /// How many conditions, branches and loops went by it, and the function without them, if there are some.
    pub decided: Option<(usize, Found)>,
    /// The function simplified and with what is written alike shared, if anything changed.
    pub shared: Option<Found>,
    /// What the search began with, and how it went, if it has not seen that before.
    pub saturated: Option<(Seen, Saturated)>,
}

/// How they are made.
pub(super) struct Maker<'a> {
    pub options: &'a Options,
    pub model: Model,
    pub deadline: Option<Instant>,
    /// Whether functions are so large that parts of the work are worth threads of their own.
    pub large: bool,
    /// The function that the pass began with.
    pub func: &'a PrimFunc,
}

impl Maker<'_> {
    /// Does both, for a large function at the same time.
    pub(super) fn beside<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        if self.large { rayon::join(|| with_room(a), || with_room(b)) } else { (a(), b()) }
    }

    /// What was made of the pass's function, or of what was made of that.
    fn found(&self, mut func: PrimFunc, by: Chosen) -> Found {
        tvm::keep(self.func, &mut func);
        let cost = summary::cost(&func, self.options);
        Found { func, cost, by }
    }

    /// A function with what is written alike shared.
    pub(super) fn shared(&self, func: &PrimFunc, by: Chosen) -> Found {
        let how = syntactic::SyntacticOptions {
            profile: self.options.profile.clone(),
            bindings: self.options.bindings.clone(),
            ..syntactic::SyntacticOptions::default()
        };
        let mut shared = func.clone();
        syntactic::run_with(&mut shared, &how);
        self.found(shared, by)
    }

    /// What contextual simplification and saturation make of the function, if `seen` does not say that there is nothing to find.
    pub(super) fn semantic(&self, seen: &Seen) -> Semantic {
        let inlined = simplify::inlined(self.func);
        let simplify = if inlined.is_some() { simplify::run } else { simplify::run_without_lets };
        let mut func = inlined.map_or(Cow::Borrowed(self.func), Cow::Owned);
        if seen.is_settled_as(&func) {
            return Semantic::default();
        }
        let (mut decided, mut changed) = (None, false);
        let start = Instant::now();
        if self.options.simplify {
            let mut simplified = func.clone().into_owned();
            let done = simplify(&mut simplified, &self.options.simplification(Reach::Context));
            log::debug!(
                "function `{}`: simplification under facts replaced {} expressions and dropped {} conditions, branches or loops",
                func.name,
                done.expressions,
                done.conditions
            );
            changed = done.any();
            decided = (done.conditions > 0).then(|| (done.conditions, simplified.clone()));
            if changed {
                func = Cow::Owned(simplified);
            }
        }
        let time = start.elapsed();
        let decided = decided.map(|(gone, simplified)| (gone, self.found(simplified, Chosen::Semantic)));
        let now = Seen::of(&func, !changed);
        let is_new = !seen.is(&now);
        let (shared, saturated) = self.beside(
            || changed.then(|| self.shared(&func, Chosen::Semantic)),
            || is_new.then(|| self.saturated(&func)),
        );
        Semantic { time, decided, shared, saturated: saturated.map(|saturated| (now, saturated)) }
    }

    /// What saturation makes of the function.
    fn saturated(&self, func: &PrimFunc) -> Saturated {
        if self.deadline.is_some_and(|end| Instant::now() >= end) {
            return Saturated::Late;
        }
        let options = self.options;
        let config = eqsat::Config { deadline: self.deadline, model: self.model, ..options.search() };
        let optimize = |func: &PrimFunc| eqsat::optimize(func, &config).map(|done| (done.func, done.stats));
        let windows = (!options.keep_lets).then(|| Windows::new(func, options.budgets.window)).flatten();
        let optimized = match windows {
            Some(windows) => windows.optimize(optimize),
            None => optimize(func),
        };
        let (made, stats) = match optimized {
            Ok(made) => made,
            Err(failure) => {
                log::warn!("function `{}`: equality saturation gave up: {failure}", func.name);
                return Saturated::Failed(failure);
            }
        };
        log::debug!(
            "function `{}`: e-graph of {} nodes in {} classes after {} rounds{}",
            func.name,
            stats.nodes,
            stats.classes,
            stats.rounds,
            if stats.node_limit_hit || stats.time_limit_hit { ", ended by a limit" } else { "" }
        );
        let Err(violations) = verify_func(&made) else {
            return Saturated::Done(Ok(self.found(made, Chosen::Semantic)).into(), stats);
        };
        // A bug in satir, which costs the improvement but not the program.
        let first = violations.first().map(ToString::to_string).unwrap_or_default();
        log::error!("an invalid result was dropped: {first}");
        log::debug!("{}", crate::script::print_func(&made));
        Saturated::Done(Err(first).into(), stats)
    }
}
