//! Values of expressions at sample points: what a point refutes needs no search for a proof.
//!
//! A point gives every variable a value in its range. Only the points at which all known facts hold are used. As in
//! the e-graph, division by zero gives 0 and a remainder by zero its dividend; a load gives some fixed value of its
//! buffer and indices, which may be what the memory holds. What has no value here (floats, calls, overflow) leaves
//! a point out, so that the answers only ever refute.

use std::cell::RefCell;

use hashbrown::HashMap;

use crate::arith::{Interval, points};
use crate::eqsat::lower::{Known, is_lazy_select};
use crate::ir::value::int;
use crate::ir::{BinOp, Expr, ExprKind, VarId};

/// How many points are wanted, and how many are tried for that.
const POINTS: usize = 32;
const TRIES: u64 = 320;

/// The points at which what is known holds.
pub(super) struct Samples<'a> {
    known: &'a Known,
    points: Vec<u64>,
    /// The values of bound variables, each found once: a chain of bindings that use the one before twice is a large tree.
    bound: RefCell<HashMap<(VarId, u64), Option<i64>>>,
}

impl<'a> Samples<'a> {
    /// Tries the points against the first `facts` facts.
    pub(super) fn new(known: &'a Known, facts: usize) -> Samples<'a> {
        let mut samples = Samples { known, points: Vec::new(), bound: RefCell::default() };
        let holds = |point: &u64| {
            known.facts[..facts].iter().all(|(e, truth)| samples.truth(e, *point) == Some(*truth))
        };
        samples.points = (0..TRIES).filter(holds).take(POINTS).collect();
        samples
    }

    /// Whether `cond` has another truth value than `truth` at some point.
    pub(super) fn refute(&self, cond: &Expr, truth: bool) -> bool {
        self.points.iter().any(|&p| self.truth(cond, p) == Some(!truth))
    }

    /// Whether the values of two expressions differ at some point.
    pub(super) fn differ(&self, a: &Expr, b: &Expr) -> bool {
        self.points.iter().any(|&p| match (self.value(a, p), self.value(b, p)) {
            (Some(a), Some(b)) => a != b,
            _ => false,
        })
    }

    /// Whether the value is one and the same at all points that give one.
    pub(super) fn constant(&self, e: &Expr) -> bool {
        let mut values = self.points.iter().filter_map(|&p| self.value(e, p));
        values.next().is_none_or(|first| values.all(|v| v == first))
    }

    /// How many points there are.
    pub(super) fn len(&self) -> usize {
        self.points.len()
    }

    fn truth(&self, cond: &Expr, point: u64) -> Option<bool> {
        self.value(cond, point).map(|v| v != 0)
    }

    fn value(&self, e: &Expr, point: u64) -> Option<i64> {
        if !e.dtype.is_scalar() || !e.dtype.is_integral() && !e.dtype.is_bool() {
            return None;
        }
        let of = |e: &Expr| self.value(e, point);
        match &e.kind {
            ExprKind::Int(v) => Some(*v),
            ExprKind::Var(v) => match self.known.values.get(v) {
                Some(value) => {
                    let before = self.bound.borrow().get(&(*v, point)).copied();
                    before.unwrap_or_else(|| {
                        let found = of(value);
                        self.bound.borrow_mut().insert((*v, point), found);
                        found
                    })
                }
                None => Some(self.variable(*v, e, point)),
            },
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
                // What is behind a guard need not have a value.
                let a = of(a)? != 0;
                if a == (*op == BinOp::Or) { Some(i64::from(a)) } else { of(b) }
            }
            ExprKind::Binary(op, a, b) => {
                let dtype = a.dtype;
                let (a, b) = (of(a)?, of(b)?);
                match op {
                    BinOp::Div | BinOp::FloorDiv if b == 0 => Some(0),
                    BinOp::Mod | BinOp::FloorMod if b == 0 => Some(a),
                    _ => int::binary(*op, dtype, a, b).ok(),
                }
            }
            ExprKind::Not(a) => of(a).map(|v| i64::from(v == 0)),
            ExprKind::Cast(a) if a.dtype.is_integral() || a.dtype.is_bool() => {
                let v = of(a)?;
                int::fits(e.dtype, v).then_some(v)
            }
            ExprKind::Select(c, a, b) => of(if of(c)? != 0 { a } else { b }),
            ExprKind::Load { buffer, indices } => {
                let mut hash = points::mix(u64::from(buffer.0), point);
                for index in indices {
                    hash = points::mix(hash, of(index)?.cast_unsigned());
                }
                let small = (hash % 9).cast_signed() - 2;
                Some(match e.dtype {
                    d if d.is_bool() => small & 1,
                    d if d.is_uint() => small.abs(),
                    _ => small,
                })
            }
            ExprKind::Call(call) if is_lazy_select(call) => {
                of(if of(&call.args[0])? != 0 { &call.args[1] } else { &call.args[2] })
            }
            ExprKind::Call(_) => match e.as_intrin() {
                Some(("likely", [inner])) => of(inner),
                _ => None,
            },
            ExprKind::Cast(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Ramp(..)
            | ExprKind::Broadcast(_)
            | ExprKind::Shuffle(..)
            | ExprKind::Let(..)
            | ExprKind::BufferData(_)
            | ExprKind::BufferRef(_)
            | ExprKind::Region(..)
            | ExprKind::Tuple(_) => None,
        }
    }

    /// A value in the variable's range.
    fn variable(&self, var: VarId, e: &Expr, point: u64) -> i64 {
        if e.dtype.is_bool() {
            return (points::mix(u64::from(var.0) + 1, point) & 1).cast_signed();
        }
        let range = self.known.ranges.get(var.index()).copied().unwrap_or(Interval::ALL);
        points::value_at(range, !e.dtype.is_uint(), u64::from(var.0), point)
    }
}
