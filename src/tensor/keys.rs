//! Definitions as terms: what each buffer holds, as a function of its axes.
//!
//! A definition that is no reduction is put in wherever it is read. A reduction is a symbol: two reductions with the same
//! operation, start, sizes and body are one, whatever their axes and buffers are called and in which order the axes stand
//! that it keeps. The order of those that it folds is part of it.

use std::sync::Arc;

use hashbrown::HashMap;

use super::digits::Loop;
use super::equal::Bodies;
use super::lift::Definition;
use super::stored::{Folding, Size, Stored};
use super::term::{Node, Term, Terms, hole};
use crate::ir::{AttrValue, BufferId, Expr, ExprKind, VarId};

/// What a buffer holds.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub name: Arc<str>,
    pub buffer: BufferId,
    /// The annotations of its block.
    pub attrs: Vec<(Arc<str>, AttrValue)>,
    /// The value, a term of `axes`.
    pub value: Term,
    pub axes: Vec<Size>,
    /// For each dimension of the buffer its axis.
    pub dims: Vec<Option<u32>>,
    /// The rules and laws by which the value is what the definition says, if that is written in another way.
    pub because: Vec<String>,
}

/// All definitions of a part of a function.
#[derive(Debug, Default)]
pub(crate) struct Values {
    pub terms: Terms,
    pub stored: Vec<Stored>,
    /// In the order of the definitions.
    pub held: Vec<Held>,
    /// What finds bodies that are equal by meaning; without it terms are only compared as they are.
    bodies: Option<Bodies>,
    pub(super) numbers: HashMap<Stored, u32>,
    of: HashMap<BufferId, usize>,
}

/// The most terms.
const MAX_TERMS: usize = 100_000;

impl Values {
    /// The values of all definitions; `None` if they are too many.
    pub(crate) fn new(definitions: &[Definition], bodies: Option<Bodies>) -> Option<Values> {
        let mut values = Values { bodies, ..Values::default() };
        values.extend(definitions).then_some(values)
    }

    /// Adds definitions; `false` if they are too many.
    pub(crate) fn extend(&mut self, definitions: &[Definition]) -> bool {
        for definition in definitions {
            self.add(definition);
            if self.terms.len() > MAX_TERMS {
                return false;
            }
        }
        true
    }

    /// From now on a buffer is read, whatever it holds.
    pub(crate) fn read_as_is(&mut self, buffer: BufferId) {
        self.of.remove(&buffer);
    }

    fn add(&mut self, definition: &Definition) {
        let mut frame = HashMap::new();
        let mut axes = Vec::new();
        let mut dims = Vec::new();
        for axis in &definition.axes {
            dims.push(axis.as_ref().map(|axis| self.enter(&mut frame, &mut axes, axis)));
        }
        let mut because;
        self.terms.take_used();
        let mut identities;
        let value = match &definition.fold {
            None => {
                let written = self.term(&definition.value, &frame);
                identities = self.terms.take_used();
                let value;
                (value, because) = self.normal(written, &axes);
                value
            }
            Some(fold) => {
                let mut all = axes.clone();
                for axis in &fold.axes {
                    self.enter(&mut frame, &mut all, axis);
                }
                let written = self.term(&definition.value, &frame);
                identities = self.terms.take_used();
                let body;
                (body, because) = self.normal(written, &all);
                let folding = Folding { op: fold.op, init: fold.init.clone(), left: fold.left };
                let value = self.reduction(body, &all, axes.len(), &folding);
                identities.extend(self.terms.take_used());
                value
            }
        };
        for name in identities {
            if !because.iter().any(|known| known == name) {
                because.push(name.to_owned());
            }
        }
        self.of.insert(definition.buffer, self.held.len());
        let (name, buffer) = (definition.name.clone(), definition.buffer);
        let attrs = definition.attrs.clone();
        self.held.push(Held { name, buffer, attrs, value, axes, dims, because });
    }

    /// Whether floats are computed as if they were real numbers.
    pub(super) fn takes_floats_as_real(&self) -> bool {
        self.bodies.as_ref().is_some_and(Bodies::takes_floats_as_real)
    }

    /// A body in the form that stands for all that are found equal, and why.
    fn normal(&mut self, body: Term, axes: &[Size]) -> (Term, Vec<String>) {
        match &mut self.bodies {
            Some(bodies) => bodies.normal(&mut self.terms, &self.stored, body, axes),
            None => (body, Vec::new()),
        }
    }

    fn enter(&mut self, frame: &mut HashMap<VarId, Term>, axes: &mut Vec<Size>, axis: &Loop) -> u32 {
        let number = axes.len() as u32;
        frame.insert(axis.var, self.terms.axis(number, axis.dtype));
        axes.push(size_of(axis));
        number
    }

    /// The term of an expression whose axes have these terms.
    fn term(&mut self, e: &Expr, frame: &HashMap<VarId, Term>) -> Term {
        if let Some(axis) = e.as_var().and_then(|var| frame.get(&var)) {
            return *axis;
        }
        let mut children = Vec::new();
        e.for_each_child(|child| children.push(child));
        let children: Vec<Term> = children.into_iter().map(|child| self.term(child, frame)).collect();
        if let ExprKind::Load { buffer, .. } = &e.kind
            && let Some(&at) = self.of.get(buffer)
        {
            let held = &self.held[at];
            let count = held.axes.len();
            let mut values = vec![None; count];
            for (dim, index) in held.dims.iter().zip(&children) {
                if let Some(axis) = dim {
                    values[*axis as usize] = Some(*index);
                }
            }
            let values: Vec<Term> = values.into_iter().flatten().collect();
            debug_assert_eq!(values.len(), count, "each axis is a dimension");
            return self.element(at, &values);
        }
        let mut head = e.clone();
        head.for_each_child_mut(|child| *child = hole(child.dtype));
        self.terms.form(head, children)
    }

    /// The number of what is kept in any case.
    pub(super) fn number(&mut self, stored: Stored) -> u32 {
        let next = self.stored.len() as u32;
        let number = *self.numbers.entry(stored.clone()).or_insert(next);
        if number == next {
            self.stored.push(stored);
        }
        number
    }

    /// An element of what a buffer holds. At computed indices it is read; elsewhere, and where it is read anyway, it is what
    /// its definition says.
    fn element(&mut self, at: usize, indices: &[Term]) -> Term {
        let value = self.held[at].value;
        let axis = |&index: &Term| match self.terms.node(index) {
            Node::Axis(number, _) => Some(*number),
            Node::Stored(..) | Node::Form(..) => None,
        };
        // Along other axes the value is the same everywhere.
        let used = self.terms.axes(value).to_vec();
        let axes: Option<Vec<u32>> = used.iter().map(|&own| axis(&indices[own as usize])).collect();
        let plain = axes.is_some_and(|axes| (0..axes.len()).all(|at| !axes[..at].contains(&axes[at])));
        let is_read = match self.terms.node(value) {
            Node::Form(head, children) => children.is_empty() || matches!(head.kind, ExprKind::Load { .. }),
            Node::Axis(..) | Node::Stored(..) => true,
        };
        if plain || is_read {
            return self.terms.replace(value, indices);
        }
        let kept = used.iter().map(|&axis| self.held[at].axes[axis as usize].clone()).collect();
        let body = self.terms.canonical(value);
        let number = self.number(Stored { folding: None, kept, folded: Vec::new(), body });
        let dtype = self.terms.dtype(value);
        self.terms.stored(number, dtype, used.iter().map(|&axis| indices[axis as usize]).collect())
    }

    /// What is stored that a term needs, what that needs included.
    pub(crate) fn needed(&self, term: Term, found: &mut [bool]) {
        let mut seen = hashbrown::HashSet::new();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            if let Node::Stored(number, ..) = self.terms.node(term)
                && !std::mem::replace(&mut found[*number as usize], true)
            {
                open.push(self.stored[*number as usize].body);
            }
            open.extend_from_slice(self.terms.children(term));
        }
    }
}

/// The size of an axis: equal numbers are equal expressions.
fn size_of(axis: &Loop) -> Size {
    let extent = match axis.extent.as_int() {
        Some(number) => Expr::int(number, axis.dtype),
        None => axis.extent.clone(),
    };
    Size { dtype: axis.dtype, extent }
}
