# The same checks for a softmax of symbolic shape: one of the three tests decides all of them, and the index that is
# taken apart into three dimensions is the index itself.
# bind: d0=2,d1=3,d2=5
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("d0", "d1", "d2"), "float32"), M: T.Buffer((d0, d1, d2), "float32")):
        d0, d1, d2 = T.int32(), T.int32(), T.int32()
        T.func_attr({"tirx.noalias": True})
        for bx in T.thread_binding((d0 * d1 * d2 + 511) // 512, thread="blockIdx.x"):
            for tx in T.thread_binding(512, thread="threadIdx.x"):
                if T.likely((bx * 512 + tx) // d2 // d1 < d0):
                    if T.likely((bx * 512 + tx) // d2 < d0 * d1):
                        if T.likely(bx * 512 + tx < d0 * d1 * d2):
                            M[(bx * 512 + tx) // d2 // d1, (bx * 512 + tx) // d2 % d1, (bx * 512 + tx) % d2] = A[(bx * 512 + tx) // d2 // d1, (bx * 512 + tx) // d2 % d1, (bx * 512 + tx) % d2]
