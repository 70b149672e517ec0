//! The congruence closure of an e-graph, without the clock of egg.
//!
//! egg times every rebuild for a log message. Its clock is that of the crate quanta, which spins for milliseconds to
//! calibrate itself when it is first read: longer than most programs take to optimize. Here that clock stands still.

use std::cell::LazyCell;

use super::graph::Graph;

thread_local! {
    static STOPPED: LazyCell<quanta::Clock> = LazyCell::new(|| quanta::Clock::mock().0);
}

/// As [`rebuild`], after which nothing was done but to add nodes and to unite classes: if neither, the classes need not be
/// gone through.
pub(crate) fn rebuild_if_changed(graph: &mut Graph) {
    if !graph.clean {
        rebuild(graph);
    }
}

/// Restores the invariants of the graph after nodes were added and classes united.
#[allow(clippy::disallowed_methods, reason = "this is what stands in its place")]
pub(crate) fn rebuild(graph: &mut Graph) {
    STOPPED.with(|clock| quanta::with_clock(clock, || graph.raw_mut().rebuild()));
}
