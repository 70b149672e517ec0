//! Whether two modules do the same, as far as runs on seeded inputs tell.
//!
//! Functions are compared by name. The sizes of symbolic dimensions vary from run to run, 0 and 1 among them, and so do the
//! contents: integers from several ranges, in every fourth run some near the limits of their types, floats with zeros of both
//! signs, infinities and NaN in every second run. Overflow of `int32` and `int64` ends a run: that of the first function is
//! skipped then, and that of the second one differs. Where there is `and` or `or`, runs are compared under both readings:
//! that the right operand is evaluated only if the left one does not decide, and always, as TVM's code generators have it.
//! Where a function does not promise that its buffers do not alias, some runs give it one buffer twice. A run on
//! which the first function traps says nothing about the second one and is skipped.

use std::collections::BTreeMap;

use serde::Serialize;

use super::compare::{Placed, compare_runs, loads_beyond, new_loads};
use super::inputs::{
    Bindings, Constraints, Fill, InputError, Inputs, Random, free_variables, shape_variables,
};
use super::interpreter::Interpreter;
use super::layout::Layout;
use super::modes::{Logic, RunMode};
use super::outcome::{Outcome, TrapKind};
use super::satisfy::{assumed_of_scalars, holds};
use super::session::{RunError, RunOptions, Wild, run_in_range};
use crate::ir::{Expr, ExprKind, Module, Origin, Param, PrimFunc, with_room};

/// How two modules are compared.
///
/// ```
/// use satir::fuzz;
///
/// # let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[0] = A[1]\n")?;
/// let options = satir::interp::EquivOptions { runs: 3, ..fuzz::compare_options(&module, 0) };
/// assert_eq!(satir::interp::equiv(&module, &module, &options)?.compared, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct EquivOptions {
    /// Values of symbolic dimensions and scalar parameters in the first run, and candidates in the others.
    pub bindings: Bindings,
    /// Whether all runs use exactly `bindings`.
    pub fixed: bool,
    /// What inputs may be.
    pub constraints: Constraints,
    /// Runs to compare for each function.
    pub runs: usize,
    /// Where randomness starts.
    pub seed: u64,
    /// Floats may differ by this much, relative to values above 1; `None` compares bits.
    pub tolerance: Option<f64>,
    /// Limit of each run's length, see [`RunOptions::max_steps`](super::RunOptions::max_steps). The second function may take four times the steps.
    pub max_steps: u64,
    /// See [`RunOptions::lenient_loads`](super::RunOptions::lenient_loads).
    pub lenient_loads: bool,
    /// Whether a run in which only the second function loads anything is a difference, even if no load traps.
    pub no_new_loads: bool,
    /// Whether it is one if the second function loads an element of an input that the first one neither loads nor stores, and that
    /// it did not write before.
    pub accessed_only: bool,
    /// Buffers that have another layout in the second module.
    pub layouts: Vec<Layout>,
    /// Whether the runs with integers near the limits of their types, one in four, pay no heed to `constraints`.
    pub limits_everywhere: bool,
}

/// The result of a comparison.
///
/// ```
/// # let a = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = A[1] // (x - x)\n")?;
/// let result = satir::interp::equiv(&a, &a, &satir::fuzz::compare_options(&a, 0))?;
/// assert_eq!(result.compared, 0);
/// assert!(result.skipped.contains_key("division by zero"), "{:?}", result.skipped);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Equivalence {
    /// Runs that were compared.
    pub compared: usize,
    /// Runs on which the first module traps, by the reason.
    pub skipped: BTreeMap<String, usize>,
    /// The first difference found.
    pub difference: Option<Difference>,
}

/// A difference between two modules.
///
/// ```
/// let program = |value| satir::parse(&format!("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\")):\n    A[0] = {value}\n"));
/// let (a, b) = (program(1)?, program(2)?);
/// let difference = satir::interp::equiv(&a, &b, &satir::fuzz::compare_options(&a, 0))?.difference.expect("differ");
/// assert_eq!(difference.function, "main");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// The function.
    pub function: String,
    /// What differs.
    pub what: String,
    /// The values of symbolic dimensions and scalar parameters of the run.
    pub bindings: Bindings,
    /// The seed of the run's inputs.
    pub seed: u64,
}

/// Compares `a` and `b`, function by function. An error means that a function cannot be run at all.
///
/// ```
/// let program = |value| satir::parse(&format!("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\")):\n    A[0] = {value}\n"));
/// let (a, b, c) = (program("A[1] * 2")?, program("A[1] + A[1]")?, program("A[1] + 2")?);
/// let options = satir::fuzz::compare_options(&a, 0);
/// assert!(satir::interp::equiv(&a, &b, &options)?.difference.is_none());
/// assert!(satir::interp::equiv(&a, &c, &options)?.difference.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn equiv(a: &Module, b: &Module, options: &EquivOptions) -> Result<Equivalence, RunError> {
    let mut result = Equivalence::default();
    let difference = |function: &PrimFunc, what: &str| Difference {
        function: function.name.to_string(),
        what: what.to_owned(),
        bindings: Bindings::new(),
        seed: options.seed,
    };
    for func in &b.funcs {
        if !a.funcs.iter().any(|f| f.name == func.name) {
            result.difference = Some(difference(func, "the function is in the second module only"));
            return Ok(result);
        }
    }
    for func in &a.funcs {
        let Some(other) = b.funcs.iter().find(|f| f.name == func.name) else {
            result.difference = Some(difference(func, "the function is in the first module only"));
            return Ok(result);
        };
        with_room(|| compare_functions(func, other, options, &mut result))?;
        if result.difference.is_some() {
            break;
        }
    }
    Ok(result)
}

fn compare_functions(
    a: &PrimFunc,
    b: &PrimFunc,
    options: &EquivOptions,
    result: &mut Equivalence,
) -> Result<(), RunError> {
    let readings = match has_logic(a) || has_logic(b) {
        true => &[Logic::Lazy, Logic::Eager][..],
        false => &[Logic::Lazy],
    };
    let mut pairs = Vec::new();
    for &logic in readings {
        let mut runs = [Interpreter::with_logic(a, logic)?, Interpreter::with_logic(b, logic)?];
        if runs.iter().any(Interpreter::has_undef) {
            runs.iter_mut().for_each(Interpreter::take_fresh_as_undef);
        }
        if options.accessed_only {
            runs.iter_mut().for_each(Interpreter::note_accesses);
        }
        let [run_a, run_b] = runs;
        let layouts: Vec<&Layout> = options.layouts.iter().filter(|l| l.function == b.name).collect();
        let unassumed = layouts.iter().map(|layout| layout.as_assumed_by(b)).collect();
        pairs.push(Pair { a, b, run_a, run_b, layouts, unassumed });
    }
    let (wanted, attempts) = (options.runs, options.runs.saturating_mul(4));
    let varies = !options.fixed && !free_variables(a).is_empty();
    let assumed = assumed_of_scalars(a);
    let (mut compared, mut too_long) = (0, 0);
    for attempt in 0..attempts {
        if compared == wanted {
            break;
        }
        let seed = options.seed.wrapping_add(attempt as u64);
        let near_limits = attempt % 4 == 3;
        let bindings = assumed_sizes(a, &assumed, options, Draw { attempt, near_limits, too_long });
        // What is the same under one reading and not to be compared under the other is the same.
        let mut verdict = pairs[0].run(options, &bindings, seed, attempt)?;
        for pair in &pairs[1..] {
            match (&verdict, pair.run(options, &bindings, seed, attempt)?) {
                (Verdict::Different(_), _) => {}
                (_, Verdict::Different(what)) => {
                    verdict =
                        Verdict::Different(format!("where `and` and `or` evaluate both operands: {what}"));
                }
                (Verdict::Skipped(_), Verdict::Same) => verdict = Verdict::Same,
                _ => {}
            }
        }
        match verdict {
            Verdict::Same => compared += 1,
            Verdict::Skipped(why) => {
                let at_limit = why == TrapKind::StepLimit.to_string();
                *result.skipped.entry(why).or_default() += 1;
                // Another run of the same size would not be shorter.
                if at_limit && !varies {
                    break;
                }
                too_long += usize::from(at_limit);
            }
            Verdict::Different(what) => {
                compared += 1;
                let function = a.name.to_string();
                result.difference = Some(Difference { function, what, bindings, seed });
                break;
            }
        }
    }
    result.compared += compared;
    Ok(())
}

/// Whether the function has `and` or `or` on scalars.
fn has_logic(func: &PrimFunc) -> bool {
    let mut found = false;
    let mut look = |e: &Expr| {
        e.walk(&mut |e| {
            found |= matches!(&e.kind, ExprKind::Binary(op, ..) if op.is_logic() && e.dtype.is_scalar());
        });
    };
    func.body.iter().for_each(|stmt| stmt.walk(&mut |stmt| stmt.for_each_expr(&mut look)));
    found
}

/// As [`sizes`], drawn again until what the function assumes of them holds, or for good after many times.
fn assumed_sizes(func: &PrimFunc, assumed: &[&Expr], options: &EquivOptions, how: Draw) -> Bindings {
    /// Runs after the first few draw at random.
    const MAX_DRAWS: usize = 256;
    let seed = options.seed.wrapping_add(how.attempt as u64);
    let mut bindings = sizes(func, options, seed, how);
    for draw in 0..MAX_DRAWS {
        if options.fixed || holds(func, assumed, &bindings) {
            break;
        }
        let other = seed ^ (draw as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let near_limits = how.near_limits && draw < MAX_DRAWS / 2;
        bindings = sizes(func, options, other, Draw { attempt: how.attempt.max(3), near_limits, ..how });
    }
    bindings
}

/// Which sizes a run is to have.
#[derive(Clone, Copy)]
struct Draw {
    /// The number of the run, those that are skipped included.
    attempt: usize,
    /// Whether scalars that are no sizes may be near the limits of their types.
    near_limits: bool,
    /// How many runs before it were longer than runs may be.
    too_long: usize,
}

/// Values for the free variables of `func` in one run: the given ones first, then all 1, all 0, and mixtures, of which the
/// largest are no longer taken where runs were too long with them.
fn sizes(func: &PrimFunc, options: &EquivOptions, seed: u64, how: Draw) -> Bindings {
    /// Sizes on both sides of powers of two and of common tile sizes, from small to large.
    const SIZES: [i64; 12] = [0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 13, 17];
    /// So many of them are taken always.
    const SMALL: usize = 4;
    let Draw { attempt, near_limits, too_long } = how;
    let candidates = &SIZES[..SIZES.len().saturating_sub(2 * too_long).max(SMALL)];
    let mut random = Random::new(seed, u64::MAX);
    let dims = shape_variables(func);
    let mut bindings = options.bindings.clone();
    for var in free_variables(func) {
        let name = func.var(var).name.to_string();
        let given = options.bindings.get(&name).copied();
        if let Some(value) = given
            && (options.fixed || attempt == 0 || random.int(0, 3) == 0)
        {
            bindings.insert(name, value);
            continue;
        }
        let mut value = match attempt {
            1 => 1,
            2 => 0,
            _ => candidates[random.int(0, candidates.len() as i64 - 1) as usize],
        };
        if let Some(given) = given
            && random.int(0, 4) == 0
        {
            value = (given + random.int(-1, 1)).max(0);
        }
        // A parameter that is no size may be negative.
        if !dims.contains(&var) && attempt > 2 && random.int(0, 3) == 0 {
            value = -value;
        }
        // Two variables of one name are one size.
        let dtype = func.var(var).ty.dtype();
        if near_limits && !dims.contains(&var) && dtype.int_range().is_some() && random.int(0, 1) == 0 {
            bindings.insert(name, random.near_limit(dtype));
            continue;
        }
        let range = dtype.int_range().unwrap_or((i64::MIN.into(), i64::MAX.into()));
        bindings.insert(name, i128::from(value).clamp(range.0, range.1) as i64);
    }
    bindings
}

enum Verdict {
    Same,
    Skipped(String),
    Different(String),
}

/// A function in two versions.
struct Pair<'a> {
    a: &'a PrimFunc,
    b: &'a PrimFunc,
    run_a: Interpreter,
    run_b: Interpreter,
    /// The buffers that have another layout in the second version.
    layouts: Vec<&'a Layout>,
    /// The same, without the padding values that the second version does not assume of its inputs.
    unassumed: Vec<Layout>,
}

impl Pair<'_> {
    fn run(
        &self,
        options: &EquivOptions,
        bindings: &Bindings,
        seed: u64,
        attempt: usize,
    ) -> Result<Verdict, RunError> {
        let near_limits = attempt % 4 == 3;
        let constraints = match near_limits && options.limits_everywhere {
            true => Constraints::new(),
            false => options.constraints.clone(),
        };
        let run_options = RunOptions {
            bindings: bindings.clone(),
            constraints,
            seed,
            tensors: Vec::new(),
            max_steps: options.max_steps,
            lenient_loads: options.lenient_loads,
        };
        // The range of integers and the aliased pair that the inputs were made with.
        let generate = |func: &PrimFunc, fill: &Fill<'_>| {
            let mut inputs = Inputs::generate(func, bindings, fill)?;
            if !self.a.no_alias() && attempt % 3 == 2 {
                let mut pairs = inputs.pairs();
                // What has another layout in one of the programs is no other buffer in any.
                pairs.retain(|&(first, second)| !self.has_layout(first) && !self.has_layout(second));
                if !pairs.is_empty() {
                    let chosen = Random::new(seed, u64::MAX - 1).int(0, pairs.len() as i64 - 1);
                    let (first, second) = pairs[chosen as usize];
                    inputs.alias(first, second);
                }
            }
            Ok::<_, InputError>(inputs)
        };
        let wild = Wild { special_floats: attempt % 2 == 1, near_limits };
        let (ints, inputs_a, run_a) =
            match run_in_range(&self.run_a, &run_options, wild, |fill| generate(self.a, fill)) {
                Ok(done) => done,
                // A size that no memory can have.
                Err(InputError::Shape(name)) => {
                    return Ok(Verdict::Skipped(format!("impossible shape of `{name}`")));
                }
                Err(other) => return Err(other.into()),
            };
        if let Outcome::Trap(trap) = &run_a.outcome {
            return Ok(Verdict::Skipped(trap.to_string()));
        }
        let constraints = &run_options.constraints;
        let fill = Fill { seed, constraints, ints, special_floats: wild.special_floats };
        let longer = RunMode {
            max_steps: options.max_steps.saturating_mul(4),
            lenient_loads: options.lenient_loads,
            // The first function did not use such a value; the second may compute one that it does not use.
            lenient_casts: true,
            races: false,
            repairs: false,
            undef_stays: false,
        };
        // With what padding holds by itself, and with something else where the program does not assume it.
        let rounds: &[u64] = if self.layouts.is_empty() { &[0] } else { &[0, 1 << 63] };
        for &other in rounds {
            let fill = Fill { seed: seed ^ other, ..fill };
            let mut inputs_b = generate(self.b, &fill)?;
            let unassumed: Vec<&Layout> = self.unassumed.iter().collect();
            let layouts = if other == 0 { &self.layouts } else { &unassumed };
            if let Err(what) = inputs_b.take(&inputs_a, layouts, bindings) {
                return Ok(Verdict::Different(what));
            }
            let placed = match self.placed(&inputs_a, &inputs_b, bindings) {
                Ok(placed) => placed,
                Err(what) => return Ok(Verdict::Different(what)),
            };
            let run_b = self.run_b.run(&inputs_b, longer);
            if let Some(what) = compare_runs(&run_a, &run_b, &placed, options.tolerance) {
                let traps = matches!(run_b.outcome, Outcome::Trap(_));
                let may_trap = || traps.then(|| self.trap_of_undef(&inputs_a, longer)).flatten();
                return Ok(match self.race(&inputs_a, longer).or_else(may_trap) {
                    Some(why) => Verdict::Skipped(why),
                    None => Verdict::Different(what),
                });
            }
            let new = || new_loads(&run_a, &run_b).filter(|_| options.no_new_loads);
            if let Some(what) = new().or_else(|| loads_beyond(&run_a, &run_b, &placed)) {
                return Ok(Verdict::Different(what));
            }
        }
        Ok(Verdict::Same)
    }

    /// Whether a parameter has another layout in the second function.
    fn has_layout(&self, param: usize) -> bool {
        let name = match self.a.params.get(param) {
            Some(Param::Buffer(id)) => Some(&self.a.buffer(*id).name),
            Some(Param::Var(handle)) => {
                let mapped = self.a.buffers.iter().find(|buffer| buffer.origin == Origin::Match(*handle));
                mapped.map(|buffer| &buffer.name)
            }
            None => None,
        };
        name.is_some_and(|name| self.layouts.iter().any(|layout| layout.buffer == *name))
    }

    /// Where the elements of the first function's memories are in those of the second.
    fn placed<'b>(&'b self, a: &Inputs, b: &Inputs, bindings: &'b Bindings) -> Result<Placed<'b>, String> {
        let layouts = a.memories.iter().zip(&b.memories).map(|(from, to)| {
            let layout = self.layouts.iter().find(|layout| layout.buffer == to.name);
            layout.map(|layout| Ok((*layout, layout.correspondence(from, to, bindings)?))).transpose()
        });
        Ok(Placed { layouts: layouts.collect::<Result<_, String>>()?, bindings })
    }
}

impl Pair<'_> {
    /// How the first function traps where what it stores of `T.undef()` is what is there. It may do so then, and the second one
    /// may do anything.
    fn trap_of_undef(&self, inputs: &Inputs, mode: RunMode) -> Option<String> {
        if !self.run_a.has_undef() {
            return None;
        }
        match self.run_a.run(inputs, RunMode { undef_stays: true, ..mode }).outcome {
            Outcome::Trap(trap) if trap.kind != TrapKind::StepLimit => Some(trap.to_string()),
            _ => None,
        }
    }

    /// The race between threads for which what the first function computes from the inputs has no meaning.
    fn race(&self, inputs: &Inputs, mode: RunMode) -> Option<String> {
        match self.run_a.run(inputs, RunMode { races: true, ..mode }).outcome {
            Outcome::Trap(trap) if matches!(trap.kind, TrapKind::Race(_)) => Some(trap.to_string()),
            _ => None,
        }
    }
}
