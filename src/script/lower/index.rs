//! Subscripts: elements of buffers, regions, parts of tuples.

use super::copies::{aligned, copied};
use super::state::{Lower, Res};
use super::value::Value;
use crate::ir::{BinOp, BufferId, BufferRegion, DType, Expr, ExprKind, PrimFunc};
use crate::script::fold;
use crate::script::syntax::ast::{NodeId, NodeKind, NodeList};

impl Lower<'_> {
    /// `value[items]` as an expression.
    #[inline(never)]
    pub(super) fn subscript(&mut self, id: NodeId, value: NodeId, items: NodeList) -> Res<Value> {
        match self.eval(value)? {
            Value::Buffer(buffer) | Value::Scalar(buffer) => {
                let indices = self.indices(id, buffer, items)?;
                let lanes = indices.last().map_or(1, |e| e.dtype.lanes);
                let element = self.func.buffer(buffer).dtype;
                let Some(lanes) = element.lanes.checked_mul(lanes) else {
                    return self.err(id, format!("a load of more than {} lanes", u16::MAX));
                };
                Ok(Value::Expr(Expr::load(element.with_lanes(lanes), buffer, indices)))
            }
            Value::Tuple(values) | Value::List(values) => {
                if items.len() != 1 {
                    return self.err(id, format!("expected 1 index, found {}", items.len()));
                }
                let index = self.int_literal(self.ast.item(items, 0))?;
                match usize::try_from(index).ok().and_then(|i| values.into_iter().nth(i)) {
                    Some(value) => Ok(value),
                    None => self.err(id, format!("index {index} is out of range")),
                }
            }
            other => self.expected(value, "a buffer", &other),
        }
    }

    /// The indices of an element of a buffer; slices are ramps.
    pub(super) fn indices(&mut self, id: NodeId, buffer: BufferId, items: NodeList) -> Res<Vec<Expr>> {
        let items = self.index_nodes(items);
        let rank = self.func.buffer(buffer).shape.len();
        if items.len() != rank {
            let name = self.func.buffer(buffer).name.clone();
            return self.err(
                id,
                format!("buffer `{name}` has {rank} dimensions, found indices for {}", items.len()),
            );
        }
        let mut indices = Vec::with_capacity(rank);
        for (at, &item) in items.iter().enumerate() {
            let index = match self.ast[item].kind {
                NodeKind::Slice(start, stop, step) => self.ramp(item, start, stop, step)?,
                _ => self.expr(item)?,
            };
            let index = self.integral(item, index)?;
            if !index.dtype.is_scalar() && at + 1 != rank {
                return self.err(item, "only the last index can be a vector");
            }
            indices.push(index);
        }
        Ok(indices)
    }

    /// An index, which must be an integer.
    fn integral(&self, id: NodeId, index: Expr) -> Res<Expr> {
        match index.dtype.is_integral() {
            true => Ok(index),
            false => self.err(id, format!("expected an integer index, found one of type `{}`", index.dtype)),
        }
    }

    /// The index that a node stands for.
    fn index(&mut self, id: NodeId) -> Res<Expr> {
        let index = self.expr(id)?;
        self.integral(id, index)
    }

    /// The items of a subscript; `A[()]` has none.
    fn index_nodes(&self, items: NodeList) -> Vec<NodeId> {
        if let [single] = self.ast.list(items)
            && let NodeKind::Tuple(inner) = self.ast[*single].kind
        {
            return self.ast.list(inner).to_vec();
        }
        self.ast.list(items).to_vec()
    }

    /// `start:stop:step` as a vector of indices.
    fn ramp(
        &mut self,
        id: NodeId,
        start: Option<NodeId>,
        stop: Option<NodeId>,
        step: Option<NodeId>,
    ) -> Res<Expr> {
        let (Some(start), Some(stop)) = (start, stop) else {
            return self.err(id, "expected both ends of the slice");
        };
        let start_expr = self.expr(start)?;
        let stop_expr = aligned(self.expr(stop)?, &start_expr);
        let step_value = match step {
            Some(step) => self.int_literal(step)?,
            None => 1,
        };
        let difference = fold::difference(&stop_expr, &start_expr);
        let lanes = match difference {
            Some(d) if step_value > 0 => (d + i128::from(step_value) - 1).div_euclid(i128::from(step_value)),
            Some(_) => return self.err(id, "expected a positive step"),
            None => return self.err(id, "expected a slice of constant length"),
        };
        if lanes == 1 {
            return Ok(start_expr);
        }
        let Some(lanes) = u16::try_from(lanes).ok().filter(|&n| n > 1) else {
            return self.err(id, format!("expected a slice of 1 to {} elements, found {lanes}", u16::MAX));
        };
        let stride = self.at(id, fold::int_const(start_expr.dtype, i128::from(step_value)))?;
        if !start_expr.dtype.is_scalar() {
            return self.err(id, "expected a scalar as start of the slice, found a vector");
        }
        Ok(Expr::ramp(start_expr, stride, lanes))
    }

    /// A region of a buffer: `A[i, 0:4]`, or all of `A`.
    pub(super) fn region(&mut self, id: NodeId) -> Res<BufferRegion> {
        let NodeKind::Subscript(value, items) = self.ast[id].kind else {
            return match self.eval(id)? {
                Value::Buffer(buffer) | Value::Scalar(buffer) => Ok(self.whole(buffer)),
                other => self.expected(id, "a buffer region", &other),
            };
        };
        let buffer = match self.eval(value)? {
            Value::Buffer(buffer) | Value::Scalar(buffer) => buffer,
            other => return self.expected(value, "a buffer", &other),
        };
        let items = self.index_nodes(items);
        let rank = self.func.buffer(buffer).shape.len();
        if items.len() > rank {
            let name = self.func.buffer(buffer).name.clone();
            return self.err(
                id,
                format!("buffer `{name}` has {rank} dimensions, found indices for {}", items.len()),
            );
        }
        let mut ranges = Vec::with_capacity(rank);
        for at in 0..rank {
            let whole = (None, None, None);
            let item = items.get(at).copied();
            let (start, stop, step) = match item.map(|i| self.ast[i].kind) {
                None => whole,
                Some(NodeKind::Slice(start, stop, step)) => (start, stop, step),
                Some(_) => {
                    let index = self.index(items[at])?;
                    ranges.push((index, None));
                    continue;
                }
            };
            let place = item.unwrap_or(id);
            if let Some(step) = step
                && self.int_literal(step)? != 1
            {
                return self.err(step, "expected a region without a step");
            }
            let extent = self.func.buffer(buffer).shape[at].clone();
            let min = match start {
                Some(start) => self.index(start)?,
                None => self.at(place, fold::int_const(extent.dtype, 0))?,
            };
            let stop = match stop {
                Some(stop) => self.index(stop)?,
                None => extent,
            };
            let extent = extent_between(&min, stop, &mut self.func);
            let extent = self.at(place, extent)?;
            ranges.push((min, Some(extent)));
        }
        Ok(BufferRegion { buffer, ranges })
    }

    /// All of a buffer.
    fn whole(&self, buffer: BufferId) -> BufferRegion {
        let shape = &self.func.buffer(buffer).shape;
        let ranges = shape.iter().map(|e| (Expr::int(0, e.dtype), Some(e.clone()))).collect();
        BufferRegion { buffer, ranges }
    }
}

/// The length from `min` to `stop`, in its simplest form when it shows.
pub(super) fn extent_between(min: &Expr, stop: Expr, func: &mut PrimFunc) -> Result<Expr, String> {
    if min.as_int() == Some(0) {
        let dtype = if min.dtype.bits > stop.dtype.bits { min.dtype } else { stop.dtype };
        return fold::cast(dtype, stop);
    }
    let same = aligned(stop.clone(), min);
    if let Some(length) = fold::difference(&same, min) {
        let dtype = if min.dtype.bits > stop.dtype.bits { min.dtype } else { stop.dtype };
        return fold::int_const(dtype.scalar(), length);
    }
    if let ExprKind::Binary(BinOp::Add, a, b) = same.kind
        && *a == *min
    {
        return Ok(*b);
    }
    fold::binary(BinOp::Sub, stop, copied(min, func))
}

/// The type of a loop variable or axis with these bounds.
pub(super) fn index_type(a: DType, b: DType) -> DType {
    if a.bits >= b.bits { a } else { b }
}
