//! Strides and sizes of arrays.

/// Strides of a row-major array without gaps.
pub(super) fn compact_strides(extents: &[i64]) -> Vec<i64> {
    let mut strides = vec![1i64; extents.len()];
    for k in (1..extents.len()).rev() {
        strides[k - 1] = strides[k].wrapping_mul(extents[k].max(1));
    }
    strides
}

/// Elements that an array needs up to its last one; `None` if that is negative or too large to count.
pub(super) fn allocation_size(extents: &[i64], strides: &[i64], offset: i64) -> Option<usize> {
    if extents.contains(&0) {
        return Some(0);
    }
    let mut last = offset;
    for (&extent, &stride) in extents.iter().zip(strides) {
        last = last.checked_add((extent - 1).checked_mul(stride)?)?;
    }
    usize::try_from(last.checked_add(1)?).ok()
}
