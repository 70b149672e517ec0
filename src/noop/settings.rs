//! What passes are told.

/// What a run is told.
///
/// ```
/// let module = satir::parse(
///     "@T.prim_func\ndef main(A: T.Buffer((4,)), B: T.Buffer((4,))):\n    T.func_attr({\"tirx.noalias\": True})\n    \
///      for i in range(4):\n        if i < 3:\n            B[i] = A[i]\n    for i in range(3, 4):\n        B[i] = T.float32(0)\n",
/// )?;
/// let mut func = module.funcs[0].clone();
/// let cautious = satir::noop::Settings::default();
/// assert!(satir::noop::overcompute(&mut func, cautious).is_empty(), "`A[3]` may not be there");
/// let declared = satir::noop::Settings { readable_parameters: true, ..cautious };
/// assert_eq!(satir::noop::overcompute(&mut func, declared).len(), 1);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Whether all elements of parameters may be read, also those that the function does not read.
    pub readable_parameters: bool,
    /// Whether no float that the function is given is infinite or NaN.
    pub finite: bool,
}
