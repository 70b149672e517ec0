//! Where control is, what the first program takes for granted there, and what the second one owes.

use hashbrown::HashMap;

use super::term::{Term, Terms};
use crate::diag::Span;

/// A loop that control is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Frame {
    /// Tells the loops of a proof apart.
    pub(super) number: usize,
    /// The loop's variable, its first value, and whether there is an iteration at all.
    pub(super) var: Option<Term>,
    pub(super) first: Term,
    pub(super) runs: Term,
    /// What holds in each iteration.
    pub(super) holds: Term,
}

/// The loops and conditions around a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(super) struct Place {
    pub(super) loops: Vec<Frame>,
    /// What was found to hold by `if`, by a choice of arms, by an assertion.
    pub(super) guards: Vec<Term>,
    /// Left operands of `and` and `or`, which decide by one reading whether the right ones are evaluated.
    pub(super) lazy: Vec<Term>,
}

/// What an element is an element of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Within {
    /// A memory: the index says where in it.
    Memory(usize),
    /// A view of that memory: the index is the one of the view, and behind it stands the view's shape.
    View(usize),
}

/// What the evaluation of the first program shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Premise {
    /// A condition.
    Holds(Term),
    /// There is this element.
    Element { of: Within, index: Vec<Term> },
    /// Something of which nothing is known but that it may trap is evaluated without trap.
    Evaluates(Term),
}

/// A premise at its place; the number orders them in time.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) premise: Premise,
    pub(super) place: usize,
    pub(super) time: usize,
    /// How many pairs of statements control has come to.
    pub(super) stage: usize,
    /// Whether control may have left before it: then it shows something only of what comes later in the same iterations, where
    /// control has passed it, or is at the same pair of statements.
    pub(super) after_jump: bool,
}

impl Fact {
    /// Whether it counts where a duty is owed.
    pub(super) fn counts_for(&self, duty: &Duty, places: &[Place]) -> bool {
        let earlier = self.stage <= duty.stage;
        let (own, other) = (&places[self.place].loops, &places[duty.place].loops);
        (earlier || !duty.early) && (!self.after_jump || earlier && other.starts_with(own))
    }
}

/// What is to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Goal {
    /// A condition.
    Holds(Term),
    /// The element is one that the first program accesses too, or there in any case, which the term says.
    Element { of: Within, index: Vec<Term>, there: Term },
    /// The first program evaluates it too.
    Evaluates(Term),
}

/// A goal at its place.
#[derive(Clone, Debug)]
pub(super) struct Duty {
    pub(super) goal: Goal,
    /// What it is about, for people.
    pub(super) what: &'static str,
    pub(super) place: usize,
    pub(super) time: usize,
    pub(super) stage: usize,
    /// Whether what comes later rests on it, so that nothing of that may show it.
    pub(super) early: bool,
    /// Where in the first and in the second program.
    pub(super) spans: (Span, Span),
}

/// A point in time.
pub(super) struct Mark {
    here: Place,
    stage: usize,
    jumped: bool,
}

/// The book of a proof: what is known and owed, by place.
pub(super) struct Book {
    pub(super) places: Vec<Place>,
    numbers: HashMap<Place, usize>,
    /// The place where control is.
    pub(super) here: Place,
    pub(super) facts: Vec<Fact>,
    pub(super) duties: Vec<Duty>,
    known: HashMap<(Premise, usize), ()>,
    owed: HashMap<(Goal, usize), ()>,
    /// Statements that are being looked at.
    pub(super) spans: (Span, Span),
    pub(super) time: usize,
    /// How many pairs of statements control has come to.
    pub(super) stage: usize,
    /// Whether control may have left: what comes later is not certain to be evaluated, and shows nothing of what is before it.
    pub(super) jumped: bool,
}

impl Book {
    /// An empty one, at the beginning of two functions.
    pub(super) fn new() -> Book {
        Book {
            places: Vec::new(),
            numbers: HashMap::new(),
            here: Place::default(),
            facts: Vec::new(),
            duties: Vec::new(),
            known: HashMap::new(),
            owed: HashMap::new(),
            spans: (Span::NONE, Span::NONE),
            time: 0,
            stage: 0,
            jumped: false,
        }
    }

    /// The number of the current place.
    fn place(&mut self) -> usize {
        if let Some(&number) = self.numbers.get(&self.here) {
            return number;
        }
        let number = self.places.len();
        self.places.push(self.here.clone());
        self.numbers.insert(self.here.clone(), number);
        number
    }

    /// The first program shows this here.
    pub(super) fn know(&mut self, premise: Premise) {
        let place = self.place();
        if self.known.insert((premise.clone(), place), ()).is_none() {
            let (time, stage, after_jump) = (self.time, self.stage, self.jumped);
            self.facts.push(Fact { premise, place, time, stage, after_jump });
        }
    }

    /// The second program owes this here.
    pub(super) fn owe(&mut self, what: &'static str, goal: Goal) {
        let place = self.place();
        if self.owed.insert((goal.clone(), place), ()).is_none() {
            let (time, stage, spans) = (self.time, self.stage, self.spans);
            self.duties.push(Duty { goal, what, place, time, stage, early: false, spans });
        }
    }

    /// Where control is now. What is shown from here on rests on something that is owed later ([`Book::rest_on`]).
    pub(super) fn mark(&mut self) -> Mark {
        let jumped = std::mem::replace(&mut self.jumped, true);
        self.stage += 1;
        Mark { here: self.here.clone(), stage: self.stage - 1, jumped }
    }

    /// The second program owes a condition at a mark, on which all rests that was shown since.
    pub(super) fn rest_on(&mut self, mark: Mark, what: &'static str, condition: Term) {
        (self.here, self.jumped) = (mark.here, mark.jumped);
        self.owe_at_stage(mark.stage, what, condition);
    }

    /// As [`Book::owe_that`], where nothing that comes later may show it.
    pub(super) fn owe_early(&mut self, what: &'static str, condition: Term) {
        self.owe_at_stage(self.stage, what, condition);
    }

    fn owe_at_stage(&mut self, stage: usize, what: &'static str, condition: Term) {
        let (place, goal) = (self.place(), Goal::Holds(condition));
        let (time, spans) = (self.time, self.spans);
        self.duties.push(Duty { goal, what, place, time, stage, early: true, spans });
    }

    /// As [`Book::owe`], for a condition.
    pub(super) fn owe_that(&mut self, what: &'static str, condition: Term) {
        self.owe(what, Goal::Holds(condition));
    }
}

/// All conditions of a place, by one of the readings of `and` and `or`.
pub(super) fn conditions(place: &Place, lazy: bool) -> Vec<Term> {
    let mut all: Vec<Term> = place.loops.iter().map(|frame| frame.holds).collect();
    all.extend(&place.guards);
    if lazy {
        all.extend(&place.lazy);
    }
    all
}

/// What was shown at `from`, seen from `to`: the condition under which control comes to `from`, or has come there, and what
/// the terms are there. Loops that `to` is not in are at their first iteration.
pub(super) fn bridge(
    terms: &mut Terms,
    from: &Place,
    to: &Place,
    lazy: bool,
    mut subjects: Vec<Term>,
) -> Option<(Term, Vec<Term>)> {
    let shared = from.loops.iter().zip(&to.loops).take_while(|(a, b)| a == b).count();
    let mut needed: Vec<Term> = from.guards.clone();
    if lazy {
        needed.extend(&from.lazy);
    }
    let known = conditions(to, lazy);
    needed.retain(|condition| !known.contains(condition));
    let mut vars = Vec::new();
    for frame in from.loops[shared..].iter().rev() {
        needed.push(frame.runs);
        let var = frame.var?;
        for term in needed.iter_mut().chain(&mut subjects) {
            *term = terms.replace(*term, var, frame.first);
        }
        vars.push(var);
    }
    needed.retain(|condition| !known.contains(condition));
    let needed = terms.and(&needed);
    // What is left of a loop's variable, in what it stored, has another meaning here.
    let left = |term: Term| terms.mentions(term, &|part| vars.contains(&part));
    let foreign = !vars.is_empty() && (left(needed) || subjects.iter().any(|&term| left(term)));
    (!foreign).then_some((needed, subjects))
}
