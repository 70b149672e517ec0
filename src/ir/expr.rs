//! Expressions: owned trees, each node with its data type.

use std::sync::Arc;

use super::intrin::{self, Effect};
use super::{BinOp, BufferId, DType, VarId};

/// A typed expression.
///
/// Equality and hashing are structural. Floats compare by bits, so `-0.0` differs from `0.0` and a NaN equals
/// itself.
///
/// ```
/// use satir::ir::{BinOp, DType, Expr, VarId};
///
/// let x = || Expr::var(VarId(0), DType::I32);
/// assert_eq!(x() + 1, Expr::binary(BinOp::Add, x(), Expr::int(1, DType::I32)));
/// // Equality is of structure, not of meaning.
/// assert_ne!(x() + 1, Expr::int(1, DType::I32) + x());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expr {
    /// The type of the value.
    pub dtype: DType,
    /// What computes it.
    pub kind: ExprKind,
}

// Programs of many statements do not fit into caches: what is large goes into boxes of its own.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Expr>() == 32);

/// The kinds of expression. Typing rules are given per kind; `verify` checks them.
///
/// ```
/// use satir::ir::{BinOp, DType, Expr, ExprKind, VarId};
///
/// let x = Expr::var(VarId(0), DType::I32);
/// match (x * 3).kind {
///     ExprKind::Binary(op, a, b) => {
///         assert_eq!(op, BinOp::Mul);
///         assert_eq!(a.as_var(), Some(VarId(0)));
///         assert_eq!(b.as_int(), Some(3));
///     }
///     other => panic!("{other:?}"),
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExprKind {
    /// An integer or truth constant: `dtype` is a scalar `int`, `uint` or `bool`. For unsigned 64-bit values
    /// above `i64::MAX` the two's complement bits.
    Int(i64),
    /// A float constant: the bits of an `f64`, whatever the width of `dtype`.
    Float(u64),
    /// A string: an argument of some calls, never computed with. Type `handle`.
    Str(Arc<str>),
    /// A variable; its type is in the function's table.
    Var(VarId),
    /// A binary operation on two operands of one type. A comparison's type is `bool`, else the operands'.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// Logical negation of a `bool` value.
    Not(Box<Expr>),
    /// Conversion of the value to `dtype`, lane by lane.
    Cast(Box<Expr>),
    /// One of two values; both are evaluated.
    Select(Box<Select>),
    /// An element of a buffer, or with a vector as last index a vector of elements.
    Load {
        /// The buffer read.
        buffer: BufferId,
        /// One index for each dimension.
        indices: Box<[Expr]>,
    },
    /// The vector `base, base + stride, …` of `lanes` lanes (`dtype.lanes`); `base` and `stride` are scalars.
    Ramp(Box<Expr>, Box<Expr>),
    /// A scalar repeated in `dtype.lanes` lanes.
    Broadcast(Box<Expr>),
    /// Lanes picked from vectors.
    Shuffle(Box<Shuffle>),
    /// `T.Let(body, where={var: value})`.
    Let(VarId, Box<Expr>, Box<Expr>),
    /// A call.
    Call(Box<Call>),
    /// The pointer to a buffer's data, `A.data`. Type `handle`.
    BufferData(BufferId),
    /// A buffer itself as an argument of a call. Type `handle`.
    BufferRef(BufferId),
    /// A region of a buffer as an argument of a call: per dimension a range, or a point (`extent` absent).
    Region(BufferId, Box<[(Expr, Option<Expr>)]>),
    /// A tuple or list as an argument of a call. Type `void`.
    Tuple(Box<[Expr]>),
}

/// `T.Select(cond, then, otherwise)`.
///
/// ```
/// use satir::ir::{DType, Expr, ExprKind, VarId};
///
/// let x = || Expr::var(VarId(0), DType::I32);
/// let clipped = Expr::select(x().lt(8), x(), Expr::int(8, DType::I32));
/// let ExprKind::Select(select) = clipped.kind else { panic!("a choice") };
/// assert_eq!((select.then, select.otherwise.as_int()), (x(), Some(8)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Select {
    /// Which of the two.
    pub cond: Expr,
    /// The value where the condition holds.
    pub then: Expr,
    /// The value where it does not.
    pub otherwise: Expr,
}

/// Lanes picked by constant indices from the concatenation of vectors.
///
/// ```
/// use satir::ir::{DType, Expr, ExprKind, Shuffle};
///
/// let vector = Expr::broadcast(Expr::float(0.5, DType::F32), 4);
/// let shuffle = Shuffle { vectors: vec![vector], indices: vec![Expr::int(2, DType::I32)] };
/// let mut operands = 0;
/// Expr { dtype: DType::F32, kind: ExprKind::Shuffle(Box::new(shuffle)) }.for_each_child(|_| operands += 1);
/// assert_eq!(operands, 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shuffle {
    /// The vectors, all of one element type.
    pub vectors: Vec<Expr>,
    /// For each lane of the result, the number of a lane of the vectors.
    pub indices: Vec<Expr>,
}

/// A call of an intrinsic or of another function of the module.
///
/// ```
/// use satir::ir::{Callee, DType, Expr, ExprKind, VarId};
///
/// let e = Expr::call(DType::F32, "exp", vec![Expr::var(VarId(0), DType::F32)]);
/// let ExprKind::Call(call) = e.kind else { panic!("a call") };
/// assert_eq!(call.callee, Callee::Intrin("exp".into()));
/// assert_eq!(call.args.len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// Arguments in order. For intrinsics that are spelled with a data type first (`T.call_extern("int32", …)`)
    /// that type is the call's `dtype`, not an argument.
    pub args: Vec<Expr>,
    /// Keyword arguments that are not expressions, in order; carried through.
    pub kwargs: Vec<(Arc<str>, AttrValue)>,
}

impl Call {
    /// Whether it is `T.if_then_else(c, a, b)`, which evaluates one of its arms.
    pub(crate) fn is_lazy_select(&self) -> bool {
        matches!(&self.callee, Callee::Intrin(name) if &**name == "if_then_else") && self.args.len() == 3
    }

    /// What it does, by its callee.
    pub(crate) fn effect(&self) -> Effect {
        match &self.callee {
            Callee::Intrin(name) => intrin::effect(name),
            Callee::Global(_) => Effect::Opaque,
        }
    }
}

/// What a call calls.
///
/// ```
/// use satir::ir::{Callee, ExprKind, StmtKind};
///
/// let module = satir::parse(
///     r#"
/// from tvm.script import ir as I
/// from tvm.script import tirx as T
///
/// @I.ir_module
/// class Module:
///     @T.prim_func
///     def helper(x: T.int32) -> T.int32:
///         return x + 1
///
///     @T.prim_func
///     def main(x: T.int32):
///         T.evaluate(Module.helper(x))
/// "#,
/// )?;
/// let StmtKind::Evaluate(e) = &module.funcs[1].body[0].kind else { panic!("an evaluation") };
/// let ExprKind::Call(call) = &e.kind else { panic!("a call") };
/// assert_eq!(call.callee, Callee::Global("helper".into()));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// `T.<name>(…)`; see [`intrin`](super::intrin) for the known ones. Dotted names are kept whole.
    Intrin(Arc<str>),
    /// Another function of the module, by name.
    Global(Arc<str>),
}

/// A constant value of an attribute or annotation: what a Python literal can hold.
///
/// ```
/// use satir::ir::AttrValue;
///
/// let module = satir::parse(
///     r#"
/// @T.prim_func
/// def main():
///     T.func_attr({"tirx.noalias": True, "num_threads": 8})
///     T.evaluate(0)
/// "#,
/// )?;
/// assert_eq!(module.funcs[0].attrs[0], ("tirx.noalias".into(), AttrValue::Bool(true)));
/// assert_eq!(module.funcs[0].attrs[1], ("num_threads".into(), AttrValue::Int(8)));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AttrValue {
    /// `None`
    None,
    /// `True`, `False`
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float, by its bits.
    Float(u64),
    /// A string.
    Str(Arc<str>),
    /// A list or tuple.
    List(Vec<AttrValue>),
    /// A dictionary; keys are strings.
    Dict(Vec<(Arc<str>, AttrValue)>),
    /// An expression, such as `T.int64(1)` or a variable.
    Expr(Box<Expr>),
    /// A data type, `T.int32`.
    Type(DType),
    /// `T.<name>(args, kw=…)`, such as `T.target({…})`: carried through.
    Call(Arc<str>, Vec<AttrValue>, Vec<(Arc<str>, AttrValue)>),
}

impl Expr {
    /// An integer or `bool` constant of scalar type `dtype`.
    ///
    /// ```
    /// use satir::ir::{DType, Expr};
    ///
    /// assert_eq!(Expr::int(-7, DType::I64).as_int(), Some(-7));
    /// ```
    pub fn int(value: i64, dtype: DType) -> Expr {
        Expr { dtype, kind: ExprKind::Int(value) }
    }

    /// A `bool` constant.
    ///
    /// ```
    /// use satir::ir::{DType, Expr};
    ///
    /// assert_eq!(Expr::bool(true).dtype, DType::BOOL);
    /// assert_eq!(Expr::bool(true).as_int(), Some(1));
    /// ```
    pub fn bool(value: bool) -> Expr {
        Expr::int(i64::from(value), DType::BOOL)
    }

    /// A float constant of scalar type `dtype`.
    ///
    /// ```
    /// use satir::ir::{DType, Expr};
    ///
    /// assert_ne!(Expr::float(0.0, DType::F32), Expr::float(-0.0, DType::F32));
    /// ```
    pub fn float(value: f64, dtype: DType) -> Expr {
        Expr { dtype, kind: ExprKind::Float(value.to_bits()) }
    }

    /// A variable of type `dtype`.
    ///
    /// ```
    /// use satir::ir::{DType, Expr, VarId};
    ///
    /// assert_eq!(Expr::var(VarId(3), DType::I32).as_var(), Some(VarId(3)));
    /// ```
    pub fn var(var: VarId, dtype: DType) -> Expr {
        Expr { dtype, kind: ExprKind::Var(var) }
    }

    /// A binary operation; the type follows from the operator and the left operand.
    ///
    /// ```
    /// use satir::ir::{BinOp, DType, Expr, VarId};
    ///
    /// let x = || Expr::var(VarId(0), DType::F32);
    /// assert_eq!(Expr::binary(BinOp::Max, x(), x()).dtype, DType::F32);
    /// assert_eq!(Expr::binary(BinOp::Le, x(), x()).dtype, DType::BOOL);
    /// ```
    pub fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
        let dtype = if op.is_compare() { a.dtype.to_bool() } else { a.dtype };
        Expr { dtype, kind: ExprKind::Binary(op, Box::new(a), Box::new(b)) }
    }

    /// Logical negation.
    ///
    /// ```
    /// use satir::ir::{DType, Expr, VarId};
    ///
    /// let small = Expr::var(VarId(0), DType::I32).lt(4);
    /// assert_eq!(Expr::not(small).dtype, DType::BOOL);
    /// ```
    #[expect(clippy::should_implement_trait, reason = "this builds an expression; it negates nothing")]
    pub fn not(a: Expr) -> Expr {
        Expr { dtype: a.dtype, kind: ExprKind::Not(Box::new(a)) }
    }

    /// Conversion to `dtype`.
    ///
    /// ```
    /// use satir::ir::{DType, Expr, VarId};
    ///
    /// let e = Expr::cast(DType::I64, Expr::var(VarId(0), DType::I32));
    /// assert_eq!(e.dtype, DType::I64);
    /// ```
    pub fn cast(dtype: DType, a: Expr) -> Expr {
        Expr { dtype, kind: ExprKind::Cast(Box::new(a)) }
    }

    /// `T.Select(cond, then, otherwise)`.
    ///
    /// ```
    /// use satir::ir::{DType, Expr, VarId};
    ///
    /// let x = || Expr::var(VarId(0), DType::I32);
    /// let clipped = Expr::select(x().lt(8), x(), Expr::int(8, DType::I32));
    /// assert_eq!(clipped.dtype, DType::I32);
    /// ```
    pub fn select(cond: Expr, then: Expr, otherwise: Expr) -> Expr {
        Expr { dtype: then.dtype, kind: ExprKind::Select(Box::new(Select { cond, then, otherwise })) }
    }

    /// A load of `dtype` (the buffer's element type, with the lanes of the last index).
    ///
    /// ```
    /// use satir::ir::{BufferId, DType, Expr};
    ///
    /// let index = Expr::int(3, DType::I32);
    /// let e = Expr::load(DType::F32, BufferId(0), vec![index.clone()]);
    /// let mut operands = Vec::new();
    /// e.for_each_child(|c| operands.push(c.clone()));
    /// assert_eq!(operands, [index]);
    /// ```
    pub fn load(dtype: DType, buffer: BufferId, indices: Vec<Expr>) -> Expr {
        Expr { dtype, kind: ExprKind::Load { buffer, indices: indices.into() } }
    }

    /// `T.Ramp(base, stride, lanes)`.
    ///
    /// ```
    /// use satir::ir::{DType, Expr};
    ///
    /// let int = |v| Expr::int(v, DType::I32);
    /// assert_eq!(Expr::ramp(int(0), int(2), 4).dtype.to_string(), "int32x4");
    /// ```
    pub fn ramp(base: Expr, stride: Expr, lanes: u16) -> Expr {
        Expr { dtype: base.dtype.with_lanes(lanes), kind: ExprKind::Ramp(Box::new(base), Box::new(stride)) }
    }

    /// `T.Broadcast(value, lanes)`.
    ///
    /// ```
    /// use satir::ir::{DType, Expr};
    ///
    /// assert_eq!(Expr::broadcast(Expr::float(1.0, DType::F32), 8).dtype.to_string(), "float32x8");
    /// ```
    pub fn broadcast(value: Expr, lanes: u16) -> Expr {
        Expr { dtype: value.dtype.with_lanes(lanes), kind: ExprKind::Broadcast(Box::new(value)) }
    }

    /// A call of an intrinsic without keyword arguments.
    ///
    /// ```
    /// use satir::ir::{DType, Expr, VarId};
    ///
    /// let x = Expr::var(VarId(0), DType::F32);
    /// let e = Expr::call(DType::F32, "sqrt", vec![x.clone()]);
    /// assert_eq!(e.as_intrin(), Some(("sqrt", &[x][..])));
    /// ```
    pub fn call(dtype: DType, name: &str, args: Vec<Expr>) -> Expr {
        let call = Call { callee: Callee::Intrin(name.into()), args, kwargs: Vec::new() };
        Expr { dtype, kind: ExprKind::Call(Box::new(call)) }
    }

    /// The value of an integer or truth constant.
    ///
    /// ```
    /// use satir::ir::{DType, Expr, VarId};
    ///
    /// assert_eq!(Expr::int(5, DType::I32).as_int(), Some(5));
    /// assert_eq!(Expr::float(5.0, DType::F32).as_int(), None);
    /// assert_eq!(Expr::var(VarId(0), DType::I32).as_int(), None);
    /// ```
    pub fn as_int(&self) -> Option<i64> {
        match self.kind {
            ExprKind::Int(v) => Some(v),
            _ => None,
        }
    }

    /// The variable, if this is one.
    ///
    /// ```
    /// use satir::ir::{DType, Expr, VarId};
    ///
    /// let x = Expr::var(VarId(0), DType::I32);
    /// assert_eq!(x.as_var(), Some(VarId(0)));
    /// assert_eq!((x + 1).as_var(), None);
    /// ```
    pub fn as_var(&self) -> Option<VarId> {
        match self.kind {
            ExprKind::Var(v) => Some(v),
            _ => None,
        }
    }

    /// The called intrinsic's name and arguments, if this is a call of one.
    ///
    /// ```
    /// use satir::ir::{DType, Expr, VarId};
    ///
    /// let x = || Expr::var(VarId(0), DType::F32);
    /// let e = Expr::call(DType::F32, "exp", vec![x()]);
    /// assert_eq!(e.as_intrin().map(|(name, _)| name), Some("exp"));
    /// assert_eq!((x() + x()).as_intrin(), None);
    /// ```
    pub fn as_intrin(&self) -> Option<(&str, &[Expr])> {
        match &self.kind {
            ExprKind::Call(call) => match &call.callee {
                Callee::Intrin(name) => Some((name, &call.args)),
                Callee::Global(_) => None,
            },
            _ => None,
        }
    }

    /// Calls `f` on each direct operand, left to right.
    ///
    /// ```
    /// use satir::ir::{DType, Expr, VarId};
    ///
    /// let x = || Expr::var(VarId(0), DType::I32);
    /// let mut children = Vec::new();
    /// ((x() + 1) * x()).for_each_child(|c| children.push(c.clone()));
    /// assert_eq!(children, [x() + 1, x()]);
    /// ```
    pub fn for_each_child<'a>(&'a self, mut f: impl FnMut(&'a Expr)) {
        match &self.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Var(_)
            | ExprKind::BufferData(_)
            | ExprKind::BufferRef(_) => {}
            ExprKind::Not(a) | ExprKind::Cast(a) | ExprKind::Broadcast(a) => f(a),
            ExprKind::Binary(_, a, b) | ExprKind::Ramp(a, b) | ExprKind::Let(_, a, b) => {
                f(a);
                f(b);
            }
            ExprKind::Select(select) => {
                f(&select.cond);
                f(&select.then);
                f(&select.otherwise);
            }
            ExprKind::Load { indices, .. } => indices.iter().for_each(f),
            ExprKind::Shuffle(shuffle) => shuffle.vectors.iter().chain(&shuffle.indices).for_each(f),
            ExprKind::Call(call) => call.args.iter().for_each(f),
            ExprKind::Region(_, ranges) => {
                for (min, extent) in ranges {
                    f(min);
                    extent.iter().for_each(&mut f);
                }
            }
            ExprKind::Tuple(items) => items.iter().for_each(f),
        }
    }

    /// Calls `f` on each direct operand, left to right, to change it in place.
    ///
    /// ```
    /// use satir::ir::{DType, Expr, VarId};
    ///
    /// let var = |i| Expr::var(VarId(i), DType::I32);
    /// let mut e = var(0) + var(0);
    /// e.for_each_child_mut(|c| *c = var(1));
    /// assert_eq!(e, var(1) + var(1));
    /// ```
    pub fn for_each_child_mut<'a>(&'a mut self, mut f: impl FnMut(&'a mut Expr)) {
        match &mut self.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Var(_)
            | ExprKind::BufferData(_)
            | ExprKind::BufferRef(_) => {}
            ExprKind::Not(a) | ExprKind::Cast(a) | ExprKind::Broadcast(a) => f(a),
            ExprKind::Binary(_, a, b) | ExprKind::Ramp(a, b) | ExprKind::Let(_, a, b) => {
                f(a);
                f(b);
            }
            ExprKind::Select(select) => {
                f(&mut select.cond);
                f(&mut select.then);
                f(&mut select.otherwise);
            }
            ExprKind::Load { indices, .. } => indices.iter_mut().for_each(f),
            ExprKind::Shuffle(shuffle) => {
                shuffle.vectors.iter_mut().chain(&mut shuffle.indices).for_each(f);
            }
            ExprKind::Call(call) => call.args.iter_mut().for_each(f),
            ExprKind::Region(_, ranges) => {
                for (min, extent) in ranges {
                    f(min);
                    extent.iter_mut().for_each(&mut f);
                }
            }
            ExprKind::Tuple(items) => items.iter_mut().for_each(f),
        }
    }

    /// Calls `f` on this expression and everything below it, parents first.
    ///
    /// ```
    /// use satir::ir::{DType, Expr, VarId};
    ///
    /// let x = || Expr::var(VarId(0), DType::I32);
    /// let mut uses = 0;
    /// ((x() + 1) * (x() - 1)).walk(&mut |e| uses += usize::from(e.as_var().is_some()));
    /// assert_eq!(uses, 2);
    /// ```
    pub fn walk<'a>(&'a self, f: &mut impl FnMut(&'a Expr)) {
        f(self);
        self.for_each_child(|c| c.walk(f));
    }

    /// Whether it is an integer or float literal.
    pub(crate) fn is_number(&self) -> bool {
        matches!(self.kind, ExprKind::Int(_) | ExprKind::Float(_))
    }

    /// Whether this is `T.undef()`, or a conversion of it, which may be anything as well.
    pub(crate) fn is_undef(&self) -> bool {
        match &self.kind {
            ExprKind::Cast(a) | ExprKind::Broadcast(a) => a.is_undef(),
            _ => matches!(self.as_intrin(), Some(("undef", []))),
        }
    }

    /// Whether it loads an element of a buffer.
    pub(crate) fn reads_memory(&self) -> bool {
        self.loads_from(|_| true)
    }

    /// Whether it loads an element of one of the wanted buffers.
    pub(crate) fn loads_from(&self, wanted: impl Fn(BufferId) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |e| found |= matches!(e.kind, ExprKind::Load { buffer, .. } if wanted(buffer)));
        found
    }

    /// Whether evaluating it does more than compute a value from values and buffers, or trap: something is called that may read or
    /// change state, or of which nothing is known. It must then happen exactly as often, and in the order, as it stands.
    pub(crate) fn has_effect(&self) -> bool {
        let mut found = false;
        self.walk(&mut |e| found |= e.is_effect());
        found
    }

    /// Whether it is itself a call with an effect; a choice of `if_then_else` is none.
    pub(crate) fn is_effect(&self) -> bool {
        match &self.kind {
            ExprKind::Call(call) if call.is_lazy_select() => false,
            ExprKind::Call(call) => !matches!(call.effect(), Effect::Pure | Effect::Annotation),
            _ => false,
        }
    }

    /// The parts of a condition between `and`s, in order; all of it if there are none.
    pub(crate) fn conjuncts(&self) -> Vec<&Expr> {
        if let ExprKind::Binary(BinOp::And, a, b) = &self.kind {
            [a.conjuncts(), b.conjuncts()].concat()
        } else {
            vec![self]
        }
    }

    /// Whether one of its variables is wanted.
    pub(crate) fn mentions(&self, wanted: impl Fn(VarId) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |e| found |= e.as_var().is_some_and(&wanted));
        found
    }

    /// Puts values in place of variables, where there are any; what stands in the values stays as it is.
    pub(crate) fn substitute<'v>(&mut self, value_of: &impl Fn(VarId) -> Option<&'v Expr>) {
        match self.as_var().and_then(value_of) {
            Some(value) => self.clone_from(value),
            None => self.for_each_child_mut(|c| c.substitute(value_of)),
        }
    }
}
