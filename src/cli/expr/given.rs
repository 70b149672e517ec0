//! Expressions that are given as arguments.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use satir::cost::Profile;
use satir::eqsat::TheoryLevel;
use satir::explain::Context;
use satir::lab::Expression;
use satir::{script, simplify};
use serde_json::Value;

use super::super::{io, unique};
use super::{Args, BufferType, Dimension, Failure, Request, Variable, read, rewrites, text_of};

/// What a variable is if nothing is said about it.
const DTYPE: &str = "int32";

/// Reads `NAME[:DTYPE][:MIN..MAX]`.
pub(super) fn variable(text: &str) -> Result<(String, Variable), String> {
    let mut parts = text.split(':').map(str::trim);
    let name = parts.next().unwrap_or_default();
    if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return Err(format!("expected a name, found `{name}`"));
    }
    let rest: Vec<&str> = parts.collect();
    let (dtype, range) = match rest[..] {
        [] => (DTYPE, None),
        [range] if range.contains("..") => (DTYPE, Some(range)),
        [dtype] => (dtype, None),
        [dtype, range] => (dtype, Some(range)),
        [..] => return Err("expected no more than a name, a type and a range".to_owned()),
    };
    let (mut min, mut max) = (None, None);
    if let Some(range) = range {
        let (low, high) =
            range.split_once("..").ok_or_else(|| format!("expected a range `MIN..MAX`, found `{range}`"))?;
        for (bound, text) in [(&mut min, low), (&mut max, high)] {
            if !text.trim().is_empty() {
                *bound = Some(text.trim().parse().map_err(|e| format!("the bound `{text}`: {e}"))?);
            }
        }
    }
    Ok((name.to_owned(), Variable { dtype: dtype.to_owned(), min, max }))
}

/// Reads `NAME:DTYPE:DIMENSION,…`.
pub(super) fn buffer(text: &str) -> Result<(String, BufferType), String> {
    let mut parts = text.splitn(3, ':').map(str::trim);
    let (Some(name), Some(dtype), Some(shape)) = (parts.next(), parts.next(), parts.next()) else {
        return Err("expected a name, a type and dimensions".to_owned());
    };
    let dimension = |text: &str| match text.parse() {
        Ok(v) => Dimension::Number(v),
        Err(_) => Dimension::Text(text.to_owned()),
    };
    let shape = shape.split(',').map(|text| dimension(text.trim())).collect();
    Ok((name.to_owned(), BufferType { dtype: dtype.to_owned(), shape }))
}

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
    let rewrites = rewrites(args)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_have_a_type_and_a_range() {
        let read = |text: &str| {
            variable(text).map(|(name, v)| format!("{name} {} {:?} {:?}", v.dtype, v.min, v.max))
        };
        assert_eq!(read("x"), Ok("x int32 None None".into()));
        assert_eq!(read("x:int64"), Ok("x int64 None None".into()));
        assert_eq!(read("x:0..7"), Ok("x int32 Some(0) Some(7)".into()));
        assert_eq!(read("x:uint8:..9"), Ok("x uint8 None Some(9)".into()));
        assert_eq!(read("x:int32:-3.."), Ok("x int32 Some(-3) None".into()));
        for bad in ["", ":int32", "x y", "x:int32:7", "x:int32:a..b", "x:int32:0..1:2", "x+1"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
