//! Divisions that the compiler of the result narrows.
//!
//! Where a comparison tells LLVM (`CorrelatedValuePropagation`) that a value is below 2^16 or 2^8, it divides it by constants in so
//! many bits. It divides by multiplying with an approximation of `2^(bits + s) / d`, which for some odd divisors takes one bit more
//! than there are: then the product has to be corrected. Which these are depends on the number of bits (T. Granlund and P. L.
//! Montgomery, "Division by invariant integers using multiplication", 1994; H. S. Warren, "Hacker's Delight", chapter 10).

use egg::Id;
use hashbrown::HashMap;

use crate::egraph::{Classes, Knowing, Node};
use crate::encode::Lowered;
use crate::ir::BinOp;

/// The comparisons that make divisions more expensive.
#[derive(Default)]
pub(super) struct Narrowed {
    /// By the class of such a comparison, and by that of a quotient that it compares: how many divisions.
    corrections: HashMap<Id, usize>,
}

impl Narrowed {
    pub(super) fn new(lowered: &Lowered, graph: &Classes<'_>) -> Narrowed {
        let dividends = dividends(lowered, graph);
        if dividends.is_empty() {
            return Narrowed::default();
        }
        let mut corrections = HashMap::new();
        for class in graph.classes() {
            let compared = || class.nodes.iter().filter_map(|node| bounded(graph, node));
            let more = |(value, end)| Some(dividends.get(&value)?.corrections_below(end));
            let most = compared().filter_map(more).max().unwrap_or(0);
            if most > 0 {
                corrections.insert(class.id, most);
                // LLVM compares the dividend where a quotient is compared.
                let quotients =
                    compared().map(|(value, _)| value).filter(|value| !dividends.contains_key(value));
                corrections.extend(quotients.map(|value| (value, most)));
            }
        }
        Narrowed { corrections }
    }

    /// How many more divisions are corrected where a comparison of the class holds, or where a quotient of the class is compared
    /// with a constant, than elsewhere: if it is written so that LLVM finds the dividend in it.
    pub(super) fn corrections(&self, class: Id) -> f64 {
        self.corrections.get(&class).map_or(0.0, |&more| more as f64)
    }
}

/// What the input divides by constants.
struct Dividend {
    bits: u32,
    divisors: Vec<i64>,
}

impl Dividend {
    /// How many more of the divisions are corrected where the dividend is known to be below `end`.
    fn corrections_below(&self, end: i64) -> usize {
        let Some(bits) = [8, 16].into_iter().find(|bits| end <= 1 << bits) else { return 0 };
        // Of what is 0 or 1 the compiler makes a comparison.
        let divided = |divisor: i64| end > divisor.saturating_mul(2);
        let is_new = |&&divisor: &&i64| {
            divided(divisor) && is_corrected(divisor, bits) && !is_corrected(divisor, self.bits)
        };
        self.divisors.iter().filter(is_new).count()
    }
}

/// What the input divides by constants, by its class.
fn dividends(lowered: &Lowered, graph: &Classes<'_>) -> HashMap<Id, Dividend> {
    let mut dividends: HashMap<Id, Dividend> = HashMap::new();
    for id in (0..lowered.input_nodes).map(Id::from) {
        let node = lowered.graph.id_to_node(id);
        let Some((BinOp::FloorDiv | BinOp::FloorMod, dividend, divisor)) = node.as_bin() else { continue };
        let Some(divisor) = constant(graph, divisor).filter(|&d| d > 1 && node.dtype.is_index()) else {
            continue;
        };
        let new = || Dividend { bits: node.dtype.bits.into(), divisors: Vec::new() };
        let divisors = &mut dividends.entry(graph.find(dividend)).or_insert_with(new).divisors;
        if !divisors.contains(&divisor) {
            divisors.push(divisor);
        }
    }
    dividends
}

/// The class that the comparison bounds from above by a constant, and the end of its range.
fn bounded(graph: &Classes<'_>, node: &Node) -> Option<(Id, i64)> {
    let (value, bound, last) = match node.as_bin()? {
        (BinOp::Lt, value, bound) | (BinOp::Gt, bound, value) => (value, bound, 0),
        (BinOp::Le, value, bound) | (BinOp::Ge, bound, value) => (value, bound, 1),
        _ => return None,
    };
    Some((graph.find(value), constant(graph, bound)?.checked_add(last)?))
}

fn constant(graph: &Classes<'_>, id: Id) -> Option<i64> {
    graph.facts(id).interval.as_point()
}

/// Whether a quotient by the divisor, which is above 1, is computed in so many bits by a product that has to be corrected.
fn is_corrected(divisor: i64, bits: u32) -> bool {
    let (divisor, end) = (u128::from(divisor.unsigned_abs()), 1_u128 << bits);
    // The dividend is shifted before, instead.
    if divisor % 2 == 0 || divisor >= end {
        return false;
    }
    // The dividend at which a factor that is too large gives too much first.
    let worst = end - 1 - end % divisor;
    let factor = |shift: u32| {
        let power = end << shift;
        let factor = power.div_ceil(divisor);
        ((factor * divisor - power) * worst < power).then_some(factor)
    };
    (0..bits).find_map(factor).is_none_or(|factor| factor >= end)
}

#[cfg(test)]
mod tests {
    use super::is_corrected;

    #[test]
    fn what_no_factor_of_so_many_bits_divides_is_corrected() {
        for bits in [4, 8] {
            for divisor in (3..1 << bits).step_by(2) {
                assert_eq!(is_corrected(divisor, bits), !divides(divisor, bits), "{divisor} in {bits} bits");
            }
        }
        let corrected = |bits: u32| -> Vec<i64> { (2..40).filter(|&d| is_corrected(d, bits)).collect() };
        assert_eq!(corrected(16), [7, 21, 23, 25, 27, 31, 39]);
        assert_eq!(corrected(32), [7, 19, 21, 27, 31, 35, 37, 39]);
    }

    /// Whether some factor of so many bits gives all quotients by the divisor.
    fn divides(divisor: i64, bits: u32) -> bool {
        let end = 1_i64 << bits;
        let gives = |factor: i64, shift: u32| (0..end).all(|n| (n * factor) >> (bits + shift) == n / divisor);
        (0..=bits).any(|shift| (1..end).any(|factor| gives(factor, shift)))
    }
}
