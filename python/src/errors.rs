//! Errors as the exceptions of `satir.errors`.

use pyo3::prelude::*;
use satir::Error;
use satir::diag::Diagnostic;
use satir::rules::RulesError;

/// An exception of `satir.errors`, with the place that it is about.
fn raise(class: &str, message: String, place: Option<(&str, u32, u32)>) -> PyErr {
    Python::attach(|py| {
        let made = py.import("satir.errors").and_then(|errors| {
            let class = errors.getattr(class)?;
            match place {
                Some((file, line, column)) => class.call1((message, file, line, column)),
                None => class.call1((message,)),
            }
        });
        match made {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    })
}

/// An option that makes no sense.
pub(crate) fn option(message: impl Into<String>) -> PyErr {
    raise("OptionError", message.into(), None)
}

/// A text that is no program.
pub(crate) fn text(error: &Diagnostic) -> PyErr {
    raise("ParseError", error.to_string(), Some((&error.file, error.line, error.column)))
}

/// A module that cannot go through satir.
pub(crate) fn unsupported(message: &str) -> PyErr {
    raise("UnsupportedModule", message.to_owned(), None)
}

/// Rules that cannot be used.
pub(crate) fn rules(error: &RulesError) -> PyErr {
    match error {
        RulesError::Bad(mistakes) => match mistakes.first() {
            Some(first) => {
                raise("RulesError", error.to_string(), Some((&first.file, first.line, first.column)))
            }
            None => raise("RulesError", error.to_string(), None),
        },
        _ => raise("RulesError", error.to_string(), None),
    }
}

/// Rules that are wrong.
pub(crate) fn refused(message: String) -> PyErr {
    raise("RulesError", message, None)
}

/// A result that does something else than the program.
pub(crate) fn differs(message: String) -> PyErr {
    raise("ValidationError", message, None)
}

/// A panic: a bug.
pub(crate) fn panic(message: &str) -> PyErr {
    raise("SatirBug", format!("internal error (a bug in satir, please report it): {message}"), None)
}

/// What stopped the optimizer. `text` is what the program was read from.
pub(crate) fn stopped(error: &Error, file: &str, text: &str) -> PyErr {
    let rendered = error.render(file, text);
    match error {
        Error::Text(diagnostic) => self::text(diagnostic),
        Error::Invalid(violations) => {
            let span = violations.first().map(|violation| violation.span);
            let place = span.filter(|span| *span != satir::diag::Span::NONE && !text.is_empty());
            let place = place.map(|span| Diagnostic::new(file, text, span, ""));
            raise("InvalidProgram", rendered, place.as_ref().map(|at| (file, at.line, at.column)))
        }
        Error::Broken { .. } => raise("SatirBug", rendered, None),
        Error::Variable { .. } | Error::Condition { .. } => raise("OptionError", error.to_string(), None),
        _ => option(error.to_string()),
    }
}
