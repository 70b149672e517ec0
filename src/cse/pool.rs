//! Hash-consing: equal expressions get one number, so that comparing and counting them takes constant time.
//!
//! A [`Pool`] holds each distinct node once, operands by number. Operands have smaller numbers than what uses
//! them, so ascending order is bottom-up and descending order is top-down.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::ir::{AttrValue, BinOp, BufferId, Call, Callee, DType, Expr, ExprKind, Shuffle, VarId};

/// The number of a distinct expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ClassId(pub u32);

impl ClassId {
    /// The index as `usize`.
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What tells two loads of one buffer at one index apart: see [`Pool::intern`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct LoadTag(pub u32);

impl LoadTag {
    /// All loads that are not told apart.
    pub(super) const ANY: LoadTag = LoadTag(u32::MAX - 1);
    /// A load that only names a place in memory.
    pub(super) const PLACE: LoadTag = LoadTag(u32::MAX);
}

/// An expression node without its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Head {
    Int(i64),
    Float(u64),
    Str(Arc<str>),
    Var(VarId),
    Binary(BinOp),
    Not,
    Cast,
    Select,
    Load(BufferId, LoadTag),
    Ramp,
    Broadcast,
    /// With the number of vectors among the operands.
    Shuffle(u32),
    Let(VarId),
    Call(Arc<CallHead>),
    BufferData(BufferId),
    BufferRef(BufferId),
    /// With, per dimension, whether there is an extent among the operands.
    Region(BufferId, Box<[bool]>),
    Tuple,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct CallHead {
    callee: Callee,
    kwargs: Vec<(Arc<str>, AttrValue)>,
}

#[derive(Clone, Debug)]
struct Node {
    dtype: DType,
    head: Head,
    first: u32,
    len: u32,
    /// Nodes of the expression as a tree.
    size: u64,
}

/// A set of distinct expressions.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    nodes: Vec<Node>,
    operands: Vec<ClassId>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Pool {
    /// A pool without expressions.
    pub(super) fn new() -> Pool {
        Pool::default()
    }

    /// The number of the expression with the root of `e` and the given operands, and whether it is a new one. A
    /// load is the same as another only if `tag` is.
    pub(super) fn intern(&mut self, e: &Expr, operands: &[ClassId], tag: LoadTag) -> (ClassId, bool) {
        let head = head_of(e, tag);
        let hash = self.hasher.hash_one((e.dtype, &head, operands));
        let found = self.table.find(hash, |&id| {
            let node = &self.nodes[id as usize];
            node.dtype == e.dtype && node.head == head && self.operands_of(node) == operands
        });
        if let Some(&id) = found {
            return (ClassId(id), false);
        }
        let id = u32::try_from(self.nodes.len()).expect("fewer than 2^32 expressions");
        let size = operands.iter().fold(1u64, |n, o| n.saturating_add(self.nodes[o.index()].size));
        let first = u32::try_from(self.operands.len()).expect("fewer than 2^32 operands");
        self.operands.extend_from_slice(operands);
        self.nodes.push(Node { dtype: e.dtype, head, first, len: operands.len() as u32, size });
        let (nodes, all, hasher) = (&self.nodes, &self.operands, &self.hasher);
        self.table.insert_unique(hash, id, |&id| {
            let node = &nodes[id as usize];
            let operands = &all[node.first as usize..(node.first + node.len) as usize];
            hasher.hash_one((node.dtype, &node.head, operands))
        });
        (ClassId(id), true)
    }

    fn operands_of(&self, node: &Node) -> &[ClassId] {
        &self.operands[node.first as usize..(node.first + node.len) as usize]
    }

    /// The operands of an expression, in the order of [`Expr::for_each_child`].
    pub(super) fn operands(&self, id: ClassId) -> &[ClassId] {
        self.operands_of(&self.nodes[id.index()])
    }

    /// The type of an expression.
    pub(super) fn dtype(&self, id: ClassId) -> DType {
        self.nodes[id.index()].dtype
    }

    /// Operator and operands of a binary operation.
    pub(super) fn binary(&self, id: ClassId) -> Option<(BinOp, ClassId, ClassId)> {
        match (&self.nodes[id.index()].head, self.operands(id)) {
            (Head::Binary(op), &[a, b]) => Some((*op, a, b)),
            _ => None,
        }
    }

    /// The value of an integer constant.
    pub(super) fn int(&self, id: ClassId) -> Option<i64> {
        match self.nodes[id.index()].head {
            Head::Int(v) => Some(v),
            _ => None,
        }
    }

    /// The number of nodes of an expression as a tree.
    pub(super) fn tree_size(&self, id: ClassId) -> u64 {
        self.nodes[id.index()].size
    }

    /// The expression. `replace` is asked for each proper part, outermost first; what it answers stands in the
    /// part's place.
    pub(super) fn to_expr(&self, id: ClassId, replace: &mut dyn FnMut(ClassId) -> Option<Expr>) -> Expr {
        let node = &self.nodes[id.index()];
        let mut operands = self.operands_of(node).iter().map(|&o| match replace(o) {
            Some(e) => e,
            None => self.to_expr(o, replace),
        });
        let mut next = || Box::new(operands.next().expect("as many operands as the node has"));
        let kind = match &node.head {
            Head::Int(v) => ExprKind::Int(*v),
            Head::Float(v) => ExprKind::Float(*v),
            Head::Str(s) => ExprKind::Str(s.clone()),
            Head::Var(v) => ExprKind::Var(*v),
            Head::Binary(op) => {
                let a = next();
                ExprKind::Binary(*op, a, next())
            }
            Head::Not => ExprKind::Not(next()),
            Head::Cast => ExprKind::Cast(next()),
            Head::Broadcast => ExprKind::Broadcast(next()),
            Head::Select => {
                let (cond, then, otherwise) = (*next(), *next(), *next());
                Expr::select(cond, then, otherwise).kind
            }
            Head::Ramp => {
                let base = next();
                ExprKind::Ramp(base, next())
            }
            Head::Let(v) => {
                let value = next();
                ExprKind::Let(*v, value, next())
            }
            Head::Load(buffer, _) => ExprKind::Load { buffer: *buffer, indices: operands.collect() },
            Head::Shuffle(n) => {
                let vectors = operands.by_ref().take(*n as usize).collect();
                ExprKind::Shuffle(Box::new(Shuffle { vectors, indices: operands.collect() }))
            }
            Head::Call(call) => ExprKind::Call(Box::new(Call {
                callee: call.callee.clone(),
                args: operands.collect(),
                kwargs: call.kwargs.clone(),
            })),
            Head::BufferData(b) => ExprKind::BufferData(*b),
            Head::BufferRef(b) => ExprKind::BufferRef(*b),
            Head::Region(b, extents) => {
                let ranges = extents
                    .iter()
                    .map(|&has_extent| {
                        let min = *next();
                        (min, has_extent.then(|| *next()))
                    })
                    .collect();
                ExprKind::Region(*b, ranges)
            }
            Head::Tuple => ExprKind::Tuple(operands.collect()),
        };
        Expr { dtype: node.dtype, kind }
    }
}

fn head_of(e: &Expr, tag: LoadTag) -> Head {
    match &e.kind {
        ExprKind::Int(v) => Head::Int(*v),
        ExprKind::Float(v) => Head::Float(*v),
        ExprKind::Str(s) => Head::Str(s.clone()),
        ExprKind::Var(v) => Head::Var(*v),
        ExprKind::Binary(op, ..) => Head::Binary(*op),
        ExprKind::Not(_) => Head::Not,
        ExprKind::Cast(_) => Head::Cast,
        ExprKind::Select(..) => Head::Select,
        ExprKind::Load { buffer, .. } => Head::Load(*buffer, tag),
        ExprKind::Ramp(..) => Head::Ramp,
        ExprKind::Broadcast(_) => Head::Broadcast,
        ExprKind::Shuffle(shuffle) => Head::Shuffle(shuffle.vectors.len() as u32),
        ExprKind::Let(v, ..) => Head::Let(*v),
        ExprKind::Call(call) => {
            Head::Call(Arc::new(CallHead { callee: call.callee.clone(), kwargs: call.kwargs.clone() }))
        }
        ExprKind::BufferData(b) => Head::BufferData(*b),
        ExprKind::BufferRef(b) => Head::BufferRef(*b),
        ExprKind::Region(b, ranges) => {
            Head::Region(*b, ranges.iter().map(|(_, extent)| extent.is_some()).collect())
        }
        ExprKind::Tuple(_) => Head::Tuple,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intern(pool: &mut Pool, e: &Expr) -> ClassId {
        let mut operands = Vec::new();
        e.for_each_child(|c| operands.push(intern(pool, c)));
        pool.intern(e, &operands, LoadTag::ANY).0
    }

    #[test]
    fn equal_expressions_share_a_number_and_come_back() {
        let x = || Expr::var(VarId(0), DType::I32);
        let load = Expr::load(DType::I32, BufferId(0), vec![x(), x() + 1]);
        let region = Expr {
            dtype: DType::HANDLE,
            kind: ExprKind::Region(BufferId(1), Box::new([(x(), None), (x() * 2, Some(x()))])),
        };
        let shuffle = Expr {
            dtype: DType::I32,
            kind: ExprKind::Shuffle(Box::new(Shuffle {
                vectors: vec![Expr::broadcast(x(), 4)],
                indices: vec![Expr::int(2, DType::I32)],
            })),
        };
        let select = Expr::select(x().lt(3), load.clone(), shuffle);
        let call = Expr::call(DType::I32, "call_extern", vec![region, Expr::cast(DType::I64, select)]);
        let mut pool = Pool::new();
        let id = intern(&mut pool, &call);
        assert_eq!(pool.to_expr(id, &mut |_| None), call);
        let before = pool.nodes.len();
        assert_eq!(intern(&mut pool, &call), id);
        assert_eq!(pool.nodes.len(), before);
        let mut nodes = 0;
        call.walk(&mut |_| nodes += 1);
        assert_eq!(pool.tree_size(id), nodes);
        let y = Expr::var(VarId(9), DType::I32);
        let x1 = intern(&mut pool, &(x() + 1));
        let load = intern(&mut pool, &load);
        let got = pool.to_expr(load, &mut |c| (c == x1).then(|| y.clone()));
        assert_eq!(got, Expr::load(DType::I32, BufferId(0), vec![x(), y]));
    }

    #[test]
    fn types_tags_and_float_bits_keep_apart() {
        let mut pool = Pool::new();
        let a = intern(&mut pool, &Expr::int(1, DType::I32));
        let b = intern(&mut pool, &Expr::int(1, DType::I64));
        assert_ne!(a, b);
        let zero = intern(&mut pool, &Expr::float(0.0, DType::F32));
        assert_ne!(zero, intern(&mut pool, &Expr::float(-0.0, DType::F32)));
        let load = Expr::load(DType::I32, BufferId(0), vec![Expr::int(1, DType::I32)]);
        assert_ne!(pool.intern(&load, &[a], LoadTag(1)).0, pool.intern(&load, &[a], LoadTag(2)).0);
    }
}
