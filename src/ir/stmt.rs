//! Statements: owned trees. A block is a sequence of statements; bindings, allocations and declarations are
//! flat, in scope for the rest of their block.

use std::sync::Arc;

use super::{AttrValue, BufferId, Expr, VarId};
use crate::diag::Span;

/// A sequence of statements.
///
/// ```
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((4,))):\n    A[0] = A[1]\n    A[2] = A[3]\n")?;
/// let body: &satir::ir::Block = &module.funcs[0].body;
/// assert_eq!(body.len(), 2);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub type Block = Vec<Stmt>;

/// A statement with its place in the source.
///
/// ```
/// use satir::ir::StmtKind;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((4,))):\n    A[0] = A[1]\n")?;
/// let stmt = &module.funcs[0].body[0];
/// assert!(matches!(stmt.kind, StmtKind::Store { .. }));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// Where it came from; [`Span::NONE`] for statements that satir made.
    pub span: Span,
    /// What it does.
    pub kind: StmtKind,
}

impl Stmt {
    /// A statement without a place in a source.
    ///
    /// ```
    /// use satir::diag::Span;
    /// use satir::ir::{Stmt, StmtKind};
    ///
    /// assert_eq!(Stmt::new(StmtKind::Break).span, Span::NONE);
    /// ```
    pub fn new(kind: StmtKind) -> Stmt {
        Stmt { span: Span::NONE, kind }
    }

    /// Calls `f` with each variable that the statement itself defines, for those within it or behind it; those that are bound within
    /// its expressions are not among them.
    pub(crate) fn for_each_defined(&self, mut f: impl FnMut(VarId)) {
        match &self.kind {
            StmtKind::For(l) => f(l.var),
            StmtKind::Bind { var, .. } | StmtKind::LaunchThread { var, .. } => f(*var),
            StmtKind::Attr { node: AttrNode::IterVar { var, .. }, .. } => f(*var),
            StmtKind::SBlock(block) => block.axes.iter().for_each(|axis| f(axis.var)),
            _ => {}
        }
    }

    /// Whether control may not come behind it: it jumps, asserts, may go on for ever, or calls what may not come back. What is
    /// evaluated behind it then shows nothing of what is in front of it.
    pub(crate) fn may_leave(&self) -> bool {
        let mut leaves = false;
        self.walk(&mut |stmt| {
            leaves |= matches!(
                stmt.kind,
                StmtKind::While { .. }
                    | StmtKind::Assert { .. }
                    | StmtKind::Break
                    | StmtKind::Continue
                    | StmtKind::Return(_)
            );
            stmt.for_each_expr(|e| leaves |= e.has_effect());
        });
        leaves
    }

    /// Statements under a condition, without a place in a source.
    pub(crate) fn guarded(cond: Expr, then: Block) -> Stmt {
        Stmt::new(StmtKind::If { cond, then, otherwise: Block::new() })
    }

    /// Calls `f` on each expression that the statement itself evaluates, in order: not those of its blocks, and
    /// not descriptions that nothing evaluates (shapes, regions, axis domains, annotations, lambdas).
    ///
    /// ```
    /// let module = satir::parse(
    ///     "@T.prim_func\ndef main(n: T.int32):\n    for i in range(n):\n        T.evaluate(i)\n",
    /// )?;
    /// let func = &module.funcs[0];
    /// let mut seen = Vec::new();
    /// func.body[0].for_each_expr(|e| seen.push(satir::script::print_expr(func, e)));
    /// assert_eq!(seen, ["0", "n"], "the bounds of the loop, not its body");
    /// # Ok::<(), satir::diag::Diagnostic>(())
    /// ```
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
    ///
    /// ```
    /// use satir::ir::{DType, Expr, Stmt, StmtKind};
    ///
    /// let mut stmt = Stmt::new(StmtKind::Evaluate(Expr::int(1, DType::I32)));
    /// stmt.for_each_expr_mut(|e| *e = Expr::int(2, e.dtype));
    /// assert_eq!(stmt.kind, StmtKind::Evaluate(Expr::int(2, DType::I32)));
    /// ```
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
    ///
    /// ```
    /// let module = satir::parse(
    ///     r#"
    /// @T.prim_func
    /// def main(n: T.int32):
    ///     if n < 4:
    ///         T.evaluate(n)
    ///         T.evaluate(n + 1)
    ///     else:
    ///         T.evaluate(n + 2)
    /// "#,
    /// )?;
    /// let mut lengths = Vec::new();
    /// module.funcs[0].body[0].for_each_block(|block| lengths.push(block.len()));
    /// assert_eq!(lengths, [2, 1]);
    /// # Ok::<(), satir::diag::Diagnostic>(())
    /// ```
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

    /// Calls `f` on the statement and on all that stand in its blocks, in the order of the text.
    ///
    /// ```
    /// let module = satir::parse(
    ///     "@T.prim_func\ndef main(n: T.int32):\n    for i in range(n):\n        T.evaluate(i)\n        T.evaluate(n)\n",
    /// )?;
    /// let mut statements = 0;
    /// module.funcs[0].body[0].walk(&mut |_| statements += 1);
    /// assert_eq!(statements, 3);
    /// # Ok::<(), satir::diag::Diagnostic>(())
    /// ```
    pub fn walk<'a>(&'a self, f: &mut impl FnMut(&'a Stmt)) {
        f(self);
        self.for_each_block(|block| block.iter().for_each(|stmt| stmt.walk(f)));
    }

    /// The same as [`Stmt::for_each_block`], to change them in place.
    ///
    /// ```
    /// let mut module = satir::parse(
    ///     "@T.prim_func\ndef main(n: T.int32):\n    for i in range(n):\n        T.evaluate(i)\n        T.evaluate(n)\n",
    /// )?;
    /// module.funcs[0].body[0].for_each_block_mut(|block| block.truncate(1));
    /// assert!(!module.to_string().contains("T.evaluate(n)"));
    /// # Ok::<(), satir::diag::Diagnostic>(())
    /// ```
    pub fn for_each_block_mut<'a>(&'a mut self, mut f: impl FnMut(&'a mut Block)) {
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
///
/// ```
/// use satir::ir::StmtKind;
///
/// let module = satir::parse("@T.prim_func\ndef main(x: T.int32):\n    y: T.let[T.int32] = x + 1\n    T.evaluate(y)\n")?;
/// let body = &module.funcs[0].body;
/// assert!(matches!(body[0].kind, StmtKind::Bind { .. }));
/// assert!(matches!(body[1].kind, StmtKind::Evaluate(_)));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
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
///
/// ```
/// use satir::ir::{ForKind, StmtKind};
///
/// let module = satir::parse("@T.prim_func\ndef main():\n    for i in range(2, 10):\n        T.evaluate(i)\n")?;
/// let StmtKind::For(l) = &module.funcs[0].body[0].kind else { panic!("a loop") };
/// assert_eq!((l.min.as_int(), l.extent.as_int()), (Some(2), Some(8)));
/// assert_eq!(l.kind, ForKind::Serial);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
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

impl For {
    /// Whether its iterations run one after the other, counted by 1, and nothing is asked of it by annotations.
    pub(crate) fn is_plain(&self) -> bool {
        self.kind == ForKind::Serial && self.step.is_none() && self.annotations.is_empty()
    }

    /// The same loop around another body.
    pub(crate) fn around(&self, body: Block) -> For {
        let For { var, min, extent, step, kind, annotations, body: _ } = self;
        let (min, extent, step) = (min.clone(), extent.clone(), step.clone());
        For { var: *var, min, extent, step, kind: kind.clone(), annotations: annotations.clone(), body }
    }
}

/// How the iterations of a loop run.
///
/// ```
/// use satir::ir::{ForKind, StmtKind};
///
/// let module = satir::parse("@T.prim_func\ndef main():\n    for i in T.vectorized(4):\n        T.evaluate(i)\n")?;
/// let StmtKind::For(l) = &module.funcs[0].body[0].kind else { panic!("a loop") };
/// assert_eq!(l.kind, ForKind::Vectorized);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
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
///
/// ```
/// use satir::ir::{AttrNode, AttrValue, StmtKind};
///
/// let module = satir::parse(
///     "@T.prim_func\ndef main():\n    with T.attr(0, \"pragma_scope\", \"import\"):\n        T.evaluate(0)\n",
/// )?;
/// let StmtKind::Attr { node, .. } = &module.funcs[0].body[0].kind else { panic!("an attribute") };
/// assert_eq!(*node, AttrNode::Value(AttrValue::Int(0)));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
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
///
/// ```
/// use satir::ir::{AttrNode, StmtKind};
///
/// let module = satir::parse(
///     r#"
/// @T.prim_func
/// def main(A: T.Buffer((1,), "float32")):
///     with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
///         A[0] = T.float32(1)
/// "#,
/// )?;
/// let StmtKind::Attr { node: AttrNode::CommReducer(reducer), .. } = &module.funcs[0].body[0].kind else {
///     panic!("a reducer")
/// };
/// assert_eq!((reducer.params.len(), reducer.result.len(), reducer.identity.len()), (2, 1, 1));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
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
///
/// ```
/// use satir::ir::{AxisKind, StmtKind};
///
/// let module = satir::parse(
///     r#"
/// @T.prim_func
/// def main(A: T.Buffer((16,), "int32")):
///     for i in range(16):
///         with T.sblock("set"):
///             vi = T.axis.spatial(16, i)
///             T.reads()
///             T.writes(A[vi])
///             A[vi] = vi
/// "#,
/// )?;
/// let StmtKind::For(l) = &module.funcs[0].body[0].kind else { panic!("a loop") };
/// let StmtKind::SBlock(block) = &l.body[0].kind else { panic!("a block") };
/// assert_eq!(&*block.name, "set");
/// assert_eq!(block.axes[0].kind, AxisKind::Spatial);
/// assert_eq!(block.writes.as_ref().map(Vec::len), Some(1));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
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

impl SBlock {
    /// A block with nothing in it.
    pub(crate) fn new(name: impl Into<Arc<str>>) -> SBlock {
        SBlock {
            name: name.into(),
            axes: Vec::new(),
            predicate: None,
            reads: None,
            writes: None,
            attrs: Vec::new(),
            alloc_buffers: Vec::new(),
            match_buffers: Vec::new(),
            init: None,
            body: Block::new(),
        }
    }
}

/// One axis of a block: `var = T.axis.<kind>(dom, binding)`.
///
/// ```
/// use satir::ir::{Axis, StmtKind};
///
/// let module = satir::parse(
///     r#"
/// @T.prim_func
/// def main(A: T.Buffer((16,), "int32")):
///     with T.sblock("set"):
///         v = T.axis.spatial(16, 3)
///         A[v] = v
/// "#,
/// )?;
/// let StmtKind::SBlock(block) = &module.funcs[0].body[0].kind else { panic!("a block") };
/// let Axis { extent, binding, .. } = &block.axes[0];
/// assert_eq!((extent.as_int(), binding.as_int()), (Some(16), Some(3)));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
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
///
/// ```
/// use satir::ir::{AxisKind, StmtKind};
///
/// let module = satir::parse(
///     r#"
/// @T.prim_func
/// def main(A: T.Buffer((16,), "int32")):
///     with T.sblock("sum"):
///         v = T.axis.reduce(16, 3)
///         A[0] = A[0] + v
/// "#,
/// )?;
/// let StmtKind::SBlock(block) = &module.funcs[0].body[0].kind else { panic!("a block") };
/// assert_eq!(block.axes[0].kind, AxisKind::Reduce);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
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
///
/// ```
/// use satir::ir::StmtKind;
///
/// let module = satir::parse(
///     r#"
/// @T.prim_func
/// def main(A: T.Buffer((16,), "int32")):
///     with T.sblock("set"):
///         T.reads(A[0:4])
///         T.writes(A[5])
///         A[5] = A[0] + A[3]
/// "#,
/// )?;
/// let StmtKind::SBlock(block) = &module.funcs[0].body[0].kind else { panic!("a block") };
/// let (reads, writes) = (block.reads.as_ref().expect("given"), block.writes.as_ref().expect("given"));
/// assert_eq!(reads[0].ranges[0].1.as_ref().and_then(|extent| extent.as_int()), Some(4));
/// assert_eq!(writes[0].ranges[0].1, None, "a point");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BufferRegion {
    /// The buffer.
    pub buffer: BufferId,
    /// Per dimension the first index and the length.
    pub ranges: Vec<(Expr, Option<Expr>)>,
}
