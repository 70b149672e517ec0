# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4,), "int32"), n: T.int32):
        T.func_attr({"tirx.noalias": True})
        cse_v1: T.let[T.int32] = n // 8
        A[0] = cse_v1
        T.assume(n >= 0 and n < 8)
        A[1] = cse_v1 + n % 8
