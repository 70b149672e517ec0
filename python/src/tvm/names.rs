//! Which class of TVM stands for which operation of satir.

use satir::ir::BinOp;

use super::schema::Kind;

/// The operator of a class.
pub(super) fn binary(kind: Kind) -> Option<BinOp> {
    Some(match kind {
        Kind::Add => BinOp::Add,
        Kind::Sub => BinOp::Sub,
        Kind::Mul => BinOp::Mul,
        Kind::Div => BinOp::Div,
        Kind::Mod => BinOp::Mod,
        Kind::FloorDiv => BinOp::FloorDiv,
        Kind::FloorMod => BinOp::FloorMod,
        Kind::Min => BinOp::Min,
        Kind::Max => BinOp::Max,
        Kind::Eq => BinOp::Eq,
        Kind::Ne => BinOp::Ne,
        Kind::Lt => BinOp::Lt,
        Kind::Le => BinOp::Le,
        Kind::Gt => BinOp::Gt,
        Kind::Ge => BinOp::Ge,
        Kind::And => BinOp::And,
        Kind::Or => BinOp::Or,
        _ => return None,
    })
}

/// The constructor of an operator.
pub(super) const fn constructor(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "prim.Add",
        BinOp::Sub => "prim.Sub",
        BinOp::Mul => "prim.Mul",
        BinOp::Div => "prim.Div",
        BinOp::Mod => "prim.Mod",
        BinOp::FloorDiv => "prim.FloorDiv",
        BinOp::FloorMod => "prim.FloorMod",
        BinOp::Min => "prim.Min",
        BinOp::Max => "prim.Max",
        BinOp::Eq => "prim.EQ",
        BinOp::Ne => "prim.NE",
        BinOp::Lt => "prim.LT",
        BinOp::Le => "prim.LE",
        BinOp::Gt => "prim.GT",
        BinOp::Ge => "prim.GE",
        BinOp::And => "prim.And",
        BinOp::Or => "prim.Or",
    }
}

/// The operations that are calls here and nodes there: name, class, constructor.
const NODES: [(&str, Kind, &str); 5] = [
    ("shift_left", Kind::LShift, "prim.LShift"),
    ("shift_right", Kind::RShift, "prim.RShift"),
    ("bitwise_and", Kind::BitwiseAnd, "prim.BitwiseAnd"),
    ("bitwise_or", Kind::BitwiseOr, "prim.BitwiseOr"),
    ("bitwise_xor", Kind::BitwiseXor, "prim.BitwiseXor"),
];

/// The name of the call that stands for a class.
pub(super) fn bitwise(kind: Kind) -> Option<&'static str> {
    NODES.iter().find(|(_, node, _)| *node == kind).map(|(name, ..)| *name)
}

/// The constructor of the node that stands for a call.
pub(super) fn bitwise_constructor(name: &str) -> Option<&'static str> {
    NODES.iter().find(|(call, ..)| *call == name).map(|(.., constructor)| *constructor)
}

/// Calls that TVMScript writes as statements of their own.
pub(super) fn is_statement(name: &str) -> bool {
    matches!(name, "ret" | "break_loop" | "continue_loop" | "thread_return")
}
