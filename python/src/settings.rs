//! The library's options, made of what Python collected.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use satir::cost::Profile;
use satir::cse::{Mode, Options};
use satir::eqsat::{Effort, Rewrites};
use satir::passes::{self, Pipeline};
use satir::rules::{Rule, RuleSet, RulesError, check};
use satir::target::{IndexBits, Target};
use serde::Deserialize;

use crate::errors;

/// What an optimizer is told, as `satir.options` writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    mode: String,
    level: Option<usize>,
    passes: Option<String>,
    /// What passes are told, as JSON.
    args: String,
    readable_parameters: bool,
    finite: bool,
    binds: BTreeMap<String, i64>,
    rules: Vec<PathBuf>,
    on: Vec<String>,
    off: Vec<String>,
    unchecked: bool,
    cost: Option<PathBuf>,
    fast_math: bool,
    index_bits: String,
    simplify: bool,
    extract: String,
    keep_lets: bool,
    assume_positive_dims: bool,
    target: String,
    time_limit: Option<f64>,
    node_limit: Option<usize>,
    window: Option<usize>,
    validate: bool,
}

/// What a run needs.
pub(crate) struct Plan {
    pub(crate) options: Options,
    /// A pipeline in the place of common subexpression elimination.
    pub(crate) pipeline: Option<Pipeline>,
    /// What its passes are told.
    pub(crate) args: passes::Args,
    pub(crate) validate: bool,
}

impl Settings {
    /// Reads the files that are named and checks their rules.
    pub(crate) fn plan(self) -> PyResult<Plan> {
        let pipeline = match (&self.passes, self.level) {
            (Some(text), _) => Some(passes::select(text).map_err(|e| errors::option(e.to_string()))?),
            (None, Some(level)) => Some(
                Pipeline::level(level).ok_or_else(|| errors::option(format!("there is no level {level}")))?,
            ),
            (None, None) => None,
        };
        let mut options = Options {
            mode: match &*self.mode {
                "semantic" => Mode::Semantic,
                "syntactic" => Mode::Syntactic,
                other => return Err(bad("mode", other)),
            },
            bindings: self.binds.clone(),
            profile: self.profile()?,
            simplify: self.simplify,
            effort: match &*self.extract {
                "greedy" => Effort::Greedy,
                "auto" => Effort::Auto,
                "exact" => Effort::Exact,
                other => return Err(bad("extract", other)),
            },
            keep_lets: self.keep_lets,
            positive_dims: self.assume_positive_dims,
            index_bits: match &*self.index_bits {
                "same" | "32" => IndexBits::Same,
                "64" => IndexBits::Wide,
                "auto" => IndexBits::Auto,
                other => return Err(bad("index_bits", other)),
            },
            target: match &*self.target {
                "auto" => None,
                "cpu" => Some(Target::Cpu),
                "gpu" => Some(Target::Gpu),
                "neutral" => Some(Target::Neutral),
                other => return Err(bad("target", other)),
            },
            fast_math: self.fast_math,
            readable_parameters: self.readable_parameters,
            finite: self.finite,
            ..Options::default()
        };
        let args = passes::Args::parse(&self.args).map_err(errors::option)?;
        if let Some(rules) = self.rule_set()? {
            options.rewrites = Arc::new(Rewrites::new(&rules));
        }
        if let Some(seconds) = self.time_limit {
            let limit = Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero());
            options.budgets.time = Some(limit.ok_or_else(|| bad("time_limit", seconds))?);
        }
        options.budgets.nodes = self.node_limit.unwrap_or(options.budgets.nodes);
        options.budgets.window = self.window.unwrap_or(options.budgets.window);
        Ok(Plan { options, pipeline, args, validate: self.validate })
    }

    fn profile(&self) -> PyResult<Profile> {
        let Some(path) = &self.cost else { return Ok(Profile::default()) };
        let about = |what: String| errors::option(format!("{}: {what}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|e| about(e.to_string()))?;
        Profile::from_json(&text).map_err(|e| about(e.to_string()))
    }

    /// The rules, those from files checked; nothing if they are the built-in ones.
    fn rule_set(&self) -> PyResult<Option<RuleSet>> {
        if self.rules.is_empty() && self.on.is_empty() && self.off.is_empty() {
            return Ok(None);
        }
        let mut rules = rule_set(&self.rules)?;
        let named = |e: RulesError| errors::option(e.to_string());
        self.on.iter().try_for_each(|name| rules.enable(name)).map_err(named)?;
        self.off.iter().try_for_each(|name| rules.disable(name)).map_err(named)?;
        if !self.unchecked {
            let foreign = rules.foreign();
            let used: Vec<&Rule> =
                foreign.into_iter().filter(|rule| self.fast_math || !rule.fast_math).collect();
            let refused = check::refused(&used, &|_, _| ());
            if !refused.is_empty() {
                return Err(errors::refused(refused.join("\n")));
            }
        }
        Ok(Some(rules))
    }
}

/// The built-in rules, extended by files and folders.
pub(crate) fn rule_set(paths: &[PathBuf]) -> PyResult<RuleSet> {
    let mut rules = RuleSet::embedded().map_err(|e| errors::rules(&e))?;
    rules.extend_from(paths).map_err(|e| errors::rules(&e))?;
    Ok(rules)
}

fn bad(option: &str, value: impl std::fmt::Display) -> PyErr {
    errors::option(format!("{option}={value} makes no sense"))
}
