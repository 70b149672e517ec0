"""Layouts with padding, as functions of `satir.tvm`: on what TVM's schedule makes, compiled and run.

    python -m unittest discover -s python/tests
"""

import unittest

import numpy as np
import tvm
from tvm import te, tirx
from tvm.script import from_source

import satir
import satir.tvm


def module_of(text):
    """A module of one function."""
    lines = "".join(f"    {line}\n" for line in text.strip("\n").splitlines())
    return tvm.IRModule({"main": from_source(f"@T.prim_func(s_tir=True)\n{lines.removeprefix('    ')}")})


COPY = """
def main(A: T.Buffer((14,), "float32"), B: T.Buffer((14,), "float32")):
    T.func_attr({"tirx.noalias": True, "global_symbol": "main"})
    for i in range(14):
        B[i] = A[i] * T.float32(2)
"""

SUM = """
def main(A: T.Buffer((14,), "int32"), C: T.Buffer((1,), "int32")):
    T.func_attr({"tirx.noalias": True, "global_symbol": "main"})
    C[0] = 0
    for i in range(16):
        if i < 14:
            C[0] = C[0] + A[i]
"""


def run(module, *arrays):
    """Compiles a module and runs its function on arrays, which hold the results then."""
    built = tvm.compile(module, target="llvm")
    buffers = [tvm.runtime.tensor(array) for array in arrays]
    built["main"](*buffers)
    return [buffer.numpy() for buffer in buffers]


class Padding(unittest.TestCase):
    def test_layouts_as_functions_maps_and_text(self):
        module = module_of(COPY)
        as_map = tirx.IndexMap.from_func(lambda i: [i // 4, i % 4])
        results = [
            satir.tvm.transform_layout(module, "A", layout, pad)
            for layout, pad in [
                (lambda i: [i // 4, i % 4], 0.0),
                (as_map, tirx.const(0.0, "float32")),
                ("lambda i: [i // 4, i % 4]", "0.0"),
                (lambda i: [i // 4, i % 4], lambda io, ii: tirx.const(0.0, "float32")),
                (lambda i: [i // 4, i % 4], lambda *axes: tirx.const(0.0, "float32")),
            ]
        ]
        for result in results[1:]:
            self.assertEqual(results[0].script(), result.script())
        self.assertIn("T.assume", results[0].script())
        values = np.arange(16, dtype="float32").reshape(4, 4)
        bare = satir.tvm.Optimize(passes="remove-assume")(results[0])
        _, made = run(bare, values, np.zeros(14, "float32"))
        np.testing.assert_array_equal(made, values.reshape(-1)[:14] * 2)

    def test_padding_is_written(self):
        module = satir.tvm.transform_layout(module_of(COPY), "B", lambda i: [i // 4, i % 4], -1)
        values = np.arange(14, dtype="float32")
        _, made = run(module, values, np.zeros((4, 4), "float32"))
        np.testing.assert_array_equal(made.reshape(-1), [*(values * 2), -1, -1])

    def test_what_the_schedule_makes_compiles(self):
        # TVM stops at `T.undef()` and leaves the assumptions.
        a = te.placeholder((14,), name="A")
        b = te.compute((14,), lambda i: a[i] * 2, name="B")
        schedule = tvm.s_tir.Schedule(tvm.IRModule({"main": te.create_prim_func([a, b])}))
        undef = lambda *axes: tirx.Cast("float32", tirx.undef())  # noqa: E731
        schedule.transform_layout("B", ("write", 0), lambda i: [i // 4, i % 4], pad_value=undef)
        self.assertIn("undef", schedule.mod.script())
        module = satir.tvm.Optimize(passes="remove-undef,remove-assume")(schedule.mod)
        self.assertNotIn("undef", module.script())
        values = np.arange(14, dtype="float32")
        _, made = run(module, values, np.zeros((4, 4), "float32"))
        np.testing.assert_array_equal(made.reshape(-1)[:14], values * 2)

    def test_a_value_for_padding_is_chosen(self):
        module = satir.tvm.choose_padding(module_of(SUM), "A", lambda i: [i // 4, i % 4])
        module = satir.tvm.Optimize(passes="overcompute,remove-assume")(module)
        self.assertNotIn("if", module["main"].script().split("def main")[1])
        values = np.arange(16, dtype="int32").reshape(4, 4)
        values[3, 2:] = 0
        _, made = run(module, values, np.zeros(1, "int32"))
        self.assertEqual(made[0], sum(range(14)))

    def test_copies_and_sequences_run(self):
        module = satir.tvm.cache_write(satir.tvm.cache_read(module_of(COPY), "A"), "B")
        module = satir.tvm.transform_layout(module, "A_cache", lambda i: [i // 4, i % 4])
        module = satir.tvm.sequential_access(module, "A_cache")
        values = np.arange(14, dtype="float32")
        _, made = run(module, values, np.zeros(14, "float32"))
        np.testing.assert_array_equal(made, values * 2)

    def test_what_is_not_proven_is_refused(self):
        module = module_of(COPY)
        with self.assertRaisesRegex(satir.SatirError, "elements 0 and 1 of `A`"):
            satir.tvm.transform_layout(module, "A", lambda i: [i // 2])
        with self.assertRaisesRegex(satir.SatirError, "there is no buffer `X`"):
            satir.tvm.cache_read(module, "X")
        with self.assertRaisesRegex(satir.SatirError, "there is no function `one`"):
            satir.tvm.link(module, "one.A -> main.A")
        with self.assertRaisesRegex(satir.OptionError, "pad_value"):
            satir.tvm.transform_layout(module, "A", lambda i: [i // 4, i % 4], [0])
        with self.assertRaisesRegex(satir.OptionError, "args are for passes"):
            satir.tvm.Optimize(args=[{"buffer": "A"}])
        with self.assertRaisesRegex(satir.SatirError, "not what passes are told"):
            satir.tvm.Optimize(passes="cache-read", args=[{"bufer": "A"}])(module)

    def test_what_is_declared_of_elements(self):
        text = """
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    T.func_attr({"tirx.noalias": True})
    for i in range(16):
        if i < 14:
            B[i] = A[i]
    for i in range(14, 16):
        B[i] = T.float32(0)
"""
        module = module_of(text)
        kept = satir.tvm.Optimize(passes="overcompute")(module)
        self.assertIn("if i < 14", kept.script())
        gone = satir.tvm.Optimize(passes="overcompute", readable_parameters=True)(module)
        self.assertNotIn("if i < 14", gone.script())


if __name__ == "__main__":
    unittest.main()
