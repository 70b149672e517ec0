//! TVMScript: text to programs and back.
//!
//! [`parse`] reads what TVM 0.27 prints at any point of its lowering pipeline, and hand-written programs in the
//! same language; the [`Display`](std::fmt::Display) of a [`Module`] prints as TVM prints.
//!
//! The stages are `syntax` (tokens, syntax tree), `lower` (names, types, statements) and `printer`; `fold` is
//! what TVM's operators do to constants, which parser and printer both follow.

mod fold;
mod lower;
mod printer;
mod syntax;

pub use printer::{print_expr, print_func, print_module};

use crate::diag::{Diagnostic, Span};
use crate::ir::{Expr, Module, PrimFunc};

/// Longest source text that is accepted, in bytes.
const MAX_TEXT: usize = 1 << 30;

/// Parses a module; `source_name` is for messages.
pub fn parse(source_name: &str, text: &str) -> Result<Module, Diagnostic> {
    let diagnostic = |span: Span, message: String| Diagnostic::new(source_name, text, span, message);
    if text.len() > MAX_TEXT {
        return Err(diagnostic(
            Span { start: 0, end: 0 },
            format!("the text is longer than {MAX_TEXT} bytes"),
        ));
    }
    let mut ast = syntax::ast::Ast::default();
    let result = syntax::parse_file(text, &mut ast).and_then(|stmts| lower::lower_module(text, ast, &stmts));
    result.map_err(|e| diagnostic(e.0, e.1))
}

/// Parses one expression over the variables and buffers of `env`, which go by their names (of several with one
/// name the last). `T.Let` adds its variable to the table.
pub fn parse_expr(text: &str, env: &mut PrimFunc) -> Result<Expr, Diagnostic> {
    let diagnostic = |span: Span, message: String| Diagnostic::new("<expression>", text, span, message);
    if text.len() > MAX_TEXT {
        return Err(diagnostic(
            Span { start: 0, end: 0 },
            format!("the text is longer than {MAX_TEXT} bytes"),
        ));
    }
    let mut ast = syntax::ast::Ast::default();
    let all = Span { start: 0, end: text.len() as u32 };
    let result =
        syntax::parse_inner(text, all, &mut ast).and_then(|node| lower::lower_expr(text, ast, node, env));
    result.map_err(|e| diagnostic(e.0, e.1))
}
