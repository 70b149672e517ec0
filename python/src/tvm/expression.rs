//! Single expressions of TVM, over the variables that they name.

use hashbrown::HashSet;

use satir::ir::{Expr, PrimFunc};

use super::build::Builder;
use super::object::Obj;
use super::read::{Limits, Reader, Source};
use super::schema::Tvm;
use super::{Res, Unsupported};

/// An expression that was read, and the objects that it was read from.
pub(crate) struct TakenExpr {
    /// The table of its variables.
    pub(crate) func: PrimFunc,
    pub(crate) expr: Expr,
    source: Source,
}

/// Reads an expression. What is known of variables goes by their names, so two variables of one name are refused.
pub(crate) fn read_expr(tvm: &Tvm, object: &Obj, limits: Limits) -> Res<TakenExpr> {
    let mut reader = Reader::new(tvm, object, "expression", limits);
    let expr = reader.expr(object)?;
    let Reader { func, source, .. } = reader;
    let mut names = HashSet::with_capacity(func.vars.len());
    if let Some(twice) = func.vars.iter().find(|var| !names.insert(var.name.clone())) {
        return Err(Unsupported(format!("two variables have the name {}", twice.name)));
    }
    Ok(TakenExpr { func, expr, source })
}

/// Builds the expression that satir made of `taken`.
pub(crate) fn build_expr(tvm: &'static Tvm, taken: &TakenExpr, after: &Expr) -> Res<Obj> {
    let TakenExpr { func, expr, source } = taken;
    Builder::new(tvm, func, source).expr(after, Some((expr, &source.object)))
}
