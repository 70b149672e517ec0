# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def gather(A: T.Buffer(("n", "m", "k"), "float32"), B: T.Buffer((n, k, m), "float32")):
        n, m, k = T.int32(), T.int32(), T.int32()
        T.func_attr({"tirx.noalias": True})
        for f_0, f_1, f_2 in T.grid(n, k, m):
            B[f_0, f_1, f_2] = A[f_0, f_2, f_1]
