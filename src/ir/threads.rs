//! How many threads there can be.

/// The most values that the number of a thread takes, by its tag, if there is a limit: a launch of more threads fails, so that
/// nothing runs.
pub(crate) fn most(tag: &str) -> Option<i64> {
    match tag {
        "blockIdx.x" => Some(i64::from(i32::MAX)),
        "blockIdx.y" | "blockIdx.z" => Some(65_535),
        "threadIdx.x" | "threadIdx.y" => Some(1_024),
        "threadIdx.z" => Some(64),
        _ => None,
    }
}
