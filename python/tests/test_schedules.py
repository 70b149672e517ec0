"""What TVM's schedulers make of kernels: dlight's rules for GPUs, and tiles as MetaSchedule draws them.

    python -m unittest discover -s python/tests
"""

import unittest

import numpy as np
import tvm
from tvm import te, tirx, topi
from tvm.s_tir import dlight

import satir.tvm


def matmul(n, m, k):
    a, b = te.placeholder((n, k), name="a"), te.placeholder((k, m), name="b")
    return tvm.IRModule({"main": te.create_prim_func([a, b, topi.nn.matmul(a, b)])})


def row_sums():
    n = te.var("n", "int64")
    x = te.placeholder((n, 48), name="x")
    return tvm.IRModule({"main": te.create_prim_func([x, topi.sum(x, axis=1)])})


def gather():
    n = te.var("n", "int64")
    x, indices = te.placeholder((n, 8), name="x"), te.placeholder((n, 4), "int64", name="indices")
    return tvm.IRModule({"main": te.create_prim_func([x, indices, topi.gather(x, 1, indices)])})


class Dlight(unittest.TestCase):
    """There is no GPU here, so results are run by satir's interpreter and compared with the input (`validate`)."""

    def test_rules_for_gpus(self):
        gpu = dlight.gpu
        rules = [gpu.Matmul(), gpu.GEMV(), gpu.Reduction(), gpu.GeneralReduction(), gpu.Fallback()]
        pipeline, _, _ = tirx.get_tir_pipeline("default")
        target = tvm.target.Target({"kind": "cuda", "arch": "sm_80"}, host="llvm")
        shared = 0
        for module in (matmul(64, 64, 32), row_sums(), gather()):
            with self.subTest(module["main"].script()):
                with target:
                    scheduled = dlight.ApplyDefaultSchedule(*rules)(module)
                    self.assertTrue(scheduled["main"].attrs["tirx.is_scheduled"])
                    bound = tirx.transform.BindTarget(target)(scheduled)
                    for level in (None, 2):
                        with satir.tvm.use(level=level, validate=True) as swap:
                            pipeline(bound)
                        [report] = swap.reports
                        shared += sum(len(function["bindings"]) for function in report["functions"])
        self.assertGreater(shared, 3)


def sampled(module, seed):
    """A schedule of a product of matrices in MetaSchedule's manner: tiles of tiles of sizes that are drawn. (`TuneContext` of
    `tvm.s_tir.meta_schedule` itself ends the process in TVM 0.27 once it has a space generator.)"""
    schedule = tvm.s_tir.Schedule(module, seed=seed)
    block = schedule.get_sblock("T_matmul_NN")
    i, j, k = schedule.get_loops(block)
    i0, i1, i2 = schedule.split(i, schedule.sample_perfect_tile(i, n=3, max_innermost_factor=8))
    j0, j1, j2 = schedule.split(j, schedule.sample_perfect_tile(j, n=3, max_innermost_factor=8))
    k0, k1 = schedule.split(k, schedule.sample_perfect_tile(k, n=2, max_innermost_factor=8))
    schedule.reorder(i0, j0, i1, j1, k0, k1, i2, j2)
    schedule.parallel(schedule.fuse(i0, j0))
    schedule.unroll(i2)
    schedule.vectorize(j2)
    return schedule.mod


class MetaSchedule(unittest.TestCase):
    def test_schedules_that_are_drawn_compute_the_same(self):
        n, m, k = 32, 24, 16
        random = np.random.default_rng(5)
        a, b = random.uniform(-1, 1, (n, k)).astype("float32"), random.uniform(-1, 1, (k, m)).astype("float32")
        for seed in range(1, 4):
            module = sampled(matmul(n, m, k), seed)
            for level in (None, 2):
                with self.subTest(seed=seed, level=level), satir.tvm.use(level=level) as swap:
                    built = tvm.compile(module, target="llvm")
                    out = tvm.runtime.tensor(np.full((n, m), np.nan, "float32"))
                    built["main"](tvm.runtime.tensor(a), tvm.runtime.tensor(b), out)
                    np.testing.assert_allclose(out.numpy(), a @ b, rtol=1e-4, atol=1e-5)
                    self.assertEqual(len(swap.reports), 1)


if __name__ == "__main__":
    unittest.main()
