//! Blocks with axes.

use std::fmt::Write;

use super::buffer::Dims;
use super::literal;
use super::state::Printer;
use crate::ir::{AttrValue, Axis, AxisKind, BufferRegion, SBlock};

impl Printer<'_> {
    /// `with T.sblock(name):` and its body.
    pub(super) fn sblock(&mut self, block: &SBlock) {
        self.line.push_str("with T.sblock(");
        literal::string(&mut self.line, &block.name);
        self.line.push_str("):");
        self.flush();
        self.indent += 1;
        let mark = self.names.mark();
        self.axes(&block.axes);
        if let Some(predicate) = &block.predicate {
            self.line.push_str("T.where(");
            self.expr(predicate);
            self.line.push(')');
            self.flush();
        }
        self.regions("reads", &block.reads);
        self.regions("writes", &block.writes);
        if !block.attrs.is_empty() {
            self.line.push_str("T.sblock_attr(");
            self.attr_value(&AttrValue::Dict(block.attrs.clone()));
            self.line.push(')');
            self.flush();
        }
        self.block_buffers(block);
        for (buffer, region) in &block.match_buffers {
            let func = self.func;
            self.names.define_buffer(func, *buffer);
            self.buffer_name(*buffer);
            self.line.push_str(" = T.match_buffer(");
            self.region(region.buffer, &region.ranges);
            self.line.push_str(", ");
            self.buffer_args(*buffer, Dims::Plain, false, "global");
            self.line.push(')');
            self.flush();
        }
        if let Some(init) = &block.init {
            self.line.push_str("with T.init():");
            self.flush();
            self.nested(init);
        }
        self.block_body(&block.body);
        self.names.leave(mark);
        self.indent -= 1;
    }

    /// The buffers that a block allocates.
    pub(super) fn block_buffers(&mut self, block: &SBlock) {
        let func = self.func;
        for &buffer in &block.alloc_buffers {
            self.root_buffers.insert(buffer);
            self.names.define_buffer(func, buffer);
            self.buffer_name(buffer);
            self.line.push_str(" = T.sblock_alloc_buffer(");
            self.buffer_args(buffer, Dims::Plain, false, "global");
            self.line.push(')');
            self.flush();
        }
    }

    fn regions(&mut self, name: &str, regions: &Option<Vec<BufferRegion>>) {
        let Some(regions) = regions else { return };
        let _ = write!(self.line, "T.{name}(");
        for (i, region) in regions.iter().enumerate() {
            self.line.push_str(if i > 0 { ", " } else { "" });
            self.region(region.buffer, &region.ranges);
        }
        self.line.push(')');
        self.flush();
    }

    /// Axes; neighbours that follow whole loops are written together.
    fn axes(&mut self, axes: &[Axis]) {
        let mut run = 0;
        for (i, axis) in axes.iter().enumerate() {
            if self.follows_loop(axis) {
                continue;
            }
            self.remap(&axes[run..i]);
            self.axis(axis);
            run = i + 1;
        }
        self.remap(&axes[run..]);
    }

    /// Whether the axis takes exactly the values of a loop around it.
    fn follows_loop(&self, axis: &Axis) -> bool {
        matches!(axis.kind, AxisKind::Spatial | AxisKind::Reduce)
            && axis
                .binding
                .as_var()
                .and_then(|var| self.loop_ranges.get(&var))
                .is_some_and(|(min, extent)| *min == axis.min && *extent == axis.extent)
    }

    fn remap(&mut self, axes: &[Axis]) {
        if let [single] = axes {
            return self.axis(single);
        }
        if axes.is_empty() {
            return;
        }
        let func = self.func;
        for (i, axis) in axes.iter().enumerate() {
            self.line.push_str(if i > 0 { ", " } else { "" });
            let name = self.names.define_var(func, axis.var);
            self.line.push_str(&name);
        }
        self.line.push_str(" = T.axis.remap(\"");
        for axis in axes {
            self.line.push(if axis.kind == AxisKind::Spatial { 'S' } else { 'R' });
        }
        self.line.push_str("\", [");
        for (i, axis) in axes.iter().enumerate() {
            self.line.push_str(if i > 0 { ", " } else { "" });
            self.expr(&axis.binding);
        }
        self.line.push_str("])");
        self.flush();
    }

    fn axis(&mut self, axis: &Axis) {
        let kind = match axis.kind {
            AxisKind::Spatial => "spatial",
            AxisKind::Reduce => "reduce",
            AxisKind::Scan => "scan",
            AxisKind::Opaque => "opaque",
        };
        let func = self.func;
        let name = self.names.define_var(func, axis.var);
        let _ = write!(self.line, "{name} = T.axis.{kind}(");
        if axis.min.as_int() == Some(0) {
            self.expr(&axis.extent);
        } else {
            self.line.push('(');
            self.expr(&axis.min);
            self.line.push_str(", ");
            self.sum(&axis.min, &axis.extent);
            self.line.push(')');
        }
        self.line.push_str(", ");
        self.expr(&axis.binding);
        self.line.push(')');
        self.flush();
    }
}
