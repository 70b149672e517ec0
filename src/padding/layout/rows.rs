//! Maps to one index that number the elements of a shape, also one of symbolic extents: `i * n + j` for `j < n`.
//!
//! Digits of a number: one axis has the factor 1, the next one the extent of that, the one after that the product of both.
//! Then different elements get different numbers, and each number less than the product of all extents is reached.

use crate::arith::poly::{Atoms, Poly};
use crate::ir::{DType, Expr, ExprKind, VarId};

/// What a map makes of a shape.
#[derive(Debug)]
pub(super) struct Numbering {
    /// The number of an element.
    pub index: Expr,
    /// How many elements there are.
    pub size: Expr,
}

/// The numbering that `index` is of the elements of a shape, by the variables of its axes, if it is one.
pub(super) fn numbering(index: &Expr, axes: &[VarId], shape: &[Expr]) -> Option<Numbering> {
    let dtype = index.dtype;
    let mut atoms = Atoms::default();
    let mut plain = index.clone();
    widen(&mut plain, axes);
    // The only index of an axis of extent 1 is 0.
    let zero = Expr::int(0, dtype);
    let is_single = |extent: &Expr| extent.as_int() == Some(1);
    let mut all = axes.iter().zip(shape);
    plain.substitute(&|var| all.clone().any(|(axis, n)| *axis == var && is_single(n)).then_some(&zero));
    let number = atoms.poly(&plain)?;
    let mut open = Vec::new();
    for (&axis, extent) in all.by_ref().filter(|(_, extent)| !is_single(extent)) {
        open.push((axis, atoms.poly(&of_type(extent, dtype)?)?));
    }
    let (mut stride, mut rest) = (Poly::constant(1), number.clone());
    while !open.is_empty() {
        let is_next = |axis| atoms.linear(&rest, axis).is_some_and(|linear| linear.slope == stride);
        let (axis, extent) = open.remove(open.iter().position(|(axis, _)| is_next(*axis))?);
        rest = atoms.linear(&rest, axis)?.rest;
        stride = stride.times(&extent);
    }
    if !rest.is_zero() {
        return None;
    }
    Some(Numbering { index: atoms.expr(&number, dtype)?, size: atoms.expr(&stride, dtype)? })
}

/// Writes what is cast to a wider type in that type, axes included: index arithmetic fits its type.
fn widen(e: &mut Expr, axes: &[VarId]) {
    e.for_each_child_mut(|child| widen(child, axes));
    if let ExprKind::Cast(of) = &e.kind
        && (of.dtype, e.dtype) == (DType::I32, DType::I64)
    {
        *e = wide(of, axes);
    }
}

fn wide(e: &Expr, axes: &[VarId]) -> Expr {
    let dtype = DType::I64;
    match &e.kind {
        ExprKind::Int(value) => Expr::int(*value, dtype),
        ExprKind::Var(var) if axes.contains(var) => Expr::var(*var, dtype),
        ExprKind::Binary(op, a, b) if op.is_ring() => Expr::binary(*op, wide(a, axes), wide(b, axes)),
        _ => Expr::cast(dtype, e.clone()),
    }
}

/// An extent in a type that holds its value.
fn of_type(extent: &Expr, dtype: DType) -> Option<Expr> {
    match extent.as_int() {
        _ if extent.dtype == dtype => Some(extent.clone()),
        Some(value) => Some(Expr::int(value, dtype)),
        None => (dtype == DType::I64).then(|| Expr::cast(dtype, extent.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::print_expr;

    /// The number and how many there are of an element of a shape `(1, 32, n)` with the indices `x`, `y`, `z`.
    fn numbered(index: &str) -> Option<(String, String)> {
        let head = "@T.prim_func\ndef main(A: T.Buffer((1,), \"int32\"), x: T.int32, y: T.int32, z: T.int32, n: T.int32):\n";
        let func = crate::parse(&format!("{head}    A[0] = {index}\n")).unwrap().funcs.remove(0);
        let crate::ir::StmtKind::Store { value, .. } = &func.body[0].kind else { panic!("a store") };
        let var = |name: &str| VarId(func.vars.iter().position(|var| *var.name == *name).unwrap() as u32);
        let shape = [Expr::int(1, DType::I32), Expr::int(32, DType::I32), Expr::var(var("n"), DType::I32)];
        let found = numbering(value, &["x", "y", "z"].map(var), &shape)?;
        Some((print_expr(&func, &found.index), print_expr(&func, &found.size)))
    }

    #[test]
    fn digits_in_any_order_are_a_numbering() {
        let told = |number: &str, size: &str| Some((number.to_owned(), size.to_owned()));
        assert_eq!(numbered("x * 32 * n + y * n + z"), told("n * y + z", "n * 32"));
        assert_eq!(numbered("(x + y) * n + z"), told("y * n + z", "n * 32"));
        assert_eq!(numbered("z * 32 + y"), told("z * 32 + y", "n * 32"));
    }

    #[test]
    fn what_collides_or_leaves_gaps_is_none() {
        for index in
            ["y * 31 + z", "y * (n + 1) + z", "y * n + z + 1", "y * n + z * 2", "y * n", "y * n + z % 3"]
        {
            assert!(numbered(index).is_none(), "{index}");
        }
    }
}
