//! What differs between two runs: what they returned, called and left in memory.

use super::inputs::Bindings;
use super::interpreter::Run;
use super::layout::{Correspondence, Layout, indices_of, register};
use super::memory::Repr;
use super::outcome::{Outcome, Return};
use super::outputs::close;
use crate::interp::Tensor;
use crate::ir::opclass::OpClass;
use crate::ir::value::Value;

/// For each memory, where its elements are in the second program, if that is not where they are in the first.
pub(super) struct Placed<'a> {
    pub layouts: Vec<Option<(&'a Layout, Correspondence)>>,
    pub bindings: &'a Bindings,
}

/// What differs between two runs on the same inputs, of which the first is done.
/// `placed` has the correspondence of elements for memories that have another layout in the second run.
pub(super) fn compare_runs(a: &Run, b: &Run, placed: &Placed<'_>, tolerance: Option<f64>) -> Option<String> {
    match (&a.outcome, &b.outcome) {
        (_, Outcome::Trap(trap)) => return Some(format!("the second function stops: {trap}")),
        (Outcome::Done(x), Outcome::Done(y)) if !same_return(*x, *y, tolerance) => {
            return Some(format!("returned: {}, {}", return_text(*x), return_text(*y)));
        }
        (Outcome::Done(_) | Outcome::Trap(_), Outcome::Done(_)) => {}
    }
    if a.calls != b.calls {
        let pairs = a.calls.records.iter().zip(&b.calls.records).enumerate();
        let first = pairs.into_iter().find(|(_, (x, y))| x != y);
        return Some(match first {
            Some((k, (x, y))) => format!("opaque call {k}: {x}, {y}"),
            None => format!("{} opaque calls, {}", a.calls.count, b.calls.count),
        });
    }
    (0..a.memories.len().min(b.memories.len())).find_map(|k| compare_memory(k, a, b, placed, tolerance))
}

/// What differs in a memory. What may be anything in the first run is compared with nothing.
fn compare_memory(
    memory: usize,
    a: &Run,
    b: &Run,
    placed: &Placed<'_>,
    tolerance: Option<f64>,
) -> Option<String> {
    let (x, y) = (&a.memories[memory], &b.memories[memory]);
    let layout = placed.layouts.get(memory).and_then(Option::as_ref);
    let (size, lanes) = (Repr::of(x.dtype).size(), usize::from(x.dtype.lanes));
    let undef = |run: &Run, lane: usize| run.undef[memory].contains(&(lane * size));
    let count = if layout.is_some() { x.lanes() } else { x.lanes().max(y.lanes()) };
    for k in 0..count {
        let l = match layout {
            Some((_, found)) => found.place_of.get(k / lanes)? * lanes + k % lanes,
            None => k,
        };
        if undef(a, k) {
            continue;
        }
        if undef(b, l) {
            return Some(format!("{}: {}, a value that may be anything", element_text(x, k), x.lane_text(k)));
        }
        if x.lane_differs(k, y, l, tolerance) {
            return Some(format!("{}: {}, {}", element_text(x, k), x.lane_text(k), y.lane_text(l)));
        }
    }
    let (layout, found) = layout?;
    found.padding.iter().find_map(|&place| {
        let wanted = layout.padding_at(place, y, placed.bindings)?;
        let is = Repr::of(y.dtype).load(&y.data, place * size);
        if !undef(b, place) && is == Some(register(wanted)) {
            return None;
        }
        let text =
            if undef(b, place) { "a value that may be anything".to_owned() } else { y.lane_text(place) };
        let wanted = wanted.to_expr(y.dtype);
        let wanted = wanted.as_int().map_or_else(|| "what the layout says".to_owned(), |v| v.to_string());
        Some(format!(
            "the padding {} in the second program: {text} instead of {wanted}",
            element_text(y, place)
        ))
    })
}

/// Loads of the second run if the first made none.
pub(super) fn new_loads(a: &Run, b: &Run) -> Option<String> {
    let (x, y) = (a.counts.get(OpClass::Load), b.counts.get(OpClass::Load));
    (x == 0 && y > 0).then(|| format!("{y} loads instead of none"))
}

/// What the second run loads of its inputs, did not write before, and the first run does not access, if that was noted. Where
/// buffers have another layout elements are not compared.
pub(super) fn loads_beyond(a: &Run, b: &Run, placed: &Placed<'_>) -> Option<String> {
    if placed.layouts.iter().any(Option::is_some) {
        return None;
    }
    let (memory, byte) = b.touched.as_ref()?.beyond(a.touched.as_ref()?)?;
    let tensor = &b.memories[memory];
    let element = element_text(tensor, byte / Repr::of(tensor.dtype).size());
    Some(format!("{element} is loaded, which the first program does not access"))
}

fn same_return(a: Return, b: Return, tolerance: Option<f64>) -> bool {
    match (a, b, tolerance) {
        (Return::Value(Value::Float(a)), Return::Value(Value::Float(b)), Some(tolerance)) => {
            close(a, b, tolerance)
        }
        _ => a == b,
    }
}

fn return_text(value: Return) -> String {
    match value {
        Return::Void => "nothing".to_owned(),
        Return::Value(Value::Int(v)) => v.to_string(),
        Return::Value(Value::Float(v)) => format!("{v:?}"),
    }
}

/// `A[1, 2]` for the lane with this number in a compact buffer.
fn element_text(tensor: &Tensor, lane: usize) -> String {
    let indices = indices_of(lane as i64 / i64::from(tensor.dtype.lanes), &tensor.shape);
    let indices: Vec<String> = indices.iter().map(i64::to_string).collect();
    format!("{}[{}]", tensor.name, indices.join(", "))
}
