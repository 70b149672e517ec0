//! What fixes the layout of a buffer: views of its memory, pointers into it, strides, calls that get it whole.

use crate::diag::Span;
use crate::ir::{AttrNode, BufferId, Expr, ExprKind, Origin, PrimFunc, StmtKind};
use crate::padding::refusal::Refusals;

/// Says what fixes the layout of a buffer.
pub(in crate::padding) fn fixed_layout(func: &PrimFunc, buffer: BufferId, refusals: &mut Refusals) {
    let entry = func.buffer(buffer);
    let name = &entry.name;
    if !matches!(entry.origin, Origin::Param | Origin::Match(_) | Origin::Alloc) {
        refusals.add(Span::NONE, format!("`{name}` is a view of other memory"));
    }
    if !entry.strides.is_empty() || entry.elem_offset.is_some() {
        refusals.add(Span::NONE, format!("`{name}` has strides or an offset"));
    }
    if let Some((key, _)) = entry.extra.iter().find(|(key, _)| matches!(&**key, "axis_separators" | "layout"))
    {
        refusals.add(Span::NONE, format!("`{name}` has the property `{key}`, which is about its dimensions"));
    }
    let views = |other: BufferId| match &func.buffer(other).origin {
        Origin::View(of) | Origin::Region(of) => *of == buffer,
        Origin::Pointer(pointer) => names(pointer, buffer),
        Origin::Param | Origin::Match(_) | Origin::Alloc | Origin::Unbound => false,
    };
    for stmt in &func.body {
        stmt.walk(&mut |stmt| {
            let (mut viewed, mut made, mut places) = (Vec::new(), Vec::new(), Vec::new());
            match &stmt.kind {
                StmtKind::Decl { buffer: other } | StmtKind::Alloc { buffer: other, .. } => {
                    viewed.push(*other);
                    made.push(*other);
                }
                StmtKind::SBlock(block) => {
                    made.extend(&block.alloc_buffers);
                    for (other, region) in &block.match_buffers {
                        viewed.push(*other);
                        let ranges = region.ranges.iter();
                        places.extend(ranges.flat_map(|(min, extent)| [min].into_iter().chain(extent)));
                    }
                }
                StmtKind::Attr { node: AttrNode::Buffer(other), key, .. } if *other == buffer => {
                    refusals.add(stmt.span, format!("the attribute `{key}` is about `{name}`"));
                }
                _ => {}
            }
            for other in viewed.into_iter().filter(|&other| views(other)) {
                let view = &func.buffer(other).name;
                refusals.add(stmt.span, format!("`{view}` is a view of `{name}`, which fixes its layout"));
            }
            for other in made.into_iter().map(|other| func.buffer(other)) {
                places.extend(other.shape.iter().chain(&other.strides).chain(&other.elem_offset));
            }
            if places.into_iter().any(|e| names(e, buffer)) {
                refusals.add(stmt.span, format!("where other memory lies depends on `{name}`"));
            }
            stmt.for_each_expr(|e| {
                fixed_by(e, buffer, &mut |what| refusals.add(stmt.span, format!("{what} `{name}`")))
            });
        });
    }
}

fn fixed_by(e: &Expr, buffer: BufferId, refuse: &mut impl FnMut(&str)) {
    match &e.kind {
        ExprKind::BufferData(of) if *of == buffer => refuse("a pointer is made to the memory of"),
        ExprKind::BufferRef(of) | ExprKind::Region(of, _) if *of == buffer => refuse("a call gets"),
        ExprKind::Load { buffer: of, indices }
            if *of == buffer && indices.iter().any(|index| !index.dtype.is_scalar()) =>
        {
            refuse("a vector is loaded from");
        }
        _ => {}
    }
    if let Some(("address_of", [target])) = e.as_intrin()
        && matches!(&target.kind, ExprKind::Load { buffer: of, .. } if *of == buffer)
    {
        refuse("the address is taken of an element of");
    }
    e.for_each_child(|child| fixed_by(child, buffer, refuse));
}

fn names(e: &Expr, buffer: BufferId) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        found |= match &e.kind {
            ExprKind::BufferData(of) | ExprKind::Load { buffer: of, .. } => *of == buffer,
            _ => false,
        };
    });
    found
}
