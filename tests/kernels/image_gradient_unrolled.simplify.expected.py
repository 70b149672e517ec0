# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("h * w",), "float32"), G: T.Buffer((h * w,), "float32"), h: T.int32, w: T.int32):
        T.func_attr({"tirx.noalias": True})
        for y, x in T.grid(h - 2, w - 2):
            G[(y + 1) * w + x + 1] = A[y * w + x] + A[y * w + x + 1] * T.float32(2.0) + A[y * w + x + 2] - A[(y + 2) * w + x] - A[(y + 2) * w + x + 1] * T.float32(2.0) - A[(y + 2) * w + x + 2]
