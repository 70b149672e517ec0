//! The classes that sites can reach, with all ways to compute them and the choice that is in place; the cheapest trees.

use std::cell::LazyCell;
use std::ops::Range;

use egg::{Id, Language};
use hashbrown::HashSet;

use super::computed::ComputedSums;
use super::selection::Index;
use super::traps::{condition, may_trap, overflows};
use crate::cost::{Cost, Frequency};
use crate::egraph::{ClassMap, Classes, Knowing, Node, Op};
use crate::encode::{Lowered, Originals, Place, Scopes, may_overflow};
use crate::ir::BinOp;
use crate::target::{Objective, Price, Prices};
use crate::theory::representable;

/// The most passes of the tree-cost fixpoint; each lets costs flow over one more chain of late classes.
const MAX_PASSES: usize = 30;

/// The most classes looked at to see whether a candidate depends on its own class.
const CYCLE_FUEL: usize = 4000;

/// Which nodes may not be chosen, of those that do not stand in the input: what earlier choices with them showed.
#[derive(Clone, Debug, Default)]
pub(super) struct Restriction {
    /// Classes that would have been evaluated where the input does not.
    pub(super) classes: HashSet<Id>,
    /// Whether new nodes may compute, or use, no integer that is not shown to fit its type.
    pub(super) fitting: bool,
}

impl Restriction {
    fn forbids(&self, lowered: &Lowered, class: Id, node: &Node) -> bool {
        let of = |class: Id| {
            self.classes.contains(&lowered.graph.find(class))
                || self.fitting && may_overflow(lowered.graph.facts(class).dtype) && !lowered.fits(class)
        };
        (self.fitting || !self.classes.is_empty()) && (of(class) || node.children.iter().any(|&c| of(c)))
    }
}

/// A way to compute a class.
pub(super) struct Candidate<'a> {
    pub(super) node: &'a Node,
    /// Where its operands begin among those of all candidates, and how many they are.
    operands: (u32, u32),
    pub(super) price: Price,
    pub(super) own_needs: Place,
    /// Whether the operation itself may trap.
    pub(super) partial: bool,
    /// Whether it is a floor division that is written as a truncating one, which is the same for its operands.
    truncates: bool,
}

impl Candidate<'_> {
    /// The node as it goes into the result.
    pub(super) fn written(&self) -> Node {
        let op = match self.node.op {
            Op::Bin(BinOp::FloorDiv) if self.truncates => Op::Bin(BinOp::Div),
            Op::Bin(BinOp::FloorMod) if self.truncates => Op::Bin(BinOp::Mod),
            _ => return self.node.clone(),
        };
        Node { op, ..self.node.clone() }
    }
}

/// The classes that sites can reach, with all ways to compute them, and a choice among these.
pub(super) struct Selector<'a> {
    pub(super) objective: Objective<'a>,
    scopes: &'a Scopes,
    pub(super) classes: Vec<Id>,
    index: ClassMap<Index>,
    /// The candidates of all classes, class by class; and where those of each class begin, with the end.
    all: Vec<Candidate<'a>>,
    begins: Vec<u32>,
    /// The operands of all candidates, candidate by candidate.
    operands: Vec<u32>,
    /// Per class: the most that an address is executed that is computed from it; 0 if there is none.
    pub(super) executed: Vec<Frequency>,
    /// Per class: the candidate chosen (among all), where it can be computed, and its tree cost.
    pub(super) choice: Vec<Option<u32>>,
    pub(super) needs: Vec<Place>,
    pub(super) total: Vec<bool>,
    tree: Vec<Cost>,
    /// Per scope: how often it runs, or any around it if that is more. Else a class would seem cheapest where hardly
    /// anything runs (inside of a loop over nothing all is free), from where its value does not reach its other uses.
    pub(super) frequency: Vec<Frequency>,
    /// How often needs and totality have changed.
    pub(super) version: u32,
    /// Marks of the search for cycles.
    visited: Vec<u32>,
    stamp: u32,
}

const ROOT: Place = Place { scope: Scopes::ROOT, position: 0 };

impl<'a> Selector<'a> {
    pub(super) fn new(
        lowered: &'a Lowered,
        objective: Objective<'a>,
        restriction: &Restriction,
    ) -> Selector<'a> {
        let graph = &Classes::new(&lowered.graph);
        debug_assert!(graph.clean, "nodes have canonical operands");
        let originals = Originals::new(lowered);
        let prices = Prices::new(objective, lowered, graph);
        let sums = ComputedSums::new(lowered);
        let mut index = ClassMap::new(graph);
        // Room for all that there is: growing would copy it.
        let mut classes: Vec<Id> = Vec::with_capacity(graph.number_of_classes());
        let mut enter = |id: Id, classes: &mut Vec<Id>| {
            index.get(id).unwrap_or_else(|| {
                classes.push(id);
                index.insert(id, classes.len() - 1);
                classes.len() - 1
            })
        };
        for site in &lowered.sites {
            enter(graph.find(site.class), &mut classes);
        }
        let mut all: Vec<Candidate<'_>> = Vec::with_capacity(graph.total_size());
        let mut begins = Vec::with_capacity(graph.number_of_classes() + 1);
        begins.push(0);
        let mut operands = Vec::with_capacity(2 * graph.total_size());
        let mut executed = Vec::with_capacity(graph.number_of_classes());
        let mut next = 0;
        while next < classes.len() {
            let class = classes[next];
            let nodes = &graph.get(class).nodes;
            // Where index types do not overflow, a constant that has no place in its type is never met.
            let writable = |n: &&Node| {
                !n.is_virtual() && !matches!(n.op, Op::Int(v) if !representable(v.get(), n.dtype))
            };
            let constant =
                nodes.iter().position(|n| matches!(n.op, Op::Int(_) | Op::Float(_)) && writable(&n));
            let nodes = constant.map_or(&nodes[..], |at| &nodes[at..=at]);
            // What a constant chooses is another node of the class; the choice would only seem to halve its frequency.
            let open = |n: &&Node| writable(n) && !is_decided(graph, n);
            let any_open = nodes.iter().any(|n| open(&n));
            // Nowhere is it certain that such a value fits its type.
            let shown = LazyCell::new(|| sums.any(lowered, class));
            for node in nodes.iter().filter(|n| if any_open { open(n) } else { writable(n) }) {
                if overflows(lowered, class, node) && !*shown {
                    continue;
                }
                let is_new = !originals.contain(class, node);
                if is_new && restriction.forbids(lowered, class, node) {
                    continue;
                }
                let first = small(operands.len());
                operands.extend(node.children.iter().map(|&c| small(enter(c, &mut classes))));
                let own_needs = match node.op {
                    Op::Var(v) => lowered.scopes.definition(v).unwrap_or(ROOT),
                    Op::Load(_, version) => lowered.versions[version as usize],
                    _ => ROOT,
                };
                all.push(Candidate {
                    operands: (first, small(operands.len())),
                    price: prices.of(class, node, is_new),
                    own_needs,
                    partial: may_trap(lowered, class, node),
                    truncates: prices.truncates(class, node),
                    node,
                });
            }
            begins.push(small(all.len()));
            executed.push(prices.executed(class));
            next += 1;
        }
        let n = classes.len();
        Selector {
            objective,
            scopes: &lowered.scopes,
            classes,
            index,
            all,
            begins,
            operands,
            executed,
            choice: vec![None; n],
            needs: vec![ROOT; n],
            total: vec![false; n],
            tree: vec![Cost::MAX; n],
            frequency: lowered.scopes.frequencies(),
            version: 1,
            visited: vec![0; n],
            stamp: 0,
        }
    }

    /// How many classes there are.
    pub(super) fn classes(&self) -> usize {
        self.classes.len()
    }

    /// All ways to compute a class.
    pub(super) fn candidates(&self, c: Index) -> &[Candidate<'a>] {
        &self.all[self.range(c)]
    }

    /// Where the candidates of a class stand among all.
    pub(super) fn range(&self, c: Index) -> Range<usize> {
        self.begins[c] as usize..self.begins[c + 1] as usize
    }

    /// A candidate by its place among all.
    pub(super) fn candidate(&self, i: usize) -> &Candidate<'a> {
        &self.all[i]
    }

    /// The operands of a candidate.
    pub(super) fn operands(&self, candidate: &Candidate<'_>) -> &[u32] {
        let (first, end) = candidate.operands;
        &self.operands[first as usize..end as usize]
    }

    /// Chooses a candidate for a class, by its place among all.
    pub(super) fn choose(&mut self, c: Index, candidate: Option<usize>) {
        self.choice[c] = candidate.map(small);
    }

    /// The operands of all candidates of a class.
    fn operands_of_all(&self, c: Index) -> &[u32] {
        let begin = |i: usize| self.all.get(i).map_or(self.operands.len(), |k| k.operands.0 as usize);
        let range = self.range(c);
        &self.operands[begin(range.start)..begin(range.end)]
    }

    /// All ways to compute each class.
    pub(super) fn all_candidates(&self) -> impl Iterator<Item = &[Candidate<'a>]> {
        (0..self.classes()).map(|c| self.candidates(c))
    }

    /// The classes of the sites.
    pub(super) fn roots(&self, lowered: &Lowered) -> Vec<Index> {
        let index = |class| self.index.get(lowered.graph.find(class)).expect("sites are entered first");
        lowered.sites.iter().map(|site| index(site.class)).collect()
    }

    /// Chooses the given nodes where that lets nothing trap that did not.
    pub(super) fn follow(&mut self, lowered: &Lowered, hint: &[(Id, Node)]) {
        for (id, node) in hint {
            let Some(c) = self.index.get(lowered.graph.find(*id)) else { continue };
            let node = node.clone().map_children(|k| lowered.graph.find(k));
            let Some(i) = self.range(c).find(|&i| *self.all[i].node == node) else { continue };
            let candidate = &self.all[i];
            let known = self.operands(candidate).iter().all(|&k| {
                let k = k as Index;
                self.choice[k].is_some() && k != c
            });
            if known && (!self.total[c] || self.is_total(candidate)) {
                self.choose(c, Some(i));
            }
        }
    }

    /// From where on all that the candidate needs is defined.
    pub(super) fn candidate_needs(&self, candidate: &Candidate<'_>) -> Place {
        let operands = self.operands(candidate).iter();
        operands.fold(candidate.own_needs, |p, &c| match self.needs[c as Index] {
            ROOT => p,
            needs => self.scopes.later(p, needs),
        })
    }

    /// The place where all that the candidate needs is in scope. There is none for variables of two loops that stand
    /// side by side.
    pub(super) fn place(&self, candidate: &Candidate<'_>) -> Option<Place> {
        self.operands(candidate).iter().try_fold(candidate.own_needs, |p, &c| match self.needs[c as Index] {
            ROOT => Some(p),
            needs if p == ROOT => Some(needs),
            needs => self.scopes.see_each_other(p, needs).then(|| self.scopes.later(p, needs)),
        })
    }

    /// Whether the candidate cannot trap (operands included).
    pub(super) fn is_total(&self, candidate: &Candidate<'_>) -> bool {
        !candidate.partial && self.operands(candidate).iter().all(|&c| self.total[c as Index])
    }

    /// The cost of the candidate's own operation where it would be hoisted to.
    pub(super) fn cost_at(&self, candidate: &Candidate<'_>, place: Place) -> Cost {
        candidate.price.rank * self.frequency[place.scope.0 as usize]
    }

    /// The cheapest tree for each class. A class that can be computed without trapping is.
    pub(super) fn tree_costs(&mut self) {
        // A clock: when each class was chosen for last. What has no operand chosen for since its class was looked at
        // last is no better than it was.
        let mut now = 1_u32;
        let mut chosen_at = vec![0; self.classes.len()];
        let mut seen_at = vec![0; self.classes.len()];
        for pass in 0..MAX_PASSES {
            let mut changed = false;
            // Operands have mostly been entered after their users.
            for c in (0..self.classes.len()).rev() {
                let last = std::mem::replace(&mut seen_at[c], now);
                now += 1;
                if pass > 0 && !any_since(last, self.operands_of_all(c), &chosen_at) {
                    continue;
                }
                for i in self.range(c) {
                    let candidate = &self.all[i];
                    if pass > 0 && !any_since(last, self.operands(candidate), &chosen_at) {
                        continue;
                    }
                    if self.take_if_better(c, i) {
                        chosen_at[c] = seen_at[c];
                        changed = true;
                    }
                }
            }
            if !changed {
                return;
            }
        }
        // Long chains of which the passes took a link each: operands first, all of it is done in one.
        let order = self.operands_first();
        for _ in 0..MAX_PASSES {
            let mut changed = false;
            for &c in &order {
                for i in self.range(c) {
                    changed |= self.take_if_better(c, i);
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Chooses a candidate for its class if its tree is better than what is known; whether it is.
    fn take_if_better(&mut self, c: Index, i: usize) -> bool {
        let Some((place, cost, total)) = self.better_tree(c, &self.all[i]) else { return false };
        self.choice[c] = Some(small(i));
        self.tree[c] = cost;
        self.total[c] = total;
        self.needs[c] = place;
        true
    }

    /// All classes, each after the operands of all its candidates, as far as these do not depend on it.
    fn operands_first(&self) -> Vec<Index> {
        let mut order = Vec::with_capacity(self.classes.len());
        let mut seen = vec![false; self.classes.len()];
        let mut stack: Vec<(Index, bool)> = Vec::new();
        for root in 0..self.classes.len() {
            stack.push((root, false));
            while let Some((c, done)) = stack.pop() {
                if done {
                    order.push(c);
                } else if !std::mem::replace(&mut seen[c], true) {
                    stack.push((c, true));
                    let operands = self.operands_of_all(c).iter().map(|&k| k as Index);
                    stack.extend(operands.filter(|&k| !seen[k]).map(|k| (k, false)));
                }
            }
        }
        order
    }

    /// Where the tree of a candidate can be computed, what it costs and whether it cannot trap, if that is better than
    /// what is known for its class.
    fn better_tree(&self, c: Index, candidate: &Candidate<'_>) -> Option<(Place, Cost, bool)> {
        let (mut below, mut total) = (Cost::ZERO, !candidate.partial);
        for k in self.operands(candidate).iter().map(|&k| k as Index) {
            if k == c || self.choice[k].is_none() {
                return None;
            }
            below += self.tree[k];
            total &= self.total[k];
        }
        let better = |cost: Cost| match self.choice[c] {
            None => true,
            Some(_) => (!total, cost) < (!self.total[c], self.tree[c]),
        };
        // The operation comes on top.
        if !better(below) {
            return None;
        }
        let place = self.place(candidate)?;
        let cost = self.cost_at(candidate, place) + below;
        better(cost).then_some((place, cost, total))
    }

    /// The candidate chosen for a class, by its place among all.
    pub(super) fn choice(&self, c: Index) -> Option<usize> {
        self.choice[c].map(|i| i as usize)
    }

    /// The candidate chosen for a class.
    pub(super) fn chosen(&self, c: Index) -> Option<&Candidate<'a>> {
        self.choice[c].map(|i| &self.all[i as usize])
    }

    /// The operands of the choice for a class.
    pub(super) fn children(&self, c: Index) -> &[u32] {
        self.chosen(c).map_or(&[], |k| self.operands(k))
    }

    /// Whether a candidate depends on `target` (or the search was too long).
    pub(super) fn depends(&mut self, candidate: usize, target: Index) -> bool {
        self.stamp += 1;
        let mut stack = self.operands(&self.all[candidate]).to_vec();
        let mut fuel = CYCLE_FUEL;
        while let Some(c) = stack.pop() {
            let c = c as Index;
            if c == target {
                return true;
            }
            if self.visited[c] == self.stamp {
                continue;
            }
            self.visited[c] = self.stamp;
            fuel -= 1;
            if fuel == 0 {
                return true;
            }
            stack.extend_from_slice(self.children(c));
        }
        false
    }

    /// The classes in use, operands first. `None` if the choices are cyclic.
    pub(super) fn order(&self, roots: &[Index]) -> Option<Vec<Index>> {
        let mut state = vec![0u8; self.classes.len()];
        let mut order = Vec::new();
        let mut stack = Vec::new();
        for &root in roots {
            stack.push((root, false));
            while let Some((c, done)) = stack.pop() {
                if done {
                    state[c] = 2;
                    order.push(c);
                } else if state[c] == 0 {
                    state[c] = 1;
                    stack.push((c, true));
                    for child in self.children(c).iter().map(|&k| k as Index) {
                        match state[child] {
                            0 => stack.push((child, false)),
                            1 if stack.iter().any(|&(x, d)| d && x == child) => return None,
                            _ => {}
                        }
                    }
                }
            }
        }
        Some(order)
    }

    /// Brings needs and totality of all classes in use up to date; returns these, operands first. `None` if the choices are
    /// cyclic.
    pub(super) fn update(&mut self, roots: &[Index]) -> Option<Vec<Index>> {
        let order = self.order(roots)?;
        for &c in &order {
            let candidate = self.chosen(c)?;
            let (needs, total) = (self.candidate_needs(candidate), self.is_total(candidate));
            self.set_needs(c, needs);
            if total != self.total[c] {
                self.total[c] = total;
                self.version += 1;
            }
        }
        Some(order)
    }

    /// Sets from where on all that a class needs is defined.
    pub(super) fn set_needs(&mut self, c: Index, needs: Place) {
        if needs != self.needs[c] {
            self.needs[c] = needs;
            self.version += 1;
        }
    }
}

/// Whether the node evaluates an operand only under a condition that is a constant.
fn is_decided(graph: &Classes<'_>, node: &Node) -> bool {
    condition(node, 1).is_some() && graph.facts(node.children[0]).interval.as_point().is_some()
}

/// Whether any of the classes was chosen at `time` or later.
fn any_since(time: u32, classes: &[u32], chosen_at: &[u32]) -> bool {
    classes.iter().any(|&c| chosen_at[c as Index] >= time)
}

/// An index as it is kept.
fn small(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 nodes")
}
