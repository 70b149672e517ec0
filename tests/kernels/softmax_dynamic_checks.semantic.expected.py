# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("d0", "d1", "d2"), "float32"), M: T.Buffer((d0, d1, d2), "float32")):
        d0, d1, d2 = T.int32(), T.int32(), T.int32()
        T.func_attr({"tirx.noalias": True})
        cse_v1: T.let[T.int32] = d0 * d1 * d2
        cse_v4: T.let[T.int32] = d1 * d2
        for bx in T.thread_binding((cse_v1 + 511) // 512, thread="blockIdx.x"):
            cse_v2: T.let[T.int32] = bx * 512
            for tx in T.thread_binding(512, thread="threadIdx.x"):
                cse_v3: T.let[T.int32] = cse_v2 + tx
                if T.likely(cse_v3 < cse_v1):
                    cse_v5: T.let[T.int32] = T.Div(cse_v3, cse_v4)
                    cse_v6: T.let[T.int32] = T.Div(cse_v3, d2)
                    cse_v7: T.let[T.int32] = cse_v6 - d1 * cse_v5
                    cse_v8: T.let[T.int32] = cse_v2 - d2 * cse_v6 + tx
                    M[cse_v5, cse_v7, cse_v8] = A[cse_v5, cse_v7, cse_v8]
