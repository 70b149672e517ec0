//! Statements.

use super::frame::Frame;
use super::state::{Lower, Res};
use super::value::{Entity, Value};
use crate::diag::Span;
use crate::ir::{
    AttrValue, Block, BufferId, DType, Expr, For, ForKind, Origin, SBlock, Stmt, StmtKind, Type,
};
use crate::script::fold;
use crate::script::syntax::ast::{BinaryOp, NodeId, NodeKind, StmtNode, StmtNodeKind};
use crate::script::syntax::error;

impl<'s> Lower<'s> {
    /// The statements of a block, in a scope of their own.
    pub(super) fn block(&mut self, body: &[StmtNode<'s>]) -> Res<Block> {
        let mark = self.mark();
        let block = self.open_block(body)?;
        self.leave(mark);
        Ok(block)
    }

    /// The statements of a block; the caller ends the scope.
    pub(super) fn open_block(&mut self, body: &[StmtNode<'s>]) -> Res<Block> {
        let span = body.first().map_or(self.stmt_span, |s| s.span);
        self.enter(span)?;
        let out = std::mem::take(&mut self.out);
        let open = std::mem::take(&mut self.open);
        for stmt in body {
            self.stmt(stmt)?;
        }
        self.close_frames();
        self.open = open;
        self.depth -= 1;
        Ok(std::mem::replace(&mut self.out, out))
    }

    fn stmt(&mut self, stmt: &StmtNode<'s>) -> Res<()> {
        let outer = std::mem::replace(&mut self.start, stmt.span.start);
        self.any_stmt(stmt)?;
        self.start = outer;
        Ok(())
    }

    fn any_stmt(&mut self, stmt: &StmtNode<'s>) -> Res<()> {
        self.stmt_span = stmt.span;
        match &stmt.kind {
            StmtNodeKind::Expr(id) => self.expr_stmt(*id),
            StmtNodeKind::Assign { target, value } => self.assign(*target, *value),
            StmtNodeKind::AnnAssign { target, annotation, value } => {
                self.annotated(*target, *annotation, *value)
            }
            StmtNodeKind::AugAssign { target, op, value } => self.augmented(*target, *op, *value),
            StmtNodeKind::For { target, iter, body } => self.for_stmt(stmt.span, *target, *iter, body),
            StmtNodeKind::While { cond, body } => {
                let cond = self.condition(*cond)?;
                let body = self.block(body)?;
                self.out.push(Stmt { span: stmt.span, kind: StmtKind::While { cond, body } });
                Ok(())
            }
            StmtNodeKind::If { arms, otherwise } => self.if_stmt(stmt.span, arms, otherwise),
            StmtNodeKind::With { items, body } => self.with_stmt(stmt.span, items, body),
            StmtNodeKind::Assert { cond, message } => self.assert(*cond, *message),
            StmtNodeKind::Return(value) => {
                let Some(value) = value else { return error(stmt.span, "expected a value after `return`") };
                let value = self.expr(*value)?;
                self.emit(StmtKind::Return(value));
                Ok(())
            }
            StmtNodeKind::Break => {
                self.emit(StmtKind::Break);
                Ok(())
            }
            StmtNodeKind::Continue => {
                self.emit(StmtKind::Continue);
                Ok(())
            }
            StmtNodeKind::Pass => Ok(()),
            StmtNodeKind::Import => error(stmt.span, "an import stands inside of a function"),
            StmtNodeKind::Function(f) => {
                error(stmt.span, format!("function `{}` stands inside of a function", f.name))
            }
            StmtNodeKind::Class { name, .. } => {
                error(stmt.span, format!("class `{name}` stands inside of a function"))
            }
        }
    }

    #[inline(never)]
    fn expr_stmt(&mut self, id: NodeId) -> Res<()> {
        match self.eval(id)? {
            Value::Done | Value::None | Value::Str(_) | Value::NewVar(_) | Value::NewBuffer(_) => Ok(()),
            Value::Frame(frame) => self.open_frame(id, *frame, None),
            Value::Launched(var, launch) => self.open_launched(var, launch.0, launch.1),
            value @ (Value::Expr(_) | Value::Int(_) | Value::Bool(_) | Value::Float(_)) => {
                let e = self.to_expr(id, value)?;
                self.evaluate(e);
                Ok(())
            }
            Value::Path(path) => self.err(id, format!("`T.{path}` is not called")),
            other => self.expected(id, "a statement", &other),
        }
    }

    #[inline(never)]
    fn assign(&mut self, target: NodeId, value: NodeId) -> Res<()> {
        match self.ast[target].kind {
            NodeKind::Subscript(buffer, items) => {
                let rhs = self.expr(value)?;
                let buffer_id = self.stored_buffer(buffer)?;
                let indices = self.indices(target, buffer_id, items)?;
                self.store(value, buffer_id, indices, rhs)
            }
            NodeKind::Name(name) => self.assign_name(target, name, value),
            NodeKind::Tuple(targets) | NodeKind::List(targets) => {
                let targets = self.ast.list(targets).to_vec();
                self.assign_tuple(target, &targets, value)
            }
            _ => self.err(target, "expected a name or an element of a buffer before `=`"),
        }
    }

    fn stored_buffer(&mut self, id: NodeId) -> Res<BufferId> {
        match self.eval(id)? {
            Value::Buffer(buffer) | Value::Scalar(buffer) => Ok(buffer),
            other => self.expected(id, "a buffer", &other),
        }
    }

    /// Adds a store; the value takes the type of the element, as TVM's builder converts it.
    fn store(&mut self, place: NodeId, buffer: BufferId, indices: Vec<Expr>, value: Expr) -> Res<()> {
        let element = self.func.buffer(buffer).dtype;
        let index_lanes = indices.last().map_or(1, |e| e.dtype.lanes);
        let Some(lanes) = element.lanes.checked_mul(index_lanes) else {
            return self.err(place, format!("a store of more than {} lanes", u16::MAX));
        };
        let stored = element.with_lanes(lanes);
        let found = value.dtype;
        let converts = value.dtype.lanes == lanes || value.dtype.is_scalar();
        let value = if converts { fold::cast(stored, value) } else { Err(String::new()) };
        let Ok(value) = value else {
            return self.err(place, format!("expected a value of type `{stored}`, found `{found}`"));
        };
        self.emit(StmtKind::Store { buffer, indices, value });
        Ok(())
    }

    fn assign_name(&mut self, target: NodeId, name: &'s str, value: NodeId) -> Res<()> {
        let rhs = self.eval(value)?;
        match rhs {
            Value::Type(ty) if self.as_call(value).is_some() => {
                self.declare(target, name, ty)?;
                Ok(())
            }
            Value::NewVar(var) => {
                self.func.vars[var.index()].name = name.into();
                self.define(name, Entity::Var(var));
                Ok(())
            }
            Value::NewVars(vars) if vars.len() == 1 => {
                self.func.vars[vars[0].index()].name = name.into();
                self.define(name, Entity::Var(vars[0]));
                Ok(())
            }
            Value::NewBuffer(buffer) | Value::NewScalar(buffer) | Value::NewPointer(buffer) => {
                self.func.buffers[buffer.index()].name = name.into();
                let entity = match rhs {
                    Value::NewBuffer(_) => Entity::Buffer(buffer),
                    Value::NewScalar(_) => Entity::Scalar(buffer),
                    _ => Entity::Pointer(buffer),
                };
                self.define(name, entity);
                Ok(())
            }
            Value::Buffer(buffer) => {
                self.define(name, Entity::Buffer(buffer));
                Ok(())
            }
            Value::Frame(frame) => self.open_frame(value, *frame, Some(name)),
            Value::Launched(var, launch) => {
                self.define(name, Entity::Var(var));
                self.open_launched(var, launch.0, launch.1)
            }
            Value::EnvThread(tag) => {
                self.define(name, Entity::EnvThread(tag));
                Ok(())
            }
            Value::Reducer(reducer) => {
                self.define(name, Entity::Reducer(reducer));
                Ok(())
            }
            other => {
                let rhs = self.to_expr(value, other)?;
                self.assign_value(value, name, rhs)
            }
        }
    }

    /// `name = value`: a store to a scalar, or the definition of one.
    fn assign_value(&mut self, place: NodeId, name: &'s str, value: Expr) -> Res<()> {
        let known = match self.lookup(name) {
            Some(Entity::Scalar(buffer)) => Some(*buffer),
            Some(Entity::Buffer(buffer)) => {
                let shape = &self.func.buffer(*buffer).shape;
                (shape.len() == 1 && shape[0].as_int() == Some(1)).then_some(*buffer)
            }
            _ => None,
        };
        if let Some(buffer) = known {
            return self.store(place, buffer, vec![Expr::int(0, DType::I32)], value);
        }
        match value.dtype {
            DType::VOID => self.err(place, "expected a value, found a call without one"),
            DType::HANDLE => {
                let ty = self.type_of(&value);
                let var = self.new_var(name, ty);
                self.emit(StmtKind::Bind { var, value });
                self.define(name, Entity::Var(var));
                Ok(())
            }
            dtype => {
                let buffer = self.new_scalar(name, dtype, "local".into());
                self.define(name, Entity::Scalar(buffer));
                self.store(place, buffer, vec![Expr::int(0, DType::I32)], value)
            }
        }
    }

    /// `n = T.int32()`: a variable, or the dimension of that name.
    fn declare(&mut self, target: NodeId, name: &'s str, ty: Type) -> Res<()> {
        if let Some(&Entity::Var(var)) = self.lookup(name)
            && self.dimensions.contains(&var)
        {
            if self.func.var(var).ty == ty {
                return Ok(());
            }
            let (old, new) = (self.func.var(var).ty.dtype(), ty.dtype());
            return self.err(target, format!("dimension `{name}` has type `{old}`, found `{new}`"));
        }
        let var = self.new_var(name, ty);
        self.define(name, Entity::Var(var));
        Ok(())
    }

    fn assign_tuple(&mut self, target: NodeId, targets: &[NodeId], value: NodeId) -> Res<()> {
        let mut names = Vec::with_capacity(targets.len());
        for &id in targets {
            let Some(name) = self.name_of(id) else { return self.err(id, "expected a name") };
            names.push(name);
        }
        if let NodeKind::Tuple(items) | NodeKind::List(items) = self.ast[value].kind {
            if items.len() != names.len() {
                return self.err(value, format!("expected {} values, found {}", names.len(), items.len()));
            }
            for (at, name) in names.into_iter().enumerate() {
                self.assign_name(targets[at], name, self.ast.item(items, at))?;
            }
            return Ok(());
        }
        match self.eval(value)? {
            Value::NewVars(vars) if vars.len() == names.len() => {
                for (var, name) in vars.into_iter().zip(names) {
                    self.func.vars[var.index()].name = name.into();
                    self.define(name, Entity::Var(var));
                }
                Ok(())
            }
            Value::NewVars(vars) => {
                self.err(target, format!("expected {} names, found {}", vars.len(), names.len()))
            }
            other => self.expected(value, "several values", &other),
        }
    }

    /// `name: annotation = value`
    #[inline(never)]
    fn annotated(&mut self, target: NodeId, annotation: NodeId, value: Option<NodeId>) -> Res<()> {
        let Some(name) = self.name_of(target) else {
            return self.err(target, "expected a name before `:`");
        };
        if let Some("let" | "Let") = self.tir_path(annotation).as_deref() {
            return self.bind(target, name, None, value);
        }
        if let NodeKind::Subscript(base, items) = self.ast[annotation].kind {
            match (self.tir_path(base).as_deref(), items.len()) {
                (Some("let" | "Let"), 1) => {
                    let ty = self.type_annotation(self.ast.item(items, 0))?;
                    return self.bind(target, name, Some(ty), value);
                }
                (Some(path), _) => {
                    if let Some(dtype) = super::expr::dtype_name(path) {
                        return self.local_vector(target, name, dtype, items, value);
                    }
                }
                (None, _) => {}
            }
        }
        match self.type_annotation(annotation)? {
            Type::Prim(dtype) if dtype != DType::HANDLE && dtype != DType::VOID => {
                let value = match value {
                    Some(id) => Some((id, self.expr(id)?)),
                    None => None,
                };
                let buffer = self.new_scalar(name, dtype, "local".into());
                self.define(name, Entity::Scalar(buffer));
                match value {
                    Some((id, e)) => self.store(id, buffer, vec![Expr::int(0, DType::I32)], e),
                    None => Ok(()),
                }
            }
            ty => self.bind(target, name, Some(ty), value),
        }
    }

    /// `name: T.float32[n]`: a local buffer.
    fn local_vector(
        &mut self,
        target: NodeId,
        name: &'s str,
        dtype: DType,
        items: crate::script::syntax::ast::NodeList,
        value: Option<NodeId>,
    ) -> Res<()> {
        if let Some(value) = value {
            return self.err(value, "a buffer's annotation takes no value");
        }
        let mut shape = Vec::new();
        for item in self.ast.list(items).to_vec() {
            shape.push(self.integer(item)?);
        }
        let _ = target;
        let buffer = self.func.new_buffer(crate::ir::Buffer {
            name: name.into(),
            dtype,
            shape,
            strides: Vec::new(),
            elem_offset: None,
            scope: "local".into(),
            extra: Vec::new(),
            origin: Origin::Alloc,
        });
        self.emit(StmtKind::Alloc { buffer, annotations: Vec::new() });
        self.define(name, Entity::Buffer(buffer));
        Ok(())
    }

    /// The type that an annotation names.
    pub(super) fn type_annotation(&mut self, id: NodeId) -> Res<Type> {
        match self.eval(id)? {
            Value::Type(ty) => Ok(ty),
            Value::Path(p) if &*p == "handle" => Ok(Type::Prim(DType::HANDLE)),
            Value::Str(s) => self.at(id, s.parse::<DType>().map(Type::Prim).map_err(|e| e.to_string())),
            other => self.expected(id, "a type", &other),
        }
    }

    /// `name: T.let[ty] = value`
    fn bind(&mut self, target: NodeId, name: &'s str, ty: Option<Type>, value: Option<NodeId>) -> Res<()> {
        let Some(value) = value else { return self.err(target, format!("expected a value for `{name}`")) };
        let python = self.eval(value)?;
        let e = match (&ty, python) {
            // A number takes the type that is annotated.
            (Some(Type::Prim(dtype)), Value::Int(v)) if dtype.is_integral() || dtype.is_float() => {
                self.at(value, fold::int_const(*dtype, v))?
            }
            (Some(Type::Prim(dtype)), Value::Float(v)) if dtype.is_float() && dtype.is_scalar() => {
                Expr::float(v, *dtype)
            }
            (_, python) => self.to_arg(value, python)?,
        };
        let ty = ty.unwrap_or_else(|| self.type_of(&e));
        if ty.dtype() != e.dtype {
            return self
                .err(value, format!("expected a value of type `{}`, found `{}`", ty.dtype(), e.dtype));
        }
        if e.dtype == DType::VOID {
            return self.err(value, "expected a value, found a call without one");
        }
        let var = self.new_var(name, ty);
        self.emit(StmtKind::Bind { var, value: e });
        self.define(name, Entity::Var(var));
        Ok(())
    }

    /// `target op= value`
    #[inline(never)]
    fn augmented(&mut self, target: NodeId, op: BinaryOp, value: NodeId) -> Res<()> {
        let old = self.eval(target)?;
        let rhs = self.eval(value)?;
        let new = self.binary(value, op, (target, old), (value, rhs))?;
        let new = self.to_expr(value, new)?;
        match self.ast[target].kind {
            NodeKind::Subscript(buffer, items) => {
                let buffer_id = self.stored_buffer(buffer)?;
                let indices = self.indices(target, buffer_id, items)?;
                self.store(value, buffer_id, indices, new)
            }
            NodeKind::Name(name) => self.assign_value(value, name, new),
            _ => self.err(target, "expected a name or an element of a buffer"),
        }
    }

    #[inline(never)]
    fn for_stmt(&mut self, span: Span, target: NodeId, iter: NodeId, body: &[StmtNode<'s>]) -> Res<()> {
        let frame = match self.eval(iter)? {
            Value::Frame(frame) => *frame,
            other => return self.expected(iter, "a loop such as `range(…)` or `T.grid(…)`", &other),
        };
        let Frame::For { kind, loops, step, annotations } = frame else {
            return self.err(iter, format!("expected a loop, found {}", frame.describe()));
        };
        let targets = match self.ast[target].kind {
            NodeKind::Tuple(items) | NodeKind::List(items) => self.ast.list(items).to_vec(),
            _ => vec![target],
        };
        if targets.len() != loops.len() {
            return self.err(
                target,
                format!("expected loop variables for {} loops, found {}", loops.len(), targets.len()),
            );
        }
        let mark = self.mark();
        let mut heads = Vec::with_capacity(loops.len());
        for (id, (min, extent)) in targets.into_iter().zip(loops) {
            let Some(name) = self.name_of(id) else { return self.err(id, "expected a loop variable") };
            self.enter(span)?;
            let var = self.new_var(name, Type::Prim(extent.dtype));
            self.define(name, Entity::Var(var));
            self.loop_ranges.insert(var, (min.clone(), extent.clone()));
            heads.push((var, min, extent));
        }
        let mut body = self.block(body)?;
        self.leave(mark);
        self.depth -= heads.len();
        let (mut step, mut annotations) = (step, annotations);
        while let Some((var, min, extent)) = heads.pop() {
            let kind = if heads.is_empty() { kind.clone() } else { ForKind::Serial };
            let (step, annotations) = (step.take(), std::mem::take(&mut annotations));
            let node = For { var, min, extent, step, kind, annotations, body };
            body = vec![Stmt { span, kind: StmtKind::For(Box::new(node)) }];
        }
        self.out.append(&mut body);
        Ok(())
    }

    #[inline(never)]
    fn if_stmt(
        &mut self,
        span: Span,
        arms: &[(NodeId, Vec<StmtNode<'s>>)],
        otherwise: &[StmtNode<'s>],
    ) -> Res<()> {
        let mut lowered = Vec::with_capacity(arms.len());
        let mut rest = None;
        for (cond, body) in arms {
            let value = self.eval(*cond)?;
            if let Value::Bool(taken) = value {
                // A condition known to Python is decided while parsing.
                if !taken {
                    continue;
                }
                rest = Some(self.block(body)?);
                break;
            }
            let e = self.to_expr(*cond, value)?;
            if e.dtype != DType::BOOL {
                return self
                    .err(*cond, format!("expected a `bool` condition, found a value of type `{}`", e.dtype));
            }
            self.enter(span)?;
            lowered.push((e, self.block(body)?));
        }
        let mut block = match rest {
            Some(block) => block,
            None => self.block(otherwise)?,
        };
        self.depth -= lowered.len();
        while let Some((cond, then)) = lowered.pop() {
            let kind = StmtKind::If { cond, then, otherwise: block };
            block = vec![Stmt { span, kind }];
        }
        self.out.append(&mut block);
        Ok(())
    }

    #[inline(never)]
    fn with_stmt(
        &mut self,
        span: Span,
        items: &[(NodeId, Option<NodeId>)],
        body: &[StmtNode<'s>],
    ) -> Res<()> {
        let mark = self.mark();
        let outer = std::mem::take(&mut self.out);
        let open = std::mem::take(&mut self.open);
        let mut blocks = 0;
        let mut inits = 0;
        for &(context, name) in items {
            let target = match name {
                None => None,
                Some(id) => match self.name_of(id) {
                    Some(name) => Some(name),
                    None => return self.err(id, "expected a name after `as`"),
                },
            };
            self.stmt_span = span;
            match self.eval(context)? {
                Value::Frame(frame) => match *frame {
                    Frame::SBlock(name) => {
                        if items.len() != 1 {
                            return self.err(context, "a block stands alone in its `with`");
                        }
                        self.blocks.push(SBlock::new(name));
                        blocks += 1;
                    }
                    Frame::Init => {
                        if self.blocks.is_empty() || items.len() != 1 {
                            return self.err(context, "`T.init` stands directly inside of a block");
                        }
                        inits += 1;
                    }
                    Frame::For { .. } => {
                        return self.err(context, "expected `for` before a loop, found `with`");
                    }
                    frame => self.open_frame(context, frame, target)?,
                },
                Value::Launched(var, launch) => {
                    if let Some(name) = target {
                        self.define(name, Entity::Var(var));
                    }
                    self.open_launched(var, launch.0, launch.1)?;
                }
                Value::NewPointer(buffer) => {
                    if let Some(name) = target {
                        self.func.buffers[buffer.index()].name = name.into();
                        self.define(name, Entity::Pointer(buffer));
                    }
                }
                Value::NewBuffer(buffer) => {
                    if let Some(name) = target {
                        self.func.buffers[buffer.index()].name = name.into();
                        self.define(name, Entity::Buffer(buffer));
                    }
                }
                other => return self.expected(context, "a construct with a body", &other),
            }
        }
        let mut inner = self.block(body)?;
        self.out.append(&mut inner);
        self.close_frames();
        self.open = open;
        self.leave(mark);
        let mut inner = std::mem::replace(&mut self.out, outer);
        if inits > 0 {
            if let Some(block) = self.blocks.last_mut() {
                block.init = Some(inner);
            }
            return Ok(());
        }
        if blocks > 0 {
            if let Some(mut block) = self.blocks.pop() {
                block.body = inner;
                self.out.push(Stmt { span, kind: StmtKind::SBlock(Box::new(block)) });
            }
            return Ok(());
        }
        self.out.append(&mut inner);
        Ok(())
    }

    /// `assert cond, "message"` or `assert cond, ("Kind", ["part", …])`
    #[inline(never)]
    fn assert(&mut self, cond: NodeId, message: Option<NodeId>) -> Res<()> {
        let condition = self.condition(cond)?;
        let Some(message) = message else {
            return self.err(cond, "expected a message after the condition of `assert`");
        };
        let value = self.attr_value(message)?;
        let part = |v: &AttrValue| match v {
            AttrValue::Str(s) => Some(s.clone()),
            _ => None,
        };
        let parts = |v: &AttrValue| match v {
            AttrValue::Str(s) => Some(vec![s.clone()]),
            AttrValue::List(items) => items.iter().map(part).collect(),
            _ => None,
        };
        let tuple = matches!(self.ast[message].kind, NodeKind::Tuple(_));
        let (kind, message_parts) = match &value {
            AttrValue::List(items) if tuple => match &items[..] {
                [AttrValue::Str(kind), rest] => (kind.clone(), parts(rest)),
                _ => return self.err(message, "expected (\"Kind\", [\"part\", …])"),
            },
            other => ("RuntimeError".into(), parts(other)),
        };
        let Some(parts) = message_parts else {
            return self.err(message, "expected a string or a list of strings as message");
        };
        self.emit(StmtKind::Assert { cond: condition, kind, message: parts });
        Ok(())
    }
}
