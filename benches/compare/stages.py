"""How long the stages of satir take.

It counts the programs in which contextual simplification is longer than the rest, and extraction longer than saturation.

    cargo build --release --example in_process
    python benches/compare/stages.py [--corpus ../shared/corpus] [--point precse preflat presimp] [NAME …]

Times are by the clock, each the least of several runs in one process (`in_process.rs`). It needs no TVM.
"""

import argparse
import collections
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

import timing  # noqa: E402


def simplification(stages):
    """Microseconds of contextual simplification, and of the rest of what semantic sharing does."""
    own = stages.get("simplify", 0)
    return own, sum(stages.values()) - own


def queries(corpus, point):
    """The programs of the corpus at a point of TVM's pipeline: names, and what to ask `in_process`."""
    entries = json.loads((corpus / "index.json").read_text())["programs"]
    entries = [entry for entry in entries if point in entry["variants"]]
    asked = [{"path": str(corpus / point / entry["file"]), "bindings": entry["bindings"]} for entry in entries]
    return [entry["name"] for entry in entries], asked


def summary(found):
    """Of the stages of programs by name: how many have a longer simplification than rest, and its share of all."""
    both = [simplification(stages) for stages in found.values()]
    longer = sum(own > rest for own, rest in both)
    share = sum(own for own, _ in both) / max(1, sum(own + rest for own, rest in both))
    return longer, share


def extraction(found):
    """Of the stages of programs by name: the time of extraction over that of saturation, and how many have a longer one."""
    both = [(stages.get("extract", 0), stages.get("saturate", 0)) for stages in found.values()]
    return sum(own for own, _ in both) / max(1, sum(other for _, other in both)), sum(own > other for own, other in both)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these programs")
    parser.add_argument("--in-process", type=pathlib.Path, default=ROOT / "target" / "release" / "examples" / "in_process")
    parser.add_argument("--corpus", type=pathlib.Path, default=ROOT.parent / "shared" / "corpus")
    parser.add_argument("--point", nargs="*", default=["precse", "preflat", "presimp"])
    parser.add_argument("--show", type=int, default=20, help="of each point these many programs, by ratio")
    args = parser.parse_args()
    for point in args.point:
        names, asked = queries(args.corpus, point)
        wanted = [i for i, name in enumerate(names) if not args.names or name in args.names]
        least = timing.all_in_process(args.in_process, [asked[i] for i in wanted])
        found = {names[i]: one["stages"] for i, one in zip(wanted, least)}
        longer, share = summary(found)
        totals = collections.Counter()
        for stages in found.values():
            totals.update(stages)
        shown = "  ".join(f"{stage} {time / 1e3:.1f}" for stage, time in sorted(totals.items()))
        ratio, longer_extraction = extraction(found)
        print(f"{point}: simplify longer than the rest in {longer} of {len(found)}, {share:.1%} of all; ms: {shown}")
        print(f"{point}: extraction over saturation {ratio:.2f}, longer in {longer_extraction}")
        ratios = {name: (own / max(1, rest), own, rest) for name, (own, rest) in ((n, simplification(s)) for n, s in found.items())}
        for name, (ratio, own, rest) in sorted(ratios.items(), key=lambda item: -item[1][0])[: args.show]:
            print(f"  {name:44} simplify {own / 1e3:8.2f}   rest {rest / 1e3:8.2f}   ratio {ratio:5.2f}")


if __name__ == "__main__":
    main()
