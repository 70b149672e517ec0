# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((512,), "int32"), B: T.Buffer((512,), "int32")):
        T.func_attr({"tirx.noalias": True})
        A[0:64] = B[T.Ramp(0, 1, 64)] + T.Ramp(0, 1, 64) // T.Broadcast(2, 64)
        A[64:128] = B[T.Ramp(64, 1, 64)] + T.Ramp(0, 1, 64) // T.Broadcast(2, 64)
        A[128:192] = B[T.Ramp(128, 1, 64)] + T.Ramp(0, 1, 64) // T.Broadcast(2, 64)
        A[192:256] = B[T.Ramp(192, 1, 64)] + T.Ramp(0, 1, 64) // T.Broadcast(2, 64)
        A[256:320] = B[T.Ramp(256, 1, 64)] + T.Ramp(0, 1, 64) // T.Broadcast(2, 64)
        A[320:384] = B[T.Ramp(320, 1, 64)] + T.Ramp(0, 1, 64) // T.Broadcast(2, 64)
        A[384:448] = B[T.Ramp(384, 1, 64)] + T.Ramp(0, 1, 64) // T.Broadcast(2, 64)
        A[448:512] = B[T.Ramp(448, 1, 64)] + T.Ramp(0, 1, 64) // T.Broadcast(2, 64)
