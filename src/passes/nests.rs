//! `loops` as a pass on modules, with what it did to each nest.

use super::change::Change;
use super::settings::Settings;
use crate::error::Error;
use crate::ir::Module;
use crate::loops;

/// Writes loops in ways that take less.
pub(super) fn loops(module: &Module, settings: &Settings<'_>) -> Result<Option<Module>, Error> {
    let mut result = module.clone();
    let mut changes = Vec::new();
    for func in &mut result.funcs {
        let Some((better, taken)) = loops::run(func, settings.options) else { continue };
        changes.extend(taken.into_iter().map(|step| Change {
            function: func.name.to_string(),
            variable: step.variable,
            what: step.done.join(", "),
            before: step.instructions[0] as u64,
            after: step.instructions[1] as u64,
        }));
        *func = better;
    }
    let changed = !changes.is_empty();
    settings.changes.borrow_mut().extend(changes);
    Ok(changed.then_some(result))
}
