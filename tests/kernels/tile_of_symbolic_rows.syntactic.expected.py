# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def tile(A: T.Buffer(("n",), "float32"), B: T.Buffer(("m", n), "float32")):
        n = T.int32()
        m = T.int32()
        T.func_attr({"tirx.noalias": True})
        B_1 = B.view(m * n)
        for f in range(m * n):
            B_1[f] = A[f % n]
