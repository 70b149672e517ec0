//! What TVM's operators do to their operands: types are matched, constants are folded.
//!
//! TVMScript is Python, and its operators call TVM's, which fold (`x + 0` is `x`). The parser folds in the same
//! way, so that a text means to satir what it means to TVM; the printer asks whether an operator would fold and
//! then prints the node's name instead (`T.Add(x, 0)`). The rules are those of TVM's `arith/const_fold.h` and
//! `tirx/op/op.cc`.

use crate::ir::value::int::widen;
use crate::ir::{BinOp, DType, Expr, ExprKind, Kind, Operands};

/// A constant operand: an integer as the number that it stands for.
#[derive(Clone, Copy)]
enum Const {
    Int(i128),
    Float(f64),
}

fn constant(e: &Expr) -> Option<Const> {
    match e.kind {
        ExprKind::Int(v) => Some(Const::Int(widen(e.dtype, v))),
        ExprKind::Float(bits) => Some(Const::Float(f64::from_bits(bits))),
        _ => None,
    }
}

/// Converts to `dtype` as `tvm::cast` does: constants, broadcasts and ramps are converted in place.
pub(crate) fn cast(dtype: DType, value: Expr) -> Result<Expr, String> {
    if value.dtype == dtype {
        return Ok(value);
    }
    if matches!(value.dtype.kind, Kind::Void | Kind::Handle)
        || matches!(dtype.kind, Kind::Void | Kind::Handle)
    {
        return Err(format!(
            "expected a value that converts to `{dtype}`, found one of type `{}`",
            value.dtype
        ));
    }
    if !value.dtype.is_scalar() && value.dtype.lanes != dtype.lanes {
        return Err(format!("expected {} lanes, found {}", dtype.lanes, value.dtype.lanes));
    }
    if value.dtype.is_scalar() && !dtype.is_scalar() {
        let element = cast(dtype.scalar(), value)?;
        return Ok(Expr::broadcast(element, dtype.lanes));
    }
    match (constant(&value), value.kind) {
        (Some(c), _) => make_const(dtype, c),
        (None, ExprKind::Broadcast(inner)) => Ok(Expr::broadcast(cast(dtype.scalar(), *inner)?, dtype.lanes)),
        (None, ExprKind::Ramp(base, stride)) if dtype.is_integral() => {
            let (base, stride) = (cast(dtype.scalar(), *base)?, cast(dtype.scalar(), *stride)?);
            Ok(Expr::ramp(base, stride, dtype.lanes))
        }
        (None, kind) => Ok(Expr::cast(dtype, Expr { dtype: value.dtype, kind })),
    }
}

/// A constant of a scalar type.
fn make_const(dtype: DType, c: Const) -> Result<Expr, String> {
    match (dtype.kind, c) {
        (Kind::Int | Kind::UInt | Kind::Bool, Const::Int(v)) => int_const(dtype, v),
        (Kind::Int | Kind::UInt | Kind::Bool, Const::Float(v)) => int_const(dtype, v.trunc() as i128),
        (Kind::Float | Kind::BFloat | Kind::Narrow(_), Const::Int(v)) => Ok(Expr::float(v as f64, dtype)),
        (Kind::Float | Kind::BFloat | Kind::Narrow(_), Const::Float(v)) => Ok(Expr::float(v, dtype)),
        (Kind::Handle | Kind::Void, _) => {
            Err(format!("expected a number, found a constant of type `{dtype}`"))
        }
    }
}

/// An integer constant; an error if it does not fit its type.
pub(crate) fn int_const(dtype: DType, value: i128) -> Result<Expr, String> {
    if dtype.is_bool() {
        return Ok(Expr::bool(value != 0));
    }
    if dtype.is_float() {
        return Ok(Expr::float(value as f64, dtype));
    }
    match dtype.int_range() {
        Some((lo, hi)) if (lo..=hi).contains(&value) => Ok(Expr::int(value as i64, dtype.scalar())),
        Some(_) => Err(format!("the constant {value} does not fit in `{dtype}`")),
        None => Err(format!("expected an integer type for the constant {value}, found `{dtype}`")),
    }
}

/// The type in which two operands are combined.
fn promote(a: DType, b: DType) -> Result<DType, String> {
    if a == b {
        return Ok(a);
    }
    let rank = |d: DType| match d.kind {
        Kind::Float => 3,
        Kind::BFloat => 2,
        Kind::Narrow(_) => 1,
        Kind::Int | Kind::UInt | Kind::Bool => 0,
        Kind::Handle | Kind::Void => -1,
    };
    let mismatch = || Err(format!("expected operands of one type, found `{a}` and `{b}`"));
    if a.kind == Kind::Void || b.kind == Kind::Void {
        return Err(
            "expected a value, found a call whose type is not known (`dtype=…` gives it one)".to_owned()
        );
    }
    if rank(a) < 0 || rank(b) < 0 {
        return mismatch();
    }
    if rank(a) != rank(b) {
        return Ok(if rank(a) > rank(b) { a } else { b });
    }
    match (a.kind, b.kind) {
        (Kind::Float, Kind::Float) | (Kind::Int, Kind::Int) | (Kind::UInt, Kind::UInt) => {
            Ok(if a.bits < b.bits { b } else { a })
        }
        (Kind::Bool, Kind::Int | Kind::UInt) => Ok(b),
        (Kind::Int | Kind::UInt, Kind::Bool) => Ok(a),
        (Kind::Int, Kind::UInt) | (Kind::UInt, Kind::Int) => Ok(match a.bits.cmp(&b.bits) {
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Equal => DType { kind: Kind::UInt, ..a },
        }),
        _ => mismatch(),
    }
}

/// Gives two operands one type: scalars are repeated to match a vector, then both are converted.
pub(crate) fn match_types(a: Expr, b: Expr) -> Result<(Expr, Expr), String> {
    if a.dtype == b.dtype {
        return Ok((a, b));
    }
    let (a, b) = same_lanes(a, b)?;
    let dtype = promote(a.dtype, b.dtype)?;
    Ok((cast(dtype, a)?, cast(dtype, b)?))
}

/// Repeats a scalar operand as often as the other operand has lanes.
pub(crate) fn same_lanes(a: Expr, b: Expr) -> Result<(Expr, Expr), String> {
    let spread = |e: Expr, lanes: u16| {
        if e.dtype.is_scalar() && lanes > 1 { Expr::broadcast(e, lanes) } else { e }
    };
    let (lanes_a, lanes_b) = (a.dtype.lanes, b.dtype.lanes);
    let (a, b) = (spread(a, lanes_b), spread(b, lanes_a));
    if a.dtype.lanes != b.dtype.lanes {
        return Err(format!("expected operands with as many lanes, found `{}` and `{}`", a.dtype, b.dtype));
    }
    Ok((a, b))
}

/// Applies an operator as TVM's function for it does.
pub(crate) fn binary(op: BinOp, a: Expr, b: Expr) -> Result<Expr, String> {
    if op.is_logic() {
        logic_operands(op, &a, &b)?;
        return Ok(Expr::binary(op, a, b));
    }
    let integral = |e: &Expr| e.dtype.is_integral();
    if op.operands() == Operands::Integers && !(integral(&a) && integral(&b)) {
        return Err(format!("expected integer operands, found `{}` and `{}`", a.dtype, b.dtype));
    }
    let (a, b) = match_types(a, b)?;
    operand_type(op, a.dtype)?;
    if op.is_division() && matches!(constant(&b), Some(Const::Int(0))) {
        return Err("division by the constant zero".to_owned());
    }
    Ok(match fold(op, &a, &b) {
        Some(folded) => folded,
        None => Expr::binary(op, a, b),
    })
}

/// Builds the node itself, as `T.Add(a, b)` does: nothing is folded, types must match.
pub(crate) fn node(op: BinOp, a: Expr, b: Expr) -> Result<Expr, String> {
    if op.is_logic() {
        logic_operands(op, &a, &b)?;
    } else {
        if a.dtype != b.dtype {
            return Err(format!("expected operands of one type, found `{}` and `{}`", a.dtype, b.dtype));
        }
        operand_type(op, a.dtype)?;
    }
    Ok(Expr::binary(op, a, b))
}

fn logic_operands(op: BinOp, a: &Expr, b: &Expr) -> Result<(), String> {
    for side in [a, b] {
        if !side.dtype.is_bool() || side.dtype != a.dtype {
            return Err(format!("expected `bool` operands of `{}`, found `{}`", op.name(), side.dtype));
        }
    }
    Ok(())
}

/// Whether values of the type can be operands.
fn operand_type(op: BinOp, dtype: DType) -> Result<(), String> {
    let ok = match op.operands() {
        Operands::Any => !matches!(dtype.kind, Kind::Void),
        Operands::Integers => dtype.is_integral(),
        Operands::Truths => dtype.is_bool(),
        Operands::Numbers => !matches!(dtype.kind, Kind::Void | Kind::Handle),
    };
    if ok { Ok(()) } else { Err(format!("expected operands of a number type, found `{dtype}`")) }
}

/// What TVM's function for an operator makes of operands of one type, if not the plain node.
pub(crate) fn fold(op: BinOp, a: &Expr, b: &Expr) -> Option<Expr> {
    let dtype = a.dtype;
    let (ca, cb) = (constant(a), constant(b));
    if let (Some(Const::Int(x)), Some(Const::Int(y))) = (ca, cb) {
        return fold_ints(op, dtype, x, y);
    }
    if let (Some(Const::Float(x)), Some(Const::Float(y))) = (ca, cb) {
        return fold_floats(op, dtype, x, y);
    }
    let is = |c: Option<Const>, n: i8| match c {
        Some(Const::Int(v)) => v == i128::from(n),
        Some(Const::Float(v)) => v == f64::from(n),
        None => false,
    };
    match op {
        BinOp::Add if is(ca, 0) => Some(b.clone()),
        BinOp::Add | BinOp::Sub if is(cb, 0) => Some(a.clone()),
        BinOp::Mul if is(ca, 1) || is(cb, 0) => Some(b.clone()),
        BinOp::Mul if is(ca, 0) || is(cb, 1) => Some(a.clone()),
        BinOp::Div | BinOp::FloorDiv if is(ca, 0) || is(cb, 1) => Some(a.clone()),
        BinOp::Mod | BinOp::FloorMod if dtype.is_index() && dtype.is_scalar() => {
            if is(ca, 0) {
                Some(a.clone())
            } else if is(cb, 1) {
                Some(Expr::int(0, dtype))
            } else {
                None
            }
        }
        BinOp::Min | BinOp::Max if a.as_var().is_some() && a == b => Some(a.clone()),
        BinOp::And => match (ca, cb) {
            (Some(Const::Int(v)), _) => Some(if v != 0 { b.clone() } else { a.clone() }),
            (_, Some(Const::Int(v))) => Some(if v != 0 { a.clone() } else { b.clone() }),
            _ => None,
        },
        BinOp::Or => match (ca, cb) {
            (Some(Const::Int(v)), _) => Some(if v != 0 { a.clone() } else { b.clone() }),
            (_, Some(Const::Int(v))) => Some(if v != 0 { b.clone() } else { a.clone() }),
            _ => None,
        },
        _ => None,
    }
}

fn fold_ints(op: BinOp, dtype: DType, p: i128, q: i128) -> Option<Expr> {
    let number = |v: i128| Some(Expr::int(wrap(dtype, v), dtype));
    let index = dtype.is_index() && dtype.is_scalar();
    match op {
        BinOp::Add => number(p + q),
        BinOp::Sub => number(p - q),
        BinOp::Mul => number(p.wrapping_mul(q)),
        BinOp::Div if q != 0 => number(p / q),
        BinOp::FloorDiv if q != 0 => number(p / q - i128::from(p % q != 0 && (p < 0) != (q < 0))),
        BinOp::Mod if q != 0 && (index || dtype == DType::uint(64)) => number(p % q),
        BinOp::FloorMod if q != 0 && (index || dtype.is_uint()) => {
            let r = p % q;
            number(if r != 0 && (r < 0) != (q < 0) { r + q } else { r })
        }
        BinOp::Min => number(p.min(q)),
        BinOp::Max => number(p.max(q)),
        BinOp::Eq => Some(Expr::bool(p == q)),
        BinOp::Ne => Some(Expr::bool(p != q)),
        BinOp::Lt => Some(Expr::bool(p < q)),
        BinOp::Le => Some(Expr::bool(p <= q)),
        BinOp::Gt => Some(Expr::bool(p > q)),
        BinOp::Ge => Some(Expr::bool(p >= q)),
        BinOp::And => Some(Expr::bool(p != 0 && q != 0)),
        BinOp::Or => Some(Expr::bool(p != 0 || q != 0)),
        BinOp::Div | BinOp::FloorDiv | BinOp::Mod | BinOp::FloorMod => None,
    }
}

/// The value modulo 2^bits, in the type's range.
fn wrap(dtype: DType, value: i128) -> i64 {
    let bits = u32::from(dtype.bits.clamp(1, 64));
    let low = value & ((1i128 << bits) - 1);
    let signed = dtype.is_int() && low >> (bits - 1) & 1 == 1;
    (if signed { low - (1i128 << bits) } else { low }) as i64
}

fn fold_floats(op: BinOp, dtype: DType, x: f64, y: f64) -> Option<Expr> {
    let arithmetic = |single: fn(f32, f32) -> f32, double: fn(f64, f64) -> f64| match dtype.bits {
        32 => Some(Expr::float(f64::from(single(x as f32, y as f32)), dtype)),
        64 => Some(Expr::float(double(x, y), dtype)),
        _ => None,
    };
    // Half precision: TVM folds only neutral elements.
    let neutral = |n: f64, value: f64| (x == n || y == n).then(|| Expr::float(value, dtype));
    match op {
        BinOp::Add => {
            arithmetic(|a, b| a + b, |a, b| a + b).or_else(|| neutral(0.0, if x == 0.0 { y } else { x }))
        }
        BinOp::Sub => {
            arithmetic(|a, b| a - b, |a, b| a - b).or_else(|| (y == 0.0).then(|| Expr::float(x, dtype)))
        }
        BinOp::Mul => arithmetic(|a, b| a * b, |a, b| a * b)
            .or_else(|| neutral(1.0, if x == 1.0 { y } else { x }))
            .or_else(|| neutral(0.0, if x == 0.0 { x } else { y })),
        BinOp::Div if y != 0.0 => arithmetic(|a, b| a / b, |a, b| a / b)
            .or_else(|| (x == 0.0 || y == 1.0).then(|| Expr::float(x, dtype))),
        BinOp::Min => Some(Expr::float(if y < x { y } else { x }, dtype)),
        BinOp::Max => Some(Expr::float(if x < y { y } else { x }, dtype)),
        BinOp::Eq => Some(Expr::bool(x == y)),
        BinOp::Ne => Some(Expr::bool(x != y)),
        BinOp::Lt => Some(Expr::bool(x < y)),
        BinOp::Le => Some(Expr::bool(x <= y)),
        BinOp::Gt => Some(Expr::bool(x > y)),
        BinOp::Ge => Some(Expr::bool(x >= y)),
        BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod | BinOp::And | BinOp::Or => None,
    }
}

/// Applies a bitwise or shift intrinsic (`shift_left`, `shift_right`, `bitwise_and`, `bitwise_or`, `bitwise_xor`).
pub(crate) fn bitwise(name: &str, a: Expr, b: Expr) -> Result<Expr, String> {
    let shift = name.starts_with("shift");
    for side in [&a, &b] {
        if !(side.dtype.is_integral() || (side.dtype.is_bool() && !shift)) {
            return Err(format!("expected integer operands of `T.{name}`, found `{}`", side.dtype));
        }
    }
    let (a, b) = match_types(a, b)?;
    if let Some(amount) = b.as_int()
        && shift
        && a.dtype.is_index()
        && !(0..i64::from(a.dtype.bits)).contains(&amount)
    {
        return Err(format!("expected a shift amount from 0 to {}, found {amount}", a.dtype.bits - 1));
    }
    Ok(match fold_bitwise(name, &a, &b) {
        Some(folded) => folded,
        None => Expr::call(a.dtype, name, vec![a, b]),
    })
}

/// What TVM makes of a bitwise or shift operation, if not the plain call.
pub(crate) fn fold_bitwise(name: &str, a: &Expr, b: &Expr) -> Option<Expr> {
    if !(a.dtype.is_index() && a.dtype.is_scalar()) {
        return None;
    }
    let number = |v: i64| Some(Expr::int(wrap(a.dtype, i128::from(v)), a.dtype));
    match (a.as_int(), b.as_int()) {
        (Some(x), Some(y)) => match name {
            "shift_left" => number(x.checked_shl(y as u32)?),
            "shift_right" => number(x.checked_shr(y as u32)?),
            "bitwise_and" => number(x & y),
            "bitwise_or" => number(x | y),
            "bitwise_xor" => number(x ^ y),
            _ => None,
        },
        (None, Some(0)) if name.starts_with("shift") => Some(a.clone()),
        _ => None,
    }
}

/// `b - a` if it is a constant: sums are compared term by term.
pub(crate) fn difference(b: &Expr, a: &Expr) -> Option<i128> {
    let mut terms: hashbrown::HashMap<&Expr, i128> = hashbrown::HashMap::new();
    let mut constant = 0i128;
    collect(b, 1, &mut terms, &mut constant)?;
    collect(a, -1, &mut terms, &mut constant)?;
    terms.values().all(|&c| c == 0).then_some(constant)
}

/// Adds `factor * e` to a sum.
fn collect<'e>(
    e: &'e Expr,
    factor: i128,
    terms: &mut hashbrown::HashMap<&'e Expr, i128>,
    constant: &mut i128,
) -> Option<()> {
    let mut work = vec![(e, factor)];
    while let Some((e, factor)) = work.pop() {
        match &e.kind {
            ExprKind::Int(v) => *constant = constant.checked_add(factor.checked_mul(i128::from(*v))?)?,
            ExprKind::Binary(BinOp::Add, a, b) => work.extend([(&**a, factor), (&**b, factor)]),
            ExprKind::Binary(BinOp::Sub, a, b) => {
                work.extend([(&**a, factor), (&**b, factor.checked_neg()?)])
            }
            ExprKind::Binary(BinOp::Mul, a, b) => match (a.as_int(), b.as_int()) {
                (Some(v), _) => work.push((b, factor.checked_mul(i128::from(v))?)),
                (_, Some(v)) => work.push((a, factor.checked_mul(i128::from(v))?)),
                (None, None) => add_term(terms, e, factor)?,
            },
            _ => add_term(terms, e, factor)?,
        }
    }
    Some(())
}

fn add_term<'e>(terms: &mut hashbrown::HashMap<&'e Expr, i128>, e: &'e Expr, factor: i128) -> Option<()> {
    let entry = terms.entry(e).or_insert(0);
    *entry = entry.checked_add(factor)?;
    Some(())
}
