# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def gather(A: T.Buffer(("n", "m", "k"), "float32"), B: T.Buffer((n, k, m), "float32")):
        n, m, k = T.int32(), T.int32(), T.int32()
        T.func_attr({"tirx.noalias": True})
        for f in range(n * k * m):
            cse_v1: T.let[T.int32] = k * m
            cse_v2: T.let[T.int32] = f // cse_v1
            cse_v3: T.let[T.int32] = f % cse_v1 // m
            cse_v4: T.let[T.int32] = f % m
            B[cse_v2, cse_v3, cse_v4] = A[cse_v2, cse_v4, cse_v3]
