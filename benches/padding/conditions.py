"""How much of the integer work of programs are conditions, before and after `plan`: writes benches/padding/CONDITIONS.md.

    python benches/padding/conditions.py --satir target/release/satir --corpus CORPUS -o benches/padding/CONDITIONS.md

CORPUS is a folder of programs with an index, as benches/compare/generate.py writes it. Each program is taken through `satir cse`,
through `satir opt -O2`, and through `satir opt` with `plan` in front of sharing; what comes out is run by `satir count`.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "compare"))
import programs as corpus  # noqa: E402
import variants  # noqa: E402

#: What conditions are made of; each weighs 1.
CONDITIONS = ("compare", "logic", "select")

WAYS = {
    "`cse`": ["cse"],
    "`opt -O2`": ["opt", "-O2"],
    "`plan`, then sharing": ["opt", "--passes", "plan,semantic-cse"],
}


def measured(satir, program, way):
    """The weighted integer work and the conditions of it that one program executes, or why not."""
    try:
        line = [satir, *WAYS[way], "-q", *variants.bind_argument(program["bindings"]), program["path"]]
        counted = variants.counts(satir, variants.satir(line), program["bindings"], program["inputs"])
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        return str(error)[:100]
    if not counted["ran"]:
        return counted["why"][:100]
    return counted["integer"], sum(counted["executed"][name] for name in CONDITIONS)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--satir", required=True, help="the program")
    parser.add_argument("--corpus", required=True, help="a folder of programs with an index")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-o", "--output", help="the document")
    args = parser.parse_args()
    chosen = [program for program in corpus.load(args.corpus, "corpus") if program["runnable"]]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        work = [(program, way) for program in chosen for way in WAYS]
        results = list(pool.map(lambda job: measured(args.satir, *job), work))
    rows = collections.defaultdict(dict)
    for (program, way), result in zip(work, results):
        rows[program["name"]][way] = result
    whole = {name: row for name, row in rows.items() if all(isinstance(result, tuple) for result in row.values())}
    text = document(whole, {name: row for name, row in rows.items() if name not in whole})
    print(text)
    if args.output:
        pathlib.Path(args.output).write_text(text)


def document(rows, missing):
    """What is said of the figures."""
    lines = [
        "# Conditions",
        "",
        f"Made by `benches/padding/conditions.py` on {len(rows)} programs of the corpus. Of the weighted integer work that is executed, conditions are",
        "comparisons, what joins them, and choices.",
        "",
        "| after | share of conditions, all together | mean | median | programs above 30 % | integer work over that of `cse` (geometric mean) | programs with more work than `cse` |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    first = next(iter(WAYS))
    for way in WAYS:
        work = [row[way][0] for row in rows.values()]
        shares = [row[way][1] / row[way][0] if row[way][0] else 0.0 for row in rows.values()]
        together = sum(row[way][1] for row in rows.values()) / sum(work)
        ratios = [row[way][0] / row[first][0] for row in rows.values() if row[first][0] and row[way][0]]
        lines.append(
            f"| {way} | {together:.3f} | {statistics.mean(shares):.3f} | {statistics.median(shares):.3f} | {sum(s > 0.3 for s in shares)} | "
            f"{statistics.geometric_mean(ratios):.3f} | {sum(ratio > 1.0 for ratio in ratios)} |"
        )
    last = list(WAYS)[-1]
    largest = sorted(rows, key=lambda name: rows[name][last][1] / max(rows[name][last][0], 1), reverse=True)[:12]
    lines += ["", "The largest shares after `plan` and sharing: " + ", ".join(
        f"{name} {rows[name][last][1] / rows[name][last][0]:.2f}" for name in largest if rows[name][last][0]
    ) + "."]
    for name, row in missing.items():
        lines.append(f"\nNot counted: {name}: " + "; ".join(f"{way}: {what}" for way, what in row.items() if isinstance(what, str)))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
