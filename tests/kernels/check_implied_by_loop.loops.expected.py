# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64,), "int32"), n: T.int32):
        T.func_attr({"tirx.noalias": True})
        for i in range(8):
            for j in range(T.min(T.max(n, 0), 8)):
                A[i * 8 + j] = i
                A[i * 8 + j] = j
            for j in range(T.min(T.max(n, 0), 8), T.min(T.max(n, 0), 8) + (8 - T.min(T.max(n, 0), 8))):
                A[i * 8 + j] = i
