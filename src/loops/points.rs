//! Sample points of a function: a condition that holds at one and fails at another needs no proof.

use hashbrown::HashMap;

use crate::arith::points::mix;
use crate::ir::value::{Value, evaluate};
use crate::ir::{Expr, PrimFunc, Type, VarId};

/// How many points there are: one for each bit.
const POINTS: u32 = 24;

/// What parameters may be.
const SIZES: [i64; 8] = [5, 1, 12, 3, 2, 17, 8, 30];

/// Values of variables at some points, and which of these are inside of the loops and conditions around a place.
#[derive(Debug)]
pub(super) struct Points {
    values: HashMap<VarId, [Option<i64>; POINTS as usize]>,
    inside: u32,
}

impl Points {
    /// The parameters of a function get values that sizes may have.
    pub(super) fn new(func: &PrimFunc) -> Points {
        let mut values = HashMap::new();
        for (index, entry) in func.vars.iter().enumerate() {
            let var = VarId(u32::try_from(index).unwrap_or(u32::MAX));
            if matches!(&entry.ty, Type::Prim(dtype) if dtype.is_index()) {
                let at = |point: u64| SIZES[(mix(index as u64, point) % SIZES.len() as u64) as usize];
                values.insert(var, std::array::from_fn(|point| Some(at(point as u64))));
            }
        }
        Points { values, inside: (1 << POINTS) - 1 }
    }

    /// The points that are inside.
    pub(super) const fn inside(&self) -> u32 {
        self.inside
    }

    /// Leaves scopes.
    pub(super) fn back(&mut self, inside: u32) {
        self.inside = inside;
    }

    fn value(&self, e: &Expr, point: u32) -> Option<i64> {
        if let Some(value) = e.as_int() {
            return Some(value);
        }
        let of = |var: VarId| self.values.get(&var).and_then(|values| values[point as usize]).map(Value::Int);
        evaluate(e, &of)?.as_int()
    }

    /// Enters a loop: its variable has one of its values at each point at which it runs.
    pub(super) fn iterate(&mut self, var: VarId, min: &Expr, extent: &Expr) {
        let mut values = [None; POINTS as usize];
        for point in 0..POINTS {
            let bounds = self.value(min, point).zip(self.value(extent, point));
            let value = bounds.filter(|(_, extent)| *extent > 0).and_then(|(min, extent)| {
                // First and last iterations are where conditions change.
                let at = match point % 4 {
                    0 => 0,
                    1 => extent - 1,
                    _ => (mix(u64::from(var.0), u64::from(point)) % extent.unsigned_abs()) as i64,
                };
                min.checked_add(at)
            });
            if bounds.is_some() && value.is_none() {
                self.inside &= !(1 << point);
            }
            values[point as usize] = value;
        }
        self.values.insert(var, values);
    }

    /// A variable that is bound to a value.
    pub(super) fn bind(&mut self, var: VarId, value: &Expr) {
        let values = std::array::from_fn(|point| self.value(value, point as u32));
        self.values.insert(var, values);
    }

    /// Leaves the points at which a condition has another truth value.
    pub(super) fn assume(&mut self, cond: &Expr, truth: bool) {
        for point in 0..POINTS {
            let is_inside = self.inside & 1 << point != 0;
            if is_inside && self.value(cond, point).is_some_and(|value| (value != 0) != truth) {
                self.inside &= !(1 << point);
            }
        }
    }

    /// The truth value of a condition at all points that are left, if it has a single one there.
    pub(super) fn truth(&self, cond: &Expr) -> Option<bool> {
        let mut known = None;
        for point in (0..POINTS).filter(|point| self.inside & 1 << point != 0) {
            let Some(value) = self.value(cond, point) else { continue };
            if *known.get_or_insert(value != 0) != (value != 0) {
                return None;
            }
        }
        known
    }
}
