# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def rows(A: T.Buffer(("n", "m"), "float32"), B: T.Buffer((n,), "float32")):
        n, m = T.int32(), T.int32()
        T.func_attr({"tirx.noalias": True})
        for i, k in T.grid(n, m):
            if k == 0:
                B[i] = T.float32(0.0)
            cse_v1: T.let[T.float32] = A[i, k]
            B[i] = B[i] + cse_v1 * cse_v1
