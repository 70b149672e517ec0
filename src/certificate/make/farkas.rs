//! Why an integer is not negative: multiples of facts that add up to it.

use std::rc::Rc;

use hashbrown::{HashMap, HashSet};

use super::super::check::proof::{by_definition, linear};
use super::super::check::sexp::Sexp;
use super::super::check::term::{Monomial, Node, Sort, Term, Terms};
use super::simplex::{self, Condition, Factors};
use super::written::{Writer, int, list, word};

/// Something that is not negative, or zero, and what it is.
struct Source {
    products: Vec<(Monomial, i128)>,
    zero: bool,
    name: Rc<Name>,
}

/// What is not negative, or zero. A certificate needs few of those that are looked at, so only these are written.
enum Name {
    /// The fact of this number.
    Fact(usize),
    /// What the definition of an atom says, of this kind; perhaps about a part of it.
    Defined(&'static str, Term, Option<Term>),
    /// A quotient of what is not negative, and why that is not.
    Quotient(Term, Sexp),
    Times(Rc<Name>, Rc<Name>),
}

impl Name {
    /// As a certificate names it.
    fn written(&self, terms: &Terms, writer: &Writer) -> Option<Sexp> {
        Some(match self {
            Name::Fact(number) => list([word("fact"), int(*number as i128)]),
            Name::Defined(kind, atom, part) => {
                let parts = [Some(atom), part.as_ref()].into_iter().flatten();
                let parts = parts.map(|&part| writer.write(terms, part)).collect::<Option<Vec<_>>>()?;
                list([word(*kind)].into_iter().chain(parts))
            }
            Name::Quotient(atom, reason) => {
                list([word("quotient"), writer.write(terms, *atom)?, reason.clone()])
            }
            Name::Times(a, b) => list([word("times"), a.written(terms, writer)?, b.written(terms, writer)?]),
        })
    }
}

/// Most sources that are looked at.
const MAX_SOURCES: usize = 70;

/// The reason that `target >= 0`; `None` if none was found.
pub(super) fn reason(terms: &mut Terms, writer: &Writer, facts: &[Term], target: Term) -> Option<Sexp> {
    within(terms, writer, facts, target, 2)
}

/// As [`reason`]; so many quotients in quotients are looked into.
fn within(terms: &mut Terms, writer: &Writer, facts: &[Term], target: Term, depth: usize) -> Option<Sexp> {
    let bounds = terms.bounds(target);
    if terms.as_int(target).is_some_and(|value| value < 0) || bounds.hi.is_some_and(|hi| hi < 0) {
        return None;
    }
    if bounds.lo.is_some_and(|lo| lo >= 0) {
        return Some(list([word("sum"), int(1)]));
    }
    // The same is asked again and again.
    let question = (target, depth, facts.to_vec());
    if let Some(known) = writer.reasons.borrow().get(&question) {
        return known.clone();
    }
    let looked = looked_for(terms, writer, facts, (target, depth), Some(target));
    let found =
        looked.and_then(|(sources, of)| match of.iter().find(|(source, _)| *source == sources.len()) {
            Some(&(_, multiple)) => sum(terms, writer, &sources, multiple, &of),
            None => {
                if let Some(why) = sum(terms, writer, &sources, 1, &of) {
                    writer.absurd.borrow_mut().entry(facts.to_vec()).or_insert(why);
                }
                None
            }
        });
    writer.reasons.borrow_mut().insert(question, found.clone());
    found
}

/// The reason that facts contradict each other.
pub(super) fn contradiction(terms: &mut Terms, writer: &Writer, facts: &[Term], near: Term) -> Option<Sexp> {
    if let Some(known) = writer.absurd.borrow().get(facts) {
        return Some(known.clone());
    }
    let (sources, of) = looked_for(terms, writer, facts, (near, 0), None)?;
    sum(terms, writer, &sources, 1, &of)
}

/// Multiples of what is near a term, with so many quotients in quotients, and of the negation of the target, that contradict each
/// other; `None` also if there were too many such questions.
fn looked_for(
    terms: &mut Terms,
    writer: &Writer,
    facts: &[Term],
    (near, depth): (Term, usize),
    target: Option<Term>,
) -> Option<(Vec<Source>, Factors)> {
    if !writer.may_look() {
        return None;
    }
    let sources = sources(terms, writer, facts, near, depth);
    let of = combine(terms, &sources, target)?;
    Some((sources, of))
}

fn sum(terms: &Terms, writer: &Writer, sources: &[Source], multiple: i128, of: &Factors) -> Option<Sexp> {
    let mut all = vec![word("sum"), int(multiple)];
    for &(source, factor) in of {
        if let Some(source) = sources.get(source) {
            all.push(list([int(factor), source.name.written(terms, writer)?]));
        }
    }
    Some(Sexp::List(all))
}

/// What may help to bound a term: facts with its atoms, what the definitions of atoms say, and so on.
fn sources(terms: &mut Terms, writer: &Writer, facts: &[Term], target: Term, depth: usize) -> Vec<Source> {
    let mut found: Vec<Source> = Vec::new();
    let (mut atoms, mut used): (HashSet<Term>, HashSet<usize>) = (HashSet::new(), HashSet::new());
    let mut open: Vec<Term> = Vec::new();
    let mut nonlinear: Vec<Monomial> = Vec::new();
    let known: Vec<Option<(Term, bool)>> = facts.iter().map(|&fact| linear(terms, fact)).collect();
    let mut add = |terms: &Terms, open: &mut Vec<Term>, nonlinear: &mut Vec<Monomial>, term: Term| {
        for (monomial, _) in terms.products(term) {
            for &atom in &monomial {
                if atoms.insert(atom) {
                    open.push(atom);
                }
            }
            if (2..=4).contains(&monomial.len()) && !nonlinear.contains(&monomial) && nonlinear.len() < 12 {
                nonlinear.push(monomial);
            }
        }
    };
    add(terms, &mut open, &mut nonlinear, target);
    // Without atoms all facts may matter.
    let all = open.is_empty();
    let (mut next, mut first) = (0, all);
    while (first || next < open.len()) && found.len() < MAX_SOURCES {
        let atom = open.get(next).copied();
        next += usize::from(atom.is_some());
        first = false;
        for (number, fact) in known.iter().enumerate() {
            let Some((term, zero)) = *fact else { continue };
            let products = terms.products(term);
            let near =
                all || products.iter().any(|(monomial, _)| atom.is_some_and(|a| monomial.contains(&a)));
            if near && used.insert(number) {
                add(terms, &mut open, &mut nonlinear, term);
                found.push(Source { products, zero, name: Rc::new(Name::Fact(number)) });
            }
        }
        let Some(atom) = atom else { continue };
        let mut kinds: Vec<(&'static str, Option<Term>)> = vec![("low", None), ("high", None)];
        match terms.node(atom) {
            Node::Quotient(..) => kinds.extend([("rest", None), ("below", None)]),
            Node::Least(parts) | Node::Greatest(parts) => {
                kinds.extend(parts.iter().map(|&part| ("above", Some(part))));
            }
            _ => {}
        }
        if let (true, Node::Quotient(a, b) | Node::Truncated(a, b)) = (depth > 0, terms.node(atom).clone())
            && terms.bounds(atom).lo.is_none()
            && terms.bounds(b).lo.is_some_and(|lo| lo >= 0)
            && writer.has_text(terms, atom)
            && let Some(reason) = within(terms, writer, facts, a, depth - 1)
        {
            let name = Rc::new(Name::Quotient(atom, reason));
            found.push(Source { products: terms.products(atom), zero: false, name });
        }
        for (kind, part) in kinds {
            let Some(term) = by_definition(terms, facts, kind, atom, part) else { continue };
            if terms.as_int(term).is_some() || terms.sort(term) != Sort::Int {
                continue;
            }
            if ![Some(atom), part].into_iter().flatten().all(|term| writer.has_text(terms, term)) {
                continue;
            }
            add(terms, &mut open, &mut nonlinear, term);
            let name = Rc::new(Name::Defined(kind, atom, part));
            found.push(Source { products: terms.products(term), zero: false, name });
        }
    }
    products(terms, &mut found, &nonlinear);
    found
}

/// Products of two sources that have a product of two atoms which occurs.
fn products(terms: &mut Terms, found: &mut Vec<Source>, nonlinear: &[Monomial]) {
    const MAX_PRODUCTS: usize = 60;
    /// Most factors of a product of atoms in a fact that is multiplied.
    const MAX_FACTORS: usize = 3;
    let few = |source: &&Source| source.products.iter().all(|(monomial, _)| monomial.len() <= MAX_FACTORS);
    let facts: Vec<&Source> = found.iter().filter(few).collect();
    let mut made: Vec<Source> = Vec::new();
    let has = |source: &Source, atom: Term| source.products.iter().any(|(m, _)| m[..] == [atom]);
    'all: for monomial in nonlinear {
        for (at, &atom) in monomial.iter().enumerate() {
            if at > 0 && monomial[at - 1] == atom {
                continue;
            }
            let mut others = monomial.clone();
            others.remove(at);
            let low = |&other: &Term| facts.iter().copied().find(|b| is_low(b, other));
            let Some(lows) = others.iter().map(low).collect::<Option<Vec<&Source>>>() else { continue };
            // A fact about one factor, times what is known of the others.
            for a in facts.iter().filter(|a| has(a, atom)) {
                if made.len() >= MAX_PRODUCTS {
                    break 'all;
                }
                let Some(mut product) = terms.sum(a.products.clone()) else { continue };
                let (mut name, mut zero) = (Rc::clone(&a.name), a.zero);
                for low in &lows {
                    let Some(low_term) = terms.sum(low.products.clone()) else { continue };
                    product = terms.mul(product, low_term);
                    name = Rc::new(Name::Times(name, Rc::clone(&low.name)));
                    zero |= low.zero;
                }
                made.push(Source { products: terms.products(product), zero, name });
            }
        }
    }
    found.append(&mut made);
}

/// Whether a source is the lower bound of an atom.
fn is_low(source: &Source, atom: Term) -> bool {
    matches!(*source.name, Name::Defined("low", _, _))
        && source.products.iter().any(|(m, f)| m[..] == [atom] && *f == 1)
}

/// Multiples of sources, and of the negation of the target (which has the number of all sources), that add up to a negative
/// constant.
fn combine(terms: &Terms, sources: &[Source], target: Option<Term>) -> Option<Factors> {
    let mut numbers: HashMap<Monomial, usize> = HashMap::new();
    let (mut conditions, mut of) = (Vec::new(), Vec::new());
    let mut add = |products: &[(Monomial, i128)], scale: i128, plus: i128, source: usize| {
        let mut condition = Condition { factors: Vec::new(), constant: plus };
        for (monomial, factor) in products {
            if monomial.is_empty() {
                condition.constant += scale * factor;
            } else {
                let count = numbers.len();
                let number = *numbers.entry(monomial.clone()).or_insert(count);
                condition.factors.push((number, scale * factor));
            }
        }
        condition.factors.sort_unstable();
        conditions.push(condition);
        of.push((source, if source == sources.len() { 1 } else { scale }));
    };
    if let Some(target) = target {
        add(&terms.products(target), -1, -1, sources.len());
    }
    for (i, source) in sources.iter().enumerate() {
        if source.products.iter().any(|(_, factor)| factor.unsigned_abs() > 1 << 60) {
            continue;
        }
        add(&source.products, 1, 0, i);
        if source.zero {
            add(&source.products, -1, 0, i);
        }
    }
    let found = simplex::contradiction(&conditions)?;
    Some(found.into_iter().map(|(at, multiple)| (of[at].0, of[at].1 * multiple)).collect())
}
