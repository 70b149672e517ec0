# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "int32"), n: T.int32):
        T.func_attr({"tirx.noalias": True})
        for i in range(16):
            A[i] = i * 2 + n
