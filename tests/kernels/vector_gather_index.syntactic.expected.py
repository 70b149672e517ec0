# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32"), D: T.Buffer((64,), "float32"), w: T.int32):
        T.func_attr({"tirx.noalias": True})
        for i in range(8):
            cse_v1: T.let[T.int32] = i * 8
            cse_v2: T.let[T.int32x8] = T.Ramp(cse_v1, 1, 8) // T.Broadcast(4, 8) * T.Broadcast(4, 8)
            C[cse_v1:cse_v1 + 8] = A[cse_v2]
            D[cse_v1:cse_v1 + 8] = B[cse_v2]
