"""The pass with the real TVM: kernels are lowered, built and run with satir in the place of TVM's CSE.

    python -m unittest discover -s python/tests

Needs apache-tvm 0.27 with LLVM, numpy, and the wheel satir.
"""

import concurrent.futures
import contextlib
import importlib.util
import logging
import pathlib
import tempfile
import unittest

import numpy as np
import tvm
import tvm_ffi
from tvm import te, tirx, topi
from tvm.script import from_source

import satir
import satir.tvm


def module_of(*tensors):
    """The module of one kernel with these arguments."""
    return tvm.IRModule({"main": te.create_prim_func(list(tensors))})


def matmul():
    a, b = te.placeholder((24, 20), name="a"), te.placeholder((20, 28), name="b")
    module = module_of(a, b, topi.nn.matmul(a, b))
    schedule = tvm.s_tir.Schedule(module)
    block = schedule.get_sblock("T_matmul_NN")
    i, j, k = schedule.get_loops(block)
    (inner_i, inner_j) = (schedule.split(i, [None, 4])[1], schedule.split(j, [None, 7])[1])
    schedule.unroll(inner_i)
    schedule.unroll(inner_j)
    return schedule.mod, [(24, 20), (20, 28)], (24, 28), lambda x, y: x @ y, {}


def conv2d():
    x, w = te.placeholder((1, 3, 14, 14), name="x"), te.placeholder((8, 3, 3, 3), name="w")
    out = topi.nn.conv2d(x, w, strides=2, padding=1, dilation=1, data_layout="NCHW")

    def reference(data, weight):
        padded = np.pad(data, ((0, 0), (0, 0), (1, 1), (1, 1)))
        result = np.zeros((1, 8, 7, 7), "float32")
        for r, c in np.ndindex(7, 7):
            window = padded[:, :, 2 * r : 2 * r + 3, 2 * c : 2 * c + 3]
            result[:, :, r, c] = np.tensordot(window, weight, axes=((1, 2, 3), (1, 2, 3)))
        return result

    return module_of(x, w, out), [(1, 3, 14, 14), (8, 3, 3, 3)], (1, 8, 7, 7), reference, {}


def softmax():
    n, m = te.var("n", "int64"), te.var("m", "int64")
    x = te.placeholder((n, m), name="x")

    def reference(data):
        exp = np.exp(data - data.max(axis=1, keepdims=True))
        return exp / exp.sum(axis=1, keepdims=True)

    return module_of(x, topi.nn.softmax(x, axis=1)), [(5, 33)], (5, 33), reference, {"n": 5, "m": 33}


def resize():
    x = te.placeholder((1, 6, 6, 4), name="x")
    roi = (0.0, 0.0, 0.0, 0.0)
    out = topi.image.resize2d(
        x, roi, (12, 12), layout="NHWC", method="nearest_neighbor", coordinate_transformation_mode="asymmetric"
    )
    return module_of(x, out), [(1, 6, 6, 4)], (1, 12, 12, 4), lambda d: d.repeat(2, axis=1).repeat(2, axis=2), {}


def padded_layout():
    """Rows of 30 as three tiles of 12, the last padded with zeros."""
    n = te.var("n", "int64")
    x = te.placeholder((n, 30), name="x")
    out = te.compute(
        (n, 3, 12), lambda i, t, e: te.if_then_else(t * 12 + e < 30, x[i, t * 12 + e], tirx.const(0, "float32"))
    )
    fused = te.compute((n * 36,), lambda f: out[f // 36, f % 36 // 12, f % 12])
    reference = lambda d: np.pad(d, ((0, 0), (0, 6))).reshape(-1)  # noqa: E731
    return module_of(x, fused), [(4, 30)], (144,), reference, {"n": 4}


def gather():
    n = te.var("n", "int64")
    x, indices = te.placeholder((n, 16), name="x"), te.placeholder((n, 8), "int64", name="indices")
    reference = lambda d, i: np.take_along_axis(d, i, axis=1)  # noqa: E731
    return module_of(x, indices, topi.gather(x, 1, indices)), [(6, 16), (6, 8)], (6, 8), reference, {"n": 6}


KERNELS = [matmul, conv2d, softmax, resize, padded_layout, gather]


def contents(module, shapes):
    """Seeded contents for the inputs."""
    random = np.random.default_rng(7)
    for param, shape in zip(module["main"].params, shapes):
        if "int" in str(param.dtype):
            yield random.integers(0, 16, shape).astype(str(param.dtype))
        else:
            yield random.uniform(-1, 1, shape).astype("float32")


def run(built, inputs, shape):
    """The output of a built kernel."""
    tensors = [tvm.runtime.tensor(array) for array in inputs]
    out = tvm.runtime.tensor(np.full(shape, np.nan, "float32"))
    built["main"](*tensors, out)
    return out.numpy()


class Kernels(unittest.TestCase):
    """With satir in the pipeline, kernels compute what numpy and TVM's own pipeline compute."""

    def check(self, kernel, **options):
        module, shapes, out_shape, reference, binds = kernel()
        inputs = list(contents(module, shapes))
        expected = run(tvm.compile(module, target="llvm"), inputs, out_shape)
        np.testing.assert_allclose(expected, reference(*inputs), rtol=1e-5, atol=1e-5)
        with satir.tvm.use(binds=binds, **options) as swap:
            built = tvm.compile(module, target="llvm")
        np.testing.assert_allclose(run(built, inputs, out_shape), expected, rtol=1e-6, atol=1e-6)
        self.assertEqual(swap.fallbacks, [])
        [report] = swap.reports
        [function] = report["functions"]
        return function

    def test_semantic(self):
        shared = 0
        for kernel in KERNELS:
            with self.subTest(kernel.__name__):
                shared += len(self.check(kernel)["bindings"])
        self.assertGreater(shared, 10)

    def test_syntactic(self):
        for kernel in KERNELS:
            with self.subTest(kernel.__name__):
                self.check(kernel, mode="syntactic")


SHARED = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64,), "int32"), n: T.int32):
        A[0] = (n * 3 + 1) // 5
        A[1] = (1 + 3 * n) // 5
"""


class Modules(unittest.TestCase):
    """Modules of Relax with several functions of dynamic shape."""

    def test_ten_functions_of_dynamic_shape(self):
        import tvm.relax as relax

        builder = relax.BlockBuilder()
        n = tvm.tirx.Var("n", "int64")
        x = relax.Var("x", relax.TensorType((n, 30), "float32"))
        with builder.function("main", [x]):
            value = x
            for at in range(10):
                value = builder.emit_te(step, value, at)
            builder.emit_func_output(value)
        module = builder.get()
        functions = [f for _, f in module.functions_items() if isinstance(f, tirx.PrimFunc)]
        self.assertGreaterEqual(len(functions), 10)
        data = tvm.runtime.tensor(np.random.default_rng(3).uniform(-1, 1, (7, 30)).astype("float32"))
        results = []
        for context in (contextlib.nullcontext(), satir.tvm.use(), satir.tvm.use(level=2)):
            with context as swap:
                built = tvm.compile(module, target="llvm")
            results.append(relax.VirtualMachine(built, tvm.cpu())["main"](data).numpy())
            if swap is not None:
                self.assertGreaterEqual(sum(len(report["functions"]) for report in swap.reports), 10)
        np.testing.assert_allclose(results[1], results[0], rtol=1e-6)
        np.testing.assert_allclose(results[2], results[0], rtol=1e-6)


def step(x, at):
    """A kernel with index arithmetic that differs with `at`."""
    rows, columns = x.shape
    return te.compute(
        (rows, columns), lambda i, j: x[i, (j * (at + 2) + at) % columns] + x[i, (j * (at + 2) + at) % columns // 2]
    )


class Pass(unittest.TestCase):
    """The pass by itself: its options, its errors, its fallback."""

    def test_shares_by_meaning_where_tvm_does_not(self):
        module = from_source(SHARED)
        swap = satir.tvm.SemanticCSE()
        text = swap(module).script()
        self.assertEqual(text.count("//"), 1, text)
        self.assertEqual(tirx.transform.CommonSubexprElim()(module).script().count("//"), 2)
        self.assertEqual(len(swap.reports), 1)

    def test_a_module_keeps_its_attributes_and_names(self):
        module = from_source(SHARED).with_attr("answer", 42)
        result = satir.tvm.SemanticCSE()(module)
        self.assertEqual(result.attrs["answer"], 42)
        self.assertEqual([var.name_hint for var in result.get_global_vars()], ["main"])

    def test_registered_pipeline(self):
        satir.tvm.register_pipeline("satir_for_test", mode="syntactic")
        module, shapes, out_shape, reference, _ = matmul()
        inputs = list(contents(module, shapes))
        built = tvm.compile(module, target="llvm", tir_pipeline="satir_for_test")
        np.testing.assert_allclose(run(built, inputs, out_shape), reference(*inputs), rtol=1e-4, atol=1e-5)

    def test_the_swap_ends_with_its_block(self):
        before = tirx.transform.CommonSubexprElim
        with self.assertRaises(ZeroDivisionError), satir.tvm.use():
            self.assertIsNot(tirx.transform.CommonSubexprElim, before)
            raise ZeroDivisionError
        self.assertIs(tirx.transform.CommonSubexprElim, before)

    def test_installed_for_the_rest_of_the_process(self):
        before = tirx.transform.CommonSubexprElim
        try:
            swap = satir.tvm.install(mode="syntactic")
            tvm.compile(from_source(SHARED), target="llvm")
            self.assertEqual(len(swap.reports), 1)
        finally:
            tirx.transform.CommonSubexprElim = before

    def test_the_whole_pipeline_and_its_order(self):
        """Level 2 stands where `CommonSubexprElim` does, after all that TVM simplifies, and does its passes in their order."""

        @tvm.instrument.pass_instrument
        class Seen:
            def __init__(self):
                self.names = []

            def run_before_pass(self, _module, info):
                self.names.append(info.name)

        seen = Seen()
        with satir.tvm.use(level=2) as swap, tvm.transform.PassContext(instruments=[seen]):
            tvm.compile(from_source(SHARED), target="llvm")
        at = seen.names.index("satir.Optimize")
        self.assertTrue(any("UnrollLoop" in name for name in seen.names[:at]))
        self.assertTrue(any("StmtSimplify" in name for name in seen.names[:at]))
        self.assertLess(at, next(k for k, name in enumerate(seen.names) if "MakePackedAPI" in name))
        steps = [step["pass"] for step in swap.reports[0]["passes"]]
        self.assertLess(steps.index("loops"), steps.index("semantic-cse"), steps)

    def test_what_satir_refuses_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            rules = pathlib.Path(folder) / "bad.rules"
            rules.write_text("(rule nonsense)")
            with self.assertRaisesRegex(satir.RulesError, "bad.rules"):
                satir.tvm.SemanticCSE(rules=[rules])(from_source(SHARED))

    def test_wrong_rules_are_refused_unless_unchecked(self):
        with tempfile.TemporaryDirectory() as folder:
            rules = pathlib.Path(folder) / "wrong.rules"
            rules.write_text('(rule wrong "it is not" (types index) (=> (floordiv ?x 5) 0))')
            with self.assertRaisesRegex(satir.RulesError, "rule `wrong`"):
                satir.tvm.SemanticCSE(rules=[rules])(from_source(SHARED))
            satir.tvm.SemanticCSE(rules=[rules], unchecked=True)(from_source(SHARED))

    def test_fast_math_regroups_sums_of_floats(self):
        function = from_source("""
@T.prim_func(private=True)
def main(A: T.Buffer((8,), "float32"), x: T.float32, y: T.float32, z: T.float32):
    A[0] = x + (y + z)
    A[1] = (x + y) + z
""")
        module = tvm.IRModule({"main": function})
        sums = lambda **options: satir.tvm.SemanticCSE(**options)(module).script().count("+")
        self.assertEqual((sums(), sums(fast_math=True)), (4, 2))

    def unsupported(self):
        """A module that goes neither way: TVM cannot print the attribute of the function, and the layout is not known."""
        module = from_source(SHARED)
        opaque = module["main"].with_attr("handle", tvm.runtime.tensor(np.zeros(3)))
        module.update_func(module.get_global_var("main"), opaque)
        return module

    def test_what_does_not_go_through_text_is_unsupported(self):
        with self.assertRaises(satir.UnsupportedModule):
            satir.tvm.SemanticCSE(via="text")(self.unsupported())

    def test_what_text_cannot_say_goes_as_objects(self):
        module = self.unsupported()
        result = satir.tvm.SemanticCSE()(module)["main"]
        self.assertTrue(result.attrs["handle"].same_as(module["main"].attrs["handle"]))
        self.assertEqual(str(result.body).count("//"), 1)

    def test_fallback_is_asked_for_and_told(self):
        module = self.unsupported()
        swap = satir.tvm.SemanticCSE(via="text", on_error="tvm")
        with self.assertLogs("satir.tvm", logging.WARNING) as logs:
            result = swap(module)
        self.assertIn("TVM", logs.output[0])
        self.assertEqual((len(swap.fallbacks), swap.reports), (1, []))
        tvm.ir.assert_structural_equal(result, tirx.transform.CommonSubexprElim()(module))

    def test_passes_are_passes_of_tvm(self):
        module = from_source(SHARED)
        for made in (satir.tvm.SemanticCSE(), satir.tvm.Optimize()):
            self.assertIsInstance(made, tvm.transform.Pass)
            result = tvm.transform.Sequential([made])(module)
            self.assertEqual(result.script().count("//"), 1)
            self.assertEqual(len(made.reports), 1)

    def test_instruments_see_it(self):
        @tvm.instrument.pass_instrument
        class Seen:
            def __init__(self):
                self.names = []

            def run_before_pass(self, _module, info):
                self.names.append(info.name)

        seen = Seen()
        with satir.tvm.use(), tvm.transform.PassContext(instruments=[seen]):
            tvm.compile(from_source(SHARED), target="llvm")
        self.assertIn("satir.SemanticCSE", seen.names)
        self.assertNotIn("tirx.CommonSubexprElim", seen.names)

    def test_options_by_context(self):
        module = from_source(SHARED)
        with satir.tvm.PassContext(config={"satir.mode": "syntactic"}):
            self.assertEqual(satir.tvm.SemanticCSE()(module).script().count("//"), 2)
        self.assertEqual(satir.tvm.SemanticCSE()(module).script().count("//"), 1)
        with self.assertRaises(satir.OptionError):
            satir.tvm.PassContext(config={"satir.nonsense": 1})

    def test_tvm_registers_no_keys_from_outside(self):
        """Why there is `satir.tvm.PassContext`: if this fails, TVM has a way to register keys, which is to be used."""
        with self.assertRaises(Exception):
            tvm.transform.PassContext(config={"satir.level": 2})
        known = [name for name in tvm_ffi.registry.list_global_func_names() if "ConfigOption" in name]
        self.assertEqual(known, [])

    def test_rules_are_a_path_or_several(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "empty.rules"
            path.write_text('(rule same "equal bits" (types int) (=> (bitwise_or ?x ?x) ?x))')
            for rules in (path, str(path), [path]):
                satir.tvm.SemanticCSE(rules=rules)(from_source(SHARED))

    def test_every_option_of_the_program(self):
        module = from_source(SHARED)
        options = {
            "extract": "exact",
            "validate": True,
            "assume_positive_dims": True,
            "keep_lets": True,
            "window": 50,
            "index_bits": 32,
            "target": "cpu",
            "time_limit": 5.0,
            "node_limit": 5000,
            "binds": {"n": 3, "not_here": 4},
        }
        self.assertEqual(satir.tvm.SemanticCSE(**options)(module).script().count("//"), 1)

    def test_threads(self):
        module = from_source(SHARED)
        run = satir.tvm.SemanticCSE()
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            results = list(pool.map(lambda _: run(module).script(), range(16)))
        self.assertEqual(len(set(results)), 1)

    @unittest.skipUnless(importlib.util.find_spec("cloudpickle"), "TVM's pools of processes need cloudpickle")
    def test_workers_of_meta_schedule(self):
        from tvm.s_tir.meta_schedule.builder import LocalBuilder

        with satir.tvm.use(mode="syntactic"):
            self.assertIsNotNone(LocalBuilder(max_workers=1).initializer)
            with self.assertLogs("satir.tvm", logging.WARNING):
                LocalBuilder(max_workers=1, initializer=satir.tvm.initializer())
        self.assertIsNone(LocalBuilder(max_workers=1).initializer)

    @unittest.skipUnless(importlib.util.find_spec("cloudpickle"), "TVM's pools of processes need cloudpickle")
    def test_workers_of_meta_schedule_compile_with_satir(self):
        from tvm.s_tir.meta_schedule.builder import LocalBuilder
        from tvm.support.popen_pool import PopenPoolExecutor

        def build(text):
            compiled = tvm.compile(from_source(text), target="llvm")
            return type(tvm.tirx.transform.CommonSubexprElim()).__module__, compiled is not None

        def built_by(builder):
            # As `LocalBuilder.build` does, but with the module as text: TVM 0.27 ends the process when it pickles a target.
            pool = PopenPoolExecutor(max_workers=1, timeout=300, initializer=builder.initializer)
            try:
                return pool.submit(build, SHARED).result()
            finally:
                pool.shutdown()

        with satir.tvm.use():
            builder = LocalBuilder(max_workers=1)
        where, compiled = built_by(builder)
        self.assertTrue(where.startswith("satir.tvm") and compiled, where)
        where, compiled = built_by(LocalBuilder(max_workers=1))
        self.assertTrue(where.startswith("tvm.") and compiled, where)

    def test_the_old_name(self):
        with self.assertWarns(DeprecationWarning):
            import satir_tvm
        self.assertIs(satir_tvm.SemanticCSE, satir.tvm.SemanticCSE)

    def test_wrong_options(self):
        for options in ({"mode": "magic"}, {"on_error": "ignore"}, {"via": "air"}, {"level": 7}):
            with self.assertRaises(ValueError):
                satir.tvm.SemanticCSE(**options)


if __name__ == "__main__":
    unittest.main()
