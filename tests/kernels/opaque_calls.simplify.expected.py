# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(Y: T.Buffer((2,), "int32"), x: T.int32, y: T.int32):
        T.func_attr({"tirx.noalias": True})
        Y[0] = T.call_extern("int32", "f", x * y + 10)
        Y[1] = T.call_extern("int32", "f", x * y + 10)
