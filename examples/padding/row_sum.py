# The sum of each row of 14 elements.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16, 14), "float32"), B: T.Buffer((16,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i in range(16):
            B[i] = T.float32(0)
            for j in range(14):
                B[i] = B[i] + A[i, j]
