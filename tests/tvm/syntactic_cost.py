"""Compares satir's syntactic CSE with TVM's own, by satir's static cost model.

For every program of a folder of TVMScript (default: shared/corpus/precse): TVM runs CommonSubexprElim, alone and after
StmtSimplify; satir runs its syntactic CSE; satir prices all results with the same bindings of symbolic dimensions.
TVM also has to read satir's output, and its well-formedness check has to accept it. Prints the geometric means of
cost after to cost before and every program on which satir's result costs more than TVM's; exits 1 if there is one.

    cargo build --release --example static_cost
    python tests/tvm/syntactic_cost.py [--corpus FOLDER] [--stage precse] [NAME ...]
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import time

import tvm
from tvm.script import from_source

ROOT = pathlib.Path(__file__).resolve().parents[2]


def find_corpus():
    """The shared corpus beside the checkout or a few levels above it."""
    for base in (ROOT, *ROOT.parents):
        for folder in (base / "shared" / "corpus", base / "corpus"):
            if (folder / "index.json").exists():
                return folder
    sys.exit("no corpus found: give --corpus")


def as_module(text):
    """What TVM makes of a text; a bare function becomes a module."""
    parsed = from_source(text)
    return parsed if isinstance(parsed, tvm.IRModule) else tvm.IRModule({"main": parsed})


def price(binary, requests):
    """Answers of satir's `static_cost` example, in order."""
    lines = "".join(json.dumps(r) + "\n" for r in requests)
    done = subprocess.run([binary], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def mean(ratios):
    """Geometric mean."""
    return math.exp(sum(math.log(r) for r in ratios) / len(ratios)) if ratios else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=pathlib.Path)
    parser.add_argument("--stage", default="precse")
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/examples/static_cost")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    if not args.binary.exists():
        sys.exit(f"{args.binary} does not exist: cargo build --release --example static_cost")
    corpus = args.corpus or find_corpus()
    programs = json.loads((corpus / "index.json").read_text())["programs"]
    programs = [p for p in programs if args.stage in p["variants"] and (not args.names or p["name"] in args.names)]

    cse = tvm.tirx.transform.CommonSubexprElim()
    simplify = tvm.tirx.transform.StmtSimplify()
    requests, failures, tvm_s = [], [], 0.0
    for p in programs:
        text = (corpus / args.stage / p["file"]).read_text()
        module = as_module(text)
        start = time.perf_counter()
        after = cse(module)
        tvm_s += time.perf_counter() - start
        after_both = cse(simplify(module))
        for kind, source in (("input", text), ("tvm", after.script()), ("tvm+simplify", after_both.script())):
            requests.append({"id": [p["name"], kind], "text": source, "bind": p["bindings"]})
        requests.append({"id": [p["name"], "satir"], "text": text, "bind": p["bindings"], "syntactic": True})

    results = {}
    for answer in price(args.binary, requests):
        if "error" in answer:
            failures.append(f"{answer['id']}: {answer['error']}")
        else:
            name, kind = answer["id"]
            results.setdefault(name, {})[kind] = answer

    above, ratios = [], {"tvm": [], "satir": [], "tvm int": [], "satir int": [], "satir/tvm": []}
    for name, r in results.items():
        if not {"input", "tvm", "satir"} <= r.keys() or r["tvm"]["total"] == 0:
            continue
        before, theirs, ours = r["input"], r["tvm"], r["satir"]
        if ours["total"] > theirs["total"] * (1 + 1e-12):
            above.append((ours["total"] / theirs["total"], name))
        ratios["tvm"].append(theirs["total"] / before["total"])
        ratios["satir"].append(ours["total"] / before["total"])
        ratios["satir/tvm"].append(ours["total"] / theirs["total"])
        if before["integer"] > 0:
            ratios["tvm int"].append(theirs["integer"] / before["integer"])
            ratios["satir int"].append(ours["integer"] / before["integer"])
        try:
            module = as_module(ours["text"])
            tvm.tirx.analysis.verify_well_formed(module)
        except Exception as err:
            failures.append(f"{name}: TVM does not take satir's output: {str(err).strip()[:300]}")

    below = sum(1 for r in ratios["satir/tvm"] if r < 1 - 1e-12)
    print(f"{len(ratios['tvm'])} programs of {args.stage}; TVM's pass took {tvm_s:.2f} s")
    print(f"geometric mean of cost after/before: TVM {mean(ratios['tvm']):.4f}, satir {mean(ratios['satir']):.4f}")
    print(f"  integer work and bindings:         TVM {mean(ratios['tvm int']):.4f}, satir {mean(ratios['satir int']):.4f}")
    print(f"satir/TVM: mean {mean(ratios['satir/tvm']):.4f}, satir is below on {below}, above on {len(above)}")
    for ratio, name in sorted(above, reverse=True):
        print(f"  above TVM: {name} {ratio:.6f}")
    for failure in failures:
        print(f"  FAILED: {failure}")
    sys.exit(1 if above or failures else 0)


if __name__ == "__main__":
    main()
