//! Typed indices for the things of a function that have identity: variables and buffers.
//!
//! TIR variables are identities, not strings: two variables may carry one name. Everything that refers to a
//! variable or buffer holds its id; names live in the tables of [`PrimFunc`](super::PrimFunc).

use std::fmt;

/// A variable of one function: index into [`PrimFunc::vars`](super::PrimFunc::vars).
///
/// ```
/// use satir::ir::{DType, PrimFunc, Type, VarId};
///
/// let mut func = PrimFunc::new("main");
/// let n = func.new_var("n", Type::Prim(DType::I32));
/// assert_eq!(n, VarId(0));
/// assert_eq!(&*func.var(n).name, "n");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// A buffer of one function: index into [`PrimFunc::buffers`](super::PrimFunc::buffers).
///
/// ```
/// use satir::ir::BufferId;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((4,)), B: T.Buffer((8,))):\n    A[0] = B[1]\n")?;
/// assert_eq!(&*module.funcs[0].buffer(BufferId(1)).name, "B");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

impl VarId {
    /// The index as `usize`.
    ///
    /// ```
    /// use satir::ir::VarId;
    ///
    /// assert_eq!(VarId(3).index(), 3);
    /// ```
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl BufferId {
    /// The index as `usize`.
    ///
    /// ```
    /// use satir::ir::BufferId;
    ///
    /// assert_eq!(BufferId(3).index(), 3);
    /// ```
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for VarId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl fmt::Display for VarId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl fmt::Debug for BufferId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b{}", self.0)
    }
}

impl fmt::Display for BufferId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b{}", self.0)
    }
}
