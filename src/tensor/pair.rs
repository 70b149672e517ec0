//! A forward and a backward function: what the forward one keeps for the backward one, and what that computes again.

use std::fmt;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::flow::Flow;
use super::items::{Item, Items, Role, Storage, is_leaf, whole};
use super::joint::{Edge, Joint, is_root};
use super::keys::Values;
use super::lift::{self, Definition, lift, writes};
use super::lower::{Home, lower, new_buffer};
use super::nest::Seen;
use super::report::Opaque;
use super::split::{Search, Sides, State};
use super::stored::Size;
use super::term::{Node, Term};
use super::{Report, Settings, accessed, priced, store_weight};
use crate::ir::{Block, BufferId, ExprKind, Origin, PrimFunc, SBlock, Stmt, StmtKind, with_room};

/// What [`share_pair`] is told.
///
/// ```
/// let settings = satir::tensor::SplitSettings::default();
/// assert_eq!((settings.stash_budget, settings.recompute_limit), (None, 1));
/// ```
#[derive(Clone, Debug)]
pub struct SplitSettings {
    /// What is told of single functions.
    pub settings: Settings,
    /// The most bytes of results of the forward function that the backward function may read; `None` if any number will do.
    /// Its inputs do not count. Where sizes are symbols they are taken to be the profile's default extent.
    pub stash_budget: Option<u64>,
    /// A reduction of the forward function is done again in the backward one only if it reads each element at most this often,
    /// unless the budget leaves no other way.
    pub recompute_limit: u64,
}

impl Default for SplitSettings {
    fn default() -> SplitSettings {
        SplitSettings { settings: Settings::default(), stash_budget: None, recompute_limit: 1 }
    }
}

/// A tensor that the forward function keeps and the backward function reads.
///
/// ```
/// let stash = satir::tensor::Stash::default();
/// assert!(!stash.is_new);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stash {
    /// What it is: the name of its definition.
    pub name: String,
    /// The name of the forward function's parameter.
    pub forward: Arc<str>,
    /// The name of the backward function's parameter.
    pub backward: Arc<str>,
    /// Its extents, as text.
    pub shape: Vec<String>,
    /// Its type.
    pub dtype: String,
    /// Its size.
    pub bytes: u64,
    /// Whether the forward function's parameter was not there before.
    pub is_new: bool,
    /// Whether the backward function's parameter was not there before.
    pub is_added: bool,
}

/// What became of two functions.
///
/// ```
/// assert!(satir::tensor::Split::default().stash.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Split {
    /// What became of the forward function.
    pub forward: Report,
    /// What became of the backward function.
    pub backward: Report,
    /// What the backward function reads of what the forward one computes.
    pub stash: Vec<Stash>,
    /// The bytes of all these.
    pub stash_bytes: u64,
    /// Tensors that both functions compute.
    pub recomputed: Vec<String>,
    /// Why both functions stay as they are, if they do.
    pub unchanged: Option<String>,
}

impl Split {
    /// The edges by which a caller connects the functions now: those that it had, and those of the stash.
    ///
    /// ```
    /// assert!(satir::tensor::Split::default().edges(&[]).is_empty());
    /// ```
    pub fn edges(&self, edges: &[Edge]) -> Vec<Edge> {
        let added = self.stash.iter().filter(|stash| stash.is_added);
        let added = added.map(|s| Edge { forward: s.forward.clone(), backward: s.backward.clone() });
        edges.iter().cloned().chain(added).collect()
    }

    /// The forward function's new parameters, which no caller of both sees.
    ///
    /// ```
    /// assert!(satir::tensor::Split::default().internal().is_empty());
    /// ```
    pub fn internal(&self) -> Vec<Arc<str>> {
        self.stash.iter().filter(|stash| stash.is_new).map(|stash| stash.forward.clone()).collect()
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} -> {}: {} bytes are kept", self.forward.name, self.backward.name, self.stash_bytes)?;
        for stash in &self.stash {
            let Stash { name, forward, backward, dtype, bytes, .. } = stash;
            let shape = stash.shape.join(", ");
            writeln!(f, "  stash: {name}: `{forward}` -> `{backward}`, {dtype} ({shape}), {bytes} bytes")?;
        }
        for name in &self.recomputed {
            writeln!(f, "  computed by both: {name}")?;
        }
        if let Some(why) = &self.unchanged {
            writeln!(f, "  both stay as they are: {why}")?;
        }
        Ok(())
    }
}

/// Decides what the forward function keeps for the backward one, and computes equal tensors of each once. New results of the
/// forward function are parameters after its own, `stash_1` and so on, and so are what the backward function gets of them and
/// of the forward function's results. Parameters that were there stay, whether they are read or not.
///
/// # Errors
///
/// An edge names no parameter, or parameters of other types or sizes.
///
/// ```
/// use satir::tensor::{Edge, SplitSettings, share_pair};
///
/// let text = "@T.prim_func
/// def f(x: T.Buffer((64,)), y: T.Buffer((64,))):
///     T.func_attr({\"tirx.noalias\": True})
///     for i in range(64):
///         y[i] = T.tanh(x[i])
///
/// @T.prim_func
/// def g(x: T.Buffer((64,)), dy: T.Buffer((64,)), dx: T.Buffer((64,))):
///     T.func_attr({\"tirx.noalias\": True})
///     for i in range(64):
///         dx[i] = dy[i] * (T.float32(1) - T.tanh(x[i]) * T.tanh(x[i]))
/// ";
/// let mut module = satir::parse(text)?;
/// let [forward, backward] = &mut module.funcs[..] else { unreachable!() };
/// let edge = Edge { forward: "x".into(), backward: "x".into() };
/// let split = share_pair(forward, backward, &[edge], &SplitSettings::default()).map_err(std::io::Error::other)?;
/// assert_eq!((&*split.stash[0].forward, &*split.stash[0].backward), ("y", "stash_1"));
/// assert_eq!(module.to_string().matches("T.tanh").count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn share_pair(
    forward: &mut PrimFunc,
    backward: &mut PrimFunc,
    edges: &[Edge],
    settings: &SplitSettings,
) -> Result<Split, String> {
    with_room(|| pair_with_room(forward, backward, edges, settings))
}

fn pair_with_room(
    forward: &mut PrimFunc,
    backward: &mut PrimFunc,
    edges: &[Edge],
    settings: &SplitSettings,
) -> Result<Split, String> {
    let joint = Joint::new(forward, backward, edges)?;
    let plain = |func: &PrimFunc| {
        let cost = priced(func, &settings.settings);
        let flow = Flow::of(func);
        let name = func.name.to_string();
        let (before, after) = (flow.clone(), flow);
        Report { name, cost_before: cost, cost_after: cost, before, after, ..Report::default() }
    };
    let mut split = Split { forward: plain(forward), backward: plain(backward), ..Split::default() };
    let before = split.forward.cost_before + split.backward.cost_before;
    match Pair::new(forward, backward, &joint).and_then(|pair| pair.planned(settings, split.clone())) {
        Err(why) => split.unchanged = Some(why),
        Ok((first, second, mut made, passed)) => {
            made.forward.cost_after = priced(&first, &settings.settings);
            made.backward.cost_after = priced(&second, &settings.settings);
            (made.forward.after, made.backward.after) = (Flow::of(&first), Flow::of(&second));
            let fits = settings.stash_budget.is_none_or(|budget| passed <= budget);
            let after = made.forward.cost_after + made.backward.cost_after;
            if after >= before && (fits || made.stash_bytes >= passed) {
                split.forward.opaque = made.forward.opaque;
                split.backward.opaque = made.backward.opaque;
                split.forward.alternatives = made.forward.alternatives;
                split.unchanged = Some("nothing that was looked at costs less".to_owned());
            } else {
                (*forward, *backward) = (first, second);
                split = made;
            }
        }
    }
    Ok(split)
}

/// The statements of a function, and the longest run of definitions among them.
struct Half {
    root: Option<SBlock>,
    stmts: Block,
    start: usize,
    definitions: Vec<Definition>,
    outside: HashSet<BufferId>,
    opaque: Vec<Opaque>,
}

impl Half {
    fn new(func: &PrimFunc, body: &Block) -> Half {
        let (root, stmts) = match &body[..] {
            [Stmt { kind: StmtKind::SBlock(root), .. }] if is_root(root) => {
                (Some((**root).clone()), root.body.clone())
            }
            _ => (None, body.clone()),
        };
        let lifted = lift(func, &stmts);
        let mut opaque = Vec::new();
        let (mut start, mut definitions): (usize, Vec<Definition>) = (0, Vec::new());
        let mut run: (usize, Vec<Definition>) = (0, Vec::new());
        for (at, item) in lifted.into_iter().enumerate() {
            match item {
                lift::Item::Defined(definition) => run.1.push(definition),
                lift::Item::Opaque(name, why) => {
                    opaque.push(Opaque::new(&name, &why));
                    run = (at + 1, Vec::new());
                }
            }
            if run.1.len() > definitions.len() {
                (start, definitions) = run.clone();
            }
        }
        let end = start + definitions.len();
        let outside = stmts[..start].iter().chain(&stmts[end..]).flat_map(lift::reads).collect();
        Half { root, stmts, start, definitions, outside, opaque }
    }

    /// The statements that are no part of the run, and stand after its beginning.
    fn rest(&self) -> &[Stmt] {
        &self.stmts[self.start + self.definitions.len()..]
    }

    /// The body with other statements in the place of the run. `made` are new buffers.
    fn with(&self, run: Block, made: Vec<BufferId>) -> Block {
        let mut stmts = self.stmts.clone();
        stmts.splice(self.start..self.start + self.definitions.len(), run);
        match &self.root {
            Some(root) => {
                let mut root = root.clone();
                root.body = stmts;
                let used = accessed(&root.body);
                root.alloc_buffers.retain(|buffer| used.contains(buffer));
                root.alloc_buffers.extend(made);
                vec![Stmt::new(StmtKind::SBlock(Box::new(root)))]
            }
            None => {
                let allocs = made.into_iter();
                let allocs =
                    allocs.map(|buffer| Stmt::new(StmtKind::Alloc { buffer, annotations: Vec::new() }));
                allocs.chain(stmts).collect()
            }
        }
    }

    fn is_blocks(&self) -> bool {
        self.definitions.iter().any(|definition| definition.is_block)
    }
}

struct Pair<'a> {
    joint: &'a Joint,
    funcs: [&'a PrimFunc; 2],
    halves: [Half; 2],
}

/// Both functions, what became of them, and the bytes that the backward function read before.
type Made = (PrimFunc, PrimFunc, Split, u64);

impl<'a> Pair<'a> {
    fn new(forward: &'a PrimFunc, backward: &'a PrimFunc, joint: &'a Joint) -> Result<Pair<'a>, String> {
        for func in [forward, backward] {
            if !func.no_alias() {
                return Err(format!(
                    "buffers of `{}` may share memory: it is not marked `tirx.noalias`",
                    func.name
                ));
            }
        }
        let halves = [Half::new(&joint.func, &joint.func.body), Half::new(&joint.func, &joint.body)];
        for half in &halves {
            if half.definitions.is_empty() {
                return Err("a function defines no tensors".to_owned());
            }
        }
        for &(buffer, _) in &joint.buffers {
            let name = &joint.func.buffer(buffer).name;
            if joint.body.iter().any(|stmt| writes(stmt, buffer)) {
                return Err(format!("`{}` writes what it gets as `{name}`", backward.name));
            }
            if halves[0].rest().iter().any(|stmt| writes(stmt, buffer)) {
                return Err(format!(
                    "`{name}` is written after other tensors of `{}` that may read it",
                    forward.name
                ));
            }
        }
        Ok(Pair { joint, funcs: [forward, backward], halves })
    }

    /// The values of both functions.
    fn values(&self, settings: &Settings) -> Result<Values, String> {
        let many = || "too many terms".to_owned();
        let mut values = Values::new(&self.halves[0].definitions, Some(settings.bodies(&self.joint.func)))
            .ok_or_else(many)?;
        for at in 0..values.held.len() {
            let held = values.held[at].clone();
            let full = values.terms.axes(held.value).len() == held.axes.len();
            let item = full && !is_leaf(&values, held.value) || whole(&mut values, at).is_some();
            // What is no item is read as it is.
            if self.joint.own_of_backward(held.buffer).is_some() && !item {
                values.read_as_is(held.buffer);
            }
        }
        values.extend(&self.halves[1].definitions).then_some(values).ok_or_else(many)
    }

    fn role(&self, side: usize, buffer: BufferId) -> Role {
        let mine = self.joint.is_of_forward(buffer) == (side == 0);
        let inner = self.joint.func.buffer(buffer).origin == Origin::Alloc;
        match (mine, side) {
            (true, _) if inner && !self.halves[side].outside.contains(&buffer) => Role::Own,
            (true, _) => Role::Output,
            (false, 1) if self.joint.own_of_backward(buffer).is_some() => Role::Given,
            (false, _) => Role::Foreign,
        }
    }

    /// Buffers that a function must not read as they are: those that it does not have, and of the forward function those that
    /// its own nests store.
    fn closed(&self, side: usize) -> HashSet<BufferId> {
        let stored: HashSet<BufferId> = self.halves[0].definitions.iter().map(|d| d.buffer).collect();
        let all = 0..self.joint.func.buffers.len() as u32;
        let is_closed = |buffer: &BufferId| match side {
            0 => !self.joint.is_of_forward(*buffer) || stored.contains(buffer),
            _ => self.joint.is_of_forward(*buffer) && self.joint.own_of_backward(*buffer).is_none(),
        };
        all.map(BufferId).filter(is_closed).collect()
    }

    fn planned(&self, settings: &SplitSettings, split: Split) -> Result<Made, String> {
        let mut values = self.values(&settings.settings)?;
        let closed = [self.closed(0), self.closed(1)];
        let mut items = Vec::new();
        for (side, closed) in closed.iter().enumerate() {
            let possible = |values: &Values, term: Term, axes: &[Size]| {
                self.is_possible(values, side, closed, term, axes)
            };
            items.push(Items::new(&mut values, |buffer| self.role(side, buffer), possible));
        }
        let [first, second] = <[Items; 2]>::try_from(items).map_err(|_| String::new())?;
        let profile = &settings.settings.profile;
        let store = store_weight(profile);
        let seen = [Seen::new(), Seen::new()];
        let mut sides = Sides { values, items: [first, second], closed, seen, profile, store };
        let candidates = sides.candidates(settings.recompute_limit);
        let search = Search {
            sides: &mut sides,
            candidates: &candidates,
            budget: settings.stash_budget,
            limit: settings.settings.evaluations,
            evaluations: 0,
        };
        let outcome = search.run().ok_or("no plan")?;
        let read: HashSet<BufferId> = self.halves[1].stmts.iter().flat_map(lift::reads).collect();
        let size = |candidate: &super::split::Candidate| {
            let is_read =
                sides.items[1].list[candidate.backward].storage.buffer().is_some_and(|b| read.contains(&b));
            if candidate.passed && is_read { candidate.bytes } else { 0 }
        };
        let passed = candidates.iter().map(size).sum();
        let mut result = Lowered { pair: self, sides: &sides, state: &outcome.state, split };
        result.split.forward.alternatives =
            outcome.found.iter().map(|f| super::Alternative { name: f.name, cost: f.cost }).collect();
        result.split.forward.evaluations = outcome.evaluations;
        let (forward, backward) = result.functions(&candidates);
        Ok((forward, backward, result.split, passed))
    }

    /// Whether a function can compute a term.
    fn is_possible(
        &self,
        values: &Values,
        side: usize,
        closed: &HashSet<BufferId>,
        term: Term,
        axes: &[Size],
    ) -> bool {
        let has = |var| match side {
            0 => self.joint.is_var_of_forward(var),
            _ => self.joint.is_var_of_backward(var),
        };
        let is_size = |size: &Size| size.extent.as_var().is_none_or(has);
        let mut seen = HashSet::new();
        let mut open = vec![term];
        let mut possible = axes.iter().all(is_size);
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            open.extend_from_slice(values.terms.children(term));
            match values.terms.node(term) {
                Node::Stored(number, ..) => {
                    let stored = &values.stored[*number as usize];
                    possible &= stored.kept.iter().chain(&stored.folded).all(is_size);
                    open.push(stored.body);
                }
                Node::Form(head, _) => match &head.kind {
                    ExprKind::Load { buffer, .. } => possible &= !closed.contains(buffer),
                    ExprKind::Var(var) => possible &= has(*var),
                    _ => {}
                },
                Node::Axis(..) => {}
            }
        }
        possible
    }
}

/// From plans to functions.
struct Lowered<'a, 'b> {
    pair: &'a Pair<'a>,
    sides: &'a Sides<'b>,
    state: &'a State,
    split: Split,
}

impl Lowered<'_, '_> {
    fn functions(&mut self, candidates: &[super::split::Candidate]) -> (PrimFunc, PrimFunc) {
        let joint = &self.pair.joint;
        let mut tables = PrimFunc { body: Block::new(), ..joint.func.clone() };
        let mut places: [HashMap<usize, Home>; 2] = [HashMap::new(), HashMap::new()];
        let mut more: [Vec<BufferId>; 2] = [Vec::new(), Vec::new()];
        let mut passed: HashMap<usize, Home> = HashMap::new();
        let needed = self.state.plans[1].needed();
        for (at, candidate) in candidates.iter().enumerate() {
            let again = self.state.plans[1].kept[candidate.backward] || self.computes_inline(candidate);
            let item = &self.sides.items[0].list[candidate.forward];
            if !self.state.on[at] || !needed[candidate.backward] {
                if again && self.state.plans[0].kept[candidate.forward] {
                    self.split.recomputed.push(item.name.to_string());
                }
                continue;
            }
            let other = &self.sides.items[1].list[candidate.backward];
            let mut stash = Stash { name: item.name.to_string(), bytes: candidate.bytes, ..Stash::default() };
            if candidate.passed {
                let own =
                    other.storage.buffer().and_then(|buffer| Some((buffer, joint.own_of_backward(buffer)?)));
                if let Some((buffer, own)) = own {
                    stash.forward = tables.buffer(buffer).name.clone();
                    stash.backward = tables.buffer(own).name.clone();
                    stash.describe(&tables, buffer);
                }
                self.split.stash.push(stash);
                continue;
            }
            // Two items of the backward function may hold what one of the forward function does.
            if let Some((own, dims)) = passed.get(&candidate.forward) {
                places[1].insert(candidate.backward, (*own, self.across(item, other, dims.clone())));
                continue;
            }
            let (buffer, dims) = match &item.storage {
                Storage::Own(buffer, dims) if tables.buffer(*buffer).origin != Origin::Alloc => {
                    (*buffer, dims.clone())
                }
                Storage::Own(..) | Storage::New => {
                    stash.is_new = true;
                    let made = new_buffer(&mut tables, &self.sides.values, item, "stash_", Origin::Param);
                    more[0].push(made);
                    let order = item.order();
                    let shape = order.iter().map(|&axis| item.axes[axis as usize].extent.clone()).collect();
                    tables.buffers[made.index()].shape = shape;
                    let dims: Vec<Option<u32>> = order.into_iter().map(Some).collect();
                    places[0].insert(candidate.forward, (made, dims.clone()));
                    (made, dims)
                }
            };
            // The backward function has a parameter of its own.
            let own = if stash.is_new {
                buffer
            } else {
                let made = new_buffer(&mut tables, &self.sides.values, item, "stash_", Origin::Param);
                let shape = tables.buffer(buffer).shape.clone();
                tables.buffers[made.index()].shape = shape;
                made
            };
            passed.insert(candidate.forward, (own, dims.clone()));
            let dims = self.across(item, other, dims);
            more[1].push(own);
            places[1].insert(candidate.backward, (own, dims));
            stash.is_added = true;
            stash.forward = tables.buffer(buffer).name.clone();
            stash.backward = tables.buffer(own).name.clone();
            stash.describe(&tables, own);
            self.split.stash.push(stash);
        }
        self.split.stash_bytes = self.split.stash.iter().map(|stash| stash.bytes).sum();
        let mut bodies = Vec::new();
        for (side, half) in self.pair.halves.iter().enumerate() {
            let mut made = Vec::new();
            let plan = &self.state.plans[side];
            let items = &self.sides.items[side];
            let run = lower(
                &mut tables,
                &self.sides.values,
                &items.list,
                plan,
                &places[side],
                half.is_blocks(),
                &mut made,
            );
            bodies.push(half.with(run, made));
            let report = if side == 0 { &mut self.split.forward } else { &mut self.split.backward };
            let of_half = |buffer: BufferId| joint.is_of_forward(buffer) == (side == 0);
            report.opaque.clone_from(&half.opaque);
            report.add_plan(&self.sides.values, items, plan, of_half);
        }
        let (second, first) = (bodies.pop().unwrap_or_default(), bodies.pop().unwrap_or_default());
        let [forward, backward] = self.pair.funcs;
        (
            joint.forward(tables.clone(), forward, first, &more[0]),
            joint.backward(tables, backward, second, &more[1]),
        )
    }

    /// Whether the backward function computes a candidate in a nest, without keeping it.
    fn computes_inline(&self, candidate: &super::split::Candidate) -> bool {
        let item = &self.sides.items[1].list[candidate.backward];
        let slots = &self.state.plans[1].slots;
        item.stored.is_none()
            && slots.iter().any(|slot| {
                let terms = &self.sides.values.terms;
                slot.content
                    .order
                    .iter()
                    .any(|&term| terms.known_canonical(term) == terms.known_canonical(item.term))
            })
    }

    /// The axes of the dimensions of a buffer, those of one item's frame, as those of the other's.
    fn across(&self, from: &Item, to: &Item, dims: Vec<Option<u32>>) -> Vec<Option<u32>> {
        let terms = &self.sides.values.terms;
        let (from, to) = (terms.axes(from.term), terms.axes(to.term));
        let over = |axis: u32| from.iter().position(|&own| own == axis).map(|place| to[place]);
        dims.into_iter().map(|dim| dim.and_then(over)).collect()
    }
}

impl Stash {
    fn describe(&mut self, func: &PrimFunc, buffer: BufferId) {
        let buffer = func.buffer(buffer);
        let extent = |e: &crate::ir::Expr| match (e.as_int(), e.as_var()) {
            (Some(number), _) => number.to_string(),
            (None, Some(var)) => func.var(var).name.to_string(),
            (None, None) => "?".to_owned(),
        };
        self.shape = buffer.shape.iter().map(extent).collect();
        self.dtype = buffer.dtype.to_string();
    }
}
