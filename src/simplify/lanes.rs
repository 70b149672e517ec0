//! The values of an expression at many points at once.

use std::rc::Rc;

/// How many points there are.
pub(super) const LANES: usize = 128;

const WORDS: usize = LANES / 64;

/// A set of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Points([u64; WORDS]);

impl Points {
    /// Every point.
    pub(super) const ALL: Points = Points([u64::MAX; WORDS]);

    /// The points at which `holds`.
    pub(super) fn of(holds: impl Fn(usize) -> bool) -> Points {
        Points(std::array::from_fn(|word| {
            (0..64).fold(0, |bits, bit| bits | u64::from(holds(word * 64 + bit)) << bit)
        }))
    }

    /// Whether a point is in the set.
    pub(super) const fn has(self, lane: usize) -> bool {
        self.0[lane / 64] >> (lane % 64) & 1 == 1
    }

    /// The points in both sets.
    pub(super) fn and(self, other: Points) -> Points {
        Points(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// The points in either set.
    fn or(self, other: Points) -> Points {
        Points(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// Whether there is any point.
    pub(super) fn any(self) -> bool {
        self.0 != [0; WORDS]
    }

    /// The number of points.
    pub(super) fn len(self) -> usize {
        self.0.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// The points in order.
    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        (0..LANES).filter(move |&lane| self.has(lane))
    }
}

/// A value at each point of a set.
#[derive(Debug)]
pub(super) struct Lanes {
    values: Box<[i64]>,
    known: Points,
}

impl Lanes {
    /// No value at any point.
    pub(super) fn none() -> Rc<Lanes> {
        thread_local! {
            static NONE: Rc<Lanes> = Lanes::fill(|_| None);
        }
        NONE.with(Rc::clone)
    }

    /// One value at all points.
    pub(super) fn splat(value: i64) -> Rc<Lanes> {
        Rc::new(Lanes { values: vec![value; LANES].into(), known: Points::ALL })
    }

    /// The value that `value` gives to each point.
    pub(super) fn fill(value: impl Fn(usize) -> Option<i64>) -> Rc<Lanes> {
        let mut values = vec![0; LANES].into_boxed_slice();
        let mut known = [0; WORDS];
        for (lane, own) in values.iter_mut().enumerate() {
            if let Some(value) = value(lane) {
                *own = value;
                known[lane / 64] |= 1 << (lane % 64);
            }
        }
        Rc::new(Lanes { values, known: Points(known) })
    }

    /// The value at a point.
    pub(super) fn get(&self, lane: usize) -> Option<i64> {
        self.known.has(lane).then(|| self.values[lane])
    }

    /// The value of a function of these values; at points where it has none there is none.
    pub(super) fn map(&self, f: impl Fn(i64) -> Option<i64>) -> Rc<Lanes> {
        self.zip(self, |a, _| f(a))
    }

    /// The value of a function of two values; at points where it has none there is none.
    pub(super) fn zip(&self, other: &Lanes, f: impl Fn(i64, i64) -> Option<i64>) -> Rc<Lanes> {
        let both = self.known.and(other.known);
        let mut values = vec![0; LANES].into_boxed_slice();
        let mut known = [0; WORDS];
        for (word, known) in known.iter_mut().enumerate() {
            for bit in 0..64 {
                let lane = word * 64 + bit;
                if both.has(lane)
                    && let Some(value) = f(self.values[lane], other.values[lane])
                {
                    values[lane] = value;
                    *known |= 1 << bit;
                }
            }
        }
        Rc::new(Lanes { values, known: Points(known) })
    }

    /// The value of a function of two values.
    pub(super) fn zip_total(&self, other: &Lanes, f: impl Fn(i64, i64) -> i64) -> Rc<Lanes> {
        let values = self.values.iter().zip(&*other.values).map(|(&a, &b)| f(a, b)).collect();
        Rc::new(Lanes { values, known: self.known.and(other.known) })
    }

    /// Of two conditions whether the first is `truth`, and where it is not, the second.
    pub(super) fn or_else(&self, truth: bool, other: &Lanes) -> Rc<Lanes> {
        let value = |(&a, &b): (&i64, &i64)| if (a != 0) == truth { i64::from(truth) } else { b };
        let values = self.values.iter().zip(&*other.values).map(value).collect();
        let other = self.where_true(!truth).and(other.known);
        Rc::new(Lanes { values, known: self.where_true(truth).or(other) })
    }

    /// The value of a function of two values which says whether it has one, if it has one at all points. What it does
    /// where there are no two values is of no interest.
    pub(super) fn zip_everywhere(
        &self,
        other: &Lanes,
        f: impl Fn(i64, i64) -> (i64, bool),
    ) -> Option<Rc<Lanes>> {
        let mut values = vec![0; LANES].into_boxed_slice();
        let mut everywhere = true;
        for ((own, &a), &b) in values.iter_mut().zip(&*self.values).zip(&*other.values) {
            let (value, has_one) = f(a, b);
            *own = value;
            everywhere &= has_one;
        }
        everywhere.then(|| Rc::new(Lanes { values, known: self.known.and(other.known) }))
    }

    /// Of each point the value of the first where the condition is other than zero, of the second elsewhere.
    pub(super) fn choose(cond: &Lanes, then: &Lanes, otherwise: &Lanes) -> Rc<Lanes> {
        let arms = then.values.iter().zip(&*otherwise.values);
        let values = cond.values.iter().zip(arms).map(|(&cond, (&a, &b))| if cond != 0 { a } else { b });
        let values = values.collect();
        let then = cond.where_true(true).and(then.known);
        let otherwise = cond.where_true(false).and(otherwise.known);
        Rc::new(Lanes { values, known: then.or(otherwise) })
    }

    /// The points at which the value is (`truth`) or is not other than zero.
    pub(super) fn where_true(&self, truth: bool) -> Points {
        Points::of(|lane| self.values[lane] != 0).xor(!truth).and(self.known)
    }

    /// The points at which two values differ.
    pub(super) fn where_different(&self, other: &Lanes) -> Points {
        Points::of(|lane| self.values[lane] != other.values[lane]).and(self.known).and(other.known)
    }

    /// Whether the value is one and the same at those of the points that have one.
    pub(super) fn is_constant(&self, points: Points) -> bool {
        let mut values = points.and(self.known).iter().map(|lane| self.values[lane]);
        values.next().is_none_or(|first| values.all(|v| v == first))
    }
}

impl Points {
    /// The other points, if `other`.
    fn xor(self, other: bool) -> Points {
        if other { Points(self.0.map(|w| !w)) } else { self }
    }
}
