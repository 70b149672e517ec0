//! What can stop an optimization: one error type for the library's entry points.

use crate::diag::{Diagnostic, Span};
pub use crate::verify::Violation;

/// Why a module was not optimized. The input is untouched.
///
/// ```
/// use satir::Error;
///
/// let module = satir::parse("@T.prim_func\ndef main(x: T.int32):\n    T.evaluate(x)\n    break\n")?;
/// match satir::cse::run(&module, &satir::cse::Options::default()) {
///     Err(Error::Invalid(violations)) => assert_eq!(violations.len(), 1),
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The program breaks a rule of the language; all violations that were found.
    #[error("{}", list(.0))]
    Invalid(Vec<Violation>),
    /// A text is no expression.
    #[error("{0}")]
    Text(#[from] Diagnostic),
    /// A variable cannot be as it is declared.
    #[error("variable `{name}`: {what}")]
    Variable {
        /// Its name.
        name: String,
        /// What is wrong.
        what: String,
    },
    /// What is given as a condition is none.
    #[error("`{text}` is `{dtype}`, expected `bool`")]
    Condition {
        /// What was given.
        text: String,
        /// Its type.
        dtype: String,
    },
    /// No pass has this name.
    #[error("there is no pass `{name}`; the passes are {known}")]
    UnknownPass {
        /// The name that was asked for.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// A text is no pipeline of passes.
    #[error("`{text}` is no pipeline of passes: {what}")]
    Pipeline {
        /// The text.
        text: String,
        /// What is wrong with it.
        what: String,
    },
    /// A pass made a program that breaks a rule of the language: a bug in satir. Its result is dropped.
    #[error("bug in satir: the pass `{pass}` made an invalid program, which was dropped: {}", list(.violations))]
    Broken {
        /// The pass.
        pass: &'static str,
        /// What is wrong with its result.
        violations: Vec<Violation>,
    },
    /// A pass cannot do to this program what it was asked for; nothing was changed.
    #[error("{}", list(.0))]
    Refused(Vec<Violation>),
    /// What a pass was told makes no sense for the program.
    #[error("{pass}: {what}")]
    Argument {
        /// The pass.
        pass: &'static str,
        /// What is wrong.
        what: String,
    },
    /// This build has no implementation of what was asked for.
    #[error("{0} is not available in this build")]
    Unavailable(&'static str),
}

impl Error {
    /// The error for people: with places, if it is about the program that `text` is the source of.
    ///
    /// ```
    /// let text = "@T.prim_func\ndef main(x: T.int32):\n    T.evaluate(x)\n    break\n";
    /// let error = satir::cse::run(&satir::parse(text)?, &satir::cse::Options::default()).unwrap_err();
    /// assert!(error.render("my.py", text).starts_with("my.py:4:5: error: "));
    /// # Ok::<(), satir::diag::Diagnostic>(())
    /// ```
    pub fn render(&self, file: &str, text: &str) -> String {
        match self {
            Error::Invalid(violations) | Error::Refused(violations) => {
                let lines = violations.iter().map(|v| match v.span {
                    Span::NONE => format!("{file}: error: {}", v.message),
                    span => Diagnostic::new(file, text, span, v.message.as_str()).to_string(),
                });
                lines.collect::<Vec<_>>().join("\n")
            }
            Error::Text(diagnostic) => diagnostic.to_string(),
            Error::Variable { .. }
            | Error::Condition { .. }
            | Error::UnknownPass { .. }
            | Error::Pipeline { .. }
            | Error::Broken { .. }
            | Error::Argument { .. }
            | Error::Unavailable(_) => {
                format!("{file}: error: {self}")
            }
        }
    }
}

fn list(violations: &[Violation]) -> String {
    violations.iter().map(|v| v.message.as_str()).collect::<Vec<_>>().join("; ")
}
