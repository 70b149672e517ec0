# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((32,), "int32"), n: T.int32):
        T.func_attr({"tirx.noalias": True})
        for i in range(-8, 8):
            A[i + 8] = i
        for i in range(3, 3 + n):
            A[i + 16] = i + n
        A[0] = T.max(n, 1)
