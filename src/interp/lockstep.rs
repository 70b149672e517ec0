//! Statements, on all threads of a block together: each statement is finished by every thread before the next one
//! begins. A thread that has left a loop or taken the other arm waits.

use std::collections::BTreeMap;

use super::flow::{Flow, Range};
use super::machine::{Machine, Stop};
use super::outcome::Return;
use super::program::{AllReduce, Loop, MemoryKind, Node, Setup, Source};
use super::thread::Thread;

/// Threads of a block, and what each is doing.
struct Team {
    threads: Vec<Thread>,
    state: Vec<State>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Running,
    Broke,
    Continued,
    Returned,
}

impl<'p> Machine<'p> {
    /// Runs the outermost launch of a block's threads.
    pub(super) fn run_region(&mut self, t: &mut Thread, for_: &'p Loop) -> Result<Flow, Stop> {
        let mut team = Team { threads: vec![t.clone()], state: vec![State::Running] };
        team.threads[0].owned.clear();
        self.launch(&mut team, &[0], for_)?;
        Ok(if team.state[0] == State::Returned { Flow::Return(Return::Void) } else { Flow::Next })
    }

    fn run_team(&mut self, team: &mut Team, active: &[usize], nodes: &'p [Node]) -> Result<(), Stop> {
        let mut active = active.to_vec();
        for node in nodes {
            active.retain(|&k| team.state[k] == State::Running);
            if active.is_empty() {
                break;
            }
            self.run_team_node(team, &active, node)?;
        }
        Ok(())
    }

    fn run_team_node(&mut self, team: &mut Team, active: &[usize], node: &'p Node) -> Result<(), Stop> {
        let program = self.program;
        match node {
            Node::Code(code) => {
                if let Some(races) = &mut self.races {
                    races.begin();
                }
                for &k in active {
                    if let Some(races) = self.races.as_mut().filter(|_| active.len() > 1) {
                        races.run(k);
                    }
                    self.run(&mut team.threads[k], *code)?;
                }
                if let Some(races) = &mut self.races {
                    races.begin();
                }
            }
            Node::If { cond, slot, then, otherwise } => {
                let (mut yes, mut no) = (Vec::new(), Vec::new());
                for &k in active {
                    self.run(&mut team.threads[k], *cond)?;
                    self.decided(&team.threads[k], *slot, cond.start)?;
                    let holds = team.threads[k].regs[*slot as usize] != 0;
                    if holds { yes.push(k) } else { no.push(k) }
                }
                self.run_team(team, &yes, then)?;
                self.run_team(team, &no, otherwise)?;
            }
            Node::For(for_) if for_.threads.is_some() => self.launch(team, active, for_)?,
            Node::For(for_) => {
                let mut ranges = Vec::with_capacity(active.len());
                for &k in active {
                    self.run(&mut team.threads[k], for_.head)?;
                    self.decided_loop(&team.threads[k], for_)?;
                    ranges.push((k, Range::of(&team.threads[k], for_)?));
                }
                self.iterate(team, &for_.body, |machine, team| {
                    let mut again = Vec::new();
                    for (k, range) in &mut ranges {
                        if team.state[*k] == State::Running
                            && let Some(value) = range.next(for_)?
                        {
                            team.threads[*k].regs[for_.var as usize] = value as u64;
                            machine.iteration(for_.head.start)?;
                            again.push(*k);
                        }
                    }
                    Ok(again)
                })?;
                resume(team, active, State::Broke);
            }
            Node::While { cond, slot, body } => {
                self.iterate(team, body, |machine, team| {
                    let mut again = Vec::new();
                    for &k in active {
                        if team.state[k] == State::Running {
                            machine.run(&mut team.threads[k], *cond)?;
                            machine.decided(&team.threads[k], *slot, cond.start)?;
                            if team.threads[k].regs[*slot as usize] != 0 {
                                machine.iteration(cond.start)?;
                                again.push(k);
                            } else {
                                team.state[k] = State::Broke;
                            }
                        }
                    }
                    Ok(again)
                })?;
                resume(team, active, State::Broke);
            }
            Node::Setup(setup) => self.declare_team(team, active, &program.setups[*setup as usize])?,
            Node::AllReduce(reduction) => {
                self.allreduce(team, active, &program.reductions[*reduction as usize])?;
            }
            Node::Break => active.iter().for_each(|&k| team.state[k] = State::Broke),
            Node::Continue => active.iter().for_each(|&k| team.state[k] = State::Continued),
            Node::Return { code, .. } => {
                for &k in active {
                    self.run(&mut team.threads[k], *code)?;
                    team.state[k] = State::Returned;
                }
            }
        }
        Ok(())
    }

    /// Runs `body` on the threads that `begin` lets begin an iteration, until there are none.
    fn iterate(
        &mut self,
        team: &mut Team,
        body: &'p [Node],
        mut begin: impl FnMut(&mut Self, &mut Team) -> Result<Vec<usize>, Stop>,
    ) -> Result<(), Stop> {
        loop {
            let again = begin(self, team)?;
            if again.is_empty() {
                return Ok(());
            }
            self.run_team(team, &again, body)?;
            resume(team, &again, State::Continued);
        }
    }

    /// Each active thread becomes as many threads as the launch says; they run the body and end.
    fn launch(&mut self, team: &mut Team, active: &[usize], for_: &'p Loop) -> Result<(), Stop> {
        let tag = for_.threads.unwrap_or_default();
        let mut inner = Team { threads: Vec::new(), state: Vec::new() };
        let mut parents = Vec::new();
        for &k in active {
            self.run(&mut team.threads[k], for_.head)?;
            let mut range = Range::of(&team.threads[k], for_)?;
            while let Some(value) = range.next(for_)? {
                self.iteration(for_.head.start)?;
                let mut thread = team.threads[k].clone();
                thread.owned.clear();
                thread.regs[for_.var as usize] = value as u64;
                thread.coords.push((tag, for_.var, value as u64));
                self.own_copies(&mut thread);
                inner.threads.push(thread);
                inner.state.push(State::Running);
                parents.push(k);
            }
        }
        let all: Vec<usize> = (0..inner.threads.len()).collect();
        self.run_team(&mut inner, &all, &for_.body)?;
        for &k in active {
            let mut of_k = parents.iter().zip(&inner.state).filter(|(parent, _)| **parent == k).peekable();
            if of_k.peek().is_some() && of_k.all(|(_, state)| *state == State::Returned) {
                team.state[k] = State::Returned;
            }
        }
        for memory in inner.threads.into_iter().flat_map(|thread| thread.owned) {
            self.forget_copies(memory);
            self.free.push(memory);
        }
        Ok(())
    }

    /// Gives a new thread its own copies of private memory that was allocated outside of the launch: the same ones that
    /// this thread of the block had in an earlier launch.
    fn own_copies(&mut self, thread: &mut Thread) {
        let key: Vec<(u32, u64)> = thread.coords.iter().map(|&(tag, _, value)| (tag, value)).collect();
        for buffer in 0..thread.buffers.len() {
            let view = &mut thread.buffers[buffer];
            let private = self.program.buffers[buffer].memory == MemoryKind::Private;
            if !private || !view.is_declared() {
                continue;
            }
            view.allocated = false;
            let from = view.memory;
            let copy = match self.private_copies.get(&(from, key.clone())) {
                Some(&copy) => copy,
                None => {
                    let copy = self.add_memory(self.memories[from as usize].clone());
                    self.private_copies.insert((from, key.clone()), copy);
                    copy
                }
            };
            for view in &mut thread.buffers {
                if view.memory == from {
                    view.memory = copy;
                }
            }
        }
    }

    /// Forgets the threads' copies of `memory`, which is allocated anew.
    pub(super) fn forget_copies(&mut self, memory: u32) {
        let mut gone = vec![memory];
        while let Some(memory) = gone.pop() {
            let copies: Vec<(u32, Vec<(u32, u64)>)> = self
                .private_copies
                .range((memory, Vec::new())..)
                .take_while(|((from, _), _)| *from == memory)
                .map(|(key, _)| key.clone())
                .collect();
            for key in copies {
                if let Some(copy) = self.private_copies.remove(&key) {
                    self.free.push(copy);
                    gone.push(copy);
                }
            }
        }
    }

    /// A declaration on several threads. Shared memory is allocated once for all of them.
    fn declare_team(&mut self, team: &mut Team, active: &[usize], setup: &Setup) -> Result<(), Stop> {
        let shared = matches!(setup.source, Source::Alloc)
            && self.program.buffers[setup.buffer as usize].memory == MemoryKind::Shared;
        let Some((&first, others)) = active.split_first().filter(|_| shared) else {
            for &k in active {
                self.declare(&mut team.threads[k], setup)?;
            }
            return Ok(());
        };
        self.declare(&mut team.threads[first], setup)?;
        let view = team.threads[first].buffers[setup.buffer as usize].clone();
        for &k in others {
            self.run(&mut team.threads[k], setup.code)?;
            team.threads[k].buffers[setup.buffer as usize] = view.clone();
        }
        Ok(())
    }

    /// A reduction over the threads that differ only in the variables reduced over: every one of them gets the result,
    /// combined in the order of the threads.
    fn allreduce(&mut self, team: &mut Team, active: &[usize], reduction: &'p AllReduce) -> Result<(), Stop> {
        let mut groups: BTreeMap<Vec<u64>, Vec<usize>> = BTreeMap::new();
        for &k in active {
            self.run(&mut team.threads[k], reduction.args)?;
            let kept = team.threads[k].coords.iter().filter(|(_, var, _)| !reduction.vars.contains(var));
            groups.entry(kept.map(|c| c.2).collect()).or_default().push(k);
        }
        for members in groups.into_values() {
            self.reduce_group(team, &members, reduction)?;
        }
        Ok(())
    }

    fn reduce_group(
        &mut self,
        team: &mut Team,
        members: &[usize],
        reduction: &'p AllReduce,
    ) -> Result<(), Stop> {
        let Some(&leader) = members.first() else {
            return Ok(());
        };
        let size = reduction.values.len();
        let (left, right) = reduction.params.split_at(size);
        let mut scratch = team.threads[leader].clone();
        self.run(&mut scratch, reduction.identity)?;
        let mut so_far: Vec<u64> =
            reduction.neutral.iter().map(|&slot| scratch.regs[slot as usize]).collect();
        for &k in members {
            if team.threads[k].regs[reduction.cond as usize] == 0 {
                continue;
            }
            for (&slot, &value) in left.iter().zip(&so_far) {
                scratch.regs[slot as usize] = value;
            }
            for (&slot, &(value, _)) in right.iter().zip(&reduction.values) {
                scratch.regs[slot as usize] = team.threads[k].regs[value as usize];
            }
            self.run(&mut scratch, reduction.combine)?;
            so_far = reduction.combined.iter().map(|&slot| scratch.regs[slot as usize]).collect();
        }
        for &k in members {
            for (&access, &value) in reduction.results.iter().zip(&so_far) {
                let access = &self.program.accesses[access as usize];
                self.store_values(&team.threads[k], access, &[value])
                    .map_err(|kind| Stop { kind, at: reduction.args.start })?;
            }
        }
        Ok(())
    }
}

/// Threads in a state go on running.
fn resume(team: &mut Team, threads: &[usize], from: State) {
    for &k in threads {
        if team.state[k] == from {
            team.state[k] = State::Running;
        }
    }
}
