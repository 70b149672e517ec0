# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((5140,), "float32"), M: T.Buffer((5140,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for bx in T.thread_binding(6, thread="blockIdx.x"):
            cse_v1: T.let[T.int32] = bx * 1024
            for tx in T.thread_binding(1024, thread="threadIdx.x"):
                cse_v2: T.let[T.int32] = cse_v1 + tx
                if T.likely(cse_v2 < 5140):
                    M[cse_v2] = A[cse_v2]
