"""Compares satir with its peers on many programs, and writes BENCHMARKS.md.

For every program for CPUs at the point of TVM's CommonSubexprElim: nothing, TVM's own passes, satir's syntactic and
semantic CSE, and all of satir's passes (`satir opt -O2`). Counted are the weighted dynamic cost of integer work,
operations by class, the instructions that the kernel executes when LLVM compiled it at -O3, and the time of the pass.
`gpu.py` does the same for programs for GPUs.

    cargo build --release --bin satir --example in_process
    .venv/bin/python benches/compare/compare.py --output BENCHMARKS.md [--quick] [--corpus ../shared/corpus] [NAME …]

Results are kept under target/compare, one file per program, and taken from there where program, satir and these scripts
are as they were; instructions of kernels whose text is the same are not counted again. So a run that was stopped goes
on where it was. The programs are those of generate.py, made on the first run, and those of the corpus where it is. Needs apache-tvm 0.27 with LLVM, numpy, gcc, valgrind.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

import programs  # noqa: E402
import report  # noqa: E402
import timing  # noqa: E402

# A program that takes longer than this is given up.
SECONDS = 900


def digest(*parts):
    """A name for what a result depends on."""
    hashed = hashlib.sha256()
    for part in parts:
        hashed.update(part if isinstance(part, bytes) else str(part).encode())
        hashed.update(b"\0")
    return hashed.hexdigest()[:24]


def scripts():
    """The text of all that counts instructions."""
    files = [HERE / name for name in ("driver.c", "kernels.py")]
    return b"".join(path.read_bytes() for path in files)


def measure(args, worker, program, key):
    """The measurements of one program, from an earlier run or from a new process."""
    path = args.folder / "results" / f"{key}.json"
    if path.exists() and not args.fresh:
        return describe(json.loads(path.read_text()), program)
    if args.minutes and time.monotonic() > args.start + args.minutes * 60:
        return describe({"error": report.NOT_REACHED}, program)
    job = {
        "program": program,
        "satir": str(args.satir),
        "folder": str(args.folder),
        "variants": list(report.VARIANTS),
        "levels": [3],
        "repeats": 1 if args.quick else 3,
        "keep": None,
        "scripts": digest(scripts()),
    }
    if args.keep:
        job["keep"] = str(args.keep / program["name"])
        pathlib.Path(job["keep"]).mkdir(parents=True, exist_ok=True)
    result = worker.ask(job)
    describe(result, program)
    if "error" not in result:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".new").write_text(json.dumps(result))
        path.with_suffix(".new").rename(path)
    return result


def describe(result, program):
    """Adds to a result what it is about."""
    result |= {key: program[key] for key in ("name", "set", "category", "bindings")}
    result["bytes"] = pathlib.Path(program["path"]).stat().st_size
    return result


class Worker:
    """A process that measures one program after the other; a new one takes over when it dies or takes too long."""

    def __init__(self):
        self.process = None

    def ask(self, job):
        """The answer to a job."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, HERE / "measure.py"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            )
        limit = threading.Timer(SECONDS, self.process.kill)
        limit.start()
        try:
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
            if answer:
                return json.loads(answer)
        except OSError:
            pass
        finally:
            limit.cancel()
        self.process.kill()
        status, self.process = self.process.wait(), None
        return {"error": f"the process that measured it ended with status {status}"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--satir", type=pathlib.Path, default=ROOT / "target/release/satir", help="the binary")
    parser.add_argument("--corpus", type=pathlib.Path, default=ROOT / "../shared/corpus")
    parser.add_argument("--generated", type=pathlib.Path, default=ROOT / "target/compare/generated")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "target/compare", help="for results")
    parser.add_argument("--output", type=pathlib.Path, help="Markdown file (default: none)")
    parser.add_argument("--keep", type=pathlib.Path, help="keep compiled kernels and their LLVM IR in this folder")
    parser.add_argument("--quick", action="store_true", help="every 8th program, each timed once")
    parser.add_argument("--sample", type=int, default=1, help="of the generated programs every n-th only")
    parser.add_argument("--minutes", type=float, help="measure no further program after this time")
    parser.add_argument("--fresh", action="store_true", help="measure everything anew")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("names", nargs="*", help="parts of names of programs (default: all)")
    args = parser.parse_args()
    args.folder = args.folder.resolve()
    args.folder.mkdir(parents=True, exist_ok=True)
    for path in (args.satir, timing.beside(args.satir)):
        if not path.exists():
            sys.exit(f"{path} does not exist: cargo build --release --bin satir --example in_process")
    args.satir = args.satir.resolve()

    if not (args.generated / "index.json").exists():
        subprocess.run([sys.executable, HERE / "generate.py", args.generated], check=True)
    wanted = programs.load(args.generated, "generated") + programs.load(args.corpus, "corpus")
    wanted = [p for p in wanted if p["device"] == "cpu"]
    if args.names:
        wanted = [p for p in wanted if any(name in p["name"] for name in args.names)]
    if args.quick:
        wanted = wanted[::8]
    elif args.sample > 1:
        generated = [p for p in wanted if p["set"] == "generated"]
        wanted = generated[:: args.sample] + [p for p in wanted if p["set"] != "generated"]
    # In an order that has nothing to do with their names, so that a run that ends early is a fair sample.
    wanted.sort(key=lambda p: digest(p["name"]))
    os.nice(10)
    measuring = [(HERE / name).read_bytes() for name in ("measure.py", "variants.py", "timing.py")]
    common = (args.satir.read_bytes(), scripts(), *measuring, args.quick)
    # The commit that is measured, whatever is committed meanwhile.
    revision = commit()
    results, args.start = [], time.monotonic()
    workers = threading.local()

    def run(pair):
        if not hasattr(workers, "mine"):
            workers.mine = Worker()
        return measure(args, workers.mine, *pair)

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        keys = [digest(*common, pathlib.Path(p["path"]).read_bytes(), json.dumps(p)) for p in wanted]
        for result in pool.map(run, zip(wanted, keys)):
            results.append(result)
            done = f"[{time.monotonic() - args.start:.0f} s] {len(results)}/{len(wanted)}"
            print(done, summary(result), file=sys.stderr, flush=True)
    if all("error" in result for result in results):
        sys.exit("no program could be measured")
    # Pictures belong to the document; without one they go where the results are.
    plots = (ROOT / "benches/plots", ROOT) if args.output else (args.folder / "plots", args.folder)
    text = report.write(results, invocation(args), revision, *plots)
    if args.output:
        args.output.write_text(text)
    else:
        print(text)
    return 0


def invocation(args):
    """The command that makes the same document."""
    words = [".venv/bin/python benches/compare/compare.py"]
    words += ["--quick"] if args.quick else []
    words += [f"--minutes {args.minutes:g}"] if args.minutes else []
    words += [f"--sample {args.sample}"] if args.sample > 1 else []
    words += [f"--jobs {args.jobs}"] if args.jobs != 1 else []
    words += [f"--output {args.output.name}"] if args.output else []
    return " ".join([*words, *args.names])


def commit():
    """The commit that is measured."""
    done = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() or "without git"


def summary(result):
    """One line on a program."""
    if "error" in result:
        return f"{result['name']}: {result['error']}"
    line = result["name"]
    for name in ("none", "tvm", "semantic", "full"):
        variant = result["variants"][name]
        if "error" in variant:
            line += f"  {name}: {variant['error'][:100]}"
        else:
            line += f"  {name} {variant['counts']['integer']:.0f}/{variant.get('instructions', {}).get('O3', '-')}"
    return line


if __name__ == "__main__":
    sys.exit(main())
