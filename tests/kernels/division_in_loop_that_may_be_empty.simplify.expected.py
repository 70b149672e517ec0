# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("n",), "int32"), B: T.Buffer((n,), "int32"), m: T.int32):
        n = T.int32()
        T.func_attr({"tirx.noalias": True})
        for i in range(n):
            A[i] = m // n + i
            B[i] = m // n - i
