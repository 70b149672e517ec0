//! The binary operators, one row each: name, TVMScript spelling, precedence.

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
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// Float division `a / b`; on integers division that rounds toward zero (`T.truncdiv`, printed `T.Div`).
    Div,
    /// Remainder of the division that rounds toward zero (`T.truncmod`; sign of the dividend).
    Mod,
    /// `a // b`: rounds toward minus infinity.
    FloorDiv,
    /// `a % b`: `a - (a // b) * b`.
    FloorMod,
    /// `T.min(a, b)`
    Min,
    /// `T.max(a, b)`
    Max,
    /// `a == b`
    Eq,
    /// `a != b`
    Ne,
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// `a > b`
    Gt,
    /// `a >= b`
    Ge,
    /// `a and b`: `b` is evaluated only when `a` holds.
    And,
    /// `a or b`: `b` is evaluated only when `a` does not hold.
    Or,
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
    pub const ALL: [BinOp; 17] = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::Mod,
        BinOp::FloorDiv,
        BinOp::FloorMod,
        BinOp::Min,
        BinOp::Max,
        BinOp::Eq,
        BinOp::Ne,
        BinOp::Lt,
        BinOp::Le,
        BinOp::Gt,
        BinOp::Ge,
        BinOp::And,
        BinOp::Or,
    ];

    /// The operator's name in s-expressions (rule files, dumps).
    ///
    /// ```
    /// use satir::ir::BinOp;
    ///
    /// assert_eq!(BinOp::FloorDiv.name(), "floordiv");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            BinOp::Add => "add",
            BinOp::Sub => "sub",
            BinOp::Mul => "mul",
            BinOp::Div => "div",
            BinOp::Mod => "truncmod",
            BinOp::FloorDiv => "floordiv",
            BinOp::FloorMod => "floormod",
            BinOp::Min => "min",
            BinOp::Max => "max",
            BinOp::Eq => "eq",
            BinOp::Ne => "ne",
            BinOp::Lt => "lt",
            BinOp::Le => "le",
            BinOp::Gt => "gt",
            BinOp::Ge => "ge",
            BinOp::And => "and",
            BinOp::Or => "or",
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
            BinOp::Add => "Add",
            BinOp::Sub => "Sub",
            BinOp::Mul => "Mul",
            BinOp::Div => "Div",
            BinOp::Mod => "Mod",
            BinOp::FloorDiv => "FloorDiv",
            BinOp::FloorMod => "FloorMod",
            BinOp::Min => "Min",
            BinOp::Max => "Max",
            BinOp::Eq => "EQ",
            BinOp::Ne => "NE",
            BinOp::Lt => "LT",
            BinOp::Le => "LE",
            BinOp::Gt => "GT",
            BinOp::Ge => "GE",
            BinOp::And => "And",
            BinOp::Or => "Or",
        }
    }

    /// Whether the result is `bool` whatever the operands' type.
    ///
    /// ```
    /// use satir::ir::BinOp;
    ///
    /// assert!(BinOp::Lt.is_compare());
    /// assert!(!BinOp::And.is_compare());
    /// ```
    pub const fn is_compare(self) -> bool {
        matches!(self, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge)
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
        matches!(self, BinOp::And | BinOp::Or)
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
        matches!(self, BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod)
    }
}
