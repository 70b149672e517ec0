# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def layer_norm(x: T.Buffer((T.int64(3), T.int64(5)), "float32"), scale: T.Buffer((T.int64(5),), "float32"), shift: T.Buffer((T.int64(5),), "float32"), weights: T.Buffer((T.int64(3), T.int64(5)), "float32"), lv9_red_intermediate: T.Buffer((), "float32"), T_add_intermediate_1_2_3_4: T.Buffer((T.int64(3), T.int64(5)), "float32"), lv8_adjoint_red_intermediate_1: T.Buffer((T.int64(5),), "float32"), lv8_adjoint_red_intermediate: T.Buffer((T.int64(5),), "float32"), T_multiply_intermediate_1_2_3_4: T.Buffer((T.int64(3), T.int64(5)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        x_red = T.sblock_alloc_buffer((T.int64(3), T.int64(1)))
        T_divide_intermediate = T.sblock_alloc_buffer((T.int64(3), T.int64(1)))
        T_subtract_intermediate = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        T_multiply_intermediate = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        x_red_1 = T.sblock_alloc_buffer((T.int64(3), T.int64(1)))
        T_divide_intermediate_1 = T.sblock_alloc_buffer((T.int64(3), T.int64(1)))
        T_add_intermediate = T.sblock_alloc_buffer((T.int64(3), T.int64(1)))
        compute_intermediate = T.sblock_alloc_buffer((T.int64(3), T.int64(1)))
        T_divide_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        T_multiply_intermediate_1 = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        T_add_intermediate_1 = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        T_multiply_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        T_full_intermediate = T.sblock_alloc_buffer(())
        T_broadcast_to_intermediate = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        T_multiply_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        T_multiply_intermediate_1_2_3_4_5 = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        T_multiply_intermediate_1_2_3_4_5_6 = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        compute_intermediate_1 = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        T_multiply_intermediate_1_2_3_4_5_6_7 = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        T_divide_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        T_divide_intermediate_1_2_3_4 = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        lv3_red_intermediate = T.sblock_alloc_buffer((T.int64(3), T.int64(1)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8 = T.sblock_alloc_buffer((T.int64(3), T.int64(1)))
        T_divide_intermediate_1_2_3_4_5 = T.sblock_alloc_buffer((T.int64(3), T.int64(1)))
        T_divide_intermediate_1_2_3_4_5_6 = T.sblock_alloc_buffer((T.int64(3), T.int64(1)))
        T_broadcast_to_intermediate_1 = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8_9 = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        T_add_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10 = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        T_add_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        compute_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        lv3_red_intermediate_1 = T.sblock_alloc_buffer((T.int64(3), T.int64(1)))
        T_divide_intermediate_1_2_3_4_5_6_7 = T.sblock_alloc_buffer((T.int64(3), T.int64(1)))
        T_broadcast_to_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        for ax0, ax1, k1 in T.grid(T.int64(3), T.int64(1), T.int64(5)):
            with T.sblock("x_red"):
                v_ax0, v_ax1, v_k1 = T.axis.remap("SSR", [ax0, ax1, k1])
                T.reads(x[v_ax0, v_k1])
                T.writes(x_red[v_ax0, v_ax1])
                with T.init():
                    x_red[v_ax0, v_ax1] = T.float32(0.0)
                x_red[v_ax0, v_ax1] = x_red[v_ax0, v_ax1] + x[v_ax0, v_k1]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(1)):
            with T.sblock("T_divide"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(x_red[v_ax0, v_ax1])
                T.writes(T_divide_intermediate[v_ax0, v_ax1])
                T_divide_intermediate[v_ax0, v_ax1] = x_red[v_ax0, v_ax1] / T.float32(5.0)
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_subtract"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(x[v_ax0, v_ax1], T_divide_intermediate[v_ax0, T.int64(0)])
                T.writes(T_subtract_intermediate[v_ax0, v_ax1])
                T_subtract_intermediate[v_ax0, v_ax1] = x[v_ax0, v_ax1] - T_divide_intermediate[v_ax0, T.int64(0)]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_multiply"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_subtract_intermediate[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate[v_ax0, v_ax1])
                T_multiply_intermediate[v_ax0, v_ax1] = T_subtract_intermediate[v_ax0, v_ax1] * T_subtract_intermediate[v_ax0, v_ax1]
        for ax0, ax1, k1 in T.grid(T.int64(3), T.int64(1), T.int64(5)):
            with T.sblock("x_red1"):
                v_ax0, v_ax1, v_k1 = T.axis.remap("SSR", [ax0, ax1, k1])
                T.reads(T_multiply_intermediate[v_ax0, v_k1])
                T.writes(x_red_1[v_ax0, v_ax1])
                with T.init():
                    x_red_1[v_ax0, v_ax1] = T.float32(0.0)
                x_red_1[v_ax0, v_ax1] = x_red_1[v_ax0, v_ax1] + T_multiply_intermediate[v_ax0, v_k1]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(1)):
            with T.sblock("T_divide1"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(x_red_1[v_ax0, v_ax1])
                T.writes(T_divide_intermediate_1[v_ax0, v_ax1])
                T_divide_intermediate_1[v_ax0, v_ax1] = x_red_1[v_ax0, v_ax1] / T.float32(5.0)
        for ax0, ax1 in T.grid(T.int64(3), T.int64(1)):
            with T.sblock("T_add"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_divide_intermediate_1[v_ax0, v_ax1])
                T.writes(T_add_intermediate[v_ax0, v_ax1])
                T_add_intermediate[v_ax0, v_ax1] = T_divide_intermediate_1[v_ax0, v_ax1] + T.float32(9.9999997473787516e-06)
        for i0, i1 in T.grid(T.int64(3), T.int64(1)):
            with T.sblock("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_add_intermediate[v_i0, v_i1])
                T.writes(compute_intermediate[v_i0, v_i1])
                compute_intermediate[v_i0, v_i1] = T.sqrt(T_add_intermediate[v_i0, v_i1])
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_divide2"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_subtract_intermediate[v_ax0, v_ax1], compute_intermediate[v_ax0, T.int64(0)])
                T.writes(T_divide_intermediate_1_2[v_ax0, v_ax1])
                T_divide_intermediate_1_2[v_ax0, v_ax1] = T_subtract_intermediate[v_ax0, v_ax1] / compute_intermediate[v_ax0, T.int64(0)]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_multiply1"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_divide_intermediate_1_2[v_ax0, v_ax1], scale[v_ax1])
                T.writes(T_multiply_intermediate_1[v_ax0, v_ax1])
                T_multiply_intermediate_1[v_ax0, v_ax1] = T_divide_intermediate_1_2[v_ax0, v_ax1] * scale[v_ax1]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_add1"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1[v_ax0, v_ax1], shift[v_ax1])
                T.writes(T_add_intermediate_1[v_ax0, v_ax1])
                T_add_intermediate_1[v_ax0, v_ax1] = T_multiply_intermediate_1[v_ax0, v_ax1] + shift[v_ax1]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_multiply2"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_add_intermediate_1[v_ax0, v_ax1], weights[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2[v_ax0, v_ax1])
                T_multiply_intermediate_1_2[v_ax0, v_ax1] = T_add_intermediate_1[v_ax0, v_ax1] * weights[v_ax0, v_ax1]
        for k0, k1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("lv9_red"):
                v_k0, v_k1 = T.axis.remap("RR", [k0, k1])
                T.reads(T_multiply_intermediate_1_2[v_k0, v_k1])
                T.writes(lv9_red_intermediate[()])
                with T.init():
                    lv9_red_intermediate[()] = T.float32(0.0)
                lv9_red_intermediate[()] = lv9_red_intermediate[()] + T_multiply_intermediate_1_2[v_k0, v_k1]
        with T.sblock("T_full"):
            vi = T.axis.spatial(T.int64(1), T.int64(0))
            T.reads()
            T.writes(T_full_intermediate[()])
            T_full_intermediate[()] = T.float32(1.0)
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_broadcast_to"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_full_intermediate[()])
                T.writes(T_broadcast_to_intermediate[v_ax0, v_ax1])
                T_broadcast_to_intermediate[v_ax0, v_ax1] = T_full_intermediate[()]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_multiply3"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_broadcast_to_intermediate[v_ax0, v_ax1], weights[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3[v_ax0, v_ax1] = T_broadcast_to_intermediate[v_ax0, v_ax1] * weights[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_multiply4"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_broadcast_to_intermediate[v_ax0, v_ax1], T_add_intermediate_1[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4[v_ax0, v_ax1] = T_broadcast_to_intermediate[v_ax0, v_ax1] * T_add_intermediate_1[v_ax0, v_ax1]
        for ax0, k0 in T.grid(T.int64(5), T.int64(3)):
            with T.sblock("lv8_adjoint_red"):
                v_ax0, v_k0 = T.axis.remap("SR", [ax0, k0])
                T.reads(T_multiply_intermediate_1_2_3[v_k0, v_ax0])
                T.writes(lv8_adjoint_red_intermediate[v_ax0])
                with T.init():
                    lv8_adjoint_red_intermediate[v_ax0] = T.float32(0.0)
                lv8_adjoint_red_intermediate[v_ax0] = lv8_adjoint_red_intermediate[v_ax0] + T_multiply_intermediate_1_2_3[v_k0, v_ax0]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_multiply5"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3[v_ax0, v_ax1], scale[v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5[v_ax0, v_ax1] = T_multiply_intermediate_1_2_3[v_ax0, v_ax1] * scale[v_ax1]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_multiply6"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3[v_ax0, v_ax1], T_divide_intermediate_1_2[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6[v_ax0, v_ax1] = T_multiply_intermediate_1_2_3[v_ax0, v_ax1] * T_divide_intermediate_1_2[v_ax0, v_ax1]
        for ax0, k0 in T.grid(T.int64(5), T.int64(3)):
            with T.sblock("lv8_adjoint_red1"):
                v_ax0, v_k0 = T.axis.remap("SR", [ax0, k0])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6[v_k0, v_ax0])
                T.writes(lv8_adjoint_red_intermediate_1[v_ax0])
                with T.init():
                    lv8_adjoint_red_intermediate_1[v_ax0] = T.float32(0.0)
                lv8_adjoint_red_intermediate_1[v_ax0] = lv8_adjoint_red_intermediate_1[v_ax0] + T_multiply_intermediate_1_2_3_4_5_6[v_k0, v_ax0]
        for i0, i1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("compute1"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_multiply_intermediate_1_2_3_4_5[v_i0, v_i1])
                T.writes(compute_intermediate_1[v_i0, v_i1])
                compute_intermediate_1[v_i0, v_i1] = T_multiply_intermediate_1_2_3_4_5[v_i0, v_i1] * T.float32(-1.0)
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_multiply7"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(compute_intermediate_1[v_ax0, v_ax1], T_divide_intermediate_1_2[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1] = compute_intermediate_1[v_ax0, v_ax1] * T_divide_intermediate_1_2[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_divide3"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3_4_5[v_ax0, v_ax1], compute_intermediate[v_ax0, T.int64(0)])
                T.writes(T_divide_intermediate_1_2_3[v_ax0, v_ax1])
                T_divide_intermediate_1_2_3[v_ax0, v_ax1] = T_multiply_intermediate_1_2_3_4_5[v_ax0, v_ax1] / compute_intermediate[v_ax0, T.int64(0)]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_divide4"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1], compute_intermediate[v_ax0, T.int64(0)])
                T.writes(T_divide_intermediate_1_2_3_4[v_ax0, v_ax1])
                T_divide_intermediate_1_2_3_4[v_ax0, v_ax1] = T_multiply_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1] / compute_intermediate[v_ax0, T.int64(0)]
        for ax0, ax1, k1 in T.grid(T.int64(3), T.int64(1), T.int64(5)):
            with T.sblock("lv3_red"):
                v_ax0, v_ax1, v_k1 = T.axis.remap("SSR", [ax0, ax1, k1])
                T.reads(T_divide_intermediate_1_2_3_4[v_ax0, v_k1])
                T.writes(lv3_red_intermediate[v_ax0, v_ax1])
                with T.init():
                    lv3_red_intermediate[v_ax0, v_ax1] = T.float32(0.0)
                lv3_red_intermediate[v_ax0, v_ax1] = lv3_red_intermediate[v_ax0, v_ax1] + T_divide_intermediate_1_2_3_4[v_ax0, v_k1]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(1)):
            with T.sblock("T_multiply8"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(lv3_red_intermediate[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6_7_8[v_ax0, v_ax1] = T.float32(0.5) * lv3_red_intermediate[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(1)):
            with T.sblock("T_divide5"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6_7_8[v_ax0, v_ax1], compute_intermediate[v_ax0, v_ax1])
                T.writes(T_divide_intermediate_1_2_3_4_5[v_ax0, v_ax1])
                T_divide_intermediate_1_2_3_4_5[v_ax0, v_ax1] = T_multiply_intermediate_1_2_3_4_5_6_7_8[v_ax0, v_ax1] / compute_intermediate[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(1)):
            with T.sblock("T_divide6"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_divide_intermediate_1_2_3_4_5[v_ax0, v_ax1])
                T.writes(T_divide_intermediate_1_2_3_4_5_6[v_ax0, v_ax1])
                T_divide_intermediate_1_2_3_4_5_6[v_ax0, v_ax1] = T_divide_intermediate_1_2_3_4_5[v_ax0, v_ax1] / T.float32(5.0)
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_broadcast_to1"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_divide_intermediate_1_2_3_4_5_6[v_ax0, T.int64(0)])
                T.writes(T_broadcast_to_intermediate_1[v_ax0, v_ax1])
                T_broadcast_to_intermediate_1[v_ax0, v_ax1] = T_divide_intermediate_1_2_3_4_5_6[v_ax0, T.int64(0)]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_multiply9"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_broadcast_to_intermediate_1[v_ax0, v_ax1], T_subtract_intermediate[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1] = T_broadcast_to_intermediate_1[v_ax0, v_ax1] * T_subtract_intermediate[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_add2"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_divide_intermediate_1_2_3[v_ax0, v_ax1], T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1])
                T.writes(T_add_intermediate_1_2[v_ax0, v_ax1])
                T_add_intermediate_1_2[v_ax0, v_ax1] = T_divide_intermediate_1_2_3[v_ax0, v_ax1] + T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_multiply10"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_broadcast_to_intermediate_1[v_ax0, v_ax1], T_subtract_intermediate[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10[v_ax0, v_ax1] = T_broadcast_to_intermediate_1[v_ax0, v_ax1] * T_subtract_intermediate[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_add3"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_add_intermediate_1_2[v_ax0, v_ax1], T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10[v_ax0, v_ax1])
                T.writes(T_add_intermediate_1_2_3[v_ax0, v_ax1])
                T_add_intermediate_1_2_3[v_ax0, v_ax1] = T_add_intermediate_1_2[v_ax0, v_ax1] + T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10[v_ax0, v_ax1]
        for i0, i1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("compute2"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_add_intermediate_1_2_3[v_i0, v_i1])
                T.writes(compute_intermediate_1_2[v_i0, v_i1])
                compute_intermediate_1_2[v_i0, v_i1] = T_add_intermediate_1_2_3[v_i0, v_i1] * T.float32(-1.0)
        for ax0, ax1, k1 in T.grid(T.int64(3), T.int64(1), T.int64(5)):
            with T.sblock("lv3_red1"):
                v_ax0, v_ax1, v_k1 = T.axis.remap("SSR", [ax0, ax1, k1])
                T.reads(compute_intermediate_1_2[v_ax0, v_k1])
                T.writes(lv3_red_intermediate_1[v_ax0, v_ax1])
                with T.init():
                    lv3_red_intermediate_1[v_ax0, v_ax1] = T.float32(0.0)
                lv3_red_intermediate_1[v_ax0, v_ax1] = lv3_red_intermediate_1[v_ax0, v_ax1] + compute_intermediate_1_2[v_ax0, v_k1]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(1)):
            with T.sblock("T_divide7"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(lv3_red_intermediate_1[v_ax0, v_ax1])
                T.writes(T_divide_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1])
                T_divide_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1] = lv3_red_intermediate_1[v_ax0, v_ax1] / T.float32(5.0)
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_broadcast_to2"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_divide_intermediate_1_2_3_4_5_6_7[v_ax0, T.int64(0)])
                T.writes(T_broadcast_to_intermediate_1_2[v_ax0, v_ax1])
                T_broadcast_to_intermediate_1_2[v_ax0, v_ax1] = T_divide_intermediate_1_2_3_4_5_6_7[v_ax0, T.int64(0)]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_add4"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_add_intermediate_1_2_3[v_ax0, v_ax1], T_broadcast_to_intermediate_1_2[v_ax0, v_ax1])
                T.writes(T_add_intermediate_1_2_3_4[v_ax0, v_ax1])
                T_add_intermediate_1_2_3_4[v_ax0, v_ax1] = T_add_intermediate_1_2_3[v_ax0, v_ax1] + T_broadcast_to_intermediate_1_2[v_ax0, v_ax1]
