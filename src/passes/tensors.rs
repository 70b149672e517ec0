//! `tensor-cse`: tensors that are computed once, in each function by itself, or in a forward and a backward function together.

use std::sync::Arc;

use super::args::{Args, Request};
use super::settings::Settings;
use crate::error::Error;
use crate::ir::{AttrValue, Module, Param, PrimFunc};
use crate::tensor::{self, Edge, SplitSettings};

/// The attribute of a backward function that says where its new parameters come from: a list of the name of the forward
/// function's parameter and its own.
const STASH: &str = "satir.stash";

/// `tensor-cse`.
pub(super) fn tensor_cse(module: &Module, settings: &Settings<'_>) -> Result<Option<Module>, Error> {
    let options = settings.options;
    let told = tensor::Settings {
        profile: options.profile.clone(),
        rewrites: options.rewrites.clone(),
        fast_math: options.fast_math,
        ..tensor::Settings::default()
    };
    let mut result = module.clone();
    let mut done: Vec<usize> = Vec::new();
    for request in &settings.args.requests {
        if request.forward.is_some() || request.backward.is_some() {
            done.extend(pair(&mut result, request, &told)?);
        }
    }
    for (at, func) in result.funcs.iter_mut().enumerate() {
        if !done.contains(&at) {
            tensor::share(func, &told);
        }
    }
    Ok((result != *module).then_some(result))
}

/// The parameters that a request says are the same.
fn shared(request: &Request) -> Vec<Edge> {
    let edge =
        |(one, other): &(String, String)| Edge { forward: (&**one).into(), backward: (&**other).into() };
    request.shared.iter().flatten().map(edge).collect()
}

/// Modules before and after `tensor-cse` that can be compared: where it was told of a forward and a backward function these are
/// one function, which runs both, and what is new between them is no parameter of it.
///
/// # Errors
///
/// A function or a parameter that a request names is missing.
///
/// ```
/// use satir::cse::Options;
/// use satir::passes::{self, Args};
///
/// let text = "@T.prim_func
/// def f(x: T.Buffer((64,)), y: T.Buffer((64,))):
///     T.func_attr({\"tirx.noalias\": True})
///     t = T.alloc_buffer((64,))
///     for i in range(64):
///         t[i] = T.exp(x[i])
///     for i in range(64):
///         y[i] = t[i] + x[i]
///
/// @T.prim_func
/// def g(x: T.Buffer((64,)), dx: T.Buffer((64,))):
///     T.func_attr({\"tirx.noalias\": True})
///     t = T.alloc_buffer((64,))
///     for i in range(64):
///         t[i] = T.exp(x[i])
///     for i in range(64):
///         dx[i] = t[i] * x[i]
/// ";
/// let before = satir::parse(text)?;
/// let args = Args::parse(r#"{"forward": "f", "backward": "g", "shared": [["x", "x"]]}"#)?;
/// let pipeline = passes::select("tensor-cse")?;
/// let goes_on = |_: &passes::Step, _: &satir::ir::Module| std::ops::ControlFlow::Continue(());
/// let after = passes::run_with(&before, &pipeline, &Options::default(), &args, goes_on)?;
/// assert_eq!(after.funcs[1].params.len(), 3, "{after}");
/// let (one, other) = passes::joined(&before, &after, &args)?;
/// assert_eq!((one.funcs.len(), one.funcs[0].params.len()), (1, 3));
/// assert_eq!(one.funcs[0].params.len(), other.funcs[0].params.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(hidden)]
pub fn joined(before: &Module, after: &Module, args: &Args) -> Result<(Module, Module), String> {
    let (mut one, mut other) = (before.clone(), after.clone());
    for request in &args.requests {
        let (Some(forward), Some(backward)) = (&request.forward, &request.backward) else { continue };
        let mut edges = shared(request);
        one = tensor::joined_module(&one, (forward, backward), &edges, &[])?;
        let stashed = other.funcs.iter_mut().find(|func| *func.name == **backward).map(take_stash);
        edges.extend(stashed.into_iter().flatten());
        other =
            tensor::joined_module(&other, (forward, backward), &edges, &new_names(before, after, forward))?;
    }
    Ok((one, other))
}

/// The edges that the attribute of a backward function has, without which it is left.
fn take_stash(func: &mut PrimFunc) -> Vec<Edge> {
    let Some(at) = func.attrs.iter().position(|(key, _)| **key == *STASH) else { return Vec::new() };
    let (_, AttrValue::List(pairs)) = func.attrs.remove(at) else { return Vec::new() };
    let edge = |pair: AttrValue| match pair {
        AttrValue::List(names) => match &names[..] {
            [AttrValue::Str(forward), AttrValue::Str(backward)] => {
                Some(Edge { forward: forward.clone(), backward: backward.clone() })
            }
            _ => None,
        },
        _ => None,
    };
    pairs.into_iter().filter_map(edge).collect()
}

/// The names of the buffers that a function has got as parameters.
fn new_names(before: &Module, after: &Module, name: &str) -> Vec<Arc<str>> {
    let names = |module: &Module| -> Vec<Arc<str>> {
        let func = module.funcs.iter().find(|func| *func.name == *name);
        let params = func.iter().flat_map(|func| func.params.iter().map(move |param| (func, param)));
        let name = |(func, param): (&&PrimFunc, &Param)| match param {
            Param::Buffer(buffer) => Some(func.buffer(*buffer).name.clone()),
            Param::Var(_) => None,
        };
        params.filter_map(name).collect()
    };
    let old = names(before);
    names(after).into_iter().filter(|name| !old.contains(name)).collect()
}

/// What becomes of two functions; where they are.
fn pair(module: &mut Module, request: &Request, told: &tensor::Settings) -> Result<[usize; 2], Error> {
    let argument = |what: String| Error::Argument { pass: "tensor-cse", what };
    let place = |key: &str, name: Option<&String>| {
        let name =
            name.ok_or_else(|| argument(format!("the key `{key}` is missing beside the other function")))?;
        let found = module.funcs.iter().position(|func| *func.name == **name);
        found.ok_or_else(|| argument(format!("there is no function `{name}`")))
    };
    let (first, second) =
        (place("forward", request.forward.as_ref())?, place("backward", request.backward.as_ref())?);
    if first == second {
        return Err(argument("a function cannot be its own backward function".to_owned()));
    }
    let edges = shared(request);
    let usual = SplitSettings::default();
    let settings = SplitSettings {
        settings: told.clone(),
        stash_budget: request.stash_budget,
        recompute_limit: request.recompute_limit.unwrap_or(usual.recompute_limit),
    };
    let (mut forward, mut backward): (PrimFunc, PrimFunc) =
        (module.funcs[first].clone(), module.funcs[second].clone());
    let split = tensor::share_pair(&mut forward, &mut backward, &edges, &settings).map_err(argument)?;
    let name = |name: &str| AttrValue::Str(name.into());
    let added = split.stash.iter().filter(|stash| stash.is_added);
    let added: Vec<AttrValue> =
        added.map(|stash| AttrValue::List(vec![name(&stash.forward), name(&stash.backward)])).collect();
    if !added.is_empty() {
        backward.attrs.push((STASH.into(), AttrValue::List(added)));
    }
    (module.funcs[first], module.funcs[second]) = (forward, backward);
    Ok([first, second])
}
