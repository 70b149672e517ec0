//! Terms as a certificate writes them.

use std::cell::{Cell, RefCell};

use hashbrown::HashMap;

use super::super::check::sexp::Sexp;
use super::super::check::term::{Node, Term, Terms, for_each_part};

pub(super) fn word(text: impl Into<String>) -> Sexp {
    Sexp::Word(text.into())
}

pub(super) fn list(parts: impl IntoIterator<Item = Sexp>) -> Sexp {
    Sexp::List(parts.into_iter().collect())
}

pub(super) fn int(value: i128) -> Sexp {
    word(value.to_string())
}

/// A term, how far its quotients are looked into, and facts.
type Question = (Term, usize, Vec<Term>);

/// The terms of the programs, by what is asked of them.
pub(super) struct Writer {
    /// Terms with a smaller number are written by it.
    pub(super) named: usize,
    /// For what steps cannot write otherwise a term of the programs that it is like.
    like: HashMap<String, Term>,
    /// Why terms are not negative under some facts, as far as quotients in quotients were looked into.
    pub(super) reasons: RefCell<HashMap<Question, Option<Sexp>>>,
    /// Why facts contradict each other, where that was found while something else was asked.
    pub(super) absurd: RefCell<HashMap<Vec<Term>, Sexp>>,
    /// Whether a text gives a term.
    texts: RefCell<HashMap<Term, bool>>,
    /// How often sums of facts are still looked for: where much is not shown, it takes long to find that out.
    looks: Cell<usize>,
}

/// Most times that sums of facts are looked for, for one attempt at a pair of functions: some seconds.
const MAX_LOOKS: usize = 12_000;

fn head(node: &Node) -> Option<String> {
    let mut parts = 0;
    for_each_part(node, |_| parts += 1);
    match node {
        Node::Apply(name, _) => Some(format!("apply {name} {parts}")),
        Node::Whole(lanes, _) => Some(format!("whole {lanes}")),
        Node::Wrap(bits, signed, _) => Some(format!("wrap {bits} {signed}")),
        Node::Load { buffer, version, calls, name, .. } => {
            Some(format!("load {buffer} {version} {calls} {name} {parts}"))
        }
        _ => None,
    }
}

impl Writer {
    pub(super) fn new(terms: &Terms, named: usize) -> Writer {
        let mut like = HashMap::new();
        for number in (0..named).filter_map(|n| u32::try_from(n).ok()) {
            if let Some(head) = head(terms.node(Term(number))) {
                like.entry(head).or_insert(Term(number));
            }
        }
        Writer {
            named,
            like,
            reasons: RefCell::default(),
            absurd: RefCell::default(),
            texts: RefCell::default(),
            looks: Cell::new(MAX_LOOKS),
        }
    }

    /// Whether a sum of facts may be looked for; each time is counted.
    pub(super) fn may_look(&self) -> bool {
        let left = self.looks.get();
        self.looks.set(left.saturating_sub(1));
        left > 0
    }

    /// Whether a text gives a term.
    pub(super) fn has_text(&self, terms: &Terms, term: Term) -> bool {
        if (term.0 as usize) < self.named {
            return true;
        }
        *self.texts.borrow_mut().entry(term).or_insert_with(|| self.write(terms, term).is_some())
    }

    /// A term as text; `None` if no text gives it.
    pub(super) fn write(&self, terms: &Terms, term: Term) -> Option<Sexp> {
        let node = terms.node(term);
        let of = |name: &str, parts: &[Term]| -> Option<Sexp> {
            let mut all = vec![word(name)];
            for &part in parts {
                all.push(self.write(terms, part)?);
            }
            Some(Sexp::List(all))
        };
        let chain = |name: &str, parts: Vec<Sexp>| parts.into_iter().reduce(|a, b| list([word(name), a, b]));
        match node {
            Node::Int(value) => return Some(int(*value)),
            Node::Truth(value) => return Some(word(value.to_string())),
            _ if (term.0 as usize) < self.named => return Some(word(format!("#{}", term.0))),
            _ => {}
        }
        match node {
            Node::Sum(products) => {
                let mut all = Vec::new();
                for (monomial, factor) in products {
                    let mut product = Vec::new();
                    if *factor != 1 || monomial.is_empty() {
                        product.push(int(*factor));
                    }
                    for &atom in monomial {
                        product.push(self.write(terms, atom)?);
                    }
                    all.push(chain("mul", product)?);
                }
                chain("add", all)
            }
            Node::Quotient(a, b) => of("floordiv", &[*a, *b]),
            Node::Truncated(a, b) => of("div", &[*a, *b]),
            Node::Choice(c, a, b) => of("select", &[*c, *a, *b]),
            Node::NotNegative(a) => of("nonnegative", &[*a]),
            Node::IsZero(a) => Some(list([word("eq"), self.write(terms, *a)?, int(0)])),
            Node::Not(a) => of("not", &[*a]),
            Node::Least(parts) | Node::Greatest(parts) | Node::And(parts) => {
                let name = match node {
                    Node::Least(_) => "min",
                    Node::Greatest(_) => "max",
                    _ => "and",
                };
                let parts = parts.iter().map(|&part| self.write(terms, part)).collect::<Option<_>>()?;
                chain(name, parts)
            }
            Node::Apply(..) | Node::Whole(..) | Node::Wrap(..) | Node::Load { .. } => {
                let like = *self.like.get(&head(node)?)?;
                let mut parts = vec![like];
                for_each_part(node, |part| parts.push(part));
                of("like", &parts)
            }
            Node::Int(_) | Node::Truth(_) | Node::Atom(_) | Node::Lane(_) => None,
        }
    }
}
