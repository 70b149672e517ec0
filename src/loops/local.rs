//! Cheap simplification of what a step wrote, good enough to compare ways to write a nest: quotients and remainders of sums by
//! division of their terms, conditions by ranges and, where sample points leave them open, by a proof.
//!
//! What is put in place of an expression is equal to it, divides by nothing else, and fits its type. The way that is taken
//! in the end goes through [`simplify`](crate::simplify) as a whole.

use std::sync::Arc;

use hashbrown::HashMap;

use super::normal::{Reduced, Sums, is_arithmetic};
use super::place::Place;
use super::points::Points;
use crate::analysis::known::Known;
use crate::analysis::magnitude::Magnitudes;
use crate::analysis::ranges::satisfying;
use crate::arith::Interval;
use crate::ir::{BinOp, Block, DType, Expr, ExprKind, For, PrimFunc, Stmt, StmtKind, VarId};
use crate::script::fold;
use crate::simplify::{holds, owed, tidy};

/// The most proofs that are tried for one way.
const MAX_PROOFS: usize = 24;

/// Simplifies what mentions variables that are wanted. `base` holds in the whole function.
pub(super) fn simplify(func: &mut PrimFunc, base: &Known, wanted: &dyn Fn(VarId) -> bool) {
    let magnitudes = Arc::new(Magnitudes::new(func));
    let mut body = std::mem::take(&mut func.body);
    let place = Place::of(func, base, magnitudes);
    let mut local = Local {
        points: Points::new(func),
        place,
        wanted,
        scope: 0,
        scopes: vec![Scope::default()],
        proofs: MAX_PROOFS,
    };
    local.block(&mut body);
    func.body = body;
    tidy(func);
}

struct Local<'p, 'a> {
    place: Place<'a>,
    points: Points,
    wanted: &'p dyn Fn(VarId) -> bool,
    /// The one that is open.
    scope: usize,
    /// All that were open.
    scopes: Vec<Scope>,
    /// How many more proofs are tried.
    proofs: usize,
}

/// Places at which the same is known, and what was found there.
#[derive(Default)]
struct Scope {
    /// The truth values of conditions.
    answers: HashMap<Expr, Option<bool>>,
    /// What sums and divisions become.
    reduced: HashMap<Expr, Option<Reduced>>,
    /// The scopes in which a condition is known as well to be true or false.
    under: HashMap<(Expr, bool), usize>,
    /// The sample points at which it is so, once that was asked for.
    inside: Option<u32>,
}

impl Local<'_, '_> {
    fn block(&mut self, block: &mut Block) {
        let mark = self.mark();
        for stmt in block.iter_mut() {
            // The bounds of a loop that is written anew are new as well, whatever they are made of.
            let is_new = matches!(&stmt.kind, StmtKind::For(l) if (self.wanted)(l.var));
            stmt.for_each_expr_mut(|e| if is_new { self.expr(e) } else { self.root(e) });
            match &mut stmt.kind {
                StmtKind::For(l) => self.for_loop(l),
                StmtKind::If { cond, then, otherwise } => {
                    let is_plain = !cond.has_effect();
                    for (arm, truth) in [(&mut *then, true), (&mut *otherwise, false)] {
                        self.under(is_plain.then_some((&*cond, truth)), |s| s.block(arm));
                    }
                    self.drop_test(cond, then, otherwise);
                }
                StmtKind::Store { .. } | StmtKind::Bind { .. } | StmtKind::Evaluate(_) => {}
                _ => {
                    let mut number = 0;
                    let head = Stmt { span: stmt.span, kind: StmtKind::Break };
                    let whole = std::mem::replace(stmt, head);
                    *stmt = self.others(whole, &mut number);
                }
            }
            self.place.pass(stmt);
            if let StmtKind::Bind { var, value } = &stmt.kind {
                self.points.bind(*var, value);
                self.open();
            }
        }
        self.release(mark);
    }

    /// Takes away the second arm of a test and the test itself if both arms do the same.
    fn drop_test(&self, cond: &mut Expr, then: &Block, otherwise: &mut Block) {
        if then.is_empty() || cond.has_effect() || !cond.mentions(self.wanted) {
            return;
        }
        let Some(pairs) = owed(&self.place.known, then, otherwise) else { return };
        let mut prove = |_: &Expr| false;
        let mut sums = Sums::new(&self.place.known.ranges, &mut prove);
        if pairs.iter().all(|(a, b)| sums.same(a, b)) {
            *cond = Expr::bool(true);
            otherwise.clear();
        }
    }

    /// The blocks of a statement that is no loop and no branch.
    fn others(&mut self, mut stmt: Stmt, number: &mut usize) -> Stmt {
        let shell = stmt.hollow(Expr::clone);
        stmt.for_each_block_mut(|inner| {
            let mark = self.mark();
            self.place.enter(&shell, *number);
            self.open();
            if let StmtKind::LaunchThread { var, extent, .. } = &shell.kind {
                self.points.iterate(*var, &Expr::int(0, extent.dtype), extent);
            }
            self.block(inner);
            self.release(mark);
            *number += 1;
        });
        stmt
    }

    fn for_loop(&mut self, l: &mut For) {
        let mark = self.mark();
        self.place.iterate(l.var, &l.min, &l.extent);
        self.bound(l);
        self.points.iterate(l.var, &l.min, &l.extent);
        self.open();
        self.block(&mut l.body);
        self.release(mark);
    }

    /// Where a loop's variable lies at most, if its bounds are no constants.
    fn bound(&mut self, l: &For) {
        let ranges = &self.place.known.ranges;
        let mut prove = |_: &Expr| false;
        let found = Sums::new(ranges, &mut prove).of_loop(&l.min, &l.extent);
        if let Some(found) = found
            && let Some(own) = self.place.known.ranges.get_mut(l.var.index())
        {
            *own = own.meet(found).unwrap_or(*own);
        }
    }

    /// What is known at a moment, to go back to.
    fn mark(&self) -> (usize, u32, usize) {
        (self.place.known.facts.len(), self.points.inside(), self.scope)
    }

    fn release(&mut self, (facts, points, scope): (usize, u32, usize)) {
        self.place.known.facts.truncate(facts);
        self.points.back(points);
        self.scope = scope;
    }

    /// Opens a scope in which nothing was asked yet.
    fn open(&mut self) {
        self.scope = self.scopes.len();
        self.scopes.push(Scope::default());
    }

    /// Opens the scope within the open one in which a condition is known to be true or false.
    fn open_under(&mut self, cond: &Expr, truth: bool) {
        let new = self.scopes.len();
        self.scope = *self.scopes[self.scope].under.entry((cond.clone(), truth)).or_insert(new);
        if self.scope == new {
            self.scopes.push(Scope::default());
        }
    }

    /// Runs `f` where a condition has this truth value.
    fn under(&mut self, cond: Option<(&Expr, bool)>, f: impl FnOnce(&mut Self)) {
        let mark = self.mark();
        let mut ranges = Vec::new();
        if let Some((cond, truth)) = cond {
            self.open_under(cond, truth);
            self.place.assume(cond, truth);
            let inside = self.scopes[self.scope].inside;
            if let Some(inside) = inside {
                self.points.back(inside);
            }
            for (fact, truth) in &self.place.known.facts[mark.0..] {
                if inside.is_none() {
                    self.points.assume(fact, *truth);
                }
                if let Some((e, range)) = satisfying(fact, *truth)
                    && let Some(var) = e.as_var()
                    && let Some(own) = self.place.known.ranges.get_mut(var.index())
                    && let Some(less) = own.meet(range)
                {
                    ranges.push((var, *own));
                    *own = less;
                }
            }
            self.scopes[self.scope].inside = Some(self.points.inside());
        }
        f(self);
        for (var, range) in ranges.into_iter().rev() {
            self.place.known.ranges[var.index()] = range;
        }
        self.release(mark);
    }

    fn root(&mut self, e: &mut Expr) {
        let wanted = self.wanted;
        if e.mentions(wanted) {
            self.expr(e);
        }
    }

    fn expr(&mut self, e: &mut Expr) {
        if let ExprKind::Call(call) = &mut e.kind
            && call.is_lazy_select()
            && let [cond, then, otherwise] = &mut call.args[..]
        {
            self.expr(cond);
            let is_plain = !cond.has_effect();
            for (arm, truth) in [(then, true), (otherwise, false)] {
                if cond.as_int().is_none() {
                    self.under(is_plain.then_some((&*cond, truth)), |s| s.expr(arm));
                } else if (cond.as_int() == Some(1)) == truth {
                    self.expr(arm);
                }
            }
            return;
        }
        if is_arithmetic(e) {
            self.operands(e);
            self.arithmetic(e);
            return;
        }
        e.for_each_child_mut(|part| self.expr(part));
        if let Some(better) = self.better(e) {
            *e = better;
        }
    }

    /// Makes a sum or a division shorter, or its parts if what it would become is longer or may not fit its type.
    fn arithmetic(&mut self, e: &mut Expr) {
        match self.reduced(e) {
            Some(Reduced::AsShort) => {}
            Some(Reduced::To(reduced)) => *e = reduced,
            None => e.for_each_child_mut(|part| {
                if is_arithmetic(part) {
                    self.arithmetic(part);
                }
            }),
        }
    }

    /// What sums and divisions are made of.
    fn operands(&mut self, e: &mut Expr) {
        e.for_each_child_mut(|part| {
            if is_arithmetic(part) {
                self.operands(part);
            } else {
                self.expr(part);
            }
        });
    }

    /// What may stand in place of an expression whose parts have been looked at.
    fn better(&mut self, e: &Expr) -> Option<Expr> {
        if !e.dtype.is_scalar() {
            return None;
        }
        match &e.kind {
            ExprKind::Not(a) => a.as_int().map(|a| Expr::bool(a == 0)),
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
                fold(*op, a, b).filter(|_| !e.has_effect())
            }
            ExprKind::Binary(op @ (BinOp::Min | BinOp::Max), a, b) if e.dtype.is_index() => {
                let below = |a: &Expr, b: &Expr| Expr::binary(BinOp::Le, a.clone(), b.clone());
                let first = match self.decided(&below(a, b)) {
                    Some(first) => first,
                    None => !self.decided(&below(b, a)).filter(|holds| *holds)?,
                };
                Some(if first == (*op == BinOp::Min) { (**a).clone() } else { (**b).clone() })
            }
            ExprKind::Binary(op, a, b) if op.is_compare() && a.dtype.is_index() => {
                self.decided(e).map(Expr::bool).or_else(|| without_addend(*op, a, b))
            }
            _ => None,
        }
    }

    /// The shortest form of a sum or a division that is found and fits its type.
    fn reduced(&mut self, e: &Expr) -> Option<Reduced> {
        let Local { place, points, scope, scopes, proofs, .. } = self;
        let Scope { answers, reduced, .. } = &mut scopes[*scope];
        if let Some(found) = reduced.get(e) {
            return found.clone();
        }
        let mut prove = |cond: &Expr| asked(place, points, answers, proofs, cond) == Some(true);
        let found = Sums::new(&place.known.ranges, &mut prove).reduced(e);
        let found = found.filter(|found| match found {
            Reduced::To(made) => place.fits(made),
            Reduced::AsShort => true,
        });
        reduced.insert(e.clone(), found.clone());
        found
    }

    /// The truth value of a comparison of integers, if it has the same one whenever this place is reached.
    fn decided(&mut self, cond: &Expr) -> Option<bool> {
        let ExprKind::Binary(op, a, b) = &cond.kind else { return None };
        if cond.dtype != DType::BOOL || cond.has_effect() {
            return None;
        }
        let range = {
            let mut prove = |_: &Expr| false;
            Sums::new(&self.place.known.ranges, &mut prove).difference(a, b)
        };
        let by_range = range.and_then(|range| match op {
            BinOp::Lt => truth(range.at_most(-1), range.at_least(0)),
            BinOp::Le => truth(range.at_most(0), range.at_least(1)),
            BinOp::Gt => truth(range.at_least(1), range.at_most(0)),
            BinOp::Ge => truth(range.at_least(0), range.at_most(-1)),
            BinOp::Eq => truth(range == Interval::point(0), !range.contains(0)),
            BinOp::Ne => truth(!range.contains(0), range == Interval::point(0)),
            _ => None,
        });
        by_range.or_else(|| {
            let Local { place, points, scope, scopes, proofs, .. } = self;
            asked(place, points, &mut scopes[*scope].answers, proofs, cond)
        })
    }
}

/// The truth value of a condition, if it is proven. It is asked for only where sample points leave it open.
fn asked(
    place: &Place<'_>,
    points: &Points,
    answers: &mut HashMap<Expr, Option<bool>>,
    proofs: &mut usize,
    cond: &Expr,
) -> Option<bool> {
    if let Some(&answer) = answers.get(cond) {
        return answer;
    }
    let truth = points.truth(cond).filter(|_| *proofs > 0)?;
    *proofs -= 1;
    // Only what the points say can be proven.
    let claim = if truth { cond.clone() } else { Expr::not(cond.clone()) };
    let answer = holds(&place.known, &claim).then_some(truth);
    answers.insert(cond.clone(), answer);
    answer
}

/// The comparison of a sum and a constant without the constant in the sum.
fn without_addend(op: BinOp, a: &Expr, b: &Expr) -> Option<Expr> {
    let less = |sum: &Expr, than: &Expr| {
        let (ExprKind::Binary(sign @ (BinOp::Add | BinOp::Sub), x, c), than) = (&sum.kind, than.as_int()?)
        else {
            return None;
        };
        let c = c.as_int()?;
        let left = if *sign == BinOp::Add { than.checked_sub(c)? } else { than.checked_add(c)? };
        let fits = sum.dtype.int_range().is_some_and(|(low, high)| (low..=high).contains(&i128::from(left)));
        fits.then(|| (Expr::clone(x), Expr::int(left, sum.dtype)))
    };
    match (less(a, b), less(b, a)) {
        (Some((x, left)), _) => Some(Expr::binary(op, x, left)),
        (None, Some((x, left))) => Some(Expr::binary(op, left, x)),
        (None, None) => None,
    }
}

/// A truth value by what shows each.
fn truth(holds: bool, fails: bool) -> Option<bool> {
    if holds { Some(true) } else { fails.then_some(false) }
}
