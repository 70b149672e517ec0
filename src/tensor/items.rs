//! The tensors that may be kept in buffers.

use std::sync::Arc;

use hashbrown::HashMap;

use super::keys::{Size, Values};
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
    /// The reduction that it is the value of.
    pub reduction: Option<u32>,
    pub storage: Storage,
    /// Whether it has to be computed: it is an output, or a reduction that some output needs.
    pub required: bool,
}

impl Item {
    /// Whether it is kept in this buffer.
    pub(crate) fn is_in(&self, buffer: BufferId) -> bool {
        matches!(&self.storage, Storage::Own(own, _) if *own == buffer)
    }
}

/// All items, in an order in which they can be computed.
#[derive(Debug, Default)]
pub(crate) struct Items {
    pub list: Vec<Item>,
    /// The item of each reduction.
    reductions: HashMap<u32, usize>,
    /// Items that are no reductions, by their value as a function of axes in order of first use, and the sizes of these.
    values: HashMap<(Term, Vec<Expr>), usize>,
}

impl Items {
    /// The items of all definitions. `is_output` says which buffers others read.
    pub(crate) fn new(values: &mut Values, is_output: impl Fn(BufferId) -> bool) -> Items {
        let mut needed = vec![false; values.reductions.len()];
        for held in values.held.iter().filter(|held| is_output(held.buffer)) {
            values.needed(held.value, &mut needed);
        }
        let mut items = Items::default();
        let homes = homes(values, &is_output);
        for at in 0..values.held.len() {
            let held = values.held[at].clone();
            let output = is_output(held.buffer);
            // A reduction is computed where it is first defined.
            let mut mine = vec![false; values.reductions.len()];
            values.needed(held.value, &mut mine);
            for number in 0..mine.len() as u32 {
                if !mine[number as usize] || !needed[number as usize] || items.reductions.contains_key(&number) {
                    continue;
                }
                let reduction = &values.reductions[number as usize];
                items.reductions.insert(number, items.list.len());
                let home = homes.get(&number);
                items.list.push(Item {
                    name: home.map_or_else(|| held.name.clone(), |(at, _)| values.held[*at].name.clone()),
                    term: reduction.body,
                    axes: reduction.kept.iter().chain(&reduction.folded).cloned().collect(),
                    kept: reduction.kept.len(),
                    reduction: Some(number),
                    storage: home.map_or(Storage::New, |(at, dims)| Storage::Own(values.held[*at].buffer, dims.clone())),
                    required: true,
                });
            }
            if homes.values().any(|(home, _)| *home == at) {
                continue;
            }
            let mut mine = vec![false; values.reductions.len()];
            values.needed(held.value, &mut mine);
            let computable = mine.iter().zip(&needed).all(|(mine, needed)| !mine || *needed);
            let storage = Storage::Own(held.buffer, held.dims.clone());
            items.offer(values, &held.name, held.value, &held.axes, storage, output, computable);
        }
        items
    }

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
                    (item.term, item.axes, item.storage, item.required) = (term, axes.to_vec(), storage, true);
                }
            }
            Some(_) if !required => {}
            _ => {
                if full && known.is_none() && !leaf {
                    self.values.insert(key, self.list.len());
                }
                let (name, axes, kept) = (name.clone(), axes.to_vec(), axes.len());
                self.list.push(Item { name, term, axes, kept, reduction: None, storage, required });
            }
        }
    }

    /// Whether a reduction is an item.
    pub(crate) fn has(&self, reduction: u32) -> bool {
        self.reductions.contains_key(&reduction)
    }

    /// The item that holds this value in a frame of these axes.
    pub(crate) fn find(&self, values: &mut Values, term: Term, axes: &[Size]) -> Option<usize> {
        if let Node::Reduction(number, ..) = values.terms.node(term) {
            return self.reductions.get(number).copied();
        }
        if values.terms.children(term).is_empty() || self.values.is_empty() {
            return None;
        }
        self.values.get(&key(values, term, axes)).copied()
    }
}

/// Whether a term is an element that is read as it is, of a parameter or of a reduction.
fn is_read(values: &Values, term: Term) -> bool {
    match values.terms.node(term) {
        Node::Axis(..) | Node::Reduction(..) => true,
        Node::Form(head, _) => matches!(head.kind, crate::ir::ExprKind::Load { .. }),
    }
}

/// A value as a function of axes in order of first use, and the sizes of these.
fn key(values: &mut Values, term: Term, axes: &[Size]) -> (Term, Vec<Expr>) {
    let canonical = values.terms.canonical(term);
    let sizes = values.terms.axes(term).iter().map(|&axis| axes[axis as usize].extent.clone()).collect();
    (canonical, sizes)
}

/// For each reduction the definition that holds it as it is, an output if there is one, with the axis of each dimension.
fn homes(values: &Values, is_output: &impl Fn(BufferId) -> bool) -> HashMap<u32, (usize, Vec<Option<u32>>)> {
    let mut homes: HashMap<u32, (usize, Vec<Option<u32>>)> = HashMap::new();
    for (at, held) in values.held.iter().enumerate() {
        let Node::Reduction(number, _, indices) = values.terms.node(held.value) else { continue };
        let mut places = vec![None; held.axes.len()];
        for (place, &index) in indices.iter().enumerate() {
            if let Node::Axis(axis, _) = values.terms.node(index) {
                places[*axis as usize] = Some(place as u32);
            }
        }
        let kept = &values.reductions[*number as usize].kept;
        let whole = places.iter().zip(&held.axes).all(|(place, axis)| {
            place.is_some_and(|place| kept[place as usize].extent == axis.extent)
        });
        if !whole || places.len() != indices.len() {
            continue;
        }
        let better = match homes.get(number) {
            None => true,
            Some((other, _)) => is_output(held.buffer) && !is_output(values.held[*other].buffer),
        };
        if better {
            let dims = held.dims.iter().map(|dim| dim.and_then(|axis| places[axis as usize])).collect();
            homes.insert(*number, (at, dims));
        }
    }
    homes
}
