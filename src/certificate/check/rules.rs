//! Laws and rules as statements: what the files say, and what a statement is for some terms. That they hold is proven
//! elsewhere, by a solver (`satir rules check`, the tests of the laws); here they are axioms.

use hashbrown::HashMap;

use super::sexp::{self, Sexp};
use super::term::{Node, Sort, Term, Terms, for_each_part};

/// The files whose rules a step may name.
const FILES: [&str; 12] = [
    include_str!("../../egraph/axioms.rules"),
    include_str!("../../../rules/identity.rules"),
    include_str!("../../../rules/floordiv.rules"),
    include_str!("../../../rules/floormod.rules"),
    include_str!("../../../rules/truncdiv.rules"),
    include_str!("../../../rules/minmax.rules"),
    include_str!("../../../rules/compare.rules"),
    include_str!("../../../rules/logic.rules"),
    include_str!("../../../rules/select.rules"),
    include_str!("../../../rules/distributivity.rules"),
    include_str!("../../../rules/range.rules"),
    include_str!("../../../rules/guards.rules"),
];

/// A rule about integers without bounds or truth values.
#[derive(Clone, Debug)]
struct Rule {
    left: Sexp,
    right: Sexp,
    conditions: Vec<Sexp>,
    /// Whether it holds for values of all types.
    any: bool,
    truth: bool,
}

/// All rules, by name.
pub(crate) struct Rules(HashMap<String, Rule>);

/// What a rule says of some terms.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) left: Term,
    pub(crate) right: Term,
    /// What must hold for it.
    pub(crate) conditions: Vec<Term>,
}

/// What the letters of a rule stand for.
pub(crate) type Letters = HashMap<String, Term>;

impl Rules {
    /// Those that steps may name. What is said of other types, of floats as if they were real numbers, or with type
    /// variables, is left out.
    pub(crate) fn load() -> Result<Rules, String> {
        let mut rules = HashMap::new();
        for text in FILES {
            for part in sexp::read(text)? {
                let Some(("rule", [name, _, clauses @ ..])) = part.call() else { continue };
                let Some(name) = name.word() else { return Err("a rule without a name".into()) };
                if let Some(rule) = rule(clauses) {
                    rules.insert(name.to_owned(), rule);
                }
            }
        }
        Ok(Rules(rules))
    }

    /// The statement of a rule for these letters.
    pub(crate) fn instance(
        &self,
        terms: &mut Terms,
        name: &str,
        letters: &Letters,
    ) -> Result<Instance, String> {
        let rule = self.0.get(name).ok_or_else(|| format!("no rule `{name}` that a certificate may use"))?;
        for (letter, &term) in letters {
            let fits = match terms.sort(term) {
                Sort::Int => !rule.truth,
                Sort::Truth => true,
                Sort::Other => rule.any,
            };
            if !fits {
                return Err(format!("rule `{name}` does not hold for what `{letter}` is"));
            }
            if letter.starts_with('#') && terms.as_int(term).is_none() {
                return Err(format!("`{letter}` of rule `{name}` is a constant"));
            }
        }
        let left = build(terms, &rule.left, letters)?;
        let right = build(terms, &rule.right, letters)?;
        rule.conditions.iter().try_for_each(|condition| divides(terms, condition, letters))?;
        let conditions =
            rule.conditions.iter().map(|c| build(terms, c, letters)).collect::<Result<_, _>>()?;
        Ok(Instance { left, right, conditions })
    }
}

/// A rule of its clauses, if it is one for steps.
fn rule(clauses: &[Sexp]) -> Option<Rule> {
    let mut rule = Rule {
        left: Sexp::List(vec![]),
        right: Sexp::List(vec![]),
        conditions: vec![],
        any: false,
        truth: false,
    };
    let (mut typed, mut stated) = (false, false);
    for clause in clauses {
        match clause.call()? {
            ("types", classes) => {
                let has =
                    |wanted: &[&str]| classes.iter().any(|c| c.word().is_some_and(|c| wanted.contains(&c)));
                rule.any = has(&["any"]);
                typed = has(&["any", "index", "int", "anyint"]);
                if !typed && has(&["bool"]) {
                    (typed, rule.truth) = (true, true);
                }
            }
            ("=>" | "<=>", [left, right]) => {
                (rule.left, rule.right, stated) = (left.clone(), right.clone(), true);
            }
            ("if", conditions) => rule.conditions = conditions.to_vec(),
            ("expensive" | "by-theory" | "may-trap", []) => {}
            _ => return None,
        }
    }
    (typed && stated).then_some(rule)
}

/// Refuses conditions in which something is divided by zero: they prove nothing.
fn divides(terms: &mut Terms, e: &Sexp, letters: &Letters) -> Result<(), String> {
    let Some((op, parts)) = e.call() else { return Ok(()) };
    parts.iter().try_for_each(|part| divides(terms, part, letters))?;
    if let ("floordiv" | "floormod" | "div" | "truncmod", [_, by]) = (op, parts) {
        let by = build(terms, by, letters)?;
        if terms.as_int(by) == Some(0) {
            return Err("a condition that divides by zero".into());
        }
    }
    Ok(())
}

/// The term that is written so. A number after `#` is the term of that number, if the letters do not say otherwise.
pub(crate) fn build(terms: &mut Terms, e: &Sexp, letters: &Letters) -> Result<Term, String> {
    const MAX_CONSTANT: i128 = 1 << 64;
    if let Some(word) = e.word() {
        if let Some(&term) = letters.get(word) {
            return Ok(term);
        }
        let number = word.strip_prefix('#').and_then(|number| number.parse().ok());
        if let Some(number) = number.filter(|&number: &u32| (number as usize) < terms.count()) {
            return Ok(Term(number));
        }
        return match (word, word.parse::<i128>()) {
            ("true", _) => Ok(terms.truth(true)),
            ("false", _) => Ok(terms.truth(false)),
            (_, Ok(value)) if (-MAX_CONSTANT..=MAX_CONSTANT).contains(&value) => Ok(terms.int(value)),
            _ => Err(format!("`{word}` is no term")),
        };
    }
    let (op, parts) = e.call().ok_or("a term without an operation")?;
    let of = parts.iter().map(|part| build(terms, part, letters)).collect::<Result<Vec<_>, _>>()?;
    let sorts: Vec<Sort> = of.iter().map(|&term| terms.sort(term)).collect();
    let zero = terms.int(0);
    if let ("like", [of, parts @ ..]) = (op, &of[..]) {
        return like(terms, *of, parts);
    }
    Ok(match (op, &of[..], &sorts[..]) {
        ("add", &[a, b], [Sort::Int, Sort::Int]) => terms.add(a, b),
        ("sub", &[a, b], [Sort::Int, Sort::Int]) => terms.sub(a, b),
        ("mul", &[a, b], [Sort::Int, Sort::Int]) => terms.mul(a, b),
        ("floordiv", &[a, b], [Sort::Int, Sort::Int]) => terms.quotient(a, b),
        ("floormod", &[a, b], [Sort::Int, Sort::Int]) => terms.remainder(a, b),
        ("div", &[a, b], [Sort::Int, Sort::Int]) => terms.truncated(a, b),
        ("truncmod", &[a, b], [Sort::Int, Sort::Int]) => terms.truncated_remainder(a, b),
        ("min" | "max", &[a, b], [Sort::Int, Sort::Int]) => terms.extremum(op == "max", a, b),
        ("lt", &[a, b], [Sort::Int, Sort::Int]) => terms.less(a, b),
        ("gt", &[a, b], [Sort::Int, Sort::Int]) => terms.less(b, a),
        ("le", &[a, b], [Sort::Int, Sort::Int]) => terms.at_most(a, b),
        ("ge", &[a, b], [Sort::Int, Sort::Int]) => terms.at_most(b, a),
        ("eq" | "ne", &[a, b], [Sort::Int, Sort::Int] | [Sort::Truth, Sort::Truth]) => {
            let equal = terms.equal(a, b);
            if op == "eq" { equal } else { terms.not(equal) }
        }
        ("nonnegative", &[a], [Sort::Int]) => terms.not_negative(a),
        ("positive", &[a], [Sort::Int]) => terms.less(zero, a),
        ("negative", &[a], [Sort::Int]) => terms.less(a, zero),
        ("nonpositive", &[a], [Sort::Int]) => terms.at_most(a, zero),
        ("nonzero", &[a], [Sort::Int]) => {
            let equal = terms.is_zero(a);
            terms.not(equal)
        }
        ("divides", &[a, b], [Sort::Int, Sort::Int]) => {
            let rest = terms.remainder(b, a);
            let (exact, nonzero) = (terms.is_zero(rest), terms.is_zero(a));
            let nonzero = terms.not(nonzero);
            terms.and(&[exact, nonzero])
        }
        ("and", &[a, b], [Sort::Truth, Sort::Truth]) => terms.and(&[a, b]),
        ("or", &[a, b], [Sort::Truth, Sort::Truth]) => terms.or(&[a, b]),
        ("not", &[a], [Sort::Truth]) => terms.not(a),
        ("likely", &[a], [Sort::Truth]) => a,
        ("select" | "if_then_else", &[c, a, b], [Sort::Truth, x, y]) if x == y => terms.choice(c, a, b),
        ("const" | "fold", &[a], [Sort::Int]) if terms.as_int(a).is_some() => {
            if op == "fold" {
                a
            } else {
                terms.truth(true)
            }
        }
        _ => return Err(format!("`{op}` of these operands is no term")),
    })
}

/// A term as another one, of other parts.
fn like(terms: &mut Terms, of: Term, parts: &[Term]) -> Result<Term, String> {
    let mut before = Vec::new();
    for_each_part(terms.node(of), |part| before.push(part));
    let fits =
        matches!(terms.node(of), Node::Apply(..) | Node::Load { .. } | Node::Whole(..) | Node::Wrap(..));
    let same = before.len() == parts.len()
        && before.iter().zip(parts).all(|(&a, &b)| terms.sort(a) == terms.sort(b));
    if !fits || !same {
        return Err("a term cannot be like that".into());
    }
    let mut rest = parts.iter();
    Ok(terms.rebuilt(of, |_, part| rest.next().copied().unwrap_or(part)))
}

#[cfg(test)]
mod tests {
    use super::super::bounds::Bounds;
    use super::*;

    #[test]
    fn a_rule_is_what_its_file_says() {
        let rules = Rules::load().expect("the files are well-formed");
        let mut terms = Terms::default();
        let (x, c) = (terms.atom(Sort::Int, Bounds::NONE), terms.atom(Sort::Int, Bounds::NONE));
        let letters: Letters = [("?c".to_owned(), c), ("?q".to_owned(), x)].into_iter().collect();
        let instance = rules.instance(&mut terms, "quotient-of-multiple", &letters).expect("known");
        let product = terms.mul(c, x);
        assert_eq!(instance.left, terms.quotient(product, c));
        assert_eq!((instance.right, instance.conditions.len()), (x, 1));
        assert!(rules.instance(&mut terms, "quotient-of-multiple", &Letters::new()).is_err());
        assert!(rules.instance(&mut terms, "no-such-rule", &letters).is_err());
    }

    #[test]
    fn rules_of_other_types_are_not_for_steps() {
        let rules = Rules::load().expect("the files are well-formed");
        // One of conversions between types, one that holds for real numbers only.
        for name in ["cast-add", "cast-of-sum", "fast-math-add-associates"] {
            assert!(!rules.0.contains_key(name), "{name}");
        }
        assert!(rules.0.len() > 200);
    }
}
