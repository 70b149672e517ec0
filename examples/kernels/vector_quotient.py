# Vector code in the style of a DSP: the quotient of two vectors, repeated in many stores, is computed once as a
# vector value. The vectors of plain index ranges stay where they are.
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
