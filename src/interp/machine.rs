//! The machine: executes instructions on a thread's frame and on memory.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::calls::CallLog;
use super::counts::Counts;
use super::marks::{Repairs, UndefBytes};
use super::memory::{Memory, Repr, pointee, pointer};
use super::modes::RunMode;
use super::outcome::{Trap, TrapKind};
use super::program::{Access, Code, Inst, Program, Setup, Slot, Source};
use super::races::Races;
use super::shape::{allocation_size, compact_strides};
use super::thread::{Dim, Thread, View};
use super::touched::Touched;
use crate::diag::Span;
use crate::ir::value::{self, MathFn, Undefined, Value, float, int};
use crate::ir::{BinOp, DType};

/// Largest piece of memory that a program may allocate, in bytes.
const MAX_ALLOCATION: usize = 1 << 31;

/// What a lenient cast gives for a float that its type cannot hold: a value of every integer type.
const NO_MEANING: Value = Value::Int(0x5e);

/// Own memory of threads that was allocated outside of their launch, by the memory it stands for and the thread.
type PrivateCopies = BTreeMap<(u32, Vec<(u32, u64)>), u32>;

pub(super) struct Machine<'p> {
    pub program: &'p Program,
    pub memories: Vec<Memory>,
    /// Memories that nothing uses.
    pub free: Vec<u32>,
    /// How often each piece of code began.
    executed: Vec<u64>,
    pub iterations: u64,
    steps: u64,
    pub mode: RunMode,
    pub log: CallLog,
    /// What threads do to one another, if that is asked for.
    pub races: Option<Races>,
    /// Which bytes of memory may be anything; `None` where no value may.
    pub undef: Option<UndefBytes>,
    /// What was repaired, if the run repairs its inputs.
    pub repairs: Option<Repairs>,
    /// Which elements of inputs were accessed, if that is asked for.
    pub touched: Option<Touched>,
    /// The number of memories that are inputs; they are the first.
    pub given: u32,
    /// In lockstep, memory of threads that was allocated outside of their launch.
    pub private_copies: PrivateCopies,
    /// Memory of each parameter that is a buffer or a handle.
    pub param_memories: Vec<Option<u32>>,
}

/// A trap with the instruction that it happened at.
pub(super) struct Stop {
    pub kind: TrapKind,
    pub at: u32,
}

/// A result whose error is a trap without a place.
type Checked<T> = Result<T, TrapKind>;

impl<'p> Machine<'p> {
    pub(super) fn new(
        program: &'p Program,
        memories: Vec<Memory>,
        param_memories: Vec<Option<u32>>,
        mode: RunMode,
    ) -> Self {
        let touched = program.notes_accesses.then(|| Touched::new(&memories));
        Machine {
            program,
            given: memories.len() as u32,
            memories,
            free: Vec::new(),
            executed: vec![0; program.pieces.len()],
            iterations: 0,
            steps: 0,
            mode,
            log: CallLog::default(),
            races: mode.races.then(Races::default),
            undef: program.has_undef.then(UndefBytes::new),
            repairs: mode.repairs.then(Repairs::default),
            touched,
            private_copies: PrivateCopies::new(),
            param_memories,
        }
    }

    /// A thread on which nothing is declared.
    pub(super) fn thread(&self) -> Thread {
        Thread::new(self.program.frame.clone(), self.program.has_undef, self.program.buffers.len())
    }

    /// What was executed. Of a program that trapped, the pieces of straight-line code that were begun.
    pub(super) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        counts.loop_iterations = self.iterations;
        for (piece, &times) in self.program.pieces.iter().zip(&self.executed) {
            counts.add_times(&piece.counts, times);
        }
        counts
    }

    /// The trap with the place of the statement that `stop` happened in.
    pub(super) fn place(&self, stop: Stop) -> Trap {
        let after = self.program.places.partition_point(|&(first, _)| first <= stop.at);
        let span = after.checked_sub(1).map_or(Span::NONE, |k| self.program.places[k].1);
        Trap { kind: stop.kind, span }
    }

    /// Counts one iteration of a loop.
    #[inline]
    pub(super) fn iteration(&mut self, at: u32) -> Result<(), Stop> {
        self.iterations += 1;
        self.step(1).map_err(|kind| Stop { kind, at })
    }

    #[inline]
    pub(super) fn step(&mut self, n: u64) -> Checked<()> {
        self.steps += n;
        if self.steps > self.mode.max_steps { Err(TrapKind::StepLimit) } else { Ok(()) }
    }

    /// Runs a range of instructions.
    pub(super) fn run(&mut self, t: &mut Thread, code: Code) -> Result<(), Stop> {
        let program = self.program;
        let mut pc = code.start;
        while pc < code.end {
            let inst = program.code[pc as usize];
            if self.undef.is_some() {
                if self.stores_nothing(t, inst) {
                    pc += 1;
                    continue;
                }
                self.spread_undef(t, inst).map_err(|kind| Stop { kind, at: pc })?;
            }
            match inst {
                Inst::JumpIfZero { cond, to } => {
                    pc = if t.regs[cond as usize] == 0 { to } else { pc + 1 };
                    continue;
                }
                Inst::JumpIfNotZero { cond, to } => {
                    pc = if t.regs[cond as usize] != 0 { to } else { pc + 1 };
                    continue;
                }
                Inst::Jump { to } => {
                    pc = to;
                    continue;
                }
                _ => {}
            }
            if let Err(kind) = self.execute(t, inst) {
                return Err(Stop { kind, at: pc });
            }
            pc += 1;
        }
        Ok(())
    }

    #[inline]
    fn execute(&mut self, t: &mut Thread, inst: Inst) -> Checked<()> {
        let program = self.program;
        match inst {
            Inst::Count(piece) => {
                self.executed[piece as usize] += 1;
                self.step(program.pieces[piece as usize].steps)?;
            }
            Inst::Index { op, bits, dst, a, b } => {
                let (a, b) = (t.regs[a as usize] as i64, t.regs[b as usize] as i64);
                t.regs[dst as usize] = int::index(op, bits, a, b)? as u64;
            }
            Inst::Float { op, dtype, dst, a, b } => {
                for lane in 0..u32::from(dtype.lanes) {
                    let (x, y) = (t.float(a + lane), t.float(b + lane));
                    t.regs[(dst + lane) as usize] = float::arith(op, dtype, x, y)?.to_bits();
                }
            }
            Inst::Load { access, dst } => {
                let access = &program.accesses[access as usize];
                self.load(t, access, dst)?;
            }
            Inst::Store { access, value } => {
                let access = &program.accesses[access as usize];
                self.store(t, access, value)?;
            }
            Inst::Copy { lanes, dst, a } => {
                t.regs.copy_within(a as usize..a as usize + usize::from(lanes), dst as usize);
            }
            Inst::Int { op, dtype, dst, a, b } => {
                for lane in 0..u32::from(dtype.lanes) {
                    let (x, y) = (t.int(a + lane), t.int(b + lane));
                    t.regs[(dst + lane) as usize] = int::binary(op, dtype, x, y)? as u64;
                }
            }
            Inst::FloatCompare { op, lanes, dst, a, b } => {
                for lane in 0..u32::from(lanes) {
                    let holds = float::compare(op, t.float(a + lane), t.float(b + lane))?;
                    t.regs[(dst + lane) as usize] = u64::from(holds);
                }
            }
            Inst::Select { lanes, per_lane, dst, cond, a, b } => {
                for lane in 0..u32::from(lanes) {
                    let cond = if per_lane { cond + lane } else { cond };
                    let from = if t.regs[cond as usize] != 0 { a } else { b };
                    t.regs[(dst + lane) as usize] = t.regs[(from + lane) as usize];
                }
            }
            Inst::Not { lanes, dst, a } => {
                for lane in 0..u32::from(lanes) {
                    t.regs[(dst + lane) as usize] = u64::from(t.regs[(a + lane) as usize] == 0);
                }
            }
            Inst::Cast { from, to, dst, a } => {
                for lane in 0..u32::from(to.lanes) {
                    let value = t.value(a + lane, from);
                    let value = match value::cast(from, to, value) {
                        Err(Undefined::CastRange) if self.mode.lenient_casts => NO_MEANING,
                        value => value?,
                    };
                    t.set(dst + lane, value);
                }
            }
            Inst::Splat { lanes, dst, a } => {
                let value = t.regs[a as usize];
                t.regs[dst as usize..dst as usize + usize::from(lanes)].fill(value);
            }
            Inst::Ramp { dtype, dst, base, stride } => ramp(t, dtype, dst, base, stride)?,
            Inst::Math { f, dtype, dst, args } => math(t, f, dtype, dst, args)?,
            Inst::Reinterpret { from, to, dst, a } => {
                for lane in 0..u32::from(to.lanes) {
                    let bits = match t.value(a + lane, from) {
                        Value::Int(v) => v as u64,
                        Value::Float(v) => float::to_bits(from, v),
                    };
                    let value = if to.is_float() {
                        Value::Float(float::from_bits(to, bits))
                    } else {
                        Value::Int(int::wrap(to, i128::from(bits as i64)))
                    };
                    t.set(dst + lane, value);
                }
            }
            Inst::DataPointer { buffer, dst } => {
                let view = self.view(t, buffer)?;
                t.regs[dst as usize] = pointer(view.memory, view.data);
            }
            Inst::AddressOf { access, dst } => {
                let access = &program.accesses[access as usize];
                let (memory, byte) = self.address(t, access, 0)?;
                t.regs[dst as usize] = pointer(memory, byte as i64);
            }
            Inst::Offset { bytes, dst, pointer, by } => {
                let by = (t.regs[by as usize] as i64).wrapping_mul(i64::from(bytes));
                t.regs[dst as usize] = t.regs[pointer as usize].wrapping_add(by as u64);
            }
            Inst::Call { call, dst } => self.call(t, call, dst)?,
            Inst::Matrix { op } => self.matrix(t, &program.matrix_ops[op as usize])?,
            Inst::Undef { lanes, dst } => {
                t.regs[dst as usize..dst as usize + usize::from(lanes)].fill(0);
            }
            Inst::Unsatisfied if self.repairs.is_none() => return Err(TrapKind::FalseAssumption),
            Inst::Unsatisfied => {}
            Inst::Repair { access, value } => {
                self.repair(t, &program.accesses[access as usize], value)?;
            }
            Inst::Assume { cond } => {
                if t.regs[cond as usize] == 0 {
                    return Err(TrapKind::FalseAssumption);
                }
            }
            Inst::Assert { cond, message } => {
                if t.regs[cond as usize] == 0 {
                    return Err(TrapKind::Assertion(program.messages[message as usize].clone()));
                }
            }
            Inst::JumpIfZero { .. } | Inst::JumpIfNotZero { .. } | Inst::Jump { .. } => {
                unreachable!("the loop over instructions takes jumps")
            }
        }
        Ok(())
    }

    fn buffer_name(&self, buffer: u32) -> Arc<str> {
        self.program.buffers[buffer as usize].name.clone()
    }

    fn view<'t>(&self, t: &'t Thread, buffer: u32) -> Checked<&'t View> {
        t.view(buffer).ok_or_else(|| TrapKind::Undeclared(self.buffer_name(buffer)))
    }

    /// The memory and byte that lane `lane` of the last index of an access is at.
    #[inline]
    pub(super) fn address(&self, t: &Thread, access: &Access, lane: u32) -> Checked<(u32, usize)> {
        self.address_within(t, access, lane, true)
    }

    /// The same; without `bounds` an index may be outside of its dimension.
    #[inline]
    fn address_within(&self, t: &Thread, access: &Access, lane: u32, bounds: bool) -> Checked<(u32, usize)> {
        let view = self.view(t, access.buffer)?;
        let last = access.indices.len().wrapping_sub(1);
        let mut element = view.offset;
        for (k, (&slot, dim)) in access.indices.iter().zip(view.dims.iter()).enumerate() {
            let slot = if k == last { slot + lane } else { slot };
            let index = t.int(slot);
            if bounds && index as u64 >= dim.extent as u64 {
                return Err(self.out_of_bounds(access.buffer, k, index, dim.extent));
            }
            element = element.wrapping_add(index.wrapping_mul(dim.stride));
        }
        let info = &self.program.buffers[access.buffer as usize];
        let size = info.repr.size() as i64 * i64::from(info.lanes);
        match usize::try_from(view.data.wrapping_add(element.wrapping_mul(size))) {
            Ok(byte) => Ok((view.memory, byte)),
            Err(_) => Err(self.outside_memory(access.buffer)),
        }
    }

    #[cold]
    fn out_of_bounds(&self, buffer: u32, dimension: usize, index: i64, extent: i64) -> TrapKind {
        TrapKind::OutOfBounds { buffer: self.buffer_name(buffer), dimension, index, extent }
    }

    #[cold]
    fn outside_memory(&self, buffer: u32) -> TrapKind {
        TrapKind::OutsideMemory(self.buffer_name(buffer))
    }

    #[inline]
    fn load(&mut self, t: &mut Thread, access: &Access, dst: Slot) -> Checked<()> {
        let info = &self.program.buffers[access.buffer as usize];
        let size = info.repr.size();
        let bounds = !self.mode.lenient_loads;
        let mut to = dst as usize;
        for lane in 0..u32::from(access.lanes) {
            let address = self.address_within(t, access, lane, bounds);
            if let (Some(races), Ok((memory, byte))) = (&mut self.races, &address)
                && races.reads(*memory, *byte)
            {
                return Err(TrapKind::Race(self.buffer_name(access.buffer)));
            }
            if let (Some(touched), Ok(place)) = (&mut self.touched, &address) {
                touched.loads(*place);
            }
            let (bytes, byte) = match address {
                Ok((memory, byte)) => (&self.memories[memory as usize].bytes[..], byte),
                Err(TrapKind::OutsideMemory(_)) if !bounds => (&[][..], 0),
                Err(trap) => return Err(trap),
            };
            for inner in 0..usize::from(info.lanes) {
                t.regs[to] = match info.repr.load(bytes, byte + inner * size) {
                    Some(value) => value,
                    None if !bounds => info.repr.fresh(),
                    None => return Err(self.outside_memory(access.buffer)),
                };
                to += 1;
            }
        }
        Ok(())
    }

    #[inline]
    fn store(&mut self, t: &Thread, access: &Access, value: Slot) -> Checked<()> {
        self.store_values(t, access, &t.regs[value as usize..])
    }

    /// Stores the first of `values`, as many as the access has lanes.
    #[inline]
    pub(super) fn store_values(&mut self, t: &Thread, access: &Access, values: &[u64]) -> Checked<()> {
        let info = &self.program.buffers[access.buffer as usize];
        let mut values = values.iter();
        for lane in 0..u32::from(access.lanes) {
            let (memory, byte) = self.address(t, access, lane)?;
            for (inner, &value) in (0..usize::from(info.lanes)).zip(&mut values) {
                let place = (memory, byte + inner * info.repr.size());
                self.store_lane(place, info.repr, value)
                    .map_err(|trap| trap(self.buffer_name(access.buffer)))?;
            }
        }
        Ok(())
    }

    /// Stores a lane at a byte of a memory; the trap of the buffer through which it is stored.
    #[inline]
    pub(super) fn store_lane(
        &mut self,
        (memory, byte): (u32, usize),
        repr: Repr,
        value: u64,
    ) -> Result<(), fn(Arc<str>) -> TrapKind> {
        if let Some(races) = &mut self.races
            && races.writes(memory, byte, value)
        {
            return Err(TrapKind::Race);
        }
        if let Some(repairs) = &mut self.repairs {
            repairs.written.insert((memory, byte));
        }
        if let Some(touched) = &mut self.touched {
            touched.writes((memory, byte));
        }
        let bytes = &mut self.memories[memory as usize].bytes;
        repr.store(bytes, byte, value).ok_or(TrapKind::OutsideMemory)
    }

    fn call(&mut self, t: &mut Thread, call: u32, dst: Slot) -> Checked<()> {
        let plan = &self.program.calls[call as usize];
        let (value, reached) = self.log.call(&self.memories, t, plan);
        for lane in 0..u32::from(plan.dtype.lanes) {
            t.set(dst + lane, value);
        }
        if plan.opaque {
            for memory in reached {
                self.memories[memory as usize].disturb();
            }
        }
        Ok(())
    }

    /// Declares the buffer of `setup` on thread `t`. The memory of an allocation is reused when the same
    /// declaration runs again on the thread.
    pub(super) fn declare(&mut self, t: &mut Thread, setup: &Setup) -> Result<(), Stop> {
        self.run(t, setup.code)?;
        self.declare_evaluated(t, setup).map_err(|kind| Stop { kind, at: setup.code.start })
    }

    fn declare_evaluated(&mut self, t: &mut Thread, setup: &Setup) -> Checked<()> {
        let info = &self.program.buffers[setup.buffer as usize];
        let extents: Vec<i64> = setup.shape.iter().map(|&slot| t.int(slot)).collect();
        if extents.iter().any(|&extent| extent < 0) {
            return Err(TrapKind::BadShape(info.name.clone()));
        }
        let mut strides: Vec<i64> = setup.strides.iter().map(|&slot| t.int(slot)).collect();
        if strides.is_empty() {
            strides = compact_strides(&extents);
        }
        let offset = setup.offset.map_or(0, |slot| t.int(slot));
        let mut view = View { memory: 0, allocated: false, data: 0, offset, dims: Rc::from([]) };
        match &setup.source {
            Source::Param(param) => match self.param_memories.get(*param as usize).copied().flatten() {
                Some(memory) => view.memory = memory,
                None => return Err(TrapKind::BadPointer(info.name.clone())),
            },
            Source::Alloc => {
                let size = allocation_size(&extents, &strides, offset)
                    .and_then(|n| n.checked_mul(info.repr.size() * usize::from(info.lanes)))
                    .filter(|&bytes| bytes <= MAX_ALLOCATION)
                    .ok_or_else(|| TrapKind::BadShape(info.name.clone()))?;
                let before = &t.buffers[setup.buffer as usize];
                view.memory = if before.allocated { before.memory } else { self.new_memory(setup.buffer, t) };
                view.allocated = true;
                self.forget_copies(view.memory);
                self.forget_undef(view.memory);
                self.memories[view.memory as usize].refresh(size);
                if self.program.fresh_is_undef {
                    self.memories[view.memory as usize].bytes.fill(0);
                    self.make_undef(view.memory, size);
                }
            }
            Source::View(of) => {
                let source = self.view(t, *of)?;
                view.memory = source.memory;
                view.data = source.data;
            }
            Source::Pointer(slot) => match pointee(t.regs[*slot as usize]) {
                Some((memory, byte)) if (memory as usize) < self.memories.len() => {
                    view.memory = memory;
                    view.data = byte;
                }
                Some(_) | None => return Err(TrapKind::BadPointer(info.name.clone())),
            },
            Source::Region { of, mins, bind_strides, bind_offset } => {
                let source = self.view(t, *of)?.clone();
                view.memory = source.memory;
                view.data = source.data;
                view.offset = source.offset;
                for (&slot, dim) in mins.iter().zip(source.dims.iter()) {
                    view.offset = view.offset.wrapping_add(t.int(slot).wrapping_mul(dim.stride));
                }
                // A region of more dimensions than the buffer has extent 1 in the first ones.
                let skipped = source.dims.len().saturating_sub(extents.len());
                strides = source.dims.iter().skip(skipped).map(|dim| dim.stride).collect();
                for (&slot, &stride) in bind_strides.iter().zip(&strides) {
                    t.regs[slot as usize] = stride as u64;
                }
                if let Some(slot) = bind_offset {
                    t.regs[*slot as usize] = view.offset as u64;
                }
            }
        }
        view.dims = extents.into_iter().zip(strides).map(|(extent, stride)| Dim { extent, stride }).collect();
        t.buffers[setup.buffer as usize] = view;
        Ok(())
    }

    fn new_memory(&mut self, buffer: u32, t: &mut Thread) -> u32 {
        let info = &self.program.buffers[buffer as usize];
        let memory = Memory { name: None, bytes: Vec::new(), unit: info.repr.size() };
        let index = self.add_memory(memory);
        t.owned.push(index);
        index
    }

    /// Adds a memory; its index.
    pub(super) fn add_memory(&mut self, memory: Memory) -> u32 {
        match self.free.pop() {
            Some(index) => {
                self.memories[index as usize] = memory;
                index
            }
            None => {
                self.memories.push(memory);
                self.memories.len() as u32 - 1
            }
        }
    }
}

fn ramp(t: &mut Thread, dtype: DType, dst: Slot, base: Slot, stride: Slot) -> Checked<()> {
    let (base, stride) = (t.value(base, dtype), t.value(stride, dtype));
    let one = dtype.scalar();
    for lane in 0..u32::from(dtype.lanes) {
        let number = value::cast(DType::I64, one, Value::Int(lane.into()))?;
        let distance = value::binary(BinOp::Mul, one, stride, number)?;
        t.set(dst + lane, value::binary(BinOp::Add, one, base, distance)?);
    }
    Ok(())
}

fn math(t: &mut Thread, f: MathFn, dtype: DType, dst: Slot, args: [Slot; 3]) -> Checked<()> {
    for lane in 0..u32::from(dtype.lanes) {
        let mut values = [Value::Int(0); 3];
        for (k, (value, slot)) in values.iter_mut().zip(args).enumerate().take(f.arity()) {
            // The exponent of `ldexp` is an integer.
            let dtype = if f == MathFn::Ldexp && k == 1 { DType::I32 } else { dtype };
            *value = t.value(slot + lane, dtype);
        }
        t.set(dst + lane, f.eval(dtype, &values[..f.arity()])?);
    }
    Ok(())
}
