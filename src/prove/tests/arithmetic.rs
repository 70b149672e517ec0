//! Normal forms have the value of what they are made of: random terms, for many values of their atoms.

use hashbrown::HashMap;

use super::super::range::Range;
use super::super::term::{Node, Term, Terms};
use crate::ir::DType;

/// Random numbers, the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn between(&mut self, lo: i128, hi: i128) -> i128 {
        lo + i128::from(self.below(u64::try_from(hi - lo + 1).unwrap()))
    }
}

fn floor_div(a: i128, b: i128) -> i128 {
    a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0)
}

/// The value of a term for values of its atoms; `None` where a divisor is 0.
fn value(terms: &Terms, term: Term, atoms: &[i128]) -> Option<i128> {
    let free = |term: Term| match terms.node(term) {
        Node::Atom(number) => Some(atoms[*number as usize]),
        _ => None,
    };
    terms.evaluated(term, &free, &mut HashMap::new())
}

/// A term with its values at the samples: `None` where something was divided by 0 on the way.
type Valued = (Term, Vec<Option<i128>>);

#[test]
fn normal_forms_keep_values() {
    const SAMPLES: usize = 24;
    let (mut compared, mut reached) = (0u64, 0u64);
    for seed in 0..1500 {
        let (mut dice, mut terms) = (Dice(seed), Terms::default());
        let ranges = [(0, Some(9)), (0, None), (0, None), (-6, Some(6)), (1, Some(5))];
        let atoms: Vec<Term> = (ranges.iter().enumerate())
            .map(|(i, (lo, hi))| terms.new_atom(&format!("x{i}"), DType::I32, Range::new(Some(*lo), *hi)))
            .collect();
        let samples: Vec<Vec<i128>> = (0..SAMPLES)
            .map(|_| ranges.iter().map(|&(lo, hi)| dice.between(lo, hi.unwrap_or(7))).collect())
            .collect();
        let mut pool: Vec<Valued> = atoms
            .iter()
            .enumerate()
            .map(|(i, &atom)| (atom, samples.iter().map(|sample| Some(sample[i])).collect()))
            .collect();
        for _ in 0..14 {
            let new = grown(&mut terms, &mut dice, &pool);
            for (sample, &expected) in samples.iter().zip(&new.1) {
                let Some(expected) = expected else { continue };
                reached += 1;
                // A form may divide by a product of divisors; it divides by 0 only where one of them is 0.
                let found = value(&terms, new.0, sample);
                assert_eq!(found, Some(expected), "seed {seed}, {sample:?}: {}", terms.show(new.0));
                let range = terms.bounds(new.0);
                let inside =
                    range.lo.is_none_or(|lo| lo <= expected) && range.hi.is_none_or(|hi| expected <= hi);
                assert!(inside, "seed {seed}, {sample:?}: {range:?} of {}", terms.show(new.0));
                compared += 1;
            }
            if new.1.iter().flatten().all(|v| v.unsigned_abs() < 1 << 24) && terms.as_truth(new.0).is_none() {
                pool.push(new);
            }
        }
    }
    assert!(compared == reached && compared > 200_000, "{compared} of {reached}");
}

/// A new term of some of the pool.
fn grown(terms: &mut Terms, dice: &mut Dice, pool: &[Valued]) -> Valued {
    let of_sort = |terms: &Terms, term: Term| terms.sort(term) == super::super::term::Sort::Int;
    let numbers: Vec<&Valued> = pool.iter().filter(|(term, _)| of_sort(terms, *term)).collect();
    let pick = |dice: &mut Dice| numbers[dice.below(numbers.len() as u64) as usize];
    let (a, b) = (pick(dice), pick(dice));
    let constant = dice.between(-7, 12);
    let k = terms.int(constant);
    let by_constant = dice.below(2) == 0;
    let (right, values): (Term, Vec<Option<i128>>) =
        if by_constant { (k, vec![Some(constant); a.1.len()]) } else { (b.0, b.1.clone()) };
    let both = |f: &dyn Fn(i128, i128) -> Option<i128>| -> Vec<Option<i128>> {
        a.1.iter().zip(&values).map(|(x, y)| f((*x)?, (*y)?)).collect()
    };
    let nonzero = |y: i128| (y != 0).then_some(y);
    match dice.below(13) {
        0 | 1 => (terms.add(a.0, right), both(&|x, y| Some(x + y))),
        2 => (terms.sub(a.0, right), both(&|x, y| Some(x - y))),
        3 | 4 => (terms.mul(a.0, right), both(&|x, y| Some(x * y))),
        5 | 6 => (terms.quotient(a.0, right), both(&|x, y| Some(floor_div(x, nonzero(y)?)))),
        7 | 8 => (terms.remainder(a.0, right), both(&|x, y| Some(x - y * floor_div(x, nonzero(y)?)))),
        9 => (terms.truncated(a.0, right), both(&|x, y| Some(x / nonzero(y)?))),
        10 => (terms.extremum(true, a.0, right), both(&|x, y| Some(x.max(y)))),
        11 => (terms.extremum(false, a.0, right), both(&|x, y| Some(x.min(y)))),
        _ => {
            let mut condition = terms.at_most(a.0, right);
            if let (0, Some(other)) = (dice.below(2), terms.without_quotients_by_sizes(condition)) {
                condition = other;
            }
            let (one, zero) = (terms.int(1), terms.int(0));
            (terms.choice(condition, one, zero), both(&|x, y| Some(i128::from(x <= y))))
        }
    }
}
