//! `tensor-cse`: tensors that are computed once, in each function by itself, or in a forward and a backward function together.

use super::args::Request;
use super::settings::Settings;
use crate::error::Error;
use crate::ir::{AttrValue, Module, PrimFunc};
use crate::tensor::{self, Edge, SplitSettings};

/// The attribute of a backward function that says where its new parameters come from: a list of the name of the forward
/// function's parameter and its own.
const STASH: &str = "satir.stash";

/// `tensor-cse`.
pub(super) fn tensor_cse(module: &Module, settings: &Settings<'_>) -> Result<Option<Module>, Error> {
    let told = tensor::Settings { profile: settings.options.profile.clone(), ..tensor::Settings::default() };
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
    let edge =
        |(one, other): &(String, String)| Edge { forward: (&**one).into(), backward: (&**other).into() };
    let edges: Vec<Edge> = request.shared.iter().flatten().map(edge).collect();
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
