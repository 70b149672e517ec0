//! What is read from rule files, and every mistake with its place.

use super::*;
use crate::ir::BinOp;

const GOOD: &str = "; a comment\n(set \"about\" off)\n\
    (rule cancel \"why\" (types index uint8)\n  (=> (floordiv (mul ?x #c) #c) ?x) (if (nonzero #c)) (expensive))";

/// The first error of a text, as `line:column: message`.
#[track_caller]
fn error(text: &str) -> String {
    let errors = parse("dir/f.rules", text).unwrap_err();
    format!("{}:{}: {}", errors[0].line, errors[0].column, errors[0].message)
}

/// The first error of a rule with these clauses behind its reason.
#[track_caller]
fn clause_error(clauses: &str) -> String {
    error(&format!("(rule r \"why\"\n{clauses})"))
}

#[test]
fn a_rule_is_read() {
    let file = parse("some/dir/demo.rules", GOOD).unwrap();
    assert_eq!((&*file.set, &*file.about, file.on), ("demo", "about", false));
    let rule = &file.rules[0];
    assert_eq!((&*rule.name, &*rule.why, &*rule.set, rule.line), ("cancel", "why", "demo", 3));
    assert!(rule.expensive && !rule.may_trap && !rule.bidirectional && !rule.vector);
    assert_eq!(rule.types[0].classes, [TypeClass::Index, TypeClass::Exactly(DType::uint(8))]);
    assert_eq!((rule.holes[0].constant, rule.holes[1].constant), (false, true));
    let mul = Pat::Op(RuleOp::Bin(BinOp::Mul), vec![Pat::Hole(0), Pat::Hole(1)]);
    assert_eq!(rule.lhs, Pat::Op(RuleOp::Bin(BinOp::FloorDiv), vec![mul, Pat::Hole(1)]));
    assert_eq!(rule.rhs, Pat::Hole(0));
    assert_eq!(rule.conds, [Cond::Nonzero(Pat::Hole(1))]);
    assert_eq!(rule.to_string(), "(floordiv (mul ?x #c) #c) => ?x if (nonzero #c)");
    assert_eq!(&GOOD[rule.span.start as usize..][..12], "(rule cancel");
}

#[test]
fn types_are_inferred() {
    let text = "(rule r \"w\" (types anyint) (type @s index) (of @s ?x ?y)
        (=> (select (lt (cast @t ?x) (cast @t ?y)) true false) (lt ?x ?y)) (if (fits ?x @t) (fits ?y @t)))";
    let rule = &parse("f", text).unwrap().rules[0];
    assert!(rule.holes.iter().all(|hole| hole.ty == TypeRef::Var(1)));
    let text = "(rule r \"w\" (types bool) (=> (not (and ?x true)) (not ?x)))";
    assert_eq!(parse("f", text).unwrap().rules[0].holes[0].ty, TypeRef::Bool);
    let text = "(rule r \"w\" (types index) (=> (add (ramp ?x ?s) ?v) (add ?v (ramp ?x ?s))))";
    let rule = &parse("f", text).unwrap().rules[0];
    assert!(rule.vector);
    assert_eq!(rule.holes.iter().map(|hole| hole.scalar).collect::<Vec<_>>(), [true, true, false]);
}

#[test]
fn what_is_printed_is_read_again() {
    for entry in crate::rules::RuleSet::embedded().unwrap().all_rules() {
        let mut text = format!("(rule r \"w\" (types {})", classes(&entry.types[0]));
        for var in &entry.types[1..] {
            text.push_str(&format!(" (type @{} {})", var.name, classes(var)));
        }
        for hole in &entry.holes {
            text.push_str(&format!(" (of {} {hole})", entry.show_type(hole.ty)));
        }
        let arrow = if entry.bidirectional { "<=>" } else { "=>" };
        text.push_str(&format!(" ({arrow} {} {})", entry.show(&entry.lhs), entry.show(&entry.rhs)));
        if !entry.conds.is_empty() {
            let conds: Vec<String> = entry.conds.iter().map(|cond| entry.show_cond(cond)).collect();
            text.push_str(&format!(" (if {})", conds.join(" ")));
        }
        text.push(')');
        let again = parse("f.rules", &text).unwrap_or_else(|e| panic!("{text}\n{}", e[0]));
        assert_eq!(again.rules[0].to_string(), entry.to_string());
    }
}

fn classes(var: &TypeVar) -> String {
    var.classes.iter().map(TypeClass::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn mistakes_in_the_frame() {
    for (text, expected) in [
        ("", "1:1: this file has no rule"),
        ("; only a comment\n", "1:17: this file has no rule"),
        ("(set \"about\")", "1:14: this file has no rule"),
        ("(rule)", "1:1: expected the rule's name"),
        ("(rule 1x \"w\")", "1:7: expected the rule's name: letters, digits and `-`"),
        ("(rule a)", "1:7: expected one line in quotes that says why the rule holds"),
        ("(rule a \" \")", "1:9: expected one line in quotes that says why the rule holds"),
        ("(rule a \"w\\nw\" 3)", "1:16: expected a clause such as `(types index)` or `(=> left right)`"),
        ("(rule a \"w\")", "1:1: expected `(types …)`: the types for which the rule holds"),
        ("(rules a \"w\")", "1:1: expected `(rule …)`, found `(rules …)`"),
        ("x", "1:1: expected `(rule …)`"),
        ("(rule a \"w\" (types bool) (=> (not true) false)) x", "1:49: expected `(rule …)`"),
        ("(rule a \"w\" (types bool) (=> (not true) false)))", "1:48: this `)` closes nothing"),
        ("(rule a \"w\" (types bool)\n (=> (not true) false)", "1:1: this `(` is not closed"),
        (
            "(rule a \"w\" (types bool) (=> (not true) false))\n(rule a \"w\" (types bool) (=> (not true) false))",
            "2:7: there is a rule named `a` already",
        ),
        (
            "(rule a \"w\" (types bool) (=> (not true) false)) (set \"x\")",
            "1:49: `(set …)` must be the first form of its file",
        ),
        ("(set off)", "1:1: expected `(set \"what it is about\")`, or with `off` behind the text"),
    ] {
        assert_eq!(error(text), expected, "{text}");
    }
}

#[test]
fn mistakes_in_a_rule() {
    for (clauses, expected) in [
        ("(types index)", "1:1: expected `(=> left right)` or `(<=> left right)`"),
        (
            "(types int33) (=> (add ?x 0) ?x)",
            "2:8: unknown type `int33`: expected `index`, `int`, `uint`, `anyint`, `bool`, `float`, `any` or a scalar type such as `int32`",
        ),
        (
            "(types) (=> (add ?x 0) ?x)",
            "2:1: expected `index`, `int`, `uint`, `anyint`, `bool`, `float`, `any` or a scalar type such as `int32`",
        ),
        ("(types index) (=> (add ?x 0))", "2:15: an equation has a left and a right side"),
        ("(types index) (=> (add ?x 0) ?x) (=> (add ?x 0) ?x)", "2:34: there is a `(=> …)` already"),
        ("(types index) (types bool) (=> (add ?x 0) ?x)", "2:15: there is a `(types …)` already"),
        (
            "(types index) (when) (=> (add ?x 0) ?x)",
            "2:15: expected `types`, `type`, `of`, `=>`, `<=>`, `if`, `expensive`, `may-trap`, `fast-math` or `by-theory`, found `when`",
        ),
        ("(types index) (=> (plus ?x 0) ?x)", "2:20: unknown operator `plus`"),
        ("(types index) (=> (add ?x) ?x)", "2:19: `add` takes 2 operands, found 1"),
        ("(types index) (=> (add ?x 0 0) ?x)", "2:19: `add` takes 2 operands, found 3"),
        ("(types index) (=> (?x 0) ?x)", "2:20: unknown operator `?x`"),
        ("(types index) (=> ((add) 0) 0)", "2:20: expected an operator"),
        ("(types index) (=> () 0)", "2:19: expected an operator"),
        ("(types index) (=> (add x 0) 0)", "2:24: `x` is not a constant; a hole is written `?x`"),
        ("(types index) (=> (add ? 0) 0)", "2:24: `?` is not a hole: a letter must follow `?`"),
        ("(types index) (=> (add ?x 0x1) 0)", "2:27: `0x1` is neither a hole nor a constant"),
        ("(types index) (=> (add ?x \"a\") 0)", "2:27: a string is no pattern"),
        ("(types index) (=> (add ?x 0) ?y)", "2:30: `?y` is not on the left side"),
        ("(types index) (=> (add ?x 0) ?x) (if (nonzero ?y))", "2:47: `?y` is not on the left side"),
        ("(types index) (of @t ?y) (=> (add ?x 0) ?x)", "2:22: `?y` is not on the left side"),
        ("(types index) (=> (add ?x #x) ?x)", "2:27: `x` is both `?x` and `#x` in this rule"),
        (
            "(types index) (=> ?x (add ?x 0))",
            "2:19: a lone hole matches everything: a rule must match an operator",
        ),
        (
            "(types index) (<=> (add ?x 0) ?x)",
            "2:31: a lone hole matches everything: a rule must match an operator",
        ),
        (
            "(types index) (<=> (mul ?x 0) (add 0 0))",
            "2:31: `?x` is not on the right side, so that the rule cannot be used from right to left",
        ),
        ("(types index) (=> (add ?x (fold 1)) ?x)", "2:27: `fold` may stand only on the right side of `=>`"),
        ("(types index) (=> (add ?x 1) (fold ?x))", "2:36: `?x` is not a constant, so it cannot be folded"),
        ("(types bool) (=> (not true) (fold 1))", "2:29: what is computed here cannot be of type `bool`"),
    ] {
        assert_eq!(clause_error(clauses), expected, "{clauses}");
    }
}

#[test]
fn mistakes_in_types() {
    for (clauses, expected) in [
        ("(types index) (=> (lt ?x 0) ?x)", "2:19: `lt` is not defined on type `bool`"),
        ("(types index) (of @t ?x) (=> (not ?x) (not ?x))", "2:35: types differ: `@t` and `bool`"),
        ("(types bool) (=> (add ?x ?y) (add ?y ?x))", "2:18: `add` is not defined on type `bool`"),
        ("(types float) (=> (floordiv ?x ?y) ?x)", "2:19: `floordiv` is not defined on type `float`"),
        ("(types float) (=> (add ?x 0) ?x)", "2:27: an integer cannot stand for a value of type `float`"),
        ("(types index) (=> (add ?x 0.0) ?x)", "2:27: a float cannot stand for a value of type `index`"),
        (
            "(types index) (=> (add (cast @t ?x) 1) (cast @t ?x))",
            "2:33: nothing says what type this has: declare it, as in `(of @s ?x)`",
        ),
        ("(types index) (=> (cast @u ?x) ?x)", "2:25: `@u` is not declared: add `(type @u …)` to the rule"),
        (
            "(types index) (=> (cast int ?x) ?x)",
            "2:25: `int` is a class of types, where one type is expected",
        ),
        (
            "(types index) (type u int) (=> (add ?x 0) ?x)",
            "2:15: expected a type variable and its classes, as in `(type @u anyint)`",
        ),
        ("(types index) (type @t int) (=> (add ?x 0) ?x)", "2:15: `@t` is declared already"),
        ("(types index) (of @t) (=> (add ?x 0) ?x)", "2:15: expected a type and holes, as in `(of @s ?x)`"),
        (
            "(types index) (=> (broadcast (ramp ?x 1)) (ramp ?x 1))",
            "2:30: `ramp` makes a vector, where a scalar is expected",
        ),
        (
            "(types index) (=> (add (broadcast ?x) ?x) ?x)",
            "2:39: this hole is a scalar in one place and a vector in another",
        ),
        ("(types index) (=> (add ?x 0) ?x) (fast-math)", "1:1: `(fast-math)` is for rules about `float`"),
    ] {
        assert_eq!(clause_error(clauses), expected, "{clauses}");
    }
}

#[test]
fn mistakes_in_conditions() {
    for (conds, expected) in [
        ("(if)", "2:51: expected a condition"),
        ("(if positive)", "2:55: expected a condition such as `(nonzero #c)`"),
        (
            "(if (even ?x))",
            "2:56: unknown condition `even`: expected nonzero, positive, nonnegative, negative, nonpositive, lt, le, gt, ge, eq, ne, divides, pow2, fits, nowider, const, total",
        ),
        ("(if (divides ?x))", "2:55: `divides` takes 2 operands, found 1"),
        ("(if (total (add ?x 1)))", "2:62: `(` is neither a hole nor a constant"),
        ("(if (total 1))", "2:62: `total` takes a hole"),
        ("(if (positive (and ?x ?y)))", "2:66: `and` cannot be computed here"),
        ("(if (positive (plus ?x ?y)))", "2:66: unknown operator `plus`"),
        ("(if (positive (add ?x)))", "2:65: `add` takes 2 operands, found 1"),
        ("(if (positive (lt ?x ?y)))", "2:65: a number is expected here, not a comparison"),
        ("(if (positive 1.5))", "2:65: `1.5` is not an integer: terms are over integers"),
        ("(if (positive lanes))", "2:65: `lanes` has a meaning only where there is a `ramp` or `broadcast`"),
        ("(if (fits ?x @u))", "2:64: `@u` is not declared: add `(type @u …)` to the rule"),
        ("(if (positive ?x)) (expensive 1)", "2:70: `(expensive)` takes nothing"),
    ] {
        let clauses = format!("(types index) (=> (add ?x ?y) (add ?y ?x))        {conds}");
        assert_eq!(clause_error(&clauses), expected, "{conds}");
    }
    let message = clause_error("(types float) (=> (add ?x ?y) (add ?y ?x)) (if (positive ?x))");
    assert_eq!(message, "2:48: conditions are about integers, and `?x` may be none");
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let text =
        "(rule a \"w\" (types index) (=> (plus ?x 0) ?x))\n(rule b \"w\" (types index) (=> (add ?x) ?x))";
    let errors = parse("f.rules", text).unwrap_err();
    assert_eq!(errors.iter().map(|e| e.line).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(
        errors[0].to_string(),
        "f.rules:1:32: error: unknown operator `plus`\n\
         1 | (rule a \"w\" (types index) (=> (plus ?x 0) ?x))\n  |                                ^"
    );
}
