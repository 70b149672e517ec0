"""Random programs: whether TVM parses and compiles what satir makes of them, for many thousands.

`satir fuzz programs --print` makes the programs, and satir optimizes them in several ways, hundreds at a time. TVM must
parse every result, find it well-formed if the program is, and compile each of its functions for LLVM if it compiles that
of the program: not all that TVM reads gets through its passes. Where these stop at a result as they stop at many
programs, it depends on what they found out to be dead code before: such results are counted, and tolerated up to one
program in fifty. Nothing is run (fuzz_llvm.py does that, much slower). TVM works in processes that are started again
when one dies.

    python tests/tvm/fuzz_compiles.py [--satir target/release/satir] [--seed 0] [--count 1000] [--jobs 2] [--seconds 600]

Needs apache-tvm 0.27 with LLVM. Exits with 1 if TVM does not take a result, or hardly any program.
"""

import argparse
import collections
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import tvm
from tvm.script import from_source

ROOT = pathlib.Path(__file__).resolve().parents[2]

# How satir makes results of programs.
WAYS = {
    "printed": ["opt", "--passes", ""],
    "simplify": ["simplify"],
    "syntactic": ["cse", "--mode", "syntactic"],
    "unsimplified": ["cse", "--no-simplify"],
    "semantic": ["cse"],
}

# What programs are compiled for: it is asked whether TVM's passes and code generator take them, not how fast they are.
TARGET = {"kind": "llvm", "opt-level": 0}

# Seconds after which a program is given up.
PATIENCE = 120

# What may keep TVM from reading a program or a result of it: it folds also what is never evaluated.
FOLDED = "Divide by zero"

# The same in its analysis of bounds, of a program.
BOUND_OF_NOTHING = "Find divide by zero"

# What may keep TVM from reading a program: it folds constants of unsigned types as if none was taken from a smaller one.
FOLDED_BELOW_ZERO = "will cause a negative uint"


# Where TVM's passes stop at many programs as well, if they do not see that it is dead code: vectors and copies of loops of
# unknown length, threads on a CPU, bindings in expressions that are read twice with more known the second time,
# constants that TVM folds in a type that cannot hold them, divisions of constants by 0.
STOPS = [
    "Cannot unroll non-constant loop",
    "Failed to vectorize loop with extent",
    "not implemented",
    "conflicts with previous binding",
    "Literal value 9223372036854775",
    FOLDED,
]


def first_line(error):
    """The message of TVM without what it depends on."""
    text = str(error).strip()
    lines = [line for line in text.splitlines() if line.strip()]
    if type(error).__name__ == "DiagnosticError" or text.startswith("error:"):
        return lines[0] if lines else ""
    return f"{type(error).__name__}: {lines[0] if lines else ''}"


def taken(text):
    """What keeps TVM from taking a program: None or a message for the text, and for each function."""
    try:
        module = from_source(text)
    except Exception as error:
        return first_line(error), {}
    found = {"well-formed": None if tvm.tirx.analysis.verify_well_formed(module, assert_mode=False) else "it is not"}
    for name, func in [(var.name_hint, func) for var, func in module.functions.items()]:
        try:
            tvm.compile(tvm.IRModule({name: func.with_attr("global_symbol", name)}), target=TARGET)
            found[name] = None
        except Exception as error:
            found[name] = first_line(error)
    return None, found


def judge(program, results, through):
    """("taken" | "refused", []) for the program, with a list of results that TVM does not take and why. Sets `through` once
    TVM is through with the program."""
    start = time.monotonic()
    why, before = taken(program)
    if time.monotonic() - start > PATIENCE / (2 * len(WAYS)):
        # Its results would take as long each.
        return "refused", []
    through.value = 1
    if why is not None:
        if any(reason in why for reason in (FOLDED, BOUND_OF_NOTHING, FOLDED_BELOW_ZERO)):
            return "refused", []
        return "FAIL", [("program", program, why)]
    wrong, seen = [], {program: (None, before)}
    for way, text in results.items():
        if text not in seen:
            seen[text] = taken(text)
            why, after = seen[text]
            worse = [name for name, what in before.items() if what is None and after.get(name, "it is gone") is not None]
            if why is not None:
                wrong.append((way, text, f"not parsed: {why}"))
            wrong += [(way, text, f"{name}: {after.get(name, 'it is gone')}") for name in worse]
    compiled = None in [what for name, what in before.items() if name != "well-formed"]
    return ("taken" if compiled else "refused"), wrong


def work(pipe, through):
    """Body of a process that asks TVM."""
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    while True:
        pipe.send(judge(*pipe.recv(), through))


class Worker:
    """A process that asks TVM about one program after the other."""

    def __init__(self):
        self.process = None
        self.seed = None
        self.since = 0.0
        self.through = multiprocessing.Value("b", 0)

    def give(self, seed, program, results):
        """Lets it begin with a program."""
        if self.process is None:
            self.pipe, theirs = multiprocessing.Pipe()
            self.process = multiprocessing.get_context("fork").Process(
                target=work, args=(theirs, self.through), daemon=True
            )
            self.process.start()
            theirs.close()
        self.seed, self.since, self.through.value = seed, time.monotonic(), 0
        self.pipe.send((program, results))

    def answer(self):
        """What it says, once its pipe is ready or its time is over."""
        try:
            if self.pipe.poll():
                return self.pipe.recv()
            why = f"no answer in {PATIENCE} s"
        except EOFError:
            why = "the process died"
        self.end()
        # TVM may die of the program as it is, or take too long for it.
        return ("FAIL", [("a result", "", why)]) if self.through.value else ("refused", [])

    def end(self):
        """Ends the process."""
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.process = None


def batch(args, seed, count):
    """(seed, program, {way: result}) for some programs."""
    command = [args.satir, "fuzz", "programs", "--print", "--seed", seed, "--count", count]
    listing = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True).stdout
    parts = re.split(r"^# seed (\d+)\n", listing, flags=re.M)[1:]
    programs = dict(zip(parts[::2], parts[1::2]))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "programs").mkdir()
        for name, text in programs.items():
            (folder / "programs" / f"{name}.py").write_text(text)
        results = collections.defaultdict(dict)
        for way in args.way or WAYS:
            command = [str(args.satir), *WAYS[way], str(folder / "programs"), "-o", str(folder / way), "-q"]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{' '.join(command)}: {done.stderr[-2000:]}")
            for name in programs:
                results[name][way] = (folder / way / f"{name}.py").read_text()
    for name, text in programs.items():
        yield int(name), text, results[name]


def cases(args, start):
    """All of them, as long as there is time."""
    for seed in range(args.seed, args.seed + args.count, args.batch):
        for case in batch(args, seed, min(args.batch, args.seed + args.count - seed)):
            if args.seconds is not None and time.monotonic() - start > args.seconds:
                return
            yield case


def answers(args, start):
    """(seed, verdict, what is wrong) for each program, as they come."""
    todo, workers = cases(args, start), [Worker() for _ in range(args.jobs)]
    idle, busy = list(workers), []
    try:
        while True:
            while idle and (case := next(todo, None)) is not None:
                worker = idle.pop()
                worker.give(*case)
                busy.append(worker)
            if not busy:
                return
            multiprocessing.connection.wait([worker.pipe for worker in busy], 5)
            for worker in list(busy):
                if worker.pipe.poll() or time.monotonic() - worker.since > PATIENCE:
                    yield worker.seed, *worker.answer()
                    busy.remove(worker)
                    idle.append(worker)
    finally:
        for worker in workers:
            worker.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--satir", type=pathlib.Path, default=ROOT / "target/release/satir", help="the binary")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first program")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=250, help="programs for one run of satir")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes that ask TVM")
    parser.add_argument("--seconds", type=float, help="start with no further program after this time")
    parser.add_argument("--verbose", action="store_true", help="say also at which results TVM stops")
    parser.add_argument("--way", action="append", choices=WAYS, help="only this way to make results")
    args = parser.parse_args()

    start = time.monotonic()
    counts = collections.Counter()
    done = 0
    for seed, verdict, wrong in answers(args, start):
        done += 1
        counts[verdict] += 1
        failures = [(way, text, why) for way, text, why in wrong if not any(stop in why for stop in STOPS)]
        counts["wrong"] += bool(failures)
        counts["stop"] += bool(wrong) and not failures
        for way, text, why in failures:
            print(f"FAIL seed {seed}, {way}: {why}\n{text}", flush=True)
        if args.verbose:
            for way, _, why in wrong:
                print(f"seed {seed}, {way}: {why}", flush=True)
        if done % 1000 == 0:
            print(f"# {done} in {time.monotonic() - start:.0f} s, {counts['wrong']} wrong", flush=True)
    print(
        f"{done} random programs: TVM compiles {counts['taken']} as they are; it stops at results of {counts['stop']},"
        f" and does not take results of {counts['wrong']}"
    )
    return 1 if counts["wrong"] or 50 * counts["stop"] > done or 2 * counts["taken"] < done else 0


if __name__ == "__main__":
    sys.exit(main())
