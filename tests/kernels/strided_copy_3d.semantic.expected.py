# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("ni * nj * nk",), "float32"), B: T.Buffer((ni * nj * nk,), "float32"), ni: T.int32, nj: T.int32, nk: T.int32):
        T.func_attr({"tirx.noalias": True})
        for i in range(ni):
            cse_v1: T.let[T.int32] = i * nj
            for j in range(nj):
                cse_v2: T.let[T.int32] = nk * (cse_v1 + j)
                for k in range(nk):
                    cse_v3: T.let[T.int32] = cse_v2 + k
                    A[cse_v3] = B[cse_v3]
