//! Parts of a question that what is known decides: choices whose conditions hold or do not, operands of a minimum or maximum
//! that others bound, quotients of less than the divisor. What is made of a question then is mostly a normal form.

use hashbrown::HashSet;

use super::follows::{follows, parts_of};
use super::term::{Node, Term, Terms};

/// Most parts that are looked at in what is known, and in a goal.
const MAX_TRIED: usize = 100;

/// Most quotients that are decided.
const MAX_QUOTIENTS: usize = 12;

/// What is known, one by one and in order, and a goal, without the choices, minima and maxima that are decided where they are:
/// by what is known, and by the other parts of a conjunction.
pub(super) fn decided(terms: &mut Terms, facts: &[Term], goal: Term) -> (Vec<Term>, Term) {
    let (mut facts, mut tries) = (closed(terms, facts), MAX_TRIED);
    let mut at = 0;
    while let Some(&fact) = facts.get(at) {
        at += 1;
        if terms.mentions(fact, &|part| is_decidable(terms, part)) {
            let others: Vec<Term> = facts.iter().copied().filter(|&other| other != fact).collect();
            facts[at - 1] = simplified(terms, &others, fact, &mut tries);
        }
    }
    let (facts, mut tries) = (closed(terms, &facts), MAX_TRIED);
    let goal = simplified(terms, &facts, goal, &mut tries);
    (facts, goal)
}

/// Conditions one by one, in order, each once, without those that others imply at once: where `a` is known, `not (a and b)` is
/// `not b`, and nothing where `not b` is known too.
pub(super) fn closed(terms: &mut Terms, facts: &[Term]) -> Vec<Term> {
    /// How often what comes of it is looked at again.
    const MAX_ROUNDS: usize = 6;
    let mut all = parts_of(terms, facts);
    let factors: Vec<Term> = all.iter().flat_map(|&fact| factors_of_what_is_not_zero(terms, fact)).collect();
    if !factors.is_empty() {
        for factor in factors {
            let zero = terms.is_zero(factor);
            all.push(terms.not(zero));
        }
        all = parts_of(terms, &all);
    }
    for _ in 0..MAX_ROUNDS {
        let (mut next, mut changed) = (Vec::new(), false);
        for &fact in &all {
            let parts = match *terms.node(fact) {
                Node::Not(of) => match terms.node(of) {
                    Node::And(parts) => parts.clone(),
                    _ => Vec::new(),
                },
                _ => Vec::new(),
            };
            let holds = |term: &Term| all.binary_search(term).is_ok();
            let left: Vec<Term> = parts.iter().copied().filter(|part| !holds(part)).collect();
            let is_implied = left.iter().any(|&part| holds(&terms.not(part)));
            changed |= is_implied || left.len() < parts.len();
            if !is_implied {
                let both = terms.and(&left);
                next.push(if left.len() < parts.len() { terms.not(both) } else { fact });
            }
        }
        if !changed {
            break;
        }
        all = parts_of(terms, &next);
    }
    all
}

/// What is multiplied in a product that is not 0: none of it is.
fn factors_of_what_is_not_zero(terms: &Terms, fact: Term) -> Vec<Term> {
    let Node::Not(of) = *terms.node(fact) else { return Vec::new() };
    let Node::IsZero(product) = *terms.node(of) else { return Vec::new() };
    match terms.node(product) {
        Node::Sum(products) => match &products[..] {
            [(monomial, _)] if monomial.len() > 1 => monomial.clone(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn is_decidable(terms: &Terms, term: Term) -> bool {
    matches!(terms.node(term), Node::Choice(..) | Node::Extremum { .. })
}

/// A condition that is the same as another one where the facts hold.
fn simplified(terms: &mut Terms, facts: &[Term], condition: Term, tries: &mut usize) -> Term {
    if *tries == 0 || terms.is_full() {
        return condition;
    }
    let within = |terms: &mut Terms, also: &[Term], part: Term, tries: &mut usize| {
        let all: Vec<Term> = facts.iter().chain(also).copied().collect();
        let all = closed(terms, &all);
        simplified(terms, &all, part, tries)
    };
    match terms.node(condition).clone() {
        Node::Not(of) => {
            let of = simplified(terms, facts, of, tries);
            terms.not(of)
        }
        Node::And(mut parts) => {
            for at in 0..parts.len() {
                let part = parts.remove(at);
                let part = within(terms, &parts, part, tries);
                parts.insert(at, part);
            }
            terms.and(&parts)
        }
        Node::Choice(cond, then, otherwise) => {
            let cond = simplified(terms, facts, cond, tries);
            let not = terms.not(cond);
            let then = within(terms, &[cond], then, tries);
            let otherwise = within(terms, &[not], otherwise, tries);
            terms.choice(cond, then, otherwise)
        }
        Node::Truth(_) => condition,
        _ => compared(terms, facts, condition, tries),
    }
}

/// As [`simplified`], of a condition that is made of no others.
fn compared(terms: &mut Terms, facts: &[Term], mut condition: Term, tries: &mut usize) -> Term {
    *tries = tries.saturating_sub(1);
    if follows(terms, facts, condition) {
        return terms.truth(true);
    }
    let not = terms.not(condition);
    if follows(terms, facts, not) {
        return terms.truth(false);
    }
    let mut tried = HashSet::new();
    while *tries > 0 && !terms.is_full() {
        let found = terms.cone([condition]).into_iter().find_map(|term| {
            if *tries == 0 || terms.is_full() || !is_decidable(terms, term) || !tried.insert(term) {
                return None;
            }
            *tries -= 1;
            Some((term, chosen(terms, facts, term, tries)?))
        });
        let Some((part, by)) = found else { break };
        condition = terms.replace(condition, part, by);
    }
    condition
}

/// What a choice, a minimum or a maximum is where the facts hold.
fn chosen(terms: &mut Terms, facts: &[Term], term: Term, tries: &mut usize) -> Option<Term> {
    match terms.node(term).clone() {
        Node::Choice(cond, then, otherwise) => {
            if follows(terms, facts, cond) {
                return Some(then);
            }
            let not = terms.not(cond);
            if follows(terms, facts, not) {
                return Some(otherwise);
            }
            let plainer = simplified(terms, facts, cond, tries);
            (plainer != cond).then(|| terms.choice(plainer, then, otherwise))
        }
        Node::Extremum { greatest, of } => {
            let mut left = of.clone();
            for operand in of {
                let beaten = left.iter().any(|&other| {
                    let enough =
                        if greatest { terms.at_most(operand, other) } else { terms.at_most(other, operand) };
                    other != operand && follows(terms, facts, enough)
                });
                left.retain(|&other| !beaten || other != operand);
            }
            let (&first, others) = left.split_first()?;
            let value = others.iter().fold(first, |value, &other| terms.extremum(greatest, value, other));
            (value != term).then_some(value)
        }
        _ => None,
    }
}

/// The goal with quotients that the facts decide: `p // d` is 0 where `0 <= p < d`, and -1 where `-d <= p < 0`.
pub(super) fn with_quotients_decided(terms: &mut Terms, facts: &[Term], mut goal: Term) -> Term {
    let mut tried = HashSet::new();
    for _ in 0..MAX_QUOTIENTS {
        let mut found = None;
        for term in terms.cone([goal]) {
            let Node::Quotient(p, d) = *terms.node(term) else { continue };
            if tried.len() == MAX_TRIED || !tried.insert(term) {
                continue;
            }
            let zero = terms.int(0);
            let (from_zero, negated) = (terms.not_negative(p), terms.sub(zero, d));
            let below_zero = terms.not(from_zero);
            let (below, above) = (terms.less(p, d), terms.at_most(negated, p));
            if follows(terms, facts, from_zero) && follows(terms, facts, below) {
                found = Some((term, 0));
            } else if follows(terms, facts, below_zero) && follows(terms, facts, above) {
                found = Some((term, -1));
            }
            if found.is_some() {
                break;
            }
        }
        let Some((term, value)) = found else { break };
        let value = terms.int(value);
        goal = terms.replace(goal, term, value);
    }
    goal
}
