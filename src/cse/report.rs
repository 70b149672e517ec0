//! What an optimization did, as data: `satir cse --report FILE.json` writes it.
//!
//! Everything but times is the same on every run and machine.

use std::fmt;
use std::time::Duration;

use indexmap::IndexMap;
use serde::Serialize;

use super::Mode;
use crate::cost::Cost;
use crate::diag::{LineIndex, Span};
use crate::eqsat::Stats;
use crate::ir::PrimFunc;

/// The report on a module.
///
/// ```
/// # let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n")?;
/// let (_, report) = satir::cse::run(&module, &satir::cse::Options::default())?;
/// let json = serde_json::to_value(&report)?;
/// assert_eq!(json["functions"][0]["name"], "main");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// How equality was decided.
    pub mode: Mode,
    /// Whether floats were computed as if they were real numbers: then results differ in their last bits.
    pub fast_math: bool,
    /// One report for each function, in the module's order.
    pub functions: Vec<FunctionReport>,
    /// Time for the whole module, in microseconds.
    pub time_us: u64,
}

/// The report on a function.
///
/// ```
/// # let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n")?;
/// let (_, report) = satir::cse::run(&module, &satir::cse::Options::default())?;
/// let function = &report.functions[0];
/// assert_eq!(function.name, "main");
/// assert!(function.after().cost < function.before.cost);
/// assert!(function.limits_hit.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FunctionReport {
    /// The function's name.
    pub name: String,
    /// The input.
    pub before: Measure,
    /// The result of syntactic sharing.
    pub syntactic: Option<Measure>,
    /// The result of equality saturation; absent in syntactic mode, and if it gave up.
    pub semantic: Option<Measure>,
    /// Why equality saturation gave up, if it did.
    pub gave_up: Option<String>,
    /// Which of them was returned: the cheapest.
    pub chosen: Chosen,
    /// What was returned.
    pub after: Measure,
    /// Conditions that went.
    pub decided: Decided,
    /// Bindings that the result has and the input had not.
    pub bindings: Vec<BindingReport>,
    /// The search; absent in syntactic mode.
    pub search: Option<SearchReport>,
    /// The limits that ended the search early: the result is the best found until then.
    pub limits_hit: Vec<Limit>,
    /// Time for each stage, in microseconds, in the order in which they ran.
    pub stages: IndexMap<String, u64>,
}

/// Cost of a function by the model of [`cost`](crate::cost).
///
/// ```
/// # let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n")?;
/// let (_, report) = satir::cse::run(&module, &satir::cse::Options::default())?;
/// let before = &report.functions[0].before;
/// assert_eq!(before.integer_cost, 7.0, "two multiplications of weight 3 and an addition");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Measure {
    /// Total weighted cost.
    pub cost: f64,
    /// The part of it that is integer work.
    pub integer_cost: f64,
    /// Per class of operations. Classes that do not occur are left out.
    pub operations: IndexMap<String, Operations>,
}

/// The operations of one class in a function.
///
/// ```
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    for i in range(9):\n        A[i] = A[x * x]\n")?;
/// let (_, report) = satir::cse::run(&module, &satir::cse::Options::default())?;
/// let multiplications = &report.functions[0].before.operations["mul"];
/// assert_eq!((multiplications.in_text, multiplications.executed), (1, 9.0));
/// assert_eq!(multiplications.cost, 27.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Operations {
    /// How many stand in the text.
    pub in_text: u64,
    /// How many are estimated to run.
    pub executed: f64,
    /// What those cost.
    pub cost: f64,
}

/// A program that [`run`](super::run) may return.
///
/// ```
/// use satir::cse::{Chosen, Options, run};
///
/// let chosen = |line: &str| -> Result<Chosen, Box<dyn std::error::Error>> {
///     let text = format!("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    {line}\n");
///     Ok(run(&satir::parse(&text)?, &Options::default())?.1.functions[0].chosen)
/// };
/// assert_eq!(chosen("A[x] = A[x + 1]")?, Chosen::Input);
/// assert_eq!(chosen("A[x * x] = A[x * x + 1]")?, Chosen::Syntactic);
/// assert_eq!(chosen("A[x * x + x] = A[(x + 1) * x]")?, Chosen::Semantic);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Chosen {
    /// The input as it was: nothing was cheaper.
    Input,
    /// The result of syntactic sharing.
    Syntactic,
    /// The result of equality saturation.
    Semantic,
    /// What passes that were named made of it, cheaper or not.
    Passes,
}

impl fmt::Display for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Chosen::Input => "unchanged",
            Chosen::Syntactic => "syntactic",
            Chosen::Semantic => "semantic",
            Chosen::Passes => "passes'",
        })
    }
}

/// Conditions, branches and loops that went, as it turned out that they always go one way, do nothing, or are one with
/// others. The estimate takes each `if` for a halving of what is under it, so that a result without one may be said to
/// cost more than the input: then it is the estimate of the input that was too low.
///
/// ```
/// let text = "@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    if x % 8 < 8:\n        A[0] = A[1] + A[2] + A[3]\n";
/// let (_, report) = satir::cse::run(&satir::parse(text)?, &satir::cse::Options::default())?;
/// let function = &report.functions[0];
/// assert_eq!(function.decided.choices, 1);
/// let (before, after) = (function.before.cost, function.after.cost);
/// assert!(before < after && after <= before + function.decided.added);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Decided {
    /// How many.
    pub choices: usize,
    /// By how much at most the result is said to cost more for it: it costs no more than the cheapest of input and
    /// syntactic result, and this.
    pub added: f64,
}

/// A binding that was made.
///
/// ```
/// # let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n")?;
/// let (_, report) = satir::cse::run(&module, &satir::cse::Options::default())?;
/// let binding = &report.functions[0].bindings[0];
/// assert_eq!((&*binding.value, &*binding.dtype), ("x * x", "int32"));
/// assert_eq!(binding.replaced.iter().map(|r| r.uses).sum::<usize>(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BindingReport {
    /// The variable's name.
    pub name: String,
    /// Its type.
    pub dtype: String,
    /// The bound expression; it may use bindings above it.
    pub value: String,
    /// How often it is estimated to be evaluated.
    pub executed: f64,
    /// The cost of evaluating it at each use instead, less the cost of the binding.
    pub saved: f64,
    /// Where the bound value is used.
    pub replaced: Vec<Replaced>,
}

/// A use of a bound value.
///
/// ```
/// let text = "@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n";
/// let (_, mut report) = satir::cse::run(&satir::parse(text)?, &satir::cse::Options::default())?;
/// report.locate(text);
/// let replaced = &report.functions[0].bindings[0].replaced[0];
/// assert_eq!(replaced.line, Some(3));
/// assert_eq!(replaced.source.as_deref(), Some("A[x * x] = A[x * x + 1]"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Replaced {
    /// Line of the statement in the input, if [`Report::locate`] was told its text; absent within new bindings.
    pub line: Option<u32>,
    /// The text of that line.
    pub source: Option<String>,
    /// How many uses stand there.
    pub uses: usize,
    /// How often they are estimated to run.
    pub executed: f64,
    /// Place of the statement in the input.
    #[serde(skip)]
    pub span: Span,
}

/// What the equality search did.
///
/// ```
/// # let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n")?;
/// let (_, report) = satir::cse::run(&module, &satir::cse::Options::default())?;
/// let search = report.functions[0].search.as_ref().expect("semantic mode searches");
/// assert!(search.nodes >= search.input_nodes && search.classes <= search.nodes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SearchReport {
    /// Nodes of the e-graph at the start.
    pub input_nodes: usize,
    /// Nodes at its end.
    pub nodes: usize,
    /// Classes at its end.
    pub classes: usize,
    /// Rounds of rewriting.
    pub iterations: usize,
    /// Whether no choice among the equal expressions that were found is cheaper; `false` if that is not known.
    pub optimal: bool,
}

/// A budget.
///
/// ```
/// use satir::cse::{Budgets, Limit, Options, run};
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n")?;
/// let tight = Options { budgets: Budgets { nodes: 1, ..Budgets::DEFAULT }, ..Options::default() };
/// assert_eq!(run(&module, &tight)?.1.functions[0].limits_hit, [Limit::Nodes]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Limit {
    /// Most nodes of an e-graph.
    Nodes,
    /// Time for a function.
    Time,
}

impl Report {
    /// Total cost of the input.
    ///
    /// ```
    /// let module = satir::parse("@T.prim_func\ndef main(x: T.int32):\n    T.evaluate(x * x + 1)\n")?;
    /// let (_, report) = satir::cse::run(&module, &satir::cse::Options::default())?;
    /// assert_eq!(report.cost_before(), 4.0, "a multiplication of weight 3 and an addition");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cost_before(&self) -> f64 {
        self.functions.iter().map(|f| f.before.cost).sum()
    }

    /// Total cost of the result.
    ///
    /// ```
    /// # let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n")?;
    /// let (_, report) = satir::cse::run(&module, &satir::cse::Options::default())?;
    /// // One multiplication less, one binding more.
    /// assert_eq!(report.cost_before() - report.cost_after(), 3.0 - 0.25);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cost_after(&self) -> f64 {
        self.functions.iter().map(|f| f.after().cost).sum()
    }

    /// Fills in the lines of statements; `text` is what the module was parsed from.
    ///
    /// ```
    /// let text = "@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n";
    /// let (_, mut report) = satir::cse::run(&satir::parse(text)?, &satir::cse::Options::default())?;
    /// assert_eq!(report.functions[0].bindings[0].replaced[0].line, None);
    /// report.locate(text);
    /// assert_eq!(report.functions[0].bindings[0].replaced[0].line, Some(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn locate(&mut self, text: &str) {
        locate(&mut self.functions, text);
    }
}

/// Fills in the lines of statements; `text` is what the functions were parsed from.
pub(crate) fn locate(functions: &mut [FunctionReport], text: &str) {
    let lines = LineIndex::new(text);
    let sources: Vec<&str> = text.lines().collect();
    let bindings = functions.iter_mut().flat_map(|f| &mut f.bindings);
    for replaced in bindings.flat_map(|b| &mut b.replaced) {
        if replaced.span != Span::NONE {
            let line = lines.line(replaced.span.start);
            replaced.line = Some(line);
            replaced.source = sources.get(line as usize - 1).map(|source| source.trim().to_owned());
        }
    }
}

impl FunctionReport {
    pub(super) fn new(func: &PrimFunc, before: Measure) -> FunctionReport {
        FunctionReport {
            name: func.name.to_string(),
            after: before.clone(),
            before,
            syntactic: None,
            semantic: None,
            gave_up: None,
            chosen: Chosen::Input,
            decided: Decided::default(),
            bindings: Vec::new(),
            search: None,
            limits_hit: Vec::new(),
            stages: IndexMap::new(),
        }
    }

    pub(super) fn hit(&mut self, limit: Limit) {
        if !self.limits_hit.contains(&limit) {
            self.limits_hit.push(limit);
        }
    }

    /// So many choices went, which takes the estimate from one cost to another.
    pub(super) fn decide(&mut self, choices: usize, before: Cost, after: Cost) {
        self.decided.choices += choices;
        if after > before {
            self.decided.added += after.to_f64() - before.to_f64();
        }
    }

    /// A stage took some time more.
    pub(super) fn spent(&mut self, stage: &str, time: Duration) {
        *self.stages.entry(stage.to_owned()).or_default() += micros(time);
    }

    /// The function is now what comes from `by`, unless something semantic led to it before, and costs this.
    pub(super) fn choose(&mut self, by: Chosen, cost: Measure) {
        if self.chosen != Chosen::Semantic {
            self.chosen = by;
        }
        self.after = cost.clone();
        match self.chosen {
            Chosen::Semantic => self.semantic = Some(cost),
            _ => self.syntactic = Some(cost),
        }
    }

    /// The cost of what was returned.
    ///
    /// ```
    /// # let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n")?;
    /// let (_, report) = satir::cse::run(&module, &satir::cse::Options::default())?;
    /// assert_eq!(report.functions[0].after().operations["mul"].in_text, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn after(&self) -> &Measure {
        &self.after
    }
}

impl SearchReport {
    pub(super) fn new(stats: &Stats) -> SearchReport {
        SearchReport {
            input_nodes: stats.input_nodes,
            nodes: stats.nodes,
            classes: stats.classes,
            iterations: stats.rounds,
            optimal: stats.optimal,
        }
    }
}

/// Whole microseconds.
pub(crate) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
