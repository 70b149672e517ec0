//! Where control is, what the first program's evaluation shows there, and what the second one owes.

use std::cell::RefCell;
use std::rc::Rc;

use hashbrown::HashMap;

use super::term::{Term, Terms};
use crate::diag::Span;

/// A loop that control is in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// Its variable, and the first value of it.
    pub(crate) var: Option<(Term, Term)>,
    /// Whether there is an iteration at all.
    pub(crate) runs: Term,
}

/// The loops and conditions around a place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    /// Numbers of the loops, outermost first.
    pub(crate) loops: Vec<usize>,
    /// Conditions that were found to hold, but for those of loops.
    pub(crate) guards: Vec<Term>,
    /// All that holds here, parts of conjunctions one by one.
    pub(crate) facts: Vec<Term>,
    /// Left operands of `and` and `or`, which decide by one reading only whether the right ones are evaluated.
    pub(crate) lazy: Vec<Term>,
}

/// What may trap.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Risk {
    /// A load of this element of a buffer.
    Load(usize, Vec<Term>),
    /// A division by this.
    Division(Term),
    /// Another operation.
    Other(Term),
}

impl Risk {
    pub(crate) fn terms(&self) -> Vec<Term> {
        match self {
            Risk::Load(_, index) => index.clone(),
            Risk::Division(term) | Risk::Other(term) => vec![*term],
        }
    }

    /// The same of other terms.
    pub(crate) fn with(&self, terms: &[Term]) -> Risk {
        match self {
            Risk::Load(buffer, _) => Risk::Load(*buffer, terms.to_vec()),
            Risk::Division(_) => Risk::Division(terms[0]),
            Risk::Other(_) => Risk::Other(terms[0]),
        }
    }
}

/// What the first program evaluates, and where.
#[derive(Clone, Debug)]
pub(crate) struct Evaluated {
    pub(crate) risk: Risk,
    pub(crate) place: Rc<Place>,
    /// The part of the program between points at which control may leave it.
    pub(crate) epoch: u32,
    /// What [`required`] said of it, by the number of loops that both are in and whether `and` and `or` are read as lazy.
    required: RefCell<HashMap<(usize, bool), Option<Required>>>,
}

/// A risk that was taken, and what must hold elsewhere so that it was.
type Required = (Risk, Vec<Term>);

/// What is to be shown.
#[derive(Clone, Debug)]
pub(crate) enum Goal {
    /// Two values are one.
    Same(Term, Term),
    /// The condition holds, or the first program takes this risk too.
    Safe(Term, Risk),
}

/// A goal at its place.
#[derive(Clone, Debug)]
pub(crate) struct Obligation {
    pub(crate) goal: Goal,
    /// What it is about, for people.
    pub(crate) what: &'static str,
    pub(crate) place: Rc<Place>,
    pub(crate) epoch: u32,
    /// How much of what the first program evaluates may show it.
    evidence: usize,
    /// Where in the first and in the second program.
    pub(crate) spans: (Span, Span),
}

/// All of a pair of functions.
pub(crate) struct Book {
    pub(crate) frames: Vec<Frame>,
    pub(crate) evaluated: Vec<Evaluated>,
    pub(crate) obligations: Vec<Obligation>,
    here: Place,
    shared: Option<Rc<Place>>,
    pub(crate) spans: (Span, Span),
    /// Points so far at which control may leave a program.
    pub(crate) epochs: [u32; 2],
    /// Whether control may have left: what comes later is not certain to be evaluated.
    pub(crate) jumped: bool,
}

impl Book {
    /// The beginning of two functions.
    pub(crate) fn new() -> Book {
        Book {
            frames: Vec::new(),
            evaluated: Vec::new(),
            obligations: Vec::new(),
            here: Place::default(),
            shared: None,
            spans: (Span::NONE, Span::NONE),
            epochs: [0, 0],
            jumped: false,
        }
    }

    /// The current place.
    pub(crate) fn place(&mut self) -> Rc<Place> {
        let here = &self.here;
        self.shared.get_or_insert_with(|| Rc::new(here.clone())).clone()
    }

    /// Changes the place.
    pub(crate) fn at(&mut self) -> &mut Place {
        self.shared = None;
        &mut self.here
    }

    /// Goes back to a place.
    pub(crate) fn back(&mut self, place: &Rc<Place>) {
        self.here = (**place).clone();
        self.shared = Some(place.clone());
    }

    /// A condition holds from here on.
    pub(crate) fn know(&mut self, terms: &Terms, condition: Term) {
        let here = self.at();
        here.guards.push(condition);
        push_fact(terms, condition, &mut here.facts);
    }

    /// The first program takes a risk here.
    pub(crate) fn evaluates(&mut self, risk: Risk) {
        if !self.jumped {
            let place = self.place();
            let (epoch, required) = (self.epochs[0], RefCell::default());
            self.evaluated.push(Evaluated { risk, place, epoch, required });
        }
    }

    /// The second program owes this here.
    pub(crate) fn owe(&mut self, what: &'static str, goal: Goal) {
        self.owe_since(usize::MAX, what, goal);
    }

    /// As [`Book::owe`], without what the first program evaluates from here on: that it does may rest on the obligation.
    pub(crate) fn owe_since(&mut self, evidence: usize, what: &'static str, goal: Goal) {
        let (place, epoch, spans) = (self.place(), self.epochs[1], self.spans);
        self.obligations.push(Obligation { goal, what, place, epoch, evidence, spans });
    }
}

/// A condition as facts: the parts of a conjunction one by one.
pub(crate) fn push_fact(terms: &Terms, condition: Term, facts: &mut Vec<Term>) {
    match terms.node(condition) {
        super::term::Node::And(parts) => facts.extend(parts.iter().copied()),
        super::term::Node::Truth(true) => {}
        _ => facts.push(condition),
    }
}

/// Whether the first program takes a risk where the second one does, whichever way `and` and `or` are read.
pub(crate) fn is_taken(terms: &mut Terms, book: &Book, place: &Place, epoch: u32, risk: &Risk) -> bool {
    [true, false].into_iter().all(|lazy| {
        book.evaluated
            .iter()
            .filter(|one| {
                one.epoch <= epoch && std::mem::discriminant(&one.risk) == std::mem::discriminant(risk)
            })
            .any(|one| leads_there(terms, book, one, place, lazy, risk))
    })
}

/// Whether control that comes to `place` comes, or has come, to where this was evaluated, and whether it was this risk then.
fn leads_there(
    terms: &mut Terms,
    book: &Book,
    one: &Evaluated,
    place: &Place,
    lazy: bool,
    risk: &Risk,
) -> bool {
    if one.place.loops == place.loops && !covers(terms, &one.risk, risk) {
        return false;
    }
    let Some((taken, needed)) = required(terms, book, one, place, lazy) else { return false };
    let mut known = place.facts.clone();
    if lazy {
        place.lazy.iter().for_each(|&guard| push_fact(terms, guard, &mut known));
    }
    covers(terms, &taken, risk) && needed.iter().all(|part| known.contains(part))
}

/// The risk that was taken, and what must hold at `place` so that control comes, or has come, there. Loops that `place` is not
/// in are at their first iteration.
pub(crate) fn required(
    terms: &mut Terms,
    book: &Book,
    one: &Evaluated,
    place: &Place,
    lazy: bool,
) -> Option<Required> {
    let shared = one.place.loops.iter().zip(&place.loops).take_while(|(a, b)| a == b).count();
    if let Some(known) = one.required.borrow().get(&(shared, lazy)) {
        return known.clone();
    }
    let found = required_outside(terms, book, one, shared, lazy);
    one.required.borrow_mut().insert((shared, lazy), found.clone());
    found
}

/// The same at a place that shares only so many of the outer loops.
fn required_outside(
    terms: &mut Terms,
    book: &Book,
    one: &Evaluated,
    shared: usize,
    lazy: bool,
) -> Option<Required> {
    let mut needed = one.place.guards.clone();
    if lazy {
        needed.extend(&one.place.lazy);
    }
    let mut subjects = one.risk.terms();
    for &number in one.place.loops[shared..].iter().rev() {
        let frame = book.frames[number];
        needed.push(frame.runs);
        let (var, first) = frame.var?;
        let mut done = HashMap::new();
        for term in needed.iter_mut().chain(&mut subjects) {
            *term = terms.replace(*term, var, first, &mut done);
        }
    }
    let mut parts = Vec::new();
    needed.into_iter().for_each(|condition| push_fact(terms, condition, &mut parts));
    Some((one.risk.with(&subjects), parts))
}

/// Whether one risk taken without trap says that the other one does not trap: it is the same, or divides by a factor.
fn covers(terms: &Terms, taken: &Risk, risk: &Risk) -> bool {
    if let (Risk::Division(product), Risk::Division(factor)) = (taken, risk) {
        let (product, factor) = (terms.products(*product), terms.products(*factor));
        if let ([(all, _)], [(some, _)]) = (&product[..], &factor[..]) {
            return some.iter().all(|atom| {
                let count = |of: &[Term]| of.iter().filter(|&other| other == atom).count();
                count(some) <= count(all)
            });
        }
    }
    taken == risk
}

/// What holds at a place: its facts, and that no divisor is zero by which the first program divides there in any case.
pub(crate) fn facts_of(terms: &mut Terms, book: &Book, obligation: &Obligation) -> Vec<Term> {
    let mut facts = obligation.place.facts.clone();
    let known = Place { lazy: Vec::new(), ..(*obligation.place).clone() };
    let mut seen = Vec::new();
    for one in book.evaluated.iter().take(obligation.evidence) {
        let Risk::Division(divisor) = one.risk else { continue };
        if one.epoch > obligation.epoch || terms.as_int(divisor).is_some() || seen.contains(&divisor) {
            continue;
        }
        if !leads_there(terms, book, one, &known, true, &one.risk.clone()) {
            continue;
        }
        seen.push(divisor);
        // No factor of what is not zero is zero.
        let products = terms.products(divisor);
        let mut of = vec![divisor];
        if let [(monomial, _)] = &products[..] {
            of.extend(monomial.iter().copied());
        }
        for part in of {
            let zero = terms.is_zero(part);
            let nonzero = terms.not(zero);
            if !facts.contains(&nonzero) {
                push_fact(terms, nonzero, &mut facts);
            }
        }
    }
    facts
}
