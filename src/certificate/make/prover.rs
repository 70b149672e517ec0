//! The search for steps: terms are rewritten as long as something gets simpler, then the goal is divided into cases.

use hashbrown::HashSet;

use super::super::check::book::{Goal, Obligation};
use super::super::check::proof::{Checker, State};
use super::super::check::sexp::Sexp;
use super::super::check::term::{Node, Sort, Term, for_each_part};
use super::written::{Writer, list, word};
use super::{farkas, reduce};

/// Most steps for an obligation, and the deepest nesting of cases.
const MAX_STEPS: usize = 600;
const MAX_CASES: usize = 8;

/// Looks for steps.
pub(super) struct Prover<'t> {
    pub(super) checker: Checker<'t>,
    pub(super) writer: Writer,
    fuel: usize,
    /// What did not help under these facts.
    tried: HashSet<(Term, Vec<Term>)>,
}

impl<'t> Prover<'t> {
    pub(super) fn new(checker: Checker<'t>) -> Prover<'t> {
        let writer = Writer::new(checker.terms, checker.named);
        Prover { checker, writer, fuel: 0, tried: HashSet::new() }
    }

    /// What an obligation is about, for the log.
    pub(super) fn shown(&self, obligation: &Obligation) -> String {
        let show = |term| super::show_deep(self.checker.terms, term, 12);
        let facts: Vec<String> = obligation.place.facts.iter().map(|&fact| show(fact)).collect();
        let goal = match &obligation.goal {
            Goal::Same(a, b) => format!("{}  ==  {}", show(*a), show(*b)),
            Goal::Safe(safe, risk) => format!("{} or {risk:?}", show(*safe)),
        };
        format!("{goal}  under {}", facts.join("; "))
    }

    /// Steps that show an obligation.
    pub(super) fn prove(&mut self, obligation: &Obligation, state: State) -> Option<Vec<Sexp>> {
        self.fuel = MAX_STEPS;
        self.steps(obligation, state, 0)
    }

    fn steps(&mut self, obligation: &Obligation, mut state: State, depth: usize) -> Option<Vec<Sexp>> {
        let mut steps = Vec::new();
        self.tried.clear();
        loop {
            if self.checker.is_done(obligation, &state.goal) {
                return Some(steps);
            }
            self.fuel = self.fuel.checked_sub(1)?;
            let Some(step) = self.reduction(&state) else { break };
            if self.checker.apply(&mut state, &step).is_err() {
                return None;
            }
            steps.push(step);
        }
        // Facts may contradict each other where the goal does not hold.
        let near = self.checker.terms.int(0);
        if (depth > 0 || !state.facts.is_empty())
            && let Some(reason) = farkas::contradiction(self.checker.terms, &self.writer, &state.facts, near)
        {
            steps.push(list([word("absurd"), reason]));
            return Some(steps);
        }
        if depth == MAX_CASES {
            return None;
        }
        let condition = self.undecided(&state)?;
        let written = self.writer.write(self.checker.terms, condition)?;
        let mut arms = Vec::new();
        for holds in [true, false] {
            let case = self.checker.case(&state, &written, holds).ok()?;
            arms.push(Sexp::List(self.steps(obligation, case, depth + 1)?));
        }
        let no = arms.pop()?;
        steps.push(list([word("cases"), written, arms.pop()?, no]));
        Some(steps)
    }

    /// The parts of a goal, inner ones first.
    fn parts(&self, state: &State) -> Vec<Term> {
        let roots = match &state.goal {
            Goal::Same(a, b) => vec![*a, *b],
            Goal::Safe(safe, risk) => {
                let mut roots = vec![*safe];
                roots.extend(risk.terms());
                roots
            }
        };
        let (mut seen, mut order) = (HashSet::new(), Vec::new());
        let mut open: Vec<(Term, bool)> = roots.into_iter().map(|term| (term, false)).collect();
        while let Some((term, done)) = open.pop() {
            if done {
                order.push(term);
            } else if seen.insert(term) {
                open.push((term, true));
                for_each_part(self.checker.terms.node(term), |part| open.push((part, false)));
            }
        }
        order
    }

    /// A step that makes something simpler.
    fn reduction(&mut self, state: &State) -> Option<Sexp> {
        for term in self.parts(state) {
            if self.tried.contains(&(term, Vec::new())) {
                continue;
            }
            let step = reduce::step(self.checker.terms, &self.writer, &state.facts, term);
            match step {
                Some(step) => {
                    let mut copy = state.clone();
                    // A step that changes nothing would be tried forever.
                    let before = goal_terms(&state.goal);
                    if self.checker.apply(&mut copy, &step).is_ok() && goal_terms(&copy.goal) != before {
                        return Some(step);
                    }
                    self.tried.insert((term, Vec::new()));
                }
                None => {
                    self.tried.insert((term, Vec::new()));
                }
            }
        }
        None
    }

    /// A condition of the goal that is neither shown nor refuted.
    fn undecided(&self, state: &State) -> Option<Term> {
        let is_whole = |term: Term| matches!(self.checker.terms.node(term), Node::Whole(..));
        self.parts(state).into_iter().find(|&term| {
            self.checker.terms.sort(term) == Sort::Truth
                && !is_whole(term)
                && !matches!(
                    self.checker.terms.node(term),
                    Node::Truth(_) | Node::Not(_) | Node::And(_) | Node::Choice(..)
                )
        })
    }
}

fn goal_terms(goal: &Goal) -> Vec<Term> {
    match goal {
        Goal::Same(a, b) => vec![*a, *b],
        Goal::Safe(safe, risk) => std::iter::once(*safe).chain(risk.terms()).collect(),
    }
}
