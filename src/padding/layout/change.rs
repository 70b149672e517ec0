//! What a change of layout is told, and what it did, as data.

use serde::Serialize;

use super::map::{IndexMap, Padding};
use crate::ir::{BufferId, Expr, PrimFunc};
use crate::script::print_expr;

/// A layout for a buffer.
///
/// ```
/// use satir::padding::LayoutChange;
///
/// let change = LayoutChange { map: "lambda i: [i // 4, i % 4]", pad: Some("0"), elide: false };
/// assert!(!change.elide);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LayoutChange<'a> {
    /// Where an element is to be, as `lambda i, j: [i // 4, j, i % 4]` over its indices and the scalar parameters of the
    /// function.
    pub map: &'a str,
    /// What the padding holds: nothing that matters, `undef`, a constant, or `lambda io, ii: …` over the new indices.
    pub pad: Option<&'a str>,
    /// Whether the buffer keeps its memory, and becomes a view of it with the new dimensions.
    pub elide: bool,
}

/// A layout that a buffer got.
///
/// ```
/// use satir::padding::{LayoutChange, transform_layout};
///
/// let mut module = satir::parse(
///     "@T.prim_func\ndef main(A: T.Buffer((14,), \"int32\")):\n    for i in range(14):\n        A[i] = i\n",
/// )?;
/// let change = LayoutChange { map: "lambda i: [i // 4, i % 4]", pad: Some("0"), elide: false };
/// let layout = transform_layout(&mut module.funcs[0], "A", &change)?;
/// assert_eq!((&*layout.shape[0], &*layout.shape[1]), ("4", "4"));
/// // One row, two columns from the third on.
/// assert_eq!(layout.padding, Some(vec![vec![(3, 1), (2, 2)]]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Layout {
    /// The function.
    pub function: String,
    /// The buffer.
    pub buffer: String,
    /// The index map, as it was given.
    pub map: String,
    /// What padding holds, as it was given; without it nothing that anyone relies on.
    pub value: Option<String>,
    /// The extents of the dimensions.
    pub shape: Vec<String>,
    /// The elements that are padding, as boxes: for each dimension the first index and the number of indices. `None` where sizes
    /// are not known, or boxes would be too many.
    pub padding: Option<Vec<Vec<(i64, i64)>>>,
}

impl Layout {
    pub(super) fn new(
        func: &PrimFunc,
        buffer: BufferId,
        map: &IndexMap,
        change: &LayoutChange<'_>,
    ) -> Layout {
        let padding = match &map.padding {
            Padding::None => Some(Vec::new()),
            Padding::Boxes(boxes) => Some(boxes.iter().map(|cuboid| cuboid.ranges.clone()).collect()),
            Padding::Unreached(_) => None,
        };
        let extent = |e: &Expr| print_expr(func, e);
        Layout {
            function: func.name.to_string(),
            buffer: func.buffer(buffer).name.to_string(),
            map: change.map.to_owned(),
            value: change.pad.map(str::to_owned),
            shape: map.shape.iter().map(extent).collect(),
            padding,
        }
    }
}
