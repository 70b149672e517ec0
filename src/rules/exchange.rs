//! Rules from and for egg and egglog.
//!
//! Their patterns have no types and few conditions, so only a part of our rules can be written there, and what comes
//! from there holds for the type that one says; `rules check` tells whether it does. What cannot be expressed becomes
//! a comment with the reason.

use std::fmt::Write;

use super::ast::{Cond, Pat, Rule, RuleOp, TypeClass, TypeRef};
use super::set::{RuleSet, RulesError};
use crate::ir::{BinOp, DType};

/// A notation for rules.
///
/// ```
/// use satir::ir::DType;
/// use satir::rules::RuleSet;
/// use satir::rules::exchange::{Notation, export};
///
/// let mut rules = RuleSet::empty();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// let egg = export(rules.rules(), Notation::Egg, DType::I32);
/// assert!(egg.contains(r#"rewrite!("same"; "(bitwise_and ?x ?x)" => "?x")"#));
/// let egglog = export(rules.rules(), Notation::Egglog, DType::I32);
/// assert!(egglog.contains("(rewrite (BitwiseAnd x x) x)"));
/// # Ok::<(), satir::rules::RulesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `rewrite!("name"; "(+ ?a ?b)" => "(+ ?b ?a)")`, as in Rust code that uses egg.
    Egg,
    /// `(rewrite (Add a b) (Add b a))`, egglog's commands.
    Egglog,
}

/// Our operators that egg's users write otherwise.
const SYMBOLS: [(&str, &str); 13] = [
    ("add", "+"),
    ("sub", "-"),
    ("mul", "*"),
    ("div", "/"),
    ("lt", "<"),
    ("le", "<="),
    ("gt", ">"),
    ("ge", ">="),
    ("eq", "=="),
    ("ne", "!="),
    ("and", "&&"),
    ("or", "||"),
    ("not", "!"),
];

/// The rules in another notation: those that hold for `dtype` or for truth values.
///
/// ```
/// use satir::ir::DType;
/// use satir::rules::RuleSet;
/// use satir::rules::exchange::{Notation, export, import};
///
/// let rules = RuleSet::embedded()?;
/// let text = export(rules.rules().filter(|rule| &*rule.name == "sub-self"), Notation::Egglog, DType::I32);
/// let back = import(&text, Notation::Egglog, "index");
/// RuleSet::empty().extend_with_text("back.rules", &back)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn export<'r>(rules: impl IntoIterator<Item = &'r Rule>, notation: Notation, dtype: DType) -> String {
    let mut lines = String::new();
    let mut ops: Vec<RuleOp> = Vec::new();
    for rule in rules {
        let holds = rule.types.first().is_some_and(|var| var.contains(dtype) || var.contains(DType::BOOL));
        if !holds {
            continue;
        }
        match written(rule, notation, dtype) {
            Ok(text) => {
                for side in [&rule.lhs, &rule.rhs] {
                    side.walk(&mut |pat| match pat {
                        Pat::Op(op, _) if !ops.contains(op) => ops.push(*op),
                        _ => {}
                    });
                }
                lines += &text;
            }
            Err(why) => {
                let comment = if notation == Notation::Egg { "//" } else { ";" };
                let _ = writeln!(lines, "{comment} {}: left out: {why}", rule.name);
            }
        }
    }
    if notation == Notation::Egg {
        return format!("// Rules for {dtype}.\nvec![\n{lines}]\n");
    }
    let mut head =
        format!("; Rules for {dtype}.\n(datatype Term\n  (Int i64)\n  (Bool bool)\n  (Var String)\n");
    for op in ops {
        let _ = writeln!(head, "  ({}{})", constructor(op), " Term".repeat(op.arity()));
    }
    format!("{head})\n\n{lines}")
}

/// Whether a reader who knows nothing of types takes the rule for what it is: where it holds for truth values and not for
/// `dtype`, its operators must say so.
fn keeps_its_types(rule: &Rule, dtype: DType) -> bool {
    if rule.types.first().is_some_and(|var| var.contains(dtype)) {
        return true;
    }
    let text =
        format!("(rule probe \"\" (types {dtype}) (=> {} {}))", rule.show(&rule.lhs), rule.show(&rule.rhs));
    let mut probe = RuleSet::empty();
    if probe.extend_with_text("probe.rules", &text).is_err() {
        return false;
    }
    let is_bool = |rule: &Rule, ty: TypeRef| match ty {
        TypeRef::Bool => true,
        TypeRef::Is(only) => only.is_bool(),
        // The rule's own type variable stands for truth values, that of the probe for the type.
        TypeRef::Var(var) => rule.types[var].contains(DType::BOOL),
    };
    probe.all_rules().all(|read| {
        let own = |name: &str| rule.holes.iter().find(|hole| *hole.name == *name);
        read.holes
            .iter()
            .all(|hole| own(&hole.name).is_some_and(|o| is_bool(rule, o.ty) == is_bool(read, hole.ty)))
    })
}

fn written(rule: &Rule, notation: Notation, dtype: DType) -> Result<String, &'static str> {
    if rule.may_trap {
        return Err("its result may trap where what it replaces does not");
    }
    if rule.types.len() > 1 {
        return Err("it is about several types");
    }
    if rule.vector {
        return Err("it is about vectors");
    }
    if rule.fast_math {
        return Err("it holds for real numbers only");
    }
    if !keeps_its_types(rule, dtype) {
        return Err("it holds for truth values only, which its operators do not say");
    }
    let (left, right) = (term(rule, &rule.lhs, notation)?, term(rule, &rule.rhs, notation)?);
    if notation == Notation::Egg {
        if !rule.conds.is_empty() {
            return Err("it has conditions");
        }
        let mut out = format!("    // {}\n    rewrite!({:?}; {left:?} => {right:?}),\n", rule.why, rule.name);
        if rule.bidirectional {
            let _ = writeln!(out, "    rewrite!(\"{}-back\"; {right:?} => {left:?}),", rule.name);
        }
        return Ok(out);
    }
    let conds: Vec<String> = rule.conds.iter().map(|cond| condition(rule, cond)).collect::<Result<_, _>>()?;
    let conds: Vec<String> = conds.into_iter().filter(|cond| !cond.is_empty()).collect();
    let when = if conds.is_empty() { String::new() } else { format!(" :when ({})", conds.join(" ")) };
    let command = if rule.bidirectional { "birewrite" } else { "rewrite" };
    Ok(format!("; {}: {}\n({command} {left} {right}{when})\n", rule.name, rule.why))
}

/// A side of a rule.
fn term(rule: &Rule, pat: &Pat, notation: Notation) -> Result<String, &'static str> {
    Ok(match (pat, notation) {
        (Pat::Hole(hole), Notation::Egg) if rule.holes[*hole].constant => {
            return Err("it is about constants");
        }
        (Pat::Hole(hole), Notation::Egg) => format!("?{}", rule.holes[*hole].name),
        (Pat::Hole(hole), Notation::Egglog) if rule.holes[*hole].constant => {
            format!("(Int {})", rule.holes[*hole].name)
        }
        (Pat::Hole(hole), Notation::Egglog) => rule.holes[*hole].name.to_string(),
        (Pat::Int(v, _), Notation::Egg) => v.to_string(),
        (Pat::Int(v, _), Notation::Egglog) => format!("(Int {v})"),
        (Pat::Bool(v), Notation::Egg) => v.to_string(),
        (Pat::Bool(v), Notation::Egglog) => format!("(Bool {v})"),
        (Pat::Op(op, args), _) => {
            let head = match notation {
                Notation::Egg => symbol(op.name()).to_owned(),
                Notation::Egglog => constructor(*op),
            };
            let args: Vec<String> =
                args.iter().map(|arg| term(rule, arg, notation)).collect::<Result<_, _>>()?;
            format!("({head} {})", args.join(" "))
        }
        (Pat::Fold(pat, _), Notation::Egglog) => format!("(Int {})", primitive(rule, pat)?),
        (Pat::Fold(..), Notation::Egg) => return Err("it computes a constant"),
        (Pat::Float(..), _) => return Err("it has a float constant"),
        (Pat::Cast(..), _) => return Err("it converts between types"),
        (Pat::Lanes, _) => return Err("it is about vectors"),
    })
}

/// A condition over constants, in egglog's primitives; empty if it always holds there.
fn condition(rule: &Rule, cond: &Cond) -> Result<String, &'static str> {
    let term = |pat: &Pat| primitive(rule, pat);
    Ok(match cond {
        Cond::Positive(a) => format!("(> {} 0)", term(a)?),
        Cond::Nonnegative(a) => format!("(>= {} 0)", term(a)?),
        Cond::Negative(a) => format!("(< {} 0)", term(a)?),
        Cond::Nonpositive(a) => format!("(<= {} 0)", term(a)?),
        Cond::Nonzero(a) => format!("(!= {} 0)", term(a)?),
        Cond::Lt(a, b) => format!("(< {} {})", term(a)?, term(b)?),
        Cond::Le(a, b) => format!("(<= {} {})", term(a)?, term(b)?),
        Cond::Eq(a, b) => format!("(= {} {})", term(a)?, term(b)?),
        Cond::Ne(a, b) => format!("(!= {} {})", term(a)?, term(b)?),
        Cond::Const(hole) | Cond::Total(hole) if rule.holes[*hole].constant => String::new(),
        Cond::Divides(..)
        | Cond::Pow2(_)
        | Cond::Fits(..)
        | Cond::NoWider(..)
        | Cond::Const(_)
        | Cond::Total(_) => return Err("it has a condition that egglog's primitives do not have"),
    })
}

/// A term over constants, in egglog's primitives.
fn primitive(rule: &Rule, pat: &Pat) -> Result<String, &'static str> {
    match pat {
        Pat::Hole(hole) if rule.holes[*hole].constant => Ok(rule.holes[*hole].name.to_string()),
        Pat::Hole(_) => Err("it has a condition on something that is no constant"),
        Pat::Int(v, _) => Ok(v.to_string()),
        Pat::Op(RuleOp::Bin(op), args) => {
            let head = match op {
                BinOp::Add => "+",
                BinOp::Sub => "-",
                BinOp::Mul => "*",
                BinOp::Min => "min",
                BinOp::Max => "max",
                _ => return Err("it computes with division, which rounds otherwise in egglog"),
            };
            Ok(format!("({head} {} {})", primitive(rule, &args[0])?, primitive(rule, &args[1])?))
        }
        _ => Err("it computes what egglog's primitives cannot"),
    }
}

fn symbol(name: &str) -> &str {
    SYMBOLS.iter().find(|(ours, _)| *ours == name).map_or(name, |(_, theirs)| theirs)
}

/// `floordiv` is `Floordiv`, `if_then_else` is `IfThenElse`.
fn constructor(op: RuleOp) -> String {
    op.name().split('_').map(|part| part[..1].to_uppercase() + &part[1..]).collect()
}

/// Whether rules can be said to be about the types of this name: a class such as `index`, or a scalar type.
///
/// ```
/// use satir::rules::exchange::is_type_class;
/// assert!(is_type_class("index") && is_type_class("float32") && !is_type_class("number"));
/// ```
#[must_use]
pub fn is_type_class(name: &str) -> bool {
    TypeClass::named(name).is_some()
}

/// Rules from a text in another notation, as a rule file for the types of a class. A rule that cannot be one here becomes a
/// comment with the reason.
///
/// ```
/// use satir::rules::RuleSet;
/// use satir::rules::exchange::{Notation, import};
///
/// let file = import("(rewrite (Add a (Num 0)) a)", Notation::Egglog, "index");
/// let mut rules = RuleSet::empty();
/// rules.extend_with_text("theirs.rules", &file)?;
/// assert_eq!(rules.infos()[0].equation, "(add ?a 0) => ?a");
/// # Ok::<(), satir::rules::RulesError>(())
/// ```
pub fn import(text: &str, notation: Notation, class: &str) -> String {
    let found = match notation {
        Notation::Egg => egg_rules(text),
        Notation::Egglog => egglog_rules(text),
    };
    let mut out = "(set \"imported, to be checked\")\n".to_owned();
    let mut names: Vec<String> = Vec::new();
    for (line, name, rule) in found {
        let mut name = name_of(&name, line);
        while names.contains(&name) {
            name += "-again";
        }
        names.push(name.clone());
        let rule = rule.and_then(|(left, right, arrow)| {
            let text = format!(
                "(rule {name} \"imported from line {line}\"\n  (types {class}) ({arrow} {left} {right}))"
            );
            match RuleSet::empty().extend_with_text("imported.rules", &text) {
                Ok(()) => Ok(text),
                Err(RulesError::Bad(mistakes)) => {
                    Err(mistakes.into_iter().map(|mistake| mistake.message).collect::<Vec<_>>().join("; "))
                }
                Err(other) => Err(other.to_string()),
            }
        });
        match rule {
            Ok(text) => {
                let _ = writeln!(out, "\n{text}");
            }
            Err(why) => {
                let _ = writeln!(out, "\n; line {line}, {name}: left out: {why}");
            }
        }
    }
    out
}

/// Line, name, and sides with the arrow between them.
type Imported = (usize, String, Result<(String, String, &'static str), String>);

/// A name as rule files have them.
fn name_of(name: &str, line: usize) -> String {
    let clean: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let clean = clean.trim_matches('-');
    if clean.is_empty() { format!("imported-{line}") } else { clean.to_owned() }
}

fn egg_rules(text: &str) -> Vec<Imported> {
    let mut out = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        let arrow = if line.contains("<=>") { "<=>" } else { "=>" };
        if line.starts_with("//") || !line.contains(arrow) {
            continue;
        }
        // Quoted texts are at the odd places; the arrow stands between those of the two sides.
        let parts: Vec<&str> = line.split('"').collect();
        let between = (2..parts.len()).step_by(2).find(|&i| parts[i].contains(arrow) && i + 2 < parts.len());
        let (name, rule) = match between {
            Some(at) => {
                let name = if at > 2 { parts[1] } else { "" };
                let rule = if parts[at + 2].contains(" if ") {
                    Err("it has conditions in Rust".to_owned())
                } else {
                    both(parts[at - 1], parts[at + 1], arrow)
                };
                (name, rule)
            }
            None => {
                let (left, right) = line.split_once(arrow).unwrap_or((line, ""));
                ("", both(left, right, arrow))
            }
        };
        out.push((number, name.to_owned(), rule));
    }
    out
}

fn both(left: &str, right: &str, arrow: &'static str) -> Result<(String, String, &'static str), String> {
    let side = |text: &str| match &read(text)?[..] {
        [(_, only)] => ours(only, Notation::Egg),
        _ => Err(format!("`{text}` is no pattern")),
    };
    Ok((side(left)?, side(right)?, arrow))
}

fn egglog_rules(text: &str) -> Vec<Imported> {
    let commands = match read(text) {
        Ok(commands) => commands,
        Err(why) => return vec![(1, String::new(), Err(why))],
    };
    let mut out = Vec::new();
    for (line, command) in commands {
        let Sexp::List(parts) = &command else { continue };
        let (arrow, rest) = match parts.split_first() {
            Some((Sexp::Word(head), rest)) if head == "rewrite" => ("=>", rest),
            Some((Sexp::Word(head), rest)) if head == "birewrite" => ("<=>", rest),
            _ => continue,
        };
        let rule = match rest {
            [left, right] => ours(left, Notation::Egglog)
                .and_then(|left| Ok((left, ours(right, Notation::Egglog)?, arrow))),
            [_, _, ..] => Err("it has conditions".to_owned()),
            _ => Err("it lacks a side".to_owned()),
        };
        out.push((line, String::new(), rule));
    }
    out
}

/// A word or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Sexp {
    Word(String),
    List(Vec<Sexp>),
}

/// The words and lists of a text, with their lines. A comment goes from `;` to the end of the line.
fn read(text: &str) -> Result<Vec<(usize, Sexp)>, String> {
    let mut open: Vec<(usize, Vec<Sexp>)> = Vec::new();
    let mut out = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.split(';').next().unwrap_or("").replace('(', " ( ").replace(')', " ) ");
        for word in line.split_whitespace() {
            let done = match word {
                "(" if open.len() >= super::MAX_NESTING => return Err("it is nested too deeply".to_owned()),
                "(" => {
                    open.push((number, Vec::new()));
                    continue;
                }
                ")" => match open.pop() {
                    Some((start, parts)) => (start, Sexp::List(parts)),
                    None => return Err(format!("line {number}: a `)` too many")),
                },
                word => (number, Sexp::Word(word.to_owned())),
            };
            match open.last_mut() {
                Some((_, parts)) => parts.push(done.1),
                None => out.push(done),
            }
        }
    }
    if open.is_empty() { Ok(out) } else { Err("a `)` is missing".to_owned()) }
}

/// A pattern as our rule files spell it.
fn ours(pattern: &Sexp, notation: Notation) -> Result<String, String> {
    match pattern {
        Sexp::Word(word) if word.parse::<i64>().is_ok() || word == "true" || word == "false" => {
            Ok(word.clone())
        }
        Sexp::Word(word) => match (word.strip_prefix('?'), notation) {
            (Some(name), _) if is_name(name) => Ok(format!("?{name}")),
            (None, Notation::Egglog) if is_name(word) => Ok(format!("?{word}")),
            _ => Err(format!("`{word}` is no variable and no integer")),
        },
        Sexp::List(parts) => {
            let Some((Sexp::Word(head), args)) = parts.split_first() else {
                return Err("a list without an operator".to_owned());
            };
            // A constant in a constructor.
            if let [only @ Sexp::Word(value)] = args
                && (value.parse::<i64>().is_ok() || value == "true" || value == "false")
                && operator(head).is_none()
            {
                return ours(only, notation);
            }
            let op = operator(head).ok_or_else(|| format!("there is no operator `{head}`"))?;
            if op.arity() != args.len() {
                return Err(format!("`{head}` takes {} operands", op.arity()));
            }
            let args: Vec<String> = args.iter().map(|arg| ours(arg, notation)).collect::<Result<_, _>>()?;
            Ok(format!("({} {})", op.name(), args.join(" ")))
        }
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

fn operator(head: &str) -> Option<RuleOp> {
    let name = SYMBOLS.iter().find(|(_, theirs)| *theirs == head).map_or(head, |(ours, _)| ours);
    RuleOp::by_name(name).or_else(|| RuleOp::all().find(|op| constructor(*op).eq_ignore_ascii_case(head)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::check;

    fn set(text: &str) -> RuleSet {
        let mut set = RuleSet::empty();
        set.extend_with_text("imported.rules", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        set
    }

    #[test]
    fn what_is_exported_comes_back() {
        let rules = RuleSet::embedded().unwrap();
        for notation in [Notation::Egg, Notation::Egglog] {
            let text = export(rules.all_rules(), notation, DType::I32);
            let back = set(&import(&text, notation, "index"));
            let equations: Vec<String> =
                back.all_rules().map(|r| format!("{} {}", r.show(&r.lhs), r.show(&r.rhs))).collect();
            let plain = |r: &&Rule| {
                let words = r.to_string();
                let typed = r.types.len() > 1 || r.vector || r.fast_math || !r.types[0].contains(DType::I32);
                let typed = typed || r.may_trap;
                !typed
                    && r.conds.is_empty()
                    && !words.contains('#')
                    && !words.contains("cast")
                    && !words.contains('.')
            };
            let mut count = 0;
            for rule in rules.all_rules().filter(plain) {
                let equation = format!("{} {}", rule.show(&rule.lhs), rule.show(&rule.rhs));
                assert!(equations.contains(&equation), "{}: {equation}", rule.name);
                count += 1;
            }
            assert!(count > 50, "{count}");
        }
    }

    #[test]
    fn what_loses_its_meaning_is_not_exported() {
        let mut rules = RuleSet::embedded().unwrap();
        for set in ["guards", "commutativity", "associativity", "distributivity", "vector"] {
            rules.enable(set).unwrap();
        }
        let text = export(rules.rules(), Notation::Egg, DType::I32);
        assert!(text.contains("// and-commutes: left out: its result may trap"), "{text}");
        for (dtype, class) in [(DType::I32, "index"), (DType::F32, "float32"), (DType::BOOL, "bool")] {
            let text = import(&export(rules.rules(), Notation::Egg, dtype), Notation::Egg, class);
            let back = set(&text);
            let all: Vec<&Rule> = back.all_rules().collect();
            let report = check::run(&all, check::QUICK);
            assert!(all.len() > 50 && report.summary().refuted == 0, "{class}: {report}");
        }
    }

    #[test]
    fn a_bad_rule_is_left_out_with_the_reason() {
        let egg = "rewrite!(\"lone\"; \"?a\" => \"(+ ?a 0)\"),\nrewrite!(\"new\"; \"(+ ?a 0)\" => \"?b\"),\n\
                   rewrite!(\"good\"; \"(+ ?a 0)\" => \"?a\"),\n";
        let text = import(egg, Notation::Egg, "index");
        assert_eq!(set(&text).all_rules().count(), 1, "{text}");
        assert!(text.contains("; line 1, lone: left out: a lone hole matches everything"), "{text}");
        assert!(text.contains("; line 2, new: left out: "), "{text}");
    }

    #[test]
    fn conditions_on_constants_are_egglogs() {
        let text = "(rule a \"w\" (types index) (=> (floordiv (floordiv ?x #a) #b) (floordiv ?x (fold (mul #a #b)))) (if (positive #a) (positive #b)))\n\
                    (rule b \"w\" (types index) (=> (floordiv ?x ?y) 0) (if (positive ?y) (lt ?x ?y) (nonnegative ?x)))\n\
                    (rule c \"w\" (types index) (<=> (add ?x ?y) (add ?y ?x)))\n";
        let rules = set(text);
        let text = export(rules.all_rules(), Notation::Egglog, DType::I32);
        let wanted = "(rewrite (Floordiv (Floordiv x (Int a)) (Int b)) (Floordiv x (Int (* a b))) :when ((> a 0) (> b 0)))";
        assert!(text.contains(wanted), "{text}");
        assert!(
            text.contains("; b: left out: it has a condition on something that is no constant"),
            "{text}"
        );
        assert!(
            text.contains("(birewrite (Add x y) (Add y x))") && text.contains("  (Floordiv Term Term)\n"),
            "{text}"
        );
        let text = export(rules.all_rules(), Notation::Egg, DType::I32);
        assert!(text.contains("rewrite!(\"c-back\"; \"(+ ?y ?x)\" => \"(+ ?x ?y)\"),"), "{text}");
        assert!(text.contains("// a: left out: "), "{text}");
    }

    #[test]
    fn what_others_write_is_read() {
        let egg = "let rules = vec![\n  rewrite!(\"commute-add\"; \"(+ ?a ?b)\" => \"(+ ?b ?a)\"),\n  \
                   rewrite!(\"sub-canon\"; \"(- ?a ?b)\" => \"(+ ?a (* -1 ?b))\"),\n  \
                   rewrite!(\"cancel\"; \"(/ ?a ?a)\" => \"1\" if is_not_zero(\"?a\")),\n  \
                   rewrite!(\"d\"; \"(d ?x ?x)\" => \"1\"),\n];\n(max ?a ?a) => ?a\n";
        let text = import(egg, Notation::Egg, "index");
        let rules = set(&text);
        let names: Vec<&str> = rules.all_rules().map(|r| &*r.name).collect();
        assert_eq!(names, ["commute-add", "sub-canon", "imported-7"], "{text}");
        assert!(text.contains("cancel: left out: it has conditions in Rust"), "{text}");
        assert!(text.contains("d: left out: there is no operator `d`"), "{text}");

        let egglog = "(datatype Math (Num i64) (Add Math Math))\n(rewrite (Add a b) (Add b a))\n\
                      (birewrite (Mul (Num 2) x) ; twice\n  (Add x x))\n(rewrite (Div a a) (Num 1) :when ((!= a 0)))\n";
        let text = import(egglog, Notation::Egglog, "index");
        let rules = set(&text);
        let equations: Vec<String> = rules.all_rules().map(ToString::to_string).collect();
        assert_eq!(equations.len(), 2, "{text}");
        assert!(
            equations[1].contains("(mul 2 ?x)") && rules.all_rules().nth(1).unwrap().bidirectional,
            "{text}"
        );
        assert!(text.contains("; line 5, imported-5: left out: it has conditions"), "{text}");
        assert!(import("(rewrite (Add a b)", Notation::Egglog, "index").contains("a `)` is missing"));
    }
}
