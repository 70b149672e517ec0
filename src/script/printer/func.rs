//! Heads and bodies of functions.

use std::fmt::Write;
use std::sync::Arc;

use super::buffer::Dims;
use super::literal;
use super::signature::Signature;
use super::state::Printer;
use crate::ir::{AttrValue, BufferId, BufferRegion, Param, SBlock, Stmt, StmtKind};

impl Printer<'_> {
    /// A whole function.
    pub(super) fn function(&mut self, signature: &Signature) {
        let func = self.func;
        self.decorator();
        for (name, var) in &signature.type_vars {
            self.names.name_var(*var, name.clone());
            self.bound.insert(*var);
        }
        // Scalars first: a buffer before them may name them in its shape.
        for param in &func.params {
            if let Param::Var(var) = param {
                self.names.define_var(func, *var);
            }
        }
        self.define_dimensions();
        let mut declarations = Vec::new();
        let mut head = format!("def {}(", self.function_name());
        for (i, param) in func.params.iter().enumerate() {
            if i > 0 {
                head.push_str(", ");
            }
            match param {
                Param::Var(var) => {
                    self.var(*var);
                    self.line.push_str(": ");
                    if let Some(info) = func.vars.get(var.index()) {
                        literal::annotation(&mut self.line, &info.ty);
                    }
                    self.bound.insert(*var);
                }
                Param::Buffer(id) => {
                    self.names.define_buffer(func, *id);
                    self.buffer_name(*id);
                    self.line.push_str(": T.Buffer(");
                    let new = self.new_dimensions(*id, signature);
                    self.buffer_args(*id, Dims::Defining, true, "global");
                    self.line.push(')');
                    declarations.extend(new);
                }
            }
            head.push_str(&std::mem::take(&mut self.line));
        }
        head.push(')');
        if let Some(ret) = &func.ret {
            head.push_str(" -> ");
            literal::annotation(&mut head, ret);
        }
        head.push(':');
        self.write_line(&head);
        self.indent += 1;
        declarations.append(&mut self.pending);
        for declaration in declarations {
            self.write_line(&declaration);
        }
        if !func.attrs.is_empty() {
            self.line.push_str("T.func_attr(");
            self.attr_value(&AttrValue::Dict(func.attrs.clone()));
            self.line.push(')');
            self.flush();
        }
        for &(handle, buffer) in &func.matches {
            let name = self.names.define_buffer(func, buffer);
            let _ = write!(self.line, "{name} = T.match_buffer(");
            self.var(handle);
            self.line.push_str(", ");
            self.buffer_args(buffer, Dims::Plain, false, "global");
            self.line.push(')');
            self.flush();
        }
        match &func.body[..] {
            [Stmt { kind: StmtKind::SBlock(root), .. }] if is_implicit_root(root) => {
                self.write_line("# with T.sblock(\"root\"):");
                self.block_buffers(root);
                self.block_body(&root.body);
            }
            body => self.block_body(body),
        }
        self.indent -= 1;
    }

    /// Names the dimensions that parameters' annotations define in quotes.
    fn define_dimensions(&mut self) {
        let func = self.func;
        for param in &func.params {
            let Param::Buffer(id) = param else { continue };
            let Some(buffer) = func.buffers.get(id.index()) else { continue };
            for e in &buffer.shape {
                e.walk(&mut |part| {
                    if let Some(var) = part.as_var()
                        && self.names.var(var).is_none()
                    {
                        self.names.define_var(func, var);
                    }
                });
            }
        }
    }

    /// `n, m = T.int32(), T.int32()`: the dimensions that a parameter's annotation is the first to name. TVM prints
    /// them again in the body.
    fn new_dimensions(&mut self, id: BufferId, signature: &Signature) -> Option<String> {
        let func = self.func;
        let buffer = func.buffers.get(id.index())?;
        let mut new = Vec::new();
        for e in &buffer.shape {
            let Some(var) = e.as_var() else { continue };
            let param = func.params.contains(&Param::Var(var));
            if !param && !self.bound.contains(&var) && !new.contains(&var) {
                new.push(var);
            }
        }
        if new.is_empty() || signature.type_vars.iter().any(|(_, var)| new.contains(var)) {
            return None;
        }
        let names: Vec<&str> =
            new.iter().filter_map(|var| self.names.var(*var)).map(|name| &**name).collect();
        let types: Vec<String> = new.iter().map(|var| format!("T.{}()", func.var(*var).ty.dtype())).collect();
        Some(format!("{} = {}", names.join(", "), types.join(", ")))
    }

    fn decorator(&mut self) {
        self.line.push_str("@T.prim_func");
        let func = self.func;
        let mut first = true;
        for (key, value) in &func.decorator {
            self.line.push_str(if std::mem::take(&mut first) { "(" } else { ", " });
            let _ = write!(self.line, "{key}=");
            self.attr_value(value);
        }
        self.line.push_str(if first { "" } else { ")" });
        self.flush();
    }

    /// The function's name; other functions call it by that, so it is kept if it is an identifier at all.
    fn function_name(&self) -> Arc<str> {
        if self.func.name.is_empty() { "main".into() } else { self.func.name.clone() }
    }
}

/// Whether TVM prints the block as the function's implicit root: nothing to say but its buffers.
fn is_implicit_root(block: &SBlock) -> bool {
    let empty = |regions: &Option<Vec<BufferRegion>>| regions.as_ref().is_some_and(Vec::is_empty);
    let plain = block.axes.is_empty()
        && block.predicate.is_none()
        && empty(&block.reads)
        && empty(&block.writes)
        && block.attrs.is_empty()
        && block.match_buffers.is_empty()
        && block.init.is_none();
    plain && &*block.name == "root" && !block.alloc_buffers.is_empty()
}
