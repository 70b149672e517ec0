# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64,), "int32"), n: T.int32, m: T.int32, k: T.int32, d: T.int32):
        T.func_attr({"tirx.noalias": True})
        if T.min(n, m) + T.max(n, k) < 2 * d:
            if n >= d and k >= d:
                if m < d:
                    A[0] = 1
        if d > 0:
            for i in range(64):
                if n // d < m // d:
                    A[i] = m // d
