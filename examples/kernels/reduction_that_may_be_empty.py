# What a reduction does in its first iteration goes in front of its loop; where the loop may not run at all, behind a check.
# bind: n=4,m=3
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def rows(A: T.Buffer(("n", "m"), "float32"), B: T.Buffer((n,), "float32")):
        n, m = T.int32(), T.int32()
        T.func_attr({"tirx.noalias": True})
        for i, k in T.grid(n, m):
            if k == 0:
                B[i] = T.float32(0.0)
            B[i] = B[i] + A[i, k] * A[i, k]
