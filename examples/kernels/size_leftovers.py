# Leftovers of shape functions: a minimum that is just `d1`, a select on a constant, a clamp that changes nothing.
# bind: d1=6,d2=3,n=2
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("d1", "d2"), "int32"), n: T.int32):
        d1, d2 = T.int32(), T.int32()
        T.func_attr({"tirx.noalias": True})
        for i, j in T.grid(d1, d2):
            if i < T.min(d1, T.max(d1 + -1 // d2 + 1, d1) - T.min((1 - d1 * d2) // d2, 0)):
                A[T.max(0, T.min(i, d1 - 1)), j] = T.Select(not T.bool(False), i + n, n)
