//! What the passes make of small programs, and where they refuse.

mod pointers;

use super::*;
use crate::ir::Module;

const HEAD: &str = "@T.prim_func(s_tir=True)\ndef main(A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"int32\"), n: T.int32):\n    T.func_attr({\"tirx.noalias\": True})\n";

fn program(body: &str) -> Module {
    let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
    crate::parse(&format!("{HEAD}{body}")).unwrap_or_else(|e| panic!("{e}"))
}

#[track_caller]
fn check(
    before: &str,
    pass: impl Fn(&mut crate::ir::PrimFunc) -> Result<(), crate::error::Error>,
    after: &str,
) {
    let mut module = program(before);
    pass(&mut module.funcs[0]).unwrap();
    crate::verify::verify(&module).unwrap();
    assert_eq!(module.to_string(), program(after).to_string());
}

#[track_caller]
fn refused(
    before: &str,
    pass: impl Fn(&mut crate::ir::PrimFunc) -> Result<(), crate::error::Error>,
    why: &str,
) {
    let mut module = program(before);
    let error = pass(&mut module.funcs[0]).expect_err("it is refused").to_string();
    assert!(error.contains(why), "{error}");
    assert_eq!(module.to_string(), program(before).to_string(), "nothing is changed");
}

#[test]
fn assumptions_go_with_what_holds_nothing_else() {
    let assume = |func: &mut crate::ir::PrimFunc| {
        remove_assume(func);
        Ok(())
    };
    check("for i in range(16):\n    if i < n:\n        T.assume(A[i] == 0)\nA[0] = 1", assume, "A[0] = 1");
    check("T.assume(n > 3)", assume, "T.evaluate(0)");
    check("if n < 4:\n    T.assume(A[0] == 0)\nelse:\n    A[1] = 2", assume, "if n >= 4:\n    A[1] = 2");
    check(
        "T.assume(T.call_extern(\"int32\", \"f\", 1) == 1)\nA[0] = 1",
        assume,
        "T.evaluate(T.call_extern(\"int32\", \"f\", 1) == 1)\nA[0] = 1",
    );
}

#[test]
fn of_a_choice_with_undef_the_other_arm_stays() {
    let undef = |func: &mut crate::ir::PrimFunc| remove_undef(func).map(|_| ());
    check(
        "for i in range(16):\n    B[i] = T.if_then_else(i >= 14, T.undef(), A[i])",
        undef,
        "for i in range(16):\n    if i < 14:\n        B[i] = A[i]",
    );
    check("for i in range(16):\n    B[i] = T.undef()\nA[0] = 1", undef, "A[0] = 1");
    check("if n < 4:\n    B[0] = T.undef()\nelse:\n    B[0] = n", undef, "if n >= 4:\n    B[0] = n");
    check("B[0] = T.undef() * 0", undef, "B[0] = 0 * 0");
    check("for i in range(16):\n    T.assume(i < 3 or A[i] == T.undef())\nB[0] = 1", undef, "B[0] = 1");
    refused("if T.undef() < 3:\n    B[0] = 1", undef, "a condition depends on `T.undef()`");
    refused("u: T.let[T.int32] = T.undef()\nB[u] = 1", undef, "an index depends on `T.undef()`");
}

fn layout(
    buffer: &str,
    map: &str,
    pad: Option<&str>,
) -> impl Fn(&mut crate::ir::PrimFunc) -> Result<(), crate::error::Error> {
    let (buffer, map, pad) = (buffer.to_owned(), map.to_owned(), pad.map(str::to_owned));
    move |func| {
        let change = LayoutChange { map: &map, pad: pad.as_deref(), elide: false };
        transform_layout(func, &buffer, &change).map(drop)
    }
}

#[test]
fn layouts_that_make_no_sense_are_refused() {
    let body = "for i in range(16):\n    A[i] = i";
    refused(body, layout("C", "lambda i: [i]", None), "has no buffer `C`");
    refused(body, layout("A", "lambda i, j: [i, j]", None), "has 2 parameters");
    refused(body, layout("A", "lambda i: [i // 2]", None), "elements 0 and 1 of `A` would both be at [0]");
    refused(body, layout("A", "lambda i: [i - 1]", None), "element 0 of `A` would be at [-1]");
    refused(body, layout("A", "lambda i: [i + B[0]]", None), "reads a buffer");
    refused(body, layout("A", "lambda i: [i + m]", None), "`m`");
    refused(body, layout("A", "lambda i: [i // 3, i % 3]", Some("0.5")), "float32");
    refused(body, layout("A", "lambda i: [i // 3, i % 3]", Some("lambda a, b: B[a]")), "may only read `A`");
    let address = "T.evaluate(T.call_extern(\"int32\", \"f\", T.address_of(A[0])))";
    refused(address, layout("A", "lambda i: [i // 4, i % 4]", None), "the address is taken");
    let pointer = "T.evaluate(T.call_extern(\"int32\", \"f\", A.data))";
    refused(pointer, layout("A", "lambda i: [i // 4, i % 4]", None), "a pointer is made");
    let region = "\
with T.sblock(\"one\"):
    A[0] = 3
    B0 = T.match_buffer(B[A[0]:A[0] + 4], (4,), \"int32\", offset_factor=1)
    B0[0] = 1";
    refused(region, layout("A", "lambda i: [15 - i]", None), "where other memory lies depends on `A`");
    let view = "V = T.decl_buffer((4,), \"int32\", data=B.data, elem_offset=A[0])\nV[0] = 1";
    refused(view, layout("A", "lambda i: [15 - i]", None), "where other memory lies depends on `A`");
}

#[test]
fn symbolic_tiles_get_their_shape_and_padding() {
    let text = "@T.prim_func(s_tir=True)\ndef main(n: T.int32, A: T.Buffer((n,), \"int32\")):\n    for i in range(n):\n        A[i] = i\n";
    let mut module = crate::parse(text).unwrap();
    let change = LayoutChange { map: "lambda i: [i // 8, i % 8]", pad: Some("7"), elide: false };
    transform_layout(&mut module.funcs[0], "A", &change).unwrap();
    crate::verify::verify(&module).unwrap();
    let text = module.to_string();
    assert!(text.contains("(n - 1) // 8 + 1, 8") && text.contains(">= n"), "{text}");
}

#[test]
fn rows_of_symbolic_length_are_joined() {
    let text = "@T.prim_func(s_tir=True)\ndef main(n: T.int64, A: T.Buffer((1, 32, n), \"int32\")):\n    for i, j in T.grid(32, n):\n        A[0, i, j] = 1\n";
    let mut module = crate::parse(text).unwrap();
    let change =
        LayoutChange { map: "lambda x, y, z: [x * 32 * n + y * n + z]", pad: Some("7"), elide: false };
    transform_layout(&mut module.funcs[0], "A", &change).unwrap();
    crate::verify::verify(&module).unwrap();
    let text = module.to_string();
    assert!(text.contains("A: T.Buffer((n * T.int64(32),), \"int32\")"), "{text}");
    assert!(!text.contains("= 7"), "there is no padding: {text}");
}

#[test]
fn copies_are_of_what_may_be_read() {
    let read = |func: &mut crate::ir::PrimFunc| cache_read(func, "A", None, None, false);
    refused("for i in range(14):\n    B[i] = A[i]", read, "would read elements of `A`");
    refused("for i in range(16):\n    A[i] = A[i] + 1", read, "written between its first and its last read");
    let write = |func: &mut crate::ir::PrimFunc| cache_write(func, "B", None, None, false);
    refused("for i in range(14):\n    B[i] = A[i]", write, "not all elements of `B`");
    // A sum is read only after it was set.
    check(
        "for i in range(16):\n    B[i] = 0\n    for j in range(16):\n        B[i] = B[i] + A[j]",
        write,
        "B_cache = T.alloc_buffer((16,), \"int32\")\nfor i in range(16):\n    B_cache[i] = 0\n    for j in range(16):\n        B_cache[i] = B_cache[i] + A[j]\nfor i0 in range(16):\n    B[i0] = B_cache[i0]",
    );
}

const TILES: &str = "\
for i in range(4):
    with T.sblock(\"tile\"):
        vi = T.axis.spatial(4, i)
        for j in range(4):
            with T.sblock(\"one\"):
                vj = T.axis.spatial(4, j)
                B[vi * 4 + vj] = A[vi * 4 + vj] + 1";

#[test]
fn copies_for_a_block_are_of_what_it_accesses() {
    let read = |func: &mut crate::ir::PrimFunc| cache_read(func, "A", Some("local"), Some("one"), false);
    check(
        TILES,
        read,
        "\
for i in range(4):
    with T.sblock(\"tile\"):
        vi = T.axis.spatial(4, i)
        A_local = T.sblock_alloc_buffer((4,), \"int32\", scope=\"local\")
        for i0 in range(4):
            with T.sblock(\"A_local_copy\"):
                v0 = T.axis.spatial(4, i0)
                A_local[v0] = A[vi * 4 + v0]
        for j in range(4):
            with T.sblock(\"one\"):
                vj = T.axis.spatial(4, j)
                B[vi * 4 + vj] = A_local[vj] + 1",
    );
    let write = |func: &mut crate::ir::PrimFunc| cache_write(func, "B", None, Some("one"), false);
    check(
        TILES,
        write,
        "\
for i in range(4):
    with T.sblock(\"tile\"):
        vi = T.axis.spatial(4, i)
        B_cache = T.sblock_alloc_buffer((4,), \"int32\")
        for j in range(4):
            with T.sblock(\"one\"):
                vj = T.axis.spatial(4, j)
                B_cache[vj] = A[vi * 4 + vj] + 1
        for i0 in range(4):
            with T.sblock(\"B_copy\"):
                v0 = T.axis.spatial(4, i0)
                B[vi * 4 + v0] = B_cache[v0]",
    );
    let strange = |func: &mut crate::ir::PrimFunc| cache_read(func, "A", None, Some("two"), false);
    refused(TILES, strange, "there is no block `two`");
    let mut module = program(TILES);
    let error = cache_read(&mut module.funcs[0], "A", Some("lokal"), None, false).unwrap_err();
    assert!(error.to_string().contains("there is no storage scope `lokal`"), "{error}");
}

#[test]
fn conditions_bound_what_is_copied() {
    let where_ = "\
for i in range(16):
    with T.sblock(\"one\"):
        vi = T.axis.spatial(16, i)
        T.where(i < 10)
        B[vi] = A[vi]";
    let read = |func: &mut crate::ir::PrimFunc| cache_read(func, "A", None, Some("one"), false);
    let mut module = program(where_);
    read(&mut module.funcs[0]).unwrap();
    let text = module.to_string();
    assert!(text.contains("A_cache = T.sblock_alloc_buffer((10,), \"int32\")"), "{text}");
    // Of every second element it is not known that the others may be read.
    refused(&where_.replace("A[vi]", "A[vi // 2 * 2]"), read, "the copy would read elements of `A`");
}

#[test]
fn a_block_beside_what_it_reads_is_copied_to_in_between() {
    let body = "\
for i in range(4):
    for j in range(4):
        with T.sblock(\"make\"):
            vi = T.axis.spatial(16, i * 4 + j)
            A[vi] = 1
    for j in range(4):
        with T.sblock(\"use\"):
            vi = T.axis.spatial(16, i * 4 + j)
            B[vi] = A[vi] + 1";
    let mut module = program(body);
    cache_read(&mut module.funcs[0], "A", None, Some("use"), false).unwrap();
    let text = module.to_string();
    // Its place is run four times within the function: the elements keep their indices.
    assert!(text.contains("A_cache = T.sblock_alloc_buffer((16,), \"int32\")"), "{text}");
    assert!(text.contains("v0 = T.axis.spatial(16, i * 4 + i0)"), "{text}");
    assert!(text.contains("A_cache[v0] = A[v0]") && text.contains("B[vi] = A_cache[vi] + 1"), "{text}");
}

#[test]
fn what_iterations_write_at_once_is_not_copied_back_by_each() {
    let body = |kind: &str| {
        format!(
            "\
for i in {kind}(8):
    with T.sblock(\"outer\"):
        vi = T.axis.spatial(8, i)
        for j in range(1):
            with T.sblock(\"one\"):
                B[vi] = A[vi]
                B[15 - vi] = A[vi]
        for j in range(1):
            with T.sblock(\"two\"):
                A[vi] = 3"
        )
    };
    let write = |func: &mut crate::ir::PrimFunc| cache_write(func, "B", None, Some("one"), true);
    check_runs(&body("range"), write);
    refused(&body("T.parallel"), write, "written elsewhere meanwhile");
    let own = |kind: &str| body(kind).replace("                B[15 - vi] = A[vi]\n", "");
    check_runs(&own("T.parallel"), write);
}

#[test]
fn a_reduction_is_copied_in_if_it_may_begin_without_its_start() {
    let sum = "\
for i, k in T.grid(16, 4):
    with T.sblock(\"sum\"):
        vi = T.axis.spatial(16, i)
        vk = T.axis.reduce(4, k)
        with T.init():
            B[vi] = 0
        B[vi] = B[vi] + A[vk]";
    let made = |body: &str| {
        let mut module = program(body);
        cache_write(&mut module.funcs[0], "B", None, Some("sum"), false).unwrap();
        crate::verify::verify(&module).unwrap();
        module.to_string()
    };
    assert!(!made(sum).contains("= B[v0]"), "nothing is read before it is set");
    // The axis does not begin where its loop does, or the loop runs in any order.
    let later = sum.replace("for i, k in T.grid(16, 4):", "for i in range(16):\n  for k in range(1, 4):");
    assert!(made(&later).contains("B_cache[v0] = B[v0]"), "{}", made(&later));
    let parallel =
        sum.replace("for i, k in T.grid(16, 4):", "for i in range(16):\n  for k in T.parallel(4):");
    assert!(made(&parallel).contains("B_cache[v0] = B[v0]"));
}

#[test]
fn iterations_that_depend_on_each_other_keep_their_order() {
    let of_a =
        |func: &mut crate::ir::PrimFunc| sequential_access(func, "A", &Sequential::default()).map(|_| ());
    // Backwards: the elements are reached in the opposite order.
    refused("for i in range(16):\n    B[0] = A[15 - i]", of_a, "change their order");
    refused(
        "for i in range(15):\n    B[i] = A[i] + A[i + 1]",
        of_a,
        "the loops access both `A[i]` and `A[i + 1]`",
    );
    refused("for i in range(16):\n    B[i] = A[i // 2]", of_a, "could not be solved");
    check(
        "for i in range(14):\n    B[i] = A[i + 2]",
        of_a,
        "for i0 in range(16):\n    if 0 <= i0 - 2:\n        B[i0 - 2] = A[i0]",
    );
}

/// A loop that is not solved for stays around what is split off as well as around the core, with what its bindings compute.
#[test]
fn what_is_split_off_has_loops_of_its_own() {
    check(
        "for r in range(1):\n    s: T.let[T.int32] = n + r\n    B[0] = s\n    for i in range(4):\n        B[r + 1] = s * i\n        \
         for j in range(4):\n            A[j * 4 + i] = s",
        |func| sequential_access(func, "A", &Sequential::default()).map(|_| ()),
        "for r in range(1):\n    B[0] = n + r\nfor r, i in T.grid(1, 4):\n    B[r + 1] = (n + r) * i\n\
         for i0, r in T.grid(16, 1):\n    A[i0] = n + r",
    );
}

/// As [`refused`], for functions of which nothing says that parameters are different memory.
#[track_caller]
fn refused_without_noalias(
    before: &str,
    pass: impl Fn(&mut crate::ir::PrimFunc) -> Result<(), crate::error::Error>,
    why: Option<&str>,
) {
    let mut module = program(before);
    module.funcs[0].attrs.retain(|(key, _)| !key.ends_with("noalias"));
    let text = module.to_string();
    let done = pass(&mut module.funcs[0]);
    match why {
        Some(why) => {
            let error = done.expect_err("it is refused").to_string();
            assert!(error.contains(why), "{error}");
            assert_eq!(module.to_string(), text, "nothing is changed");
        }
        None => done.unwrap_or_else(|error| panic!("{error}")),
    }
}

#[test]
fn what_may_be_other_memory_keeps_its_layout_and_has_no_copy() {
    let tiles = || layout("A", "lambda i: [i // 4, i % 4]", None);
    let why = Some("`B` may be the memory of `A`, as nothing says otherwise");
    let copy = "for i in range(16):\n    B[i] = A[i]";
    refused_without_noalias(copy, tiles(), why);
    refused_without_noalias("for i in range(16):\n    A[i] = B[i]", tiles(), why);
    refused_without_noalias("A[0] = 1\nT.evaluate(T.call_extern(\"int32\", \"f\", B.data))", tiles(), why);
    refused_without_noalias(copy, |func| cache_read(func, "A", None, None, false), why);
    // Where what is read may just have been written elsewhere.
    let back = Some("`A` may be the memory of `B`, as nothing says otherwise");
    refused_without_noalias(copy, |func| cache_write(func, "B", None, None, false), back);
    // Nobody writes, or nobody accesses the other one.
    let reads = "C = T.alloc_buffer((16,), \"int32\")\nfor i in range(16):\n    C[i] = A[i] + B[i]";
    refused_without_noalias(reads, tiles(), None);
    refused_without_noalias("for i in range(16):\n    A[i] = i", tiles(), None);
}

#[test]
fn loops_over_what_may_be_one_memory_keep_their_order() {
    let body = "for i in range(4):\n    for j in range(4):\n        A[j * 4 + i] = B[i * 4 + j]";
    let sequential =
        |func: &mut crate::ir::PrimFunc| sequential_access(func, "A", &Sequential::default()).map(|_| ());
    check_runs(body, sequential);
    refused_without_noalias(body, sequential, Some("order"));
}

/// The pass does something.
#[track_caller]
fn check_runs(before: &str, pass: impl Fn(&mut crate::ir::PrimFunc) -> Result<(), crate::error::Error>) {
    let mut module = program(before);
    pass(&mut module.funcs[0]).unwrap();
    assert_ne!(module.to_string(), program(before).to_string());
}
