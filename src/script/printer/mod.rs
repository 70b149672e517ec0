//! Programs to text, as TVM 0.27 prints them.
//!
//! Where TVM's own printer loses something, this one prints what reads back: comparisons of comparisons get
//! parentheses, slices of negative stride stay ramps, names never collide with Python's or TVMScript's own.

mod buffer;
mod expr;
mod func;
mod literal;
mod names;
mod sblock;
mod signature;
mod state;
mod stmt;

use std::fmt::{self, Write};
use std::sync::Arc;

use self::signature::{Signature, type_var_names};
use self::state::Printer;
use crate::ir::{AttrValue, BufferId, Expr, Module, PrimFunc, VarId};

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_module(self))
    }
}

/// The module as a text of its own.
///
/// ```
/// let module = satir::parse("@T.prim_func\ndef main(x: T.int32):\n    T.evaluate(x)\n")?;
/// let text = satir::script::print_module(&module);
/// assert!(text.contains("class Module:\n    @T.prim_func\n    def main(x: T.int32):"));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn print_module(module: &Module) -> String {
    let name = module_name(module);
    let signatures: Vec<Signature> = module.funcs.iter().map(|f| Signature::new(f, &name)).collect();
    let type_vars: Vec<Arc<str>> = type_var_names(&signatures);
    let mut out = String::new();
    if !type_vars.is_empty() {
        out.push_str("# from typing import TypeVar\n");
    }
    out.push_str("# from tvm.script import ir as I\n# from tvm.script import tirx as T\n\n");
    for name in &type_vars {
        let _ = writeln!(out, "{name} = TypeVar(\"{name}\")");
    }
    let _ = writeln!(out, "@I.ir_module\nclass {name}:");
    if !module.attrs.is_empty() {
        let none = PrimFunc::new("main");
        let mut printer = Printer::new(&none, &Signature::new(&none, &name), &name, &type_vars);
        printer.indent = 1;
        printer.line.push_str("I.module_attrs(");
        printer.attr_value(&AttrValue::Dict(module.attrs.clone()));
        printer.line.push(')');
        printer.flush();
        out.push_str(&printer.out);
    }
    if module.funcs.is_empty() && module.attrs.is_empty() {
        out.push_str("    pass\n");
    }
    for (i, (func, signature)) in module.funcs.iter().zip(&signatures).enumerate() {
        if i > 0 {
            out.push('\n');
        }
        out.push_str(&printed(func, signature, &name, &type_vars, 1));
    }
    out
}

fn printed(
    func: &PrimFunc,
    signature: &Signature,
    module: &str,
    type_vars: &[Arc<str>],
    indent: usize,
) -> String {
    let mut reserved = type_vars.to_vec();
    loop {
        let mut printer = Printer::new(func, signature, module, &reserved);
        printer.indent = indent;
        printer.function(signature);
        // Variables may bear the names of the module and of `float` where the text does not need them.
        let mut names = func.vars.iter().map(|var| &var.name).chain(func.buffers.iter().map(|b| &b.name));
        let called = std::mem::take(&mut printer.called);
        if called.is_empty() || reserved.len() > type_vars.len() || !names.any(|name| called.contains(name)) {
            return printer.out;
        }
        reserved.extend(called);
    }
}

/// One function, as it stands in a module.
///
/// ```
/// let module = satir::parse("@T.prim_func\ndef main(x: T.int32):\n    T.evaluate((x))\n")?;
/// let text = satir::script::print_func(&module.funcs[0]);
/// assert!(text.ends_with("def main(x: T.int32):\n    T.evaluate(x)\n"), "{text}");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn print_func(func: &PrimFunc) -> String {
    let signature = Signature::new(func, "Module");
    let type_vars = type_var_names(std::slice::from_ref(&signature));
    printed(func, &signature, "Module", &type_vars, 0)
}

/// One expression. Variables and buffers go by their names in the function's tables.
///
/// ```
/// use satir::ir::DType;
/// use satir::ir::build::FuncBuilder;
///
/// let mut b = FuncBuilder::new("main");
/// let x = b.param("x", DType::I32);
/// let e = (b.var(x) + 1) * 2;
/// assert_eq!(satir::script::print_expr(&b.finish(), &e), "(x + 1) * 2");
/// ```
pub fn print_expr(func: &PrimFunc, e: &Expr) -> String {
    ExprPrinter::new(func).print(e)
}

/// Prints expressions of one function: names are found once for all of them.
pub(crate) struct ExprPrinter<'m> {
    printer: Printer<'m>,
}

impl<'m> ExprPrinter<'m> {
    /// A printer in which variables and buffers go by their names in the function's tables.
    pub(crate) fn new(func: &'m PrimFunc) -> ExprPrinter<'m> {
        let signature = Signature::new(func, "Module");
        let mut printer = Printer::new(func, &signature, "Module", &[]);
        for index in 0..func.vars.len() {
            printer.names.define_var(func, VarId(index as u32));
        }
        for index in 0..func.buffers.len() {
            printer.names.define_buffer(func, BufferId(index as u32));
        }
        ExprPrinter { printer }
    }

    /// The text of an expression.
    pub(crate) fn print(&mut self, e: &Expr) -> String {
        self.printer.expr(e);
        self.printer.pending.clear();
        for (_, name) in std::mem::take(&mut self.printer.let_names) {
            self.printer.names.release(&name);
        }
        std::mem::take(&mut self.printer.line)
    }
}

/// The class's name: an identifier.
fn module_name(module: &Module) -> Arc<str> {
    let ok = module.name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && module.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !super::syntax::KEYWORDS.contains(&&*module.name)
        && !matches!(&*module.name, "T" | "I" | "TypeVar");
    if ok { module.name.clone() } else { "Module".into() }
}
