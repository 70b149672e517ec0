# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def concatenate(A: T.Buffer((13, 100), "float32"), B: T.Buffer((13, 80), "float32"), C: T.Buffer((13, 53), "float32"), D: T.Buffer((3029,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for f0, f1 in T.grid(303, 10):
            cse_v1: T.let[T.int32] = f0 * 10 + f1
            if cse_v1 < 3029:
                cse_v2: T.let[T.int32] = cse_v1 % 233
                D[cse_v1] = T.if_then_else(180 <= cse_v2, C[cse_v1 // 233, cse_v2 - 180], T.if_then_else(100 <= cse_v2, B[cse_v1 // 233, cse_v2 - 100], A[cse_v1 // 233, cse_v2]))
