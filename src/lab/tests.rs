//! Small programs and rules whose effect is known.

use super::suggest::{Operator, Search, suggest};
use super::*;
use crate::egraph::TheoryLevel;
use crate::ir::DType;
use crate::ir::build::FuncBuilder;
use crate::rules::{Rule, check};

const RULES: &str = r#"
(rule same-bits "x & x = x" (types anyint) (=> (bitwise_and ?x ?x) ?x))
(rule other-bits "x | x = x" (types anyint) (=> (bitwise_or ?x ?x) ?x))
(rule idle "never here" (types bool) (=> (not (not ?p)) ?p))
"#;

fn rules() -> RuleSet {
    let mut rules = RuleSet::empty();
    rules.extend_with_text("bits.rules", RULES).unwrap();
    rules
}

fn program(name: &str, value: &str) -> Program {
    let head = "@T.prim_func\ndef main(A: T.Buffer((64,), \"int32\"), x: T.int32, y: T.int32):\n";
    Program::new(name, crate::parse(&format!("{head}    A[0] = {value}\n")).unwrap())
}

fn programs() -> Vec<Program> {
    vec![
        program("and", "T.bitwise_and(x * y, x * y) // 3"),
        program("or", "T.bitwise_or(x * y, y * x) // 3"),
        program("plain", "x + y"),
    ]
}

#[test]
fn stats_say_what_each_rule_does() {
    let stats = stats(&programs(), &rules(), &Options::default()).unwrap();
    let line = |name: &str| stats.rules.iter().find(|r| r.rule == name).unwrap();
    for name in ["same-bits", "other-bits"] {
        let rule = line(name);
        assert_eq!((rule.programs, rule.needed_by, rule.harms), (1, 1, 0), "{rule:?}");
        assert!(rule.matches >= 1 && rule.unions >= 1 && rule.cost_without > 1.0, "{rule:?}");
    }
    let idle = line("idle");
    assert_eq!((idle.programs, idle.matches, idle.unions, idle.cost_without), (0, 0, 0, 1.0));
    assert!(stats.ratio < stats.ratio_without_rules);
    assert_eq!(stats.programs[2].after, stats.programs[2].without_rules);
}

#[test]
fn ablation_finds_what_pays_and_a_smallest_set() {
    let (programs, rules, options) = (programs(), rules(), Options::default());
    let by_rule = ablate(&programs, &rules, &options, Unit::Rule).unwrap();
    assert_eq!(by_rule.units.len(), 3);
    let dearer: Vec<(&str, &[String])> =
        by_rule.units.iter().map(|u| (u.name.as_str(), u.dearer.as_slice())).collect();
    assert!(dearer.contains(&("same-bits", &["and".to_owned()])), "{dearer:?}");
    assert!(dearer.contains(&("idle", &[])), "{dearer:?}");
    assert!(by_rule.units.last().unwrap().never_pays());
    let by_set = ablate(&programs, &rules, &options, Unit::Set).unwrap();
    assert_eq!((by_set.units.len(), by_set.units[0].used_in, by_set.units[0].dearer.len()), (1, 2, 2));
    assert_eq!(smallest(&programs, &rules, &options).unwrap(), ["same-bits", "other-bits"]);
}

#[test]
fn rules_are_tried_on_expressions_too() {
    let expression = |text: &str| {
        let mut builder = FuncBuilder::new("main");
        builder.param("x", DType::I32);
        let mut func = builder.finish();
        let expr = crate::script::parse_expr(text, &mut func).unwrap();
        Program::expression(text, Expression { func, ranges: vec![Interval::ALL], conds: Vec::new(), expr })
    };
    // The second is decided, the third is no matter of rules.
    let programs = ["T.bitwise_and(x, x) * 5", "T.bitwise_or(x, x) == x", "x + x - x"].map(expression);
    let result = ablate(&programs, &rules(), &Options::default(), Unit::Rule).unwrap();
    let dearer = |name: &str| &result.units.iter().find(|u| u.name == name).unwrap().dearer;
    assert_eq!(dearer("same-bits"), &["T.bitwise_and(x, x) * 5"]);
    assert_eq!(dearer("other-bits"), &["T.bitwise_or(x, x) == x"]);
    assert!(dearer("idle").is_empty());
}

#[test]
fn two_sets_are_compared() {
    let (none, options) = (RuleSet::empty(), Options::default());
    let result = compare(&programs(), &none, &rules(), &options).unwrap();
    assert_eq!((result.cheaper, result.dearer), (2, 0));
    assert!(result.cost_ratio < 1.0);
    let result = compare(&programs(), &rules(), &rules(), &options).unwrap();
    assert_eq!((result.cheaper, result.dearer, result.cost_ratio), (0, 0, 1.0));
    assert!(result.same);
}

#[test]
fn engines_are_compared_in_turns() {
    let engine = |theory| Engine { rules: RuleSet::empty(), theory };
    let programs = [program("ring", "y * x - x * y + 7")];
    let run = |a, b| compare_engines(&programs, &engine(a), &engine(b), &Options::default(), 5).unwrap();
    let ring = run(TheoryLevel::None, TheoryLevel::Linear);
    assert_eq!((ring.cheaper, ring.same), (1, false), "the laws of rings take a theory or rules");
    let same = run(TheoryLevel::Full, TheoryLevel::Full);
    assert!(same.same && same.time_range.0 <= same.time_ratio && same.time_ratio <= same.time_range.1);
}

#[test]
fn a_curve_starts_without_rules_and_ends_with_all() {
    let (programs, rules, options) = (programs(), rules(), Options::default());
    let stats = stats(&programs, &rules, &options).unwrap();
    let curve = plot::curve(&programs, &rules, &options, &stats).unwrap();
    assert_eq!(curve.iter().map(|p| p.rules).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert!(curve[0].ratio > curve[1].ratio && curve[1].ratio > curve[2].ratio);
    assert_eq!(curve[2].ratio, curve[3].ratio);
    let svg = plot::svg(&curve);
    assert_eq!(svg.matches("<circle").count(), 4);
    assert!(!svg.contains("NaN") && svg.ends_with("</svg>\n"));
    assert!(plot::svg(&[]).ends_with("</svg>\n"));
    let flat =
        plot::svg(&[0, 9].map(|rules| plot::Point { rules, ratio: 0.5, time_us: 1, time_range_us: (1, 2) }));
    assert!(flat.contains("broken axis"), "{flat}");
    assert_eq!(flat.matches("class=\"bar\"").count(), 2, "a bar for the time of each point");
    let wide = [(0, 1.0), (9, 0.3)].map(|(rules, ratio)| plot::Point {
        rules,
        ratio,
        time_us: 1,
        time_range_us: (1, 2),
    });
    let wide = plot::svg(&wide);
    assert!(wide.contains(">0.0000<") && !wide.contains("broken axis"), "{wide}");
    for label in ["0.4998", "0.4999", "0.5000", "0.5001", "0.5002"] {
        assert_eq!(flat.matches(&format!(">{label}<")).count(), 1, "the axis has `{label}` once");
    }
}

#[test]
fn missing_rules_are_found_and_are_sound() {
    let search = Search {
        ops: ["min", "max", "lt", "select"].map(|name| Operator::by_name(name).unwrap()).to_vec(),
        constants: vec![0],
        size: 6,
        limit: 200,
        ..Search::default()
    };
    let options = Options::default();
    let found = suggest(&search, &RuleSet::empty(), &[], None, &options).unwrap();
    let texts: Vec<&str> = found.iter().map(|s| s.text.as_str()).collect();
    let has = |rule: &str| texts.iter().any(|t| t.contains(rule));
    assert!(has("(=> (lt ?x (max ?x ?y)) (lt ?x ?y))"), "{texts:#?}");
    // What is known is not suggested.
    let again = suggest(&search, &RuleSet::embedded().unwrap(), &[], None, &options).unwrap();
    assert!(!again.iter().any(|s| s.text.contains("(=> (lt ?x (max ?x ?y)) (lt ?x ?y))")));
    // All of it passes the check of rules.
    let mut set = RuleSet::empty();
    set.extend_with_text("found.rules", &texts.join("\n")).unwrap();
    let rules: Vec<&Rule> = set.all_rules().collect();
    assert!(rules.len() > 5, "{texts:#?}");
    let report = check::run(&rules, check::QUICK);
    assert!(report.is_ok(), "{report}");
    // Rules that occur come first.
    let program = program("clamped", "T.Select(x < y, y, x) + T.Select(y < x // 2, x // 2, y)");
    let found = suggest(&search, &RuleSet::empty(), &[program], None, &options).unwrap();
    assert!(found[0].matches > 0, "{found:#?}");
    assert!(found.is_sorted_by(|a, b| a.matches >= b.matches));
}
