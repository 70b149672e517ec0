//! Buffers: declarations, allocations, views, and the annotations of parameters.

use super::state::{Args, Lower, Res};
use super::value::{Entity, Value};
use crate::diag::Span;
use crate::ir::{AttrValue, Buffer, BufferId, DType, Expr, ExprKind, Origin, Param, StmtKind, Type};
use crate::script::fold;
use crate::script::syntax;
use crate::script::syntax::ast::{NodeId, NodeKind};

/// Alignment in bytes that TVM gives a buffer by default.
const DEFAULT_ALIGN: i64 = 64;

/// Positional parameters of the constructors, by TVM's signatures.
const DECL: [&str; 11] = [
    "shape",
    "dtype",
    "data",
    "strides",
    "elem_offset",
    "byte_offset",
    "scope",
    "align",
    "offset_factor",
    "layout",
    "allocated_addr",
];
const ALLOC: [&str; 12] = [
    "shape",
    "dtype",
    "data",
    "strides",
    "elem_offset",
    "byte_offset",
    "scope",
    "align",
    "offset_factor",
    "layout",
    "allocated_addr",
    "annotations",
];
const SBLOCK_ALLOC: [&str; 10] = [
    "shape",
    "dtype",
    "data",
    "strides",
    "elem_offset",
    "scope",
    "align",
    "offset_factor",
    "layout",
    "allocated_addr",
];
const MATCH: [&str; 10] = [
    "param",
    "shape",
    "dtype",
    "data",
    "strides",
    "elem_offset",
    "scope",
    "align",
    "offset_factor",
    "layout",
];

/// The type of a buffer's offsets: that of its first dimension.
pub(crate) fn index_dtype(shape: &[Expr]) -> DType {
    shape.first().map_or(DType::I32, |e| e.dtype)
}

/// The offset of a buffer's first element.
pub(crate) fn elem_offset(buffer: &Buffer) -> Expr {
    buffer.elem_offset.clone().unwrap_or_else(|| Expr::int(0, index_dtype(&buffer.shape)))
}

/// Keeps an offset only when it is not the default.
fn stored_offset(offset: Expr, shape: &[Expr]) -> Option<Expr> {
    let default = offset.as_int() == Some(0) && offset.dtype == index_dtype(shape);
    (!default).then_some(offset)
}

/// A constructor's arguments by parameter.
struct Given {
    call: NodeId,
    params: &'static [&'static str],
    values: Vec<Option<NodeId>>,
}

impl Given {
    fn get(&self, name: &str) -> Option<NodeId> {
        self.params.iter().position(|p| *p == name).and_then(|at| self.values[at])
    }
}

impl<'s> Lower<'s> {
    fn given(&self, args: Args, params: &'static [&'static str]) -> Res<Given> {
        let mut values = vec![None; params.len()];
        let positional = args.positional(&self.ast);
        if positional.len() > params.len() {
            return self.err(
                positional[params.len()],
                format!("expected at most {} arguments, found {}", params.len(), positional.len()),
            );
        }
        for (slot, id) in values.iter_mut().zip(positional) {
            *slot = Some(id);
        }
        for (name, id) in args.keywords(&self.ast) {
            match params.iter().position(|p| *p == name) {
                Some(at) if values[at].is_none() => values[at] = Some(id),
                Some(_) => return self.err(id, format!("argument `{name}` is given twice")),
                None => {
                    return self.err(
                        id,
                        format!("unknown argument `{name}`: expected one of {}", params.join(", ")),
                    );
                }
            }
        }
        // `None` is the same as nothing, except for a layout.
        for (name, slot) in params.iter().zip(&mut values) {
            if let Some(id) = *slot
                && matches!(self.ast[id].kind, NodeKind::None)
                && *name != "layout"
            {
                *slot = None;
            }
        }
        Ok(Given { call: args.call, params, values })
    }

    /// `T.alloc_buffer(…)`, `T.decl_buffer(…)` and the like: adds the statement, yields the buffer.
    pub(super) fn buffer_call(&mut self, path: &str, args: Args) -> Res<Value> {
        match path {
            "alloc_buffer" | "alloc_local" | "alloc_shared" | "smem" => {
                let given = self.given(args, &ALLOC)?;
                let scope = match path {
                    "alloc_local" => "local",
                    "alloc_shared" | "smem" => "shared",
                    _ => "global",
                };
                if let Some(data) = given.get("data") {
                    return self.err(data, "an allocation with `data` is not supported");
                }
                let buffer = self.buffer_from(&given, scope, Origin::Alloc)?;
                let annotations = match given.get("annotations") {
                    Some(id) => self.attributes(id)?,
                    None => Vec::new(),
                };
                let buffer = self.func.new_buffer(buffer);
                self.emit(StmtKind::Alloc { buffer, annotations });
                Ok(Value::NewBuffer(buffer))
            }
            "decl_buffer" | "Buffer" | "buffer_decl" => {
                let given = self.given(args, &DECL)?;
                let Some(data) = given.get("data") else {
                    if path != "decl_buffer" {
                        let buffer = self.buffer_from(&given, "global", Origin::Unbound)?;
                        return Ok(Value::NewBuffer(self.func.new_buffer(buffer)));
                    }
                    let buffer = self.buffer_from(&given, "global", Origin::Alloc)?;
                    let buffer = self.func.new_buffer(buffer);
                    self.emit(StmtKind::Alloc { buffer, annotations: Vec::new() });
                    return Ok(Value::NewBuffer(buffer));
                };
                let origin = self.data_origin(data)?;
                let buffer = self.buffer_from(&given, "global", origin)?;
                let buffer = self.func.new_buffer(buffer);
                self.emit(StmtKind::Decl { buffer });
                Ok(Value::NewBuffer(buffer))
            }
            "sblock_alloc_buffer" | "block_alloc_buffer" => {
                let given = self.given(args, &SBLOCK_ALLOC)?;
                let buffer = self.buffer_from(&given, "global", Origin::Alloc)?;
                let buffer = self.func.new_buffer(buffer);
                match self.blocks.last_mut() {
                    Some(block) => block.alloc_buffers.push(buffer),
                    None => self.root_buffers.push(buffer),
                }
                Ok(Value::NewBuffer(buffer))
            }
            "allocate" => self.allocate(args),
            "local_scalar" | "shared_scalar" | "alloc_scalar" => {
                let dtype = args.arg(&self.ast, 0, "dtype");
                let dtype = dtype.map_or(Ok(DType::F32), |id| self.dtype(id))?;
                let scope = match (path, args.arg(&self.ast, 1, "scope")) {
                    ("local_scalar", _) => "local".into(),
                    ("shared_scalar", _) => "shared".into(),
                    (_, Some(id)) => self.string(id)?,
                    (_, None) => "global".into(),
                };
                let buffer = self.new_scalar("scalar", dtype, scope);
                Ok(Value::NewScalar(buffer))
            }
            _ => self.match_buffer(args),
        }
    }

    /// Allocates a mutable scalar: a buffer of one element with the default layout.
    pub(super) fn new_scalar(&mut self, name: &str, dtype: DType, scope: std::sync::Arc<str>) -> BufferId {
        let extra =
            if self.s_tir { vec![("layout".into(), AttrValue::Str("default".into()))] } else { Vec::new() };
        let buffer = self.func.new_buffer(Buffer {
            name: name.into(),
            dtype,
            shape: vec![Expr::int(1, DType::I32)],
            strides: Vec::new(),
            elem_offset: None,
            scope,
            extra,
            origin: Origin::Alloc,
        });
        self.emit(StmtKind::Alloc { buffer, annotations: Vec::new() });
        buffer
    }

    /// The older `T.allocate(extents, dtype, scope)`: memory without a shape.
    fn allocate(&mut self, args: Args) -> Res<Value> {
        let given = self.given(args, &["extents", "dtype", "scope", "condition", "annotations"])?;
        let (Some(extents), Some(dtype)) = (given.get("extents"), given.get("dtype")) else {
            return self.err(args.call, "`T.allocate` takes extents and a data type");
        };
        if let Some(condition) = given.get("condition") {
            return self.err(condition, "a condition of `T.allocate` is not supported");
        }
        let shape = self.shape(extents)?;
        let dtype = self.dtype(dtype)?;
        let scope = given.get("scope").map_or(Ok("global".into()), |id| self.string(id))?;
        let annotations = given.get("annotations").map_or(Ok(Vec::new()), |id| self.attributes(id))?;
        let (strides, elem_offset, extra) = (Vec::new(), None, Vec::new());
        let origin = Origin::Alloc;
        let name = "buffer".into();
        let buffer =
            self.func.new_buffer(Buffer { name, dtype, shape, strides, elem_offset, scope, extra, origin });
        self.emit(StmtKind::Alloc { buffer, annotations });
        Ok(Value::NewPointer(buffer))
    }

    fn data_origin(&mut self, data: NodeId) -> Res<Origin> {
        let value = self.eval(data)?;
        let e = match value {
            Value::Buffer(buffer) => return Ok(Origin::View(buffer)),
            other => self.to_expr(data, other)?,
        };
        if e.dtype != DType::HANDLE {
            return self.err(data, format!("expected a pointer, found a value of type `{}`", e.dtype));
        }
        Ok(match e.kind {
            ExprKind::BufferData(buffer) => Origin::View(buffer),
            kind => Origin::Pointer(Box::new(Expr { dtype: DType::HANDLE, kind })),
        })
    }

    /// A buffer from a constructor's arguments.
    fn buffer_from(&mut self, given: &Given, scope: &str, origin: Origin) -> Res<Buffer> {
        let Some(shape) = given.get("shape") else { return self.err(given.call, "expected a shape") };
        let shape = self.shape(shape)?;
        self.buffer_of_shape(given, shape, scope, origin)
    }

    fn buffer_of_shape(
        &mut self,
        given: &Given,
        shape: Vec<Expr>,
        scope: &str,
        origin: Origin,
    ) -> Res<Buffer> {
        let dtype = given.get("dtype").map_or(Ok(DType::F32), |id| self.dtype(id))?;
        let strides = match given.get("strides") {
            Some(id) => self.strides(id, index_dtype(&shape))?,
            None => Vec::new(),
        };
        if !strides.is_empty()
            && strides.len() != shape.len()
            && let Some(id) = given.get("strides")
        {
            return self.err(id, format!("expected {} strides, found {}", shape.len(), strides.len()));
        }
        let mut offset = match (given.get("elem_offset"), given.get("byte_offset")) {
            (Some(id), None) => Some(self.integer(id)?),
            (None, Some(id)) => {
                let bytes = self.integer(id)?;
                let bits = Expr::int(8, DType::I32);
                let element = Expr::int(i64::from(dtype.bits), DType::I32);
                let product = fold::binary(crate::ir::BinOp::Mul, bytes, bits)
                    .and_then(|p| fold::binary(crate::ir::BinOp::FloorDiv, p, element));
                Some(self.at(id, product)?)
            }
            (Some(_), Some(id)) => {
                return self.err(id, "expected `elem_offset` or `byte_offset`, found both");
            }
            (None, None) => None,
        };
        let scope = given.get("scope").map_or(Ok(scope.into()), |id| self.string(id))?;
        let mut extra = Vec::new();
        let align = given.get("align").map_or(Ok(0), |id| self.int_literal(id))?;
        if align > 0 && align != DEFAULT_ALIGN {
            extra.push(("align".into(), AttrValue::Int(align)));
        }
        let factor = given.get("offset_factor").map_or(Ok(0), |id| self.int_literal(id))?;
        if factor != 0 && offset.is_none() {
            // TVM makes a variable of the offset then.
            let index = index_dtype(&shape);
            let var = self.new_var("elem_offset", Type::Prim(index));
            offset = Some(Expr::var(var, index));
            extra.push(("offset_factor".into(), AttrValue::Int(factor)));
        } else if factor > 1 {
            extra.push(("offset_factor".into(), AttrValue::Int(factor)));
        }
        if let Some(id) = given.get("layout") {
            match self.eval(id)? {
                Value::None if self.s_tir => {}
                Value::None => extra.push(("layout".into(), AttrValue::None)),
                Value::Str(s) if &*s == "default" => {}
                _ => return self.err(id, "expected `None` as layout; other layouts are not supported"),
            }
        }
        if let Some(id) = given.get("allocated_addr") {
            extra.push(("allocated_addr".into(), self.attr_value(id)?));
        }
        let elem_offset = offset.and_then(|offset| stored_offset(offset, &shape));
        Ok(Buffer { name: "buffer".into(), dtype, shape, strides, elem_offset, scope, extra, origin })
    }

    /// The shape of a buffer: integers, or one integer.
    pub(super) fn shape(&mut self, id: NodeId) -> Res<Vec<Expr>> {
        let items = match self.ast[id].kind {
            NodeKind::Tuple(items) | NodeKind::List(items) => self.ast.list(items).to_vec(),
            _ => vec![id],
        };
        items.into_iter().map(|item| self.dimension(item)).collect()
    }

    /// One dimension; a string is an expression that may define variables.
    fn dimension(&mut self, id: NodeId) -> Res<Expr> {
        let NodeKind::Str(_) = self.ast[id].kind else { return self.integer(id) };
        let span = self.span(id);
        let text = &self.text[span.start as usize..span.end as usize];
        let quoted = text.len() >= 2 && !text.contains('\\') && text.starts_with(['"', '\'']);
        if !quoted || text.starts_with("\"\"\"") {
            return self.err(id, "expected an expression in plain quotes as dimension");
        }
        let inner = Span { start: span.start + 1, end: span.end - 1 };
        let node = syntax::parse_inner(self.text, inner, &mut self.ast)?;
        let outer = std::mem::replace(&mut self.in_shape, true);
        let result = self.integer(node);
        self.in_shape = outer;
        result
    }

    /// Strides; strings name variables that the buffer defines.
    fn strides(&mut self, id: NodeId, index: DType) -> Res<Vec<Expr>> {
        let items = match self.ast[id].kind {
            NodeKind::Tuple(items) | NodeKind::List(items) => self.ast.list(items).to_vec(),
            _ => return self.err(id, "expected a tuple of strides"),
        };
        let mut strides = Vec::with_capacity(items.len());
        for item in items {
            strides.push(match self.ast[item].kind {
                NodeKind::Str(text) => {
                    let name = self.ast.string(text).clone();
                    let var = self.new_var(&name, Type::Prim(index));
                    Expr::var(var, index)
                }
                _ => self.integer(item)?,
            });
        }
        Ok(strides)
    }

    /// A data type: `"float32"` or `T.float32`.
    pub(super) fn dtype(&mut self, id: NodeId) -> Res<DType> {
        match self.eval(id)? {
            Value::Str(s) => self.at(id, s.parse::<DType>().map_err(|e| e.to_string())),
            Value::Type(Type::Prim(dtype)) => Ok(dtype),
            other => self.expected(id, "a data type", &other),
        }
    }

    /// `T.match_buffer(…)`: of a handle parameter, or of a region in a block.
    fn match_buffer(&mut self, args: Args) -> Res<Value> {
        let given = self.given(args, &MATCH)?;
        let Some(source) = given.get("param") else {
            return self.err(args.call, "`T.match_buffer` takes a parameter or a region");
        };
        if let NodeKind::Name(name) = self.ast[source].kind
            && let Some(&Entity::Var(var)) = self.lookup(name)
        {
            let at = self.func.params.iter().position(|p| *p == Param::Var(var));
            let Some(at) = at.filter(|_| self.func.var(var).ty.dtype() == DType::HANDLE) else {
                return self.err(source, format!("expected a handle parameter or a region, found `{name}`"));
            };
            let outer = std::mem::replace(&mut self.in_shape, true);
            let buffer = self.buffer_from(&given, "global", Origin::Param);
            self.in_shape = outer;
            let buffer = self.func.new_buffer(buffer?);
            // TVM replaces the handle by the buffer.
            self.func.params[at] = Param::Buffer(buffer);
            self.define(name, Entity::Pointer(buffer));
            return Ok(Value::NewBuffer(buffer));
        }
        let region = self.region(source)?;
        if self.blocks.is_empty() {
            return self.err(args.call, "a match of a buffer region stands outside of a block");
        }
        let origin = Origin::Region(region.buffer);
        let buffer = match given.get("shape") {
            Some(_) => self.buffer_from(&given, "global", origin)?,
            None => {
                let shape = region
                    .ranges
                    .iter()
                    .map(|(min, extent)| extent.clone().unwrap_or_else(|| Expr::int(1, min.dtype)));
                let shape = shape.collect();
                let mut buffer = self.buffer_of_shape(&given, shape, "global", origin)?;
                buffer.dtype = self.func.buffer(region.buffer).dtype;
                buffer
            }
        };
        let buffer = self.func.new_buffer(buffer);
        if let Some(block) = self.blocks.last_mut() {
            block.match_buffers.push((buffer, region));
        }
        Ok(Value::NewBuffer(buffer))
    }

    /// `A.view(shape…)` or `A.view("dtype")`.
    pub(super) fn view(&mut self, of: BufferId, args: Args) -> Res<Value> {
        if let Some((name, id)) = args.keywords(&self.ast).first() {
            return self.err(*id, format!("argument `{name}` of a view is not supported"));
        }
        let parent = self.func.buffer(of).clone();
        let items = args.positional(&self.ast);
        let mut buffer = Buffer { origin: Origin::View(of), ..parent.clone() };
        if let [single] = items[..]
            && let Value::Str(_) | Value::Type(_) = self.eval(single)?
        {
            let dtype = self.dtype(single)?;
            buffer.dtype = dtype;
            let (new, old) = (i64::from(dtype.bits), i64::from(parent.dtype.bits));
            let Some(last) = buffer.shape.last_mut() else {
                return self.err(args.call, "a buffer without dimensions has no view of another type");
            };
            let scaled = last.as_int().and_then(|n| n.checked_mul(old)).filter(|bits| bits % new == 0);
            let Some(bits) = scaled else {
                return self
                    .err(args.call, format!("the last dimension does not divide into `{dtype}` elements"));
            };
            *last = Expr::int(bits / new, last.dtype);
        } else {
            let mut shape = Vec::with_capacity(items.len());
            for item in items {
                match self.ast[item].kind {
                    NodeKind::Tuple(_) | NodeKind::List(_) => shape.extend(self.shape(item)?),
                    _ => shape.push(self.integer(item)?),
                }
            }
            buffer.shape = shape;
        }
        buffer.elem_offset = stored_offset(elem_offset(&parent), &buffer.shape);
        let buffer = self.func.new_buffer(buffer);
        self.emit(StmtKind::Decl { buffer });
        Ok(Value::NewBuffer(buffer))
    }

    /// The annotation of a buffer parameter.
    pub(super) fn buffer_annotation(&mut self, args: Args) -> Res<BufferId> {
        let given = self.given(args, &DECL)?;
        if let Some(data) = given.get("data") {
            return self.err(data, "a parameter's `data` is not supported");
        }
        let buffer = self.buffer_from(&given, "global", Origin::Param)?;
        Ok(self.func.new_buffer(buffer))
    }
}
