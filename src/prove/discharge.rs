//! Duties that need no solver, and questions for one about the others.

use std::sync::Arc;

use hashbrown::HashMap;

use super::counter;
use super::decided::{closed, decided, with_quotients_decided};
use super::follows::{all_hold, follows, parts_of};
use super::logic::EQUAL;
use super::pinned::Pinned;
use super::place::{Book, Duty, Goal, Place, Premise, Within, bridge, conditions};
use super::question::{Question, Tried};
use super::term::{Node, Term, Terms};

/// Questions that are left of a duty; none if it is fulfilled.
pub(super) fn questions(terms: &mut Terms, book: &Book, duty: &Duty, by_subject: &Index) -> Vec<Question> {
    let place = &book.places[duty.place];
    let readings: &[bool] = if has_lazy(book, place) { &[true, false] } else { &[true] };
    let mut left: Vec<Question> = Vec::new();
    for &lazy in readings {
        let known = conditions(place, lazy);
        let goal = goal_of(terms, book, duty, place, lazy, by_subject, &known);
        if implied(terms, &known, goal) {
            continue;
        }
        let mut premises = known;
        premises.extend(related(terms, book, duty, lazy, goal));
        if !implied(terms, &premises, goal) {
            left.push(Question::new(parts_of(terms, &premises), goal));
        }
    }
    if let [one, other] = &left[..]
        && one.goal == other.goal
    {
        // What is shown by less is shown by more.
        if all_hold(terms, &other.premises, &one.premises) {
            left.pop();
        } else if all_hold(terms, &one.premises, &other.premises) {
            left.swap_remove(0);
        }
    }
    left.into_iter().filter_map(|question| plainer(terms, question)).collect()
}

/// A question as it is asked, made plainer if that is worth the work; none if that answers it.
fn plainer(terms: &mut Terms, Question { premises: facts, goal, .. }: Question) -> Option<Question> {
    let mut first = asked(terms, facts.clone(), goal);
    // What fails for some values is not worth the work, unless these are values of functions whose operands may become others.
    let fails = counter::example(terms, &first).map(|values| first.tried = Tried::Fails(values)).is_some();
    if fails && !terms.mentions(goal, &|part| is_undecided(terms, part)) {
        return Some(first);
    }
    let pinned = Pinned::of(terms, &facts, goal);
    let (facts, goal) = decided(terms, &pinned.facts, pinned.goal);
    if follows(terms, &facts, goal) {
        return None;
    }
    let goal = with_quotients_decided(terms, &facts, goal);
    if terms.as_truth(goal) == Some(true) {
        return None;
    }
    if follows_multiplied(terms, &facts, goal) {
        return None;
    }
    if fails {
        return Some(first);
    }
    let mut question = asked(terms, facts, goal);
    for premise in &mut question.premises {
        *premise = pinned.pin(terms, *premise);
    }
    if question.goal == first.goal && question.premises == first.premises {
        question.tried = Tried::Holds;
    }
    Some(question)
}

/// Whether it says that two values are equal one of which is an operation on a choice, or on an integer that may turn out to be
/// a constant.
fn is_undecided(terms: &Terms, term: Term) -> bool {
    let is_converted = |&operand: &Term| terms.converted_integer(operand).is_some();
    match terms.node(term) {
        Node::Apply(name, _, of) if &**name == EQUAL => of.iter().any(|&value| match terms.node(value) {
            Node::Apply(_, _, operands) => terms.has_choice(value) || operands.iter().any(is_converted),
            _ => false,
        }),
        _ => false,
    }
}

/// A question, with what memories hold that it is about.
fn asked(terms: &mut Terms, mut premises: Vec<Term>, goal: Term) -> Question {
    let all: Vec<Term> = premises.iter().copied().chain([goal]).collect();
    premises.extend(terms.contents(&all));
    Question::new(premises, goal)
}

/// Whether the readings of `and` and `or` differ there; premises of other places count too, so it is asked of them all.
fn has_lazy(book: &Book, place: &Place) -> bool {
    !place.lazy.is_empty() || book.places.iter().any(|other| !other.lazy.is_empty())
}

/// Facts by what they are about.
#[derive(Default)]
pub(super) struct Index {
    elements: HashMap<(Within, Vec<Term>), Vec<usize>>,
    by_memory: HashMap<Within, Vec<usize>>,
    by_name: HashMap<Arc<str>, Vec<usize>>,
    others: HashMap<Term, Vec<usize>>,
}

impl Index {
    pub(super) fn of(terms: &Terms, book: &Book) -> Index {
        let mut index = Index::default();
        for (i, fact) in book.facts.iter().enumerate() {
            match &fact.premise {
                Premise::Element { of, index: at } => {
                    index.elements.entry((*of, at.clone())).or_default().push(i);
                    index.by_memory.entry(*of).or_default().push(i);
                }
                Premise::Holds(term) => index.others.entry(*term).or_default().push(i),
                Premise::Evaluates(term) => {
                    index.others.entry(*term).or_default().push(i);
                    if let Node::Apply(name, ..) = terms.node(*term) {
                        index.by_name.entry(name.clone()).or_default().push(i);
                    }
                }
            }
        }
        index
    }
}

fn goal_of(
    terms: &mut Terms,
    book: &Book,
    duty: &Duty,
    to: &Place,
    lazy: bool,
    by_subject: &Index,
    known: &[Term],
) -> Term {
    let none = Vec::new();
    let came = |terms: &mut Terms, fact: usize, subjects: Vec<Term>| {
        let fact = &book.facts[fact];
        if !fact.counts_for(duty, &book.places) {
            return None;
        }
        bridge(terms, &book.places[fact.place], to, lazy, subjects)
    };
    match &duty.goal {
        Goal::Holds(term) => {
            let mut ways = vec![*term];
            for &fact in by_subject.others.get(term).unwrap_or(&none) {
                if let Some((needed, holds)) = came(terms, fact, vec![*term])
                    && holds == [*term]
                {
                    ways.push(needed);
                }
            }
            terms.or(&ways)
        }
        Goal::Evaluates(term) => {
            let mut ways = Vec::new();
            for &fact in by_subject.others.get(term).unwrap_or(&none) {
                if let Some((needed, value)) = came(terms, fact, vec![*term])
                    && value == [*term]
                {
                    ways.push(needed);
                }
            }
            let goal = terms.or(&ways);
            let Node::Apply(name, _, operands) = terms.node(*term).clone() else { return goal };
            if implied(terms, known, goal) {
                return goal;
            }
            // The same function of operands that are equal.
            let near = by_subject.by_name.get(&name).unwrap_or(&none);
            for fact in nearest(book, near, duty) {
                let Premise::Evaluates(other) = book.facts[fact].premise else { continue };
                let Node::Apply(_, _, others) = terms.node(other).clone() else { continue };
                if let Some((needed, at)) = came(terms, fact, others) {
                    let same = terms.all_equal(&at, &operands);
                    ways.push(terms.and(&[needed, same]));
                }
            }
            terms.or(&ways)
        }
        Goal::Element { of, index, there } => {
            let mut ways = vec![*there];
            for &fact in by_subject.elements.get(&(*of, index.clone())).unwrap_or(&none) {
                if let Some((needed, at)) = came(terms, fact, index.clone())
                    && at == *index
                {
                    ways.push(needed);
                }
            }
            let goal = terms.or(&ways);
            if implied(terms, known, goal) {
                return goal;
            }
            let near = by_subject.by_memory.get(of).unwrap_or(&none);
            for fact in nearest(book, near, duty) {
                let Premise::Element { index: at, .. } = &book.facts[fact].premise else { continue };
                if let Some((needed, at)) = came(terms, fact, at.clone()) {
                    let same = terms.all_equal(&at, index);
                    ways.push(terms.and(&[needed, same]));
                }
            }
            terms.or(&ways)
        }
    }
}

/// The facts that are next to a duty in time.
fn nearest(book: &Book, facts: &[usize], duty: &Duty) -> Vec<usize> {
    /// What one operation of the second program is compared with.
    const MAX_COMPARED: usize = 12;
    let mut near = facts.to_vec();
    near.sort_by_key(|&fact| book.facts[fact].time.abs_diff(duty.time));
    near.truncate(MAX_COMPARED);
    near
}

/// What the first program shows of what the goal is about.
fn related(terms: &mut Terms, book: &Book, duty: &Duty, lazy: bool, goal: Term) -> Vec<Term> {
    /// Most of them that a question has.
    const MAX_FACTS: usize = 40;
    let to = &book.places[duty.place];
    let atoms = atoms_of(terms, goal);
    let mut found = Vec::new();
    for fact in &book.facts {
        let Premise::Holds(holds) = fact.premise else { continue };
        if found.len() == MAX_FACTS {
            break;
        }
        if !fact.counts_for(duty, &book.places) {
            continue;
        }
        if !atoms_of(terms, holds).iter().any(|atom| atoms.contains(atom)) {
            continue;
        }
        if let Some((needed, holds)) = bridge(terms, &book.places[fact.place], to, lazy, vec![holds]) {
            let carried = terms.implies(needed, holds[0]);
            if terms.as_truth(carried).is_none() && !found.contains(&carried) {
                found.push(carried);
            }
        }
    }
    found
}

/// Free values and loads that a term is about, not those in memories.
fn atoms_of(terms: &Terms, term: Term) -> Vec<Term> {
    let (mut seen, mut open, mut found) = (hashbrown::HashSet::new(), vec![term], Vec::new());
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        match terms.node(term) {
            Node::Atom(_) => found.push(term),
            Node::Store { .. } => {}
            Node::Load { index, .. } => {
                found.push(term);
                open.extend(index);
            }
            _ => terms.for_each_part(term, |part| open.push(part)),
        }
    }
    found
}

/// Whether a condition follows from others by looking at each of them, or at two together.
pub(super) fn implied(terms: &mut Terms, known: &[Term], goal: Term) -> bool {
    let facts = parts_of(terms, known);
    follows(terms, &facts, goal) || {
        let decided = with_quotients_decided(terms, &facts, goal);
        decided != goal && follows(terms, &facts, decided) || {
            let multiplied = with_quotients_multiplied(terms, decided);
            multiplied != decided && follows(terms, &facts, multiplied)
        }
    }
}

/// Whether a condition follows where comparisons of quotients by sizes are comparisons of products, in it or in what is known.
fn follows_multiplied(terms: &mut Terms, facts: &[Term], goal: Term) -> bool {
    let multiplied = with_quotients_multiplied(terms, goal);
    if multiplied != goal && follows(terms, facts, multiplied) {
        return true;
    }
    let others: Vec<Term> = facts.iter().map(|&fact| with_quotients_multiplied(terms, fact)).collect();
    let changed = others != facts;
    changed && {
        let closed = closed(terms, &others);
        follows(terms, &closed, multiplied)
    }
}

/// A condition with comparisons of quotients by sizes as comparisons of products.
fn with_quotients_multiplied(terms: &mut Terms, condition: Term) -> Term {
    /// Comparisons that are written in another way.
    const MAX_MULTIPLIED: usize = 12;
    if let Some(&known) = terms.made.multiplied.get(&condition) {
        return known;
    }
    let mut made = condition;
    for _ in 0..MAX_MULTIPLIED {
        let other = terms
            .cone([made])
            .into_iter()
            .find_map(|term| Some((term, terms.without_quotients_by_sizes(term)?)))
            .filter(|(term, other)| term != other);
        let Some((term, other)) = other else { break };
        made = terms.replace(made, term, other);
    }
    terms.made.multiplied.insert(condition, made);
    made
}
