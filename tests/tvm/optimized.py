"""Checks with the real TVM what satir makes of programs.

For every program of the example kernels and of a corpus: satir optimizes it (semantic and syntactic mode), TVM parses the
result and finds it well-formed, and `satir equiv` finds no difference. Programs of the corpus that run on a CPU are
built by TVM's LLVM backend, before and after, and run on the same inputs; integers must agree exactly, floats to a
relative tolerance. Of its pipeline, an optimized program from the point before CSE goes through what follows CSE, as
if satir had been called in the place of TVM's pass; one from an earlier point goes through everything.

    python tests/tvm/optimized.py [--satir target/release/satir] [--corpus ../shared/corpus] [NAME …]

Needs apache-tvm 0.27 with LLVM, and numpy. Exits with 1 if anything differs or fails.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

import tvm
from tvm.script import from_source

from run_llvm import difference, make_inputs, parameters, run_tvm

ROOT = pathlib.Path(__file__).resolve().parents[2]


def satir(command):
    """Standard output of a run that must succeed."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command[:2]))}: {done.stderr.strip()[-400:]}")
    return done.stdout


def as_module(text):
    """What TVM makes of a text; a bare function becomes a module."""
    parsed = from_source(text)
    return parsed if isinstance(parsed, tvm.IRModule) else tvm.IRModule({"main": parsed})


def well_formed(module):
    """What TVM's own check says of all functions."""
    check = tvm.tirx.analysis.verify_well_formed
    return all(check(func, assert_mode=False) for func in module.functions.values())


def optimize(args, program, mode):
    """The optimized text, which TVM accepts and the interpreter finds equal."""
    binds = ",".join(f"{name}={value}" for name, value in program["bindings"].items())
    text = satir([args.satir, "cse", program["path"], "--mode", mode, "--bind", binds])
    module = as_module(text)
    # TVM's check refuses some constructs of early stages altogether.
    if well_formed(as_module(program["path"].read_text())) and not well_formed(module):
        raise RuntimeError("TVM: the result is not well-formed")
    if not args.no_equiv and program["runnable"]:
        other = subprocess.run(
            [str(args.satir), "equiv", str(program["path"]), "-", "--bind", binds, "--fixed", "--runs", "2"]
            + ["--lenient-loads", "--constraints", json.dumps(program["inputs"])],
            input=text, capture_output=True, text=True,
        )
        if other.returncode != 0:
            raise RuntimeError(f"equiv: {other.stderr.strip()[-400:]}")
    return module


def check(args, program):
    """None, or what is wrong."""
    expected = None
    for mode in args.mode or ["semantic", "syntactic"]:
        try:
            module = optimize(args, program, mode)
            if not (program["build"] and program["runnable"]):
                continue
            if expected is None:
                original = as_module(program["path"].read_text())
                params = parameters(original["main"], program["bindings"])
                arrays = make_inputs(params, program["inputs"], args.seed)
                expected = run_tvm(original, params, arrays, rest_only=program["stage"] == "precse")
            found = run_tvm(module, params, arrays, rest_only=program["stage"] == "precse")
            what = difference(expected, found, args.tolerance)
        except Exception as error:  # one program must not stop the others
            what = f"{type(error).__name__}: {str(error)[-400:]}"
        if what is not None:
            return f"{mode}: {what}"
    return None


def kernels():
    """The example kernels, with what their header lines say."""
    for path in sorted((ROOT / "examples/kernels").glob("*.py")):
        text = path.read_text()
        # tests/kernels.rs sees to it that none of these comments is misspelt.
        bind = re.search(r"^# bind: (.*)$", text, re.M)
        pairs = [part.split("=") for part in bind.group(1).split(",")] if bind else []
        inputs = re.search(r"^# constraints: (.*)$", text, re.M)
        yield {
            "label": f"kernels/{path.stem}",
            "path": path,
            "bindings": {name: int(value) for name, value in pairs},
            "inputs": json.loads(inputs.group(1)) if inputs else {},
            "runnable": True,
            "build": False,
        }


def corpus(folder, stages):
    """The programs of the corpus at the given points of TVM's pipeline."""
    index = folder / "index.json"
    if not index.exists():
        print(f"no corpus in {folder}: only the example kernels are checked")
        return
    for program in json.loads(index.read_text())["programs"]:
        for stage in stages:
            if stage in program["variants"]:
                yield program | {
                    "label": f"{stage}/{program['name']}",
                    "path": folder / stage / program["file"],
                    "stage": stage,
                    "build": program["device"] == "cpu",
                }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--satir", type=pathlib.Path, default=ROOT / "target/release/satir", help="the binary")
    parser.add_argument("--corpus", type=pathlib.Path, default=ROOT / "../shared/corpus")
    parser.add_argument("--stage", action="append", help="point of TVM's pipeline (default: precse)")
    parser.add_argument("--mode", action="append", choices=["semantic", "syntactic"], help="default: both")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tolerance", type=float, default=1e-5)
    parser.add_argument("--no-equiv", action="store_true", help="do not run the interpreter")
    parser.add_argument("names", nargs="*", help="parts of names of programs (default: all)")
    args = parser.parse_args()

    programs = [*kernels(), *corpus(args.corpus, args.stage or ["precse"])]
    wanted = [p for p in programs if not args.names or any(name in p["label"] for name in args.names)]
    failures = []
    for program in wanted:
        what = check(args, program)
        if what is not None:
            failures.append(program["label"])
            print(f"FAIL {program['label']}: {what}", flush=True)
    print(f"{len(wanted) - len(failures)} of {len(wanted)} programs are right after optimization")
    return 1 if failures or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
