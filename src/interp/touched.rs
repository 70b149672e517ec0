//! Which elements of its inputs a function loads and stores: what one program may read, another one that does the same may read,
//! and nothing else.

use super::memory::Memory;

const ACCESSED: u8 = 1;
const WRITTEN: u8 = 2;
const EXPOSED: u8 = 4;

/// What a run did with each byte of its inputs at which an element begins.
#[derive(Clone, Debug)]
pub(super) struct Touched(Vec<Vec<u8>>);

impl Touched {
    /// Nothing was done with these yet.
    pub(super) fn new(inputs: &[Memory]) -> Touched {
        Touched(inputs.iter().map(|memory| vec![0; memory.bytes.len()]).collect())
    }

    fn at(&mut self, (memory, byte): (u32, usize)) -> Option<&mut u8> {
        self.0.get_mut(memory as usize)?.get_mut(byte)
    }

    /// Notes a load.
    pub(super) fn loads(&mut self, place: (u32, usize)) {
        if let Some(state) = self.at(place) {
            *state |= ACCESSED | if *state & WRITTEN == 0 { EXPOSED } else { 0 };
        }
    }

    /// Notes a store.
    pub(super) fn writes(&mut self, place: (u32, usize)) {
        if let Some(state) = self.at(place) {
            *state |= ACCESSED | WRITTEN;
        }
    }

    /// The first byte of an input at which this run loads what it did not write before, and the other run does nothing.
    pub(super) fn beyond(&self, other: &Touched) -> Option<(usize, usize)> {
        self.0.iter().zip(&other.0).enumerate().find_map(|(memory, (own, others))| {
            let mut both = own.iter().zip(others);
            let byte = both.position(|(own, other)| own & EXPOSED != 0 && other & ACCESSED == 0)?;
            Some((memory, byte))
        })
    }
}
