//! Well-formedness of programs: every violation is reported, with its place.
//!
//! # Invariants
//!
//! Names
//! - Functions of a module have different names, and a call of another function names one of them.
//! - Every variable and buffer that is used is in the function's tables and in scope, and is defined once. A
//!   variable is defined by a parameter, by the shape of a parameter's or matched buffer (as by the shape, strides
//!   and offset of a buffer matched in a block), by a binding, a loop, a thread, a block axis, a `Let` expression,
//!   or the lambda of a reduction. What an attribute is about need not be in scope. A buffer is defined by a parameter, a match, an allocation, or a declaration.
//!
//! Types
//! - Operands of a binary operation have one type; it is `bool` for `and`, `or`, `not`. Conditions are scalar
//!   `bool`; both arms of a choice have the type of the result. Indices are integers, one for each dimension, all
//!   but the last scalar; a value stored or loaded has the buffer's type with as many lanes as the last index.
//! - Casts keep the number of lanes; ramps and broadcasts are of scalars. The type of an intrinsic's result is the
//!   one that [`intrin`] gives it.
//! - A binding's value has its variable's type, as have the bounds of a loop and the parts of a block axis.
//!   Constants lie in the range of their type.
//!
//! Form
//! - Strings, tuples, regions and buffers stand only where they are arguments (a string also as a statement).
//! - `break` and `continue` stand in a loop. A constant step of a loop is positive.
//! - Nothing nests deeper than [`MAX_DEPTH`].

mod expr;
mod stmt;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use hashbrown::HashSet;

use crate::diag::Span;
#[cfg(doc)]
use crate::ir::intrin;
use crate::ir::{Buffer, BufferId, DType, Expr, MAX_DEPTH, Module, Param, PrimFunc, VarId, with_room};

/// A rule of the language that a program breaks.
///
/// ```
/// use satir::ir::build::FuncBuilder;
/// use satir::ir::{DType, Expr, VarId};
///
/// let mut b = FuncBuilder::new("main");
/// b.evaluate(Expr::var(VarId(7), DType::I32));
/// let violations = satir::verify::verify_func(&b.finish()).unwrap_err();
/// assert_eq!(&*violations[0].function, "main");
/// assert!(violations[0].to_string().starts_with("function `main`: "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The function.
    pub function: Arc<str>,
    /// The statement; [`Span::NONE`] if it has no place in a source.
    pub span: Span,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function `{}`: {}", self.function, self.message)
    }
}

/// Checks a module.
///
/// ```
/// let text = "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\")):\n    A[0] = 1\n    break\n";
/// let violations = satir::verify::verify(&satir::parse(text)?).unwrap_err();
/// assert_eq!(violations.len(), 1); // `break` outside of a loop
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// All violations, in the order of the text.
pub fn verify(module: &Module) -> Result<(), Vec<Violation>> {
    let mut violations = Vec::new();
    let mut names: HashSet<&str> = HashSet::new();
    for func in &module.funcs {
        if !names.insert(&func.name) {
            violations.push(Violation {
                function: func.name.clone(),
                span: Span::NONE,
                message: "another function of the module has this name".to_owned(),
            });
        }
    }
    for func in &module.funcs {
        violations.extend(with_room(|| check(func, Some(&names))));
    }
    if violations.is_empty() { Ok(()) } else { Err(violations) }
}

/// Checks a function by itself: what other functions it may call is not known.
///
/// # Errors
///
/// All violations, in the order of the text.
///
/// ```
/// use satir::ir::build::FuncBuilder;
/// use satir::ir::{DType, StmtKind};
/// use satir::verify::verify_func;
///
/// let mut b = FuncBuilder::new("main");
/// let n = b.param("n", DType::I32);
/// b.evaluate(b.var(n));
/// assert!(verify_func(&b.clone().finish()).is_ok());
/// b.push(StmtKind::Continue);
/// assert!(verify_func(&b.finish()).is_err(), "`continue` outside of a loop");
/// ```
pub fn verify_func(func: &PrimFunc) -> Result<(), Vec<Violation>> {
    let violations = with_room(|| check(func, None));
    if violations.is_empty() { Ok(()) } else { Err(violations) }
}

fn check(func: &PrimFunc, functions: Option<&HashSet<&str>>) -> Vec<Violation> {
    let mut checker = Checker {
        func,
        functions,
        vars: vec![State::Unseen; func.vars.len()],
        buffers: vec![State::Unseen; func.buffers.len()],
        place: Span::NONE,
        loops: 0,
        depth: 0,
        too_deep: false,
        violations: Vec::new(),
    };
    checker.signature();
    checker.block(&func.body);
    checker.violations
}

/// Where a walk stands with a variable or buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Not defined so far.
    Unseen,
    InScope,
    /// Defined in a scope that has ended.
    Ended,
}

/// Definitions of a scope, which end with it.
#[derive(Default)]
struct Scope {
    vars: Vec<VarId>,
    buffers: Vec<BufferId>,
}

struct Checker<'a> {
    func: &'a PrimFunc,
    functions: Option<&'a HashSet<&'a str>>,
    vars: Vec<State>,
    buffers: Vec<State>,
    place: Span,
    /// Loops around the place that `break` can leave.
    loops: usize,
    /// Statements and expressions around the place.
    depth: usize,
    /// Whether nesting was found to be too deep; said once.
    too_deep: bool,
    violations: Vec<Violation>,
}

impl<'a> Checker<'a> {
    fn report(&mut self, message: impl Into<String>) {
        self.violations.push(Violation {
            function: self.func.name.clone(),
            span: self.place,
            message: message.into(),
        });
    }

    /// Enters one level of nesting; `false` if it is too deep, and nothing below is to be looked at.
    fn enter(&mut self) -> bool {
        self.depth += 1;
        if self.depth > MAX_DEPTH && !self.too_deep {
            self.too_deep = true;
            self.report(format!("nested deeper than {MAX_DEPTH} levels"));
        }
        self.depth <= MAX_DEPTH
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    fn signature(&mut self) {
        // The scope of parameters is the whole function: it never ends.
        let mut scope = Scope::default();
        for param in &self.func.params {
            if let Param::Var(var) = param {
                self.define_var(*var, &mut scope);
            }
        }
        let matched = self.func.matches.iter().map(|&(_, b)| b);
        let params = self.func.params.iter().filter_map(|p| match p {
            Param::Buffer(b) => Some(*b),
            Param::Var(_) => None,
        });
        let buffers: Vec<BufferId> = params.chain(matched).collect();
        for &(handle, _) in &self.func.matches {
            match self.var_dtype(handle) {
                None => {}
                Some(DType::HANDLE) => self.use_var(handle),
                Some(other) => self.report(format!(
                    "`{}` is matched to a buffer, expected a handle, found `{other}`",
                    self.var_name(handle)
                )),
            }
        }
        for &buffer in &buffers {
            self.define_dimensions(buffer, &mut scope);
        }
        for &buffer in &buffers {
            self.define_buffer(buffer, &mut scope);
        }
    }

    /// Defines the variables of a buffer's shape, strides and offset that are not defined yet.
    fn define_dimensions(&mut self, buffer: BufferId, scope: &mut Scope) {
        let Some(entry) = self.func.buffers.get(buffer.index()) else { return };
        for e in layout(entry) {
            let mut fresh = Vec::new();
            bounded_walk(e, 0, &mut |e| fresh.extend(e.as_var()));
            for var in fresh {
                if self.vars.get(var.index()) == Some(&State::Unseen) {
                    self.define_var(var, scope);
                }
            }
        }
    }

    fn var_name(&self, var: VarId) -> &'a str {
        self.func.vars.get(var.index()).map_or("?", |v| &v.name)
    }

    fn var_dtype(&self, var: VarId) -> Option<DType> {
        self.func.vars.get(var.index()).map(|v| v.ty.dtype())
    }

    fn define_var(&mut self, var: VarId, scope: &mut Scope) {
        match self.vars.get(var.index()) {
            None => self.report(format!("variable {var} is not in the function's table")),
            Some(State::Unseen) => {
                self.vars[var.index()] = State::InScope;
                scope.vars.push(var);
            }
            Some(State::InScope | State::Ended) => {
                self.report(format!("variable `{}` is defined more than once", self.var_name(var)));
            }
        }
    }

    /// Whether the variable is not even in the function's table.
    fn var_is_unknown(&self, var: VarId) -> bool {
        self.vars.get(var.index()).is_none()
    }

    fn use_var(&mut self, var: VarId) {
        match self.vars.get(var.index()) {
            None => self.report(format!("variable {var} is not in the function's table")),
            Some(State::InScope) => {}
            Some(State::Unseen) => {
                self.report(format!("variable `{}` is used but not defined before", self.var_name(var)));
            }
            Some(State::Ended) => {
                self.report(format!("variable `{}` is used outside of its scope", self.var_name(var)));
            }
        }
    }

    fn define_buffer(&mut self, buffer: BufferId, scope: &mut Scope) {
        let func = self.func;
        let Some(entry) = func.buffers.get(buffer.index()) else {
            return self.report(format!("buffer {buffer} is not in the function's table"));
        };
        for e in layout(entry) {
            let dtype = self.expr(e);
            if !dtype.is_integral() || !dtype.is_scalar() {
                self.report(format!(
                    "shape, strides and offset of buffer `{}` are integers, found `{dtype}`",
                    entry.name
                ));
            }
        }
        if !entry.strides.is_empty() && entry.strides.len() != entry.shape.len() {
            self.report(format!(
                "buffer `{}` has {} dimensions and {} strides",
                entry.name,
                entry.shape.len(),
                entry.strides.len()
            ));
        }
        if self.buffers[buffer.index()] == State::Unseen {
            self.buffers[buffer.index()] = State::InScope;
            scope.buffers.push(buffer);
        } else {
            self.report(format!("buffer `{}` is defined more than once", entry.name));
        }
    }

    /// The buffer's entry if there is one; reports a use that is out of scope.
    fn use_buffer(&mut self, buffer: BufferId) -> Option<&'a Buffer> {
        let func = self.func;
        let Some(entry) = func.buffers.get(buffer.index()) else {
            self.report(format!("buffer {buffer} is not in the function's table"));
            return None;
        };
        match self.buffers[buffer.index()] {
            State::InScope => {}
            State::Unseen => self.report(format!("buffer `{}` is used but not defined before", entry.name)),
            State::Ended => self.report(format!("buffer `{}` is used outside of its scope", entry.name)),
        }
        Some(entry)
    }

    fn end(&mut self, scope: Scope) {
        for var in scope.vars {
            self.vars[var.index()] = State::Ended;
        }
        for buffer in scope.buffers {
            self.buffers[buffer.index()] = State::Ended;
        }
    }
}

/// The expressions that say how a buffer lies in memory.
fn layout(buffer: &Buffer) -> impl Iterator<Item = &Expr> {
    buffer.shape.iter().chain(&buffer.strides).chain(&buffer.elem_offset)
}

/// Calls `f` on the parts of `e`, no deeper than the bound on nesting.
fn bounded_walk<'e>(e: &'e Expr, depth: usize, f: &mut dyn FnMut(&'e Expr)) {
    f(e);
    if depth < MAX_DEPTH {
        e.for_each_child(|c| bounded_walk(c, depth + 1, f));
    }
}
