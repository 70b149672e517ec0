//! Programs before and after `tensor-cse`: the interpreter finds no bit that differs, planted duplicates are found, and the
//! joint programs that TVM made cost less.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::HashSet;

use satir::fuzz::compare_options;
use satir::interp::{EquivOptions, equiv};
use satir::ir::Module;
use satir::tensor::{Decided, Kept, Report, Settings, share};

/// What becomes of a function, compared with it.
#[track_caller]
fn shared(before: &Module) -> (Module, Vec<Report>) {
    let mut after = before.clone();
    let reports = after.funcs.iter_mut().map(|func| share(func, &Settings::default())).collect();
    if let Err(wrong) = satir::verify::verify(&after) {
        panic!("{wrong:?}\n{after}");
    }
    let options = EquivOptions { runs: 12, max_steps: 3_000_000, ..compare_options(before, 1) };
    let result = equiv(before, &after, &options).unwrap();
    assert!(result.difference.is_none(), "{:?}\n{before}\n{after}", result.difference);
    assert!(result.compared > 3, "{:?}", result.skipped);
    // What is printed is read again, and once is enough.
    let text = after.to_string();
    let mut again = satir::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    again.funcs.iter_mut().for_each(|func| {
        share(func, &Settings::default());
    });
    assert!(again.to_string().len() <= text.len() + text.len() / 4, "{text}\n{again}");
    (after, reports)
}

fn program(parameters: &str, body: &str) -> Module {
    let mut text = format!(
        "@T.prim_func(s_tir=True)\ndef main({parameters}):\n    T.func_attr({{\"tirx.noalias\": True}})\n"
    );
    for line in body.trim_matches('\n').lines() {
        text += &format!("    {line}\n");
    }
    satir::parse(&text).unwrap_or_else(|e| panic!("{text}{e}"))
}

/// A block over two loops that sets `target[v, w]`.
fn map(target: &str, sizes: (&str, &str), value: &str) -> String {
    let (n, m) = sizes;
    format!(
        "for i, j in T.grid({n}, {m}):\n    with T.sblock(\"{target}\"):\n        v, w = T.axis.remap(\"SS\", [i, j])\n        {target}[v, w] = {value}\n"
    )
}

/// A block that sums `value` over the second axis.
fn sum(target: &str, sizes: (&str, &str), value: &str, init: &str) -> String {
    let (n, m) = sizes;
    format!(
        "for i, j in T.grid({n}, {m}):\n    with T.sblock(\"{target}\"):\n        v, w = T.axis.remap(\"SR\", [i, j])\n        with T.init():\n            {target}[v] = T.float32({init})\n        {target}[v] = {target}[v] + {value}\n"
    )
}

/// Whether each element of a buffer that is read is read at one place only. Several steps of a loop may stand there one by one.
fn reads_once(buffer: &str, module: &Module) -> bool {
    let text = module.to_string();
    let regions = ["T.reads(", "T.writes(", "def "];
    let statements =
        text.lines().filter(|line| !regions.iter().any(|head| line.trim_start().starts_with(head)));
    let head = format!("{buffer}[");
    let elements: Vec<&str> = statements
        .flat_map(|line| line.split(&head).skip(1))
        .filter_map(|rest| rest.split(']').next())
        .collect();
    let distinct: HashSet<&str> = elements.iter().copied().collect();
    !elements.is_empty() && elements.len() == distinct.len()
}

/// A function that computes the exponential of two values, and whether they are found to be one.
#[track_caller]
fn are_one(dtype: &str, first: &str, second: &str, settings: &Settings) -> bool {
    let parameters = format!(
        "A: T.Buffer((6, 4), \"{dtype}\"), B: T.Buffer((6, 4), \"{dtype}\"), R: T.Buffer((24,), \"{dtype}\"), C: T.Buffer((6, 4), \"{dtype}\"), D: T.Buffer((6, 4), \"{dtype}\")"
    );
    let n = |value: i64| if dtype == "int32" { value.to_string() } else { format!("T.{dtype}({value})") };
    let body = format!(
        "T1 = T.sblock_alloc_buffer((6, 4), \"{dtype}\")\nT2 = T.sblock_alloc_buffer((6, 4), \"{dtype}\")\n"
    ) + &map("T1", ("6", "4"), first)
        + &map("T2", ("6", "4"), second)
        + &map("C", ("6", "4"), &format!("T1[v, w] * {}", n(3)))
        + &map("D", ("6", "4"), &format!("T2[v, w] * {}", n(5)));
    let before = program(&parameters, &body);
    let mut after = before.clone();
    let report = share(&mut after.funcs[0], settings);
    let options = EquivOptions { runs: 8, max_steps: 3_000_000, ..compare_options(&before, 1) };
    if !settings.fast_math {
        let result = equiv(&before, &after, &options).unwrap();
        assert!(result.difference.is_none(), "{:?}\n{before}\n{after}", result.difference);
    }
    let is_equal = |decided: &Decided| matches!(&decided.kept, Kept::Equal(other) if other == "T1");
    let found = report.definitions.iter().find(|decided| decided.name == "T2" && is_equal(decided));
    if let Some(found) = found {
        assert!(!found.because.is_empty() || !report.definitions[0].because.is_empty(), "{report}");
    }
    found.is_some()
}

#[test]
fn what_is_equal_by_meaning_is_one() {
    let settings = Settings::default();
    let (a, b) = ("A[v, w]", "B[v, w]");
    for (first, second) in [
        (format!("T.exp({a} * T.float32(2))"), format!("T.exp({a} + {a})")),
        (format!("T.exp({a} / T.float32(4))"), format!("T.exp(T.float32(0.25) * {a})")),
        (format!("T.exp({a} - {b})"), format!("T.exp({a} + {b} * T.float32(-1))")),
        (format!("T.exp({a}) * T.float32(-1) / {b}"), format!("T.exp({a}) / {b} * T.float32(-1)")),
        (format!("T.max({a}, {b}) * T.exp({a})"), format!("T.Select({b} < {a}, {a}, {b}) * T.exp({a})")),
        (
            format!("T.if_then_else(v < 3, T.exp({a}) * {b}, {a} * {b})"),
            format!("T.if_then_else(v < 3, T.exp({a}), {a}) * {b}"),
        ),
        // What both arms read.
        (
            format!("T.exp(T.if_then_else(v < 3, {a} + {b}, {b}))"),
            format!("T.exp(T.if_then_else(v < 3, A[(v * 4 + 3) // 4, w] + {b}, {b}))"),
        ),
        // Indices and conditions.
        ("T.exp(R[v * 4 + w])".to_owned(), "T.exp(R[(v * 8 + w * 2) // 2])".to_owned()),
        ("T.exp(A[(v * 4 + w) // 4, (v * 4 + w) % 4])".to_owned(), format!("T.exp({a})")),
        (
            format!("T.if_then_else(v * 2 < 6, T.exp({a}), {a})"),
            format!("T.if_then_else(v < 3, T.exp({a}), {a})"),
        ),
    ] {
        assert!(are_one("float32", &first, &second, &settings), "{first} and {second}");
    }
    for (first, second) in [
        (format!("({a} + {b}) * {a}"), format!("{a} * {a} + {b} * {a}")),
        (format!("({a} + {b}) * ({a} - {b})"), format!("{a} * {a} - {b} * {b}")),
    ] {
        assert!(are_one("int32", &first, &second, &settings), "{first} and {second}");
    }
}

#[test]
fn floats_that_only_real_numbers_make_equal_are_one_with_fast_math() {
    let (a, b) = ("A[v, w]", "B[v, w]");
    let fast = Settings { fast_math: true, ..Settings::default() };
    for (first, second) in [
        (format!("T.exp({a} * {a} + {b} * {a})"), format!("T.exp(({a} + {b}) * {a})")),
        (format!("T.sin(T.float32(0) - {a})"), format!("T.sin({a} * T.float32(-1))")),
    ] {
        assert!(!are_one("float32", &first, &second, &Settings::default()), "{first} and {second}");
        assert!(are_one("float32", &first, &second, &fast), "{first} and {second}");
    }
}

#[test]
fn exchanged_axes_and_other_spellings_go_together() {
    // The first use of an axis is another one in either text.
    let body = "T1 = T.sblock_alloc_buffer((6, 6))\nT2 = T.sblock_alloc_buffer((6, 6))\n".to_owned()
        + &map("T1", ("6", "6"), "T.exp(A[v, 0] - B[w, 1])")
        + &map("T2", ("6", "6"), "T.exp(T.float32(-1) * B[v, 1] + A[w, 0])")
        + &map("C", ("6", "6"), "T1[v, w] * T.float32(3)")
        + &map("D", ("6", "6"), "T2[v, w] * T.float32(5)");
    let (after, _) = shared(&program(SQUARES, &body));
    assert_eq!(after.to_string().matches("T.exp").count(), 1, "{after}");
}

#[test]
fn reshaped_tensors_leave_no_trace() {
    let parameters = r#"A: T.Buffer((4, 6), "float32"), C: T.Buffer((4, 6), "float32")"#;
    let body = "E = T.sblock_alloc_buffer((4, 6))\nF = T.sblock_alloc_buffer((24,))\n".to_owned()
        + &map("E", ("4", "6"), "T.exp(A[v, w])")
        + "for i in range(24):\n    with T.sblock(\"F\"):\n        v = T.axis.spatial(24, i)\n        F[v] = E[v // 6, v % 6]\n"
        + &map("C", ("4", "6"), "F[v * 6 + w] + T.float32(1)");
    let (after, reports) = shared(&program(parameters, &body));
    assert_eq!(reports[0].nests.len(), 1, "{}\n{after}", reports[0]);
}

#[test]
fn a_mean_over_fused_loops_is_that_over_two() {
    let parameters =
        r#"A: T.Buffer((3, 4, 5), "float32"), B: T.Buffer((3,), "float32"), C: T.Buffer((3,), "float32")"#;
    let body = "for i, j, k in T.grid(3, 4, 5):
    with T.sblock(\"B\"):
        u, v, w = T.axis.remap(\"SRR\", [i, j, k])
        with T.init():
            B[u] = T.float32(0)
        B[u] = B[u] + T.exp(A[u, v, w])
for i, f in T.grid(3, 20):
    with T.sblock(\"C\"):
        u = T.axis.spatial(3, i)
        v = T.axis.reduce(4, f // 5)
        w = T.axis.reduce(5, f % 5)
        with T.init():
            C[u] = T.float32(0)
        C[u] = C[u] + T.exp(A[u, v, w])
";
    let (after, reports) = shared(&program(parameters, body));
    assert!(reports[0].opaque.is_empty(), "{}", reports[0]);
    assert!(reads_once("A", &after) && after.to_string().contains("C[v_i0] = B[v_i0]"), "{after}");
}

#[test]
fn what_is_guarded_does_not_come_to_be_evaluated() {
    // Both are equal, but only one of them may read out of bounds.
    let parameters =
        r#"A: T.Buffer((6,), "float32"), C: T.Buffer((8,), "float32"), D: T.Buffer((8,), "float32")"#;
    let block = |target: &str, value: &str| {
        format!(
            "for i in range(8):\n    with T.sblock(\"{target}\"):\n        v = T.axis.spatial(8, i)\n        {target}[v] = {value}\n"
        )
    };
    let first = "T.if_then_else(v >= 1 and v < 7, A[v - 1] * T.float32(2), T.float32(0)) + T.float32(1)";
    let second = "T.if_then_else(v < 7 and v > 0, A[v - 1] + A[v - 1], T.float32(0)) - T.float32(1)";
    let (after, _) = shared(&program(parameters, &(block("C", first) + &block("D", second))));
    assert!(!after.to_string().contains("Select"), "{after}");
}

#[test]
fn a_value_that_is_computed_anyway_is_used_under_conditions() {
    let body = "T1 = T.sblock_alloc_buffer((6, 6))\n".to_owned()
        + &map("T1", ("6", "6"), "T.exp(A[v, w])")
        + &map("C", ("6", "6"), "T1[v, w] + B[v, w]")
        + &map("D", ("6", "6"), "T.if_then_else(v < 3, T1[v, w] * T1[v, w], B[v, w] / T1[v, w])");
    let (after, _) = shared(&program(SQUARES, &body));
    assert_eq!(after.to_string().matches("T.exp").count(), 1, "{after}");
}

const SQUARES: &str = r#"A: T.Buffer((6, 6), "float32"), B: T.Buffer((6, 6), "float32"), C: T.Buffer((6, 6), "float32"), D: T.Buffer((6, 6), "float32")"#;

#[test]
fn equal_maps_are_computed_once_whatever_their_axes_are_called() {
    let body = "T1 = T.sblock_alloc_buffer((6, 6))\nT2 = T.sblock_alloc_buffer((6, 6))\n".to_owned()
        + &map("T1", ("6", "6"), "T.exp(A[w, v]) + B[v, w]")
        + &map("T2", ("6", "6"), "B[w, v] + T.exp(A[v, w])")
        + &map("C", ("6", "6"), "T1[v, w] * T.float32(3)")
        + &map("D", ("6", "6"), "T2[w, v] * T.float32(5)");
    let (after, _) = shared(&program(SQUARES, &body));
    assert_eq!(after.to_string().matches("T.exp").count(), 1, "{after}");
}

#[test]
fn equal_reductions_are_one_and_their_order_counts() {
    let parameters =
        r#"A: T.Buffer((6, 8), "float32"), B: T.Buffer((6,), "float32"), C: T.Buffer((6,), "float32")"#;
    let alike = sum("B", ("6", "8"), "A[v, w] * T.float32(2)", "0")
        + &sum("C", ("6", "8"), "T.float32(2) * A[v, w]", "0");
    let (after, _) = shared(&program(parameters, &alike));
    assert!(reads_once("A", &after) && after.to_string().contains("C[v_i0] = B[v_i0]"), "{after}");
    // Another start is another value.
    let other = sum("B", ("6", "8"), "A[v, w]", "0") + &sum("C", ("6", "8"), "A[v, w]", "-0.0");
    let (after, _) = shared(&program(parameters, &other));
    assert!(
        after.to_string().matches("T.float32(-0.0)").count()
            + after.to_string().matches("T.float32(0.0)").count()
            >= 2,
        "{after}"
    );
    // In another order a float sum may have other bits.
    let parameters =
        r#"A: T.Buffer((6, 6), "float32"), B: T.Buffer((1,), "float32"), C: T.Buffer((1,), "float32")"#;
    let whole = |target: &str, value: &str| {
        format!(
            "for i, j in T.grid(6, 6):\n    with T.sblock(\"{target}\"):\n        v, w = T.axis.remap(\"RR\", [i, j])\n        with T.init():\n            {target}[0] = T.float32(0)\n        {target}[0] = {target}[0] + {value}\n"
        )
    };
    let (_, reports) = shared(&program(parameters, &(whole("B", "A[v, w]") + &whole("C", "A[w, v]"))));
    assert!(reports[0].definitions.iter().all(|decided| decided.kept == Kept::Buffer), "{}", reports[0]);
    let (after, _) = shared(&program(parameters, &(whole("B", "A[v, w]") + &whole("C", "A[v, w]"))));
    assert!(reads_once("A", &after) && after.to_string().contains("C[0] = B[0]"), "{after}");
}

#[test]
fn rows_share_what_does_not_vary_in_them() {
    let parameters =
        r#"A: T.Buffer((5, 7), "float32"), C: T.Buffer((5, 7), "float32"), D: T.Buffer((7,), "float32")"#;
    let body = "S = T.sblock_alloc_buffer((5,))\n".to_owned()
        + &sum("S", ("5", "7"), "T.exp(A[v, w])", "0")
        + &map("C", ("5", "7"), "T.exp(A[v, w]) / S[v]")
        + "for i, j in T.grid(7, 5):\n    with T.sblock(\"D\"):\n        v, w = T.axis.remap(\"SR\", [i, j])\n        with T.init():\n            D[v] = T.float32(0)\n        D[v] = D[v] + T.exp(A[w, v]) / S[w]\n";
    let (after, reports) = shared(&program(parameters, &body));
    assert!(reports[0].cost_after < reports[0].cost_before);
    assert!(reports[0].nests.iter().any(|nest| nest.len() > 1), "{}\n{after}", reports[0]);
}

#[test]
fn nothing_changes_where_nothing_pays() {
    let body = map("C", ("6", "6"), "A[v, w] + B[v, w]");
    let before = program(SQUARES, &body);
    let (after, reports) = shared(&before);
    assert_eq!(after, before);
    assert_eq!(reports[0].cost_before, reports[0].cost_after);
}

#[test]
fn plain_loops_stay_plain() {
    let body = "for i, j in T.grid(6, 6):\n    C[i, j] = T.exp(A[i, j]) + B[j, i]\nfor i, j in T.grid(6, 6):\n    D[i, j] = T.exp(A[i, j])\n";
    let (after, _) = shared(&program(SQUARES, body));
    let text = after.to_string();
    assert!(!text.contains("sblock") && text.matches("T.exp").count() == 1, "{text}");
}

#[test]
fn sizes_may_be_symbols_and_zero() {
    let parameters = r#"A: T.Buffer(("n", "m"), "float32"), B: T.Buffer(("n",), "float32"), C: T.Buffer(("n", "m"), "float32")"#;
    let body = sum("B", ("n", "m"), "T.exp(A[v, w])", "1") + &map("C", ("n", "m"), "T.exp(A[v, w]) * B[v]");
    let (after, _) = shared(&program(parameters, &body));
    assert!(after.to_string().contains("T.exp"), "{after}");
}

#[test]
fn a_reduction_of_nothing_leaves_what_the_caller_passed() {
    let parameters =
        r#"A: T.Buffer((4, "n"), "float32"), O: T.Buffer((4,), "float32"), P: T.Buffer((4,), "float32")"#;
    let body = "X = T.sblock_alloc_buffer((4, n))\n".to_owned()
        + &map("X", ("4", "n"), "T.exp(A[v, w])")
        + &sum("O", ("4", "n"), "X[v, w]", "0")
        + &sum("P", ("4", "n"), "X[v, w] * X[v, w]", "0");
    let (_, reports) = shared(&program(parameters, &body));
    let opaque =
        |name: &str| reports[0].opaque.iter().any(|o| o.name == name && o.why.contains("nothing to fold"));
    assert!(opaque("O") && opaque("P"), "{}", reports[0]);
}

#[test]
fn what_is_opaque_stays_where_it_is_and_says_why() {
    let body = "T1 = T.sblock_alloc_buffer((6, 6))\n".to_owned()
        + &map("T1", ("6", "6"), "T.exp(A[v, w])")
        + "for i in range(5):\n    with T.sblock(\"scan\"):\n        v = T.axis.spatial(5, i)\n        T1[v + 1, 0] = T1[v, 0]\n"
        + &map("C", ("6", "6"), "T1[v, w] * T.float32(2)")
        + &map("D", ("6", "6"), "T1[v, w] * T.float32(2) + T.exp(B[v, w])");
    let (after, reports) = shared(&program(SQUARES, &body));
    assert!(after.to_string().contains("T1[v + 1, 0] = T1[v, 0]"), "{after}");
    assert!(reports[0].opaque.iter().any(|opaque| opaque.name == "scan"), "{}", reports[0]);
}

#[test]
fn what_is_overwritten_keeps_its_value_for_those_who_read_before() {
    let body = map("C", ("6", "6"), "T.exp(A[v, w])")
        + &map("A", ("6", "6"), "B[v, w]")
        + &map("D", ("6", "6"), "T.exp(A[v, w])");
    let (_, reports) = shared(&program(SQUARES, &body));
    assert!(reports[0].opaque.iter().any(|opaque| opaque.why.contains("several values")), "{}", reports[0]);
}

#[test]
fn guarded_reads_stay_guarded() {
    let parameters =
        r#"A: T.Buffer((6,), "float32"), C: T.Buffer((8,), "float32"), D: T.Buffer((8,), "float32")"#;
    let block = |target: &str, value: &str| {
        format!(
            "for i in range(8):\n    with T.sblock(\"{target}\"):\n        v = T.axis.spatial(8, i)\n        {target}[v] = {value}\n"
        )
    };
    let pad = "T.if_then_else(v >= 1 and v < 7, A[v - 1], T.float32(0))";
    let body = "P = T.sblock_alloc_buffer((8,))\n".to_owned()
        + &block("P", pad)
        + &block("C", "T.exp(P[v])")
        + &block("D", "P[v] * T.float32(2)");
    let (after, _) = shared(&program(parameters, &body));
    assert_eq!(after.to_string().matches("if_then_else").count(), 1, "{after}");
}

#[test]
fn joint_programs_cost_less_and_keep_their_bits() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tensor");
    let most = [
        ("attention", 0.9),
        ("batch_norm", 0.6),
        ("conv_bn_relu", 0.95),
        ("layer_norm", 0.6),
        ("lstm", 0.95),
        ("softmax", 0.75),
        ("tanh", 0.65),
    ];
    for (name, most) in most {
        let text = std::fs::read_to_string(folder.join(format!("{name}.py"))).unwrap();
        let before = satir::parse(&text).unwrap();
        let (_, reports) = shared(&before);
        let [report] = &reports[..] else { panic!("{name}: one function") };
        let ratio = report.cost_after.to_f64() / report.cost_before.to_f64();
        assert!(ratio <= most, "{name}: {ratio}\n{report}");
    }
}

#[test]
fn a_later_output_may_hold_a_part_of_an_earlier_tensor() {
    let parameters =
        r#"A: T.Buffer((5,), "float32"), B: T.Buffer((5,), "float32"), C: T.Buffer((5,), "float32")"#;
    let block = |target: &str, value: &str| {
        format!(
            "for i in range(5):\n    with T.sblock(\"{target}\"):\n        v = T.axis.spatial(5, i)\n        {target}[v] = {value}\n"
        )
    };
    let body = block("B", "T.exp(A[v]) + A[4 - v]") + &block("C", "T.exp(A[v])");
    let (after, _) = shared(&program(parameters, &body));
    assert_eq!(after.to_string().matches("T.exp").count(), 1, "{after}");
}

#[test]
fn annotations_of_blocks_are_kept() {
    let annotated = |target: &str, attrs: &str, value: &str| {
        map(target, ("6", "6"), value)
            .replace("        C[v", &format!("        T.sblock_attr({attrs})\n        C[v"))
            .replace("        D[v", &format!("        T.sblock_attr({attrs})\n        D[v"))
    };
    let body = annotated("C", "{\"axis\": 1}", "T.exp(A[v, w]) + B[v, w]")
        + &annotated("D", "{\"axis\": 2, \"hint\": \"rows\"}", "T.exp(A[v, w])");
    let (after, reports) = shared(&program(SQUARES, &body));
    assert_eq!(reports[0].nests.len(), 1, "{}", reports[0]);
    assert!(after.to_string().contains("T.sblock_attr({\"axis\": 2, \"hint\": \"rows\"})"), "{after}");
}

#[test]
fn what_is_bound_has_no_select_of_floats() {
    // TVM's analysis of sets fails on products of these.
    let body = map("C", ("6", "6"), "T.Select(v < w, A[v, w], B[v, w]) * A[v, w]")
        + &map("D", ("6", "6"), "T.Select(v < w, A[v, w], B[v, w]) * A[v, w] + B[v, w]");
    let (after, _) = shared(&program(SQUARES, &body));
    assert_eq!(after.to_string().matches("if_then_else").count(), 1, "{after}");
    assert!(!after.to_string().contains("Select"), "{after}");
}

#[test]
fn a_sum_that_waits_for_itself_runs_apart_from_what_vectors_take() {
    // `C` folds over the innermost loop, `D` and `E` do not: these two share a nest, and what they read.
    let shapes =
        [("A", "8, 16"), ("B", "4, 16"), ("P", "8, 4"), ("C", "8, 4"), ("D", "8, 16"), ("E", "4, 16")];
    let parameters = shapes.map(|(name, shape)| format!("{name}: T.Buffer(({shape}), \"float32\")"));
    let product = |target: &str, axes: &str, value: &str, at: &str| {
        format!(
            "for i, j, k in T.grid(8, 4, 16):\n    with T.sblock(\"{target}\"):\n        u, v, w = T.axis.remap(\"{axes}\", [i, j, k])\n        with T.init():\n            {target}[{at}] = T.float32(0)\n        {target}[{at}] = {target}[{at}] + {value}\n"
        )
    };
    let body = product("C", "SSR", "A[u, w] * B[v, w]", "u, v")
        + &product("D", "SRS", "P[u, v] * B[v, w]", "u, w")
        + &product("E", "RSS", "P[u, v] * A[u, w]", "v, w");
    let (_, reports) = shared(&program(&parameters.join(", "), &body));
    assert!(reports[0].nests.iter().any(|nest| nest == &["C"]), "{}", reports[0]);
    assert!(reports[0].nests.iter().any(|nest| nest == &["D", "E"]), "{}", reports[0]);
}

/// A product of matrices that folds over 16 steps.
fn product(target: &str, value: &str) -> String {
    format!(
        "for i, j, k in T.grid(32, 32, 16):\n    with T.sblock(\"{target}\"):\n        u, v, w = T.axis.remap(\"SSR\", [i, j, k])\n        with T.init():\n            {target}[u, v] = T.float32(0)\n        {target}[u, v] = {target}[u, v] + {value}\n"
    )
}

#[test]
fn loops_of_one_nest_change_places() {
    let parameters = r#"A: T.Buffer((32, 16), "float32"), B: T.Buffer((16, 32), "float32"), C: T.Buffer((32, 32), "float32")"#;
    let (after, reports) = shared(&program(parameters, &product("C", "A[u, w] * B[w, v]")));
    assert!(reports[0].cost_after < reports[0].cost_before, "{}", reports[0]);
    // An element of `A` is read once for a row of `B`.
    let text = after.to_string();
    let bound = text.find("T.let[T.float32] = A[").unwrap_or_else(|| panic!("{text}"));
    assert!(text[bound..].contains("for ") && text[bound..].contains("B["), "{text}");
}

#[test]
fn a_transposed_copy_is_kept_where_vectors_need_it() {
    let parameters = r#"A: T.Buffer((32, 16), "float32"), B: T.Buffer((32, 16), "float32"), C: T.Buffer((32, 32), "float32"), D: T.Buffer((32, 16), "float32")"#;
    let body = "K = T.sblock_alloc_buffer((16, 32))\n".to_owned()
        + &map("K", ("16", "32"), "B[w, v]")
        + &product("C", "A[u, w] * K[w, v]")
        + &map("D", ("32", "16"), "K[w, v] * A[v, w]");
    let (after, _) = shared(&program(parameters, &body));
    let text = after.to_string();
    assert!(text.lines().any(|line| line.trim_start().starts_with("C[") && line.contains("K[")), "{text}");
    // What reads rows of `B` does without.
    assert!(text.lines().all(|line| !line.trim_start().starts_with("D[") || !line.contains("K[")), "{text}");
}

#[test]
fn bodies_in_which_axes_may_change_places_are_one() {
    let parameters =
        r#"B: T.Buffer((3, 3), "int32"), C: T.Buffer((3, 3), "int32"), D: T.Buffer((3, 3), "int32")"#;
    let sum = |target: &str, axes: &str, heads: &str, value: &str| {
        format!(
            "for i, j, k in T.grid(3, 3, 3):\n    with T.sblock(\"{target}\"):\n        {heads} = T.axis.remap(\"{axes}\", [i, j, k])\n        with T.init():\n            {target}[u, v] = 0\n        {target}[u, v] = {target}[u, v] + {value}\n"
        )
    };
    let body =
        "T1 = T.sblock_alloc_buffer((3, 3), \"int32\")\nT2 = T.sblock_alloc_buffer((3, 3), \"int32\")\n"
            .to_owned()
            + &sum("T1", "SSR", "u, v, w", "B[u, w] * (B[u, v] * 2 + B[u, v])")
            + &sum(
                "T2",
                "RSS",
                "w, v, u",
                "(B[u, v] + (B[u, v] + B[u, v])) * B[(u * 3 - u * 2), (w * 4 + 3) // 4]",
            )
            + &map("C", ("3", "3"), "T1[v, w] * 3")
            + &map("D", ("3", "3"), "T2[v, w] * 4");
    let (after, reports) = shared(&program(parameters, &body));
    let is_one = |decided: &Decided| matches!(&decided.kept, Kept::Equal(other) if other == "T1");
    assert!(reports[0].definitions.iter().any(is_one), "{}\n{after}", reports[0]);
}

#[test]
fn sums_of_real_numbers_are_taken_apart() {
    let parameters = r#"A: T.Buffer((6, 4), "float32"), B: T.Buffer((6, 4), "float32"), S: T.Buffer((6,), "float32"), C: T.Buffer((6,), "float32"), D: T.Buffer((6,), "float32"), E: T.Buffer((6,), "float32")"#;
    let sizes = ("6", "4");
    // Values below 1, of which no sum loses its digits.
    let (a, b, s) = ("T.sin(A[v, w])", "T.sin(B[v, w])", "T.cos(S[v])");
    let body = sum("C", sizes, a, "0")
        // A factor and a divisor that stay the same, and a sum of which one summand is summed already.
        + &sum("D", sizes, &format!("{s} * {a} * T.sin(S[v]) / T.exp({s})"), "0")
        + &sum("E", sizes, &format!("({a} - {b})"), "0");
    let before = program(parameters, &body);
    let mut after = before.clone();
    let fast = Settings { fast_math: true, ..Settings::default() };
    let report = share(&mut after.funcs[0], &fast);
    assert!(satir::verify::verify(&after).is_ok(), "{after}");
    let options = EquivOptions { runs: 12, tolerance: Some(1e-3), ..compare_options(&before, 1) };
    let result = equiv(&before, &after, &options).unwrap();
    assert!(result.difference.is_none() && result.compared > 3, "{:?}\n{after}", result.difference);
    let because: Vec<&str> =
        report.definitions.iter().flat_map(|decided| &decided.because).map(String::as_str).collect();
    assert!(because.contains(&"sum-factor") && because.contains(&"sum-of-sums"), "{report}");
    let (plain, reports) = shared(&before);
    assert!(report.cost_after < reports[0].cost_after, "{after}\n{plain}");
    // Of a sum that starts elsewhere nothing can be said.
    let body = sum("C", sizes, "A[v, w]", "1") + &sum("D", sizes, "S[v] * A[v, w]", "1");
    let mut module = program(parameters, &body);
    let report = share(&mut module.funcs[0], &fast);
    assert!(!report.to_string().contains("sum-factor"), "{report}");
}

#[test]
fn nests_whose_loops_change_places_read_what_is_there() {
    // In another order of its loops `T1` would read `T0`, whose nest comes behind it as it computes `T4` of `T1` too.
    let parameters = r#"A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 3), "float32"), C: T.Buffer((2,), "float32"), D: T.Buffer((3,), "float32"), O1: T.Buffer((2, 3), "float32"), T9: T.Buffer((2, 3), "float32")"#;
    let body = r#"
T0 = T.sblock_alloc_buffer((2, 3), "float32")
T1 = T.sblock_alloc_buffer((2, 3), "float32")
T2 = T.sblock_alloc_buffer((2, 3), "float32")
T4 = T.sblock_alloc_buffer((2,), "float32")
T8b = T.sblock_alloc_buffer((2, 3), "float32")
for i, j in T.grid(2, 3):
    with T.sblock("T0"):
        vi, vj = T.axis.remap("SS", [i, j])
        T0[vi, vj] = T.max(A[vi, vj], C[vi]) + A[vi, vj]
for i, j, k in T.grid(2, 3, 3):
    with T.sblock("T1"):
        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
        with T.init():
            T1[vi, vj] = T.float32(0)
        T1[vi, vj] = T1[vi, vj] + (B[vi, vk] * (A[vi, vj] - T0[vi, vj]))
for i, j in T.grid(2, 3):
    with T.sblock("T2"):
        vi, vj = T.axis.remap("SS", [i, j])
        T2[vi, vj] = T0[1 - vi, vj] + T.if_then_else(vi < 2, T0[vi, vj], C[vi])
for i, j in T.grid(2, 3):
    with T.sblock("T4"):
        vi, vj = T.axis.remap("SR", [i, j])
        with T.init():
            T4[vi] = T.float32(0)
        T4[vi] = T4[vi] + (T0[vi, vj] / T1[vi, vj])
for i, j, k in T.grid(2, 3, 3):
    with T.sblock("T9"):
        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
        with T.init():
            T9[vi, vj] = T.float32(0)
        T9[vi, vj] = T9[vi, vj] + (T2[vi, vk] * (T.if_then_else(vi < 2, C[vi] * T4[vi], T4[vi] * T4[vi])))
for q, p in T.grid(3, 2):
    with T.sblock("T8b"):
        vq, vp = T.axis.remap("SS", [q, p])
        T8b[vp, vq] = T4[vp] / D[vq]
for i, j in T.grid(2, 3):
    with T.sblock("O1"):
        vi, vj = T.axis.remap("SS", [i, j])
        O1[vi, vj] = T8b[vi, vj] * T.float32(4)
"#;
    shared(&program(parameters, body));
}

#[test]
fn elements_in_reverse_of_a_tensor_in_reverse_leave_no_trace() {
    // The gradient of batch norm's scale, as TVM's RFC on sharing has it: `E` holds the normalized values with channels in reverse.
    let parameters = r#"X: T.Buffer((4, 8, 6), "float32"), G: T.Buffer((4, 8, 6), "float32"), mean: T.Buffer((8,), "float32"), dev: T.Buffer((8,), "float32"), Y: T.Buffer((4, 8, 6), "float32"), scale: T.Buffer((8,), "float32")"#;
    let body = r#"
E = T.sblock_alloc_buffer((4, 6, 8))
for b, c, w in T.grid(4, 8, 6):
    with T.sblock("Y"):
        vb, vc, vw = T.axis.remap("SSS", [b, c, w])
        Y[vb, vc, vw] = (X[vb, vc, vw] - mean[vc]) / dev[vc]
for b, w, c in T.grid(4, 6, 8):
    with T.sblock("E"):
        vb, vw, vc = T.axis.remap("SSS", [b, w, c])
        E[vb, vw, vc] = (X[vb, 7 - vc, vw] - mean[7 - vc]) / dev[7 - vc]
for c, b, w in T.grid(8, 4, 6):
    with T.sblock("scale"):
        vc, vb, vw = T.axis.remap("SRR", [c, b, w])
        with T.init():
            scale[vc] = T.float32(0)
        scale[vc] = scale[vc] + E[vb, vw, 7 - vc] * G[vb, vc, vw]
"#;
    let (after, reports) = shared(&program(parameters, body));
    assert_eq!(reports[0].nests.len(), 1, "{}\n{after}", reports[0]);
    // What reads itself in reverse is kept: put in, it would be computed twice.
    let body = "E = T.sblock_alloc_buffer((6, 4))\n".to_owned()
        + &map("E", ("6", "4"), "T.exp(A[v, w])")
        + &map("C", ("6", "4"), "E[v, w] * E[5 - v, w]");
    let parameters = r#"A: T.Buffer((6, 4), "float32"), C: T.Buffer((6, 4), "float32")"#;
    let (after, _) = shared(&program(parameters, &body));
    assert_eq!(after.to_string().matches("T.exp").count(), 1, "{after}");
}

#[test]
fn a_loop_may_be_split_beside_one_over_a_symbol() {
    let parameters = r#"A: T.Buffer(("n", 5), "float32"), C: T.Buffer(("n", 5), "float32"), D: T.Buffer(("n", 5), "float32")"#;
    let body = "T1 = T.sblock_alloc_buffer((n, 5))\nT2 = T.sblock_alloc_buffer((n, 5))\n".to_owned()
        + &map("T1", ("n", "5"), "T.exp(A[v, w])")
        + "for q, p, r in T.grid(2, n, 3):\n    with T.sblock(\"T2\"):\n        w = T.axis.spatial(5, q * 3 + r)\n        v = T.axis.spatial(n, p)\n        T.where(q * 3 + r < 5)\n        T2[v, w] = T.exp(A[v, w])\n"
        + &map("C", ("n", "5"), "T1[v, w] * T.float32(3)")
        + &map("D", ("n", "5"), "T2[v, w] * T.float32(5)");
    let (after, reports) = shared(&program(parameters, &body));
    assert!(reports[0].opaque.is_empty(), "{}", reports[0]);
    assert_eq!(after.to_string().matches("T.exp").count(), 1, "{after}");
}
