//! Values of elements as terms: equal terms have one number.
//!
//! A term stands in a frame: axes with extents. A tensor is a term of its axes, and reading it at some indices is
//! substitution, so that transposes, copies and broadcasts leave no trace.

use std::hash::{Hash, Hasher};

use hashbrown::{HashMap, HashSet};

use crate::ir::value::{self, Value};
use crate::ir::{BinOp, Commutes, DType, Expr, ExprKind};

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

/// Functions that have one value at both zeros. There `0.0 - x` is `x * -1.0`: elsewhere these differ where `x` is 0.0.
const EVEN_AT_ZERO: [&str; 8] = ["exp", "exp2", "exp10", "cos", "cosh", "sigmoid", "abs", "fabs"];

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
    /// Whether a sign was taken out of an operation since somebody asked.
    has_moved_sign: bool,
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

    /// An expression of operands, in the form that stands for all that are equal to it bit for bit as far as that is seen here:
    /// operands that may change places are in order, constants of integers are folded, `x * 1`, `x / 1` are `x`,
    /// and so are choices between `x` and `x`; the sign of a product or quotient of floats stands outside of it.
    pub(crate) fn form(&mut self, head: Expr, mut children: Vec<Term>) -> Term {
        if let (ExprKind::Binary(op, ..), &[a, b]) = (&head.kind, &children[..]) {
            let op = *op;
            if let Some(simple) = self.simple(op, a, b) {
                return simple;
            }
            if let Some(signed) = self.signed(&head, op, a, b) {
                self.has_moved_sign = true;
                return signed;
            }
            if op.commutes() == Commutes::Always && (self.shape(a), a) > (self.shape(b), b) {
                children.swap(0, 1);
            }
        }
        if let &[_, then, otherwise] = &children[..]
            && then == otherwise
            && (matches!(head.kind, ExprKind::Select(_))
                || head.as_intrin().is_some_and(|(name, _)| name == "if_then_else"))
        {
            return then;
        }
        if let ExprKind::Cast(_) = head.kind
            && let &[a] = &children[..]
            && self.dtype(a) == head.dtype
        {
            return a;
        }
        if let (Some((name, _)), &[a]) = (head.as_intrin(), &children[..])
            && EVEN_AT_ZERO.contains(&name)
            && let Some(positive) = self.less_than_zero(a)
        {
            let dtype = self.dtype(a);
            children = vec![self.negative(positive, dtype)];
        }
        self.insert(Node::Form(head, children.into()))
    }

    fn shape(&self, term: Term) -> u64 {
        self.shapes[term.0 as usize]
    }

    /// An operation of floats that has a negative, `x * -1.0`, as an operand, without that: rounding treats both signs alike.
    fn signed(&mut self, head: &Expr, op: BinOp, a: Term, b: Term) -> Option<Term> {
        if !head.dtype.is_float() || !head.dtype.is_scalar() {
            return None;
        }
        let (x, y) = (self.negated(a), self.negated(b));
        let dtype = head.dtype;
        match op {
            BinOp::Mul | BinOp::Div => {
                // `x * -1.0` is how a negative is written; `x / -1.0` is the same.
                let minus = |terms: &Terms, term: Term| terms.is_minus_one(term);
                if op == BinOp::Mul && (minus(self, a) && y.is_some() || minus(self, b) && x.is_some()) {
                    return x.or(y);
                }
                if minus(self, b) && op == BinOp::Div {
                    return Some(self.negative(a, dtype));
                }
                if x.is_none() && y.is_none() || op == BinOp::Mul && (minus(self, a) || minus(self, b)) {
                    return None;
                }
                let plain = self.form(head.clone(), vec![x.unwrap_or(a), y.unwrap_or(b)]);
                Some(if x.is_some() == y.is_some() { plain } else { self.negative(plain, dtype) })
            }
            BinOp::Add | BinOp::Sub if y.is_some() => {
                let other = if op == BinOp::Add { BinOp::Sub } else { BinOp::Add };
                let head = Expr::binary(other, hole(dtype), hole(dtype));
                Some(self.form(head, vec![a, y?]))
            }
            BinOp::Add if x.is_some() => {
                let head = Expr::binary(BinOp::Sub, hole(dtype), hole(dtype));
                Some(self.form(head, vec![b, x?]))
            }
            _ => None,
        }
    }

    /// Whether a sign was taken out of an operation since this was last asked.
    pub(crate) fn take_moved_sign(&mut self) -> bool {
        std::mem::take(&mut self.has_moved_sign)
    }

    /// `x * -1.0`.
    fn negative(&mut self, term: Term, dtype: DType) -> Term {
        let minus_one = self.form(Expr::float(-1.0, dtype), Vec::new());
        self.form(Expr::binary(BinOp::Mul, hole(dtype), hole(dtype)), vec![term, minus_one])
    }

    fn is_minus_one(&self, term: Term) -> bool {
        matches!(self.node(term), Node::Form(head, _) if head.kind == ExprKind::Float((-1.0_f64).to_bits()))
    }

    /// The operand of `x * -1.0`.
    fn negated(&self, term: Term) -> Option<Term> {
        let Node::Form(head, children) = self.node(term) else { return None };
        let (ExprKind::Binary(BinOp::Mul, ..), &[a, b]) = (&head.kind, &children[..]) else { return None };
        match (self.is_minus_one(a), self.is_minus_one(b)) {
            (_, true) => Some(a),
            (true, false) => Some(b),
            (false, false) => None,
        }
    }

    /// The operand of `0.0 - x`.
    fn less_than_zero(&self, term: Term) -> Option<Term> {
        let Node::Form(head, children) = self.node(term) else { return None };
        let (ExprKind::Binary(BinOp::Sub, ..), &[zero, positive]) = (&head.kind, &children[..]) else {
            return None;
        };
        let is_zero = matches!(self.node(zero), Node::Form(zero, _) if zero.kind == ExprKind::Float(0));
        is_zero.then_some(positive)
    }

    /// What a binary operation is equal to, if that is one of its operands or a constant.
    fn simple(&mut self, op: BinOp, a: Term, b: Term) -> Option<Term> {
        let dtype = self.dtype(a);
        let is = |terms: &Terms, term: Term, number: i64| match terms.node(term) {
            Node::Form(head, _) => match head.kind {
                ExprKind::Int(value) => value == number,
                ExprKind::Float(bits) => bits == (number as f64).to_bits() && number != 0,
                _ => false,
            },
            Node::Axis(..) | Node::Stored(..) => false,
        };
        if !dtype.is_scalar() || dtype == DType::BOOL {
            return None;
        }
        match op {
            BinOp::Mul if is(self, a, 1) => return Some(b),
            BinOp::Mul | BinOp::Div | BinOp::FloorDiv if is(self, b, 1) => return Some(a),
            BinOp::Add if is(self, a, 0) => return Some(b),
            BinOp::Add | BinOp::Sub if is(self, b, 0) => return Some(a),
            _ => {}
        }
        if dtype.is_float() || op.is_compare() || op.is_logic() {
            return None;
        }
        let constant = |terms: &Terms, term: Term| match terms.node(term) {
            Node::Form(head, _) => match head.kind {
                ExprKind::Int(value) => Some(Value::Int(value)),
                _ => None,
            },
            Node::Axis(..) | Node::Stored(..) => None,
        };
        let (x, y) = (constant(self, a)?, constant(self, b)?);
        let folded = value::binary(op, dtype, x, y).ok()?.to_expr(dtype);
        Some(self.insert(Node::Form(folded, Box::new([]))))
    }

    fn insert(&mut self, node: Node) -> Term {
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
