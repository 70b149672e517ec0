//! The intrinsics that satir knows, one row each: effect, type of the result, spelling, cost.
//!
//! Effects are TVM 0.27's (`tvm.ir.Op.get("tirx.<name>").get_attr("TCallEffectKind")`; `ceil`, `clz`,
//! `if_then_else`, `likely`, `log2` and `vscale` are registered as `prim.<name>`). TVM's `ExprAnnotation` is
//! [`Effect::Annotation`], `ControlJump` and the lazily evaluated `if_then_else` are [`Effect::Control`], and
//! what only makes sense where it stands (`EmbedInfo`, `SpecialCallArg`) is [`Effect::Opaque`]. Shifts and bit
//! operations are nodes of their own in TVM; here they are calls.
//!
//! Effects differ from TVM's where TVM's are wrong for sharing or moving:
//! - `call_llvm_pure_intrin`, `call_pure_extern` and their like are pure, but nothing is known about them: they
//!   [may trap](Intrin::may_trap), so they are not executed where the input does not;
//! - `tvm_load_matrix_sync` writes the fragment that it loads, so it changes state;
//! - `start_profile_intrinsic` and `end_profile_intrinsic` mark places, so they are opaque;
//! - `undef` is one arbitrary value for each evaluation, so it is opaque: two of them are not one.

use super::DType;

/// What a call may do besides returning a value, as in TVM's `CallEffectKind`.
///
/// ```
/// use satir::ir::intrin::{Effect, effect};
///
/// assert_eq!(effect("exp"), Effect::Pure);
/// assert_eq!(effect("likely"), Effect::Annotation);
/// assert_eq!(effect("assume"), Effect::Opaque);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// Annotates its argument and returns it (`T.likely`).
    Annotation,
    /// The result depends on the arguments only and nothing else happens. See [`Intrin::may_trap`].
    Pure,
    /// The result depends on memory or other state too.
    ReadsState,
    /// State may change.
    UpdatesState,
    /// Anything may happen.
    Opaque,
    /// Arguments are evaluated in a special way (`T.if_then_else`), or control leaves.
    Control,
}

/// The type of a call's result.
///
/// ```
/// use satir::ir::intrin::{ResultType, lookup};
///
/// let result = |name| lookup(name).map(|row| row.result);
/// assert_eq!(result("exp"), Some(ResultType::SameAs(0)));
/// assert_eq!(result("isnan"), Some(ResultType::Bool));
/// assert_eq!(result("call_extern"), Some(ResultType::SpelledFirst));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultType {
    /// That of the argument at the index.
    SameAs(usize),
    /// `bool` with as many lanes as the first argument.
    Bool,
    /// Always this one.
    Fixed(DType),
    /// Spelled as the first argument: `T.call_extern("int32", …)`. The text's first argument is not in `args`.
    SpelledFirst,
    /// Spelled as the last argument: `T.tvm_struct_get(…, "int32")`. The text's last argument is not in `args`.
    SpelledLast,
}

/// What evaluating a call costs.
///
/// ```
/// use satir::ir::intrin::{CostClass, lookup};
///
/// let cost = |name| lookup(name).map(|row| row.cost);
/// assert_eq!(cost("exp"), Some(CostClass::Transcendental));
/// assert_eq!(cost("sqrt"), Some(CostClass::FloatDiv));
/// assert_eq!(cost("likely"), Some(CostClass::Free));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CostClass {
    /// Nothing: an annotation, or what folds into its use.
    Free,
    /// A cheap arithmetic step.
    Cheap,
    /// A shift.
    Shift,
    /// A bitwise operation.
    Bitwise,
    /// A float division or square root.
    FloatDiv,
    /// An elementary function.
    Transcendental,
    /// A call of unknown cost.
    Call,
}

/// What is known of an intrinsic.
///
/// ```
/// use satir::ir::intrin::{Effect, lookup};
///
/// let shift = lookup("shift_right").expect("known");
/// assert_eq!(shift.effect, Effect::Pure);
/// assert!(shift.may_trap, "the amount may be out of range");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intrin {
    /// The name as in `T.<name>`.
    pub name: &'static str,
    /// What calling it may do.
    pub effect: Effect,
    /// The type of the result.
    pub result: ResultType,
    /// What calling it costs.
    pub cost: CostClass,
    /// For a pure one: whether some arguments make it trap or leave its result undefined (a shift amount out of
    /// range, a function that satir cannot see into). Such a call is executed only where the input executes it.
    pub may_trap: bool,
}

/// Around a load of volatile memory while a function is optimized: a call of which nothing is known. No text can name it.
pub(crate) const VOLATILE_LOAD: &str = "volatile load";

/// A float as it is, where LLVM may not look through: its loop vectorizer takes no loop with one, and no instruction is left of
/// it. In texts it is `T.call_llvm_pure_intrin(dtype, "llvm.arithmetic.fence", x)`.
pub(crate) const FENCE: &str = "llvm.arithmetic.fence";

const fn row(name: &'static str, effect: Effect, result: ResultType, cost: CostClass) -> Intrin {
    Intrin { name, effect, result, cost, may_trap: false }
}

const fn pure(name: &'static str, result: ResultType, cost: CostClass) -> Intrin {
    row(name, Effect::Pure, result, cost)
}

/// A pure one that is not total.
const fn partial(name: &'static str, result: ResultType, cost: CostClass) -> Intrin {
    Intrin { may_trap: true, ..pure(name, result, cost) }
}

const fn updates(name: &'static str, result: ResultType) -> Intrin {
    row(name, Effect::UpdatesState, result, CostClass::Call)
}

const fn reads(name: &'static str, result: ResultType) -> Intrin {
    row(name, Effect::ReadsState, result, CostClass::Call)
}

const fn opaque(name: &'static str, result: ResultType) -> Intrin {
    row(name, Effect::Opaque, result, CostClass::Call)
}

const SAME: ResultType = ResultType::SameAs(0);
const SECOND: ResultType = ResultType::SameAs(1);
const I32: ResultType = ResultType::Fixed(DType::I32);
const U32: ResultType = ResultType::Fixed(DType::uint(32));
const HANDLE: ResultType = ResultType::Fixed(DType::HANDLE);
const VOID: ResultType = ResultType::Fixed(DType::VOID);
const FIRST: ResultType = ResultType::SpelledFirst;

use CostClass::{Bitwise, Call, Cheap, FloatDiv, Free, Shift, Transcendental};

/// The table, sorted by name.
static TABLE: [Intrin; 144] = [
    updates("TVMBackendAllocWorkspace", HANDLE),
    updates("TVMBackendFreeWorkspace", I32),
    pure("acos", SAME, Transcendental),
    pure("acosh", SAME, Transcendental),
    pure("address_of", HANDLE, Free),
    reads("anylist_getitem", HANDLE),
    updates("anylist_resetitem", I32),
    updates("anylist_setitem_call_cpacked", I32),
    updates("anylist_setitem_call_packed", I32),
    pure("asin", SAME, Transcendental),
    pure("asinh", SAME, Transcendental),
    opaque("assume", ResultType::Fixed(DType::BOOL)),
    pure("atan", SAME, Transcendental),
    pure("atan2", SAME, Transcendental),
    pure("atanh", SAME, Transcendental),
    updates("atomic_add", SECOND),
    pure("bitwise_and", SAME, Bitwise),
    pure("bitwise_not", SAME, Bitwise),
    pure("bitwise_or", SAME, Bitwise),
    pure("bitwise_xor", SAME, Bitwise),
    row("break_loop", Effect::Control, VOID, Free),
    updates("call_cpacked", I32),
    updates("call_cpacked_lowered", I32),
    updates("call_extern", FIRST),
    updates("call_ffi_kernel", I32),
    opaque("call_intrin", FIRST),
    updates("call_llvm_intrin", FIRST),
    partial("call_llvm_pure_intrin", FIRST, Call),
    updates("call_packed", I32),
    updates("call_packed_lowered", I32),
    partial("call_pure_extern", FIRST, Call),
    pure("ceil", SAME, Cheap),
    // The count of leading zeros of 0 is undefined.
    partial("clz", I32, Cheap),
    row("continue_loop", Effect::Control, VOID, Free),
    updates("cooperative_tensor_fill", VOID),
    updates("cooperative_tensor_load", VOID),
    updates("cooperative_tensor_multiply_accumulate", VOID),
    updates("cooperative_tensor_store", VOID),
    pure("copysign", SAME, Cheap),
    pure("cos", SAME, Transcendental),
    pure("cosh", SAME, Transcendental),
    // The active threads are state, whatever TVM says.
    opaque("cuda.__activemask", U32),
    updates("cuda.__shfl_down_sync", SECOND),
    updates("cuda.__shfl_sync", SECOND),
    updates("cuda.__shfl_up_sync", SECOND),
    updates("cuda.__shfl_xor_sync", SECOND),
    opaque("cuda.thread_rank", I32),
    updates("dma_copy", VOID),
    updates("dma_end_group", VOID),
    updates("dma_start_group", VOID),
    updates("dma_wait", VOID),
    pure("dp4a", FIRST, Cheap),
    opaque("end_profile_intrinsic", VOID),
    pure("erf", SAME, Transcendental),
    pure("exp", SAME, Transcendental),
    pure("exp10", SAME, Transcendental),
    pure("exp2", SAME, Transcendental),
    pure("fabs", SAME, Cheap),
    opaque("filter", ResultType::Fixed(DType::BOOL)),
    pure("floor", SAME, Cheap),
    pure("fma", SAME, Cheap),
    pure("fmod", SAME, FloatDiv),
    pure("get_active_lane_mask", FIRST, Cheap),
    pure("handle_add_byte_offset", HANDLE, Cheap),
    pure("hypot", SAME, Transcendental),
    row("if_then_else", Effect::Control, SECOND, Cheap),
    row("ignore_loop_partition", Effect::Annotation, SAME, Free),
    pure("isnan", ResultType::Bool, Cheap),
    pure("isnullptr", ResultType::Bool, Cheap),
    pure("large_uint_imm", FIRST, Free),
    pure("ldexp", SAME, Cheap),
    row("likely", Effect::Annotation, SAME, Free),
    row(FENCE, Effect::Annotation, SAME, Free),
    pure("log", SAME, Transcendental),
    pure("log10", SAME, Transcendental),
    pure("log1p", SAME, Transcendental),
    pure("log2", SAME, Transcendental),
    updates("lookup_param", HANDLE),
    reads("masked_load", FIRST),
    updates("masked_store", VOID),
    updates("metal.simd_shuffle", SAME),
    updates("metal.simd_shuffle_down", SAME),
    updates("metal.simd_shuffle_up", SAME),
    pure("nearbyint", SAME, Cheap),
    pure("nextafter", SAME, Cheap),
    pure("popcount", SAME, Cheap),
    pure("pow", SAME, Transcendental),
    updates("prefetch", VOID),
    updates("print_buffer", VOID),
    pure("ptr_byte_offset", HANDLE, Cheap),
    partial("q_multiply_shift", I32, Cheap),
    partial("q_multiply_shift_per_axis", I32, Cheap),
    pure("reinterpret", FIRST, Free),
    pure("round", SAME, Cheap),
    pure("rsqrt", SAME, FloatDiv),
    updates("s_tir.cp_async_raw", FIRST),
    updates("selector", SAME),
    // Shifting by less than 0 or by the width or more is undefined.
    partial("shift_left", SAME, Shift),
    partial("shift_right", SAME, Shift),
    pure("sigmoid", SAME, Transcendental),
    pure("sin", SAME, Transcendental),
    pure("sinh", SAME, Transcendental),
    pure("sqrt", SAME, FloatDiv),
    opaque("start_profile_intrinsic", VOID),
    pure("tan", SAME, Transcendental),
    pure("tanh", SAME, Transcendental),
    row("thread_return", Effect::Control, VOID, Free),
    pure("trunc", SAME, Cheap),
    opaque("tvm_access_ptr", HANDLE),
    updates("tvm_bmma_sync", VOID),
    updates("tvm_call_trace_packed", I32),
    updates("tvm_call_trace_packed_lowered", I32),
    reads("tvm_context_id", HANDLE),
    updates("tvm_fill_fragment", VOID),
    updates("tvm_global_barrier_kinit", VOID),
    updates("tvm_kernel_replace_point", VOID),
    updates("tvm_load_matrix_sync", VOID),
    updates("tvm_mma_sync", VOID),
    updates("tvm_stack_alloca", HANDLE),
    updates("tvm_stack_make_array", HANDLE),
    updates("tvm_stack_make_shape", HANDLE),
    opaque("tvm_static_handle", HANDLE),
    updates("tvm_storage_sync", VOID),
    updates("tvm_store_matrix_sync", VOID),
    reads("tvm_struct_get", ResultType::SpelledLast),
    updates("tvm_struct_set", I32),
    updates("tvm_thread_allreduce", VOID),
    pure("tvm_thread_invariant", SAME, Free),
    updates("tvm_throw_last_error", VOID),
    opaque("tvm_tuple", VOID),
    updates("tvm_warp_activemask", U32),
    updates("tvm_warp_shuffle", SECOND),
    updates("tvm_warp_shuffle_down", SECOND),
    updates("tvm_warp_shuffle_up", SECOND),
    updates("tvm_warp_shuffle_xor", SECOND),
    pure("type_annotation", FIRST, Free),
    opaque("undef", I32),
    pure("vectorcombine", FIRST, Cheap),
    pure("vectorhigh", FIRST, Cheap),
    pure("vectorlow", FIRST, Cheap),
    pure("vscale", I32, Free),
    updates("webgpu.subgroup_shuffle", SAME),
    updates("webgpu.subgroup_shuffle_down", SAME),
    updates("webgpu.subgroup_shuffle_up", SAME),
];

/// What is known of the intrinsic `name` (without the `T.`).
///
/// ```
/// use satir::ir::intrin::lookup;
///
/// assert_eq!(lookup("exp").map(|row| row.name), Some("exp"));
/// assert_eq!(lookup("no_such_intrinsic"), None);
/// ```
pub fn lookup(name: &str) -> Option<&'static Intrin> {
    TABLE.binary_search_by(|row| row.name.cmp(name)).ok().map(|index| &TABLE[index])
}

/// The effect of calling the intrinsic `name` (without the `T.`); unknown ones are [`Effect::Opaque`].
///
/// ```
/// use satir::ir::intrin::{Effect, effect};
///
/// assert_eq!(effect("popcount"), Effect::Pure);
/// assert_eq!(effect("no_such_intrinsic"), Effect::Opaque);
/// ```
pub fn effect(name: &str) -> Effect {
    lookup(name).map_or(Effect::Opaque, |row| row.effect)
}

/// Every intrinsic that is known, by name.
///
/// ```
/// use satir::ir::intrin::{all, lookup};
///
/// assert!(all().iter().all(|row| lookup(row.name) == Some(row)));
/// assert!(all().iter().any(|row| row.name == "if_then_else"));
/// ```
pub fn all() -> &'static [Intrin] {
    &TABLE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_unique() {
        for pair in TABLE.windows(2) {
            assert!(pair[0].name < pair[1].name, "{} before {}", pair[0].name, pair[1].name);
        }
    }

    #[test]
    fn a_load_of_a_fragment_writes_it() {
        assert_eq!(effect("tvm_load_matrix_sync"), Effect::UpdatesState);
    }

    #[test]
    fn unknown_intrinsics_are_opaque() {
        assert_eq!(effect("no_such_intrinsic"), Effect::Opaque);
        assert_eq!(effect("exp"), Effect::Pure);
        assert_eq!(lookup("exp").map(|row| row.result), Some(ResultType::SameAs(0)));
        assert!(lookup("shift_left").unwrap().may_trap);
    }
}
