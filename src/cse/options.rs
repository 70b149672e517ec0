//! What the optimizer is told: how to decide equality, for how long, with what costs and rules.

use std::sync::Arc;
use std::time::Duration;

use crate::cost::{Bindings, Profile};
use crate::eqsat;
use crate::eqsat::extract::Effort;
use crate::eqsat::rewrite::Rewrites;
use crate::simplify::{Reach, Settings};

/// How equality of expressions is decided.
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
    pub(super) const fn pass(self) -> &'static str {
        match self {
            Mode::Semantic => "semantic-cse",
            Mode::Syntactic => "syntactic-cse",
        }
    }
}

/// How much work the search may do. A limit on nodes gives the same result on every machine; one on
/// time does not, and is a backstop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budgets {
    /// Most nodes of one e-graph.
    pub nodes: usize,
    /// After this time the search for a function ends; what is found is kept.
    pub time: Duration,
}

impl Budgets {
    /// Enough for every program that we know.
    pub const DEFAULT: Budgets = Budgets { nodes: 2_000_000, time: Duration::from_secs(60) };
}

/// All options of [`run`](super::run). `Options::default()` is what `satir cse` does without flags.
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
    /// Whether floating-point operations may be reassociated and distributed.
    pub fast_math: bool,
}

impl Options {
    /// What equality saturation is told.
    pub fn search(&self) -> eqsat::Config<'_> {
        eqsat::Config {
            profile: &self.profile,
            bindings: &self.bindings,
            node_limit: self.budgets.nodes,
            effort: self.effort,
            keep_lets: self.keep_lets,
            deadline: None,
            rewrites: &self.rewrites,
        }
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
            fast_math: false,
        }
    }
}

impl Options {
    /// What contextual simplification is told.
    pub(crate) fn simplification(&self, reach: Reach) -> Settings<'_> {
        Settings {
            profile: &self.profile,
            rewrites: &self.rewrites,
            reach,
            positive_dims: self.positive_dims,
        }
    }
}
