//! Values of elements as terms: equal terms have one number.
//!
//! A term stands in a frame: axes with extents. A tensor is a term of its axes, and reading it at some indices is
//! substitution, so that transposes, copies and broadcasts leave no trace.

use std::hash::{Hash, Hasher};

use hashbrown::{HashMap, HashSet};

use crate::ir::{BinOp, DType, Expr, ExprKind};

/// The number of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Term(u32);

/// What a term is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// An axis of the frame.
    Axis(u32, DType),
    /// An element of a tensor that is kept in any case: its number, and the indices.
    Stored(u32, DType, Box<[Term]>),
    /// Any other expression: without its operands, which stand beside it.
    Form(Expr, Box<[Term]>),
}

/// All terms of a function.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    nodes: Vec<Node>,
    numbers: HashMap<Node, Term>,
    axes: Vec<Box<[u32]>>,
    /// A number for what the term is but for the numbers of axes, by which operands are put in order.
    shapes: Vec<u64>,
    canonical: HashMap<Term, Term>,
    replaced: HashMap<(Term, Box<[Term]>), Term>,
    /// The identities that forms were brought to their form by, since somebody asked.
    pub(super) used: Vec<&'static str>,
}

impl Terms {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// What the term is.
    pub(crate) fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    /// The operands.
    pub(crate) fn children(&self, term: Term) -> &[Term] {
        match self.node(term) {
            Node::Axis(..) => &[],
            Node::Stored(_, _, children) | Node::Form(_, children) => children,
        }
    }

    /// The type of the value.
    pub(crate) fn dtype(&self, term: Term) -> DType {
        match self.node(term) {
            Node::Axis(_, dtype) | Node::Stored(_, dtype, _) => *dtype,
            Node::Form(head, _) => head.dtype,
        }
    }

    /// The axes that the value depends on, in order of first use.
    pub(crate) fn axes(&self, term: Term) -> &[u32] {
        &self.axes[term.0 as usize]
    }

    /// An axis.
    pub(crate) fn axis(&mut self, number: u32, dtype: DType) -> Term {
        self.insert(Node::Axis(number, dtype))
    }

    /// An element of a tensor that is kept in any case.
    pub(crate) fn stored(&mut self, number: u32, dtype: DType, indices: Vec<Term>) -> Term {
        self.insert(Node::Stored(number, dtype, indices.into()))
    }

    /// The identities by which forms were brought to their form since this was last asked.
    pub(crate) fn take_used(&mut self) -> Vec<&'static str> {
        std::mem::take(&mut self.used)
    }

    /// A term as it is.
    pub(super) fn insert(&mut self, node: Node) -> Term {
        if let Some(&term) = self.numbers.get(&node) {
            return term;
        }
        let term = Term(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let mut axes: Vec<u32> = Vec::new();
        match &node {
            Node::Axis(number, _) => axes.push(*number),
            Node::Stored(_, _, children) | Node::Form(_, children) => {
                for child in children {
                    for &axis in self.axes(*child) {
                        if !axes.contains(&axis) {
                            axes.push(axis);
                        }
                    }
                }
            }
        }
        let mut shape = std::hash::DefaultHasher::new();
        match &node {
            Node::Axis(_, dtype) => dtype.hash(&mut shape),
            Node::Stored(number, ..) => number.hash(&mut shape),
            Node::Form(head, _) => head.hash(&mut shape),
        }
        if let Node::Stored(_, _, children) | Node::Form(_, children) = &node {
            children.iter().for_each(|&child| self.shape(child).hash(&mut shape));
        }
        self.shapes.push(shape.finish());
        self.axes.push(axes.into());
        self.nodes.push(node.clone());
        self.numbers.insert(node, term);
        term
    }

    /// The term with `values[k]` in the place of axis `k`. Axes beyond them stay.
    pub(crate) fn replace(&mut self, term: Term, values: &[Term]) -> Term {
        if self.axes(term).is_empty() {
            return term;
        }
        let key = (term, values.into());
        if let Some(&known) = self.replaced.get(&key) {
            return known;
        }
        let made = match self.node(term).clone() {
            Node::Axis(number, dtype) => match values.get(number as usize) {
                Some(&value) if self.dtype(value) == dtype => value,
                Some(&value) => self.form(Expr::cast(dtype, hole(self.dtype(value))), vec![value]),
                None => term,
            },
            Node::Stored(number, dtype, children) => {
                let children = children.iter().map(|&c| self.replace(c, values)).collect();
                self.stored(number, dtype, children)
            }
            Node::Form(head, children) => {
                let children = children.iter().map(|&c| self.replace(c, values)).collect();
                self.form(head, children)
            }
        };
        self.replaced.insert(key, made);
        made
    }

    /// The term with its axes numbered in order of first use: equal for all that differ in the names of axes.
    pub(crate) fn canonical(&mut self, term: Term) -> Term {
        if let Some(&known) = self.canonical.get(&term) {
            return known;
        }
        let axes: Vec<u32> = self.axes(term).to_vec();
        let mut dtypes = HashMap::new();
        self.axis_types(term, &mut dtypes, &mut HashSet::new());
        let length = axes.iter().map(|&axis| axis as usize + 1).max().unwrap_or(0);
        let mut values: Vec<Term> = Vec::new();
        for axis in 0..length as u32 {
            let at = axes.iter().position(|&other| other == axis).unwrap_or(0) as u32;
            let dtype = dtypes.get(&axis).copied().unwrap_or(DType::I32);
            values.push(self.axis(at, dtype));
        }
        let made = self.replace(term, &values);
        self.canonical.insert(term, made);
        made
    }

    /// The same of a term that was asked for before.
    pub(crate) fn known_canonical(&self, term: Term) -> Option<Term> {
        self.canonical.get(&term).copied()
    }

    /// A number for what the term is but for the numbers of axes.
    pub(super) fn shape(&self, term: Term) -> u64 {
        self.shapes[term.0 as usize]
    }

    fn axis_types(&self, term: Term, found: &mut HashMap<u32, DType>, seen: &mut HashSet<Term>) {
        if !seen.insert(term) {
            return;
        }
        if let Node::Axis(number, dtype) = self.node(term) {
            found.insert(*number, *dtype);
        }
        for &child in self.children(term) {
            self.axis_types(child, found, seen);
        }
    }

    /// The operands that are evaluated only under a condition: from this position on.
    pub(crate) fn lazy_from(&self, term: Term) -> Option<usize> {
        match self.node(term) {
            Node::Form(head, _) => match &head.kind {
                ExprKind::Binary(BinOp::And | BinOp::Or, ..) => Some(1),
                _ => (head.as_intrin().is_some_and(|(name, _)| name == "if_then_else")).then_some(1),
            },
            Node::Axis(..) | Node::Stored(..) => None,
        }
    }
}

/// What stands for an operand in the head of a form.
pub(crate) fn hole(dtype: DType) -> Expr {
    Expr { dtype, kind: ExprKind::Int(0) }
}
