# A convolution of one dimension, with the result in tiles of 256 elements, of which the last two are padding.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16, 256), "float32"), F: T.Buffer((3,), "float32"), B: T.Buffer((16, 256), "float32")):
        T.func_attr({"tirx.noalias": True})
        for io, ii in T.grid(16, 256):
            if 256 * io + ii < 4094:
                B[io, ii] = T.float32(0)
                for f in range(3):
                    B[io, ii] = B[io, ii] + A[io + (ii + f) // 256, (ii + f) % 256] * F[f]
        for io, ii in T.grid(16, 256):
            if 4094 <= 256 * io + ii:
                B[io, ii] = T.float32(0)
