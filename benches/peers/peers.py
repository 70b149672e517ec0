"""Compares satir with other compilers on kernels that are written for each: C, MLIR, Halide, TVMScript.

    .venv/bin/python benches/peers/peers.py --output benches/peers/RESULTS.md [--halide-python PYTHON]

Every version has the same loops over the same flat buffers. Counted are the instructions that the kernel executes
(callgrind). Needs what `benches/compare` needs; clang and mlir-opt (Debian: clang-16, mlir-16-tools) and a Python with
the package `halide` take part where they are found.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent / "compare"), str(ROOT / "tests" / "tvm")]

import kernels  # noqa: E402
import report  # noqa: E402
import variants  # noqa: E402
from run_llvm import parameters  # noqa: E402

# Per kernel: what it does, the values of n, m, k, and how many elements of `out` it writes.
KERNELS = {
    "strides": ("`out[i*m*k + j*k + l] = a[i*m*k + j*k + l]`, symbolic sizes", (9, 10, 11), 990),
    "fused_gather": ("a gather over fused and split loops, quotients and remainders by constants", (1, 1, 1), 792),
    "window": ("partition into windows: the rows and columns of 4 x 4 windows", (1, 1, 1), 3360),
    "flat_transpose": ("a transposition over one flat index, split; symbolic sizes", (9, 10, 11), 990),
    "fused_pad": ("padding over fused and split loops: conditions on quotient and remainder", (1, 1, 1), 768),
}

SIZE = 4096

# What is done to a kernel before TVM builds it: the variant of `benches/compare`, and what it is called.
TVM_VARIANTS = {
    "none": "no pass", "tvm-simplify": "StmtSimplify and CSE", "semantic": "satir cse", "full": "satir opt -O2",
}

# What MLIR does before its lowering, and the lowering.
MLIR_PASSES = ["--cse", "--canonicalize", "--loop-invariant-code-motion"]
MLIR_LOWER = [
    "--convert-scf-to-cf", "--convert-arith-to-llvm", "--{memref}-memref-to-llvm",
    "--convert-func-to-llvm=use-bare-ptr-memref-call-conv=1", "--convert-cf-to-llvm", "--reconcile-unrealized-casts",
]


def tool(*names):
    """The first of some programs that is there."""
    return next((shutil.which(name) for name in names if shutil.which(name)), None)


def run(command, **options):
    """A command that must succeed."""
    done = subprocess.run([str(part) for part in command], capture_output=True, timeout=120, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {done.stderr.decode().strip()[-300:]}")
    return done.stdout


class Peers:
    """The compilers that are there; each turns a kernel into a shared library."""

    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.clang = tool("clang-16", "clang-19", "clang")
        self.gcc = tool("gcc")
        self.mlir = tool("mlir-opt-16", "mlir-opt")
        # The pass was renamed after release 16.
        renamed = self.mlir and b"finalize-memref-to-llvm" in run([self.mlir, "--help"])
        self.memref = "finalize" if renamed else "convert"
        self.translate = tool("mlir-translate-16", "mlir-translate")

    def c(self, compiler, name, level):
        path = self.folder / f"{name}.c.{level}.so"
        run([compiler, level, "-shared", "-fPIC", "-o", path, HERE / "kernels" / f"{name}.c"])
        return path, "plain"

    def from_mlir(self, name, passes, level):
        path = self.folder / f"{name}.mlir.{len(passes)}.{level}.so"
        lower = [step.format(memref=self.memref) for step in MLIR_LOWER]
        lowered = run([self.mlir, *passes, *lower, HERE / "kernels" / f"{name}.mlir"])
        ir = run([self.translate, "--mlir-to-llvmir"], input=lowered)
        path.with_suffix(".ll").write_bytes(ir)
        run([self.clang, level, "-Wno-override-module", "-shared", "-fPIC", "-o", path, path.with_suffix(".ll")])
        return path, "plain"

    def halide(self, name):
        path = self.folder / f"{name}.halide.so"
        run([self.args.halide_python, HERE / "halide_kernels.py", name, path.with_suffix(".o")])
        run([self.gcc, "-shared", "-o", path, path.with_suffix(".o"), "-lpthread", "-ldl"])
        return path, "halide"


def count(driver, folder, library, kind, sizes, extent):
    """Executed instructions of a kernel, and its output."""
    trace, output = folder / "callgrind.out", folder / "output"
    run(
        ["valgrind", "--tool=callgrind", "--toggle-collect=kernel", f"--callgrind-out-file={trace}"]
        + [driver, library, kind, output, *sizes, extent]
    )
    counted = re.search(r"^(?:summary|totals): (\d+)", trace.read_text(), re.M)
    return int(counted.group(1)), np.fromfile(output, np.float32)


def count_tvm(folder, name, sizes, satir, level):
    """Executed instructions of the TVM builds of a kernel, one for each of the variants."""
    text = (HERE / "kernels" / f"{name}.py").read_text()
    module = variants.as_module(text)
    bindings = dict(zip("nmk", sizes))
    params = parameters(module["main"], bindings)
    arrays = {"a_buffer": np.arange(SIZE, dtype=np.float32) * np.float32(0.5), "out": np.zeros(SIZE, np.float32)}
    libraries = []
    for variant in TVM_VARIANTS:
        treated, _, _ = variants.make(variant, satir, text, module, bindings, 0)
        libraries.append(kernels.build(treated, level, folder / f"{name}.{variant}.O{level}.so"))
    counted = kernels.callgrind(kernels.driver(folder), libraries, params, arrays)
    return [(instructions, outputs["out"]) for instructions, outputs in counted]


def measure(peers, driver, name, sizes, extent):
    """Per column the executed instructions, or why there are none."""
    args, folder = peers.args, peers.folder
    ways = {}
    if peers.clang:
        ways["C, clang -O0"] = lambda: peers.c(peers.clang, name, "-O0")
        ways["C, clang -O3"] = lambda: peers.c(peers.clang, name, "-O3")
    if peers.gcc:
        ways["C, gcc -O3"] = lambda: peers.c(peers.gcc, name, "-O3")
    if peers.mlir and peers.translate and peers.clang:
        ways["MLIR, no pass, -O0"] = lambda: peers.from_mlir(name, [], "-O0")
        ways["MLIR passes, -O0"] = lambda: peers.from_mlir(name, MLIR_PASSES, "-O0")
        ways["MLIR passes, -O3"] = lambda: peers.from_mlir(name, MLIR_PASSES, "-O3")
    if args.halide_python:
        ways["Halide"] = lambda: peers.halide(name)
    counts, outputs = {}, {}
    for level in (0, 3):
        titles = [f"TVM, {what}, -O{level}" for what in TVM_VARIANTS.values()]
        for title, (instructions, output) in zip(titles, count_tvm(folder, name, sizes, args.satir, level)):
            counts[title], outputs[title] = instructions, output
    for title, make in ways.items():
        library, kind = make()
        counts[title], outputs[title] = count(driver, folder, library, kind, sizes, extent)
    expected = outputs["TVM, no pass, -O3"]
    wrong = [title for title, output in outputs.items() if not np.array_equal(output, expected)]
    if wrong:
        raise RuntimeError(f"{name}: other results from {', '.join(wrong)}")
    return counts


def versions(peers):
    """What took part."""
    said = [report.versions()]
    for path in (peers.clang, peers.mlir):
        if path:
            found = re.search(r"(LLVM|clang) version ([0-9.]+)", run([path, "--version"]).decode())
            said.append(f"{pathlib.Path(path).name} {found.group(2) if found else ''}".strip())
    if peers.args.halide_python:
        script = "import importlib.metadata as m; print(m.version('halide'))"
        said.append(f"Halide {run([peers.args.halide_python, '-c', script]).decode().strip()}")
    return ", ".join(said)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--satir", type=pathlib.Path, default=ROOT / "target/release/satir", help="the binary")
    parser.add_argument("--halide-python", help="a Python that has the package halide")
    parser.add_argument("--output", type=pathlib.Path, help="Markdown file (default: standard output)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        peers = Peers(args, folder)
        include = run([args.halide_python, "-c", "import halide; print(halide.install_dir())"]) if args.halide_python else b""
        driver = folder / "peers-driver"
        flags = ["-I", f"{include.decode().strip()}/include"] if include else ["-DNO_HALIDE"]
        run(["gcc", "-O1", *flags, "-rdynamic", "-o", driver, HERE / "driver.c", "-ldl"])
        measured = {}
        for kernel, (_, sizes, extent) in KERNELS.items():
            measured[kernel] = measure(peers, driver, kernel, sizes, extent)
            print(kernel, measured[kernel], file=sys.stderr, flush=True)
        text = document(measured, versions(peers), args.halide_python)
    if args.output:
        args.output.write_text(text)
    else:
        print(text)
    return 0


def document(measured, said, halide):
    """The results as Markdown."""
    command = ".venv/bin/python benches/peers/peers.py --output benches/peers/RESULTS.md" + (" --halide-python PYTHON" if halide else "")
    out = ["# Other compilers\n", f"Made by `{command}` ({said}).\n"]
    out.append("Executed instructions of each kernel; the kernels stand in `benches/peers/kernels`, those for Halide in `halide_kernels.py`.\n")
    out.append("\n".join(f"- `{name}`: {KERNELS[name][0]}" for name in measured) + "\n")
    titles = list(next(iter(measured.values())))
    rows = [[title] + [f"{measured[name][title]:,}" for name in measured] for title in titles]
    out.append(report.table(["", *(f"`{name}`" for name in measured)], rows))
    out.append("-O0 shows what a tool leaves for LLVM to do; -O3 what remains when LLVM has done its part.\n")
    for level, what in ((0, "left to LLVM"), (3, "after LLVM -O3")):
        ours = f"TVM, satir opt -O2, -O{level}"
        others = [t for t in titles if "satir" not in t and (t.endswith(f"-O{level}") or level == 3 and t == "Halide")]
        lines = []
        for name, counts in measured.items():
            ratio = {t: counts[ours] / counts[t] for t in others}
            most, least = max(ratio, key=ratio.get), min(ratio, key=ratio.get)
            lines.append([f"`{name}`", f"{ratio[least]:.2f} of {least}", f"{ratio[most]:.2f} of {most}"])
        out.append(f"## satir opt -O2 over the others, {what}\n\n" + report.table(["kernel", "where satir gains most", "where it gains least or loses"], lines))
    return "\n".join(out)


if __name__ == "__main__":
    sys.exit(main())
