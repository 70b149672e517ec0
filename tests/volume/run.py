"""The long runs of satir's fuzzers: in pieces, on one thread, from a log that says where to go on.

Each piece is one run of `satir fuzz` over its own seeds; its last line goes into the log with the seeds, and so does
all that went wrong. Called again with the same log, it goes on behind the last seed that was done, with whatever
binary it is given then. `--summary` adds up the logs and runs nothing.

    python tests/volume/run.py programs --count 1000000 --log programs.txt
    python tests/volume/run.py mutate --count 100000 --log mutate.txt ../shared/corpus
    python tests/volume/run.py parser --count 10000000 --piece 500000 --log parser.txt tests/script examples/kernels
    python tests/volume/run.py --summary programs.txt mutate.txt parser.txt

Exits with 1 if anything went wrong.
"""

import argparse
import hashlib
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PIECE = re.compile(r"^piece: seed (\d+), (\d+) (.*), (\d+) went wrong", re.M)
LAST = re.compile(r"^(\d+) (.*) (\d+) went wrong$", re.M)


def done_so_far(log, first):
    """How many are done, how many went wrong, and the next seed, as the log has it."""
    done, wrong, following = 0, 0, first
    for seed, count, _, bad in PIECE.findall(log.read_text() if log.exists() else ""):
        done, wrong = done + int(count), wrong + int(bad)
        following = max(following, int(seed) + int(count))
    return done, wrong, following


def version(binary):
    """A name for the binary: the start of its digest."""
    return hashlib.sha256(pathlib.Path(binary).read_bytes()).hexdigest()[:12]


def bounded(memory):
    """What the child does before it becomes satir: it takes no more memory than this, in MiB."""
    limit = memory << 20
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def piece(args, seed, count):
    """Runs one piece. What is to be logged, and how many were done and went wrong; None if the run was ended."""
    name = version(args.satir)
    command = [args.satir, "fuzz", args.kind, *args.folders, "--seed", seed, "--count", count]
    command += ["--max-findings", 20, *(["--no-loops"] if args.no_loops else [])]
    environment = os.environ | {"RAYON_NUM_THREADS": str(args.threads)}
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, env=environment,
        preexec_fn=bounded(args.memory),
    )
    if done.returncode in (-signal.SIGTERM, -signal.SIGINT, -signal.SIGKILL):
        return None
    lines = LAST.findall(done.stdout)
    if not lines:
        # The process died: an overflow of the stack, or no memory left. One seed of the piece is at fault.
        what = f"died with {done.returncode}: {done.stderr[-2000:]}"
        return f"piece: seed {seed}, {count} not finished, 1 went wrong (binary {name})\n{what}\n", count, 1
    number, middle, bad = lines[-1]
    if done.returncode != 0 and bad == "0":
        bad = "1"
    text = f"piece: seed {seed}, {number} {middle.rstrip(', ')}, {bad} went wrong (binary {name})\n"
    if int(bad):
        text = done.stdout.rstrip() + "\n" + text
    return text, int(number), int(bad)


def summary(logs):
    """One line for each log."""
    bad = 0
    for log in logs:
        done, wrong, following = done_so_far(log, 0)
        bad += wrong
        print(f"{log}: {done} done, next seed {following}, {wrong} went wrong")
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", nargs="?", choices=["programs", "mutate", "parser"], help="which fuzzer")
    parser.add_argument("folders", nargs="*", type=pathlib.Path, help="programs to start from (mutate, parser)")
    parser.add_argument("--satir", type=pathlib.Path, default=ROOT / "target/release/satir", help="the binary")
    parser.add_argument("--count", type=int, default=1_000_000, help="how many in all, with those in the log")
    parser.add_argument("--piece", type=int, default=20_000, help="how many in one run")
    parser.add_argument("--seed", type=int, default=0, help="the first seed of an empty log")
    parser.add_argument("--threads", type=int, default=1, help="how many work at the same time")
    parser.add_argument("--no-loops", action="store_true", help="without the passes on loops (programs, mutate)")
    parser.add_argument("--memory", type=int, default=6144, help="most memory of a run, in MiB of addresses")
    parser.add_argument("--log", type=pathlib.Path, help="where to note what is done")
    parser.add_argument("--summary", nargs="+", type=pathlib.Path, help="add up these logs and run nothing")
    args = parser.parse_intermixed_args()
    if args.summary:
        return summary(args.summary)
    if not args.kind or not args.log:
        parser.error("name a fuzzer and a --log")
    while True:
        done, wrong, seed = done_so_far(args.log, args.seed)
        if done >= args.count:
            print(f"{done} {args.kind}: {wrong} went wrong")
            return 1 if wrong else 0
        ran = piece(args, seed, min(args.piece, args.count - done))
        if ran is None:
            print(f"ended in the piece from seed {seed}")
            return 1
        with args.log.open("a") as log:
            log.write(ran[0])


if __name__ == "__main__":
    sys.exit(main())
