# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def pool(A: T.Buffer((6, 40), "int32"), B: T.Buffer((6, 40), "int32")):
        T.func_attr({"tirx.noalias": True})
        for f0, f1, k in T.grid(27, 9, 3):
            if f0 * 9 + f1 < 240:
                if k == 0:
                    B[(f0 * 9 + f1) // 40, (f0 * 9 + f1) % 40] = 0
                B[(f0 * 9 + f1) // 40, (f0 * 9 + f1) % 40] = B[(f0 * 9 + f1) // 40, (f0 * 9 + f1) % 40] + T.if_then_else(1 <= (f0 * 9 + f1) % 40 + k and (f0 * 9 + f1) % 40 + k < 41, A[(f0 * 9 + f1) // 40, (f0 * 9 + f1) % 40 + k - 1], 0)
