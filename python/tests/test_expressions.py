"""Expressions of TVM in a `satir.Context`: what comes back is equal, by evaluation, and made of the same variables."""

import itertools
import random
import unittest

import tvm
from tvm import tirx

import satir
import satir.tvm

#: Ranges of the variables, half-open, and the values at which they are tried.
RANGES = {"i": (0, 16), "j": (0, 4), "k": (-5, 6)}
VALUES = {"i": (0, 1, 7, 15), "j": (0, 1, 3), "k": (-5, -1, 0, 2, 5), "n": (0, 1, 6, 100)}


def evaluate(expr, values):
    """The value of an expression over integers, by what its classes mean; `None` where it has none."""
    name = type(expr).__name__
    if isinstance(expr, tirx.Var):
        return values[expr.name]
    if isinstance(expr, tirx.IntImm):
        return int(expr.value)
    if isinstance(expr, tirx.Select):
        return evaluate(expr.true_value if evaluate(expr.condition, values) else expr.false_value, values)
    if isinstance(expr, tirx.Cast):
        return evaluate(expr.value, values)
    if isinstance(expr, tirx.Not):
        return not evaluate(expr.a, values)
    if isinstance(expr, tirx.Let):
        return evaluate(expr.body, {**values, expr.var.name: evaluate(expr.value, values)})
    if isinstance(expr, tvm.ir.Call):
        name, args = expr.op.name, list(expr.args)
        if name.endswith("if_then_else"):
            return evaluate(args[1] if evaluate(args[0], values) else args[2], values)
        raise AssertionError(f"a call of {name}")
    a, b = evaluate(expr.a, values), evaluate(expr.b, values)
    if name in ("FloorDiv", "FloorMod", "Div", "Mod") and b == 0:
        raise ZeroDivisionError
    quotient = lambda: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return {
        "Add": lambda: a + b,
        "Sub": lambda: a - b,
        "Mul": lambda: a * b,
        "FloorDiv": lambda: a // b,
        "FloorMod": lambda: a % b,
        "Div": quotient,
        "Mod": lambda: a - b * quotient(),
        "Min": lambda: min(a, b),
        "Max": lambda: max(a, b),
        "EQ": lambda: a == b,
        "NE": lambda: a != b,
        "LT": lambda: a < b,
        "LE": lambda: a <= b,
        "GT": lambda: a > b,
        "GE": lambda: a >= b,
        "And": lambda: bool(a) and bool(b),
        "Or": lambda: bool(a) or bool(b),
    }[name]()


class Made:
    """Random expressions over the variables."""

    def __init__(self, seed, dtype):
        self.random = random.Random(seed)
        self.dtype = dtype
        self.vars = {name: tirx.Var(name, dtype) for name in VALUES}

    def const(self, low, high):
        return tirx.const(self.random.randint(low, high), self.dtype)

    def value(self, depth):
        choose = self.random.randrange
        if depth == 0:
            return self.random.choice(list(self.vars.values())) if choose(4) else self.const(-3, 20)
        below = lambda: self.value(depth - 1)
        match choose(12):
            case 0 | 1 | 2:
                return tirx.Add(below(), below())
            case 3:
                return tirx.Sub(below(), below())
            case 4 | 5:
                return tirx.Mul(below(), self.const(-2, 16))
            case 6 | 7:
                return self.random.choice([tirx.FloorDiv, tirx.FloorMod, tirx.Div, tirx.Mod])(below(), self.const(1, 8))
            case 8 | 9:
                return self.random.choice([tirx.Min, tirx.Max])(below(), below())
            case 10:
                return tirx.Select(self.condition(depth - 1), below(), below())
            case _:
                return tirx.if_then_else(self.condition(depth - 1), below(), below())

    def condition(self, depth):
        if depth > 0 and self.random.randrange(3) == 0:
            a, b = self.condition(depth - 1), self.condition(depth - 1)
            return self.random.choice([tirx.And, tirx.Or, lambda a, b: tirx.Not(a)])(a, b)
        compare = self.random.choice([tirx.EQ, tirx.NE, tirx.LT, tirx.LE, tirx.GT, tirx.GE])
        return compare(self.value(depth), self.value(depth))


def points():
    """All values that are tried."""
    return [dict(zip(VALUES, values)) for values in itertools.product(*VALUES.values())]


class Equal(unittest.TestCase):
    def test_random_expressions(self):
        context = satir.Context(n=satir.dim(), **RANGES)
        made, changed, proven = 0, 0, 0
        for seed in range(150):
            maker = Made(seed, "int64" if seed % 3 == 0 else "int32")
            expr = maker.value(3)
            result = context.simplify(expr)
            made += 1
            changed += not result.same_as(expr)
            self.assertEqual(result.ty.dtype, expr.ty.dtype)
            condition = maker.condition(2)
            truth = context.prove(condition)
            proven += truth is not None
            for at in points():
                self.assertEqual(evaluate(result, at), evaluate(expr, at), (expr, result, at))
                if truth is not None:
                    self.assertEqual(bool(evaluate(condition, at)), truth, (condition, at))
            for var in tirx.analysis.undefined_vars(result):
                self.assertTrue(var.same_as(maker.vars[var.name]))
        # A test of nothing would pass as well.
        self.assertGreater(changed, made / 3)
        self.assertGreater(proven, made / 10)

    def test_the_same_as_text(self):
        """Both ways give the same, where a text says the same: all variables are `int32`."""
        context = satir.Context(n=satir.dim(), **RANGES)
        for seed in range(1000, 1040):
            expr = Made(seed, "int32").value(3)
            text = satir.tvm.expressions.text(expr)
            self.assertEqual(satir.tvm.expressions.text(context.simplify(expr)), context.simplify(text), text)

    def test_what_is_left_alone_is_the_same_object(self):
        i, n = tirx.Var("i", "int32"), tirx.Var("n", "int32")
        context = satir.Context(i=(0, 16))
        kept = n // (n + i)
        self.assertTrue(context.simplify(kept).same_as(kept))
        result = context.simplify(tirx.Min(kept, (i * 4 + 3) // 4))
        self.assertTrue(result.a.same_as(kept), result)

    def test_types_of_variables_are_their_own(self):
        n, x = tirx.Var("n", "int64"), tirx.Var("x", "float32")
        context = satir.Context(n=satir.dim(), given="n < m")
        self.assertTrue(context.simplify(tirx.max(n, tirx.const(-1, "int64"))).same_as(n))
        self.assertIs(context.prove(n >= 0), True)
        self.assertTrue(context.simplify(x).same_as(x))
        floats = context.simplify(x * tirx.const(2.0, "float32") + x * tirx.const(2.0, "float32"))
        self.assertEqual(floats.ty.dtype, "float32")

    def test_conditions_that_hold_go_by_names(self):
        i, n = tirx.Var("i", "int32"), tirx.Var("n", "int32")
        context = satir.Context(given=("i < n", "n <= limit"), limit=(0, 9))
        self.assertTrue(context.simplify(tirx.Max(i, n)).same_as(n))
        self.assertIs(context.prove(i < 8), True)
        self.assertIsNone(context.prove(i < 7))

    def test_equal(self):
        i, n = tirx.Var("i", "int32"), tirx.Var("n", "int32")
        self.assertIs(satir.Context().equal((i + n) * 2, n * 2 + i + i), True)
        self.assertIs(satir.Context().equal(i + 1, i), False)
        self.assertIsNone(satir.Context().equal(i, n))

    def test_explanations_name_what_they_rest_on(self):
        i, j = tirx.Var("i", "int32"), tirx.Var("j", "int32")
        context = satir.Context(i=(0, 16), j=(0, 4))
        self.assertIn("0 <= j <= 3", context.explain((i * 4 + j) // 4))
        self.assertTrue(context.explain((i * 4 + j) // 4).startswith("i\n"))
        self.assertIn("nothing cheaper", context.explain(i))

    def test_two_variables_of_one_name(self):
        with self.assertRaisesRegex(satir.UnsupportedModule, "two variables have the name i"):
            satir.Context(i=(0, 16)).simplify(tirx.Var("i", "int32") + tirx.Var("i", "int32"))

    def test_bounds_that_a_type_has_not(self):
        with self.assertRaisesRegex(satir.OptionError, "int8"):
            satir.Context(b=(0, 1000)).simplify(tirx.Var("b", "int8") + tirx.const(1, "int8"))

    def test_long_expressions_go_to_a_thread(self):
        """More than what is worked on at once."""
        i = tirx.Var("i", "int32")
        terms = [(i * 8 + k) // 8 for k in range(8)] * 40
        while len(terms) > 1:
            terms = [sum(terms[at : at + 2]) for at in range(0, len(terms), 2)]
        result = satir.Context(i=(0, 16)).simplify(terms[0])
        self.assertEqual([evaluate(result, {"i": v}) for v in (0, 3, 15)], [0, 960, 4800])

    def test_under_conditions_of_tvm(self):
        i, n = tirx.Var("i", "int32"), tirx.Var("n", "int32")
        self.assertTrue(satir.tvm.simplify((i * 4 + 3) // 4, ranges={i: (0, 16)}).same_as(i))
        self.assertTrue(satir.tvm.simplify(tirx.Max(i, n), given=(i < n,)).same_as(n))
        # Two variables of one name are told apart here.
        other = tirx.Var("i", "int32")
        result = satir.tvm.simplify(tirx.Max(i, 3) + tirx.Max(other, 3), ranges={i: (5, 9)})
        self.assertEqual({var.__chandle__() for var in tirx.analysis.undefined_vars(result)}, {i.__chandle__(), other.__chandle__()})


if __name__ == "__main__":
    unittest.main()
