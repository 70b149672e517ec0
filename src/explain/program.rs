//! The expressions of a program that an optimization replaced, with what is known at their places.

use hashbrown::HashMap;

use crate::arith::Interval;
use crate::diag::Span;
use crate::eqsat::lower::{extent_range, parameter_ranges, reads_or_acts};
use crate::ir::{BinOp, Block, Expr, For, PrimFunc, Stmt, StmtKind, VarId};

/// An expression of the input and what stands for it in the result.
///
/// ```
/// use satir::explain::replacements;
/// use satir::script::print_expr;
///
/// # let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n")?;
/// let (after, _) = satir::cse::run(&module, &satir::cse::Options::default())?;
/// let (before, after) = (&module.funcs[0], &after.funcs[0]);
/// let first = &replacements(before, after)[0];
/// assert_eq!(print_expr(before, &first.before), "x * x");
/// assert_eq!(first.bindings.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Replacement {
    /// Place of its statement in the input.
    pub span: Span,
    /// The expression, with bindings of the input that can be computed anywhere replaced by their values.
    pub before: Expr,
    /// What replaced it, with bindings replaced by their values.
    pub after: Expr,
    /// What replaced it, as it stands in the result.
    pub written: Expr,
    /// The new bindings that it uses, directly or through others.
    pub bindings: Vec<VarId>,
    /// The range of each variable.
    pub ranges: Vec<Interval>,
    /// Conditions that hold there.
    pub conds: Vec<Expr>,
}

/// The expressions of `before` that are written otherwise in `after`, which was made from it, in the order of the
/// program. Statements are told by their places in the source, so those that an optimization took apart are left out.
///
/// ```
/// # let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n")?;
/// let (after, _) = satir::cse::run(&module, &satir::cse::Options::default())?;
/// let found = satir::explain::replacements(&module.funcs[0], &after.funcs[0]);
/// assert_eq!(found.len(), 2, "the index and the value of the store");
/// assert!(satir::explain::replacements(&module.funcs[0], &module.funcs[0]).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn replacements(before: &PrimFunc, after: &PrimFunc) -> Vec<Replacement> {
    let (old, new) = (Walk::of(before, before.vars.len()), Walk::of(after, before.vars.len()));
    let mut found = Vec::new();
    for (span, kind, roots) in &old.statements {
        let mut same =
            new.statements.iter().filter(|(s, k, r)| s == span && k == kind && r.len() == roots.len());
        let (Some((_, _, others)), None) = (same.next(), same.next()) else { continue };
        for (root, other) in roots.iter().zip(others) {
            if root.expr == other.expr {
                continue;
            }
            let mut bindings = Vec::new();
            found.push(Replacement {
                span: *span,
                before: old.expanded(&root.expr, &mut Vec::new()),
                after: new.expanded(&other.expr, &mut bindings),
                written: other.expr.clone(),
                bindings,
                ranges: new.ranges.clone(),
                conds: root.conds.iter().map(|cond| old.expanded(cond, &mut Vec::new())).collect(),
            });
        }
    }
    found
}

/// The bindings that `after` has and `before`, from which it was made, has not, with their values written out in terms
/// of `before`'s variables.
///
/// ```
/// # let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n")?;
/// let (after, _) = satir::cse::run(&module, &satir::cse::Options::default())?;
/// let values = satir::explain::binding_values(&module.funcs[0], &after.funcs[0]);
/// assert_eq!(satir::script::print_expr(&module.funcs[0], &values[0].1), "x * x");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn binding_values(before: &PrimFunc, after: &PrimFunc) -> Vec<(VarId, Expr)> {
    let walk = Walk::of(after, before.vars.len());
    let mut new: Vec<VarId> = walk.values.keys().copied().filter(|v| v.index() >= walk.first_new).collect();
    new.sort_unstable();
    new.into_iter().map(|var| (var, walk.expanded(&walk.values[&var], &mut Vec::new()))).collect()
}

/// What is known of each variable of a function wherever it is in scope.
///
/// ```
/// let module = satir::parse("@T.prim_func\ndef main():\n    for i in range(16):\n        T.evaluate(i)\n")?;
/// let range = satir::explain::known_ranges(&module.funcs[0])[0];
/// assert_eq!((range.lo(), range.hi()), (Some(0), Some(15)));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn known_ranges(func: &PrimFunc) -> Vec<Interval> {
    Walk::of(func, func.vars.len()).ranges
}

/// An expression with what holds at its place.
struct Root {
    expr: Expr,
    conds: Vec<Expr>,
}

/// All statements of a function, by their places in the source.
struct Walk {
    /// Bindings from this variable on are new.
    first_new: usize,
    statements: Vec<(Span, std::mem::Discriminant<StmtKind>, Vec<Root>)>,
    values: HashMap<VarId, Expr>,
    ranges: Vec<Interval>,
}

impl Walk {
    fn of(func: &PrimFunc, first_new: usize) -> Walk {
        let ranges = parameter_ranges(func);
        let mut walk = Walk { first_new, statements: Vec::new(), values: HashMap::new(), ranges };
        walk.block(&func.body, &mut Vec::new());
        walk
    }

    fn block(&mut self, block: &Block, conds: &mut Vec<Expr>) {
        for stmt in block {
            self.stmt(stmt, conds);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, conds: &mut Vec<Expr>) {
        if let StmtKind::Bind { var, value } = &stmt.kind
            && (var.index() >= self.first_new || !reads_or_acts(value))
        {
            self.values.insert(*var, value.clone());
        }
        if stmt.span != Span::NONE {
            let mut roots = Vec::new();
            stmt.for_each_expr(|e| roots.push(Root { expr: e.clone(), conds: conds.clone() }));
            self.statements.push((stmt.span, std::mem::discriminant(&stmt.kind), roots));
        }
        let outside = conds.len();
        match &stmt.kind {
            StmtKind::For(l) => {
                self.enter(l, conds);
                self.block(&l.body, conds);
            }
            StmtKind::If { cond, then, otherwise } => {
                if !reads_or_acts(cond) {
                    conds.push(cond.clone());
                }
                self.block(then, conds);
                conds.truncate(outside);
                self.block(otherwise, conds);
            }
            _ => stmt.for_each_block(|block| self.block(block, conds)),
        }
        conds.truncate(outside);
    }

    /// What holds inside of a loop.
    fn enter(&mut self, l: &For, conds: &mut Vec<Expr>) {
        let (min, extent) = (l.min.as_int(), l.extent.as_int());
        if let Some(range) = self.ranges.get_mut(l.var.index()) {
            *range = extent_range(min, extent);
        }
        if min == Some(0) && extent.is_none() && !reads_or_acts(&l.extent) {
            let var = Expr::var(l.var, l.extent.dtype);
            conds.push(Expr::binary(BinOp::Lt, var, l.extent.clone()));
        }
    }

    /// The expression with bound variables replaced by their values; `bindings` gets the new ones.
    fn expanded(&self, e: &Expr, bindings: &mut Vec<VarId>) -> Expr {
        if let Some(var) = e.as_var()
            && let Some(value) = self.values.get(&var)
        {
            if var.index() >= self.first_new && !bindings.contains(&var) {
                bindings.push(var);
            }
            return self.expanded(value, bindings);
        }
        let mut out = e.clone();
        out.for_each_child_mut(|child| *child = self.expanded(child, bindings));
        out
    }
}
