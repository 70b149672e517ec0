# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4,), "int32"), m: T.int32, n: T.int32):
        T.func_attr({"tirx.noalias": True})
        if n != 0 and m // n > 2:
            A[0] = m // n
        A[1] = T.if_then_else(n != 0, m // n + 7, 0)
