# Buffers: shapes, strides, offsets, views, allocations, matches.
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def symbolic(A: T.Buffer((n, T.int64(4)), "float32"), B: T.Buffer(("n * T.int64(4)",), "float32"), C: T.Buffer(("m", "k"), "int8"), D: T.Buffer(("m + k", 4), "float32", scope="shared"), m2: T.int32):
        T.func_attr({"k": 1, "tirx.noalias": True})
        for i in range(n):
            A[i, 0] = B[i]
        C[0, 0] = T.int8(1)
        D[m2, 0] = T.float32(0.0)

    @T.prim_func(s_tir=True)
    def dims(A: T.Buffer(("n2",), "float32"), n2: T.int64, B: T.Buffer((n2, 3), "float32")):
        A[n2 - T.int64(1)] = B[n2 - T.int64(1), 0]

    @T.prim_func(s_tir=True)
    def match(a: T.handle, b: T.handle):
        m = T.int32()
        A = T.match_buffer(a, (m, 4), "float32", strides=("s0", "s1"), offset_factor=4)
        B = T.match_buffer(b, (m * 4,), "float16", align=16, scope="global")
        A[0, 0] = T.Cast("float32", B[m]) + T.Cast("float32", A.strides[0])

    @T.prim_func(s_tir=True)
    def scalar_buffer(A: T.Buffer((), "float32"), B: T.Buffer((1,), "float32")):
        A[()] = B[0]
        B[0] = A[()] + T.float32(1.0)

    @T.prim_func(s_tir=True)
    def strided(A: T.Buffer((16, 16), "float32", strides=(32, 1)), B: T.Buffer((16,), "float32", elem_offset=4), C: T.Buffer((4,), "bool")):
        A[0, 1] = B[3]
        C[0] = T.bool(True)
        C[1] = C[0] and not C[2]

    @T.prim_func(s_tir=True)
    def views(A: T.Buffer((16, 16), "float32"), P: T.Buffer((T.int64(256),), "float32"), q: T.int32):
        V = A.view(256)
        W = A.view(4, 64)
        D = T.decl_buffer((16, 16), "float32", data=A.data)
        E = T.decl_buffer((256,), "int32", data=A.data)
        F = T.decl_buffer((16, 16), "int32", data=A.data)
        G = T.decl_buffer((16, 32), "float16", data=A.data)
        H = T.decl_buffer((4, 4), "float32", data=A.data, strides=(16, 1), elem_offset=q * 4)
        K = P.view(16, 16)
        M = T.decl_buffer((16, 16), "float32", data=P.data)
        Q = T.decl_buffer((T.int64(128),), "float32", data=P.data, elem_offset=T.int64(8))
        V[0] = W[0, 1] + D[0, 0] + H[0, 0] + K[1, 1] + M[2, 2] + Q[3]
        E[0] = F[0, 0] + T.Cast("int32", G[0, 0])

    @T.prim_func(s_tir=True)
    def allocations(n3: T.int32):
        A = T.alloc_buffer((16, n3))
        B = T.alloc_buffer((16,), "int8", scope="shared.dyn", align=128)
        C = T.alloc_local((1,), "int32")
        D = T.alloc_shared((16, 16), "float16")
        E = T.alloc_buffer((T.int64(16),), "float32", elem_offset=0)
        F = T.alloc_buffer((16,), annotations={"disable_lower_builtin": True, "k": 3})
        G = T.decl_buffer((16,))
        H = T.alloc_buffer((16,), strides=(2,))
        A[0, 0] = D[0, 0]
        B[0] = T.int8(1)
        C[0] = 2
        E[0] = F[1] + G[2] + H[3]

    @T.prim_func(s_tir=False)
    def not_s_tir(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16,), "float32", layout=None)):
        V = A.view(256)
        C = T.alloc_buffer((4, 4))
        D = T.alloc_local((1,), "int32")
        D[0] = 1
        C[0, 0] = V[3] + B[D[0]]

    @T.prim_func(private=True, s_tir=True)
    def hidden(x: T.int32) -> T.int32:
        return x + 1
