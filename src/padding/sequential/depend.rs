//! Whether two orders of iterations give the same: pairs of accesses of one element, one of them a store, that would change
//! their order are refuted.

use std::collections::BTreeMap;

use super::super::values::inlined;
use crate::arith::Interval;
use crate::arith::invert::Domain;
use crate::arith::linear::Prover;
use crate::ir::{
    BinOp, Block, BufferId, Expr, ExprKind, ForKind, Origin, PrimFunc, Stmt, StmtKind, Type, VarId,
};

/// The fuel of one refutation.
const FUEL: u64 = 200_000;

/// An access with the loops around it, the outermost first.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    pub buffer: BufferId,
    pub indices: Vec<Expr>,
    pub store: bool,
    pub loops: Vec<Domain>,
}

/// The accesses of statements within these loops; `None` if something else than accesses matters for their order.
pub(super) fn touches(
    stmts: &[Stmt],
    loops: &[Domain],
    values: &BTreeMap<VarId, Expr>,
) -> Option<Vec<Touch>> {
    let mut walk = Touches { loops: loops.to_vec(), values: values.clone(), found: Vec::new() };
    stmts.iter().try_for_each(|stmt| walk.stmt(stmt))?;
    Some(walk.found)
}

struct Touches {
    loops: Vec<Domain>,
    values: BTreeMap<VarId, Expr>,
    found: Vec<Touch>,
}

impl Touches {
    fn block(&mut self, block: &Block) -> Option<()> {
        block.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Option<()> {
        let mut acts = false;
        stmt.for_each_expr(|e| {
            acts |= e.has_effect();
            e.walk(&mut |e| {
                acts |= matches!(e.kind, ExprKind::Let(..) | ExprKind::BufferData(_));
                if let ExprKind::Load { buffer, indices } = &e.kind {
                    self.add(*buffer, indices, false);
                }
            });
        });
        if acts {
            return None;
        }
        match &stmt.kind {
            StmtKind::Store { buffer, indices, .. } => self.add(*buffer, indices, true),
            StmtKind::Evaluate(_) => {}
            StmtKind::Bind { var, value } => {
                let value = inlined(value, &self.values);
                self.values.insert(*var, value);
            }
            StmtKind::If { then, otherwise, .. } => {
                self.block(then)?;
                self.block(otherwise)?;
            }
            StmtKind::For(for_) if for_.step.is_none() && for_.kind != ForKind::Vectorized => {
                self.loops.push(domain_of(for_, &self.values));
                self.block(&for_.body)?;
                self.loops.pop();
            }
            _ => return None,
        }
        Some(())
    }

    fn add(&mut self, buffer: BufferId, indices: &[Expr], store: bool) {
        let indices = indices.iter().map(|e| inlined(e, &self.values)).collect();
        self.found.push(Touch { buffer, indices, store, loops: self.loops.clone() });
    }
}

/// The domain of a loop's variable.
pub(super) fn domain_of(for_: &crate::ir::For, values: &BTreeMap<VarId, Expr>) -> Domain {
    Domain { var: for_.var, min: inlined(&for_.min, values), extent: inlined(&for_.extent, values) }
}

/// `a < b`, by the first of the pairs in which they differ.
pub(super) fn before(a: &[Expr], b: &[Expr]) -> Expr {
    let mut equal: Option<Expr> = None;
    let mut any: Option<Expr> = None;
    for (x, y) in a.iter().zip(b) {
        let less = Expr::binary(BinOp::Lt, x.clone(), y.clone());
        let less = equal.clone().map_or(less.clone(), |same| Expr::binary(BinOp::And, same, less));
        any = Some(any.map_or(less.clone(), |any| Expr::binary(BinOp::Or, any, less)));
        let same = Expr::binary(BinOp::Eq, x.clone(), y.clone());
        equal = Some(equal.map_or(same.clone(), |all| Expr::binary(BinOp::And, all, same)));
    }
    any.unwrap_or_else(|| Expr::bool(false))
}

/// Two iterations of one loop nest, with a question about both.
pub(super) struct Pair<'a> {
    func: &'a PrimFunc,
    vars: PrimFunc,
    other: BTreeMap<VarId, Expr>,
}

impl<'a> Pair<'a> {
    /// The second iteration has variables of its own.
    pub(super) fn new(func: &'a PrimFunc) -> Pair<'a> {
        Pair { func, vars: func.clone(), other: BTreeMap::new() }
    }

    /// An expression in the second iteration, in which these variables have other values.
    pub(super) fn other(&mut self, e: &Expr, loops: &[Domain]) -> Expr {
        for domain in loops {
            if !self.other.contains_key(&domain.var) {
                let dtype = self.func.var(domain.var).ty.dtype();
                let var = self.vars.new_var("other", Type::Prim(dtype));
                self.other.insert(domain.var, Expr::var(var, dtype));
            }
        }
        inlined(e, &self.other)
    }

    /// Whether two accesses, of different iterations that stand in this relation, are never of one element with one of them
    /// a store.
    pub(super) fn never_meet(&mut self, a: &Touch, b: &Touch, relation: &Expr) -> bool {
        if !a.store && !b.store {
            return true;
        }
        if a.buffer != b.buffer {
            return self.apart(a.buffer, b.buffer);
        }
        let mut conflict = relation.clone();
        for (x, y) in a.indices.iter().zip(&b.indices) {
            let y = self.other(y, &b.loops);
            let same =
                if x.dtype == y.dtype { Expr::binary(BinOp::Eq, x.clone(), y) } else { Expr::bool(true) };
            conflict = Expr::binary(BinOp::And, conflict, same);
        }
        let (first, second) = (a.loops.clone(), b.loops.clone());
        self.is_false(&conflict, &first, &second)
    }

    fn apart(&self, a: BufferId, b: BufferId) -> bool {
        let (a, b) = (self.func.memory_of(a), self.func.memory_of(b));
        let own = |buffer: BufferId| self.func.buffer(buffer).origin == Origin::Alloc;
        let known = |buffer: BufferId| !matches!(self.func.buffer(buffer).origin, Origin::Pointer(_));
        a != b && known(a) && known(b) && (own(a) || own(b) || self.func.no_alias())
    }

    /// Whether a condition fails for all values of the loops' variables of a first and a second iteration.
    pub(super) fn is_false(&mut self, cond: &Expr, first: &[Domain], second: &[Domain]) -> bool {
        let mut assumed = Vec::new();
        for domain in first {
            assumed.extend(domain.contains(&Expr::var(domain.var, domain.min.dtype)));
        }
        for domain in second {
            for bound in domain.contains(&Expr::var(domain.var, domain.min.dtype)) {
                assumed.push(self.other(&bound, second));
            }
        }
        let mut ranges = vec![Interval::ALL; self.vars.vars.len()];
        for domain in first.iter().chain(second) {
            ranges[domain.var.index()] = domain.range();
            if let Some(var) = self.other.get(&domain.var).and_then(Expr::as_var) {
                ranges[var.index()] = domain.range();
            }
        }
        let none = hashbrown::HashMap::new();
        let mut prover = Prover::with_values(&ranges, &none);
        assumed.iter().for_each(|bound| prover.assume(bound, true));
        prover.decide(cond, FUEL) == Some(false)
    }
}
