//! Results that do something else, or take a risk that the program does not take: there is no certificate of them.

use super::{certified, made, program, refused};

#[test]
fn memory_changes_between_loads() {
    let a = "A[0] = B[1]\nB[1] = k\nA[1] = B[1]";
    certified(a, a);
    refused(a, "x: T.let[T.int32] = B[1]\nA[0] = x\nB[1] = k\nA[1] = x");
    // A loop's body may see what an iteration before stored.
    let a = "for i in range(n - 1):\n    A[i + 1] = A[i] + 1";
    refused(a, "x: T.let[T.int32] = A[0]\nfor i in range(n - 1):\n    A[i + 1] = x + 1");
    // Stores keep their order.
    refused("A[k] = 1\nA[0] = 2", "A[0] = 2\nA[k] = 1");
    refused("A[k] = 1\nB[0] = 2", "B[0] = 2\nA[k] = 1");
}

/// What is evaluated where a jump has not left shows nothing of whether it leaves.
#[test]
fn a_jump_is_not_left_out_because_of_what_is_behind_it() {
    let guarded = |jump: &str, after: &str| format!("if k == 0:\n    {jump}\n{after}");
    let inside = |body: &str| format!("for i in range(4):\n    {}", body.replace('\n', "\n    "));
    let divided = "A[0] = n // k";
    for jump in ["return 0", "T.evaluate(T.call_extern(\"int32\", \"f\"))", "while n > 0:\n        A[1] = 0"]
    {
        refused(&guarded(jump, divided), divided);
        // What is before it does.
        certified(&format!("{divided}\n{}", guarded(jump, "A[2] = 5")), &format!("{divided}\nA[2] = 5"));
    }
    for jump in ["T.break_loop()", "T.continue_loop()"] {
        refused(&inside(&guarded(jump, divided)), &inside(divided));
    }
    certified(&guarded("A[3] = 1", divided), divided);
}

#[test]
fn memory_may_be_shared() {
    let shared = |text: String| text.replace("    T.func_attr({\"tirx.noalias\": True})\n", "");
    let a = shared(program("A[0] = B[1]\nA[1] = B[1]"));
    let b = shared(program("x: T.let[T.int32] = B[1]\nA[0] = x\nA[1] = x"));
    assert!(!made(&a, &b).is_complete());
    certified("A[0] = B[1]\nA[1] = B[1]", "x: T.let[T.int32] = B[1]\nA[0] = x\nA[1] = x");
}

#[test]
fn what_may_trap_stays_where_it_is() {
    let guarded = "if k > 0:\n    A[0] = n // k";
    certified(guarded, "if k > 0:\n    x: T.let[T.int32] = n // k\n    A[0] = x");
    refused(guarded, "x: T.let[T.int32] = n // k\nif k > 0:\n    A[0] = x");
    // A loop may have no iteration.
    refused(
        "for i in range(n):\n    A[i] = B[k]",
        "x: T.let[T.int32] = B[k]\nfor i in range(n):\n    A[i] = x",
    );
    refused(
        "A[0] = T.if_then_else(k != 0, n // k, 0)",
        "x: T.let[T.int32] = n // k\nA[0] = T.if_then_else(k != 0, x, 0)",
    );
    // A loop that never runs evaluates its bounds and its step.
    let never = "T.min(T.max(n // k, 0), 0)";
    for range in [never.to_owned(), format!("n // k, {never}"), "0, 0, n // k".to_owned()] {
        refused("A[0] = k", &format!("A[0] = k\nfor i in range({range}):\n    A[1] = k"));
    }
    certified("A[0] = k", "A[0] = k\nfor i in range(0):\n    A[1] = k");
    // Neither operand of `and` guards the other one, and what one leaves out is not evaluated.
    refused(
        "if k >= 0 and n // 2 > k:\n    A[0] = 1",
        "if k >= 0 and n // 2 > k and A[k] > 0 or k >= 0 and n // 2 > k:\n    A[0] = 1",
    );
    refused(
        "if k != 0 and n // k > 2:\n    A[0] = 1",
        "x: T.let[T.bool] = n // k > 2\nif k != 0 and x:\n    A[0] = 1",
    );
    // After a call control may not come back.
    refused(
        "T.evaluate(T.call_extern(\"int32\", \"f\"))\nA[0] = n // k",
        "x: T.let[T.int32] = n // k\nT.evaluate(T.call_extern(\"int32\", \"f\"))\nA[0] = x",
    );
    refused(
        "while k < A[0]:\n    B[0] = 1\nA[0] = B[k]",
        "x: T.let[T.int32] = B[k]\nwhile k < A[0]:\n    B[0] = 1\nA[0] = B[k] + x - x",
    );
}

#[test]
fn calls_with_an_effect_stay_in_order() {
    let call = |name: &str| format!("T.evaluate(T.call_extern(\"int32\", \"{name}\", k))");
    refused(&format!("{}\n{}", call("f"), call("g")), &format!("{}\n{}", call("g"), call("f")));
    refused(&call("f"), "T.evaluate(0)");
    refused(&call("f"), &format!("{}\n{}", call("f"), call("f")));
    // A call changes memory.
    refused(
        &format!("A[0] = B[0]\n{}\nA[1] = B[0]", call("f")),
        &format!("x: T.let[T.int32] = B[0]\nA[0] = x\n{}\nA[1] = x", call("f")),
    );
    refused(
        "A[0] = T.if_then_else(k > 0, T.call_extern(\"int32\", \"f\"), 0)",
        "x: T.let[T.int32] = T.call_extern(\"int32\", \"f\")\nA[0] = T.if_then_else(k > 0, x, 0)",
    );
    // A loop that never runs evaluates where it begins and ends, and its step.
    let value = "T.call_extern(\"int32\", \"f\", k)";
    for range in [
        format!("range(T.Mul({value}, 0))"),
        format!("T.serial({value}, 0)"),
        format!("T.serial(0, 0, step={value})"),
    ] {
        let never = format!("for i in {range}:\n    A[0] = 3\nB[0] = k");
        refused(&never, "B[0] = k");
        refused("B[0] = k", &never);
    }
    let store = |name: &str| format!("A[0] = T.Mul(T.call_extern(\"int32\", \"{name}\", k), 0)");
    certified(&store("f"), &store("f"));
    refused(&store("f"), &store("g"));
}

#[test]
fn floats_are_not_reordered_and_bytes_wrap() {
    certified("F[0] = F[1] + F[2]", "F[0] = F[2] + F[1]");
    refused("F[0] = F[1] + F[2] + F[3]", "F[0] = F[1] + (F[2] + F[3])");
    refused("F[0] = F[1] * F[2] + F[1] * F[3]", "F[0] = F[1] * (F[2] + F[3])");
    refused("F[0] = F[1] - F[1]", "F[0] = T.float32(0)");
    certified("C[0] = C[1] + C[2] - C[2]", "C[0] = C[1]");
    refused("C[0] = (C[1] + C[2]) // T.uint8(2)", "C[0] = C[1] // T.uint8(2) + C[2] // T.uint8(2)");
    refused(
        "A[0] = T.Cast(\"int32\", C[1] + C[2])",
        "A[0] = T.Cast(\"int32\", C[1]) + T.Cast(\"int32\", C[2])",
    );
    refused("A[0] = T.Cast(\"int32\", T.Cast(\"int8\", k))", "A[0] = k");
}

#[test]
fn values_are_those_of_all_sizes() {
    refused("A[0] = (k + 7) // 8 * 8", "A[0] = k");
    refused("A[0] = k // 4 * 4", "A[0] = k");
    certified("A[0] = k * n // n", "A[0] = k");
    refused("A[0] = k", "A[0] = k * n // n");
    refused("A[0] = T.truncdiv(k, 2)", "A[0] = k // 2");
    refused("for i in range(n):\n    A[i] = T.max(i, 1)", "for i in range(n):\n    A[i] = i");
    refused("for i in range(n):\n    A[i] = k", "for i in range(n - 1):\n    A[i] = k");
    // The bounds of a loop that never runs say nothing elsewhere.
    refused("for i in range(0):\n    A[i] = 1\nA[0] = k", "for i in range(0):\n    A[i] = 1\nA[0] = k + 1");
}

#[test]
fn signatures_and_names_count() {
    let a = program("A[0] = 1");
    for (from, to) in [
        ("k: T.int32", "k: T.int64"),
        ("(64,), \"uint8\"", "(65,), \"uint8\""),
        ("\"tirx.noalias\": True", "\"tirx.noalias\": False"),
    ] {
        let b = a.replacen(from, to, 1);
        assert_ne!(a, b);
        assert!(!made(&a, &b).is_complete(), "{to}");
    }
}

#[test]
fn what_is_not_there_is_stored() {
    refused("for i in range(n):\n    A[i] = B[i]\nB[0] = k", "B[0] = k");
    refused("for i in range(n - 1):\n    A[i] = A[i + 1]\nB[0] = k", "B[0] = k");
    refused("A[0] = k\nB[0] = k", "B[0] = k");
    // What was there before.
    refused("x: T.let[T.int32] = A[1]\nA[1] = k\nA[1] = x", "A[1] = k");
    // Elements of a view that begins elsewhere, or has others for the same index.
    let view = "V = T.decl_buffer((32,), data=F.data, elem_offset=32)";
    refused(&format!("{view}\nfor i in range(32):\n    V[i] = F[i]\nB[0] = k"), &format!("{view}\nB[0] = k"));
    let view = "V = F.view(8, 8)\nW = F.view(4, 16)";
    refused(
        &format!("{view}\nfor i, j in T.grid(4, 8):\n    V[i, j] = W[i, j]\nB[0] = k"),
        &format!("{view}\nB[0] = k"),
    );
    // A statement that only the second program has stores nothing, not even that.
    refused("B[0] = k", "A[k] = A[k]\nB[0] = k");
    refused("F[0] = T.Select(F[2] < F[1], F[1], F[2])", "F[0] = T.max(F[2], F[1])");
    refused("F[0] = T.Select(F[2] <= F[1], F[1], F[2])", "F[0] = T.max(F[1], F[2])");
    refused(
        "for i in range(8):\n    if i < 2:\n        A[i * 4] = i + k",
        "for i in range(8):\n    if i < 2:\n        A[0] = k",
    );
}
