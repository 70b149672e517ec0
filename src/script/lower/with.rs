//! Opens constructs that have a body, and closes those that a plain statement opened for the rest of its block.

use std::sync::Arc;

use super::frame::{Frame, OpenFrame, OpenKind};
use super::state::{Lower, Res};
use super::value::{Entity, Value};
use crate::ir::{AttrNode, AttrValue, Expr, Stmt, Type, VarId};
use crate::script::syntax::ast::NodeId;

impl<'s> Lower<'s> {
    /// Opens a construct for the rest of the block; `name` is the variable assigned.
    pub(super) fn open_frame(&mut self, id: NodeId, frame: Frame, name: Option<&'s str>) -> Res<()> {
        match frame {
            Frame::Launch { tag, extent } => {
                let var = self.thread_var(name.unwrap_or("v"), &extent);
                if let Some(name) = name {
                    self.define(name, Entity::Var(var));
                }
                self.push_open(OpenKind::Launch { var, tag, extent })
            }
            Frame::Attr(entries) => {
                for (node, key, value) in entries {
                    self.push_open(OpenKind::Attr { node, key, value })?;
                }
                Ok(())
            }
            Frame::SBlock(_) | Frame::Init | Frame::For { .. } => {
                self.err(id, format!("expected `with` or `for` before {}", frame.describe()))
            }
        }
    }

    /// The variable of a thread; threads are numbered in the type of their extent.
    pub(super) fn thread_var(&mut self, name: &str, extent: &Expr) -> VarId {
        self.new_var(name, Type::Prim(extent.dtype))
    }

    fn push_open(&mut self, kind: OpenKind) -> Res<()> {
        self.enter(self.stmt_span)?;
        let before = std::mem::take(&mut self.out);
        self.open.push(OpenFrame { kind, before, span: self.stmt_span });
        Ok(())
    }

    /// Ends what was opened for the rest of the block.
    pub(super) fn close_frames(&mut self) {
        while let Some(frame) = self.open.pop() {
            let body = std::mem::replace(&mut self.out, frame.before);
            self.out.push(Stmt { span: frame.span, kind: frame.kind.close(body) });
            self.depth -= 1;
        }
    }

    /// `T.attr(node, key, value)` or `T.attr({key: value, …})`.
    pub(super) fn attr_frame(&mut self, id: NodeId) -> Res<Value> {
        let Some(args) = self.as_call(id) else { return self.err(id, "expected a call") };
        let first = args.get(&self.ast, 0);
        let Some(first) = first.or_else(|| args.keyword(&self.ast, "node_or_dict")) else {
            return self.err(id, "`T.attr` takes a dictionary, or a node, a key and a value");
        };
        let node = self.eval(first)?;
        let rest = (args.arg(&self.ast, 1, "attr_key"), args.arg(&self.ast, 2, "value"));
        let mut entries = Vec::new();
        match (node, rest) {
            (Value::Dict(pairs), (None, None)) => {
                for (key, value) in pairs {
                    let Value::Str(key) = key else {
                        return self.expected(first, "a string as attribute key", &key);
                    };
                    let value = self.to_expr(first, value)?;
                    entries.push((AttrNode::Value(AttrValue::Int(0)), key, value));
                }
            }
            (node, (Some(key), Some(value))) => {
                let node = self.attr_node(first, node)?;
                let key = self.string(key)?;
                let value = self.eval(value).and_then(|v| self.to_arg(first, v))?;
                entries.push((node, key, value));
            }
            _ => return self.err(id, "`T.attr` takes a dictionary, or a node, a key and a value"),
        }
        Ok(Value::Frame(Box::new(Frame::Attr(entries))))
    }

    fn attr_node(&mut self, id: NodeId, value: Value) -> Res<AttrNode> {
        Ok(match value {
            Value::Buffer(buffer) | Value::Scalar(buffer) => AttrNode::Buffer(buffer),
            Value::Reducer(reducer) => AttrNode::CommReducer(*reducer),
            Value::IterVar(node) => *node,
            Value::Expr(e) => match e.as_var() {
                Some(var) => AttrNode::Var(var),
                None => AttrNode::Value(AttrValue::Expr(Box::new(e))),
            },
            other => AttrNode::Value(self.to_attr(id, other)?),
        })
    }

    /// `T.launch_thread(tag, extent)`.
    pub(super) fn launch_frame(&mut self, id: NodeId) -> Res<Value> {
        let Some(args) = self.as_call(id) else { return self.err(id, "expected a call") };
        let (thread, extent) = (args.arg(&self.ast, 0, "thread"), args.arg(&self.ast, 1, "extent"));
        let (Some(thread), Some(extent)) = (thread, extent) else {
            return self.err(id, "`T.launch_thread` takes a thread and an extent");
        };
        let tag = match self.eval(thread)? {
            Value::Str(tag) | Value::EnvThread(tag) => tag,
            other => return self.expected(thread, "a thread such as \"threadIdx.x\"", &other),
        };
        // The name of an environment thread is the variable from here on.
        let extent = self.integer(extent)?;
        if let Some(name) = self.name_of(thread)
            && matches!(self.lookup(name), Some(Entity::EnvThread(_)))
        {
            let var = self.thread_var(name, &extent);
            self.define(name, Entity::Var(var));
            return Ok(Value::Launched(var, Box::new((tag, extent))));
        }
        Ok(Value::Frame(Box::new(Frame::Launch { tag, extent })))
    }

    /// Opens the launch of an environment thread for the rest of the block.
    pub(super) fn open_launched(&mut self, var: VarId, tag: Arc<str>, extent: Expr) -> Res<()> {
        self.push_open(OpenKind::Launch { var, tag, extent })
    }
}
