//! What elements of buffers are known to hold, as facts of the places that read them.
//!
//! Before each statement that loads an element of which [`contents`] knows the value, an assumption is put that says so,
//! marked as one that the program does not have ([`mark`]); afterwards these are taken away again. So a fact on an element
//! lives as all facts on buffers do, and ends at the next write.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use hashbrown::HashMap;

use super::kept::Numbers;
use crate::analysis::accesses::{Accesses, Kind, is_plain};
use crate::analysis::instances::Asker;
use crate::analysis::memory::MARK;
use crate::analysis::{contents, lets, recall};
use crate::ir::{AttrValue, BinOp, Block, BufferId, Callee, DType, Expr, ExprKind, PrimFunc, Stmt, StmtKind};

/// The most questions for each access, and those for any function.
const QUESTIONS: (usize, usize) = (4, 200);

/// The most lanes of a stored vector of which each is told.
const MAX_LANES: u16 = 16;

/// Puts what is known of elements before the statements that load them; whether there is any.
pub(super) fn state(func: &mut PrimFunc) -> bool {
    if !may_know(func) {
        return false;
    }
    let told = tell_lanes(&mut func.body);
    let found = match Numbers::of(func) {
        Some(numbers) => kept(func, &numbers),
        None => Accesses::new(func).map(|accesses| known(func, &asker(&accesses), 0..usize::MAX)),
    };
    let Some(found) = found.filter(|found| !found.is_empty()) else {
        if told {
            take_back(&mut func.body);
        }
        return false;
    };
    insert(&mut func.body, &mut 0, &found);
    true
}

/// Whether an element of integers that is loaded may have a known value: the function assumes so, or stores a value that reads
/// no memory.
fn may_know(func: &PrimFunc) -> bool {
    let (mut said, mut read): (Vec<BufferId>, Vec<BufferId>) = Default::default();
    for stmt in &func.body {
        stmt.walk(&mut |stmt| {
            if let StmtKind::Store { buffer, value, .. } = &stmt.kind
                && is_plain(value)
            {
                said.push(*buffer);
            }
            let assumes =
                matches!(&stmt.kind, StmtKind::Evaluate(e) if matches!(e.as_intrin(), Some(("assume", _))));
            stmt.for_each_expr(|e| {
                e.walk(&mut |e| {
                    if let ExprKind::Load { buffer, .. } = e.kind
                        && is_integral(e.dtype)
                    {
                        if assumes { said.push(buffer) } else { read.push(buffer) }
                    }
                });
            });
        });
    }
    read.iter().any(|buffer| said.contains(buffer))
}

/// Puts what elements hold behind stores of vectors, which are accesses of no one element; whether there are any.
fn tell_lanes(block: &mut Block) -> bool {
    let mut told = false;
    let mut out = Vec::with_capacity(block.len());
    for mut stmt in std::mem::take(block) {
        stmt.for_each_block_mut(|inner| told |= tell_lanes(inner));
        let fact = lanes_of(&stmt);
        out.push(stmt);
        told |= fact.is_some();
        out.extend(fact.map(|fact| Stmt::new(StmtKind::Evaluate(mark(fact)))));
    }
    *block = out;
    told
}

/// What a store of a short vector of integers leaves in each element.
fn lanes_of(stmt: &Stmt) -> Option<Expr> {
    let StmtKind::Store { buffer, indices, value } = &stmt.kind else { return None };
    let (ExprKind::Ramp(base, stride), outer) =
        indices.split_last().map(|(last, outer)| (&last.kind, outer))?
    else {
        return None;
    };
    let lanes = value.dtype.lanes;
    let scalar = value.dtype.with_lanes(1);
    let is_told =
        lanes <= MAX_LANES && is_integral(scalar) && stride.as_int().is_some_and(|stride| stride != 0);
    if !is_told || ![value].into_iter().chain(indices).all(is_plain) {
        return None;
    }
    let at = |base: &Expr, stride: &Expr, lane: u16| {
        let steps = Expr::int(i64::from(lane), stride.dtype);
        if lane == 0 { base.clone() } else { base.clone() + stride.clone() * steps }
    };
    let of_lane = |lane: u16| {
        let held = match &value.kind {
            ExprKind::Broadcast(held) => (**held).clone(),
            ExprKind::Ramp(base, stride) => at(base, stride, lane),
            _ => return None,
        };
        let indices = outer.iter().cloned().chain([at(base, stride, lane)]).collect();
        Some(Expr::binary(BinOp::Eq, Expr::load(scalar, *buffer, indices), held))
    };
    let each: Option<Vec<Expr>> = (0..lanes).map(of_lane).collect();
    each?.into_iter().reduce(|a, b| Expr::binary(BinOp::And, a, b))
}

fn is_integral(dtype: DType) -> bool {
    dtype.is_scalar() && (dtype.is_integral() || dtype.is_bool())
}

fn asker(accesses: &Accesses) -> Asker<'_> {
    Asker::new(accesses, QUESTIONS.1.max(QUESTIONS.0 * accesses.list.len()).min(20_000))
}

/// What is known of the function's statements in a search, which keeps it: what elements hold at a statement is said by what
/// stands before it. `None` if nothing can be known.
fn kept(func: &PrimFunc, numbers: &Numbers) -> Option<HashMap<usize, Expr>> {
    /// The statements of a function up to the one that is asked about.
    #[derive(Clone, PartialEq, Eq, Hash)]
    struct Up(usize);

    let accesses = OnceCell::new();
    let asked = OnceCell::new();
    let mut all = HashMap::new();
    let mut first = 0;
    for (stmt, &list) in func.body.iter().zip(&numbers.lists) {
        let mut length = 0;
        stmt.walk(&mut |_| length += 1);
        // Numbers of statements within this one.
        let found: Option<Rc<HashMap<usize, Expr>>> = recall::answer(&Up(list), |_| {
            let accesses = accesses.get_or_init(|| Accesses::new(func)).as_ref()?;
            let found = known(func, asked.get_or_init(|| asker(accesses)), first..first + length);
            Some(Rc::new(found.into_iter().map(|(number, fact)| (number - first, fact)).collect()))
        });
        all.extend(found?.iter().map(|(number, fact)| (first + number, fact.clone())));
        first += length;
    }
    Some(all)
}

/// What is known, by number of the statement, of those with these numbers.
fn known(func: &PrimFunc, asker: &Asker<'_>, numbers: Range<usize>) -> HashMap<usize, Expr> {
    let accesses = asker.accesses;
    let bound = lets::bound(&func.body);
    // Loads behind a guard of the statement's own are not loaded wherever the statement runs.
    let mut least: HashMap<usize, usize> = HashMap::new();
    for access in &accesses.list {
        let guards = least.entry(access.stmt).or_insert(access.guards.len());
        *guards = (*guards).min(access.guards.len());
    }
    let stating: Vec<usize> = accesses
        .list
        .iter()
        .filter(|access| matches!(access.kind, Kind::Assumed(_)))
        .map(|access| access.stmt)
        .collect();
    let mut found: HashMap<usize, Expr> = HashMap::new();
    for access in &accesses.list {
        let dtype = func.buffer(access.buffer).dtype;
        if access.kind != Kind::Load
            || !numbers.contains(&access.stmt)
            || !access.exact
            || !is_integral(dtype)
            || least.get(&access.stmt) != Some(&access.guards.len())
            || stating.binary_search(&access.stmt).is_ok()
        {
            continue;
        }
        let at = asker.itself(access);
        let mut facts = at.conditions.clone();
        facts.extend(asker.in_bounds(access));
        let Some(content) = contents::value(asker, &at, &facts, access.buffer, &access.indices) else {
            continue;
        };
        let in_scope = !crate::arith::invert::mentions(&content.value, &bound);
        if content.value.dtype == dtype && is_plain(&content.value) && in_scope {
            let load = Expr::load(dtype, access.buffer, access.indices.clone());
            let fact = Expr::binary(BinOp::Eq, load, content.value);
            let all = match found.remove(&access.stmt) {
                Some(before) => Expr::binary(BinOp::And, before, fact),
                None => fact,
            };
            found.insert(access.stmt, all);
        }
    }
    found
}

fn insert(block: &mut Block, number: &mut usize, found: &HashMap<usize, Expr>) {
    let mut out = Vec::with_capacity(block.len());
    for mut stmt in std::mem::take(block) {
        if let Some(fact) = found.get(number) {
            out.push(Stmt::new(StmtKind::Evaluate(mark(fact.clone()))));
        }
        *number += 1;
        stmt.for_each_block_mut(|inner| insert(inner, number, found));
        out.push(stmt);
    }
    *block = out;
}

/// The assumption that states a fact that was found out.
fn mark(fact: Expr) -> Expr {
    let mut stated = Expr::call(DType::BOOL, "assume", vec![fact]);
    if let ExprKind::Call(call) = &mut stated.kind {
        call.kwargs.push((MARK.into(), AttrValue::Bool(true)));
    }
    stated
}

/// Takes away what [`state`] put.
pub(super) fn take_back(block: &mut Block) {
    block.retain_mut(|stmt| {
        stmt.for_each_block_mut(take_back);
        !is_marked(stmt)
    });
}

fn is_marked(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Evaluate(Expr { kind: ExprKind::Call(call), .. })
        if matches!(&call.callee, Callee::Intrin(name) if &**name == "assume")
            && call.kwargs.iter().any(|(key, _)| &**key == MARK))
}
