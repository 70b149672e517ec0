//! Accesses by memory and by buffer, in the order of the text: what may meet an element at a place is found without a look at
//! all accesses.
//!
//! Accesses of the function itself come first, and the place of each is its position; those that a change adds come after
//! them, and may have any place.

use std::cmp::Reverse;
use std::ops::Range;

use hashbrown::HashMap;

use super::alias::Region;
use crate::ir::BufferId;

/// The place and the position of an access.
type Placed = (u32, usize);

/// Positions of accesses.
#[derive(Clone, Debug, Default)]
pub(super) struct ByMemory {
    /// By region, in order; all of them, and the loads.
    regions: HashMap<Region, Vec<usize>>,
    loads: HashMap<Region, Vec<usize>>,
    /// By buffer, the place and the position of all accesses but loads, by place; of those at one place the last added first.
    definitions: HashMap<BufferId, Vec<Placed>>,
    /// By number of the loop, the places of the accesses in it: of loops that are in no other one.
    outermost: HashMap<usize, Range<u32>>,
    /// How many accesses there are, and how many of them the function itself makes.
    len: usize,
    own: usize,
}

/// What the index has to know of an access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) region: Region,
    pub(super) buffer: BufferId,
    /// Its place in the order of the text.
    pub(super) order: u32,
    /// Whether it is no load.
    pub(super) defines: bool,
    /// The loop around it that is in no other one.
    pub(super) outermost: Option<usize>,
}

impl ByMemory {
    /// Adds the next access of the function itself.
    pub(super) fn push(&mut self, entry: Entry) {
        debug_assert_eq!(entry.order as usize, self.len, "the place of an access is its position");
        if let Some(l) = entry.outermost {
            let first = entry.order..entry.order;
            let places = self.outermost.entry(l).or_insert(first);
            places.end = entry.order + 1;
        }
        self.add(entry);
        self.own = self.len;
    }

    /// Adds an access that a change makes.
    pub(super) fn add(&mut self, entry: Entry) {
        self.regions.entry(entry.region).or_default().push(self.len);
        if !entry.defines {
            self.loads.entry(entry.region).or_default().push(self.len);
        }
        if entry.defines {
            let list = self.definitions.entry(entry.buffer).or_default();
            let new = (entry.order, self.len);
            let at = list
                .partition_point(|&(order, position)| (order, Reverse(position)) < (new.0, Reverse(new.1)));
            list.insert(at, new);
        }
        self.len += 1;
    }

    /// Takes the last access away, which was added.
    pub(super) fn pop(&mut self, entry: Entry) {
        self.len -= 1;
        if let Some(list) = self.regions.get_mut(&entry.region) {
            list.pop();
        }
        if let Some(list) = self.loads.get_mut(&entry.region)
            && !entry.defines
        {
            list.pop();
        }
        if let Some(list) = self.definitions.get_mut(&entry.buffer)
            && entry.defines
        {
            let gone = (entry.order, self.len);
            list.retain(|own| *own != gone);
        }
    }

    /// The accesses of memory that may be that of the region; of those of the function itself only the ones at these places.
    pub(super) fn sharing(&self, region: Region, places: Range<u32>) -> impl Iterator<Item = usize> {
        self.within(&self.regions, region, places)
    }

    /// Those of them that are loads; of a region that may be any part, all of them.
    pub(super) fn loads(&self, region: Region, places: Range<u32>) -> impl Iterator<Item = usize> {
        self.within(&self.loads, region, places)
    }

    fn within(
        &self,
        lists: &HashMap<Region, Vec<usize>>,
        region: Region,
        places: Range<u32>,
    ) -> impl Iterator<Item = usize> {
        let of = |region| self.of(lists, region, &places);
        let (known, all) = match region {
            Region::Known(_) => ([of(region), of(Region::Unknown)], [0..0, 0..0]),
            Region::Unknown => {
                let end = self.own.min(places.end as usize);
                let own = end.min(places.start as usize)..end;
                ([[&[][..]; 2]; 2], [own, self.own..self.len])
            }
        };
        let known = known.into_iter().flatten().flatten().copied();
        all.into_iter().flatten().chain(known)
    }

    /// Those of one region: of the function itself at these places, and added ones.
    fn of<'l>(
        &self,
        lists: &'l HashMap<Region, Vec<usize>>,
        region: Region,
        places: &Range<u32>,
    ) -> [&'l [usize]; 2] {
        let Some(list) = lists.get(&region) else { return [&[], &[]] };
        let (own, added) = list.split_at(list.partition_point(|&at| at < self.own));
        let end = own.partition_point(|&at| at < places.end as usize);
        let start = own[..end].partition_point(|&at| at < places.start as usize);
        [&own[start..end], added]
    }

    /// What is no load of a buffer and stands before a place, the nearest first; of those at one place the first added first.
    pub(super) fn before(&self, buffer: BufferId, place: u32) -> impl DoubleEndedIterator<Item = usize> {
        self.split(buffer, place).0.iter().rev().map(|&(_, position)| position)
    }

    /// What is no load of a buffer and stands at a place or after it, the last first.
    pub(super) fn from(&self, buffer: BufferId, place: u32) -> impl DoubleEndedIterator<Item = usize> {
        self.split(buffer, place).1.iter().rev().map(|&(_, position)| position)
    }

    fn split(&self, buffer: BufferId, place: u32) -> (&[Placed], &[Placed]) {
        let list = self.definitions.get(&buffer).map_or(&[][..], |list| &list[..]);
        list.split_at(list.partition_point(|&(order, _)| order < place))
    }

    /// The places between which accesses share a loop with one at `place` in these loops.
    pub(super) fn around(&self, place: u32, loops: &[usize]) -> Range<u32> {
        let alone = place..place + 1;
        loops.first().and_then(|l| self.outermost.get(l)).cloned().unwrap_or(alone)
    }
}
