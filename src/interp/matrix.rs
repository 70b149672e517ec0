//! Operations on matrices in memory.

use super::machine::Machine;
use super::memory::pointee;
use super::outcome::TrapKind;
use super::program::{MatrixPlan, MatrixSlots, PlaceSlot};
use super::thread::Thread;
use super::undef::known;
use crate::ir::value::{self, Value};
use crate::ir::{BinOp, DType};

/// An element of a matrix.
#[derive(Clone, Copy)]
struct Element {
    /// As in a register.
    bits: u64,
    /// Whether it may be anything.
    undef: bool,
}

impl Machine<'_> {
    /// Does one operation. All that it reads is read before anything is written.
    pub(super) fn matrix(&mut self, t: &Thread, plan: &MatrixPlan) -> Result<(), TrapKind> {
        match plan {
            MatrixPlan::Fill { to, value } => {
                let element = Element { bits: t.regs[*value as usize], undef: t.is_undef(*value) };
                let all = vec![element; (to.rows * to.cols) as usize];
                self.write_matrix(t, to, &all)
            }
            MatrixPlan::Copy { to, from } => {
                let elements = self.read_matrix(t, from)?;
                self.write_matrix(t, to, &elements)
            }
            MatrixPlan::MultiplyAdd { d, a, b, c } => {
                let (left, right) = (self.read_matrix(t, a)?, self.read_matrix(t, b)?);
                let mut sums = self.read_matrix(t, c)?;
                self.step((d.rows * d.cols * a.cols) as u64)?;
                let (cols, folded) = (d.cols as usize, a.cols as usize);
                for (place, sum) in sums.iter_mut().enumerate() {
                    for k in 0..folded {
                        let factors = (left[place / cols * folded + k], right[k * cols + place % cols]);
                        *sum = multiply_add(factors, a.repr.dtype, *sum, d.repr.dtype)?;
                    }
                }
                self.write_matrix(t, d, &sums)
            }
        }
    }

    /// The elements of a matrix, row by row.
    fn read_matrix(&mut self, t: &Thread, matrix: &MatrixSlots) -> Result<Vec<Element>, TrapKind> {
        let lenient = self.mode.lenient_loads;
        let places = self.places(t, matrix)?;
        let mut elements = Vec::with_capacity(places.len());
        for (memory, byte) in places {
            if let Some(races) = &mut self.races
                && races.reads(memory, byte)
            {
                return Err(TrapKind::Race(matrix.name.clone()));
            }
            let bits = match matrix.repr.load(&self.memories[memory as usize].bytes, byte) {
                Some(bits) => bits,
                None if lenient => matrix.repr.fresh(),
                None => return Err(TrapKind::OutsideMemory(matrix.name.clone())),
            };
            let undef = self.undef.as_ref().is_some_and(|bytes| bytes.contains(&(memory, byte)));
            elements.push(Element { bits, undef });
        }
        Ok(elements)
    }

    fn write_matrix(
        &mut self,
        t: &Thread,
        matrix: &MatrixSlots,
        elements: &[Element],
    ) -> Result<(), TrapKind> {
        for ((memory, byte), element) in self.places(t, matrix)?.into_iter().zip(elements) {
            if element.undef && self.mode.undef_stays {
                continue;
            }
            self.store_lane((memory, byte), matrix.repr, element.bits)
                .map_err(|trap| trap(matrix.name.clone()))?;
            self.mark_bytes(memory, byte..byte + matrix.repr.size(), element.undef);
        }
        Ok(())
    }

    /// The memory and byte of each element, row by row.
    fn places(&mut self, t: &Thread, matrix: &MatrixSlots) -> Result<Vec<(u32, usize)>, TrapKind> {
        let MatrixSlots { name, pointer, place, rows, cols, repr } = matrix;
        let size = (rows * cols) as u64;
        self.step(size)?;
        let Some((memory, start)) =
            pointee(t.regs[*pointer as usize]).filter(|(memory, _)| (*memory as usize) < self.memories.len())
        else {
            return Err(TrapKind::OutsideMemory(name.clone()));
        };
        let number = t.int(place.slot());
        let (first, row, col) = match place {
            PlaceSlot::Fragment { are_rows: true, .. } => (number.checked_mul(rows * cols), *cols, 1),
            PlaceSlot::Fragment { are_rows: false, .. } => (number.checked_mul(rows * cols), 1, *rows),
            PlaceSlot::Lines { are_rows: true, .. } => (Some(0), number, 1),
            PlaceSlot::Lines { are_rows: false, .. } => (Some(0), 1, number),
        };
        let place = |i: i64, j: i64| {
            let element = first?.checked_add(i.checked_mul(row)?)?.checked_add(j.checked_mul(col)?)?;
            let byte = start.checked_add(element.checked_mul(repr.size() as i64)?)?;
            Some((memory, usize::try_from(byte).ok()?))
        };
        let places: Option<Vec<(u32, usize)>> =
            (0..*rows).flat_map(|i| (0..*cols).map(move |j| (i, j))).map(|(i, j)| place(i, j)).collect();
        places.ok_or_else(|| TrapKind::OutsideMemory(name.clone()))
    }

    /// Ends the run if where matrices lie depends on values that may be anything.
    pub(super) fn known_places(&self, t: &Thread, op: u32) -> Result<(), TrapKind> {
        let matrices = match &self.program.matrix_ops[op as usize] {
            MatrixPlan::Fill { to, .. } => vec![to],
            MatrixPlan::Copy { to, from } => vec![to, from],
            MatrixPlan::MultiplyAdd { d, a, b, c } => vec![d, a, b, c],
        };
        matrices.into_iter().try_for_each(|matrix| known(t, matrix.place.slot()))
    }
}

/// A sum and a product, of factors of a type that are cast to that of the sum.
fn multiply_add(
    (a, b): (Element, Element),
    from: DType,
    sum: Element,
    to: DType,
) -> Result<Element, TrapKind> {
    let product = value::binary(BinOp::Mul, to, factor(a, from, to)?, factor(b, from, to)?)?;
    let bits = match value::binary(BinOp::Add, to, of_register(sum.bits, to), product)? {
        Value::Int(v) => v as u64,
        Value::Float(v) => v.to_bits(),
    };
    Ok(Element { bits, undef: a.undef || b.undef || sum.undef })
}

fn factor(element: Element, from: DType, to: DType) -> Result<Value, TrapKind> {
    Ok(value::cast(from, to, of_register(element.bits, from))?)
}

fn of_register(bits: u64, dtype: DType) -> Value {
    if dtype.is_float() { Value::Float(f64::from_bits(bits)) } else { Value::Int(bits as i64) }
}
