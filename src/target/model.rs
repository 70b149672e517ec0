//! Which reasons count for a function.

use super::Reason;

/// What is taken into account of the compiler of a function, where nodes are chosen and results are written.
///
/// ```
/// use satir::target::{Model, Reason, Target};
///
/// let cpu = Model::new(Target::Cpu, false);
/// assert!(cpu.has(Reason::HiddenSign) && cpu.has(Reason::LateProduct));
/// assert!(!Model::new(Target::Cpu, true).has(Reason::HiddenSign), "indices of 64 bits are not extended");
/// assert!(!Model::new(Target::Gpu, false).has(Reason::LateProduct));
/// assert!(!Model::NEUTRAL.has(Reason::CorrectedDivision), "only the weights of the cost profile count");
/// assert!(!cpu.without(&[Reason::LateProduct]).has(Reason::LateProduct));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// A bit for each reason.
    reasons: u32,
}

impl Model {
    /// Nothing but the weights of the cost profile.
    pub const NEUTRAL: Model = Model { reasons: 0 };

    /// The same with more reasons.
    ///
    /// ```
    /// use satir::target::{Model, Reason, Target};
    ///
    /// let truncating = Model::NEUTRAL.with(&[Reason::TruncatedDivision]);
    /// assert_eq!(Model::new(Target::Own(truncating), false), truncating);
    /// ```
    #[must_use]
    pub fn with(self, reasons: &[Reason]) -> Model {
        Model { reasons: reasons.iter().fold(self.reasons, |all, &reason| all | bit(reason)) }
    }

    /// The same without some reasons.
    ///
    /// ```
    /// use satir::target::{Model, Reason};
    ///
    /// assert_eq!(Model::default().without(&Reason::ALL), Model::NEUTRAL);
    /// ```
    #[must_use]
    pub fn without(self, reasons: &[Reason]) -> Model {
        Model { reasons: reasons.iter().fold(self.reasons, |left, &reason| left & !bit(reason)) }
    }

    /// Whether a reason counts.
    ///
    /// ```
    /// use satir::target::{Model, Reason};
    ///
    /// assert!(Model::default().has(Reason::TruncatedDivision));
    /// ```
    pub const fn has(self, reason: Reason) -> bool {
        self.reasons & bit(reason) != 0
    }
}

const fn bit(reason: Reason) -> u32 {
    1 << reason as u32
}
