//! Finds rules that are missing: equalities between small terms that hold and that the rules do not prove yet.
//!
//! Terms are enumerated bottom-up by size over chosen operators; of terms that agree on all sample values only the
//! smallest is built on, as in Ruler (Nandi et al., OOPSLA 2021). A larger term that agrees with it gives a candidate
//! rule. Candidates that rules and arithmetic prove already are dropped, the others must pass the check of rules:
//! tests and, where a solver is at hand, a proof. Each rule that is found counts as known for those after it.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use super::{Program, try_rules};
use crate::arith::Interval;
use crate::cost::Profile;
use crate::cse::Options;
use crate::eqsat;
use crate::eqsat::lower::{Known, lower_at};
use crate::eqsat::rewrite::Rewrites;
use crate::error::Error;
use crate::ir::build::FuncBuilder;
use crate::ir::{BinOp, DType, Expr, PrimFunc, VarId, value};
use crate::rules::check::{self, Proof, Solver, SolverError};
use crate::rules::{Rule, RuleSet, RulesError};

/// What to enumerate.
///
/// ```
/// use satir::ir::BinOp;
/// use satir::lab::suggest::Search;
///
/// let search = Search { ops: vec![BinOp::Min, BinOp::Max], variables: 3, ..Search::default() };
/// assert_eq!((search.size, search.limit), (5, 30));
/// ```
#[derive(Clone, Debug)]
pub struct Search {
    /// Operators on index values. Comparisons give conditions, `and` and `or` take them.
    pub ops: Vec<BinOp>,
    /// Whether to use `select` as well.
    pub select: bool,
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

impl Default for Search {
    fn default() -> Search {
        Search {
            ops: vec![BinOp::Add, BinOp::Sub, BinOp::FloorDiv, BinOp::FloorMod, BinOp::Min, BinOp::Max],
            select: false,
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
///     ops: vec![BinOp::Max],
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
/// let search = Search { ops: vec![BinOp::FloorDiv], variables: 2, constants: vec![1], limit: 1, ..Search::default() };
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
/// let search = Search { ops: vec![BinOp::FloorDiv], constants: vec![1], limit: 1, ..Search::default() };
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
    Bin(BinOp, Arc<Term>, Arc<Term>),
    Select(Arc<Term>, Arc<Term>, Arc<Term>),
}

impl Term {
    fn variables(&self, out: &mut Vec<usize>) {
        match self {
            Term::Var(v) if !out.contains(v) => out.push(*v),
            Term::Var(_) | Term::Int(_) => {}
            Term::Bin(_, a, b) => [a, b].into_iter().for_each(|t| t.variables(out)),
            Term::Select(c, a, b) => [c, a, b].into_iter().for_each(|t| t.variables(out)),
        }
    }

    fn expr(&self, variables: &[VarId]) -> Expr {
        match self {
            Term::Var(v) => Expr::var(variables[*v], DType::I32),
            Term::Int(v) => Expr::int(*v, DType::I32),
            Term::Bin(op, a, b) => Expr::binary(*op, a.expr(variables), b.expr(variables)),
            Term::Select(c, a, b) => Expr::select(c.expr(variables), a.expr(variables), b.expr(variables)),
        }
    }
}

impl std::fmt::Display for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Term::Var(v) => write!(f, "?{}", NAMES[*v]),
            Term::Int(v) => write!(f, "{v}"),
            Term::Bin(op, a, b) => write!(f, "({} {a} {b})", op.name()),
            Term::Select(c, a, b) => write!(f, "(select {c} {a} {b})"),
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
struct Enumeration<'a> {
    search: &'a Search,
    /// The terms of each size that mean something new.
    by_size: Vec<Vec<Valued>>,
    seen: HashMap<(bool, Arc<[i64]>), Arc<Term>>,
    pairs: Vec<(Arc<Term>, Arc<Term>)>,
}

impl<'a> Enumeration<'a> {
    /// Pairs of a term and the smallest one that agrees with it on all samples, small ones first.
    fn run(search: &'a Search) -> Vec<(Arc<Term>, Arc<Term>)> {
        let none = Vec::new();
        let mut it = Enumeration { search, by_size: vec![none], seen: HashMap::new(), pairs: Vec::new() };
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
            for a in 1..size - 1 {
                it.binary(a, size - 1 - a, &mut level);
                for b in 1..(size - 1).saturating_sub(a) {
                    it.select(a, b, size - 1 - a - b, &mut level);
                }
            }
            it.by_size.push(level);
        }
        it.pairs
    }

    fn binary(&mut self, a: usize, b: usize, level: &mut Vec<Valued>) {
        let (left, right) = (self.by_size[a].clone(), self.by_size[b].clone());
        for op in &self.search.ops {
            for x in left.iter().filter(|x| x.is_bool == op.is_logic()) {
                for y in right.iter().filter(|y| y.is_bool == op.is_logic()) {
                    let values: Option<Arc<[i64]>> =
                        x.values.iter().zip(y.values.iter()).map(|(a, b)| apply(*op, *a, *b)).collect();
                    let term = Term::Bin(*op, Arc::clone(&x.term), Arc::clone(&y.term));
                    if let Some(values) = values {
                        let is_bool = op.is_logic() || op.is_compare();
                        self.enter(Valued { term: Arc::new(term), values, is_bool }, level);
                    }
                }
            }
        }
    }

    fn select(&mut self, c: usize, a: usize, b: usize, level: &mut Vec<Valued>) {
        if !self.search.select {
            return;
        }
        let (conds, left, right) =
            (self.by_size[c].clone(), self.by_size[a].clone(), self.by_size[b].clone());
        for p in conds.iter().filter(|p| p.is_bool) {
            for x in left.iter().filter(|x| !x.is_bool) {
                for y in right.iter().filter(|y| !y.is_bool) {
                    let choose = |i: usize| if p.values[i] != 0 { x.values[i] } else { y.values[i] };
                    let values = (0..p.values.len()).map(choose).collect();
                    let term = Term::Select(Arc::clone(&p.term), Arc::clone(&x.term), Arc::clone(&y.term));
                    self.enter(Valued { term: Arc::new(term), values, is_bool: false }, level);
                }
            }
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

/// An operation as a total function; `None` if the result leaves 64 bits.
fn apply(op: BinOp, a: i64, b: i64) -> Option<i64> {
    match (op, b) {
        (BinOp::FloorDiv | BinOp::Div, 0) => Some(0),
        (BinOp::FloorMod | BinOp::Mod, 0) => Some(a),
        (BinOp::And, _) => Some(a & b),
        (BinOp::Or, _) => Some(a | b),
        _ => value::int::binary(op, DType::I64, a, b).ok(),
    }
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
        let known = Known { ranges: vec![range; env.vars.len()], ..Known::default() };
        let rewrites = Rewrites::new(&rules);
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
        let mut lowered = lower_at(&self.env, &self.profile, &self.known, &[&a, &b]);
        eqsat::saturate(&mut lowered, self.rewrites.with_fast_math(self.fast_math), PAIR_NODES);
        let class = |i: usize| lowered.graph.find(lowered.sites[i].class);
        class(0) == class(1)
    }

    fn learn(&mut self, text: &str) -> Result<(), RulesError> {
        self.learned += text;
        self.learned.push('\n');
        self.rules.extend_with_text("suggested.rules", &self.learned)?;
        self.rewrites = Rewrites::new(&self.rules);
        Ok(())
    }
}
