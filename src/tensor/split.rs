//! Which tensors the forward function keeps for the backward one: the stash.
//!
//! Both functions are planned as one is, each with items of its own. A tensor that both can compute is a candidate: if it is
//! in the stash the forward function has to keep it, and the backward function has it from the start. From several stashes a
//! search adds and removes candidates as long as both functions together get cheaper, within the budget of bytes.

use hashbrown::HashSet;

use super::items::{Items, Role};
use super::keys::Values;
use super::mincut::Cut;
use super::nest::{Member, Nest, Seen, World, trip};
use super::plan::Plan;
use super::search::{Found, improve, search};
use super::stored::Size;
use super::term::{Node, Term};
use crate::cost::{Cost, Profile, Weight};
use crate::ir::{BufferId, ExprKind};

/// A tensor that both functions can compute.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The item of the forward function.
    pub forward: usize,
    /// The item of the backward function.
    pub backward: usize,
    pub bytes: u64,
    /// Whether the caller passes it in any case.
    pub passed: bool,
    /// Whether it is a reduction that reads what it folds more often than the limit allows to do again.
    pub dear: bool,
}

/// Values, and the items of both functions: first the forward one.
pub(crate) struct Sides<'a> {
    pub values: Values,
    pub items: [Items; 2],
    pub closed: [HashSet<BufferId>; 2],
    pub seen: [Seen; 2],
    pub profile: &'a Profile,
    pub store: Weight,
}

impl Sides<'_> {
    fn world(&mut self, side: usize) -> World<'_> {
        World {
            values: &mut self.values,
            items: &self.items[side],
            profile: self.profile,
            store: self.store,
            closed: &self.closed[side],
            seen: &mut self.seen[side],
        }
    }

    /// The tensors that both functions can compute; `limit` is how often a reduction may read what it folds.
    pub(crate) fn candidates(&mut self, limit: u64) -> Vec<Candidate> {
        let mut found = Vec::new();
        for backward in 0..self.items[1].list.len() {
            let item = self.items[1].list[backward].clone();
            if item.role == Role::Output {
                continue;
            }
            let Some(forward) = self.items[0].twin(&mut self.values, &item) else { continue };
            let elements = points(&item.axes[..item.kept], self.profile);
            let dtype =
                item.folding(&self.values).map_or(self.values.terms.dtype(item.term), |f| f.init.dtype);
            let bytes = elements.saturating_mul(u64::from(dtype.bits).div_ceil(8));
            let dear = item.folding(&self.values).is_some()
                && points(&item.axes, self.profile)
                    > limit.saturating_mul(self.elements_read(item.term, &item.axes));
            found.push(Candidate { forward, backward, bytes, passed: item.role == Role::Given, dear });
        }
        found
    }

    /// How many elements of tensors a body reads, each counted once.
    fn elements_read(&self, body: Term, axes: &[Size]) -> u64 {
        let mut tensors: Vec<(Result<BufferId, u32>, u64)> = Vec::new();
        let mut seen = HashSet::new();
        let mut open = vec![body];
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            open.extend_from_slice(self.values.terms.children(term));
            let tensor = match self.values.terms.node(term) {
                Node::Stored(number, ..) => Err(*number),
                Node::Form(head, _) => match head.kind {
                    ExprKind::Load { buffer, .. } => Ok(buffer),
                    _ => continue,
                },
                Node::Axis(..) => continue,
            };
            let own: Vec<Size> =
                self.values.terms.axes(term).iter().map(|&axis| axes[axis as usize].clone()).collect();
            let count = points(&own, self.profile);
            match tensors.iter_mut().find(|(known, _)| *known == tensor) {
                Some((_, most)) => *most = (*most).max(count),
                None => tensors.push((tensor, count)),
            }
        }
        tensors.iter().map(|(_, count)| count).sum()
    }
}

fn points(axes: &[Size], profile: &Profile) -> u64 {
    axes.iter().fold(1, |all, size| all.saturating_mul(trip(size, profile)))
}

/// Plans for both functions, and the stash between them.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub plans: [Plan; 2],
    /// Which candidates the backward function has from the start.
    pub on: Vec<bool>,
}

/// What is compared of states: bytes beyond the budget, reductions that are done again although they are dear, the cost of
/// both functions, bytes.
type Merit = (u64, usize, Cost, u64);

/// What the search came to.
pub(crate) struct Outcome {
    pub state: State,
    pub found: Vec<Found>,
    pub evaluations: usize,
}

/// The search for a stash.
pub(crate) struct Search<'a, 'b> {
    pub sides: &'a mut Sides<'b>,
    pub candidates: &'a [Candidate],
    pub budget: Option<u64>,
    pub limit: usize,
    pub evaluations: usize,
}

impl Search<'_, '_> {
    /// The best state that is found; `None` if a function cannot be planned at all.
    pub(crate) fn run(mut self) -> Option<Outcome> {
        let half = (self.limit / 2).max(1);
        let first = search(&mut self.sides.world(0), half)?;
        let second = search(&mut self.sides.world(1), half)?;
        self.evaluations = 0;
        let on = self.candidates.iter().map(|candidate| candidate.passed).collect();
        let apart = self.settled(State { plans: [first.plan, second.plan], on })?;
        let mut found = Vec::new();
        let mut best: Option<State> = None;
        let starts: [(&'static str, Vec<bool>); 3] = [
            ("nothing stashed", apart.on.clone()),
            ("everything stashed", vec![true; self.candidates.len()]),
            ("minimum cut", self.cut()),
        ];
        let mut known: Vec<Vec<bool>> = Vec::new();
        for (at, (name, wanted)) in starts.into_iter().enumerate() {
            let mut state = apart.clone();
            for (candidate, wanted) in wanted.into_iter().enumerate() {
                if wanted && !state.on[candidate] {
                    state = self.flipped(&state, candidate).unwrap_or(state);
                }
            }
            state = self.settled(state)?;
            found.push(Found { name, cost: cost(&state) });
            if known.contains(&state.on) {
                continue;
            }
            known.push(state.on.clone());
            let limit = self.limit * (at + 1) / 3;
            self.fit(&mut state, limit);
            self.climb(&mut state, limit);
            self.restructure(&mut state);
            self.climb(&mut state, limit);
            found.push(Found { name: "from there", cost: cost(&state) });
            if best.as_ref().is_none_or(|best| self.merit(&state) < self.merit(best)) {
                best = Some(state);
            }
        }
        let evaluations = self.evaluations;
        best.map(|state| Outcome { state, found, evaluations })
    }

    /// The bytes of what the backward function reads of the forward one. What several items hold counts once.
    pub(crate) fn bytes(&self, state: &State) -> u64 {
        let needed = state.plans[1].needed();
        let mut seen = HashSet::new();
        let on = self.candidates.iter().zip(&state.on).filter(|(_, on)| **on);
        let read = on.filter(|(candidate, _)| needed[candidate.backward]);
        read.filter(|(candidate, _)| seen.insert(candidate.forward))
            .map(|(candidate, _)| candidate.bytes)
            .sum()
    }

    /// Whether some candidate in the stash is this item of the forward function.
    fn is_kept_for_backward(&self, state: &State, forward: usize) -> bool {
        let on = self.candidates.iter().zip(&state.on).filter(|(_, on)| **on);
        on.into_iter().any(|(candidate, _)| candidate.forward == forward && !candidate.passed)
    }

    fn merit(&self, state: &State) -> Merit {
        let bytes = self.bytes(state);
        let again = |candidate: &&Candidate| candidate.dear && state.plans[1].kept[candidate.backward];
        let excess = self.budget.map_or(0, |budget| bytes.saturating_sub(budget));
        (excess, self.candidates.iter().filter(again).count(), cost(state), bytes)
    }

    /// The state with one candidate more or less in the stash.
    fn flipped(&mut self, state: &State, at: usize) -> Option<State> {
        let candidate = self.candidates[at].clone();
        let mut made = state.clone();
        made.on[at] = !state.on[at];
        made.plans[1] = made.plans[1].giving(&mut self.sides.world(1), candidate.backward, made.on[at])?;
        let others = !made.on[at] && self.is_kept_for_backward(&made, candidate.forward);
        if !candidate.passed && !others {
            let mut world = self.sides.world(0);
            made.plans[0] = if made.on[at] {
                made.plans[0].demanding(&mut world, candidate.forward)?
            } else {
                made.plans[0].releasing(&mut world, candidate.forward)?
            };
        }
        self.settled(made)
    }

    /// The state without what the backward function does not read.
    fn settled(&mut self, mut state: State) -> Option<State> {
        let needed = state.plans[1].needed();
        for (at, candidate) in self.candidates.iter().enumerate() {
            if state.on[at] && !candidate.passed && !needed[candidate.backward] {
                state.on[at] = false;
                state.plans[1].given[candidate.backward] = false;
                if self.is_kept_for_backward(&state, candidate.forward) {
                    continue;
                }
                state.plans[0] = state.plans[0].releasing(&mut self.sides.world(0), candidate.forward)?;
            }
        }
        Some(state)
    }

    /// Takes candidates out of the stash until it fits the budget, those first whose bytes save the least work.
    fn fit(&mut self, state: &mut State, limit: usize) {
        while self.merit(state).0 > 0 {
            let mut best: Option<(f64, State)> = None;
            let (before, bytes) = (cost(state).to_f64(), self.bytes(state));
            for at in (0..self.candidates.len()).filter(|&at| state.on[at]).collect::<Vec<_>>() {
                self.evaluations += 1;
                let Some(other) = self.flipped(state, at) else { continue };
                let freed = bytes.saturating_sub(self.bytes(&other));
                let price = (cost(&other).to_f64() - before) / freed as f64;
                if freed > 0 && best.as_ref().is_none_or(|(known, _)| price < *known) {
                    best = Some((price, other));
                }
            }
            match best {
                Some((_, other)) if self.evaluations < limit => *state = other,
                _ => return,
            }
        }
    }

    /// Changes the stash as long as that makes the state better: one candidate, or one for another.
    fn climb(&mut self, state: &mut State, limit: usize) {
        loop {
            let mut best: Option<State> = None;
            let mut over = Vec::new();
            for at in 0..self.candidates.len() {
                if self.evaluations >= limit {
                    break;
                }
                self.evaluations += 1;
                let Some(other) = self.flipped(state, at) else { continue };
                if self.merit(&other).0 > 0 && other.on[at] {
                    over.push(other);
                } else if self.merit(&other) < self.merit(best.as_ref().unwrap_or(state)) {
                    best = Some(other);
                }
            }
            if best.is_none() {
                // What is too much alone may take the place of others.
                for mut other in over {
                    self.fit(&mut other, limit);
                    if self.merit(&other) < self.merit(best.as_ref().unwrap_or(state)) {
                        best = Some(other);
                    }
                }
            }
            match best {
                Some(other) => *state = other,
                None => return,
            }
        }
    }

    /// Changes the nests of both functions.
    fn restructure(&mut self, state: &mut State) {
        for side in 0..2 {
            let limit = self.limit / 2;
            improve(&mut self.sides.world(side), &mut state.plans[side], &mut 0, limit);
        }
        if let Some(settled) = self.settled(state.clone()) {
            *state = settled;
        }
    }

    /// The least bytes with which no reduction that is dear is done again.
    fn cut(&mut self) -> Vec<bool> {
        let weights: Vec<u64> = self.candidates.iter().map(|candidate| candidate.bytes.max(1)).collect();
        let mut cut = Cut::new(&weights);
        let count = self.sides.items[1].list.len();
        let readable = vec![true; count];
        let number = |item: usize| self.candidates.iter().position(|candidate| candidate.backward == item);
        for item in 0..count {
            let axes = self.sides.items[1].list[item].axes.clone();
            let members = vec![Member { item, loops: (0..axes.len() as u32).collect() }];
            let nest = Nest { loops: axes, members };
            let Some(content) = self.sides.world(1).content(&nest, &readable) else { continue };
            let needs = content.needs.iter().filter_map(|&need| number(need));
            match number(item) {
                Some(own) => needs.for_each(|need| cut.edge(need, own)),
                None => needs.for_each(|need| cut.sink(need)),
            }
        }
        for (at, candidate) in self.candidates.iter().enumerate() {
            if candidate.dear {
                cut.source(at);
            }
        }
        cut.nodes()
    }
}

fn cost(state: &State) -> Cost {
    state.plans.iter().map(Plan::cost).sum()
}
