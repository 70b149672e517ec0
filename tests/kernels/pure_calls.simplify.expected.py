# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((2,), "float32"), Y: T.Buffer((2,), "float32")):
        T.func_attr({"tirx.noalias": True})
        Y[0] = T.exp(A[0] + A[1]) + T.float32(1.0)
        Y[1] = T.exp(A[0] + A[1]) * T.float32(2.0)
