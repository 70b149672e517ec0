//! The state of lowering: the function under construction, the meanings of names, the blocks that are open.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::frame::OpenFrame;
use super::value::{Entity, Value};
use crate::diag::Span;
use crate::ir::{Block, BufferId, DType, Expr, MAX_DEPTH, PrimFunc, SBlock, Stmt, StmtKind, Type, VarId};
use crate::script::syntax::ast::{Ast, NodeId, NodeKind, NodeList};
use crate::script::syntax::{SpannedError, error};

/// Result of evaluating something.
pub(super) type Res<T> = Result<T, SpannedError>;

/// The state of lowering one module, one function at a time.
pub(super) struct Lower<'s> {
    pub(super) text: &'s str,
    pub(super) ast: Ast<'s>,
    /// The function under construction.
    pub(super) func: PrimFunc,
    /// Whether it is marked `s_tir`: buffers have no layout then.
    pub(super) s_tir: bool,
    /// Functions of the module: number of parameters, type of the result.
    pub(super) globals: HashMap<&'s str, (usize, Option<Type>)>,
    /// Meanings of names, innermost last.
    pub(super) names: HashMap<&'s str, Vec<Entity>>,
    /// Names that are not from the text: the table of a single expression.
    pub(super) known: HashMap<Arc<str>, Entity>,
    /// Names defined, in order, to be undone when their scope ends.
    pub(super) defined: Vec<&'s str>,
    /// Statements of the current block.
    pub(super) out: Block,
    /// Constructs of the current block whose body is the rest of it.
    pub(super) open: Vec<OpenFrame>,
    /// Blocks under construction, innermost last.
    pub(super) blocks: Vec<SBlock>,
    /// Buffers that the function's implicit root block allocates.
    pub(super) root_buffers: Vec<BufferId>,
    /// Place of the current statement.
    pub(super) stmt_span: Span,
    /// Where the innermost statement begins that is not done yet; without one, the function.
    pub(super) start: u32,
    /// Depth of the current statement and expression.
    pub(super) depth: usize,
    /// Variables that parameters' shapes define.
    pub(super) dimensions: HashSet<VarId>,
    /// First value and length of the loops around, for `T.axis.remap`.
    pub(super) loop_ranges: HashMap<VarId, (Expr, Expr)>,
    /// Scalar parameters' types by name, for dimensions that are named before them.
    pub(super) param_types: HashMap<&'s str, DType>,
    /// Whether unknown names in shapes define dimensions.
    pub(super) in_shape: bool,
    /// Whether the variable of a `T.Let` need not be declared: a single expression has no place for it.
    pub(super) declares_lets: bool,
}

impl<'s> Lower<'s> {
    pub(super) fn new(text: &'s str, ast: Ast<'s>) -> Self {
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

    pub(super) fn span(&self, id: NodeId) -> Span {
        self.ast[id].span
    }

    pub(super) fn err<T>(&self, id: NodeId, message: impl Into<String>) -> Res<T> {
        error(self.span(id), message)
    }

    /// Attaches a place to an error without one.
    pub(super) fn at<T>(&self, id: NodeId, result: Result<T, String>) -> Res<T> {
        result.or_else(|message| self.err(id, message))
    }

    /// The error that a value is not what was expected.
    pub(super) fn expected<T>(&self, id: NodeId, what: &str, found: &Value) -> Res<T> {
        self.err(id, format!("expected {what}, found {}", found.describe()))
    }

    pub(super) fn define(&mut self, name: &'s str, entity: Entity) {
        self.names.entry(name).or_default().push(entity);
        self.defined.push(name);
    }

    pub(super) fn lookup(&self, name: &str) -> Option<&Entity> {
        self.names.get(name).and_then(|stack| stack.last()).or_else(|| self.known.get(name))
    }

    /// Starts a scope; [`Lower::leave`] undoes what is defined after this.
    pub(super) fn mark(&self) -> usize {
        self.defined.len()
    }

    pub(super) fn leave(&mut self, mark: usize) {
        while self.defined.len() > mark {
            if let Some(name) = self.defined.pop()
                && let Some(stack) = self.names.get_mut(name)
            {
                stack.pop();
            }
        }
    }

    /// Goes one level deeper; undone by `self.depth -= 1`.
    pub(super) fn enter(&mut self, span: Span) -> Res<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return error(span, format!("nested deeper than {MAX_DEPTH} levels"));
        }
        Ok(())
    }

    pub(super) fn emit(&mut self, kind: StmtKind) {
        self.out.push(Stmt { span: self.stmt_span, kind });
    }

    pub(super) fn new_var(&mut self, name: &str, ty: Type) -> VarId {
        self.func.new_var(name, ty)
    }

    /// The name and span of a plain name.
    pub(super) fn name_of(&self, id: NodeId) -> Option<&'s str> {
        match self.ast[id].kind {
            NodeKind::Name(name) => Some(name),
            _ => None,
        }
    }

    /// The path of `T.<path>` (also `tir.`, `tirx.`), if the expression is one.
    pub(super) fn tir_path(&self, id: NodeId) -> Option<String> {
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
    pub(super) fn as_subscript(&self, id: NodeId) -> Option<Args> {
        match self.ast[id].kind {
            NodeKind::Subscript(callee, args) => {
                Some(Args { call: id, callee, args, positional: args.len(), keywords: 0 })
            }
            _ => None,
        }
    }

    /// The callee and arguments of a call.
    pub(super) fn as_call(&self, id: NodeId) -> Option<Args> {
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
pub(super) struct Args {
    pub(super) call: NodeId,
    pub(super) callee: NodeId,
    pub(super) args: NodeList,
    pub(super) positional: usize,
    pub(super) keywords: u32,
}

impl Args {
    pub(super) fn positional(self, ast: &Ast<'_>) -> Vec<NodeId> {
        ast.list(self.args)[..self.positional].to_vec()
    }

    pub(super) fn get(self, ast: &Ast<'_>, index: usize) -> Option<NodeId> {
        (index < self.positional).then(|| ast.item(self.args, index))
    }

    pub(super) fn keywords<'s>(self, ast: &Ast<'s>) -> Vec<(&'s str, NodeId)> {
        let names = &ast.names[self.keywords as usize..];
        let values = &ast.list(self.args)[self.positional..];
        names.iter().copied().zip(values.iter().copied()).collect()
    }

    pub(super) fn keyword(self, ast: &Ast<'_>, name: &str) -> Option<NodeId> {
        self.keywords(ast).into_iter().find(|(n, _)| *n == name).map(|(_, id)| id)
    }

    /// The argument at a position or with a keyword.
    pub(super) fn arg(self, ast: &Ast<'_>, index: usize, name: &str) -> Option<NodeId> {
        self.get(ast, index).or_else(|| self.keyword(ast, name))
    }
}
