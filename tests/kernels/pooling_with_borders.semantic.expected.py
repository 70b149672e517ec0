# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def pool(A: T.Buffer((6, 40), "int32"), B: T.Buffer((6, 40), "int32")):
        T.func_attr({"tirx.noalias": True})
        for f0 in range(27):
            cse_v1: T.let[T.int32] = f0 * 9
            for f1 in range(9):
                cse_v2: T.let[T.int32] = cse_v1 + f1
                cse_v3: T.let[T.bool] = cse_v2 < 240
                cse_v4: T.let[T.int32] = cse_v2 // 40
                cse_v5: T.let[T.int32] = cse_v2 % 40
                for k in range(3):
                    if cse_v3:
                        if k == 0:
                            B[cse_v4, cse_v5] = 0
                        cse_v6: T.let[T.int32] = cse_v5 + k
                        B[cse_v4, cse_v5] = B[cse_v4, cse_v5] + T.if_then_else(1 <= cse_v6 and cse_v6 < 41, A[cse_v4, cse_v6 - 1], 0)
