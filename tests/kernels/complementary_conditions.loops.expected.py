# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
        T.func_attr({"tirx.noalias": True})
        for i, j in T.grid(3, 4):
            A[4 * i + j] = 1
            B[4 * i + j] = 3
        for j in range(2):
            A[j + 12] = 1
            B[j + 12] = 3
        for j in range(2, 4):
            A[j + 12] = 2
            B[j + 12] = 4
