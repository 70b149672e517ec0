"""Decides boolean expressions with satir, TVM's analyzer and z3, and prints who decides how many.

The expressions are read from JSON lines as `satir expr` takes them, such as `tables.py` makes of Caviar's data, or
random ones of the kind that Halide's bounds inference asks about: comparisons of affine tiles, clamps,
divisions and remainders by constants over up to six unbounded variables, half of them made so that they are true or
false by construction of their two sides. z3, over the unbounded integers, is the judge: an expression is decidable
if it proves that it always or never holds. A decision that z3 refutes, or that one of many sample points refutes, is
counted as wrong and makes the exit status 1. What z3 leaves open within its limit is shown and not counted.

    cargo build --release
    python benches/expressions/decide.py [TABLE] [--seed N] [--count N] [--satir PATH] [--no-tvm] [--show N]
"""

import argparse
import json
import random
import subprocess
import sys
import time
from pathlib import Path

import z3

import tvmexpr

Z3_LIMIT_MS = 4000
POINTS = 200
ROOT = Path(__file__).resolve().parents[2]


class Generator:
    """Random trees: nested tuples of an operator and operands, variables by name, integers."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *items):
        return self.random.choice(items)

    def constant(self):
        return self.pick(0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 125, 127, 128, 249, 256) * self.pick(1, 1, 1, -1)

    def factor(self):
        return self.pick(2, 3, 4, 5, 7, 8, 16, 32, 60, 64, 125)

    def term(self, depth):
        """A tile origin, a clamp, a rounded quotient, or a sum of such."""
        if depth == 0:
            return self.pick("v0", "v1", "v2", "v3", "v4", "v5", "v0", "v1", "v2", self.constant())
        a = self.term(depth - 1)
        kind = self.random.randrange(11)
        if kind < 3:
            return (self.pick("+", "+", "-"), a, self.term(depth - 1))
        if kind == 3:
            return ("*", a, self.factor())
        if kind == 4:
            return ("+", a, self.constant())
        if kind == 5:
            return ("//", ("+", a, self.constant()), self.factor())
        if kind == 6:
            return ("%", a, self.factor())
        if kind == 7:
            low = self.constant()
            return ("max", ("min", a, low + abs(self.constant())), low)
        if kind == 8:
            c = self.factor()
            return ("*", ("//", ("+", a, self.pick(0, c - 1)), c), c)
        if kind == 9:
            return ("select", self.compare(depth - 1), a, self.term(depth - 1))
        return (self.pick("min", "max"), a, self.term(depth - 1))

    def near(self, a):
        """Something whose difference from `a` is bounded, or that is `a` in other words."""
        c = self.factor()
        kind = self.random.randrange(8)
        if kind == 0:
            return ("+", ("*", ("//", a, c), c), self.pick(0, c - 1, ("%", a, c)))
        if kind == 1:
            return (self.pick("min", "max"), a, ("+", a, self.constant()))
        if kind == 2:
            return (self.pick("min", "max"), a, self.term(1))
        if kind == 3:
            b = self.term(1)
            return ("-", ("+", ("min", a, b), ("max", a, b)), b)
        if kind == 4:
            d = self.pick(2, 3, 4)
            return ("*", ("//", ("//", a, c), d), c * d)
        if kind == 5:
            return ("//", ("+", ("*", a, c), self.random.randrange(-c, c)), c)
        if kind == 6:
            return ("+", ("*", a, c), ("*", a, 1 - c))
        return a

    def compare(self, depth):
        op = self.pick("<", "<=", ">", ">=", "==", "!=")
        a = self.term(depth)
        if self.random.random() < 0.2:
            return (op, a, self.term(depth))
        b = self.near(a)
        if self.random.random() < 0.5:
            b = self.within(b)
            if self.random.random() < 0.5:
                a = self.within(a)
        return (op, a, ("+", b, self.constant()))

    def within(self, a):
        """A clamp or a rounded quotient of `a`, with something else beside it."""
        b, c = self.term(1), self.factor()
        return self.pick(
            ("max", ("min", a, b), self.constant()),
            ("min", a, ("max", b, self.near(b))),
            ("*", ("//", ("min", a, b), c), c),
            ("//", ("-", ("+", a, b), self.near(b)), c),
            ("max", a, ("-", ("+", a, ("%", b, c)), self.pick(0, c))),
        )

    def condition(self):
        first = self.compare(self.pick(1, 2, 2, 3, 3))
        if self.random.random() < 0.8:
            return first
        second = self.compare(self.pick(1, 2))
        return (self.pick("and", "or"), first, self.pick(second, ("not", second)))


def text(tree):
    """The tree as TVMScript."""
    if not isinstance(tree, tuple):
        return f"({tree})" if isinstance(tree, int) and tree < 0 else str(tree)
    op, *args = tree
    args = [text(a) for a in args]
    if op in ("min", "max"):
        return f"T.{op}({args[0]}, {args[1]})"
    if op == "select":
        return f"T.Select({', '.join(args)})"
    if op == "not":
        return f"(not {args[0]})"
    return f"({args[0]} {op} {args[1]})"


def variables(tree, found):
    if isinstance(tree, tuple):
        for a in tree[1:]:
            variables(a, found)
    elif isinstance(tree, str):
        found.add(tree)
    return found


def read(path):
    """The expressions of a table, over variables without ranges."""
    for line in path.read_text().splitlines():
        record = json.loads(line)
        if record.get("precond") or any(var != {"dtype": "int32"} for var in record["vars"].values()):
            sys.exit(f"{record['id']}: only variables of type int32 without ranges or preconditions can be judged")
        yield tuples(tvmexpr.parse(record["expr"], {name: "int32" for name in record["vars"]}))


def tuples(node):
    """The tree as the generator makes them."""
    if node.op == "const":
        return bool(node.value) if node.dtype == "bool" else node.value
    return node.value if node.op == "var" else (node.op.lower(), *map(tuples, node.args))


def fold(tree, leaf, ops):
    """The tree's value with the given meaning of variables, integers and operators."""
    if not isinstance(tree, tuple):
        return leaf(tree)
    return ops[tree[0]](*(fold(a, leaf, ops) for a in tree[1:]))


ARITHMETIC = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
}
PYTHON = ARITHMETIC | {
    "//": lambda a, b: a // b, "%": lambda a, b: a % b, "min": min, "max": max,
    "and": lambda a, b: a and b, "or": lambda a, b: a or b, "not": lambda a: not a,
    "select": lambda c, a, b: a if c else b,
}
# z3's integer division rounds down for positive divisors, and all divisors are positive constants.
Z3 = ARITHMETIC | {
    "//": lambda a, b: a / b, "%": lambda a, b: a % b,
    "min": lambda a, b: z3.If(a <= b, a, b), "max": lambda a, b: z3.If(a >= b, a, b),
    "and": z3.And, "or": z3.Or, "not": z3.Not, "select": z3.If,
}


def sampled(tree, names, rng):
    """The truth values seen at sample points."""
    seen = set()
    for _ in range(POINTS):
        spread = rng.choice([2, 10, 100, 1000, 100000])
        point = {name: rng.randint(-spread, spread) for name in names}
        seen.add(bool(fold(tree, lambda x: point.get(x, x), PYTHON)))
        if len(seen) == 2:
            break
    return seen


def judge(tree, names, rng):
    """`true`, `false`, `both` or `open`, with the sample points' values."""
    seen = sampled(tree, names, rng)
    if len(seen) == 2:
        return "both", seen
    ints = {name: z3.Int(name) for name in names}
    formula = fold(tree, lambda x: ints[x] if x in ints else z3.BoolVal(x) if isinstance(x, bool) else z3.IntVal(x), Z3)
    solver = z3.Solver()
    solver.set("timeout", Z3_LIMIT_MS)
    truth = seen.pop()
    seen.add(truth)
    solver.add(z3.Not(formula) if truth else formula)
    answer = solver.check()
    if answer == z3.unsat:
        return str(truth).lower(), seen
    return ("both" if answer == z3.sat else "open"), seen


def by_satir(satir, cases):
    lines = [
        json.dumps({"id": i, "vars": {n: {"dtype": "int32"} for n in names}, "expr": text(tree)})
        for i, (tree, names) in enumerate(cases)
    ]
    run = subprocess.run([satir, "expr"], input="\n".join(lines), capture_output=True, text=True, check=True)
    answers = []
    for line in run.stdout.splitlines():
        answer = json.loads(line)
        if "error" in answer:
            sys.exit(f"satir: {answer['error']}")
        result = answer["result"]
        answers.append((result if result in ("true", "false") else None, answer["time_us"]))
    return answers


def by_tvm(cases):
    from tvm import sym, tirx

    ops = PYTHON | {
        "//": tirx.floordiv, "%": tirx.floormod, "min": tirx.min, "max": tirx.max,
        "==": lambda a, b: tirx.EQ(a, b), "!=": lambda a, b: tirx.NE(a, b),
        "and": tirx.And, "or": tirx.Or, "not": tirx.Not, "select": tirx.Select,
    }
    answers = []
    for tree, names in cases:
        vars_ = {name: tirx.Var(name, "int32") for name in names}
        e = fold(tree, lambda x: vars_[x] if x in vars_ else tirx.IntImm("bool" if isinstance(x, bool) else "int32", x), ops)
        start = time.perf_counter()
        analyzer = sym.Analyzer()
        decided = None
        simple = analyzer.simplify(e) if not isinstance(e, bool) else e
        if isinstance(simple, (bool, tirx.IntImm)):
            decided = str(bool(int(simple))).lower()
        elif analyzer.can_prove(simple):
            decided = "true"
        elif analyzer.can_prove(tirx.Not(simple)):
            decided = "false"
        answers.append((decided, (time.perf_counter() - start) * 1e6))
    return answers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", nargs="?", type=Path, help="JSON lines; without it, expressions are generated")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--satir", default=str(ROOT / "target" / "release" / "satir"))
    parser.add_argument("--no-tvm", action="store_true", help="leave TVM out")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N decidable ones that satir leaves open")
    args = parser.parse_args()

    generator, rng = Generator(args.seed), random.Random(args.seed)
    cases, seen = [], set()
    for tree in read(args.table) if args.table else iter(generator.condition, None):
        names = sorted(variables(tree, set()))
        if names and tree not in seen:
            seen.add(tree)
            cases.append((tree, names))
        if not args.table and len(cases) == args.count:
            break

    provers = {"satir": by_satir(args.satir, cases)}
    if not args.no_tvm:
        provers["TVM"] = by_tvm(cases)
    start = time.perf_counter()
    truths = [judge(tree, names, rng) for tree, names in cases]
    z3_time = time.perf_counter() - start
    count = {t: sum(t == truth for truth, _ in truths) for t in ("true", "false", "both", "open")}
    source = "" if args.table else f", seed {args.seed}"
    print(f"{len(cases)} expressions{source}; by z3 ({z3_time:.0f} s): " + ", ".join(f"{n} {t}" for t, n in count.items()))
    decidable = count["true"] + count["false"]
    print(f"{'':8} {'true':>12} {'false':>12} {'decided':>9} {'wrong':>6} {'median us':>10} {'p99 us':>9}")
    failed = False
    for name, answers in provers.items():
        hit = {t: sum(a == truth == t for (a, _), (truth, _) in zip(answers, truths)) for t in ("true", "false")}
        wrong = [
            i for i, ((a, _), (truth, points)) in enumerate(zip(answers, truths))
            if a and (truth not in (a, "open") or points != {a == "true"})
        ]
        times = sorted(t for _, t in answers)
        shown = [f"{hit[t]} / {count[t]}" for t in ("true", "false")]
        rate = 100 * sum(hit.values()) / max(decidable, 1)
        median, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
        print(f"{name:8} {shown[0]:>12} {shown[1]:>12} {rate:8.1f}% {len(wrong):6} {median:10.0f} {p99:9.0f}")
        failed |= name == "satir" and bool(wrong)
        for i in wrong[:5] if name == "satir" else []:
            print(f"  wrong: {answers[i][0]} for {text(cases[i][0])}")
    left = [i for i, (truth, _) in enumerate(truths) if truth in ("true", "false") and not provers["satir"][i][0]]
    for i in left[: args.show]:
        print(f"  left open ({truths[i][0]}): {text(cases[i][0])}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
