//! Constructs that have a body, as values: what `with` opens, or what a plain statement opens for the rest of its block.

use std::sync::Arc;

use crate::diag::Span;
use crate::ir::{AttrNode, AttrValue, Block, Expr, ForKind, StmtKind, VarId};

/// A construct that wants a body.
#[derive(Clone, Debug)]
pub(super) enum Frame {
    /// `T.launch_thread(tag, extent)`.
    Launch { tag: Arc<str>, extent: Expr },
    /// `T.attr(…)`, outermost first.
    Attr(Vec<(AttrNode, Arc<str>, Expr)>),
    /// `T.sblock(name)`.
    SBlock(Arc<str>),
    /// `T.init()`.
    Init,
    /// A loop, or a nest of them.
    For {
        kind: ForKind,
        /// First value and length of each.
        loops: Vec<(Expr, Expr)>,
        step: Option<Expr>,
        annotations: Vec<(Arc<str>, AttrValue)>,
    },
}

impl Frame {
    pub(super) fn describe(&self) -> String {
        match self {
            Frame::Launch { .. } => "`T.launch_thread`".to_owned(),
            Frame::Attr(_) => "`T.attr`".to_owned(),
            Frame::SBlock(_) => "`T.sblock`".to_owned(),
            Frame::Init => "`T.init`".to_owned(),
            Frame::For { .. } => "a loop".to_owned(),
        }
    }
}

/// A construct whose body is the rest of the block, and what came before it.
pub(super) struct OpenFrame {
    pub(super) kind: OpenKind,
    pub(super) before: Block,
    pub(super) span: Span,
}

/// The constructs whose body is the rest of a block.
pub(super) enum OpenKind {
    Launch { var: VarId, tag: Arc<str>, extent: Expr },
    Attr { node: AttrNode, key: Arc<str>, value: Expr },
}

impl OpenKind {
    pub(super) fn close(self, body: Block) -> StmtKind {
        match self {
            OpenKind::Launch { var, tag, extent } => StmtKind::LaunchThread { var, tag, extent, body },
            OpenKind::Attr { node, key, value } => StmtKind::Attr { node, key, value, body },
        }
    }
}
