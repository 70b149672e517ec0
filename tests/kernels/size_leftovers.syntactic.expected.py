# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("d1", "d2"), "int32"), n: T.int32):
        d1, d2 = T.int32(), T.int32()
        T.func_attr({"tirx.noalias": True})
        for i, j in T.grid(d1, d2):
            if i < T.min(d1, T.max(d1 + -1 // d2 + 1, d1) - T.min((1 - d1 * d2) // d2, 0)):
                A[T.max(0, T.min(i, d1 - 1)), j] = T.Select(not T.bool(False), i + n, n)
