//! The program `satir`: everything that touches files, streams, the terminal and exit codes is here and in
//! [`cli`]; the work itself is in the library.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
