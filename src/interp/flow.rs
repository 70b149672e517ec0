//! Where control goes: what follows a statement, and which iterations of a loop are left.

use super::machine::Stop;
use super::outcome::{Return, TrapKind};
use super::program::Loop;
use super::thread::Thread;
use crate::ir::value::Undefined;

/// Where control goes after a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    Break,
    Continue,
    Return(Return),
}

/// The values of a loop variable that are still to come.
pub(super) struct Range {
    next: i64,
    left: i64,
    step: i64,
}

impl Range {
    /// The range of a loop whose head was run on `t`.
    pub(super) fn of(t: &Thread, for_: &Loop) -> Result<Range, Stop> {
        let (next, left) = (t.int(for_.min), t.int(for_.extent));
        let step = for_.step.map_or(1, |slot| t.int(slot));
        if step <= 0 && left > 0 {
            return Err(Stop { kind: TrapKind::BadStep, at: for_.head.start });
        }
        Ok(Range { next, left, step })
    }

    pub(super) fn next(&mut self, for_: &Loop) -> Result<Option<i64>, Stop> {
        if self.left <= 0 {
            return Ok(None);
        }
        let value = self.next;
        self.left = self.left.saturating_sub(self.step);
        if self.left > 0 {
            let overflow = || Stop { kind: TrapKind::Undefined(Undefined::Overflow), at: for_.head.start };
            let next = value.checked_add(self.step).filter(|next| *next <= for_.most);
            self.next = next.ok_or_else(overflow)?;
        }
        Ok(Some(value))
    }
}
