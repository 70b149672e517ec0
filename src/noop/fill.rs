//! Padding gets a value: where `if c: A[i] = x` stores nothing, a constant is stored that nobody sees. That alone gains
//! nothing; it is done where conditions go afterwards that rest on the value.

use super::obstacle::Obstacle;
use super::overcompute;
use super::reason::{Change, Described};
use super::settings::Settings;
use super::statements::find;
use super::under::{ghosts, noop_under};
use crate::analysis::accesses::{Access, Accesses, Kind, is_plain};
use crate::analysis::instances::Asker;
use crate::ir::value::Value;
use crate::ir::{DType, Expr, PrimFunc, StmtKind};

/// The most stores that get a counterpart in one function.
const MAX_FILLS: usize = 16;

/// The most constants that are tried.
const MAX_VALUES: usize = 16;

/// Chooses values for padding, while conditions go afterwards that did not go before.
pub(super) fn run(func: &mut PrimFunc, settings: Settings) -> Vec<Change> {
    let mut changes = Vec::new();
    while changes.len() < MAX_FILLS {
        let Some((made, change)) = best(func, settings) else { break };
        *func = made;
        changes.push(change);
    }
    changes
}

/// The first of the fills after which most conditions go.
fn best(func: &PrimFunc, settings: Settings) -> Option<(PrimFunc, Change)> {
    let gone = |func: &PrimFunc| overcompute::run(&mut func.clone(), settings).changes.len();
    let sites: Vec<usize> = overcompute::sites(&func.body)
        .into_iter()
        .filter(|&site| stored(func, site).is_some())
        .take(MAX_FILLS)
        .collect();
    if sites.is_empty() {
        return None;
    }
    let mut most = gone(func);
    let mut found = None;
    for site in sites {
        let Some(dtype) = stored(func, site) else { continue };
        for value in constants(func, dtype) {
            let mut made = func.clone();
            let Ok(change) = at(&mut made, site, &value, settings) else { break };
            let now = gone(&made);
            if now > most {
                most = now;
                found = Some((made, change));
            }
        }
    }
    found
}

/// The type of what the one statement of a condition without alternative stores.
fn stored(func: &PrimFunc, site: usize) -> Option<DType> {
    let StmtKind::If { then, otherwise, .. } = &find(&func.body, site)?.kind else { return None };
    match (&then[..], otherwise.is_empty()) {
        ([store], true) => match &store.kind {
            StmtKind::Store { value, .. } if value.dtype.is_scalar() => Some(value.dtype),
            _ => None,
        },
        _ => None,
    }
}

/// Stores a value where the condition does not hold under which the statement stores another one.
fn at(func: &mut PrimFunc, site: usize, value: &Expr, settings: Settings) -> Result<Change, Obstacle> {
    let mut accesses = Accesses::new(func).ok_or(Obstacle::Statement)?;
    let condition = accesses.conditions.get(&site).cloned().ok_or(Obstacle::Nothing)?;
    if !is_plain(&condition.cond) {
        return Err(Obstacle::Statement);
    }
    let added: Vec<_> = ghosts(&accesses, accesses.spans[site], &condition)
        .into_iter()
        .filter(|access| access.writes())
        .map(|access| Access { kind: Kind::Store(value.clone()), ..access })
        .collect();
    let [store] = &added[..] else { return Err(Obstacle::Nothing) };
    // The indices must not read memory, which might not be read otherwise.
    if !store.indices.iter().all(is_plain) {
        return Err(Obstacle::Read(store.buffer));
    }
    let buffer = func.name_of(store.buffer);
    let len = accesses.list.len();
    accesses.add(added);
    let reasons = noop_under(&Asker::new(&accesses, Asker::budget(&accesses)), func, len, settings)?;
    let mut number = 0;
    fill(&mut func.body, &mut number, site, value);
    let text = spelled(value).unwrap_or_default();
    Ok(Change { what: format!("the padding of `{buffer}` becomes {text}"), reasons })
}

fn fill(block: &mut [crate::ir::Stmt], number: &mut usize, site: usize, with: &Expr) {
    for stmt in block {
        if *number == site
            && let StmtKind::If { then, otherwise, .. } = &mut stmt.kind
        {
            *otherwise = then.clone();
            for stmt in otherwise {
                if let StmtKind::Store { value, .. } = &mut stmt.kind {
                    *value = with.clone();
                }
            }
            *number += 1;
            continue;
        }
        *number += 1;
        stmt.for_each_block_mut(|inner| fill(inner, number, site, with));
    }
}

/// The constants that padding may be: what is neutral to some operation, the ends of the type, and the program's own.
pub(super) fn constants(func: &PrimFunc, dtype: DType) -> Vec<Expr> {
    let mut found: Vec<Expr> = Vec::new();
    if dtype.is_float() {
        found.extend([0.0, 1.0, -1.0, f64::NEG_INFINITY, f64::INFINITY].map(|v| Expr::float(v, dtype)));
    } else if let Some((least, greatest)) = dtype.int_range() {
        let ends = [least, greatest].into_iter().filter_map(|v| i64::try_from(v).ok());
        let fits = |v: &i64| (least..=greatest).contains(&i128::from(*v));
        found.extend([0, 1, -1].into_iter().filter(fits).chain(ends).map(|v| Expr::int(v, dtype)));
    }
    for stmt in &func.body {
        stmt.walk(&mut |stmt| {
            stmt.for_each_expr(|e| {
                e.walk(&mut |e| {
                    let constant = e.is_number();
                    if constant && e.dtype == dtype && found.len() < MAX_VALUES && !found.contains(e) {
                        found.push(e.clone());
                    }
                });
            });
        });
    }
    found
}

/// A constant as options spell it.
pub(super) fn spelled(value: &Expr) -> Option<String> {
    match Value::of(value)? {
        Value::Int(v) => Some(v.to_string()),
        Value::Float(v) => Some(format!("{v:?}")),
    }
}
