//! Padding, layouts and assumptions.

mod accesses;
mod assume;
mod build;
mod cache;
mod coverage;
mod layout;
mod prune;
mod refusal;
mod sequential;
mod store_nest;
mod undef;
mod value;

pub use assume::remove_assume;
pub use cache::{cache_read, cache_write};
pub use layout::{LayoutChange, transform_layout};
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
