//! The compact form of a function that the machine runs: names resolved to slots of a frame, expressions flat.
//!
//! A frame is an array of 64-bit registers. A value of n lanes takes n registers in a row. Integers are sign- or
//! zero-extended as in [`Value::Int`](crate::ir::value::Value::Int), floats of every width are `f64` bits, pointers are
//! [`pointer`](super::memory) values.

use std::sync::Arc;

use super::counts::Counts;
use super::memory::Repr;
use crate::diag::Span;
use crate::ir::value::MathFn;
use crate::ir::{BinOp, DType, VarId};

/// Index of a register in a frame.
pub(super) type Slot = u32;

/// A function in compact form.
pub(super) struct Program {
    /// Instructions of all expressions.
    pub code: Vec<Inst>,
    /// The statements.
    pub body: Vec<Node>,
    /// The initial frame, with the constants in place.
    pub frame: Vec<u64>,
    /// What each straight-line piece of code counts.
    pub pieces: Vec<Piece>,
    /// Buffer accesses.
    pub accesses: Vec<Access>,
    /// Declarations of buffers.
    pub setups: Vec<Setup>,
    /// Those of the parameters' buffers, run first.
    pub param_setups: Vec<u32>,
    /// Operations on matrices.
    pub matrix_ops: Vec<MatrixPlan>,
    /// Calls that are not computed by the machine itself.
    pub calls: Vec<CallPlan>,
    /// Messages of asserts.
    pub messages: Vec<Arc<str>>,
    /// Reductions over threads.
    pub reductions: Vec<AllReduce>,
    /// The first instruction of each statement, ascending, and the statement's place.
    pub places: Vec<(u32, Span)>,
    /// Where each variable lives.
    pub vars: Vec<Slot>,
    /// The handle or scalar variable of each parameter that is one.
    pub param_vars: Vec<Option<VarId>>,
    /// All buffers.
    pub buffers: Vec<BufferInfo>,
    /// Whether the threads of a block must run in lockstep, statement by statement.
    pub lockstep: bool,
    /// Whether values may be anything ([`Inst::Undef`]).
    pub has_undef: bool,
    /// Whether memory that the function allocates may hold anything until it is written.
    pub fresh_is_undef: bool,
    /// Whether it is noted which elements of the inputs are accessed.
    pub notes_accesses: bool,
    /// The names of thread tags.
    pub tags: Vec<Arc<str>>,
}

/// What the machine needs to know of a buffer.
pub(super) struct BufferInfo {
    pub name: Arc<str>,
    /// How an element's lanes are stored.
    pub repr: Repr,
    /// Lanes of one element.
    pub lanes: u16,
    pub memory: MemoryKind,
}

/// Who shares the memory of a buffer that is allocated in the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryKind {
    /// Nobody else: each thread has its own.
    Private,
    /// The threads of a block.
    Shared,
    /// Allocated in global memory, or not allocated by the function.
    Global,
}

/// A straight-line piece of code.
#[derive(Default)]
pub(super) struct Piece {
    pub counts: Counts,
    pub steps: u64,
}

/// A range of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Code {
    pub start: u32,
    pub end: u32,
}

/// A statement.
pub(super) enum Node {
    /// Instructions run for their effect.
    Code(Code),
    For(Box<Loop>),
    While {
        cond: Code,
        slot: Slot,
        body: Vec<Node>,
    },
    If {
        cond: Code,
        slot: Slot,
        then: Vec<Node>,
        otherwise: Vec<Node>,
    },
    /// Runs a [`Setup`].
    Setup(u32),
    /// A reduction over threads.
    AllReduce(u32),
    Break,
    Continue,
    /// Leaves the function with the value in a slot.
    Return {
        code: Code,
        slot: Slot,
        dtype: DType,
    },
}

/// A loop, or the launch of threads.
pub(super) struct Loop {
    /// Computes the three values below.
    pub head: Code,
    pub min: Slot,
    pub extent: Slot,
    pub step: Option<Slot>,
    pub var: Slot,
    /// The greatest value that the variable's type has.
    pub most: i64,
    pub body: Vec<Node>,
    /// Index of the thread tag if iterations are threads of a block.
    pub threads: Option<u32>,
}

/// One instruction. Operands and results are slots; `dtype.lanes` tells how many lanes they have.
#[derive(Clone, Copy, Debug)]
pub(super) enum Inst {
    /// A straight-line piece begins.
    Count(u32),
    /// A scalar `int32` or `int64` operation.
    Index {
        op: BinOp,
        bits: u8,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    /// Integer operation; `dtype` of the operands.
    Int {
        op: BinOp,
        dtype: DType,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    /// Float operation with a float result.
    Float {
        op: BinOp,
        dtype: DType,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    /// Comparison of floats.
    FloatCompare {
        op: BinOp,
        lanes: u16,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Not {
        lanes: u16,
        dst: Slot,
        a: Slot,
    },
    Cast {
        from: DType,
        to: DType,
        dst: Slot,
        a: Slot,
    },
    /// `per_lane`: the condition has a lane for each lane of the result.
    Select {
        lanes: u16,
        per_lane: bool,
        dst: Slot,
        cond: Slot,
        a: Slot,
        b: Slot,
    },
    Copy {
        lanes: u16,
        dst: Slot,
        a: Slot,
    },
    Splat {
        lanes: u16,
        dst: Slot,
        a: Slot,
    },
    Ramp {
        dtype: DType,
        dst: Slot,
        base: Slot,
        stride: Slot,
    },
    Load {
        access: u32,
        dst: Slot,
    },
    Store {
        access: u32,
        value: Slot,
    },
    JumpIfZero {
        cond: Slot,
        to: u32,
    },
    JumpIfNotZero {
        cond: Slot,
        to: u32,
    },
    Jump {
        to: u32,
    },
    /// `dtype` of the first operand.
    Math {
        f: MathFn,
        dtype: DType,
        dst: Slot,
        args: [Slot; 3],
    },
    Reinterpret {
        from: DType,
        to: DType,
        dst: Slot,
        a: Slot,
    },
    /// The pointer to a buffer's data.
    DataPointer {
        buffer: u32,
        dst: Slot,
    },
    /// The pointer to an element.
    AddressOf {
        access: u32,
        dst: Slot,
    },
    /// A pointer moved by a number of units of some bytes.
    Offset {
        bytes: u32,
        dst: Slot,
        pointer: Slot,
        by: Slot,
    },
    Call {
        call: u32,
        dst: Slot,
    },
    /// An operation on matrices in memory.
    Matrix {
        op: u32,
    },
    /// An assumption does not hold: the run ends, unless it repairs its inputs.
    Unsatisfied,
    /// Sets the element of an input that an assumption says the value of.
    Repair {
        access: u32,
        value: Slot,
    },
    /// A value that may be anything.
    Undef {
        lanes: u16,
        dst: Slot,
    },
    Assume {
        cond: Slot,
    },
    Assert {
        cond: Slot,
        message: u32,
    },
}

/// An access to a buffer.
pub(super) struct Access {
    pub buffer: u32,
    /// One slot for each dimension; the last has `lanes` lanes.
    pub indices: Vec<Slot>,
    pub lanes: u16,
}

/// A buffer comes into being.
pub(super) struct Setup {
    pub buffer: u32,
    /// Computes the values below.
    pub code: Code,
    pub shape: Vec<Slot>,
    /// Empty for a compact buffer.
    pub strides: Vec<Slot>,
    pub offset: Option<Slot>,
    pub source: Source,
}

/// Where a buffer's memory comes from.
pub(super) enum Source {
    /// The parameter with this index.
    Param(u32),
    /// New memory.
    Alloc,
    /// The memory of another buffer.
    View(u32),
    /// What a pointer points to.
    Pointer(Slot),
    /// A region of another buffer from these indices on. Strides and offset are the region's; where the buffer's own
    /// are variables, those are bound to them.
    Region { of: u32, mins: Vec<Slot>, bind_strides: Vec<Slot>, bind_offset: Option<Slot> },
}

/// A call that the machine answers with a made-up value.
pub(super) struct CallPlan {
    pub name: Arc<str>,
    pub args: Vec<ArgPlan>,
    /// Keyword arguments as text.
    pub kwargs: String,
    pub dtype: DType,
    /// Whether the call may change memory, so that its place among other calls matters.
    pub opaque: bool,
    /// Whether its value depends on memory.
    pub reads: bool,
}

impl CallPlan {
    /// Calls `f` with the slots and lanes of all values among the arguments.
    pub(super) fn for_each_value(&self, f: &mut impl FnMut(Slot, u16)) {
        self.args.iter().for_each(|arg| arg.for_each_value(f));
    }
}

impl ArgPlan {
    fn for_each_value(&self, f: &mut impl FnMut(Slot, u16)) {
        match self {
            ArgPlan::Value(slot, dtype) => f(*slot, dtype.lanes),
            ArgPlan::Region(_, ranges) => {
                for (min, extent) in ranges {
                    f(*min, 1);
                    extent.iter().for_each(|&extent| f(extent, 1));
                }
            }
            ArgPlan::Tuple(items) => items.iter().for_each(|item| item.for_each_value(f)),
            ArgPlan::Text(_) | ArgPlan::Buffer(_) => {}
        }
    }
}

/// An argument of a call.
pub(super) enum ArgPlan {
    Value(Slot, DType),
    Text(Arc<str>),
    Buffer(u32),
    Region(u32, Vec<(Slot, Option<Slot>)>),
    Tuple(Vec<ArgPlan>),
}

/// An operation on matrices, as [`MatrixOp`](crate::ir::matrix::MatrixOp) says.
pub(super) enum MatrixPlan {
    /// The value is of the elements' type.
    Fill {
        to: MatrixSlots,
        value: Slot,
    },
    Copy {
        to: MatrixSlots,
        from: MatrixSlots,
    },
    MultiplyAdd {
        d: MatrixSlots,
        a: MatrixSlots,
        b: MatrixSlots,
        c: MatrixSlots,
    },
}

/// A matrix in memory.
pub(super) struct MatrixSlots {
    /// What its memory is called in messages.
    pub name: Arc<str>,
    pub pointer: Slot,
    pub place: PlaceSlot,
    pub rows: i64,
    pub cols: i64,
    pub repr: Repr,
}

/// Where in memory a matrix lies.
#[derive(Clone, Copy)]
pub(super) enum PlaceSlot {
    /// It is the fragment of the number in a slot, by rows or by columns.
    Fragment { index: Slot, are_rows: bool },
    /// Its rows, or its columns, are so many elements from each other.
    Lines { stride: Slot, are_rows: bool },
}

impl PlaceSlot {
    /// The number or the stride.
    pub(super) fn slot(self) -> Slot {
        match self {
            PlaceSlot::Fragment { index: slot, .. } | PlaceSlot::Lines { stride: slot, .. } => slot,
        }
    }
}

/// `tvm_thread_allreduce`.
pub(super) struct AllReduce {
    /// Computes the arguments.
    pub args: Code,
    /// The values of each thread.
    pub values: Vec<(Slot, DType)>,
    /// Whether the thread takes part.
    pub cond: Slot,
    /// Where each thread stores the results (indices are computed by `args`).
    pub results: Vec<u32>,
    /// The variables of the threads that are reduced over.
    pub vars: Vec<Slot>,
    /// Parameters of the combining function: all left ones, then all right ones.
    pub params: Vec<Slot>,
    /// Combines `params` into `combined`.
    pub combine: Code,
    pub combined: Vec<Slot>,
    /// Computes the neutral values.
    pub identity: Code,
    pub neutral: Vec<Slot>,
}
