//! `--theory`: how much of arithmetic is decided without rules.

use clap::ValueEnum;
use satir::eqsat::TheoryLevel;

/// How much of arithmetic is decided without rules.
#[derive(clap::Args, Debug, Clone, Copy)]
pub(crate) struct Theory {
    /// How much of arithmetic is decided without rules. Below `full` rules show what they bring; facts of a place, such as the
    /// condition of an `if`, are not put to use then.
    #[arg(long, value_enum, default_value_t = Level::Full)]
    theory: Level,
}

/// How much of arithmetic is decided without rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Level {
    /// Nothing but operations on constants: a plain e-graph with rules. That `+` commutes takes a rule, too.
    None,
    /// Sums and products of int32 and int64, by normal forms.
    Linear,
    /// Divisions, minima, comparisons, ranges, residues and vectors as well.
    Full,
}

impl Theory {
    /// The level.
    pub(crate) fn level(self) -> TheoryLevel {
        match self.theory {
            Level::None => TheoryLevel::None,
            Level::Linear => TheoryLevel::Linear,
            Level::Full => TheoryLevel::Full,
        }
    }
}

/// The level of this name, as `rules compare` spells it.
pub(crate) fn by_name(name: &str) -> Result<TheoryLevel, String> {
    Level::from_str(name, false).map(|theory| Theory { theory }.level())
}
