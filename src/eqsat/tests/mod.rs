//! Tests of the theory: equal terms end in one class, and what the engine says of a class holds for all values.

mod exact;
mod laws;
mod pipeline;
mod provenance;
mod safety;
mod vectors;

use egg::{Id, Language};
use proptest::prelude::*;

use crate::arith::Interval;
use crate::egraph::{FactAnalysis, Graph, Knowing, Node, Op, TheoryLevel, theory_for};
use crate::ir::{BinOp, DType, VarId};
use crate::{candidates, theory};

pub(super) const NODES: usize = 20_000;

pub(super) fn theory_with(ranges: &[(i64, i64)]) -> FactAnalysis {
    let mut theory = theory_for(ranges.len(), TheoryLevel::default());
    for (i, &(lo, hi)) in ranges.iter().enumerate() {
        theory.var_ranges[i] = Interval::new(lo, hi).unwrap();
    }
    theory
}

fn var(g: &mut Graph, i: u32) -> Id {
    g.add(Node::new(Op::Var(VarId(i)), DType::I32, []))
}

pub(super) fn int(g: &mut Graph, v: i64) -> Id {
    g.add(Node::int(v, DType::I32))
}

fn bin(g: &mut Graph, op: BinOp, a: Id, b: Id) -> Id {
    g.add(Node::bin(op, DType::I32, a, b))
}

/// A term as text in prefix form: `+ x 1`, with `a..d` for the variables.
pub(super) fn term(g: &mut Graph, text: &str) -> Id {
    fn next(g: &mut Graph, words: &mut std::str::SplitWhitespace<'_>) -> Id {
        let word = words.next().unwrap();
        let op = match word {
            "+" => BinOp::Add,
            "-" => BinOp::Sub,
            "*" => BinOp::Mul,
            "/" => BinOp::FloorDiv,
            "%" => BinOp::FloorMod,
            "tdiv" => BinOp::Div,
            "tmod" => BinOp::Mod,
            "and" => BinOp::And,
            "or" => BinOp::Or,
            "min" => BinOp::Min,
            "max" => BinOp::Max,
            "<" => BinOp::Lt,
            "<=" => BinOp::Le,
            ">" => BinOp::Gt,
            "==" => BinOp::Eq,
            w => {
                return match w.parse() {
                    Ok(v) => int(g, v),
                    Err(_) => var(g, u32::from(w.as_bytes()[0] - b'a')),
                };
            }
        };
        let a = next(g, words);
        let b = next(g, words);
        let operand = g.facts(a).dtype;
        g.add(Node::bin(op, operand, a, b))
    }
    next(g, &mut text.split_whitespace())
}

#[track_caller]
fn check_equal(ranges: &[(i64, i64)], left: &str, right: &str) {
    let mut g = Graph::new(theory_with(ranges));
    let (a, b) = (term(&mut g, left), term(&mut g, right));
    theory::run(&mut g, NODES);
    assert_eq!(g.find(a), g.find(b), "{left} is not {right}");
    assert_eq!(g.analysis.contradictions, 0);
}

#[test]
fn sums_and_products_are_equal_modulo_the_ring_axioms() {
    let any = [(Interval::NEG_INF, Interval::POS_INF); 4];
    check_equal(&any, "+ + a b c", "+ c + b a");
    check_equal(&any, "* a + b c", "+ * a b * c a");
    check_equal(&any, "- * + a b + a b * a a", "+ * b b * * 2 a b");
    check_equal(&any, "+ * / a 4 4 % a 4", "a");
}

#[test]
fn division_and_remainder_split_bound_and_nest() {
    let any = (Interval::NEG_INF, Interval::POS_INF);
    check_equal(&[any, any], "/ + * a 8 * b 4 4", "+ * a 2 b");
    check_equal(&[any, (0, 6)], "/ + * a 7 b 7", "a");
    check_equal(&[any, (0, 6)], "% + * a 7 b 7", "b");
    check_equal(&[any], "/ / a 4 8", "/ a 32");
    check_equal(&[any], "/ % a 12 4", "% / a 4 3");
    check_equal(&[any], "% % a 12 4", "% a 4");
    check_equal(&[any], "/ + * a 4 3 8", "/ a 2");
    check_equal(&[any, (0, 3)], "/ + * 4 % a 3 b 4", "% a 3");
    check_equal(&[(0, 15)], "/ a 16", "0");
    check_equal(&[any, (1, Interval::POS_INF)], "/ * a b b", "a");
    check_equal(&[any, (1, Interval::POS_INF)], "% + * a b 0 b", "0");
    check_equal(&[any, (0, Interval::POS_INF), (0, Interval::POS_INF)], "/ / a b c", "/ a * b c");
    // With divisors that may be zero.
    check_equal(&[any, any, any], "/ % a * b c b", "- / a b * c / a * b c");
    check_equal(&[any, any, any], "/ % a * + b 1 c + b 1", "- / a + b 1 * c / a * + b 1 c");
}

#[test]
fn comparisons_and_extrema_are_decided_by_the_difference() {
    check_equal(&[(0, 9), (0, 9)], "min + a b + + a b 1", "+ a b");
    check_equal(&[(0, 9)], "< a 10", "< 0 1");
    check_equal(&[(0, 100), (0, 100)], "< a b", "> b a");
    check_equal(&[(0, 100), (0, 100)], "<= + a 1 b", "< a b");
    check_equal(&[(0, 100)], "< * a 4 14", "<= a 3");
    check_equal(&[(0, 100)], "== * a 4 14", "< 1 0");
    check_equal(&[(0, 100)], "max % a 8 7", "7");
}

#[test]
fn small_parts_do_not_count() {
    let any = (Interval::NEG_INF, Interval::POS_INF);
    check_equal(&[any, (0, 31), (0, 3)], "/ + + * a 128 * b 4 c 512", "/ a 4");
    check_equal(&[any, (0, 7)], "< - b * a 8 16", "<= -1 a");
    check_equal(&[any, any, (0, 1023)], "< + * a 1024 c * b 7168", "< a * b 7");
    check_equal(&[any, (1, 6)], "== + * a 8 b 0", "< 1 0");
}

#[test]
fn halves_and_signs_have_one_form() {
    let any = (Interval::NEG_INF, Interval::POS_INF);
    check_equal(&[any], "- / + a 1 2 / a 2", "% a 2");
    check_equal(&[any], "/ + % a 2 1 2", "% a 2");
    check_equal(&[any], "- * / + a 2 3 3 a", "% - 0 a 3");
    check_equal(&[any, any], "/ - b a 4", "- 0 / + - a b 3 4");
}

#[test]
fn truncating_division_is_odd_and_has_a_remainder() {
    let any = (Interval::NEG_INF, Interval::POS_INF);
    check_equal(&[any], "+ + * tdiv a 6 6 * tmod tdiv a 3 2 3 tmod a 3", "a");
    check_equal(&[any, any], "- * tdiv + a b 3 6 * a 2", "* - b tmod + a b 3 2");
    check_equal(&[(0, 99)], "tdiv a 7", "/ a 7");
    check_equal(&[(-99, 0)], "tdiv a 7", "- 0 / - 0 a 7");
    check_equal(&[any], "tdiv a -4", "- 0 tdiv a 4");
    check_equal(&[(-6, 6)], "tdiv a 7", "0");
    check_equal(&[any], "min * tdiv + a 3 4 4 a", "a");
}

#[test]
fn extrema_are_sets_of_sums() {
    let any = [(Interval::NEG_INF, Interval::POS_INF); 4];
    check_equal(&any, "min min a b min c b", "min c min b a");
    check_equal(&any, "min + + a b c + a d", "+ a min + b c d");
    check_equal(&any, "max * a 4 + * b 4 8", "* 4 max a + b 2");
    check_equal(&any, "min - a b - a c", "- a max b c");
    check_equal(&any, "min max a b + max b a 3", "max a b");
}

#[test]
fn conditions_that_others_imply_go() {
    let any = [(Interval::NEG_INF, Interval::POS_INF); 4];
    check_equal(&any, "and <= a b < a b", "< a b");
    check_equal(&any, "and and < a b < c d < a + b 1", "and < c d < a b");
    check_equal(&any, "or < a b <= b a", "< 0 1");
    check_equal(&any, "and == a 1 == a 2", "< 1 0");
}

#[test]
fn divisibility_decides_remainders() {
    let any = (Interval::NEG_INF, Interval::POS_INF);
    check_equal(&[any, any], "% min * a 4 + * b 6 2 2", "0");
    check_equal(&[any, any], "== % min * a 4 * b 6 2 1", "< 1 0");
}

#[test]
fn remainders_are_offered_of_congruent_dividends() {
    let any = (Interval::NEG_INF, Interval::POS_INF);
    let mut g = Graph::new(theory_with(&[any, any]));
    let remainder = term(&mut g, "% + * a 2 b 3");
    let quotients = ["/ + * a 11 b 3", "/ + * a 10 b 3", "/ + * a 11 + b 6 5"].map(|text| term(&mut g, text));
    theory::run(&mut g, NODES);
    candidates::offer_all(&mut g, NODES);
    let dividend = |g: &Graph, id: Id, of: BinOp| -> Vec<Id> {
        let nodes = g[g.find(id)].nodes.iter().filter_map(Node::as_bin);
        nodes.filter(|&(op, ..)| op == of).map(|(_, dividend, _)| g.find(dividend)).collect()
    };
    let offered = dividend(&g, remainder, BinOp::FloorMod);
    let is_offered = quotients
        .map(|id| dividend(&g, id, BinOp::FloorDiv).iter().any(|dividend| offered.contains(dividend)));
    assert_eq!(is_offered, [true, false, true]);
}

#[test]
fn a_long_sum_in_any_order_is_one_class() {
    let mut g = Graph::new(theory_with(&[(Interval::NEG_INF, Interval::POS_INF); 64]));
    let vars: Vec<Id> = (0..64).map(|i| var(&mut g, i)).collect();
    let mut forward = vars[0];
    for &v in &vars[1..] {
        forward = bin(&mut g, BinOp::Add, forward, v);
    }
    let mut level = vars;
    level.reverse();
    while level.len() > 1 {
        level = level.chunks(2).map(|p| bin(&mut g, BinOp::Add, p[0], p[1])).collect();
    }
    theory::run(&mut g, NODES);
    assert_eq!(g.find(forward), g.find(level[0]));
}

/// A random term over three variables.
fn arb_term() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        3 => prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned),
        1 => (-9i64..10).prop_map(|v| v.to_string()),
    ];
    leaf.prop_recursive(5, 24, 2, |inner| {
        let ops = vec!["+", "+", "-", "*", "/", "%", "min", "max", "//c", "%c", "*c", "tdiv", "tmodc"];
        (prop::sample::select(ops), inner.clone(), inner, 1i64..10).prop_map(|(op, x, y, c)| match op {
            "//c" => format!("/ {x} {c}"),
            "%c" => format!("% {x} {c}"),
            "tmodc" => format!("tmod {x} {c}"),
            "*c" => format!("* {x} {c}"),
            _ => format!("{op} {x} {y}"),
        })
    })
}

/// The value of a node over the integers, division by zero as the engine takes it; `None` beyond 64 bits.
fn eval(node: &Node, operands: &[i128], vars: &[i128]) -> i128 {
    let floordiv = |x: i128, y: i128| if y == 0 { 0 } else { (x - x.rem_euclid(y)).div_euclid(y) };
    let floordiv = |x: i128, y: i128| if y < 0 { floordiv(-x, -y) } else { floordiv(x, y) };
    match (&node.op, operands) {
        (Op::Int(v), _) => i128::from(v.get()),
        (Op::Var(v), _) => vars[v.index()],
        (Op::Not, [a]) => 1 - a,
        (Op::Bin(op), &[a, b]) => match op {
            BinOp::Add => a + b,
            BinOp::Sub => a - b,
            BinOp::Mul => a * b,
            BinOp::FloorDiv => floordiv(a, b),
            BinOp::FloorMod => a - b * floordiv(a, b),
            BinOp::Min => a.min(b),
            BinOp::Max => a.max(b),
            BinOp::Eq => i128::from(a == b),
            BinOp::Ne => i128::from(a != b),
            BinOp::Lt => i128::from(a < b),
            BinOp::Le => i128::from(a <= b),
            BinOp::Gt => i128::from(a > b),
            BinOp::Ge => i128::from(a >= b),
            BinOp::And => a & b,
            BinOp::Or => a | b,
            BinOp::Div => a.checked_div(b).unwrap_or(0),
            BinOp::Mod => a.checked_rem(b).unwrap_or(a),
        },
        other => unreachable!("not in random terms: {other:?}"),
    }
}

/// Every node of every class has the class's one value, which lies in the class's interval.
fn check_classes(g: &Graph, vars: &[i128]) {
    let mut values: std::collections::BTreeMap<Id, i128> = std::collections::BTreeMap::new();
    loop {
        let before = values.len();
        for class in g.classes() {
            for node in &class.nodes {
                let operands: Option<Vec<i128>> =
                    node.children().iter().map(|&c| values.get(&g.find(c)).copied()).collect();
                let Some(operands) = operands else { continue };
                let value = eval(node, &operands, vars);
                match values.get(&class.id) {
                    Some(&known) => assert_eq!(known, value, "{node:?} in {:?} at {vars:?}", class.nodes),
                    None => {
                        values.insert(class.id, value);
                    }
                }
            }
        }
        if values.len() == before {
            break;
        }
    }
    for class in g.classes() {
        if let Some(v) = values.get(&class.id).and_then(|&v| i64::try_from(v).ok()) {
            assert!(
                g.facts(class.id).interval.contains(v),
                "{v} of {:?} not in {:?}",
                class.nodes,
                g.facts(class.id).interval
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_equality_holds_for_all_values(x in arb_term(), y in arb_term(), lo in -5i64..5, width in 0i64..12) {
        let ranges = [(lo, lo + width), (0, 7), (Interval::NEG_INF, Interval::POS_INF)];
        let mut g = Graph::new(theory_with(&ranges));
        let (a, b) = (term(&mut g, &x), term(&mut g, &y));
        let compare = |g: &mut Graph, op, a, b| g.add(Node::bin(op, DType::I32, a, b));
        let c = var(&mut g, 2);
        for op in [BinOp::Lt, BinOp::Le, BinOp::Eq, BinOp::Ne, BinOp::Gt, BinOp::Ge] {
            let (p, q) = (compare(&mut g, op, a, b), compare(&mut g, BinOp::Le, a, c));
            g.add(Node::bin(BinOp::And, DType::BOOL, p, q));
            g.add(Node::bin(BinOp::Or, DType::BOOL, q, p));
        }
        theory::run(&mut g, NODES);
        candidates::offer_all(&mut g, NODES);
        prop_assert_eq!(g.analysis.contradictions, 0);
        // Nothing is known of the place, so no sample point breaks it.
        prop_assert_eq!(g.analysis.broken_points, 0);
        for va in [lo, lo + width / 2, lo + width] {
            for vb in [0, 1, 3, 7] {
                for vc in [-13, -1, 0, 1, 6, 40] {
                    check_classes(&g, &[va.into(), vb.into(), vc.into()]);
                }
            }
        }
    }
}
