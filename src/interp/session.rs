//! One run of a function on inputs made from a seed, reported in a form that can be printed or written as JSON.

use serde::Serialize;

use super::compile::Unsupported;
use super::counts::Counts;
use super::exchange::TensorFileError;
use super::inputs::{Bindings, Constraints, Fill, InputError, Inputs, Ints, Tensor};
use super::interpreter::{Interpreter, Run};
use super::modes::RunMode;
use super::outcome::{Outcome, Return, Trap, TrapKind};
use super::outputs::{Digest, written_params};
use super::satisfy;
use crate::ir::value::Value;
use crate::ir::{PrimFunc, with_room};

/// What integer inputs are taken from, wildest first. Inputs may be indices, whose range nothing tells; the first is used
/// with which no index is out of bounds.
const INTS: [Ints; 4] =
    [Ints::within(-1000, 1000), Ints::within(0, 7), Ints::within(0, 1), Ints::within(0, 0)];

/// The same where integers near the limits of their types are tried first.
const INTS_NEAR_LIMITS: [Ints; 6] = [
    Ints { near_limits: 2, ..INTS[0] },
    Ints { near_limits: 6, ..INTS[1] },
    INTS[0],
    INTS[1],
    INTS[2],
    INTS[3],
];

/// What a function is run on.
///
/// ```
/// use satir::interp::{Bindings, RunOptions, run_function};
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((\"n\",), \"int32\"), B: T.Buffer((\"n\",), \"int32\")):\n    n = T.int32()\n    for i in range(n):\n        B[i] = A[i]\n")?;
/// let options = RunOptions {
///     bindings: Bindings::from([("n".to_owned(), 4)]),
///     constraints: Default::default(),
///     seed: 0,
///     tensors: Vec::new(),
///     max_steps: 1000,
///     lenient_loads: false,
/// };
/// let run = |options: &RunOptions| run_function(&module.funcs[0], options).map(|report| report.outputs);
/// assert_eq!(run(&options)?, run(&options)?, "the seed decides");
/// assert_ne!(run(&options)?, run(&RunOptions { seed: 1, ..options.clone() })?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Values of symbolic dimensions and scalar parameters.
    pub bindings: Bindings,
    /// What inputs may be.
    pub constraints: Constraints,
    /// Where random inputs start.
    pub seed: u64,
    /// Contents of some buffers, instead of random ones.
    pub tensors: Vec<Tensor>,
    /// Limit of the run's length: about one step for each operation and iteration.
    pub max_steps: u64,
    /// Whether a load outside of its buffer gives what lies there, or fresh memory, instead of trapping. Some programs of
    /// TVM's operator library load outside of their buffers and then do not use the value.
    pub lenient_loads: bool,
}

/// Why a function cannot be run.
///
/// ```
/// use satir::interp::{Bindings, RunError, RunOptions, Tensor, run_function};
/// use satir::ir::DType;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((\"n\",), \"int32\"), B: T.Buffer((\"n\",), \"int32\")):\n    n = T.int32()\n    for i in range(n):\n        B[i] = A[i]\n")?;
/// let stranger = Tensor { name: "C".into(), dtype: DType::I32, shape: vec![0], data: vec![] };
/// let options = RunOptions {
///     bindings: Bindings::from([("n".to_owned(), 3)]),
///     constraints: Default::default(),
///     seed: 0,
///     tensors: vec![stranger],
///     max_steps: 1000,
///     lenient_loads: false,
/// };
/// let error = run_function(&module.funcs[0], &options).unwrap_err();
/// assert!(matches!(error, RunError::Tensor(_)));
/// assert_eq!(error.to_string(), "the function has no buffer `C`");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The interpreter does not know a construct.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// There are no inputs.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Contents that do not fit.
    #[error(transparent)]
    Tensor(#[from] TensorFileError),
}

/// What a run of a function did.
///
/// ```
/// use satir::interp::{Bindings, RunOptions, run_function};
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((\"n\",), \"int32\"), B: T.Buffer((\"n\",), \"int32\")):\n    n = T.int32()\n    for i in range(n):\n        B[i] = A[i]\n")?;
/// let options = RunOptions {
///     bindings: Bindings::from([("n".to_owned(), 2)]),
///     constraints: Default::default(),
///     seed: 0,
///     tensors: Vec::new(),
///     max_steps: 1000,
///     lenient_loads: false,
/// };
/// let report = run_function(&module.funcs[0], &options)?;
/// assert_eq!((&*report.outcome, report.done), ("done", true));
/// assert_eq!(report.outputs.len(), 1, "`A` is only read");
/// assert_eq!(report.outputs[0], report.tensors[1].digest());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RunReport {
    /// The function's name.
    pub function: String,
    /// `done`, or why it stopped.
    pub outcome: String,
    /// Whether the function returned.
    pub done: bool,
    /// The returned value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returned: Option<String>,
    /// The buffers that the function may write, after the run.
    pub outputs: Vec<Digest>,
    /// Number of opaque calls, and a digest of them in order.
    pub calls: u64,
    /// See `calls`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls_digest: Option<String>,
    /// What was executed.
    pub counts: Counts,
    /// What stands in the function.
    pub static_counts: Counts,
    /// The trap, for its place.
    #[serde(skip)]
    pub trap: Option<Trap>,
    /// All buffers after the run.
    #[serde(skip)]
    pub tensors: Vec<Tensor>,
}

/// Runs `func` once.
///
/// ```
/// use satir::interp::{RunOptions, run_function};
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\")):\n    for i in range(9):\n        A[i] = i * 3\n")?;
/// let options = RunOptions {
///     bindings: Default::default(),
///     constraints: Default::default(),
///     seed: 0,
///     tensors: Vec::new(),
///     max_steps: 1000,
///     lenient_loads: false,
/// };
/// let report = run_function(&module.funcs[0], &options)?;
/// assert!(report.done);
/// assert_eq!(report.counts.get(satir::ir::opclass::OpClass::Mul), 9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_function(func: &PrimFunc, options: &RunOptions) -> Result<RunReport, RunError> {
    with_room(|| run_with_room(func, options))
}

fn run_with_room(func: &PrimFunc, options: &RunOptions) -> Result<RunReport, RunError> {
    let interpreter = Interpreter::new(func)?;
    let (_, inputs, run) = run_in_range(&interpreter, options, Wild::default(), |fill| {
        let mut inputs = Inputs::generate(func, &options.bindings, fill)?;
        inputs.replace(options.tensors.clone())?;
        Ok::<_, RunError>(inputs)
    })?;
    let written = written_params(func);
    let outputs = written
        .iter()
        .zip(&inputs.param_memories)
        .filter(|(written, _)| **written)
        .filter_map(|(_, memory)| run.memories.get((*memory)? as usize).map(Tensor::digest))
        .collect();
    let (outcome, returned, trap) = match run.outcome {
        Outcome::Done(Return::Void) => ("done".to_owned(), None, None),
        Outcome::Done(Return::Value(Value::Int(v))) => ("done".to_owned(), Some(v.to_string()), None),
        Outcome::Done(Return::Value(Value::Float(v))) => ("done".to_owned(), Some(format!("{v:?}")), None),
        Outcome::Trap(trap) => (trap.to_string(), None, Some(trap)),
    };
    Ok(RunReport {
        function: func.name.to_string(),
        outcome,
        done: trap.is_none(),
        returned,
        outputs,
        calls: run.calls.count,
        calls_digest: (run.calls.count > 0).then(|| format!("{:016x}", run.calls.digest)),
        counts: run.counts,
        static_counts: interpreter.static_counts().clone(),
        trap,
        tensors: run.memories,
    })
}

/// The operations that stand in `func`, whether a run executes them or not.
///
/// # Errors
///
/// If the interpreter does not know a construct.
///
/// ```
/// use satir::interp::static_counts;
/// use satir::ir::opclass::OpClass;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\")):\n    for i in range(9):\n        A[i] = i * 3\n")?;
/// let counts = static_counts(&module.funcs[0])?;
/// assert_eq!(counts.get(OpClass::Mul), 1, "one multiplication, which runs nine times");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn static_counts(func: &PrimFunc) -> Result<Counts, RunError> {
    Ok(Interpreter::new(func)?.static_counts().clone())
}

/// Runs on inputs with integers of the first of the lists above with which no index is out of bounds and nothing overflows; if
/// there is none, the last. Returns which integers these were.
pub(super) fn run_in_range<E>(
    interpreter: &Interpreter,
    options: &RunOptions,
    wild: Wild,
    generate: impl Fn(&Fill<'_>) -> Result<Inputs, E>,
) -> Result<(Ints, Inputs, Run), E> {
    let mode = RunMode {
        max_steps: options.max_steps,
        lenient_loads: options.lenient_loads,
        lenient_casts: false,
        races: false,
        repairs: false,
        undef_stays: false,
    };
    let ranges: &[Ints] = if wild.near_limits { &INTS_NEAR_LIMITS } else { &INTS };
    let mut ranges = ranges.iter().copied().peekable();
    loop {
        let ints = ranges.next().unwrap_or(INTS[3]);
        let fill = Fill {
            seed: options.seed,
            constraints: &options.constraints,
            ints,
            special_floats: wild.special_floats,
        };
        let inputs = generate(&fill)?;
        let run = interpreter.run(&inputs, mode);
        let (inputs, run) = satisfy::satisfy(interpreter, inputs, run, mode);
        let retry = match &run.outcome {
            Outcome::Trap(trap) => matches!(
                trap.kind,
                TrapKind::OutOfBounds { .. } | TrapKind::OutsideMemory(_) | TrapKind::Undefined(_)
            ),
            Outcome::Done(_) => false,
        };
        if !retry || ranges.peek().is_none() || !inputs.has_integers() {
            return Ok((ints, inputs, run));
        }
    }
}

/// Which unusual values are among the inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wild {
    /// See [`Fill::special_floats`].
    pub(super) special_floats: bool,
    /// Whether integers near the limits of their types are tried first.
    pub(super) near_limits: bool,
}
