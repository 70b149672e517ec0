//! Stores to neighbouring elements, in different iterations of loops that are written out or in one iteration: LLVM's SLP
//! vectorizer makes vectors of them, if what they store are elements that are neighbours as well.

use hashbrown::HashMap;

use super::hash::{mix, tag};
use super::registers::condition;
use crate::ir::value::{Value, evaluate};
use crate::ir::{Block, BufferId, Expr, ExprKind, For, PrimFunc, Stmt, StmtKind, VarId};
use crate::target::llvm::nests::{lanes, operation};

/// The most stores that are looked at.
const MAX_STORES: usize = 256;

/// The most loads of which the value of a store is looked at.
const MAX_LOADS: usize = 256;

/// A vector of two elements is the shortest one.
const SHORTEST: usize = 2;

/// The share of its operations that a loop takes when it is written out and neighbours are joined, if that is known. `value`: what
/// variables are that no loop in it has.
pub(super) fn share_of_operations(
    func: &PrimFunc,
    l: &For,
    value: &dyn Fn(VarId) -> Option<i64>,
) -> Option<f64> {
    let mut run = Run::new(value);
    run.for_loop(l)?;
    share_of(func, run)
}

/// The share of its operations that one iteration of a loop takes when neighbours are joined, as far as one in its middle tells.
/// `is_gone`: whether nothing is left of a condition.
pub(super) fn share_of_iteration(
    func: &PrimFunc,
    l: &For,
    value: &dyn Fn(VarId) -> Option<i64>,
    is_gone: &dyn Fn(&Expr) -> bool,
) -> Option<f64> {
    let mut run = Run { is_gone: Some(is_gone), ..Run::new(value) };
    let (min, extent) = (run.integer(&l.min)?, run.integer(&l.extent)?);
    run.iteration.insert(l.var, min.checked_add(extent / 2)?);
    run.block(&l.body)?;
    share_of(func, run)
}

/// How many stores are left of these, as a share, when neighbours are joined.
fn share_of(func: &PrimFunc, run: Run<'_>) -> Option<f64> {
    let Run { mut stores, executed, .. } = run;
    if stores.is_empty() || is_any_loaded(&stores) {
        return None;
    }
    let in_place = stores.iter().any(|store| store.from.contains(&store.to));
    stores.sort_by(|a, b| (a.what, &a.to).cmp(&(b.what, &b.to)));
    let (mut at, mut left) = (0, 0);
    while at < stores.len() {
        let lanes = lanes(u32::from(func.buffer(stores[at].to.buffer).dtype.bits)) as usize;
        let mut width = lanes;
        // The last vector of a row that the C library copies overlaps the one before it.
        let ends_a_row = at > 0 && stores[at].what.1.is_some() && is_vector(&stores[at - 1..], SHORTEST);
        while width >= SHORTEST && !is_vector(&stores[at..], width) {
            width = if ends_a_row { width - 1 } else { width / 2 };
        }
        at += width.max(1);
        left += 1;
    }
    // Elements that stay in registers may be vectors all the same.
    let is_known = left < stores.len() || executed == stores.len() && !in_place;
    is_known.then_some(left as f64 / stores.len() as f64)
}

/// An element of a buffer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::target) struct Element {
    pub(in crate::target) buffer: BufferId,
    pub(in crate::target) indices: Vec<i64>,
}

/// A store that is executed.
struct Store {
    /// A hash of the operations by which its value is computed; the loop that copies a row, if it does: a call of the C library; and
    /// a hash of the conditions around it.
    what: (u64, Option<VarId>, u64),
    to: Element,
    /// What it loads, in order.
    from: Vec<Element>,
}

impl Element {
    /// Whether it is so many elements behind another one.
    pub(in crate::target) fn is_behind(&self, first: &Element, distance: usize) -> bool {
        let (Some((last, others)), Some((start, same))) =
            (self.indices.split_last(), first.indices.split_last())
        else {
            return false;
        };
        self.buffer == first.buffer && others == same && last.checked_sub(*start) == Some(distance as i64)
    }
}

/// Whether a statement loads of what others store to: that may be another element, but it takes more than a comparison of these to
/// know.
fn is_any_loaded(stores: &[Store]) -> bool {
    let is_stored = |from: &Element| stores.iter().any(|store| store.to.buffer == from.buffer);
    stores.iter().any(|store| store.from.iter().any(|from| *from != store.to && is_stored(from)))
}

/// Whether the first of these are one vector: they store to neighbours what is loaded from neighbours, or from one element.
fn is_vector(stores: &[Store], width: usize) -> bool {
    let Some((first, others)) = stores.get(..width).and_then(<[Store]>::split_first) else { return false };
    let is_row = |get: &dyn Fn(&Store) -> Option<&Element>| {
        let Some(start) = get(first) else { return false };
        let mut behind = others.iter().enumerate();
        behind.all(|(at, store)| get(store).is_some_and(|element| element.is_behind(start, at + 1)))
    };
    let is_one = |number: usize| others.iter().all(|store| store.from.get(number) == first.from.get(number));
    others.iter().all(|store| store.what == first.what)
        && is_row(&|store| Some(&store.to))
        && (0..first.from.len()).all(|number| is_row(&|store| store.from.get(number)) || is_one(number))
}

/// The iterations of a loop, run for the elements that they store and load.
struct Run<'a> {
    value: &'a dyn Fn(VarId) -> Option<i64>,
    /// What the variables of the loops are, and those of bindings in them.
    iteration: HashMap<VarId, i64>,
    bound: HashMap<VarId, i64>,
    /// Whether nothing is left of a condition; if not given, that is so of all, which the loop decides that is written out.
    is_gone: Option<&'a dyn Fn(&Expr) -> bool>,
    /// A hash of the conditions that are left around what is looked at: vectors are made within a basic block.
    guard: u64,
    /// The innermost loop, if it does nothing but to copy a row.
    row: Option<VarId>,
    stores: Vec<Store>,
    /// The stores by their elements, and how many there were, those included that were overwritten.
    stored: HashMap<Element, usize>,
    executed: usize,
}

/// Whether a loop does nothing but to copy or fill elements.
fn copies(l: &For) -> bool {
    match &l.body[..] {
        [Stmt { kind: StmtKind::Store { value, .. }, .. }] => {
            value.is_number() || matches!(value.kind, ExprKind::Load { .. })
        }
        _ => false,
    }
}

impl<'a> Run<'a> {
    fn new(value: &'a dyn Fn(VarId) -> Option<i64>) -> Run<'a> {
        Run {
            value,
            iteration: HashMap::new(),
            bound: HashMap::new(),
            is_gone: None,
            guard: 0,
            row: None,
            stores: Vec::new(),
            stored: HashMap::new(),
            executed: 0,
        }
    }

    fn integer(&self, e: &Expr) -> Option<i64> {
        let of = |var| {
            let inside = self.iteration.get(&var).or_else(|| self.bound.get(&var)).copied();
            inside.or_else(|| (self.value)(var)).map(Value::Int)
        };
        evaluate(e, &of)?.as_int()
    }

    /// Whether something is left of a condition.
    fn stays(&self, cond: &Expr) -> bool {
        self.is_gone.is_some_and(|is_gone| !is_gone(cond))
    }

    /// Whether a condition holds, if nothing but the loops decides that.
    fn holds(&self, cond: &Expr) -> Option<bool> {
        let value = evaluate(cond, &|var| self.iteration.get(&var).copied().map(Value::Int))?;
        Some(value.as_int()? != 0)
    }

    fn element(&self, buffer: BufferId, indices: &[Expr]) -> Option<Element> {
        let indices: Option<Vec<i64>> = indices.iter().map(|index| self.integer(index)).collect();
        Some(Element { buffer, indices: indices? })
    }

    fn for_loop(&mut self, l: &For) -> Option<()> {
        let (min, extent) = (self.integer(&l.min)?, self.integer(&l.extent)?);
        for step in 0..extent {
            self.iteration.insert(l.var, min.checked_add(step)?);
            self.block(&l.body)?;
        }
        Some(())
    }

    fn block(&mut self, block: &Block) -> Option<()> {
        for stmt in block {
            match &stmt.kind {
                StmtKind::For(l) => {
                    self.row = copies(l).then_some(l.var);
                    self.for_loop(l)?;
                    self.row = None;
                }
                StmtKind::If { cond, then, otherwise } => {
                    if self.stays(cond) {
                        let around = self.guard;
                        for (arm, block) in [then, otherwise].into_iter().enumerate() {
                            self.guard = mix(mix(around, condition(cond)), arm as u64);
                            self.block(block)?;
                        }
                        self.guard = around;
                    } else {
                        let holds = self.holds(cond)?;
                        self.block(if holds { then } else { otherwise })?;
                    }
                }
                StmtKind::Bind { var, value } => match self.integer(value) {
                    Some(value) => drop(self.bound.insert(*var, value)),
                    None => drop(self.bound.remove(var)),
                },
                StmtKind::Store { buffer, indices, value } if self.executed < MAX_STORES => {
                    self.executed += 1;
                    let mut from = Vec::new();
                    let operations = self.value(value, &mut from)?;
                    let to = self.element(*buffer, indices)?;
                    self.store(Store { what: (operations, self.row, self.guard), to, from });
                }
                _ => return None,
            }
        }
        Some(())
    }

    /// Of stores to one element the last one counts.
    fn store(&mut self, store: Store) {
        match self.stored.get(&store.to) {
            Some(&at) => self.stores[at] = store,
            None => {
                self.stored.insert(store.to.clone(), self.stores.len());
                self.stores.push(store);
            }
        }
    }

    /// A hash of the operations by which a value is computed, and what it loads; `None` if no vector does that.
    fn value(&self, e: &Expr, from: &mut Vec<Element>) -> Option<u64> {
        match &e.kind {
            ExprKind::Load { buffer, indices } => {
                let element = self.element(*buffer, indices)?;
                if let Some(store) = self.stored.get(&element).and_then(|&at| self.stores.get(at)) {
                    // It is in a register.
                    if from.len() + store.from.len() > MAX_LOADS {
                        return None;
                    }
                    from.extend_from_slice(&store.from);
                    return Some(store.what.0);
                }
                from.push(element);
                return Some(tag(e));
            }
            ExprKind::Call(call) if call.is_lazy_select() => {
                if self.stays(&call.args[0]) {
                    return None;
                }
                return self.value(&call.args[if self.holds(&call.args[0])? { 1 } else { 2 }], from);
            }
            _ => {}
        }
        let (mut hash, mut is_known) = (tag(e), operation(e).on_vectors);
        e.for_each_child(|part| match self.value(part, from) {
            Some(part) => hash = mix(hash, part),
            None => is_known = false,
        });
        is_known.then_some(hash)
    }
}
