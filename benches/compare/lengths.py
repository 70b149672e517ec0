"""What LLVM executes each time that a short innermost loop starts, by its length, and what the estimate of `loops` says of it.

    cargo build --release --bin satir
    .venv/bin/python benches/compare/lengths.py [--satir PATH] [--document benches/compare/LENGTHS.md]

The loop stands in one of 50 iterations. Its length is a constant, a parameter (the same each time), or varies with the loop
around it. TVM compiles each program with LLVM at -O3, and callgrind counts what the kernel executes. The constants of
`src/target/nests/loops.rs` are read from such a table; the last line says how far the estimate is from what is executed.
"""

import argparse
import math
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "tvm")]

import kernels  # noqa: E402
import variants  # noqa: E402
from run_llvm import make_inputs, parameters  # noqa: E402

STARTS = 50
LENGTHS = [1, 2, 3, 4, 6, 7, 8, 12, 16, 24, 32, 64]
BODIES = {
    "copy": "out_1[s * 200 + i] = A_1[s * 200 + i]",
    "fill": "out_1[s * 200 + i] = T.float32(1.0)",
    "sum of two": "out_1[s * 200 + i] = A_1[s * 200 + i] + A_1[s * 300 + i + 9]",
    "product and sum": "out_1[s * 200 + i] = A_1[s * 200 + i] * B_1[s] + B_1[s + 1]",
    "accumulated": "out_1[s * 200 + i] = out_1[s * 200 + i] + A_1[s * 300 + i + 9] * B_1[s]",
    "every second": "out_1[s * 200 + i] = A_1[s * 200 + i * 2]",
    "every fifth": "out_1[s * 200 + i] = out_1[s * 200 + i] + A_1[s * 200 + i * 5]",
    "in reverse": "out_1[s * 200 + i] = A_1[s * 200 + 100 - i]",
    "reduction": "out_1[s] = out_1[s] + A_1[s * 200 + i]",
}
KINDS = {"constant": None, "parameter": "n", "varying": "T.min(n, 1000 - s)"}

PROGRAM = """# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(n: T.int32, A: T.Buffer((60000,), "float32"), B: T.Buffer((200,), "float32"), out: T.Buffer((20000,), "float32")):
        T.func_attr({{"target": T.target({{"keys": ["cpu"], "kind": "llvm", "mtriple": "x86_64-linux-gnu", "tag": ""}}), "tirx.noalias": True}})
        A_1 = A.view(60000)
        B_1 = B.view(200)
        out_1 = out.view(20000)
        for s in range({starts}):
            for i in range({length}):
                {body}
"""


def executed(folder, texts, length):
    """Instructions of a start of the loop, for each program."""
    libraries = []
    for number, text in enumerate(texts):
        path = folder / f"{number}.so"
        kernels.build(variants.as_module(text), 3, path)
        libraries.append(path)
    params = parameters(variants.as_module(texts[0])["main"], {"n": length})
    arrays = make_inputs(params, {"n": length}, 1)
    params = [(kind, name, dtype, length if name == "n" else value) for kind, name, dtype, value in params]
    counts = kernels.callgrind(kernels.driver(folder), libraries, params, arrays)
    return [count / STARTS for count, _ in counts]


def estimated(satir, text, length):
    """The same by the estimate, which the pass `loops` logs."""
    command = [satir, "opt", "--passes", "loops", "--bind", f"n={length}", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, env={"RUST_LOG": "satir=debug"})
    found = re.search(r"loops: ([\d.]+) instructions are estimated at first", done.stderr)
    if not found:
        raise SystemExit(f"no estimate: {done.stderr.strip()[-300:]}")
    return float(found.group(1)) / STARTS


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--satir", type=pathlib.Path, default=ROOT / "target" / "release" / "satir")
    parser.add_argument("--document", type=pathlib.Path)
    args = parser.parse_args()
    lines = [
        "# Lengths of loops",
        "",
        f"Made by `benches/compare/lengths.py`: instructions of each start of an innermost loop, executed at -O3 / estimated, the mean of {STARTS} starts.",
        "",
        "| body | length | " + " | ".join(map(str, LENGTHS)) + " |",
        "| --- | --- |" + " ---: |" * len(LENGTHS),
    ]
    ratios = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        rows = {(body, kind): [] for body in BODIES for kind in KINDS}
        for length in LENGTHS:
            texts = {
                key: PROGRAM.format(starts=STARTS, length=KINDS[key[1]] or length, body=BODIES[key[0]]) for key in rows
            }
            for (key, text), count in zip(texts.items(), executed(folder, list(texts.values()), length)):
                estimate = estimated(args.satir, text, length)
                rows[key].append(f"{count:.0f} / {estimate:.0f}")
                ratios.append(math.log(estimate / count))
    lines += [f"| {body} | {kind} | " + " | ".join(cells) + " |" for (body, kind), cells in rows.items()]
    mean = sum(ratios) / len(ratios)
    spread = math.sqrt(sum((ratio - mean) ** 2 for ratio in ratios) / len(ratios))
    lines += ["", f"The estimate is {math.exp(mean):.2f} times what is executed (geometric mean), within a factor of {math.exp(spread):.2f} (one standard deviation)."]
    text = "\n".join(lines) + "\n"
    if args.document:
        args.document.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
