//! The small change of SMT-LIB: sorts, literals, and the operators of the language as defined functions.

use std::collections::BTreeMap;

use crate::ir::value::MathFn;
use crate::ir::{BinOp, DType, Kind};
use crate::rules::check::ty::Ty;

/// How integers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repr {
    /// As integers without bounds; types that wrap are reduced after each operation.
    Int,
    /// As bit-vectors of the type's width.
    Bits,
}

/// How operators that solvers find hard (products, quotients, float arithmetic) are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// As functions of which nothing is known. What holds then holds; a counterexample means nothing.
    Opaque,
    /// As what they are.
    Direct,
    /// With products as unknown numbers and lemmas about them: see [`linear`](super::linear). What holds then holds;
    /// a counterexample means nothing.
    Linear,
}

/// Functions that a question uses, by name; each definition needs only built-in ones.
#[derive(Debug)]
pub(super) struct Functions {
    style: Style,
    by_name: BTreeMap<String, String>,
}

impl Functions {
    pub(super) fn new(style: Style) -> Functions {
        Functions { style, by_name: BTreeMap::new() }
    }

    /// All definitions.
    pub(super) fn text(&self) -> String {
        self.by_name.values().map(|definition| format!("{definition}\n")).collect()
    }

    fn name(&mut self, name: String, definition: impl FnOnce(&str) -> String) -> String {
        self.by_name.entry(name.clone()).or_insert_with(|| definition(&name));
        name
    }

    /// A function of two operands that is not known: the value of what is undefined.
    pub(super) fn anything(&mut self, width: u32) -> String {
        let sort = bits_sort(width);
        self.name(format!("anything_{width}"), |n| format!("(declare-fun {n} ({sort} {sort}) {sort})"))
    }

    /// A function of values of these sorts of which nothing is known.
    pub(super) fn opaque(&mut self, name: String, operands: &[&str], result: &str) -> String {
        let operands = operands.join(" ");
        self.name(format!("opaque_{name}"), |n| format!("(declare-fun {n} ({operands}) {result})"))
    }

    fn hides(&self, op: BinOp) -> bool {
        self.style == Style::Opaque && (op == BinOp::Mul || op.is_division())
    }

    /// An arithmetic operator on integers without bounds.
    pub(super) fn int_op(&mut self, op: BinOp) -> String {
        if self.hides(op) {
            return self.opaque(format!("int_{}", op.name()), &["Int", "Int"], "Int");
        }
        let body = match op {
            BinOp::Add => return "+".to_owned(),
            BinOp::Sub => return "-".to_owned(),
            BinOp::Mul => return "*".to_owned(),
            // SMT-LIB's own division leaves a remainder that is not negative, whatever the divisor's sign.
            BinOp::FloorDiv => "(ite (= b 0) 0 (ite (> b 0) (div a b) (div (- a) (- b))))",
            BinOp::FloorMod => "(ite (= b 0) a (ite (> b 0) (mod a b) (- (mod (- a) (- b)))))",
            BinOp::Div => "(ite (= b 0) 0 (ite (>= a 0) (div a b) (- (div (- a) b))))",
            BinOp::Mod => "(ite (= b 0) a (ite (>= a 0) (mod a b) (- (mod (- a) b))))",
            BinOp::Min => "(ite (< a b) a b)",
            BinOp::Max => "(ite (> a b) a b)",
            BinOp::Eq
            | BinOp::Ne
            | BinOp::Lt
            | BinOp::Le
            | BinOp::Gt
            | BinOp::Ge
            | BinOp::And
            | BinOp::Or => "0",
        };
        self.name(format!("int_{}", op.name()), |n| format!("(define-fun {n} ((a Int) (b Int)) Int {body})"))
    }

    /// An arithmetic operator on bit-vectors.
    pub(super) fn bits_op(&mut self, op: BinOp, width: u32, signed: bool) -> String {
        if self.hides(op) {
            let (sort, sign) = (bits_sort(width), if signed { "s" } else { "u" });
            return self.opaque(format!("{sign}{width}_{}", op.name()), &[&sort, &sort], &sort);
        }
        let zero = literal(0, width);
        let body = match (op, signed) {
            (BinOp::Add, _) => return "bvadd".to_owned(),
            (BinOp::Sub, _) => return "bvsub".to_owned(),
            (BinOp::Mul, _) => return "bvmul".to_owned(),
            (BinOp::FloorDiv | BinOp::Div, false) => format!("(ite (= b {zero}) {zero} (bvudiv a b))"),
            (BinOp::FloorMod | BinOp::Mod, false) => format!("(ite (= b {zero}) a (bvurem a b))"),
            (BinOp::Div, true) => format!("(ite (= b {zero}) {zero} (bvsdiv a b))"),
            (BinOp::Mod, true) => format!("(ite (= b {zero}) a (bvsrem a b))"),
            (BinOp::FloorMod, true) => format!("(ite (= b {zero}) a (bvsmod a b))"),
            (BinOp::FloorDiv, true) => {
                let down = format!(
                    "(and (distinct (bvsrem a b) {zero}) (distinct (bvslt a {zero}) (bvslt b {zero})))"
                );
                let one = literal(1, width);
                format!("(ite (= b {zero}) {zero} (ite {down} (bvsub (bvsdiv a b) {one}) (bvsdiv a b)))")
            }
            (BinOp::Min, true) => "(ite (bvslt a b) a b)".to_owned(),
            (BinOp::Max, true) => "(ite (bvsgt a b) a b)".to_owned(),
            (BinOp::Min, false) => "(ite (bvult a b) a b)".to_owned(),
            (BinOp::Max, false) => "(ite (bvugt a b) a b)".to_owned(),
            (
                BinOp::Eq
                | BinOp::Ne
                | BinOp::Lt
                | BinOp::Le
                | BinOp::Gt
                | BinOp::Ge
                | BinOp::And
                | BinOp::Or,
                _,
            ) => zero,
        };
        let (sort, sign) = (bits_sort(width), if signed { "s" } else { "u" });
        self.name(format!("{sign}{width}_{}", op.name()), |n| {
            format!("(define-fun {n} ((a {sort}) (b {sort})) {sort} {body})")
        })
    }

    /// A function of bit-vectors, of signed integers or not.
    pub(super) fn call(
        &mut self,
        function: MathFn,
        width: u32,
        signed: bool,
        args: &[String],
    ) -> Result<String, &'static str> {
        let name = match (function, signed) {
            (MathFn::ShiftLeft, _) => "bvshl",
            (MathFn::ShiftRight, true) => "bvashr",
            (MathFn::ShiftRight, false) => "bvlshr",
            (MathFn::BitAnd, _) => "bvand",
            (MathFn::BitOr, _) => "bvor",
            (MathFn::BitXor, _) => "bvxor",
            (MathFn::BitNot, _) => "bvnot",
            _ => return Err("a function that has no translation"),
        };
        let value = format!("({name} {})", args.join(" "));
        Ok(match (function, args) {
            (MathFn::ShiftLeft | MathFn::ShiftRight, [a, n]) => {
                let other = self.anything(width);
                format!("(ite {} {value} ({other} {a} {n}))", shift_is_defined(n, width))
            }
            _ => value,
        })
    }

    /// Two to the power of an integer from 0 to 63.
    pub(super) fn power(&mut self) -> String {
        self.name("power_of_two".to_owned(), |n| {
            let body = (0..63)
                .rev()
                .fold((1i128 << 63).to_string(), |rest, k| format!("(ite (= n {k}) {} {rest})", 1i128 << k));
            format!("(define-fun {n} ((n Int)) Int {body})")
        })
    }

    /// Whether an integer is a power of two that a 64-bit type can hold.
    pub(super) fn is_power(&mut self) -> String {
        self.name("is_power_of_two".to_owned(), |n| {
            let powers: Vec<String> = (0..64).map(|k| format!("(= a {})", 1i128 << k)).collect();
            format!("(define-fun {n} ((a Int)) Bool (or {}))", powers.join(" "))
        })
    }
}

/// The name of a comparison; `None` for `ne`, which is the negation of `=` where there is no NaN.
pub(super) fn comparison(op: BinOp, bits: Option<bool>) -> Option<&'static str> {
    Some(match (op, bits) {
        (BinOp::Eq, _) => "=",
        (BinOp::Lt, None) => "<",
        (BinOp::Le, None) => "<=",
        (BinOp::Gt, None) => ">",
        (BinOp::Ge, None) => ">=",
        (BinOp::Lt, Some(true)) => "bvslt",
        (BinOp::Le, Some(true)) => "bvsle",
        (BinOp::Gt, Some(true)) => "bvsgt",
        (BinOp::Ge, Some(true)) => "bvsge",
        (BinOp::Lt, Some(false)) => "bvult",
        (BinOp::Le, Some(false)) => "bvule",
        (BinOp::Gt, Some(false)) => "bvugt",
        (BinOp::Ge, Some(false)) => "bvuge",
        (
            BinOp::Ne
            | BinOp::Add
            | BinOp::Sub
            | BinOp::Mul
            | BinOp::Div
            | BinOp::Mod
            | BinOp::FloorDiv
            | BinOp::FloorMod
            | BinOp::Min
            | BinOp::Max
            | BinOp::And
            | BinOp::Or,
            _,
        ) => return None,
    })
}

/// The sort of bit-vectors.
pub(super) fn bits_sort(width: u32) -> String {
    format!("(_ BitVec {width})")
}

/// A bit-vector with this value modulo 2^width.
pub(super) fn literal(value: i128, width: u32) -> String {
    let value = if width < 127 { value.rem_euclid(1 << width) } else { value };
    if value < 0 {
        format!("(bvneg (_ bv{} {width}))", value.unsigned_abs())
    } else {
        format!("(_ bv{value} {width})")
    }
}

/// An integer.
pub(super) fn integer(value: i128) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}

/// Bits of the exponent and of the significand with its hidden bit.
pub(super) fn float_format(dtype: DType) -> (u32, u32) {
    match (dtype.kind, dtype.bits) {
        (Kind::BFloat, _) => (8, 8),
        (_, 64) => (11, 53),
        (_, 32) => (8, 24),
        _ => (5, 11),
    }
}

/// The sort of a type.
pub(super) fn sort(ty: Ty, repr: Repr) -> String {
    match (ty, repr) {
        (Ty::Bool, _) => "Bool".to_owned(),
        (Ty::Real, _) => "Real".to_owned(),
        (Ty::Float(dtype), _) => {
            let (e, s) = float_format(dtype);
            format!("(_ FloatingPoint {e} {s})")
        }
        (Ty::Unbounded, _) | (Ty::Exact(_) | Ty::Wrapping(_), Repr::Int) => "Int".to_owned(),
        (Ty::Exact(_) | Ty::Wrapping(_), Repr::Bits) => bits_sort(ty.bits()),
    }
}

/// Whether the type has negative values.
pub(super) fn is_signed(ty: Ty) -> bool {
    match ty {
        Ty::Unbounded => true,
        Ty::Exact(dtype) | Ty::Wrapping(dtype) => dtype.is_int(),
        Ty::Bool | Ty::Float(_) | Ty::Real => false,
    }
}

/// The name of whether `!=` is true of what is no number, which targets of TVM differ in: a rule must hold for both.
pub(super) const NAN_DIFFERS: &str = "nan_differs";

/// An operator on floats.
pub(super) fn float_op(op: BinOp, a: &str, b: &str) -> String {
    match op {
        BinOp::Add => format!("(fp.add RNE {a} {b})"),
        BinOp::Sub => format!("(fp.sub RNE {a} {b})"),
        BinOp::Mul => format!("(fp.mul RNE {a} {b})"),
        BinOp::Div => format!("(fp.div RNE {a} {b})"),
        BinOp::Min => format!("(ite (fp.lt {a} {b}) {a} {b})"),
        BinOp::Max => format!("(ite (fp.gt {a} {b}) {a} {b})"),
        BinOp::Eq => format!("(fp.eq {a} {b})"),
        BinOp::Ne => format!("(ite (or (fp.isNaN {a}) (fp.isNaN {b})) {NAN_DIFFERS} (not (fp.eq {a} {b})))"),
        BinOp::Lt => format!("(fp.lt {a} {b})"),
        BinOp::Le => format!("(fp.leq {a} {b})"),
        BinOp::Gt => format!("(fp.gt {a} {b})"),
        BinOp::Ge => format!("(fp.geq {a} {b})"),
        // Not defined on floats; the loader refuses them.
        BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod | BinOp::And | BinOp::Or => "false".to_owned(),
    }
}

/// Whether the amount is less than the width; a negative one is a large unsigned one.
pub(super) fn shift_is_defined(n: &str, width: u32) -> String {
    // For one bit the width itself is no value: only a shift by nothing is defined.
    if width == 1 {
        format!("(= {n} {})", literal(0, 1))
    } else {
        format!("(bvult {n} {})", literal(i128::from(width), width))
    }
}
