//! Whether a store stores what is there, and whether two values are the same: bit for bit.
//!
//! What is loaded is replaced by what it is known to be; then neutral operands go. Of floats: `x + 0.0` is `x` unless `x` is
//! -0.0, `x * 1.0` always, `max(x, -inf)` unless `x` is NaN, which is not known. An accumulator that starts at +0.0 and only
//! adds is never -0.0: a sum is -0.0 only if both operands are.

use super::permit;
use super::settings::Settings;
use crate::analysis::accesses::{Access, Fact, Kind, is_plain};
use crate::analysis::contents::{self, defined, is_undefined};
use crate::analysis::instances::{Asker, Instance};
use crate::ir::value::{self, Value};
use crate::ir::{BinOp, BufferId, Expr, ExprKind};

/// Whether a store of `value` leaves its element as it is, where `facts` hold.
pub(super) fn stores_what_is_there(
    asker: &Asker<'_>,
    store: &Access,
    value: &Expr,
    facts: &[Fact],
    settings: Settings,
) -> bool {
    if !store.exact || value.has_effect() || adds_an_unknown(asker, store.buffer, value) {
        return false;
    }
    if asker.trace().is_some_and(|trace| trace.changes(asker.accesses, store.order as usize, facts)) {
        return false;
    }
    let at = asker.itself(store);
    let own = Expr::load(value.dtype, store.buffer, store.indices.clone());
    let mut folder = Folder::new(asker, &at, facts, settings);
    let there = folder.fold(&own);
    // Of an element of which nothing is known only itself is the same.
    let reads_own = value.loads_from(|buffer| buffer == store.buffer);
    if folder.elements.iter().all(|element| element.content.is_none()) && !reads_own {
        return false;
    }
    let new = folder.fold(value);
    folder.equal(&new, &there)
}

/// Whether a value varies with an element of another buffer of which nothing is ever known, whatever the others hold: then it
/// is no element of this one, nor what is known of that.
fn adds_an_unknown(asker: &Asker<'_>, own: BufferId, value: &Expr) -> bool {
    let mut loads = Vec::new();
    value.walk(&mut |e| {
        if let ExprKind::Load { buffer, .. } = e.kind {
            loads.push(buffer);
        }
    });
    let occurs_once = |buffer: BufferId| loads.iter().filter(|of| **of == buffer).count() == 1;
    let is_unknown = |buffer: BufferId| {
        buffer != own && occurs_once(buffer) && asker.accesses.definitions(buffer, 0).next().is_none()
    };
    fn varies(e: &Expr, is_unknown: &impl Fn(BufferId) -> bool) -> bool {
        match &e.kind {
            ExprKind::Load { buffer, .. } => is_unknown(*buffer),
            ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) => varies(a, is_unknown) || varies(b, is_unknown),
            ExprKind::Binary(BinOp::Mul, a, b) => {
                b.as_int().is_some_and(|by| by != 0) && varies(a, is_unknown)
            }
            _ => false,
        }
    }
    value.dtype.is_scalar() && value.dtype.is_index() && varies(value, &is_unknown)
}

/// Whether two values are the same at an instance where `facts` hold.
pub(super) fn same_value(
    asker: &Asker<'_>,
    at: &Instance,
    facts: &[Fact],
    (a, b): (&Expr, &Expr),
    settings: Settings,
) -> bool {
    if a.has_effect() || b.has_effect() {
        return false;
    }
    let mut folder = Folder::new(asker, at, facts, settings);
    let (a, b) = (folder.fold(a), folder.fold(b));
    folder.equal(&a, &b)
}

/// Whether all sums and products of integers in the value of a store fit their type where `facts` hold: by ranges; or because
/// they are a constant, or an element, once what is loaded is known; or because they are one of their operands; or because one
/// operand may be anything and the other one is a constant, so that they may be anything as well.
pub(super) fn fits(
    asker: &Asker<'_>,
    store: &Access,
    value: &Expr,
    facts: &[Fact],
    settings: Settings,
) -> bool {
    let at = asker.itself(store);
    let mut folder = Folder::new(asker, &at, facts, settings);
    let undefined = |e: &Expr| match &e.kind {
        ExprKind::Load { buffer, indices } => is_undefined(asker, &at, facts, (*buffer, indices)),
        _ => e.is_undef(),
    };
    let known =
        |folded| matches!(folded, Folded::Value(Expr { kind: ExprKind::Int(_) | ExprKind::Var(_), .. }));
    let is = |operand: Folded, wanted: i64| match operand {
        Folded::Value(e) => {
            let wanted = Expr::int(wanted, e.dtype);
            is_plain(&e) && asker.proves(facts, &Expr::binary(BinOp::Eq, e, wanted), true)
        }
        Folded::Zero => false,
    };
    let mut all = true;
    value.walk(&mut |e| {
        all = all
            && match &e.kind {
                ExprKind::Binary(op, a, b) if op.is_ring() && e.dtype.scalar().is_index() => {
                    is_plain(e) && permit::fits(asker, e, facts)
                        || known(folder.fold(e))
                        || undefined(a) && b.as_int().is_some()
                        || undefined(b) && a.as_int().is_some()
                        || is(folder.fold(b), i64::from(*op == BinOp::Mul))
                        || *op != BinOp::Sub && is(folder.fold(a), i64::from(*op == BinOp::Mul))
                }
                _ => true,
            };
    });
    all
}

/// A folded value.
#[derive(Clone, Debug, PartialEq)]
enum Folded {
    /// The value, in which variables stand for elements.
    Value(Expr),
    /// A float zero of either sign.
    Zero,
}

/// What stands for the elements that a value reads.
struct Element {
    buffer: BufferId,
    indices: Vec<Expr>,
    variable: Expr,
    never_negative_zero: Option<bool>,
    content: Option<Folded>,
}

struct Folder<'a, 'b> {
    asker: &'a Asker<'b>,
    at: &'a Instance,
    facts: &'a [Fact],
    settings: Settings,
    elements: Vec<Element>,
}

impl<'a, 'b> Folder<'a, 'b> {
    fn new(asker: &'a Asker<'b>, at: &'a Instance, facts: &'a [Fact], settings: Settings) -> Folder<'a, 'b> {
        Folder { asker, at, facts, settings, elements: Vec::new() }
    }

    fn fold(&mut self, e: &Expr) -> Folded {
        match &e.kind {
            ExprKind::Load { buffer, indices } if e.dtype.is_scalar() => self.load(e, *buffer, indices),
            ExprKind::Binary(op, a, b) if e.dtype.is_scalar() => {
                let (a, b) = (self.fold(a), self.fold(b));
                self.binary(e, *op, a, b)
            }
            // What a choice evaluates depends on the place; so does what a binding names.
            ExprKind::Select(_) | ExprKind::Let(..) => Folded::Value(e.clone()),
            ExprKind::Call(_) if e.as_intrin().is_none_or(|(name, _)| name == "if_then_else") => {
                Folded::Value(e.clone())
            }
            _ => {
                let mut result = e.clone();
                result.for_each_child_mut(|child| {
                    if let Folded::Value(value) = self.fold(child) {
                        *child = value;
                    }
                });
                Folded::Value(neutral(&result).unwrap_or(result))
            }
        }
    }

    fn load(&mut self, e: &Expr, buffer: BufferId, indices: &[Expr]) -> Folded {
        let known = self.elements.iter().position(|element| {
            element.buffer == buffer
                && element.indices.len() == indices.len()
                && element.indices.iter().zip(indices).all(|(x, y)| {
                    x == y
                        || x.dtype == y.dtype
                            && self.asker.proves(
                                self.facts,
                                &Expr::binary(BinOp::Eq, x.clone(), y.clone()),
                                true,
                            )
                })
        });
        let at = known.unwrap_or_else(|| {
            // Of floats, nothing but constants is known bit for bit.
            let content = if e.dtype.is_float() { contents::constant } else { contents::value };
            let found = content(self.asker, self.at, self.facts, buffer, indices);
            let content = found.map(|content| match content.value.kind {
                // Of an assumption the sign of zero is not known, nor whether a NaN is this one.
                ExprKind::Float(bits) if !content.stored && f64::from_bits(bits) == 0.0 => Folded::Zero,
                _ => Folded::Value(content.value),
            });
            // A value that reads memory is no value here.
            let content = content.filter(|content| match content {
                Folded::Zero => true,
                Folded::Value(value) => is_plain(value),
            });
            self.elements.push(Element {
                buffer,
                indices: indices.to_vec(),
                variable: self.asker.variable(e.dtype),
                never_negative_zero: None,
                content,
            });
            self.elements.len() - 1
        });
        let element = &self.elements[at];
        element.content.clone().unwrap_or_else(|| Folded::Value(element.variable.clone()))
    }

    fn binary(&mut self, e: &Expr, op: BinOp, a: Folded, b: Folded) -> Folded {
        if e.dtype.is_float() {
            return self.float(e, op, a, b);
        }
        let (Folded::Value(a), Folded::Value(b)) = (a, b) else { return Folded::Value(e.clone()) };
        if let (Some(x), Some(y)) = (Value::of(&a), Value::of(&b))
            && !value::depends_on_target(op, x, y)
            && let Ok(v) = value::binary(op, a.dtype, x, y)
        {
            return Folded::Value(v.to_expr(e.dtype));
        }
        let result = match (op, a.as_int(), b.as_int()) {
            (BinOp::Add, Some(0), _) | (BinOp::Mul, Some(1), _) => b,
            (BinOp::Add | BinOp::Sub, _, Some(0)) | (BinOp::Mul, _, Some(1)) => a,
            (BinOp::Mul, Some(0), _) | (BinOp::Mul, _, Some(0)) => Expr::int(0, e.dtype),
            (BinOp::Min | BinOp::Max, ..) if a == b => a,
            (BinOp::Min, Some(v), _) if is_end(e.dtype, v, true) => b,
            (BinOp::Min, _, Some(v)) if is_end(e.dtype, v, true) => a,
            (BinOp::Max, Some(v), _) if is_end(e.dtype, v, false) => b,
            (BinOp::Max, _, Some(v)) if is_end(e.dtype, v, false) => a,
            _ => Expr::binary(op, a, b),
        };
        Folded::Value(result)
    }

    fn float(&mut self, e: &Expr, op: BinOp, a: Folded, b: Folded) -> Folded {
        let is = |folded: &Folded, v: f64| match folded {
            Folded::Value(Expr { kind: ExprKind::Float(bits), .. }) => *bits == v.to_bits(),
            _ => false,
        };
        let zero = |folded: &Folded| *folded == Folded::Zero || is(folded, 0.0) || is(folded, -0.0);
        match op {
            BinOp::Add if is(&b, -0.0) => return a,
            BinOp::Add if is(&a, -0.0) => return b,
            BinOp::Add if zero(&b) && self.is_never_negative_zero(&a) => return a,
            BinOp::Add if zero(&a) && self.is_never_negative_zero(&b) => return b,
            BinOp::Sub if is(&b, 0.0) => return a,
            BinOp::Mul if is(&b, 1.0) => return a,
            BinOp::Mul if is(&a, 1.0) => return b,
            BinOp::Add if zero(&a) && zero(&b) => return Folded::Zero,
            BinOp::Mul if zero(&a) && self.is_finite(&b) || zero(&b) && self.is_finite(&a) => {
                return Folded::Zero;
            }
            _ => {}
        }
        match (a, b) {
            (Folded::Value(a), Folded::Value(b)) => Folded::Value(Expr::binary(op, a, b)),
            // Which zero it is is not known: a variable of which nothing is.
            _ => Folded::Value(self.asker.variable(e.dtype)),
        }
    }

    /// Whether a float is no infinity and no NaN: a constant, or an element of what the function was given and does not
    /// write, where that is declared to be so.
    fn is_finite(&self, folded: &Folded) -> bool {
        let Folded::Value(e) = folded else { return true };
        match &e.kind {
            ExprKind::Float(bits) => f64::from_bits(*bits).is_finite(),
            ExprKind::Var(_) => {
                self.settings.finite && {
                    let accesses = self.asker.accesses;
                    self.elements.iter().any(|element| {
                        element.variable == *e
                            && !accesses.is_allocated(element.buffer)
                            && accesses.sharing(element.buffer).all(|at| !accesses.list[at].writes())
                    })
                }
            }
            _ => false,
        }
    }

    /// Whether a float is never -0.0.
    fn is_never_negative_zero(&mut self, folded: &Folded) -> bool {
        let Folded::Value(e) = folded else { return false };
        match &e.kind {
            ExprKind::Float(bits) => *bits != (-0.0_f64).to_bits(),
            ExprKind::Var(_) => {
                let Some(at) = self.elements.iter().position(|element| element.variable == *e) else {
                    return false;
                };
                if let Some(known) = self.elements[at].never_negative_zero {
                    return known;
                }
                let element = &self.elements[at];
                let stores = |kind: &Kind| matches!(kind, Kind::Store(_));
                let place = (element.buffer, &element.indices[..]);
                let never = stores_no_negative_zero(self.asker, element.buffer)
                    && defined(self.asker, self.at, self.facts, place, stores).is_some();
                self.elements[at].never_negative_zero = Some(never);
                never
            }
            _ => false,
        }
    }

    /// Whether two folded values are the same.
    fn equal(&self, a: &Folded, b: &Folded) -> bool {
        let (Folded::Value(a), Folded::Value(b)) = (a, b) else { return false };
        if a == b {
            return true;
        }
        // Equal floats need not have the same bits.
        a.dtype == b.dtype
            && a.dtype.is_integral()
            && a.dtype.is_scalar()
            && self.asker.proves(self.facts, &Expr::binary(BinOp::Eq, a.clone(), b.clone()), true)
    }
}

/// Whether an integer is the greatest, or the least, of its type.
fn is_end(dtype: crate::ir::DType, v: i64, greatest: bool) -> bool {
    dtype.int_range().is_some_and(|(lo, hi)| i128::from(v) == if greatest { hi } else { lo })
}

/// What a call of an intrinsic is that has a neutral operand, or of which the limit is known.
fn neutral(e: &Expr) -> Option<Expr> {
    let (name, args) = e.as_intrin()?;
    match (name, args) {
        ("bitwise_or" | "bitwise_xor", [a, b]) if b.as_int() == Some(0) && a.dtype == e.dtype => {
            Some(a.clone())
        }
        ("bitwise_or" | "bitwise_xor", [a, b]) if a.as_int() == Some(0) && b.dtype == e.dtype => {
            Some(b.clone())
        }
        // Exactly: what is smaller than every number has a power smaller than every positive one.
        ("exp", [x]) if matches!(x.kind, ExprKind::Float(bits) if f64::from_bits(bits) == f64::NEG_INFINITY) => {
            Some(Expr::float(0.0, e.dtype))
        }
        _ => None,
    }
}

/// Whether nothing in the function stores -0.0 to the memory of a buffer, by induction over the run: what a store reads of
/// the buffer was stored before.
fn stores_no_negative_zero(asker: &Asker<'_>, buffer: BufferId) -> bool {
    let accesses = asker.accesses;
    accesses.sharing(buffer).map(|at| &accesses.list[at]).all(|access| match &access.kind {
        Kind::Store(value) => access.buffer == buffer && never_negative_zero(asker, access, value),
        Kind::Undefined => false,
        Kind::Load | Kind::Assumed(_) | Kind::Fresh => true,
    })
}

/// Whether what a store stores, or a part of it, is never -0.0, whatever it reads of other buffers.
fn never_negative_zero(asker: &Asker<'_>, store: &Access, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Float(bits) => *bits != (-0.0_f64).to_bits(),
        // The sum of what is not -0.0 and anything is not: exact cancellation gives +0.0.
        ExprKind::Binary(BinOp::Add, a, b) => {
            never_negative_zero(asker, store, a) || never_negative_zero(asker, store, b)
        }
        ExprKind::Cast(a) => a.dtype.is_integral(),
        ExprKind::Load { buffer, indices } if *buffer == store.buffer => {
            let at = asker.itself(store);
            let facts = at.conditions.clone();
            let stores = |kind: &Kind| matches!(kind, Kind::Store(_));
            defined(asker, &at, &facts, (*buffer, indices), stores).is_some()
        }
        _ => matches!(e.as_intrin(), Some(("exp", _))),
    }
}
