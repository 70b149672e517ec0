# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def conv_bn_relu(x: T.Buffer((T.int64(1), T.int64(2), T.int64(6), T.int64(6)), "float32"), weight: T.Buffer((T.int64(3), T.int64(2), T.int64(3), T.int64(3)), "float32"), scale: T.Buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)), "float32"), shift: T.Buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)), "float32"), weights: T.Buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)), "float32"), c0: T.Buffer((), "float32"), lv11_red_intermediate: T.Buffer((), "float32"), compute_intermediate_1_2_3_4: T.Buffer((T.int64(1), T.int64(2), T.int64(6), T.int64(6)), "float32"), conv2d_cnhw_intermediate: T.Buffer((T.int64(3), T.int64(2), T.int64(3), T.int64(3)), "float32"), lv9_adjoint_red_intermediate_1: T.Buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)), "float32"), lv9_adjoint_red_intermediate: T.Buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)), "float32"), T_multiply_intermediate_1_2_3_4: T.Buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        pad_temp = T.sblock_alloc_buffer((T.int64(1), T.int64(2), T.int64(6), T.int64(6)))
        conv2d_nchw_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        lv_red = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_divide_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_subtract_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        T_multiply_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        lv_red_1 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_divide_intermediate_1 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_add_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        compute_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_divide_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        T_multiply_intermediate_1 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        T_add_intermediate_1 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        compute_intermediate_1 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        T_multiply_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        T_full_intermediate = T.sblock_alloc_buffer(())
        T_broadcast_to_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        T_multiply_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        T_less_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)), "bool")
        T_where_intermediate = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        T_multiply_intermediate_1_2_3_4_5 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        T_multiply_intermediate_1_2_3_4_5_6 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        compute_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        T_multiply_intermediate_1_2_3_4_5_6_7 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        T_divide_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        T_divide_intermediate_1_2_3_4 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        lv9_adjoint_red_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_divide_intermediate_1_2_3_4_5 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_divide_intermediate_1_2_3_4_5_6 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_broadcast_to_intermediate_1 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8_9 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        T_add_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        T_add_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        compute_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        lv9_adjoint_red_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_divide_intermediate_1_2_3_4_5_6_7 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(1)))
        T_broadcast_to_intermediate_1_2 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        T_add_intermediate_1_2_3_4 = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        data_dilate = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(4), T.int64(4)))
        data_pad = T.sblock_alloc_buffer((T.int64(1), T.int64(3), T.int64(8), T.int64(8)))
        kernel_transform = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(3), T.int64(3)))
        pad_temp_1 = T.sblock_alloc_buffer((T.int64(1), T.int64(2), T.int64(6), T.int64(6)))
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(2), T.int64(6), T.int64(6)):
            with T.sblock("pad_temp"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(x[v_i0, v_i1, v_i2, v_i3])
                T.writes(pad_temp[v_i0, v_i1, v_i2, v_i3])
                pad_temp[v_i0, v_i1, v_i2, v_i3] = x[v_i0, v_i1, v_i2, v_i3]
        for nn, ff, yy, xx, rc, ry, rx in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4), T.int64(2), T.int64(3), T.int64(3)):
            with T.sblock("conv2d_nchw"):
                v_nn, v_ff, v_yy, v_xx, v_rc, v_ry, v_rx = T.axis.remap("SSSSRRR", [nn, ff, yy, xx, rc, ry, rx])
                T.reads(pad_temp[v_nn, v_rc, v_yy + v_ry, v_xx + v_rx], weight[v_ff, v_rc, v_ry, v_rx])
                T.writes(conv2d_nchw_intermediate[v_nn, v_ff, v_yy, v_xx])
                with T.init():
                    conv2d_nchw_intermediate[v_nn, v_ff, v_yy, v_xx] = T.float32(0.0)
                conv2d_nchw_intermediate[v_nn, v_ff, v_yy, v_xx] = conv2d_nchw_intermediate[v_nn, v_ff, v_yy, v_xx] + pad_temp[v_nn, v_rc, v_yy + v_ry, v_xx + v_rx] * weight[v_ff, v_rc, v_ry, v_rx]
        for ax0, ax1, ax2, ax3, k0, k2, k3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1), T.int64(1), T.int64(4), T.int64(4)):
            with T.sblock("lv_red"):
                v_ax0, v_ax1, v_ax2, v_ax3, v_k0, v_k2, v_k3 = T.axis.remap("SSSSRRR", [ax0, ax1, ax2, ax3, k0, k2, k3])
                T.reads(conv2d_nchw_intermediate[v_k0, v_ax1, v_k2, v_k3])
                T.writes(lv_red[v_ax0, v_ax1, v_ax2, v_ax3])
                with T.init():
                    lv_red[v_ax0, v_ax1, v_ax2, v_ax3] = T.float32(0.0)
                lv_red[v_ax0, v_ax1, v_ax2, v_ax3] = lv_red[v_ax0, v_ax1, v_ax2, v_ax3] + conv2d_nchw_intermediate[v_k0, v_ax1, v_k2, v_k3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1)):
            with T.sblock("T_divide"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(lv_red[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_divide_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_divide_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = lv_red[v_ax0, v_ax1, v_ax2, v_ax3] / T.float32(16.0)
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_subtract"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(conv2d_nchw_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], T_divide_intermediate[v_ax0, v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = conv2d_nchw_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] - T_divide_intermediate[v_ax0, v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_multiply"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] * T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3, k0, k2, k3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1), T.int64(1), T.int64(4), T.int64(4)):
            with T.sblock("lv_red1"):
                v_ax0, v_ax1, v_ax2, v_ax3, v_k0, v_k2, v_k3 = T.axis.remap("SSSSRRR", [ax0, ax1, ax2, ax3, k0, k2, k3])
                T.reads(T_multiply_intermediate[v_k0, v_ax1, v_k2, v_k3])
                T.writes(lv_red_1[v_ax0, v_ax1, v_ax2, v_ax3])
                with T.init():
                    lv_red_1[v_ax0, v_ax1, v_ax2, v_ax3] = T.float32(0.0)
                lv_red_1[v_ax0, v_ax1, v_ax2, v_ax3] = lv_red_1[v_ax0, v_ax1, v_ax2, v_ax3] + T_multiply_intermediate[v_k0, v_ax1, v_k2, v_k3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1)):
            with T.sblock("T_divide1"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(lv_red_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_divide_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T_divide_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] = lv_red_1[v_ax0, v_ax1, v_ax2, v_ax3] / T.float32(16.0)
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
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_divide2"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], compute_intermediate[v_ax0, v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_divide_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3])
                T_divide_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3] = T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] / compute_intermediate[v_ax0, v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_multiply1"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_divide_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3], scale[v_ax0, v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] = T_divide_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3] * scale[v_ax0, v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_add1"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3], shift[v_ax0, v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_add_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T_add_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] = T_multiply_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] + shift[v_ax0, v_ax1, T.int64(0), T.int64(0)]
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("compute1"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(T_add_intermediate_1[v_i0, v_i1, v_i2, v_i3])
                T.writes(compute_intermediate_1[v_i0, v_i1, v_i2, v_i3])
                compute_intermediate_1[v_i0, v_i1, v_i2, v_i3] = T.max(T_add_intermediate_1[v_i0, v_i1, v_i2, v_i3], T.float32(0.0))
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_multiply2"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(compute_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3], weights[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3] = compute_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] * weights[v_ax0, v_ax1, v_ax2, v_ax3]
        for k0, k1, k2, k3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("lv11_red"):
                v_k0, v_k1, v_k2, v_k3 = T.axis.remap("RRRR", [k0, k1, k2, k3])
                T.reads(T_multiply_intermediate_1_2[v_k0, v_k1, v_k2, v_k3])
                T.writes(lv11_red_intermediate[()])
                with T.init():
                    lv11_red_intermediate[()] = T.float32(0.0)
                lv11_red_intermediate[()] = lv11_red_intermediate[()] + T_multiply_intermediate_1_2[v_k0, v_k1, v_k2, v_k3]
        with T.sblock("T_full"):
            vi = T.axis.spatial(T.int64(1), T.int64(0))
            T.reads()
            T.writes(T_full_intermediate[()])
            T_full_intermediate[()] = T.float32(1.0)
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_broadcast_to"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_full_intermediate[()])
                T.writes(T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T_full_intermediate[()]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_multiply3"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], weights[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3] = T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] * weights[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_multiply4"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], compute_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply_intermediate_1_2_3_4[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1_2_3_4[v_ax0, v_ax1, v_ax2, v_ax3] = T_broadcast_to_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] * compute_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_less"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_add_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_less_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_less_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T_add_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] < T.float32(0.0)
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_where"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_less_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], c0[()], T_multiply_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_where_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T_where_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T.Select(T.int64(0) < T.Cast("int64", T_less_intermediate[v_ax0, v_ax1, v_ax2, v_ax3]), c0[()], T_multiply_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3])
        for ax0, ax1, ax2, ax3, k2, k3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1), T.int64(4), T.int64(4)):
            with T.sblock("lv9_adjoint_red"):
                v_ax0, v_ax1, v_ax2, v_ax3, v_k2, v_k3 = T.axis.remap("SSSSRR", [ax0, ax1, ax2, ax3, k2, k3])
                T.reads(T_where_intermediate[v_ax0, v_ax1, v_k2, v_k3])
                T.writes(lv9_adjoint_red_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                with T.init():
                    lv9_adjoint_red_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = T.float32(0.0)
                lv9_adjoint_red_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] = lv9_adjoint_red_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] + T_where_intermediate[v_ax0, v_ax1, v_k2, v_k3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_multiply5"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_where_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], scale[v_ax0, v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_multiply_intermediate_1_2_3_4_5[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1_2_3_4_5[v_ax0, v_ax1, v_ax2, v_ax3] = T_where_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] * scale[v_ax0, v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_multiply6"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_where_intermediate[v_ax0, v_ax1, v_ax2, v_ax3], T_divide_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1_2_3_4_5_6[v_ax0, v_ax1, v_ax2, v_ax3] = T_where_intermediate[v_ax0, v_ax1, v_ax2, v_ax3] * T_divide_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3, k2, k3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1), T.int64(4), T.int64(4)):
            with T.sblock("lv9_adjoint_red1"):
                v_ax0, v_ax1, v_ax2, v_ax3, v_k2, v_k3 = T.axis.remap("SSSSRR", [ax0, ax1, ax2, ax3, k2, k3])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6[v_ax0, v_ax1, v_k2, v_k3])
                T.writes(lv9_adjoint_red_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3])
                with T.init():
                    lv9_adjoint_red_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] = T.float32(0.0)
                lv9_adjoint_red_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] = lv9_adjoint_red_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] + T_multiply_intermediate_1_2_3_4_5_6[v_ax0, v_ax1, v_k2, v_k3]
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("compute2"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(T_multiply_intermediate_1_2_3_4_5[v_i0, v_i1, v_i2, v_i3])
                T.writes(compute_intermediate_1_2[v_i0, v_i1, v_i2, v_i3])
                compute_intermediate_1_2[v_i0, v_i1, v_i2, v_i3] = T_multiply_intermediate_1_2_3_4_5[v_i0, v_i1, v_i2, v_i3] * T.float32(-1.0)
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_multiply7"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(compute_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3], T_divide_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1, v_ax2, v_ax3] = compute_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3] * T_divide_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_divide3"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_multiply_intermediate_1_2_3_4_5[v_ax0, v_ax1, v_ax2, v_ax3], compute_intermediate[v_ax0, v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_divide_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3])
                T_divide_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3] = T_multiply_intermediate_1_2_3_4_5[v_ax0, v_ax1, v_ax2, v_ax3] / compute_intermediate[v_ax0, v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_divide4"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_multiply_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1, v_ax2, v_ax3], compute_intermediate[v_ax0, v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_divide_intermediate_1_2_3_4[v_ax0, v_ax1, v_ax2, v_ax3])
                T_divide_intermediate_1_2_3_4[v_ax0, v_ax1, v_ax2, v_ax3] = T_multiply_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1, v_ax2, v_ax3] / compute_intermediate[v_ax0, v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3, k2, k3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1), T.int64(4), T.int64(4)):
            with T.sblock("lv9_adjoint_red2"):
                v_ax0, v_ax1, v_ax2, v_ax3, v_k2, v_k3 = T.axis.remap("SSSSRR", [ax0, ax1, ax2, ax3, k2, k3])
                T.reads(T_divide_intermediate_1_2_3_4[v_ax0, v_ax1, v_k2, v_k3])
                T.writes(lv9_adjoint_red_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3])
                with T.init():
                    lv9_adjoint_red_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3] = T.float32(0.0)
                lv9_adjoint_red_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3] = lv9_adjoint_red_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3] + T_divide_intermediate_1_2_3_4[v_ax0, v_ax1, v_k2, v_k3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1)):
            with T.sblock("T_multiply8"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(lv9_adjoint_red_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1_2_3_4_5_6_7_8[v_ax0, v_ax1, v_ax2, v_ax3] = T.float32(0.5) * lv9_adjoint_red_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3]
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
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_broadcast_to1"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_divide_intermediate_1_2_3_4_5_6[v_ax0, v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_broadcast_to_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3])
                T_broadcast_to_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] = T_divide_intermediate_1_2_3_4_5_6[v_ax0, v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_multiply9"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_broadcast_to_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3], T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1, v_ax2, v_ax3] = T_broadcast_to_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] * T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_add2"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_divide_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3], T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_add_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3])
                T_add_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3] = T_divide_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3] + T_multiply_intermediate_1_2_3_4_5_6_7_8_9[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_multiply10"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_broadcast_to_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3], T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10[v_ax0, v_ax1, v_ax2, v_ax3])
                T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10[v_ax0, v_ax1, v_ax2, v_ax3] = T_broadcast_to_intermediate_1[v_ax0, v_ax1, v_ax2, v_ax3] * T_subtract_intermediate[v_ax0, v_ax1, v_ax2, v_ax3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_add3"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_add_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3], T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_add_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3])
                T_add_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3] = T_add_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3] + T_multiply_intermediate_1_2_3_4_5_6_7_8_9_10[v_ax0, v_ax1, v_ax2, v_ax3]
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("compute3"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(T_add_intermediate_1_2_3[v_i0, v_i1, v_i2, v_i3])
                T.writes(compute_intermediate_1_2_3[v_i0, v_i1, v_i2, v_i3])
                compute_intermediate_1_2_3[v_i0, v_i1, v_i2, v_i3] = T_add_intermediate_1_2_3[v_i0, v_i1, v_i2, v_i3] * T.float32(-1.0)
        for ax0, ax1, ax2, ax3, k2, k3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1), T.int64(4), T.int64(4)):
            with T.sblock("lv9_adjoint_red3"):
                v_ax0, v_ax1, v_ax2, v_ax3, v_k2, v_k3 = T.axis.remap("SSSSRR", [ax0, ax1, ax2, ax3, k2, k3])
                T.reads(compute_intermediate_1_2_3[v_ax0, v_ax1, v_k2, v_k3])
                T.writes(lv9_adjoint_red_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3])
                with T.init():
                    lv9_adjoint_red_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3] = T.float32(0.0)
                lv9_adjoint_red_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3] = lv9_adjoint_red_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3] + compute_intermediate_1_2_3[v_ax0, v_ax1, v_k2, v_k3]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(1)):
            with T.sblock("T_divide7"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(lv9_adjoint_red_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_divide_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1, v_ax2, v_ax3])
                T_divide_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1, v_ax2, v_ax3] = lv9_adjoint_red_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3] / T.float32(16.0)
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_broadcast_to2"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_divide_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1, T.int64(0), T.int64(0)])
                T.writes(T_broadcast_to_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3])
                T_broadcast_to_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3] = T_divide_intermediate_1_2_3_4_5_6_7[v_ax0, v_ax1, T.int64(0), T.int64(0)]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("T_add4"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_add_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3], T_broadcast_to_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(T_add_intermediate_1_2_3_4[v_ax0, v_ax1, v_ax2, v_ax3])
                T_add_intermediate_1_2_3_4[v_ax0, v_ax1, v_ax2, v_ax3] = T_add_intermediate_1_2_3[v_ax0, v_ax1, v_ax2, v_ax3] + T_broadcast_to_intermediate_1_2[v_ax0, v_ax1, v_ax2, v_ax3]
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(3), T.int64(4), T.int64(4)):
            with T.sblock("data_dilate"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(T_add_intermediate_1_2_3_4[v_i0, v_i1, v_i2, v_i3])
                T.writes(data_dilate[v_i0, v_i1, v_i2, v_i3])
                data_dilate[v_i0, v_i1, v_i2, v_i3] = T_add_intermediate_1_2_3_4[v_i0, v_i1, v_i2, v_i3]
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(3), T.int64(8), T.int64(8)):
            with T.sblock("data_pad"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(data_dilate[v_i0, v_i1, v_i2 - T.int64(2), v_i3 - T.int64(2)])
                T.writes(data_pad[v_i0, v_i1, v_i2, v_i3])
                data_pad[v_i0, v_i1, v_i2, v_i3] = T.if_then_else(T.int64(2) <= v_i2 and v_i2 < T.int64(6) and T.int64(2) <= v_i3 and v_i3 < T.int64(6), data_dilate[v_i0, v_i1, v_i2 - T.int64(2), v_i3 - T.int64(2)], T.float32(0.0))
        for o, i, h, w in T.grid(T.int64(2), T.int64(3), T.int64(3), T.int64(3)):
            with T.sblock("kernel_transform"):
                v_o, v_i, v_h, v_w = T.axis.remap("SSSS", [o, i, h, w])
                T.reads(weight[v_i, v_o, T.int64(2) - v_h, T.int64(2) - v_w])
                T.writes(kernel_transform[v_o, v_i, v_h, v_w])
                kernel_transform[v_o, v_i, v_h, v_w] = weight[v_i, v_o, T.int64(2) - v_h, T.int64(2) - v_w]
        for b, c, h, w, dc, dh, dw in T.grid(T.int64(1), T.int64(2), T.int64(6), T.int64(6), T.int64(3), T.int64(3), T.int64(3)):
            with T.sblock("compute4"):
                v_b, v_c, v_h, v_w, v_dc, v_dh, v_dw = T.axis.remap("SSSSRRR", [b, c, h, w, dc, dh, dw])
                T.reads(data_pad[v_b, v_dc, v_h + v_dh, v_w + v_dw], kernel_transform[v_c, v_dc, v_dh, v_dw])
                T.writes(compute_intermediate_1_2_3_4[v_b, v_c, v_h, v_w])
                with T.init():
                    compute_intermediate_1_2_3_4[v_b, v_c, v_h, v_w] = T.float32(0.0)
                compute_intermediate_1_2_3_4[v_b, v_c, v_h, v_w] = compute_intermediate_1_2_3_4[v_b, v_c, v_h, v_w] + data_pad[v_b, v_dc, v_h + v_dh, v_w + v_dw] * kernel_transform[v_c, v_dc, v_dh, v_dw]
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(2), T.int64(6), T.int64(6)):
            with T.sblock("pad_temp1"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(x[v_i0, v_i1, v_i2, v_i3])
                T.writes(pad_temp_1[v_i0, v_i1, v_i2, v_i3])
                pad_temp_1[v_i0, v_i1, v_i2, v_i3] = x[v_i0, v_i1, v_i2, v_i3]
        for ff, nn, yy, xx, rc, ry, rx in T.grid(T.int64(3), T.int64(2), T.int64(3), T.int64(3), T.int64(1), T.int64(4), T.int64(4)):
            with T.sblock("conv2d_cnhw"):
                v_ff, v_nn, v_yy, v_xx, v_rc, v_ry, v_rx = T.axis.remap("SSSSRRR", [ff, nn, yy, xx, rc, ry, rx])
                T.reads(pad_temp_1[v_rc, v_nn, v_yy + v_ry, v_xx + v_rx], T_add_intermediate_1_2_3_4[v_rc, v_ff, v_ry, v_rx])
                T.writes(conv2d_cnhw_intermediate[v_ff, v_nn, v_yy, v_xx])
                with T.init():
                    conv2d_cnhw_intermediate[v_ff, v_nn, v_yy, v_xx] = T.float32(0.0)
                conv2d_cnhw_intermediate[v_ff, v_nn, v_yy, v_xx] = conv2d_cnhw_intermediate[v_ff, v_nn, v_yy, v_xx] + pad_temp_1[v_rc, v_nn, v_yy + v_ry, v_xx + v_rx] * T_add_intermediate_1_2_3_4[v_rc, v_ff, v_ry, v_rx]
