//! The values that a variable takes.

use super::super::Interval;
use crate::ir::{BinOp, Expr, VarId};

/// A variable with the values that it takes: `min .. min + extent`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Domain {
    /// The variable.
    pub var: VarId,
    /// Its first value.
    pub min: Expr,
    /// How many values it takes.
    pub extent: Expr,
}

impl Domain {
    /// That a value lies in the domain, as two conditions.
    pub(crate) fn contains(&self, value: &Expr) -> [Expr; 2] {
        let end = if self.min.as_int() == Some(0) {
            self.extent.clone()
        } else {
            match (self.min.as_int(), self.extent.as_int()) {
                (Some(min), Some(extent)) if min.checked_add(extent).is_some() => {
                    Expr::int(min + extent, self.extent.dtype)
                }
                _ => self.min.clone() + self.extent.clone(),
            }
        };
        [
            Expr::binary(BinOp::Le, self.min.clone(), value.clone()),
            Expr::binary(BinOp::Lt, value.clone(), end),
        ]
    }

    /// The range of the variable, if its domain has constant bounds and is not empty.
    pub(crate) fn range(&self) -> Interval {
        let range = || {
            let (min, extent) = (self.min.as_int()?, self.extent.as_int()?);
            Interval::new(min, min.checked_add(extent)?.checked_sub(1)?)
        };
        range().unwrap_or(Interval::ALL)
    }
}
