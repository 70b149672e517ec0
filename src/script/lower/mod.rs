//! Syntax tree to program: names get meanings, expressions get types.
//!
//! Statements are built in the order of the text, as TVM's own parser does: evaluating a call such as
//! `T.alloc_buffer(…)` adds the statement to the current block and yields the buffer.

mod attr;
pub(super) mod buffer;
mod call;
mod copies;
mod depth;
mod expr;
mod frame;
mod func;
mod index;
mod intrinsic;
mod limits;
mod module;
mod stmt;

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::syntax::ast::{Ast, NodeId, NodeKind};
use super::syntax::{SpannedError, error};
use crate::diag::Span;
use crate::ir::{
    AttrValue, Block, BufferId, CommReducer, DType, Expr, MAX_DEPTH, PrimFunc, SBlock, Stmt, StmtKind, Type,
    VarId,
};

use self::frame::{Frame, OpenFrame};

pub(crate) use self::module::{lower_expr, lower_module};

/// Result of evaluating something.
type Res<T> = Result<T, SpannedError>;

/// What a name stands for.
#[derive(Clone, Debug)]
enum Entity {
    Var(VarId),
    Buffer(BufferId),
    /// A mutable scalar: a buffer of one element that is written without its index.
    Scalar(BufferId),
    /// The memory of an older `T.allocate`.
    Pointer(BufferId),
    /// `TypeVar("n")` at module level: a dimension.
    TypeVar,
    /// `T.env_thread(tag)`.
    EnvThread(Arc<str>),
    /// `T.comm_reducer(…)` or another value given a name.
    Reducer(Box<CommReducer>),
    /// A function of the module.
    Global,
    /// The module itself.
    Module,
}

/// What an expression of the text evaluates to.
#[derive(Clone, Debug)]
enum Value {
    Expr(Expr),
    /// A Python number, not yet of any type.
    Int(i128),
    Float(f64),
    Bool(bool),
    Str(Arc<str>),
    None,
    List(Vec<Value>),
    Tuple(Vec<Value>),
    Dict(Vec<(Value, Value)>),
    Buffer(BufferId),
    Scalar(BufferId),
    /// A data type: `T.int32`, `T.handle("float32", "global")`.
    Type(Type),
    /// `T.<path>`, not called.
    Path(Box<str>),
    Frame(Box<Frame>),
    EnvThread(Arc<str>),
    Reducer(Box<CommReducer>),
    IterVar(Box<crate::ir::AttrNode>),
    /// `T.Range(begin, end)` as begin and extent.
    Range(Box<(Expr, Expr)>),
    /// `T.target(…)` and the like.
    Attr(Box<AttrValue>),
    Pointer(BufferId),
    Global(Arc<str>),
    Module,
    /// A variable, buffer, … just made, which an assignment names.
    NewVar(VarId),
    NewVars(Vec<VarId>),
    NewBuffer(BufferId),
    NewScalar(BufferId),
    NewPointer(BufferId),
    /// The launch of an environment thread: its variable is defined already.
    Launched(VarId, Box<(Arc<str>, Expr)>),
    /// A statement that has been added: no value.
    Done,
}

impl Value {
    /// For messages.
    fn describe(&self) -> String {
        match self {
            Value::Expr(e) => format!("a value of type `{}`", e.dtype),
            Value::Int(v) => format!("`{v}`"),
            Value::Float(v) => format!("`{v:?}`"),
            Value::Bool(v) => (if *v { "`True`" } else { "`False`" }).to_owned(),
            Value::Str(s) => format!("\"{}\"", s.chars().take(40).collect::<String>().escape_debug()),
            Value::None => "`None`".to_owned(),
            Value::List(_) => "a list".to_owned(),
            Value::Tuple(_) => "a tuple".to_owned(),
            Value::Dict(_) => "a dictionary".to_owned(),
            Value::Buffer(_) | Value::Scalar(_) | Value::NewBuffer(_) | Value::NewScalar(_) => {
                "a buffer".to_owned()
            }
            Value::NewVar(_) => "a variable".to_owned(),
            Value::NewVars(_) => "several variables".to_owned(),
            Value::Launched(..) => "`T.launch_thread`".to_owned(),
            Value::Type(Type::Prim(d)) => format!("the type `T.{d}`"),
            Value::Type(Type::Pointer(..)) => "a pointer type".to_owned(),
            Value::Path(p) => format!("`T.{p}`"),
            Value::Frame(f) => f.describe(),
            Value::EnvThread(_) => "a thread variable that is not launched".to_owned(),
            Value::Reducer(_) => "a reducer".to_owned(),
            Value::IterVar(_) => "an iteration variable".to_owned(),
            Value::Range(_) => "a range".to_owned(),
            Value::Attr(_) => "an attribute value".to_owned(),
            Value::Pointer(_) | Value::NewPointer(_) => "a pointer".to_owned(),
            Value::Global(_) => "a function".to_owned(),
            Value::Module => "the module".to_owned(),
            Value::Done => "a statement".to_owned(),
        }
    }
}

/// The state of lowering one module, one function at a time.
struct Lower<'s> {
    text: &'s str,
    ast: Ast<'s>,
    /// The function under construction.
    func: PrimFunc,
    /// Whether it is marked `s_tir`: buffers have no layout then.
    s_tir: bool,
    /// Functions of the module: number of parameters, type of the result.
    globals: HashMap<&'s str, (usize, Option<Type>)>,
    /// Meanings of names, innermost last.
    names: HashMap<&'s str, Vec<Entity>>,
    /// Names that are not from the text: the table of a single expression.
    known: HashMap<Arc<str>, Entity>,
    /// Names defined, in order, to be undone when their scope ends.
    defined: Vec<&'s str>,
    /// Statements of the current block.
    out: Block,
    /// Constructs of the current block whose body is the rest of it.
    open: Vec<OpenFrame>,
    /// Blocks under construction, innermost last.
    blocks: Vec<SBlock>,
    /// Buffers that the function's implicit root block allocates.
    root_buffers: Vec<BufferId>,
    /// Place of the current statement.
    stmt_span: Span,
    /// Where the innermost statement begins that is not done yet; without one, the function.
    start: u32,
    /// Depth of the current statement and expression.
    depth: usize,
    /// Variables that parameters' shapes define.
    dimensions: HashSet<VarId>,
    /// First value and length of the loops around, for `T.axis.remap`.
    loop_ranges: HashMap<VarId, (Expr, Expr)>,
    /// Scalar parameters' types by name, for dimensions that are named before them.
    param_types: HashMap<&'s str, DType>,
    /// Whether unknown names in shapes define dimensions.
    in_shape: bool,
    /// Whether the variable of a `T.Let` need not be declared: a single expression has no place for it.
    declares_lets: bool,
}

impl<'s> Lower<'s> {
    fn new(text: &'s str, ast: Ast<'s>) -> Self {
        Lower {
            text,
            ast,
            func: PrimFunc::new("main"),
            s_tir: false,
            globals: HashMap::new(),
            names: HashMap::new(),
            known: HashMap::new(),
            defined: Vec::new(),
            out: Vec::new(),
            open: Vec::new(),
            blocks: Vec::new(),
            root_buffers: Vec::new(),
            stmt_span: Span::NONE,
            start: 0,
            depth: 0,
            dimensions: HashSet::new(),
            loop_ranges: HashMap::new(),
            param_types: HashMap::new(),
            in_shape: false,
            declares_lets: false,
        }
    }

    fn span(&self, id: NodeId) -> Span {
        self.ast[id].span
    }

    fn err<T>(&self, id: NodeId, message: impl Into<String>) -> Res<T> {
        error(self.span(id), message)
    }

    /// Attaches a place to an error without one.
    fn at<T>(&self, id: NodeId, result: Result<T, String>) -> Res<T> {
        result.or_else(|message| self.err(id, message))
    }

    /// The error that a value is not what was expected.
    fn expected<T>(&self, id: NodeId, what: &str, found: &Value) -> Res<T> {
        self.err(id, format!("expected {what}, found {}", found.describe()))
    }

    fn define(&mut self, name: &'s str, entity: Entity) {
        self.names.entry(name).or_default().push(entity);
        self.defined.push(name);
    }

    fn lookup(&self, name: &str) -> Option<&Entity> {
        self.names.get(name).and_then(|stack| stack.last()).or_else(|| self.known.get(name))
    }

    /// Starts a scope; [`Lower::leave`] undoes what is defined after this.
    fn mark(&self) -> usize {
        self.defined.len()
    }

    fn leave(&mut self, mark: usize) {
        while self.defined.len() > mark {
            if let Some(name) = self.defined.pop()
                && let Some(stack) = self.names.get_mut(name)
            {
                stack.pop();
            }
        }
    }

    /// Goes one level deeper; undone by `self.depth -= 1`.
    fn enter(&mut self, span: Span) -> Res<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return error(span, format!("nested deeper than {MAX_DEPTH} levels"));
        }
        Ok(())
    }

    fn emit(&mut self, kind: StmtKind) {
        self.out.push(Stmt { span: self.stmt_span, kind });
    }

    fn new_var(&mut self, name: &str, ty: Type) -> VarId {
        self.func.new_var(name, ty)
    }

    /// The name and span of a plain name.
    fn name_of(&self, id: NodeId) -> Option<&'s str> {
        match self.ast[id].kind {
            NodeKind::Name(name) => Some(name),
            _ => None,
        }
    }

    /// The path of `T.<path>` (also `tir.`, `tirx.`), if the expression is one.
    fn tir_path(&self, id: NodeId) -> Option<String> {
        let mut parts = Vec::new();
        let mut id = id;
        loop {
            match self.ast[id].kind {
                NodeKind::Attr(value, name) => {
                    parts.push(name);
                    id = value;
                }
                NodeKind::Name("T") if !parts.is_empty() => break,
                NodeKind::Name(name @ ("tir" | "tirx"))
                    if !parts.is_empty() && self.lookup(name).is_none() =>
                {
                    break;
                }
                _ => return None,
            }
        }
        parts.reverse();
        Some(parts.join("."))
    }

    /// The older `T.Buffer[shape, dtype]`, as if it were a call.
    fn as_subscript(&self, id: NodeId) -> Option<Args> {
        match self.ast[id].kind {
            NodeKind::Subscript(callee, args) => {
                Some(Args { call: id, callee, args, positional: args.len(), keywords: 0 })
            }
            _ => None,
        }
    }

    /// The callee and arguments of a call.
    fn as_call(&self, id: NodeId) -> Option<Args> {
        match self.ast[id].kind {
            NodeKind::Call { callee, args, keywords } => {
                let positional = args.len() - keywords.1 as usize;
                Some(Args { call: id, callee, args, positional, keywords: keywords.0 })
            }
            _ => None,
        }
    }
}

/// The arguments of a call.
#[derive(Clone, Copy)]
struct Args {
    call: NodeId,
    callee: NodeId,
    args: super::syntax::ast::NodeList,
    positional: usize,
    keywords: u32,
}

impl Args {
    fn positional(self, ast: &Ast<'_>) -> Vec<NodeId> {
        ast.list(self.args)[..self.positional].to_vec()
    }

    fn get(self, ast: &Ast<'_>, index: usize) -> Option<NodeId> {
        (index < self.positional).then(|| ast.item(self.args, index))
    }

    fn keywords<'s>(self, ast: &Ast<'s>) -> Vec<(&'s str, NodeId)> {
        let names = &ast.names[self.keywords as usize..];
        let values = &ast.list(self.args)[self.positional..];
        names.iter().copied().zip(values.iter().copied()).collect()
    }

    fn keyword(self, ast: &Ast<'_>, name: &str) -> Option<NodeId> {
        self.keywords(ast).into_iter().find(|(n, _)| *n == name).map(|(_, id)| id)
    }

    /// The argument at a position or with a keyword.
    fn arg(self, ast: &Ast<'_>, index: usize, name: &str) -> Option<NodeId> {
        self.get(ast, index).or_else(|| self.keyword(ast, name))
    }
}
