//! Terms, and what counts as a definition.

use super::lift::{Item, lift};
use super::term::Terms;
use crate::ir::{BinOp, DType, Expr};

fn binary(terms: &mut Terms, op: BinOp, a: super::term::Term, b: super::term::Term) -> super::term::Term {
    let hole = super::term::hole(terms.dtype(a));
    terms.form(Expr::binary(op, hole.clone(), hole), vec![a, b])
}

#[test]
fn operands_that_may_change_places_are_in_order() {
    let mut terms = Terms::default();
    let (x, y) = (terms.axis(0, DType::F32), terms.form(Expr::float(2.5, DType::F32), Vec::new()));
    for (op, commutes) in [(BinOp::Add, true), (BinOp::Mul, true), (BinOp::Sub, false), (BinOp::Max, false)] {
        let (a, b) = (binary(&mut terms, op, x, y), binary(&mut terms, op, y, x));
        assert_eq!(a == b, commutes, "{op:?}");
    }
}

#[test]
fn only_identities_of_all_floats_are_used() {
    let mut terms = Terms::default();
    let x = terms.axis(0, DType::F32);
    let one = terms.form(Expr::float(1.0, DType::F32), Vec::new());
    let zero = terms.form(Expr::float(0.0, DType::F32), Vec::new());
    assert_eq!(binary(&mut terms, BinOp::Mul, x, one), x);
    assert_eq!(binary(&mut terms, BinOp::Div, x, one), x);
    // -0.0 + 0.0 is 0.0; infinity times 0 and less itself is no number.
    assert_ne!(binary(&mut terms, BinOp::Add, x, zero), x);
    assert_ne!(binary(&mut terms, BinOp::Mul, x, zero), zero);
    assert_ne!(binary(&mut terms, BinOp::Sub, x, x), zero);
}

#[test]
fn signs_stand_outside_of_products() {
    let mut terms = Terms::default();
    let (x, y) = (terms.axis(0, DType::F32), terms.axis(1, DType::F32));
    let minus_one = terms.form(Expr::float(-1.0, DType::F32), Vec::new());
    let negative = binary(&mut terms, BinOp::Mul, x, minus_one);
    let product = binary(&mut terms, BinOp::Mul, x, y);
    let outside = binary(&mut terms, BinOp::Mul, product, minus_one);
    assert_eq!(binary(&mut terms, BinOp::Mul, negative, y), outside);
    assert_eq!(binary(&mut terms, BinOp::Mul, minus_one, negative), x);
    assert_eq!(binary(&mut terms, BinOp::Div, x, minus_one), negative);
    let (sum, difference) = (binary(&mut terms, BinOp::Add, y, x), binary(&mut terms, BinOp::Sub, y, x));
    assert_eq!(binary(&mut terms, BinOp::Sub, y, negative), sum);
    assert_eq!(binary(&mut terms, BinOp::Add, negative, y), difference);
    // Of x = y the left is 0.0, the right -0.0.
    let reversed = binary(&mut terms, BinOp::Sub, x, y);
    assert_ne!(binary(&mut terms, BinOp::Mul, reversed, minus_one), difference);
}

#[test]
fn a_choice_between_equal_values_is_none() {
    let mut terms = Terms::default();
    let (x, y) = (terms.axis(0, DType::F32), terms.axis(1, DType::F32));
    let condition = terms.axis(2, DType::BOOL);
    let hole = |dtype| super::term::hole(dtype);
    let holes = vec![hole(DType::BOOL), hole(DType::F32), hole(DType::F32)];
    let head = Expr::call(DType::F32, "if_then_else", holes);
    assert_eq!(terms.form(head.clone(), vec![condition, x, x]), x);
    assert_ne!(terms.form(head, vec![condition, x, y]), x);
    let head = Expr::select(hole(DType::BOOL), hole(DType::F32), hole(DType::F32));
    assert_eq!(terms.form(head, vec![condition, y, y]), y);
}

#[test]
fn negatives_are_one_where_the_sign_of_zero_does_not_count() {
    let mut terms = Terms::default();
    let x = terms.axis(0, DType::F32);
    let constant = |terms: &mut Terms, value: f64| terms.form(Expr::float(value, DType::F32), Vec::new());
    let (zero, minus_one) = (constant(&mut terms, 0.0), constant(&mut terms, -1.0));
    let (less, times) =
        (binary(&mut terms, BinOp::Sub, zero, x), binary(&mut terms, BinOp::Mul, x, minus_one));
    assert_ne!(less, times, "0.0 - 0.0 is 0.0, 0.0 * -1.0 is -0.0");
    let call = |terms: &mut Terms, name: &str, operand| {
        let head = Expr::call(DType::F32, name, vec![super::term::hole(DType::F32)]);
        terms.form(head, vec![operand])
    };
    for (name, same) in [("exp", true), ("cosh", true), ("sin", false), ("tanh", false)] {
        assert_eq!(call(&mut terms, name, less) == call(&mut terms, name, times), same, "{name}");
    }
}

#[test]
fn terms_of_exchanged_axes_have_one_canonical_form() {
    let mut terms = Terms::default();
    let (i, j) = (terms.axis(0, DType::I32), terms.axis(1, DType::I32));
    let (a, b) = (binary(&mut terms, BinOp::Sub, i, j), binary(&mut terms, BinOp::Sub, j, i));
    assert_ne!(a, b);
    assert_eq!(terms.canonical(a), terms.canonical(b));
    let twice = binary(&mut terms, BinOp::Sub, i, i);
    assert_ne!(terms.canonical(a), terms.canonical(twice));
}

/// Why the only statement is no definition; `None` if it is one.
fn why(body: &str) -> Option<String> {
    let mut text = "@T.prim_func(s_tir=True)\ndef main(A: T.Buffer((8, 4), \"float32\"), B: T.Buffer((8, 4), \"float32\"), C: T.Buffer((8,), \"float32\")):\n".to_owned();
    for line in body.lines() {
        text += &format!("    {line}\n");
    }
    let func = crate::parse(&text).unwrap_or_else(|e| panic!("{e}")).funcs.remove(0);
    match lift(&func, &func.body).remove(0) {
        Item::Defined(_) => None,
        Item::Opaque(_, why) => Some(why),
    }
}

#[test]
fn what_is_no_definition_says_why() {
    assert_eq!(why("for i, j in T.grid(8, 4):\n    B[i, j] = A[i, j]"), None);
    assert_eq!(why("for j, i in T.grid(4, 8):\n    B[i, j] = A[i, j]"), None);
    for (body, reason) in [
        ("for i, j in T.grid(8, 3):\n    B[i, j] = A[i, j]", "each element"),
        ("for i in range(4):\n    B[i, i] = A[i, i]", "each element"),
        ("for i, j in T.grid(8, 4):\n    B[i, j] = B[i, j]", "reads what it stores"),
        ("for i in T.parallel(8):\n    C[i] = A[i, 0]", "scheduled"),
        ("for i in range(8):\n    C[i] = A[i, 0]\n    C[i] = A[i, 1]", "several statements"),
        (
            "for i, j in T.grid(8, 4):\n    with T.sblock(\"b\"):\n        v, w = T.axis.remap(\"SR\", [i, j])\n        C[v] = C[v] + A[v, w]",
            "without an initial value",
        ),
        (
            "for i, j in T.grid(8, 4):\n    with T.sblock(\"b\"):\n        v, w = T.axis.remap(\"SR\", [i, j])\n        with T.init():\n            C[v] = T.float32(0)\n        C[v] = C[v] - A[v, w]",
            "another operation",
        ),
        (
            "for i in range(8):\n    with T.sblock(\"b\"):\n        v = T.axis.spatial(8, i)\n        T.where(i < 5)\n        C[v] = A[v, 0]",
            "condition",
        ),
        (
            "for i in range(8):\n    with T.sblock(\"b\"):\n        v = T.axis.spatial(8, 7 - i)\n        C[v] = A[v, 0]",
            "one to one",
        ),
    ] {
        let found = why(body);
        assert!(found.as_ref().is_some_and(|found| found.contains(reason)), "{body}\n{found:?}");
    }
}

#[test]
fn loops_that_were_split_or_fused_are_followed() {
    let block = |loops: &str, axes: &str, store: &str| {
        let lines: String = axes.lines().map(|line| format!("        {line}\n")).collect();
        format!("for {loops}:\n    with T.sblock(\"b\"):\n{lines}        {store}")
    };
    let copy = "B[v, w] = A[v, w]";
    let sum = "with T.init():\n            C[v] = T.float32(0)\n        C[v] = C[v] + A[v, w]";
    for (loops, axes, store) in [
        (
            "i0, i1, j in T.grid(2, 4, 4)",
            "v = T.axis.spatial(8, i0 * 4 + i1)\nw = T.axis.spatial(4, j)",
            copy,
        ),
        ("i in range(32)", "v = T.axis.spatial(8, i // 4)\nw = T.axis.spatial(4, i % 4)", copy),
        // Fused, then split again.
        (
            "a, b in T.grid(4, 8)",
            "v = T.axis.spatial(8, (a * 8 + b) // 4)\nw = T.axis.spatial(4, (a * 8 + b) % 4)",
            copy,
        ),
        // One iteration too many.
        (
            "i0, i1 in T.grid(3, 3)",
            "v = T.axis.spatial(8, i0 * 3 + i1)\nT.where(i0 * 3 + i1 < 8)",
            "C[v] = A[v, 0]",
        ),
        ("i, k0, k1 in T.grid(8, 2, 2)", "v = T.axis.spatial(8, i)\nw = T.axis.reduce(4, k0 * 2 + k1)", sum),
        ("k0, i, k1 in T.grid(2, 8, 2)", "v = T.axis.spatial(8, i)\nw = T.axis.reduce(4, k0 * 2 + k1)", sum),
    ] {
        let text = block(loops, axes, store);
        assert_eq!(why(&text), None, "{text}");
    }
    for (loops, axes, store) in [
        // Some elements come twice, some never.
        (
            "i0, i1, j in T.grid(2, 4, 4)",
            "v = T.axis.spatial(8, i0 * 2 + i1)\nw = T.axis.spatial(4, j)",
            copy,
        ),
        ("i in range(32)", "v = T.axis.spatial(8, i // 4)\nw = T.axis.spatial(4, i // 8)", copy),
        // The sum runs in another order.
        ("i, k1, k0 in T.grid(8, 2, 2)", "v = T.axis.spatial(8, i)\nw = T.axis.reduce(4, k0 * 2 + k1)", sum),
    ] {
        let text = block(loops, axes, store);
        assert!(why(&text).is_some_and(|why| why.contains("one to one")), "{text}");
    }
    let outside = block("i in range(8)", "v = T.axis.spatial(8, i)", "C[v] = A[i, 0]");
    assert!(why(&outside).is_some_and(|why| why.contains("variables of its loops")), "{outside}");
}
