# Loops from a negative minimum, from a minimum above zero, and with no iterations at all: facts about a loop variable
# hold inside of its loop only.
# bind: n=0
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((32,), "int32"), n: T.int32):
        T.func_attr({"tirx.noalias": True})
        for i in range(-8, 8):
            A[i + 8] = i // 4 * 4 + i % 4
        for i in range(3, 3 + n):
            A[i + 16] = T.max(i, 3) + T.max(n, 1)
        A[0] = T.max(n, 1)
