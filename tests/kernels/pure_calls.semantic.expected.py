# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((2,), "float32"), Y: T.Buffer((2,), "float32")):
        T.func_attr({"tirx.noalias": True})
        cse_v1: T.let[T.float32] = T.exp(A[0] + A[1])
        Y[0] = cse_v1 + T.float32(1.0)
        Y[1] = cse_v1 * T.float32(2.0)
