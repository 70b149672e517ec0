# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64, 256, 16), "float32"), F: T.Buffer((3,), "float32"), B: T.Buffer((64, 256, 16), "float32")):
        T.func_attr({"tirx.noalias": True})
        for b, io, ii in T.grid(64, 256, 16):
            B[b, io, ii] = T.float32(0)
            for f in range(3):
                B[b, io, ii] = B[b, io, ii] + F[f] * A[b, (io + (ii + f) // 16) % 256, (ii + f) % 16]
