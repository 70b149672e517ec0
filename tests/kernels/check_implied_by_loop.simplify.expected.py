# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64,), "int32"), n: T.int32):
        T.func_attr({"tirx.noalias": True})
        for i, j in T.grid(8, 8):
            A[i * 8 + j] = i
            if j < n:
                A[i * 8 + j] = j
