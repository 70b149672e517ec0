//! `--layout`: buffers that have another layout in the second of two programs.

use std::path::Path;

use satir::interp::{Layout, Padding};
use satir::ir::{Module, Param, PrimFunc};
use satir::padding::Pad;
use satir::script::parse_lambda;
use serde::Deserialize;

use super::io::{self, Failure};
use super::unique;

/// What the file says of a buffer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    /// Its shape in the first program, to be sure that the right buffer is meant.
    from: Option<Vec<i64>>,
    map: String,
    pad: Option<String>,
}

/// The layouts in a file: `{"A": {"from": [14], "map": "lambda i: [i // 4, i % 4]", "pad": "0"}}`.
pub(crate) fn layouts(path: &Path, a: &Module, b: &Module) -> Result<Vec<Layout>, Failure> {
    let source = io::read(Some(path))?;
    let usage = |what: String| Failure::usage(format_args!("{}: {what}", source.name));
    let specs: unique::Map<Spec> =
        serde_json::from_str(&source.text).map_err(|e| usage(format!("not a map of layouts: {e}")))?;
    let mut layouts = Vec::new();
    for (buffer, spec) in specs.0 {
        let before = layouts.len();
        for func in &b.funcs {
            let Some(index) = position(func, &buffer) else { continue };
            let first = a.funcs.iter().find(|first| first.name == func.name);
            if let (Some(first), Some(from)) = (first, &spec.from)
                && let Some(Param::Buffer(id)) = first.params.get(index)
            {
                let shape = &first.buffer(*id).shape;
                let fits = shape.len() == from.len()
                    && shape.iter().zip(from).all(|(e, n)| e.as_int().is_none_or(|is| is == *n));
                if !fits {
                    return Err(usage(format!(
                        "`{buffer}` has another shape than {from:?} in the first program"
                    )));
                }
            }
            let mut env = func.clone();
            let map = parse_lambda(&spec.map, &mut env)
                .map_err(|e| usage(format!("`{}`: {}", spec.map, e.message)))?;
            let Param::Buffer(id) = func.params[index] else { continue };
            let dtype = func.buffer(id).dtype;
            let padding = match Pad::parse(spec.pad.as_deref(), dtype, &mut env).map_err(usage)? {
                Pad::Value { axes, value } => Padding::Value { axes, value },
                Pad::None | Pad::Undef => Padding::Any,
            };
            let (function, buffer) = (func.name.clone(), buffer.as_str().into());
            layouts.push(Layout { function, buffer, axes: map.params, indices: map.body, padding, env });
        }
        if layouts.len() == before {
            return Err(usage(format!("no function of the second program has a parameter `{buffer}`")));
        }
    }
    Ok(layouts)
}

/// The place of a buffer among the parameters.
fn position(func: &PrimFunc, buffer: &str) -> Option<usize> {
    func.params.iter().position(|param| match param {
        Param::Buffer(id) => *func.buffer(*id).name == *buffer,
        Param::Var(_) => false,
    })
}
