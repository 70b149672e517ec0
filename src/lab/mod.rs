//! The rule laboratory: what rewrite rules do to programs.
//!
//! [`stats()`] says how often each rule matches and what the results owe to it, [`ablate()`] what happens without a rule
//! or a set, and which few rules are enough, [`compare()`] how two sets of rules differ, and [`suggest`] which rules
//! are missing. All of them run the whole optimizer, so what they count is what counts: the cost of the result. Beside
//! programs they take single expressions, of which the rules have more to say: most of what stands in a program the
//! theory of arithmetic decides without them.
//!
//! ```
//! use satir::cse::Options;
//! use satir::lab::{Program, compare};
//! use satir::rules::RuleSet;
//!
//! let text = "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x)\n";
//! let program = Program::new("and", satir::parse(text)?);
//! let result = compare(&[program], &RuleSet::empty(), &RuleSet::embedded()?, &Options::default())?;
//! assert_eq!(result.cheaper, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ablate;
mod compare;
pub mod plot;
mod stats;
pub mod suggest;

use std::sync::Arc;
use std::time::{Duration, Instant};

pub use ablate::{Ablation, Unit, UnitReport, ablate, smallest};
pub use compare::{Comparison, Engine, ProgramComparison, compare, compare_engines};
pub use stats::{ProgramStats, RuleStats, Stats, stats, stats_watched};

use crate::arith::Interval;
use crate::cost::cost_of_expr;
use crate::cse::{self, Options};
use crate::error::Error;
use crate::ir::{Expr, Module, PrimFunc};
use crate::rewrite::{Rewrites, RuleUse, UnionCount};
use crate::rules::RuleSet;
use crate::simplify;

/// A program, or an expression, to try rules on.
///
/// ```
/// use satir::lab::Program;
///
/// let module = satir::parse("@T.prim_func\ndef main(x: T.int32):\n    T.evaluate(x)\n")?;
/// assert_eq!(Program::new("mine", module).name, "mine");
/// assert!(Program::new("mine", satir::parse("@T.prim_func\ndef main():\n    T.evaluate(0)\n")?).name == "mine");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    /// Its name, for reports.
    pub name: String,
    work: Work,
}

#[derive(Clone, Debug)]
enum Work {
    Module(Module),
    Expression(Box<Expression>),
}

/// An expression by itself, with what is known where it stands.
///
/// ```
/// use satir::arith::Interval;
/// use satir::cse::Options;
/// use satir::ir::{DType, Expr};
/// use satir::lab::{self, Program};
/// use satir::rules::RuleSet;
///
/// let mut b = satir::ir::build::FuncBuilder::new("main");
/// let x = b.param("x", DType::I32);
/// let expression = lab::Expression {
///     func: b.finish(),
///     ranges: vec![Interval::new(0, 9).expect("not empty")],
///     conds: Vec::new(),
///     expr: Expr::var(x, DType::I32) * 4,
/// };
/// let program = Program::expression("product", expression);
/// let trial = lab::try_rules(&program, &RuleSet::embedded()?, &Options::default())?;
/// assert!(trial.after <= trial.before);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Expression {
    /// Has the variables.
    pub func: PrimFunc,
    /// The range of each variable.
    pub ranges: Vec<Interval>,
    /// Conditions that hold.
    pub conds: Vec<Expr>,
    /// The expression.
    pub expr: Expr,
}

impl Program {
    /// A program: rules are tried by [`cse::run`].
    ///
    /// ```
    /// use satir::lab::{Program, try_rules};
    /// use satir::rules::RuleSet;
    ///
    /// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[x + 1] = x + 1\n")?;
    /// let trial = try_rules(&Program::new("p", module), &RuleSet::empty(), &Default::default())?;
    /// assert!(trial.after < trial.before, "sharing needs no rule");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(name: &str, module: Module) -> Program {
        Program { name: name.to_owned(), work: Work::Module(module) }
    }

    /// An expression: rules are tried by [`simplify::expression`].
    ///
    /// ```
    /// use satir::ir::{DType, Expr};
    /// use satir::lab::{Expression, Program, try_rules};
    /// use satir::rules::RuleSet;
    ///
    /// let mut b = satir::ir::build::FuncBuilder::new("main");
    /// let x = b.param("x", DType::I32);
    /// let x = || Expr::var(x, DType::I32);
    /// let twice = Expression { func: b.finish(), ranges: Vec::new(), conds: Vec::new(), expr: x() + x() - x() };
    /// let trial = try_rules(&Program::expression("x", twice), &RuleSet::empty(), &Default::default())?;
    /// assert!(trial.after < trial.before, "arithmetic needs no rule");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn expression(name: &str, expression: Expression) -> Program {
        Program { name: name.to_owned(), work: Work::Expression(Box::new(expression)) }
    }
}

/// What it costs to use the value of an expression, so that no cost is zero and parts of costs can be compared.
const USE: f64 = 1.0;

/// What came of one program with one set of rules.
///
/// ```
/// use satir::cse::Options;
/// use satir::lab::{Program, try_rules};
/// use satir::rules::RuleSet;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x) * 5\n")?;
/// let mut rules = RuleSet::empty();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// let trial = try_rules(&Program::new("p", module), &rules, &Options::default())?;
/// println!("{} of the cost left after {:?}", trial.ratio(), trial.time);
/// assert_eq!(trial.uses.len(), 1, "one rule, which the engine uses");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Trial {
    /// Cost of the input.
    pub before: f64,
    /// Cost of the result.
    pub after: f64,
    /// Time for the whole optimization.
    pub time: Duration,
    /// What each rule did that the engine uses.
    pub uses: Vec<RuleUse>,
    /// How many unions were made for each reason, by rules and by the theory.
    pub unions: Vec<UnionCount>,
}

impl Trial {
    /// Whether a rule united classes in this program: without it nothing else can change.
    ///
    /// ```
    /// use satir::lab::{Program, try_rules};
    /// use satir::rules::RuleSet;
    ///
    /// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x) * 5\n")?;
    /// let mut rules = RuleSet::empty();
    /// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
    /// let trial = try_rules(&Program::new("p", module), &rules, &satir::cse::Options::default())?;
    /// assert!(trial.uses("same") && !trial.uses("other"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn uses(&self, rule: &str) -> bool {
        self.uses.binary_search_by(|u| u.rule.as_str().cmp(rule)).is_ok_and(|at| self.uses[at].unions > 0)
    }

    /// Cost of the result in parts of the input's.
    ///
    /// ```
    /// use satir::lab::Trial;
    ///
    /// let trial = Trial { before: 8.0, after: 6.0, time: Default::default(), uses: Vec::new(), unions: Vec::new() };
    /// assert_eq!(trial.ratio(), 0.75);
    /// ```
    pub fn ratio(&self) -> f64 {
        if self.before > 0.0 { self.after / self.before } else { 1.0 }
    }
}

/// Optimizes a program with these rules, and with as much theory as the rules of the options have.
///
/// # Errors
///
/// If the program is not well-formed.
///
/// ```
/// use satir::cse::Options;
/// use satir::lab::{Program, try_rules};
/// use satir::rules::RuleSet;
///
/// let program = |text| satir::parse(text).map(|module| Program::new("p", module));
/// let p = program("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.max(x, T.min(x, A[1]))\n")?;
/// let with = try_rules(&p, &RuleSet::embedded()?, &Options::default())?;
/// let without = try_rules(&p, &RuleSet::empty(), &Options::default())?;
/// assert!(with.after <= without.after);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn try_rules(program: &Program, rules: &RuleSet, options: &Options) -> Result<Trial, Error> {
    let rewrites = Rewrites::observed(rules.used_without_theory(options.fast_math));
    let rewrites = Arc::new(rewrites.with_theory(options.rewrites.theory()));
    let start = Instant::now();
    let (before, after) = match &program.work {
        Work::Module(module) => {
            let options = Options { rewrites: Arc::clone(&rewrites), ..options.clone() };
            let (_, report) = cse::run(module, &options)?;
            (report.cost_before(), report.cost_after())
        }
        Work::Expression(e) => {
            let profile = &options.profile;
            let rewrites = rewrites.with_fast_math(options.fast_math);
            let result =
                simplify::expression(&e.func, profile, rewrites, e.ranges.clone(), &e.conds, &e.expr);
            let cost = |e: &Expr| cost_of_expr(profile, e).to_f64() + USE;
            (cost(&e.expr), cost(&result))
        }
    };
    let time = start.elapsed();
    let rewrites = rewrites.with_fast_math(options.fast_math);
    Ok(Trial { before, after, time, uses: rewrites.uses(), unions: rewrites.unions() })
}

/// The rules that are on, without some.
fn without(rules: &RuleSet, left_out: impl Fn(&crate::rules::Rule) -> bool) -> RuleSet {
    let mut rest = rules.clone();
    rest.keep_only(|rule| !left_out(rule));
    rest
}

/// The geometric mean; 1 of nothing.
fn geometric_mean(ratios: impl Iterator<Item = f64>) -> f64 {
    let logs: Vec<f64> = ratios.filter(|r| *r > 0.0).map(f64::ln).collect();
    if logs.is_empty() { 1.0 } else { (logs.iter().sum::<f64>() / logs.len() as f64).exp() }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Whether a cost is more than another by more than rounding.
fn dearer(a: f64, b: f64) -> bool {
    a > b * (1.0 + 1e-9)
}

#[cfg(test)]
mod tests;
