//! One pass over a function: the best of syntactic sharing and equality saturation, if it is better than the function.

use std::borrow::Cow;
use std::time::Instant;

use super::made::{Found, Maker, Saturated, Semantic};
use super::seen::Seen;
use super::{Chosen, FunctionReport, Limit, Mode, Options, SearchReport, summary};
use crate::cost::Cost;
use crate::ir::PrimFunc;
use crate::target::{Model, compare_programs};

/// How a pass is done.
pub(super) struct Pass<'a> {
    pub options: &'a Options,
    pub model: Model,
    pub deadline: Option<Instant>,
    /// Whether the function is so large that parts of the work are worth threads of their own.
    pub large: bool,
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
        let (maker, seen) = (&self.maker(func), &*self.seen);
        let shared = || {
            let start = Instant::now();
            (maker.shared(func, Chosen::Syntactic), start.elapsed())
        };
        let is_semantic = self.options.mode == Mode::Semantic;
        let ((shared, time), made) = maker.beside(shared, || is_semantic.then(|| maker.semantic(seen)));
        self.report.syntactic.get_or_insert_with(|| summary::measure(&shared.cost));
        self.report.spent("syntactic", time);
        let mut best = Best { model: self.model, func, cost, found: None };
        best.offer(shared);
        if let Some(made) = made {
            self.judge(made, &mut best);
        }
        best.found
    }

    fn maker<'f>(&self, func: &'f PrimFunc) -> Maker<'f>
    where
        Self: 'f,
    {
        let Pass { options, model, deadline, large, .. } = *self;
        Maker { options, model, deadline, large, func }
    }

    /// Offers what simplification and saturation made. If conditions, branches or loops went, the simplified function takes the
    /// input's place: what is gone is work that is never needed, though an estimate that takes each `if` for a halving of what is
    /// under it may see that otherwise.
    fn judge(&mut self, made: Semantic, best: &mut Best<'_>) {
        self.report.spent("simplify", made.time);
        if let Some((gone, decided)) = made.decided {
            self.report.decide(gone, self.least_by_syntax(best), decided.cost.total);
            best.take(decided);
        }
        if let Some(shared) = made.shared {
            best.offer(shared);
        }
        if let Some((seen, saturated)) = made.saturated {
            let is_final = !matches!(&saturated, Saturated::Done(_, stats) if stats.ended_early);
            let is_best = self.judge_search(saturated, best);
            *self.seen = if is_best && is_final { seen } else { Seen::default() };
        }
    }

    /// What sharing by syntax alone comes to, pass after pass.
    fn least_by_syntax(&self, best: &Best<'_>) -> Cost {
        let maker = self.maker(best.func);
        let mut least = best.cost;
        let mut func = Cow::Borrowed(best.found.as_ref().map_or(best.func, |found| &found.func));
        loop {
            let shared = maker.shared(&func, Chosen::Syntactic);
            if shared.cost.total >= least {
                return least;
            }
            least = shared.cost.total;
            func = Cow::Owned(shared.func);
        }
    }

    /// Offers what saturation made of the function; whether that is the best.
    fn judge_search(&mut self, saturated: Saturated, best: &mut Best<'_>) -> bool {
        let report = &mut *self.report;
        let (made, stats) = match saturated {
            Saturated::Late => {
                report.hit(Limit::Time);
                return false;
            }
            Saturated::Failed(failure) => {
                report.gave_up = Some(failure.to_string());
                return false;
            }
            Saturated::Done(made, stats) => (*made, stats),
        };
        for (stage, time) in &stats.stages {
            report.spent(stage, *time);
        }
        if stats.time_limit_hit {
            report.hit(Limit::Time);
        }
        if stats.node_limit_hit {
            report.hit(Limit::Nodes);
        }
        match made {
            Ok(found) => {
                if report.semantic.is_none() || found.cost.total < best.cost {
                    report.search = Some(SearchReport::new(&stats));
                    report.semantic = Some(summary::measure(&found.cost));
                }
                best.offer(found)
            }
            Err(violation) => {
                report.gave_up = Some(format!("an invalid result was dropped: {violation}"));
                false
            }
        }
    }
}
