//! Choice of one node for each needed class.
//!
//! The cost of a node is its weight times the frequency of the outermost scope in which all its variables are
//! defined: where it would be hoisted to. First comes the cheapest *tree* for each class (a fixpoint), then
//! rounds of local improvement that count shared classes once: for each class in turn, what would be freed by
//! dropping its node and what each candidate would add, by reference counting (the exact-area recovery of
//! technology mapping: Mishchenko, Chatterjee, Brayton, "Improvements to Technology Mapping for LUT-Based FPGAs",
//! FPGA 2006). A candidate that would depend on its own class is passed over.
//!
//! Ties are broken by, in this order: the choice that is in place, forms that stand in the input, the order of the
//! classes' nodes (by operator, type and operands, with variables and buffers in the order of the program).

use egg::{Id, Language};
use smallvec::SmallVec;

use super::super::classes::ClassMap;
use super::super::facts::Graph;
use super::super::lang::{Node, Op};
use super::super::lower::Lowered;
use super::super::originals::Originals;
use super::super::scopes::{Place, Scopes};
use super::super::theory::representable;
use super::handicap::Handicaps;
use super::traps::{condition, may_trap};
use crate::cost::Profile;
use crate::ir::opclass::{OpClass, classify, classify_binary};
use crate::ir::{Expr, ExprKind, VarId};

/// The most passes of the tree-cost fixpoint; each lets costs flow over one more chain of late classes.
const MAX_PASSES: usize = 30;

/// Rounds of local improvement.
const ROUNDS: usize = 3;

/// The most classes looked at to see whether a candidate depends on its own class.
const CYCLE_FUEL: usize = 4000;

/// Less than this is no difference of costs.
const EPSILON: f64 = 1e-9;

/// Added to the cost of nodes that do not stand in the input, per execution: prefers the input's forms.
const NEW_NODE: f64 = 1.0 / 4096.0;

/// The index of a needed class in a [`Selection`].
pub(crate) type Index = usize;

/// The operands of a node.
pub(crate) type Children = SmallVec<[Index; 3]>;

/// The choice for one class.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    /// The class in the e-graph.
    pub class: Id,
    /// The node that computes it.
    pub node: Node,
    /// Its operands.
    pub children: Children,
    /// Its weight.
    pub weight: f64,
    /// What the form costs beyond its weight.
    pub handicap: f64,
    /// What it costs in all that the compiler rewrites the sum (`extract/rewritten.rs`).
    pub rewriting: f64,
    /// From where on all that it needs is defined: the outermost place where it can be computed.
    pub needs: Place,
    /// Whether it cannot trap (operands included).
    pub total: bool,
}

/// One node for every class that is needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// The needed classes; operands come before their users.
    pub chosen: Vec<Chosen>,
    /// The class of each site.
    pub sites: Vec<Index>,
}

/// Chooses the cheapest tree for each site, and returns its cost: for expressions that stand on their own.
pub(crate) fn select_trees(lowered: &Lowered, profile: &Profile) -> Option<(Selection, Vec<f64>)> {
    let mut selector = Selector::new(lowered, profile, false);
    selector.tree_costs();
    let roots = selector.roots(lowered);
    let costs = roots.iter().map(|&r| selector.tree[r]).collect();
    let order = selector.order(&roots)?;
    Some((selector.finish(&roots, &order)?, costs))
}

/// A way to compute a class.
pub(super) struct Candidate<'a> {
    pub(super) node: &'a Node,
    pub(super) children: Children,
    pub(super) weight: f64,
    pub(super) handicap: f64,
    pub(super) own_needs: Place,
    /// Whether it does not stand in the input: breaks ties.
    is_new: bool,
    /// Whether the operation itself may trap.
    pub(super) partial: bool,
}

/// The classes that sites can reach, with all ways to compute them, and a choice among these.
pub(super) struct Selector<'a> {
    scopes: &'a Scopes,
    classes: Vec<Id>,
    index: ClassMap<Index>,
    /// The candidates of all classes, class by class; and where those of each class begin, with the end.
    all: Vec<Candidate<'a>>,
    begins: Vec<u32>,
    /// Per class: the most that an address is executed that is computed from it; 0 if there is none.
    pub(super) executed: Vec<f64>,
    /// Per class: the candidate chosen, where it can be computed, and its tree cost.
    pub(super) choice: Vec<Option<usize>>,
    needs: Vec<Place>,
    total: Vec<bool>,
    tree: Vec<f64>,
    refs: Vec<u32>,
    /// Per scope: how often it runs, or any around it if that is more. Else a class would seem cheapest where hardly
    /// anything runs (inside of a loop over nothing all is free), from where its value does not reach its other uses.
    pub(super) frequency: Vec<f64>,
    let_weight: f64,
    /// Per class: what its choice costs where it would be hoisted to, and at which state of needs that was computed.
    own: Vec<(f64, u32)>,
    /// How often needs have changed.
    state: u32,
    /// The classes whose count of uses [`Selector::reference`] raised, and those that it is still to look at.
    referenced: Vec<Index>,
    waiting: Vec<Index>,
    /// Marks of the search for cycles.
    visited: Vec<u32>,
    stamp: u32,
}

const ROOT: Place = Place { scope: Scopes::ROOT, position: 0 };

impl<'a> Selector<'a> {
    /// `compiled`: whether what is chosen goes to a compiler as it is, so that handicaps count.
    pub(super) fn new(lowered: &'a Lowered, profile: &Profile, compiled: bool) -> Selector<'a> {
        let graph = &lowered.graph;
        debug_assert!(graph.clean, "nodes have canonical operands");
        let originals = Originals::new(lowered);
        let handicaps = compiled.then(|| Handicaps::new(lowered));
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
        let mut executed = Vec::with_capacity(graph.number_of_classes());
        let mut next = 0;
        while next < classes.len() {
            let class = classes[next];
            let nodes = &graph[class].nodes;
            // Where index types do not overflow, a constant that has no place in its type is never met.
            let writable =
                |n: &&Node| !n.is_virtual() && !matches!(n.op, Op::Int(v) if !representable(v, n.dtype));
            let constant =
                nodes.iter().position(|n| matches!(n.op, Op::Int(_) | Op::Float(_)) && writable(&n));
            let nodes = constant.map_or(&nodes[..], |at| &nodes[at..=at]);
            // What a constant chooses is another node of the class; the choice would only seem to halve its frequency.
            let open = |n: &&Node| writable(n) && !is_decided(graph, n);
            let any_open = nodes.iter().any(|n| open(&n));
            for node in nodes.iter().filter(|n| if any_open { open(n) } else { writable(n) }) {
                let children = node.children.iter().map(|&c| enter(c, &mut classes)).collect();
                let own_needs = match node.op {
                    Op::Var(v) => lowered.scopes.definition(v).unwrap_or(ROOT),
                    Op::Load(_, version) => lowered.versions[version as usize],
                    _ => ROOT,
                };
                let is_new = !originals.contain(class, node);
                let handicap = handicaps
                    .as_ref()
                    .map_or(0.0, |h| h.of(class, node) + if is_new { h.of_new(class, node) } else { 0.0 });
                all.push(Candidate {
                    weight: weight(lowered, node, profile),
                    own_needs,
                    handicap,
                    is_new,
                    partial: may_trap(lowered, node),
                    node,
                    children,
                });
            }
            begins.push(u32::try_from(all.len()).expect("fewer than 2^32 nodes"));
            executed.push(handicaps.as_ref().map_or(0.0, |h| h.executed(class)));
            next += 1;
        }
        let n = classes.len();
        Selector {
            scopes: &lowered.scopes,
            classes,
            index,
            all,
            begins,
            executed,
            choice: vec![None; n],
            needs: vec![ROOT; n],
            total: vec![false; n],
            tree: vec![f64::INFINITY; n],
            refs: vec![0; n],
            frequency: lowered.scopes.frequencies(),
            let_weight: profile.weight(OpClass::Bind).to_f64(),
            own: vec![(0.0, 0); n],
            state: 1,
            referenced: Vec::new(),
            waiting: Vec::new(),
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
        &self.all[self.begins[c] as usize..self.begins[c + 1] as usize]
    }

    /// All ways to compute each class.
    pub(super) fn all_candidates(&self) -> impl Iterator<Item = &[Candidate<'a>]> {
        (0..self.classes()).map(|c| self.candidates(c))
    }

    /// Chooses nodes for all sites, once from the cheapest trees and once from each of the hints (nodes to begin with).
    /// `found` is called with each of the choices that differ.
    pub(super) fn select(
        &mut self,
        lowered: &Lowered,
        hints: &[Vec<(Id, Node)>],
        mut found: impl FnMut(Selection),
    ) {
        self.tree_costs();
        let roots = self.roots(lowered);
        let trees = (self.choice.clone(), self.needs.clone(), self.total.clone());
        let mut seen: Vec<Vec<(Index, Option<usize>)>> = Vec::new();
        for hint in std::iter::once(None).chain(hints.iter().map(Some)) {
            self.choice.clone_from(&trees.0);
            self.needs.clone_from(&trees.1);
            self.total.clone_from(&trees.2);
            if let Some(hint) = hint {
                self.follow(lowered, hint);
                // A hint at what is chosen anyway leads to the same again.
                if self.choice == trees.0 {
                    continue;
                }
            }
            let Some(order) = self.improve(&roots) else { continue };
            let choice: Vec<_> = order.iter().map(|&c| (c, self.choice[c])).collect();
            if !seen.contains(&choice)
                && let Some(selection) = self.finish(&roots, &order)
            {
                seen.push(choice);
                found(selection);
            }
        }
    }

    /// The classes of the sites.
    pub(super) fn roots(&self, lowered: &Lowered) -> Vec<Index> {
        let index = |class| self.index.get(lowered.graph.find(class)).expect("sites are entered first");
        lowered.sites.iter().map(|site| index(site.class)).collect()
    }

    /// Chooses the given nodes where that lets nothing trap that did not.
    fn follow(&mut self, lowered: &Lowered, hint: &[(Id, Node)]) {
        for (id, node) in hint {
            let Some(c) = self.index.get(lowered.graph.find(*id)) else { continue };
            let node = node.clone().map_children(|k| lowered.graph.find(k));
            let Some(i) = self.candidates(c).iter().position(|k| *k.node == node) else { continue };
            let candidate = &self.candidates(c)[i];
            let known = candidate.children.iter().all(|&k| self.choice[k].is_some() && k != c);
            if known && (!self.total[c] || self.candidate_total(candidate)) {
                self.choice[c] = Some(i);
            }
        }
    }

    pub(super) fn candidate_needs(&self, candidate: &Candidate<'_>) -> Place {
        candidate.children.iter().fold(candidate.own_needs, |p, &c| self.scopes.later(p, self.needs[c]))
    }

    /// The place where all that the candidate needs is in scope. There is none for variables of two loops that stand
    /// side by side.
    fn place(&self, candidate: &Candidate<'_>) -> Option<Place> {
        let needs = self.candidate_needs(candidate);
        let visible = |p: Place| p.scope == needs.scope || self.scopes.lift(needs, p.scope).is_some();
        let all = visible(candidate.own_needs) && candidate.children.iter().all(|&c| visible(self.needs[c]));
        all.then_some(needs)
    }

    fn candidate_total(&self, candidate: &Candidate<'_>) -> bool {
        !candidate.partial && candidate.children.iter().all(|&c| self.total[c])
    }

    /// The cost of the candidate's own operation where it would be hoisted to.
    fn own_cost(&self, candidate: &Candidate<'_>) -> f64 {
        self.cost_at(candidate, self.candidate_needs(candidate))
    }

    fn cost_at(&self, candidate: &Candidate<'_>, place: Place) -> f64 {
        let penalty = if candidate.is_new { NEW_NODE } else { 0.0 };
        (candidate.weight + candidate.handicap + penalty) * self.frequency[place.scope.0 as usize]
    }

    /// The cheapest tree for each class. A class that can be computed without trapping is.
    fn tree_costs(&mut self) {
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
                for i in 0..self.candidates(c).len() {
                    let candidate = &self.candidates(c)[i];
                    if pass > 0 && candidate.children.iter().all(|&child| chosen_at[child] < last) {
                        continue;
                    }
                    let known = candidate.children.iter().all(|&child| self.choice[child].is_some());
                    let Some(place) = self.place(candidate).filter(|_| known) else { continue };
                    let total = self.candidate_total(candidate);
                    let cost: f64 = self.cost_at(candidate, place)
                        + candidate.children.iter().map(|&child| self.tree[child]).sum::<f64>();
                    let better = match self.choice[c] {
                        None => true,
                        Some(_) => (!total, cost) < (!self.total[c], self.tree[c]),
                    };
                    if better && !candidate.children.contains(&c) {
                        self.choice[c] = Some(i);
                        self.tree[c] = cost;
                        self.total[c] = total;
                        self.needs[c] = place;
                        chosen_at[c] = seen_at[c];
                        changed = true;
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    pub(super) fn chosen(&self, c: Index) -> Option<&Candidate<'a>> {
        self.choice[c].map(|i| &self.candidates(c)[i])
    }

    fn children(&self, c: Index) -> &[Index] {
        self.chosen(c).map_or(&[], |k| &k.children)
    }

    /// What a second use of `c` costs: the binding that serves both.
    fn binding_cost(&self, c: Index) -> f64 {
        match self.chosen(c) {
            Some(k) if k.weight > 0.0 => self.let_weight * self.frequency[self.needs[c].scope.0 as usize],
            _ => 0.0,
        }
    }

    /// What the choice for `c` costs where it would be hoisted to.
    fn chosen_cost(&mut self, c: Index) -> f64 {
        let (known, at) = self.own[c];
        if at == self.state {
            return known;
        }
        let cost = self.chosen(c).map_or(0.0, |k| self.own_cost(k));
        self.own[c] = (cost, self.state);
        cost
    }

    /// Counts one more use of `c`; returns the cost that this adds.
    fn reference(&mut self, c: Index) -> f64 {
        let mut added = 0.0;
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.push(c);
        while let Some(c) = waiting.pop() {
            self.refs[c] += 1;
            self.referenced.push(c);
            match self.refs[c] {
                1 => {
                    added += self.chosen_cost(c);
                    waiting.extend_from_slice(self.children(c));
                }
                2 => added += self.binding_cost(c),
                _ => {}
            }
        }
        self.waiting = waiting;
        added
    }

    /// Takes back all uses that were counted since this was called last.
    fn take_back(&mut self) {
        for c in self.referenced.drain(..) {
            self.refs[c] -= 1;
        }
    }

    /// Counts one use of `c` less.
    fn dereference(&mut self, c: Index) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.push(c);
        while let Some(c) = waiting.pop() {
            self.refs[c] -= 1;
            if self.refs[c] == 0 {
                waiting.extend_from_slice(self.children(c));
            }
        }
        self.waiting = waiting;
    }

    /// Whether `from` depends on `target` (or the search was too long).
    pub(super) fn depends(&mut self, from: &[Index], target: Index) -> bool {
        self.stamp += 1;
        let mut stack = from.to_vec();
        let mut fuel = CYCLE_FUEL;
        while let Some(c) = stack.pop() {
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
    fn order(&self, roots: &[Index]) -> Option<Vec<Index>> {
        let mut state = vec![0u8; self.classes.len()];
        let mut order = Vec::new();
        for &root in roots {
            let mut stack = vec![(root, false)];
            while let Some((c, done)) = stack.pop() {
                if done {
                    state[c] = 2;
                    order.push(c);
                } else if state[c] == 0 {
                    state[c] = 1;
                    stack.push((c, true));
                    for &child in self.children(c) {
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

    /// Improves the choice; returns the classes in use, operands first. `None` if it is cyclic.
    fn improve(&mut self, roots: &[Index]) -> Option<Vec<Index>> {
        let mut order = self.update(roots)?;
        self.refs.fill(0);
        for &root in roots {
            self.reference(root);
        }
        self.referenced.clear();
        for _ in 0..ROUNDS {
            let mut changed = false;
            for &c in &order {
                if self.refs[c] > 0 && self.candidates(c).len() > 1 {
                    changed |= self.improve_class(c);
                }
            }
            if !changed {
                break;
            }
            order = self.update(roots)?;
        }
        Some(order)
    }

    /// Tries every candidate of a class that is in use; keeps the one that makes the whole cheapest.
    fn improve_class(&mut self, c: Index) -> bool {
        let current = self.choice[c];
        for child in Children::from_slice(self.children(c)) {
            self.dereference(child);
        }
        let mut best: Option<(f64, usize)> = None;
        let others = (0..self.candidates(c).len()).filter(|&i| Some(i) != current);
        for i in current.into_iter().chain(others) {
            let candidate = &self.candidates(c)[i];
            let own = self.own_cost(candidate);
            let is_better = |cost: f64| best.is_none_or(|(least, _)| cost < least - EPSILON);
            // What operands cost comes on top.
            if !is_better(own) {
                continue;
            }
            let children = Children::from_slice(&candidate.children);
            if children.iter().any(|&child| self.choice[child].is_none())
                || self.place(candidate).is_none()
                || self.total[c] && !self.candidate_total(candidate)
            {
                continue;
            }
            let mut cost = own;
            for &child in &children {
                cost += self.reference(child);
            }
            if is_better(cost) {
                cost += self.rewriting(c, &self.candidates(c)[i], |k| self.refs[k] <= 1);
            }
            self.take_back();
            // Looking for cycles takes longest.
            if is_better(cost) && (Some(i) == current || !self.depends(&children, c)) {
                best = Some((cost, i));
            }
        }
        if let Some((_, i)) = best {
            let needs = self.candidate_needs(&self.candidates(c)[i]);
            if needs != self.needs[c] {
                self.state += 1;
            }
            self.own[c].1 = 0;
            self.choice[c] = Some(i);
            self.needs[c] = needs;
        }
        for child in Children::from_slice(self.children(c)) {
            self.reference(child);
        }
        self.referenced.clear();
        self.choice[c] != current
    }

    /// Brings needs and totality of all classes in use up to date; returns these, operands first. `None` if the choices are
    /// cyclic.
    pub(super) fn update(&mut self, roots: &[Index]) -> Option<Vec<Index>> {
        let order = self.order(roots)?;
        self.state += 1;
        for &c in &order {
            let candidate = self.chosen(c)?;
            let (needs, total) = (self.candidate_needs(candidate), self.candidate_total(candidate));
            self.needs[c] = needs;
            self.total[c] = total;
        }
        Some(order)
    }

    /// The choices for the classes in use, which `order` holds, operands first.
    pub(super) fn finish(&self, roots: &[Index], order: &[Index]) -> Option<Selection> {
        let mut position = vec![0; self.classes.len()];
        for (i, &c) in order.iter().enumerate() {
            position[c] = i;
        }
        let mut uses = vec![0u32; self.classes.len()];
        for &used in roots.iter().chain(order.iter().flat_map(|&c| self.children(c))) {
            uses[used] += 1;
        }
        let mut chosen = Vec::with_capacity(order.len());
        for &c in order {
            let candidate = self.chosen(c)?;
            chosen.push(Chosen {
                class: self.classes[c],
                node: candidate.node.clone(),
                children: candidate.children.iter().map(|&k| position[k]).collect(),
                weight: candidate.weight,
                handicap: candidate.handicap,
                rewriting: self.rewriting(c, candidate, |k| uses[k] <= 1),
                needs: self.needs[c],
                total: self.total[c],
            });
        }
        Some(Selection { chosen, sites: roots.iter().map(|&r| position[r]).collect() })
    }
}

/// Whether the node evaluates an operand only under a condition that is a constant.
fn is_decided(graph: &Graph, node: &Node) -> bool {
    condition(node, 1).is_some() && graph[node.children[0]].data.interval.as_point().is_some()
}

/// The weight of the node's operation: that of an expression with its operator, on constants where its operands
/// are constants.
fn weight(lowered: &Lowered, node: &Node, profile: &Profile) -> f64 {
    if node.children.is_empty() && !matches!(node.op, Op::Call(_) | Op::Load(..)) {
        return 0.0;
    }
    let graph = &lowered.graph;
    let units = |(class, units): (OpClass, u64)| profile.weight(class).to_f64() * units as f64;
    if let Some((op, a, b)) = node.as_bin() {
        return units(classify_binary(op, graph[a].data.dtype, constant(graph, a), constant(graph, b)));
    }
    let operand = |id: Id| Expr::var(VarId(0), graph[id].data.dtype);
    let mut it = node.children.iter().map(|&c| operand(c));
    let kind = match (&node.op, it.next(), it.next(), it.next()) {
        (Op::Not, Some(a), None, None) => ExprKind::Not(Box::new(a)),
        (Op::Cast, Some(a), None, None) => ExprKind::Cast(Box::new(a)),
        (Op::Select | Op::IfThenElse, Some(c), Some(a), Some(b)) => {
            ExprKind::Select(Box::new(c), Box::new(a), Box::new(b))
        }
        (Op::Call(callee), ..) => ExprKind::Call(Box::new(lowered.callees.get(*callee).clone())),
        (Op::Load(buffer, _), ..) => ExprKind::Load { buffer: *buffer, indices: Vec::new() },
        _ => return 0.0,
    };
    let shape = Expr { dtype: node.dtype, kind };
    classify(&shape).map_or(0.0, units)
}

/// The constant that the class is in every lane.
fn constant(graph: &Graph, id: Id) -> Option<i64> {
    graph[id].nodes.iter().find_map(|n| match (&n.op, &n.children[..]) {
        (Op::Int(v), _) => Some(*v),
        (Op::Broadcast, &[x]) => graph[x].nodes.iter().find_map(|n| match n.op {
            Op::Int(v) => Some(v),
            _ => None,
        }),
        _ => None,
    })
}
