# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def concatenate(A: T.Buffer((13, 100), "float32"), B: T.Buffer((13, 80), "float32"), C: T.Buffer((13, 53), "float32"), D: T.Buffer((3029,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for f0 in range(303):
            cse_v1: T.let[T.int32] = f0 * 10
            for f1 in range(10):
                cse_v2: T.let[T.int32] = cse_v1 + f1
                if cse_v2 < 3029:
                    cse_v3: T.let[T.int32] = cse_v2 % 233
                    D[cse_v2] = T.if_then_else(180 <= cse_v3, C[cse_v2 // 233, cse_v3 - 180], T.if_then_else(100 <= cse_v3, B[cse_v2 // 233, cse_v3 - 100], A[cse_v2 // 233, cse_v3]))
