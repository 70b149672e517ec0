# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
        T.func_attr({"tirx.noalias": True})
        for i in range(14):
            A[i] = 1
            B[i] = 3
        for i in range(14, 16):
            A[i] = 2
            B[i] = 4
