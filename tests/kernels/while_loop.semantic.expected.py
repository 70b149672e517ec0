# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4,), "int32"), n: T.int32):
        T.func_attr({"tirx.noalias": True})
        A[0] = 0
        while A[0] < n:
            cse_v1: T.let[T.int32] = n * 5
            A[1] = A[0] * 3 + cse_v1
            A[0] = A[0] + 1
            A[2] = A[0] * 3 + cse_v1
