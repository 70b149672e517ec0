//! What is known of the values of calls of intrinsics.

use smallvec::SmallVec;

use super::facts::{Facts, Operands, values_of_type};
use crate::arith::{Interval, points, transfer};
use crate::ir::value::{MathFn, Value, int};
use crate::ir::{Call, Callee, DType};

/// What intrinsics compute, by the index that [`Op::Call`](crate::egraph::node::Op::Call) has.
#[derive(Debug, Default)]
pub(crate) struct Functions(Vec<Option<Function>>);

impl Functions {
    /// Notes what calls of an index call.
    pub(crate) fn note(&mut self, callee: u32, head: &Call) {
        let index = callee as usize;
        if index >= self.0.len() {
            self.0.resize(index + 1, None);
            self.0[index] = Function::of(head);
        }
    }

    /// What is computed, if something is known of it.
    pub(crate) fn get(&self, callee: u32) -> Option<Function> {
        self.0.get(callee as usize).copied().flatten()
    }
}

/// An intrinsic of whose value something is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    /// `T.vscale()`, by which vectors of a scalable length are longer than the shortest: at least 1.
    Vscale,
    /// A function of its arguments.
    Math(MathFn),
}

impl Function {
    fn of(head: &Call) -> Option<Function> {
        match &head.callee {
            Callee::Intrin(name) if &**name == "vscale" => Some(Function::Vscale),
            Callee::Intrin(name) if head.kwargs.is_empty() => MathFn::from_name(name).map(Function::Math),
            Callee::Intrin(_) | Callee::Global(_) => None,
        }
    }

    /// Where the value lies, as far as that is known.
    pub(super) fn interval(self, dtype: DType, operands: &Operands<'_>) -> Option<Interval> {
        let function = match self {
            Function::Vscale => return Interval::between(Some(1), None),
            Function::Math(function) => function,
        };
        let dtype_of_operands = operands.first()?.dtype;
        let are_values = operands.iter().all(|operand| operand.leaf || operand.interval.fits(operand.dtype));
        let ranges: SmallVec<[Interval; 3]> = operands.iter().map(|operand| operand.interval).collect();
        let range = transfer::interval_of_call(function, dtype_of_operands, are_values.then_some(&ranges))?;
        range.meet(values_of_type(dtype))
    }

    /// The value at a sample point, given those of the operands.
    pub(crate) fn sample(
        self,
        operands: &[&Facts],
        values: impl Fn(usize) -> Option<i64>,
        point: u64,
    ) -> Option<i64> {
        let function = match self {
            Function::Vscale => return Some(1 + (points::mix(0, point) % 16).cast_signed()),
            Function::Math(function) => function,
        };
        let arguments = (0..operands.len())
            .map(|i| values(i).filter(|&v| int::fits(operands[i].dtype, v)).map(Value::Int))
            .collect::<Option<Vec<_>>>()?;
        match function.fold(operands.first()?.dtype, &arguments).ok()? {
            Value::Int(v) => Some(v),
            Value::Float(_) => None,
        }
    }
}
