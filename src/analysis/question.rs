//! Questions to the decision procedure, with variables numbered as they occur: those of different instances that say the same
//! are equal.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::accesses::Fact;
use super::counterexample;
use super::numbers::Numbers;
use crate::arith::Interval;
use crate::arith::linear::Prover;
use crate::ir::{BinOp, Expr, ExprKind, VarId};

/// The fuel of one proof.
const FUEL: u64 = 20_000;

/// Whether facts imply a goal, or, without one, cannot hold together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Question {
    facts: Vec<Fact>,
    goal: Option<Fact>,
    /// The range of each variable.
    ranges: Vec<Interval>,
}

impl Question {
    /// A question about facts that speak of values only. `ranges` has those of all variables.
    pub(super) fn new<'e>(
        facts: impl Iterator<Item = &'e Fact>,
        goal: Option<(&Expr, bool)>,
        ranges: &[Interval],
    ) -> Question {
        let mut numbers = Numbers::default();
        let facts = facts.map(|(fact, truth)| (numbers.number(fact), *truth)).collect();
        let goal = goal.map(|(goal, truth)| (numbers.number(goal), truth));
        let range = |var: &VarId| ranges.get(var.index()).copied().unwrap_or(Interval::ALL);
        Question { facts, goal, ranges: numbers.vars().iter().map(range).collect() }
    }

    pub(super) fn is_proven(&self) -> bool {
        let Some(solved) = self.solved() else { return true };
        !solved.fails_somewhere() && solved.is_proven_in_general()
    }

    /// The same where variables of which facts say what they are equal to are gone: in products they would be unknowns to the
    /// decision procedure. `None` if there is no value for one.
    fn solved(&self) -> Option<Cow<'_, Question>> {
        let mut question = Cow::Borrowed(self);
        while question.facts.iter().any(|fact| equation(fact).is_some()) {
            let mut equations = Equations { values: HashMap::new(), ranges: question.ranges.clone() };
            let mut facts = Vec::with_capacity(question.facts.len());
            for fact in &question.facts {
                match equation(fact) {
                    Some((a, b)) => equations.add(a, b)?,
                    None => facts.push(fact.clone()),
                }
            }
            let mut goal = question.goal.clone();
            facts.iter_mut().chain(&mut goal).for_each(|(fact, _)| equations.solve(fact));
            question = Cow::Owned(Question { facts, goal, ranges: equations.ranges });
        }
        Some(question)
    }

    /// Whether values are found of which it is not true: that takes less than a proof that fails.
    fn fails_somewhere(&self) -> bool {
        let goal = self.goal.as_ref().map(|(goal, truth)| (goal.clone(), !truth));
        counterexample::hold_together(self.facts.iter().chain(&goal), &self.ranges)
    }

    fn is_proven_in_general(&self) -> bool {
        let values = HashMap::new();
        let mut prover = Prover::with_values(&self.ranges, &values);
        if let Some((goal, truth)) = &self.goal {
            self.facts.iter().for_each(|(fact, truth)| prover.assume(fact, *truth));
            return prover.decides(goal, *truth, FUEL);
        }
        let facts = self.facts.iter();
        let all = facts.map(|(fact, truth)| if *truth { fact.clone() } else { Expr::not(fact.clone()) });
        let all = all.reduce(|a, b| Expr::binary(BinOp::And, a, b));
        all.is_some_and(|all| prover.decides(&all, false, FUEL))
    }
}

/// The sides of a fact that is an equation of an integer variable with another one or with a number.
fn equation((fact, truth): &Fact) -> Option<(&Expr, &Expr)> {
    let ExprKind::Binary(BinOp::Eq, a, b) = &fact.kind else { return None };
    let is_known = |e: &Expr| e.dtype.is_integral() && (e.as_var().is_some() || e.as_int().is_some());
    let is_one = *truth && is_known(a) && is_known(b) && (a.as_int().is_none() || b.as_int().is_none());
    is_one.then_some((&**a, &**b))
}

/// Variables that are equal to others, or to numbers.
struct Equations {
    values: HashMap<VarId, Expr>,
    /// The ranges of all variables.
    ranges: Vec<Interval>,
}

impl Equations {
    /// What takes the place of a variable or of a number.
    fn value<'e>(&'e self, mut e: &'e Expr) -> &'e Expr {
        while let Some(value) = e.as_var().and_then(|var| self.values.get(&var)) {
            e = value;
        }
        e
    }

    /// Adds an equation; `None` if nothing solves it.
    fn add(&mut self, a: &Expr, b: &Expr) -> Option<()> {
        let (a, b) = (self.value(a).clone(), self.value(b).clone());
        if a == b {
            return Some(());
        }
        let range = |e: &Expr| match (e.as_var(), e.as_int()) {
            (Some(var), _) => self.ranges.get(var.index()).copied().unwrap_or(Interval::ALL),
            (_, number) => number.map_or(Interval::ALL, Interval::point),
        };
        let common = range(&a).meet(range(&b))?;
        let (a, b) = if a.as_var().is_some() { (a, b) } else { (b, a) };
        if let Some(var) = a.as_var() {
            if let Some(range) = b.as_var().and_then(|other| self.ranges.get_mut(other.index())) {
                *range = common;
            }
            self.values.insert(var, b);
        }
        Some(())
    }

    fn solve(&self, e: &mut Expr) {
        e.substitute(&|var| self.values.get(&var).map(|value| self.value(value)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::DType;

    #[test]
    fn questions_in_other_variables_are_equal_if_ranges_are() {
        let var = |number: u32| Expr::var(VarId(number), DType::I32);
        let less = |a: u32, b: u32| (Expr::binary(BinOp::Lt, var(a), var(b)), true);
        let up_to = |n| Interval::between(Some(0), Some(n)).expect("not empty");
        let ranges = [up_to(7), up_to(9), up_to(7), up_to(9), up_to(8)];
        let question = |facts: &[Fact]| Question::new(facts.iter(), None, &ranges);
        assert_eq!(question(&[less(0, 1)]), question(&[less(2, 3)]));
        assert_ne!(question(&[less(0, 1)]), question(&[less(2, 4)]));
        assert_ne!(question(&[less(0, 1), less(1, 0)]), question(&[less(0, 1), less(1, 2)]));
        assert!(question(&[less(0, 1), less(1, 0)]).is_proven());
        assert!(!question(&[less(0, 1), less(1, 2)]).is_proven());
    }

    #[test]
    fn what_fails_somewhere_takes_no_proof() {
        let var = |number: u32| Expr::var(VarId(number), DType::I32);
        let quotient = |number, plus| {
            let sum = Expr::binary(BinOp::Add, var(number), Expr::int(plus, DType::I32));
            Expr::binary(BinOp::FloorDiv, sum, Expr::int(7, DType::I32))
        };
        let same = Expr::binary(BinOp::Eq, quotient(0, 1), quotient(1, 2));
        let ranges = [Interval::ALL; 2];
        let asked = |facts: &[Fact], goal: Option<(&Expr, bool)>| Question::new(facts.iter(), goal, &ranges);
        assert!(asked(&[(same.clone(), false)], None).fails_somewhere());
        assert!(asked(&[], Some((&same, true))).fails_somewhere());
        // Facts that exclude each other hold nowhere, and a goal that follows fails nowhere.
        let both = [(same.clone(), true), (same.clone(), false)];
        assert!(!asked(&both, None).fails_somewhere());
        assert!(!asked(&both[..1], Some((&same, true))).fails_somewhere());
    }

    #[test]
    fn equations_are_solved_before_products_are_looked_at() {
        let var = |number: u32| Expr::var(VarId(number), DType::I32);
        let binary = |op, a: &Expr, b: &Expr| Expr::binary(op, a.clone(), b.clone());
        let [i, j, k, n, m] = [0, 1, 2, 3, 4].map(var);
        // Whether the first iteration over `k` is after another one, for one element of an array of so many columns.
        let flat = |a: &Expr| binary(BinOp::Mul, a, &binary(BinOp::Mul, &n, &m));
        let later = binary(BinOp::And, &binary(BinOp::Eq, &i, &j), &binary(BinOp::Lt, &k, &var(5)));
        let order = binary(BinOp::Or, &binary(BinOp::Lt, &i, &j), &later);
        let mut facts = vec![
            (binary(BinOp::Eq, &flat(&i), &flat(&j)), true),
            (binary(BinOp::Eq, &i, &j), true),
            (order, true),
            (binary(BinOp::Eq, &var(5), &Expr::int(0, DType::I32)), true),
        ];
        let natural = Interval::between(Some(0), None).expect("not empty");
        let asked = |facts: &[Fact]| Question::new(facts.iter(), None, &[natural; 6]).is_proven();
        assert!(asked(&facts));
        // Without the last one it may be.
        let first = facts.pop().expect("four facts");
        assert!(!asked(&facts));
        // Numbers that differ, and those out of range, are no values.
        assert!(asked(&[first.clone(), (binary(BinOp::Eq, &Expr::int(1, DType::I32), &var(5)), true)]));
        assert!(asked(&[(binary(BinOp::Eq, &var(5), &Expr::int(-1, DType::I32)), true)]));
        assert!(!asked(&[first, (binary(BinOp::Eq, &var(5), &var(5)), true)]));
    }
}
