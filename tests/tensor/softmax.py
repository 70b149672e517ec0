# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def softmax(x: T.Buffer((T.int64(3), T.int64(5)), "float32"), weights: T.Buffer((T.int64(3), T.int64(5)), "float32"), lv1_red_intermediate: T.Buffer((), "float32"), T_multiply_intermediate_1_2_3_4: T.Buffer((T.int64(3), T.int64(5)), "float32"), T_multiply_intermediate_1_2: T.Buffer((T.int64(3), T.int64(5)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_softmax_maxelem = T.sblock_alloc_buffer((T.int64(3),))
        T_softmax_exp = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        T_softmax_expsum = T.sblock_alloc_buffer((T.int64(3),))
        T_softmax_norm_intermediate = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        T_multiply_intermediate = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        T_full_intermediate = T.sblock_alloc_buffer(())
        T_broadcast_to_intermediate = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        T_multiply_intermediate_1 = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        T_multiply_intermediate_1_2_3 = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        lv_red_intermediate = T.sblock_alloc_buffer((T.int64(3), T.int64(1)))
        T_subtract_intermediate = T.sblock_alloc_buffer((T.int64(3), T.int64(5)))
        for i0, k in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_softmax_maxelem"):
                v_i0, v_k = T.axis.remap("SR", [i0, k])
                T.reads(x[v_i0, v_k])
                T.writes(T_softmax_maxelem[v_i0])
                with T.init():
                    T_softmax_maxelem[v_i0] = T.float32(-340282346638528859811704183484516925440.0)
                T_softmax_maxelem[v_i0] = T.max(T_softmax_maxelem[v_i0], x[v_i0, v_k])
        for i0, i1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_softmax_exp"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1], T_softmax_maxelem[v_i0])
                T.writes(T_softmax_exp[v_i0, v_i1])
                T_softmax_exp[v_i0, v_i1] = T.exp(x[v_i0, v_i1] - T_softmax_maxelem[v_i0])
        for i0, k in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_softmax_expsum"):
                v_i0, v_k = T.axis.remap("SR", [i0, k])
                T.reads(T_softmax_exp[v_i0, v_k])
                T.writes(T_softmax_expsum[v_i0])
                with T.init():
                    T_softmax_expsum[v_i0] = T.float32(0.0)
                T_softmax_expsum[v_i0] = T_softmax_expsum[v_i0] + T_softmax_exp[v_i0, v_k]
        for i0, i1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_softmax_norm"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_softmax_exp[v_i0, v_i1], T_softmax_expsum[v_i0])
                T.writes(T_softmax_norm_intermediate[v_i0, v_i1])
                T.sblock_attr({"axis": 1})
                T_softmax_norm_intermediate[v_i0, v_i1] = T_softmax_exp[v_i0, v_i1] / T_softmax_expsum[v_i0]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_multiply"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_softmax_norm_intermediate[v_ax0, v_ax1], weights[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate[v_ax0, v_ax1])
                T_multiply_intermediate[v_ax0, v_ax1] = T_softmax_norm_intermediate[v_ax0, v_ax1] * weights[v_ax0, v_ax1]
        for k0, k1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("lv1_red"):
                v_k0, v_k1 = T.axis.remap("RR", [k0, k1])
                T.reads(T_multiply_intermediate[v_k0, v_k1])
                T.writes(lv1_red_intermediate[()])
                with T.init():
                    lv1_red_intermediate[()] = T.float32(0.0)
                lv1_red_intermediate[()] = lv1_red_intermediate[()] + T_multiply_intermediate[v_k0, v_k1]
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
            with T.sblock("T_multiply1"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_broadcast_to_intermediate[v_ax0, v_ax1], weights[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1[v_ax0, v_ax1])
                T_multiply_intermediate_1[v_ax0, v_ax1] = T_broadcast_to_intermediate[v_ax0, v_ax1] * weights[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_multiply2"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_broadcast_to_intermediate[v_ax0, v_ax1], T_softmax_norm_intermediate[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2[v_ax0, v_ax1])
                T_multiply_intermediate_1_2[v_ax0, v_ax1] = T_broadcast_to_intermediate[v_ax0, v_ax1] * T_softmax_norm_intermediate[v_ax0, v_ax1]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_multiply3"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1[v_ax0, v_ax1], T_softmax_norm_intermediate[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3[v_ax0, v_ax1] = T_multiply_intermediate_1[v_ax0, v_ax1] * T_softmax_norm_intermediate[v_ax0, v_ax1]
        for ax0, ax1, k1 in T.grid(T.int64(3), T.int64(1), T.int64(5)):
            with T.sblock("lv_red"):
                v_ax0, v_ax1, v_k1 = T.axis.remap("SSR", [ax0, ax1, k1])
                T.reads(T_multiply_intermediate_1_2_3[v_ax0, v_k1])
                T.writes(lv_red_intermediate[v_ax0, v_ax1])
                with T.init():
                    lv_red_intermediate[v_ax0, v_ax1] = T.float32(0.0)
                lv_red_intermediate[v_ax0, v_ax1] = lv_red_intermediate[v_ax0, v_ax1] + T_multiply_intermediate_1_2_3[v_ax0, v_k1]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_subtract"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_multiply_intermediate_1[v_ax0, v_ax1], lv_red_intermediate[v_ax0, T.int64(0)])
                T.writes(T_subtract_intermediate[v_ax0, v_ax1])
                T_subtract_intermediate[v_ax0, v_ax1] = T_multiply_intermediate_1[v_ax0, v_ax1] - lv_red_intermediate[v_ax0, T.int64(0)]
        for ax0, ax1 in T.grid(T.int64(3), T.int64(5)):
            with T.sblock("T_multiply4"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_subtract_intermediate[v_ax0, v_ax1], T_softmax_norm_intermediate[v_ax0, v_ax1])
                T.writes(T_multiply_intermediate_1_2_3_4[v_ax0, v_ax1])
                T_multiply_intermediate_1_2_3_4[v_ax0, v_ax1] = T_subtract_intermediate[v_ax0, v_ax1] * T_softmax_norm_intermediate[v_ax0, v_ax1]
