//! Tests of the log of unions: it changes nothing, and every equality can be read off it.

use egg::Id;
use hashbrown::HashSet;
use proptest::prelude::*;

use super::{NODES, arb_term, check_equal, term, theory_with};
use crate::analysis::known::Known;
use crate::arith::Interval;
use crate::cost::Profile;
use crate::egraph::{Axiom, Graph, Proofs, Reason, Settings, TheoryLevel, rebuild, theory_for};
use crate::encode::lower_at;
use crate::eqsat;
use crate::ir::DType;
use crate::ir::build::FuncBuilder;
use crate::rewrite::Rewrites;
use crate::script::parse_expr;
use crate::{candidates, theory};

fn logged() -> Settings {
    Settings { logged: true, ..TheoryLevel::Full.into() }
}

/// The graph of two terms with all that is found about them.
fn saturated(settings: impl Into<Settings>, ranges: &[(i64, i64)], x: &str, y: &str) -> (Graph, Id, Id) {
    let mut theory = theory_for(ranges.len(), settings);
    theory.var_ranges = theory_with(ranges).var_ranges;
    let mut g = Graph::new(theory);
    let (a, b) = (term(&mut g, x), term(&mut g, y));
    theory::run(&mut g, NODES);
    candidates::offer_all(&mut g, NODES);
    (g, a, b)
}

/// Every node has a proof that it is what its class is, and congruence rests on what was known before.
fn check_proofs(g: &Graph) {
    let proofs = Proofs::new(g).unwrap();
    for id in (0..g.nodes().len()).map(Id::from) {
        let root = g.find(id);
        let path = proofs.path(id, root).unwrap();
        let mut at = id;
        for step in &path {
            assert_eq!(step.from, at, "the steps hang together");
            at = step.to;
            if step.reason != Reason::Congruence {
                continue;
            }
            let (a, b) = (g.id_to_node(step.from), g.id_to_node(step.to));
            assert_eq!((&a.op, a.dtype, a.children.len()), (&b.op, b.dtype, b.children.len()));
            for (x, y) in proofs.operands(step) {
                let below = proofs.path(x, y).unwrap();
                assert!(below.iter().all(|s| s.time < step.time), "{a:?} {b:?}: a circle");
            }
        }
        assert_eq!(at, root);
    }
    // What is not equal has none.
    for (a, b) in g.classes().map(|c| c.id).zip(g.classes().map(|c| c.id).skip(1)) {
        assert_eq!(proofs.path(a, b), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_log_changes_nothing_and_proves_all(x in arb_term(), y in arb_term(), lo in -5i64..5, width in 0i64..12) {
        let ranges = [(lo, lo + width), (0, 7), (Interval::NEG_INF, Interval::POS_INF)];
        let (plain, ..) = saturated(TheoryLevel::Full, &ranges, &x, &y);
        let (g, ..) = saturated(logged(), &ranges, &x, &y);
        // The same equalities between what was there at first. A class may be named after another one of its nodes, and
        // then operands that may change places stand in another order, in a node more.
        let first = {
            let mut before = Graph::new(theory_for(ranges.len(), TheoryLevel::Full));
            term(&mut before, &x);
            term(&mut before, &y);
            before.nodes().len()
        };
        let named: HashSet<(Id, Id)> =
            (0..first).map(Id::from).map(|id| (plain.find(id), g.find(id))).collect();
        let count = |side: fn(&(Id, Id)) -> Id| named.iter().map(side).collect::<HashSet<Id>>().len();
        prop_assert_eq!((count(|pair| pair.0), count(|pair| pair.1)), (named.len(), named.len()));
        prop_assert_eq!(plain.number_of_classes(), g.number_of_classes());
        prop_assert!(Proofs::new(&plain).is_none());
        check_proofs(&g);
    }
}

#[test]
fn a_proof_names_the_laws() {
    let any = (Interval::NEG_INF, Interval::POS_INF);
    let reasons = |ranges: &[(i64, i64)], x: &str, y: &str| {
        check_equal(ranges, x, y);
        let (g, a, b) = saturated(logged(), ranges, x, y);
        let proof = Proofs::new(&g).unwrap().reasons(a, b, 1000).unwrap();
        assert!(!proof.cut_off);
        proof.reasons.into_iter().collect::<Vec<_>>()
    };
    let by = |axiom: Axiom| Reason::Axiom(axiom);
    assert_eq!(reasons(&[any, (0, 6)], "/ + * a 7 b 7", "a"), [by(Axiom::QuotientInRange)]);
    assert_eq!(reasons(&[any], "/ * a 8 4", "* a 2"), [by(Axiom::QuotientOfMultiple)]);
    assert_eq!(reasons(&[any, any], "max a b", "max b a"), [by(Axiom::Commuted)]);
    // By what is known of the operands, and then by congruence.
    assert_eq!(
        reasons(&[any, any], "max / * a 8 4 b", "max * a 2 b"),
        [by(Axiom::QuotientOfMultiple)],
        "congruence is no reason of its own"
    );
    // With nothing to do there is no reason.
    assert_eq!(reasons(&[any], "/ a 8", "/ a 8"), []);
}

/// For each law, expressions in which it unites something, with a condition that holds.
const USES: &[(Axiom, &str, &str)] = &[
    (Axiom::NormalForm, "x * 2 + T.min(x + x, y)", ""),
    (Axiom::ConstantForm, "x - x", ""),
    (Axiom::SumWritten, "x * y + x * z + y", ""),
    (Axiom::Commuted, "T.max(x, y) + T.max(y, x)", ""),
    (Axiom::OnlyValue, "T.max(x, z)", "z == 5"),
    (Axiom::OnlyResidue, "x % 4", "x % 8 == 3"),
    (Axiom::QuotientByOne, "x // z", "z == 1"),
    (Axiom::QuotientOfMultiple, "x * 4 // 4", ""),
    (Axiom::QuotientInRange, "(x * 16 + s) // 16", ""),
    (Axiom::QuotientSplit, "(x * 4 + y) // 4", ""),
    (Axiom::QuotientCommonFactor, "(x * 2 + 1) // 4", ""),
    (Axiom::QuotientSmallPart, "(x * 32 + s) // 64", ""),
    (Axiom::QuotientRest, "(x + 1) // 4", "x % 4 == 0"),
    (Axiom::QuotientNested, "x // 4 // 8", ""),
    (Axiom::QuotientNegated, "(0 - x) // 4", ""),
    (Axiom::QuotientNegativeDivisor, "x // -4", ""),
    (Axiom::QuotientHalves, "x // 2 + (x + 1) // 2", ""),
    (Axiom::QuotientVanishing, "x % (y * z) // z", ""),
    (Axiom::QuotientDifference, "(x + 5) // 4 - x // 4", ""),
    (Axiom::Remainder, "x % 4", ""),
    (Axiom::RemainderCongruent, "x % 4 + (x + y * 4) // 3", ""),
    (Axiom::TruncationIsFloor, "T.Div(s, 4)", ""),
    (Axiom::TruncationIsOdd, "T.Div(0 - x, 4)", ""),
    (Axiom::TruncationCommonFactor, "T.Div(x * 2, 4)", ""),
    (Axiom::TruncationInRange, "T.Div(s - 8, 16)", ""),
    (Axiom::TruncationNested, "T.Div(T.Div(x, 4), 8)", ""),
    (Axiom::TruncationByOne, "T.Div(x, z)", "z == 1"),
    (Axiom::TruncationRemainder, "T.Mod(x, 4)", ""),
    (Axiom::ExtremumBounded, "T.min(s, s + 3)", ""),
    (Axiom::ExtremumNormalForm, "T.min(x + z, y + z)", ""),
    (Axiom::ExtremumOfSums, "T.min(x, y) - x", ""),
    (Axiom::ExtremumOfQuotients, "T.min(x // 4, y // 4) + z", ""),
    (Axiom::ComparisonByRange, "x * 16 + s < x * 16 + 20", ""),
    (Axiom::ComparisonByDivisibility, "x * 4 + 1 == y * 4", ""),
    (Axiom::ComparisonByFacts, "x < y + 1", "x < y"),
    (Axiom::ComparisonNormalForm, "x + 1 < y + 1", ""),
    (Axiom::EquationHolds, "x + 1", "x == y"),
    (Axiom::ComparisonOpposite, "x != y", "not (x == y)"),
    (Axiom::LogicUnit, "x < y and x < y", ""),
    (Axiom::LogicExcluded, "x < y and y < x", ""),
    (Axiom::LogicImplied, "x < 4 and x < 9", ""),
    (Axiom::DoubleNegation, "not (not (T.Cast(\"bool\", x)))", ""),
    (Axiom::NegatedComparison, "not x < y", ""),
    (Axiom::PartsHold, "x < 3", "x < y and x < 3"),
    (Axiom::ChoiceDecided, "T.Select(s < 20, x, y)", ""),
    (Axiom::ChoiceOfSame, "T.Select(x < 20, y, y)", ""),
    (Axiom::Likely, "x", "T.likely(x < y)"),
    (Axiom::CastToSame, "T.Cast(\"int32\", x) + T.Cast(\"int64\", l)", ""),
    (Axiom::CastOfSum, "T.Cast(\"int64\", s + 1)", ""),
    (Axiom::Lanes, "T.Ramp(x, 1, 4) + T.Broadcast(y, 4)", ""),
];

/// The reasons of the unions that expressions at one place lead to.
fn reasons_of(text: &str, cond: &str) -> Vec<Reason> {
    let mut b = FuncBuilder::new("main");
    for name in ["s", "x", "y", "z"] {
        b.param(name, DType::I32);
    }
    b.param("l", DType::I64);
    let mut func = b.finish();
    let e = parse_expr(text, &mut func).unwrap();
    let mut ranges = vec![Interval::ALL; func.vars.len()];
    ranges[0] = Interval::new(0, 15).unwrap();
    let conds = [cond].into_iter().filter(|cond| !cond.is_empty());
    let facts = conds.map(|cond| (parse_expr(cond, &mut func).unwrap(), true)).collect();
    let known = Known { ranges: ranges.into(), facts, ..Known::default() };
    let mut lowered = lower_at(&func, &Profile::default(), &known, &[&e], logged());
    // With nothing that is known of the place the graph is as that of a whole function.
    lowered.graph.analysis_mut().contextual = !cond.is_empty();
    eqsat::saturate(&mut lowered, &Rewrites::of_rules([]), NODES);
    candidates::offer_all(&mut lowered.graph, NODES);
    rebuild(&mut lowered.graph);
    assert_eq!(lowered.graph.analysis.contradictions, 0, "{text}");
    check_proofs(&lowered.graph);
    let proofs = Proofs::new(&lowered.graph).unwrap();
    proofs.all().collect()
}

#[test]
fn every_law_is_used() {
    let mut unused = Vec::new();
    for (axiom, text, cond) in USES {
        let reasons = reasons_of(text, cond);
        if !reasons.contains(&Reason::Axiom(*axiom)) {
            unused.push(format!("{axiom:?} in `{text}` given `{cond}`: {reasons:?}"));
        }
    }
    assert!(unused.is_empty(), "{}", unused.join("\n"));
    for axiom in Axiom::ALL {
        assert!(USES.iter().any(|(used, ..)| used == axiom), "{axiom:?} ({}) has no example", axiom.name());
    }
}
