//! Which elements of a buffer a statement is certain to access: the evidence that they may be accessed.

use std::collections::{BTreeMap, BTreeSet};

use super::accesses::Access;
use super::assume::is_assumption;
use super::region::Region;
use super::values::{Values, bind_axes, inlined};
use crate::analysis::accesses::is_plain;
use crate::arith::Interval;
use crate::arith::invert::{Domain, Map, invert};
use crate::ir::value::{Value, evaluate};
use crate::ir::{BinOp, Block, BufferId, Expr, ExprKind, PrimFunc, Stmt, StmtKind, VarId};

/// The most iterations that are gone through.
const MAX_POINTS: i64 = 1 << 16;

/// Whether statements are certain to access every element of a box of a buffer in this way.
pub(super) fn covers(
    func: &PrimFunc,
    stmts: &[&Stmt],
    buffer: BufferId,
    how: Access,
    region: &Region,
) -> bool {
    let mut walk = Walk {
        buffer,
        how,
        loops: Vec::new(),
        values: Values::new(),
        conditions: Vec::new(),
        found: Vec::new(),
    };
    stmts.iter().for_each(|stmt| walk.stmt(stmt));
    for certain in &mut walk.found {
        certain.indices = region.inside(&certain.indices);
    }
    let shape = region.extents();
    walk.found.iter().any(|certain| certain.covers(func, &shape)) || together(&walk.found, &shape)
}

/// An access that is made in all iterations of the loops around it in which conditions hold.
struct Certain {
    loops: Vec<Domain>,
    conditions: Vec<(Expr, bool)>,
    indices: Vec<Expr>,
}

impl Certain {
    /// Whether all elements of a shape are among those of the access, by its inverse.
    fn covers(&self, func: &PrimFunc, shape: &[Expr]) -> bool {
        let mut vars = func.clone();
        let axes: Vec<(VarId, Expr)> = self
            .indices
            .iter()
            .map(|index| (vars.new_var("a", crate::ir::Type::Prim(index.dtype)), index.clone()))
            .collect();
        let mut ranges = vec![Interval::ALL; vars.vars.len()];
        let mut facts = Vec::new();
        for ((axis, index), extent) in axes.iter().zip(shape) {
            let most = extent.as_int().map_or(i64::MAX, |n| n - 1);
            ranges[axis.index()] = Interval::new(0, most).unwrap_or(Interval::ALL);
            if extent.as_int().is_none() {
                if extent.dtype != index.dtype {
                    return false;
                }
                facts.push((Expr::binary(BinOp::Lt, Expr::var(*axis, index.dtype), extent.clone()), true));
            }
        }
        let domains: Vec<Domain> = self
            .loops
            .iter()
            .filter(|domain| self.indices.iter().any(|e| crate::arith::invert::mentions(e, &[domain.var])))
            .cloned()
            .collect();
        // A loop that the indices do not depend on has to run.
        let runs = self.loops.iter().all(|domain| {
            domain.extent.as_int().is_some_and(|n| n > 0) || domains.iter().any(|d| d.var == domain.var)
        });
        let map = Map { axes: &axes, domains: &domains, ranges: &ranges, facts: &facts };
        runs && self.conditions.is_empty() && invert(&map).is_some_and(|inverse| inverse.image.is_empty())
    }

    /// Adds the elements of the access one by one; `None` if they cannot be listed.
    fn list(&self, extents: &[i64], places: &mut BTreeSet<Vec<i64>>, budget: &mut i64) -> Option<()> {
        let bounds: Vec<(VarId, i64, i64)> = self
            .loops
            .iter()
            .map(|domain| Some((domain.var, domain.min.as_int()?, domain.extent.as_int()?)))
            .collect::<Option<_>>()?;
        let size = bounds.iter().try_fold(1_i64, |size, (_, _, n)| size.checked_mul((*n).max(0)))?;
        *budget -= size;
        if *budget < 0 {
            return None;
        }
        for number in 0..size {
            let mut rest = number;
            let mut at = BTreeMap::new();
            for &(var, min, extent) in bounds.iter().rev() {
                at.insert(var, min + rest % extent);
                rest /= extent;
            }
            let value_of = |var: VarId| at.get(&var).map(|&v| Value::Int(v));
            let mut happens = true;
            for (cond, truth) in &self.conditions {
                happens &= (evaluate(cond, &value_of)?.as_int()? != 0) == *truth;
            }
            if !happens {
                continue;
            }
            let place: Option<Vec<i64>> =
                self.indices.iter().map(|index| evaluate(index, &value_of)?.as_int()).collect();
            let place = place?;
            if place.iter().zip(extents).all(|(at, extent)| (0..*extent).contains(at)) {
                places.insert(place);
            }
        }
        Some(())
    }
}

/// Whether accesses reach all elements together, by listing them.
fn together(found: &[Certain], shape: &[Expr]) -> bool {
    let extents: Option<Vec<i64>> = shape.iter().map(Expr::as_int).collect();
    let Some(extents) = extents else { return false };
    let Some(size) = extents.iter().try_fold(1_i64, |size, n| size.checked_mul(*n)) else { return false };
    if size > MAX_POINTS {
        return false;
    }
    let (mut places, mut budget) = (BTreeSet::new(), MAX_POINTS);
    for certain in found {
        // What cannot be listed is left out.
        let _ = certain.list(&extents, &mut places, &mut budget);
    }
    places.len() as i64 == size
}

struct Walk {
    buffer: BufferId,
    how: Access,
    loops: Vec<Domain>,
    /// Values of bindings and block axes, over variables of loops.
    values: Values,
    /// The conditions around, which read no memory.
    conditions: Vec<(Expr, bool)>,
    found: Vec<Certain>,
}

impl Walk {
    fn block(&mut self, block: &Block) {
        for stmt in block {
            // What follows may not be reached.
            if matches!(stmt.kind, StmtKind::Break | StmtKind::Continue | StmtKind::Return(_))
                || may_leave(stmt)
            {
                break;
            }
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if is_assumption(stmt) {
            return;
        }
        if self.how == Access::Load {
            stmt.for_each_expr(|e| self.expr(e));
        }
        match &stmt.kind {
            StmtKind::Store { buffer, indices, .. }
                if *buffer == self.buffer && self.how == Access::Store =>
            {
                self.add(indices);
            }
            StmtKind::Bind { var, value } => {
                let value = inlined(value, &self.values);
                self.values.insert(*var, value);
            }
            StmtKind::For(for_) if for_.step.is_none() => {
                let domain = Domain {
                    var: for_.var,
                    min: inlined(&for_.min, &self.values),
                    extent: inlined(&for_.extent, &self.values),
                };
                self.loops.push(domain);
                self.block(&for_.body);
                self.loops.pop();
            }
            StmtKind::SBlock(block) => {
                bind_axes(block, &mut self.values);
                match &block.predicate {
                    Some(predicate) => self.under(predicate, true, &block.body),
                    None => self.block(&block.body),
                }
            }
            StmtKind::If { cond, then, otherwise } => {
                self.under(cond, true, then);
                self.under(cond, false, otherwise);
            }
            StmtKind::Attr { body, .. } => self.block(body),
            _ => {}
        }
    }

    /// What is done where a condition has a truth value.
    fn under(&mut self, cond: &Expr, truth: bool, block: &Block) {
        let cond = inlined(cond, &self.values);
        if is_plain(&cond) {
            self.conditions.push((cond, truth));
            self.block(block);
            self.conditions.pop();
        }
    }

    /// The loads of an expression that are made whenever it is evaluated.
    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Load { buffer, indices } => {
                indices.iter().for_each(|index| self.expr(index));
                if *buffer == self.buffer {
                    self.add(indices);
                }
            }
            ExprKind::Binary(op, a, _) if op.is_logic() => self.expr(a),
            ExprKind::Let(..) => {}
            _ => match e.as_intrin() {
                Some(("if_then_else", [cond, ..])) => self.expr(cond),
                _ => e.for_each_child(|child| self.expr(child)),
            },
        }
    }

    fn add(&mut self, indices: &[Expr]) {
        let indices: Vec<Expr> = indices.iter().map(|e| inlined(e, &self.values)).collect();
        if !read_or_call(&indices) {
            let (loops, conditions) = (self.loops.clone(), self.conditions.clone());
            self.found.push(Certain { loops, conditions, indices });
        }
    }
}

/// Whether control may leave the statements around this one within it.
pub(super) fn may_leave(stmt: &Stmt) -> bool {
    let mut leaves = false;
    stmt.walk(&mut |stmt| {
        leaves |= matches!(stmt.kind, StmtKind::Break | StmtKind::Continue | StmtKind::Return(_));
    });
    leaves
}

/// Whether some of the expressions read memory or call anything.
pub(super) fn read_or_call(exprs: &[Expr]) -> bool {
    let mut found = false;
    exprs.iter().for_each(|e| {
        e.walk(&mut |e| found |= matches!(e.kind, ExprKind::Load { .. } | ExprKind::Call(_)));
    });
    found
}
