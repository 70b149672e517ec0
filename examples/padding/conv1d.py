# A convolution of one dimension.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4096,), "float32"), F: T.Buffer((3,), "float32"), B: T.Buffer((4094,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i in range(4094):
            B[i] = T.float32(0)
            for f in range(3):
                B[i] = B[i] + A[i + f] * F[f]
