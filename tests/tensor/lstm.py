# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def lstm(x: T.Buffer((T.int64(2), T.int64(3)), "float32"), h: T.Buffer((T.int64(2), T.int64(3)), "float32"), c: T.Buffer((T.int64(2), T.int64(3)), "float32"), wx: T.Buffer((T.int64(3), T.int64(12)), "float32"), wh: T.Buffer((T.int64(3), T.int64(12)), "float32"), b: T.Buffer((T.int64(12),), "float32"), weights: T.Buffer((T.int64(2), T.int64(3)), "float32"), lv18_red_intermediate: T.Buffer((), "float32"), matmul_intermediate_1_2_3_4: T.Buffer((T.int64(2), T.int64(3)), "float32"), matmul_intermediate_1_2: T.Buffer((T.int64(2), T.int64(3)), "float32"), T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15: T.Buffer((T.int64(2), T.int64(3)), "float32"), matmul_intermediate_1_2_3_4_5: T.Buffer((T.int64(3), T.int64(12)), "float32"), matmul_intermediate_1_2_3: T.Buffer((T.int64(3), T.int64(12)), "float32"), lv3_adjoint_red_intermediate: T.Buffer((T.int64(12),), "float32"), T_multiply_intermediate_1_2_3_4_5: T.Buffer((T.int64(2), T.int64(3)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        matmul_intermediate = T.sblock_alloc_buffer((T.int64(2), T.int64(12)))
        matmul_intermediate_1 = T.sblock_alloc_buffer((T.int64(2), T.int64(12)))
        T_add_intermediate = T.sblock_alloc_buffer((T.int64(2), T.int64(12)))
        T_add_intermediate_1 = T.sblock_alloc_buffer((T.int64(2), T.int64(12)))
        T_split_sections_intermediate = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_split_sections_intermediate_1 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_split_sections_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_split_sections_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        compute_intermediate = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        compute_intermediate_1 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        compute_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_multiply_intermediate = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        compute_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_multiply_intermediate_1 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_add_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        compute_intermediate_1_2_3_4 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_multiply_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_multiply_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_full_intermediate = T.sblock_alloc_buffer(())
        T_broadcast_to_intermediate = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_multiply_intermediate_1_2_3_4 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_multiply_intermediate_1_2_3_4_5_6 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_multiply_intermediate_1_2_3_4_5_6_7 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_subtract_intermediate = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8_9 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_subtract_intermediate_1 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_subtract_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_subtract_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18_19 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18_19_20 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_subtract_intermediate_1_2_3_4 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18_19_20_21 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_full_intermediate_1 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_full_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_full_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_add_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_add_intermediate_1_2_3_4 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_add_intermediate_1_2_3_4_5 = T.sblock_alloc_buffer((T.int64(2), T.int64(3)))
        T_concat_intermediate = T.sblock_alloc_buffer((T.int64(2), T.int64(12)))
        T_transpose_intermediate = T.sblock_alloc_buffer((T.int64(12), T.int64(3)))
        T_transpose_intermediate_1 = T.sblock_alloc_buffer((T.int64(3), T.int64(2)))
        T_transpose_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(12), T.int64(3)))
        T_transpose_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(3), T.int64(2)))
        for i0, i1, k in T.grid(T.int64(2), T.int64(12), T.int64(3)):
            with T.sblock("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(x[v_i0, v_k], wx[v_k, v_i1])
                T.writes(matmul_intermediate[v_i0, v_i1])
                with T.init():
                    matmul_intermediate[v_i0, v_i1] = T.float32(0.0)
                matmul_intermediate[v_i0, v_i1] = matmul_intermediate[v_i0, v_i1] + x[v_i0, v_k] * wx[v_k, v_i1]
        for i0, i1, k in T.grid(T.int64(2), T.int64(12), T.int64(3)):
            with T.sblock("matmul1"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(h[v_i0, v_k], wh[v_k, v_i1])
                T.writes(matmul_intermediate_1[v_i0, v_i1])
                with T.init():
                    matmul_intermediate_1[v_i0, v_i1] = T.float32(0.0)
                matmul_intermediate_1[v_i0, v_i1] = matmul_intermediate_1[v_i0, v_i1] + h[v_i0, v_k] * wh[v_k, v_i1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(12)):
            with T.sblock("T_add"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(matmul_intermediate[v_ax0, v_ax1], matmul_intermediate_1[v_ax0, v_ax1])
                T.writes(T_add_intermediate[v_ax0, v_ax1])
                T_add_intermediate[v_ax0, v_ax1] = matmul_intermediate[v_ax0, v_ax1] + matmul_intermediate_1[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(12)):
            with T.sblock("T_add1"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_add_intermediate[v_ax0, v_ax1], b[v_ax1])
                T.writes(T_add_intermediate_1[v_ax0, v_ax1])
                T_add_intermediate_1[v_ax0, v_ax1] = T_add_intermediate[v_ax0, v_ax1] + b[v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_split_sections"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_add_intermediate_1[v_ax0, v_ax1])
                T.writes(T_split_sections_intermediate[v_ax0, v_ax1])
                T_split_sections_intermediate[v_ax0, v_ax1] = T_add_intermediate_1[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_split_sections_1"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_add_intermediate_1[v_ax0, v_ax1 + T.int64(3)])
                T.writes(T_split_sections_intermediate_1[v_ax0, v_ax1])
                T_split_sections_intermediate_1[v_ax0, v_ax1] = T_add_intermediate_1[v_ax0, v_ax1 + T.int64(3)]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_split_sections_2"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_add_intermediate_1[v_ax0, v_ax1 + T.int64(6)])
                T.writes(T_split_sections_intermediate_1_2[v_ax0, v_ax1])
                T_split_sections_intermediate_1_2[v_ax0, v_ax1] = T_add_intermediate_1[v_ax0, v_ax1 + T.int64(6)]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_split_sections_3"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_add_intermediate_1[v_ax0, v_ax1 + T.int64(9)])
                T.writes(T_split_sections_intermediate_1_2_3[v_ax0, v_ax1])
                T_split_sections_intermediate_1_2_3[v_ax0, v_ax1] = T_add_intermediate_1[v_ax0, v_ax1 + T.int64(9)]
        for i0, i1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_split_sections_intermediate[v_i0, v_i1])
                T.writes(compute_intermediate[v_i0, v_i1])
                compute_intermediate[v_i0, v_i1] = T.sigmoid(T_split_sections_intermediate[v_i0, v_i1])
        for i0, i1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("compute1"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_split_sections_intermediate_1[v_i0, v_i1])
                T.writes(compute_intermediate_1[v_i0, v_i1])
                compute_intermediate_1[v_i0, v_i1] = T.sigmoid(T_split_sections_intermediate_1[v_i0, v_i1])
        for i0, i1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("compute2"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_split_sections_intermediate_1_2_3[v_i0, v_i1])
                T.writes(compute_intermediate_1_2[v_i0, v_i1])
                compute_intermediate_1_2[v_i0, v_i1] = T.sigmoid(T_split_sections_intermediate_1_2_3[v_i0, v_i1])
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(compute_intermediate_1[v_ax0, v_ax1], c[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate[v_ax0, v_ax1])
                T_multiply_intermediate[v_ax0, v_ax1] = compute_intermediate_1[v_ax0, v_ax1] * c[v_ax0, v_ax1]
        for i0, i1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("compute3"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_split_sections_intermediate_1_2[v_i0, v_i1])
                T.writes(compute_intermediate_1_2_3[v_i0, v_i1])
                compute_intermediate_1_2_3[v_i0, v_i1] = T.tanh(T_split_sections_intermediate_1_2[v_i0, v_i1])
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply1"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(compute_intermediate[v_ax0, v_ax1], compute_intermediate_1_2_3[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1[v_ax0, v_ax1])
                T_multiply_intermediate_1[v_ax0, v_ax1] = compute_intermediate[v_ax0, v_ax1] * compute_intermediate_1_2_3[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_add2"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate[v_ax0, v_ax1], T_multiply_intermediate_1[v_ax0, v_ax1])
                T.writes(T_add_intermediate_1_2[v_ax0, v_ax1])
                T_add_intermediate_1_2[v_ax0, v_ax1] = T_multiply_intermediate[v_ax0, v_ax1] + T_multiply_intermediate_1[v_ax0, v_ax1]
        for i0, i1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("compute4"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_add_intermediate_1_2[v_i0, v_i1])
                T.writes(compute_intermediate_1_2_3_4[v_i0, v_i1])
                compute_intermediate_1_2_3_4[v_i0, v_i1] = T.tanh(T_add_intermediate_1_2[v_i0, v_i1])
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply2"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(compute_intermediate_1_2[v_ax0, v_ax1], compute_intermediate_1_2_3_4[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2[v_ax0, v_ax1])
                T_multiply_intermediate_1_2[v_ax0, v_ax1] = compute_intermediate_1_2[v_ax0, v_ax1] * compute_intermediate_1_2_3_4[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply3"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2[v_ax0, v_ax1], weights[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3[v_ax0, v_ax1] = T_multiply_intermediate_1_2[v_ax0, v_ax1] * weights[v_ax0, v_ax1]
        for k0, k1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("lv18_red"):
                v_k0, v_k1 = T.axis.remap("RR", [k0, k1])
                T.reads(T_multiply_intermediate_1_2_3[v_k0, v_k1])
                T.writes(lv18_red_intermediate[()])
                with T.init():
                    lv18_red_intermediate[()] = T.float32(0.0)
                lv18_red_intermediate[()] = lv18_red_intermediate[()] + T_multiply_intermediate_1_2_3[v_k0, v_k1]
        with T.sblock("T_full"):
            vi = T.axis.spatial(T.int64(1), T.int64(0))
            T.reads()
            T.writes(T_full_intermediate[()])
            T_full_intermediate[()] = T.float32(1.0)
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_broadcast_to"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_full_intermediate[()])
                T.writes(T_broadcast_to_intermediate[v_ax0, v_ax1])
                T_broadcast_to_intermediate[v_ax0, v_ax1] = T_full_intermediate[()]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply4"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_broadcast_to_intermediate[v_ax0, v_ax1], weights[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4[v_ax0, v_ax1] = T_broadcast_to_intermediate[v_ax0, v_ax1] * weights[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply5"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_broadcast_to_intermediate[v_ax0, v_ax1], T_multiply_intermediate_1_2[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5[v_ax0, v_ax1] = T_broadcast_to_intermediate[v_ax0, v_ax1] * T_multiply_intermediate_1_2[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply6"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3_4[v_ax0, v_ax1], compute_intermediate_1_2_3_4[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6[v_ax0, v_ax1] = T_multiply_intermediate_1_2_3_4[v_ax0, v_ax1] * compute_intermediate_1_2_3_4[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply7"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3_4[v_ax0, v_ax1], compute_intermediate_1_2[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1] = T_multiply_intermediate_1_2_3_4[v_ax0, v_ax1] * compute_intermediate_1_2[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply8"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(compute_intermediate_1_2_3_4[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6_7_8[v_ax0, v_ax1] = compute_intermediate_1_2_3_4[v_ax0, v_ax1] * compute_intermediate_1_2_3_4[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_subtract"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6_7_8[v_ax0, v_ax1])
                T.writes(T_subtract_intermediate[v_ax0, v_ax1])
                T_subtract_intermediate[v_ax0, v_ax1] = T.float32(1.0) - T_multiply_intermediate_1_2_3_4_5_6_7_8[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply9"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1], T_subtract_intermediate[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1] = T_multiply_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1] * T_subtract_intermediate[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply10"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1], compute_intermediate_1_2_3[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10[v_ax0, v_ax1] = T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1] * compute_intermediate_1_2_3[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply11"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1], compute_intermediate[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11[v_ax0, v_ax1] = T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1] * compute_intermediate[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply12"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(compute_intermediate_1_2_3[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12[v_ax0, v_ax1] = compute_intermediate_1_2_3[v_ax0, v_ax1] * compute_intermediate_1_2_3[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_subtract1"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12[v_ax0, v_ax1])
                T.writes(T_subtract_intermediate_1[v_ax0, v_ax1])
                T_subtract_intermediate_1[v_ax0, v_ax1] = T.float32(1.0) - T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply13"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11[v_ax0, v_ax1], T_subtract_intermediate_1[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13[v_ax0, v_ax1] = T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11[v_ax0, v_ax1] * T_subtract_intermediate_1[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply14"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1], c[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14[v_ax0, v_ax1] = T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1] * c[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply15"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1], compute_intermediate_1[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15[v_ax0, v_ax1] = T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1] * compute_intermediate_1[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply16"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6[v_ax0, v_ax1], compute_intermediate_1_2[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16[v_ax0, v_ax1] = T_multiply_intermediate_1_2_3_4_5_6[v_ax0, v_ax1] * compute_intermediate_1_2[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_subtract2"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(compute_intermediate_1_2[v_ax0, v_ax1])
                T.writes(T_subtract_intermediate_1_2[v_ax0, v_ax1])
                T_subtract_intermediate_1_2[v_ax0, v_ax1] = T.float32(1.0) - compute_intermediate_1_2[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply17"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16[v_ax0, v_ax1], T_subtract_intermediate_1_2[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17[v_ax0, v_ax1] = T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16[v_ax0, v_ax1] * T_subtract_intermediate_1_2[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply18"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14[v_ax0, v_ax1], compute_intermediate_1[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18[v_ax0, v_ax1] = T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14[v_ax0, v_ax1] * compute_intermediate_1[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_subtract3"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(compute_intermediate_1[v_ax0, v_ax1])
                T.writes(T_subtract_intermediate_1_2_3[v_ax0, v_ax1])
                T_subtract_intermediate_1_2_3[v_ax0, v_ax1] = T.float32(1.0) - compute_intermediate_1[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply19"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18[v_ax0, v_ax1], T_subtract_intermediate_1_2_3[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18_19[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18_19[v_ax0, v_ax1] = T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18[v_ax0, v_ax1] * T_subtract_intermediate_1_2_3[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply20"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10[v_ax0, v_ax1], compute_intermediate[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18_19_20[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18_19_20[v_ax0, v_ax1] = T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10[v_ax0, v_ax1] * compute_intermediate[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_subtract4"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(compute_intermediate[v_ax0, v_ax1])
                T.writes(T_subtract_intermediate_1_2_3_4[v_ax0, v_ax1])
                T_subtract_intermediate_1_2_3_4[v_ax0, v_ax1] = T.float32(1.0) - compute_intermediate[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply21"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18_19_20[v_ax0, v_ax1], T_subtract_intermediate_1_2_3_4[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18_19_20_21[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18_19_20_21[v_ax0, v_ax1] = T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18_19_20[v_ax0, v_ax1] * T_subtract_intermediate_1_2_3_4[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_full1"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads()
                T.writes(T_full_intermediate_1[v_ax0, v_ax1])
                T_full_intermediate_1[v_ax0, v_ax1] = T.float32(0.0)
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_full2"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads()
                T.writes(T_full_intermediate_1_2[v_ax0, v_ax1])
                T_full_intermediate_1_2[v_ax0, v_ax1] = T.float32(0.0)
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_full3"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads()
                T.writes(T_full_intermediate_1_2_3[v_ax0, v_ax1])
                T_full_intermediate_1_2_3[v_ax0, v_ax1] = T.float32(0.0)
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_add3"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_full_intermediate_1_2_3[v_ax0, v_ax1], T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13[v_ax0, v_ax1])
                T.writes(T_add_intermediate_1_2_3[v_ax0, v_ax1])
                T_add_intermediate_1_2_3[v_ax0, v_ax1] = T_full_intermediate_1_2_3[v_ax0, v_ax1] + T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_add4"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_full_intermediate_1_2[v_ax0, v_ax1], T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18_19[v_ax0, v_ax1])
                T.writes(T_add_intermediate_1_2_3_4[v_ax0, v_ax1])
                T_add_intermediate_1_2_3_4[v_ax0, v_ax1] = T_full_intermediate_1_2[v_ax0, v_ax1] + T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18_19[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_add5"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_full_intermediate_1[v_ax0, v_ax1], T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18_19_20_21[v_ax0, v_ax1])
                T.writes(T_add_intermediate_1_2_3_4_5[v_ax0, v_ax1])
                T_add_intermediate_1_2_3_4_5[v_ax0, v_ax1] = T_full_intermediate_1[v_ax0, v_ax1] + T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18_19_20_21[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(12)):
            with T.sblock("T_concat"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17[v_ax0, v_ax1 - T.int64(9)], T_add_intermediate_1_2_3[v_ax0, v_ax1 - T.int64(6)], T_add_intermediate_1_2_3_4[v_ax0, v_ax1 - T.int64(3)], T_add_intermediate_1_2_3_4_5[v_ax0, v_ax1])
                T.writes(T_concat_intermediate[v_ax0, v_ax1])
                T_concat_intermediate[v_ax0, v_ax1] = T.if_then_else(T.int64(9) <= v_ax1, T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17[v_ax0, v_ax1 - T.int64(9)], T.if_then_else(T.int64(6) <= v_ax1, T_add_intermediate_1_2_3[v_ax0, v_ax1 - T.int64(6)], T.if_then_else(T.int64(3) <= v_ax1, T_add_intermediate_1_2_3_4[v_ax0, v_ax1 - T.int64(3)], T_add_intermediate_1_2_3_4_5[v_ax0, v_ax1])))
        for ax0, k0 in T.grid(T.int64(12), T.int64(2)):
            with T.sblock("lv3_adjoint_red"):
                v_ax0, v_k0 = T.axis.remap("SR", [ax0, k0])
                T.reads(T_concat_intermediate[v_k0, v_ax0])
                T.writes(lv3_adjoint_red_intermediate[v_ax0])
                with T.init():
                    lv3_adjoint_red_intermediate[v_ax0] = T.float32(0.0)
                lv3_adjoint_red_intermediate[v_ax0] = lv3_adjoint_red_intermediate[v_ax0] + T_concat_intermediate[v_k0, v_ax0]
        for ax0, ax1 in T.grid(T.int64(12), T.int64(3)):
            with T.sblock("T_transpose"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(wh[v_ax1, v_ax0])
                T.writes(T_transpose_intermediate[v_ax0, v_ax1])
                T_transpose_intermediate[v_ax0, v_ax1] = wh[v_ax1, v_ax0]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(2)):
            with T.sblock("T_transpose1"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(h[v_ax1, v_ax0])
                T.writes(T_transpose_intermediate_1[v_ax0, v_ax1])
                T_transpose_intermediate_1[v_ax0, v_ax1] = h[v_ax1, v_ax0]
        for i0, i1, k in T.grid(T.int64(2), T.int64(3), T.int64(12)):
            with T.sblock("matmul2"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(T_concat_intermediate[v_i0, v_k], T_transpose_intermediate[v_k, v_i1])
                T.writes(matmul_intermediate_1_2[v_i0, v_i1])
                with T.init():
                    matmul_intermediate_1_2[v_i0, v_i1] = T.float32(0.0)
                matmul_intermediate_1_2[v_i0, v_i1] = matmul_intermediate_1_2[v_i0, v_i1] + T_concat_intermediate[v_i0, v_k] * T_transpose_intermediate[v_k, v_i1]
        for i0, i1, k in T.grid(T.int64(3), T.int64(12), T.int64(2)):
            with T.sblock("matmul3"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(T_transpose_intermediate_1[v_i0, v_k], T_concat_intermediate[v_k, v_i1])
                T.writes(matmul_intermediate_1_2_3[v_i0, v_i1])
                with T.init():
                    matmul_intermediate_1_2_3[v_i0, v_i1] = T.float32(0.0)
                matmul_intermediate_1_2_3[v_i0, v_i1] = matmul_intermediate_1_2_3[v_i0, v_i1] + T_transpose_intermediate_1[v_i0, v_k] * T_concat_intermediate[v_k, v_i1]
        for ax0, ax1 in T.grid(T.int64(12), T.int64(3)):
            with T.sblock("T_transpose2"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(wx[v_ax1, v_ax0])
                T.writes(T_transpose_intermediate_1_2[v_ax0, v_ax1])
                T_transpose_intermediate_1_2[v_ax0, v_ax1] = wx[v_ax1, v_ax0]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(2)):
            with T.sblock("T_transpose3"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(x[v_ax1, v_ax0])
                T.writes(T_transpose_intermediate_1_2_3[v_ax0, v_ax1])
                T_transpose_intermediate_1_2_3[v_ax0, v_ax1] = x[v_ax1, v_ax0]
        for i0, i1, k in T.grid(T.int64(2), T.int64(3), T.int64(12)):
            with T.sblock("matmul4"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(T_concat_intermediate[v_i0, v_k], T_transpose_intermediate_1_2[v_k, v_i1])
                T.writes(matmul_intermediate_1_2_3_4[v_i0, v_i1])
                with T.init():
                    matmul_intermediate_1_2_3_4[v_i0, v_i1] = T.float32(0.0)
                matmul_intermediate_1_2_3_4[v_i0, v_i1] = matmul_intermediate_1_2_3_4[v_i0, v_i1] + T_concat_intermediate[v_i0, v_k] * T_transpose_intermediate_1_2[v_k, v_i1]
        for i0, i1, k in T.grid(T.int64(3), T.int64(12), T.int64(2)):
            with T.sblock("matmul5"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(T_transpose_intermediate_1_2_3[v_i0, v_k], T_concat_intermediate[v_k, v_i1])
                T.writes(matmul_intermediate_1_2_3_4_5[v_i0, v_i1])
                with T.init():
                    matmul_intermediate_1_2_3_4_5[v_i0, v_i1] = T.float32(0.0)
                matmul_intermediate_1_2_3_4_5[v_i0, v_i1] = matmul_intermediate_1_2_3_4_5[v_i0, v_i1] + T_transpose_intermediate_1_2_3[v_i0, v_k] * T_concat_intermediate[v_k, v_i1]
