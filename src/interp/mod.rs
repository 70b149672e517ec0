//! The reference interpreter: runs a function on buffers and says exactly what it did.
//!
//! It implements the semantics written in [`ir`](crate::ir) and nothing else, and imports nothing of the optimizer, so
//! that it can judge it. A run ([`run_function`]) ends by itself or in a [`Trap`] with its place. Every executed operation
//! is counted by class ([`Counts`]), and opaque calls are logged in order. [`equiv()`] compares two modules.
//!
//! # What it does where the semantics leave a choice
//!
//! - Fresh memory holds a fixed pattern of bytes, not zeros.
//! - A call of a function that the interpreter does not know returns a small value made up from the function's name and
//!   arguments. If its effect is not known to be harmless it is logged, and the memory that it gets a pointer to changes.
//! - Loops of all kinds run their iterations in order. Launched threads run one after the other, unless threads of a block
//!   communicate (shared memory, reductions over threads): then they run in lockstep, statement by statement, as
//!   with all barriers in place.
//! - Fragments of matrices that the threads of a warp hold together lie in their buffers, and products are added up, in the
//!   order that TVM describes (`ir/matrix.rs`); hardware has its own. Each thread does the whole of such an operation on memory
//!   of its own, in lockstep.
//! - There is one NaN.
//! - Elements of inputs that an assumption is about are set so that it holds; scalars are drawn so that what is assumed of
//!   them at the head of the function does.
//! - What comes from `T.undef()` may be anything, and is compared with nothing.
//!
//! ```text
//! PrimFunc --compile--> Program (slots, flat code) --machine, serial, lockstep--> Run
//! ```

mod calls;
mod compare;
mod compile;
mod counts;
mod equiv;
mod exchange;
mod flow;
mod inputs;
mod interpreter;
mod layout;
mod lockstep;
mod machine;
mod marks;
mod matrix;
mod memory;
mod modes;
mod names;
mod outcome;
mod outputs;
mod program;
mod races;
mod repair;
mod satisfy;
mod serial;
mod session;
mod shape;
#[cfg(test)]
mod tests;
mod thread;
mod touched;
mod undef;

#[doc(hidden)]
pub use compile::Unsupported;
#[doc(hidden)]
pub use counts::Counts;
pub use equiv::{Difference, EquivOptions, Equivalence, equiv};
#[doc(hidden)]
pub use exchange::{TensorFileError, read_tensors, write_tensors};
#[cfg(feature = "lab")]
pub(crate) use inputs::Random;
pub use inputs::{Bindings, Constraints};
#[doc(hidden)]
pub use inputs::{Constraint, InputError, Tensor};
pub use layout::{Layout, Padding};
#[doc(hidden)]
pub use names::{bindable, constrains};
#[doc(hidden)]
pub use outcome::{Trap, TrapKind};
#[doc(hidden)]
pub use outputs::Digest;
#[doc(hidden)]
pub use session::{RunError, RunOptions, RunReport, run_function, static_counts};
