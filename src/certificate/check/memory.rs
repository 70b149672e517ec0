//! Buffers of two functions that are one, and the versions of their contents.

use hashbrown::HashMap;

use super::side::{Refused, Side};
use super::term::Term;
use crate::ir::{BufferId, Origin, PrimFunc};

/// A buffer of both functions.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) name: String,
    /// The buffer whose memory it is, which may be itself.
    pub(crate) root: usize,
    pub(crate) shape: Vec<Term>,
    /// Whether it is a parameter's or comes from a pointer.
    outside: bool,
    /// Whether it comes from a pointer: that may lead anywhere.
    pointer: bool,
    version: u32,
    /// Whether the second function has declared it too, and in which pair of blocks the first one did.
    paired: bool,
    block: Option<usize>,
    /// What the first function calls it.
    id: BufferId,
}

/// An element that the second program has stored and the first one has not yet, where a condition holds. Variables of loops that
/// are left are any values.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    pub(crate) buffer: usize,
    pub(crate) index: Vec<Term>,
    pub(crate) holds: Term,
}

/// All buffers.
#[derive(Default)]
pub(crate) struct Memories {
    pub(crate) all: Vec<Memory>,
    numbers: [HashMap<BufferId, usize>; 2],
    versions: u32,
    /// Whether memories from outside may be one.
    alias: bool,
}

impl Memories {
    pub(crate) fn new(a: &PrimFunc, b: &PrimFunc) -> Memories {
        Memories { alias: !a.no_alias() || !b.no_alias(), ..Memories::default() }
    }

    /// A buffer of the first function.
    pub(crate) fn declare(
        &mut self,
        func: &PrimFunc,
        id: BufferId,
        shape: Vec<Term>,
        block: Option<usize>,
    ) -> Result<usize, Refused> {
        let buffer = func.buffer(id);
        let number = self.all.len();
        let (outside, root) = match &buffer.origin {
            Origin::Param | Origin::Match(_) | Origin::Pointer(_) => (true, number),
            Origin::Alloc | Origin::Unbound => (false, number),
            Origin::View(of) | Origin::Region(of) => {
                let of = self.number(Side::First, *of)?;
                (self.all[of].outside, self.all[of].root)
            }
        };
        let pointer =
            matches!(buffer.origin, Origin::Pointer(_)) || self.all.get(root).is_some_and(|m| m.pointer);
        self.versions += 1;
        let (name, version) = (buffer.name.to_string(), self.versions);
        self.all.push(Memory { name, root, shape, outside, pointer, version, paired: false, block, id });
        self.numbers[0].insert(id, number);
        Ok(number)
    }

    /// The buffer of the first function that is this one of the second.
    pub(crate) fn pair(&mut self, number: usize, id: BufferId) -> Result<(), Refused> {
        if std::mem::replace(&mut self.all[number].paired, true) {
            return Err(format!("buffer `{}` twice", self.all[number].name));
        }
        self.numbers[1].insert(id, number);
        Ok(())
    }

    /// A buffer that the first function has declared in this pair of blocks, and the second one has not yet.
    pub(crate) fn unpaired(&self, name: &str, block: Option<usize>) -> Option<usize> {
        self.all.iter().position(|m| m.name == name && !m.paired && m.block == block)
    }

    /// What the first function calls a buffer.
    pub(crate) fn declared(&self, number: usize) -> BufferId {
        self.all[number].id
    }

    /// Whether equal indices name one element in both of these buffers of the first function, of elements of one type.
    pub(crate) fn same_elements(&self, func: &PrimFunc, a: usize, b: usize) -> bool {
        let dtype = func.buffer(self.all[a].id).dtype;
        let shapes = self.all[a].shape == self.all[b].shape
            || self.all[a].shape.len() == 1 && self.all[b].shape.len() == 1;
        // Views of all of one memory, from its beginning on.
        let is_whole = |number: usize| {
            let (mut id, root) = (self.all[number].id, self.all[self.all[number].root].id);
            loop {
                let buffer = func.buffer(id);
                if !buffer.strides.is_empty() || buffer.elem_offset.is_some() || buffer.dtype != dtype {
                    return false;
                }
                match buffer.origin {
                    _ if id == root => return true,
                    Origin::View(of) => id = of,
                    _ => return false,
                }
            }
        };
        a == b || self.all[a].root == self.all[b].root && shapes && is_whole(a) && is_whole(b)
    }

    pub(crate) fn number(&self, side: Side, id: BufferId) -> Result<usize, Refused> {
        let found = self.numbers[side as usize].get(&id).copied();
        found.ok_or_else(|| {
            "a buffer that is not declared where it is used, or not in both programs".to_owned()
        })
    }

    /// The version of what a buffer holds.
    pub(crate) fn version(&self, number: usize) -> u32 {
        self.all[self.all[number].root].version
    }

    /// Memories that a store to this buffer may change.
    pub(crate) fn changed_with(&self, number: usize) -> Vec<usize> {
        let root = self.all[number].root;
        let (outside, pointer) = (self.all[root].outside, self.all[root].pointer);
        let may = |other: &Memory| pointer || other.pointer || (self.alias && outside && other.outside);
        (0..self.all.len()).filter(|&n| self.all[n].root == n && (n == root || may(&self.all[n]))).collect()
    }

    /// Whether a store to one of these buffers may change the other one.
    pub(crate) fn may_share(&self, a: usize, b: usize) -> bool {
        self.changed_with(a).contains(&self.all[b].root)
    }

    /// These memories may hold anything else from now on.
    pub(crate) fn forget(&mut self, roots: impl IntoIterator<Item = usize>) {
        for root in roots {
            self.versions += 1;
            self.all[root].version = self.versions;
        }
    }

    /// All memories.
    pub(crate) fn roots(&self) -> Vec<usize> {
        (0..self.all.len()).collect()
    }
}
