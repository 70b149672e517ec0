//! How large integers can get: whether a value that a program does not compute itself fits its type.
//!
//! Arithmetic of the input on `int32` and `int64` is taken not to overflow; what a result computes anew must be shown to
//! fit. A [`Magnitude`] bounds an absolute value by a sum of products of *sizes*, the dimensions and strides of the buffers
//! of parameters. The products of one buffer's dimensions fit their type, because the buffer exists and its elements are
//! addressed in that type; so does what is at most a few times such a product ([`SLACK_32`], [`SLACK_64`]). Loop variables
//! are bounded by their loops; where no size bounds those, the variable of a loop that counts from a known value counts as a
//! size, because all iterations up to its value have run. Loaded values and scalar parameters have no bound.

use std::hash::{Hash, Hasher};

use hashbrown::HashMap;
use smallvec::SmallVec;

use crate::ir::{AttrNode, BinOp, Block, DType, Expr, ExprKind, Origin, PrimFunc, Stmt, StmtKind, VarId};

/// How many times the product of one buffer's dimensions still fits `int32`. A buffer whose elements are addressed by `int32`
/// arithmetic is taken to have at most 2^31 / 64 elements.
const SLACK_32: f64 = 64.0;

/// The same for `int64`.
const SLACK_64: f64 = (1_u64 << 24) as f64;

/// The most terms of a bound, and sizes in one term; what needs more has none.
const MAX_TERMS: usize = 8;
const MAX_FACTORS: usize = 8;

/// A product of powers of sizes: each size once, in ascending order, with its exponent, which is not 0. In a divisor it is
/// negative: quotients are taken as exact ones.
type Product = SmallVec<[(VarId, i8); 2]>;

/// A bound of an absolute value: a sum of `coefficient * product of sizes`, in which sizes that are 0 count as 1.
// Invariant: coefficients are finite and positive.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Magnitude(SmallVec<[(Product, f64); 2]>);

// No coefficient is a NaN.
impl Eq for Magnitude {}

impl Hash for Magnitude {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for (product, coefficient) in &self.0 {
            (product, coefficient.to_bits()).hash(state);
        }
    }
}

impl Magnitude {
    /// At most `most`.
    pub(crate) fn constant(most: f64) -> Magnitude {
        let mut terms = SmallVec::new();
        if most > 0.0 {
            terms.push((Product::new(), most));
        }
        Magnitude(terms)
    }

    /// At most this size.
    fn size(var: VarId) -> Magnitude {
        Magnitude(SmallVec::from_iter([(Product::from_iter([(var, 1)]), 1.0)]))
    }

    /// The bound, if it is a number.
    fn number(&self) -> Option<f64> {
        match &self.0[..] {
            [] => Some(0.0),
            [(product, number)] if product.is_empty() => Some(*number),
            _ => None,
        }
    }

    /// What two bounds come to that are numbers, as most are: there is nothing to sort.
    fn of_numbers(&self, other: &Magnitude, with: impl Fn(f64, f64) -> f64) -> Option<Magnitude> {
        let number = with(self.number()?, other.number()?);
        is_fine(number).then(|| Magnitude::constant(number))
    }

    fn normal(
        mut terms: SmallVec<[(Product, f64); 2]>,
        merge: impl Fn(f64, f64) -> f64,
    ) -> Option<Magnitude> {
        terms.sort_by(|a, b| a.0.cmp(&b.0));
        terms.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = merge(kept.1, next.1);
            }
            same
        });
        let fine = terms.len() <= MAX_TERMS && terms.iter().all(|(_, c)| is_fine(*c));
        fine.then_some(Magnitude(terms))
    }

    /// Of a sum or difference.
    pub(crate) fn add(&self, other: &Magnitude) -> Option<Magnitude> {
        let terms = || self.0.iter().chain(&other.0).cloned().collect();
        self.of_numbers(other, |a, b| a + b).or_else(|| Magnitude::normal(terms(), |a, b| a + b))
    }

    /// Of either of two values.
    pub(crate) fn either(&self, other: &Magnitude) -> Option<Magnitude> {
        let terms = || self.0.iter().chain(&other.0).cloned().collect();
        self.of_numbers(other, f64::max).or_else(|| Magnitude::normal(terms(), f64::max))
    }

    /// Of so many times the value.
    pub(crate) fn times(&self, factor: f64) -> Option<Magnitude> {
        self.mul(&Magnitude::constant(factor))
    }

    /// Of a value that is less by 1 and not negative.
    fn less_one(mut self) -> Magnitude {
        for (product, coefficient) in &mut self.0 {
            if product.is_empty() {
                *coefficient -= 1.0;
            }
        }
        self.0.retain(|(_, coefficient)| *coefficient > 0.0);
        self
    }

    /// Of a product.
    pub(crate) fn mul(&self, other: &Magnitude) -> Option<Magnitude> {
        if let Some(product) = self.of_numbers(other, |a, b| a * b) {
            return Some(product);
        }
        let mut terms = SmallVec::new();
        for (p, c) in &self.0 {
            for (q, d) in &other.0 {
                terms.push((times(p, q, 1)?, c * d));
            }
        }
        Magnitude::normal(terms, |a, b| a + b)
    }

    /// Of a quotient by a value of which the absolute value is at least `divisor`, one term of sizes. `rounds_up`: whether the quotient of
    /// the absolute values may be rounded up.
    pub(crate) fn div(&self, divisor: &Magnitude, rounds_up: bool) -> Option<Magnitude> {
        let [(by, factor)] = &divisor.0[..] else { return Some(self.clone()) };
        let terms = self.0.iter().map(|(p, c)| Some((times(p, by, -1)?, c / factor)));
        Magnitude::normal(terms.collect::<Option<_>>()?, |a, b| a + b)?
            .add(&Magnitude::constant(if rounds_up { 1.0 } else { 0.0 }))
    }
}

fn is_fine(coefficient: f64) -> bool {
    coefficient.is_finite() && coefficient < 1e30
}

/// What bounds the variables of a function, and which products of sizes fit their type.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Magnitudes {
    vars: HashMap<VarId, Magnitude>,
    /// Products of dimensions of one buffer, each with its coefficient.
    products: Vec<(Product, f64)>,
    /// Whether everything fits, whatever bounds it.
    unbounded: bool,
}

impl Magnitudes {
    /// Those of `func`.
    pub(crate) fn new(func: &PrimFunc) -> Magnitudes {
        let mut all = Magnitudes::default();
        let params = || func.buffers.iter().filter(|b| matches!(b.origin, Origin::Param | Origin::Match(_)));
        for buffer in params() {
            for size in buffer.shape.iter().chain(&buffer.strides).chain(&buffer.elem_offset) {
                size.walk(&mut |e| {
                    if let Some(var) = e.as_var().filter(|_| e.dtype.is_index()) {
                        all.vars.entry(var).or_insert_with(|| Magnitude::size(var));
                    }
                });
            }
        }
        let product = |factors: &[Expr]| {
            let one = Some(Magnitude::constant(1.0));
            factors.iter().fold(one, |all, e| all?.mul(&dimension(e)?))
        };
        let mut found: Vec<(Product, f64)> =
            all.vars.keys().map(|&v| (Product::from_iter([(v, 1)]), 1.0)).collect();
        for buffer in params() {
            found.extend(product(&buffer.shape).into_iter().flat_map(|m| m.0));
            for (extent, stride) in buffer.shape.iter().zip(&buffer.strides) {
                found.extend(product(&[extent.clone(), stride.clone()]).into_iter().flat_map(|m| m.0));
            }
        }
        found.retain(|(p, _)| !p.is_empty());
        found.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        found.dedup_by(|next, kept| next.0 == kept.0);
        all.products = found;
        all.block(&func.body);
        all.products.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    /// Of an expression by itself, whose integers count as unbounded, as TVM's analyzer takes them: everything fits.
    pub(crate) fn unbounded() -> Magnitudes {
        Magnitudes { unbounded: true, ..Magnitudes::default() }
    }

    /// The same of a function whose variables nothing bounds.
    pub(crate) fn without_variables(&self) -> Magnitudes {
        Magnitudes { vars: HashMap::new(), products: self.products.clone(), unbounded: self.unbounded }
    }

    /// Whether everything fits.
    pub(crate) fn is_unbounded(&self) -> bool {
        self.unbounded
    }

    /// The bound of a variable.
    pub(crate) fn of_var(&self, var: VarId) -> Option<&Magnitude> {
        self.vars.get(&var)
    }

    fn block(&mut self, block: &Block) {
        for stmt in block {
            self.stmt(stmt);
            stmt.for_each_block(|inner| self.block(inner));
        }
    }

    /// The variables that a statement defines.
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::For(f) => self.counter(f.var, Some(&f.min), &f.extent),
            StmtKind::LaunchThread { var, extent, .. } => self.counter(*var, None, extent),
            StmtKind::Attr { node: AttrNode::IterVar { var, .. }, value, .. } => {
                self.counter(*var, None, value);
            }
            StmtKind::Bind { var, value } => {
                if let Some(bound) = self.of_expr(value) {
                    self.vars.insert(*var, bound);
                }
            }
            StmtKind::SBlock(block) => {
                block.axes.iter().for_each(|axis| self.counter(axis.var, Some(&axis.min), &axis.extent));
            }
            StmtKind::Attr { .. }
            | StmtKind::Store { .. }
            | StmtKind::Evaluate(_)
            | StmtKind::While { .. }
            | StmtKind::If { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Alloc { .. }
            | StmtKind::Decl { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_) => {}
        }
    }

    /// A variable that counts up from `min` (or 0), `extent` values.
    fn counter(&mut self, var: VarId, min: Option<&Expr>, extent: &Expr) {
        let zero = Magnitude::constant(0.0);
        let Some(min) = min.map_or(Some(zero), |min| self.of_expr(min)) else { return };
        let last = self.of_expr(extent).map(Magnitude::less_one);
        let bound = last.and_then(|last| min.add(&last)).or_else(|| {
            self.products.push((Product::from_iter([(var, 1)]), 1.0));
            min.add(&Magnitude::size(var))
        });
        if let Some(bound) = bound {
            self.vars.insert(var, bound);
        }
    }

    /// The bound of an integer expression.
    pub(crate) fn of_expr(&self, e: &Expr) -> Option<Magnitude> {
        if !e.dtype.is_integral() {
            return None;
        }
        let own = match &e.kind {
            ExprKind::Int(v) => Some(Magnitude::constant((*v as f64).abs())),
            ExprKind::Var(v) => self.vars.get(v).cloned(),
            ExprKind::Binary(op, a, b) if !op.is_compare() => match op {
                BinOp::Add | BinOp::Sub => self.of_expr(a)?.add(&self.of_expr(b)?),
                BinOp::Mul => self.of_expr(a)?.mul(&self.of_expr(b)?),
                BinOp::FloorDiv | BinOp::Div => match self.product(b) {
                    Some(divisor) => self.of_expr(a)?.div(&divisor, *op == BinOp::FloorDiv),
                    None => self.of_expr(a),
                },
                BinOp::FloorMod | BinOp::Mod => self.of_expr(b),
                BinOp::Min | BinOp::Max => self.of_expr(a)?.either(&self.of_expr(b)?),
                _ => None,
            },
            ExprKind::Cast(a) => self.of_expr(a),
            ExprKind::Select(s) => self.of_expr(&s.then)?.either(&self.of_expr(&s.otherwise)?),
            ExprKind::Broadcast(a) => self.of_expr(a),
            ExprKind::Ramp(base, stride) => {
                let steps = Magnitude::constant(f64::from(e.dtype.lanes));
                self.of_expr(base)?.add(&self.of_expr(stride)?.mul(&steps)?)
            }
            _ => match e.as_intrin() {
                Some(("if_then_else", [_, a, b])) => self.of_expr(a)?.either(&self.of_expr(b)?),
                _ => None,
            },
        };
        own.or_else(|| of_type(e.dtype))
    }

    /// Whether the operation at the root of an expression may overflow its type, of what is taken not to.
    pub(crate) fn may_overflow(&self, e: &Expr) -> bool {
        if self.unbounded {
            return false;
        }
        let makes_larger = match &e.kind {
            ExprKind::Binary(op, ..) if op.is_ring() => true,
            ExprKind::Ramp(..) => true,
            // Only the least value divided by -1 is none of the type.
            ExprKind::Binary(BinOp::FloorDiv | BinOp::Div, _, b) => match &b.kind {
                ExprKind::Broadcast(b) => b.as_int().is_none_or(|c| c == -1),
                _ => b.as_int().map_or(self.product(b).is_none(), |c| c == -1),
            },
            _ => false,
        };
        makes_larger && e.dtype.is_index() && !self.of_expr(e).is_some_and(|bound| self.fits(&bound, e.dtype))
    }

    /// A product of sizes and constants that the absolute value of an expression is, where it is not 0.
    fn product(&self, e: &Expr) -> Option<Magnitude> {
        match &e.kind {
            ExprKind::Int(v) if *v != 0 => Some(Magnitude::constant((*v as f64).abs())),
            ExprKind::Var(v) => self.size(*v),
            ExprKind::Binary(BinOp::Mul, a, b) => self.product(a)?.mul(&self.product(b)?),
            _ => None,
        }
    }

    /// The variable by itself, if it is a size.
    pub(crate) fn size(&self, var: VarId) -> Option<Magnitude> {
        let size = Magnitude::size(var);
        self.vars.get(&var).filter(|&known| *known == size).cloned()
    }

    /// Whether a value with this bound is one of the type.
    pub(crate) fn fits(&self, bound: &Magnitude, dtype: DType) -> bool {
        let Some((_, most)) = dtype.int_range() else { return false };
        let slack = if dtype.bits >= 64 { SLACK_64 } else { SLACK_32 };
        let (mut number, mut share) = (0.0, 0.0);
        for (product, coefficient) in &bound.0 {
            // To divide by a size makes nothing larger.
            let product: Product = product.iter().copied().filter(|&(_, power)| power > 0).collect();
            if product.is_empty() {
                number += coefficient;
                continue;
            }
            let parts = self.products.iter().filter(|(of, _)| is_part(&product, of));
            let Some(least) = parts.map(|(_, c)| coefficient / c).min_by(f64::total_cmp) else {
                return false;
            };
            share += least;
        }
        // Numbers of 64 bits are not exact here.
        let most = if dtype.bits >= 64 { most as f64 / 2.0 } else { most as f64 };
        if share == 0.0 { number <= most } else { number <= most / 2.0 && share <= slack }
    }
}

/// The bound of every value of an integer type.
pub(crate) fn of_type(dtype: DType) -> Option<Magnitude> {
    let (least, most) = dtype.int_range()?;
    Some(Magnitude::constant((most.max(-least)) as f64))
}

/// Whether all factors of `part` are among those of `of`.
fn is_part(part: &Product, of: &Product) -> bool {
    part.iter().all(|(v, power)| of.iter().any(|(w, most)| v == w && power <= most))
}

/// `a` times `b`, the latter raised to `sign`; `None` if that is too long.
fn times(a: &Product, b: &Product, sign: i8) -> Option<Product> {
    let mut product = a.clone();
    for &(var, power) in b {
        match product.binary_search_by_key(&var, |&(v, _)| v) {
            Ok(at) => {
                product[at].1 = product[at].1.checked_add(power * sign)?;
                if product[at].1 == 0 {
                    product.remove(at);
                }
            }
            Err(at) => product.insert(at, (var, power * sign)),
        }
    }
    (product.len() <= MAX_FACTORS && product.iter().all(|(_, power)| power.abs() < 16)).then_some(product)
}

/// A dimension as a sum of products of sizes that it is not (much) less than.
fn dimension(e: &Expr) -> Option<Magnitude> {
    match &e.kind {
        ExprKind::Int(v) if *v >= 0 => Some(Magnitude::constant(*v as f64)),
        ExprKind::Var(v) => Some(Magnitude::size(*v)),
        ExprKind::Cast(a) => dimension(a),
        ExprKind::Binary(BinOp::Add, a, b) => dimension(a)?.add(&dimension(b)?),
        ExprKind::Binary(BinOp::Mul, a, b) => dimension(a)?.mul(&dimension(b)?),
        ExprKind::Binary(BinOp::FloorDiv | BinOp::Div, a, b) => {
            let divisor = b.as_int().filter(|&c| c > 0)?;
            let terms = dimension(a)?.0.into_iter().map(|(p, c)| (p, c / divisor as f64)).collect();
            Magnitude::normal(terms, |a, b| a + b)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> PrimFunc {
        let text = "@T.prim_func\ndef main(A: T.Buffer((\"n\", \"m\"), \"int32\"), x: T.int32, y: T.int64):\n    n, m = T.int32(), T.int32()\n    for i in range(n):\n        for j in range(m):\n            A[i, j] = x\n";
        crate::parse(text).expect("a program").funcs.remove(0)
    }

    fn fits(func: &mut PrimFunc, text: &str) -> bool {
        let e = crate::script::parse_expr(text, func).expect("an expression");
        let all = Magnitudes::new(func);
        all.of_expr(&e).is_some_and(|bound| all.fits(&bound, e.dtype))
    }

    #[test]
    fn what_addresses_a_buffer_fits_and_what_nothing_bounds_does_not() {
        let mut func = program();
        for yes in [
            "n * m",
            "n + m",
            "n * 4 + m",
            "(n + 7) // 8 * m",
            "x // 4 * 2",
            "x % 16 * 1000",
            "n * m // m * m",
            "2147483647",
        ] {
            assert!(fits(&mut func, yes), "{yes}");
        }
        for no in ["x", "x * n", "n * 100000", "n * n", "n * m * m", "x % n * n", "n * m * m // n"] {
            assert!(!fits(&mut func, no), "{no}");
        }
    }

    #[test]
    fn loop_variables_are_bounded_by_their_loops() {
        let func = program();
        let all = Magnitudes::new(&func);
        let var = |name: &str| {
            let at = func.vars.iter().position(|v| &*v.name == name).expect("a variable");
            VarId(u32::try_from(at).expect("few variables"))
        };
        let (i, m) = (all.of_var(var("i")).expect("a bound"), all.of_var(var("m")).expect("a size"));
        assert!(all.fits(&i.mul(m).expect("short"), DType::I32));
        assert!(!all.fits(&i.mul(i).expect("short"), DType::I32));
        assert!(all.of_var(var("x")).is_none());
    }
}
