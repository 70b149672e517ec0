//! Forms that are chosen for what a compiler makes of the result: of several that cost the same, or nearly.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use satir::cse::{self, Options};
use satir::target::{Reason, Target};

/// The body of the optimized function, line by line.
fn optimized(params: &str, body: &str) -> Vec<String> {
    optimized_with(params, body, &Options::default())
}

fn optimized_with(params: &str, body: &str, options: &Options) -> Vec<String> {
    let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
    let text = format!(
        "@T.prim_func(s_tir=True)\ndef main({params}):\n    T.func_attr({{\"tirx.noalias\": True}})\n{body}"
    );
    let module = satir::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let result = cse::run(&module, options).unwrap().0.to_string();
    result
        .lines()
        .skip_while(|line| !line.contains("T.func_attr"))
        .skip(1)
        .map(|l| l.trim().to_owned())
        .collect()
}

#[test]
fn divisions_by_sizes_truncate_where_nothing_is_negative() {
    let params = "A: T.Buffer((\"n\", \"m\"), \"int32\"), B: T.Buffer((4096,), \"int32\"), k: T.int32";
    let sizes = "n, m = T.int32(), T.int32()\nfor x in range(n * m):\n";
    let check = |value: &str, expected: &str| {
        // Something to hoist: a result that costs no less than the input is not taken.
        let lines = optimized(params, &format!("{sizes}    B[x] = T.max(m * 3, {value})"));
        assert_eq!(lines.last().unwrap(), &format!("B[x] = T.max(cse_v1, {expected})"));
    };
    // A compiler does not know the sign of a size.
    check("x // m", "T.Div(x, m)");
    // `x - k` may be negative, and `k` may be.
    check("(x - k) // m", "(x - k) // m");
    check("x // k", "x // k");
    // By a constant it divides by multiplying.
    check("x // 3", "x // 3");
    check("(x + m) // 3", "(x + m) // 3");
    // So it is where nothing else is saved.
    let lines = optimized(params, &format!("{sizes}    B[x] = T.max(k, x // m)"));
    assert_eq!(lines.last().unwrap(), "B[x] = T.max(k, T.Div(x, m))");
    // What runs once may as well stay.
    let once = optimized(params, "n, m = T.int32(), T.int32()\nB[0] = n // m * m + n // m");
    assert_eq!(once.last().unwrap(), "B[0] = (m + 1) * (n // m)");
}

#[test]
fn quotients_that_unrolled_loops_make_constant_stay_apart() {
    let lines = optimized(
        "A: T.Buffer((437,), \"float32\"), B: T.Buffer((1311,), \"float32\")",
        "for i, j, k in T.grid(23, 8, 8):\n    \
         if j * 8 + k < 57:\n        \
         B[i * 57 + j * 8 + k] = A[i * 19 + (j * 8 + k) // 3]",
    );
    // With the index of `B` divided by 3 two operations less would be written, and a division be executed each time.
    assert_eq!(lines.last().unwrap(), "B[cse_v4 + k] = A[cse_v5 + cse_v2 // 3]");
}

#[test]
fn comparisons_of_quotients_that_become_constants_stay() {
    let lines = |condition: &str| {
        let text = format!(
            "for i, j in T.grid(100, 3):\n    B[i * 3 + j] = T.if_then_else({condition}, A[i * 3 + j], 0)"
        );
        let params = "A: T.Buffer((500,), \"int32\"), B: T.Buffer((500,), \"int32\")";
        optimized(params, &text).pop().unwrap()
    };
    // `i * 3 + j < 149` is a comparison for each `j`.
    assert!(lines("(j + 1) // 3 + i < 50").contains("(j + 1) // 3 + i < 50"));
}

#[test]
fn constants_come_before_subtracted_variables_of_unrolled_loops() {
    let lines = optimized(
        "A: T.Buffer((\"n\",), \"float32\"), B: T.Buffer((\"n\",), \"float32\")",
        "n = T.int32()\nfor i, j, k in T.grid(n, 3, 3):\n    B[i] = B[i] + A[i * 45 + 8 - k - j * 3]",
    );
    let last = lines.last().unwrap();
    assert!(!last.contains("+ 8]"), "{last}");
}

#[test]
fn variables_and_their_quotients_stay_apart_where_elements_lie_side_by_side() {
    let lines = |step: u32| {
        let text = format!(
            "for p, k in T.grid(110, 36):\n    B[p * 36 + k] = A[p // 11 * 13 + p % 11 + k * {step}]"
        );
        let params = "A: T.Buffer((300,), \"float32\"), B: T.Buffer((3960,), \"float32\")";
        optimized(params, &text)
    };
    let has = |lines: &[String], value: &str| lines.iter().any(|line| line.ends_with(&format!(" = {value}")));
    // LLVM would add to `p` in 64 bits and to the quotient in 32, and see no neighbours.
    assert!(has(&lines(1), "p // 11 * 13 + p % 11"), "{:#?}", lines(1));
    assert!(has(&lines(3), "p + p // 11 * 2"), "{:#?}", lines(3));
}

/// Functions in which choices are open: name, parameters, body.
const PROGRAMS: [(&str, &str, &str); 10] = [
    (
        "repeat",
        "A: T.Buffer((\"n\", \"m\"), \"float32\"), B: T.Buffer((\"n\", 3 * m), \"float32\")",
        "n, m = T.int32(), T.int32()\nA_1 = A.view(n * m)\nB_1 = B.view(n * m * 3)\n\
         for i, j in T.grid(n, m * 3):\n    B_1[i * m * 3 + j] = A_1[j // 3 + i * m]",
    ),
    (
        "repeat in tiles",
        "A: T.Buffer((437,), \"float32\"), B: T.Buffer((1311,), \"float32\")",
        "for i, j, k, l in T.grid(6, 10, 4, 6):\n    if i * 4 + k < 23 and j * 2 + l // 3 < 19:\n        \
         B[i * 228 + k * 57 + j * 6 + l] = A[i * 76 + k * 19 + j * 2 + l // 3]",
    ),
    (
        "concatenation in tiles",
        "A: T.Buffer((247,), \"float32\"), B: T.Buffer((456,), \"float32\"), C: T.Buffer((703,), \"float32\")",
        "for i, j, k, l in T.grid(5, 7, 4, 6):\n    if i * 4 + k < 19 and j * 6 + l < 37:\n        \
         C[i * 148 + k * 37 + j * 6 + l] = T.if_then_else(13 <= j * 6 + l, \
         B[i * 96 + k * 24 + j * 6 + l - 13], A[i * 52 + k * 13 + j * 6 + l])",
    ),
    (
        "im2col",
        "A: T.Buffer((728,), \"float32\"), B: T.Buffer((4752,), \"float32\")",
        "for p, q in T.grid(132, 36):\n    \
         B[p * 36 + q] = A[q // 9 * 182 + p // 11 * 13 + q % 9 // 3 * 13 + p % 11 + q % 3]",
    ),
    (
        "sums in tiles",
        "A: T.Buffer((\"n\", \"m\", \"k\"), \"float32\"), B: T.Buffer((\"n\", \"k\"), \"float32\")",
        "n, m, k = T.int32(), T.int32(), T.int32()\nA_1 = A.view(n * m * k)\nB_1 = B.view(n * k)\n\
         for i, j, l, p, q in T.grid((n + 3) // 4, (k + 5) // 6, m, 4, 6):\n    \
         if i * 4 + p < n and j * 6 + q < k:\n        if l == 0:\n            \
         B_1[j * 6 + i * k * 4 + p * k + q] = T.float32(0.0)\n        \
         B_1[j * 6 + (i * 4 + p) * k + q] = B_1[j * 6 + (i * 4 + p) * k + q] + A_1[j * 6 + (i * 4 + p) * m * k + l * k + q]",
    ),
    (
        "transposition",
        "A: T.Buffer((\"n\", \"m\", \"k\"), \"float32\"), B: T.Buffer((\"k\", \"n\", \"m\"), \"float32\")",
        "n, m, k = T.int32(), T.int32(), T.int32()\nA_1 = A.view(n * m * k)\nB_1 = B.view(k * n * m)\n\
         for i, j, l in T.grid(k, n, m):\n    B_1[(i * n + j) * m + l] = A_1[(j * m + l) * k + i]",
    ),
    (
        "windows",
        "A: T.Buffer((\"h\", \"w\", \"c\"), \"float32\"), B: T.Buffer((\"h\", \"w\", \"c\"), \"float32\")",
        "h, w, c = T.int32(), T.int32(), T.int32()\nA_1 = A.view(h * w * c)\nB_1 = B.view(h * w * c)\n\
         for p, q, i in T.grid(h * w, 16, c):\n    B_1[p * c * 16 + q * c + i] = \
         A_1[p // w * w * c * 16 + q // 4 * w * c * 4 + p % w * c * 4 + q % 4 * c + i]",
    ),
    (
        "products in tiles",
        "A: T.Buffer((37,), \"float32\"), B: T.Buffer((45,), \"float32\"), C: T.Buffer((1665,), \"float32\")",
        "for i, j, k, l in T.grid(10, 8, 4, 6):\n    if i * 4 + k < 37 and j * 2 + l // 3 < 15:\n        \
         C[i * 180 + k * 45 + j * 6 + l] = A[i * 4 + k] * B[j * 6 + l]",
    ),
    (
        "copies in tiles",
        "A: T.Buffer((119,), \"float32\"), B: T.Buffer((595,), \"float32\")",
        "for i, j, k, l in T.grid(5, 6, 4, 6):\n    if i * 4 + k < 17 and j * 6 + l < 35:\n        \
         B[i * 140 + k * 35 + j * 6 + l] = A[i * 28 + k * 7 + (j * 6 + l) // 5]",
    ),
    (
        "blocks",
        "A: T.Buffer((\"n\", \"m\", \"k\"), \"float32\"), B: T.Buffer((\"n\",), \"float32\")",
        "n, m, k = T.int32(), T.int32(), T.int32()\nfor i in range(n * m * k):\n    with T.sblock(\"b\"):\n        \
         v = T.axis.spatial(n * m * k, i)\n        B[v // k // m] = B[v // (m * k)] + A[v // k // m, v // k % m, v % k]",
    ),
];

#[test]
fn each_reason_decides_a_choice() {
    for reason in Reason::ALL {
        let (program, params, body) = PROGRAMS.iter().find(|(name, ..)| *name == decided_in(reason)).unwrap();
        let with = |options: &Options| optimized_with(params, body, options);
        let all = with(&Options::default());
        let without = with(&Options { ignored_reasons: vec![reason], ..Options::default() });
        assert_ne!(all, without, "{reason} decides nothing in `{program}`");
        let neutral = with(&Options { target: Some(Target::Neutral), ..Options::default() });
        let ignored = with(&Options { ignored_reasons: Reason::ALL.to_vec(), ..Options::default() });
        assert_eq!(neutral, ignored, "where no reason counts only the weights do");
    }
}

/// The program in which a reason decides.
fn decided_in(reason: Reason) -> &'static str {
    match reason {
        Reason::CorrectedDivision | Reason::OperandOrder => "repeat",
        Reason::UnrolledDivision => "products in tiles",
        Reason::DividedCondition => "repeat in tiles",
        Reason::CopiedQuotient => "copies in tiles",
        Reason::LateProduct => "concatenation in tiles",
        Reason::HiddenSign | Reason::MixedWidths | Reason::ReorderedSum => "im2col",
        Reason::RolledFirst => "sums in tiles",
        Reason::NewStride => "transposition",
        Reason::CommonFactor | Reason::TruncatedDivision => "windows",
        Reason::NestedQuotient => "blocks",
        other => panic!("no program shows what {other} decides"),
    }
}
