# Checks that the loops' ranges decide: one always holds, one never does, one part of a conjunction always holds.
# bind: n=3
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64,), "int32"), n: T.int32):
        T.func_attr({"tirx.noalias": True})
        for i, j in T.grid(8, 8):
            if i * 8 + j < 64:
                A[i * 8 + j] = i
            if i * 8 + j >= 64:
                A[0] = 1
            if i * 8 + j < 64 and j < n:
                A[i * 8 + j] = j
