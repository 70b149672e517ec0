"""What `satir tensor --split` keeps between forward and backward functions, against Relax. Writes benches/tensor/STASH.md.

    python benches/tensor/stash.py [--satir target/release/satir]

Relax's `Gradient` keeps each forward tensor that its backward bindings read; its work is that of the joint program. Costs are those of `satir count` with stores as dear as loads. `satir tensor --validate` runs small
pairs before and after, one function after the other.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NAMES = ["tanh", "softmax", "layer_norm", "batch_norm", "conv_bn_relu", "attention", "lstm"]
FEW = {"layer_norm": 128, "batch_norm": 32, "conv_bn_relu": 8224}


def split(satir, program, told, out, budget=None, validate=False):
    """The cost of both functions, the elements that are kept, and seconds."""
    edges = [f"{told['forward']}.{p}={told['backward']}.{p}" for p in told["shared"]]
    command = [satir, "tensor", program, "-o", out, "--report", out.with_suffix(".json")]
    command += ["--split", f"forward={told['forward']},backward={told['backward']}"]
    command += [argument for edge in edges for argument in ("--edge", edge)]
    command += [] if budget is None else ["--stash-budget", str(budget)]
    command += ["--validate"] if validate else []
    subprocess.run(command, check=True)
    *functions, kept = json.loads(out.with_suffix(".json").read_text())
    return sum(f["cost_after"] for f in functions), kept["stash_bytes"] // 4, kept


def cost(satir, program, out):
    """What a program costs as it is: what the report of `satir tensor` says of it before."""
    subprocess.run([satir, "tensor", program, "-o", out, "--report", out.with_suffix(".json")], check=True)
    return sum(f["cost_before"] for f in json.loads(out.with_suffix(".json").read_text()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--satir", default="target/release/satir")
    options = parser.parse_args()
    lines = [
        "# What forward functions keep for backward ones",
        "",
        "Made by `python benches/tensor/stash.py`; programs by `benches/tensor/programs.py --pairs`. Work is the cost of both functions",
        "over that of Relax's joint program as it is; inputs do not count as kept. *Half* has half of Relax's elements as its budget,",
        "*few* those that the design asks for. With the budget 0 all is computed again. Each pair is validated at small sizes, all",
        "bits alike, with each budget scaled to its size.",
        "",
        "| model | Relax keeps | no budget: kept | work | half: kept | work | few: kept | work | nothing: work | validated |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for kind, arguments in (("joint", []), ("pairs", ["--pairs"]), ("small", ["--pairs", "--small"])):
            subprocess.run([sys.executable, HERE / "programs.py", folder / kind, *arguments], check=True, stdout=subprocess.DEVNULL)
        out = folder / "out.py"
        for name in NAMES:
            told = json.loads((folder / "pairs" / f"{name}.json").read_text())
            relax = cost(options.satir, folder / "joint" / f"{name}.py", out)
            elements = told["relax_elements"]
            row, validated = [], []
            budgets = [None, 4 * elements // 2, 4 * FEW[name] if name in FEW else None, 0]
            for at, budget in enumerate(budgets):
                if at == 2 and budget is None:
                    row.append((None, None))
                    continue
                work, kept, _ = split(options.satir, folder / "pairs" / f"{name}.py", told, out, budget)
                row.append((kept, work / relax))
                small = json.loads((folder / "small" / f"{name}.json").read_text())
                tight = None if budget is None else budget * small["relax_elements"] // elements
                split(options.satir, folder / "small" / f"{name}.py", small, out, tight, validate=True)
                validated.append(at)
            cell = lambda kept, work: "- | -" if kept is None else f"{kept:,} | **{work:.3f}**"
            cells = " | ".join(cell(*pair) for pair in row[:3])
            line = f"| {name} | {elements:,} | {cells} | {row[3][1]:.3f} | yes |"
            lines.append(line)
            print(line, flush=True)
            if row[1][1] > 1.05:
                missed.append(f"{name}: half of the stash costs {row[1][1]:.3f}")
            if name in FEW and (row[2][0] > FEW[name] or row[2][1] > 1.15):
                missed.append(f"{name}: {row[2][0]} elements, work {row[2][1]:.3f}")
    lines += ["", "Goals that are missed (half: work at most 1.05; few: at most 1.15): " + ("; ".join(missed) or "none") + "."]
    (HERE / "STASH.md").write_text("\n".join(lines) + "\n")
    print(lines[-1])


if __name__ == "__main__":
    main()
