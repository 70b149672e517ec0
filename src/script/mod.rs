//! TVMScript: text to programs and back.
//!
//! [`parse`] reads what TVM 0.27 prints at any point of its lowering pipeline, and hand-written programs in the
//! same language; the [`Display`](std::fmt::Display) of a [`Module`] prints as TVM prints.
//!
//! The stages are `syntax` (tokens, syntax tree), `lower` (names, types, statements) and `printer`; `fold` is
//! what TVM's operators do to constants, which parser and printer both follow.

mod fold;
mod lower;
mod mistakes;
mod names;
mod printer;
mod read;
mod syntax;

pub(crate) use fold::fold;
#[doc(hidden)]
pub use mistakes::MAX_MISTAKES;
pub(crate) use printer::ExprPrinter;
pub use printer::{print_expr, print_func, print_module};

use std::sync::Arc;

use crate::diag::{Diagnostic, Span};
use crate::ir::{DType, Expr, Module, PrimFunc, VarId};
use read::{MAX_TEXT, attempt};

/// Parses a module; `source_name` is for messages.
///
/// ```
/// let error = satir::script::parse("kernel.py", "@T.prim_func\ndef main(:\n").unwrap_err();
/// assert!(error.to_string().starts_with("kernel.py:2:10: error: "), "{error}");
/// ```
pub fn parse(source_name: &str, text: &str) -> Result<Module, Diagnostic> {
    attempt(text).map_err(|failed| Diagnostic::new(source_name, text, failed.error.0, failed.error.1))
}

/// As [`parse`], with all mistakes by place instead of the first that was found, up to [`MAX_MISTAKES`]. Mistakes that may only follow
/// from others are not among them.
///
/// ```
/// let text = "@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\")):\n    A[0] = x\n    y = = 3\n    A[1] = y\n    A[z] = 1\n";
/// let mistakes = satir::script::parse_all("kernel.py", text).unwrap_err();
/// assert_eq!(mistakes.iter().map(|mistake| mistake.line).collect::<Vec<_>>(), [3, 4, 6]);
/// assert!(satir::script::parse_all("kernel.py", "@T.prim_func\ndef main():\n    T.evaluate(0)\n").is_ok());
/// ```
///
/// # Errors
///
/// The mistakes; at least one if there is no module.
pub fn parse_all(source_name: &str, text: &str) -> Result<Module, Vec<Diagnostic>> {
    mistakes::find(source_name, text)
}

/// Parses one expression over the variables and buffers of `env`, which go by their names (of several with one
/// name the last). `T.Let` adds its variable to the table; its name need not be in `env`.
///
/// ```
/// use satir::ir::DType;
/// use satir::ir::build::FuncBuilder;
/// use satir::script::{parse_expr, print_expr};
///
/// let mut builder = FuncBuilder::new("main");
/// builder.param("x", DType::I32);
/// let mut func = builder.finish();
/// let e = parse_expr("T.max(x, 1) * (2 + x)", &mut func)?;
/// assert_eq!(print_expr(&func, &e), "T.max(x, 1) * (2 + x)");
/// assert!(parse_expr("x + y", &mut func).is_err());
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn parse_expr(text: &str, env: &mut PrimFunc) -> Result<Expr, Diagnostic> {
    parse_alone(text, |ast, node| lower::lower_expr(text, ast, node, env))
}

/// A function of indices, as Python writes it.
///
/// ```
/// use satir::ir::build::FuncBuilder;
/// use satir::script::{parse_lambda, print_expr};
///
/// let mut func = FuncBuilder::new("main").finish();
/// let map = parse_lambda("lambda i, j: [i // 4, j, i % 4]", &mut func)?;
/// assert_eq!((map.params.len(), map.body.len()), (2, 3));
/// assert_eq!(print_expr(&func, &map.body[2]), "i % 4");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Lambda {
    /// The parameters, which are new variables of the function that the text was parsed for.
    pub params: Vec<VarId>,
    /// The items of the list or tuple that the body is, or the body.
    pub body: Vec<Expr>,
}

/// Parses `lambda i, j: [i // 4, i % 4, j]` over the variables and buffers of `env`; the parameters are new variables of it.
///
/// ```
/// use satir::ir::build::FuncBuilder;
/// use satir::script::parse_lambda;
///
/// let mut func = FuncBuilder::new("main").finish();
/// assert!(parse_lambda("lambda i: i + 1", &mut func).is_ok());
/// let error = parse_lambda("lambda i: [i + n]", &mut func).unwrap_err();
/// assert!(error.message.contains('n'));
/// ```
///
/// # Errors
///
/// If it is no lambda, or uses other names than those of `env`.
pub fn parse_lambda(text: &str, env: &mut PrimFunc) -> Result<Lambda, Diagnostic> {
    let (params, body) =
        parse_alone(text, |ast, node| lower::lower_lambda(text, ast, node, DType::I32, env))?;
    Ok(Lambda { params, body })
}

/// Reads a text that is a single expression.
fn parse_alone<'s, T>(
    text: &'s str,
    lower: impl FnOnce(syntax::ast::Ast<'s>, syntax::ast::NodeId) -> Result<T, syntax::SpannedError>,
) -> Result<T, Diagnostic> {
    let diagnostic = |span: Span, message: String| Diagnostic::new("<expression>", text, span, message);
    if text.len() > MAX_TEXT {
        return Err(diagnostic(
            Span { start: 0, end: 0 },
            format!("the text is longer than {MAX_TEXT} bytes"),
        ));
    }
    let mut ast = syntax::ast::Ast::default();
    let all = Span { start: 0, end: text.len() as u32 };
    let result = syntax::parse_inner(text, all, &mut ast).and_then(|node| lower(ast, node));
    result.map_err(|e| diagnostic(e.0, e.1))
}

/// The names of variables that an expression uses and does not bind itself, in order of appearance: what
/// [`parse_expr`] has to be given.
///
/// ```
/// use satir::script::names_of;
///
/// let names = names_of("T.max(x, A[y + x]) + T.Let(z * n, where={z: x})")?;
/// assert_eq!(names, ["x".into(), "y".into(), "n".into()]);
/// assert!(names_of("x +").is_err());
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
///
/// # Errors
///
/// If it is no expression.
#[doc(hidden)]
pub fn names_of(text: &str) -> Result<Vec<Arc<str>>, Diagnostic> {
    parse_alone(text, |ast, node| Ok(names::free_names(&ast, node)))
}
