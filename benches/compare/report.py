"""What the measurements say, as Markdown with plots."""

import importlib.metadata
import math
import os
import pathlib
import platform
import re
import statistics
import subprocess

import plots
from programs import is_for_judging

VARIANTS = {
    "none": "the input",
    "tvm": "TVM `CommonSubexprElim`",
    "tvm-simplify": "TVM `StmtSimplify`, `CommonSubexprElim`",
    "tvm-hoist": "TVM `HoistExpression`, `CommonSubexprElim`",
    "syntactic": "satir, syntactic CSE",
    "semantic": "satir, semantic CSE",
    "full": "satir `-O2`",
}

# Above this ratio of executed instructions a program counts as made worse.
WORSE = 1.02

# What is said of a program that a run with a time limit did not come to.
NOT_REACHED = "not reached in the time given"

# Ratios below this count as this: integer work may vanish altogether.
LEAST = 1e-3


def geomean(ratios):
    """Geometric mean."""
    ratios = list(ratios)
    return math.exp(sum(math.log(max(r, LEAST)) for r in ratios) / len(ratios)) if ratios else float("nan")


def table(head, rows):
    """A Markdown table; all columns but the first are numbers."""
    lines = [" | ".join(head), " | ".join(["---"] + ["---:"] * (len(head) - 1))]
    lines += [" | ".join(str(cell) for cell in row) for row in rows]
    return "\n".join(f"| {line} |" for line in lines) + "\n"


def version(command, pattern):
    """A tool's version, from what it says."""
    said = subprocess.run(command, capture_output=True, text=True).stdout
    found = re.search(pattern, said)
    return found.group(1) if found else "unknown"


def cost(result, variant):
    """Weighted dynamic cost of integer work and bindings, or None."""
    measured = result["variants"].get(variant, {"error": ""})
    return None if "error" in measured else measured["counts"]["integer"]


def instructions(result, variant):
    """Executed instructions at -O3, or None."""
    measured = result["variants"].get(variant, {"error": ""})
    return None if "error" in measured else measured.get("instructions", {}).get("O3")


def ratios(results, of, to):
    """Per program, what `of` measures over what `to` measures, where both do and work is done."""
    found = {}
    for result in results:
        a, b = of(result), to(result)
        if a is not None and b:
            found[result["name"]] = a / b
    return found


def best(result):
    """Executed instructions of the better of TVM's CSE and no CSE, or None."""
    both = [instructions(result, v) for v in ("none", "tvm")]
    return min(both) if None not in both else None


def over_best(results, variant):
    """Per program, executed instructions over those of the better of TVM's CSE and no CSE."""
    return ratios(results, lambda r: instructions(r, variant), best)


def over_tvm_cost(results, variant):
    """Per program, integer cost over that of TVM's two passes."""
    return ratios(results, lambda r: cost(r, variant), lambda r: cost(r, "tvm-simplify"))


def row(name, found, limit):
    """Statistics of ratios: how many, mean, median, extremes, how many above a limit."""
    if not found:
        return [name, 0, "", "", "", "", ""]
    worst = max(found, key=lambda n: (found[n], n))
    values = list(found.values())
    above = sum(r > limit for r in values)
    return [
        name, len(values), f"{geomean(values):.3f}", f"{statistics.median(values):.3f}", f"{min(values):.3f}",
        f"{found[worst]:.3f} `{worst}`", above,
    ]


HEAD = ["", "programs", "geometric mean", "median", "best", "worst", "above {}"]


def comparison(results, of, to, limit, variants):
    """One row of statistics per variant."""
    head = [cell.format(limit) for cell in HEAD]
    return table(head, [row(VARIANTS[v], ratios(results, lambda r, v=v: of(r, v), to), limit) for v in variants])


def halves(results):
    """How well the model of the compiler does on programs that it was not made for: those over the better of TVM's CSE and none,
    apart for the half of the operators that may be looked at while working on it and the half that is only for judging."""
    rows = []
    for variant in ("tvm", "semantic", "full"):
        for name, judging in (("may be looked at", False), ("only for judging", True)):
            group = [r for r in results if is_for_judging(r["name"]) == judging]
            rows.append(row(f"{VARIANTS[variant]}, {name}", over_best(group, variant), WORSE))
    return table([cell.format(WORSE) for cell in HEAD], rows)


def losers(found, limit, details):
    """The programs above a limit, by name, worst first."""
    names = sorted((n for n in found if found[n] > limit), key=lambda n: (-found[n], n))
    if not names:
        return "None.\n"
    return "\n".join(f"- `{n}` {found[n]:.3f} ({details(n)})" for n in names) + "\n"


def figures(results):
    """The figures to reach and what was reached."""
    judged = {half: over_best([r for r in results if is_for_judging(r["name"]) == half], "full") for half in (False, True)}
    full, tvm = over_best(results, "full"), over_best(results, "tvm")
    worse, tvm_worse = (sum(r > WORSE for r in found.values()) for found in (full, tvm))
    much_worse = sum(r > 1.1 for r in full.values())
    gap = geomean(judged[True].values()) - geomean(judged[False].values())
    cse = over_tvm_cost(results, "semantic")
    symbolic = [cse[r["name"]] for r in results if r["bindings"] and r["name"] in cse]
    rows = [
        ["`-O2`: instructions over the better of TVM's CSE and none, geometric mean", "at most 0.60", f"{geomean(full.values()):.3f}"],
        [f"programs of these above {WORSE}", "none", f"{worse} of {len(full)} ({worse / len(full):.1%}; TVM's own: {tvm_worse})"],
        ["programs of these above 1.10", "none", f"{much_worse}, worst {max(full.values()):.3f}"],
        ["the half only for judging less the half that may be looked at", "at most 0.02", f"{gap:+.3f}"],
        ["`-O2`: integer cost over TVM's, geometric mean", "at most 0.20", f"{geomean(over_tvm_cost(results, 'full').values()):.3f}"],
        ["CSE alone: integer cost over TVM's, geometric mean", "at most 0.32", f"{geomean(cse.values()):.3f}"],
        [f"the same of the {len(symbolic)} programs with symbolic sizes", "at most 0.27", f"{geomean(symbolic):.3f}"],
        ["programs of these above TVM's", "none", f"{sum(r > 1 + 1e-9 for r in cse.values())} of {len(cse)}"],
    ]
    ours, theirs, process = (
        seconds(results, *which) for which in [("semantic", "inside"), ("tvm-simplify", "inside"), ("semantic", "process")]
    )
    both = [ours[name] / theirs[name] for name in ours if theirs.get(name)]
    if both:
        rows += [
            ["CSE alone: time in process over that of TVM's two passes, geometric mean", "at most 1", f"{geomean(both):.2f}"],
            ["CSE alone: time of the whole process, median", "at most 15 ms", f"{statistics.median(process.values()) * 1e3:.1f} ms"],
        ]
    return table(["figure", "to reach", "reached"], rows)


def operations(results):
    """Executed operations by class, summed over programs that all variants could run."""
    full = [
        r for r in results
        if all("error" not in r["variants"].get(v, {"error": ""}) and r["variants"][v]["counts"]["ran"] for v in VARIANTS)
    ]
    if not full:
        return "No program ran in all variants.\n"
    classes = [c for c in full[0]["variants"]["none"]["counts"]["executed"] if c not in ("integer", "float", "total", "loop_iterations", "branches")]
    sums = {v: {c: sum(r["variants"][v]["counts"]["executed"][c] for r in full) for c in classes} for v in VARIANTS}
    rows = [[c] + [f"{sums[v][c]:,}" for v in VARIANTS] for c in classes if any(sums[v][c] for v in VARIANTS)]
    return f"Sums over {len(full)} programs.\n\n" + table(["class", *VARIANTS.values()], rows)


def seconds(results, variant, kind):
    """Per program, the time of a pass."""
    found = {}
    for r in results:
        measured = r["variants"].get(variant, {"error": ""})
        if "error" not in measured and kind in measured["seconds"]:
            found[r["name"]] = measured["seconds"][kind]
    return found


def pass_times(results):
    """Time of the passes."""
    rows = []
    for title, variant, kind in [
        ("TVM `StmtSimplify`, `CommonSubexprElim`, in process", "tvm-simplify", "inside"),
        ("satir, syntactic CSE, in process", "syntactic", "inside"),
        ("satir, semantic CSE, in process", "semantic", "inside"),
        ("satir, semantic CSE, whole process", "semantic", "process"),
        ("satir `-O2`, whole process", "full", "process"),
    ]:
        found = seconds(results, variant, kind)
        if found:
            worst = max(found, key=lambda n: (found[n], n))
            rows.append([
                title, len(found), f"{statistics.median(found.values()) * 1e3:.2f}",
                f"{math.exp(statistics.fmean(math.log(max(s, 1e-6)) for s in found.values())) * 1e3:.2f}",
                f"{found[worst] * 1e3:.1f} `{worst}`",
            ])
    return table(["milliseconds", "programs", "median", "geometric mean", "worst"], rows)


def by_category(results):
    """Geometric means per operator."""
    groups = {}
    for r in results:
        groups.setdefault((r["set"], r["category"]), []).append(r)
    rows = []
    for (which, category), group in sorted(groups.items()):
        found = [over_tvm_cost(group, "full"), over_best(group, "tvm"), over_best(group, "semantic"), over_best(group, "full")]
        shown = [f"{geomean(x.values()):.3f}" if x else "" for x in found]
        rows.append([f"{category} ({which})", len(group), *shown, f"{max(found[-1].values()):.3f}" if found[-1] else ""])
    head = ["operator", "programs", "integer cost, `-O2`", "instructions, TVM's CSE", "semantic CSE", "`-O2`", "worst of these"]
    return table(head, rows)


def draw(results, folder):
    """The plots; returns their names."""
    folder.mkdir(parents=True, exist_ok=True)
    size = {r["name"]: r["bytes"] for r in results}
    series = []
    for title, variant in [("TVM StmtSimplify, CSE", "tvm-simplify"), ("satir, in process", "semantic")]:
        found = seconds(results, variant, "inside")
        series.append((title, [(size[n], s, n) for n, s in sorted(found.items())]))
    files = {
        "integer-cost.svg": plots.quality(
            "Integer cost over that of TVM StmtSimplify, CommonSubexprElim", "ratio",
            [("satir -O2", over_tvm_cost(results, "full")), ("satir, semantic CSE", over_tvm_cost(results, "semantic"))], (0.01, 2),
        ),
        "instructions.svg": plots.quality(
            "Executed instructions of the LLVM -O3 build over the better of TVM's CSE and none", "ratio",
            [("satir -O2", over_best(results, "full")), ("TVM's CSE", over_best(results, "tvm"))], (0.03, 2.5),
        ),
        "time.svg": plots.times("Time of the pass over the size of the program", series),
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    return list(files)


def versions():
    """What was measured with."""
    import tvm

    load = f"load average {os.getloadavg()[1]:.0f} on {os.cpu_count()} processors"
    lines = [
        f"apache-tvm {importlib.metadata.version('apache-tvm')} with LLVM {tvm.target.codegen.llvm_version_major()}",
        f"valgrind {version(['valgrind', '--version'], r'([0-9.]+)')}",
        f"gcc {version(['gcc', '-dumpfullversion'], r'([0-9.]+)')}",
        f"Python {platform.python_version()}, {platform.machine()}",
        load,
    ]
    return ", ".join(lines)


def write(results, command, commit, plot_folder, root):
    """The whole document."""
    good = sorted((r for r in results if "error" not in r), key=lambda r: (r["set"], r["name"]))
    sets = {name: [r for r in good if r["set"] == name] for name in sorted({r["set"] for r in good})}
    out = [HEADER.format(command=command, commit=commit, versions=versions())]
    out.append("Programs: " + ", ".join(f"{len(group)} of the set `{name}`" for name, group in sets.items()) + ".\n")
    out.append("## Figures\n\n" + "\n".join(f"Set `{name}`:\n\n{figures(group)}" for name, group in sets.items()))
    names = draw(good, plot_folder)
    relative = plot_folder.resolve().relative_to(root.resolve())
    out.append("\n".join(f"![{name}]({relative}/{name})" for name in names) + "\n")
    for name, group in sets.items():
        out.append(f"## Executed instructions, LLVM -O3, set `{name}`\n\nOver the better of TVM's `CommonSubexprElim` and no CSE.\n")
        out.append(comparison(group, instructions, best, WORSE, list(VARIANTS)))
        out.append("Apart, by a hash of the operator's name:\n\n" + halves(group))
        out.append(f"## Integer work, set `{name}`\n\nWeighted dynamic cost over that of TVM `StmtSimplify`, `CommonSubexprElim`.\n")
        out.append(comparison(group, cost, lambda r: cost(r, "tvm-simplify"), 1.0, list(VARIANTS)))
    by_name = {r["name"]: r for r in good}
    costs = lambda n: f"{cost(by_name[n], 'semantic'):.0f} to {cost(by_name[n], 'tvm-simplify'):.0f}"  # noqa: E731
    counts = lambda n: ", ".join(f"{v} {instructions(by_name[n], v)}" for v in ("none", "tvm", "semantic", "full"))  # noqa: E731
    out.append("## Where satir loses\n\nMore integer cost after semantic CSE than after TVM's passes:\n")
    out.append(losers(over_tvm_cost(good, "semantic"), 1 + 1e-9, costs))
    out.append("More than 2 % above the better of TVM's `CommonSubexprElim` and no CSE after `-O2`, in executed instructions:\n")
    out.append(losers(over_best(good, "full"), WORSE, counts))
    about = "Geometric means; instructions are over the better of TVM's `CommonSubexprElim` and no CSE."
    out.append(f"## By operator\n\n{about}\n\n" + by_category(good))
    out.append("## Executed operations by class\n\n" + operations(good))
    out.append("## Time of the passes\n\n" + pass_times(good))
    out.append("## In Python, end to end\n\n" + in_python(root))
    out.append("## What could not be measured\n\n" + failures(results))
    return "\n".join(out)


def in_python(root):
    """What the pass costs in Python with TVM's passes as peers in the same run: the first part of the document on that, which
    `benches/python/overhead.py` makes, as it needs the wheel."""
    text = (root / "benches" / "PYTHON.md").read_text()
    return text.split("\n\n", 1)[1].split("\nThe walk in the last line", 1)[0]


def failures(results):
    """What went wrong, by name."""
    lines = []
    for result in sorted(results, key=lambda r: r["name"]):
        if result.get("error") == NOT_REACHED:
            continue
        if "error" in result:
            lines.append(f"- `{result['name']}`: {one_line(result['error'])}")
            continue
        if result.get("note"):
            lines.append(f"- `{result['name']}`: not run, {result['note']}")
        lines += [
            f"- `{result['name']}`, {VARIANTS[v]}: {one_line(m['error'])}"
            for v, m in result["variants"].items() if "error" in m
        ]
    missed = sum(r.get("error") == NOT_REACHED for r in results)
    if missed:
        lines.append(f"- Not reached in the time given to this run: {missed} programs, chosen without regard to their names.")
    return "\n".join(lines) + "\n" if lines else "Nothing.\n"


def one_line(text):
    """The last line of a message that says something, without places of files."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return re.sub(r"\S*/(\S+)", r"\1", lines[-1])[:160] if lines else ""


HEADER = """# Benchmarks

Made by `{command}` (satir {commit}; {versions}).

Each program is one that TVM's own pipeline hands to its pass `CommonSubexprElim`; each variant takes the place of that pass, and the rest of TVM's pipeline follows.
*Integer cost* is the weighted number of executed integer operations and bindings that `satir count` measures on the text of the result.
*Instructions* are those that the kernel itself executes when TVM's LLVM backend compiled it at -O3, counted by callgrind. Programs for GPUs are compared in [GPU.md](benches/compare/GPU.md) by their machine code.
Results of all variants are compared with those of the input. Times are processor time, the least of several runs; they depend on the machine and somewhat on what else it does (see the load average), all other numbers do not.
The set `generated` is made by `benches/compare/generate.py`; the set `corpus` is measured where a folder of programs is given with `--corpus`.
"""
