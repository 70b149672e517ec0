# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def fill(A: T.Buffer((97,), "int32"), B: T.Buffer((12,), "int32")):
        T.func_attr({"tirx.noalias": True})
        for f in range(84):
            A[f + 13] = A[f % 7 + 6] + A[f + 12] * 3 % 11 + B[f // 7]
