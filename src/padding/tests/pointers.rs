//! Copies of buffers that intrinsics on matrices reach through pointers.

use crate::error::Error;
use crate::interp::{EquivOptions, equiv};
use crate::ir::{Module, PrimFunc};
use crate::padding::{cache_read, cache_write};

const HEAD: &str = "@T.prim_func(s_tir=True)\n\
                    def main(A: T.Buffer((32, 32), \"float16\"), B: T.Buffer((32, 32), \"float16\"), C: T.Buffer((32, 32), \"float16\"), n: T.int32):\n    \
                    T.func_attr({\"tirx.noalias\": True})\n";

fn program(body: &str) -> Module {
    let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
    crate::parse(&format!("{HEAD}{body}")).unwrap_or_else(|e| panic!("{e}\n{body}"))
}

/// The text of what a pass makes, which does the same.
#[track_caller]
fn made(body: &str, pass: impl Fn(&mut PrimFunc) -> Result<(), Error>) -> String {
    let (before, mut module) = (program(body), program(body));
    pass(&mut module.funcs[0]).unwrap();
    crate::verify::verify(&module).unwrap();
    let text = module.to_string();
    let options = crate::fuzz::compare_options(&before, 1);
    let options =
        EquivOptions { runs: 3, max_steps: 10_000_000, no_new_loads: false, accessed_only: false, ..options };
    let result = equiv(&before, &module, &options).unwrap();
    assert!(result.difference.is_none() && result.compared == 3, "{result:?}\n{text}");
    text
}

#[track_caller]
fn refused(body: &str, pass: impl Fn(&mut PrimFunc) -> Result<(), Error>, why: &str) {
    let mut module = program(body);
    let error = pass(&mut module.funcs[0]).expect_err("it is refused").to_string();
    assert!(error.contains(why), "{error}");
    assert_eq!(module.to_string(), program(body).to_string(), "nothing is changed");
}

fn read_a(func: &mut PrimFunc) -> Result<(), Error> {
    cache_read(func, "A", None, Some("plain"), false)
}

/// A block that reads all of `A`, and two that read it through pointers, in tiles that they make fragments in `B` and `C` of.
fn opaque() -> String {
    let tile = |of: &str| format!("{of}[vi * 16:vi * 16 + 16, vj * 16:vj * 16 + 16]");
    let (a, b, c) = (tile("A"), tile("B"), tile("C"));
    format!(
        r#"D = T.sblock_alloc_buffer((32, 32), "float16")
for i, j in T.grid(32, 32):
    with T.sblock("plain"):
        vi, vj = T.axis.remap("SS", [i, j])
        D[vi, vj] = A[vi, vj]
for i, j in T.grid(2, 2):
    with T.sblock("load"):
        vi, vj = T.axis.remap("SS", [i, j])
        T.reads({a})
        T.writes({b})
        T.tvm_load_matrix_sync(B.data, 16, 16, 16, vi * 2 + vj, T.tvm_access_ptr(T.type_annotation("float16"), A.data, vi * 512 + vj * 16, 16, 1), 32, "row_major")
for i, j in T.grid(2, 2):
    with T.sblock("region"):
        vi, vj = T.axis.remap("SS", [i, j])
        T.reads({a})
        T.writes({c})
        A0 = T.match_buffer({a}, (16, 16), "float16", strides=[32, 1], offset_factor=1)
        C0 = T.match_buffer({c}, (16, 16), "float16", strides=[32, 1], offset_factor=1)
        T.tvm_load_matrix_sync(C0.data, 16, 16, 16, vi * 2 + vj, T.tvm_access_ptr(T.type_annotation("float16"), A0.data, A0.elem_offset, A0.strides[0], 1), 32, "col_major")"#
    )
}

#[test]
fn what_reads_through_pointers_reads_the_copy() {
    let text = made(&opaque(), read_a);
    let left = text.matches("A.data").count() + text.matches("match_buffer(A[").count();
    assert_eq!(left, 0, "{text}");
    assert!(
        text.contains("A_cache.data, vi * 512 + vj * 16") && text.contains("match_buffer(A_cache["),
        "{text}"
    );
    // A copy in another scope has views in it.
    let shared = made(&opaque(), |func| cache_read(func, "A", Some("shared"), Some("plain"), false));
    assert!(
        shared.contains("offset_factor=1, scope=\"shared\")") || shared.contains("scope=\"shared\", "),
        "{shared}"
    );
    // The whole buffer is read by pointers alone.
    let alone = opaque().replace("D[vi, vj] = A[vi, vj]", "D[vi, vj] = B[vi, vj]");
    made(&alone, |func| cache_read(func, "A", None, Some("load"), false));
    made(&alone, |func| cache_read(func, "A", None, None, false));
    // The elements between the rows of a matrix are some of the buffer's, whatever its rows are.
    let wide = opaque().replace("vi * 512 + vj * 16, 16, 1), 32", "vi * 16 + vj * 32, 16, 1), 48");
    made(&wide, read_a);
    let element = "T.tvm_access_ptr(T.type_annotation(\"float16\"), A.data, vi * 512 + vj * 16, 16, 1)";
    let text = made(&opaque().replace(element, "T.address_of(A[vi * 16, vj * 16])"), read_a);
    assert!(text.contains("T.address_of(A_cache[vi * 16, vj * 16])"), "{text}");
}

#[test]
fn what_writes_through_pointers_writes_the_copy() {
    for (buffer, block) in [("B", "load"), ("C", "region")] {
        let text = made(&opaque(), |func| cache_write(func, buffer, None, Some(block), false));
        assert!(
            text.contains(&format!("{buffer}_cache")) && !text.contains(&format!(" = {buffer}[v")),
            "{text}"
        );
        assert!(!text.contains(&format!("{buffer}.data")), "{text}");
    }
    // Not all fragments are loaded: what is there before is copied in, if that may be read.
    let some = opaque().replace(
        "vi * 2 + vj, T.tvm_access_ptr(T.type_annotation(\"float16\"), A.data",
        "vi, T.tvm_access_ptr(T.type_annotation(\"float16\"), A.data",
    );
    let write = |func: &mut PrimFunc| cache_write(func, "B", None, Some("load"), false);
    refused(&some, write, "not all elements of `B`");
    let text = made(&some, |func| cache_write(func, "B", None, Some("load"), true));
    assert!(text.contains("B_cache[v0, v1] = B[v0, v1]"), "{text}");
}

/// A product of matrices, tile by tile, whose result is stored with this layout and call argument.
fn product(layout: &str, mask: &str) -> String {
    format!(
        r#"for i, j in T.grid(2, 2):
    with T.sblock("product"):
        vi, vj = T.axis.remap("SS", [i, j])
        X = T.sblock_alloc_buffer((256,), "float16", scope="wmma.matrix_a")
        Y = T.sblock_alloc_buffer((256,), "float16", scope="wmma.matrix_b")
        Z = T.sblock_alloc_buffer((256,), "float16", scope="wmma.accumulator")
        T.tvm_fill_fragment(Z.data, 16, 16, 16, 0, T.float32(0.0))
        for k in range(2):
            T.tvm_load_matrix_sync(X.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), A.data, vi * 512 + k * 16, 16, 1), 32, "row_major")
            T.tvm_load_matrix_sync(Y.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), B.data, k * 512 + vj * 16, 16, 1), 32, "row_major")
            T.tvm_mma_sync(Z.data, 0, X.data, 0, Y.data, 0, Z.data, 0)
        T.tvm_store_matrix_sync(Z.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), C.data, vi * 512 + vj * 16, 16, {mask}), 32, "{layout}")"#
    )
}

#[test]
fn operands_and_results_of_products_have_copies() {
    for layout in ["row_major", "col_major"] {
        let body = product(layout, "2");
        let text = made(&body, |func| cache_write(func, "C", None, Some("product"), false));
        assert!(text.contains("C[v0, v1] = C_cache[v0, v1]") && !text.contains("= C["), "{text}");
        made(&body, |func| cache_read(func, "A", Some("shared.dyn"), Some("product"), false));
        made(&body, |func| cache_read(func, "B", None, None, false));
    }
    let of_fragments = |func: &mut PrimFunc| cache_write(func, "Z", Some("wmma.accumulator"), None, false);
    refused(&product("row_major", "2"), of_fragments, "`Z` holds fragments");
    let in_registers = |func: &mut PrimFunc| cache_write(func, "C", Some("local"), Some("product"), false);
    refused(&product("row_major", "2"), in_registers, "memory of scope `local`");
}

#[test]
fn masks_of_pointers_have_to_say_what_is_done() {
    let write = |func: &mut PrimFunc| cache_write(func, "C", None, Some("product"), false);
    refused(&product("row_major", "1"), write, "something else than that what gets it only writes");
    refused(&product("row_major", "3"), write, "something else than that what gets it only writes");
    for mask in ["2", "3", "n"] {
        let body = opaque().replace("vj * 16, 16, 1)", &format!("vj * 16, 16, {mask})"));
        refused(&body, read_a, "something else than that what gets it only reads");
    }
}

#[test]
fn pointers_of_which_not_all_is_known_leave_no_copy() {
    let changed = |from: &str, to: &str| {
        let body = opaque().replace(from, to);
        assert_ne!(body, opaque(), "{from}");
        body
    };
    // The last matrix ends behind the buffer, or may.
    let outside = "a matrix was not shown to lie within `A`";
    refused(&changed("vi * 512 + vj * 16, 16", "vi * 512 + vj * 16 + 1, 16"), read_a, outside);
    refused(&changed("vi * 512 + vj * 16, 16", "vi * 512 + vj * 16 - 1, 16"), read_a, outside);
    refused(&changed("vi * 512 + vj * 16, 16", "vi * 512 + n, 16"), read_a, outside);
    refused(&changed(", 32, \"row_major\"", ", 33, \"row_major\""), read_a, outside);
    refused(&changed(", 32, \"row_major\"", ", n, \"row_major\""), read_a, "the stride of a matrix");
    refused(&changed(", 32, \"row_major\"", ", 8, \"row_major\""), read_a, "the stride of a matrix");
    refused(
        &changed(
            "A[vi * 16:vi * 16 + 16, vj * 16:vj * 16 + 16], (16",
            "A[vi * 16 + 1:vi * 16 + 17, vj * 16:vj * 16 + 16], (16",
        ),
        read_a,
        outside,
    );
    let fragments = |func: &mut PrimFunc| cache_write(func, "B", None, Some("load"), true);
    refused(&changed("vi * 2 + vj", "vi * 2 + vj + 1"), fragments, "was not shown to lie within `B`");
    // Of other types, or of a shape that is not known.
    refused(
        &changed("T.type_annotation(\"float16\"), A.data", "T.type_annotation(\"float32\"), A.data"),
        read_a,
        "elements of the fragment's type",
    );
    // Others that get a pointer may do anything with it.
    let call = "\nT.evaluate(T.call_extern(\"int32\", \"f\", A.data))";
    refused(&(opaque() + call), read_a, "a pointer is made to the memory of `A`");
    let number = "T.call_extern(\"int32\", \"f\", A.data)";
    let fill = format!("\nT.tvm_fill_fragment(B.data, 16, 16, 16, 0, {number})");
    refused(&(opaque() + &fill), read_a, "a pointer is made to the memory of `A`");
    refused(
        &changed("vj * 16, 16, 1)", &format!("vj * 16, {number}, 1)")),
        read_a,
        "it is not known where in `A`",
    );
    let made_before = format!("p: T.handle(\"float16\") = A.data\n{}", opaque());
    refused(&made_before, read_a, "a pointer is made to the memory of `A`");
    let call = "\n        T.evaluate(T.call_extern(\"int32\", \"f\", A0.data))";
    refused(&(opaque() + call), read_a, "`A0` is a view of `A`");
    refused(&(opaque() + "\n        C[0, 0] = A0[0, 0]"), read_a, "`A0` is a view of `A`");
    // What is read is written as well.
    let written = "\nT.tvm_fill_fragment(A.data, 16, 16, 16, 0, T.float16(0.0))\nB[0, 0] = A[0, 0]";
    refused(&(opaque() + written), |func| cache_read(func, "A", None, None, true), "is written between");
}

#[test]
fn views_of_the_original_stay_views_of_it() {
    let body = r#"with T.sblock("outer"):
    C0 = T.match_buffer(C[0:16, 0:16], (16, 16), "float16", strides=[32, 1], offset_factor=1)
    for i in range(4):
        with T.sblock("load"):
            vi = T.axis.spatial(4, i)
            T.tvm_load_matrix_sync(C0.data, 16, 16, 16, vi, A.data, 32, "row_major")
    for i, j in T.grid(32, 32):
        with T.sblock("use"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = C[vi, vj]"#;
    let write = |func: &mut PrimFunc| cache_write(func, "C", None, Some("load"), true);
    refused(body, write, "a view of `C` is matched outside");
    made(body, |func| cache_read(func, "A", None, Some("load"), true));
}

#[test]
fn tiles_that_are_written_at_once_have_no_copy_of_all() {
    let body = |kind: &str| {
        format!(
            r#"for i in {kind}:
    with T.sblock("outer"):
        vi = T.axis.spatial(2, i)
        for j in range(1):
            with T.sblock("load"):
                T.tvm_load_matrix_sync(B.data, 16, 16, 16, vi, A.data, 32, "row_major")
        for j in range(1):
            with T.sblock("use"):
                C[vi, 0] = A[vi, 0]"#
        )
    };
    let write = |func: &mut PrimFunc| cache_write(func, "B", None, Some("load"), true);
    made(&body("range(2)"), write);
    refused(&body("T.parallel(2)"), write, "written elsewhere meanwhile");
    let blocks = body("T.thread_binding(2, thread=\"blockIdx.x\")");
    refused(&blocks, write, "written elsewhere meanwhile");
    made(&body("T.parallel(2)"), |func| cache_read(func, "A", None, Some("load"), true));
}

#[test]
fn a_warp_reaches_one_copy() {
    let body = r#"for t in T.thread_binding(32, thread="threadIdx.x"):
    with T.sblock("warp"):
        vt = T.axis.spatial(32, t)
        Z = T.sblock_alloc_buffer((256,), "float16", scope="wmma.accumulator")
        for i in range(1):
            with T.sblock("load"):
                T.tvm_load_matrix_sync(Z.data, 16, 16, 16, 0, A.data, 32, "row_major")
        for i in range(1):
            with T.sblock("store"):
                T.tvm_store_matrix_sync(Z.data, 16, 16, 16, 0, C.data, 32, "row_major")"#;
    let read = |scope| move |func: &mut PrimFunc| cache_read(func, "A", Some(scope), Some("load"), true);
    refused(body, read("global"), "a warp reaches it by one pointer");
    made(body, read("shared"));
    made(body, |func| cache_read(func, "A", None, None, true));
}
