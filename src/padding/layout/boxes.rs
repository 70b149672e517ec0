//! Sets of elements as boxes: products of ranges.

use std::collections::BTreeSet;

use crate::ir::{BinOp, Expr, VarId};

/// The most elements that are looked at one by one.
pub(in crate::padding) const MAX_ELEMENTS: i64 = 1 << 16;

/// The most boxes that padding is taken apart into.
pub(in crate::padding) const MAX_BOXES: usize = 8;

/// A product of ranges, each with its first value and its length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::padding) struct Cuboid {
    pub ranges: Vec<(i64, i64)>,
}

impl Cuboid {
    pub(super) fn contains(&self, at: &[i64]) -> bool {
        self.ranges.iter().zip(at).all(|(&(first, length), i)| (first..first + length).contains(i))
    }

    /// The indices of all elements, row by row.
    pub(in crate::padding) fn elements(&self) -> impl Iterator<Item = Vec<i64>> + '_ {
        let size = self.ranges.iter().map(|&(_, length)| length).product::<i64>();
        (0..size).map(|number| {
            let (mut rest, mut at) = (number, Vec::with_capacity(self.ranges.len()));
            for &(first, length) in self.ranges.iter().rev() {
                at.push(first + rest % length.max(1));
                rest /= length.max(1);
            }
            at.reverse();
            at
        })
    }

    /// All elements of a shape, if they are few enough to be looked at one by one.
    pub(in crate::padding) fn whole(shape: &[i64]) -> Option<Cuboid> {
        let size = shape.iter().try_fold(1_i64, |size, &n| size.checked_mul(n))?;
        (size <= MAX_ELEMENTS).then(|| Cuboid { ranges: shape.iter().map(|&n| (0, n)).collect() })
    }

    /// That indices lie in the box, without what the shape implies.
    pub(super) fn condition(&self, axes: &[VarId], shape: &[Expr]) -> Expr {
        let mut parts = Vec::new();
        for ((&(first, length), &axis), extent) in self.ranges.iter().zip(axes).zip(shape) {
            let axis = || Expr::var(axis, extent.dtype);
            let constant = |v: i64| Expr::int(v, extent.dtype);
            let whole = extent.as_int();
            if length == 1 && whole != Some(1) {
                parts.push(Expr::binary(BinOp::Eq, axis(), constant(first)));
                continue;
            }
            if first > 0 {
                parts.push(Expr::binary(BinOp::Ge, axis(), constant(first)));
            }
            if whole != Some(first + length) {
                parts.push(Expr::binary(BinOp::Lt, axis(), constant(first + length)));
            }
        }
        parts.into_iter().reduce(|a, b| Expr::binary(BinOp::And, a, b)).unwrap_or_else(|| Expr::bool(true))
    }
}

/// The elements of a shape that are not among `places`, as at most `most` boxes, if they are so few.
pub(in crate::padding) fn complement(
    places: &BTreeSet<Vec<i64>>,
    shape: &[i64],
    most: usize,
) -> Option<Vec<Cuboid>> {
    let rows: Vec<&[i64]> = places.iter().map(Vec::as_slice).collect();
    let boxes = missing(&rows, shape, most)?;
    (boxes.len() <= most).then_some(boxes)
}

/// The same for places that are sorted.
fn missing(places: &[&[i64]], shape: &[i64], most: usize) -> Option<Vec<Cuboid>> {
    let Some((&extent, inner)) = shape.split_first() else {
        let whole = Cuboid { ranges: Vec::new() };
        return Some(if places.is_empty() { vec![whole] } else { Vec::new() });
    };
    let mut found: Vec<(i64, i64, Vec<Cuboid>)> = Vec::new();
    let mut rest = places;
    let mut at = 0;
    while at < extent {
        // Where nothing is reached there is one box up to the next place.
        let next = rest.first().map_or(extent, |place| place[0]);
        let (length, here) = if next > at {
            (next - at, missing(&[], inner, most)?)
        } else {
            let end = rest.partition_point(|place| place[0] == at);
            let (now, later) = rest.split_at(end);
            rest = later;
            let now: Vec<&[i64]> = now.iter().map(|place| &place[1..]).collect();
            (1, missing(&now, inner, most)?)
        };
        match found.last_mut() {
            Some((_, known, same)) if *same == here => *known += length,
            _ => found.push((at, length, here)),
        }
        at += length;
        if found.iter().map(|(_, _, boxes)| boxes.len()).sum::<usize>() > most {
            return None;
        }
    }
    let mut boxes = Vec::new();
    for (first, length, inner) in found {
        for cuboid in inner {
            let ranges = std::iter::once((first, length)).chain(cuboid.ranges).collect();
            boxes.push(Cuboid { ranges });
        }
    }
    Some(boxes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxes(extent: i64, shape: &[i64], map: impl Fn(i64) -> Vec<i64>) -> Option<Vec<Vec<(i64, i64)>>> {
        let places = (0..extent).map(map).collect();
        Some(complement(&places, shape, 4)?.into_iter().map(|cuboid| cuboid.ranges).collect())
    }

    #[test]
    fn padding_is_few_boxes() {
        assert_eq!(boxes(14, &[4, 4], |i| vec![i / 4, i % 4]), Some(vec![vec![(3, 1), (2, 2)]]));
        let both = boxes(16, &[3, 8], |i| vec![(i + 2) / 8, (i + 2) % 8]);
        assert_eq!(both, Some(vec![vec![(0, 1), (0, 2)], vec![(2, 1), (2, 6)]]));
        assert_eq!(boxes(16, &[4, 4], |i| vec![i / 4, i % 4]), Some(vec![]));
        // Whole rows join.
        assert_eq!(boxes(4, &[4, 4], |i| vec![i, 0]), Some(vec![vec![(0, 4), (1, 3)]]));
        assert_eq!(boxes(0, &[2, 3], |_| vec![]), Some(vec![vec![(0, 2), (0, 3)]]));
    }

    #[test]
    fn too_many_boxes_are_none() {
        assert_eq!(boxes(20, &[40], |i| vec![2 * i]), None);
    }
}
