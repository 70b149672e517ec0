# Threads of a GPU that find their row and column by dividing by sizes. The sizes are the same for all of them, so the
# host computes what it takes to divide by them, and threads multiply and shift.
# bind: n=5,m=7,k=3
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer(("n", "m", "k"), "float32"), B: T.Buffer((n, k, m), "float32")):
        n, m, k = T.int32(), T.int32(), T.int32()
        x = T.launch_thread("blockIdx.x", (n * m * k + 31) // 32)
        y = T.launch_thread("threadIdx.x", 32)
        if x * 32 + y < n * k * m:
            B[(x * 32 + y) // (k * m), (x * 32 + y) // m % k, (x * 32 + y) % m] = A[(x * 32 + y) // (m * k), (y + x * 32) % m, (x * 32 + y) % (k * m) // m]
