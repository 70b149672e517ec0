@T.prim_func(s_tir=True)
def main(a_buffer: T.Buffer((4096,), "float32"), out: T.Buffer((4096,), "float32"), n: T.int32, m: T.int32, k: T.int32):
    T.func_attr({"tirx.noalias": True})
    for o, t in T.grid((k * n * m + 63) // 64, 64):
        if o * 64 + t < k * n * m:
            out[o * 64 + t] = a_buffer[(o * 64 + t) % (n * m) * k + (o * 64 + t) // (n * m)]
