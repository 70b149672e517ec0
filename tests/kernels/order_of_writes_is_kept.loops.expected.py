# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def fill(A: T.Buffer((97,), "int32"), B: T.Buffer((12,), "int32")):
        T.func_attr({"tirx.noalias": True})
        for f_0, f_1 in T.grid(12, 7):
            A[f_0 * 7 + f_1 + 13] = A[f_1 + 6] + A[f_0 * 7 + f_1 + 12] * 3 % 11 + B[f_0]
