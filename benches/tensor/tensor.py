"""What `satir tensor` makes of joint programs: cost, blocks, and whether the bits stay. Writes benches/tensor/RESULTS.md.

    python benches/tensor/tensor.py [--satir target/release/satir] [--run]

Costs are those of `satir count` with stores as dear as loads. `--run` builds both programs with TVM's LLVM and compares numbers and
times.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
NAMES = ["tanh", "softmax", "layer_norm", "batch_norm", "conv_bn_relu", "attention", "lstm"]
FIRST = NAMES[:4]


def built(path):
    """The function, compiled by TVM."""
    import tvm
    from tvm.script import from_source

    return tvm.compile(from_source(path.read_text()), target={"kind": "llvm", "opt-level": 3}), from_source(path.read_text())


def run(before, after, name):
    """Whether numbers agree, and the least time of each program in seconds."""
    import numpy
    import tvm

    (first, module), (second, _) = built(before), built(after)
    [function] = module.functions.values()
    generator = numpy.random.default_rng(0)
    arrays = []
    for parameter in function.params:
        shape = [int(extent) for extent in parameter.shape]
        arrays.append(generator.standard_normal(shape).astype(str(parameter.dtype)))
    results, times = [], [math.inf, math.inf]
    tensors = [[tvm.runtime.tensor(a) for a in arrays] for _ in range(2)]
    for _ in range(400):
        for at, program in enumerate([first, second]):
            start = time.perf_counter()
            program[name](*tensors[at])
            times[at] = min(times[at], time.perf_counter() - start)
    for own in tensors:
        results.append([t.numpy() for t in own])
    same = all(numpy.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True) for a, b in zip(*results))
    return same, times


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--satir", default="target/release/satir")
    parser.add_argument("--run", action="store_true")
    options = parser.parse_args()
    lines = [
        "# Joint programs of forward and backward",
        "",
        "Made by `python benches/tensor/tensor.py`; programs by `benches/tensor/programs.py`. Cost is that of `satir count`, with stores as",
        "dear as loads. Greedy is inlining of definitions one by one, each in a nest of its own. `satir equiv` compares the small programs.",
        f"Seconds are those of `{options.satir}`; LLVM's time is the least of 400 runs of each program in turn.",
        "*Everything inlined* and *greedy* are what the search counts: with what loops lose that vectors cannot take.",
        "",
        "| program | blocks | cost as is | everything inlined | greedy | satir | nests | equiv, small sizes | seconds |"
        + (" LLVM agrees | LLVM time |" if options.run else ""),
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |" + (" --- | --- |" if options.run else ""),
    ]
    ratios, slower = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for kind in ("large", "small"):
            arguments = [folder / kind] + (["--small"] if kind == "small" else [])
            subprocess.run([sys.executable, HERE / "programs.py", *arguments], check=True, stdout=subprocess.DEVNULL)
        for name in NAMES:
            before, after, report = folder / "large" / f"{name}.py", folder / f"{name}.py", folder / "report.json"
            start = time.perf_counter()
            subprocess.run([options.satir, "tensor", before, "-o", after, "--report", report], check=True)
            seconds = time.perf_counter() - start
            [told] = json.loads(report.read_text())
            cost, made = told["cost_before"], told["cost_after"]
            plans = {}
            for plan in told["plans"]:
                plans.setdefault(plan["name"], plan["cost"])
            small = folder / "small" / f"{name}.py"
            subprocess.run([options.satir, "tensor", small, "-o", folder / "shared.py"], check=True)
            judged = subprocess.run([options.satir, "equiv", small, folder / "shared.py", "--runs", "20"], capture_output=True, text=True)
            verdict = "same bits" if judged.returncode == 0 else "DIFFERS"
            ratios[name] = made / cost
            blocks = len(told["definitions"]) + len(told["opaque"])
            line = f"| {name} | {blocks} | {cost:,.0f} | {plans['everything inlined'] / cost:.2f} | {plans['greedy inlining'] / cost:.2f} | **{made / cost:.3f}** | {len(told['nests'])} | {verdict} | {seconds:.2f} |"
            if options.run:
                same, times = run(before, after, name)
                slower[name] = times[1] / times[0]
                line += f" {'yes' if same else 'NO'} | {times[1] / times[0]:.2f} |"
            lines.append(line)
            print(line, flush=True)
    mean = math.prod(ratios[name] for name in FIRST) ** (1 / len(FIRST))
    lines += ["", f"Geometric mean of {', '.join(FIRST)}: **{mean:.3f}**."]
    if slower:
        every = math.prod(slower.values()) ** (1 / len(slower))
        lines += [f"LLVM time of all seven: **{every:.2f}** (geometric mean), the worst {max(slower.values()):.2f}."]
    (HERE / "RESULTS.md").write_text("\n".join(lines) + "\n")
    print(*lines[-2:], sep="\n")


if __name__ == "__main__":
    main()
