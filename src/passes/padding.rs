//! The passes on padding and layouts as passes on modules, which are told by [`Args`](super::Args) what to do.

use super::args::Request;
use super::attributes::take_layouts;
use super::settings::Settings;
use crate::error::Error;
use crate::ir::{Module, PrimFunc};
use crate::padding::{
    LayoutChange, Sequential, cache_read, cache_write, remove_undef, sequential_access, transform_layout,
};

type Made = Result<Option<Module>, Error>;

/// `remove-undef`.
pub(super) fn without_undef(module: &Module) -> Made {
    let mut result = module.clone();
    for func in &mut result.funcs {
        remove_undef(func)?;
    }
    Ok((result != *module).then_some(result))
}

/// `transform-layout`: what it is told, then what functions ask for themselves.
pub(super) fn layouts(module: &Module, settings: &Settings<'_>) -> Made {
    let apply = |func: &mut PrimFunc, name: &str, request: &Request| {
        let change = LayoutChange {
            map: request.map.as_deref().unwrap_or_default(),
            pad: request.pad.as_deref(),
            elide: request.elide,
        };
        settings.layouts.borrow_mut().push(transform_layout(func, name, &change)?);
        Ok(())
    };
    let mut result = module.clone();
    let mut asks = false;
    for func in &mut result.funcs {
        let argument = |what| Error::Argument { pass: "transform-layout", what };
        let requests = take_layouts(func, |request| request.pad.as_deref() != Some("?")).map_err(argument)?;
        for request in &requests {
            asks = true;
            apply(func, request.buffer.as_deref().unwrap_or_default(), request)?;
        }
    }
    let wanted = |request: &Request| request.map.is_some();
    if asks && !settings.args.requests.iter().any(wanted) {
        return Ok(Some(result));
    }
    let made = each(&result, settings, "transform-layout", "map", wanted, apply)?;
    Ok(made.or((result != *module).then_some(result)))
}

/// `cache-read`.
pub(super) fn read_copies(module: &Module, settings: &Settings<'_>) -> Made {
    copies(module, settings, ("cache-read", "read"), |request| request.read.is_some(), cache_read)
}

/// `cache-write`.
pub(super) fn written_copies(module: &Module, settings: &Settings<'_>) -> Made {
    copies(module, settings, ("cache-write", "write"), |request| request.write.is_some(), cache_write)
}

/// A pass that lets functions work on copies.
fn copies(
    module: &Module,
    settings: &Settings<'_>,
    (pass, key): (&'static str, &'static str),
    wanted: fn(&Request) -> bool,
    cache: impl Fn(&mut PrimFunc, &str, Option<&str>, Option<&str>, bool) -> Result<(), Error>,
) -> Made {
    let readable = settings.options.readable_parameters;
    each(module, settings, pass, key, wanted, |func, name, request| {
        cache(func, name, request.scope.as_deref(), request.block.as_deref(), readable)
    })
}

/// `sequential-access`.
pub(super) fn in_sequence(module: &Module, settings: &Settings<'_>) -> Made {
    let wanted = |request: &Request| {
        request.sequential.is_some() || (request.buffer.is_some() && request.map.is_none())
    };
    each(module, settings, "sequential-access", "buffer", wanted, |func, name, request| {
        let how = Sequential { block: request.block.as_deref(), fast_math: settings.options.fast_math };
        sequential_access(func, name, &how).map(|_| ())
    })
}

/// Does what each request that is wanted asks for, in all functions that have the buffer it names.
fn each(
    module: &Module,
    settings: &Settings<'_>,
    pass: &'static str,
    key: &str,
    wanted: impl Fn(&Request) -> bool,
    apply: impl Fn(&mut PrimFunc, &str, &Request) -> Result<(), Error>,
) -> Made {
    let argument = |what: String| Error::Argument { pass, what };
    let mut result = module.clone();
    let mut any = false;
    for request in settings.args.requests.iter().filter(|request| wanted(request)) {
        any = true;
        let named = match pass {
            "cache-read" => &request.read,
            "cache-write" => &request.write,
            "sequential-access" if request.sequential.is_some() => &request.sequential,
            _ => &request.buffer,
        };
        let Some(name) = named else {
            return Err(argument("nothing says which buffer: the key `buffer` is missing".to_owned()));
        };
        let mut found = false;
        for func in &mut result.funcs {
            if func.buffers.iter().any(|buffer| *buffer.name == **name) {
                found = true;
                apply(func, name, request)?;
            }
        }
        if !found {
            let known: std::collections::BTreeSet<String> = module
                .funcs
                .iter()
                .flat_map(|func| func.buffers.iter().map(|buffer| format!("`{}`", buffer.name)))
                .collect();
            let known: Vec<String> = known.into_iter().collect();
            return Err(argument(format!("there is no buffer `{name}`; there are {}", known.join(", "))));
        }
    }
    if !any {
        return Err(argument(format!("nothing says what to do: --args has to have the key `{key}`")));
    }
    Ok((result != *module).then_some(result))
}
