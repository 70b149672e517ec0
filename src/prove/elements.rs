//! Where an element is in its memory, and whether it is there at all.

use super::place::{Goal, Premise, Within};
use super::term::Term;
use super::value::{Machine, Side, Unsupported};
use crate::ir::{BufferId, Expr, Origin};

impl Machine<'_> {
    /// An expression of a description, such as a shape: it is not evaluated there.
    pub(super) fn described(&mut self, side: Side, e: &Expr) -> Result<Term, Unsupported> {
        self.quietly(|machine| machine.value(side, e))
    }

    /// An element is accessed: the first program shows that it is there, the second one owes that. `place` is where it is in
    /// its memory. What is stored is stored by the first program too, so only the views may differ.
    pub(super) fn accessed(
        &mut self,
        side: Side,
        buffer: BufferId,
        index: &[Term],
        place: &[Term],
        loads: bool,
    ) -> Result<(), Unsupported> {
        let func = self.programs[side as usize].func;
        let root = self.buffers.root(side, buffer)?;
        let mut view = index.to_vec();
        let mut conditions = Vec::new();
        for (i, extent) in index.iter().zip(&func.buffer(buffer).shape) {
            let extent = self.described(side, extent)?;
            let (low, high) = (self.terms.not_negative(*i), self.terms.less(*i, extent));
            conditions.extend([low, high]);
            view.push(extent);
        }
        let within = self.terms.and(&conditions);
        let is_view = self.buffers.flat[root];
        let (memory, place) = (Within::Memory(root), place.to_vec());
        match side {
            Side::First => {
                self.book.know(Premise::Element { of: memory, index: place });
                self.book.know(Premise::Holds(within));
                if is_view {
                    self.book.know(Premise::Element { of: Within::View(root), index: view });
                }
            }
            Side::Second => {
                if loads {
                    // The shape of a view that only the second program has says nothing of memory.
                    let there = if self.has_view(buffer)? { within } else { self.terms.truth(false) };
                    self.owe_element("an element that is loaded is there", memory, place, there);
                }
                if is_view {
                    self.owe_element("an element is one of its view", Within::View(root), view, within);
                }
            }
        }
        Ok(())
    }

    fn owe_element(&mut self, what: &'static str, of: Within, index: Vec<Term>, there: Term) {
        if self.terms.as_truth(there) != Some(true) {
            self.book.owe(what, Goal::Element { of, index, there });
        }
    }

    /// Whether a buffer of the second program has memory of its own, or is a view that the first program has too: the shape
    /// of another view says nothing of its memory.
    fn has_view(&mut self, buffer: BufferId) -> Result<bool, Unsupported> {
        let func = self.programs[Side::Second as usize].func;
        let table = func.buffer(buffer);
        if !matches!(table.origin, Origin::View(_) | Origin::Region(_) | Origin::Pointer(_)) {
            return Ok(true);
        }
        let root = self.buffers.root(Side::Second, buffer)?;
        let other = self.programs[Side::First as usize].func;
        for (i, candidate) in other.buffers.iter().enumerate() {
            let id = BufferId(i as u32);
            let alike = (&candidate.name, candidate.dtype, candidate.shape.len())
                == (&table.name, table.dtype, table.shape.len());
            if !alike || self.buffers.root(Side::First, id) != Ok(root) {
                continue;
            }
            let mut same = true;
            for (x, y) in candidate.shape.iter().zip(&table.shape) {
                let (Ok(x), Ok(y)) = (self.described(Side::First, x), self.described(Side::Second, y)) else {
                    return Ok(false);
                };
                same &= x == y;
            }
            if same {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Where an element is in its memory.
    pub(super) fn place_in_memory(
        &mut self,
        side: Side,
        buffer: BufferId,
        mut index: Vec<Term>,
    ) -> Result<Vec<Term>, Unsupported> {
        let func = self.programs[side as usize].func;
        let table = func.buffer(buffer);
        // The lanes of an element that is a vector are its innermost dimension.
        let lanes = (table.dtype.lanes > 1).then(|| i128::from(table.dtype.lanes));
        if lanes.is_some() && index.iter().any(|&i| self.terms.lane_of(i).is_some()) {
            return Err("several elements at once of a buffer of vectors".into());
        }
        if lanes.is_some() && !(table.strides.is_empty() && table.elem_offset.is_none()) {
            return Err("strides or an offset of a buffer of vectors".into());
        }
        if index.len() != table.shape.len() {
            return Err("an element with another number of indices than its buffer".into());
        }
        if let Origin::Region(of) = table.origin {
            let first = self.programs[side as usize].regions.get(&buffer).cloned();
            let first = first.filter(|first| first.len() == index.len()).ok_or("a region of another rank")?;
            for (i, first) in index.iter_mut().zip(first) {
                *i = self.terms.add(*i, first);
            }
            return self.place_in_memory(side, of, index);
        }
        if !self.buffers.flat[self.buffers.root(side, buffer)?] {
            if lanes.is_some() {
                index.push(self.terms.lane(table.dtype.lanes));
            }
            return Ok(index);
        }
        let mut place = match &table.elem_offset {
            Some(offset) => self.described(side, offset)?,
            None => self.terms.int(0),
        };
        if table.strides.is_empty() {
            let mut linear = self.terms.int(0);
            for (i, extent) in index.into_iter().zip(&table.shape) {
                let extent = self.described(side, extent)?;
                let scaled = self.terms.mul(linear, extent);
                linear = self.terms.add(scaled, i);
            }
            place = self.terms.add(place, linear);
        } else {
            for (i, stride) in index.into_iter().zip(&table.strides) {
                let stride = self.described(side, stride)?;
                let scaled = self.terms.mul(i, stride);
                place = self.terms.add(place, scaled);
            }
        }
        if let Some(lanes) = lanes {
            let (lanes, lane) = (self.terms.int(lanes), self.terms.lane(table.dtype.lanes));
            let first = self.terms.mul(place, lanes);
            place = self.terms.add(first, lane);
        }
        Ok(vec![place])
    }
}
