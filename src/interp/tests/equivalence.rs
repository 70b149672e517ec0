//! Pairs of functions of which the second is a right or a wrong way to write the first.

use super::*;
use crate::interp::outcome::TrapKind;
use crate::ir::{AttrValue, ExprKind, Module};

fn options() -> EquivOptions {
    EquivOptions {
        bindings: Bindings::new(),
        fixed: false,
        constraints: Constraints::new(),
        runs: 20,
        seed: 1,
        tolerance: None,
        max_steps: 1_000_000,
        lenient_loads: false,
        no_new_loads: false,
        accessed_only: false,
        layouts: Vec::new(),
        limits_everywhere: false,
    }
}

fn module(func: PrimFunc) -> Module {
    Module { name: "Module".into(), attrs: vec![], funcs: vec![func] }
}

/// Compares two bodies of one function.
fn compare(b: &Builder, first: Block, second: Block) -> Equivalence {
    let with = |body| module(PrimFunc { body, ..b.0.clone() });
    equiv(&with(first), &with(second), &options()).unwrap()
}

#[track_caller]
fn assert_same(result: &Equivalence) {
    assert!(result.difference.is_none(), "{result:?}");
    assert_eq!(result.compared, 20, "{result:?}");
}

#[track_caller]
fn assert_differs(result: &Equivalence, what: &str) {
    let difference = result.difference.as_ref().expect("a difference");
    assert!(difference.what.contains(what), "{difference:?}");
}

/// `for k in range(n): x[k] = …` with symbolic n, an integer parameter d, and buffers x, y of n elements.
fn over_n() -> (Builder, VarId, VarId, BufferId, BufferId, VarId) {
    let mut b = Builder::new();
    let (n, d) = (b.var("n"), b.var("d"));
    let (x, y) = (b.param("x", I32, &[v(n)]), b.param("y", I32, &[v(n)]));
    b.0.params.push(Param::Var(d));
    let k = b.var("k");
    (b, n, d, x, y, k)
}

#[test]
fn loads_of_what_the_first_program_does_not_access_are_found() {
    let compared = |second: &str, accessed_only: bool| {
        let program = |body: &str| {
            let head = "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\")):\n    \
                        T.func_attr({\"tirx.noalias\": True})\n    ";
            crate::parse(&format!("{head}{body}\n")).unwrap()
        };
        let options = EquivOptions { accessed_only, ..options() };
        equiv(&program("A[2] = B[1]\n    A[3] = B[1]"), &program(second), &options).unwrap()
    };
    // What it stored itself, and what the first one stores or loads at some time.
    assert_same(&compared("A[2] = B[1]\n    A[3] = A[2]", true));
    assert_same(&compared("x: T.let[T.int32] = A[3]\n    A[2] = B[1]\n    A[3] = B[1]", true));
    let reads = "x: T.let[T.int32] = B[2]\n    A[2] = B[1]\n    A[3] = B[1]";
    assert_same(&compared(reads, false));
    let found = compared(reads, true);
    assert_differs(&found, "B[2] is loaded, which the first program does not access");
}

#[test]
fn equal_forms_do_not_differ() {
    let (b, n, d, x, _, k) = over_n();
    let twice = add(v(d), v(d));
    let double = Expr::binary(BinOp::Mul, i(2), v(d));
    let loop_of = |value| vec![serial(k, v(n), vec![store(x, v(k), value)])];
    assert_same(&compare(&b, loop_of(add(twice, v(k))), loop_of(add(v(k), double))));
}

#[test]
fn a_division_hoisted_out_of_a_loop_that_may_run_zero_times_is_found() {
    let (mut b, n, d, x, _, k) = over_n();
    let quotient = Expr::binary(BinOp::FloorDiv, i(100), v(d));
    let q = b.var("q");
    let inside = vec![serial(k, v(n), vec![store(x, v(k), quotient.clone())])];
    let bind = Stmt::new(StmtKind::Bind { var: q, value: quotient });
    let hoisted = vec![bind, serial(k, v(n), vec![store(x, v(k), v(q))])];
    assert_differs(&compare(&b, inside, hoisted), "division by zero");
}

#[test]
fn inputs_on_which_the_first_function_traps_do_not_count() {
    let (b, n, d, x, _, k) = over_n();
    let quotient = Expr::binary(BinOp::FloorDiv, i(100), v(d));
    let traps = vec![serial(k, v(n), vec![store(x, v(k), quotient.clone())])];
    let cond = Expr::binary(BinOp::Ne, v(d), i(0));
    let guarded = Expr::call(I32, "if_then_else", vec![cond, quotient, i(-1)]);
    let total = vec![serial(k, v(n), vec![store(x, v(k), guarded)])];
    let result = compare(&b, traps, total);
    assert_same(&result);
    assert!(result.skipped.contains_key("division by zero"), "{result:?}");
}

/// `y[k] = x[k]; x[k] = 0; y[k] = y[k] + x[k]` with the load of x shared across the store: wrong. With the load of y
/// shared across the store to x: wrong only if both are one buffer.
#[test]
fn aliased_buffers_are_tried_unless_the_function_forbids_it() {
    let (mut b, n, _, x, y, k) = over_n();
    let t = b.var("t");
    let direct = vec![store(x, v(k), i(7)), store(x, v(k), load(y, v(k)))];
    let shared = vec![
        Stmt::new(StmtKind::Bind { var: t, value: load(y, v(k)) }),
        store(x, v(k), i(7)),
        store(x, v(k), v(t)),
    ];
    let loops = |body| vec![serial(k, v(n), body)];
    assert_differs(&compare(&b, loops(direct.clone()), loops(shared.clone())), "x[");
    b.0.attrs = vec![("tirx.noalias".into(), AttrValue::Bool(true))];
    assert_same(&compare(&b, loops(direct), loops(shared)));
}

#[test]
fn float_identities_that_change_bits_are_found() {
    let mut b = Builder::new();
    let n = b.var("n");
    let x = b.param("x", F32, &[v(n)]);
    let k = b.var("k");
    let at = || Expr::load(F32, x, vec![v(k)]);
    let loops = |value| vec![serial(k, v(n), vec![store(x, v(k), value)])];
    let zero = Expr::float(0.0, F32);
    let plus_zero = Expr::binary(BinOp::Add, at(), zero.clone());
    // -0.0 + 0.0 is 0.0.
    assert_differs(&compare(&b, loops(plus_zero.clone()), loops(at())), "x[");
    let minus_zero = Expr::binary(BinOp::Sub, at(), zero);
    assert_same(&compare(&b, loops(minus_zero), loops(at())));
    // A tolerance lets small differences pass.
    let thirds = |e: Expr| Expr::binary(BinOp::Div, e, Expr::float(3.0, F32));
    let by = Expr::float(1.0 / 3.0, F32);
    let (a, c) = (loops(thirds(at())), loops(Expr::binary(BinOp::Mul, at(), by)));
    assert_differs(&compare(&b, a.clone(), c.clone()), "x[");
    let with = |body| module(PrimFunc { body, ..b.0.clone() });
    let tolerant = EquivOptions { tolerance: Some(1e-5), ..options() };
    let result = equiv(&with(a), &with(c), &tolerant).unwrap();
    assert!(result.difference.is_none(), "{result:?}");
}

#[test]
fn order_and_number_of_opaque_calls_count() {
    let (b, n, d, x, _, k) = over_n();
    let data = Expr { dtype: DType::HANDLE, kind: ExprKind::BufferData(x) };
    let call = |arg: Expr| Stmt::new(StmtKind::Evaluate(Expr::call(I32, "call_packed", vec![arg])));
    let (f, g) = (call(v(d)), call(add(v(d), i(1))));
    assert_same(&compare(&b, vec![f.clone(), g.clone()], vec![f.clone(), g.clone()]));
    assert_differs(&compare(&b, vec![f.clone(), g.clone()], vec![g, f.clone()]), "opaque call 0");
    assert_differs(&compare(&b, vec![f.clone(), f.clone()], vec![f]), "2 opaque calls, 1");
    // The call may write x: a load cannot move across it.
    let write = call(data);
    let t = VarId(d.0);
    let before = vec![write.clone(), serial(k, v(n), vec![store(BufferId(1), v(k), load(x, v(k)))])];
    let after = vec![serial(k, v(n), vec![store(BufferId(1), v(k), load(x, v(k)))]), write];
    assert_eq!(t, d);
    assert_differs(&compare(&b, before, after), "y[");
}

#[test]
fn modules_must_have_the_same_functions() {
    let (b, ..) = over_n();
    let one = module(b.0.clone());
    let mut other = one.clone();
    other.funcs[0].name = "other".into();
    let result = equiv(&one, &other, &options()).unwrap();
    assert_differs(&result, "second module only");
    other.funcs[0].name = "main".into();
    other.funcs[0].params.pop();
    assert!(equiv(&one, &other, &options()).is_ok());
    other.funcs[0].params.remove(0);
    let result = equiv(&one, &other, &options()).unwrap();
    assert_differs(&result, "the parameters differ");
}

#[test]
fn reports_of_runs_are_json() {
    let (mut b, n, d, x, _, k) = over_n();
    b.0.body = vec![serial(k, v(n), vec![store(x, v(k), v(d))]), Stmt::new(StmtKind::Return(v(n)))];
    let run = |seed| {
        let options = RunOptions {
            bindings: [("n".to_owned(), 3), ("d".to_owned(), 5)].into(),
            constraints: Constraints::new(),
            seed,
            tensors: vec![],
            max_steps: 1_000_000,
            lenient_loads: false,
        };
        run_function(&b.0, &options).unwrap()
    };
    let report = run(1);
    assert!(report.done && report.returned.as_deref() == Some("3"), "{report:?}");
    assert_eq!(report.outputs.len(), 1);
    assert_eq!(report.outputs, run(2).outputs);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["counts"]["store"], 3);
    assert_eq!(json["static_counts"]["store"], 1);
    assert_eq!(json["outputs"][0]["name"], "x");
    assert_eq!(json["outputs"][0]["shape"], serde_json::json!([3]));
}

#[test]
fn what_threads_that_race_compute_is_not_compared() {
    let program = |body: &str| {
        let text = format!(
            "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\")):\n    t = T.launch_thread(\"threadIdx.x\", 4)\n    {body}\n"
        );
        crate::parse(&text).unwrap()
    };
    let compared = |a: &str, b: &str| equiv(&program(a), &program(b), &options()).unwrap();
    for (first, second) in [
        // One thread reads what another one writes; several write different values.
        ("A[t] = A[0] + t", "A[t] = A[4] + t"),
        ("A[t // 2] = t", "A[t // 2] = 3 - t"),
    ] {
        let result = compared(first, second);
        assert!(result.difference.is_none() && result.compared == 0, "{result:?}");
        assert!(
            result.skipped.keys().all(|why| why.contains("threads race for an element of `A`")),
            "{result:?}"
        );
    }
    // An element of each thread's own, and the same value from all, are no races.
    assert_differs(&compared("A[t] = A[t] + 1", "A[t] = A[t] + 2"), "A[0]");
    assert_differs(&compared("A[0] = 5", "A[0] = 6"), "A[0]");
    assert_differs(&compared("A[t + 4] = A[t]", "A[t + 4] = A[0]"), "A[");
}

/// Where runs are too long, the next ones have smaller sizes, so that some are compared.
#[test]
fn runs_become_shorter_until_they_are_short_enough() {
    let (b, n, _, x, _, k) = over_n();
    let (mut b, inner) = (b, 4);
    // `for k in range(n)`, and four loops of n iterations in it.
    let mut body = vec![store(x, v(k), v(k))];
    for depth in 0..inner {
        let var = b.var(&format!("i{depth}"));
        body = vec![serial(var, v(n), body)];
    }
    let body = vec![serial(k, v(n), body)];
    let of = module(PrimFunc { body, ..b.0 });
    let short = EquivOptions { max_steps: 5_000, ..options() };
    let result = equiv(&of, &of, &short).unwrap();
    let too_long = result.skipped.get(&TrapKind::StepLimit.to_string()).copied().unwrap_or(0);
    assert_eq!(result.compared, 20, "{result:?}");
    assert!((1..=6).contains(&too_long), "{result:?}");
}
