//! Loop nests around one store, with or without a block.

use std::collections::BTreeMap;

use super::build::{loop_var, nest};
use crate::diag::Span;
use crate::ir::{Axis, AxisKind, Block, BufferId, Expr, PrimFunc, SBlock, Stmt, StmtKind, VarId};

/// The indices of an element, and the value that it gets.
pub(super) type Element = (Vec<Expr>, Expr);

/// A loop nest around one store. The loops come with the dimensions that they run over; `condition` is over variables for
/// all dimensions; `purpose` names the block; `element` makes indices and value of the loops' variables, by dimension.
pub(super) fn store_nest(
    func: &mut PrimFunc,
    buffer: BufferId,
    purpose: &str,
    loops: &[(usize, VarId, Expr)],
    in_blocks: bool,
    condition: Option<(Vec<VarId>, Expr)>,
    element: &dyn Fn(&BTreeMap<usize, Expr>) -> Element,
) -> Block {
    let span = Span::NONE;
    let mut axes = Vec::new();
    let mut vars = BTreeMap::new();
    for (k, var, extent) in loops {
        let binding = Expr::var(*var, extent.dtype);
        if !in_blocks {
            vars.insert(*k, binding);
            continue;
        }
        let axis = loop_var(func, &format!("v{k}"), extent);
        vars.insert(*k, Expr::var(axis, extent.dtype));
        let (min, extent) = (Expr::int(0, extent.dtype), extent.clone());
        axes.push(Axis { var: axis, min, extent, kind: AxisKind::Spatial, binding });
    }
    let (indices, value) = element(&vars);
    let store = Stmt { span, kind: StmtKind::Store { buffer, indices, value } };
    let over = |(axes, mut cond): (Vec<VarId>, Expr), with: &dyn Fn(usize) -> Option<Expr>| {
        let values: Vec<Option<Expr>> = (0..axes.len()).map(with).collect();
        cond.substitute(&|var| axes.iter().position(|&axis| axis == var).and_then(|k| values[k].as_ref()));
        cond
    };
    let innermost = if in_blocks {
        // `T.where` is about the loops, not about the axes.
        let of_loop = |k: usize| {
            let (_, var, extent) = loops.iter().find(|(at, ..)| *at == k)?;
            Some(Expr::var(*var, extent.dtype))
        };
        let block = SBlock {
            axes,
            predicate: condition.map(|condition| over(condition, &of_loop)),
            body: vec![store],
            ..SBlock::new(format!("{}_{purpose}", func.buffer(buffer).name))
        };
        Stmt { span, kind: StmtKind::SBlock(Box::new(block)) }
    } else {
        match condition {
            Some(condition) => {
                let cond = over(condition, &|k| vars.get(&k).cloned());
                Stmt { span, kind: StmtKind::If { cond, then: vec![store], otherwise: Vec::new() } }
            }
            None => store,
        }
    };
    let loops: Vec<(VarId, Expr)> = loops.iter().map(|(_, var, extent)| (*var, extent.clone())).collect();
    nest(&loops, vec![innermost])
}
