//! Facts about programs that passes over statements and expressions rest on.

pub(crate) mod accesses;
pub(crate) mod alias;
mod by_memory;
pub(crate) mod contents;
mod counterexample;
pub(crate) mod dead;
pub(crate) mod effects;
pub(crate) mod hashed;
pub(crate) mod instances;
pub(crate) mod known;
pub(crate) mod lanes;
pub(crate) mod length;
pub(crate) mod lets;
pub(crate) mod magnitude;
pub(crate) mod memory;
pub(crate) mod negation;
pub(crate) mod numbers;
pub(crate) mod parameters;
mod question;
pub(crate) mod ranges;
pub(crate) mod recall;
pub(crate) mod roots;
mod samples;
pub(crate) mod side_effects;
pub(crate) mod trace;
pub(crate) mod undef;
pub(crate) mod volatile;
