# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((2,), "uint8"), Y: T.Buffer((4,), "uint8")):
        T.func_attr({"tirx.noalias": True})
        Y[0] = A[0] + A[1] + T.uint8(7)
        Y[1] = T.uint8(7) + (A[1] + A[0])
        Y[2] = A[0] * T.uint8(2) // T.uint8(2)
