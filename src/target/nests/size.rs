//! How long the body of a loop is as a text, and what becomes of it when loops are written out: what depends on their variables
//! only is a constant then. LLVM does not drop what conditions exclude before all loops have been looked at, but it knows what
//! runs in the iterations that it goes through.

/// What becomes of instructions that depend on the variables of loops only, or on conditions that do, when these are written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// They stay in the iterations in which the conditions hold.
    Guarded,
    /// They compute a constant.
    Constant,
    /// The same, but LLVM does not see it before loops are written out (its `UnrolledInstAnalyzer` knows no calls).
    Call,
    /// A branch on a constant stays as a text, and takes nothing.
    Branch,
}

/// The conditions around a place in the body of a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conditions {
    /// The depth of the outermost loop that those depend on that are decided when loops are written out.
    decided_by: Option<usize>,
    /// How many of the iterations pass the others.
    others: f64,
    part: Part,
    /// Whether there is one that is decided.
    decides: bool,
}

impl Conditions {
    pub(super) const NONE: Conditions =
        Conditions { decided_by: None, others: 1.0, part: Part::Guarded, decides: false };

    /// For a condition here that is decided when the loop at a depth is written out.
    pub(super) fn of_condition(self, decided_by: Option<usize>) -> Conditions {
        Conditions { decides: self.decides || decided_by.is_some(), ..self.of_index(decided_by) }
    }

    /// For what is a constant when the loop at a depth is written out.
    pub(super) fn of_index(self, decided_by: Option<usize>) -> Conditions {
        let part = if decided_by.is_some() { Part::Constant } else { self.part };
        Conditions { decided_by: outer(self.decided_by, decided_by), part, ..self }
    }

    /// The same for a call.
    pub(super) fn of_call(self, decided_by: Option<usize>) -> Conditions {
        let made = self.of_condition(decided_by);
        Conditions { part: if decided_by.is_some() { Part::Call } else { made.part }, ..made }
    }

    /// For the branches on a condition.
    pub(super) fn branch(self) -> Conditions {
        let part = if self.part == Part::Constant { Part::Branch } else { self.part };
        Conditions { part, ..self }
    }

    /// For what runs where such a condition holds, in a share of the iterations that come to it.
    pub(super) fn inside(self, decided_by: Option<usize>, share: f64) -> Conditions {
        let others = if decided_by.is_some() { self.others } else { self.others * share };
        let decides = self.decides || decided_by.is_some();
        Conditions { decided_by: outer(self.decided_by, decided_by), others, decides, ..self }
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
    /// All that does not change, and what of it runs.
    fixed: f64,
    live: f64,
    /// What changes when loops are written out.
    open: Vec<Open>,
}

/// What changes when the loop at a depth is written out.
#[derive(Clone, Copy, Debug)]
struct Open {
    decided_by: usize,
    /// Whether conditions are decided then.
    decides: bool,
    /// The text before and after.
    all: f64,
    after: f64,
    /// What of it runs in an iteration on average, before and after.
    reached: f64,
    left: f64,
}

/// What one iteration of a loop is that is written out.
#[derive(Clone, Debug, Default)]
pub(super) struct WrittenOut {
    /// The text that stays.
    pub(super) size: Size,
    /// What ran before, and what runs then.
    pub(super) reached: f64,
    pub(super) left: f64,
    /// Whether conditions are decided.
    pub(super) decides: bool,
}

impl Size {
    /// Adds instructions that a share of the iterations come to.
    pub(super) fn add(&mut self, instructions: f64, conditions: Conditions, share: f64) {
        self.add_text((instructions, instructions), conditions, share);
    }

    /// The same of which only some are known to run.
    fn add_text(&mut self, (all, live): (f64, f64), conditions: Conditions, share: f64) {
        let Some(decided_by) = conditions.decided_by else {
            self.fixed += all;
            self.live += live;
            return;
        };
        let share = if conditions.others <= 0.0 { 0.0 } else { (share / conditions.others).min(1.0) };
        let reached = live * share;
        let (after, left) = match conditions.part {
            Part::Guarded => (all, reached),
            Part::Constant => (0.0, 0.0),
            Part::Call => (0.0, reached),
            Part::Branch => (all, 0.0),
        };
        self.add_open(Open { decided_by, decides: conditions.decides, all, after, reached, left });
    }

    fn add_open(&mut self, part: Open) {
        let is_same =
            |known: &&mut Open| (known.decided_by, known.decides) == (part.decided_by, part.decides);
        match self.open.iter_mut().find(is_same) {
            Some(open) => {
                open.all += part.all;
                open.after += part.after;
                open.reached += part.reached;
                open.left += part.left;
            }
            None => self.open.push(part),
        }
    }

    /// All of it.
    pub(super) fn all(&self) -> f64 {
        self.fixed + self.open.iter().map(|open| open.all).sum::<f64>()
    }

    /// The same for one iteration of the loop at a depth that is written out.
    pub(super) fn written_out(&self, depth: usize) -> WrittenOut {
        let mut size = Size { fixed: self.fixed, live: self.live, open: Vec::new() };
        let (mut reached, mut left, mut decides) = (self.live, self.live, false);
        for &open in &self.open {
            if open.decided_by >= depth {
                size.fixed += open.after;
                size.live += open.left;
                reached += open.reached;
                left += open.left;
                decides |= open.decides;
            } else {
                size.open.push(open);
                reached += open.all;
                left += open.all;
            }
        }
        WrittenOut { size, reached, left, decides }
    }

    /// Adds so many copies of another text, each in so many versions of which one runs.
    pub(super) fn add_copies(
        &mut self,
        of: &Size,
        (copies, versions): (f64, f64),
        conditions: Conditions,
        share: f64,
    ) {
        let texts = copies * versions;
        self.add_text((of.fixed * texts, of.live * copies), conditions, share);
        let reached = |live: f64| {
            let mut alone = Size::default();
            alone.add(live, conditions, share);
            alone.open.first().map_or(live, |open| open.left)
        };
        for open in &of.open {
            let decided_by =
                conditions.decided_by.map_or(open.decided_by, |outer| outer.min(open.decided_by));
            self.add_open(Open {
                decided_by,
                decides: open.decides || conditions.decides,
                all: open.all * texts,
                after: open.after * texts,
                reached: reached(open.reached * copies),
                left: reached(open.left * copies),
            });
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
        // A condition on the loop at depth 2 with its branch, and what it guards in half of the iterations.
        let condition = Conditions::NONE.of_condition(Some(2));
        size.add(2.0, condition, 1.0);
        size.add(1.0, condition.branch(), 1.0);
        let inside = Conditions::NONE.inside(Some(2), 0.5);
        size.add(4.0, inside, 0.5);
        assert_eq!(size.all(), 10.0);
        let inner = size.written_out(3);
        assert!((inner.size.all(), inner.decides) == (10.0, false), "it depends on a loop further out");
        let mut outer = Size::default();
        outer.add_copies(&inner.size, (6.0, 1.0), Conditions::NONE, 1.0);
        assert_eq!(outer.all(), 60.0);
        let outer = outer.written_out(2);
        // The comparison is gone, the branch stays.
        assert_eq!((outer.size.all(), outer.decides), (48.0, true));
        assert_eq!((outer.reached, outer.left), (48.0, 30.0));
    }

    #[test]
    fn what_no_loop_decides_stays() {
        let mut size = Size::default();
        // A third of the iterations passes a condition on data; of these a half one on the loop.
        let around = Conditions::NONE.inside(None, 1.0 / 3.0);
        size.add(1.0, around.of_condition(None), 1.0 / 3.0);
        size.add(6.0, around.inside(Some(1), 0.5), 1.0 / 6.0);
        assert_eq!(size.all(), 7.0);
        let out = size.written_out(1);
        assert_eq!((out.size.all(), out.left), (7.0, 4.0));
    }

    #[test]
    fn indices_are_constants_then_and_decide_nothing() {
        let mut size = Size::default();
        size.add(3.0, Conditions::NONE, 1.0);
        size.add(1.0, Conditions::NONE.of_index(Some(2)), 1.0);
        assert_eq!(size.all(), 4.0);
        let out = size.written_out(2);
        assert_eq!((out.size.all(), out.reached, out.left, out.decides), (3.0, 4.0, 3.0, false));
        // A call is a constant too, but LLVM counts it before.
        size.add(2.0, Conditions::NONE.of_call(Some(2)), 1.0);
        let out = size.written_out(2);
        assert_eq!((out.size.all(), out.reached, out.left), (3.0, 6.0, 5.0));
    }
}
