//! From statements to the e-graph: every expression that is evaluated becomes a class, every place where one
//! stands a [`Site`].
//!
//! The walk visits expressions in the order of [`visit_roots`]; [`raise`](crate::eqsat::raise) walks the rewritten
//! function in the same order, so sites need no keys.
//!
//! `Bind` statements are inlined, but for those that [`lets`] names; the variable of one that stays is
//! an atom.
//!
//! What the input evaluates and what might trap is noted with its place as [`ExecutedTrap`]: there it did not.

mod template;

use std::sync::Arc;

use egg::Id;
use hashbrown::HashMap;
use indexmap::IndexMap;

use super::fits::{self, Fits};
use super::loop_facts::nonzero_factors;
use super::lowered::{ExecutedTrap, Guard, Lowered, Site, Trap};
use super::scopes::{Place, Scope, ScopeId, Scopes};
use crate::analysis::effects;
use crate::analysis::known::Known;
use crate::analysis::lanes::Lanes;
use crate::analysis::lets::{self, Kept};
use crate::analysis::magnitude::Magnitudes;
use crate::analysis::memory::{MemoryVersions, Point, Version};
use crate::analysis::ranges::{extent_range, parameter_ranges};
use crate::arith::Interval;
use crate::cost::{Bindings, Frequency, Places, Profile};
use crate::egraph::{Callees, Graph, Knowing, Node, Op, Reason, Settings, rebuild, theory_for};
use crate::ir::intrin::Effect;
use crate::ir::value::{MathFn, Value};
use crate::ir::{
    AttrNode, BinOp, Block, Buffer, BufferId, Call, Callee, DType, Expr, ExprKind, For, ForKind, Origin,
    Param, PrimFunc, SBlock, Select, Stmt, StmtKind, VarId,
};
use crate::theory;

/// Puts the expressions of `func` into an e-graph. `bindings` and `profile` give the frequencies of scopes;
/// they do not make facts. With `keep_lets`, all `Bind` statements stay.
pub(crate) fn lower(
    func: &PrimFunc,
    profile: &Profile,
    bindings: &Bindings,
    keep_lets: bool,
    settings: impl Into<Settings>,
) -> Lowered {
    let mut lowerer = Lowerer::new(func, profile, bindings, settings.into());
    let memory = MemoryVersions::new(func);
    lowerer.kept = lets::kept(func, &memory, keep_lets);
    lowerer.out.magnitudes = Arc::new(Magnitudes::new(func));
    lowerer.memory = Some(memory);
    lowerer.out.graph.analysis_mut().var_ranges = parameter_ranges(func).into();
    let root = lowerer.scope(None, Frequency::ONE, true, true);
    lowerer.blocks.push(root);
    lowerer.statements(root, &func.body);
    lowerer.finish()
}

/// Puts expressions that stand at one place, where `known` holds, into a contextual e-graph. Each is in a scope of its own:
/// what one of them evaluates is no evidence for another.
pub(crate) fn lower_at<'a>(
    func: &'a PrimFunc,
    profile: &'a Profile,
    known: &'a Known,
    exprs: &[&Expr],
    settings: impl Into<Settings>,
) -> Lowered {
    let bindings = Bindings::new();
    let mut lowerer = Lowerer::new(func, profile, &bindings, settings.into());
    lowerer.out.graph.analysis_mut().var_ranges = known.ranges.clone();
    lowerer.out.graph.analysis_mut().contextual = true;
    lowerer.out.magnitudes = known.magnitudes.clone();
    let scope = lowerer.scope(None, Frequency::ONE, true, true);
    let place = Place { scope, position: 0 };
    lowerer.version_at(place);
    lowerer.known_values = Some(&known.values);
    for (fact, truth) in known.facts.iter() {
        let fact = lowerer.expr(fact);
        let truth = lowerer.add(Op::int(i64::from(*truth)), DType::BOOL, []);
        lowerer.out.graph.union(fact, truth, Reason::Input);
    }
    for e in exprs {
        let scope = lowerer.scope(Some(place), Frequency::ONE, true, false);
        lowerer.site(e, Place { scope, position: 0 });
    }
    lowerer.finish()
}

/// The most values of variables that are lowered again because they are met under other conditions.
const MAX_AGAIN: usize = 1_000;

pub(super) struct Lowerer<'a> {
    places: Places<'a>,
    func: &'a PrimFunc,
    /// Absent where expressions stand at one place: there is one version then.
    memory: Option<MemoryVersions>,
    /// The index of the version of each buffer.
    versions: HashMap<(Version, BufferId), u32>,
    /// The scopes of blocks, as memory versions number them.
    blocks: Vec<ScopeId>,
    /// From where on a buffer can be read, if that is not the head of the function.
    buffers: HashMap<BufferId, Place>,
    kept: Kept,
    /// The statement that is being lowered, and the conditions of the operand that is.
    at: Option<Place>,
    guards: Vec<Guard>,
    /// Whether the expression that is being lowered is known to do nothing but compute a value.
    inert: bool,
    /// The classes of inlined variables.
    values: HashMap<VarId, Id>,
    /// The variables that templates around define.
    locals: Vec<VarId>,
    /// Values of variables that are lowered when they are met.
    known_values: Option<&'a HashMap<VarId, Expr>>,
    /// The conditions under which each of them was met, and how many were lowered again because of that.
    under: HashMap<VarId, Vec<Vec<Guard>>>,
    again: usize,
    out: Lowered,
}

impl<'a> Lowerer<'a> {
    fn new(func: &'a PrimFunc, profile: &'a Profile, bindings: &Bindings, settings: Settings) -> Lowerer<'a> {
        Lowerer {
            places: Places::new(func, profile, bindings),
            func,
            memory: None,
            versions: HashMap::new(),
            blocks: Vec::new(),
            buffers: HashMap::new(),
            kept: Kept::default(),
            at: None,
            guards: Vec::new(),
            inert: false,
            values: HashMap::new(),
            locals: Vec::new(),
            known_values: None,
            under: HashMap::new(),
            again: 0,
            out: Lowered {
                graph: Graph::new(theory_for(0, settings)),
                scopes: Scopes::default(),
                sites: Vec::new(),
                callees: Callees::default(),
                templates: Vec::new(),
                inlined: IndexMap::new(),
                named: IndexMap::new(),
                versions: Vec::new(),
                evidence: Vec::new(),
                magnitudes: Arc::default(),
                fits: Fits::default(),
                input_nodes: 0,
                redefined: false,
                has_blocks: false,
            },
        }
    }

    fn finish(mut self) -> Lowered {
        rebuild(&mut self.out.graph);
        self.out.input_nodes = self.out.graph.nodes().len();
        self.out
    }

    fn scope(
        &mut self,
        parent: Option<Place>,
        frequency: Frequency,
        insertable: bool,
        certain: bool,
    ) -> ScopeId {
        let (depth, outer, lanes) = match parent {
            Some(at) => {
                let parent = self.out.scopes.get(at.scope);
                (parent.depth + 1, parent.frequency, parent.lanes)
            }
            None => (0, Frequency::ONE, Lanes::None),
        };
        self.out.scopes.push(Scope {
            parent,
            depth,
            frequency: outer * frequency,
            insertable,
            certain,
            threads: false,
            lanes,
            barrier: u32::MAX,
        })
    }

    fn define(&mut self, var: VarId, place: Place, range: Interval) {
        self.out.redefined |= self.out.scopes.definition(var).is_some();
        self.out.scopes.define(var, place);
        let theory = self.out.graph.analysis_mut();
        if theory.var_levels.len() <= var.index() {
            theory.var_levels.resize(var.index() + 1, 0);
        }
        theory.var_levels[var.index()] = self.out.scopes.get(place.scope).depth;
        theory.var_ranges[var.index()] = range;
    }

    /// A new memory version that begins at `place`.
    fn version_at(&mut self, place: Place) -> u32 {
        self.out.versions.push(place);
        let depth = self.out.scopes.get(place.scope).depth;
        self.out.graph.analysis_mut().version_levels.push(depth);
        u32::try_from(self.out.versions.len() - 1).expect("fewer than 2^32 versions")
    }

    /// The version of a buffer that is read in the current statement.
    fn version_of(&mut self, buffer: BufferId) -> u32 {
        let (Some(memory), Some(at)) = (&self.memory, self.at) else { return 0 };
        let Some(version) = memory.version(buffer) else {
            // Something in the statement may write: equal to no other load, and valid in the statement only.
            return self.version_at(Place { position: at.position + 1, ..at });
        };
        if let Some(&index) = self.versions.get(&(version, buffer)) {
            return index;
        }
        let born = match memory.birth(version) {
            Some(Point { block, index }) => Place { scope: self.blocks[block as usize], position: index },
            None => at,
        };
        let place = self.buffers.get(&buffer).map_or(born, |&defined| self.out.scopes.later(born, defined));
        let index = self.version_at(place);
        self.versions.insert((version, buffer), index);
        index
    }

    fn site(&mut self, e: &Expr, place: Place) -> Id {
        let class = self.value(e, place);
        self.out.graph.root(class);
        self.out.sites.push(Site { class, place, address: false });
        class
    }

    /// The class of an expression that is evaluated at a place.
    fn value(&mut self, e: &Expr, place: Place) -> Id {
        self.at = Some(place);
        let class = self.expr(e);
        self.at = None;
        class
    }

    /// A block of the current statement, in a scope of its own.
    fn block(&mut self, stmt: &Stmt, scope: ScopeId, block: &Block) {
        self.blocks.push(scope);
        if let Some(memory) = &mut self.memory {
            memory.enter_block(stmt);
        }
        self.statements(scope, block);
        if let Some(memory) = &mut self.memory {
            memory.leave_block();
        }
    }

    fn statements(&mut self, scope: ScopeId, block: &Block) {
        for (i, stmt) in block.iter().enumerate() {
            let position = u32::try_from(i).expect("fewer than 2^32 statements");
            if let Some(memory) = &mut self.memory {
                memory.head(stmt);
            }
            self.stmt(Place { scope, position }, stmt);
            if let Some(memory) = &mut self.memory {
                memory.after(stmt);
            }
        }
    }

    fn barrier(&mut self, place: Place) {
        let scope = self.out.scopes.get_mut(place.scope);
        scope.barrier = scope.barrier.min(place.position);
    }

    fn stmt(&mut self, place: Place, stmt: &Stmt) {
        let after = Place { position: place.position + 1, ..place };
        match &stmt.kind {
            StmtKind::Bind { var, value } => {
                let class = self.value(value, place);
                if self.kept.opaque.contains(var) {
                    self.out.sites.push(Site { class, place, address: false });
                    self.define(*var, after, Interval::ALL);
                    self.effect_of(value, place);
                } else {
                    self.values.insert(*var, class);
                    let stays = self.kept.named.as_ref().is_none_or(|names| names.contains(var));
                    let before = if stays {
                        self.out.sites.push(Site { class, place, address: false });
                        self.out
                            .named
                            .insert(*var, Site { class, place, address: false })
                            .map(|site| site.class)
                    } else {
                        self.out.inlined.insert(*var, class)
                    };
                    self.out.redefined |= before.is_some();
                }
            }
            StmtKind::Store { indices, value, .. } => {
                for index in indices {
                    self.site(index, place);
                    self.out.sites.last_mut().expect("a site was added").address = true;
                }
                self.site(value, place);
                indices.iter().chain([value]).for_each(|e| self.effect_of(e, place));
            }
            StmtKind::Evaluate(value) => {
                self.site(value, place);
                self.effect_of(value, place);
            }
            StmtKind::For(f) => self.for_loop(place, stmt, f),
            StmtKind::While { cond, body } => {
                let count = self.places.while_count();
                let test = self.scope(Some(place), count, false, true);
                self.site(cond, Place { scope: test, position: 0 });
                let scope = self.scope(Some(place), count, true, false);
                self.block(stmt, scope, body);
                self.barrier(place);
            }
            StmtKind::If { cond, then, otherwise } => {
                self.site(cond, place);
                self.effect_of(cond, place);
                let (p, q) = self.places.branches(cond);
                for (arm, frequency) in [(then, p), (otherwise, q)] {
                    let scope = self.scope(Some(place), frequency, true, false);
                    self.block(stmt, scope, arm);
                    self.close(scope, place);
                }
            }
            StmtKind::Assert { cond, .. } => {
                self.site(cond, place);
                self.effect_of(cond, place);
                self.barrier(place);
            }
            StmtKind::Attr { node, key, value, body } => {
                let extent = self.site(value, place);
                let count = self.places.attr_count(node, key, value);
                let is_loop = matches!(node, AttrNode::IterVar { .. });
                let certain = !is_loop || value.as_int().is_some_and(|n| n > 0);
                let scope = self.scope(Some(place), count, true, certain);
                if let AttrNode::IterVar { var, .. } = node {
                    self.out.scopes.get_mut(scope).threads = true;
                    self.define(*var, Place { scope, position: 0 }, extent_range(Some(0), value.as_int()));
                    self.runs(scope, extent);
                }
                self.body(place, stmt, scope, body);
            }
            StmtKind::LaunchThread { var, extent, body, .. } => {
                let class = self.site(extent, place);
                let count = self.places.threads(extent);
                let certain = extent.as_int().is_some_and(|n| n > 0);
                let scope = self.scope(Some(place), count, true, certain);
                self.out.scopes.get_mut(scope).threads = true;
                self.define(*var, Place { scope, position: 0 }, extent_range(Some(0), extent.as_int()));
                self.runs(scope, class);
                self.body(place, stmt, scope, body);
            }
            StmtKind::Alloc { buffer, .. } | StmtKind::Decl { buffer } => {
                self.buffers.insert(*buffer, after);
            }
            StmtKind::SBlock(block) => self.sblock(place, stmt, block),
            StmtKind::Break | StmtKind::Continue => self.barrier(place),
            StmtKind::Return(value) => {
                self.site(value, place);
                self.barrier(place);
            }
        }
        self.places.enter(stmt);
    }

    fn for_loop(&mut self, place: Place, stmt: &Stmt, f: &For) {
        let min = self.site(&f.min, place);
        let extent = self.site(&f.extent, place);
        let (least, trips) = (self.constant(min), self.constant(extent));
        f.step.iter().for_each(|s| {
            self.site(s, place);
        });
        [&f.min, &f.extent].into_iter().chain(&f.step).for_each(|e| self.effect_of(e, place));
        let count = self.places.trip_count(f);
        let scope = self.scope(Some(place), count, true, trips.is_some_and(|n| n > 0));
        let made = self.out.scopes.get_mut(scope);
        made.threads = matches!(f.kind, ForKind::ThreadBinding(_));
        made.lanes = made.lanes.within(stmt);
        self.define(f.var, Place { scope, position: 0 }, extent_range(least, trips));
        self.runs(scope, extent);
        self.body(place, stmt, scope, &f.body);
    }

    /// The value of a class, if it is known to be the same everywhere.
    fn constant(&self, class: Id) -> Option<i64> {
        let graph = &self.out.graph;
        graph.facts(class).interval.as_point()
    }

    /// Notes what is not zero where a body runs because the loop's extent is at least 1: as good as a division by it that
    /// the input evaluates there.
    fn runs(&mut self, body: ScopeId, extent: Id) {
        let place = Place { scope: body, position: 0 };
        for factor in nonzero_factors(&self.out.graph, extent) {
            self.out.evidence.push(ExecutedTrap { trap: Trap::Zero(factor), place, guards: Vec::new() });
        }
    }

    fn sblock(&mut self, place: Place, stmt: &Stmt, block: &SBlock) {
        self.out.has_blocks = true;
        for axis in &block.axes {
            self.site(&axis.binding, place);
        }
        block.predicate.iter().for_each(|p| {
            self.site(p, place);
        });
        let [init, body] = self.places.block_counts(stmt);
        // Axes and buffers are defined in a scope of their own, in which initialization and body stand.
        let frame = self.scope(Some(place), Frequency::ONE, false, true);
        let at = Place { scope: frame, position: 0 };
        for axis in &block.axes {
            self.define(axis.var, at, extent_range(axis.min.as_int(), axis.extent.as_int()));
        }
        self.buffers.extend(block.alloc_buffers.iter().map(|&b| (b, at)));
        for (buffer, _) in &block.match_buffers {
            self.buffers.insert(*buffer, at);
            for var in dimensions(self.func.buffer(*buffer)) {
                if self.out.scopes.definition(var).is_none() && !self.is_parameter(var) {
                    self.define(var, at, Interval::ALL);
                }
            }
        }
        if let Some(stmts) = &block.init {
            let scope = self.scope(Some(at), init, true, false);
            self.block(stmt, scope, stmts);
            self.close(scope, at);
        }
        let at = Place { scope: frame, position: 1 };
        let scope = self.scope(Some(at), body, true, block.predicate.is_none());
        self.body(at, stmt, scope, &block.body);
        self.close(frame, place);
    }

    /// Whether the variable is a parameter or a dimension of one.
    fn is_parameter(&self, var: VarId) -> bool {
        self.func.params.contains(&Param::Var(var))
            || self.func.buffers.iter().any(|b| {
                matches!(b.origin, Origin::Param | Origin::Match(_)) && dimensions(b).any(|v| v == var)
            })
    }

    fn body(&mut self, place: Place, stmt: &Stmt, scope: ScopeId, body: &Block) {
        self.block(stmt, scope, body);
        self.close(scope, place);
    }

    /// A statement whose block may not complete may not complete itself.
    fn close(&mut self, scope: ScopeId, place: Place) {
        if self.out.scopes.get(scope).barrier != u32::MAX {
            self.barrier(place);
        }
    }

    /// What evaluating the expression at `place` does to what follows.
    fn effect_of(&mut self, e: &Expr, place: Place) {
        let mut opaque = false;
        e.walk(&mut |e| {
            if let ExprKind::Call(call) = &e.kind {
                opaque |= match call.effect() {
                    Effect::Opaque | Effect::UpdatesState => true,
                    Effect::Control => !call.is_lazy_select(),
                    Effect::Annotation | Effect::Pure | Effect::ReadsState => false,
                };
            }
        });
        if opaque {
            self.barrier(place);
        }
    }

    /// Notes that the input evaluates an operation that might trap here.
    fn evaluates(&mut self, trap: Trap) {
        if let Some(place) = self.at {
            self.out.evidence.push(ExecutedTrap { trap, place, guards: self.guards.clone() });
        }
    }

    /// Notes that the input computes an integer here, which fits its type therefore.
    fn computes(&mut self, class: Id) -> Id {
        let facts = self.out.graph.facts(class);
        if fits::may_overflow(facts.dtype) && !fits::in_type(facts.interval, facts.dtype) {
            self.evaluates(Trap::Overflow(class));
        }
        class
    }

    /// Whether a value that is lowered when it is met is evaluated here under conditions under which it was not met so far: what
    /// both arms of a choice evaluate is evaluated in any case.
    fn is_new_under_guards(&mut self, var: VarId) -> bool {
        let Some(under) = self.under.get(&var) else { return false };
        let is_known = |known: &Vec<Guard>| known.iter().all(|guard| self.guards.contains(guard));
        let is_new = self.again < MAX_AGAIN && !under.iter().any(is_known);
        self.again += usize::from(is_new);
        is_new
    }

    /// An operand that is evaluated only under a condition.
    fn lazy(&mut self, guard: Guard, e: &Expr) -> Id {
        self.guards.push(guard);
        let class = self.expr(e);
        self.guards.pop();
        class
    }

    /// A node whose operation might trap, unless it is `total`.
    fn add_partial(&mut self, op: Op, e: &Expr, children: impl IntoIterator<Item = Id>, total: bool) -> Id {
        let node = Node::new(op, e.dtype, children);
        if !total {
            self.evaluates(Trap::Node(node.clone()));
        }
        self.out.graph.add(node)
    }

    fn add(&mut self, op: Op, dtype: DType, children: impl IntoIterator<Item = Id>) -> Id {
        self.out.graph.add(Node::new(op, dtype, children))
    }

    fn expr(&mut self, e: &Expr) -> Id {
        let dtype = e.dtype;
        match &e.kind {
            ExprKind::Int(v) => self.add(Op::int(*v), dtype, []),
            ExprKind::Float(bits) => self.add(Op::float(*bits), dtype, []),
            ExprKind::Var(v) => {
                let known = self.values.get(v).copied();
                if let Some(class) = known.filter(|_| !self.is_new_under_guards(*v)) {
                    return class;
                }
                match self.known_values.and_then(|values| values.get(v)) {
                    Some(value) => {
                        let inert = std::mem::take(&mut self.inert);
                        let class = self.expr(value);
                        self.inert = inert;
                        self.values.insert(*v, class);
                        self.under.entry(*v).or_default().push(self.guards.clone());
                        known.unwrap_or(class)
                    }
                    None => self.add(Op::Var(*v), dtype, []),
                }
            }
            _ if !self.inert => {
                if e.has_effect() {
                    return self.template(e);
                }
                // So do all its parts: they are not asked one by one.
                self.inert = true;
                let class = self.expr(e);
                self.inert = false;
                class
            }
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
                let a = self.expr(a);
                let b = self.lazy(Guard { class: a, truth: *op == BinOp::And, firm: false }, b);
                self.add(Op::Bin(*op), dtype, [a, b])
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                if op.is_division() && !dtype.is_float() {
                    self.evaluates(Trap::Zero(b));
                }
                let class = self.add(Op::Bin(*op), dtype, [a, b]);
                self.computes(class)
            }
            ExprKind::Not(a) => {
                let a = self.expr(a);
                self.add(Op::Not, dtype, [a])
            }
            ExprKind::Cast(a) => {
                let a = self.expr(a);
                let class = self.add(Op::Cast, dtype, [a]);
                self.computes(class)
            }
            ExprKind::Select(select) => {
                let Select { cond, then, otherwise } = &**select;
                let children = [self.expr(cond), self.expr(then), self.expr(otherwise)];
                let class = self.add(Op::Select, dtype, children);
                self.computes(class)
            }
            ExprKind::Load { buffer, indices } => {
                let children: Vec<Id> = indices.iter().map(|i| self.expr(i)).collect();
                let version = self.version_of(*buffer);
                let class = self.add_partial(Op::Load(*buffer, version), e, children, false);
                self.computes(class)
            }
            ExprKind::Ramp(base, stride) => {
                let children = [self.expr(base), self.expr(stride)];
                let class = self.add(Op::Ramp, dtype, children);
                self.computes(class)
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
                if let (true, [cond, then, otherwise]) = (call.is_lazy_select(), &call.args[..]) {
                    let cond = self.expr(cond);
                    let arms = [(true, then), (false, otherwise)]
                        .map(|(truth, arm)| self.lazy(Guard { class: cond, truth, firm: true }, arm));
                    let class = self.add(Op::IfThenElse, dtype, [cond, arms[0], arms[1]]);
                    return self.computes(class);
                }
                let children: Vec<Id> = call.args.iter().map(|a| self.expr(a)).collect();
                if let Some(value) = self.value_of_call(call, &children) {
                    return self.expr(&value.to_expr(dtype));
                }
                let op = match &call.callee {
                    Callee::Intrin(name) if &**name == "likely" && call.args.len() == 1 => Op::Likely,
                    Callee::Intrin(_) | Callee::Global(_) => {
                        let head = Call {
                            callee: call.callee.clone(),
                            args: Vec::new(),
                            kwargs: call.kwargs.clone(),
                        };
                        self.out.callees.operator(&mut self.out.graph, head)
                    }
                };
                let total = op == Op::Likely || !effects::node_effect(e).may_trap;
                self.add_partial(op, e, children, total)
            }
            ExprKind::Str(_)
            | ExprKind::Shuffle(..)
            | ExprKind::BufferData(_)
            | ExprKind::BufferRef(_)
            | ExprKind::Region(..)
            | ExprKind::Tuple(_) => self.template(e),
        }
    }

    /// The value of a call on constants, where every correct implementation gives the same bits: what a reader folds too.
    fn value_of_call(&self, call: &Call, args: &[Id]) -> Option<Value> {
        let Callee::Intrin(name) = &call.callee else { return None };
        let values =
            args.iter().map(|&a| theory::constant(&self.out.graph, a)).collect::<Option<Vec<_>>>()?;
        let function = MathFn::from_name(name).filter(|f| f.is_exact())?;
        function.fold(call.args.first()?.dtype, &values).ok()
    }
}

/// The variables of a buffer's shape, strides and offset.
fn dimensions(buffer: &Buffer) -> impl Iterator<Item = VarId> {
    let layout = buffer.shape.iter().chain(&buffer.strides).chain(&buffer.elem_offset);
    let mut vars = Vec::new();
    layout.for_each(|e| e.walk(&mut |e| vars.extend(e.as_var())));
    vars.into_iter()
}
