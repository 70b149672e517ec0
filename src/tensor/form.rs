//! The form that stands for all terms that are seen to be equal bit for bit when a term is made: most that is equal is one term at
//! once, without a search.

use super::term::{Node, Term, Terms, hole};
use crate::ir::value::{self, Value};
use crate::ir::{BinOp, Commutes, DType, Expr, ExprKind};

/// Functions that have one value at both zeros. There `0.0 - x` is `x * -1.0`, and `x + 0.0` is `x`: elsewhere these differ where
/// `x` is a zero.
const EVEN_AT_ZERO: [&str; 8] = ["exp", "exp2", "exp10", "cos", "cosh", "sigmoid", "abs", "fabs"];

impl Terms {
    /// An expression of operands, in its form: operands that may change places are in order, constants of integers are folded,
    /// `x * 1`, `x / 1` are `x`, and so are choices between `x` and `x`; the sign of a product or quotient of floats stands
    /// outside of it, `x + x` of floats is `x * 2`, and an operation that both arms of a choice do with one operand stands
    /// outside of the choice.
    pub(crate) fn form(&mut self, head: Expr, mut children: Vec<Term>) -> Term {
        match (&head.kind, &children[..]) {
            (ExprKind::Binary(op, ..), &[a, b]) => {
                let op = *op;
                if let Some(made) = self.simple(op, a, b).or_else(|| self.signed(&head, op, a, b)) {
                    return made;
                }
                if op.commutes() == Commutes::Always && (self.shape(a), a) > (self.shape(b), b) {
                    children.swap(0, 1);
                }
            }
            (_, &[condition, then, otherwise]) if is_choice(&head) => {
                if let Some(made) = self.chosen(&head, condition, then, otherwise) {
                    return made;
                }
            }
            (ExprKind::Cast(_), &[a]) if self.dtype(a) == head.dtype => return a,
            (ExprKind::Call(_), &[a])
                if head.as_intrin().is_some_and(|(name, _)| EVEN_AT_ZERO.contains(&name)) =>
            {
                children[0] = self.without_zero(a);
            }
            _ => {}
        }
        self.insert(Node::Form(head, children.into()))
    }

    /// An operation of two terms.
    pub(super) fn binary(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        let (left, right) = (hole(self.dtype(a)), hole(self.dtype(b)));
        self.form(Expr::binary(op, left, right), vec![a, b])
    }

    /// A number.
    pub(super) fn float(&mut self, value: f64, dtype: DType) -> Term {
        self.form(Expr::float(value, dtype), Vec::new())
    }

    fn is_float(&self, term: Term, value: f64) -> bool {
        matches!(self.node(term), Node::Form(head, _) if head.kind == ExprKind::Float(value.to_bits()))
    }

    /// The operands of an operation.
    pub(super) fn operands(&self, op: BinOp, term: Term) -> Option<(Term, Term)> {
        match (self.node(term), self.children(term)) {
            (Node::Form(head, _), &[a, b]) if matches!(head.kind, ExprKind::Binary(own, ..) if own == op) => {
                Some((a, b))
            }
            _ => None,
        }
    }

    /// `x * -1.0`.
    fn negative(&mut self, term: Term) -> Term {
        let minus_one = self.float(-1.0, self.dtype(term));
        self.binary(BinOp::Mul, term, minus_one)
    }

    /// The operand of `x * -1.0`.
    fn negated(&self, term: Term) -> Option<Term> {
        let (a, b) = self.operands(BinOp::Mul, term)?;
        if self.is_float(b, -1.0) {
            return Some(a);
        }
        self.is_float(a, -1.0).then_some(b)
    }

    /// An operation of floats that has a negative, `x * -1.0`, as an operand, without that: rounding treats both signs alike.
    fn signed(&mut self, head: &Expr, op: BinOp, a: Term, b: Term) -> Option<Term> {
        if !head.dtype.is_float() || !head.dtype.is_scalar() {
            return None;
        }
        if op == BinOp::Add && a == b {
            let two = self.float(2.0, head.dtype);
            self.used.push("float-double");
            return Some(self.binary(BinOp::Mul, a, two));
        }
        let (x, y) = (self.negated(a), self.negated(b));
        let made = match op {
            BinOp::Mul | BinOp::Div => {
                // `x * -1.0` is how a negative is written; `x / -1.0` is the same.
                let (minus_a, minus_b) = (self.is_float(a, -1.0), self.is_float(b, -1.0));
                match (op, x, y) {
                    (BinOp::Mul, _, Some(y)) if minus_a => y,
                    (BinOp::Mul, Some(x), _) if minus_b => x,
                    (BinOp::Mul, ..) if minus_a || minus_b => return None,
                    (BinOp::Div, ..) if minus_b => self.negative(a),
                    (_, None, None) => return None,
                    _ => {
                        let plain = self.binary(op, x.unwrap_or(a), y.unwrap_or(b));
                        if x.is_some() == y.is_some() { plain } else { self.negative(plain) }
                    }
                }
            }
            // Less twice the same: of other operands the sign of a zero would differ.
            BinOp::Sub if x == Some(b) => {
                let sum = self.binary(BinOp::Add, b, b);
                self.negative(sum)
            }
            // Less one and another, in whichever order.
            BinOp::Sub if y.is_none() && x.is_some_and(|x| (self.shape(x), x) > (self.shape(b), b)) => {
                let less = self.negative(b);
                self.binary(BinOp::Sub, less, x?)
            }
            BinOp::Add => match (x, y) {
                (_, Some(y)) => self.binary(BinOp::Sub, a, y),
                (Some(x), None) => self.binary(BinOp::Sub, b, x),
                (None, None) => return None,
            },
            BinOp::Sub => self.binary(BinOp::Add, a, y?),
            _ => return None,
        };
        self.used.push("float-sign");
        Some(made)
    }

    /// What a function of floats that has one value at both zeros may take in the place of an operand.
    fn without_zero(&mut self, term: Term) -> Term {
        if let Some((a, b)) = self.operands(BinOp::Sub, term)
            && self.is_float(a, 0.0)
        {
            return self.negative(b);
        }
        match self.operands(BinOp::Add, term) {
            Some((zero, x)) | Some((x, zero)) if self.is_float(zero, 0.0) => x,
            _ => term,
        }
    }

    /// A choice that is one of its arms, the greater or less of what it compares, or an operation on a choice: both arms evaluate
    /// that, with all operands but one the same.
    fn chosen(&mut self, head: &Expr, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
        if then == otherwise {
            return Some(then);
        }
        let dtype = head.dtype;
        if !dtype.is_scalar() {
            return None;
        }
        match self.operands(BinOp::Lt, condition) {
            Some((less, greater)) if !dtype.is_bool() && less == then && greater == otherwise => {
                self.used.push(if dtype.is_float() { "float-select-is-min" } else { "select-is-min" });
                return Some(self.binary(BinOp::Min, then, otherwise));
            }
            Some((less, greater)) if !dtype.is_bool() && less == otherwise && greater == then => {
                self.used.push(if dtype.is_float() { "float-select-is-max" } else { "select-is-max" });
                return Some(self.binary(BinOp::Max, then, otherwise));
            }
            _ => {}
        }
        let choice = |terms: &mut Terms, a: Term, b: Term| {
            let dtype = terms.dtype(a);
            let holes = [hole(DType::BOOL), hole(dtype), hole(dtype)];
            let head = match &head.kind {
                ExprKind::Select(_) => {
                    let [condition, then, otherwise] = holes;
                    Expr::select(condition, then, otherwise)
                }
                _ => Expr::call(dtype, "if_then_else", holes.to_vec()),
            };
            terms.form(head, vec![condition, a, b])
        };
        // The sign of the first arm stands outside, so that what both arms multiply with is seen.
        if dtype.is_float()
            && let Some(x) = self.negated(then)
        {
            let other = match self.negated(otherwise) {
                Some(y) => y,
                None => self.negative(otherwise),
            };
            let made = choice(self, x, other);
            self.used.push("float-sign");
            return Some(self.negative(made));
        }
        self.factored(then, otherwise, choice)
    }

    /// An operation that both arms of a choice do with one operand, outside of the choice.
    fn factored(
        &mut self,
        then: Term,
        otherwise: Term,
        choice: impl FnOnce(&mut Terms, Term, Term) -> Term,
    ) -> Option<Term> {
        let ExprKind::Binary(op, ..) = self.head(then)?.kind else { return None };
        // The sign of a product or quotient may be that of the operand that differs.
        let signed = matches!(op, BinOp::Mul | BinOp::Div);
        let negated = self.negated(otherwise).filter(|_| signed);
        let ((a, b), (c, d)) = (self.operands(op, then)?, self.operands(op, negated.unwrap_or(otherwise))?);
        if self.head(then) != self.head(negated.unwrap_or(otherwise)) {
            return None;
        }
        let swaps = op.commutes() == Commutes::Always;
        let (same, one, other, is_first) = match () {
            () if a == c => (a, b, d, true),
            () if b == d => (b, a, c, false),
            () if swaps && a == d => (a, b, c, true),
            () if swaps && b == c => (b, a, d, false),
            () => return None,
        };
        if !self.dtype(one).is_scalar() || self.dtype(one) != self.dtype(other) {
            return None;
        }
        let other = if negated.is_some() { self.negative(other) } else { other };
        let inner = choice(self, one, other);
        self.used.push("choice-factor");
        Some(if is_first { self.binary(op, same, inner) } else { self.binary(op, inner, same) })
    }

    fn head(&self, term: Term) -> Option<&Expr> {
        match self.node(term) {
            Node::Form(head, _) => Some(head),
            Node::Axis(..) | Node::Stored(..) => None,
        }
    }

    /// What a binary operation is equal to, if that is one of its operands or a constant.
    fn simple(&mut self, op: BinOp, a: Term, b: Term) -> Option<Term> {
        let dtype = self.dtype(a);
        let number = |terms: &Terms, term: Term| terms.head(term).and_then(Expr::as_int);
        if !dtype.is_scalar() || dtype == DType::BOOL {
            return None;
        }
        let is_one = |terms: &Terms, term: Term| number(terms, term) == Some(1) || terms.is_float(term, 1.0);
        match op {
            BinOp::Mul if is_one(self, a) => return Some(b),
            BinOp::Mul | BinOp::Div | BinOp::FloorDiv if is_one(self, b) => return Some(a),
            BinOp::Add if number(self, a) == Some(0) || self.is_float(a, -0.0) => return Some(b),
            BinOp::Add if number(self, b) == Some(0) || self.is_float(b, -0.0) => return Some(a),
            BinOp::Sub if number(self, b) == Some(0) || self.is_float(b, 0.0) => return Some(a),
            _ => {}
        }
        if dtype.is_float() || op.is_compare() || op.is_logic() {
            return None;
        }
        let (x, y) = (number(self, a)?, number(self, b)?);
        let folded = value::binary(op, dtype, Value::Int(x), Value::Int(y)).ok()?.to_expr(dtype);
        Some(self.insert(Node::Form(folded, Box::new([]))))
    }
}

/// Whether an operation has the value of one of its last two operands, as the first says.
pub(super) fn is_choice(head: &Expr) -> bool {
    matches!(head.kind, ExprKind::Select(_))
        || head.as_intrin().is_some_and(|(name, _)| name == "if_then_else")
}
