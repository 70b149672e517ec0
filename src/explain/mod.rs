//! Why two expressions are equal, step by step; or why they were not found to be.
//!
//! [`Context::equal`] brings both sides to their cheapest form from the inside out, one subexpression at a time, and
//! says for each step what it takes: the axioms of `+ - *`, laws of the theory of integers (quotients, ranges, comparisons),
//! or named rules. These are read off the log of unions of a graph that holds the two sides of the step and nothing else
//! (`provenance`).

mod account;
mod derive;
mod draw;
mod facts;
mod graph;
mod layout;
mod missed;
mod program;
mod provenance;
mod removed;
#[cfg(test)]
mod tests;

use std::fmt;

pub use account::{Account, named};
pub(crate) use facts::known_facts;
pub use graph::View;
pub use missed::{Budget, Missed, Near};
pub use program::{Replacement, binding_values, known_ranges, replacements};
pub use removed::{Gone, Removal, removals};

use indexmap::IndexSet;

use crate::analysis::known::Known;
use crate::arith::Interval;
use crate::cost::Profile;
use crate::encode::{Site, lower_at};
use crate::eqsat;
use crate::ir::{Expr, PrimFunc};
use crate::rewrite::Rewrites;
use crate::rules::{Rule, RuleSet};
use crate::script::print_expr;

/// What is known where two expressions are compared.
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
/// let (product, sum) = (parse_expr("x * 2", &mut func)?, parse_expr("x + x", &mut func)?);
/// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
/// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &[], conds: &[] };
/// assert!(context.equal(&product, &sum).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The function whose variables and buffers the expressions use.
    pub func: &'a PrimFunc,
    /// Says which of two equal expressions is cheaper.
    pub profile: &'a Profile,
    /// The rules.
    pub rules: &'a RuleSet,
    /// Whether rules for real numbers may be used on floats.
    pub fast_math: bool,
    /// Range of each variable, by its id.
    pub ranges: &'a [Interval],
    /// Conditions that hold.
    pub conds: &'a [Expr],
}

/// A chain of equal expressions from each side to one that both can be brought to.
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
/// let (long, short) = (parse_expr("T.max(x, T.min(x, 3))", &mut func)?, parse_expr("x", &mut func)?);
/// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
/// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &[], conds: &[] };
/// let explanation = context.equal(&long, &short).expect("equal");
/// assert_eq!((&*explanation.left, &*explanation.right), ("T.max(x, T.min(x, 3))", "x"));
/// assert!(explanation.right_steps.is_empty(), "nothing is to be done with `x`");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The first expression as text.
    pub left: String,
    /// The second expression as text.
    pub right: String,
    /// From the first expression.
    pub left_steps: Vec<Step>,
    /// From the second expression.
    pub right_steps: Vec<Step>,
    /// What makes the ends of both chains equal, if they are not written alike.
    pub meeting: Option<Reason>,
    /// The ranges and conditions that the meeting takes.
    pub meeting_given: Vec<String>,
}

/// One step of a chain.
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
/// let (a, b) = (parse_expr("(x * 4 + 3) // 4 + x", &mut func)?, parse_expr("x * 2", &mut func)?);
/// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
/// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &[], conds: &[] };
/// let explanation = context.equal(&a, &b).expect("equal");
/// let first = &explanation.left_steps[0];
/// assert_eq!((&*first.part, &*first.by), ("(x * 4 + 3) // 4", "x"));
/// assert_eq!(first.whole, "x + x");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Step {
    /// The part that is replaced.
    pub part: String,
    /// What it is replaced by.
    pub by: String,
    /// The whole expression after the step.
    pub whole: String,
    /// Why the two are equal.
    pub reason: Reason,
    /// The ranges and conditions that it takes.
    pub given: Vec<String>,
}

/// Why two expressions are equal.
///
/// ```
/// use satir::cost::Profile;
/// use satir::explain::{Context, Reason};
/// use satir::rules::RuleSet;
/// use satir::script::parse_expr;
///
/// let mut b = satir::ir::build::FuncBuilder::new("main");
/// b.param("x", satir::ir::DType::I32);
/// let mut func = b.finish();
/// let (split, x) = (parse_expr("x // 4 * 4 + x % 4", &mut func)?, parse_expr("x", &mut func)?);
/// let masked = parse_expr("T.bitwise_and(x, T.bitwise_or(x, 3))", &mut func)?;
/// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
/// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &[], conds: &[] };
/// let reasons = |e: &satir::ir::Expr| context.equal(e, &x).map(|explanation| explanation.left_steps);
/// for step in reasons(&split).expect("equal").iter().chain(&reasons(&masked).expect("equal")) {
///     match &step.reason {
///         Reason::Ring => println!("{} by the axioms of + - *", step.part),
///         Reason::Theory(laws) => println!("{} by arithmetic: {}", step.part, laws[0].name),
///         Reason::Rules(rules) => println!("{} by {} rules", step.part, rules.len()),
///         other => println!("{} by {other}", step.part),
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// They have one normal form under the axioms of `+ - *`.
    Ring,
    /// The theory of integers, by these of its laws.
    Theory(Vec<Law>),
    /// Rules, besides the theory.
    Rules(Vec<RuleName>),
}

/// A law of the theory that an explanation uses.
///
/// ```
/// use satir::cost::Profile;
/// use satir::explain::{Context, Reason};
/// use satir::rules::RuleSet;
/// use satir::script::parse_expr;
///
/// let mut b = satir::ir::build::FuncBuilder::new("main");
/// b.param("x", satir::ir::DType::I32);
/// let mut func = b.finish();
/// let (a, b) = (parse_expr("x * 8 // 4", &mut func)?, parse_expr("x * 2", &mut func)?);
/// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
/// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &[], conds: &[] };
/// let explanation = context.equal(&a, &b).expect("equal");
/// let Reason::Theory(laws) = &explanation.left_steps[0].reason else { panic!("by the theory") };
/// assert_eq!((laws[0].about, laws[0].name), ("floor division", "quotient of a multiple"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Law {
    /// The part of arithmetic that it belongs to.
    pub about: &'static str,
    /// What it is called.
    pub name: &'static str,
}

/// A rule that an explanation uses.
///
/// ```
/// use satir::cost::Profile;
/// use satir::explain::{Context, Reason};
/// use satir::rules::RuleSet;
/// use satir::script::parse_expr;
///
/// let mut b = satir::ir::build::FuncBuilder::new("main");
/// b.param("x", satir::ir::DType::I32);
/// let mut func = b.finish();
/// let (a, b) = (parse_expr("T.bitwise_and(x, x)", &mut func)?, parse_expr("x", &mut func)?);
/// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
/// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &[], conds: &[] };
/// let explanation = context.equal(&a, &b).expect("equal");
/// let Reason::Rules(used) = &explanation.left_steps[0].reason else { panic!("by rules") };
/// println!("by `{}`: {}", used[0].name, used[0].why);
/// assert_eq!(used.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleName {
    /// Its name.
    pub name: String,
    /// Why it holds.
    pub why: String,
}

/// The most e-nodes for one step.
const NODES: usize = 20_000;

/// The most steps on one side.
const MAX_STEPS: usize = 40;

impl Context<'_> {
    /// Whether one e-graph with nothing but the two expressions and these rules unites them.
    fn are_equal(&self, a: &Expr, b: &Expr, rewrites: &Rewrites) -> bool {
        self.are_equal_within(a, b, rewrites, eqsat::ROUNDS_OF_EXPRESSIONS, eqsat::GROWTH)
    }

    /// The same with other limits of the search.
    fn are_equal_within(
        &self,
        a: &Expr,
        b: &Expr,
        rewrites: &Rewrites,
        rounds: usize,
        growth: usize,
    ) -> bool {
        self.all_equal_within(&[(a, b)], rewrites, rounds, growth)
    }

    /// Whether one e-graph with nothing but the pairs of expressions and these rules unites each pair.
    fn all_equal(&self, pairs: &[(&Expr, &Expr)], rewrites: &Rewrites) -> bool {
        self.all_equal_within(pairs, rewrites, eqsat::ROUNDS_OF_EXPRESSIONS, eqsat::GROWTH)
    }

    fn all_equal_within(
        &self,
        pairs: &[(&Expr, &Expr)],
        rewrites: &Rewrites,
        rounds: usize,
        growth: usize,
    ) -> bool {
        let facts = self.conds.iter().map(|cond| (cond.clone(), true)).collect();
        let known = Known { ranges: self.ranges.to_vec().into(), facts, ..Known::default() };
        let exprs: Vec<&Expr> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        let mut lowered = lower_at(self.func, self.profile, &known, &exprs, rewrites.settings());
        eqsat::saturate_within(&mut lowered, rewrites, NODES, rounds, growth);
        let graph = &lowered.graph;
        let equal = |[a, b]: &[Site; 2]| graph.find(a.class) == graph.find(b.class);
        graph.analysis.contradictions == 0 && lowered.sites.as_chunks().0.iter().all(equal)
    }

    /// The rules that an optimization uses.
    fn used(&self) -> impl Iterator<Item = &Rule> {
        self.rules.used(self.fast_math)
    }

    fn show(&self, e: &Expr) -> String {
        print_expr(self.func, e)
    }
}

/// A range as a fact; `None` if it says nothing.
fn given_range(name: &str, range: Interval) -> Option<String> {
    match (range.lo(), range.hi()) {
        (Some(low), Some(high)) => Some(format!("{low} <= {name} <= {high}")),
        (Some(low), None) => Some(format!("{name} >= {low}")),
        (None, Some(high)) => Some(format!("{name} <= {high}")),
        (None, None) => None,
    }
}

impl Explanation {
    /// The facts of the place that it takes, each once.
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
    /// let (least, x) = (parse_expr("T.min(x, y)", &mut func)?, parse_expr("x", &mut func)?);
    /// let conds = [parse_expr("x < y", &mut func)?, parse_expr("x < 9", &mut func)?];
    /// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
    /// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &[], conds: &conds };
    /// assert_eq!(context.equal(&least, &x).expect("equal").facts(), ["x < y"], "the other is not needed");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn facts(&self) -> Vec<String> {
        let steps = self.left_steps.iter().chain(&self.right_steps).flat_map(|step| &step.given);
        let facts: IndexSet<&String> = steps.chain(&self.meeting_given).collect();
        facts.into_iter().cloned().collect()
    }
}

impl fmt::Display for Step {
    /// The reason with what it takes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)?;
        if self.given.is_empty() { Ok(()) } else { write!(f, "; given {}", self.given.join(", ")) }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Ring => f.write_str("normal form of sums and products"),
            Reason::Theory(laws) => {
                let mut about = None;
                for (i, law) in laws.iter().enumerate() {
                    let comma = if i == 0 { "" } else { "; " };
                    match about.replace(law.about) == Some(law.about) {
                        true => write!(f, ", {}", law.name)?,
                        false => write!(f, "{comma}{}: {}", law.about, law.name)?,
                    }
                }
                Ok(())
            }
            Reason::Rules(rules) => {
                for (i, rule) in rules.iter().enumerate() {
                    let comma = if i == 0 { "" } else { "; " };
                    write!(f, "{comma}rule {}: {}", rule.name, rule.why)?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Explanation {
    /// The chain from the first expression to the second, a line for each step.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {}", self.left)?;
        for step in &self.left_steps {
            write!(f, "\n= {:<40}  [{step}]", step.whole)?;
        }
        if let Some(reason) = &self.meeting {
            let end = self.right_steps.last().map_or(&self.right, |step| &step.whole);
            let given = match &self.meeting_given[..] {
                [] => String::new(),
                given => format!("; given {}", given.join(", ")),
            };
            write!(f, "\n= {end:<40}  [{reason}{given}]")?;
        }
        for (i, step) in self.right_steps.iter().enumerate().rev() {
            let before = if i == 0 { &self.right } else { &self.right_steps[i - 1].whole };
            write!(f, "\n= {before:<40}  [{step}]")?;
        }
        Ok(())
    }
}
