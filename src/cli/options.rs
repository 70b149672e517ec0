//! The library's options, made of the flags.

use std::path::Path;
use std::sync::Arc;

use satir::cost::Profile;
use satir::cse::Options;
use satir::eqsat::Rewrites;

use super::args::Tuning;
use super::io::{self, Failure};

/// The library's options for these flags; files that they name are read.
pub(crate) fn options(tuning: &Tuning) -> Result<Options, Failure> {
    let mut options = Options {
        profile: profile(tuning.cost.as_deref())?,
        bindings: tuning.bind.values()?,
        positive_dims: tuning.assume_positive_dims,
        readable_parameters: tuning.readable_parameters,
        finite: tuning.finite,
        target: tuning.compiler.target(),
        ignored_reasons: tuning.compiler.ignored(),
        fast_math: tuning.chosen.allowed.fast_math,
        ..Options::default()
    };
    if !tuning.chosen.is_default() {
        options.rewrites = Arc::new(Rewrites::new(&tuning.chosen.rules()?));
    }
    options.budgets.time = tuning.time_limit;
    if let Some(limit) = tuning.node_limit {
        options.budgets.nodes = usize::try_from(limit).unwrap_or(usize::MAX);
    }
    if let Some(length) = tuning.window {
        options.budgets.window = usize::try_from(length).unwrap_or(usize::MAX);
    }
    Ok(options)
}

/// The built-in cost profile, another one that has a name, or the one in a file.
pub(crate) fn profile(path: Option<&Path>) -> Result<Profile, Failure> {
    let named = path.and_then(Path::to_str).and_then(Profile::named);
    match path {
        None => Ok(Profile::default()),
        Some(_) if named.is_some() => Ok(named.unwrap_or_default()),
        Some(path) => Profile::from_json(&io::read(Some(path))?.text).map_err(|e| Failure::about(path, e)),
    }
}
