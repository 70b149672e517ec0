# Rows of symbolic length written again and again: the remainder becomes a loop, the quotient another one.
# bind: n=5,m=3
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def tile(A: T.Buffer(("n",), "float32"), B: T.Buffer(("m", n), "float32")):
        T.func_attr({"tirx.noalias": True})
        n, m = T.int32(), T.int32()
        B_1 = B.view(m * n)
        for f in range(m * n):
            B_1[f] = A[f % n]
