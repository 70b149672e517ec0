//! Flags about the compiler that takes the results.

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use satir::target::{Reason, Target};

/// The compiler of the results.
#[derive(Args, Debug, Clone)]
pub(crate) struct Compiler {
    /// What the results are compiled for: expressions are written as that compiler makes good code of them.
    #[arg(long, value_enum, default_value_t = Kind::Auto)]
    target: Kind,

    /// Leave out of account what the compiler makes of these ways to write an expression (for measuring what it is worth to
    /// know of them).
    #[arg(long, value_enum, value_name = "REASON", value_delimiter = ',', hide_possible_values = true)]
    ignore_reason: Vec<Ignored>,
}

impl Compiler {
    /// The target, if it is given.
    pub(crate) const fn target(&self) -> Option<Target> {
        match self.target {
            Kind::Auto => None,
            Kind::Cpu => Some(Target::Cpu),
            Kind::Gpu => Some(Target::Gpu),
            Kind::Neutral => Some(Target::Neutral),
        }
    }

    /// The reasons that do not count.
    pub(crate) fn ignored(&self) -> Vec<Reason> {
        self.ignore_reason.iter().map(|ignored| ignored.0).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// What a function's attribute `target` says, or the threads that it binds; else a CPU.
    Auto,
    /// LLVM for a processor with 64-bit addresses.
    Cpu,
    /// A compiler for threads that run in blocks.
    Gpu,
    /// None: only the weights of the cost profile count.
    Neutral,
}

/// A reason that does not count.
#[derive(Clone, Copy, Debug)]
struct Ignored(Reason);

impl ValueEnum for Ignored {
    fn value_variants<'a>() -> &'a [Ignored] {
        const ALL: [Ignored; Reason::ALL.len()] = {
            let mut all = [Ignored(Reason::ALL[0]); Reason::ALL.len()];
            let mut at = 0;
            while at < all.len() {
                all[at] = Ignored(Reason::ALL[at]);
                at += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()).help(self.0.about()))
    }
}
