# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(B: T.Buffer((50,), "int32"), x: T.int32, y: T.int32, z: T.int32):
        T.func_attr({"tirx.noalias": True})
        B[0] = x + y + z
        B[1] = z + (y + x)
        B[2] = x * (y + z)
        B[3] = x * y + z * x
        B[4] = x + y
        B[5] = y + x
