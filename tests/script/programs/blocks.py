# Blocks and their axes.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def matmul(A: T.Buffer((128, 64), "float32"), B: T.Buffer((64, 32), "float32"), C: T.Buffer((128, 32), "float32")):
        T.func_attr({"tirx.noalias": True})
        D = T.sblock_alloc_buffer((128, 32))
        for i, j, k in T.grid(128, 32, 64):
            with T.sblock("update"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads(A[vi, vk], B[vk, vj])
                T.writes(D[vi, vj])
                T.sblock_attr({"schedule_rule": "x", "nested": {"a": [1, 2.5]}})
                with T.init():
                    D[vi, vj] = T.float32(0.0)
                D[vi, vj] = D[vi, vj] + A[vi, vk] * B[vk, vj]
        for i0, j in T.grid(43, 32):
            for i1 in range(3):
                with T.sblock("copy"):
                    vi = T.axis.spatial(128, i0 * 3 + i1)
                    vj = T.axis.spatial(32, j)
                    T.where(i0 * 3 + i1 < 128)
                    T.reads(D[vi, vj])
                    T.writes(C[vi, vj])
                    C[vi, vj] = D[vi, vj]

    @T.prim_func(s_tir=True)
    def kinds(A: T.Buffer((128,), "float32"), C: T.Buffer((128,), "float32"), n: T.int32):
        for i in range(128):
            with T.sblock("scan"):
                v = T.axis.scan(128, i)
                T.reads(A[v])
                T.writes(C[v])
                C[v] = A[v]
        for i in range(2, 128):
            with T.sblock("offset"):
                v = T.axis.spatial((2, 128), i)
                T.reads(A[v - 2:v])
                T.writes(C[v])
                C[v] = A[v - 1] + A[v - 2]
        for i in range(n):
            with T.sblock("opaque"):
                v = T.axis.opaque(n, i)
                w = T.axis.reduce((n, n + 4), n)
                T.reads(A[0:n])
                T.writes(C[n:n + 4])
                C[v] = A[w]

    @T.prim_func(s_tir=True)
    def explicit_root(A: T.Buffer((16, 16), "float32")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            T.sblock_attr({"a": 1})
            B = T.sblock_alloc_buffer((16, 16), scope="shared")
            for i in range(4):
                with T.sblock("inner"):
                    vi = T.axis.spatial(4, i)
                    T.reads(A[vi * 4:vi * 4 + 4, 0:16])
                    T.writes(B[vi * 4:vi * 4 + 4, 0:16])
                    M = T.match_buffer(A[vi * 4:vi * 4 + 4, 0:16], (4, 16), strides=("s0", "s1"), offset_factor=1)
                    N = T.match_buffer(B[vi * 4:vi * 4 + 4, 0:16], (4, 16), scope="shared", offset_factor=4)
                    for j, k in T.grid(4, 16):
                        with T.sblock(""):
                            N[j, k] = M[j, k]
                    T.call_extern("int32", "intrin", M.data, M.elem_offset, M.strides[0], N.access_ptr("w"))

    # A region whose start binds a variable.
    @T.prim_func(s_tir=True)
    def bindings_in_regions(B: T.Buffer((64,), "int32"), n: T.int32):
        q = T.int32()
        with T.sblock("all"):
            vi = T.axis.spatial(64, n)
            T.reads()
            T.writes(B[T.Let(q * q, where={q: n % 7}):T.Let(q * q, where={q: n % 7}) + 4])
            B[vi] = 1
