# Conditions that follow from others only by cases, or through a quotient by a size.
# bind: n=40,m=90,k=60,d=50
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64,), "int32"), n: T.int32, m: T.int32, k: T.int32, d: T.int32):
        T.func_attr({"tirx.noalias": True})
        if T.min(n, m) + T.max(n, k) < 2 * d:
            if n >= d and k >= d:
                if m < d:
                    A[0] = 1
        for i in range(64):
            if d > 0:
                if n // d < m // d:
                    if n < m:
                        A[i] = T.max(n // d, m // d)
