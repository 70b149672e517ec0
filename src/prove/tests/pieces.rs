//! Loops whose iterations are cut in pieces, some of which are nests, and what the first iteration of a nest does.

use super::{function, not_proven, proven};
use crate::prove::{Integers, Proof, Solver, prove};

#[test]
fn loops_in_a_nest_may_be_in_pieces() {
    let whole = "for x in range(48):\n    A[x] = k";
    let group = |outer: usize, ends: [usize; 2], at: usize| {
        format!(
            "for i in range({outer}):\n    for j in range({}):\n        A[i * 6 + j] = k\n    for j in range({}):\n        A[i * 6 + j + {at}] = k",
            ends[0], ends[1]
        )
    };
    proven(whole, &group(8, [2, 4], 2));
    for wrong in [
        group(7, [2, 4], 2),
        group(8, [2, 3], 2),
        group(8, [3, 4], 2),
        group(8, [2, 4], 3),
        group(8, [4, 2], 2),
    ] {
        not_proven(whole, &wrong);
    }
    // One of the iterations is written out, and some follow the nest.
    let tail = |outer: usize, after: usize| {
        format!(
            "for i in range({outer}):\n    for j in range(5):\n        A[i * 6 + j] = k\n    A[i * 6 + 5] = k\nfor j in range({after}):\n    A[j + {}] = k",
            outer * 6
        )
    };
    proven(whole, &tail(7, 6));
    not_proven(whole, &tail(7, 5));
    not_proven(whole, &tail(7, 7));
    not_proven(whole, &tail(7, 6).replace("A[i * 6 + 5] = k", "A[i * 6 + 4] = k"));
}

#[test]
fn a_nest_is_one_loop_whatever_is_seen_where_nothing_happens() {
    let whole = "for f in range(8):\n    for y in range(n - 8):\n        A[f + y] = B[f // 4]";
    let nest = |f: &str| {
        format!(
            "for i in range(2):\n    for j in range(4):\n        for y in range(n - 8):\n            A[{f} + y] = B[i]"
        )
    };
    proven(whole, &nest("i * 4 + j"));
    not_proven(whole, &nest("i * 4 + 3 - j"));
    not_proven(whole, &nest("i * 3 + j"));
}

#[test]
fn pieces_in_a_nest_are_as_long_in_each_iteration() {
    let Ok(solver) = Solver::find(&std::env::var_os("PATH").unwrap_or_default()) else { return };
    let is_proven = |a: &str, b: &str| {
        let proof = prove(&function(a), &function(b), Integers::Unbounded, Some(&solver));
        proof.unwrap().remove(0).is_proven()
    };
    let whole = "for x in range(16):\n    A[x] = T.if_then_else(x < 1, 0, k)";
    let pieces = |first: &str, second: &str| {
        format!(
            "for i in range(2):\n    for j in range({first}):\n        A[j] = 0\n    for j in range({second}):\n        A[i * 8 + j] = k"
        )
    };
    assert!(is_proven(whole, &pieces("T.max(1 - i * 8, 0)", "T.max(1 - i * 8, 0), 8")));
    assert!(!is_proven(whole, &pieces("T.max(1 - i * 8, 0)", "T.max(1 - i * 8, 1), 8")));
    assert!(!is_proven(whole, &pieces("T.max(1 - i * 8, 0)", "T.max(1 - i * 8, 0), 8 + i")));
    // As many in all, but not in each.
    let varying =
        |first: &str| format!("for i in range(2):\n    for j in range({first}):\n        A[i * 8 + j] = k");
    not_proven("for x in range(16):\n    A[x] = k", &varying("7 + i * 2"));
    // Sizes that nothing is known of.
    let sizes = |ends: &str| {
        format!(
            "for i in range(3):\n    for j in range(k):\n        A[i * n + j] = 1\n    for j in range({ends}):\n        A[i * n + j] = 1"
        )
    };
    not_proven("for x in range(n * 3):\n    A[x] = 1", &sizes("k, n"));
    let within = |body: &str| format!("if k >= 0 and k <= n:\n    {}", body.replace('\n', "\n    "));
    proven(&within("for x in range(n * 3):\n    A[x] = 1"), &within(&sizes("k, n")));
    not_proven(&within("for x in range(n * 3):\n    A[x] = 1"), &within(&sizes("k, n - 1")));
}

#[test]
fn iterations_that_reduce_keep_their_order() {
    let whole = "for x in range(12):\n    A[0] = A[0] * 3 + B[x]";
    let group = |first: usize, second: usize| {
        format!(
            "for i in range(3):\n    for j in range(2):\n        A[0] = A[0] * 3 + B[i * 4 + j + {first}]\n    for j in range(2):\n        A[0] = A[0] * 3 + B[i * 4 + j + {second}]"
        )
    };
    proven(whole, &group(0, 2));
    not_proven(whole, &group(2, 0));
    not_proven(whole, &group(0, 1));
}

#[test]
fn the_first_iteration_of_a_nest_is_that_of_a_sum() {
    let nest = |first: &str, starts: &str| {
        format!(
            "for p in range({starts}, (n + 2) // 3):\n    for q in range(3):\n        if p * 3 + q < n:\n            if {first}:\n                A[0] = 7\n            A[0] = A[0] + B[p * 3 + q]"
        )
    };
    let apart = |bound: &str, init: usize| {
        format!("if {bound}:\n    A[0] = {init}\nfor x in range(n):\n    A[0] = A[0] + B[x]")
    };
    proven(&nest("p * 3 + q == 0", "0"), &apart("0 < n", 7));
    proven(&nest("0 == q + 5 * p", "0"), &apart("0 < n", 7));
    not_proven(&nest("p * 3 + q == 0", "0"), &apart("0 <= n", 7));
    not_proven(&nest("p * 3 + q == 0", "0"), &apart("1 < n", 7));
    not_proven(&nest("p * 3 + q == 0", "0"), &apart("0 < n", 8));
    not_proven(&nest("p * 3 - q == 0", "0"), &apart("0 < n", 7));
    not_proven(&nest("p * 3 + q == 1", "0"), &apart("0 < n", 7));
    not_proven(&nest("p * 3 == 0", "0"), &apart("0 < n", 7));
    not_proven(&nest("p * 3 + q == 0", "-1"), &apart("0 < n", 7));
    // What stands before it in the nest may read what it stores.
    let late = nest("p * 3 + q == 0", "0")
        .replace("if p * 3 + q == 0", "B[q] = A[0]\n            if p * 3 + q == 0");
    not_proven(
        &late,
        &apart("0 < n", 7).replace("    A[0] = A[0] +", "    B[x % 3] = A[0]\n    A[0] = A[0] +"),
    );
}

#[test]
fn each_nest_is_in_the_shape_that_shows_most() {
    // The first nest is cut inside, the second one joined.
    let a = "for i in range(n):\n    for j in range(8):\n        A[j] = T.if_then_else(j < 3, i, k)\nfor i, j in T.grid(12, 4):\n    B[i * 4 + j] = k";
    let b = |end: usize, columns: usize| {
        format!(
            "for i in range(n):\n    for j in range({end}):\n        A[j] = i\n    for j in range({end}, 8):\n        A[j] = k\nfor i, j in T.grid(8, {columns}):\n    B[i * 6 + j] = k"
        )
    };
    proven(a, &b(3, 6));
    not_proven(a, &b(4, 6));
    not_proven(a, &b(3, 5));
}

#[test]
fn a_copy_of_what_is_there_is_no_piece() {
    let nest = |rows: usize, value: &str| {
        format!("for x in range({rows}):\n    for y in range(4):\n        A[x * 4 + y] = {value}\n")
    };
    let pieces = nest(13, "k") + "for y in range(4):\n    A[52 + y] = k";
    proven(&(nest(14, "k") + &nest(14, "A[x * 4 + y]")), &pieces);
    for wrong in ["A[x * 4 + y] + 1", "A[x * 4]", "B[x * 4 + y]"] {
        not_proven(&(nest(14, "k") + &nest(14, wrong)), &pieces);
    }
}

/// As [`proof`], with a solver, if there is one.
fn asked(a: &str, b: &str) -> Option<Proof> {
    let solver = Solver::find(&std::env::var_os("PATH").unwrap_or_default()).ok()?;
    let proofs = prove(&function(a), &function(b), Integers::Unbounded, Some(&solver));
    Some(proofs.unwrap().remove(0))
}

#[track_caller]
fn solved(a: &str, b: &str) {
    let proof = asked(a, b);
    assert!(proof.as_ref().is_none_or(Proof::is_proven), "{proof:?}");
}

#[track_caller]
fn never(a: &str, b: &str) {
    assert!(!asked(a, b).is_some_and(|proof| proof.is_proven()), "{b}");
}

#[test]
fn one_iteration_of_a_loop_may_be_left() {
    let guarded = |length: usize| {
        format!(
            "for i in range(4):\n    for y in range(3):\n        for j in range(4):\n            if i * 4 + j < {length}:\n                for x in range(6):\n                    A[(i * 4 + j) * 18 + y * 6 + x] = x"
        )
    };
    let pieces = |rows: usize, from: usize| {
        format!(
            "for i in range(3):\n    for y in range(3):\n        for j in range(4):\n            for x in range(6):\n                A[(i * 4 + j) * 18 + y * 6 + x] = x\nfor y in range({rows}):\n    for x in range(6):\n        A[{from} + y * 6 + x] = x"
        )
    };
    proven(&guarded(13), &pieces(3, 216));
    for (length, rows, from) in [(14, 3, 216), (12, 3, 216), (13, 2, 216), (13, 3, 217)] {
        not_proven(&guarded(length), &pieces(rows, from));
    }
}

#[test]
fn what_was_split_and_guarded_may_be_whole() {
    let guarded = |length: &str| {
        format!(
            "for y in range(n):\n    for q in range((n + 7) // 8):\n        for r in range(8):\n            if q * 8 + r < {length}:\n                A[y * n + q * 8 + r] = k"
        )
    };
    // Each row, and all of them.
    let row =
        |length: &str| format!("for y in range(n):\n    for x in range({length}):\n        A[y * n + x] = k");
    let whole = |length: &str| format!("for x in range({length}):\n    A[x] = k");
    solved(&guarded("n"), &row("n"));
    solved(&guarded("n"), &whole("n * n"));
    never(&guarded("n"), &row("n - 1"));
    never(&guarded("n - 1"), &row("n"));
    never(&guarded("n"), &whole("n * n - 1"));
    never(&guarded("n - 1"), &whole("n * n"));
    // Two pieces of each row.
    let pieces = |middle: &str| {
        format!(
            "for y in range(n):\n    for x in range(T.min(n, 5)):\n        A[y * n + x] = k\n    for x in range({middle}, n):\n        \
             A[y * n + x] = k"
        )
    };
    solved(&guarded("n"), &pieces("T.min(n, 5)"));
    never(&guarded("n"), &pieces("T.min(n, 6)"));
}

#[test]
fn a_condition_may_go_out_of_a_loop() {
    let inside = |then: &str, otherwise: &str| {
        format!("for x in range(n):\n    A[x] = T.if_then_else(k == 1, {then}, {otherwise})")
    };
    let outside = |cond: &str, lengths: [&str; 2], then: &str, otherwise: &str| {
        format!(
            "if {cond}:\n    for x in range({}):\n        A[x] = {then}\nelse:\n    for y in range({}):\n        A[y] = {otherwise}",
            lengths[0], lengths[1]
        )
    };
    solved(&inside("x", "k"), &outside("k == 1", ["n", "n"], "x", "k"));
    solved(&inside("B[x]", "k"), &outside("k == 1", ["n", "n"], "B[x]", "k"));
    for wrong in [
        outside("k == 2", ["n", "n"], "x", "k"),
        outside("k != 1", ["n", "n"], "x", "k"),
        outside("k == 1", ["n", "n"], "k", "y"),
        outside("k == 1", ["n", "n - 1"], "x", "k"),
        outside("k == 1", ["n - 1", "n - 1"], "x", "k"),
        outside("k == 1", ["n", "n"], "x", "k + 1"),
    ] {
        never(&inside("x", "k"), &wrong);
    }
    // What is stored may change the condition, if that is loaded.
    let stored = "for x in range(n):\n    A[x] = T.if_then_else(A[0] == 1, 2, 3)";
    never(stored, &outside("A[0] == 1", ["n", "n"], "2", "3"));
}

#[test]
fn one_of_several_statements_runs() {
    let one = "for x in range(n):\n    A[x] = T.if_then_else(B[x] == 1, x, T.if_then_else(k == 2, 5, 6))";
    let several = |first: &str, second: &str, third: &str| {
        format!(
            "for x in range(n):\n    if B[x] == 1:\n        A[x] = {first}\n    else:\n        if k == 2:\n            A[x] = {second}\n        else:\n            A[x] = {third}"
        )
    };
    solved(one, &several("x", "5", "6"));
    for wrong in
        [several("x", "6", "5"), several("5", "x", "6"), several("x", "5", "5"), several("x + 1", "5", "6")]
    {
        never(one, &wrong);
    }
    let two = |second: &str| {
        format!("for x in range(n):\n    if k == 1:\n        A[x] = 1\n    if {second}:\n        A[x] = 2")
    };
    let choice = "for x in range(n):\n    A[x] = T.if_then_else(k == 1, 1, 2)";
    solved(choice, &two("k != 1"));
    for wrong in ["k != 2", "k >= 1", "k > 1", "k <= 1"] {
        never(choice, &two(wrong));
    }
    // The first one changes what the second condition loads.
    let loaded = |value: usize| {
        format!(
            "for x in range(n):\n    if A[x] == 1:\n        A[x] = {value}\n    if A[x] != 1:\n        A[x] = 2"
        )
    };
    never("for x in range(n):\n    A[x] = T.if_then_else(A[x] == 1, 7, 2)", &loaded(7));
}

#[test]
fn one_statement_does_what_one_of_several_does() {
    let several = |cond: &str, first: &str, second: &str| {
        format!(
            "for x in range(n):\n    if {cond}:\n        A[x] = {first}\n    else:\n        A[x] = {second}"
        )
    };
    let one = |value: &str| format!("for x in range(n):\n    A[x] = {value}");
    solved(&several("x < k", "x * 2 + k", "k + x + x"), &one("x * 2 + k"));
    solved(&several("B[x] == 1", "1", "B[x]"), &one("B[x]"));
    never(&several("x < k", "x * 2 + k", "k + x"), &one("x * 2 + k"));
    never(&several("B[x] == 1", "2", "B[x]"), &one("B[x]"));
    let three = |second: &str, last: &str| {
        format!(
            "for x in range(n):\n    if x < k:\n        A[x] = 1\n    else:\n        if {second}:\n            A[x] = 2\n        \
             else:\n            A[x] = {last}"
        )
    };
    let chosen = one("T.if_then_else(x < k, 1, T.if_then_else(x == k, 2, 3))");
    solved(&three("x == k", "3"), &chosen);
    for (second, last) in [("x == k + 1", "3"), ("x <= k + 1", "3"), ("x == k", "x")] {
        never(&three(second, last), &chosen);
    }
    // The first one changes what the second condition loads.
    let loaded =
        "for x in range(n):\n    if A[x] == 1:\n        A[x] = 7\n    if A[x] != 1:\n        A[x] = 2";
    never(loaded, &one("T.if_then_else(A[x] == 1, 7, 2)"));
    // Loops over the same range.
    let loops = |length: &str| {
        format!(
            "if k == 3:\n    for x in range(n):\n        A[x] = x + 3\nelse:\n    for x in range({length}):\n        A[x] = x + k"
        )
    };
    solved(&loops("n"), &one("x + k"));
    never(&loops("n + 1"), &one("x + k"));
}

#[test]
fn lengths_of_pieces_may_be_minima_and_maxima() {
    let sized = |body: &str| format!("T.assume(0 <= k)\n{body}");
    let whole = "for y in range((k * n * n + 4) // 5):\n    for z in range(5):\n        if y * 5 + z < k * n * n:\n            \
                 A[y * 5 + z] = y + z";
    // The first row, those in the middle, and the last one.
    let rows = |middle: &str, last: &str| {
        let row = |from: &str, length: &str| {
            format!(
                "    for r in range({from}, {from} + {length}):\n        for x in range(n):\n            \
                 A[(q * n + r) * n + x] = ((q * n + r) * n + x) // 5 + ((q * n + r) * n + x) % 5\n"
            )
        };
        let begin = ["0", "T.min(1, n)", "T.max(n - 1, T.min(1, n))"];
        let all = row(begin[0], "T.min(1, n)") + &row(begin[1], middle) + &row(begin[2], last);
        sized(&format!("for q in range(k):\n{all}"))
    };
    let (middle, last) = ("T.max(n - 2, 0)", "T.min(1, n - T.min(1, n))");
    solved(&sized(whole), &rows(middle, last));
    for (middle, last) in [(middle, "T.min(1, n)"), ("T.max(n - 3, 0)", last)] {
        never(&sized(whole), &rows(middle, last));
    }
}

#[test]
fn iterations_may_be_left_for_some_sizes_only() {
    // Where `k * n` is odd, none are left.
    let whole = "T.assume(0 <= k)\nfor y in range(k * n // 2 * 2 + 1):\n    for z in range(4):\n        if y < k * n:\n            \
                 A[y * 4 + z] = B[1]";
    let rows = |odd: &str| {
        format!(
            "T.assume(0 <= k)\nfor q in range(k):\n    for z in range(n % 2 * {odd}):\n        A[q * n * 4 + z] = B[1]\n    \
             for j in range(n % 2, n % 2 + n // 2 * 2):\n        for z in range(4):\n            A[(q * n + j) * 4 + z] = B[1]"
        )
    };
    solved(whole, &rows("4"));
    never(whole, &rows("3"));
}

#[test]
fn iterations_that_do_nothing_are_no_pieces() {
    // In most rows neither program does anything, whatever the pieces.
    let whole = "for y, z, x in T.grid(3, 5, 6):\n    if y * 5 + z >= 13:\n        for r in range(4):\n            if r == 0:\n                A[y * 30 + z * 6 + x] = 0\n            A[y * 30 + z * 6 + x] = A[y * 30 + z * 6 + x] + B[r]";
    let row = |at: &str, indent: &str| {
        let place = format!("A[y * 30 + z * 6 + i * 3 + {at}]");
        format!(
            "{indent}if y * 5 + z >= 13:\n{indent}    {place} = 0\n{indent}    for r in range(4):\n{indent}        {place} = {place} + B[r]\n"
        )
    };
    let pieces = |last: &str| {
        format!(
            "for y, z, i in T.grid(3, 5, 2):\n    for j in range(2):\n{}{}",
            row("j", "        "),
            row(last, "    ")
        )
    };
    proven(whole, &pieces("2"));
    not_proven(whole, &pieces("1"));
}

#[test]
fn numbers_that_become_floats_may_be_constants_in_pieces() {
    let store =
        |at: &str, value: &str| format!("A[{at}] = T.Cast(\"int32\", T.Cast(\"float32\", B[0]) / ({value}))");
    let whole = format!(
        "for i in range(5):\n    for j in range(2):\n        {}\n        if j < 1:\n            {}",
        store("i * 3 + j * 2", "T.Cast(\"float32\", j + 2) * T.Cast(\"float32\", i)"),
        store("i * 3 + 1", "T.Cast(\"float32\", i)"),
    );
    let pieces = |last: &str| {
        format!(
            "for i in range(5):\n    {}\n    {}\n    {}",
            store("i * 3", "T.float32(2.0) * T.Cast(\"float32\", i)"),
            store("i * 3 + 1", "T.Cast(\"float32\", i)"),
            store("i * 3 + 2", &format!("T.float32({last}) * T.Cast(\"float32\", i)")),
        )
    };
    proven(&whole, &pieces("3.0"));
    not_proven(&whole, &pieces("2.0"));
}
