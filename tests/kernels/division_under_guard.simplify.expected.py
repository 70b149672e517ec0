# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4,), "int32"), m: T.int32, n: T.int32):
        T.func_attr({"tirx.noalias": True})
        A[0] = n + 1
        if n != 0:
            A[1] = m // n + 1
            A[2] = m // n + 2
