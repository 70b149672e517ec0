//! The bound on nesting, checked on the finished function: conversions that the text does not show count too.

use super::state::Res;
use crate::diag::Span;
use crate::ir::{Block, Expr, MAX_DEPTH, PrimFunc, SBlock, StmtKind};
use crate::script::syntax::error;

/// An error if expressions and statements together nest deeper than [`MAX_DEPTH`].
pub(super) fn check(func: &PrimFunc, place: Span) -> Res<()> {
    for buffer in &func.buffers {
        for e in buffer.shape.iter().chain(&buffer.strides).chain(&buffer.elem_offset) {
            check_expr(e, 0, place)?;
        }
    }
    let mut work: Vec<(&Block, usize)> = vec![(&func.body, 1)];
    while let Some((block, depth)) = work.pop() {
        for stmt in block {
            let mut exprs = Vec::new();
            stmt.for_each_expr(|e| exprs.push(e));
            if let StmtKind::SBlock(block) = &stmt.kind {
                described(block, &mut exprs);
            }
            for e in exprs {
                check_expr(e, depth, stmt.span)?;
            }
            stmt.for_each_block(|inner| work.push((inner, depth + 1)));
        }
    }
    Ok(())
}

/// The expressions that describe a block.
fn described<'a>(block: &'a SBlock, exprs: &mut Vec<&'a Expr>) {
    for axis in &block.axes {
        exprs.extend([&axis.min, &axis.extent]);
    }
    let regions = block.reads.iter().chain(&block.writes).flatten();
    for region in regions.chain(block.match_buffers.iter().map(|(_, region)| region)) {
        for (min, extent) in &region.ranges {
            exprs.push(min);
            exprs.extend(extent);
        }
    }
}

fn check_expr(e: &Expr, depth: usize, place: Span) -> Res<()> {
    let mut work = vec![(e, depth + 1)];
    while let Some((e, depth)) = work.pop() {
        if depth > MAX_DEPTH {
            return error(place, format!("nested deeper than {MAX_DEPTH} levels"));
        }
        e.for_each_child(|child| work.push((child, depth + 1)));
    }
    Ok(())
}
