//! Questions to the decision procedure, with variables numbered as they occur: those of different instances that say the same
//! are equal.

use hashbrown::HashMap;

use super::accesses::Fact;
use super::numbers::Numbers;
use crate::arith::Interval;
use crate::arith::linear::Prover;
use crate::arith::points::value_at;
use crate::ir::value::{Value, evaluate};
use crate::ir::{BinOp, Expr, VarId};

/// The fuel of one proof.
const FUEL: u64 = 20_000;

/// How many points are tried at which it may not be true.
const TRIED: u64 = 16;

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
        !self.fails_somewhere() && self.is_proven_in_general()
    }

    /// Whether values are found of which it is not true: that takes less than a proof that fails.
    fn fails_somewhere(&self) -> bool {
        (0..TRIED).any(|point| {
            let value = |var: VarId| {
                let range = *self.ranges.get(var.index())?;
                Some(Value::Int(value_at(range, true, u64::from(var.0), point)))
            };
            let holds = |fact: &Expr| Some(evaluate(fact, &value)?.as_int()? != 0);
            self.facts.iter().all(|(fact, truth)| holds(fact) == Some(*truth))
                && self.goal.as_ref().is_none_or(|(goal, truth)| holds(goal) == Some(!truth))
        })
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
}
