# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8192,), "float32"), B: T.Buffer((8192,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i, j in T.grid(16, 16):
            cse_v1: T.let[T.int32] = i * 256 + j * 16
            A[cse_v1] = B[cse_v1 + 4096]
            A[cse_v1 + 1] = B[cse_v1 + 4097]
            A[cse_v1 + 2] = B[cse_v1 + 4098]
            A[cse_v1 + 3] = B[cse_v1 + 4099]
            A[cse_v1 + 4] = B[cse_v1 + 4100]
            A[cse_v1 + 5] = B[cse_v1 + 4101]
            A[cse_v1 + 6] = B[cse_v1 + 4102]
            A[cse_v1 + 7] = B[cse_v1 + 4103]
            A[cse_v1 + 8] = B[cse_v1 + 4104]
            A[cse_v1 + 9] = B[cse_v1 + 4105]
            A[cse_v1 + 10] = B[cse_v1 + 4106]
            A[cse_v1 + 11] = B[cse_v1 + 4107]
            A[cse_v1 + 12] = B[cse_v1 + 4108]
            A[cse_v1 + 13] = B[cse_v1 + 4109]
            A[cse_v1 + 14] = B[cse_v1 + 4110]
            A[cse_v1 + 15] = B[cse_v1 + 4111]
