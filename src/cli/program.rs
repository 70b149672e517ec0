//! Programs from texts: parsed, verified, and what is wrong with them.

use std::collections::BTreeSet;
use std::sync::Arc;

use satir::interp;
use satir::ir::Module;
use satir::script::MAX_MISTAKES;

use super::io::{Failure, Source};
use super::threads::prepare_threads;

/// Parses and verifies a program.
pub(crate) fn checked(source: &Source) -> Result<Module, Failure> {
    let module = parse(source)?;
    verify(source, &module)?;
    Ok(module)
}

/// Verifies a program.
pub(crate) fn verify(source: &Source, module: &Module) -> Result<(), Failure> {
    satir::verify::verify(module).map_err(|violations| failure(source, &satir::Error::Invalid(violations)))
}

/// Parses a program, for what verifies it itself. All mistakes are told.
pub(crate) fn parse(source: &Source) -> Result<Module, Failure> {
    let module = satir::script::parse_all(&source.name, &source.text).map_err(|mistakes| {
        let mut texts: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        if mistakes.len() >= MAX_MISTAKES {
            texts.push(format!("note: no more than {MAX_MISTAKES} mistakes are shown"));
        }
        Failure::Bad(texts.join("\n"))
    })?;
    if module.funcs.len() > 1 {
        prepare_threads(None);
    }
    Ok(module)
}

/// The names that `--bind` can give values to.
pub(crate) fn bindable(module: &Module) -> BTreeSet<Arc<str>> {
    module.funcs.iter().flat_map(interp::bindable).collect()
}

/// An optimization that failed, with places in the source.
pub(crate) fn failure(source: &Source, error: &satir::Error) -> Failure {
    Failure::Bad(error.render(&source.name, &source.text))
}
