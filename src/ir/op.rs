//! The table of the binary operators: one row each, which says what every part of the program has to know of it.
//! What an operator computes is in [`value`](super::value); ARCHITECTURE.md says what else a new one takes.

/// What kind of operation an operator is. Costs, traps and types follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Family {
    /// Sum or difference.
    Sum,
    /// Product.
    Product,
    /// Quotient. On integers it traps if the divisor is 0, where equalities take it to be 0.
    Quotient,
    /// Remainder. On integers it traps if the divisor is 0, where equalities take it to be the dividend.
    Remainder,
    /// Minimum or maximum.
    Extremum,
    /// Comparison: the result is a `bool`.
    Comparison,
    /// Connective of truth values: the second one is evaluated lazily.
    Logic,
}

/// The operands that an operator is defined on. Both have the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Operands {
    /// Values of any type, pointers too.
    Any,
    /// Integers and floats.
    Numbers,
    /// Integers.
    Integers,
    /// Truth values.
    Truths,
}

/// Whether the operands may change places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Commutes {
    /// On all types, bit for bit.
    Always,
    /// On all types but floats.
    ExceptFloats,
    /// As values, but the first operand decides whether the second one is evaluated.
    AsValues,
    /// On no type.
    Never,
}

/// How TVMScript writes an operator between its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Sign {
    /// The sign.
    pub text: &'static str,
    /// How tightly it binds, by Python's precedences.
    pub precedence: u8,
}

impl Sign {
    /// The precedence of comparisons, which do not associate: `a < b < c` is two of them.
    pub(crate) const COMPARISON: u8 = 6;

    const fn new(text: &'static str, precedence: u8) -> Option<Sign> {
        Some(Sign { text, precedence })
    }

    const fn comparison(text: &'static str) -> Option<Sign> {
        Sign::new(text, Sign::COMPARISON)
    }
}

macro_rules! binary_operators {
    ($($op:ident $name:literal $node:literal $family:ident $operands:ident $commutes:ident
        $sign:expr, $functions:expr; $doc:literal)*) => {
        /// A binary operator of the expression language. Both operands have the same type.
        ///
        /// ```
        /// use satir::ir::{BinOp, DType};
        /// use satir::ir::value::{Value, binary};
        ///
        /// // Floor division rounds down, truncating division toward zero.
        /// let seven = || (Value::Int(-7), Value::Int(2));
        /// let (a, b) = seven();
        /// assert_eq!(binary(BinOp::FloorDiv, DType::I32, a, b), Ok(Value::Int(-4)));
        /// assert_eq!(binary(BinOp::Div, DType::I32, a, b), Ok(Value::Int(-3)));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum BinOp {
            $(#[doc = $doc] $op,)*
        }

        impl BinOp {
            /// All operators.
            ///
            /// ```
            /// use satir::ir::BinOp;
            ///
            /// let named: Vec<BinOp> = BinOp::ALL.into_iter().filter(|op| op.name() == "floordiv").collect();
            /// assert_eq!(named, [BinOp::FloorDiv]);
            /// ```
            pub const ALL: [BinOp; [$(BinOp::$op),*].len()] = [$(BinOp::$op),*];

            /// The operator's name in s-expressions (rule files, dumps).
            ///
            /// ```
            /// use satir::ir::BinOp;
            ///
            /// assert_eq!(BinOp::FloorDiv.name(), "floordiv");
            /// ```
            pub const fn name(self) -> &'static str {
                match self {
                    $(BinOp::$op => $name,)*
                }
            }

            /// The name of the node class in TVM, as `T.<Name>(a, b)` prints it.
            ///
            /// ```
            /// use satir::ir::BinOp;
            ///
            /// assert_eq!(BinOp::Eq.tvm_name(), "EQ");
            /// ```
            pub const fn tvm_name(self) -> &'static str {
                match self {
                    $(BinOp::$op => $node,)*
                }
            }

            /// What kind of operation it is.
            pub(crate) const fn family(self) -> Family {
                match self {
                    $(BinOp::$op => Family::$family,)*
                }
            }

            /// What it is defined on.
            pub(crate) const fn operands(self) -> Operands {
                match self {
                    $(BinOp::$op => Operands::$operands,)*
                }
            }

            /// Whether its operands may change places.
            pub(crate) const fn commutes(self) -> Commutes {
                match self {
                    $(BinOp::$op => Commutes::$commutes,)*
                }
            }

            /// How it is written between its operands, if it is.
            pub(crate) const fn sign(self) -> Option<Sign> {
                match self {
                    $(BinOp::$op => $sign,)*
                }
            }

            /// The functions of TVMScript that apply it, and fold constants: `T.<name>(a, b)`. By the first of them it is
            /// printed if it has no sign.
            pub(crate) const fn functions(self) -> &'static [&'static str] {
                match self {
                    $(BinOp::$op => &$functions,)*
                }
            }
        }
    };
}

binary_operators! {
    Add "add" "Add" Sum Numbers Always Sign::new("+", 11), [];
        "`a + b`"
    Sub "sub" "Sub" Sum Numbers Never Sign::new("-", 11), [];
        "`a - b`"
    Mul "mul" "Mul" Product Numbers Always Sign::new("*", 12), [];
        "`a * b`"
    Div "div" "Div" Quotient Numbers Never Sign::new("/", 12), ["truncdiv"];
        "Float division `a / b`; on integers division that rounds toward zero (`T.truncdiv`, printed `T.Div`)."
    Mod "truncmod" "Mod" Remainder Integers Never None, ["truncmod"];
        "Remainder of the division that rounds toward zero (`T.truncmod`; sign of the dividend)."
    FloorDiv "floordiv" "FloorDiv" Quotient Integers Never Sign::new("//", 12), ["floordiv", "indexdiv"];
        "`a // b`: rounds toward minus infinity."
    FloorMod "floormod" "FloorMod" Remainder Integers Never Sign::new("%", 12), ["floormod", "indexmod"];
        "`a % b`: `a - (a // b) * b`."
    Min "min" "Min" Extremum Numbers ExceptFloats None, ["min"];
        "`T.min(a, b)`"
    Max "max" "Max" Extremum Numbers ExceptFloats None, ["max"];
        "`T.max(a, b)`"
    Eq "eq" "EQ" Comparison Any Always Sign::comparison("=="), [];
        "`a == b`"
    Ne "ne" "NE" Comparison Any Always Sign::comparison("!="), [];
        "`a != b`"
    Lt "lt" "LT" Comparison Numbers Never Sign::comparison("<"), [];
        "`a < b`"
    Le "le" "LE" Comparison Numbers Never Sign::comparison("<="), [];
        "`a <= b`"
    Gt "gt" "GT" Comparison Numbers Never Sign::comparison(">"), [];
        "`a > b`"
    Ge "ge" "GE" Comparison Numbers Never Sign::comparison(">="), [];
        "`a >= b`"
    And "and" "And" Logic Truths AsValues Sign::new("and", 4), [];
        "`a and b`: `b` is evaluated only when `a` holds."
    Or "or" "Or" Logic Truths AsValues Sign::new("or", 3), [];
        "`a or b`: `b` is evaluated only when `a` does not hold."
}

impl BinOp {
    /// Whether the result is `bool` whatever the operands' type.
    ///
    /// ```
    /// use satir::ir::BinOp;
    ///
    /// assert!(BinOp::Lt.is_compare());
    /// assert!(!BinOp::And.is_compare());
    /// ```
    pub const fn is_compare(self) -> bool {
        matches!(self.family(), Family::Comparison)
    }

    /// The comparison that says the same of exchanged operands.
    pub(crate) const fn mirrored(self) -> BinOp {
        match self {
            BinOp::Lt => BinOp::Gt,
            BinOp::Le => BinOp::Ge,
            BinOp::Gt => BinOp::Lt,
            BinOp::Ge => BinOp::Le,
            other => other,
        }
    }

    /// Whether operands are truth values and the second is evaluated lazily.
    ///
    /// ```
    /// use satir::ir::BinOp;
    ///
    /// assert!(BinOp::And.is_logic());
    /// assert!(!BinOp::Eq.is_logic());
    /// ```
    pub const fn is_logic(self) -> bool {
        matches!(self.family(), Family::Logic)
    }

    /// Whether evaluating it on integers traps when the second operand is zero.
    ///
    /// ```
    /// use satir::ir::BinOp;
    ///
    /// let divisions: Vec<&str> = BinOp::ALL.iter().filter(|op| op.is_division()).map(|op| op.name()).collect();
    /// assert_eq!(divisions, ["div", "truncmod", "floordiv", "floormod"]);
    /// ```
    pub const fn is_division(self) -> bool {
        matches!(self.family(), Family::Quotient | Family::Remainder)
    }

    /// Whether it is addition, subtraction or multiplication: on types that wrap the result is that of unbounded
    /// integers modulo 2^bits, on the others it may overflow.
    pub(crate) const fn is_ring(self) -> bool {
        matches!(self.family(), Family::Sum | Family::Product)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::DType;
    use crate::ir::value::int;

    #[test]
    fn the_rows_agree_with_the_arithmetic() {
        let small = || (-7i64..=7).flat_map(|a| (-7i64..=7).map(move |b| (a, b)));
        for op in BinOp::ALL {
            let of = |a, b| int::total(op, DType::I32, a, b);
            let truths = || small().filter(|(a, b)| [0, 1].contains(a) && [0, 1].contains(b));
            let operands: Vec<_> = if op.is_logic() { truths().collect() } else { small().collect() };
            let commutes = operands.iter().all(|&(a, b)| of(a, b) == of(b, a));
            assert_eq!(commutes, op.commutes() != Commutes::Never, "{op:?}");
            let traps = operands.iter().any(|&(a, b)| int::binary(op, DType::I32, a, b) != of(a, b));
            assert_eq!(traps, op.is_division() || op.is_logic(), "{op:?}");
            let truth = operands.iter().all(|&(a, b)| matches!(of(a, b), Ok(0 | 1)));
            assert_eq!(truth, op.is_compare() || op.is_logic(), "{op:?}");
        }
        assert_eq!(int::total(BinOp::Div, DType::I32, 7, 0), Ok(0));
        assert_eq!(int::total(BinOp::FloorMod, DType::I32, 7, 0), Ok(7));
    }

    #[test]
    fn no_two_operators_are_spelled_alike() {
        let names = |of: fn(BinOp) -> Vec<&'static str>| {
            let mut all: Vec<&str> = BinOp::ALL.into_iter().flat_map(of).collect();
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count, "{all:?}");
        };
        names(|op| vec![op.name()]);
        names(|op| op.sign().map(|sign| sign.text).into_iter().collect());
        names(|op| op.functions().iter().copied().chain([op.tvm_name()]).collect());
    }
}
