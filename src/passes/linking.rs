//! `link` and `choose-padding` as passes on modules: edges between functions, and values for padding that are tried.

use super::args::Request;
use super::attributes;
use super::settings::Settings;
use crate::error::Error;
use crate::ir::{BufferId, Expr, ExprKind, Module, Param, PrimFunc, StmtKind};
use crate::noop;
use crate::padding::{Layout, LayoutChange, Sequential, sequential_access, transform_layout};
use crate::verify::Violation;

type Made = Result<Option<Module>, Error>;

/// A buffer that one function writes and another one gets: positions of the functions, and the buffers.
type Edge = ((usize, BufferId), (usize, BufferId));

/// `link`.
pub(super) fn link(module: &Module, settings: &Settings<'_>) -> Made {
    let argument = |what: String| Error::Argument { pass: "link", what };
    let told = settings.args.requests.iter().filter_map(|request| request.edge.clone());
    let mut texts: Vec<String> = told.collect();
    for func in &module.funcs {
        texts.extend(attributes::edges(func).map_err(argument)?);
    }
    let edges: Vec<Edge> =
        texts.iter().map(|text| edge(module, text).map_err(argument)).collect::<Result<_, _>>()?;
    if edges.is_empty() {
        return Err(argument("nothing says what to do: --args has to have the key `edge`".to_owned()));
    }
    let mut result = module.clone();
    let mut done = Vec::new();
    for &(_, consumer) in &edges {
        if done.contains(&consumer) {
            continue;
        }
        done.push(consumer);
        let producers: Vec<(&PrimFunc, BufferId)> = edges
            .iter()
            .filter(|(_, to)| *to == consumer)
            .map(|((func, buffer), _)| (&module.funcs[*func], *buffer))
            .collect();
        let own = &result.funcs[consumer.0];
        let linked = noop::link(&producers, (own, consumer.1), settings.noop());
        if !linked.unfounded.is_empty() {
            let names: Vec<String> = producers.iter().map(|(func, _)| format!("`{}`", func.name)).collect();
            let message = format!(
                "nothing shows that {} leaves in `{}` what is assumed here",
                names.join(" or "),
                own.buffer(consumer.1).name
            );
            let refused = linked.unfounded.into_iter().map(|span| Violation {
                function: own.name.clone(),
                span,
                message: message.clone(),
            });
            return Err(Error::Refused(refused.collect()));
        }
        if let Some(made) = linked.made {
            result.funcs[consumer.0] = made;
        }
    }
    Ok((result != *module).then_some(result))
}

/// Reads `producer.A -> consumer.B`, or with `=` in the place of the arrow.
fn edge(module: &Module, text: &str) -> Result<Edge, String> {
    let Some((from, to)) = text.split_once("->").or_else(|| text.split_once('=')) else {
        return Err(format!("`{text}` is no edge; one is `producer.A -> consumer.B`"));
    };
    let (from, to) = (parameter(module, from.trim())?, parameter(module, to.trim())?);
    let [a, b] = [from, to].map(|(func, buffer)| module.funcs[func].buffer(buffer));
    let constant = |e: &Expr| e.as_int().is_some();
    if a.dtype != b.dtype || a.shape != b.shape || !a.strides.is_empty() || !b.strides.is_empty() {
        return Err(format!("`{text}`: the buffers differ in shape, type or layout"));
    }
    if !a.shape.iter().all(constant) {
        return Err(format!("`{text}`: the shape is not constant"));
    }
    Ok((from, to))
}

/// The function and the buffer that `function.buffer` names.
fn parameter(module: &Module, text: &str) -> Result<(usize, BufferId), String> {
    let (name, buffer) =
        text.split_once('.').ok_or_else(|| format!("`{text}` is not `function.parameter`"))?;
    let Some(at) = module.funcs.iter().position(|func| *func.name == *name) else {
        let known: Vec<String> = module.funcs.iter().map(|func| format!("`{}`", func.name)).collect();
        return Err(format!("there is no function `{name}`; there are {}", known.join(", ")));
    };
    let func = &module.funcs[at];
    let buffers = func.params.iter().filter_map(|param| match param {
        Param::Buffer(id) => Some(*id),
        Param::Var(_) => None,
    });
    let known: Vec<BufferId> = buffers.collect();
    match known.iter().find(|id| *func.buffer(**id).name == *buffer) {
        Some(id) => Ok((at, *id)),
        None => {
            let names: Vec<String> = known.iter().map(|id| format!("`{}`", func.buffer(*id).name)).collect();
            Err(format!("`{name}` has no parameter `{buffer}`; it has {}", names.join(", ")))
        }
    }
}

/// `choose-padding`: of buffers that get a layout with `"pad": "?"`, and else of those whose padding nobody sees.
pub(super) fn choose_padding(module: &Module, settings: &Settings<'_>) -> Made {
    let argument = |what: String| Error::Argument { pass: "choose-padding", what };
    let asks = |request: &Request| request.map.is_some() && request.pad.as_deref() == Some("?");
    let told: Vec<&Request> = settings.args.requests.iter().filter(|request| asks(request)).collect();
    let mut result = module.clone();
    let mut own = false;
    for func in &mut result.funcs {
        for request in attributes::take_layouts(func, asks).map_err(argument)? {
            own = true;
            let name = request.buffer.as_deref().unwrap_or_default();
            *func = padded(func, name, &request, settings)?;
        }
    }
    if told.is_empty() && !own {
        for func in &mut result.funcs {
            noop::choose_padding(func, settings.noop());
        }
    }
    for request in told {
        let missing = || argument("nothing says which buffer: the key `buffer` is missing".to_owned());
        let name = request.buffer.as_deref().ok_or_else(missing)?;
        let has = |func: &PrimFunc| func.buffers.iter().any(|buffer| *buffer.name == *name);
        if !result.funcs.iter().any(has) {
            return Err(argument(format!("there is no buffer `{name}`")));
        }
        for func in result.funcs.iter_mut().filter(|func| has(func)) {
            *func = padded(func, name, request, settings)?;
        }
    }
    Ok((result != *module).then_some(result))
}

/// The function with the layout and the first of the values for padding that leave the fewest conditions.
fn padded(
    func: &PrimFunc,
    name: &str,
    request: &Request,
    settings: &Settings<'_>,
) -> Result<PrimFunc, Error> {
    let dtype = func.buffers.iter().find(|buffer| *buffer.name == *name).map(|buffer| buffer.dtype);
    let mut values: Vec<Option<String>> = vec![None];
    values.extend(dtype.into_iter().flat_map(|dtype| noop::padding_values(func, dtype)).map(Some));
    values.push(Some("undef".to_owned()));
    let mut best: Option<(usize, PrimFunc, Layout)> = None;
    let mut refused = None;
    for value in values {
        let mut made = func.clone();
        let change = LayoutChange {
            map: request.map.as_deref().unwrap_or_default(),
            pad: value.as_deref(),
            elide: request.elide,
        };
        let changed = transform_layout(&mut made, name, &change).and_then(|layout| {
            if let Some(sequential) = &request.sequential {
                let fast_math = settings.options.fast_math;
                let how = Sequential { block: request.block.as_deref(), fast_math };
                sequential_access(&mut made, sequential, &how)?;
            }
            Ok(layout)
        });
        let layout = match changed {
            Ok(layout) => layout,
            Err(error) => {
                // The layout itself is wrong: so it is with every value.
                refused.get_or_insert(error);
                continue;
            }
        };
        noop::overcompute(&mut made, settings.noop());
        let left = conditions(&made);
        if best.as_ref().is_none_or(|(least, ..)| left < *least) {
            best = Some((left, made, layout));
        }
    }
    match (best, refused) {
        (Some((_, made, layout)), _) => {
            settings.layouts.borrow_mut().push(layout);
            Ok(made)
        }
        (None, Some(error)) => Err(error),
        (None, None) => Ok(func.clone()),
    }
}

/// How many conditions a function has.
fn conditions(func: &PrimFunc) -> usize {
    let mut count = 0;
    for stmt in &func.body {
        stmt.walk(&mut |stmt| {
            count += usize::from(matches!(stmt.kind, StmtKind::If { .. }));
            stmt.for_each_expr(|e| {
                e.walk(&mut |e| {
                    let choice = matches!(e.as_intrin(), Some(("if_then_else", _)));
                    count += usize::from(choice || matches!(e.kind, ExprKind::Select(_)));
                });
            });
        });
    }
    count
}
