#!/usr/bin/env python3
"""What theory and rules each bring: sets of rules in the manner of egg, egglog, Ruler and Caviar, and satir's own, in engines
that decide nothing, sums and products, or all of arithmetic without rules. Writes benches/rules/THEORY.md and the figures of
the chapter on rules of examples/README.md.

    cargo build --release
    python3 benches/rules/theory.py --output benches/rules/THEORY.md --tutorial examples/README.md

The programs are the example kernels; the expressions are generated (benches/expressions/generate.py). Further tables of
expressions, JSON lines as `satir expr` reads them (benches/expressions/tables.py makes some), can be named.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benches" / "expressions"))

import generate  # noqa: E402 (found through the path above)

SETS = "benches/rules/sets"
LAWS = "+commutativity,+associativity,+distributivity"

# What is shown, the rules and the theory as `satir rules compare` spells them, and whether the tutorial shows it.
ENGINES = [
    ("nothing", "none,theory=none", True),
    ("rules as in egg", f"none,{SETS}/egg.rules,theory=none", True),
    ("rules as in egglog", f"none,{SETS}/egglog.rules,theory=none", False),
    ("rules as Ruler and Enumo find them", f"none,{SETS}/ruler.rules,theory=none", False),
    ("rules as in Caviar", f"none,{SETS}/caviar.rules,theory=none", True),
    ("satir's rules", "default,theory=none", True),
    ("satir's rules and the laws of rings", f"default,{LAWS},theory=none", True),
    ("normal forms of sums, no rules", "none,theory=linear", True),
    ("normal forms of sums, rules as in Caviar", f"none,{SETS}/caviar.rules,theory=linear", False),
    ("normal forms of sums, satir's rules", "default,theory=linear", True),
    ("full theory, no rules", "none,theory=full", True),
    ("full theory, rules as in Caviar", f"none,{SETS}/caviar.rules,theory=full", False),
    ("full theory, satir's rules (the default)", "default,theory=full", True),
]

INTRODUCTION = """# What theory and rules each bring

`{command}` wrote this file, with `satir rules compare none,theory=none ENGINE PROGRAMS` for each engine.
An engine is a set of rules and as much of arithmetic as is decided without rules: nothing but constants (`--theory none`, a plain
e-graph as egg makes them), the normal forms of sums and products (`linear`), or all (`full`).
Costs are those of the results in parts of the inputs' costs, as geometric mean; *solved* counts the results that are as cheap as
the cheapest of any engine here. Times are medians of {repeats} runs for one input, on a machine that does other work as well.
A plain graph stops after 30 rounds or at 10,000 nodes, as egg does when nothing else is said.

The sets in `sets/` say in our notation, and in our words, what the laws are that others have as rules; `cargo test --test rules`
checks them. They are not the rule files of these projects: conditions, order of application and extraction are satir's. So the
figures compare *laws*, not programs.
Sharing equal text is done at every level, so programs get cheaper by *nothing* too; single expressions do not.
"""

READING = """
## What it says

{reading}
"""


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        generated = pathlib.Path(folder) / "generated.jsonl"
        records = generate.table(1, options.count)
        generated.write_text("".join(json.dumps(record) + "\n" for record in records))
        groups = {"kernels": ROOT / "examples" / "kernels", "expressions": generated}
        groups.update((path.stem, path) for path in options.table)
        found = {
            group: {name: compare(options, spec, path) for name, spec, _ in ENGINES} for group, path in groups.items()
        }
        needed = {theory: ablate(options, theory, groups["kernels"]) for theory in ["none", "linear", "full"]}
    text = INTRODUCTION.format(command=command(), repeats=options.repeats)
    for group, engines in found.items():
        text += f"\n## {group.capitalize()}: {len(next(iter(engines.values())))} inputs\n\n"
        text += table(engines, [name for name, _, _ in ENGINES])
    text += "\n## Sets that are needed\n\n" + needed_table(needed)
    text += READING.format(reading=reading(found))
    if options.output:
        options.output.write_text(text)
    else:
        print(text)
    if options.tutorial:
        rewrite_tutorial(options.tutorial, found)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="*", type=pathlib.Path, help="more expressions, as JSON lines")
    parser.add_argument("--count", type=int, default=12, help="generated expressions of each pattern")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each input")
    parser.add_argument("--satir", type=pathlib.Path, default=ROOT / "target" / "release" / "satir")
    parser.add_argument("--output", type=pathlib.Path, help="write here instead of to standard output")
    parser.add_argument("--tutorial", type=pathlib.Path, help="bring the figures of this file up to date")
    return parser.parse_args()


def command():
    """The command of this run, without where things lie on this machine."""
    words = [pathlib.Path(word).name if word.startswith("/") else word for word in sys.argv[1:]]
    return " ".join(["python3 benches/rules/theory.py", *words])


def run(options, *words):
    done = subprocess.run([options.satir, *words], check=True, stdout=subprocess.PIPE, cwd=ROOT)
    return json.loads(done.stdout)


def compare(options, spec, path):
    """Cost in parts of the input's, cost, and time in milliseconds, by input."""
    print(f"{path.name}: {spec}", file=sys.stderr)
    result = run(options, "rules", "compare", "none,theory=none", spec, path, "--json", "--repeats", str(options.repeats))
    return {p["program"]: (p["cost_b"] / p["before"], p["cost_b"], p["time_b_us"] / 1e3) for p in result["programs"]}


def ablate(options, theory, path):
    print(f"{path.name}: ablation with {theory}", file=sys.stderr)
    units = run(options, "rules", "ablate", "--theory", theory, "--json", path)["units"]
    return {unit["name"]: unit["cost_without"] for unit in units}


def mean(ratios):
    return math.exp(statistics.fmean(math.log(ratio) for ratio in ratios if ratio > 0))


def row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |\n"


def table(engines, names):
    best = {}
    for results in engines.values():
        for program, (_, cost, _) in results.items():
            best[program] = min(cost, best.get(program, cost))
    text = row("engine", "cost", "solved", "median time, ms") + row("---", "---:", "---:", "---:")
    for name in names:
        results = engines[name]
        solved = sum(cost <= best[program] * (1 + 1e-9) for program, (_, cost, _) in results.items())
        time = statistics.median(time for _, _, time in results.values())
        text += row(name, f"{mean(ratio for ratio, _, _ in results.values()):.4f}", solved, f"{time:.2f}")
    return text


def needed_table(needed):
    """By how much the kernels get dearer without a set, by theory."""
    names = sorted({name for units in needed.values() for name in units})
    share = lambda ratio: "" if ratio is None or abs(ratio - 1) < 5e-5 else f"{(ratio - 1) * 100:+.2f} %"
    text = "By how much results on the kernels cost more without one set of satir's rules.\n\n"
    text += row("without", *(f"theory {name}" for name in needed)) + row("---", *["---:"] * len(needed))
    for name in names:
        cells = [share(units.get(name)) for units in needed.values()]
        if any(cells):
            text += row(f"`{name}`", *cells)
    return text


def cost(found, group, name):
    return mean(ratio for ratio, _, _ in found[group][name].values())


def reading(found):
    lines = []
    for group in found:
        at = lambda name: cost(found, group, name)
        nothing, rules = at("nothing"), at("satir's rules")
        linear, full = at("normal forms of sums, no rules"), at("full theory, no rules")
        both, default = at("normal forms of sums, satir's rules"), at("full theory, satir's rules (the default)")
        lines.append(
            f"- **{group}**: from {nothing:.4f}, satir's rules alone reach {rules:.4f}, normal forms alone {linear:.4f}, "
            f"the full theory alone {full:.4f}. Rules bring {share(nothing, rules)} to a plain graph, {share(linear, both)} to "
            f"normal forms and {share(full, default)} to the full theory."
        )
    return "\n".join(lines)


def share(before, after):
    return f"{(1 - after / before) * 100:.1f} %"


def rewrite_tutorial(path, found):
    """Puts the figures between their marks."""
    text = path.read_text()
    first, last = "<!-- figures of benches/rules/theory.py -->\n", "<!-- end of the figures -->"
    before, rest = text.split(first)
    _, after = rest.split(last)
    figures = row("engine", "kernels", "expressions") + row("---", "---:", "---:")
    for name, _, shown in ENGINES:
        if shown:
            figures += row(name, *(f"{cost(found, group, name):.4f}" for group in ["kernels", "expressions"]))
    path.write_text(f"{before}{first}\n{figures}\n{last}{after}")


if __name__ == "__main__":
    main()
