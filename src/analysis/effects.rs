//! What evaluating an expression may do: trap, read memory, read or change other state, leave.
//!
//! [`NodeEffect`] describes the operation at the root of an expression, given that its operands have been
//! evaluated; [`ExprEffect`] describes the whole tree. Both err on the side of more effects: what is not known to
//! be harmless is not.

use crate::ir::intrin::{self, Effect};
use crate::ir::{BinOp, BufferId, Call, Callee, Expr, ExprKind};

/// What the operation at the root of an expression may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NodeEffect {
    /// It may trap, or have no defined result, on some operands: an integer division by something that
    /// [may be zero](is_never_zero), a load (it may be out of range), a float that does not fit the integer type it
    /// is cast to, a shift by an amount that is not in range, a call that is not pure or of which nothing is
    /// known.
    pub may_trap: bool,
    /// The result depends on memory: a load. [`ExprEffect::loads`] says of which buffers.
    pub loads: bool,
    /// The result depends on memory or other state that a call reads.
    pub reads_state: bool,
    /// Memory or other state may change. Two evaluations are not one.
    pub updates_state: bool,
    /// Control may not come back: the call may throw, jump, or never end.
    pub may_leave: bool,
}

impl NodeEffect {
    /// No effect at all: the result depends on the operands only, and there always is one.
    pub(crate) const NONE: NodeEffect = NodeEffect {
        may_trap: false,
        loads: false,
        reads_state: false,
        updates_state: false,
        may_leave: false,
    };

    const TRAP: NodeEffect = NodeEffect { may_trap: true, ..NodeEffect::NONE };
    const LOAD: NodeEffect = NodeEffect { may_trap: true, loads: true, ..NodeEffect::NONE };
    const READ: NodeEffect =
        NodeEffect { may_trap: true, reads_state: true, may_leave: true, ..NodeEffect::NONE };
    const ANYTHING: NodeEffect =
        NodeEffect { may_trap: true, loads: false, reads_state: true, updates_state: true, may_leave: true };

    /// Whether two evaluations with equal operands give equal results whatever happens in between.
    pub(crate) fn is_pure(self) -> bool {
        !self.loads && !self.reads_state && !self.updates_state && !self.may_leave
    }

    /// Both effects.
    pub(crate) fn and(self, other: NodeEffect) -> NodeEffect {
        NodeEffect {
            may_trap: self.may_trap || other.may_trap,
            loads: self.loads || other.loads,
            reads_state: self.reads_state || other.reads_state,
            updates_state: self.updates_state || other.updates_state,
            may_leave: self.may_leave || other.may_leave,
        }
    }
}

/// The effect of the operation at the root of `e`.
pub(crate) fn node_effect(e: &Expr) -> NodeEffect {
    match &e.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::Var(_)
        | ExprKind::Not(_)
        | ExprKind::Select(..)
        | ExprKind::Ramp(..)
        | ExprKind::Broadcast(_)
        | ExprKind::Shuffle(..)
        | ExprKind::Let(..)
        | ExprKind::BufferData(_)
        | ExprKind::BufferRef(_)
        | ExprKind::Region(..)
        | ExprKind::Tuple(_) => NodeEffect::NONE,
        ExprKind::Binary(op, a, b) => {
            let total = !op.is_division() || a.dtype.is_float() || is_never_zero(b);
            if total { NodeEffect::NONE } else { NodeEffect::TRAP }
        }
        ExprKind::Cast(a) => {
            if a.dtype.is_float() && e.dtype.is_integral() {
                NodeEffect::TRAP
            } else {
                NodeEffect::NONE
            }
        }
        ExprKind::Load { .. } => NodeEffect::LOAD,
        ExprKind::Call(call) => call_effect(e, call),
    }
}

fn call_effect(e: &Expr, call: &Call) -> NodeEffect {
    let name = match &call.callee {
        Callee::Intrin(name) => &**name,
        Callee::Global(_) => return NodeEffect::ANYTHING,
    };
    match intrin::effect(name) {
        Effect::Annotation => NodeEffect::NONE,
        Effect::Control if name == "if_then_else" => NodeEffect::NONE,
        Effect::Pure => match intrin::lookup(name) {
            Some(row) if !row.may_trap || is_total_shift(e, name, &call.args) => NodeEffect::NONE,
            Some(_) | None => NodeEffect::TRAP,
        },
        Effect::ReadsState => NodeEffect::READ,
        Effect::UpdatesState | Effect::Opaque | Effect::Control => NodeEffect::ANYTHING,
    }
}

/// Whether evaluating the expression may change memory or other state, as [`ExprEffect::any`] says: only a call may.
pub(crate) fn updates_state(e: &Expr) -> bool {
    let mut updates = false;
    e.walk(&mut |e| {
        if let ExprKind::Call(call) = &e.kind {
            updates |= call_effect(e, call).updates_state;
        }
    });
    updates
}

/// Whether a call is a shift by a constant amount below the width.
fn is_total_shift(e: &Expr, name: &str, args: &[Expr]) -> bool {
    matches!(name, "shift_left" | "shift_right")
        && args.get(1).and_then(lane_constant).is_some_and(|c| (0..i64::from(e.dtype.bits)).contains(&c))
}

/// Whether an integer cannot be zero by its form: a constant, a product of such, a `max` with a positive constant.
pub(crate) fn is_never_zero(e: &Expr) -> bool {
    let positive = |e: &Expr| lane_constant(e).is_some_and(|c| c > 0);
    match &e.kind {
        ExprKind::Int(v) => *v != 0,
        ExprKind::Broadcast(a) => is_never_zero(a),
        ExprKind::Binary(BinOp::Mul, a, b) => e.dtype.is_index() && is_never_zero(a) && is_never_zero(b),
        ExprKind::Binary(BinOp::Max, a, b) => e.dtype.is_int() && (positive(a) || positive(b)),
        _ => false,
    }
}

/// The integer that every lane of a constant holds.
pub(crate) fn lane_constant(e: &Expr) -> Option<i64> {
    match &e.kind {
        ExprKind::Broadcast(a) => a.as_int(),
        _ => e.as_int(),
    }
}

/// How an expression uses one of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// As a value that is always computed.
    Value,
    /// As a value that is computed only if the operand evaluated before it asks for it.
    Lazy,
    /// As a place: the operand is a load that names memory, and nothing is read (`T.address_of(A[i])`, arguments
    /// of calls that may write). Its indices are values.
    Place,
}

/// How `e` uses its operand `index` (in the order of [`Expr::for_each_child`]), which is `child`.
pub(crate) fn role(e: &Expr, index: usize, child: &Expr) -> Role {
    match &e.kind {
        ExprKind::Binary(op, ..) if op.is_logic() && index == 1 => Role::Lazy,
        ExprKind::Call(call) => {
            let name = match &call.callee {
                Callee::Intrin(name) => &**name,
                Callee::Global(_) => "",
            };
            if name == "if_then_else" {
                return if index == 0 { Role::Value } else { Role::Lazy };
            }
            let by_value =
                name != "address_of" && matches!(intrin::effect(name), Effect::Pure | Effect::Annotation);
            let place = matches!(child.kind, ExprKind::Load { .. }) && !by_value;
            if place { Role::Place } else { Role::Value }
        }
        _ => Role::Value,
    }
}

/// What evaluating a whole expression may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExprEffect {
    /// The union over all nodes. Operands that are evaluated lazily count as evaluated.
    pub any: NodeEffect,
    /// The buffers loaded from, in ascending order, each once.
    pub loads: Vec<BufferId>,
}

impl ExprEffect {
    /// The effect of evaluating `e`.
    pub(crate) fn of(e: &Expr) -> ExprEffect {
        let mut effect = ExprEffect::default();
        effect.add(e, Role::Value);
        effect.loads.sort_unstable();
        effect.loads.dedup();
        effect
    }

    fn add(&mut self, e: &Expr, as_role: Role) {
        if as_role == Role::Place {
            // The place itself may be out of range; who gets its address decides what that means.
            self.any.may_trap = true;
        } else {
            self.any = self.any.and(node_effect(e));
            if let ExprKind::Load { buffer, .. } = e.kind {
                self.loads.push(buffer);
            }
        }
        let mut index = 0;
        e.for_each_child(|c| {
            self.add(c, role(e, index, c));
            index += 1;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{DType, VarId};

    impl ExprEffect {
        /// Whether it can be evaluated anywhere that its variables are in scope: pure, and without a trap.
        fn is_total(&self) -> bool {
            self.any == NodeEffect::NONE
        }
    }

    fn x() -> Expr {
        Expr::var(VarId(0), DType::I32)
    }

    fn load() -> Expr {
        Expr::load(DType::I32, BufferId(0), vec![x()])
    }

    #[test]
    fn divisions_trap_unless_by_a_constant_other_than_zero() {
        let by = |d: Expr| ExprEffect::of(&Expr::binary(BinOp::FloorMod, x(), d)).is_total();
        assert!(by(Expr::int(3, DType::I32)));
        assert!(by(Expr::int(-3, DType::I32)));
        assert!(!by(Expr::int(0, DType::I32)));
        assert!(!by(x()));
        assert!(by(Expr::binary(BinOp::Max, x(), Expr::int(1, DType::I32)) * 2));
        assert!(!by(Expr::binary(BinOp::Max, x(), Expr::int(0, DType::I32))));
        assert!(!by(x() * 2));
        let lanes = |d: i64| {
            let d = Expr::broadcast(Expr::int(d, DType::I32), 4);
            ExprEffect::of(&Expr::binary(BinOp::FloorDiv, Expr::broadcast(x(), 4), d)).is_total()
        };
        assert!(lanes(2) && !lanes(0));
        let f = Expr::var(VarId(1), DType::F32);
        assert!(ExprEffect::of(&Expr::binary(BinOp::Div, f.clone(), f)).is_total());
    }

    #[test]
    fn casts_and_shifts_trap_out_of_range() {
        let f = Expr::var(VarId(1), DType::F32);
        assert!(!ExprEffect::of(&Expr::cast(DType::I32, f.clone())).is_total());
        assert!(ExprEffect::of(&Expr::cast(DType::F32, x())).is_total());
        assert!(ExprEffect::of(&Expr::cast(DType::I64, x())).is_total());
        let shift = |by: Expr| ExprEffect::of(&Expr::call(DType::I32, "shift_right", vec![x(), by]));
        assert!(shift(Expr::int(31, DType::I32)).is_total());
        assert!(!shift(Expr::int(32, DType::I32)).is_total());
        assert!(!shift(x()).is_total() && shift(x()).any.is_pure());
    }

    #[test]
    fn loads_and_calls() {
        let twice = Expr::binary(BinOp::Add, load(), load());
        let effect = ExprEffect::of(&twice);
        assert_eq!(effect.loads, [BufferId(0)]);
        assert!(effect.any.may_trap && !effect.any.is_pure());
        let call = |name: &str, arg: Expr| ExprEffect::of(&Expr::call(DType::I32, name, vec![arg]));
        assert!(call("abs_unknown", x()).any.updates_state);
        assert!(call("popcount", x()).is_total());
        assert!(call("call_pure_extern", x()).any.is_pure() && !call("call_pure_extern", x()).is_total());
        assert!(call("call_extern", x()).any.may_leave);
    }

    #[test]
    fn a_place_is_not_read() {
        let address = Expr::call(DType::HANDLE, "address_of", vec![load()]);
        assert_eq!(role(&address, 0, &load()), Role::Place);
        assert!(ExprEffect::of(&address).loads.is_empty());
        let lazy = Expr::call(DType::I32, "if_then_else", vec![Expr::bool(true), load(), x()]);
        assert_eq!(role(&lazy, 1, &load()), Role::Lazy);
        assert_eq!(ExprEffect::of(&lazy).loads, [BufferId(0)]);
        let pure = Expr::call(DType::I32, "popcount", vec![load()]);
        assert_eq!(role(&pure, 0, &load()), Role::Value);
    }
}
