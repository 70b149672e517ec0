"""Compares the reference interpreter with TVM's LLVM build on the programs of a corpus.

For every program that runs on a CPU: TVM builds it with LLVM and runs it on seeded inputs, `satir run` runs it on the
same inputs, and all buffers are compared afterwards, integers exactly, floats to a relative tolerance.

TVM does not always build the stages of one program to the same function: it can mistake the second declaration of a
buffer's memory, which its own lowering makes, for a buffer of its own. Where its build of a stage differs from the
interpreter, the build of the earliest stage decides, and the line says so.

    python tests/tvm/run_llvm.py --satir target/release/satir --corpus shared/corpus [--stage precse] [NAME …]

Needs apache-tvm 0.27 with LLVM, and numpy. Exits with 1 if a program differs or cannot be run.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import tvm
from tvm.script import from_source
from tvm.tirx import IntImm
from tvm.tirx.analysis import undefined_vars

STAGES = ["precse", "preflat", "presimp"]


def evaluate(expr, bindings):
    """The value of a shape expression under bindings of its variables by name."""
    if isinstance(expr, int):
        return expr
    analyzer = tvm.sym.Analyzer()
    for var in undefined_vars(expr):
        analyzer.bind(var, IntImm(str(var.ty), bindings[var.name]))
    return int(analyzer.simplify(expr))


def parameters(func, bindings):
    """Per parameter ("buffer", name, dtype, shape) or ("scalar", name, dtype, value)."""
    result = []
    for param in func.params:
        if isinstance(param.ty, tvm.tirx.BufferType):
            shape = tuple(evaluate(dim, bindings) for dim in param.shape)
            result.append(("buffer", param.name, str(param.dtype), shape))
        else:
            result.append(("scalar", param.name, str(param.ty), bindings[param.name]))
    return result


def contents(random, dtype, shape, constraint):
    """Random contents of a buffer."""
    size = shape
    kind = constraint["kind"] if constraint else None
    if kind == "values":
        values = np.resize(np.array(constraint["values"]), size)
    elif kind == "randint":
        values = random.integers(constraint["lo"], constraint["hi"], size)
    elif kind == "uniform":
        values = random.uniform(constraint["lo"], constraint["hi"], size)
    elif np.dtype(dtype).kind == "f":
        values = random.uniform(-1, 1, size)
    elif np.dtype(dtype).kind == "b":
        values = random.integers(0, 2, size)
    else:
        values = random.integers(0, 8, size)
    return np.ascontiguousarray(values).astype(dtype).reshape(size)


def make_inputs(params, constraints, seed):
    """Contents for all buffers. A constraint that names no buffer is for the only integer buffer: TVM renames some."""
    random = np.random.default_rng(seed)
    names = {name for kind, name, *_ in params if kind == "buffer"}
    stray = [c for name, c in constraints.items() if name not in names]
    integers = [name for kind, name, dtype, _ in params if kind == "buffer" and np.dtype(dtype).kind in "iu"]
    arrays = {}
    for kind, name, dtype, shape in params:
        if kind == "buffer":
            constraint = constraints.get(name)
            if constraint is None and len(stray) == 1 and integers == [name]:
                constraint = stray[0]
            arrays[name] = contents(random, dtype, shape, constraint)
    return arrays


def write_tensors(path, arrays):
    """The exchange format of `satir run`: a line of JSON, then the contents."""
    header = {"tensors": [{"name": n, "dtype": str(a.dtype), "shape": list(a.shape)} for n, a in arrays.items()]}
    with open(path, "wb") as file:
        file.write(json.dumps(header).encode() + b"\n")
        for array in arrays.values():
            file.write(array.tobytes())


def read_tensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.readline())
        arrays = {}
        for entry in header["tensors"]:
            dtype, shape = np.dtype(entry["dtype"]), tuple(entry["shape"])
            size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
            arrays[entry["name"]] = np.frombuffer(file.read(size), dtype).reshape(shape)
        return arrays


@tvm.ir.instrument.pass_instrument
class FromCsePoint:
    """Has TVM's pipeline begin behind its CommonSubexprElim: for modules that have come that far. Some of the passes
    before it are not made for what comes after it; CompactBufferAllocation, for one, looks through bindings and may
    make divisions by zero of what it finds."""

    def __init__(self):
        self.reached = False

    def should_run(self, _module, info):
        if info.name == "tirx.CommonSubexprElim":
            self.reached = True
            return False
        # The default pipeline is itself a pass, made of a sequence of passes.
        return self.reached or info.name in ("_pipeline", "sequential", "tirx.BindTarget")


def run_tvm(module, params, arrays, rest_only=False):
    """All buffers after a run of the LLVM build, made by all of TVM's pipeline or by what follows its CSE."""
    with tvm.transform.PassContext(instruments=[FromCsePoint()] if rest_only else []):
        built = tvm.compile(module, target="llvm")
    tensors = {name: tvm.runtime.tensor(array) for name, array in arrays.items()}
    arguments = [tensors[name] if kind == "buffer" else value for kind, name, _, value in params]
    built["main"](*arguments)
    return {name: tensor.numpy() for name, tensor in tensors.items()}


def run_satir(satir, path, bindings, arrays, folder):
    """All buffers after a run of the interpreter."""
    inputs, outputs = folder / "inputs", folder / "outputs"
    write_tensors(inputs, arrays)
    command = [satir, "run", path, "--load", inputs, "--save", outputs, "--lenient-loads"]
    if bindings:
        command += ["--bind", ",".join(f"{name}={value}" for name, value in bindings.items())]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"satir run: {done.stderr.strip() or done.stdout.strip()}")
    return read_tensors(outputs)


def difference(expected, found, tolerance):
    """What differs, or None."""
    for name, want in expected.items():
        got = found[name]
        if np.dtype(want.dtype).kind == "f":
            equal = np.isclose(got, want, rtol=tolerance, atol=tolerance, equal_nan=True)
        else:
            equal = got == want
        if not np.all(equal):
            where = tuple(int(k) for k in np.argwhere(~equal)[0])
            count = int(np.sum(~equal))
            return f"{name}{list(where)}: LLVM {want[where]}, satir {got[where]} ({count} of {want.size} differ)"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--satir", default="target/release/satir", help="the binary")
    parser.add_argument("--corpus", type=pathlib.Path, default=pathlib.Path("shared/corpus"))
    parser.add_argument("--stage", choices=STAGES, action="append", help="point of TVM's pipeline (default: precse)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tolerance", type=float, default=1e-5)
    parser.add_argument("names", nargs="*", help="programs (default: all that run on a CPU)")
    args = parser.parse_args()

    programs = json.loads((args.corpus / "index.json").read_text())["programs"]
    wanted = [p for p in programs if p["runnable"] and p["device"] == "cpu"]
    if args.names:
        wanted = [p for p in wanted if p["name"] in args.names]
    failures, agreed = [], 0
    for stage in args.stage or ["precse"]:
        for program in wanted:
            if stage not in program["variants"]:
                continue
            path = args.corpus / stage / program["file"]
            label = f"{stage}/{program['name']}"
            try:
                module = from_source(path.read_text())
                params = parameters(module["main"], program["bindings"])
                arrays = make_inputs(params, program["inputs"], args.seed)
                expected = run_tvm(module, params, arrays)
                start = time.monotonic()
                with tempfile.TemporaryDirectory() as folder:
                    found = run_satir(args.satir, path, program["bindings"], arrays, pathlib.Path(folder))
                seconds = time.monotonic() - start
                what = difference(expected, found, args.tolerance)
                note = ""
                if what is not None and program["variants"][-1] != stage:
                    earliest = args.corpus / program["variants"][-1] / program["file"]
                    expected = run_tvm(from_source(earliest.read_text()), params, arrays)
                    if difference(expected, found, args.tolerance) is None:
                        what, note = None, f", but TVM's build of this stage: {what}"
            except Exception as error:  # one program must not stop the others
                what = f"{type(error).__name__}: {str(error)[-400:]}"
                seconds = 0.0
            if what is None:
                agreed += 1
                print(f"ok   {label} ({seconds:.2f} s){note}")
            else:
                failures.append(label)
                print(f"FAIL {label}: {what}")
            sys.stdout.flush()
    print(f"{agreed} agree, {len(failures)} fail" + "".join(f"\n  {name}" for name in failures))
    return 1 if failures or agreed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
