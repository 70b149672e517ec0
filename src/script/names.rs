//! The names that an expression uses, before anything says what they are.

use std::sync::Arc;

use super::syntax::ast::{Ast, NodeId, NodeKind, NodeList};

/// The names that stand for values in `node` and that nothing in it binds, in order of appearance, each once. What is
/// called, indexed or has a member taken is no value here: `T`, buffers.
pub(super) fn free_names(ast: &Ast<'_>, node: NodeId) -> Vec<Arc<str>> {
    let mut walk = Walk { ast, bound: Vec::new(), found: Vec::new() };
    walk.node(node);
    walk.found.into_iter().map(Into::into).collect()
}

struct Walk<'a, 's> {
    ast: &'a Ast<'s>,
    /// Names of lambdas and `T.Let` around.
    bound: Vec<&'s str>,
    found: Vec<&'s str>,
}

impl<'s> Walk<'_, 's> {
    fn node(&mut self, id: NodeId) {
        match self.ast[id].kind {
            NodeKind::Name(name) => {
                if !self.bound.contains(&name) && !self.found.contains(&name) {
                    self.found.push(name);
                }
            }
            NodeKind::Int(_)
            | NodeKind::Float(_)
            | NodeKind::Str(_)
            | NodeKind::Bool(_)
            | NodeKind::None
            | NodeKind::Starred => {}
            NodeKind::Attr(value, _) => self.owner(value),
            NodeKind::Subscript(value, items) => {
                self.owner(value);
                self.list(items);
            }
            NodeKind::Slice(start, stop, step) => {
                [start, stop, step].into_iter().flatten().for_each(|part| self.node(part));
            }
            NodeKind::Call { callee, args, .. } => {
                self.owner(callee);
                match self.ast[callee].kind {
                    NodeKind::Attr(_, "Let") => self.let_call(args),
                    _ => self.list(args),
                }
            }
            NodeKind::Unary(_, value) => self.node(value),
            NodeKind::Binary(_, a, b) => {
                self.node(a);
                self.node(b);
            }
            NodeKind::Conditional(cond, then, otherwise) => {
                // In the order of the text.
                [then, cond, otherwise].into_iter().for_each(|part| self.node(part));
            }
            NodeKind::Lambda(start, count, body) => {
                let outside = self.bound.len();
                self.bound.extend(&self.ast.names[start as usize..][..count as usize]);
                self.node(body);
                self.bound.truncate(outside);
            }
            NodeKind::Compare(items, _)
            | NodeKind::Tuple(items)
            | NodeKind::List(items)
            | NodeKind::Dict(items) => self.list(items),
        }
    }

    fn list(&mut self, items: NodeList) {
        for index in 0..items.len() {
            self.node(self.ast.item(items, index));
        }
    }

    /// What is called, indexed, or has a member taken: a name there is no value.
    fn owner(&mut self, id: NodeId) {
        if !matches!(self.ast[id].kind, NodeKind::Name(_)) {
            self.node(id);
        }
    }

    /// `T.Let(body, where={name: value})`: the names are bound in the body, not in the values.
    fn let_call(&mut self, args: NodeList) {
        let outside = self.bound.len();
        let (mut values, mut others) = (Vec::new(), Vec::new());
        for &arg in self.ast.list(args) {
            let NodeKind::Dict(items) = self.ast[arg].kind else {
                others.push(arg);
                continue;
            };
            for pair in self.ast.list(items).chunks(2) {
                match self.ast[pair[0]].kind {
                    NodeKind::Name(name) => self.bound.push(name),
                    _ => others.push(pair[0]),
                }
                values.extend(&pair[1..]);
            }
        }
        others.into_iter().for_each(|part| self.node(part));
        self.bound.truncate(outside);
        values.into_iter().for_each(|value| self.node(value));
    }
}
