"""How far `satir expr` simplifies expressions, how fast, and whether the results are right; with TVM as a peer.

The expressions are generated (`generate.py`), or read from JSON lines as `satir expr` takes them; a field `expected`
with the result of another simplifier is then a peer as well. Each result is priced with the default weights and
evaluated at random points, where ranges and preconditions hold, against its expression. TVM's analyzer simplifies
the same expressions in the same run, where the package is installed: its `simplify`, `rewrite_simplify`,
`canonical_simplify`, and the best of the three.

    cargo build --release
    python benches/expressions/expressions.py                      # 60 expressions of each pattern
    python benches/expressions/expressions.py table.jsonl --losses

The exit code is 1 if a result of satir is wrong.
"""

import argparse
import collections
import functools
import json
import pathlib
import random
import subprocess
import sys

import generate
import tvmexpr
from tvmexpr import Undefined, Unsupported

try:
    import peer
except ImportError:
    peer = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
BEST = "the best of TVM"


def main():
    options = arguments()
    if options.table:
        records = [json.loads(line) for path in options.table for line in path.read_text().splitlines() if line.strip()]
    else:
        records = generate.table(options.seed, options.count)
    answers = run_satir(options.satir, records)
    rng = random.Random(options.seed)
    tables = collections.defaultdict(collections.Counter)
    times = collections.defaultdict(list)
    wrong = failed = 0
    for record, answer in zip(records, answers):
        group = str(record["id"]).rsplit("-", 1)[0]
        if "error" in answer:
            print(f"failed: {record['expr']}: {answer['error'].splitlines()[0]}")
            failed += 1
            continue
        times["satir"].append(answer["time_us"])
        types = types_of(record)
        try:
            tree = tvmexpr.parse(record["expr"], types)
            result = tvmexpr.parse(answer["result"], types)
            conditions = [tvmexpr.parse(text, types) for text in record.get("precond", [])]
        except Unsupported as why:
            print(f"not measured: {record['expr']}: {why}")
            continue
        point = counterexample(rng, record, tree, result, conditions, options.points)
        if point:
            wrong += 1
            print(f"WRONG: {record['expr']} gives {answer['result']}, at {point}")
        others = dict(peers(record, tree, conditions, times))
        if "expected" in record:
            others["expected"] = record["expected"]
        for name, text in others.items():
            theirs = tvmexpr.cost(tvmexpr.parse(text, types))
            ours = tvmexpr.cost(result)
            tables[name][group, (ours > theirs) - (ours < theirs)] += 1
            if options.losses and ours > theirs and name in (BEST, "expected"):
                print(f"dearer: {record['expr']}\n    satir ({ours}): {answer['result']}\n    {name} ({theirs}): {text}")
    report(tables, times)
    print(f"{len(records)} expressions, {failed} failed, {wrong} wrong")
    return 1 if wrong else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="*", type=pathlib.Path, help="JSON lines; without any, expressions are generated")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60, help="generated expressions of each pattern")
    parser.add_argument("--points", type=int, default=200, help="points at which each result is evaluated")
    parser.add_argument("--losses", action="store_true", help="show where a peer's result is cheaper")
    parser.add_argument("--satir", type=pathlib.Path, default=ROOT / "target/release/satir")
    return parser.parse_args()


def run_satir(program, records):
    keys = ("id", "vars", "buffers", "expr", "precond")
    lines = "".join(json.dumps({k: r[k] for k in keys if k in r}) + "\n" for r in records)
    done = subprocess.run([program, "expr"], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def types_of(record):
    """The type of each variable, and of each buffer's elements."""
    return {name: what["dtype"] for name, what in (record["vars"] | record.get("buffers", {})).items()}


def peers(record, tree, conditions, times):
    """Name and text of each peer's result; their times go to `times`."""
    if peer is None:
        return
    results = []
    try:
        for name, text, microseconds in peer.Peer(record, tree, conditions).results():
            times[f"TVM {name}"].append(microseconds)
            results.append((f"TVM {name}", text))
    except Unsupported:
        return
    types = types_of(record)
    yield from results
    yield BEST, min((text for _, text in results), key=lambda text: tvmexpr.cost(tvmexpr.parse(text, types)))


def counterexample(rng, record, tree, result, conditions, points):
    """A point where the result differs from the expression, or has no value where that has one."""
    found = 0
    for _ in range(points * 6):
        env = {
            name: [sample(rng, var) for _ in range(tvmexpr.split_type(var["dtype"])[1])]
            for name, var in record["vars"].items()
        }
        env[tvmexpr.VSCALE] = 1 << rng.randrange(5)
        for name, buffer in record.get("buffers", {}).items():
            env[name] = functools.cache(lambda *_, buffer=buffer: sample(rng, buffer))
        try:
            if not all(tvmexpr.evaluate(condition, env)[0] for condition in conditions):
                continue
            expected = tvmexpr.evaluate(tree, env)
        except Undefined:
            continue
        found += 1
        try:
            actual = tvmexpr.evaluate(result, env)
        except Undefined:
            return env
        if actual != expected:
            return env
        if found == points:
            break
    return None


def sample(rng, var):
    """A value in the variable's range: mostly a small one, now and then an end or a large one."""
    dtype = tvmexpr.split_type(var["dtype"])[0]
    if dtype.startswith("float"):
        return rng.choice([0.0, 1.0, -2.5, 3.75, 100.0])
    bits = 1 if dtype == "bool" else int(dtype.lstrip("uint"))
    low, high = (0, (1 << bits) - 1) if dtype[0] in "ub" else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    low = low if var.get("min") is None else max(low, var["min"])
    high = high if var.get("max") is None else min(high, var["max"])
    reach = rng.choice([3, 12, 12, 200, 4000])
    value = rng.choice([rng.randint(-reach, reach), rng.randint(-reach, reach), low, high, low + rng.randint(0, reach)])
    if value in (low, high) and high - low > 1 << 20:
        value = rng.randint(-reach, reach)
    return min(max(value, low), high)


def report(tables, times):
    groups = sorted({group for table in tables.values() for group, _ in table})
    for name, table in tables.items():
        print(f"\nsatir against {name}")
        print(f"{'':24}{'cheaper':>9}{'equal':>9}{'dearer':>9}{'at most':>10}")
        for group in groups + ["all"]:
            counts = [sum(n for (g, s), n in table.items() if s == sign and group in (g, "all")) for sign in (-1, 0, 1)]
            total = sum(counts)
            if total:
                share = (counts[0] + counts[1]) / total
                print(f"{group:24}{counts[0]:>9}{counts[1]:>9}{counts[2]:>9}{share:>10.1%}")
    print(f"\n{'microseconds':24}{'median':>9}{'p90':>9}{'p99':>9}{'most':>9}")
    for name, values in times.items():
        values = sorted(values)
        at = lambda q: values[min(len(values) - 1, int(q * len(values)))]
        print(f"{name:24}{at(0.5):>9.0f}{at(0.9):>9.0f}{at(0.99):>9.0f}{values[-1]:>9.0f}")
    print()


if __name__ == "__main__":
    sys.exit(main())
