# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("d0 * d1 * d2",), "float32"), M: T.Buffer((d0 * d1 * d2,), "float32"), d0: T.int32, d1: T.int32, d2: T.int32):
        T.func_attr({"tirx.noalias": True})
        for bx in T.thread_binding((d0 * d1 * d2 + 511) // 512, thread="blockIdx.x"):
            for tx in T.thread_binding(512, thread="threadIdx.x"):
                if T.likely(bx * 512 + tx < d0 * d1 * d2):
                    M[bx * 512 + tx] = A[bx * 512 + tx]
