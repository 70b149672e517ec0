//! All that is asked for a pair of functions, in whichever shape: a question that several shapes have in common is asked once, and
//! all of them together may take so much work and no more. Work is counted by the solver, so answers are the same on every
//! machine.
//!
//! What can be shown is mostly shown with little work, and one question that stays open is enough for a shape to be no proof. So
//! all questions get little work first, and those that need more get it only where nothing is known to fail.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use hashbrown::HashMap;

use super::counter;
use super::question::{Question, Tried, Values};
use super::smt::{self, Products};
use super::solver::{self, Answer};
use super::term::Terms;
use crate::smt::{Solver, SolverError};

/// The work that a question gets first.
const LITTLE: u64 = 200_000;

/// How many questions with all the work that one may take all questions together are worth.
const MOST: u64 = 3;

/// How many terms may be made for all shapes of a pair of functions together. It takes less than a second to make them; what is
/// shown is mostly shown with a tenth of them.
const MOST_TERMS: usize = 36_000;

/// How many questions are asked together.
const AT_ONCE: usize = 16;

/// A text for the solver, and the names of the values that are wanted, in the text and in the program.
type Text = (String, Vec<(String, String)>);

/// A question with what it belongs to.
pub(super) struct Asked {
    pub(super) owner: usize,
    /// Values for which it fails, by their names in the program, if some were found without the solver.
    fails: Option<Values>,
    /// Else without and with products as they are; one text where there are none.
    texts: Vec<Text>,
}

impl Asked {
    pub(super) fn new(terms: &Terms, owner: usize, question: &Question) -> Asked {
        Asked::with(terms, owner, question, &[Products::Free, Products::Exact])
    }

    /// Only without products.
    pub(super) fn linear(terms: &Terms, question: &Question) -> Asked {
        Asked::with(terms, 0, question, &[Products::Free])
    }

    /// Whether it is known to fail.
    pub(super) fn fails(&self) -> bool {
        self.fails.is_some()
    }

    fn with(terms: &Terms, owner: usize, question: &Question, ways: &[Products]) -> Asked {
        let fails = match &question.tried {
            Tried::NotYet => counter::example(terms, question),
            Tried::Holds => None,
            Tried::Fails(values) => Some(values.clone()),
        };
        let mut texts: Vec<Text> = Vec::new();
        if fails.is_none() {
            texts.extend(ways.iter().map(|&products| smt::text(terms, question, products)));
            texts.dedup_by(|b, a| a.0 == b.0);
        }
        Asked { owner, fails, texts }
    }
}

/// What is left open: the number of a question, and an example of values for which it fails, by the names in the program, if the
/// solver has one.
pub(super) type Left = Vec<(usize, Option<Values>)>;

/// The solver with what it was asked.
pub(super) struct Inquiry<'s> {
    solver: Option<&'s Solver>,
    /// Answers by texts, and the work after which the solver did not know one.
    known: HashMap<String, (Answer, u64)>,
    /// The work that may still be done, and the terms that may still be made.
    left: u64,
    pub(super) terms: usize,
    /// The time that the solver may still take, only a backstop for questions whose work says little of it.
    time: Duration,
}

impl<'s> Inquiry<'s> {
    pub(super) fn new(solver: Option<&'s Solver>) -> Inquiry<'s> {
        let left = solver.map_or(0, |solver| solver.effort.saturating_mul(MOST));
        let time = solver.map_or(Duration::ZERO, |solver| solver.timeout);
        Inquiry { solver, known: HashMap::new(), left, time, terms: MOST_TERMS }
    }

    /// Whether no work is left, so that only what normal forms show is shown.
    pub(super) fn is_spent(&self) -> bool {
        self.solver.is_some() && self.left == 0 || self.terms == 0
    }

    /// The questions that are not shown. Stops where so many owners have one: all that was not asked then is open, too.
    pub(super) fn open(&mut self, asked: &[Asked], enough: usize) -> Result<Left, SolverError> {
        let Some(effort) = self.solver.map(|solver| solver.effort) else {
            return Ok((0..asked.len()).map(|number| (number, None)).collect());
        };
        let (mut open, mut owners, mut hopeless) = (Left::new(), BTreeSet::new(), false);
        let mut numbers = Vec::new();
        for (number, one) in asked.iter().enumerate() {
            if one.fails.is_some() {
                owners.insert(one.owner);
                hopeless = true;
                open.push((number, one.fails.clone()));
            } else {
                numbers.push(number);
            }
        }
        log::debug!("{} of {} questions fail for some values", open.len(), asked.len());
        // There is no proof then. What holds of the rest is worth what one question is.
        if hopeless {
            self.left = self.left.min(effort);
        }
        let mut numbers = numbers.into_iter();
        while owners.len() < enough {
            let some: Vec<usize> = numbers.by_ref().take(AT_ONCE).collect();
            if some.is_empty() {
                break;
            }
            for (number, answer) in self.of_texts(asked, some, effort.min(LITTLE))? {
                owners.insert(asked[number].owner);
                hopeless |= matches!(answer, Answer::Sat(_));
                open.push((number, example(&asked[number], answer)));
            }
        }
        if owners.len() >= enough {
            open.extend(numbers.map(|number| (number, None)));
            return Ok(open);
        }
        if effort > LITTLE && !hopeless {
            while let Some((number, _)) = open.first() {
                if !self.of_texts(asked, vec![*number], effort)?.is_empty() {
                    break;
                }
                open.remove(0);
            }
        }
        Ok(open)
    }

    /// The questions of these that are not shown with so much work each.
    fn of_texts(
        &mut self,
        asked: &[Asked],
        numbers: Vec<usize>,
        effort: u64,
    ) -> Result<Vec<(usize, Answer)>, SolverError> {
        let mut open: Vec<(usize, Answer)> =
            numbers.into_iter().map(|number| (number, Answer::Unknown)).collect();
        for way in 0..2 {
            let (with, without): (Vec<_>, Vec<_>) =
                open.into_iter().partition(|(number, _)| asked[*number].texts.len() > way);
            let texts: Vec<&Text> = with.iter().map(|(number, _)| &asked[*number].texts[way]).collect();
            let answers = self.answers(&texts, effort)?;
            open = without;
            let numbers = with.into_iter().map(|(number, _)| number);
            open.extend(numbers.zip(answers).filter(|(_, answer)| *answer != Answer::Unsat));
        }
        open.sort_unstable_by_key(|(number, _)| *number);
        Ok(open)
    }

    /// Answers to texts, those that are known without asking again.
    fn answers(&mut self, texts: &[&Text], effort: u64) -> Result<Vec<Answer>, SolverError> {
        let mut new: Vec<solver::Script> = Vec::new();
        for (text, wanted) in texts {
            let known = self.known.get(text);
            if known.is_none_or(|(answer, tried)| *answer == Answer::Unknown && *tried < effort)
                && !new.iter().any(|(other, _)| other == text)
            {
                new.push((text.clone(), wanted.iter().map(|(name, _)| name.clone()).collect()));
            }
        }
        if let (Some(solver), true) = (self.solver, self.left > 0) {
            let begun = Instant::now();
            let solver = solver.clone().within(effort, self.time);
            let answers = solver::ask(&solver, &new)?;
            self.time = self.time.saturating_sub(begun.elapsed());
            for ((text, _), (answer, work)) in new.into_iter().zip(answers) {
                self.left = self.left.saturating_sub(work);
                log::debug!("{work} for an answer, {} left", self.left);
                self.known.insert(text, (answer, effort));
            }
            if self.time.is_zero() {
                self.left = 0;
            }
        }
        let known =
            |text: &String| self.known.get(text).map_or(Answer::Unknown, |(answer, _)| answer.clone());
        Ok(texts.iter().map(|(text, _)| known(text)).collect())
    }
}

/// The values of an answer by the names in the program.
fn example(asked: &Asked, answer: Answer) -> Option<Values> {
    let Answer::Sat(values) = answer else { return None };
    let wanted = asked.texts.last().map_or(&[][..], |(_, wanted)| wanted);
    let named = |(term, value): (String, String)| {
        let (_, name) = wanted.iter().find(|(known, _)| *known == term)?;
        Some((name.clone(), value))
    };
    Some(values.into_iter().filter_map(named).collect())
}
