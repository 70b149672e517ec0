# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64,), "int32"), n: T.int32):
        T.func_attr({"tirx.noalias": True})
        for i in range(8):
            cse_v1: T.let[T.int32] = i * 8
            for j in range(8):
                cse_v2: T.let[T.int32] = cse_v1 + j
                A[cse_v2] = i
                if j < n:
                    A[cse_v2] = j
