# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def concatenate(A: T.Buffer((13, 100), "float32"), B: T.Buffer((13, 80), "float32"), C: T.Buffer((13, 53), "float32"), D: T.Buffer((3029,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for f0, f1 in T.grid(303, 10):
            if f0 * 10 + f1 < 3029:
                D[f0 * 10 + f1] = T.if_then_else(180 <= (f0 * 10 + f1) % 233, C[(f0 * 10 + f1) // 233, (f0 * 10 + f1) % 233 - 180], T.if_then_else(100 <= (f0 * 10 + f1) % 233, B[(f0 * 10 + f1) // 233, (f0 * 10 + f1) % 233 - 100], A[(f0 * 10 + f1) // 233, (f0 * 10 + f1) % 233]))
