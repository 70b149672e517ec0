//! Tests of the decision procedure: theorems, and random constraints and conditions against all values of a box.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use super::Prover;
use super::eliminate::{Outcome, solve};
use super::form::{Column, Form};
use super::formula::Formula;
use super::problem::Problem;
use super::search::refute;
use crate::arith::Interval;
use crate::ir::build::FuncBuilder;
use crate::ir::value::int;
use crate::ir::{BinOp, DType, Expr, ExprKind, PrimFunc, VarId};
use crate::script;

/// Small numbers, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn between(&mut self, lo: i64, hi: i64) -> i64 {
        lo + self.below((hi - lo + 1) as u64) as i64
    }
}

const BOX: i64 = 4;

/// Calls `f` on each point of the box until it answers `true`; whether it did.
fn some_point(dimensions: usize, mut f: impl FnMut(&[i64]) -> bool) -> bool {
    let mut point = vec![-BOX; dimensions];
    loop {
        if f(&point) {
            return true;
        }
        let Some(at) = point.iter().rposition(|&v| v < BOX) else { return false };
        point[at] += 1;
        point[at + 1..].fill(-BOX);
    }
}

fn random_form(random: &mut Random, columns: usize, most: i64) -> Form {
    let mut form = Form::constant(random.between(-3 * most, 3 * most));
    for column in 0..columns {
        if random.below(3) > 0 {
            let k = random.between(-most, most);
            form = form.combine(1, &Form::column(column as Column), k).unwrap();
        }
    }
    form
}

/// `-BOX <= x <= BOX` for each column.
fn box_forms(columns: usize) -> Vec<Form> {
    let forms = (0..columns).flat_map(|c| {
        let x = Form::column(c as Column);
        [x.plus(BOX).unwrap(), x.scale(-1).unwrap().plus(BOX).unwrap()]
    });
    forms.collect()
}

#[test]
fn contradictions_of_linear_constraints_are_right_and_solutions_satisfy_them() {
    let mut random = Random(1);
    let (mut contradictions, mut empty, mut solutions) = (0, 0, 0);
    for round in 0..3000 {
        let columns = 1 + (round % 3);
        let most = 2 + (round as i64 % 5);
        let mut at_least = box_forms(columns);
        let mut zero = Vec::new();
        for _ in 0..1 + random.below(4) {
            at_least.push(random_form(&mut random, columns, most));
        }
        for _ in 0..random.below(3) {
            zero.push(random_form(&mut random, columns, most));
        }
        let satisfies = |p: &[i64]| {
            at_least.iter().all(|f| f.evaluate(p).unwrap() >= 0)
                && zero.iter().all(|f| f.evaluate(p).unwrap() == 0)
        };
        let possible = some_point(columns, satisfies);
        empty += usize::from(!possible);
        match solve(&at_least, &zero, columns, &mut 100_000) {
            Outcome::Contradiction => {
                assert!(!possible, "{at_least:?} {zero:?} has a solution");
                contradictions += 1;
            }
            Outcome::Solution(values) => {
                assert!(satisfies(&values), "{values:?} does not satisfy {at_least:?} {zero:?}");
                solutions += 1;
            }
            Outcome::Between(..) | Outcome::Unknown => {}
        }
    }
    assert!(empty > 1000 && contradictions * 100 >= empty * 95, "{contradictions} of {empty}");
    assert!(solutions * 100 >= (3000 - empty) * 95, "{solutions} of {}", 3000 - empty);
}

fn random_formula(random: &mut Random, columns: usize, depth: u32) -> Formula {
    if depth == 0 || random.below(4) == 0 {
        let form = random_form(random, columns, 3);
        return if random.below(3) == 0 { Formula::zero(form) } else { Formula::at_least(form) };
    }
    let parts: Vec<Formula> =
        (0..2 + random.below(2)).map(|_| random_formula(random, columns, depth - 1)).collect();
    if random.below(2) == 0 { Formula::all(parts) } else { Formula::any(parts) }
}

#[test]
fn formulas_are_refuted_exactly_if_no_point_satisfies_them() {
    let mut random = Random(2);
    for _ in 0..1500 {
        let columns = 3;
        let mut problem = Problem::default();
        for _ in 0..columns {
            problem.free(Interval::new(-BOX, BOX).unwrap());
        }
        let formulas: Vec<Formula> = (0..3).map(|_| random_formula(&mut random, columns, 3)).collect();
        let possible = some_point(columns, |p| formulas.iter().all(|f| f.holds(p).unwrap()));
        assert_eq!(refute(&mut problem, &formulas, &mut 1_000_000), !possible, "{formulas:?}");
        let not: Vec<Formula> = formulas.iter().map(|f| f.negate().unwrap()).collect();
        for (f, not) in formulas.iter().zip(&not) {
            assert!(!some_point(columns, |p| f.holds(p) == not.holds(p)), "{f:?} and {not:?}");
        }
    }
}

const I: DType = DType::int(32);

fn random_term(random: &mut Random, depth: u32) -> Expr {
    if depth == 0 || random.below(5) == 0 {
        return match random.below(3) {
            0 => Expr::int(random.between(-5, 9), I),
            _ => Expr::var(VarId(random.below(3) as u32), I),
        };
    }
    let (a, b) = (random_term(random, depth - 1), random_term(random, depth - 1));
    let op = match random.below(13) {
        0..=2 => BinOp::Add,
        3..=4 => BinOp::Sub,
        5 => BinOp::Mul,
        6..=7 => {
            let by = Expr::int(random.between(1, 6), I);
            return Expr::binary(if random.below(2) == 0 { BinOp::FloorDiv } else { BinOp::FloorMod }, a, by);
        }
        8 => [BinOp::FloorDiv, BinOp::FloorMod, BinOp::Div, BinOp::Mod][random.below(4) as usize],
        9 => BinOp::Min,
        10 => BinOp::Max,
        11 => return Expr::select(random_condition(random, depth - 1), a, b),
        _ => return Expr::binary(BinOp::Mul, a, Expr::int(random.between(-3, 4), I)),
    };
    Expr::binary(op, a, b)
}

fn random_condition(random: &mut Random, depth: u32) -> Expr {
    match random.below(8) {
        0 if depth > 0 => Expr::not(random_condition(random, depth - 1)),
        1 if depth > 0 => {
            let op = if random.below(2) == 0 { BinOp::And } else { BinOp::Or };
            Expr::binary(op, random_condition(random, depth - 1), random_condition(random, depth - 1))
        }
        _ => {
            let op = [BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge, BinOp::Eq, BinOp::Ne];
            let op = op[random.below(6) as usize];
            let a = random_term(random, depth.min(2));
            // Sides that have something in common, so that a good part is decided.
            let b = match random.below(3) {
                0 => random_term(random, depth.min(2)),
                _ => Expr::binary(BinOp::Add, a.clone(), random_term(random, 1)),
            };
            Expr::binary(op, a, b)
        }
    }
}

/// The value with division by zero 0 and a remainder by zero its dividend.
fn value(e: &Expr, point: &[i64]) -> i64 {
    match &e.kind {
        ExprKind::Int(v) => *v,
        ExprKind::Var(v) => point[v.index()],
        ExprKind::Not(a) => 1 - value(a, point),
        ExprKind::Select(s) => value(if value(&s.cond, point) != 0 { &s.then } else { &s.otherwise }, point),
        ExprKind::Binary(op, a, b) => match (op, value(a, point), value(b, point)) {
            (BinOp::FloorDiv | BinOp::Div, _, 0) => 0,
            (BinOp::FloorMod | BinOp::Mod, x, 0) => x,
            (op, x, y) => {
                int::binary(*op, if a.dtype.is_bool() { a.dtype } else { DType::int(64) }, x, y).unwrap()
            }
        },
        other => panic!("{other:?} is not generated"),
    }
}

#[test]
fn decisions_on_random_conditions_hold_for_all_values() {
    let mut random = Random(3);
    let (mut decidable, mut decided) = (0, 0);
    for round in 0..6000 {
        let e = random_condition(&mut random, 2 + round % 2);
        let fact = random_condition(&mut random, 1);
        let ranges = vec![Interval::new(-BOX, BOX).unwrap(); 3];
        let mut prover = Prover::new(&ranges);
        prover.assume(&fact, true);
        let (mut holds, mut fails) = (false, false);
        some_point(3, |p| {
            if value(&fact, p) != 0 {
                *(if value(&e, p) != 0 { &mut holds } else { &mut fails }) = true;
            }
            holds && fails
        });
        if let Some(truth) = prover.decide(&e, 20_000) {
            assert!(if truth { !fails } else { !holds }, "{e:?} is not always {truth} where {fact:?}");
            decided += usize::from(holds != fails);
        }
        decidable += usize::from(holds != fails);
    }
    assert!(decidable > 1500 && decided * 100 >= decidable * 97, "{decided} of {decidable}");
}

/// Decides a condition over `int32` variables named by single letters, some of type `uint8` (`u`, `w`).
fn decide(facts: &[&str], cond: &str) -> Option<bool> {
    let mut builder = FuncBuilder::new("main");
    for name in ["x", "y", "n", "m", "i", "j", "a", "b", "c", "d"] {
        builder.param(name, I);
    }
    for name in ["u", "w"] {
        builder.param(name, DType::uint(8));
    }
    let mut env: PrimFunc = builder.finish();
    let mut parse = |text: &str| script::parse_expr(text, &mut env).unwrap();
    let mut prover = Prover::new(&[]);
    for fact in facts {
        prover.assume(&parse(fact), true);
    }
    prover.decide(&parse(cond), Prover::FUEL)
}

#[track_caller]
fn check(expected: Option<bool>, facts: &[&str], cond: &str) {
    assert_eq!(decide(facts, cond), expected, "{cond} where {facts:?}");
}

#[test]
fn linear_theorems() {
    check(Some(true), &["0 <= i", "i < n", "n <= m"], "i < m");
    check(Some(false), &["2 * x == 4 * y + 2 * n"], "x + 1 == 2 * y + n");
    check(Some(false), &[], "2 * x == 4 * y + 1");
    check(Some(false), &[], "6 * x + 10 * y == 15 * n + 1 and n == 2 * m");
    check(Some(true), &["3 * x + 5 * y == 1", "x >= 0"], "y <= 0");
    check(None, &["0 <= i", "i < n"], "i < m");
    check(None, &[], "x == 7");
}

#[test]
fn quotients_by_constants() {
    check(Some(true), &[], "x // 4 * 4 <= x and x < x // 4 * 4 + 4");
    check(Some(true), &[], "x // 4 // 3 == x // 12");
    check(Some(true), &[], "(x + 7) // 8 <= x // 8 + 1");
    check(Some(true), &[], "T.max(x // 8, y // 8) == T.max(x, y) // 8");
    check(Some(true), &[], "(x % 6) % 3 == x % 3");
    check(Some(true), &["0 <= i", "i < 8"], "(8 * x + i) // 8 == x");
    check(Some(true), &[], "(i < 8) == (i // 8 < 1)");
    check(Some(false), &[], "x % 3 == 3");
    check(Some(true), &[], "T.truncdiv(x, 2) <= T.max(x, 0)");
}

#[test]
fn quotients_by_variables() {
    check(Some(true), &["d > 0"], "(x // d < n) == (x < n * d)");
    check(None, &["d >= 0"], "(x // d < n) == (x < n * d)");
    check(Some(true), &["d > 0", "0 <= j", "j < d"], "(i * d + j) // d == i");
    check(Some(true), &["d > 0", "0 <= j", "j < d"], "(i * d + j) % d == j");
    check(Some(true), &["d > 0"], "0 <= x % d and x % d < d");
    check(Some(true), &[], "x - x // d * d == x % d");
    check(Some(true), &["c > 0", "d > 0"], "x // d // c == x // (c * d)");
    // The three checks of a fused softmax with dynamic sizes.
    let sizes = ["a > 0", "b > 0", "c > 0", "x >= 0"];
    let with = |fact| [&sizes[..], &[fact]].concat();
    check(Some(true), &with("x < a * b * c"), "x // c // b < a");
    check(Some(true), &with("x < a * b * c"), "x // c < a * b");
    check(Some(true), &with("x // c < a * b"), "x < a * b * c");
    check(Some(true), &with("x // c // b < a"), "x < a * b * c");
}

#[test]
fn bits_and_shifts() {
    let small = ["0 <= x", "x < 256", "0 <= y", "y < 256"];
    check(Some(true), &small, "x >> 1 <= x");
    check(Some(true), &[], "T.bitwise_and(x, 7) == x % 8");
    check(Some(true), &[], "T.bitwise_not(x) == -1 - x");
    check(Some(true), &[], "T.shift_right(x, 3) == x // 8");
    check(None, &[], "T.shift_left(x, 3) == x * 8");
    check(None, &["1 <= x", "0 <= n", "n < 8"], "T.shift_left(x, n) >= x");
    check(None, &[], "T.bitwise_and(x, y) <= x");
    check(Some(true), &[], "T.vscale() * 2 * (T.vscale() * 2) >= T.vscale() * 4");
    check(None, &[], "T.vscale() > 1");
}

#[test]
fn bits_of_variables_with_ranges() {
    let to = |lo: i64, hi: i64| Interval::new(lo, hi).unwrap();
    // x, y and n.
    let ranges = [to(0, 255), to(0, 255), to(0, 3)];
    let mut builder = FuncBuilder::new("main");
    for name in ["x", "y", "n"] {
        builder.param(name, I);
    }
    let mut env: PrimFunc = builder.finish();
    for (cond, expected) in [
        ("T.bitwise_and(x, y) <= x and T.bitwise_and(x, y) >= 0", Some(true)),
        ("T.bitwise_and(x, y) <= y", Some(true)),
        ("T.bitwise_and(x, y) <= n", None),
        ("T.bitwise_or(x, y) >= x and T.bitwise_or(x, y) <= x + y", Some(true)),
        ("T.bitwise_xor(x, y) < 256 and T.bitwise_xor(x, y) >= x - y", Some(true)),
        ("T.bitwise_xor(x, y) < 255", None),
        ("T.shift_left(x, n) >= x and T.shift_left(x, n) <= x * 8", Some(true)),
        ("T.shift_left(x, n) > x", None),
        ("T.shift_right(x, n) <= x and T.shift_right(x, n) * 8 + 7 >= x", Some(true)),
        ("T.shift_right(x, n) < x", None),
        // A bit may be lost at the top.
        ("T.shift_left(x * 8388608, n) >= x", None),
    ] {
        let cond_expr = script::parse_expr(cond, &mut env).unwrap();
        assert_eq!(Prover::new(&ranges).decide(&cond_expr, Prover::FUEL), expected, "{cond}");
    }
}

#[test]
fn products() {
    check(Some(true), &["x >= 1", "y >= 0"], "x * y >= y");
    check(Some(true), &[], "x * x >= x");
    check(Some(true), &["0 <= i", "i < n", "0 <= j", "j < m"], "i * m + j < n * m");
    check(Some(true), &["x * y >= 1", "x >= 0", "y >= 0"], "x >= 1");
    check(Some(true), &["n > 0"], "(n * x <= n * y) == (x <= y)");
    check(Some(true), &["n >= 0", "n * x > n * y"], "x > y");
    check(Some(true), &["x * y == 0", "x != 0"], "y == 0");
    check(Some(true), &["-2 <= x", "x <= 2"], "x * y * x <= T.max(4 * y, 0)");
    check(None, &["x >= 0"], "x * y >= 0");
}

#[test]
fn choices_and_connectives() {
    check(Some(true), &[], "T.min(x, y) + T.max(x, y) == x + y");
    check(Some(true), &[], "T.Select(x < y, x, y) == T.min(x, y)");
    check(Some(true), &["x < y or x < n", "n <= y"], "x < y");
    check(Some(true), &[], "T.max(T.min(x, 5), 0) <= 5");
    check(Some(true), &[], "not (x < y) or T.if_then_else(x < y, x, y) == x");
    check(Some(false), &[], "T.min(x, y) > T.max(x, y)");
}

#[test]
fn nothing_follows_from_what_cannot_be() {
    check(None, &["x < 0", "x > 0"], "x == 3");
    check(None, &["x < 0", "x > 0"], "x < 0");
}

#[test]
fn types_that_wrap_are_not_integers() {
    check(None, &[], "u + w >= u");
    check(None, &[], "u - w <= u");
    check(Some(true), &["u < T.uint8(100)", "w < T.uint8(100)"], "T.min(u, w) < T.uint8(100)");
    check(Some(true), &[], "T.Cast(\"int32\", u) < 256");
    check(None, &[], "T.Cast(\"uint8\", x) == u");
    check(None, &[], "T.Cast(\"int32\", T.Cast(\"uint8\", x)) == x");
}

#[test]
fn numbers_at_the_ends_of_64_bits_decide_nothing_wrong() {
    let wide = DType::int(64);
    let ends = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
    let x = Expr::var(VarId(0), wide);
    for a in ends {
        for b in ends {
            for op in [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::FloorDiv, BinOp::FloorMod, BinOp::Min] {
                for compare in [BinOp::Lt, BinOp::Le, BinOp::Eq, BinOp::Ne] {
                    let scaled = Expr::binary(op, x.clone(), Expr::int(a, wide));
                    let e = Expr::binary(compare, scaled, Expr::int(b, wide));
                    let ranges = [Interval::new(-BOX, BOX).unwrap()];
                    let decided = Prover::new(&ranges).decide(&e, Prover::FUEL);
                    let values = (-BOX..=BOX).map(|v| exact(op, v, a).map(|v| holds(compare, v, b.into())));
                    let values: Vec<bool> = values.flatten().collect();
                    assert!(
                        decided.is_none_or(|d| values.iter().all(|v| *v == d)),
                        "{e:?} is not always {decided:?}"
                    );
                }
            }
        }
    }
}

/// The value as an integer of any size; `None` for division by zero.
fn exact(op: BinOp, a: i64, b: i64) -> Option<i128> {
    let (a, b) = (i128::from(a), i128::from(b));
    let quotient = |a: i128, b: i128| a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0);
    Some(match op {
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => a * b,
        BinOp::Min => a.min(b),
        _ if b == 0 => return None,
        BinOp::FloorDiv => quotient(a, b),
        _ => a - b * quotient(a, b),
    })
}

fn holds(compare: BinOp, a: i128, b: i128) -> bool {
    match compare {
        BinOp::Lt => a < b,
        BinOp::Le => a <= b,
        BinOp::Eq => a == b,
        _ => a != b,
    }
}

#[test]
fn nested_repetitions_do_not_multiply() {
    let mut equal = "(x < y)".to_owned();
    let (mut choice, mut least, mut product) = ("x".to_owned(), "x".to_owned(), "x".to_owned());
    for i in 0..40 {
        equal = format!("({equal} == (n < x + {i}))");
    }
    for i in 0..7 {
        choice = format!("T.Select({choice} < n, y, {choice} + {i})");
        least = format!("T.min({least} * 2, T.max(m, {least}))");
        product = format!("({product} * y + T.truncdiv({product}, n) + {i})");
    }
    check(None, &[], &format!("{equal} and {choice} < m and {least} < y and {product} < x"));
}

#[test]
fn what_may_change_is_not_equal_to_itself() {
    check(None, &[], "T.call_extern(\"int32\", \"next\") == T.call_extern(\"int32\", \"next\")");
    check(Some(true), &[], "T.shift_left(x, y) == T.shift_left(x, y)");
}
