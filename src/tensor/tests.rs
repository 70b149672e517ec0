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
        (
            "for i in range(8):\n    for k in range(i):\n        with T.sblock(\"b\"):\n            v = T.axis.spatial(8, i)\n            w = T.axis.reduce(i, k)\n            with T.init():\n                C[v] = T.float32(0)\n            C[v] = C[v] + A[v, w]",
            "depends on another",
        ),
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
        // A condition that always holds.
        (
            "i0, i1 in T.grid(4, 2)",
            "v = T.axis.spatial(8, i0 * 2 + i1)\nT.where(i0 * 2 + i1 < 8)",
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

/// A random expression of three floats and two conditions, as a term and as it is: each step takes two earlier ones.
fn random(steps: &[(u8, usize, usize)]) -> (Terms, Vec<(super::term::Term, Expr)>) {
    let mut terms = Terms::default();
    let mut made: Vec<(super::term::Term, Expr)> = (0..3)
        .map(|axis| (terms.axis(axis, DType::F32), Expr::var(crate::ir::VarId(axis), DType::F32)))
        .collect();
    for value in [0.0, -0.0, 1.0, -1.0, 2.0] {
        let number = Expr::float(value, DType::F32);
        made.push((terms.form(number.clone(), Vec::new()), number));
    }
    let minus_one = made[6].clone();
    let apply = |terms: &mut Terms, e: Expr, operands: Vec<super::term::Term>| {
        let mut head = e.clone();
        head.for_each_child_mut(|child| *child = super::term::hole(child.dtype));
        (terms.form(head, operands), e)
    };
    for &(op, a, b) in steps {
        // What was made last is likely to be used.
        let at = |place: usize| made[made.len() - 1 - place % made.len().min(8)].clone();
        let (x, y, z) = (at(a), at(b), at(a / 8));
        let arithmetic = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Max, BinOp::Min];
        let next = match op % 10 {
            op @ 0..6 => {
                let e = Expr::binary(arithmetic[usize::from(op)], x.1, y.1);
                apply(&mut terms, e, vec![x.0, y.0])
            }
            6 => {
                let minus_one = minus_one.clone();
                let e = Expr::binary(BinOp::Mul, x.1, minus_one.1);
                apply(&mut terms, e, vec![x.0, minus_one.0])
            }
            7 => {
                let e = Expr::call(DType::F32, "exp", vec![x.1]);
                apply(&mut terms, e, vec![x.0])
            }
            op => {
                let axis = 3 + u32::try_from(b % 2).unwrap_or(0);
                let condition = match a % 3 {
                    0 => apply(&mut terms, Expr::binary(BinOp::Lt, y.1.clone(), x.1.clone()), vec![y.0, x.0]),
                    _ => (terms.axis(axis, DType::BOOL), Expr::var(crate::ir::VarId(axis), DType::BOOL)),
                };
                let (then, otherwise) = if b % 3 == 0 { (x, z) } else { (x, y) };
                let e = match op {
                    8 => Expr::select(condition.1, then.1, otherwise.1),
                    _ => Expr::call(DType::F32, "if_then_else", vec![condition.1, then.1, otherwise.1]),
                };
                apply(&mut terms, e, vec![condition.0, then.0, otherwise.0])
            }
        };
        made.push(next);
    }
    (terms, made)
}

/// The expression that a term is.
fn written(terms: &Terms, term: super::term::Term) -> Expr {
    let super::term::Node::Form(head, children) = terms.node(term) else {
        return Expr::var(crate::ir::VarId(terms.axes(term)[0]), terms.dtype(term));
    };
    let mut e = head.clone();
    let mut children = children.iter();
    e.for_each_child_mut(|child| {
        if let Some(&operand) = children.next() {
            *child = written(terms, operand);
        }
    });
    e
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 3_000, failure_persistence: None, ..Default::default() })]

    // The form of a term is another expression than the one that was given; evaluation decides that it has the same bits.
    #[test]
    fn forms_keep_every_bit(steps in proptest::collection::vec((0u8..10, 0usize..64, 0usize..64), 1..10)) {
        use crate::ir::value::{Value, evaluate};
        let (terms, made) = random(&steps);
        let numbers = [0.0, -0.0, 1.0, -1.5, f64::INFINITY, f64::NAN, 1e-45_f32.into(), 3.0e38_f32.into()];
        for (term, e) in &made {
            let form = written(&terms, *term);
            for point in 0..64 {
                // Each variable goes through all numbers at a pace of its own.
                let number = |axis: usize| numbers[point * (2 * axis + 1) / (axis + 1) % numbers.len()];
                let of = |var: crate::ir::VarId| {
                    Some(match var.0 {
                        axis @ 0..3 => Value::Float(f64::from(number(axis as usize) as f32)),
                        axis => Value::bool(point >> axis & 1 == 1),
                    })
                };
                let bits = |e: &Expr| match evaluate(e, &of) {
                    Some(Value::Float(number)) if number.is_nan() => None,
                    Some(Value::Float(number)) => Some(number.to_bits()),
                    other => panic!("{other:?}"),
                };
                assert_eq!(bits(e), bits(&form), "{e:?}\n{form:?}");
            }
        }
    }
}

#[test]
fn what_both_arms_of_a_choice_do_stands_outside_of_it() {
    let mut terms = Terms::default();
    let [x, y, z] = [0, 1, 2].map(|axis| terms.axis(axis, DType::F32));
    let condition = terms.axis(3, DType::BOOL);
    let minus_one = terms.form(Expr::float(-1.0, DType::F32), Vec::new());
    let hole = |dtype| super::term::hole(dtype);
    let choice =
        Expr::call(DType::F32, "if_then_else", vec![hole(DType::BOOL), hole(DType::F32), hole(DType::F32)]);
    let (one, other) = (binary(&mut terms, BinOp::Mul, z, x), binary(&mut terms, BinOp::Mul, y, x));
    let apart = terms.form(choice.clone(), vec![condition, one, other]);
    let inner = terms.form(choice.clone(), vec![condition, z, y]);
    assert_eq!(apart, binary(&mut terms, BinOp::Mul, inner, x));
    // -(z * x) and x * x are -z and x, times x.
    let (minus, square) =
        (binary(&mut terms, BinOp::Mul, one, minus_one), binary(&mut terms, BinOp::Mul, x, x));
    let apart = terms.form(choice.clone(), vec![condition, minus, square]);
    let minus = binary(&mut terms, BinOp::Mul, z, minus_one);
    let inner = terms.form(choice.clone(), vec![condition, minus, x]);
    assert_eq!(apart, binary(&mut terms, BinOp::Mul, inner, x));
    // A quotient by x and a product with it have nothing in common.
    let quotient = binary(&mut terms, BinOp::Div, z, x);
    let apart = terms.form(choice.clone(), vec![condition, quotient, square]);
    assert!(terms.children(apart).contains(&condition));
}
