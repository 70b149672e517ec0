//! Contextual simplification: expressions and conditions under what their place guarantees.
//!
//! The statements are walked with the facts in force: ranges of loop variables (also symbolic ones, and that the
//! loop runs at all), conditions of enclosing `if`s, `while`s and blocks, asserts and assumptions that were passed.
//! All expressions of one block that stand under the same facts are put into one small contextual e-graph
//! (`region`); what is cheaper there replaces what stood there. Nothing is shared with any other place, so no
//! fact can leak. A fact that reads memory is forgotten where something may write there, loops' back edges
//! included.
//!
//! Conditions are first put to the decision procedure of `arith` (`prove`, `settle`).
//!
//! Statements follow: branches that are never taken and loops that never run go, a condition that the other
//! conditions of its nest imply goes (`conditions`), so does one both of whose arms do the same (`arms`), neighbours
//! with equal or opposite conditions merge (`merge`), and what does nothing goes (`idle`).

mod access;
mod answers;
mod arms;
mod assume;
mod base;
mod conditions;
mod defined;
mod divisors;
mod elements;
mod engine;
mod entail;
mod graph;
mod idle;
mod inline;
mod kept;
mod lanes;
mod learn;
mod merge;
mod narrow;
mod negated;
mod points;
mod prove;
mod question;
mod recalled;
mod region;
mod sample;
mod settle;
mod shapes;
mod signs;
mod trapping;
mod widen;

use std::cell::{Cell, OnceCell};
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashSet;

pub(crate) use self::arms::owed;
pub(crate) use self::assume::{assume, assume_parts};
pub use self::engine::Reach;
use self::engine::{Engine, Graphs};
pub(crate) use self::idle::tidy;
pub(crate) use self::inline::inlined;
pub(crate) use self::prove::{holds, prove};
pub(crate) use self::shapes::known;
use crate::analysis::alias;
use crate::analysis::known::Known;
use crate::analysis::magnitude::Magnitudes;
use crate::analysis::memory::Written;
use crate::analysis::ranges::extent_range;
use crate::analysis::recall;
use crate::analysis::roots::visit_roots;
use crate::analysis::side_effects::reads_or_has_side_effects;
use crate::analysis::volatile;
use crate::arith::Interval;
use crate::arith::linear::Prover;
use crate::cost::{Profile, cost_of_expr, free_vars};
use crate::egraph::TheoryLevel;
use crate::ir::{
    AttrNode, BinOp, Block, BufferId, DType, Expr, ExprKind, For, PrimFunc, SBlock, Stmt, StmtKind, VarId,
    with_room,
};
use crate::rewrite::Rewrites;
use crate::target::{Ties, tvm};

/// What a run changed.
///
/// ```
/// use satir::cost::Profile;
/// use satir::cse::Options;
/// use satir::simplify::{self, Reach, Settings};
///
/// # let mut module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,))):\n    for i in range(9):\n        if i < 9:\n            A[i] = T.float32(0)\n")?;
/// let options = Options::default();
/// let profile = Profile::default();
/// let rewrites = &options.rewrites;
/// let settings = Settings { profile: &profile, rewrites, reach: Reach::Everything, positive_dims: false };
/// let done = simplify::run(&mut module.funcs[0], &settings);
/// assert_eq!(done.conditions, 1);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Simplified {
    /// Expressions replaced by cheaper ones.
    pub expressions: usize,
    /// Conditions dropped because others imply them, branches and loops that never run.
    pub conditions: usize,
}

impl Simplified {
    /// Whether anything changed.
    ///
    /// ```
    /// use satir::simplify::Simplified;
    ///
    /// assert!(Simplified { expressions: 0, conditions: 1 }.any());
    /// assert!(!Simplified::default().any());
    /// ```
    pub fn any(self) -> bool {
        self.expressions + self.conditions > 0
    }
}

/// What a run is told.
///
/// ```
/// use satir::cost::Profile;
/// use satir::cse::Options;
/// use satir::simplify::{self, Reach, Settings};
///
/// let mut module = satir::parse("@T.prim_func\ndef main(a: T.handle):\n    n = T.int32()\n    A = T.match_buffer(a, (n,))\n    if n > 0:\n        A[0] = T.float32(0)\n")?;
/// let options = Options::default();
/// let profile = Profile::default();
/// let rewrites = &options.rewrites;
/// let settings = Settings { profile: &profile, rewrites, reach: Reach::Everything, positive_dims: false };
/// assert!(!simplify::run(&mut module.funcs[0], &settings).any(), "`n` may be 0");
/// assert!(simplify::run(&mut module.funcs[0], &Settings { positive_dims: true, ..settings }).any());
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// Which of two equal expressions is cheaper.
    pub profile: &'a Profile,
    /// The rewrite rules.
    pub rewrites: &'a Rewrites,
    /// Which expressions are simplified.
    pub reach: Reach,
    /// Whether no dimension of a parameter's buffer is zero.
    pub positive_dims: bool,
}

/// Simplifies a function in place.
///
/// ```
/// use satir::cost::Profile;
/// use satir::cse::Options;
/// use satir::simplify::{self, Reach, Settings};
///
/// let mut module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,))):\n    for i in range(9):\n        if i * 2 < 18:\n            A[i] = T.float32(0)\n")?;
/// let options = Options::default();
/// let profile = Profile::default();
/// let rewrites = &options.rewrites;
/// let settings = Settings { profile: &profile, rewrites, reach: Reach::Everything, positive_dims: false };
/// simplify::run(&mut module.funcs[0], &settings);
/// assert!(!module.to_string().contains("if"));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn run(func: &mut PrimFunc, settings: &Settings<'_>) -> Simplified {
    with_room(|| run_with_room(func, settings))
}

fn run_with_room(func: &mut PrimFunc, settings: &Settings<'_>) -> Simplified {
    // What a caller shielded stays so.
    let shielded = volatile::shielded(func);
    let is_shielded_here = shielded.is_some();
    let mut made = shielded.unwrap_or_else(|| func.clone());
    let done = simplify(&mut made, settings);
    if is_shielded_here {
        volatile::unshield(&mut made);
    }
    tvm::keep(func, &mut made);
    *func = made;
    done
}

fn simplify(func: &mut PrimFunc, settings: &Settings<'_>) -> Simplified {
    let inlined = inline::inline(func);
    let done = run_without_lets(func, settings);
    Simplified { expressions: inlined + done.expressions, ..done }
}

/// As [`run`], if no expression of the function binds.
pub(crate) fn run_without_lets(func: &mut PrimFunc, settings: &Settings<'_>) -> Simplified {
    if settings.rewrites.theory() < TheoryLevel::Full {
        // What a place guarantees is put to use by the theory.
        return Simplified { expressions: 0, conditions: 0 };
    }
    let mut done = walk(func, settings, None);
    if elements::state(func) {
        let more = walk(func, settings, None);
        elements::take_back(&mut func.body);
        done.expressions += more.expressions;
        done.conditions += more.conditions + tidy(func);
    }
    done
}

/// As [`run`], without asking what elements of buffers hold: one walk, for an estimate.
pub(crate) fn run_without_elements(func: &mut PrimFunc, settings: &Settings<'_>) {
    with_room(|| {
        inline::inline(func);
        if settings.rewrites.theory() == TheoryLevel::Full {
            walk(func, settings, None);
        }
    });
}

/// The assumptions (`T.assume`) that are false wherever control comes to them, as far as that can be seen: what the program
/// does there means nothing.
pub(crate) fn refuted_assumptions(func: &PrimFunc, settings: &Settings<'_>) -> Vec<Stmt> {
    let mut assumes = false;
    func.body.iter().for_each(|stmt| stmt.walk(&mut |stmt| assumes |= assumption(stmt).is_some()));
    let mut refuted = Vec::new();
    if assumes {
        with_room(|| walk(&mut func.clone(), settings, Some(&mut refuted)));
    }
    refuted
}

/// One walk over the function. Assumptions that are false where they stand are added to `refuted`, if that is given.
fn walk(func: &mut PrimFunc, settings: &Settings<'_>, refuted: Option<&mut Vec<Stmt>>) -> Simplified {
    let known = shapes::known(func, settings.positive_dims);
    let numbers = if refuted.is_none() { kept::Numbers::of(func) } else { None };
    let body = std::mem::take(&mut func.body);
    let parameters = free_vars(&body, func.vars.len());
    let graphs = Graphs {
        func,
        profile: settings.profile,
        rewrites: settings.rewrites,
        reach: settings.reach,
        ties: Ties::Input,
    };
    let mut engine = Engine {
        graphs,
        work: Cell::new(0),
        sampler: sample::Sampler::default(),
        base: base::Base::new(known.clone(), parameters),
        answers: Rc::default(),
        tables: OnceCell::new(),
    };
    if let Some(answers) = recalled::answers(&engine, &known) {
        engine.answers = answers;
    }
    let has_sizes = access::has_sizes(func);
    let done = Simplified { expressions: 0, conditions: 0 };
    let in_divisors = divisors::in_divisors(&body);
    let mut simplifier =
        Simplifier { engine, known, has_sizes, done, shapes: Vec::new(), in_divisors, refuted };
    let body = simplifier.own(body, numbers);
    let Simplifier { done, shapes, .. } = simplifier;
    func.body = body;
    for (buffer, shape) in shapes {
        func.buffers[buffer.index()].shape = shape;
    }
    done
}

/// The cheapest equal expression found for one expression, given ranges of variables ([`VarId`] is the index) and
/// conditions that hold. A condition that is decided becomes a constant. `func` is the table of variables. Integers of
/// `int32` and `int64` count as unbounded, as TVM's analyzer takes them: what is computed anew is not asked to fit.
///
/// ```
/// use satir::arith::Interval;
/// use satir::cost::Profile;
/// use satir::cse::Options;
/// use satir::ir::DType;
/// use satir::ir::build::FuncBuilder;
/// use satir::script::{parse_expr, print_expr};
/// use satir::simplify;
///
/// let mut b = FuncBuilder::new("main");
/// b.param("x", DType::I32);
/// let mut func = b.finish();
/// let e = parse_expr("(x * 8 + 5) // 8", &mut func)?;
/// let profile = Profile::default();
/// let rewrites = &Options::default().rewrites;
/// let simple = simplify::expression(&func, &profile, rewrites, vec![Interval::ALL], &[], &e);
/// assert_eq!(print_expr(&func, &simple), "x");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[doc(hidden)]
pub fn expression(
    func: &PrimFunc,
    profile: &Profile,
    rewrites: &Rewrites,
    ranges: Vec<Interval>,
    conds: &[Expr],
    e: &Expr,
) -> Expr {
    let engine = Engine {
        graphs: Graphs { func, profile, rewrites, reach: Reach::Everything, ties: Ties::Shorter },
        work: Cell::new(0),
        sampler: sample::Sampler::default(),
        base: base::Base::default(),
        answers: Rc::default(),
        tables: OnceCell::new(),
    };
    let magnitudes = Arc::new(Magnitudes::unbounded());
    let mut known = Known { ranges: ranges.into(), magnitudes, ..Known::default() };
    for cond in conds {
        assume(&mut known, cond, true);
    }
    narrow::by_facts(&mut known);
    if rewrites.theory() < TheoryLevel::Full {
        return graph::by_graph(&engine, &known, e);
    }
    if e.dtype == DType::BOOL
        && !e.has_effect()
        && let Some(truth) = prove::prover(&known).decide(e, Prover::FUEL)
    {
        return Expr::bool(truth);
    }
    // If a divisor is zero the expression has no value, so every other one is as good.
    defined::conditions(e).into_iter().for_each(|condition| known.learn(condition, true));
    let mut simplest = |mut result: Expr| {
        engine.work.set(0);
        for _ in 0..MAX_PASSES {
            let mut replaced = region::replace(&engine, &known, &mut [&mut result]);
            replaced += region::simplify_arms(&engine, &mut known, &mut result);
            if replaced == 0 || engine.work.get() > MAX_WORK {
                break;
            }
        }
        result
    };
    let mut result = simplest(e.clone());
    if let Some(wide) = widen::widened(e).map(simplest)
        && cost_of_expr(profile, &wide) < cost_of_expr(profile, &result)
    {
        result = wide;
    }
    negated::as_products(&mut result);
    result
}

/// What [`expression`] takes for granted besides what it is told: that no divisor which is evaluated in any case is zero,
/// as the expression would have no value otherwise.
///
/// ```
/// use satir::ir::DType;
/// use satir::ir::build::FuncBuilder;
/// use satir::script::{parse_expr, print_expr};
///
/// let mut b = FuncBuilder::new("main");
/// b.param("x", DType::I32);
/// let mut func = b.finish();
/// let e = parse_expr("7 // x", &mut func)?;
/// assert_eq!(print_expr(&func, &satir::simplify::taken_for_granted(&e)[0]), "x != 0");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[doc(hidden)]
pub fn taken_for_granted(e: &Expr) -> Vec<Expr> {
    defined::conditions(e)
}

/// The most passes over one expression; each may let the next see more.
const MAX_PASSES: usize = 4;

/// After how many e-nodes of all its graphs an expression gets no further pass.
const MAX_WORK: usize = 1_000;

struct Simplifier<'a> {
    engine: Engine<'a>,
    known: Known,
    /// Whether accesses may say something of sizes.
    has_sizes: bool,
    done: Simplified,
    /// New shapes of allocated buffers.
    shapes: Vec<(BufferId, Vec<Expr>)>,
    /// The variables on whose values divisors depend.
    in_divisors: HashSet<VarId>,
    /// The assumptions that are false where they stand, if anybody asks.
    refuted: Option<&'a mut Vec<Stmt>>,
}

impl Simplifier<'_> {
    /// Simplifies the function's own statements. Where none says anything of the others, what becomes of each is kept while a
    /// search runs.
    fn own(&mut self, body: Block, numbers: Option<kept::Numbers>) -> Block {
        /// A statement, by its number, in functions with the same tables.
        #[derive(Clone, PartialEq, Eq, Hash)]
        struct Own(usize, usize);

        let are_apart = self.known.facts.is_empty() && !self.has_sizes && body.iter().all(kept::stands_alone);
        let (Some(numbers), true) = (numbers, are_apart) else { return self.block(body) };
        let Some(tables) = recalled::tables(&self.engine, &self.known) else { return self.block(body) };
        let mut out = Block::with_capacity(body.len());
        for (stmt, number) in body.into_iter().zip(numbers.statements) {
            if matches!(stmt.kind, StmtKind::Alloc { .. }) {
                out.append(&mut self.block(vec![stmt]));
                continue;
            }
            let (made, done): (Rc<Block>, Simplified) = recall::answer(&Own(tables, number), |_| {
                let before = std::mem::take(&mut self.done);
                let made = self.block(vec![stmt]);
                (Rc::new(made), std::mem::replace(&mut self.done, before))
            });
            self.done.expressions += done.expressions;
            self.done.conditions += done.conditions;
            out.extend(made.iter().cloned());
        }
        self.done.conditions += merge::merge(&self.engine, &mut self.known, &mut out);
        out
    }

    /// Simplifies a block; facts that its statements establish hold for the rest of it.
    fn block(&mut self, mut block: Block) -> Block {
        let facts = self.known.facts.len();
        let mut out = Vec::with_capacity(block.len());
        let mut start = 0;
        while start < block.len() {
            // A run of statements under the same facts, up to the first that adds some or may end some.
            let last = if self.knows_memory() {
                start
            } else {
                let adds = block[start..].iter().position(|s| !self.learned(s).is_empty());
                adds.map_or(block.len() - 1, |i| start + i)
            };
            if self.knows_memory() && acts_itself(&block[start]) {
                // Something is written while the statement's expressions are evaluated.
                self.known.facts.forget(|_| true);
            }
            if let StmtKind::While { body, .. } = &block[start].kind {
                // Its condition is evaluated again after the body.
                forget_writes(&self.engine, &mut self.known, body);
            }
            self.expressions(&mut block[start..=last]);
            for stmt in &mut block[start..=last] {
                let stmt = std::mem::replace(stmt, Stmt::new(StmtKind::Break));
                if let (Some(refuted), Some(stated)) = (&mut self.refuted, assumption(&stmt))
                    && prove(&self.known, stated, false) == Some(false)
                {
                    refuted.push(stmt.clone());
                }
                let learned = self.learned(&stmt);
                let written = self.knows_memory().then(|| Written::by(self.engine.graphs.func, &stmt));
                self.stmt(stmt, &mut out);
                if let Some(memory) = written {
                    forget(&mut self.known, &memory);
                }
                for fact in learned {
                    self.assume(&fact, true);
                }
            }
            start = last + 1;
        }
        self.known.facts.truncate(facts);
        self.done.conditions += merge::merge(&self.engine, &mut self.known, &mut out);
        out
    }

    /// What holds after a statement because it ran: what it checks or states, and that buffers of which it accesses
    /// elements have some.
    fn learned(&self, stmt: &Stmt) -> Vec<Expr> {
        match gives_fact(stmt) {
            Some(fact) => vec![fact.clone()],
            None if self.has_sizes => access::positive_sizes(self.engine.graphs.func, &self.known, stmt),
            None => Vec::new(),
        }
    }

    /// Whether a fact reads memory.
    fn knows_memory(&self) -> bool {
        self.known.facts.read_memory()
    }

    /// Replaces the expressions of the statements themselves (not of their blocks) where a cheaper one is equal.
    fn expressions(&mut self, stmts: &mut [Stmt]) {
        let mut roots: Vec<(&mut Expr, bool)> = Vec::new();
        let mut before = Vec::new();
        for stmt in stmts.iter_mut() {
            let mut bound = None;
            if let StmtKind::Bind { var, value } = &stmt.kind {
                bound = Some(*var);
                if !reads_or_has_side_effects(value) {
                    self.known.values.insert(*var, value.clone());
                }
            }
            // Assumptions are decided by what steers the program and by what is bound.
            if self.refuted.is_none() || !matches!(stmt.kind, StmtKind::Store { .. } | StmtKind::Evaluate(_))
            {
                collect_roots(stmt, &mut roots);
            }
            let new = &roots[before.len()..];
            before.extend(new.iter().map(|(root, _)| divisors::Before::of(root, bound, &self.in_divisors)));
        }
        // Of many facts those that have to do with the expressions.
        let mut near = (self.known.facts.len() > question::MAX_FACTS)
            .then(|| question::about_each(&self.known, roots.iter().map(|(root, _)| &**root)));
        let known = near.as_mut().unwrap_or(&mut self.known);
        let mut replaced = region::simplify(&self.engine, known, &mut roots);
        for (root, _) in &mut roots {
            replaced += region::simplify_arms(&self.engine, known, root);
        }
        if replaced > 0 {
            // A condition deep in an expression may be a constant now.
            for (root, _) in &mut roots {
                conditions::fold_choices(root);
            }
            for ((root, _), before) in roots.iter_mut().zip(before) {
                let kept = before.is_some_and(|before| before.restore(root));
                replaced -= usize::from(kept && replaced > 0);
            }
        }
        self.done.expressions += replaced;
    }

    /// Takes a condition as a fact for what follows.
    fn assume(&mut self, cond: &Expr, truth: bool) {
        assume(&mut self.known, cond, truth);
    }

    /// Runs `f` with facts of its own.
    fn within<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let facts = self.known.facts.len();
        let result = f(self);
        self.known.facts.truncate(facts);
        result
    }

    fn stmt(&mut self, mut stmt: Stmt, out: &mut Block) {
        if self.drops(&stmt) {
            return;
        }
        if let Some(taken) = idle::taken_arm(&mut stmt) {
            self.done.conditions += 1;
            let taken = self.block(taken);
            out.extend(taken);
            return;
        }
        match &mut stmt.kind {
            StmtKind::If { cond, then, otherwise } => {
                if let Some(either) = self.either_arm(cond, then, otherwise) {
                    self.done.conditions += 1;
                    let either = self.block(either);
                    out.extend(either);
                    return;
                }
                let fused = conditions::drop_implied(&self.engine, &mut self.known, cond, then, otherwise);
                self.done.conditions += fused;
                if fused > 0
                    && let Some(taken) = idle::taken_arm(&mut stmt)
                {
                    // The outer condition is gone, or never holds.
                    let taken = self.block(taken);
                    out.extend(taken);
                    return;
                }
                let StmtKind::If { cond, then, otherwise } = &mut stmt.kind else { return };
                let cond = cond.clone();
                *then = self.within(|s| {
                    s.assume(&cond, true);
                    s.block(std::mem::take(then))
                });
                *otherwise = self.within(|s| {
                    s.assume(&cond, false);
                    s.block(std::mem::take(otherwise))
                });
                if !then.is_empty() && arms::identical(then, otherwise) {
                    self.done.conditions += 1;
                    if cond.has_effect() {
                        out.push(Stmt::new(StmtKind::Evaluate(cond)));
                    }
                    out.append(then);
                    return;
                }
                if let Some(cond) = idle::keep_first_arm(&mut stmt)
                    && !cond.has_effect()
                {
                    region::replace(&self.engine, &self.known, &mut [cond]);
                }
            }
            StmtKind::For(f) => self.for_loop(f),
            StmtKind::While { cond, body } => {
                *body = self.within(|s| {
                    forget_writes(&s.engine, &mut s.known, body);
                    s.assume(cond, true);
                    s.block(std::mem::take(body))
                });
            }
            StmtKind::Attr { node, value, body, .. } => {
                *body = self.within(|s| {
                    if let AttrNode::IterVar { var, .. } = node {
                        s.iterate(*var, &Expr::int(0, value.dtype), value);
                        forget_writes(&s.engine, &mut s.known, body);
                    }
                    s.block(std::mem::take(body))
                });
            }
            StmtKind::LaunchThread { var, extent, body, .. } => {
                *body = self.within(|s| {
                    s.iterate(*var, &Expr::int(0, extent.dtype), extent);
                    forget_writes(&s.engine, &mut s.known, body);
                    s.block(std::mem::take(body))
                });
            }
            StmtKind::SBlock(block) => self.sblock(block),
            StmtKind::Alloc { buffer, .. } => self.allocation(*buffer),
            StmtKind::Bind { .. }
            | StmtKind::Store { .. }
            | StmtKind::Evaluate(_)
            | StmtKind::Assert { .. }
            | StmtKind::Decl { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_) => {}
        }
        if !self.drops(&stmt) {
            out.push(stmt);
        }
    }

    /// Whether the statement does nothing, and so goes.
    fn drops(&mut self, stmt: &Stmt) -> bool {
        let idle = idle::does_nothing(stmt) || self.stores_own_element(stmt);
        if idle {
            match stmt.kind {
                StmtKind::Store { .. } => self.done.expressions += 1,
                _ => self.done.conditions += 1,
            }
        }
        idle
    }

    /// Whether the statement stores an element of a memory where it is, by indices that are equal at this place.
    fn stores_own_element(&mut self, stmt: &Stmt) -> bool {
        let StmtKind::Store { buffer, indices, value } = &stmt.kind else { return false };
        let ExprKind::Load { buffer: from, indices: at } = &value.kind else { return false };
        alias::have_the_same_elements(self.engine.graphs.func, *from, *buffer)
            && indices.len() == at.len()
            && !indices.iter().chain(at).any(Expr::has_effect)
            && indices.iter().zip(at).all(|(a, b)| {
                let same = || Expr::binary(BinOp::Eq, a.clone(), b.clone());
                a == b
                    || a.dtype == b.dtype
                        && a.dtype.is_index()
                        && a.dtype.is_scalar()
                        && entail::entails(&self.engine, &mut self.known, &same(), true, true)
            })
    }

    /// Simplifies the shape of a buffer that is allocated here.
    fn allocation(&mut self, buffer: BufferId) {
        if let Some((shape, replaced)) = shapes::simplified(&self.engine, &mut self.known, buffer) {
            self.done.expressions += replaced;
            self.shapes.push((buffer, shape));
        }
    }

    /// The arm that may stand for both, if they do the same.
    fn either_arm(&mut self, cond: &Expr, then: &mut Block, otherwise: &mut Block) -> Option<Block> {
        if then.is_empty() || then.len() != otherwise.len() || cond.has_effect() {
            return None;
        }
        // The arm kept must do what the other does where that one runs.
        let stands_for_other = |s: &mut Self, truth: bool| {
            s.within(|s| {
                s.assume(cond, truth);
                forget_writes(&s.engine, &mut s.known, then);
                forget_writes(&s.engine, &mut s.known, otherwise);
                let (kept, gone) = if truth { (&*otherwise, &*then) } else { (&*then, &*otherwise) };
                arms::stands_for(&s.engine, &s.known, kept, gone)
            })
        };
        if stands_for_other(self, false) {
            Some(std::mem::take(then))
        } else if stands_for_other(self, true) {
            Some(std::mem::take(otherwise))
        } else {
            None
        }
    }

    fn for_loop(&mut self, f: &mut For) {
        if self.never_runs(&f.extent) {
            f.extent = Expr::int(0, f.extent.dtype);
            f.body.clear();
            return;
        }
        let (var, min, extent) = (f.var, f.min.clone(), f.extent.clone());
        let body = std::mem::take(&mut f.body);
        f.body = self.within(|s| {
            s.iterate(var, &min, &extent);
            forget_writes(&s.engine, &mut s.known, &body);
            s.block(body)
        });
    }

    /// Whether the facts of this place say that a loop of this extent has no iteration.
    fn never_runs(&mut self, extent: &Expr) -> bool {
        let goal = || Expr::binary(BinOp::Le, extent.clone(), Expr::int(0, extent.dtype));
        !self.known.facts.is_empty()
            && extent.as_int().is_none()
            && extent.dtype.is_index()
            && entail::entails(&self.engine, &mut self.known, &goal(), true, false)
    }

    fn sblock(&mut self, block: &mut SBlock) {
        self.within(|s| {
            for axis in &block.axes {
                s.iterate(axis.var, &axis.min, &axis.extent);
            }
            if let Some(predicate) = &block.predicate {
                s.assume(predicate, true);
            }
            for &buffer in &block.alloc_buffers {
                s.allocation(buffer);
            }
            if let Some(init) = block.init.take() {
                block.init = Some(s.block(init));
            }
            block.body = s.block(std::mem::take(&mut block.body));
        });
    }

    /// Inside of a loop: the variable lies in its range, and the range is not empty. The bounds are evaluated once,
    /// before the loop: what is known of them ends with what its body may write.
    fn iterate(&mut self, var: VarId, min: &Expr, extent: &Expr) {
        let range = extent_range(min.as_int(), extent.as_int());
        if std::mem::replace(&mut self.known.ranges[var.index()], range) != range {
            self.engine.sampler.forget_values();
        }
        let dtype = self.engine.graphs.func.var(var).ty.dtype();
        if dtype != min.dtype || dtype != extent.dtype || !dtype.is_scalar() {
            return;
        }
        if range.as_point().is_none() && (min.as_int().is_none() || extent.as_int().is_none()) {
            sample::Samples::new(&self.engine.sampler, &self.known, 0).iterate(var, dtype, min, extent);
        }
        let it = Expr::var(var, dtype);
        if min.as_int().is_none() {
            self.assume(&Expr::binary(BinOp::Le, min.clone(), it.clone()), true);
        }
        if extent.as_int().is_none() {
            self.assume(&Expr::binary(BinOp::Lt, it, min.clone() + extent.clone()), true);
            self.assume(&Expr::binary(BinOp::Le, Expr::int(1, dtype), extent.clone()), true);
        }
    }
}

/// Forgets the facts that running the block may change.
fn forget_writes(engine: &Engine<'_>, known: &mut Known, body: &Block) {
    if known.facts.read_memory() {
        forget(known, &Written::by_blocks(engine.graphs.func, [body]));
    }
}

/// Forgets the facts that read what was written.
fn forget(known: &mut Known, written: &Written) {
    known.facts.forget(|fact| written.may_change(fact));
}

/// Whether the expressions of the statement itself (not of its blocks) do more than compute values.
fn acts_itself(stmt: &Stmt) -> bool {
    let mut found = false;
    match gives_fact(stmt) {
        Some(fact) => found = fact.has_effect(),
        None => stmt.for_each_expr(|e| found |= e.has_effect()),
    }
    found
}

/// The condition that holds after the statement, if it is one that checks or states it.
fn gives_fact(stmt: &Stmt) -> Option<&Expr> {
    match &stmt.kind {
        StmtKind::Assert { cond, .. } => Some(cond),
        _ => assumption(stmt),
    }
}

/// What the statement states, if it is `T.assume`.
fn assumption(stmt: &Stmt) -> Option<&Expr> {
    match &stmt.kind {
        StmtKind::Evaluate(e) => match e.as_intrin() {
            Some(("assume", [cond])) => Some(cond),
            _ => None,
        },
        _ => None,
    }
}

/// The expressions that may be replaced, with whether they steer the program. What an assumption states is kept.
fn collect_roots<'s>(stmt: &'s mut Stmt, roots: &mut Vec<(&'s mut Expr, bool)>) {
    if assumption(stmt).is_some() {
        return;
    }
    let is_control = matches!(stmt.kind, StmtKind::If { .. } | StmtKind::While { .. } | StmtKind::For(_));
    visit_roots(stmt, |e| roots.push((e, is_control)));
}
