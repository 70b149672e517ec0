# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("ni * nj * nk",), "float32"), B: T.Buffer((ni * nj * nk,), "float32"), ni: T.int32, nj: T.int32, nk: T.int32):
        T.func_attr({"tirx.noalias": True})
        for i, j, k in T.grid(ni, nj, nk):
            A[(i * nj + j) * nk + k] = B[(i * nj + j) * nk + k]
