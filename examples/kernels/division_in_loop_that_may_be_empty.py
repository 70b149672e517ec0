# A division by the loop's own extent. The loop runs zero times when n = 0, so the quotient is not computed above it,
# however invariant it is.
# bind: m=17,n=0
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("n",), "int32"), B: T.Buffer((n,), "int32"), m: T.int32):
        n = T.int32()
        T.func_attr({"tirx.noalias": True})
        for i in range(n):
            A[i] = m // n + i
            B[i] = m // n - i
