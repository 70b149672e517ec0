//! Terms as text, for logs.

use super::term::{Node, Term, Terms};

impl Terms {
    /// The term as text, cut off where it is deep.
    pub(super) fn show(&self, term: Term) -> String {
        /// How deep terms are shown.
        const MAX_DEPTH: u32 = 12;
        self.shown(term, MAX_DEPTH)
    }

    fn shown(&self, term: Term, depth: u32) -> String {
        if depth == 0 {
            return "…".to_owned();
        }
        let show = |term: &Term| self.shown(*term, depth - 1);
        let all = |terms: &[Term], sign: &str| terms.iter().map(show).collect::<Vec<_>>().join(sign);
        match self.node(term) {
            Node::Int(value) => value.to_string(),
            Node::Truth(value) => value.to_string(),
            Node::Atom(number) => format!("{}.{number}", self.atom(*number).name),
            Node::Lane(lanes, other) => format!("lane{}{lanes}", if *other { "'" } else { "" }),
            Node::Sum(products) => {
                let product = |(monomial, factor): &(Vec<Term>, i128)| match (&monomial[..], factor) {
                    ([], factor) => factor.to_string(),
                    (_, 1) => all(monomial, "*"),
                    _ => format!("{factor}*{}", all(monomial, "*")),
                };
                format!("({})", products.iter().map(product).collect::<Vec<_>>().join(" + "))
            }
            Node::Quotient(a, b) => format!("({} // {})", show(a), show(b)),
            Node::Truncated(a, b) => format!("({} / {})", show(a), show(b)),
            Node::Extremum { greatest, of } => {
                format!("{}({})", if *greatest { "max" } else { "min" }, all(of, ", "))
            }
            Node::Wrap { bits, signed, of } => {
                format!("{}{bits}({})", if *signed { "i" } else { "u" }, show(of))
            }
            Node::Choice(c, a, b) => format!("({} if {} else {})", show(a), show(c), show(b)),
            Node::NotNegative(a) => format!("{} >= 0", show(a)),
            Node::IsZero(a) => format!("{} == 0", show(a)),
            Node::Not(a) => format!("not ({})", show(a)),
            Node::And(of) => format!("({})", all(of, " and ")),
            Node::Apply(name, _, operands) | Node::Whole(name, _, operands) => {
                format!("`{name}`({})", all(operands, ", "))
            }
            Node::Load { memory, index, .. } => format!("m{}[{}]", memory.0, all(index, ", ")),
            Node::Memory(number) => format!("memory {number}"),
            Node::Store { .. } => format!("m{}", term.0),
        }
    }
}
