//! Modules: the class, its functions, and what stands around it.

use std::sync::Arc;

use super::state::{Lower, Res};
use super::value::Entity;
use crate::diag::Span;
use crate::ir::{BufferId, DType, Expr, Module, PrimFunc, Type, VarId};
use crate::script::syntax::ast::{Ast, FunctionNode, NodeId, NodeKind, StmtNode, StmtNodeKind};
use crate::script::syntax::{SpannedError, error};

/// Lowers a file: a class of functions, or functions alone. An error comes with the place where the statement with it
/// begins.
pub(crate) fn lower_module<'s>(
    text: &'s str,
    ast: Ast<'s>,
    stmts: &[StmtNode<'s>],
) -> Result<Module, (SpannedError, u32)> {
    let mut lower = Lower::new(text, ast);
    module(&mut lower, stmts).map_err(|error| (error, lower.start))
}

fn module<'s>(lower: &mut Lower<'s>, stmts: &[StmtNode<'s>]) -> Res<Module> {
    let mut name: Option<Arc<str>> = None;
    let mut attrs = Vec::new();
    let mut functions: Vec<&FunctionNode<'s>> = Vec::new();
    let mut class: Option<&[StmtNode<'s>]> = None;
    for stmt in stmts {
        lower.start = stmt.span.start;
        match &stmt.kind {
            StmtNodeKind::Import => {}
            StmtNodeKind::Expr(id) if matches!(lower.ast[*id].kind, NodeKind::Str(_)) => {}
            StmtNodeKind::Assign { target, value } => lower.type_var(stmt, *target, *value)?,
            StmtNodeKind::Function(f) if class.is_none() => functions.push(f),
            StmtNodeKind::Class { name: class_name, body } if class.is_none() && functions.is_empty() => {
                lower.define(class_name, Entity::Module);
                name = Some((*class_name).into());
                class = Some(body);
            }
            StmtNodeKind::Function(_) | StmtNodeKind::Class { .. } => {
                return error(stmt.span, "expected one class, or functions alone");
            }
            _ => return error(stmt.span, "expected a class or function, found another statement"),
        }
    }
    lower.define("cls", Entity::Module);
    for stmt in class.unwrap_or_default() {
        lower.start = stmt.span.start;
        match &stmt.kind {
            StmtNodeKind::Function(f) => functions.push(f),
            StmtNodeKind::Pass => {}
            StmtNodeKind::Expr(id) => match lower.ast[*id].kind {
                NodeKind::Str(_) => {}
                NodeKind::Call { callee, args, .. } => {
                    let module_attrs = matches!(lower.ast[callee].kind, NodeKind::Attr(root, "module_attrs")
                        if lower.name_of(root) == Some("I"));
                    if !module_attrs || args.len() != 1 {
                        return error(stmt.span, "expected a function or `I.module_attrs({…})`");
                    }
                    attrs.extend(lower.attributes(lower.ast.item(args, 0))?);
                }
                _ => return error(stmt.span, "expected a function or `I.module_attrs({…})`"),
            },
            _ => return error(stmt.span, "expected a function or `I.module_attrs({…})`"),
        }
    }
    if functions.is_empty() && class.is_none() {
        return error(Span { start: 0, end: 0 }, "expected a module or a function, found nothing");
    }
    for f in &functions {
        lower.start = head_of(lower, f);
        if lower.globals.contains_key(f.name) {
            return error(f.name_span, format!("function `{}` is defined twice", f.name));
        }
        let result = match f.returns {
            Some(id) => lower.result_type(id),
            None => None,
        };
        lower.globals.insert(f.name, (f.params.len(), result));
        if class.is_none() {
            lower.define(f.name, Entity::Global);
        }
    }
    let mut funcs = Vec::with_capacity(functions.len());
    for f in functions {
        lower.start = head_of(lower, f);
        funcs.push(lower.function(f)?);
    }
    Ok(Module { name: name.unwrap_or_else(|| "Module".into()), attrs, funcs })
}

/// Where a function begins: with its first decorator.
fn head_of(lower: &Lower<'_>, f: &FunctionNode<'_>) -> u32 {
    f.decorators.first().map_or(f.name_span, |&decorator| lower.span(decorator)).start
}

/// Lowers one expression over the variables and buffers of a function.
pub(crate) fn lower_expr<'s>(text: &'s str, ast: Ast<'s>, node: NodeId, env: &mut PrimFunc) -> Res<Expr> {
    within(text, ast, env, |lower| lower.expr(node))
}

/// Lowers `lambda i, j: body` over the variables and buffers of a function, which gets the parameters as new variables of
/// type `dtype`: the parameters, and the items of the body if it is a list or a tuple, else the body.
pub(crate) fn lower_lambda<'s>(
    text: &'s str,
    ast: Ast<'s>,
    node: NodeId,
    dtype: DType,
    env: &mut PrimFunc,
) -> Res<(Vec<VarId>, Vec<Expr>)> {
    within(text, ast, env, |lower| {
        let NodeKind::Lambda(first, count, body) = lower.ast[node].kind else {
            return lower.err(node, "expected a lambda");
        };
        let names = lower.ast.names[first as usize..][..count as usize].to_vec();
        let mut params = Vec::with_capacity(names.len());
        for name in names {
            let var = lower.func.new_var(name, Type::Prim(dtype));
            lower.define(name, Entity::Var(var));
            params.push(var);
        }
        let items = match lower.ast[body].kind {
            NodeKind::Tuple(items) | NodeKind::List(items) => lower.ast.list(items).to_vec(),
            _ => vec![body],
        };
        let items: Res<Vec<Expr>> = items.into_iter().map(|item| lower.expr(item)).collect();
        Ok((params, items?))
    })
}

/// Runs `lower` where the names are those of a function's variables and buffers.
fn within<'s, T>(
    text: &'s str,
    ast: Ast<'s>,
    env: &mut PrimFunc,
    lower_node: impl FnOnce(&mut Lower<'s>) -> Res<T>,
) -> Res<T> {
    let mut lower = Lower::new(text, ast);
    lower.declares_lets = true;
    lower.func = std::mem::replace(env, PrimFunc::new("main"));
    for index in 0..lower.func.vars.len() {
        let name = lower.func.vars[index].name.clone();
        lower.known.insert(name, Entity::Var(VarId(index as u32)));
    }
    for index in 0..lower.func.buffers.len() {
        let name = lower.func.buffers[index].name.clone();
        lower.known.insert(name, Entity::Buffer(BufferId(index as u32)));
    }
    let result = lower_node(&mut lower);
    *env = std::mem::replace(&mut lower.func, PrimFunc::new("main"));
    result
}

impl<'s> Lower<'s> {
    /// `n = TypeVar("n")`
    fn type_var(&mut self, stmt: &StmtNode<'s>, target: NodeId, value: NodeId) -> Res<()> {
        let is_type_var = match self.ast[value].kind {
            NodeKind::Call { callee, .. } => matches!(self.ast[callee].kind, NodeKind::Name("TypeVar")),
            _ => false,
        };
        match self.name_of(target) {
            Some(name) if is_type_var => {
                self.define(name, Entity::TypeVar);
                Ok(())
            }
            _ => error(stmt.span, "expected `name = TypeVar(\"name\")`, a class or a function"),
        }
    }

    /// The type of a function's result, as far as its annotation shows it at once.
    fn result_type(&self, id: NodeId) -> Option<Type> {
        let path =
            self.tir_path(id).or_else(|| self.as_call(id).and_then(|call| self.tir_path(call.callee)))?;
        if path == "handle" {
            return Some(Type::Prim(DType::HANDLE));
        }
        super::expr::dtype_name(&path).map(Type::Prim)
    }
}
