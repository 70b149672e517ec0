//! What a function names, apart from where that is bound or allocated.

use hashbrown::HashSet;

use crate::analysis::lets;
use crate::ir::{AttrNode, BufferId, Expr, ExprKind, Origin, PrimFunc, StmtKind, VarId};

/// How a buffer is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// By a load or a store that is executed.
    Access,
    /// By another buffer that is a view of it.
    View,
    /// In any other way: as a pointer, in an attribute, in what a block declares, in a shape.
    Otherwise,
}

/// Calls `see` for each place that names a buffer.
pub(super) fn each_buffer(func: &PrimFunc, see: &mut impl FnMut(BufferId, How)) {
    for stmt in &func.body {
        stmt.walk(&mut |stmt| {
            stmt.for_each_expr(|e| in_expr(e, How::Access, see));
            match &stmt.kind {
                StmtKind::Store { buffer, .. } => see(*buffer, How::Access),
                StmtKind::Attr { node: AttrNode::Buffer(buffer), .. } => see(*buffer, How::Otherwise),
                StmtKind::SBlock(block) => {
                    let regions = block.reads.iter().chain(&block.writes).flatten();
                    for region in regions.chain(block.match_buffers.iter().map(|(_, region)| region)) {
                        see(region.buffer, How::Otherwise);
                        for (min, extent) in &region.ranges {
                            in_expr(min, How::Otherwise, see);
                            extent.iter().for_each(|e| in_expr(e, How::Otherwise, see));
                        }
                    }
                }
                _ => {}
            }
        });
    }
    for buffer in &func.buffers {
        match &buffer.origin {
            Origin::View(of) | Origin::Region(of) => see(*of, How::View),
            Origin::Pointer(pointer) => in_expr(pointer, How::Otherwise, see),
            _ => {}
        }
        let sizes = buffer.shape.iter().chain(&buffer.strides).chain(&buffer.elem_offset);
        sizes.for_each(|e| in_expr(e, How::Otherwise, see));
    }
}

fn in_expr(e: &Expr, load: How, see: &mut impl FnMut(BufferId, How)) {
    e.walk(&mut |e| match &e.kind {
        ExprKind::Load { buffer, .. } => see(*buffer, load),
        ExprKind::BufferData(buffer) | ExprKind::BufferRef(buffer) | ExprKind::Region(buffer, _) => {
            see(*buffer, How::Otherwise);
        }
        _ => {}
    });
}

/// The variables that something names.
pub(super) fn variables(func: &PrimFunc) -> HashSet<VarId> {
    let mut named = lets::named(func);
    let mut see = |e: &Expr| e.walk(&mut |e| named.extend(e.as_var()));
    func.body.iter().for_each(|stmt| stmt.walk(&mut |stmt| stmt.for_each_expr(&mut see)));
    named
}
