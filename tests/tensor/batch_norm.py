# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def batch_norm(x: T.Buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)), "float32"), scale: T.Buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)), "float32"), shift: T.Buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)), "float32"), weights: T.Buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)), "float32"), lv9_red_intermediate: T.Buffer((), "float32"), T_add_intermediate_1_2_3_4: T.Buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)), "float32"), lv8_adjoint_red_intermediate_1: T.Buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)), "float32"), lv8_adjoint_red_intermediate: T.Buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)), "float32"), T_multiply_intermediate_1_2_3_4: T.Buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        x_red = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_divide_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_subtract_intermediate = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        T_multiply_intermediate = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        x_red_1 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_divide_intermediate_1 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_add_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        compute_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_divide_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        T_multiply_intermediate_1 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        T_add_intermediate_1 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        T_multiply_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        T_full_intermediate = T.sblock_alloc_buffer(())
        T_broadcast_to_intermediate = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        T_multiply_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        T_multiply_intermediate_1_2_3_4_5 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        T_multiply_intermediate_1_2_3_4_5_6 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        compute_intermediate_1 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        T_multiply_intermediate_1_2_3_4_5_6_7 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        T_divide_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        T_divide_intermediate_1_2_3_4 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        lv8_adjoint_red_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_divide_intermediate_1_2_3_4_5 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_divide_intermediate_1_2_3_4_5_6 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_broadcast_to_intermediate_1 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8_9 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        T_add_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        T_add_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        compute_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        lv8_adjoint_red_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_divide_intermediate_1_2_3_4_5_6_7 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_broadcast_to_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(4), T.int64(2)))
        for ax0, ax1, ax2, ax3, k0, k2, k3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1), T.int64(2), T.int64(4), T.int64(2)):
            with T.sblock("x_red"):
                v_ax0, v_ax1, v_ax2, v_ax3, v_k0, v_k2, v_k3 = T.axis.remap("SSSSRRR", [ax0, ax1, ax2, ax3, k0, k2, k3])
                T.reads(x[v_k0, v_ax1, v_k2, v_k3])
                T.writes(x_red[v_ax0, v_ax1, v_ax2, v_ax3])
                with T.init():
                    x_red[v_ax0, v_ax1, v_ax2, v_ax3] = T.float32(0.0)
                x_red[v_ax0, v_ax1, v_ax2, v_ax3] = x_red[v_ax0, v_ax1, v_ax2, v_ax3] + x[v_k0, v_ax1, v_k2, v_k3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1)):
            with T.sblock("T_divide"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(x_red[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_divide_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_divide_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = x_red[v_ax0, v_ax1, v_ax2, v_ax3] / T.float32(16.0)
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_subtract"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(x[v_ax0, v_ax1, v_ax2, v_ax3], T_divide_intermediate[T.int64(0), v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = x[v_ax0, v_ax1, v_ax2, v_ax3] - T_divide_intermediate[T.int64(0), v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_multiply"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] * T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3, k0, k2, k3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1), T.int64(2), T.int64(4), T.int64(2)):
            with T.sblock("x_red1"):
                v_ax0, v_ax1, v_ax2, v_ax3, v_k0, v_k2, v_k3 = T.axis.remap("SSSSRRR", [ax0, ax1, ax2, ax3, k0, k2, k3])
                T.reads(T_multiply_intermediate[v_k0, v_ax1, v_k2, v_k3])
                T.writes(x_red_1[v_ax0, v_ax1, v_ax2, v_ax3])
                with T.init():
                    x_red_1[v_ax0, v_ax1, v_ax2, v_ax3] = T.float32(0.0)
                x_red_1[v_ax0, v_ax1, v_ax2, v_ax3] = x_red_1[v_ax0, v_ax1, v_ax2, v_ax3] + T_multiply_intermediate[v_k0, v_ax1, v_k2, v_k3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1)):
            with T.sblock("T_divide1"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(x_red_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_divide_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T_divide_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] = x_red_1[v_ax0, v_ax1, v_ax2, v_ax3] / T.float32(16.0)
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1)):
            with T.sblock("T_add"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_divide_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_add_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_add_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T_divide_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] + T.float32(9.9999997473787516e-06)
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1)):
            with T.sblock("compute"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(T_add_intermediate[v_i0, v_i1, v_i2, v_i3])
                T.writes(compute_intermediate[v_i0, v_i1, v_i2, v_i3])
                compute_intermediate[v_i0, v_i1, v_i2, v_i3] = T.sqrt(T_add_intermediate[v_i0, v_i1, v_i2, v_i3])
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_divide2"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], compute_intermediate[T.int64(0), v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_divide_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3])
                T_divide_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3] = T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] / compute_intermediate[T.int64(0), v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_multiply1"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_divide_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3], scale[T.int64(0), v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] = T_divide_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3] * scale[T.int64(0), v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_add1"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3], shift[T.int64(0), v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_add_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T_add_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] = T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] + shift[T.int64(0), v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_multiply2"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_add_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3], weights[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3] = T_add_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] * weights[v_ax0, v_ax1, v_ax2, v_ax3]
        for k0, k1, k2, k3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("lv9_red"):
                v_k0, v_k1, v_k2, v_k3 = T.axis.remap("RRRR", [k0, k1, k2, k3])
                T.reads(T_multiply_intermediate_1_2[v_k0, v_k1, v_k2, v_k3])
                T.writes(lv9_red_intermediate[()])
                with T.init():
                    lv9_red_intermediate[()] = T.float32(0.0)
                lv9_red_intermediate[()] = lv9_red_intermediate[()] + T_multiply_intermediate_1_2[v_k0, v_k1, v_k2, v_k3]
        with T.sblock("T_full"):
            vi = T.axis.spatial(T.int64(1), T.int64(0))
            T.reads()
            T.writes(T_full_intermediate[()])
            T_full_intermediate[()] = T.float32(1.0)
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_broadcast_to"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_full_intermediate[()])
                T.writes(T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T_full_intermediate[()]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_multiply3"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], weights[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3] = T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] * weights[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_multiply4"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], T_add_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply_intermediate_1_2_3_4[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1_2_3_4[v_ax0, v_ax1, v_ax2, v_ax3] = T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] * T_add_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3, k0, k2, k3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1), T.int64(2), T.int64(4), T.int64(2)):
            with T.sblock("lv8_adjoint_red"):
                v_ax0, v_ax1, v_ax2, v_ax3, v_k0, v_k2, v_k3 = T.axis.remap("SSSSRRR", [ax0, ax1, ax2, ax3, k0, k2, k3])
                T.reads(T_multiply_intermediate_1_2_3[v_k0, v_ax1, v_k2, v_k3])
                T.writes(lv8_adjoint_red_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                with T.init():
                    lv8_adjoint_red_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T.float32(0.0)
                lv8_adjoint_red_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = lv8_adjoint_red_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] + T_multiply_intermediate_1_2_3[v_k0, v_ax1, v_k2, v_k3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_multiply5"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_multiply_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3], scale[T.int64(0), v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_multiply_intermediate_1_2_3_4_5[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1_2_3_4_5[v_ax0, v_ax1, v_ax2, v_ax3] = T_multiply_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3] * scale[T.int64(0), v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_multiply6"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_multiply_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3], T_divide_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1_2_3_4_5_6[v_ax0, v_ax1, v_ax2, v_ax3] = T_multiply_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3] * T_divide_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3, k0, k2, k3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1), T.int64(2), T.int64(4), T.int64(2)):
            with T.sblock("lv8_adjoint_red1"):
                v_ax0, v_ax1, v_ax2, v_ax3, v_k0, v_k2, v_k3 = T.axis.remap("SSSSRRR", [ax0, ax1, ax2, ax3, k0, k2, k3])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6[v_k0, v_ax1, v_k2, v_k3])
                T.writes(lv8_adjoint_red_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3])
                with T.init():
                    lv8_adjoint_red_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] = T.float32(0.0)
                lv8_adjoint_red_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] = lv8_adjoint_red_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] + T_multiply_intermediate_1_2_3_4_5_6[v_k0, v_ax1, v_k2, v_k3]
        for i0, i1, i2, i3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("compute1"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(T_multiply_intermediate_1_2_3_4_5[v_i0, v_i1, v_i2, v_i3])
                T.writes(compute_intermediate_1[v_i0, v_i1, v_i2, v_i3])
                compute_intermediate_1[v_i0, v_i1, v_i2, v_i3] = T_multiply_intermediate_1_2_3_4_5[v_i0, v_i1, v_i2, v_i3] * T.float32(-1.0)
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_multiply7"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(compute_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3], T_divide_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1, v_ax2, v_ax3] = compute_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] * T_divide_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_divide3"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_multiply_intermediate_1_2_3_4_5[v_ax0, v_ax1, v_ax2, v_ax3], compute_intermediate[T.int64(0), v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_divide_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3])
                T_divide_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3] = T_multiply_intermediate_1_2_3_4_5[v_ax0, v_ax1, v_ax2, v_ax3] / compute_intermediate[T.int64(0), v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_divide4"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1, v_ax2, v_ax3], compute_intermediate[T.int64(0), v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_divide_intermediate_1_2_3_4[v_ax0, v_ax1, v_ax2, v_ax3])
                T_divide_intermediate_1_2_3_4[v_ax0, v_ax1, v_ax2, v_ax3] = T_multiply_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1, v_ax2, v_ax3] / compute_intermediate[T.int64(0), v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3, k0, k2, k3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1), T.int64(2), T.int64(4), T.int64(2)):
            with T.sblock("lv8_adjoint_red2"):
                v_ax0, v_ax1, v_ax2, v_ax3, v_k0, v_k2, v_k3 = T.axis.remap("SSSSRRR", [ax0, ax1, ax2, ax3, k0, k2, k3])
                T.reads(T_divide_intermediate_1_2_3_4[v_k0, v_ax1, v_k2, v_k3])
                T.writes(lv8_adjoint_red_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3])
                with T.init():
                    lv8_adjoint_red_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3] = T.float32(0.0)
                lv8_adjoint_red_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3] = lv8_adjoint_red_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3] + T_divide_intermediate_1_2_3_4[v_k0, v_ax1, v_k2, v_k3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1)):
            with T.sblock("T_multiply8"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(lv8_adjoint_red_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1_2_3_4_5_6_7_8[v_ax0, v_ax1, v_ax2, v_ax3] = T.float32(0.5) * lv8_adjoint_red_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1)):
            with T.sblock("T_divide5"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6_7_8[v_ax0, v_ax1, v_ax2, v_ax3], compute_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_divide_intermediate_1_2_3_4_5[v_ax0, v_ax1, v_ax2, v_ax3])
                T_divide_intermediate_1_2_3_4_5[v_ax0, v_ax1, v_ax2, v_ax3] = T_multiply_intermediate_1_2_3_4_5_6_7_8[v_ax0, v_ax1, v_ax2, v_ax3] / compute_intermediate[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1)):
            with T.sblock("T_divide6"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_divide_intermediate_1_2_3_4_5[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_divide_intermediate_1_2_3_4_5_6[v_ax0, v_ax1, v_ax2, v_ax3])
                T_divide_intermediate_1_2_3_4_5_6[v_ax0, v_ax1, v_ax2, v_ax3] = T_divide_intermediate_1_2_3_4_5[v_ax0, v_ax1, v_ax2, v_ax3] / T.float32(16.0)
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_broadcast_to1"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_divide_intermediate_1_2_3_4_5_6[T.int64(0), v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_broadcast_to_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T_broadcast_to_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] = T_divide_intermediate_1_2_3_4_5_6[T.int64(0), v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_multiply9"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_broadcast_to_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3], T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1, v_ax2, v_ax3] = T_broadcast_to_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] * T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_add2"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_divide_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3], T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_add_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3])
                T_add_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3] = T_divide_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3] + T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_multiply10"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_broadcast_to_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3], T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10[v_ax0, v_ax1, v_ax2, v_ax3] = T_broadcast_to_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] * T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_add3"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_add_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3], T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_add_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3])
                T_add_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3] = T_add_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3] + T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10[v_ax0, v_ax1, v_ax2, v_ax3]
        for i0, i1, i2, i3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("compute2"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(T_add_intermediate_1_2_3[v_i0, v_i1, v_i2, v_i3])
                T.writes(compute_intermediate_1_2[v_i0, v_i1, v_i2, v_i3])
                compute_intermediate_1_2[v_i0, v_i1, v_i2, v_i3] = T_add_intermediate_1_2_3[v_i0, v_i1, v_i2, v_i3] * T.float32(-1.0)
        for ax0, ax1, ax2, ax3, k0, k2, k3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1), T.int64(2), T.int64(4), T.int64(2)):
            with T.sblock("lv8_adjoint_red3"):
                v_ax0, v_ax1, v_ax2, v_ax3, v_k0, v_k2, v_k3 = T.axis.remap("SSSSRRR", [ax0, ax1, ax2, ax3, k0, k2, k3])
                T.reads(compute_intermediate_1_2[v_k0, v_ax1, v_k2, v_k3])
                T.writes(lv8_adjoint_red_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3])
                with T.init():
                    lv8_adjoint_red_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3] = T.float32(0.0)
                lv8_adjoint_red_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3] = lv8_adjoint_red_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3] + compute_intermediate_1_2[v_k0, v_ax1, v_k2, v_k3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1)):
            with T.sblock("T_divide7"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(lv8_adjoint_red_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_divide_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1, v_ax2, v_ax3])
                T_divide_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1, v_ax2, v_ax3] = lv8_adjoint_red_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3] / T.float32(16.0)
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_broadcast_to2"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_divide_intermediate_1_2_3_4_5_6_7[T.int64(0), v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_broadcast_to_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3])
                T_broadcast_to_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3] = T_divide_intermediate_1_2_3_4_5_6_7[T.int64(0), v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(2), T.int64(3), T.int64(4), T.int64(2)):
            with T.sblock("T_add4"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_add_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3], T_broadcast_to_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_add_intermediate_1_2_3_4[v_ax0, v_ax1, v_ax2, v_ax3])
                T_add_intermediate_1_2_3_4[v_ax0, v_ax1, v_ax2, v_ax3] = T_add_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3] + T_broadcast_to_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3]
