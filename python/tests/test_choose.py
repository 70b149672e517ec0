"""Choosing among treatments: by machine code, by running, by a function of the caller's.

    python -m unittest discover -s python/tests
"""

import unittest

import numpy as np
import tvm
import tvm_ffi
from tvm.script import from_source

import satir
import satir.tvm
from satir.tvm import choose, machine, trial
from test_tvm import KERNELS, SHARED, contents, padded_layout, run

LOOP = """define i32 @f(i32 %n) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %j, %latch ]
  br label %inner
inner:
  %c = icmp eq i32 %n, 0
  br i1 %c, label %latch, label %inner
latch:
  %j = add i32 %i, 1
  %d = icmp eq i32 %j, %n
  br i1 %d, label %end, label %outer
end:
  ret i32 0
}"""


class Estimate(unittest.TestCase):
    def test_instructions_count_by_the_loops_around_them(self):
        # Two outside of loops; a jump and three of the latch in one loop, two in two loops.
        self.assertEqual(machine.estimate(LOOP), 2 + 8 * 4 + 64 * 2)

    def test_a_jump_back_that_is_no_loop(self):
        text = "define void @f(i1 %c) {\nb0:\n  br label %b2\nb1:\n  ret void\nb2:\n  br label %b1\n}"
        self.assertEqual(machine.estimate(text), 3)


class Choosing(unittest.TestCase):
    def check(self, kernel, how):
        """Builds and runs a kernel with what was chosen for it, and gives the choice."""
        module, shapes, out_shape, reference, binds = kernel()
        inputs = list(contents(module, shapes))
        with satir.tvm.use(choose=how, binds=binds) as swap:
            built = tvm.compile(module, target="llvm")
        np.testing.assert_allclose(run(built, inputs, out_shape), reference(*inputs), rtol=1e-4, atol=1e-5)
        self.assertEqual(swap.fallbacks, [])
        [choice] = swap.choices
        self.assertIsInstance(choice, satir.tvm.Choice)
        return choice

    def test_static(self):
        for kernel in KERNELS:
            with self.subTest(kernel.__name__):
                choice = self.check(kernel, "static")
                self.assertEqual(choice.notes, [])
                self.assertEqual(set(choice.figures), set(choose.CANDIDATES))
                self.assertLessEqual(choice.figures[choice.taken] * 0.95, min(choice.figures.values()))

    def test_run(self):
        for kernel in KERNELS[:3]:
            with self.subTest(kernel.__name__):
                choice = self.check(kernel, "run")
                self.assertEqual(choice.notes, [])
                self.assertEqual(set(choice.figures), set(choose.CANDIDATES))
                self.assertLessEqual(choice.figures[choice.taken] * 0.99, min(choice.figures.values()))

    def test_a_function_of_the_callers(self):
        module = from_source(SHARED + "        A[2] = (n * 3 + 1) // 5\n")
        for wanted, divisions in (("none", 3), ("syntactic", 2), ("semantic", 1)):
            pick = lambda candidates: {name: float(name != wanted) for name in candidates}  # noqa: B023, E731
            swap = satir.tvm.Choose(pick)
            result = swap(module)
            self.assertEqual(swap.choices[0].taken, wanted)
            self.assertEqual(result.script().count("//"), divisions)

    def test_what_is_not_measured_is_treated_as_without_choosing(self):
        plain = satir.tvm.SemanticCSE()(from_source(SHARED))
        for how, note in (("static", "no target"), ("run", "no target"), (lambda _: {}, "not measured"), (lambda _: 1 // 0, "ZeroDivision")):
            swap = satir.tvm.Choose(how)
            result = swap(from_source(SHARED))
            self.assertTrue(tvm_ffi.structural_equal(result, plain, map_free_vars=True))
            [choice] = swap.choices
            self.assertEqual((choice.taken, choice.figures), ("semantic", {}))
            self.assertIn(note, choice.notes[0])

    def test_sizes_that_are_not_bound(self):
        module, *_ = padded_layout()
        with satir.tvm.use(choose="run") as swap:
            tvm.compile(module, target="llvm")
        self.assertEqual(swap.choices[0].taken, "semantic")
        self.assertIn("has no value in binds", swap.choices[0].notes[0])

    def test_options_that_choosing_decides_are_refused(self):
        for options in ({"level": 2}, {"mode": "syntactic"}, {"index_bits": 32}, {"passes": "simplify"}):
            with self.assertRaisesRegex(satir.OptionError, "do not go together"), satir.tvm.use(choose="run", **options):
                pass
        with self.assertRaisesRegex(satir.OptionError, "choose must be"):
            satir.tvm.Choose("guess")


def program(line):
    """A module of one function for the CPU."""
    target = '"target": T.target({"kind": "llvm", "mtriple": "x86_64-linux-gnu"})'
    return from_source(f"""
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        T.func_attr({{{target}}})
        for i in range(8):
            {line}
""")


class Trial(unittest.TestCase):
    def test_a_candidate_that_computes_something_else_is_not_taken(self):
        notes = []
        candidates = {"wrong": program("B[i] = i"), "right": program("B[i] = i + i"), "none": program("B[i] = i * 2")}
        times = trial.times(candidates, "main", {}, notes)
        self.assertEqual(set(times), {"right", "none"})
        self.assertEqual(notes, ["wrong computes something else than the input"])

    def test_a_crash_is_noted(self):
        notes = []
        # The contents of A are 0.
        candidates = {"semantic": program("B[i] = 7 // A[i]"), "none": program("B[i] = 8 // A[i]")}
        self.assertEqual(trial.times(candidates, "main", {}, notes), {})
        self.assertRegex(notes[0], "the run ended with -")


if __name__ == "__main__":
    unittest.main()
