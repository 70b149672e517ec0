//! Sample points of a function: a condition that holds at one and fails at another needs no proof.

use hashbrown::HashMap;

use crate::arith::points::mix;
use crate::ir::value::{Lanes, evaluate_lanes};
use crate::ir::{Expr, PrimFunc, Type, VarId};

/// What parameters may be: loops over quotients of sizes by others run at large ones only.
const SIZES: [i64; 16] = [5, 1, 12, 3, 2, 17, 8, 30, 37, 45, 64, 97, 150, 256, 403, 1_000];

/// Values of variables at some points, and which of these are inside of the loops and conditions around a place.
#[derive(Debug)]
pub(super) struct Points {
    values: HashMap<VarId, Lanes>,
    /// A bit for each point.
    inside: u32,
}

impl Points {
    /// The parameters of a function get values that sizes may have.
    pub(super) fn new(func: &PrimFunc) -> Points {
        let sizes = integers(func).map(|var| {
            let size = |point: usize| mix(var.index() as u64, point as u64) % SIZES.len() as u64;
            (var, Lanes::new(|point| Some(SIZES[size(point) as usize])))
        });
        let values = sizes.collect();
        Points { values, inside: u32::MAX }
    }

    /// The points that are inside.
    pub(super) const fn inside(&self) -> u32 {
        self.inside
    }

    /// Goes to where these points are inside.
    pub(super) fn back(&mut self, inside: u32) {
        self.inside = inside;
    }

    fn value(&self, e: &Expr) -> Lanes {
        evaluate_lanes(e, &|var| self.values.get(&var).copied())
    }

    /// Enters a loop: its variable has one of its values at each point at which it runs.
    pub(super) fn iterate(&mut self, var: VarId, min: &Expr, extent: &Expr) {
        let (min, extent) = (self.value(min), self.value(extent));
        let values = Lanes::new(|point| {
            let extent = extent.get(point).filter(|extent| *extent > 0)?;
            // First and last iterations are where conditions change.
            let at = match point % 4 {
                0 => 0,
                1 => extent - 1,
                _ => (mix(u64::from(var.0), point as u64) % extent.unsigned_abs()) as i64,
            };
            min.get(point)?.checked_add(at)
        });
        self.inside &= !(min.known() & extent.known() & !values.known());
        self.values.insert(var, values);
    }

    /// A variable that is bound to a value.
    pub(super) fn bind(&mut self, var: VarId, value: &Expr) {
        self.values.insert(var, self.value(value));
    }

    /// Leaves the points at which a condition has another truth value.
    pub(super) fn assume(&mut self, cond: &Expr, truth: bool) {
        let value = self.value(cond);
        let holds = if truth { value.nonzero() } else { value.known() & !value.nonzero() };
        self.inside &= holds | !value.known();
    }

    /// The truth value of a condition at all points that are left, if it has a single one there.
    pub(super) fn truth(&self, cond: &Expr) -> Option<bool> {
        let value = self.value(cond);
        let (known, holds) = (value.known() & self.inside, value.nonzero() & self.inside);
        (known != 0 && (holds == 0 || holds == known)).then_some(holds != 0)
    }
}

/// The variables of a function that are integers.
pub(super) fn integers(func: &PrimFunc) -> impl Iterator<Item = VarId> {
    let numbered = func.vars.iter().enumerate();
    numbered
        .filter(|(_, entry)| matches!(&entry.ty, Type::Prim(dtype) if dtype.is_index()))
        .map(|(number, _)| VarId(u32::try_from(number).unwrap_or(u32::MAX)))
}
