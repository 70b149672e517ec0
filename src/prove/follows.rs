//! What follows from conditions by one or two of them, or at the ends of what they allow.

use super::term::{Node, Term, Terms};

/// Whether a condition follows from facts, one by one and in order, by one or two of them.
pub(super) fn follows(terms: &mut Terms, facts: &[Term], goal: Term) -> bool {
    if facts.binary_search(&goal).is_ok() || facts.iter().any(|&f| terms.as_truth(f) == Some(false)) {
        return true;
    }
    match terms.node(goal).clone() {
        Node::Truth(value) => value,
        Node::And(parts) => parts.into_iter().all(|part| follows(terms, facts, part)),
        Node::Not(of) => match terms.node(of).clone() {
            Node::And(parts) => parts.into_iter().any(|part| {
                let other = terms.not(part);
                follows(terms, facts, other)
            }),
            // Not 0 is above or below.
            Node::IsZero(of) => {
                let minus_one = terms.int(-1);
                let (above, below) = (terms.add(of, minus_one), terms.sub(minus_one, of));
                not_negative(terms, facts, above) || not_negative(terms, facts, below)
            }
            _ => false,
        },
        Node::IsZero(of) => {
            let zero = terms.int(0);
            let negated = terms.sub(zero, of);
            not_negative(terms, facts, of) && not_negative(terms, facts, negated)
        }
        Node::NotNegative(of) => not_negative(terms, facts, of),
        _ => false,
    }
}

/// Whether a sum is not negative where facts hold, by one or two of them, or at the ends of its parts.
fn not_negative(terms: &mut Terms, facts: &[Term], sum: Term) -> bool {
    /// Inequalities that are tried two at a time.
    const MAX_PAIRS: usize = 40;
    if terms.bounds(sum).not_negative() {
        return true;
    }
    let bounds: Vec<Term> = facts.iter().filter_map(|&fact| bound(terms, fact)).collect();
    let without = |terms: &mut Terms, sum: Term| -> Vec<Term> {
        let shared: Vec<Term> = bounds.iter().copied().filter(|&bound| terms.shares(sum, bound)).collect();
        shared.into_iter().map(|bound| terms.sub(sum, bound)).collect()
    };
    let rests = without(terms, sum);
    rests.iter().any(|&rest| terms.bounds(rest).not_negative())
        || bounds.len() <= MAX_PAIRS
            && rests.iter().any(|&rest| bounds.iter().any(|&bound| terms.is_above(rest, bound)))
        || terms.not_negative_at_ends(&bounds, sum)
}

/// What a fact says not to be negative: where a size is not 0, the size less 1.
fn bound(terms: &mut Terms, fact: Term) -> Option<Term> {
    let of = match *terms.node(fact) {
        Node::NotNegative(bound) => return Some(bound),
        Node::Not(of) => of,
        _ => return None,
    };
    let Node::IsZero(size) = *terms.node(of) else { return None };
    if !terms.bounds(size).not_negative() {
        return None;
    }
    let one = terms.int(1);
    Some(terms.sub(size, one))
}

/// Whether some facts, one by one and in order, say at once that all of some conditions hold.
pub(super) fn all_hold(terms: &mut Terms, facts: &[Term], conditions: &[Term]) -> bool {
    let holds = |term: &Term| facts.binary_search(term).is_ok();
    conditions.iter().all(|condition| {
        holds(condition)
            || match *terms.node(*condition) {
                Node::Not(of) => match terms.node(of).clone() {
                    Node::And(parts) => parts.into_iter().any(|part| holds(&terms.not(part))),
                    _ => false,
                },
                _ => false,
            }
    })
}

/// Conditions one by one, in order, each once.
pub(super) fn parts_of(terms: &Terms, known: &[Term]) -> Vec<Term> {
    let mut facts = Vec::new();
    for &fact in known {
        match terms.node(fact) {
            Node::And(parts) => facts.extend(parts.iter().copied()),
            Node::Truth(true) => {}
            _ => facts.push(fact),
        }
    }
    facts.sort_unstable();
    facts.dedup();
    facts
}
