# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32"), D: T.Buffer((64,), "float32"), w: T.int32):
        T.func_attr({"tirx.noalias": True})
        for i in range(8):
            C[i * 8:i * 8 + 8] = A[T.Ramp(i * 8, 1, 8) // T.Broadcast(4, 8) * T.Broadcast(4, 8)]
            D[i * 8:i * 8 + 8] = B[T.Ramp(i * 8, 1, 8) // T.Broadcast(4, 8) * T.Broadcast(4, 8)]
