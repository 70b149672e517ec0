//! Programs as text: the constructs that are tedious to build in Rust.

use super::*;

/// A run of the only function of a module, and the inputs that it started from.
pub(super) struct Ran {
    pub(super) inputs: Inputs,
    pub(super) run: Run,
}

impl Ran {
    #[track_caller]
    fn tensor(&self, name: &str) -> &Tensor {
        self.run.memories.iter().find(|t| &*t.name == name).expect("a parameter of that name")
    }

    /// The elements of a buffer after the run, as numbers.
    #[track_caller]
    pub(super) fn after(&self, name: &str) -> Vec<f64> {
        numbers(self.tensor(name))
    }

    /// The elements before the run.
    #[track_caller]
    pub(super) fn before(&self, name: &str) -> Vec<f64> {
        numbers(self.inputs.memories.iter().find(|t| &*t.name == name).expect("a parameter of that name"))
    }
}

fn numbers(tensor: &Tensor) -> Vec<f64> {
    (0..tensor.lanes()).map(|k| tensor.lane_text(k).parse().unwrap()).collect()
}

/// Runs a function with this signature and body, the body indented by one step.
#[track_caller]
pub(super) fn run(signature: &str, bindings: &[(&str, i64)], body: &str) -> Ran {
    let mut text = format!("@T.prim_func(s_tir=True)\ndef main({signature}):\n");
    for line in body.lines().filter(|line| !line.trim().is_empty()) {
        text += &format!("{line}\n");
    }
    let module = crate::script::parse("test", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let func = &module.funcs[0];
    let bindings = bindings.iter().map(|&(name, v)| (name.to_owned(), v)).collect();
    let fill =
        Fill { seed: 3, constraints: &Constraints::new(), ints: Ints::within(0, 9), special_floats: false };
    let inputs = Inputs::generate(func, &bindings, &fill).unwrap();
    let run = Interpreter::new(func).unwrap().run(&inputs, MODE);
    Ran { inputs, run }
}

#[track_caller]
pub(super) fn done(signature: &str, bindings: &[(&str, i64)], body: &str) -> Ran {
    let ran = run(signature, bindings, body);
    assert!(ran.run.outcome.is_done(), "{:?}", ran.run.outcome);
    ran
}

#[test]
fn while_loops_break() {
    let ran = done(
        r#"A: T.Buffer((8,), "int32")"#,
        &[],
        r#"
    K = T.alloc_buffer((1,), "int32")
    K[0] = 0
    while K[0] < 8:
        if K[0] == 5:
            break
        A[K[0]] = -1
        K[0] = K[0] + 1
    "#,
    );
    assert_eq!(ran.after("A")[..5], [-1.0; 5]);
    assert_eq!(ran.after("A")[5..], ran.before("A")[5..]);
    assert_eq!(ran.run.counts.loop_iterations, 6);
}

#[test]
fn small_integers_wrap() {
    let ran = done(
        r#"A: T.Buffer((6,), "uint8"), B: T.Buffer((6,), "int16")"#,
        &[],
        r#"
    for i in range(6):
        A[i] = A[i] + T.uint8(250)
        B[i] = B[i] * T.int16(20000)
    "#,
    );
    for k in 0..6 {
        assert_eq!(ran.after("A")[k], (ran.before("A")[k] + 250.0) % 256.0);
        let exact = ran.before("B")[k] as i64 * 20000;
        assert_eq!(ran.after("B")[k], f64::from(exact as i16));
    }
}

/// Each operation on `float16` rounds: 0.1 is not 0.1 there.
#[test]
fn narrow_floats_round_after_each_operation() {
    let ran = done(
        r#"A: T.Buffer((4,), "float16"), B: T.Buffer((4,), "bfloat16"), C: T.Buffer((4,), "int32")"#,
        &[],
        r#"
    for i in range(4):
        A[i] = T.Cast("float16", C[i]) * T.float16(0.1) + T.float16(1.0)
        B[i] = T.Cast("bfloat16", C[i] + 300)
    "#,
    );
    for k in 0..4 {
        let c = ran.before("C")[k];
        let round = |v: f64| half::f16::from_f64(v).to_f64();
        assert_eq!(ran.after("A")[k], round(round(c * round(0.1)) + 1.0));
        // 8 bits of precision: even numbers only above 256, ties to even.
        assert_eq!(ran.after("B")[k], half::bf16::from_f64(c + 300.0).to_f64());
    }
}

#[test]
fn matched_regions_have_the_strides_of_what_they_match() {
    let ran = done(
        r#"A: T.Buffer((4, 8), "int32")"#,
        &[],
        r#"
    s0 = T.int32()
    e0 = T.int32()
    for i in range(2):
        with T.sblock("b"):
            vi = T.axis.spatial(2, i)
            T.reads(A[vi * 2:vi * 2 + 2, 2:6])
            T.writes(A[vi * 2:vi * 2 + 2, 2:6])
            sub = T.match_buffer(A[vi * 2:vi * 2 + 2, 2:6], (2, 4), "int32", strides=(s0, 1), elem_offset=e0)
            for j, k in T.grid(2, 4):
                sub[j, k] = s0 * 1000 + e0 * 10 + k
    "#,
    );
    for (k, v) in ran.after("A").into_iter().enumerate() {
        let (row, column) = (k / 8, k % 8);
        let expected = if (2..6).contains(&column) {
            8000.0 + (row / 2 * 16 + 2) as f64 * 10.0 + (column - 2) as f64
        } else {
            ran.before("A")[k]
        };
        assert_eq!(v, expected, "row {row}, column {column}");
    }
}

#[test]
fn handles_are_matched_and_declared() {
    let ran = done(
        "a: T.handle, p: T.handle(\"float32\"), n: T.int32",
        &[("n", 3), ("m", 4)],
        r#"
    m = T.int32()
    A = T.match_buffer(a, (m, 2), "int32")
    P = T.decl_buffer((2, n), data=p)
    for i in range(m):
        A[i, 1] = n + i
    P[1, n - 1] = T.float32(0.5)
    "#,
    );
    let rows: Vec<f64> = ran.after("A").into_iter().skip(1).step_by(2).collect();
    assert_eq!(rows, [3.0, 4.0, 5.0, 6.0]);
    assert_eq!(ran.after("p")[5], 0.5);
}

#[test]
fn let_expressions_and_bindings_are_counted() {
    let ran = done(
        r#"A: T.Buffer((2,), "int32"), n: T.int32"#,
        &[("n", 5)],
        r#"
    y = T.int32()
    x: T.let[T.int32] = n * 3
    A[0] = T.Let(y + y, where={y: x - 1})
    A[1] = T.shift_left(n, 2) + T.bitwise_and(n, 4) + T.truncmod(-7, 4 + n)
    "#,
    );
    assert_eq!(ran.after("A"), [28.0, 20.0 + 4.0 - 7.0]);
    assert_eq!(ran.run.counts.get(OpClass::Bind), 2);
    assert_eq!(ran.run.counts.get(OpClass::Shift), 1);
}

#[test]
fn allocations_in_loops_are_fresh_each_time() {
    let ran = done(
        r#"A: T.Buffer((3,), "int32")"#,
        &[],
        r#"
    for i in range(3):
        K = T.alloc_buffer((2,), "int32")
        A[i] = K[0]
        K[0] = i
    "#,
    );
    assert_eq!(ran.after("A"), [f64::from(i32::from_le_bytes([0xcd; 4])); 3]);
}

#[test]
fn traps_know_their_statement() {
    let body = "
    for i in range(8):
        A[i] = 1
        A[i + 1] = 2
    ";
    let ran = run(r#"A: T.Buffer((8,), "int32")"#, &[], body);
    let Outcome::Trap(trap) = &ran.run.outcome else { unreachable!("index 8 is out of range") };
    assert!(matches!(trap.kind, TrapKind::OutOfBounds { index: 8, extent: 8, .. }));
    let text = format!(
        "@T.prim_func(s_tir=True)\ndef main(A: T.Buffer((8,), \"int32\")):\n{}\n",
        body.trim_matches('\n').trim_end()
    );
    assert!(text[trap.span.start as usize..].starts_with("A[i + 1] = 2"), "{:?}", trap.span);
}

#[test]
fn views_of_another_type_read_the_same_bytes() {
    let ran = done(
        r#"A: T.Buffer((2,), "float32"), B: T.Buffer((2,), "int32")"#,
        &[],
        r#"
    V = T.decl_buffer((8,), "uint8", data=A.data)
    W = T.decl_buffer((2,), "int32", data=A.data)
    A[0] = T.float32(1.0)
    A[1] = T.float32(-2.0)
    B[0] = W[0]
    B[1] = T.Cast("int32", V[7]) + T.reinterpret("int32", A[1])
    "#,
    );
    let minus_two = f64::from((-2.0f32).to_bits() as i32);
    assert_eq!(ran.after("B"), [f64::from(1.0f32.to_bits() as i32), f64::from(0xc0) + minus_two]);
}

#[test]
fn vector_conditions_select_per_lane() {
    let ran = done(
        r#"A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")"#,
        &[],
        r#"
    B[0:8] = T.Select(A[0:8] < T.Broadcast(4, 8), T.Ramp(0, 2, 8), T.Broadcast(-1, 8))
    "#,
    );
    for (k, a) in ran.before("A").into_iter().enumerate() {
        assert_eq!(ran.after("B")[k], if a < 4.0 { 2.0 * k as f64 } else { -1.0 });
    }
    assert_eq!(ran.run.counts.get(OpClass::Select), 1);
}

/// The value of an unknown pure call follows from name and arguments; it is not logged.
#[test]
fn unknown_pure_calls_are_functions() {
    let ran = done(
        r#"A: T.Buffer((3,), "float32")"#,
        &[],
        r#"
    A[0] = T.call_pure_extern("float32", "g", 1)
    A[1] = T.call_pure_extern("float32", "g", 1)
    A[2] = T.call_pure_extern("float32", "g", 2)
    "#,
    );
    let a = ran.after("A");
    assert_eq!(a[0], a[1]);
    assert_ne!(a[0], a[2]);
    assert_eq!(ran.run.calls.count, 0);
}

/// Where nothing branches, what the cost model expects to run is what runs.
#[test]
fn the_cost_model_counts_the_same() {
    use crate::cost::{Profile, cost_of_func};
    let text = r#"
@T.prim_func(s_tir=True)
def main(A: T.Buffer(("n", 8), "float32"), B: T.Buffer((n, 8), "float32"), C: T.Buffer((n,), "int32")):
    n = T.int32()
    A_1 = A.view(n * 8)
    S = T.alloc_buffer((8,), "float32")
    for i in range(n):
        q: T.let[T.int32] = (i * 8 + n) // 3 % 8
        for j in T.serial(0, 8, step=2):
            S[j] = T.exp(A_1[i * 8 + j]) / T.Cast("float32", T.max(q, j) + 1)
        for j in T.vectorized(4):
            B[i, j] = T.Select(j < q, S[0], -A[i, j])
        B[i, 0:8] = A_1[i * 8:i * 8 + 8] * T.Broadcast(T.float32(2.0), 8)
        C[i] = T.shift_right(q, 1) + T.truncdiv(q - 5, i + 1)
"#;
    let module = crate::script::parse("test", text).unwrap();
    let bindings: Bindings = [("n".to_owned(), 7)].into();
    let fill =
        Fill { seed: 1, constraints: &Constraints::new(), ints: Ints::within(0, 9), special_floats: false };
    let inputs = Inputs::generate(&module.funcs[0], &bindings, &fill).unwrap();
    let interpreter = Interpreter::new(&module.funcs[0]).unwrap();
    let run = interpreter.run(&inputs, MODE);
    assert!(run.outcome.is_done(), "{:?}", run.outcome);
    let expected = cost_of_func(&module.funcs[0], &Profile::default(), &bindings);
    for (class, count) in expected.classes() {
        assert_eq!(interpreter.static_counts().get(class), count.count, "{} in the text", class.name());
        assert_eq!(run.counts.get(class) as f64, count.runs.to_f64(), "{} executed", class.name());
    }
}
