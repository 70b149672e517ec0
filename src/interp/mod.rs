//! The reference interpreter: runs a function on buffers and says exactly what it did.
//!
//! It implements the semantics written in [`ir`](crate::ir) and nothing else, and imports nothing of the optimizer, so
//! that it can judge it. A run ([`run_function`]) ends by itself or in a [`Trap`] with its place. Every executed operation
//! is counted by class ([`Counts`]), and opaque calls are logged in order. [`equiv()`] compares two modules.
//!
//! # What it does where the semantics leave a choice
//!
//! - Fresh memory holds a fixed pattern of bytes, not zeros.
//! - A call of a function that the interpreter does not know returns a small value made up from the function's name and
//!   arguments. If its effect is not known to be harmless it is logged, and the memory that it gets a pointer to changes.
//! - Loops of all kinds run their iterations in order. Launched threads run one after the other, unless threads of a block
//!   communicate (shared memory, reductions over threads): then they run in lockstep, statement by statement, as
//!   with all barriers in place.
//! - There is one NaN.
//!
//! ```text
//! PrimFunc --compile--> Program (slots, flat code) --machine, flow, lockstep--> Run
//! ```

mod calls;
mod compile;
mod counts;
mod equiv;
mod exchange;
mod flow;
mod inputs;
mod lockstep;
mod machine;
mod memory;
mod names;
mod outputs;
mod program;
mod session;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use calls::CallLog;
pub use compile::Unsupported;
pub use counts::Counts;
pub use equiv::{Difference, EquivOptions, Equivalence, equiv};
pub use exchange::{TensorFileError, read_tensors, write_tensors};
#[cfg(feature = "lab")]
pub(crate) use inputs::Random;
pub use inputs::{Bindings, Constraint, Constraints, InputError, Tensor};
pub use names::{bindable, constrains};
pub use outputs::Digest;
pub use session::{RunError, RunOptions, RunReport, run_function, static_counts};

use inputs::Inputs;

use flow::Flow;
use machine::{Machine, Thread};
use memory::{Memory, Repr};
use program::{Program, Slot};

use crate::diag::Span;
use crate::ir::value::{Undefined, Value};
use crate::ir::{DType, PrimFunc};

/// A function ready to run any number of times.
pub(crate) struct Interpreter {
    program: Program,
    counts: Counts,
}

/// What `and` and `or` on scalars evaluate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Logic {
    /// The right operand only if the left one does not decide, as the semantics in [`ir`](crate::ir) say.
    Lazy,
    /// Both operands, as TVM's code generators do.
    Eager,
}

/// How a function is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunMode {
    /// See [`RunOptions::max_steps`].
    pub max_steps: u64,
    /// See [`RunOptions::lenient_loads`].
    pub lenient_loads: bool,
    /// Whether a cast of a float that its integer type cannot hold gives some number instead of trapping. The cast does
    /// not trap on any machine, but its value has no meaning: what uses it computes something else than it did.
    pub lenient_casts: bool,
}

/// How a run ended, and what it did.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// The operations executed. If the run trapped, straight-line code that was begun counts in full.
    pub counts: Counts,
    /// The opaque calls.
    pub calls: CallLog,
    /// The memories of [`Inputs::memories`] after the run.
    pub memories: Vec<Tensor>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// The function returned, possibly with a value.
    Done(Return),
    /// It stopped at something that is not defined, or at a limit.
    Trap(Trap),
}

/// What a function returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Return {
    /// Nothing.
    Void,
    /// A value.
    Value(Value),
}

impl Return {
    fn of(t: &Thread, slot: Slot, dtype: DType) -> Return {
        if dtype == DType::VOID { Return::Void } else { Return::Value(t.value(slot, dtype)) }
    }
}

/// Why a run stopped, and in which statement.
///
/// ```
/// use satir::interp::{RunOptions, TrapKind, run_function};
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((2,), \"int32\")):\n    for i in range(3):\n        A[i] = i\n";
/// let module = satir::parse(text)?;
/// let options = RunOptions {
///     bindings: Default::default(),
///     constraints: Default::default(),
///     seed: 0,
///     tensors: Vec::new(),
///     max_steps: 1000,
///     lenient_loads: false,
/// };
/// let trap = run_function(&module.funcs[0], &options)?.trap.expect("one iteration too many");
/// assert!(matches!(trap.kind, TrapKind::OutOfBounds { index: 2, extent: 2, .. }));
/// assert_eq!(&text[trap.span.start as usize..trap.span.end as usize], "A[i] = i");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trap {
    /// Why.
    pub kind: TrapKind,
    /// The statement; [`Span::NONE`] if it has no place in a source.
    pub span: Span,
}

/// Why a run stopped.
///
/// ```
/// use satir::interp::TrapKind;
///
/// let kind = TrapKind::OutOfBounds { buffer: "A".into(), dimension: 0, index: 9, extent: 9 };
/// assert_eq!(kind.to_string(), "index 9 out of range in dimension 0 of `A`, which has extent 9");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrapKind {
    /// Integer division or remainder by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// An operation without a defined result.
    #[error("{0}")]
    Undefined(Undefined),
    /// An index outside of its dimension.
    #[error("index {index} out of range in dimension {dimension} of `{buffer}`, which has extent {extent}")]
    OutOfBounds {
        /// The buffer's name.
        buffer: Arc<str>,
        /// The dimension, from 0.
        dimension: usize,
        /// The index.
        index: i64,
        /// The dimension's extent.
        extent: i64,
    },
    /// A view reaches beyond the memory that it is of.
    #[error("access through `{0}` outside of the memory that it views")]
    OutsideMemory(Arc<str>),
    /// An access to a buffer outside of its scope.
    #[error("access to `{0}`, which is not declared here")]
    Undeclared(Arc<str>),
    /// A pointer that points to nothing known.
    #[error("the pointer that `{0}` is declared over does not point to memory")]
    BadPointer(Arc<str>),
    /// A shape with a negative extent, or too large to allocate.
    #[error("the shape of `{0}` has a negative extent or is too large")]
    BadShape(Arc<str>),
    /// A loop whose step is not positive.
    #[error("the loop's step is not positive")]
    BadStep,
    /// A failing assert, with its message.
    #[error("assertion failed: {0}")]
    Assertion(Arc<str>),
    /// The argument of `T.assume` does not hold: the input is not one that the program is defined on.
    #[error("the assumption does not hold")]
    FalseAssumption,
    /// A reduction over threads where no threads were launched.
    #[error("a reduction over threads outside of a launch of threads")]
    NoThreads,
    /// More steps than the run was allowed.
    #[error("step limit reached")]
    StepLimit,
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for Trap {}

#[cfg(test)]
impl Outcome {
    /// Whether the function returned.
    pub(crate) fn is_done(&self) -> bool {
        matches!(self, Outcome::Done(_))
    }
}

impl Interpreter {
    /// Prepares `func`, whose `and` and `or` skip what the left operand decides.
    pub(crate) fn new(func: &PrimFunc) -> Result<Interpreter, Unsupported> {
        Interpreter::with_logic(func, Logic::Lazy)
    }

    /// Prepares `func`.
    pub(crate) fn with_logic(func: &PrimFunc, logic: Logic) -> Result<Interpreter, Unsupported> {
        let program = Program::compile(func, logic)?;
        let counts = program.static_counts();
        Ok(Interpreter { program, counts })
    }

    /// The operations that stand in the function, whether executed or not.
    pub(crate) fn static_counts(&self) -> &Counts {
        &self.counts
    }

    /// Runs the function on `inputs`.
    pub(crate) fn run(&self, inputs: &Inputs, mode: RunMode) -> Run {
        let memories: Vec<Memory> = inputs
            .memories
            .iter()
            .map(|tensor| Memory {
                name: Some(tensor.name.clone()),
                bytes: tensor.data.clone(),
                unit: Repr::of(tensor.dtype).size(),
            })
            .collect();
        let given = memories.len();
        let mut machine = Machine::new(&self.program, memories, inputs.param_memories.clone(), mode);
        let mut thread = machine.thread();
        for (&var, &value) in &inputs.vars {
            if let Some(&slot) = self.program.vars.get(var.index()) {
                thread.set(slot, value);
            }
        }
        for (var, memory) in self.program.param_vars.iter().zip(&inputs.param_memories) {
            if let (Some(var), Some(memory)) = (var, memory) {
                thread.regs[self.program.vars[var.index()] as usize] = memory::pointer(*memory, 0);
            }
        }
        let outcome = match self.execute(&mut machine, &mut thread) {
            Ok(returned) => Outcome::Done(returned),
            Err(stop) => Outcome::Trap(machine.place(stop)),
        };
        let after = machine.memories.iter().take(given);
        Run {
            outcome,
            counts: machine.counts(),
            memories: inputs
                .memories
                .iter()
                .zip(after)
                .map(|(tensor, memory)| Tensor { data: memory.bytes.clone(), ..tensor.clone() })
                .collect(),
            calls: machine.log,
        }
    }

    fn execute<'p>(
        &'p self,
        machine: &mut Machine<'p>,
        thread: &mut Thread,
    ) -> Result<Return, machine::Stop> {
        for &setup in &self.program.param_setups {
            machine.declare(thread, &self.program.setups[setup as usize])?;
        }
        Ok(match machine.run_nodes(thread, &self.program.body)? {
            Flow::Return(value) => value,
            Flow::Next | Flow::Break | Flow::Continue => Return::Void,
        })
    }
}
