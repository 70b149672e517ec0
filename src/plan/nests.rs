//! Statements of a function that are worked on as functions of their own. States of a search differ in few of them, so what is
//! made of each is kept while the search runs.

use std::rc::Rc;

use crate::analysis::hashed::Hashed;
use crate::analysis::recall;
use crate::cse::Options;
use crate::ir::PrimFunc;
use crate::loops;
use crate::script::print_func;

/// What is done to a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Work {
    ReduceExtents,
    Hoist,
    Loops,
    Compiled,
    WriteOut,
}

/// A question to [`recall`]. The text of a function says all of it but names that occur in none of its statements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Question {
    work: Work,
    /// The options, which are the same object throughout a search.
    options: usize,
    text: String,
}

/// In functions with more statements of their own nothing is kept: it takes time to tell them from others.
const MAX_STATEMENTS: usize = 64;

/// The function with each of its own statements that has loops changed, or changed as a whole if it has many; `None` if none is.
/// What `change` makes may depend on nothing but the statement as a function of its own, and the options.
pub(super) fn changed(
    func: &PrimFunc,
    work: (Work, &Options),
    mut change: impl FnMut(&PrimFunc) -> Option<PrimFunc>,
) -> Option<PrimFunc> {
    let mut made = func.clone();
    let changed = each(&mut made, work, |alone| match change(alone) {
        Some(other) => {
            *alone = other;
            true
        }
        None => false,
    });
    changed.then_some(made)
}

/// Does `change` to each of the function's own statements that has loops, or to the function if it has many. Whether it changed
/// any; it may depend on nothing but the statement as a function of its own, and the options.
pub(super) fn each(
    func: &mut PrimFunc,
    (work, options): (Work, &Options),
    mut change: impl FnMut(&mut PrimFunc) -> bool,
) -> bool {
    if func.body.len() > MAX_STATEMENTS {
        return change(func);
    }
    loops::each_nest(func, |alone| {
        let text = print_func(alone);
        let question = Hashed::new(Question { work, options: std::ptr::from_ref(options).addr(), text });
        let made: Option<Rc<PrimFunc>> = recall::answer(&question, |_| {
            let mut made = alone.clone();
            change(&mut made).then(|| Rc::new(made))
        });
        if let Some(made) = &made {
            alone.clone_from(made);
        }
        made.is_some()
    })
}
