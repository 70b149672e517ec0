# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("d1", "d2"), "int32"), n: T.int32):
        d1, d2 = T.int32(), T.int32()
        T.func_attr({"tirx.noalias": True})
        cse_v1: T.let[T.int32] = 1 - d1 * d2
        cse_v2: T.let[T.int32] = d1 - 1
        for i in range(d1):
            cse_v3: T.let[T.int32] = T.max(0, T.min(i, cse_v2))
            cse_v4: T.let[T.int32] = i + n
            for j in range(d2):
                if i < T.min(d1, T.max(d1 + -1 // d2 + 1, d1) - T.min(cse_v1 // d2, 0)):
                    A[cse_v3, j] = cse_v4
