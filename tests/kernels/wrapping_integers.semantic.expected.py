# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((2,), "uint8"), Y: T.Buffer((4,), "uint8")):
        T.func_attr({"tirx.noalias": True})
        cse_v1: T.let[T.uint8] = A[0]
        cse_v2: T.let[T.uint8] = cse_v1 + A[1] + T.uint8(7)
        Y[0] = cse_v2
        Y[1] = cse_v2
        Y[2] = cse_v1 * T.uint8(2) // T.uint8(2)
