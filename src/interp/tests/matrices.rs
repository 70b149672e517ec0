//! The intrinsics on matrices, against the same written out.

use super::script::{Ran, done, run};
use super::*;
use crate::interp::{EquivOptions, equiv};

/// Declares fragments of a product in their scopes.
const FRAGMENTS: &str = r#"
    X = T.alloc_buffer((256,), "float16", scope="wmma.matrix_a")
    Y = T.alloc_buffer((256,), "float16", scope="wmma.matrix_b")
    Z = T.alloc_buffer((512,), "float32", scope="wmma.accumulator")
"#;

/// `c[i, j]` and the products of `left(i, k)` and `right(k, j)`, added up in their order.
fn product(c: f32, left: impl Fn(usize) -> f64, right: impl Fn(usize) -> f64) -> f64 {
    // Two `float16` have a product that is a `float32`.
    f64::from((0..16).fold(c, |sum, k| sum + (left(k) * right(k)) as f32))
}

#[test]
fn a_product_of_matrices_in_both_layouts() {
    let signature = r#"A: T.Buffer((20, 24), "float16"), B: T.Buffer((16, 16), "float16"), C: T.Buffer((16, 40), "float32"), D: T.Buffer((16, 16), "float32")"#;
    for by_columns in [false, true] {
        let layout = if by_columns { "col_major" } else { "row_major" };
        let ran = done(
            signature,
            &[],
            &format!(
                r#"{FRAGMENTS}
    T.tvm_load_matrix_sync(X.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), A.data, 3 * 24 + 5, 376, 1), 24, "row_major")
    T.tvm_load_matrix_sync(Y.data, 16, 16, 16, 0, B.data, 16, "{layout}")
    T.tvm_load_matrix_sync(Z.data, 16, 16, 16, 1, T.address_of(C[0, 7]), 40, "row_major")
    T.tvm_mma_sync(Z.data, 1, X.data, 0, Y.data, 0, Z.data, 1)
    T.tvm_store_matrix_sync(Z.data, 16, 16, 16, 1, T.tvm_access_ptr(T.type_annotation("float32"), D.data, 0, 256, 2), 16, "{layout}")
"#
            ),
        );
        let (a, b, c, d) = (ran.before("A"), ran.before("B"), ran.before("C"), ran.after("D"));
        for (i, j) in (0..16).flat_map(|i| (0..16).map(move |j| (i, j))) {
            let right = |k: usize| if by_columns { b[j * 16 + k] } else { b[k * 16 + j] };
            let wanted = product(c[i * 40 + 7 + j] as f32, |k| a[(i + 3) * 24 + 5 + k], right);
            let at = if by_columns { j * 16 + i } else { i * 16 + j };
            assert_eq!(d[at], wanted, "row {i}, column {j} of {layout}");
        }
        assert_eq!(ran.run.calls.count, 0);
        // Each counts as a call, as the two pointers do.
        assert_eq!(ran.run.counts.get(OpClass::Call), 5 + 2);
    }
}

#[test]
fn fragments_that_are_not_square_have_the_shape_that_their_scope_says() {
    let ran = done(
        r#"A: T.Buffer((32, 16), "int8"), B: T.Buffer((16, 8), "int8"), D: T.Buffer((32, 8), "int32")"#,
        &[],
        r#"
    X = T.alloc_buffer((512,), "int8", scope="wmma.matrix_a")
    Y = T.alloc_buffer((128,), "int8", scope="wmma.matrix_b")
    Z = T.alloc_buffer((256,), "int32", scope="wmma.accumulator")
    T.tvm_load_matrix_sync(X.data, 32, 8, 16, 0, A.data, 16, "row_major")
    T.tvm_load_matrix_sync(Y.data, 32, 8, 16, 0, B.data, 8, "row_major")
    T.tvm_fill_fragment(Z.data, 32, 8, 16, 0, T.float32(3.0))
    T.tvm_mma_sync(Z.data, 0, X.data, 0, Y.data, 0, Z.data, 0)
    T.tvm_store_matrix_sync(Z.data, 32, 8, 16, 0, D.data, 8, "row_major")
"#,
    );
    let (a, b, d) = (ran.before("A"), ran.before("B"), ran.after("D"));
    for (i, j) in (0..32).flat_map(|i| (0..8).map(move |j| (i, j))) {
        let wanted: f64 = (0..16).map(|k| a[i * 16 + k] * b[k * 8 + j]).sum();
        assert_eq!(d[i * 8 + j], wanted + 3.0, "row {i}, column {j}");
    }
}

#[test]
fn a_fragment_lies_in_its_buffer_as_tvm_describes_it() {
    // Of operands that are loaded from columns column by column, else row by row.
    for (scope, keeps) in [("global", false), ("wmma.accumulator", false), ("wmma.matrix_b", true)] {
        let ran = done(
            &format!(
                r#"A: T.Buffer((16, 16), "float16"), F: T.Buffer((3, 256), "float16", scope="{scope}")"#
            ),
            &[],
            r#"    T.tvm_load_matrix_sync(F.data, 16, 16, 16, 1, A.data, 16, "col_major")"#,
        );
        let (a, before, after) = (ran.before("A"), ran.before("F"), ran.after("F"));
        assert_eq!((&after[..256], &after[512..]), (&before[..256], &before[512..]));
        for (i, j) in (0..16).flat_map(|i| (0..16).map(move |j| (i, j))) {
            let wanted = if keeps { a[i * 16 + j] } else { a[j * 16 + i] };
            assert_eq!(after[256 + i * 16 + j], wanted, "{scope}");
        }
    }
}

/// The body of a function that reads a matrix of `A` and stores it to `D`.
fn through(pointer: &str, stride: &str, index: &str) -> String {
    format!(
        r#"{FRAGMENTS}
    T.tvm_load_matrix_sync(Z.data, 16, 16, 16, {index}, {pointer}, {stride}, "row_major")
    T.tvm_store_matrix_sync(Z.data, 16, 16, 16, {index}, D.data, 16, "row_major")
"#
    )
}

const COPIED: &str = r#"A: T.Buffer((16, 20), "float32"), D: T.Buffer((16, 16), "float32"), n: T.int32"#;

#[track_caller]
fn outside(ran: &Ran, name: &str) {
    let Outcome::Trap(trap) = &ran.run.outcome else { unreachable!("{:?}", ran.run.outcome) };
    assert_eq!(trap.kind, TrapKind::OutsideMemory(name.into()));
}

#[test]
fn matrices_outside_of_memory_trap() {
    let at =
        |offset: &str| format!("T.tvm_access_ptr(T.type_annotation(\"float32\"), A.data, {offset}, 1, 1)");
    assert!(run(COPIED, &[("n", 1)], &through(&at("4"), "20", "n")).run.outcome.is_done());
    outside(&run(COPIED, &[("n", 1)], &through(&at("5"), "20", "n")), "A");
    outside(&run(COPIED, &[("n", 1)], &through(&at("0"), "21", "n")), "A");
    outside(&run(COPIED, &[("n", 1)], &through(&at("-1"), "20", "n")), "A");
    outside(&run(COPIED, &[("n", 2)], &through("A.data", "20", "n")), "Z");
    outside(&run(COPIED, &[("n", -1)], &through("A.data", "20", "n")), "Z");
}

fn compare(first: &str, second: &str) -> Equivalence {
    let module = |body: &str| {
        let text = format!("@T.prim_func(s_tir=True)\ndef main({COPIED}):\n{body}\n");
        crate::script::parse("test", &text).unwrap_or_else(|e| panic!("{e}\n{text}"))
    };
    let (first, second) = (module(first), module(second));
    let options = crate::fuzz::compare_options(&first, 1);
    equiv(&first, &second, &EquivOptions { runs: 4, no_new_loads: false, accessed_only: false, ..options })
        .unwrap()
}

#[test]
fn what_may_be_anything_goes_through_fragments() {
    let filled = |value: &str| {
        format!(
            r#"{FRAGMENTS}
    T.tvm_fill_fragment(Z.data, 16, 16, 16, 0, {value})
    T.tvm_store_matrix_sync(Z.data, 16, 16, 16, 0, D.data, 16, "row_major")
"#
        )
    };
    let undef = filled("T.Cast(\"float32\", T.undef())");
    assert!(compare(&undef, &filled("T.float32(3.0)")).difference.is_none());
    assert!(compare(&undef, "    T.evaluate(0)").difference.is_none());
    assert!(compare(&filled("T.float32(3.0)"), &undef).difference.is_some());
    assert!(
        compare(&undef, &(filled("T.float32(3.0)") + "    A[0, 0] = T.float32(0.0)\n")).difference.is_some()
    );
    let copied = through("A.data", "20", "0");
    let nothing = compare(&through("A.data", "20", "T.undef()"), &copied);
    assert_eq!((nothing.compared, nothing.skipped.len()), (0, 1));
    let written = "    for i, j in T.grid(16, 16):\n        D[i, j] = A[i, j]\n";
    assert!(compare(&copied, written).difference.is_none());
    assert!(compare(&copied, &written.replace("A[i, j]", "A[j, i]")).difference.is_some());
}

#[test]
fn the_threads_of_a_warp_do_an_operation_once() {
    let body = |scope: &str| {
        format!(
            r#"
    for t in T.thread_binding(32, thread="threadIdx.x"):
        X = T.alloc_buffer((256,), "float16", scope="wmma.matrix_a")
        Y = T.alloc_buffer((256,), "float16", scope="wmma.matrix_b")
        Z = T.alloc_buffer((256,), "float16", scope="{scope}")
        T.tvm_load_matrix_sync(X.data, 16, 16, 16, 0, A.data, 16, "row_major")
        T.tvm_load_matrix_sync(Y.data, 16, 16, 16, 0, A.data, 16, "row_major")
        T.tvm_load_matrix_sync(Z.data, 16, 16, 16, 0, C.data, 16, "row_major")
        T.tvm_mma_sync(Z.data, 0, X.data, 0, Y.data, 0, Z.data, 0)
        T.tvm_store_matrix_sync(Z.data, 16, 16, 16, 0, C.data, 16, "row_major")
"#
        )
    };
    let signature = r#"A: T.Buffer((16, 16), "float16"), C: T.Buffer((16, 16), "float16")"#;
    let ran = done(signature, &[], &body("wmma.accumulator"));
    let (a, c) = (ran.before("A"), ran.before("C"));
    let round = |v: f64| half::f16::from_f64(v).to_f64();
    for (i, j) in (0..16).flat_map(|i| (0..16).map(move |j| (i, j))) {
        let sum = |sum: f64, k: usize| round(sum + round(a[i * 16 + k] * a[k * 16 + j]));
        assert_eq!(ran.after("C")[i * 16 + j], (0..16).fold(c[i * 16 + j], sum));
    }
    let text = format!("@T.prim_func(s_tir=True)\ndef main({signature}):\n{}\n", body("shared"));
    refused(&text, "which is not memory of one thread");
}

#[track_caller]
fn refused(text: &str, why: &str) {
    let module = crate::script::parse("test", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    match Interpreter::new(&module.funcs[0]) {
        Ok(_) => panic!("it is run:\n{text}"),
        Err(unsupported) => assert!(unsupported.what.contains(why), "{}", unsupported.what),
    }
}

#[test]
fn what_is_not_known_of_fragments_is_not_run() {
    let refused = |body: &str, why: &str| {
        refused(&format!("@T.prim_func(s_tir=True)\ndef main({COPIED}):\n{FRAGMENTS}{body}\n"), why);
    };
    let fill = "    T.tvm_fill_fragment(Z.data, 16, 16, 16, 0, T.float32(0.0))\n";
    refused("    T.tvm_mma_sync(Z.data, 0, X.data, 0, Y.data, 0, Z.data, 0)", "no shape");
    let loads = [", \"row_major\")", ", \"col_major\")"]
        .map(|layout| format!("    T.tvm_load_matrix_sync(X.data, 16, 16, 16, 0, Y.data, 16{layout}\n"));
    refused(&loads.concat(), "several");
    refused(&format!("{fill}{}", fill.replace("16, 16, 16", "32, 8, 16")), "several");
    refused(&fill.replace("16, 16, 16", "16, 16, n"), "no shape");
    refused(&format!("{fill}{}", fill.replace("16, 16, 16", "16, n, 16")), "several");
    let load = "    T.tvm_load_matrix_sync(X.data, 16, 16, 16, 0, A.data, 20, \"row_major\")";
    refused(load, "elements of the fragment's type");
    refused(&load.replace("X", "Z").replace("row", "diagonal"), "no shape and layout");
    refused(
        &format!("{fill}    T.tvm_store_matrix_sync(Z.data, 16, 16, 16, 0, A.data, 20, \"diagonal\")"),
        "a layout that is neither",
    );
    refused(&load.replace("X", "D").replace("16, 16, 16", "32, 8, 16"), "any of a product's three matrices");
    refused("    T.tvm_bmma_sync(Z.data, 0, X.data, 0, Y.data, 0, Z.data, 0)", "threads of a warp");
}
