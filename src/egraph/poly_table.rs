//! The class of each normal form.

use std::hash::BuildHasher;
use std::sync::Arc;

use egg::Id;
use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::poly::Poly;
use crate::ir::DType;

/// The classes of normal forms, each with its type.
///
/// A table that grows sorts all that it has anew. So hashes are kept: normal forms lie anywhere in memory.
#[derive(Default)]
pub(crate) struct PolyTable(HashTable<Entry>);

struct Entry {
    hash: u32,
    dtype: DType,
    poly: Arc<Poly>,
    class: Id,
}

impl Entry {
    fn is(&self, hash: u32, dtype: DType, poly: &Poly) -> bool {
        self.hash == hash && self.dtype == dtype && *self.poly == *poly
    }
}

impl PolyTable {
    /// An empty table with room for so many.
    pub(crate) fn with_capacity(room: usize) -> PolyTable {
        PolyTable(HashTable::with_capacity(room))
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The class of a normal form, if one is known.
    pub(super) fn get(&self, dtype: DType, poly: &Poly) -> Option<Id> {
        let hash = hash_of(dtype, poly);
        self.0.find(spread(hash), |entry| entry.is(hash, dtype, poly)).map(|entry| entry.class)
    }

    /// The class of a normal form; `class` if none was known, which it is from then on.
    pub(crate) fn get_or_insert(&mut self, dtype: DType, poly: &Arc<Poly>, class: Id) -> Id {
        let hash = hash_of(dtype, poly);
        let found =
            self.0.entry(spread(hash), |entry| entry.is(hash, dtype, poly), |entry| spread(entry.hash));
        found.or_insert_with(|| Entry { hash, dtype, poly: Arc::clone(poly), class }).get().class
    }
}

/// What is kept of a hash.
fn hash_of(dtype: DType, poly: &Poly) -> u32 {
    (FixedState::default().hash_one((dtype, poly)) >> 32) as u32
}

/// A hash of all bits, of which the table uses the lowest and the highest.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
