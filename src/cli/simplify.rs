//! `satir simplify`: contextual simplification alone.

use satir::ir::Module;
use satir::passes;

use super::args::{InOut, Tuning};
use super::io::{Failure, Source};
use super::opt::{self, Watch};
use super::{options, transform};

/// Simplify expressions and conditions under what their place guarantees; no new bindings.
///
/// Facts are the ranges of loops, conditions of enclosing tests, asserts, assumptions and sizes of buffers.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  satir simplify kernel.py -o simpler.py\n  satir simplify kernel.py --explain > simpler.py\n  satir simplify kernel.py --remarks kernel.sarif -o simpler.py"
)]
pub(crate) struct Args {
    #[command(flatten)]
    inout: InOut,

    #[command(flatten)]
    tuning: Tuning,
}

/// Runs the subcommand.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let pipeline = passes::select("simplify").map_err(Failure::bad)?;
    let options = options::options(&args.tuning)?;
    let job = |source: &Source, module: &Module| {
        let told = (&pipeline, &passes::Args::default());
        opt::one(source, module, told, &options, &args.tuning, &args.inout, &Watch::default())
    };
    transform::transform(&args.inout, &args.tuning, "py", job)
}
