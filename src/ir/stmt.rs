//! Statements: owned trees. A block is a sequence of statements; bindings, allocations and declarations are
//! flat, in scope for the rest of their block.

use std::sync::Arc;

use super::{AttrValue, BufferId, Expr, VarId};
use crate::diag::Span;

/// A sequence of statements.
pub type Block = Vec<Stmt>;

/// A statement with its place in the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// Where it came from; [`Span::NONE`] for statements that satir made.
    pub span: Span,
    /// What it does.
    pub kind: StmtKind,
}

impl Stmt {
    /// A statement without a place in a source.
    pub fn new(kind: StmtKind) -> Stmt {
        Stmt { span: Span::NONE, kind }
    }

    /// Calls `f` on each expression that the statement itself evaluates, in order: not those of its blocks, and
    /// not descriptions that nothing evaluates (shapes, regions, axis domains, annotations, lambdas).
    pub fn for_each_expr<'a>(&'a self, mut f: impl FnMut(&'a Expr)) {
        match &self.kind {
            StmtKind::Store { indices, value, .. } => {
                indices.iter().for_each(&mut f);
                f(value);
            }
            StmtKind::For(l) => {
                f(&l.min);
                f(&l.extent);
                l.step.iter().for_each(f);
            }
            StmtKind::SBlock(b) => {
                b.axes.iter().for_each(|a| f(&a.binding));
                b.predicate.iter().for_each(f);
            }
            StmtKind::Bind { value: e, .. }
            | StmtKind::Evaluate(e)
            | StmtKind::While { cond: e, .. }
            | StmtKind::If { cond: e, .. }
            | StmtKind::Assert { cond: e, .. }
            | StmtKind::Attr { value: e, .. }
            | StmtKind::LaunchThread { extent: e, .. }
            | StmtKind::Return(e) => f(e),
            StmtKind::Alloc { .. } | StmtKind::Decl { .. } | StmtKind::Break | StmtKind::Continue => {}
        }
    }

    /// The same as [`Stmt::for_each_expr`], to change them in place.
    pub fn for_each_expr_mut(&mut self, mut f: impl FnMut(&mut Expr)) {
        match &mut self.kind {
            StmtKind::Store { indices, value, .. } => {
                indices.iter_mut().for_each(&mut f);
                f(value);
            }
            StmtKind::For(l) => {
                f(&mut l.min);
                f(&mut l.extent);
                l.step.iter_mut().for_each(f);
            }
            StmtKind::SBlock(b) => {
                b.axes.iter_mut().for_each(|a| f(&mut a.binding));
                b.predicate.iter_mut().for_each(f);
            }
            StmtKind::Bind { value: e, .. }
            | StmtKind::Evaluate(e)
            | StmtKind::While { cond: e, .. }
            | StmtKind::If { cond: e, .. }
            | StmtKind::Assert { cond: e, .. }
            | StmtKind::Attr { value: e, .. }
            | StmtKind::LaunchThread { extent: e, .. }
            | StmtKind::Return(e) => f(e),
            StmtKind::Alloc { .. } | StmtKind::Decl { .. } | StmtKind::Break | StmtKind::Continue => {}
        }
    }

    /// Calls `f` on each block of the statement, in order (the `T.init()` of a block before its body).
    pub fn for_each_block<'a>(&'a self, mut f: impl FnMut(&'a Block)) {
        match &self.kind {
            StmtKind::For(l) => f(&l.body),
            StmtKind::If { then, otherwise, .. } => {
                f(then);
                f(otherwise);
            }
            StmtKind::SBlock(b) => {
                b.init.iter().for_each(&mut f);
                f(&b.body);
            }
            StmtKind::While { body, .. }
            | StmtKind::Attr { body, .. }
            | StmtKind::LaunchThread { body, .. } => f(body),
            StmtKind::Bind { .. }
            | StmtKind::Store { .. }
            | StmtKind::Evaluate(_)
            | StmtKind::Assert { .. }
            | StmtKind::Alloc { .. }
            | StmtKind::Decl { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_) => {}
        }
    }

    /// The same as [`Stmt::for_each_block`], to change them in place.
    pub fn for_each_block_mut(&mut self, mut f: impl FnMut(&mut Block)) {
        match &mut self.kind {
            StmtKind::For(l) => f(&mut l.body),
            StmtKind::If { then, otherwise, .. } => {
                f(then);
                f(otherwise);
            }
            StmtKind::SBlock(b) => {
                b.init.iter_mut().for_each(&mut f);
                f(&mut b.body);
            }
            StmtKind::While { body, .. }
            | StmtKind::Attr { body, .. }
            | StmtKind::LaunchThread { body, .. } => f(body),
            StmtKind::Bind { .. }
            | StmtKind::Store { .. }
            | StmtKind::Evaluate(_)
            | StmtKind::Assert { .. }
            | StmtKind::Alloc { .. }
            | StmtKind::Decl { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_) => {}
        }
    }
}

/// The kinds of statement.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `var: T.let[dtype] = value`; `var` is in scope for the rest of the block.
    Bind {
        /// The variable defined.
        var: VarId,
        /// Its value, evaluated once here.
        value: Expr,
    },
    /// `buffer[indices] = value`.
    Store {
        /// The buffer written.
        buffer: BufferId,
        /// One index for each dimension.
        indices: Vec<Expr>,
        /// The value; a vector if the last index is one.
        value: Expr,
    },
    /// An expression evaluated for its effect.
    Evaluate(Expr),
    /// A loop.
    For(Box<For>),
    /// `while cond: body`.
    While {
        /// Evaluated before every iteration.
        cond: Expr,
        /// The body.
        body: Block,
    },
    /// `if cond: then else: otherwise`.
    If {
        /// The condition.
        cond: Expr,
        /// Run when the condition holds.
        then: Block,
        /// Run when it does not; empty if there is no `else`.
        otherwise: Block,
    },
    /// `assert cond, (kind, [message])`.
    Assert {
        /// The condition.
        cond: Expr,
        /// The kind of error, `RuntimeError` by default.
        kind: Arc<str>,
        /// The message's parts.
        message: Vec<Arc<str>>,
    },
    /// `with T.attr(node, key, value): body`.
    Attr {
        /// What the attribute is about.
        node: AttrNode,
        /// The attribute's name.
        key: Arc<str>,
        /// Its value: an expression, or a string as [`ExprKind::Str`](super::ExprKind::Str).
        value: Expr,
        /// The statements under it.
        body: Block,
    },
    /// `with T.launch_thread(tag, extent) as var: body`: `var` runs over `0..extent` on the threads `tag`.
    LaunchThread {
        /// The thread index.
        var: VarId,
        /// `blockIdx.x`, `threadIdx.y`, `vthread`, …
        tag: Arc<str>,
        /// The number of threads.
        extent: Expr,
        /// The statements run by each thread.
        body: Block,
    },
    /// `buffer = T.alloc_buffer(…)`: new memory for the rest of the block.
    Alloc {
        /// The buffer allocated.
        buffer: BufferId,
        /// Annotations.
        annotations: Vec<(Arc<str>, AttrValue)>,
    },
    /// `buffer = T.decl_buffer(…, data=…)`: another view of existing memory.
    Decl {
        /// The buffer declared; its [`origin`](super::Buffer::origin) says of what memory.
        buffer: BufferId,
    },
    /// `with T.sblock(name): …`.
    SBlock(Box<SBlock>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return value` or `T.ret(value)`.
    Return(Expr),
}

/// A `for` loop: `var` runs over `min, min + step, …` below `min + extent`.
#[derive(Clone, Debug, PartialEq)]
pub struct For {
    /// The loop variable.
    pub var: VarId,
    /// First value.
    pub min: Expr,
    /// Length of the range (not its end).
    pub extent: Expr,
    /// Distance between values; 1 if absent.
    pub step: Option<Expr>,
    /// How iterations run.
    pub kind: ForKind,
    /// Annotations.
    pub annotations: Vec<(Arc<str>, AttrValue)>,
    /// The body.
    pub body: Block,
}

/// How the iterations of a loop run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForKind {
    /// One after the other.
    Serial,
    /// In parallel.
    Parallel,
    /// As lanes of vectors.
    Vectorized,
    /// Unrolled.
    Unrolled,
    /// Each on a thread of the named kind.
    ThreadBinding(Arc<str>),
}

/// What an attribute statement is about.
#[derive(Clone, Debug, PartialEq)]
pub enum AttrNode {
    /// A plain value (`0`, a string, …).
    Value(AttrValue),
    /// A variable.
    Var(VarId),
    /// A buffer.
    Buffer(BufferId),
    /// A combining function of a reduction.
    CommReducer(CommReducer),
    /// `T.iter_var(var, dom, kind, thread_tag)`.
    IterVar {
        /// The variable.
        var: VarId,
        /// Its range (min, extent), if given.
        dom: Option<(Expr, Expr)>,
        /// The kind of iteration.
        kind: Arc<str>,
        /// The thread's name.
        thread_tag: Arc<str>,
    },
}

/// `T.comm_reducer(lambda lhs…, rhs…: result, [identity…])`.
#[derive(Clone, Debug, PartialEq)]
pub struct CommReducer {
    /// Left and right parameters of the lambda, in order.
    pub params: Vec<VarId>,
    /// What it computes.
    pub result: Vec<Expr>,
    /// The neutral values.
    pub identity: Vec<Expr>,
}

/// A schedulable block with its iteration axes.
#[derive(Clone, Debug, PartialEq)]
pub struct SBlock {
    /// The name; may be empty.
    pub name: Arc<str>,
    /// The axes.
    pub axes: Vec<Axis>,
    /// `T.where(predicate)`: the block runs only where it holds.
    pub predicate: Option<Expr>,
    /// `T.reads(…)`; `None` if absent.
    pub reads: Option<Vec<BufferRegion>>,
    /// `T.writes(…)`; `None` if absent.
    pub writes: Option<Vec<BufferRegion>>,
    /// `T.sblock_attr({…})`.
    pub attrs: Vec<(Arc<str>, AttrValue)>,
    /// `T.sblock_alloc_buffer(…)`.
    pub alloc_buffers: Vec<BufferId>,
    /// `T.match_buffer(region, …)` inside of a block: buffer and the region it views.
    pub match_buffers: Vec<(BufferId, BufferRegion)>,
    /// `with T.init(): …`.
    pub init: Option<Block>,
    /// The body.
    pub body: Block,
}

/// One axis of a block: `var = T.axis.<kind>(dom, binding)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The variable.
    pub var: VarId,
    /// First value of the domain.
    pub min: Expr,
    /// Length of the domain.
    pub extent: Expr,
    /// The kind.
    pub kind: AxisKind,
    /// The value that the variable takes.
    pub binding: Expr,
}

/// The kinds of block axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisKind {
    /// Data parallel, `T.axis.spatial`.
    Spatial,
    /// Reduction, `T.axis.reduce`.
    Reduce,
    /// Sequential, `T.axis.scan`.
    Scan,
    /// `T.axis.opaque`.
    Opaque,
}

/// A box of elements of a buffer: per dimension (min, extent); extent absent for a single point.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferRegion {
    /// The buffer.
    pub buffer: BufferId,
    /// Per dimension the first index and the length.
    pub ranges: Vec<(Expr, Option<Expr>)>,
}
