//! Values of attributes and annotations: any literal.

use std::sync::Arc;

use hashbrown::HashSet;

use super::state::{Lower, Res};
use super::value::Value;
use crate::ir::{AttrValue, Type};
use crate::script::syntax::ast::{NodeId, NodeKind, NodeList};

impl Lower<'_> {
    /// Evaluates an attribute's value. Calls such as `T.target({…})` are kept as calls.
    pub(super) fn attr_value(&mut self, id: NodeId) -> Res<AttrValue> {
        self.enter(self.span(id))?;
        let value = match self.ast[id].kind {
            NodeKind::List(items) | NodeKind::Tuple(items) => self.attr_list(items).map(AttrValue::List),
            NodeKind::Dict(items) => self.attr_dict(items).map(AttrValue::Dict),
            NodeKind::Call { .. } => self.attr_call(id),
            _ => {
                let value = self.eval(id)?;
                self.to_attr(id, value)
            }
        };
        self.depth -= 1;
        value
    }

    fn attr_list(&mut self, items: NodeList) -> Res<Vec<AttrValue>> {
        (0..items.len()).map(|i| self.attr_value(self.ast.item(items, i))).collect()
    }

    fn attr_dict(&mut self, items: NodeList) -> Res<Vec<(Arc<str>, AttrValue)>> {
        let mut pairs = Vec::with_capacity(items.len() / 2);
        let mut seen = HashSet::new();
        for i in (0..items.len()).step_by(2) {
            let key = self.string(self.ast.item(items, i))?;
            if !seen.insert(key.clone()) {
                return self.err(self.ast.item(items, i), format!("key \"{key}\" is given twice"));
            }
            pairs.push((key, self.attr_value(self.ast.item(items, i + 1))?));
        }
        Ok(pairs)
    }

    fn attr_call(&mut self, id: NodeId) -> Res<AttrValue> {
        if let Some(args) = self.as_call(id)
            && let Some(path) = self.tir_path(args.callee)
            && path == "target"
        {
            let positional = args.positional(&self.ast);
            let values: Res<Vec<AttrValue>> = positional.into_iter().map(|a| self.attr_value(a)).collect();
            let mut named = Vec::new();
            for (name, value) in args.keywords(&self.ast) {
                named.push((name.into(), self.attr_value(value)?));
            }
            return Ok(AttrValue::Call(path.into(), values?, named));
        }
        let value = self.eval(id)?;
        self.to_attr(id, value)
    }

    /// A dictionary of attributes, the argument of `T.func_attr` and the like.
    pub(super) fn attributes(&mut self, id: NodeId) -> Res<Vec<(Arc<str>, AttrValue)>> {
        match self.attr_value(id)? {
            AttrValue::Dict(pairs) => Ok(pairs),
            AttrValue::None => Ok(Vec::new()),
            _ => self.err(id, "expected a dictionary"),
        }
    }

    /// An attribute's value from an evaluated one.
    pub(super) fn to_attr(&self, id: NodeId, value: Value) -> Res<AttrValue> {
        Ok(match value {
            Value::None => AttrValue::None,
            Value::Bool(v) => AttrValue::Bool(v),
            Value::Int(v) => match i64::try_from(v) {
                Ok(v) => AttrValue::Int(v),
                Err(_) => return self.err(id, "this integer does not fit in 64 bits"),
            },
            Value::Float(v) => AttrValue::Float(v.to_bits()),
            Value::Str(s) => AttrValue::Str(s),
            Value::List(items) | Value::Tuple(items) => {
                let items: Res<Vec<AttrValue>> = items.into_iter().map(|v| self.to_attr(id, v)).collect();
                AttrValue::List(items?)
            }
            Value::Dict(pairs) => {
                let mut out = Vec::with_capacity(pairs.len());
                for (key, value) in pairs {
                    let Value::Str(key) = key else { return self.expected(id, "a string as key", &key) };
                    out.push((key, self.to_attr(id, value)?));
                }
                AttrValue::Dict(out)
            }
            Value::Attr(value) => *value,
            Value::Type(Type::Prim(dtype)) => AttrValue::Type(dtype),
            other => AttrValue::Expr(Box::new(self.to_arg(id, other)?)),
        })
    }
}
