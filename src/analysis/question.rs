//! Questions to the decision procedure, with variables numbered as they occur: those of different instances that say the same
//! are equal.

use hashbrown::HashMap;

use super::accesses::Fact;
use super::numbers::Numbers;
use crate::arith::Interval;
use crate::arith::linear::Prover;
use crate::ir::{BinOp, Expr, VarId};

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
}
