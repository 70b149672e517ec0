//! The syntax tree: what the text says, before names and types mean anything.
//!
//! Expressions live in an arena and refer to each other by index, so that deep ones cost no stack to hold or drop.

use std::ops::Index;
use std::sync::Arc;

use crate::diag::Span;

/// An expression in the [`Ast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(u32);

/// A run of expressions in the [`Ast`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeList {
    start: u32,
    len: u32,
}

impl NodeList {
    pub(crate) const fn len(self) -> usize {
        self.len as usize
    }
}

/// An expression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'s> {
    pub(crate) span: Span,
    pub(crate) kind: NodeKind<'s>,
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Neg,
    Plus,
    Invert,
    Not,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Mod,
    Pow,
    MatMul,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    And,
    Or,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// The kinds of expression.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NodeKind<'s> {
    Name(&'s str),
    Int(i128),
    Float(f64),
    /// Index into the strings of the [`Ast`].
    Str(u32),
    Bool(bool),
    None,
    /// `value.name`
    Attr(NodeId, &'s str),
    /// `value[items]`
    Subscript(NodeId, NodeList),
    /// `start:stop:step` in a subscript.
    Slice(Option<NodeId>, Option<NodeId>, Option<NodeId>),
    /// `callee(args, name=value)`: the last `keywords.1` of the arguments have the names that start at `keywords.0`.
    Call {
        callee: NodeId,
        args: NodeList,
        keywords: (u32, u32),
    },
    Unary(UnaryOp, NodeId),
    Binary(BinaryOp, NodeId, NodeId),
    /// `a < b <= c`: operands, and the index of the first operator in [`Ast::operators`].
    Compare(NodeList, u32),
    /// `a if cond else b`: condition and both arms.
    Conditional(NodeId, NodeId, NodeId),
    /// Parameter names (their start and number in [`Ast::names`]) and body.
    Lambda(u32, u32, NodeId),
    Tuple(NodeList),
    List(NodeList),
    /// Keys and values in turn.
    Dict(NodeList),
    /// `*value` in a subscript or call.
    Starred,
}

/// The arena.
#[derive(Default)]
pub(crate) struct Ast<'s> {
    nodes: Vec<Node<'s>>,
    /// Height of each node over its leaves.
    heights: Vec<u32>,
    /// The greatest of them.
    height: u32,
    lists: Vec<NodeId>,
    strings: Vec<Arc<str>>,
    pub(crate) names: Vec<&'s str>,
    pub(crate) operators: Vec<BinaryOp>,
}

impl<'s> Index<NodeId> for Ast<'s> {
    type Output = Node<'s>;

    fn index(&self, id: NodeId) -> &Node<'s> {
        &self.nodes[id.0 as usize]
    }
}

impl<'s> Ast<'s> {
    /// An empty arena with room for so many nodes: growing would copy them.
    pub(crate) fn with_capacity(nodes: usize) -> Ast<'s> {
        Ast { nodes: Vec::with_capacity(nodes), heights: Vec::with_capacity(nodes), ..Ast::default() }
    }

    pub(crate) fn add(&mut self, span: Span, kind: NodeKind<'s>) -> NodeId {
        let height = self.height_over(kind);
        self.height = self.height.max(height);
        self.heights.push(height);
        self.nodes.push(Node { span, kind });
        NodeId((self.nodes.len() - 1) as u32)
    }

    /// How deep the deepest expression is: what recursion over it needs.
    pub(crate) fn height(&self) -> u32 {
        self.height
    }

    /// How deep an expression is.
    pub(crate) fn height_of(&self, id: NodeId) -> u32 {
        self.heights[id.0 as usize]
    }

    fn height_over(&self, kind: NodeKind<'s>) -> u32 {
        let of = |id: NodeId| self.heights[id.0 as usize];
        let all = |list: NodeList| self.list(list).iter().map(|&id| of(id)).max().unwrap_or(0);
        let children = match kind {
            NodeKind::Name(_)
            | NodeKind::Int(_)
            | NodeKind::Float(_)
            | NodeKind::Str(_)
            | NodeKind::Bool(_)
            | NodeKind::None
            | NodeKind::Starred => return 1,
            NodeKind::Attr(value, _) | NodeKind::Unary(_, value) | NodeKind::Lambda(_, _, value) => of(value),
            NodeKind::Conditional(cond, a, b) => of(cond).max(of(a)).max(of(b)),
            NodeKind::Subscript(value, items) => of(value).max(all(items)),
            NodeKind::Slice(start, stop, step) => {
                [start, stop, step].into_iter().flatten().map(of).max().unwrap_or(0)
            }
            NodeKind::Call { callee, args, .. } => of(callee).max(all(args)),
            NodeKind::Binary(_, a, b) => of(a).max(of(b)),
            // A chain of comparisons nests as deep as it is long.
            NodeKind::Compare(operands, _) => all(operands) + operands.len,
            NodeKind::Tuple(items) | NodeKind::List(items) | NodeKind::Dict(items) => all(items),
        };
        children + 1
    }

    pub(crate) fn add_list(&mut self, items: &[NodeId]) -> NodeList {
        let start = self.lists.len() as u32;
        self.lists.extend_from_slice(items);
        NodeList { start, len: items.len() as u32 }
    }

    pub(crate) fn add_string(&mut self, text: Arc<str>) -> u32 {
        self.strings.push(text);
        (self.strings.len() - 1) as u32
    }

    pub(crate) fn list(&self, list: NodeList) -> &[NodeId] {
        &self.lists[list.start as usize..][..list.len()]
    }

    pub(crate) fn item(&self, list: NodeList, index: usize) -> NodeId {
        self.lists[list.start as usize + index]
    }

    pub(crate) fn string(&self, index: u32) -> &Arc<str> {
        &self.strings[index as usize]
    }
}

/// A statement.
#[derive(Debug)]
pub(crate) struct StmtNode<'s> {
    pub(crate) span: Span,
    pub(crate) kind: StmtNodeKind<'s>,
}

/// The kinds of statement.
#[derive(Debug)]
pub(crate) enum StmtNodeKind<'s> {
    Expr(NodeId),
    Assign {
        target: NodeId,
        value: NodeId,
    },
    AnnAssign {
        target: NodeId,
        annotation: NodeId,
        value: Option<NodeId>,
    },
    AugAssign {
        target: NodeId,
        op: BinaryOp,
        value: NodeId,
    },
    For {
        target: NodeId,
        iter: NodeId,
        body: Vec<StmtNode<'s>>,
    },
    While {
        cond: NodeId,
        body: Vec<StmtNode<'s>>,
    },
    /// `if`, `elif`… and `else`.
    If {
        arms: Vec<(NodeId, Vec<StmtNode<'s>>)>,
        otherwise: Vec<StmtNode<'s>>,
    },
    With {
        items: Vec<(NodeId, Option<NodeId>)>,
        body: Vec<StmtNode<'s>>,
    },
    Assert {
        cond: NodeId,
        message: Option<NodeId>,
    },
    Return(Option<NodeId>),
    Break,
    Continue,
    Pass,
    /// `import …` and `from … import …`.
    Import,
    Function(Box<FunctionNode<'s>>),
    Class {
        name: &'s str,
        body: Vec<StmtNode<'s>>,
    },
}

/// A function definition.
#[derive(Debug)]
pub(crate) struct FunctionNode<'s> {
    pub(crate) name: &'s str,
    pub(crate) name_span: Span,
    pub(crate) decorators: Vec<NodeId>,
    pub(crate) params: Vec<ParamNode<'s>>,
    pub(crate) returns: Option<NodeId>,
    pub(crate) body: Vec<StmtNode<'s>>,
}

/// A parameter of a function definition.
#[derive(Debug)]
pub(crate) struct ParamNode<'s> {
    pub(crate) name: &'s str,
    pub(crate) span: Span,
    pub(crate) annotation: Option<NodeId>,
}
