//! How often each place runs: trip counts of loops and probabilities of branches, statically.

use std::collections::BTreeMap;

use super::guards::{self, Axis, Domain, Fact};
use super::{Frequency, Profile};
use crate::ir::{
    AttrNode, AxisKind, BinOp, Expr, ExprKind, For, PrimFunc, SBlock, Stmt, StmtKind, VarId, value,
};

/// Values of symbolic dimensions and scalar parameters by name, as given with `--bind`.
///
/// ```
/// use satir::cost::{Bindings, Profile, cost_of_func};
///
/// let module = satir::parse(
///     "@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), n: T.int32):\n    for i in range(n):\n        A[i] = i + 1\n",
/// )?;
/// let cost = |bindings: &Bindings| cost_of_func(&module.funcs[0], &Profile::default(), bindings).total;
/// assert!(cost(&Bindings::from([("n".to_owned(), 1000)])) > cost(&Bindings::new()), "else a loop runs 32 times");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub type Bindings = BTreeMap<String, i64>;

/// Frequencies of the parts of statements, relative to the statement. Walk a function in program order and call
/// [`Places::enter`] on every statement, so that values of `Bind` statements are known to later loop bounds.
#[derive(Clone, Debug)]
pub(crate) struct Places<'p> {
    profile: &'p Profile,
    values: Vec<Option<i64>>,
    /// By variable, the values of a loop variable; none unless the profile counts them.
    axes: Vec<Option<Axis>>,
    /// The conditions that hold where the walk is, as far as it says so.
    given: Vec<Fact>,
}

/// Probabilities of the operands of an expression that are evaluated lazily.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LazyArms {
    /// Every operand is evaluated.
    None,
    /// The second operand (`and`, `or`).
    Second(Frequency),
    /// The second and the third (`T.if_then_else`).
    SecondThird(Frequency, Frequency),
}

impl<'p> Places<'p> {
    /// Starts at the head of `func`. `bindings` give values to its parameters and symbolic dimensions.
    pub(crate) fn new(func: &PrimFunc, profile: &'p Profile, bindings: &Bindings) -> Places<'p> {
        let mut values = Vec::new();
        if !bindings.is_empty() {
            values.resize(func.vars.len(), None);
            for var in free_vars(&func.body, func.vars.len()) {
                values[var.index()] = bindings.get(&*func.var(var).name).copied();
            }
        }
        Places { profile, values, axes: Vec::new(), given: Vec::new() }
    }

    /// Takes note of what the statement defines.
    pub(crate) fn enter(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Bind { var, value } => {
                let known = self.evaluate(value);
                self.define(*var, known);
            }
            StmtKind::For(f) if self.profile.exact_guards() => {
                let step = f.step.as_ref().map_or(Some(1), |step| self.evaluate(step));
                if let (Some(first), Some(extent), Some(step @ 1..)) =
                    (self.evaluate(&f.min), self.evaluate(&f.extent), step)
                {
                    let count = u64::try_from(extent).unwrap_or(0).div_ceil(step.unsigned_abs());
                    if self.axes.len() <= f.var.index() {
                        self.axes.resize(f.var.index() + 1, None);
                    }
                    self.axes[f.var.index()] = Some(Axis { first, step, count });
                }
            }
            _ => {}
        }
    }

    /// Goes into an arm of an `if`: what is under it is counted where the condition holds, or does not.
    pub(super) fn enter_arm(&mut self, cond: &Expr, truth: bool) {
        if self.profile.exact_guards() {
            self.given.push((cond.clone(), truth));
        }
    }

    /// Leaves the innermost arm.
    pub(super) fn leave_arm(&mut self) {
        self.given.pop();
    }

    fn domain(&self) -> Domain<'_> {
        Domain { axes: &self.axes, values: &self.values }
    }

    fn define(&mut self, var: VarId, value: Option<i64>) {
        if self.values.len() <= var.index() {
            self.values.resize(var.index() + 1, None);
        }
        self.values[var.index()] = value;
    }

    /// How many times the body of a loop runs.
    pub(crate) fn trip_count(&self, f: &For) -> Frequency {
        let step = f.step.as_ref().map_or(Some(1), |s| self.evaluate(s)).filter(|&s| s > 0);
        match (self.evaluate(&f.extent), step) {
            (Some(extent), Some(step)) => {
                let extent = u64::try_from(extent).unwrap_or(0);
                Frequency::times(extent.div_ceil(step.unsigned_abs()))
            }
            (_, step) => match self.mean_trip_count(f, step) {
                Some(mean) => mean,
                None => Frequency::times(self.profile.default_extent()),
            },
        }
    }

    /// How many times the body of a loop runs on average, if that follows from the loops around it.
    fn mean_trip_count(&self, f: &For, step: Option<i64>) -> Option<Frequency> {
        if !self.profile.exact_guards() || step != Some(1) {
            return None;
        }
        let (sum, points) = guards::mean(self.domain(), &f.extent)?;
        Some(Frequency::times(sum).over(points))
    }

    /// How many threads a launch of `extent` threads starts.
    pub(crate) fn threads(&self, extent: &Expr) -> Frequency {
        match self.evaluate(extent) {
            Some(n) => Frequency::times(u64::try_from(n).unwrap_or(0)),
            None => Frequency::times(self.profile.default_extent()),
        }
    }

    /// How many times the condition and body of a `while` run.
    pub(crate) fn while_count(&self) -> Frequency {
        Frequency::times(self.profile.default_extent())
    }

    /// How many times the body of an attribute statement runs: once unless it binds a thread.
    pub(crate) fn attr_count(&self, node: &AttrNode, key: &str, value: &Expr) -> Frequency {
        match node {
            AttrNode::IterVar { .. } if matches!(key, "thread_extent" | "virtual_thread") => {
                self.threads(value)
            }
            AttrNode::IterVar { .. }
            | AttrNode::Value(_)
            | AttrNode::Var(_)
            | AttrNode::Buffer(_)
            | AttrNode::CommReducer(_) => Frequency::ONE,
        }
    }

    /// The probabilities of the two arms of an `if`.
    pub(crate) fn branches(&self, cond: &Expr) -> (Frequency, Frequency) {
        self.counted(cond).unwrap_or_else(|| branches(self.profile, cond))
    }

    /// The probabilities of the two arms by counting, where the profile wants it and it can be done.
    fn counted(&self, cond: &Expr) -> Option<(Frequency, Frequency)> {
        if !self.profile.exact_guards() {
            return None;
        }
        let share = guards::share(self.domain(), &self.given, cond)?;
        let part = |count: u64| Frequency::times(count).over(share.of);
        Some((part(share.holds), part(share.of.saturating_sub(share.holds))))
    }

    /// Which operands of `e` are evaluated lazily here, and how probable each is.
    pub(super) fn lazy_arms(&self, e: &Expr) -> LazyArms {
        if self.profile.exact_guards() {
            match &e.kind {
                ExprKind::Binary(op @ (BinOp::And | BinOp::Or), first, _) => {
                    if let Some((holds, fails)) = self.counted(first) {
                        return LazyArms::Second(if *op == BinOp::And { holds } else { fails });
                    }
                }
                _ => {
                    if let Some(("if_then_else", [cond, _, _])) = e.as_intrin()
                        && let Some((holds, fails)) = self.counted(cond)
                    {
                        return LazyArms::SecondThird(holds, fails);
                    }
                }
            }
        }
        lazy_arms(self.profile, e)
    }

    /// How often the expressions of the statement itself are evaluated each time that it runs.
    pub(crate) fn head_count(&self, stmt: &Stmt) -> Frequency {
        if matches!(stmt.kind, StmtKind::While { .. }) { self.while_count() } else { Frequency::ONE }
    }

    /// How often each block of the statement runs each time that the statement does, in the order of
    /// [`Stmt::for_each_block`].
    pub(crate) fn block_counts(&self, stmt: &Stmt) -> [Frequency; 2] {
        match &stmt.kind {
            StmtKind::For(f) => [self.trip_count(f); 2],
            StmtKind::While { .. } => [self.while_count(); 2],
            StmtKind::If { cond, .. } => {
                let (then, otherwise) = self.branches(cond);
                [then, otherwise]
            }
            StmtKind::Attr { node, key, value, .. } => [self.attr_count(node, key, value); 2],
            StmtKind::LaunchThread { extent, .. } => [self.threads(extent); 2],
            StmtKind::SBlock(b) => self.sblock_counts(b),
            StmtKind::Bind { .. }
            | StmtKind::Store { .. }
            | StmtKind::Evaluate(_)
            | StmtKind::Assert { .. }
            | StmtKind::Alloc { .. }
            | StmtKind::Decl { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_) => [Frequency::ONE; 2],
        }
    }

    fn sblock_counts(&self, block: &SBlock) -> [Frequency; 2] {
        let body = match &block.predicate {
            Some(cond) => self.branches(cond).0,
            None => Frequency::ONE,
        };
        if block.init.is_none() {
            return [body; 2];
        }
        let reduce = block.axes.iter().filter(|a| a.kind == AxisKind::Reduce);
        let init = reduce.fold(body, |f, axis| {
            let extent = self.evaluate(&axis.extent).and_then(|n| u64::try_from(n).ok());
            f.over(extent.unwrap_or(self.profile.default_extent()))
        });
        [init, body]
    }

    /// The value of an integer expression if it follows from constants and known variables.
    pub(crate) fn evaluate(&self, e: &Expr) -> Option<i64> {
        value::evaluate(e, &|var| self.values.get(var.index()).copied().flatten().map(value::Value::Int))?
            .as_int()
    }
}

/// Which operands of `e` are evaluated lazily, and how probable each is.
pub(crate) fn lazy_arms(profile: &Profile, e: &Expr) -> LazyArms {
    match &e.kind {
        ExprKind::Binary(op, ..) if op.is_logic() => LazyArms::Second(profile.branch()),
        ExprKind::Call(_) => match e.as_intrin() {
            Some(("if_then_else", [cond, _, _])) => {
                let (then, otherwise) = branches(profile, cond);
                LazyArms::SecondThird(then, otherwise)
            }
            _ => LazyArms::None,
        },
        _ => LazyArms::None,
    }
}

impl LazyArms {
    /// The probability that operand `index` is evaluated when the expression is.
    pub(crate) fn probability(self, index: usize) -> Frequency {
        match (self, index) {
            (LazyArms::Second(p) | LazyArms::SecondThird(p, _), 1) => p,
            (LazyArms::SecondThird(_, p), 2) => p,
            (LazyArms::None | LazyArms::Second(_) | LazyArms::SecondThird(..), _) => Frequency::ONE,
        }
    }

    /// Whether operand `index` may stay unevaluated.
    pub(crate) fn is_lazy(self, index: usize) -> bool {
        match self {
            LazyArms::None => false,
            LazyArms::Second(_) => index == 1,
            LazyArms::SecondThird(..) => index == 1 || index == 2,
        }
    }
}

fn branches(profile: &Profile, cond: &Expr) -> (Frequency, Frequency) {
    if is_likely(cond) {
        (profile.likely(), profile.likely().complement())
    } else {
        (profile.branch(), profile.branch())
    }
}

/// Whether a condition is under `T.likely`, as a whole or in both operands of an `and`.
fn is_likely(cond: &Expr) -> bool {
    match &cond.kind {
        ExprKind::Binary(BinOp::And, a, b) => is_likely(a) && is_likely(b),
        _ => matches!(cond.as_intrin(), Some(("likely", _))),
    }
}

/// The variables that a caller gives values to, in order: scalar parameters and symbolic dimensions. Those of a function
/// with `vars` variables and this body.
pub(crate) fn free_vars(body: &[Stmt], vars: usize) -> Vec<VarId> {
    let mut defined = vec![false; vars];
    mark_definitions(body, &mut defined);
    (0..vars).filter(|&i| !defined[i]).map(|i| VarId(i as u32)).collect()
}

fn mark_definitions(block: &[Stmt], defined: &mut [bool]) {
    let mut mark = |v: VarId| {
        if let Some(d) = defined.get_mut(v.index()) {
            *d = true;
        }
    };
    for stmt in block {
        match &stmt.kind {
            StmtKind::Bind { var, .. } | StmtKind::LaunchThread { var, .. } => mark(*var),
            StmtKind::For(f) => mark(f.var),
            StmtKind::SBlock(b) => b.axes.iter().for_each(|a| mark(a.var)),
            StmtKind::Attr { node: AttrNode::IterVar { var, .. }, .. } => mark(*var),
            StmtKind::Attr { .. }
            | StmtKind::Store { .. }
            | StmtKind::Evaluate(_)
            | StmtKind::While { .. }
            | StmtKind::If { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Alloc { .. }
            | StmtKind::Decl { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_) => {}
        }
    }
    for stmt in block {
        stmt.for_each_block(|b| mark_definitions(b, defined));
    }
}
