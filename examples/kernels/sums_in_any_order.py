# Equal values in different words: sums in another order, a product multiplied out, a number put together again from
# its quotient and remainder. By text nothing is shared; by meaning `x + y` serves four stores.
# bind: x=11,y=13,z=17
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(B: T.Buffer((50,), "int32"), x: T.int32, y: T.int32, z: T.int32):
        T.func_attr({"tirx.noalias": True})
        B[0] = x + y + z
        B[1] = z + (y + x)
        B[2] = x * (y + z)
        B[3] = x * y + z * x
        B[4] = x // 4 * 4 + x % 4 + y
        B[5] = y + x
