//! Threads with large stacks, and panics that become failures.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};

use super::io::Failure;

/// Stack of the threads that do the work. Programs may be nested [`MAX_DEPTH`](satir::ir::MAX_DEPTH) deep; only the
/// pages that are touched are ever allocated.
pub(crate) const STACK: usize = 512 << 20;

/// Runs `f`; a panic in it is a failure with a message.
pub(crate) fn guarded<T>(f: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    panic::catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|payload| {
        Err(Failure::Bad(format!(
            "error: internal error (a bug in satir, please report it): {}",
            text_of(&*payload)
        )))
    })
}

fn text_of(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

/// Lets work that is done in parallel have large stacks too, on `jobs` threads or on one for each processor. Only the
/// first call has an effect.
pub(crate) fn prepare_threads(jobs: Option<u16>) {
    // Zero is rayon's word for as many as there are processors. An error means that the pool exists already.
    let _ = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.map_or(0, usize::from))
        .stack_size(STACK)
        .build_global();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_failure() {
        let failure = guarded::<()>(|| panic!("at the disco")).unwrap_err();
        assert!(failure.message().ends_with("at the disco"), "{}", failure.message());
    }
}
