//! The tensors that may be kept in buffers.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;

use super::keys::{Folding, Size, Stored, Values};
use super::term::{Node, Term};
use crate::ir::{BufferId, Expr};

/// Where an item is kept.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Storage {
    /// In a buffer of the function; for each of its dimensions the axis.
    Own(BufferId, Vec<Option<u32>>),
    /// In a new buffer, whose dimensions are the axes that are kept.
    New,
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
    /// Whether it has to be computed: it is an output, or kept in any case and some output needs it.
    pub required: bool,
}

impl Item {
    /// How it folds, if it does.
    pub(crate) fn folding<'a>(&self, values: &'a Values) -> Option<&'a Folding> {
        self.stored.and_then(|number| values.stored[number as usize].folding.as_ref())
    }

    /// Whether it is kept in this buffer.
    pub(crate) fn is_in(&self, buffer: BufferId) -> bool {
        matches!(&self.storage, Storage::Own(own, _) if *own == buffer)
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
    /// The items of all definitions. `is_output` says which buffers others read.
    pub(crate) fn new(values: &mut Values, is_output: impl Fn(BufferId) -> bool) -> Items {
        let mut needed = vec![false; values.stored.len()];
        for held in values.held.iter().filter(|held| is_output(held.buffer)) {
            values.needed(held.value, &mut needed);
        }
        let mut items = Items::default();
        let homes = homes(values, &is_output);
        for at in 0..values.held.len() {
            let held = values.held[at].clone();
            let output = is_output(held.buffer);
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
                    let name = home.map_or(&held.name, |(at, _)| &values.held[*at].name).clone();
                    let storage = home.map_or(Storage::New, |(at, dims)| {
                        Storage::Own(values.held[*at].buffer, dims.clone())
                    });
                    items.store(values, number, name, storage);
                }
            }
            if own.is_some() {
                continue;
            }
            let mut mine = vec![false; values.stored.len()];
            values.needed(held.value, &mut mine);
            let computable = mine.iter().zip(&needed).all(|(mine, needed)| !mine || *needed);
            let storage = Storage::Own(held.buffer, held.dims.clone());
            items.offer(values, &held.name, held.value, &held.axes, storage, output, computable);
        }
        items
    }

    /// Adds what is kept in any case.
    fn store(&mut self, values: &mut Values, number: u32, name: Arc<str>, storage: Storage) {
        let stored = values.stored[number as usize].clone();
        let at = self.list.len();
        self.stored.insert(number, at);
        if stored.folding.is_none() {
            let key = key(values, stored.body, &stored.kept);
            self.values.insert(key, at);
        }
        self.list.push(Item {
            name,
            term: stored.body,
            axes: stored.kept.iter().chain(&stored.folded).cloned().collect(),
            kept: stored.kept.len(),
            stored: Some(number),
            storage,
            required: true,
        });
    }

    #[allow(clippy::too_many_arguments, reason = "each is a part of an item")]
    fn offer(
        &mut self,
        values: &mut Values,
        name: &Arc<str>,
        term: Term,
        axes: &[Size],
        storage: Storage,
        required: bool,
        computable: bool,
    ) {
        let full = values.terms.axes(term).len() == axes.len();
        let leaf = values.terms.children(term).is_empty() || is_read(values, term);
        if !required && (!computable || leaf || !full) {
            return;
        }
        let key = key(values, term, axes);
        let known = self.values.get(&key).copied().filter(|_| full);
        match known {
            Some(at) if !self.list[at].required => {
                if required {
                    // What others read is kept in their buffer.
                    let item = &mut self.list[at];
                    (item.term, item.axes, item.storage, item.required) =
                        (term, axes.to_vec(), storage, true);
                }
            }
            Some(_) if !required => {}
            _ => {
                if full && known.is_none() && !leaf {
                    self.values.insert(key, self.list.len());
                }
                let (name, axes, kept) = (name.clone(), axes.to_vec(), axes.len());
                self.list.push(Item { name, term, axes, kept, stored: None, storage, required });
            }
        }
    }

    /// Whether what is kept in any case is an item.
    pub(crate) fn has(&self, number: u32) -> bool {
        self.stored.contains_key(&number)
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

/// Whether a term is an element that is read as it is, of a parameter or of what is kept in any case.
fn is_read(values: &Values, term: Term) -> bool {
    match values.terms.node(term) {
        Node::Axis(..) | Node::Stored(..) => true,
        Node::Form(head, _) => matches!(head.kind, crate::ir::ExprKind::Load { .. }),
    }
}

/// A value as a function of axes in order of first use, and the sizes of these.
fn key(values: &mut Values, term: Term, axes: &[Size]) -> (Term, Vec<Expr>) {
    let canonical = values.terms.canonical(term);
    let sizes = values.terms.axes(term).iter().map(|&axis| axes[axis as usize].extent.clone()).collect();
    (canonical, sizes)
}

/// For what is kept in any case the definition that holds it as it is, an output if there is one, with the axis of each
/// dimension.
fn homes(
    values: &mut Values,
    is_output: &impl Fn(BufferId) -> bool,
) -> BTreeMap<u32, (usize, Vec<Option<u32>>)> {
    let mut homes: BTreeMap<u32, (usize, Vec<Option<u32>>)> = BTreeMap::new();
    for at in 0..values.held.len() {
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
                let Some(own) = indices.iter().map(axis).collect::<Option<Vec<u32>>>() else { continue };
                (*number, own)
            }
            Node::Axis(..) | Node::Form(..) => {
                let same = |stored: &Stored| stored.folding.is_none() && stored.body == canonical;
                let Some(number) = values.stored.iter().position(same) else { continue };
                (number as u32, values.terms.axes(value).to_vec())
            }
        };
        let kept = &values.stored[number as usize].kept;
        let whole = own.len() == held.axes.len()
            && (0..own.len()).all(|place| {
                held.axes[own[place] as usize].extent == kept[place].extent
                    && !own[..place].contains(&own[place])
            });
        let taken = homes.get(&number);
        let better =
            taken.is_none_or(|(other, _)| is_output(held.buffer) && !is_output(values.held[*other].buffer));
        if whole && better {
            let place = |axis: u32| own.iter().position(|&other| other == axis).map(|place| place as u32);
            let dims = held.dims.iter().map(|dim| dim.and_then(place)).collect();
            homes.insert(number, (at, dims));
        }
    }
    homes
}
