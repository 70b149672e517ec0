# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(M: T.Buffer((50,), "int32"), Y: T.Buffer((2,), "int32"), i: T.int32):
        T.func_attr({"tirx.noalias": True})
        Y[0] = M[i] + 42
        Y[1] = (M[i] + 42) * 3
