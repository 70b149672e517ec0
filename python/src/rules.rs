//! The rule laboratory for Python. Results are JSON, which Python reads.

use std::path::PathBuf;

use pyo3::prelude::*;
use satir::cse::Options;
use satir::lab::suggest::{Operator, Search};
use satir::lab::{self, Program, Unit};
use satir::rules::{Rule, RuleSet, check};
use serde::Serialize;

use crate::errors;
use crate::interrupt;
use crate::settings::rule_set;

/// Names and texts of programs.
type Programs = Vec<(String, String)>;

fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| errors::panic(&e.to_string()))
}

fn programs(texts: &Programs) -> PyResult<Vec<Program>> {
    let parse = |(name, text): &(String, String)| {
        let module = satir::script::parse(name, text).map_err(|e| errors::text(&e))?;
        Ok(Program::new(name, module))
    };
    texts.iter().map(parse).collect()
}

/// The rules: the built-in ones and those of files.
#[pyfunction]
pub(crate) fn rules_list(paths: Vec<PathBuf>) -> PyResult<String> {
    json(&rule_set(&paths)?.infos())
}

/// Tests rules, those of files or else all; those with these names or sets, or else all.
#[pyfunction]
pub(crate) fn rules_check(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    only: Vec<String>,
    quick: bool,
) -> PyResult<String> {
    interrupt::run(py, move |_| {
        let rules = if paths.is_empty() {
            RuleSet::embedded().map_err(|e| errors::rules(&e))?
        } else {
            RuleSet::load(&paths).map_err(|e| errors::rules(&e))?
        };
        for name in &only {
            rules.find(name).map_err(|e| errors::rules(&e))?;
        }
        let wanted = |rule: &&Rule| {
            only.is_empty() || only.iter().any(|name| **name == *rule.name || **name == *rule.set)
        };
        let chosen: Vec<&Rule> = rules.all_rules().filter(wanted).collect();
        let report = check::run(&chosen, if quick { check::QUICK } else { check::FULL });
        json(
            &serde_json::json!({ "sound": report.is_ok(), "summary": report.summary(), "rules": report.rules }),
        )
    })
}

/// How often each rule matches in programs, and what results owe to it.
#[pyfunction]
pub(crate) fn rules_stats(py: Python<'_>, texts: Programs, paths: Vec<PathBuf>) -> PyResult<String> {
    interrupt::run(py, move |_| {
        let stats = lab::stats(&programs(&texts)?, &rule_set(&paths)?, &Options::default());
        json(&stats.map_err(|e| errors::stopped(&e, "<programs>", ""))?)
    })
}

/// What happens to programs without each rule or set.
#[pyfunction]
pub(crate) fn rules_ablate(
    py: Python<'_>,
    texts: Programs,
    paths: Vec<PathBuf>,
    by_set: bool,
) -> PyResult<String> {
    interrupt::run(py, move |_| {
        let unit = if by_set { Unit::Set } else { Unit::Rule };
        let ablation = lab::ablate(&programs(&texts)?, &rule_set(&paths)?, &Options::default(), unit);
        json(&ablation.map_err(|e| errors::stopped(&e, "<programs>", ""))?)
    })
}

/// Rules that are missing, as texts.
#[pyfunction]
pub(crate) fn rules_suggest(
    py: Python<'_>,
    ops: Vec<String>,
    texts: Programs,
    paths: Vec<PathBuf>,
    limit: usize,
) -> PyResult<Vec<String>> {
    interrupt::run(py, move |_| {
        let mut search = Search { limit, ..Search::default() };
        if !ops.is_empty() {
            let named = ops.iter().map(|name| {
                Operator::by_name(name).ok_or_else(|| errors::option(format!("there is no operator {name}")))
            });
            search.ops = named.collect::<PyResult<_>>()?;
        }
        let found =
            lab::suggest::suggest(&search, &rule_set(&paths)?, &programs(&texts)?, None, &Options::default());
        let found = found.map_err(|e| errors::option(e.to_string()))?;
        Ok(found.into_iter().map(|suggestion| suggestion.text).collect())
    })
}
