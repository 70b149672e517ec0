//! The elements that accesses outside of all loops meet at sample values of variables: two that differ there are not always
//! the same. To see that takes much less than to ask whether they are.

use std::cell::RefCell;
use std::hash::{BuildHasher, Hash, Hasher};
use std::rc::Rc;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::accesses::{Access, Accesses, Fact};
use super::counterexample::sample;
use crate::ir::VarId;
use crate::ir::value::{Value, evaluate};

/// How many points are tried.
const POINTS: usize = 16;

/// By point, the hash of the indices; nothing where they cannot be evaluated.
type Elements = Rc<[Option<u64>; POINTS]>;

/// Elements by the positions of their accesses, as far as they were asked for.
#[derive(Default)]
pub(super) struct Samples(RefCell<HashMap<usize, Elements>>);

impl Samples {
    /// Whether a point is found at which facts hold, and an access meets an element that none of the others does.
    pub(super) fn is_apart(
        &self,
        accesses: &Accesses,
        own: usize,
        others: impl Iterator<Item = usize>,
        facts: &[Fact],
    ) -> bool {
        let mut open = *self.elements(accesses, own);
        for other in others {
            let elements = self.elements(accesses, other);
            let mut is_open = false;
            for (own, element) in open.iter_mut().zip(elements.iter()) {
                *own = own.filter(|own| element.is_some_and(|element| element != *own));
                is_open |= own.is_some();
            }
            if !is_open {
                return false;
            }
        }
        let holds = |point: usize| {
            let value = value_at(accesses, point);
            let holds =
                |(fact, truth): &Fact| evaluate(fact, &value).is_some_and(|v| (v != Value::Int(0)) == *truth);
            facts.iter().all(holds)
        };
        (0..POINTS).any(|point| open[point].is_some() && holds(point))
    }

    fn elements(&self, accesses: &Accesses, position: usize) -> Elements {
        let mut known = self.0.borrow_mut();
        let found = known.entry(position).or_insert_with(|| {
            let access = &accesses.list[position];
            Rc::new(std::array::from_fn(|point| {
                // The values of other variables are not known here.
                let is_plain = access.loops.is_empty() && access.locals.is_empty();
                is_plain.then(|| element(access, &value_at(accesses, point))).flatten()
            }))
        });
        Rc::clone(found)
    }
}

/// The hash of the indices of an access.
fn element(access: &Access, value: &impl Fn(VarId) -> Option<Value>) -> Option<u64> {
    let mut hasher = FixedState::default().build_hasher();
    for index in &access.indices {
        evaluate(index, value)?.as_int()?.hash(&mut hasher);
    }
    Some(hasher.finish())
}

/// The values of variables at a point.
fn value_at(accesses: &Accesses, point: usize) -> impl Fn(VarId) -> Option<Value> {
    move |var| {
        let range = *accesses.ranges.get(var.index())?;
        Some(Value::Int(sample(Some(range), var.index(), point as u64)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{BinOp, DType, Expr};

    #[test]
    fn only_what_differs_at_a_point_is_apart() {
        let text = "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), n: T.int32):\n    A[n // 3] = 1\n    A[(n + 1) // 3] = 2\n    \
                    A[(n + 3) // 3 - 1] = 3\n    for i in range(8):\n        A[i] = 4\n";
        let func = crate::parse(text).unwrap().funcs.remove(0);
        let accesses = Accesses::new(&func).unwrap();
        let samples = Samples::default();
        let is_apart =
            |others: &[usize], facts: &[Fact]| samples.is_apart(&accesses, 0, others.iter().copied(), facts);
        assert!(is_apart(&[1], &[]));
        // The same element, whatever `n` is.
        assert!(!is_apart(&[2], &[]) && !is_apart(&[1, 2], &[]));
        // Which element that is depends on the loop.
        assert!(!is_apart(&[3], &[]));
        let n = Expr::var(VarId(0), DType::I32);
        let never = Expr::binary(BinOp::Lt, n.clone(), n);
        assert!(!is_apart(&[1], &[(never.clone(), true)]) && is_apart(&[1], &[(never, false)]));
    }
}
