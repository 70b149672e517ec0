//! What may be used at a place of a program that is being made.

use crate::ir::{BufferId, DType, Expr, VarId};

/// What buffers of `int32` and `int64` hold.
pub(super) const STORED: Range = Range { lo: -1000, hi: 1000 };

/// A range of integers, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub lo: i64,
    pub hi: i64,
}

impl Range {
    pub(super) fn constant(v: i64) -> Range {
        Range { lo: v, hi: v }
    }

    /// The values of a type. Of 64-bit types, which nothing reads a range of, the ends that `i64` has.
    pub(super) fn of_type(dtype: DType) -> Range {
        let (lo, hi) = dtype.int_range().unwrap_or((0, 0));
        let clamp = |v: i128| v.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        Range { lo: clamp(lo), hi: clamp(hi) }
    }

    pub(super) fn within(self, other: Range) -> bool {
        other.lo <= self.lo && self.hi <= other.hi
    }

    pub(super) fn union(self, other: Range) -> Range {
        Range { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// The largest magnitude.
    pub(super) fn magnitude(self) -> i64 {
        self.lo.saturating_abs().max(self.hi.saturating_abs())
    }

    pub(super) fn add(self, other: Range) -> Range {
        Range { lo: self.lo.saturating_add(other.lo), hi: self.hi.saturating_add(other.hi) }
    }

    pub(super) fn sub(self, other: Range) -> Range {
        Range { lo: self.lo.saturating_sub(other.hi), hi: self.hi.saturating_sub(other.lo) }
    }

    pub(super) fn mul(self, other: Range) -> Range {
        let products = [
            self.lo.saturating_mul(other.lo),
            self.lo.saturating_mul(other.hi),
            self.hi.saturating_mul(other.lo),
            self.hi.saturating_mul(other.hi),
        ];
        let [a, b, c, d] = products;
        Range { lo: a.min(b).min(c).min(d), hi: a.max(b).max(c).max(d) }
    }

    /// A range that has all quotients by a divisor that is not 0.
    pub(super) fn quotient(self) -> Range {
        let m = self.magnitude().saturating_add(1);
        Range { lo: -m, hi: m }
    }
}

/// A variable that may be read.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub var: VarId,
    pub dtype: DType,
    pub range: Range,
}

/// An extent of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Dim {
    pub extent: Expr,
    /// The extent if it is constant, else 0.
    pub size: i64,
}

impl Dim {
    pub(super) fn constant(size: i64, dtype: DType) -> Dim {
        Dim { extent: Expr::int(size, dtype), size }
    }

    pub(super) fn symbolic(extent: Expr) -> Dim {
        Dim { extent, size: 0 }
    }
}

/// A buffer that may be read.
#[derive(Clone, Debug)]
pub(super) struct Array {
    pub buffer: BufferId,
    pub dtype: DType,
    pub shape: Vec<Dim>,
    pub writable: bool,
    /// What integer elements are.
    pub values: Range,
}

impl Array {
    pub(super) fn of(buffer: BufferId, dtype: DType, shape: Vec<Dim>) -> Array {
        let values = if dtype.is_index() { STORED } else { Range::of_type(dtype) };
        Array { buffer, dtype, shape, writable: true, values }
    }
}

/// An integer or truth expression that stands somewhere already, to be written again.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub expr: Expr,
    pub range: Range,
}

/// What is in scope and what holds there. Everything is added at the end, so that leaving a block is truncation.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub vars: Vec<Known>,
    pub arrays: Vec<Array>,
    pub written: Vec<Written>,
    /// Index tuples that are in range, by buffer.
    pub indices: Vec<(BufferId, Vec<Expr>)>,
    /// Expressions that lie in `0..extent`.
    pub bounded: Vec<(Expr, Expr)>,
    /// Expressions that are not 0.
    pub nonzero: Vec<Expr>,
}

/// The sizes of a scope's lists.
pub(super) struct Mark([usize; 6]);

impl Scope {
    pub(super) fn define(&mut self, var: VarId, dtype: DType, range: Range) {
        self.vars.push(Known { var, dtype, range });
    }

    pub(super) fn mark(&self) -> Mark {
        Mark([
            self.vars.len(),
            self.arrays.len(),
            self.written.len(),
            self.indices.len(),
            self.bounded.len(),
            self.nonzero.len(),
        ])
    }

    pub(super) fn reset(&mut self, mark: &Mark) {
        let [vars, arrays, written, indices, bounded, nonzero] = mark.0;
        self.vars.truncate(vars);
        self.arrays.truncate(arrays);
        self.written.truncate(written);
        self.indices.truncate(indices);
        self.bounded.truncate(bounded);
        self.nonzero.truncate(nonzero);
    }
}
