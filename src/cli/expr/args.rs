//! The arguments of `satir expr`, and how their values are read.

use std::path::PathBuf;
use std::sync::Arc;

use satir::eqsat::{Rewrites, TheoryLevel};

use super::super::chosen::Chosen;
use super::super::io::Failure;
use super::super::theory::Theory;
use super::request::{BufferType, Dimension, Variable};

/// Simplify or decide single expressions.
///
/// Expressions that are given as arguments are answered one by one on a line of their own: with the cheapest equal
/// expression, or with `true` or `false` for a condition that is decided. Their variables are `int32` without bounds, but
/// for what `--var` says.
///
/// Without any, each line of standard input is an object such as
/// `{"id": 1, "vars": {"x": {"dtype": "int32", "min": 0, "max": 7}}, "expr": "(x + 8) // 4", "precond": ["x < 4"]}`;
/// `min` and `max` may be null or left out. Buffers from which the expression loads stand in
/// `"buffers": {"A": {"dtype": "float32", "shape": [16, "n"]}}`; a variable that is a dimension is not negative. The
/// answer is a line `{"id": …, "result": "…", "time_us": …}` with the cheapest equal expression, `true` or `false` for a
/// condition that is decided, or `{"id": …, "error": "…"}`.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  satir expr \"x * 2 + x\" --explain\n  satir expr \"(x + 8) // 4\" --var x:int32:0..7 --precond \"x < 4\"\n  \
                        satir expr \"T.max(x, y) >= y\" --var x:0.. --rules mine.rules --off minmax\n  echo '{\"vars\": {\"x\": {\"dtype\": \"int32\"}}, \"expr\": \"(x * 4 + 3) // 4\"}' | satir expr"
)]
pub(crate) struct Args {
    /// Expressions, in the syntax of TVMScript.
    #[arg(value_name = "EXPR")]
    pub(super) exprs: Vec<String>,

    /// A variable of the expressions: its type (`int32` if left out) and range, both ends included, either of which may be
    /// left out.
    #[arg(long, value_name = "NAME[:DTYPE][:MIN..MAX]", value_parser = variable, requires = "exprs")]
    pub(super) var: Vec<(String, Variable)>,

    /// A buffer from which the expressions load: the type of its elements and its dimensions.
    #[arg(long, value_name = "NAME:DTYPE:DIMENSION,…", value_parser = buffer, requires = "exprs")]
    pub(super) buffer: Vec<(String, BufferType)>,

    /// A condition that holds. May be given several times.
    #[arg(long, value_name = "EXPR", requires = "exprs")]
    pub(super) precond: Vec<String>,

    /// Say why the result is equal.
    #[arg(long, requires = "exprs")]
    pub(super) explain: bool,

    #[command(flatten)]
    pub(super) chosen: Chosen,

    #[command(flatten)]
    pub(super) theory: Theory,

    /// Cost profile (JSON) that replaces the built-in weights.
    #[arg(long, value_name = "FILE")]
    pub(super) cost: Option<PathBuf>,
}

impl Args {
    /// The rules, ready to be applied.
    pub(super) fn rewrites(&self) -> Result<Arc<Rewrites>, Failure> {
        let rewrites = match self.chosen.is_default() {
            true => Rewrites::embedded(),
            false => Arc::new(Rewrites::new(&self.chosen.rules()?)),
        };
        Ok(match self.theory.level() {
            TheoryLevel::Full => rewrites,
            level => Arc::new(rewrites.with_theory(level)),
        })
    }
}

/// What a variable is if nothing is said about it.
pub(super) const DTYPE: &str = "int32";

/// Reads `NAME[:DTYPE][:MIN..MAX]`.
fn variable(text: &str) -> Result<(String, Variable), String> {
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
fn buffer(text: &str) -> Result<(String, BufferType), String> {
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
