//! Functions that are ready to run, and what a run was.

use std::collections::BTreeSet;

use super::calls::CallLog;
use super::compile::Unsupported;
use super::counts::Counts;
use super::flow::Flow;
use super::inputs::{Inputs, Tensor};
use super::machine::{Machine, Stop};
use super::marks::{self, Repair};
use super::memory::{Memory, Repr, pointer};
use super::modes::{Logic, RunMode};
use super::outcome::{Outcome, Return};
use super::program::Program;
use super::thread::Thread;
use super::touched::Touched;
use crate::ir::PrimFunc;

/// A function ready to run any number of times.
pub(crate) struct Interpreter {
    program: Program,
    counts: Counts,
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
    /// For each of them the bytes that may be anything.
    pub undef: Vec<BTreeSet<usize>>,
    /// What was set in the inputs, in a run that repairs them.
    pub(super) repairs: Vec<Repair>,
    /// Which elements of the inputs were accessed, if that is noted.
    pub(super) touched: Option<Touched>,
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

    /// Whether the function has `T.undef()`.
    pub(super) fn has_undef(&self) -> bool {
        self.program.has_undef
    }

    /// Takes memory that the function allocates to hold `T.undef()` until it is written: a program from which such stores
    /// went is compared with one that has them.
    pub(super) fn take_fresh_as_undef(&mut self) {
        self.program.has_undef = true;
        self.program.fresh_is_undef = true;
    }

    /// Notes from now on which elements of the inputs are accessed.
    pub(super) fn note_accesses(&mut self) {
        self.program.notes_accesses = true;
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
                thread.regs[self.program.vars[var.index()] as usize] = pointer(*memory, 0);
            }
        }
        let outcome = match self.execute(&mut machine, &mut thread) {
            Ok(returned) => Outcome::Done(returned),
            Err(stop) => Outcome::Trap(machine.place(stop)),
        };
        let after = machine.memories.iter().take(given);
        let bytes = machine.undef.as_ref();
        Run {
            undef: (0..).zip(after.clone()).map(|(k, memory)| marks::bytes_of(bytes, k, memory)).collect(),
            touched: machine.touched.take(),
            repairs: machine.repairs.take().map_or_else(Vec::new, |repairs| repairs.made),
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

    fn execute<'p>(&'p self, machine: &mut Machine<'p>, thread: &mut Thread) -> Result<Return, Stop> {
        for &setup in &self.program.param_setups {
            machine.declare(thread, &self.program.setups[setup as usize])?;
        }
        Ok(match machine.run_nodes(thread, &self.program.body)? {
            Flow::Return(value) => value,
            Flow::Next | Flow::Break | Flow::Continue => Return::Void,
        })
    }
}
