//! Values of terms at sample points: terms that differ there are not equal. Those that do not are worth a proof.

use std::hash::{Hash, Hasher};

use hashbrown::HashMap;

use super::stored::Size;
use super::term::{Node, Term, Terms};
use crate::ir::value::{self, Value};
use crate::ir::{DType, Expr, ExprKind, VarId};

/// How many points there are.
const POINTS: usize = 3;

/// Integers are less, but for variables.
const SIZE: i64 = 23;

/// What a term is at all points.
type Sampled = [Value; POINTS];

/// Values of the terms of one frame.
pub(crate) struct Samples<'a> {
    terms: &'a Terms,
    /// For each axis which of the sample's axes it is: the frame with its axes exchanged.
    places: Vec<u32>,
    /// The sizes of the sample's axes.
    sizes: &'a [Size],
    /// Whether numbers that differ in their last bits count as equal.
    rounds: bool,
    known: HashMap<Term, Sampled>,
}

impl<'a> Samples<'a> {
    /// Of a frame in which axis `k` has the values of axis `places[k]` of these sizes.
    pub(crate) fn new(terms: &'a Terms, places: Vec<u32>, sizes: &'a [Size], rounds: bool) -> Samples<'a> {
        Samples { terms, places, sizes, rounds, known: HashMap::new() }
    }

    /// A number that is the same for terms that are equal.
    pub(crate) fn fingerprint(&mut self, term: Term) -> u64 {
        let dtype = self.terms.dtype(term);
        let mut hasher = std::hash::DefaultHasher::new();
        dtype.hash(&mut hasher);
        for value in self.values(term) {
            bits(value, self.rounds).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// The values of a term, whose operands are looked at first.
    fn values(&mut self, root: Term) -> Sampled {
        let mut open = vec![root];
        while let Some(&term) = open.last() {
            if self.known.contains_key(&term) {
                open.pop();
                continue;
            }
            let before = open.len();
            let children = self.terms.children(term);
            open.extend(children.iter().filter(|child| !self.known.contains_key(*child)));
            if open.len() == before {
                open.pop();
                let values = std::array::from_fn(|point| self.value(term, point));
                self.known.insert(term, values);
            }
        }
        self.known[&root]
    }

    /// The value at one point, if those of the operands are known.
    fn value(&self, term: Term, point: usize) -> Value {
        let operands: Vec<Value> =
            self.terms.children(term).iter().map(|child| self.known[child][point]).collect();
        match self.terms.node(term) {
            Node::Axis(axis, dtype) => {
                let axis = self.places.get(*axis as usize).copied().unwrap_or(*axis);
                let extent = self.sizes.get(axis as usize).and_then(|size| size.extent.as_int());
                match drawn(*dtype, ("axis", axis), &[], point) {
                    Value::Int(number) => Value::Int(number % extent.unwrap_or(SIZE).max(1)),
                    other => other,
                }
            }
            Node::Stored(number, dtype, _) => drawn(*dtype, ("stored", *number), &operands, point),
            Node::Form(head, _) => match &head.kind {
                ExprKind::Load { buffer, .. } => drawn(head.dtype, ("buffer", buffer.0), &operands, point),
                // It may be a size: axes are less.
                ExprKind::Var(var) => match drawn(head.dtype, ("variable", var.0), &[], point) {
                    Value::Int(number) if !head.dtype.is_bool() => Value::Int(SIZE + number),
                    other => other,
                },
                _ => self.computed(term, head, &operands).unwrap_or_else(|| {
                    let mut hasher = std::hash::DefaultHasher::new();
                    head.hash(&mut hasher);
                    drawn(head.dtype, ("form", hasher.finish() as u32), &operands, point)
                }),
            },
        }
    }

    /// What an operation makes of its operands; `None` where it is undefined.
    fn computed(&self, term: Term, head: &Expr, operands: &[Value]) -> Option<Value> {
        let mut e = head.clone();
        let mut at = 0;
        e.for_each_child_mut(|child| {
            let dtype = self.terms.dtype(self.terms.children(term)[at as usize]);
            *child = Expr::var(VarId(at), dtype);
            at += 1;
        });
        value::evaluate(&e, &|var| operands.get(var.index()).copied())
    }
}

/// A value of a type that depends on what it is of: small, as indices are, and with few bits, so that sums of floats are exact.
fn drawn(dtype: DType, of: (&str, u32), operands: &[Value], point: usize) -> Value {
    let mut hasher = std::hash::DefaultHasher::new();
    (of, point).hash(&mut hasher);
    operands.iter().for_each(|&operand| bits(operand, false).hash(&mut hasher));
    let number = (hasher.finish() >> 8) as i64 & 0xff;
    if dtype.is_float() {
        Value::Float((number - 127) as f64 / 16.0)
    } else if dtype.is_bool() {
        Value::bool(number % 2 == 1)
    } else {
        Value::Int(number % SIZE)
    }
}

/// The bits of a value. All NaNs are one.
fn bits(value: Value, rounds: bool) -> u64 {
    match value {
        Value::Int(number) => number as u64,
        Value::Float(number) if number.is_nan() => u64::MAX,
        Value::Float(number) if rounds => {
            // Four digits: what real numbers give differs from what floats give far behind these.
            let text = format!("{number:.3e}");
            let mut hasher = std::hash::DefaultHasher::new();
            (if number == 0.0 { "0" } else { &*text }).hash(&mut hasher);
            hasher.finish()
        }
        Value::Float(number) => number.to_bits(),
    }
}
