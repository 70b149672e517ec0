# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(B: T.Buffer((50,), "int32"), i1: T.int32, i2: T.int32, x: T.int32, y: T.int32, z1: T.int32, z2: T.int32, z3: T.int32):
        T.func_attr({"tirx.noalias": True})
        B[i1] = z1 + z2
        B[i2] = x + y + (z1 + z2) + (x + y + z3)
