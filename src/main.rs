//! The program `satir`: everything that touches files, streams, the terminal and exit codes is here and in
//! [`cli`]; the work itself is in the library.

mod cli;

use std::process::ExitCode;

/// The work allocates small nodes and polynomials by the million, for which this one takes less time than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(cli::main(&std::env::args_os().collect::<Vec<_>>()))
}
