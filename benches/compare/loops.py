"""Executed instructions of operators whose loops were fused and split, over those of the same operators with plain loops.

    cargo build --release --bin satir
    .venv/bin/python benches/compare/loops.py [--corpus ../shared/corpus] [--satir PATH] [--half looked-at|judging] [NAME …]

Pairs are `X__fs` (and `X__fs2`) with `X__default` of the corpus. Both are compiled by TVM with LLVM at -O3, callgrind counts what the kernel
executes. Of the plain program the best of none, TVM's CSE and satir's counts; of the other one there are those three,
satir's loop passes with CSE (`loops`) and all of satir (`full`, which is `satir opt -O2`), all in the same run. With `--every` all programs for CPUs are
measured, each over the better of none and TVM's CSE of itself. Each result is compared with what the input computes. With `--estimate` nothing is compiled: the
weighted dynamic integer cost that `satir count` finds takes the place of instructions. With `--document FILE` the figures are
written as a document, such as LOOPS.md beside this file; `--every-nth N` takes a sample of the programs. With `--plan`
it is `satir opt -O2` with the pass `plan` in front that is measured (`plan`), beside `-O2` itself, on the programs where the two differ.
"""

import argparse
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "tvm")]

import measure  # noqa: E402
import programs  # noqa: E402
import report  # noqa: E402
import variants  # noqa: E402

PLAIN = ["none", "tvm", "semantic"]
SPLIT = [*PLAIN, "loops", "full"]
PLANNED = ["none", "tvm", "full", "plan"]


def pairs(corpus):
    """The programs of which there is one with plain loops, with that one."""
    known = {program["name"]: program for program in programs.load(corpus, "corpus")}
    found = []
    for name, program in sorted(known.items()):
        for schedule in ("__fs2", "__fs"):
            plain = known.get(name.removesuffix(schedule) + "__default")
            if name.endswith(schedule) and plain:
                found.append((program, plain))
    return found


def figures(args, program, names, folder):
    """Per variant: instructions, or the estimate; variants that failed are left out, with a word on standard error."""
    job = {
        "program": program,
        "satir": str(args.satir),
        "folder": str(args.folder),
        "variants": names,
        "levels": [] if args.estimate else [3],
        "repeats": 0,
        "keep": None,
        "scripts": "loops",
    }
    numbers = {}
    try:
        result = measure.measure(job)
    except Exception as error:  # one program must not stop the others
        print(f"{program['name']}: {measure.message(error)}", file=sys.stderr)
        return numbers
    for name, found in result["variants"].items():
        if "error" in found:
            print(f"{program['name']} {name}: {found['error']}", file=sys.stderr)
        elif args.estimate:
            numbers[name] = found["counts"]["integer"]
        elif "instructions" in found and "O3" in found["instructions"]:
            numbers[name] = found["instructions"]["O3"]
    return numbers


def is_planned(satir, program):
    """Whether `-O2` makes something else of a program with the pass `plan` in front."""
    bound = variants.bind_argument(program["bindings"])
    command = [satir, "opt", "--quiet", program["path"], *bound]
    try:
        full, plan = (variants.satir([*command, *variants.PIPELINES[name]]) for name in ("full", "plan"))
    except Exception as error:  # one program must not stop the others
        print(f"{program['name']}: {measure.message(error)}", file=sys.stderr)
        return False
    return full != plan


def document(args, rows, ratios, over_tvm, of_all):
    """The figures as a text in Markdown."""
    what = "weighted integer operations" if args.estimate else "executed instructions at -O3"
    if args.every:
        against = "the better of none and TVM's CSE of the same program"
    else:
        against = "the best plain variant (of none, TVM's CSE and satir) of the same operator"
    lines = [
        "# Loop nests",
        "",
        f"Made by `benches/compare/loops.py`: {what}, over {against}.",
        f"{len(rows)} of {of_all} programs of the {args.half or 'whole'} corpus were measured.",
        "",
        "| program | " + " | ".join(ratios) + " |",
        "| --- |" + " ---: |" * len(ratios),
    ]
    for at, name in enumerate(rows):
        lines.append(f"| {name} | " + " | ".join(f"{ratios[variant][at]:.3f}" for variant in ratios) + " |")
    means = [f"**{report.geomean([max(ratio, 1e-3) for ratio in ratios[variant]]):.3f}**" for variant in ratios]
    lines.append("| geometric mean | " + " | ".join(means) + " |")
    lines += ["", f"`{list(ratios)[len(PLAIN)]}` over TVM's CSE of the same program: {report.geomean(over_tvm):.3f}.", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--satir", type=pathlib.Path, default=ROOT / "target/release/satir", help="the binary")
    parser.add_argument("--corpus", type=pathlib.Path, default=ROOT / "../shared/corpus")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "target/compare", help="for results")
    parser.add_argument("--half", choices=["looked-at", "judging"], help="only programs of this half")
    parser.add_argument("--estimate", action="store_true", help="integer cost instead of instructions")
    parser.add_argument("--every", action="store_true", help="every CPU program over the better of none and TVM's CSE of itself")
    parser.add_argument("--plan", action="store_true", help="the pass plan with CSE, where it changes something")
    parser.add_argument("--json", type=pathlib.Path, help="write all figures to this file")
    parser.add_argument("--document", type=pathlib.Path, help="write a document with the figures")
    parser.add_argument("--every-nth", type=int, default=1, metavar="N", help="only every so many programs")
    parser.add_argument("names", nargs="*", help="parts of names of programs (default: all)")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    args.folder = args.folder.resolve()
    if args.every:
        wanted = [(program, None) for program in programs.load(args.corpus, "corpus") if program["device"] == "cpu"]
    else:
        wanted = pairs(args.corpus)
    if args.names:
        wanted = [pair for pair in wanted if any(name in pair[0]["name"] for name in args.names)]
    if args.half:
        wanted = [pair for pair in wanted if programs.is_for_judging(pair[0]["name"]) == (args.half == "judging")]
    of_all = len(wanted)
    wanted = wanted[:: args.every_nth]
    if args.plan:
        wanted = [pair for pair in wanted if is_planned(args.satir, pair[0])]
        print(f"{len(wanted)} of {of_all} programs are another with plan", flush=True)
    names = PLANNED if args.plan else SPLIT
    ratios, rows = {name: [] for name in names}, {}
    over_tvm = []
    with tempfile.TemporaryDirectory() as folder:
        for program, plain in wanted:
            split = figures(args, program, names, pathlib.Path(folder))
            if plain:
                base = figures(args, plain, PLAIN, pathlib.Path(folder))
            else:
                base = {name: split[name] for name in ("none", "tvm") if name in split}
            if not base or set(split) != set(names):
                print(f"{program['name']:32} not measured", flush=True)
                continue
            best = max(min(base.values()), 1)
            line = [f"{name} {split[name] / best:8.3f}" for name in names]
            print(f"{program['name']:32} plain {best:12.0f}  " + "  ".join(line), flush=True)
            for name in names:
                ratios[name].append(split[name] / best)
            over_tvm.append(max(split[names[len(PLAIN)]], 1) / max(split["tvm"], 1))
            rows[program["name"]] = {"plain": base, "split": split}
    if not rows:
        sys.exit("nothing was measured")
    print(f"\n{len(rows)} programs, geometric means over the best plain variant, or the better of none and TVM:")
    for name in names:
        print(f"  {name:10} {report.geomean([max(ratio, 1e-3) for ratio in ratios[name]]):.3f}")
    print(f"  {names[len(PLAIN)]} over TVM's CSE of the same program {report.geomean(over_tvm):.3f}")
    if args.document:
        args.document.write_text(document(args, rows, ratios, over_tvm, of_all))
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
