//! The intrinsics that satir knows: effect, spelling, type of the result. One row each.

/// What a call may do besides returning a value, as in TVM's `CallEffectKind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// Annotates its argument and returns it (`T.likely`).
    Annotation,
    /// The result depends on the arguments only; nothing else happens; it cannot trap.
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

/// The effect of calling the intrinsic `name` (without the `T.`); unknown ones are [`Effect::Opaque`].
pub fn effect(name: &str) -> Effect {
    match name {
        "likely" => Effect::Annotation,
        "if_then_else" => Effect::Control,
        "exp" | "floor" | "sqrt" | "erf" | "log" | "rsqrt" => Effect::Pure,
        _ => Effect::Opaque,
    }
}
