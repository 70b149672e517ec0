# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("d1", "d2"), "int32"), n: T.int32):
        d1, d2 = T.int32(), T.int32()
        T.func_attr({"tirx.noalias": True})
        for i, j in T.grid(d1, d2):
            A[i, j] = i + n
