//! From statements to the e-graph: every expression that is evaluated becomes a class, every place where one
//! stands a [`Site`].
//!
//! The walk visits expressions in the order of [`visit_roots`]; [`raise`](super::raise) walks the rewritten
//! function in the same order, so sites need no keys.
//!
//! `Bind` statements are dissolved: the variable stands for the class of its value, and extraction binds again
//! what pays. A `Bind` is kept, and its variable is then an atom, when its value reads memory (a use may stand
//! behind the next write) or has an effect.

use egg::Id;
use hashbrown::HashMap;
use indexmap::IndexSet;

use super::facts::{Graph, theory_for};
use super::lang::{Node, Op};
use super::memory::Memory;
use super::scopes::{Place, Scope, ScopeId, Scopes};
use crate::arith::Interval;
use crate::cost::{Bindings, Places, Profile};
use crate::ir::intrin::{self, Effect};
use crate::ir::{
    AttrNode, Block, BufferId, Call, Callee, DType, Expr, ExprKind, For, Param, PrimFunc, Stmt, StmtKind,
    VarId,
};

/// A place where an expression stands.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// Its class.
    pub class: Id,
    /// The statement whose part it is (or, in a pseudo-scope, position 0).
    pub place: Place,
}

/// A function in the e-graph.
pub struct Lowered {
    /// The e-graph.
    pub graph: Graph,
    /// The scopes.
    pub scopes: Scopes,
    /// Every expression root in walking order.
    pub sites: Vec<Site>,
    /// The intrinsics of [`Op::Call`] nodes, with keyword arguments.
    pub callees: Callees,
    /// The expressions of [`Op::Template`] nodes; operand `i` stands where variable [`hole`]`(i)` does.
    pub templates: Vec<Expr>,
    /// `Bind` statements that were dissolved, in walking order: `false` for those kept.
    pub dissolved: Vec<bool>,
    /// Where each memory version begins.
    pub versions: Vec<Place>,
    /// Whether a variable is defined twice: such a function is not optimized.
    pub redefined: bool,
}

/// What [`Op::Call`] nodes call: calls without their arguments, each once.
#[derive(Clone, Debug, Default)]
pub struct Callees(IndexSet<Call>);

impl Callees {
    /// The index of a call's head.
    pub fn enter(&mut self, head: Call) -> u32 {
        u32::try_from(self.0.insert_full(head).0).expect("fewer than 2^32 callees")
    }

    /// The index of an intrinsic without keyword arguments.
    pub fn intrinsic(&mut self, name: &str) -> u32 {
        self.enter(Call { callee: Callee::Intrin(name.into()), args: Vec::new(), kwargs: Vec::new() })
    }

    /// The head of an index.
    pub fn get(&self, index: u32) -> &Call {
        &self.0[index as usize]
    }

    /// The intrinsic's name, if it is one.
    pub fn name(&self, index: u32) -> Option<&str> {
        match &self.get(index).callee {
            Callee::Intrin(name) => Some(name),
            Callee::Global(_) => None,
        }
    }
}

/// The first of the variable ids that stand for holes in templates.
const FIRST_HOLE: u32 = u32::MAX / 2;

/// The variable that stands for operand `i` of a template.
pub fn hole(i: usize) -> VarId {
    VarId(FIRST_HOLE + u32::try_from(i).expect("fewer than 2^31 holes"))
}

/// The operand that a variable stands for in a template.
pub fn hole_index(var: VarId) -> Option<usize> {
    var.0.checked_sub(FIRST_HOLE).map(|i| i as usize)
}

/// Puts the expressions of `func` into an e-graph. `bindings` and `profile` give the frequencies of scopes;
/// they do not make facts.
pub fn lower(func: &PrimFunc, profile: &Profile, bindings: &Bindings) -> Lowered {
    let mut lowerer = Lowerer::new(func, profile, bindings);
    lowerer.out.graph.analysis.var_ranges = parameter_ranges(func);
    let root = lowerer.scope(None, 1.0, true, true);
    lowerer.new_version(Place { scope: root, position: 0 });
    lowerer.block(root, &func.body);
    lowerer.out.graph.rebuild();
    lowerer.out
}

/// What is known at a place, for [`lower_at`].
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The range of each variable.
    pub ranges: Vec<Interval>,
    /// Conditions that hold (`true`) or do not. They must read no memory and have no effect.
    pub facts: Vec<(Expr, bool)>,
    /// Values of variables bound by `Bind`, which must read no memory and have no effect.
    pub values: HashMap<VarId, Expr>,
}

/// Puts expressions that stand at one place, where `known` holds, into a contextual e-graph with one scope.
pub fn lower_at<'a>(func: &'a PrimFunc, profile: &'a Profile, known: &'a Known, exprs: &[&Expr]) -> Lowered {
    let bindings = Bindings::new();
    let mut lowerer = Lowerer::new(func, profile, &bindings);
    lowerer.out.graph.analysis.var_ranges.clone_from(&known.ranges);
    lowerer.out.graph.analysis.contextual = true;
    let scope = lowerer.scope(None, 1.0, true, true);
    let place = Place { scope, position: 0 };
    lowerer.new_version(place);
    lowerer.known_values = Some(&known.values);
    for (fact, truth) in &known.facts {
        let fact = lowerer.expr(fact);
        let truth = lowerer.add(Op::Int(i64::from(*truth)), DType::BOOL, []);
        lowerer.out.graph.union(fact, truth);
    }
    for e in exprs {
        lowerer.site(e, place);
    }
    lowerer.out.graph.rebuild();
    lowerer.out
}

struct Lowerer<'a> {
    places: Places<'a>,
    memory: Memory,
    /// The classes of dissolved variables.
    values: HashMap<VarId, Id>,
    /// Values of variables that are lowered when they are met.
    known_values: Option<&'a HashMap<VarId, Expr>>,
    out: Lowered,
}

impl<'a> Lowerer<'a> {
    fn new(func: &'a PrimFunc, profile: &'a Profile, bindings: &Bindings) -> Lowerer<'a> {
        Lowerer {
            places: Places::new(func, profile, bindings),
            memory: Memory::new(func),
            values: HashMap::new(),
            known_values: None,
            out: Lowered {
                graph: Graph::new(theory_for(func.vars.len())),
                scopes: Scopes::default(),
                sites: Vec::new(),
                callees: Callees::default(),
                templates: Vec::new(),
                dissolved: Vec::new(),
                versions: Vec::new(),
                redefined: false,
            },
        }
    }

    fn scope(&mut self, parent: Option<Place>, frequency: f64, insertable: bool, certain: bool) -> ScopeId {
        let (depth, outer) = match parent {
            Some(at) => {
                let parent = self.out.scopes.get(at.scope);
                (parent.depth + 1, parent.frequency)
            }
            None => (0, 1.0),
        };
        self.out.scopes.push(Scope {
            parent,
            depth,
            frequency: outer * frequency,
            insertable,
            certain,
            barrier: u32::MAX,
        })
    }

    fn define(&mut self, var: VarId, place: Place, range: Interval) {
        self.out.redefined |= self.out.scopes.definition(var).is_some();
        self.out.scopes.define(var, place);
        let theory = &mut self.out.graph.analysis;
        theory.var_levels[var.index()] = self.out.scopes.get(place.scope).depth;
        theory.var_ranges[var.index()] = range;
    }

    fn new_version(&mut self, place: Place) {
        self.out.versions.push(place);
        self.out.graph.analysis.version_levels.push(self.out.scopes.get(place.scope).depth);
        let version = u32::try_from(self.out.versions.len() - 1).expect("fewer than 2^32 versions");
        self.memory.set_next(version);
    }

    fn site(&mut self, e: &Expr, place: Place) -> Id {
        let class = self.expr(e);
        self.out.sites.push(Site { class, place });
        class
    }

    fn block(&mut self, scope: ScopeId, block: &Block) {
        for (i, stmt) in block.iter().enumerate() {
            let position = u32::try_from(i).expect("fewer than 2^32 statements");
            self.stmt(Place { scope, position }, stmt);
        }
    }

    fn barrier(&mut self, place: Place) {
        let scope = self.out.scopes.get_mut(place.scope);
        scope.barrier = scope.barrier.min(place.position);
    }

    /// A write, or anything else after which loads are new: what follows has a version of its own.
    fn after_write(&mut self, place: Place, buffer: Option<BufferId>) {
        self.new_version(Place { position: place.position + 1, ..place });
        match buffer {
            Some(buffer) => self.memory.write(buffer),
            None => self.memory.write_all(),
        }
    }

    fn stmt(&mut self, place: Place, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Bind { var, value } => {
                let keep = reads_or_acts(value);
                if keep {
                    self.site(value, place);
                    self.define(*var, Place { position: place.position + 1, ..place }, Interval::ALL);
                    self.effect_of(value, place);
                } else {
                    let class = self.expr(value);
                    self.values.insert(*var, class);
                }
                self.out.dissolved.push(!keep);
            }
            StmtKind::Store { buffer, indices, value } => {
                for index in indices {
                    self.site(index, place);
                }
                self.site(value, place);
                indices.iter().chain([value]).for_each(|e| self.effect_of(e, place));
                self.after_write(place, Some(*buffer));
            }
            StmtKind::Evaluate(value) => {
                self.site(value, place);
                self.effect_of(value, place);
            }
            StmtKind::For(f) => self.for_loop(place, f),
            StmtKind::While { cond, body } => {
                let count = self.places.while_count().to_f64();
                let test = self.scope(Some(place), count, false, true);
                self.loop_version(test, body, Some(cond));
                self.site(cond, Place { scope: test, position: 0 });
                let scope = self.scope(Some(place), count, true, false);
                self.loop_version(scope, body, Some(cond));
                self.block(scope, body);
                self.leave_loop(place, body, Some(cond));
                self.barrier(place);
            }
            StmtKind::If { cond, then, otherwise } => {
                self.site(cond, place);
                self.effect_of(cond, place);
                let (p, q) = self.places.branches(cond);
                let before = self.memory.clone();
                let scope = self.scope(Some(place), p.to_f64(), true, false);
                self.block(scope, then);
                self.close(scope, place);
                self.memory = before.clone();
                let scope = self.scope(Some(place), q.to_f64(), true, false);
                self.block(scope, otherwise);
                self.close(scope, place);
                self.memory = before;
                self.join(place, [then, otherwise]);
            }
            StmtKind::Assert { cond, .. } => {
                self.site(cond, place);
                self.effect_of(cond, place);
                self.barrier(place);
            }
            StmtKind::Attr { node, key, value, body } => {
                self.site(value, place);
                let count = self.places.attr_count(node, key, value).to_f64();
                let is_loop = matches!(node, AttrNode::IterVar { .. });
                let certain = !is_loop || value.as_int().is_some_and(|n| n > 0);
                let scope = self.scope(Some(place), count, true, certain);
                if let AttrNode::IterVar { var, .. } = node {
                    self.define(*var, Place { scope, position: 0 }, extent_range(Some(0), value.as_int()));
                }
                self.body(place, scope, body, is_loop);
            }
            StmtKind::LaunchThread { var, extent, body, .. } => {
                self.site(extent, place);
                let count = self.places.threads(extent).to_f64();
                let certain = extent.as_int().is_some_and(|n| n > 0);
                let scope = self.scope(Some(place), count, true, certain);
                self.define(*var, Place { scope, position: 0 }, extent_range(Some(0), extent.as_int()));
                self.body(place, scope, body, true);
            }
            StmtKind::Alloc { .. } | StmtKind::Decl { .. } => {}
            StmtKind::SBlock(block) => {
                for axis in &block.axes {
                    self.site(&axis.binding, place);
                }
                block.predicate.iter().for_each(|p| {
                    self.site(p, place);
                });
                let [init, body] = self.places.block_counts(stmt);
                // The axes are defined in a scope of their own, in which initialization and body stand.
                let frame = self.scope(Some(place), 1.0, false, true);
                for axis in &block.axes {
                    let range = extent_range(axis.min.as_int(), axis.extent.as_int());
                    self.define(axis.var, Place { scope: frame, position: 0 }, range);
                }
                if let Some(stmts) = &block.init {
                    let before = self.memory.clone();
                    let at = Place { scope: frame, position: 0 };
                    let scope = self.scope(Some(at), init.to_f64(), true, false);
                    self.block(scope, stmts);
                    self.close(scope, at);
                    self.memory = before;
                    self.join(at, [stmts]);
                }
                let at = Place { scope: frame, position: 1 };
                let scope = self.scope(Some(at), body.to_f64(), true, block.predicate.is_none());
                self.body(at, scope, &block.body, false);
                self.close(frame, place);
                self.join(place, block.init.iter().chain([&block.body]));
            }
            StmtKind::Break | StmtKind::Continue => self.barrier(place),
            StmtKind::Return(value) => {
                self.site(value, place);
                self.barrier(place);
            }
        }
        self.places.enter(stmt);
    }

    fn for_loop(&mut self, place: Place, f: &For) {
        self.site(&f.min, place);
        self.site(&f.extent, place);
        f.step.iter().for_each(|s| {
            self.site(s, place);
        });
        [&f.min, &f.extent].into_iter().chain(&f.step).for_each(|e| self.effect_of(e, place));
        let count = self.places.trip_count(f).to_f64();
        let scope = self.scope(Some(place), count, true, f.extent.as_int().is_some_and(|n| n > 0));
        self.define(f.var, Place { scope, position: 0 }, extent_range(f.min.as_int(), f.extent.as_int()));
        self.body(place, scope, &f.body, true);
    }

    fn body(&mut self, place: Place, scope: ScopeId, body: &Block, is_loop: bool) {
        if is_loop {
            self.loop_version(scope, body, None);
        }
        self.block(scope, body);
        if is_loop {
            self.leave_loop(place, body, None);
        } else {
            // What the block wrote keeps its version: the block ran once, before what follows. The version's
            // place is inside of the block, though, so what follows gets one of its own.
            self.join(place, [body]);
        }
        self.close(scope, place);
    }

    /// A statement whose block may not complete may not complete itself.
    fn close(&mut self, scope: ScopeId, place: Place) {
        if self.out.scopes.get(scope).barrier != u32::MAX {
            self.barrier(place);
        }
    }

    /// Inside of a loop that writes a buffer, its loads are new in every iteration.
    fn loop_version(&mut self, scope: ScopeId, body: &Block, cond: Option<&Expr>) {
        self.new_version(Place { scope, position: 0 });
        self.memory.write_what(body, cond);
    }

    fn leave_loop(&mut self, place: Place, body: &Block, cond: Option<&Expr>) {
        self.new_version(Place { position: place.position + 1, ..place });
        self.memory.write_what(body, cond);
    }

    fn join<'b>(&mut self, place: Place, bodies: impl IntoIterator<Item = &'b Block>) {
        self.new_version(Place { position: place.position + 1, ..place });
        for body in bodies {
            self.memory.write_what(body, None);
        }
    }

    /// What evaluating the expression at `place` does to memory and to what follows.
    fn effect_of(&mut self, e: &Expr, place: Place) {
        let (mut writes, mut opaque) = (false, false);
        e.walk(&mut |e| {
            if let ExprKind::Call(call) = &e.kind {
                match call_effect(call) {
                    Effect::Opaque | Effect::UpdatesState => {
                        writes = true;
                        opaque = true;
                    }
                    Effect::Control if !is_lazy_select(call) => opaque = true,
                    Effect::Annotation | Effect::Pure | Effect::ReadsState | Effect::Control => {}
                }
            }
        });
        if writes {
            self.after_write(place, None);
        }
        if opaque {
            self.barrier(place);
        }
    }

    fn add(&mut self, op: Op, dtype: DType, children: impl IntoIterator<Item = Id>) -> Id {
        self.out.graph.add(Node::new(op, dtype, children))
    }

    fn expr(&mut self, e: &Expr) -> Id {
        let dtype = e.dtype;
        match &e.kind {
            ExprKind::Int(v) => self.add(Op::Int(*v), dtype, []),
            ExprKind::Float(bits) => self.add(Op::Float(*bits), dtype, []),
            ExprKind::Var(v) => {
                if let Some(&class) = self.values.get(v) {
                    return class;
                }
                match self.known_values.and_then(|values| values.get(v)) {
                    Some(value) => {
                        let class = self.expr(value);
                        self.values.insert(*v, class);
                        class
                    }
                    None => self.add(Op::Var(*v), dtype, []),
                }
            }
            _ if acts(e) => self.template(e),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                self.add(Op::Bin(*op), dtype, [a, b])
            }
            ExprKind::Not(a) => {
                let a = self.expr(a);
                self.add(Op::Not, dtype, [a])
            }
            ExprKind::Cast(a) => {
                let a = self.expr(a);
                self.add(Op::Cast, dtype, [a])
            }
            ExprKind::Select(c, a, b) => {
                let children = [self.expr(c), self.expr(a), self.expr(b)];
                self.add(Op::Select, dtype, children)
            }
            ExprKind::Load { buffer, indices } => {
                let children: Vec<Id> = indices.iter().map(|i| self.expr(i)).collect();
                let version = self.memory.version(*buffer);
                self.add(Op::Load(*buffer, version), dtype, children)
            }
            ExprKind::Ramp(base, stride) => {
                let children = [self.expr(base), self.expr(stride)];
                self.add(Op::Ramp, dtype, children)
            }
            ExprKind::Broadcast(a) => {
                let a = self.expr(a);
                self.add(Op::Broadcast, dtype, [a])
            }
            ExprKind::Let(var, value, body) => {
                let value = self.expr(value);
                self.values.insert(*var, value);
                self.expr(body)
            }
            ExprKind::Call(call) => {
                let children: Vec<Id> = call.args.iter().map(|a| self.expr(a)).collect();
                let op = match &call.callee {
                    Callee::Intrin(name) if &**name == "likely" && call.args.len() == 1 => Op::Likely,
                    Callee::Intrin(_) if is_lazy_select(call) => Op::IfThenElse,
                    Callee::Intrin(_) | Callee::Global(_) => {
                        let head = Call {
                            callee: call.callee.clone(),
                            args: Vec::new(),
                            kwargs: call.kwargs.clone(),
                        };
                        Op::Call(self.out.callees.enter(head))
                    }
                };
                self.add(op, dtype, children)
            }
            ExprKind::Str(_)
            | ExprKind::Shuffle(..)
            | ExprKind::BufferData(_)
            | ExprKind::BufferRef(_)
            | ExprKind::Region(..)
            | ExprKind::Tuple(_) => self.template(e),
        }
    }

    /// An expression that equals nothing else; operands that can be optimized become the node's children.
    fn template(&mut self, e: &Expr) -> Id {
        let mut children = Vec::new();
        let mut template = e.clone();
        template.for_each_child_mut(|c| self.fill(c, &mut children));
        let index = u32::try_from(self.out.templates.len()).expect("fewer than 2^32 templates");
        self.out.templates.push(template);
        self.add(Op::Template(index), e.dtype, children)
    }

    /// Replaces `e`, an operand in a template, by holes where its value is all that matters. The load of an
    /// address (`T.address_of(A[i])`) names a place and is kept; so is everything that is not a plain value.
    fn fill(&mut self, e: &mut Expr, children: &mut Vec<Id>) {
        let plain = match &e.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::BufferData(_)
            | ExprKind::BufferRef(_) => return,
            ExprKind::Load { .. } | ExprKind::Region(..) | ExprKind::Tuple(_) | ExprKind::Shuffle(..) => {
                false
            }
            ExprKind::Let(..) => true,
            _ => !acts(e) && e.dtype != DType::HANDLE && e.dtype != DType::VOID,
        };
        if plain {
            let hole = Expr::var(hole(children.len()), e.dtype);
            children.push(self.expr(e));
            *e = hole;
        } else {
            e.for_each_child_mut(|c| self.fill(c, children));
        }
    }
}

/// The ranges that hold in the whole function: dimensions of parameters' buffers are not negative.
pub fn parameter_ranges(func: &PrimFunc) -> Vec<Interval> {
    let mut ranges = vec![Interval::ALL; func.vars.len()];
    let of_params = func.params.iter().filter_map(|p| match p {
        Param::Buffer(buffer) => Some(*buffer),
        Param::Var(_) => None,
    });
    for buffer in of_params.chain(func.matches.iter().map(|&(_, buffer)| buffer)) {
        for extent in &func.buffer(buffer).shape {
            if let Some(v) = extent.as_var() {
                ranges[v.index()] = Interval::NON_NEGATIVE;
            }
        }
    }
    ranges
}

/// The range `min .. min + extent` of a loop variable, if both are constants and it is not empty.
pub fn extent_range(min: Option<i64>, extent: Option<i64>) -> Interval {
    let range = || {
        let (min, extent) = (min?, extent?);
        Interval::new(min, min.checked_add(extent)?.checked_sub(1)?)
    };
    range().unwrap_or_else(|| min.and_then(|m| Interval::new(m, Interval::POS_INF)).unwrap_or(Interval::ALL))
}

fn call_effect(call: &Call) -> Effect {
    match &call.callee {
        Callee::Intrin(name) => intrin::effect(name),
        Callee::Global(_) => Effect::Opaque,
    }
}

/// Whether the call is `T.if_then_else(c, a, b)`, which evaluates one of its arms.
pub fn is_lazy_select(call: &Call) -> bool {
    matches!(&call.callee, Callee::Intrin(name) if &**name == "if_then_else") && call.args.len() == 3
}

/// Whether evaluating the expression does more than compute a value from values and buffers: it must then happen
/// exactly as often, and in the order, as it stands.
pub fn acts(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        if let ExprKind::Call(call) = &e.kind {
            found |= match call_effect(call) {
                Effect::Pure | Effect::Annotation => false,
                Effect::Control => !is_lazy_select(call),
                Effect::ReadsState | Effect::UpdatesState | Effect::Opaque => true,
            };
        }
    });
    found
}

/// Whether the value of a `Bind` cannot be computed again later, or is no plain value.
pub fn reads_or_acts(e: &Expr) -> bool {
    let mut found = acts(e) || e.dtype == DType::HANDLE || e.dtype == DType::VOID;
    e.walk(&mut |e| found |= matches!(e.kind, ExprKind::Load { .. } | ExprKind::Let(..)));
    found
}

/// Calls `f` on every expression root of a statement that is evaluated, in walking order; not on what stands in
/// nested blocks.
pub fn visit_roots<'s>(stmt: &'s mut Stmt, mut f: impl FnMut(&'s mut Expr)) {
    match &mut stmt.kind {
        StmtKind::Bind { value, .. } => f(value),
        StmtKind::Store { indices, value, .. } => {
            indices.iter_mut().for_each(&mut f);
            f(value);
        }
        StmtKind::Evaluate(value) | StmtKind::Return(value) => f(value),
        StmtKind::For(l) => {
            f(&mut l.min);
            f(&mut l.extent);
            l.step.iter_mut().for_each(f);
        }
        StmtKind::While { cond, .. } | StmtKind::If { cond, .. } | StmtKind::Assert { cond, .. } => f(cond),
        StmtKind::Attr { value, .. } => f(value),
        StmtKind::LaunchThread { extent, .. } => f(extent),
        StmtKind::SBlock(block) => {
            block.axes.iter_mut().for_each(|a| f(&mut a.binding));
            block.predicate.iter_mut().for_each(f);
        }
        StmtKind::Alloc { .. } | StmtKind::Decl { .. } | StmtKind::Break | StmtKind::Continue => {}
    }
}
