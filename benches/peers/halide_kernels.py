"""The kernels in Halide: the same loops, over the same flat buffers.

    python halide_kernels.py NAME OBJECT

writes an object file with a function `kernel(a, n, m, k, out)` over Halide's buffers. Needs the package `halide`.
"""

import sys

import halide as hl

x, y, z, i, o, t = (hl.Var(name) for name in "xyziot")


def strides(a, n, m, k):
    f = hl.Func("out")
    f[x] = a[x]
    l, j, j2 = hl.Var("l"), hl.Var("j"), hl.Var("j2")
    # The loops of the other versions: x = i*m*k + j*k + l.
    f.split(x, j2, l, k, hl.TailStrategy.GuardWithIf).split(j2, i, j, m, hl.TailStrategy.GuardWithIf)
    return f, n * m * k


def fused_gather(a, n, m, k):
    f = hl.Func("out")
    f[x] = a[x // 396 * 1040 + x % 396 // 33 * 65 + x % 33 * 2]
    f.split(x, o, i, 7, hl.TailStrategy.GuardWithIf)
    return f, 792


def window(a, n, m, k):
    f = hl.Func("out")
    p, q, c = x // 112, x % 112 // 7, x % 7
    f[x] = a[(p // 6 * 4 + q // 4) * 168 + (p % 6 * 4 + q % 4) * 7 + c]
    f.split(x, o, t, 7, hl.TailStrategy.GuardWithIf).split(o, z, y, 16, hl.TailStrategy.GuardWithIf)
    return f, 3360


def flat_transpose(a, n, m, k):
    f = hl.Func("out")
    f[x] = a[x % (n * m) * k + x // (n * m)]
    f.split(x, o, t, 64, hl.TailStrategy.GuardWithIf)
    return f, n * m * k


def fused_pad(a, n, m, k):
    f = hl.Func("out")
    row, column = x // 32, x % 32
    inside = (1 <= row) & (row < 23) & (1 <= column) & (column < 31)
    f[x] = hl.select(inside, a[hl.clamp(row * 30 + column - 31, 0, 4095)], hl.f32(0))
    f.split(x, o, t, 10, hl.TailStrategy.GuardWithIf)
    return f, 768


def main():
    name, path = sys.argv[1:]
    a = hl.ImageParam(hl.Float(32), 1, "a")
    n, m, k = (hl.Param(hl.Int(32), p, 1) for p in "nmk")
    f, extent = globals()[name](a, n, m, k)
    a.dim(0).set_bounds(0, 4096)
    f.output_buffer().dim(0).set_bounds(0, extent)
    target = hl.Target("x86-64-linux-no_asserts-no_bounds_query")
    f.compile_to_object(path, [a, n, m, k], "kernel", target)


if __name__ == "__main__":
    main()
