# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("n * m",), "float32"), B: T.Buffer(("m * p",), "float32"), C: T.Buffer((n * p,), "float32"), n: T.int32, m: T.int32, p: T.int32):
        T.func_attr({"tirx.noalias": True})
        for i in range(n):
            cse_v1: T.let[T.int32] = i * p
            cse_v3: T.let[T.int32] = i * m
            for j in range(p):
                cse_v2: T.let[T.int32] = cse_v1 + j
                C[cse_v2] = T.float32(0.0)
                for k in range(m):
                    C[cse_v2] = C[cse_v2] + A[cse_v3 + k] * B[k * p + j]
