# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), C: T.Buffer((1,), "int32")):
        T.func_attr({"tirx.noalias": True})
        for i in range(8):
            A[i] = 1
            B[i] = 2
        for i in range(8, 16):
            A[i] = 3
        if C[0] == 0:
            C[0] = 1
        if C[0] == 0:
            C[0] = 2
