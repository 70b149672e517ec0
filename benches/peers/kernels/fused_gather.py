@T.prim_func(s_tir=True)
def main(a_buffer: T.Buffer((4096,), "float32"), out: T.Buffer((4096,), "float32"), n: T.int32, m: T.int32, k: T.int32):
    T.func_attr({"tirx.noalias": True})
    for f, i in T.grid(114, 7):
        if f * 7 + i < 792:
            out[f * 7 + i] = a_buffer[(f * 7 + i) // 396 * 1040 + (f * 7 + i) % 396 // 33 * 65 + (f * 7 + i) % 33 * 2]
