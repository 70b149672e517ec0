//! Requests: expressions with the types and ranges of their variables, as JSON and as data of the library.

use indexmap::IndexMap;
use satir::arith::Interval;
use satir::ir::build::FuncBuilder;
use satir::ir::{Buffer, DType, Expr, Origin, PrimFunc};
use satir::lab::Expression;
use satir::script;
use serde::Deserialize;
use serde_json::Value;

use super::super::io::{Failure, Source};
use super::super::unique;

/// A line of input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    #[serde(default)]
    pub(super) id: Value,
    #[serde(default)]
    pub(super) vars: unique::Map<Variable>,
    #[serde(default)]
    pub(super) buffers: unique::Map<BufferType>,
    pub(super) expr: String,
    #[serde(default)]
    pub(super) precond: Vec<String>,
}

/// A variable's type and range; both bounds are values that it may take.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Variable {
    pub(super) dtype: String,
    pub(super) min: Option<i128>,
    pub(super) max: Option<i128>,
}

/// The type of a buffer's elements, and its dimensions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BufferType {
    pub(super) dtype: String,
    pub(super) shape: Vec<Dimension>,
}

/// A number or an expression.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Dimension {
    Number(i64),
    Text(String),
}

/// A result as text; a condition that is decided is `true` or `false`.
pub(super) fn text_of(func: &PrimFunc, result: &Expr) -> String {
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

/// The expression of a request, with its variables, their ranges, and what is known.
pub(super) fn read(request: &Request) -> Result<Expression, Failure> {
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
