# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8192,), "float32"), B: T.Buffer((8192,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i, j in T.grid(16, 16):
            A[i * 256 + j * 16] = B[i * 256 + j * 16 + 4096]
            A[i * 256 + j * 16 + 1] = B[i * 256 + j * 16 + 4097]
            A[i * 256 + j * 16 + 2] = B[i * 256 + j * 16 + 4098]
            A[i * 256 + j * 16 + 3] = B[i * 256 + j * 16 + 4099]
            A[i * 256 + j * 16 + 4] = B[i * 256 + j * 16 + 4100]
            A[i * 256 + j * 16 + 5] = B[i * 256 + j * 16 + 4101]
            A[i * 256 + j * 16 + 6] = B[i * 256 + j * 16 + 4102]
            A[i * 256 + j * 16 + 7] = B[i * 256 + j * 16 + 4103]
            A[i * 256 + j * 16 + 8] = B[i * 256 + j * 16 + 4104]
            A[i * 256 + j * 16 + 9] = B[i * 256 + j * 16 + 4105]
            A[i * 256 + j * 16 + 10] = B[i * 256 + j * 16 + 4106]
            A[i * 256 + j * 16 + 11] = B[i * 256 + j * 16 + 4107]
            A[i * 256 + j * 16 + 12] = B[i * 256 + j * 16 + 4108]
            A[i * 256 + j * 16 + 13] = B[i * 256 + j * 16 + 4109]
            A[i * 256 + j * 16 + 14] = B[i * 256 + j * 16 + 4110]
            A[i * 256 + j * 16 + 15] = B[i * 256 + j * 16 + 4111]
