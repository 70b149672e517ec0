//! Functions, modules, buffers, and the tables that give names and types to ids.

use std::sync::Arc;

use super::{AttrValue, Block, BufferId, DType, Expr, VarId};

/// A module: functions by name, in order.
///
/// ```
/// let module = satir::parse("@T.prim_func\ndef main(x: T.int32):\n    T.evaluate(x)\n")?;
/// assert_eq!(&*module.funcs[0].name, "main");
/// // A module prints as a program that parses to the same module.
/// assert_eq!(satir::parse(&module.to_string())?.to_string(), module.to_string());
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Module {
    /// The name of the Python class; `Module` if the source was a bare function.
    pub name: Arc<str>,
    /// `I.module_attrs({…})`.
    pub attrs: Vec<(Arc<str>, AttrValue)>,
    /// The functions.
    pub funcs: Vec<PrimFunc>,
}

/// A function of loops over buffers.
///
/// ```
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((8,)), n: T.int32):\n    A[n] = A[0]\n")?;
/// let func = &module.funcs[0];
/// assert_eq!((func.params.len(), func.buffers.len(), func.vars.len()), (2, 1, 1));
/// assert_eq!(func.body.len(), 1);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PrimFunc {
    /// The name.
    pub name: Arc<str>,
    /// Keyword arguments of the decorator (`private`, `s_tir`, …), in order.
    pub decorator: Vec<(Arc<str>, AttrValue)>,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// The annotated type of the result, if any.
    pub ret: Option<Type>,
    /// `T.func_attr({…})`; empty if the function has no such statement.
    pub attrs: Vec<(Arc<str>, AttrValue)>,
    /// `buffer = T.match_buffer(handle, …)` at the head of the function, in order.
    pub matches: Vec<(VarId, BufferId)>,
    /// The body.
    pub body: Block,
    /// All variables of the function; [`VarId`] is the index.
    pub vars: Vec<Var>,
    /// All buffers of the function; [`BufferId`] is the index.
    pub buffers: Vec<Buffer>,
}

impl PrimFunc {
    /// A function with nothing in it.
    ///
    /// ```
    /// use satir::ir::PrimFunc;
    ///
    /// let func = PrimFunc::new("main");
    /// assert_eq!(&*func.name, "main");
    /// assert!(func.params.is_empty() && func.body.is_empty());
    /// ```
    pub fn new(name: &str) -> PrimFunc {
        PrimFunc {
            name: name.into(),
            decorator: Vec::new(),
            params: Vec::new(),
            ret: None,
            attrs: Vec::new(),
            matches: Vec::new(),
            body: Vec::new(),
            vars: Vec::new(),
            buffers: Vec::new(),
        }
    }
}

/// A parameter.
///
/// ```
/// use satir::ir::{BufferId, Param, VarId};
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((8,)), n: T.int32):\n    A[n] = A[0]\n")?;
/// assert_eq!(module.funcs[0].params, [Param::Buffer(BufferId(0)), Param::Var(VarId(0))]);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    /// A scalar or handle.
    Var(VarId),
    /// A buffer. Variables of its shape that no earlier parameter defines are defined by it.
    Buffer(BufferId),
}

/// A variable's name and type.
///
/// ```
/// use satir::ir::{DType, PrimFunc, Type};
///
/// let mut func = PrimFunc::new("main");
/// let n = func.new_var("n", Type::Prim(DType::I32));
/// assert_eq!((&*func.var(n).name, &func.var(n).ty), ("n", &Type::Prim(DType::I32)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Var {
    /// The name as it stood in the source; printing makes names unique.
    pub name: Arc<str>,
    /// The type.
    pub ty: Type,
}

/// The type of a variable.
///
/// ```
/// use satir::ir::Type;
///
/// let module = satir::parse("@T.prim_func\ndef main(p: T.handle(\"float32\", \"shared\")):\n    T.evaluate(p)\n")?;
/// let Type::Pointer(element, scope) = &module.funcs[0].vars[0].ty else { panic!("a pointer") };
/// assert_eq!((element.to_string(), &**scope), ("float32".to_owned(), "shared"));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A value.
    Prim(DType),
    /// `T.handle("float32", "shared")`: a pointer to elements in a storage scope.
    Pointer(DType, Arc<str>),
}

impl Type {
    /// The type of an expression that is this variable.
    ///
    /// ```
    /// use satir::ir::{DType, Type};
    ///
    /// assert_eq!(Type::Prim(DType::I64).dtype(), DType::I64);
    /// assert_eq!(Type::Pointer(DType::F32, "global".into()).dtype(), DType::HANDLE);
    /// ```
    pub fn dtype(&self) -> DType {
        match self {
            Type::Prim(d) => *d,
            Type::Pointer(..) => DType::HANDLE,
        }
    }
}

/// A buffer: a typed view of memory.
///
/// ```
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((4, 8), \"float16\")):\n    A[0, 1] = A[2, 3]\n")?;
/// let buffer = &module.funcs[0].buffers[0];
/// assert_eq!(buffer.dtype.to_string(), "float16");
/// let shape: Vec<_> = buffer.shape.iter().filter_map(|e| e.as_int()).collect();
/// assert_eq!(shape, [4, 8]);
/// assert_eq!(&*buffer.scope, "global");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// The name as it stood in the source.
    pub name: Arc<str>,
    /// Type of the elements.
    pub dtype: DType,
    /// Extent of each dimension, in elements.
    pub shape: Vec<Expr>,
    /// Distance between neighbours of each dimension, in elements; empty for a compact row-major buffer.
    pub strides: Vec<Expr>,
    /// Offset of the first element, in elements.
    pub elem_offset: Option<Expr>,
    /// Storage scope: `global`, `shared`, `local`, …
    pub scope: Arc<str>,
    /// Other properties (`align`, `offset_factor`, `layout`, …) by TVM's keyword, in order.
    pub extra: Vec<(Arc<str>, AttrValue)>,
    /// Where the memory comes from.
    pub origin: Origin,
}

/// Where a buffer's memory comes from.
///
/// ```
/// use satir::ir::Origin;
///
/// let module = satir::parse(
///     r#"
/// @T.prim_func
/// def main(A: T.Buffer((4,), "int32")):
///     tmp = T.alloc_buffer((4,), "int32")
///     tmp[0] = A[0]
/// "#,
/// )?;
/// let origins: Vec<&Origin> = module.funcs[0].buffers.iter().map(|b| &b.origin).collect();
/// assert_eq!(origins.len(), 2);
/// assert!(matches!(origins[..], [Origin::Param, Origin::Alloc]), "{origins:?}");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// A parameter of the function.
    Param,
    /// Matched to a handle parameter at the head of the function.
    Match(VarId),
    /// Allocated in the function.
    Alloc,
    /// Declared over the memory of another buffer (`data=A.data` or `A.view(…)`).
    View(BufferId),
    /// Declared over a pointer expression.
    Pointer(Box<Expr>),
    /// Matched to a region of another buffer at the head of a block.
    Region(BufferId),
    /// Nowhere: a buffer that a pass of TVM removed and an attribute still names. It is never read or written.
    Unbound,
}

impl PrimFunc {
    /// The variable's entry.
    ///
    /// ```
    /// use satir::ir::{DType, PrimFunc, Type};
    ///
    /// let mut func = PrimFunc::new("main");
    /// let n = func.new_var("n", Type::Prim(DType::I32));
    /// assert_eq!(&*func.var(n).name, "n");
    /// ```
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.index()]
    }

    /// The buffer's entry.
    ///
    /// ```
    /// use satir::ir::BufferId;
    ///
    /// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((4,), \"int8\")):\n    A[0] = A[1]\n")?;
    /// assert_eq!(module.funcs[0].buffer(BufferId(0)).dtype.to_string(), "int8");
    /// # Ok::<(), satir::diag::Diagnostic>(())
    /// ```
    pub fn buffer(&self, id: BufferId) -> &Buffer {
        &self.buffers[id.index()]
    }

    /// An expression for the variable.
    ///
    /// ```
    /// use satir::ir::{DType, Expr, PrimFunc, Type};
    ///
    /// let mut func = PrimFunc::new("main");
    /// let n = func.new_var("n", Type::Prim(DType::I64));
    /// assert_eq!(func.var_expr(n), Expr::var(n, DType::I64));
    /// ```
    pub fn var_expr(&self, id: VarId) -> Expr {
        Expr::var(id, self.var(id).ty.dtype())
    }

    /// Adds a variable.
    ///
    /// ```
    /// use satir::ir::{DType, PrimFunc, Type};
    ///
    /// let mut func = PrimFunc::new("main");
    /// let (a, b) = (func.new_var("x", Type::Prim(DType::I32)), func.new_var("x", Type::Prim(DType::I32)));
    /// assert_ne!(a, b, "variables are ids; printing makes their names unique");
    /// ```
    pub fn new_var(&mut self, name: impl Into<Arc<str>>, ty: Type) -> VarId {
        let id = VarId(u32::try_from(self.vars.len()).expect("fewer than 2^32 variables"));
        self.vars.push(Var { name: name.into(), ty });
        id
    }

    /// Adds a buffer.
    ///
    /// ```
    /// let mut module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((4,))):\n    A[0] = A[1]\n")?;
    /// let func = &mut module.funcs[0];
    /// let copy = func.buffers[0].clone();
    /// let id = func.new_buffer(copy);
    /// assert_eq!(func.buffer(id).shape, func.buffers[0].shape);
    /// assert_eq!(func.buffers.len(), 2);
    /// # Ok::<(), satir::diag::Diagnostic>(())
    /// ```
    pub fn new_buffer(&mut self, buffer: Buffer) -> BufferId {
        let id = BufferId(u32::try_from(self.buffers.len()).expect("fewer than 2^32 buffers"));
        self.buffers.push(buffer);
        id
    }

    /// The buffer whose memory `id` views, following views; `id` itself if it has its own.
    ///
    /// ```
    /// use satir::ir::BufferId;
    ///
    /// let module = satir::parse(
    ///     r#"
    /// @T.prim_func
    /// def main(A: T.Buffer((16,), "int32")):
    ///     B = T.decl_buffer((4, 4), "int32", data=A.data)
    ///     B[0, 1] = A[2]
    /// "#,
    /// )?;
    /// let func = &module.funcs[0];
    /// assert_eq!(func.memory_of(BufferId(1)), BufferId(0));
    /// assert_eq!(func.memory_of(BufferId(0)), BufferId(0));
    /// # Ok::<(), satir::diag::Diagnostic>(())
    /// ```
    pub fn memory_of(&self, mut id: BufferId) -> BufferId {
        while let Origin::View(of) | Origin::Region(of) = self.buffer(id).origin {
            id = of;
        }
        id
    }

    /// Whether the function carries `tirx.noalias` (or the older `tir.noalias`): distinct buffers share no memory.
    ///
    /// ```
    /// let func = |attr: &str| {
    ///     let text = format!("@T.prim_func\ndef main():\n    T.func_attr({{\"{attr}\": True}})\n    T.evaluate(0)\n");
    ///     satir::parse(&text).map(|module| module.funcs[0].no_alias())
    /// };
    /// assert!(func("tirx.noalias")? && func("tir.noalias")?);
    /// assert!(!func("target_is_host")?);
    /// # Ok::<(), satir::diag::Diagnostic>(())
    /// ```
    pub fn no_alias(&self) -> bool {
        self.attrs.iter().any(|(key, value)| {
            matches!(&**key, "tirx.noalias" | "tir.noalias")
                && match value {
                    AttrValue::Bool(b) => *b,
                    AttrValue::Int(i) => *i != 0,
                    AttrValue::Expr(e) => e.as_int().is_some_and(|i| i != 0),
                    _ => false,
                }
        })
    }
}
