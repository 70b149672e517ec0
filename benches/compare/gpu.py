"""What NVIDIA's compiler makes of programs for GPUs after each treatment, without a GPU.

    .venv/bin/python benches/compare/gpu.py [--corpus ../shared/corpus]… [--satir PATH] [--half looked-at|judging] [--write] [NAME …]

TVM's passes behind CommonSubexprElim and its CUDA code generator make source of each treated program, NVRTC compiles it for
sm_80 and sm_90, and what nvdisasm shows is counted (`sass.py`). `semantic` is `satir cse`, `full` is `satir opt -O2`; `kept` is satir's
result without the simplification that TVM runs over device code at the end, which writes bindings out again; so is `full-kept`, and
`tvm-kept` for TVM's CSE. Ratios are over the
better of none and TVM's CSE, as TVM builds them. `--write` makes `GPU.md`.
"""

import argparse
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "tvm")]

import programs  # noqa: E402
import report  # noqa: E402
import sass  # noqa: E402
import tvm  # noqa: E402
import tvm_ffi  # noqa: E402
import variants  # noqa: E402
from tvm import s_tir, tirx  # noqa: E402
from tvm.tirx.build import split_host_device_mods  # noqa: E402

VARIANTS = ["none", "tvm", "tvm-kept", "semantic", "kept", "full", "full-kept"]
ARCHITECTURES = ["sm_80", "sm_90"]


@tvm_ffi.register_global_func("tvm_callback_cuda_compile", override=True)
def keep_source(code, _target=None):
    """In the place of TVM's call of a compiler."""
    return code


def source(module, kept):
    """The CUDA source of a treated program; the simplification at the end is left out if `kept`."""
    lower = [
        tirx.transform.FP8ComputeLegalize(),
        s_tir.transform.VerifyVTCMLimit(),
        s_tir.transform.LowerVtcmAlloc(),
        tirx.transform.VerifyMemory(),
        tirx.transform.AnnotateEntryFunc(),
        s_tir.transform.ThreadSync("shared"),
        s_tir.transform.ThreadSync("shared.dyn"),
        s_tir.transform.ThreadSync("warp"),
        s_tir.transform.InferFragment(),
        s_tir.transform.LowerThreadAllreduce(),
        s_tir.transform.MergeSharedMemoryAllocations(),
        tirx.transform.SplitHostDevice(),
        tirx.transform.MakePackedAPI(),
        tirx.transform.FP8StorageLegalize(),
        tirx.transform.BF16StorageLegalize(),
    ]
    finish = [tirx.transform.LowerWarpMemory(), tirx.transform.StmtSimplify(), tirx.transform.LowerIntrin()]
    if kept:
        del finish[1]
    _, devices = split_host_device_mods(tvm.ir.transform.Sequential(lower)(module))
    if len(devices) != 1:
        raise RuntimeError("not one device")
    for target, device in devices.items():
        device = tvm.ir.transform.Sequential(finish)(device)
        return tvm.get_global_func("target.build.cuda")(device, target).inspect_source()


def figures(args, compiler, program):
    """Per architecture and variant the counts, or the error."""
    text = pathlib.Path(program["path"]).read_text()
    found = {arch: {} for arch in ARCHITECTURES}
    for name in VARIANTS:
        try:
            treatment = {"kept": "semantic", "tvm-kept": "tvm", "full-kept": "full"}.get(name, name)
            module, _, _ = variants.make(treatment, args.satir, text, variants.as_module(text), program["bindings"], 0)
            code = source(module, name.endswith("kept"))
            if args.sources:
                (args.sources / f"{program['name']}.{name}.cu").write_text(code)
            for arch in ARCHITECTURES:
                found[arch][name] = compiler.counts(code, arch)
        except Exception as error:  # one variant must not stop the others
            print(f"{program['name']} {name}: {str(error).strip()[-300:]}", file=sys.stderr)
    return found


def ratio(counts, name, field):
    """A variant's figure over the least of none and TVM's CSE; registers and instructions are never 0."""
    return counts[name][field] / min(counts["none"][field], counts["tvm"][field])


def summary(rows, names):
    """Rows of the table for some programs."""
    lines = []
    for arch in ARCHITECTURES:
        for name in VARIANTS:
            cells = [arch, f"`{name}`"]
            for field in ("static", "weighted", "registers"):
                over = [ratio(rows[program][arch], name, field) for program in names]
                cells += [f"{report.geomean(over):.3f}", f"{sum(r > 1.02 for r in over)}", f"{max(over):.2f}"]
            more = [
                rows[p][arch][name]["spills"] > min(rows[p][arch][v]["spills"] for v in ("none", "tvm")) for p in names
            ]
            lines.append([*cells, sum(more)])
    head = ["GPU", "variant", "static", "> 1.02", "worst", "weighted", "> 1.02", "worst", "registers", "> 1.02", "worst", "more spills"]
    return report.table(head, lines)


def document(rows, halves):
    """The text of `GPU.md`."""
    text = (
        "# What NVIDIA's compiler makes of programs for GPUs\n\n"
        "Made by `benches/compare/gpu.py --write`; its head says what is compared, `sass.py` what is counted. Ratios are over the better of no\n"
        "CSE and TVM's CSE, per program; each column has the geometric mean, the programs above 1.02, and the worst one.\n"
    )
    for title, names in halves.items():
        if names:
            text += f"\n## {title}: {len(names)} programs\n\n" + summary(rows, names)
    worst = []
    for name in halves["looked-at half"]:
        over = [ratio(rows[name]["sm_80"], variant, field) for variant in ("full", "full-kept") for field in ("static", "weighted", "registers")]
        if max(over) > 1.02:
            worst.append([name, *(f"{r:.2f}" for r in over)])
    head = ["program", "static", "weighted", "registers", "kept static", "weighted", "registers"]
    text += "\n## Above 1.02 on sm_80, looked-at half\n\n" + report.table(head, worst)
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--satir", type=pathlib.Path, default=ROOT / "target/release/satir", help="the binary")
    parser.add_argument("--corpus", type=pathlib.Path, action="append", help="a folder of programs (default: ../shared/corpus)")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "target/gpu", help="for tools and results")
    parser.add_argument("--half", choices=["looked-at", "judging"], help="only programs of this half")
    parser.add_argument("--sources", type=pathlib.Path, help="keep the CUDA sources in this folder")
    parser.add_argument("--json", type=pathlib.Path, help="write all figures to this file")
    parser.add_argument("--write", action="store_true", help="write GPU.md")
    parser.add_argument("names", nargs="*", help="parts of names of programs (default: all)")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    if args.sources:
        args.sources.mkdir(parents=True, exist_ok=True)
    compiler = sass.Compiler(args.folder.resolve())
    rows = {}
    for folder in args.corpus or [ROOT / "../shared/corpus"]:
        for program in programs.load(folder, "corpus"):
            judging = programs.is_for_judging(program["name"])
            if program["device"] == "cpu" or (args.half and (args.half == "judging") != judging):
                continue
            if args.names and not any(name in program["name"] for name in args.names):
                continue
            found = figures(args, compiler, program)
            if any(set(counts) != set(VARIANTS) for counts in found.values()):
                print(f"{program['name']:40} not measured", flush=True)
                continue
            rows[program["name"]] = found
            # Of the judging half only the summary is shown.
            if not judging:
                line = [f"{name} " + " ".join(f"{ratio(found['sm_80'], name, field):.2f}" for field in sass.FIELDS[:3]) for name in VARIANTS]
                print(f"{program['name']:40} {'  '.join(line)}", flush=True)
    if not rows:
        sys.exit("nothing was measured")
    halves = {
        "judging half": [name for name in rows if programs.is_for_judging(name)],
        "looked-at half": [name for name in rows if not programs.is_for_judging(name)],
    }
    text = document(rows, halves)
    if args.write:
        (HERE / "GPU.md").write_text(text)
    else:
        print(text)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
