//! A proof of two functions in one of the shapes that they can be given, and what it leaves open.
//!
//! Where some duty fails for values that were tried, the shape is no proof whatever the solver says of the others. Another one
//! may be, so the solver is asked, and what is left after some failures is looked at, only when there is none.

use std::collections::{BTreeMap, BTreeSet};

use super::discharge::{self, Index};
use super::inquiry::{Asked, Inquiry};
use super::place::Book;
use super::proof::{Open, Proof};
use super::term::Terms;
use crate::diag::Span;
use crate::smt::SolverError;

/// A proof of two functions in some shape.
#[derive(Default)]
pub(super) struct Attempt {
    /// The proof; all that is asked is open until it is answered.
    pub(super) proof: Proof,
    /// What the solver is asked about duties, and which duties of the program these are, one for each that is open.
    pub(super) asked: Vec<Asked>,
    pub(super) owners: Vec<usize>,
    /// How many duties fail for values that were tried.
    pub(super) failing: usize,
    /// What was not looked at yet.
    unseen: Option<Unseen>,
}

/// Duties from some number on.
struct Unseen {
    terms: Terms,
    book: Book,
    index: Index,
    next: usize,
}

/// How much is left open, the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rest {
    /// So many duties are open, none of which is known to fail.
    Open(usize),
    /// So many duties fail.
    Failing(usize),
    /// The functions could not be laid side by side.
    Unaligned,
}

impl Rest {
    /// So many failures are no less.
    pub(super) fn failing(self) -> usize {
        match self {
            Rest::Open(_) => 1,
            Rest::Failing(failing) => failing,
            Rest::Unaligned => usize::MAX,
        }
    }
}

impl Attempt {
    /// An attempt whose duties are still to be looked at.
    pub(super) fn new(proof: Proof, terms: Terms, book: Book) -> Attempt {
        log::debug!("{} obligations, {} terms", book.duties.len(), terms.len());
        let index = Index::of(&terms, &book);
        let proof = Proof { duties: book.duties.len(), ..proof };
        Attempt { proof, unseen: Some(Unseen { terms, book, index, next: 0 }), ..Attempt::default() }
    }

    /// An attempt that cannot begin.
    pub(super) fn refused(proof: Proof) -> Attempt {
        Attempt { proof, ..Attempt::default() }
    }

    /// Looks at duties until so many fail.
    pub(super) fn look(&mut self, inquiry: &mut Inquiry<'_>, enough: usize) {
        let Some(mut unseen) = self.unseen.take() else { return };
        let Unseen { terms, book, index, next } = &mut unseen;
        let before = if *next == 0 { 0 } else { terms.len() };
        terms.limit = Some(before + inquiry.terms);
        while *next < book.duties.len() && self.failing < enough {
            let duty = &book.duties[*next];
            let questions = discharge::questions(terms, book, duty, index);
            if questions.is_empty() {
                self.proof.by_normal_form += 1;
            } else {
                self.owners.push(*next);
                self.proof.open.push(Open { what: duty.what.to_owned(), spans: duty.spans, example: None });
            }
            let first = self.asked.len();
            for question in questions {
                log::debug!("question {}: {}: {}", self.asked.len(), duty.what, terms.show(question.goal));
                for &premise in &question.premises {
                    log::trace!("  under {}", terms.show(premise));
                }
                self.asked.push(Asked::new(terms, *next, &question));
            }
            self.failing += usize::from(self.asked[first..].iter().any(Asked::fails));
            *next += 1;
        }
        log::debug!("{} questions of {next} duties, {} terms", self.asked.len(), terms.len());
        inquiry.terms = inquiry.terms.saturating_sub(terms.len() - before);
        if *next < book.duties.len() {
            self.unseen = Some(unseen);
        }
    }

    pub(super) fn rest(&self) -> Rest {
        match self.failing {
            _ if self.proof.unaligned.is_some() => Rest::Unaligned,
            0 => Rest::Open(self.proof.open.len()),
            failing => Rest::Failing(failing),
        }
    }

    /// The places of what is in the way of a proof: of what fails, else of what is open.
    pub(super) fn in_the_way(&self) -> Vec<Span> {
        let failing: BTreeSet<usize> =
            self.asked.iter().filter(|one| one.fails()).map(|one| one.owner).collect();
        let duties = self.owners.iter().zip(&self.proof.open);
        let places = duties.filter(|(owner, _)| failing.is_empty() || failing.contains(owner));
        places.flat_map(|(_, open)| [open.spans.0, open.spans.1]).collect()
    }

    /// Asks the solver. Where as many duties are open as in `enough`, the others stay open unasked.
    pub(super) fn ask(&mut self, inquiry: &mut Inquiry<'_>, enough: Rest) -> Result<(), SolverError> {
        let enough = if let Rest::Open(enough) = enough { enough } else { usize::MAX };
        let mut left: BTreeMap<usize, Option<BTreeMap<String, i64>>> = BTreeMap::new();
        for (number, values) in inquiry.open(&self.asked, enough)? {
            log::debug!("question {number} is open");
            let entry = left.entry(self.asked[number].owner).or_default();
            *entry = entry.take().or(values.map(example));
        }
        let duties = std::mem::take(&mut self.owners).into_iter().zip(std::mem::take(&mut self.proof.open));
        for (owner, open) in duties {
            match left.remove(&owner) {
                Some(example) => {
                    self.owners.push(owner);
                    self.proof.open.push(Open { example, ..open });
                }
                None => self.proof.by_solver += 1,
            }
        }
        Ok(())
    }
}

/// The values of variables that are integers.
fn example(values: Vec<(String, String)>) -> BTreeMap<String, i64> {
    let mut found = BTreeMap::new();
    for (name, value) in values {
        if let Ok(value) = value.parse() {
            found.entry(name).or_insert(value);
        }
    }
    found
}
