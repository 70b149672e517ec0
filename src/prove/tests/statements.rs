//! What holds behind a jump, what memory is behind a loop that only some conditions reach, what may be left out.

use super::{not_proven, proven};

#[test]
fn a_jump_says_when_what_follows_runs() {
    // What follows runs only if `k` is at least 3.
    let then = |bound: usize, store: &str| format!("if k >= {bound}:\n    {store}");
    let leaves = |what: &str, rest: &str| format!("if k < 3:\n    {what}\n{rest}");
    let (with, without) =
        (|bound| leaves("return 0", &then(bound, "A[0] = k")), leaves("return 0", "A[0] = k"));
    proven(&with(3), &without);
    proven(&with(2), &without);
    not_proven(&with(4), &without);
    let inside = |body: &str| format!("for i in range(n):\n    {}", body.replace('\n', "\n    "));
    for jump in ["T.continue_loop()", "T.break_loop()"] {
        let with = |bound| inside(&leaves(jump, &then(bound, "A[i] = k")));
        let without = inside(&leaves(jump, "A[i] = k"));
        proven(&with(3), &without);
        not_proven(&with(4), &without);
    }
    // What leaves an inner loop says nothing behind it.
    let around = |after: &str| {
        let inner = "for j in range(4):\n    if k < 3:\n        T.break_loop()\n    B[j] = 1";
        inside(&format!("{inner}\n{after}"))
    };
    not_proven(&around(&then(3, "A[i] = k")), &around("A[i] = k"));
}

#[test]
fn what_is_evaluated_behind_a_jump_counts_behind_it_only() {
    let of = |before: &str, after: &str| {
        format!("for i in range(n):\n    {before}\n    if i == k:\n        T.continue_loop()\n    {after}")
    };
    let a = of("B[i] = 1", "A[i] = 7 // k");
    proven(&a, &of("B[i] = 1", "q: T.let[T.int32] = 7 // k\n    A[i] = q"));
    not_proven(&a, &of("q: T.let[T.int32] = 7 // k\n    B[i] = 1", "A[i] = q"));
    not_proven(
        &of("B[i] = 1", "A[i] = 7 // k"),
        &format!("p: T.let[T.int32] = 7 // k\n{}", of("B[i] = 1", "A[i] = p")),
    );
    // In an inner loop that may have been left before it.
    let inner = |rest: &str| {
        format!(
            "for i in range(n):\n    for j in range(4):\n        if j == k:\n            T.break_loop()\n        A[j] = 7 // k\n    {rest}"
        )
    };
    not_proven(&inner("B[i] = i"), &inner("p: T.let[T.int32] = 7 // k\n    B[i] = i + p - p"));
}

/// What is evaluated where a jump has not left shows nothing of whether it leaves.
#[test]
fn a_jump_is_not_left_out_because_of_what_is_behind_it() {
    let guarded = |jump: &str, after: &str| format!("if k == 0:\n    {jump}\n{after}");
    let inside = |body: &str| format!("for i in range(4):\n    {}", body.replace('\n', "\n    "));
    let divided = "A[0] = n // k";
    for jump in ["return 0", "T.evaluate(T.call_extern(\"int32\", \"f\"))", "while n > 0:\n        A[1] = 0"]
    {
        not_proven(&guarded(jump, divided), divided);
        // What is before it does.
        proven(&format!("{divided}\n{}", guarded(jump, "A[2] = 5")), &format!("{divided}\nA[2] = 5"));
    }
    for jump in ["T.break_loop()", "T.continue_loop()"] {
        not_proven(&inside(&guarded(jump, divided)), &inside(divided));
    }
    proven(&guarded("A[3] = 1", divided), divided);
    // Nor that it is evaluated before it.
    let call = "T.evaluate(T.call_extern(\"int32\", \"f\"))";
    let kept = "q: T.let[T.int32] = n // k";
    not_proven(&format!("{call}\n{divided}"), &format!("{kept}\n{call}\nA[0] = q"));
    proven(&format!("{call}\n{divided}\nA[1] = 0"), &format!("{call}\n{kept}\nA[0] = q\nA[1] = 0"));
    // In another place.
    let outside = "if k < 0 or n <= k:\n    return 0";
    not_proven(&format!("{outside}\nA[k] = 1"), &format!("A[k] = 1\n{outside}"));
}

#[test]
fn memory_changes_where_a_loop_is_reached() {
    let of = |first: &str, second: &str| {
        format!(
            "q: T.let[T.int32] = B[0]\nif 0 < k:\n    for i in range(n):\n        B[i] = i\n    A[0] = {first}\nelse:\n    A[0] = {second}"
        )
    };
    proven(&of("B[0]", "B[0]"), &of("B[0]", "q"));
    not_proven(&of("B[0]", "B[0]"), &of("q", "q"));
    let behind = |value: &str| {
        format!(
            "q: T.let[T.int32] = B[0]\nif 0 < k:\n    for i in range(n):\n        B[i] = i\nA[0] = {value}"
        )
    };
    not_proven(&behind("B[0]"), &behind("q"));
}

#[test]
fn stores_of_what_is_there_are_left_out() {
    proven("B[k] = B[k]\nB[k] = 3", "B[k] = 3");
    proven("A[k] = A[k]\nB[k] = 3", "B[k] = 3");
    not_proven("B[k] = B[k + 1]\nB[k] = 3", "B[k + 1] = 3");
    not_proven("B[k] = B[k + 1]\nA[k] = 3", "A[k] = 3");
    not_proven("B[k] = 3", "B[k] = B[k]\nB[k] = 3");
}

#[test]
fn loops_begin_where_they_say_whatever_their_step() {
    let of = |step: &str, index: &str| format!("for i in T.serial(0, n, step={step}):\n    A[{index}] = k");
    proven(&of("2", "T.max(i, 0)"), &of("2", "i"));
    not_proven(&of("2", "T.max(i, 1)"), &of("2", "i"));
    not_proven(&of("k", "T.max(i, 0)"), &of("k", "i"));
    // A length that a binding does not change.
    let of = |extent: &str| format!("x = T.int32()\nfor i in range({extent}):\n    A[i] = i");
    proven(&of("T.Let(1, where={x: k})"), "for i in range(1):\n    A[0] = 0");
    not_proven(&of("T.Let(1 + x - x, where={x: k})"), "for i in range(2):\n    A[0] = 0");
    not_proven("for i in range(1):\n    A[0] = 0", &of("T.Let(1, where={x: 7 // k})"));
}

#[test]
fn quotients_of_multiples_and_masks_are_exact() {
    proven("A[0] = T.truncdiv(k, k)", "A[0] = 1");
    proven("A[0] = T.truncdiv(k * n * 3, n)", "A[0] = k * 3");
    not_proven("A[0] = T.truncdiv(k * n + 1, n)", "A[0] = k");
    proven("A[0] = T.bitwise_and(k, -8)", "A[0] = k - k % 8");
    proven("A[0] = T.bitwise_or(k, 12)", "A[0] = k + 12 - k // 4 % 4 * 4");
    proven("A[0] = T.bitwise_xor(k, -1)", "A[0] = -1 - k");
    not_proven("A[0] = T.bitwise_and(k, 5)", "A[0] = k % 8");
    proven("A[0] = T.max(T.bitwise_and(n, k), 0)", "A[0] = T.bitwise_and(n, k)");
    not_proven("A[0] = T.max(T.bitwise_xor(n, k), 0)", "A[0] = T.bitwise_xor(n, k)");
}

#[test]
fn what_never_runs_may_go_with_what_it_binds() {
    let call = "T.call_extern(\"int32\", \"probe\", n)";
    let a = |cond: &str| format!("if {cond}:\n    t: T.let[T.int32] = {call}\n    A[0] = t\nB[0] = k");
    proven(&a("k < k"), "B[0] = k");
    not_proven(&a("k < n"), "B[0] = k");
}

#[test]
fn loops_may_be_cut_in_pieces() {
    let whole = "for i in range(10):\n    A[i] = T.if_then_else(i < 3, 0, B[i])";
    let pieces = |ends: [usize; 4], value: &str| {
        format!(
            "for i in range({}, {}):\n    A[i] = 0\nfor i in range({}, {}):\n    A[i + 3] = {value}",
            ends[0], ends[1], ends[2], ends[3]
        )
    };
    proven(whole, &pieces([0, 3, 0, 7], "B[i + 3]"));
    for (ends, value) in [
        ([0, 3, 0, 6], "B[i + 3]"),
        ([0, 4, 0, 6], "B[i + 3]"),
        ([0, 3, 0, 7], "B[i + 2]"),
        ([1, 3, 0, 7], "B[i + 3]"),
        ([0, 3, 1, 8], "B[i + 3]"),
    ] {
        not_proven(whole, &pieces(ends, value));
    }
    // Iterations that are written out, of inner loops too.
    proven(whole, "A[0] = 0\nA[1] = 0\nA[2] = 0\nfor i in range(3, 10):\n    A[i] = B[i]");
    not_proven(whole, "A[0] = 0\nA[2] = 0\nA[1] = 0\nfor i in range(3, 10):\n    A[i] = B[i]");
    let nest = "for i, j in T.grid(4, 3):\n    A[i * 3 + j] = T.if_then_else(i == 0 and j < 2, k, 7)";
    proven(
        nest,
        "for j in range(2):\n    A[j] = k\nA[2] = 7\nfor i, j in T.grid(3, 3):\n    A[i * 3 + j + 3] = 7",
    );
    not_proven(
        nest,
        "for j in range(2):\n    A[j] = k\nA[2] = 7\nfor i, j in T.grid(2, 3):\n    A[i * 3 + j + 3] = 7",
    );
    // An iteration that there may not be.
    let any = "for i in range(n):\n    A[i] = k";
    not_proven(any, "A[0] = k\nfor i in range(1, n):\n    A[i] = k");
    proven(
        &format!("if 0 < n:\n    {}", any.replace('\n', "\n    ")),
        "if 0 < n:\n    A[0] = k\n    for i in range(n - 1):\n        A[i + 1] = k",
    );
    // That there is one must not follow from what it would show.
    not_proven(any, "q: T.let[T.int32] = B[0]\nA[0] = k\nfor i in range(n - 1):\n    A[i + 1] = k");
    not_proven(
        "for i in range(n):\n    A[i] = B[0]",
        "A[0] = B[0]\nfor i in range(n - 1):\n    A[i + 1] = B[0]",
    );
    // What leaves a loop leaves all of it.
    let left = "for i in range(4):\n    if i == k:\n        T.break_loop()\n    A[i] = 1";
    not_proven(
        left,
        "for i in range(2):\n    if i == k:\n        T.break_loop()\n    A[i] = 1\nfor i in range(2):\n    if i + 2 == k:\n        T.break_loop()\n    A[i + 2] = 1",
    );
}

#[test]
fn loops_may_be_nests() {
    let whole = "for x in range(12):\n    A[x] = B[x] + x // 4";
    let nest = |n: usize, m: usize, value: &str| {
        format!(
            "for i in range({n}):\n    q: T.let[T.int32] = i * {m}\n    for j in range({m}):\n        A[q + j] = {value}"
        )
    };
    proven(whole, &nest(3, 4, "B[q + j] + i"));
    proven(&nest(3, 4, "B[q + j] + i"), whole);
    not_proven(whole, &nest(3, 4, "B[q + j] + j"));
    not_proven(whole, &nest(3, 3, "B[q + j] + i"));
    not_proven(whole, "for j, i in T.grid(4, 3):\n    A[i * 4 + j] = B[i * 4 + j] + i");
    let symbolic = "for x in range(n * 4):\n    A[x // 4] = k";
    proven(symbolic, "for i, j in T.grid(n, 4):\n    A[i] = k");
    not_proven(symbolic, "for i, j in T.grid(4, n):\n    A[i] = k");
    not_proven("for x in range(k * k):\n    A[x] = 1", "for i, j in T.grid(k, k):\n    A[i * k + j] = 1");
    // Loops that begin elsewhere.
    proven("for i in range(k, k + 5):\n    A[i] = i", "for i in range(5):\n    A[k + i] = k + i");
    not_proven("for i in range(k, k + 5):\n    A[i] = i", "for i in range(5):\n    A[k + i] = i");
}

#[test]
fn there_are_no_more_threads_than_can_be() {
    let kernel = |tag: &str, body: &str| {
        format!("with T.launch_thread(\"{tag}\", T.Cast(\"int64\", k) * T.int64(9)) as t:\n    {body}")
    };
    let guarded = |tag: &str, most: i64| kernel(tag, &format!("if t < T.int64({most}):\n        A[0] = k"));
    let without = |tag: &str| kernel(tag, "A[0] = k");
    proven(&guarded("blockIdx.x", 2_147_483_647), &without("blockIdx.x"));
    not_proven(&guarded("blockIdx.x", 2_147_483_646), &without("blockIdx.x"));
    proven(&guarded("blockIdx.y", 65_535), &without("blockIdx.y"));
    not_proven(&guarded("vthread", 65_535), &without("vthread"));
}

#[test]
fn loops_of_one_iteration_are_seen_whatever_their_length_is_written_like() {
    let of = |length: &str, kind: &str| {
        format!("for i in range(n):\n    B[i] = B[i]\n    for j in {kind}({length}):\n        A[i] = k + j")
    };
    for kind in ["range", "T.parallel", "T.unroll", "T.vectorized"] {
        let plain = format!("for i in range(n):\n    for j in {kind}(1):\n        A[i] = k");
        proven(&of("T.if_then_else(i + 1 > i, 1, k)", kind), &plain);
        proven(&of("T.min(k // k, 17)", kind), &of("k // k", kind));
        not_proven(&of("T.if_then_else(i > 0, 1, k)", kind), &plain);
        not_proven(&of("T.if_then_else(i + 1 > i, 2, k)", kind), &plain);
    }
    // What its length loads may have changed before it.
    let changed = "A[0] = 1\nA[k] = 2\nfor j in range(A[0]):\n    B[0] = 5";
    not_proven(changed, "A[0] = 1\nA[k] = 2\nB[0] = 5");
}

#[test]
fn loops_may_begin_elsewhere_whatever_their_kind() {
    for kind in ["range", "T.parallel", "T.unroll", "T.vectorized"] {
        let from = format!("for i in {kind}(k, k + 4):\n    A[i] = i * 2");
        proven(&from, &format!("for i in {kind}(4):\n    A[i + k] = (i + k) * 2"));
        not_proven(&from, &format!("for i in {kind}(4):\n    A[i + k] = i * 2"));
        not_proven(&from, &format!("for i in {kind}(1, 5):\n    A[i + k] = (i + k) * 2"));
    }
}

#[test]
fn loops_change_no_memory_that_they_store_in_its_own_place() {
    let loaded = "for i in range(4):\n    A[i] = B[k]\n    B[k] = B[k]";
    let bound = |own: &str| format!("q: T.let[T.int32] = B[k]\nfor i in range(4):\n    A[i] = q{own}");
    proven(loaded, &bound(""));
    proven(loaded, &bound("\n    B[k] = B[k]"));
    not_proven(&loaded.replace("B[k] = B[k]", "B[k] = B[k + 1]"), &bound("\n    B[k] = B[k + 1]"));
    not_proven(&loaded.replace("B[k] = B[k]", "B[k] = A[k]"), &bound("\n    B[k] = A[k]"));
}

#[test]
fn no_other_thread_changes_what_a_thread_stores() {
    let threads = |body: &str| {
        let body = body.replace('\n', "\n    ");
        format!("with T.launch_thread(\"threadIdx.x\", 8) as t:\n    {body}")
    };
    proven(&threads("B[t] = B[t]\nA[t] = k"), &threads("A[t] = k"));
    not_proven(&threads("B[t] = B[t + 1]\nA[t] = k"), &threads("A[t] = k"));
    // Unless they wait for one another in between.
    let waited = |store: &str| {
        let wait = "T.evaluate(T.tvm_storage_sync(\"shared\"))";
        threads(&format!("q: T.let[T.int32] = B[t]\n{wait}\n{store}A[t] = k"))
    };
    not_proven(&waited("B[t] = q\n"), &waited(""));
}

#[test]
fn bounds_of_loops_that_only_some_values_suggest_are_not_owed() {
    // For most values it has 17 iterations.
    for length in ["k + 80", "k * k + n", "80 - k", "k + n"] {
        let of = |value: &str| format!("for i in range(T.min({length}, 17)):\n    A[i] = {value}");
        proven(&of("i + k - k"), &of("i"));
    }
}

#[test]
fn shifting_by_nothing_changes_nothing() {
    proven("A[0] = T.shift_left(k + n, 0)", "A[0] = k + n");
    not_proven("A[0] = T.shift_left(k + n, 1)", "A[0] = k + n");
}
