"""What `satir tensor` makes of joint programs: cost, blocks, and whether the bits stay. Writes benches/tensor/RESULTS.md.

    python benches/tensor/tensor.py [--satir target/release/satir] [--run]

Costs are those of `satir count` with stores as dear as loads. `--run` builds both programs with TVM's default pipeline and LLVM,
compares numbers and times, and counts the instructions that they execute (valgrind) with those of the C library's functions that they
call, as `benches/compare` does.
"""

import argparse
import json
import math
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

import fuzz

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "compare"), str(HERE.parents[1] / "tests" / "tvm")]
NAMES = ["tanh", "softmax", "layer_norm", "batch_norm", "conv_bn_relu", "attention", "lstm"]
FIRST = NAMES[:4]


def built(path, folder):
    """The function, compiled by TVM: to be called here, and as a library."""
    import kernels
    import tvm
    from tvm.script import from_source

    [function] = from_source(path.read_text()).functions.values()
    module = tvm.IRModule({"main": function.with_attr("global_symbol", "main")})
    # No processor is named: LLVM may use what each x86-64 has.
    made = tvm.compile(module, target={"kind": "llvm", "mtriple": "x86_64-linux-gnu", "opt-level": 3})
    library = folder / f"{path.parent.name}_{path.stem}.so"
    made.mod.write_to_file(f"{library}.o", "o")
    kernels.run(["gcc", "-shared", "-o", library, f"{library}.o", "-lm"])
    return made, function, library


def run(before, after, folder):
    """Whether numbers agree, the least time of each program in seconds, and its instructions."""
    import kernels
    import numpy
    import tvm
    from run_llvm import parameters

    (first, function, one), (second, _, other) = built(before, folder), built(after, folder)
    generator = numpy.random.default_rng(0)
    arrays = {}
    for _, name, dtype, shape in parameters(function, {}):
        arrays[name] = generator.standard_normal(shape).astype(dtype)
    times = [math.inf, math.inf]
    tensors = [[tvm.runtime.tensor(a) for a in arrays.values()] for _ in range(2)]
    for _ in range(400):
        for at, program in enumerate([first, second]):
            start = time.perf_counter()
            program["main"](*tensors[at])
            times[at] = min(times[at], time.perf_counter() - start)
    results = [[t.numpy() for t in own] for own in tensors]
    same = all(numpy.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True) for a, b in zip(*results))
    counted = kernels.callgrind(kernels.driver(folder), [one, other], parameters(function, {}), arrays)
    return same, times, [instructions for instructions, _ in counted]


def fused(satir, program, folder):
    """What the functions cost that Relax's own fusion makes, each as it is or inlined, whichever is cheaper."""
    report = folder / "fused.json"
    subprocess.run([satir, "tensor", program, "-o", folder / "fused.py", "--report", report, "--evaluations", "1"], check=True)
    costs = {told["function"]: told["cost_before"] for told in json.loads(report.read_text())}
    calls = json.loads(program.with_suffix(".json").read_text())
    return sum(min(costs[name], costs[f"{name}_inlined"]) * count for name, count in calls.items())


def seconds_of(command):
    """Runs a program. The processor's seconds that it takes: other programs run beside it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(word) for word in command], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def random_graphs(satir, folder):
    """Lines that say how long random graphs of many blocks take, those of `fuzz.py`."""
    lines = ["", "Random graphs of the fuzzer, in which each definition may read all before it:", ""]
    for count in (58, 500):
        seconds = []
        for seed in range(3):
            text, _, _ = fuzz.Graph(random.Random(seed), fuzz.LONG).program(count)
            (folder / "random.py").write_text(text)
            seconds.append(seconds_of([satir, "tensor", folder / "random.py", "-o", folder / "shared.py"]))
        lines.append(f"- {count} blocks: {', '.join(f'{s:.2f}' for s in seconds)} s")
    return lines


def mean(ratios):
    return math.prod(ratios) ** (1 / len(ratios))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--satir", default="target/release/satir")
    parser.add_argument("--run", action="store_true")
    options = parser.parse_args()
    lines = [
        "# Joint programs of forward and backward",
        "",
        "Made by `python benches/tensor/tensor.py`; programs by `benches/tensor/programs.py`. Cost is that of `satir count`, with stores as",
        "dear as loads. Greedy is inlining of definitions one by one, each in a nest of its own; Relax is what its",
        "`FuseOps` and `FuseTIR` make of the adjoint, each function as it is or inlined by TVM, whichever is cheaper. `satir equiv` compares",
        "the small programs.",
        f"Seconds are the processor's, of `{options.satir}`. TVM's default pipeline and LLVM at -O3 for x86-64 build both programs: *instructions* are",
        "those that ours executes over those of the program as it is, functions of the C library included; the latter are in brackets",
        "(valgrind); *time* is the least of 400 runs of each in turn.",
        "*Everything inlined* and *greedy* are what the search counts: with what loops lose that vectors cannot take.",
        "",
        "| program | blocks | cost as is | everything inlined | Relax | greedy | satir | nests | equiv, small sizes | seconds |"
        + (" LLVM agrees | instructions | time |" if options.run else ""),
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |" + (" --- | --- | --- |" if options.run else ""),
    ]
    ratios, peers, slower, executed = {}, {}, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for kind, told in (("large", []), ("small", ["--small"]), ("fused", ["--fused"])):
            arguments = [folder / kind, *told]
            subprocess.run([sys.executable, HERE / "programs.py", *arguments], check=True, stdout=subprocess.DEVNULL)
        for name in NAMES:
            before, after, report = folder / "large" / f"{name}.py", folder / f"{name}.py", folder / "report.json"
            seconds = seconds_of([options.satir, "tensor", before, "-o", after, "--report", report])
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
            peers[name] = fused(options.satir, folder / "fused" / f"{name}.py", folder) / cost
            blocks = len(told["definitions"]) + len(told["opaque"])
            line = f"| {name} | {blocks} | {cost:,.0f} | {plans['everything inlined'] / cost:.2f} | {peers[name]:.2f} | {plans['greedy inlining'] / cost:.2f} | **{made / cost:.3f}** | {len(told['nests'])} | {verdict} | {seconds:.2f} |"
            if options.run:
                same, times, instructions = run(before, after, folder)
                slower[name] = times[1] / times[0]
                executed[name] = instructions[1] / instructions[0]
                line += f" {'yes' if same else 'NO'} | **{executed[name]:.3f}** ({instructions[0]:,}) | {slower[name]:.2f} |"
            lines.append(line)
            print(line, flush=True)
        graphs = random_graphs(options.satir, folder)
    first = mean([ratios[name] for name in FIRST])
    relax = mean([peers[name] for name in FIRST])
    lines += ["", f"Geometric mean of {', '.join(FIRST)}: **{first:.3f}**; Relax {relax:.3f}."]
    if executed:
        above = [name for name in NAMES if executed[name] > 1.02]
        lines += [
            f"Instructions of all seven: **{mean(executed.values()):.3f}** (geometric mean); above 1.02: {', '.join(above) or 'none'}.",
            f"Time of all seven: {mean(slower.values()):.2f} (geometric mean), the worst {max(slower.values()):.2f}.",
        ]
    lines += graphs
    (HERE / "RESULTS.md").write_text("\n".join(lines) + "\n")
    print(*lines[-10:], sep="\n")


if __name__ == "__main__":
    main()
