//! Why two classes are one: every union of a graph has a reason.

/// Why two classes were united.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// The input, or what is known at the place that the graph is about, says so.
    Input,
    /// A rewrite rule, by its number in [`Rewrites`](crate::rewrite::Rewrites).
    Rule(u32),
    /// A law of the theory.
    Axiom(Axiom),
    /// The same operation on equal operands.
    Congruence,
    /// An operation on constants was computed.
    Fold,
}

impl From<Axiom> for Reason {
    fn from(axiom: Axiom) -> Reason {
        Reason::Axiom(axiom)
    }
}

/// Declares the laws: the variant with its documentation, what it is about, and its name. `axioms.rules` states each as rules.
macro_rules! axioms {
    ($($(#[$doc:meta])* $variant:ident, $area:ident, $name:literal;)*) => {
        /// A law that the theory uses. Where one step takes several, the one that is named is that which decided last.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub(crate) enum Axiom {
            $($(#[$doc])* $variant,)*
        }

        impl Axiom {
            /// All laws.
            #[cfg(test)]
            pub(crate) const ALL: &'static [Axiom] = &[$(Axiom::$variant,)*];

            /// What people call it.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Axiom::$variant => $name,)* }
            }

            /// The part of arithmetic that it belongs to.
            pub(crate) fn area(self) -> Area {
                match self { $(Axiom::$variant => Area::$area,)* }
            }
        }
    };
}

/// A part of arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Area {
    /// Sums and products.
    Sums,
    /// Ranges and residues of values.
    Ranges,
    /// Floor division and its remainder.
    Floor,
    /// Truncating division.
    Truncation,
    /// Minimum and maximum.
    Extrema,
    /// Comparisons.
    Comparisons,
    /// Truth values.
    Logic,
    /// Choices between two values.
    Choices,
    /// Conversions.
    Conversions,
    /// Vectors.
    Vectors,
}

impl Area {
    /// What people call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Area::Sums => "sums and products",
            Area::Ranges => "ranges",
            Area::Floor => "floor division",
            Area::Truncation => "truncating division",
            Area::Extrema => "minimum and maximum",
            Area::Comparisons => "comparison of sums",
            Area::Logic => "truth values",
            Area::Choices => "a condition that is decided",
            Area::Conversions => "conversion of what fits",
            Area::Vectors => "vectors lane by lane",
        }
    }
}

axioms! {
    /// Two sums or products have one normal form under the axioms of `+ - *`.
    NormalForm, Sums, "equal normal forms of sums and products";
    /// The normal form holds no variable.
    ConstantForm, Sums, "a normal form without variables";
    /// A sum in another order, with common factors taken out, or in parts that are computed further out.
    SumWritten, Sums, "another way to write a sum";
    /// `a op b = b op a`, for operators without a normal form.
    Commuted, Sums, "operands in the other order";
    /// A range that holds one value.
    OnlyValue, Ranges, "a range of one value";
    /// What a value is modulo zero: itself.
    OnlyResidue, Ranges, "a remainder that leaves one value";

    /// `x // 1 = x`.
    QuotientByOne, Floor, "a division by one";
    /// `(c*Q) // c = Q`.
    QuotientOfMultiple, Floor, "quotient of a multiple";
    /// `R // c = m` where `m*c <= R < (m+1)*c`.
    QuotientInRange, Floor, "a quotient that the range of the dividend decides";
    /// `(c*Q + R) // c = Q + R // c`.
    QuotientSplit, Floor, "a multiple of the divisor comes out of a quotient";
    /// `(g*R + r) // (g*c) = (R + r // g) // c`.
    QuotientCommonFactor, Floor, "a common factor of dividend and divisor";
    /// The same where `r` is a sum with `m*g <= r < (m+1)*g`.
    QuotientSmallPart, Floor, "a part of the dividend that is too small to count";
    /// `(R + k) // c = R // c` where a known rest of `R` leaves `k` too small to count.
    QuotientRest, Floor, "a rest that is known leaves the quotient as it is";
    /// `N // d // c = N // (d*c)`.
    QuotientNested, Floor, "a quotient of a quotient";
    /// `-N // c = -((N + c - 1) // c)`.
    QuotientNegated, Floor, "a quotient of a negative sum";
    /// `x // -c = -x // c`.
    QuotientNegativeDivisor, Floor, "a quotient by a negative number";
    /// `(P + 1) // 2 = P - P // 2`.
    QuotientHalves, Floor, "two halves make a whole";
    /// What is divided by zero is taken to be zero, so that it can come out of another division by it.
    QuotientVanishing, Floor, "a term that is zero where the divisor is";
    /// `k * (N // c - M // c)` as one quotient, of the remainder of `M` and the difference.
    QuotientDifference, Floor, "a difference of two quotients";
    /// `p % q = p - q * (p // q)`.
    Remainder, Floor, "a remainder is what the quotient leaves";
    /// `P % m = Q % m` where `P - Q` is a multiple of `m`.
    RemainderCongruent, Floor, "a multiple of the divisor does not change the remainder";

    /// Where the signs agree truncating division is floor division.
    TruncationIsFloor, Truncation, "truncating division of what is not negative";
    /// `-p tdiv q = p tdiv -q = -(p tdiv q)`.
    TruncationIsOdd, Truncation, "truncating division by or of what is negative";
    /// `(g*p) tdiv (g*q) = p tdiv q`.
    TruncationCommonFactor, Truncation, "a common factor in a truncating division";
    /// `p tdiv c = 0` where `-c < p < c`.
    TruncationInRange, Truncation, "a truncating division that the range of the dividend decides";
    /// `x tdiv d tdiv c = x tdiv (d*c)`.
    TruncationNested, Truncation, "a truncating division of another one";
    /// `x tdiv 1 = x`.
    TruncationByOne, Truncation, "a truncating division by one";
    /// The truncating remainder is what the quotient leaves.
    TruncationRemainder, Truncation, "a truncating remainder is what the quotient leaves";

    /// One operand of a minimum or maximum bounds all others.
    ExtremumBounded, Extrema, "an operand that bounds the others";
    /// The operands of nested extrema in one order, with what they have in common taken out.
    ExtremumNormalForm, Extrema, "operands in one order, with what they share taken out";
    /// `min(P, Q) + R = min(P + R, Q + R)`.
    ExtremumOfSums, Extrema, "the same added to all operands";
    /// `min(N // c, M // c) = min(N, M) // c`.
    ExtremumOfQuotients, Extrema, "the same division of all operands";

    /// The range of the difference of both sides decides.
    ComparisonByRange, Comparisons, "bounds decide the comparison";
    /// Divisibility says that the sides differ.
    ComparisonByDivisibility, Comparisons, "divisibility decides the comparison";
    /// The conditions that hold at the place decide.
    ComparisonByFacts, Comparisons, "known conditions decide the comparison";
    /// Terms on other sides, without common factors and what is too small to matter.
    ComparisonNormalForm, Comparisons, "comparisons of one meaning";
    /// The sides of an equation that holds are equal.
    EquationHolds, Comparisons, "an equation that holds";
    /// `a != b` where `a == b` is known not to hold.
    ComparisonOpposite, Comparisons, "the opposite of a comparison that is known";

    /// `x and True`, `x and False`, `x and x`.
    LogicUnit, Logic, "an operand that is decided or repeated";
    /// Parts that exclude each other.
    LogicExcluded, Logic, "parts that exclude each other";
    /// Parts that the others imply go; the rest is in one order.
    LogicImplied, Logic, "parts that the others imply, and one order";
    /// `not not x = x`.
    DoubleNegation, Logic, "a double negation";
    /// `not (a < b) = a >= b`.
    NegatedComparison, Logic, "the negation of a comparison";
    /// What holds holds in its parts.
    PartsHold, Logic, "the parts of a condition that is known";

    /// A choice whose condition is decided.
    ChoiceDecided, Choices, "a choice whose condition is decided";
    /// A choice between the same.
    ChoiceOfSame, Choices, "a choice between the same";
    /// `T.likely(x) = x`.
    Likely, Choices, "a hint says nothing about the value";

    /// A conversion to the type that the value has.
    CastToSame, Conversions, "a conversion to the same type";
    /// A conversion of a sum is the sum of conversions, where all parts fit.
    CastOfSum, Conversions, "a conversion of a sum whose parts fit";

    /// A vector is what its lanes are.
    Lanes, Vectors, "a vector is what its lanes are";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_law_has_a_name_of_its_own() {
        let mut names: Vec<&str> = Axiom::ALL.iter().map(|axiom| axiom.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Axiom::ALL.len());
        assert!(Axiom::ALL.iter().all(|axiom| !axiom.area().name().is_empty()));
        // Two numbers and a reason are an edge of the log.
        assert_eq!(size_of::<Reason>(), 8);
    }
}
