# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), C: T.Buffer((1,), "int32")):
        T.func_attr({"tirx.noalias": True})
        for i_0, i_1 in T.grid(2, 8):
            if i_0 == 0:
                A[i_1] = 1
                B[i_1] = 2
            else:
                A[8 + i_1] = 3
        if C[0] == 0:
            C[0] = 1
        if C[0] == 0:
            C[0] = 2
