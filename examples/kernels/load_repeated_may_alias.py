# As `load_repeated`, but nothing says that the two buffers are distinct: the store to Y may change M, so the element
# is read again.
# bind: i=3
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(M: T.Buffer((50,), "int32"), Y: T.Buffer((50,), "int32"), i: T.int32):
        Y[0] = M[i] + 42
        Y[1] = (M[i] + 42) * 3
