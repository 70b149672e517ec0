//! Functions in which stores of values that depend on no memory are executed as early as that changes nothing: what only the
//! first iteration of a loop stores goes in front of it, and a loop that stores such values and does something else is two. So
//! reductions whose initializations were taken out of a nest look like those where they are in it.
//!
//! Here stores change places with other statements. They may where nothing in between meets an element that they store
//! ([`between`]). What was between them ends, reads no pointers, and has no effect but its stores, so nothing else tells.

use super::between::{self, Accesses};
use super::inquiry::Inquiry;
use super::shape::Head;
use super::steps::is_plain;
use super::syntax::{conjuncts, inlined, is_equation, is_total, is_total_let, rename};
use super::term::Term;
use super::value::Machine;
use super::{Integers, SolverError, discharge, signature, syntax, volatile};
use crate::ir::{BinOp, Block, Expr, ExprKind, For, ForKind, PrimFunc, Stmt, StmtKind, VarId};

/// The function in this shape; `None` if nothing moves.
pub(super) fn first(func: &PrimFunc, inquiry: &mut Inquiry<'_>) -> Result<Option<PrimFunc>, SolverError> {
    if !volatile::memories(func).is_empty() {
        return Ok(None);
    }
    let Ok(machine) = signature::machine(func, func, Integers::Unbounded) else { return Ok(None) };
    let mut made = func.clone();
    let mut body = std::mem::take(&mut made.body);
    let known = machine.book.here.guards.clone();
    let mut mover = Mover { machine, func: made, known, around: Vec::new(), inquiry, changed: false };
    mover.block(&mut body)?;
    let Mover { func: mut made, changed, .. } = mover;
    made.body = body;
    Ok(changed.then_some(made))
}

struct Mover<'a, 'q, 's> {
    machine: Machine<'a>,
    func: PrimFunc,
    /// What holds where control is.
    known: Vec<Term>,
    /// The variables of the loops that control is in, with their first values.
    around: Vec<(VarId, Expr)>,
    inquiry: &'q mut Inquiry<'s>,
    changed: bool,
}

/// How a store leaves a loop.
enum Way {
    /// Only the first iteration does it.
    First(Stmt),
    /// In a loop of its own.
    Apart(Stmt),
}

impl Mover<'_, '_, '_> {
    fn block(&mut self, block: &mut Block) -> Result<(), SolverError> {
        for mut stmt in std::mem::take(block) {
            let known = self.known.len();
            match &mut stmt.kind {
                StmtKind::Bind { var, value } => between::bind(&mut self.machine, *var, value),
                StmtKind::If { cond, then, otherwise } => {
                    let cond = between::total(&mut self.machine, cond);
                    let not = cond.map(|cond| self.machine.terms.not(cond));
                    self.known.extend(cond);
                    self.block(then)?;
                    self.known.truncate(known);
                    self.known.extend(not);
                    self.block(otherwise)?;
                }
                StmtKind::For(l) if !matches!(l.kind, ForKind::ThreadBinding(_)) => {
                    block.extend(self.for_loop(l)?);
                }
                _ => {}
            }
            self.known.truncate(known);
            block.push(stmt);
        }
        Ok(())
    }

    /// Takes statements out of a loop, which go in front of it.
    fn for_loop(&mut self, l: &mut For) -> Result<Block, SolverError> {
        let known = self.known.len();
        let within = between::open(&mut self.machine, l);
        self.known.extend(within);
        self.around.push((l.var, l.min.clone()));
        self.block(&mut l.body)?;
        self.around.pop();
        self.known.truncate(known);
        let mut moved = Block::new();
        if !is_plain(l) || !is_total(&l.min) || !is_total(&l.extent) {
            return Ok(moved);
        }
        split_conditions(&mut l.body);
        let once = !l.body.iter().any(is_loop) && self.runs_at_most_once(l);
        let mut at = 0;
        while at < l.body.len() {
            match self.way(l, once, at) {
                Some(Way::First(stmt)) if self.may_go_first(l, at)? => moved.push(stmt),
                Some(Way::Apart(stmt)) if self.may_go_apart(l, at)? => {
                    // What goes next to each other is in one loop, in the order in which it was.
                    let left = match moved.last_mut() {
                        Some(last) => merged(last, stmt, l.var),
                        None => Some(stmt),
                    };
                    moved.extend(left);
                }
                _ => {
                    at += 1;
                    continue;
                }
            }
            l.body.remove(at);
            self.changed = true;
        }
        Ok(moved.into_iter().map(|stmt| self.renamed(stmt, l.var)).collect())
    }

    fn runs_at_most_once(&mut self, l: &For) -> bool {
        let Some(extent) = between::total(&mut self.machine, &l.extent) else { return false };
        let one = self.machine.terms.int(1);
        let short = self.machine.terms.at_most(extent, one);
        discharge::implied(&mut self.machine.terms, &self.known, short)
    }

    /// How a statement of a loop's body could leave the loop, of which there may be one iteration only.
    fn way(&self, l: &For, once: bool, at: usize) -> Option<Way> {
        let (mut conditions, mut then) = (Vec::new(), std::slice::from_ref(&l.body[at]));
        while let [Stmt { kind: StmtKind::If { cond, then: inner, otherwise }, .. }] = then
            && otherwise.is_empty()
            && is_total(cond)
        {
            conditions.push(cond.clone());
            then = inner;
        }
        if then.is_empty() || !is_pure(then) {
            return None;
        }
        let before = l.body[..at].iter().filter(|stmt| is_total_let(stmt));
        let lets: Vec<Stmt> = before.cloned().collect();
        if once && stores(&l.body[at + 1..]) {
            conditions.push(Expr::binary(BinOp::Eq, Expr::var(l.var, l.min.dtype), l.min.clone()));
        }
        let bound: Vec<VarId> = l.body.iter().filter_map(bound_by).collect();
        let all = conditions.into_iter().reduce(|a, b| Expr::binary(BinOp::And, a, b));
        if let Some(cond) = &all
            && let head = (Head { var: l.var, min: &l.min, extent: &l.extent, from_zero: &[] })
            && let Some((cond, then)) = head.first_only(&lets, cond, &then.to_vec())
        {
            let stmt = Stmt::guarded(cond, then);
            let closed = !mentions(&stmt, &|var| var == l.var || bound.contains(&var));
            return closed.then_some(Way::First(stmt));
        }
        self.in_a_loop_of_its_own(l, at, &lets, all, then)
            .filter(|stmt| !mentions(stmt, &|var| bound.contains(&var)))
            .map(Way::Apart)
    }

    /// The loop with one of its statements only, with bindings put in, if it is worth taking it apart: it is done in the first
    /// iteration of a loop around only, so that it may go on from here, or begins what the rest of an innermost loop goes on with.
    fn in_a_loop_of_its_own(
        &self,
        l: &For,
        at: usize,
        lets: &[Stmt],
        cond: Option<Expr>,
        then: &[Stmt],
    ) -> Option<Stmt> {
        let cond = match &cond {
            Some(cond) => Some(inlined(cond, lets)?),
            None => None,
        };
        let mut parts = Vec::new();
        cond.iter().for_each(|cond| conjuncts(cond, &mut parts));
        let is_first = |part: &&Expr| self.around.iter().any(|(var, min)| is_equation(part, *var, min));
        let goes_on = parts.iter().any(is_first);
        let begins = matches!(then, [Stmt { kind: StmtKind::Store { .. }, .. }])
            && !l.body.iter().any(is_loop)
            && stores(&l.body[at + 1..]);
        if !(goes_on && stores(&l.body) || begins) {
            return None;
        }
        let mut inside = then.to_vec();
        for stmt in &mut inside {
            syntax::at(stmt, lets, &|_| None)?;
        }
        let (within, around): (Vec<&Expr>, Vec<&Expr>) =
            parts.into_iter().partition(|part| part.mentions(|var| var == l.var));
        let both = |all: Vec<&Expr>| all.into_iter().cloned().reduce(|a, b| Expr::binary(BinOp::And, a, b));
        if let Some(cond) = both(within) {
            inside = vec![Stmt::guarded(cond, inside)];
        }
        let (min, extent) = (l.min.clone(), l.extent.clone());
        let own = For {
            var: l.var,
            min,
            extent,
            step: None,
            kind: l.kind.clone(),
            annotations: Vec::new(),
            body: inside,
        };
        let own = Stmt::new(StmtKind::For(Box::new(own)));
        Some(match both(around) {
            Some(cond) => Stmt::guarded(cond, vec![own]),
            None => own,
        })
    }

    /// Whether nothing before a statement of the body meets what it stores, in the first iteration.
    fn may_go_first(&mut self, l: &For, at: usize) -> Result<bool, SolverError> {
        let Some(first) = between::total(&mut self.machine, &l.min) else { return Ok(false) };
        self.machine.programs[0].vars.insert(l.var, first);
        let (mut before, mut stored) = (Accesses::default(), Accesses::default());
        if before.add(&mut self.machine, &l.body[..at]).is_none()
            || stored.add(&mut self.machine, &l.body[at..=at]).is_none()
        {
            return Ok(false);
        }
        before.miss(&mut self.machine, &stored, &self.known, self.inquiry)
    }

    /// Whether nothing else that the body does up to an iteration meets what a statement of it stores there.
    fn may_go_apart(&mut self, l: &For, at: usize) -> Result<bool, SolverError> {
        let (mut other, mut stored) = (Accesses::default(), Accesses::default());
        stored.conditions = between::open(&mut self.machine, l);
        let Some(&here) = self.machine.programs[0].vars.get(&l.var) else { return Ok(false) };
        for stmt in &l.body[..at] {
            if let StmtKind::Bind { var, value } = &stmt.kind {
                between::bind(&mut self.machine, *var, value);
            }
        }
        if stored.add(&mut self.machine, &l.body[at..=at]).is_none() {
            return Ok(false);
        }
        other.conditions = between::open(&mut self.machine, l);
        let Some(&there) = self.machine.programs[0].vars.get(&l.var) else { return Ok(false) };
        let (up_to, before) = (self.machine.terms.at_most(there, here), self.machine.terms.less(there, here));
        other.conditions.push(up_to);
        if other.add(&mut self.machine, &l.body[..at]).is_none() {
            return Ok(false);
        }
        other.conditions.push(before);
        if other.add(&mut self.machine, &l.body[at + 1..]).is_none() {
            return Ok(false);
        }
        other.miss(&mut self.machine, &stored, &self.known, self.inquiry)
    }

    /// A statement with a variable of its own in place of one.
    fn renamed(&mut self, mut stmt: Stmt, var: VarId) -> Stmt {
        let table = self.func.var(var);
        let (name, ty) = (table.name.clone(), table.ty.clone());
        let dtype = ty.dtype();
        let own = self.func.new_var(name, ty);
        rename(&mut stmt, var, own, &Expr::var(own, dtype));
        stmt
    }
}

/// Adds the body of a loop over a variable to that of another one, if both are innermost loops over it under the same condition;
/// else it is left.
fn merged(last: &mut Stmt, stmt: Stmt, var: VarId) -> Option<Stmt> {
    match (&mut last.kind, stmt.kind) {
        (StmtKind::For(one), StmtKind::For(mut other))
            if one.var == var && other.var == var && !has_loop(&one.body) && !has_loop(&other.body) =>
        {
            one.body.append(&mut other.body);
            None
        }
        (StmtKind::If { cond: c, then: one, .. }, StmtKind::If { cond: d, then: mut other, otherwise })
            if *c == d && one.len() == 1 && other.len() == 1 =>
        {
            let left = merged(&mut one[0], other.remove(0), var)?;
            let kind = StmtKind::If { cond: d, then: vec![left], otherwise };
            Some(Stmt { kind, span: stmt.span })
        }
        (_, kind) => Some(Stmt { kind, span: stmt.span }),
    }
}

/// Makes of a condition around several statements one around each, where it has the same value each time, but for those from the
/// first one on that binds something for the others.
fn split_conditions(block: &mut Block) {
    for mut stmt in std::mem::take(block) {
        if let StmtKind::If { cond, then, otherwise } = &mut stmt.kind
            && otherwise.is_empty()
            && is_total(cond)
        {
            split_conditions(then);
            let apart = then.iter().take_while(|stmt| bound_by(stmt).is_none()).count();
            let each = then.drain(..apart);
            block.extend(
                each.map(|inner| Stmt { span: inner.span, ..Stmt::guarded(cond.clone(), vec![inner]) }),
            );
            if then.is_empty() {
                continue;
            }
        }
        block.push(stmt);
    }
}

/// The variable that a statement binds for those behind it.
fn bound_by(stmt: &Stmt) -> Option<VarId> {
    match &stmt.kind {
        StmtKind::Bind { var, .. } => Some(*var),
        _ => None,
    }
}

fn mentions(stmt: &Stmt, which: &impl Fn(VarId) -> bool) -> bool {
    let mut found = false;
    stmt.walk(&mut |stmt| stmt.for_each_expr(|e| found |= e.mentions(which)));
    found
}

fn has_loop(block: &Block) -> bool {
    let mut found = false;
    block.iter().for_each(|stmt| stmt.walk(&mut |stmt| found |= is_loop(stmt)));
    found
}

fn is_loop(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::For(_))
}

/// Whether there are statements that do something else than to store such values.
fn stores(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| !is_pure(std::slice::from_ref(stmt)) && bound_by(stmt).is_none())
}

/// Whether statements do nothing but store values that depend on no memory.
fn is_pure(block: &[Stmt]) -> bool {
    block.iter().all(|stmt| {
        let mut pure = match &stmt.kind {
            StmtKind::Store { .. } => true,
            StmtKind::If { cond, .. } => is_total(cond),
            StmtKind::For(l) => is_plain(l) && is_total(&l.min) && is_total(&l.extent),
            _ => false,
        };
        stmt.for_each_expr(|e| pure &= !e.has_effect() && !reads(e));
        stmt.for_each_block(|inner| pure = pure && is_pure(inner));
        pure
    })
}

/// Whether a value depends on memory, or on where it is.
fn reads(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        found |= matches!(
            e.kind,
            ExprKind::Load { .. } | ExprKind::BufferData(_) | ExprKind::BufferRef(_) | ExprKind::Region(..)
        );
    });
    found
}
