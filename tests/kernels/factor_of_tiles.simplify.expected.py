# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def tiles(A: T.Buffer((561,), "float32"), C: T.Buffer((429,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for b, i, k, r in T.grid(3, 2, 13, 4):
            C[(b * 11 + i * 4 + r) * 13 + k] = A[(b * 11 + i * 4 + r) * 17 + k]
