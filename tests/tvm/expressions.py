"""Compares satir's reading of random expressions with TVM's own.

Each expression is parsed by TVM, and parsed and printed by satir; TVM must find the two equal. Types are mixed on
purpose: how numbers take types, what is folded, and how operators bind must all agree. Prints a summary line; exits 1
on a difference. What only one of the two accepts is counted and shown, not failed: TVM accepts `T.Ramp` of truth
values, satir accepts a float division by the constant zero.

    cargo build --release --example roundtrip
    python tests/tvm/expressions.py [--seed N] [--count N]
"""

import argparse
import random
import sys
from collections import Counter

import tvm_ffi
from roundtrip import as_module, run_text, satir_command

HEAD = """@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16, 16), "float32"), B: T.Buffer((64,), "int32"), n: T.int32, m: T.int32, q: T.int64, \
b8: T.int8, u: T.uint8, u32: T.uint32, u64: T.uint64, x: T.float32, h: T.float16, b: T.bool, c: T.bool):
"""

# The ends of all types' ranges, and what lies next to them.
ENDS = [
    f"T.{sign}int{bits}({end + by})"
    for bits in (8, 16, 32, 64)
    for sign, low, high in (("", -(2 ** (bits - 1)), 2 ** (bits - 1) - 1), ("u", 0, 2 ** bits - 1))
    for end, by in ((low, 0), (low, 1), (high, 0), (high, -1))
    if end + by < 2**63
] + [
    'T.max_value("uint64")', 'T.min_value("int64")', 'T.IntImm("uint64", 9223372036854775808)',
    'T.IntImm("uint64", 18446744073709551608)', "2147483647", "-2147483648",
]
FLOAT_ENDS = [
    'T.max_value("float32")', 'T.min_value("float64")', 'T.max_value("float16")', 'T.FloatImm("float64", 1e300)',
    "T.float32(1e-45)", "T.float64(5e-324)", 'T.float32("inf")', "T.float64(-0.0)",
]


class Generator:
    """Random expressions as text."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *items):
        return self.random.choice(items)

    def chance(self, p):
        return self.random.random() < p

    def integer(self, depth):
        if depth <= 0 or self.chance(0.3):
            if self.chance(0.15):
                return self.pick(*ENDS)
            return self.pick(
                "n", "m", "q", "b8", "u", "u32", "u64", "0", "1", "2", "7", "-1", "100", "T.int64(3)", "T.int8(2)",
                "T.uint8(0)", "T.int64(0)", "T.int64(1)", "B[n]", "b",
            )
        op = self.pick(
            "+", "-", "*", "//", "%", "+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>", "T.min", "T.max",
            "T.truncdiv", "T.truncmod", "T.Add", "T.Mul", "T.Sub", "T.FloorDiv", "T.ceildiv", "-", "~", "if",
            "select", "cast", "abs",
        )
        a, b = self.integer(depth - 1), self.integer(depth - 1)
        if op.startswith("T."):
            return f"{op}({a}, {b})"
        if op == "~":
            return f"~{self.integer(0)}"
        if op == "if":
            return f"T.if_then_else({self.truth(depth - 1)}, {a}, {b})"
        if op == "select":
            return f"T.Select({self.truth(depth - 1)}, {a}, {b})"
        if op == "cast":
            return f'T.Cast("{self.pick("int32", "int64", "uint8", "int8", "uint64")}", {a})'
        if op == "abs":
            return f"T.abs({a})"
        return f"{a} {op} {b}" if self.chance(0.5) else f"({a} {op} {b})"

    def floating(self, depth):
        if depth <= 0 or self.chance(0.3):
            if self.chance(0.15):
                return self.pick(*FLOAT_ENDS, f"T.float32({self.pick(*ENDS)})", f"T.float64({self.pick(*ENDS)})")
            return self.pick("x", "h", "1.0", "0.5", "T.float32(0.0)", "T.float16(2.0)", "A[n, m]", "2", "T.float64(1.5)", "n")
        op = self.pick("+", "-", "*", "/", "T.min", "T.max", "T.pow", "T.exp", "T.floor", "T.sqrt", "cast")
        a, b = self.floating(depth - 1), self.floating(depth - 1)
        if op in ("T.exp", "T.floor", "T.sqrt"):
            return f"{op}({a})"
        if op.startswith("T."):
            return f"{op}({a}, {b})"
        if op == "cast":
            return f'T.Cast("float32", {a})'
        return f"{a} {op} {b}" if self.chance(0.4) else f"({a} {op} {b})"

    def truth(self, depth):
        if depth <= 0 or self.chance(0.15):
            return self.pick("b", "c", "True", "T.bool(False)", "T.bool(True)", "n < m", "n == 3")
        kind = self.random.random()
        if kind < 0.5:
            operand = self.integer if self.chance(0.7) else self.floating
            return f"{operand(depth - 1)} {self.pick('<', '<=', '>', '>=', '==', '!=')} {operand(depth - 1)}"
        if kind < 0.9:
            return f"({self.truth(depth - 1)} {self.pick('and', 'or')} {self.truth(depth - 1)})"
        return f"not {self.truth(depth - 1)}"

    def vector(self, depth, lanes):
        if depth <= 0 or self.chance(0.4):
            return self.pick(
                f"T.Ramp({self.integer(0)}, 1, {lanes})", f"T.Broadcast({self.integer(0)}, {lanes})", "n", "1",
                f"T.Ramp(n, m, {lanes})",
            )
        op = self.pick("+", "-", "*", "//", "%", "<", "==")
        return f"({self.vector(depth - 1, lanes)} {op} {self.vector(depth - 1, lanes)})"

    def index(self):
        """An index of several elements; what it starts from may bind a variable."""
        start = self.integer(self.pick(0, 1, 2))
        if self.chance(0.5):
            start = f"T.Let({self.pick('v * v', 'v', 'v % 5 + n', 'v // 3')}, where={{v: T.Cast('int32', {start})}})"
        if self.chance(0.5):
            start = f"{start} % 7"
        return f"T.Ramp({start}, {self.pick(1, 1, 2, -1)}, {self.pick(2, 4)})"

    def expression(self):
        depth = self.pick(1, 2, 2, 3, 3, 4)
        kind = self.random.random()
        if kind < 0.4:
            return self.integer(depth)
        if kind < 0.6:
            return self.floating(depth)
        if kind < 0.9:
            return self.truth(depth)
        return self.vector(depth, self.pick(2, 4))


def tvm_module(text):
    """The module, or the first line of TVM's error."""
    try:
        module = as_module(text)
        module.script()
        return module, None
    except Exception as err:  # TVM raises many kinds
        return None, str(err).split("\n")[0][:100]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    args = parser.parse_args()
    generator = Generator(args.seed)
    command = satir_command()
    counts, one_sided, failures = Counter(), Counter(), 0
    for _ in range(args.count):
        expression = generator.expression()
        text = f"{HEAD}        T.evaluate({expression})\n        T.evaluate(n + 77)\n"
        if generator.chance(0.2):
            index = generator.index()
            expression = f"{expression}; B[{index}]"
            lanes = index[-2]
            text += f"        v = T.int32()\n        B[{index}] = T.Broadcast(1, {lanes})\n"
        ours, problem = run_text(command, text)
        theirs, tvm_problem = tvm_module(text)
        if ours is None or theirs is None:
            side = "both reject" if ours is None and theirs is None else "one rejects"
            counts[side] += 1
            if side == "one rejects":
                one_sided[problem or f"TVM: {tvm_problem}"] += 1
            continue
        again, reparse_problem = tvm_module(ours)
        if again is None or not tvm_ffi.structural_equal(theirs, again):
            failures += 1
            print(f"DIFFERS {expression}\n  satir: {ours.splitlines()[-2].strip()}\n  {reparse_problem or ''}")
        else:
            counts["equal"] += 1
    for problem, count in one_sided.most_common():
        print(f"  {count} x {problem}")
    print(f"expressions: {counts['equal']} equal, {counts['both reject']} rejected by both, "
          f"{counts['one rejects']} by one, {failures} different")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
