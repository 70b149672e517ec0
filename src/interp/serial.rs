//! Statements, one thread after the other.

use super::flow::{Flow, Range};
use super::machine::{Machine, Stop};
use super::outcome::TrapKind;
use super::program::{Loop, Node};
use super::races::Races;
use super::thread::Thread;

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
                self.decided(t, *slot, cond.start)?;
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
                self.decided(t, *slot, cond.start)?;
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
                self.decided(t, *slot, code.start)?;
                Ok(Flow::Return(t.returned(*slot, *dtype)))
            }
        }
    }

    fn run_loop(&mut self, t: &mut Thread, for_: &'p Loop) -> Result<Flow, Stop> {
        if for_.threads.is_none() || self.races.is_none() {
            return self.iterate_loop(t, for_);
        }
        self.races.iter_mut().for_each(Races::enter);
        let flow = self.iterate_loop(t, for_);
        self.races.iter_mut().for_each(Races::leave);
        flow
    }

    fn iterate_loop(&mut self, t: &mut Thread, for_: &'p Loop) -> Result<Flow, Stop> {
        self.run(t, for_.head)?;
        self.decided_loop(t, for_)?;
        let mut range = Range::of(t, for_)?;
        while let Some(value) = range.next(for_)? {
            t.regs[for_.var as usize] = value as u64;
            self.iteration(for_.head.start)?;
            if let Some(races) = self.races.as_mut().filter(|_| for_.threads.is_some()) {
                races.next();
            }
            match self.run_nodes(t, &for_.body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break,
                Flow::Return(value) => return Ok(Flow::Return(value)),
            }
        }
        Ok(Flow::Next)
    }
}
