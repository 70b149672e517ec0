//! Long functions, a window at a time.
//!
//! An e-graph of a whole function that was unrolled a thousandfold lies in no cache: each look at it waits for memory, and
//! longer the larger it is. So such a function is taken in windows of bounded length, each with a graph of its own, and time
//! grows with the length of the function as it does from one window to the next.
//!
//! The *view* of a window is the function with all that is outside of it emptied: of each row of statements is left that they
//! write their buffers, and that they act if they do. So scopes, frequencies and memory versions are what they are in the
//! function, or know less, and what is right in a view is right in the function: bindings stand before the first statement
//! that uses them, and no memory that they read is written in between. What several windows bind alike is bound once again
//! when they are put together.

mod merge;
mod split;

use rayon::prelude::*;

use self::split::Counters;
pub(super) use self::split::Windows;
use crate::eqsat::{Failure, Stats};
use crate::ir::{PrimFunc, with_room};

impl Windows<'_> {
    /// The function put together from what `optimize` makes of the view of each window, several at a time. A view of which it
    /// makes nothing stays as it is, unless it makes nothing of any.
    pub(super) fn optimize(
        &self,
        optimize: impl Fn(&PrimFunc) -> Result<(PrimFunc, Stats), Failure> + Sync,
    ) -> Result<(PrimFunc, Stats), Failure> {
        let func = &*self.func;
        log::debug!("function `{}` is taken in {} windows", func.name, self.ranges.len());
        let made = self.ranges.par_iter().map(|window| {
            let mut view = func.hollow();
            view.body = self.view_of(&func.body, window, &mut Counters::default());
            with_room(|| optimize(&view)).map_err(|failure| Box::new((failure, view)))
        });
        let mut done: Result<Stats, Failure> = Err(Failure::NoTerm);
        let mut views = Vec::with_capacity(self.ranges.len());
        for result in made.collect::<Vec<_>>() {
            views.push(match result {
                Ok((view, stats)) => {
                    done = Ok(match done {
                        Ok(sum) => sum.and(stats),
                        Err(_) => stats,
                    });
                    view
                }
                Err(failed) => {
                    let (failure, view) = *failed;
                    done = done.or(Err(failure));
                    view
                }
            });
        }
        done.map(|stats| (merge::merge(self, views), stats))
    }
}
