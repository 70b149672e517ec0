"""How long satir takes for a program, and TVM's StmtSimplify with CommonSubexprElim for the same one, in the same run.

    cargo build --release --bin satir --example in_process
    .venv/bin/python benches/compare/times.py [--corpus ../shared/corpus] [--sizes 100 1000 10000] [--alone 100000] [NAME …]

With `--output FILE` the figures and all programs go to a Markdown document as well.

Measured are programs of the corpus where it is, those of generate.py otherwise, and two programs of growing size: a
copy, whose indices are all one sum and a constant, and a stencil with sums, quotients and remainders of its own in
every statement. Programs of the sizes after `--alone` are left to satir: TVM takes hours. Times are the least of several runs, in milliseconds of processor time, which other work on the machine
disturbs least: *TVM* and *in process* of the passes alone, with the program read and everything done that a process does
once (`in_process.rs`); *process* of all of satir's process, its start and the reading of the program included.
"""

import argparse
import math
import pathlib
import statistics
import sys

import tvm

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

import compare  # noqa: E402
import programs  # noqa: E402
import report  # noqa: E402
import stages  # noqa: E402
import timing  # noqa: E402
import variants  # noqa: E402


def grown(statements, statement):
    """A loop nest with this many statements."""
    size = 256 * statements + 4096
    head = (
        "@T.prim_func(s_tir=True)\n"
        f'def main(A: T.Buffer(({size},), "float32"), B: T.Buffer(({size},), "float32"), w: T.int32):\n'
        '    T.func_attr({"tirx.noalias": True})\n'
        "    for i, j in T.grid(16, 16):\n"
    )
    return head + "".join(f"        {statement(k)}\n" for k in range(statements))


def copy(statements):
    """Indices that differ by constants."""
    index = f"i * {16 * statements} + j * {statements}"
    return grown(statements, lambda k: f"A[{index} + {k}] = B[{index} + {k + 4096}]")


def stencil(statements):
    """In every statement other sums with a symbolic stride, another quotient and another remainder."""

    def statement(k):
        row, column = divmod(k, 32)
        place = f"(i * 32 + {row}) * w + j * 32 + {column}"
        left = f"B[(i * 32 + {row}) * w + (j * 32 + {column}) // 3]"
        return f"A[{place}] = {left} + B[(i * 32 + {row + 1}) * w + (j * 32 + {column}) % 7]"

    return grown(statements, statement)


def measure(args, text, bindings, repeats, alone=False):
    """Milliseconds: of TVM (not a number where satir is `alone`), in process, and of satir's process; and microseconds of
    satir's stages."""
    theirs = math.nan
    if not alone:
        passes = tvm.ir.transform.Sequential([make() for make in variants.PASSES["tvm-simplify"]])
        theirs, _ = timing.of_passes(passes, variants.as_module(text))
    inside, taken = timing.in_process_by_stage(args.in_process, text, bindings)
    command = [args.satir, "cse", "-", *variants.bind_argument(bindings)]
    process, _ = timing.of_process(lambda: variants.satir(command, text), repeats)
    return (1e3 * theirs, 1e3 * inside, 1e3 * process), taken


def show(name, times):
    """A line about a program."""
    theirs, inside, process = times
    ratio = inside / theirs
    inside = f"in process {inside:9.2f}   ratio {ratio:6.2f}"
    print(f"{name:40} TVM {theirs:9.2f}   {inside}   process {process:9.2f}", flush=True)


def growth(times):
    """Per program of growing size: how many times as long satir takes in process as for the one before, as text."""
    found = {}
    for before, after in zip(times, list(times)[1:]):
        kind, size = after.split()
        if before == f"{kind} {int(size) // 10}":
            found[after] = f"{times[after][1] / times[before][1]:.1f}"
    return found


def number(value):
    """The value with two digits, or nothing."""
    return "" if math.isnan(value) else f"{value:.2f}"


def document(found, taken, grown_programs):
    """The figures as Markdown."""
    ratios = [inside / theirs for theirs, inside, _ in found.values()]
    processes = statistics.median(process for *_, process in found.values()) if found else math.nan
    longer, share = stages.summary(taken)
    ratio, longer_extraction = stages.extraction(taken)
    head = [
        "# Time of the passes\n",
        f"Made by `.venv/bin/python benches/compare/times.py --output benches/TIMES.md` (satir {compare.commit()}; {report.versions()}).\n",
        "Milliseconds of processor time, the least of several runs: of TVM's `StmtSimplify` and `CommonSubexprElim`, of",
        "satir in a process that has read the program and the rules, and of satir's whole process.\n",
    ]
    figures = [
        ["in process over TVM's passes, geometric mean", "at most 1", f"{report.geomean(ratios):.2f}" if ratios else ""],
        ["whole process, median", "at most 15", f"{processes:.2f}"],
        ["contextual simplification in the time of all stages of all programs", "at most 50%", f"{share:.0%}"],
        ["programs in which by itself it is longer than the rest of sharing", "", str(longer)],
        ["extraction over saturation, time in all programs", "at most 1", f"{ratio:.2f}"],
        ["programs in which by itself it is longer", "", str(longer_extraction)],
    ]
    columns = ["program", "TVM", "in process", "ratio", "whole process"]

    def rows(times):
        return [
            [f"`{name}`", number(theirs), number(inside), number(inside / theirs), number(process)]
            for name, (theirs, inside, process) in times.items()
        ]

    growing = (
        "\n## Programs of growing size\n\nStatements of an unrolled copy, and of an unrolled stencil. *Growth* is the time in process"
        " over that for a tenth\nof the statements: at most 13 is to be reached.\n"
    )
    times_as_long = growth(grown_programs)
    growing_rows = [row + [times_as_long.get(name, "")] for name, row in zip(grown_programs, rows(grown_programs))]
    parts = [*head, report.table(["figure", "to reach", f"reached on {len(found)} programs"], figures)]
    parts += [growing, report.table([*columns, "growth"], growing_rows)]
    parts += ["\n## Each program\n", report.table(columns, rows(found))]
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these programs")
    parser.add_argument("--satir", type=pathlib.Path, default=ROOT / "target" / "release" / "satir")
    examples = ROOT / "target" / "release" / "examples"
    parser.add_argument("--in-process", type=pathlib.Path, default=examples / "in_process")
    parser.add_argument("--corpus", type=pathlib.Path, default=ROOT.parent / "shared" / "corpus")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "target" / "compare" / "generated")
    parser.add_argument("--sizes", type=int, nargs="*", default=[100, 1000, 10000])
    parser.add_argument("--alone", type=int, nargs="*", default=[100000])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--output", type=pathlib.Path, help="Markdown file")
    args = parser.parse_args()
    found = programs.load(args.corpus, "corpus") or programs.load(args.folder, "generated")
    found = [p for p in found if not args.names or p["name"] in args.names]
    times, taken = {}, {}
    for program in found:
        text = pathlib.Path(program["path"]).read_text()
        times[program["name"]], taken[program["name"]] = measure(args, text, program["bindings"], args.repeats)
        show(program["name"], times[program["name"]])
    if times:
        ratios = [inside / theirs for theirs, inside, _ in times.values()]
        processes = [process for *_, process in times.values()]
        print(
            f"{len(times)} programs: satir in process over TVM's passes {report.geomean(ratios):.2f} (geometric mean),"
            f" {statistics.median(ratios):.2f} (median); satir's process {statistics.median(processes):.2f} ms (median)"
        )
    grown_programs = {}
    for name, make in [] if args.names else [("copy", copy), ("stencil", stencil)]:
        for size in args.sizes + args.alone:
            label = f"{name} {size}"
            repeats = 1 if size > 1000 else args.repeats
            grown_programs[label], _ = measure(args, make(size), {}, repeats, size in args.alone)
            show(label, grown_programs[label])
    if args.output:
        args.output.write_text(document(times, taken, grown_programs))


if __name__ == "__main__":
    main()
