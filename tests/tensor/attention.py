# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def attention(q: T.Buffer((T.int64(2), T.int64(3), T.int64(4)), "float32"), k: T.Buffer((T.int64(2), T.int64(3), T.int64(4)), "float32"), v: T.Buffer((T.int64(2), T.int64(3), T.int64(4)), "float32"), weights: T.Buffer((T.int64(2), T.int64(3), T.int64(4)), "float32"), lv5_red_intermediate: T.Buffer((), "float32"), matmul_intermediate_1_2_3_4: T.Buffer((T.int64(2), T.int64(3), T.int64(4)), "float32"), matmul_intermediate_1_2_3_4_5: T.Buffer((T.int64(2), T.int64(3), T.int64(4)), "float32"), matmul_intermediate_1_2_3: T.Buffer((T.int64(2), T.int64(3), T.int64(4)), "float32"), T_multiply_intermediate_1_2_3: T.Buffer((T.int64(2), T.int64(3), T.int64(4)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_transpose_intermediate = T.sblock_alloc_buffer((T.int64(2), T.int64(4), T.int64(3)))
        matmul_intermediate = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(3)))
        T_multiply_intermediate = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(3)))
        T_softmax_maxelem = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_softmax_exp = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(3)))
        T_softmax_expsum = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_softmax_norm_intermediate = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(3)))
        matmul_intermediate_1 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4)))
        T_multiply_intermediate_1 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4)))
        T_full_intermediate = T.sblock_alloc_buffer(())
        T_broadcast_to_intermediate = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4)))
        T_multiply_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4)))
        T_transpose_intermediate_1 = T.sblock_alloc_buffer((T.int64(2), T.int64(4), T.int64(3)))
        T_transpose_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(3)))
        matmul_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(3)))
        T_multiply_intermediate_1_2_3_4 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(3)))
        lv2_red_intermediate = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(1)))
        T_subtract_intermediate = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(3)))
        T_multiply_intermediate_1_2_3_4_5 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(3)))
        T_multiply_intermediate_1_2_3_4_5_6 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(3)))
        T_transpose_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(3)))
        for ax0, ax1, ax2 in T.grid(T.int64(2), T.int64(4), T.int64(3)):
            with T.sblock("T_transpose"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(k[v_ax0, v_ax2, v_ax1])
                T.writes(T_transpose_intermediate[v_ax0, v_ax1, v_ax2])
                T_transpose_intermediate[v_ax0, v_ax1, v_ax2] = k[v_ax0, v_ax2, v_ax1]
        for i0, i1, i2, k_1 in T.grid(T.int64(2), T.int64(3), T.int64(3), T.int64(4)):
            with T.sblock("matmul"):
                v_i0, v_i1, v_i2, v_k = T.axis.remap("SSSR", [i0, i1, i2, k_1])
                T.reads(q[v_i0, v_i1, v_k], T_transpose_intermediate[v_i0, v_k, v_i2])
                T.writes(matmul_intermediate[v_i0, v_i1, v_i2])
                with T.init():
                    matmul_intermediate[v_i0, v_i1, v_i2] = T.float32(0.0)
                matmul_intermediate[v_i0, v_i1, v_i2] = matmul_intermediate[v_i0, v_i1, v_i2] + q[v_i0, v_i1, v_k] * T_transpose_intermediate[v_i0, v_k, v_i2]
        for ax0, ax1, ax2 in T.grid(T.int64(2), T.int64(3), T.int64(3)):
            with T.sblock("T_multiply"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(matmul_intermediate[v_ax0, v_ax1, v_ax2])
                T.writes(T_multiply_intermediate[v_ax0, v_ax1, v_ax2])
                T_multiply_intermediate[v_ax0, v_ax1, v_ax2] = matmul_intermediate[v_ax0, v_ax1, v_ax2] * T.float32(0.5)
        for i0, i1, k_1 in T.grid(T.int64(2), T.int64(3), T.int64(3)):
            with T.sblock("T_softmax_maxelem"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k_1])
                T.reads(T_multiply_intermediate[v_i0, v_i1, v_k])
                T.writes(T_softmax_maxelem[v_i0, v_i1])
                with T.init():
                    T_softmax_maxelem[v_i0, v_i1] = T.float32(-340282346638528859811704183484516925440.0)
                T_softmax_maxelem[v_i0, v_i1] = T.max(T_softmax_maxelem[v_i0, v_i1], T_multiply_intermediate[v_i0, v_i1, v_k])
        for i0, i1, i2 in T.grid(T.int64(2), T.int64(3), T.int64(3)):
            with T.sblock("T_softmax_exp"):
                v_i0, v_i1, v_i2 = T.axis.remap("SSS", [i0, i1, i2])
                T.reads(T_multiply_intermediate[v_i0, v_i1, v_i2], T_softmax_maxelem[v_i0, v_i1])
                T.writes(T_softmax_exp[v_i0, v_i1, v_i2])
                T_softmax_exp[v_i0, v_i1, v_i2] = T.exp(T_multiply_intermediate[v_i0, v_i1, v_i2] - T_softmax_maxelem[v_i0, v_i1])
        for i0, i1, k_1 in T.grid(T.int64(2), T.int64(3), T.int64(3)):
            with T.sblock("T_softmax_expsum"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k_1])
                T.reads(T_softmax_exp[v_i0, v_i1, v_k])
                T.writes(T_softmax_expsum[v_i0, v_i1])
                with T.init():
                    T_softmax_expsum[v_i0, v_i1] = T.float32(0.0)
                T_softmax_expsum[v_i0, v_i1] = T_softmax_expsum[v_i0, v_i1] + T_softmax_exp[v_i0, v_i1, v_k]
        for i0, i1, i2 in T.grid(T.int64(2), T.int64(3), T.int64(3)):
            with T.sblock("T_softmax_norm"):
                v_i0, v_i1, v_i2 = T.axis.remap("SSS", [i0, i1, i2])
                T.reads(T_softmax_exp[v_i0, v_i1, v_i2], T_softmax_expsum[v_i0, v_i1])
                T.writes(T_softmax_norm_intermediate[v_i0, v_i1, v_i2])
                T.sblock_attr({"axis": 2})
                T_softmax_norm_intermediate[v_i0, v_i1, v_i2] = T_softmax_exp[v_i0, v_i1, v_i2] / T_softmax_expsum[v_i0, v_i1]
        for i0, i1, i2, k_1 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(3)):
            with T.sblock("matmul1"):
                v_i0, v_i1, v_i2, v_k = T.axis.remap("SSSR", [i0, i1, i2, k_1])
                T.reads(T_softmax_norm_intermediate[v_i0, v_i1, v_k], v[v_i0, v_k, v_i2])
                T.writes(matmul_intermediate_1[v_i0, v_i1, v_i2])
                with T.init():
                    matmul_intermediate_1[v_i0, v_i1, v_i2] = T.float32(0.0)
                matmul_intermediate_1[v_i0, v_i1, v_i2] = matmul_intermediate_1[v_i0, v_i1, v_i2] + T_softmax_norm_intermediate[v_i0, v_i1, v_k] * v[v_i0, v_k, v_i2]
        for ax0, ax1, ax2 in T.grid(T.int64(2), T.int64(3), T.int64(4)):
            with T.sblock("T_multiply1"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(matmul_intermediate_1[v_ax0, v_ax1, v_ax2], weights[v_ax0, v_ax1, v_ax2])
                T.writes(T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2])
                T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2] = matmul_intermediate_1[v_ax0, v_ax1, v_ax2] * weights[v_ax0, v_ax1, v_ax2]
        for k0, k1, k2 in T.grid(T.int64(2), T.int64(3), T.int64(4)):
            with T.sblock("lv5_red"):
                v_k0, v_k1, v_k2 = T.axis.remap("RRR", [k0, k1, k2])
                T.reads(T_multiply_intermediate_1[v_k0, v_k1, v_k2])
                T.writes(lv5_red_intermediate[()])
                with T.init():
                    lv5_red_intermediate[()] = T.float32(0.0)
                lv5_red_intermediate[()] = lv5_red_intermediate[()] + T_multiply_intermediate_1[v_k0, v_k1, v_k2]
        with T.sblock("T_full"):
            vi = T.axis.spatial(T.int64(1), T.int64(0))
            T.reads()
            T.writes(T_full_intermediate[()])
            T_full_intermediate[()] = T.float32(1.0)
        for ax0, ax1, ax2 in T.grid(T.int64(2), T.int64(3), T.int64(4)):
            with T.sblock("T_broadcast_to"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(T_full_intermediate[()])
                T.writes(T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2])
                T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2] = T_full_intermediate[()]
        for ax0, ax1, ax2 in T.grid(T.int64(2), T.int64(3), T.int64(4)):
            with T.sblock("T_multiply2"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2], weights[v_ax0, v_ax1, v_ax2])
                T.writes(T_multiply_intermediate_1_2[v_ax0, v_ax1, v_ax2])
                T_multiply_intermediate_1_2[v_ax0, v_ax1, v_ax2] = T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2] * weights[v_ax0, v_ax1, v_ax2]
        for ax0, ax1, ax2 in T.grid(T.int64(2), T.int64(3), T.int64(4)):
            with T.sblock("T_multiply3"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2], matmul_intermediate_1[v_ax0, v_ax1, v_ax2])
                T.writes(T_multiply_intermediate_1_2_3[v_ax0, v_ax1, v_ax2])
                T_multiply_intermediate_1_2_3[v_ax0, v_ax1, v_ax2] = T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2] * matmul_intermediate_1[v_ax0, v_ax1, v_ax2]
        for ax0, ax1, ax2 in T.grid(T.int64(2), T.int64(4), T.int64(3)):
            with T.sblock("T_transpose1"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(v[v_ax0, v_ax2, v_ax1])
                T.writes(T_transpose_intermediate_1[v_ax0, v_ax1, v_ax2])
                T_transpose_intermediate_1[v_ax0, v_ax1, v_ax2] = v[v_ax0, v_ax2, v_ax1]
        for ax0, ax1, ax2 in T.grid(T.int64(2), T.int64(3), T.int64(3)):
            with T.sblock("T_transpose2"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(T_softmax_norm_intermediate[v_ax0, v_ax2, v_ax1])
                T.writes(T_transpose_intermediate_1_2[v_ax0, v_ax1, v_ax2])
                T_transpose_intermediate_1_2[v_ax0, v_ax1, v_ax2] = T_softmax_norm_intermediate[v_ax0, v_ax2, v_ax1]
        for i0, i1, i2, k_1 in T.grid(T.int64(2), T.int64(3), T.int64(3), T.int64(4)):
            with T.sblock("matmul2"):
                v_i0, v_i1, v_i2, v_k = T.axis.remap("SSSR", [i0, i1, i2, k_1])
                T.reads(T_multiply_intermediate_1_2[v_i0, v_i1, v_k], T_transpose_intermediate_1[v_i0, v_k, v_i2])
                T.writes(matmul_intermediate_1_2[v_i0, v_i1, v_i2])
                with T.init():
                    matmul_intermediate_1_2[v_i0, v_i1, v_i2] = T.float32(0.0)
                matmul_intermediate_1_2[v_i0, v_i1, v_i2] = matmul_intermediate_1_2[v_i0, v_i1, v_i2] + T_multiply_intermediate_1_2[v_i0, v_i1, v_k] * T_transpose_intermediate_1[v_i0, v_k, v_i2]
        for i0, i1, i2, k_1 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(3)):
            with T.sblock("matmul3"):
                v_i0, v_i1, v_i2, v_k = T.axis.remap("SSSR", [i0, i1, i2, k_1])
                T.reads(T_transpose_intermediate_1_2[v_i0, v_i1, v_k], T_multiply_intermediate_1_2[v_i0, v_k, v_i2])
                T.writes(matmul_intermediate_1_2_3[v_i0, v_i1, v_i2])
                with T.init():
                    matmul_intermediate_1_2_3[v_i0, v_i1, v_i2] = T.float32(0.0)
                matmul_intermediate_1_2_3[v_i0, v_i1, v_i2] = matmul_intermediate_1_2_3[v_i0, v_i1, v_i2] + T_transpose_intermediate_1_2[v_i0, v_i1, v_k] * T_multiply_intermediate_1_2[v_i0, v_k, v_i2]
        for ax0, ax1, ax2 in T.grid(T.int64(2), T.int64(3), T.int64(3)):
            with T.sblock("T_multiply4"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(matmul_intermediate_1_2[v_ax0, v_ax1, v_ax2], T_softmax_norm_intermediate[v_ax0, v_ax1, v_ax2])
                T.writes(T_multiply_intermediate_1_2_3_4[v_ax0, v_ax1, v_ax2])
                T_multiply_intermediate_1_2_3_4[v_ax0, v_ax1, v_ax2] = matmul_intermediate_1_2[v_ax0, v_ax1, v_ax2] * T_softmax_norm_intermediate[v_ax0, v_ax1, v_ax2]
        for ax0, ax1, ax2, k2 in T.grid(T.int64(2), T.int64(3), T.int64(1), T.int64(3)):
            with T.sblock("lv2_red"):
                v_ax0, v_ax1, v_ax2, v_k2 = T.axis.remap("SSSR", [ax0, ax1, ax2, k2])
                T.reads(T_multiply_intermediate_1_2_3_4[v_ax0, v_ax1, v_k2])
                T.writes(lv2_red_intermediate[v_ax0, v_ax1, v_ax2])
                with T.init():
                    lv2_red_intermediate[v_ax0, v_ax1, v_ax2] = T.float32(0.0)
                lv2_red_intermediate[v_ax0, v_ax1, v_ax2] = lv2_red_intermediate[v_ax0, v_ax1, v_ax2] + T_multiply_intermediate_1_2_3_4[v_ax0, v_ax1, v_k2]
        for ax0, ax1, ax2 in T.grid(T.int64(2), T.int64(3), T.int64(3)):
            with T.sblock("T_subtract"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(matmul_intermediate_1_2[v_ax0, v_ax1, v_ax2], lv2_red_intermediate[v_ax0, v_ax1, T.int64(0)])
                T.writes(T_subtract_intermediate[v_ax0, v_ax1, v_ax2])
                T_subtract_intermediate[v_ax0, v_ax1, v_ax2] = matmul_intermediate_1_2[v_ax0, v_ax1, v_ax2] - lv2_red_intermediate[v_ax0, v_ax1, T.int64(0)]
        for ax0, ax1, ax2 in T.grid(T.int64(2), T.int64(3), T.int64(3)):
            with T.sblock("T_multiply5"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(T_subtract_intermediate[v_ax0, v_ax1, v_ax2], T_softmax_norm_intermediate[v_ax0, v_ax1, v_ax2])
                T.writes(T_multiply_intermediate_1_2_3_4_5[v_ax0, v_ax1, v_ax2])
                T_multiply_intermediate_1_2_3_4_5[v_ax0, v_ax1, v_ax2] = T_subtract_intermediate[v_ax0, v_ax1, v_ax2] * T_softmax_norm_intermediate[v_ax0, v_ax1, v_ax2]
        for ax0, ax1, ax2 in T.grid(T.int64(2), T.int64(3), T.int64(3)):
            with T.sblock("T_multiply6"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(T_multiply_intermediate_1_2_3_4_5[v_ax0, v_ax1, v_ax2])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6[v_ax0, v_ax1, v_ax2])
                T_multiply_intermediate_1_2_3_4_5_6[v_ax0, v_ax1, v_ax2] = T_multiply_intermediate_1_2_3_4_5[v_ax0, v_ax1, v_ax2] * T.float32(0.5)
        for i0, i1, i2, k_1 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(3)):
            with T.sblock("matmul4"):
                v_i0, v_i1, v_i2, v_k = T.axis.remap("SSSR", [i0, i1, i2, k_1])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6[v_i0, v_i1, v_k], k[v_i0, v_k, v_i2])
                T.writes(matmul_intermediate_1_2_3_4[v_i0, v_i1, v_i2])
                with T.init():
                    matmul_intermediate_1_2_3_4[v_i0, v_i1, v_i2] = T.float32(0.0)
                matmul_intermediate_1_2_3_4[v_i0, v_i1, v_i2] = matmul_intermediate_1_2_3_4[v_i0, v_i1, v_i2] + T_multiply_intermediate_1_2_3_4_5_6[v_i0, v_i1, v_k] * k[v_i0, v_k, v_i2]
        for ax0, ax1, ax2 in T.grid(T.int64(2), T.int64(3), T.int64(3)):
            with T.sblock("T_transpose3"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6[v_ax0, v_ax2, v_ax1])
                T.writes(T_transpose_intermediate_1_2_3[v_ax0, v_ax1, v_ax2])
                T_transpose_intermediate_1_2_3[v_ax0, v_ax1, v_ax2] = T_multiply_intermediate_1_2_3_4_5_6[v_ax0, v_ax2, v_ax1]
        for i0, i1, i2, k_1 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(3)):
            with T.sblock("matmul5"):
                v_i0, v_i1, v_i2, v_k = T.axis.remap("SSSR", [i0, i1, i2, k_1])
                T.reads(T_transpose_intermediate_1_2_3[v_i0, v_i1, v_k], q[v_i0, v_k, v_i2])
                T.writes(matmul_intermediate_1_2_3_4_5[v_i0, v_i1, v_i2])
                with T.init():
                    matmul_intermediate_1_2_3_4_5[v_i0, v_i1, v_i2] = T.float32(0.0)
                matmul_intermediate_1_2_3_4_5[v_i0, v_i1, v_i2] = matmul_intermediate_1_2_3_4_5[v_i0, v_i1, v_i2] + T_transpose_intermediate_1_2_3[v_i0, v_i1, v_k] * q[v_i0, v_k, v_i2]
