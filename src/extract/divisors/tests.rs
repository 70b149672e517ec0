//! Tests of common parts: how many operations remain, and that the polynomials stay what they were.

use std::collections::BTreeMap;

use proptest::prelude::{prop, proptest};
use proptest::strategy::Strategy as _;

use super::*;

/// In quarters of an operation.
const WEIGHTS: Weights =
    Weights { add: quarters(4), mul: quarters(16), shift: quarters(16), bind: quarters(1) };

const fn quarters(n: u64) -> Weight {
    Weight::of_steps(n << 22)
}

const BOTH: [Strategy; 2] = [Strategy { factor: true, last: false }, Strategy { factor: false, last: true }];

type Terms = Vec<(i64, Factors)>;

/// A polynomial as text: terms between `+` or `-`, each a product of letters and at most one leading digit.
fn parse(text: &str) -> Terms {
    let mut terms: BTreeMap<Factors, i64> = BTreeMap::new();
    let mut sign = 1;
    for word in text.split_whitespace() {
        match word {
            "+" => sign = 1,
            "-" => sign = -1,
            _ => {
                let digits = word.bytes().take_while(u8::is_ascii_digit).count();
                let coefficient = word[..digits].parse().unwrap_or(1);
                let mut factors: Factors = word[digits..].bytes().map(|b| Symbol::from(b - b'a')).collect();
                factors.sort_unstable();
                *terms.entry(factors).or_default() += sign * coefficient;
            }
        }
    }
    terms.into_iter().filter(|t| t.1 != 0).map(|(f, c)| (c, f)).collect()
}

fn problem(polys: &[Terms], levels: &[Level]) -> Problem {
    let mut problem = Problem::new(WEIGHTS, levels.to_vec());
    polys.iter().for_each(|p| problem.push(p.iter().cloned()));
    problem
}

fn solve(problem: Problem, strategy: Strategy) -> Problem {
    problem.divisors(strategy.factor).take_out(strategy.last).problem
}

fn flat(symbols: usize) -> Vec<Level> {
    vec![Level { depth: 0, frequency: Frequency::ONE }; symbols]
}

/// Additions and multiplications that the solution takes, terms that are used again counted once.
fn operations(problem: &Problem) -> (u32, u32) {
    let (mut adds, mut muls) = (0, 0);
    let mut held = Held::new();
    for poly in problem.polys() {
        adds += poly
            .iter()
            .map(|i| if i.product == Product::ONE { i.count.min(1) } else { i.count })
            .sum::<u32>()
            - 1;
        hold(&mut held, problem, poly, 1);
    }
    for ((coefficient, product), _) in held.iter().filter(|(_, n)| **n > 0) {
        muls += u32::from(*coefficient != 1) + problem.products.degree(*product) - 1;
    }
    muls += problem.definitions.iter().filter(|d| matches!(d, Definition::Product(..))).count() as u32;
    (adds, muls)
}

#[track_caller]
fn check(polys: &[&str], expected: (u32, u32)) {
    let polys: Vec<Terms> = polys.iter().map(|p| parse(p)).collect();
    let mut problem = problem(&polys, &flat(26));
    problem = solve(problem, BOTH[0]);
    assert_eq!(operations(&problem), expected, "{:?}", problem.polys());
    check_meaning(&problem, &polys);
}

/// Expands the definitions again and compares with the original polynomials.
fn check_meaning(problem: &Problem, polys: &[Terms]) {
    fn value(problem: &Problem, symbol: Symbol, point: &[i128]) -> i128 {
        match problem.definition(symbol) {
            None => point[symbol as usize],
            Some(&Definition::Sum(body)) => sum(problem, &problem.polys()[body], point),
            Some(&Definition::Product(x, y)) => value(problem, x, point) * value(problem, y, point),
        }
    }
    fn sum(problem: &Problem, items: &[Item], point: &[i128]) -> i128 {
        let one = |i: &Item| {
            let product: i128 = problem.factors(i).iter().map(|&s| value(problem, s, point)).product();
            i128::from(i.coefficient) * i128::from(i.count) * product
        };
        items.iter().map(one).sum()
    }
    for seed in 0..5i128 {
        let point: Vec<i128> = (0..26).map(|i| (i * 31 + seed * 17) % 23 - 11).collect();
        for (items, terms) in problem.polys().iter().zip(polys) {
            let one = |(c, f): &(i64, Factors)| {
                i128::from(*c) * f.iter().map(|&s| point[s as usize]).product::<i128>()
            };
            assert_eq!(sum(problem, items, &point), terms.iter().map(one).sum::<i128>());
        }
    }
}

#[test]
fn sums_share_sub_sums() {
    check(&["a + b + c", "a + c + d"], (3, 0));
    check(&["a + b + c", "a + b + c + d", "a + b"], (3, 0));
    check(&["a - b + c", "b - a + d"], (3, 0));
    check(&["2a + b", "a + b"], (2, 0));
    check(&["2a + b", "2a + c"], (3, 0));
}

#[test]
fn factors_are_taken_out() {
    check(&["ab + ac", "b + c"], (1, 1));
    check(&["ax + bx", "ay + by"], (1, 2));
    check(&["4a + 4b + c", "a + b"], (2, 1));
    check(&["aa + 2ab + bb", "a + b"], (1, 1));
    check(&["abc", "abd"], (0, 3));
    check(&["aaaa"], (0, 2));
}

#[test]
fn an_inner_term_is_not_grouped_with_an_outer_one_for_little() {
    // i is defined in a loop around that of j and k: i + j costs an addition for every j.
    let levels: Vec<Level> = [1, 10, 10, 10]
        .iter()
        .enumerate()
        .map(|(d, &frequency)| Level { depth: d.min(1) as u32, frequency: Frequency::times(frequency) })
        .collect();
    let polys = [parse("a + b + c"), parse("a + b + d")];
    let mut problem = problem(&polys, &levels);
    problem = solve(problem, BOTH[0]);
    // a + b is shared by both: 10 + 10 + 10 instead of 10 * 4.
    assert_eq!(problem.definitions.len(), 1);
    let polys = [parse("a + b + x"), parse("a + c + x"), parse("x + a")];
    let mut levels = flat(26);
    for inner in [1, 2] {
        levels[inner] = Level { depth: 1, frequency: Frequency::times(10) };
    }
    let mut problem = self::problem(&polys, &levels);
    problem = solve(problem, BOTH[0]);
    assert_eq!(problem.definitions, [Definition::Sum(3)]);
    let body: Vec<_> =
        problem.polys()[3].iter().map(|i| (i.coefficient, problem.factors(i), i.count)).collect();
    assert_eq!(body, [(1, &[0][..], 1), (1, &[23][..], 1)]);
}

fn arb_poly() -> impl proptest::strategy::Strategy<Value = Terms> {
    let term = (-4i64..5, prop::collection::vec(0u32..5, 0..4));
    prop::collection::vec(term, 1..7).prop_map(|terms| {
        let mut sum: BTreeMap<Factors, i64> = BTreeMap::new();
        for (c, mut factors) in terms {
            factors.sort_unstable();
            *sum.entry(factors.into_iter().collect()).or_default() += c;
        }
        sum.into_iter().filter(|t| t.1 != 0).map(|(f, c)| (c, f)).collect::<Terms>()
    })
}

proptest! {
    #[test]
    fn the_polynomials_stay_what_they_were(polys in prop::collection::vec(arb_poly(), 1..6), inner in 0usize..5) {
        let mut levels = flat(26);
        for level in &mut levels[inner..5] {
            *level = Level { depth: 2, frequency: Frequency::times(8) };
        }
        for strategy in BOTH {
            let mut problem = problem(&polys, &levels);
            problem = solve(problem, strategy);
            check_meaning(&problem, &polys);
        }
    }
}
