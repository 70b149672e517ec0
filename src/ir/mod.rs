//! The program representation and its semantics: the contract that every part of satir keeps.
//!
//! A [`Module`] holds [`PrimFunc`]s. A function is a tree of statements ([`Stmt`]) over typed, owned expression
//! trees ([`Expr`]). Variables and buffers are identities ([`VarId`], [`BufferId`]) with names and types in tables
//! of the function. This module depends on nothing else in the crate but [`diag`](crate::diag) for places.
//!
//! # When an expression is evaluated
//!
//! Where it stands, each time control reaches it, operands left to right, with these exceptions: `and`/`or`
//! evaluate the right operand only if the left one does not decide, or both, as the code does that TVM makes of them
//! (LLVM's `and i1`): a program is right only under both readings, so neither operand guards the other, and what the
//! input leaves out by the first reading is not evaluated by the result. `T.if_then_else(c, a, b)` evaluates only the
//! arm that is taken. `T.Select(c, a, b)` evaluates everything. A `Bind` evaluates its value once, where it stands.
//! A `for` evaluates `min`, `extent` and `step` once, before the first iteration; a `while` evaluates its
//! condition before each.
//!
//! # Values
//!
//! - **`int32` and `int64`** are index arithmetic: it is taken not to overflow, as TVM takes it. A program whose
//!   evaluation overflows them has no defined meaning, so identities of unbounded integers may be used. A result
//!   overflows only where its input does: what it computes anew is shown to fit by ranges, by what the input computes
//!   at that place, or by sizes (`src/analysis/magnitude.rs`): loop variables, extents and products of the
//!   dimensions of one buffer fit. Loaded values and scalar parameters may be anything.
//! - **All other integer types** wrap modulo 2^bits. Only identities that hold modulo 2^bits may be used.
//! - `//` and `%` ([`BinOp::FloorDiv`], [`BinOp::FloorMod`]) round toward minus infinity; [`BinOp::Div`] and
//!   [`BinOp::Mod`] on integers truncate. Division by zero traps.
//! - **Floats** are IEEE 754; results are kept bit for bit. Float `/` is [`BinOp::Div`].
//! - **`bool`** holds 0 or 1. **Vectors** apply an operator lane by lane.
//! - A cast between integers keeps the value modulo 2^bits of the target; float to integer truncates; to
//!   `bool` tests for non-zero. A float that the integer type cannot hold gives a value without meaning: a program that
//!   uses it has none, but to compute it does no harm.
//!
//! # What can trap
//!
//! Division or remainder by zero, overflow of `int32` and `int64` (and of a loop's variable), a load or store outside of its buffer, a
//! failing assert, and anything inside of a call that is not pure. Work that can trap is never executed where the input would not have executed it;
//! leaving it out is fine.
//!
//! A launch of more threads than there can be fails, so that nothing runs (`src/ir/threads.rs`).
//!
//! # Assumptions, and values that may be anything
//!
//! `T.assume(c)` says that `c` holds where it stands: a program has a meaning only on inputs for which it does. What a result
//! computes may rest on it.
//!
//! `T.undef()`, and a cast of it, is some value, another one for each evaluation; a variable that is bound to it has one
//! value. So a program has a set of results, and another one does the same if it does what the first may do. What computes
//! with such a value may be anything that it can be. An index, a bound, a condition or an argument of an opaque call must
//! not depend on it. Storing it leaves the element free. In an assumption `A[i] == T.undef()` holds, and says that the element may
//! be read; its value is then one with which nothing overflows.
//!
//! A pass that is asked to change the order of a sum of integers (`sequential-access`) takes the sums of a part of its terms
//! to fit, as it takes the sum to.
//!
//! # Scopes
//!
//! A variable is defined once: by a parameter, by the shape of a parameter's buffer, by a `Bind` (in scope for the
//! rest of its block), by a loop, a thread, a block axis, a `Let` expression, or the lambda of a reduction. A fact
//! that a construct establishes (a loop variable's range, an `if`'s condition) holds inside of that construct only.
//!
//! # Memory
//!
//! Two buffers share memory if one views the other. Distinct buffers share none when the function is marked
//! `tirx.noalias` or one of them is allocated in the function; otherwise they may.
//! [`intrin`] tells what calls do to memory, `matrix.rs` of those on matrices to which elements.

pub mod build;
mod dtype;
mod excerpt;
mod expr;
mod fresh;
mod func;
mod hollow;
mod ids;
#[doc(hidden)]
pub mod intrin;
pub(crate) mod matrix;
mod number;
mod op;
#[doc(hidden)]
pub mod opclass;
pub(crate) mod reciprocal;
mod rename;
mod room;
mod stmt;
pub(crate) mod threads;
#[doc(hidden)]
pub mod value;
mod way;

pub use dtype::{DType, Kind, NarrowFloat, UnknownDType};
pub(crate) use excerpt::Excerpt;
pub use expr::{AttrValue, Call, Callee, Expr, ExprKind, Select, Shuffle};
pub(crate) use fresh::FreshNames;
pub use func::{Buffer, Module, Origin, Param, PrimFunc, Type, Var};
pub use ids::{BufferId, VarId};
pub use op::BinOp;
pub(crate) use op::{Commutes, Family, Operands, Sign};
pub(crate) use rename::{loop_anew, rename_var};
pub(crate) use room::with_room;
pub use stmt::{
    AttrNode, Axis, AxisKind, Block, BufferRegion, CommReducer, For, ForKind, SBlock, Stmt, StmtKind,
};
pub(crate) use way::{block_at, block_at_mut};

/// Deepest nesting of expressions and statements that is accepted. Recursion over a program is bounded by it.
///
/// ```
/// use satir::ir::MAX_DEPTH;
///
/// let too_deep = || {
///     let nested = format!("{}x{}", "T.exp(".repeat(MAX_DEPTH + 1), ")".repeat(MAX_DEPTH + 1));
///     satir::parse(&format!("@T.prim_func\ndef main(x: T.float32):\n    T.evaluate({nested})\n"))
/// };
/// // Programs may nest deep, so the thread that works on them has a large stack.
/// let result = std::thread::Builder::new().stack_size(512 << 20).spawn(too_deep)?.join().expect("no overflow");
/// assert!(result.is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
pub const MAX_DEPTH: usize = 1000;
