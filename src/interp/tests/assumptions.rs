//! Programs that assume something of their inputs, values that may be anything, and buffers in other layouts.

use super::*;
use crate::interp::{Layout, Padding};
use crate::ir::Module;
use crate::script::parse_lambda;

fn program(params: &str, body: &str) -> Module {
    let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
    crate::parse(&format!("@T.prim_func(s_tir=True)\ndef main({params}):\n{body}")).unwrap()
}

fn compare(a: &Module, b: &Module, layouts: Vec<Layout>) -> Equivalence {
    let options = EquivOptions {
        bindings: Bindings::new(),
        fixed: false,
        constraints: Constraints::new(),
        runs: 16,
        seed: 0,
        tolerance: None,
        max_steps: 100_000,
        lenient_loads: false,
        no_new_loads: false,
        accessed_only: false,
        layouts,
        limits_everywhere: false,
    };
    equiv(a, b, &options).unwrap()
}

/// Two bodies over `A`, `B` of 16 integers and `n`, on inputs that satisfy what the first assumes.
fn bodies(first: &str, second: &str) -> Equivalence {
    let params = "A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"int32\"), n: T.int32";
    compare(&program(params, first), &program(params, second), Vec::new())
}

#[track_caller]
fn assert_same(result: &Equivalence) {
    assert!(result.difference.is_none() && result.compared > 0, "{result:?}");
}

#[track_caller]
fn assert_differs(result: &Equivalence) {
    assert!(result.difference.is_some(), "{result:?}");
}

#[test]
fn elements_are_set_so_that_assumptions_hold() {
    let zero = "for i in range(16):\n    T.assume(i < 14 or A[i] == 0)\n";
    assert_same(&bodies(&format!("{zero}B[0] = A[14] + A[15]"), "B[0] = 0"));
    assert_differs(&bodies(&format!("{zero}B[0] = A[13]"), "B[0] = 0"));
    let bounds = "for i in range(16):\n    T.assume(A[i] >= 0 and 9 > A[i])\n";
    assert_same(&bodies(&format!("{bounds}B[A[3]] = 1"), "B[T.max(A[3], 0)] = 1"));
    // What the program wrote itself is no input: the assumption is false.
    let written = bodies("A[0] = 1\nT.assume(A[0] == 2)\nB[0] = 1", "A[0] = 1\nB[0] = 1");
    assert_eq!(written.compared, 0, "{written:?}");
    assert!(written.skipped.contains_key("the assumption does not hold"), "{written:?}");
}

#[test]
fn scalars_are_drawn_so_that_assumptions_hold() {
    let head = "T.assume(n >= 8 and n < 16 and n % 4 == 1)\n";
    let result = bodies(&format!("{head}B[n] = n // 4"), "B[n] = n // 4 + n % 2 - 1");
    assert_same(&result);
    assert_eq!(result.compared, 16, "{result:?}");
    assert_differs(&bodies(&format!("{head}B[n] = n // 4"), "B[n] = 2"));
}

#[test]
fn values_that_may_be_anything_are_compared_with_nothing() {
    assert_same(&bodies("B[0] = T.undef()\nB[1] = 5", "B[0] = 7\nB[1] = 5"));
    assert_same(&bodies("B[0] = T.undef() + 3", "B[0] = 1"));
    // The second program may not be the one that leaves it open.
    assert_differs(&bodies("B[0] = 7", "B[0] = T.undef()"));
    // What decides the value is known.
    assert_differs(&bodies("B[0] = T.undef() * 0", "B[0] = 1"));
    assert_same(&bodies("B[0] = T.undef() * 0", "B[0] = 0"));
    // Memory remembers, until it is written.
    assert_same(&bodies("B[0] = T.undef()\nB[1] = B[0]", "B[1] = 3"));
    assert_differs(&bodies("B[0] = T.undef()\nB[0] = 2\nB[1] = B[0]", "B[0] = 2\nB[1] = 3"));
    assert_same(&bodies("T.assume(A[0] == T.undef())\nB[0] = A[0]", "B[0] = A[0]"));
}

#[test]
fn memory_that_nobody_wrote_may_be_anything_beside_undef() {
    let own = "C = T.alloc_buffer((4,), \"int32\")\n";
    // What comes from such memory neither differs nor overflows.
    let times_five = |stored: &str| format!("{own}{stored}B[0] = C[0] * 5\nB[1] = 5");
    assert_same(&bodies(&times_five("C[0] = T.undef()\n"), &times_five("")));
    assert_same(&bodies(&times_five("C[0] = T.undef()\nC[0] = 2\n"), &times_five("C[0] = 2\n")));
    // A store that went and that somebody sees is a difference still.
    let stores = |stored: &str| format!("{own}C[0] = T.undef()\n{stored}B[0] = C[0] + C[1] * 0");
    assert_differs(&bodies(&stores("C[0] = 7\n"), &stores("")));
    assert_differs(&bodies(&stores("C[0] = 7\n"), &format!("{own}B[0] = C[1] - C[1] + C[2]")));
    // So is control that comes to depend on it.
    let branch = |stored: &str| format!("{own}{stored}B[1] = T.undef()\nif C[0] > 0:\n    B[0] = 1");
    assert_differs(&bodies(&branch("C[0] = 1\n"), &branch("")));
}

#[test]
fn a_store_of_undef_to_a_parameter_may_leave_what_is_there() {
    // The product of what is there may overflow, so the first function may.
    let product = |stored: &str| format!("{stored}B[0] = A[0] * 1000003\nB[1] = 5");
    assert_same(&bodies(&product("A[0] = T.undef()\n"), &product("")));
    // Of another element it may not.
    assert_differs(&bodies(&product("A[1] = T.undef()\n"), "B[0] = 0\nB[1] = 5"));
    let of_two = "A[0] = T.undef()\nB[0] = A[0]\nA[2] = A[1] - A[1] + 2147483647";
    assert_differs(&bodies(of_two, &format!("{of_two}\nB[0] = A[2] + 1")));
    // What is stored afterwards is known.
    let stores = |stored: &str| format!("{stored}A[0] = 2\nB[0] = A[0] * 1000003");
    assert_same(&bodies(&stores("A[0] = T.undef()\n"), &stores("")));
    assert_differs(&bodies(&stores("A[0] = T.undef()\n"), "B[0] = 2147483647 + A[0] * A[0]"));
}

#[test]
fn control_may_not_depend_on_anything() {
    for body in [
        "A[T.undef() % 4] = 1",
        "B[0] = A[T.undef() % 4]",
        "if T.undef() < 3:\n    B[0] = 1",
        "for i in range(T.undef()):\n    B[i] = 1",
        "B[0] = T.if_then_else(T.undef() < 3, 1, 2)",
    ] {
        let result = bodies(body, body);
        assert_eq!(result.compared, 0, "{body}: {result:?}");
        assert!(result.skipped.keys().all(|why| why.contains("`T.undef()`")), "{body}: {result:?}");
    }
}

/// `A` of 14 elements as 4 rows of 4 in the second program.
fn in_rows(first: &str, second: &str, pad: Option<i64>) -> Equivalence {
    let params = |shape| format!("A: T.Buffer({shape}, \"int32\"), B: T.Buffer((16,), \"int32\")");
    let (a, b) = (program(&params("(14,)"), first), program(&params("(4, 4)"), second));
    let mut env = b.funcs[0].clone();
    let map = parse_lambda("lambda i: [i // 4, i % 4]", &mut env).unwrap();
    let padding = pad.map_or(Padding::Any, |value| Padding::Value { axes: vec![], value: i(value) });
    let layout = Layout {
        function: "main".into(),
        buffer: "A".into(),
        axes: map.params,
        indices: map.body,
        padding,
        env,
    };
    compare(&a, &b, vec![layout])
}

#[test]
fn buffers_are_compared_through_their_layout() {
    let write = "for i in range(14):\n    A[i] = i * 5";
    let rows = "for i in range(14):\n    A[i // 4, i % 4] = i * 5";
    assert_same(&in_rows(write, rows, None));
    assert_differs(&in_rows(write, "for i in range(14):\n    A[i // 4, i % 4] = i * 4", None));
    // Padding has to be written, and with its value.
    assert_differs(&in_rows(write, rows, Some(3)));
    let padded = format!("{rows}\nA[3, 2] = 3\nA[3, 3] = 3");
    assert_same(&in_rows(write, &padded, Some(3)));
    assert_differs(&in_rows(write, &padded, Some(4)));
}

#[test]
fn padding_may_not_matter_unless_it_is_assumed() {
    let sum = "B[0] = 0\nfor i in range(14):\n    B[0] = B[0] + A[i]";
    let all = "B[0] = 0\nfor i, j in T.grid(4, 4):\n    B[0] = B[0] + A[i, j]";
    let assumed = format!("for i, j in T.grid(4, 4):\n    T.assume(i * 4 + j < 14 or A[i, j] == 0)\n{all}");
    assert_differs(&in_rows(sum, all, None));
    assert_differs(&in_rows(sum, all, Some(0)));
    assert_same(&in_rows(sum, &assumed, Some(0)));
}
