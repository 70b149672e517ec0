//! Terms for people, in the log.

use super::super::check::term::{Node, Term, Terms};

/// A term for people who look for what is missing.
pub(super) fn show_deep(terms: &Terms, term: Term, depth: usize) -> String {
    if depth == 0 {
        return format!("#{}", term.0);
    }
    let of = |part: &Term| show_deep(terms, *part, depth - 1);
    let all = |parts: &[Term]| parts.iter().map(of).collect::<Vec<_>>().join(", ");
    match terms.node(term) {
        Node::Int(value) => value.to_string(),
        Node::Truth(value) => value.to_string(),
        Node::Atom(_) => format!("v{}", term.0),
        Node::Lane(lanes) => format!("lane{lanes}"),
        Node::Sum(products) => {
            let product = |(monomial, factor): &(Vec<Term>, i128)| {
                let atoms = monomial.iter().map(of).collect::<Vec<_>>().join("*");
                if monomial.is_empty() { factor.to_string() } else { format!("{factor}*{atoms}") }
            };
            format!("({})", products.iter().map(product).collect::<Vec<_>>().join(" + "))
        }
        Node::Quotient(a, b) => format!("{}//{}", of(a), of(b)),
        Node::Truncated(a, b) => format!("{}/{}", of(a), of(b)),
        Node::Least(parts) => format!("min({})", all(parts)),
        Node::Greatest(parts) => format!("max({})", all(parts)),
        Node::Wrap(bits, signed, a) => format!("wrap{bits}{signed}({})", of(a)),
        Node::Choice(c, a, b) => format!("({} ? {} : {})", of(c), of(a), of(b)),
        Node::NotNegative(a) => format!("[{} >= 0]", of(a)),
        Node::IsZero(a) => format!("[{} == 0]", of(a)),
        Node::Not(a) => format!("!{}", of(a)),
        Node::And(parts) => format!("and({})", all(parts)),
        Node::Apply(name, parts) => format!("{name}({})", all(parts)),
        Node::Whole(_, a) => format!("whole({})", of(a)),
        Node::Load { buffer, version, index, .. } => format!("b{buffer}.{version}[{}]", all(index)),
    }
}
