# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(B: T.Buffer((50,), "int32"), x: T.int32, y: T.int32, z: T.int32):
        T.func_attr({"tirx.noalias": True})
        cse_v1: T.let[T.int32] = x + y
        cse_v2: T.let[T.int32] = cse_v1 + z
        B[0] = cse_v2
        B[1] = cse_v2
        cse_v3: T.let[T.int32] = x * (y + z)
        B[2] = cse_v3
        B[3] = cse_v3
        B[4] = cse_v1
        B[5] = cse_v1
