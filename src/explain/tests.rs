//! Explanations of equalities whose reasons are known.

use super::*;
use crate::ir::DType;
use crate::ir::build::FuncBuilder;
use crate::script::parse_expr;

/// Three integers, the first in `0 ..= 15`.
fn env() -> (PrimFunc, Vec<Interval>) {
    let mut b = FuncBuilder::new("main");
    for name in ["x", "y", "z"] {
        b.param(name, DType::I32);
    }
    let func = b.finish();
    let mut ranges = vec![Interval::ALL; func.vars.len()];
    ranges[0] = Interval::new(0, 15).unwrap();
    (func, ranges)
}

fn with<T>(
    rules: &RuleSet,
    conds: &[&str],
    a: &str,
    b: &str,
    f: impl FnOnce(&Context<'_>, &Expr, &Expr) -> T,
) -> T {
    let (mut func, ranges) = env();
    let mut parse = |text: &str| parse_expr(text, &mut func).unwrap();
    let conds: Vec<Expr> = conds.iter().map(|c| parse(c)).collect();
    let (a, b) = (parse(a), parse(b));
    let profile = Profile::default();
    let context =
        Context { func: &func, profile: &profile, rules, fast_math: false, ranges: &ranges, conds: &conds };
    f(&context, &a, &b)
}

#[track_caller]
fn explained(rules: &RuleSet, a: &str, b: &str) -> Explanation {
    with(rules, &[], a, b, |context, a, b| context.equal(a, b)).unwrap()
}

fn reasons(e: &Explanation) -> Vec<&Reason> {
    e.left_steps.iter().chain(&e.right_steps).map(|s| &s.reason).chain(&e.meeting).collect()
}

#[test]
fn arithmetic_is_named() {
    let none = RuleSet::empty();
    let ring = explained(&none, "x * (y + z)", "z * x + y * x");
    assert!(!reasons(&ring).is_empty() && reasons(&ring).iter().all(|r| **r == Reason::Ring), "{ring}");
    let theory = explained(&none, "(y * 4 + 3) // 4", "y");
    let in_range = Law { about: "floor division", name: "a quotient that the range of the dividend decides" };
    assert_eq!(reasons(&theory), [&Reason::Theory(vec![in_range])], "{theory}");
    let text = theory.to_string();
    assert!(text.starts_with("  (y * 4 + 3) // 4\n= y "), "{text}");
    assert!(text.ends_with("[floor division: a quotient that the range of the dividend decides]"), "{text}");
    let range = explained(&none, "(y * 16 + x) // 16 + z", "z + y");
    assert!(range.to_string().contains("decides; given 0 <= x <= 15]"), "{range}");
    let cond = with(&none, &["z < y", "z > 3"], "T.min(z, y)", "z", |c, a, b| c.equal(a, b)).unwrap();
    assert_eq!(cond.left_steps[0].given, ["z < y"], "{cond}");
}

#[test]
fn only_the_rules_that_it_takes_are_named() {
    let rules = RuleSet::embedded().unwrap();
    let e = explained(&rules, "T.bitwise_and(y, y) + z", "y + z");
    let names: Vec<&str> = reasons(&e).into_iter().flat_map(Reason::rules).collect();
    assert_eq!(names.len(), 1, "{e}");
    let rule = rules.all_rules().find(|r| *r.name == *names[0]).unwrap();
    assert!(rule.to_string().contains("bitwise_and"), "{e}");
    assert!(e.to_string().contains(&*rule.why), "{e}");
    // Each chain ends where the other does.
    let both = explained(&rules, "T.min(y, T.max(y, z))", "T.bitwise_or(y, y)");
    assert_eq!(both.left_steps.last().unwrap().whole, "y", "{both}");
    assert_eq!(both.right_steps.last().unwrap().whole, "y", "{both}");
    assert_eq!(both.meeting, None, "{both}");
}

#[test]
fn what_is_not_equal_is_not_explained() {
    let rules = RuleSet::embedded().unwrap();
    assert_eq!(with(&rules, &[], "y // 2 * 2", "y", |c, a, b| c.equal(a, b)), None);
    let missed = with(&rules, &[], "y // 2 * 2", "y", |c, a, b| c.missed(a, b, &rules));
    let Missed::Differ { values, left, right } = &missed else { panic!("{missed}") };
    assert_eq!(values[0].0, "y");
    assert_ne!(left, right);
    let missed = with(&rules, &[], "y + x // 16", "y", |c, a, b| c.missed(a, b, &rules));
    assert!(matches!(&missed, Missed::Equal(_)), "{missed}");
    let missed = with(&rules, &[], "y < 3", "y", |c, a, b| c.missed(a, b, &rules));
    assert_eq!(missed, Missed::Types(DType::BOOL, DType::I32));
}

#[test]
fn a_condition_that_was_not_proven_is_named() {
    let mut rules = RuleSet::empty();
    let text = "(rule same-shift \"w\" (types anyint) (=> (bitwise_and ?x ?y) ?x) (if (le ?x ?y) (positive ?y)))\n\
                (rule other \"w\" (types anyint) (=> (bitwise_or ?x ?y) ?x) (if (positive ?x)))";
    rules.extend_with_text("mine.rules", text).unwrap();
    // `y` is positive, so only one of the two conditions is open.
    let twice = "T.bitwise_and(T.bitwise_and(z, y), y)";
    let missed = with(&rules, &["y > 0"], twice, "T.bitwise_and(z, y)", |c, a, b| c.missed(a, b, &rules));
    let Missed::Unknown { near, .. } = &missed else { panic!("{missed}") };
    assert_eq!(near.len(), 1, "{missed}");
    assert_eq!(
        (near[0].rule.as_str(), near[0].unproven.as_slice()),
        ("same-shift", &["(le ?x ?y)".to_owned()][..])
    );
    assert!(missed.to_string().contains("this was not proven: (le ?x ?y)"), "{missed}");
    // A rule that is switched off.
    let mut off = rules.clone();
    off.disable("mine").unwrap();
    off.extend_with_text("b.rules", "(rule b \"w\" (types anyint) (=> (bitwise_xor ?x ?x) 0))").unwrap();
    off.disable("b").unwrap();
    let missed = with(&off, &[], "T.bitwise_xor(z, z)", "0", |c, a, b| c.missed(a, b, &off));
    assert!(missed.to_string().contains("Rule b would make them equal, but is switched off"), "{missed}");
}

#[test]
fn what_a_program_replaced_is_found_and_explained() {
    let text = "@T.prim_func\ndef main(A: T.Buffer((4096,), \"int32\"), n: T.int32):\n    for i in range(16):\n        \
                for j in range(16):\n            A[i * n * 4 + j] = i * 4 * n + j + T.bitwise_and(n, n)\n";
    let module = crate::parse(text).unwrap();
    let rules = RuleSet::embedded().unwrap();
    let profile = Profile::default();
    let before = &module.funcs[0];
    let after = crate::cse::run(&module, &crate::cse::Options::default()).unwrap().0.funcs.remove(0);
    let found = replacements(before, &after, false);
    assert!(!found.is_empty());
    for r in &found {
        let context = Context {
            func: &after,
            profile: &profile,
            rules: &rules,
            fast_math: false,
            ranges: &r.ranges,
            conds: &r.conds,
        };
        let explanation = context.equal(&r.before, &r.after);
        assert!(explanation.is_some(), "{} {}", context.show(&r.before), context.show(&r.after));
        assert!(text[r.span.start as usize..].starts_with("A["), "{:?}", r.span);
    }
    assert!(found.iter().any(|r| !r.bindings.is_empty()));
}

#[test]
fn the_graph_of_an_expression_is_exported() {
    let rules = RuleSet::embedded().unwrap();
    let view = with(&rules, &[], "T.min(y, T.max(y, z)) + (x * 4 + 3) // 4", "y", |c, e, _| View::new(c, e));
    // The cheapest form is `y + x`: one addition, two variables.
    let chosen: Vec<&str> = view.nodes.iter().filter(|n| n.chosen).map(|n| n.label.as_str()).collect();
    assert_eq!(chosen.len(), 3, "{chosen:?}");
    assert!(chosen.contains(&"add") && chosen.contains(&"x") && chosen.contains(&"y"), "{chosen:?}");
    assert!(view.nodes.iter().any(|n| n.label == "min" && !n.chosen && n.cost == 2.0));

    let json = view.to_json();
    let nodes = json["nodes"].as_object().unwrap();
    assert_eq!(nodes.len(), view.nodes.len());
    for node in nodes.values() {
        assert!(json["class_data"][node["eclass"].as_str().unwrap()]["type"].is_string());
        for child in node["children"].as_array().unwrap() {
            assert!(nodes.contains_key(child.as_str().unwrap()));
        }
    }
    assert_eq!(json["root_eclasses"], serde_json::json!(["c0"]));

    let dot = view.to_dot();
    assert_eq!(dot.matches("subgraph cluster_").count(), view.classes.len());
    assert_eq!(dot.matches("fillcolor").count(), 3);
    let svg = view.to_svg();
    assert_eq!(svg.matches("<rect class=\"class\"").count(), view.classes.len());
    assert_eq!(svg.matches("<rect class=\"chosen\"").count(), 3);
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}
