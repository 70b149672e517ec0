//! The pass `hoist`: conditions that no iteration changes go out of loops, as far out as they can.

use hashbrown::HashSet;

use super::bounds::{conjunction, conjuncts};
use super::copy::{copy, defined, mentions, mentions_any};
use super::place::{Path, Place, block_at, for_each_loop, is_plain, is_simple, loop_at, replace};
use crate::analysis::length;
use crate::analysis::side_effects::reads_or_has_side_effects;
use crate::cse::{Hoisting, Options};
use crate::ir::{BinOp, Block, DType, Expr, ExprKind, For, ForKind, PrimFunc, Stmt, StmtKind, VarId};
use crate::simplify::{prove, tidy};

/// How many times as long a function may become.
const GROWTH: usize = 2;

/// The most steps for a function.
const MAX_STEPS: usize = 256;

/// What can go out of a loop.
enum Step {
    /// The condition around the whole body, or a part of it; what is left of it.
    Around(Expr, Option<Expr>),
    /// A condition somewhere in the body: one loop where it holds, and one where it does not.
    Within(Expr),
    /// The binding that the body starts with.
    Binding,
    /// A binding within an expression, by its variable.
    Let(VarId),
}

/// Hoists conditions in place. Whether anything changed.
pub(super) fn hoist(func: &mut PrimFunc, options: &Options) -> bool {
    let longest = length::of(func).saturating_mul(GROWTH).max(64);
    let mut changed = false;
    for _ in 0..MAX_STEPS {
        let mut steps = Vec::new();
        let threads = Threads::of(func);
        let mut place = Place::head(func, options.positive_dims);
        for_each_loop(&mut place, &func.body, &mut Path::new(), &mut |path, l, place| {
            let in_kernel = || threads.has_around(&func.body, path);
            let nest = || Nest::new(place, l, options.loops.hoisting, &threads);
            let found = match l.kind {
                // One of several loops over the threads of a kernel: the condition stays in the kernel.
                ForKind::ThreadBinding(_) if is_simple(func, l) && in_kernel() => around(&nest()),
                _ if is_plain(func, l) => self::steps(&nest()),
                _ => Vec::new(),
            };
            steps.extend(found.into_iter().map(|step| (path.clone(), step)));
        });
        // Inner loops first: what leaves one may leave the next.
        let taken = steps.into_iter().rev().find_map(|(path, step)| {
            let mut made = func.clone();
            apply(&mut made, &path, step)?;
            (length::of(&made) <= longest).then_some(made)
        });
        let Some(made) = taken else { break };
        *func = made;
        changed = true;
    }
    if changed {
        join(&mut func.body);
        // Copies in which a condition does not hold may do nothing.
        tidy(func);
    }
    changed
}

fn apply(func: &mut PrimFunc, path: &Path, step: Step) -> Option<()> {
    let mut l = loop_at(&func.body, path)?.clone();
    let made = match step {
        Step::Around(cond, left) => {
            let Some(Stmt { kind: StmtKind::If { then, .. }, .. }) = l.body.pop() else { return None };
            l.body = match left {
                Some(cond) => vec![Stmt::guarded(cond, then)],
                None => then,
            };
            vec![branch(cond, vec![looping(l)], Block::new())]
        }
        Step::Within(cond) => {
            let then = with(func, l.clone(), &cond, true);
            let otherwise = with(func, l, &cond, false);
            let otherwise = copy(func, &vec![looping(otherwise)], &[]);
            vec![branch(cond, vec![looping(then)], otherwise)]
        }
        Step::Binding => {
            let binding = l.body.remove(0);
            vec![binding, looping(l)]
        }
        Step::Let(var) => {
            let mut value = None;
            unbind(&mut l.body, var, &mut value);
            vec![Stmt::new(StmtKind::Bind { var, value: value? }), looping(l)]
        }
    };
    replace(&mut func.body, path, made);
    Some(())
}

fn looping(l: For) -> Stmt {
    Stmt::new(StmtKind::For(Box::new(l)))
}

fn branch(cond: Expr, then: Block, otherwise: Block) -> Stmt {
    Stmt::new(StmtKind::If { cond, then, otherwise })
}

/// What tells the threads of a kernel apart.
struct Threads {
    /// The variables of threads and blocks of threads; none on a CPU.
    vars: HashSet<VarId>,
    /// All variables that the statements define: each may differ from thread to thread.
    defined: HashSet<VarId>,
}

impl Threads {
    fn of(func: &PrimFunc) -> Threads {
        let mut vars = HashSet::new();
        for stmt in &func.body {
            stmt.walk(&mut |stmt| vars.extend(thread_var(stmt)));
        }
        let defined = if vars.is_empty() { HashSet::new() } else { defined(&func.body) };
        Threads { vars, defined }
    }

    /// Whether the statement at the end of a path stands in one over threads.
    fn has_around(&self, body: &Block, path: &Path) -> bool {
        (1..path.len()).any(|depth| {
            let outer = path[..depth].last().and_then(|&(at, _)| block_at(body, &path[..depth])?.get(at));
            outer.is_some_and(|stmt| thread_var(stmt).is_some())
        })
    }

    /// Whether threads that run a body may run it by this condition: they must not wait for each other where some of them are
    /// not.
    fn may_part(&self, cond: &Expr, body: &Block, flags: Hoisting) -> bool {
        match () {
            () if self.vars.is_empty() => true,
            () if acts(body) => !mentions_any(cond, &self.defined),
            () => flags.thread_variables || !mentions_any(cond, &self.vars),
        }
    }
}

/// The variable of a statement over threads.
fn thread_var(stmt: &Stmt) -> Option<VarId> {
    match &stmt.kind {
        StmtKind::LaunchThread { var, .. } => Some(*var),
        StmtKind::For(l) if matches!(l.kind, ForKind::ThreadBinding(_)) => Some(l.var),
        _ => None,
    }
}

/// A loop, and what is asked when something is to leave it.
struct Nest<'a> {
    place: &'a Place<'a>,
    l: &'a For,
    flags: Hoisting,
    threads: &'a Threads,
    /// What varies from iteration to iteration.
    defined: HashSet<VarId>,
}

impl<'a> Nest<'a> {
    fn new(place: &'a Place<'a>, l: &'a For, flags: Hoisting, threads: &'a Threads) -> Nest<'a> {
        let mut defined = defined(&l.body);
        defined.insert(l.var);
        Nest { place, l, flags, threads, defined }
    }

    /// Whether no iteration changes an expression and it may be evaluated in front of the loop. What traps nowhere may be, also
    /// if the loop never runs.
    fn is_fixed(&self, e: &Expr) -> bool {
        e.as_int().is_none()
            && !mentions_any(e, &self.defined)
            && self.place.is_free(e)
            && self.threads.may_part(e, &self.l.body, self.flags)
    }
}

/// The condition around the whole body of a loop, as far as it can go out.
fn around(nest: &Nest<'_>) -> Vec<Step> {
    let Nest { l, flags, .. } = *nest;
    if let [Stmt { kind: StmtKind::If { cond, otherwise, .. }, .. }] = &l.body[..]
        && (flags.statements || flags.truths)
        && otherwise.is_empty()
        && !cond.has_effect()
    {
        let (out, left): (Vec<Expr>, Vec<Expr>) =
            conjuncts(cond).into_iter().partition(|part| nest.is_fixed(part));
        return conjunction(out).map(|cond| Step::Around(cond, conjunction(left))).into_iter().collect();
    }
    Vec::new()
}

/// What can go out of a loop, by what is asked for.
fn steps(nest: &Nest<'_>) -> Vec<Step> {
    let mut steps = around(nest);
    if !steps.is_empty() {
        return steps;
    }
    let Nest { place, l, flags, ref defined, .. } = *nest;
    if let [Stmt { kind: StmtKind::Bind { var, value }, .. }, rest @ ..] = &l.body[..] {
        let is_asked = flags.all_bindings || flags.bindings && decides(rest, *var);
        if is_asked && !reads_or_has_side_effects(value) && nest.is_fixed(value) {
            steps.push(Step::Binding);
        }
    }
    if flags.let_expressions {
        let mut bound: Vec<VarId> = Vec::new();
        for stmt in &l.body {
            stmt.walk(&mut |stmt| {
                stmt.for_each_expr(|e| {
                    e.walk(&mut |e| {
                        if let ExprKind::Let(var, value, _) = &e.kind
                            && !bound.contains(var)
                            && !mentions_any(value, defined)
                            && place.is_free(value)
                        {
                            bound.push(*var);
                        }
                    });
                });
            });
        }
        steps.extend(bound.into_iter().rev().map(Step::Let));
    }
    let mut conditions: Vec<Expr> = Vec::new();
    let mut offer = |cond: &Expr| {
        if cond.dtype.is_bool() && nest.is_fixed(cond) && !conditions.contains(cond) {
            conditions.push(cond.clone());
        }
    };
    for stmt in &l.body {
        stmt.walk(&mut |stmt| {
            if let StmtKind::If { cond, .. } = &stmt.kind
                && flags.statements
            {
                offer(cond);
            }
            if is_assumption(stmt) {
                return;
            }
            let is_if = matches!(stmt.kind, StmtKind::If { .. });
            stmt.for_each_expr(|e| {
                e.walk(&mut |e| match &e.kind {
                    ExprKind::Select(select) if flags.expressions => offer(&select.cond),
                    ExprKind::Call(call) if flags.expressions && call.is_lazy_select() => {
                        offer(&call.args[0])
                    }
                    ExprKind::Binary(op, ..) if flags.truths && (op.is_compare() || op.is_logic()) => {
                        offer(e)
                    }
                    _ if flags.truths && is_if && e.dtype.is_bool() && e.as_var().is_some() => offer(e),
                    _ => {}
                });
            });
        });
    }
    steps.extend(conditions.into_iter().rev().map(Step::Within));
    steps
}

/// Whether anything in the statements has an effect besides stores.
fn acts(block: &Block) -> bool {
    let mut found = false;
    for stmt in block {
        stmt.walk(&mut |stmt| stmt.for_each_expr(|e| found |= e.has_effect()));
    }
    found
}

/// Takes the bindings of a variable out of expressions. Its value comes out.
fn unbind(block: &mut Block, var: VarId, value: &mut Option<Expr>) {
    fn in_expr(e: &mut Expr, var: VarId, found: &mut Option<Expr>) {
        while let ExprKind::Let(own, value, body) = &mut e.kind
            && *own == var
        {
            found.get_or_insert_with(|| (**value).clone());
            let body = std::mem::replace(&mut **body, Expr::bool(false));
            *e = body;
        }
        e.for_each_child_mut(|part| in_expr(part, var, found));
    }
    for stmt in block {
        stmt.for_each_expr_mut(|e| in_expr(e, var, value));
        stmt.for_each_block_mut(|inner| unbind(inner, var, value));
    }
}

/// Whether a condition in these statements reads the variable.
fn decides(block: &[Stmt], var: VarId) -> bool {
    let mut found = false;
    for stmt in block {
        stmt.walk(&mut |stmt| {
            if let StmtKind::If { cond, .. } = &stmt.kind {
                found |= mentions(cond, var);
            }
        });
    }
    found
}

fn is_assumption(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Evaluate(e) if matches!(e.as_intrin(), Some(("assume", _))))
}

/// The loop where a condition has this truth value.
fn with(func: &PrimFunc, mut l: For, cond: &Expr, truth: bool) -> For {
    let mut place = Place::head(func, false);
    place.assume(cond, truth);
    Arm { cond, truth, place }.settle(&mut l.body);
    l
}

/// What is known in one of the two copies of a loop.
struct Arm<'a> {
    cond: &'a Expr,
    truth: bool,
    place: Place<'a>,
}

impl Arm<'_> {
    fn settle(&self, block: &mut Block) {
        let statements = std::mem::take(block);
        for mut stmt in statements {
            if !is_assumption(&stmt) {
                stmt.for_each_expr_mut(|e| self.put(e));
            }
            stmt.for_each_block_mut(|inner| self.settle(inner));
            match stmt.kind {
                StmtKind::If { cond, then, otherwise } if cond.as_int().is_some() => {
                    block.extend(if cond.as_int() == Some(0) { otherwise } else { then });
                }
                kind => block.push(Stmt { span: stmt.span, kind }),
            }
        }
    }

    /// What the condition says of an expression: of itself, and of comparisons of what it compares.
    fn decides(&self, e: &Expr) -> Option<bool> {
        if e == self.cond {
            return Some(self.truth);
        }
        let compares = |e: &Expr| matches!(&e.kind, ExprKind::Binary(op, ..) if op.is_compare());
        let related = |var| mentions(self.cond, var);
        let asks = compares(e) && compares(self.cond) && e.mentions(related) && !reads_or_has_side_effects(e);
        if asks { prove(&self.place.known, e, false) } else { None }
    }

    /// Puts truth values in the place of conditions that are decided, and the arm that is taken in the place of choices by
    /// them.
    fn put(&self, e: &mut Expr) {
        if let Some(truth) = self.decides(e) {
            *e = Expr::bool(truth);
            return;
        }
        e.for_each_child_mut(|part| self.put(part));
        fold(e);
        let arms = match &mut e.kind {
            ExprKind::Select(select) if select.cond.as_int().is_some() => {
                let dropped = if select.cond.as_int() == Some(0) { &select.then } else { &select.otherwise };
                (!dropped.has_effect())
                    .then(|| (select.cond.clone(), select.then.clone(), select.otherwise.clone()))
            }
            ExprKind::Call(call) if call.is_lazy_select() && call.args[0].as_int().is_some() => {
                Some((call.args[0].clone(), call.args[1].clone(), call.args[2].clone()))
            }
            _ => None,
        };
        if let Some((cond, then, otherwise)) = arms {
            *e = if cond.as_int() == Some(0) { otherwise } else { then };
        }
    }
}

/// Joins neighbouring branches by one condition, such as a branch that came out of a loop and the one in front of it. The
/// condition reads no memory, so that the first one's arms do not change it.
fn join(block: &mut Block) {
    let room = Block::with_capacity(block.len());
    for mut stmt in std::mem::replace(block, room) {
        stmt.for_each_block_mut(join);
        if let StmtKind::If { cond, then, otherwise } = &mut stmt.kind
            && let Some(Stmt { kind: StmtKind::If { cond: before, then: first, otherwise: other }, .. }) =
                block.last_mut()
            && before == cond
            && !reads_or_has_side_effects(cond)
        {
            first.append(then);
            other.append(otherwise);
        } else {
            block.push(stmt);
        }
    }
}

/// Takes constants out of `and`, `or`, `not` and conversions.
fn fold(e: &mut Expr) {
    let folded = match &e.kind {
        ExprKind::Not(a) => a.as_int().map(|a| Expr::bool(a == 0)),
        ExprKind::Cast(a) if a.dtype == DType::BOOL && e.dtype.is_integral() && e.dtype.is_scalar() => {
            a.as_int().map(|a| Expr::int(a, e.dtype))
        }
        ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
            let decides = i64::from(*op == BinOp::Or);
            match (a.as_int(), b.as_int()) {
                (Some(a), _) if a == decides => Some(Expr::bool(decides != 0)),
                (_, Some(b)) if b == decides && !a.has_effect() => Some(Expr::bool(decides != 0)),
                (Some(_), _) => Some((**b).clone()),
                (_, Some(b)) if b != decides => Some((**a).clone()),
                _ => None,
            }
        }
        _ => None,
    };
    if let Some(folded) = folded {
        *e = folded;
    }
}
