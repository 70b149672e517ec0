//! Questions about expressions, by what their answers depend on.
//!
//! A fact that has no variable and no buffer in common with an expression, also through other facts, says nothing of it,
//! unless facts contradict each other. Names do not matter either: unrolled copies and neighbouring loops ask the same of
//! other variables. So variables are numbered in the order of their occurrence, and a question is one about numbers, each
//! with the range and the value that it has.

use crate::analysis::known::Known;
use crate::analysis::magnitude::Magnitude;
use crate::analysis::mentions::Mentions;
use crate::analysis::numbers::Numbers;
use crate::arith::Interval;
use crate::ir::{Expr, ExprKind};

/// An expression and what is known that has to do with it, in numbered variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Question {
    expr: Expr,
    facts: Vec<(Expr, bool)>,
    /// Range, value and bound of each variable.
    vars: Vec<(Interval, Option<Expr>, Option<Magnitude>)>,
}

impl Question {
    /// What `e` is where `known` holds.
    pub(super) fn new(known: &Known, e: &Expr) -> (Question, Numbers) {
        let mut numbers = Numbers::default();
        let expr = numbers.number(e);
        let Subject { mentions, facts } = Subject::of(known, [e]);
        let facts = facts.into_iter().map(|position| &known.facts[position]);
        let facts = facts.map(|(fact, truth)| (numbers.number(fact), *truth)).collect();
        let mut vars = Vec::new();
        while let Some(var) = numbers.var(vars.len()) {
            let range = known.ranges.get(var.index()).copied().unwrap_or(Interval::ALL);
            let value = known.values.get(&var).filter(|_| mentions.values.contains(&var));
            let value = value.map(|value| numbers.number(value));
            vars.push((range, value, known.magnitudes.of_var(var).cloned()));
        }
        (Question { expr, facts, vars }, numbers)
    }

    /// Whether what has to do with it is all that has to do with the expressions that [`about`] was asked of, and nothing was left
    /// out.
    pub(super) fn is_all(&self, about: &Known) -> bool {
        self.facts.len() == about.facts.len() && self.facts.len() < MAX_FACTS
    }

    /// The question without the numbers in it.
    pub(super) fn shape(&self) -> Shape {
        let mut shape = self.clone();
        without_numbers(&mut shape.expr);
        shape.facts.iter_mut().for_each(|(fact, _)| without_numbers(fact));
        Shape(shape)
    }
}

/// What questions have in common that differ only in the integers of their expressions: unrolled copies ask many of them. Those
/// near 0, of which rules speak, are told apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape(Question);

fn without_numbers(e: &mut Expr) {
    /// Stands for all other integers.
    const OTHER: i64 = 3;
    match &mut e.kind {
        ExprKind::Int(value) if value.unsigned_abs() >= OTHER.unsigned_abs() => *value = OTHER,
        _ => e.for_each_child_mut(without_numbers),
    }
}

/// What is known that has to do with expressions.
pub(super) fn about(known: &Known, exprs: &[&Expr]) -> Known {
    part(known, &Subject::of(known, exprs.iter().copied()))
}

/// What is known that has to do with expressions: of each what [`about`] says of it alone.
pub(super) fn about_each<'e>(known: &Known, exprs: impl Iterator<Item = &'e Expr>) -> Known {
    let mut all = Subject::default();
    for e in exprs {
        let Subject { mentions, facts } = Subject::of(known, [e]);
        all.mentions.extend(&mentions);
        all.facts.extend(facts);
    }
    all.facts.sort_unstable();
    all.facts.dedup();
    part(known, &all)
}

fn part(known: &Known, subject: &Subject) -> Known {
    let values =
        subject.mentions.values.iter().filter_map(|var| Some((*var, known.values.get(var)?.clone())));
    Known {
        ranges: known.ranges.clone(),
        facts: known.facts.part(&subject.facts),
        values: values.collect(),
        magnitudes: known.magnitudes.clone(),
    }
}

/// The most facts that are looked at with expressions, of the nearest places first: a graph takes all of them in, and a function
/// may assume thousands.
pub(super) const MAX_FACTS: usize = 32;

/// What expressions speak of, together with the facts that speak of some of it.
#[derive(Default)]
struct Subject {
    mentions: Mentions,
    /// The facts, by their positions, ascending.
    facts: Vec<usize>,
}

impl Subject {
    fn of<'e>(known: &Known, exprs: impl IntoIterator<Item = &'e Expr>) -> Subject {
        let mut mentions = Mentions::of(exprs, &known.values);
        let mut facts = Vec::new();
        while facts.len() < MAX_FACTS {
            let near = known.facts.nearest(&mentions, &facts, MAX_FACTS - facts.len());
            if near.is_empty() {
                break;
            }
            near.iter().for_each(|&position| known.facts.mention(position, &mut mentions));
            facts.extend(near);
        }
        facts.sort_unstable();
        Subject { mentions, facts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{BinOp, DType, VarId};

    fn var(i: u32) -> Expr {
        Expr::var(VarId(i), DType::I32)
    }

    fn below(a: Expr, b: Expr) -> (Expr, bool) {
        (Expr::binary(BinOp::Lt, a, b), true)
    }

    fn known(facts: Vec<(Expr, bool)>) -> Known {
        Known { facts: facts.into_iter().collect(), ..Known::default() }
    }

    #[test]
    fn questions_are_equal_up_to_names() {
        let known = Known {
            ranges: vec![Interval::ALL, Interval::ALL, Interval::NON_NEGATIVE].into(),
            ..Known::default()
        };
        let ask = |e: Expr| Question::new(&known, &e).0;
        assert_eq!(ask(var(0) + 1), ask(var(1) + 1));
        assert_ne!(ask(var(0) + 1), ask(var(2) + 1), "another range");
        assert_ne!(ask(var(0) + var(1)), ask(var(0) + var(0)));
        let (_, numbers) = Question::new(&known, &(var(2) + var(1)));
        let answer = numbers.numbered(&(var(1) + 7));
        assert_eq!(answer.map(|answer| numbers.named(&answer)), Some(var(1) + 7));
        assert_eq!(numbers.numbered(&var(0)), None, "a variable of which it does not speak");
    }

    #[test]
    fn questions_of_a_shape_differ_in_numbers_that_are_not_near_0() {
        let shape = |fact: i64, number: i64| {
            let known = known(vec![below(Expr::int(fact, DType::I32), var(0))]);
            Question::new(&known, &(var(0) + number)).0.shape()
        };
        assert_eq!(shape(7, 9), shape(-70, -12));
        assert_ne!(shape(7, 9), shape(7, 1));
        assert_ne!(shape(7, 9), shape(0, 9));
        let other = Question::new(&known(Vec::new()), &(var(0) + 9)).0.shape();
        assert_ne!(shape(7, 9), other, "nothing is known");
    }

    #[test]
    fn only_facts_that_have_to_do_with_an_expression_count() {
        let facts = vec![below(var(3), var(4)), below(var(1), var(2)), below(var(0), var(1))];
        let known = known(facts.clone());
        // The second one by way of the third.
        assert_eq!(*about(&known, &[&var(0)]).facts, facts[1..]);
        assert!(about(&known, &[&Expr::int(1, DType::I32)]).facts.is_empty());
        assert_ne!(Question::new(&known, &var(0)).0, Question::new(&known, &var(3)).0);
    }

    #[test]
    fn of_many_facts_the_nearest_count() {
        let about_few = known((0..8).map(|i| below(var(0) * i, var(1))).collect());
        let about_many = known((0..100).map(|i| below(var(0) * i, var(1))).collect());
        let few = Question::new(&about_few, &var(0)).0;
        assert!(few.is_all(&about(&about_few, &[&var(0)])));
        let (many, known) = (Question::new(&about_many, &var(0)).0, about(&about_many, &[&var(0), &var(1)]));
        assert_eq!(*known.facts, about_many.facts[100 - MAX_FACTS..]);
        // What is left out may differ from one expression to the other.
        assert!(!many.is_all(&known));
    }

    #[test]
    fn values_of_variables_are_part_of_a_question() {
        let mut known = known(vec![below(var(1), var(2))]);
        known.values.insert(VarId(0), var(1) + 3);
        known.values.insert(VarId(4), var(1) + 4);
        assert_eq!(*about(&known, &[&var(0)]).facts, *known.facts);
        assert_eq!(about(&known, &[&var(0)]).values.len(), 1);
        assert_ne!(Question::new(&known, &var(0)).0, Question::new(&known, &var(4)).0);
    }
}
