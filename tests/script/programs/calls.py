# Intrinsics, external calls, casts, vectors.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def math(x: T.float32, h: T.float16, n: T.int32):
        T.evaluate(T.exp(x) + T.sqrt(x) * T.rsqrt(x))
        T.exp(x)
        T.pow(x, T.float32(2.0))
        T.fma(x, x, x)
        T.isnan(x)
        T.isinf(x)
        T.isfinite(x)
        T.floor(x)
        T.evaluate(T.floor(n))
        T.ceil(x)
        T.round(x)
        T.trunc(x)
        T.nearbyint(x)
        T.tanh(h)
        T.sigmoid(x)
        T.erf(x)
        T.log2(x)
        T.ldexp(x, n)
        T.fmod(x, x)
        T.atan2(x, x)
        T.fabs(x)
        T.q_multiply_shift(n, 2, 3, 4)
        T.vscale()

    @T.prim_func(s_tir=True)
    def external(A: T.Buffer((16, 16), "float32"), p: T.handle("float32", "global"), raw: T.handle, n: T.int32, x: T.float32):
        T.call_extern("int32", "foo", n, A.data, x)
        T.call_extern("void", "bar", p, raw)
        T.call_pure_extern("float32", "baz", n, x)
        T.evaluate(T.call_pure_extern("float32", "baz", n, x) + x)
        T.call_packed("packed", n, 1, T.float32(2.0))
        T.call_cpacked("packed", n, raw)
        T.tvm_access_ptr(T.type_annotation("float32"), A.data, 0, 10, 1)
        T.evaluate(A.access_ptr("rw"))
        T.address_of(A[0, n])
        T.tvm_storage_sync("shared", T.bool(False), -1)
        T.reinterpret("int32", x)
        T.tvm_tuple(1, 2)
        T.assume(A[0, 0] == x)
        T.undef()
        T.tvm_struct_get(raw, 0, 1, "int32")
        T.tvm_struct_set(raw, 0, 1, n)
        T.evaluate(T.tvm_struct_get(raw, 0, 1, "int64") + T.int64(1))
        T.tvm_stack_alloca("array", 1)
        T.tvm_stack_make_shape(1, 2)
        T.isnullptr(raw)
        T.evaluate(A.data)

    @T.prim_func(s_tir=True)
    def casts(n: T.int32, q: T.int64, x: T.float32, h: T.float16):
        T.evaluate(T.Cast("int64", n))
        T.evaluate(T.Cast("int64", 3))
        T.evaluate(T.cast(n, "int64"))
        T.evaluate(T.int64(n))
        T.evaluate(T.float32(n) + x)
        T.evaluate(T.Cast("float16", x) * h)
        T.evaluate(T.Cast("bool", n))
        T.evaluate(T.Cast("int32", n < 3))
        T.evaluate(T.Cast("int32x4", T.Broadcast(q, 4)))

    @T.prim_func(s_tir=True)
    def vectors(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "int32"), C: T.Buffer((8,), "float32x4"), n: T.int32):
        A[0:4] = T.Broadcast(T.float32(0.0), 4)
        A[n * 4:n * 4 + 4] = A[T.Ramp(n * 4, 1, 4)] + T.Broadcast(T.float32(1.0), 4)
        A[0:16:4] = A[T.Ramp(n, 2, 4)]
        A[T.Ramp(n, -1, 4)] = A[T.Ramp(n, n, 4)]
        B[0:4] = T.Ramp(n, 1, 4) * T.Broadcast(2, 4) + T.Ramp(0, 3, 4)
        B[0:4] = T.Ramp(n, 1, 4) * 2 + 1
        B[0:2] = T.Shuffle([T.Ramp(n, 1, 4)], [0, 3])
        B[0:4] = T.Select(T.Ramp(n, 1, 4) < T.Broadcast(n, 4), T.Broadcast(0, 4), T.Broadcast(1, 4))
        B[0:4] = T.Select(T.And(T.Ramp(n, 1, 4) < T.Broadcast(n, 4), T.Ramp(n, 2, 4) < T.Broadcast(n, 4)), T.Broadcast(0, 4), T.Broadcast(1, 4))
        B[0:4] = T.Select(T.Ramp(n, 1, 4) < T.Broadcast(n, 4) or T.Ramp(n, 2, 4) < T.Broadcast(n, 4), T.Broadcast(0, 4), T.Broadcast(1, 4))
        C[n] = T.Broadcast(T.float32(2.0), 4)
        A[0:4] = C[n] * C[n + 1]
        B[0:4] = T.Cast("int32x4", A[T.Ramp(0, 1, 4)])
        B[0:4] = T.Ramp(n, 1, 4) // T.Broadcast(2, 4) % T.Broadcast(n, 4)
        if T.bool(True):
            B[0] = B[1]

    @T.prim_func(s_tir=True)
    def lets(n: T.int32, q: T.int64):
        v = T.int32()
        T.evaluate(T.Let(v + 1, where={v: n}))
        w = T.int64()
        T.evaluate(T.Let(w * w, where={w: q + T.int64(2)}) + q)
