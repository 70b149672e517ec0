//! Statements.

use std::fmt::Write;
use std::sync::Arc;

use hashbrown::HashSet;

use super::buffer::Dims;
use super::literal;
use super::state::Printer;
use crate::ir::{
    AttrNode, AttrValue, BufferId, DType, Expr, ExprKind, For, ForKind, Kind, Origin, Stmt, StmtKind, Type,
    VarId,
};

impl Printer<'_> {
    /// The statements of a construct, one level deeper, in a scope of their own.
    pub(super) fn nested(&mut self, body: &[Stmt]) {
        self.indent += 1;
        let mark = self.names.mark();
        self.block_body(body);
        self.names.leave(mark);
        self.indent -= 1;
    }

    /// The statements of a block, at the current level.
    pub(super) fn block_body(&mut self, body: &[Stmt]) {
        if body.is_empty() {
            self.write_line("pass");
        }
        let mut i = 0;
        while i < body.len() {
            // A scalar and its first value are one line.
            if let (StmtKind::Alloc { buffer, annotations }, Some(next)) = (&body[i].kind, body.get(i + 1))
                && annotations.is_empty()
                && self.is_plain_scalar(*buffer)
                && let StmtKind::Store { buffer: stored, indices, value } = &next.kind
                && stored == buffer
                && matches!(&indices[..], [index] if index.as_int() == Some(0))
                && !reads(value, *buffer)
            {
                self.scalar(*buffer, Some(value));
                i += 2;
                continue;
            }
            self.stmt(&body[i], body.len() == 1);
            i += 1;
        }
    }

    /// One statement; `alone` if it is all of its block.
    fn stmt(&mut self, stmt: &Stmt, alone: bool) {
        match &stmt.kind {
            StmtKind::Bind { var, value } => self.bind(*var, value),
            StmtKind::Store { buffer, indices, value } => self.store(*buffer, indices, value),
            StmtKind::Evaluate(e) => self.evaluate(e),
            StmtKind::For(node) => self.for_stmt(node),
            StmtKind::While { cond, body } => {
                self.line.push_str("while ");
                self.expr(cond);
                self.line.push(':');
                self.flush();
                self.nested(body);
            }
            StmtKind::If { cond, then, otherwise } => {
                self.line.push_str("if ");
                self.expr(cond);
                self.line.push(':');
                self.flush();
                self.nested(then);
                if !otherwise.is_empty() {
                    self.write_line("else:");
                    self.nested(otherwise);
                }
            }
            StmtKind::Assert { cond, kind, message } => self.assert(cond, kind, message),
            StmtKind::Attr { .. } => self.attr(stmt, alone),
            StmtKind::LaunchThread { var, tag, extent, body } => {
                self.launch(*var, tag, extent, body, alone);
            }
            StmtKind::Alloc { buffer, annotations } => self.alloc(*buffer, annotations),
            StmtKind::Decl { buffer } => self.decl(*buffer),
            StmtKind::SBlock(block) => self.sblock(block),
            StmtKind::Break => self.write_line("T.break_loop()"),
            StmtKind::Continue => self.write_line("T.continue_loop()"),
            StmtKind::Return(value) => {
                self.line.push_str("return ");
                self.expr(value);
                self.flush();
            }
        }
    }

    fn bind(&mut self, var: VarId, value: &Expr) {
        let func = self.func;
        let mut annotation = String::new();
        if let Some(info) = func.vars.get(var.index())
            && has_spelling(info.ty.dtype())
        {
            annotation.push('[');
            literal::annotation(&mut annotation, &info.ty);
            annotation.push(']');
        }
        self.expr(value);
        let value = std::mem::take(&mut self.line);
        let name = self.names.define_var(func, var);
        let _ = write!(self.line, "{name}: T.let{annotation} = {value}");
        self.flush();
    }

    fn store(&mut self, buffer: BufferId, indices: &[Expr], value: &Expr) {
        self.buffer_name(buffer);
        if self.is_scalar(buffer) {
            if !matches!(indices, [index] if index.as_int() == Some(0)) {
                self.line.push_str(".buffer");
                self.store_indices(indices);
            }
        } else {
            self.store_indices(indices);
        }
        self.line.push_str(" = ");
        self.expr(value);
        self.flush();
    }

    fn evaluate(&mut self, e: &Expr) {
        // Shifts and bit operations are calls here only.
        let call = match &e.kind {
            ExprKind::Call(_) => !e.as_intrin().is_some_and(|(name, _)| {
                matches!(
                    name,
                    "shift_left"
                        | "shift_right"
                        | "bitwise_and"
                        | "bitwise_or"
                        | "bitwise_xor"
                        | "bitwise_not"
                )
            }),
            _ => false,
        };
        if call {
            self.expr(e);
        } else {
            self.line.push_str("T.evaluate(");
            self.expr(e);
            self.line.push(')');
        }
        self.flush();
    }

    fn assert(&mut self, cond: &Expr, kind: &str, message: &[Arc<str>]) {
        self.line.push_str("assert ");
        self.expr(cond);
        self.line.push_str(", (");
        literal::string(&mut self.line, kind);
        self.line.push_str(", [");
        for (i, part) in message.iter().enumerate() {
            self.line.push_str(if i > 0 { ", " } else { "" });
            literal::string(&mut self.line, part);
        }
        self.line.push_str("])");
        self.flush();
    }

    fn for_stmt(&mut self, outer: &For) {
        let func = self.func;
        let mut nest = vec![outer];
        let mut vars: HashSet<VarId> = HashSet::new();
        while let Some(inner) = next_of_grid(nest[nest.len() - 1], &mut vars) {
            nest.push(inner);
        }
        let mark = self.names.mark();
        let body = &nest[nest.len() - 1].body;
        if nest.len() > 1 {
            let mut names = String::new();
            for (i, node) in nest.iter().enumerate() {
                self.line.push_str(if i > 0 { ", " } else { "" });
                self.expr(&node.extent);
            }
            let extents = std::mem::take(&mut self.line);
            for (i, node) in nest.iter().enumerate() {
                names.push_str(if i > 0 { ", " } else { "" });
                names.push_str(&self.names.define_var(func, node.var));
            }
            let _ = write!(self.line, "for {names} in T.grid({extents}):");
        } else {
            self.loop_head(outer);
        }
        self.flush();
        for node in &nest {
            self.loop_ranges.insert(node.var, (node.min.clone(), node.extent.clone()));
        }
        self.nested(body);
        self.names.leave(mark);
    }

    /// `for i in range(…):`
    fn loop_head(&mut self, node: &For) {
        let serial = node.kind == ForKind::Serial;
        let (annotations, unroll) = match &node.annotations[..] {
            [] => (false, None),
            [(key, AttrValue::Bool(true))] if serial && &**key == "disable_unroll" => {
                (false, Some(AttrValue::Bool(false)))
            }
            [(key, value @ (AttrValue::Bool(true) | AttrValue::Int(_)))]
                if serial && &**key == "pragma_unroll" =>
            {
                (false, Some(value.clone()))
            }
            _ => (true, None),
        };
        let range = serial && node.annotations.is_empty();
        if node.min.as_int() == Some(0) && node.step.is_none() {
            self.expr(&node.extent);
        } else {
            self.expr(&node.min);
            self.line.push_str(", ");
            self.sum(&node.min, &node.extent);
        }
        if let ForKind::ThreadBinding(tag) = &node.kind {
            self.line.push_str(", thread=");
            literal::string(&mut self.line, tag);
        }
        if let Some(unroll) = unroll {
            self.line.push_str(", unroll=");
            self.attr_value(&unroll);
        }
        if annotations {
            self.line.push_str(", annotations=");
            self.attr_value(&AttrValue::Dict(node.annotations.clone()));
        }
        if let Some(step) = &node.step {
            self.line.push_str(if range { ", " } else { ", step=" });
            self.expr(step);
        }
        let args = std::mem::take(&mut self.line);
        let kind = match node.kind {
            ForKind::Serial if range => "range",
            ForKind::Serial => "T.serial",
            ForKind::Parallel => "T.parallel",
            ForKind::Vectorized => "T.vectorized",
            ForKind::Unrolled => "T.unroll",
            ForKind::ThreadBinding(_) => "T.thread_binding",
        };
        let func = self.func;
        let name = self.names.define_var(func, node.var);
        let _ = write!(self.line, "for {name} in {kind}({args}):");
    }

    /// Attributes; neighbours without a node are written together.
    fn attr(&mut self, stmt: &Stmt, alone: bool) {
        let StmtKind::Attr { node, key, value, body } = &stmt.kind else { return };
        let bare = |node: &AttrNode| *node == AttrNode::Value(AttrValue::Int(0));
        let mut inner = body;
        self.line.push_str("T.attr(");
        if bare(node) {
            self.line.push('{');
            literal::string(&mut self.line, key);
            self.line.push_str(": ");
            self.expr(value);
            while let [Stmt { kind: StmtKind::Attr { node, key, value, body }, .. }] = &inner[..]
                && bare(node)
            {
                self.line.push_str(", ");
                literal::string(&mut self.line, key);
                self.line.push_str(": ");
                self.expr(value);
                inner = body;
            }
            self.line.push('}');
        } else {
            self.attr_node(node);
            self.line.push_str(", ");
            literal::string(&mut self.line, key);
            self.line.push_str(", ");
            self.expr(value);
        }
        self.line.push(')');
        self.scope(None, inner, alone);
    }

    fn attr_node(&mut self, node: &AttrNode) {
        match node {
            AttrNode::Value(value) => self.attr_value(value),
            AttrNode::Var(var) => self.var(*var),
            AttrNode::Buffer(buffer) => self.buffer_ref(*buffer),
            AttrNode::CommReducer(reducer) => self.comm_reducer(reducer),
            AttrNode::IterVar { var, dom, kind, thread_tag } => {
                self.line.push_str("T.iter_var(");
                self.var(*var);
                self.line.push_str(", ");
                match dom {
                    Some((min, extent)) => {
                        self.line.push_str("T.Range(");
                        self.expr(min);
                        self.line.push_str(", ");
                        self.sum(min, extent);
                        self.line.push(')');
                    }
                    None => self.line.push_str("None"),
                }
                for text in [kind, thread_tag] {
                    self.line.push_str(", ");
                    literal::string(&mut self.line, text);
                }
                self.line.push(')');
            }
        }
    }

    fn launch(&mut self, var: VarId, tag: &str, extent: &Expr, body: &[Stmt], alone: bool) {
        self.line.push_str("T.launch_thread(");
        literal::string(&mut self.line, tag);
        self.line.push_str(", ");
        self.expr(extent);
        self.line.push(')');
        self.scope(Some(var), body, alone);
    }

    /// A construct whose head is in the line: the rest of the block if it stands alone, else `with`.
    fn scope(&mut self, var: Option<VarId>, body: &[Stmt], alone: bool) {
        let func = self.func;
        let head = std::mem::take(&mut self.line);
        let mark = self.names.mark();
        let name = var.map(|var| self.names.define_var(func, var));
        if alone {
            let _ = match name {
                Some(name) => write!(self.line, "{name} = {head}"),
                None => write!(self.line, "{head}"),
            };
            self.flush();
            self.block_body(body);
        } else {
            let _ = match name {
                Some(name) => write!(self.line, "with {head} as {name}:"),
                None => write!(self.line, "with {head}:"),
            };
            self.flush();
            self.nested(body);
            self.names.leave(mark);
        }
    }

    /// Whether the buffer is declared by a scalar's annotation alone.
    fn is_plain_scalar(&self, id: BufferId) -> bool {
        self.is_scalar(id) && self.func.buffers.get(id.index()).is_some_and(|b| &*b.scope == "local")
    }

    /// `x: T.int32 = value`
    fn scalar(&mut self, id: BufferId, value: Option<&Expr>) {
        let func = self.func;
        let dtype = func.buffers.get(id.index()).map_or(DType::I32, |b| b.dtype);
        let value = value.map(|e| {
            self.expr(e);
            std::mem::take(&mut self.line)
        });
        let name = self.names.define_buffer(func, id);
        let mut annotation = String::new();
        literal::annotation(&mut annotation, &Type::Prim(dtype));
        let _ = write!(self.line, "{name}: {annotation}");
        if let Some(value) = value {
            let _ = write!(self.line, " = {value}");
        }
        self.flush();
    }

    fn alloc(&mut self, id: BufferId, annotations: &[(Arc<str>, AttrValue)]) {
        let func = self.func;
        let Some(buffer) = func.buffers.get(id.index()) else { return };
        if self.is_plain_scalar(id) && annotations.is_empty() {
            return self.scalar(id, None);
        }
        let scalar = self.is_scalar(id) && self.s_tir && annotations.is_empty();
        let name = self.names.define_buffer(func, id);
        let _ = write!(self.line, "{name} = ");
        if scalar {
            let _ = write!(self.line, "T.alloc_scalar(\"{}\", ", buffer.dtype);
            literal::string(&mut self.line, &buffer.scope);
            self.line.push(')');
            return self.flush();
        }
        let (call, scope) = match &*buffer.scope {
            "local" => ("alloc_local", "local"),
            "shared" => ("alloc_shared", "shared"),
            _ => ("alloc_buffer", "global"),
        };
        let _ = write!(self.line, "T.{call}(");
        self.buffer_args(id, Dims::Plain, false, scope);
        if !annotations.is_empty() {
            self.line.push_str(", annotations=");
            self.attr_value(&AttrValue::Dict(annotations.to_vec()));
        }
        self.line.push(')');
        self.flush();
    }

    fn decl(&mut self, id: BufferId) {
        if self.func.buffers.get(id.index()).is_none() {
            return;
        }
        if !self.try_view(id) {
            self.line.push_str("T.decl_buffer(");
            let own = matches!(self.func.buffers[id.index()].origin, Origin::View(of) if of == id);
            if !own {
                self.buffer_args(id, Dims::Plain, false, "global");
            }
            self.line.push(')');
        }
        let call = std::mem::take(&mut self.line);
        let func = self.func;
        let name = self.names.define_buffer(func, id);
        let _ = write!(self.line, "{name} = {call}");
        self.flush();
    }
}

/// Whether an expression loads from a buffer.
fn reads(e: &Expr, buffer: BufferId) -> bool {
    let mut found = false;
    e.walk(&mut |part| {
        found |= match &part.kind {
            ExprKind::Load { buffer: loaded, .. } => *loaded == buffer,
            ExprKind::BufferRef(b) | ExprKind::BufferData(b) | ExprKind::Region(b, _) => *b == buffer,
            _ => false,
        };
    });
    found
}

/// The loop inside of `node`, if the two print as one `T.grid`: both are plain and independent.
fn next_of_grid<'s>(node: &'s For, vars: &mut HashSet<VarId>) -> Option<&'s For> {
    if !is_plain(node, vars) {
        return None;
    }
    vars.insert(node.var);
    match &node.body[..] {
        [Stmt { kind: StmtKind::For(inner), .. }] if is_plain(inner, vars) => Some(inner),
        _ => None,
    }
}

fn is_plain(node: &For, vars: &HashSet<VarId>) -> bool {
    let mut independent = true;
    node.extent.walk(&mut |part| {
        if let Some(var) = part.as_var() {
            independent &= !vars.contains(&var);
        }
    });
    independent
        && node.kind == ForKind::Serial
        && node.min.as_int() == Some(0)
        && node.annotations.is_empty()
        && node.step.is_none()
}

/// Whether TVM's parser knows `T.<dtype>` as a type. It prints others too, which it cannot read; without a type the
/// variable takes the value's.
fn has_spelling(dtype: DType) -> bool {
    match dtype.kind {
        _ if dtype.is_scalar() => true,
        Kind::Int | Kind::UInt | Kind::Float | Kind::Narrow(_) => matches!(dtype.lanes, 4 | 8 | 16 | 32 | 64),
        Kind::Bool | Kind::BFloat | Kind::Handle | Kind::Void => false,
    }
}
