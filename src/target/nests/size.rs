//! How long the body of a loop is as a text, and what is left of it when loops are written out: LLVM drops what a condition
//! excludes that depends on their variables only.

/// The conditions around a place in the body of a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conditions {
    /// The depth of the outermost loop that those depend on that are decided when loops are written out.
    decided_by: Option<usize>,
    /// How many of the iterations pass the others.
    others: f64,
    /// Whether the place is one of them.
    is_one: bool,
}

impl Conditions {
    pub(super) const NONE: Conditions = Conditions { decided_by: None, others: 1.0, is_one: false };

    /// For a condition here that is decided when the loop at a depth is written out.
    pub(super) fn of_condition(self, decided_by: Option<usize>) -> Conditions {
        let is_one = self.is_one || decided_by.is_some();
        Conditions { decided_by: outer(self.decided_by, decided_by), is_one, ..self }
    }

    /// For what runs where such a condition holds, in a share of the iterations that come to it.
    pub(super) fn inside(self, decided_by: Option<usize>, share: f64) -> Conditions {
        let others = if decided_by.is_some() { self.others } else { self.others * share };
        Conditions { decided_by: outer(self.decided_by, decided_by), others, ..self }
    }
}

fn outer(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// The instructions of a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Size {
    fixed: f64,
    /// What depends on conditions, by the depth of the loop that decides them: all of it, and what is left then.
    open: Vec<(usize, f64, f64)>,
}

impl Size {
    /// Adds instructions that a share of the iterations come to.
    pub(super) fn add(&mut self, instructions: f64, conditions: Conditions, share: f64) {
        match conditions.decided_by {
            None => self.fixed += instructions,
            Some(depth) => {
                let left = if conditions.is_one || conditions.others <= 0.0 {
                    0.0
                } else {
                    share / conditions.others
                };
                self.add_open(depth, instructions, instructions * left.min(1.0));
            }
        }
    }

    fn add_open(&mut self, depth: usize, all: f64, left: f64) {
        match self.open.iter_mut().find(|(known, _, _)| *known == depth) {
            Some(open) => {
                open.1 += all;
                open.2 += left;
            }
            None => self.open.push((depth, all, left)),
        }
    }

    /// All of it.
    pub(super) fn all(&self) -> f64 {
        self.fixed + self.open.iter().map(|(_, all, _)| all).sum::<f64>()
    }

    /// The same for one iteration of the loop at a depth that is written out. Whether that decides anything.
    pub(super) fn written_out(&self, depth: usize) -> (Size, bool) {
        let mut left = Size { fixed: self.fixed, open: Vec::new() };
        for &(decided_by, all, then) in &self.open {
            if decided_by >= depth {
                left.fixed += then;
            } else {
                left.open.push((decided_by, all, then));
            }
        }
        let decides = left.open.len() < self.open.len();
        (left, decides)
    }

    /// Adds so many copies of another text.
    pub(super) fn add_copies(&mut self, of: &Size, copies: f64, conditions: Conditions, share: f64) {
        self.add(of.fixed * copies, conditions, share);
        let all_left = |left: f64| {
            let mut alone = Size::default();
            alone.add(left, conditions, share);
            alone.open.first().map_or(left, |(_, _, left)| *left)
        };
        for &(depth, all, left) in &of.open {
            let depth = conditions.decided_by.map_or(depth, |outer| outer.min(depth));
            self.add_open(depth, all * copies, all_left(left * copies));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_decided_from_the_inside() {
        let mut size = Size::default();
        size.add(3.0, Conditions::NONE, 1.0);
        // A condition on the loop at depth 2, and what it guards in half of the iterations.
        size.add(2.0, Conditions::NONE.of_condition(Some(2)), 1.0);
        let inside = Conditions::NONE.inside(Some(2), 0.5);
        size.add(4.0, inside, 0.5);
        assert_eq!(size.all(), 9.0);
        let (inner, decides) = size.written_out(3);
        assert!((inner.all(), decides) == (9.0, false), "it depends on a loop further out");
        let mut outer = Size::default();
        outer.add_copies(&inner, 6.0, Conditions::NONE, 1.0);
        assert_eq!(outer.all(), 54.0);
        let (outer, decides) = outer.written_out(2);
        assert!((outer.all(), decides) == (30.0, true));
    }

    #[test]
    fn what_no_loop_decides_stays() {
        let mut size = Size::default();
        // A third of the iterations passes a condition on data; of these a half one on the loop.
        let around = Conditions::NONE.inside(None, 1.0 / 3.0);
        size.add(1.0, around.of_condition(None), 1.0 / 3.0);
        size.add(6.0, around.inside(Some(1), 0.5), 1.0 / 6.0);
        assert_eq!(size.all(), 7.0);
        assert_eq!(size.written_out(1).0.all(), 4.0);
    }
}
