# Neighbouring tests of one condition in two spellings (`i < 8` and `i // 8 == 0`, with i >= 0), and of its negation,
# become one test. The last pair does not: what its first body stores is what the second condition reads.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), C: T.Buffer((1,), "int32")):
        T.func_attr({"tirx.noalias": True})
        for i in range(16):
            if i < 8:
                A[i] = 1
            if i // 8 == 0:
                B[i] = 2
            if i >= 8:
                A[i] = 3
        if C[0] == 0:
            C[0] = 1
        if C[0] == 0:
            C[0] = 2
