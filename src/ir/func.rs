//! Functions, modules, buffers, and the tables that give names and types to ids.

use std::sync::Arc;

use super::{Block, BufferId, DType, Expr, VarId};

/// A constant value of an attribute or annotation: what a Python literal can hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AttrValue {
    /// `None`
    None,
    /// `True`, `False`
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float, by its bits.
    Float(u64),
    /// A string.
    Str(Arc<str>),
    /// A list or tuple.
    List(Vec<AttrValue>),
    /// A dictionary; keys are strings.
    Dict(Vec<(Arc<str>, AttrValue)>),
    /// An expression, such as `T.int64(1)` or a variable.
    Expr(Box<Expr>),
    /// A data type, `T.int32`.
    Type(DType),
    /// `T.<name>(args, kw=…)`, such as `T.target({…})`: carried through.
    Call(Arc<str>, Vec<AttrValue>, Vec<(Arc<str>, AttrValue)>),
}

/// A module: functions by name, in order.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    /// A scalar or handle.
    Var(VarId),
    /// A buffer. Variables of its shape that no earlier parameter defines are defined by it.
    Buffer(BufferId),
}

/// A variable's name and type.
#[derive(Clone, Debug, PartialEq)]
pub struct Var {
    /// The name as it stood in the source; printing makes names unique.
    pub name: Arc<str>,
    /// The type.
    pub ty: Type,
}

/// The type of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A value.
    Prim(DType),
    /// `T.handle("float32", "shared")`: a pointer to elements in a storage scope.
    Pointer(DType, Arc<str>),
}

impl Type {
    /// The type of an expression that is this variable.
    pub fn dtype(&self) -> DType {
        match self {
            Type::Prim(d) => *d,
            Type::Pointer(..) => DType::HANDLE,
        }
    }
}

/// A buffer: a typed view of memory.
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
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.index()]
    }

    /// The buffer's entry.
    pub fn buffer(&self, id: BufferId) -> &Buffer {
        &self.buffers[id.index()]
    }

    /// An expression for the variable.
    pub fn var_expr(&self, id: VarId) -> Expr {
        Expr::var(id, self.var(id).ty.dtype())
    }

    /// Adds a variable.
    pub fn new_var(&mut self, name: impl Into<Arc<str>>, ty: Type) -> VarId {
        let id = VarId(u32::try_from(self.vars.len()).expect("fewer than 2^32 variables"));
        self.vars.push(Var { name: name.into(), ty });
        id
    }

    /// Adds a buffer.
    pub fn new_buffer(&mut self, buffer: Buffer) -> BufferId {
        let id = BufferId(u32::try_from(self.buffers.len()).expect("fewer than 2^32 buffers"));
        self.buffers.push(buffer);
        id
    }

    /// The buffer whose memory `id` views, following views; `id` itself if it has its own.
    pub fn memory_of(&self, mut id: BufferId) -> BufferId {
        while let Origin::View(of) | Origin::Region(of) = self.buffer(id).origin {
            id = of;
        }
        id
    }

    /// Whether the function carries `tirx.noalias` (or the older `tir.noalias`): distinct buffers share no memory.
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
