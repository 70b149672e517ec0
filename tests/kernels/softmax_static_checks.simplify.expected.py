# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((5140,), "float32"), M: T.Buffer((5140,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for bx in T.thread_binding(6, thread="blockIdx.x"):
            for tx in T.thread_binding(1024, thread="threadIdx.x"):
                if T.likely(tx + bx * 1024 < 5140):
                    M[tx + bx * 1024] = A[tx + bx * 1024]
