@T.prim_func(s_tir=True)
def main(a_buffer: T.Buffer((4096,), "float32"), out: T.Buffer((4096,), "float32"), n: T.int32, m: T.int32, k: T.int32):
    T.func_attr({"tirx.noalias": True})
    for o, t in T.grid(77, 10):
        if o * 10 + t < 768:
            out[o * 10 + t] = T.if_then_else(1 <= (o * 10 + t) // 32 and (o * 10 + t) // 32 < 23 and 1 <= (o * 10 + t) % 32 and (o * 10 + t) % 32 < 31, a_buffer[(o * 10 + t) // 32 * 30 + (o * 10 + t) % 32 - 31], T.float32(0.0))
