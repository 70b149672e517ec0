# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16, 32), "float32"), Y: T.Buffer((16,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for io, ii, k in T.grid(4, 4, 32):
            with T.sblock("sum"):
                vi = T.axis.spatial(16, io * 4 + ii)
                vk = T.axis.reduce(32, k)
                T.reads(A[vi, vk])
                T.writes(Y[vi])
                with T.init():
                    Y[vi] = T.float32(0.0)
                Y[vi] = Y[vi] + A[vi, vk]
