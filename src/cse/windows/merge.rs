//! Putting a function together from what the views of its windows became.

use std::vec::IntoIter;

use hashbrown::HashMap;

use super::split::{Counters, Step, Windows, is_leaf};
use crate::ir::{Block, Expr, ExprKind, FreshNames, PrimFunc, Stmt, StmtKind, Type, VarId};

/// The function made of what its views became, which bind new variables and keep all statements.
pub(super) fn merge(windows: &Windows<'_>, views: Vec<PrimFunc>) -> PrimFunc {
    let func = &*windows.func;
    let mut parts = Parts::default();
    let mut types = Vec::with_capacity(views.len());
    for (window, view) in views.into_iter().enumerate() {
        parts.take(windows, window, &func.body, view.body, &mut Counters::default());
        types.push(view.vars.into_iter().skip(func.vars.len()).map(|var| var.ty).collect::<Vec<_>>());
    }
    let mut merger = Merger {
        leaves: parts.leaves.into_iter(),
        others: parts.others.into_iter(),
        vars: types.iter().map(|types| vec![None; types.len()]).collect(),
        types,
        first_new: func.vars.len(),
        names: FreshNames::new(func),
        bound: HashMap::new(),
        result: func.hollow(),
    };
    let mut body = merger.block(&func.body);
    let mut result = merger.result;
    drop_unused(&mut body, func.vars.len(), &mut vec![false; result.vars.len() - func.vars.len()]);
    result.body = body;
    result
}

/// What the views became, statement by statement.
#[derive(Default)]
struct Parts {
    /// The stores and calls, and by their numbers the other statements without their blocks.
    leaves: Vec<Part>,
    others: Vec<Option<Part>>,
}

struct Part {
    /// What is bound just before the statement, each with its window.
    bindings: Vec<(usize, Stmt)>,
    /// The window whose variables the statement uses.
    window: usize,
    stmt: Stmt,
}

impl Parts {
    /// Takes apart what the view of window number `window` became.
    fn take(&mut self, windows: &Windows<'_>, window: usize, of: &Block, made: Block, at: &mut Counters) {
        let mut made = made.into_iter();
        let mut bindings = Vec::new();
        let mut next = |bindings: &mut Vec<(usize, Stmt)>| {
            loop {
                let stmt = made.next().expect("views keep their statements");
                let StmtKind::Bind { .. } = stmt.kind else { return stmt };
                bindings.push((window, stmt));
            }
        };
        for step in windows.steps(of, &windows.ranges[window], at) {
            let index = match step {
                Step::Kept(index) => index,
                Step::Emptied(effects, met) => {
                    effects.statements().for_each(|_| drop(next(&mut bindings)));
                    *at = met;
                    continue;
                }
            };
            let mut stmt = next(&mut bindings);
            let mut blocks = Vec::new();
            stmt.for_each_block_mut(|block| blocks.push(std::mem::take(block)));
            let number = at.others;
            at.meet(&of[index]);
            let part = Part { bindings: std::mem::take(&mut bindings), window, stmt };
            if is_leaf(&of[index]) {
                self.leaves.push(part);
                continue;
            }
            if self.others.len() <= number {
                self.others.resize_with(number + 1, || None);
            }
            match &mut self.others[number] {
                Some(known) => known.bindings.extend(part.bindings),
                none => *none = Some(part),
            }
            let mut blocks = blocks.into_iter();
            of[index].for_each_block(|of| {
                self.take(windows, window, of, blocks.next().expect("views keep all blocks"), at);
            });
        }
    }
}

/// Puts a function together.
struct Merger {
    leaves: IntoIter<Part>,
    others: IntoIter<Option<Part>>,
    /// The types of the new variables of each window, and what they are in the result.
    types: Vec<Vec<Type>>,
    vars: Vec<Vec<Option<VarId>>>,
    first_new: usize,
    names: FreshNames,
    /// What is bound around the statement that is looked at, but for what reads memory.
    bound: HashMap<Expr, VarId>,
    result: PrimFunc,
}

impl Merger {
    fn block(&mut self, of: &Block) -> Block {
        let mut out = Block::with_capacity(of.len());
        let mut bound_here = Vec::new();
        for stmt in of {
            let part = if is_leaf(stmt) { self.leaves.next() } else { self.others.next().flatten() };
            let Part { bindings, window, stmt: mut made } = part.expect("each statement is in a view");
            for (window, binding) in bindings {
                out.extend(self.binding(window, binding, &mut bound_here));
            }
            made.for_each_expr_mut(|e| self.rename(window, e));
            made.fill(stmt, |block| self.block(block));
            out.push(made);
        }
        for value in bound_here {
            self.bound.remove(&value);
        }
        out
    }

    /// The binding, if its value is not bound yet; `here` are the values that its block binds.
    fn binding(&mut self, window: usize, mut binding: Stmt, here: &mut Vec<Expr>) -> Option<Stmt> {
        let StmtKind::Bind { var, value } = &mut binding.kind else { return Some(binding) };
        let local = var.index() - self.first_new;
        self.rename(window, value);
        let known = self.bound.get(value).copied();
        *var = known
            .unwrap_or_else(|| self.result.new_var(self.names.next(), self.types[window][local].clone()));
        self.vars[window][local] = Some(*var);
        if known.is_some() {
            return None;
        }
        let mut reads = false;
        value.walk(&mut |e| reads |= matches!(e.kind, ExprKind::Load { .. }));
        if !reads {
            self.bound.insert(value.clone(), *var);
            here.push(value.clone());
        }
        Some(binding)
    }

    /// Puts the result's variables in place of those of a window.
    fn rename(&self, window: usize, e: &mut Expr) {
        match &mut e.kind {
            ExprKind::Var(var) => {
                if let Some(local) = var.index().checked_sub(self.first_new) {
                    *var = self.vars[window][local].expect("bindings stand before their uses");
                }
            }
            _ => e.for_each_child_mut(|c| self.rename(window, c)),
        }
    }
}

/// Drops bindings of variables from `first_new` on that nothing uses: the views of several windows bind what other
/// statements than stores need. All uses of a binding come after it.
fn drop_unused(block: &mut Block, first_new: usize, used: &mut [bool]) {
    let number = |var: VarId| var.index().checked_sub(first_new);
    let mut keeps = vec![true; block.len()];
    for (stmt, keep) in block.iter_mut().zip(&mut keeps).rev() {
        stmt.for_each_block_mut(|inner| drop_unused(inner, first_new, used));
        if let StmtKind::Bind { var, .. } = stmt.kind {
            *keep = number(var).is_none_or(|i| used[i]);
        }
        if *keep {
            let mut mark = |e: &Expr| {
                if let Some(i) = e.as_var().and_then(number) {
                    used[i] = true;
                }
            };
            stmt.for_each_expr(|e| e.walk(&mut mark));
        }
    }
    let mut keeps = keeps.into_iter();
    block.retain(|_| keeps.next() == Some(true));
}
