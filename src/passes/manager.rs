//! The manager: runs a pipeline, keeps what is known of the program, times and verifies each pass.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::analyses::Analyses;
use super::args::Args;
use super::change::{Change, Nest};
use super::pipeline::{Item, Pipeline};
use super::registry::{Pass, WIDENING};
use super::settings::Settings;
use crate::cse::Options;
use crate::error::{Error, Violation};
use crate::ir::{Module, PrimFunc, Stmt, with_room};
use crate::padding::Layout;
use crate::plan::Plan;
use crate::simplify::{self, Reach};

/// The most rounds of a group that runs until nothing changes.
const MAX_ROUNDS: usize = 8;

/// What the manager saw of one run of a pass.
///
/// ```
/// use std::ops::ControlFlow;
/// use satir::passes;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    if x + 1 > x:\n        A[0] = A[1]\n")?;
/// let mut changed = Vec::new();
/// let pipeline = passes::select("fixpoint(simplify)")?;
/// passes::run_observed(&module, &pipeline, &satir::cse::Options::default(), |step, _| {
///     changed.push(step.changed);
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(changed, [true, false], "nothing is left for the second round");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Step {
    /// The pass's name.
    pub pass: &'static str,
    /// Whether it changed anything.
    pub changed: bool,
    /// How long it took, without verification.
    pub time: Duration,
    /// How long the verification of what it made took.
    pub verification: Duration,
    /// What the pass `plan` did, function by function.
    pub plans: Vec<Plan>,
    /// What it did to loop nests, if it is one that says so.
    pub changes: Vec<Change>,
    /// Those nests, before and after.
    pub nests: Vec<Nest>,
    /// Budgets that ended before it was done, in words.
    pub limits: Vec<String>,
    /// The layouts that it gave to buffers.
    pub layouts: Vec<Layout>,
}

/// Runs a pipeline. The program is verified before the first pass, and after each that changes it.
///
/// # Errors
///
/// If the module is not well-formed, or a pass fails.
///
/// ```
/// use satir::{cse::Options, passes};
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), x: T.int32):\n    A[0] = x - x + 7\n";
/// let result = passes::run(&satir::parse(text)?, &passes::select("simplify,verify")?, &Options::default())?;
/// assert!(result.to_string().contains("A[0] = 7"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run(module: &Module, pipeline: &Pipeline, options: &Options) -> Result<Module, Error> {
    run_observed(module, pipeline, options, |_, _| ControlFlow::Continue(()))
}

/// As [`run`]; `observe` is called after each pass with what it made, in alternatives that are dropped too, and may end the
/// run there.
///
/// # Errors
///
/// If the module is not well-formed, or a pass fails.
///
/// ```
/// use std::ops::ControlFlow;
/// use satir::{cse::Options, passes};
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), x: T.int32):\n    A[0] = x - x + 7\n";
/// let pipeline = passes::select("simplify,semantic-cse")?;
/// let stop_after_first = |step: &passes::Step, _: &_| {
///     assert_eq!(step.pass, "simplify");
///     ControlFlow::Break(())
/// };
/// let result = passes::run_observed(&satir::parse(text)?, &pipeline, &Options::default(), stop_after_first)?;
/// assert!(result.to_string().contains("A[0] = 7"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_observed(
    module: &Module,
    pipeline: &Pipeline,
    options: &Options,
    observe: impl FnMut(&Step, &Module) -> ControlFlow<()>,
) -> Result<Module, Error> {
    run_with(module, pipeline, options, &Args::default(), observe)
}

/// As [`run_observed`], with what passes are told beside the options.
///
/// # Errors
///
/// If the module is not well-formed, or a pass fails.
///
/// ```
/// use std::ops::ControlFlow;
/// use satir::{cse::Options, passes};
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\")):\n    for i in range(16):\n        A[i] = i\n";
/// let args = passes::Args::parse(r#"{"buffer": "A", "map": "lambda i: [i // 4, i % 4]"}"#)?;
/// let pipeline = passes::select("transform-layout")?;
/// let go_on = |_: &passes::Step, _: &_| ControlFlow::Continue(());
/// let result = passes::run_with(&satir::parse(text)?, &pipeline, &Options::default(), &args, go_on)?;
/// assert!(result.to_string().contains("A[i // 4, i % 4] = i"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_with(
    module: &Module,
    pipeline: &Pipeline,
    options: &Options,
    args: &Args,
    observe: impl FnMut(&Step, &Module) -> ControlFlow<()>,
) -> Result<Module, Error> {
    Ok(execute(module, pipeline, (options, args), observe, None)?.module)
}

/// As [`run_with`]: what the program was on the way, first to last, and the result. Each of these does what the one before it
/// does, so that a [certificate](crate::certificate) may show it step by step.
///
/// # Errors
///
/// If the module is not well-formed, or a pass fails.
///
/// ```
/// use std::ops::ControlFlow;
/// use satir::{cse::Options, passes};
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), x: T.int32):\n    A[0] = x - x + x * x + x * x\n";
/// let pipeline = passes::select("simplify,semantic-cse")?;
/// let go_on = |_: &passes::Step, _: &_| ControlFlow::Continue(());
/// let (module, options, args) = (satir::parse(text)?, Options::default(), passes::Args::default());
/// let stages = passes::run_in_stages(&module, &pipeline, &options, &args, go_on)?;
/// assert_eq!(stages.last(), Some(&passes::run(&module, &pipeline, &options)?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_in_stages(
    module: &Module,
    pipeline: &Pipeline,
    options: &Options,
    args: &Args,
    observe: impl FnMut(&Step, &Module) -> ControlFlow<()>,
) -> Result<Vec<Module>, Error> {
    let Program { module, mut stages, .. } =
        execute(module, pipeline, (options, args), observe, Some(RefCell::default()))?;
    if stages.last() != Some(&module) {
        stages.push(module);
    }
    Ok(stages)
}

fn execute(
    module: &Module,
    pipeline: &Pipeline,
    (options, args): (&Options, &Args),
    observe: impl FnMut(&Step, &Module) -> ControlFlow<()>,
    stages: Option<RefCell<Vec<Module>>>,
) -> Result<Program, Error> {
    let mut program = Program { module: module.clone(), known: Analyses::default(), stages: Vec::new() };
    program.known.check(module).map_err(Error::Invalid)?;
    check_assumptions(module, options)?;
    let widens = pipeline.names().contains(&WIDENING);
    let settings = Settings {
        options,
        widens,
        args,
        changes: RefCell::default(),
        nests: RefCell::default(),
        plans: RefCell::default(),
        limits: RefCell::default(),
        layouts: RefCell::default(),
        stages,
    };
    let mut manager = Manager { settings, observe, ended: false };
    with_room(|| manager.pipeline(pipeline, &mut program))?;
    Ok(program)
}

/// Refuses a program with assumptions that are false where they stand. Only the input of a pipeline is asked: of what
/// passes cut out of loops, pieces that never run may well hold such assumptions.
fn check_assumptions(module: &Module, options: &Options) -> Result<(), Error> {
    let settings = options.simplification(Reach::Everything);
    let of = |func: &PrimFunc| {
        let violation = |stmt: Stmt| Violation {
            function: func.name.clone(),
            span: stmt.span,
            message: "the assumption is false here".to_owned(),
        };
        simplify::refuted_assumptions(func, &settings).into_iter().map(violation).collect::<Vec<_>>()
    };
    let violations: Vec<Violation> = module.funcs.iter().flat_map(of).collect();
    if violations.is_empty() { Ok(()) } else { Err(Error::Refused(violations)) }
}

/// A version of the program, and what is known of it.
#[derive(Clone)]
struct Program {
    module: Module,
    known: Analyses,
    /// What it was before, if that is kept, and what it is.
    stages: Vec<Module>,
}

struct Manager<'a, F> {
    settings: Settings<'a>,
    observe: F,
    ended: bool,
}

impl<F: FnMut(&Step, &Module) -> ControlFlow<()>> Manager<'_, F> {
    /// Whether anything changed.
    fn pipeline(&mut self, pipeline: &Pipeline, program: &mut Program) -> Result<bool, Error> {
        let mut changed = false;
        for item in &pipeline.items {
            if self.ended {
                break;
            }
            changed |= match item {
                Item::Pass(pass) => self.pass(pass, program)?,
                Item::Fixpoint(body) => self.fixpoint(body, program)?,
                Item::Cheapest(ways) => self.cheapest(ways, program)?,
            };
        }
        Ok(changed)
    }

    fn pass(&mut self, pass: &Pass, program: &mut Program) -> Result<bool, Error> {
        program.known.provide(pass.needs, &program.module, self.settings.options)?;
        let start = Instant::now();
        let made = (pass.apply)(&program.module, &self.settings)?;
        let time = start.elapsed();
        let changed = made.is_some();
        if let Some(module) = made {
            if let Some(within) = &self.settings.stages {
                program.stages.append(&mut within.borrow_mut());
                program.stages.push(module.clone());
            }
            (program.module, program.known) = (module, Analyses::default());
        }
        let start = Instant::now();
        let checked = program.known.check(&program.module);
        checked.map_err(|violations| Error::Broken { pass: pass.name, violations })?;
        let (changes, plans) = (self.settings.changes.take(), self.settings.plans.take());
        let (nests, layouts) = (self.settings.nests.take(), self.settings.layouts.take());
        let limits = self.settings.limits.take();
        let verification = start.elapsed();
        let step =
            Step { pass: pass.name, changed, time, verification, changes, nests, plans, limits, layouts };
        step.limits.iter().for_each(|limit| log::warn!("{}: {limit}", step.pass));
        log::info!("{}: {}, {time:?}", step.pass, if changed { "changed" } else { "unchanged" });
        self.ended |= (self.observe)(&step, &program.module).is_break();
        Ok(changed)
    }

    fn fixpoint(&mut self, body: &Pipeline, program: &mut Program) -> Result<bool, Error> {
        let mut any = false;
        for _ in 0..MAX_ROUNDS {
            if self.ended || !self.pipeline(body, program)? {
                break;
            }
            any = true;
        }
        Ok(any)
    }

    fn cheapest(&mut self, ways: &[Pipeline], program: &mut Program) -> Result<bool, Error> {
        let mut best: Option<(Program, bool)> = None;
        for way in ways {
            let mut made = program.clone();
            let changed = self.pipeline(way, &mut made)?;
            let cost = made.known.cost(&made.module, self.settings.options);
            // A run that ends within an alternative ends with it.
            if self.ended
                || best
                    .as_mut()
                    .is_none_or(|(best, _)| cost < best.known.cost(&best.module, self.settings.options))
            {
                best = Some((made, changed));
            }
            if self.ended {
                break;
            }
        }
        let Some((made, changed)) = best else { return Ok(false) };
        *program = made;
        Ok(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::super::select;
    use super::*;

    const PROGRAM: &str = "@T.prim_func\ndef main(A: T.Buffer((64,), \"int32\"), x: T.int32):\n    \
        for i in range(64):\n        A[i] = i * (x * x) + x * x * 4 // 4 - T.max(x * x, 0)\n";

    /// The passes that ran, with what each changed, and the result.
    fn ran(pipeline: &str, stop_after: Option<&str>) -> (Vec<(&'static str, bool)>, Module) {
        let module = crate::parse(PROGRAM).unwrap();
        let mut steps = Vec::new();
        let observe = |step: &Step, _: &Module| {
            steps.push((step.pass, step.changed));
            if stop_after == Some(step.pass) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let result = run_observed(&module, &select(pipeline).unwrap(), &Options::default(), observe).unwrap();
        (steps, result)
    }

    #[test]
    fn groups_run_until_nothing_changes() {
        let (steps, _) = ran("fixpoint(simplify,verify)", None);
        assert_eq!(steps, [("simplify", true), ("verify", false), ("simplify", false), ("verify", false)]);
    }

    #[test]
    fn the_cheapest_alternative_goes_on() {
        let (steps, result) = ran("cheapest(verify|semantic-cse|syntactic-cse),verify", None);
        assert_eq!(steps.len(), 4);
        assert_eq!(result, ran("semantic-cse", None).1);
        // The first of equals.
        let unchanged = ran("cheapest(verify|verify)", None).1;
        assert_eq!(unchanged, crate::parse(PROGRAM).unwrap());
    }

    #[test]
    fn a_run_ends_where_the_observer_ends_it() {
        let (steps, result) = ran("cheapest(semantic-cse,simplify|verify),verify", Some("semantic-cse"));
        assert_eq!(steps, [("semantic-cse", true)]);
        assert_eq!(result, ran("semantic-cse", None).1);
        assert_eq!(ran("fixpoint(simplify)", Some("simplify")).0, [("simplify", true)]);
    }

    #[test]
    fn what_is_not_well_formed_is_not_run() {
        let module =
            crate::parse("@T.prim_func\ndef main(x: T.int32):\n    T.evaluate(x)\n    break\n").unwrap();
        let ran = run(&module, &select("").unwrap(), &Options::default());
        assert!(matches!(ran, Err(Error::Invalid(_))));
    }
}
