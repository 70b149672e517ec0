//! From expressions to forms and formulas.
//!
//! Arithmetic is that of the integers, so it is taken apart only where the type counts as unbounded (`int32`,
//! `int64`) or ranges prove that nothing wraps. Everything else is a free column: equal pure expressions are one
//! column (loads of one buffer at equal indices too), each call that may do something is its own.

use hashbrown::HashMap;

use super::bitop::BitOp;
use super::form::Form;
use super::formula::Formula;
use super::problem::Problem;
use crate::arith::Interval;
use crate::ir::intrin::{Effect, effect};
use crate::ir::{BinOp, DType, Expr, ExprKind, VarId};

/// The largest formula that is used twice.
const MAX_REPEATED: usize = 64;

/// Translates expressions over one set of variables.
#[derive(Clone, Debug)]
pub(super) struct Translator<'a> {
    /// The columns.
    pub(super) problem: Problem,
    ranges: &'a [Interval],
    bound: Option<&'a HashMap<VarId, Expr>>,
    values: HashMap<VarId, Value>,
    opaque: HashMap<Expr, Form>,
}

/// What a variable stands for.
#[derive(Clone, Debug)]
enum Value {
    Number(Form),
    Truth(Formula),
}

impl<'a> Translator<'a> {
    /// Variables have these ranges ([`VarId`] is the index), or are bound to these values.
    pub(super) fn new(ranges: &'a [Interval], bound: Option<&'a HashMap<VarId, Expr>>) -> Translator<'a> {
        Translator {
            problem: Problem::default(),
            ranges,
            bound,
            values: HashMap::new(),
            opaque: HashMap::new(),
        }
    }

    /// The formula of a condition.
    pub(super) fn condition(&mut self, e: &Expr) -> Formula {
        self.connective(e).unwrap_or_else(|| truth_of(self.opaque(e)))
    }

    fn connective(&mut self, e: &Expr) -> Option<Formula> {
        match &e.kind {
            ExprKind::Int(v) => Some(Formula::truth(*v != 0)),
            ExprKind::Var(v) => match self.variable(*v, e.dtype) {
                Value::Truth(f) => Some(f),
                Value::Number(_) => None,
            },
            ExprKind::Not(a) => self.condition(a).negate(),
            ExprKind::Binary(BinOp::And, a, b) => Some(Formula::all([self.condition(a), self.condition(b)])),
            ExprKind::Binary(BinOp::Or, a, b) => Some(Formula::any([self.condition(a), self.condition(b)])),
            ExprKind::Binary(op, a, b) if op.is_compare() => self.comparison(*op, a, b),
            ExprKind::Select(s) => self.conditional(&s.cond, &s.then, &s.otherwise),
            ExprKind::Let(v, value, body) => {
                self.bind(*v, value);
                Some(self.condition(body))
            }
            ExprKind::Call(_) => match e.as_intrin()? {
                ("likely", [a]) => Some(self.condition(a)),
                ("if_then_else", [c, a, b]) => self.conditional(c, a, b),
                _ => None,
            },
            _ => None,
        }
    }

    fn conditional(&mut self, c: &Expr, a: &Expr, b: &Expr) -> Option<Formula> {
        let (c, a, b) = (self.truth(c)?, self.condition(a), self.condition(b));
        // The condition occurs twice, which must not multiply with nesting.
        if c.size() > MAX_REPEATED {
            return None;
        }
        let not = c.negate()?;
        Some(Formula::any([Formula::all([c, a]), Formula::all([not, b])]))
    }

    /// The formula of a scalar condition.
    fn truth(&mut self, e: &Expr) -> Option<Formula> {
        (e.dtype == DType::BOOL).then(|| self.condition(e))
    }

    fn comparison(&mut self, op: BinOp, a: &Expr, b: &Expr) -> Option<Formula> {
        if a.dtype == DType::BOOL && matches!(op, BinOp::Eq | BinOp::Ne) {
            let (x, y) = (self.condition(a), self.condition(b));
            if x.size() + y.size() > MAX_REPEATED {
                return None;
            }
            let (not_x, not_y) = (x.negate()?, y.negate()?);
            let (same, other) = if op == BinOp::Eq { (y, not_y) } else { (not_y, y) };
            return Some(Formula::any([Formula::all([x, same]), Formula::all([not_x, other])]));
        }
        let (x, y) = (self.number(a)?, self.number(b)?);
        Some(match op {
            BinOp::Lt => Formula::at_least(y.sub(&x)?.plus(-1)?),
            BinOp::Le => Formula::at_least(y.sub(&x)?),
            BinOp::Gt => Formula::at_least(x.sub(&y)?.plus(-1)?),
            BinOp::Ge => Formula::at_least(x.sub(&y)?),
            BinOp::Eq => Formula::zero(x.sub(&y)?),
            BinOp::Ne => Formula::zero(x.sub(&y)?).negate()?,
            _ => return None,
        })
    }

    /// The form of an integer expression; `None` if its type is none whose values fit.
    pub(super) fn number(&mut self, e: &Expr) -> Option<Form> {
        integer_range(e.dtype)?;
        if let Some(form) = self.arithmetic(e)
            && self.fits(&form, e)
        {
            return Some(form);
        }
        Some(self.opaque(e))
    }

    /// Whether the form, made of an expression, is its value: nothing wraps.
    fn fits(&self, form: &Form, e: &Expr) -> bool {
        let may_wrap = match &e.kind {
            ExprKind::Binary(op, ..) => op.is_ring(),
            ExprKind::Int(_) | ExprKind::Cast(_) => true,
            _ => false,
        };
        let range = self.problem.range_of(form);
        // The range of what 64 bits just hold, or not, has no end.
        let ends = !may_wrap || range.lo().is_some() && range.hi().is_some();
        e.dtype.is_index() || integer_range(e.dtype).is_some_and(|own| ends && own.meet(range) == Some(range))
    }

    fn arithmetic(&mut self, e: &Expr) -> Option<Form> {
        match &e.kind {
            // What cannot be negated is no constant of a form.
            ExprKind::Int(v) => (*v != i64::MIN).then(|| Form::constant(*v)),
            ExprKind::Var(v) => match self.variable(*v, e.dtype) {
                Value::Number(form) => Some(form),
                Value::Truth(_) => None,
            },
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.number(a)?, self.number(b)?);
                match op {
                    BinOp::Add => x.add(&y),
                    BinOp::Sub => x.sub(&y),
                    BinOp::Mul => self.problem.product(&x, &y),
                    BinOp::FloorDiv => self.problem.quotient(&x, &y),
                    BinOp::FloorMod => self.problem.remainder(&x, &y),
                    BinOp::Div => self.truncated(&x, &y),
                    BinOp::Mod => {
                        let quotient = self.truncated(&x, &y)?;
                        let multiple = self.problem.product(&y, &quotient)?;
                        x.sub(&multiple)
                    }
                    BinOp::Min => self.problem.min(&x, &y),
                    BinOp::Max => self.problem.max(&x, &y),
                    _ => None,
                }
            }
            ExprKind::Cast(a) if a.dtype == DType::BOOL => {
                let cond = self.condition(a);
                Some(self.problem.choice(&cond, &Form::constant(1), &Form::constant(0)))
            }
            // A conversion that may lose bits is no arithmetic; to a wider index type it loses none.
            ExprKind::Cast(a) => {
                let form = self.number(a)?;
                let widens = e.dtype.is_index() && a.dtype.is_int() && a.dtype.bits <= e.dtype.bits;
                let within = integer_range(e.dtype)?;
                let range = self.problem.range_of(&form);
                (widens
                    || range.lo().is_some() && range.hi().is_some() && {
                        let (lo, hi) = e.dtype.int_range()?;
                        let fits =
                            |v: Option<i64>| v.is_some_and(|v| lo <= i128::from(v) && i128::from(v) <= hi);
                        within.meet(range) == Some(range) && fits(range.lo()) && fits(range.hi())
                    })
                .then_some(form)
            }
            ExprKind::Select(s) => self.choice(&s.cond, &s.then, &s.otherwise),
            ExprKind::Let(v, value, body) => {
                self.bind(*v, value);
                self.number(body)
            }
            ExprKind::Call(_) => match e.as_intrin()? {
                ("likely", [a]) => self.number(a),
                ("if_then_else", [c, a, b]) => self.choice(c, a, b),
                ("vscale", []) => Some(self.problem.vscale()),
                ("bitwise_not", [a]) if a.dtype.is_int() => self.number(a)?.scale(-1)?.plus(-1),
                (name, [a, b]) => {
                    let (op, values) = (BitOp::by_name(name)?, values_of(e.dtype)?);
                    let (x, y) = (self.bits(a)?, self.bits(b)?);
                    self.problem.bitwise(op, &x, &y, values)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The value of an operand of which it is known that it has a place in its type, so that its bits are those of
    /// the value.
    fn bits(&mut self, e: &Expr) -> Option<Form> {
        let form = self.number(e)?;
        let range = self.problem.range_of(&form);
        let is_leaf = matches!(e.kind, ExprKind::Var(_) | ExprKind::Load { .. });
        (is_leaf || values_of(e.dtype)?.meet(range) == Some(range)).then_some(form)
    }

    fn choice(&mut self, c: &Expr, a: &Expr, b: &Expr) -> Option<Form> {
        let (c, a, b) = (self.truth(c)?, self.number(a)?, self.number(b)?);
        Some(self.problem.choice(&c, &a, &b))
    }

    /// Division that rounds toward zero: that of the magnitudes, with the sign of the dividend.
    fn truncated(&mut self, n: &Form, d: &Form) -> Option<Form> {
        let minus = n.scale(-1)?;
        let positive = self.problem.quotient(n, d)?;
        let negative = self.problem.quotient(&minus, d)?.scale(-1)?;
        let by_positive = self.problem.choice(&Formula::at_least(n.clone()), &positive, &negative);
        if self.problem.range_of(d).at_least(0) {
            return Some(by_positive);
        }
        // n / -d = -(n / d)
        let opposite = d.scale(-1)?;
        let positive = self.problem.quotient(n, &opposite)?.scale(-1)?;
        let negative = self.problem.quotient(&minus, &opposite)?;
        let by_negative = self.problem.choice(&Formula::at_least(n.clone()), &positive, &negative);
        Some(self.problem.choice(&Formula::at_least(d.clone()), &by_positive, &by_negative))
    }

    fn bind(&mut self, v: VarId, value: &Expr) {
        let value = if value.dtype == DType::BOOL {
            Value::Truth(self.condition(value))
        } else {
            match self.number(value) {
                Some(form) => Value::Number(form),
                None => return,
            }
        };
        self.values.insert(v, value);
    }

    fn variable(&mut self, v: VarId, dtype: DType) -> Value {
        if let Some(value) = self.values.get(&v) {
            return value.clone();
        }
        if let Some(value) = self.bound.and_then(|bound| bound.get(&v)) {
            self.bind(v, value);
            if let Some(value) = self.values.get(&v) {
                return value.clone();
            }
        }
        let value = if dtype.is_bool() {
            Value::Truth(truth_of(Form::column(self.problem.free(Interval::BOOL))))
        } else {
            let own = integer_range(dtype).unwrap_or(Interval::ALL);
            let known = self.ranges.get(v.index()).copied().unwrap_or(Interval::ALL);
            Value::Number(Form::column(self.problem.free(own.meet(known).unwrap_or(own))))
        };
        self.values.insert(v, value.clone());
        value
    }

    /// The column of an expression of which nothing is known.
    fn opaque(&mut self, e: &Expr) -> Form {
        let range = if e.dtype.is_bool() { Some(Interval::BOOL) } else { integer_range(e.dtype) };
        let range = range.unwrap_or(Interval::ALL);
        let mut depends = false;
        e.walk(&mut |e| {
            depends |= match &e.kind {
                ExprKind::Let(..) => true,
                ExprKind::Call(_) => e.as_intrin().is_none_or(|(name, _)| effect(name) != Effect::Pure),
                _ => false,
            };
        });
        if depends {
            return Form::column(self.problem.free(range));
        }
        if let Some(form) = self.opaque.get(e) {
            return form.clone();
        }
        let form = Form::column(self.problem.free(range));
        self.opaque.insert(e.clone(), form.clone());
        form
    }
}

/// A truth value kept as 0 or 1.
fn truth_of(form: Form) -> Formula {
    Formula::at_least(form.plus(-1).unwrap_or(form))
}

/// The values of a scalar integer type; `None` for other types. Index types have no bounds, because their arithmetic is
/// taken not to overflow.
fn integer_range(dtype: DType) -> Option<Interval> {
    if dtype.is_index() && dtype.is_scalar() { Some(Interval::ALL) } else { values_of(dtype) }
}

/// The values of a scalar integer type, of index types too.
fn values_of(dtype: DType) -> Option<Interval> {
    if !dtype.is_scalar() || !dtype.is_integral() {
        return None;
    }
    let (lo, hi) = dtype.int_range()?;
    Interval::between(Some(lo), Some(hi))
}
