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
