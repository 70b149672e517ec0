//! Chains of equal expressions, from the inside out.

use std::cell::RefCell;
use std::ops::Deref;
use std::sync::Arc;

use super::{Context, Explanation, MAX_STEPS, Reason, Step, given_range};
use crate::arith::Interval;
use crate::ir::Expr;
use crate::rewrite::Rewrites;
use crate::script::ExprPrinter;
use crate::simplify;

impl Context<'_> {
    /// Why the two are equal; `None` if the engine does not find that they are.
    ///
    /// ```
    /// use satir::cost::Profile;
    /// use satir::explain::Context;
    /// use satir::rules::RuleSet;
    /// use satir::script::parse_expr;
    ///
    /// let mut b = satir::ir::build::FuncBuilder::new("main");
    /// b.param("x", satir::ir::DType::I32);
    /// let mut func = b.finish();
    /// let (a, b) = (parse_expr("x * 4 // 4", &mut func)?, parse_expr("x", &mut func)?);
    /// let rounded = parse_expr("x // 4 * 4", &mut func)?;
    /// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
    /// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &[], conds: &[] };
    /// assert!(context.equal(&a, &b).is_some());
    /// assert!(context.equal(&rounded, &b).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn equal(&self, a: &Expr, b: &Expr) -> Option<Explanation> {
        Deriver::new(self).equal(a, b)
    }
}

/// A context with what takes time to prepare: rules, and the names of variables.
pub(super) struct Deriver<'a> {
    context: &'a Context<'a>,
    rewrites: Arc<Rewrites>,
    printer: RefCell<ExprPrinter<'a>>,
}

impl<'a> Deref for Deriver<'a> {
    type Target = Context<'a>;

    fn deref(&self) -> &Context<'a> {
        self.context
    }
}

impl<'a> Deriver<'a> {
    pub(super) fn new(context: &'a Context<'a>) -> Deriver<'a> {
        let own = || Arc::new(Rewrites::of_rules(context.used()));
        let rewrites = if context.rules.is_embedded() { Rewrites::embedded() } else { own() };
        Deriver { context, rewrites, printer: RefCell::new(ExprPrinter::new(context.func)) }
    }

    /// All rules that an optimization uses.
    pub(super) fn rewrites(&self) -> &Rewrites {
        self.rewrites.with_fast_math(self.context.fast_math)
    }

    /// The text of an expression.
    pub(super) fn show(&self, e: &Expr) -> String {
        self.printer.borrow_mut().print(e)
    }

    /// The simplest expression that equals one at the place.
    fn simplest(&self, e: &Expr) -> Expr {
        let known = |e: &Expr| e.as_var().and_then(|var| self.ranges.get(var.index()));
        let constant = e.is_number();
        if constant || self.conds.is_empty() && known(e).is_some_and(|range| range.as_point().is_none()) {
            return e.clone();
        }
        simplify::expression(self.func, self.profile, self.rewrites(), self.ranges.to_vec(), self.conds, e)
    }

    /// Why the two are equal; `None` if the engine does not find that they are.
    pub(super) fn equal(&self, a: &Expr, b: &Expr) -> Option<Explanation> {
        if a.dtype != b.dtype || !self.are_equal(a, b, self.rewrites()) {
            return None;
        }
        let chain = |e: &Expr| {
            let mut chain = Chain { deriver: self, whole: e.clone(), steps: Vec::new() };
            chain.normalize(&mut Vec::new());
            (chain.steps, chain.whole)
        };
        let ((left_steps, left), (right_steps, right)) = (chain(a), chain(b));
        let (mut meeting, mut meeting_given) = (None, Vec::new());
        if self.show(&left) != self.show(&right) {
            let reason = self.reason(&left, &right)?;
            meeting_given = self.given(&left, &right, &reason);
            meeting = Some(reason);
        }
        let (left, right) = (self.show(a), self.show(b));
        Some(Explanation { left, right, left_steps, right_steps, meeting, meeting_given })
    }

    /// The ranges and conditions without which the reason would not do.
    fn given(&self, a: &Expr, b: &Expr, reason: &Reason) -> Vec<String> {
        if *reason == Reason::Ring {
            return Vec::new();
        }
        let names = reason.rules();
        let rules = self.used().filter(|rule| names.contains(&&*rule.name));
        let rewrites = Rewrites::of_rules(rules);
        let rewrites = rewrites.with_fast_math(self.fast_math);
        let conds = fewest(self.conds.iter().collect(), |conds| {
            let conds: Vec<Expr> = conds.iter().map(|cond| (*cond).clone()).collect();
            (Context { conds: &conds, ..*self.context }).are_equal(a, b, rewrites)
        });
        let mut given: Vec<String> = conds.iter().map(|cond| self.show(cond)).collect();
        let conds: Vec<Expr> = conds.into_iter().cloned().collect();
        // What neither the expressions nor the conditions name says nothing of them.
        let mut named = vec![false; self.ranges.len()];
        for e in [a, b].into_iter().chain(&conds) {
            e.walk(&mut |e| {
                if let Some(named) = e.as_var().and_then(|var| named.get_mut(var.index())) {
                    *named = true;
                }
            });
        }
        let known =
            self.ranges.iter().enumerate().filter(|(var, range)| named[*var] && **range != Interval::ALL);
        let ranges = fewest(known.collect(), |kept| {
            let mut ranges = vec![Interval::ALL; self.ranges.len()];
            kept.iter().for_each(|&(var, range)| ranges[var] = *range);
            (Context { ranges: &ranges, conds: &conds, ..*self.context }).are_equal(a, b, rewrites)
        });
        let text = |(var, range): (usize, &Interval)| given_range(&self.func.vars.get(var)?.name, *range);
        given.extend(ranges.into_iter().filter_map(text));
        given
    }
}

/// Items without any of which `is_enough` would not hold, as it does for all of them.
pub(super) fn fewest<T: Copy>(mut kept: Vec<T>, is_enough: impl Fn(&[T]) -> bool) -> Vec<T> {
    let mut size = kept.len();
    while size > 0 {
        let mut at = 0;
        while at < kept.len() {
            let end = (at + size).min(kept.len());
            let rest: Vec<T> = [&kept[..at], &kept[end..]].concat();
            if is_enough(&rest) {
                kept = rest;
            } else {
                at = end;
            }
        }
        size /= 2;
    }
    kept
}

/// Brings an expression to its cheapest form from the inside out.
struct Chain<'d, 'a> {
    deriver: &'d Deriver<'a>,
    whole: Expr,
    steps: Vec<Step>,
}

impl Chain<'_, '_> {
    /// Normalizes the part of `whole` at `path`: the numbers of the operands on the way to it.
    fn normalize(&mut self, path: &mut Vec<usize>) {
        let mut operands = 0;
        part(&self.whole, path).for_each_child(|_| operands += 1);
        for operand in 0..operands {
            path.push(operand);
            self.normalize(path);
            path.pop();
        }
        if self.steps.len() >= MAX_STEPS {
            return;
        }
        let context = self.deriver;
        let before = part(&self.whole, path).clone();
        let after = context.simplest(&before);
        if before == after || context.show(&before) == context.show(&after) {
            return;
        }
        let Some(reason) = context.reason(&before, &after) else { return };
        replace(&mut self.whole, path, &after);
        let whole = context.show(&self.whole);
        let given = context.given(&before, &after, &reason);
        self.steps.push(Step { part: context.show(&before), by: context.show(&after), whole, reason, given });
    }
}

/// The part of an expression at a path; the whole if there is none.
fn part<'e>(e: &'e Expr, path: &[usize]) -> &'e Expr {
    let Some((&first, rest)) = path.split_first() else { return e };
    let mut operands = Vec::new();
    e.for_each_child(|child| operands.push(child));
    operands.get(first).map_or(e, |child| part(child, rest))
}

/// Replaces the part of an expression at a path.
fn replace(e: &mut Expr, path: &[usize], by: &Expr) {
    let Some((&first, rest)) = path.split_first() else {
        e.clone_from(by);
        return;
    };
    let mut at = 0;
    e.for_each_child_mut(|child| {
        if at == first {
            replace(child, rest, by);
        }
        at += 1;
    });
}
