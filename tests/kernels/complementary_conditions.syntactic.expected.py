# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
        T.func_attr({"tirx.noalias": True})
        for i, j in T.grid(4, 4):
            cse_v1: T.let[T.int32] = 4 * i + j
            if cse_v1 < 14:
                A[cse_v1] = 1
            else:
                A[cse_v1] = 2
            if i == 3 and j >= 2:
                B[cse_v1] = 4
            else:
                B[cse_v1] = 3
