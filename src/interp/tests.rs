//! Small functions with known behaviour, built in Rust.

mod assumptions;
mod equivalence;
mod matrices;
mod script;

use super::inputs::{Fill, Inputs, Ints, free_variables};
use super::interpreter::{Interpreter, Run};
use super::modes::RunMode;
use super::outcome::Outcome;
use super::outputs::written_params;
use super::*;
use crate::ir::opclass::OpClass;
use crate::ir::value::Undefined;
use crate::ir::{
    Axis, AxisKind, BinOp, Block, Buffer, BufferId, CommReducer, DType, Expr, For, ForKind, Origin, Param,
    PrimFunc, SBlock, Stmt, StmtKind, Type, VarId,
};

const I32: DType = DType::I32;
const F32: DType = DType::F32;

const MODE: RunMode = RunMode {
    max_steps: 1_000_000,
    lenient_loads: false,
    lenient_casts: false,
    races: false,
    repairs: false,
    undef_stays: false,
};

/// A function under construction.
struct Builder(PrimFunc);

impl Builder {
    fn new() -> Builder {
        Builder(PrimFunc {
            name: "main".into(),
            decorator: vec![],
            params: vec![],
            ret: None,
            attrs: vec![],
            matches: vec![],
            body: vec![],
            vars: vec![],
            buffers: vec![],
        })
    }

    fn var(&mut self, name: &str) -> VarId {
        self.0.new_var(name, Type::Prim(I32))
    }

    fn buffer(&mut self, name: &str, dtype: DType, shape: &[Expr], origin: Origin, scope: &str) -> BufferId {
        self.0.new_buffer(Buffer {
            name: name.into(),
            dtype,
            shape: shape.to_vec(),
            strides: vec![],
            elem_offset: None,
            scope: scope.into(),
            extra: vec![],
            origin,
        })
    }

    fn param(&mut self, name: &str, dtype: DType, shape: &[Expr]) -> BufferId {
        let buffer = self.buffer(name, dtype, shape, Origin::Param, "global");
        self.0.params.push(Param::Buffer(buffer));
        buffer
    }

    fn inputs(&self, bindings: &[(&str, i64)]) -> Inputs {
        let bindings = bindings.iter().map(|&(name, v)| (name.to_owned(), v)).collect();
        let fill = Fill {
            seed: 1,
            constraints: &Constraints::new(),
            ints: Ints::within(0, 9),
            special_floats: false,
        };
        Inputs::generate(&self.0, &bindings, &fill).unwrap()
    }

    fn run(&self, bindings: &[(&str, i64)]) -> Run {
        Interpreter::new(&self.0).unwrap().run(&self.inputs(bindings), MODE)
    }
}

fn i(v: i64) -> Expr {
    Expr::int(v, I32)
}

fn v(var: VarId) -> Expr {
    Expr::var(var, I32)
}

fn add(a: Expr, b: Expr) -> Expr {
    Expr::binary(BinOp::Add, a, b)
}

fn load(buffer: BufferId, index: Expr) -> Expr {
    Expr::load(I32.with_lanes(index.dtype.lanes), buffer, vec![index])
}

fn store(buffer: BufferId, index: Expr, value: Expr) -> Stmt {
    Stmt::new(StmtKind::Store { buffer, indices: vec![index], value })
}

fn for_kind(var: VarId, extent: Expr, kind: ForKind, body: Block) -> Stmt {
    let for_ = For { var, min: i(0), extent, step: None, kind, annotations: vec![], body };
    Stmt::new(StmtKind::For(Box::new(for_)))
}

fn serial(var: VarId, extent: Expr, body: Block) -> Stmt {
    for_kind(var, extent, ForKind::Serial, body)
}

fn if_(cond: Expr, then: Block) -> Stmt {
    Stmt::new(StmtKind::If { cond, then, otherwise: vec![] })
}

fn ints(tensor: &Tensor) -> Vec<i32> {
    tensor.data.chunks_exact(4).map(|b| i32::from_le_bytes(b.try_into().unwrap())).collect()
}

fn trap(run: &Run) -> &TrapKind {
    match &run.outcome {
        Outcome::Trap(trap) => &trap.kind,
        Outcome::Done(_) => unreachable!("the run is done"),
    }
}

#[test]
fn a_loop_stores_what_it_computes_and_is_counted() {
    let mut b = Builder::new();
    let n = b.var("n");
    let (x, y) = (b.param("x", I32, &[v(n)]), b.param("y", I32, &[v(n)]));
    let k = b.var("k");
    let twice = Expr::binary(BinOp::Mul, load(x, v(k)), i(2));
    b.0.body = vec![serial(k, v(n), vec![store(y, v(k), add(twice, v(k)))])];
    let inputs = b.inputs(&[("n", 5)]);
    let run = b.run(&[("n", 5)]);
    assert!(run.outcome.is_done());
    let expected: Vec<i32> =
        ints(&inputs.memories[0]).iter().enumerate().map(|(k, v)| v * 2 + k as i32).collect();
    assert_eq!(ints(&run.memories[1]), expected);
    assert_eq!(run.memories[0], inputs.memories[0]);
    for (class, n) in [(OpClass::Load, 5), (OpClass::Store, 5), (OpClass::MulPow2, 5), (OpClass::AddSub, 5)] {
        assert_eq!(run.counts.get(class), n, "{}", class.name());
    }
    assert_eq!(run.counts.loop_iterations, 5);
    assert_eq!(run.counts.total(), 20);
    assert_eq!(Interpreter::new(&b.0).unwrap().static_counts().total(), 4);
    // A loop of no iterations does nothing.
    assert_eq!(b.run(&[("n", 0)]).counts.total(), 0);
    assert_eq!(written_params(&b.0), [false, true]);
}

#[test]
fn lazy_operators_skip_what_would_trap() {
    let mut b = Builder::new();
    let x = b.param("x", I32, &[i(4)]);
    let n = b.var("n");
    b.0.params.push(Param::Var(n));
    let div = |a: Expr| Expr::binary(BinOp::FloorDiv, a, v(n));
    let nonzero = Expr::binary(BinOp::Ne, v(n), i(0));
    let positive = Expr::binary(BinOp::Gt, div(i(7)), i(0));
    let both = Expr::binary(BinOp::And, nonzero.clone(), positive);
    let choice = Expr::call(I32, "if_then_else", vec![nonzero.clone(), div(i(100)), i(-1)]);
    b.0.body = vec![store(x, i(0), choice), if_(both, vec![store(x, i(1), i(5))])];
    let run = b.run(&[("n", 3)]);
    assert_eq!(ints(&run.memories[0])[..2], [33, 5]);
    assert_eq!(run.counts.get(OpClass::DivVar), 2);
    let run = b.run(&[("n", 0)]);
    assert!(run.outcome.is_done(), "{:?}", run.outcome);
    assert_eq!(ints(&run.memories[0])[0], -1);
    assert_eq!(run.counts.get(OpClass::DivVar), 0);
    // `T.Select` evaluates both arms.
    b.0.body = vec![store(x, i(0), Expr::select(nonzero, div(i(100)), i(-1)))];
    assert_eq!(*trap(&b.run(&[("n", 0)])), TrapKind::DivisionByZero);
}

#[test]
fn traps_name_their_cause() {
    let mut b = Builder::new();
    let n = b.var("n");
    b.0.params.push(Param::Var(n));
    let x = b.param("x", I32, &[i(4)]);
    b.0.body = vec![store(x, v(n), i(1))];
    let out = |index| TrapKind::OutOfBounds { buffer: "x".into(), dimension: 0, index, extent: 4 };
    assert_eq!(*trap(&b.run(&[("n", 4)])), out(4));
    assert_eq!(*trap(&b.run(&[("n", -1)])), out(-1));
    b.0.body = vec![store(x, i(0), Expr::binary(BinOp::Mul, v(n), v(n)))];
    assert_eq!(*trap(&b.run(&[("n", 1 << 20)])), TrapKind::Undefined(Undefined::Overflow));
    let positive = Expr::binary(BinOp::Gt, v(n), i(0));
    b.0.body = vec![Stmt::new(StmtKind::Assert {
        cond: positive.clone(),
        kind: "RuntimeError".into(),
        message: vec!["n must be".into(), " positive".into()],
    })];
    assert_eq!(*trap(&b.run(&[("n", 0)])), TrapKind::Assertion("n must be positive".into()));
    assert!(b.run(&[("n", 1)]).outcome.is_done());
    b.0.body = vec![Stmt::new(StmtKind::Evaluate(Expr::call(DType::BOOL, "assume", vec![positive])))];
    assert_eq!(*trap(&b.run(&[("n", 0)])), TrapKind::FalseAssumption);
    b.0.body = vec![Stmt::new(StmtKind::While { cond: Expr::bool(true), body: vec![] })];
    assert_eq!(*trap(&b.run(&[("n", 0)])), TrapKind::StepLimit);
}

#[test]
fn lenient_loads_read_what_lies_there() {
    let mut b = Builder::new();
    let x = b.param("x", I32, &[i(2), i(3)]);
    let at = |r, c| Expr::load(I32, x, vec![i(r), i(c)]);
    let put = |c, value| Stmt::new(StmtKind::Store { buffer: x, indices: vec![i(0), i(c)], value });
    b.0.body = vec![put(0, at(0, 4)), put(1, at(2, 0)), put(2, at(-1, 0))];
    let inputs = b.inputs(&[]);
    let interpreter = Interpreter::new(&b.0).unwrap();
    let run = interpreter.run(&inputs, RunMode { lenient_loads: true, ..MODE });
    assert!(run.outcome.is_done(), "{:?}", run.outcome);
    let fresh = i32::from_le_bytes([0xcd; 4]);
    assert_eq!(ints(&run.memories[0])[..3], [ints(&inputs.memories[0])[4], fresh, fresh]);
    assert!(!interpreter.run(&inputs, MODE).outcome.is_done());
    // A store outside traps all the same.
    b.0.body = vec![put(3, i(0))];
    let run = Interpreter::new(&b.0).unwrap().run(&inputs, RunMode { lenient_loads: true, ..MODE });
    assert!(matches!(trap(&run), TrapKind::OutOfBounds { index: 3, .. }));
}

#[test]
fn loops_break_continue_and_step() {
    let mut b = Builder::new();
    let x = b.param("x", I32, &[i(10)]);
    let k = b.var("k");
    let at = |op, n| Expr::binary(op, v(k), i(n));
    let body = vec![
        if_(at(BinOp::Eq, 2), vec![Stmt::new(StmtKind::Continue)]),
        if_(at(BinOp::Ge, 6), vec![Stmt::new(StmtKind::Break)]),
        store(x, v(k), i(100)),
    ];
    let for_ = For {
        var: k,
        min: i(0),
        extent: i(10),
        step: Some(i(2)),
        kind: ForKind::Serial,
        annotations: vec![],
        body,
    };
    b.0.body = vec![Stmt::new(StmtKind::For(Box::new(for_)))];
    let run = b.run(&[]);
    let stored: Vec<usize> =
        ints(&run.memories[0]).iter().enumerate().filter(|(_, v)| **v == 100).map(|(k, _)| k).collect();
    assert_eq!(stored, [0, 4]);
    assert_eq!(run.counts.loop_iterations, 4);
}

/// A loop variable is a value of its type: a loop that would go on behind the last one stops.
#[test]
fn a_loop_variable_overflows() {
    let mut b = Builder::new();
    let x = b.param("x", I32, &[i(2)]);
    let (p, k) = (b.0.new_var("p", Type::Prim(I32)), b.0.new_var("k", Type::Prim(I32)));
    b.0.params.push(Param::Var(p));
    let rest = Expr::binary(BinOp::FloorMod, v(k), i(2));
    let body = vec![store(x, rest, i(1))];
    let for_ =
        For { var: k, min: v(p), extent: i(4), step: None, kind: ForKind::Serial, annotations: vec![], body };
    b.0.body = vec![Stmt::new(StmtKind::For(Box::new(for_)))];
    let most = i64::from(i32::MAX);
    assert_eq!(b.run(&[("p", most - 3)]).counts.loop_iterations, 4);
    assert_eq!(*trap(&b.run(&[("p", most - 2)])), TrapKind::Undefined(Undefined::Overflow));
}

#[test]
fn vectors_work_lane_by_lane() {
    let mut b = Builder::new();
    let (x, y) = (b.param("x", I32, &[i(20)]), b.param("y", I32, &[i(20)]));
    let ramp = Expr::ramp(i(1), i(2), 9);
    let value = add(load(x, ramp.clone()), Expr::broadcast(i(1000), 9));
    b.0.body = vec![store(y, ramp, value)];
    let inputs = b.inputs(&[]);
    let run = b.run(&[]);
    let (before, x, y) = (ints(&inputs.memories[1]), ints(&run.memories[0]), ints(&run.memories[1]));
    for k in 0..20 {
        assert_eq!(y[k], if k % 2 == 1 && k <= 17 { x[k] + 1000 } else { before[k] }, "{k}");
    }
    assert_eq!(run.counts.get(OpClass::AddSub), 2);
    assert_eq!(run.counts.get(OpClass::Load), 2);
    // The last lane is out of range.
    b.0.body = vec![store(BufferId(1), Expr::ramp(i(4), i(2), 9), Expr::broadcast(i(0), 9))];
    let out = TrapKind::OutOfBounds { buffer: "y".into(), dimension: 0, index: 20, extent: 20 };
    assert_eq!(*trap(&b.run(&[])), out);
}

/// A block with a reduction: `init` runs at the first value of the reduction axis only, nothing where the
/// predicate fails.
#[test]
fn blocks_initialize_reductions() {
    let mut b = Builder::new();
    let (x, sum) = (b.param("x", I32, &[i(12)]), b.param("sum", I32, &[i(3)]));
    let (p, q, a, r) = (b.var("p"), b.var("q"), b.var("a"), b.var("r"));
    let axis = |var, binding: VarId, extent, kind| Axis {
        var,
        min: i(0),
        extent: i(extent),
        kind,
        binding: v(binding),
    };
    let index = add(Expr::binary(BinOp::Mul, v(a), i(4)), v(r));
    let block = SBlock {
        name: "sum".into(),
        axes: vec![axis(a, p, 3, AxisKind::Spatial), axis(r, q, 4, AxisKind::Reduce)],
        predicate: Some(Expr::binary(BinOp::Lt, v(a), i(2))),
        reads: None,
        writes: None,
        attrs: vec![],
        alloc_buffers: vec![],
        match_buffers: vec![],
        init: Some(vec![store(sum, v(a), i(0))]),
        body: vec![store(sum, v(a), add(load(sum, v(a)), load(x, index)))],
    };
    let block = Stmt::new(StmtKind::SBlock(Box::new(block)));
    b.0.body = vec![serial(p, i(3), vec![serial(q, i(4), vec![block])])];
    let before = b.inputs(&[]);
    let run = b.run(&[]);
    let x = ints(&before.memories[0]);
    let expected = [x[..4].iter().sum(), x[4..8].iter().sum(), ints(&before.memories[1])[2]];
    assert_eq!(ints(&run.memories[1]), expected);
}

#[test]
fn views_and_strides_share_memory() {
    let mut b = Builder::new();
    let x = b.param("x", I32, &[i(3), i(4)]);
    let flat = b.buffer("flat", I32, &[i(12)], Origin::View(x), "global");
    let column = b.buffer("column", I32, &[i(3)], Origin::View(x), "global");
    b.0.buffers[column.index()].strides = vec![i(4)];
    b.0.buffers[column.index()].elem_offset = Some(i(1));
    let k = b.var("k");
    b.0.body = vec![
        Stmt::new(StmtKind::Decl { buffer: flat }),
        Stmt::new(StmtKind::Decl { buffer: column }),
        serial(k, i(12), vec![store(flat, v(k), v(k))]),
        serial(k, i(3), vec![store(column, v(k), i(-1))]),
        store(flat, i(0), Expr::load(I32, x, vec![i(2), i(3)])),
    ];
    assert_eq!(ints(&b.run(&[]).memories[0]), [11, -1, 2, 3, 4, -1, 6, 7, 8, -1, 10, 11]);
}

#[test]
fn opaque_calls_are_logged_with_what_they_see() {
    let mut b = Builder::new();
    let x = b.param("x", I32, &[i(4)]);
    let k = b.var("k");
    let data = Expr { dtype: DType::HANDLE, kind: crate::ir::ExprKind::BufferData(x) };
    let text = Expr { dtype: DType::HANDLE, kind: crate::ir::ExprKind::Str("f".into()) };
    let call = |args: Vec<Expr>| Expr::call(I32, "call_extern", args);
    b.0.body = vec![
        store(x, i(0), i(7)),
        serial(k, i(2), vec![Stmt::new(StmtKind::Evaluate(call(vec![text.clone(), v(k)])))]),
        Stmt::new(StmtKind::Evaluate(call(vec![text, data]))),
    ];
    let run = b.run(&[]);
    assert_eq!(run.calls.count, 3);
    assert_eq!(run.calls.records[..2], ["call_extern(\"f\", 0)", "call_extern(\"f\", 1)"]);
    assert!(run.calls.records[2].starts_with("call_extern(\"f\", x#"), "{}", run.calls.records[2]);
    // The callee may have written, so it did.
    assert_eq!(ints(&run.memories[0])[1], 7);
    assert_eq!(written_params(&b.0), [true]);
    // A store that moves behind the call changes what the call sees.
    b.0.body.rotate_left(1);
    assert_ne!(b.run(&[]).calls.digest, run.calls.digest);
}

/// Thread t stores to shared memory, then reads its neighbour's element: only right if all threads store first.
#[test]
fn threads_that_share_memory_run_in_lockstep() {
    let mut b = Builder::new();
    let out = b.param("out", I32, &[i(2), i(8)]);
    let (block, t) = (b.var("bx"), b.var("tx"));
    let shared = b.buffer("shared", I32, &[i(8)], Origin::Alloc, "shared");
    let local = b.buffer("local", I32, &[i(1)], Origin::Alloc, "local");
    let next = Expr::binary(BinOp::FloorMod, add(v(t), i(1)), i(8));
    let tens = add(Expr::binary(BinOp::Mul, v(block), i(10)), v(t));
    let alloc = |buffer| Stmt::new(StmtKind::Alloc { buffer, annotations: vec![] });
    let threads = ForKind::ThreadBinding("threadIdx.x".into());
    let first = vec![
        if_(Expr::binary(BinOp::Lt, v(t), i(8)), vec![store(shared, v(t), tens)]),
        store(local, i(0), load(shared, next)),
    ];
    // The local memory of each thread lives on in the second launch of the same threads.
    let value = Expr::load(I32, local, vec![i(0)]);
    let second = vec![Stmt::new(StmtKind::Store { buffer: out, indices: vec![v(block), v(t)], value })];
    let body = vec![
        alloc(shared),
        alloc(local),
        for_kind(t, i(8), threads.clone(), first),
        for_kind(t, i(8), threads, second),
    ];
    b.0.body =
        vec![Stmt::new(StmtKind::LaunchThread { var: block, tag: "blockIdx.x".into(), extent: i(2), body })];
    let expected: Vec<i32> = (0..2).flat_map(|b| (0..8).map(move |t| b * 10 + (t + 1) % 8)).collect();
    let run = b.run(&[]);
    assert!(run.outcome.is_done(), "{:?}", run.outcome);
    assert_eq!(ints(&run.memories[0]), expected);
}

#[test]
fn reductions_over_threads_combine_each_group() {
    let mut b = Builder::new();
    let out = b.param("out", I32, &[i(2), i(4)]);
    let (ty, tx, l, r) = (b.var("ty"), b.var("tx"), b.var("l"), b.var("r"));
    let result = b.buffer("result", I32, &[i(1)], Origin::Alloc, "local");
    let value = add(Expr::binary(BinOp::Mul, v(ty), i(100)), v(tx));
    let args = vec![
        Expr::int(1, DType::uint(32)),
        value,
        Expr::binary(BinOp::Gt, v(tx), i(0)),
        Expr::load(I32, result, vec![i(0)]),
        v(tx),
    ];
    let reduce = Stmt::new(StmtKind::Evaluate(Expr::call(DType::VOID, "tvm_thread_allreduce", args)));
    let reducer = CommReducer { params: vec![l, r], result: vec![add(v(l), v(r))], identity: vec![i(0)] };
    let attr = Stmt::new(StmtKind::Attr {
        node: crate::ir::AttrNode::CommReducer(reducer),
        key: "reduce_scope".into(),
        value: i(0),
        body: vec![reduce],
    });
    let value = Expr::load(I32, result, vec![i(0)]);
    let put = Stmt::new(StmtKind::Store { buffer: out, indices: vec![v(ty), v(tx)], value });
    let alloc = Stmt::new(StmtKind::Alloc { buffer: result, annotations: vec![] });
    let inner = StmtKind::LaunchThread {
        var: tx,
        tag: "threadIdx.x".into(),
        extent: i(4),
        body: vec![alloc, attr, put],
    };
    b.0.body = vec![Stmt::new(StmtKind::LaunchThread {
        var: ty,
        tag: "threadIdx.y".into(),
        extent: i(2),
        body: vec![Stmt::new(inner)],
    })];
    let run = b.run(&[]);
    assert!(run.outcome.is_done(), "{:?}", run.outcome);
    assert_eq!(ints(&run.memories[0]), [6, 6, 6, 6, 306, 306, 306, 306]);
}

#[test]
fn inputs_need_all_bindings_and_follow_the_seed() {
    let mut b = Builder::new();
    let (n, m) = (b.var("n"), b.var("m"));
    b.param("x", F32, &[v(n), add(v(m), i(1))]);
    b.param("y", F32, &[v(m)]);
    let generate = |seed, bindings: &[(&str, i64)]| {
        let bindings = bindings.iter().map(|&(name, v)| (name.to_owned(), v)).collect();
        let fill =
            Fill { seed, constraints: &Constraints::new(), ints: Ints::within(0, 9), special_floats: false };
        Inputs::generate(&b.0, &bindings, &fill)
    };
    assert_eq!(generate(1, &[("n", 2)]), Err(InputError::Unbound(vec!["m".into()])));
    assert_eq!(generate(1, &[("n", -1), ("m", 2)]), Err(InputError::Shape("x".into())));
    let too_large = InputError::Range { name: "n".into(), dtype: I32, value: 1 << 40 };
    assert_eq!(generate(1, &[("n", 1 << 40), ("m", 2)]), Err(too_large));
    let inputs = generate(1, &[("n", 2), ("m", 3)]).unwrap();
    assert_eq!(inputs.memories[0].shape, [2, 4]);
    assert_eq!(inputs, generate(1, &[("n", 2), ("m", 3)]).unwrap());
    assert_ne!(inputs.memories, generate(2, &[("n", 2), ("m", 3)]).unwrap().memories);
    assert_eq!(free_variables(&b.0), [n, m]);
}

/// Programs may be nested as deep as [`crate::ir::MAX_DEPTH`]; compilation must not overflow a test's stack.
#[test]
fn the_deepest_programs_run() {
    let mut b = Builder::new();
    let x = b.param("x", I32, &[i(1)]);
    let mut e = i(0);
    for _ in 0..crate::ir::MAX_DEPTH - 2 {
        e = add(i(1), e);
    }
    let mut body = vec![store(x, i(0), e)];
    for _ in 0..crate::ir::MAX_DEPTH - 2 {
        body = vec![if_(Expr::bool(true), body)];
    }
    b.0.body = body;
    let run = b.run(&[]);
    assert_eq!(ints(&run.memories[0]), [crate::ir::MAX_DEPTH as i32 - 2]);
}
