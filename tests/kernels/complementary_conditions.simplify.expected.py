# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
        T.func_attr({"tirx.noalias": True})
        for i, j in T.grid(4, 4):
            if 4 * i + j < 14:
                A[4 * i + j] = 1
                B[4 * i + j] = 3
            else:
                A[4 * i + j] = 2
                B[12 + j] = 4
