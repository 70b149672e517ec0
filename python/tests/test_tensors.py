"""`tensor_cse` on functions that Relax differentiated: a network of two layers trains to the same losses, bit for bit."""

import importlib.util
import pathlib
import unittest

import numpy as np
import tvm
from tvm.relax import op
from tvm.relax.op import add, matmul, multiply, tanh

import satir
import satir.tvm

PROGRAMS = pathlib.Path(__file__).resolve().parents[2] / "benches" / "tensor" / "programs.py"
INPUTS = {"x": (8, 6), "w1": (6, 5), "b1": (5,), "w2": (5, 3), "target": (8, 3)}
WEIGHTS = ["w1", "b1", "w2"]


def network():
    """The loss and its gradients as two functions of blocks, made by Relax."""
    spec = importlib.util.spec_from_file_location("programs", PROGRAMS)
    programs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(programs)

    def body(emit, x, w1, b1, w2, target):
        hidden = emit(tanh(emit(add(emit(matmul(x, w1)), b1))))
        error = emit(op.subtract(emit(matmul(hidden, w2)), target))
        return emit(multiply(error, error))

    module = programs.differentiated(INPUTS, body)
    functions = {"forward": ("main", lambda leaf: True), "backward": ("main_adjoint", lambda leaf: leaf > 0)}
    return programs.fused(module, functions)


def zeros(function):
    return {p.name: np.zeros([int(e) for e in p.shape], "float32") for p in function.params}


def trained(module, stash):
    """The losses of 30 steps of gradient descent; the contents that the functions share are what `stash` says."""
    forward, backward = module["forward"], module["backward"]
    built = tvm.compile(module, target="llvm")
    generator = np.random.default_rng(3)
    values = {name: generator.standard_normal(shape).astype("float32") for name, shape in INPUTS.items()}
    gradients = [p.name for p in backward.params if p.name not in INPUTS and p.name not in dict((b, f) for f, b in stash)]
    losses = []
    for _ in range(30):
        results = []
        kept = {}
        for name, function in (("forward", forward), ("backward", backward)):
            own = {**zeros(function), **{n: v for n, v in values.items() if n in zeros(function)}}
            if name == "backward":
                own.update({other: kept[one] for one, other in stash})
            tensors = {n: tvm.runtime.tensor(v) for n, v in own.items()}
            built[name](*(tensors[p.name] for p in function.params))
            kept = {n: t.numpy() for n, t in tensors.items()}
            results.append(kept)
        scalar = [v for n, v in results[0].items() if v.shape == () and n not in dict(stash).values()]
        losses.append(scalar[0].copy())
        by_shape = {}
        for name in gradients:
            by_shape.setdefault(results[1][name].shape, results[1][name])
        for name in WEIGHTS:
            values[name] = values[name] - np.float32(0.02) * by_shape[values[name].shape]
    return np.array(losses)


class Training(unittest.TestCase):
    def test_a_network_trains_to_the_same_losses(self):
        module = network()
        before = trained(module, [])
        self.assertLess(before[-1], before[0] / 2)
        for budget in (None, 160, 0):
            made = satir.tvm.tensor_cse(module, "forward", "backward", budget)
            self.assertEqual(bool(made.stash), budget != 0, made.stash)
            np.testing.assert_array_equal(trained(made.module, made.stash), before)

    def test_what_is_no_function_is_told(self):
        with self.assertRaisesRegex(satir.OptionError, "there is no function `nothing`"):
            satir.tvm.tensor_cse(network(), "nothing", "backward")


if __name__ == "__main__":
    unittest.main()
