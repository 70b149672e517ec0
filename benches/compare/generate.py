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
from tvm import s_tir, te, tirx, topi

TARGET = {"kind": "llvm", "mtriple": "x86_64-linux-gnu"}


def tensor(name, *shape, dtype="float32"):
    """An input."""
    return te.placeholder(shape, dtype, name)


def pointwise(args, body):
    """A computation over the shape of the first argument."""
    return [*args, te.compute(args[0].shape, body, name="out")]


# Operators: dimensions to the tensors of a computation, inputs first. Every dimension may be symbolic.


def matmul(n, m, k):
    return with_result(topi.matmul, tensor("A", n, k), tensor("B", k, m))


def batch_matmul(b, n, m, k):
    return with_result(topi.nn.batch_matmul, tensor("A", b, n, k), tensor("B", b, m, k))


def conv2d(h, w, c, f):
    return with_result(lambda a, b: topi.nn.conv2d_nchw(a, b, 1, 1, 1), tensor("A", 1, c, h, w), tensor("W", f, c, 3, 3))


def conv2d_strided(h, w, c, f):
    return with_result(lambda a, b: topi.nn.conv2d_nhwc(a, b, 2, 1, 1), tensor("A", 1, h, w, c), tensor("W", 3, 3, c, f))


def depthwise(h, w, c):
    return with_result(lambda a, b: topi.nn.depthwise_conv2d_nchw(a, b, 1, 1, 1), tensor("A", 1, c, h, w), tensor("W", c, 1, 3, 3))


def max_pool(h, w, c):
    return with_result(lambda a: topi.nn.pool2d(a, [3, 3], [2, 2], [1, 1], [1, 1, 1, 1], "max"), tensor("A", 1, c, h, w))


def avg_pool(h, w, c):
    return with_result(lambda a: topi.nn.pool2d(a, [2, 2], [2, 2], [1, 1], [0, 0, 1, 1], "avg"), tensor("A", 1, c, h, w))


def softmax(n, m):
    return with_result(topi.nn.softmax, tensor("A", n, m))


def layer_norm(n, m):
    return with_result(lambda a, g, b: topi.nn.layer_norm(a, g, b, [1], 1e-5), tensor("A", n, m), tensor("G", m), tensor("B", m))


def reduce_sum(n, m, k):
    return with_result(lambda a: topi.sum(a, axis=1), tensor("A", n, m, k))


def transpose(n, m, k):
    return with_result(lambda a: topi.transpose(a, [2, 0, 1]), tensor("A", n, m, k))


def reshape(n, m, k):
    return with_result(lambda a: topi.reshape(a, [k, n * m]), tensor("A", n, m, k))


def concatenate(n, m, k):
    return with_result(lambda a, b: topi.concatenate([a, b], 1), tensor("A", n, m), tensor("B", n, k))


def pad(n, m, k):
    return with_result(lambda a: topi.nn.pad(a, [1, 2, 0], [2, 0, 3]), tensor("A", n, m, k))


def mirror_pad(n, m):
    return with_result(lambda a: topi.nn.mirror_pad(a, [1, 2], [2, 1], "REFLECT"), tensor("A", n, m))


def strided_slice(n, m):
    return with_result(lambda a: topi.strided_slice(a, [1, 2], [15, 18], [2, 3]), tensor("A", n, m))


def flip(n, m):
    return with_result(lambda a: topi.flip(a, 1), tensor("A", n, m))


def tile(n, m):
    return with_result(lambda a: topi.tile(a, [2, 3]), tensor("A", n, m))


def repeat(n, m):
    return with_result(lambda a: topi.repeat(a, 3, 1), tensor("A", n, m))


def depth_to_space(h, w, c):
    return with_result(lambda a: topi.nn.depth_to_space(a, 2), tensor("A", 1, 4 * c, h, w))


def space_to_depth(h, w, c):
    return with_result(lambda a: topi.nn.space_to_depth(a, 2), tensor("A", 1, c, 2 * h, 2 * w))


def upsample(h, w, c):
    return with_result(lambda a: topi.nn.upsampling(a, 2, 2, "NCHW", "bilinear"), tensor("A", 1, c, h, w))


def take(n, m, k):
    return with_result(lambda a, i: topi.take(a, i, 0, mode="clip"), tensor("A", n, m), tensor("I", k, dtype="int32"))


def batch_norm(h, w, c):
    a, s, b = tensor("A", 1, c, h, w), tensor("S", c), tensor("B", c)
    return pointwise([a, s, b], lambda n, i, y, x: te.max(a[n, i, y, x] * s[i] + b[i], tirx.const(0.0, "float32")))


def blocked_layout(n, c, h, w):
    a = tensor("A", n, c, h, w)
    blocks = (c + 7) // 8
    zero = tirx.const(0.0, "float32")
    shape = (n, blocks, h, w, 8)
    out = te.compute(
        shape,
        lambda b, o, y, x, i: tirx.if_then_else(o * 8 + i < c, a[b, o * 8 + i, y, x], zero),
        name="out",
    )
    return [a, out]


def im2col(h, w, c):
    a = tensor("A", c, h, w)
    out = te.compute(
        ((h - 2) * (w - 2), c * 9),
        lambda p, q: a[q // 9, p // (w - 2) + q % 9 // 3, p % (w - 2) + q % 3],
        name="out",
    )
    return [a, out]


def window_partition(h, w, c):
    a = tensor("A", 4 * h, 4 * w, c)
    out = te.compute(
        (h * w, 16, c),
        lambda p, q, i: a[p // w * 4 + q // 4, p % w * 4 + q % 4, i],
        name="out",
    )
    return [a, out]


def stencil(n, m):
    a = tensor("A", n, m)
    edge = lambda i, n: te.max(te.min(i, n - 1), 0)  # noqa: E731
    return pointwise(
        [a],
        lambda i, j: a[edge(i - 1, n), j] + a[edge(i + 1, n), j] + a[i, edge(j - 1, m)] + a[i, edge(j + 1, m)] - 4.0 * a[i, j],
    )


def with_result(operator, *inputs):
    """The inputs and what the operator makes of them."""
    result = operator(*inputs)
    return [*inputs, *(result if isinstance(result, (list, tuple)) else [result])]


# Per operator its dimensions, small enough for callgrind.
OPERATORS = {
    matmul: [37, 29, 23],
    batch_matmul: [3, 11, 13, 17],
    conv2d: [11, 9, 5, 6],
    conv2d_strided: [13, 10, 4, 7],
    depthwise: [15, 12, 6],
    max_pool: [17, 14, 5],
    avg_pool: [15, 13, 6],
    softmax: [19, 35],
    layer_norm: [17, 30],
    reduce_sum: [13, 17, 11],
    transpose: [13, 18, 21],
    reshape: [9, 14, 22],
    concatenate: [19, 13, 24],
    pad: [11, 13, 15],
    mirror_pad: [23, 26],
    strided_slice: [21, 25],
    flip: [37, 29],
    tile: [15, 17],
    repeat: [23, 19],
    depth_to_space: [9, 10, 5],
    space_to_depth: [8, 9, 5],
    upsample: [9, 7, 5],
    take: [19, 23, 27],
    batch_norm: [13, 11, 7],
    blocked_layout: [2, 19, 7, 9],
    im2col: [14, 13, 4],
    window_partition: [5, 6, 7],
    stencil: [31, 27],
}

# Sizes that TVM names itself: the batch of the result, where those of the operands could differ.
NAMED_BY_TVM = {batch_matmul: {"batch": 3}}

# Operators whose definition in TVM needs constants.
STATIC_ONLY = {upsample, strided_slice, mirror_pad}


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


def threads(schedule, block):
    """For a GPU: output loops fused, over blocks and threads."""
    loops, _ = spatial(schedule, block)
    outer, inner = schedule.split(schedule.fuse(*loops), [None, 64])
    schedule.bind(outer, "blockIdx.x")
    schedule.bind(inner, "threadIdx.x")


SCHEDULES = {
    "default": None,
    "fused": fused_split(10),
    "unrolled": unrolled,
    "vectorized": vectorized,
    "tiled": tiled,
    "gpu": threads,
}


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
    target = dict(TARGET)
    if schedule is threads:
        target = {"kind": "cuda", "arch": "sm_80", "max_threads_per_block": 1024, "thread_warp_size": 32}
    func = func.with_attr("target", tvm.target.Target(target, host=TARGET)).with_attr("global_symbol", "main")
    func = func.with_attr("tirx.noalias", True)
    plan = s_tir.Schedule(tvm.IRModule({"main": func}))
    if schedule is not None:
        for block in compute_blocks(plan):
            schedule(plan, block)
    return before_cse(plan.mod), bindings


def constraints(operator):
    """What input buffers may hold."""
    return {"I": {"kind": "randint", "lo": 0, "hi": 19}} if operator is take else {}


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
                except Exception as error:  # TVM refuses some combinations
                    refused.append(name)
                    print(f"{name}: {type(error).__name__} {str(error).strip()[-150:]}", file=sys.stderr)
                    continue
                text = module.script()
                (args.folder / "precse" / f"{name}.py").write_text(text + "\n")
                index.append(
                    {
                        "name": name,
                        "file": f"{name}.py",
                        "category": operator.__name__,
                        "device": "gpu" if schedule is threads else "cpu",
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
