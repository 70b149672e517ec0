//! What may be done to loops.

/// What may be done to loops.
///
/// ```
/// use satir::cse::{Loops, Options};
///
/// // No statement becomes more than twice as long.
/// let options = Options { loops: Loops { growth: 2, ..Loops::default() }, ..Options::default() };
/// assert!(!options.loops.parallel);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loops {
    /// How many times as long a statement may become, in parts of expressions; 1 for not longer at all. Otherwise 200 parts are
    /// short enough for any statement.
    pub growth: usize,
    /// Whether `parallel` loops are split by what their variables are divided by; the loop of the quotients stays parallel.
    pub parallel: bool,
    /// What the pass `hoist` takes out of loops.
    pub hoisting: Hoisting,
}

impl Default for Loops {
    fn default() -> Loops {
        Loops { growth: 4, parallel: false, hoisting: Hoisting::default() }
    }
}

/// What is taken out of the loops that do not change it. By default conditions of `if` statements and of choices, and what
/// those need.
///
/// ```
/// use satir::cse::Hoisting;
///
/// let default = Hoisting::default();
/// assert!(default.statements && default.expressions && default.bindings && !default.truths);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hoisting {
    /// Conditions of `if` statements.
    pub statements: bool,
    /// Conditions of `T.if_then_else` and `T.Select`.
    pub expressions: bool,
    /// All other comparisons and logical operations.
    pub truths: bool,
    /// Bindings that conditions read.
    pub bindings: bool,
    /// All bindings.
    pub all_bindings: bool,
    /// Bindings within expressions, `T.Let`.
    pub let_expressions: bool,
    /// Whether also what depends on the variables of threads goes out of loops, where these threads do not wait for each other.
    pub thread_variables: bool,
}

impl Default for Hoisting {
    fn default() -> Hoisting {
        Hoisting { statements: true, expressions: true, bindings: true, ..Hoisting::NONE }
    }
}

impl Hoisting {
    /// Nothing.
    ///
    /// ```
    /// use satir::cse::Hoisting;
    ///
    /// let only_statements = Hoisting { statements: true, ..Hoisting::NONE };
    /// assert!(!only_statements.expressions);
    /// ```
    pub const NONE: Hoisting = Hoisting {
        statements: false,
        expressions: false,
        truths: false,
        bindings: false,
        all_bindings: false,
        let_expressions: false,
        thread_variables: false,
    };
}
