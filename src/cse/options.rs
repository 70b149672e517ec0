//! What the optimizer is told: how to decide equality, for how long, with what costs and rules.

use std::sync::Arc;
use std::time::Duration;

use super::loops::Loops;
use crate::cost::{Bindings, Profile};
use crate::eqsat;
use crate::extract::Effort;
use crate::ir::PrimFunc;
use crate::rewrite::Rewrites;
use crate::simplify::{Reach, Settings};
use crate::target::{IndexBits, Model, Reason, Target};

/// How equality of expressions is decided.
///
/// ```
/// use satir::cse::{self, Mode, Options};
///
/// // Equal, but not written alike.
/// let module = satir::parse(
///     "@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32, y: T.int32):\n    A[x * y + x] = (y + 1) * x\n",
/// )?;
/// let bindings = |mode| -> Result<usize, satir::Error> {
///     let (_, report) = cse::run(&module, &Options { mode, ..Options::default() })?;
///     Ok(report.functions[0].bindings.len())
/// };
/// assert_eq!(bindings(Mode::Syntactic)?, 0);
/// assert_eq!(bindings(Mode::Semantic)?, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// By equality saturation: rewrite rules, arithmetic, facts of the enclosing scopes.
    Semantic,
    /// By text: expressions are equal if they are written alike.
    Syntactic,
}

impl Mode {
    /// The pass of this mode.
    pub(crate) const fn pass(self) -> &'static str {
        match self {
            Mode::Semantic => "semantic-cse",
            Mode::Syntactic => "syntactic-cse",
        }
    }
}

/// How much work the search may do. A limit on nodes gives the same result on every machine; one on
/// time does not, and is a backstop.
///
/// ```
/// use satir::cse::{self, Budgets, Options};
///
/// let module = satir::parse(
///     "@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[x * x] = x * x + x // 3 * 3\n",
/// )?;
/// // With next to no nodes there is less to find, but the result is never worse than the input.
/// let tight = Options { budgets: Budgets { nodes: 1, ..Budgets::DEFAULT }, ..Options::default() };
/// let (_, report) = cse::run(&module, &tight)?;
/// assert!(report.cost_after() <= report.cost_before());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budgets {
    /// Most nodes of one e-graph.
    pub nodes: usize,
    /// After this time the search for a function ends; what is found is kept. Without a limit results depend on nothing
    /// but the program and the options.
    pub time: Option<Duration>,
    /// A function that is three times as long, in statements and parts of expressions, is taken in windows of about this
    /// length, each with an e-graph of its own. What stands in two windows is then equal only if it comes out alike in
    /// both, but time and memory grow no faster than the function does.
    pub window: usize,
}

impl Budgets {
    /// Enough for every program that we know.
    pub const DEFAULT: Budgets = Budgets { nodes: 2_000_000, time: None, window: 20_000 };
}

/// All options of [`run`](super::run). `Options::default()` is what `satir cse` does without flags.
///
/// ```
/// use satir::cse::Options;
///
/// // The extent of a loop over `n` is taken as 1000 when costs are compared.
/// let options = Options { bindings: [("n".to_owned(), 1000)].into(), ..Options::default() };
/// assert!(!options.fast_math, "floats keep their bits unless it is asked for");
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), n: T.int32):\n    for i in range(n):\n        A[i] = A[0]\n")?;
/// let (_, report) = satir::cse::run(&module, &options)?;
/// assert_eq!(report.functions[0].before.operations["load"].executed, 1000.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// How equality is decided.
    pub mode: Mode,
    /// How much work the search may do.
    pub budgets: Budgets,
    /// Values of symbolic dimensions and scalar parameters, for estimating how often loops run. The result is right
    /// for all other values too.
    pub bindings: Bindings,
    /// Weights of operations.
    pub profile: Profile,
    /// The rewrite rules.
    pub rewrites: Arc<Rewrites>,
    /// Whether semantic mode simplifies expressions and conditions under the facts of their place first.
    pub simplify: bool,
    /// How much is done to find the cheapest choice among equal expressions.
    pub effort: Effort,
    /// Whether the Let bindings of the input stay, each with its variable and at its place. Otherwise they are made again
    /// where they pay.
    pub keep_lets: bool,
    /// Whether no dimension of a parameter's buffer is zero. Else a dimension is only known not to be negative, and a
    /// check that divides by one keeps its division unless its place shows that the dimension is positive.
    pub positive_dims: bool,
    /// The width of the arithmetic of indices in the result. In that of addresses compilers make faster code for CPUs; the
    /// conversions count as work, so that the result may be said to cost more than the input.
    pub index_bits: IndexBits,
    /// The compiler that takes the result; without one each function says it, by its attribute or the threads that it binds.
    pub target: Option<Target>,
    /// What does not count of what that compiler makes of expressions.
    pub ignored_reasons: Vec<Reason>,
    /// Whether floats may be computed as if they were real numbers: reassociated and distributed, by the rules that are
    /// marked `(fast-math)`. Results differ in their last bits then.
    pub fast_math: bool,
    /// What may be done to loops.
    pub loops: Loops,
    /// Whether all elements of parameters may be read, also those that the program does not read: for passes that let work run
    /// where it is not needed.
    pub readable_parameters: bool,
    /// Whether no float in the inputs is infinite or NaN, for passes on padding: a zero times such an element is a zero.
    pub finite: bool,
}

impl Options {
    /// What equality saturation is told.
    ///
    /// ```
    /// use satir::cse::Options;
    ///
    /// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n")?;
    /// let optimized = satir::eqsat::optimize(&module.funcs[0], &Options::default().search())?;
    /// assert_eq!(optimized.bindings.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn search(&self) -> eqsat::Config<'_> {
        eqsat::Config {
            profile: &self.profile,
            bindings: &self.bindings,
            node_limit: self.budgets.nodes,
            effort: self.effort,
            keep_lets: self.keep_lets,
            deadline: None,
            model: Model::default().without(&self.ignored_reasons),
            rewrites: self.rules(),
        }
    }

    /// The compiler that takes a function's result.
    pub(crate) fn target_of(&self, func: &PrimFunc) -> Target {
        self.target.unwrap_or_else(|| Target::of(func))
    }

    /// What counts of that compiler; `wide` if the indices of the result become ones of 64 bits.
    pub(crate) fn model_of(&self, func: &PrimFunc, wide: bool) -> Model {
        Model::new(self.target_of(func), wide).without(&self.ignored_reasons)
    }

    /// The rewrite rules, with those that [`Options::fast_math`] allows.
    pub(crate) fn rules(&self) -> &Rewrites {
        self.rewrites.with_fast_math(self.fast_math)
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            mode: Mode::Semantic,
            budgets: Budgets::DEFAULT,
            bindings: Bindings::new(),
            profile: Profile::default(),
            rewrites: Rewrites::embedded(),
            simplify: true,
            effort: Effort::default(),
            keep_lets: false,
            positive_dims: false,
            index_bits: IndexBits::default(),
            target: None,
            ignored_reasons: Vec::new(),
            fast_math: false,
            loops: Loops::default(),
            readable_parameters: false,
            finite: false,
        }
    }
}

impl Options {
    /// What contextual simplification is told.
    pub(crate) fn simplification(&self, reach: Reach) -> Settings<'_> {
        Settings { profile: &self.profile, rewrites: self.rules(), reach, positive_dims: self.positive_dims }
    }
}
