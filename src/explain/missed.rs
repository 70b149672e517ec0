//! Why two expressions were not found equal.

use std::fmt;

use super::{Context, Explanation, Reason};
use crate::arith::Interval;
use crate::eqsat::{GROWTH, ROUNDS_OF_EXPRESSIONS};
use crate::ir::value::{self, Value};
use crate::ir::{DType, Expr, VarId};
use crate::rewrite::Rewrites;
use crate::rules::{Rule, RuleSet};

/// What was found out about two expressions.
///
/// ```
/// use satir::cost::Profile;
/// use satir::explain::{Context, Missed};
/// use satir::rules::RuleSet;
/// use satir::script::parse_expr;
///
/// let mut b = satir::ir::build::FuncBuilder::new("main");
/// b.param("x", satir::ir::DType::I32);
/// let mut func = b.finish();
/// let (rounded, x) = (parse_expr("x // 2 * 2", &mut func)?, parse_expr("x", &mut func)?);
/// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
/// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &[], conds: &[] };
/// match context.missed(&rounded, &x, &rules) {
///     Missed::Differ { values, left, right } => {
///         println!("for {values:?} the first is {left}, the second {right}");
///         assert_ne!(left, right);
///     }
///     other => panic!("they do differ, but: {other:?}"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Missed {
    /// They are equal after all.
    Equal(Box<Explanation>),
    /// They are of different types.
    Types(DType, DType),
    /// They differ for these values of the variables.
    Differ {
        /// Each variable with its value.
        values: Vec<(String, i64)>,
        /// Value of the first.
        left: i64,
        /// Value of the second.
        right: i64,
    },
    /// No values were found for which they differ, and they were not proven equal either.
    Unknown {
        /// Rules that would make them equal if they applied.
        near: Vec<Near>,
        /// The limit of the search without which they are found equal.
        budget: Option<Budget>,
        /// The simplest form found of the first.
        left: String,
        /// The simplest form found of the second.
        right: String,
    },
}

/// A rule that would make two expressions equal.
///
/// ```
/// use satir::cost::Profile;
/// use satir::explain::{Context, Missed};
/// use satir::rules::RuleSet;
/// use satir::script::parse_expr;
///
/// let mut b = satir::ir::build::FuncBuilder::new("main");
/// b.param("x", satir::ir::DType::I32);
/// let mut func = b.finish();
/// let (a, b) = (parse_expr("T.bitwise_and(x, x)", &mut func)?, parse_expr("x", &mut func)?);
/// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
/// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &[], conds: &[] };
/// // Without rules the two are not found equal; this one would do it.
/// let none = RuleSet::empty();
/// let context = Context { rules: &none, ..context };
/// let Missed::Unknown { near, .. } = context.missed(&a, &b, &rules) else { panic!("nobody knows") };
/// assert!(near.iter().any(|rule| rule.unproven.is_empty()), "it is only switched off");
/// println!("{}: {}", near[0].rule, near[0].equation);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Near {
    /// Its name.
    pub rule: String,
    /// Its equation and conditions.
    pub equation: String,
    /// The conditions that were not proven; empty if the rule is only switched off.
    pub unproven: Vec<String>,
}

/// A limit that ended the search for a proof too early.
///
/// ```
/// use satir::cost::Profile;
/// use satir::explain::{Budget, Context, Missed};
/// use satir::rules::RuleSet;
/// use satir::script::parse_expr;
///
/// let mut b = satir::ir::build::FuncBuilder::new("main");
/// b.param("x", satir::ir::DType::F32);
/// let mut func = b.finish();
/// let (one, five) =
///     (parse_expr("x + T.float32(1)", &mut func)?, parse_expr("x + T.float32(5)", &mut func)?);
/// // Rules that a check would refute: what counts is that it takes four steps from one to five.
/// let mut rules = RuleSet::empty();
/// for n in 1..5 {
///     let m = n + 1;
///     let rule = format!("(rule step-{n} \"one more\" (types float32) (=> (add ?x {n}.0) (add ?x {m}.0)))");
///     rules.extend_with_text(&format!("step{n}.rules"), &rule)?;
/// }
/// let profile = Profile::default();
/// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &[], conds: &[] };
/// let missed = context.missed(&one, &five, &rules);
/// assert!(matches!(missed, Missed::Unknown { budget: Some(Budget::Rounds), .. }), "{missed}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Budget {
    /// How often all rules are applied.
    Rounds,
    /// How much an e-graph may grow, with more rounds too.
    Nodes,
}

/// Values for which two expressions differ.
struct Difference {
    values: Vec<(VarId, i64)>,
    left: i64,
    right: i64,
}

/// How many assignments are tried.
const TRIALS: u64 = 4_000;

/// How often rules are applied to see whether it takes more rounds than a search has.
const MORE_ROUNDS: usize = 8;

/// The most rules whose conditions are looked at one by one.
const MAX_NEAR: usize = 40;

impl Context<'_> {
    /// Why the two expressions were not found equal. `switched_off` are rules that are loaded but not in use.
    ///
    /// ```
    /// use satir::cost::Profile;
    /// use satir::explain::{Context, Missed};
    /// use satir::rules::RuleSet;
    /// use satir::script::parse_expr;
    ///
    /// let mut b = satir::ir::build::FuncBuilder::new("main");
    /// b.param("x", satir::ir::DType::I32);
    /// let mut func = b.finish();
    /// let (rounded, x) = (parse_expr("x // 2 * 2", &mut func)?, parse_expr("x", &mut func)?);
    /// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
    /// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &[], conds: &[] };
    /// assert!(matches!(context.missed(&rounded, &x, &rules), Missed::Differ { .. }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn missed(&self, a: &Expr, b: &Expr, switched_off: &RuleSet) -> Missed {
        if a.dtype != b.dtype {
            return Missed::Types(a.dtype, b.dtype);
        }
        if let Some(explanation) = self.equal(a, b) {
            return Missed::Equal(Box::new(explanation));
        }
        if let Some(Difference { values, left, right }) = self.counterexample(a, b) {
            let name = |(var, value): (VarId, i64)| (self.func.var(var).name.to_string(), value);
            return Missed::Differ { values: values.into_iter().map(name).collect(), left, right };
        }
        let rewrites = Rewrites::new(self.rules);
        let rewrites = rewrites.with_fast_math(self.fast_math);
        let simplest = |e: &Expr| {
            let ranges = self.ranges.to_vec();
            crate::simplify::expression(self.func, self.profile, rewrites, ranges, self.conds, e)
        };
        Missed::Unknown {
            near: self.near(a, b, switched_off),
            budget: self.budget(a, b, rewrites),
            left: self.show(&simplest(a)),
            right: self.show(&simplest(b)),
        }
    }

    /// Whether the two are proven equal with these rules. Most pairs that are not are told apart by a few values.
    pub(crate) fn is_same(&self, a: &Expr, b: &Expr, rewrites: &Rewrites) -> bool {
        a.dtype == b.dtype && self.counterexample(a, b).is_none() && self.are_equal(a, b, rewrites)
    }

    /// Values for which the two differ, among those that the ranges and conditions allow.
    fn counterexample(&self, a: &Expr, b: &Expr) -> Option<Difference> {
        let mut vars: Vec<VarId> = Vec::new();
        let mut known = true;
        for e in self.conds.iter().chain([a, b]) {
            e.walk(&mut |e| {
                if let Some(var) = e.as_var() {
                    known &= e.dtype.is_integral() || e.dtype.is_bool();
                    if !vars.contains(&var) {
                        vars.push(var);
                    }
                }
            });
        }
        if !known {
            return None;
        }
        let mut random: u64 = 0x9e37_79b9_7f4a_7c15;
        for trial in 0..TRIALS {
            let mut values = Vec::with_capacity(vars.len());
            for &var in &vars {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let range = self.ranges.get(var.index()).copied().unwrap_or(Interval::ALL);
                values.push((var, draw(range, random >> 33, trial)));
            }
            let holds = |cond: &Expr| evaluate(cond, &values) == Some(1);
            if !self.conds.iter().all(holds) {
                continue;
            }
            if let (Some(left), Some(right)) = (evaluate(a, &values), evaluate(b, &values))
                && left != right
            {
                return Some(Difference { values, left, right });
            }
        }
        None
    }

    /// Values for which a condition holds, or does not, among those that the ranges and conditions allow.
    pub(crate) fn values_for(&self, cond: &Expr, wanted: bool) -> Option<Vec<(String, i64)>> {
        let found = self.counterexample(cond, &Expr::bool(!wanted))?;
        let used = |var: VarId| {
            let mut used = false;
            cond.walk(&mut |e| used |= e.as_var() == Some(var));
            used
        };
        let values = found.values.into_iter().filter(|(var, _)| used(*var));
        Some(values.map(|(var, value)| (self.func.var(var).name.to_string(), value)).collect())
    }

    /// The limit of the search without which these rules make the two equal.
    fn budget(&self, a: &Expr, b: &Expr, rewrites: &Rewrites) -> Option<Budget> {
        if self.are_equal_within(a, b, rewrites, MORE_ROUNDS, GROWTH) {
            Some(Budget::Rounds)
        } else if self.are_equal_within(a, b, rewrites, MORE_ROUNDS, usize::MAX) {
            Some(Budget::Nodes)
        } else {
            None
        }
    }

    /// Rules that would make the two equal if their conditions were proven, or if they were switched on.
    fn near(&self, a: &Expr, b: &Expr, switched_off: &RuleSet) -> Vec<Near> {
        let on: Vec<&Rule> = self.used().collect();
        let equal = |extra: &[Rule]| {
            let rules = on.iter().copied().chain(extra);
            self.are_equal(a, b, Rewrites::of_rules(rules).with_fast_math(self.fast_math))
        };
        let mut near = Vec::new();
        let mut add = |rule: &Rule, unproven: Vec<String>| {
            near.push(Near { rule: rule.name.to_string(), equation: rule.to_string(), unproven });
        };
        for rule in switched_off.all_rules().filter(|rule| on.iter().all(|r| r.name != rule.name)) {
            let mut usable = rule.clone();
            usable.fast_math = false;
            if equal(&[usable]) {
                add(rule, Vec::new());
            }
        }
        // Of the rules with conditions only those whose left side occurs are worth a closer look.
        let without = |rule: &Rule, kept: &dyn Fn(usize) -> bool| {
            let mut rule = rule.clone();
            let mut at = 0;
            rule.conds.retain(|_| {
                at += 1;
                kept(at - 1)
            });
            rule
        };
        let relaxed: Vec<Rule> =
            on.iter().filter(|r| !r.conds.is_empty()).map(|r| without(r, &|_| false)).collect();
        let observed = Rewrites::observed(&relaxed);
        let observed = observed.with_fast_math(self.fast_math);
        // What it says does not matter, only what matched.
        let _ = self.are_equal(a, b, observed);
        let matched = observed.uses().into_iter().filter(|u| u.matches > 0).take(MAX_NEAR);
        for used in matched {
            let Some(rule) = on.iter().find(|r| *r.name == *used.rule) else { continue };
            if !equal(&[without(rule, &|_| false)]) {
                continue;
            }
            let mut left_out: Vec<usize> = (0..rule.conds.len()).collect();
            for i in 0..rule.conds.len() {
                let fewer: Vec<usize> = left_out.iter().copied().filter(|&c| c != i).collect();
                if equal(&[without(rule, &|c| !fewer.contains(&c))]) {
                    left_out = fewer;
                }
            }
            add(rule, left_out.into_iter().map(|i| rule.show_cond(&rule.conds[i])).collect());
        }
        near
    }
}

/// A value of a range: small ones first, then any.
fn draw(range: Interval, random: u64, trial: u64) -> i64 {
    let spread = if trial < TRIALS / 2 { 12 } else { 2_000 };
    let (low, high) = match (range.lo(), range.hi()) {
        (Some(low), Some(high)) => (low, high),
        (Some(low), None) => (low, low.saturating_add(spread)),
        (None, Some(high)) => (high.saturating_sub(spread), high),
        (None, None) => (-spread, spread),
    };
    let size = high.abs_diff(low).saturating_add(1);
    low.wrapping_add_unsigned(random % size)
}

/// The value of an integer expression; `None` if it is undefined or of another kind.
fn evaluate(e: &Expr, values: &[(VarId, i64)]) -> Option<i64> {
    let value_of = |var| values.iter().find(|(v, _)| *v == var).map(|(_, value)| Value::Int(*value));
    value::evaluate(e, &value_of)?.as_int()
}

impl fmt::Display for Missed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missed::Equal(explanation) => write!(f, "They are equal:\n{explanation}"),
            Missed::Types(a, b) => write!(f, "They are of different types: `{a}` and `{b}`."),
            Missed::Differ { values, left, right } => {
                let values: Vec<String> = values.iter().map(|(name, v)| format!("{name} = {v}")).collect();
                write!(
                    f,
                    "They are not equal: for {} the first is {left}, the second {right}.",
                    values.join(", ")
                )
            }
            Missed::Unknown { near, budget, left, right } => {
                write!(f, "No values were found for which they differ, and no proof that they are equal.")?;
                write!(f, "\nThe first was brought to   {left}\nThe second was brought to  {right}")?;
                if left == right {
                    write!(f, "\nSo they are equal wherever no divisor in them is zero.")?;
                }
                match budget {
                    Some(Budget::Rounds) => write!(
                        f,
                        "\nThe search ended too early: it applies the rules {ROUNDS_OF_EXPRESSIONS} times, and with \
                         {MORE_ROUNDS} times the two are found equal."
                    )?,
                    Some(Budget::Nodes) => write!(
                        f,
                        "\nThe search ended too early: the e-graph may grow to {GROWTH} times its size, and without \
                         that limit the two are found equal."
                    )?,
                    None => {}
                }
                if near.is_empty() && budget.is_none() {
                    write!(f, "\nNo single rule would make them equal, with or without its conditions.")?;
                }
                for rule in near {
                    if rule.unproven.is_empty() {
                        write!(f, "\nRule {} would make them equal, but is switched off:", rule.rule)?;
                    } else {
                        let conds = rule.unproven.join(" ");
                        write!(
                            f,
                            "\nRule {} would make them equal, but this was not proven: {conds}",
                            rule.rule
                        )?;
                    }
                    write!(f, "\n    {}", rule.equation)?;
                }
                Ok(())
            }
        }
    }
}

impl Reason {
    /// The names of the rules.
    ///
    /// ```
    /// use satir::explain::{Reason, RuleName};
    ///
    /// let rule = RuleName { name: "sub-self".to_owned(), why: "nothing is left".to_owned() };
    /// assert_eq!(Reason::Rules(vec![rule]).rules(), ["sub-self"]);
    /// assert!(Reason::Ring.rules().is_empty());
    /// ```
    pub fn rules(&self) -> Vec<&str> {
        match self {
            Reason::Rules(rules) => rules.iter().map(|rule| rule.name.as_str()).collect(),
            Reason::Ring | Reason::Theory(_) => Vec::new(),
        }
    }
}
