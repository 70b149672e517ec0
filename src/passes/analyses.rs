//! What passes need to know of a program before they run, found once for each version of it.

use crate::cost::{Cost, cost_of_func};
use crate::cse::Options;
use crate::error::{Error, Violation};
use crate::ir::Module;
use crate::verify::verify;

/// What can be known of a program.
///
/// ```
/// use satir::passes::{ALL, Analysis};
///
/// let simplify = ALL.iter().find(|pass| pass.name == "simplify").expect("there is one");
/// assert_eq!(simplify.needs, [Analysis::WellFormed]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Analysis {
    /// That it breaks no rule of the language.
    WellFormed,
    /// What it costs by the cost model of [`cost`](crate::cost).
    Cost,
}

/// What is known of one version of a program. A pass that changes the program ends it: a new version starts with nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Analyses {
    well_formed: bool,
    cost: Option<Cost>,
}

impl Analyses {
    /// Finds out what a pass needs, if that is not known yet.
    pub(super) fn provide(
        &mut self,
        needs: &[Analysis],
        module: &Module,
        options: &Options,
    ) -> Result<(), Error> {
        for need in needs {
            match need {
                Analysis::WellFormed => self.check(module).map_err(Error::Invalid)?,
                Analysis::Cost => drop(self.cost(module, options)),
            }
        }
        Ok(())
    }

    /// Checks that the program is well-formed.
    pub(super) fn check(&mut self, module: &Module) -> Result<(), Vec<Violation>> {
        if !self.well_formed {
            verify(module)?;
            self.well_formed = true;
        }
        Ok(())
    }

    /// The cost of the program.
    pub(super) fn cost(&mut self, module: &Module, options: &Options) -> Cost {
        let of = |func| cost_of_func(func, &options.profile, &options.bindings).total;
        *self.cost.get_or_insert_with(|| module.funcs.iter().map(of).fold(Cost::ZERO, |sum, c| sum + c))
    }
}
