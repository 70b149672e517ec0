# A transposition of the last two of three dimensions over one loop. Each of the dimensions may be 0, so nothing may be
# divided in front of the loops: their extents are the dimensions themselves.
# bind: n=3,m=4,k=5
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def gather(A: T.Buffer(("n", "m", "k"), "float32"), B: T.Buffer((n, k, m), "float32")):
        T.func_attr({"tirx.noalias": True})
        n, m, k = T.int32(), T.int32(), T.int32()
        for f in range(n * k * m):
            B[f // (k * m), f % (k * m) // m, f % m] = A[f // (k * m), f % m, f % (k * m) // m]
