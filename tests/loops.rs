//! Programs before and after the passes on loops: the interpreter finds no difference at sizes of 0, 1 and more, and what is
//! executed goes down.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use satir::cse::{Hoisting, Loops, Options};
use satir::fuzz::compare_options;
use satir::interp::{Bindings, Constraints, EquivOptions, RunOptions, equiv, run_function};
use satir::ir::Module;
use satir::ir::opclass::OpClass;
use satir::passes;

fn program(parameters: &str, body: &str) -> Module {
    let mut text = format!(
        "@T.prim_func(s_tir=True)\ndef main({parameters}):\n    T.func_attr({{\"tirx.noalias\": True}})\n"
    );
    for line in body.trim_matches('\n').lines() {
        text += &format!("    {line}\n");
    }
    satir::parse(&text).unwrap_or_else(|e| panic!("{text}{e}"))
}

fn ran(module: &Module, pipeline: &str, options: &Options) -> Module {
    passes::run(module, &passes::select(pipeline).unwrap(), options)
        .unwrap_or_else(|e| panic!("{e}\n{module}"))
}

/// Compares runs; inputs of size 0 and 1 are among them.
#[track_caller]
fn same(before: &Module, after: &Module) {
    let options = EquivOptions { runs: 24, max_steps: 3_000_000, ..compare_options(before, 1) };
    let result = equiv(before, after, &options).unwrap();
    assert!(result.difference.is_none(), "{:?}\n{before}\n{after}", result.difference);
    assert!(result.compared > 6, "{:?}", result.skipped);
}

/// What the pass makes of a program, compared with it.
#[track_caller]
fn after(pass: &str, parameters: &str, body: &str) -> String {
    let before = program(parameters, body);
    let made = ran(&before, pass, &Options::default());
    same(&before, &made);
    // With sharing behind it as well.
    same(&before, &ran(&made, "semantic-cse", &Options::default()));
    made.to_string()
}

/// How often operations of a class are executed.
fn executed(module: &Module, class: OpClass, bindings: &[(&str, i64)]) -> u64 {
    let bindings: Bindings = bindings.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let options = RunOptions {
        bindings,
        constraints: Constraints::new(),
        seed: 0,
        tensors: Vec::new(),
        max_steps: 10_000_000,
        lenient_loads: false,
    };
    let report = run_function(&module.funcs[0], &options).unwrap();
    assert!(report.done, "{}", report.outcome);
    report.counts.get(class)
}

const FLAT: &str = r#"A: T.Buffer((5000,), "int32"), B: T.Buffer((5000,), "int32")"#;

#[test]
fn quotients_become_loops() {
    let made = after("loops", FLAT, "for f in range(600):\n    B[f] = A[f % 30 * 20 + f // 30]");
    assert!(!made.contains('%') && !made.contains("//"), "{made}");
    // The last row is not complete.
    let made = after("loops", FLAT, "for f in range(619):\n    B[f] = A[f % 30 * 100 + f // 30]");
    assert!(!made.contains('%') && !made.contains("//"), "{made}");
    // Nor is the first.
    let made = after("loops", FLAT, "for f in range(600):\n    B[f] = A[(f + 7) % 30 * 100 + (f + 7) // 30]");
    assert!(!made.contains('%') && !made.contains("//"), "{made}");
    // A quotient that is not spelled as one.
    let made =
        after("loops", FLAT, "for f in range(600):\n    B[f] = A[(2 * f + 1) // 60 + (f * 4 + 1) % 120]");
    assert!(!made.contains('%') && !made.contains("//"), "{made}");
    // Three divisors, each of which divides the next.
    let made = after(
        "loops",
        FLAT,
        "for f in range(1800):\n    B[f] = A[f // 180 + f // 6 % 30 * 10 + f % 6 * 300]",
    );
    assert!(!made.contains('%') && !made.contains("//"), "{made}");
}

#[test]
fn split_loops_are_joined_first() {
    let body = "for a, b in T.grid(233, 13):\n    if a * 13 + b < 3024:\n        B[a * 13 + b] = A[(a * 13 + b) % 84 * 36 + (a * 13 + b) // 84]";
    let made = after("loops", FLAT, body);
    assert!(!made.contains('%') && !made.contains("//") && !made.contains("if"), "{made}");
    // The condition is on a quotient of what is joined.
    let body = "for a, b, c in T.grid(42, 7, 8):\n    if b * 4 + c // 2 < 27:\n        B[a * 54 + b * 8 + c] = A[a * 60 + b * 8 + c]";
    let made = after("loops", FLAT, body);
    assert!(made.contains("T.grid(42, 54)") && !made.contains("if"), "{made}");
    let body = "for a, b, c in T.grid(104, 5, 3):\n    B[a * 15 + b * 3 + c] = A[a % 13 * 120 + a // 13 * 15 + b * 3 + c]";
    let made = after("loops", FLAT, body);
    assert!(!made.contains('%') && !made.contains("//"), "{made}");
}

#[test]
fn conditions_on_quotients_become_bounds() {
    // As TVM writes a tiled nest before it simplifies it: the quotients say where the tiles end, not how the loops are numbered.
    let body = "for c, y, x, v, u in T.grid(8, 3, 3, 5, 6):\n    if (y * 5 + v) // 13 < 1 and (x * 2 + u // 3) // 5 < 1:\n        for r, s in T.grid(3, 3):\n            B[c * 195 + y * 75 + v * 15 + x * 6 + u] = B[c * 195 + y * 75 + v * 15 + x * 6 + u] + T.if_then_else(1 <= y * 5 + v + r and (y * 5 + v + r) // 14 < 1 and 1 <= x * 6 + u + s, A[y * 75 + v * 15 + r * 15 + x * 6 + u + s - 16], 0)";
    let made = after("loops", FLAT, body);
    assert!(!made.contains("//") && !made.contains("if "), "{made}");
    // What is compared with the quotient varies as well: rows of 12 leave one comparison for each.
    let body = "for f in range(600):\n    B[f] = T.if_then_else(f % 120 // 12 < A[f // 120], A[f], 0)";
    let made = after("loops", FLAT, body);
    assert!(!made.contains('%') && !made.contains("//"), "{made}");
}

#[test]
fn conditions_in_inner_loops_become_bounds_of_outer_ones() {
    let body = "for a, x, v, u in T.grid(3, 2, 5, 6):\n    if 10 + v < 13 and B[v * 30 + u] < 9:\n        B[v * 30 + u] = A[x * 6 + u * 40 + v] + B[a]";
    let made = after("loops", FLAT, body);
    assert!(made.contains("3, 6") && !made.contains("13"), "{made}");
    // The condition is not that of all that is done.
    let body = "for v, u in T.grid(5, 6):\n    if v < 3:\n        B[v * 30 + u] = A[u * 40 + v]\n    else:\n        B[u] = v";
    after("loops", FLAT, body);
}

#[test]
fn symbolic_sizes_may_be_zero() {
    let parameters = r#"A: T.Buffer(("n", "m"), "int32"), B: T.Buffer((m, n), "int32")"#;
    let body = "n, m = T.int32(), T.int32()\nfor f in range(n * m):\n    B[f // n, f % n] = A[f % n, f // n]";
    let made = after("loops", parameters, body);
    assert!(!made.contains('%') && !made.contains("//"), "{made}");
    let body = "n, m = T.int32(), T.int32()\nfor a, b in T.grid((n * m + 6) // 7, 7):\n    if a * 7 + b < n * m:\n        B[(a * 7 + b) // n, (a * 7 + b) % n] = A[(a * 7 + b) % n, (a * 7 + b) // n]";
    let made = after("loops", parameters, body);
    assert!(!made.contains('%') && !made.contains("if "), "{made}");
}

#[test]
fn order_is_kept() {
    // Each iteration reads what earlier ones wrote.
    after("loops", FLAT, "for f in range(84):\n    A[f + 13] = A[f % 7 + 6] + A[f + 12] * 3 % 11");
    after("loops", FLAT, "for f in range(100):\n    A[f // 7] = A[f % 7] + A[f // 7] + f");
    // Sums of floats are the same to the last bit.
    let parameters = r#"A: T.Buffer((300,), "float32"), B: T.Buffer((20,), "float32")"#;
    after("loops", parameters, "for f in range(300):\n    B[f % 20] = B[f % 20] + A[f]");
}

#[test]
fn loops_with_other_bounds() {
    for body in [
        "for f in range(-7, 93):\n    B[f + 7] = A[f % 10 * 9 + f // 10 + 1]",
        "for f in range(x, x + 60):\n    B[f - x] = A[f % 10 * 9]",
        "for f in range(T.min(T.max(x, 0), 300)):\n    B[f] = A[f % 10 * 9 + f // 10]",
        "for f in range(0, 100, 3):\n    B[f] = A[f % 9 * 9 + f // 9]",
        "for f in range(0):\n    B[f] = A[f % 9]",
        // The body writes what the loop starts with.
        "for f in range(A[0], A[0] + 10):\n    A[0] = f % 5",
        "for f in range(A[0], A[0] + 10):\n    for g in range(3):\n        A[0] = (f * 3 + g) % 5",
        "for f in range(1):\n    B[f] = A[f % 9]",
        "for i, f in T.grid(5, 90):\n    if f < i * 17:\n        B[f] = B[f] + A[f % 9 * 10 + f // 9]",
    ] {
        after("loops", &format!("{FLAT}, x: T.int32"), body);
    }
}

#[test]
fn what_must_stay_stays() {
    for body in [
        "for f in range(600):\n    if A[f] == 3:\n        break\n    B[f] = A[f % 30 * 20 + f // 30]",
        "for f in T.unroll(60):\n    B[f] = A[f % 30 * 20 + f // 30]",
        "for f in T.parallel(600):\n    B[f] = A[f % 30 * 20 + f // 30]",
        "for f in T.vectorized(60):\n    B[f] = A[f % 30 * 20 + f // 30]",
        "for f in T.serial(600, annotations={\"pragma_auto_unroll_max_step\": 16}):\n    B[f] = A[f % 30 * 20 + f // 30]",
    ] {
        let before = program(FLAT, body);
        assert_eq!(ran(&before, "loops", &Options::default()), before);
    }
}

#[test]
fn remainders_hide_no_quotient() {
    let text = after(
        "loops",
        "A: T.Buffer((200,), \"float32\"), B: T.Buffer((240, 5), \"float32\"), C: T.Buffer((240,), \"float32\")",
        "
for x in range(240):
    C[x] = A[(2 * x + x % 2) // 12] + B[x, x % 5]
",
    );
    assert!(!text.contains("//"), "{text}");
}

#[test]
fn a_test_whose_arms_do_the_same_is_no_reason_to_cut() {
    let text = after(
        "loops",
        "A: T.Buffer((64,), \"int32\"), n: T.int32",
        "
for i in range(64):
    if i < n:
        A[(i // 8) * 8 + i % 8] = i * 2 + n
    else:
        A[i] = n + i + i
",
    );
    assert_eq!(text.matches("for ").count(), 1, "{text}");
}

#[test]
fn a_parallel_loop_is_split_only_if_asked_for() {
    let before = program(FLAT, "for f in T.parallel(600):\n    B[f] = A[f % 30 * 20 + f // 30]");
    assert_eq!(ran(&before, "loops", &Options::default()), before);
    let options = Options { loops: Loops { parallel: true, ..Loops::default() }, ..Options::default() };
    let made = ran(&before, "loops", &options);
    same(&before, &made);
    // The loop of quotients stays parallel, and the one of remainders is serial.
    let text = made.to_string();
    assert!(text.contains("in T.parallel(20):") && text.matches("T.parallel").count() == 1, "{text}");
    assert!(text.contains("in range(30):") && !text.contains("//") && !text.contains('%'), "{text}");
}

#[test]
fn conditions_become_bounds() {
    let made = after(
        "loops",
        FLAT,
        "for r, c in T.grid(13, 100):\n    B[r * 100 + c] = T.if_then_else(30 <= c, A[r * 70 + c - 30], A[r * 30 + c + 2000])",
    );
    assert!(!made.contains("if_then_else"), "{made}");
    let made = after(
        "loops",
        FLAT,
        "for r, c in T.grid(13, 100):\n    if c < 60 and r < 9:\n        B[r * 100 + c] = A[c * 30 + r]",
    );
    assert!(!made.contains("if"), "{made}");
}

#[test]
fn first_iterations_go_in_front() {
    let parameters = r#"A: T.Buffer(("n", "m"), "float32"), B: T.Buffer((n,), "float32")"#;
    let body = "n, m = T.int32(), T.int32()\nfor i, k in T.grid(n, m):\n    if k == 0:\n        B[i] = T.float32(0)\n    B[i] = B[i] + A[i, k]";
    let made = after("loops", parameters, body);
    assert!(made.contains("if 0 < m") || made.contains("if m > 0") || made.contains("if 1 <= m"), "{made}");
    assert!(!made.contains("k == 0"), "{made}");
}

/// Whether the pass takes the test of a reduction's first iteration out of its loops: `init` stands in front of the first
/// loop over `k`.
#[track_caller]
fn is_decomposed(parameters: &str, body: &str) -> bool {
    let made = after("loops", parameters, body);
    let reduction = made.find("k,").or_else(|| made.find("for k")).unwrap_or(0);
    made[reduction..].find("k == 0").is_none() && !made[reduction..].contains("= 7")
}

#[test]
fn initializations_go_in_front_of_reductions() {
    const SUMS: &str =
        r#"A: T.Buffer((96, 90), "int32"), B: T.Buffer((96,), "int32"), n: T.int32, m: T.int32"#;
    // The loop over the elements is inside, as tiled schedules have it.
    let tiled = "for i, k, j in T.grid(16, 90, 6):\n    if k == 0:\n        B[i * 6 + j] = 7\n    B[i * 6 + j] = B[i * 6 + j] + A[i * 6 + j, k]";
    assert!(is_decomposed(SUMS, tiled));
    // Four elements after each other, as unrolled schedules have them.
    let one = |at: usize| {
        format!(
            "    if k == 0:\n        B[i * 4 + {at}] = 7\n    B[i * 4 + {at}] = B[i * 4 + {at}] + A[i * 4 + {at}, k]\n"
        )
    };
    let unrolled = format!("for i, k in T.grid(24, 90):\n{}{}{}{}", one(0), one(1), one(2), one(3));
    assert!(is_decomposed(SUMS, &unrolled));
    // The reduction may not run.
    let symbolic = tiled.replace("T.grid(16, 90, 6)", "T.grid(16, T.min(n, 90), 6)");
    assert!(is_decomposed(SUMS, &symbolic));
    // The same element is read before it is initialized: that of another row, or of the same.
    for read in ["B[i * 6 + j + 1]", "B[T.min(i * 6 + j + m % 2, 95)]"] {
        let reads = tiled.replace("+ A[i * 6 + j, k]", &format!("+ {read}"));
        let before = program(SUMS, &reads.replace("T.grid(16,", "T.grid(15,"));
        same(&before, &ran(&before, "loops", &Options::default()));
    }
    let overlapping = unrolled.replace("i * 4 +", "i * 4 % 8 // 4 +");
    let before = program(SUMS, &overlapping);
    same(&before, &ran(&before, "loops", &Options::default()));
    // What stands before it in the loop stores to the element.
    let kept = "for i, k, j in T.grid(16, 90, 6):\n    B[i * 6 + j] = A[i * 6 + j, k]\n    if k == 0:\n        B[i * 6 + j] = 7";
    let made = after("loops", SUMS, kept);
    assert!(made.find("A[i * 6 + j, ") < made.find("= 7"), "{made}");
    // An index that the loop binds has no value in front of it.
    let bound = "for i, k, j in T.grid(16, 90, 6):\n    x: T.let[T.int32] = A[0, 0] * 0 + i * 6 + j\n    if k == 0:\n        B[x] = 7\n    B[x] = B[x] + A[i * 6 + j, k]";
    let before = program(SUMS, bound);
    same(&before, &ran(&before, "loops", &Options::default()));
    // Nor is there a buffer that the loop declares.
    let view = tiled
        .replace(":\n    if", ":\n    V = T.decl_buffer((96,), \"int32\", data=B.data)\n    if")
        .replace("B[", "V[");
    let before = program(SUMS, &view);
    same(&before, &ran(&before, "loops", &Options::default()));
}

#[test]
fn others_may_see_the_order_of_stores_to_volatile_memory() {
    let body = "with T.attr(B.data, \"volatile_scope\", 1):\n    for i, k, j in T.grid(16, 90, 6):\n        if k == 0:\n            B[i * 6 + j] = 7\n        C[i * 6 + j, k] = A[i * 6 + j, k] + 1";
    let parameters =
        r#"A: T.Buffer((96, 90), "int32"), B: T.Buffer((96,), "int32"), C: T.Buffer((96, 90), "int32")"#;
    let made = ran(&program(parameters, body), "loops", &Options::default()).to_string();
    let (init, other) = (made.find("] = 7").unwrap(), made.find("C[i").unwrap());
    let plain = body.replace("with T.attr(B.data, \"volatile_scope\", 1):", "if True:");
    let moved = ran(&program(parameters, &plain), "loops", &Options::default()).to_string();
    assert!(init < other && !made[init..other].contains("for "), "{made}");
    let (init, other) = (moved.find("] = 7").unwrap(), moved.find("C[i").unwrap());
    assert!(moved[init..other].contains("for "), "{moved}");
}

#[test]
fn a_while_inside() {
    let body = "c = T.alloc_buffer((1,), \"int32\")\nfor f in range(90):\n    c[0] = f % 9\n    while c[0] < 9:\n        B[f // 9 + c[0]] = A[c[0]] + f % 9\n        c[0] = c[0] + 1";
    after("loops", FLAT, body);
}

#[test]
fn growth_is_bounded() {
    let body = "for r, c in T.grid(40, 40):\n    B[r * 40 + c] = T.if_then_else(3 <= c and c < 37 and 3 <= r and r < 37, A[r * 40 + c - 3] + A[r * 40 + c + 3], 0)";
    let before = program(FLAT, body);
    let lengths = [1, 8].map(|growth| {
        let options = Options { loops: Loops { growth, ..Loops::default() }, ..Options::default() };
        let made = ran(&before, "loops", &options);
        same(&before, &made);
        made.to_string().len()
    });
    assert!(lengths[0] <= before.to_string().len() + 120 && lengths[0] < lengths[1], "{lengths:?}");
}

#[test]
fn extents_are_reduced() {
    let int = r#"A: T.Buffer((16,), "int32"), n: T.int32"#;
    let made =
        after("reduce-extents", int, "for i in range(16):\n    if 4 <= i and i < 12:\n        A[i] = i");
    assert!(made.contains("range(4, 12)") && !made.contains("if"), "{made}");
    let made = after("reduce-extents", int, "for j in range(8):\n    if j < n - 4:\n        A[j] = j");
    assert!(!made.contains("if") && made.contains("n - 4"), "{made}");
    let made =
        after("reduce-extents", int, "for j in range(16):\n    if j % 4 == 2 and j < 11:\n        A[j] = j");
    assert!(!made.contains("if") && made.contains("range(3)"), "{made}");
    let made =
        after("reduce-extents", int, "for i, j in T.grid(4, 4):\n    if i == 0 and j < 2:\n        A[j] = i");
    assert!(!made.contains("if") && made.contains("range(2)"), "{made}");
    // Quotients are compared.
    for (cond, bounds) in [
        ("j // 3 < 4", "range(12)"),
        ("2 <= (j + 1) // 3", "range(5, 16)"),
        ("j // 2 * 2 <= 7", "range(8)"),
        ("j // 3 // 2 == 1", "range(6, 12)"),
        ("j // 4 * -3 <= -4", "range(8, 16)"),
    ] {
        let made = after(
            "reduce-extents",
            int,
            &format!("for j in range(16):\n    if {cond}:\n        A[j] = j + n % 100"),
        );
        assert!(!made.contains("if") && made.contains(bounds), "{cond}: {made}");
    }
    // `n - 4` would overflow where `n` is near the least integer; the condition does not.
    let before = program(int, "for j in range(8):\n    if 4 + j < n:\n        A[j] = j");
    assert_eq!(ran(&before, "reduce-extents", &Options::default()), before);
    // The condition reads what the body writes.
    let before = program(int, "for j in range(8):\n    if j < A[0]:\n        A[0] = A[0] - 1");
    assert_eq!(ran(&before, "reduce-extents", &Options::default()), before);
    // Only where the loop runs is anything computed.
    let zero = "for i in range(T.max(n, 0)):\n    if i * 3 < 16 // n:\n        A[i % 16] = i";
    after("reduce-extents", int, zero);
}

#[test]
fn conditions_are_hoisted() {
    let int = r#"A: T.Buffer((16,), "int32"), n: T.int32"#;
    let hoist = |body: &str, hoisting: Hoisting| {
        let before = program(int, body);
        let options = Options { loops: Loops { hoisting, ..Loops::default() }, ..Options::default() };
        let made = ran(&before, "hoist", &options);
        same(&before, &made);
        made
    };
    let all = Hoisting { truths: true, ..Hoisting::default() };
    let statements = Hoisting { statements: true, ..Hoisting::NONE };
    let ifs = |body: &str, hoisting| executed(&hoist(body, hoisting), OpClass::Compare, &[("n", 5)]);
    assert_eq!(
        ifs("for i in range(16):\n    A[i] = T.if_then_else(n > 3, i, i * 2)", Hoisting::default()),
        1
    );
    assert_eq!(ifs("for i in range(16):\n    A[i] = T.if_then_else(n > 3, i, i * 2)", statements), 16);
    assert_eq!(ifs("for i in range(16):\n    if n > 3:\n        A[i] = i", statements), 1);
    assert_eq!(ifs("for i, j in T.grid(4, 4):\n    A[i * 4 + j] = T.Cast(\"int32\", i < 2)", all), 4);
    let bound = "for i in range(16):\n    big: T.let[T.bool] = n > 3\n    if big:\n        A[i] = i";
    assert_eq!(ifs(bound, Hoisting { bindings: true, ..statements }), 1);
    assert_eq!(ifs(bound, statements), 16);
    // Where one comparison holds, others of what it compares are decided; the copies are hoisted from as well.
    let decided = "for i in range(3):\n    for j in range(8):\n        if not (i == 0 and j < 2) and not (i == 2 and j >= 3):\n            A[j] = i";
    assert_eq!(ifs(decided, all), 3 + 2 + 8 + 8);
    // What comes out of an inner loop joins its neighbour of the same condition.
    let neighbours = "for i in range(4):\n    if i < n:\n        A[i] = 1\n    for j in range(3):\n        if i < n:\n            A[i] = A[i] + j";
    assert_eq!(ifs(neighbours, statements), 4);
    let between = neighbours.replace("A[i] = 1\n", "A[i] = 1\n    A[15] = i\n");
    assert_eq!(ifs(&between, statements), 8);
    // A division that traps where the loop does not run.
    hoist("for i in range(T.max(T.min(n, 16), 0)):\n    if 16 // n > 3:\n        A[i] = i", all);
}

#[test]
fn results_stay_as_they_are() {
    let body = "for a, b in T.grid(233, 13):\n    if a * 13 + b < 3024:\n        B[a * 13 + b] = A[(a * 13 + b) % 84 * 36 + (a * 13 + b) // 84]";
    let once = ran(&program(FLAT, body), "loops", &Options::default());
    let once = satir::parse(&once.to_string()).unwrap();
    assert_eq!(ran(&once, "loops", &Options::default()).to_string(), once.to_string());
}

/// Operations that the pass is to make fewer: divisions, comparisons and choices.
fn decisions(module: &Module, bindings: &[(&str, i64)]) -> u64 {
    let classes = [
        OpClass::DivConst,
        OpClass::DivPow2,
        OpClass::DivVar,
        OpClass::Compare,
        OpClass::Logic,
        OpClass::Select,
        OpClass::Shift,
        OpClass::Bitwise,
        OpClass::MinMax,
    ];
    classes.into_iter().map(|class| executed(module, class, bindings)).sum()
}

/// What the loops of the issue become: at most so many percent of the divisions and decisions that sharing alone leaves, and the
/// same results at sizes of 0, 1 and primes.
#[test]
fn nests_decide_less() {
    const FLOATS: &str = r#"A: T.Buffer((5000,), "float32"), B: T.Buffer((5000,), "float32")"#;
    const SIZES: &str = r#"A: T.Buffer(("n", "m"), "int32"), B: T.Buffer((m, n), "int32")"#;
    let cases = [
        (
            "concatenation of three over one loop",
            FLAT,
            "for f in range(3029):\n    B[f] = T.if_then_else(f % 233 < 84, A[f // 233 * 84 + f % 233], T.if_then_else(f % 233 < 150, A[f // 233 * 66 + f % 233 + 1000], A[f // 233 * 83 + f % 233 + 1800]))",
            10,
        ),
        (
            "the same in 13 by 233, with a guard",
            FLAT,
            "for a, b in T.grid(234, 13):\n    if a * 13 + b < 3029:\n        B[a * 13 + b] = T.if_then_else((a * 13 + b) % 233 < 84, A[(a * 13 + b) // 233 * 84], A[(a * 13 + b) % 233])",
            10,
        ),
        (
            "pooling with borders, fused and split by 9",
            FLOATS,
            "for a, b in T.grid(70, 9):\n    if a * 9 + b < 625:\n        for k in range(3):\n            if k == 0:\n                B[a * 9 + b] = T.float32(0)\n            B[a * 9 + b] = B[a * 9 + b] + T.if_then_else(1 <= (a * 9 + b) % 25 + k and (a * 9 + b) % 25 + k < 26, A[(a * 9 + b) // 25 * 25 + (a * 9 + b) % 25 + k], T.float32(0))",
            45,
        ),
        (
            "im2col",
            FLAT,
            "for f in range(3000):\n    B[f] = A[f // 300 * 100 + f % 300 // 30 * 7 + f % 30 // 3 + f % 3]",
            10,
        ),
        (
            "batch to space",
            FLAT,
            "for f in range(1200):\n    B[f] = A[f // 120 % 2 * 600 + f % 12 % 2 * 300 + f // 240 * 60 + f % 120 // 12 * 6 + f % 12 // 2]",
            10,
        ),
        (
            "shifts and bits",
            FLAT,
            "for f in range(1024):\n    B[f] = A[T.shift_right(f, 5) + T.bitwise_and(f, 31) * 32]",
            10,
        ),
        (
            "quotients that round towards zero",
            FLAT,
            "for f in range(1200):\n    B[f] = A[T.Div(f, 30) + T.truncmod(f, 30) * 40]",
            10,
        ),
        (
            "a quotient in a quotient",
            FLAT,
            "for a, b in T.grid(190, 9):\n    B[a * 9 + b] = A[(a % 95 * 3 + b // 3) // 5 + a // 95 * 300]",
            25,
        ),
        (
            "a row that starts anywhere",
            FLAT,
            "for i in range(10):\n    for f in range(100):\n        B[i * 100 + f] = A[(f + i * 7) // 30 * 40 + (f + i * 7) % 30]",
            50,
        ),
    ];
    for (name, parameters, body, percent) in cases {
        let before = program(parameters, body);
        let made = ran(&before, "loops", &Options::default());
        same(&before, &made);
        let [shared, nested] = ["semantic-cse", "loops,semantic-cse"].map(|pipeline| {
            let made = ran(&before, pipeline, &Options::default());
            decisions(&made, &[])
        });
        assert!(nested * 100 <= shared * percent, "{name}: {nested} of {shared}\n{made}");
    }
    let symbolic = [
        "n, m = T.int32(), T.int32()\nfor f in range(n * m):\n    B[f // n, n - 1 - f % n] = A[f % n, f // n]",
        "n, m = T.int32(), T.int32()\nfor a, b in T.grid((n * m + 12) // 13, 13):\n    if a * 13 + b < n * m:\n        B[(a * 13 + b) // n, (a * 13 + b) % n] = A[(a * 13 + b) % n, (a * 13 + b) // n]",
    ];
    for body in symbolic {
        let before = program(SIZES, body);
        let made = ran(&before, "loops", &Options::default());
        for (n, m) in [(0, 5), (5, 0), (1, 1), (1, 7), (11, 1), (7, 13), (13, 11)] {
            let bindings: Bindings = [("n".to_owned(), n), ("m".to_owned(), m)].into_iter().collect();
            let options = EquivOptions {
                runs: 2,
                fixed: true,
                bindings,
                max_steps: 3_000_000,
                ..compare_options(&before, 1)
            };
            let result = equiv(&before, &made, &options).unwrap();
            assert!(result.difference.is_none(), "{:?}\n{before}\n{made}", result.difference);
        }
        let counts = [&before, &made].map(|module| decisions(module, &[("n", 7), ("m", 13)]));
        assert!(counts[1] * 4 <= counts[0], "{counts:?}\n{made}");
    }
}

#[test]
fn steps_say_what_they_did() {
    let body = "for a, b in T.grid(234, 13):\n    if a * 13 + b < 3029:\n        B[a * 13 + b] = A[(a * 13 + b) % 233 * 13 + (a * 13 + b) // 233]";
    // Two nests, with a buffer that is neither's own.
    let body = format!(
        "C = T.alloc_buffer((4,), \"int32\")\nC[0] = 7\n{body}\nfor i in range(4):\n    C[i] = i\n{body}"
    );
    let (mut changes, mut nests) = (Vec::new(), Vec::new());
    let pipeline = passes::select("loops").unwrap();
    passes::run_observed(&program(FLAT, &body), &pipeline, &Options::default(), |step, _| {
        changes.extend(step.changes.clone());
        nests.extend(step.nests.clone());
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(nests.len(), 2);
    for nest in nests {
        assert!(
            nest.before.contains("for a, b in T.grid(234, 13):") && !nest.after.contains("T.grid(234, 13)")
        );
        same(&satir::parse(&nest.before).unwrap(), &satir::parse(&nest.after).unwrap());
    }
    assert!(changes.iter().any(|change| change.what.starts_with("joined, narrowed")), "{changes:?}");
    assert!(changes.iter().all(|change| change.function == "main" && change.after < change.before));
}

#[test]
fn bindings_of_expressions_are_hoisted() {
    let text = "y = T.int32()\nfor i in range(16):\n    A[i] = T.Let(y * y + i, where={y: n + 1})";
    let before = program(r#"A: T.Buffer((16,), "int32"), n: T.int32"#, text);
    let hoisted = |hoisting: Hoisting| {
        let options = Options { loops: Loops { hoisting, ..Loops::default() }, ..Options::default() };
        let made = ran(&before, "hoist", &options);
        same(&before, &made);
        made
    };
    assert_eq!(hoisted(Hoisting::default()), before);
    // A parameter may have any value, so nothing shows that the sum fits.
    assert_eq!(hoisted(Hoisting { let_expressions: true, ..Hoisting::NONE }), before);
    let text =
        "n = T.int32()\ny = T.int32()\nfor i in range(n):\n    A[i] = T.Let(y * y + i, where={y: n + 1})";
    let before = program(r#"A: T.Buffer(("n",), "int32")"#, text);
    let options = Options {
        loops: Loops { hoisting: Hoisting { let_expressions: true, ..Hoisting::NONE }, ..Loops::default() },
        ..Options::default()
    };
    let made = ran(&before, "hoist", &options);
    same(&before, &made);
    let text = made.to_string();
    assert!(!text.contains("where=") && text.find("n + 1") < text.find("for i"), "{text}");
}
