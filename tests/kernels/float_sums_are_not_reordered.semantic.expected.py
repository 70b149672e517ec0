# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((3,), "float32"), Y: T.Buffer((4,), "float32")):
        T.func_attr({"tirx.noalias": True})
        cse_v1: T.let[T.float32] = A[2]
        cse_v2: T.let[T.float32] = A[1]
        cse_v3: T.let[T.float32] = A[0]
        cse_v4: T.let[T.float32] = cse_v3 + cse_v2
        Y[0] = cse_v4 + cse_v1
        Y[1] = cse_v3 + (cse_v2 + cse_v1)
        Y[2] = cse_v4 * cse_v1
