# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer(("n", "m", "k"), "float32"), B: T.Buffer((n, k, m), "float32")):
        n, m, k = T.int32(), T.int32(), T.int32()
        x = T.launch_thread("blockIdx.x", (n * m * k + 31) // 32)
        y = T.launch_thread("threadIdx.x", 32)
        cse_v1: T.let[T.int32] = x * 32
        cse_v2: T.let[T.int32] = cse_v1 + y
        if cse_v2 < n * k * m:
            cse_v3: T.let[T.int32] = k * m
            B[cse_v2 // cse_v3, cse_v2 // m % k, cse_v2 % m] = A[cse_v2 // (m * k), (y + cse_v1) % m, cse_v2 % cse_v3 // m]
