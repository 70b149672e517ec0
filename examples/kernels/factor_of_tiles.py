# Rows of two widths in tiles: `(b * 11 + i * 4)` could be shared by both indices, times 17 and times 13. Then `r * 17` and
# `r * 13` would be added to multiples of 17 and of 13, and LLVM takes such factors out of sums: what it rewrites may
# overflow for all that it knows, and it no longer advances pointers in the loops. So each index is the sum of its terms.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def tiles(A: T.Buffer((561,), "float32"), C: T.Buffer((429,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for b, i, k, r in T.grid(3, 2, 13, 4):
            C[b * 143 + i * 52 + r * 13 + k] = A[b * 187 + i * 68 + r * 17 + k]
