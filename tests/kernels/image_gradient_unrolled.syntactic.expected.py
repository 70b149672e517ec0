# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("h * w",), "float32"), G: T.Buffer((h * w,), "float32"), h: T.int32, w: T.int32):
        T.func_attr({"tirx.noalias": True})
        for y, x in T.grid(h - 2, w - 2):
            cse_v1: T.let[T.int32] = y * w + x
            cse_v2: T.let[T.int32] = (y + 2) * w + x
            G[(y + 1) * w + x + 1] = A[cse_v1] + A[cse_v1 + 1] * T.float32(2.0) + A[cse_v1 + 2] - A[cse_v2] - A[cse_v2 + 1] * T.float32(2.0) - A[cse_v2 + 2]
