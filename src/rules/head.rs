//! What stands at the head of a pattern, and sets of that: by these an engine knows which rules can match at all.

use super::ast::{Pat, RuleOp};
use crate::ir::BinOp;

/// An operator, or the conversion to a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head(u8);

impl Head {
    /// How many there are.
    pub(crate) const COUNT: usize = RuleOp::COUNT + 1;

    /// `(cast @t ?x)`
    pub(crate) const CAST: Head = Head(Head::COUNT as u8 - 1);

    /// Of a pattern with this operator.
    pub(crate) fn of(op: RuleOp) -> Head {
        let position = match op {
            RuleOp::Bin(op) => op as usize,
            other => RuleOp::all().take_while(|op| *op != other).count(),
        };
        Head(position as u8)
    }

    /// Of a list in a rule file that begins with this name.
    pub(super) fn by_name(name: &str) -> Option<Head> {
        match name {
            "cast" => Some(Head::CAST),
            _ => RuleOp::by_name(name).map(Head::of),
        }
    }

    /// Of this pattern, if it is no hole and no constant.
    pub(crate) fn of_pattern(pat: &Pat) -> Option<Head> {
        match pat {
            Pat::Op(op, _) => Some(Head::of(*op)),
            Pat::Cast(..) => Some(Head::CAST),
            Pat::Hole(_) | Pat::Int(..) | Pat::Float(..) | Pat::Bool(_) | Pat::Fold(..) | Pat::Lanes => None,
        }
    }

    /// Its position among all, less than [`Head::COUNT`].
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heads(u64);

impl Heads {
    /// The empty set.
    pub(crate) const EMPTY: Heads = Heads(0);

    /// All there are.
    pub(crate) const ALL: Heads = Heads(u64::MAX);

    /// The divisions and remainders.
    pub(crate) fn divisions() -> Heads {
        let mut heads = Heads::EMPTY;
        let divisions = BinOp::ALL.iter().filter(|op| op.is_division());
        divisions.for_each(|&op| heads.insert(Head::of(RuleOp::Bin(op))));
        heads
    }

    /// All that occur in a pattern: where one of them is missing, it does not match.
    pub(crate) fn of_pattern(pat: &Pat) -> Heads {
        let mut heads = Heads::EMPTY;
        pat.walk(&mut |part| {
            if let Some(head) = Head::of_pattern(part) {
                heads.insert(head);
            }
        });
        heads
    }

    /// Each of them, in order.
    pub(crate) fn iter(self) -> impl Iterator<Item = Head> {
        (0..Head::COUNT as u8).map(Head).filter(move |&head| self.contains(head))
    }

    /// Adds one.
    pub(crate) const fn insert(&mut self, head: Head) {
        self.0 |= 1 << head.0;
    }

    /// Adds all of others.
    pub(crate) const fn insert_all(&mut self, others: Heads) {
        self.0 |= others.0;
    }

    /// Whether this one is among them.
    pub(crate) const fn contains(self, head: Head) -> bool {
        self.0 >> head.0 & 1 == 1
    }

    /// Whether one of these is among the others.
    pub(crate) const fn meets(self, others: Heads) -> bool {
        self.0 & others.0 != 0
    }

    /// Whether all of these are among the others.
    pub(crate) const fn all_in(self, others: Heads) -> bool {
        self.0 & !others.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_has_a_head_of_its_own() {
        let positions: Vec<usize> = RuleOp::all().map(|op| Head::of(op).index()).collect();
        assert_eq!(positions, (0..Head::COUNT - 1).collect::<Vec<_>>());
        const { assert!(Head::COUNT <= 64, "a set of them has 64 bits") };
        assert!(RuleOp::all().all(|op| Head::by_name(op.name()) == Some(Head::of(op))));
        assert_eq!(Head::by_name("cast"), Some(Head::CAST));
        assert_eq!(Head::CAST.index(), Head::COUNT - 1);
    }
}
