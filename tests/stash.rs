//! A forward and a backward function: run one after the other they give the bits that they gave before, and what is kept
//! between them is what the budget allows.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use satir::fuzz::compare_options;
use satir::interp::{EquivOptions, equiv};
use satir::ir::Module;
use satir::tensor::{Edge, Split, SplitSettings, joined, share_pair};

/// Functions `f` and `g`, with the parameters that they share.
struct Case {
    before: Module,
    edges: Vec<Edge>,
}

impl Case {
    fn new(forward: (&str, &str), backward: (&str, &str), edges: &[(&str, &str)]) -> Case {
        let mut text = String::new();
        for (name, (parameters, body)) in [("f", forward), ("g", backward)] {
            text += &format!(
                "@T.prim_func(s_tir=True)\ndef {name}({parameters}):\n    T.func_attr({{\"tirx.noalias\": True}})\n"
            );
            body.trim_matches('\n').lines().for_each(|line| text += &format!("    {line}\n"));
        }
        let edges = edges.iter().map(|(f, b)| Edge { forward: (*f).into(), backward: (*b).into() }).collect();
        Case { before: satir::parse(&text).unwrap_or_else(|e| panic!("{text}{e}")), edges }
    }

    /// What becomes of both, run one after the other and compared.
    #[track_caller]
    fn split(&self, settings: &SplitSettings) -> (Module, Split) {
        let mut after = self.before.clone();
        let [forward, backward] = &mut after.funcs[..] else { panic!("two functions") };
        let split = share_pair(forward, backward, &self.edges, settings).unwrap();
        let after = satir::parse(&after.to_string()).unwrap_or_else(|e| panic!("{e}\n{after}"));
        if let Err(wrong) = satir::verify::verify(&after) {
            panic!("{wrong:?}\n{after}");
        }
        let one = |module: &Module, edges: &[Edge], internal: &[std::sync::Arc<str>]| {
            let func = joined(&module.funcs[0], &module.funcs[1], edges, internal).unwrap();
            let text = Module { funcs: vec![func], ..module.clone() }.to_string();
            satir::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
        };
        let first = one(&self.before, &self.edges, &[]);
        let second = one(&after, &split.edges(&self.edges), &split.internal());
        let options = EquivOptions { runs: 12, max_steps: 3_000_000, ..compare_options(&first, 1) };
        let result = equiv(&first, &second, &options).unwrap();
        assert!(result.difference.is_none(), "{:?}\n{first}\n{second}", result.difference);
        assert!(result.compared > 3, "{:?}", result.skipped);
        (after, split)
    }
}

/// The text of the backward function.
fn second(module: &Module) -> String {
    Module { funcs: vec![module.funcs[1].clone()], ..module.clone() }.to_string()
}

fn budget(bytes: u64) -> SplitSettings {
    SplitSettings { stash_budget: Some(bytes), ..SplitSettings::default() }
}

/// Blocks that set `target[v, w]`, or sum over `w` into `target[v]`.
fn map(target: &str, sizes: (&str, &str), value: &str) -> String {
    let (n, m) = sizes;
    format!(
        "for i, j in T.grid({n}, {m}):\n    with T.sblock(\"{target}\"):\n        v, w = T.axis.remap(\"SS\", [i, j])\n        {target}[v, w] = {value}\n"
    )
}

fn sum(target: &str, sizes: (&str, &str), value: &str) -> String {
    let (n, m) = sizes;
    format!(
        "for i, j in T.grid({n}, {m}):\n    with T.sblock(\"{target}\"):\n        v, w = T.axis.remap(\"SR\", [i, j])\n        with T.init():\n            {target}[v] = T.float32(0)\n        {target}[v] = {target}[v] + {value}\n"
    )
}

const X: &str = r#"X: T.Buffer((6, 8), "float32")"#;

fn tanh() -> Case {
    let forward = map("Y", ("6", "8"), "T.tanh(X[v, w])");
    let backward = map("dX", ("6", "8"), "(T.float32(1) - T.tanh(X[v, w]) * T.tanh(X[v, w])) * dY[v, w]");
    Case::new(
        (&format!("{X}, Y: T.Buffer((6, 8), \"float32\")"), &forward),
        (&format!("{X}, dY: T.Buffer((6, 8), \"float32\"), dX: T.Buffer((6, 8), \"float32\")"), &backward),
        &[("X", "X")],
    )
}

#[test]
fn a_result_is_passed_as_it_is() {
    let (after, split) = tanh().split(&SplitSettings::default());
    assert_eq!(after.to_string().matches("T.tanh").count(), 1, "{after}");
    let [stash] = &split.stash[..] else { panic!("{split}") };
    assert!(!stash.is_new && stash.is_added && &*stash.forward == "Y" && stash.bytes == 192, "{split}");
    assert_eq!(after.funcs[0].params.len(), 2);
    assert_eq!(after.funcs[1].params.len(), 4);
}

#[test]
fn without_room_all_is_computed_again() {
    let (after, split) = tanh().split(&budget(191));
    assert_eq!(after.to_string().matches("T.tanh").count(), 2, "{after}");
    assert!(split.stash.is_empty() && split.recomputed == ["Y"], "{split}");
}

/// Rows less their mean, over their deviation.
fn layer_norm(parameters: &str, sizes: (&str, &str)) -> Case {
    let (n, m) = sizes;
    let row = format!("({n},)");
    let whole = format!("({n}, {m})");
    let mut body = String::new();
    for (name, shape) in [("S", &row), ("M", &row), ("Q", &row), ("D", &row), ("H", &whole)] {
        body += &format!("{name} = T.sblock_alloc_buffer({shape})\n");
    }
    let over = |name: &str, value: &str| {
        format!(
            "for i in range({n}):\n    with T.sblock(\"{name}\"):\n        v = T.axis.spatial({n}, i)\n        {name}[v] = {value}\n"
        )
    };
    body += &sum("S", sizes, "X[v, w]");
    body += &over("M", "S[v] / T.float32(8)");
    body += &sum("Q", sizes, "(X[v, w] - M[v]) * (X[v, w] - M[v])");
    body += &over("D", "T.sqrt(Q[v] / T.float32(8) + T.float32(0.5))");
    body += &map("H", sizes, "(X[v, w] - M[v]) / D[v]");
    let forward = body.clone() + &map("Y", sizes, "H[v, w] * T.float32(3)");
    let backward = body
        + &format!("P = T.sblock_alloc_buffer({row})\n")
        + &sum("P", sizes, "dY[v, w] * H[v, w]")
        + &map("dX", sizes, "(dY[v, w] - P[v] * H[v, w]) / D[v]");
    let buffer = |name: &str| format!("{name}: T.Buffer({parameters}, \"float32\")");
    let (x, y, dy, dx) = (buffer("X"), buffer("Y"), buffer("dY"), buffer("dX"));
    Case::new((&format!("{x}, {y}"), &forward), (&format!("{x}, {dy}, {dx}"), &backward), &[("X", "X")])
}

#[test]
fn a_budget_of_rows_keeps_their_mean_and_deviation() {
    let case = layer_norm("(6, 8)", ("6", "8"));
    let (after, split) = case.split(&budget(48));
    assert_eq!(split.stash_bytes, 48, "{split}");
    assert!(split.stash.iter().all(|stash| stash.is_new && stash.shape == ["6"]), "{split}");
    assert_eq!(second(&after).matches("T.sqrt").count(), 0, "{after}");
    let cost = |split: &Split| split.forward.cost_after.to_f64() + split.backward.cost_after.to_f64();
    let (_, free) = case.split(&SplitSettings::default());
    let (_, none) = case.split(&budget(0));
    assert!(cost(&free) <= cost(&split) && cost(&split) < cost(&none), "{free}\n{split}\n{none}");
    assert_eq!(none.stash, []);
}

#[test]
fn sizes_may_be_symbols() {
    let case = layer_norm("(\"n\", 8)", ("n", "8"));
    let (_, split) = case.split(&budget(2 * 32 * 4));
    assert_eq!(split.stash.len(), 2, "{split}");
    assert!(split.stash.iter().all(|stash| stash.shape == ["n"]), "{split}");
}

#[test]
fn a_product_of_matrices_is_not_done_again() {
    let square = |name: &str| format!("{name}: T.Buffer((6, 6), \"float32\")");
    let product = "P = T.sblock_alloc_buffer((6, 6))\nfor i, j, k in T.grid(6, 6, 6):\n    with T.sblock(\"P\"):\n        v, w, u = T.axis.remap(\"SSR\", [i, j, k])\n        with T.init():\n            P[v, w] = T.float32(0)\n        P[v, w] = P[v, w] + A[v, u] * B[u, w]\n".to_owned();
    let forward = product.clone() + &map("Y", ("6", "6"), "T.max(P[v, w], T.float32(0))");
    let backward =
        product + &map("dP", ("6", "6"), "T.if_then_else(P[v, w] > T.float32(0), dY[v, w], T.float32(0))");
    let case = Case::new(
        (&[square("A"), square("B"), square("Y")].join(", "), &forward),
        (&[square("A"), square("B"), square("dY"), square("dP")].join(", "), &backward),
        &[("A", "A"), ("B", "B")],
    );
    let (_, split) = case.split(&SplitSettings::default());
    assert_eq!(split.stash_bytes, 144, "{split}");
    // A budget is kept in any case.
    let (_, none) = case.split(&budget(0));
    assert_eq!(none.stash_bytes, 0, "{none}");
}

#[test]
fn what_is_passed_is_read_or_computed_again() {
    let forward = map("Y", ("6", "8"), "T.exp(X[v, w])");
    let backward = map("dX", ("6", "8"), "dY[v, w] * Y[v, w]");
    let buffer = |name: &str| format!("{name}: T.Buffer((6, 8), \"float32\")");
    let with_x = Case::new(
        (&[buffer("X"), buffer("Y")].join(", "), &forward),
        (&[buffer("X"), buffer("Y"), buffer("dY"), buffer("dX")].join(", "), &backward),
        &[("X", "X"), ("Y", "Y")],
    );
    let (_, free) = with_x.split(&SplitSettings::default());
    assert!(free.unchanged.is_some(), "{free}");
    let (after, none) = with_x.split(&budget(0));
    assert!(none.stash.is_empty() && second(&after).contains("T.exp(X["), "{none}\n{after}");
    // Without X there is no other way.
    let without = Case::new(
        (&[buffer("X"), buffer("Y")].join(", "), &forward),
        (&[buffer("Y"), buffer("dY"), buffer("dX")].join(", "), &backward),
        &[("Y", "Y")],
    );
    let (after, _) = without.split(&budget(0));
    assert!(second(&after).contains("* Y["), "{after}");
}

#[test]
fn what_is_opaque_stays_and_is_not_done_again() {
    let opaque = "for i in range(5):\n    with T.sblock(\"scan\"):\n        v = T.axis.spatial(5, i)\n        Z[v + 1, 0] = Z[v, 0] + X[v, 0]\n";
    let buffer = |name: &str| format!("{name}: T.Buffer((6, 8), \"float32\")");
    let forward = opaque.to_owned() + &map("Y", ("6", "8"), "T.exp(Z[v, w])");
    let backward = map("dX", ("6", "8"), "dY[v, w] * T.exp(Z[v, w])");
    let case = Case::new(
        (&[buffer("X"), buffer("Z"), buffer("Y")].join(", "), &forward),
        (&[buffer("Z"), buffer("dY"), buffer("dX")].join(", "), &backward),
        &[("Z", "Z")],
    );
    let (after, split) = case.split(&SplitSettings::default());
    assert_eq!(after.to_string().matches("T.exp").count(), 1, "{after}");
    assert!(split.forward.opaque.iter().any(|opaque| opaque.name == "scan"), "{split}");
    // What is written after it was read is another tensor in the backward function.
    let late = map("Y", ("6", "8"), "T.exp(Z[v, w])") + opaque;
    let case = Case::new(
        (&[buffer("X"), buffer("Z"), buffer("Y")].join(", "), &late),
        (&[buffer("Z"), buffer("dY"), buffer("dX")].join(", "), &backward),
        &[("Z", "Z")],
    );
    let (after, split) = case.split(&SplitSettings::default());
    assert_eq!(after.to_string().matches("T.exp").count(), 2, "{after}");
    assert!(split.unchanged.is_some_and(|why| why.contains("written after")));
}

#[test]
fn edges_that_make_no_sense_say_why() {
    let case = tanh();
    let [forward, backward] = &case.before.funcs[..] else { panic!("two functions") };
    let told = |one: &str, other: &str| {
        let edge = Edge { forward: one.into(), backward: other.into() };
        joined(forward, backward, &[edge.clone(), edge], &[]).unwrap_err()
    };
    assert_eq!(told("Q", "X"), "edge Q=X: `f` has no parameter `Q`");
    assert_eq!(told("X", "Q"), "edge X=Q: the backward function has no parameter `Q`");
    assert_eq!(told("X", "X"), "edge X=X: the backward function's parameter has an edge already");
}

#[test]
fn what_is_kept_for_two_reads_stays_as_long_as_one_is_left() {
    // One product is read at another row and at its own: two items of the backward function, one of the forward function.
    let buffer = |name: &str| format!("{name}: T.Buffer((3, 1), \"float32\")");
    let product =
        "T0 = T.sblock_alloc_buffer((3, 1))\n".to_owned() + &map("T0", ("3", "1"), "B[v, w] * A[v, w]");
    let forward = product.clone() + &map("Y", ("3", "1"), "T.exp(C[v, w]) * C[v, w]");
    let backward = product
        + "T1 = T.sblock_alloc_buffer((3, 1))\n"
        + &map("T1", ("3", "1"), "T.exp(C[v, w]) * C[v, w]")
        + &map("Z", ("3", "1"), "T0[2 - v, w] + T1[v, w] * B[v, w]")
        + &map("U", ("3", "1"), "T.exp(T0[v, w]) + Z[v, w]");
    let case = Case::new(
        (&["A", "B", "C", "Y"].map(buffer).join(", "), &forward),
        (&["A", "B", "C", "Z", "U"].map(buffer).join(", "), &backward),
        &[("A", "A"), ("B", "B"), ("C", "C")],
    );
    for bytes in [0, 12, 24, 100] {
        let (_, split) = case.split(&budget(bytes));
        assert!(split.stash_bytes <= bytes, "{split}");
    }
}
