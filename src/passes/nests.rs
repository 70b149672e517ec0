//! `loops` as a pass on modules, with what it did to each nest.

use super::change::{Change, Nest};
use super::settings::Settings;
use crate::error::Error;
use crate::ir::{Module, PrimFunc};
use crate::loops;

/// Writes loops in ways that take less.
pub(super) fn loops(module: &Module, settings: &Settings<'_>) -> Result<Option<Module>, Error> {
    let mut result = module.clone();
    let mut changed = false;
    for at in 0..result.funcs.len() {
        let func = &result.funcs[at];
        let Some((better, rewritten)) = loops::run(func, settings.options) else { continue };
        changed = true;
        if let Some(stages) = &settings.stages {
            for stage in loops::stages(func, &rewritten) {
                let mut module = result.clone();
                module.funcs[at] = stage;
                stages.borrow_mut().push(module);
            }
        }
        for loops::Rewritten { before, after, steps, .. } in rewritten {
            let name = func.name.to_string();
            let nest = Nest { function: name, before: text(before), after: text(after) };
            settings.nests.borrow_mut().push(nest);
            settings.changes.borrow_mut().extend(steps.into_iter().map(|step| Change {
                function: func.name.to_string(),
                variable: step.variable,
                what: step.done.join(", "),
                before: step.instructions[0] as u64,
                after: step.instructions[1] as u64,
            }));
        }
        result.funcs[at] = better;
    }
    Ok(changed.then_some(result))
}

/// A function as a program.
fn text(func: PrimFunc) -> String {
    Module { funcs: vec![func], ..Module::default() }.to_string()
}
