//! Statements, one thread after the other.

use super::machine::{Machine, Stop, Thread};
use super::program::{Loop, Node};
use super::{Return, TrapKind};

/// Where control goes after a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    Break,
    Continue,
    Return(Return),
}

impl<'p> Machine<'p> {
    /// Runs statements on one thread.
    pub(super) fn run_nodes(&mut self, t: &mut Thread, nodes: &'p [Node]) -> Result<Flow, Stop> {
        for node in nodes {
            match self.run_node(t, node)? {
                Flow::Next => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn run_node(&mut self, t: &mut Thread, node: &'p Node) -> Result<Flow, Stop> {
        let program = self.program;
        match node {
            Node::Code(code) => {
                self.run(t, *code)?;
                Ok(Flow::Next)
            }
            Node::If { cond, slot, then, otherwise } => {
                self.run(t, *cond)?;
                let holds = t.regs[*slot as usize] != 0;
                self.run_nodes(t, if holds { then } else { otherwise })
            }
            Node::For(for_) => {
                if program.lockstep && for_.threads.is_some() {
                    self.run_region(t, for_)
                } else {
                    self.run_loop(t, for_)
                }
            }
            Node::While { cond, slot, body } => loop {
                self.run(t, *cond)?;
                if t.regs[*slot as usize] == 0 {
                    return Ok(Flow::Next);
                }
                self.iteration(cond.start)?;
                match self.run_nodes(t, body)? {
                    Flow::Next | Flow::Continue => {}
                    Flow::Break => return Ok(Flow::Next),
                    Flow::Return(value) => return Ok(Flow::Return(value)),
                }
            },
            Node::Setup(setup) => {
                self.declare(t, &program.setups[*setup as usize])?;
                Ok(Flow::Next)
            }
            Node::AllReduce(reduction) => {
                let at = program.reductions[*reduction as usize].args.start;
                Err(Stop { kind: TrapKind::NoThreads, at })
            }
            Node::Break => Ok(Flow::Break),
            Node::Continue => Ok(Flow::Continue),
            Node::Return { code, slot, dtype } => {
                self.run(t, *code)?;
                Ok(Flow::Return(Return::of(t, *slot, *dtype)))
            }
        }
    }

    fn run_loop(&mut self, t: &mut Thread, for_: &'p Loop) -> Result<Flow, Stop> {
        self.run(t, for_.head)?;
        let mut range = Range::of(t, for_)?;
        while let Some(value) = range.next(for_)? {
            t.regs[for_.var as usize] = value as u64;
            self.iteration(for_.head.start)?;
            match self.run_nodes(t, &for_.body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break,
                Flow::Return(value) => return Ok(Flow::Return(value)),
            }
        }
        Ok(Flow::Next)
    }
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
            let overflow = || Stop {
                kind: TrapKind::Undefined(crate::ir::value::Undefined::Overflow),
                at: for_.head.start,
            };
            self.next = value.checked_add(self.step).ok_or_else(overflow)?;
        }
        Ok(Some(value))
    }
}
