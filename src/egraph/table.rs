//! The facts of all classes by the number of the class.
//!
//! egg finds a class by hash. Facts are asked for more often than anything else of a class, and in graphs of millions of
//! classes each look into a hash table waits for memory. So egg keeps with a class only where its facts are ([`Held`]).

use std::ops::Index;

use egg::Id;

use super::facts::Facts;

/// What egg keeps with a class: that its facts stand at the class's number, or that they were just made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held(u32);

impl Held {
    /// The facts were made anew, to be merged with those of a class: [`FactsTable::take`] has them.
    const REMADE: Held = Held(u32::MAX);

    /// Those of a class.
    pub(super) fn of(id: Id) -> Held {
        Held(u32::try_from(usize::from(id)).expect("egg's numbers have 32 bits"))
    }
}

/// How many facts stand together: when there are more, none of them move.
const CHUNK: usize = 1 << 12;

/// Facts by the number of their class. Of a class that was united with another, what is there means nothing.
#[derive(Default)]
pub(crate) struct FactsTable {
    chunks: Vec<Vec<Facts>>,
    remade: Option<Facts>,
}

impl FactsTable {
    /// Adds the facts of a new class.
    pub(super) fn push(&mut self, id: Id, facts: Facts) -> Held {
        let index = usize::from(id);
        if index / CHUNK == self.chunks.len() {
            // Most graphs are small.
            self.chunks.push(if index == 0 { Vec::new() } else { Vec::with_capacity(CHUNK) });
        }
        let chunk = &mut self.chunks[index / CHUNK];
        debug_assert_eq!(chunk.len(), index % CHUNK, "classes are numbered as they are made");
        chunk.push(facts);
        Held::of(id)
    }

    /// Keeps facts that are to be merged with those of a class next.
    pub(super) fn remake(&mut self, facts: Facts) -> Held {
        self.remade = Some(facts);
        Held::REMADE
    }

    /// The facts of a class.
    pub(super) fn get_mut(&mut self, id: Id) -> &mut Facts {
        let index = usize::from(id);
        &mut self.chunks[index / CHUNK][index % CHUNK]
    }

    /// The facts that are held.
    pub(super) fn held(&mut self, held: Held) -> &mut Facts {
        self.get_mut(Id::from(held.0 as usize))
    }

    /// The facts that are held, which nothing asks for again.
    pub(super) fn take(&mut self, held: Held) -> Facts {
        match self.remade.take_if(|_| held == Held::REMADE) {
            Some(facts) => facts,
            None => {
                let facts = self.held(held);
                Facts { poly: facts.poly.take(), ..*facts }
            }
        }
    }
}

impl Index<Id> for FactsTable {
    type Output = Facts;

    fn index(&self, id: Id) -> &Facts {
        let index = usize::from(id);
        &self.chunks[index / CHUNK][index % CHUNK]
    }
}
