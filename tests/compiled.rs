//! Forms that are chosen for what a compiler makes of the result: of several that cost the same, or nearly.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use satir::cse::{self, Options};

/// The body of the optimized function, line by line.
fn optimized(params: &str, body: &str) -> Vec<String> {
    let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
    let text = format!(
        "@T.prim_func(s_tir=True)\ndef main({params}):\n    T.func_attr({{\"tirx.noalias\": True}})\n{body}"
    );
    let module = satir::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let result = cse::run(&module, &Options::default()).unwrap().0.to_string();
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
    // What runs once may as well stay.
    let once = optimized(params, "n, m = T.int32(), T.int32()\nB[0] = n // m * m + n // m");
    assert_eq!(once.last().unwrap(), "B[0] = (m + 1) * (n // m)");
}

#[test]
fn addresses_are_hoisted_sums_of_what_is_not_negative() {
    let lines = optimized(
        "A: T.Buffer((1701,), \"float32\"), B: T.Buffer((1701,), \"float32\")",
        "for i, j, k in T.grid(3, 21, 27):\n    \
         B[i * 567 + j * 27 + k] = A[i * 567 + j % 3 * 189 + k % 3 * 63 + j // 3 * 9 + k // 3]",
    );
    assert_eq!(lines.last().unwrap(), "B[cse_v3 + k] = A[cse_v2 + k % 3 * 63 + k // 3]");
    // With `j * 189 - j // 3 * 558` it would be one operation less.
    assert!(!lines.iter().any(|line| line.contains(" - ")), "{lines:#?}");
}

#[test]
fn a_value_between_two_constants_stays_one() {
    let lines = optimized(
        "A: T.Buffer((104,), \"int32\"), B: T.Buffer((60,), \"int32\")",
        "for x, y in T.grid(104, 60):\n    \
         B[y] = B[y] + T.if_then_else(1 <= y + x % 13 and y + x % 13 < 14, A[x], 0)",
    );
    // With `0 - x % 13 < y and y <= 13 - x % 13` nothing would be added in the inner loop.
    let expected = "B[y] = B[y] + T.if_then_else(1 <= cse_v2 and cse_v2 < 14, A[x], 0)";
    assert_eq!(lines.last().unwrap(), expected);
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
    assert_eq!(lines.last().unwrap(), "B[cse_v5 + k] = A[cse_v3 + cse_v2 // 3]");
}

#[test]
fn quotients_of_unrolled_variables_stay_inside_of_others() {
    let lines = optimized(
        "A: T.Buffer((1000,), \"float32\"), B: T.Buffer((5000,), \"float32\")",
        "for i, j, p, k in T.grid(33, 6, 4, 6):\n    \
         B[i * 144 + p * 36 + j * 6 + k] = \
         A[(j * 2 + k // 3) // 3 * 182 + (j * 2 + k // 3) % 3 * 13 + k % 3 + i * 4 + p]",
    );
    // `(j * 6 + k) // 9` would be another division in each iteration of the loop over `k`, not in every third.
    let expected = "B[cse_v8 + k] = A[cse_v5 + k + cse_v1 * 10 + (cse_v2 + cse_v1) // 3 * 143]";
    assert_eq!(lines.last().unwrap(), expected);
}

#[test]
fn offsets_stay_with_addresses_that_a_branch_computes_too() {
    let params = "A: T.Buffer((64,), \"float32\"), B: T.Buffer((16,), \"float32\")";
    let lines = |init: &str| {
        optimized(
            params,
            &format!(
                "for i, k in T.grid(8, 4):\n    {init}\n    \
                 B[i * 2] = B[i * 2] + A[i * 8 + k]\n    B[i * 2 + 1] = B[i * 2 + 1] + A[i * 8 + k + 4]"
            ),
        )
    };
    // LLVM takes the constant out of a sum with one use only, and each branch is one.
    let first = lines("if k == 0:\n        B[i * 2 + 1] = T.float32(0)");
    assert_eq!(first.last().unwrap(), "B[cse_v1 + 1] = B[cse_v1 + 1] + A[cse_v4 + 4]", "{first:#?}");
    assert!(first.contains(&"B[cse_v1 + 1] = T.float32(0.0)".to_owned()), "{first:#?}");
    // Of equal addresses one after the other it makes one.
    let always = lines("B[i * 2 + 1] = T.float32(0)");
    assert!(always.iter().any(|line| line.ends_with("= cse_v1 + 1")), "{always:#?}");
    // So it is with a variable that becomes a constant, but not where a loop is between.
    let sum = |loops: &str| {
        let first = "if k == 0:\n        B[i * 4 + j] = T.float32(0)";
        let then = "B[i * 4 + j] = B[i * 4 + j] + A[i * 16 + k * 4 + j]";
        optimized(params, &format!("for {loops} in T.grid(4, 4, 4):\n    {first}\n    {then}"))
    };
    assert_eq!(sum("i, k, j").last().unwrap(), "B[cse_v2 + j] = B[cse_v2 + j] + A[cse_v5 + j]");
    assert_eq!(sum("i, j, k").last().unwrap(), "B[cse_v2] = B[cse_v2] + A[cse_v4 + k * 4]");
}

#[test]
fn quotients_of_unrolled_variables_stay_apart_from_others() {
    let lines = optimized(
        "A: T.Buffer((200,), \"float32\"), B: T.Buffer((8000,), \"float32\")",
        "for i, j in T.grid(100, 4):\n    B[i * 4 + j] = A[i * 2 + j // 2]",
    );
    // The index of `B` divided by 2 would be an operation less, and a division for each `j`.
    assert_eq!(lines.last().unwrap(), "B[cse_v2 + j] = A[cse_v1 + j // 2]");
}

/// The values bound in the innermost loop around the last line, in their order.
fn bound_beside_the_last(lines: &[String]) -> Vec<&str> {
    let last_loop = lines.iter().rposition(|line| line.starts_with("for ")).unwrap();
    let bindings = lines[last_loop + 1..].iter().filter(|line| line.contains(": T.let["));
    bindings.map(|line| line.split(" = ").nth(1).unwrap()).collect()
}

#[test]
fn indices_with_hidden_signs_are_computed_in_their_loop() {
    let params =
        "A: T.Buffer((400,), \"float32\"), B: T.Buffer((2000,), \"float32\"), S: T.Buffer((100,), \"int32\")";
    let lines = |row: &str| {
        let text = format!(
            "for i, j in T.grid(19, 100):\n    \
             B[i * 100 + j] = A[({row}) * 11 + T.max(T.min(S[j], 10), 0)] * A[({row}) * 11 + j % 8] * T.Cast(\"float32\", S[i])"
        );
        optimized(params, &text)
    };
    // LLVM makes `min(max(x, -1), 7) + 1` of this.
    let hidden = lines("T.max(T.min(S[i] + 1, 8), 0)");
    assert!(
        bound_beside_the_last(&hidden).iter().any(|value| value.contains("+ 1, 8), 0) * 11")),
        "{hidden:#?}"
    );
    // It sees that this is not negative.
    let seen = lines("T.max(T.min(S[i], 8), 0)");
    assert!(!bound_beside_the_last(&seen).iter().any(|value| value.contains(", 8), 0)")), "{seen:#?}");
    // Where a part of it is needed outside, it stays there.
    let text = "for i in range(19):\n    \
        S[i] = S[i + 20] * T.max(T.min(S[i + 20] + 1, 8), 0)\n    \
        for j in range(100):\n        \
        B[i * 100 + j] = A[T.max(T.min(S[i + 20] + 1, 8), 0) * 11 + S[j] % 4]";
    let used = optimized(params, text);
    assert!(bound_beside_the_last(&used).iter().all(|value| !value.contains("0) * 11")), "{used:#?}");
}

#[test]
fn short_divisions_go_into_a_short_loop() {
    let params = "A: T.Buffer((500,), \"float32\"), B: T.Buffer((5000,), \"float32\")";
    let lines = |rows: u32, columns: u32| {
        let text = format!(
            "for i, j in T.grid({rows}, {columns}):\n    B[i * {columns} + j] = A[i % 7 * 9 + j % 3]"
        );
        optimized(params, &text)
    };
    // LLVM would make an operation on bytes of it in the loop of `i`.
    let short = lines(21, 12);
    assert!(bound_beside_the_last(&short).contains(&"i % 7 * 9"), "{short:#?}");
    for outside in [lines(21, 60), lines(400, 12)] {
        assert!(!bound_beside_the_last(&outside).iter().any(|value| value.contains('%')), "{outside:#?}");
    }
}

#[test]
fn bindings_come_in_the_order_of_generated_code() {
    let lines = optimized(
        "A: T.Buffer((99,), \"int32\"), B: T.Buffer((99,), \"int32\"), x: T.int32, y: T.int32",
        "B[0] = (x * x - y) * A[x * x] + (x * y - 3) * A[y * x]\nB[1] = x * x - y\nB[2] = y * x - 3",
    );
    let values: Vec<&str> = lines.iter().filter_map(|line| line.split("T.let[T.int32] = ").nth(1)).collect();
    // Operands of sums and products from right to left.
    assert_eq!(values[..2], ["x * y", "cse_v1 - 3"], "{lines:#?}");
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
    // It is none where a lower bound is compared too.
    assert!(lines("7 <= i * 3 + j and (j + 1) // 3 + i < 50").contains("< 149"));
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
fn differences_that_ranges_tell_are_no_worse_than_sums() {
    let index = |columns: u32| {
        let text = format!(
            "for i, j in T.grid(31, {columns}):\n    \
             B[i * {columns} + j] = A[i * {columns} + T.max(j - 1, 0)]"
        );
        let params = "A: T.Buffer((900,), \"float32\"), B: T.Buffer((900,), \"float32\")";
        optimized(params, &text).pop().unwrap()
    };
    // The constant goes into the address, and what is left is a bound of the loop's variable.
    assert!(index(27).contains(" + T.max(j, 1) - 1]"), "{}", index(27));
    // In the copies of a loop that is written out it is a constant with the rest.
    assert!(index(7).contains(" + T.max(j - 1, 0)]"), "{}", index(7));
}

#[test]
fn what_branches_before_a_shared_element_is_read_stays_before_it() {
    let lines = |first: &str| {
        let text = format!(
            "for i, j in T.grid(8, 4):\n    \
             B[i] = B[i] + {first}\n    \
             B[i + 20] = B[i + 20] + T.if_then_else(j < 3, A[i + j + 1], T.float32(0)) * W[j]"
        );
        let params = "A: T.Buffer((99,), \"float32\"), B: T.Buffer((99,), \"float32\"), W: T.Buffer((4,), \"float32\")";
        optimized(params, &text)
    };
    let branch = lines("T.if_then_else(j < i, A[i + j], T.float32(0)) * W[j]");
    // The branch is taken before the element is read, as in the input, and the element is read once.
    let expected = ["T.if_then_else(j < i, A[i + j], T.float32(0.0))", "W[j]"];
    assert_eq!(bound_beside_the_last(&branch), expected, "{branch:#?}");
    assert_eq!(bound_beside_the_last(&lines("A[i + j] * W[j]")), ["i + j", "W[j]"]);
    // With its factors the other way round the element is read first.
    let swapped = lines("W[j] * T.if_then_else(j < i, A[i + j], T.float32(0))");
    assert_eq!(bound_beside_the_last(&swapped), ["W[j]"], "{swapped:#?}");
}

#[test]
fn comparisons_do_not_narrow_divisions_that_take_a_correction_then() {
    let condition = |divisor: u32| {
        let text = format!(
            "for i, j in T.grid(14, 128):\n    \
             if i * 32 + j // 4 < 437:\n        \
             B[i * 128 + j] = A[(i * 128 + j) % {divisor}]"
        );
        let params = "A: T.Buffer((99,), \"float32\"), B: T.Buffer((1748,), \"float32\")";
        let lines = optimized(params, &text);
        lines.into_iter().find(|line| line.starts_with("if ")).unwrap()
    };
    // Below 2^16 LLVM divides in 16 bits; by 23 that needs a factor of 17.
    assert_eq!(condition(23), "if cse_v1 + j // 4 < 437:");
    assert!(condition(37).contains(" < 1748"), "{}", condition(37));
}

#[test]
fn accumulators_of_short_reductions_of_rows_are_addressed_where_they_are() {
    let lines = |length: u32, index: &str| {
        let text = format!(
            "for i, j, k in T.grid(9, 11, {length}):\n    \
             if k == 0:\n        B[i * 11 + j] = T.float32(0)\n    \
             B[i * 11 + j] = B[i * 11 + j] + A[{index}]"
        );
        let params = "A: T.Buffer((20000,), \"float32\"), B: T.Buffer((99,), \"float32\")";
        optimized(params, &text).pop().unwrap()
    };
    let row = "i * 363 + j * 33 + k";
    assert!(lines(33, row).starts_with("B[cse_v1 + j] = B[cse_v1 + j] +"), "{}", lines(33, row));
    // LLVM does not write a long loop out, and of columns it makes vectors.
    assert!(lines(90, "i * 990 + j * 90 + k").starts_with("B[cse_v2] = B[cse_v2] +"));
    assert!(lines(33, "i * 363 + k * 11 + j").starts_with("B[cse_v2] = B[cse_v2] +"));
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
