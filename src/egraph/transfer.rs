//! What is known of the value of a node, from what is known of its operands.

use std::sync::Arc;

use egg::Id;

use super::analysis::FactAnalysis;
use super::facts::{Facts, Operands, in_theory, known_range, values_of, values_of_type};
use super::level::TheoryLevel;
use super::node::{Node, Op};
use super::poly::Poly;
use super::samples::SampleValues;
use crate::arith::{Interval, Residue, points, transfer};
use crate::ir::value::int;
use crate::ir::{BinOp, DType};

/// What is known of the value of a node of the class `id`.
pub(super) fn facts_of(theory: &FactAnalysis, node: &Node, operands: &Operands<'_>, id: Id) -> Facts {
    let dtype = node.dtype;
    let poly = in_theory(dtype)
        .then(|| Arc::new(node_poly(theory, node, operands).unwrap_or_else(|| Poly::atom(id))));
    Facts {
        dtype,
        interval: node_interval(theory, node, operands),
        residue: node_residue(node, operands),
        poly,
        leaf: matches!(node.op, Op::Var(_) | Op::Load(..) | Op::Template(_) | Op::Lane(_) | Op::LaneOf),
        quotient: matches!(node.op, Op::Bin(BinOp::FloorDiv | BinOp::Div)),
        level: node_level(theory, node, operands),
        samples: node_samples(theory, node, operands),
        updates: 0,
    }
}

fn node_level(theory: &FactAnalysis, node: &Node, operands: &[&Facts]) -> u32 {
    let own = match node.op {
        Op::Var(v) => theory.var_levels.get(v.index()).copied().unwrap_or(0),
        Op::Load(_, version) => theory.version_levels.get(version as usize).copied().unwrap_or(0),
        _ => 0,
    };
    operands.iter().map(|operand| operand.level).fold(own, u32::max)
}

fn node_poly(theory: &FactAnalysis, node: &Node, operands: &[&Facts]) -> Option<Poly> {
    match node.op {
        Op::Int(v) if v.get() == i64::MIN => None,
        Op::Int(v) => Some(Poly::constant(v.get())),
        Op::Bin(op) if op.is_ring() && theory.level >= TheoryLevel::Linear => {
            let (a, b) = (operands[0].poly.as_ref()?, operands[1].poly.as_ref()?);
            match op {
                BinOp::Add => a.add(b),
                BinOp::Sub => a.sub(b),
                BinOp::Mul => a.mul(b),
                _ => None,
            }
        }
        _ => None,
    }
}

fn node_interval(theory: &FactAnalysis, node: &Node, operands: &Operands<'_>) -> Interval {
    if !known_range(node.dtype) {
        return Interval::ALL;
    }
    let unknown = if node.dtype.is_bool() { Interval::BOOL } else { values_of(node.dtype) };
    let of = |i: usize| operands[i].interval;
    let operand = operands.first().map(|operand| operand.dtype);
    match node.op {
        Op::Int(v) => int_interval(v.get(), node.dtype),
        Op::Var(v) => {
            let values = values_of_type(node.dtype);
            theory.var_ranges.get(v.index()).and_then(|r| r.meet(values)).unwrap_or(values)
        }
        Op::Bin(op) if operand.is_some_and(known_range) => {
            // A result that leaves a type that wraps can be anything.
            let result = transfer::interval(op, of(0), of(1)).unwrap_or(unknown);
            let may_wrap = op.is_ring() && !node.dtype.is_index();
            let ends = !may_wrap || result.lo().is_some() && result.hi().is_some();
            if ends && result.meet(unknown) == Some(result) { result } else { unknown }
        }
        Op::Lane(lanes) => {
            Interval::new(0, i64::from(lanes.max(1)) - 1).and_then(|r| r.meet(unknown)).unwrap_or(unknown)
        }
        Op::Not => Interval::point(1).sub(of(0)),
        Op::Likely => of(0),
        Op::Select | Op::IfThenElse => match of(0).as_point() {
            Some(0) => of(2),
            Some(_) => of(1),
            None => of(1).join(of(2)),
        },
        Op::Cast => cast_interval(operand, of(0), node.dtype).unwrap_or(unknown),
        Op::Call(callee) => {
            let function = theory.functions.get(callee);
            function.and_then(|f| f.interval(node.dtype, operands)).unwrap_or(unknown)
        }
        _ => unknown,
    }
}

/// The range of a constant; those of the upper half of `uint64` are kept as the negative numbers of the same bits.
fn int_interval(v: i64, dtype: DType) -> Interval {
    let wide = if v < 0 && dtype.is_uint() { i128::from(v.cast_unsigned()) } else { i128::from(v) };
    Interval::between(Some(wide), Some(wide)).unwrap_or(Interval::ALL)
}

fn node_residue(node: &Node, operands: &[&Facts]) -> Residue {
    if !known_range(node.dtype) || node.dtype.is_bool() {
        return Residue::ALL;
    }
    let of = |i: usize| operands[i].residue;
    let wrapped = |r: Residue| if node.dtype.is_index() { r } else { r.wrap(u32::from(node.dtype.bits)) };
    match node.op {
        Op::Int(v) if v.get() < 0 && node.dtype.is_uint() => Residue::point(v.get()).wrap(64),
        Op::Int(v) => Residue::point(v.get()),
        Op::Bin(op) => {
            let divisor = operands[1].interval.as_point().filter(|&c| c > 0);
            let result = transfer::residue(op, of(0), of(1), divisor);
            if op.is_ring() { wrapped(result) } else { result }
        }
        Op::Select | Op::IfThenElse => of(1).join(of(2)),
        Op::Likely => of(0),
        Op::Cast if operands[0].dtype.is_integral() => of(0).wrap(u32::from(node.dtype.bits)),
        _ => Residue::ALL,
    }
}

/// The range of a conversion: kept when every value fits.
fn cast_interval(from: Option<DType>, range: Interval, to: DType) -> Option<Interval> {
    let from = from.filter(|d| known_range(*d))?;
    let _ = from;
    let (lo, hi) = to.int_range()?;
    let fits = |v: Option<i64>| v.is_some_and(|v| lo <= i128::from(v) && i128::from(v) <= hi);
    (fits(range.lo()) && fits(range.hi())).then_some(range)
}

/// The values of a node at the sample points.
fn node_samples(theory: &FactAnalysis, node: &Node, operands: &[&Facts]) -> SampleValues {
    if node.dtype.is_scalar() && (node.dtype.is_integral() || node.dtype.is_bool()) {
        SampleValues::at_points(|point| node_sample(theory, node, operands, point))
    } else {
        SampleValues::default()
    }
}

pub(super) fn node_sample(
    theory: &FactAnalysis,
    node: &Node,
    operands: &[&Facts],
    point: usize,
) -> Option<i64> {
    let of = |i: usize| operands[i].samples.at(point);
    let at = point as u64;
    match &node.op {
        Op::Int(v) => Some(v.get()),
        Op::Var(v) if node.dtype.is_bool() => Some((points::mix(u64::from(v.0) + 1, at) & 1).cast_signed()),
        Op::Var(v) => {
            let range = theory.var_ranges.get(v.index()).copied().unwrap_or(Interval::ALL);
            Some(points::value_at(range, !node.dtype.is_uint(), u64::from(v.0), at))
        }
        Op::Bin(op) => {
            let operand = operands[0].dtype;
            let (a, b) = (of(0)?, of(1)?);
            // Integers of index types have no bounds here, but those of 64 bits.
            int::total(*op, if operand.is_index() { DType::I64 } else { operand }, a, b).ok()
        }
        Op::Not => of(0).map(|v| i64::from(v == 0)),
        Op::Likely => of(0),
        Op::Cast => of(0).filter(|&v| int::fits(node.dtype, v)),
        Op::Select | Op::IfThenElse => of(if of(0)? != 0 { 1 } else { 2 }),
        Op::Load(buffer, version) => {
            let mut hash = points::mix(u64::from(buffer.0), u64::from(*version));
            for i in 0..operands.len() {
                hash = points::mix(hash, of(i)?.cast_unsigned());
            }
            let small = (points::mix(hash, at) % 9).cast_signed() - 2;
            Some(match node.dtype {
                d if d.is_bool() => small & 1,
                d if d.is_uint() => small.abs(),
                _ => small,
            })
        }
        Op::Lane(lanes) => Some((points::mix(0, at) % u64::from((*lanes).max(1))).cast_signed()),
        Op::Call(callee) => theory.functions.get(*callee)?.sample(operands, of, at),
        Op::Float(_) | Op::Ramp | Op::Broadcast | Op::Lanes | Op::LaneOf | Op::Template(_) => None,
    }
}
