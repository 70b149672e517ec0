# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer(("n", "m", "k"), "float32"), B: T.Buffer((n, k, m), "float32")):
        n, m, k = T.int32(), T.int32(), T.int32()
        cse_v1: T.let[T.int32] = n * m * k
        cse_v8: T.let[T.int32] = 62 - T.clz(T.Cast("uint32", T.max(m, 1)) * T.uint32(2) - T.uint32(1))
        cse_v9: T.let[T.uint32] = T.Cast("uint32", ((T.int64(1) << T.Cast("int64", cse_v8)) - T.int64(1)) // T.Cast("int64", T.max(m, 1)) + T.int64(1))
        cse_v10: T.let[T.int32] = 62 - T.clz(T.Cast("uint32", T.max(k, 1)) * T.uint32(2) - T.uint32(1))
        cse_v11: T.let[T.uint32] = T.Cast("uint32", ((T.int64(1) << T.Cast("int64", cse_v10)) - T.int64(1)) // T.Cast("int64", T.max(k, 1)) + T.int64(1))
        with T.launch_thread("blockIdx.x", (cse_v1 + 31) // 32) as x:
            cse_v2: T.let[T.int32] = x * 32
            with T.launch_thread("threadIdx.x", 32) as y:
                cse_v3: T.let[T.int32] = cse_v2 + y
                if cse_v3 < cse_v1:
                    cse_v4: T.let[T.int32] = T.Cast("int32", T.Cast("uint64", T.Cast("uint32", cse_v3)) * T.Cast("uint64", cse_v9) >> T.Cast("uint64", cse_v8))
                    cse_v5: T.let[T.int32] = T.Cast("int32", T.Cast("uint64", T.Cast("uint32", cse_v4)) * T.Cast("uint64", cse_v11) >> T.Cast("uint64", cse_v10))
                    cse_v6: T.let[T.int32] = cse_v4 - k * cse_v5
                    cse_v7: T.let[T.int32] = cse_v2 + (y - m * cse_v4)
                    B[cse_v5, cse_v6, cse_v7] = A[cse_v5, cse_v7, cse_v6]
