"""Expressions that are generated, simplified and decided by satir in Python, with TVM's analyzer, z3 and sympy as peers.

`overhead.py` calls this. Variables are `0 <= i < 16`, `0 <= j < 4` and `-5 <= k < 6`; the truth is known by trying all values.
"""

import itertools
import random
import statistics
import time

import tvm
from tvm import tirx

import satir

RANGES = {"i": (0, 16), "j": (0, 4), "k": (-5, 6)}
POINTS = [dict(zip(RANGES, values)) for values in itertools.product(*(range(*bounds) for bounds in RANGES.values()))]
TIMEOUT_MS = 1000


class Python:
    """How Python computes."""

    min, max = min, max
    const = staticmethod(int)


class Tirx:
    """How TVM builds expressions."""

    min, max = tirx.min, tirx.max

    @staticmethod
    def const(value):
        return tirx.const(value, "int32")


def sympy_library():
    import sympy

    class Sympy:
        min, max = sympy.Min, sympy.Max
        const = staticmethod(sympy.Integer)

    return Sympy, {name: sympy.Symbol(name, integer=True, nonnegative=True if low >= 0 else None) for name, (low, _) in RANGES.items()}


def z3_library():
    import z3

    class Z3:
        const = staticmethod(z3.IntVal)

        @staticmethod
        def min(a, b):
            return z3.If(a < b, a, b)

        @staticmethod
        def max(a, b):
            return z3.If(a > b, a, b)

    return Z3, {name: z3.Int(name) for name in RANGES}


def generate(seed, depth=3):
    """An expression as a function of a library and its variables."""
    draw = random.Random(seed)

    def value(depth):
        if depth == 0:
            name, constant = draw.choice(list(RANGES)), draw.randint(-3, 20)
            return (lambda lib, at: at[name]) if draw.randrange(4) else (lambda lib, at: lib.const(constant))
        kind, a = draw.randrange(10), value(depth - 1)
        factor, divisor = draw.randint(-2, 16), draw.randint(2, 8)
        if kind in (3, 4):
            return lambda lib, at: a(lib, at) * lib.const(factor)
        if kind in (5, 6):
            return lambda lib, at: a(lib, at) // lib.const(divisor)
        if kind == 7:
            return lambda lib, at: a(lib, at) % lib.const(divisor)
        b = value(depth - 1)
        if kind < 2:
            return lambda lib, at: a(lib, at) + b(lib, at)
        if kind == 2:
            return lambda lib, at: a(lib, at) - b(lib, at)
        return lambda lib, at: (lib.min if kind == 8 else lib.max)(a(lib, at), b(lib, at))

    return value(depth)


def z3_made(made, lib, variables):
    """The expression for z3, whose `/` and `%` round down for the positive divisors that there are."""

    class Int:
        def __init__(self, e):
            self.e = e

        def of(self, other):
            return other.e if isinstance(other, Int) else other

        __add__ = lambda a, b: Int(a.e + a.of(b))
        __sub__ = lambda a, b: Int(a.e - a.of(b))
        __mul__ = lambda a, b: Int(a.e * a.of(b))
        __floordiv__ = lambda a, b: Int(a.e / a.of(b))
        __mod__ = lambda a, b: Int(a.e % a.of(b))

    class Wrapped:
        const = staticmethod(lambda value: Int(lib.const(value)))
        min = staticmethod(lambda a, b: Int(lib.min(a.e, b.e)))
        max = staticmethod(lambda a, b: Int(lib.max(a.e, b.e)))

    return made(Wrapped, {name: Int(var) for name, var in variables.items()}).e


def size(expr):
    """How many operations a `tirx` expression has."""
    if hasattr(expr, "a") and hasattr(expr, "b"):
        return 1 + size(expr.a) + size(expr.b)
    if isinstance(expr, tirx.Select):
        return 1 + size(expr.condition) + size(expr.true_value) + size(expr.false_value)
    if isinstance(expr, (tirx.Cast, tirx.Not)):
        return 1 + size(expr.value if isinstance(expr, tirx.Cast) else expr.a)
    return 0


def analyzer(variables):
    made = tvm.sym.Analyzer()
    for name, (low, high) in RANGES.items():
        made.bind(variables[name], tvm.ir.Range(low, high))
    return made


def timed(work, times):
    start = time.perf_counter()
    result = work()
    times.append((time.perf_counter() - start) * 1e6)
    return result


def simplified(count):
    """Rows: name, how many expressions, operations left in all, median and 90 % of microseconds."""
    context = satir.Context(**RANGES)
    times = {"satir": [], "TVM's analyzer": [], "sympy": []}
    left = {"as generated": 0, "satir": 0, "TVM's analyzer": 0}
    sympy, symbols = sympy_library()
    import sympy as package

    for seed in range(count):
        made = generate(seed)
        variables = {name: tirx.Var(name, "int32") for name in RANGES}
        expr = made(Tirx, variables)
        peer = analyzer(variables)
        left["as generated"] += size(expr)
        left["satir"] += size(timed(lambda: context.simplify(expr), times["satir"]))
        left["TVM's analyzer"] += size(timed(lambda: peer.simplify(expr), times["TVM's analyzer"]))
        # A second each would be minutes.
        if seed % 10 == 0:
            value = made(sympy, symbols)
            timed(lambda: package.simplify(value), times["sympy"])
    yield "as generated", count, left["as generated"], None
    for name, found in times.items():
        yield name, len(found), left.get(name), found


def decided(count):
    """Rows: name, how many of the conditions that hold were proven, how many that do not hold were called true, times."""
    import z3

    context = satir.Context(**RANGES)
    lib, names = z3_library()
    bounds = [bound for name, (low, high) in RANGES.items() for bound in (names[name] >= low, names[name] < high)]
    times = {"satir": [], "TVM's analyzer": [], "z3": []}
    proven, wrong = dict.fromkeys(times, 0), dict.fromkeys(times, 0)

    def by_z3(condition):
        solver = z3.Solver()
        solver.set("timeout", TIMEOUT_MS)
        solver.add(*bounds, z3.Not(condition))
        return solver.check() == z3.unsat

    for seed in range(10_000, 10_000 + count):
        made = generate(seed)
        variables = {name: tirx.Var(name, "int32") for name in RANGES}
        expr, peer, formula = made(Tirx, variables), analyzer(variables), z3_made(made, lib, names)
        most = max(made(Python, at) for at in POINTS)
        for bound, holds in ((most, True), (most - 1, False)):
            condition = expr <= bound
            answers = {
                "satir": timed(lambda: context.prove(condition), times["satir"]) is True,
                "TVM's analyzer": bool(timed(lambda: peer.can_prove(condition), times["TVM's analyzer"])),
                "z3": timed(lambda: by_z3(formula <= bound), times["z3"]),
            }
            for name, answer in answers.items():
                proven[name] += answer and holds
                wrong[name] += answer and not holds
    for name, found in times.items():
        yield name, proven[name], wrong[name], found


def document(count):
    """Lines of Markdown."""
    middle = lambda found: f"{statistics.median(found):.1f} | {sorted(found)[int(len(found) * 0.9)]:.1f}"
    out = [
        "## Generated expressions",
        "",
        f"{count} random expressions of `+ - * // % min max` (three levels) over `0 <= i < 16`, `0 <= j < 4`, `-5 <= k < 6`",
        "(`benches/python/generated.py`), as `tirx` objects; `sympy.simplify` has no ranges, and is asked for every tenth.",
        "",
        "| simplifier | expressions | operations left | median us | 90 % us |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, number, left, found in simplified(count):
        out.append(f"| {name} | {number} | {'' if left is None else left} | {middle(found) if found else ' | '} |")
    out += [
        "",
        f"For {count} others: is such an expression at most its largest value (it always is), and at most one less (it is not)?",
        f"z3 has {TIMEOUT_MS / 1000:g} s for each.",
        "",
        f"| decides | proven of {count} that hold | called true of {count} that do not | median us | 90 % us |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, proven, wrong, found in decided(count):
        out.append(f"| {name} | {proven} | {wrong} | {middle(found)} |")
    return out
