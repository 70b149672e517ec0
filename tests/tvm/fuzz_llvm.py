"""Random programs, built and run by TVM's LLVM backend before and after optimization.

`satir fuzz programs --portable --print` makes the programs. Each is run by satir's interpreter on seeded inputs; if it
runs to its end, TVM builds and runs it as it is and as satir optimized it, and all three must leave the same in every
buffer: integers exactly, floats to a relative tolerance. Each program has a process of its own, so that one that dies
is a failure and not the end. TVM's own simplifier cannot take all that it reads (`T.truncmod` of sums of uint8, say):
optimized programs on which its passes stop are shown, and tolerated up to one in twenty.

    python tests/tvm/fuzz_llvm.py [--satir target/release/satir] [--seed 0] [--count 100] [--seconds 60]

Needs apache-tvm 0.27 with LLVM, and numpy. Exits with 1 if anything differs or fails, or if hardly anything was compared.
"""

import argparse
import multiprocessing
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np
import tvm
from tvm.script import from_source

from run_llvm import difference, make_inputs, parameters, run_satir, run_tvm

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZES = [0, 1, 2, 3, 5, 8, 13, 17]


def values(module, random):
    """Values for all that is no buffer: sizes, and scalar parameters within their types."""
    found = {}
    for param in module["main"].params:
        if isinstance(param.ty, tvm.tirx.BufferType):
            for extent in param.shape:
                for var in tvm.tirx.analysis.undefined_vars(extent) if not isinstance(extent, int) else []:
                    found.setdefault(var.name, int(random.choice(SIZES)))
        else:
            kind = str(param.ty)
            low, high = (0, 2) if kind == "bool" else (0, 18) if kind.startswith("uint") else (-17, 18)
            value = int(random.integers(low, high))
            if wraps(kind) and random.random() < 0.3:
                # A call takes its integers as int64.
                value = min(int(random.choice(ends(kind))), 2**63 - 1)
            found[param.name] = value
    return found


def wraps(dtype):
    """Whether arithmetic of the type may overflow."""
    return dtype in ("int8", "int16") or dtype.startswith("uint")


def ends(dtype):
    """The ends of an integer type, and the middle, from which the numbers of some are negative when misread."""
    info = np.iinfo(dtype)
    return np.array([info.min, info.max, info.max - 1, info.max // 2, info.max // 2 + 1], dtype=dtype)


def with_ends(arrays, random):
    """Some elements of types that wrap become ends of the type."""
    for name, array in arrays.items():
        if wraps(str(array.dtype)):
            chosen = random.random(array.shape) < 0.15
            arrays[name] = np.where(chosen, random.choice(ends(array.dtype), array.shape), array).astype(array.dtype)
    return arrays


def check(satir, text, seed, tolerance):
    """("agree" | "skip" | "stop" | "FAIL", why)."""
    random = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        path = folder / "program.py"
        path.write_text(text)
        try:
            module = from_source(text)
        except Exception as error:
            # TVM folds what is never evaluated as well.
            return "skip" if "Divide by zero" in str(error) else "FAIL", f"TVM does not read the program: {error}"
        bindings = values(module, random)
        params = parameters(module["main"], bindings)
        small = {"kind": "randint", "lo": -9, "hi": 10}
        signed = [name for kind, name, dtype, _ in params if kind == "buffer" and dtype.startswith("int")]
        arrays = with_ends(make_inputs(params, {name: small for name in signed}, seed), random)
        try:
            expected = run_satir(satir, path, bindings, arrays, folder)
        except RuntimeError as error:
            return "skip", str(error)
        try:
            before = run_tvm(module, params, arrays)
        except Exception as error:  # TVM cannot build all that it can parse
            return "skip", f"TVM: {error}"
        done = subprocess.run([satir, "cse", path], capture_output=True, text=True)
        if done.returncode != 0:
            return "FAIL", f"satir cse: {done.stderr.strip()}"
        try:
            optimized = from_source(done.stdout)
        except Exception as error:
            return "FAIL", f"TVM does not read the optimized program: {error}\n{done.stdout}"
        try:
            after = run_tvm(optimized, params, arrays)
        except Exception as error:
            return "stop", f"TVM on the optimized program: {error}\n{done.stdout}"
        # First whether satir changed anything, then whether the two machines agree on the program.
        what = difference(before, after, tolerance)
        if what is not None:
            return "FAIL", f"before and after optimization: {what} (with {bindings})\n{done.stdout}"
        what = difference(before, expected, tolerance)
        if what is None:
            return "agree", ""
        flat = tvm.tirx.transform.FlattenBuffer()(module)
        if difference(run_tvm(flat, params, arrays, rest_only=True), expected, tolerance) is None:
            return "skip", f"TVM's simplifier takes types that wrap not to: {what}"
        return "FAIL", f"build and interpreter: {what} (with {bindings})"


def work(pipe, *arguments):
    """Body of a program's process."""
    try:
        pipe.send(check(*arguments))
    except Exception as error:
        pipe.send(("FAIL", f"{type(error).__name__}: {error}"))


def guarded(*arguments):
    """As `check`, in a process of its own."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=work, args=(theirs, *arguments))
    process.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(120) else ("FAIL", "it does not end")
    except EOFError:
        process.join()
        return "FAIL", f"the process ended with {process.exitcode}"
    finally:
        process.kill()
        process.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--satir", type=pathlib.Path, default=ROOT / "target/release/satir", help="the binary")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first program")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seconds", type=float, help="start no further program after this time")
    parser.add_argument("--tolerance", type=float, default=1e-5)
    args = parser.parse_args()

    start = time.monotonic()
    command = [args.satir, "fuzz", "programs", "--portable", "--print", "--seed", args.seed, "--count", args.count]
    listing = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True).stdout
    programs = re.split(r"^# seed (\d+)\n", listing, flags=re.M)[1:]
    counts = {"agree": 0, "skip": 0, "stop": 0, "FAIL": 0}
    for seed, text in zip(programs[::2], programs[1::2]):
        if args.seconds is not None and time.monotonic() - start > args.seconds:
            break
        verdict, why = guarded(str(args.satir), text, int(seed), args.tolerance)
        counts[verdict] += 1
        if verdict in ("stop", "FAIL"):
            print(f"{verdict} seed {seed}: {why}\n{text}", flush=True)
    done = sum(counts.values())
    print(
        f"{done} random programs: {counts['agree']} agree, {counts['skip']} cannot be compared,"
        f" TVM stops on {counts['stop']}, {counts['FAIL']} fail"
    )
    return 1 if counts["FAIL"] or 20 * counts["stop"] > done or 2 * counts["agree"] < done or done == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
