//! Each clause has a program that only it keeps as it is; runs on random inputs judge what passes make of others.

use std::collections::BTreeMap;

use super::clause::Clause;
use super::statements::{find, replace};
use super::{Change, Settings, interchanged, merge_loops, overcompute, remove_copies, remove_no_op};
use crate::analysis::accesses::Accesses;
use crate::interp::{Constraints, EquivOptions, equiv};
use crate::ir::{Module, PrimFunc, StmtKind};

/// A function of two buffers that share no memory.
fn program(body: &str) -> Module {
    let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
    let head = "@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"int32\"), F: T.Buffer((16,)), G: T.Buffer((16,))):\n    T.func_attr({\"tirx.noalias\": True})\n";
    crate::parse(&format!("{head}{body}")).unwrap_or_else(|e| panic!("{e}\n{body}"))
}

fn over(func: &mut PrimFunc) -> Vec<Change> {
    overcompute(func, Settings::default())
}

fn options() -> EquivOptions {
    EquivOptions {
        bindings: BTreeMap::new(),
        fixed: false,
        constraints: Constraints::default(),
        runs: 12,
        seed: 3,
        tolerance: None,
        max_steps: 1_000_000,
        lenient_loads: false,
        no_new_loads: false,
        accessed_only: false,
        layouts: Vec::new(),
        limits_everywhere: false,
    }
}

/// Runs a pass; both programs do the same.
fn changed(pass: fn(&mut PrimFunc) -> Vec<Change>, before: &str) -> (String, Vec<Change>) {
    let input = program(before);
    let mut made = input.clone();
    let changes = pass(&mut made.funcs[0]);
    crate::verify::verify(&made).unwrap_or_else(|e| panic!("{e:?}\n{made}"));
    let same = equiv(&input, &made, &options()).unwrap();
    assert!(same.difference.is_none(), "{same:?}\n{made}");
    assert!(same.compared > 0 || before.contains("assume"), "no run was compared: {same:?}");
    (made.to_string(), changes)
}

#[track_caller]
fn becomes(pass: fn(&mut PrimFunc) -> Vec<Change>, before: &str, after: &str) {
    let (made, _) = changed(pass, before);
    assert_eq!(made, program(after).to_string());
}

#[track_caller]
fn stays(pass: fn(&mut PrimFunc) -> Vec<Change>, body: &str) {
    let (made, changes) = changed(pass, body);
    assert_eq!(made, program(body).to_string(), "{changes:?}");
}

/// The program stays as it is because of the clause only.
#[track_caller]
fn kept_by(clause: Clause, pass: fn(&mut PrimFunc) -> Vec<Change>, body: &str) {
    stays(pass, body);
    let mut made = program(body);
    let changes = clause.left_out(|| pass(&mut made.funcs[0]));
    assert!(!changes.is_empty(), "without {clause:?} nothing changes either");
}

#[test]
fn every_clause_is_needed() {
    // `C[i + 2]` would be out of bounds.
    kept_by(
        Clause::Bounds,
        over,
        "C = T.alloc_buffer((16,), \"int32\")\nfor i in range(16):\n    if i < 14:\n        C[i + 2] = i\nA[0] = C[3]",
    );
    // Nothing reads `A[14]` and `A[15]` in any case.
    kept_by(
        Clause::Permission,
        over,
        "for i in range(16):\n    if i < 14:\n        B[i] = A[i]\nfor i in range(14, 16):\n    B[i] = 0",
    );
    // The caller sees `B[14]`.
    kept_by(Clause::Stores, over, "for i in range(16):\n    if i < 14:\n        B[i] = 7");
    // In order the later stores would store what is there; in parallel they meet others.
    kept_by(
        Clause::Threads,
        over,
        "for i in range(16):\n    B[i] = 0\nfor i in T.parallel(16):\n    if i < 14:\n        B[i % 14] = i % 14\nfor i in range(16):\n    B[i] = 3",
    );
    // A division by zero.
    kept_by(
        Clause::Total,
        over,
        "for i in range(16):\n    if i < 14:\n        B[i] = 7 // (i - 14)\nfor i in range(14, 16):\n    B[i] = 0",
    );
    // `B[15]` is read before it is overwritten.
    kept_by(
        Clause::Reads,
        over,
        "for i in range(16):\n    if i < 15:\n        B[i] = 7\nA[0] = B[15]\nfor i in range(15, 16):\n    B[i] = 0",
    );
    kept_by(Clause::Reads, remove_no_op, "B[3] = 7\nA[0] = B[3]\nB[3] = 8");
    // The arms differ where the condition does not hold.
    kept_by(Clause::Value, over, "for i in range(16):\n    B[i] = T.if_then_else(i < 14, A[i], A[i] + 1)");
    // The second loop reads what the first one writes later.
    kept_by(
        Clause::Order,
        merge_loops,
        "for i in range(15):\n    A[i] = i\nfor i in range(15):\n    B[i] = A[i + 1]",
    );
}

#[test]
fn conditions_go_where_padding_is_known() {
    becomes(
        over,
        "for i in range(16):\n    if i < 14:\n        A[i] = B[i]\nfor i in range(14, 16):\n    A[i] = 0\nB[0] = 0\nfor i in range(16):\n    if i < 14:\n        B[0] = B[0] + A[i]",
        "for i in range(16):\n    if i < 14:\n        A[i] = B[i]\nfor i in range(14, 16):\n    A[i] = 0\nB[0] = 0\nfor i in range(16):\n    B[0] = B[0] + A[i]",
    );
    // One that reads what is not known to be neutral stays.
    stays(
        over,
        "for i in range(14, 16):\n    A[i] = 0\nB[0] = 0\nfor i in range(16):\n    if i < 13:\n        B[0] = B[0] + A[i]",
    );
}

#[test]
fn floats_are_kept_bit_for_bit() {
    // The sum starts at +0.0, so it is never -0.0.
    becomes(
        over,
        "for i in range(14, 16):\n    F[i] = T.float32(0)\nG[0] = T.float32(0)\nfor i in range(16):\n    if i < 14:\n        G[0] = G[0] + F[i]",
        "for i in range(14, 16):\n    F[i] = T.float32(0)\nG[0] = T.float32(0)\nfor i in range(16):\n    G[0] = G[0] + F[i]",
    );
    // Here it may be.
    stays(
        over,
        "for i in range(14, 16):\n    F[i] = T.float32(0)\nG[0] = T.float32(\"-0.0\")\nfor i in range(16):\n    if i < 14:\n        G[0] = G[0] + F[i]",
    );
    stays(
        over,
        "for i in range(14, 16):\n    F[i] = T.float32(0)\nfor i in range(16):\n    if i < 14:\n        G[0] = G[0] + F[i]",
    );
    // A product with zero is no zero if the other factor is infinite.
    stays(
        over,
        "for i in range(14, 16):\n    F[i] = T.float32(0)\nG[0] = T.float32(0)\nfor i in range(16):\n    if i < 14:\n        G[0] = G[0] + F[i] * G[1]",
    );
}

/// An assumption that an element is zero says nothing of the zero's sign, also of a copy of the element.
#[test]
fn the_sign_of_an_assumed_zero_is_not_known() {
    let copied = "for i in range(2):\n    G[i] = F[1]\nF[2] = G[0]";
    let zero = "F[1] = T.float32(0)";
    stays(remove_no_op, &format!("T.assume(F[1] == T.float32(0))\n{copied}\n{zero}\nG[0] = T.float32(0)"));
    // What was stored has its very bits.
    becomes(
        remove_no_op,
        &format!("{zero}\n{copied}\nF[1] = T.float32(1)\nG[0] = T.float32(0)"),
        &format!("{zero}\n{copied}\nF[1] = T.float32(1)"),
    );
}

#[test]
fn what_nothing_reads_goes() {
    // Nobody knows what the call does to memory.
    becomes(
        remove_no_op,
        "x: T.int32 = 5\nC = T.alloc_buffer((4,), \"int32\")\nC[A[0]] = T.call_extern(\"int32\", \"f\")\nA[0] = 1\nA[0] = 2",
        "T.evaluate(T.call_extern(\"int32\", \"f\"))\nA[0] = 1\nA[0] = 2",
    );
}

#[test]
fn indices_out_of_bounds_are_wrapped_around_loops() {
    let before = "for i in range(16):\n    if i < 14:\n        F[i] = T.float32(0)\n        for f in range(3):\n            F[i] = F[i] + G[i + f]\nfor i in range(14, 16):\n    F[i] = T.float32(0)";
    becomes(
        over,
        before,
        "for i in range(16):\n    F[i] = T.float32(0)\n    for f in range(3):\n        F[i] = F[i] + G[(i + f) % 16]\nfor i in range(14, 16):\n    F[i] = T.float32(0)",
    );
    // Sums of integers might overflow where the program computes none.
    let integers = before.replace("F[", "B[").replace("G[", "A[").replace("T.float32(0)", "0");
    stays(over, &integers);
}

#[test]
fn one_of_two_changes_that_exclude_each_other() {
    let (_, changes) = changed(
        over,
        "for i in range(14, 16):\n    A[i] = 0\nfor i in range(16):\n    if i < 14:\n        A[i] = A[i] + 1\nB[0] = 0\nfor i in range(16):\n    if i < 14:\n        B[0] = B[0] + A[i]\nfor i in range(16):\n    if i >= 14:\n        A[i] = 5",
    );
    assert_eq!(changes.len(), 1, "{changes:?}");
}

#[test]
fn assumptions_are_about_elements() {
    let sum = |assumption: &str| {
        format!(
            "for i in range(16):\n    T.assume({assumption})\nB[0] = 0\nfor i in range(16):\n    if i < 14:\n        B[0] = B[0] + A[i]"
        )
    };
    let mut made = program(&sum("i < 14 or A[i] == 0"));
    assert_eq!(over(&mut made.funcs[0]).len(), 1);
    for other in
        ["i < 14 or A[15 - i] == 0", "i < 15 or A[i] == 0", "i < 14 or A[i] == 1", "i < 14 or A[i] <= 0"]
    {
        stays(over, &sum(other));
    }
    let between = sum("i < 14 or A[i] == 0").replace("B[0] = 0\n", "B[0] = 0\nA[15] = 1\n");
    stays(over, &between);
}

#[test]
fn arms_that_do_the_same() {
    becomes(
        over,
        "for i in range(16):\n    if i < 8:\n        for j in range(4):\n            B[i] = A[i] + j\n    else:\n        for j in range(4):\n            B[i % 16] = A[i] + j",
        "for i in range(16):\n    for j in range(4):\n        B[i] = A[i] + j",
    );
    stays(
        over,
        "for i in range(16):\n    if i < 8:\n        B[i] = A[i]\n    else:\n        B[i] = A[i - 8]",
    );
}

#[test]
fn dead_stores_go() {
    becomes(
        remove_no_op,
        "for i in range(4, 12):\n    A[i] = 100\nfor i in range(16):\n    A[i] = 42",
        "for i in range(16):\n    A[i] = 42",
    );
    becomes(
        remove_no_op,
        "C = T.alloc_buffer((4,), \"int32\")\nfor i in range(4):\n    C[i] = A[i]\nB[0] = 1",
        "B[0] = 1",
    );
    // What another iteration reads stays, and what only some of the ways overwrite.
    stays(remove_no_op, "for i in range(16):\n    A[i % 2] = i\n    B[i] = A[(i + 1) % 2]");
    stays(
        remove_no_op,
        "for i in range(16):\n    A[i] = 1\nfor i in range(16):\n    if B[i] > 0:\n        A[i] = 2",
    );
    stays(remove_no_op, "A[0] = 1\nfor i in range(T.max(B[0], 0)):\n    A[0] = 2");
}

#[test]
fn stores_of_what_is_there_go() {
    becomes(remove_no_op, "B[3] = 7\nA[0] = B[3]\nB[3] = 7", "B[3] = 7\nA[0] = B[3]");
    becomes(
        remove_no_op,
        "for i in range(16):\n    B[i] = A[i]\nG[0] = T.Cast(\"float32\", B[3])\nfor j in range(16):\n    B[j] = A[j]",
        "for i in range(3, 4):\n    B[i] = A[i]\nG[0] = T.Cast(\"float32\", B[3])\nfor j in range(16):\n    B[j] = A[j]",
    );
    // What was copied has changed since.
    stays(
        remove_no_op,
        "for i in range(16):\n    B[i] = A[i]\nA[3] = A[2]\nG[0] = T.Cast(\"float32\", A[3])\nB[3] = A[3]",
    );
}

#[test]
fn iterations_that_do_nothing_go() {
    becomes(
        remove_no_op,
        "for i in range(16):\n    A[i] = 100\nfor i in range(12):\n    A[i] = 42",
        "for i in range(12, 16):\n    A[i] = 100\nfor i in range(12):\n    A[i] = 42",
    );
}

#[test]
fn parameters_may_be_one_buffer() {
    let text = "@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"int32\"), C: T.Buffer((16,), \"int32\")):\n    for i in range(16):\n        A[i] = 1\n        C[i] = B[i]\n        A[i] = 2\n";
    let mut func = crate::parse(text).unwrap().funcs.remove(0);
    assert_eq!(remove_no_op(&mut func), []);
    let apart = text.replace("    for i", "    T.func_attr({\"tirx.noalias\": True})\n    for i");
    let mut func = crate::parse(&apart).unwrap().funcs.remove(0);
    assert_eq!(remove_no_op(&mut func).len(), 1);
}

#[test]
fn loops_merge_up_to_dependences() {
    becomes(
        merge_loops,
        "for i in range(16):\n    A[i] = i\nfor j in range(16):\n    if j > 0:\n        A[j] = A[j - 1] + 1",
        "for i in range(16):\n    A[i] = i\n    if i > 0:\n        A[i] = A[i - 1] + 1",
    );
    becomes(
        merge_loops,
        "for i, j in T.grid(4, 4):\n    A[i * 4 + j] = i\nfor i, j in T.grid(4, 4):\n    B[i * 4 + j] = A[i * 4 + j]",
        "for i in range(4):\n    for j in range(4):\n        A[i * 4 + j] = i\n        B[i * 4 + j] = A[i * 4 + j]",
    );
    stays(merge_loops, "for i in range(16):\n    B[i] = A[i]\nfor j in range(16):\n    A[j] = B[15 - j]");
    stays(merge_loops, "for i in range(16):\n    B[i] = A[i]\nfor j in range(15):\n    F[j] = T.float32(0)");
    stays(merge_loops, "for i in range(16):\n    B[0] = B[0] + A[i]\nfor j in range(16):\n    A[j] = B[0]");
}

#[test]
fn statements_that_change_nothing_get_a_condition() {
    becomes(
        super::add_branches,
        "for i in range(16):\n    A[i] = 0\n    for f in range(3):\n        A[i] = A[i] + B[i] * f\nfor i in range(14, 16):\n    A[i] = 0",
        "for i in range(16):\n    if 14 > i:\n        A[i] = 0\n        for f in range(3):\n            A[i] = A[i] + B[i] * f\nfor i in range(14, 16):\n    A[i] = 0",
    );
    // Only one of two statements, since the caller sees what the other one stores.
    becomes(
        super::add_branches,
        "for i in range(16):\n    A[i] = B[i]\n    B[i] = 7\nfor i in range(14, 16):\n    A[i] = 0",
        "for i in range(16):\n    if 14 > i:\n        A[i] = B[i]\n    B[i] = 7\nfor i in range(14, 16):\n    A[i] = 0",
    );
    // What is added is zero.
    becomes(
        super::add_branches,
        "for i in range(16):\n    T.assume(i < 14 or B[i] == 0)\nfor i in range(16):\n    A[0] = A[0] + B[i]",
        "for i in range(16):\n    T.assume(i < 14 or B[i] == 0)\nfor i in range(16):\n    if i < 14:\n        A[0] = A[0] + B[i]",
    );
    // The caller sees all of it.
    stays(super::add_branches, "for i in range(16):\n    A[i] = B[i]\nfor i in range(14, 16):\n    B[i] = 0");
    // It is read before it is overwritten.
    stays(
        super::add_branches,
        "for i in range(16):\n    A[i] = B[i]\nB[0] = A[15]\nfor i in range(14, 16):\n    A[i] = 0",
    );
}

#[test]
fn a_zero_times_what_is_finite_is_a_zero() {
    let body = "for i in range(16):\n    T.assume(i < 14 or F[i] == T.float32(0))\nG[0] = T.float32(0)\nfor i in range(16):\n    if i < 14:\n        G[0] = G[0] + F[i] * F[15 - i]";
    stays(over, body);
    let finite = |func: &mut PrimFunc| overcompute(func, Settings { finite: true, ..Settings::default() });
    becomes(finite, body, &body.replace("    if i < 14:\n        G", "    G"));
    // What the function computed itself may be infinite.
    stays(finite, &body.replace("G[0] = T.float32(0)\n", "G[0] = T.float32(0)\nF[0] = F[0] * F[1]\n"));
}

/// What [`Accesses::unguard`] makes is what is found anew, for conditions within loops, within each other, and beside each
/// other.
#[test]
fn accesses_without_a_guard_are_those_of_the_function_without_the_condition() {
    let body = "A[0] = 1
for i in range(16):
    if i < 14 and i >= 2:
        A[i] = B[i] + A[i]
        for j in range(4):
            if j < 3:
                if i + j < 16:
                    B[i + j] = A[j]
            A[j] = i
        B[i] = 3
    if i > 3:
        A[i] = 4
if B[0] == 1:
    B[1] = 2
for i in range(8):
    if i != 5:
        B[i] = A[i]
";
    let shown = |accesses: &Accesses| {
        let conditions: BTreeMap<usize, String> =
            accesses.conditions.iter().map(|(&of, condition)| (of, format!("{condition:?}"))).collect();
        let sharing: Vec<Vec<usize>> =
            accesses.list.iter().map(|access| accesses.sharing(access.buffer).collect()).collect();
        format!("{:#?}", (&accesses.list, &accesses.loops, &accesses.spans, conditions, sharing))
    };
    let func = program(body).funcs.remove(0);
    let mut taken = 0;
    for site in super::overcompute::sites(&func.body) {
        let mut made = func.clone();
        let Some(StmtKind::If { then, .. }) = find(&func.body, site).map(|stmt| &stmt.kind) else { continue };
        let mut inside = 0;
        then.iter().for_each(|stmt| stmt.walk(&mut |_| inside += 1));
        replace(&mut made.body, site, then.clone());
        let mut accesses = Accesses::new(&func).unwrap();
        let before = shown(&accesses);
        let anew = if accesses.unguard(site, inside) {
            taken += 1;
            shown(&Accesses::new(&made).unwrap())
        } else {
            before
        };
        assert_eq!(shown(&accesses), anew, "site {site}");
    }
    assert_eq!(taken, 5, "only the condition that loads is left out");
}

#[test]
fn an_iteration_in_which_guards_hold_is_evidence_for_a_read() {
    let body = |guard: &str| {
        format!(
            "C = T.alloc_buffer((16,), \"int32\")\nfor i in range(16):\n    T.assume(2 <= i and i < 14 or B[i] == 0)\n\
             for i in range(16):\n    C[i] = 0\n\
             for i in range(16):\n    if {guard}:\n        for j in range(16):\n            C[j] = C[j] + A[j] * B[i]\n\
             for i in range(16):\n    B[i] = C[i]"
        )
    };
    // All of `A` is read in an iteration of `i` between the first and the last.
    let (made, changes) = changed(over, &body("2 <= i and i < 14"));
    assert_eq!(changes.len(), 1, "{made}");
    // Nothing reads `A[j]` if the guard never holds.
    stays(over, &body("2 <= i and i < 14 and i == 20"));
}

#[test]
fn accesses_that_are_taken_away_again_leave_nothing() {
    let func = program("for i in range(16):\n    if i < 14:\n        A[i] = B[i]\n").funcs.remove(0);
    let mut accesses = Accesses::new(&func).unwrap();
    let buffer = accesses.list[0].buffer;
    let (before, len) = (accesses.sharing(buffer).collect::<Vec<_>>(), accesses.list.len());
    let more = accesses.list.clone();
    accesses.add(more);
    assert_ne!(accesses.sharing(buffer).collect::<Vec<_>>(), before);
    accesses.truncate(len);
    assert_eq!(accesses.sharing(buffer).collect::<Vec<_>>(), before);
}

#[test]
fn conditions_that_are_not_tried_are_told() {
    let limit = |conditions: usize| {
        let mut func = program(&"if B[0] == 1:\n    A[0] = 1\n".repeat(conditions)).funcs.remove(0);
        super::overcompute_within(&mut func, Settings::default()).limit
    };
    assert_eq!((limit(512), limit(513)), (None, Some(512)));
}

#[test]
fn what_was_moved_is_read_where_it_came_from() {
    let own = "C = T.alloc_buffer((16,), \"int32\")\n";
    let moved = |fill: &str, read: &str| format!("{own}{fill}\n{read}");
    let all = "for i in range(16):\n    B[i] = C[i]";
    // A permutation; the choice of an arm; a constant.
    becomes(
        remove_copies,
        &moved("for i in range(16):\n    C[15 - i] = A[i]", all),
        "for i in range(16):\n    B[i] = A[15 - i]",
    );
    let padded = "for i in range(16):\n    C[i] = T.if_then_else(i < 13, A[i], 7)";
    let (made, changes) = changed(remove_copies, &moved(padded, all));
    assert!(
        made.contains("B[i] = T.if_then_else(i < 13, A[i], 7)") && !made.contains("alloc_buffer"),
        "{made}"
    );
    let why = "the buffer `C` goes: what is read of `C` was moved there, and is unchanged where it came from";
    assert_eq!(changes[0].to_string(), why);
    // By way of a view of the same shape, and of a copy to itself.
    let viewed = "C = T.alloc_buffer((16,), \"int32\")\nD = T.decl_buffer((16,), \"int32\", data=C.data)\nfor i in range(16):\n    \
                  C[i] = A[i]\nfor i in range(16):\n    D[i] = C[i]\nfor i in range(16):\n    B[i] = D[i]";
    becomes(remove_copies, viewed, "for i in range(16):\n    B[i] = A[i]");
    // Two buffers, one filled from the other.
    let chain = format!(
        "{own}E = T.alloc_buffer((16,), \"int32\")\nfor i in range(16):\n    C[i] = A[i]\nfor i in range(16):\n    \
                         E[i] = C[15 - i]\nfor i in range(16):\n    B[i] = E[i]"
    );
    becomes(remove_copies, &chain, "for i in range(16):\n    B[i] = A[15 - i]");
    let stays = |fill: &str, read: &str| stays(remove_copies, &moved(fill, read));
    // What it came from is written in between, or by the loop that reads.
    stays("for i in range(16):\n    C[i] = A[i]\nA[3] = 0", all);
    stays("for i in range(16):\n    C[i] = A[i]", "for i in range(16):\n    A[i] = C[15 - i]");
    // Not all of it was moved there, or something is computed.
    stays("for i in range(16):\n    C[i] = 0\nfor i in range(15):\n    C[i] = A[i]", all);
    stays("for i in range(16):\n    C[i] = A[i] + 1", all);
    // Others may reach it.
    stays(
        "for i in range(16):\n    C[i] = A[i]",
        &format!("{all}\nT.evaluate(T.call_pure_extern(\"int32\", \"f\", C.data))"),
    );
}

/// What the last of the loops that may go into others leads to.
fn last_interchanged(func: &mut PrimFunc) -> Vec<Change> {
    let Some((made, change)) = interchanged(func, 8).pop() else { return Vec::new() };
    *func = made;
    vec![change]
}

#[test]
fn loops_of_independent_folds_go_into_them() {
    let sums = "for i in range(4):\n    G[i] = T.float32(0)\n    for j in range(4):\n        G[i] = G[i] + F[j * 4 + i]\n    G[i + 4] = G[i]";
    becomes(
        last_interchanged,
        sums,
        "for i in range(4):\n    G[i] = T.float32(0)\nfor j in range(4):\n    for i in range(4):\n        G[i] = G[i] + F[j * 4 + i]\n\
         for i in range(4):\n    G[i + 4] = G[i]",
    );
    let (_, changes) = changed(last_interchanged, sums);
    let why = "the loop over `i` goes into `j`: no iteration of the loop writes what another one accesses";
    assert_eq!(changes[0].to_string(), why);
    // Past all of them, as long as nothing stands beside them.
    becomes(
        last_interchanged,
        "for i in range(4):\n    for j, k in T.grid(2, 3):\n        B[i] = B[i] + A[j * 3 + k + i]",
        "for j, k, i in T.grid(2, 3, 4):\n    B[i] = B[i] + A[j * 3 + k + i]",
    );
    // Conditions that it does not change stay around it.
    becomes(
        last_interchanged,
        "for i in range(4):\n    for j in range(3):\n        if j == 0:\n            B[i] = 1\n        B[i] = B[i] + A[i + j]",
        "for j in range(3):\n    if j == 0:\n        for i in range(4):\n            B[i] = 1\n    for i in range(4):\n        B[i] = B[i] + A[i + j]",
    );
    // The iteration before wrote what is folded; or all fold into one element; or the length varies.
    stays(
        last_interchanged,
        "for i in range(4):\n    for j in range(4):\n        B[i + 1] = B[i + 1] + B[i]",
    );
    stays(last_interchanged, "for i in range(4):\n    for j in range(4):\n        B[0] = B[0] + A[i + j]");
    stays(last_interchanged, "for i in range(4):\n    for j in range(i):\n        B[i] = B[i] + A[j]");
    stays(
        last_interchanged,
        "for i in range(4):\n    for j in range(4):\n        B[i // 2] = B[i // 2] + A[j]",
    );
    // What may not be evaluated otherwise, or more often.
    stays(
        last_interchanged,
        "for i in range(4):\n    for j in range(4):\n        B[i] = B[i] + A[j] // A[15]",
    );
    stays(last_interchanged, "for i in range(A[15]):\n    for j in range(4):\n        B[i] = B[i] + A[j]");
}
