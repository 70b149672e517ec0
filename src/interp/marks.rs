//! What a run keeps beside memory: which bytes may be anything, and what was repaired in inputs.

use std::collections::BTreeSet;

use super::memory::{Memory, Repr};

/// The bytes of memories that may be anything.
pub(super) type UndefBytes = BTreeSet<(u32, usize)>;

/// The places of a memory's bytes that may be anything.
pub(super) fn bytes_of(undef: Option<&UndefBytes>, memory: u32, of: &Memory) -> BTreeSet<usize> {
    let range = (memory, 0)..(memory, of.bytes.len());
    undef.into_iter().flat_map(|bytes| bytes.range(range.clone())).map(|&(_, byte)| byte).collect()
}

/// What a run that repairs inputs keeps.
#[derive(Debug, Default)]
pub(super) struct Repairs {
    /// The bytes that the program wrote itself.
    pub written: BTreeSet<(u32, usize)>,
    pub made: Vec<Repair>,
}

/// An element of an input that an assumption says the value of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repair {
    pub memory: u32,
    pub byte: usize,
    pub repr: Repr,
    /// The content of a register that holds the value.
    pub value: u64,
}
