# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("h * w",), "float32"), G: T.Buffer((h * w,), "float32"), h: T.int32, w: T.int32):
        T.func_attr({"tirx.noalias": True})
        cse_v1: T.let[T.int32] = w - 2
        cse_v4: T.let[T.int32] = w * 2
        for y in range(h - 2):
            cse_v2: T.let[T.int32] = y * w
            cse_v8: T.let[T.int32] = w + (cse_v2 + 1)
            cse_v5: T.let[T.int32] = cse_v4 + cse_v2
            for x in range(cse_v1):
                cse_v6: T.let[T.int32] = cse_v5 + x
                cse_v7: T.let[T.int32] = cse_v2 + x
                G[cse_v8 + x] = A[cse_v7] + A[cse_v7 + 1] * T.float32(2.0) + A[cse_v7 + 2] - A[cse_v6] - A[cse_v6 + 1] * T.float32(2.0) - A[cse_v6 + 2]
