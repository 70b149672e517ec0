//! The tensors that may be kept in buffers.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;

use super::keys::{Held, Values};
use super::stored::{Folding, Size, Stored};
use super::term::{Node, Term};
use crate::ir::{AttrValue, BufferId, Expr};

/// Where an item is kept.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Storage {
    /// In a buffer of the function; for each of its dimensions the axis.
    Own(BufferId, Vec<Option<u32>>),
    /// In a new buffer, whose dimensions are the axes that are kept.
    New,
}

impl Storage {
    /// The buffer of the function, if it is in one.
    pub(crate) fn buffer(&self) -> Option<BufferId> {
        match self {
            Storage::Own(buffer, _) => Some(*buffer),
            Storage::New => None,
        }
    }
}

/// A tensor: a term of its axes, of which a reduction folds those from `kept` on.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub name: Arc<str>,
    pub term: Term,
    pub axes: Vec<Size>,
    pub kept: usize,
    /// What it is among the tensors that are kept in any case.
    pub stored: Option<u32>,
    pub storage: Storage,
    /// The annotations of the block that defines it.
    pub attrs: Vec<(Arc<str>, AttrValue)>,
    pub role: Role,
}

impl Item {
    /// What is kept in any case, in a new buffer.
    fn of_stored(values: &Values, number: u32) -> Item {
        let stored = &values.stored[number as usize];
        Item {
            name: "".into(),
            term: stored.body,
            axes: stored.kept.iter().chain(&stored.folded).cloned().collect(),
            kept: stored.kept.len(),
            stored: Some(number),
            storage: Storage::New,
            attrs: Vec::new(),
            role: Role::Foreign,
        }
    }

    /// Whether a plan may do without it.
    pub(crate) fn is_optional(&self) -> bool {
        self.stored.is_none() && self.role != Role::Output
    }

    /// How it folds, if it does.
    pub(crate) fn folding<'a>(&self, values: &'a Values) -> Option<&'a Folding> {
        self.stored.and_then(|number| values.stored[number as usize].folding.as_ref())
    }

    /// The axes that it keeps, in the order of the dimensions of its buffer if each has one.
    pub(crate) fn order(&self) -> Vec<u32> {
        let plain: Vec<u32> = (0..self.kept as u32).collect();
        let Storage::Own(_, dims) = &self.storage else { return plain };
        let own: Vec<u32> = dims.iter().flatten().copied().collect();
        let mut sorted = own.clone();
        sorted.sort_unstable();
        if sorted == plain { own } else { plain }
    }

    /// Whether it is kept in this buffer.
    pub(crate) fn is_in(&self, buffer: BufferId) -> bool {
        matches!(&self.storage, Storage::Own(own, _) if *own == buffer)
    }
}

/// What a buffer is for the function whose items are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Others read it.
    Output,
    /// Only the definitions read it.
    Own,
    /// It holds its tensor from the start.
    Given,
    /// It is a buffer of the other function; only its value counts.
    Foreign,
}

impl Role {
    /// Whether the tensor is there in any case: what is not possible otherwise may be so by what is given.
    fn is_fixed(self) -> bool {
        matches!(self, Role::Output | Role::Given)
    }

    /// Whether a buffer with this role holds a value rather than one with the other.
    fn goes_before(self, other: Role) -> bool {
        let rank = |role| match role {
            Role::Output => 0,
            Role::Given => 1,
            Role::Own => 2,
            Role::Foreign => 3,
        };
        rank(self) < rank(other)
    }
}

/// All items, in an order in which they can be computed.
#[derive(Debug, Default)]
pub(crate) struct Items {
    pub list: Vec<Item>,
    /// The items of what is kept in any case.
    stored: HashMap<u32, usize>,
    /// Items that fold nothing, by their value as a function of axes in order of first use, and the sizes of these.
    values: HashMap<(Term, Vec<Expr>), usize>,
}

impl Items {
    /// The items of all definitions. `role` says what their buffers are, `possible` which terms can be computed.
    pub(crate) fn new(
        values: &mut Values,
        role: impl Fn(BufferId) -> Role,
        possible: impl Fn(&Values, Term, &[Size]) -> bool,
    ) -> Items {
        let mut needed = vec![false; values.stored.len()];
        for held in
            values.held.iter().filter(|held| matches!(role(held.buffer), Role::Output | Role::Foreign))
        {
            values.needed(held.value, &mut needed);
        }
        let mut items = Items::default();
        let homes = homes(values, &role);
        for at in 0..values.held.len() {
            let held = values.held[at].clone();
            let role = role(held.buffer);
            // What is kept in any case is computed where it is first needed, or defined.
            let mut mine = vec![false; values.stored.len()];
            values.needed(held.value, &mut mine);
            let own = homes.iter().find(|(_, (home, _))| *home == at).map(|(&number, _)| number);
            let own = own.filter(|&number| needed[number as usize]);
            if let Some(number) = own {
                values.needed(values.stored[number as usize].body, &mut mine);
                mine[number as usize] = true;
            }
            for number in 0..mine.len() as u32 {
                if mine[number as usize] && needed[number as usize] && !items.stored.contains_key(&number) {
                    let home = homes.get(&number);
                    let item = Item {
                        name: home.map_or(&held.name, |(at, _)| &values.held[*at].name).clone(),
                        attrs: home.map_or_else(Vec::new, |(at, _)| values.held[*at].attrs.clone()),
                        role: home.map_or(Role::Foreign, |(_, (_, role))| *role),
                        storage: home.map_or(Storage::New, |(at, (dims, _))| {
                            Storage::Own(values.held[*at].buffer, dims.clone())
                        }),
                        ..Item::of_stored(values, number)
                    };
                    if item.role.is_fixed() || possible(values, item.term, &item.axes) {
                        items.store(values, number, item);
                    }
                }
            }
            if own.is_some() {
                continue;
            }
            let mut mine = vec![false; values.stored.len()];
            values.needed(held.value, &mut mine);
            let computable = (0..mine.len()).all(|n| !mine[n] || needed[n] && items.has(n as u32));
            if role.is_fixed() || computable && possible(values, held.value, &held.axes) {
                items.offer(values, &held, role);
            }
        }
        items
    }

    /// Adds what is kept in any case.
    fn store(&mut self, values: &mut Values, number: u32, item: Item) {
        let at = self.list.len();
        self.stored.insert(number, at);
        if item.folding(values).is_none() {
            let key = key(values, item.term, &item.axes);
            self.values.insert(key, at);
        }
        self.list.push(item);
    }

    /// Adds what a definition holds.
    fn offer(&mut self, values: &mut Values, held: &Held, role: Role) {
        let full = values.terms.axes(held.value).len() == held.axes.len();
        let leaf = is_leaf(values, held.value);
        let output = role == Role::Output;
        // A copy may have its elements in another order, in which they are neighbours where those of the original are not.
        let copy = leaf && role == Role::Own && is_turned(values, held);
        if !output && (leaf && !copy || !full) {
            return;
        }
        let storage =
            if role == Role::Foreign { Storage::New } else { Storage::Own(held.buffer, held.dims.clone()) };
        let (term, axes, kept) = (held.value, held.axes.clone(), held.axes.len());
        let (name, attrs) = (held.name.clone(), held.attrs.clone());
        let item = Item { name, term, axes, kept, stored: None, storage, attrs, role };
        let key = key(values, term, &item.axes);
        match self.values.get(&key).copied().filter(|_| full) {
            // What others read is kept in their buffer, and what is there is not computed.
            Some(at) if self.list[at].stored.is_none() && role.goes_before(self.list[at].role) => {
                let name = self.list[at].name.clone();
                self.list[at] = Item { name, ..item };
            }
            Some(_) if !output => {}
            known => {
                if full && known.is_none() && (!leaf || copy) {
                    self.values.insert(key, self.list.len());
                }
                self.list.push(item);
            }
        }
    }

    /// Whether what is kept in any case is an item.
    pub(crate) fn has(&self, number: u32) -> bool {
        self.stored.contains_key(&number)
    }

    /// The item that holds what an item of the other function's list holds.
    pub(crate) fn twin(&self, values: &mut Values, other: &Item) -> Option<usize> {
        match other.stored {
            Some(number) => self.stored.get(&number).copied(),
            None => self.values.get(&key(values, other.term, &other.axes)).copied(),
        }
    }

    /// The item that holds this value in a frame of these axes.
    pub(crate) fn find(&self, values: &mut Values, term: Term, axes: &[Size]) -> Option<usize> {
        if let Node::Stored(number, ..) = values.terms.node(term) {
            return self.stored.get(number).copied();
        }
        if values.terms.children(term).is_empty() || self.values.is_empty() {
            return None;
        }
        self.values.get(&key(values, term, axes)).copied()
    }
}

/// Whether a term is a number, or an element that is read as it is.
pub(crate) fn is_leaf(values: &Values, term: Term) -> bool {
    match values.terms.node(term) {
        Node::Axis(..) | Node::Stored(..) => true,
        Node::Form(head, children) => {
            children.is_empty() || matches!(head.kind, crate::ir::ExprKind::Load { .. })
        }
    }
}

/// Whether a definition is a copy of a tensor whose last dimension is another one.
fn is_turned(values: &Values, held: &Held) -> bool {
    let Node::Form(_, indices) = values.terms.node(held.value) else { return false };
    let axis = |index: &Term| match values.terms.node(*index) {
        Node::Axis(axis, _) => Some(*axis),
        Node::Stored(..) | Node::Form(..) => None,
    };
    let plain = indices.iter().all(|index| axis(index).is_some() || values.terms.axes(*index).is_empty());
    let last = indices.iter().rev().find_map(axis);
    plain && last.is_some() && held.dims.iter().rev().find_map(|dim| *dim) != last
}

/// A value as a function of axes in order of first use, and the sizes of these.
pub(crate) fn key(values: &mut Values, term: Term, axes: &[Size]) -> (Term, Vec<Expr>) {
    let canonical = values.terms.canonical(term);
    let sizes = values.terms.axes(term).iter().map(|&axis| axes[axis as usize].extent.clone()).collect();
    (canonical, sizes)
}

/// For what is kept in any case the definition that holds it as it is, the first of those with the strongest role, with the
/// axis of each dimension.
fn homes(values: &mut Values, role: &impl Fn(BufferId) -> Role) -> BTreeMap<u32, (usize, Home)> {
    let mut homes: BTreeMap<u32, (usize, Home)> = BTreeMap::new();
    for at in 0..values.held.len() {
        let mine = role(values.held[at].buffer);
        if mine == Role::Foreign {
            continue;
        }
        let Some((number, dims)) = whole(values, at) else { continue };
        let taken = homes.get(&number);
        if taken.is_none_or(|(_, (_, taken))| mine.goes_before(*taken)) {
            homes.insert(number, (at, (dims, mine)));
        }
    }
    homes
}

/// The axis of each dimension, and the role of the buffer.
type Home = (Vec<Option<u32>>, Role);

/// If a definition holds something that is kept in any case, as it is: which, and the axis of each dimension.
pub(crate) fn whole(values: &mut Values, at: usize) -> Option<(u32, Vec<Option<u32>>)> {
    let value = values.held[at].value;
    let canonical = values.terms.canonical(value);
    let held = &values.held[at];
    // Which tensor it is, and which of its own axes stand at that one's.
    let (number, own) = match values.terms.node(value) {
        Node::Stored(number, _, indices) => {
            let axis = |&index: &Term| match values.terms.node(index) {
                Node::Axis(axis, _) => Some(*axis),
                Node::Stored(..) | Node::Form(..) => None,
            };
            (*number, indices.iter().map(axis).collect::<Option<Vec<u32>>>()?)
        }
        Node::Axis(..) | Node::Form(..) => {
            let same = |stored: &Stored| stored.folding.is_none() && stored.body == canonical;
            let number = values.stored.iter().position(same)?;
            (number as u32, values.terms.axes(value).to_vec())
        }
    };
    let kept = &values.stored[number as usize].kept;
    let whole = own.len() == held.axes.len()
        && (0..own.len()).all(|place| {
            held.axes[own[place] as usize].extent == kept[place].extent && !own[..place].contains(&own[place])
        });
    let place = |axis: u32| own.iter().position(|&other| other == axis).map(|place| place as u32);
    whole.then(|| (number, held.dims.iter().map(|dim| dim.and_then(place)).collect()))
}
