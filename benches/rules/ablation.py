#!/usr/bin/env python3
"""Which rewrite rules pay: leaves out one set and one rule at a time over programs and expressions, and writes the
tables of rules/ABLATION.md.

    cargo build --release
    python3 benches/rules/ablation.py --corpus ../shared/corpus --output rules/ABLATION.md

The programs are those of the corpus, stage by stage, if it is there, and the example kernels; the expressions are
generated (benches/expressions/generate.py). Further tables of expressions, JSON lines as `satir expr` reads them, can
be named. Takes about ten minutes on two cores.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benches" / "expressions"))

import generate  # noqa: E402 (found through the path above)

STAGES = ["precse", "preflat", "presimp"]

INTRODUCTION = """# Which rules pay

`{command}` wrote this file: `satir rules ablate --json PROGRAMS`, by set and by rule, over each group of inputs.
A group's cost is the geometric mean of the results' costs in parts of the inputs' costs, with the rules that are on; the tables say by how much it is higher or lower without a set or a rule.
The cost is the estimate that satir minimizes.
A rule is *needed* where leaving out this rule alone makes a result dearer.
What several rules or the theory of arithmetic do equally well needs none of them.
*Expressions* are generated; a group named after a file, such as `rewrite` (the expressions of TVM's tests of its rewrite simplifier), was read from JSON lines that are not in this repository.

"""

DECISIONS = """
## What was done about it

- **Most results need few rules.** The theory of arithmetic (`+ - * // % min max` and comparisons on index types) decides without rules what most of them say. They stay on: each is tested and nearly all are proven, and a rule that does not match costs next to nothing, since a rule is tried only where the operator at its root occurs.
- **`cast`, `shift`, `truncdiv`, `logic`, `range`** hardly ever pay here, because these programs have few such operations. They stay on for programs that do: the theory knows nothing of shifts, bit operations, conversions and types that wrap. Rules of `shift` whose conditions shift a constant do not apply in the engine, which does not compute such terms.
- **Left out: `floordiv-split-constant`.** The theory splits constants itself (`--explain-missed "(n + 19) // 16" "(n + 3) // 16 + 1"`). The rule brought nothing anywhere, and cost `depthwise_nhwc_dyn__gpu` 2 %: it turned `(w + 1) // 2` into `w - w // 2`, whose products fall apart into more terms.
- **Kept: `clamp-order`.** With both orders of a clamp in the graph four resizing kernels come out up to 0.2 % dearer (the tables were made with the rule off for index types), but nothing else proves the two orders equal.
- **Kept though results look cheaper without: `if-then-else-nested-and`, `select-pair-add`, `select-floordiv-right` and others that move conditionals.** Every arm of a conditional counts half, so two nested conditionals look cheaper than one whose condition is an `and`, and an operation in an arm cheaper than one outside. Executed operations hardly differ: 1,513 against 1,558 on `matrix_set_diag__default`, and the same 370 instructions after LLVM.
- **Few rules are enough for these programs.** `satir rules ablate --smallest PROGRAMS` over precse keeps 25 of 782 (one more than now), with which no result is dearer: mostly divisions nested and split, and their comparisons. Expressions need others, so this is no reason to switch the rest off.
- **The rest of what gets cheaper** without one rule are searches that end elsewhere, all by less than one percent of a program.
- **Off by default stay `commutativity`, `associativity`, `distributivity`** (the theory decides them, `examples/ac_by_brute_force.rs` measures why) **and `fastmath`** (changes bits).
"""


def main():
    options = arguments()
    groups = {}
    with tempfile.TemporaryDirectory() as folder:
        for stage in STAGES:
            if (options.corpus / stage).is_dir():
                groups[f"corpus, {stage}"] = options.corpus / stage
        groups["kernels"] = ROOT / "examples" / "kernels"
        generated = pathlib.Path(folder) / "generated.jsonl"
        generated.write_text("".join(json.dumps(record) + "\n" for record in generate.table(1, options.count)))
        groups["expressions"] = generated
        groups.update((path.stem, path) for path in options.table)
        by_set = {name: ablate(options.satir, path, "set") for name, path in groups.items()}
        by_rule = {name: ablate(options.satir, path, "rule") for name, path in groups.items()}
    text = INTRODUCTION.format(command=command())
    text += groups_table(by_set, by_rule) + sets_table(by_set) + rules_table(by_rule) + DECISIONS
    if options.output:
        options.output.write_text(text)
    else:
        print(text)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="*", type=pathlib.Path, help="more expressions, as JSON lines")
    parser.add_argument("--corpus", type=pathlib.Path, default=ROOT / ".." / "shared" / "corpus")
    parser.add_argument("--count", type=int, default=60, help="generated expressions of each pattern")
    parser.add_argument("--satir", type=pathlib.Path, default=ROOT / "target" / "release" / "satir")
    parser.add_argument("--output", type=pathlib.Path, help="write here instead of to standard output")
    return parser.parse_args()


def command():
    """The command of this run, without where things lie on this machine."""
    words = []
    for word in sys.argv[1:]:
        words.append(pathlib.Path(word).name if word.startswith("/") else word)
    return " ".join(["python3 benches/rules/ablation.py", *words])


def ablate(satir, path, unit):
    print(f"{path.name}, by {unit}", file=sys.stderr)
    run = [satir, "rules", "ablate", "--by", unit, "--json", path]
    return json.loads(subprocess.run(run, check=True, stdout=subprocess.PIPE).stdout)


def percent(ratio):
    # Without a sign on what rounds to nothing.
    text = f"{(ratio - 1) * 100:+.2f}"
    return "0" if text in ("+0.00", "-0.00") else f"{text} %"


def row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |\n"


def table(head, rows):
    return row(*head) + row("---", *["---:"] * (len(head) - 1)) + "".join(row(*cells) for cells in rows)


def groups_table(by_set, by_rule):
    rows = []
    for name, sets in by_set.items():
        units = by_rule[name]["units"]
        used = [unit for unit in units if unit["used_in"]]
        needed = [unit for unit in used if unit["dearer"]]
        rows.append((name, sets["programs"], f"{sets['ratio']:.4f}", len(units), len(used), len(needed)))
    head = ("inputs", "how many", "cost", "rules", "of them used", "needed")
    return "## Inputs\n\n" + table(head, rows) + "\n"


def sets_table(by_set):
    names = {unit["name"]: unit["rules"] for group in by_set.values() for unit in group["units"]}
    rows = []
    for name, rules in names.items():
        cells, without = [], []
        for group in by_set.values():
            unit = next((unit for unit in group["units"] if unit["name"] == name), None)
            if unit is None or not unit["used_in"]:
                cells.append("unused")
                without.append(1)
            else:
                cells.append(f"{percent(unit['cost_without'])} ({len(unit['dearer'])}, {len(unit['cheaper'])})")
                without.append(unit["cost_without"])
        rows.append((-sum(without), (f"`{name}`", rules, *cells)))
    rows = [cells for _, cells in sorted(rows)]
    text = "## Sets\n\nWhat results cost more without a set, and in brackets: how many get dearer, how many cheaper.\n\n"
    return text + table(("without", "rules", *by_set), rows) + "\n"


def rules_table(by_rule):
    """The rules that some result needs, or is better without."""
    rules = {}
    for group, result in by_rule.items():
        for unit in result["units"]:
            if unit["dearer"] or unit["cheaper"]:
                rules.setdefault(unit["name"], {})[group] = unit
    rows = []
    for name, groups in rules.items():
        cells = []
        for group in by_rule:
            unit = groups.get(group)
            cells.append(
                f"{percent(unit['cost_without'])} ({len(unit['dearer'])}, {len(unit['cheaper'])})" if unit else ""
            )
        rows.append((-sum(unit["cost_without"] - 1 for unit in groups.values()), (f"`{name}`", *cells)))
    rows = [cells for _, cells in sorted(rows)]
    text = "## Rules\n\nThose without which a result changes; without any other rule all results are as cheap.\n\n"
    return text + table(("without", *by_rule), rows)


if __name__ == "__main__":
    main()
