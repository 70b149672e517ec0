//! The language of the e-graph: one node type, every node with its data type.

use egg::{Id, Language};

use super::ids::Ids;
use crate::ir::{BinOp, BufferId, DType, VarId};

/// An e-node: an operator, the type of its value, and operand classes. There are three of each in a graph, so that its
/// size matters: it is that of four addresses.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Node {
    /// What it computes.
    pub op: Op,
    /// The type of the value.
    pub dtype: DType,
    /// The operands.
    pub children: Ids,
}

/// A number of 64 bits where one of 32 may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(Rust, packed(4))]
pub(crate) struct Packed<T: Copy>(T);

impl<T: Copy> Packed<T> {
    /// The number.
    pub(crate) fn get(self) -> T {
        self.0
    }
}

/// What a node computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Op {
    /// An integer or truth constant.
    Int(Packed<i64>),
    /// A float constant by its bits, so that `-0.0` and `0.0` stay apart.
    Float(Packed<u64>),
    /// A variable.
    Var(VarId),
    /// A binary operation.
    Bin(BinOp),
    /// Logical negation.
    Not,
    /// Conversion to the node's type.
    Cast,
    /// `T.Select`.
    Select,
    /// `T.if_then_else`: only the taken arm is evaluated.
    IfThenElse,
    /// `T.likely`.
    Likely,
    /// An element of a buffer in a memory version: loads of one version at equal indices are equal.
    Load(BufferId, u32),
    /// `T.Ramp`.
    Ramp,
    /// `T.Broadcast`.
    Broadcast,
    /// The vector whose value in lane `l` is the operand, a scalar in which [`Op::Lane`] stands for `l`. This and the
    /// next two say what vectors are and are no code.
    Lanes,
    /// The number of the lane, in vectors of so many lanes.
    Lane(u16),
    /// The value of a vector in lane `l`.
    LaneOf,
    /// A call of a pure intrinsic: index into [`Lowered::callees`](crate::encode::Lowered::callees).
    Call(u32),
    /// An occurrence that equals nothing else: index into
    /// [`Lowered::templates`](crate::encode::Lowered::templates). The children stand in its holes.
    Template(u32),
}

impl Op {
    /// An integer or truth constant.
    pub(crate) fn int(value: i64) -> Op {
        Op::Int(Packed(value))
    }

    /// A float constant by its bits.
    pub(crate) fn float(bits: u64) -> Op {
        Op::Float(Packed(bits))
    }
}

impl Node {
    /// A node.
    pub(crate) fn new(op: Op, dtype: DType, children: impl IntoIterator<Item = Id>) -> Node {
        Node { op, dtype, children: children.into_iter().collect() }
    }

    /// An integer or truth constant.
    pub(crate) fn int(value: i64, dtype: DType) -> Node {
        Node::new(Op::int(value), dtype, [])
    }

    /// A binary operation on operands of type `operand`.
    pub(crate) fn bin(op: BinOp, operand: DType, a: Id, b: Id) -> Node {
        let dtype = if op.is_compare() { operand.to_bool() } else { operand };
        Node::new(Op::Bin(op), dtype, [a, b])
    }

    /// Whether the node says what a vector is and cannot be computed.
    pub(crate) fn is_virtual(&self) -> bool {
        matches!(self.op, Op::Lanes | Op::Lane(_) | Op::LaneOf)
    }

    /// The operands of a binary operation.
    pub(crate) fn as_bin(&self) -> Option<(BinOp, Id, Id)> {
        match (&self.op, &self.children[..]) {
            (Op::Bin(op), &[a, b]) => Some((*op, a, b)),
            _ => None,
        }
    }
}

impl Language for Node {
    /// One for all: egg keeps an index of the classes by it, for searches that are not used here.
    type Discriminant = ();

    fn discriminant(&self) -> Self::Discriminant {}

    fn matches(&self, other: &Self) -> bool {
        self.op == other.op && self.dtype == other.dtype && self.children.len() == other.children.len()
    }

    fn children(&self) -> &[Id] {
        &self.children
    }

    fn children_mut(&mut self) -> &mut [Id] {
        &mut self.children
    }
}
