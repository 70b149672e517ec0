//! Expressions that are given as arguments.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use satir::cost::Profile;
use satir::eqsat::TheoryLevel;
use satir::explain::Context;
use satir::lab::Expression;
use satir::{script, simplify};
use serde_json::Value;

use super::super::io::{self, Failure};
use super::super::unique;
use super::args::{Args, DTYPE};
use super::request::{BufferType, Dimension, Request, Variable, read, text_of};

/// Answers each expression on a line, with the reason below if that is asked for. A bad one does not stop the rest.
pub(super) fn run(args: &Args, profile: &Profile) -> Result<(), Failure> {
    let mut given: IndexMap<String, Variable> = IndexMap::new();
    for (name, variable) in &args.var {
        if given.insert(name.clone(), variable.clone()).is_some() {
            return Err(Failure::usage(format_args!("--var: `{name}` is given twice")));
        }
    }
    if args.explain && args.theory.level() < TheoryLevel::Full {
        return Err(Failure::usage("`--explain` tells of the full theory: it does not go with `--theory`"));
    }
    let fast_math = args.chosen.allowed.fast_math;
    let rewrites = args.rewrites()?;
    let rewrites = rewrites.with_fast_math(fast_math);
    let rules = args.chosen.read()?;
    let mut used = BTreeSet::new();
    let mut requests = Vec::new();
    for text in &args.exprs {
        requests.push(request(args, &given, text, &mut used));
    }
    let is_bad = requests.iter().any(Result::is_err);
    if let Some(name) = given.keys().find(|name| !is_bad && !used.contains(*name)) {
        return Err(Failure::usage(format_args!("--var: no expression has a variable `{name}`")));
    }
    let mut failures = Vec::new();
    for request in requests {
        let answer = request.and_then(|request| {
            let Expression { func, ranges, conds, expr } = read(&request)?;
            let result = simplify::expression(&func, profile, rewrites, ranges.clone(), &conds, &expr);
            let mut out = format!("{}\n", text_of(&func, &result));
            if args.explain {
                let conds = [conds, simplify::taken_for_granted(&expr)].concat();
                let (rules, ranges, conds) = (&rules, &ranges, &conds);
                let context = Context { func: &func, profile, rules, fast_math, ranges, conds };
                let reason = match context.account(&expr, &result) {
                    _ if expr == result => "(nothing cheaper was found)".to_owned(),
                    Some(account) => account.to_string(),
                    None => "(no derivation of it was found)".to_owned(),
                };
                reason.lines().for_each(|line| out += &format!("  {line}\n"));
            }
            Ok(out)
        });
        match answer {
            Ok(text) => io::write_stdout(&text)?,
            Err(failure) => failures.push(prefixed(failure.message())),
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(Failure::Bad(failures.join("\n"))) }
}

/// A message with its prefix: those about places have it.
fn prefixed(message: &str) -> String {
    if message.contains("error: ") { message.to_owned() } else { format!("error: {message}") }
}

/// The request that an expression stands for: with the variables that it uses.
fn request(
    args: &Args,
    given: &IndexMap<String, Variable>,
    text: &str,
    used: &mut BTreeSet<String>,
) -> Result<Request, Failure> {
    let mut vars = IndexMap::new();
    let buffers: IndexMap<String, BufferType> = args.buffer.iter().cloned().collect();
    let dimensions =
        buffers.values().flat_map(|buffer| &buffer.shape).filter_map(|dimension| match dimension {
            Dimension::Text(text) => Some(text.as_str()),
            Dimension::Number(_) => None,
        });
    for text in [text].into_iter().chain(args.precond.iter().map(String::as_str)).chain(dimensions) {
        let names = script::names_of(text).map_err(|diagnostic| Failure::Bad(diagnostic.to_string()))?;
        for name in names.into_iter().filter(|name| !buffers.contains_key(&**name)) {
            let plain = || Variable { dtype: DTYPE.to_owned(), min: None, max: None };
            vars.insert(name.to_string(), given.get(&*name).cloned().unwrap_or_else(plain));
            used.insert(name.to_string());
        }
    }
    Ok(Request {
        id: Value::Null,
        vars: unique::Map(vars),
        buffers: unique::Map(buffers),
        expr: text.to_owned(),
        precond: args.precond.clone(),
    })
}
