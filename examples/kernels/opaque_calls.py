# Calls of a function of which nothing is known keep their order and their number. Their arguments are ordinary
# expressions and are shared.
# bind: x=3,y=4
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(Y: T.Buffer((2,), "int32"), x: T.int32, y: T.int32):
        T.func_attr({"tirx.noalias": True})
        Y[0] = T.call_extern("int32", "f", x * y + 10)
        Y[1] = T.call_extern("int32", "f", x * y + 10)
