# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
        T.func_attr({"tirx.noalias": True})
        for i in range(4):
            cse_v1: T.let[T.int32] = 4 * i
            for j in range(4):
                cse_v2: T.let[T.int32] = cse_v1 + j
                if cse_v2 < 14:
                    A[cse_v2] = 1
                    B[cse_v2] = 3
                else:
                    A[cse_v2] = 2
                    B[j + 12] = 4
