//! What the extent of a loop says of its factors where the loop's body runs: that they are not zero.
//!
//! A loop over `(n*h*w + 31) // 32` iterations runs its body only if that is at least 1, so `n*h*w >= 1` there, and no
//! factor of it is zero. Divisions by dimensions are common in such bodies.

use egg::Id;

use crate::egraph::{Graph, poly_of};
use crate::theory::quotient_of;

/// How many quotients are looked into.
const MAX_DEPTH: usize = 4;

/// Classes that are not zero where `extent` is at least 1.
pub(crate) fn nonzero_factors(graph: &Graph, extent: Id) -> Vec<Id> {
    let mut value = poly_of(graph, extent);
    let mut least = 1i64;
    for _ in 0..MAX_DEPTH {
        // value >= least is c*m >= least - k for a single term c*m.
        let variable = value.without_const();
        let (Some((monomial, c)), Some(rest)) =
            (variable.as_term(), least.checked_sub(value.const_term()).filter(|&rest| rest >= 1))
        else {
            break;
        };
        match (&monomial[..], c) {
            // N // d >= rest is N >= rest * d.
            (&[atom], 1) => match quotient_of(graph, atom).map(|(n, d)| (n, rest.checked_mul(d))) {
                Some((numerator, Some(product))) => (value, least) = (numerator, product),
                _ => return vec![graph.find(atom)],
            },
            (atoms, _) => return atoms.iter().map(|&atom| graph.find(atom)).collect(),
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::egraph::theory_for;
    use crate::egraph::{Node, Op};
    use crate::ir::{BinOp, DType, VarId};

    fn bin(graph: &mut Graph, op: BinOp, a: Id, b: Id) -> Id {
        graph.add(Node::bin(op, DType::I32, a, b))
    }

    #[test]
    fn factors_of_rounded_up_quotients_are_found() {
        let mut g = Graph::new(theory_for(2, crate::egraph::TheoryLevel::default()));
        let [a, b] = [0, 1].map(|i| g.add(Node::new(Op::Var(VarId(i)), DType::I32, [])));
        let product = bin(&mut g, BinOp::Mul, a, b);
        let extent_of = |g: &mut Graph, offset: i64, divisor: i64| {
            let [offset, divisor] = [offset, divisor].map(|v| g.add(Node::int(v, DType::I32)));
            let sum = bin(g, BinOp::Add, product, offset);
            bin(g, BinOp::FloorDiv, sum, divisor)
        };
        let up = extent_of(&mut g, 31, 32);
        assert_eq!(nonzero_factors(&g, up), [a, b]);
        assert_eq!(nonzero_factors(&g, product), [a, b]);
        assert_eq!(nonzero_factors(&g, a), [a]);
        // (a*b + 32) // 32 is 1 where a is zero, and so is a + 1.
        let one_more = extent_of(&mut g, 32, 32);
        assert!(nonzero_factors(&g, one_more).is_empty());
        let one = g.add(Node::int(1, DType::I32));
        let next = bin(&mut g, BinOp::Add, a, one);
        assert!(nonzero_factors(&g, next).is_empty());
    }
}
