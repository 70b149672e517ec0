//! Why one of two equal ways to write an expression is better code, beside the cost of its operations.

use std::fmt;

/// What a compiler makes of a way to write an expression.
///
/// Each is the cause of a [penalty](Reason::penalty) where nodes are chosen, or of a way in which a result is written. What each
/// is worth on programs that it was not made for stands in `benches/compare/REASONS.md`.
///
/// ```
/// use satir::target::Reason;
///
/// assert_eq!(Reason::CorrectedDivision.name(), "corrected-division");
/// assert_eq!("corrected-division".parse(), Ok(Reason::CorrectedDivision));
/// for reason in Reason::ALL {
///     println!("{}: {}", reason.name(), reason.about());
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reason {
    /// A floor division of what is not negative, where the compiler does not see that, is written as one that truncates.
    TruncatedDivision,
    /// A floor division by a constant of what may be negative for all that the compiler sees.
    CorrectedDivision,
    /// A division by a constant of what is constant in each iteration of unrolled loops.
    UnrolledDivision,
    /// A new quotient that fewer copies of an unrolled loop share than another way to write it.
    CopiedQuotient,
    /// A comparison in whose place the input compares a quotient of the variable of an unrolled loop.
    DividedCondition,
    /// `(outer + inner) * c` as a part of an address, where `outer * c` could be computed further out.
    LateProduct,
    /// A sum that is never negative, as a part of an address, of which the compiler does not see that.
    HiddenSign,
    /// `(rolled + outer) + stride * unrolled` as a part of an address.
    RolledFirst,
    /// A sum of a variable and its quotient, as a part of an address that has neighbours.
    MixedWidths,
    /// A new sum or product in an address to which the innermost loop adds a symbolic stride.
    NewStride,
    /// A sum in an address whose terms have a common factor.
    CommonFactor,
    /// A sum in an address whose second part is a sum.
    ReorderedSum,
    /// A sum in an address that begins with a constant, or with what varies further in than the rest.
    OperandOrder,
    /// A quotient of a quotient, both by variables, in a function with blocks.
    NestedQuotient,
}

/// What is known of a reason.
struct Row {
    name: &'static str,
    /// In units of 1/1024 of an operation.
    penalty: i32,
    /// Whether it goes for indices of 32 bits only: in front of each access with one stands an extension to 64 bits by its
    /// sign, unless the compiler knows that it is not negative, and arithmetic that may overflow cannot be done in 64 bits.
    narrow: bool,
    /// Whether it goes for compilers for GPUs too.
    gpu: bool,
    about: &'static str,
}

const fn row(name: &'static str, penalty: i32, narrow: bool, gpu: bool, about: &'static str) -> Row {
    Row { name, penalty, narrow, gpu, about }
}

impl Reason {
    /// All of them.
    ///
    /// ```
    /// assert!(satir::target::Reason::ALL.contains(&satir::target::Reason::HiddenSign));
    /// ```
    pub const ALL: [Reason; 14] = [
        Reason::TruncatedDivision,
        Reason::CorrectedDivision,
        Reason::UnrolledDivision,
        Reason::CopiedQuotient,
        Reason::DividedCondition,
        Reason::LateProduct,
        Reason::HiddenSign,
        Reason::RolledFirst,
        Reason::MixedWidths,
        Reason::NewStride,
        Reason::CommonFactor,
        Reason::ReorderedSum,
        Reason::OperandOrder,
        Reason::NestedQuotient,
    ];

    const fn row(self) -> Row {
        match self {
            Reason::TruncatedDivision => row(
                "truncated-division",
                0,
                false,
                true,
                "the compiler does not see that neither operand is negative, and would correct the truncating division of \
                 the hardware for signs that do not occur",
            ),
            Reason::CorrectedDivision => row(
                "corrected-division",
                3072,
                false,
                true,
                "the dividend may be negative for all that the compiler sees, so the truncating division of the hardware has \
                 to be corrected",
            ),
            Reason::UnrolledDivision => row(
                "unrolled-division",
                -3072,
                false,
                true,
                "what is divided is constant in each iteration of unrolled loops, so the quotient is, too; one of more than \
                 that is computed each time",
            ),
            Reason::CopiedQuotient => row(
                "copied-quotient",
                4096,
                false,
                true,
                "`(x + i // 2) // 2` is one quotient for two iterations of an unrolled loop over `i`, `(2*x + i) // 4` is two \
                 that the compiler does not know to be alike",
            ),
            Reason::DividedCondition => row(
                "divided-condition",
                4096,
                false,
                true,
                "`x + i // 2 < n` is one comparison for two iterations of an unrolled loop over `i`, `2*x + i < 2*n` is two \
                 that the compiler does not know to be alike",
            ),
            Reason::LateProduct => row(
                "late-product",
                3072,
                false,
                false,
                "of `outer * c + inner * c` each term is advanced by additions, and is a constant where its loop is unrolled; \
                 `(outer + inner) * c` has to be multiplied where `outer` or `inner` has other uses",
            ),
            Reason::HiddenSign => row(
                "hidden-sign",
                1024,
                true,
                false,
                "the compiler sees the sign of a sum by the signs of its parts; what may be negative it extends to 64 bits by \
                 the sign, and takes no constants out of that",
            ),
            Reason::RolledFirst => row(
                "rolled-first",
                1024,
                true,
                false,
                "the compiler adds up what does not vary outside of the loop, and knows no longer that the sum does not \
                 overflow: each of its copies is extended to 64 bits in each iteration",
            ),
            Reason::MixedWidths => row(
                "mixed-widths",
                8192,
                true,
                false,
                "the compiler adds to the variable in 64 bits and to its quotient in 32, and does not see any longer that \
                 the elements lie side by side",
            ),
            Reason::NewStride => row(
                "new-stride",
                8192,
                true,
                false,
                "the compiler hoists and reduces the parts of such an address itself, by what each operation says: that it \
                 does not overflow; of new products it takes common factors out, of which it knows nothing, and then no \
                 longer finds the stride",
            ),
            Reason::CommonFactor => row(
                "common-factor",
                512,
                true,
                false,
                "the compiler takes the factor out of `a*x + b*x`, and knows no longer that the sum does not overflow",
            ),
            Reason::ReorderedSum => row(
                "reordered-sum",
                512,
                true,
                false,
                "the compiler brings the terms of a sum into one order, and knows no longer that the sum does not overflow",
            ),
            Reason::OperandOrder => row(
                "operand-order",
                1,
                false,
                true,
                "the compiler brings sums into this order itself, and so does TVM; among equals it decides",
            ),
            Reason::NestedQuotient => row(
                "nested-quotient",
                1024,
                false,
                true,
                "where TVM infers the used part of a buffer from such an index, its lowering of the bound fails: it binds \
                 one variable to two values",
            ),
        }
    }

    /// Its name on the command line and in explanations.
    ///
    /// ```
    /// assert_eq!(satir::target::Reason::HiddenSign.to_string(), satir::target::Reason::HiddenSign.name());
    /// ```
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The cause, in words.
    ///
    /// ```
    /// assert!(satir::target::Reason::CommonFactor.about().contains("overflow"));
    /// ```
    pub const fn about(self) -> &'static str {
        self.row().about
    }

    /// What is added to the cost of a node for it, per execution, in operations: where negative, it is an advantage.
    ///
    /// ```
    /// assert_eq!(satir::target::Reason::CorrectedDivision.penalty(), 3.0);
    /// ```
    pub fn penalty(self) -> f64 {
        f64::from(self.parts()) / 1024.0
    }

    /// The same, in units of 1/1024 of an operation.
    pub(crate) const fn parts(self) -> i32 {
        self.row().penalty
    }

    /// Whether it goes for indices of 32 bits only.
    pub(crate) const fn is_narrow(self) -> bool {
        self.row().narrow
    }

    /// Whether it goes for compilers for GPUs too.
    pub(crate) const fn is_of_gpu(self) -> bool {
        self.row().gpu
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Reason {
    type Err = String;

    fn from_str(name: &str) -> Result<Reason, String> {
        let found = Reason::ALL.into_iter().find(|reason| reason.name() == name);
        found.ok_or_else(|| format!("no reason is called `{name}`"))
    }
}
