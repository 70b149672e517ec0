//! Loops that stay on scalars: those of which LLVM makes vectors that take more.
//!
//! LLVM's loop vectorizer also takes loops whose elements are no neighbours, and puts these into vectors one by one. For it a
//! load is an instruction, while x86's operations on scalars load one of their operands themselves. So what it makes may
//! execute twice as many instructions. It takes no loop with a call that has no form for vectors, such as the intrinsic
//! `llvm.arithmetic.fence`, of which no instruction is left.

use hashbrown::{HashMap, HashSet};

use super::llvm::nests::lanes;
use super::nests::{self, Decided, Element, Odds, Slowed};
use crate::cost::{Bindings, Profile};
use crate::ir::intrin::FENCE;
use crate::ir::value::{Value, evaluate};
use crate::ir::{Block, BufferId, DType, Expr, For, Kind, PrimFunc, Stmt, StmtKind, VarId};

/// Puts a fence into each loop that takes less on scalars. Returns whether there were any.
pub(crate) fn keep(func: &mut PrimFunc, profile: &Profile, bindings: &Bindings) -> bool {
    let slowed = nests::taken(func, profile, bindings, (&Odds::default(), Decided::Free)).slowed;
    if slowed.is_empty() {
        return false;
    }
    let mut found = false;
    for stmt in &mut func.body {
        in_stmt(stmt, &slowed, &mut found);
    }
    found
}

fn in_stmt(stmt: &mut Stmt, slowed: &HashMap<VarId, Slowed>, found: &mut bool) {
    if let StmtKind::For(l) = &mut stmt.kind
        && let Some(&how) = slowed.get(&l.var)
    {
        *found |= fence(l, how);
        return;
    }
    stmt.for_each_block_mut(|block| block.iter_mut().for_each(|stmt| in_stmt(stmt, slowed, found)));
}

/// The most stores of a loop among which places are looked for.
const MAX_STORES: usize = 64;

/// Puts a fence into a loop, if there is a place for one.
fn fence(l: &mut For, how: Slowed) -> bool {
    let mut seen = Seen { varying: HashSet::from_iter([l.var]), ..Seen::default() };
    seen.look_at(&l.body, 0);
    if seen.stores.len() > MAX_STORES {
        return false;
    }
    let nexts = std::iter::once(None).chain(seen.loops.iter().map(|(var, _)| Some(*var)));
    seen.samples = nexts.map(|next| seen.sample(next)).collect();
    let Some(place) = seen.place(how) else { return false };
    let mut number = 0;
    l.body.iter_mut().for_each(|stmt| fence_in(stmt, &place, &mut number));
    true
}

/// What a fence goes around.
enum Place {
    /// What a store stores, by its number.
    Value(usize),
    /// This part of what stores store.
    Part(Expr),
}

fn fence_in(stmt: &mut Stmt, place: &Place, number: &mut usize) {
    if let StmtKind::Store { value, .. } = &mut stmt.kind {
        match place {
            Place::Value(wanted) if wanted == number => fence_value(value),
            Place::Value(_) => {}
            Place::Part(part) => fence_part(value, part),
        }
        *number += 1;
    }
    stmt.for_each_block_mut(|block| block.iter_mut().for_each(|stmt| fence_in(stmt, place, number)));
}

fn fence_value(value: &mut Expr) {
    let inner = std::mem::replace(value, Expr::bool(false));
    *value = Expr::call(inner.dtype, FENCE, vec![inner]);
}

fn fence_part(value: &mut Expr, part: &Expr) {
    if value == part {
        fence_value(value);
    } else {
        value.for_each_child_mut(|child| fence_part(child, part));
    }
}

/// A store in a loop.
struct Store {
    buffer: BufferId,
    indices: Vec<Expr>,
    value: Expr,
    /// How many loops in the loop it stands in.
    depth: usize,
}

/// What is known of a loop.
#[derive(Default)]
struct Seen {
    stores: Vec<Store>,
    /// The variables that it changes.
    varying: HashSet<VarId>,
    /// Those of loops in it with their lengths, and what is bound to something that these change.
    loops: Vec<(VarId, Option<i64>)>,
    bound: HashSet<VarId>,
    /// What variables are bound to in it, in order.
    bindings: Vec<(VarId, Expr)>,
    /// Some values of variables, and for each loop in it the same in its next iteration.
    samples: Vec<Sample>,
}

/// Values of variables.
#[derive(Default)]
struct Sample {
    next: Option<VarId>,
    bound: HashMap<VarId, Option<i64>>,
}

impl Sample {
    fn value(&self, e: &Expr) -> Option<i64> {
        let any = |var: VarId| 1_000 + 613 * i64::from(var.0) % 4_001 + i64::from(self.next == Some(var));
        let of = |var| self.bound.get(&var).copied().unwrap_or_else(|| Some(any(var))).map(Value::Int);
        evaluate(e, &of)?.as_int()
    }

    /// The element that a store is to.
    fn element(&self, store: &Store) -> Option<Element> {
        let indices = store.indices.iter().map(|index| self.value(index)).collect::<Option<_>>()?;
        Some(Element { buffer: store.buffer, indices })
    }
}

impl Seen {
    fn look_at(&mut self, block: &Block, depth: usize) {
        for stmt in block {
            let mut inner = depth;
            match &stmt.kind {
                StmtKind::For(l) => {
                    self.loops.push((l.var, l.extent.as_int()));
                    inner += 1;
                }
                StmtKind::Bind { var, value } => {
                    if self.varies(value) {
                        self.varying.insert(*var);
                    }
                    if self.varies_within(value) {
                        self.bound.insert(*var);
                    }
                    self.bindings.push((*var, value.clone()));
                }
                StmtKind::Store { buffer, indices, value } => self.stores.push(Store {
                    buffer: *buffer,
                    indices: indices.clone(),
                    value: value.clone(),
                    depth,
                }),
                _ => {}
            }
            stmt.for_each_block(|block| self.look_at(block, inner));
        }
    }

    fn varies(&self, e: &Expr) -> bool {
        e.mentions(|var| self.varying.contains(&var))
    }

    /// Whether loops in the loop change something.
    fn varies_within(&self, e: &Expr) -> bool {
        e.mentions(|var| self.loops.iter().any(|(of, _)| *of == var) || self.bound.contains(&var))
    }

    fn loads_what_is_stored(&self, e: &Expr) -> bool {
        e.loads_from(|buffer| self.stores.iter().any(|store| store.buffer == buffer))
    }

    fn sample(&self, next: Option<VarId>) -> Sample {
        let mut sample = Sample { next, ..Sample::default() };
        for (var, value) in &self.bindings {
            let value = if value.dtype.is_index() { sample.value(value) } else { None };
            sample.bound.insert(*var, value);
        }
        sample
    }

    /// Where a fence costs least: in the fewest loops, as far behind as possible. LLVM's SLP vectorizer makes no vector of
    /// neighbours one of which has one.
    fn place(&self, how: Slowed) -> Option<Place> {
        let mut order: Vec<usize> = (0..self.stores.len()).rev().collect();
        order.sort_by_key(|&number| self.stores[number].depth);
        let find = |fits: &dyn Fn(&Store) -> bool| {
            let mut all = order.iter().copied();
            let fits =
                |number: &usize| self.has_form(&self.stores[*number].value) && fits(&self.stores[*number]);
            all.find(fits).map(Place::Value)
        };
        if !how.with_rows {
            return find(&|_| true);
        }
        let alone = find(&|store| self.neighbours(store).next().is_none() && !self.is_of_loops(store));
        let part =
            || order.iter().find_map(|&number| self.part(&self.stores[number], &self.stores[number].value));
        // A row that accumulates is kept in vectors all the time.
        let any = || find(&|store| !self.is_of_loops(store) && !self.loads_what_is_stored(&store.value));
        alone.or_else(|| part().map(Place::Part)).or_else(|| if how.on_scalars { any() } else { None })
    }

    /// Whether a value may have a fence around it that the loop changes.
    fn has_form(&self, value: &Expr) -> bool {
        let DType { kind, bits, .. } = value.dtype;
        kind == Kind::Float && bits >= 32 && value.dtype.is_scalar() && self.varies(value)
    }

    /// A part of a value of a store that is the same for all its neighbours.
    fn part(&self, store: &Store, value: &Expr) -> Option<Expr> {
        if self.has_form(value)
            && !self.varies_within(value)
            && !self.loads_what_is_stored(value)
            && self.neighbours(store).all(|other| contains(&other.value, value))
        {
            return Some(value.clone());
        }
        let mut found = None;
        value.for_each_child(|part| found = found.take().or_else(|| self.part(store, part)));
        found
    }

    /// Whether iterations of loops in the loop may store elements next to that of a store, and as many as a vector has.
    fn is_of_loops(&self, store: &Store) -> bool {
        let lanes = lanes(u32::from(store.value.dtype.bits)) as i64;
        self.loops.iter().zip(1..).any(|((_, length), next)| {
            length.is_none_or(|length| length >= lanes) && self.are_neighbours(store, store, next)
        })
    }

    /// Stores by other statements that may be to the elements next to that of a store.
    fn neighbours(&self, store: &Store) -> impl Iterator<Item = &Store> {
        self.stores.iter().filter(move |other| self.are_neighbours(store, other, 0))
    }

    /// Whether elements may be next to each other in a row, the second one as it is in another sample.
    fn are_neighbours(&self, store: &Store, other: &Store, sample: usize) -> bool {
        if store.buffer != other.buffer {
            return false;
        }
        match (self.samples[0].element(store), self.samples[sample].element(other)) {
            (Some(here), Some(there)) => here.is_behind(&there, 1) || there.is_behind(&here, 1),
            _ => true,
        }
    }
}

fn contains(e: &Expr, part: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= e == part);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Module;
    use crate::target::tests::same_after;

    /// A function with these lines.
    fn program(body: &str) -> Module {
        let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
        let head = "@T.prim_func\ndef main(A: T.Buffer((65536,)), R: T.Buffer((256,)), B: T.Buffer((65536,))):\n    T.func_attr({\"tirx.noalias\": True})\n";
        crate::parse(&format!("{head}{body}")).unwrap_or_else(|e| panic!("{e}\n{body}"))
    }

    /// What becomes of it, if anything: it does the same.
    fn made(body: &str) -> Option<String> {
        let keep = |func: &mut PrimFunc| keep(func, &Profile::default(), &Bindings::default());
        let (module, found) = same_after(&program(body), keep);
        let text = module.to_string();
        assert_eq!(crate::parse(&text).map(|parsed| parsed.to_string()), Ok(text.clone()));
        assert!(!keep(&mut module.funcs[0].clone()), "one fence is enough: {module}");
        found.then_some(text)
    }

    #[track_caller]
    fn becomes(body: &str, line: &str) {
        let text = made(body).unwrap_or_else(|| panic!("it stays: {body}"));
        let line = line.replace("fence", "T.call_llvm_pure_intrin(\"float32\", \"llvm.arithmetic.fence\"");
        assert!(text.contains(&line), "{line} is not in\n{text}");
    }

    #[test]
    fn sums_of_elements_that_are_no_neighbours_stay_on_scalars() {
        becomes(
            "for i in range(256):\n    B[i] = T.float32(0)\n    for k in range(9):\n        B[i] = B[i] + A[i * 9 + k]",
            "B[i] = fence, B[i] + A[i * 9 + k])",
        );
        becomes(
            "for i in range(256):\n    B[i] = A[i * 3] + A[i * 3 + 1] + A[i * 3 + 2]",
            "B[i] = fence, A[i * 3]",
        );
    }

    #[test]
    fn neighbours_go_on_vectors() {
        for body in [
            "for i in range(256):\n    B[i] = A[i] + A[i + 1] + A[i + 2]",
            "for i in range(256):\n    B[i * 2] = A[i] * A[i]",
        ] {
            assert_eq!(made(body), None);
        }
    }

    /// LLVM's SLP vectorizer takes what stands in an iteration: all of a row, or nothing of it.
    #[test]
    fn a_fence_keeps_rows_together() {
        becomes(
            "for i in range(19):\n    for j in range(33):\n        B[i * 33 + j] = R[i] * A[i * 33 + j] * A[j]",
            "B[i * 33 + j] = fence, R[i]) * A[i * 33 + j] * A[j]",
        );
        let row = |of: &str| {
            let store = |by: usize| format!("    B[i * 31 + {by}] = A[i * 37 + {by}] * {of}\n");
            format!("for i in range(64):\n{}", (0..4).map(store).collect::<String>())
        };
        // What is the same in all of the row has one in all of it.
        let (with_rows, on_scalars) = (true, true);
        let fenced = |of: &str, how| places(&row(of), how);
        assert_eq!(fenced("R[i]", Slowed { with_rows, on_scalars: false }), [1, 1, 1, 1]);
        // What differs has one only where scalars take less as well, and nowhere if the row accumulates.
        assert_eq!(fenced("A[i * 4]", Slowed { with_rows, on_scalars }), [1, 1, 1, 1]);
        assert_eq!(fenced("R[3]", Slowed { with_rows, on_scalars: false }), [0, 0, 0, 0]);
        assert_eq!(fenced("R[3]", Slowed { with_rows, on_scalars }), [0, 0, 0, 1]);
        assert_eq!(fenced("B[3]", Slowed { with_rows, on_scalars }), [0, 0, 0, 0]);
        assert_eq!(fenced("R[3]", Slowed { with_rows: false, on_scalars }), [0, 0, 0, 1]);
    }

    /// How many fences are in each line of the loop's body.
    fn places(body: &str, how: Slowed) -> Vec<usize> {
        let mut func = program(body).funcs.remove(0);
        if let Some(Stmt { kind: StmtKind::For(l), .. }) = func.body.last_mut() {
            fence(l, how);
        }
        let text = crate::script::print_func(&func);
        text.lines().filter(|line| line.contains("B[i")).map(|line| line.matches(FENCE).count()).collect()
    }
}
