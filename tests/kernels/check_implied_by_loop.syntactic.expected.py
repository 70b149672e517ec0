# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64,), "int32"), n: T.int32):
        T.func_attr({"tirx.noalias": True})
        for i, j in T.grid(8, 8):
            cse_v1: T.let[T.int32] = i * 8 + j
            if cse_v1 < 64:
                A[cse_v1] = i
            if cse_v1 >= 64:
                A[0] = 1
            if cse_v1 < 64 and j < n:
                A[cse_v1] = j
