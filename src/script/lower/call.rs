//! Calls: what each `T.<name>(…)` builds, methods of buffers, calls of functions.

use std::sync::Arc;

use super::frame::Frame;
use super::state::{Args, Lower, Res};
use super::value::{Entity, Value};
use crate::ir::{
    AttrNode, Axis, AxisKind, BinOp, BufferId, Call, Callee, CommReducer, DType, Expr, ExprKind, ForKind,
    SBlock, StmtKind, Type,
};
use crate::script::fold;
use crate::script::syntax::ast::{NodeId, NodeKind};

/// The operator that `T.<name>(a, b)` applies; `true` if it folds constants as TVM's functions do.
fn operator(name: &str) -> Option<(BinOp, bool)> {
    BinOp::ALL.into_iter().find_map(|op| match name {
        _ if op.functions().contains(&name) => Some((op, true)),
        _ if op.tvm_name() == name => Some((op, false)),
        _ => None,
    })
}

impl<'s> Lower<'s> {
    /// Evaluates a call.
    #[inline(never)]
    pub(super) fn eval_call(&mut self, id: NodeId) -> Res<Value> {
        let Some(args) = self.as_call(id) else { return self.err(id, "expected a call") };
        if let Some(path) = self.tir_path(args.callee) {
            return self.tir_call(id, &path, args);
        }
        match self.ast[args.callee].kind {
            NodeKind::Name("float") => self.float_call(id, args),
            NodeKind::Name("range") => self.loop_call("range", args),
            NodeKind::Attr(value, name) => self.method(id, value, name, args),
            _ => match self.eval(args.callee)? {
                Value::Global(name) => self.global_call(&name, args),
                other => self.expected(args.callee, "a function", &other),
            },
        }
    }

    /// `float("inf")`
    fn float_call(&mut self, id: NodeId, args: Args) -> Res<Value> {
        let [arg] = self.exactly::<1>(id, args, "float")?;
        match self.eval(arg)? {
            Value::Str(s) => match python_float(&s) {
                Some(v) => Ok(Value::Float(v)),
                None => self.err(arg, format!("\"{s}\" is no number")),
            },
            Value::Int(v) => Ok(Value::Float(v as f64)),
            Value::Float(v) => Ok(Value::Float(v)),
            other => self.expected(arg, "a number", &other),
        }
    }

    /// The arguments, if there are exactly `N` and none is named.
    pub(super) fn exactly<const N: usize>(&self, id: NodeId, args: Args, name: &str) -> Res<[NodeId; N]> {
        let positional = args.positional(&self.ast);
        if let Some((keyword, value)) = args.keywords(&self.ast).first()
            && *keyword != "dtype"
        {
            return self.err(*value, format!("`{name}` has no argument `{keyword}`"));
        }
        match <[NodeId; N]>::try_from(positional) {
            Ok(array) => Ok(array),
            Err(found) => {
                let s = if N == 1 { "" } else { "s" };
                self.err(id, format!("`{name}` takes {N} argument{s}, found {}", found.len()))
            }
        }
    }

    /// A call of another function of the module.
    fn global_call(&mut self, name: &Arc<str>, args: Args) -> Res<Value> {
        let (count, result) = self.globals.get(&**name).cloned().unwrap_or_default();
        let dtype = result.map_or(DType::VOID, |ty| ty.dtype());
        if args.positional != count {
            let s = if count == 1 { "" } else { "s" };
            let message = format!("function `{name}` takes {count} argument{s}, found {}", args.positional);
            return self.err(args.call, message);
        }
        if let Some((keyword, value)) = args.keywords(&self.ast).first() {
            return self.err(*value, format!("`{name}` has no argument `{keyword}`"));
        }
        let args = self.call_args(args.positional(&self.ast))?;
        let call = Call { callee: Callee::Global(name.clone()), args, kwargs: Vec::new() };
        Ok(Value::Expr(Expr { dtype, kind: ExprKind::Call(Box::new(call)) }))
    }

    pub(super) fn call_args(&mut self, ids: Vec<NodeId>) -> Res<Vec<Expr>> {
        let mut out = Vec::with_capacity(ids.len());
        for id in ids {
            let value = self.eval(id)?;
            out.push(self.to_arg(id, value)?);
        }
        Ok(out)
    }

    /// `value.name(…)`
    fn method(&mut self, id: NodeId, value: NodeId, name: &'s str, args: Args) -> Res<Value> {
        if let Some(root @ ("I" | "R")) = self.name_of(value)
            && self.lookup(root).is_none()
        {
            return self.err(id, format!("`{root}.{name}` is not supported here"));
        }
        let base = self.eval(value)?;
        match (base, name) {
            (Value::Buffer(buffer), "view") => self.view(buffer, args),
            (Value::Buffer(buffer), "access_ptr") => self.access_ptr(id, buffer, args),
            (Value::Buffer(buffer), "scope") => Ok(Value::Str(self.func.buffer(buffer).scope.clone())),
            (Value::Module, _) if self.globals.contains_key(name) => self.global_call(&name.into(), args),
            (Value::Module, _) => self.err(id, format!("the module has no function `{name}`")),
            (Value::Expr(e), "astype") => {
                let [dtype] = self.exactly::<1>(id, args, "astype")?;
                let dtype = self.dtype(dtype)?;
                self.at(id, fold::cast(dtype, e)).map(Value::Expr)
            }
            (Value::Buffer(_), _) => self.err(id, format!("method `{name}` of a buffer is not supported")),
            (other, _) => self.err(id, format!("{} has no method `{name}`", other.describe())),
        }
    }

    /// `A.access_ptr("rw", offset=…, extent=…)` is `T.tvm_access_ptr(…)`.
    fn access_ptr(&mut self, id: NodeId, buffer: BufferId, args: Args) -> Res<Value> {
        let mode = match args.arg(&self.ast, 0, "access_mask") {
            Some(mask) => match self.eval(mask)? {
                Value::Str(s) => i64::from(s.contains('r')) | i64::from(s.contains('w')) << 1,
                Value::Int(v @ 0..=3) => v as i64,
                other => return self.expected(mask, "\"r\", \"w\" or \"rw\"", &other),
            },
            None => return self.err(id, "`access_ptr` takes an access mask"),
        };
        for (keyword, value) in args.keywords(&self.ast) {
            if !matches!(keyword, "access_mask" | "offset" | "extent") {
                return self.err(value, format!("argument `{keyword}` of `access_ptr` is not supported"));
            }
        }
        let info = self.func.buffer(buffer).clone();
        let mut offset = super::buffer::elem_offset(&info);
        if let Some(given) = args.keyword(&self.ast, "offset") {
            let given = self.integer(given)?;
            offset = self.at(id, fold::binary(BinOp::Add, offset, given))?;
        }
        let extent = match args.keyword(&self.ast, "extent") {
            Some(extent) => self.integer(extent)?,
            None => {
                let mut extent = Expr::int(1, offset.dtype);
                for dimension in info.shape {
                    extent = self.at(id, fold::binary(BinOp::Mul, extent, dimension))?;
                }
                if args.keyword(&self.ast, "offset").is_some() {
                    extent = self.at(id, fold::binary(BinOp::Sub, extent, offset.clone()))?;
                }
                extent
            }
        };
        let ptype = Expr::call(info.dtype, "type_annotation", Vec::new());
        let data = Expr { dtype: DType::HANDLE, kind: ExprKind::BufferData(buffer) };
        let list = vec![ptype, data, offset, extent, Expr::int(mode, DType::I32)];
        Ok(Value::Expr(Expr::call(DType::HANDLE, "tvm_access_ptr", list)))
    }

    /// `T.<path>(…)`
    fn tir_call(&mut self, id: NodeId, path: &str, args: Args) -> Res<Value> {
        if let Some(dtype) = super::expr::dtype_name(path) {
            return self.dtype_call(id, dtype, args);
        }
        if let Some((op, folds)) = operator(path) {
            let [a, b] = self.exactly::<2>(id, args, &format!("T.{path}"))?;
            let (left, right) = (self.expr(a)?, self.expr(b)?);
            let result = if folds { fold::binary(op, left, right) } else { fold::node(op, left, right) };
            return self.at(id, result).map(Value::Expr);
        }
        match path {
            "alloc_buffer"
            | "alloc_local"
            | "alloc_shared"
            | "smem"
            | "decl_buffer"
            | "Buffer"
            | "buffer_decl"
            | "sblock_alloc_buffer"
            | "block_alloc_buffer"
            | "allocate"
            | "local_scalar"
            | "shared_scalar"
            | "alloc_scalar"
            | "match_buffer" => self.buffer_call(path, args),
            "serial" | "parallel" | "vectorized" | "unroll" | "thread_binding" | "grid" => {
                self.loop_call(path, args)
            }
            "launch_thread" => self.launch_frame(id),
            "attr" => self.attr_frame(id),
            "sblock" | "block" => self.sblock_call(args),
            "init" => {
                let [] = self.exactly::<0>(id, args, "T.init")?;
                Ok(Value::Frame(Box::new(Frame::Init)))
            }
            "env_thread" => {
                let [tag] = self.exactly::<1>(id, args, "T.env_thread")?;
                Ok(Value::EnvThread(self.string(tag)?))
            }
            "where" | "reads" | "writes" | "sblock_attr" | "block_attr" => {
                self.block_property(id, path, args)
            }
            "axis.spatial" | "axis.S" | "axis.reduce" | "axis.R" | "axis.scan" | "axis.opaque"
            | "axis.remap" => self.axis_call(id, path, args),
            "func_attr" => {
                let [attrs] = self.exactly::<1>(id, args, "T.func_attr")?;
                let attrs = self.attributes(attrs)?;
                self.func.attrs.extend(attrs);
                Ok(Value::Done)
            }
            "bind" | "Bind" => self.bind_call(id, args),
            "evaluate" | "Evaluate" => {
                let [value] = self.exactly::<1>(id, args, "T.evaluate")?;
                let e = self.expr(value)?;
                self.evaluate(e);
                Ok(Value::Done)
            }
            "Return" | "ret" => {
                let [value] = self.exactly::<1>(id, args, "T.Return")?;
                let e = self.expr(value)?;
                self.emit(StmtKind::Return(e));
                Ok(Value::Done)
            }
            "handle" | "ptr" | "Ptr" | "buffer_var" => self.handle_call(id, args),
            "comm_reducer" => self.comm_reducer(id, args),
            "iter_var" => self.iter_var(id, args),
            "Range" => {
                let [begin, end] = self.exactly::<2>(id, args, "T.Range")?;
                let (begin, stop) = (self.integer(begin)?, self.integer(end)?);
                let extent = super::index::extent_between(&begin, stop, &mut self.func);
                let extent = self.at(id, extent)?;
                Ok(Value::Range(Box::new((begin, extent))))
            }
            "target" => self.attr_value(id).map(|v| Value::Attr(Box::new(v))),
            "Let" => self.let_call(id, args),
            "func_ret" | "If" | "Then" | "Else" | "While" | "Assert" | "hint" | "Call" | "device_entry" => {
                self.err(id, format!("`T.{path}` is not supported"))
            }
            _ => self.intrinsic_call(id, path, args),
        }
    }

    /// Adds an expression as a statement.
    pub(super) fn evaluate(&mut self, e: Expr) {
        let kind = match e.as_intrin() {
            Some(("break_loop", _)) => StmtKind::Break,
            Some(("continue_loop", _)) => StmtKind::Continue,
            _ => StmtKind::Evaluate(e),
        };
        self.emit(kind);
    }

    /// `T.int32()`, `T.int64(3)`, `T.float32("inf")`, `T.int64(x)`.
    fn dtype_call(&mut self, id: NodeId, dtype: DType, args: Args) -> Res<Value> {
        if dtype == DType::HANDLE {
            return self.handle_call(id, args);
        }
        if args.args.len() == 0 {
            return Ok(Value::Type(Type::Prim(dtype)));
        }
        let [arg] = self.exactly::<1>(id, args, &format!("T.{dtype}"))?;
        let result = match self.eval(arg)? {
            Value::None => return Ok(Value::Type(Type::Prim(dtype))),
            Value::Int(v) => fold::int_const(dtype.scalar(), v),
            Value::Bool(v) => fold::int_const(dtype.scalar(), i128::from(v)),
            Value::Float(v) if dtype.is_float() => Ok(Expr::float(v, dtype.scalar())),
            Value::Float(v) => fold::int_const(dtype.scalar(), v.trunc() as i128),
            Value::Str(s) if dtype.is_float() => match python_float(&s) {
                Some(v) => Ok(Expr::float(v, dtype.scalar())),
                None => Err(format!("expected \"inf\", \"-inf\" or \"nan\", found \"{s}\"")),
            },
            other => {
                let e = self.to_expr(arg, other)?;
                fold::cast(dtype, e)
            }
        };
        let e = result.and_then(|e| fold::cast(dtype, e));
        self.at(id, e).map(Value::Expr)
    }

    /// `T.handle()`, `T.handle("float32", "global")`
    fn handle_call(&mut self, id: NodeId, args: Args) -> Res<Value> {
        for (keyword, value) in args.keywords(&self.ast) {
            if !matches!(keyword, "dtype" | "storage_scope") {
                return self.err(value, format!("`T.handle` has no argument `{keyword}`"));
            }
        }
        if args.positional > 2 {
            return self.err(id, format!("`T.handle` takes at most 2 arguments, found {}", args.positional));
        }
        let dtype = args.arg(&self.ast, 0, "dtype").map_or(Ok(DType::VOID), |d| self.dtype(d))?;
        let scope = match args.arg(&self.ast, 1, "storage_scope") {
            Some(scope) => self.string(scope)?,
            None => "global".into(),
        };
        let plain = dtype == DType::VOID && &*scope == "global";
        let ty = if plain { Type::Prim(DType::HANDLE) } else { Type::Pointer(dtype, scope) };
        Ok(Value::Type(ty))
    }

    /// `T.bind(value)` makes a variable.
    fn bind_call(&mut self, id: NodeId, args: Args) -> Res<Value> {
        let Some(value) = args.arg(&self.ast, 0, "value") else {
            return self.err(id, "`T.bind` takes a value");
        };
        let e = self.expr(value)?;
        if let Some(var) = args.keyword(&self.ast, "var") {
            let var = self.as_var(var)?;
            self.emit(StmtKind::Bind { var, value: e });
            return Ok(Value::Done);
        }
        let ty = match args.arg(&self.ast, 1, "type_annotation") {
            Some(annotation) => match self.eval(annotation)? {
                Value::Type(ty) => ty,
                Value::Path(p) if &*p == "handle" => Type::Prim(DType::HANDLE),
                other => return self.expected(annotation, "a type", &other),
            },
            None => self.type_of(&e),
        };
        if ty.dtype() != e.dtype {
            return self
                .err(value, format!("expected a value of type `{}`, found `{}`", ty.dtype(), e.dtype));
        }
        let var = self.new_var("v", ty);
        self.emit(StmtKind::Bind { var, value: e });
        Ok(Value::NewVar(var))
    }

    /// The type of a variable that holds the value.
    pub(super) fn type_of(&self, e: &Expr) -> Type {
        match &e.kind {
            ExprKind::BufferData(buffer) => {
                let info = self.func.buffer(*buffer);
                Type::Pointer(info.dtype, info.scope.clone())
            }
            ExprKind::Var(var) => self.func.var(*var).ty.clone(),
            ExprKind::Call(call) => match (&call.callee, call.args.first().map(|a| &a.kind)) {
                (Callee::Intrin(name), Some(ExprKind::Load { .. })) if &**name == "address_of" => {
                    let element = call.args.first().map_or(DType::VOID, |a| a.dtype);
                    Type::Pointer(element, "global".into())
                }
                (Callee::Intrin(name), Some(_)) if &**name == "tvm_access_ptr" => {
                    let element = call.args.first().map_or(DType::VOID, |a| a.dtype);
                    Type::Pointer(element, "global".into())
                }
                (Callee::Intrin(name), _) if &**name == "tvm_stack_make_shape" => {
                    Type::Pointer(DType::I64, "global".into())
                }
                _ => self.spelled_type(call).unwrap_or(Type::Prim(e.dtype)),
            },
            _ => Type::Prim(e.dtype),
        }
    }

    /// `T.Let(body, where={var: value})`
    fn let_call(&mut self, id: NodeId, args: Args) -> Res<Value> {
        let (body, bindings) = (args.arg(&self.ast, 0, "expr"), args.arg(&self.ast, 1, "where"));
        let (Some(body), Some(bindings)) = (body, bindings) else {
            return self.err(id, "`T.Let` takes an expression and `where={variable: value}`");
        };
        let NodeKind::Dict(items) = self.ast[bindings].kind else {
            return self.err(bindings, "expected `{variable: value}`");
        };
        if items.len() != 2 {
            return self.err(bindings, format!("expected one variable, found {}", items.len() / 2));
        }
        let (key, value) = (self.ast.item(items, 0), self.ast.item(items, 1));
        let value = self.expr(value)?;
        let Some(name) = self.name_of(key) else { return self.err(key, "expected a variable's name") };
        let ty = if self.declares_lets && self.lookup(name).is_none() {
            Type::Prim(value.dtype)
        } else {
            let declared = self.as_var(key)?;
            self.func.var(declared).ty.clone()
        };
        if ty.dtype() != value.dtype {
            return self
                .err(key, format!("expected a value of type `{}`, found `{}`", ty.dtype(), value.dtype));
        }
        // Each `T.Let` has a variable of its own.
        let var = self.new_var(name, ty);
        let mark = self.mark();
        self.define(name, Entity::Var(var));
        let body = self.expr(body)?;
        self.leave(mark);
        let dtype = body.dtype;
        Ok(Value::Expr(Expr { dtype, kind: ExprKind::Let(var, Box::new(value), Box::new(body)) }))
    }

    /// `T.comm_reducer(lambda x, y: x + y, [identity])`
    fn comm_reducer(&mut self, id: NodeId, args: Args) -> Res<Value> {
        let [combiner, identity] = self.exactly::<2>(id, args, "T.comm_reducer")?;
        let NodeKind::Lambda(first, count, body) = self.ast[combiner].kind else {
            return self.err(combiner, "expected a lambda");
        };
        let NodeKind::List(items) = self.ast[identity].kind else {
            return self.err(identity, "expected a list of neutral values");
        };
        let mut neutral = Vec::new();
        for item in self.ast.list(items).to_vec() {
            neutral.push(self.expr(item)?);
        }
        if count as usize != 2 * neutral.len() || neutral.is_empty() {
            let message = format!("expected {} parameters of the lambda, found {count}", 2 * neutral.len());
            return self.err(combiner, message);
        }
        let names = self.ast.names[first as usize..][..count as usize].to_vec();
        let mark = self.mark();
        let mut params = Vec::new();
        for (name, e) in names.into_iter().zip(neutral.iter().chain(&neutral)) {
            let var = self.func.new_var(name, Type::Prim(e.dtype));
            self.define(name, Entity::Var(var));
            params.push(var);
        }
        let result = match self.ast[body].kind {
            NodeKind::Tuple(items) => {
                let items = self.ast.list(items).to_vec();
                items.into_iter().map(|item| self.expr(item)).collect::<Res<Vec<Expr>>>()?
            }
            _ => vec![self.expr(body)?],
        };
        self.leave(mark);
        if result.len() != neutral.len() {
            return self.err(body, format!("expected {} results, found {}", neutral.len(), result.len()));
        }
        Ok(Value::Reducer(Box::new(CommReducer { params, result, identity: neutral })))
    }

    /// `T.iter_var(var, dom, kind, tag)`
    fn iter_var(&mut self, id: NodeId, args: Args) -> Res<Value> {
        let [var, dom, kind, tag] = self.exactly::<4>(id, args, "T.iter_var")?;
        let dom = match self.eval(dom)? {
            Value::Range(range) => Some(*range),
            Value::None => None,
            other => return self.expected(dom, "`T.Range(…)` or `None`", &other),
        };
        let var = match self.eval(var)? {
            Value::Expr(Expr { kind: ExprKind::Var(var), .. }) => var,
            Value::Str(name) => {
                let dtype = dom.as_ref().map_or(DType::I32, |(_, extent)| extent.dtype);
                self.new_var(&name, Type::Prim(dtype))
            }
            other => return self.expected(var, "a variable", &other),
        };
        let (kind, thread_tag) = (self.string(kind)?, self.string(tag)?);
        Ok(Value::IterVar(Box::new(AttrNode::IterVar { var, dom, kind, thread_tag })))
    }

    /// `range(…)`, `T.serial(…)`, `T.grid(…)` and the like.
    fn loop_call(&mut self, path: &str, args: Args) -> Res<Value> {
        let mut ids = args.positional(&self.ast);
        let mut thread = None;
        let mut step = None;
        let mut annotations = Vec::new();
        for (keyword, id) in args.keywords(&self.ast) {
            match keyword {
                "start" | "stop" if path != "grid" => ids.push(id),
                "thread" if path == "thread_binding" => thread = Some(self.string(id)?),
                "annotations" if path != "grid" => annotations.extend(self.attributes(id)?),
                "step" if path != "grid" => step = Some(self.integer(id)?),
                "unroll" if path == "serial" || path == "range" => {
                    use crate::ir::AttrValue;
                    match self.attr_value(id)? {
                        AttrValue::Bool(false) => {
                            annotations.push(("disable_unroll".into(), AttrValue::Bool(true)));
                        }
                        AttrValue::None => {}
                        value => annotations.push(("pragma_unroll".into(), value)),
                    }
                }
                _ => return self.err(id, format!("a loop has no argument `{keyword}`")),
            }
        }
        let kind = match path {
            "parallel" => ForKind::Parallel,
            "vectorized" => ForKind::Vectorized,
            "unroll" => ForKind::Unrolled,
            "thread_binding" => {
                if thread.is_none()
                    && let Some(&last) = ids.last()
                    && matches!(self.ast[last].kind, NodeKind::Str(_))
                {
                    thread = Some(self.string(last)?);
                    ids.pop();
                }
                match thread {
                    Some(tag) => ForKind::ThreadBinding(tag),
                    None => return self.err(args.call, "expected `thread=\"…\"`"),
                }
            }
            _ => ForKind::Serial,
        };
        let mut loops = Vec::new();
        if path == "grid" {
            for id in ids {
                loops.push(match self.ast[id].kind {
                    NodeKind::Tuple(items) if items.len() == 2 => {
                        let (min, extent) = (self.ast.item(items, 0), self.ast.item(items, 1));
                        let (min, extent) = (self.integer(min)?, self.integer(extent)?);
                        self.at(id, same_index_type(min, extent))?
                    }
                    _ => {
                        let extent = self.integer(id)?;
                        (Expr::int(0, extent.dtype), extent)
                    }
                });
            }
        } else {
            let three = path == "range";
            let bounds = match (&ids[..], three) {
                (&[stop], _) => {
                    let extent = self.integer(stop)?;
                    (Expr::int(0, extent.dtype), extent)
                }
                (&[start, stop], _) | (&[start, stop, _], true) => {
                    let (min, stop) = (self.integer(start)?, self.integer(stop)?);
                    let extent = super::index::extent_between(&min, stop, &mut self.func);
                    let extent = self.at(args.call, extent)?;
                    self.at(args.call, same_index_type(min, extent))?
                }
                _ => return self.err(args.call, format!("a loop takes 1 or 2 bounds, found {}", ids.len())),
            };
            if let (&[_, _, by], true) = (&ids[..], three) {
                step = Some(self.integer(by)?);
            }
            if let Some(by) = step.take() {
                step = Some(self.at(args.call, fold::cast(bounds.0.dtype, by))?);
            }
            // A step of 1 is no step.
            step = step.filter(|s| s.as_int() != Some(1));
            loops.push(bounds);
        }
        Ok(Value::Frame(Box::new(Frame::For { kind, loops, step, annotations })))
    }

    /// `T.sblock(name)`
    fn sblock_call(&mut self, args: Args) -> Res<Value> {
        if let Some(id) = args.keyword(&self.ast, "no_realize") {
            return self.err(id, "`no_realize` is not supported");
        }
        let name = args.arg(&self.ast, 0, "name").or_else(|| args.keyword(&self.ast, "name_hint"));
        let name = name.map_or(Ok("".into()), |id| self.string(id))?;
        Ok(Value::Frame(Box::new(Frame::SBlock(name))))
    }

    /// The block that is under construction.
    fn current_block(&mut self, id: NodeId, path: &str) -> Res<&mut SBlock> {
        if self.blocks.is_empty() {
            return self.err(id, format!("`T.{path}` stands outside of a block"));
        }
        let last = self.blocks.len() - 1;
        Ok(&mut self.blocks[last])
    }

    /// `T.where(…)`, `T.reads(…)`, `T.writes(…)`, `T.sblock_attr(…)`.
    fn block_property(&mut self, id: NodeId, path: &str, args: Args) -> Res<Value> {
        self.current_block(id, path)?;
        match path {
            "where" => {
                let [cond] = self.exactly::<1>(id, args, "T.where")?;
                let predicate = match self.eval(cond)? {
                    Value::Int(v @ (0 | 1)) => Expr::bool(v == 1),
                    _ => self.condition(cond)?,
                };
                self.current_block(id, path)?.predicate = Some(predicate);
            }
            "reads" | "writes" => {
                let mut ids = args.positional(&self.ast);
                if let [single] = ids[..]
                    && let NodeKind::List(items) | NodeKind::Tuple(items) = self.ast[single].kind
                {
                    ids = self.ast.list(items).to_vec();
                }
                let mut regions = Vec::with_capacity(ids.len());
                for id in ids {
                    regions.push(self.region(id)?);
                }
                let block = self.current_block(id, path)?;
                let slot = if path == "reads" { &mut block.reads } else { &mut block.writes };
                *slot = Some(regions);
            }
            _ => {
                let [attrs] = self.exactly::<1>(id, args, "T.sblock_attr")?;
                let attrs = self.attributes(attrs)?;
                self.current_block(id, path)?.attrs.extend(attrs);
            }
        }
        Ok(Value::Done)
    }

    /// `T.axis.spatial(dom, binding)` and the like.
    fn axis_call(&mut self, id: NodeId, path: &str, args: Args) -> Res<Value> {
        self.current_block(id, path)?;
        if path == "axis.remap" {
            return self.remap(id, args);
        }
        let kind = match path {
            "axis.spatial" | "axis.S" => AxisKind::Spatial,
            "axis.reduce" | "axis.R" => AxisKind::Reduce,
            "axis.scan" => AxisKind::Scan,
            _ => AxisKind::Opaque,
        };
        let (dom, binding) = (args.arg(&self.ast, 0, "dom"), args.arg(&self.ast, 1, "binding"));
        let (Some(dom), Some(binding)) = (dom, binding) else {
            return self.err(id, "an axis takes a domain and a binding");
        };
        let (min, extent) = match self.ast[dom].kind {
            NodeKind::Tuple(items) | NodeKind::List(items) if items.len() == 2 => {
                let (start, stop) = (self.ast.item(items, 0), self.ast.item(items, 1));
                let (min, stop) = (self.integer(start)?, self.integer(stop)?);
                let extent = super::index::extent_between(&min, stop, &mut self.func);
                let extent = self.at(dom, extent)?;
                self.at(dom, same_index_type(min, extent))?
            }
            _ => match self.eval(dom)? {
                Value::Range(range) => *range,
                other => {
                    let extent = self.to_expr(dom, other)?;
                    if !(extent.dtype.is_integral() && extent.dtype.is_scalar()) {
                        return self.err(dom, format!("expected an integer, found `{}`", extent.dtype));
                    }
                    (Expr::int(0, extent.dtype), extent)
                }
            },
        };
        let binding = self.integer(binding)?;
        let var = self.new_var("v", Type::Prim(extent.dtype));
        self.current_block(id, path)?.axes.push(Axis { var, min, extent, kind, binding });
        Ok(Value::NewVar(var))
    }

    /// `T.axis.remap("SR", [i, j])`: axes that follow loops.
    fn remap(&mut self, id: NodeId, args: Args) -> Res<Value> {
        let (kinds, bindings) = (args.arg(&self.ast, 0, "kinds"), args.arg(&self.ast, 1, "bindings"));
        let (Some(kinds), Some(bindings)) = (kinds, bindings) else {
            return self.err(id, "`T.axis.remap` takes kinds and bindings");
        };
        let letters = self.string(kinds)?;
        let (NodeKind::List(items) | NodeKind::Tuple(items)) = self.ast[bindings].kind else {
            return self.err(bindings, "expected a list of loop variables");
        };
        let items = self.ast.list(items).to_vec();
        if items.len() != letters.chars().count() {
            let message =
                format!("expected {} loop variables, found {}", letters.chars().count(), items.len());
            return self.err(bindings, message);
        }
        let mut vars = Vec::new();
        for (letter, item) in letters.chars().zip(items) {
            let kind = match letter {
                'S' => AxisKind::Spatial,
                'R' => AxisKind::Reduce,
                'O' => AxisKind::Scan,
                _ => {
                    return self.err(kinds, format!("expected `S` or `R` as kind of axis, found `{letter}`"));
                }
            };
            let loop_var = self.as_var(item)?;
            let Some((min, extent)) = self.loop_ranges.get(&loop_var).cloned() else {
                return self.err(item, "expected a loop variable");
            };
            let var = self.new_var("v", Type::Prim(extent.dtype));
            let binding = self.func.var_expr(loop_var);
            self.current_block(id, "axis.remap")?.axes.push(Axis { var, min, extent, kind, binding });
            vars.push(var);
        }
        Ok(Value::NewVars(vars))
    }
}

/// Gives two bounds one integer type, the wider.
fn same_index_type(a: Expr, b: Expr) -> Result<(Expr, Expr), String> {
    let dtype = super::index::index_type(a.dtype, b.dtype);
    Ok((fold::cast(dtype, a)?, fold::cast(dtype, b)?))
}

/// The value of `float("…")`.
fn python_float(s: &str) -> Option<f64> {
    match s.trim().to_ascii_lowercase().as_str() {
        "inf" | "+inf" | "infinity" => Some(f64::INFINITY),
        "-inf" | "-infinity" => Some(f64::NEG_INFINITY),
        "nan" | "+nan" => Some(f64::NAN),
        "-nan" => Some(-f64::NAN),
        number => number.parse().ok(),
    }
}
