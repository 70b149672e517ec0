"""`tensor_cse` on functions that Relax differentiated: networks train to the same losses, bit for bit."""

import importlib.util
import pathlib
import unittest

import numpy as np
import tvm
from tvm.relax import op
from tvm.relax.op import add, matmul, multiply, nn, tanh
from tvm.script import from_source

import satir
import satir.tvm

PROGRAMS = pathlib.Path(__file__).resolve().parents[2] / "benches" / "tensor" / "programs.py"


def emit_squares(emit, out, target):
    """The squares of what a network misses."""
    error = emit(op.subtract(out, target))
    return emit(multiply(error, error))


def two_layers(emit, x, w1, b1, w2, target):
    hidden = emit(tanh(emit(add(emit(matmul(x, w1)), b1))))
    return emit_squares(emit, emit(matmul(hidden, w2)), target)


def convolution(emit, x, kernel, b1, w2, target):
    hidden = emit(nn.relu(emit(add(emit(nn.conv2d(x, kernel)), b1))))
    flat = emit(op.reshape(hidden, (4, 48)))
    return emit_squares(emit, emit(matmul(flat, w2)), target)


class Network:
    """The loss of a network and its gradients as two functions of blocks, made by Relax."""

    def __init__(self, inputs, weights, body):
        spec = importlib.util.spec_from_file_location("programs", PROGRAMS)
        programs = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(programs)
        functions = {"forward": ("main", lambda leaf: True), "backward": ("main_adjoint", lambda leaf: leaf > 0)}
        self.module = programs.fused(programs.differentiated(inputs, body), functions)
        self.inputs, self.weights = inputs, weights
        self.own = {name: [p.name for p in self.module[name].params] for name in functions}

    def trained(self, module, stash=(), rate=0.02):
        """The losses of 30 steps of gradient descent; the contents that the functions share are what `stash` says."""
        built = tvm.compile(module, target="llvm")
        generator = np.random.default_rng(3)
        values = {name: generator.standard_normal(shape).astype("float32") for name, shape in self.inputs.items()}
        losses = []
        for _ in range(30):
            forward = self.run(built, module, "forward", values)
            backward = self.run(built, module, "backward", values, {other: forward[one] for one, other in stash})
            losses.append(next(forward[n] for n in self.own["forward"] if n not in values and forward[n].shape == ()))
            for weight in self.weights:
                [gradient] = [
                    backward[n]
                    for n in self.own["backward"]
                    if n not in values and backward[n].shape == values[weight].shape
                ]
                values[weight] = values[weight] - np.float32(rate) * gradient
        return np.array(losses)

    def run(self, built, module, name, values, more=None):
        """What all parameters of a function hold when it has run."""
        held = {p.name: np.zeros([int(e) for e in p.shape], str(p.dtype)) for p in module[name].params}
        held.update({n: v for n, v in values.items() if n in held})
        held.update(more or {})
        tensors = {n: tvm.runtime.tensor(v) for n, v in held.items()}
        built[name](*tensors.values())
        return {n: t.numpy() for n, t in tensors.items()}


def layers():
    inputs = {"x": (8, 6), "w1": (6, 5), "b1": (5,), "w2": (5, 3), "target": (8, 3)}
    return Network(inputs, ["w1", "b1", "w2"], two_layers)


class Training(unittest.TestCase):
    def check(self, network, budgets, rate=0.02):
        before = network.trained(network.module, rate=rate)
        self.assertLess(before[-1], before[0] / 2)
        kept = []
        for budget in budgets:
            made = satir.tvm.tensor_cse(network.module, "forward", "backward", budget)
            self.assertIsInstance(made, satir.tvm.Shared)
            self.assertEqual(bool(made.stash), budget != 0, made.stash)
            self.assertIsNone(made.module["backward"].attrs.get("satir.stash"))
            np.testing.assert_array_equal(network.trained(made.module, made.stash, rate), before)
            kept.append(made.stash)
        return kept

    def test_a_network_of_two_layers_trains_to_the_same_losses(self):
        self.check(layers(), (None, 160, 0))

    def test_a_convolution_network_trains_to_the_same_losses(self):
        inputs = {"x": (4, 2, 6, 6), "kernel": (3, 2, 3, 3), "b1": (1, 3, 1, 1), "w2": (48, 5), "target": (4, 5)}
        network = Network(inputs, ["kernel", "b1", "w2"], convolution)
        self.check(network, (None, 0), rate=0.0005)


class Functions(unittest.TestCase):
    def test_what_is_no_function_is_told(self):
        with self.assertRaisesRegex(satir.OptionError, "there is no function `nothing`"):
            satir.tvm.tensor_cse(layers().module, "nothing", "backward")

    def test_what_is_no_parameter_is_told(self):
        with self.assertRaisesRegex(satir.SatirError, "has no parameter `nothing`"):
            satir.tvm.tensor_cse(layers().module, "forward", "backward", shared={"nothing": "x"})

    def test_results_are_validated(self):
        module = layers().module
        made = satir.tvm.tensor_cse(module, "forward", "backward", validate=True)
        self.assertTrue(made.stash)

    def test_other_functions_are_optimized_by_themselves(self):
        # Of these functions only the second one gets a parameter, which is what objects cannot do.
        module = from_source(
            """@I.ir_module
class Module:
    @T.prim_func
    def f(x: T.Buffer((64,)), y: T.Buffer((64,))):
        T.func_attr({"tirx.noalias": True})
        for i in range(64):
            y[i] = T.tanh(x[i])
    @T.prim_func
    def g(x: T.Buffer((64,)), dy: T.Buffer((64,)), dx: T.Buffer((64,))):
        T.func_attr({"tirx.noalias": True})
        for i in range(64):
            dx[i] = dy[i] * (T.float32(1) - T.tanh(x[i]) * T.tanh(x[i]))
    @T.prim_func
    def h(x: T.Buffer((64,)), y: T.Buffer((64,)), z: T.Buffer((64,))):
        T.func_attr({"tirx.noalias": True})
        for i in range(64):
            y[i] = T.exp(x[i])
        for i in range(64):
            z[i] = T.exp(x[i]) + x[i]
"""
        )
        made = satir.tvm.tensor_cse(module, "f", "g")
        self.assertEqual(made.stash, [("y", "stash_1")])
        self.assertEqual(made.module["h"].script().count("T.exp"), 1)
        self.assertEqual([p.name for p in made.module["g"].params], ["x", "dy", "dx", "stash_1"])
        nothing = satir.tvm.tensor_cse(module, "f", "g", 0)
        self.assertEqual(nothing.stash, [])


if __name__ == "__main__":
    unittest.main()
