@T.prim_func(s_tir=True)
def main(a_buffer: T.Buffer((4096,), "float32"), out: T.Buffer((4096,), "float32"), n: T.int32, m: T.int32, k: T.int32):
    T.func_attr({"tirx.noalias": True})
    for i, j, l in T.grid(n, m, k):
        out[i * m * k + j * k + l] = a_buffer[i * m * k + j * k + l]
