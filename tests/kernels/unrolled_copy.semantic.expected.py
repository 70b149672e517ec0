# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8192,), "float32"), B: T.Buffer((8192,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i in range(16):
            cse_v1: T.let[T.int32] = i * 256
            for j in range(16):
                cse_v2: T.let[T.int32] = cse_v1 + j * 16
                A[cse_v2] = B[cse_v2 + 4096]
                A[cse_v2 + 1] = B[cse_v2 + 4097]
                A[cse_v2 + 2] = B[cse_v2 + 4098]
                A[cse_v2 + 3] = B[cse_v2 + 4099]
                A[cse_v2 + 4] = B[cse_v2 + 4100]
                A[cse_v2 + 5] = B[cse_v2 + 4101]
                A[cse_v2 + 6] = B[cse_v2 + 4102]
                A[cse_v2 + 7] = B[cse_v2 + 4103]
                A[cse_v2 + 8] = B[cse_v2 + 4104]
                A[cse_v2 + 9] = B[cse_v2 + 4105]
                A[cse_v2 + 10] = B[cse_v2 + 4106]
                A[cse_v2 + 11] = B[cse_v2 + 4107]
                A[cse_v2 + 12] = B[cse_v2 + 4108]
                A[cse_v2 + 13] = B[cse_v2 + 4109]
                A[cse_v2 + 14] = B[cse_v2 + 4110]
                A[cse_v2 + 15] = B[cse_v2 + 4111]
