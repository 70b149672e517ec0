//! Inputs that satisfy a program's assumptions.
//!
//! Where an assumption fails because of elements of inputs that nothing has written yet, these elements can be set so
//! that it holds ([`RunMode::repairs`]): `T.assume(4 * i + j < 14 or A[i, j] == 0)` sets `A[i, j]`. Scalars are drawn again
//! until the conditions hold that the function assumes of them at its head ([`assumed_of_scalars`]).

use std::collections::{BTreeMap, BTreeSet};

use super::inputs::{Bindings, Inputs, free_variables};
use super::interpreter::{Interpreter, Run};
use super::marks::Repair;
use super::modes::RunMode;
use super::outcome::{Outcome, TrapKind};
use crate::ir::value::{self, Value};
use crate::ir::{Block, Expr, ExprKind, PrimFunc, StmtKind, VarId};

/// How often a run is begun again with elements that were set.
const MAX_ROUNDS: usize = 4;

/// The run on inputs in which elements were set so that no assumption of elements fails, if that can be; else the last run.
pub(super) fn satisfy(
    interpreter: &Interpreter,
    mut inputs: Inputs,
    mut run: Run,
    mode: RunMode,
) -> (Inputs, Run) {
    for _ in 0..MAX_ROUNDS {
        let Outcome::Trap(trap) = &run.outcome else { break };
        if trap.kind != TrapKind::FalseAssumption {
            break;
        }
        let made = interpreter.run(&inputs, RunMode { repairs: true, ..mode }).repairs;
        if made.is_empty() {
            break;
        }
        for Repair { memory, byte, repr, value } in made {
            if let Some(tensor) = inputs.memories.get_mut(memory as usize) {
                // The same memory as in the run, so it has that byte.
                let _ = repr.store(&mut tensor.data, byte, value);
            }
        }
        run = interpreter.run(&inputs, mode);
    }
    (inputs, run)
}

/// The conditions on scalar parameters and sizes alone that the function assumes whenever it runs.
pub(super) fn assumed_of_scalars(func: &PrimFunc) -> Vec<&Expr> {
    let free: BTreeSet<VarId> = free_variables(func).into_iter().collect();
    let mut found = Vec::new();
    head(&func.body, &mut |e| {
        let Some(("assume", [cond])) = e.as_intrin() else { return };
        let mut scalar = true;
        cond.walk(&mut |e| match &e.kind {
            ExprKind::Var(var) => scalar &= free.contains(var),
            ExprKind::Load { .. } | ExprKind::BufferData(_) => scalar = false,
            _ => {}
        });
        if scalar {
            found.push(cond);
        }
    });
    found
}

/// Calls `f` on what is evaluated in any case: by statements that no loop and no condition holds.
fn head<'a>(block: &'a Block, f: &mut impl FnMut(&'a Expr)) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::Evaluate(e) => f(e),
            StmtKind::Attr { body, .. } => head(body, f),
            StmtKind::SBlock(block) if block.predicate.is_none() => head(&block.body, f),
            _ => {}
        }
    }
}

/// Whether values satisfy such conditions; what cannot be evaluated is no obstacle.
pub(super) fn holds(func: &PrimFunc, conditions: &[&Expr], bindings: &Bindings) -> bool {
    let names: BTreeMap<VarId, i64> = free_variables(func)
        .into_iter()
        .filter_map(|var| Some((var, *bindings.get(&*func.var(var).name)?)))
        .collect();
    let value_of = |var: VarId| {
        let value = *names.get(&var)?;
        let float = func.var(var).ty.dtype().is_float();
        Some(if float { Value::Float(value as f64) } else { Value::Int(value) })
    };
    conditions.iter().all(|cond| value::evaluate(cond, &value_of) != Some(Value::bool(false)))
}
