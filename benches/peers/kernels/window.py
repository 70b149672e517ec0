@T.prim_func(s_tir=True)
def main(a_buffer: T.Buffer((4096,), "float32"), out: T.Buffer((4096,), "float32"), n: T.int32, m: T.int32, k: T.int32):
    T.func_attr({"tirx.noalias": True})
    for p, q, i in T.grid(30, 16, 7):
        out[p * 112 + q * 7 + i] = a_buffer[(p // 6 * 4 + q // 4) * 168 + (p % 6 * 4 + q % 4) * 7 + i]
