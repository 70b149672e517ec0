//! Buffers that have another layout in the second of two programs: where each element is there, and what the padding
//! holds.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::inputs::{Bindings, Inputs, Tensor};
use super::memory::Repr;
use crate::ir::value::{self, Value};
use crate::ir::{Expr, ExprKind, PrimFunc, VarId};

/// Where the elements of a buffer are in another program, and what the padding there holds.
///
/// ```
/// use satir::interp::{EquivOptions, Layout, Padding, equiv};
///
/// let text = |shape, index| format!("@T.prim_func\ndef main(A: T.Buffer({shape}, \"int32\")):\n    for i in range(14):\n        A[{index}] = i\n");
/// let before = satir::parse(&text("(14,)", "i"))?;
/// let after = satir::parse(&text("(4, 4)", "i // 4, i % 4"))?;
/// let mut env = after.funcs[0].clone();
/// let map = satir::script::parse_lambda("lambda i: [i // 4, i % 4]", &mut env)?;
/// let layout = Layout {
///     function: "main".into(),
///     buffer: "A".into(),
///     axes: map.params,
///     indices: map.body,
///     padding: Padding::Any,
///     env,
/// };
/// let options = EquivOptions { layouts: vec![layout], ..satir::fuzz::compare_options(&before, 0) };
/// let result = equiv(&before, &after, &options)?;
/// assert!(result.difference.is_none() && result.compared > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Layout {
    /// The function.
    pub function: Arc<str>,
    /// The parameter.
    pub buffer: Arc<str>,
    /// Variables for the indices of an element in the first program.
    pub axes: Vec<VarId>,
    /// Its indices in the second program, over `axes` and the scalar parameters.
    pub indices: Vec<Expr>,
    /// What elements of the second program hold that are none of the first.
    pub padding: Padding,
    /// The function that variables and buffers of these expressions belong to.
    pub env: PrimFunc,
}

/// What padding holds.
///
/// ```
/// use satir::interp::Padding;
/// use satir::ir::{DType, Expr};
///
/// let zero = Padding::Value { axes: Vec::new(), value: Expr::int(0, DType::I32) };
/// assert!(matches!(zero, Padding::Value { .. }), "the value is checked where the buffer is an output");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Padding {
    /// Anything: two runs with different contents must agree on everything else.
    Any,
    /// A value, over variables for the indices in the second program. It may load from the buffer itself.
    Value {
        /// The variables.
        axes: Vec<VarId>,
        /// The value.
        value: Expr,
    },
}

/// Which element of the second program's buffer holds an element of the first one's.
#[derive(Debug)]
pub(super) struct Correspondence {
    /// For each element of the first buffer, its number in the second.
    pub place_of: Vec<usize>,
    /// The numbers of the other elements of the second buffer.
    pub padding: Vec<usize>,
}

impl Layout {
    /// Where the elements of `first` are in `second`; an error in words if the map does not fit the shapes.
    pub(super) fn correspondence(
        &self,
        first: &Tensor,
        second: &Tensor,
        bindings: &Bindings,
    ) -> Result<Correspondence, String> {
        let bad = |what: String| format!("the layout of `{}`: {what}", self.buffer);
        if first.dtype != second.dtype || self.axes.len() != first.shape.len() {
            return Err(bad("the buffers have different types, or the map has other axes".to_owned()));
        }
        let count = |shape: &[i64]| shape.iter().product::<i64>().max(0);
        let mut place_of = Vec::new();
        let mut taken = BTreeSet::new();
        for number in 0..count(&first.shape) {
            let index = indices_of(number, &first.shape);
            let places: Option<Vec<i64>> = self
                .indices
                .iter()
                .map(|e| self.evaluate(e, &self.axes, &index, bindings, second)?.as_int())
                .collect();
            let places = places.ok_or_else(|| bad("an index cannot be evaluated".to_owned()))?;
            let fits = places.len() == second.shape.len()
                && places.iter().zip(&second.shape).all(|(at, extent)| (0..*extent).contains(at));
            if !fits {
                return Err(bad(format!("element {index:?} would be at {places:?} of {:?}", second.shape)));
            }
            let place = places.iter().zip(&second.shape).fold(0, |sum, (at, extent)| sum * extent + at);
            if !taken.insert(place as usize) {
                return Err(bad(format!("two elements would be at {places:?}")));
            }
            place_of.push(place as usize);
        }
        let padding = (0..count(&second.shape) as usize).filter(|place| !taken.contains(place)).collect();
        Ok(Correspondence { place_of, padding })
    }

    /// The same layout, whose padding may hold anything unless `func` assumes something of it.
    pub(super) fn as_assumed_by(&self, func: &PrimFunc) -> Layout {
        let mut assumed = false;
        let mut look = |e: &Expr| {
            e.walk(&mut |e| {
                let Some(("assume", [cond])) = e.as_intrin() else { return };
                cond.walk(&mut |e| {
                    if let ExprKind::Load { buffer, .. } = &e.kind {
                        assumed |= func.buffer(*buffer).name == self.buffer;
                    }
                });
            });
        };
        func.body.iter().for_each(|stmt| stmt.walk(&mut |stmt| stmt.for_each_expr(&mut look)));
        let padding = if assumed { self.padding.clone() } else { Padding::Any };
        Layout { padding, ..self.clone() }
    }

    /// The value of the padding at an element of `tensor`, if it has one.
    pub(super) fn padding_at(&self, place: usize, tensor: &Tensor, bindings: &Bindings) -> Option<Value> {
        let Padding::Value { axes, value } = &self.padding else { return None };
        let index = indices_of(place as i64, &tensor.shape);
        self.evaluate(value, axes, &index, bindings, tensor)
    }

    /// The value of an expression over axes with these values, which may load from `tensor`.
    fn evaluate(
        &self,
        e: &Expr,
        axes: &[VarId],
        index: &[i64],
        bindings: &Bindings,
        tensor: &Tensor,
    ) -> Option<Value> {
        let value_of = |var: VarId| {
            let axis = axes.iter().position(|&axis| axis == var);
            let known = axis.and_then(|k| index.get(k).copied());
            let value = known.or_else(|| bindings.get(&*self.env.var(var).name).copied())?;
            Some(Value::Int(value))
        };
        let mut e = e.clone();
        self.replace_loads(&mut e, &value_of, tensor)?;
        value::evaluate(&e, &value_of)
    }

    fn replace_loads(
        &self,
        e: &mut Expr,
        value_of: &impl Fn(VarId) -> Option<Value>,
        tensor: &Tensor,
    ) -> Option<()> {
        let mut done = Some(());
        e.for_each_child_mut(|child| done = done.and(self.replace_loads(child, value_of, tensor)));
        done?;
        if let ExprKind::Load { buffer, indices } = &e.kind {
            if self.env.buffer(*buffer).name != self.buffer || indices.len() != tensor.shape.len() {
                return None;
            }
            let mut place = 0;
            for (index, &extent) in indices.iter().zip(&tensor.shape) {
                let at = value::evaluate(index, value_of)?.as_int()?;
                (0..extent).contains(&at).then_some(())?;
                place = place * extent + at;
            }
            let repr = Repr::of(tensor.dtype);
            let bits = repr.load(&tensor.data, place as usize * repr.size())?;
            let float = tensor.dtype.is_float();
            let value = if float { Value::Float(f64::from_bits(bits)) } else { Value::Int(bits as i64) };
            *e = value.to_expr(tensor.dtype);
        }
        Some(())
    }
}

impl Inputs {
    /// Takes the contents from the inputs of the first program; where a buffer has a layout its elements go where it says,
    /// and the padding holds what it says, or what it held.
    pub(super) fn take(
        &mut self,
        first: &Inputs,
        layouts: &[&Layout],
        bindings: &Bindings,
    ) -> Result<(), String> {
        if first.param_memories.len() != self.param_memories.len()
            || first.memories.len() != self.memories.len()
        {
            return Err("the parameters differ".to_owned());
        }
        self.param_memories.clone_from(&first.param_memories);
        for (from, to) in first.memories.iter().zip(&mut self.memories) {
            let Some(layout) = layouts.iter().find(|layout| layout.buffer == to.name) else {
                let same =
                    from.dtype == to.dtype && from.shape == to.shape && from.data.len() == to.data.len();
                if !same {
                    return Err("the parameters differ".to_owned());
                }
                to.data.clone_from(&from.data);
                continue;
            };
            let repr = Repr::of(to.dtype);
            let size = repr.size() * usize::from(to.dtype.lanes);
            let found = layout.correspondence(from, to, bindings)?;
            for (number, &place) in found.place_of.iter().enumerate() {
                let (old, new) = (number * size, place * size);
                if let (Some(to), Some(from)) =
                    (to.data.get_mut(new..new + size), from.data.get(old..old + size))
                {
                    to.copy_from_slice(from);
                }
            }
            for &place in &found.padding {
                if let Some(value) = layout.padding_at(place, to, bindings) {
                    // The place is one of the buffer.
                    let _ = repr.store(&mut to.data, place * size, register(value));
                }
            }
        }
        Ok(())
    }
}

/// The content of a register that holds a value.
pub(super) fn register(value: Value) -> u64 {
    match value {
        Value::Int(v) => v as u64,
        Value::Float(v) => v.to_bits(),
    }
}

/// The indices of the element with this number, row by row.
pub(super) fn indices_of(number: i64, shape: &[i64]) -> Vec<i64> {
    let mut rest = number;
    let mut indices = Vec::with_capacity(shape.len());
    for &extent in shape.iter().rev() {
        indices.push(rest % extent.max(1));
        rest /= extent.max(1);
    }
    indices.reverse();
    indices
}
