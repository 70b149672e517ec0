"""What it is worth to know what a compiler makes of expressions: each reason left out in turn, on all CPU programs.

    cargo build --release
    .venv/bin/python benches/compare/ablate.py --output benches/compare/REASONS.md [--corpus ../shared/corpus] [--every 2]

For every program that runs on a CPU, `satir cse` treats it with indices of the input's width and of 64 bits, with all reasons
and with `--ignore-reason` for each; kernels whose text differs are compiled by LLVM at -O3, and the instructions that they execute
are counted. The table has the geometric mean of the instructions without a reason over those with it, apart for the half
of the programs that may be looked at and the half that is only for judging (`programs.py`). Counts are kept under
target/compare as those of compare.py are. Needs apache-tvm 0.27 with LLVM, numpy, gcc, valgrind.
"""

import argparse
import concurrent.futures
import json
import math
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "tvm")]

import measure  # noqa: E402
import programs  # noqa: E402
import variants  # noqa: E402

# How satir is called; with 64-bit indices fewer reasons count. What the passes on loops make is not the reasons' doing.
COMMANDS = {"cse": ["cse"], "wide": ["cse", "--index-bits", "64"]}

# More or fewer instructions than this are a difference.
NOTABLE = 1.05


def reasons(satir):
    """The names of all reasons."""
    answer = subprocess.run([satir, "cse", "--ignore-reason", "?"], capture_output=True, text=True, check=False)
    names = answer.stderr.split("possible values: ")[1].split("]")[0]
    return [name.strip() for name in names.split(",")]


def treatments(names):
    """Per treatment its arguments."""
    found = {}
    for command, arguments in COMMANDS.items():
        found[command] = arguments
        found |= {f"{command} {name}": [*arguments, "--ignore-reason", name] for name in names}
        found[f"{command} all"] = [*arguments, "--target", "neutral"]
    return found


def instructions(job):
    """Of a program, per treatment, the instructions that it executes."""
    program, satir, treated, folder = job
    text = pathlib.Path(program["path"]).read_text()
    results = {}
    try:
        module = variants.as_module(text)
        for name in ["none", "tvm"]:
            made, written, _ = variants.make(name, satir, text, module, program["bindings"], 0)
            results[name] = {"module": made, "text": written}
        modules = {}
        for name, (command, *arguments) in treated.items():
            line = [satir, command, "-", "-q", *arguments, *variants.bind_argument(program["bindings"])]
            written = variants.satir(line, text)
            if written not in modules:
                modules[written] = variants.as_module(written)
            results[name] = {"module": modules[written], "text": written}
        counted = {"program": program, "levels": [3], "keep": None, "folder": str(folder), "scripts": "ablate"}
        with measure.tempfile.TemporaryDirectory() as scratch:
            measure.count_instructions(counted, module, results, pathlib.Path(scratch))
    except Exception as error:  # one program must not stop the others
        return program["name"], {"error": measure.message(error)}
    failed = [f"{name}: {result['error']}" for name, result in results.items() if "error" in result]
    if failed:
        return program["name"], {"error": failed[0]}
    return program["name"], {name: result["instructions"]["O3"] for name, result in results.items()}


def mean(ratios):
    """The geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def table(found, names, command):
    """The lines of a table: what each reason is worth for a way to call satir."""
    lines = [
        "| left out | programs that change | looked at | for judging | 5 % worse, for judging | 5 % better | worst |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name in [*names, "all"]:
        ratios = {p: r[f"{command} {name}"] / r[command] for p, r in found.items()}
        half = {judging: [x for p, x in ratios.items() if programs.is_for_judging(p) == judging] for judging in (False, True)}
        judged = half[True]
        lines.append(
            f"| {name} | {sum(x != 1 for x in ratios.values())} | {mean(half[False]):.4f} | {mean(judged):.4f} | "
            f"{sum(x > NOTABLE for x in judged)} | {sum(x < 1 / NOTABLE for x in judged)} | {max(judged, default=1):.2f} |"
        )
    return lines


def overview(found):
    """The lines of a table: how the ways to call satir compare with the better of no pass and TVM's CSE."""
    lines = ["| satir | half | programs | geometric mean | above 1.02 | above 1.10 |", "| --- | --- | ---: | ---: | ---: | ---: |"]
    for command in COMMANDS:
        for judging, title in [(False, "looked at"), (True, "for judging")]:
            part = [r for p, r in found.items() if programs.is_for_judging(p) == judging]
            ratios = [r[command] / min(r["none"], r["tvm"]) for r in part]
            above = [sum(x > limit for x in ratios) for limit in (1.02, 1.10)]
            lines.append(f"| `{' '.join(COMMANDS[command])}` | {title} | {len(ratios)} | {mean(ratios):.3f} | {above[0]} | {above[1]} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--satir", default=str(ROOT / "target/release/satir"), help="the binary")
    parser.add_argument("--corpus", type=pathlib.Path, default=ROOT / "../shared/corpus")
    parser.add_argument("--generated", type=pathlib.Path, default=ROOT / "target/compare/generated")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "target/compare", help="for counts")
    parser.add_argument("--output", type=pathlib.Path, help="Markdown file (default: standard output)")
    parser.add_argument("--every", type=int, default=1, help="of the generated programs every n-th only")
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    if not (args.generated / "index.json").exists():
        subprocess.run([sys.executable, HERE / "generate.py", args.generated], check=True)
    runs = lambda p: p["device"] == "cpu" and p["runnable"]
    generated = [p for p in programs.load(args.generated, "generated") if runs(p)][:: args.every]
    corpus = [p for p in programs.load(args.corpus, "corpus") if runs(p)]
    names = reasons(args.satir)
    jobs = [(program, args.satir, treatments(names), args.folder) for program in corpus + generated]
    found, failed = {}, {}
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        for done, (name, result) in enumerate(pool.map(instructions, jobs), 1):
            (failed if "error" in result else found)[name] = result
            print(f"{done} of {len(jobs)}", end="\r", file=sys.stderr, flush=True)
    lines = [
        "# What it is worth to know what compilers make of expressions",
        "",
        f"Made by `benches/compare/ablate.py`{f' --every {args.every}' if args.every > 1 else ''}: instructions that {len(found)} programs for the CPU execute, compiled by LLVM at -O3.",
        f"{len(failed)} programs could not be measured ({', '.join(sorted(failed)) or 'none'}). What each reason means: `satir cse --help`, `src/target/reason.rs`.",
        "",
        "Over the better of no pass and TVM's CSE:",
        "",
        *overview(found),
    ]
    for command in COMMANDS:
        lines += ["", f"Without a reason over with it, `satir {' '.join(COMMANDS[command])}`:", "", *table(found, names, command)]
    text = "\n".join(lines) + "\n"
    if args.output:
        args.output.write_text(text)
    else:
        print(text, end="")
    for name, result in failed.items():
        print(f"{name}: {result['error']}", file=sys.stderr)


if __name__ == "__main__":
    main()
