//! What was done to an expression or a statement, for people: the smallest parts that differ, why they are equal, which facts
//! that takes, and what went.

use std::fmt::{self, Write};

use indexmap::{IndexMap, IndexSet};

use super::derive::Deriver;
use super::removed::{Gone, Removal};
use super::{Context, Explanation};
use crate::ir::opclass::{OpClass, classify};
use crate::ir::{BinOp, Expr, ExprKind};
use crate::rewrite::Rewrites;

/// What became of an expression, and why that is right.
///
/// ```
/// use satir::cost::Profile;
/// use satir::explain::Context;
/// use satir::rules::RuleSet;
/// use satir::script::parse_expr;
///
/// let mut b = satir::ir::build::FuncBuilder::new("main");
/// b.param("x", satir::ir::DType::I32);
/// b.param("y", satir::ir::DType::I32);
/// let mut func = b.finish();
/// let before = parse_expr("T.bitwise_xor(y, (x * 16 + 5) // 16)", &mut func)?;
/// let after = parse_expr("T.bitwise_xor(y, x)", &mut func)?;
/// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
/// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &[], conds: &[] };
/// let account = context.account(&before, &after).expect("equal");
/// assert_eq!((&*account.parts[0].left, &*account.parts[0].right), ("(x * 16 + 5) // 16", "x"));
/// assert!(account.facts().is_empty(), "this holds everywhere");
/// assert_eq!(account.fewer, ["1 div_pow2", "1 add", "1 mul_pow2"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Account {
    /// The smallest parts that differ, each with why the two are equal.
    pub parts: Vec<Explanation>,
    /// Whether the only part is the whole.
    pub whole: bool,
    /// Parts of a condition that went, because the others imply them.
    pub dropped: Vec<String>,
    /// How many operations less there are, of each class.
    pub fewer: Vec<String>,
}

/// The most pairs of parts that are compared.
const MAX_COMPARED: usize = 40;

impl Context<'_> {
    /// What became of `before` with `after`, and why that is right; `None` if the two are not found equal.
    ///
    /// ```
    /// use satir::cost::Profile;
    /// use satir::explain::Context;
    /// use satir::rules::RuleSet;
    /// use satir::script::parse_expr;
    ///
    /// let mut b = satir::ir::build::FuncBuilder::new("main");
    /// b.param("x", satir::ir::DType::I32);
    /// let mut func = b.finish();
    /// let (two, one) = (parse_expr("x < 4 and x < 9", &mut func)?, parse_expr("x < 4", &mut func)?);
    /// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
    /// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &[], conds: &[] };
    /// assert_eq!(context.account(&two, &one).expect("equal").dropped, ["x < 9"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn account(&self, before: &Expr, after: &Expr) -> Option<Account> {
        Deriver::new(self).account(before, after)
    }

    /// Why a statement could go.
    ///
    /// ```
    /// use satir::cost::Profile;
    /// use satir::explain::{Context, removals};
    /// use satir::rules::RuleSet;
    ///
    /// # let text = "@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\")):\n    for i in range(9):\n        if i < 9:\n            A[i] = i\n";
    /// let module = satir::parse(text)?;
    /// let (after, _) = satir::cse::run(&module, &satir::cse::Options::default())?;
    /// let (func, profile, rules) = (&module.funcs[0], Profile::default(), RuleSet::embedded()?);
    /// let removed = &removals(func, &after.funcs[0], false)[0];
    /// let (ranges, conds) = (&*removed.ranges, &*removed.conds);
    /// let context = Context { func, profile: &profile, rules: &rules, fast_math: false, ranges, conds };
    /// let (why, facts) = context.why_removed(removed);
    /// assert_eq!((&*why, facts), ("its condition always holds", vec!["0 <= i <= 8".to_owned()]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn why_removed(&self, removal: &Removal) -> (String, Vec<String>) {
        // What stays is the better reason; what went had one itself.
        let lasting = Context { conds: &removal.lasting, ..*self };
        let is = |a: &Expr, b: &Expr| {
            let found = lasting.equal(a, b).or_else(|| self.equal(a, b));
            found.map(|explanation| explanation.facts())
        };
        let decided = |cond: &Expr, value: bool| is(cond, &Expr::bool(value));
        let known = |why: &str, facts: Vec<String>| (why.to_owned(), facts);
        let unknown = |why: &str| (why.to_owned(), Vec::new());
        match &removal.what {
            Gone::Test(cond) => {
                let inner = [&removal.lasting[..], &removal.within[..]].concat();
                let inside = Context { conds: &inner, ..*self };
                let implied = || inside.equal(cond, &Expr::bool(true)).map(|explanation| explanation.facts());
                let beside = |same: bool| {
                    let other = |e: &Expr| if same { e.clone() } else { Expr::not(e.clone()) };
                    removal.beside.iter().find_map(|e| is(cond, &other(e)))
                };
                if let Some(found) = lasting.equal(cond, &Expr::bool(true)) {
                    known("its condition always holds", found.facts())
                } else if let Some(facts) = implied() {
                    known("the tests in it imply its condition", facts)
                } else if let Some(facts) = decided(cond, true) {
                    known("its condition always holds", facts)
                } else if let Some(facts) = decided(cond, false) {
                    known("its condition never holds", facts)
                } else if let Some(facts) = beside(true) {
                    known("the test beside it has the same condition", facts)
                } else if let Some(facts) = beside(false) {
                    known("the test beside it has the opposite condition", facts)
                } else if removal.stays {
                    unknown("both ways lead to the same, or what is tested elsewhere implies it")
                } else {
                    unknown("nothing is left to do in it")
                }
            }
            Gone::Loop(extent) => {
                let empty = Expr::binary(BinOp::Le, extent.clone(), Expr::int(0, extent.dtype));
                match decided(&empty, true) {
                    Some(facts) => known("it never runs", facts),
                    None => unknown("nothing is left to do in it"),
                }
            }
            Gone::Assertion(cond) => match decided(cond, true) {
                Some(facts) => known("its condition always holds", facts),
                None => unknown("it says nothing new"),
            },
            Gone::Store => unknown("it writes what is there already, or stands where nothing runs"),
            Gone::Binding => unknown("its value is written where it is used, or bound anew"),
            Gone::Other => unknown("it has no effect"),
        }
    }
}

impl Deriver<'_> {
    /// What became of `before` with `after`; see [`Context::account`].
    fn account(&self, before: &Expr, after: &Expr) -> Option<Account> {
        let rewrites = self.rewrites();
        if before.dtype != after.dtype || !self.are_equal(before, after, rewrites) {
            return None;
        }
        let mut pairs = Vec::new();
        self.differing(before, after, rewrites, &mut MAX_COMPARED.clone(), &mut pairs);
        let mut explained: Vec<(&Expr, &Expr)> = Vec::new();
        for pair in pairs {
            if !explained.contains(&pair) {
                explained.push(pair);
            }
        }
        let whole = matches!(explained[..], [(a, _)] if std::ptr::eq(a, before));
        let chains: Option<Vec<Explanation>> = explained.iter().map(|(a, b)| self.equal(a, b)).collect();
        let parts = match chains {
            Some(chains) => chains,
            None => vec![self.equal(before, after)?],
        };
        let conjuncts =
            |e: &Expr| -> Vec<String> { e.conjuncts().into_iter().map(|e| self.show(e)).collect() };
        let mut dropped = Vec::new();
        let (old, new) = (conjuncts(before), conjuncts(after));
        if old.len() > 1 && new.iter().all(|part| old.contains(part)) {
            dropped = old.into_iter().filter(|part| !new.contains(part)).collect();
        }
        Some(Account { parts, whole, dropped, fewer: fewer(before, after) })
    }

    /// Collects the smallest pairs of parts that differ and are equal by themselves.
    fn differing<'e>(
        &self,
        a: &'e Expr,
        b: &'e Expr,
        rewrites: &Rewrites,
        fuel: &mut usize,
        pairs: &mut Vec<(&'e Expr, &'e Expr)>,
    ) {
        if let Some(children) = differing_children(a, b)
            && children.len() <= *fuel
        {
            *fuel -= children.len();
            if self.all_equal(&children, rewrites) {
                children.into_iter().for_each(|(a, b)| self.differing(a, b, rewrites, fuel, pairs));
                return;
            }
        }
        pairs.push((a, b));
    }
}

impl Account {
    /// The facts of the place that it takes, each once.
    ///
    /// ```
    /// use satir::arith::Interval;
    /// use satir::cost::Profile;
    /// use satir::explain::Context;
    /// use satir::rules::RuleSet;
    /// use satir::script::parse_expr;
    ///
    /// let mut b = satir::ir::build::FuncBuilder::new("main");
    /// b.param("x", satir::ir::DType::I32);
    /// let mut func = b.finish();
    /// let (quotient, zero) = (parse_expr("x // 8", &mut func)?, parse_expr("0", &mut func)?);
    /// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
    /// let ranges = [Interval::new(0, 7).expect("not empty")];
    /// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &ranges, conds: &[] };
    /// assert_eq!(context.account(&quotient, &zero).expect("equal").facts(), ["0 <= x <= 7"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn facts(&self) -> Vec<String> {
        let facts: IndexSet<String> = self.parts.iter().flat_map(Explanation::facts).collect();
        facts.into_iter().collect()
    }

    /// The account as lines; `origin` says of a fact where it comes from.
    ///
    /// ```
    /// use satir::arith::Interval;
    /// use satir::cost::Profile;
    /// use satir::explain::Context;
    /// use satir::rules::RuleSet;
    /// use satir::script::parse_expr;
    ///
    /// let mut b = satir::ir::build::FuncBuilder::new("main");
    /// b.param("x", satir::ir::DType::I32);
    /// let mut func = b.finish();
    /// let (quotient, zero) = (parse_expr("x // 8", &mut func)?, parse_expr("0", &mut func)?);
    /// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
    /// let ranges = [Interval::new(0, 7).expect("not empty")];
    /// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &ranges, conds: &[] };
    /// let text = context.account(&quotient, &zero).expect("equal").text(|_| Some("line 3".to_owned()));
    /// assert!(text.contains("facts used: 0 <= x <= 7 (line 3)"), "{text}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn text(&self, origin: impl Fn(&str) -> Option<String>) -> String {
        let mut out = String::new();
        for part in &self.parts {
            if !self.whole {
                let _ =
                    writeln!(out, "  smallest part that differs: `{}` became `{}`", part.left, part.right);
            }
            let _ = writeln!(out, "{part}");
        }
        let _ = writeln!(out, "  facts used: {}", named(&self.facts(), origin));
        if !self.dropped.is_empty() {
            let _ = writeln!(out, "  removed, as the rest implies it: {}", self.dropped.join(", "));
        }
        if !self.fewer.is_empty() {
            let _ = writeln!(out, "  removed: {}", self.fewer.join(", "));
        }
        out
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text(|_| None).trim_end())
    }
}

/// Facts between commas, each with where it comes from.
///
/// ```
/// use satir::explain::named;
///
/// assert_eq!(named(&["x < 4".to_owned()], |_| Some("line 2".to_owned())), "x < 4 (line 2)");
/// assert_eq!(named(&[], |_| None), "none");
/// ```
pub fn named(facts: &[String], origin: impl Fn(&str) -> Option<String>) -> String {
    if facts.is_empty() {
        return "none".to_owned();
    }
    let one = |fact: &String| match origin(fact) {
        Some(place) => format!("{fact} ({place})"),
        None => fact.clone(),
    };
    facts.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The operands of two expressions with one operator that differ; `None` if they have not one operator.
fn differing_children<'e>(a: &'e Expr, b: &'e Expr) -> Option<Vec<(&'e Expr, &'e Expr)>> {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    a.for_each_child(|child| left.push(child));
    b.for_each_child(|child| right.push(child));
    if left.is_empty()
        || left.len() != right.len()
        || a.dtype != b.dtype
        || matches!(a.kind, ExprKind::Let(..))
    {
        return None;
    }
    // With the operands of the other the first must be the second.
    let mut swapped = a.clone();
    let mut operands = right.iter();
    swapped.for_each_child_mut(|child| {
        if let Some(operand) = operands.next() {
            child.clone_from(operand);
        }
    });
    (swapped == *b).then(|| left.into_iter().zip(right).filter(|(a, b)| a != b).collect())
}

/// How many operations of each class `after` has less than `before`.
fn fewer(before: &Expr, after: &Expr) -> Vec<String> {
    let mut counts: IndexMap<OpClass, i64> = IndexMap::new();
    for (e, sign) in [(before, 1), (after, -1)] {
        e.walk(&mut |e| {
            if let Some((class, _)) = classify(e) {
                *counts.entry(class).or_default() += sign;
            }
        });
    }
    let less = counts.into_iter().filter(|(_, count)| *count > 0);
    less.map(|(class, count)| format!("{count} {}", class.name())).collect()
}
