//! Declarations of buffers.

use std::fmt::Write;

use super::literal;
use super::state::Printer;
use crate::ir::{AttrValue, Buffer, BufferId, DType, Expr, Origin};
use crate::script::lower::buffer::{elem_offset, index_dtype};

/// How dimensions are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dims {
    /// As expressions.
    Plain,
    /// As in a parameter's annotation: what defines a variable is a string.
    Defining,
}

impl Printer<'_> {
    /// Whether the buffer is a mutable scalar, whose name stands for its element.
    pub(super) fn is_scalar(&self, id: BufferId) -> bool {
        let Some(buffer) = self.func.buffers.get(id.index()) else { return false };
        let default_layout = match buffer.extra.iter().find(|(key, _)| &**key == "layout") {
            Some((_, AttrValue::Str(s))) => &**s == "default",
            Some(_) => false,
            None => !self.s_tir,
        };
        buffer.origin == Origin::Alloc
            && !self.root_buffers.contains(&id)
            && default_layout
            && matches!(&buffer.shape[..], [one] if one.as_int() == Some(1))
            && buffer.strides.is_empty()
            && buffer.elem_offset.is_none()
            && buffer.extra.iter().all(|(key, _)| &**key == "layout")
    }

    /// `(shape), "dtype", key=value…` of a buffer; `dtype` always, or only if it is not `float32`.
    pub(super) fn buffer_args(&mut self, id: BufferId, dims: Dims, always_dtype: bool, scope: &str) {
        let buffer = &self.func.buffers[id.index()];
        self.shape(&buffer.shape, dims);
        if always_dtype || buffer.dtype != DType::F32 {
            let _ = write!(self.line, ", \"{}\"", buffer.dtype);
        }
        match &buffer.origin {
            Origin::View(of) => {
                self.line.push_str(", data=");
                self.buffer_ref(*of);
                self.line.push_str(".data");
            }
            Origin::Pointer(pointer) => {
                self.line.push_str(", data=");
                self.expr(pointer);
            }
            Origin::Param | Origin::Match(_) | Origin::Alloc | Origin::Region(_) | Origin::Unbound => {}
        }
        self.strides(id, buffer);
        let own_offset = self.offset(id, buffer);
        if &*buffer.scope != scope {
            self.line.push_str(", scope=");
            literal::string(&mut self.line, &buffer.scope);
        }
        let factor = buffer.extra.iter().any(|(key, _)| &**key == "offset_factor");
        for key in ["align", "offset_factor", "layout", "allocated_addr"] {
            if key == "offset_factor" && own_offset && !factor {
                self.line.push_str(", offset_factor=1");
            }
            for (name, value) in &buffer.extra {
                let implied = key == "layout" && *value == AttrValue::Str("default".into());
                if &**name == key && !implied {
                    let _ = write!(self.line, ", {key}=");
                    self.attr_value(value);
                }
            }
        }
    }

    fn shape(&mut self, shape: &[Expr], dims: Dims) {
        self.line.push('(');
        for (i, e) in shape.iter().enumerate() {
            if i > 0 {
                self.line.push_str(", ");
            }
            let quoted = dims == Dims::Defining && self.is_quoted(e);
            self.line.push_str(if quoted { "\"" } else { "" });
            self.expr(e);
            self.line.push_str(if quoted { "\"" } else { "" });
            if dims == Dims::Defining {
                e.walk(&mut |part| {
                    if let Some(var) = part.as_var() {
                        self.bound.insert(var);
                    }
                });
            }
        }
        self.line.push_str(if shape.len() == 1 { ",)" } else { ")" });
    }

    /// Whether a dimension is a string: it names a variable for the first time, or computes with a `TypeVar`.
    fn is_quoted(&self, e: &Expr) -> bool {
        if e.as_var().is_some_and(|v| self.type_vars.contains(&v)) {
            return false;
        }
        let mut quoted = false;
        e.walk(&mut |part| {
            if let Some(var) = part.as_var() {
                quoted |= self.type_vars.contains(&var) || !self.bound.contains(&var);
            }
        });
        quoted
    }

    /// Strides; variables that only the buffer defines are strings and are then called `A.strides[i]`.
    fn strides(&mut self, id: BufferId, buffer: &Buffer) {
        if buffer.strides.is_empty() {
            return;
        }
        self.line.push_str(", strides=(");
        let count = buffer.strides.len();
        for (i, e) in buffer.strides.iter().enumerate() {
            if i > 0 {
                self.line.push_str(", ");
            }
            match e.as_var() {
                Some(var) if self.names.var(var).is_none() => {
                    let hint = self.func.vars.get(var.index()).map_or("s", |v| &*v.name);
                    literal::string(&mut self.line, hint);
                    if let Some(name) = self.names.buffer(id) {
                        let text = format!("{name}.strides[{i}]");
                        self.names.name_var(var, text.into());
                    }
                }
                _ => self.expr(e),
            }
        }
        self.line.push_str(if count == 1 { ",)" } else { ")" });
    }

    /// The offset; a variable that only the buffer defines is then called `A.elem_offset`.
    fn offset(&mut self, id: BufferId, buffer: &Buffer) -> bool {
        let Some(offset) = &buffer.elem_offset else { return false };
        if let Some(var) = offset.as_var()
            && self.names.var(var).is_none()
        {
            if let Some(name) = self.names.buffer(id) {
                let text = format!("{name}.elem_offset");
                self.names.name_var(var, text.into());
            }
            return true;
        }
        if offset.as_int() == Some(0) && offset.dtype == index_dtype(&buffer.shape) {
            return false;
        }
        self.line.push_str(", elem_offset=");
        self.expr(offset);
        false
    }

    /// `A.view(…)`, if the declared buffer is a view of another shape and nothing else. (Views of another type read
    /// back only where buffers have layouts; they print as declarations.)
    pub(super) fn try_view(&mut self, id: BufferId) -> bool {
        let buffer = &self.func.buffers[id.index()];
        let Origin::View(of) = buffer.origin else { return false };
        let Some(parent) = self.func.buffers.get(of.index()) else { return false };
        let same = elem_offset(buffer) == elem_offset(parent)
            && buffer.strides == parent.strides
            && buffer.scope == parent.scope
            && buffer.extra == parent.extra
            && !self.is_scalar(of);
        if !same || self.names.buffer(of).is_none() {
            return false;
        }
        if buffer.dtype == parent.dtype && buffer.shape != parent.shape && !buffer.shape.is_empty() {
            self.buffer_name(of);
            self.line.push_str(".view(");
            self.list(&buffer.shape);
            self.line.push(')');
            return true;
        }
        false
    }
}
