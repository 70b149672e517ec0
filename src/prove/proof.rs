//! What a proof shows of a pair of functions, and what it leaves open.

use std::collections::BTreeMap;

use crate::diag::Span;

/// What is known of a pair of functions.
///
/// ```
/// let proof = satir::prove::Proof { function: "main".into(), duties: 3, by_normal_form: 3, ..Default::default() };
/// assert!(proof.is_proven());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Proof {
    /// The function.
    pub function: String,
    /// Duties in all.
    pub duties: usize,
    /// Those that normal forms fulfilled.
    pub by_normal_form: usize,
    /// Those that the solver proved.
    pub by_solver: usize,
    /// Those that are not proven, at their places.
    pub open: Vec<Open>,
    /// Why the functions could not be laid side by side, and where.
    pub unaligned: Option<Open>,
}

/// A duty that is not proven.
///
/// ```
/// use satir::diag::Span;
/// use satir::prove::{Open, Proof};
///
/// let open = Open { what: "the same value is stored".into(), spans: (Span::NONE, Span::NONE), example: None };
/// assert!(!Proof { open: vec![open], ..Proof::default() }.is_proven());
/// ```
#[derive(Clone, Debug)]
pub struct Open {
    /// What was to be shown, or what is in the way.
    pub what: String,
    /// Its statement in the first and in the second program.
    pub spans: (Span, Span),
    /// Values of the function's variables for which the solver found that it fails. They may be of a run that cannot be: only
    /// a run of both programs refutes.
    pub example: Option<BTreeMap<String, i64>>,
}

impl Proof {
    /// Whether the second function does what the first one does.
    ///
    /// ```
    /// assert!(satir::prove::Proof::default().is_proven(), "nothing was to be shown");
    /// ```
    pub fn is_proven(&self) -> bool {
        self.unaligned.is_none() && self.open.is_empty()
    }
}
