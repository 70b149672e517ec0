//! `if c: S else: T` becomes `S`, if `S` does where `c` does not hold what `T` does: the same accesses in the same order, of
//! the same elements, with the same values.

use super::total;
use crate::analysis::accesses::{Access, Fact, Kind, is_plain};
use crate::analysis::instances::Asker;
use crate::ir::{BinOp, Block, Expr, ExprKind, ForKind, StmtKind, VarId};

/// Whether block `kept` does what `gone` does where the accesses of `gone` happen; `site` is the number of the statement with
/// the condition, whose first arm is `kept` if `truth`.
pub(super) fn stands_for(
    asker: &Asker<'_>,
    site: usize,
    (kept, gone): (&Block, &Block),
    truth: bool,
) -> bool {
    let accesses = asker.accesses;
    let mut names = Vec::new();
    if total::block(kept).is_err() || !alike(kept, gone, &mut names) {
        return false;
    }
    let (then_arm, else_arm) = if truth { (kept, gone) } else { (gone, kept) };
    let middle = site + 1 + statements(then_arm);
    let ends = (site + 1, middle, middle + statements(else_arm));
    let of = |from: usize, to: usize| -> Vec<&Access> {
        let span = accesses.spans[site];
        accesses.list[span.0..span.1].iter().filter(|a| from <= a.stmt && a.stmt < to).collect()
    };
    let (first, second) = (of(ends.0, ends.1), of(ends.1, ends.2));
    let (kept, gone) = if truth { (first, second) } else { (second, first) };
    let shared = Shared { asker, names: &names };
    kept.len() == gone.len() && kept.iter().zip(&gone).all(|(a, b)| shared.access(a, b))
}

/// How many statements a block has, nested ones included.
fn statements(block: &Block) -> usize {
    let mut count = 0;
    block.iter().for_each(|stmt| stmt.walk(&mut |_| count += 1));
    count
}

/// Whether blocks have the same statements up to expressions. `names` gets the variables of the first with those of the second.
fn alike(a: &Block, b: &Block, names: &mut Vec<(VarId, VarId)>) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| match (&a.kind, &b.kind) {
            (StmtKind::Store { buffer: x, .. }, StmtKind::Store { buffer: y, .. }) => x == y,
            (StmtKind::For(x), StmtKind::For(y)) => {
                names.push((x.var, y.var));
                x.kind == ForKind::Serial
                    && y.kind == ForKind::Serial
                    && x.step.is_none()
                    && y.step.is_none()
                    && x.min.dtype == y.min.dtype
                    && (&x.min, &x.extent) == (&y.min, &y.extent)
                    && is_plain(&x.min)
                    && is_plain(&x.extent)
                    && alike(&x.body, &y.body, names)
            }
            _ => false,
        })
}

struct Shared<'a, 'b> {
    asker: &'a Asker<'b>,
    names: &'a [(VarId, VarId)],
}

impl Shared<'_, '_> {
    /// Whether an access of the kept block is that of the other, wherever the other happens.
    fn access(&self, kept: &Access, gone: &Access) -> bool {
        let facts = self.asker.itself(gone).conditions;
        let kind = match (&kept.kind, &gone.kind) {
            (Kind::Load, Kind::Load) => true,
            (Kind::Store(a), Kind::Store(b)) => self.same(a, b, &facts),
            _ => false,
        };
        kind && kept.buffer == gone.buffer
            && kept.exact
            && gone.exact
            && kept.indices.len() == gone.indices.len()
            && kept.indices.iter().zip(&gone.indices).all(|(a, b)| self.same(a, b, &facts))
    }

    /// Whether two expressions have one value in one state of memory.
    fn same(&self, a: &Expr, b: &Expr, facts: &[Fact]) -> bool {
        let mut a = a.clone();
        let name = |var: VarId| self.names.iter().find(|(own, _)| *own == var).map(|(_, other)| *other);
        rename(&mut a, &name);
        self.equal(&a, b, facts)
    }

    fn equal(&self, a: &Expr, b: &Expr, facts: &[Fact]) -> bool {
        if a == b {
            return true;
        }
        if a.dtype != b.dtype {
            return false;
        }
        if a.dtype.is_index() && a.dtype.is_scalar() && is_plain(a) && is_plain(b) {
            return self.asker.proves(facts, &Expr::binary(BinOp::Eq, a.clone(), b.clone()), true);
        }
        match (&a.kind, &b.kind) {
            (ExprKind::Binary(o, a, b), ExprKind::Binary(p, c, d)) if o == p => {
                self.equal(a, c, facts) && self.equal(b, d, facts)
            }
            (ExprKind::Cast(a), ExprKind::Cast(b)) | (ExprKind::Not(a), ExprKind::Not(b)) => {
                self.equal(a, b, facts)
            }
            (ExprKind::Load { buffer: x, indices: i }, ExprKind::Load { buffer: y, indices: j }) => {
                x == y && i.len() == j.len() && i.iter().zip(j).all(|(a, b)| self.equal(a, b, facts))
            }
            _ => false,
        }
    }
}

fn rename(e: &mut Expr, name: &impl Fn(VarId) -> Option<VarId>) {
    if let ExprKind::Var(var) = &mut e.kind
        && let Some(other) = name(*var)
    {
        *var = other;
    }
    e.for_each_child_mut(|child| rename(child, name));
}
