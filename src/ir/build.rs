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
///
/// ```
/// use satir::ir::build::FuncBuilder;
/// use satir::ir::DType;
///
/// let mut b = FuncBuilder::new("main");
/// let n = b.param("n", DType::I32);
/// b.evaluate(b.var(n));
/// assert!(satir::verify::verify_func(&b.finish()).is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct FuncBuilder {
    func: PrimFunc,
    // Invariant: never empty; the last one is the block that statements are appended to.
    open: Vec<Block>,
}

impl FuncBuilder {
    /// Starts a function without parameters.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    ///
    /// let func = FuncBuilder::new("empty").finish();
    /// assert_eq!(&*func.name, "empty");
    /// assert!(func.params.is_empty() && func.body.is_empty());
    /// ```
    pub fn new(name: &str) -> FuncBuilder {
        FuncBuilder { func: PrimFunc::new(name), open: vec![Vec::new()] }
    }

    /// Adds a function attribute.
    ///
    /// ```
    /// use satir::ir::AttrValue;
    /// use satir::ir::build::FuncBuilder;
    /// use satir::script::print_func;
    ///
    /// let mut b = FuncBuilder::new("main");
    /// b.attr("global_symbol", AttrValue::Str("main_kernel".into()));
    /// assert!(print_func(&b.finish()).contains(r#""global_symbol": "main_kernel""#));
    /// ```
    pub fn attr(&mut self, key: &str, value: AttrValue) {
        self.func.attrs.push((key.into(), value));
    }

    /// Marks the function `tirx.noalias`: distinct buffers share no memory.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    ///
    /// let mut b = FuncBuilder::new("main");
    /// assert!(!b.func_mut().no_alias());
    /// b.no_alias();
    /// assert!(b.finish().no_alias());
    /// ```
    pub fn no_alias(&mut self) {
        self.attr("tirx.noalias", AttrValue::Bool(true));
    }

    /// Adds a scalar or handle parameter.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::{DType, Param};
    ///
    /// let mut b = FuncBuilder::new("main");
    /// let n = b.param("n", DType::I64);
    /// let func = b.finish();
    /// assert_eq!(func.params, [Param::Var(n)]);
    /// assert_eq!(func.var(n).ty.dtype(), DType::I64);
    /// ```
    pub fn param(&mut self, name: &str, dtype: DType) -> VarId {
        let var = self.func.new_var(name, Type::Prim(dtype));
        self.func.params.push(Param::Var(var));
        var
    }

    /// Adds a symbolic dimension: a variable that the shape of a later buffer parameter defines.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::DType;
    ///
    /// let mut b = FuncBuilder::new("main");
    /// let n = b.dimension("n", DType::I32);
    /// let shape = vec![b.var(n)];
    /// b.buffer_param("A", DType::F32, shape);
    /// let func = b.finish();
    /// assert_eq!(func.params.len(), 1, "`n` is no parameter of its own");
    /// assert!(satir::verify::verify_func(&func).is_ok());
    /// ```
    pub fn dimension(&mut self, name: &str, dtype: DType) -> VarId {
        self.func.new_var(name, Type::Prim(dtype))
    }

    /// Adds a buffer parameter.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::{DType, Expr, Origin, Param};
    ///
    /// let mut b = FuncBuilder::new("main");
    /// let a = b.buffer_param("A", DType::F32, vec![Expr::int(16, DType::I32)]);
    /// let func = b.finish();
    /// assert_eq!(func.params, [Param::Buffer(a)]);
    /// assert_eq!(func.buffer(a).origin, Origin::Param);
    /// ```
    pub fn buffer_param(&mut self, name: &str, dtype: DType, shape: Vec<Expr>) -> BufferId {
        let buffer = self.buffer(name, dtype, shape, Origin::Param);
        self.func.params.push(Param::Buffer(buffer));
        buffer
    }

    /// Adds a handle parameter and a buffer matched to it. What is printed is read as a buffer parameter, which is the
    /// same to a caller.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::{DType, Expr};
    /// use satir::script::print_func;
    ///
    /// let mut b = FuncBuilder::new("main");
    /// b.match_buffer("A", DType::F32, vec![Expr::int(4, DType::I32)]);
    /// let text = print_func(&b.finish());
    /// assert!(text.contains("A = T.match_buffer(A_handle, (4,))"), "{text}");
    /// assert!(satir::parse(&text).is_ok());
    /// ```
    pub fn match_buffer(&mut self, name: &str, dtype: DType, shape: Vec<Expr>) -> BufferId {
        let handle = self.param(&format!("{name}_handle"), DType::HANDLE);
        let buffer = self.buffer(name, dtype, shape, Origin::Match(handle));
        self.func.matches.push((handle, buffer));
        buffer
    }

    /// Allocates a buffer for the rest of the block.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::{DType, Expr, Origin};
    ///
    /// let mut b = FuncBuilder::new("main");
    /// let tmp = b.alloc("tmp", DType::I32, vec![Expr::int(1, DType::I32)]);
    /// b.store(tmp, vec![Expr::int(0, DType::I32)], Expr::int(7, DType::I32));
    /// let func = b.finish();
    /// assert_eq!(func.buffer(tmp).origin, Origin::Alloc);
    /// assert_eq!(func.body.len(), 2, "the allocation and the store");
    /// ```
    pub fn alloc(&mut self, name: &str, dtype: DType, shape: Vec<Expr>) -> BufferId {
        let buffer = self.buffer(name, dtype, shape, Origin::Alloc);
        self.push(StmtKind::Alloc { buffer, annotations: Vec::new() });
        buffer
    }

    /// Declares a view of the memory of `of` for the rest of the block.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::{DType, Expr};
    ///
    /// let mut b = FuncBuilder::new("main");
    /// let a = b.buffer_param("A", DType::F32, vec![Expr::int(16, DType::I32)]);
    /// let square = b.view("S", a, DType::F32, vec![Expr::int(4, DType::I32), Expr::int(4, DType::I32)]);
    /// assert_eq!(b.finish().memory_of(square), a);
    /// ```
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
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::{DType, Expr};
    ///
    /// let mut b = FuncBuilder::new("main");
    /// let n = b.param("n", DType::I64);
    /// assert_eq!(b.var(n), Expr::var(n, DType::I64));
    /// ```
    pub fn var(&self, var: VarId) -> Expr {
        self.func.var_expr(var)
    }

    /// A load; a vector if the last index is one.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::{DType, Expr};
    ///
    /// let int = |v| Expr::int(v, DType::I32);
    /// let mut b = FuncBuilder::new("main");
    /// let a = b.buffer_param("A", DType::F32, vec![int(16)]);
    /// assert_eq!(b.load(a, vec![int(3)]).dtype, DType::F32);
    /// assert_eq!(b.load(a, vec![Expr::ramp(int(0), int(1), 4)]).dtype, DType::F32.with_lanes(4));
    /// ```
    pub fn load(&self, buffer: BufferId, indices: Vec<Expr>) -> Expr {
        let dtype = self.func.buffer(buffer).dtype;
        let lanes = indices.last().map_or(1, |i| i.dtype.lanes);
        Expr::load(dtype.with_lanes(dtype.lanes.saturating_mul(lanes)), buffer, indices)
    }

    /// Appends a statement.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::{DType, Expr, StmtKind};
    /// use satir::script::print_func;
    ///
    /// let mut b = FuncBuilder::new("main");
    /// b.serial("i", Expr::int(4, DType::I32), |b, _| b.push(StmtKind::Break));
    /// assert!(print_func(&b.finish()).contains("T.break_loop()"));
    /// ```
    pub fn push(&mut self, kind: StmtKind) {
        self.open.last_mut().expect("a block is always open").push(Stmt::new(kind));
    }

    /// Appends a store.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::{DType, Expr};
    /// use satir::script::print_func;
    ///
    /// let int = |v| Expr::int(v, DType::I32);
    /// let mut b = FuncBuilder::new("main");
    /// let a = b.buffer_param("A", DType::I32, vec![int(16)]);
    /// b.store(a, vec![int(3)], int(7));
    /// assert!(print_func(&b.finish()).contains("A[3] = 7"));
    /// ```
    pub fn store(&mut self, buffer: BufferId, indices: Vec<Expr>, value: Expr) {
        self.push(StmtKind::Store { buffer, indices, value });
    }

    /// Appends the evaluation of an expression.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::{DType, Expr};
    /// use satir::script::print_func;
    ///
    /// let mut b = FuncBuilder::new("main");
    /// let name = Expr { dtype: DType::HANDLE, kind: satir::ir::ExprKind::Str("flush".into()) };
    /// b.evaluate(Expr::call(DType::I32, "call_extern", vec![name]));
    /// assert!(print_func(&b.finish()).contains(r#"T.call_extern("int32", "flush")"#));
    /// ```
    pub fn evaluate(&mut self, value: Expr) {
        self.push(StmtKind::Evaluate(value));
    }

    /// Appends a binding; the variable is in scope for the rest of the block.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::DType;
    /// use satir::script::print_func;
    ///
    /// let mut b = FuncBuilder::new("main");
    /// let n = b.param("n", DType::I32);
    /// let twice = b.bind("twice", b.var(n) * 2);
    /// b.evaluate(b.var(twice) + b.var(twice));
    /// assert!(print_func(&b.finish()).contains("twice: T.let[T.int32] = n * 2"));
    /// ```
    pub fn bind(&mut self, name: &str, value: Expr) -> VarId {
        let var = self.func.new_var(name, Type::Prim(value.dtype));
        self.push(StmtKind::Bind { var, value });
        var
    }

    /// Appends a serial loop from 0 to `extent`.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::{DType, Expr};
    /// use satir::script::print_func;
    ///
    /// let mut b = FuncBuilder::new("main");
    /// let a = b.buffer_param("A", DType::I32, vec![Expr::int(8, DType::I32)]);
    /// b.serial("i", Expr::int(8, DType::I32), |b, i| b.store(a, vec![b.var(i)], b.var(i) * 3));
    /// assert!(print_func(&b.finish()).contains("for i in range(8):\n        A[i] = i * 3"));
    /// ```
    pub fn serial(&mut self, name: &str, extent: Expr, body: impl FnOnce(&mut FuncBuilder, VarId)) {
        self.for_loop(name, ForKind::Serial, extent, body);
    }

    /// Appends a loop from 0 to `extent` of any kind.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::{DType, Expr, ForKind};
    /// use satir::script::print_func;
    ///
    /// let mut b = FuncBuilder::new("main");
    /// let a = b.buffer_param("A", DType::I32, vec![Expr::int(8, DType::I32)]);
    /// let extent = Expr::int(8, DType::I32);
    /// b.for_loop("i", ForKind::Parallel, extent, |b, i| b.store(a, vec![b.var(i)], b.var(i)));
    /// assert!(print_func(&b.finish()).contains("for i in T.parallel(8):"));
    /// ```
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
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::{DType, Expr};
    /// use satir::script::print_func;
    ///
    /// let zero = || Expr::int(0, DType::I32);
    /// let mut b = FuncBuilder::new("main");
    /// let a = b.buffer_param("A", DType::I32, vec![Expr::int(1, DType::I32)]);
    /// b.while_loop(b.load(a, vec![zero()]).lt(10), |b| {
    ///     b.store(a, vec![zero()], b.load(a, vec![zero()]) + 1);
    /// });
    /// assert!(print_func(&b.finish()).contains("while A[0] < 10:\n        A[0] = A[0] + 1"));
    /// ```
    pub fn while_loop(&mut self, cond: Expr, body: impl FnOnce(&mut FuncBuilder)) {
        let body = self.block(body);
        self.push(StmtKind::While { cond, body });
    }

    /// Appends an `if` without `else`.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::DType;
    /// use satir::script::print_func;
    ///
    /// let mut b = FuncBuilder::new("main");
    /// let n = b.param("n", DType::I32);
    /// b.if_then(b.var(n).lt(4), |b| b.evaluate(b.var(n) + 1));
    /// let text = print_func(&b.finish());
    /// assert!(text.contains("if n < 4:\n        T.evaluate(n + 1)"));
    /// assert!(!text.contains("else"));
    /// ```
    pub fn if_then(&mut self, cond: Expr, then: impl FnOnce(&mut FuncBuilder)) {
        self.if_else(cond, then, |_| {});
    }

    /// Appends an `if` with `else`.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::DType;
    /// use satir::script::print_func;
    ///
    /// let mut b = FuncBuilder::new("main");
    /// let n = b.param("n", DType::I32);
    /// b.if_else(b.var(n).lt(4), |b| b.evaluate(b.var(n) + 1), |b| b.evaluate(b.var(n) + 2));
    /// assert!(print_func(&b.finish()).contains("else:\n        T.evaluate(n + 2)"));
    /// ```
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
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::{DType, Expr};
    /// use satir::script::print_func;
    ///
    /// let mut b = FuncBuilder::new("main");
    /// let a = b.buffer_param("A", DType::I32, vec![Expr::int(64, DType::I32)]);
    /// let extent = Expr::int(64, DType::I32);
    /// b.launch_thread("threadIdx.x", extent, |b, t| b.store(a, vec![b.var(t)], b.var(t)));
    /// assert!(print_func(&b.finish()).contains(r#"T.launch_thread("threadIdx.x", 64)"#));
    /// ```
    pub fn launch_thread(&mut self, tag: &str, extent: Expr, body: impl FnOnce(&mut FuncBuilder, VarId)) {
        let var = self.func.new_var(tag.replace('.', "_"), Type::Prim(extent.dtype));
        let body = self.block(|b| body(b, var));
        self.push(StmtKind::LaunchThread { var, tag: Arc::from(tag), extent, body });
    }

    /// Appends an assertion.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::{DType, Expr};
    /// use satir::script::print_func;
    ///
    /// let mut b = FuncBuilder::new("main");
    /// let n = b.param("n", DType::I32);
    /// b.assert(Expr::int(0, DType::I32).lt(b.var(n)), "n must be positive");
    /// assert!(print_func(&b.finish()).contains(r#"assert 0 < n, ("RuntimeError", ["n must be positive"])"#));
    /// ```
    pub fn assert(&mut self, cond: Expr, message: &str) {
        self.push(StmtKind::Assert { cond, kind: "RuntimeError".into(), message: vec![message.into()] });
    }

    /// Builds a block without appending it anywhere, for statements that have no method of their own.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::{DType, Expr};
    ///
    /// let mut b = FuncBuilder::new("main");
    /// let block = b.block(|b| b.evaluate(Expr::int(0, DType::I32)));
    /// assert_eq!(block.len(), 1);
    /// assert!(b.finish().body.is_empty());
    /// ```
    pub fn block(&mut self, body: impl FnOnce(&mut FuncBuilder)) -> Block {
        self.open.push(Vec::new());
        body(self);
        self.open.pop().expect("the block pushed above")
    }

    /// The function as built so far, to add variables or buffers of unusual kinds.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::{DType, Type};
    ///
    /// let mut b = FuncBuilder::new("main");
    /// let p = b.func_mut().new_var("p", Type::Pointer(DType::F32, "shared".into()));
    /// assert_eq!(b.var(p).dtype, DType::HANDLE);
    /// ```
    pub fn func_mut(&mut self) -> &mut PrimFunc {
        &mut self.func
    }

    /// Ends the function.
    ///
    /// ```
    /// use satir::ir::build::FuncBuilder;
    /// use satir::ir::{DType, Expr, Module};
    ///
    /// let mut b = FuncBuilder::new("main");
    /// b.evaluate(Expr::int(7, DType::I32));
    /// let module = Module { funcs: vec![b.finish()], ..Module::default() };
    /// assert!(module.to_string().contains("def main():\n"));
    /// ```
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
    ///
    /// ```
    /// use satir::ir::{BinOp, DType, Expr, VarId};
    ///
    /// let x = || Expr::var(VarId(0), DType::I32);
    /// assert_eq!(x().floordiv(4), Expr::binary(BinOp::FloorDiv, x(), Expr::int(4, DType::I32)));
    /// ```
    pub fn floordiv(self, other: impl Into<Operand>) -> Expr {
        self.with(BinOp::FloorDiv, other.into())
    }

    /// The expression `self % other`.
    ///
    /// ```
    /// use satir::ir::{BinOp, DType, Expr, VarId};
    ///
    /// let x = || Expr::var(VarId(0), DType::I32);
    /// assert_eq!(x().floormod(4), Expr::binary(BinOp::FloorMod, x(), Expr::int(4, DType::I32)));
    /// ```
    pub fn floormod(self, other: impl Into<Operand>) -> Expr {
        self.with(BinOp::FloorMod, other.into())
    }

    /// The expression `self < other`.
    ///
    /// ```
    /// use satir::ir::{DType, Expr, VarId};
    ///
    /// let x = || Expr::var(VarId(0), DType::I32);
    /// assert_eq!(x().lt(4).dtype, DType::BOOL);
    /// assert_eq!(x().lt(4), x().lt(Expr::int(4, DType::I32)));
    /// ```
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
///
/// ```
/// use satir::ir::build::Operand;
/// use satir::ir::{DType, Expr, VarId};
///
/// let x = || Expr::var(VarId(0), DType::I64);
/// // A plain number becomes a constant of the left operand's type.
/// assert_eq!(x().lt(Operand::Int(8)), x().lt(Operand::Expr(Expr::int(8, DType::I64))));
/// ```
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
