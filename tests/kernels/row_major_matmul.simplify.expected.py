# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("n * m",), "float32"), B: T.Buffer(("m * p",), "float32"), C: T.Buffer((n * p,), "float32"), n: T.int32, m: T.int32, p: T.int32):
        T.func_attr({"tirx.noalias": True})
        for i, j in T.grid(n, p):
            C[i * p + j] = T.float32(0.0)
            for k in range(m):
                C[i * p + j] = C[i * p + j] + A[i * m + k] * B[k * p + j]
