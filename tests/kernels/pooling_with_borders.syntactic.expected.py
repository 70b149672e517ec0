# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def pool(A: T.Buffer((6, 40), "int32"), B: T.Buffer((6, 40), "int32")):
        T.func_attr({"tirx.noalias": True})
        for f0, f1, k in T.grid(27, 9, 3):
            cse_v1: T.let[T.int32] = f0 * 9 + f1
            if cse_v1 < 240:
                cse_v2: T.let[T.int32] = cse_v1 // 40
                cse_v3: T.let[T.int32] = cse_v1 % 40
                if k == 0:
                    B[cse_v2, cse_v3] = 0
                cse_v4: T.let[T.int32] = cse_v3 + k
                B[cse_v2, cse_v3] = B[cse_v2, cse_v3] + T.if_then_else(1 <= cse_v4 and cse_v4 < 41, A[cse_v2, cse_v4 - 1], 0)
