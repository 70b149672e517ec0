//! Loops that are cut, split, joined and peeled, and what must be rejected of them.

use super::{certified, checked, made, program, refused};

/// A store to an element of `A`, under the condition that it is there.
fn store(index: &str, value: &str) -> String {
    format!("if {index} < n:\n    A[{index}] = {value}")
}

/// Statements in a loop.
fn within(head: &str, body: &str) -> String {
    let body: Vec<String> = body.lines().map(|line| format!("    {line}")).collect();
    format!("for {head}:\n{}", body.join("\n"))
}

/// Statements under a condition.
fn within_if(cond: &str, body: &str) -> String {
    within("", body).replacen("for :", &format!("if {cond}:"), 1)
}

fn whole() -> String {
    within("i in range(12)", &store("i", "i * k"))
}

#[test]
fn a_loop_is_its_pieces() {
    let piece = |range: &str| within(&format!("i in {range}"), &store("i", "i * k"));
    let pieces = |ranges: &[&str]| ranges.iter().map(|range| piece(range)).collect::<Vec<_>>().join("\n");
    certified(&whole(), &pieces(&["range(5)", "range(5, 12)"]));
    certified(&pieces(&["range(5)", "range(5, 12)"]), &whole());
    certified(&whole(), &pieces(&["range(1)", "range(1, 11)", "range(11, 12)"]));
    certified(&whole(), &format!("{}\n{}", piece("range(11)"), store("11", "11 * k")));
    certified(
        &whole(),
        &within("j in range(12)", &format!("i: T.let[T.int32] = j\n{}", store("i", "i * k"))),
    );
    refused(&whole(), &pieces(&["range(5)", "range(6, 12)"]));
    refused(&whole(), &pieces(&["range(5)", "range(5, 13)"]));
    refused(&whole(), &pieces(&["range(5)", "range(4, 11)"]));
    refused(&whole(), &pieces(&["range(5, 12)", "range(5)"]));
    refused(&whole(), &format!("{}\n{}", piece("range(11)"), store("11", "10 * k")));
    // Lengths that depend on sizes: pieces are there, if they are no less than nothing.
    let of = |range: &str| within(&format!("i in {range}"), "A[i] = i * k");
    certified(&of("range(n)"), &format!("{}\n{}", of("range(n // 2)"), of("range(n // 2, n)")));
    refused(&of("range(n)"), &format!("{}\n{}", of("range(n // 2)"), of("range(n // 2, n - 1)")));
    refused(
        "if k < n:\n    for i in range(n):\n        A[i] = i",
        "if k < n:\n    for i in range(k):\n        A[i] = i\n    for i in range(k, n):\n        A[i] = i",
    );
}

#[test]
fn buffers_may_be_declared_before_loops_in_pieces() {
    let piece = |range: &str| within(&format!("i in {range}"), &store("i", "i * k"));
    let whole = format!("C = T.alloc_buffer((4,))\nC[k] = T.float32(0)\n{}", whole());
    let pieces = |before: &str| {
        format!("C = T.alloc_buffer((4,))\n{before}{}\n{}", piece("range(11)"), store("11", "11 * k"))
    };
    certified(&whole, &pieces("C[k] = T.float32(0)\n"));
    let first = |index: &str, rest: &str| {
        let once = format!("C[{index}] = T.float32(0)\nA[{index}] = k");
        format!("C = T.alloc_buffer((4,))\n{once}\n{rest}")
    };
    let loops = |range: &str| within(&format!("i in {range}"), "C[i] = T.float32(0)\nA[i] = k");
    let whole = format!("C = T.alloc_buffer((4,))\n{}", loops("range(4)"));
    certified(&whole, &first("0", &loops("range(1, 4)")));
    certified(&first("0", &loops("range(1, 4)")), &whole);
    refused(&whole, &first("1", &loops("range(1, 4)")));
    refused(&whole, &first("0", &loops("range(1, 4)")).replace("(4,)", "(5,)"));
}

#[test]
fn a_loop_is_a_nest_that_counts_its_iterations() {
    let nest = |p: &str, q: &str, index: &str| {
        let store = store(index, &format!("({index}) * k"));
        within(&format!("o in range({p})"), &within(&format!("i in range({q})"), &store))
    };
    certified(&whole(), &nest("3", "4", "o * 4 + i"));
    certified(&nest("3", "4", "o * 4 + i"), &whole());
    certified(&whole(), &within("p in range(2)", &nest("2", "3", "p * 6 + o * 3 + i")));
    refused(&whole(), &nest("3", "4", "i * 3 + o"));
    refused(&nest("3", "4", "i * 3 + o"), &whole());
    refused(&whole(), &nest("3", "3", "o * 4 + i"));
    refused(&whole(), &nest("4", "o + 1", "o * 4 + i"));
    // What begins elsewhere.
    let from = |o: &str, i: &str, index: &str| {
        within(&format!("o in {o}"), &within(&format!("i in {i}"), &store(index, &format!("({index}) * k"))))
    };
    certified(&whole(), &from("range(1, 4)", "range(2, 6)", "o * 4 + i - 6"));
    refused(&whole(), &from("range(1, 4)", "range(2, 6)", "o * 4 + i - 5"));
    // Iterations of the outer loop in pieces.
    let pieces = |rest: &str| {
        let first = within("i in range(3)", &store("o * 4 + i", "(o * 4 + i) * k"));
        within("o in range(3)", &format!("{first}\n{rest}"))
    };
    certified(&whole(), &pieces(&store("o * 4 + 3", "(o * 4 + 3) * k")));
    refused(&whole(), &pieces(&store("o * 4 + 2", "(o * 4 + 2) * k")));
    // More than the loops.
    refused(&whole(), &within("o in range(3)", "A[0] = 1\nfor i in range(4):\n    A[0] = k"));
    // Lengths of sizes.
    let of = |p: &str, q: &str| nest(p, q, &format!("o * ({q}) + i"));
    certified(&of("n", "n"), &within("i in range(n * n)", &store("i", "i * k")));
    refused(&of("n", "k"), &within("i in range(n * k)", &store("i", "i * k")));
}

#[test]
fn iterations_that_do_nothing_may_be_left_out() {
    let of = |range: &str, cond: &str| {
        within(&format!("i in {range}"), &within_if(cond, "F[i] = T.Cast(\"float32\", i * k)"))
    };
    let plain = |range: &str| of(range, "i < i + 1");
    certified(&of("range(12)", "i < 7"), &plain("range(7)"));
    certified(&plain("range(7)"), &of("range(12)", "i < 7"));
    certified(&of("range(2, 12)", "i < 7"), &plain("range(2, 7)"));
    refused(&of("range(12)", "i < 7"), &plain("range(6)"));
    refused(&of("range(12)", "i < 7"), &plain("range(8)"));
    refused(&of("range(12)", "i != 7"), &plain("range(7)"));
    refused(&of("range(2, 12)", "i < 7"), &plain("range(7)"));
    // There are no more than those of the longer loop.
    refused(&of("range(4)", "i < 7"), &plain("range(7)"));
    refused(&of("range(k)", "i < 7"), &plain("range(7)"));
    // Only one is left, and stands alone.
    let rows = |range: &str, cond: &str, row: &str| {
        let store = within("j in range(3)", &format!("A[{row} * 3 + j] = k"));
        within(&format!("i in {range}"), &within_if(cond, &store))
    };
    let row = |row: &str| within("j in range(3)", &format!("A[{row} * 3 + j] = k"));
    certified(&rows("range(4)", "n + i < n + 1", "i"), &row("0"));
    refused(&rows("range(4)", "n + i < n + 2", "i"), &row("0"));
    refused(&rows("range(4)", "n + i < n + 1", "i"), &row("1"));
    refused(&rows("range(k)", "i < 1", "i"), &row("0"));
    refused(&rows("range(4)", "i < n", "i"), &row("0"));
    // A nest counts more than there are.
    let nest = |p: &str, end: &str, index: &str| {
        let store = within_if(&format!("o * 8 + i < {end}"), &format!("A[{index}] = k"));
        within(&format!("o in range({p})"), &within("i in range(8)", &store))
    };
    let whole = |range: &str| within(&format!("i in {range}"), "A[i] = k");
    certified(&nest("(n + 7) // 8", "n", "o * 8 + i"), &whole("range(n)"));
    certified(&whole("range(n)"), &nest("(n + 7) // 8", "n", "o * 8 + i"));
    certified(&nest("3", "17", "o * 8 + i"), &whole("range(17)"));
    certified(&whole("range(17)"), &nest("3", "17", "o * 8 + i"));
    refused(&nest("2", "17", "o * 8 + i"), &whole("range(17)"));
    refused(&nest("n // 8", "n", "o * 8 + i"), &whole("range(n)"));
    refused(&nest("(n + 7) // 8", "n - 1", "o * 8 + i"), &whole("range(n)"));
    refused(&nest("(n + 7) // 8", "n", "o + i * 8"), &whole("range(n)"));
    refused(&whole("range(n)"), &nest("(n + 7) // 8", "n + 1", "o * 8 + i"));
    // What is evaluated where nothing is done shows nothing.
    let divides =
        |cond: &str| within("i in range(12)", &within_if(cond, "F[i] = T.Cast(\"float32\", n // k)"));
    let narrow = within("i in range(7)", "F[i] = T.Cast(\"float32\", n // k)");
    certified(&divides("i < 7"), &narrow);
    refused(&divides("i < n"), &narrow);
}

#[test]
fn what_the_first_iteration_does_may_stand_before() {
    let body = |rest: &str| {
        within(
            "r in range(4)",
            &within("s in range(3)", &format!("if r == 0 and s == 0:\n    F[k] = T.float32(0)\n{rest}")),
        )
    };
    let sum = "F[k] = F[k] + F[r * 3 + s]";
    let after = |before: &str, r: &str| format!("{before}\n{}", within(r, &within("s in range(3)", sum)));
    certified(&body(sum), &after("F[k] = T.float32(0)", "r in range(4)"));
    refused(&body(sum), &after("F[k] = T.float32(1)", "r in range(4)"));
    refused(&body(sum), &after("F[k] = T.float32(0)", "r in range(3)"));
    refused(&body(sum), &after("F[k] = T.float32(0)", "r in range(1, 5)"));
    refused(
        &body(sum),
        &format!("{}\nF[k] = T.float32(0)", within("r in range(4)", &within("s in range(3)", sum))),
    );
    // There may be no first iteration.
    let of = |range: &str| within(&format!("i in {range}"), "if i == 0:\n    B[0] = 1\nA[i] = k");
    let peeled = |range: &str| format!("B[0] = 1\n{}", within(&format!("i in {range}"), "A[i] = k"));
    refused(&of("range(k)"), &peeled("range(k)"));
    refused(&of("range(n)"), &peeled("range(n)"));
    // Where the loop runs there is one.
    let guarded = |cond: &str, range: &str| {
        format!("if {cond}:\n    B[0] = 1\n{}", within(&format!("i in {range}"), "A[i] = k"))
    };
    certified(&of("range(k)"), &guarded("0 < k", "range(k)"));
    certified(&of("range(n)"), &guarded("1 <= n", "range(n)"));
    refused(&of("range(k)"), &guarded("0 <= k", "range(k)"));
    refused(&of("range(k)"), &guarded("1 < k", "range(k)"));
    refused(&of("range(k)"), &guarded("0 < n", "range(k)"));
    refused(&of("range(k)"), &guarded("0 < k", "range(1, k)"));
}

#[test]
fn iterations_do_not_show_that_they_are_there() {
    // Each iteration assumes what only an iteration could.
    let one = "T.assume(k == 1)\nA[0] = 3";
    refused(&within("i in range(k)", one), one);
    refused(&within("i in range(k)", "A[0] = n // (k - 1)"), "A[0] = n // (k - 1)");
    // Nor that the conditions hold under which they are.
    let store = |range: &str| within(&format!("i in {range}"), "F[i] = T.Cast(\"float32\", n // k)");
    let pieces = within_if("k != 0", &format!("{}\n{}", store("range(5)"), store("range(5, 12)")));
    let whole = store("range(12)");
    certified(&within_if("k != 0", &whole), &pieces);
    certified(&pieces, &within_if("k != 0", &whole));
    refused(&pieces, &whole);
    refused(&within_if("k != 0", &whole), &format!("{}\n{}", store("range(5)"), store("range(5, 12)")));
    let nest = |cond: &str| {
        within(
            "o in range(3)",
            &within_if(cond, &within("i in range(4)", "F[o * 4 + i] = T.Cast(\"float32\", n // k)")),
        )
    };
    certified(&nest("o < 3"), &within_if("k != k + 1", &whole));
    refused(&nest("k != 0"), &whole);
    refused(
        &within("i in range(k)", "if i == 0:\n    T.assume(k == 4)\n    B[0] = 1\nA[i] = 3"),
        &format!("B[0] = 1\n{}", within("i in range(k)", "A[i] = 3")),
    );
}

#[test]
fn a_spoilt_alignment_of_loops_is_rejected() {
    let a = format!("{}\n{}", whole(), within("r in range(4)", "if r == 0:\n    B[0] = 0\nB[0] = B[0] + r"));
    let nest = within("i in range(3)", &store("o * 4 + i", "(o * 4 + i) * k"));
    let nest = within("o in range(3)", &format!("{nest}\n{}", store("o * 4 + 3", "(o * 4 + 3) * k")));
    let b = format!("{nest}\nB[0] = 0\n{}", within("r in range(4)", "B[0] = B[0] + r"));
    let (a, b) = (program(&a), program(&b));
    let text = made(&a, &b).text;
    checked(&a, &b, &text).unwrap();
    assert!(text.contains("(cover 0 0 second (nest (cut 4 loop (once 1)))) (peel 1 1 1)"), "{text}");
    for (from, to) in [
        ("loop (once 1)", "(within loop) (once 1)"),
        ("second", "first"),
        ("second", "third"),
        ("(cut 4", "(cut 3"),
        ("(cut 4", "(cut _"),
        ("(cut 4", "(cut -4"),
        ("loop (once 1)", "loop"),
        ("loop (once 1)", "loop (once 1) rest (once 1)"),
        ("loop (once 1)", "loop rest"),
        ("(nest (cut 4 loop (once 1)))", "(cut _ (nest (cut 4 loop (once 1))) loop rest)"),
        ("loop (once 1)", "(once 1) loop"),
        ("(once 1)", "(once 2)"),
        ("(once 1)", "(once 18446744073709551615)"),
        ("(nest (cut 4 loop (once 1)))", "loop"),
        ("(nest (cut 4 loop (once 1)))", "(once 1)"),
        ("(nest (cut 4 loop (once 1)))", "(cut _)"),
        ("(cover 0 0", "(cover 0 1"),
        ("(peel 1 1 1)", "(peel 1 1 0)"),
        ("(peel 1 1 1)", "(peel 1 1 2)"),
        ("(peel 1 1 1)", "(peel 1 1 18446744073709551615)"),
        ("(peel 1 1 1)", "(1 1)"),
        ("(peel 1 1 1)", "(_ 1) (1 2)"),
        ("(peel 1 1 1)", ""),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        let why = checked(&a, &b, &changed).expect_err(to);
        assert!(!why.contains('\n'), "{to}: {why}");
    }
}
