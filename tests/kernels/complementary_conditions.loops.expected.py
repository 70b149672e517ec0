# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
        T.func_attr({"tirx.noalias": True})
        for i_0, i_1 in T.grid(3, 4):
            A[i_0 * 4 + i_1] = 1
            B[i_0 * 4 + i_1] = 3
        for i_1 in range(2):
            A[i_1 + 12] = 1
            B[i_1 + 12] = 3
        for i_1 in range(2, 4):
            A[i_1 + 12] = 2
            B[12 + i_1] = 4
