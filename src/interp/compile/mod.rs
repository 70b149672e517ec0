//! From a function to its compact form: [`Program::compile`].
//!
//! The translation resolves names and types; it evaluates nothing. What it cannot translate is an [`Unsupported`].

mod assume;
mod call;
mod expr;
mod launch;
mod matrix;
mod stmt;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::counts::Counts;
use super::memory::Repr;
use super::modes::Logic;
use super::program::{BufferInfo, Code, Inst, MemoryKind, Node, Piece, Program, Setup, Slot, Source};
use crate::diag::Span;
use crate::ir::matrix::Matrices;
use crate::ir::opclass::{self, OpClass};
use crate::ir::value::Value;
use crate::ir::{Buffer, BufferId, DType, Expr, Origin, Param, PrimFunc, VarId};

/// A construct that the interpreter does not run.
///
/// ```
/// use satir::interp::{RunError, static_counts};
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"float8_e4m3\")):\n    A[0] = A[1] + A[2]\n")?;
/// match static_counts(&module.funcs[0]) {
///     Err(RunError::Unsupported(unsupported)) => println!("cannot interpret {}", unsupported.what),
///     _ => panic!("arithmetic of 8-bit floats is not defined here"),
/// }
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot interpret {what}")]
#[non_exhaustive]
pub struct Unsupported {
    /// What it is, for a reader of the program.
    pub what: String,
    /// The statement that it stands in.
    pub span: Span,
}

/// Compilation in progress.
struct Compiler<'a> {
    func: &'a PrimFunc,
    /// What `and` and `or` evaluate.
    logic: Logic,
    program: Program,
    slots: Slots,
    /// The piece of straight-line code that instructions are counted in.
    piece: usize,
    /// Whether operations are counted: not for what only blocks imply, nor for what repairs inputs.
    counting: bool,
    /// Whether the condition of an assumption is compiled.
    assuming: bool,
    /// The statement being compiled.
    span: Span,
    /// The combining functions of the reductions in force, innermost last.
    reducers: Vec<&'a crate::ir::CommReducer>,
    matrices: Matrices<'a>,
}

impl Program {
    /// The compact form of `func`.
    pub(super) fn compile(func: &PrimFunc, logic: Logic) -> Result<Program, Unsupported> {
        let mut slots = Slots::default();
        let vars = func.vars.iter().map(|var| slots.keep(var.ty.dtype().lanes)).collect();
        let param_vars = func
            .params
            .iter()
            .map(|param| match param {
                Param::Var(var) => Some(*var),
                Param::Buffer(_) => None,
            })
            .collect();
        let program = Program {
            code: Vec::new(),
            body: Vec::new(),
            frame: Vec::new(),
            pieces: Vec::new(),
            accesses: Vec::new(),
            setups: Vec::new(),
            param_setups: Vec::new(),
            matrix_ops: Vec::new(),
            calls: Vec::new(),
            messages: Vec::new(),
            reductions: Vec::new(),
            places: Vec::new(),
            vars,
            param_vars,
            buffers: func.buffers.iter().map(buffer_info).collect(),
            lockstep: launch::needs_lockstep(func),
            has_undef: false,
            fresh_is_undef: false,
            notes_accesses: false,
            tags: Vec::new(),
        };
        let mut compiler = Compiler {
            func,
            logic,
            program,
            slots,
            piece: 0,
            counting: true,
            assuming: false,
            span: Span::NONE,
            reducers: Vec::new(),
            matrices: Matrices::of(func),
        };
        compiler.params()?;
        let body = compiler.block(&func.body)?;
        let Compiler { mut program, slots, .. } = compiler;
        program.body = body;
        program.frame = slots.frame;
        Ok(program)
    }

    /// How many operations of each class stand in the function, whether executed or not.
    pub(super) fn static_counts(&self) -> Counts {
        let mut counts = Counts::default();
        for piece in &self.pieces {
            counts += &piece.counts;
        }
        counts
    }
}

fn buffer_info(buffer: &Buffer) -> BufferInfo {
    let memory = match buffer.origin {
        Origin::Alloc if buffer.scope.starts_with("shared") => MemoryKind::Shared,
        Origin::Alloc if !buffer.scope.is_empty() && &*buffer.scope != "global" => MemoryKind::Private,
        Origin::Alloc
        | Origin::Param
        | Origin::Match(_)
        | Origin::View(_)
        | Origin::Pointer(_)
        | Origin::Region(_)
        | Origin::Unbound => MemoryKind::Global,
    };
    BufferInfo { name: buffer.name.clone(), repr: Repr::of(buffer.dtype), lanes: buffer.dtype.lanes, memory }
}

impl<'a> Compiler<'a> {
    fn params(&mut self) -> Result<(), Unsupported> {
        for (index, param) in self.func.params.iter().enumerate() {
            if let Param::Buffer(buffer) = *param {
                let setup = self.setup(buffer, |_| Ok(Source::Param(index as u32)))?;
                self.program.param_setups.push(setup);
            }
        }
        for &(var, buffer) in &self.func.matches {
            let slot = self.var(var);
            let setup = self.setup(buffer, |_| Ok(Source::Pointer(slot)))?;
            self.program.param_setups.push(setup);
        }
        Ok(())
    }

    /// The declaration of `buffer` with memory from `source`, which may add code that computes it.
    fn setup(
        &mut self,
        buffer: BufferId,
        source: impl FnOnce(&mut Self) -> Result<Source, Unsupported>,
    ) -> Result<u32, Unsupported> {
        let entry = self.func.buffer(buffer);
        let start = self.here();
        let counting = std::mem::replace(&mut self.counting, false);
        let source = source(self)?;
        let shape = self.keep_all(&entry.shape)?;
        // Strides and offset that are variables are bound by the region.
        let bound = matches!(source, Source::Region { .. });
        let strides = if bound { Vec::new() } else { self.keep_all(&entry.strides)? };
        let offset = match &entry.elem_offset {
            Some(offset) if !bound => Some(self.expr(offset)?),
            Some(_) | None => None,
        };
        self.counting = counting;
        let code = self.since(start);
        self.program.setups.push(Setup { buffer: buffer.0, code, shape, strides, offset, source });
        Ok(self.program.setups.len() as u32 - 1)
    }

    fn keep_all(&mut self, exprs: &'a [Expr]) -> Result<Vec<Slot>, Unsupported> {
        exprs.iter().map(|e| self.expr(e)).collect()
    }

    fn unsupported<T>(&self, what: impl Into<String>) -> Result<T, Unsupported> {
        Err(Unsupported { what: what.into(), span: self.span })
    }

    fn var(&self, var: VarId) -> Slot {
        self.program.vars[var.index()]
    }

    /// The index of the next instruction.
    fn here(&self) -> u32 {
        self.program.code.len() as u32
    }

    fn since(&self, start: u32) -> Code {
        Code { start, end: self.here() }
    }

    fn emit(&mut self, inst: Inst) {
        self.program.code.push(inst);
        if let Some(piece) = self.program.pieces.get_mut(self.piece) {
            piece.steps += 1;
        }
    }

    /// Begins a straight-line piece: what follows is reached only together.
    fn start_piece(&mut self) {
        self.piece = self.program.pieces.len();
        self.program.pieces.push(Piece::default());
        self.emit(Inst::Count(self.piece as u32));
    }

    /// Counts an operation in the current piece.
    fn count(&mut self, class: OpClass, n: u64) {
        if self.counting
            && let Some(piece) = self.program.pieces.get_mut(self.piece)
        {
            piece.counts.add(class, n);
        }
    }

    /// Counts a branch in the current piece.
    fn count_branch(&mut self) {
        if self.counting
            && let Some(piece) = self.program.pieces.get_mut(self.piece)
        {
            piece.counts.branches += 1;
        }
    }

    /// Counts the operation at the root of `e`.
    fn count_expr(&mut self, e: &Expr) {
        if let Some((class, n)) = opclass::classify(e) {
            self.count(class, n);
        }
    }

    /// A piece of code of its own that computes `e` into a slot. The slot is valid until the next evaluation.
    fn code(&mut self, e: &'a Expr) -> Result<(Code, Slot), Unsupported> {
        let start = self.here();
        self.start_piece();
        let slot = self.expr(e)?;
        Ok((self.since(start), slot))
    }

    /// Code that runs as one statement: appended to the code before it where threads need not meet in between.
    fn leaf(
        &mut self,
        nodes: &mut Vec<Node>,
        f: impl FnOnce(&mut Self) -> Result<(), Unsupported>,
    ) -> Result<(), Unsupported> {
        let start = self.here();
        self.program.places.push((start, self.span));
        match nodes.last() {
            Some(Node::Code(code)) if !self.program.lockstep && code.end == start => {
                let start = code.start;
                f(self)?;
                let code = self.since(start);
                nodes.pop();
                nodes.push(Node::Code(code));
            }
            _ => {
                self.start_piece();
                f(self)?;
                nodes.push(Node::Code(self.since(start)));
            }
        }
        self.slots.release();
        Ok(())
    }
}

/// Slots of the frame: kept ones for variables and constants, others in use until the statement's end.
#[derive(Default)]
struct Slots {
    frame: Vec<u64>,
    constants: BTreeMap<u64, Slot>,
    free: BTreeMap<u16, Vec<Slot>>,
    used: Vec<(u16, Slot)>,
}

impl Slots {
    /// A slot that nothing else uses.
    fn keep(&mut self, lanes: u16) -> Slot {
        let slot = self.frame.len() as Slot;
        self.frame.resize(self.frame.len() + usize::from(lanes), 0);
        slot
    }

    /// A slot in use until [`Slots::release`].
    fn temp(&mut self, lanes: u16) -> Slot {
        let slot = match self.free.get_mut(&lanes).and_then(Vec::pop) {
            Some(slot) => slot,
            None => self.keep(lanes),
        };
        self.used.push((lanes, slot));
        slot
    }

    fn release(&mut self) {
        for (lanes, slot) in self.used.drain(..) {
            self.free.entry(lanes).or_default().push(slot);
        }
    }

    fn constant(&mut self, value: Value) -> Slot {
        let bits = match value {
            Value::Int(v) => v as u64,
            Value::Float(v) => v.to_bits(),
        };
        match self.constants.get(&bits) {
            Some(&slot) => slot,
            None => {
                let slot = self.keep(1);
                self.frame[slot as usize] = bits;
                self.constants.insert(bits, slot);
                slot
            }
        }
    }
}

/// Text for a message: an intrinsic's name as it is written.
fn spelled(name: &Arc<str>) -> String {
    format!("`T.{name}`")
}

/// The type of an operand in a message.
fn of_type(dtype: DType) -> String {
    format!("arithmetic on `{dtype}`")
}
