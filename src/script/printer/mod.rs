//! Programs to text, as TVM 0.27 prints them.
//!
//! Where TVM's own printer loses something, this one prints what reads back: comparisons of comparisons get
//! parentheses, slices of negative stride stay ramps, names never collide with Python's or TVMScript's own.

mod buffer;
mod expr;
mod literal;
mod names;
mod sblock;
mod stmt;

use std::fmt::{self, Write};
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use self::buffer::Dims;
use self::names::Names;
use crate::ir::{
    AttrValue, BufferId, DType, Expr, Kind, Module, Param, PrimFunc, SBlock, Stmt, StmtKind, Type, VarId,
};

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

/// Writes a type as an annotation.
fn write_type(out: &mut String, ty: &Type) {
    let _ = match ty {
        Type::Prim(dtype) => write!(out, "T.{dtype}"),
        Type::Pointer(element, scope) => {
            out.push_str("T.handle(");
            let void = element.kind == Kind::Void;
            if !void {
                let _ = write!(out, "\"{element}\"");
            }
            if void {
                out.push_str("storage_scope=");
                literal::string(out, scope);
            } else if !scope.is_empty() {
                out.push_str(", ");
                literal::string(out, scope);
            }
            write!(out, ")")
        }
    };
}

/// What a function's parameters define besides themselves.
struct Signature {
    /// `int64` dimensions: `TypeVar`s of the module, by name.
    type_vars: Vec<(Arc<str>, VarId)>,
}

impl Signature {
    fn new(func: &PrimFunc, module: &str) -> Signature {
        let mut params = HashSet::new();
        for param in &func.params {
            if let Param::Var(var) = param {
                params.insert(*var);
            }
        }
        let mut names = Names::new(func, [Arc::from(module)]);
        let mut seen = HashSet::new();
        let mut type_vars = Vec::new();
        for param in &func.params {
            let Param::Buffer(id) = param else { continue };
            let Some(buffer) = func.buffers.get(id.index()) else { continue };
            for e in &buffer.shape {
                e.walk(&mut |part| {
                    if let Some(var) = part.as_var()
                        && !params.contains(&var)
                        && seen.insert(var)
                        && func.vars.get(var.index()).is_some_and(|info| info.ty == Type::Prim(DType::I64))
                    {
                        type_vars.push((names.define_var(func, var), var));
                    }
                });
            }
        }
        type_vars.sort();
        Signature { type_vars }
    }
}

/// The names of the module's `TypeVar`s; functions share those of one name.
fn type_var_names(signatures: &[Signature]) -> Vec<Arc<str>> {
    let mut names: Vec<Arc<str>> = Vec::new();
    let mut seen: HashSet<Arc<str>> = HashSet::new();
    for (name, _) in signatures.iter().flat_map(|s| &s.type_vars) {
        if seen.insert(name.clone()) {
            names.push(name.clone());
        }
    }
    names
}

/// The state of printing one function.
struct Printer<'m> {
    func: &'m PrimFunc,
    /// The module's name.
    module: Arc<str>,
    s_tir: bool,
    names: Names,
    out: String,
    /// The line under construction.
    line: String,
    /// Lines to be written before it: declarations of variables.
    pending: Vec<String>,
    /// Names of the variables of `T.Let`, which are declared in a block and not free again after it. A copy of an
    /// expression has the same.
    let_names: HashMap<VarId, Arc<str>>,
    indent: usize,
    type_vars: HashSet<VarId>,
    /// Variables that the signature has defined so far.
    bound: HashSet<VarId>,
    /// Buffers that blocks allocate.
    root_buffers: HashSet<BufferId>,
    /// First value and length of the loops around.
    loop_ranges: HashMap<VarId, (Expr, Expr)>,
    /// What is called by a name that a variable could have too.
    called: HashSet<Arc<str>>,
}

impl<'m> Printer<'m> {
    fn new(func: &'m PrimFunc, signature: &Signature, module: &str, reserved: &[Arc<str>]) -> Self {
        let flag = |key: &str| func.decorator.iter().any(|(k, v)| &**k == key && *v == AttrValue::Bool(true));
        Printer {
            func,
            module: module.into(),
            s_tir: flag("s_tir"),
            names: Names::new(func, reserved.iter().cloned()),
            out: String::new(),
            line: String::new(),
            pending: Vec::new(),
            let_names: HashMap::new(),
            indent: 0,
            type_vars: signature.type_vars.iter().map(|(_, var)| *var).collect(),
            bound: HashSet::new(),
            root_buffers: HashSet::new(),
            loop_ranges: HashMap::new(),
            called: HashSet::new(),
        }
    }

    /// Ends the line; what it needs declared is written before it.
    fn flush(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        for pending in std::mem::take(&mut self.pending) {
            self.write_line(&pending);
        }
        self.write_line(&line);
        // Its memory serves the next line.
        line.clear();
        self.line = line;
    }

    fn write_line(&mut self, line: &str) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn function(&mut self, signature: &Signature) {
        let func = self.func;
        self.decorator();
        for (name, var) in &signature.type_vars {
            self.names.name_var(*var, name.clone());
            self.bound.insert(*var);
        }
        // Scalars first: a buffer before them may name them in its shape.
        for param in &func.params {
            if let Param::Var(var) = param {
                self.names.define_var(func, *var);
            }
        }
        self.define_dimensions();
        let mut declarations = Vec::new();
        let mut head = format!("def {}(", self.function_name());
        for (i, param) in func.params.iter().enumerate() {
            if i > 0 {
                head.push_str(", ");
            }
            match param {
                Param::Var(var) => {
                    self.var(*var);
                    self.line.push_str(": ");
                    if let Some(info) = func.vars.get(var.index()) {
                        write_type(&mut self.line, &info.ty);
                    }
                    self.bound.insert(*var);
                }
                Param::Buffer(id) => {
                    self.names.define_buffer(func, *id);
                    self.buffer_name(*id);
                    self.line.push_str(": T.Buffer(");
                    let new = self.new_dimensions(*id, signature);
                    self.buffer_args(*id, Dims::Defining, true, "global");
                    self.line.push(')');
                    declarations.extend(new);
                }
            }
            head.push_str(&std::mem::take(&mut self.line));
        }
        head.push(')');
        if let Some(ret) = &func.ret {
            head.push_str(" -> ");
            write_type(&mut head, ret);
        }
        head.push(':');
        self.write_line(&head);
        self.indent += 1;
        declarations.append(&mut self.pending);
        for declaration in declarations {
            self.write_line(&declaration);
        }
        if !func.attrs.is_empty() {
            self.line.push_str("T.func_attr(");
            self.attr_value(&AttrValue::Dict(func.attrs.clone()));
            self.line.push(')');
            self.flush();
        }
        for &(handle, buffer) in &func.matches {
            let name = self.names.define_buffer(func, buffer);
            let _ = write!(self.line, "{name} = T.match_buffer(");
            self.var(handle);
            self.line.push_str(", ");
            self.buffer_args(buffer, Dims::Plain, false, "global");
            self.line.push(')');
            self.flush();
        }
        match &func.body[..] {
            [Stmt { kind: StmtKind::SBlock(root), .. }] if is_implicit_root(root) => {
                self.write_line("# with T.sblock(\"root\"):");
                self.block_buffers(root);
                self.block_body(&root.body);
            }
            body => self.block_body(body),
        }
        self.indent -= 1;
    }

    /// Names the dimensions that parameters' annotations define in quotes.
    fn define_dimensions(&mut self) {
        let func = self.func;
        for param in &func.params {
            let Param::Buffer(id) = param else { continue };
            let Some(buffer) = func.buffers.get(id.index()) else { continue };
            for e in &buffer.shape {
                e.walk(&mut |part| {
                    if let Some(var) = part.as_var()
                        && self.names.var(var).is_none()
                    {
                        self.names.define_var(func, var);
                    }
                });
            }
        }
    }

    /// `n, m = T.int32(), T.int32()`: the dimensions that a parameter's annotation is the first to name. TVM prints
    /// them again in the body.
    fn new_dimensions(&mut self, id: BufferId, signature: &Signature) -> Option<String> {
        let func = self.func;
        let buffer = func.buffers.get(id.index())?;
        let mut new = Vec::new();
        for e in &buffer.shape {
            let Some(var) = e.as_var() else { continue };
            let param = func.params.contains(&Param::Var(var));
            if !param && !self.bound.contains(&var) && !new.contains(&var) {
                new.push(var);
            }
        }
        if new.is_empty() || signature.type_vars.iter().any(|(_, var)| new.contains(var)) {
            return None;
        }
        let names: Vec<&str> =
            new.iter().filter_map(|var| self.names.var(*var)).map(|name| &**name).collect();
        let types: Vec<String> = new.iter().map(|var| format!("T.{}()", func.var(*var).ty.dtype())).collect();
        Some(format!("{} = {}", names.join(", "), types.join(", ")))
    }

    fn decorator(&mut self) {
        self.line.push_str("@T.prim_func");
        let func = self.func;
        let mut first = true;
        for (key, value) in &func.decorator {
            self.line.push_str(if std::mem::take(&mut first) { "(" } else { ", " });
            let _ = write!(self.line, "{key}=");
            self.attr_value(value);
        }
        self.line.push_str(if first { "" } else { ")" });
        self.flush();
    }

    /// The function's name; other functions call it by that, so it is kept if it is an identifier at all.
    fn function_name(&self) -> Arc<str> {
        if self.func.name.is_empty() { "main".into() } else { self.func.name.clone() }
    }
}

/// Whether TVM prints the block as the function's implicit root: nothing to say but its buffers.
fn is_implicit_root(block: &SBlock) -> bool {
    let empty = |regions: &Option<Vec<crate::ir::BufferRegion>>| regions.as_ref().is_some_and(Vec::is_empty);
    let plain = block.axes.is_empty()
        && block.predicate.is_none()
        && empty(&block.reads)
        && empty(&block.writes)
        && block.attrs.is_empty()
        && block.match_buffers.is_empty()
        && block.init.is_none();
    plain && &*block.name == "root" && !block.alloc_buffers.is_empty()
}
