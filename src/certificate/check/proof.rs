//! Steps of a certificate: each changes what is to be shown, by a rule whose conditions are shown, or divides it into cases.

use hashbrown::HashMap;

use super::book::{Book, Goal, Obligation, Risk, facts_of, is_taken, push_fact, required};
use super::rules::{Instance, Letters, Rules, build};
use super::sexp::Sexp;
use super::term::{MAX_TERM_DEPTH, Monomial, Node, Sort, Term, Terms};

/// Most steps for one obligation, in all of its cases, and most terms that they may make.
const MAX_STEPS: usize = 4000;
const MAX_NEW_TERMS: usize = 200_000;

/// What checking takes.
pub(crate) struct Checker<'t> {
    pub(crate) terms: &'t mut Terms,
    pub(crate) book: &'t Book,
    pub(crate) rules: &'t Rules,
    /// Terms that a certificate may name by number: those of the programs.
    pub(crate) named: usize,
}

/// What is still to be shown, and under which facts.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) goal: Goal,
    pub(crate) facts: Vec<Term>,
}

impl Checker<'_> {
    /// Whether an obligation holds as it is, without a certificate.
    pub(crate) fn is_plain(&mut self, obligation: &Obligation) -> bool {
        self.is_done(obligation, &obligation.goal)
    }

    /// Whether a goal of an obligation, as steps have left it, holds as it is.
    pub(crate) fn is_done(&mut self, obligation: &Obligation, goal: &Goal) -> bool {
        match goal {
            Goal::Same(a, b) => a == b,
            Goal::Safe(safe, risk) => {
                self.terms.as_truth(*safe) == Some(true)
                    || is_taken(self.terms, self.book, &obligation.place, obligation.epoch, risk)
            }
        }
    }

    /// Checks the steps for an obligation.
    ///
    /// # Errors
    ///
    /// Says which step is wrong, or that they do not show it.
    pub(crate) fn check(&mut self, obligation: &Obligation, steps: &[Sexp]) -> Result<(), String> {
        let state =
            State { goal: obligation.goal.clone(), facts: facts_of(self.terms, self.book, obligation) };
        let (mut left, limit) = (MAX_STEPS, self.terms.count() + MAX_NEW_TERMS);
        self.steps(obligation, state, steps, &mut left, limit)
    }

    fn steps(
        &mut self,
        obligation: &Obligation,
        mut state: State,
        steps: &[Sexp],
        left: &mut usize,
        limit: usize,
    ) -> Result<(), String> {
        for (i, step) in steps.iter().enumerate() {
            *left = left.checked_sub(1).ok_or("too many steps")?;
            if self.terms.count() > limit || self.terms.deepest > MAX_TERM_DEPTH {
                return Err("the steps make too many terms".into());
            }
            let last = i + 1 == steps.len();
            match step.call() {
                Some(("cases", [condition, Sexp::List(yes), Sexp::List(no)])) if last => {
                    for (holds, steps) in [(true, yes), (false, no)] {
                        let case = self.case(&state, condition, holds)?;
                        self.steps(obligation, case, steps, left, limit)?;
                    }
                    return Ok(());
                }
                Some(("like", [number, of @ ..])) if last => {
                    let goals = self.like(obligation, &state, number)?;
                    if goals.len() != of.len() {
                        return Err("each part of a risk has steps".into());
                    }
                    for (goal, steps) in goals.into_iter().zip(of) {
                        let steps = steps.list().ok_or("each part of a risk has steps")?;
                        let case = State { goal, facts: state.facts.clone() };
                        self.steps(obligation, case, steps, left, limit)?;
                    }
                    return Ok(());
                }
                Some(("factor", [number, factor, Sexp::List(steps)])) if last => {
                    let goal = self.factor(obligation, &state, number, factor)?;
                    return self.steps(obligation, State { goal, facts: state.facts }, steps, left, limit);
                }
                Some(("absurd", [reason])) if last => {
                    let minus_one = self.terms.int(-1);
                    return match self.follows(&state.facts, minus_one, reason)? {
                        true => Ok(()),
                        false => Err("the facts do not contradict each other".into()),
                    };
                }
                _ => self.apply(&mut state, step)?,
            }
        }
        match self.is_done(obligation, &state.goal) {
            true => Ok(()),
            false => Err("the steps do not show it".into()),
        }
    }

    /// The risk that the first program takes there, of this number.
    fn taken(&mut self, obligation: &Obligation, number: &Sexp) -> Result<Risk, String> {
        let risk = number.number().and_then(|n| self.book.evaluated.get(n)).map(|one| one.risk.clone());
        let risk = risk.ok_or("the first program takes no such risk")?;
        match is_taken(self.terms, self.book, &obligation.place, obligation.epoch, &risk) {
            true => Ok(risk),
            false => Err("the first program takes a risk elsewhere".into()),
        }
    }

    /// That a risk is one that the first program takes: its operands are the same, and what leads there holds.
    pub(crate) fn like(
        &mut self,
        obligation: &Obligation,
        state: &State,
        number: &Sexp,
    ) -> Result<Vec<Goal>, String> {
        let one = number
            .number()
            .and_then(|n| self.book.evaluated.get(n))
            .ok_or("the first program takes no such risk")?;
        if one.epoch > obligation.epoch {
            return Err("the first program takes a risk later".into());
        }
        let Goal::Safe(_, risk) = &state.goal else { return Err("only a risk is like another one".into()) };
        let (taken, needed) = required(self.terms, self.book, one, &obligation.place, true)
            .ok_or("the first program takes a risk elsewhere")?;
        let same = match (risk, &taken) {
            (Risk::Load(a, i), Risk::Load(b, j)) => a == b && i.len() == j.len(),
            (Risk::Division(_), Risk::Division(_)) => true,
            _ => false,
        };
        if !same {
            return Err("a risk of another kind".into());
        }
        let operands = risk.terms().into_iter().zip(taken.terms());
        let mut goals: Vec<Goal> = operands.map(|(a, b)| Goal::Same(a, b)).collect();
        let always = self.terms.truth(true);
        for condition in needed {
            if !state.facts.contains(&condition) {
                goals.push(Goal::Same(condition, always));
            }
        }
        Ok(goals)
    }

    /// That a divisor is a factor of one by which the first program divides.
    pub(crate) fn factor(
        &mut self,
        obligation: &Obligation,
        state: &State,
        number: &Sexp,
        factor: &Sexp,
    ) -> Result<Goal, String> {
        let (Risk::Division(whole), Goal::Safe(_, Risk::Division(part))) =
            (self.taken(obligation, number)?, &state.goal)
        else {
            return Err("only a divisor is a factor of another one".into());
        };
        let factor = self.term(factor)?;
        if self.terms.sort(factor) != Sort::Int {
            return Err("a factor is an integer".into());
        }
        let product = self.terms.mul(*part, factor);
        Ok(Goal::Same(product, whole))
    }

    /// A step after which there is one goal.
    pub(crate) fn apply(&mut self, state: &mut State, step: &Sexp) -> Result<(), String> {
        match step.call() {
            Some(("rewrite", [name, letters, conditions @ ..])) => {
                self.rewrite(state, name, letters, conditions, None)
            }
            Some(("solve", [atom, name, letters, conditions @ ..])) => {
                self.rewrite(state, name, letters, conditions, Some(atom))
            }
            Some(("fits", [wrapped, low, high])) => self.fits(state, wrapped, low, high),
            Some(("fact", [number])) => self.fact(state, number),
            Some(("learn", [number, steps @ ..])) => self.learn(state, number, steps),
            _ => Err("no step of a certificate".into()),
        }
    }

    /// The goal where a condition holds, or does not.
    pub(crate) fn case(&mut self, state: &State, condition: &Sexp, holds: bool) -> Result<State, String> {
        let condition = self.term(condition)?;
        if self.terms.sort(condition) != Sort::Truth {
            return Err("cases of what is no condition".into());
        }
        let mut state = state.clone();
        let fact = if holds { condition } else { self.terms.not(condition) };
        push_fact(self.terms, fact, &mut state.facts);
        let value = self.terms.truth(holds);
        self.replace(&mut state, condition, value);
        Ok(state)
    }

    /// An integer that fits the type that wraps it.
    fn fits(&mut self, state: &mut State, wrapped: &Sexp, low: &Sexp, high: &Sexp) -> Result<(), String> {
        let wrapped = self.term(wrapped)?;
        let Node::Wrap(_, _, inner) = *self.terms.node(wrapped) else {
            return Err("only what is wrapped may fit".into());
        };
        let bounds = self.terms.bounds(wrapped);
        let (Some(least), Some(greatest)) = (bounds.lo, bounds.hi) else {
            return Err("a type without bounds".into());
        };
        let (least, greatest) = (self.terms.int(least), self.terms.int(greatest));
        let (above, below) = (self.terms.sub(inner, least), self.terms.sub(greatest, inner));
        if !self.follows(&state.facts, above, low)? || !self.follows(&state.facts, below, high)? {
            return Err("it is not shown that an integer fits its type".into());
        }
        self.replace(state, wrapped, inner);
        Ok(())
    }

    /// The term that a certificate writes.
    fn term(&mut self, e: &Sexp) -> Result<Term, String> {
        if let Some(number) = e.word().and_then(|word| word.strip_prefix('#'))
            && number.parse::<usize>().is_ok_and(|number| number >= self.named)
        {
            return Err(format!("no term `#{number}`"));
        }
        build(self.terms, e, &Letters::new())
    }

    fn instance(&mut self, name: &Sexp, letters: &Sexp) -> Result<Instance, String> {
        let name = name.word().ok_or("a rule has a name")?;
        let mut known = Letters::new();
        for pair in letters.list().ok_or("the letters of a rule are a list")? {
            let (letter, value) = pair.call().ok_or("a letter of a rule has a value")?;
            let [value] = value else { return Err(format!("`{letter}` has one value")) };
            let value = self.term(value)?;
            // Only letters: what a rule says of constants stays.
            if !letter.starts_with(['?', '#']) || !letter[1..].starts_with(|c: char| c.is_ascii_alphabetic())
            {
                return Err(format!("`{letter}` is no letter of a rule"));
            }
            known.insert(letter.to_owned(), value);
        }
        self.rules.instance(self.terms, name, &known)
    }

    /// One side of a rule in place of the other; with `solved`, what the equation says of an atom in place of it.
    fn rewrite(
        &mut self,
        state: &mut State,
        name: &Sexp,
        letters: &Sexp,
        conditions: &[Sexp],
        solved: Option<&Sexp>,
    ) -> Result<(), String> {
        let instance = self.instance(name, letters)?;
        if conditions.len() != instance.conditions.len() {
            return Err("a rule with another number of conditions".into());
        }
        for (&condition, reason) in instance.conditions.iter().zip(conditions) {
            if !self.holds(&state.facts, condition, reason)? {
                return Err(format!("a condition of rule `{}` is not shown", name.word().unwrap_or("?")));
            }
        }
        let (left, right) = match solved {
            None => (instance.left, instance.right),
            Some(atom) => {
                let atom = self.term(atom)?;
                (atom, self.solved(instance.left, instance.right, atom)?)
            }
        };
        if matches!(self.terms.node(left), Node::Sum(_) | Node::Int(_) | Node::Truth(_)) {
            return Err("a sum or a constant is not replaced".into());
        }
        self.replace(state, left, right);
        Ok(())
    }

    /// What `left == right` says of an atom that occurs in it once, with factor 1 or -1.
    fn solved(&mut self, left: Term, right: Term, atom: Term) -> Result<Term, String> {
        let wrong = || "an equation that does not say what this is".to_owned();
        if [left, right].iter().any(|&side| self.terms.sort(side) != Sort::Int) {
            return Err(wrong());
        }
        let difference = self.terms.sub(left, right);
        let mut products = self.terms.products(difference);
        let at = products.iter().position(|(m, _)| m[..] == [atom]).ok_or_else(wrong)?;
        let (_, factor) = products.remove(at);
        if factor.abs() != 1 || products.iter().any(|(m, _): &(Monomial, i128)| m.contains(&atom)) {
            return Err(wrong());
        }
        products.iter_mut().for_each(|(_, f)| *f *= -factor);
        self.terms.sum(products).ok_or_else(wrong)
    }

    /// A fact is true, or says what an atom is.
    fn fact(&mut self, state: &mut State, number: &Sexp) -> Result<(), String> {
        let fact = fact_of(&state.facts, number)?;
        let (part, value) = match *self.terms.node(fact) {
            Node::Not(inner) => (inner, false),
            _ => (fact, true),
        };
        let value = self.terms.truth(value);
        self.replace(state, part, value);
        Ok(())
    }

    /// What steps make of a fact holds too.
    fn learn(&mut self, state: &mut State, number: &Sexp, steps: &[Sexp]) -> Result<(), String> {
        let fact = fact_of(&state.facts, number)?;
        let always = self.terms.truth(true);
        let mut made = State { goal: Goal::Same(fact, always), facts: state.facts.clone() };
        for step in steps {
            if step.call().is_some_and(|(head, _)| head == "learn") {
                return Err("a fact is learned from one that is there".into());
            }
            self.apply(&mut made, step)?;
            if self.terms.deepest > MAX_TERM_DEPTH {
                return Err("the steps make too deep terms".into());
            }
        }
        if let Goal::Same(learned, _) = made.goal {
            push_fact(self.terms, learned, &mut state.facts);
        }
        Ok(())
    }

    fn replace(&mut self, state: &mut State, part: Term, by: Term) {
        // Of a condition and its negation, the one that terms are made of.
        let (part, by) = match *self.terms.node(part) {
            Node::Not(inner) => (inner, self.terms.not(by)),
            _ => (part, by),
        };
        let mut done = HashMap::new();
        let mut all = |terms: &mut Terms, of: &[Term]| -> Vec<Term> {
            of.iter().map(|&term| terms.replace(term, part, by, &mut done)).collect()
        };
        state.goal = match &state.goal {
            Goal::Same(a, b) => {
                let of = all(self.terms, &[*a, *b]);
                Goal::Same(of[0], of[1])
            }
            Goal::Safe(safe, risk) => {
                let safe = all(self.terms, &[*safe])[0];
                let of = all(self.terms, &risk.terms());
                Goal::Safe(safe, risk.with(&of))
            }
        };
    }

    /// Whether a condition follows from facts, for the reason that is given.
    fn holds(&mut self, facts: &[Term], condition: Term, reason: &Sexp) -> Result<bool, String> {
        if reason.word() == Some("known") {
            let mut parts = Vec::new();
            push_fact(self.terms, condition, &mut parts);
            return Ok(parts.iter().all(|part| facts.contains(part)));
        }
        match *self.terms.node(condition) {
            Node::NotNegative(a) => self.follows(facts, a, reason),
            Node::Not(inner) => match *self.terms.node(inner) {
                Node::NotNegative(a) => {
                    let minus_one = self.terms.int(-1);
                    let opposite = self.terms.combine(1, minus_one, -1, a);
                    self.follows(facts, opposite, reason)
                }
                Node::IsZero(a) => {
                    let minus_one = self.terms.int(-1);
                    let above = self.terms.combine(1, a, 1, minus_one);
                    let below = self.terms.combine(-1, a, 1, minus_one);
                    Ok(self.follows(facts, above, reason)? || self.follows(facts, below, reason)?)
                }
                _ => Ok(false),
            },
            Node::IsZero(a) => {
                let Some(("both", [low, high])) = reason.call() else { return Ok(false) };
                let zero = self.terms.int(0);
                let opposite = self.terms.sub(zero, a);
                Ok(self.follows(facts, a, low)? && self.follows(facts, opposite, high)?)
            }
            Node::Truth(value) => Ok(value),
            _ => Ok(false),
        }
    }

    /// Whether `target >= 0`, because a multiple of it is a sum of multiples of what is not negative, and a constant that is
    /// above -1 of it: `(sum MULTIPLE (FACTOR FACT)...)`. Where its own bounds say so no reason is needed.
    pub(crate) fn follows(&mut self, facts: &[Term], target: Term, reason: &Sexp) -> Result<bool, String> {
        if self.terms.bounds(target).lo.is_some_and(|lo| lo >= 0) {
            return Ok(true);
        }
        let Some(("sum", [multiple, parts @ ..])) = reason.call() else { return Ok(false) };
        let multiple = number(multiple).filter(|&m| m > 0).ok_or("a sum has a positive multiple")?;
        let zero = self.terms.int(0);
        let mut rest = self.terms.combine(multiple, target, 0, zero);
        for part in parts {
            let [factor, fact] = part.list().unwrap_or_default() else {
                return Err("a part of a sum is a factor and a fact".into());
            };
            let factor = number(factor).ok_or("a part of a sum has a factor")?;
            let (fact, equals_zero) = self.nonnegative(facts, fact)?;
            if factor < 0 && !equals_zero {
                return Err("a negative multiple of what is not negative".into());
            }
            rest = self.terms.combine(1, rest, -factor, fact);
        }
        Ok(self.terms.as_int(rest).is_some_and(|rest| rest > -multiple))
    }

    /// What a certificate names as not negative, and whether it is even zero: a fact by its number, a bound of a term, what the
    /// definition of a quotient or of the least or greatest says, a quotient of what is not negative, a product of two such.
    fn nonnegative(&mut self, facts: &[Term], e: &Sexp) -> Result<(Term, bool), String> {
        let wrong = || "no fact of this kind".to_owned();
        let (kind, parts) = e.call().ok_or_else(wrong)?;
        match (kind, parts) {
            ("fact", [number]) => {
                let fact = fact_of(facts, number)?;
                linear(self.terms, fact).ok_or_else(wrong)
            }
            ("times", [a, b]) => {
                let ((a, p), (b, q)) = (self.nonnegative(facts, a)?, self.nonnegative(facts, b)?);
                Ok((self.terms.mul(a, b), p || q))
            }
            ("quotient", [of, reason]) => {
                let of = self.term(of)?;
                let (a, b) = match *self.terms.node(of) {
                    Node::Quotient(a, b) | Node::Truncated(a, b) => (a, b),
                    _ => return Err(wrong()),
                };
                let positive = self.terms.bounds(b).lo.is_some_and(|lo| lo >= 0);
                match positive && self.follows(facts, a, reason)? {
                    true => Ok((of, false)),
                    false => Err(wrong()),
                }
            }
            (_, [of]) => {
                let of = self.term(of)?;
                by_definition(self.terms, facts, kind, of, None).map(|term| (term, false)).ok_or_else(wrong)
            }
            (_, [of, part]) => {
                let (of, part) = (self.term(of)?, self.term(part)?);
                by_definition(self.terms, facts, kind, of, Some(part))
                    .map(|term| (term, false))
                    .ok_or_else(wrong)
            }
            _ => Err(wrong()),
        }
    }
}

/// What a condition says is not negative, and whether it is zero.
pub(crate) fn linear(terms: &mut Terms, condition: Term) -> Option<(Term, bool)> {
    match *terms.node(condition) {
        Node::NotNegative(a) => Some((a, false)),
        Node::IsZero(a) => Some((a, true)),
        // What is never true says as much as that -1 is not negative.
        Node::Truth(false) => Some((terms.int(-1), false)),
        Node::Not(inner) => match *terms.node(inner) {
            Node::NotNegative(a) => {
                let minus_one = terms.int(-1);
                Some((terms.combine(1, minus_one, -1, a), false))
            }
            // Not zero, and on one side of it.
            Node::IsZero(a) => {
                let (bounds, minus_one) = (terms.bounds(a), terms.int(-1));
                match (bounds.lo, bounds.hi) {
                    (Some(0..), _) => Some((terms.combine(1, a, 1, minus_one), false)),
                    (_, Some(..=0)) => Some((terms.combine(-1, a, 1, minus_one), false)),
                    _ => None,
                }
            }
            _ => None,
        },
        _ => None,
    }
}

/// What is not negative by what a term is.
pub(crate) fn by_definition(
    terms: &mut Terms,
    facts: &[Term],
    kind: &str,
    of: Term,
    part: Option<Term>,
) -> Option<Term> {
    let bounds = terms.bounds(of);
    match (kind, terms.node(of).clone(), part) {
        ("low", _, None) => {
            let low = terms.int(bounds.lo?);
            Some(terms.sub(of, low))
        }
        ("high", _, None) => {
            let high = terms.int(bounds.hi?);
            Some(terms.sub(high, of))
        }
        // The remainder is not negative, and below the divisor.
        ("rest" | "below", Node::Quotient(a, b), None) => {
            let (zero, one) = (terms.int(0), terms.int(1));
            let (positive, is_zero) = (terms.less(zero, b), terms.is_zero(b));
            let nonzero = terms.not(is_zero);
            let known = terms.as_truth(positive) == Some(true) || facts.contains(&positive);
            let above = terms.bounds(b).lo.is_some_and(|lo| lo >= 0) && facts.contains(&nonzero);
            if !known && !above {
                return None;
            }
            let rest = terms.remainder(a, b);
            if kind == "rest" {
                return Some(rest);
            }
            let below = terms.sub(b, rest);
            Some(terms.sub(below, one))
        }
        ("above", Node::Least(parts), Some(part)) if parts.contains(&part) => Some(terms.sub(part, of)),
        ("above", Node::Greatest(parts), Some(part)) if parts.contains(&part) => Some(terms.sub(of, part)),
        _ => None,
    }
}

fn number(e: &Sexp) -> Option<i128> {
    const MAX: i128 = 1 << 60;
    e.word()?.parse().ok().filter(|n: &i128| (-MAX..=MAX).contains(n))
}

/// The fact of this number.
fn fact_of(facts: &[Term], number: &Sexp) -> Result<Term, String> {
    number.number().and_then(|n| facts.get(n)).copied().ok_or_else(|| "no such fact".to_owned())
}
