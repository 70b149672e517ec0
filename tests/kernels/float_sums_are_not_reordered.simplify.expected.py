# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((3,), "float32"), Y: T.Buffer((4,), "float32")):
        T.func_attr({"tirx.noalias": True})
        Y[0] = A[0] + A[1] + A[2]
        Y[1] = A[0] + (A[1] + A[2])
        Y[2] = (A[1] + A[0]) * A[2]
