"""Checks with the real TVM that programs survive satir's parser and printer.

For every program of the given folders (default: examples/kernels, tests/script/programs and, when present,
../shared/corpus): satir parses and prints it, TVM parses both texts, and the two modules must be structurally equal. Prints a summary line; exits 1
if a program fails.

Run with a Python that has apache-tvm 0.27:

    cargo build --release --example roundtrip
    python tests/tvm/roundtrip.py [FOLDER | FILE]...
"""

import argparse
import subprocess
import sys
from pathlib import Path

import tvm
from tvm.script import from_source

ROOT = Path(__file__).resolve().parents[2]


def satir_command():
    """The command that parses and prints: the binary once it can, else the example."""
    for profile in ("release", "debug"):
        binary = ROOT / "target" / profile / "satir"
        if binary.exists():
            probe = subprocess.run([binary, "opt", "--list"], capture_output=True, check=False)
            if probe.returncode == 0 and probe.stdout.strip():
                return [str(binary), "opt", "--passes", "", "-"]
    for profile in ("release", "debug"):
        binary = ROOT / "target" / profile / "examples" / "roundtrip"
        if binary.exists():
            return [str(binary)]
    sys.exit("build it first: cargo build --release --example roundtrip")


def run_text(command, text):
    """What satir prints for a text, or the first line of its error."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.strip().split("\n")[0]
    return done.stdout, None


def as_module(text):
    """What TVM makes of a text; a bare function becomes a module."""
    parsed = from_source(text)
    if isinstance(parsed, tvm.IRModule):
        return parsed
    return tvm.IRModule({"main": parsed})


def check(command, path):
    """None, or what is wrong."""
    text = path.read_text()
    printed, problem = run_text(command, text)
    if printed is None:
        return f"satir: {problem}"
    try:
        before = as_module(text)
    except Exception as err:  # the program is none that TVM reads
        return f"TVM does not parse the original: {str(err).strip()[:300]}"
    try:
        after = as_module(printed)
    except Exception as err:
        return f"TVM does not parse satir's output: {str(err).strip()[:600]}"
    try:
        tvm.ir.assert_structural_equal(before, after)
    except ValueError as err:
        # What TVM's own printer cannot tell apart is equal enough.
        if before.script() == after.script():
            return None
        return f"differs: {str(err).strip()[:900]}"
    again, _ = run_text(command, printed)
    if again != printed:
        return "satir's output does not print as itself"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path)
    args = parser.parse_args()
    default = [ROOT / "examples" / "kernels", ROOT / "tests" / "script" / "programs", ROOT.parent / "shared" / "corpus"]
    paths = args.paths or [path for path in default if path.exists()]
    files = []
    for path in paths:
        files += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    if not files:
        sys.exit("no programs found")
    command = satir_command()
    failures = []
    for path in files:
        problem = check(command, path)
        if problem is not None:
            failures.append(path)
            print(f"FAIL {path}\n  {problem}", flush=True)
    print(f"roundtrip: {len(files) - len(failures)} of {len(files)} programs equal after satir and TVM")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
