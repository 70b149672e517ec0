//! `satir expr`: expressions from JSON lines or arguments, each with its cheapest equal form.

mod given;

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use indexmap::IndexMap;
use satir::arith::Interval;
use satir::cost::Profile;
use satir::eqsat::TheoryLevel;
use satir::eqsat::rewrite::Rewrites;
use satir::ir::build::FuncBuilder;
use satir::ir::{Buffer, DType, Expr, Origin, PrimFunc};
use satir::lab::Expression;
use satir::{script, simplify};
use serde::Deserialize;
use serde_json::{Value, json};

use super::chosen::Chosen;
use super::io::{Failure, Source};
use super::theory::Theory;
use super::{guarded, program, unique};

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
    exprs: Vec<String>,

    /// A variable of the expressions: its type (`int32` if left out) and range, both ends included, either of which may be
    /// left out.
    #[arg(long, value_name = "NAME[:DTYPE][:MIN..MAX]", value_parser = given::variable, requires = "exprs")]
    var: Vec<(String, Variable)>,

    /// A buffer from which the expressions load: the type of its elements and its dimensions.
    #[arg(long, value_name = "NAME:DTYPE:DIMENSION,…", value_parser = given::buffer, requires = "exprs")]
    buffer: Vec<(String, BufferType)>,

    /// A condition that holds. May be given several times.
    #[arg(long, value_name = "EXPR", requires = "exprs")]
    precond: Vec<String>,

    /// Say why the result is equal.
    #[arg(long, requires = "exprs")]
    explain: bool,

    #[command(flatten)]
    chosen: Chosen,

    #[command(flatten)]
    theory: Theory,

    /// Cost profile (JSON) that replaces the built-in weights.
    #[arg(long, value_name = "FILE")]
    cost: Option<PathBuf>,
}

/// A line of input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    vars: unique::Map<Variable>,
    #[serde(default)]
    buffers: unique::Map<BufferType>,
    expr: String,
    #[serde(default)]
    precond: Vec<String>,
}

/// A variable's type and range; both bounds are values that it may take.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Variable {
    dtype: String,
    min: Option<i128>,
    max: Option<i128>,
}

/// The type of a buffer's elements, and its dimensions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BufferType {
    dtype: String,
    shape: Vec<Dimension>,
}

/// A number or an expression.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Dimension {
    Number(i64),
    Text(String),
}

/// Runs the subcommand. A line with a mistake is answered with an error and does not stop the rest.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let profile = program::profile(args.cost.as_deref())?;
    if !args.exprs.is_empty() {
        return given::run(args, &profile);
    }
    let rewrites = rewrites(args)?;
    let rewrites = rewrites.with_fast_math(args.chosen.allowed.fast_math);
    // The rules are read here, once, and not with the first expression.
    let rules = rewrites.count();
    log::debug!("{rules} rewrite rules");
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.read_until(b'\n', &mut line);
        if read.map_err(|e| Failure::bad(format_args!("cannot read standard input: {e}")))? == 0 {
            return Ok(());
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let mut text = answer(&line, &profile, rewrites).to_string();
        text.push('\n');
        match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => return Err(Failure::Closed),
            Err(e) => {
                return Err(Failure::bad(format_args!("cannot write to standard output: {e}")));
            }
        }
    }
}

/// The rules, ready to be applied.
fn rewrites(args: &Args) -> Result<Arc<Rewrites>, Failure> {
    let rewrites = match args.chosen.is_default() {
        true => Rewrites::embedded(),
        false => Arc::new(Rewrites::new(&args.chosen.rules()?)),
    };
    Ok(match args.theory.level() {
        TheoryLevel::Full => rewrites,
        level => Arc::new(rewrites.with_theory(level)),
    })
}

fn answer(line: &[u8], profile: &Profile, rewrites: &Rewrites) -> Value {
    let start = Instant::now();
    let request: Request = match serde_json::from_slice(line) {
        Ok(request) => request,
        Err(e) => {
            let id = serde_json::from_slice::<Value>(line).ok().and_then(|v| v.get("id").cloned());
            return json!({ "id": id, "error": format!("bad request: {e}") });
        }
    };
    let id = request.id.clone();
    match guarded(|| solve(&request, profile, rewrites)) {
        Ok(result) => {
            let time = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
            json!({ "id": id, "result": result, "time_us": time })
        }
        Err(failure) => json!({ "id": id, "error": failure.message() }),
    }
}

fn solve(request: &Request, profile: &Profile, rewrites: &Rewrites) -> Result<String, Failure> {
    let Expression { func, ranges, conds, expr } = read(request)?;
    let result = simplify::expression(&func, profile, rewrites, ranges, &conds, &expr);
    Ok(text_of(&func, &result))
}

/// A result as text; a condition that is decided is `true` or `false`.
fn text_of(func: &PrimFunc, result: &Expr) -> String {
    match result.as_int() {
        Some(v) if result.dtype == DType::BOOL => (v != 0).to_string(),
        Some(_) | None => script::print_expr(func, result),
    }
}

/// The expressions of a file with a request on each line, with their names: what `id` says, or the number of the line.
pub(crate) fn table(source: &Source) -> Result<Vec<(String, Expression)>, Failure> {
    let lines = source.text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            let number = at + 1;
            let bad = |what: String| Failure::Bad(format!("{}:{number}: error: {what}", source.name));
            let request: Request =
                serde_json::from_str(line).map_err(|e| bad(format!("bad request: {e}")))?;
            let name = match &request.id {
                Value::Null => number.to_string(),
                Value::String(id) => id.clone(),
                id => id.to_string(),
            };
            Ok((name, read(&request).map_err(|failure| bad(failure.message().to_owned()))?))
        })
        .collect()
}

fn read(request: &Request) -> Result<Expression, Failure> {
    let (mut func, mut ranges) = environment(&request.vars.0)?;
    for (name, buffer) in &request.buffers.0 {
        add_buffer(&mut func, &mut ranges, name, buffer)?;
    }
    let expr = parse(&request.expr, &mut func)?;
    let mut conds = Vec::with_capacity(request.precond.len());
    for text in &request.precond {
        let cond = parse(text, &mut func)?;
        if cond.dtype != DType::BOOL {
            return Err(Failure::Bad(format!("precondition `{text}` is `{}`, expected `bool`", cond.dtype)));
        }
        conds.push(cond);
    }
    // `T.Let` brings variables of its own.
    ranges.resize(func.vars.len(), Interval::ALL);
    Ok(Expression { func, ranges, conds, expr })
}

fn parse(text: &str, env: &mut PrimFunc) -> Result<Expr, Failure> {
    script::parse_expr(text, env).map_err(|diagnostic| Failure::Bad(diagnostic.to_string()))
}

/// A function that has the variables, and their ranges.
fn environment(vars: &IndexMap<String, Variable>) -> Result<(PrimFunc, Vec<Interval>), Failure> {
    let mut builder = FuncBuilder::new("main");
    let mut ranges = Vec::with_capacity(vars.len());
    for (name, var) in vars {
        let bad = |what: String| Failure::Bad(format!("variable `{name}`: {what}"));
        let dtype: DType = var.dtype.parse().map_err(|e| bad(format!("{e}")))?;
        builder.param(name, dtype);
        ranges.push(range(dtype, var).map_err(bad)?);
    }
    Ok((builder.finish(), ranges))
}

fn add_buffer(
    func: &mut PrimFunc,
    ranges: &mut [Interval],
    name: &str,
    buffer: &BufferType,
) -> Result<(), Failure> {
    let bad = |what: String| Failure::Bad(format!("buffer `{name}`: {what}"));
    let dtype: DType = buffer.dtype.parse().map_err(|e| bad(format!("{e}")))?;
    if func.vars.iter().any(|var| *var.name == *name) {
        return Err(bad("a variable has the same name".to_owned()));
    }
    let sizes = Interval::between(Some(0), None).unwrap_or(Interval::ALL);
    let mut shape = Vec::with_capacity(buffer.shape.len());
    for dimension in &buffer.shape {
        let extent = match dimension {
            Dimension::Number(v) => {
                Expr::int(*v, if i32::try_from(*v).is_ok() { DType::I32 } else { DType::I64 })
            }
            Dimension::Text(text) => parse(text, func)?,
        };
        if !extent.dtype.is_index() || !extent.dtype.is_scalar() {
            return Err(bad(format!("a dimension is `{}`, expected `int32` or `int64`", extent.dtype)));
        }
        if extent.as_int().is_some_and(|v| v < 0) {
            return Err(bad("a dimension is negative".to_owned()));
        }
        if let Some(range) = extent.as_var().and_then(|v| ranges.get_mut(v.index())) {
            *range = range
                .meet(sizes)
                .ok_or_else(|| bad("a variable that is a dimension is negative".to_owned()))?;
        }
        shape.push(extent);
    }
    func.new_buffer(Buffer {
        name: name.into(),
        dtype,
        shape,
        strides: Vec::new(),
        elem_offset: None,
        scope: "global".into(),
        extra: Vec::new(),
        origin: Origin::Param,
    });
    Ok(())
}

/// The values that a variable may take: those of its type, within its bounds.
fn range(dtype: DType, var: &Variable) -> Result<Interval, String> {
    let Some((least, most)) = dtype.int_range() else {
        return match (var.min, var.max) {
            (None, None) => Ok(Interval::ALL),
            _ => Err(format!("a bound, but `{dtype}` is no integer type")),
        };
    };
    if let Some(v) = [var.min, var.max].into_iter().flatten().find(|v| !(least..=most).contains(v)) {
        return Err(format!("the bound {v} is not a value of `{dtype}`"));
    }
    // Index types count as unbounded, and so does what an interval cannot hold.
    let bound = |v: i128| (!dtype.is_index()).then_some(v);
    let (lo, hi) = (var.min.or(bound(least)), var.max.or(bound(most)));
    Interval::between(lo, hi).ok_or_else(|| {
        format!("no value is at least {} and at most {}", lo.unwrap_or(least), hi.unwrap_or(most))
    })
}
