//! What the padding of a buffer holds: loops that store it, loops that assume it.

use super::map::{IndexMap, Padding};
use crate::analysis::negation::negated;
use crate::diag::Span;
use crate::ir::{BinOp, Block, BufferId, DType, Expr, PrimFunc, Stmt, StmtKind, VarId};
use crate::padding::build::{folded, loop_var, nest};
use crate::padding::store_nest::store_nest;

/// What an element of the padding holds, as an expression of the variables [`Filling::axes`].
pub(super) struct Filling {
    pub axes: Vec<VarId>,
    pub value: Expr,
}

impl Filling {
    fn at(&self, indices: &[Expr]) -> Expr {
        let mut value = self.value.clone();
        value.substitute(&|var| self.axes.iter().position(|&axis| axis == var).and_then(|k| indices.get(k)));
        value
    }
}

/// Loops that store what the padding holds. `in_blocks`: each store stands in a block, as where TVM schedules the program.
pub(super) fn stores(
    func: &mut PrimFunc,
    buffer: BufferId,
    map: &IndexMap,
    filling: &Filling,
    in_blocks: bool,
) -> Block {
    match &map.padding {
        Padding::None => Block::new(),
        Padding::Boxes(boxes) => {
            let mut block = Block::new();
            for cuboid in boxes {
                let mut loops = Vec::new();
                let mut firsts = Vec::new();
                for (k, &(first, length)) in cuboid.ranges.iter().enumerate() {
                    let dtype = map.shape[k].dtype;
                    firsts.push((Expr::int(first, dtype), length));
                    if length > 1 {
                        let extent = Expr::int(length, dtype);
                        loops.push((k, loop_var(func, &format!("i{k}"), &extent), extent));
                    }
                }
                block.extend(store_nest(func, buffer, "padding", &loops, in_blocks, None, &|vars| {
                    let index = |(k, (first, _)): (usize, &(Expr, i64))| match vars.get(&k) {
                        Some(var) => folded(BinOp::Add, var.clone(), first.clone()),
                        None => first.clone(),
                    };
                    let indices: Vec<Expr> = firsts.iter().enumerate().map(index).collect();
                    let value = filling.at(&indices);
                    (indices, value)
                }));
            }
            block
        }
        Padding::Unreached(_) => {
            let loops: Vec<(usize, VarId, Expr)> = map
                .shape
                .iter()
                .enumerate()
                .map(|(k, extent)| (k, loop_var(func, &format!("i{k}"), extent), extent.clone()))
                .collect();
            let condition = map.is_padding().map(|cond| (map.axes.clone(), cond));
            store_nest(func, buffer, "padding", &loops, in_blocks, condition, &|vars| {
                let indices: Vec<Expr> = vars.values().cloned().collect();
                let value = filling.at(&indices);
                (indices, value)
            })
        }
    }
}

/// Loops over all elements that assume what the padding holds.
pub(super) fn assumptions(func: &mut PrimFunc, buffer: BufferId, map: &IndexMap, filling: &Filling) -> Block {
    let Some(padding) = map.is_padding() else { return Block::new() };
    let dtype = func.buffer(buffer).dtype;
    let loops: Vec<(VarId, Expr)> = map
        .shape
        .iter()
        .enumerate()
        .map(|(k, extent)| (loop_var(func, &format!("i{k}"), extent), extent.clone()))
        .collect();
    let indices: Vec<Expr> = loops.iter().map(|(var, extent)| Expr::var(*var, extent.dtype)).collect();
    let mut reached = outside(padding);
    reached.substitute(&|var| map.axes.iter().position(|&axis| axis == var).and_then(|k| indices.get(k)));
    let value = filling.at(&indices);
    let load = Expr::load(dtype, buffer, indices);
    let holds = Expr::binary(BinOp::Eq, load, value);
    let cond = Expr::binary(BinOp::Or, reached, holds);
    let assume = Expr::call(DType::BOOL, "assume", vec![cond]);
    nest(&loops, vec![Stmt { span: Span::NONE, kind: StmtKind::Evaluate(assume) }])
}

/// The negation of a condition on padding, with the connectives of boxes taken apart.
fn outside(e: Expr) -> Expr {
    match e.kind {
        crate::ir::ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
            let other = if op == BinOp::And { BinOp::Or } else { BinOp::And };
            Expr::binary(other, outside(*a), outside(*b))
        }
        kind => negated(Expr { dtype: e.dtype, kind }),
    }
}
