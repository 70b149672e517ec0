# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32"), v: T.int32):
        T.func_attr({"tirx.noalias": True})
        T.assume(B[0] == 0)
        A[0] = 5
        B[0] = v
        A[1] = v + 5
