//! Work without the interpreter's lock, which Ctrl-C ends.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::errors;

/// How often it is looked whether the user wants to stop.
const PERIOD: Duration = Duration::from_millis(50);

/// Stack of a thread that works. Only the pages that are touched are ever allocated.
const STACK: usize = 512 << 20;

/// Work, and then what tells of its end.
type Job = Box<dyn FnOnce() -> Box<dyn FnOnce()> + Send>;

/// Threads that wait for work, and the process that they belong to. They keep their memory: a new thread would have to
/// get all of it from the system again.
struct Idle {
    process: u32,
    workers: Vec<Sender<Job>>,
}

static IDLE: Mutex<Idle> = Mutex::new(Idle { process: 0, workers: Vec::new() });

/// Tells work whether somebody still waits for it.
#[derive(Clone, Default)]
pub(crate) struct Watch(Arc<AtomicBool>);

impl Watch {
    /// Whether nobody waits any more, so that what is done is for nothing.
    pub(crate) fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs `work` on a thread of its own while other threads of Python run. On Ctrl-C the exception is raised at once; what the
/// thread still does is dropped when it is done, or when it looks at its watch.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Watch) -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    let (send, mut receive) = sync_channel(1);
    let watch = Watch::default();
    let own = watch.clone();
    let job: Job = Box::new(move || {
        let result = panic::catch_unwind(AssertUnwindSafe(|| work(&own)));
        let result = result.unwrap_or_else(|payload| Err(panicked(&*payload)));
        // Nobody waits any more if the user has stopped it.
        Box::new(move || drop(send.send(result)))
    });
    worker()?.send(job).map_err(|_| errors::panic("a thread ended"))?;
    loop {
        let (received, back) = py.detach(move || (receive.recv_timeout(PERIOD), receive));
        receive = back;
        match received {
            Ok(result) => return result,
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals().inspect_err(|_| watch.0.store(true, Ordering::Relaxed))?;
            }
            Err(RecvTimeoutError::Disconnected) => return Err(errors::panic("a thread ended")),
        }
    }
}

/// A thread that waits for work: an idle one, or a new one.
fn worker() -> PyResult<Sender<Job>> {
    if let Some(worker) = with_idle(Vec::pop) {
        return Ok(worker);
    }
    let (send, jobs) = mpsc::channel::<Job>();
    let own = send.clone();
    let serve = move || {
        for job in jobs {
            let deliver = job();
            // Whoever waits for the result may have the next job.
            with_idle(|workers| workers.push(own.clone()));
            deliver();
        }
    };
    let spawned = thread::Builder::new().name("satir".to_owned()).stack_size(STACK).spawn(serve);
    spawned.map_err(|e| errors::panic(&format!("cannot start a thread: {e}")))?;
    Ok(send)
}

/// The idle threads of this process: those of the one that it was forked from do not exist here.
fn with_idle<T>(f: impl FnOnce(&mut Vec<Sender<Job>>) -> T) -> T {
    let mut idle = IDLE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let process = std::process::id();
    if idle.process != process {
        // Not dropped: their channels belong to threads that are not there.
        std::mem::forget(std::mem::take(&mut idle.workers));
        idle.process = process;
    }
    f(&mut idle.workers)
}

/// The error for what a panic said.
pub(crate) fn panicked(payload: &(dyn Any + Send)) -> PyErr {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    errors::panic(text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message"))
}
