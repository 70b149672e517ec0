# Loops, conditions, bindings, scalars, attributes.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def loops(A: T.Buffer((100,), "int32"), n: T.int32, q: T.int64):
        for i in range(10):
            if i > 3:
                break
            A[i] = i
            continue
        for i in range(2, 10):
            A[i] = i
        for i in range(2, 10, 3):
            A[i] = i
        for i in range(n, n + 10):
            A[i] = i
        for i in T.serial(n):
            A[i] = i
        for i in T.serial(1, n):
            A[i] = i
        for i in T.serial(n, n * 2, annotations={"a": 1, "b": "x", "c": [1, 2]}):
            A[i] = i
        for i in T.thread_binding(10, thread="threadIdx.x"):
            A[i] = i
        for i in T.thread_binding(0, 10, "threadIdx.x"):
            A[i] = i
        for i in T.unroll(10):
            for j in T.vectorized(4):
                A[i * 4 + j] = i + j
        for i in T.parallel(q):
            A[i] = T.Cast("int32", i)
        for i in T.parallel(2, 8, annotations={"k": 2}):
            A[i] = i
        for i in T.serial(10, step=2):
            A[i] = i
        for i in T.serial(10, unroll=True):
            A[i] = i
        for i in T.serial(10, unroll=False):
            A[i] = i
        for i in T.serial(10, unroll=4):
            A[i] = i
        for i, j in T.grid(3, 7):
            A[i * 7 + j] = i
        for i, j, k in T.grid(n, 2, q):
            A[i] = j
        for i in range(3):
            for j in range(i):
                A[i] = j
        for i in range(3):
            for j in range(4):
                A[i] = j
                A[j] = i
        for i in range(T.int64(3)):
            A[i] = 0
        while n < 3:
            A[0] = n
        for i in range(3):
            pass

    @T.prim_func(s_tir=True)
    def branches(A: T.Buffer((100,), "int32"), n: T.int32, b: T.bool):
        if n < 3:
            A[0] = 1
        else:
            A[0] = 2
        if n < 3 and b:
            A[0] = 1
        elif n < 4:
            A[0] = 2
        elif b:
            A[0] = 3
        else:
            A[0] = 4
        if b:
            A[1] = 1
            A[2] = 2
        if not b: A[3] = 3
        if True:
            A[4] = 4
        if n == 1:
            if b:
                A[5] = 5

    @T.prim_func(s_tir=True)
    def bindings(A: T.Buffer((16, 16), "float32"), n: T.int32, x: T.float32):
        w: T.let[T.int32] = n + 2
        v: T.let = n + 2
        T.evaluate(w + v)
        t = T.bind(n * 3)
        T.evaluate(t)
        z: T.let[T.int64] = T.int64(5)
        T.evaluate(z)
        pp: T.let[T.handle("float32", "global")] = A.data
        B = T.decl_buffer((256,), "float32", data=pp)
        B[3] = T.float32(1)
        ptr: T.let[T.handle] = T.tvm_stack_alloca("array", 1)
        T.call_extern("int32", "use", ptr)
        for i in range(3):
            k: T.let[T.int32] = i * 2
            A[k, i] = x
        k: T.let[T.int32] = 7
        A[k, k] = x

    @T.prim_func(s_tir=True)
    def scalars(A: T.Buffer((16,), "int32"), n: T.int32):
        y = n + 1
        y = y + 2
        y += 3
        z: T.int32 = 5
        A[y] = z
        f: T.float32
        f = T.float32(2.0)
        g: T.float32 = f + T.float32(1.0)
        A[0] += y
        for i in range(4):
            acc: T.int32 = 0
            acc = acc + i
            A[i] = acc
        s = T.alloc_scalar("int32", "shared")
        s = 4
        A[1] = s

    @T.prim_func(s_tir=True)
    def attributes(A: T.Buffer((16,), "int32"), n: T.int32):
        with T.attr({"a": 1, "b": "x"}):
            A[0] = 1
        with T.attr(0, "a", 1):
            A[0] = 2
        with T.attr("k", "pragma", "text"):
            with T.attr(A, "realize", n + 1):
                A[0] = 3
        with T.attr(n, "var", T.int64(2)):
            A[0] = 4
        with T.attr(T.comm_reducer(lambda a, b: a + b, [T.float32(0.0)]), "reduce_scope", 0):
            A[0] = 5
        with T.attr(T.comm_reducer(lambda a0, a1, b0, b1: (T.Select(a1 >= b1, a0, b0), T.max(a1, b1)), [-1, T.float32(0.0)]), "reduce_scope", 0):
            A[0] = 5
        with T.attr(0, "outer", 1):
            T.attr("k", "inner", 2)
            A[0] = 6
            A[1] = 7
        assert n > 0, "n must be positive"
        assert n > 0, ("ValueError", ["a", "b"])
        return n

    @T.prim_func(s_tir=True)
    def threads(A: T.Buffer((64,), "float32"), n: T.int32):
        bx = T.launch_thread("blockIdx.x", 4)
        tx = T.launch_thread("threadIdx.x", 16)
        S = T.alloc_shared((16,), "float32")
        L = T.alloc_local((4, 4))
        with T.attr({"pragma": 1}):
            S[tx] = A[bx * 16 + tx]
        L[0, 0] = S[tx]
        A[bx * 16 + tx] = L[0, 0]

    @T.prim_func(s_tir=True)
    def launches(A: T.Buffer((64,), "float32"), n: T.int32):
        with T.launch_thread("blockIdx.x", 4) as bx:
            tx = T.launch_thread("threadIdx.x", n)
            A[bx * 16 + tx] = T.float32(0.0)
        with T.launch_thread("blockIdx.x", 4) as bx:
            with T.launch_thread("threadIdx.x", 16) as tx:
                A[bx * 16 + tx] = T.float32(0.0)
            A[bx] = T.float32(1.0)

    # Both ends of a range hold what binds a variable.
    @T.prim_func(s_tir=True)
    def bindings_in_ranges(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), n: T.int32):
        q = T.int32()
        r = T.int32()
        s = T.int32()
        t = T.int32()
        v = T.int32()
        w = T.int32()
        B[T.Ramp(T.Let(q * q, where={q: n % 7}), 1, 4)] = T.Broadcast(1, 4)
        B[T.Ramp(T.Let(n * s, where={s: A[n]}) % 5, 2, 4)] = A[T.Ramp(T.Let(r * r, where={r: A[n]}) % 5, 1, 4)]
        B[T.Let(t + t, where={t: n % 7}):T.Let(t + t, where={t: n % 7}) + 4] = T.Broadcast(1, 4)
        for i in range(T.Let(v * v, where={v: n % 7}), T.Let(v * v, where={v: n % 7}) + 4):
            B[i] = 1
        for i in T.serial(T.Let(w * 3, where={w: n % 7}), T.Let(w * 3, where={w: n % 7}) + n):
            B[i] = 1
