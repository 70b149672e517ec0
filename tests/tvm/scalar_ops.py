"""Compares every scalar operation of the interpreter with TVM's LLVM build, on boundary and random values.

One program for each data type applies all operators and exact intrinsics to the elements of two arrays, another one
casts to every other type. Integers and floats must agree in every bit (NaNs count as equal), elementary functions up to
a tolerance.

    python tests/tvm/scalar_ops.py --satir target/release/satir

Needs apache-tvm 0.27 with LLVM, and numpy. Exits with 1 on a difference.
"""

import argparse
import pathlib
import sys
import tempfile

import numpy as np
import tvm
from tvm.script import from_source

from run_llvm import difference, run_satir, run_tvm

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COUNT = 4096

ARITHMETIC = ["{a} + {b}", "{a} - {b}", "{a} * {b}", "T.min({a}, {b})", "T.max({a}, {b})"]
COMPARISONS = ["{a} < {b}", "{a} <= {b}", "{a} > {b}", "{a} >= {b}", "{a} == {b}", "{a} != {b}"]
DIVISIONS = ["{a} // {b}", "{a} % {b}", "T.truncdiv({a}, {b})", "T.truncmod({a}, {b})"]
BITS = [
    "T.bitwise_and({a}, {b})",
    "T.bitwise_or({a}, {b})",
    "T.bitwise_xor({a}, {b})",
    "T.bitwise_not({a})",
    "T.shift_left({a}, {s})",
    "T.shift_right({a}, {s})",
    "T.popcount({a})",
]
EXACT = ["{a} / {b}", "T.floor({a})", "T.ceil({a})", "T.trunc({a})", "T.round({a})", "T.nearbyint({a})"]
EXACT += ["T.sqrt({a})", "T.fabs({a})", "T.copysign({a}, {b})"]
ELEMENTARY = ["T.exp({a})", "T.log({p})", "T.tanh({a})", "T.erf({a})", "T.sigmoid({a})", "T.rsqrt({p})"]
ELEMENTARY += ["T.sin({a})", "T.cos({a})", "T.pow({p}, {b})", "T.exp2({a})", "T.log1p({p})", "T.atan({a})"]


def values(random, dtype):
    """Operands of a type: small ones, the ends of the range where arithmetic wraps, special floats."""
    kind = np.dtype(dtype).kind
    if kind == "f":
        special = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan]
        pool = np.concatenate([special, random.uniform(-4, 4, 500), random.integers(-9, 9, 100) / 2])
        return random.choice(pool, COUNT).astype(dtype)
    info = np.iinfo(dtype)
    small = random.integers(max(info.min, -100), 101, 200)
    pool = [int(v) for v in small]
    # int32 and int64 do not wrap: an overflow there has no meaning to compare.
    if dtype not in ("int32", "int64"):
        pool += [info.min, info.min + 1, info.max, info.max - 1, info.max // 2, info.max // 2 + 1] * 10
    return np.array([pool[k] for k in random.integers(0, len(pool), COUNT)], dtype=dtype)


def program(dtype, operations, outputs):
    """A module that stores one operation's results in one buffer each."""
    names = [f"R{k}" for k in range(len(operations))]
    parameters = [f'{name}: T.Buffer(({COUNT},), "{dtype}")' for name in "ABPS"]
    parameters += [f'{name}: T.Buffer(({COUNT},), "{out}")' for name, out in zip(names, outputs)]
    lines = ["@I.ir_module", "class Module:", "    @T.prim_func(s_tir=True)"]
    lines += [f"    def main({', '.join(parameters)}):", f"        for i in range({COUNT}):"]
    for name, operation in zip(names, operations):
        lines.append(f"            {name}[i] = {operation.format(a='A[i]', b='B[i]', p='P[i]', s='S[i]')}")
    return "\n".join(lines) + "\n"


def arrays_for(random, dtype, outputs):
    a, b = values(random, dtype), values(random, dtype)
    if np.dtype(dtype).kind != "f":
        b[b == 0] = 3
        if np.dtype(dtype).kind == "i":
            b[b == -1] = -2  # the smallest number divided by -1 traps on x86
        p, s = np.abs(a), random.integers(0, np.dtype(dtype).itemsize * 8, COUNT).astype(dtype)
    else:
        p, s = random.uniform(0.01, 8, COUNT).astype(dtype), np.zeros(COUNT, dtype)
    arrays = {"A": a, "B": b, "P": p, "S": s}
    for k, out in enumerate(outputs):
        arrays[f"R{k}"] = np.zeros(COUNT, out)
    return arrays


def can_build(dtype, operation, out):
    """Whether TVM's LLVM build has the operation for this type."""
    try:
        tvm.compile(from_source(program(dtype, [operation], [out])), target="llvm")
        return True
    except tvm.error.InternalError as error:
        print(f"skip {dtype} {operation}: {str(error)[:80]}")
        return False


def check(satir, label, dtype, operations, outputs, tolerance, arrays):
    """Runs one program both ways; the number of operations that differ."""
    text = program(dtype, operations, outputs)
    params = [("buffer", name, str(array.dtype), array.shape) for name, array in arrays.items()]
    expected = run_tvm(from_source(text), params, arrays)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.py"
        path.write_text(text)
        found = run_satir(satir, path, {}, arrays, pathlib.Path(folder))
    failures = 0
    for k, operation in enumerate(operations):
        what = difference({f"R{k}": expected[f"R{k}"]}, found, tolerance)
        if what is None and tolerance == 0 and np.dtype(outputs[k]).kind == "f":
            want, got = expected[f"R{k}"], found[f"R{k}"]
            signs = (np.signbit(want) != np.signbit(got)) & ~np.isnan(want)
            what = f"sign of zero in {int(signs.sum())} places" if signs.any() else None
        if what is not None:
            failures += 1
            print(f"FAIL {label} {operation}: {what}")
            where = np.argwhere(~np.isclose(expected[f"R{k}"].astype(float), found[f"R{k}"].astype(float),
                                            rtol=tolerance, atol=tolerance, equal_nan=True))
            for (i,) in where[:3]:
                print(f"     A = {arrays['A'][i]}, B = {arrays['B'][i]}, P = {arrays['P'][i]}, S = {arrays['S'][i]}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--satir", default="target/release/satir", help="the binary")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    random = np.random.default_rng(args.seed)
    checked = failures = 0
    for dtype in INTS + FLOATS:
        is_float = dtype in FLOATS
        groups = [(ARITHMETIC, dtype, 0), (COMPARISONS, "bool", 0)]
        groups += [(EXACT, dtype, 0), (ELEMENTARY, dtype, 2e-3 if dtype == "float16" else 2e-6)] if is_float else []
        groups += [] if is_float else [(DIVISIONS, dtype, 0), (BITS, dtype, 0)]
        for operations, out, tolerance in groups:
            operations = [op for op in operations if can_build(dtype, op, out)]
            outputs = [out] * len(operations)
            arrays = arrays_for(random, dtype, outputs)
            failures += check(args.satir, dtype, dtype, operations, outputs, tolerance, arrays)
            checked += len(operations)
        targets = [t for t in INTS + FLOATS + ["bool"] if t != dtype]
        arrays = arrays_for(random, dtype, targets)
        if is_float:
            # Out of the target's range a cast has no defined result.
            arrays["A"] = random.uniform(0, 100, COUNT).astype(dtype)
        casts = [f'T.Cast("{t}", {{a}})' for t in targets]
        failures += check(args.satir, f"{dtype} cast", dtype, casts, targets, 0, arrays)
        checked += len(casts)
    print(f"{checked} operations compared, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
