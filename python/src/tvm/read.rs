//! A function of TVM as a function of satir.

use hashbrown::HashMap;
use std::sync::Arc;

use satir::ir::{
    AttrValue, Buffer, BufferId, DType, Expr, MAX_DEPTH, Origin, Param, PrimFunc, Stmt, StmtKind, Type, VarId,
};

use super::dtypes::ValueType;
use super::object::{Obj, Value};
use super::schema::{Kind, Tvm};
use super::{Res, Unsupported};

/// A function that was read, and the objects that it was read from.
pub(crate) struct Taken {
    /// The function. The span of a statement is its number in `stmts`.
    pub(crate) func: PrimFunc,
    pub(super) source: Source,
}

/// What a function was read from.
pub(super) struct Source {
    /// The function or the expression.
    pub(super) object: Obj,
    /// The object of each variable.
    pub(super) vars: Vec<Obj>,
    /// The object of each buffer.
    pub(super) buffers: Vec<Obj>,
    /// The object of each statement.
    pub(super) stmts: Vec<Obj>,
    /// Calls whose type satir's program does not hold: what they call and on what, the type, and the object. One of each kind
    /// and type; there are few, however many calls there are.
    pub(super) typed_calls: Vec<(Expr, Type, Obj)>,
    /// The operators that are called, by satir's names for them.
    pub(super) operators: HashMap<Arc<str>, Obj>,
    /// The functions that are called.
    pub(super) globals: HashMap<Arc<str>, Obj>,
    /// The block around the body that says nothing, if there is one.
    pub(super) root: Option<Obj>,
}

/// How much is read.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// How deep expressions and statements are nested.
    pub(crate) depth: usize,
    /// How many parts all expressions have together.
    pub(crate) nodes: usize,
}

impl Limits {
    /// What satir and the memory of a machine can take.
    pub(crate) const MOST: Limits = Limits { depth: MAX_DEPTH, nodes: 20_000_000 };
}

pub(super) struct Reader<'t> {
    pub(super) tvm: &'t Tvm,
    pub(super) func: PrimFunc,
    pub(super) s_tir: bool,
    pub(super) source: Source,
    pub(super) depth: usize,
    /// How many parts of expressions were read.
    pub(super) nodes: usize,
    pub(super) limits: Limits,
    var_ids: HashMap<usize, VarId>,
    buffer_ids: HashMap<usize, BufferId>,
    dtypes: HashMap<usize, DType>,
}

/// Reads a function; `name` is that in its module.
pub(crate) fn read(tvm: &Tvm, func: &Obj, name: &str) -> Res<Taken> {
    if tvm.kind(func) != Some(Kind::PrimFunc) {
        return Err(Unsupported::new("this is no PrimFunc"));
    }
    let mut reader = Reader::new(tvm, func, name, Limits::MOST);
    reader.function()?;
    let Reader { func, source, .. } = reader;
    Ok(Taken { func, source })
}

impl<'t> Reader<'t> {
    /// A reader of a function or an expression.
    pub(super) fn new(tvm: &'t Tvm, object: &Obj, name: &str, limits: Limits) -> Reader<'t> {
        let source = Source {
            object: object.clone(),
            vars: Vec::new(),
            buffers: Vec::new(),
            stmts: Vec::new(),
            typed_calls: Vec::new(),
            operators: HashMap::new(),
            globals: HashMap::new(),
            root: None,
        };
        Reader {
            tvm,
            func: PrimFunc::new(name),
            s_tir: false,
            source,
            depth: 0,
            nodes: 0,
            limits,
            var_ids: HashMap::new(),
            buffer_ids: HashMap::new(),
            dtypes: HashMap::new(),
        }
    }
}

impl Reader<'_> {
    fn function(&mut self) -> Res<()> {
        let func = self.source.object.clone();
        self.function_attributes(&func)?;
        // Scalars first: shapes of earlier buffers may name them.
        let params = self.tvm.objects(&func, "params")?;
        for param in &params {
            if self.tvm.type_of(param)? != ValueType::Buffer {
                self.var(param)?;
            }
        }
        for param in &params {
            let param = if self.tvm.type_of(param)? == ValueType::Buffer {
                Param::Buffer(self.define_buffer(param, Origin::Param)?)
            } else {
                Param::Var(self.var(param)?)
            };
            self.func.params.push(param);
        }
        self.func.ret = match self.tvm.value_type(&*self.tvm.object(&func, "ret_type")?)? {
            ValueType::Plain(Type::Prim(DType::VOID)) => None,
            ValueType::Plain(ty) => Some(ty),
            ValueType::Buffer => return Err(Unsupported::new("a function that returns a buffer")),
        };
        let body = self.tvm.object(&func, "body")?;
        self.func.body = match self.empty_root(&body)? {
            Some(inner) => {
                self.source.root = Some(body.clone());
                self.block(&inner)?
            }
            None => self.block(&body)?,
        };
        Ok(())
    }

    fn function_attributes(&mut self, func: &Obj) -> Res<()> {
        let attrs = self.tvm.object(func, "attrs")?;
        let dict = self.tvm.call("ir.DictAttrsGetDict", &[(&attrs).into()])?;
        let entries = match dict {
            Value::None => Vec::new(),
            dict => self.tvm.entries(&dict.object()?)?,
        };
        let mut private = true;
        for (key, value) in entries {
            let Value::Str(key) = key else { return Err(Unsupported::new("an attribute without a name")) };
            match &*key {
                "global_symbol" => private = false,
                "s_tir" => self.s_tir = !matches!(value, Value::Bool(false) | Value::Int(0)),
                _ => {
                    let value = self.attribute(&value)?;
                    self.func.attrs.push((key.into(), value));
                }
            }
        }
        if private {
            self.func.decorator.push(("private".into(), AttrValue::Bool(true)));
        }
        if self.s_tir {
            self.func.decorator.push(("s_tir".into(), AttrValue::Bool(true)));
        }
        Ok(())
    }

    /// Adds a statement's object, and the statement with its number.
    pub(super) fn stmt_of(&mut self, object: &Obj, kind: StmtKind, number: u32) -> Stmt {
        debug_assert_eq!(self.source.stmts[number as usize].address(), object.address());
        let mut stmt = Stmt::new(kind);
        stmt.span.start = number;
        stmt.span.end = number;
        stmt
    }

    /// The number of the next statement.
    pub(super) fn number(&mut self, object: &Obj) -> Res<u32> {
        let number =
            u32::try_from(self.source.stmts.len()).map_err(|_| Unsupported::new("too many statements"))?;
        self.source.stmts.push(object.clone());
        Ok(number)
    }

    /// The variable of an object, which is new if it was not seen before.
    pub(super) fn var(&mut self, object: &Obj) -> Res<VarId> {
        if let Some(var) = self.var_ids.get(&object.address()) {
            return Ok(*var);
        }
        let ValueType::Plain(ty) = self.tvm.type_of(object)? else {
            return Err(Unsupported::new("a buffer where a variable is expected"));
        };
        let name = self.tvm.text(object, "name")?;
        let var = self.func.new_var(name, ty);
        self.var_ids.insert(object.address(), var);
        self.source.vars.push(object.clone());
        Ok(var)
    }

    /// The buffer of an object; an error if nothing defined it.
    pub(super) fn buffer(&self, object: &Obj) -> Res<BufferId> {
        self.buffer_ids
            .get(&object.address())
            .copied()
            .ok_or_else(|| Unsupported::new("a buffer that nothing defines"))
    }

    /// Whether the object is a buffer that something defined.
    pub(super) fn is_buffer(&self, object: &Obj) -> bool {
        self.buffer_ids.contains_key(&object.address())
    }

    /// Adds a buffer.
    pub(super) fn add_buffer(&mut self, object: &Obj, buffer: Buffer) -> Res<BufferId> {
        let id = self.func.new_buffer(buffer);
        if self.buffer_ids.insert(object.address(), id).is_some() {
            return Err(Unsupported::new("a buffer that is defined twice"));
        }
        self.source.buffers.push(object.clone());
        Ok(id)
    }

    /// The data type of an expression; types are shared objects.
    pub(super) fn dtype(&mut self, expr: &Obj) -> Res<DType> {
        let ty = self.tvm.object(expr, "ty")?;
        if let Some(dtype) = self.dtypes.get(&ty.address()) {
            return Ok(*dtype);
        }
        let ValueType::Plain(found) = self.tvm.value_type(&ty)? else {
            return Err(Unsupported::new("a buffer where a value is expected"));
        };
        let dtype = found.dtype();
        // The expression keeps its type alive, and the function its expressions.
        self.dtypes.insert(ty.address(), dtype);
        Ok(dtype)
    }
}
