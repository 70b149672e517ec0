//! Lets loops run over the elements of a buffer in their order, instead of over what its indices are computed from.

mod depend;
mod found;
mod rewrite;
mod solve;
mod split;

use std::collections::BTreeMap;

use self::found::Found;
use self::rewrite::{Rewriting, guarded, is_total};
use self::solve::{Solved, solve};
use super::accesses::{Access, each_access, in_root};
use super::assume::is_assumption;
use super::refusal::refuse;
use super::values::{bind_axes, inlined};
use crate::diag::Span;
use crate::error::Error;
use crate::ir::{Block, BufferId, Expr, ExprKind, For, ForKind, PrimFunc, Stmt, StmtKind, VarId};
use crate::script::print_expr;

/// The name of the pass.
const NAME: &str = "sequential-access";

/// How [`sequential_access`] goes about it.
///
/// ```
/// use satir::padding::Sequential;
///
/// let only_init = Sequential { block: Some("init"), ..Sequential::default() };
/// assert!(!only_init.fast_math);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequential<'a> {
    /// Only the loop nests that hold the block of this name. Where there is no block `init`, it stands for the nests that
    /// store to the buffer and do not load from it.
    pub block: Option<&'a str>,
    /// Whether floats may be added in another order.
    pub fast_math: bool,
}

/// Lets the loop nests that access the buffer of this name run over its elements, dimension by dimension, with a condition
/// where not all of them are accessed. Statements that do not access it are moved to a loop of their own before, where the
/// iterations change their order. Nests that run over the elements already stay as they are. Whether anything changed.
///
/// Where the iterations of a sum of integers change their order, so do the sums of a part of its terms.
///
/// # Errors
///
/// If there is no such buffer, a nest accesses it at different indices, these cannot be solved for the loops' variables, or
/// iterations that depend on each other would change their order. Nothing is changed then.
///
/// ```
/// use satir::padding::{Sequential, sequential_access};
///
/// let mut module = satir::parse(
///     "@T.prim_func\ndef main(A: T.Buffer((4, 4), \"int32\")):\n    for i in range(14):\n        A[i // 4, i % 4] = i\n",
/// )?;
/// assert!(sequential_access(&mut module.funcs[0], "A", &Sequential::default())?);
/// let text = module.to_string();
/// assert!(text.contains("A[io, ii] = ") && text.contains("< 14"), "{text}");
/// assert!(!sequential_access(&mut module.funcs[0], "A", &Sequential::default())?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sequential_access(func: &mut PrimFunc, buffer: &str, how: &Sequential<'_>) -> Result<bool, Error> {
    let id = super::find_buffer(func, buffer, NAME)?;
    let mut result = func.clone();
    let mut body = std::mem::take(&mut result.body);
    let named = how.block.is_some_and(|name| has_block(&body, name));
    let mut changed = false;
    let done = in_root(&mut body, &mut |block: &mut Block| {
        let mut kept = Block::with_capacity(block.len());
        for stmt in std::mem::take(block) {
            if !is_meant(&stmt, id, how.block, named) {
                kept.push(stmt);
                continue;
            }
            match nest(&mut result, &stmt, id, how.fast_math)? {
                Some(made) => {
                    changed = true;
                    kept.extend(made);
                }
                None => kept.push(stmt),
            }
        }
        *block = kept;
        Ok::<(), Error>(())
    });
    done?;
    if changed {
        result.body = body;
        *func = result;
    }
    Ok(changed)
}

fn has_block(body: &Block, name: &str) -> bool {
    let mut found = false;
    body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            found |= matches!(&stmt.kind, StmtKind::SBlock(block) if *block.name == *name);
        });
    });
    found
}

/// Whether a statement is a nest that is to be changed.
fn is_meant(stmt: &Stmt, id: BufferId, block: Option<&str>, named: bool) -> bool {
    let (mut loads, mut stores) = (false, false);
    each_access(stmt, id, &mut |access, _, _| match access {
        Access::Load => loads = true,
        Access::Store => stores = true,
    });
    let chosen = match block {
        Some(name) if named => has_block(&vec![stmt.clone()], name),
        Some(_) => stores && !loads,
        None => true,
    };
    matches!(stmt.kind, StmtKind::For(_)) && (loads || stores) && chosen
}

/// What a nest becomes; `None` if it runs over the elements already.
fn nest(func: &mut PrimFunc, stmt: &Stmt, id: BufferId, fast_math: bool) -> Result<Option<Block>, Error> {
    let Some(found) = find_access(func, stmt, id)? else { return Ok(None) };
    if is_sequential(func, &found, id) {
        return Ok(None);
    }
    let Some(solved) = solve(func, &found, id) else {
        let access = access_text(func, id, &found.indices);
        return refuse(
            func,
            found.span,
            format!("the access `{access}` could not be solved for the variables of the loops around it"),
        );
    };
    if let Some(made) = in_place(func, stmt, &found, &solved, id) {
        return Ok(Some(made));
    }
    split::reordered(func, stmt, &found, &solved, id, fast_math).map(Some)
}

/// The access to a buffer in a nest, if all are at the same indices; an error names two that are not.
fn find_access(func: &PrimFunc, stmt: &Stmt, id: BufferId) -> Result<Option<Found>, Error> {
    let mut values = BTreeMap::new();
    let mut found: Option<Found> = None;
    let mut other = None;
    collect(stmt, id, &mut Vec::new(), &mut values, &mut |indices, loops, span| match &mut found {
        None => {
            let loops = loops.iter().map(|for_| (*for_).clone()).collect();
            found = Some(Found { indices, loops, values: BTreeMap::new(), span });
        }
        Some(found) => {
            if found.indices != indices && other.is_none() {
                other = Some((indices, span));
            }
            let common = found.loops.iter().zip(loops).take_while(|(a, b)| a.var == b.var).count();
            found.loops.truncate(common);
        }
    });
    if let (Some(found), Some((indices, span))) = (&found, other) {
        let (a, b) = (access_text(func, id, &found.indices), access_text(func, id, &indices));
        return refuse(func, span, format!("the loops access both `{a}` and `{b}`"));
    }
    Ok(found.map(|found| Found { values, ..found }))
}

fn access_text(func: &PrimFunc, id: BufferId, indices: &[Expr]) -> String {
    let indices: Vec<String> = indices.iter().map(|e| print_expr(func, e)).collect();
    format!("{}[{}]", func.buffer(id).name, indices.join(", "))
}

fn collect<'a>(
    stmt: &'a Stmt,
    id: BufferId,
    loops: &mut Vec<&'a For>,
    values: &mut BTreeMap<VarId, Expr>,
    f: &mut impl FnMut(Vec<Expr>, &[&'a For], Span),
) {
    if is_assumption(stmt) {
        return;
    }
    stmt.for_each_expr(|e| {
        e.walk(&mut |e| {
            if let ExprKind::Load { buffer, indices } = &e.kind
                && *buffer == id
            {
                f(indices.iter().map(|e| inlined(e, values)).collect(), loops, stmt.span);
            }
        });
    });
    match &stmt.kind {
        StmtKind::Store { buffer, indices, .. } if *buffer == id => {
            f(indices.iter().map(|e| inlined(e, values)).collect(), loops, stmt.span);
        }
        StmtKind::Bind { var, value } => {
            let value = inlined(value, values);
            if is_total(&value) {
                values.insert(*var, value);
            }
        }
        StmtKind::SBlock(block) => bind_axes(block, values),
        _ => {}
    }
    let is_loop = if let StmtKind::For(for_) = &stmt.kind {
        loops.push(for_);
        true
    } else {
        false
    };
    stmt.for_each_block(|block| block.iter().for_each(|stmt| collect(stmt, id, loops, values, f)));
    if is_loop {
        loops.pop();
    }
}

/// Whether the loops run over the elements of a buffer in their order.
fn is_sequential(func: &PrimFunc, found: &Found, id: BufferId) -> bool {
    let shape = &func.buffer(id).shape;
    let mut at = 0;
    found.indices.iter().zip(shape).all(|(index, extent)| {
        let Some(var) = index.as_var() else {
            return index.as_int() == Some(0) && extent.as_int() == Some(1);
        };
        let Some(next) = found.loops[at..].iter().position(|for_| for_.var == var) else { return false };
        let for_ = &found.loops[at + next];
        at += next + 1;
        for_.min.as_int() == Some(0) && for_.extent == *extent
    })
}

/// The nest with each solved loop replaced by loops over axes, where that keeps the order of all iterations.
fn in_place(func: &mut PrimFunc, stmt: &Stmt, found: &Found, solved: &Solved, id: BufferId) -> Option<Block> {
    // `break` would leave one of several loops.
    let mut leaves = false;
    stmt.walk(&mut |stmt| leaves |= matches!(stmt.kind, StmtKind::Break | StmtKind::Return(_)));
    if leaves || !solved.reaches_the_buffer(func, found, id, &[]) {
        return None;
    }
    let groups = solved.groups(func, found)?;
    let mut stmt = stmt.clone();
    let rewriting = Rewriting { found, solved, id };
    replace_loops(&mut stmt, &groups, &rewriting, func);
    Some(vec![stmt])
}

fn replace_loops(stmt: &mut Stmt, groups: &[solve::Group], rewriting: &Rewriting<'_>, func: &PrimFunc) {
    stmt.for_each_block_mut(|block| {
        block.iter_mut().for_each(|stmt| replace_loops(stmt, groups, rewriting, func));
    });
    let StmtKind::For(for_) = &mut stmt.kind else { return };
    let Some(group) = groups.iter().find(|group| group.var == for_.var) else { return };
    let mut body = std::mem::take(&mut for_.body);
    body.iter_mut().for_each(|stmt| rewriting.stmt(stmt));
    let body = match group.condition.clone() {
        Some(cond) => guarded(cond, body, stmt.span),
        None => body,
    };
    let StmtKind::For(old) = std::mem::replace(&mut stmt.kind, StmtKind::Break) else { return };
    let shape = &func.buffer(rewriting.id).shape;
    let mut inner = body;
    for (at, &k) in group.axes.iter().enumerate().rev() {
        let var = rewriting.solved.axes[k];
        let extent = shape[k].clone();
        let kind = if at == 0 { old.kind.clone() } else { ForKind::Serial };
        let annotations = if at == 0 { old.annotations.clone() } else { Vec::new() };
        let min = Expr::int(0, extent.dtype);
        let made = For { var, min, extent, step: None, kind, annotations, body: inner };
        inner = vec![Stmt { span: stmt.span, kind: StmtKind::For(Box::new(made)) }];
    }
    if let Some(Stmt { kind, .. }) = inner.into_iter().next() {
        stmt.kind = kind;
    }
}
