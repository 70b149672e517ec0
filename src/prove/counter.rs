//! Values for which a question fails, found by trying some. Most of what does not hold fails for most values, so that no solver
//! needs to be asked for it.

use hashbrown::HashMap;

use super::logic;
use super::question::{Question, Values};
use super::sample::mixed;
use super::term::{Node, Sort, Term, Terms};

/// How many values are tried.
const MAX_TRIED: u64 = 24;
/// Larger questions are left to the solver.
const MAX_TERMS: usize = 4_000;

/// Values of integers by their names in the program, by which all premises hold and the goal does not: a model of the text for
/// the solver, in which functions have values of their own for each of their operands' values.
pub(super) fn example(terms: &Terms, question: &Question) -> Option<Values> {
    let cone = terms.cone(question.premises.iter().copied().chain([question.goal]));
    if cone.len() > MAX_TERMS {
        return None;
    }
    let is_integer =
        |&term: &Term| matches!(terms.node(term), Node::Atom(_)) && terms.sort(term) == Sort::Int;
    let atoms: Vec<Term> = cone.iter().copied().filter(is_integer).collect();
    let is_sum = |&&term: &&Term| matches!(terms.node(term), Node::Sum(_));
    let constants: Vec<i128> = cone.iter().filter(is_sum).map(|&sum| terms.sum_of(sum).constant()).collect();
    (0..MAX_TRIED).find_map(|tried| {
        let (dice, descending) = (mixed(tried), tried % 4 != 1);
        // Iterations are the first ones, mostly of inner loops.
        let some = (dice % (atoms.len() as u64 + 1)) as usize;
        let least_from = match tried {
            0 => 0,
            _ if tried.is_multiple_of(2) => some,
            _ => atoms.len(),
        };
        let (values, functions) = (HashMap::new(), HashMap::new());
        let constants = if tried % 6 == 5 { &constants[..] } else { &[] };
        let mut model =
            Model { terms, atoms: &atoms, constants, dice, descending, least_from, values, functions };
        for &term in &cone {
            let value = model.found(term)?;
            model.values.insert(term, value);
        }
        let is = |term: &Term, value: i128| model.value(*term) == Some(value);
        (question.premises.iter().all(|premise| is(premise, 1)) && is(&question.goal, 0))
            .then(|| model.named())
    })
}

/// Values of terms; 0 and 1 for conditions.
struct Model<'t> {
    terms: &'t Terms,
    /// Integers of which nothing is known, in the order in which they were met.
    atoms: &'t [Term],
    /// Constants of sums, near which, or near whose negatives, much of what may be negative changes. None where that is not tried.
    constants: &'t [i128],
    dice: u64,
    /// Whether what was met first is largest: sizes come first, then what runs up to them.
    descending: bool,
    /// From which one on all have their least value.
    least_from: usize,
    values: HashMap<Term, Option<i128>>,
    /// Values of functions that nothing is known of, by name and operands.
    functions: HashMap<(String, Vec<i128>), i128>,
}

impl Model<'_> {
    /// The value of a term whose parts have theirs: none if it has none, or not one that is known to be possible. `None` if the
    /// values that were taken cannot be.
    fn found(&mut self, term: Term) -> Option<Option<i128>> {
        let terms = self.terms;
        let value = match terms.node(term) {
            Node::Atom(_) | Node::Lane(..) | Node::Whole(..) | Node::Memory(_) | Node::Store { .. } => {
                Some(self.any(term, u64::from(term.0)))
            }
            Node::Apply(name, _, operands) if &**name == logic::EQUAL => {
                self.all(operands).map(|all| i128::from(all.windows(2).all(|two| two[0] == two[1])))
            }
            // The solver knows more of operations on bits.
            Node::Apply(_, _, operands)
                if operands.iter().chain([&term]).all(|&t| terms.sort(t) == Sort::Int) =>
            {
                None
            }
            Node::Apply(name, dtype, operands) => self.applied(term, format!("{name} {dtype}"), operands),
            Node::Load { memory, dtype, index } => {
                self.applied(term, format!("load {} {dtype}", memory.0), index)
            }
            _ => self.defined(term),
        };
        let (range, is_integer) = (terms.range(term), terms.sort(term) == Sort::Int);
        let possible = value.is_none_or(|value| {
            !is_integer || range.lo.is_none_or(|lo| lo <= value) && range.hi.is_none_or(|hi| value <= hi)
        });
        possible.then_some(value)
    }

    fn value(&self, term: Term) -> Option<i128> {
        self.values.get(&term).copied().flatten()
    }

    fn all(&self, of: &[Term]) -> Option<Vec<i128>> {
        of.iter().map(|&term| self.value(term)).collect()
    }

    /// The value of a function, the same for the same operands.
    fn applied(&mut self, term: Term, mut key: String, operands: &[Term]) -> Option<i128> {
        let mut of = self.all(operands)?;
        if logic::is_commutative(&key) {
            of.sort_unstable();
        }
        for &operand in operands {
            key += sort(self.terms.sort(operand));
        }
        key += sort(self.terms.sort(term));
        let mut seed = 0;
        for part in key.bytes().chain(of.iter().flat_map(|value| value.to_le_bytes())) {
            seed = mixed(seed ^ u64::from(part));
        }
        let new = self.any(term, seed);
        Some(*self.functions.entry((key, of)).or_insert(new))
    }

    /// Any value that a term may have.
    fn any(&self, term: Term, seed: u64) -> i128 {
        /// Integers are so near to their least value, or to 0.
        const NEAR: u64 = 12;
        /// What comes first is at most so many times twice as large as what comes last.
        const MAX_DOUBLED: usize = 10;
        let random = mixed(self.dice ^ mixed(seed));
        match self.terms.sort(term) {
            Sort::Int => {
                let range = self.terms.range(term);
                let least = range.lo.filter(|lo| lo.abs() < 1 << 20);
                let lo = least.unwrap_or(0);
                let at = self.atoms.binary_search(&term).ok();
                // The least value itself is where much fails.
                let is_least =
                    at.is_some_and(|at| at >= self.least_from || self.descending && random.is_multiple_of(4));
                let near = match at {
                    Some(at) if self.descending => 1 << (self.atoms.len() - at).min(MAX_DOUBLED),
                    _ => NEAR,
                };
                let above = match self.descending {
                    _ if is_least => 0,
                    true => near / 2 + (random >> 8) % (near / 2 + 1),
                    false => (random >> 8) % near,
                };
                let value = match self.constants {
                    [_, ..] if least.is_none() && random & 16 != 0 => {
                        let constant = self.constants[(random >> 16) as usize % self.constants.len()];
                        let sign = if random & 32 == 0 { 1 } else { -1 };
                        constant * sign + i128::from(above % NEAR) - i128::from(NEAR / 2)
                    }
                    _ => lo + i128::from(above),
                };
                range.hi.map_or(value, |hi| value.min(hi))
            }
            Sort::Truth => i128::from(random & 1),
            Sort::Other => i128::from(random),
        }
    }

    /// The value of what is defined by its parts.
    fn defined(&mut self, term: Term) -> Option<i128> {
        match self.terms.node(term) {
            Node::And(of) if of.iter().any(|&part| self.value(part) == Some(0)) => Some(0),
            _ => self.terms.evaluated(term, &|_| None, &mut self.values),
        }
    }

    fn named(&self) -> Values {
        let atoms = self.atoms.iter().filter_map(|&term| match self.terms.node(term) {
            Node::Atom(number) => {
                Some((self.terms.atom(*number).name.to_string(), self.value(term)?.to_string()))
            }
            _ => None,
        });
        atoms.collect()
    }
}

fn sort(sort: Sort) -> &'static str {
    match sort {
        Sort::Int => " integer",
        Sort::Truth => " truth",
        Sort::Other => " other",
    }
}

#[cfg(test)]
mod tests {
    use super::super::range::Range;
    use super::*;
    use crate::ir::DType;

    /// Values for which a goal does not hold though the premises do; both are made of three sizes and an iteration.
    fn found(of: impl Fn(&mut Terms, [Term; 4]) -> (Vec<Term>, Term)) -> Option<Vec<(String, String)>> {
        let mut terms = Terms::default();
        let from_zero = Range { lo: Some(0), hi: None };
        let atoms = ["n", "m", "k", "i"].map(|name| terms.new_atom(name, DType::int(32), from_zero));
        let (premises, goal) = of(&mut terms, atoms);
        example(&terms, &Question::new(premises, goal))
    }

    #[test]
    fn what_fails_for_most_values_is_found_without_a_solver() {
        // i * 3 + 3 <= m does not say that k is not 0, or what a remainder is.
        let before = |terms: &mut Terms, m: Term, i: Term| {
            let (three, next) = (terms.int(3), terms.int(3));
            let product = terms.mul(i, three);
            let end = terms.add(product, next);
            vec![terms.at_most(end, m)]
        };
        let found_for = found(|terms, [_, m, k, i]| {
            let zero = terms.int(0);
            (before(terms, m, i), terms.less(zero, k))
        });
        assert!(found_for.is_some_and(|values| values.contains(&("k".into(), "0".into()))));
        let found_for = found(|terms, [n, m, _, i]| {
            let seven = terms.int(7);
            let quotient = terms.quotient(n, seven);
            (before(terms, m, i), terms.all_equal(&[quotient], &[n]))
        });
        assert!(found_for.is_some());
    }

    #[test]
    fn what_holds_has_no_example() {
        let found_for = found(|terms, [n, m, _, i]| {
            let premises = vec![terms.less(i, m), terms.less(m, n)];
            (premises, terms.less(i, n))
        });
        assert_eq!(found_for, None);
        // A function has one value for operands that are equal.
        let found_for = found(|terms, [n, m, ..]| {
            let [a, b] = [n, m].map(|of| terms.apply("f", DType::float(32), vec![of]));
            let same = terms.all_equal(&[n], &[m]);
            let equal = terms.all_equal(&[a], &[b]);
            (vec![same], equal)
        });
        assert_eq!(found_for, None);
    }

    #[test]
    fn functions_have_different_values_for_different_operands() {
        let found_for = found(|terms, [n, m, ..]| {
            let [a, b] = [n, m].map(|of| terms.apply("f", DType::float(32), vec![of]));
            (Vec::new(), terms.all_equal(&[a], &[b]))
        });
        assert!(found_for.is_some());
    }
}
