# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer(("n", "m", "k"), "float32"), B: T.Buffer((n, k, m), "float32")):
        n, m, k = T.int32(), T.int32(), T.int32()
        cse_v1: T.let[T.int32] = n * m * k
        with T.launch_thread("blockIdx.x", (cse_v1 + 31) // 32) as x:
            cse_v2: T.let[T.int32] = x * 32
            with T.launch_thread("threadIdx.x", 32) as y:
                cse_v3: T.let[T.int32] = cse_v2 + y
                if cse_v3 < cse_v1:
                    cse_v4: T.let[T.int32] = T.Div(cse_v3, m)
                    cse_v5: T.let[T.int32] = cse_v4 // k
                    cse_v6: T.let[T.int32] = cse_v4 - k * cse_v5
                    cse_v7: T.let[T.int32] = cse_v2 + (y - m * cse_v4)
                    B[cse_v5, cse_v6, cse_v7] = A[cse_v5, cse_v7, cse_v6]
