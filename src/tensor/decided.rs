//! What is decided where steps of loops are taken at once: a loop all of whose steps are has a number for each copy, so that
//! indices are constants there, and conditions hold or do not.

use hashbrown::{HashMap, HashSet};

use super::form::is_choice;
use super::term::{Node, Term, Terms, hole};
use crate::ir::{Expr, value};

/// What the terms of a nest are.
#[derive(Debug, Default)]
pub(super) struct Decided {
    constants: HashMap<Term, Option<Expr>>,
    /// For choices whose condition is constant the arm that is taken.
    taken: HashMap<Term, Term>,
    computed: HashSet<Term>,
}

impl Decided {
    /// Of what these terms are made of, if axes have these values; those of `loads` are read.
    pub(super) fn new(
        terms: &Terms,
        roots: impl Iterator<Item = Term> + Clone,
        loads: &HashMap<Term, usize>,
        axes: &[Expr],
    ) -> Decided {
        let mut decided = Decided::default();
        for root in roots.clone() {
            decided.find(terms, root, loads, axes);
        }
        for root in roots {
            decided.compute(terms, root, loads);
        }
        decided
    }

    /// The number or truth value that a term is.
    pub(super) fn constant(&self, term: Term) -> Option<&Expr> {
        self.constants.get(&term)?.as_ref()
    }

    /// The arm that a choice takes.
    pub(super) fn taken(&self, term: Term) -> Option<Term> {
        self.taken.get(&term).copied()
    }

    /// Whether a term is computed at all.
    pub(super) fn is_computed(&self, term: Term) -> bool {
        self.computed.contains(&term)
    }

    fn find(
        &mut self,
        terms: &Terms,
        term: Term,
        loads: &HashMap<Term, usize>,
        axes: &[Expr],
    ) -> Option<Expr> {
        if let Some(known) = self.constants.get(&term) {
            return known.clone();
        }
        let mut operands = Vec::new();
        if !loads.contains_key(&term) || matches!(terms.node(term), Node::Stored(..)) {
            for &child in terms.children(term) {
                operands.push(self.find(terms, child, loads, axes));
            }
        }
        let found = match terms.node(term) {
            Node::Axis(axis, _) => axes.get(*axis as usize).filter(|var| var.as_int().is_some()).cloned(),
            Node::Form(head, children) if is_choice(head) => {
                match operands.first().and_then(Option::as_ref) {
                    Some(condition) => {
                        let arm = if condition.as_int() == Some(0) { 2 } else { 1 };
                        self.taken.insert(term, children[arm]);
                        operands[arm].clone()
                    }
                    None => None,
                }
            }
            Node::Form(head, children) if !head.dtype.is_float() && !children.is_empty() => {
                let operands: Option<Vec<Expr>> = operands.into_iter().collect();
                operands.filter(|operands| !operands.is_empty()).and_then(|operands| folded(head, operands))
            }
            Node::Form(head, _) if head.as_int().is_some() => Some(head.clone()),
            Node::Form(..) | Node::Stored(..) => None,
        };
        self.constants.insert(term, found.clone());
        found
    }

    fn compute(&mut self, terms: &Terms, term: Term, loads: &HashMap<Term, usize>) {
        if self.constant(term).is_some() {
            return;
        }
        if let Some(arm) = self.taken(term) {
            return self.compute(terms, arm, loads);
        }
        if self.computed.insert(term)
            && (!loads.contains_key(&term) || matches!(terms.node(term), Node::Stored(..)))
        {
            for &child in terms.children(term) {
                self.compute(terms, child, loads);
            }
        }
    }
}

/// The value of an operation on constants; `None` where it has none.
fn folded(head: &Expr, operands: Vec<Expr>) -> Option<Expr> {
    let mut e = head.clone();
    let mut operands = operands.into_iter();
    e.for_each_child_mut(|child| *child = operands.next().unwrap_or_else(|| hole(child.dtype)));
    Some(value::evaluate(&e, &|_| None)?.to_expr(head.dtype))
}
