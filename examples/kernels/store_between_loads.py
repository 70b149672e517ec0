# The same element is read before and after a store that may change it: the two sums are not shared.
# bind: i=3,j=3,v=5
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(M: T.Buffer((50,), "int32"), Y: T.Buffer((2,), "int32"), i: T.int32, j: T.int32, v: T.int32):
        T.func_attr({"tirx.noalias": True})
        Y[0] = M[i] + 42
        M[j] = v
        Y[1] = M[i] + 42
