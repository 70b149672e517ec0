//! One program for each way to break a rule.

use expect_test::{Expect, expect};

use super::{verify, verify_func};
use crate::ir::build::FuncBuilder;
use crate::ir::{
    Axis, AxisKind, BinOp, BufferId, Call, Callee, DType, Expr, ExprKind, MAX_DEPTH, Module, SBlock, Shuffle,
    Stmt, StmtKind, VarId,
};

fn int(v: i64) -> Expr {
    Expr::int(v, DType::I32)
}

/// A function with a buffer `A` of 8 by 8 `int32` and a parameter `n`, with the given body.
fn func(body: impl FnOnce(&mut FuncBuilder, BufferId, VarId)) -> crate::ir::PrimFunc {
    let mut b = FuncBuilder::new("main");
    let n = b.param("n", DType::I32);
    let a = b.buffer_param("A", DType::I32, vec![int(8), int(8)]);
    body(&mut b, a, n);
    b.finish()
}

#[track_caller]
fn check(expected: Expect, body: impl FnOnce(&mut FuncBuilder, BufferId, VarId)) {
    let violations = verify_func(&func(body)).err().unwrap_or_default();
    let lines: Vec<String> = violations.iter().map(|v| format!("{}\n", v.message)).collect();
    expected.assert_eq(&lines.concat());
}

#[test]
fn a_good_program_passes() {
    check(expect![""], |b, a, n| {
        let m = b.bind("m", b.var(n) * 2);
        b.serial("i", b.var(m), |b, i| {
            let i = b.var(i);
            b.if_then(i.clone().lt(b.var(n)), |b| {
                let ramp = Expr::ramp(i.clone(), int(1), 4);
                let value = Expr::broadcast(b.load(a, vec![i.clone(), int(0)]), 4);
                b.store(a, vec![i.clone(), ramp], value);
            });
        });
    });
}

#[test]
fn operands_have_one_type() {
    check(
        expect![[r#"
        the operands of `Add` have one type, found `int32` and `int64`
        `And` does not apply to `int32`
        `not` has type `bool`, found `int32`
        the condition of a `Select` of `int32` is a `bool`, found `int32`
        both arms have the type `int32`, found `int32` and `int64`
    "#]],
        |b, a, n| {
            let sum = Expr::binary(BinOp::Add, b.var(n), Expr::int(1, DType::I64));
            b.store(a, vec![int(0), int(0)], sum);
            let both = Expr::binary(BinOp::And, b.var(n), b.var(n));
            b.evaluate(both);
            b.evaluate(Expr { dtype: DType::I32, kind: ExprKind::Not(Box::new(Expr::bool(true))) });
            b.evaluate(Expr::select(b.var(n), int(1), Expr::int(1, DType::I64)));
        },
    );
}

#[test]
fn constants_fit_their_type() {
    check(
        expect![[r#"
        the constant 300 does not fit `int8`
        the constant 2 does not fit `bool`
        an integer constant has a scalar integer type, found `float32`
        a float constant has a scalar float type, found `int32`
    "#]],
        |b, _, _| {
            b.evaluate(Expr::int(300, DType::int(8)));
            b.evaluate(Expr::int(-1, DType::uint(64)));
            b.evaluate(Expr::int(2, DType::BOOL));
            b.evaluate(Expr::int(0, DType::F32));
            b.evaluate(Expr::float(0.5, DType::I32));
        },
    );
}

#[test]
fn conditions_are_truth_values() {
    check(
        expect![[r#"
        the condition of an `if` is a `bool`, found `int32`
        the condition of a loop is a `bool`, found `boolx4`
        the condition of an assertion is a `bool`, found `int32`
        the condition of `T.if_then_else` is a `bool`, found `int32`
    "#]],
        |b, _, n| {
            b.if_then(b.var(n), |_| {});
            b.while_loop(Expr::broadcast(Expr::bool(true), 4), |_| {});
            b.assert(b.var(n), "n");
            let call = Expr::call(DType::I32, "if_then_else", vec![b.var(n), int(1), int(2)]);
            b.evaluate(call);
        },
    );
}

#[test]
fn accesses_fit_the_buffer() {
    check(
        expect![[r#"
        buffer `A` has 2 dimensions, found 1 indices
        the store is of type `int32`, found a value of `float32`
        an index is an integer, found `float32`
        only the last index may be a vector, found `int32x4` before it
        the load has type `int32x4`, found `int64`
        buffer b7 is not in the function's table
    "#]],
        |b, a, n| {
            let f = Expr::float(1.0, DType::F32);
            b.store(a, vec![int(0)], int(1));
            b.store(a, vec![int(0), int(0)], f.clone());
            b.store(a, vec![int(0), f], int(0));
            b.store(a, vec![Expr::ramp(int(0), int(1), 4), b.var(n)], int(0));
            b.evaluate(Expr::load(DType::I64, a, vec![int(0), Expr::ramp(int(0), int(1), 4)]));
            b.store(BufferId(7), vec![int(0)], int(1));
        },
    );
}

#[test]
fn variables_are_defined_once_before_their_use() {
    check(
        expect![[r#"
        variable `x` is used outside of its scope
        variable `late` is used but not defined before
        variable `late` is defined more than once
        variable `late` has type `int32`, found a value of `int64`
        variable `x` is defined more than once
        variable v99 is not in the function's table
        variable `n` has type `int32`, found `int64`
    "#]],
        |b, a, n| {
            let mut inner = None;
            b.serial("i", b.var(n), |b, i| {
                inner = Some(b.bind("x", b.var(i)));
            });
            let x = inner.unwrap();
            b.store(a, vec![b.var(x), int(0)], int(0));
            let late = b.func_mut().new_var("late", crate::ir::Type::Prim(DType::I32));
            b.evaluate(b.var(late));
            b.push(StmtKind::Bind { var: late, value: int(1) });
            b.push(StmtKind::Bind { var: late, value: Expr::int(1, DType::I64) });
            b.push(StmtKind::Bind { var: x, value: int(1) });
            b.evaluate(Expr::var(VarId(99), DType::I32));
            b.evaluate(Expr::var(n, DType::I64));
        },
    );
}

#[test]
fn buffers_are_defined_before_their_use() {
    check(
        expect![[r#"
        buffer `C` is used outside of its scope
        buffer `C` is used outside of its scope
        shape, strides and offset of buffer `V` are integers, found `float32`
        buffer `A` is defined more than once
    "#]],
        |b, a, n| {
            let mut inner = None;
            b.serial("i", b.var(n), |b, _| {
                inner = Some(b.alloc("C", DType::I32, vec![int(4)]));
            });
            let c = inner.unwrap();
            b.store(c, vec![int(0)], int(0));
            let v = b.view("V", c, DType::I32, vec![Expr::float(1.0, DType::F32)]);
            b.store(v, vec![int(0)], int(0));
            b.push(StmtKind::Alloc { buffer: a, annotations: Vec::new() });
        },
    );
}

#[test]
fn loops_and_threads() {
    check(
        expect![[r#"
        an integer constant has a scalar integer type, found `float32`
        the first value of a loop is a scalar integer, found `float32`
        the extent of a loop is a scalar integer, found `float32`
        `break` outside of a loop
        the number of threads is a scalar integer, found `bool`
        variable `k` has type `int32`, found a first value of `int64`
        the step of a loop is positive
    "#]],
        |b, _, n| {
            b.serial("i", Expr::float(3.0, DType::F32), |b, _| b.push(StmtKind::Continue));
            b.push(StmtKind::Break);
            b.launch_thread("threadIdx.x", Expr::bool(true), |_, _| {});
            b.serial("j", b.var(n), |b, _| b.push(StmtKind::Break));
            let f = b.func_mut();
            let var = f.new_var("k", crate::ir::Type::Prim(DType::I32));
            b.push(StmtKind::For(Box::new(crate::ir::For {
                var,
                min: Expr::int(0, DType::I64),
                extent: int(3),
                step: Some(int(0)),
                kind: crate::ir::ForKind::Serial,
                annotations: Vec::new(),
                body: Vec::new(),
            })));
        },
    );
}

#[test]
fn vectors() {
    check(
        expect![[r#"
        no cast from `int32x4` to `int64`
        a broadcast is of a scalar, found `int32x4`
        base and stride of a ramp are scalars of one type, found `int32x4` and `int32`
        a shuffle of 4 lanes has no lane 4
    "#]],
        |b, _, n| {
            let v = Expr::broadcast(b.var(n), 4);
            b.evaluate(Expr { dtype: DType::I64, kind: ExprKind::Cast(Box::new(v.clone())) });
            b.evaluate(Expr::broadcast(v.clone(), 2));
            b.evaluate(Expr::ramp(v.clone(), int(1), 2));
            let shuffle = Shuffle { vectors: vec![v], indices: vec![int(4)] };
            b.evaluate(Expr { dtype: DType::I32, kind: ExprKind::Shuffle(Box::new(shuffle)) });
        },
    );
}

#[test]
fn arguments_stand_only_in_calls() {
    check(
        expect![[r#"
        buffer `A` has 2 dimensions, found a region of 1
        a tuple is only an argument
        a region is only an argument
        a string is only an argument
        `T.popcount` has type `int32`, found `int64`
        `T.exp` has too few arguments
    "#]],
        |b, a, n| {
            let string = Expr { dtype: DType::HANDLE, kind: ExprKind::Str("s".into()) };
            let tuple = Expr { dtype: DType::VOID, kind: ExprKind::Tuple(Box::new([b.var(n)])) };
            let region = Expr { dtype: DType::HANDLE, kind: ExprKind::Region(a, Box::new([(int(0), None)])) };
            b.evaluate(Expr::call(
                DType::I32,
                "call_packed",
                vec![string.clone(), tuple.clone(), region.clone()],
            ));
            b.evaluate(tuple);
            b.evaluate(region);
            b.bind("s", string);
            b.evaluate(Expr::call(DType::I64, "popcount", vec![b.var(n)]));
            b.evaluate(Expr::call(DType::I32, "abs_of_nothing", vec![]));
            b.evaluate(Expr::call(DType::F32, "exp", vec![]));
        },
    );
}

#[test]
fn blocks() {
    check(
        expect![[r#"
        variable `vi` has type `int64`, found the first value of an axis of `int32`
        variable `vi` has type `int64`, found the extent of an axis of `int32`
        variable `vi` has type `int64`, found the value of an axis of `int32`
        the predicate of a block is a `bool`, found `int32`
        buffer `A` has 2 dimensions, found a region of 1
        variable `vi` is used outside of its scope
    "#]],
        |b, a, n| {
            let var = b.func_mut().new_var("vi", crate::ir::Type::Prim(DType::I64));
            let body = b.block(|b| b.store(a, vec![Expr::var(var, DType::I64), int(0)], int(1)));
            b.push(StmtKind::SBlock(Box::new(SBlock {
                name: "x".into(),
                axes: vec![Axis {
                    var,
                    min: int(0),
                    extent: int(8),
                    kind: AxisKind::Spatial,
                    binding: b.var(n),
                }],
                predicate: Some(b.var(n)),
                reads: Some(vec![crate::ir::BufferRegion { buffer: a, ranges: vec![(int(0), None)] }]),
                writes: None,
                attrs: Vec::new(),
                alloc_buffers: Vec::new(),
                match_buffers: Vec::new(),
                init: None,
                body,
            })));
            b.evaluate(Expr::var(var, DType::I64));
        },
    );
}

#[test]
fn functions_have_names_of_their_own() {
    let call = |name: &str| {
        let call = Call { callee: Callee::Global(name.into()), args: vec![int(1)], kwargs: Vec::new() };
        Expr { dtype: DType::VOID, kind: ExprKind::Call(Box::new(call)) }
    };
    let f = func(|b, _, _| {
        b.evaluate(call("main"));
        b.evaluate(call("other"));
    });
    assert!(verify_func(&f).is_ok());
    let module = Module { funcs: vec![f.clone(), f], ..Module::default() };
    let lines: Vec<String> = verify(&module).unwrap_err().iter().map(|v| format!("{v}\n")).collect();
    expect![[r#"
        function `main`: another function of the module has this name
        function `main`: the module has no function `other`
        function `main`: the module has no function `other`
    "#]]
    .assert_eq(&lines.concat());
}

#[test]
fn deep_programs_end_in_one_violation() {
    let mut e = int(0);
    for _ in 0..MAX_DEPTH + 100 {
        e = Expr::not(e);
    }
    let mut block = vec![Stmt::new(StmtKind::Evaluate(int(0)))];
    for _ in 0..MAX_DEPTH + 100 {
        block = vec![Stmt::new(StmtKind::If { cond: Expr::bool(true), then: block, otherwise: Vec::new() })];
    }
    for f in [func(|b, _, _| b.evaluate(e)), {
        let mut f = func(|_, _, _| {});
        f.body = block;
        f
    }] {
        let violations = verify_func(&f).unwrap_err();
        let deep = violations.iter().filter(|v| v.message == "nested deeper than 1000 levels").count();
        assert_eq!(deep, 1, "{:?}", violations.last());
    }
}
