//! Passes by name, pipelines of them, and the manager that runs these.
//!
//! A pass turns a valid module into a valid module that does the same; it knows nothing of its neighbours, and declares
//! what has to be known of a program before it runs ([`Analysis`]). The manager finds that out once, keeps it until a pass
//! changes the program, times each pass, and verifies what each made: an invalid result is a bug, named after its pass, and
//! is dropped.
//!
//! A [`Pipeline`] is a sequence of passes and groups: `fixpoint(…)` runs until nothing changes, `cheapest(… | …)` takes the
//! alternative of least cost. [`Pipeline::level`] has the pipelines behind `-O0` to `-O2`.
//!
//! To add a pass: a module of its own with one entry point, then a line in [`ALL`]. A user of the library adds one of their own
//! with [`Pass::new`] and [`Pipeline::then`].

mod analyses;
mod args;
mod attributes;
mod change;
mod hoist;
mod linking;
mod manager;
mod nests;
mod padding;
mod pipeline;
mod registry;
mod settings;
mod tensors;

pub use analyses::Analysis;
pub use args::{Args, Request};
pub use change::{Change, Nest};
#[doc(hidden)]
pub use manager::run_in_stages;
pub use manager::{Step, run, run_observed, run_with};
pub use pipeline::{Pipeline, select};
pub use registry::{ALL, Pass};
pub use settings::Settings;
#[doc(hidden)]
pub use tensors::joined;
