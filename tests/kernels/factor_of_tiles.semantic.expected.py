# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def tiles(A: T.Buffer((561,), "float32"), C: T.Buffer((429,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for b in range(3):
            cse_v1: T.let[T.int32] = b * 143
            cse_v4: T.let[T.int32] = b * 187
            for i in range(2):
                cse_v2: T.let[T.int32] = cse_v1 + i * 52
                cse_v5: T.let[T.int32] = cse_v4 + i * 68
                for k in range(13):
                    cse_v3: T.let[T.int32] = cse_v2 + k
                    cse_v6: T.let[T.int32] = cse_v5 + k
                    for r in range(4):
                        C[cse_v3 + r * 13] = A[cse_v6 + r * 17]
