//! Whether stores may change places with what is executed before them: that nothing of it reads or writes an element that they
//! store. It is shown for all values of the variables around, by what loops and conditions say of them, and by nothing else.

use super::discharge;
use super::inquiry::{Asked, Inquiry};
use super::question::Question;
use super::range::Range;
use super::side::Side;
use super::syntax::is_total;
use super::term::Term;
use super::value::Machine;
use crate::ir::{BufferId, DType, Expr, ExprKind, For, Stmt, StmtKind, VarId};
use crate::smt::SolverError;

/// The most pairs of accesses that are compared for one move.
const MAX_PAIRS: usize = 4_096;

/// An access of memory.
struct Access {
    root: usize,
    dtype: DType,
    /// Where in the memory; unknown if that depends on what memories hold.
    place: Option<Vec<Term>>,
    /// What holds where it is executed.
    conditions: Vec<Term>,
    stores: bool,
}

/// What statements access.
#[derive(Default)]
pub(super) struct Accesses {
    found: Vec<Access>,
    /// What holds where the next statement is.
    pub(super) conditions: Vec<Term>,
}

impl Accesses {
    /// Adds what statements access, which get values for the variables that they bind; `None` if it is unknown what they do.
    pub(super) fn add(&mut self, machine: &mut Machine<'_>, block: &[Stmt]) -> Option<()> {
        block.iter().try_for_each(|stmt| self.add_stmt(machine, stmt))
    }

    fn add_stmt(&mut self, machine: &mut Machine<'_>, stmt: &Stmt) -> Option<()> {
        let mut known = true;
        stmt.for_each_expr(|e| known = known && !e.has_effect() && self.loads(machine, e).is_some());
        if !known {
            return None;
        }
        match &stmt.kind {
            StmtKind::Bind { var, value } => bind(machine, *var, value),
            StmtKind::Evaluate(_) | StmtKind::Decl { .. } => {}
            StmtKind::Store { buffer, indices, .. } => self.access(machine, *buffer, indices, true)?,
            StmtKind::If { cond, then, otherwise } => {
                let cond = total(machine, cond);
                let not = cond.map(|cond| machine.terms.not(cond));
                self.within(machine, cond, then)?;
                self.within(machine, not, otherwise)?;
            }
            StmtKind::For(l) => {
                let within = open(machine, l);
                self.within(machine, within, &l.body)?;
            }
            _ => return None,
        }
        Some(())
    }

    fn within(
        &mut self,
        machine: &mut Machine<'_>,
        conditions: impl IntoIterator<Item = Term>,
        block: &[Stmt],
    ) -> Option<()> {
        let outer = self.conditions.len();
        self.conditions.extend(conditions);
        let done = self.add(machine, block);
        self.conditions.truncate(outer);
        done
    }

    fn loads(&mut self, machine: &mut Machine<'_>, e: &Expr) -> Option<()> {
        let mut done = Some(());
        e.walk(&mut |e| match &e.kind {
            ExprKind::Load { buffer, indices } if done.is_some() => {
                done = self.access(machine, *buffer, indices, false);
            }
            // Whoever has a pointer may read what it points to.
            ExprKind::BufferData(_) | ExprKind::BufferRef(_) | ExprKind::Region(..) => done = None,
            _ => {}
        });
        done
    }

    fn access(
        &mut self,
        machine: &mut Machine<'_>,
        buffer: BufferId,
        indices: &[Expr],
        stores: bool,
    ) -> Option<()> {
        let root = machine.buffers.root(Side::First, buffer).ok()?;
        let dtype = machine.programs[0].func.buffer(buffer).dtype.scalar();
        let place = indices.iter().map(|i| total_index(machine, i)).collect::<Option<Vec<Term>>>();
        let place = place.and_then(|index| {
            machine.quietly(|machine| machine.place_in_memory(Side::First, buffer, index).ok())
        });
        self.found.push(Access { root, dtype, place, conditions: self.conditions.clone(), stores });
        Some(())
    }

    /// Whether none of these accesses meets an element that the others store, where the conditions hold. The others read no
    /// memory.
    pub(super) fn miss(
        &self,
        machine: &mut Machine<'_>,
        stored: &Accesses,
        known: &[Term],
        inquiry: &mut Inquiry<'_>,
    ) -> Result<bool, SolverError> {
        if self.found.len() * stored.found.len() > MAX_PAIRS {
            return Ok(false);
        }
        let mut questions = Vec::new();
        for store in &stored.found {
            if !store.stores || machine.volatile.contains(&store.root) {
                return Ok(false);
            }
            for other in &self.found {
                match apart(machine, store, other, known) {
                    Apart::Yes => {}
                    Apart::No => return Ok(false),
                    Apart::If(question) => questions.push(question),
                }
            }
        }
        let asked: Vec<Asked> =
            questions.iter().map(|question| Asked::linear(&machine.terms, question)).collect();
        Ok(inquiry.open(&asked, 1)?.is_empty())
    }
}

/// Whether two accesses never meet.
enum Apart {
    Yes,
    No,
    /// If this holds.
    If(Question),
}

fn apart(machine: &mut Machine<'_>, store: &Access, other: &Access, known: &[Term]) -> Apart {
    if store.root != other.root {
        let outside = |access: &Access| machine.buffers.outside[access.root];
        let may_share = machine.buffers.alias && outside(store) && outside(other);
        return if may_share { Apart::No } else { Apart::Yes };
    }
    let (Some(a), Some(b)) = (&store.place, &other.place) else { return Apart::No };
    if store.dtype != other.dtype || a.len() != b.len() {
        return Apart::No;
    }
    let terms = &mut machine.terms;
    if terms.apart(a, b) {
        return Apart::Yes;
    }
    if a.iter().chain(b).any(|&term| terms.lane_of(term).is_some()) {
        return Apart::No;
    }
    let premises: Vec<Term> =
        known.iter().chain(&store.conditions).chain(&other.conditions).copied().collect();
    let same = terms.all_equal(a, b);
    let goal = terms.not(same);
    match discharge::implied(terms, &premises, goal) {
        true => Apart::Yes,
        false => Apart::If(Question::new(premises, goal)),
    }
}

/// The value of an expression that has the same one whenever it is evaluated, if it is known to be such.
pub(super) fn total(machine: &mut Machine<'_>, e: &Expr) -> Option<Term> {
    if is_total(e) { machine.described(Side::First, e).ok() } else { None }
}

/// As [`total`], for several lanes too.
fn total_index(machine: &mut Machine<'_>, e: &Expr) -> Option<Term> {
    match &e.kind {
        ExprKind::Ramp(base, stride) if is_total(base) && is_total(stride) => {
            machine.described(Side::First, e).ok()
        }
        _ => total(machine, e),
    }
}

/// Gives a variable its value, or one of which nothing is known.
pub(super) fn bind(machine: &mut Machine<'_>, var: VarId, value: &Expr) {
    let term = match total(machine, value) {
        Some(term) => term,
        None => machine.terms.new_atom("bound", value.dtype, Range::ALL),
    };
    machine.programs[0].vars.insert(var, term);
}

/// Gives the variable of a loop any value that it has; what is known of it.
pub(super) fn open(machine: &mut Machine<'_>, l: &For) -> Vec<Term> {
    let upwards = l.step.as_ref().is_none_or(|step| step.as_int().is_some_and(|n| n > 0));
    let ends = if upwards { total(machine, &l.min).zip(total(machine, &l.extent)) } else { None };
    let range = ends.map_or(Range::ALL, |(min, extent)| machine.last_below(min, extent));
    let var = machine.terms.new_atom("iteration", l.min.dtype, range);
    machine.programs[0].vars.insert(l.var, var);
    let Some((min, extent)) = ends else { return Vec::new() };
    let terms = &mut machine.terms;
    let end = terms.add(min, extent);
    vec![terms.at_most(min, var), terms.less(var, end)]
}
