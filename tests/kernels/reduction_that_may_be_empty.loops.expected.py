# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def rows(A: T.Buffer(("n", "m"), "float32"), B: T.Buffer((n,), "float32")):
        n, m = T.int32(), T.int32()
        T.func_attr({"tirx.noalias": True})
        for i in range(n):
            if 0 < m:
                B[i] = T.float32(0.0)
            for k in range(m):
                B[i] = B[i] + A[i, k] * A[i, k]
