//! The command line: arguments, and the way from a command to an exit code. One file for each subcommand.
//!
//! Exit codes: 0 done; 1 a program, rule or file is bad; 2 the command line makes no sense. Of `equiv`, as of `cmp`: 0 no
//! difference, 1 a difference, 2 trouble. The result goes to standard output or to the file of `-o`, everything else to
//! standard error.

mod args;
mod batch;
mod certificate;
mod chosen;
mod compiler;
mod count;
mod cse;
mod equiv;
mod execute;
mod explain;
mod expr;
mod files;
mod fuzz;
mod io;
mod json;
mod lab;
mod layout;
mod manual;
mod opt;
mod options;
mod outcome;
mod product;
mod program;
mod prove;
mod rules;
mod run;
mod simplify;
mod tensor;
mod terminal;
mod theory;
mod threads;
mod transform;
mod unique;
mod validate;

use std::ffi::OsString;
use std::panic;
use std::thread;

use clap::{CommandFactory, Parser, Subcommand};

use self::io::Failure;
use self::terminal::Terminal;
use self::threads::{STACK, guarded};

/// Finds equal computations in tensor programs (TVM's TIR) and does them once.
#[derive(Parser, Debug)]
#[command(name = "satir", version, about, propagate_version = true, max_term_width = 100)]
#[command(
    after_help = "Examples:\n  satir cse kernel.py -o faster.py\n  satir equiv kernel.py faster.py --bind n=64\n  \
                  satir rules stats kernels/\n\nPrograms are TVMScript as Apache TVM 0.27 prints it. RUST_LOG=satir=debug shows \
                  decisions."
)]
struct Cli {
    #[command(flatten)]
    terminal: Terminal,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Cse(cse::Args),
    Simplify(simplify::Args),
    Tensor(tensor::Args),
    Opt(opt::Args),
    Expr(expr::Args),
    Count(count::Args),
    Run(run::Args),
    Equiv(equiv::Args),
    CheckCertificate(certificate::Args),
    #[command(
        subcommand,
        after_help = "Examples:\n  satir rules list --sets\n  satir rules check mine.rules"
    )]
    Rules(rules::Command),
    #[command(subcommand, after_help = "Example:\n  satir fuzz programs --count 10000")]
    Fuzz(fuzz::Command),
    Completions(manual::CompletionsArgs),
    Man(manual::ManArgs),
}

/// Runs a command line, the program's name first, and gives its exit code.
pub(crate) fn main(args: &[OsString]) -> u8 {
    terminal::color_of_arguments(args.iter().cloned());
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(e) => {
            // `--help` and `--version` come here too, with exit code 0. A closed stream is no reason to fail.
            let _ = e.print();
            return u8::try_from(e.exit_code()).unwrap_or(2);
        }
    };
    cli.terminal.apply();
    panic::set_hook(Box::new(|info| log::error!("{info}")));
    let work = move || match guarded(|| dispatch(cli.command)) {
        Ok(()) | Err(Failure::Closed) => 0,
        Err(failure @ Failure::Bad(_)) => {
            complain(&failure);
            1
        }
        Err(Failure::No) => 1,
        Err(failure @ Failure::Usage(_)) => {
            complain(&failure);
            2
        }
    };
    let worker = thread::Builder::new().name("satir".into()).stack_size(STACK).spawn(work);
    match worker.map(thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        Ok(Err(_)) | Err(_) => {
            complain(&Failure::bad("cannot run a thread with a large stack"));
            1
        }
    }
}

fn dispatch(command: Command) -> Result<(), Failure> {
    match command {
        Command::Cse(args) => cse::run(&args),
        Command::Simplify(args) => simplify::run(&args),
        Command::Tensor(args) => tensor::run(&args),
        Command::Opt(args) => opt::run(&args),
        Command::Expr(args) => expr::run(&args),
        Command::Count(args) => count::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Equiv(args) => equiv::run(&args),
        Command::CheckCertificate(args) => certificate::run(&args),
        Command::Rules(command) => rules::run(&command),
        Command::Fuzz(command) => fuzz::run(&command),
        Command::Completions(args) => manual::completions(&args, Cli::command()),
        Command::Man(args) => manual::man(&args, Cli::command()),
    }
}

/// Tells the user.
fn complain(failure: &Failure) {
    terminal::complain(&format!("{}\n", failure.message()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
