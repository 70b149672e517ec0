# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def pool(A: T.Buffer((6, 40), "int32"), B: T.Buffer((6, 40), "int32")):
        T.func_attr({"tirx.noalias": True})
        for f_0 in range(6):
            B[f_0, 0] = 0
            for k in range(3):
                B[f_0, 0] = B[f_0, 0] + T.if_then_else(1 <= k, A[f_0, k - 1], 0)
            for f_1 in range(1, 39):
                B[f_0, f_1] = 0
                for k in range(3):
                    B[f_0, f_1] = B[f_0, f_1] + A[f_0, k + f_1 - 1]
            B[f_0, 39] = 0
            for k in range(3):
                B[f_0, 39] = B[f_0, 39] + T.if_then_else(k < 2, A[f_0, k + 38], 0)
