"""Makes programs at the point of TVM's CommonSubexprElim with the real TVM: operators x shapes x schedules.

    python benches/compare/generate.py FOLDER

Writes FOLDER/precse/*.py and FOLDER/index.json, in the format that `programs.py` reads. The same TVM writes the same
files on every run. A combination that TVM refuses is left out and named.
"""

import argparse
import json
import pathlib
import re
import sys

import tvm
from tvm import s_tir, te, tirx
from tvm.s_tir import dlight
from tvm.script import from_source

from operators import NAMED_BY_TVM, OPERATORS, STATIC_ONLY, constraints

TARGET = {"kind": "llvm", "mtriple": "x86_64-linux-gnu"}
GPU = tvm.target.Target({"kind": "cuda", "arch": "sm_80", "max_threads_per_block": 1024, "thread_warp_size": 32}, host=TARGET)


def spatial(schedule, block):
    """The loops of a block over what it writes, and the others."""
    kinds = [int(axis.iter_type) for axis in schedule.get(block).iter_vars]
    loops = schedule.get_loops(block)
    return [l for l, k in zip(loops, kinds) if k == 0], [l for l, k in zip(loops, kinds) if k != 0]


def compute_blocks(schedule):
    """All blocks, in the order in which they stand."""
    found = []

    def visit(block):
        for child in schedule.get_child_blocks(block):
            found.append(child)

    visit(schedule.get_sblock("root"))
    return found


def fused_split(factor):
    """Output loops fused and split by a factor that does not divide them."""

    def apply(schedule, block):
        loops, _ = spatial(schedule, block)
        schedule.split(schedule.fuse(*loops), [None, factor])

    return apply


def unrolled(schedule, block):
    """The innermost output loop split by 4 and unrolled."""
    loops, rest = spatial(schedule, block)
    outer, inner = schedule.split(loops[-1], [None, 4])
    schedule.reorder(outer, *rest, inner)
    schedule.unroll(inner)


def vectorized(schedule, block):
    """The innermost output loop split by 8 and vectorized."""
    loops, rest = spatial(schedule, block)
    outer, inner = schedule.split(loops[-1], [None, 8])
    schedule.reorder(outer, *rest, inner)
    schedule.vectorize(inner)


def tiled(schedule, block):
    """The two innermost output loops in tiles."""
    loops, rest = spatial(schedule, block)
    if len(loops) < 2:
        raise ValueError("one loop only")
    y, yi = schedule.split(loops[-2], [None, 4])
    x, xi = schedule.split(loops[-1], [None, 6])
    schedule.reorder(y, x, *rest, yi, xi)


def multi_level(schedule, block):
    """As TVM's tuner schedules for CPUs: output loops in tiles of tiles with the reductions between, the innermost vectorized,
    the one around it unrolled."""
    loops, rest = spatial(schedule, block)
    if len(loops) < 2:
        raise ValueError("one loop only")
    y, yi = schedule.split(loops[-2], [None, 3])
    x, xo, xi = schedule.split(loops[-1], [None, 2, 4])
    schedule.reorder(*loops[:-2], y, x, *rest, yi, xo, xi)
    schedule.unroll(xo)
    schedule.vectorize(xi)


def threads(schedule, block):
    """For a GPU: output loops fused, over blocks and threads."""
    loops, _ = spatial(schedule, block)
    outer, inner = schedule.split(schedule.fuse(*loops), [None, 64])
    schedule.bind(outer, "blockIdx.x")
    schedule.bind(inner, "threadIdx.x")


def library(module):
    """For a GPU: as TVM's rules for what nobody tuned schedule it."""
    rules = [dlight.gpu.Matmul(), dlight.gpu.GEMV(), dlight.gpu.Reduction(), dlight.gpu.GeneralReduction(), dlight.gpu.Fallback()]
    with GPU:
        return dlight.ApplyDefaultSchedule(*rules)(module)


SCHEDULES = {
    "default": None,
    "fused": fused_split(10),
    "unrolled": unrolled,
    "vectorized": vectorized,
    "tiled": tiled,
    "tuned": multi_level,
    "gpu": threads,
    "dlight": library,
}


ON_GPU = {threads, library}


class Reached(Exception):
    """The point of the pipeline at which a program is taken."""


@tvm.ir.instrument.pass_instrument
class StopBeforeCse:
    """Takes the module just before CommonSubexprElim."""

    def __init__(self):
        self.module = None

    def should_run(self, module, info):
        if info.name == "tirx.CommonSubexprElim":
            self.module = module
        return self.module is None


def before_cse(module):
    """The module as TVM's default pipeline hands it to CommonSubexprElim."""
    instrument = StopBeforeCse()
    pipeline, _, _ = tirx.get_tir_pipeline("default")
    with tvm.transform.PassContext(opt_level=3, instruments=[instrument]):
        pipeline(module)
    if instrument.module is None:
        raise RuntimeError("the pipeline has no CommonSubexprElim")
    return instrument.module


def make(operator, dims, symbolic, schedule):
    """A program and the values of its dimensions."""
    names = operator.__code__.co_varnames[: operator.__code__.co_argcount]
    bindings = dict(zip(names, dims)) | NAMED_BY_TVM.get(operator, {}) if symbolic else {}
    values = [te.var(name, "int32") for name in names] if symbolic else dims
    tensors = operator(*values)
    # A size that is no dimension of a tensor by itself is a parameter of its own.
    named = [dim for shape in (t.shape for t in tensors) for dim in shape]
    alone = [value for value in values if symbolic and not any(value.same_as(dim) for dim in named)]
    func = te.create_prim_func([*alone, *tensors])
    target = GPU if schedule in ON_GPU else tvm.target.Target(TARGET, host=TARGET)
    func = func.with_attr("target", target).with_attr("global_symbol", "main")
    func = func.with_attr("tirx.noalias", True)
    module = tvm.IRModule({"main": func})
    if schedule is library:
        module = library(module)
    elif schedule is not None:
        plan = s_tir.Schedule(module)
        for block in compute_blocks(plan):
            schedule(plan, block)
        module = plan.mod
    return before_cse(module), bindings


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", help="parts of names of programs (default: all)")
    args = parser.parse_args()
    (args.folder / "precse").mkdir(parents=True, exist_ok=True)
    index, refused = [], []
    for operator, dims in OPERATORS.items():
        for symbolic in [False] if operator in STATIC_ONLY else [False, True]:
            for title, schedule in SCHEDULES.items():
                name = f"{operator.__name__}_{'dynamic' if symbolic else 'static'}_{title}"
                if args.names and not any(part in name for part in args.names):
                    continue
                try:
                    module, bindings = make(operator, dims, symbolic, schedule)
                    text = module.script()
                    from_source(text)
                except Exception as error:  # TVM refuses some combinations, and cannot read some of what it prints
                    refused.append(name)
                    print(f"{name}: {type(error).__name__} {str(error).strip()[-150:]}", file=sys.stderr)
                    continue
                (args.folder / "precse" / f"{name}.py").write_text(text + "\n")
                index.append(
                    {
                        "name": name,
                        "file": f"{name}.py",
                        "category": operator.__name__,
                        "device": "gpu" if schedule in ON_GPU else "cpu",
                        "bindings": bindings,
                        "inputs": constraints(operator),
                        "runnable": not re.search(r"alloc_shared|storage_sync", text),
                        "variants": ["precse"],
                    }
                )
    (args.folder / "index.json").write_text(json.dumps({"programs": index}, indent=1) + "\n")
    print(f"{len(index)} programs, {len(refused)} refused", file=sys.stderr)
    return 0 if index else 1


if __name__ == "__main__":
    sys.exit(main())
