//! Building functions in Rust, statement by statement.
//!
//! ```
//! use satir::ir::build::FuncBuilder;
//! use satir::ir::{BinOp, DType, Expr};
//!
//! let mut b = FuncBuilder::new("main");
//! let n = b.param("n", DType::I32);
//! let shape = vec![b.var(n)];
//! let a = b.buffer_param("A", DType::F32, shape);
//! b.serial("i", b.var(n), |b, i| {
//!     let i = b.var(i);
//!     let doubled = Expr::binary(BinOp::Add, b.load(a, vec![i.clone()]), b.load(a, vec![i.clone()]));
//!     b.store(a, vec![i], doubled);
//! });
//! let func = b.finish();
//! assert_eq!(func.body.len(), 1);
//! ```
//! The builder makes ids and nesting right; [`verify`](crate::verify) checks the rest.

use std::sync::Arc;

use super::{
    AttrValue, BinOp, Block, Buffer, BufferId, DType, Expr, For, ForKind, Origin, Param, PrimFunc, Stmt,
    StmtKind, Type, VarId,
};

/// Builds one function.
#[derive(Clone, Debug)]
pub struct FuncBuilder {
    func: PrimFunc,
    // Invariant: never empty; the last one is the block that statements are appended to.
    open: Vec<Block>,
}

impl FuncBuilder {
    /// Starts a function without parameters.
    pub fn new(name: &str) -> FuncBuilder {
        FuncBuilder { func: PrimFunc::new(name), open: vec![Vec::new()] }
    }

    /// Adds a function attribute.
    pub fn attr(&mut self, key: &str, value: AttrValue) {
        self.func.attrs.push((key.into(), value));
    }

    /// Marks the function `tirx.noalias`: distinct buffers share no memory.
    pub fn no_alias(&mut self) {
        self.attr("tirx.noalias", AttrValue::Bool(true));
    }

    /// Adds a scalar or handle parameter.
    pub fn param(&mut self, name: &str, dtype: DType) -> VarId {
        let var = self.func.new_var(name, Type::Prim(dtype));
        self.func.params.push(Param::Var(var));
        var
    }

    /// Adds a symbolic dimension: a variable that the shape of a later buffer parameter defines.
    pub fn dimension(&mut self, name: &str, dtype: DType) -> VarId {
        self.func.new_var(name, Type::Prim(dtype))
    }

    /// Adds a buffer parameter.
    pub fn buffer_param(&mut self, name: &str, dtype: DType, shape: Vec<Expr>) -> BufferId {
        let buffer = self.buffer(name, dtype, shape, Origin::Param);
        self.func.params.push(Param::Buffer(buffer));
        buffer
    }

    /// Adds a handle parameter and a buffer matched to it.
    pub fn match_buffer(&mut self, name: &str, dtype: DType, shape: Vec<Expr>) -> BufferId {
        let handle = self.param(&format!("{name}_handle"), DType::HANDLE);
        let buffer = self.buffer(name, dtype, shape, Origin::Match(handle));
        self.func.matches.push((handle, buffer));
        buffer
    }

    /// Allocates a buffer for the rest of the block.
    pub fn alloc(&mut self, name: &str, dtype: DType, shape: Vec<Expr>) -> BufferId {
        let buffer = self.buffer(name, dtype, shape, Origin::Alloc);
        self.push(StmtKind::Alloc { buffer, annotations: Vec::new() });
        buffer
    }

    /// Declares a view of the memory of `of` for the rest of the block.
    pub fn view(&mut self, name: &str, of: BufferId, dtype: DType, shape: Vec<Expr>) -> BufferId {
        let buffer = self.buffer(name, dtype, shape, Origin::View(of));
        self.push(StmtKind::Decl { buffer });
        buffer
    }

    fn buffer(&mut self, name: &str, dtype: DType, shape: Vec<Expr>, origin: Origin) -> BufferId {
        self.func.new_buffer(Buffer {
            name: name.into(),
            dtype,
            shape,
            strides: Vec::new(),
            elem_offset: None,
            scope: "global".into(),
            extra: Vec::new(),
            origin,
        })
    }

    /// A variable as an expression.
    pub fn var(&self, var: VarId) -> Expr {
        self.func.var_expr(var)
    }

    /// A load; a vector if the last index is one.
    pub fn load(&self, buffer: BufferId, indices: Vec<Expr>) -> Expr {
        let dtype = self.func.buffer(buffer).dtype;
        let lanes = indices.last().map_or(1, |i| i.dtype.lanes);
        Expr::load(dtype.with_lanes(dtype.lanes.saturating_mul(lanes)), buffer, indices)
    }

    /// Appends a statement.
    pub fn push(&mut self, kind: StmtKind) {
        self.open.last_mut().expect("a block is always open").push(Stmt::new(kind));
    }

    /// Appends a store.
    pub fn store(&mut self, buffer: BufferId, indices: Vec<Expr>, value: Expr) {
        self.push(StmtKind::Store { buffer, indices, value });
    }

    /// Appends the evaluation of an expression.
    pub fn evaluate(&mut self, value: Expr) {
        self.push(StmtKind::Evaluate(value));
    }

    /// Appends a binding; the variable is in scope for the rest of the block.
    pub fn bind(&mut self, name: &str, value: Expr) -> VarId {
        let var = self.func.new_var(name, Type::Prim(value.dtype));
        self.push(StmtKind::Bind { var, value });
        var
    }

    /// Appends a serial loop from 0 to `extent`.
    pub fn serial(&mut self, name: &str, extent: Expr, body: impl FnOnce(&mut FuncBuilder, VarId)) {
        self.for_loop(name, ForKind::Serial, extent, body);
    }

    /// Appends a loop from 0 to `extent` of any kind.
    pub fn for_loop(
        &mut self,
        name: &str,
        kind: ForKind,
        extent: Expr,
        body: impl FnOnce(&mut FuncBuilder, VarId),
    ) {
        let var = self.func.new_var(name, Type::Prim(extent.dtype));
        let min = Expr::int(0, extent.dtype);
        let body = self.block(|b| body(b, var));
        self.push(StmtKind::For(Box::new(For {
            var,
            min,
            extent,
            step: None,
            kind,
            annotations: Vec::new(),
            body,
        })));
    }

    /// Appends a `while` loop.
    pub fn while_loop(&mut self, cond: Expr, body: impl FnOnce(&mut FuncBuilder)) {
        let body = self.block(body);
        self.push(StmtKind::While { cond, body });
    }

    /// Appends an `if` without `else`.
    pub fn if_then(&mut self, cond: Expr, then: impl FnOnce(&mut FuncBuilder)) {
        self.if_else(cond, then, |_| {});
    }

    /// Appends an `if` with `else`.
    pub fn if_else(
        &mut self,
        cond: Expr,
        then: impl FnOnce(&mut FuncBuilder),
        otherwise: impl FnOnce(&mut FuncBuilder),
    ) {
        let then = self.block(then);
        let otherwise = self.block(otherwise);
        self.push(StmtKind::If { cond, then, otherwise });
    }

    /// Appends a launch of `extent` threads.
    pub fn launch_thread(&mut self, tag: &str, extent: Expr, body: impl FnOnce(&mut FuncBuilder, VarId)) {
        let var = self.func.new_var(tag.replace('.', "_"), Type::Prim(extent.dtype));
        let body = self.block(|b| body(b, var));
        self.push(StmtKind::LaunchThread { var, tag: Arc::from(tag), extent, body });
    }

    /// Appends an assertion.
    pub fn assert(&mut self, cond: Expr, message: &str) {
        self.push(StmtKind::Assert { cond, kind: "RuntimeError".into(), message: vec![message.into()] });
    }

    /// Builds a block without appending it anywhere, for statements that have no method of their own.
    pub fn block(&mut self, body: impl FnOnce(&mut FuncBuilder)) -> Block {
        self.open.push(Vec::new());
        body(self);
        self.open.pop().expect("the block pushed above")
    }

    /// The function as built so far, to add variables or buffers of unusual kinds.
    pub fn func_mut(&mut self) -> &mut PrimFunc {
        &mut self.func
    }

    /// Ends the function.
    pub fn finish(mut self) -> PrimFunc {
        self.func.body = std::mem::take(&mut self.open[0]);
        self.func
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:ident: $doc:literal;)*) => {$(
        impl std::ops::$trait for Expr {
            type Output = Expr;

            #[doc = $doc]
            fn $method(self, other: Expr) -> Expr {
                Expr::binary(BinOp::$op, self, other)
            }
        }

        impl std::ops::$trait<i64> for Expr {
            type Output = Expr;

            #[doc = $doc]
            fn $method(self, other: i64) -> Expr {
                let other = Expr::int(other, self.dtype);
                Expr::binary(BinOp::$op, self, other)
            }
        }
    )*};
}

operators! {
    Add add Add: "The expression `self + other`.";
    Sub sub Sub: "The expression `self - other`.";
    Mul mul Mul: "The expression `self * other`.";
}

impl Expr {
    /// The expression `self // other`.
    pub fn floordiv(self, other: impl Into<Operand>) -> Expr {
        self.with(BinOp::FloorDiv, other.into())
    }

    /// The expression `self % other`.
    pub fn floormod(self, other: impl Into<Operand>) -> Expr {
        self.with(BinOp::FloorMod, other.into())
    }

    /// The expression `self < other`.
    pub fn lt(self, other: impl Into<Operand>) -> Expr {
        self.with(BinOp::Lt, other.into())
    }

    fn with(self, op: BinOp, other: Operand) -> Expr {
        let other = match other {
            Operand::Expr(e) => e,
            Operand::Int(v) => Expr::int(v, self.dtype),
        };
        Expr::binary(op, self, other)
    }
}

/// A right operand: an expression, or a constant that takes the left operand's type.
#[derive(Clone, Debug)]
pub enum Operand {
    /// An expression.
    Expr(Expr),
    /// A constant.
    Int(i64),
}

impl From<Expr> for Operand {
    fn from(e: Expr) -> Operand {
        Operand::Expr(e)
    }
}

impl From<i64> for Operand {
    fn from(v: i64) -> Operand {
        Operand::Int(v)
    }
}
