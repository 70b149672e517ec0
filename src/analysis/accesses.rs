//! All loads and stores of a function, each with the loops around it, the conditions under which it happens, and its place
//! in the order of the text.
//!
//! The questions that passes ask of memory are questions about *instances* of these accesses, one for each iteration of their
//! loops (`instances`): what an element holds at a place ([`super::contents`]), whether it is read again
//! ([`super::dead`]). Assumptions are accesses too: `T.assume(c or A[i] == v)` states what `A[i]` holds where `c` does not.
//!
//! A function whose order of execution the text does not tell has none of this: one with `while`, `break`, `continue`, an
//! early return, or a call of which nothing is known.

use std::ops::Range;
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};

use super::alias::{Region, Regions};
use super::by_memory::{ByMemory, Entry};
use super::effects::{Role, role};
use super::ranges::parameter_ranges;
use super::undef::acts;
use crate::arith::Interval;
use crate::arith::invert::Domain;
use crate::ir::{
    AttrNode, AxisKind, BinOp, Block, BufferId, DType, Expr, ExprKind, For, ForKind, Origin, PrimFunc,
    SBlock, Stmt, StmtKind, VarId,
};

/// A condition, and whether it holds.
pub(crate) type Fact = (Expr, bool);

/// A loop around accesses.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    /// Its variable and the values that it takes.
    pub domain: Domain,
    /// Whether its iterations run one after the other. Those of parallel, vectorized and thread loops do not.
    pub ordered: bool,
    /// Whether the values are exactly those of the domain, whose bounds read no memory.
    pub exact: bool,
}

/// What an access does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Reads the element.
    Load,
    /// Writes a value.
    Store(Expr),
    /// Writes what may be anything: `T.undef()`.
    Undefined,
    /// The element is known to hold a value; without one, to be readable.
    Assumed(Option<Expr>),
    /// All elements of the buffer come into being, and hold anything.
    Fresh,
}

/// The condition of an `if`.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    /// The condition, with the values of bound variables in their places.
    pub cond: Expr,
    /// Which guards of the accesses of its first arm it is: first, and one behind the last.
    pub guards: (usize, usize),
}

/// An access.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    /// The buffer.
    pub buffer: BufferId,
    /// The indices, with the values of bound variables in their places.
    pub indices: Vec<Expr>,
    /// What it does.
    pub kind: Kind,
    /// The loops around it, outermost first, as positions in [`Accesses::loops`].
    pub loops: Rc<[usize]>,
    /// The conditions under which it happens, as far as they read no memory.
    pub guards: Rc<[Fact]>,
    /// Whether it happens in every iteration of its loops in which the guards hold.
    pub exact: bool,
    /// Variables bound within its loops whose values are not known, each with the number of loops around its binding.
    pub locals: Rc<[(VarId, usize)]>,
    /// Its place in the order of one pass over the text.
    pub order: u32,
    /// The number of its statement, in the order in which [`Stmt::walk`] meets them.
    pub stmt: usize,
    /// Whether a change adds it, so that the function as it was does not make it.
    pub ghost: bool,
}

impl Access {
    /// Whether it may change what the buffer holds.
    pub(crate) fn writes(&self) -> bool {
        matches!(self.kind, Kind::Store(_) | Kind::Undefined | Kind::Fresh)
    }
}

/// The accesses of a function.
#[derive(Clone, Debug)]
pub(crate) struct Accesses {
    /// In the order of the text; what a change adds stands at the end.
    pub list: Vec<Access>,
    /// The loops.
    pub loops: Vec<Loop>,
    /// Ranges that hold for variables of the whole function ([`VarId`] is the index), and of loops with constant bounds.
    pub ranges: Vec<Interval>,
    /// By number of the statement, the accesses of the statement and of its blocks: first, and one behind the last.
    pub spans: Vec<(usize, usize)>,
    /// By number of the statement, the condition of each `if`.
    pub conditions: HashMap<usize, Condition>,
    regions: Regions,
    by_memory: ByMemory,
    /// By buffer, its shape if its elements are at distinct places.
    shapes: Vec<Option<Vec<Expr>>>,
    /// By buffer, the type of its elements.
    dtypes: Vec<DType>,
    /// By buffer, whether its memory is that of an allocation of the function.
    allocated: Vec<bool>,
}

impl Accesses {
    /// Those of `func`; `None` if the text does not tell the order of execution.
    pub(crate) fn new(func: &PrimFunc) -> Option<Accesses> {
        let mut ranges = parameter_ranges(func);
        ranges.resize(func.vars.len(), Interval::ALL);
        let regions = Regions::new(func);
        let shapes = func.buffers.iter().map(|b| {
            let plain = b.strides.is_empty() && b.dtype.is_scalar();
            (plain && !b.shape.iter().any(Expr::reads_memory)).then(|| b.shape.clone())
        });
        let allocated = (0..func.buffers.len()).map(|i| {
            let of = func.memory_of(BufferId(i as u32));
            matches!(func.buffer(of).origin, Origin::Alloc)
        });
        let mut walker = Walker {
            accesses: Accesses {
                list: Vec::new(),
                loops: Vec::new(),
                ranges,
                spans: Vec::new(),
                conditions: HashMap::new(),
                by_memory: ByMemory::default(),
                shapes: shapes.collect(),
                dtypes: func.buffers.iter().map(|b| b.dtype).collect(),
                allocated: allocated.collect(),
                regions,
            },
            order: 0,
            scope: Scope::default(),
            values: HashMap::new(),
        };
        walker.block(&func.body)?;
        walker.accesses.index();
        Some(walker.accesses)
    }

    /// Sorts the accesses by memory.
    fn index(&mut self) {
        let mut by_memory = ByMemory::default();
        self.list.iter().for_each(|access| by_memory.push(self.entry(access)));
        self.by_memory = by_memory;
    }

    /// What the index has to know of an access.
    fn entry(&self, access: &Access) -> Entry {
        Entry {
            region: self.regions.of(access.buffer),
            buffer: access.buffer,
            order: access.order,
            defines: access.kind != Kind::Load,
            outermost: access.loops.first().copied(),
        }
    }

    /// Adds accesses that a change makes.
    pub(crate) fn add(&mut self, more: Vec<Access>) {
        for access in more {
            self.by_memory.add(self.entry(&access));
            self.list.push(access);
        }
    }

    /// Takes away what was added when there were `len` accesses.
    pub(crate) fn truncate(&mut self, len: usize) {
        while self.list.len() > len
            && let Some(access) = self.list.pop()
        {
            self.by_memory.pop(self.entry(&access));
        }
    }

    /// Makes these the accesses of the function in which the statements of the first arm have taken the place of the `if` with
    /// a number, which has no other arm: `inside` statements, those within them included. `false`, and nothing is changed, if
    /// that is not all that the condition says about them; then they have to be found anew.
    pub(crate) fn unguard(&mut self, number: usize, inside: usize) -> bool {
        let Some(Condition { cond, guards: (from, to) }) = self.conditions.get(&number).cloned() else {
            return false;
        };
        let (first, last) = self.spans[number];
        // What a condition loads is an access of its own, and the locals of an access may be those of the condition.
        if !is_plain(&cond) || self.list[first..last].iter().any(|access| !access.locals.is_empty()) {
            return false;
        }
        // Neighbours share their guards.
        let mut shared: Option<[Rc<[Fact]>; 2]> = None;
        for access in &mut self.list[first..last] {
            let left = match &shared {
                Some([before, left]) if Rc::ptr_eq(before, &access.guards) => left.clone(),
                _ => [&access.guards[..from], &access.guards[to..]].concat().into(),
            };
            shared = Some([access.guards.clone(), left.clone()]);
            access.guards = left;
        }
        self.spans.remove(number);
        self.list.iter_mut().filter(|access| access.stmt > number).for_each(|access| access.stmt -= 1);
        let gone = to - from;
        let old = std::mem::take(&mut self.conditions);
        self.conditions = old
            .into_iter()
            .filter(|&(of, _)| of != number)
            .map(|(of, mut condition)| {
                if of > number && of <= number + inside {
                    condition.guards = (condition.guards.0 - gone, condition.guards.1 - gone);
                }
                (if of > number { of - 1 } else { of }, condition)
            })
            .collect();
        true
    }

    /// The accesses of memory that may be that of the buffer.
    pub(crate) fn sharing(&self, buffer: BufferId) -> impl Iterator<Item = usize> {
        self.sharing_within(buffer, 0..u32::MAX)
    }

    /// As [`Accesses::sharing`]; of the function's own accesses only those at these places in the order of the text.
    pub(crate) fn sharing_within(&self, buffer: BufferId, places: Range<u32>) -> impl Iterator<Item = usize> {
        self.by_memory.sharing(self.regions.of(buffer), places)
    }

    /// As [`Accesses::sharing_within`], without what is no load where that can be told by the memory.
    pub(crate) fn loads_within(&self, buffer: BufferId, places: Range<u32>) -> impl Iterator<Item = usize> {
        self.by_memory.loads(self.regions.of(buffer), places)
    }

    /// The places in the order of the text between which accesses share a loop with one at `place` in these loops. What stands
    /// before them happens before it, what stands after them after it.
    pub(crate) fn around(&self, place: u32, loops: &[usize]) -> Range<u32> {
        self.by_memory.around(place, loops)
    }

    /// What is no load of a buffer: what stands before a place, the nearest first; then what stands at it or after it, the
    /// last first.
    pub(crate) fn definitions(&self, buffer: BufferId, place: u32) -> impl Iterator<Item = usize> {
        self.by_memory.before(buffer, place).chain(self.by_memory.from(buffer, place))
    }

    /// What is no load of a buffer: what stands after a place, the nearest first; then what stands at it or before it, the
    /// nearest first.
    pub(crate) fn next_definitions(&self, buffer: BufferId, place: u32) -> impl Iterator<Item = usize> {
        let next = place.saturating_add(1);
        self.by_memory.from(buffer, next).rev().chain(self.by_memory.before(buffer, next))
    }

    /// The buffers of which elements are stored or assumed to be literals, or to be elements of others of these.
    pub(super) fn with_numbers(&self) -> HashSet<BufferId> {
        let (mut found, mut copied_to) = (Vec::new(), HashMap::<BufferId, Vec<BufferId>>::new());
        for access in &self.list {
            let (Kind::Store(value) | Kind::Assumed(Some(value))) = &access.kind else { continue };
            match &value.kind {
                ExprKind::Load { buffer, .. } => copied_to.entry(*buffer).or_default().push(access.buffer),
                _ if value.is_number() => found.push(access.buffer),
                _ => {}
            }
        }
        let mut with_numbers = HashSet::new();
        while let Some(buffer) = found.pop() {
            if with_numbers.insert(buffer) {
                found.extend(copied_to.remove(&buffer).unwrap_or_default());
            }
        }
        with_numbers
    }

    /// Whether two buffers may be the same memory.
    pub(crate) fn may_share(&self, a: BufferId, b: BufferId) -> bool {
        let (a, b) = (self.regions.of(a), self.regions.of(b));
        a == b || a == Region::Unknown || b == Region::Unknown
    }

    /// The shape of a buffer whose elements are at distinct places.
    pub(crate) fn shape(&self, buffer: BufferId) -> Option<&[Expr]> {
        self.shapes.get(buffer.index())?.as_deref()
    }

    /// The type of a buffer's elements.
    pub(crate) fn dtype(&self, buffer: BufferId) -> Option<DType> {
        self.dtypes.get(buffer.index()).copied()
    }

    /// Whether nobody but the function sees the buffer.
    pub(crate) fn is_allocated(&self, buffer: BufferId) -> bool {
        self.allocated.get(buffer.index()).copied().unwrap_or(false)
            && matches!(self.regions.of(buffer), Region::Known(_))
    }
}

/// What holds where the walk is.
#[derive(Clone, Default)]
struct Scope {
    loops: Vec<usize>,
    guards: Vec<Fact>,
    /// Whether there is a guard that is not among them.
    inexact: bool,
    locals: Vec<(VarId, usize)>,
}

struct Walker {
    accesses: Accesses,
    order: u32,
    scope: Scope,
    /// Values of variables that read no memory.
    values: HashMap<VarId, Expr>,
}

impl Walker {
    fn block(&mut self, block: &Block) -> Option<()> {
        let locals = self.scope.locals.len();
        for stmt in block {
            let number = self.accesses.spans.len();
            let first = self.accesses.list.len();
            self.accesses.spans.push((first, first));
            self.stmt(stmt, number)?;
            self.accesses.spans[number].1 = self.accesses.list.len();
        }
        self.scope.locals.truncate(locals);
        Some(())
    }

    fn stmt(&mut self, stmt: &Stmt, number: usize) -> Option<()> {
        match &stmt.kind {
            StmtKind::Bind { var, value } => {
                self.evaluated(value, number)?;
                self.bind(*var, value);
            }
            StmtKind::Store { buffer, indices, value } => {
                indices.iter().try_for_each(|e| self.evaluated(e, number))?;
                let kind = if value.is_undef() {
                    Kind::Undefined
                } else {
                    self.evaluated(value, number)?;
                    Kind::Store(self.inlined(value))
                };
                self.access(*buffer, indices, kind, number);
            }
            StmtKind::Evaluate(e) => match e.as_intrin() {
                Some(("assume", [cond])) => self.assumption(cond, number)?,
                _ => self.evaluated(e, number)?,
            },
            StmtKind::Assert { cond, .. } => self.evaluated(cond, number)?,
            StmtKind::For(l) => self.for_loop(l, number)?,
            StmtKind::If { cond, then, otherwise } => {
                self.evaluated(cond, number)?;
                let cond = self.inlined(cond);
                let before = self.scope.guards.len();
                for (arm, truth) in [(then, true), (otherwise, false)] {
                    self.within(|w| {
                        w.guard(&cond, truth);
                        if truth {
                            let after = w.scope.guards.len();
                            let whole = Condition { cond: cond.clone(), guards: (before, after) };
                            w.accesses.conditions.insert(number, whole);
                        }
                        w.block(arm)
                    })?;
                }
            }
            StmtKind::Attr { node, key, value, body } => {
                if key.contains("volatile") || key.contains("async") {
                    return None;
                }
                self.evaluated(value, number)?;
                self.within(|w| {
                    if let AttrNode::IterVar { var, .. } = node {
                        let zero = Expr::int(0, value.dtype);
                        w.enter(*var, &zero, value, None, false);
                    }
                    w.block(body)
                })?;
            }
            StmtKind::LaunchThread { var, extent, body, .. } => {
                self.evaluated(extent, number)?;
                self.within(|w| {
                    w.enter(*var, &Expr::int(0, extent.dtype), extent, None, false);
                    w.block(body)
                })?;
            }
            StmtKind::Alloc { buffer, .. } => self.access(*buffer, &[], Kind::Fresh, number),
            StmtKind::SBlock(block) => self.within(|w| w.sblock(block, number))?,
            StmtKind::Decl { .. } => {}
            StmtKind::While { .. } | StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) => {
                return None;
            }
        }
        Some(())
    }

    fn for_loop(&mut self, l: &For, number: usize) -> Option<()> {
        for e in [&l.min, &l.extent].into_iter().chain(&l.step) {
            self.evaluated(e, number)?;
        }
        self.within(|w| {
            let ordered = matches!(l.kind, ForKind::Serial | ForKind::Unrolled);
            w.enter(l.var, &l.min, &l.extent, l.step.as_ref(), ordered);
            w.block(&l.body)
        })
    }

    fn sblock(&mut self, block: &SBlock, number: usize) -> Option<()> {
        let mut first = Vec::new();
        for axis in &block.axes {
            self.evaluated(&axis.binding, number)?;
            self.bind(axis.var, &axis.binding);
            if axis.kind == AxisKind::Reduce {
                first.push(Expr::binary(BinOp::Eq, self.inlined(&axis.binding), self.inlined(&axis.min)));
            }
        }
        if let Some(predicate) = &block.predicate {
            self.evaluated(predicate, number)?;
            let predicate = self.inlined(predicate);
            self.guard(&predicate, true);
        }
        for &buffer in &block.alloc_buffers {
            self.access(buffer, &[], Kind::Fresh, number);
        }
        if let Some(init) = &block.init {
            self.within(|w| {
                first.iter().for_each(|cond| w.guard(cond, true));
                w.block(init)
            })?;
        }
        self.block(&block.body)
    }

    /// Runs `f` in a scope of its own.
    fn within<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let scope = self.scope.clone();
        let result = f(self);
        self.scope = scope;
        result
    }

    fn enter(&mut self, var: VarId, min: &Expr, extent: &Expr, step: Option<&Expr>, ordered: bool) {
        let domain = Domain { var, min: self.inlined(min), extent: self.inlined(extent) };
        let typed = domain.min.dtype == domain.extent.dtype && domain.min.dtype.is_index();
        let exact = typed
            && step.is_none_or(|step| step.as_int() == Some(1))
            && !domain.min.reads_memory()
            && !domain.extent.reads_memory();
        if exact && let Some(range) = self.accesses.ranges.get_mut(var.index()) {
            *range = domain.range();
        }
        self.scope.loops.push(self.accesses.loops.len());
        self.accesses.loops.push(Loop { domain, ordered, exact });
    }

    fn bind(&mut self, var: VarId, value: &Expr) {
        let value = self.inlined(value);
        if is_plain(&value) {
            self.values.insert(var, value);
        } else {
            self.scope.locals.push((var, self.scope.loops.len()));
        }
    }

    fn guard(&mut self, cond: &Expr, truth: bool) {
        match &cond.kind {
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b)
                if (*op == BinOp::And) == truth && cond.dtype.is_scalar() =>
            {
                self.guard(a, truth);
                self.guard(b, truth);
            }
            ExprKind::Not(inner) => self.guard(inner, !truth),
            _ => match cond.as_intrin() {
                Some(("likely", [inner])) => self.guard(inner, truth),
                _ if is_plain(cond) => self.scope.guards.push((cond.clone(), truth)),
                _ => self.scope.inexact = true,
            },
        }
    }

    /// The expression with the values of variables in their places.
    fn inlined(&self, e: &Expr) -> Expr {
        let mut e = e.clone();
        // Values hold no variables that have values.
        e.substitute(&|var| self.values.get(&var));
        e
    }

    /// Adds the loads of an expression, in the order of their evaluation; `None` if evaluating it does more than that.
    fn evaluated(&mut self, e: &Expr, number: usize) -> Option<()> {
        if acts(e) {
            return None;
        }
        self.loads(e, Role::Value, number)
    }

    fn loads(&mut self, e: &Expr, used_as: Role, number: usize) -> Option<()> {
        match &e.kind {
            // Who gets an address may do anything with it.
            ExprKind::BufferData(_) | ExprKind::BufferRef(_) | ExprKind::Region(..) => return None,
            ExprKind::Load { buffer, indices } => {
                if used_as == Role::Place {
                    return None;
                }
                indices.iter().try_for_each(|index| self.loads(index, Role::Value, number))?;
                self.access(*buffer, indices, Kind::Load, number);
            }
            ExprKind::Call(call) if call.is_lazy_select() => {
                let [cond, then, otherwise] = &call.args[..] else { return None };
                self.loads(cond, Role::Value, number)?;
                let cond = self.inlined(cond);
                for (arm, truth) in [(then, true), (otherwise, false)] {
                    self.within(|w| {
                        w.guard(&cond, truth);
                        w.loads(arm, Role::Value, number)
                    })?;
                }
            }
            ExprKind::Let(var, value, body) => {
                self.loads(value, Role::Value, number)?;
                self.bind(*var, value);
                self.loads(body, Role::Value, number)?;
            }
            _ => {
                let mut children = Vec::new();
                e.for_each_child(|child| children.push((role(e, children.len(), child), child)));
                for (used_as, child) in children {
                    self.loads(child, used_as, number)?;
                }
            }
        }
        Some(())
    }

    /// What an assumption states: of `c or A[i] == v` that `A[i]` is `v` where `c` does not hold; of a conjunction each part.
    fn assumption(&mut self, cond: &Expr, number: usize) -> Option<()> {
        if acts(cond) {
            return None;
        }
        self.stated(cond, true, number)
    }

    /// What it states that a condition has a truth value. What a part reads matters only where the others do not decide.
    fn stated(&mut self, cond: &Expr, truth: bool, number: usize) -> Option<()> {
        match &cond.kind {
            ExprKind::Not(inner) => self.stated(inner, !truth, number)?,
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) if (*op == BinOp::And) == truth => {
                self.stated(a, truth, number)?;
                self.stated(b, truth, number)?;
            }
            ExprKind::Binary(BinOp::And | BinOp::Or, a, b) => {
                let (x, y) = (self.inlined(a), self.inlined(b));
                match (is_plain(&x), is_plain(&y)) {
                    (true, true) => {}
                    // `a or b` states `b` where `a` does not hold, and the other way round.
                    (true, false) => self.where_not((&x, truth), b, number)?,
                    (false, true) => self.where_not((&y, truth), a, number)?,
                    (false, false) => self.loads(cond, Role::Value, number)?,
                }
            }
            ExprKind::Binary(op @ (BinOp::Eq | BinOp::Ne), a, b) if (*op == BinOp::Eq) == truth => {
                if !a.is_undef() && !b.is_undef() {
                    self.loads(cond, Role::Value, number)?;
                }
                for (element, value) in [(a, b), (b, a)] {
                    let ExprKind::Load { buffer, indices } = &element.kind else { continue };
                    let value = self.inlined(value);
                    if value.is_undef() {
                        self.access(*buffer, indices, Kind::Assumed(None), number);
                    } else if is_plain(&value) {
                        self.access(*buffer, indices, Kind::Assumed(Some(value)), number);
                    }
                }
            }
            _ => self.loads(cond, Role::Value, number)?,
        }
        Some(())
    }

    /// What `part` states where another condition does not have a truth value.
    fn where_not(&mut self, (other, truth): (&Expr, bool), part: &Expr, number: usize) -> Option<()> {
        self.within(|w| {
            w.guard(other, !truth);
            w.stated(part, truth, number)
        })
    }

    fn access(&mut self, buffer: BufferId, indices: &[Expr], kind: Kind, stmt: usize) {
        let indices: Vec<Expr> = indices.iter().map(|e| self.inlined(e)).collect();
        let loops = &self.scope.loops;
        let exact = !self.scope.inexact
            && indices.iter().all(|e| is_plain(e) && e.dtype.is_index() && e.dtype.is_scalar())
            && loops.iter().all(|&l| self.accesses.loops[l].exact)
            && self.accesses.shape(buffer).is_some();
        let guards = &self.scope.guards;
        let mut named: Vec<(VarId, usize)> = Vec::new();
        if !self.scope.locals.is_empty() {
            let mut look = |e: &Expr| {
                e.walk(&mut |e| {
                    let own = e.as_var().and_then(|var| self.scope.locals.iter().find(|(v, _)| *v == var));
                    named.extend(own.filter(|own| !named.contains(own)));
                });
            };
            indices.iter().chain(guards.iter().map(|(cond, _)| cond)).for_each(&mut look);
            if let Kind::Store(value) | Kind::Assumed(Some(value)) = &kind {
                look(value);
            }
            for &l in loops {
                let domain = &self.accesses.loops[l].domain;
                [&domain.min, &domain.extent].into_iter().for_each(&mut look);
            }
        }
        self.accesses.list.push(Access {
            buffer,
            indices,
            kind,
            loops: loops.as_slice().into(),
            guards: guards.as_slice().into(),
            exact,
            locals: named.into(),
            order: self.order,
            stmt,
            ghost: false,
        });
        self.order += 1;
    }
}

/// Whether a value depends on variables only, and evaluating it does nothing else.
pub(crate) fn is_plain(e: &Expr) -> bool {
    let mut plain = !e.has_effect();
    e.walk(&mut |e| plain &= !matches!(e.kind, ExprKind::Load { .. } | ExprKind::Let(..)));
    plain
}
