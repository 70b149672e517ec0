//! What the messages say.

use expect_test::{Expect, expect};

use super::function;

#[track_caller]
fn file(text: &str, expected: Expect) {
    let error = satir::script::parse("test.py", text).expect_err("this should not parse");
    expected.assert_eq(&error.to_string());
}

/// The message about a statement in a function; the function's head is two lines.
#[track_caller]
fn check(statements: &str, expected: Expect) {
    file(&function(statements), expected);
}

#[test]
fn syntax_of_lines() {
    file(
        "@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(n\n    T.evaluate(n)\n",
        expect![[r#"
        test.py:4:5: error: expected `,` or `)`, found `T`
        4 |     T.evaluate(n)
          |     ^"#]],
    );
    file(
        "@T.prim_func\ndef f(n: T.int32)\n    T.evaluate(n)\n",
        expect![[r#"
            test.py:2:18: error: expected `:`, found the end of the line
            2 | def f(n: T.int32)
              |                  ^"#]],
    );
    file(
        "@T.prim_func\ndef f(n: T.int32):\nT.evaluate(n)\n",
        expect![[r#"
        test.py:3:1: error: expected an indented block, found `T`
        3 | T.evaluate(n)
          | ^"#]],
    );
    file(
        "@T.prim_func\ndef f(n: T.int32):\n    if n < 3:\n        T.evaluate(n)\n      T.evaluate(n)\n",
        expect![[r#"
            test.py:5:7: error: this indentation matches no outer block
            5 |       T.evaluate(n)
              |       ^"#]],
    );
    file(
        "@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(n)\n        T.evaluate(n)\n",
        expect![[r#"
            test.py:4:9: error: expected a statement, found more indentation
            4 |         T.evaluate(n)
              |         ^"#]],
    );
    file(
        "@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(\"abc)\n",
        expect![[r#"
        test.py:3:16: error: unterminated string
        3 |     T.evaluate("abc)
          |                ^"#]],
    );
    file(
        "@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(n))\n",
        expect![[r#"
        test.py:3:18: error: unmatched `)`
        3 |     T.evaluate(n))
          |                  ^"#]],
    );
    file(
        "@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(n $ 2)\n",
        expect![[r#"
        test.py:3:18: error: unexpected character `$`
        3 |     T.evaluate(n $ 2)
          |                  ^"#]],
    );
    file(
        "@T.prim_func\ndef f(n: T.int32):\n    for i in range(4)\n        T.evaluate(n)\n",
        expect![[r#"
            test.py:3:22: error: expected `:`, found the end of the line
            3 |     for i in range(4)
              |                      ^"#]],
    );
    file(
        "@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(3x)\n",
        expect![[r#"
        test.py:3:16: error: malformed number
        3 |     T.evaluate(3x)
          |                ^"#]],
    );
    file(
        "@T.prim_func\ndef f(n: T.int32):\n    a = b = c\n",
        expect![[r#"
        test.py:3:11: error: expected one assignment, found a chain `a = b = c`
        3 |     a = b = c
          |           ^"#]],
    );
    file(
        "@T.prim_func\ndef f(n: T.int32):\n    try:\n        T.evaluate(n)\n",
        expect![[r#"
        test.py:3:5: error: expected a TVMScript statement, found `try`, which TVMScript does not have
        3 |     try:
          |     ^"#]],
    );
    file(
        "@T.prim_func\ndef f(n: T.int32):\n",
        expect![[r#"
        test.py:3:1: error: expected an indented block, found the end of the text
        3 | 
          | ^"#]],
    );
}

#[test]
fn modules_and_functions() {
    file(
        "",
        expect![[r#"
        test.py:1:1: error: expected a module or a function, found nothing
        1 | 
          | ^"#]],
    );
    file(
        "x = 3\n",
        expect![[r#"
        test.py:1:1: error: expected `name = TypeVar("name")`, a class or a function
        1 | x = 3
          | ^"#]],
    );
    file(
        "def f(n: T.int32):\n    pass\n",
        expect![[r#"
        test.py:1:5: error: expected `@T.prim_func` before function `f`
        1 | def f(n: T.int32):
          |     ^"#]],
    );
    file(
        "@R.function\ndef f(n: T.int32):\n    pass\n",
        expect![[r#"
        test.py:1:2: error: expected `@T.prim_func`, found another decorator
        1 | @R.function
          |  ^"#]],
    );
    file(
        "@T.prim_func(foo=True)\ndef f(n: T.int32):\n    pass\n",
        expect![[r#"
        test.py:1:18: error: `T.prim_func` has no argument `foo`
        1 | @T.prim_func(foo=True)
          |                  ^"#]],
    );
    file(
        "@T.prim_func\ndef f(n):\n    pass\n",
        expect![[r#"
        test.py:2:7: error: expected a type for parameter `n`
        2 | def f(n):
          |       ^"#]],
    );
    file(
        "@T.prim_func\ndef f(n: 3):\n    pass\n",
        expect![[r#"
        test.py:2:10: error: expected a type such as `T.int32` or `T.Buffer(…)`, found `3`
        2 | def f(n: 3):
          |          ^"#]],
    );
    file(
        "@T.prim_func\ndef f(n: T.int32, n: T.int32):\n    pass\n",
        expect![[r#"
        test.py:2:19: error: `n` is defined twice
        2 | def f(n: T.int32, n: T.int32):
          |                   ^"#]],
    );
    file(
        "@T.prim_func\ndef f(A: T.Buffer((k, 4), \"float32\")):\n    pass\n",
        expect![[r#"
        test.py:2:20: error: undefined name `k`
        2 | def f(A: T.Buffer((k, 4), "float32")):
          |                    ^"#]],
    );
    file(
        "@T.prim_func\ndef f(A: T.Buffer((4, 4), \"float33\")):\n    pass\n",
        expect![[r#"
        test.py:2:27: error: unknown data type `float33`
        2 | def f(A: T.Buffer((4, 4), "float33")):
          |                           ^"#]],
    );
    file(
        "@T.prim_func\ndef f(A: T.Buffer((4, 4), \"float32\", foo=1)):\n    pass\n",
        expect![[r#"
        test.py:2:42: error: unknown argument `foo`: expected one of shape, dtype, data, strides, elem_offset, byte_offset, scope, align, offset_factor, layout, allocated_addr
        2 | def f(A: T.Buffer((4, 4), "float32", foo=1)):
          |                                          ^"#]],
    );
    file(
        "@T.prim_func\ndef f(A: T.Buffer((4, 4), \"float32\", strides=(1,))):\n    pass\n",
        expect![[r#"
        test.py:2:46: error: expected 2 strides, found 1
        2 | def f(A: T.Buffer((4, 4), "float32", strides=(1,))):
          |                                              ^"#]],
    );
    file(
        "@T.prim_func\ndef f(A: T.Buffer((4.5,), \"float32\")):\n    pass\n",
        expect![[r#"
        test.py:2:20: error: expected an integer, found a value of type `float32`
        2 | def f(A: T.Buffer((4.5,), "float32")):
          |                    ^"#]],
    );
    file(
        "@I.ir_module\nclass M:\n    x = 3\n",
        expect![[r#"
        test.py:3:5: error: expected a function or `I.module_attrs({…})`
        3 |     x = 3
          |     ^"#]],
    );
    file(
        "@I.ir_module\nclass M:\n    @T.prim_func\n    def f():\n        pass\n    @T.prim_func\n    def f():\n        pass\n",
        expect![[r#"
            test.py:7:9: error: function `f` is defined twice
            7 |     def f():
              |         ^"#]],
    );
    file(
        "@T.prim_func\ndef f(A: T.Buffer((\"n\", 4), \"float32\"), n: T.handle):\n    pass\n",
        expect![[r#"
            test.py:2:21: error: expected an integer, found a value of type `handle`
            2 | def f(A: T.Buffer(("n", 4), "float32"), n: T.handle):
              |                     ^"#]],
    );
}

#[test]
fn names() {
    check(
        "T.evaluate(y)",
        expect![[r#"
        test.py:3:16: error: undefined name `y`
        3 |     T.evaluate(y)
          |                ^"#]],
    );
    check(
        "y[0] = n",
        expect![[r#"
        test.py:3:5: error: undefined name `y`
        3 |     y[0] = n
          |     ^"#]],
    );
    check(
        "T.evaluate(T)",
        expect![[r#"
        test.py:3:16: error: expected an expression, found `T`
        3 |     T.evaluate(T)
          |                ^"#]],
    );
    check(
        "for i in range(4):\n    pass\nT.evaluate(i)",
        expect![[r#"
        test.py:5:16: error: undefined name `i`
        5 |     T.evaluate(i)
          |                ^"#]],
    );
    check(
        "T.exp",
        expect![[r#"
        test.py:3:5: error: `T.exp` is not called
        3 |     T.exp
          |     ^"#]],
    );
    check(
        "T.evaluate(A)",
        expect![[r#"
        test.py:3:16: error: expected an expression, found a buffer
        3 |     T.evaluate(A)
          |                ^"#]],
    );
    check(
        "metadata[\"ir.StringImm\"][0]",
        expect![[r#"
        test.py:3:5: error: `metadata[…]` stands for a value that TVM left out of the text
        3 |     metadata["ir.StringImm"][0]
          |     ^"#]],
    );
}

#[test]
fn types() {
    check(
        "T.evaluate(n and b)",
        expect![[r#"
        test.py:3:16: error: expected `bool` operands of `and`, found `int32`
        3 |     T.evaluate(n and b)
          |                ^"#]],
    );
    check(
        "T.evaluate(not n)",
        expect![[r#"
        test.py:3:16: error: expected a `bool` value after `not`, found `int32`
        3 |     T.evaluate(not n)
          |                ^"#]],
    );
    check(
        "if n:\n    pass",
        expect![[r#"
        test.py:3:8: error: expected a `bool` condition, found a value of type `int32`
        3 |     if n:
          |        ^"#]],
    );
    check(
        "while x:\n    pass",
        expect![[r#"
        test.py:3:11: error: expected a `bool` condition, found a value of type `float32`
        3 |     while x:
          |           ^"#]],
    );
    check(
        "T.evaluate(n + p)",
        expect![[r#"
        test.py:3:16: error: expected operands of one type, found `int32` and `handle`
        3 |     T.evaluate(n + p)
          |                ^"#]],
    );
    check(
        "T.evaluate(x // x)",
        expect![[r#"
        test.py:3:16: error: expected integer operands, found `float32` and `float32`
        3 |     T.evaluate(x // x)
          |                ^"#]],
    );
    check(
        "T.evaluate(x % 2)",
        expect![[r#"
        test.py:3:16: error: expected integer operands, found `float32` and `int32`
        3 |     T.evaluate(x % 2)
          |                ^"#]],
    );
    check(
        "T.evaluate(n / m)",
        expect![[r#"
        test.py:3:16: error: expected `//`, `T.truncdiv` or `T.Div` for integers, found `/`
        3 |     T.evaluate(n / m)
          |                ^"#]],
    );
    check(
        "T.evaluate(T.Add(n, q))",
        expect![[r#"
        test.py:3:16: error: expected operands of one type, found `int32` and `int64`
        3 |     T.evaluate(T.Add(n, q))
          |                ^"#]],
    );
    check(
        "T.evaluate(T.Select(n < 3, n, q))",
        expect![[r#"
        test.py:3:16: error: expected arms of one type, found `int32` and `int64`
        3 |     T.evaluate(T.Select(n < 3, n, q))
          |                ^"#]],
    );
    check(
        "T.evaluate(T.Select(n, n, n))",
        expect![[r#"
        test.py:3:25: error: expected a `bool` condition, found `int32`
        3 |     T.evaluate(T.Select(n, n, n))
          |                         ^"#]],
    );
    check(
        "T.evaluate(x & n)",
        expect![[r#"
        test.py:3:16: error: expected integer operands of `T.bitwise_and`, found `float32`
        3 |     T.evaluate(x & n)
          |                ^"#]],
    );
    check(
        "T.evaluate(~x)",
        expect![[r#"
        test.py:3:16: error: expected an integer after `~`, found `float32`
        3 |     T.evaluate(~x)
          |                ^"#]],
    );
    check(
        "T.evaluate(T.Cast(\"int33\", n))",
        expect![[r#"
        test.py:3:23: error: unknown data type `int33`
        3 |     T.evaluate(T.Cast("int33", n))
          |                       ^"#]],
    );
    check(
        "T.evaluate(T.int8(300))",
        expect![[r#"
        test.py:3:16: error: the constant 300 does not fit in `int8`
        3 |     T.evaluate(T.int8(300))
          |                ^"#]],
    );
    check(
        "T.evaluate(T.uint8(-1))",
        expect![[r#"
        test.py:3:16: error: the constant -1 does not fit in `uint8`
        3 |     T.evaluate(T.uint8(-1))
          |                ^"#]],
    );
    check(
        "T.evaluate(T.unknown(n) + 1)",
        expect![[r#"
        test.py:3:16: error: expected a value, found a call whose type is not known (`dtype=…` gives it one)
        3 |     T.evaluate(T.unknown(n) + 1)
          |                ^"#]],
    );
    check(
        "B[0] = p",
        expect![[r#"
        test.py:3:12: error: expected a value of type `int32`, found `handle`
        3 |     B[0] = p
          |            ^"#]],
    );
    check(
        "B[0] = T.Broadcast(1, 4)",
        expect![[r#"
        test.py:3:12: error: expected a value of type `int32`, found `int32x4`
        3 |     B[0] = T.Broadcast(1, 4)
          |            ^"#]],
    );
    check(
        "w: T.let[T.int64] = n",
        expect![[r#"
        test.py:3:25: error: expected a value of type `int64`, found `int32`
        3 |     w: T.let[T.int64] = n
          |                         ^"#]],
    );
    check(
        "w: T.let[T.int32]",
        expect![[r#"
        test.py:3:5: error: expected a value for `w`
        3 |     w: T.let[T.int32]
          |     ^"#]],
    );
    check(
        "T.evaluate(T.Ramp(x, 1, 4))",
        expect![[r#"
        test.py:3:23: error: expected an integer, found a value of type `float32`
        3 |     T.evaluate(T.Ramp(x, 1, 4))
          |                       ^"#]],
    );
    check(
        "T.evaluate(T.Broadcast(T.Broadcast(n, 2), 2))",
        expect![[r#"
        test.py:3:28: error: expected a scalar number, found a value of type `int32x2`
        3 |     T.evaluate(T.Broadcast(T.Broadcast(n, 2), 2))
          |                            ^"#]],
    );
    check(
        "assert n, \"no\"",
        expect![[r#"
        test.py:3:12: error: expected a `bool` condition, found a value of type `int32`
        3 |     assert n, "no"
          |            ^"#]],
    );
    check(
        "T.evaluate(T.Ramp(n, 1, 4) + T.Ramp(n, 1, 8))",
        expect![[r#"
        test.py:3:16: error: expected operands with as many lanes, found `int32x4` and `int32x8`
        3 |     T.evaluate(T.Ramp(n, 1, 4) + T.Ramp(n, 1, 8))
          |                ^"#]],
    );
    check(
        "T.evaluate(n // 0)",
        expect![[r#"
        test.py:3:16: error: division by the constant zero
        3 |     T.evaluate(n // 0)
          |                ^"#]],
    );
    check(
        "T.evaluate(n << 40)",
        expect![[r#"
        test.py:3:16: error: expected a shift amount from 0 to 31, found 40
        3 |     T.evaluate(n << 40)
          |                ^"#]],
    );
    check(
        "T.evaluate(99999999999999999999)",
        expect![[r#"
        test.py:3:16: error: the constant 99999999999999999999 does not fit in `int64`
        3 |     T.evaluate(99999999999999999999)
          |                ^"#]],
    );
    check(
        "T.exp(p)",
        expect![[r#"
        test.py:3:5: error: expected numbers as arguments of `T.exp`, found `handle`
        3 |     T.exp(p)
          |     ^"#]],
    );
    check(
        "T.evaluate(T.if_then_else(n, 1, 2))",
        expect![[r#"
        test.py:3:16: error: expected a `bool` condition, found `int32`
        3 |     T.evaluate(T.if_then_else(n, 1, 2))
          |                ^"#]],
    );
}

#[test]
fn buffers() {
    check(
        "A[0] = x",
        expect![[r#"
            test.py:3:5: error: buffer `A` has 2 dimensions, found indices for 1
            3 |     A[0] = x
              |     ^"#]],
    );
    check(
        "A[0, 0, 0] = x",
        expect![[r#"
            test.py:3:5: error: buffer `A` has 2 dimensions, found indices for 3
            3 |     A[0, 0, 0] = x
              |     ^"#]],
    );
    check(
        "A[x, 0] = x",
        expect![[r#"
        test.py:3:7: error: expected an integer index, found one of type `float32`
        3 |     A[x, 0] = x
          |       ^"#]],
    );
    check(
        "with T.sblock(\"b\"):\n        T.reads(A[0:x, 0])",
        expect![[r#"
            test.py:4:25: error: expected an integer index, found one of type `float32`
            4 |             T.reads(A[0:x, 0])
              |                         ^"#]],
    );
    check(
        "T.evaluate(A[0])",
        expect![[r#"
            test.py:3:16: error: buffer `A` has 2 dimensions, found indices for 1
            3 |     T.evaluate(A[0])
              |                ^"#]],
    );
    check(
        "T.evaluate(n[0])",
        expect![[r#"
        test.py:3:16: error: expected a buffer, found a value of type `int32`
        3 |     T.evaluate(n[0])
          |                ^"#]],
    );
    check(
        "A[T.Ramp(0, 1, 4), 0] = x",
        expect![[r#"
        test.py:3:7: error: only the last index can be a vector
        3 |     A[T.Ramp(0, 1, 4), 0] = x
          |       ^"#]],
    );
    check(
        "B[0:n] = 3",
        expect![[r#"
        test.py:3:7: error: expected a slice of constant length
        3 |     B[0:n] = 3
          |       ^"#]],
    );
    check(
        "B[:4] = 3",
        expect![[r#"
        test.py:3:7: error: expected both ends of the slice
        3 |     B[:4] = 3
          |       ^"#]],
    );
    check(
        "C = T.alloc_buffer()",
        expect![[r#"
        test.py:3:9: error: expected a shape
        3 |     C = T.alloc_buffer()
          |         ^"#]],
    );
    check(
        "C = T.alloc_buffer((4,), \"float32\", foo=3)",
        expect![[r#"
        test.py:3:45: error: unknown argument `foo`: expected one of shape, dtype, data, strides, elem_offset, byte_offset, scope, align, offset_factor, layout, allocated_addr, annotations
        3 |     C = T.alloc_buffer((4,), "float32", foo=3)
          |                                             ^"#]],
    );
    check(
        "C = T.decl_buffer((4,), data=n)",
        expect![[r#"
        test.py:3:34: error: expected a pointer, found a value of type `int32`
        3 |     C = T.decl_buffer((4,), data=n)
          |                                  ^"#]],
    );
    check(
        "C = T.match_buffer(n, (4,))",
        expect![[r#"
        test.py:3:24: error: expected a handle parameter or a region, found `n`
        3 |     C = T.match_buffer(n, (4,))
          |                        ^"#]],
    );
    check(
        "C = T.match_buffer(A[0:4, 0:4], (4, 4))",
        expect![[r#"
        test.py:3:9: error: a match of a buffer region stands outside of a block
        3 |     C = T.match_buffer(A[0:4, 0:4], (4, 4))
          |         ^"#]],
    );
    check(
        "C = A.view(3, layout=None)",
        expect![[r#"
        test.py:3:26: error: argument `layout` of a view is not supported
        3 |     C = A.view(3, layout=None)
          |                          ^"#]],
    );
    check(
        "C = A.permute(1, 0)",
        expect![[r#"
        test.py:3:9: error: method `permute` of a buffer is not supported
        3 |     C = A.permute(1, 0)
          |         ^"#]],
    );
    check(
        "C = T.alloc_buffer((4,), layout=T.TileLayout(3))",
        expect![[r#"
        test.py:3:37: error: expected `None` as layout; other layouts are not supported
        3 |     C = T.alloc_buffer((4,), layout=T.TileLayout(3))
          |                                     ^"#]],
    );
    check(
        "T.evaluate(A.foo)",
        expect![[r#"
        test.py:3:16: error: a buffer has no attribute `foo`
        3 |     T.evaluate(A.foo)
          |                ^"#]],
    );
    check(
        "T.reads(A[0, 0])",
        expect![[r#"
        test.py:3:5: error: `T.reads` stands outside of a block
        3 |     T.reads(A[0, 0])
          |     ^"#]],
    );
}

#[test]
fn statements() {
    check(
        "for i in n:\n    pass",
        expect![[r#"
        test.py:3:14: error: expected a loop such as `range(…)` or `T.grid(…)`, found a value of type `int32`
        3 |     for i in n:
          |              ^"#]],
    );
    check(
        "for i in T.grid(2, 3):\n    pass",
        expect![[r#"
            test.py:3:9: error: expected loop variables for 2 loops, found 1
            3 |     for i in T.grid(2, 3):
              |         ^"#]],
    );
    check(
        "for i, j in range(3):\n    pass",
        expect![[r#"
            test.py:3:9: error: expected loop variables for 1 loops, found 2
            3 |     for i, j in range(3):
              |         ^"#]],
    );
    check(
        "for i in range():\n    pass",
        expect![[r#"
        test.py:3:14: error: a loop takes 1 or 2 bounds, found 0
        3 |     for i in range():
          |              ^"#]],
    );
    check(
        "for i in T.thread_binding(4):\n    pass",
        expect![[r#"
        test.py:3:14: error: expected `thread="…"`
        3 |     for i in T.thread_binding(4):
          |              ^"#]],
    );
    check(
        "for i in range(x):\n    pass",
        expect![[r#"
        test.py:3:20: error: expected an integer, found a value of type `float32`
        3 |     for i in range(x):
          |                    ^"#]],
    );
    check(
        "with n:\n    pass",
        expect![[r#"
        test.py:3:10: error: expected a construct with a body, found a value of type `int32`
        3 |     with n:
          |          ^"#]],
    );
    check(
        "with range(3):\n    pass",
        expect![[r#"
        test.py:3:10: error: expected `for` before a loop, found `with`
        3 |     with range(3):
          |          ^"#]],
    );
    check(
        "T.sblock(\"b\")",
        expect![[r#"
        test.py:3:5: error: expected `with` or `for` before `T.sblock`
        3 |     T.sblock("b")
          |     ^"#]],
    );
    check(
        "with T.init():\n    pass",
        expect![[r#"
        test.py:3:10: error: `T.init` stands directly inside of a block
        3 |     with T.init():
          |          ^"#]],
    );
    check(
        "v = T.axis.spatial(4, n)",
        expect![[r#"
        test.py:3:9: error: `T.axis.spatial` stands outside of a block
        3 |     v = T.axis.spatial(4, n)
          |         ^"#]],
    );
    check(
        "with T.sblock(\"b\"):\n    v = T.axis.remap(\"S\", [n])",
        expect![[r#"
        test.py:4:32: error: expected a loop variable
        4 |         v = T.axis.remap("S", [n])
          |                                ^"#]],
    );
    check(
        "with T.sblock(\"b\"):\n    v = T.axis.remap(\"SS\", [n])",
        expect![[r#"
        test.py:4:32: error: expected 2 loop variables, found 1
        4 |         v = T.axis.remap("SS", [n])
          |                                ^"#]],
    );
    check(
        "n + 1 = 3",
        expect![[r#"
        test.py:3:5: error: expected a name or an element of a buffer before `=`
        3 |     n + 1 = 3
          |     ^"#]],
    );
    check(
        "return",
        expect![[r#"
        test.py:3:5: error: expected a value after `return`
        3 |     return
          |     ^"#]],
    );
    check(
        "assert b",
        expect![[r#"
        test.py:3:12: error: expected a message after the condition of `assert`
        3 |     assert b
          |            ^"#]],
    );
    check(
        "assert b, 3",
        expect![[r#"
        test.py:3:15: error: expected a string or a list of strings as message
        3 |     assert b, 3
          |               ^"#]],
    );
    check(
        "T.launch_thread(4, 4)",
        expect![[r#"
        test.py:3:21: error: expected a thread such as "threadIdx.x", found `4`
        3 |     T.launch_thread(4, 4)
          |                     ^"#]],
    );
    check(
        "T.attr(3)",
        expect![[r#"
        test.py:3:5: error: `T.attr` takes a dictionary, or a node, a key and a value
        3 |     T.attr(3)
          |     ^"#]],
    );
    check(
        "T.func_attr(3)",
        expect![[r#"
        test.py:3:17: error: expected a dictionary
        3 |     T.func_attr(3)
          |                 ^"#]],
    );
    check(
        "T.func_attr({1: 2})",
        expect![[r#"
        test.py:3:18: error: expected a string, found `1`
        3 |     T.func_attr({1: 2})
          |                  ^"#]],
    );
    check(
        "T.func_attr({\"a\": 1, \"a\": 2})",
        expect![[r#"
        test.py:3:26: error: key "a" is given twice
        3 |     T.func_attr({"a": 1, "a": 2})
          |                          ^"#]],
    );
    check(
        "def g():\n    pass",
        expect![[r#"
        test.py:3:5: error: function `g` stands inside of a function
        3 |     def g():
          |     ^"#]],
    );
    check(
        "import os",
        expect![[r#"
        test.py:3:5: error: an import stands inside of a function
        3 |     import os
          |     ^"#]],
    );
    check(
        "T.where(b)",
        expect![[r#"
        test.py:3:5: error: `T.where` stands outside of a block
        3 |     T.where(b)
          |     ^"#]],
    );
    check(
        "T.hint(\"x\")",
        expect![[r#"
        test.py:3:5: error: `T.hint` is not supported
        3 |     T.hint("x")
          |     ^"#]],
    );
    check(
        "x.foo = 3",
        expect![[r#"
        test.py:3:5: error: expected a name or an element of a buffer before `=`
        3 |     x.foo = 3
          |     ^"#]],
    );
    check(
        "n, m = 3",
        expect![[r#"
        test.py:3:12: error: expected several values, found `3`
        3 |     n, m = 3
          |            ^"#]],
    );
}

#[test]
fn calls() {
    check(
        "T.exp()",
        expect![[r#"
        test.py:3:5: error: `T.exp` takes 1 argument, found 0
        3 |     T.exp()
          |     ^"#]],
    );
    check(
        "T.exp(x, x)",
        expect![[r#"
        test.py:3:5: error: `T.exp` takes 1 argument, found 2
        3 |     T.exp(x, x)
          |     ^"#]],
    );
    check(
        "T.min(n)",
        expect![[r#"
            test.py:3:5: error: `T.min` takes 2 arguments, found 1
            3 |     T.min(n)
              |     ^"#]],
    );
    check(
        "T.Let(n)",
        expect![[r#"
        test.py:3:5: error: `T.Let` takes an expression and `where={variable: value}`
        3 |     T.Let(n)
          |     ^"#]],
    );
    check(
        "T.evaluate()",
        expect![[r#"
        test.py:3:5: error: `T.evaluate` takes 1 argument, found 0
        3 |     T.evaluate()
          |     ^"#]],
    );
    check(
        "T.call_extern()",
        expect![[r#"
        test.py:3:5: error: `T.call_extern` takes a data type first
        3 |     T.call_extern()
          |     ^"#]],
    );
    check(
        "T.Shuffle([n], [3])",
        expect![[r#"
        test.py:3:21: error: expected a constant from 0 to 0
        3 |     T.Shuffle([n], [3])
          |                     ^"#]],
    );
    check(
        "T.comm_reducer(n, [1])",
        expect![[r#"
        test.py:3:20: error: expected a lambda
        3 |     T.comm_reducer(n, [1])
          |                    ^"#]],
    );
    check(
        "T.exp(x, foo=3)",
        expect![[r#"
        test.py:3:5: error: `T.exp` has no argument `foo`
        3 |     T.exp(x, foo=3)
          |     ^"#]],
    );
    check(
        "n(3)",
        expect![[r#"
        test.py:3:5: error: expected a function, found a value of type `int32`
        3 |     n(3)
          |     ^"#]],
    );
    check(
        "f(3)",
        expect![[r#"
        test.py:3:5: error: undefined name `f`
        3 |     f(3)
          |     ^"#]],
    );
    check(
        "main(3)",
        expect![[r#"
        test.py:3:5: error: function `main` takes 8 arguments, found 1
        3 |     main(3)
          |     ^"#]],
    );
    check(
        "I.foo(3)",
        expect![[r#"
        test.py:3:5: error: `I.foo` is not supported here
        3 |     I.foo(3)
          |     ^"#]],
    );
    check(
        "T.min(a=n, b=m)",
        expect![[r#"
        test.py:3:13: error: `T.min` has no argument `a`
        3 |     T.min(a=n, b=m)
          |             ^"#]],
    );
    check(
        "T.exp(x x)",
        expect![[r#"
        test.py:3:13: error: expected `,` or `)`, found `x`
        3 |     T.exp(x x)
          |             ^"#]],
    );
    check(
        "T.Ramp(n, 1, n)",
        expect![[r#"
        test.py:3:18: error: expected an integer constant, found a value of type `int32`
        3 |     T.Ramp(n, 1, n)
          |                  ^"#]],
    );
    check(
        "T.Broadcast(n, 1)",
        expect![[r#"
        test.py:3:20: error: expected 2 to 65535 lanes, found 1
        3 |     T.Broadcast(n, 1)
          |                    ^"#]],
    );
    check(
        "T.Cast(\"int32\")",
        expect![[r#"
        test.py:3:5: error: `T.Cast` takes 2 arguments, found 1
        3 |     T.Cast("int32")
          |     ^"#]],
    );
}
