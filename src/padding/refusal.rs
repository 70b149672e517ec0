//! Why a pass does not do what it was asked for, with the places in the program.

use std::sync::Arc;

use crate::diag::Span;
use crate::error::Error;
use crate::ir::PrimFunc;
use crate::verify::Violation;

/// What stands in the way in one function.
pub(super) struct Refusals {
    function: Arc<str>,
    found: Vec<Violation>,
}

impl Refusals {
    pub(super) fn of(func: &PrimFunc) -> Refusals {
        Refusals { function: func.name.clone(), found: Vec::new() }
    }

    pub(super) fn add(&mut self, span: Span, message: impl Into<String>) {
        self.found.push(Violation { function: self.function.clone(), span, message: message.into() });
    }

    /// An error if anything stands in the way.
    pub(super) fn result(self) -> Result<(), Error> {
        if self.found.is_empty() { Ok(()) } else { Err(Error::Refused(self.found)) }
    }
}

/// The refusal of one thing.
pub(super) fn refuse<T>(func: &PrimFunc, span: Span, message: impl Into<String>) -> Result<T, Error> {
    Err(Error::Refused(vec![Violation { function: func.name.clone(), span, message: message.into() }]))
}
