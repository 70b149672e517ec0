//! Nests of loops over several dimensions that were fused, or fused and split again: `for a in (d * 3 + 4) // 5: for b in 5: if
//! a * 5 + b < d * 3`, with the dimensions as quotients and remainders, borders, and what only a first iteration does.

use super::Generator;
use super::scope::{Range, Written};
use crate::ir::{BinOp, Block, Expr, For, ForKind, Stmt, StmtKind, VarId};

/// The most iterations of a nest.
const MOST: i64 = 300;

impl Generator<'_> {
    /// A nest of loops that was fused.
    pub(super) fn nest(&mut self, out: &mut Block) {
        let dims = self.dimensions();
        let all = dims.iter().cloned().map(|(extent, _)| extent).reduce(|a, b| a * b);
        let Some(all) = all else { return self.store(out) };
        let most: i64 = dims.iter().map(|(_, most)| *most).product();
        let mark = self.scope.mark();
        let work = self.work;
        self.work = work.saturating_mul(most);
        // How the loops are written: one, or two with a check of the last iterations.
        let tile = self.dice.chance(60).then(|| self.dice.pick(&[2, 3, 4, 5, 7, 8]));
        let zero = Expr::int(0, self.index);
        let (loops, position) = match tile {
            None => {
                let var = self.new_var(self.index);
                let min = if self.dice.chance(80) { 0 } else { self.dice.int(-3, 5) };
                let it = Expr::var(var, self.index);
                let position = if min == 0 { it } else { it - min };
                (vec![(var, Expr::int(min, self.index), all.clone())], position)
            }
            Some(tile) => {
                let (outer, inner) = (self.new_var(self.index), self.new_var(self.index));
                let rows = (all.clone() + (tile - 1)).floordiv(tile);
                let position = Expr::var(outer, self.index) * tile + Expr::var(inner, self.index);
                let loops =
                    vec![(outer, zero.clone(), rows), (inner, zero.clone(), Expr::int(tile, self.index))];
                (loops, position)
            }
        };
        self.offer(&position, Range { lo: 0, hi: most.max(1) - 1 });
        self.scope.bounded.push((position.clone(), all.clone()));
        self.coordinates(&dims, &position, &all);
        let mut body = if self.dice.chance(35) { self.reduction() } else { self.bordered(&dims, &position) };
        if tile.is_some() {
            let cond = position.lt(all);
            body = vec![Stmt::guarded(cond, body)];
        }
        self.work = work;
        self.scope.reset(&mark);
        for (var, min, extent) in loops.into_iter().rev() {
            body = vec![self.serial(var, min, extent, body)];
        }
        out.append(&mut body);
    }

    fn serial(&self, var: VarId, min: Expr, extent: Expr, body: Block) -> Stmt {
        let (kind, annotations) = (ForKind::Serial, Vec::new());
        Stmt::new(StmtKind::For(Box::new(For { var, min, extent, step: None, kind, annotations, body })))
    }

    /// The extents of a few dimensions, each with the most that it can be.
    fn dimensions(&mut self) -> Vec<(Expr, i64)> {
        let arrays = self.scope.arrays.iter().flat_map(|a| &a.shape).map(|d| d.extent.clone());
        let sizes: Vec<Expr> = arrays.filter(|e| e.dtype == self.index && e.as_int().is_none()).collect();
        let (mut dims, mut product) = (Vec::new(), 1);
        for _ in 0..self.dice.int(1, 4) {
            let (extent, most) = if !sizes.is_empty() && self.dice.chance(45) {
                (self.dice.pick(&sizes), 17)
            } else {
                let n = self.dice.pick(&[1, 2, 3, 4, 5, 6, 8, 12]);
                (Expr::int(n, self.index), n)
            };
            if product * most * self.work <= MOST {
                product *= most;
                dims.push((extent, most));
            }
        }
        dims
    }

    /// Lets the body use the coordinates of a position, spelled as compilers do.
    fn coordinates(&mut self, dims: &[(Expr, i64)], position: &Expr, all: &Expr) {
        for at in 0..dims.len() {
            let (extent, most) = dims[at].clone();
            if extent.as_int().is_none() {
                self.scope.nonzero.push(extent.clone());
            }
            let below = dims[at + 1..].iter().map(|(extent, _)| extent.clone()).reduce(|a, b| a * b);
            let mut coordinate = position.clone();
            if at > 0 && self.dice.chance(50) {
                // The remainder first, or last.
                let row = dims[at..].iter().map(|(extent, _)| extent.clone()).reduce(|a, b| a * b);
                coordinate = Expr::binary(BinOp::FloorMod, coordinate, row.unwrap_or_else(|| all.clone()));
                if let Some(below) = below {
                    coordinate = Expr::binary(BinOp::FloorDiv, coordinate, below);
                }
            } else {
                if let Some(below) = below {
                    coordinate = Expr::binary(BinOp::FloorDiv, coordinate, below);
                }
                if at > 0 || self.dice.chance(20) {
                    coordinate = Expr::binary(BinOp::FloorMod, coordinate, extent.clone());
                }
            }
            self.offer(&coordinate, Range { lo: 0, hi: most.max(1) - 1 });
            self.scope.bounded.push((coordinate, extent));
        }
        if self.dice.chance(30) {
            // One that does not fit the others.
            let (shift, divisor) = (self.dice.int(-3, 9), self.dice.int(2, 9));
            let rest = (position.clone() + shift).floormod(divisor);
            self.offer(&rest, Range { lo: 0, hi: divisor - 1 });
        }
    }

    /// Lets the body write an expression again.
    fn offer(&mut self, e: &Expr, range: Range) {
        self.scope.written.push(Written { expr: e.clone(), range });
    }

    /// Statements, some behind checks of where in the nest they are.
    fn bordered(&mut self, dims: &[(Expr, i64)], position: &Expr) -> Block {
        let mut body = self.block();
        if self.dice.chance(50) {
            let last = Expr::int(1, self.index);
            let row = dims.last().map_or(last, |(extent, _)| extent.clone());
            let column = Expr::binary(BinOp::FloorMod, position.clone(), row);
            let (low, high) = (self.dice.int(0, 4), self.dice.int(1, 9));
            let from = Expr::binary(BinOp::Le, Expr::int(low, self.index), column.clone());
            let mut cond = if self.dice.chance(50) { from } else { column.clone().lt(high) };
            if self.dice.chance(50) {
                cond = Expr::binary(BinOp::And, cond, position.clone().lt(self.dice.int(1, 40)));
            }
            let then = self.block();
            let otherwise = if self.dice.chance(50) { self.block() } else { Block::new() };
            body.push(Stmt::new(StmtKind::If { cond, then, otherwise }));
        }
        body
    }

    /// `for k in 3: if k == 0: …; …`.
    fn reduction(&mut self) -> Block {
        let (extent, most) = match self.dimensions().pop() {
            Some(dimension) if self.work.saturating_mul(dimension.1) <= 2 * MOST => dimension,
            _ => (Expr::int(2, self.index), 2),
        };
        let var = self.new_var(self.index);
        let mark = self.scope.mark();
        self.scope.define(var, self.index, Range { lo: 0, hi: most - 1 });
        let work = self.work;
        self.work = work.saturating_mul(most);
        let first = Expr::binary(BinOp::Eq, Expr::var(var, self.index), Expr::int(0, self.index));
        let mut body = vec![Stmt::guarded(first, self.block())];
        body.extend(self.block());
        self.work = work;
        self.scope.reset(&mark);
        let zero = Expr::int(0, self.index);
        vec![self.serial(var, zero, extent, body)]
    }
}
