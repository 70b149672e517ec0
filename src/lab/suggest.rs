//! Finds rules that are missing: equalities between small terms that hold and that the rules do not prove yet.
//!
//! Terms are enumerated bottom-up by size over chosen operators; of terms that agree on all sample values only the
//! smallest is built on, as in Ruler (Nandi et al., OOPSLA 2021). A larger term that agrees with it gives a candidate
//! rule. Candidates that rules and arithmetic prove already are dropped, the others must pass the check of rules:
//! tests and, where a solver is at hand, a proof. Each rule that is found counts as known for those after it.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;
use smallvec::SmallVec;

use super::{Program, try_rules};
use crate::analysis::known::Known;
use crate::arith::Interval;
use crate::cost::Profile;
use crate::cse::Options;
use crate::encode::lower_at;
use crate::eqsat;
use crate::error::Error;
use crate::ir::build::FuncBuilder;
use crate::ir::value::{MathFn, Value, int};
use crate::ir::{BinOp, DType, Expr, PrimFunc, VarId};
use crate::rewrite::Rewrites;
use crate::rules::check::{self, Proof, Solver, SolverError};
use crate::rules::{Rule, RuleOp, RuleSet, RulesError};

/// What to enumerate.
///
/// ```
/// use satir::ir::BinOp;
/// use satir::lab::suggest::Search;
///
/// let search = Search { ops: vec![BinOp::Min.into(), BinOp::Max.into()], variables: 3, ..Search::default() };
/// assert_eq!((search.size, search.limit), (5, 30));
/// ```
#[derive(Clone, Debug)]
pub struct Search {
    /// Operators on index values. Comparisons give conditions, `and`, `or`, `not` and `select` take them.
    pub ops: Vec<Operator>,
    /// How many variables there are.
    pub variables: usize,
    /// The constants.
    pub constants: Vec<i64>,
    /// The most operators, variables and constants in the larger side.
    pub size: usize,
    /// What is assumed of every variable.
    pub assume: Assume,
    /// The most rules to return.
    pub limit: usize,
}

/// An operator of rules.
///
/// ```
/// use satir::ir::BinOp;
/// use satir::lab::suggest::Operator;
///
/// assert_eq!(Operator::by_name("min"), Some(BinOp::Min.into()));
/// assert_eq!(Operator::by_name("shift_left").expect("there").name(), "shift_left");
/// assert!(Operator::all().count() > 25 && Operator::by_name("ramp").is_none(), "all that are not about vectors");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operator(RuleOp);

impl Operator {
    /// All of them, in the order of the documentation of rules.
    ///
    /// ```
    /// use satir::lab::suggest::Operator;
    ///
    /// assert!(Operator::all().any(|op| op.name() == "bitwise_xor"));
    /// ```
    pub fn all() -> impl Iterator<Item = Operator> {
        RuleOp::all().filter(|op| !matches!(op, RuleOp::Ramp | RuleOp::Broadcast)).map(Operator)
    }

    /// The one with this name in rule files.
    ///
    /// ```
    /// use satir::lab::suggest::Operator;
    ///
    /// assert!(Operator::by_name("select").is_some() && Operator::by_name("choose").is_none());
    /// ```
    pub fn by_name(name: &str) -> Option<Operator> {
        Operator::all().find(|op| op.name() == name)
    }

    /// Its name in rule files.
    ///
    /// ```
    /// use satir::ir::BinOp;
    /// use satir::lab::suggest::Operator;
    ///
    /// assert_eq!(Operator::from(BinOp::FloorDiv).name(), "floordiv");
    /// ```
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Which operands, of so many, are conditions.
    fn takes_bool(self, operand: usize) -> bool {
        match self.0 {
            RuleOp::Bin(op) => op.is_logic(),
            RuleOp::Not | RuleOp::Likely => true,
            RuleOp::Select | RuleOp::IfThenElse => operand == 0,
            RuleOp::Math(_) | RuleOp::Ramp | RuleOp::Broadcast => false,
        }
    }

    /// Whether it gives a condition.
    fn gives_bool(self) -> bool {
        match self.0 {
            RuleOp::Bin(op) => op.is_logic() || op.is_compare(),
            RuleOp::Not | RuleOp::Likely => true,
            RuleOp::Select | RuleOp::IfThenElse | RuleOp::Math(_) | RuleOp::Ramp | RuleOp::Broadcast => false,
        }
    }

    /// Its value as a total function; `None` if it leaves 64 bits.
    fn apply(self, values: &[i64]) -> Option<i64> {
        Some(match (self.0, values) {
            (RuleOp::Bin(op), &[a, b]) => int::total(op, DType::I64, a, b).ok()?,
            (RuleOp::Not, &[a]) => i64::from(a == 0),
            (RuleOp::Likely, &[a]) => a,
            (RuleOp::Select | RuleOp::IfThenElse, &[p, a, b]) => {
                if p != 0 {
                    a
                } else {
                    b
                }
            }
            (RuleOp::Math(MathFn::ShiftLeft | MathFn::ShiftRight), &[a, places])
                if !(0..31).contains(&places) =>
            {
                // Out of range the value is fixed, and nobody knows which.
                foldhash::quality::FixedState::default().hash_one((self.name(), a, places)) as i64 >> 16
            }
            (RuleOp::Math(MathFn::ShiftLeft), &[a, places]) => a.checked_mul(1 << places)?,
            (RuleOp::Math(function), values) => {
                let values: Vec<Value> = values.iter().copied().map(Value::Int).collect();
                function.eval(DType::I64, &values).ok()?.as_int()?
            }
            _ => return None,
        })
    }

    /// An expression with this operator.
    fn expr(self, mut operands: Vec<Expr>) -> Expr {
        let last = operands.last().map_or(DType::I32, |e| e.dtype);
        match (self.0, operands.len()) {
            (RuleOp::Bin(op), 2) => {
                let right = operands.remove(1);
                Expr::binary(op, operands.remove(0), right)
            }
            (RuleOp::Not, 1) => Expr::not(operands.remove(0)),
            (RuleOp::Select, 3) => {
                let (otherwise, then) = (operands.remove(2), operands.remove(1));
                Expr::select(operands.remove(0), then, otherwise)
            }
            (op, _) => Expr::call(last, op.name(), operands),
        }
    }
}

impl From<BinOp> for Operator {
    fn from(op: BinOp) -> Operator {
        Operator(RuleOp::Bin(op))
    }
}

impl Default for Search {
    fn default() -> Search {
        Search {
            ops: [BinOp::Add, BinOp::Sub, BinOp::FloorDiv, BinOp::FloorMod, BinOp::Min, BinOp::Max]
                .map(Operator::from)
                .to_vec(),
            variables: 2,
            constants: vec![0, 1, 2],
            size: 5,
            assume: Assume::Nothing,
            limit: 30,
        }
    }
}

/// What is assumed of every variable; it becomes a condition of the rules that are found.
///
/// ```
/// use satir::ir::BinOp;
/// use satir::lab::suggest::{Assume, Search, suggest};
/// use satir::rules::RuleSet;
///
/// // The engine knows `max(x, 0) == x` for natural numbers, so with this assumption there is nothing to find.
/// let search = Search {
///     ops: vec![BinOp::Max.into()],
///     variables: 1,
///     constants: vec![0],
///     size: 3,
///     assume: Assume::Nonnegative,
///     ..Search::default()
/// };
/// let found = suggest(&search, &RuleSet::empty(), &[], None, &Default::default())?;
/// assert!(found.is_empty());
/// # Ok::<(), satir::lab::suggest::SuggestError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assume {
    /// Any integer.
    Nothing,
    /// At least 0.
    Nonnegative,
    /// At least 1.
    Positive,
}

impl Assume {
    fn least(self) -> Option<i64> {
        match self {
            Assume::Nothing => None,
            Assume::Nonnegative => Some(0),
            Assume::Positive => Some(1),
        }
    }

    const fn condition(self) -> &'static str {
        match self {
            Assume::Nothing => "",
            Assume::Nonnegative => "nonnegative",
            Assume::Positive => "positive",
        }
    }
}

/// A rule that is missing.
///
/// ```
/// use satir::ir::BinOp;
/// use satir::lab::suggest::{Search, suggest};
/// use satir::rules::RuleSet;
///
/// let search = Search { ops: vec![BinOp::FloorDiv.into()], variables: 2, constants: vec![1], limit: 1, ..Search::default() };
/// for suggestion in suggest(&search, &RuleSet::empty(), &[], None, &Default::default())? {
///     assert!(suggestion.text.starts_with("(rule suggested-"));
///     assert!(!suggestion.proven, "there was no solver to ask");
/// }
/// # Ok::<(), satir::lab::suggest::SuggestError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Suggestion {
    /// The rule, as a rule file spells it.
    pub text: String,
    /// How often its left side occurred in the programs, with the conditions proven.
    pub matches: u64,
    /// Whether the solver proved it; else it is only tested.
    pub proven: bool,
}

/// Why there are no suggestions.
///
/// ```
/// use satir::lab::suggest::{Search, SuggestError, suggest};
/// use satir::rules::RuleSet;
/// use satir::rules::check::Solver;
///
/// let solver = Solver::new("no/such/z3");
/// let search = Search { size: 5, ..Search::default() };
/// match suggest(&search, &RuleSet::empty(), &[], Some(&solver), &Default::default()) {
///     Err(SuggestError::Solver(error)) => println!("{error}"),
///     Err(error) => panic!("{error}"),
///     Ok(found) => assert!(found.is_empty(), "only what is found is proven"),
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SuggestError {
    /// A program is not well-formed.
    #[error(transparent)]
    Program(#[from] Error),
    /// The solver does not run.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// The rules that were found cannot be read back.
    #[error(transparent)]
    Rules(#[from] RulesError),
}

/// Finds rules that `known` lacks; those whose left sides occur most often in the programs come first, else the
/// smallest.
///
/// # Errors
///
/// If a program is not well-formed or the solver does not run.
///
/// ```
/// use satir::ir::BinOp;
/// use satir::lab::suggest::{Search, suggest};
/// use satir::rules::RuleSet;
///
/// let search = Search { ops: vec![BinOp::FloorDiv.into()], constants: vec![1], limit: 1, ..Search::default() };
/// let (known, mut more) = (RuleSet::embedded()?, RuleSet::embedded()?);
/// let found = suggest(&search, &known, &[], None, &Default::default())?;
/// let file: String = found.iter().map(|s| format!("{}\n", s.text)).collect();
/// more.extend_with_text("suggested.rules", &file)?;
/// assert_eq!(more.all_rules().count(), known.all_rules().count() + 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn suggest(
    search: &Search,
    known: &RuleSet,
    programs: &[Program],
    solver: Option<&Solver>,
    options: &Options,
) -> Result<Vec<Suggestion>, SuggestError> {
    let candidates = Enumeration::run(search);
    // With programs to look at, more are found than are returned: those that occur there.
    let most = if programs.is_empty() { search.limit } else { search.limit.saturating_mul(POOL) };
    let mut prover = Prover::new(search, known.clone(), options)?;
    let mut found: Vec<(String, bool)> = Vec::new();
    for (larger, smaller) in candidates {
        if found.len() >= most {
            break;
        }
        if prover.knows(&larger, &smaller) {
            continue;
        }
        let name = format!("suggested-{}", found.len() + 1);
        let text = rule_text(search, &name, &larger, &smaller);
        if let Some(proven) = judge(&text, solver)? {
            prover.learn(&text)?;
            found.push((text, proven));
        }
    }
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let mut all = known.clone();
    let file: String = found.iter().map(|(text, _)| format!("{text}\n")).collect();
    all.extend_with_text("suggested.rules", &file)?;
    let trials: Vec<_> =
        programs.par_iter().map(|p| try_rules(p, &all, options)).collect::<Result<_, Error>>()?;
    let matches = |name: &str| -> u64 {
        trials.iter().flat_map(|t| &t.uses).filter(|u| u.rule == name).map(|u| u.matches).sum()
    };
    let suggestion = |(i, (text, proven)): (usize, (String, bool))| Suggestion {
        matches: matches(&format!("suggested-{}", i + 1)),
        text,
        proven,
    };
    let mut out: Vec<Suggestion> = found.into_iter().enumerate().map(suggestion).collect();
    out.sort_by_key(|s| std::cmp::Reverse(s.matches));
    out.truncate(search.limit);
    Ok(out)
}

/// How many times as many rules are found as are returned, where programs say which of them are wanted.
const POOL: usize = 6;

/// Whether the check of rules passes: `None` if not, else whether there is a proof.
fn judge(text: &str, solver: Option<&Solver>) -> Result<Option<bool>, SuggestError> {
    let mut set = RuleSet::empty();
    set.extend_with_text("suggested.rules", text)?;
    let rules: Vec<&Rule> = set.all_rules().collect();
    let mut report = check::run(&rules, check::QUICK);
    if !report.is_ok() {
        return Ok(None);
    }
    if let Some(solver) = solver {
        check::prove(&rules, &mut report, solver)?;
    }
    let proven = |i: &check::InstanceReport| i.is_proven() || i.proof == Some(Proof::Proven);
    let all = report.rules.iter().flat_map(|r| &r.instances).all(proven);
    Ok(report.is_ok().then_some(all))
}

fn rule_text(search: &Search, name: &str, larger: &Term, smaller: &Term) -> String {
    let mut text = format!(
        "(rule {name} \"found by enumeration: equal on all samples, not proven by the rules before\"\n  \
         (types index) (=> {larger} {smaller})"
    );
    if search.assume != Assume::Nothing {
        let mut variables = Vec::new();
        larger.variables(&mut variables);
        let conds: Vec<String> =
            variables.iter().map(|v| format!("({} ?{})", search.assume.condition(), NAMES[*v])).collect();
        text += &format!(" (if {})", conds.join(" "));
    }
    text + ")"
}

const NAMES: [&str; 4] = ["x", "y", "z", "w"];

/// The most variables of a search.
///
/// ```
/// use satir::lab::suggest::{MAX_VARIABLES, Search};
///
/// assert!(Search::default().variables <= MAX_VARIABLES);
/// ```
pub const MAX_VARIABLES: usize = NAMES.len();

/// A term over integers.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Term {
    Var(usize),
    Int(i64),
    Op(Operator, Vec<Arc<Term>>),
}

impl Term {
    fn variables(&self, out: &mut Vec<usize>) {
        match self {
            Term::Var(v) if !out.contains(v) => out.push(*v),
            Term::Var(_) | Term::Int(_) => {}
            Term::Op(_, operands) => operands.iter().for_each(|t| t.variables(out)),
        }
    }

    fn expr(&self, variables: &[VarId]) -> Expr {
        match self {
            Term::Var(v) => Expr::var(variables[*v], DType::I32),
            Term::Int(v) => Expr::int(*v, DType::I32),
            Term::Op(op, operands) => op.expr(operands.iter().map(|t| t.expr(variables)).collect()),
        }
    }
}

impl std::fmt::Display for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Term::Var(v) => write!(f, "?{}", NAMES[*v]),
            Term::Int(v) => write!(f, "{v}"),
            Term::Op(op, operands) => {
                write!(f, "({}", op.name())?;
                operands.iter().try_for_each(|operand| write!(f, " {operand}"))?;
                f.write_str(")")
            }
        }
    }
}

/// A term with its values on all samples.
#[derive(Clone)]
struct Valued {
    term: Arc<Term>,
    values: Arc<[i64]>,
    is_bool: bool,
}

/// Terms by size, one for each meaning, and the pairs that agree.
#[derive(Default)]
struct Enumeration {
    /// The terms of each size that mean something new.
    by_size: Vec<Vec<Valued>>,
    seen: HashMap<(bool, Arc<[i64]>), Arc<Term>>,
    pairs: Vec<(Arc<Term>, Arc<Term>)>,
}

impl Enumeration {
    /// Pairs of a term and the smallest one that agrees with it on all samples, small ones first.
    fn run(search: &Search) -> Vec<(Arc<Term>, Arc<Term>)> {
        let mut it = Enumeration { by_size: vec![Vec::new()], ..Enumeration::default() };
        let samples = samples(search);
        let mut leaves = Vec::new();
        for v in 0..search.variables.min(MAX_VARIABLES) {
            leaves.push((Term::Var(v), samples.iter().map(|s| s[v]).collect::<Arc<[i64]>>()));
        }
        for &c in &search.constants {
            leaves.push((Term::Int(c), samples.iter().map(|_| c).collect()));
        }
        let mut level = Vec::new();
        for (term, values) in leaves {
            it.enter(Valued { term: Arc::new(term), values, is_bool: false }, &mut level);
        }
        it.by_size.push(level);
        for size in 2..=search.size {
            let mut level = Vec::new();
            for &op in &search.ops {
                for sizes in sizes(op.0.arity(), size - 1) {
                    it.apply(op, &sizes, &mut level);
                }
            }
            it.by_size.push(level);
        }
        it.pairs
    }

    /// Enters the terms with this operator whose operands have these sizes.
    fn apply(&mut self, op: Operator, sizes: &[usize], level: &mut Vec<Valued>) {
        let operands = |(i, size): (usize, &usize)| -> Vec<Valued> {
            self.by_size[*size].iter().filter(|t| t.is_bool == op.takes_bool(i)).cloned().collect()
        };
        let choices: Vec<Vec<Valued>> = sizes.iter().enumerate().map(operands).collect();
        let mut at = vec![0; choices.len()];
        if choices.iter().any(Vec::is_empty) {
            return;
        }
        loop {
            let chosen: Vec<&Valued> = choices.iter().zip(&at).map(|(of, &i)| &of[i]).collect();
            let samples = chosen.first().map_or(0, |t| t.values.len());
            let value =
                |i: usize| op.apply(&chosen.iter().map(|t| t.values[i]).collect::<SmallVec<[i64; 3]>>());
            let values: Option<Arc<[i64]>> = (0..samples).map(value).collect();
            if let Some(values) = values {
                let term = Arc::new(Term::Op(op, chosen.iter().map(|t| Arc::clone(&t.term)).collect()));
                self.enter(Valued { term, values, is_bool: op.gives_bool() }, level);
            }
            // The next choice, the last operand first.
            let Some(next) = (0..at.len()).rev().find(|&i| at[i] + 1 < choices[i].len()) else { return };
            at[next] += 1;
            at[next + 1..].fill(0);
        }
    }

    fn enter(&mut self, found: Valued, level: &mut Vec<Valued>) {
        match self.seen.get(&(found.is_bool, Arc::clone(&found.values))) {
            None => {
                self.seen.insert((found.is_bool, Arc::clone(&found.values)), Arc::clone(&found.term));
                level.push(found);
            }
            Some(smaller) => {
                // Of terms that differ only in the names of their variables one is enough.
                let (mut order, mut needed) = (Vec::new(), Vec::new());
                found.term.variables(&mut order);
                smaller.variables(&mut needed);
                let renamed = order.iter().enumerate().any(|(i, v)| i != *v);
                if !renamed && !order.is_empty() && needed.iter().all(|v| order.contains(v)) {
                    self.pairs.push((found.term, Arc::clone(smaller)));
                }
            }
        }
    }
}

/// All ways to share a size among so many operands, each at least 1.
fn sizes(operands: usize, size: usize) -> Vec<Vec<usize>> {
    if operands <= 1 {
        return if operands == 1 && size > 0 { vec![vec![size]] } else { Vec::new() };
    }
    let mut all = Vec::new();
    for first in 1..size {
        for rest in sizes(operands - 1, size - first) {
            all.push([vec![first], rest].concat());
        }
    }
    all
}

/// Values of the variables: all small ones together, some large ones.
fn samples(search: &Search) -> Vec<[i64; MAX_VARIABLES]> {
    const EDGE: [i64; 12] = [0, 1, -1, 2, -2, 3, -3, 4, 5, -7, 64, 1001];
    let least = search.assume.least().unwrap_or(i64::MIN);
    let values: Vec<i64> = EDGE.into_iter().filter(|v| *v >= least).collect();
    let each = match search.variables {
        0..=2 => values.len(),
        3 => 7,
        _ => 5,
    };
    let values = &values[..each.min(values.len())];
    let mut out = vec![[1; MAX_VARIABLES]];
    for v in 0..search.variables.min(MAX_VARIABLES) {
        let with = |s: &[i64; MAX_VARIABLES]| {
            let s = *s;
            values.iter().map(move |value| {
                let mut s = s;
                s[v] = *value;
                s
            })
        };
        out = out.iter().flat_map(with).collect();
    }
    out
}

/// Decides what the rules prove already.
struct Prover {
    env: PrimFunc,
    variables: Vec<VarId>,
    known: Known,
    rules: RuleSet,
    rewrites: Rewrites,
    profile: Profile,
    fast_math: bool,
    /// Texts of what was learned.
    learned: String,
    asked: HashSet<(String, String)>,
}

/// The most nodes of the e-graph of one pair.
const PAIR_NODES: usize = 5_000;

impl Prover {
    fn new(search: &Search, rules: RuleSet, options: &Options) -> Result<Prover, RulesError> {
        let mut builder = FuncBuilder::new("main");
        let names = &NAMES[..search.variables.min(MAX_VARIABLES)];
        let variables = names.iter().map(|name| builder.param(name, DType::I32)).collect();
        let env = builder.finish();
        let least = search.assume.least().unwrap_or(Interval::NEG_INF);
        let range = Interval::new(least, Interval::POS_INF).unwrap_or(Interval::ALL);
        let known = Known { ranges: vec![range; env.vars.len()].into(), ..Known::default() };
        let rewrites = Rewrites::new(&rules).with_theory(options.rewrites.theory());
        Ok(Prover {
            env,
            variables,
            known,
            rules,
            rewrites,
            profile: options.profile.clone(),
            fast_math: options.fast_math,
            learned: String::new(),
            asked: HashSet::new(),
        })
    }

    fn knows(&mut self, a: &Term, b: &Term) -> bool {
        if !self.asked.insert((a.to_string(), b.to_string())) {
            return true;
        }
        let (a, b) = (a.expr(&self.variables), b.expr(&self.variables));
        let mut lowered =
            lower_at(&self.env, &self.profile, &self.known, &[&a, &b], self.rewrites.settings());
        eqsat::saturate(&mut lowered, self.rewrites.with_fast_math(self.fast_math), PAIR_NODES);
        let class = |i: usize| lowered.graph.find(lowered.sites[i].class);
        class(0) == class(1)
    }

    fn learn(&mut self, text: &str) -> Result<(), RulesError> {
        self.learned += text;
        self.learned.push('\n');
        self.rules.extend_with_text("suggested.rules", &self.learned)?;
        self.rewrites = Rewrites::new(&self.rules).with_theory(self.rewrites.theory());
        Ok(())
    }
}
