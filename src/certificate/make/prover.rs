//! The search for steps: terms are rewritten as long as something gets simpler, then the goal is divided into cases.

use hashbrown::HashSet;

use super::super::check::book::{Goal, Obligation, Risk};
use super::super::check::proof::{Checker, State};
use super::super::check::sexp::Sexp;
use super::super::check::term::{Node, Sort, Term, for_each_part};
use super::reduce::{self, Manner};
use super::written::{Writer, list, word};
use super::{farkas, shown};

/// Most steps for an obligation, and the deepest nesting of cases.
const MAX_STEPS: usize = 600;
const MAX_CASES: usize = 8;

/// Looks for steps.
pub(super) struct Prover<'t> {
    pub(super) checker: Checker<'t>,
    pub(super) writer: Writer,
    fuel: usize,
    manner: Manner,
    /// What did not help under these facts.
    tried: HashSet<(Term, Vec<Term>)>,
}

impl<'t> Prover<'t> {
    pub(super) fn new(checker: Checker<'t>) -> Prover<'t> {
        let writer = Writer::new(checker.terms, checker.named);
        Prover { checker, writer, fuel: 0, manner: Manner::default(), tried: HashSet::new() }
    }

    /// What an obligation is about, for the log.
    pub(super) fn shown(&self, obligation: &Obligation) -> String {
        let show = |term| shown::show_deep(self.checker.terms, term, 12);
        let facts: Vec<String> = obligation.place.facts.iter().map(|&fact| show(fact)).collect();
        let goal = match &obligation.goal {
            Goal::Same(a, b) => format!("{}  ==  {}", show(*a), show(*b)),
            Goal::Safe(safe, risk) => format!("{} or {risk:?}", show(*safe)),
        };
        format!("{goal}  under {}", facts.join("; "))
    }

    /// Steps that show an obligation.
    pub(super) fn prove(&mut self, obligation: &Obligation, state: State) -> Option<Vec<Sexp>> {
        let manners = [(false, false), (true, false), (false, true), (true, true)];
        manners.into_iter().find_map(|(bold, nested)| {
            (self.fuel, self.manner) = (MAX_STEPS, Manner { bold, nested });
            self.steps(obligation, state.clone(), 0)
        })
    }

    fn steps(&mut self, obligation: &Obligation, mut state: State, depth: usize) -> Option<Vec<Sexp>> {
        let (mut steps, mut has_learned) = (Vec::new(), false);
        self.tried.clear();
        loop {
            if self.checker.is_done(obligation, &state.goal) {
                return Some(steps);
            }
            self.fuel = self.fuel.checked_sub(1)?;
            let reduction = self.reduction(&state);
            if let Some(reason) = self.writer.absurd.borrow().get(&state.facts) {
                steps.push(list([word("absurd"), reason.clone()]));
                return Some(steps);
            }
            match reduction {
                Some(step) => {
                    if self.checker.apply(&mut state, &step).is_err() {
                        return None;
                    }
                    steps.push(step);
                }
                None if !has_learned => {
                    has_learned = true;
                    steps.extend(self.learned(&mut state));
                    self.tried.clear();
                }
                None => break,
            }
        }
        log::trace!(
            "stuck {depth}: {:?} under {:?}",
            goal_terms(&state.goal)
                .iter()
                .map(|&t| shown::show_deep(self.checker.terms, t, 12))
                .collect::<Vec<_>>(),
            state.facts.iter().map(|&t| shown::show_deep(self.checker.terms, t, 12)).collect::<Vec<_>>()
        );
        if let Some((written, absurd)) = self.divisor(&state) {
            let case = self.checker.case(&state, &written, false).ok()?;
            let rest = Sexp::List(self.steps(obligation, case, depth)?);
            steps.push(list([word("cases"), written, Sexp::List(absurd), rest]));
            return Some(steps);
        }
        if depth == 0
            && let Some(step) = self.like(obligation, &state)
        {
            steps.push(step);
            return Some(steps);
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
        let condition = self.open_condition(&state)?;
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

    /// What is simpler of facts as further facts.
    fn learned(&mut self, state: &mut State) -> Vec<Sexp> {
        let mut learned = Vec::new();
        let always = self.checker.terms.truth(true);
        for number in 0..state.facts.len() {
            // A fact is not used to simplify itself.
            let fact = std::mem::replace(&mut state.facts[number], always);
            let mut made = State { goal: Goal::Same(fact, always), facts: state.facts.clone() };
            state.facts[number] = fact;
            let mut steps = vec![word("learn"), word(number.to_string())];
            self.tried.clear();
            while let Some(left) = self.fuel.checked_sub(1) {
                self.fuel = left;
                let Some(step) = self.reduction(&made) else { break };
                if self.checker.apply(&mut made, &step).is_err() {
                    break;
                }
                steps.push(step);
            }
            let known = state.facts.len();
            let step = Sexp::List(steps);
            if self.checker.apply(state, &step).is_ok() {
                if state.facts[known..].iter().all(|new| state.facts[..known].contains(new)) {
                    state.facts.truncate(known);
                } else {
                    learned.push(step);
                }
            }
        }
        learned
    }

    /// The risk as one that the first program takes there.
    fn like(&mut self, obligation: &Obligation, state: &State) -> Option<Sexp> {
        /// Most risks that are compared.
        const MAX_TRIED: usize = 24;
        let Goal::Safe(_, risk) = &state.goal else { return None };
        let mut tried = 0;
        for (number, one) in self.checker.book.evaluated.iter().enumerate() {
            let number = word(number.to_string());
            if let (Risk::Division(whole), Risk::Division(part)) = (&one.risk, risk) {
                let (whole, part) = (*whole, *part);
                if let Some(step) = self.factor(obligation, state, &number, whole, part) {
                    return Some(step);
                }
            }
            let Ok(goals) = self.checker.like(obligation, state, &number) else { continue };
            tried += 1;
            if tried > MAX_TRIED {
                return None;
            }
            let mut all = vec![word("like"), number];
            let (operands, wanted) = (risk.terms().len(), goals.len() + 2);
            for (i, goal) in goals.into_iter().enumerate() {
                let case = State { goal, facts: state.facts.clone() };
                // Operands are reduced only, conditions may have cases.
                let depth = if i < operands { MAX_CASES } else { MAX_CASES - 3 };
                match self.steps(obligation, case, depth) {
                    Some(steps) => all.push(Sexp::List(steps)),
                    None => break,
                }
            }
            if all.len() == wanted {
                return Some(Sexp::List(all));
            }
        }
        None
    }

    /// The divisor as a factor of one of the first program.
    fn factor(
        &mut self,
        obligation: &Obligation,
        state: &State,
        number: &Sexp,
        whole: Term,
        part: Term,
    ) -> Option<Sexp> {
        let whole = self.normal(state, whole)?;
        let (quotient, rest) = reduce::divided(self.checker.terms, whole, part);
        if !rest.is_empty() {
            return None;
        }
        let factor = self.checker.terms.sum(quotient)?;
        let written = self.writer.write(self.checker.terms, factor)?;
        let goal = self.checker.factor(obligation, state, number, &written).ok()?;
        let steps = self.steps(obligation, State { goal, facts: state.facts.clone() }, MAX_CASES)?;
        Some(list([word("factor"), number.clone(), written, Sexp::List(steps)]))
    }

    /// A term after all reductions.
    fn normal(&mut self, state: &State, term: Term) -> Option<Term> {
        let mut state = State { goal: Goal::Same(term, term), facts: state.facts.clone() };
        self.tried.clear();
        loop {
            self.fuel = self.fuel.checked_sub(1)?;
            let Some(step) = self.reduction(&state) else { break };
            self.checker.apply(&mut state, &step).ok()?;
        }
        match state.goal {
            Goal::Same(term, _) => Some(term),
            Goal::Safe(..) => None,
        }
    }

    /// All parts of terms, inner ones first.
    fn parts(&self, roots: Vec<Term>) -> Vec<Term> {
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
        let parts = self.parts(goal_terms(&state.goal));
        let is_quotient = |&term: &Term| matches!(self.checker.terms.node(term), Node::Quotient(..));
        let mut quotients: Vec<Term> = parts.iter().copied().filter(is_quotient).collect();
        if self.manner.nested {
            // Facts and goals are written alike.
            quotients.extend(self.parts(state.facts.clone()).into_iter().filter(is_quotient));
        }
        // A bound of a quotient is one of its dividend, which is simpler as it is written.
        let is_bound = |&term: &Term| match *self.checker.terms.node(term) {
            Node::NotNegative(a) => {
                let products = self.checker.terms.products(a);
                let mut atoms = products.iter().filter(|(monomial, _)| !monomial.is_empty());
                let of_quotient = |(monomial, factor): &(Vec<Term>, i128)| {
                    factor.abs() == 1 && monomial.len() == 1 && is_quotient(&monomial[0])
                };
                atoms.next().is_some_and(of_quotient) && atoms.next().is_none()
            }
            _ => false,
        };
        let bounds: Vec<Term> =
            parts.iter().copied().filter(|term| self.manner.bold && is_bound(term)).collect();
        for term in bounds.into_iter().chain(parts) {
            if self.tried.contains(&(term, Vec::new())) {
                continue;
            }
            let step =
                reduce::step(self.checker.terms, &self.writer, &state.facts, term, &quotients, self.manner);
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

    /// A condition that the goal depends on, and that no fact decides.
    fn open_condition(&mut self, state: &State) -> Option<Term> {
        self.carried(state)
            .filter(|&condition| !self.is_known(state, condition))
            .or_else(|| self.undecided(state))
            .or_else(|| self.unordered(state))
    }

    /// Whether a condition or its negation is a fact: then cases of it say nothing new.
    fn is_known(&mut self, state: &State, condition: Term) -> bool {
        let negation = self.checker.terms.not(condition);
        [condition, negation].iter().any(|fact| state.facts.contains(fact))
    }

    /// A condition of the goal that is neither shown nor refuted.
    fn undecided(&mut self, state: &State) -> Option<Term> {
        self.parts(goal_terms(&state.goal)).into_iter().find(|&term| {
            self.checker.terms.sort(term) == Sort::Truth
                && !matches!(
                    self.checker.terms.node(term),
                    Node::Truth(_) | Node::Not(_) | Node::And(_) | Node::Choice(..) | Node::Whole(..)
                )
                && !self.is_known(state, term)
        })
    }
}

impl Prover<'_> {
    /// That a factor of a divisor is zero, which contradicts facts though none says so, and why.
    fn divisor(&mut self, state: &State) -> Option<(Sexp, Vec<Sexp>)> {
        /// Most factors that are looked at.
        const MAX_FACTORS: usize = 12;
        let mut divisors = Vec::new();
        if let Goal::Safe(_, Risk::Division(b)) = state.goal {
            divisors.push(b);
        }
        for term in self.parts(goal_terms(&state.goal)) {
            if let Node::Quotient(_, b) | Node::Truncated(_, b) = *self.checker.terms.node(term) {
                divisors.push(b);
            }
        }
        let mut factors = Vec::new();
        for b in divisors {
            match &self.checker.terms.products(b)[..] {
                [(monomial, _)] => factors.extend(monomial.iter().copied()),
                _ => factors.push(b),
            }
        }
        factors.sort_unstable();
        factors.dedup();
        for factor in factors.into_iter().take(MAX_FACTORS) {
            let terms = &mut *self.checker.terms;
            let condition = terms.is_zero(factor);
            let nonzero = terms.not(condition);
            if terms.as_truth(condition).is_some() || state.facts.contains(&nonzero) {
                continue;
            }
            let Some(written) = self.writer.write(terms, condition) else { continue };
            let Ok(mut case) = self.checker.case(state, &written, true) else { continue };
            let near = |prover: &mut Self, facts: &[Term]| {
                farkas::contradiction(prover.checker.terms, &prover.writer, facts, factor)
            };
            let mut steps = Vec::new();
            let mut reason = near(self, &case.facts);
            if reason.is_none() {
                steps = self.learned(&mut case);
                if !steps.is_empty() {
                    reason = near(self, &case.facts);
                }
            }
            if let Some(reason) = reason {
                steps.push(list([word("absurd"), reason]));
                return Some((written, steps));
            }
        }
        None
    }

    /// Whether the remainder and what the dividend of another quotient is ahead are as much as the divisor.
    fn carried(&mut self, state: &State) -> Option<Term> {
        let all = self.parts(goal_terms(&state.goal));
        for &term in &all {
            let Node::Quotient(a, b) = *self.checker.terms.node(term) else { continue };
            for &other in &all {
                if let Some(k) = reduce::ahead(self.checker.terms, a, b, other)
                    && let Node::Quotient(x, _) = *self.checker.terms.node(other)
                {
                    let rest = self.checker.terms.remainder(x, b);
                    let terms = &mut *self.checker.terms;
                    let k = terms.int(k);
                    let sum = terms.add(rest, k);
                    let over = terms.at_most(b, sum);
                    return Some(match *terms.node(over) {
                        Node::Not(inner) => inner,
                        _ => over,
                    });
                }
            }
        }
        None
    }

    /// Of the operands of a minimum or maximum, whether one is at most another one: of the goal, then of facts.
    fn unordered(&mut self, state: &State) -> Option<Term> {
        self.unordered_in(goal_terms(&state.goal), state)
            .or_else(|| self.unordered_in(state.facts.clone(), state))
    }

    /// The same of the terms in these.
    fn unordered_in(&mut self, roots: Vec<Term>, state: &State) -> Option<Term> {
        for term in self.parts(roots) {
            let (Node::Least(parts) | Node::Greatest(parts)) = self.checker.terms.node(term).clone() else {
                continue;
            };
            for (i, &a) in parts.iter().enumerate() {
                for &b in &parts[..i] {
                    let mut condition = self.checker.terms.at_most(b, a);
                    match *self.checker.terms.node(condition) {
                        Node::Truth(_) => continue,
                        Node::Not(inner) => condition = inner,
                        _ => {}
                    }
                    if !self.is_known(state, condition) {
                        return Some(condition);
                    }
                }
            }
        }
        None
    }
}

fn goal_terms(goal: &Goal) -> Vec<Term> {
    match goal {
        Goal::Same(a, b) => vec![*a, *b],
        Goal::Safe(safe, risk) => std::iter::once(*safe).chain(risk.terms()).collect(),
    }
}
