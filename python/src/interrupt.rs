//! Work without the interpreter's lock, which Ctrl-C ends.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::errors;

/// How often it is looked whether the user wants to stop.
const PERIOD: Duration = Duration::from_millis(50);

/// Stack of the thread that works. Only the pages that are touched are ever allocated.
const STACK: usize = 512 << 20;

/// Runs `work` on a thread of its own while other threads of Python run. On Ctrl-C the exception is raised at once; what the
/// thread still does is dropped when it is done.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    let (send, receive) = sync_channel(1);
    let guarded = move || {
        let result = panic::catch_unwind(AssertUnwindSafe(work));
        // Nobody waits any more if the user has stopped it.
        let _ = send.send(result.unwrap_or_else(|payload| Err(errors::panic(text_of(&*payload)))));
    };
    let spawned = thread::Builder::new().name("satir".to_owned()).stack_size(STACK).spawn(guarded);
    spawned.map_err(|e| errors::panic(&format!("cannot start a thread: {e}")))?;
    let mut receiver = receive;
    loop {
        let (received, back) = py.detach(move || (receiver.recv_timeout(PERIOD), receiver));
        receiver = back;
        match received {
            Ok(result) => return result,
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(errors::panic("a thread ended")),
        }
    }
}

fn text_of(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message")
}
