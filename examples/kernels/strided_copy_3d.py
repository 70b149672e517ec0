# A copy with symbolic sizes. As written it takes 6 multiplications and 4 additions per element. The strides do not
# depend on the loops, the row's offset depends on the outer loops only: per element one addition is left.
# bind: ni=3,nj=4,nk=5
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("ni * nj * nk",), "float32"), B: T.Buffer((ni * nj * nk,), "float32"), ni: T.int32, nj: T.int32, nk: T.int32):
        T.func_attr({"tirx.noalias": True})
        for i, j, k in T.grid(ni, nj, nk):
            A[i * nj * nk + j * nk + k] = B[i * nj * nk + j * nk + k]
