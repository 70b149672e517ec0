//! Padding, layouts and assumptions: buffers whose elements lie where an index map says, with room that no element takes.
//!
//! - [`transform_layout`] gives a buffer another layout, and says what the padding holds: by stores where the function writes
//!   the buffer, by assumptions where it reads what it was given.
//! - [`sequential_access`] lets loops run over the elements of such a buffer, with a condition where there is padding.
//! - [`cache_read`] and [`cache_write`] make copies, whose layout is free.
//! - `padded` tells, of a finished program, which elements are padding, who provides what they hold and who reads them.
//! - [`remove_assume`] and [`remove_undef`] come last: nothing rests on assumptions any more, and `T.undef()` is no value.
//!
//! Each is a small file; `accesses`, `coverage` (which elements are accessed for certain), `region` (which may be), `prune` (what
//! is left empty) and `store_nest` are what they share. Proofs are those of `arith`: what is not proven is refused, with its place.

mod accesses;
mod assume;
mod build;
mod cache;
mod coverage;
mod layout;
mod padded;
mod place;
mod pointers;
mod prune;
mod refusal;
mod region;
mod sequential;
mod shared;
mod store_nest;
#[cfg(test)]
mod tests;
mod undef;
mod value;
mod values;
mod written_first;

pub use assume::remove_assume;
pub use cache::{cache_read, cache_write};
#[doc(hidden)]
pub use layout::Layout;
pub use layout::{LayoutChange, transform_layout};
#[doc(hidden)]
pub use padded::{Padded, Part, Uses, padded};
pub use sequential::{Sequential, sequential_access};
pub use undef::remove_undef;
pub use value::Pad;

use crate::error::Error;
use crate::ir::{BufferId, PrimFunc};

/// The buffer of this name.
fn find_buffer(func: &PrimFunc, name: &str, pass: &'static str) -> Result<BufferId, Error> {
    let named =
        (0..func.buffers.len()).map(|k| BufferId(k as u32)).filter(|&id| *func.buffer(id).name == *name);
    match named.collect::<Vec<_>>()[..] {
        [id] => Ok(id),
        [] => {
            let known: Vec<String> = func.buffers.iter().map(|buffer| format!("`{}`", buffer.name)).collect();
            let what = format!("`{}` has no buffer `{name}`; it has {}", func.name, known.join(", "));
            Err(Error::Argument { pass, what })
        }
        [..] => Err(Error::Argument { pass, what: format!("`{}` has several buffers `{name}`", func.name) }),
    }
}
