# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def concatenate(A: T.Buffer((13, 100), "float32"), B: T.Buffer((13, 80), "float32"), C: T.Buffer((13, 53), "float32"), D: T.Buffer((3029,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for f_0 in range(13):
            for f_1 in range(100):
                D[f_0 * 233 + f_1] = A[f_0, f_1]
            for f_1 in range(100, 180):
                D[f_0 * 233 + f_1] = B[f_0, f_1 - 100]
            for f_1 in range(180, 233):
                D[f_0 * 233 + f_1] = C[f_0, f_1 - 180]
