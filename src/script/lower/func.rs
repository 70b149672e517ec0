//! Functions: decorators, parameters, and the implicit root block.

use super::depth;
use super::state::{Lower, Res};
use super::value::{Entity, Value};
use crate::ir::{MAX_DEPTH, Param, PrimFunc, SBlock, Stmt, StmtKind, Type};
use crate::script::syntax::ast::{FunctionNode, NodeKind, ParamNode};
use crate::script::syntax::error;

impl<'s> Lower<'s> {
    /// Lowers one function.
    pub(super) fn function(&mut self, node: &FunctionNode<'s>) -> Res<PrimFunc> {
        self.func = PrimFunc::new("main");
        self.func.name = node.name.into();
        self.s_tir = false;
        self.dimensions.clear();
        self.loop_ranges.clear();
        self.param_types.clear();
        self.decorators(node)?;
        let mark = self.mark();
        self.collect_param_types(node)?;
        for param in &node.params {
            self.param(param)?;
        }
        if let Some(returns) = node.returns {
            self.func.ret = match self.ast[returns].kind {
                NodeKind::None => None,
                _ => Some(self.type_annotation(returns)?),
            };
        }
        let mut body = self.open_block(&node.body)?;
        self.leave(mark);
        if !self.root_buffers.is_empty() {
            let mut root = SBlock::new("root");
            root.reads = Some(Vec::new());
            root.writes = Some(Vec::new());
            root.alloc_buffers = std::mem::take(&mut self.root_buffers);
            root.body = body;
            body = vec![Stmt { span: node.name_span, kind: StmtKind::SBlock(Box::new(root)) }];
        }
        self.func.body = body;
        if self.ast.height() as usize > MAX_DEPTH / 8 {
            depth::check(&self.func, node.name_span)?;
        }
        Ok(std::mem::replace(&mut self.func, PrimFunc::new("main")))
    }

    /// `@T.prim_func(…)` and nothing else.
    fn decorators(&mut self, node: &FunctionNode<'s>) -> Res<()> {
        let [decorator] = node.decorators[..] else {
            let message = format!("expected `@T.prim_func` before function `{}`", node.name);
            return error(node.decorators.get(1).map_or(node.name_span, |d| self.span(*d)), message);
        };
        let call = self.as_call(decorator);
        let path = self.tir_path(call.map_or(decorator, |call| call.callee));
        if path.as_deref() != Some("prim_func") {
            return self.err(decorator, "expected `@T.prim_func`, found another decorator");
        }
        let Some(args) = call else { return Ok(()) };
        if let Some(&extra) = args.positional(&self.ast).first() {
            return self.err(extra, "expected a keyword argument of `T.prim_func`");
        }
        for (name, id) in args.keywords(&self.ast) {
            if !matches!(name, "private" | "s_tir" | "persistent" | "check_well_formed") {
                return self.err(id, format!("`T.prim_func` has no argument `{name}`"));
            }
            let value = self.attr_value(id)?;
            let crate::ir::AttrValue::Bool(on) = value else {
                return self.err(id, "expected `True` or `False`");
            };
            if name == "s_tir" {
                self.s_tir = on;
            }
            // What is off is as if not given; well-formedness is always checked.
            if on && name != "check_well_formed" {
                self.func.decorator.push((name.into(), value));
            }
        }
        Ok(())
    }

    /// The types of scalar parameters, for dimensions that name them earlier.
    fn collect_param_types(&mut self, node: &FunctionNode<'s>) -> Res<()> {
        for param in &node.params {
            if let Some(annotation) = param.annotation
                && let Some(path) = self.tir_path(annotation)
                && let Some(dtype) = super::expr::dtype_name(&path)
            {
                self.param_types.insert(param.name, dtype);
            }
        }
        Ok(())
    }

    fn param(&mut self, param: &ParamNode<'s>) -> Res<()> {
        let Some(annotation) = param.annotation else {
            return error(param.span, format!("expected a type for parameter `{}`", param.name));
        };
        let buffer_call = self
            .as_call(annotation)
            .or_else(|| self.as_subscript(annotation))
            .filter(|call| matches!(self.tir_path(call.callee).as_deref(), Some("Buffer" | "buffer_decl")));
        if let Some(call) = buffer_call {
            let buffer = self.buffer_annotation(call)?;
            self.func.buffers[buffer.index()].name = param.name.into();
            self.func.params.push(Param::Buffer(buffer));
            self.define_param(param, Entity::Buffer(buffer))?;
            return Ok(());
        }
        let ty = match self.eval(annotation)? {
            Value::Type(ty) => ty,
            Value::Path(p) if &*p == "handle" => Type::Prim(crate::ir::DType::HANDLE),
            other => return self.expected(annotation, "a type such as `T.int32` or `T.Buffer(…)`", &other),
        };
        // A dimension that an earlier buffer named is this parameter.
        if let Some(&Entity::Var(var)) = self.lookup(param.name)
            && self.dimensions.remove(&var)
        {
            if self.func.var(var).ty != ty {
                let (old, new) = (self.func.var(var).ty.dtype(), ty.dtype());
                let message = format!("dimension `{}` has type `{old}`, found `{new}`", param.name);
                return self.err(annotation, message);
            }
            self.func.params.push(Param::Var(var));
            return Ok(());
        }
        let var = self.new_var(param.name, ty);
        self.func.params.push(Param::Var(var));
        self.define_param(param, Entity::Var(var))
    }

    fn define_param(&mut self, param: &ParamNode<'s>, entity: Entity) -> Res<()> {
        let taken = match self.lookup(param.name) {
            Some(Entity::Var(_) | Entity::Buffer(_)) => true,
            Some(
                Entity::TypeVar
                | Entity::Global
                | Entity::Module
                | Entity::Scalar(_)
                | Entity::Pointer(_)
                | Entity::EnvThread(_)
                | Entity::Reducer(_),
            )
            | None => false,
        };
        if taken {
            return error(param.span, format!("`{}` is defined twice", param.name));
        }
        self.define(param.name, entity);
        Ok(())
    }
}
