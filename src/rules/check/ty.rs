//! The types at which a rule is checked.
//!
//! A rule claims to hold for classes of types. An [`Instance`] is one choice of a type for each type variable. All the
//! widths that behave differently are tried: the narrow ones because all their values can be tested, the wide ones
//! because boundaries lie elsewhere.

use std::fmt;

use crate::ir::{DType, Kind};
use crate::rules::ast::{Cond, Pat, Rule, RuleOp, TypeClass, TypeRef};

/// How a scalar behaves in evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    Bool,
    /// Integers without bounds: an index type in a rule where its width means nothing.
    Unbounded,
    /// An index type in a rule where its width counts: what does not fit is undefined.
    Exact(DType),
    /// An integer type that wraps.
    Wrapping(DType),
    Float(DType),
    /// Real numbers, for rules marked `(fast-math)`: computed as `float64` and compared with a tolerance.
    Real,
}

impl Ty {
    /// Smallest and largest value; `None` for floats and for integers without bounds.
    pub(super) fn range(self) -> Option<(i128, i128)> {
        match self {
            Ty::Bool => Some((0, 1)),
            Ty::Unbounded | Ty::Float(_) | Ty::Real => None,
            Ty::Exact(dtype) | Ty::Wrapping(dtype) => dtype.int_range(),
        }
    }

    /// The value modulo 2^bits in the type's range.
    pub(super) fn wrap(self, value: i128) -> i128 {
        let Some((low, high)) = self.range() else { return value };
        let size = high - low + 1;
        (value - low).rem_euclid(size) + low
    }

    /// Width in bits; 0 where there is none.
    pub(super) fn bits(self) -> u32 {
        match self {
            Ty::Bool => 1,
            Ty::Unbounded | Ty::Real => 0,
            Ty::Exact(dtype) | Ty::Wrapping(dtype) | Ty::Float(dtype) => u32::from(dtype.bits),
        }
    }
}

/// A rule at chosen types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Instance {
    /// For each type variable of the rule.
    pub(super) types: Vec<DType>,
    /// Whether the width of index types counts: where there are casts, shifts or bit operations.
    pub(super) exact: bool,
    /// Whether floats stand for real numbers.
    pub(super) real: bool,
}

impl Instance {
    /// How a part of the rule behaves.
    pub(super) fn ty(&self, ty: TypeRef) -> Ty {
        let dtype = match ty {
            TypeRef::Bool => DType::BOOL,
            TypeRef::Var(var) => self.types[var],
            TypeRef::Is(dtype) => dtype,
        };
        match dtype.kind {
            Kind::Bool => Ty::Bool,
            Kind::Int | Kind::UInt if !dtype.is_index() => Ty::Wrapping(dtype),
            Kind::Int | Kind::UInt if self.exact => Ty::Exact(dtype),
            Kind::Int | Kind::UInt => Ty::Unbounded,
            Kind::Float | Kind::BFloat | Kind::Narrow(_) | Kind::Handle | Kind::Void if self.real => Ty::Real,
            Kind::Float | Kind::BFloat | Kind::Narrow(_) | Kind::Handle | Kind::Void => Ty::Float(dtype),
        }
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, dtype) in self.types.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            match (dtype.is_index() && !self.exact, self.real) {
                (true, _) => f.write_str("index")?,
                (_, true) => f.write_str("real")?,
                (false, false) => dtype.fmt(f)?,
            }
        }
        Ok(())
    }
}

/// The types at which to check a rule.
pub(super) fn instances(rule: &Rule) -> Vec<Instance> {
    if rule.fast_math {
        return vec![Instance { types: vec![DType::float(64); rule.types.len()], exact: false, real: true }];
    }
    let exact = is_width_sensitive(rule);
    let many = rule.types.len() > 1;
    let choices: Vec<Vec<DType>> = rule
        .types
        .iter()
        .map(|var| {
            let mut dtypes: Vec<DType> = Vec::new();
            for class in &var.classes {
                for dtype in representatives(*class, exact, many) {
                    if !dtypes.contains(&dtype) {
                        dtypes.push(dtype);
                    }
                }
            }
            dtypes
        })
        .collect();
    let mut instances = vec![Vec::new()];
    for choice in &choices {
        let longer = |types: &Vec<DType>| {
            choice.iter().map(|dtype| types.iter().copied().chain([*dtype]).collect()).collect::<Vec<_>>()
        };
        instances = instances.iter().flat_map(longer).collect();
    }
    instances.into_iter().map(|types| Instance { types, exact, real: false }).collect()
}

fn representatives(class: TypeClass, exact: bool, many: bool) -> Vec<DType> {
    let index: &[u8] = if exact { &[32, 64] } else { &[64] };
    let narrow: &[u8] = if many { &[4, 8] } else { &[1, 4, 8, 16] };
    let unsigned: &[u8] = if many { &[4, 8, 32] } else { &[1, 4, 8, 16, 32, 64] };
    let floats = || {
        let bfloat = DType::new(Kind::BFloat, 16);
        vec![DType::float(16), bfloat, DType::float(32), DType::float(64)]
    };
    let signed = |bits: &[u8]| bits.iter().map(|&b| DType::int(b)).collect::<Vec<_>>();
    let uints = || unsigned.iter().map(|&b| DType::uint(b)).collect::<Vec<_>>();
    match class {
        TypeClass::Index => signed(index),
        TypeClass::Int => [signed(index), signed(narrow)].concat(),
        TypeClass::UInt => uints(),
        TypeClass::AnyInt => [signed(index), signed(narrow), uints()].concat(),
        TypeClass::Bool => vec![DType::BOOL],
        TypeClass::Float => floats(),
        TypeClass::Any => [signed(index), signed(narrow), uints(), vec![DType::BOOL], floats()].concat(),
        TypeClass::Exactly(dtype) => vec![dtype],
    }
}

/// Whether the number of bits of an index type changes what the rule says.
fn is_width_sensitive(rule: &Rule) -> bool {
    uses(rule, |pat| matches!(pat, Pat::Cast(..) | Pat::Op(RuleOp::Math(_), _)))
        || rule.conds.iter().any(|cond| matches!(cond, Cond::Fits(..) | Cond::NoWider(..)))
}

/// Whether either side has a part that passes the test.
pub(super) fn uses(rule: &Rule, test: impl Fn(&Pat) -> bool) -> bool {
    let mut found = false;
    rule.lhs.walk(&mut |pat| found |= test(pat));
    rule.rhs.walk(&mut |pat| found |= test(pat));
    found
}
