//! A text read once: the module, or the first mistake that is found.

use super::syntax::SpannedError;
use super::{lower, syntax};
use crate::diag::Span;
use crate::ir::Module;

/// Longest source text that is accepted, in bytes.
pub(super) const MAX_TEXT: usize = 1 << 30;

/// A mistake, and where the statement with it begins.
pub(super) struct Failed {
    pub(super) error: SpannedError,
    pub(super) start: u32,
}

impl From<SpannedError> for Failed {
    fn from(error: SpannedError) -> Failed {
        Failed { start: error.0.start, error }
    }
}

/// The module, or the first mistake that is found.
pub(super) fn attempt(text: &str) -> Result<Module, Failed> {
    if text.len() > MAX_TEXT {
        let message = format!("the text is longer than {MAX_TEXT} bytes");
        return Err(SpannedError::new((Span { start: 0, end: 0 }, message)).into());
    }
    let tokens = syntax::lex(text);
    // Hardly any node takes no token.
    let mut ast = syntax::ast::Ast::with_capacity(tokens.tokens.len());
    with_stack(tokens.depth, || {
        let stmts =
            syntax::parse_file(text, tokens, &mut ast).map_err(|(error, start)| Failed { error, start })?;
        with_stack(ast.height(), || {
            lower::lower_module(text, ast, &stmts).map_err(|(error, start)| Failed { error, start })
        })
    })
}

/// Stack for deeper ones: enough for [`MAX_DEPTH`](crate::ir::MAX_DEPTH).
const DEEP_STACK: usize = 64 << 20;

/// Runs `work`, which recurses `height` deep, where there is room for it.
fn with_stack<T: Send, E: From<SpannedError> + Send>(
    height: u32,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> Result<T, E> {
    if height <= syntax::SHALLOW {
        return work();
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(DEEP_STACK).spawn_scoped(scope, work);
        match thread.map(|thread| thread.join()) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(e) => {
                let message = format!("no thread for a deep program: {e}");
                Err(SpannedError::new((Span { start: 0, end: 0 }, message)).into())
            }
        }
    })
}
