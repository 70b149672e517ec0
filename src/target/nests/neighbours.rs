//! Stores to neighbouring elements in different iterations of loops that are written out: LLVM's SLP vectorizer makes vectors of
//! them, if what they store are elements that are neighbours as well.

use hashbrown::HashMap;

use super::hash::{mix, tag};
use crate::ir::value::{Value, evaluate};
use crate::ir::{Block, BufferId, Expr, ExprKind, For, PrimFunc, StmtKind, VarId};
use crate::target::llvm::nests::{lanes, operation};

/// The most stores that are looked at.
const MAX_STORES: usize = 256;

/// A vector of two elements is the shortest one.
const SHORTEST: usize = 2;

/// The share of its operations that a loop takes when it is written out and neighbours are joined, if that is known. `value`: what
/// variables are that no loop in it has.
pub(super) fn share_of_operations(
    func: &PrimFunc,
    l: &For,
    value: &dyn Fn(VarId) -> Option<i64>,
) -> Option<f64> {
    let mut run = Run { value, iteration: HashMap::new(), bound: HashMap::new(), stores: Vec::new() };
    run.for_loop(l, 0)?;
    let mut stores = run.stores;
    if stores.is_empty() || is_any_loaded(&stores) {
        return None;
    }
    stores.sort_by(|a, b| (a.what, &a.to).cmp(&(b.what, &b.to)));
    if stores.windows(2).any(|two| two[0].to == two[1].to) {
        return None;
    }
    let (mut at, mut left) = (0, 0);
    while at < stores.len() {
        let lanes = lanes(u32::from(func.buffer(stores[at].to.buffer).dtype.bits)) as usize;
        let mut width = lanes;
        while width >= SHORTEST && !is_vector(&stores[at..], width) {
            width /= 2;
        }
        at += width.max(1);
        left += 1;
    }
    Some(left as f64 / stores.len() as f64)
}

/// An element of a buffer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Element {
    buffer: BufferId,
    indices: Vec<i64>,
}

/// A store that is executed.
struct Store {
    /// Hashes of the place of the statement and of the operations by which its value is computed.
    what: (u64, u64),
    to: Element,
    /// What it loads, in order.
    from: Vec<Element>,
}

impl Element {
    /// Whether it is so many elements behind another one.
    fn is_behind(&self, first: &Element, distance: usize) -> bool {
        let (Some((last, others)), Some((start, same))) =
            (self.indices.split_last(), first.indices.split_last())
        else {
            return false;
        };
        self.buffer == first.buffer && others == same && last.checked_sub(*start) == Some(distance as i64)
    }
}

/// Whether a statement loads what one stores to: it may be another element, but that takes more than a comparison of these.
fn is_any_loaded(stores: &[Store]) -> bool {
    stores.iter().any(|store| store.from.iter().any(|from| stores.iter().any(|s| s.to.buffer == from.buffer)))
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
    stores: Vec<Store>,
}

impl Run<'_> {
    fn integer(&self, e: &Expr) -> Option<i64> {
        let of = |var| {
            let inside = self.iteration.get(&var).or_else(|| self.bound.get(&var)).copied();
            inside.or_else(|| (self.value)(var)).map(Value::Int)
        };
        evaluate(e, &of)?.as_int()
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

    fn for_loop(&mut self, l: &For, place: u64) -> Option<()> {
        let (min, extent) = (self.integer(&l.min)?, self.integer(&l.extent)?);
        for step in 0..extent {
            self.iteration.insert(l.var, min.checked_add(step)?);
            self.block(&l.body, place)?;
        }
        Some(())
    }

    /// `place`: a hash of where the block is.
    fn block(&mut self, block: &Block, place: u64) -> Option<()> {
        for (at, stmt) in block.iter().enumerate() {
            let here = mix(place, at as u64);
            match &stmt.kind {
                StmtKind::For(l) => self.for_loop(l, here)?,
                StmtKind::If { cond, then, otherwise } => {
                    let holds = self.holds(cond)?;
                    self.block(if holds { then } else { otherwise }, mix(here, u64::from(holds)))?;
                }
                StmtKind::Bind { var, value } => match self.integer(value) {
                    Some(value) => drop(self.bound.insert(*var, value)),
                    None => drop(self.bound.remove(var)),
                },
                StmtKind::Store { buffer, indices, value } if self.stores.len() < MAX_STORES => {
                    let mut from = Vec::new();
                    let operations = self.value(value, &mut from)?;
                    let to = self.element(*buffer, indices)?;
                    self.stores.push(Store { what: (here, operations), to, from });
                }
                _ => return None,
            }
        }
        Some(())
    }

    /// A hash of the operations by which a value is computed, and what it loads; `None` if no vector does that.
    fn value(&self, e: &Expr, from: &mut Vec<Element>) -> Option<u64> {
        match &e.kind {
            ExprKind::Load { buffer, indices } => {
                from.push(self.element(*buffer, indices)?);
                return Some(tag(e));
            }
            ExprKind::Call(call) if call.is_lazy_select() => {
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
